//! Finds templates with a slot for any text: `By {name} | Staff writer`, `Related: {headline}`.
//!
//! Repeats have no slots. Only the constant part of such a line recurs, and that may be a single word. Takes the lines
//! of a source. Returns the groups of lines that are one template filled in differently, as patterns. Lines that start
//! (or end) alike are examined together, the largest groups first. They become a pattern if one skeleton fits nearly
//! all lines, if no filler is a paragraph, and if the lines do not behave like language.
//!
//! Inside a line, a slot is only found between two anchors, because nothing else marks its ends. The search starts from
//! a repeat that is not language, the seed. The stretches around its occurrences are treated like lines.
//!
//! The document's own text must be kept. Examples are a headline that the document repeats, and the caption before
//! `Photo: Daily Post`.
//!
//! Two tests separate templates from language. First, a template is only once in a document. Words of the language that
//! are in as many documents are in some of them twice. Second, a word of a template is rare elsewhere. If lines have
//! many tokens in common, being only once in a document is enough.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{AlikeLines, Line};
use super::anchors::stretches;
use super::examples::Example;
use super::near_duplicates::Groups;
use super::repeat_statistics::Fingerprint;
use super::repeats::{Interval, outer_intervals};
use super::skeleton::{Ends, MAX_TOKENS, Skeleton, is_nearly_all};
use super::suffix_array::SuffixArray;
use super::{Candidate, MineOptions};
use crate::tokens::{Symbol, SymbolSequence, TokenKind, TokenRun, Vocabulary};

/// Minimum number of documents. With fewer, a slot looks like a sentence in several versions.
const MIN_DOCUMENTS_OF_SLOT: usize = 5;
/// Maximum share of a template's documents that have it more than once.
const MAX_REPEATED: f64 = 0.05;
/// Fillers must differ: there are at least this many, and none is in more than half of the lines.
const MIN_FILLERS: usize = 5;
const MAX_FILLER_SHARE: f64 = 0.5;
/// A filler with at least this many tokens can be a headline ...
const MIN_SAYING: usize = 4;
/// ... and if at least this share of the lines have a filler that their document repeats, the fillers are headlines.
const MIN_SAID_AGAIN: f64 = 0.5;
/// Maximum number of lines that are examined. They are enough to estimate a share.
const MAX_SAMPLE: usize = 64;
/// Maximum number of places of a repeat that are examined in the first test for a slot beside it.
const MAX_TRIED: usize = 256;
/// Minimum number of tokens in a skeleton. A single token is not a template.
const MIN_TOKENS: usize = 2;
/// Lines with at least this many tokens in common share more than language would explain.
const TELLING_TOKENS: usize = 5;
/// With fewer tokens there are two tests: at least this share of a source's occurrences of one token is in these lines
/// ...
pub(super) const MIN_EXCLUSIVE: f64 = 0.5;
/// ... and at least this many of the repetitions that chance would give are missing.
const MIN_MISSED_REPETITIONS: f64 = 1.0;

/// The templates with slots of a source, each with an example. First whole lines, then templates inside lines, found
/// around repeats.
pub(super) fn slotted_templates(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    groups: &Groups,
    lines: &AlikeLines,
    repeats: &[Interval],
    options: &MineOptions,
) -> Vec<(Candidate, Example)> {
    let mut finder = Finder::new(sequence, groups, options);
    finder.search_lines(lines);
    finder.search_inside_lines(array, repeats);
    finder.found
}

/// A candidate and its places.
struct Found {
    candidate: Candidate,
    example: Example,
    /// The places from which it was found. If each of them has a token that is taken, the template was found before.
    places: Vec<Range<usize>>,
    takes: Vec<Range<usize>>,
}

struct Finder<'s> {
    sequence: &'s SymbolSequence,
    groups: &'s Groups,
    min_documents: usize,
    /// The number of occurrences of each symbol in the source.
    occurrences: Vec<usize>,
    /// For each position: whether it is in a template that was found already.
    taken: Vec<bool>,
    found: Vec<(Candidate, Example)>,
    /// The runs of the templates that were found.
    runs: FxHashSet<TokenRun>,
}

impl<'s> Finder<'s> {
    fn new(sequence: &'s SymbolSequence, groups: &'s Groups, options: &MineOptions) -> Finder<'s> {
        Finder {
            sequence,
            groups,
            min_documents: MIN_DOCUMENTS_OF_SLOT
                .max(options.min_documents)
                .max((options.min_share * groups.len() as f64).ceil() as usize),
            occurrences: occurrences(sequence),
            taken: vec![false; sequence.symbols().len()],
            found: Vec::new(),
            runs: FxHashSet::default(),
        }
    }

    fn search_lines(&mut self, lines: &AlikeLines) {
        let mut groups = lines.groups(self.sequence, self.min_documents);
        // The largest groups come first. So a template is found before its special cases, which only some of its lines
        // have.
        groups.sort_by_key(|lines| Reverse(lines.len()));
        let look_at = |lines: &&[Line]| {
            let lines: Vec<Range<usize>> = lines.iter().map(Line::range).collect();
            self.look_at(&lines, &lines, Ends::LINE)
        };
        let found: Vec<Found> = groups.par_iter().with_max_len(1).filter_map(look_at).collect();
        found.into_iter().for_each(|found| self.add(found));
    }

    /// Searches around the repeats that are not language. The repeats in the most documents come first.
    fn search_inside_lines(&mut self, array: &SuffixArray, repeats: &[Interval]) {
        let mut seeds = self.seeds(array, repeats);
        seeds.sort_by_key(|seed| (Reverse(seed.documents), Reverse(seed.len)));
        let look_around = |seed: &&Interval| {
            let first = array.position(seed.first);
            let mut parts = self.parts_of_lines(first..first + seed.len);
            parts
                .retain(|part| part.clone().any(|at| self.is_exclusive(self.sequence.symbols()[at], seed.occurrences)));
            let place = |part: &Range<usize>, index: usize| {
                let start = array.position(seed.first + index);
                start + part.start - first..start + part.end - first
            };
            let look_around = |part: Range<usize>| self.look_around(seed.occurrences, |index| place(&part, index));
            parts.into_iter().filter_map(look_around).collect::<Vec<Found>>()
        };
        let found: Vec<Vec<Found>> = seeds.par_iter().with_max_len(1).map(look_around).collect();
        found.into_iter().flatten().for_each(|found| self.add(found));
    }

    /// The repeats that are not language, without those that nearly always continue as a longer repeat.
    fn seeds<'r>(&self, array: &SuffixArray, repeats: &'r [Interval]) -> Vec<&'r Interval> {
        let is_seed = |repeat: &Interval| {
            repeat.documents >= self.min_documents
                && repeat.occurrences as f64 <= (1.0 + MAX_REPEATED) * repeat.documents as f64
                && missed_repetitions(repeat.documents, self.groups.len()) >= MIN_MISSED_REPETITIONS
        };
        let mut is_seed_of_slots: Vec<bool> = repeats.iter().map(is_seed).collect();
        for (index, outer) in outer_intervals(repeats).into_iter().enumerate() {
            if let Some(seed) = repeats.get(outer as usize)
                && is_seed(&repeats[index])
            {
                is_seed_of_slots[outer as usize] &= !self.goes_on_as(array, seed, &repeats[index]);
            }
        }
        repeats
            .iter()
            .zip(is_seed_of_slots)
            .filter(|(_, is_seed_of_slots)| *is_seed_of_slots)
            .map(|(seed, _)| seed)
            .collect()
    }

    /// Whether a search around `longer`, which starts with the seed, makes a search around the seed needless. The
    /// condition is that nearly all occurrences of the seed continue as `longer`, with tokens that are rare elsewhere.
    /// On pages that differ only in a few words, this is true for nearly all repeats.
    fn goes_on_as(&self, array: &SuffixArray, seed: &Interval, longer: &Interval) -> bool {
        let start = array.position(longer.first);
        let beyond = &self.sequence.symbols()[start + seed.len..start + longer.len.min(seed.len + MAX_TOKENS)];
        is_nearly_all(longer.occurrences, seed.occurrences)
            && beyond.iter().all(|&symbol| self.is_exclusive(symbol, longer.occurrences))
    }

    /// Adds a template unless it was found before. All searches run before, on all cores. Only this step depends on the
    /// order of the templates.
    fn add(&mut self, found: Found) {
        if !self.are_taken(&found.places) && self.runs.insert(found.candidate.run.clone()) {
            found.takes.into_iter().for_each(|range| self.taken[range].fill(true));
            self.found.push((found.candidate, found.example));
        }
    }

    fn are_taken(&self, places: &[Range<usize>]) -> bool {
        places.iter().all(|place| self.taken[place.clone()].contains(&true))
    }

    /// The parts of a run that are inside a line. For a run with line breaks: the part before the first and the part
    /// after the last break, if they are short enough. For a run without: the run itself, if it is short enough.
    fn parts_of_lines(&self, run: Range<usize>) -> Vec<Range<usize>> {
        let is_break = |at: &usize| self.sequence.symbols()[*at] == Vocabulary::BREAK.0;
        let first = run.clone().take(MAX_TOKENS + 1).find(is_break);
        let last = run.clone().rev().take(MAX_TOKENS + 1).find(is_break);
        match (first, last) {
            (None, None) if run.len() <= MAX_TOKENS => vec![run],
            _ => first.map(|first| run.start..first).into_iter().chain(last.map(|last| last + 1..run.end)).collect(),
        }
    }

    /// Whether `occurrences` are at least [`MIN_EXCLUSIVE`] of all occurrences of the symbol in the source.
    fn is_exclusive(&self, symbol: u32, occurrences: usize) -> bool {
        occurrences as f64 >= MIN_EXCLUSIVE * self.occurrences[symbol as usize] as f64
    }

    /// Searches around all places of a repeat.
    fn look_around(&self, places: usize, place: impl Fn(usize) -> Range<usize>) -> Option<Found> {
        // Most repeats have no slot beside them, or are parts of long lines. A sample of the places is enough to see
        // that.
        if places > MAX_TRIED {
            let few: Vec<Range<usize>> = (0..MAX_TRIED).map(|index| place(index * places / MAX_TRIED)).collect();
            let each = places as f64 / MAX_TRIED as f64;
            let (stretches, _) = stretches(self.sequence, &self.occurrences, &few, each)?;
            if stretches.iter().all(|stretch| stretch.len() > MAX_TOKENS) {
                return None;
            }
        }
        let places: Vec<Range<usize>> = (0..places).map(place).collect();
        if self.are_taken(&places) {
            return None;
        }
        let (stretches, ends) = stretches(self.sequence, &self.occurrences, &places, 1.0)?;
        // Whole lines were handled by `search_lines`.
        if ends == Ends::LINE { None } else { self.look_at(&stretches, &places, ends) }
    }

    /// The template of these lines or parts of lines. `None` unless one template fits nearly all of `all`, the places
    /// from which the lines were found.
    fn look_at(&self, lines: &[Range<usize>], all: &[Range<usize>], ends: Ends) -> Option<Found> {
        let short: Vec<Range<usize>> = lines.iter().filter(|line| line.len() <= MAX_TOKENS).cloned().collect();
        if !is_nearly_all(short.len(), all.len()) || !self.are_once_a_document(all) {
            return None;
        }
        let skeleton = Skeleton::of(self.sequence, &short, ends)?;
        let fitting: Vec<Range<usize>> = short.into_iter().filter(|line| skeleton.fits(self.sequence, line)).collect();
        let is_template = is_nearly_all(fitting.len(), all.len())
            && self.fillers_differ(&fitting)
            && !self.is_language(&skeleton, &fitting)
            && !self.are_said_again(&skeleton, &fitting);
        let candidate = is_template.then(|| self.candidate(&skeleton, &fitting)).flatten()?;
        let example = Example::at(self.sequence, fitting[0].clone());
        Some(Found { candidate, example, places: all.to_vec(), takes: lines.to_vec() })
    }

    fn are_once_a_document(&self, lines: &[Range<usize>]) -> bool {
        let documents = distinct(lines.iter().map(|line| self.sequence.document_at(line.start).0));
        (lines.len() - documents) as f64 <= MAX_REPEATED * documents as f64
            && self.documents(lines) >= self.min_documents
    }

    fn documents(&self, lines: &[Range<usize>]) -> usize {
        distinct(lines.iter().map(|line| self.groups.of(self.sequence.document_at(line.start))))
    }

    fn fillers_differ(&self, lines: &[Range<usize>]) -> bool {
        let mut counts: FxHashMap<&[u32], usize> = FxHashMap::default();
        lines.iter().for_each(|line| *counts.entry(&self.sequence.symbols()[line.clone()]).or_default() += 1);
        let most_frequent = counts.values().copied().max().unwrap_or(0);
        counts.len() >= MIN_FILLERS && most_frequent as f64 <= MAX_FILLER_SHARE * lines.len() as f64
    }

    fn is_language(&self, skeleton: &Skeleton, lines: &[Range<usize>]) -> bool {
        let kind = |symbol| self.sequence.vocabulary().kind(Symbol(symbol));
        let tokens: Vec<u32> = skeleton.tokens().collect();
        let exclusive = |&symbol: &u32| self.is_exclusive(symbol, lines.len());
        let is_template = tokens.len() >= TELLING_TOKENS
            || (tokens.iter().any(exclusive)
                && missed_repetitions(self.documents(lines), self.groups.len()) >= MIN_MISSED_REPETITIONS);
        let has_word = tokens.iter().any(|&symbol| kind(symbol) == TokenKind::Word);
        tokens.len() < MIN_TOKENS || !has_word || !is_template
    }

    /// Whether many of the lines have a filler that occurs again in their document.
    fn are_said_again(&self, skeleton: &Skeleton, lines: &[Range<usize>]) -> bool {
        let symbols = self.sequence.symbols();
        let fixed: FxHashSet<u32> = skeleton.tokens().collect();
        let is_said_again = |line: &Range<usize>| {
            let stretches = symbols[line.clone()].split(|symbol| fixed.contains(symbol));
            let filler = stretches.max_by_key(|stretch| stretch.len()).unwrap_or_default();
            let document = self.sequence.document(self.sequence.document_at(line.start));
            let others = [&symbols[document.start..line.start], &symbols[line.end..document.end]];
            filler.len() >= MIN_SAYING
                && others.iter().any(|other| other.windows(filler.len()).any(|window| window == filler))
        };
        let sampled = lines.len().min(MAX_SAMPLE);
        let again = (0..sampled).filter(|index| is_said_again(&lines[index * lines.len() / sampled])).count();
        again as f64 >= MIN_SAID_AGAIN * sampled as f64
    }

    fn candidate(&self, skeleton: &Skeleton, lines: &[Range<usize>]) -> Option<Candidate> {
        let run = skeleton.run(self.sequence)?;
        Some(Candidate {
            fingerprint: Fingerprint::of_run(&run),
            documents: self.documents(lines),
            occurrences: lines.len(),
            example: String::new(),
            run,
        })
    }
}

fn occurrences(sequence: &SymbolSequence) -> Vec<usize> {
    let mut occurrences = vec![0; sequence.alphabet()];
    sequence.symbols().iter().for_each(|&symbol| occurrences[symbol as usize] += 1);
    occurrences
}

fn distinct(values: impl Iterator<Item = u32>) -> usize {
    values.collect::<FxHashSet<u32>>().len()
}

/// The number of repetitions that are missing if something is in `documents` of `among` documents, once in each. By
/// chance (Poisson), it would have more occurrences than documents. The result is this difference.
fn missed_repetitions(documents: usize, among: usize) -> f64 {
    let (documents, among) = (documents as f64, among as f64);
    // Half a document is subtracted. Otherwise the logarithm would be infinite if all documents have it.
    let rate = -(1.0 - (documents - 0.5).max(0.0) / among).ln();
    rate * among - documents
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mining::filters::filtered_repeats;
    use crate::mining::mine_texts;
    use crate::mining::near_duplicates::{Groups, group_near_duplicates};
    use crate::mining::places::Places;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    const DOCUMENTS: usize = 20;

    /// Words that occur nowhere else, so that nothing recurs.
    fn words(document: usize, place: usize, count: usize) -> String {
        (0..count).map(|word| format!("w{document}x{place}x{word}")).collect::<Vec<_>>().join(" ")
    }

    /// The templates with slots in 20 documents. Each document has a line from `line` between two paragraphs. Returns
    /// the run, documents, occurrences and example of each.
    fn found(line: impl Fn(usize) -> Option<String>) -> Vec<(String, usize, usize, String)> {
        found_in(DOCUMENTS, line)
    }

    /// Like [`found`], with this number of documents.
    fn found_in(documents: usize, line: impl Fn(usize) -> Option<String>) -> Vec<(String, usize, usize, String)> {
        let paragraph = |document, place| format!("{} the end of it.", words(document, place, 30));
        let text = |document| {
            let line = line(document).map(|line| line + "\n").unwrap_or_default();
            format!("{}\n{line}{}\n", paragraph(document, 1), paragraph(document, 2))
        };
        let texts: Vec<String> = (0..documents).map(text).collect();
        let mutable = Arc::new(MutableSet::new(vec![]).unwrap());
        let lexer = Lexer::new(Tokenizer::Words, mutable.clone());
        let mined = mine_texts(&texts, &lexer, &MineOptions::default()).unwrap();
        let slotted = mined.candidates.into_iter().filter(|candidate| candidate.run.has_free());
        let facts = |found: Candidate| (found.run.written(&mutable), found.documents, found.occurrences, found.example);
        slotted.map(facts).collect()
    }

    fn runs(line: impl Fn(usize) -> Option<String>) -> Vec<String> {
        found(line).into_iter().map(|found| found.0).collect()
    }

    #[test]
    fn a_line_that_ends_as_it_likes() {
        let found = found(|at| (at % 2 == 0).then(|| format!("Related: {}", words(at, 0, 3 + at % 3))));
        let expected = ("⏎Related: {…80}⏎".to_owned(), 10, 10, "Related: w4x0x0 w4x0x1 w4x0x2 w4x0x3".to_owned());
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_line_that_starts_as_it_likes() {
        let line = |at| Some(format!("{} contributed to this report.", words(at, 0, 2)));
        assert_eq!(runs(line), ["⏎{…20} contributed to this report.⏎"]);
    }

    #[test]
    fn a_slot_between() {
        let line = |at| Some(format!("By {} | Staff writer", words(at, 0, 2)));
        assert_eq!(runs(line), ["⏎By {…20} | Staff writer⏎"]);
        let line = |at| Some(format!("By {}, Special to the Tribune", words(at, 0, 2)));
        assert_eq!(runs(line), ["⏎By {…20}, Special to the Tribune⏎"]);
    }

    #[test]
    fn much_in_common() {
        let line =
            |at| Some(format!("{} asks you for every kind of help that you can give us today.", words(at, 0, 2)));
        assert_eq!(runs(line), ["⏎{…20} asks you for every kind of help that you can give us today.⏎"]);
    }

    #[test]
    fn two_slots() {
        let line = |at| Some(format!("Next story: {} | Previous story: {}", words(at, 0, 2), words(at, 3, 2)));
        assert_eq!(runs(line), ["⏎Next story: {…20} | Previous story: {…20}⏎"]);
    }

    #[test]
    fn few_lines_that_are_otherwise_do_not_matter() {
        let filler = |at| if at == 7 { words(at, 0, 70) } else { words(at, 0, 2) };
        let found = found(|at| Some(format!("Filed under: {}", filler(at))));
        assert_eq!((found[0].0.as_str(), found[0].1), ("⏎Filed under: {…20}⏎", 19));
    }

    #[test]
    fn scripts_without_spaces() {
        let name = |at: usize| "张王李赵陈".chars().cycle().skip(at).step_by(3).take(2 + at % 2).collect::<String>();
        assert_eq!(runs(|at| Some(format!("本报记者：{}", name(at)))), ["⏎本报记者：{…20}⏎"]);
        assert_eq!(runs(|at| Some(format!("{}为本报撰稿。", name(at)))), ["⏎{…20}为本报撰稿。⏎"]);
    }

    #[test]
    fn paragraphs_fill_no_slot() {
        assert!(runs(|at| Some(format!("Related: {}", words(at, 0, 40)))).is_empty());
    }

    #[test]
    fn a_word_alone_is_no_template() {
        assert!(runs(|at| Some(format!("Yesterday {}", words(at, 0, 3)))).is_empty());
    }

    #[test]
    fn words_that_stand_elsewhere_too_are_no_template() {
        assert!(runs(|at| Some(format!("of it {}", words(at, 0, 3)))).is_empty());
    }

    #[test]
    fn what_a_document_has_often_is_no_template() {
        let list =
            |at| (0..3).map(|line| format!("Related: {}", words(at, line + 5, 2))).collect::<Vec<_>>().join("\n");
        assert!(runs(|at| Some(list(at))).is_empty());
    }

    #[test]
    fn too_few_documents_tell_nothing() {
        assert!(runs(|at| (at < 4).then(|| format!("Related: {}", words(at, 0, 3)))).is_empty());
    }

    #[test]
    fn few_fillers_are_no_slot() {
        assert!(runs(|at| Some(format!("Filed under: {}", words(at % 4, 0, 2)))).is_empty());
    }

    #[test]
    fn what_a_document_says_again_is_its_own() {
        let headline = |at| words(at, 0, 5);
        assert!(runs(|at| Some(format!("Daily Post: {}\n{}", headline(at), headline(at)))).is_empty());
        assert_eq!(runs(|at| Some(format!("Daily Post: {}", headline(at)))).len(), 1);
    }

    #[test]
    fn a_caption_is_the_documents_own() {
        assert!(runs(|at| Some(format!("{} Photo: Daily Post", words(at, 0, 8)))).is_empty());
        assert_eq!(runs(|at| Some(format!("{} for the Daily Post", words(at, 0, 2)))).len(), 1);
    }

    /// The templates with slots in 20 documents. Each document has a text inside a line.
    fn runs_inside(text: impl Fn(usize) -> Option<String>) -> Vec<String> {
        let line = |at| {
            let text = text(at).map(|text| text + " ").unwrap_or_default();
            format!("{} {text}{}", words(at, 3, 20), words(at, 4, 20))
        };
        runs(|at| Some(line(at)))
    }

    #[test]
    fn inside_a_line_from_anchor_to_anchor() {
        assert_eq!(
            runs_inside(|at| Some(format!("By {} | Staff writer", words(at, 0, 2)))),
            ["By {…20} | Staff writer"]
        );
        let editor = |at| words(at % 6, 5, 2);
        let agency = |at| Some(format!("(Reporting by {}; Editing by {})", words(at, 0, 2), editor(at)));
        assert_eq!(runs_inside(agency), ["(Reporting by {…20}; Editing by {…20})"]);
    }

    #[test]
    fn inside_a_line_its_ends_are_anchors_too() {
        let at_start = |at| Some(format!("{} contributed to this report. {}", words(at, 0, 2), words(at, 3, 20)));
        assert_eq!(runs(at_start), ["⏎{…20} contributed to this report."]);
        let at_end = |at| Some(format!("{} Read more about {}", words(at, 3, 20), words(at, 0, 2)));
        assert_eq!(runs(at_end), ["Read more about {…20}⏎"]);
    }

    #[test]
    fn inside_a_line_what_has_no_end_is_no_slot() {
        assert!(runs_inside(|at| Some(format!("{} contributed to this report.", words(at, 0, 2)))).is_empty());
        assert!(runs_inside(|at| Some(format!("Read more about {}", words(at, 0, 4)))).is_empty());
        let at_start = |at| Some(format!("{} contributed to this report. {}", words(at, 0, 6), words(at, 3, 20)));
        assert!(runs(at_start).is_empty(), "a name has fewer words");
    }

    #[test]
    fn inside_a_line_a_slot_is_a_name_or_announced() {
        let frame =
            |announced| move |at| Some(format!("Home News Sport{announced} {} Print this page", words(at, 0, 6)));
        assert!(runs_inside(frame("")).is_empty(), "a headline between two parts of the frame");
        assert_eq!(runs_inside(frame(":")), ["Home News Sport: {…80} Print this page"]);
    }

    #[test]
    fn inside_a_line_a_slot_of_many_documents_is_tried_at_some_first() {
        let text = |at| match at % 100 {
            7 => "see the | Staff writer".to_owned(),
            _ => format!("By {} | Staff writer", words(at, 0, 2)),
        };
        let line = |at| Some(format!("{} {} {}", words(at, 3, 20), text(at), words(at, 4, 20)));
        let found = found_in(3 * MAX_TRIED / 2, line);
        assert_eq!(found.iter().map(|found| &found.0).collect::<Vec<_>>(), ["By {…40} | Staff writer"]);
    }

    #[test]
    fn inside_a_line_few_that_are_otherwise_do_not_matter() {
        let text = |at| {
            if at == 7 { "see the | Staff writer".to_owned() } else { format!("By {} | Staff writer", words(at, 0, 2)) }
        };
        assert_eq!(runs_inside(|at| Some(text(at))), ["By {…20} | Staff writer"]);
    }

    #[test]
    fn what_stands_beside_a_template_in_most_documents_is_no_part_of_it() {
        let before = |at| if at == 7 { "is it?" } else { "it is." };
        let text = |at| format!("{} By {} | Staff writer", before(at), words(at, 0, 2));
        assert_eq!(runs_inside(|at| Some(text(at))), ["By {…20} | Staff writer"]);
    }

    #[test]
    fn inside_a_line_without_spaces() {
        let name = |at: usize| "张王李赵陈".chars().cycle().skip(at).step_by(3).take(2 + at % 2).collect::<String>();
        assert_eq!(runs_inside(|at| Some(format!("（本报记者{}摄）", name(at)))), ["（本报记者{…20}摄）"]);
    }

    #[test]
    fn language_inside_a_line_is_no_template() {
        assert!(runs_inside(|at| Some(format!("of the {} of", words(at, 0, 3)))).is_empty());
        // Only "spokesman" is rare. "said" is common, with long gaps between.
        let some = |at: usize, place| words(at, place, 3 + (at + place) % 7);
        let said = |at| format!("{} said {} said {}", some(at, 5), some(at, 6), some(at, 7));
        let spokesman = |at| format!("{} a spokesman for {} said", said(at), some(at, 0));
        assert!(runs_inside(|at| Some(spokesman(at))).is_empty());
    }

    #[test]
    fn what_is_no_template_in_a_line_of_its_own_is_none_inside_one() {
        let by = |filler: String| Some(format!("By {filler} | Staff writer"));
        assert!(runs_inside(|at| by(words(at, 0, 40))).is_empty(), "a paragraph");
        assert!(runs_inside(|at| by(words(at % 4, 0, 2))).is_empty(), "few fillers");
        assert!(runs_inside(|at| by(words(at, 0, 2)).filter(|_| at < 4)).is_empty(), "few documents");
        let twice = |at| format!("By {} | Staff writer {}", words(at, 0, 2), words(at, 5, 9));
        assert!(runs_inside(|at| Some(twice(at) + &twice(at + 50))).is_empty(), "twice");
        let again = |at| format!("{} By {} | Staff writer", words(at, 0, 5), words(at, 0, 5));
        assert!(runs_inside(|at| Some(again(at))).is_empty(), "said again");
    }

    #[test]
    fn of_pages_that_are_alike_few_repeats_are_looked_at() {
        const PAGES: usize = 200;
        let word = |page, at| if page == at { format!("x{page}") } else { format!("w{at}") };
        let text = |page| (0..PAGES).map(|at| word(page, at)).collect::<Vec<_>>().join(" ");
        let texts: Vec<String> = (0..PAGES).map(text).collect();
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![]).unwrap()));
        let sequence = SymbolSequence::of_texts(&texts, &lexer).unwrap();
        let array = SuffixArray::build(sequence.symbols());
        let places = Places::of(&sequence, &array);
        let (groups, _) = group_near_duplicates(&sequence, &array, &places, &Groups::of_identical(&sequence, None));
        let options = MineOptions::default();
        let repeats = filtered_repeats(&sequence, &array, &places, &groups, &options);
        let finder = Finder::new(&sequence, &groups, &options);
        let seeds = finder.seeds(&array, &repeats);
        let short =
            |repeats: &mut dyn Iterator<Item = &Interval>| repeats.filter(|repeat| repeat.len <= MAX_TOKENS).count();
        // Without the filter, each run between two words that differ on some page is a seed.
        assert!(short(&mut repeats.iter()) > MAX_TOKENS * PAGES / 2);
        assert!(short(&mut seeds.into_iter()) < 2 * PAGES);
    }

    #[test]
    fn repetitions_that_chance_would_give() {
        assert!(missed_repetitions(20, 100) > 1.0 && missed_repetitions(10, 100) < 1.0);
        assert!(missed_repetitions(100, 100) > 100.0 && missed_repetitions(5, 5) > 1.0);
    }
}
