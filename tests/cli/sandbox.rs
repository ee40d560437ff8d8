//! A folder in which programs run, the texts that they read, and what they print. The program of the lab is tested with it too.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Every file below a folder: its path, with `/`, and its content.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// A working folder, deleted when dropped.
pub struct Sandbox(pub TempDir);

/// The result of running the program.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    /// Writes a file, and creates the folders above it.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        write(&self.path(relative), content.as_ref());
    }

    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Replaces text in a file, which must exist.
    pub fn edit(&self, relative: &str, from: &str, to: &str) {
        let before = self.read(relative);
        assert!(before.contains(from), "{relative} has no {from:?}:\n{before}");
        self.write(relative, before.replacen(from, to, 1));
    }

    pub fn tree(&self, relative: &str) -> Tree {
        tree(&self.path(relative))
    }

    /// Writes a source with this number of pages below `corpus`.
    pub fn write_pages(&self, source: &str, pages: std::ops::Range<usize>) {
        pages.for_each(|number| self.write(&format!("corpus/{source}/{number:05}.txt"), page(number, 3)));
    }

    /// The command for this folder. Arguments are split at white space, except inside `'...'`.
    pub fn command(&self, arguments: &str) -> std::process::Command {
        let mut command = super::program(words(arguments));
        command.current_dir(self.0.path()).env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Runs the program. It must end with this status.
    pub fn expect(&self, status: i32, arguments: &str) -> Ran {
        self.expect_in("", status, arguments)
    }

    /// The same in a folder below this one.
    pub fn expect_in(&self, folder: &str, status: i32, arguments: &str) -> Ran {
        let mut command = self.command(arguments);
        command.current_dir(self.path(folder));
        let ran = Ran::of(command);
        assert_eq!(ran.status, Some(status), "dehusk {arguments}\n{}\n{}", ran.stdout, ran.stderr);
        ran
    }
}

/// Messages about progress come after some seconds, so on a busy machine there may be some.
pub fn without_progress(stderr: &str) -> String {
    let is_progress = |line: &&str| line.contains(": ") && line.contains(" % (") && !line.contains("warning");
    stderr.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

impl Ran {
    pub fn of(command: std::process::Command) -> Ran {
        let output = assert_cmd::Command::from_std(command).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        let stderr = without_progress(&text(output.stderr));
        Ran { status: output.status.code(), stdout: text(output.stdout), stderr }
    }

    /// The number of skipped documents that stderr names or counts.
    pub fn skipped(&self) -> usize {
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix("skipped: "));
        lines
            .map(|line| line.split_once(" more for the same reason").map_or(1, |(n, _)| n.parse().expect("a number")))
            .sum()
    }

    #[track_caller]
    pub fn says(&self, part: &str) -> &Ran {
        assert!(self.stderr.contains(part), "stderr has no {part:?}:\n{}", self.stderr);
        self
    }
}

pub fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder to be in")).expect("the folder");
    fs::write(path, content).expect("the file");
}

pub fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Files for `--resume` contain times.
            if path.parent().is_some_and(|folder| folder.ends_with(".dehusk")) {
                continue;
            }
            // In a folder that is being written to, a file may be gone by now.
            let Ok(bytes) = fs::read(&path) else { continue };
            let parts = path.strip_prefix(folder).expect("it is below").iter().map(|part| part.to_string_lossy());
            tree.insert(parts.collect::<Vec<_>>().join("/"), bytes);
        }
    }
    tree
}

pub fn copy(from: &Path, to: &Path) {
    tree(from).iter().for_each(|(name, bytes)| write(&to.join(name), bytes));
}

/// Arguments as a shell would split them, if it knew nothing but white space and `'...'`.
pub fn words(arguments: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in arguments.chars() {
        match c {
            '\'' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => words.last_mut().expect("at least one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The sample corpus.
pub fn news() -> String {
    format!("'{}/corpora/news'", super::REPOSITORY)
}

pub const SHARE_LINE: &str = "Share this page on the notice board of your village hall before noon.";
pub const COPYRIGHT_LINE: &str = "Copyright The Daily Tide.";

/// A page with its own story: a masthead, the story, and three lines of template with stories between them.
pub fn page(number: usize, paragraphs: usize) -> String {
    let mut story = Story(number as u64);
    let body: Vec<String> = (0..paragraphs).map(|_| story.paragraph()).collect();
    let (middle, last) = (story.paragraph(), story.paragraph());
    format!(
        "The Daily Tide\nHome | News | Sport | Weather and tides\n\n{}\n\n{SHARE_LINE}\n\n{middle}\n\n\
         Read more stories like this one from our harbour desk, {number} so far.\n\n{last}\n\n{COPYRIGHT_LINE}\n",
        body.join("\n\n")
    )
}

/// Words in an order that no other page has.
pub struct Story(pub u64);

impl Story {
    pub fn paragraph(&mut self) -> String {
        (0..30).map(|_| self.word()).collect::<Vec<_>>().join(" ") + "."
    }

    pub fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] =
            ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wu", "sha", "tre", "pli", "gro", "fu", "dre"];
        let bits = self.next();
        (0..3).map(|place| SYLLABLES[(bits >> (4 * place)) as usize % 16]).collect()
    }

    /// SplitMix64.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 20
    }
}

/// Runs the program with this on its standard input, which has to end with this status.
pub fn expect_fed(sandbox: &Sandbox, status: i32, arguments: &str, input: impl AsRef<[u8]>) -> Ran {
    let mut command = assert_cmd::Command::from_std(sandbox.command(arguments));
    let output = command.write_stdin(input.as_ref()).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ran = Ran { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) };
    assert_eq!(ran.status, Some(status), "dehusk {arguments}\n{}\n{}", ran.stdout, ran.stderr);
    ran
}
