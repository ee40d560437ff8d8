//! dehusk learns the boilerplate that a text source repeats, as regular expressions a person can read and review, and removes it
//! from text in bulk.
//!
//! A *source* is a site, a feed or a list: texts that share templates. Everything is learned for each source. A
//! *pattern* is a template as a regex. Patterns are kept in *pattern files*, which people review. These files are all
//! that cleaning gets from mining.
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
//! Each source is mined alone, on any machine. The comparison of all sources then drops repeats that are only language,
//! not template.
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
//! [`candidates_by_source`] and [`combine()`] do the same for corpora (feature `pipeline`): the first on any number of
//! machines, the second on one machine, with the files of all.
//!
//! ```
//! # #[cfg(feature = "pipeline")] {
//! # use std::sync::Arc;
//! # use dehusk::{Lexer, MutableSet, Tokenizer};
//! use dehusk::{CorpusMineOptions, Inventory, OutputRoot, ReadOptions, Reads, Silent, candidates_by_source, combine};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [feed, file, patterns] = ["feed.jsonl", "tide.candidates", "patterns"].map(|name| folder.path().join(name));
//! # let line = |n: usize| format!(r#"{{"source": "tide", "text": "The Tide | Home | Sport\nShip {n} came in{}."}}"#, " late".repeat(n));
//! # std::fs::write(&feed, (0..9).map(line).collect::<Vec<_>>().join("\n"))?;
//! # let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
//! let options = CorpusMineOptions::default();
//! let inventory = Inventory::scan(&[feed], &ReadOptions::default())?;
//! for (source, candidates) in candidates_by_source(&inventory, &lexer, &options, &Silent)? {
//!     assert_eq!(source.as_str(), "tide");
//!     std::fs::write(&file, candidates)?;
//! }
//! let mined = combine(&[file], &OutputRoot::create(patterns, &Reads::nothing())?, &options, &Silent)?;
//! assert_eq!(mined.sources[0].id.as_str(), "tide");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Select
//!
//! [`select`] tries the patterns out on texts of their source. It finds out how reliable the patterns are and where
//! articles end, and leaves out patterns that are not needed.
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
//! A stream learns templates while documents come, and cleans each document with what it learned from earlier
//! documents. What it learned is kept in a file, the *state* (features `pipeline` and `stream`).
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
//! - `cli`, `review`, `crawl`, `segments`, `manual`: the program. Leave them out (`default-features = false`) in a library.

#[cfg(feature = "cli")]
#[doc(hidden)] // only for the program, the wheel that brings it, and `dehusk-lab`: the interface may change at any time
pub mod cli;
#[cfg(feature = "segments")]
mod parts;
#[cfg(feature = "review")]
mod report;
#[cfg(feature = "review")]
mod review;
#[cfg(feature = "review")]
mod view;

#[doc(inline)]
pub use dehusk_core::tokens::mutable::{MutableError, MutablePattern};
#[doc(inline)]
pub use dehusk_core::tokens::token_class::TokenizerError;
#[doc(inline)]
pub use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer, TooManyTokens};

#[doc(inline)]
pub use dehusk_core::cut::Cut;

#[doc(inline)]
pub use dehusk_core::html::{
    Attribute, Boxes, Declared, Metadata, NodeKind, PageAspect, Rect, SourceMap, Tree, page_markdown, page_metadata,
    page_pruned, page_without, read, read_despite_scripts, visible_text,
};

#[doc(inline)]
pub use dehusk_core::dom::block_model::BlockModel;
#[doc(inline)]
pub use dehusk_core::dom::page_judge::PageJudge;
#[doc(inline)]
pub use dehusk_core::dom::page_level::PageModel;
#[doc(inline)]
pub use dehusk_core::dom::page_parts::{Favor, PageChoices, PagePart, PartChoice};
#[doc(inline)]
pub use dehusk_core::models::file::ModelFileError;

#[doc(inline)]
pub use dehusk_corpus::{
    BoxesError, BoxesFile, Budget, Document, DocumentRef, DrawnPage, HtmlView, Ignored, Inventory, Keys,
    MAX_DOCUMENT_BYTES, OutputError, OutputRoot, ReadOptions, Reads, Reason, ScanError, Skipped, SourceBy, SourceId,
    SourceIdError, SourceListing, Sources, decoded_page, similar_source,
};

#[doc(inline)]
pub use dehusk_core::mining::cross_source::{Templates, cross_source};
#[doc(inline)]
pub use dehusk_core::mining::{MineOptions, Mined, NearDuplicates, mine_texts};

#[doc(inline)]
pub use dehusk_core::patterns::file::MinedFrom;
#[doc(inline)]
pub use dehusk_core::patterns::keep::KeepError;
#[doc(inline)]
pub use dehusk_core::patterns::{FileProblem, Keep, LexerCache, Loose, Pattern, PatternFile, SHARED, Status, Template};

#[doc(inline)]
pub use dehusk_core::selection::select;

#[doc(hidden)]
pub use dehusk_core::cleaning::cleaner::Compiler;
#[doc(inline)]
pub use dehusk_core::cleaning::cleaner::drift::Drift;
#[doc(inline)]
pub use dehusk_core::cleaning::decide::decision_model::DecisionModel;
#[doc(inline)]
pub use dehusk_core::cleaning::{
    CleanError, CleanOptions, Cleaner, Cleaning, Expected, Grounds, Method, Scratch, Span,
};

#[cfg(feature = "pipeline")]
#[doc(inline)]
pub use dehusk_run::{
    Cleaned, CleanedSource, CorpusCleanOptions, CorpusMineOptions, FilesOfSource, Library, LibraryError, MinedCorpus,
    MinedSource, Observer, Often, Permission, PipelineError, Removed, Silent, SpanUnit, Steps, Stop, Target,
    ThreadsError, WarningKind, candidates_by_source, checked_threads, clean_corpus, combine, in_own_pool, mine_corpus,
    removed, tell_of_skipped,
};

#[cfg(all(feature = "pipeline", feature = "stream"))]
#[doc(inline)]
pub use dehusk_run::{StreamMethod, StreamOptions, StreamTarget, StreamedSource, TableChanges, stream_corpus};
