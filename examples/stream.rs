//! Cleans documents in the order they come in, as `dehusk stream` does, and prints warnings. A second run with the same state
//! goes on where the first one stopped.
//!
//! ```text
//! cargo run --example stream -- corpora/news STATE OUT.jsonl
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use dehusk::{
    Inventory, Library, Observer, ReadOptions, StreamOptions, StreamTarget, StreamedSource, WarningKind, stream_corpus,
};

/// Prints warnings. An observer could also show progress, or stop the run.
struct Warnings;

impl Observer for Warnings {
    fn warn(&self, _: WarningKind, message: &str) {
        let _ = writeln!(io::stderr(), "warning: {message}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let [corpus, state, out] = [1, 2, 3].map(|number| PathBuf::from(std::env::args().nth(number).unwrap_or_default()));
    let inventory = Inventory::scan(&[corpus], &ReadOptions::default().tree(true))?;
    let (library, target) = (Library::default(), StreamTarget::File(out)); // no pattern files
    let sources = stream_corpus(&[inventory], &library, &state, &target, &StreamOptions::default(), &Warnings)?;
    for (source, StreamedSource { cleaned, progress, .. }) in sources {
        let (removed, pages) = (cleaned.removed_percent(), progress.pages);
        writeln!(io::stdout(), "{source}: {removed:.1} % removed; {pages} documents so far")?;
    }
    Ok(())
}
