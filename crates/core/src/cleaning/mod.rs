//! Cleans documents with patterns.
//!
//! A [`Cleaner`] has everything that is needed for the documents of one source: its own patterns and the shared ones, compiled once.
//! Data flows through the rooms in this order:
//!
//! 1. [`reading`]: the tokens of a document, and what patterns match.
//! 2. [`decide`]: matches are weighed, the document is divided into segments, and a model judges each segment.
//! 3. [`spans`]: the bytes to remove, and the cuts that remove them.
//!
//! [`cleaner`] joins them, and [`pages`](crate::pages) if the document is a page. Cleaning does not import mining: it knows only the
//! pattern files.

pub mod cleaner;
pub mod decide;
pub mod reading;
pub mod spans;

pub use cleaner::{CleanError, CleanOptions, Cleaner, Method, Origin, Recurring, Scratch};
pub(crate) use cleaner::{Review, Reviewed, same_lexer};
pub use decide::Decision;
pub use reading::Reading;
pub use spans::{Cleaning, Expected, Grounds, Span};
