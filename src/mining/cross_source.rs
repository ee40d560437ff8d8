//! Language, boilerplate that many sources share, or one source's template.
//!
//! Takes what was mined from each source, no document needed; gives the templates of each and those they
//! share. A run that recurs in several sources is either the language ("as much as") or boilerplate
//! that many sites carry ("All rights reserved"). What tells them apart is where they stand: language stands
//! amid changing text, boilerplate by itself. (Foschini's second-level filter, section 3.3, drops both.)

use rustc_hash::FxHashMap;

use super::cutoff::Cutoff;
use super::{Candidate, Fingerprint, Mined};
use crate::patterns::Template;

/// From so many sources on a run is no longer one source's own.
pub const MIN_SOURCES: usize = 3;
/// Language stands by itself less often than this, now and then, where a line breaks.
const MIN_STANDING: f64 = 0.3;

/// The templates of all sources of a run.
#[derive(Debug, Default)]
pub struct Templates {
    /// Each source's own, in the order the sources came.
    pub own: Vec<Vec<Template>>,
    /// Those that many sources share, sorted by run.
    pub shared: Vec<Template>,
    /// How many candidates of each source turned out to be language.
    pub language: Vec<usize>,
}

/// The cutoff for shared templates: the median of the sources'.
pub fn shared_cutoff(mined: &[Mined]) -> f64 {
    let mut cutoffs: Vec<f64> = mined.iter().map(|source| source.cutoff.share).collect();
    cutoffs.sort_unstable_by(f64::total_cmp);
    cutoffs.get(cutoffs.len() / 2).copied().unwrap_or(Cutoff::DEFAULT.share)
}

/// What the sources say of one run together.
#[derive(Clone, Copy, Default)]
struct Seen {
    sources: usize,
    documents: usize,
    among: usize,
    occurrences: usize,
    standing: f64,
}

enum Kind {
    Own,
    Shared(Seen),
    Language,
}

/// Sorts the candidates of all sources of a run. The order of the sources does not matter to the outcome.
pub fn cross_source(mined: &[Mined]) -> Templates {
    let seen = seen_in_all(mined);
    let mut templates = Templates::default();
    let mut shared: FxHashMap<Fingerprint, Template> = FxHashMap::default();
    for source in mined {
        let (mut own, mut language) = (Vec::new(), 0);
        for candidate in &source.candidates {
            match kind(candidate, &seen) {
                Kind::Own => own.push(own_template(candidate, source)),
                Kind::Language => language += 1,
                Kind::Shared(seen) => {
                    let template = shared_template(candidate, &seen);
                    let known = shared.entry(candidate.fingerprint).or_insert_with(|| template.clone());
                    // Which source's example stands must not depend on the order of the sources.
                    if template.example < known.example {
                        *known = template;
                    }
                }
            }
        }
        templates.own.push(own);
        templates.language.push(language);
    }
    templates.shared = shared.into_values().collect();
    templates.shared.sort_unstable_by(|a, b| a.run.cmp(&b.run));
    templates
}

fn kind(candidate: &Candidate, seen: &FxHashMap<Fingerprint, Seen>) -> Kind {
    match seen.get(&candidate.fingerprint) {
        Some(seen) if seen.sources >= MIN_SOURCES => {
            let standing = seen.standing / seen.sources as f64;
            if standing >= MIN_STANDING { Kind::Shared(*seen) } else { Kind::Language }
        }
        _ => Kind::Own,
    }
}

/// Counts the runs that are some source's candidate in all sources, whether they are candidates there or only repeats.
fn seen_in_all(mined: &[Mined]) -> FxHashMap<Fingerprint, Seen> {
    let candidates = mined.iter().flat_map(|source| &source.candidates);
    let mut seen: FxHashMap<Fingerprint, Seen> =
        candidates.map(|candidate| (candidate.fingerprint, Seen::default())).collect();
    for source in mined {
        for sighting in &source.sightings {
            if let Some(seen) = seen.get_mut(&sighting.fingerprint) {
                seen.sources += 1;
                seen.documents += sighting.documents;
                seen.among += source.counted();
                seen.occurrences += sighting.occurrences;
                seen.standing += sighting.standing.0;
            }
        }
    }
    seen
}

fn own_template(candidate: &Candidate, source: &Mined) -> Template {
    Template {
        run: candidate.run.clone(),
        documents: candidate.documents,
        among: source.counted(),
        occurrences: candidate.occurrences,
        sources: 1,
        example: candidate.example.clone(),
    }
}

fn shared_template(candidate: &Candidate, seen: &Seen) -> Template {
    Template {
        run: candidate.run.clone(),
        documents: seen.documents,
        among: seen.among,
        occurrences: seen.occurrences,
        sources: seen.sources,
        example: candidate.example.clone(),
    }
}
