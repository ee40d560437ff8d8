//! Cleans files into a folder: many at a time, in no particular order. Skips files that an earlier run has finished.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::CorpusCleanOptions;
use crate::error::Result;
use crate::observer::WarningKind;
use dehusk_core::setting::Setting;
use dehusk_corpus::{InputFile, OutputFile, OutputRoot};

use super::Cleaned;
use super::cleaners::CleaningScratch;
use super::files::FileCleaner;
use super::pattern_hashes::PatternHashes;
use crate::Library;
use crate::record::document_report::DocumentReport;
use crate::record::manifest::{Done, Manifest, Stamp, content_of};
use crate::record::written_files::{Prune, WrittenFiles};
use crate::workers::share_out;

/// A run that writes to a folder.
pub struct FolderRun<'a> {
    pub files: &'a FileCleaner<'a>,
    pub written: WrittenFiles<'a>,
    pub manifest: Manifest,
    pub patterns: PatternHashes<'a>,
    pub report: Option<DocumentReport<'a>>,
    /// Whether changed files are recognized by their content.
    pub verifies: bool,
    pub prune: Prune,
}

impl<'a> FolderRun<'a> {
    /// Prepares a run. `work` identifies what it does, apart from the patterns in `library`. With `resume`, the run
    /// leaves out files that an earlier run of the same work has finished with the same patterns.
    pub fn new(
        files: &'a FileCleaner<'a>,
        output: &'a OutputRoot,
        work: &str,
        library: &'a Library,
        options: &CorpusCleanOptions,
        report: Option<OutputFile>,
    ) -> Result<FolderRun<'a>> {
        let manifest = Manifest::open(output, work, options.resume)?;
        let written = WrittenFiles::open(output)?;
        let prune = Prune::new(options.prune, files.inventory.is_all_listed());
        let manifest = if report.is_some() { manifest.want_report() } else { manifest };
        let report = report.map(|file| DocumentReport::new(file, output));
        let patterns = PatternHashes::of(library);
        Ok(FolderRun { files, written, manifest, patterns, report, verifies: options.verify, prune })
    }

    /// Cleans all files. `sizes` has their sizes in bytes. Returns the counts by source.
    pub fn clean(self, threads: usize, sizes: &[Option<u64>]) -> Result<BTreeMap<String, Cleaned>> {
        let all = Mutex::new(BTreeMap::new());
        let files = self.files.inventory.files();
        let clean_file = |scratch: &mut CleaningScratch, index: usize| -> Result<()> {
            let size = sizes[index].unwrap_or(0) as usize;
            let done = self.clean_file(&files[index], size, scratch)?;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            add(&mut all, done.sources);
            Ok(())
        };
        share_out(threads, files.len(), CleaningScratch::default, clean_file)?;
        if let Some(report) = &self.report {
            report.finish(
                &self.files.not_opened(),
                files.iter().map(|file| self.files.output_name(file)),
                &self.manifest,
            )?;
        }
        self.written.finish(self.prune, &|_| false, self.files.observer)?;
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn clean_file(&self, file: &InputFile, size: usize, scratch: &mut CleaningScratch) -> Result<Done> {
        let observer = self.files.observer;
        let (input, output) = (file.path().display().to_string(), self.files.output_name(file));
        // The stamp is taken before the file is read. If the file changes during reading, it is cleaned again when the
        // run is resumed.
        let look = stamp_of(file, &input);
        let hash = || content_of(file.open().ok()?).ok();
        let content = if self.verifies && !file.is_stdin() { hash() } else { None };
        let stamp = Stamp { content, patterns: self.patterns.for_file(file), ..look };

        if let Some(done) = self.finished_before(file, &output, &stamp) {
            self.written.keep(&output);
            self.tell_again(&input, &done)?;
            observer.step_done_before(size as u64);
            return Ok(done);
        }

        self.manifest.begin(&output)?;
        let mut done = self.write(file, &output, &stamp, scratch)?;
        if stamp_of(file, &input) != look {
            let message = format!("{input}: has changed while it was read; {} cleans it again", Setting::Resume);
            observer.warn(WarningKind::Rare, &message);
        }
        self.files.show(size as u64, &mut done);
        Ok(done)
    }

    fn write(&self, file: &InputFile, output: &str, stamp: &Stamp, scratch: &mut CleaningScratch) -> Result<Done> {
        let mut part = self.report.as_ref().map(|report| report.part(output, &self.manifest));
        let mut nowhere = io::sink();
        let report: &mut (dyn Write + Send) = match &mut part {
            Some(part) => part,
            None => &mut nowhere,
        };
        let mut done = self.files.to_folder(file, &self.written, scratch, report)?;
        if !done.skipped.is_empty() {
            // The next run may be able to read the skipped document, so the old output is not deleted.
            self.written.spare(output);
        }
        let _permission = self.files.observer.writing()?;
        done.report = part.map(|part| part.finish()).transpose()?;
        done.written = self.length_of(output);
        self.manifest.add(output, stamp, &done)?;
        Ok(done)
    }

    /// Names the documents that an earlier run left out.
    fn tell_again(&self, input: &str, done: &Done) -> Result<()> {
        let observer = self.files.observer;
        done.skipped.iter().for_each(|(place, reason)| observer.skip(place, reason));
        if done.more_skipped > 0 {
            observer.skip_unnamed(input, done.more_skipped);
        }
        observer.go_on().map_err(Into::into)
    }

    /// The result for a file that an earlier run has finished. A file without any cleaned document is tried again.
    fn finished_before(&self, file: &InputFile, output: &str, stamp: &Stamp) -> Option<Done> {
        let done = self.manifest.done(output, stamp).filter(|_| !file.is_stdin())?;
        let was_cleaned = done.skipped.is_empty() || !done.sources.is_empty();
        let is_there = || done.written.is_some() && done.written == self.length_of(output);
        (was_cleaned && is_there()).then_some(done)
    }

    /// The length of an output, if it exists.
    fn length_of(&self, output: &str) -> Option<u64> {
        fs::metadata(self.written.output().path().join(output)).ok().map(|metadata| metadata.len())
    }
}

/// Adds counts by source.
pub fn add(all: &mut BTreeMap<String, Cleaned>, counts: BTreeMap<String, Cleaned>) {
    for (source, count) in counts {
        all.entry(source).or_default().add(&count);
    }
}

fn stamp_of<'a>(file: &InputFile, input: &'a str) -> Stamp<'a> {
    let metadata = if file.is_stdin() { None } else { fs::metadata(file.path()).ok() };
    let nothing = Stamp { input, bytes: 0, modified: 0, content: None, patterns: 0 };
    metadata.map_or(nothing, |metadata| Stamp::of(input, &metadata))
}
