//! Hashes: a writer that computes the length and a hash of the written bytes, and SHA-256 of short texts.

use std::hash::Hasher;
use std::io::{self, Write};

use sha2::{Digest, Sha256};
use twox_hash::XxHash3_64;

/// A writer that passes bytes on to `inner`, and computes their length and hash.
pub struct Hashed<W> {
    /// The writer that gets the bytes.
    pub inner: W,
    hasher: XxHash3_64,
    length: u64,
}

impl<W> Hashed<W> {
    /// A writer that has written nothing yet.
    pub fn new(inner: W) -> Hashed<W> {
        Hashed { inner, hasher: XxHash3_64::new(), length: 0 }
    }

    /// The hash of all bytes so far.
    pub fn hash(&self) -> u64 {
        self.hasher.finish()
    }

    /// The number of bytes so far.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.write(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// SHA-256 of the parts of a text, in hexadecimal digits.
pub fn hash(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let hasher = parts.into_iter().fold(Sha256::new(), |hasher, part| hasher.chain_update(part));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
