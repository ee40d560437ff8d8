//! The lines of a file with many documents, as batches.
//!
//! Takes the stretches of a [`LineStream`]; gives the lines in them, so many at a time that what is known of each does
//! not outgrow the lines themselves: a blank line has one byte, and what comes of a record takes hundreds.

use std::sync::Arc;

use super::Container;
use super::batch::Content;
use crate::corpus::Reason;
use crate::corpus::jsonl::JsonLines;
use crate::corpus::line_stream::{LineStream, Stretch};
use crate::corpus::open_file::OpenFile;

/// So many records are a batch at most.
pub(super) const MOST_RECORDS: usize = 1 << 16;

/// Lines, from the first on.
pub(super) struct Lines {
    stream: LineStream,
    /// The file, if its lines lie open in it and can be read again in any order.
    file: Option<Arc<OpenFile>>,
    /// The stretch that was read last, and how many of its bytes were handed out.
    begun: Option<(JsonLines, usize)>,
    /// How many bytes came before the next stretch, unpacked.
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

    /// The next lines; so many were handed out before.
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
