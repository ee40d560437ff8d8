//! Small texts and runs cut out of them: the token automaton finds what the regex engine finds with the regexes of the
//! runs, but for what the lexer reads otherwise. The law is the one of `tests/laws/reading.rs`.

#![no_main]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use arbitrary::Arbitrary;
use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::cleaning::reading::regexes::regex_matches;
use dehusk_core::patterns::regex::{Edges, parse, render};
use dehusk_core::tokens::{DocumentIndex, Lexer, MutablePattern, MutableSet, Piece, SymbolSequence, TokenRun, Tokenizer};
use libfuzzer_sys::fuzz_target;

use engines::Spans;
use reading::{Document, Reading, by_automaton, check_law};

#[path = "../../tests/laws/reading.rs"]
mod reading;

/// What the law needs of the tests' engines.
mod engines {
    /// Where a regex matches a text, sorted by start and end.
    pub type Spans = super::BTreeSet<(usize, usize)>;
}

/// What texts are put together from: so few pieces that runs recur by chance.
const PIECES: [&str; 64] = [
    "x",
    "x",
    "y",
    "zz",
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
    "#",
    "\\",
    "^",
    "$",
    "[",
    "]",
    "*",
    "+",
    "?",
    "{",
    "}",
    "~",
    "&",
    "\u{ad}",
    "\u{200b}",
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

#[derive(Arbitrary, Debug)]
struct Case {
    lexer: u8,
    /// By the place of each piece.
    texts: [Vec<u8>; 2],
    runs: Vec<Scissors>,
}

/// Where to cut a run out of a text, and which of its tokens to leave free.
#[derive(Arbitrary, Debug)]
struct Scissors {
    text: bool,
    start: u8,
    tokens: u8,
    free: Option<(u8, u8)>,
}

thread_local! {
    static LEXERS: RefCell<Vec<Lexer>> = RefCell::new(lexers());
}

fuzz_target!(|case: Case| {
    LEXERS.with_borrow_mut(|lexers| {
        let lexer = usize::from(case.lexer) % lexers.len();
        case.check(&mut lexers[lexer]);
    });
});

fn lexers() -> Vec<Lexer> {
    let pattern = |(name, regex): (&str, &str)| MutablePattern {
        name: name.into(),
        regex: regex.into(),
    };
    let overlapping = [("minutes", "[0-9]+ min|(?i:x) x"), ("number", "[0-9]+"), ("tag", "#\\w*|-[0-9]")];
    let sets = [Vec::new(), overlapping.map(pattern).to_vec()];
    let sets = sets.map(|patterns| Arc::new(MutableSet::new(patterns).expect("they compile")));
    let lexer =
        |name: &str, set: &Arc<MutableSet>| Lexer::new(Tokenizer::parse(name).expect("a tokenizer"), Arc::clone(set));
    ["words", "whitespace", "[a-z]+"].iter().flat_map(|name| sets.iter().map(|set| lexer(name, set))).collect()
}

impl Case {
    fn check(&self, lexer: &mut Lexer) {
        let texts = self.texts.each_ref().map(|text| written(text));
        let runs = self.runs(&texts, lexer);
        let edges = Edges::of_runs(&runs);
        let automaton =
            TokenAutomaton::new(runs.iter().enumerate().map(|(at, run)| (at, run, edges)), lexer.tokenizer());
        for text in &texts {
            let found = by_automaton(&automaton, runs.len(), text, lexer);
            let document = Document::new(text, lexer);
            runs.iter().zip(&found).for_each(|(run, found)| check_run(run, found, &document, lexer, edges));
        }
    }

    fn runs(&self, texts: &[String], lexer: &Lexer) -> Vec<TokenRun> {
        let sequence = SymbolSequence::of_texts(texts, lexer).expect("so few tokens fit");
        let mut runs: Vec<TokenRun> = Vec::new();
        for run in self.runs.iter().take(8).filter_map(|scissors| scissors.cut(&sequence)) {
            // A pattern file has no run twice.
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
        runs
    }
}

fn written(pieces: &[u8]) -> String {
    pieces.iter().take(60).map(|&piece| PIECES[usize::from(piece) % PIECES.len()]).collect()
}

impl Scissors {
    fn cut(&self, sequence: &SymbolSequence) -> Option<TokenRun> {
        let document = sequence.document(DocumentIndex(u32::from(self.text)));
        let start = document.start + usize::from(self.start) % document.len();
        let run = sequence.run(start..document.end.min(start + 1 + usize::from(self.tokens) % 8));
        let is_text = run.pieces().iter().any(|piece| *piece != Piece::Break);
        let Some((at, more)) = self.free else { return Some(run).filter(|_| is_text) };
        let mut pieces = run.pieces().to_vec();
        if let Some(Piece::Slot { space_before, .. } | Piece::Literal { space_before, .. }) =
            pieces.get(usize::from(at))
        {
            pieces[usize::from(at)] = Piece::Free { more: (more % 50).into(), space_before: *space_before };
        }
        TokenRun::new(pieces).filter(|_| is_text)
    }
}

fn check_run(run: &TokenRun, found: &Spans, document: &Document, lexer: &Lexer, edges: Edges) {
    let regex = render(run, lexer, edges);
    assert_eq!(parse(&regex, lexer).as_ref(), Some(run), "{regex} is not read back");
    let compiled = fancy_regex::Regex::new(&regex).unwrap_or_else(|error| panic!("{regex}: {error}"));
    let by_regex = regex_matches(&compiled, document.text).expect("the engine does not give up on so little");
    let by_regex: Spans = by_regex.into_iter().map(|range| (range.start, range.end)).collect();
    let has_mutable = !lexer.mutable().patterns().is_empty();
    // Free stretches are filled alike where nothing but them is in the way: no marks, no mutable patterns.
    let is_excused = |reading, span| {
        reading == Reading::CutMark || run.has_free() || (has_mutable && document.is_mutable(run, span))
    };
    let outcome = check_law(document, run, found, &by_regex, is_excused);
    assert!(outcome.is_ok(), "{regex} on {:?}: {}", document.text, outcome.unwrap_err());
}
