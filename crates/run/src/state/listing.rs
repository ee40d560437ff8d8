//! Lists the contents of a state: sources and their segments.

use std::io::{self, Write};
use std::vec::IntoIter;

use redb::{ReadTransaction, ReadableDatabase};

use super::error::{Problem, StateError};
use super::texts::{Texts, text};
use super::{SEGMENTS, State, TEXTS, stored_table};
use dehusk_core::streaming::segments::{Described, SegmentKey};
use dehusk_core::streaming::table::{Entry, Progress};
use dehusk_corpus::SourceId;

/// All that a state knows, except the segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Each source with its figures, sorted by name.
    pub sources: Vec<(SourceId, Summary)>,
    /// Each input with the number of its records that were processed, sorted by name.
    pub inputs: Vec<(String, u64)>,
    /// The path of each output with its length in bytes, sorted by path.
    pub outputs: Vec<(String, u64)>,
}

/// The figures of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Its progress.
    pub progress: Progress,
    /// Number of segments that are remembered.
    pub segments: usize,
    /// Number of those segments that are in enough documents to be boilerplate.
    pub templates: usize,
    /// The lifetime in effect for a segment seen once, in pages.
    pub base_in_effect: f64,
    /// Size of segments and texts in the file, in bytes, without the database's overhead.
    pub bytes: u64,
}

/// A segment with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSegment {
    /// Its identity.
    pub key: SegmentKey,
    /// Its number of documents, and its first and last page.
    pub entry: Entry,
    /// Its text. `None` for a segment that never was template.
    pub described: Option<Described>,
}

/// The segments of a source, most documents first, then by key. Texts are read lazily.
pub struct ListedSegments<'a> {
    state: &'a State,
    number: u32,
    entries: IntoIter<(SegmentKey, Entry)>,
    texts: Texts,
}

impl State {
    /// All that the state knows, except the segments. Loads all tables, one after the other.
    pub fn overview(&self) -> Result<Overview, StateError> {
        let mut overview = Overview::default();
        for source in self.sources()? {
            overview.sources.extend(self.summary(&source)?.map(|summary| (source, summary)));
        }
        overview.inputs = self.inputs()?;
        overview.outputs = self.outputs()?.into_iter().map(|(path, written)| (path, written.bytes)).collect();
        Ok(overview)
    }

    /// Writes the segments of sources, a line of JSON each, in the order of [`State::segments`].
    pub fn export(&self, sources: &[SourceId], writer: &mut dyn Write) -> io::Result<()> {
        for source in sources {
            for segment in self.segments(source).map_err(io::Error::other)?.into_iter().flatten() {
                writeln!(writer, "{}", segment.map_err(io::Error::other)?.to_json(source))?;
            }
        }
        writer.flush()
    }

    /// The figures of a source. `None` if the source is not known. Loads its table.
    pub fn summary(&self, source: &SourceId) -> Result<Option<Summary>, StateError> {
        self.attempt(|| {
            let reading = self.database.get()?.begin_read()?;
            let Some((row, table)) = stored_table(&reading, source)? else { return Ok(None) };
            let options = &self.settings.table;
            let (segments, templates) = table.remembered(options);
            Ok(Some(Summary {
                segments,
                templates,
                base_in_effect: table.progress().base_in_effect(options),
                bytes: bytes_of(&reading, row.number)?,
                progress: table.progress().clone(),
            }))
        })
    }

    /// The segments of a source that are not forgotten. `None` if the source is not known. Loads its table.
    pub fn segments(&self, source: &SourceId) -> Result<Option<ListedSegments<'_>>, StateError> {
        self.attempt(|| {
            let reading = self.database.get()?.begin_read()?;
            let Some((row, table)) = stored_table(&reading, source)? else { return Ok(None) };
            let entries = table.ranked(&self.settings.table).into_iter();
            let texts = reading.open_table(TEXTS)?;
            Ok(Some(ListedSegments { state: self, number: row.number, entries, texts }))
        })
    }
}

impl ListedSegment {
    /// The segment as JSON, for scripts. Path and text are null if the segment never was template, because they are not
    /// known then.
    pub fn to_json(&self, source: &SourceId) -> serde_json::Value {
        let ListedSegment { key, entry, described } = self;
        serde_json::json!({
            "source": source.as_str(),
            "key": format!("{:016x}", key.0),
            "documents": entry.documents,
            "first": entry.first,
            "last": entry.last,
            "path": described.as_ref().map(|described| &described.path),
            "text": described.as_ref().map(|described| &described.text),
        })
    }
}

impl Iterator for ListedSegments<'_> {
    type Item = Result<ListedSegment, StateError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (key, entry) = self.entries.next()?;
        let described = || if entry.is_described { text(&self.texts, self.number, key) } else { Ok(None) };
        Some(self.state.attempt(|| Ok(ListedSegment { key, entry, described: described()? })))
    }
}

fn bytes_of(reading: &ReadTransaction, number: u32) -> Result<u64, Problem> {
    let mut bytes = 0;
    for row in reading.open_table(SEGMENTS)?.range((number, 0)..=(number, u32::MAX))? {
        bytes += row?.1.value().len() as u64;
    }
    for row in reading.open_table(TEXTS)?.range((number, 0)..=(number, u64::MAX))? {
        let row = row?.1;
        let (path, text, _) = row.value();
        bytes += (path.len() + text.len()) as u64;
    }
    Ok(bytes)
}
