//! Splits texts into tokens and replaces tokens by symbols. Mining and cleaning share this step.
//!
//! A text is split into [`Token`]s in one left-to-right scan ([`lexer`]). A part that varies inside a template, such as
//! a number, a date or a URL, is one token: a match of a named [mutable pattern](mutable). Equal tokens get the same
//! integer, a [`Symbol`] ([`symbols`]). A line break is a token, and so are the start and the end of a document. So "a
//! whole line that says Share" is a run of tokens like any other.

pub mod characters;
mod clusters;
pub(crate) mod free_positions;
pub mod key;
pub mod lexer;
pub mod mutable;
pub mod mutable_file;
pub mod joints;
pub mod run;
pub(crate) mod short;
pub mod symbols;
pub mod token_class;
mod written_set;

pub use key::TokenKey;
pub use lexer::{Lexer, Token, TokenKind, Tokenizer};
pub use mutable::{MutableId, MutablePattern, MutableSet, shipped_patterns};
pub use run::{Piece, TokenRun};
pub(crate) use symbols::FrozenVocabulary;
pub use symbols::{DocumentIndex, Symbol, SymbolSequence, TooManyTokens, Vocabulary};
pub use token_class::TokenClass;
