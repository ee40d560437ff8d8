//! The data that a state stores for a source besides its segments, as JSON.

use serde::{Deserialize, Serialize};

use super::error::Problem;
use super::settings::fraction;
use dehusk_core::streaming::drift::Change;
use dehusk_core::streaming::ends::{EndPlaces, StoredPlaces};
use dehusk_core::streaming::table::Progress;
use dehusk_core::streaming::windows::{Window, Windows};

/// The row of a source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SourceRow {
    /// The number of the source in the keys of its segments and texts.
    pub number: u32,
    /// Number of rows with its segments.
    pub rows: u32,
    /// Number of segments in the last full write.
    pub whole: usize,
    /// Number of changes written since the last full write.
    pub changes: usize,
    pages: u32,
    arrived: u64,
    copies: u64,
    threshold: Option<String>,
    /// The fields `caught`, `missed`, `born` and `died` of each window.
    windows: Vec<[u64; 4]>,
    /// The fields `page`, `stayed`, `gone` and `new` of the last change.
    change: Option<[u32; 4]>,
    /// The candidates for ends of articles ([`StoredPlaces`]).
    ends: StoredPlaces,
}

impl SourceRow {
    /// The row of a source without segments.
    pub fn new(number: u32) -> SourceRow {
        SourceRow { number, ..SourceRow::default() }
    }

    pub fn parse(json: &str) -> Result<SourceRow, Problem> {
        serde_json::from_str(json).map_err(|error| Problem::Damaged(error.to_string()))
    }

    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// The progress of the source.
    pub fn progress(&self) -> Result<Progress, Problem> {
        let threshold = self.threshold.as_deref().map(fraction).transpose()?;
        let window = |&[caught, missed, born, died]: &[u64; 4]| Window { caught, missed, born, died };
        let windows = Windows::new(self.windows.iter().map(window).collect());
        let change = self.change.map(|[page, stayed, gone, new]| Change { page, stayed, gone, new });
        let ends = EndPlaces::stored(&self.ends);
        let SourceRow { pages, arrived, copies, .. } = *self;
        Ok(Progress { pages, arrived, threshold, copies, windows, change, ends })
    }

    /// Sets the progress of the source.
    pub fn set_progress(&mut self, progress: &Progress) {
        let numbers = |window: &Window| [window.caught, window.missed, window.born, window.died];
        self.pages = progress.pages;
        self.arrived = progress.arrived;
        self.copies = progress.copies;
        self.threshold = progress.threshold.map(|threshold| threshold.to_string());
        self.change = progress.change.map(|change| [change.page, change.stayed, change.gone, change.new]);
        self.ends = progress.ends.to_store();
        self.windows = progress.windows.iter().map(|(_, window)| numbers(window)).collect();
    }
}
