//! New texts that wait until their row group can be written.
//!
//! A row group is written column by column, but the texts come row by row. So they wait in memory, lightly compressed.
//! They take about as much memory as they will take in the file.

use std::io;

use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;

use super::Parquet;

/// Texts are compressed together when they have this many bytes.
const BLOCK_BYTES: usize = 1 << 20;

/// The fastest regular level of Zstandard. It reduces text to 1/3, at some hundred megabytes per second.
const FASTEST_LEVEL: i32 = 1;

/// Texts, in order.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Compressed blocks of texts. Unpacked, each has the form of `open`.
    blocks: Vec<Box<[u8]>>,
    /// Texts, each with its length in 8 bytes before it.
    open: Vec<u8>,
}

impl Held {
    pub(super) fn push(&mut self, text: &str) -> io::Result<()> {
        self.open.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.open.extend_from_slice(text.as_bytes());
        if self.open.len() >= BLOCK_BYTES {
            // The compressor allocates memory for the worst case. The box releases the unused part.
            self.blocks.push(zstd::bulk::compress(&self.open, FASTEST_LEVEL)?.into_boxed_slice());
            self.open.clear();
        }
        Ok(())
    }

    /// Reads the texts from the first one on.
    pub(super) fn texts(&self) -> Texts<'_> {
        Texts { held: self, next: 0, block: ByteArray::from(Vec::new()), position: 0 }
    }
}

/// Reads the texts of [`Held`] one by one.
pub(super) struct Texts<'a> {
    held: &'a Held,
    next: usize,
    block: ByteArray,
    position: usize,
}

impl Texts<'_> {
    /// The next text. Fails if there is none.
    pub(super) fn next(&mut self) -> Parquet<ByteArray> {
        if self.position == self.block.len() {
            self.block = self.block()?.into();
            (self.next, self.position) = (self.next + 1, 0);
        }
        let text = self.block.data().get(self.position..).and_then(<[u8]>::split_first_chunk);
        let (length, _) = text.ok_or_else(|| ParquetError::General("a text was not held".to_owned()))?;
        let length = u64::from_le_bytes(*length) as usize;
        let start = self.position + size_of::<u64>();
        self.position = start + length;
        Ok(self.block.slice(start, length))
    }

    fn block(&self) -> io::Result<Vec<u8>> {
        match self.held.blocks.get(self.next) {
            Some(block) => zstd::decode_all(&**block),
            None if self.next == self.held.blocks.len() => Ok(self.held.open.clone()),
            None => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_order() {
        let texts: Vec<String> = (0..3000).map(|number| "größe ".repeat(number % 700)).collect();
        let mut held = Held::default();
        texts.iter().for_each(|text| held.push(text).expect("held"));
        assert!(held.blocks.len() > 2 && !held.open.is_empty());
        let mut back = held.texts();
        for text in &texts {
            assert_eq!(back.next().expect("a text").data(), text.as_bytes());
        }
        assert!(back.next().is_err());
    }
}
