//! The interface through which the Parquet crate reads a file.
//!
//! Takes an open file and reads any range of it. The crate's own implementation for files shares one position between
//! all readers. Here each reader has its own position, so several threads can read and copy at the same time.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use super::Parquet;
use crate::corpus::open_file::OpenFile;

/// An open file.
#[derive(Debug, Clone)]
pub(super) struct Input(Arc<OpenFile>);

/// Reads the file from some position on.
#[derive(Debug)]
pub(super) struct Stretch {
    input: Input,
    position: u64,
}

impl Input {
    pub(super) fn new(file: OpenFile) -> Input {
        Input(Arc::new(file))
    }

    fn stretch(&self, position: u64) -> Stretch {
        Stretch { input: self.clone(), position }
    }
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.0.read_at(self.position, buffer)?;
        // Nothing is read after the footer, so an early end means that the file is damaged. Without an error, the crate
        // would try to skip the missing bytes billions of times.
        if read == 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it ends at byte {}", self.position)));
        }
        self.position += read as u64;
        Ok(read)
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Input {
    type T = BufReader<Stretch>;

    fn get_read(&self, start: u64) -> Parquet<BufReader<Stretch>> {
        Ok(BufReader::new(self.stretch(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        Ok(self.0.bytes(start, length)?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::file_of;
    use super::*;

    #[test]
    fn everyone_has_a_position() {
        let input = Input::new(file_of(b"0123456789"));
        let (mut one, mut two) = (input.stretch(2), input.stretch(7));
        let read = |stretch: &mut Stretch| {
            let mut byte = [0];
            stretch.read_exact(&mut byte).expect("a byte");
            byte[0]
        };
        assert_eq!([read(&mut one), read(&mut two), read(&mut one), read(&mut two)], *b"2738");
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let input = Input::new(file_of(b"0123"));
        assert_eq!(&*input.get_bytes(1, 3).expect("bytes"), b"123");
        assert!(input.get_bytes(1, 4).is_err());
        assert!(input.get_bytes(u64::MAX, usize::MAX).is_err());
        let mut rest = Vec::new();
        assert!(input.get_read(2).expect("a reader").read_to_end(&mut rest).is_err());
        assert_eq!(rest, b"23");
    }
}
