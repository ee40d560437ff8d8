//! Keeps the texts of pages in memory, compressed, until the patterns of their source are tested. So the pages need not
//! be read again for the test. When the shelf is full, further texts are not kept, and their pages are read again.

use std::sync::atomic::{AtomicU64, Ordering};

/// Texts on the shelf may take up one part in this many of the memory for documents.
const PART_OF_MEMORY: u64 = 16;
/// The fastest level of Zstandard.
const FASTEST_LEVEL: i32 = 1;

/// The space for texts.
pub(crate) struct Shelf {
    left: AtomicU64,
}

/// A text on the shelf.
pub(crate) struct ShelvedText {
    packed: Vec<u8>,
    length: usize,
}

impl Shelf {
    /// An empty shelf, which takes a small part of this memory. `memory` is in bytes.
    pub(crate) fn new(memory: u64) -> Shelf {
        Shelf { left: AtomicU64::new(memory / PART_OF_MEMORY) }
    }

    /// Puts a text on the shelf. `None` if there is not enough space left.
    pub(crate) fn put(&self, text: &str) -> Option<ShelvedText> {
        if self.left.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut packed = zstd::bulk::compress(text.as_bytes(), FASTEST_LEVEL).ok()?;
        packed.shrink_to_fit();
        let bytes = packed.len() as u64;
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.ok().map(|_| ShelvedText { packed, length: text.len() })
    }
}

impl ShelvedText {
    /// The text.
    pub(crate) fn get(&self) -> Option<String> {
        String::from_utf8(zstd::bulk::decompress(&self.packed, self.length).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_there_is_found_again_until_it_is_full() {
        let shelf = Shelf::new(PART_OF_MEMORY * 100);
        let texts = ["größe ".repeat(1000), String::new()];
        texts.iter().for_each(|text| assert_eq!(shelf.put(text).and_then(|text| text.get()).as_ref(), Some(text)));
        let different: String = (0..500).map(|number| format!("{}", number * number)).collect();
        assert!(shelf.put(&different).is_none() && shelf.put("a").is_some());
        assert!(Shelf::new(0).put("a").is_none());
    }
}
