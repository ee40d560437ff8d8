//! Compares sources: is a run language, shared boilerplate, or one source's own template?
//!
//! Takes the results of mining each source, without the documents. Returns the templates of each source and the shared
//! ones. A run that recurs in several sources is either language ("as much as") or boilerplate of many sites ("All
//! rights reserved"). They differ in their place: language is inside changing text, boilerplate is by itself.
//! (Foschini's second-level filter, section 3.3, drops both.)
//!
//! Shared boilerplate is often part of longer runs: a cookie notice in the head of one site and the foot of another. So
//! lines are compared as well: a whole line in the candidates of several sources is shared.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::cutoff::Cutoff;
use super::repeat_statistics::Fingerprint;
use super::{Candidate, Mined};
use crate::patterns::Template;
use crate::patterns::file::MinedFrom;
use crate::tokens::{Piece, TokenRun};

/// A run in this number of sources or more does not belong to one source.
pub const MIN_SOURCES: usize = 3;
/// A run with a lower mean standing is language. The limit is above 0, because language is sometimes at a line break as
/// well.
const MIN_STANDING: f64 = 0.3;

/// The templates of all sources in a run of the program.
#[derive(Debug, Default)]
pub struct Templates {
    /// The templates of each source alone, in the order of the sources.
    pub own: Vec<Vec<Template>>,
    /// The shared templates, sorted by run.
    pub shared: Vec<Template>,
    /// For each source, the number of candidates that are language.
    pub language: Vec<usize>,
}

/// What is known of a run from all sources.
#[derive(Debug)]
pub struct Comparison {
    /// The runs that are in [`MIN_SOURCES`] or more.
    seen: FxHashMap<Fingerprint, RunSums>,
    /// The shared templates, sorted by run.
    pub shared: Vec<Template>,
    /// For each source, the number of candidates that are language.
    pub language: Vec<usize>,
    /// The facts in the shared pattern file.
    pub facts: MinedFrom,
}

impl Comparison {
    /// Compares sources. `sources` is called 3 times, and gives the results of mining each source, always in the same
    /// order. So they need not be in memory together. The order does not affect the result, except for the order of
    /// `language`.
    pub fn of<M: Borrow<Mined>, S: Iterator<Item = M>>(sources: impl Fn() -> S) -> Comparison {
        let (mut seen, mut lines, mut facts) = (FxHashMap::default(), FxHashMap::default(), SharedFacts::default());
        for source in sources() {
            let source = source.borrow();
            facts.add(source);
            seen.extend(source.candidates.iter().map(|candidate| (candidate.fingerprint, RunSums::default())));
            for line in lines_of(source).into_keys() {
                *lines.entry(Fingerprint::of_run(&line)).or_default() += 1;
            }
        }
        // Only few of the lines are in several sources.
        lines.retain(|_, sources: &mut usize| *sources >= MIN_SOURCES);
        sources().for_each(|source| add_sums(&mut seen, source.borrow()));
        seen.retain(|_, seen| seen.sources >= MIN_SOURCES);

        let mut compared = Comparison { seen, shared: Vec::new(), language: Vec::new(), facts: facts.all() };
        let (mut shared, mut shared_lines) = (BTreeMap::new(), BTreeMap::new());
        for source in sources() {
            let source = source.borrow();
            let mut language = 0;
            for candidate in &source.candidates {
                match compared.kind(candidate) {
                    Kind::Own => {}
                    Kind::Language => language += 1,
                    Kind::Shared(seen) => add_shared(&mut shared, shared_template(candidate, &seen)),
                }
            }
            compared.language.push(language);
            add_lines(&mut shared_lines, source, &lines);
        }
        // Two lines could have the same fingerprint.
        shared_lines.retain(|_, line| line.sources >= MIN_SOURCES);
        // Lines are counted in all candidates that contain them, so these counts are better.
        shared.extend(shared_lines);
        compared.shared = shared.into_values().collect();
        compared
    }

    /// The templates of one of these sources alone.
    pub fn own(&self, source: &Mined) -> Vec<Template> {
        let own = source.candidates.iter().filter(|candidate| matches!(self.kind(candidate), Kind::Own));
        own.map(|candidate| own_template(candidate, source)).collect()
    }

    fn kind(&self, candidate: &Candidate) -> Kind {
        let Some(seen) = self.seen.get(&candidate.fingerprint) else { return Kind::Own };
        let standing = seen.standing as f64 / 1e6 / seen.sources as f64;
        if standing >= MIN_STANDING { Kind::Shared(*seen) } else { Kind::Language }
    }

    /// Adds the lines of a pool to the shared templates: documents of different sources that were mined together. A
    /// document stands for its source.
    pub fn add_pool(&mut self, pool: &Mined) {
        for (run, (candidate, example)) in lines_of(pool).into_iter().filter(|(_, of)| of.0.documents >= MIN_SOURCES) {
            let fresh = Template {
                run,
                documents: candidate.documents,
                among: pool.counted(),
                occurrences: candidate.occurrences,
                sources: candidate.documents,
                example: example.to_owned(),
                ends_after: None,
            };
            match self.shared.binary_search_by(|known| known.run.cmp(&fresh.run)) {
                Err(at) => self.shared.insert(at, fresh),
                Ok(at) => {
                    let known = &mut self.shared[at];
                    known.documents += fresh.documents;
                    known.among += fresh.among;
                    known.occurrences += fresh.occurrences;
                    known.sources += fresh.sources;
                }
            }
        }
    }
}

/// The facts in the shared pattern file: the sums over the sources, and the median of their cutoffs.
pub fn shared_facts<M: Borrow<Mined>>(mined: &[M]) -> MinedFrom {
    let mut facts = SharedFacts::default();
    mined.iter().for_each(|source| facts.add(source.borrow()));
    facts.all()
}

#[derive(Default)]
struct SharedFacts {
    sums: MinedFrom,
    cutoffs: Vec<f64>,
}

impl SharedFacts {
    fn add(&mut self, source: &Mined) {
        self.sums.documents += source.documents;
        self.sums.near_duplicates += source.near_duplicates;
        self.sums.tokens += source.tokens;
        self.cutoffs.push(source.cutoff.share);
    }

    fn all(mut self) -> MinedFrom {
        self.cutoffs.sort_unstable_by(f64::total_cmp);
        let cutoff = self.cutoffs.get(self.cutoffs.len() / 2).copied().unwrap_or(Cutoff::DEFAULT.share);
        MinedFrom { cutoff, ..self.sums }
    }
}

/// Sums over the sources for one run of tokens.
#[derive(Clone, Copy, Debug, Default)]
struct RunSums {
    sources: usize,
    documents: usize,
    among: usize,
    occurrences: usize,
    /// The sum of standings in millionths. A sum of integers does not depend on the order.
    standing: u64,
}

enum Kind {
    Own,
    Shared(RunSums),
    Language,
}

/// Classifies the candidates of all sources. The order of the sources does not affect the result, except for the order
/// of `own`.
pub fn cross_source<M: Borrow<Mined>>(mined: &[M]) -> Templates {
    let mined: Vec<&Mined> = mined.iter().map(Borrow::borrow).collect();
    let compared = Comparison::of(|| mined.iter().copied());
    let own = mined.iter().map(|source| compared.own(source)).collect();
    Templates { own, shared: compared.shared, language: compared.language }
}

/// Adds a shared template. Of two templates with the same run, the one with the smaller example is kept, so the result
/// does not depend on the order of the sources.
fn add_shared(shared: &mut BTreeMap<TokenRun, Template>, template: Template) {
    match shared.get_mut(&template.run) {
        Some(known) if known.example <= template.example => {}
        Some(known) => *known = template,
        None => drop(shared.insert(template.run.clone(), template)),
    }
}

/// Adds the whole lines of a source, if they are in several sources according to `counted`.
fn add_lines(lines: &mut BTreeMap<TokenRun, Template>, source: &Mined, counted: &FxHashMap<Fingerprint, usize>) {
    let shared = lines_of(source).into_iter().filter(|(run, _)| counted.contains_key(&Fingerprint::of_run(run)));
    for (run, (candidate, example)) in shared {
        let known = lines.entry(run.clone()).or_insert_with(|| Template {
            run,
            documents: 0,
            among: 0,
            occurrences: 0,
            sources: 0,
            example: example.to_owned(),
            ends_after: None,
        });
        known.documents += candidate.documents;
        known.among += source.counted();
        known.occurrences += candidate.occurrences;
        known.sources += 1;
        if example < known.example.as_str() {
            known.example = example.to_owned();
        }
    }
}

/// The whole lines in a source's candidates. For each line: the most frequent candidate that contains it, and the
/// line's text in the example.
fn lines_of(source: &Mined) -> BTreeMap<TokenRun, (&Candidate, &str)> {
    let mut lines: BTreeMap<TokenRun, (&Candidate, &str)> = BTreeMap::new();
    for candidate in &source.candidates {
        let pieces = candidate.run.pieces();
        let breaks: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at] == Piece::Break).collect();
        // If the candidate starts inside a line, the example starts with a part of a line, which is skipped.
        let cut_short = usize::from(breaks.first().is_some_and(|&at| at > 0));
        let texts = candidate.example.lines().map(str::trim).filter(|line| !line.is_empty()).skip(cut_short);
        for (ends, text) in breaks.windows(2).zip(texts) {
            let line = &pieces[ends[0]..=ends[1]];
            // A line with a slot is not specific enough to be applied to sources in which it was not seen.
            if line.iter().any(Piece::is_word) && !line.iter().any(Piece::is_free) {
                let entry = lines.entry(TokenRun(line.into())).or_insert((candidate, text));
                if (candidate.documents, candidate.occurrences) > (entry.0.documents, entry.0.occurrences) {
                    *entry = (candidate, text);
                }
            }
        }
    }
    lines
}

/// Adds the statistics of a source to the sums of runs that are a candidate in at least one source. A source in which
/// the run is only a repeat counts as well.
fn add_sums(seen: &mut FxHashMap<Fingerprint, RunSums>, source: &Mined) {
    for statistics in &source.repeat_statistics {
        if let Some(seen) = seen.get_mut(&statistics.fingerprint) {
            seen.sources += 1;
            seen.documents += statistics.documents;
            seen.among += source.counted();
            seen.occurrences += statistics.occurrences;
            seen.standing += (statistics.standing.0 * 1e6) as u64;
        }
    }
}

fn own_template(candidate: &Candidate, source: &Mined) -> Template {
    Template {
        run: candidate.run.clone(),
        documents: candidate.documents,
        among: source.counted(),
        occurrences: candidate.occurrences,
        sources: 1,
        example: candidate.example.clone(),
        ends_after: None,
    }
}

fn shared_template(candidate: &Candidate, seen: &RunSums) -> Template {
    Template {
        run: candidate.run.clone(),
        documents: seen.documents,
        among: seen.among,
        occurrences: seen.occurrences,
        sources: seen.sources,
        example: candidate.example.clone(),
        ends_after: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mining::{MineOptions, mine_texts};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// Mines a source of 6 documents. `page` returns the text of each. Words with the source's letter are in no other
    /// source.
    fn source(page: impl Fn(usize) -> String) -> Mined {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let texts: Vec<String> = (0..6).map(page).collect();
        mine_texts(&texts, &lexer, &MineOptions::default()).unwrap()
    }

    fn words(source: char, document: usize, from: usize) -> String {
        (from..from + 6).map(|word| format!("{source}{document}w{word} ")).collect()
    }

    fn written(templates: &[Template]) -> Vec<String> {
        let none = MutableSet::new(vec![]).unwrap();
        templates.iter().map(|template| template.run.written(&none)).collect()
    }

    /// 3 sources. Each has its own masthead and a common phrase in each document's text. They share a line: at the foot
    /// of the first 2 and the head of the third.
    fn three() -> Vec<Mined> {
        let text = |source, document| {
            format!("{}as much as they had of {}", words(source, document, 0), words(source, document, 6))
        };
        let foot = |source: char, at| format!("The {source} Times\n{}\nAll rights reserved.\n", text(source, at));
        let head = |source: char, at| format!("All rights reserved.\nThe {source} Times\n{}\n", text(source, at));
        vec![source(|at| foot('a', at)), source(|at| foot('b', at)), source(|at| head('c', at))]
    }

    #[test]
    fn language_is_dropped_and_shared_lines_are_kept() {
        let templates = cross_source(&three());
        assert_eq!(templates.language, [1, 1, 1], "as much as they had of");
        assert_eq!(written(&templates.shared), ["⏎All rights reserved.⏎"]);
        let shared = &templates.shared[0];
        assert_eq!((shared.sources, shared.documents, shared.among), (3, 18, 18));
        assert_eq!(shared.example, "All rights reserved.");
        assert!(written(&templates.own[0]).iter().any(|run| run.starts_with("⏎The a Times⏎")));
    }

    #[test]
    fn language_is_dropped_without_the_stop_before_it_too() {
        let text = |source, at: usize| {
            let before = words(source, at, 0);
            format!("{}. As much as they had of {}", before.trim_end(), words(source, at, 6))
        };
        let mined = ['a', 'b', 'c'].map(|letter| source(|at| text(letter, at)));
        let templates = cross_source(&mined);
        assert_eq!((templates.language, written(&templates.own.concat())), (vec![1, 1, 1], Vec::<String>::new()));
    }

    #[test]
    fn two_sources_are_too_few_to_tell() {
        let templates = cross_source(&three()[..2]);
        assert_eq!(templates.language, [0, 0]);
        assert!(templates.shared.is_empty());
    }

    #[test]
    fn the_order_of_the_sources_does_not_show() {
        let (there, mut back) = (three(), three());
        back.reverse();
        let (there, mut back) = (cross_source(&there), cross_source(&back));
        back.own.reverse();
        assert_eq!(there.shared, back.shared);
        assert_eq!(there.own, back.own);
    }
}
