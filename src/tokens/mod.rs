//! Text to tokens to symbols: the one way of reading that mining and cleaning share.
//!
//! A text becomes [`Token`]s by one left-to-right scan ([`lexer`]); what varies inside a template (a
//! number, a date, a URL) is one token of a named [mutable pattern](mutable). Equal tokens share an
//! integer [`Symbol`] ([`symbols`]). A line break is a token of its own, and so are the two ends of a
//! document, so that "a whole line that says Share" is a run of tokens like any other.

pub mod characters;
mod clusters;
pub mod key;
pub mod lexer;
pub mod mutable;
pub mod run;
mod short;
pub mod symbols;

pub use key::TokenKey;
pub use lexer::{Lexer, Token, TokenKind, Tokenizer};
pub use mutable::{MutableId, MutablePattern, MutableSet};
pub use run::{Piece, TokenRun};
pub use symbols::{DocumentIndex, Symbol, SymbolSequence, TooManyTokens, Vocabulary};
