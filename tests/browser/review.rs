//! Starts `dehusk review` beside a story, with mined patterns.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use dehusk_core::patterns::{LexerCache, Pattern, PatternFile};
use tempfile::TempDir;
use url::Url;

use super::process::Process;

/// The pattern files of the sample corpus by name, mined once for all stories.
static MINED: LazyLock<BTreeMap<String, String>> = LazyLock::new(mine);

/// A review for one story. It ends when dropped.
pub struct Review {
    /// Its address, with its key.
    pub url: String,
    patterns: TempDir,
    _process: Process,
}

impl Review {
    /// Starts a review of the sample corpus, all patterns of which are proposed.
    pub fn of_sample_corpus() -> Review {
        let patterns = tempfile::tempdir().expect("a folder for patterns");
        MINED.iter().for_each(|(name, yaml)| fs::write(patterns.path().join(name), yaml).expect("a pattern file"));
        Review::of(patterns, &sample_corpus())
    }

    /// Starts a review of the sample corpus, with patterns that a person wrote for this source and did not decide about.
    pub fn with_patterns_by_hand(source: &str) -> Review {
        let review = Review::of_sample_corpus();
        let lines = ["About the author", "Get The Morning Tide", "Our Standards: The", "Picture: Tideline"];
        let pattern = |line| format!("  - {{id: '{line}', status: proposed, regex: '{line}', example: '{line}'}}\n");
        review.edit(source, "evidence:\n", &format!("{}evidence:\n", lines.map(pattern).concat()));
        review
    }

    /// Starts a review of these pattern files, on these documents.
    pub fn of(patterns: TempDir, corpus: &Path) -> Review {
        let mut command = dehusk("review");
        command.arg(corpus).arg("-p").arg(patterns.path()).args(["--no-open", "--port", "0"]);
        let process = Process::start(&mut command);
        let url = process.wait_for("its address", url_in);
        Review { url, patterns, _process: process }
    }

    /// The address of a page of a source: none for its patterns, `documents`, `about`, `d/0`.
    pub fn page(&self, source: &str, page: &str) -> String {
        let mut url = Url::parse(&self.url).expect("an address");
        url.path_segments_mut().expect("segments").pop_if_empty().extend(["s", source]).extend(page.split('/'));
        url.into()
    }

    /// The path of a pattern file.
    pub fn path(&self, source: &str) -> PathBuf {
        self.patterns.path().join(format!("{source}.yaml"))
    }

    /// The present content of a pattern file.
    pub fn file(&self, source: &str) -> String {
        fs::read_to_string(self.path(source)).expect("the pattern file")
    }

    /// The present content of a pattern file, parsed.
    pub fn patterns(&self, source: &str) -> PatternFile {
        PatternFile::parse(&self.file(source), &LexerCache::default()).expect("a pattern file")
    }

    /// The present version of a pattern in its file.
    pub fn pattern(&self, source: &str, id: &str) -> Pattern {
        self.patterns(source).patterns.into_iter().find(|pattern| pattern.id == id).expect("the pattern")
    }

    /// Changes a pattern file, as somebody else does with an editor.
    pub fn edit(&self, source: &str, from: &str, to: &str) {
        let before = self.file(source);
        assert!(before.contains(from), "no {from:?} in\n{before}");
        fs::write(self.path(source), before.replacen(from, to, 1)).expect("the pattern file");
    }
}

/// The address, with port and key, in a line that the review prints.
fn url_in(line: &str) -> Option<String> {
    let url = &line[line.find("http://127.0.0.1:")?..];
    Some(url.split_whitespace().next().unwrap_or(url).to_owned())
}

/// Mines a corpus into a folder of its own.
pub fn mined(corpus: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for patterns");
    let output = dehusk("mine").arg(corpus).arg("-o").arg(folder.path()).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn mine() -> BTreeMap<String, String> {
    let folder = mined(&sample_corpus());
    let files = fs::read_dir(folder.path()).expect("the folder").flatten();
    let file = |entry: fs::DirEntry| {
        let yaml = fs::read_to_string(entry.path()).expect("a pattern file");
        (entry.file_name().to_string_lossy().into_owned(), yaml)
    };
    files.filter(|entry| entry.path().is_file()).map(file).collect()
}

fn dehusk(command: &str) -> Command {
    let mut dehusk = Command::new(env!("CARGO_BIN_EXE_dehusk"));
    dehusk.arg(command);
    dehusk
}

fn sample_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/news")
}

#[test]
fn the_address_is_read_with_its_key() {
    let line = "Review at http://127.0.0.1:40123/3f9c/ (Ctrl-C ends it)";
    assert_eq!(url_in(line).as_deref(), Some("http://127.0.0.1:40123/3f9c/"));
    assert_eq!(url_in("Listening"), None);
}
