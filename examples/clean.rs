//! Cleans a corpus with pattern files, as `dehusk clean` does, and tells how much went of each source.
//!
//! ```text
//! cargo run --example clean -- corpora/news PATTERNS OUT
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use dehusk::{
    CleanedSource, CorpusCleanOptions, Inventory, Library, OutputRoot, ReadOptions, Silent, Target, clean_corpus,
};

fn main() -> Result<(), Box<dyn Error>> {
    let [corpus, patterns, out] =
        [1, 2, 3].map(|number| PathBuf::from(std::env::args().nth(number).unwrap_or_default()));
    // With their trees, the structure of HTML pages counts too.
    let inventory = Inventory::scan(&[corpus], &ReadOptions::default().tree(true))?;
    let library = Library::load(&patterns)?;
    let target = Target::Folder(OutputRoot::create(out, &inventory.reads())?);
    let sources = clean_corpus(&inventory, &library, &target, &CorpusCleanOptions::default(), &Silent)?;
    for (source, CleanedSource { cleaned, .. }) in sources {
        writeln!(io::stdout(), "{source}: {:.1} % removed", cleaned.removed_percent())?;
    }
    Ok(())
}
