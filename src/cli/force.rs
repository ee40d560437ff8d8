//! What a command may write over: its own outputs of before, and whatever else only with `--force`.

use std::path::{Path, PathBuf};

use clap::Args;

use dehusk::corpus::{OutputFile, OutputKind};
use dehusk::pipeline::output_file;

/// The page of `dehusk report`.
#[cfg(feature = "review")]
pub const PAGE: OutputKind = OutputKind::Text("<meta name=\"generator\" content=\"dehusk ");
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

impl ForceArgs {
    /// A file to write, apart from all input, instead of nothing or of one of its kind.
    pub fn file(self, path: &Path, inputs: &[PathBuf], kind: OutputKind) -> anyhow::Result<OutputFile> {
        Ok(output_file(path, inputs, kind, self.force)?)
    }
}
