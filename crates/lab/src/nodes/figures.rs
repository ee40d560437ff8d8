//! Figures of page-level template detection, by page and of all pages.

use serde::Serialize;

/// A way to find template in a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Not by the page alone: subtrees on more than a tenth of the pages of the source are boilerplate.
    SiteLevel,
    /// Each node has its own score.
    Basic,
    /// As `Basic`, but neighbouring runs are a section while their scores differ by at most this.
    Merged(f32),
    /// Smoothed, with penalties multiplied by this factor.
    Smooth(f64),
    /// Smoothed, with one of [`PENALTIES`], multiplied by this factor.
    Other(usize, f64),
}

/// What the penalty of a section that starts at a node is in proportion to. The paper has tried all of these, and
/// combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// The area of the page over that of the node. This is the one that the paper takes, and [`Way::Smooth`].
    Area,
    /// The number of nodes of the page over that of the node.
    Nodes,
    /// The area of the parent over that of the node.
    Parent,
}

/// The penalties that are compared with the area. Of several, the mean counts.
pub const PENALTIES: [(&str, &[Penalty]); 6] = [
    ("nodes", &[Penalty::Nodes]),
    ("parent", &[Penalty::Parent]),
    ("area and nodes", &[Penalty::Area, Penalty::Nodes]),
    ("area and parent", &[Penalty::Area, Penalty::Parent]),
    ("nodes and parent", &[Penalty::Nodes, Penalty::Parent]),
    ("all three", &[Penalty::Area, Penalty::Nodes, Penalty::Parent]),
];

/// Numbers of things in a page that are called boilerplate, that are boilerplate, and that are both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Called boilerplate.
    pub called: usize,
    /// Boilerplate according to the gold text.
    pub template: usize,
    /// Both.
    pub right: usize,
}

impl Counts {
    pub(super) fn add(&mut self, is_called: bool, is_template: bool, number: usize) {
        self.called += if is_called { number } else { 0 };
        self.template += if is_template { number } else { 0 };
        self.right += if is_called && is_template { number } else { 0 };
    }

    /// The share of the things called boilerplate that are boilerplate.
    pub fn precision(&self) -> f64 {
        share(self.right, self.called)
    }

    /// The share of boilerplate that is called boilerplate.
    pub fn recall(&self) -> f64 {
        share(self.right, self.template)
    }

    /// The harmonic mean of precision and recall. `None` if nothing is boilerplate and nothing is called so.
    pub fn f(&self) -> Option<f64> {
        let both = self.called + self.template;
        (both > 0).then(|| 2.0 * self.right as f64 / both as f64)
    }

    fn sum(all: impl Iterator<Item = Counts>) -> Counts {
        all.fold(Counts::default(), |a, b| Counts {
            called: a.called + b.called,
            template: a.template + b.template,
            right: a.right + b.right,
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The result of a way in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Words.
    pub words: Counts,
    /// Words in links.
    pub anchor_words: Counts,
    /// Links with words.
    pub links: Counts,
    /// The agreement of its sections with the true ones (adjusted Rand index).
    pub sections: f64,
}

/// The figures of a page.
#[derive(Clone, Debug)]
pub struct PageFigures {
    /// The source of the page.
    pub source: String,
    /// Its name.
    pub name: String,
    /// The result of each way.
    pub ways: Vec<(Way, Found)>,
}

/// The result of a way in all pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Detected {
    /// Words of all pages, words in links, and links.
    pub sums: [Counts; 3],
    /// The means of F over pages, for the same 3 things.
    pub means: [f64; 3],
    /// The mean of the agreement of sections.
    pub sections: f64,
}

impl Detected {
    /// The figures of a way.
    pub fn of(pages: &[PageFigures], way: Way) -> Detected {
        let found: Vec<Found> = pages
            .iter()
            .filter_map(|page| page.ways.iter().find(|(of, _)| *of == way))
            .map(|&(_, found)| found)
            .collect();
        let kinds: [fn(&Found) -> Counts; 3] = [|found| found.words, |found| found.anchor_words, |found| found.links];
        Detected {
            sums: kinds.map(|kind| Counts::sum(found.iter().map(kind))),
            means: kinds.map(|kind| mean(found.iter().filter_map(|found| kind(found).f()))),
            sections: mean(found.iter().map(|found| found.sections)),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
