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

#![cfg_attr(not(feature = "_internal"), allow(dead_code, unused_imports))] // what only the program, tests and benches use
#![cfg_attr(not(feature = "_internal"), warn(unnameable_types))]

/// Modules that are private to users of the library. The program, benches, fuzz targets and laws see them, by the feature
/// `_internal`, which promises nothing.
macro_rules! internal {
    ($($(#[$attribute:meta])* mod $name:ident;)*) => {
        $(
            $(#[$attribute])*
            #[cfg(feature = "_internal")]
            #[doc(hidden)]
            pub mod $name;

            $(#[$attribute])*
            #[cfg(not(feature = "_internal"))]
            mod $name;
        )*
    };
}

#[macro_use]
mod setters;

// From documents to cleaned documents, in this order.
internal! {
    mod tokens;
    mod html;
    mod corpus;
    mod mining;
    mod patterns;
    mod cleaning;
    mod selection;
    mod training;
    mod streaming;
    #[cfg(feature = "pipeline")]
    mod pipeline;
}

// What people look at.
internal! {
    #[cfg(feature = "_internal")]
    mod evaluation;
    mod fields;
    #[cfg(feature = "review")]
    mod review;
    #[cfg(feature = "review")]
    mod view;
}

// Helpers that import nothing.
internal! {
    #[cfg(any(feature = "parquet", feature = "stream"))]
    mod guarded;
    mod shown;
    mod stretches;
}

pub use tokens::lexer::TokenizerError;
pub use tokens::mutable::{MutableError, MutablePattern};
pub use tokens::{Lexer, MutableSet, Tokenizer, TooManyTokens};

pub use html::{Outline, OutlineRun, PageCut, SourceMap, page_without, read, visible_text};

pub use corpus::{
    Document, HtmlView, Inventory, Keys, OutputRoot, ReadOptions, ScanError, Skipped, SourceBy, SourceId,
};

pub use mining::cross_source::{Templates, cross_source};
pub use mining::{MineOptions, Mined, mine_texts};

pub use patterns::{FileProblem, Keep, LexerCache, Pattern, PatternFile, Place, Status, Template, Trust};

pub use cleaning::shape::{ShapeError, ShapeModel};
pub use cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Ingredient, Ingredients, Method, Scratch, Span};

#[cfg(feature = "pipeline")]
pub use pipeline::{
    Cleaned, CleanedSource, CorpusCleanOptions, CorpusMineOptions, Library, LibraryError, MinedCorpus, MinedSource,
    Observer, Permission, PipelineError, Silent, Steps, Stop, Target, WarningKind, clean_corpus, combine,
    mine_candidates, mine_corpus,
};
