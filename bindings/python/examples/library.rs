//! Cleans the documents of a JSONL file with the library alone, for `benches/clean_batch.py` to compare with.
//!
//! ```text
//! library DOCUMENTS PATTERNS THREADS
//! ```
//!
//! Prints the seconds for cleaning, without reading, and the bytes that are left.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use dehusk::{CleanOptions, Cleaner, Library, Scratch};
use rayon::prelude::*;

#[derive(serde::Deserialize)]
struct Row {
    source: String,
    text: String,
}

#[expect(clippy::print_stdout, reason = "the result")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [documents, patterns, threads] = arguments.as_slice() else {
        return Err("library DOCUMENTS PATTERNS THREADS".into());
    };
    let lines = std::fs::read_to_string(documents)?;
    let rows: Vec<Row> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let library = Library::load(Path::new(patterns))?;
    let cleaner = |source: &str| Cleaner::new(&library.for_source(source).files(), &CleanOptions::default());
    let cleaners: HashMap<String, Cleaner> =
        library.files().map(|file| (file.source.clone(), cleaner(&file.source))).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let clean = |scratch: &mut Scratch, row: &Row| match cleaners[&*row.source].clean(scratch, &row.text) {
        Ok(cleaning) => cleaning.strip(&row.text),
        Err(error) => error.to_string(),
    };
    let start = Instant::now();
    let cleaned: Vec<String> = pool.install(|| rows.par_iter().map_init(Scratch::default, clean).collect());
    println!("{} {}", start.elapsed().as_secs_f64(), cleaned.iter().map(String::len).sum::<usize>());
    Ok(())
}
