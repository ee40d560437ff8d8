//! Kills `dehusk stream` at random moments, starts it again until it is done, and compares what comes of it with an
//! undisturbed run: the output, byte for byte, and all that the state knows.
//!
//! ```text
//! cargo bench --bench stream_kills -- --rounds 50
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;

use dehusk::corpus::SourceId;
use dehusk::evaluation::random::Random;
use dehusk::streaming::state::{ListedSegment, State};
use dehusk::streaming::table::Progress;

#[path = "../support/mod.rs"]
mod support;

use support::corpus::{Corpus, Extent};
use support::process::{kill_after, output_of, say};
use support::site::{Form, Site};

/// Kills `dehusk stream` again and again, and sees whether it ends as if nobody had
#[derive(Parser)]
struct Arguments {
    /// How often all documents are streamed from the beginning
    #[arg(long, default_value = "5")]
    rounds: usize,
    /// How often it is killed in a round at most
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u16).range(1..))]
    kills: u16,
    /// How many documents there are
    #[arg(long, default_value = "5000")]
    documents: usize,
    /// How many sources they are of
    #[arg(long, default_value = "7", value_parser = clap::value_parser!(u16).range(1..))]
    sources: u16,
    /// How many documents are in a file
    #[arg(long, default_value = "100", value_parser = clap::value_parser!(u16).range(1..))]
    file: u16,
    /// How many segments are remembered of a source
    #[arg(long, default_value = "2000")]
    max_table: usize,
    /// What all chance comes from
    #[arg(long, default_value = "1")]
    seed: u64,
    /// The program [default: the one that was built with this]
    #[arg(long, default_value = env!("CARGO_BIN_EXE_dehusk"), hide_default_value = true)]
    program: PathBuf,
    /// What cargo says to all benches
    #[arg(long, hide = true)]
    bench: bool,
}

/// What came of a round.
#[derive(Debug, Default)]
struct Round {
    /// How often it was killed at work; it may have been done by then.
    killed: usize,
    /// How many bytes of output were there after each kill.
    bytes: Vec<u64>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if !arguments.bench {
        return Ok(()); // run as a test: there is nothing to check
    }
    let scratch = tempfile::tempdir()?;
    write_input(&scratch.path().join("input"), &arguments)?;
    let place = Place { arguments: &arguments, folder: scratch.path() };
    let start = Instant::now();
    output_of(place.command("undisturbed"))?;
    let time = start.elapsed();
    let (documents, seconds) = (arguments.documents, time.as_secs_f64());
    say(&format!("undisturbed: {documents} documents of {} sources in {seconds:.2} s", arguments.sources))?;
    let mut killed = 0;
    for number in 1..=arguments.rounds {
        let mut random = Random::along(arguments.seed, &[number as u64]);
        let kills = random.between(1, usize::from(arguments.kills));
        let round = place.round(time, kills, &mut random)?;
        say(&format!("round {number}: {round:?}"))?;
        killed += round.killed;
    }
    say(&format!("{} rounds, killed {killed} times at work, no difference", arguments.rounds))
}

/// Files of lines, in which the documents of all sources come by turns.
fn write_input(folder: &Path, arguments: &Arguments) -> io::Result<()> {
    let (form, extent) = (Form::Html, Extent::Documents(arguments.documents));
    let sources = usize::from(arguments.sources);
    let corpus = Corpus { seed: arguments.seed, sources, form, document_bytes: form.usual_bytes(), extent };
    let sites: Vec<Site> = corpus.sites().collect();
    let mut pages: Vec<_> = sites.iter().map(|site| corpus.pages(site)).collect();
    let turns = (0..arguments.documents).filter_map(|number| Some((number, pages[number % sources].next()?)));
    let lines: Vec<String> = turns
        .map(|(number, page)| {
            serde_json::json!({"id": number, "source": sites[number % sources].name(), "html": page}).to_string()
        })
        .collect();
    fs::create_dir_all(folder)?;
    for (number, lines) in lines.chunks(usize::from(arguments.file)).enumerate() {
        let mut file = BufWriter::new(File::create(folder.join(format!("{number:06}.jsonl")))?);
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        file.flush()?;
    }
    Ok(())
}

/// All that is known of a source.
type Known = (SourceId, Progress, Vec<ListedSegment>);

/// The folder that the program works in.
struct Place<'a> {
    arguments: &'a Arguments,
    folder: &'a Path,
}

impl Place<'_> {
    /// Kills the program so many times, lets it end, and compares.
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
        let mut command = Command::new(&self.arguments.program);
        command.current_dir(self.folder).args(["stream", "input", "--quiet", "--state"]).arg(self.state(name));
        command.arg("--out").arg(self.output(name)).args(["--max-segments", &self.arguments.max_table.to_string()]);
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
