//! The options of a stream.

use std::path::PathBuf;

use crate::clean::CorpusCleanOptions;
use dehusk_core::streaming::table::TableOptions;
use dehusk_core::tokens::Lexer;

/// A new state remembers this many segments of a source.
pub const MAX_SEGMENTS: usize = 20_000;
/// This many segments of all sources are in memory by default.
pub const HELD_SEGMENTS: u32 = 5_000_000;

/// How a stream learns, and how it cleans.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// How each document is cleaned and written. A stream has no report, copies no broken documents, and continues with
    /// its state, so those options have no effect.
    pub documents: CorpusCleanOptions,
    /// How it is decided what is removed.
    pub method: StreamMethod,
    /// Changes of the options in the state. A run that learns stores them there.
    pub table: TableChanges,
    /// How documents are split into tokens. By default as in the state; in a new state by words, with the shipped
    /// mutable patterns.
    pub lexer: Option<Lexer>,
    /// Whether the run learns. If not, it cleans with what the state knows, and does not change the state.
    pub learns: bool,
    /// The name of standard input in the state. Without a name, the state does not store how far it was read.
    pub feed: Option<String>,
    /// Whether the state notes how far inputs were read and what was written, so that a later run continues there.
    /// Without it, the documents of all inputs are taken. That is for inputs that are gone afterwards.
    pub notes_inputs: bool,
    /// Maximum number of segments of all sources that are in memory between batches. The others are read from the
    /// state.
    pub held_segments: usize,
}

/// How a stream decides what is removed. What it learns does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamMethod {
    /// What recurs is evidence. The options of cleaning say how it is weighed.
    #[default]
    Weighed,
    /// A block of which most is boilerplate is removed as a whole, and nothing else is removed: the rule of Wang et al.
    /// Patterns, shape and structure are not used. What a person rejected or keeps is not removed.
    WholeBlocks,
}

/// Where cleaned documents are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamTarget {
    /// Nowhere: the run only learns.
    Nowhere,
    /// To stdout, a line of JSON each.
    Stdout,
    /// To a file, a line of JSON each. The next run with the same state adds to it.
    File(PathBuf),
}

/// Changes of the options of tables. `None`: the option is not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TableChanges {
    /// Number of documents that must have a segment, for it to be boilerplate. Default: 5.
    pub template_documents: Option<u32>,
    /// Number of documents that must have a segment, for it to be removed if all other evidence agrees. Default: 2.
    pub evidence_documents: Option<u32>,
    /// Minimum share of a block that segments which recur take up, for them to be removed, 0..=1. Default: 0.7.
    pub block_share: Option<f64>,
    /// A segment of one document is forgotten if it was not in this many of the next documents of the source. Default:
    /// when the table is full.
    pub lifetime: Option<f64>,
    /// How many times as long segments of many documents are remembered. Default: 2.
    pub lifetime_factor: Option<f64>,
    /// Maximum number of segments of a source. Default: 20,000.
    pub max_segments: Option<usize>,
}

dehusk_core::setters!(StreamOptions {
    documents: CorpusCleanOptions,
    method: StreamMethod,
    table: TableChanges,
    lexer: Option<Lexer>,
    learns: bool,
    feed: Option<String>,
    notes_inputs: bool,
    held_segments: usize,
});

dehusk_core::setters!(TableChanges {
    template_documents: Option<u32>,
    evidence_documents: Option<u32>,
    block_share: Option<f64>,
    lifetime: Option<f64>,
    lifetime_factor: Option<f64>,
    max_segments: Option<usize>,
});

impl Default for StreamOptions {
    /// Learns, with the options in the state.
    fn default() -> StreamOptions {
        StreamOptions {
            documents: CorpusCleanOptions::default(),
            method: StreamMethod::default(),
            table: TableChanges::default(),
            lexer: None,
            learns: true,
            feed: None,
            notes_inputs: true,
            held_segments: HELD_SEGMENTS as usize,
        }
    }
}

impl TableChanges {
    /// The options of a new state.
    pub fn of_new_state(&self) -> TableOptions {
        self.over(TableOptions { max_segments: Some(MAX_SEGMENTS), ..TableOptions::default() })
    }

    /// These options, with the changes.
    pub fn over(&self, mut options: TableOptions) -> TableOptions {
        options.detection.template_documents = self.template_documents.unwrap_or(options.detection.template_documents);
        options.detection.evidence_documents = self.evidence_documents.unwrap_or(options.detection.evidence_documents);
        options.detection.block_share = self.block_share.unwrap_or(options.detection.block_share);
        options.lifetime.base = self.lifetime.unwrap_or(options.lifetime.base);
        options.lifetime.factor = self.lifetime_factor.unwrap_or(options.lifetime.factor);
        options.max_segments = self.max_segments.or(options.max_segments);
        options
    }
}
