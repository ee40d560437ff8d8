//! The interface through which the Parquet crate reads a file.
//!
//! Takes an open file and reads any range of it. The crate's own implementation for files shares one position between
//! all readers. Here each reader has its own position, so several threads can read and copy at the same time.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use super::Parquet;
use crate::Reason;
use crate::read::open_file::OpenFile;

/// An open file.
#[derive(Debug, Clone)]
pub(super) struct Input {
    file: Arc<OpenFile>,
    /// The memory for documents, in bytes.
    memory: u64,
}

/// Memory to read a page, per byte of the unpacked page: for the page itself, and for the values that are taken from
/// it.
const OF_PAGE: u64 = 4;

/// Number of bytes of a page header that are read here. They contain the type and size of the page, which are its first
/// fields and take at most 12 bytes.
const LOOKED_AT: usize = 12;

/// Reads the file from some position on.
#[derive(Debug)]
pub(super) struct Stretch {
    input: Input,
    position: u64,
}

impl Input {
    pub(super) fn new(file: OpenFile, memory: u64) -> Input {
        Input { file: Arc::new(file), memory }
    }

    /// Fails if there is too little memory for the page whose header is at `start`. Without this check, the crate would
    /// unpack the page anyway.
    fn check_page(&self, start: u64) -> Result<(), Reason> {
        let length = self.file.length().saturating_sub(start).min(LOOKED_AT as u64) as usize;
        // After the end of the file, reading fails later, with a better message.
        let header = if length > 0 { self.file.bytes(start, length)? } else { Vec::new() };
        let need = unpacked_size(&header).map_or(0, |bytes| OF_PAGE.saturating_mul(bytes));
        let limit = self.memory;
        if need <= limit { Ok(()) } else { Err(Reason::TooLittleMemory { need: Some(need), limit }) }
    }

    fn stretch(&self, position: u64) -> Stretch {
        Stretch { input: self.clone(), position }
    }
}

/// Reads the unpacked size of a page from the start of its header. In Thrift's compact protocol, the first two fields
/// of the header are the type and this size. `None` if the bytes are not such a header.
fn unpacked_size(header: &[u8]) -> Option<u64> {
    const NEXT_FIELD_I32: u8 = 0x15;
    let mut rest = header;
    let mut number = || -> Option<u64> {
        rest = rest.strip_prefix(&[NEXT_FIELD_I32])?;
        let length = 1 + rest.iter().position(|byte| byte & 0x80 == 0)?;
        let (digits, after) = rest.split_at_checked(length.min(5))?;
        rest = after;
        Some(digits.iter().rev().fold(0, |number, digit| number << 7 | u64::from(digit & 0x7f)))
    };
    number()?;
    // In Thrift's zigzag encoding, the last bit is the sign.
    number().map(|zigzag| zigzag >> 1)
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.file.read_at(self.position, buffer)?;
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
        self.file.length()
    }
}

impl ChunkReader for Input {
    type T = BufReader<Stretch>;

    fn get_read(&self, start: u64) -> Parquet<BufReader<Stretch>> {
        self.check_page(start).map_err(|reason| ParquetError::External(Box::new(reason)))?;
        Ok(BufReader::new(self.stretch(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        Ok(self.file.bytes(start, length)?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::file_of;
    use super::*;

    #[test]
    fn everyone_has_a_position() {
        let input = Input::new(file_of(b"0123456789"), u64::MAX);
        let (mut one, mut two) = (input.stretch(2), input.stretch(7));
        let read = |stretch: &mut Stretch| {
            let mut byte = [0];
            stretch.read_exact(&mut byte).expect("a byte");
            byte[0]
        };
        assert_eq!([read(&mut one), read(&mut two), read(&mut one), read(&mut two)], *b"2738");
    }

    #[test]
    fn the_size_of_a_page_is_known_before_it_is_unpacked() {
        // A data page of 300 bytes, and one of 2^31 - 1.
        assert_eq!(unpacked_size(b"\x15\x00\x15\xd8\x04\x15\x02"), Some(300));
        assert_eq!(unpacked_size(b"\x15\x04\x15\xfe\xff\xff\xff\x0f\x15\x02"), Some(i32::MAX as u64));
        for other in [&b""[..], b"\x15", b"\x15\x00\x16\x02", b"\x15\x80\x80\x80\x80\x80\x80\x80", b"PAR1"] {
            assert_eq!(unpacked_size(other), None, "{other:?}");
        }
        let input = Input::new(file_of(b"\x15\x00\x15\xd8\x04\x15\x02"), 1199);
        assert!(matches!(input.check_page(0), Err(Reason::TooLittleMemory { need: Some(1200), limit: 1199 })));
        assert!(input.check_page(1).is_ok() && input.check_page(99).is_ok());
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let input = Input::new(file_of(b"0123"), u64::MAX);
        assert_eq!(&*input.get_bytes(1, 3).expect("bytes"), b"123");
        assert!(input.get_bytes(1, 4).is_err());
        assert!(input.get_bytes(u64::MAX, usize::MAX).is_err());
        let mut rest = Vec::new();
        assert!(input.get_read(2).expect("a reader").read_to_end(&mut rest).is_err());
        assert_eq!(rest, b"23");
    }
}
