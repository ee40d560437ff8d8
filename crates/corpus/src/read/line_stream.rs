//! Reads the lines of a stream, or its other records, as many at a time as are available.
//!
//! Takes a reader, and the [`Division`] into records; what is said of lines here holds for all records. Returns
//! stretches of whole lines, in order. A thread reads ahead, so that reading, decompression and
//! cleaning happen at the same time. From a pipe, each call returns the lines that are available. So a line from a slow
//! pipe never waits for the next one, and a fast pipe gives some megabytes at a time. From a file, each call returns
//! some megabytes, and the stretches do not depend on the speed of reading. Memory is bounded, however long a line is.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use crate::read::compression::Input;
use crate::read::division::{Divider, Division, joint};
use dehusk_core::threads;

/// Number of bytes that are read from the input at a time.
const READ_BYTES: usize = 256 * 1024;

/// A stretch of this size gets no more lines. A single line may be longer.
const STRETCH_BYTES: usize = 4 << 20;

/// Maximum number of stretches that wait, in addition to the one that is filled.
const READY: usize = 2;

/// Maximum number of buffers that wait to be filled again. About so many are in use at the same time: one is filled, some
/// are ready, one is cleaned, one is written.
const SPARE: usize = 6;

/// When lines are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As soon as they are read.
    AtOnce,
    /// When the stretch is full.
    Steady,
}

/// A part of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// Whole lines with their line ends. The last line of the input may have none.
    Lines(StretchBytes),
    /// A line that is longer than allowed. Its bytes are not kept.
    TooLong {
        /// Their number.
        bytes: u64,
        /// The [`joint`] before a JSON value, without which the others are no array. Otherwise empty.
        joint: Vec<u8>,
    },
}

/// The bytes of a stretch. When they are dropped, the stream fills their buffer again: fresh memory is slow.
#[derive(Debug)]
pub(crate) struct StretchBytes {
    bytes: Vec<u8>,
    stream: Weak<Shared>,
}

impl Deref for StretchBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Vec<u8>> for StretchBytes {
    fn from(bytes: Vec<u8>) -> StretchBytes {
        StretchBytes { bytes, stream: Weak::new() }
    }
}

impl PartialEq for StretchBytes {
    fn eq(&self, other: &StretchBytes) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for StretchBytes {}

impl Drop for StretchBytes {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.upgrade() {
            stream.take_back(std::mem::take(&mut self.bytes));
        }
    }
}

/// A stream of lines. When it is dropped, the rest of the input is not read.
pub(crate) struct LineStream {
    shared: Arc<Shared>,
    pace: Pace,
}

impl LineStream {
    /// The lines of `input`. A line of more than `limit` bytes, without its line end, is dropped.
    pub(crate) fn new(input: Input, division: Division, limit: u64, pace: Pace) -> io::Result<LineStream> {
        let shared = Arc::new(Shared::default());
        let (shared_by, divider) = (Arc::clone(&shared), Divider::new(division));
        let reader =
            Reader { shared: shared_by, division, divider, line: Vec::new(), dropped: 0, joint: Vec::new(), limit };
        // The thread is not joined, because it may wait forever for input.
        threads::spawn("reader", move || reader.read_all(input))?;
        Ok(LineStream { shared, pace })
    }

    /// The next stretch. Waits until there is one. `None` at the end of the input.
    pub(crate) fn next(&mut self) -> Option<io::Result<Stretch>> {
        let is_idle = |state: &mut State| state.end.is_none() && !state.has_one(self.pace);
        let state = self.shared.changed.wait_while(self.shared.lock(), is_idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let next = state.ready.pop_front().map(Ok);
        self.shared.changed.notify_all();
        // An error is returned once, after all lines before it.
        next.or_else(|| state.end.replace(Ok(()))?.err().map(Err))
    }
}

impl Drop for LineStream {
    fn drop(&mut self) {
        self.shared.lock().is_abandoned = true;
        self.shared.changed.notify_all();
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: VecDeque<Stretch>,
    /// Empty buffers of earlier stretches.
    spare: Vec<Vec<u8>>,
    /// The result of reading, after the end of the input.
    end: Option<io::Result<()>>,
    is_abandoned: bool,
}

impl State {
    /// Whether a stretch can be returned before the end of the input.
    fn has_one(&self, pace: Pace) -> bool {
        match self.ready.front() {
            Some(Stretch::Lines(first)) if self.ready.len() == 1 => {
                pace == Pace::AtOnce || first.len() >= STRETCH_BYTES
            }
            first => first.is_some(),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that holds the lock can leave the data half changed. So a poisoned lock is used as well.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds lines to the last stretch, or as a new one: the one that `begun` has the start of, and those in `lines`.
    /// `begun` is empty afterwards. Waits until there is room. Returns whether the stream is still in use.
    fn add_lines(self: &Arc<Shared>, begun: &mut Vec<u8>, lines: &[u8]) -> bool {
        let mut state = self.wait_for_room();
        let has_room = |last: &mut Stretch| matches!(last, Stretch::Lines(last) if last.len() < STRETCH_BYTES);
        if !state.ready.back_mut().is_some_and(has_room) {
            let bytes = state.spare.pop().unwrap_or_default();
            state.ready.push_back(Stretch::Lines(StretchBytes { bytes, stream: Arc::downgrade(self) }));
        }
        if let Some(Stretch::Lines(last)) = state.ready.back_mut() {
            if !last.bytes.is_empty() {
                // It is probably filled, so it does not grow in steps.
                last.bytes.reserve((STRETCH_BYTES + READ_BYTES).saturating_sub(last.bytes.len()));
            }
            last.bytes.append(begun);
            last.bytes.extend_from_slice(lines);
        }
        self.changed.notify_all();
        !state.is_abandoned
    }

    /// Adds a line that is too long. Waits until there is room. Returns whether the stream is still in use.
    fn add_too_long(&self, bytes: u64, joint: Vec<u8>) -> bool {
        let mut state = self.wait_for_room();
        state.ready.push_back(Stretch::TooLong { bytes, joint });
        self.changed.notify_all();
        !state.is_abandoned
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let is_full = |state: &mut State| state.ready.len() > READY && !state.is_abandoned;
        self.changed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the buffer of a stretch that is no longer needed, unless it had to hold a very long line.
    fn take_back(&self, mut bytes: Vec<u8>) {
        let mut state = self.lock();
        if state.spare.len() < SPARE && bytes.capacity() <= 2 * STRETCH_BYTES {
            bytes.clear();
            state.spare.push(bytes);
        }
    }
}

/// The state of the reading thread.
struct Reader {
    shared: Arc<Shared>,
    division: Division,
    divider: Divider,
    /// The start of a line whose end was not read yet.
    line: Vec<u8>,
    /// Number of dropped bytes of the current line. 0 if the line is not too long.
    dropped: u64,
    /// The joint of the current line, if it is a JSON value and too long.
    joint: Vec<u8>,
    limit: u64,
}

impl Reader {
    fn read_all(mut self, input: Input) {
        let end = self.read_lines(input);
        self.shared.lock().end = Some(end);
        self.shared.changed.notify_all();
    }

    fn read_lines(&mut self, mut input: Input) -> io::Result<()> {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => {
                    self.end_line();
                    return Ok(());
                }
                Ok(read) => {
                    if !self.take(&buffer[..read]) {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Passes on the lines that end in `bytes`, and keeps the start of a line that does not end there. Returns whether
    /// the stream is still in use.
    fn take(&mut self, bytes: &[u8]) -> bool {
        // The bytes before `sent` were passed on or dropped. The current line begins at `start`, or before `bytes`.
        let (mut sent, mut start, mut begun) = (0, 0, self.line.len());
        let mut is_any_whole = false;
        loop {
            let end = self.divider.end(&bytes[start..]).map(|length| start + length);
            let more = &bytes[start..end.unwrap_or(bytes.len())];
            if self.is_too_long(begun + more.len()) {
                if begun == 0 && !self.pass_on(&bytes[sent..start]) {
                    return false;
                }
                self.drop(more);
                if end.is_some() && !self.end_line() {
                    return false;
                }
                sent = start + more.len();
            }
            let Some(end) = end else { break };
            (start, begun, is_any_whole) = (end, 0, true);
        }
        if is_any_whole && !self.pass_on(&bytes[sent.min(start)..start]) {
            return false;
        }
        self.line.extend_from_slice(&bytes[start.max(sent)..]);
        true
    }

    /// Whether the current line is too long with this number of bytes.
    fn is_too_long(&self, bytes: usize) -> bool {
        // A line end of up to 2 bytes does not count.
        self.dropped > 0 || bytes as u64 > self.limit.saturating_add(2)
    }

    /// Drops what was kept of the current line, and `more` of it.
    fn drop(&mut self, more: &[u8]) {
        if self.dropped == 0 && self.division == Division::Values {
            self.joint = joint(&[&self.line, more].concat()).to_vec();
        }
        self.dropped += (self.line.len() + more.len()) as u64;
        self.line.clear();
    }

    /// Passes on whole lines: the one that was begun before, and those in `lines`. Returns whether the stream is still
    /// in use.
    fn pass_on(&mut self, lines: &[u8]) -> bool {
        self.line.is_empty() && lines.is_empty() || self.shared.add_lines(&mut self.line, lines)
    }

    /// Passes on the current line, which is complete. Returns whether the stream is still in use.
    fn end_line(&mut self) -> bool {
        match std::mem::take(&mut self.dropped) {
            0 => self.pass_on(&[]),
            bytes => self.shared.add_too_long(bytes, std::mem::take(&mut self.joint)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use proptest::prelude::*;

    use super::*;

    /// A reader of the pieces that are sent to it. It waits between them.
    struct Pipe(mpsc::Receiver<Vec<u8>>);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Ok(piece) = self.0.recv() else { return Ok(0) };
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn pipe(limit: u64) -> (mpsc::Sender<Vec<u8>>, LineStream) {
        let (send, receive) = mpsc::channel();
        (send, LineStream::new(Box::new(Pipe(receive)), Division::Lines, limit, Pace::AtOnce).expect("a thread"))
    }

    fn all(mut stream: LineStream) -> Vec<Stretch> {
        std::iter::from_fn(|| stream.next()).map(|stretch| stretch.expect("read")).collect()
    }

    #[test]
    fn a_line_is_there_as_soon_as_it_has_come() {
        let (send, mut stream) = pipe(100);
        for line in ["one\n", "two\n"] {
            send.send(line.into()).expect("sent");
            assert_eq!(stream.next().expect("more").expect("read"), Stretch::Lines(line.as_bytes().to_vec().into()));
        }
        send.send("last".into()).expect("sent");
        drop(send);
        assert_eq!(all(stream), [Stretch::Lines(b"last".to_vec().into())]);
    }

    #[test]
    fn an_error_comes_after_what_was_read() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let stream = LineStream::new(Box::new(b"one\ntw".chain(Broken)), Division::Lines, 100, Pace::AtOnce);
        let mut stream = stream.expect("a thread");
        assert_eq!(stream.next().expect("more").expect("read"), Stretch::Lines(b"one\n".to_vec().into()));
        assert_eq!(stream.next().expect("more").expect_err("an error").to_string(), "broken");
        assert!(stream.next().is_none());
    }

    #[test]
    fn stretches_of_a_file_do_not_depend_on_how_fast_it_is_read() {
        let bytes = b"a line of a file\n".repeat(5 * STRETCH_BYTES / 32);
        let lengths = |pause: u64| {
            let stream = LineStream::new(Box::new(io::Cursor::new(bytes.clone())), Division::Lines, 100, Pace::Steady);
            let mut stream = stream.expect("a thread");
            let next = || {
                std::thread::sleep(std::time::Duration::from_millis(pause));
                stream.next().map(|stretch| match stretch.expect("read") {
                    Stretch::Lines(lines) => lines.len(),
                    Stretch::TooLong { .. } => 0,
                })
            };
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        assert_eq!(lengths(0), lengths(20));
        assert_eq!((lengths(0).len(), lengths(0).iter().sum::<usize>()), (3, bytes.len()));
    }

    #[test]
    fn buffers_are_kept_to_be_filled_again() {
        let bytes = b"a line of a file\n".repeat(3 * STRETCH_BYTES / 16);
        let stream = LineStream::new(Box::new(io::Cursor::new(bytes.clone())), Division::Lines, 100, Pace::Steady);
        let mut stream = stream.expect("a thread");
        let mut read = Vec::new();
        while let Some(Stretch::Lines(lines)) = stream.next().map(|stretch| stretch.expect("read")) {
            read.extend_from_slice(&lines);
        }
        assert!(read == bytes);
        let spare = &stream.shared.lock().spare;
        assert!((1..=SPARE).contains(&spare.len()));
        assert!(spare.iter().all(|buffer| buffer.is_empty() && buffer.capacity() >= READ_BYTES));
    }

    #[test]
    fn who_wants_no_more_ends_the_reading() {
        let (send, stream) = pipe(1 << 30);
        let shared = Arc::downgrade(&stream.shared);
        drop(stream);
        while shared.upgrade().is_some() && send.send(b"more\n".to_vec()).is_ok() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_value_that_is_too_long_leaves_the_brackets() {
        let input = Box::new(&br#"[ {"a": 1}, {"long": 12345}, {}]"#[..]);
        let stream = LineStream::new(input, Division::Values, 10, Pace::Steady).expect("a thread");
        let (bytes, joint) = (17, b", ".to_vec());
        let [one, last] = ["[ {\"a\": 1}", ", {}]"].map(|lines| Stretch::Lines(lines.as_bytes().to_vec().into()));
        assert_eq!(all(stream), [one, Stretch::TooLong { bytes, joint }, last]);
    }

    proptest! {
        #[test]
        fn the_stretches_are_the_stream(pieces in prop::collection::vec("[a\n]{0,12}", 0..12), limit in 1u64..8) {
            let whole: String = pieces.concat();
            let (send, stream) = pipe(limit);
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                send.send(piece.clone().into_bytes()).expect("sent");
            }
            drop(send);
            let named = |line: &str| match line.len() as u64 > limit + 2 {
                true => format!("too long: {}", line.len()),
                false => line.to_owned(),
            };
            let expected: Vec<String> = whole.split_inclusive('\n').map(named).collect();
            let found: Vec<String> = all(stream).into_iter().flat_map(|stretch| match stretch {
                Stretch::Lines(lines) => {
                    let lines = str::from_utf8(&lines).expect("ASCII");
                    lines.split_inclusive('\n').map(named).collect()
                }
                Stretch::TooLong { bytes, .. } => vec![format!("too long: {bytes}")],
            }).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
