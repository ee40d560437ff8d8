//! The elements of a page in which no text is kept.
//!
//! Takes the tree of a page and cuts in its visible text. Returns the outermost elements that had text and lose all of
//! it, and the pictures that are boilerplate. Other elements that had no text are not returned: they are kept or
//! removed with the element around them.

use std::borrow::Cow;
use std::ops::Range;

use super::pictures::Pictures;
use super::tree::{NodeKind, Tree};
use crate::cut::Cut;

/// The outermost elements that lose all their text, and the pictures that are boilerplate, in order. `html` is the page
/// and `text` its visible text. A cell of a table is removed only with its row, so that the other cells stay in their
/// columns.
pub(super) fn emptied(html: &str, text: &str, tree: &Tree, cuts: &[Cut]) -> Vec<usize> {
    let (had_text, keeps_text) = holders(text, tree, cuts);
    let pictures = Pictures::of(html, tree, &had_text, &keeps_text);
    let spans = Spans::of(html);
    let may_go = |node: usize| match tree.name(node) {
        "td" | "th" => false,
        "tr" => tree.parent(node).is_none_or(|around| !spans.are_in(&tree.bytes(around))),
        _ => tree.kind(node) == NodeKind::Element,
    };
    let (mut emptied, mut node) = (Vec::new(), 1);
    while node < tree.len() {
        let is_template = if had_text[node] { !keeps_text[node] } else { pictures.are_template(node) };
        let goes = is_template && may_go(node);
        if goes {
            emptied.push(node);
        }
        node = if goes { tree.end(node) } else { node + 1 };
    }
    emptied
}

/// The cuts, except inside each `alt` text that they remove only in part: the text is in the tag of its picture, which
/// is kept or removed as a whole. Several cuts can remove an `alt` text together.
pub(super) fn beside_alt_texts<'c, 'r>(tree: &Tree, cuts: &'c [Cut<'r>]) -> Cow<'c, [Cut<'r>]> {
    let is_part = |text: &Range<usize>| {
        let len: usize = kept(text, cuts).map(|part| part.len()).sum();
        0 < len && len < text.len()
    };
    let alt_texts = tree.runs().filter(|&run| tree.is_alt_text(run)).map(|run| tree.text(run));
    let staying: Vec<Range<usize>> = alt_texts.filter(is_part).collect();
    if staying.is_empty() {
        return Cow::Borrowed(cuts);
    }

    let mut beside = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let first = staying.partition_point(|text| text.end <= cut.range.start);
        let holes = staying[first..].iter().take_while(|text| text.start < cut.range.end);
        let (mut at, mut replacement) = (cut.range.start, cut.replacement);
        for (end, next) in holes.map(|text| (text.start, text.end)).chain([(cut.range.end, cut.range.end)]) {
            if at < end {
                beside.push(Cut { range: at..end, replacement: std::mem::take(&mut replacement) });
            }
            at = next;
        }
    }
    Cow::Owned(beside)
}

/// The parts of a range of text that no cut removes.
pub(super) fn kept<'c>(range: &Range<usize>, cuts: &'c [Cut]) -> impl Iterator<Item = Range<usize>> + use<'c> {
    let (mut at, end) = (range.start, range.end);
    let first = cuts.partition_point(|cut| cut.range.end <= at);
    let mut cuts = cuts[first..].iter().take_while(move |cut| cut.range.start < end);
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let next = cuts.next();
        is_over = next.is_none();
        let part = at..next.map_or(end, |cut| cut.range.start.max(at));
        at = next.map_or(end, |cut| cut.range.end);
        Some(part)
    })
    .filter(|part| part.start < part.end)
}

/// The run that shows the replacement of a cut: the first run from which the cut removes something, else the run before
/// the cut.
pub(super) fn run_of_replacement(tree: &Tree, cut: &Cut) -> Option<usize> {
    let first = tree.first_run_after(cut.range.start).filter(|&run| tree.text(run).start < cut.range.end);
    first.or_else(|| tree.run_at(cut.range.start)).or_else(|| tree.runs().next())
}

/// For each node, whether it has text, and whether some of it is kept. White space is not text.
fn holders(text: &str, tree: &Tree, cuts: &[Cut]) -> (Vec<bool>, Vec<bool>) {
    let (mut had, mut keeps) = (vec![false; tree.len()], vec![false; tree.len()]);
    for run in tree.runs() {
        let range = tree.text(run);
        keeps[run] = kept(&range, cuts).any(|part| !text[part].trim().is_empty());
        had[run] = keeps[run] || !text[range].trim().is_empty();
    }
    for cut in cuts.iter().filter(|cut| !cut.replacement.trim().is_empty()) {
        run_of_replacement(tree, cut).into_iter().for_each(|run| keeps[run] = true);
    }
    for node in (1..tree.len()).rev() {
        let around = tree.parent(node).unwrap_or(0);
        had[around] |= had[node];
        keeps[around] |= keeps[node];
    }
    (had, keeps)
}

/// The places at which a page has cells that span several rows. If one of these rows were removed, the cells would
/// reach into the wrong rows.
struct Spans(Vec<usize>);

impl Spans {
    fn of(html: &str) -> Spans {
        const NAME: &[u8] = b"rowspan";
        let is_name = |(_, bytes): &(usize, &[u8])| bytes.eq_ignore_ascii_case(NAME);
        Spans(html.as_bytes().windows(NAME.len()).enumerate().filter(is_name).map(|(at, _)| at).collect())
    }

    fn are_in(&self, bytes: &Range<usize>) -> bool {
        let next = self.0.partition_point(|&at| at < bytes.start);
        self.0.get(next).is_some_and(|&at| at < bytes.end)
    }
}
