//! Writes an invented corpus of news sites, to measure with: a folder a source, a file a page.
//!
//! ```text
//! cargo run --release --example generate -- CORPUS --bytes 27M --sources 10
//! cargo run --release --example generate -- stream FOLDER --pages 2000 --redesign-at 1001
//! cargo run --release --example generate -- snapshots FOLDER --snapshots 20
//! cargo run --release --example generate -- variants CORPUS documents.jsonl --times 6
//! ```

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Parser, Subcommand};

#[path = "../benches/support/mod.rs"]
mod support;

use support::corpus::{Corpus, Extent};
use support::site::Form;
use support::size::parse_size;
use support::snapshots::Snapshots;
use support::stream::Stream;
use support::variants::Variants;

/// Writes an invented corpus: the same for the same arguments, on every machine
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    other: Option<Other>,
    /// Folder for the corpus
    #[arg(required = true)]
    output: Option<PathBuf>,
    /// How much to write in all: 27M is 27 million bytes
    #[arg(long, default_value = "27M", value_parser = parse_size)]
    bytes: u64,
    /// How many documents to write in all, whatever their size
    #[arg(long, conflicts_with = "bytes")]
    documents: Option<usize>,
    /// How many sites
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    sources: u16,
    /// What all chance comes from
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Pages with their markup (the default)
    #[arg(long)]
    html: bool,
    /// Plain text, as extractors leave it
    #[arg(long, conflicts_with = "html")]
    text: bool,
    /// How long a document is on average, roughly [default: 30K, and 5K of plain text]
    #[arg(long, value_parser = parse_size)]
    document_bytes: Option<u64>,
}

#[derive(Subcommand)]
enum Other {
    /// Write pages in the order in which they came out (pages.jsonl), and what should be kept of them (gold.jsonl)
    Stream(StreamArguments),
    /// Write a front page as it is each hour (text), and what should be kept of it (gold)
    Snapshots(SnapshotArguments),
    /// Write the texts of a corpus many times, with other words in the lines that do not recur
    Variants(VariantArguments),
}

#[derive(Args)]
struct VariantArguments {
    /// Folder with a folder of texts for each source
    corpus: PathBuf,
    /// JSONL file to write
    output: PathBuf,
    /// How many copies of each text
    #[arg(long, default_value = "6")]
    times: usize,
    /// What all chance comes from
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[derive(Args)]
struct StreamArguments {
    /// Folder for the two files
    output: PathBuf,
    /// How many pages of each site
    #[arg(long, default_value = "1000")]
    pages: usize,
    /// How many sites
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    sources: u16,
    /// From this page of each site on, all templates are others
    #[arg(long)]
    redesign_at: Option<usize>,
    /// What all chance comes from
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[derive(Args)]
struct SnapshotArguments {
    /// Folder for the folders of text and of gold text
    output: PathBuf,
    /// How many hours
    #[arg(long, default_value = "20")]
    snapshots: usize,
    /// How many teasers a page has
    #[arg(long, default_value = "20", value_parser = clap::value_parser!(u16).range(2..))]
    teasers: u16,
    /// Enter and leave each hour at least
    #[arg(long, default_value = "1")]
    least: usize,
    /// Enter and leave each hour at most
    #[arg(long, default_value = "3")]
    most: usize,
    /// What all chance comes from
    #[arg(long, default_value = "1")]
    seed: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match (&arguments.other, &arguments.output) {
        (Some(Other::Stream(arguments)), _) => write_stream(arguments),
        (Some(Other::Snapshots(arguments)), _) => write_snapshots(arguments),
        (Some(Other::Variants(arguments)), _) => write_variants(arguments),
        (None, Some(output)) => write_corpus(&arguments, output),
        (None, None) => Ok(()), // clap has refused it
    }
}

fn write_variants(arguments: &VariantArguments) -> anyhow::Result<()> {
    let &VariantArguments { ref corpus, ref output, times, seed } = arguments;
    let (documents, bytes) = Variants { seed, times }.write(corpus, output)?;
    writeln!(io::stdout(), "{documents} documents, {:.1} MB", bytes as f64 / 1e6)?;
    Ok(())
}

fn write_stream(arguments: &StreamArguments) -> anyhow::Result<()> {
    let &StreamArguments { ref output, pages, sources, redesign_at, seed } = arguments;
    fs::create_dir_all(output)?;
    let create = |name: &str| File::create(output.join(name)).map(BufWriter::new);
    let (mut lines, mut gold) = (create("pages.jsonl")?, create("gold.jsonl")?);
    Stream { seed, sources: usize::from(sources), pages, redesign_at }.write(&mut lines, &mut gold)?;
    lines.flush()?;
    gold.flush()?;
    writeln!(io::stdout(), "{pages} pages of {sources} sites")?;
    Ok(())
}

fn write_snapshots(arguments: &SnapshotArguments) -> anyhow::Result<()> {
    let &SnapshotArguments { ref output, snapshots, teasers, least, most, seed } = arguments;
    anyhow::ensure!(least <= most, "--least is more than --most");
    Snapshots { seed, snapshots, teasers: usize::from(teasers), turnover: (least, most) }.write(output)?;
    writeln!(io::stdout(), "{snapshots} snapshots")?;
    Ok(())
}

fn write_corpus(arguments: &Arguments, output: &Path) -> anyhow::Result<()> {
    let form = if arguments.text { Form::Text } else { Form::Html };
    let corpus = Corpus {
        seed: arguments.seed,
        sources: usize::from(arguments.sources),
        form,
        document_bytes: arguments.document_bytes.map_or(form.usual_bytes(), |bytes| bytes as usize),
        extent: arguments.documents.map_or(Extent::Bytes(arguments.bytes), Extent::Documents),
    };
    let start = Instant::now();
    let written = corpus.write(output)?;
    let (megabytes, seconds) = (written.bytes as f64 / 1e6, start.elapsed().as_secs_f64());
    writeln!(
        io::stdout(),
        "{} documents, {megabytes:.1} MB in {seconds:.1} s: {:.0} MB/s",
        written.documents,
        megabytes / seconds
    )?;
    Ok(())
}
