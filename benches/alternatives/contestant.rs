//! What is compared, each as a command that cleans a folder of texts into another.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

/// One way to clean.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Contestant {
    EachRegex,
    RegexSet,
    PythonRegexes,
    PythonLines,
    Union,
    Default,
}

impl Contestant {
    pub fn name(self) -> &'static str {
        match self {
            Contestant::EachRegex => "a loop over `regex::Regex`",
            Contestant::RegexSet => "`RegexSet`, then a loop",
            Contestant::PythonRegexes => "a loop over Python's `re`",
            Contestant::PythonLines => "lines that recur, in Python",
            Contestant::Union => "`dehusk clean --method union`",
            Contestant::Default => "`dehusk clean`",
        }
    }

    /// Whether it runs the regexes unchanged. Then it must remove the same as other contestants of this kind.
    pub fn runs_regexes(self) -> bool {
        matches!(self, Contestant::EachRegex | Contestant::RegexSet | Contestant::PythonRegexes)
    }

    pub fn is_python(self) -> bool {
        matches!(self, Contestant::PythonRegexes | Contestant::PythonLines)
    }
}

/// The input of contestants.
pub struct Tools<'a> {
    pub dehusk: &'a Path,
    /// A folder with a pattern file.
    pub patterns: PathBuf,
    /// Its regexes as a JSON list.
    pub regexes: PathBuf,
    pub source: String,
    /// The minimum number of documents with a line, for the line to be dropped.
    pub many: usize,
}

impl Tools<'_> {
    /// The command that cleans a corpus, which is a folder with the folder of the source.
    pub fn command(&self, contestant: Contestant, corpus: &Path, output: &Path) -> anyhow::Result<Command> {
        let [from, to] = [corpus, output].map(|folder| folder.join(&self.source));
        let script = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/alternatives").join(name);
        let mut command = match contestant {
            Contestant::EachRegex | Contestant::RegexSet => Command::new(std::env::current_exe()?),
            Contestant::PythonRegexes | Contestant::PythonLines => Command::new("python3"),
            Contestant::Union | Contestant::Default => Command::new(self.dehusk),
        };
        match contestant {
            Contestant::EachRegex => command.args(["clean", "each"]).args([&self.regexes, &from, &to]),
            Contestant::RegexSet => command.args(["clean", "set"]).args([&self.regexes, &from, &to]),
            Contestant::PythonRegexes => command.arg(script("regexes.py")).args([&self.regexes, &from, &to]),
            Contestant::PythonLines => command.arg(script("lines.py")).arg(self.many.to_string()).args([&from, &to]),
            Contestant::Union => self.dehusk_clean(&mut command, corpus, output).args(["--method", "union"]),
            Contestant::Default => self.dehusk_clean(&mut command, corpus, output),
        };
        Ok(command)
    }

    fn dehusk_clean<'c>(&self, command: &'c mut Command, corpus: &Path, output: &Path) -> &'c mut Command {
        command.arg("clean").arg(corpus).arg("-o").arg(output).arg("--patterns").arg(&self.patterns);
        command.args(["--threads", "1", "--quiet"])
    }
}
