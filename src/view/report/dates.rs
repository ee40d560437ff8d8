//! Sorts documents by time, if their names contain dates.
//!
//! Takes names, gives their order by the first date in each, if nearly all names have a date:
//! `2024-03-05-pilot-boat.txt`, `2024/03/05/x.html`.

use std::sync::LazyLock;

use regex::Regex;

/// At least this many names in ten must have a date.
const DATED_OF_TEN: usize = 9;

/// Names sorted by date.
#[derive(Debug, PartialEq, Eq)]
pub struct ByDate {
    /// The indices of the names, by date. Names of one day keep their order; names without a date are last.
    pub order: Vec<usize>,
    /// Number of names without a date.
    pub undated: usize,
}

/// Sorts names by the first date in each. `None` if fewer than nine in ten have one.
pub fn by_date<'n>(names: impl Iterator<Item = &'n str>) -> Option<ByDate> {
    let dates: Vec<Option<[u32; 3]>> = names.map(date_in).collect();
    let undated = dates.iter().filter(|date| date.is_none()).count();
    if dates.is_empty() || 10 * (dates.len() - undated) < DATED_OF_TEN * dates.len() {
        return None;
    }
    let mut order: Vec<usize> = (0..dates.len()).collect();
    order.sort_by_key(|&index| (dates[index].is_none(), dates[index], index));
    Some(ByDate { order, undated })
}

/// The first date in a name: year, month, day.
fn date_in(name: &str) -> Option<[u32; 3]> {
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let (month, day) = ("0[1-9]|1[0-2]", "0[1-9]|[12][0-9]|3[01]");
        Regex::new(&format!("(?:^|[^0-9])((?:19|20)[0-9]{{2}})[-/]({month})[-/]({day})(?:[^0-9]|$)")).ok()
    });
    let (_, parts) = DATE.as_ref()?.captures(name)?.extract();
    let number = |part: &str| part.parse().ok();
    let [year, month, day] = parts;
    Some([number(year)?, number(month)?, number(day)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_found_where_they_stand() {
        assert_eq!(date_in("2024-03-05-pilot-boat.txt"), Some([2024, 3, 5]));
        assert_eq!(date_in("news/1999/12/31/x.html"), Some([1999, 12, 31]));
        for none in ["12024-03-05", "2024-13-05", "2024-03-055", "2024-03", "x"] {
            assert_eq!(date_in(none), None, "{none}");
        }
    }

    #[test]
    fn nine_in_ten_names_need_a_date() {
        let mut names: Vec<String> = (1..10).rev().map(|day| format!("z-2024-01-0{day}")).collect();
        names.insert(0, "about".to_owned());
        let ordered = by_date(names.iter().map(String::as_str));
        assert_eq!(ordered, Some(ByDate { order: vec![9, 8, 7, 6, 5, 4, 3, 2, 1, 0], undated: 1 }));
        names.push("contact".to_owned());
        assert_eq!(by_date(names.iter().map(String::as_str)), None);
        assert_eq!(by_date([].into_iter()), None);
    }
}
