//! Appends lines to a file, to which other processes may append as well.
//!
//! Takes one line at a time, and returns its position. A line is written in one call, so that it is not mixed with
//! others. After an incomplete line, a line break is written first, so that at most the incomplete line is lost.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use dehusk_core::regular;

/// Appends lines to a file.
#[derive(Debug)]
pub struct Appender {
    file: File,
    /// Whether the last line may be incomplete.
    is_torn: bool,
}

impl Appender {
    /// Opens the file at `path`, which must exist.
    pub fn open(path: &Path) -> io::Result<Appender> {
        let mut file = regular::open_with(path, File::options().read(true).append(true))?;
        let is_empty = file.seek(io::SeekFrom::End(0))? == 0;
        let mut last = [b'\n'];
        if !is_empty {
            file.seek(io::SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        Ok(Appender { file, is_torn: last != [b'\n'] })
    }

    /// Writes a line in one call, so that lines of several processes are not mixed. Returns its position.
    pub fn append(&mut self, mut line: Vec<u8>) -> io::Result<u64> {
        line.push(b'\n');
        let length = line.len() as u64;
        if self.is_torn {
            line.insert(0, b'\n');
        }
        self.is_torn = true;
        self.file.write_all(&line)?;
        self.is_torn = false;
        Ok(self.file.stream_position()?.saturating_sub(length))
    }
}
