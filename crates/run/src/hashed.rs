//! A writer that computes the length and a hash of what is written.

use std::hash::Hasher;
use std::io::{self, Write};

use twox_hash::XxHash3_64;

/// Passes bytes on to `inner`.
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
