//! The law that ties the two ways of matching together, worked out from a document's tokens alone.
//!
//! Whatever the token automaton finds, the pattern's regex finds. What the regex finds besides must be
//! tokens that are not the pattern's run: the lexer reads "27 February 2007" as one date, `in\s+(?:[0-9]+)` may
//! still see "in 27" in it.

use std::ops::Range;

use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::tokens::characters::{has_word, is_mark};
use dehusk_core::tokens::{Lexer, Piece, Token, TokenKind, TokenRun};

use crate::engines::Spans;

/// A document as the lexer reads it.
pub struct Document<'t> {
    pub text: &'t str,
    /// Line breaks included.
    tokens: Vec<Token>,
}

/// How the tokens under a regex's match relate to the pattern's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// They are the run, token by token, line break by line break.
    TheRun,
    /// An edge of the match lies inside a mutable pattern's match.
    CutMutable,
    /// An edge of the match parts a character from a mark that belongs to it, or an emoji in two.
    CutMark,
    /// An edge of the match lies inside some other token.
    CutWord,
    /// They are other tokens.
    Others,
}

impl<'t> Document<'t> {
    pub fn new(text: &'t str, lexer: &mut Lexer) -> Document<'t> {
        Document { text, tokens: lexer.tokens(text) }
    }

    /// The spans without the separators at their edges that belong to no token. Spans without a token are left out.
    pub fn trimmed(&self, spans: &Spans) -> Spans {
        let texts: Vec<Range<usize>> =
            self.tokens.iter().filter(|token| token.kind != TokenKind::Break).map(Token::range).collect();
        let trimmed = |&(start, end): &(usize, usize)| {
            let within: Vec<&Range<usize>> =
                texts.iter().filter(|token| token.start < end && start < token.end).collect();
            Some((start.max(within.first()?.start), end.min(within.last()?.end)))
        };
        spans.iter().filter_map(trimmed).collect()
    }

    /// How the tokens from byte `start` to byte `end` read as the run.
    pub fn reading(&self, run: &TokenRun, (start, end): (usize, usize)) -> Reading {
        if let Some(cut) = [start, end].into_iter().find_map(|edge| self.cut(edge)) {
            return cut;
        }
        let first = self.tokens.iter().position(|token| token.kind != TokenKind::Break && token.range().start == start);
        let is_run = first.is_some_and(|first| self.end_of_run(run, first) == Some(end));
        if is_run { Reading::TheRun } else { Reading::Others }
    }

    /// Whether the match has to do with a mutable pattern, in the run or in the text.
    pub fn is_mutable(&self, run: &TokenRun, (start, end): (usize, usize)) -> bool {
        let is_slot = |piece: &Piece| matches!(piece, Piece::Slot { .. });
        let mut touched = self.tokens.iter().filter(|token| token.range().start < end && start < token.range().end);
        run.pieces().iter().any(is_slot)
            || touched.any(|token| matches!(token.kind, TokenKind::Mutable(_) | TokenKind::Marks(_)))
    }

    /// What kind of token the position lies within, if in any: line breaks are white space and cannot be cut.
    fn cut(&self, edge: usize) -> Option<Reading> {
        let is_around = |token: &&Token| token.range().start < edge && edge < token.range().end;
        let token = self.tokens.iter().find(is_around)?;
        match token.kind {
            TokenKind::Break => None,
            TokenKind::Mutable(_) | TokenKind::Marks(_) => Some(Reading::CutMutable),
            _ if self.text[edge..].starts_with(is_mark) || !has_word(&self.text[token.range()]) => {
                Some(Reading::CutMark)
            }
            _ => Some(Reading::CutWord),
        }
    }

    /// Where the run ends in the text if its first text token is this one.
    fn end_of_run(&self, run: &TokenRun, first: usize) -> Option<usize> {
        let (mut at, mut end) = (first, 0);
        for (index, piece) in run.pieces().iter().enumerate() {
            let is_break = self.tokens.get(at)?.kind == TokenKind::Break;
            match piece {
                Piece::Break if index == 0 => {
                    at.checked_sub(1).filter(|&before| self.tokens[before].kind == TokenKind::Break)?;
                }
                Piece::Break => {
                    is_break.then_some(())?;
                    at += 1;
                }
                // To a run that asks for none, a line break is white space like any other.
                _ => {
                    at += usize::from(is_break);
                    self.tokens.get(at).filter(|token| self.is_piece(token, piece))?;
                    end = self.tokens[at].range().end;
                    at += 1;
                }
            }
        }
        Some(end)
    }

    fn is_piece(&self, token: &Token, piece: &Piece) -> bool {
        let slot = match token.kind {
            TokenKind::Mutable(id) | TokenKind::Marks(id) => Some(id),
            _ => None,
        };
        match piece {
            Piece::Break => token.kind == TokenKind::Break,
            Piece::Free { .. } => false,
            Piece::Slot { id, space_before } => slot == Some(*id) && token.space_before == *space_before,
            Piece::Literal { text, space_before } => {
                let is_text = self.text[token.range()] == **text;
                slot.is_none() && is_text && token.space_before == *space_before
            }
        }
    }
}

/// What the automaton finds of each run in a text: by run.
pub fn by_automaton(automaton: &TokenAutomaton, runs: usize, text: &str, lexer: &mut Lexer) -> Vec<Spans> {
    let (tokens, symbols) = automaton.read(text, lexer);
    let mut found = vec![Spans::new(); runs];
    automaton.find(text, &tokens, &symbols, |range, run| {
        let span = (tokens.tokens[range.start].range().start, tokens.tokens[range.end - 1].range().end);
        assert!(found[run].insert(span), "the automaton reports {span:?} twice");
    });
    found
}

/// Checks the law for one run and one document; gives how many matches the regex alone found.
pub fn check_law(
    document: &Document,
    run: &TokenRun,
    automaton: &Spans,
    regex: &Spans,
    is_excused: impl Fn(Reading, (usize, usize)) -> bool,
) -> Result<usize, String> {
    let show = |&(start, end): &(usize, usize)| format!("{:?} at {start}..{end}", &document.text[start..end]);
    if let Some(span) = automaton.difference(regex).next() {
        return Err(format!("only the automaton finds {}", show(span)));
    }
    let missed = || regex.difference(automaton);
    let unexcused = |span: &&(usize, usize)| match document.reading(run, **span) {
        Reading::TheRun => true,
        reading => !is_excused(reading, **span),
    };
    match missed().find(unexcused) {
        Some(span) => Err(format!("only the regex finds {}, read as {:?}", show(span), document.reading(run, *span))),
        None => Ok(missed().count()),
    }
}
