//! What a command may write over: its own outputs of before, and whatever else only with `--force`.

use std::path::{Path, PathBuf};

use anyhow::bail;
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
pub const PLOT: OutputKind = OutputKind::Text("<!-- dehusk eval stream -->");

/// A page of the manual.
pub const MANUAL: OutputKind = OutputKind::Text(".TH dehusk");

/// Whether anything may be written over.
#[derive(Args, Clone, Copy, Debug)]
pub struct ForceArgs {
    /// Write over files that dehusk did not write; documents and pattern files that are read never are
    #[arg(long)]
    pub force: bool,
}

impl ForceArgs {
    /// A file to write, apart from all input, instead of nothing or of one of its kind.
    pub fn file(self, path: &Path, inputs: &[PathBuf], kind: OutputKind) -> anyhow::Result<OutputFile> {
        let file = OutputFile::create(path, inputs)?;
        if !self.force && !file.is_of_kind(kind)? {
            bail!("{path:?} is there already, and dehusk has not written it: name another file, or add --force");
        }
        Ok(file)
    }
}
