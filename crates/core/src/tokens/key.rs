//! The identity of a token as 2 integers.

use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::lexer::{Token, TokenKind};
use super::mutable::MutableId;
use super::short::Short;

/// The identity of a token: its kind, the white space before it, and its text. A long text is replaced by a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenKey(Short);

impl TokenKey {
    // The top byte holds a bit for white space before the token, and the length of a short token or a code for its
    // kind.
    const SPACE_BEFORE: u64 = 0x80 << Short::LENGTH_SHIFT;
    const LONG: u64 = 0x10 << Short::LENGTH_SHIFT;
    const MUTABLE: u64 = 0x11 << Short::LENGTH_SHIFT;
    const BREAK: u64 = 0x12 << Short::LENGTH_SHIFT;

    /// The key of a token of this kind. The text of a break or of a match of a mutable pattern is ignored.
    pub(crate) fn of(kind: TokenKind, space_before: bool, text: &str) -> TokenKey {
        match kind {
            TokenKind::Break => TokenKey::line_break(),
            TokenKind::Mutable(id) | TokenKind::Marks(id) => TokenKey::mutable(id, space_before),
            TokenKind::Word | TokenKind::Character => TokenKey::literal(text, 0..text.len(), space_before),
        }
    }

    /// The key of a token of a text. It is faster than [`TokenKey::of`], which does not see the text after the token.
    pub(crate) fn at(text: &str, token: &Token) -> TokenKey {
        match token.kind {
            TokenKind::Word | TokenKind::Character => TokenKey::literal(text, token.range(), token.space_before),
            kind => TokenKey::of(kind, token.space_before, ""),
        }
    }

    /// The line break.
    pub(super) fn line_break() -> TokenKey {
        TokenKey(Short { low: 0, high: TokenKey::BREAK })
    }

    /// A match of a mutable pattern.
    pub(super) fn mutable(id: MutableId, space_before: bool) -> TokenKey {
        TokenKey::with_space(Short { low: u64::from(id.0), high: TokenKey::MUTABLE }, space_before)
    }

    /// A word or character, which has this range of the text.
    pub(super) fn literal(text: &str, range: Range<usize>, space_before: bool) -> TokenKey {
        match Short::of(text.as_bytes(), range.start, range.end) {
            Some(short) => TokenKey::short(short, space_before),
            None => TokenKey::long(&text[range], space_before),
        }
    }

    /// A short word or character.
    #[inline]
    pub(super) fn short(short: Short, space_before: bool) -> TokenKey {
        TokenKey::with_space(short, space_before)
    }

    /// A word or character that is not short.
    pub(super) fn long(text: &str, space_before: bool) -> TokenKey {
        TokenKey::with_space(Short { low: FxBuildHasher.hash_one(text), high: TokenKey::LONG }, space_before)
    }

    #[inline]
    fn with_space(short: Short, space_before: bool) -> TokenKey {
        let space = if space_before { TokenKey::SPACE_BEFORE } else { 0 };
        TokenKey(Short { low: short.low, high: short.high | space })
    }

    /// Whether different tokens can have this key.
    #[inline]
    pub(super) fn is_long(self) -> bool {
        self.0.high & !TokenKey::SPACE_BEFORE == TokenKey::LONG
    }

    #[inline]
    pub(super) fn hash(self) -> u64 {
        self.0.hash()
    }
}
