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

use crate::cleaning::CleanOptions;
use crate::pages::PageText;
use crate::patterns::PatternFile;
use ends::Ends;
use pattern_selection::needed_patterns;
use rehearsal::Rehearsal;
use sampling::{Sampled, sample_of};

/// Tries the patterns of a source on texts of this source, as `dehusk mine` does. Returns the file with marks on the
/// patterns before which articles end. Patterns that are not needed are left out.
///
/// `own` is the source's file. `shared` is the file of shared patterns, if there is one. At most 500 of the texts are
/// used, evenly spread. Patterns that a person changed or decided on are kept.
pub fn select<T: AsRef<str> + Sync>(own: PatternFile, shared: Option<&PatternFile>, texts: &[T]) -> PatternFile {
    let texts: Vec<&str> = sample_of(texts).map(AsRef::as_ref).collect();
    let options = SelectOptions { has_ends: true, all_patterns: false, cleaning: CleanOptions::default() };
    tried_out(&own, shared, &texts, |_| None, &options)
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

/// The source's file with marks on the patterns before which articles end. Patterns that are not needed are left out,
/// unless the options keep all.
pub fn needed<T: AsRef<str> + Sync>(
    own: &PatternFile,
    shared: Option<&PatternFile>,
    texts: &[T],
    options: &SelectOptions,
) -> PatternFile {
    let sampled = Sampled::new(own, shared, texts);
    let ends = if options.has_ends { Ends::of(&sampled) } else { Ends::none(&sampled) };
    let mut file = if options.all_patterns { own.clone() } else { needed_patterns(&sampled, &ends) };
    ends.mark(&mut file);
    file
}

/// The result of [`needed`], with the share of the text that its patterns remove, and with selectors. `page` returns
/// the text with this index together with the tree of its page, or `None` if the text is not from a page.
pub fn tried_out<T: AsRef<str> + Sync>(
    own: &PatternFile,
    shared: Option<&PatternFile>,
    texts: &[T],
    page: impl Fn(usize) -> Option<PageText<'static>> + Sync,
    options: &SelectOptions,
) -> PatternFile {
    let mut file = needed(own, shared, texts, options);
    let page = |index: usize| page(index).unwrap_or_else(|| texts[index].as_ref().into());
    let rehearse = |file: &PatternFile| {
        let files: Vec<&PatternFile> = [file].into_iter().chain(shared).collect();
        Rehearsal::of(&files, texts.len(), page, &options.cleaning)
    };
    let mut rehearsal = rehearse(&file);
    if rehearsal.expected.loss() > MAX_LOSS {
        let percent = 100.0 * rehearsal.expected.loss();
        file.unusual = Some(format!("about {percent:.0} % of its content would be lost"));
        rehearsal = rehearse(&file);
    }
    file.mined.removed = rehearsal.removed;
    blocks::add(&mut file, shared, texts.len(), page, &options.cleaning);
    selectors::add(&mut file, &rehearsal.pages);
    file
}
