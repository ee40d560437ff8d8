//! The options of a stream.

use std::path::PathBuf;

use crate::clean::CorpusCleanOptions;
use dehusk_core::streaming::table::TableOptions;
use dehusk_core::tokens::Lexer;

/// Maximum number of segments of a source that a new state remembers.
pub const MAX_SEGMENTS: usize = 20_000;
/// Maximum number of segments of all sources in memory, by default.
pub const HELD_SEGMENTS: u32 = 5_000_000;

/// How a stream learns, and how it cleans.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// How each document is cleaned and written. A stream has no report, copies no broken documents, and continues with
    /// its state, so those options have no effect.
    pub documents: CorpusCleanOptions,
    /// How the stream decides which text is removed.
    pub method: StreamMethod,
    /// Changes to the options in the state. A run that learns stores the changed options there.
    pub table: TableChanges,
    /// How documents are split into tokens. By default as in the state; in a new state by words, with the shipped
    /// mutable patterns.
    pub lexer: Option<Lexer>,
    /// Whether the run learns. If not, it cleans with what the state knows, and does not change the state.
    pub learns: bool,
    /// The name of standard input in the state. Without a name, the state does not store how far it was read.
    pub feed: Option<String>,
    /// Whether the state notes how far inputs were read and what was written, so that a later run continues there. If
    /// false, all documents of all inputs are taken, and nothing is noted. That is for inputs that are gone afterwards.
    pub notes_inputs: bool,
    /// Maximum number of segments of all sources that are in memory between batches. The others are read from the
    /// state.
    pub held_segments: usize,
}

/// How a stream decides which text is removed. The method does not influence what the stream learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamMethod {
    /// Recurrence is evidence. The options of cleaning say how it is weighed.
    #[default]
    Weighed,
    /// A block that is mostly boilerplate is removed as a whole, and nothing else is removed: the rule of Wang et al.
    /// Patterns, shape and structure are not used. But text is kept if a person rejected its pattern or chose to keep
    /// it.
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
    /// Number of documents that a segment must be in to be boilerplate. Default: 5.
    pub template_documents: Option<u32>,
    /// Number of documents that a segment must be in to be removed if all other evidence agrees. Default: 2.
    pub evidence_documents: Option<u32>,
    /// Recurring segments are removed if they take up at least this share of their block, 0..=1. Default: 0.7.
    pub block_share: Option<f64>,
    /// A segment of one document is forgotten if none of this many next documents of the source has it. Default: when
    /// the table is full.
    pub lifetime: Option<f64>,
    /// Factor by which segments of many documents are remembered longer. Default: 2.
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
