//! Times others on the same files as dehusk, with one thread: how fast could it be at most, and how fast is what does
//! the same.
//!
//! ```text
//! cargo run --release --manifest-path benches/bounds/Cargo.toml -- pages PAGES     # folders of HTML files
//! cargo run --release --manifest-path benches/bounds/Cargo.toml -- texts TEXTS     # a folder of texts for each source
//! ```
//!
//! Prints a row of a table for each: MB/s of processor time, where MB are millions of bytes of the files.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::{fs, io};

use anyhow::{Context, bail};
use cpu_time::ProcessTime;
use libsais::SuffixArrayConstruction;
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of runs. The fastest one counts.
const RUNS: usize = 3;
/// A line is dropped if it is in this part of the documents of its source, and in 2 of them at least.
const RECURS_IN_ONE_IN: usize = 20;

/// The texts of each source.
type Sources = BTreeMap<String, Vec<String>>;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, folder] = &arguments[..] else { bail!("usage: bounds pages|texts FOLDER") };
    let mut sources = Sources::new();
    read(Path::new(folder), folder, &mut sources).with_context(|| format!("cannot read {folder}"))?;
    if sources.is_empty() {
        bail!("{folder}: there is no file");
    }
    match task.as_str() {
        "pages" => pages(&sources),
        "texts" => texts(&sources),
        _ => bail!("usage: bounds pages|texts FOLDER"),
    }
    Ok(())
}

/// Adds the files in a folder and in the folders below it. The name of its folder is the source of a file.
fn read(folder: &Path, source: &str, sources: &mut Sources) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => read(&path, &path.display().to_string(), sources)?,
            false => {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                sources.entry(source.to_owned()).or_default().push(text);
            }
        }
    }
    Ok(())
}

fn pages(sources: &Sources) {
    let each = |work: &dyn Fn(&str)| {
        for page in sources.values().flatten() {
            // Some of them panic at some pages. What was done until then counts.
            let _ = catch_unwind(AssertUnwindSafe(|| work(page)));
        }
    };
    std::panic::set_hook(Box::new(|_| {}));
    time("a copy of the bytes", sources, || each(&|page| drop(black_box(page.to_owned()))));
    time("html5gum 0.9, tokens alone", sources, || {
        each(&|page| html5gum::Tokenizer::new(page).for_each(|token| drop(black_box(token))))
    });
    time("dom_smoothie 0.19 (readability)", sources, || {
        each(&|page| {
            let article = dom_smoothie::Readability::new(page, None, None).and_then(|mut found| found.parse());
            drop(black_box(article));
        })
    });
    time("trafilatura 0.6, the crate", sources, || {
        each(&|page| drop(black_box(trafilatura::extract(page, &trafilatura::Options::default()))))
    });
    time("rs-trafilatura 0.2", sources, || each(&|page| drop(black_box(rs_trafilatura::extract(page)))));
}

fn texts(sources: &Sources) {
    time("a copy of the bytes", sources, || sources.values().flatten().for_each(|text| drop(black_box(text.clone()))));
    time("a suffix array of the bytes of each source", sources, || {
        for texts in sources.values() {
            let text = texts.join("\0");
            let array = SuffixArrayConstruction::for_text(text.as_bytes()).in_owned_buffer32().single_threaded().run();
            drop(black_box(array));
        }
    });
    time("lines that recur, dropped", sources, || {
        sources.values().for_each(|texts| drop(black_box(without_lines(texts))));
    });
}

/// The texts without the lines that recur.
fn without_lines(texts: &[String]) -> Vec<String> {
    let mut documents: FxHashMap<&str, usize> = FxHashMap::default();
    for text in texts {
        let lines: FxHashSet<&str> = text.lines().map(str::trim).collect();
        lines.into_iter().for_each(|line| *documents.entry(line).or_default() += 1);
    }
    let many = texts.len().div_ceil(RECURS_IN_ONE_IN).max(2);
    let stays = |line: &&str| documents[line.trim()] < many || line.trim().is_empty();
    texts.iter().map(|text| text.lines().filter(stays).flat_map(|line| [line, "\n"]).collect()).collect()
}

fn time(name: &str, sources: &Sources, work: impl Fn()) {
    let bytes: usize = sources.values().flatten().map(String::len).sum();
    let seconds = (0..RUNS).map(|_| {
        let start = ProcessTime::now();
        work();
        start.elapsed().as_secs_f64()
    });
    let best = seconds.fold(f64::INFINITY, f64::min);
    println!("| {name} | {:.1} |", bytes as f64 / 1e6 / best);
}
