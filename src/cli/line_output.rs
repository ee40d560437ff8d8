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
    /// To stdout, as soon as the lines are known.
    Stdout(BufWriter<io::Stdout>),
    /// To a file that appears at its path when it is complete.
    File(FileOutput),
}

/// A file that appears at its path when it is complete.
pub struct FileOutput {
    file: PendingFile,
    name: String,
    /// While this is held, Ctrl-C does not end the process before the unfinished file is deleted.
    _permission: RwLockReadGuard<'static, ()>,
}

impl LineOutput {
    /// Begins to write to a path; `-` is stdout. The file must not be among those that are read. If it already exists,
    /// it must be of this kind, or `force` must allow overwriting.
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

    /// Puts the file at its path, and prints the summary. If the lines are on stdout, the summary is printed on stderr.
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

/// A record as a line of JSON. Maps in it must have strings as keys.
pub fn line(record: &impl Serialize) -> String {
    // Writing strings and numbers as JSON never fails.
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}
