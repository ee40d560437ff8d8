//! Cleans files to stdout: either all documents in order, one line each, or a single document as it is.

use std::collections::BTreeMap;
use std::io::Write;
use std::{io, iter};

use crate::error::{PipelineError, Result};
use dehusk_corpus::{InputFile, OutputFile, PendingFile};

use super::Cleaned;
use super::files::FileCleaner;
use super::line_output::{LineOutput, named};
use super::to_folder::add;

/// Maximum number of files that are read at a time, if each file is one document.
const FILES_AT_A_TIME: usize = 256;
/// Maximum size of these files together, in bytes. A single file may be larger.
const BYTES_AT_A_TIME: u64 = 8 << 20;

/// Cleans all files. `sizes` has their sizes in bytes. Returns the counts by source.
pub fn clean_to_stdout(
    cleaner: &FileCleaner,
    report: Option<OutputFile>,
    sizes: &[Option<u64>],
) -> Result<BTreeMap<String, Cleaned>> {
    let mut all = BTreeMap::new();
    let mut stdout = LineOutput::new(io::stdout());
    let mut pending = report.map(|file| file.begin()).transpose()?;
    if let Some(report) = &mut pending {
        report.write_all(cleaner.not_opened().as_bytes())?;
    }
    for (files, sizes) in pieces(cleaner.inventory.files(), sizes) {
        stdout.next_file()?;
        let mut done = match &mut pending {
            Some(report) => cleaner.to_lines(files, &mut stdout, report)?,
            None => cleaner.to_lines(files, &mut stdout, &mut io::sink())?,
        };
        cleaner.show(sizes.iter().flatten().sum(), &mut done);
        add(&mut all, done.sources);
    }
    pending.map_or(Ok(()), PendingFile::publish)?;
    Ok(all)
}

/// Cleans the only document, and writes it as it is. Returns the counts by source.
pub fn clean_alone(cleaner: &FileCleaner, report: Option<OutputFile>) -> Result<BTreeMap<String, Cleaned>> {
    let [file] = cleaner.inventory.files() else {
        return Err(PipelineError::Refused("more than one file cannot be written to stdout as they are".to_owned()));
    };
    let mut pending = report.map(|file| file.begin()).transpose()?;
    let (bytes, done) = match &mut pending {
        Some(report) => cleaner.alone(file, report)?,
        None => cleaner.alone(file, &mut io::sink())?,
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(&bytes).and_then(|()| stdout.flush()).map_err(named)?;
    pending.map_or(Ok(()), PendingFile::publish)?;
    Ok(done.sources)
}

/// The files in groups, each with the sizes of its files. A file with many documents is a group of its own.
pub fn pieces<'f>(
    mut files: &'f [InputFile],
    mut sizes: &'f [Option<u64>],
) -> impl Iterator<Item = (&'f [InputFile], &'f [Option<u64>])> {
    iter::from_fn(move || {
        let first = files.first()?;
        let mut bytes = sizes[0].unwrap_or(0);
        let more = files.iter().zip(sizes).skip(1).take(FILES_AT_A_TIME - 1).take_while(|(file, size)| {
            bytes += size.unwrap_or(0);
            !first.holds_many() && !file.holds_many() && bytes <= BYTES_AT_A_TIME
        });
        let count = 1 + more.count();
        Some((files.split_off(..count)?, sizes.split_off(..count)?))
    })
}
