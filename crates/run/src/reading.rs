//! Reads documents in parallel.

use rayon::prelude::*;

use crate::error::{PipelineError, Result};
use crate::left_out::tell_of_skipped;
use crate::observer::Observer;
use crate::waves::in_waves;
use dehusk_corpus::{Content, Document, DocumentRef, InputFile, Inventory, Records};

/// Reads documents in order. A document that cannot be read is named, and is `None`. The documents no longer count in
/// the memory for documents, so the caller must know that all of them fit.
pub fn read_documents(
    inventory: &Inventory,
    places: &[DocumentRef],
    observer: &dyn Observer,
) -> Result<Vec<Option<Document>>> {
    let read = |place: &DocumentRef| -> Result<Option<Document>> {
        observer.go_on()?;
        let document = inventory.read(place).map(Document::to_collect);
        Ok(document.map_err(|skipped| tell_of_skipped(&skipped, observer)).ok())
    };
    places.par_iter().map(read).collect()
}

/// Maximum number of one-document files that are read at a time.
const FILES_AT_A_TIME: usize = 256;

/// The number of bytes of a file. `None` if it is unknown.
pub fn size_of(file: &InputFile) -> Option<u64> {
    if file.is_stdin() { None } else { std::fs::metadata(file.path()).ok().map(|metadata| metadata.len()) }
}

/// Reads all documents file by file, in order. Calls `visit` with many documents at a time, each with its place in the
/// form that messages show. Names each document that cannot be read. Counts the bytes read as steps of the current
/// stage.
pub fn visit_documents<E: From<PipelineError>>(
    inventory: &Inventory,
    observer: &dyn Observer,
    mut visit: impl FnMut(Vec<(String, Document)>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, observer));
    // A file with many documents is read alone, so that no thread waits for memory while it holds documents of other
    // files.
    let alike = inventory.files().chunk_by(|one, next| !one.holds_many() && !next.holds_many());
    for files in alike.flat_map(|files| files.chunks(FILES_AT_A_TIME)) {
        observer.go_on().map_err(PipelineError::Stopped)?;
        let open = |index: usize, patience| inventory.open_with(&files[index], patience);
        in_waves(
            files.len(),
            || (),
            open,
            |(), _, content| content,
            |first, contents| {
                let (mut documents, mut bytes) = (Vec::new(), 0);
                for (file, content) in files[first..].iter().zip(contents) {
                    match content {
                        Ok(Content::Document(document, _)) => {
                            bytes += size_of(file).unwrap_or_default();
                            documents.push((file.path().display().to_string(), *document));
                        }
                        Ok(Content::Records(records)) => {
                            visit(std::mem::take(&mut documents))?;
                            visit_records(records, observer, &mut visit)?;
                        }
                        Err(skipped) => tell_of_skipped(&skipped, observer),
                    }
                }
                visit(documents)?;
                observer.step(bytes);
                Ok::<(), E>(())
            },
        )?;
    }
    Ok(())
}

fn visit_records<E: From<PipelineError>>(
    mut records: Records,
    observer: &dyn Observer,
    visit: &mut impl FnMut(Vec<(String, Document)>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut shown = 0;
    while let Some(batch) = records.next_batch() {
        observer.go_on().map_err(PipelineError::Stopped)?;
        let read = records.bytes_read();
        observer.step(read.saturating_sub(shown));
        shown = read;
        let batch = match batch {
            Ok(batch) => batch,
            Err(skipped) => {
                tell_of_skipped(&skipped, observer);
                continue;
            }
        };
        let named = |(): &mut (), index, read| match read {
            Ok(document) => Some((format!("{}:{}", batch.path().display(), batch.number(index)), document?)),
            Err(skipped) => {
                tell_of_skipped(&skipped, observer);
                None
            }
        };
        let read = |index, patience| batch.read(index, patience);
        in_waves(batch.len(), || (), read, named, |_, documents| visit(documents.into_iter().flatten().collect()))?;
    }
    Ok(())
}
