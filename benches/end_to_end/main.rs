//! Times the whole program over invented corpora, and says how time and memory grow with size.
//!
//! ```text
//! cargo bench --bench end_to_end -- --sizes 27M,55M,110M,220M,440M --sources 1,10,100 --runs 3
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Parser, ValueEnum};

#[path = "../support/mod.rs"]
mod support;
mod table;

use support::corpus::{Corpus, Extent};
use support::process::{self, Usage};
use support::site::Form;
use support::size::parse_size;
use table::{Row, Table};

/// Times `dehusk mine`, `clean` and `run` as whole processes
#[derive(Parser)]
struct Arguments {
    /// How large the corpora are, in bytes
    #[arg(long, value_delimiter = ',', default_value = "27M,55M", value_parser = parse_size)]
    sizes: Vec<u64>,
    /// Of how many sources they are
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    sources: Vec<u16>,
    /// How often each command runs; the median counts
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// What documents are, and what is cleaned of them
    #[arg(long, value_enum, default_value_t = Input::Html)]
    input: Input,
    /// What is measured
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Task::Mine, Task::Clean, Task::Run])]
    tasks: Vec<Task>,
    /// How many threads work [default: all cores]
    #[arg(long)]
    threads: Option<u16>,
    /// The program [default: the one that was built with this]
    #[arg(long, default_value = env!("CARGO_BIN_EXE_dehusk"), hide_default_value = true)]
    program: PathBuf,
    /// What cargo says to all benches
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Input {
    /// Pages, of which the visible text is read
    Html,
    /// Plain text
    Text,
    /// Pages, read with their markup
    Markup,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Task {
    Mine,
    Clean,
    Run,
}

impl Task {
    /// The subcommand.
    fn name(self) -> &'static str {
        match self {
            Task::Mine => "mine",
            Task::Clean => "clean",
            Task::Run => "run",
        }
    }
}

fn main() -> anyhow::Result<()> {
    if process::measure_if_asked()? {
        return Ok(());
    }
    let mut arguments = Arguments::parse();
    if !arguments.bench {
        return Ok(()); // In a test run, there is nothing to check.
    }
    arguments.tasks.sort_unstable(); // Mining comes first, because its patterns are needed for cleaning.
    arguments.tasks.dedup();
    for &sources in &arguments.sources {
        let mut tables = vec![Table::default(); arguments.tasks.len()];
        for &size in &arguments.sizes {
            measure(&arguments, usize::from(sources), size, &mut tables)?;
        }
        for (task, table) in arguments.tasks.iter().zip(tables) {
            let plural = if sources == 1 { "" } else { "s" };
            table.write(&mut io::stdout(), &format!("`dehusk {}`, {sources} source{plural}", task.name()))?;
        }
    }
    Ok(())
}

/// Adds a row to each table.
fn measure(arguments: &Arguments, sources: usize, size: u64, tables: &mut [Table]) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let form = if arguments.input == Input::Text { Form::Text } else { Form::Html };
    let (seed, document_bytes) = (1, form.usual_bytes());
    let corpus = Corpus { seed, sources, form, document_bytes, extent: Extent::Bytes(size) };
    let written = corpus.write(&scratch.path().join("corpus"))?;
    let bench = Bench { arguments, scratch: scratch.path() };
    if arguments.tasks.contains(&Task::Clean) && !arguments.tasks.contains(&Task::Mine) {
        bench.usage(Task::Mine)?; // The patterns for cleaning.
    }
    for (&task, table) in arguments.tasks.iter().zip(tables) {
        let usages = (0..arguments.runs).map(|_| bench.usage(task)).collect::<anyhow::Result<Vec<Usage>>>()?;
        writeln!(io::stderr(), "{} of {} bytes, {sources} source(s): {usages:?}", task.name(), written.bytes)?;
        table.rows.push(Row::of(written, &usages));
    }
    Ok(())
}

/// The paths of a corpus and of its results.
struct Bench<'a> {
    arguments: &'a Arguments,
    scratch: &'a Path,
}

impl Bench<'_> {
    /// Runs a command in a process that only waits for it.
    fn usage(&self, task: Task) -> anyhow::Result<Usage> {
        let [corpus, patterns, output] = ["corpus", "patterns", "output"].map(|name| self.scratch.join(name));
        let folder = if task == Task::Mine { &patterns } else { &output };
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        let mut command = Command::new(&self.arguments.program);
        command.arg(task.name());
        command.arg(corpus).arg("-o").arg(folder).arg("--quiet");
        if task == Task::Clean {
            command.arg("--patterns").arg(patterns);
        }
        if self.arguments.input == Input::Markup {
            command.args(["--html", "markup"]);
        }
        if let Some(threads) = self.arguments.threads {
            command.arg("--threads").arg(threads.to_string());
        }
        Ok(Usage::of(&command)?)
    }
}
