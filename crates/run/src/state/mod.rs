//! Stores in one file what streams have learned.
//!
//! Takes the tables of sources as they change, and how far each input was read. Gives them back to the next run. A
//! commit is in the file completely or not at all, even if the process is killed or the machine crashes. So no document
//! is counted twice and none is lost, if the output is cut to the length that is stored with its input.
//!
//! The file is a redb database: pure Rust, one file, transactions, a lock. Segments do not have a row each: their keys
//! are hashes, so every commit would rewrite most pages of the tree. Instead a source has rows of many records: first
//! all its segments and then, commit by commit, the changes. When the changes are more than half of the first part,
//! everything is rewritten. Measured with 10,000 changed segments per commit, half of them new and as many removed:
//!
//! | segments | one row each | rows of many records |
//! |---|---|---|
//! | 100,000 | 30 ms, 4.7 MB; file of 16 MB | 4 ms, 0.8 MB on average; full rewrite 20 ms; file of 8 MB |
//! | 5,000,000 | 250 ms, 41 MB; file of 514 MB | 12 ms, 1.6 MB on average; most 2 ms, full rewrite 2 s; file of 257 MB
//! |
//!
//! Neither file grew further in thousands of commits, because redb reuses free pages.

mod error;
mod listing;
mod records;
mod settings;
mod source_row;
mod texts;
mod writing;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition};

use self::source_row::SourceRow;
use self::texts::StoredText;
use self::writing::Writing;
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_core::streaming::table::SegmentTable;
use dehusk_corpus::{SourceId, folder_of, remove_left_over};
pub use error::{Problem, StateError};
pub use listing::{ListedSegment, ListedSegments, Overview, Summary};
pub use settings::Settings;

/// The version of the format.
const FORMAT: u32 = 5;
/// Bytes of database pages cached in memory. Small, because tables are read and written once from front to back. The
/// default would be a gigabyte.
const CACHE_BYTES: usize = 64 << 20;

/// Has the keys `format`, `settings` and `lexer`.
const META: TableDefinition<&str, &str> = TableDefinition::new("meta");
/// From a source's name to its [`SourceRow`].
const SOURCES: TableDefinition<&str, &str> = TableDefinition::new("sources");
/// From a source's number and a row number to records ([`records`]).
const SEGMENTS: TableDefinition<(u32, u32), &[u8]> = TableDefinition::new("segments");
/// From a source's number and a segment's key to a [`Described`](dehusk_core::streaming::segments::Described).
const TEXTS: TableDefinition<(u32, u64), StoredText> = TableDefinition::new("texts");
/// From an input's name to the number of records read.
const INPUTS: TableDefinition<&str, u64> = TableDefinition::new("inputs");
/// From an output's path to the fields of [`Written`].
const OUTPUTS: TableDefinition<&str, (u64, u64, bool)> = TableDefinition::new("outputs");

/// A file with what streams have learned. While it is open, no other run can open it.
///
/// ```
/// use dehusk_corpus::SourceId;
/// use dehusk_core::streaming::segments::{TextSegment, SegmentKey};
/// use dehusk_run::state::{Settings, State};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("news.state");
/// let settings = Settings::default();
/// let mut state = State::create(&path, &settings)?;
///
/// let source = SourceId::parse("daily-post.example")?;
/// let mut table = state.table(&source)?;
/// let menu = TextSegment { key: SegmentKey(7), text: SegmentKey(8), tokens: 0..4, block: 0, length: 20 };
/// table.arrive(&[menu], &settings.table);
/// state.commit(&mut [(&source, &mut table)], &[("monday.jsonl", 1)], None)?;
/// drop(state);
///
/// let state = State::open(&path)?;
/// assert_eq!(state.table(&source)?.progress().pages, 1);
/// assert_eq!(state.input("monday.jsonl")?, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    database: Held,
    settings: Settings,
}

/// A database that is closed without a panic. redb writes when it closes, and its assertions fail then if the file is
/// damaged. That can be ignored, because all that counts was committed before.
#[derive(Debug)]
struct Held(Option<Database>);

impl Held {
    fn get(&self) -> Result<&Database, Problem> {
        self.0.as_ref().ok_or(Problem::NoState)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(dehusk_corpus::guarded::guarded(|| drop(self.0.take())));
    }
}

/// An output as a run has left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its length, in bytes.
    pub bytes: u64,
    /// A hash of its last bytes.
    pub ending: u64,
    /// Whether a run is writing to the output, or was killed while it was writing. Then the output may be longer.
    pub is_open: bool,
}

/// The result of merging another state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Number of sources in both states.
    pub joined: usize,
    /// Number of sources only in the other state.
    pub added: usize,
}

impl State {
    /// Creates a state in a new file. The file appears with its settings or not at all. It must not exist yet.
    pub fn create(path: &Path, settings: &Settings) -> Result<State, StateError> {
        create_file(path, settings).map_err(|problem| problem.at(path))?;
        State::open(path)
    }

    /// Opens an existing state.
    pub fn open(path: &Path) -> Result<State, StateError> {
        let opened = guarded(|| {
            let database = Held(Some(Database::builder().set_cache_size(CACHE_BYTES).open(path)?));
            Ok((read_settings(database.get()?)?, database))
        });
        let (settings, database) = opened.map_err(|problem| problem.at(path))?;
        Ok(State { path: path.to_owned(), database, settings })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of its tables.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A pattern file without patterns, with the lexer that makes segments.
    pub fn reader(&self, lexers: &LexerCache) -> Result<PatternFile, StateError> {
        self.attempt(|| self.settings.reader(lexers))
    }

    /// Changes the settings of its tables. The lexer must not change, because another one would give other segments.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), StateError> {
        self.attempt(|| {
            self.check_lexer(&settings)?;
            let writing = Writing::begin(self.database.get()?)?;
            writing.set_settings(&settings)?;
            writing.commit()
        })?;
        self.settings = settings;
        Ok(())
    }

    /// Fails if these settings have a different lexer.
    pub fn check_settings(&self, settings: &Settings) -> Result<(), StateError> {
        self.attempt(|| self.check_lexer(settings))
    }

    /// The names of all sources, sorted.
    pub fn sources(&self) -> Result<Vec<SourceId>, StateError> {
        self.attempt(|| {
            let reading = self.database.get()?.begin_read()?;
            let sources = reading.open_table(SOURCES)?;
            sources.iter()?.map(|row| source_id(row?.0.value())).collect()
        })
    }

    /// The complete table of a source. Empty if the source is not known.
    pub fn table(&self, source: &SourceId) -> Result<SegmentTable, StateError> {
        self.attempt(|| {
            let reading = self.database.get()?.begin_read()?;
            Ok(stored_table(&reading, source)?.map(|(_, table)| table).unwrap_or_default())
        })
    }

    /// Number of records of an input that were processed. `None` if it never was read.
    pub fn input(&self, name: &str) -> Result<Option<u64>, StateError> {
        self.attempt(|| {
            let inputs = self.database.get()?.begin_read()?.open_table(INPUTS)?;
            Ok(inputs.get(name)?.map(|row| row.value()))
        })
    }

    /// Each input with the number of its records that were processed, sorted by name.
    pub fn inputs(&self) -> Result<Vec<(String, u64)>, StateError> {
        self.attempt(|| {
            let inputs = self.database.get()?.begin_read()?.open_table(INPUTS)?;
            let told = inputs.iter()?.map(|row| {
                let (name, records) = row?;
                Ok((name.value().to_owned(), records.value()))
            });
            told.collect()
        })
    }

    /// The length and ending of the output at this path. `None` if the output is not known.
    pub fn output(&self, path: &str) -> Result<Option<Written>, StateError> {
        self.attempt(|| {
            let outputs = self.database.get()?.begin_read()?.open_table(OUTPUTS)?;
            Ok(outputs.get(path)?.map(|row| Written::of(row.value())))
        })
    }

    /// Each output with its length and ending, sorted by path.
    pub fn outputs(&self) -> Result<Vec<(String, Written)>, StateError> {
        self.attempt(|| {
            let outputs = self.database.get()?.begin_read()?.open_table(OUTPUTS)?;
            let told = outputs.iter()?.map(|row| {
                let (path, written) = row?;
                Ok((path.value().to_owned(), Written::of(written.value())))
            });
            told.collect()
        })
    }

    /// Stores the changes of the tables, how far inputs were read, and what was written: everything durably, or
    /// nothing. Tables without changes cost nothing.
    pub fn commit(
        &mut self,
        tables: &mut [(&SourceId, &mut SegmentTable)],
        inputs: &[(&str, u64)],
        output: Option<(&str, Written)>,
    ) -> Result<(), StateError> {
        self.attempt(|| {
            let writing = Writing::begin(self.database.get()?)?;
            for (source, table) in tables.iter().filter(|(_, table)| !table.is_saved()) {
                writing.put_table(source, table)?;
            }
            for (name, records) in inputs {
                writing.put_input(name, *records)?;
            }
            if let Some((path, written)) = output {
                writing.put_output(path, written)?;
            }
            writing.commit()
        })?;
        tables.iter_mut().for_each(|(_, table)| table.saved());
        Ok(())
    }

    /// Merges the tables of another state, source by source, and the inputs that only the other state has read:
    /// everything or nothing. If both states have read an input of the same name, this state keeps its own position.
    /// Documents that both states have read are counted twice; this is not checked. Outputs stay with the other state,
    /// which may continue to write them. If this state cut them to the length that it knows, later lines would be lost.
    pub fn merge(&mut self, other: &State) -> Result<Merged, StateError> {
        let sources = other.sources()?;
        let inputs = other.inputs()?;
        let (reading, others) = (self.attempt(|| Ok(self.database.get()?.begin_read()?))?, other);
        let others = others.attempt(|| Ok(others.database.get()?.begin_read()?))?;
        self.attempt(|| {
            self.check_lexer(&other.settings)?;
            let writing = Writing::begin(self.database.get()?)?;
            let mut merged = Merged::default();
            for source in &sources {
                let own = stored_table(&reading, source)?;
                *if own.is_some() { &mut merged.joined } else { &mut merged.added } += 1;
                let own = own.map(|(_, table)| table).unwrap_or_default();
                writing.put_table(source, &self.joined(own, &others, source)?)?;
            }
            writing.add_inputs(&inputs)?;
            writing.commit()?;
            Ok(merged)
        })
    }

    /// Merges the other state's table of the source, with its texts, into `table`.
    fn joined(
        &self,
        mut table: SegmentTable,
        others: &ReadTransaction,
        source: &SourceId,
    ) -> Result<SegmentTable, Problem> {
        let Some((row, other)) = stored_table(others, source)? else { return Ok(table) };
        table.absorb(&other, &self.settings.table);
        let texts = others.open_table(TEXTS)?;
        for (key, _) in other.entries().filter(|(_, entry)| entry.is_described) {
            if let Some(described) = texts::text(&texts, row.number, key)? {
                table.describe_if_bare(key, described);
            }
        }
        Ok(table)
    }

    fn check_lexer(&self, settings: &Settings) -> Result<(), Problem> {
        if settings.lexer == self.settings.lexer { Ok(()) } else { Err(Problem::OtherLexer) }
    }

    /// Does `work`, and adds the file's name to errors.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, Problem>) -> Result<T, StateError> {
        guarded(work).map_err(|problem| problem.at(&self.path))
    }
}

impl Written {
    fn of((bytes, ending, is_open): (u64, u64, bool)) -> Written {
        Written { bytes, ending, is_open }
    }
}

fn create_file(path: &Path, settings: &Settings) -> Result<(), Problem> {
    let folder = folder_of(path);
    fs::metadata(folder)?;
    remove_left_over(folder);
    let file = tempfile::Builder::new().prefix(".dehusk-").tempfile_in(folder)?.into_temp_path();
    let database = Database::builder().set_cache_size(CACHE_BYTES).create(&file)?;
    let writing = Writing::begin(&database)?;
    writing.make_tables()?;
    writing.set_settings(settings)?;
    writing.commit()?;
    drop(database);
    file.persist_noclobber(path).map_err(|error| Problem::from(error.error))?;
    sync_folder(folder)
}

/// Makes a new file name in a folder durable. Windows has no such call and needs none.
fn sync_folder(folder: &Path) -> Result<(), Problem> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Does `work`. If a file is truncated or its bytes have changed, assertions of redb fail; this turns the panic into an
/// error.
fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let asserted = |_| Err(Problem::Damaged("its parts do not fit together".to_owned()));
    dehusk_corpus::guarded::guarded(work).unwrap_or_else(asserted)
}

fn read_settings(database: &Database) -> Result<Settings, Problem> {
    let reading = database.begin_read()?;
    let meta = reading.open_table(META).map_err(|_| Problem::NoState)?;
    let value = |key: &str| meta.get(key)?.map(|row| row.value().to_owned()).ok_or(Problem::NoState);
    match value("format")?.parse() {
        Ok(FORMAT) => Settings::parse(&value("settings")?, value("lexer")?),
        Ok(other) => Err(Problem::OtherFormat(other)),
        Err(_) => Err(Problem::NoState),
    }
}

/// The row and the table of a source, if it is known.
fn stored_table(reading: &ReadTransaction, source: &SourceId) -> Result<Option<(SourceRow, SegmentTable)>, Problem> {
    let row = match reading.open_table(SOURCES)?.get(source.as_str())? {
        Some(row) => SourceRow::parse(row.value())?,
        None => return Ok(None),
    };
    let mut table = SegmentTable::restored(row.progress()?, row.whole);
    for part in reading.open_table(SEGMENTS)?.range((row.number, 0)..=(row.number, u32::MAX))? {
        records::read(part?.1.value(), &mut table)?;
    }
    Ok(Some((row, table)))
}

fn source_id(name: &str) -> Result<SourceId, Problem> {
    SourceId::parse(name).map_err(|error| Problem::Damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use redb::ReadableTableMetadata;

    use super::*;
    use dehusk_core::streaming::Detection;
    use dehusk_core::streaming::lifetime::Lifetime;
    use dehusk_core::streaming::segments::{Described, SegmentKey, Standing, TextSegment};
    use dehusk_core::streaming::table::{Entry, TableOptions};

    fn segments(keys: &[u64]) -> Vec<TextSegment> {
        let segment = |&key: &u64| TextSegment {
            key: SegmentKey(key),
            text: SegmentKey(key),
            tokens: 0..1,
            block: 0,
            length: 10,
        };
        keys.iter().map(segment).collect()
    }

    fn described(text: &str) -> Described {
        Described { path: "div/p".to_owned(), text: text.to_owned(), standing: Standing::Line }
    }

    /// Lifetimes of `base` to twice as many pages. A segment in three documents is boilerplate.
    fn forgetful(base: f64, max_segments: Option<usize>) -> TableOptions {
        let detection = Detection { template_documents: 3, ..Detection::default() };
        TableOptions { detection, lifetime: Lifetime { base, factor: 2.0 }, max_segments }
    }

    fn learned(pages: &[&[u64]], options: &TableOptions) -> SegmentTable {
        let mut table = SegmentTable::default();
        for page in pages {
            table.arrive(&segments(page), options);
        }
        table
    }

    /// A state and its folder.
    fn new_state(table: TableOptions) -> (State, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { table, lexer: "words".to_owned() };
        (State::create(&folder.path().join("state"), &settings).unwrap(), folder)
    }

    fn reopened(state: State) -> State {
        let path = state.path().to_owned();
        drop(state);
        State::open(&path).unwrap()
    }

    fn source(name: &str) -> SourceId {
        SourceId::parse(name).unwrap()
    }

    fn commit(state: &mut State, name: &str, table: &mut SegmentTable) {
        state.commit(&mut [(&source(name), table)], &[], None).unwrap();
    }

    fn told(table: &SegmentTable) -> (Vec<(SegmentKey, Entry)>, dehusk_core::streaming::table::Progress) {
        (table.entries().collect(), table.progress().clone())
    }

    fn texts(state: &State) -> u64 {
        state.database.get().unwrap().begin_read().unwrap().open_table(TEXTS).unwrap().len().unwrap()
    }

    fn problem<T: std::fmt::Debug>(result: Result<T, StateError>) -> String {
        result.unwrap_err().problem.to_string()
    }

    /// Pages with segments that come, go and come again. All pages are different.
    fn pages() -> Vec<Vec<u64>> {
        (0..60_u64).map(|page| vec![1, page % 3, page * 7 % 31, 100 + page, 1000 + page / 4]).collect()
    }

    #[test]
    fn a_table_is_the_same_after_every_commit() {
        let options = forgetful(6.0, Some(40));
        let (mut state, _folder) = new_state(options);
        let (mut kept, mut rows) = (SegmentTable::default(), Vec::new());
        for page in pages() {
            let mut table = state.table(&source("a")).unwrap();
            for table in [&mut table, &mut kept] {
                let told = table.admit(&segments(&page), &options);
                table.learn(&told, &[]);
            }
            commit(&mut state, "a", &mut table);
            state = reopened(state);
            assert_eq!(told(&state.table(&source("a")).unwrap()), told(&kept));
            let reading = state.database.get().unwrap().begin_read().unwrap();
            rows.push(stored_table(&reading, &source("a")).unwrap().unwrap().0.rows);
        }
        assert!(rows.contains(&1) && rows.contains(&2), "nothing was written anew: {rows:?}");
    }

    #[test]
    fn a_table_in_memory_is_stored_again_and_again() {
        let options = forgetful(6.0, None);
        let (mut state, _folder) = new_state(options);
        let mut tables = [SegmentTable::default(), SegmentTable::default()];
        for (number, page) in pages().iter().enumerate() {
            tables[number % 2].arrive(&segments(page), &options);
            let [a, b] = &mut tables;
            state.commit(&mut [(&source("a"), a), (&source("b"), b)], &[], None).unwrap();
        }
        let state = reopened(state);
        for (name, table) in ["a", "b"].iter().zip(&tables) {
            assert!(table.is_saved());
            assert_eq!(told(&state.table(&source(name)).unwrap()), told(table));
        }
        assert_eq!(state.sources().unwrap(), [source("a"), source("b")]);
    }

    #[test]
    fn what_is_dropped_leaves_nothing() {
        let options = TableOptions::default();
        let (mut state, _folder) = new_state(options);
        let mut table = learned(&[&[1], &[2]], &options);
        state.commit(&mut [(&source("a"), &mut table)], &[("in", 2)], None).unwrap();
        let before = told(&table);
        table.arrive(&segments(&[1, 3]), &options);
        table.describe(SegmentKey(3), described("three"));
        let writing = Writing::begin(state.database.get().unwrap()).unwrap();
        writing.put_table(&source("a"), &table).unwrap();
        writing.put_table(&source("b"), &table).unwrap();
        writing.put_input("in", 3).unwrap();
        drop(writing);
        let mut state = reopened(state);
        assert_eq!(told(&state.table(&source("a")).unwrap()), before);
        assert_eq!(state.sources().unwrap(), [source("a")]);
        assert_eq!(state.input("in").unwrap(), Some(2));
        assert_eq!(texts(&state), 0);
        // The table still knows what was not stored.
        commit(&mut state, "a", &mut table);
        assert_eq!(told(&state.table(&source("a")).unwrap()), told(&table));
        assert_eq!(texts(&state), 1);
    }

    #[test]
    fn a_run_that_was_killed_left_its_last_commit() {
        let options = TableOptions::default();
        let (mut state, folder) = new_state(options);
        let mut table = learned(&[&[1], &[2]], &options);
        commit(&mut state, "a", &mut table);
        let before = told(&table);
        table.arrive(&segments(&(0..20_000).collect::<Vec<u64>>()), &options);
        let writing = Writing::begin(state.database.get().unwrap()).unwrap();
        writing.put_table(&source("a"), &table).unwrap();
        let left = folder.path().join("left");
        std::fs::copy(state.path(), &left).unwrap();
        let state = State::open(&left).unwrap();
        assert_eq!(told(&state.table(&source("a")).unwrap()), before);
    }

    #[test]
    fn inputs_are_noted_with_the_tables() {
        let (mut state, _folder) = new_state(TableOptions::default());
        let [first, second] = [(70, 1, true), (90, 2, false)].map(Written::of);
        state.commit(&mut [], &[("b", 3), ("a", 3)], Some(("out", first))).unwrap();
        assert_eq!(state.output("out").unwrap(), Some(first));
        state.commit(&mut [], &[("b", 5)], Some(("out", second))).unwrap();
        let state = reopened(state);
        assert_eq!(state.inputs().unwrap(), [("a".to_owned(), 3), ("b".to_owned(), 5)]);
        assert_eq!(state.outputs().unwrap(), [("out".to_owned(), second)]);
        assert_eq!((state.input("c").unwrap(), state.output("a").unwrap()), (None, None));
    }

    #[test]
    fn texts_go_with_their_segments() {
        let options = forgetful(2.0, None);
        let (mut state, _folder) = new_state(options);
        let mut table = learned(&[&[1, 2][..]; 3], &options);
        table.describe(SegmentKey(1), described("one"));
        table.describe(SegmentKey(2), described("two"));
        commit(&mut state, "a", &mut table);
        assert_eq!(texts(&state), 2);
        let mut table = state.table(&source("a")).unwrap();
        assert!(!table.look(&segments(&[1]), &options).seen[0].wants_text);
        for _ in 0..9 {
            table.arrive(&segments(&[1]), &options);
        }
        commit(&mut state, "a", &mut table);
        assert_eq!(texts(&state), 1);
    }

    #[test]
    fn segments_are_listed_with_their_texts() {
        let options = forgetful(4.0, None);
        let (mut state, _folder) = new_state(options);
        let mut table = learned(&[&[9], &[], &[], &[5, 8, 7], &[5, 7, 8], &[], &[7, 5]], &options);
        table.describe(SegmentKey(7), described("seven"));
        commit(&mut state, "b", &mut table);
        commit(&mut state, "a", &mut learned(&[&[1]], &options));
        let listed: Vec<ListedSegment> = state.segments(&source("b")).unwrap().unwrap().map(Result::unwrap).collect();
        let lines = listed.iter().map(|listed| (listed.key.0, listed.entry.documents, listed.described.clone()));
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [(5, 3, None), (7, 3, Some(described("seven"))), (8, 2, None)],
            "9 is forgotten"
        );
        assert!(state.segments(&source("c")).unwrap().is_none());
        let summary = state.summary(&source("b")).unwrap().unwrap();
        assert_eq!((summary.segments, summary.templates, summary.progress.pages), (3, 2, 7));
        assert_eq!((summary.base_in_effect, summary.bytes), (4.0, 3 * 20 + 5 + 5));
    }

    #[test]
    fn settings_come_back_and_may_change_but_for_the_lexer() {
        let (mut state, _folder) = new_state(forgetful(2.0, None));
        let settings = Settings { table: forgetful(9.5, Some(7)), lexer: "words".to_owned() };
        state.set_settings(settings.clone()).unwrap();
        let mut state = reopened(state);
        assert_eq!(*state.settings(), settings);
        let others = Settings { lexer: "characters".to_owned(), ..settings.clone() };
        assert!(problem(state.set_settings(others)).starts_with("was learned with another tokenizer"));
        assert_eq!(*state.settings(), settings);
        assert_eq!(*reopened(state).settings(), settings);
    }

    #[test]
    fn what_is_no_state_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        for content in ["", "Notes, which are long enough to be taken for the head of something else.\n"] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(problem(State::open(&path)), Problem::NoState.to_string());
            assert_eq!(problem(State::create(&path, &Settings::default())), Problem::Exists.to_string());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        drop(Database::create(folder.path().join("other.redb")).unwrap());
        assert_eq!(problem(State::open(&folder.path().join("other.redb"))), Problem::NoState.to_string());
        assert!(matches!(State::open(&folder.path().join("none")).unwrap_err().problem, Problem::Io(_)));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "something was left over");
    }

    #[test]
    fn another_format_is_refused() {
        let (state, _folder) = new_state(TableOptions::default());
        let writing = state.database.get().unwrap().begin_write().unwrap();
        writing.open_table(META).unwrap().insert("format", "4").unwrap();
        writing.commit().unwrap();
        let path = state.path().to_owned();
        drop(state);
        assert_eq!(
            problem(State::open(&path)),
            "is a state of format 4, but this dehusk reads format 5: use a version that reads it, or begin a new state"
        );
    }

    #[test]
    fn one_run_at_a_time() {
        let (state, _folder) = new_state(TableOptions::default());
        let error = State::open(state.path()).unwrap_err().to_string();
        assert!(error.ends_with(&format!("state: {}", Problem::InUse)), "{error}");
    }

    #[test]
    fn a_state_that_was_cut_off_is_damaged() {
        let (state, _folder) = new_state(TableOptions::default());
        let path = state.path().to_owned();
        drop(state);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(State::open(&path).unwrap_err().problem, Problem::Damaged(_)));
    }

    #[test]
    fn a_state_with_bytes_of_others_is_read_or_damaged() {
        let (mut state, _folder) = new_state(TableOptions::default());
        commit(&mut state, "s", &mut learned(&[&[1, 2], &[1]], &TableOptions::default()));
        let path = state.path().to_owned();
        drop(state);
        let bytes = std::fs::read(&path).unwrap();
        let read = |path: &Path| {
            let state = State::open(path)?;
            let read_all = || state.sources()?.iter().try_for_each(|source| state.segments(source).map(drop));
            let read = state.inputs().and_then(|_| read_all());
            // On closing, a write may fail as well, but everything was read by then.
            drop(state);
            read
        };
        let mut damaged = 0;
        for at in (0..bytes.len().min(64 << 10)).step_by(1 << 10) {
            let mut bytes = bytes.clone();
            bytes[at..at + 16].fill(0xa5);
            std::fs::write(&path, bytes).unwrap();
            damaged += u32::from(matches!(read(&path), Err(StateError { problem: Problem::Damaged(_), .. })));
        }
        assert!(damaged > 0);
    }

    #[test]
    fn a_merged_state_is_that_of_merged_tables() {
        let options = forgetful(9.0, None);
        let (mut own, _folder) = new_state(options);
        let (mut other, _folder) = new_state(options);
        let mut tables = [&[&[1, 2][..], &[1], &[1]][..], &[&[1, 3][..], &[3], &[3]], &[&[4]]];
        let [mut both, mut others, mut only] = tables.each_mut().map(|pages| learned(pages, &options));
        both.describe(SegmentKey(1), described("one"));
        others.describe(SegmentKey(1), described("one, as the other has it"));
        others.describe(SegmentKey(3), described("three"));
        own.commit(&mut [(&source("both"), &mut both)], &[("a", 3)], None).unwrap();
        let theirs = &mut [(&source("both"), &mut others), (&source("only"), &mut only)];
        other.commit(theirs, &[("a", 5), ("b", 5)], Some(("out", Written::of((90, 1, false))))).unwrap();

        assert_eq!(own.merge(&other).unwrap(), Merged { joined: 1, added: 1 });

        both.absorb(&others, &options);
        both.describe(SegmentKey(3), described("three"));
        let own = reopened(own);
        assert_eq!(told(&own.table(&source("both")).unwrap()), told(&both));
        assert_eq!(told(&own.table(&source("only")).unwrap()).0, told(&only).0);
        let texts = own.segments(&source("both")).unwrap().unwrap().filter_map(|listed| listed.unwrap().described);
        assert_eq!(texts.map(|described| described.text).collect::<Vec<_>>(), ["one", "three"]);
        assert_eq!(own.inputs().unwrap(), [("a".to_owned(), 3), ("b".to_owned(), 5)]);
        assert!(own.outputs().unwrap().is_empty());
    }

    #[test]
    fn states_of_other_lexers_are_not_merged() {
        let (mut own, folder) = new_state(TableOptions::default());
        let settings = Settings { lexer: "characters".to_owned(), ..Settings::default() };
        let other = State::create(&folder.path().join("other"), &settings).unwrap();
        assert_eq!(problem(own.merge(&other)), Problem::OtherLexer.to_string());
    }
}
