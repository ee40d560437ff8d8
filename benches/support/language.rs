//! An invented language: words, stock phrases and names, sentences and paragraphs.
//!
//! Words need no list: a word is its rank, written in syllables. So there may be as many words as in a real corpus.
//! Most are rare, and the frequent ones are short.

use dehusk_core::random::{Random, mix};

/// Ranks of words are below 2 to the power of this number.
const WORD_OCTAVES: usize = 19;
const PHRASE_OCTAVES: usize = 12;
const NAME_OCTAVES: usize = 14;
const SYLLABLES: [&str; 64] = [
    "the", "of", "to", "an", "in", "is", "on", "as", "ba", "ker", "ti", "mor", "len", "sa", "vi", "ron", "del", "qua",
    "pe", "stri", "ol", "und", "ma", "gre", "fi", "cho", "lu", "nad", "bel", "cro", "dan", "el", "fur", "gan", "hal",
    "ir", "jo", "kel", "lam", "mun", "nor", "op", "pra", "ris", "sel", "tam", "ul", "ver", "wen", "yor", "zé", "ble",
    "cha", "dri", "ent", "flo", "gle", "hin", "ing", "ket", "lish", "men", "nesh", "ter",
];

/// A rank below 2 to the power of `octaves`, minus one, approximately with Zipf's distribution: every octave is equally
/// likely. It uses only integers, so that a seed gives the same result on every machine.
fn zipf(random: &mut Random, octaves: usize) -> usize {
    let octave = random.below(octaves);
    (1 << octave) - 1 + random.below(1 << octave)
}

/// Appends any word.
pub fn push_word(text: &mut String, random: &mut Random) {
    let mut rank = zipf(random, WORD_OCTAVES);
    loop {
        text.push_str(SYLLABLES[rank % SYLLABLES.len()]);
        rank /= SYLLABLES.len();
        if rank == 0 {
            return;
        }
        rank -= 1;
    }
}

/// Appends this number of words, with `between` between them.
pub fn push_words(text: &mut String, random: &mut Random, words: usize, between: &str) {
    for word in 0..words {
        if word > 0 {
            text.push_str(between);
        }
        push_word(text, random);
    }
}

/// Appends this number of words, the first with a capital letter.
pub fn push_title(text: &mut String, random: &mut Random, words: usize) {
    let start = text.len();
    push_words(text, random, words, " ");
    capitalise(text, start);
}

/// Appends a first and a last name.
pub fn push_name(text: &mut String, random: &mut Random) {
    let mut random = Random::new(mix(zipf(random, NAME_OCTAVES) as u64));
    push_title(text, &mut random, 1);
    text.push(' ');
    push_title(text, &mut random, 1);
}

/// Appends a sentence: words, phrases that many texts have, names and numbers.
pub fn push_sentence(text: &mut String, random: &mut Random) {
    let is_quote = random.percent(5);
    if is_quote {
        text.push('“');
    }
    let start = text.len();
    for part in 0..random.between(6, 20) {
        if part > 0 {
            text.push_str(if random.percent(6) { ", " } else { " " });
        }
        match random.below(100) {
            0..78 => push_word(text, random),
            78..93 => {
                let mut phrase = Random::new(!mix(zipf(random, PHRASE_OCTAVES) as u64));
                let words = phrase.between(2, 4);
                push_words(text, &mut phrase, words, " ");
            }
            93..97 => push_name(text, random),
            _ => text.push_str(&random.between(2, 2000).to_string()),
        }
    }
    capitalise(text, start);
    text.push_str(if is_quote { ".”" } else { "." });
}

/// Appends some sentences.
pub fn push_paragraph(text: &mut String, random: &mut Random) {
    push_sentence(text, random);
    for _ in 0..random.below(5) {
        text.push(' ');
        push_sentence(text, random);
    }
}

fn capitalise(text: &mut String, start: usize) {
    if text.as_bytes()[start].is_ascii() {
        text[start..=start].make_ascii_uppercase();
    }
}
