//! Words as the experiments compare them: runs of letters and digits, case folded.
//!
//! Apart from [`tokens`](crate::tokens) on purpose: what judges mining and cleaning must not depend on how they read.

use std::ops::Range;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its bytes.
    pub range: Range<usize>,
    /// The same for the same word in upper and lower case; different words share one with a chance of 2^-64.
    pub hash: u64,
}

/// The words of a text, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (is_word(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(word(text, from..at));
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| word(text, from..text.len())));
    words
}

/// The words of a text, without their places.
pub fn word_hashes(text: &str) -> Vec<u64> {
    words(text).into_iter().map(|word| word.hash).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(text: &str, range: Range<usize>) -> Word {
    Word { hash: hash(&text[range.clone()]), range }
}

/// FNV-1a over the lower-case form.
fn hash(word: &str) -> u64 {
    let mut bytes = [0; 4];
    word.chars().flat_map(char::to_lowercase).fold(0xcbf2_9ce4_8422_2325, |hash, c| {
        c.encode_utf8(&mut bytes)
            .bytes()
            .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits() {
        let text = "\"Zwölf Boote,\" don't 2nd";
        let found: Vec<&str> = words(text).into_iter().map(|word| &text[word.range]).collect();
        assert_eq!(found, ["Zwölf", "Boote", "don", "t", "2nd"]);
    }

    #[test]
    fn case_and_punctuation_do_not_count() {
        assert_eq!(word_hashes("Über UNS."), word_hashes("(über) uns"));
        assert_ne!(word_hashes("über uns"), word_hashes("uns über"));
        assert_eq!(word_hashes("a")[0], 0xaf63_dc4c_8601_ec8c, "FNV-1a of `a`, as published");
    }
}
