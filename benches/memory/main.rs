//! Measures the memory for one document, and for mining a source, for each byte of it, in the shapes that need most:
//! the tables in `docs/performance.md`.
//!
//! ```text
//! cargo bench --bench memory -- --bytes 16M
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::Parser;

use dehusk::random::Random;

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
    say("| text | `clean` | `stream` | `mine` |\n|---|---|---|---|")?;
    for (name, piece) in SHAPES {
        let bytes = write(&folder.path().join("odd/x.txt"), arguments.bytes as usize, 0, *piece)?;
        let take = |words: &str| -> anyhow::Result<String> {
            let mut command = Command::new(&arguments.program);
            let place = |word: &str| match word.strip_prefix('@') {
                Some(name) => folder.path().join(name).into_os_string(),
                None => word.into(),
            };
            command.args(words.split_whitespace().map(place));
            let (_, peak) =
                Usage::of(&command)?.of_system.context("the system does not tell how much memory it took")?;
            Ok(format!("{:.0}", peak as f64 / bytes as f64))
        };
        let clean = take("clean @odd -p @odd.yaml -o @out --quiet --threads 1")?;
        let stream = take("stream @odd -p @odd.yaml --state @state -o @out.jsonl --quiet --threads 1")?;
        fs::remove_file(folder.path().join("state"))?;
        fs::remove_file(folder.path().join("out.jsonl"))?;
        for document in 0..MINED {
            let part = arguments.bytes as usize / MINED;
            write(&folder.path().join(format!("mined/odd/{document}.txt")), part, document, *piece)?;
        }
        let mine = take("mine @mined -o @patterns --quiet --threads 1")?;
        fs::remove_dir_all(folder.path().join("patterns"))?;
        say(&format!("| {name} | {clean} | {stream} | {mine} |"))?;
    }
    Ok(())
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
