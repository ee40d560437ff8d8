//! Cleans documents of a source with its new patterns, in the same way as they will be cleaned later.

use std::borrow::Cow;

use rayon::prelude::*;

use super::selectors::Sight;
use crate::cleaning::{CleanError, Cleaner, Expected, Reading, Scratch};
use crate::pages::PageText;
use crate::patterns::thousandths;

/// What cleaning removes from documents of a source.
pub struct Rehearsal<'t> {
    /// The compiled patterns.
    pub cleaner: Cleaner,
    /// The share of the text that is removed, 0..=1, rounded to 3 decimal places. `None` if there is no text.
    pub removed: Option<f64>,
    /// How much of the text is content according to the model, and how much of that is removed.
    pub expected: Expected,
    /// The documents that can be cleaned.
    pub documents: Vec<Rehearsed<'t>>,
}

/// A document, and the decision about it.
pub struct Rehearsed<'t> {
    /// Its text.
    pub text: Cow<'t, str>,
    /// The text as the patterns read it.
    pub reading: Reading,
    /// Whether each token is removed.
    pub goes: Vec<bool>,
    /// What cleaning does to it, if it is a page.
    pub sight: Option<Sight>,
    expected: Expected,
    left: usize,
}

impl<'t> Rehearsal<'t> {
    /// Cleans documents. `read` returns the document with an index. A document that cannot be cleaned counts as
    /// completely kept.
    pub fn of(cleaner: Cleaner, documents: usize, read: impl Fn(usize) -> PageText<'t> + Sync) -> Rehearsal<'t> {
        let clean = |scratch: &mut Scratch, index: usize| {
            let page = read(index);
            (page.text.len(), rehearsed(&cleaner, scratch, page).ok())
        };
        let all: Vec<(usize, Option<Rehearsed>)> =
            (0..documents).into_par_iter().map_init(Scratch::default, clean).collect();
        let bytes: usize = all.iter().map(|(bytes, _)| bytes).sum();
        let left: usize = all.iter().map(|(bytes, one)| one.as_ref().map_or(*bytes, |one| one.left)).sum();
        let removed = (bytes > 0).then(|| thousandths((bytes - left) as f64 / bytes as f64));
        let documents: Vec<Rehearsed> = all.into_iter().filter_map(|(_, one)| one).collect();
        let mut expected = Expected::default();
        documents.iter().for_each(|one| expected.add(&one.expected));
        Rehearsal { cleaner, removed, expected, documents }
    }
}

fn rehearsed<'t>(
    cleaner: &Cleaner,
    scratch: &mut Scratch,
    PageText { text, tree }: PageText<'t>,
) -> Result<Rehearsed<'t>, CleanError> {
    let reading = cleaner.read_page(scratch, &text, tree.as_deref(), &|| true)?;
    let decision = cleaner.decide(&text, &reading);
    let goes = decision.goes.clone();
    let cleaning = cleaner.explain_decided(&reading, &reading.matches, decision);
    let page = tree.as_deref().zip(reading.page.as_ref());
    let sight = page.map(|(tree, page)| Sight::of(&text, tree, page, &cleaning));
    let left = cleaning.strip(&text).len();
    Ok(Rehearsed { text, reading, goes, sight, expected: cleaning.expected, left })
}
