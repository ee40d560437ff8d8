//! The report of a run: a line for each document. The lines have the order of the input, independent of threads.
//!
//! Takes the lines of each input as bytes. Writes a file with all of them. Until the end of the run, the part of an
//! input is stored with the manifest: a small part in the input's line, a large part compressed in a file of its own.
//! So memory holds neither many parts nor a large one, and a resumed run has the parts of the earlier run. The parts
//! are kept until the manifest is emptied, because another run may be resumed from it.
//!
//! A run without an output folder has one input. Its lines are written directly to the result of [`OutputFile::begin`].

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use dehusk_core::setting::Setting;
use zstd::stream::write::Encoder;

use dehusk_corpus::{OutputError, OutputFile, OutputRoot, PendingFile};

use crate::error::{PipelineError, Result};
use crate::record::manifest::Manifest;
use crate::record::report_part::ReportPart;

/// Maximum number of bytes of a part without a file of its own.
const SMALL_PART: usize = 2048;

/// The report of a run that writes to a folder.
#[derive(Debug)]
pub struct DocumentReport<'o> {
    file: OutputFile,
    output: &'o OutputRoot,
}

/// Writes the part of an input.
pub struct PartWriter<'o> {
    output: &'o OutputRoot,
    path: PathBuf,
    lines: Vec<u8>,
    file: Option<Encoder<'static, PendingFile>>,
}

impl<'o> DocumentReport<'o> {
    /// The report `file` of a run that writes to `output`.
    pub fn new(file: OutputFile, output: &'o OutputRoot) -> DocumentReport<'o> {
        DocumentReport { file, output }
    }

    /// A writer that takes the lines for the input of an output, in order. The part that it returns in the end belongs
    /// to [`Done::report`](crate::record::manifest::Done::report).
    pub fn part(&self, output: &str, manifest: &Manifest) -> PartWriter<'o> {
        let path = manifest.part_file(output);
        PartWriter { output: self.output, path, lines: Vec::new(), file: None }
    }

    /// Writes the report: the lines `first`, then the parts of these outputs, in this order. All outputs must be
    /// finished.
    pub fn finish<I: AsRef<str>>(
        &self,
        first: &str,
        outputs: impl Iterator<Item = I>,
        manifest: &Manifest,
    ) -> Result<()> {
        let mut report = self.file.begin_in(self.output)?;
        report.write_all(first.as_bytes())?;
        let again = format!("start again without {}", Setting::Resume);
        for output in outputs {
            let output = output.as_ref();
            let missing = || format!("the report has no part of {output:?}; {again}");
            let part = manifest.part(output).ok_or_else(|| PipelineError::Refused(missing()))?;
            let failed = || format!("cannot put the part of {output:?} into the report; {again}");
            let copied = part.copy(&manifest.part_file(output), &mut report);
            copied.map_err(|error| PipelineError::in_context(failed(), error))?;
        }
        Ok(report.publish()?)
    }
}

impl PartWriter<'_> {
    /// Ends the part, and returns it.
    pub fn finish(mut self) -> Result<ReportPart> {
        let file = match self.file.take() {
            Some(file) => file,
            None => match String::from_utf8(std::mem::take(&mut self.lines)) {
                Ok(lines) => return Ok(ReportPart::Lines(lines)),
                Err(error) => self.begin(error.as_bytes())?,
            },
        };
        file.finish()?.publish()?;
        let metadata = fs::metadata(&self.path);
        let metadata = metadata.map_err(|error| OutputError::Write { path: self.path, error })?;
        Ok(ReportPart::File(metadata.len()))
    }

    /// Begins a file for the part, with the lines so far.
    fn begin(&self, lines: &[u8]) -> io::Result<Encoder<'static, PendingFile>> {
        let path = self.path.strip_prefix(self.output.path()).unwrap_or(&self.path);
        let mut file = Encoder::new(self.output.begin(path).map_err(io::Error::other)?, 1)?;
        file.write_all(lines)?;
        Ok(file)
    }
}

impl Write for PartWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.file {
            return file.write(bytes);
        }
        self.lines.extend_from_slice(bytes);
        if self.lines.len() > SMALL_PART {
            let lines = std::mem::take(&mut self.lines);
            self.file = Some(self.begin(&lines)?);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::record::report_part::PART_FOLDER;
    use tempfile::TempDir;

    use super::*;
    use crate::record::manifest::{Done, Stamp};
    use dehusk_corpus::Reads;

    const STAMP: Stamp = Stamp { input: "i", bytes: 1, modified: 1, content: None, patterns: 0 };

    /// A run of a folder; `resume` as in [`Manifest::open`].
    fn with_run(folder: &TempDir, resume: bool, run: impl FnOnce(&DocumentReport, &Manifest)) {
        let output = OutputRoot::create(folder.path().join("out"), &Reads::nothing()).expect("a folder");
        let manifest = Manifest::open(&output, "work", resume).expect("a manifest").want_report();
        let file = OutputFile::create(&folder.path().join("report.jsonl"), &Reads::nothing()).expect("a file");
        run(&DocumentReport::new(file, &output), &manifest);
    }

    fn add(report: &DocumentReport, manifest: &Manifest, input: &str, lines: &[&[u8]]) -> ReportPart {
        let mut part = report.part(input, manifest);
        lines.iter().for_each(|line| part.write_all(line).expect("written"));
        let part = part.finish().expect("finished");
        let done = Done { report: Some(part.clone()), ..Done::default() };
        manifest.add(input, &STAMP, &done).expect("added");
        part
    }

    fn temporary_folder() -> TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn report(folder: &TempDir) -> Vec<u8> {
        fs::read(folder.path().join("report.jsonl")).expect("a report")
    }

    #[test]
    fn parts_come_in_the_order_of_the_input() {
        let folder = temporary_folder();
        let line: &[u8] = b"{\"line\": \"\xc3\xa4\"}\n";
        let large = vec![line; 10_000];
        with_run(&folder, false, |report, manifest| {
            assert_eq!(add(report, manifest, "c", &[line]), ReportPart::Lines("{\"line\": \"ä\"}\n".to_owned()));
            assert!(matches!(add(report, manifest, "b", &large), ReportPart::File(1..10_000)));
            assert_eq!(add(report, manifest, "a", &[]), ReportPart::Lines(String::new()));
            assert!(matches!(add(report, manifest, "d", &[b"\xff\n"]), ReportPart::File(_)));
            report.finish("", ["a", "b", "c", "d"].iter(), manifest).expect("a report");
        });
        assert_eq!(report(&folder), [large.concat(), line.to_vec(), b"\xff\n".to_vec()].concat());
    }

    #[test]
    fn a_run_that_goes_on_gives_the_report_of_an_undisturbed_one() {
        let folder = temporary_folder();
        let large: Vec<&[u8]> = vec![b"{\"large\": true}\n"; 1000];
        with_run(&folder, false, |report, manifest| {
            add(report, manifest, "a", &large);
            add(report, manifest, "b", &[b"b\n"]);
        });
        with_run(&folder, true, |report, manifest| {
            assert!(["a", "b"].iter().all(|input| manifest.done(input, &STAMP).is_some()));
            add(report, manifest, "c", &[b"c\n"]);
            report.finish("", ["a", "b", "c"].iter(), manifest).expect("a report");
        });
        assert_eq!(report(&folder), [large.concat(), b"b\nc\n".to_vec()].concat());
    }

    #[test]
    fn without_its_part_an_input_is_not_finished() {
        let folder = temporary_folder();
        with_run(&folder, false, |report, manifest| {
            add(report, manifest, "large", &[&[b'x'; SMALL_PART + 1]]);
            manifest.add("none", &STAMP, &Done::default()).expect("added");
        });
        with_run(&folder, true, |report, manifest| {
            assert!(manifest.done("large", &STAMP).is_some() && manifest.done("none", &STAMP).is_none());
            fs::remove_file(manifest.part_file("large")).expect("removed");
            assert!(manifest.done("large", &STAMP).is_none());
            for input in ["large", "none", "unknown"] {
                let error = report.finish("", [input].iter(), manifest).expect_err("refused").to_string();
                assert!(error.contains(input) && error.contains("start again without `resume`"), "{error}");
            }
        });
        let output = OutputRoot::create(folder.path().join("out"), &Reads::nothing()).expect("a folder");
        let manifest = Manifest::open(&output, "work", true).expect("a manifest");
        assert!(manifest.done("none", &STAMP).is_some(), "no report is wanted");
        assert!(!folder.path().join("report.jsonl").exists());
    }

    #[test]
    fn a_run_that_starts_anew_removes_the_parts() {
        let folder = temporary_folder();
        let part_folder = folder.path().join("out/.dehusk").join(PART_FOLDER);
        with_run(&folder, false, |report, manifest| drop(add(report, manifest, "a", &[&[b'x'; SMALL_PART + 1]])));
        assert!(part_folder.exists());
        with_run(&folder, false, |_, _| assert!(!part_folder.exists()));
    }
}
