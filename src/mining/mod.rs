//! Symbols to templates: what a source repeats.
//!
//! Pure: no input or output, and it cannot fail. [`mine`] looks at one source alone and gives
//! [`Candidate`]s that own their text; [`cross_source`] needs the candidates of all sources,
//! but no document. The stages, in order:

pub mod suffix_array;
pub mod repeats;
pub mod near_duplicates;
pub mod cutoff;
pub mod cover;
pub mod cross_source;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::patterns::file::MinedFrom;
use crate::tokens::{
    DocumentIndex, Lexer, Symbol, SymbolSequence, Token, TokenKind, TokenRun, TooManyTokens, Vocabulary,
};
use cutoff::{Cutoff, Histogram, choose_cutoff};
use near_duplicates::{Groups, OwnTokens, group_near_duplicates};
use repeats::{Interval, visit_intervals};
use suffix_array::SuffixArray;

/// What a repeat must be to become a candidate.
#[derive(Clone, Debug)]
pub struct MineOptions {
    /// Word tokens it needs, unless it is whole lines.
    pub min_words: usize,
    /// Documents it needs, near-duplicates counted once.
    pub min_documents: usize,
    /// Share of the documents it needs, 0..=1.
    pub min_share: f64,
    /// The cutoff, if it is not to be read off the repeats: a share, 0..=1.
    pub cutoff: Option<f64>,
}

impl Default for MineOptions {
    fn default() -> MineOptions {
        MineOptions { min_words: 2, min_documents: 2, min_share: 0.05, cutoff: None }
    }
}

/// A repeat that passed the filters and is needed to cover what the repeats cover; with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its tokens.
    pub run: TokenRun,
    /// Equal for equal runs, whatever the source.
    pub fingerprint: Fingerprint,
    /// In how many documents it occurs, near-duplicates counted once.
    pub documents: usize,
    /// How often it occurs.
    pub occurrences: usize,
    /// One occurrence, as it stands in its document.
    pub example: String,
}

/// A hash of a run's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

/// A repeat as other sources need to know of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Of its run.
    pub fingerprint: Fingerprint,
    /// In how many documents it occurs, near-duplicates counted once.
    pub documents: usize,
    /// How often it occurs.
    pub occurrences: usize,
    /// How much of it stands by itself.
    pub standing: Standing,
}

/// The share of a repeat's occurrences, 0..=1, that stand where language does not: between line breaks, or between
/// a line break and another template. Occurrences inside a larger template do not count.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Standing(pub f64);

/// What mining one source gives. It owns its text: the source's documents and symbols can be freed.
#[derive(Debug)]
pub struct Mined {
    /// All documents of the source.
    pub documents: usize,
    /// How many of them repeat another document and were not counted.
    pub near_duplicates: usize,
    /// Tokens in all documents.
    pub tokens: usize,
    /// The repeats by share.
    pub histogram: Histogram,
    /// Where it falls in two.
    pub cutoff: Cutoff,
    /// The repeats that cover what all repeats cover, in the order of the suffix array.
    pub candidates: Vec<Candidate>,
    /// All repeats that could be candidates of another source: those of up to [`MAX_SIGHTED_TOKENS`] and the candidates.
    pub sightings: Vec<Sighting>,
}

impl Mined {
    /// With fewer documents, near-duplicates counted once, what two of them share is as likely chance as template:
    /// such a source has no candidates of its own, but counts when sources are compared.
    pub const MIN_DOCUMENTS: usize = 5;

    /// Whether there were too few documents to mine.
    pub fn is_too_small(&self) -> bool {
        self.counted() < Mined::MIN_DOCUMENTS
    }

    /// The documents that document frequencies count.
    pub fn counted(&self) -> usize {
        self.documents - self.near_duplicates
    }

    /// What the source's pattern file says of it.
    pub fn facts(&self) -> MinedFrom {
        MinedFrom {
            documents: self.documents,
            near_duplicates: self.near_duplicates,
            tokens: self.tokens,
            cutoff: self.cutoff.share,
        }
    }
}

/// Longer repeats than this are seldom anything but their source's own.
pub const MAX_SIGHTED_TOKENS: usize = 64;

/// Mines one source: [`mine`], with the texts read and the examples filled in.
pub fn mine_texts<T: AsRef<str> + Sync>(
    texts: &[T],
    lexer: &Lexer,
    options: &MineOptions,
) -> Result<Mined, TooManyTokens> {
    let sequence = SymbolSequence::of_texts(texts, lexer)?;
    let (mut mined, examples) = mine(&sequence, options);
    drop(sequence);
    quote_examples(&mut mined.candidates, &examples, texts, lexer);
    Ok(mined)
}

/// Mines one source from its symbols; beside the candidates, where an example of each is.
pub fn mine(sequence: &SymbolSequence, options: &MineOptions) -> (Mined, Vec<Example>) {
    let array = SuffixArray::build(sequence.symbols());
    let (groups, own) = group_near_duplicates(sequence, &array);
    let repeats = filtered_repeats(sequence, &array, &groups, options);
    let share = |repeat: &Interval| repeat.documents as f64 / groups.len() as f64;
    let histogram = Histogram::of(repeats.iter().map(share));
    let cutoff = options.cutoff.map_or_else(|| choose_cutoff(&histogram), Cutoff::given);
    let kept: Vec<Interval> = repeats.into_iter().filter(|repeat| share(repeat) >= options.min_share).collect();
    let covering = match groups.len() {
        0..Mined::MIN_DOCUMENTS => Vec::new(),
        _ => cover::cover(&array, &kept, &kept.iter().map(share).collect::<Vec<f64>>()),
    };
    let fingerprints = Fingerprints::of(sequence, &array);
    let mined = Mined {
        documents: sequence.documents(),
        near_duplicates: sequence.documents() - groups.len(),
        tokens: sequence.tokens(),
        histogram,
        cutoff,
        candidates: covering.iter().map(|&index| candidate(sequence, &array, &fingerprints, &kept[index])).collect(),
        sightings: sightings(sequence, &array, &own, &fingerprints, &kept, &covering),
    };
    (mined, covering.iter().map(|&index| Example::of(sequence, &array, &kept[index])).collect())
}

fn candidate(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    fingerprints: &Fingerprints,
    repeat: &Interval,
) -> Candidate {
    let start = array.position(repeat.first);
    Candidate {
        run: sequence.run(start..start + repeat.len),
        fingerprint: fingerprints.of_repeat(repeat),
        documents: repeat.documents,
        occurrences: repeat.occurrences,
        example: String::new(),
    }
}

fn sightings(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    own: &OwnTokens,
    fingerprints: &Fingerprints,
    repeats: &[Interval],
    covering: &[usize],
) -> Vec<Sighting> {
    let is_candidate = |index: usize| covering.binary_search(&index).is_ok();
    let sighted =
        repeats.iter().enumerate().filter(|&(index, repeat)| repeat.len <= MAX_SIGHTED_TOKENS || is_candidate(index));
    sighted
        .map(|(_, repeat)| Sighting {
            fingerprint: fingerprints.of_repeat(repeat),
            documents: repeat.documents,
            occurrences: repeat.occurrences,
            standing: standing(sequence, array, own, repeat),
        })
        .collect()
}

/// What stands on one side of an occurrence.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    LineBreak,
    Template,
    Text,
}

/// Looks at occurrences spread evenly over all, [`MAX_LOOKED_AT`] at most: a share needs no more.
fn standing(sequence: &SymbolSequence, array: &SuffixArray, own: &OwnTokens, repeat: &Interval) -> Standing {
    const MAX_LOOKED_AT: usize = 64;
    let symbols = sequence.symbols();
    let is_break = |position: usize| symbols[position] == Vocabulary::BREAK.0;
    // A document starts and ends with a line break: a token that is none has neighbours.
    let side = |edge: usize, neighbour: fn(usize) -> usize| match edge {
        edge if is_break(edge) || is_break(neighbour(edge)) => Side::LineBreak,
        edge if !own.is_own(neighbour(edge)) => Side::Template,
        _ => Side::Text,
    };
    let looked_at = repeat.occurrences.min(MAX_LOOKED_AT);
    let (mut by_itself, mut amid_text) = (0, 0);
    for index in 0..looked_at {
        let start = array.position(repeat.first + index * repeat.occurrences / looked_at);
        match (side(start, |at| at - 1), side(start + repeat.len - 1, |at| at + 1)) {
            (Side::Text, _) | (_, Side::Text) => amid_text += 1,
            // Part of a larger template, which tells nothing of the part.
            (Side::Template, Side::Template) => {}
            _ => by_itself += 1,
        }
    }
    match by_itself + amid_text {
        0 => Standing(1.0),
        told => Standing(f64::from(by_itself) / f64::from(told)),
    }
}

/// Hashes of runs by their text, for symbols differ from source to source.
struct Fingerprints<'s> {
    sequence: &'s SymbolSequence,
    array: &'s SuffixArray,
    of_symbol: Vec<u64>,
}

impl<'s> Fingerprints<'s> {
    fn of(sequence: &'s SymbolSequence, array: &'s SuffixArray) -> Fingerprints<'s> {
        let vocabulary = sequence.vocabulary();
        let of_symbol = |symbol| {
            let mut hasher = FxHasher::default();
            vocabulary.run(&[Symbol(symbol)]).hash(&mut hasher);
            hasher.finish()
        };
        Fingerprints { sequence, array, of_symbol: (0..vocabulary.len() as u32).map(of_symbol).collect() }
    }

    fn of_repeat(&self, repeat: &Interval) -> Fingerprint {
        let start = self.array.position(repeat.first);
        let mut hasher = FxHasher::default();
        for &symbol in &self.sequence.symbols()[start..start + repeat.len] {
            hasher.write_u64(self.of_symbol[symbol as usize]);
        }
        Fingerprint(hasher.finish())
    }
}

/// Where an occurrence of a candidate stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// In this document ...
    pub document: DocumentIndex,
    /// ... these tokens, line breaks and the document's ends included.
    pub tokens: Range<usize>,
}

impl Example {
    fn of(sequence: &SymbolSequence, array: &SuffixArray, repeat: &Interval) -> Example {
        let start = array.position(repeat.first);
        let document = sequence.document_at(start);
        let start = start - sequence.document(document).start;
        Example { document, tokens: start..start + repeat.len }
    }
}

/// Copies the examples out of the texts, each document read once.
fn quote_examples<T: AsRef<str>>(candidates: &mut [Candidate], examples: &[Example], texts: &[T], lexer: &Lexer) {
    let mut of_document: BTreeMap<DocumentIndex, Vec<usize>> = BTreeMap::new();
    for (index, example) in examples.iter().enumerate() {
        of_document.entry(example.document).or_default().push(index);
    }
    let mut lexer = lexer.clone();
    for (document, indices) in of_document {
        let text = texts[document.0 as usize].as_ref();
        let tokens = lexer.tokens(text);
        for index in indices {
            candidates[index].example = quote(text, &tokens, &examples[index].tokens).to_owned();
        }
    }
}

/// The text of some tokens. A run that follows other text without white space is quoted with the token before,
/// without which its regex would not match.
fn quote<'t>(text: &'t str, tokens: &[Token], range: &Range<usize>) -> &'t str {
    let is_text = |token: &&Token| token.kind != TokenKind::Break;
    let tells = tokens[range.clone()].iter().find(is_text).zip(tokens[range.clone()].iter().rfind(is_text));
    let Some((first, last)) = tells else { return "" };
    let glued_to = tokens[..range.start].last().filter(|_| !first.space_before);
    &text[glued_to.unwrap_or(first).range().start..last.range().end]
}

/// The maximal repeats that have enough words and documents.
fn filtered_repeats(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    groups: &Groups,
    options: &MineOptions,
) -> Vec<Interval> {
    let words = WordCounts::of(sequence);
    let symbols = sequence.symbols();
    let mut repeats = Vec::new();
    visit_intervals(
        symbols,
        array,
        groups.len(),
        |at| groups.at(at),
        |interval| {
            if interval.is_maximal && interval.documents >= options.min_documents.max(2) {
                let start = array.position(interval.first);
                let end = start + interval.len;
                let is_break = |position: usize| symbols[position] == Vocabulary::BREAK.0;
                let is_whole_line = interval.len > 2 && is_break(start) && is_break(end - 1);
                let needed = if is_whole_line { 0 } else { options.min_words };
                if words.between(start, end) >= needed {
                    repeats.push(interval);
                }
            }
        },
    );
    repeats
}

/// How many word tokens lie between two positions, in constant time.
struct WordCounts(Vec<u32>);

impl WordCounts {
    fn of(sequence: &SymbolSequence) -> WordCounts {
        let vocabulary = sequence.vocabulary();
        let is_word: Vec<bool> =
            (0..vocabulary.len()).map(|symbol| vocabulary.kind(Symbol(symbol as u32)) == TokenKind::Word).collect();
        let mut words = 0;
        let mut counts = vec![0];
        counts.extend(sequence.symbols().iter().map(|&symbol| {
            words += u32::from(is_word.get(symbol as usize) == Some(&true));
            words
        }));
        WordCounts(counts)
    }

    fn between(&self, start: usize, end: usize) -> usize {
        (self.0[end] - self.0[start]) as usize
    }
}
