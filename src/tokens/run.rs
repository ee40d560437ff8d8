//! A run of tokens that owns its text, apart from any document or vocabulary.
//!
//! This is the form in which what mining found leaves its source: a candidate, a template and a mined
//! pattern are all a [`TokenRun`] with numbers beside it.

use super::characters::{half_words, has_word};
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
    /// Whatever stands between the piece before and the piece after, within one line: as little as will do.
    Free {
        /// How many characters may follow its first one.
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

/// Consecutive tokens. Never empty, never only breaks. Free stretches may stand between them ([`TokenRun::segments`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenRun(pub(crate) Box<[Piece]>);

impl TokenRun {
    /// A run of these pieces, if they can be one.
    pub fn new(pieces: Vec<Piece>) -> Option<TokenRun> {
        let run = TokenRun(pieces.into());
        run.is_sound().then_some(run)
    }

    /// The tokens.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether there is a whole line in it, from one line break to the next.
    pub fn has_whole_line(&self) -> bool {
        self.0.iter().filter(|piece| **piece == Piece::Break).count() > 1
    }

    /// Whether there is a free stretch in it.
    pub fn has_free(&self) -> bool {
        self.0.iter().any(Piece::is_free)
    }

    /// Twice the words in it; a character of a script without spaces is half a word.
    pub fn half_words(&self) -> usize {
        let of_piece = |piece: &Piece| match piece {
            Piece::Literal { text, .. } if has_word(text) => half_words(text),
            _ => 0,
        };
        self.0.iter().map(of_piece).sum()
    }

    /// What stands between the free stretches: the whole run if there are none. None is empty, one has a token, and
    /// those that are nothing but a line break come first or last.
    pub fn segments(&self) -> impl Iterator<Item = &[Piece]> {
        self.0.split(Piece::is_free)
    }

    /// Whether every free stretch has something on both sides that says where it ends.
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

    /// The run as people write it: `⏎` for a line break, `{name}` for a mutable pattern, `{…40}` for a free stretch of
    /// up to 41 characters, `…` where it starts right after other text. Two runs are the same exactly if this is; what stands for something else is escaped by `\`.
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
}

fn push_escaped(written: &mut String, text: &str) {
    for c in text.chars() {
        if matches!(c, '{' | '}' | '⏎' | '…' | '\\') {
            written.push('\\');
        }
        written.push(c);
    }
}
