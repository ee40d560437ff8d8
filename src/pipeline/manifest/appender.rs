//! The end of a file of lines, to which other processes may append as well.
//!
//! Takes lines, one at a time; gives where each begins. The idea: a line is written in one call, so that it mixes with no
//! other, and after one that was cut short a new line begins, so that at most that one is lost.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// Appends lines to a file.
#[derive(Debug)]
pub struct Appender {
    file: File,
    /// The last line may be half a line.
    is_torn: bool,
}

impl Appender {
    /// Opens the file at `path`, which has to be there.
    pub fn open(path: &Path) -> io::Result<Appender> {
        let mut file = File::options().read(true).append(true).open(path)?;
        let is_empty = file.seek(io::SeekFrom::End(0))? == 0;
        let mut last = [b'\n'];
        if !is_empty {
            file.seek(io::SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        Ok(Appender { file, is_torn: last != [b'\n'] })
    }

    /// Writes a line, in one call, so that lines of several processes do not mix; gives where it begins.
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
