//! Writes an invented corpus of news sites, to measure with: a folder a source, a file a page.
//!
//! ```text
//! cargo run --release --example generate -- CORPUS --bytes 27M --sources 10
//! ```

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;

#[path = "../benches/support/mod.rs"]
mod support;

use support::corpus::{Corpus, Extent};
use support::site::Form;
use support::size::parse_size;

/// Writes an invented corpus: the same for the same arguments, on every machine
#[derive(Parser)]
struct Arguments {
    /// Folder for the corpus
    output: PathBuf,
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

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let form = if arguments.text { Form::Text } else { Form::Html };
    let corpus = Corpus {
        seed: arguments.seed,
        sources: usize::from(arguments.sources),
        form,
        document_bytes: arguments.document_bytes.map_or(form.usual_bytes(), |bytes| bytes as usize),
        extent: arguments.documents.map_or(Extent::Bytes(arguments.bytes), Extent::Documents),
    };
    let start = Instant::now();
    let written = corpus.write(&arguments.output)?;
    let (megabytes, seconds) = (written.bytes as f64 / 1e6, start.elapsed().as_secs_f64());
    writeln!(
        io::stdout(),
        "{} documents, {megabytes:.1} MB in {seconds:.1} s: {:.0} MB/s",
        written.documents,
        megabytes / seconds
    )?;
    Ok(())
}
