//! Which patterns and documents of a source are shown, and in which order.
//!
//! Takes the effects of patterns, gives indices of patterns and documents, the most important first.

use std::cmp::Reverse;

use dehusk_core::patterns::{PatternFile, Status};
use dehusk_core::selection::effects::{DocumentEffect, PatternEffect};

/// The patterns of a file, as indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The patterns that are not rejected, sorted by the number of bytes that they remove, then by number of matches.
    pub applied: Vec<usize>,
    /// The rejected patterns, sorted by number of matches.
    pub rejected: Vec<usize>,
}

impl Ranking {
    /// Ranks the patterns of a file by their effects.
    pub fn of(file: &PatternFile, effects: &[PatternEffect]) -> Ranking {
        let mut all: Vec<usize> = (0..file.patterns.len()).collect();
        all.sort_by_key(|&index| (Reverse(effects[index].removed), Reverse(effects[index].matches), index));
        let is_rejected = |&index: &usize| file.patterns[index].status == Status::Rejected;
        let (rejected, applied) = all.into_iter().partition(is_rejected);
        Ranking { applied, rejected }
    }

    /// The patterns shown in full: up to `limit` applied and up to `limit` rejected patterns.
    pub fn in_full(&self, limit: usize) -> impl Iterator<Item = usize> + '_ {
        [&self.applied, &self.rejected].into_iter().flat_map(move |all| all.iter().take(limit).copied())
    }
}

/// The documents with the largest share removed, and the documents with the smallest share removed, up to `count` of
/// each. No document is in both; empty documents are left out.
pub fn extremes(documents: &[Option<DocumentEffect>], count: usize) -> [Vec<usize>; 2] {
    let effect = |index: usize| documents[index].unwrap_or_default();
    let mut sorted: Vec<usize> = (0..documents.len()).filter(|&index| effect(index).bytes > 0).collect();
    sorted.sort_by(|&a, &b| effect(b).share().total_cmp(&effect(a).share()).then(a.cmp(&b)));
    let least_from = sorted.len().saturating_sub(count).max(count.min(sorted.len()));
    let least = sorted[least_from..].iter().rev().copied().collect();
    sorted.truncate(count);
    [sorted, least]
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::patterns::LexerCache;

    #[test]
    fn what_removes_most_comes_first_and_what_is_rejected_last() {
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
                    - {id: a, regex: a}\n  - {id: b, regex: b, status: rejected}\n  - {id: c, regex: c}\n  \
                    - {id: d, regex: d}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let effect = |&(removed, matches)| PatternEffect { removed, matches, ..PatternEffect::default() };
        let effects: Vec<PatternEffect> = [(0, 1), (0, 90), (0, 7), (5, 1)].iter().map(effect).collect();
        let ranking = Ranking::of(&file, &effects);
        assert_eq!(ranking, Ranking { applied: vec![3, 2, 0], rejected: vec![1] });
        assert_eq!(ranking.in_full(2).collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn no_document_is_shown_twice() {
        let document = |&removed| Some(DocumentEffect { bytes: 10, removed });
        let mut documents: Vec<_> = [3, 9, 1, 9].iter().map(document).collect();
        documents.extend([None, Some(DocumentEffect::default())]);
        assert_eq!(extremes(&documents, 1), [vec![1], vec![2]]);
        assert_eq!(extremes(&documents, 3), [vec![1, 3, 0], vec![2]]);
        assert_eq!(extremes(&documents, 9), [vec![1, 3, 0, 2], Vec::new()]);
        let none: [Vec<usize>; 2] = Default::default();
        assert_eq!((extremes(&documents, 0), extremes(&[], 2)), (none.clone(), none));
    }
}
