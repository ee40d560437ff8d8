//! Measures the memory for one document, and for mining a source, for each byte of it, in the shapes that need most; or, with a
//! limit, how much is taken at the peak: the tables in `crates/lab/results/performance.md`.
//!
//! ```text
//! cargo bench --bench memory -- --bytes 16M
//! cargo bench --bench memory -- --bytes 16M --limit 100M
//! ```

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::Parser;

use dehusk_core::random::Random;
use dehusk_corpus::{Compression, Encoder};

#[path = "../support/mod.rs"]
mod support;

use support::process::{Usage, measure_if_asked, say};
use support::size::parse_size;

/// Cleans one document of each shape, learns from it, and mines a source of it
#[derive(Parser)]
struct Arguments {
    /// How long each document is, and each source
    #[arg(long, default_value = "16M", value_parser = parse_size)]
    bytes: u64,
    /// Measure the peak with this limit, of more commands and more shapes
    #[arg(long, value_parser = parse_size)]
    limit: Option<u64>,
    /// The program [default: the one that was built with this]
    #[arg(long, default_value = env!("CARGO_BIN_EXE_dehusk"), hide_default_value = true)]
    program: PathBuf,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// A line that a pattern matches, and a paragraph. Shape is only judged if there are both.
const MATCHED: &str = "Share this page on the notice board of your village hall before noon";
const PARAGRAPH: &str = "The ferry sailed at dawn, and nobody on the pier of Hale could say when it would come back, \
    for the moon had not been seen over the bay since the storm of the week before.";

/// Number of documents of a source that is mined.
const MINED: usize = 20;

/// Makes a piece of a shape, from the number of the piece and a random generator.
type Piece = fn(usize, &mut Random) -> String;

const SHAPES: &[(&str, Piece)] = &[
    ("lines of a letter", |_, _| "a\n".to_owned()),
    ("lines of letters that change", |piece, _| format!("{}\n", letter(piece * piece))),
    ("lines of a full stop", |_, _| ".\n".to_owned()),
    ("lines of a Chinese character", |_, _| "雨\n".to_owned()),
    ("full stops", |_, _| ".".to_owned()),
    ("punctuation that changes", |piece, _| ['.', ',', ';', '(', '!'][piece * piece % 5].to_string()),
    ("letters", |_, _| "a ".to_owned()),
    ("letters that change", |_, random| format!("{} ", letter(random.below(26)))),
    ("digits", |_, _| "7 ".to_owned()),
    ("numbers that grow", |piece, _| format!("{piece} ")),
    ("dates", |piece, _| format!("{} May {}\n", piece % 28 + 1, 1900 + piece % 200)),
    ("lines that grow", |piece, _| "a ".repeat(piece % 2000) + "\n"),
    ("prefixes of a line", |piece, _| (0..piece % 400).map(|word| format!("w{word} ")).collect::<String>() + "\n"),
    ("the same line", |_, _| "Read more stories from the harbour\n".to_owned()),
    ("lines that match", |_, _| format!("{MATCHED}\n")),
    ("paragraphs", |_, _| format!("{PARAGRAPH}\n")),
    ("words by chance", |_, random| format!("{:x} ", random.below(5000))),
    ("pairs by chance", |_, random| format!("{:x} ", random.below(300))),
    ("Chinese", |_, _| "雨".to_owned()),
    ("Chinese that changes", |_, random| char::from_u32('一' as u32 + random.below(22) as u32).into_iter().collect()),
    ("addresses", |_, _| "a.b@c.d.".to_owned()),
    ("emoji", |_, _| "😀".to_owned()),
    ("long words", |piece, _| letter(piece).to_string().repeat(100_000) + " "),
    ("one word", |_, _| "a".to_owned()),
    ("blank lines", |_, _| "\n".to_owned()),
];

/// Pages, without and with a gzip that makes them short.
const PAGES: &[(&str, &str)] = &[
    ("paragraphs of a letter", "<p>a"),
    ("paragraphs of a letter, closed", "<p>a</p>"),
    ("elements that are not closed", "<div>"),
    ("cells of a letter", "<tr><td>a<td>b"),
    ("links", "<a href=x>a</a> "),
    ("references", "&amp;"),
    ("attributes", "<b a=b c=d e=f>"),
    ("scripts", "<script>if(a<b){c}</script>"),
];

/// Commands on texts, and on pages. `@` stands before the name of a file in the folder.
const OF_TEXTS: &[&str] = &[
    "clean @odd -p @odd.yaml -o @out --force",
    "mine @mined -o @patterns",
    "stream @odd -p @odd.yaml --state @state -o @out.jsonl",
];
const OF_PAGES: &[&str] = &[
    "clean @pages -p @odd.yaml -o @out --force",
    "mine @pages -o @patterns",
    "stream @pages -p @odd.yaml --state @state -o @out.jsonl",
    "extract @pages -o @out --force",
    "segment @pages -o @out.jsonl",
    "blocks @pages -o @out.jsonl",
];

fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}

fn main() -> anyhow::Result<()> {
    if measure_if_asked()? {
        return Ok(());
    }
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let patterns = format!(
        "dehusk: 1\nsource: odd\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n\
         - id: share\n  status: accepted\n  regex: '{MATCHED}'\n  example: '{MATCHED}'\n"
    );
    fs::create_dir_all(folder.path().join("odd"))?;
    fs::write(folder.path().join("odd.yaml"), patterns)?;
    fs::create_dir_all(folder.path().join("mined/odd"))?;
    let bench = Bench { arguments, folder };
    match bench.arguments.limit {
        None => bench.for_each_byte(),
        Some(limit) => bench.with_limit(limit),
    }
}

struct Bench {
    arguments: Arguments,
    folder: tempfile::TempDir,
}

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The peak memory of a command, in bytes.
    fn peak(&self, words: &str) -> anyhow::Result<u64> {
        for output in ["out", "patterns", "out.jsonl", "state"].map(|name| self.path(name)) {
            if output.is_dir() {
                fs::remove_dir_all(output)?;
            } else if output.exists() {
                fs::remove_file(output)?;
            }
        }
        let mut command = Command::new(&self.arguments.program);
        let place = |word: &str| match word.strip_prefix('@') {
            Some(name) => self.path(name).into_os_string(),
            None => word.into(),
        };
        command.args(words.split_whitespace().map(place)).args(["--quiet", "--no-config"]);
        // What there is no memory for is skipped or refused.
        let (_, peak) = Usage::of_ending_with(&command, &[0, 1, 3])?
            .of_system
            .context("the system does not tell how much memory it took")?;
        Ok(peak)
    }

    /// Writes a document of this shape, and a source of it. Returns the length of the document.
    fn write_texts(&self, piece: Piece) -> anyhow::Result<usize> {
        let bytes = self.arguments.bytes as usize;
        for document in 0..MINED {
            write(&self.path(&format!("mined/odd/{document}.txt")), bytes / MINED, document, piece)?;
        }
        write(&self.path("odd/x.txt"), bytes, 0, piece)
    }

    fn for_each_byte(&self) -> anyhow::Result<()> {
        say("| text | `clean` | `mine` | `stream` |\n|---|---|---|---|")?;
        for (name, piece) in SHAPES {
            let bytes = self.write_texts(*piece)?;
            let of =
                |words: &&str| Ok(format!("{:.0}", self.peak(&format!("{words} --threads 1"))? as f64 / bytes as f64));
            let row = OF_TEXTS.iter().map(of).collect::<anyhow::Result<Vec<String>>>()?;
            say(&format!("| {name} | {} |", row.join(" | ")))?;
        }
        Ok(())
    }

    fn with_limit(&self, limit: u64) -> anyhow::Result<()> {
        let row = |commands: &[&str]| -> anyhow::Result<String> {
            let peak = |words: &&str| Ok((self.peak(&format!("{words} --memory {limit}"))? / 1_000_000).to_string());
            Ok(commands.iter().map(peak).collect::<anyhow::Result<Vec<String>>>()?.join(" | "))
        };
        say("| text | `clean` | `mine` | `stream` |\n|---|---|---|---|")?;
        for (name, piece) in SHAPES {
            self.write_texts(*piece)?;
            say(&format!("| {name} | {} |", row(OF_TEXTS)?))?;
        }
        say(
            "\n| pages | `clean` | `mine` | `stream` | `extract` | `segment` | `blocks` |\n|---|---|---|---|---|---|---|",
        )?;
        fs::create_dir_all(self.path("pages/odd"))?;
        for (name, unit) in PAGES {
            let page = unit.repeat(self.arguments.bytes as usize / unit.len());
            for (how, page) in [("", page.clone().into_bytes()), (", in gzip", packed(page.as_bytes())?)] {
                (0..4).try_for_each(|number| fs::write(self.path(&format!("pages/odd/{number}.html")), &page))?;
                say(&format!("| {name}{how} | {} |", row(OF_PAGES)?))?;
            }
        }
        Ok(())
    }
}

/// In gzip.
fn packed(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = Encoder::new(Vec::new(), Compression::Gzip)?;
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Writes a document of at least this number of bytes. Returns its length.
fn write(path: &Path, bytes: usize, seed: usize, piece: Piece) -> anyhow::Result<usize> {
    let mut random = Random::new(1 + seed as u64);
    let mut text = format!("{MATCHED}\n{PARAGRAPH}\n");
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&piece(number, &mut random));
    }
    fs::write(path, &text)?;
    Ok(text.len())
}
