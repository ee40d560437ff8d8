//! Kills `dehusk clean`, which continues with `--resume`. Every written file, the report and the summary are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};

use dehusk_core::random::Random;

use super::{Effort, KILLS, input, kill_after, output_of};

/// The result of a round.
#[derive(Debug, Default)]
struct Round {
    /// Number of kills while it was running. It may also have finished before.
    killed: usize,
    /// Number of files after each kill.
    files: Vec<usize>,
    /// The time of all its runs together, and of the last one, which finished.
    time: Duration,
    last: Duration,
}

#[test]
fn cleaning_that_is_killed_and_resumed_ends_as_if_nobody_had() -> anyhow::Result<()> {
    let Effort { rounds, documents } = Effort::asked_for(500, 20_000)?;
    let scratch = tempfile::tempdir()?;
    input::write(&scratch.path().join("corpus"), documents)?;
    let place = Place { folder: scratch.path() };
    output_of(place.command(&["mine", "corpus", "-o", "patterns", "--quiet"]))?;
    let undisturbed = place.clean("undisturbed", false)?;
    let (files, time) = (place.files("undisturbed")?.len(), undisturbed.time.as_secs_f64());
    eprintln!("undisturbed: {files} files of {documents} documents in {time:.2} s");
    let mut all = Round::default();
    for number in 1..=rounds {
        let mut random = Random::along(1, &[number]);
        let round = place.round(&undisturbed, random.between(1, KILLS), &mut random)?;
        eprintln!("round {number}: {round:.2?}");
        all.killed += round.killed;
        all.time += round.time;
    }
    let mean = all.time.as_secs_f64() / rounds.max(1) as f64;
    eprintln!("{rounds} rounds, killed {} times at work, no difference; {mean:.2} s a round on average", all.killed);
    Ok(())
}

/// The working folder of the program.
struct Place<'a> {
    folder: &'a Path,
}

/// The result of a run that finished.
struct Ended {
    time: Duration,
    /// What it printed, without times.
    summary: serde_json::Value,
}

impl Place<'_> {
    /// Kills the program this number of times, lets it finish, and compares.
    fn round(&self, undisturbed: &Ended, kills: usize, random: &mut Random) -> anyhow::Result<Round> {
        let mut round = Round::default();
        let start = Instant::now();
        for _ in 0..kills {
            let moment = undisturbed.time.mul_f64(random.unit());
            round.killed += usize::from(kill_after(self.cleaning("out", true), moment)?);
            round.files.push(self.files("out")?.len());
        }
        let ended = self.clean("out", true)?;
        (round.time, round.last) = (start.elapsed(), ended.time);
        self.compare(undisturbed, &ended)?;
        fs::remove_dir_all(self.folder.join("out"))?;
        fs::remove_file(self.folder.join("out.jsonl"))?;
        Ok(round)
    }

    fn clean(&self, output: &str, resume: bool) -> anyhow::Result<Ended> {
        let start = Instant::now();
        let printed = output_of(self.cleaning(output, resume))?;
        let time = start.elapsed();
        let mut summary: serde_json::Value = serde_json::from_slice(&printed)?;
        ["seconds", "wrote"].iter().for_each(|key| drop(summary[*key].take()));
        Ok(Ended { time, summary })
    }

    fn cleaning(&self, output: &str, resume: bool) -> Command {
        let report = format!("{output}.jsonl");
        let arguments = ["clean", "corpus", "-p", "patterns", "-o", output, "--report", &report, "--json"];
        let mut command = self.command(&arguments);
        if resume {
            command.arg("--resume");
        }
        command
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
        command.current_dir(self.folder).args(arguments).stdin(Stdio::null());
        command
    }

    fn compare(&self, undisturbed: &Ended, ended: &Ended) -> anyhow::Result<()> {
        let (expected, files) = (self.files("undisturbed")?, self.files("out")?);
        ensure!(expected == files, "there are {} files instead of {}", files.len(), expected.len());
        for file in &files {
            self.compare_files(&Path::new("undisturbed").join(file), &Path::new("out").join(file))?;
        }
        self.compare_files("undisturbed.jsonl".as_ref(), "out.jsonl".as_ref())?;
        ensure!(undisturbed.summary == ended.summary, "the summary is {}", ended.summary);
        let left = [".", "out/.dehusk"].map(|folder| self.temporary(folder));
        left.into_iter().try_for_each(|left| match left? {
            Some(name) => bail!("{name} is left"),
            None => Ok(()),
        })
    }

    fn compare_files(&self, expected: &Path, file: &Path) -> anyhow::Result<()> {
        let is_same = fs::read(self.folder.join(expected))? == fs::read(self.folder.join(file))?;
        ensure!(is_same, "{file:?} is not {expected:?}");
        Ok(())
    }

    /// The name of a temporary file or folder that a run left directly in this folder, if there is one.
    fn temporary(&self, folder: &str) -> anyhow::Result<Option<String>> {
        for entry in fs::read_dir(self.folder.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("run-") || name.starts_with(".dehusk-") {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// All files below a folder that are not hidden, sorted.
    fn files(&self, folder: &str) -> anyhow::Result<Vec<PathBuf>> {
        let root = self.folder.join(folder);
        let (mut files, mut folders) = (Vec::new(), vec![root.clone()]);
        while let Some(inner) = folders.pop() {
            // It was killed before it created the folder.
            let Ok(entries) = fs::read_dir(&inner) else { continue };
            for entry in entries {
                let path = entry?.path();
                match path.is_dir() {
                    true if path.ends_with(".dehusk") => {}
                    true => folders.push(path),
                    false => files.push(path.strip_prefix(&root)?.to_owned()),
                }
            }
        }
        files.sort();
        Ok(files)
    }
}
