//! A whole document with what would go marked, and below it the patterns that say so.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dehusk::cleaning::{Cleaner, Cleaning, Span};

use super::marks::{BY_SHAPE, Marks, ids};
use crate::cli::terminal::{Screen, Style};

/// All there is to tell of a document.
pub fn told(text: &str, cleaning: &Cleaning, cleaner: &Cleaner, screen: Screen) -> String {
    marked(text, cleaning, cleaner, Marks { screen }) + &legend(text, cleaning, cleaner, screen)
}

/// The text, each removed span marked and followed by the ids of the patterns that explain it. A mark never
/// runs over a line's end.
fn marked(text: &str, cleaning: &Cleaning, cleaner: &Cleaner, marks: Marks) -> String {
    let mut marked = String::new();
    let mut at = 0;
    for span in &cleaning.spans {
        marked += &marks.screen.harmless(&text[at..span.range.start]);
        marked += &marked_span(text, span, cleaner, marks);
        at = span.range.end;
    }
    marked += &marks.screen.harmless(&text[at..]);
    if !marked.ends_with('\n') {
        marked.push('\n');
    }
    marked
}

fn marked_span(text: &str, span: &Span, cleaner: &Cleaner, marks: Marks) -> String {
    let mut start = span.range.start;
    let mark = |line: &str| {
        let range = start..start + line.len();
        start = range.end;
        marks.removed(line, &ids(span, &range, cleaner))
    };
    text[span.range.clone()].split_inclusive('\n').map(mark).collect()
}

/// The patterns that acted, by how much of the removed text they explain.
fn legend(text: &str, cleaning: &Cleaning, cleaner: &Cleaner, screen: Screen) -> String {
    let ranked = ranked(cleaning);
    let removed = text.len() - cleaning.strip(text).len();
    let mut legend = format!("---\n{removed} of {} bytes would be removed", text.len());
    let spans = cleaning.spans.iter().map(|span| span.range.len()).sum::<usize>();
    let by_shape = spans - ranked.iter().map(|&(_, bytes)| bytes).sum::<usize>();
    legend += if spans == 0 { "\n" } else { ", by these patterns:\n" };
    let id = |index: usize| screen.on_one_line(&cleaner.patterns()[index].id);
    let names = ranked.iter().map(|&(index, _)| id(index).chars().count());
    let width = names.chain((by_shape > 0).then_some(BY_SHAPE.len())).max().unwrap_or(0);
    let figures = ranked.iter().map(|&(_, bytes)| bytes).chain([by_shape]).max().unwrap_or(0).to_string().len();
    let name = |name: &str| screen.paint(Style::Id, &format!("{name:width$}"));
    for (index, bytes) in ranked {
        let pattern = &cleaner.patterns()[index];
        let share = 100.0 * pattern.share();
        let status = screen.paint(Style::of_status(pattern.status), pattern.status.name());
        let (id, regex) = (name(&id(index)), screen.on_one_line(&pattern.regex));
        legend += &format!("{id}  {bytes:>figures$} bytes  in {share:>5.1} % of documents  {status}  {regex}\n");
    }
    if by_shape > 0 {
        legend += &format!("{}  {by_shape:>figures$} bytes  amid or like what these match\n", name(BY_SHAPE));
    }
    legend
}

/// The patterns, each with how many bytes it explains, most first.
fn ranked(cleaning: &Cleaning) -> Vec<(usize, usize)> {
    let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
    for (range, pattern) in cleaning.spans.iter().flat_map(|span| &span.because) {
        *bytes.entry(*pattern).or_default() += range.len();
    }
    let mut ranked: Vec<(usize, usize)> = bytes.into_iter().collect();
    ranked.sort_by_key(|&(pattern, bytes)| (Reverse(bytes), pattern));
    ranked
}
