//! Code that commands about one document share: reading the document, and writing a page with marks on it.

use std::path::Path;

use anyhow::{Context, bail};

use dehusk_core::shown::size;
use dehusk_corpus::{Content, Document, InputFile, Inventory, Records};

use super::force::{ForceArgs, PAGE};
use super::reporter::{Reporter, print};
use super::{Global, interrupt};

/// Reads the only document of a file, or the document on this line of the file. The first line is 1.
pub fn read(inventory: &Inventory, file: &InputFile, line: Option<u64>) -> anyhow::Result<Document> {
    let path = file.path();
    let path = path.display();
    match (inventory.open(file)?, line) {
        (Content::Document(document, _), None) => Ok(*document),
        (Content::Document(..), Some(_)) => bail!("--line is for files with many documents"),
        (Content::Records(records), None) if !records.is_page() => {
            bail!("{path} has many documents; choose one with --line")
        }
        (Content::Records(records), number) => {
            let number = number.unwrap_or(1);
            let document = record(records, number)?;
            let document = document.with_context(|| format!("{path} has no line {number}"))?;
            document.with_context(|| format!("line {number} has no document"))
        }
    }
}

/// Writes a page with marks to a file, or to stdout if it is `-`.
pub fn write_page(
    output: &Path,
    html: &str,
    force: ForceArgs,
    global: &Global,
    reporter: &Reporter,
) -> anyhow::Result<()> {
    let _permission = interrupt::writing()?;
    if output == Path::new("-") {
        return print(html);
    }
    let file = force.file(output, &global.reads, PAGE)?;
    file.write_atomic(|writer| writer.write_all(html.as_bytes()))?;
    reporter.note(&format!("wrote {}: {}", output.display(), size(html.len() as u64)));
    Ok(())
}

/// The document in the record with this number, from 1. The outer option is empty if there is no such record, the inner one
/// if the record has no document.
fn record(mut records: Records, number: u64) -> anyhow::Result<Option<Option<Document>>> {
    while let Some(batch) = records.next_batch() {
        let batch = batch?;
        let index = number.checked_sub(batch.number(0)).and_then(|index| usize::try_from(index).ok());
        if let Some(index) = index.filter(|&index| index < batch.len()) {
            return Ok(Some(batch.document(index)?));
        }
    }
    Ok(None)
}
