//! The lines of a file with many documents, in batches.
//!
//! Takes the stretches of a [`LineStream`]. Returns the lines in them. The number of lines in a batch is limited,
//! because a blank line has 1 byte, but the data about a line need hundreds.

use std::sync::Arc;

use super::Container;
use super::batch::Content;
use crate::Reason;
use crate::formats::jsonl::JsonLines;
use crate::read::line_stream::{LineStream, Stretch};
use crate::read::open_file::OpenFile;

/// Maximum number of records in a batch.
pub(super) const MOST_RECORDS: usize = 1 << 14;

/// Reads lines from the first one on.
pub(super) struct Lines {
    stream: LineStream,
    /// The file, if it is not compressed, so that its lines can be read again in any order.
    file: Option<Arc<OpenFile>>,
    /// The current stretch, and the number of its bytes that were returned.
    begun: Option<(JsonLines, usize)>,
    /// Number of unpacked bytes before the next stretch.
    before: u64,
}

impl Lines {
    pub(super) fn new(stream: LineStream, file: Option<Arc<OpenFile>>) -> Lines {
        Lines { stream, file, begun: None, before: 0 }
    }

    /// Whether the lines can be read again in any order.
    pub(super) fn lie_open(&self) -> bool {
        self.file.is_some()
    }

    /// The next lines. `handed_out` is the number of lines that were returned before.
    pub(super) fn next(&mut self, handed_out: u64, container: &Arc<Container>) -> Option<Result<Content, Reason>> {
        loop {
            if let Some((lines, position)) = &mut self.begun {
                let at = lines.some(*position, handed_out + 1, MOST_RECORDS);
                if let Some(last) = at.last() {
                    *position = last.range.end;
                    return Some(Ok(Content::Lines(lines.clone(), at)));
                }
            }
            self.begun = None;
            let start = self.before;
            match self.stream.next()? {
                Ok(Stretch::Lines(bytes)) => {
                    self.before += bytes.len() as u64;
                    match JsonLines::new(bytes, start, Arc::clone(container)) {
                        Ok(lines) => self.begun = Some((lines, 0)),
                        Err(reason) => return Some(Err(reason)),
                    }
                }
                Ok(Stretch::TooLong(bytes)) => {
                    self.before += bytes;
                    let lies = self.file.as_ref().map(|file| (Arc::clone(file), start..self.before));
                    return Some(Ok(Content::TooLong { bytes, lies }));
                }
                Err(error) => return Some(Err(Reason::BreaksOff { after: handed_out, error: error.to_string() })),
            }
        }
    }
}
