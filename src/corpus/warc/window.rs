//! What has been read of the input and is not yet used up.
//!
//! Takes a reader; gives the next bytes, as many as are asked for, without using them up: whoever finds that they are
//! no record looks for one in the same bytes again. Each byte is read once and moved a few times at most.

use std::io::{self, BufRead, ErrorKind};

/// As much is taken from the reader at once, however much it offers.
const CHUNK: usize = 64 * 1024;

/// The next bytes of the input.
#[derive(Debug)]
pub(super) struct Window<R> {
    reader: R,
    held: Vec<u8>,
    /// Where in `held` the bytes begin that are not used up.
    start: usize,
    /// Why the reader did not go on.
    failure: Option<io::Error>,
    /// Whether nothing was read since the last failure that was handed out.
    is_stuck: bool,
    is_over: bool,
}

impl<R: BufRead> Window<R> {
    pub(super) fn new(reader: R) -> Window<R> {
        Window { reader, held: Vec::new(), start: 0, failure: None, is_stuck: false, is_over: false }
    }

    /// What is there without reading.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.held[self.start..]
    }

    /// Reads until there are `count` bytes: whether there are, before the input ends or fails.
    pub(super) fn fill(&mut self, count: usize) -> bool {
        while self.bytes().len() < count && !self.is_over && self.failure.is_none() {
            self.read_chunk();
        }
        self.bytes().len() >= count
    }

    /// Where the line ends that starts at `from`: after its LF, or where the input ends or fails. Beyond `limit` it is
    /// not looked for.
    pub(super) fn line_end(&mut self, from: usize, limit: usize) -> Option<usize> {
        let mut searched = from;
        while searched <= limit {
            let mut rest = &self.bytes()[searched..];
            // reading from a slice cannot fail
            searched += rest.skip_until(b'\n').unwrap_or(0);
            if self.bytes()[from..searched].ends_with(b"\n") || !self.fill(searched + 1) {
                return Some(searched);
            }
        }
        None
    }

    /// Uses up the line that comes next, however long it is.
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

    /// Passes over `count` bytes, which are there.
    pub(super) fn skip(&mut self, count: usize) {
        self.start += count;
    }

    /// Uses up `count` bytes, which are there.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.bytes()[..count].to_vec();
        self.start += count;
        taken
    }

    /// Why the reader did not go on, once. Afterwards it is asked again, for it may know a place to go on from.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        let failure = self.failure.take()?;
        // what comes now does not go on with the line before the gap
        self.held.push(b'\n');
        self.is_stuck = true;
        Some(failure)
    }

    fn read_chunk(&mut self) {
        // only if more is dropped than moved, so that moving costs no more than reading
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

    /// Gives stretches of bytes, a few at a time, and fails between them.
    pub(in crate::corpus::warc) struct Failing<'a> {
        pub(in crate::corpus::warc) stretches: Vec<&'a [u8]>,
        pub(in crate::corpus::warc) step: usize,
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
        /// Whether so many bytes were ever held.
        pub(in crate::corpus::warc) fn has_held(&self, count: usize) -> bool {
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
        // it fails again without a byte between: that is the end
        assert!(!window.fill(5) && window.take_failure().is_none());
    }
}
