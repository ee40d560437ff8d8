//! Which files a command may overwrite: its own earlier outputs, and other files only with `--force`.

use std::path::Path;

use clap::Args;

use dehusk_corpus::{OutputFile, OutputKind, Reads};
use dehusk_run::output_file;

/// The pages of `dehusk report` and `dehusk explain`.
pub const PAGE: OutputKind = OutputKind::Text("<meta name=\"generator\" content=\"dehusk ");
/// The lines of `dehusk fields`.
pub const FIELDS: OutputKind = OutputKind::Lines(&[&["id", "source", "fields"]]);
/// The lines of `dehusk state export`.
pub const SEGMENTS: OutputKind = OutputKind::Lines(&[&["source", "key", "documents", "first", "last"]]);
/// The lines of `dehusk segment`.
pub const PAGE_SEGMENTS: OutputKind = OutputKind::Lines(&[&["source", "id", "segment", "bytes"]]);
/// The lines of `dehusk blocks`.
pub const PAGE_BLOCKS: OutputKind = OutputKind::Lines(&[&["source", "id", "block", "level"]]);
/// A page of the manual.
pub const MANUAL: OutputKind = OutputKind::Text(".TH dehusk");

/// Whether files of others may be overwritten.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub struct ForceArgs {
    /// Overwrite files that dehusk did not write
    ///
    /// Overwrite files that dehusk did not write. What is read, such as documents, pattern files and models, is never overwritten.
    #[arg(long)]
    pub force: bool,
}

impl ForceArgs {
    /// A file to write. It must not be among the files that are read. If it already exists, it must be of the same
    /// kind, or overwriting must be allowed.
    pub fn file(self, path: &Path, reads: &Reads, kind: OutputKind) -> anyhow::Result<OutputFile> {
        Ok(output_file(path, reads, kind, self.force)?)
    }
}
