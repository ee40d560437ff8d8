//! What a command may write over: its own outputs of before, and whatever else only with `--force`.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use dehusk::corpus::{OutputFile, OutputKind};

/// The page of `dehusk report`.
#[cfg(feature = "review")]
pub const PAGE: OutputKind = OutputKind::Text("<meta name=\"generator\" content=\"dehusk ");
/// What `--report` says of documents: what became of one, or why it was skipped.
pub const DOCUMENTS: OutputKind = OutputKind::Lines(&[&["file", "bytes_in", "bytes_out"], &["file", "skipped"]]);
/// The lines of `dehusk fields`.
pub const FIELDS: OutputKind = OutputKind::Lines(&[&["id", "source", "fields"]]);
/// The lines of `dehusk state export`.
pub const SEGMENTS: OutputKind = OutputKind::Lines(&[&["source", "key", "documents", "first", "last"]]);
/// The model of `dehusk train`.
pub const MODEL: OutputKind = OutputKind::Text("shape: ");
/// The plot of `dehusk eval stream`.
pub const PLOT: OutputKind = OutputKind::Text(PLOT_MARK);
/// The comment that a plot begins with.
pub const PLOT_MARK: &str = "<!-- dehusk eval stream -->";

/// A page of the manual.
pub const MANUAL: OutputKind = OutputKind::Text(".TH dehusk");

/// Whether anything may be written over.
#[derive(Args, Clone, Copy, Debug)]
pub struct ForceArgs {
    /// Write over files that dehusk did not write; documents and pattern files that are read never are
    #[arg(long)]
    pub force: bool,
}

/// That what stands in a place was not written by dehusk; what to name instead is a file or a folder.
pub fn of_others(place: &Path, instead: &str) -> anyhow::Error {
    anyhow!("{place:?} is there already, and dehusk has not written it: name another {instead}, or add --force")
}

impl ForceArgs {
    /// A file to write, apart from all input, instead of nothing or of one of its kind.
    pub fn file(self, path: &Path, inputs: &[PathBuf], kind: OutputKind) -> anyhow::Result<OutputFile> {
        let file = OutputFile::create(path, inputs)?;
        if !self.force && !file.is_of_kind(kind)? {
            return Err(of_others(path, "file"));
        }
        Ok(file)
    }
}
