//! Times dehusk and what one could use instead, on the same texts of an invented site.
//!
//! ```text
//! cargo bench --bench alternatives -- --sites 1,90 --bytes 20M --regex-bytes 2M --runs 3
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};

mod contestant;
mod patterns;
mod regexes;
#[path = "../support/mod.rs"]
mod support;
mod texts;

use contestant::{Contestant, Tools};
use regexes::Search;
use support::corpus::{Corpus, Extent};
use support::process::{self, Usage};
use support::site::Form;
use support::size::parse_size;
use texts::{Texts, removed_share};

/// Times dehusk, regexes by other means, and lines that recur, each in a process of one thread
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
    /// Of how many sites the patterns are, which are all looked for in the texts of the first
    #[arg(long, value_delimiter = ',', default_value = "1,90", value_parser = clap::value_parser!(u16).range(1..))]
    sites: Vec<u16>,
    /// How much text the first site has
    #[arg(long, default_value = "20M", value_parser = parse_size)]
    bytes: u64,
    /// How much of it is cleaned by those that run the regexes
    #[arg(long, default_value = "2M", value_parser = parse_size)]
    regex_bytes: u64,
    /// Which of them run [default: all]
    #[arg(long, value_delimiter = ',', value_enum, hide_default_value = true, default_values_t = Contestant::value_variants().to_vec())]
    only: Vec<Contestant>,
    /// How often each runs; the median counts
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The program [default: the one that was built with this]
    #[arg(long, default_value = env!("CARGO_BIN_EXE_dehusk"), hide_default_value = true)]
    program: PathBuf,
    /// What cargo says to all benches
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Cleans a folder with the `regex` crate: what this program starts itself for
    #[command(hide = true)]
    Clean { search: Search, regexes: PathBuf, from: PathBuf, to: PathBuf },
}

/// The amount of text of each of the other sites.
const BYTES_OF_OTHERS: u64 = 200_000;
/// The minimum share of documents with a line, for the line to recur, as in mining.
const RECURS_IN_ONE_IN: usize = 20;

fn main() -> anyhow::Result<()> {
    if process::measure_if_asked()? {
        return Ok(());
    }
    let arguments = Arguments::parse();
    if let Some(Task::Clean { search, regexes, from, to }) = &arguments.task {
        return regexes::clean_folder(*search, regexes, from, to);
    }
    if !arguments.bench {
        return Ok(()); // In a test run, this would take too long.
    }
    let has_python = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_python {
        writeln!(io::stderr(), "there is no python3 here: what it would run is left out")?;
    }
    for &sites in &arguments.sites {
        let scratch = tempfile::tempdir()?;
        let bench = Bench::prepare(&arguments, usize::from(sites), scratch.path())?;
        let contestants = arguments.only.iter().copied();
        bench.compare(contestants.filter(|contestant| has_python || !contestant.is_python()))?;
    }
    Ok(())
}

/// What all contestants work on.
struct Bench<'a> {
    arguments: &'a Arguments,
    tools: Tools<'a>,
    /// The description for the table.
    title: String,
    all: Texts,
    /// The first of all texts, for contestants that run the regexes.
    few: Texts,
    /// A single text. Cleaning it takes little more time than starting the program.
    one: Texts,
    output: PathBuf,
}

impl Bench<'_> {
    /// Writes the texts and mines the patterns of this number of sites.
    fn prepare<'a>(arguments: &'a Arguments, sites: usize, scratch: &Path) -> anyhow::Result<Bench<'a>> {
        let site = Corpus::of_bytes(Form::Text, arguments.bytes);
        let source = site.sites().next().context("no site")?.name();
        let write = |extent, folder: &str| Texts::write(&Corpus { extent, ..site }, scratch.join(folder));
        let all = write(site.extent, "all")?;
        let few = write(Extent::Bytes(arguments.regex_bytes.min(arguments.bytes)), "few")?;
        let one = write(Extent::Documents(1), "one")?;

        let [mined, mined_patterns, patterns] = ["mined", "mined-patterns", "patterns"].map(|name| scratch.join(name));
        Corpus { sources: sites, extent: Extent::Bytes(BYTES_OF_OTHERS * sites as u64), ..site }.write(&mined)?;
        site.write(&mined)?; // All texts of the first site.
        let mut mine = Command::new(&arguments.program);
        Usage::of(mine.arg("mine").arg(mined).arg("-o").arg(&mined_patterns).arg("--quiet"))?;
        let file = patterns::joined(&mined_patterns, &source)?;
        let regexes: Vec<&str> = file.patterns.iter().map(|pattern| pattern.regex.as_str()).collect();
        let regexes_file = scratch.join("regexes.json");
        fs::write(&regexes_file, serde_json::to_vec(&regexes)?)?;
        fs::create_dir(&patterns)?;
        fs::write(patterns.join(format!("{source}.yaml")), file.to_yaml())?;

        let plural = if sites == 1 { "" } else { "s" };
        let title = format!("{} patterns, of {sites} site{plural}", regexes.len());
        let many = (all.written.documents / RECURS_IN_ONE_IN).max(2);
        let tools = Tools { dehusk: &arguments.program, patterns, regexes: regexes_file, source, many };
        Ok(Bench { arguments, tools, title, all, few, one, output: scratch.join("output") })
    }

    /// Writes a table.
    fn compare(&self, contestants: impl Iterator<Item = Contestant>) -> anyhow::Result<()> {
        let mut out = io::stdout();
        writeln!(out, "{}:\n", self.title)?;
        writeln!(out, "| | MB | start s | s | MB/s | peak MB | removed |\n|---|---|---|---|---|---|---|")?;
        let before = self.few.read(&self.few.corpus, &self.tools.source)?;
        let mut by_regexes: Option<Vec<String>> = None;
        for contestant in contestants {
            let texts = if contestant.runs_regexes() { &self.few } else { &self.all };
            let start = self.usage(contestant, &self.one)?;
            let whole = self.usage(contestant, texts)?;
            let cleaned = self.few.read(&self.output, &self.tools.source)?; // These are among all texts.
            let [start_seconds, seconds] = [start, whole].map(|usage| usage.time.as_secs_f64());
            writeln!(
                out,
                "| {} | {:.1} | {start_seconds:.2} | {seconds:.2} | {:.2} | {} | {:.1} % |",
                contestant.name(),
                texts.megabytes(),
                (texts.megabytes() - self.one.megabytes()) / (seconds - start_seconds),
                whole.of_system.map_or("".into(), |(_, peak)| format!("{:.0}", peak as f64 / 1e6)),
                100.0 * removed_share(&before, &cleaned),
            )?;
            if contestant.runs_regexes() {
                let is_same = *by_regexes.get_or_insert_with(|| cleaned.clone()) == cleaned;
                assert!(is_same, "{} removes something else than the first", contestant.name());
            }
        }
        Ok(writeln!(out)?)
    }

    /// Cleans the texts. Returns the median of all runs.
    fn usage(&self, contestant: Contestant, texts: &Texts) -> anyhow::Result<Usage> {
        let mut usages = Vec::new();
        for _ in 0..self.arguments.runs {
            if self.output.exists() {
                fs::remove_dir_all(&self.output)?;
            }
            usages.push(Usage::of(&self.tools.command(contestant, &texts.corpus, &self.output)?)?);
        }
        usages.sort_by_key(|usage| usage.time);
        Ok(usages[usages.len() / 2])
    }
}
