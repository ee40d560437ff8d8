//! Files, cleaned to stdout: all documents in order, a line each.

use std::collections::BTreeMap;
use std::io;

use dehusk::corpus::{InputFile, OutputFile, PendingFile};

use super::files::FileCleaner;
use super::line_output::LineOutput;
use super::to_folder::add;
use crate::cli::summary::Cleaned;

/// So many files that are documents are read at a time.
const FILES_AT_A_TIME: usize = 256;

/// Cleans all files, of these sizes; counts by source.
pub fn clean_to_stdout(
    cleaner: &FileCleaner,
    report: Option<OutputFile>,
    sizes: &[Option<u64>],
) -> anyhow::Result<BTreeMap<String, Cleaned>> {
    let mut all = BTreeMap::new();
    let mut stdout = LineOutput::new(io::stdout());
    let mut pending = report.map(|file| file.begin()).transpose()?;
    let mut sizes = sizes.iter();
    for files in pieces(cleaner.inventory.files()) {
        stdout.next_file()?;
        let mut done = match &mut pending {
            Some(report) => cleaner.to_lines(files, &mut stdout, report)?,
            None => cleaner.to_lines(files, &mut stdout, &mut io::sink())?,
        };
        cleaner.show(sizes.by_ref().take(files.len()).flatten().sum(), &mut done);
        add(&mut all, done.sources);
    }
    pending.map_or(Ok(()), PendingFile::publish)?;
    Ok(all)
}

/// Files with many documents one by one, the others some at a time.
pub fn pieces(files: &[InputFile]) -> impl Iterator<Item = &[InputFile]> {
    let together = files.chunk_by(|one, two| !one.holds_many() && !two.holds_many());
    together.flat_map(|files| files.chunks(FILES_AT_A_TIME))
}
