//! Dates, as feeds and sitemaps write them.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};

/// Reads a W3C date, of any precision from a year to fractions of a second, or a date as in an email. Common errors are
/// accepted: a space instead of the `T`, a wrong name of the day. A date without a time zone is in UTC.
pub(crate) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    w3c(text).or_else(|| rfc2822(text))
}

/// A date such as `2024`, `2024-05-01` or `2024-05-01T10:30:00.5+02:00`. If its time is broken, the day alone counts.
fn w3c(text: &str) -> Option<DateTime<Utc>> {
    let (day, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, ""));
    let day = day.trim_end_matches(['Z', 'z']);
    let mut parts = day.split(['-', '/']);
    let year = parts.next().filter(|year| year.len() == 4)?;
    let mut part = || parts.next().map_or(Some(1), |part| number(part).filter(|_| part.len() <= 2));
    let day = NaiveDate::from_ymd_opt(number(year)?.try_into().ok()?, part()?, part()?)?;
    if parts.next().is_some() {
        return None;
    }
    let (time, offset) = time_and_offset(time.trim()).unwrap_or_default();
    day.and_time(time).and_utc().checked_sub_signed(offset)
}

/// A time such as `10:30:00.5+02:00`, and how far its zone is ahead of UTC.
fn time_and_offset(text: &str) -> Option<(NaiveTime, Duration)> {
    let zone_at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(zone_at);
    let (time, fraction) = time.trim_end().split_once(['.', ',']).unwrap_or((time.trim_end(), ""));
    let mut parts = time.split(':');
    let mut part = || parts.next().map_or(Some(0), number);
    let (hour, minute, second) = (part()?, part()?, part()?);
    let nanosecond = number(&format!("{:0<9.9}", fraction))?;
    let time = NaiveTime::from_hms_nano_opt(hour, minute, second, nanosecond)?;
    Some((time, offset(zone).unwrap_or_default()))
}

/// How far a zone such as `+02:00`, `+0200` or `+02` is ahead of UTC.
fn offset(zone: &str) -> Option<Duration> {
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.get(1..)?.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = number(hours)? * 60 + if minutes.is_empty() { 0 } else { number(minutes)? };
    (minutes <= 24 * 60).then(|| Duration::minutes(sign * i64::from(minutes)))
}

/// A date such as `Wed, 01 May 2024 10:30:00 +0200`. The day of the week is not read.
fn rfc2822(text: &str) -> Option<DateTime<Utc>> {
    let text = &text[text.find(|char: char| char.is_ascii_digit())?..];
    let mut words = text.split_whitespace();
    let day = words.next()?.trim_end_matches(',');
    let (month, year, time) = (words.next()?, words.next()?, words.next().unwrap_or("00:00"));
    let zone = words.next().filter(|zone| !matches!(*zone, "UTC" | "Z" | "-0000")).unwrap_or("GMT");
    let date = DateTime::parse_from_rfc2822(&format!("{day} {month:.3} {year} {time} {zone}")).ok()?;
    Some(date.to_utc())
}

/// A number of up to nine digits.
fn number(text: &str) -> Option<u32> {
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn is(text: &str, expected: &str) {
        let date = parse(text).map(|date| date.format("%Y-%m-%dT%H:%M:%S%.f").to_string());
        assert_eq!(date.as_deref().unwrap_or("none"), expected, "{text}");
    }

    #[test]
    fn w3c_dates_of_all_precisions() {
        is("2024", "2024-01-01T00:00:00");
        is("2024-05", "2024-05-01T00:00:00");
        is("2024-05-02", "2024-05-02T00:00:00");
        is("2024-05-02T10:30Z", "2024-05-02T10:30:00");
        is("2024-05-02T10:30:15+02:00", "2024-05-02T08:30:15");
        is("2024-05-02T23:30:15.25-01:30", "2024-05-03T01:00:15.250");
        is("2024-05-02T10:30:15.123456789123Z", "2024-05-02T10:30:15.123456789");
    }

    #[test]
    fn w3c_dates_with_errors() {
        is(" \n2024-5-2 10:30:15 +0200\t", "2024-05-02T08:30:15");
        is("2024/05/02t10:30:15z", "2024-05-02T10:30:15");
        is("2024-05-02T10:30:15+02", "2024-05-02T08:30:15");
        is("2024-05-02T10:30:15", "2024-05-02T10:30:15");
        is("2024-05-02Z", "2024-05-02T00:00:00");
        is("2024-05-02T25:00:00Z", "2024-05-02T00:00:00");
        is("2024-05-02T10:30:15 Europe/Paris", "2024-05-02T00:00:00");
    }

    #[test]
    fn dates_of_emails() {
        is("Thu, 02 May 2024 10:30:15 +0200", "2024-05-02T08:30:15");
        is("2 May 2024 10:30 GMT", "2024-05-02T10:30:00");
        is("Montag, 02 September 2024 10:30:15 UTC", "2024-09-02T10:30:15");
        is("Thu, 02 May 24 10:30:15 EST", "2024-05-02T15:30:15");
        is("Thu, 02 May 2024 10:30:15 Z", "2024-05-02T10:30:15");
        is("02 May 2024", "2024-05-02T00:00:00");
    }

    #[test]
    fn no_dates() {
        for text in [
            "",
            "today",
            "0000-00-00",
            "2024-13-01",
            "2024-02-30",
            "2024-05-02-03",
            "20240502",
            "99",
            "32 May 2024",
            "1 Mai",
        ] {
            is(text, "none");
        }
    }

    proptest! {
        #[test]
        fn anything_can_be_read(text in "[0-9a-zA-Z:+., é/-]{0,30}", any in any::<String>()) {
            parse(&text);
            parse(&any);
            parse(&format!("2024-05-02T{text}"));
            parse(&format!("02 May {text}"));
        }
    }
}
