//! Two programs write the same bytes: pattern files, cleaned text, spans, and what a stream learns.
//!
//! For a change that must not change behaviour, build the program before the change, and compare it with the one after, on any
//! corpora (separated by `:`):
//!
//! ```text
//! DEHUSK_BEFORE=/path/to/dehusk DEHUSK_CORPORA=corpora/news:/path/to/other \
//!     cargo test --release --all-features --test same_output -- --nocapture
//! ```
//!
//! Without these variables the program is compared with itself, on one thread and on four, over the sample corpus.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Files by their paths below a folder.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// What a program writes of a corpus, below a folder of its own.
struct Run {
    program: PathBuf,
    threads: &'static str,
    folder: TempDir,
}

impl Run {
    fn new(program: &Path, threads: &'static str) -> Run {
        Run { program: program.to_owned(), threads, folder: TempDir::new().expect("a folder") }
    }

    fn dehusk(&self, arguments: &[&str]) {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).args(arguments).args(["--quiet", "--threads", self.threads]);
        let output = command.output().expect("the program starts");
        // 3: some documents could not be read, which is as it should be for both
        let is_done = matches!(output.status.code(), Some(0 | 3));
        assert!(is_done, "dehusk {arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    /// All that it writes of a corpus.
    fn outputs(&self, corpus: &str) -> Tree {
        self.dehusk(&["run", corpus, "-o", "run"]);
        self.dehusk(&["clean", corpus, "-p", "run/patterns", "-o", "spans", "--spans"]);
        self.dehusk(&["stream", corpus, "-s", "state", "-o", "stream.jsonl"]);
        self.dehusk(&["state", "export", "state", "-o", "state.jsonl"]);
        let mut tree = Tree::new();
        ["run", "spans"].iter().for_each(|folder| add_files(&self.folder.path().join(folder), &mut tree));
        for file in ["stream.jsonl", "state.jsonl"] {
            tree.insert(file.into(), fs::read(self.folder.path().join(file)).expect("it was written"));
        }
        let below = |(path, bytes): (PathBuf, Vec<u8>)| {
            (path.strip_prefix(self.folder.path()).map_or(path.clone(), Path::to_owned), bytes)
        };
        tree.into_iter().map(below).collect()
    }
}

/// Adds the files below a folder, without the hidden ones, which hold times.
fn add_files(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        match path.is_dir() {
            _ if entry.file_name().to_string_lossy().starts_with('.') => {}
            true => add_files(&path, tree),
            false => drop(tree.insert(path.clone(), fs::read(&path).expect("a file"))),
        }
    }
}

#[test]
fn two_programs_write_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = Path::new(env!("CARGO_BIN_EXE_dehusk"));
    let before = std::env::var_os("DEHUSK_BEFORE").map(PathBuf::from);
    let corpora = std::env::var("DEHUSK_CORPORA").unwrap_or_else(|_| "corpora/news".to_owned());
    for corpus in corpora.split(':').map(|corpus| root.join(corpus).display().to_string()) {
        let [one, other] = [Run::new(before.as_deref().unwrap_or(now), "1"), Run::new(now, "4")];
        let (one, other) = (one.outputs(&corpus), other.outputs(&corpus));
        let names = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&one), names(&other), "{corpus}");
        let differing: Vec<&PathBuf> =
            one.iter().filter(|(name, bytes)| other[*name] != **bytes).map(|(name, _)| name).collect();
        assert!(differing.is_empty(), "{corpus}: {} of {} files differ: {differing:?}", differing.len(), one.len());
        let _ = writeln!(io::stdout(), "{corpus}: {} files are the same", one.len());
    }
}
