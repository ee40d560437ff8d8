//! Texts as words, in order or as bags.
//!
//! A word is a run of letters, numbers and `_` (what `\w` means in Python's `re`). Words that differ only in case are
//! equal. A bag counts how often each word occurs. Line breaks, punctuation and order do not matter, so texts from
//! different extractions can be compared.
//!
//! Words are deliberately not [tokens](dehusk_core::tokens): a judgement of mining and cleaning must not depend on
//! their tokenizer.

use std::ops::Range;

use rustc_hash::FxHashMap;

pub use dehusk_core::tokens::characters::is_letter_or_number;

/// How often each word occurs in a text.
///
/// ```
/// use dehusk_run::scoring::words::Bag;
///
/// let (kept, gold) = (Bag::of("The boat, the Boat!"), Bag::of("A boat: the boat"));
/// assert_eq!((kept.total(), kept.common(&gold).total()), (4, 3));
/// assert_eq!(kept.without(&gold), Bag::of("the"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bag {
    counts: FxHashMap<String, usize>,
    total: usize,
}

impl Bag {
    /// The words of a text.
    pub fn of(text: &str) -> Bag {
        word_ranges(text).map(|range| fold(&text[range])).collect()
    }

    /// Number of words, counting repetitions.
    pub fn total(&self) -> usize {
        self.total
    }

    /// How often a [folded](fold) word occurs.
    pub fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// The words in both bags, with the smaller count.
    pub fn common(&self, other: &Bag) -> Bag {
        self.map_counts(|word, count| count.min(other.count(word)))
    }

    /// This bag minus the other.
    pub fn without(&self, other: &Bag) -> Bag {
        self.map_counts(|word, count| count.saturating_sub(other.count(word)))
    }

    /// Adds a [folded](fold) word this many times.
    pub fn add(&mut self, word: String, times: usize) {
        if times > 0 {
            *self.counts.entry(word).or_default() += times;
            self.total += times;
        }
    }

    /// The words with their counts, the most frequent first.
    pub fn ranked(&self) -> Vec<(&str, usize)> {
        let mut ranked: Vec<(&str, usize)> = self.counts.iter().map(|(word, &count)| (word.as_str(), count)).collect();
        ranked.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
        ranked
    }

    fn map_counts(&self, count: impl Fn(&str, usize) -> usize) -> Bag {
        let mut bag = Bag::default();
        self.counts.iter().for_each(|(word, &own)| bag.add(word.clone(), count(word, own)));
        bag
    }
}

impl FromIterator<String> for Bag {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Bag {
        let mut bag = Bag::default();
        words.into_iter().for_each(|word| bag.add(word, 1));
        bag
    }
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its bytes.
    pub range: Range<usize>,
    /// The hash of the [folded](fold) word. Two different words have the same hash with a probability of 2^-64.
    pub hash: u64,
}

/// The words of a text, in order.
pub fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    word_ranges(text).map(|range| Word { hash: hash(&fold(&text[range.clone()])), range })
}

/// The hashes of a text's words, in order.
pub fn word_hashes(text: &str) -> Vec<u64> {
    words(text).map(|word| word.hash).collect()
}

/// The byte ranges of a text's words, in order.
pub fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_letter_or_number)?;
        let end = text[start..].find(|c| !is_letter_or_number(c)).map_or(text.len(), |length| start + length);
        at = end;
        Some(start..end)
    })
}

/// The word in folded case, so that `STRASSE` equals `straße` and `ΤΈΛΟΣ` equals `τέλος`.
///
/// Converting to upper case and back is Unicode's full case folding for all letters except `ı`, which folding keeps
/// distinct from `i`. Words are converted to lower case first, because some capitals (`ẞ`) are their own upper case.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let folded = |c: char| c.to_uppercase().flat_map(char::to_lowercase);
    let mut without_case = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ı' => without_case.push(c),
            c => without_case.extend(folded(c)),
        }
    }
    without_case
}

/// FNV-1a.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        word_ranges(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn words_are_runs_of_letters_numbers_and_underscores() {
        assert_eq!(split("It's 3,5 km_h – „Größe“ x²½"), ["It", "s", "3", "5", "km_h", "Größe", "x²½"]);
        assert_eq!(split("ไม่ได้ 東京"), ["ไม", "ได", "東京"]);
        assert_eq!(split("e\u{301}a ⓐ"), ["e", "a"]);
        assert_eq!(split(" … "), [""; 0]);
    }

    #[test]
    fn case_does_not_count() {
        let same = [
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("τέλος", "ΤΈΛΟΣ"),
            ("ﬁx", "FIX"),
            ("ŉ", "ʼN"),
            ("ᾳ", "ΑΙ"),
            ("İ", "i\u{307}"),
            ("ꭰ", "Ꭰ"),
            ("ſ", "S"),
            ("K", "k"),
        ];
        for (one, other) in same {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("ı"), fold("i"));
        assert_ne!(fold("é"), fold("e"));
    }

    #[test]
    fn hashes_are_those_of_folded_words() {
        assert_eq!(word_hashes("Über UNS."), word_hashes("(über) uns"));
        assert_ne!(word_hashes("über uns"), word_hashes("uns über"));
        assert_eq!(word_hashes("A")[0], 0xaf63_dc4c_8601_ec8c, "FNV-1a of `a`, as published");
    }

    #[test]
    fn bags_count() {
        let (one, other) = (Bag::of("a A a b"), Bag::of("a a b b c"));
        assert_eq!((one.total(), one.count("a"), one.count("c")), (4, 3, 0));
        assert_eq!(one.common(&other), Bag::of("a a b"));
        assert_eq!(one.without(&other), Bag::of("a"));
        assert_eq!(other.without(&one), Bag::of("b c"));
        assert_eq!(other.ranked(), [("a", 2), ("b", 2), ("c", 1)]);
    }
}
