//! Lines that are written to a file, or to stdout.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::RwLockReadGuard;

use anyhow::Context;
use serde::Serialize;

use dehusk_corpus::{OutputKind, PendingFile, Reads};

use super::Global;
use super::force::ForceArgs;
use super::interrupt;
use super::options::SummaryArgs;
use super::summary::Summary;

/// Where lines are written.
pub enum LineOutput {
    /// As soon as they are known.
    Stdout(BufWriter<io::Stdout>),
    /// To a file that appears at its path when it is complete.
    File(FileOutput),
}

/// A file that appears at its path when it is complete.
pub struct FileOutput {
    file: PendingFile,
    name: String,
    /// While it is held, Ctrl-C waits until the unfinished file is deleted.
    _permission: RwLockReadGuard<'static, ()>,
}

impl LineOutput {
    /// Begins to write to a path; `-` is stdout. The file must not be read, and what is there must be of this kind.
    pub fn create(path: &Path, force: ForceArgs, reads: &Reads, kind: OutputKind) -> anyhow::Result<LineOutput> {
        if path == Path::new("-") {
            return Ok(LineOutput::Stdout(BufWriter::new(io::stdout())));
        }
        let _permission = interrupt::writing()?;
        let file = force.file(path, reads, kind)?.begin()?;
        Ok(LineOutput::File(FileOutput { file, name: path.display().to_string(), _permission }))
    }

    /// Writes lines. Each ends with a line break.
    pub fn write(&mut self, lines: &[String]) -> anyhow::Result<()> {
        let all_to = |sink: &mut dyn Write| lines.iter().try_for_each(|line| sink.write_all(line.as_bytes()));
        match self {
            LineOutput::Stdout(stdout) => {
                all_to(stdout).and_then(|()| stdout.flush()).context("cannot write to stdout")
            }
            LineOutput::File(FileOutput { file, name, .. }) => {
                all_to(file).with_context(|| format!("cannot write {name}"))
            }
        }
    }

    /// Puts the file at its path, and prints the summary. Beside lines on stdout it goes to stderr.
    pub fn finish(self, mut summary: Summary, args: &SummaryArgs, global: &Global) -> anyhow::Result<()> {
        match self {
            LineOutput::Stdout(_) => summary.print_beside(args.json, global.quiet),
            LineOutput::File(FileOutput { file, name, .. }) => {
                file.publish()?;
                summary.wrote.push(name);
                summary.print(args.json, global.quiet)
            }
        }
    }
}

/// A record as a line of JSON. Its keys are strings.
pub fn line(record: &impl Serialize) -> String {
    // Strings and numbers can always be written.
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}
