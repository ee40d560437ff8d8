//! Dates as pages write them for machines.

/// The value in ISO 8601, if it is certainly a date: `YYYY-MM-DD`, or this with a time. `/` instead of `-` and a space
/// before the time are understood. An invalid time is left out.
pub(super) fn iso_date(value: &str) -> Option<String> {
    let value = value.trim();
    let (day, rest) = value.split_at_checked(10)?;
    let separator = day.as_bytes()[4];
    let parts: Vec<&str> = day.split(char::from(separator)).collect();
    let &[year, month, of_month] = parts.as_slice() else { return None };
    let lengths = [year.len(), month.len(), of_month.len()] == [4, 2, 2];
    let [year, month, of_month] = [number(year)?, number(month)?, number(of_month)?];
    let is_date = lengths && matches!(separator, b'-' | b'/') && year >= 1000;
    if !is_date
        || !(1..=days(year, month)?).contains(&of_month)
        || rest.starts_with(|c: char| c.is_ascii_alphanumeric() && c != 'T')
    {
        return None;
    }

    let day = day.replace('/', "-");
    Some(match time(rest) {
        Some(time) => format!("{day}T{time}"),
        None => day,
    })
}

/// The number of days of a month.
fn days(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    Some(match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    })
}

/// The time after a date: `Thh:mm`, then seconds and their decimals, then the zone, as far as they are given.
fn time(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['T', ' '])?;
    let zone_at = rest.find(['Z', '+', '-', ' ']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    let (clock, parts) = clock.split_once('.').map_or((clock, None), |(clock, parts)| (clock, Some(parts)));

    let mut fields = clock.split(':');
    let (hour, minute, second) = (two(fields.next()?)?, two(fields.next()?)?, fields.next().map(two));
    let is_clock = hour < 24 && minute < 60 && second.is_none_or(|second| second.is_some_and(|second| second <= 60));
    let has_parts =
        parts.is_none_or(|parts| second.is_some() && (1..=9).contains(&parts.len()) && number(parts).is_some());
    (is_clock && has_parts && fields.next().is_none()).then_some(())?;
    let parts = parts.map_or_else(String::new, |parts| format!(".{parts}"));
    Some(format!("{clock}{parts}{}", zone_of(zone.trim_start())?))
}

/// A time zone: nothing, `Z`, or the hours and minutes of its offset, with a colon between them.
fn zone_of(zone: &str) -> Option<String> {
    let Some(digits) = zone.strip_prefix(['+', '-']) else {
        return matches!(zone, "" | "Z").then(|| zone.to_owned());
    };
    let digits = digits.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { "00" } else { minutes };
    (two(hours)? < 24 && two(minutes)? < 60).then(|| format!("{}{hours}:{minutes}", &zone[..1]))
}

fn two(digits: &str) -> Option<u32> {
    number(digits).filter(|_| digits.len() == 2)
}

fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_surely_a_date_is_one() {
        for (value, expected) in [
            ("2024-03-14", "2024-03-14"),
            (" 2024/03/14 ", "2024-03-14"),
            ("2024-02-29T08:30:00.123Z", "2024-02-29T08:30:00.123Z"),
            ("2024-03-14T08:30", "2024-03-14T08:30"),
            ("2024-03-14 08:30:00 +0100", "2024-03-14T08:30:00+01:00"),
            ("2024-03-14T08:30:00-05", "2024-03-14T08:30:00-05:00"),
            ("2024-03-14T08:30:00+01:00", "2024-03-14T08:30:00+01:00"),
            ("2024-03-14T25:30", "2024-03-14"),
            ("2024-03-14T08:30 o'clock", "2024-03-14"),
            ("2024-03-14, Hale", "2024-03-14"),
        ] {
            assert_eq!(iso_date(value).as_deref(), Some(expected), "{value}");
        }
    }

    #[test]
    fn what_may_be_none_is_none() {
        for value in [
            "",
            "today",
            "14.03.2024",
            "03/14/2024",
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "0001-01-01",
            "2024-03",
            "2024-03-141",
        ] {
            assert_eq!(iso_date(value), None, "{value}");
        }
        for value in ["2024-03-1é", "2024é03-14", "２０２４-03-14", "20240314T0830", "----------", "2024/03-14"] {
            assert_eq!(iso_date(value), None, "{value}");
        }
    }
}
