//! Tries patterns on documents of their own source, and selects patterns by the result.
//!
//! Takes a freshly mined pattern file and texts of the source ([`sampling`]). Adds to the file how far the source can
//! be relied on ([`trust`]), the places and values of patterns ([`places`], [`values`]), and the ends of articles
//! ([`ends`]). Drops the patterns that are not needed ([`pattern_selection`]). Also shows people what the selected patterns
//! remove ([`effects`], [`warnings`]).
//!
//! Mining and cleaning do not import this module.

pub mod effects;
pub mod ends;
pub mod places;
pub mod proposals;
mod rehearsal;
pub mod sampling;
pub mod selectors;
pub mod pattern_selection;
pub mod trust;
pub mod values;
pub mod warnings;

use crate::cleaning::shape::ShapeModel;
use crate::cleaning::{CleanOptions, PageText};
use crate::mining::Mined;
use crate::patterns::{PatternFile, Trust};
use ends::Ends;
use pattern_selection::needed_patterns;
use places::Places;
use proposals::Proposals;
use rehearsal::Rehearsal;
use sampling::{Sampled, sample_of};
use trust::Tally;
use values::Values;

/// Tries the patterns of a source on texts of this source, as `dehusk mine` does. Returns the file with the trust in
/// the source, the places and values of patterns, and marks on the patterns before which articles end. Patterns that
/// are not needed are left out.
///
/// `own` is the source's file. `shared` is the file of shared patterns, if there is one. At most 500 of the texts are
/// used, evenly spread. Patterns that a person changed or decided on stay.
pub fn select<T: AsRef<str> + Sync>(own: PatternFile, shared: Option<&PatternFile>, texts: &[T]) -> PatternFile {
    let texts: Vec<&str> = sample_of(texts).map(AsRef::as_ref).collect();
    let mut own = own;
    Reliance::of(&own, shared, &texts).mark(&mut own);
    let options = SelectOptions { has_ends: true, all_patterns: false, cleaning: CleanOptions::default() };
    tried_out(&own, shared, &texts, |_| None, &options)
}

/// How far the patterns of a source can be relied on, by its documents.
pub(crate) struct Reliance {
    places: Places,
    values: Values,
    tally: Tally,
    proposals: Proposals,
}

impl Reliance {
    /// What the texts show.
    pub(crate) fn of<T: AsRef<str> + Sync>(own: &PatternFile, shared: Option<&PatternFile>, texts: &[T]) -> Reliance {
        let sampled = Sampled::new(own, shared, texts);
        let values = Values::of(&sampled);
        let tally = Tally::of(&sampled, &values, &ShapeModel::shipped());
        let proposals = Proposals::of(&sampled, tally.trust().share >= Trust::LEAST);
        Reliance { places: Places::of(&sampled), values, tally, proposals }
    }

    /// Notes it in the source's file. A source that is too small to be mined gets no trust.
    pub(crate) fn mark(&self, own: &mut PatternFile) {
        self.places.mark(own);
        self.values.mark(own);
        self.proposals.mark(own);
        own.trust = (own.mined.counted() >= Mined::MIN_DOCUMENTS).then(|| self.tally.trust());
    }

    /// What can be proposed to people.
    pub(crate) fn proposals(&self) -> &Proposals {
        &self.proposals
    }

    /// The places of the shared patterns in this source.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }
}

/// How patterns are selected.
pub(crate) struct SelectOptions {
    /// Whether articles can end before patterns.
    pub(crate) has_ends: bool,
    /// Whether all patterns stay, also those that nobody needs.
    pub(crate) all_patterns: bool,
    /// How documents will be cleaned.
    pub(crate) cleaning: CleanOptions,
}

/// The source's file with marks on the patterns before which articles end, with the share of the text that its patterns
/// remove, and with selectors. Patterns that are not needed are left out, unless the options keep all. `page` returns the
/// text of an index together with the tree of its page, if it is of a page.
pub(crate) fn tried_out<T: AsRef<str> + Sync>(
    own: &PatternFile,
    shared: Option<&PatternFile>,
    texts: &[T],
    page: impl Fn(usize) -> Option<PageText<'static>> + Sync,
    options: &SelectOptions,
) -> PatternFile {
    let sampled = Sampled::new(own, shared, texts);
    let ends = if options.has_ends { Ends::of(&sampled) } else { Ends::none(&sampled) };
    let mut file = if options.all_patterns { own.clone() } else { needed_patterns(&sampled, &ends) };
    // The file is tried again below, in memory that this one took.
    drop(sampled);
    ends.mark(&mut file);
    let files: Vec<&PatternFile> = [&file].into_iter().chain(shared).collect();
    let page = |index: usize| page(index).unwrap_or_else(|| texts[index].as_ref().into());
    let Rehearsal { removed, pages } = Rehearsal::of(&files, texts.len(), page, &options.cleaning);
    file.mined.removed = removed;
    selectors::add(&mut file, &pages);
    file
}
