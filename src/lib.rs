//! dehusk learns the boilerplate that a text source repeats, as regular expressions a person can read and review, and removes it
//! from text in bulk.
//!
//! A *source* is a site, a feed or a list: texts that share templates. Everything is learned for each source. A *pattern* is
//! a template as a regex. Patterns are kept in *pattern files*, which people review; mining and cleaning meet only there.
//!
//! ```text
//! texts --> mine_texts --> cross_source --> PatternFile --> select --> Cleaner --> cleaned texts
//!          (each source)   (all sources)        ^
//!                                               +--> YAML files that people review
//! ```
//!
//! [`mine_corpus`] and [`clean_corpus`] do all of this for whole corpora, as the program `dehusk` does (feature `pipeline`).
//! The functions below do one step each, for larger systems that spread the steps out.
//!
//! # Mine
//!
//! Each source is mined alone, on any machine. The comparison of all sources removes what is only language.
//!
//! ```
//! # fn texts(masthead: &str) -> Vec<String> {
//! #     let stories = ["Ferry late again.", "Choir wins cup!", "Rain all week?", "Mayor resigns, again.", "Bakery reopens."];
//! #     let page = |(number, story)| format!("{masthead}\n\n{story}\n\n{number} comments | Permanent link\n");
//! #     stories.iter().enumerate().map(page).collect()
//! # }
//! use std::sync::Arc;
//! use dehusk::{Lexer, MineOptions, MutableSet, PatternFile, Tokenizer, cross_source, mine_texts};
//!
//! let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
//! let sources = [texts("Daily Post | Home | Sport"), texts("The Tide, a paper for the harbour")];
//! let mined = [
//!     mine_texts(&sources[0], &lexer, &MineOptions::default())?,
//!     mine_texts(&sources[1], &lexer, &MineOptions::default().min_documents(3))?,
//! ];
//! let templates = cross_source(&mined).own.swap_remove(0);
//! let patterns = PatternFile::of_templates("daily-post.example", mined[0].facts(), templates, &lexer);
//! assert!(patterns.to_yaml().contains(r"Daily\s+Post\s+\|\s+Home\s+\|\s+Sport"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Select
//!
//! [`select`] tries the patterns out on texts of their source. It finds out how far they can be relied on and where articles
//! end, and leaves out the patterns that nobody needs.
//!
//! ```
//! # use std::sync::Arc;
//! # use dehusk::{Lexer, MineOptions, MutableSet, PatternFile, Tokenizer, cross_source, mine_texts};
//! # let texts: Vec<String> = ["Ferry late again.", "Choir wins cup!", "Rain all week?", "Mayor resigns, again.", "Bakery reopens."]
//! #     .iter().map(|story| format!("Daily Post | Home | Sport\n\n{story}\n\nPermanent link\n")).collect();
//! # let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
//! # let mined = [mine_texts(&texts, &lexer, &MineOptions::default())?];
//! # let patterns = PatternFile::of_templates("daily-post.example", mined[0].facts(), cross_source(&mined).own.swap_remove(0), &lexer);
//! use dehusk::select;
//!
//! let patterns = select(patterns, None, &texts);
//! assert!(patterns.mined.removed.is_some_and(|share| share > 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Clean
//!
//! A [`Cleaner`] serves any number of threads; each has a [`Scratch`] of its own.
//!
//! ```
//! use dehusk::{CleanOptions, Cleaner, LexerCache, PatternFile, Scratch};
//!
//! let yaml = r"
//! dehusk: 1
//! source: daily-post.example
//! mined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}
//! patterns:
//!   - {id: home, status: accepted, regex: '(?m)^\s*Daily\s+Post\s+\|\s+Home\s*$', example: Daily Post | Home}
//! ";
//! let patterns = PatternFile::parse(yaml, &LexerCache::default()).map_err(|problems| problems[0].message.clone())?;
//! let cleaner = Cleaner::new(&[&patterns], &CleanOptions::default());
//! let text = "Daily Post | Home\n\nChoir wins cup!\n";
//! let cleaning = cleaner.clean(&mut Scratch::default(), text)?;
//! assert_eq!(cleaning.strip(text), "Choir wins cup!\n");
//! assert_eq!(cleaning.spans[0].range, 0..17);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stream
//!
//! A stream learns templates while documents come, and cleans each document by what came before it. What it learned is kept
//! in a file, the *state* (features `pipeline` and `stream`).
//!
//! ```
//! # #[cfg(all(feature = "pipeline", feature = "stream"))] {
//! use dehusk::{Inventory, Library, ReadOptions, Silent, StreamOptions, StreamTarget, stream_corpus};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [feed, state, cleaned] = ["feed.jsonl", "state", "cleaned.jsonl"].map(|name| folder.path().join(name));
//! # let line = |n: usize| format!(r#"{{"source": "tide", "text": "The Tide | Home | Sport\nShip {n} came in{}."}}"#, " late".repeat(n));
//! # std::fs::write(&feed, (0..9).map(line).collect::<Vec<_>>().join("\n"))?;
//! let inventory = Inventory::scan(&[feed], &ReadOptions::default().tree(true))?;
//! let target = StreamTarget::File(cleaned);
//! let options = StreamOptions::default();
//! let sources = stream_corpus(&[inventory], &Library::default(), &state, &target, &options, &Silent)?;
//! assert_eq!(sources["tide"].cleaned.documents, 9);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read
//!
//! An [`Inventory`] gives the documents of folders, JSONL, WARC and Parquet by source. [`read`] gives the visible
//! text of a page, and [`page_without`] the page without parts of that text.
//!
//! ```
//! use dehusk::{Cut, SourceMap, page_without, read};
//!
//! let page = "<p>Choir wins cup!<p class=share>Share";
//! let (text, map) = read::<SourceMap>(page);
//! assert_eq!(text, "Choir wins cup!\nShare");
//! let cut = Cut { range: 15..21, replacement: "" };
//! assert_eq!(page_without(page, &map, &[cut]), "<p>Choir wins cup!<p class=share>");
//! ```
//!
//! # Features
//!
//! - `pipeline`: whole corpora ([`mine_corpus`], [`clean_corpus`]).
//! - `stream`: templates learned while documents come ([`stream_corpus`], with `pipeline`).
//! - `parquet`: reading and writing Parquet.
//! - `cli`, `review`: the program. Leave them out (`default-features = false`) in a library.

#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))] // what only the program, tests and benches use

#[macro_use]
mod setters;

// Modules are private to users of the library. The program, benches, fuzz targets and laws see them through the feature
// `_internal`, which promises nothing. Each is declared twice, and not by a macro, because rustfmt does not look into macros.

// From documents to cleaned documents, in this order.
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod tokens;
#[cfg(not(feature = "_internal"))]
mod tokens;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod html;
#[cfg(not(feature = "_internal"))]
mod html;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod dom;
#[cfg(not(feature = "_internal"))]
mod dom;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod segmentation;
#[cfg(not(feature = "_internal"))]
mod segmentation;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod importance;
#[cfg(not(feature = "_internal"))]
mod importance;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod corpus;
#[cfg(not(feature = "_internal"))]
mod corpus;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod mining;
#[cfg(not(feature = "_internal"))]
mod mining;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod patterns;
#[cfg(not(feature = "_internal"))]
mod patterns;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod cleaning;
#[cfg(not(feature = "_internal"))]
mod cleaning;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod selection;
#[cfg(not(feature = "_internal"))]
mod selection;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod models;
#[cfg(not(feature = "_internal"))]
mod models;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod streaming;
#[cfg(not(feature = "_internal"))]
mod streaming;
#[cfg(all(feature = "_internal", feature = "pipeline"))]
#[doc(hidden)]
pub mod pipeline;
#[cfg(all(not(feature = "_internal"), feature = "pipeline"))]
mod pipeline;

// What people look at.
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod evaluation;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod explain;
#[cfg(not(feature = "_internal"))]
mod explain;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod fields;
#[cfg(not(feature = "_internal"))]
mod fields;
#[cfg(all(feature = "_internal", feature = "review"))]
#[doc(hidden)]
pub mod review;
#[cfg(all(not(feature = "_internal"), feature = "review"))]
mod review;
#[cfg(all(feature = "_internal", feature = "review"))]
#[doc(hidden)]
pub mod view;
#[cfg(all(not(feature = "_internal"), feature = "review"))]
mod view;

// Helpers that import nothing.
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod cut;
#[cfg(not(feature = "_internal"))]
mod cut;
#[cfg(all(feature = "_internal", any(feature = "parquet", feature = "stream")))]
#[doc(hidden)]
pub mod guarded;
#[cfg(all(not(feature = "_internal"), any(feature = "parquet", feature = "stream")))]
mod guarded;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod random;
#[cfg(not(feature = "_internal"))]
mod random;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod regular;
#[cfg(not(feature = "_internal"))]
mod regular;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod shown;
#[cfg(not(feature = "_internal"))]
mod shown;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod stretches;
#[cfg(not(feature = "_internal"))]
mod stretches;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod threads;
#[cfg(not(feature = "_internal"))]
mod threads;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod whole;
#[cfg(not(feature = "_internal"))]
mod whole;

pub use tokens::mutable::{MutableError, MutablePattern};
pub use tokens::token_class::TokenizerError;
pub use tokens::{Lexer, MutableSet, Tokenizer, TooManyTokens};

pub use cut::Cut;

pub use html::{
    Attribute, Boxes, Declared, Metadata, NodeKind, PageAspect, Rect, SourceMap, Tree, page_markdown, page_metadata,
    page_pruned, page_without, read, visible_text,
};

pub use dom::block_model::BlockModel;
pub use dom::page_judge::PageJudge;
pub use dom::page_level::PageModel;
pub use dom::page_parts::{Favor, PageChoices, PagePart, PartChoice};
pub use models::file::ModelFileError;

pub use corpus::{
    BoxesError, BoxesFile, Budget, Document, DocumentRef, DrawnPage, HtmlView, Ignored, Inventory, Keys,
    MAX_DOCUMENT_BYTES, OutputError, OutputRoot, ReadOptions, Reads, Reason, ScanError, Skipped, SourceBy, SourceId,
    SourceIdError, SourceListing, Sources,
};

pub use mining::cross_source::{Templates, cross_source};
pub use mining::{MineOptions, Mined, NearDuplicates, mine_texts};

pub use patterns::file::MinedFrom;
pub use patterns::keep::KeepError;
pub use patterns::{FileProblem, Keep, LexerCache, Pattern, PatternFile, SHARED, Status, Template};

pub use selection::select;

pub use cleaning::decision_model::DecisionModel;
pub use cleaning::drift::Drift;
pub use cleaning::{CleanError, CleanOptions, Cleaner, Cleaning, Expected, Grounds, Method, Scratch, Span};

#[cfg(feature = "pipeline")]
pub use pipeline::{
    Cleaned, CleanedSource, CorpusCleanOptions, CorpusMineOptions, Library, LibraryError, MinedCorpus, MinedSource,
    Observer, Permission, PipelineError, Silent, SpanUnit, Steps, Stop, Target, ThreadsError, WarningKind,
    clean_corpus, combine, mine_candidates, mine_corpus,
};

#[cfg(all(feature = "pipeline", feature = "stream"))]
pub use pipeline::{StreamMethod, StreamOptions, StreamTarget, StreamedSource, TableChanges, stream_corpus};
