//! Laws that hold for every page. Tests and fuzzing check them.
//!
//! Each function reads a page and panics if a law is broken. Panics are the result that proptest and libFuzzer expect.

use std::ops::Range;

use super::{
    AltText, Declared, NodeKind, PageAspect, Reading, SourceMap, Tree, page_metadata, page_pruned, page_without, plain,
    read_page, visible_text,
};
use crate::cut::Cut;

/// Checks the text, the map and the tree of a page, without the `alt` texts of pictures and with them.
#[track_caller]
pub fn check(html: &str) {
    assert_eq!(shown(html, AltText::LeftOut), visible_text(html), "{html:?}");
    check_with(html, AltText::LeftOut);
    check_with(html, AltText::Shown);
    page_metadata(html, None);
}

fn shown(html: &str, alt_text: AltText) -> String {
    read_as::<()>(html, alt_text).0
}

fn read_as<R: PageAspect>(html: &str, alt_text: AltText) -> (String, R) {
    read_page(html, Reading { without_scripts: false, alt_text })
}

#[track_caller]
fn check_with(html: &str, alt_text: AltText) {
    let text = shown(html, alt_text);
    assert!(!text.ends_with(['\n', '\t', ' ']), "{html:?} {text:?}");
    let (mapped, map) = read_as::<SourceMap>(html, alt_text);
    let (planted, tree) = read_as::<Tree>(html, alt_text);
    assert_eq!((&mapped, &planted), (&text, &text), "{html:?}");
    assert_eq!(read_as::<Declared>(html, alt_text).0, text, "{html:?}");
    let (text, both) = read_as::<(SourceMap, Tree)>(html, alt_text);
    assert_eq!((&text, (&map, &tree)), (&mapped, (&both.0, &both.1)), "{html:?}");
    check_map(html, &text, &map);
    check_runs(html, &text, &tree);
    check_nodes(html, &text, &tree);
    check_written(html, &text, &map, &tree, alt_text);
}

/// A page without every other word shows the same text, whether the emptied elements are kept or taken out. The plain
/// page without cuts shows all text.
#[track_caller]
fn check_written(html: &str, text: &str, map: &SourceMap, tree: &Tree, alt_text: AltText) {
    let mut at = 0;
    let cut = |(number, word): (usize, &str)| {
        at += word.len();
        (number % 2 == 1).then_some(Cut { range: at - word.len()..at, replacement: "" })
    };
    let cuts: Vec<Cut> = text.split_inclusive(char::is_whitespace).enumerate().filter_map(cut).collect();
    let without = page_without(html, map, &cuts);
    let pruned = page_pruned(html, text, map, tree, &cuts);
    assert_eq!(ink(&shown(&pruned, alt_text)), ink(&shown(&without, alt_text)), "{html:?} {pruned:?}");
    assert_eq!(page_pruned(html, text, map, tree, &[]), html);
    let plain = plain::plain(text, tree, &[], None);
    assert_eq!(ink(&shown(&plain, alt_text)), ink(text).replace('\0', ""), "{html:?} {plain:?}");
}

fn ink(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Each character of the text leads back to itself in the source, or to the source that stands for it, in order.
#[track_caller]
fn check_map(html: &str, text: &str, map: &SourceMap) {
    let ranges: Vec<_> = map.source_ranges(0..text.len()).collect();
    assert!(ranges.is_sorted_by(|a, b| a.end <= b.start), "{html:?} {text:?} {ranges:?}");
    assert!(ranges.iter().all(|range| range.end <= html.len()), "{html:?} {text:?} {ranges:?}");
    let mut seen = 0;
    for (at, char) in text.char_indices() {
        for range in map.source_ranges(at..at + char.len_utf8()) {
            assert!(range.start >= seen, "{html:?} {text:?} {at}");
            seen = range.start;
            let source = &html[range];
            let is_reference = source.starts_with('&') && source.len() > 1;
            let is_space = char.is_ascii_whitespace() && source.trim_ascii().is_empty();
            let is_replaced = char == '\u{fffd}' && source == "\0";
            // Each character of an `alt` text leads back to the tag of its picture.
            let is_picture = ["<img", "<image"].iter().any(|tag| starts_with_name(source, tag));
            let is_itself = source.strip_prefix(char) == Some("");
            assert!(
                is_itself || is_reference || is_space || is_replaced || is_picture,
                "{html:?} {text:?} {char:?} {source:?}"
            );
        }
    }
}

fn starts_with_name(source: &str, name: &str) -> bool {
    source.as_bytes().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

/// The runs are the text, in order, with only white space between them. No run is empty. A line starts with a run,
/// except where white space is kept. Blocks are in order.
#[track_caller]
fn check_runs(html: &str, text: &str, tree: &Tree) {
    let block = |run: usize| match tree.kind(run) {
        NodeKind::Text(block) => block,
        NodeKind::Element => panic!("{html:?}: {run} is no run"),
    };
    assert!(tree.runs().is_sorted_by(|&a, &b| a < b && block(a) <= block(b)), "{html:?} {text:?}");
    let texts: Vec<Range<usize>> = tree.runs().map(|run| tree.text(run)).collect();
    let mut joined = 0;
    for run in &texts {
        assert!(!run.is_empty() && text[joined..run.start].trim_ascii().is_empty(), "{html:?} {text:?} {run:?}");
        joined = run.end;
    }
    assert_eq!(text[joined..].trim_ascii(), "", "{html:?}");
    let html_in_lower_case = html.to_ascii_lowercase();
    let keeping = ["<pre", "<textarea", "<xmp", "<listing", "<plaintext"];
    let keeps_lines = keeping.iter().any(|tag| html_in_lower_case.contains(tag));
    let mut line_starts = text.match_indices('\n').map(|(at, _)| at + 1);
    let starts_run = |at: usize| texts.binary_search_by_key(&at, |run| run.start).is_ok();
    assert!(keeps_lines || line_starts.all(starts_run), "{html:?} {text:?} {texts:?}");
    for (number, run) in tree.runs().enumerate() {
        assert_eq!(tree.run_at(texts[number].start), Some(run), "{html:?} {text:?}");
    }
}

/// Nodes are in preorder. The texts and bytes of nodes nest, and those of siblings are in order. An element with
/// attributes starts with its tag.
#[track_caller]
fn check_nodes(html: &str, text: &str, tree: &Tree) {
    assert_eq!((tree.parent(0), tree.end(0), tree.bytes(0)), (None, tree.len(), 0..html.len()), "{html:?}");
    assert_eq!((0..tree.len()).filter(|&node| tree.kind(node) != NodeKind::Element).count(), tree.runs().len());
    let mut open = vec![0];
    for node in 1..tree.len() {
        while open.last().is_some_and(|&last| tree.end(last) <= node) {
            open.pop();
        }
        let parent = tree.parent(node).expect("only the page has none");
        assert_eq!(open.last(), Some(&parent), "{html:?} {node}");
        assert!(tree.end(node) > node && tree.end(node) <= tree.end(parent), "{html:?} {node}");
        for (inner, outer) in [(tree.text(node), tree.text(parent)), (tree.bytes(node), tree.bytes(parent))] {
            assert!(inner.start <= inner.end, "{html:?} {node} {inner:?}");
            assert!(outer.start <= inner.start && inner.end <= outer.end, "{html:?} {node} {inner:?} {outer:?}");
        }
        let is_run = tree.kind(node) != NodeKind::Element;
        assert_eq!(is_run, tree.name(node).is_empty(), "{html:?} {node}");
        assert!(!is_run || tree.end(node) == node + 1, "{html:?} {node}");
        assert!(tree.attributes(node).next().is_none() || starts_with_tag(html, tree, node), "{html:?} {node}");
        open.push(node);
    }
    for node in 0..tree.len() {
        let (mut before, mut read) = (tree.text(node).start, tree.bytes(node).start);
        for child in tree.children(node) {
            assert!(before <= tree.text(child).start && read <= tree.bytes(child).start, "{html:?} {text:?} {child}");
            (before, read) = (tree.text(child).end, tree.bytes(child).end);
        }
    }
}

/// Whether the bytes of an element start with its tag. A replacement character in the name may stand for any in the
/// source.
fn starts_with_tag(html: &str, tree: &Tree, node: usize) -> bool {
    let name = tree.name(node).split('\u{fffd}').next().unwrap_or_default().as_bytes();
    let source = html[tree.bytes(node)].as_bytes();
    source.first() == Some(&b'<') && source.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}
