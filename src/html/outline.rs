//! The elements around the text of a page.
//!
//! Receives elements and text while a page is read. Gives the outline of the page: for each run of text between 2
//! pieces of markup its start, the path of elements to it, and its block. A path is only computed when there is text in
//! it. Elements with the same path share one step, also if they follow each other.

use std::iter;
use std::ops::Range;

use twox_hash::XxHash3_64;

use super::map::{Origin, Trace};
use super::stack::Name;
use super::tree::Opening;

/// Maximum number of names in a written path. Paths of pages have about 20; a page may be 65,536 elements deep.
const MAX_NAMES: usize = 100;

/// The visible text of a page, divided into runs between 2 pieces of markup.
///
/// Any tag, comment or processing instruction separates runs, whether it is visible or not. Two runs are of different
/// blocks if a line or a table cell ends between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    runs: Vec<Run>,
    steps: Vec<Step>,
}

/// A stretch of text without markup in it. It ends where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRun {
    /// The position in the text where it starts, in bytes.
    pub start: usize,
    /// A hash of the names of the elements around it, from the outermost to the innermost; 0 if there are none. It is
    /// the same in every version and on every system.
    pub path: u64,
    /// The number of its block. Numbers grow from the start of the text to its end.
    pub block: u32,
}

/// A run as it is stored. Most pages have a few hundred.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    start: u32,
    block: u32,
    /// The innermost element: its index in the steps plus 1, or 0 for none.
    step: u32,
}

/// The last step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    hash: u64,
    /// The step before it: its index plus 1, or 0 for none.
    outer: u32,
    name: Name,
}

impl Outline {
    /// The runs, in the order of the text.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = OutlineRun> {
        self.runs.iter().map(|run| OutlineRun {
            start: run.start as usize,
            path: self.step(run.step).map_or(0, |step| step.hash),
            block: run.block,
        })
    }

    /// The names of the elements around a position in the text, such as `div/ul/li/a`, from the outermost to the
    /// innermost. `<html>` and `<body>` are left out, because they are around everything. An unknown name is `*`. Of
    /// more than 100 names, only the last 100 are returned, after `…`.
    pub fn path_at(&self, text: usize) -> String {
        let after = self.runs.partition_point(|run| run.start as usize <= text);
        let run = after.checked_sub(1).and_then(|run| self.runs.get(run));
        let innermost = run.and_then(|run| self.step(run.step));
        let mut steps = iter::successors(innermost, |step| self.step(step.outer)).map(|step| step.name.tag.name());
        let mut names: Vec<&str> = steps.by_ref().take(MAX_NAMES).collect();
        names.extend(steps.next().map(|_| "…"));
        names.reverse();
        names.join("/")
    }

    fn step(&self, number: u32) -> Option<&Step> {
        self.steps.get((number as usize).checked_sub(1)?)
    }

    /// Adds a step after another one. Returns its number.
    fn add_step(&mut self, outer: u32, name: Name) -> u32 {
        let before = self.step(outer).map_or(0, |step| step.hash);
        self.steps.push(Step { hash: hash(before, name), outer, name });
        self.steps.len() as u32
    }
}

/// The outline while it is built.
#[derive(Debug, Default)]
pub struct Outliner {
    outline: Outline,
    /// The open elements, then the elements that were open last at greater depths. If the next element at such a depth
    /// has the same name, it gets the same step.
    elements: Vec<Open>,
    /// Number of open elements.
    height: usize,
    block: u32,
    /// Whether there was markup after the last text.
    is_parted: bool,
    /// Whether a line or cell ended after the last text.
    is_block_over: bool,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    name: Name,
    /// The number of its step, or 0 if there was no text in it yet.
    step: u32,
}

impl Outliner {
    /// The outline of the page.
    pub(super) fn finish(self) -> Outline {
        self.outline
    }

    /// The step of the innermost element. Adds the steps of the elements around it if they are missing.
    fn step(&mut self) -> u32 {
        let open = &mut self.elements[..self.height];
        let known = open.iter().rposition(|element| element.step > 0);
        let mut step = known.map_or(0, |at| open[at].step);
        for element in &mut open[known.map_or(0, |at| at + 1)..] {
            step = self.outline.add_step(step, element.name);
            element.step = step;
        }
        step
    }
}

impl Trace for Outliner {
    const WANTED: bool = false;

    fn add(&mut self, text: Range<usize>, _: Origin) {
        if self.is_parted || self.outline.runs.is_empty() {
            self.block += u32::from(self.is_block_over);
            (self.is_parted, self.is_block_over) = (false, false);
            let step = self.step();
            self.outline.runs.push(Run { start: text.start as u32, block: self.block, step });
        }
    }

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, text: usize) {
        while self.outline.runs.pop_if(|run| run.start as usize >= text).is_some() {
            self.is_parted = true;
        }
    }

    fn markup(&mut self, _: Range<usize>) {
        self.is_parted = true;
    }

    fn part_blocks(&mut self) {
        self.is_parted = true;
        self.is_block_over = true;
    }

    fn open(&mut self, Opening { name, .. }: Opening) {
        self.is_parted = true;
        if self.elements.get(self.height).is_none_or(|last| last.name != name) {
            self.elements.truncate(self.height);
            self.elements.push(Open { name, step: 0 });
        }
        self.height += 1;
    }

    fn close(&mut self, _: usize) {
        self.is_parted = true;
        self.height = self.height.saturating_sub(1);
    }
}

/// The hash of a path: XXH3 of the hash of the path without its last step, and of the number of the step's name, both
/// little-endian.
fn hash(before: u64, name: Name) -> u64 {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&before.to_le_bytes());
    bytes[8..].copy_from_slice(&name.number().to_le_bytes());
    XxHash3_64::oneshot(&bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{SourceMap, read};
    use super::*;

    /// The runs of a page, each with its path. A bar separates runs of different blocks.
    fn outlined(html: &str) -> String {
        let (text, outline) = read::<Outline>(html);
        let runs: Vec<OutlineRun> = outline.runs().collect();
        let mut shown = String::new();
        for (number, run) in runs.iter().enumerate() {
            let end = runs.get(number + 1).map_or(text.len(), |next| next.start);
            let before = number.checked_sub(1).map(|before| runs[before]);
            let gap = match before {
                Some(before) if before.block != run.block => " | ",
                Some(_) => " ",
                None => "",
            };
            shown += &format!("{gap}{}:{}", outline.path_at(run.start), text[run.start..end].trim());
        }
        shown
    }

    #[track_caller]
    fn has(html: &str, expected: &str) {
        assert_eq!(outlined(html), expected, "{html}");
    }

    #[test]
    fn any_markup_parts_runs_and_blocks_part_blocks() {
        has("<div>a<ul><li><a>b</a> c<li>d</ul></div>", "div:a | div/ul/li/a:b div/ul/li:c | div/ul/li:d");
        has("a<!-- -->b<?x?>c</b>d<img>e<wbr>f&amp;g", ":a :b :c :d :e :f&g");
        has("<p>a<br>b<hr>c", "p:a | p:b | :c");
        has("a<script>x</script>b<div hidden>y</div>c", ":a :b :c");
        has("<body><p>a</body>b", "p:a p:b");
        has("", "");
    }

    #[test]
    fn cells_are_blocks() {
        let row = "table/tbody/tr/td:";
        has("<table><tr><td>a<td>b<i>c</table>d", &format!("{row}a | {row}b table/tbody/tr/td/i:c | :d"));
        has("<table><tbody><tr><td>a</td></tr></tbody></table>", &format!("{row}a"));
        has("<table><td>a<td>b<br>c", &format!("{row}a | {row}b | {row}c"));
    }

    #[test]
    fn broken_markup_has_a_path_too() {
        has("<div><p>a<p>b</div>c", "div/p:a | div/p:b | :c");
        has("<b>a<p>b</b>c</p>d", "b:a | b/p:b b/p:c | b:d");
        has("<p><b>a</p><p>c", "p/b:a | p:c");
        has("<ul><li>a</ul></div></li>b", "ul/li:a | :b");
        has("<a>b<a>c", "a:b a:c");
        has("<table>a<tr>b<td>c</table>", "table:a | table/tbody/tr:b | table/tbody/tr/td:c");
    }

    #[test]
    fn unknown_names_count_but_are_not_shown() {
        has("<x-share>a</x-share><x-like>b</x-like><math><mi>c</mi><mrow>d", "*:a *:b math/mi:c math/*:d");
        let (_, outline) = read::<Outline>("<x-share>a</x-share><x-like>b</x-like><x-share>c");
        let paths: Vec<u64> = outline.runs().map(|run| run.path).collect();
        assert!(paths[0] != paths[1] && paths[0] == paths[2]);
    }

    #[test]
    fn labels_stand_in_their_buttons() {
        has("<form>a<input type=submit value='b &amp; c'>d", "form:a form/input:b & c form:d");
    }

    #[test]
    fn kept_lines_are_one_run() {
        let (text, outline) = read::<Outline>("<p>a<pre>\n  b\n\nc<b>d</b></pre>e");
        assert_eq!(text, "a\n  b\n\ncd\ne");
        let starts: Vec<_> = outline.runs().map(|run| (run.start, run.block)).collect();
        assert_eq!(starts, [(0, 1), (2, 2), (8, 2), (10, 3)]);
    }

    #[test]
    fn text_that_is_taken_back_leaves_no_run() {
        has("<p>a</p><p>&nbsp;</p>b<p>&nbsp;</p>", "p:a | :b");
        has("<pre>a </pre><textarea> </textarea><b>c", "pre:a | b:c");
    }

    #[test]
    fn equal_paths_have_equal_hashes_and_share_steps() {
        let (_, outline) = read::<Outline>("<ul><li><a>a</a> b<li><a>c</a></ul><ul><li>d</ul><ol><li>e</ol>");
        let paths: Vec<u64> = outline.runs().map(|run| run.path).collect();
        assert_eq!(paths[0], paths[2]);
        assert_eq!(paths[1], paths[3]);
        assert_ne!(paths[3], paths[4]);
        assert_eq!(outline.steps.len(), 5);
    }

    #[test]
    fn paths_have_the_same_hash_forever() {
        let path = |html: &str| read::<Outline>(html).1.runs().next().map(|run| run.path);
        let paths = ["a", "<div>a", "<div><ul><li>a", "<x-share>a"].map(path);
        let (div, li, share) = (0x1192_2bc7_82c4_a20b, 0x6987_19e0_5366_8e9b, 0xf57e_4549_0d0d_b799);
        assert_eq!(paths, [0, div, li, share].map(Some));
    }

    #[test]
    fn places_have_paths() {
        let (text, outline) = read::<Outline>("<p>one <b>two</b> three");
        assert_eq!(text, "one two three");
        assert_eq!([0, 3, 4, 7, 12].map(|at| outline.path_at(at)), ["p", "p", "p/b", "p/b", "p"]);
        assert_eq!(Outline::default().path_at(0), "");
    }

    #[test]
    fn of_a_deep_path_the_last_names_are_told() {
        let path = |depth| read::<Outline>(&("<div>".repeat(depth) + "<p>a")).1.path_at(0);
        let named = |count| vec!["div"; count].join("/") + "/p";
        assert_eq!(path(MAX_NAMES - 1), named(MAX_NAMES - 1));
        assert_eq!(path(MAX_NAMES), format!("…/{}", named(MAX_NAMES - 1)));
        assert_eq!(path(60_000), path(MAX_NAMES));
    }

    #[test]
    fn outlines_of_deep_pages_stay_small() {
        let deep = "<div>".repeat(100_000) + &"x<p>y</p></div>".repeat(100_000);
        let (_, (_, outline)) = read::<(SourceMap, Outline)>(&deep);
        assert!(outline.steps.len() <= 300_000, "{}", outline.steps.len());
    }
}
