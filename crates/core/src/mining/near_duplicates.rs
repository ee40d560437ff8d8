//! Finds near-duplicates: documents with the same story count once.
//!
//! An article that is stored twice, an updated version, a wire story: their bodies recur, but they are not template.
//! Takes the suffix array and returns each document's group. Document frequency then counts groups.
//!
//! Two documents are near-duplicates if they share most of their *own* tokens. A token is a document's own if it is not
//! part of a run that many documents share. So two pages that are mostly template are not near-duplicates. Common runs
//! are found by comparing neighbouring suffixes. Each run counts only from its leftmost start. Groups are the
//! transitive closure of the pairs. Identical documents always form one group. The time is linear, apart from sorting
//! the pairs.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::places::Places;
use super::repeats::{Interval, Least, NONE, longest_at_positions, select_intervals};
use super::suffix_array::SuffixArray;
use crate::tokens::{DocumentIndex, SymbolSequence};

/// Minimum number of tokens of a run that can be a sign of a copy. 12 is longer than a stock phrase and shorter than a
/// sentence.
pub(super) const MIN_RUN_OF_COPY: usize = 12;
/// Two documents are near-duplicates if they share at least this part of the own tokens of the document that has fewer.
pub(super) const MIN_SHARED_PART: f64 = 0.6;
/// Minimum number of own tokens. A document with fewer is only compared as a whole.
pub(super) const MIN_OWN: u32 = 32;
/// A run is boilerplate if it is in more than this share of the documents, in more than [`MIN_WIDE`] of them, and has
/// at least [`MIN_WIDE_RUN`] tokens. Then its tokens are not a document's own.
const WIDE_SHARE: f64 = 0.2;
const MIN_WIDE: usize = 3;
/// Minimum number of tokens of a run that is boilerplate. Shorter runs, such as "in the", are in every text.
const MIN_WIDE_RUN: usize = 5;

/// The groups of near-duplicates. Each group counts as one document.
#[derive(Debug)]
pub struct Groups {
    group_of_document: Vec<u32>,
    groups: usize,
}

impl Groups {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.groups
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.groups == 0
    }

    /// The group of a document. Groups are numbered in the order of their first documents.
    #[inline]
    pub fn of(&self, document: DocumentIndex) -> u32 {
        self.group_of_document[document.0 as usize]
    }

    /// Groups identical documents. `alike` may give groups that are known already: for each document a number, which is
    /// equal within a group.
    pub fn of_identical(sequence: &SymbolSequence, alike: Option<&[u32]>) -> Groups {
        let mut links = alike.map_or_else(|| Links::new(sequence.documents()), Links::of_groups);
        link_identical(sequence, &mut links);
        Groups::new(links)
    }

    fn new(mut links: Links) -> Groups {
        let mut number_of_root = FxHashMap::default();
        let group_of_document: Vec<u32> = (0..links.0.len() as u32)
            .map(|document| {
                let fresh = number_of_root.len() as u32;
                *number_of_root.entry(links.root(document)).or_insert(fresh)
            })
            .collect();
        Groups { groups: number_of_root.len(), group_of_document }
    }
}

/// Groups the near-duplicates of a source. Also returns which tokens are a document's own. Documents of one group of
/// `copies` stay in one group.
pub fn group_near_duplicates(
    sequence: &SymbolSequence,
    array: &SuffixArray,
    places: &Places,
    copies: &Groups,
) -> (Groups, OwnTokens) {
    let own = OwnTokens::count(sequence, array, places, copies);
    let shared = shared_tokens(array, places, &own);
    let mut links = Links::of_groups(&copies.group_of_document);
    for ((a, b), tokens) in shared {
        let smaller = own.of(sequence, a).min(own.of(sequence, b));
        if smaller >= MIN_OWN && f64::from(tokens) >= MIN_SHARED_PART * f64::from(smaller) {
            links.join(a.0, b.0);
        }
    }
    (Groups::new(links), own)
}

fn link_identical(sequence: &SymbolSequence, links: &mut Links) {
    let mut first_of: FxHashMap<&[u32], u32> = FxHashMap::default();
    for document in 0..sequence.documents() as u32 {
        let tokens = &sequence.symbols()[sequence.document(DocumentIndex(document))];
        let first = *first_of.entry(tokens).or_insert(document);
        links.join(first, document);
    }
}

/// Prefix sums: for each position, the number of own tokens before it in its part of the sequence. Only differences
/// within one document are meaningful.
#[derive(Debug)]
pub struct OwnTokens(Vec<u32>);

impl OwnTokens {
    fn count(sequence: &SymbolSequence, array: &SuffixArray, places: &Places, groups: &Groups) -> OwnTokens {
        let wide = MIN_WIDE.max((groups.len() as f64 * WIDE_SHARE) as usize);
        let least = Least { len: MIN_WIDE_RUN, occurrences: wide + 1 };
        // A run that is not maximal is always part of a maximal one, so it needs no check.
        let is_wide = |interval: &Interval| interval.is_maximal && interval.documents > wide;
        let wide = select_intervals(array, places, groups.len(), |document| groups.of(document), least, is_wide);
        let mut counts = longest_at_positions(array, &wide);
        sequence.in_parts(&mut counts).into_par_iter().for_each(|part| {
            let (mut own, mut covered_to) = (0, 0);
            for (position, value) in part.iter_mut().enumerate() {
                if *value != NONE {
                    covered_to = covered_to.max(position + wide[*value as usize].len);
                }
                *value = own;
                own += u32::from(position >= covered_to);
            }
        });
        OwnTokens(counts)
    }

    /// Whether the token at a position belongs to its document: it is not part of a run that many documents share.
    pub fn is_own(&self, position: usize) -> bool {
        self.between(position, position + 1) == 1
    }

    fn between(&self, start: usize, end: usize) -> u32 {
        self.0[end] - self.0[start]
    }

    fn of(&self, sequence: &SymbolSequence, document: DocumentIndex) -> u32 {
        let positions = sequence.document(document);
        self.between(positions.start, positions.end)
    }
}

/// For each pair of documents: the number of own tokens in runs that neighbouring suffixes of the two share. Sorted by
/// pair.
fn shared_tokens(array: &SuffixArray, places: &Places, own: &OwnTokens) -> Vec<((DocumentIndex, DocumentIndex), u32)> {
    let count = |ranks: Range<usize>| {
        let mut shared: FxHashMap<(DocumentIndex, DocumentIndex), u32> = FxHashMap::default();
        for rank in ranks {
            let common = array.common(rank);
            if common < MIN_RUN_OF_COPY || places.is_preceded_alike(rank) {
                continue;
            }
            let (a, b) = (places.document(rank - 1), places.document(rank));
            if a != b {
                let start = array.position(rank - 1);
                *shared.entry((a.min(b), a.max(b))).or_default() += own.between(start, start + common);
            }
        }
        shared
    };
    let add = |mut sums: FxHashMap<_, u32>, others: FxHashMap<_, u32>| {
        others.into_iter().for_each(|(pair, tokens)| *sums.entry(pair).or_default() += tokens);
        sums
    };
    let part = array.len() / rayon::current_num_threads() + 1;
    let parts: Vec<Range<usize>> =
        (1..array.len()).step_by(part).map(|start| start..(start + part).min(array.len())).collect();
    let mut shared: Vec<_> = parts.into_par_iter().map(count).reduce(FxHashMap::default, add).into_iter().collect();
    shared.sort_unstable();
    shared
}

/// Disjoint sets of documents.
struct Links(Vec<u32>);

impl Links {
    fn new(documents: usize) -> Links {
        Links((0..documents as u32).collect())
    }

    fn of_groups(group_of_document: &[u32]) -> Links {
        let mut first_of_group = FxHashMap::default();
        let first = |(document, group): (usize, &u32)| *first_of_group.entry(*group).or_insert(document as u32);
        Links(group_of_document.iter().enumerate().map(first).collect())
    }

    fn root(&mut self, document: u32) -> u32 {
        let mut at = document;
        while self.0[at as usize] != at {
            let parent = self.0[at as usize];
            self.0[at as usize] = self.0[parent as usize];
            at = parent;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    fn groups(texts: &[String]) -> Vec<u32> {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let sequence = SymbolSequence::of_texts(texts, &lexer).unwrap();
        let array = SuffixArray::build(sequence.symbols());
        let copies = Groups::of_identical(&sequence, None);
        let (groups, _) = group_near_duplicates(&sequence, &array, &Places::of(&sequence, &array), &copies);
        (0..texts.len() as u32).map(|document| groups.of(DocumentIndex(document))).collect()
    }

    /// A text that is different for each seed.
    fn story(seed: usize, words: usize) -> String {
        (0..words).map(|word| format!("s{seed}w{word}")).collect::<Vec<_>>().join(" ")
    }

    fn template(words: usize) -> String {
        (0..words).map(|word| format!("menu{word}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn identical_documents_are_one_group() {
        assert_eq!(groups(&["a b".into(), "c d".into(), "a b".into()]), [0, 1, 0]);
    }

    #[test]
    fn an_updated_version_joins_its_original() {
        let texts = [story(1, 80), story(2, 80), format!("{} updated {}", story(1, 70), story(3, 20))];
        assert_eq!(groups(&texts), [0, 1, 0]);
    }

    #[test]
    fn a_large_shared_template_makes_no_duplicates() {
        let texts: Vec<String> = (0..8).map(|seed| format!("{}\n{}", template(200), story(seed, 40))).collect();
        assert_eq!(groups(&texts), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_quoted_paragraph_makes_no_duplicate() {
        let texts = [format!("{} {}", story(9, 30), story(1, 80)), format!("{} {}", story(9, 30), story(2, 80))];
        assert_eq!(groups(&texts), [0, 1]);
    }
}
