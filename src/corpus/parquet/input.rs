//! The file, as the Parquet crate wants to read it.
//!
//! Takes an open file; gives any stretch of it. The crate's own way shares one position among all that read a file;
//! here everyone has a position, so that a file can be read and copied from at a time, on several threads.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use super::Parquet;

/// An open file.
#[derive(Debug, Clone)]
pub(super) struct Input {
    file: Arc<Mutex<File>>,
    length: u64,
}

/// The file from some byte on.
#[derive(Debug)]
pub(super) struct Stretch {
    input: Input,
    position: u64,
}

impl Input {
    pub(super) fn new(file: File) -> io::Result<Input> {
        let length = file.metadata()?.len();
        Ok(Input { file: Arc::new(Mutex::new(file)), length })
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        // whoever panicked while it held the file left nothing half done: everyone seeks first
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(position))?;
        file.read(buffer)
    }

    fn stretch(&self, position: u64) -> Stretch {
        Stretch { input: self.clone(), position }
    }
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read_at(self.position, buffer)?;
        // whatever is read lies before the footer; and the crate would skip what is not there billions of times
        if read == 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it ends at byte {}", self.position)));
        }
        self.position += read as u64;
        Ok(read)
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Input {
    type T = BufReader<Stretch>;

    fn get_read(&self, start: u64) -> Parquet<BufReader<Stretch>> {
        Ok(BufReader::new(self.stretch(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        // before memory is taken for what a damaged file says
        let is_within = start.checked_add(length as u64).is_some_and(|end| end <= self.length);
        if !is_within {
            return Err(ParquetError::EOF(format!("it has no {length} bytes at {start}")));
        }
        let mut bytes = vec![0; length];
        self.stretch(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::file_of;
    use super::*;

    #[test]
    fn everyone_has_a_position() {
        let input = Input::new(file_of(b"0123456789")).expect("a file");
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
        let input = Input::new(file_of(b"0123")).expect("a file");
        assert_eq!(&*input.get_bytes(1, 3).expect("bytes"), b"123");
        assert!(input.get_bytes(1, 4).is_err());
        assert!(input.get_bytes(u64::MAX, usize::MAX).is_err());
        let mut rest = Vec::new();
        assert!(input.get_read(2).expect("a reader").read_to_end(&mut rest).is_err());
        assert_eq!(rest, b"23");
    }
}
