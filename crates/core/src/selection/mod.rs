//! Tries patterns on documents of their own source, and selects patterns according to the result.
//!
//! Takes a freshly mined pattern file and texts of the source ([`sampling`]). Marks the patterns that end articles
//! ([`ends`]). Drops the patterns that are not needed ([`pattern_selection`]). Also shows people what the selected
//! patterns remove ([`effects`], [`warnings`]).
//!
//! Mining and cleaning do not import this module.

pub mod blocks;
pub mod effects;
pub mod ends;
mod rehearsal;
pub mod sampling;
pub mod selectors;
pub mod shared;
pub mod pattern_selection;
pub mod warnings;

use std::sync::Arc;

use crate::cleaning::CleanOptions;
use crate::cleaning::cleaner::Compiler;
use crate::mining::Mined;
use crate::pages::PageText;
use crate::patterns::PatternFile;
use ends::Ends;
use pattern_selection::needed_patterns;
use rehearsal::Rehearsal;
use sampling::{Sampled, sample_of};
use selectors::Sight;
use shared::SharedMatches;

/// Tries the patterns of a source on texts of this source, as `dehusk mine` does. Returns the file with marks on the
/// patterns before which articles end. Patterns that are not needed are left out.
///
/// `own` is the source's file. `shared` is the file of shared patterns, if there is one. At most 500 of the texts are
/// used, evenly spread, and fewer if they have more than 8 MB. Patterns that a person changed or decided on are kept.
pub fn select<T: AsRef<str> + Sync>(own: PatternFile, shared: Option<&PatternFile>, texts: &[T]) -> PatternFile {
    let texts: Vec<&str> = sample_of(texts, |text| text.as_ref().len()).map(AsRef::as_ref).collect();
    let options = SelectOptions { has_ends: true, all_patterns: false, cleaning: CleanOptions::default() };
    let shared = shared.map(|shared| Arc::new(shared.clone()));
    Selector::new(shared, options).tried_out(&own, &texts, |_| None)
}

/// If, according to the model, a larger share of a source's content would be lost, the source is unlike all text that
/// the model has learned from. The model never loses so much of the kinds of sources that it knows: see the table of
/// kinds in crates/lab/results/quality.md.
const MAX_LOSS: f64 = 0.3;

/// How patterns are selected.
pub struct SelectOptions {
    /// Whether to find the patterns before which articles end.
    pub has_ends: bool,
    /// Whether all patterns are kept, also those that are not needed.
    pub all_patterns: bool,
    /// How documents will be cleaned.
    pub cleaning: CleanOptions,
}

/// Tries patterns of many sources, with the same shared patterns.
pub struct Selector {
    shared: Option<Arc<PatternFile>>,
    options: SelectOptions,
    /// With the default options.
    read: Compiler,
    /// With the options for cleaning.
    cleaned: Compiler,
}

impl Selector {
    /// A selector for sources that have these shared patterns.
    pub fn new(shared: Option<Arc<PatternFile>>, options: SelectOptions) -> Selector {
        let read = Compiler::new(shared.clone(), CleanOptions::default());
        let cleaned = Compiler::new(shared.clone(), options.cleaning.clone());
        Selector { shared, options, read, cleaned }
    }

    /// How often the decision removes the matches of each pattern in these texts.
    pub fn matches<T: AsRef<str> + Sync>(&self, own: &PatternFile, texts: &[T]) -> SharedMatches {
        SharedMatches::of(&self.sampled(own, texts))
    }

    /// The source's file with marks on the patterns before which articles end. Patterns that are not needed are left
    /// out, unless the options keep all.
    pub fn needed<T: AsRef<str> + Sync>(&self, own: &PatternFile, texts: &[T]) -> PatternFile {
        let sampled = self.sampled(own, texts);
        let ends = if self.options.has_ends { Ends::of(&sampled) } else { Ends::none(&sampled) };
        let mut file = if self.options.all_patterns { own.clone() } else { needed_patterns(&sampled, &ends) };
        ends.mark(&mut file);
        file
    }

    /// The result of [`Selector::needed`], with the share of the text that its patterns remove, with blocks and with
    /// selectors. `page` returns the text with this index together with the tree of its page, or `None` if the text is
    /// not from a page.
    pub fn tried_out<T: AsRef<str> + Sync>(
        &self,
        own: &PatternFile,
        texts: &[T],
        page: impl Fn(usize) -> Option<PageText<'static>> + Sync,
    ) -> PatternFile {
        let mut file = self.needed(own, texts);
        let page = |index: usize| page(index).unwrap_or_else(|| texts[index].as_ref().into());
        let rehearse = |file: &PatternFile| Rehearsal::of(self.cleaned.cleaner(&[file]), texts.len(), page);
        let mut rehearsal = rehearse(&file);
        if rehearsal.expected.loss() > MAX_LOSS {
            let percent = 100.0 * rehearsal.expected.loss();
            file.unusual = Some(format!("about {percent:.0} % of its content would be lost"));
            rehearsal = rehearse(&file);
        }
        file.mined.removed = rehearsal.removed;
        if file.mined.counted() < Mined::MIN_DOCUMENTS {
            // Nothing was mined, so shared patterns alone clean the source, and none of its own are proposed.
            return file;
        }
        blocks::add(&mut file, &rehearsal.cleaner, &rehearsal.documents);
        let pages: Vec<Sight> = rehearsal.documents.into_iter().filter_map(|document| document.sight).collect();
        selectors::add(&mut file, &pages);
        file
    }

    fn sampled<'t, T: AsRef<str> + Sync>(&'t self, own: &'t PatternFile, texts: &'t [T]) -> Sampled<'t> {
        Sampled::read(own, self.shared.as_deref(), self.read.cleaner(&[own]), texts)
    }
}
