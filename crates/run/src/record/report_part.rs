//! The part of the report for one input, as the manifest keeps it until the end of the run.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use zstd::stream::read::Decoder;

use dehusk_core::regular;

use crate::record::hashed::hash;

/// The folder of the large parts, in the hidden folder of an output folder.
pub const PART_FOLDER: &str = "report";

/// The part of the report for one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReportPart {
    /// All lines of the part.
    Lines(String),
    /// The lines are in a file of this number of bytes.
    File(u64),
}

impl ReportPart {
    /// Whether the part still exists. `file` is the path of a large part.
    pub fn is_there(&self, file: &Path) -> bool {
        match self {
            ReportPart::Lines(_) => true,
            ReportPart::File(bytes) => fs::metadata(file).is_ok_and(|metadata| metadata.len() == *bytes),
        }
    }

    /// Writes the lines of the part. `file` is the path of a large part.
    pub fn copy(&self, file: &Path, to: &mut impl Write) -> io::Result<()> {
        match self {
            ReportPart::Lines(lines) => to.write_all(lines.as_bytes()),
            ReportPart::File(_) => io::copy(&mut Decoder::new(regular::open(file)?)?, to).map(drop),
        }
    }
}

/// The file name of the report's part for an output.
pub fn part_file(work: &str, output: &str) -> String {
    format!("{}.zst", &hash([format!("{work}\n{output}")])[..32])
}
