//! dehusk learns the boilerplate that a text source repeats, as regular expressions a person can read
//! and review, and strips it from text in bulk.
//!
//! ```text
//!     corpus/ --> tokens/ --> mining/ --> patterns/ <--> YAML files people review
//!                    |                        |   ^
//!                    +------> cleaning/ <-----+   |
//!                                 +---------> selection/
//! ```
//!
//! Mining and cleaning meet only in the pattern files. Each step can be called alone, so that a larger
//! system can spread them out: mine a source ([`mining::mine_texts`]), compare all sources
//! ([`mining::cross_source::cross_source`]), write patterns down ([`PatternFile::of_templates`](patterns::PatternFile::of_templates)),
//! see where articles end ([`selection::ends::Ends`]), leave out what is not needed ([`selection::thinning::thinned`]),
//! clean a document ([`cleaning::Cleaner::clean`]).
//!
//! ```
//! use std::sync::Arc;
//! use dehusk::cleaning::{CleanOptions, Cleaner, Scratch};
//! use dehusk::mining::{MineOptions, cross_source::cross_source, mine_texts};
//! use dehusk::patterns::PatternFile;
//! use dehusk::tokens::{Lexer, MutableSet, Tokenizer};
//!
//! let stories = ["Ferry late again.", "Choir wins cup!", "Rain all week?", "Mayor resigns, again.", "Bakery reopens."];
//! let page = |(number, story)| format!("Daily Post | Home | Sport\n\n{story}\n\n{number} comments | Permanent link\n");
//! let texts: Vec<String> = stories.iter().enumerate().map(page).collect();
//!
//! // Mine one source, and compare all sources of the run: here there is one.
//! let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
//! let mined = [mine_texts(&texts, &lexer, &MineOptions::default())?];
//! let templates = cross_source(&mined);
//!
//! // Write the templates down, for a person to review.
//! let own = templates.own.into_iter().next().unwrap_or_default();
//! let patterns = PatternFile::of_templates("daily-post.example", mined[0].facts(), own, &lexer);
//! assert!(patterns.to_yaml().contains(r"Daily\s+Post\s+\|\s+Home\s+\|\s+Sport"));
//!
//! // Clean.
//! let cleaner = Cleaner::new(&[&patterns], &CleanOptions::default());
//! let cleaning = cleaner.clean(&mut Scratch::default(), &texts[1])?;
//! assert_eq!(cleaning.strip(&texts[1]), "Choir wins cup!\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// From documents to cleaned documents, in this order.
pub mod tokens;
pub mod html;
pub mod corpus;
pub mod mining;
pub mod patterns;
pub mod cleaning;
pub mod selection;
pub mod training;
pub mod streaming;
#[cfg(feature = "pipeline")]
pub mod pipeline;

// What people look at.
pub mod evaluation;
pub mod fields;
#[cfg(feature = "review")]
pub mod review;
#[cfg(feature = "review")]
pub mod view;

// Helpers that import nothing.
#[cfg(any(feature = "parquet", feature = "stream"))]
pub mod guarded;
pub mod shown;
mod stretches;
