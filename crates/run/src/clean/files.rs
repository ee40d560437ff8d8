//! Cleans files: reads each file, cleans its documents, and writes them to their places.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, mpsc};

use crate::error::{PipelineError, Result};
use crate::observer::Observer;
use crate::record::written_files::WrittenFiles;
use crate::waves::{in_waves, pass_on};
use crate::workers::{join, spawn};
use dehusk_corpus::memory::{Patience, Share};
use dehusk_corpus::{
    Batch, Compression, Content, Document, Encoder, InputFile, Inventory, Kept, New, OutputError, OutputRoot, Packing,
    Reason, RecordWriter, Records, Skipped,
};

use super::cleaners::CleaningScratch;
use super::document::{DocumentCleaner, DocumentName, Form, Outcome, Written, skip_line};
use super::line_output::LineOutput;
use super::{Cleaned, MANY_NEED_OUTPUT};
use crate::WarningKind;
use crate::left_out::LeftOut;
use crate::record::manifest::Done;

/// Cleans files, from any thread.
pub struct FileCleaner<'a> {
    pub inventory: &'a Inventory,
    pub documents: DocumentCleaner<'a>,
    pub observer: &'a dyn Observer,
    /// If given, each document is written as a line of JSON in this form, whatever the format of the input.
    pub lines: Option<Form>,
    /// Whether input that cannot be cleaned is copied unchanged.
    pub copies_broken: bool,
}

/// The writer for the lines of the report.
pub type Report<'r> = &'r mut (dyn Write + Send);

/// The result for a document or a record.
#[derive(Default)]
struct Cleared {
    /// `None` if nothing is to be written.
    written: Option<Written>,
    count: Option<(String, Cleaned)>,
    left_out: Option<LeftOut>,
    report: Option<String>,
    /// The memory for the document. It is kept until the result is written.
    _memory: Option<Arc<Share>>,
}

/// The results for consecutive records of a batch. `first` is the index of the first of them in the batch.
struct ClearedRecords {
    batch: Arc<Batch>,
    first: usize,
    records: Vec<(Kept, Cleared)>,
}

/// The destination of the records of a file.
enum Sink<W: Write + Send> {
    /// A file in the format of the input.
    Records(RecordWriter<W>),
    /// Lines of JSON.
    Lines(Encoder<W>),
}

/// How much of a file was written.
#[derive(Debug, PartialEq, Eq)]
enum Extent {
    Whole,
    /// Some records could not be read, and cannot be copied.
    Incomplete,
    /// The end could not be read. The user was told.
    BrokenOff,
}

impl FileCleaner<'_> {
    /// Cleans a file and writes it below `output`.
    pub fn to_folder(
        &self,
        file: &InputFile,
        output: &WrittenFiles,
        scratch: &mut CleaningScratch,
        report: Report,
    ) -> Result<Done> {
        self.observer.go_on()?;
        let mut done = Done::default();
        let written = self.write_to_folder(file, output, scratch, &mut done, report);
        let Err(error) = written else { return Ok(done) };
        let Some(reason) = fault_of_name(&error, output.output()) else { return Err(error) };
        done.sources.clear();
        self.tell(self.skipped(&Skipped::file(file.path(), reason)), &mut done, report)?;
        Ok(done)
    }

    fn write_to_folder(
        &self,
        file: &InputFile,
        output: &WrittenFiles,
        scratch: &mut CleaningScratch,
        done: &mut Done,
        report: Report,
    ) -> Result<()> {
        match self.inventory.open(file) {
            Ok(Content::Document(document, compression)) => {
                let cleared = self.clear_file(file, &document, self.form(), scratch);
                // Documents of a run that is stopped are not skipped.
                self.observer.go_on()?;
                let written = self.write_document(file, &document, &cleared, compression, output)?;
                let cleared = written.map_or_else(|skipped| self.skipped(&skipped), |()| cleared);
                self.tell(cleared, done, report)?;
            }
            Ok(Content::Records(records)) => self.records_to_folder(file, records, output, done, report)?,
            Err(skipped) => {
                self.tell(self.skipped(&skipped), done, report)?;
                self.copy_broken(file, output)?;
            }
        }
        Ok(())
    }

    /// Cleans files and writes all their documents to `output` in order, one line each. The files are either one file
    /// with many documents, or files of one document each.
    pub fn to_lines<W: Write + Send>(
        &self,
        files: &[InputFile],
        mut output: &mut LineOutput<W>,
        report: Report,
    ) -> Result<Done> {
        self.observer.go_on()?;
        let mut done = Done::default();
        let form = self.lines.unwrap_or(Form::Line);
        let read = |index: usize, patience| self.inventory.open_with(&files[index], patience);
        let clear = |scratch: &mut CleaningScratch, index: usize, content| match content {
            Ok(Content::Document(document, _)) => Ok(self.clear_file(&files[index], &document, form, scratch)),
            Ok(Content::Records(records)) => Err(records),
            Err(skipped) => Ok(self.skipped(&skipped)),
        };

        let mut write = |opened: std::result::Result<Cleared, Records>| {
            match opened {
                Ok(cleared) => {
                    if let Some(Written::Line(line)) = &cleared.written {
                        output.write_all(line.as_bytes())?;
                    }
                    self.tell(cleared, &mut done, report)?;
                }
                Err(records) if records.is_jsonl() && self.lines.is_none() => {
                    let mut sink = Sink::Records(records.writer(&mut output, Packing::default())?);
                    self.records(records, Form::InPlace, &mut sink, &mut done, report)?;
                    sink.finish()?;
                }
                Err(records) => {
                    let mut sink = Sink::Lines(Encoder::new(&mut output, Compression::None)?);
                    self.records(records, form, &mut sink, &mut done, report)?;
                    sink.finish()?;
                }
            }
            Ok::<(), PipelineError>(())
        };

        in_waves(files.len(), CleaningScratch::default, read, clear, |_, opened| {
            opened.into_iter().try_for_each(&mut write)
        })?;
        Ok(done)
    }

    /// Cleans the only document of a file. Returns the bytes to write: none if the document is skipped. Text ends with
    /// a line break.
    pub fn alone(&self, file: &InputFile, report: Report) -> Result<(Vec<u8>, Done)> {
        let mut done = Done::default();
        let cleared = match self.only_document(file)? {
            Ok(document) => {
                let cleared = self.clear_file(
                    file,
                    &document,
                    self.lines.filter(|lines| *lines != Form::Line).unwrap_or(Form::Alone),
                    &mut CleaningScratch::default(),
                );
                self.observer.go_on()?;
                let bytes = self.bytes_alone(file, &document, &cleared);
                self.tell(cleared, &mut done, report)?;
                return Ok((bytes, done));
            }
            Err(skipped) => self.skipped(&skipped),
        };
        self.tell(cleared, &mut done, report)?;
        Ok((Vec::new(), done))
    }

    /// The only document of a file. Fails if the file may have several documents.
    fn only_document(&self, file: &InputFile) -> Result<std::result::Result<Document, Skipped>> {
        let mut records = match self.inventory.open(file) {
            Ok(Content::Document(document, _)) => return Ok(Ok(*document)),
            Ok(Content::Records(records)) if records.is_page() => records,
            Ok(Content::Records(_)) => {
                let message = format!(
                    "{} does not begin like a page, so it can be many documents: {MANY_NEED_OUTPUT}",
                    file.path().display()
                );
                return Err(PipelineError::Refused(message));
            }
            Err(skipped) => return Ok(Err(skipped)),
        };
        let batch = match records.next_batch() {
            Some(Ok(batch)) => batch,
            Some(Err(skipped)) => return Ok(Err(skipped)),
            None => return Ok(Err(Skipped::file(file.path(), Reason::Changed))),
        };
        let document = batch.read(0, Patience::Waits);
        Ok(document.and_then(|document| document.ok_or_else(|| Skipped::file(file.path(), Reason::Changed))))
    }

    fn bytes_alone(&self, file: &InputFile, document: &Document, cleared: &Cleared) -> Vec<u8> {
        match &cleared.written {
            None => Vec::new(),
            Some(Written::Line(line)) => line.as_bytes().to_vec(),
            Some(Written::Text(text)) if text.is_empty() || text.ends_with('\n') => text.as_bytes().to_vec(),
            Some(Written::Text(text)) => format!("{text}\n").into_bytes(),
            Some(Written::Page(page)) => self.encoded(file, document, page),
            Some(Written::AsRead) => {
                self.encoded(file, document, document.page.as_ref().map_or(&document.text, |page| page.markup()))
            }
        }
    }

    /// The lines of the report about inputs that were skipped while files were searched.
    pub fn not_opened(&self) -> String {
        let line = |skipped: &Skipped| self.skipped(skipped).report;
        self.inventory.skipped().iter().filter_map(line).collect()
    }

    /// The path of the output file, below the output folder.
    pub fn output_name(&self, file: &InputFile) -> String {
        match self.lines {
            Some(_) => file.lines_name(),
            None => file.output_name(self.inventory.options().html),
        }
    }

    fn form(&self) -> Form {
        self.lines.unwrap_or(Form::InPlace)
    }

    fn clear_file(&self, file: &InputFile, document: &Document, form: Form, scratch: &mut CleaningScratch) -> Cleared {
        let name = file.path().display().to_string();
        self.clear(document, DocumentName { file: &name, record: None }, form, scratch)
    }

    /// Cleans a document.
    fn clear(&self, document: &Document, place: DocumentName, form: Form, scratch: &mut CleaningScratch) -> Cleared {
        match self.documents.clean(document, place, form, scratch) {
            Ok(Outcome { source, count, written, report }) => {
                let (written, count) = (Some(written), Some((source, count)));
                Cleared { written, count, left_out: None, report, _memory: document.memory.clone() }
            }
            Err(reason) => self.left_out(place, LeftOut::new(place, reason)),
        }
    }

    fn skipped(&self, skipped: &Skipped) -> Cleared {
        let name = DocumentName { file: &skipped.path.display().to_string(), record: skipped.line };
        self.left_out(name, skipped.into())
    }

    fn left_out(&self, name: DocumentName, left_out: LeftOut) -> Cleared {
        let report = self.documents.reports.then(|| skip_line(name, &left_out.reason));
        Cleared { left_out: Some(left_out), report, ..Cleared::default() }
    }

    /// Counts a result, and writes its line of the report. Names the document if it was left out.
    fn tell(&self, cleared: Cleared, done: &mut Done, report: Report) -> Result<()> {
        if let Some((source, count)) = cleared.count {
            done.sources.entry(source).or_default().add(&count);
        }
        if let Some(line) = cleared.report {
            let written = report.write_all(line.as_bytes());
            written.map_err(|error| PipelineError::in_context("cannot write the report".to_owned(), error))?;
        }
        if let Some(left_out) = cleared.left_out {
            left_out.tell(self.observer);
            done.skip(&left_out);
            self.observer.go_on()?;
        }
        Ok(())
    }

    /// Shows the progress: the file is read up to this byte.
    pub fn show(&self, bytes: u64, done: &mut Done) {
        let more = bytes.saturating_sub(done.shown);
        self.observer.step(more);
        done.shown += more;
    }

    /// Writes the result for a file. The file is skipped if it must be copied and can no longer be read.
    fn write_document(
        &self,
        file: &InputFile,
        document: &Document,
        cleared: &Cleared,
        compression: Compression,
        output: &WrittenFiles,
    ) -> Result<std::result::Result<(), Skipped>> {
        let name = self.output_name(file);
        let (bytes, compression) = match &cleared.written {
            None => return self.copy_broken(file, output).map(Ok),
            Some(Written::AsRead) => return copy(file, &name, output, self.observer),
            Some(Written::Line(line)) => (Cow::Borrowed(line.as_bytes()), Compression::None),
            Some(Written::Text(text)) => (Cow::Borrowed(text.as_bytes()), compression),
            Some(Written::Page(page)) => (Cow::Owned(self.encoded(file, document, page)), compression),
        };
        let _permission = self.observer.writing()?;
        output.write(&name, |writer| {
            let mut encoder = Encoder::new(writer, compression)?;
            encoder.write_all(&bytes)?;
            encoder.finish().map(drop)
        })?;
        Ok(Ok(()))
    }

    /// A page in its own encoding. If that is not possible, in UTF-8 with a warning.
    fn encoded(&self, file: &InputFile, document: &Document, page: &str) -> Vec<u8> {
        let Some(original) = &document.page else { return page.as_bytes().to_vec() };
        let encoded = original.encoded(page);
        if encoded.is_converted {
            let path = file.path();
            self.observer.warn(
                WarningKind::Converted,
                &format!(
                    "{}: written in UTF-8 with a byte order mark, because it cannot be written in its own encoding",
                    path.display()
                ),
            );
        }
        encoded.bytes
    }

    /// Copies a file that cannot be cleaned, if the options ask for that and the file can be read. The user already
    /// knows why it cannot be cleaned.
    fn copy_broken(&self, file: &InputFile, output: &WrittenFiles) -> Result<()> {
        if self.can_copy(file) {
            let _ = copy(file, &file.name(), output, self.observer)?;
        }
        Ok(())
    }

    fn can_copy(&self, file: &InputFile) -> bool {
        self.copies_broken && self.lines.is_none() && !file.is_stdin()
    }

    fn records_to_folder(
        &self,
        file: &InputFile,
        records: Records,
        output: &WrittenFiles,
        done: &mut Done,
        report: Report,
    ) -> Result<()> {
        let name = match file.is_stdin() && self.lines.is_none() {
            true => records.name_of_stdin(),
            false => self.output_name(file),
        };
        let permission = self.observer.writing()?;
        let mut failure = None;
        let mut extent = Extent::Whole;
        let written = output.write(&name, |writer| {
            // The output of standard input has a name without a compression extension.
            let packing = if file.is_stdin() { Packing::default() } else { records.packing() };
            let mut sink = match self.lines {
                None => Sink::Records(records.writer(writer, packing)?),
                Some(_) if records.is_jsonl() => Sink::Lines(Encoder::new(writer, packing.compression)?),
                Some(_) => Sink::Lines(Encoder::new(writer, Compression::None)?),
            };
            match self.records(records, self.form(), &mut sink, done, report) {
                Ok(Extent::Whole) => return sink.finish(),
                Ok(found) => extent = found,
                // The output could not be written. `output.write` adds its name to the error.
                Err(PipelineError::Io(error)) => return Err(error),
                Err(error) => failure = Some(error),
            }
            match failure.is_none() && !self.can_copy(file) {
                true => sink.finish(),
                // This error makes `output.write` leave no incomplete file behind.
                false => Err(io::Error::other("not everything could be written")),
            }
        });

        drop(permission);
        if failure.is_none() && extent != Extent::Whole && self.can_copy(file) {
            self.warn_of_copy(file);
            return self.copy_broken(file, output);
        }

        let Some(error) = failure.or(written.err()) else { return Ok(()) };
        let Some(reason) = fault_of_input(&error) else { return Err(error) };
        // The cleaned documents of this file are not written, so they do not count.
        done.sources.clear();
        if extent != Extent::BrokenOff {
            self.tell(self.skipped(&Skipped::file(file.path(), reason)), done, report)?;
        }
        self.copy_broken(file, output)
    }

    fn warn_of_copy(&self, file: &InputFile) {
        let path = file.path();
        let message = "copied unchanged, because its broken part cannot be copied alone";
        self.observer.warn(WarningKind::Copied, &format!("{}: {message}", path.display()));
    }

    /// Cleans records in batches, in order. One batch is written while the next one is cleaned.
    fn records<W: Write + Send>(
        &self,
        mut records: Records,
        form: Form,
        sink: &mut Sink<W>,
        done: &mut Done,
        report: Report,
    ) -> Result<Extent> {
        let mut extent = Extent::Whole;
        std::thread::scope(|scope| {
            let (send, ready) = mpsc::sync_channel(0);
            let reader = spawn(scope, 1, move || {
                let pass_on = |cleared, read| pass_on(&send, self.observer, (cleared, read));
                while let Some(batch) = records.next_batch() {
                    let read = records.bytes_read();
                    let passed_on = match batch {
                        Ok(batch) => self.clear_batch(Arc::new(batch), form, |cleared| pass_on(Ok(cleared), read)),
                        Err(skipped) => pass_on(Err(skipped), read),
                    };
                    if passed_on.is_err() {
                        return;
                    }
                }
            })?;

            for (cleared, read) in ready {
                let cleared = match cleared {
                    Ok(ClearedRecords { batch, first, records }) => {
                        if !batch.is_whole() {
                            extent = Extent::Incomplete;
                        }
                        let (kept, cleared): (Vec<Kept>, Vec<Cleared>) = records.into_iter().unzip();
                        sink.write(&batch, first, kept, &cleared)?;
                        cleared
                    }
                    Err(skipped) => {
                        extent = Extent::BrokenOff;
                        vec![self.skipped(&skipped)]
                    }
                };
                cleared.into_iter().try_for_each(|cleared| self.tell(cleared, done, report))?;
                self.show(read, done);
            }

            join(reader)?;
            self.observer.go_on()?;
            Ok(extent)
        })
    }

    /// Cleans the records of a batch, and passes on as many at a time as there is memory for.
    fn clear_batch(
        &self,
        batch: Arc<Batch>,
        form: Form,
        mut pass_on: impl FnMut(ClearedRecords) -> std::result::Result<(), ()>,
    ) -> std::result::Result<(), ()> {
        let file = batch.path().display().to_string();
        let clear =
            |scratch: &mut CleaningScratch, index, read| self.clear_record(&batch, index, read, &file, form, scratch);
        let read = |index, patience| batch.read(index, patience);
        in_waves(batch.len(), CleaningScratch::default, read, clear, |first, records| {
            pass_on(ClearedRecords { batch: Arc::clone(&batch), first, records })
        })
    }

    fn clear_record(
        &self,
        batch: &Batch,
        index: usize,
        read: std::result::Result<Option<Document>, Skipped>,
        file: &str,
        form: Form,
        scratch: &mut CleaningScratch,
    ) -> (Kept, Cleared) {
        let place = DocumentName { file, record: Some(batch.number(index)) };
        let cleared = match read {
            // Records without a document, such as blank lines, are kept.
            Ok(None) => return (Kept::as_read(), Cleared::default()),
            Ok(Some(document)) => {
                let cleared = self.clear(&document, place, form, scratch);
                self.kept(batch, index, &document, cleared)
            }
            Err(skipped) => Err(skipped),
        };
        cleared.unwrap_or_else(|skipped| {
            let kept = if self.copies_broken && batch.is_whole() { Kept::as_read() } else { Kept::dropped() };
            (kept, self.skipped(&skipped))
        })
    }

    fn kept(
        &self,
        batch: &Batch,
        index: usize,
        document: &Document,
        cleared: Cleared,
    ) -> std::result::Result<(Kept, Cleared), Skipped> {
        let kept = match &cleared.written {
            Some(Written::AsRead) => Kept::as_read(),
            Some(Written::Text(text)) => batch.rewritten(index, document, New::Text(text))?,
            Some(Written::Page(page)) => batch.rewritten(index, document, New::Page(page))?,
            None if self.copies_broken => Kept::as_read(),
            Some(Written::Line(_)) | None => Kept::dropped(),
        };
        Ok((kept, cleared))
    }
}

impl<W: Write + Send> Sink<W> {
    fn write(&mut self, batch: &Batch, first: usize, kept: Vec<Kept>, cleared: &[Cleared]) -> io::Result<()> {
        match self {
            Sink::Records(writer) => {
                writer.write(batch, first, kept)?;
                writer.flush()
            }
            Sink::Lines(encoder) => {
                let lines = cleared.iter().filter_map(|cleared| match &cleared.written {
                    Some(Written::Line(line)) => Some(line),
                    _ => None,
                });
                lines.into_iter().try_for_each(|line| encoder.write_all(line.as_bytes()))?;
                encoder.flush()
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Sink::Records(writer) => writer.finish(),
            Sink::Lines(encoder) => encoder.finish()?.flush(),
        }
    }
}

/// The problem of the input, if writing failed because of the input.
fn fault_of_input(error: &PipelineError) -> Option<Reason> {
    let (PipelineError::Output(OutputError::Write { error, .. }) | PipelineError::Io(error)) = error else {
        return None;
    };
    error.get_ref()?.downcast_ref::<Reason>().cloned()
}

/// The problem of the output's name, if writing failed because of the name.
fn fault_of_name(error: &PipelineError, output: &OutputRoot) -> Option<Reason> {
    match error {
        PipelineError::Output(OutputError::Write { path, error }) if error.kind() == ErrorKind::InvalidFilename => {
            let name = path.strip_prefix(output.path()).unwrap_or(path);
            Some(Reason::OutputName(name.to_owned()))
        }
        _ => None,
    }
}

/// Copies a file. If the file cannot be read, it is skipped. If the copy cannot be written, that is an error.
fn copy(
    file: &InputFile,
    name: &str,
    output: &WrittenFiles,
    observer: &dyn Observer,
) -> Result<std::result::Result<(), Skipped>> {
    let skipped = |reason| Skipped::file(file.path(), reason);
    let mut input = match file.open() {
        Ok(file) => Source { file, failure: None },
        Err(reason) => return Ok(Err(skipped(reason))),
    };
    let _permission = observer.writing()?;
    let written = output.write(name, |writer| io::copy(&mut input, writer));
    match input.failure {
        Some(reason) => Ok(Err(skipped(reason))),
        None => Ok(Ok(written.map(drop)?)),
    }
}

/// A file to copy, and the reason if reading it failed.
struct Source {
    file: File,
    failure: Option<Reason>,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer);
        if let Err(error) = &read
            && error.kind() != ErrorKind::Interrupted
        {
            self.failure = Some(Reason::Unreadable(error.to_string()));
        }
        read
    }
}
