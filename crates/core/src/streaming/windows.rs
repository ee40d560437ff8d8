//! The history of templates: counts per window of pages.
//!
//! Windows end at pages 10, 20, 50, 100, 200, 500 and so on: short at first, while a source is learned, and few even
//! for a long stream.

use std::ops::RangeInclusive;

/// The counts of one window of a source's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Length of template segments that were recognised as template when they arrived.
    pub caught: u64,
    /// Length of earlier occurrences of segments that became template in this window. caught / (caught + missed) is the
    /// recall that can be measured without marked text.
    pub missed: u64,
    /// Number of segments that became template.
    pub born: u64,
    /// Number of template segments that were forgotten. Counted when they are removed from the table, which may be
    /// later.
    pub died: u64,
}

/// The windows of a source so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows(Vec<Window>);

impl Windows {
    /// Stored windows, from the first on.
    pub fn new(windows: Vec<Window>) -> Windows {
        Windows(windows)
    }

    /// Each window with its pages. Pages count from 1.
    pub fn iter(&self) -> impl Iterator<Item = (RangeInclusive<u64>, &Window)> {
        self.0.iter().enumerate().map(|(index, window)| (end(index.wrapping_sub(1)) + 1..=end(index), window))
    }

    /// For each window with template text: its first page, its last page, and the share of this text that was already
    /// known to be boilerplate when it came.
    pub fn recall(&self) -> Vec<(u64, u64, f64)> {
        let share = |(pages, window): (RangeInclusive<u64>, &Window)| {
            let all = window.caught + window.missed;
            let share = || (window.caught as f64 / all as f64 * 1000.0).round() / 1000.0;
            (all > 0).then(|| (*pages.start(), *pages.end(), share()))
        };
        self.iter().filter_map(share).collect()
    }

    /// The window of a page.
    pub fn at(&mut self, page: u32) -> &mut Window {
        let index = (0..).take_while(|&index| end(index) < u64::from(page)).count();
        if self.0.len() <= index {
            self.0.resize(index + 1, Window::default());
        }
        &mut self.0[index]
    }

    /// Adds the counts of another run, window by window.
    pub fn add(&mut self, others: &Windows) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), Window::default());
        }
        for (own, other) in self.0.iter_mut().zip(&others.0) {
            own.caught += other.caught;
            own.missed += other.missed;
            own.born += other.born;
            own.died += other.died;
        }
    }
}

/// The last page of a window; 0 before the first.
fn end(index: usize) -> u64 {
    match index {
        usize::MAX => 0,
        _ => [10, 20, 50][index % 3] * 10_u64.pow((index / 3) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow() {
        let mut windows = Windows::default();
        for page in [1, 10, 11, 20, 51, 101] {
            windows.at(page).born += 1;
        }
        let told: Vec<(RangeInclusive<u64>, u64)> =
            windows.iter().map(|(pages, window)| (pages, window.born)).collect();
        assert_eq!(told, [(1..=10, 2), (11..=20, 2), (21..=50, 0), (51..=100, 1), (101..=200, 1)]);
    }

    #[test]
    fn every_page_has_a_window() {
        let mut windows = Windows::default();
        windows.at(u32::MAX).born = 1;
        let (pages, window) = windows.iter().last().unwrap();
        assert!(pages.contains(&u64::from(u32::MAX)), "{pages:?}");
        assert_eq!(window.born, 1);
    }

    #[test]
    fn counts_are_added_window_by_window() {
        let mut all = Windows::default();
        all.at(1).caught = 3;
        let mut others = Windows::default();
        *others.at(1) = Window { caught: 1, missed: 2, born: 3, died: 4 };
        others.at(11).missed = 5;
        all.add(&others);
        assert_eq!(*all.at(1), Window { caught: 4, missed: 2, born: 3, died: 4 });
        assert_eq!(all.at(11).missed, 5);
    }
}
