//! An open file that others may change while it is read.
//!
//! Takes a path. Returns any range of the bytes that the file had when it was opened, for any number of readers and
//! threads. The bytes are read and never mapped into memory, so later changes to the file do not affect them. Bytes
//! that were added after opening are not read. If the file has become shorter, reading fails, so that this is not taken
//! for the normal end of the file.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;

/// An open file. Each reader has its own position.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    /// Number of bytes when it was opened. For files that the system generates it may be 0 or too large.
    length: u64,
}

/// Reads a range of a file from front to back.
#[derive(Debug)]
pub(crate) struct Stretch {
    file: Arc<OpenFile>,
    range: Range<u64>,
}

impl OpenFile {
    pub(crate) fn of(file: File) -> io::Result<OpenFile> {
        let length = file.metadata()?.len();
        Ok(OpenFile { file, length })
    }

    /// Number of bytes when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// A reader of the whole file.
    pub(crate) fn whole(self: &Arc<Self>) -> Stretch {
        let end = if self.length == 0 { u64::MAX } else { self.length };
        self.stretch(0..end)
    }

    /// A reader of a range of bytes.
    pub(crate) fn stretch(self: &Arc<Self>, range: Range<u64>) -> Stretch {
        Stretch { file: Arc::clone(self), range }
    }

    /// `length` bytes from `start` on. Fails if the file does not have them any more.
    pub(crate) fn bytes(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        // Checked before memory is allocated, because the length may come from a damaged file.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            let message = format!("it does not have {length} bytes from byte {start} on");
            return Err(io::Error::new(ErrorKind::UnexpectedEof, message));
        }
        let (mut bytes, mut filled) = (vec![0; length], 0);
        while filled < length {
            match self.read_at(start + filled as u64, &mut bytes[filled..]) {
                Ok(0) => return Err(shorter()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes)
    }

    /// Reads some bytes from `position` on. Returns 0 at the end of the file.
    pub(crate) fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&self.file, buffer, position);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&self.file, buffer, position);
    }

    /// Whether the file has fewer bytes than when it was opened.
    fn is_shorter(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() < self.length)
    }
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.range.end - self.range.start).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let read = self.file.read_at(self.range.start, &mut buffer[..wanted])?;
        if read == 0 && wanted > 0 && self.file.is_shorter()? {
            return Err(shorter());
        }
        self.range.start += read as u64;
        Ok(read)
    }
}

fn shorter() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "it became shorter while it was read: give it again when it is complete")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these bytes, and a second handle to change it.
    fn file_of(bytes: &[u8]) -> (Arc<OpenFile>, tempfile::NamedTempFile) {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), bytes).expect("written");
        (Arc::new(OpenFile::of(file.reopen().expect("opened")).expect("a length")), file)
    }

    fn all(mut stretch: Stretch) -> io::Result<Vec<u8>> {
        let mut read = Vec::new();
        stretch.read_to_end(&mut read).map(|_| read)
    }

    #[test]
    fn everyone_has_a_position() {
        let (file, _) = file_of(b"0123456789");
        let (mut one, mut two) = (file.stretch(2..9), file.stretch(7..9));
        let read = |stretch: &mut Stretch| {
            let mut byte = [0];
            stretch.read_exact(&mut byte).expect("a byte");
            byte[0]
        };
        assert_eq!([read(&mut one), read(&mut two), read(&mut one), read(&mut two)], *b"2738");
        assert_eq!((all(one).expect("the rest"), all(two).expect("nothing")), (b"45678".to_vec(), Vec::new()));
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let (file, _) = file_of(b"0123");
        assert_eq!(file.bytes(1, 3).expect("bytes"), b"123");
        assert!(file.bytes(1, 4).is_err() && file.bytes(u64::MAX, usize::MAX).is_err());
        assert_eq!(all(file.stretch(2..4)).expect("bytes"), b"23");
        assert_eq!(all(file_of(b"").0.whole()).expect("nothing"), b"");
    }

    #[test]
    fn a_file_that_became_shorter_has_no_end() {
        let (file, handle) = file_of(b"0123456789");
        handle.as_file().set_len(4).expect("cut");
        assert_eq!(file.bytes(0, 4).expect("bytes"), b"0123");
        for error in [file.bytes(2, 4).expect_err("an error"), all(file.whole()).expect_err("an error")] {
            assert!(error.to_string().starts_with("it became shorter while it was read"), "{error}");
        }
    }

    #[test]
    fn what_was_added_is_not_read() {
        let (file, handle) = file_of(b"0123");
        std::fs::write(handle.path(), b"0123456789").expect("written");
        assert_eq!(all(file.whole()).expect("bytes"), b"0123");
        assert!(file.bytes(2, 4).is_err());
    }
}
