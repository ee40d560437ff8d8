//! Cleans documents with patterns.
//!
//! A [`Cleaner`] has everything that it needs to clean the documents of one source: the source's patterns and the
//! shared patterns, compiled once. Data flows through the modules in this order:
//!
//! 1. [`reading`]: the tokens of a document, and the matches of the patterns.
//! 2. [`decide`]: the weights of the matches, the segments of the document, and a model's judgement of each segment.
//! 3. [`spans`]: the bytes to remove, and the cuts that remove them.
//!
//! [`cleaner`] joins these modules. If the document is a page, it also uses [`pages`](crate::pages). Cleaning does not
//! import mining: it knows only the pattern files.

pub mod cleaner;
pub mod decide;
pub mod reading;
pub mod spans;

pub use cleaner::{CleanError, CleanOptions, Cleaner, Method, Origin, Recurring, Scratch};
pub(crate) use cleaner::{Review, Reviewed, same_lexer};
pub use decide::Decision;
pub use reading::Reading;
pub use spans::{Cleaning, Expected, Grounds, Span};
