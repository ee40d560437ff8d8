//! Random texts, runs and lexers.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use dehusk_core::tokens::{
    DocumentIndex, Lexer, MutablePattern, MutableSet, Piece, SymbolSequence, TokenRun, Tokenizer,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What random texts are put together from: so few pieces that runs recur by chance.
const PIECES: [&str; 47] = [
    "x",
    "x",
    "x x",
    "more",
    "Read",
    "é",
    "e\u{301}",
    "X",
    "1",
    "12",
    "3 min",
    "手",
    "の",
    "手\u{301}",
    "한",
    ",",
    ".",
    "(",
    "|",
    "-",
    "#\u{fe0f}",
    "人",
    "AB",
    "ไทย",
    "น้ำ",
    "か\u{3099}",
    "３",
    "。",
    "عربي",
    "שָׁ",
    "می\u{200c}",
    "हिन्दी",
    "\u{200f}",
    "👨\u{200d}👩",
    "\u{301}",
    "_",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\u{a0}",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
];

/// What fails is printed, not kept in a file.
pub fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

pub fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES.as_slice()), 0..30).prop_map(|pieces| pieces.concat())
}

/// What the shipped mutable patterns match, whole or in part, and what stands between.
const VARYING: &[&str] = &[
    "in ",
    "27 February 2007",
    "27",
    " February ",
    "2007",
    "27.2.2007",
    " ",
    " ",
    "\n",
    "3 hours ago",
    "4:12 PM",
    " ",
    "www.example.com/a?b=1",
    ", ",
    "(",
    ")",
    "a@example.com",
    "#news",
    "1,234.50",
    "$5",
    "12",
    "Tuesday, ",
    "é",
    "手",
    "-",
    "5 min read",
    "10.1000/182",
    "Dr.",
    "J. P.",
    "IV",
    "+1 207-555-0142",
    "3rd",
    "50 %",
    " ago",
    ".",
    "k",
];

pub fn varying_text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(VARYING), 1..12).prop_map(|pieces| pieces.concat())
}

/// Texts of any characters, those that regexes and YAML care for among them.
pub fn odd_text() -> impl Strategy<Value = String> {
    const ODD: &str = "\\.+*?()|[]{}^$#&~/-'\":,!%@`<>=\n\r\t\0\u{1}\u{1b}\u{7f}\u{85}\u{a0}\u{ad}\u{200b}\u{200d}\u{2028}\u{feff}\u{fffd}\u{ffff}😀⏎…";
    let character = prop_oneof![3 => select(ODD.chars().collect::<Vec<char>>()), 2 => "[a-c0-9 ]".prop_map(first), 1 => any::<char>()];
    prop::collection::vec(character, 0..24).prop_map(String::from_iter)
}

fn first(text: String) -> char {
    text.chars().next().unwrap()
}

/// A lexer without mutable patterns.
pub fn without_mutable(tokenizer: &str) -> Lexer {
    lexer(tokenizer, &[])
}

/// A lexer whose mutable patterns get in each other's way.
pub fn with_overlaps(tokenizer: &str) -> Lexer {
    lexer(tokenizer, &[("minutes", "[0-9]+ min|(?i:x) x"), ("number", "[0-9]+"), ("tag", "#\\w*|-[0-9]")])
}

pub fn lexer(tokenizer: &str, mutable: &[(&str, &str)]) -> Lexer {
    let pattern = |&(name, regex): &(&str, &str)| MutablePattern { name: name.to_owned(), regex: regex.to_owned() };
    let mutable = MutableSet::new(mutable.iter().map(pattern).collect()).unwrap();
    Lexer::new(Tokenizer::parse(tokenizer).unwrap(), Arc::new(mutable))
}

/// One lexer for each way of reading: tokenizers by mutable sets.
pub static LEXERS: LazyLock<Vec<Lexer>> = LazyLock::new(|| {
    let tokenizers = ["words", "whitespace", "[a-z]+", r"[^\-\s]+"];
    tokenizers.iter().flat_map(|tokenizer| [without_mutable(tokenizer), with_overlaps(tokenizer)]).collect()
});

/// Where to cut a run out of texts, whatever they are.
#[derive(Clone, Debug)]
pub struct Scissors {
    document: Index,
    start: Index,
    tokens: usize,
}

pub fn scissors(runs: Range<usize>) -> impl Strategy<Value = Vec<Scissors>> {
    let one = (any::<Index>(), any::<Index>(), 1usize..7);
    prop::collection::vec(one.prop_map(|(document, start, tokens)| Scissors { document, start, tokens }), runs)
}

/// Cuts runs out of the texts as mining would; what is nothing but line breaks is no run.
pub fn cut_runs(texts: &[String], scissors: &[Scissors], lexer: &Lexer) -> Vec<TokenRun> {
    let sequence = SymbolSequence::of_texts(texts, lexer).unwrap();
    let mut runs: Vec<TokenRun> = scissors.iter().map(|scissors| scissors.cut(&sequence)).collect();
    runs.retain(|run| run.pieces().iter().any(|piece| *piece != Piece::Break));
    runs
}

/// As [`cut_runs`], and then some tokens inside each run are left free.
pub fn slotted_runs(texts: &[String], scissors: &[Scissors], lexer: &Lexer) -> Vec<TokenRun> {
    let runs = cut_runs(texts, scissors, lexer);
    runs.iter().zip(scissors).filter_map(|(run, scissors)| scissors.free(run)).collect()
}

impl Scissors {
    /// The run with one or two of its tokens, where they are not at its ends, replaced by free stretches.
    fn free(&self, run: &TokenRun) -> Option<TokenRun> {
        let mut pieces = run.pieces().to_vec();
        let first = 1 + self.start.index(pieces.len());
        for at in [first, first + 2] {
            if let Some(Piece::Slot { space_before, .. } | Piece::Literal { space_before, .. }) = pieces.get(at) {
                pieces[at] = Piece::Free { more: [0, 2, 5, 40][self.tokens % 4], space_before: *space_before };
            }
        }
        let run = TokenRun::new(pieces)?;
        run.has_free().then_some(run)
    }

    fn cut(&self, sequence: &SymbolSequence) -> TokenRun {
        let document = sequence.document(DocumentIndex(self.document.index(sequence.documents()) as u32));
        let start = document.start + self.start.index(document.len());
        sequence.run(start..document.end.min(start + self.tokens))
    }
}
