//! The working folder of a recipe: a new folder with the sample corpora, in which `dehusk` is the program under test.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::document::{Block, Recipe};
use super::tools;

/// A working folder, deleted when dropped.
pub struct Kitchen {
    folder: TempDir,
    path: OsString,
}

impl Kitchen {
    /// A folder for a recipe. `None` if one of its tools is missing.
    pub fn with_tools(recipe: &Recipe) -> Option<Kitchen> {
        let path = tools::path();
        if let Err(missing) = tools::look_for(&recipe.needs, &path) {
            tools::tell(&recipe.name, &missing);
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        link_corpora(&folder.path().join("corpora"));
        Some(Kitchen { folder, path })
    }

    /// Runs blocks, in order.
    pub fn run(&self, blocks: &[Block]) {
        let mut printed = String::new();
        for Block { language, name, text } in blocks {
            match (language.as_str(), name) {
                ("sh", None) => printed = self.bash(text),
                ("text", None) => {
                    assert!(fits(text, &printed), "this was printed:\n{printed}--- instead of\n{text}---")
                }
                ("python" | "json", Some(name)) => self.write(name, text),
                ("toml", None) | ("rust", Some(_)) => {}
                _ => panic!("no block is '{language} {}'", name.as_deref().unwrap_or_default()),
            }
        }
    }

    /// Runs a script of the recipe that is not in the document, if there is one.
    pub fn run_script(&self, recipe: &Recipe, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recipes").join(&recipe.name);
        if let Ok(script) = fs::read_to_string(folder.join(name)) {
            self.bash(&script);
        }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("the file");
    }

    /// Runs a script, which must succeed. Returns what it prints.
    pub fn bash(&self, script: &str) -> String {
        let mut bash = Command::new("bash");
        bash.args(["-eux", "-o", "pipefail", "-c", script]).current_dir(self.folder.path()).env("PATH", &self.path);
        // The folder for files that libraries download.
        bash.env("HOME", self.folder.path()).env("HF_HUB_OFFLINE", "1");
        let output = bash.output().expect("bash starts");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{script}\n--- ended with {}:\n{stdout}\n{stderr}", output.status);
        stdout
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("output is UTF-8")
}

fn link_corpora(link: &PathBuf) {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    #[cfg(unix)]
    std::os::unix::fs::symlink(corpora, link).expect("a link");
    #[cfg(windows)]
    std::os::windows::fs::symlink_dir(corpora, link).expect("a link");
}

/// `[..]` is any text within a line.
fn fits(expected: &str, actual: &str) -> bool {
    let pattern = regex::escape(expected).replace(r"\[\.\.\]", r"[^\n]*");
    regex::Regex::new(&format!(r"\A{pattern}\z")).expect("a regex").is_match(actual)
}

#[test]
fn placeholders_stand_for_text_within_a_line() {
    assert!(fits("a [..] c\n", "a b c\n") && !fits("a [..] c\n", "a b\n c\n") && !fits("a.c\n", "abc\n"));
}
