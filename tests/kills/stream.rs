//! Kills `dehusk stream` and starts it again until it has finished. The output is compared byte for byte, and
//! everything in the state.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use dehusk_core::random::Random;
use dehusk_core::streaming::table::Progress;
use dehusk_corpus::SourceId;
use dehusk_run::state::{ListedSegment, State};

use super::support::corpus::{Corpus, Extent};
use super::support::site::{Form, Site};
use super::{Effort, KILLS, kill_after, output_of};

/// Number of sources.
const SOURCES: usize = 7;
/// Number of files.
const FILES: usize = 50;
/// Maximum number of segments of a source that are remembered.
const MAX_SEGMENTS: &str = "2000";

/// The result of a round.
#[derive(Debug, Default)]
struct Round {
    /// Number of kills while it was running. It may also have finished before.
    killed: usize,
    /// Number of bytes of output after each kill.
    bytes: Vec<u64>,
}

#[test]
fn a_stream_that_is_killed_and_started_again_ends_as_if_nobody_had() -> anyhow::Result<()> {
    let Effort { rounds, documents } = Effort::asked_for(150, 5000)?;
    let scratch = tempfile::tempdir()?;
    write_input(&scratch.path().join("input"), documents)?;
    let place = Place { folder: scratch.path() };
    let start = Instant::now();
    output_of(place.command("undisturbed"))?;
    let time = start.elapsed();
    eprintln!("undisturbed: {documents} documents of {SOURCES} sources in {:.2} s", time.as_secs_f64());
    let mut killed = 0;
    for number in 1..=rounds {
        let mut random = Random::along(1, &[number]);
        let round = place.round(time, random.between(1, KILLS), &mut random)?;
        eprintln!("round {number}: {round:?}");
        killed += round.killed;
    }
    eprintln!("{rounds} rounds, killed {killed} times at work, no difference");
    Ok(())
}

/// Writes files of lines. The documents of the sources alternate.
fn write_input(folder: &Path, documents: usize) -> io::Result<()> {
    let (form, extent) = (Form::Html, Extent::Documents(documents));
    let corpus = Corpus { seed: 1, sources: SOURCES, form, document_bytes: form.usual_bytes(), extent };
    let sites: Vec<Site> = corpus.sites().collect();
    let mut pages: Vec<_> = sites.iter().map(|site| corpus.pages(site)).collect();
    let turns = (0..documents).filter_map(|number| Some((number, pages[number % SOURCES].next()?)));
    let lines: Vec<String> = turns
        .map(|(number, page)| {
            serde_json::json!({"id": number, "source": sites[number % SOURCES].name(), "html": page}).to_string()
        })
        .collect();
    fs::create_dir_all(folder)?;
    for (number, lines) in lines.chunks(documents.div_ceil(FILES)).enumerate() {
        let mut file = BufWriter::new(File::create(folder.join(format!("{number:06}.jsonl")))?);
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        file.flush()?;
    }
    Ok(())
}

/// Everything that is known of a source.
type Known = (SourceId, Progress, Vec<ListedSegment>);

/// The working folder of the program.
struct Place<'a> {
    folder: &'a Path,
}

impl Place<'_> {
    /// Kills the program this number of times, lets it finish, and compares.
    fn round(&self, time: Duration, kills: usize, random: &mut Random) -> anyhow::Result<Round> {
        let mut round = Round::default();
        for _ in 0..kills {
            round.killed += usize::from(kill_after(self.command("out"), time.mul_f64(random.unit()))?);
            round.bytes.push(fs::metadata(self.output("out")).map_or(0, |found| found.len()));
        }
        output_of(self.command("out"))?;
        let is_same = fs::read(self.output("undisturbed"))? == fs::read(self.output("out"))?;
        ensure!(is_same, "the output is another");
        ensure!(self.known("undisturbed")? == self.known("out")?, "what was learned is something else");
        fs::remove_file(self.state("out"))?;
        fs::remove_file(self.output("out"))?;
        Ok(round)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
        command.current_dir(self.folder).args(["stream", "input", "--quiet", "--state"]).arg(self.state(name));
        command.arg("--output").arg(self.output(name)).args(["--max-segments", MAX_SEGMENTS]);
        command.stdin(Stdio::null());
        command
    }

    fn state(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.state"))
    }

    fn output(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.jsonl"))
    }

    fn known(&self, name: &str) -> anyhow::Result<Vec<Known>> {
        let state = State::open(&self.state(name))?;
        let known = |source: SourceId| {
            let segments = state.segments(&source)?.context("it has a table")?;
            let progress = state.table(&source)?.progress().clone();
            Ok((source, progress, segments.collect::<Result<_, _>>()?))
        };
        state.sources()?.into_iter().map(known).collect()
    }
}
