//! How a corpus is mined.

use dehusk_core::mining::MineOptions;
use dehusk_corpus::{DocumentRef, Inventory};

use crate::error::Result;
use crate::observer::Observer;
use crate::workers::all_cores;

/// Gives each of these documents a number. Documents that tell the same get the same number.
pub type Alike = fn(&Inventory, &[DocumentRef], &dyn Observer) -> Result<Vec<u32>>;

/// How a corpus is mined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusMineOptions {
    /// How each source is mined.
    pub mining: MineOptions,
    /// Whether a source that does not fit into memory is mined in part. If false, such a source is refused.
    pub sample: bool,
    /// Whether patterns are kept even if other patterns remove all of their text.
    pub all_patterns: bool,
    /// Finds documents that count only once, in addition to those with almost the same text.
    pub alike: Option<Alike>,
    /// Whether the run deletes pattern files that earlier runs wrote and this run does not. Files that a person changed
    /// are kept.
    pub prune: bool,
    /// Whether the run continues one that was stopped: sources that it had mined, and whose texts are the same, are not
    /// mined again.
    pub resume: bool,
    /// Whether the journal stays when the pattern files are written, because the caller goes on and may be stopped, too.
    /// It ends with [`remove_journal`](crate::mine::journal::remove_journal).
    #[doc(hidden)]
    pub keeps_journal: bool,
    /// Memory for documents, in bytes.
    pub memory: u64,
    /// Maximum number of sources that are mined at the same time: 1 to 8 for each core.
    pub threads: usize,
}

dehusk_core::setters!(CorpusMineOptions {
    mining: MineOptions,
    sample: bool,
    all_patterns: bool,
    alike: Option<Alike>,
    prune: bool,
    resume: bool,
    keeps_journal: bool,
    memory: u64,
    threads: usize,
});

impl Default for CorpusMineOptions {
    /// 3/4 of the free memory, and all cores.
    fn default() -> CorpusMineOptions {
        CorpusMineOptions {
            mining: MineOptions::default(),
            sample: false,
            all_patterns: false,
            alike: None,
            prune: false,
            resume: false,
            keeps_journal: false,
            memory: dehusk_corpus::Budget::default().limit(),
            threads: all_cores(),
        }
    }
}
