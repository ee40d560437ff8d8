//! The library gives the same files for a corpus as the program, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{Inventory, OutputRoot, ReadOptions, SourceId};
use dehusk_run::state::State;
use dehusk_run::{
    CorpusCleanOptions, CorpusMineOptions, Library, Observer, PipelineError, Silent, Stop, StreamOptions, StreamTarget,
    Target, clean_corpus, mine_corpus, stream_corpus,
};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora/news");

/// The files below a folder, by path. The manifest is left out, because it contains times.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true if path.ends_with(".dehusk") => {}
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).expect("a path below").display().to_string();
                    all.insert(name, fs::read(path).expect("a file"));
                }
            }
        }
    }
    all
}

fn inventory() -> Inventory {
    Inventory::scan(&[CORPUS.into()], &ReadOptions::default().tree(true)).expect("a corpus")
}

fn lexer() -> Lexer {
    Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()))
}

fn run(out: &Path, observer: &dyn Observer) -> Result<(), PipelineError> {
    let inventory = inventory();
    let patterns = OutputRoot::create(out.join("patterns"), &inventory.reads())?;
    mine_corpus(&inventory, &patterns, &lexer(), &CorpusMineOptions::default(), observer)?;
    let library = Library::load(patterns.path())?;
    let cleaned = Target::Folder(OutputRoot::create(out.join("cleaned"), &inventory.reads())?);
    clean_corpus(&inventory, &library, &cleaned, &CorpusCleanOptions::default(), observer)?;
    Ok(())
}

#[test]
fn the_library_writes_what_the_program_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [by_program, by_library] = ["program", "library"].map(|name| folder.path().join(name));
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
    let ran = program.args(["run", CORPUS, "--quiet", "-o"]).arg(&by_program).status().expect("the program starts");
    assert!(ran.success());
    run(&by_library, &Silent).expect("a run");
    let (program, library) = (files(&by_program), files(&by_library));
    assert!(program.len() > 100);
    assert_eq!(program.keys().collect::<Vec<_>>(), library.keys().collect::<Vec<_>>());
    for (name, content) in &program {
        assert!(library[name] == *content, "{name} differs");
    }
}

/// The folders of the sources. A stream takes them in order.
fn source_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(CORPUS).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort_unstable();
    folders
}

fn stream(folder: &Path, observer: &dyn Observer) -> Result<(), PipelineError> {
    let options = ReadOptions::default().tree(true);
    let scan = |folder| Inventory::scan(&[folder], &options).expect("a corpus");
    let inventories: Vec<Inventory> = source_folders().into_iter().map(scan).collect();
    let (library, target) = (Library::default(), StreamTarget::File(folder.join("out.jsonl")));
    let state = folder.join("state");
    stream_corpus(&inventories, &library, &state, &target, &StreamOptions::default(), observer).map(drop)
}

/// The progress and the segments of each source in a state, as text.
fn learned(state: &Path) -> Vec<(SourceId, String)> {
    let state = State::open(state).expect("a state");
    let source = |source: SourceId| {
        let segments: Vec<_> = state.segments(&source).expect("segments").into_iter().flatten().flatten().collect();
        let told = format!("{:?} {segments:?}", state.table(&source).expect("a table").progress());
        (source, told)
    };
    state.sources().expect("sources").into_iter().map(source).collect()
}

#[test]
fn the_library_streams_as_the_program_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let [by_program, by_library] = ["program", "library"].map(|name| folder.path().join(name));
    [&by_program, &by_library].iter().for_each(|folder| fs::create_dir(folder).expect("a folder"));
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
    program.current_dir(&by_program).arg("stream").args(source_folders());
    program.args(["--quiet", "--state", "state", "-o", "out.jsonl"]);
    assert!(program.status().expect("the program starts").success());
    stream(&by_library, &Silent).expect("a run");
    let lines = |folder: &Path| fs::read(folder.join("out.jsonl")).expect("a file");
    assert_eq!(lines(&by_program).iter().filter(|&&byte| byte == b'\n').count(), 130);
    assert!(lines(&by_program) == lines(&by_library));
    assert_eq!(learned(&by_program.join("state")), learned(&by_library.join("state")));
}

#[test]
fn a_stream_that_an_observer_stopped_goes_on_to_the_same_end() {
    let [stopped, whole] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let lines = |folder: &Path| fs::read(folder.join("out.jsonl")).expect("a file");
    let patient = Impatient { patience: usize::MAX, ..Impatient::default() };
    stream(whole.path(), &patient).expect("a run");
    assert_eq!(*patient.stages.lock().expect("a lock"), ["streaming"]);
    let patience = patient.asked.into_inner() / 2;
    let run = stream(stopped.path(), &Impatient { patience, ..Impatient::default() });
    assert!(matches!(run, Err(PipelineError::Stopped(stop)) if stop.to_string() == "enough"));
    let written = lines(stopped.path());
    assert!(!written.is_empty() && written.len() < lines(whole.path()).len());
    stream(stopped.path(), &Silent).expect("a run");
    assert!(lines(stopped.path()) == lines(whole.path()));
    assert_eq!(learned(&stopped.path().join("state")), learned(&whole.path().join("state")));
}

#[test]
fn mining_that_an_observer_stopped_goes_on_to_the_same_end() {
    let mine = |folder: &Path, resume: bool, observer: &dyn Observer| {
        let inventory = inventory();
        let output = OutputRoot::create(folder, &inventory.reads()).expect("a folder");
        mine_corpus(&inventory, &output, &lexer(), &CorpusMineOptions::default().resume(resume), observer).map(drop)
    };
    let [stopped, whole] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let patient = Impatient { patience: usize::MAX, ..Impatient::default() };
    mine(whole.path(), false, &patient).expect("a run");
    let asked = patient.asked.into_inner();
    let mut done_before = Vec::new();
    for patience in [0, 60, 110, asked - 1] {
        let run = mine(stopped.path(), false, &Impatient { patience, ..Impatient::default() });
        assert!(matches!(run, Err(PipelineError::Stopped(stop)) if stop.to_string() == "enough"));
        let patient = Impatient { patience: usize::MAX, ..Impatient::default() };
        mine(stopped.path(), true, &patient).expect("a run");
        assert!(files(stopped.path()) == files(whole.path()), "stopped after {patience} questions");
        assert!(!stopped.path().join(".dehusk/mining.journal").exists());
        done_before.push(patient.done_before.into_inner());
        fs::remove_dir_all(stopped.path()).expect("a folder");
    }
    // It reads 130 documents before it writes a file.
    assert!(done_before.is_sorted() && done_before[0] == 0 && done_before[3] == 130, "{done_before:?}");
}

/// Counts the messages that it gets, and stops a run after a number of questions.
#[derive(Default)]
struct Impatient {
    stages: Mutex<Vec<&'static str>>,
    asked: AtomicUsize,
    /// The steps that an earlier run did.
    done_before: AtomicU64,
    patience: usize,
}

impl Observer for Impatient {
    fn start(&self, stage: &'static str, _: dehusk_run::Steps) {
        self.stages.lock().expect("a lock").push(stage);
    }

    fn step_done_before(&self, steps: u64) {
        self.done_before.fetch_add(steps, Ordering::Relaxed);
    }

    fn go_on(&self) -> Result<(), Stop> {
        match self.asked.fetch_add(1, Ordering::Relaxed) < self.patience {
            true => Ok(()),
            false => Err("enough".into()),
        }
    }
}

#[test]
fn an_observer_hears_of_all_stages() {
    let folder = tempfile::tempdir().expect("a folder");
    let observer = Impatient { patience: usize::MAX, ..Impatient::default() };
    run(folder.path(), &observer).expect("a run");
    assert_eq!(*observer.stages.lock().expect("a lock"), ["mining", "testing", "choosing patterns", "cleaning"]);
}

#[test]
fn an_observer_stops_a_run_and_no_file_is_half_written() {
    for patience in [0, 5, 200, 400] {
        let folder = tempfile::tempdir().expect("a folder");
        let stopped = run(folder.path(), &Impatient { patience, ..Impatient::default() });
        assert!(matches!(stopped, Err(PipelineError::Stopped(stop)) if stop.to_string() == "enough"));
        let temporary = files(folder.path()).into_keys().filter(|name| name.contains(".tmp"));
        assert_eq!(temporary.count(), 0);
    }
}
