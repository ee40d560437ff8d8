//! Decides which patterns have a place in documents.
//!
//! Takes a source's documents as its patterns see them. A pattern has a place if it nearly always stands at the head or
//! at the tail of documents, next to others that do ([`Frame`]). This depends on which other patterns have a place. So
//! at first all are assumed to have one. The frames are grown, the patterns that mostly stand outside of them lose
//! their place, and this is repeated until none does.
//!
//! Also checks what varies in a pattern: its dates, numbers and free stretches. If these differ from document to
//! document, the pattern identifies documents. "3 responses" and "Page 2 of 5" are in many documents, but the same
//! price or author is in few.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::cleaning::evidence::{Match, Weight};
use crate::cleaning::frame::{Frame, MOST};
use crate::patterns::{Pattern, PatternFile, Place};
use crate::selection::sampling::{Sample, Sampled};
use crate::tokens::TokenKind;

/// Minimum share of the documents with a pattern in which it stands in the frame. With less, it has no place.
const MIN_IN_PLACE: f64 = 0.9;
/// A pattern in half of the documents ([`MOST`]) may have a place. Any other pattern needs at least this many
/// documents, this share and this many words. A person's signature is shorter.
pub(crate) const MIN_DOCUMENTS: usize = 10;
pub(crate) const MIN_SHARE: f64 = 0.1;
const MIN_WORDS: f64 = 5.0;
/// Documents are of a special kind if at least this share of their text outside of the frames recurs ...
const MIN_RECURRING: f64 = 0.1;
/// ... and at least this many times the share in the other documents.
const OF_A_KIND: f64 = 2.0;
/// What varies in a pattern identifies documents if the number of different values is at least this share of its
/// documents, and at least this many.
const MIN_DIFFERENT: f64 = 0.5;
const MIN_VALUES: usize = 5;

/// The places of a cleaner's patterns.
#[derive(Clone, Debug)]
pub struct Places(Vec<Found>);

/// The result for one pattern.
#[derive(Clone, Debug, Default)]
struct Found {
    id: String,
    stands: Stands,
    identifies: bool,
}

/// Numbers of documents with a pattern: in all, and by where it stands.
#[derive(Clone, Copy, Debug, Default)]
struct Stands {
    documents: usize,
    at_head: usize,
    at_tail: usize,
    at_ends: usize,
}

impl Stands {
    fn place(&self) -> Option<Place> {
        Place::ALL.into_iter().find(|&place| self.is_at(place))
    }

    /// The part of a place that the pattern keeps.
    fn still(&self, place: Place) -> Option<Place> {
        match place {
            Place::Ends => self.place(),
            narrow => self.is_at(narrow).then_some(narrow),
        }
    }

    fn is_at(&self, place: Place) -> bool {
        let stands = match place {
            Place::Head => self.at_head,
            Place::Tail => self.at_tail,
            Place::Ends => self.at_ends,
        };
        stands > 0 && stands as f64 >= MIN_IN_PLACE * self.documents as f64
    }

    fn add(&mut self, other: &Stands) {
        self.documents += other.documents;
        self.at_head += other.at_head;
        self.at_tail += other.at_tail;
        self.at_ends += other.at_ends;
    }
}

impl Places {
    /// Finds the places in the documents.
    pub fn of(sampled: &Sampled) -> Places {
        let (patterns, weights) = (sampled.cleaner.patterns(), sampled.cleaner.weights());
        let may_have = |(pattern, weight): (&Pattern, &Weight)| {
            recurs_enough(weight.share, weight.documents, words(&pattern.example)).then_some(Place::Ends)
        };
        let mut places: Vec<Option<Place>> = patterns.iter().zip(weights).map(may_have).collect();
        let stands = loop {
            let frames = frames(sampled, &places);
            let stands = stand(sampled, &frames, places.len());
            let next: Vec<Option<Place>> =
                places.iter().zip(&stands).map(|(place, stands)| stands.still((*place)?)).collect();
            if next != places {
                // The loop ends, because a place is only ever lost or narrowed.
                places = next;
                continue;
            }
            let of_a_kind = of_a_kind(sampled, &frames);
            let mut are_lost =
                places.iter_mut().zip(of_a_kind).filter(|(place, is_of_a_kind)| place.is_some() && *is_of_a_kind);
            if are_lost.by_ref().map(|(place, _)| *place = None).count() == 0 {
                break stands;
            }
        };
        let identifies = identifying(sampled, &places);
        let found = |(((pattern, place), stands), identifies): (((&Pattern, Option<Place>), Stands), bool)| {
            // A pattern without a place in this source does not count in other sources either.
            let stands =
                if place.is_some() { stands } else { Stands { documents: stands.documents, ..Stands::default() } };
            Found { id: pattern.id.clone(), stands, identifies }
        };
        Places(patterns.iter().zip(places).zip(stands).zip(identifies).map(found).collect())
    }

    /// Sets the places in the source's file.
    pub fn mark(&self, file: &mut PatternFile) {
        mark(file, self.0.iter());
    }

    /// Sets the places in the shared file, from all sources together.
    pub fn mark_shared<'p>(all: impl Iterator<Item = &'p Places>, file: &mut PatternFile) {
        let mut sums: HashMap<&str, Found> = HashMap::new();
        for Found { id, stands, identifies } in all.flat_map(|places| &places.0) {
            let sum = sums.entry(id).or_insert_with(|| Found { id: id.clone(), ..Found::default() });
            sum.stands.add(stands);
            sum.identifies |= identifies;
        }
        mark(file, sums.values());
    }
}

fn mark<'f>(file: &mut PatternFile, found: impl Iterator<Item = &'f Found>) {
    let found: HashMap<&str, &Found> = found.map(|found| (found.id.as_str(), found)).collect();
    for pattern in file.all_mut().filter(|pattern| !pattern.is_touched()) {
        let found = found.get(pattern.id.as_str());
        pattern.place = found.and_then(|found| found.stands.place());
        pattern.identifies = pattern.place.is_some() && found.is_some_and(|found| found.identifies);
    }
}

/// Whether a pattern with these figures may have a place.
pub(crate) fn recurs_enough(share: f64, documents: usize, words: f64) -> bool {
    share >= MOST || documents >= MIN_DOCUMENTS && share >= MIN_SHARE && words >= MIN_WORDS
}

fn words(example: &str) -> f64 {
    example.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count() as f64
}

/// The frame of each document, given the places.
fn frames(sampled: &Sampled, places: &[Option<Place>]) -> Vec<Frame> {
    let weights = sampled.cleaner.weights();
    let frame = |Sample { reading, .. }: &Sample| {
        Frame::grown(&reading.layout, &reading.matches, weights, |found| places[found.pattern])
    };
    sampled.samples.par_iter().map(frame).collect()
}

/// For each pattern, the numbers of documents by where it stands, given the frames.
fn stand(sampled: &Sampled, frames: &[Frame], patterns: usize) -> Vec<Stands> {
    let mut all = vec![Stands::default(); patterns];
    for (Sample { reading, .. }, frame) in sampled.samples.iter().zip(frames) {
        // Matches are grouped by pattern.
        for of_pattern in reading.matches.chunk_by(|a, b| a.pattern == b.pattern) {
            let is_any = |is_there: &dyn Fn(&Match) -> bool| usize::from(of_pattern.iter().any(is_there));
            let stands = &mut all[of_pattern[0].pattern];
            stands.documents += 1;
            stands.at_head += is_any(&|found| found.tokens.end <= frame.head);
            stands.at_tail += is_any(&|found| found.tokens.start >= frame.tail);
            stands.at_ends += is_any(&|found| frame.holds(&found.tokens));
        }
    }
    all
}

/// For each pattern, whether its documents are of a special kind, such as messages of a robot or of one sender: between
/// their frames, much of the text recurs, and a greater share than in the other documents. This is never so for a
/// pattern in most documents ([`MOST`]), because it is put around documents of any kind.
fn of_a_kind(sampled: &Sampled, frames: &[Frame]) -> Vec<bool> {
    let weights = sampled.cleaner.weights();
    let recurring = |Sample { reading, .. }: &Sample, frame: &Frame| {
        let (mut words, mut matched) = (0.0, 0.0);
        let evidence = sampled.cleaner.weigh(reading, &reading.matches).of_token;
        for (token, p) in evidence.iter().enumerate().take(frame.tail).skip(frame.head) {
            let of_token = reading.layout.words(&(token..token + 1));
            words += of_token;
            matched += if *p >= 0.5 { of_token } else { 0.0 };
        }
        if words > 0.0 { matched / words } else { 0.0 }
    };
    let shares: Vec<f64> =
        sampled.samples.par_iter().zip(frames).map(|(sample, frame)| recurring(sample, frame)).collect();
    let all: f64 = shares.iter().sum();
    let mut with = vec![(0.0, 0.0); weights.len()];
    for (Sample { reading, .. }, share) in sampled.samples.iter().zip(&shares) {
        for of_pattern in reading.matches.chunk_by(|a, b| a.pattern == b.pattern) {
            let (documents, sum) = &mut with[of_pattern[0].pattern];
            (*documents, *sum) = (*documents + 1.0, *sum + share);
        }
    }
    let is_of_a_kind = |((documents, sum), weight): (&(f64, f64), &Weight)| {
        let others = shares.len() as f64 - documents;
        let (mean, of_others) = (sum / documents.max(1.0), (all - sum) / others.max(1.0));
        weight.share < MOST && others > 0.0 && mean >= MIN_RECURRING && mean >= OF_A_KIND * of_others
    };
    with.iter().zip(weights).map(is_of_a_kind).collect()
}

/// For each pattern, whether it has a place and identifies documents.
fn identifying(sampled: &Sampled, places: &[Option<Place>]) -> Vec<bool> {
    let weights = sampled.cleaner.weights();
    let mut values: Vec<(usize, HashSet<String>)> = vec![(0, HashSet::new()); places.len()];
    for Sample { text, reading } in &sampled.samples {
        for of_pattern in reading.matches.chunk_by(|a, b| a.pattern == b.pattern) {
            let Match { tokens, pattern } = &of_pattern[0];
            if places[*pattern].is_none() {
                continue;
            }
            let varies = |kind: TokenKind| weights[*pattern].has_free || matches!(kind, TokenKind::Mutable(_));
            let varying = reading.tokens.tokens[tokens.clone()].iter().filter(|token| varies(token.kind));
            let value: Vec<&str> = varying.map(|token| &text[token.range()]).collect();
            values[*pattern].0 += 1;
            if !value.is_empty() {
                values[*pattern].1.insert(value.join(" "));
            }
        }
    }
    let is_identifying = |(documents, values): &(usize, HashSet<String>)| {
        values.len() >= MIN_VALUES && values.len() as f64 >= MIN_DIFFERENT * *documents as f64
    };
    values.iter().map(is_identifying).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mining::cross_source::cross_source;
    use crate::mining::{MineOptions, mine_texts};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// The patterns mined from these texts, with their places.
    fn marked(texts: &[String]) -> PatternFile {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let mined = mine_texts(texts, &lexer, &MineOptions::default()).unwrap();
        let facts = mined.facts();
        let own = cross_source(&[mined]).own.remove(0);
        let mut file = PatternFile::of_templates("s", facts, own, &lexer);
        let places = Places::of(&Sampled::new(&file, None, texts));
        places.mark(&mut file);
        file
    }

    /// Words that are in no other document.
    fn text(document: usize, from: usize) -> String {
        (from..from + 8 + document % 5).map(|word| format!("d{document}w{word} ")).collect()
    }

    /// The same as a sentence.
    fn said(document: usize, from: usize) -> String {
        format!("{}.", text(document, from).trim_end())
    }

    /// The place of the pattern whose example contains this text, and whether it identifies.
    fn found(file: &PatternFile, start: &str) -> (Option<Place>, bool) {
        let pattern = file.patterns.iter().find(|pattern| pattern.example.contains(start));
        pattern.map(|pattern| (pattern.place, pattern.identifies)).unwrap_or_else(|| {
            panic!("{start}: {:?}", file.patterns.iter().map(|pattern| &pattern.example).collect::<Vec<_>>())
        })
    }

    #[test]
    fn what_stands_at_the_ends_has_a_place_and_what_stands_amid_the_text_has_none() {
        let page = |at| {
            let (one, two) = (said(at, 0), said(at, 20));
            format!("The marsh list of boats\n{one}\nServes four hungry people\n{two}\nTo leave write to the keeper\n")
        };
        let file = marked(&(0..20).map(page).collect::<Vec<_>>());
        assert_eq!(found(&file, "The marsh"), (Some(Place::Head), false));
        assert_eq!(found(&file, "Serves four"), (None, false));
        assert_eq!(found(&file, "To leave"), (Some(Place::Tail), false));
    }

    #[test]
    fn what_varies_with_the_document_identifies_it() {
        let page = |at: usize| {
            let price = format!("Price of it: {}.50 EUR", at + 3);
            let texts = [0, 20, 40].map(|from| said(at, from)).join("\n");
            format!("Page {} of two hundred\n{texts}\n{price}\n", 1 + at % 2)
        };
        let pages: Vec<String> = (0..20).map(page).collect();
        let copies: Vec<String> = pages.iter().flat_map(|page| vec![page.clone(); 5]).collect();
        for texts in [pages, copies] {
            let file = marked(&texts);
            assert_eq!(found(&file, "Page "), (Some(Place::Head), false));
            assert_eq!(found(&file, "Price of it"), (Some(Place::Tail), true), "the same text counts once");
        }
    }

    #[test]
    fn what_some_documents_end_with_has_no_place_if_these_are_of_a_kind() {
        let page = |at: usize, robot: bool| {
            let sign = if robot { "\nThe build robot of the lower marsh" } else { "" };
            let body = if robot { "We tried the patch and it did not build on any of our boats\n" } else { "" };
            format!("{}\n{body}{}\n{}{sign}\n", text(at, 0), text(at, 20), text(at, 40))
        };
        let is_robot = |at: usize| at.is_multiple_of(3);
        let robots = marked(&(0..60).map(|at| page(at, is_robot(at))).collect::<Vec<_>>());
        assert_eq!(found(&robots, "The build robot").0, None);
        let page = |at: usize| page(at, false) + if is_robot(at) { "The build robot of the lower marsh\n" } else { "" };
        let any = marked(&(0..60).map(page).collect::<Vec<_>>());
        assert_eq!(found(&any, "The build robot").0, Some(Place::Tail));
    }
}
