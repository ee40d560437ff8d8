//! The bytes of the input that were read but not used yet.
//!
//! Takes a reader. Shows the next bytes, as many as requested, without using them up. So bytes that turn out not to be
//! a record can still be searched for one. Each byte is read once and moved only a few times.

use std::io::{self, BufRead, ErrorKind};

/// Maximum number of bytes that are taken from the reader at a time.
const CHUNK: usize = 64 * 1024;

/// The next bytes of the input.
#[derive(Debug)]
pub(super) struct Window<R> {
    reader: R,
    held: Vec<u8>,
    /// The position in `held` of the first unused byte.
    start: usize,
    /// The error of the reader, if it failed.
    failure: Option<io::Error>,
    /// Whether no byte was read since the last error was returned.
    is_stuck: bool,
    is_over: bool,
}

impl<R: BufRead> Window<R> {
    pub(super) fn new(reader: R) -> Window<R> {
        Window { reader, held: Vec::new(), start: 0, failure: None, is_stuck: false, is_over: false }
    }

    /// The bytes that are available without reading.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.held[self.start..]
    }

    /// Reads until `count` bytes are available. Returns false if the input ends or fails before that.
    pub(super) fn fill(&mut self, count: usize) -> bool {
        while self.bytes().len() < count && !self.is_over && self.failure.is_none() {
            self.read_chunk();
        }
        self.bytes().len() >= count
    }

    /// The end of the line that starts at `from`: after its LF, or at the end or failure of the input. `None` if it is
    /// beyond `limit`.
    pub(super) fn line_end(&mut self, from: usize, limit: usize) -> Option<usize> {
        let mut searched = from;
        while searched <= limit {
            let mut rest = &self.bytes()[searched..];
            // Reading from a slice cannot fail.
            searched += rest.skip_until(b'\n').unwrap_or(0);
            if self.bytes()[from..searched].ends_with(b"\n") || !self.fill(searched + 1) {
                return Some(searched);
            }
        }
        None
    }

    /// Skips the next line, however long it is.
    pub(super) fn skip_line(&mut self) {
        while self.fill(1) {
            let mut rest = self.bytes();
            let length = rest.skip_until(b'\n').unwrap_or(0);
            let is_whole = self.bytes()[..length].ends_with(b"\n");
            self.start += length;
            if is_whole {
                return;
            }
        }
    }

    /// Skips `count` bytes, which must be available.
    pub(super) fn skip(&mut self, count: usize) {
        self.start += count;
    }

    /// Takes `count` bytes, which must be available.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.bytes()[..count].to_vec();
        self.start += count;
        taken
    }

    /// The error of the reader, returned once. After that, reading is tried again, because the reader may be able to
    /// continue at a later position.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        let failure = self.failure.take()?;
        // The bytes after the gap must not continue the line before it.
        self.held.push(b'\n');
        self.is_stuck = true;
        Some(failure)
    }

    fn read_chunk(&mut self) {
        // Bytes are moved only if more bytes are dropped than moved. So moving costs no more than reading.
        if self.start > self.held.len() / 2 {
            self.held.drain(..self.start);
            self.start = 0;
        }
        match self.reader.fill_buf() {
            Ok([]) => self.is_over = true,
            Ok(offered) => {
                let taken = offered.len().min(CHUNK);
                self.held.extend_from_slice(&offered[..taken]);
                self.reader.consume(taken);
                self.is_stuck = false;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) if self.is_stuck => self.is_over = true,
            Err(error) => self.failure = Some(error),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use super::*;

    /// A reader that gives a few bytes at a time and fails between them.
    pub(in crate::formats::warc) struct Failing<'a> {
        pub(in crate::formats::warc) stretches: Vec<&'a [u8]>,
        pub(in crate::formats::warc) step: usize,
    }

    impl Read for Failing<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let mut offered = self.fill_buf()?;
            let count = offered.read(into)?;
            self.consume(count);
            Ok(count)
        }
    }

    impl BufRead for Failing<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            if self.stretches.len() > 1 && self.stretches[0].is_empty() {
                self.stretches.remove(0);
                return Err(io::Error::other("a gap"));
            }
            let first = self.stretches.first().copied().unwrap_or_default();
            Ok(&first[..first.len().min(self.step)])
        }

        fn consume(&mut self, count: usize) {
            if let Some(first) = self.stretches.first_mut() {
                *first = &first[count..];
            }
        }
    }

    impl<R> Window<R> {
        /// Whether this many bytes were held at some time.
        pub(in crate::formats::warc) fn has_held(&self, count: usize) -> bool {
            self.held.capacity() >= count
        }
    }

    #[test]
    fn bytes_are_there_until_they_are_used_up() {
        for step in 1..8 {
            let mut window = Window::new(Failing { stretches: vec![b"one\ntwo\nthree"], step });
            assert!(window.fill(2) && window.bytes().starts_with(b"on"));
            assert_eq!(
                (window.line_end(0, 99), window.line_end(4, 99), window.line_end(8, 99)),
                (Some(4), Some(8), Some(13))
            );
            assert_eq!(window.take(4), b"one\n");
            window.skip_line();
            assert!(!window.fill(6) && window.bytes() == b"three");
            window.skip_line();
            assert_eq!(window.bytes(), b"");
        }
    }

    #[test]
    fn a_line_is_not_looked_for_beyond_the_limit() {
        let mut window = Window::new(Failing { stretches: vec![b"123456789 123456789 \n"], step: 2 });
        assert_eq!(window.line_end(0, 4), None);
        assert!(window.bytes().len() <= 8);
    }

    #[test]
    fn a_failure_is_handed_out_once_and_leaves_a_gap() {
        let mut window = Window::new(Failing { stretches: vec![b"a", b"b", b"", b""], step: 9 });
        assert!(!window.fill(2));
        assert!(window.take_failure().is_some() && window.take_failure().is_none());
        assert!(window.fill(3) && window.bytes() == b"a\nb");
        assert!(!window.fill(4) && window.take_failure().is_some());
        // A second failure without a byte between is the end.
        assert!(!window.fill(5) && window.take_failure().is_none());
    }
}
