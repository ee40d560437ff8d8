//! Classes of characters.
//!
//! A *word character* is a character that `\w` matches in a regex engine in Unicode mode: letters, marks, digits and
//! connecting punctuation. *Unspaced* scripts are written without white space between words. In these, a token is one
//! character with its marks.

use std::sync::LazyLock;

/// Whether `\w` matches this character.
pub fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    WORD_CHARACTERS.contains(c)
}

/// Whether this is a letter, a number or `_`: a word character that is not a mark.
pub fn is_letter_or_number(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    LETTERS_AND_NUMBERS.contains(c)
}

/// Whether this character's script is written without spaces between words: Han, Kana, Bopomofo, Yi, Thai, Lao, Khmer,
/// Myanmar, Tibetan and similar ones. Not Hangul: Korean has spaces.
pub fn is_unspaced(c: char) -> bool {
    !c.is_ascii() && UNSPACED.contains(c)
}

/// Whether any character of the text is of a script without spaces.
pub fn has_unspaced(text: &str) -> bool {
    !text.is_ascii() && text.contains(is_unspaced)
}

/// The length of a word in half words: 2, or 1 if it is of a script without spaces.
pub fn half_words(word: &str) -> usize {
    if has_unspaced(word) { 1 } else { 2 }
}

/// Number of words in a text. Two characters of scripts without spaces count as a word.
pub fn words(text: &str) -> usize {
    let (mut halves, mut is_inside) = (0, false);
    for c in text.chars() {
        match is_run_character(c) {
            true => halves += if is_inside { 0 } else { 2 },
            false => halves += usize::from(is_word_character(c)),
        }
        is_inside = is_run_character(c);
    }
    halves.div_ceil(2)
}

/// The position of the first non-ASCII character from byte `start` on, or the end of the text.
pub(crate) fn next_beyond_ascii(text: &str, start: usize) -> usize {
    const BLOCK_OF_BYTES: usize = 64; // as much as the processor checks with a few instructions
    let bytes = &text.as_bytes()[start..];
    let blocks = bytes.chunks(BLOCK_OF_BYTES).take_while(|block| block.is_ascii()).count();
    let ascii = (blocks * BLOCK_OF_BYTES).min(bytes.len());
    start + ascii + bytes[ascii..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Whether this character continues the one before it: a combining mark, a joiner, a variation selector, the
/// Thai and Lao vowel AM, a half-width voicing mark, the skin colour of an emoji.
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && MARKS.contains(c)
}

/// Whether a word can continue from this character to the next: a word character of a script with spaces.
pub fn is_run_character(c: char) -> bool {
    is_word_character(c) && !is_unspaced(c)
}

/// Whether a word can continue after the end of this text. A mark counts as the character it modifies: after `❤️` no
/// word continues. A mark at the start of the text or after white space counts as itself.
#[inline]
pub fn ends_in_run(text: &str) -> bool {
    if let Some(last @ 0..=0x7f) = text.as_bytes().last() {
        return is_run_character(char::from(*last));
    }
    let base = text.chars().rev().find(|&c| !is_mark(c)).filter(|c| !c.is_whitespace());
    base.or(text.chars().next_back()).is_some_and(is_run_character)
}

/// Whether the text contains a word. Marks and joiners on a symbol do not make it a word.
#[inline]
pub fn has_word(text: &str) -> bool {
    match text.as_bytes() {
        [first, ..] if first.is_ascii_alphanumeric() => true,
        [b'!'..=b'/'] => false,
        _ => text.contains(|c| is_word_character(c) && !is_mark(c)),
    }
}

/// The unspaced scripts as the inside of a regex class. Plain ranges, because Python's `re` knows no scripts: Thai to
/// Myanmar, Khmer, Tai, Balinese, Javanese, Han and Kana to Yi without the Korean letters between them, half-width
/// Katakana, and the ideographs beyond the basic plane. Of the compatibility ideographs, only those that Unicode
/// normalization does not change: an editor may change the others, here and in pattern files.
macro_rules! unspaced_ranges {
    () => {
        "ก-႟ក-៹ᥐ-᪭ᬀ-᭿ꦀ-ꧾꩠ-ꩿ⺀-ㄯ㆐-꓆﨎-﨩ｦ-ﾟ𠀀-𿿽"
    };
}
pub(crate) use unspaced_ranges;

/// The word characters of the unspaced scripts, as a class for Rust's regex.
pub(super) const UNSPACED_CLASS: &str = concat!(r"[\w&&[", unspaced_ranges!(), "]]");

static WORD_CHARACTERS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(r"\w"));
static LETTERS_AND_NUMBERS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(r"[\p{L}\p{N}]"));
static MARKS: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(MARK_CLASS));
const MARK_CLASS: &str = r"[\p{M}\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff]";

static UNSPACED: LazyLock<CharacterSet> = LazyLock::new(|| CharacterSet::of(UNSPACED_CLASS));

/// A set of characters: a bitmap for the basic plane, sorted ranges for the rest.
#[derive(Debug)]
pub(super) struct CharacterSet {
    basic: Box<[u64; 1024]>,
    beyond: Vec<(char, char)>,
}

impl CharacterSet {
    pub(super) fn of(class: &str) -> CharacterSet {
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

    pub(super) fn contains(&self, c: char) -> bool {
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
        assert!(ends_in_run("foo") && ends_in_run("été") && ends_in_run("e\u{301}") && ends_in_run("हिन्दी"));
        assert!(!ends_in_run("foo ") && !ends_in_run("手") && !ends_in_run(""));
        assert!(!ends_in_run("❤\u{fe0f}") && !ends_in_run("か\u{3099}") && !ends_in_run("ที่"));
        assert!(ends_in_run("\u{301}") && ends_in_run("foo \u{301}") && ends_in_run("手\n\u{200d}"));
    }

    #[test]
    fn the_ranges_are_the_scripts() {
        let scripts = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}\p{New_Tai_Lue}\p{Tai_Le}\p{Tai_Tham}";
        // Kana marks are common to several scripts, and Buginese has few spaces.
        let (least, most) = (format!(r"[\w&&[{scripts}]]"), format!(r"[{scripts}\p{{Common}}\p{{Buginese}}]"));
        let (least, most) = (CharacterSet::of(&least), CharacterSet::of(&most));
        let is_wrong = |c: &char| match is_unspaced(*c) {
            true => !most.contains(*c) && !is_mark(*c),
            false => least.contains(*c) && !is_mark(*c) && !('\u{f900}'..'\u{fb00}').contains(c),
        };
        // U+10000 to U+1FFFF are left out: rare Kana, and letters of Tai and Myanmar minorities.
        let beyond = ('\u{20000}'..'\u{2f800}').chain('\u{30000}'..char::MAX);
        let wrong: Vec<String> =
            ('\0'..'\u{10000}').chain(beyond).filter(is_wrong).map(|c| format!("{:x}", c as u32)).collect();
        assert_eq!(wrong.join(" "), "");
    }

    #[test]
    fn a_symbol_with_a_variation_selector_is_no_word() {
        assert!(has_word("a") && has_word("手") && has_word("5\u{fe0f}\u{20e3}"));
        assert!(!has_word("❤\u{fe0f}") && !has_word("👨\u{200d}👩") && !has_word("\u{301}"));
    }
}
