//! Dates as HTTP, feeds and sitemaps write them. Times are seconds since 1970, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// This hour of this day.
pub fn at(year: i64, month: i64, day: i64, hour: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era - 719_468) * 86_400 + hour * 3600
}

/// Year, month and day.
fn day(seconds: i64) -> (i64, i64, i64) {
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Now.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

/// Such as `Sun, 06 Nov 1994 08:49:37 GMT`. RSS has the same form.
pub fn http(seconds: i64) -> String {
    let (year, month, day) = day(seconds);
    let name = DAYS[seconds.div_euclid(86_400).rem_euclid(7) as usize];
    let month = MONTHS[month as usize - 1];
    let time = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{name}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

/// Such as `1994-11-06T08:49:37Z`.
pub fn iso(seconds: i64) -> String {
    let (year, month, day) = day(seconds);
    let time = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Reads what [`http`] writes.
pub fn parse_http(text: &str) -> Option<i64> {
    let mut parts = text.split_once(", ")?.1.split(' ');
    let day = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = MONTHS.iter().position(|&name| name == month)? as i64 + 1;
    let year = parts.next()?.parse().ok()?;
    let mut time = parts.next()?.split(':').map(str::parse::<i64>);
    let hour = time.next()?.ok()?;
    let minute = time.next()?.ok()?;
    let second = time.next()?.ok()?;
    Some(at(year, month, day, hour) + minute * 60 + second)
}
