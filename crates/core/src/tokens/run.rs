//! A run of tokens that owns its text and needs no document or vocabulary.
//!
//! Mining returns its results in this form: a candidate, a template and a mined pattern are all a [`TokenRun`] with
//! counts.

use serde::{Deserialize, Serialize};

use super::characters::{half_words, has_word};
use super::lexer::Lexer;
use super::mutable::{MutableId, MutableSet};

/// One token of a run, or a free stretch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Piece {
    /// A line break or an end of the document.
    Break,
    /// Any match of a mutable pattern.
    Slot {
        /// The pattern, in the run's [`MutableSet`].
        id: MutableId,
        /// Whether white space stands before it.
        space_before: bool,
    },
    /// A word or a character.
    Literal {
        /// Its text.
        text: Box<str>,
        /// Whether white space stands before it.
        space_before: bool,
    },
    /// Any text between the neighbouring pieces, within 1 line. The shortest possible text is taken.
    Free {
        /// Maximum number of characters after the first one.
        more: u16,
        /// Whether white space stands before it.
        space_before: bool,
    },
}

impl Piece {
    /// Whether it is a free stretch.
    pub fn is_free(&self) -> bool {
        matches!(self, Piece::Free { .. })
    }

    /// Whether it is a word.
    pub fn is_word(&self) -> bool {
        matches!(self, Piece::Literal { text, .. } if has_word(text))
    }
}

/// Consecutive tokens, with free stretches between them ([`TokenRun::segments`]) if it has any. Never empty, never only
/// breaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<Piece>")]
pub struct TokenRun(pub(crate) Box<[Piece]>);

impl TryFrom<Vec<Piece>> for TokenRun {
    type Error = &'static str;

    fn try_from(pieces: Vec<Piece>) -> Result<TokenRun, &'static str> {
        let run = TokenRun(pieces.into());
        // With `min_words` 0, mining finds runs of line breaks alone, which `new` refuses.
        let is_mined = !run.has_free() && !run.pieces().is_empty();
        if is_mined || run.is_sound() { Ok(run) } else { Err("these pieces cannot be a run") }
    }
}

impl TokenRun {
    /// A run of these pieces. `None` if they cannot be one.
    pub fn new(pieces: Vec<Piece>) -> Option<TokenRun> {
        let run = TokenRun(pieces.into());
        run.is_sound().then_some(run)
    }

    /// The tokens and free stretches.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether it contains a whole line, from one line break to the next.
    pub fn has_whole_line(&self) -> bool {
        self.0.iter().filter(|piece| **piece == Piece::Break).count() > 1
    }

    /// Whether it contains a free stretch.
    pub fn has_free(&self) -> bool {
        self.0.iter().any(Piece::is_free)
    }

    /// Twice the number of words in it. A character of a script without spaces is half a word.
    pub fn half_words(&self) -> usize {
        let of_piece = |piece: &Piece| match piece {
            Piece::Literal { text, .. } if has_word(text) => half_words(text),
            _ => 0,
        };
        self.0.iter().map(of_piece).sum()
    }

    /// The pieces between the free stretches: the whole run if there are none. No segment is empty, at least one has a
    /// token, and a segment that is only a line break is the first or the last.
    pub fn segments(&self) -> impl Iterator<Item = &[Piece]> {
        self.0.split(Piece::is_free)
    }

    /// Whether every free stretch has tokens on both sides that mark its ends, or the break of its line.
    fn is_sound(&self) -> bool {
        let breaks = |segment: &[Piece]| segment.iter().filter(|piece| **piece == Piece::Break).count();
        let has_token = |segment: &[Piece]| breaks(segment) < segment.len();
        let segments: Vec<&[Piece]> = self.segments().collect();
        let is_inner = |index: usize| index > 0 && index + 1 < segments.len();
        let holds = |(index, segment): (usize, &&[Piece])| {
            has_token(segment) || (segment.len() == 1 && segments.len() > 1 && !is_inner(index))
        };
        segments.iter().enumerate().all(holds) && segments.iter().any(|segment| has_token(segment))
    }

    /// The run with the ids of mutable patterns in another set, found by name. `None` if a pattern is missing there.
    pub fn translated(&self, from: &MutableSet, to: &MutableSet) -> Option<TokenRun> {
        let translate = |piece: &Piece| match piece {
            Piece::Slot { id, space_before } => {
                Some(Piece::Slot { id: to.find(&from.pattern(*id).name)?, space_before: *space_before })
            }
            piece => Some(piece.clone()),
        };
        self.0.iter().map(translate).collect::<Option<_>>().map(TokenRun)
    }

    /// The run in readable form: `⏎` for a line break, `{name}` for a mutable pattern, `{…40}` for a free stretch of up
    /// to 41 characters, `…` at the start if it follows other text without white space. Two runs are equal exactly if
    /// their readable forms are equal. These signs are escaped by `\` in literals.
    pub fn written(&self, mutable: &MutableSet) -> String {
        let mut written = String::new();
        for (index, piece) in self.0.iter().enumerate() {
            // White space is not written at the start and after a line break.
            let before = index.checked_sub(1).map(|before| &self.0[before]);
            let space = |space_before: bool| match (before, space_before) {
                (None, true) | (Some(Piece::Break), _) | (Some(_), false) => "",
                (Some(_), true) => " ",
                (None, false) => "…",
            };
            match piece {
                Piece::Break => written.push('⏎'),
                Piece::Slot { id, space_before } => {
                    written.extend([space(*space_before), "{", &mutable.pattern(*id).name, "}"]);
                }
                Piece::Free { more, space_before } => {
                    written.extend([space(*space_before), "{…", &more.to_string(), "}"]);
                }
                Piece::Literal { text, space_before } => {
                    written.push_str(space(*space_before));
                    push_escaped(&mut written, text);
                }
            }
        }
        written
    }

    /// The run that [`written`](TokenRun::written) writes in this way. `None` if there is none with the mutable patterns
    /// and the tokenizer of the lexer.
    pub fn parse(written: &str, lexer: &Lexer) -> Option<TokenRun> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let rest = written.strip_prefix('…');
        let mut space_before = rest.is_none();
        let mut chars = rest.unwrap_or(written).chars();
        loop {
            let next = chars.next();
            if !literal.is_empty() && matches!(next, None | Some('⏎' | ' ' | '{')) {
                for text in lexer.split_literal(&std::mem::take(&mut literal)) {
                    pieces.push(Piece::Literal { text: text.into(), space_before });
                    space_before = false;
                }
            }
            match next {
                None => break,
                Some('⏎') => pieces.push(Piece::Break),
                Some(' ') => {}
                Some('{') => {
                    let name: String = chars.by_ref().take_while(|&c| c != '}').collect();
                    pieces.push(match name.strip_prefix('…') {
                        Some(more) => Piece::Free { more: more.parse().ok()?, space_before },
                        None => Piece::Slot { id: lexer.mutable().find(&name)?, space_before },
                    });
                    space_before = false;
                }
                Some('\\') => literal.push(chars.next()?),
                Some(c) => literal.push(c),
            }
            space_before |= matches!(next, Some('⏎' | ' '));
        }
        TokenRun::try_from(pieces).ok().filter(|run| run.written(lexer.mutable()) == written)
    }
}

fn push_escaped(written: &mut String, text: &str) {
    for c in text.chars() {
        if matches!(c, '{' | '}' | '⏎' | '…' | '\\') {
            written.push('\\');
        }
        written.push(c);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{MutablePattern, SymbolSequence, Tokenizer};

    fn lexer(tokenizer: &str) -> Lexer {
        let number = MutablePattern { name: "number".into(), regex: r"\d+".into() };
        Lexer::new(Tokenizer::parse(tokenizer).unwrap(), Arc::new(MutableSet::new(vec![number]).unwrap()))
    }

    proptest! {
        #[test]
        fn a_run_is_read_as_it_is_written(
            text in r"[ab1 \n{}⏎…\\.,|-]{1,20}",
            tokenizer in prop::sample::select(vec!["words", "whitespace", "[a-z]+"]),
            cut in 0_usize..3,
        ) {
            let lexer = lexer(tokenizer);
            let sequence = SymbolSequence::of_texts(&[&text], &lexer).unwrap();
            let end = sequence.tokens();
            prop_assume!(cut + 1 < end);
            let run = sequence.run(cut.min(1)..end - usize::from(cut > 1));
            prop_assume!(TokenRun::new(run.pieces().to_vec()).is_some());
            let written = run.written(lexer.mutable());
            prop_assert_eq!(TokenRun::parse(&written, &lexer), Some(run), "{}", written);
        }
    }

    #[test]
    fn a_run_with_free_stretches_is_read_as_it_is_written() {
        let lexer = lexer("words");
        for written in ["⏎By {…40} \\| Staff⏎", "⏎By {…40} | Staff⏎", "…{number}{…20}⏎", "a{…4} b"]
        {
            let run = TokenRun::parse(written, &lexer);
            assert_eq!(
                run.map(|run| run.written(lexer.mutable())).as_deref(),
                Some(written).filter(|w| !w.contains("\\|"))
            );
        }
        assert_eq!(TokenRun::parse("{date} a", &lexer), None);
        assert_eq!(TokenRun::parse("a  b", &lexer), None);
    }
}
