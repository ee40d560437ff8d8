//! The pictures of a page that are boilerplate.
//!
//! A picture has no text, so no pattern matches it. The text around it decides: a picture is removed together with this
//! text. Takes the tree of a page, and which of its nodes had text and keep some. Decides for each element without text
//! whether it is such a picture, or a box with only such pictures in it.

use std::cell::LazyCell;
use std::ops::Range;

use super::tree::Tree;

/// The facts by which the pictures of a page are judged.
pub(super) struct Pictures {
    /// For each node, whether it is a picture or contains one.
    has_picture: Vec<bool>,
    /// For each node, whether it is or contains something other than pictures and text: a frame, a video, a field, a
    /// line, a style, anything hidden.
    has_other: Vec<bool>,
    /// For each node, whether the smallest element around it that had text keeps some of it.
    is_with_kept: Vec<bool>,
    /// The last removed run before the first kept one. 0 if there is none.
    head_end: usize,
    /// The first removed run after the last kept one. The number of nodes if there is none.
    foot_start: usize,
}

impl Pictures {
    /// The pictures of a page. `html` is the page; it may be empty if the result is not this page with parts removed.
    /// For each node, `had_text` says whether it had text, and `keeps_text` whether some of it is kept.
    pub(super) fn of(html: &str, tree: &Tree, had_text: &[bool], keeps_text: &[bool]) -> Pictures {
        let (mut has_picture, mut has_other) = (vec![false; tree.len()], vec![false; tree.len()]);
        // Most pages need none of these lists.
        let shared = LazyCell::new(|| places(html, &SHARED));
        let unseen = LazyCell::new(|| places(html, &UNSEEN));

        for node in (1..tree.len()).rev() {
            let is_picture = match tree.name(node) {
                "img" | "image" => true,
                "svg" => !is_any_in(&shared, tree.bytes(node)),
                _ => false,
            };
            has_picture[node] |= is_picture;
            let is_other = tree.is_drawn(node) && tree.name(node) != "button"
                || has_picture[node] && is_any_in(&unseen, tree.bytes(node));
            has_other[node] |= !is_picture && is_other;
            let around = tree.parent(node).unwrap_or(0);
            has_picture[around] |= has_picture[node];
            has_other[around] |= has_other[node];
        }

        // On a page without text, all pictures are kept.
        let mut is_with_kept = vec![true; tree.len()];
        for node in 1..tree.len() {
            let around = tree.parent(node).unwrap_or(0);
            is_with_kept[node] = if had_text[around] { keeps_text[around] } else { is_with_kept[around] };
        }

        let runs: Vec<usize> = tree.runs().filter(|&run| had_text[run]).collect();
        let keeps = |&run: &usize| keeps_text[run];
        let head = runs.iter().position(keeps).unwrap_or(0);
        let foot = runs.iter().rposition(keeps).map_or(runs.len(), |last| last + 1);
        let head_end = runs[..head].last().copied().unwrap_or(0);
        let foot_start = runs.get(foot).copied().unwrap_or(tree.len());
        Pictures { has_picture, has_other, is_with_kept, head_end, foot_start }
    }

    /// Whether an element that had no text is a picture that is boilerplate, or an element with nothing but such
    /// pictures.
    ///
    /// A picture is boilerplate if the smallest element around it that had text keeps none. In the head of the page, it
    /// also is boilerplate if removed text follows and no text before that is kept; in the foot, the same holds the
    /// other way round. A picture between two kept texts may belong to the article, even if its caption is removed.
    pub(super) fn are_template(&self, node: usize) -> bool {
        let is_picture = self.has_picture[node] && !self.has_other[node];
        is_picture && (!self.is_with_kept[node] || node < self.head_end || node > self.foot_start)
    }
}

/// Parts of an SVG that other places of the page may show. An SVG with them does not count as a picture.
const SHARED: [&[u8]; 3] = [b"<symbol", b"<defs", b" id="];

/// Marks of elements that are not drawn or not in the tree, and of attributes that hide something. Other parts of the
/// page may need these, so they are kept. Text that looks like a mark counts as one.
const UNSEEN: [&[u8]; 12] = [
    b"<style",
    b"<script",
    b"<link",
    b"<meta",
    b"<template",
    b"<input",
    b"<iframe",
    b"<meter",
    b"<progress",
    b"hidden",
    b"display:none",
    b"display: none",
];

/// The ascending positions of these marks in a page. ASCII letters may be of either case.
fn places(html: &str, marks: &[&[u8]]) -> Vec<usize> {
    let bytes = html.as_bytes();
    // A look at the first byte is faster than comparing each mark.
    let may_start: [bool; 256] =
        std::array::from_fn(|byte| marks.iter().any(|mark| mark[0].eq_ignore_ascii_case(&(byte as u8))));
    let is_place = |&at: &usize| {
        let is = |mark: &&[u8]| bytes[at..].get(..mark.len()).is_some_and(|here| here.eq_ignore_ascii_case(mark));
        may_start[usize::from(bytes[at])] && marks.iter().any(is)
    };
    (0..bytes.len()).filter(is_place).collect()
}

/// Whether any of the places is in the range.
fn is_any_in(places: &[usize], range: Range<usize>) -> bool {
    places.get(places.partition_point(|&at| at < range.start)).is_some_and(|&at| at < range.end)
}
