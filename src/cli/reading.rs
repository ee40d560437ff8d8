//! Documents, read many at a time.

use rayon::prelude::*;

use dehusk::corpus::{Document, DocumentRef, Inventory};

use super::interrupt;
use super::reporter::Reporter;

/// Reads documents, in order. One that cannot be read is named, and `None`.
pub fn read_documents(
    inventory: &Inventory,
    places: &[DocumentRef],
    reporter: &Reporter,
) -> anyhow::Result<Vec<Option<Document>>> {
    let read = |place: &DocumentRef| -> anyhow::Result<Option<Document>> {
        interrupt::check()?;
        let document = inventory.read(place);
        Ok(document.map_err(|skipped| reporter.skip(&skipped.to_string())).ok())
    };
    places.par_iter().map(read).collect()
}
