//! A run of tokens that owns its text, apart from any document or vocabulary.
//!
//! This is the form in which what mining found leaves its source: a candidate, a template and a mined
//! pattern are all a [`TokenRun`] with numbers beside it.

use super::characters::has_word;
use super::mutable::{MutableId, MutableSet};

/// One token of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// A line break or an end of the document.
    Break,
    /// Any match of a mutable pattern.
    Slot {
        /// Which pattern, in the run's [`MutableSet`].
        id: MutableId,
        /// Whether white space stands before it.
        space_before: bool,
    },
    /// A word or a character.
    Literal {
        /// As it stands in the text.
        text: Box<str>,
        /// Whether white space stands before it.
        space_before: bool,
    },
}

impl Piece {
    /// Whether it is a word.
    pub fn is_word(&self) -> bool {
        matches!(self, Piece::Literal { text, .. } if has_word(text))
    }
}

/// Consecutive tokens. Never empty, never only breaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenRun(pub(crate) Box<[Piece]>);

impl TokenRun {
    /// The tokens.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether there is a whole line in it, from one line break to the next.
    pub fn has_whole_line(&self) -> bool {
        self.0.iter().filter(|piece| **piece == Piece::Break).count() > 1
    }

    /// The run with the same mutable patterns, by name, of another set. `None` if one is not there.
    pub fn translated(&self, from: &MutableSet, to: &MutableSet) -> Option<TokenRun> {
        let translate = |piece: &Piece| match piece {
            Piece::Slot { id, space_before } => {
                Some(Piece::Slot { id: to.find(&from.pattern(*id).name)?, space_before: *space_before })
            }
            piece => Some(piece.clone()),
        };
        self.0.iter().map(translate).collect::<Option<_>>().map(TokenRun)
    }

    /// The run as people write it: `⏎` for a line break, `{name}` for a mutable pattern, `…` where it starts right
    /// after other text. Two runs are the same exactly if this is; what stands for something else is escaped by `\`.
    pub fn written(&self, mutable: &MutableSet) -> String {
        let mut written = String::new();
        for (index, piece) in self.0.iter().enumerate() {
            // White space goes without saying where the run starts, and after a line break.
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
                Piece::Literal { text, space_before } => {
                    written.push_str(space(*space_before));
                    push_escaped(&mut written, text);
                }
            }
        }
        written
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
