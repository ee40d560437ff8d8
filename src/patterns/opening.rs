//! Reads pattern files from disk.
//!
//! All reads go through here. A folder may contain something that has the name of a pattern file and is no regular file.

use std::io::{self, Read};
use std::path::Path;

use super::problem::FileProblem;
use crate::regular;

/// Maximum size of a pattern file in bytes. Large sources have files of a few million.
const MOST: u64 = 1 << 28;

/// The text of a pattern file.
pub fn open(path: &Path) -> Result<String, FileProblem> {
    let unreadable = |error: io::Error| problem(format!("it cannot be read: {error}"));
    let mut bytes = Vec::new();
    regular::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(problem(format!(
            "it has more than the {MOST} bytes that a pattern file may have; move it elsewhere"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count() as u64;
        FileProblem { line, ..problem("it is not valid UTF-8; save it as UTF-8".to_owned()) }
    })
}

fn problem(message: String) -> FileProblem {
    FileProblem { line: 0, id: None, message }
}
