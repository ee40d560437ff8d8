//! Mines a corpus: a pattern file for each source, as `dehusk mine` writes them, byte for byte.
//!
//! ```text
//! cargo run --example mine -- corpora/news PATTERNS
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use dehusk::{
    CorpusMineOptions, Inventory, Lexer, MutableSet, OutputRoot, ReadOptions, Silent, Tokenizer, mine_corpus,
};

fn main() -> Result<(), Box<dyn Error>> {
    let [corpus, patterns] = [1, 2].map(|number| PathBuf::from(std::env::args().nth(number).unwrap_or_default()));
    let inventory = Inventory::scan(&[corpus], &ReadOptions::default())?;
    let patterns = OutputRoot::create(patterns, &inventory.reads())?;
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    mine_corpus(&inventory, &patterns, &lexer, &CorpusMineOptions::default(), &Silent)?;
    Ok(())
}
