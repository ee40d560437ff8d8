//! Mines a corpus and cleans it, as `dehusk run` does: the same files come out, byte for byte.
//!
//! ```text
//! cargo run --example pipeline -- corpora/news OUT
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use dehusk::corpus::{Inventory, OutputRoot, ReadOptions};
use dehusk::pipeline::{CorpusCleanOptions, CorpusMineOptions, Library, Silent, Target, clean_corpus, mine_corpus};
use dehusk::tokens::{Lexer, MutableSet, Tokenizer};

fn main() -> Result<(), Box<dyn Error>> {
    let [corpus, out] = [1, 2].map(|number| PathBuf::from(std::env::args().nth(number).unwrap_or_default()));
    let inventory = Inventory::scan(&[corpus], &ReadOptions::default())?;

    // Mine all sources, compare them, and write a pattern file for each.
    let patterns = OutputRoot::create(out.join("patterns"), &inventory.inputs())?;
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    mine_corpus(&inventory, &patterns, &lexer, &CorpusMineOptions::default(), &Silent)?;

    // Clean all documents with them.
    let library = Library::load(patterns.path())?;
    let cleaned = Target::Folder(OutputRoot::create(out.join("cleaned"), &inventory.inputs())?);
    clean_corpus(&inventory, &library, &cleaned, &CorpusCleanOptions::default(), &Silent)?;
    Ok(())
}
