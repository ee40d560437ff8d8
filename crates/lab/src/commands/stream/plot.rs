//! The figures as a plot: a point for each page, or for several pages if there are many.

use std::ops::RangeInclusive;

use dehusk_lab::line_chart::{LineChart, picture};
use dehusk_lab::removal::Removal;
use dehusk_lab::stream_figures::{Figures, Judged, Unit};

use crate::outputs::PLOT_MARK;

/// Maximum number of points on a line.
const POINTS: u32 = 100;

/// The plot, as SVG.
pub fn of(figures: &Figures, redesign_at: Option<u32>) -> String {
    let last = figures.pages();
    let steps: Vec<RangeInclusive<u32>> = steps(last);
    let judged: Vec<Judged> = steps.iter().map(|pages| figures.within(Unit::Words, pages).1).collect();
    let line = |share: &dyn Fn(&Judged) -> Option<f64>| -> Vec<(f64, f64)> {
        steps
            .iter()
            .zip(&judged)
            .filter_map(|(pages, judged)| Some((f64::from(*pages.end()), share(judged)?)))
            .collect()
    };
    let mark = redesign_at.map(|page| (f64::from(page), "redesign"));
    let removal = LineChart {
        title: "Share of words removed, by page of the source",
        axis: "page",
        top: 1.0,
        lines: vec![
            ("precision", line(&|judged| Removal::precision(&judged.stream))),
            ("recall", line(&|judged| Removal::recall(&judged.stream))),
            ("segments: precision", line(&|judged| Removal::precision(&judged.segments))),
            ("segments: recall", line(&|judged| Removal::recall(&judged.segments))),
        ],
        mark,
    };
    let templates = redesign_at.map(|_| templates(figures, mark));
    picture(&[removal].into_iter().chain(templates).collect::<Vec<LineChart>>(), f64::from(last), PLOT_MARK)
}

/// The numbers of old and new template segments in all tables.
fn templates<'a>(figures: &Figures, mark: Option<(f64, &'a str)>) -> LineChart<'a> {
    let tables = || (1..=figures.pages()).filter_map(|page| Some((f64::from(page), figures.table_at(page).templates?)));
    let old: Vec<(f64, f64)> = tables().map(|(page, templates)| (page, templates.old as f64)).collect();
    let new: Vec<(f64, f64)> = tables().map(|(page, templates)| (page, templates.new as f64)).collect();
    let most = (1..=figures.pages()).filter_map(|page| figures.table_at(page).templates);
    let top = round(most.map(|templates| templates.old.max(templates.new)).max().unwrap_or(0)) as f64;
    let lines = vec![("old design", old), ("new design", new)];
    LineChart { title: "Template segments in the tables", axis: "page", top, lines, mark }
}

/// The next number whose quarter has at most 2 significant digits.
fn round(number: usize) -> usize {
    let step = 4 * 10_usize.pow(number.max(10).ilog10() - 1);
    number.max(1).next_multiple_of(step)
}

/// The pages, in steps of equal width.
fn steps(last: u32) -> Vec<RangeInclusive<u32>> {
    let width = last.div_ceil(POINTS).max(1);
    (1..=last).step_by(width as usize).map(|first| first..=last.min(first + width - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([0, 3, 43, 113, 1601].map(round), [4, 4, 44, 120, 2000]);
    }

    #[test]
    fn steps_cover_all_pages() {
        assert_eq!(steps(3), [1..=1, 2..=2, 3..=3]);
        assert_eq!(steps(250).len(), 84);
        assert_eq!(steps(250).last(), Some(&(250..=250)));
        assert_eq!(steps(0), []);
    }
}
