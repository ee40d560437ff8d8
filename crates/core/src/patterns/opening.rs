//! Reads pattern files from disk.
//!
//! All reads go through here. A folder may contain something that has the name of a pattern file but is not a regular
//! file.

use std::io;
use std::path::Path;

use super::problem::FileProblem;
use crate::regular;
use crate::whole;

/// Reads the text of a pattern file.
pub fn open(path: &Path) -> Result<String, FileProblem> {
    let unreadable = |error: io::Error| problem(format!("it cannot be read: {error}"));
    let bytes =
        regular::open(path).and_then(|file| whole::bytes(file, whole::MOST_BYTES_OF_FILE)).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count() as u64;
        FileProblem { line, ..problem("it is not valid UTF-8; save it as UTF-8".to_owned()) }
    })
}

fn problem(message: String) -> FileProblem {
    FileProblem { line: 0, id: None, message }
}
