//! The lines, values or rows of a file with many documents, in batches.
//!
//! Takes the stretches of a [`LineStream`]. Returns the records in them. The number of lines in a batch is limited,
//! because a blank line has 1 byte, but the data about a line need hundreds.

use std::sync::Arc;

use super::Container;
use super::batch::Content;
use crate::Reason;
use crate::formats::csv::{CsvRows, Header};
use crate::formats::json::JsonRecords;
use crate::read::division::Division;
use crate::read::line_stream::{LineStream, Stretch};
use crate::read::open_file::OpenFile;

/// Maximum number of records in a batch.
pub(super) const MOST_RECORDS: usize = 1 << 14;

/// What the records of a stream are.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Lines or values of JSON.
    Json(Division),
    /// Rows of a table of CSV.
    Csv(Arc<Header>),
}

impl Shape {
    pub(super) fn division(&self) -> Division {
        match self {
            Shape::Json(division) => *division,
            Shape::Csv(header) => header.division(),
        }
    }
}

/// Reads records from the first one on.
pub(super) struct Lines {
    shape: Shape,
    stream: LineStream,
    /// The file, if it is not compressed, so that its records can be read again in any order.
    file: Option<Arc<OpenFile>>,
    /// The current stretch, and the number of its bytes that were returned.
    begun: Option<(Begun, usize)>,
    /// Number of unpacked bytes before the next stretch.
    before: u64,
}

enum Begun {
    Json(JsonRecords),
    Csv(CsvRows),
}

impl Lines {
    pub(super) fn new(shape: Shape, stream: LineStream, file: Option<Arc<OpenFile>>) -> Lines {
        Lines { shape, stream, file, begun: None, before: 0 }
    }

    /// Whether these are lines of JSON.
    pub(super) fn are_json(&self) -> bool {
        matches!(self.shape, Shape::Json(Division::Lines))
    }

    /// Whether these are lines of JSON that can be read again in any order.
    pub(super) fn lie_open(&self) -> bool {
        self.are_json() && self.file.is_some()
    }

    /// The extension of a file of such records.
    pub(super) fn extension(&self) -> &'static str {
        match self.shape {
            Shape::Json(Division::Values) => "json",
            Shape::Json(_) => "jsonl",
            Shape::Csv(_) => "csv",
        }
    }

    /// The next lines. `handed_out` is the number of lines that were returned before.
    pub(super) fn next(&mut self, handed_out: u64, container: &Arc<Container>) -> Option<Result<Content, Reason>> {
        loop {
            if let Some((begun, position)) = &mut self.begun {
                let first = handed_out + 1;
                let at = match begun {
                    Begun::Json(records) => records.some(*position, first, MOST_RECORDS),
                    Begun::Csv(rows) => rows.some(*position, first, MOST_RECORDS),
                };
                if let Some(last) = at.last() {
                    *position = last.range.end;
                    return Some(Ok(match begun {
                        Begun::Json(records) => Content::Json(records.clone(), at),
                        Begun::Csv(rows) => Content::Csv(rows.clone(), at),
                    }));
                }
            }
            self.begun = None;
            let start = self.before;
            match self.stream.next()? {
                Ok(Stretch::Lines(bytes)) => {
                    self.before += bytes.len() as u64;
                    let begun = match &self.shape {
                        Shape::Json(division) => {
                            JsonRecords::new(bytes, *division, start, Arc::clone(container)).map(Begun::Json)
                        }
                        Shape::Csv(header) => {
                            let (header, options) = (Arc::clone(header), Arc::clone(&container.options));
                            Ok(Begun::Csv(CsvRows::new(bytes, header, options)))
                        }
                    };
                    match begun {
                        Ok(begun) => self.begun = Some((begun, 0)),
                        Err(reason) => return Some(Err(reason)),
                    }
                }
                Ok(Stretch::TooLong { bytes, joint }) => {
                    self.before += bytes;
                    let lies = self.file.as_ref().map(|file| (Arc::clone(file), start..self.before));
                    return Some(Ok(Content::TooLong { bytes, joint, lies }));
                }
                Err(error) => return Some(Err(Reason::BreaksOff { after: handed_out, error: error.to_string() })),
            }
        }
    }
}
