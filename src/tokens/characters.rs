//! What a word is made of.
//!
//! A *word character* is what `\w` means to a regex engine in Unicode mode: letters, marks, digits and
//! connecting punctuation. *Unspaced* scripts are written without white space between words, so there a
//! token is one character, with the marks that belong to it.

use std::sync::LazyLock;

/// Whether `\w` matches this character.
pub fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    WORD_CHARACTERS.contains(c)
}

/// Whether this is a letter, a number or `_`: a word character that is no mark.
pub fn is_letter_or_number(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    LETTERS_AND_NUMBERS.contains(c)
}

/// Whether this character's script is written without spaces between words: Han, Kana, Bopomofo, Yi,
/// Thai, Lao, Khmer, Myanmar, Tibetan and their like. Hangul is not: Korean has spaces.
pub fn is_unspaced(c: char) -> bool {
    !c.is_ascii() && UNSPACED.contains(c)
}

/// Whether this character continues the one before it (a combining mark, a joiner, a variation selector).
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && MARKS.contains(c)
}

/// Whether a word can run on from this character: a word character of a script with spaces.
pub fn is_run_character(c: char) -> bool {
    is_word_character(c) && !is_unspaced(c)
}

/// Whether the text's last character is one a word can run on from.
pub fn ends_in_run(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_run_character)
}

/// The unspaced scripts as a regex class.
pub(super) const UNSPACED_CLASS: &str = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}\p{New_Tai_Lue}\p{Tai_Le}\p{Tai_Tham}々〆〇ー]";

static WORD_CHARACTERS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(r"\w"));
static LETTERS_AND_NUMBERS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(r"[\p{L}\p{N}]"));
static MARKS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(r"[\p{M}\u200d\ufe0f]"));
static UNSPACED: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(UNSPACED_CLASS));

/// A set of characters: a bit each for the basic plane, sorted ranges for the rest.
struct CharacterSet {
    basic: Box<[u64; 1024]>,
    beyond: Vec<(char, char)>,
}

impl CharacterSet {
    fn of(class: &str) -> CharacterSet {
        let mut set = CharacterSet { basic: Box::new([0; 1024]), beyond: Vec::new() };
        let hir = regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind);
        if let Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) = hir {
            for range in class.ranges() {
                set.add(range.start(), range.end());
            }
        }
        set
    }

    fn add(&mut self, first: char, last: char) {
        for code in first as u32..=(last as u32).min(0xFFFF) {
            self.basic[code as usize / 64] |= 1 << (code % 64);
        }
        if last as u32 > 0xFFFF {
            self.beyond.push((first, last));
        }
    }

    fn contains(&self, c: char) -> bool {
        let code = c as u32;
        if code <= 0xFFFF {
            return self.basic[code as usize / 64] >> (code % 64) & 1 == 1;
        }
        let next = self.beyond.partition_point(|&(first, _)| first <= c);
        next > 0 && c <= self.beyond[next - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_regex_engine_on_every_character() {
        let word = regex::Regex::new(r"^\w$").unwrap();
        let mut buffer = [0; 4];
        for c in '\0'..=char::MAX {
            assert_eq!(is_word_character(c), word.is_match(c.encode_utf8(&mut buffer)), "{c:?}");
        }
    }

    #[test]
    fn scripts_without_spaces() {
        assert!("汉かカไກ々".chars().all(is_unspaced));
        assert!("aé한Жש".chars().all(|c| !is_unspaced(c)));
    }

    #[test]
    fn a_word_runs_on_from_letters_of_spaced_scripts() {
        assert!(ends_in_run("foo") && ends_in_run("été"));
        assert!(!ends_in_run("foo ") && !ends_in_run("手") && !ends_in_run(""));
    }
}
