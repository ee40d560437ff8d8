//! Finds all matches of all patterns in a document, including overlapping ones.
//!
//! Mined patterns are runs of tokens. So an Aho-Corasick automaton over symbols finds any number of them in a single
//! pass. Line breaks are not symbols of the automaton. It treats a line break as white space, as `\s+` does in a regex.
//! If a pattern has a line break, each match is checked for it afterwards. For a pattern with free stretches, the
//! automaton finds the segments, which are joined afterwards (`slotted`). Patterns that a person wrote or edited run on
//! the regex engine (`regexes`). The automaton and the engine give the same matches for every regex that can be read as
//! a run of tokens.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::gaps::Gap;
use super::slotted::{Lines, Segments, Slotted};
use crate::patterns::regex::{Edges, is_word_edge, is_word_start};
use crate::tokens::{
    FrozenVocabulary, Lexer, Piece, Symbol, Token, TokenKey, TokenKind, TokenRun, Tokenizer, Vocabulary,
};

/// A document as the automaton reads it: its tokens, and the line breaks between them.
#[derive(Debug, Default)]
pub struct Tokens {
    /// All tokens except line breaks.
    pub tokens: Vec<Token>,
    /// Whether a line break (or an end of the document) is before each token, and after the last one.
    pub line_starts: Vec<bool>,
    /// The gap before each token, and after the last one, if the tokenizer is a class. Otherwise empty.
    gaps: Vec<Gap>,
}

impl Tokens {
    /// Tokenizes a text.
    pub fn of(text: &str, lexer: &mut Lexer) -> Tokens {
        let mut read = Tokens::with_capacity_for(text);
        lexer.scan(text, |token, _| _ = read.add(token));
        read.end(text, lexer)
    }

    /// Tokenizes a text. Also returns the symbol of each token in a vocabulary, or the symbol of the line break if the
    /// vocabulary does not have the token.
    fn known(text: &str, lexer: &mut Lexer, known: &FrozenVocabulary) -> (Tokens, Vec<Symbol>) {
        let mut read = Tokens::with_capacity_for(text);
        let mut symbols = Vec::with_capacity(read.tokens.capacity());
        lexer.scan_known(text, known, |token, symbol| {
            if read.add(token) {
                symbols.push(symbol);
            }
        });
        (read.end(text, lexer), symbols)
    }

    /// Reserves space that is enough for the tokens of nearly all texts of this length.
    fn with_capacity_for(text: &str) -> Tokens {
        let tokens = text.len() / 4 + 1;
        let (tokens, line_starts) = (Vec::with_capacity(tokens), Vec::with_capacity(tokens + 1));
        Tokens { tokens, line_starts, gaps: Vec::new() }
    }

    /// Adds a token. Returns false for a line break, which is not stored as a token.
    #[inline]
    fn add(&mut self, token: Token) -> bool {
        // A line break sets the entry of the next token, before that token is added.
        if token.kind == TokenKind::Break {
            if self.line_starts.len() == self.tokens.len() {
                self.line_starts.push(true);
            }
            return false;
        }
        if self.line_starts.len() == self.tokens.len() {
            self.line_starts.push(false);
        }
        self.tokens.push(token);
        true
    }

    /// Completes the tokens after the last one was added.
    fn end(mut self, text: &str, lexer: &Lexer) -> Tokens {
        self.line_starts.truncate(self.tokens.len());
        self.line_starts.push(true);
        if lexer.tokenizer().class().is_some() {
            let ends = [0].into_iter().chain(self.tokens.iter().map(|token| token.range().end));
            let starts = self.tokens.iter().map(|token| token.range().start).chain([text.len()]);
            self.gaps = ends.zip(starts).map(|(end, start)| Gap::of(text, end..start)).collect();
        }
        self
    }

    /// Whether the tokenizer is a class, so that marks between tokens belong to no token.
    pub fn are_separated(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// The bytes to remove with these tokens, if the tokens beside them are kept.
    pub fn bytes_of(&self, range: &Range<usize>) -> Range<usize> {
        let (first, last) = (self.tokens[range.start].range(), self.tokens[range.end - 1].range());
        match self.are_separated() {
            true => self.gaps[range.start].start_after()..self.gaps[range.end].end_before(),
            false => first.start..last.end,
        }
    }

    /// The tokens that lie completely in the range. So if a regex that a person wrote cuts a word in two, no part of
    /// the word is removed.
    pub fn within(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.tokens.partition_point(|token| (token.start as usize) < bytes.start);
        start..self.tokens.partition_point(|token| token.end as usize <= bytes.end).max(start)
    }

    /// The tokens that lie in the range, completely or in part.
    pub fn touching(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.tokens.partition_point(|token| token.end as usize <= bytes.start);
        start..self.tokens.partition_point(|token| (token.start as usize) < bytes.end).max(start)
    }
}

/// A match in the tokens of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'f> {
    /// All tokens of the match.
    pub tokens: Range<usize>,
    /// Its pattern's index.
    pub pattern: usize,
    /// The tokens in each of its free stretches, in order.
    pub fillers: &'f [Range<usize>],
}

/// Finds runs of tokens.
#[derive(Debug)]
pub struct TokenAutomaton {
    vocabulary: FrozenVocabulary,
    /// The states. The last one is a sentinel, which marks the end of the children and runs of the state before it.
    states: Vec<State>,
    /// For each symbol: the child of state 0, or 0 if there is none. A table is fast, and in most texts the automaton
    /// is in state 0 most of the time.
    from_root: Vec<u32>,
    /// The symbol and the state of each child, sorted by parent state, then symbol.
    children: Vec<(Symbol, u32)>,
    /// Sorted by the state at which they end.
    runs: Vec<Run>,
    slotted: Vec<Slotted>,
    /// For each segment, the index of its pattern in `slotted`.
    slotted_of: Vec<u32>,
    tokenizer: Tokenizer,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// The state of the longest proper suffix.
    fallback: u32,
    /// The nearest state along the fallbacks at which runs end; 0 for none.
    next_with_runs: u32,
    first_child: u32,
    first_run: u32,
}

/// The runs as a tree.
#[derive(Debug, Default)]
struct Tree {
    vocabulary: Vocabulary,
    next: FxHashMap<(u32, Symbol), u32>,
    /// Each run with the state it ends at.
    runs: Vec<(u32, Run)>,
}

/// What a run of the automaton is: a whole pattern or a segment of one.
#[derive(Clone, Copy, Debug)]
enum RunPart {
    /// A whole pattern.
    Pattern(usize),
    /// A segment of a pattern with free stretches, by its number.
    Segment(u32),
}

/// A run, with the conditions that a match must meet besides its symbols.
#[derive(Debug)]
struct Run {
    part: RunPart,
    len: u32,
    /// The indices of the tokens of the run before which a line must start. The index `len` means the end of the run.
    line_starts: Vec<u32>,
    starts_with_word: bool,
    ends_with_word: bool,
    edges: Edges,
}

impl TokenAutomaton {
    /// Builds the automaton. The time is linear in the tokens of all runs. Each run comes with its pattern's index and
    /// the edges of its regex.
    pub fn new<'r>(
        runs: impl IntoIterator<Item = (usize, &'r TokenRun, Edges)>,
        tokenizer: &Tokenizer,
    ) -> TokenAutomaton {
        let mut tree = Tree { vocabulary: Vocabulary::new(), ..Tree::default() };
        let (mut slotted, mut slotted_of) = (Vec::new(), Vec::new());
        for (pattern, run, edges) in runs {
            if !run.has_free() {
                tree.add(RunPart::Pattern(pattern), run.pieces(), edges);
                continue;
            }
            let index = slotted.len() as u32;
            slotted.push(Slotted::new(pattern, run, |pieces| {
                let segment = slotted_of.len() as u32;
                tree.add(RunPart::Segment(segment), pieces, edges);
                slotted_of.push(index);
                segment
            }));
        }
        TokenAutomaton { slotted, slotted_of, tokenizer: tokenizer.clone(), ..tree.linked() }
    }

    /// Tokenizes a text and returns the symbol of each token. A token that is in no run gets the symbol of the line
    /// break, because no run of the automaton has that symbol.
    pub fn read(&self, text: &str, lexer: &mut Lexer) -> (Tokens, Vec<Symbol>) {
        Tokens::known(text, lexer, &self.vocabulary)
    }

    /// Whether no run can be found.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The symbols that [`TokenAutomaton::read`] returns, for a text that was tokenized with the same lexer.
    pub fn symbols(&self, text: &str, Tokens { tokens, .. }: &Tokens) -> Vec<Symbol> {
        let symbol = |token: &Token| {
            self.vocabulary.find(TokenKey::at(text, token), || &text[token.range()]).unwrap_or(Vocabulary::BREAK)
        };
        tokens.iter().map(symbol).collect()
    }

    /// Calls `visit` with the token range and pattern of each match. Matches that end earlier come first. Of matches
    /// with the same end, longer ones come first. The matches of patterns with free stretches come last.
    pub fn find(&self, text: &str, tokens: &Tokens, symbols: &[Symbol], mut visit: impl FnMut(Range<usize>, usize)) {
        self.find_filled(text, tokens, symbols, |found| visit(found.tokens, found.pattern));
    }

    /// Like [`TokenAutomaton::find`], but also gives the tokens that fill the free stretches of each match.
    pub fn find_filled(&self, text: &str, tokens: &Tokens, symbols: &[Symbol], mut visit: impl FnMut(Found)) {
        let mut segments = Segments::default();
        self.find_parts(text, tokens, symbols, |tokens, part| match part {
            RunPart::Pattern(pattern) => visit(Found { tokens, pattern, fillers: &[] }),
            RunPart::Segment(segment) => segments.entry(segment).or_default().push(tokens),
        });
        if !segments.is_empty() {
            let lines = Lines::of(text, tokens, self.tokenizer.class());
            let mut found: Vec<u32> = segments.keys().map(|&segment| self.slotted_of[segment as usize]).collect();
            found.sort_unstable();
            found.dedup();
            found.iter().for_each(|&index| self.slotted[index as usize].join(&lines, &segments, &mut visit));
        }
    }

    fn find_parts(
        &self,
        text: &str,
        tokens: &Tokens,
        symbols: &[Symbol],
        mut visit: impl FnMut(Range<usize>, RunPart),
    ) {
        let mut state = 0;
        for (index, &symbol) in symbols.iter().enumerate() {
            state = if state == 0 { self.from_root[symbol.0 as usize] } else { self.step(state, symbol) };
            let mut ending = state;
            while ending != 0 {
                for run in self.runs_at(ending) {
                    let range = index + 1 - run.len as usize..index + 1;
                    if self.fits(run, text, tokens, &range) {
                        visit(range, run.part);
                    }
                }
                ending = self.states[ending as usize].next_with_runs;
            }
        }
    }

    fn runs_at(&self, state: u32) -> &[Run] {
        let [state, next] = [state, state + 1].map(|state| self.states[state as usize].first_run as usize);
        &self.runs[state..next]
    }

    fn children_of(&self, state: u32) -> &[(Symbol, u32)] {
        let [state, next] = [state, state + 1].map(|state| self.states[state as usize].first_child as usize);
        &self.children[state..next]
    }

    fn child(&self, state: u32, symbol: Symbol) -> Option<u32> {
        const FEW: usize = 8;
        let children = self.children_of(state);
        let found = match children.len() {
            0..=FEW => children.iter().position(|child| child.0 == symbol),
            _ => children.binary_search_by_key(&symbol, |child| child.0).ok(),
        };
        found.map(|index| children[index].1)
    }

    fn step(&self, mut state: u32, symbol: Symbol) -> u32 {
        while state != 0 {
            if let Some(child) = self.child(state, symbol) {
                return child;
            }
            state = self.states[state as usize].fallback;
        }
        self.from_root[symbol.0 as usize]
    }

    /// Whether lines start where the run requires it, and the match does not cut a word at its edges.
    fn fits(&self, run: &Run, text: &str, tokens: &Tokens, range: &Range<usize>) -> bool {
        if !run.line_starts.iter().all(|&token| tokens.line_starts[range.start + token as usize]) {
            return false;
        }
        let (start, end) = (tokens.tokens[range.start].start as usize, tokens.tokens[range.end - 1].end as usize);
        let runs_on = |c: char| run.edges.runs_on(c);
        let cuts_before = run.starts_with_word && text[..start].ends_with(runs_on);
        let cuts_after = match self.tokenizer {
            // A token is the longest run of characters of the class, so a match of whole tokens cuts none.
            Tokenizer::Class(_) => return true,
            Tokenizer::Whitespace => {
                run.line_starts.last() != Some(&run.len) && !text[end..].chars().next().is_none_or(char::is_whitespace)
            }
            Tokenizer::Words => run.ends_with_word && text[end..].starts_with(runs_on),
        };
        !cuts_before && !cuts_after
    }
}

impl Tree {
    /// Adds a run of pieces. Free stretches are skipped.
    fn add(&mut self, part: RunPart, pieces: &[Piece], edges: Edges) {
        let (mut state, mut len, mut line_starts) = (0, 0, Vec::new());
        for piece in pieces {
            let symbol = match piece {
                Piece::Break => {
                    line_starts.push(len);
                    continue;
                }
                Piece::Free { .. } => continue,
                // A mutable pattern of marks has the same key.
                Piece::Slot { id, space_before } => self.vocabulary.intern(TokenKind::Mutable(*id), *space_before, ""),
                Piece::Literal { text, space_before } => {
                    self.vocabulary.intern(TokenKind::of_literal(text), *space_before, text)
                }
            };
            let fresh = self.next.len() as u32 + 1;
            state = *self.next.entry((state, symbol)).or_insert(fresh);
            len += 1;
        }

        let tokens = || pieces.iter().filter(|piece| **piece != Piece::Break);
        let starts_with_word = matches!(
            pieces.first(),
            Some(Piece::Literal { space_before: false, .. } | Piece::Slot { space_before: false, .. })
        ) && tokens().next().is_some_and(is_word_start);
        let ends_with_word = pieces.last().is_some_and(is_word_edge);
        if len > 0 {
            self.runs.push((state, Run { part, len, line_starts, starts_with_word, ends_with_word, edges }));
        }
    }

    /// Turns the tree into the automaton: lays out the states in order and sets their fallbacks, breadth first.
    fn linked(mut self) -> TokenAutomaton {
        let mut edges: Vec<(u32, Symbol, u32)> =
            self.next.into_iter().map(|((state, symbol), child)| (state, symbol, child)).collect();
        edges.sort_unstable();
        self.runs.sort_by_key(|&(state, _)| state);
        let first_child = |state| edges.partition_point(|&(parent, ..)| parent < state) as u32;
        let first_run = |state| self.runs.partition_point(|&(end, _)| end < state) as u32;
        let state = |state| State { first_child: first_child(state), first_run: first_run(state), ..State::default() };
        let mut from_root = vec![0; self.vocabulary.len()];
        edges
            .iter()
            .take_while(|edge| edge.0 == 0)
            .for_each(|&(_, symbol, child)| from_root[symbol.0 as usize] = child);
        let mut automaton = TokenAutomaton {
            states: (0..edges.len() as u32 + 2).map(state).collect(),
            vocabulary: FrozenVocabulary::new(self.vocabulary),
            from_root,
            children: edges.into_iter().map(|(_, symbol, child)| (symbol, child)).collect(),
            runs: self.runs.into_iter().map(|(_, run)| run).collect(),
            slotted: Vec::new(),
            slotted_of: Vec::new(),
            tokenizer: Tokenizer::Words,
        };

        let mut queue: Vec<u32> = automaton.children_of(0).iter().map(|&(_, child)| child).collect();
        let mut done = 0;
        while let Some(&state) = queue.get(done) {
            done += 1;
            for index in 0..automaton.children_of(state).len() {
                let (symbol, child) = automaton.children_of(state)[index];
                let fallback = automaton.step(automaton.states[state as usize].fallback, symbol);
                let has_runs = !automaton.runs_at(fallback).is_empty();
                let next_with_runs =
                    if has_runs { fallback } else { automaton.states[fallback as usize].next_with_runs };
                automaton.states[child as usize].fallback = fallback;
                automaton.states[child as usize].next_with_runs = next_with_runs;
                queue.push(child);
            }
        }
        automaton
    }
}
