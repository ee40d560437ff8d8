//! A run of tokens that owns its text, apart from any document or vocabulary.
//!
//! This is the form in which what mining found leaves its source: a candidate, a template and a mined
//! pattern are all a [`TokenRun`] with numbers beside it.

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

/// Consecutive tokens. Never empty, never only breaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenRun(pub(crate) Box<[Piece]>);

impl TokenRun {
    /// The tokens.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether it starts and ends at line breaks: one or more whole lines.
    pub fn is_whole_line(&self) -> bool {
        self.0.len() > 2 && self.0.first() == Some(&Piece::Break) && self.0.last() == Some(&Piece::Break)
    }

    /// The run as people write it: `⏎` for a line break, `{name}` for a mutable pattern. Two runs are the
    /// same exactly if this is; a literal brace, `⏎` or `\` is escaped.
    pub fn written(&self, mutable: &MutableSet) -> String {
        let mut written = String::new();
        for (index, piece) in self.0.iter().enumerate() {
            match piece {
                Piece::Break => written.push('⏎'),
                Piece::Slot { id, space_before } => {
                    push_space(&mut written, *space_before, index);
                    written.extend(["{", &mutable.pattern(*id).name, "}"]);
                }
                Piece::Literal { text, space_before } => {
                    push_space(&mut written, *space_before, index);
                    push_escaped(&mut written, text);
                }
            }
        }
        written
    }
}

/// Space, or nothing. The first token without space before it is marked, for it is another run then.
fn push_space(written: &mut String, space_before: bool, index: usize) {
    match (space_before, index) {
        (true, 0) => {}
        (true, _) => written.push(' '),
        (false, 0) => written.push('…'),
        (false, _) => {}
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
