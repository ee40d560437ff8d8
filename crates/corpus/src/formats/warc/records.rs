//! Reads the records of a WARC file, one after another.
//!
//! Takes a reader of the unpacked file. Returns each record unchanged. The length in a record's header can be wrong. So
//! it counts only if another record, 2 empty lines or the end of the input follow. Otherwise the record is reported as
//! an error, and the next record is searched for in the following bytes. A record starts at a line that is a version,
//! such as `WARC/1.0`. It may also start with a version at the end of another line, if a whole record follows there. So
//! garbage without a line end hides no record.
//!
//! Empty lines before the first record, or far after a record, belong to no record. They are skipped, because they have
//! no content.
//!
//! A record that is too long is not stored. Its length is not trusted either: if the length were wrong, all records
//! after it would be lost. So the next record is searched for inside the long one. If that contains a WARC file, the
//! records of that file are returned.

use std::io::BufRead;

use super::Record;
use super::header::{Header, is_empty_line};
use super::window::Window;
use crate::Reason;
use crate::skipped::excerpt;

/// Maximum length of the first line of a record, in bytes.
const VERSION_BYTES: usize = 32;

/// Maximum size, in bytes, of the empty lines that belong to the record before them. Normally there are 2 such lines.
const MOST_EMPTY: usize = 4096;

/// Reads the records of a WARC file.
#[derive(Debug)]
pub(crate) struct Records<R: BufRead> {
    window: Window<R>,
    limit: usize,
    /// Whether the start of the next record must be searched for.
    is_lost: bool,
    /// Whether the next byte is in the middle of a line whose start was skipped.
    is_amid_line: bool,
    /// Whether a record is returned before the bytes after it have come, because they may come much later.
    is_live: bool,
}

impl<R: BufRead> Records<R> {
    /// Reads records from `reader`. Records of more than `limit` bytes are errors.
    pub(crate) fn new(reader: R, limit: u64) -> Records<R> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Records { window: Window::new(reader), limit, is_lost: false, is_amid_line: false, is_live: false }
    }

    /// The same records. If `is_live`, each is returned as soon as it has come.
    pub(crate) fn live(self, is_live: bool) -> Records<R> {
        Records { is_live, ..self }
    }

    /// Whether the records are live and the next one has not begun to come.
    pub(crate) fn must_wait(&self) -> bool {
        self.is_live && self.window.bytes().is_empty()
    }

    /// The next record. After an error, the next record that can be found. An error of the reader is returned, and the
    /// next call tries to read again. If reading fails twice without a byte in between, the records end.
    pub(crate) fn next(&mut self) -> Option<Result<Record, Reason>> {
        loop {
            let is_doubtful = self.skip_to_record();
            if self.window.bytes().is_empty() {
                let failure = self.window.take_failure()?;
                self.is_lost = true;
                return Some(Err(failure.into()));
            }
            let record = self.record();
            if let Err(reason) = &record {
                (self.is_lost, self.is_amid_line) = (true, true);
                self.window.skip(1);
                // In the middle of a line, only a whole record counts, because other text may look like the start of a
                // record.
                if is_doubtful && !matches!(reason, Reason::Unreadable(_)) {
                    continue;
                }
            }
            return Some(record);
        }
    }

    /// Skips bytes up to the next possible record. Returns whether this record starts in the middle of a line.
    fn skip_to_record(&mut self) -> bool {
        while self.window.fill(1) {
            let starts_line = !self.is_amid_line;
            if starts_line && (self.is_here(0) || !self.is_lost && self.empty_line_at(0).is_none()) {
                break;
            }
            if self.is_lost && self.skip_to_version() {
                (self.is_lost, self.is_amid_line) = (false, false);
                return true;
            }
            self.window.skip_line();
            self.is_amid_line = false;
        }
        (self.is_lost, self.is_amid_line) = (false, false);
        false
    }

    /// Skips to a version at the end of the current line, or else to the line end. Returns whether there is a version.
    fn skip_to_version(&mut self) -> bool {
        while self.window.fill(1) {
            let bytes = self.window.bytes();
            let Some(found) = bytes.iter().position(|&byte| byte == b'W' || byte == b'\n') else {
                let passed = bytes.len();
                self.window.skip(passed);
                continue;
            };
            let is_over = bytes[found] == b'\n';
            self.window.skip(found);
            match is_over {
                true => return false,
                false if self.is_here(0) => return true,
                false => self.window.skip(1),
            }
        }
        false
    }

    fn record(&mut self) -> Result<Record, Reason> {
        let header_end = self.header_end()?;
        let length = content_length(Header::new(&self.window.bytes()[..header_end]))?;
        let bytes = length.saturating_add(header_end as u64);
        let end = usize::try_from(bytes).ok().filter(|&end| end <= self.limit).ok_or_else(|| self.too_large(bytes))?;
        if !self.window.fill(end) {
            return Err(self.cut_off());
        }
        let next = self.next_start(end).ok_or(Reason::WrongLength(length))?;
        Ok(Record::new(self.window.take(next), header_end, end))
    }

    /// The end of the header that starts here. Fails if there is no whole header.
    fn header_end(&mut self) -> Result<usize, Reason> {
        if !self.is_here(0) {
            return Err(self.no_record());
        }
        let mut start = 0;
        loop {
            let end = self.window.line_end(start, self.limit).filter(|&end| end <= self.limit);
            let end = end.ok_or_else(|| self.too_large(self.window.bytes().len() as u64))?;
            let line = &self.window.bytes()[start..end];
            match line {
                _ if !line.ends_with(b"\n") => return Err(self.cut_off()),
                _ if is_empty_line(line) => return Ok(end),
                _ if start > 0 && is_version(line) => return Err(Reason::RecordCutOff),
                _ => start = end,
            }
        }
    }

    /// The start of the next record, or the end of the input. `None` if the record before cannot end at `end`.
    fn next_start(&mut self, end: usize) -> Option<usize> {
        let mut start = end;
        let mut empty_lines = 0;
        loop {
            // In a live stream, 2 empty lines end a record, without waiting for the next bytes.
            if self.is_live && empty_lines >= 2 && self.window.bytes().len() == start {
                return Some(start);
            }
            let Some(length) = self.empty_line_at(start) else { break };
            if start + length > end + MOST_EMPTY {
                break;
            }
            start += length;
            empty_lines += 1;
        }
        let is_end = self.window.bytes().len() == start;
        (empty_lines >= 2 || is_end || self.is_here(start)).then_some(start)
    }

    /// The length of the empty line at `start`. `None` if there is none.
    fn empty_line_at(&mut self, start: usize) -> Option<usize> {
        self.window.fill(start + 2);
        match self.window.bytes()[start..] {
            [b'\n', ..] => Some(1),
            [b'\r', b'\n', ..] => Some(2),
            _ => None,
        }
    }

    /// Whether a record starts at `start`.
    fn is_here(&mut self, start: usize) -> bool {
        self.window.fill(start + VERSION_BYTES);
        let bytes = self.window.bytes();
        let mut head = bytes[start..].iter().take(VERSION_BYTES);
        let length = head.position(|&byte| byte == b'\n');
        length.is_some_and(|length| is_version(&bytes[start..start + length]))
    }

    /// The reason why no record starts here: a failure of the reader, or other content.
    fn no_record(&mut self) -> Reason {
        if !self.window.fill(VERSION_BYTES)
            && let Some(failure) = self.window.take_failure()
        {
            return failure.into();
        }
        let head = self.window.bytes().iter().take(VERSION_BYTES).take_while(|&&byte| byte != b'\n');
        let head: Vec<u8> = head.copied().collect();
        Reason::NotARecord(String::from_utf8_lossy(&head).trim_end().to_owned())
    }

    /// The reason why a record is incomplete: a failure of the reader, or the end of the input.
    fn cut_off(&mut self) -> Reason {
        self.window.take_failure().map_or(Reason::RecordCutOff, Reason::from)
    }

    fn too_large(&self, bytes: u64) -> Reason {
        Reason::RecordTooLarge { bytes, limit: self.limit as u64 }
    }
}

/// Whether a line is the first line of a record, such as `WARC/1.0`.
fn is_version(line: &[u8]) -> bool {
    let Some(version) = line.strip_prefix(b"WARC/") else {
        return false;
    };
    let mut numbers = version.trim_ascii_end().split(|&byte| byte == b'.');
    let mut is_number =
        || numbers.next().is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
    is_number() && is_number() && numbers.next().is_none()
}

fn content_length(header: Header) -> Result<u64, Reason> {
    let value = header.value("Content-Length").ok_or(Reason::NoLength)?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let length = value.parse().ok().filter(|_| is_number);
    length.ok_or_else(|| Reason::LengthNotANumber(excerpt(&value)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{LIMIT, read, record};
    use super::super::window::tests::Failing;
    use super::*;

    /// The blocks of records, and the messages of errors.
    fn told(records: impl IntoIterator<Item = Result<Record, Reason>>) -> Vec<String> {
        let tell = |record: Result<Record, Reason>| match record {
            Ok(record) => String::from_utf8_lossy(record.block()).into_owned(),
            Err(reason) => format!("! {reason}"),
        };
        records.into_iter().map(tell).collect()
    }

    fn told_of(file: &[u8]) -> Vec<String> {
        told(read(file))
    }

    fn all<R: BufRead>(reader: R, limit: u64) -> Vec<Result<Record, Reason>> {
        let mut records = Records::new(reader, limit);
        std::iter::from_fn(|| records.next()).collect()
    }

    /// A reader that gives these bytes at once. Reading more would wait forever.
    struct Waiting<'a>(&'a [u8]);

    impl std::io::Read for Waiting<'_> {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            unreachable!("it is read as a buffer")
        }
    }

    impl BufRead for Waiting<'_> {
        fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
            assert!(!self.0.is_empty(), "it waits forever");
            Ok(self.0)
        }

        fn consume(&mut self, count: usize) {
            self.0 = &self.0[count..];
        }
    }

    #[test]
    fn a_live_record_does_not_wait_for_the_next_one() {
        let file = [record("WARC-Type: a", b"one"), record("WARC-Type: b", b"two")].concat();
        let mut records = Records::new(Waiting(&file), LIMIT).live(true);
        for (expected, must_wait) in [("one", false), ("two", true)] {
            assert_eq!(told(records.next()), [expected]);
            assert_eq!(records.must_wait(), must_wait);
        }
    }

    #[test]
    fn records_one_after_another() {
        let file =
            [record("WARC-Type: a", b"one"), record("WARC-Type: b", b""), record("WARC-Type: c", b"three")].concat();
        assert_eq!(told_of(&file), ["one", "", "three"]);
        let kinds: Vec<String> = read(&file).into_iter().flatten().map(|record| record.kind().to_owned()).collect();
        assert_eq!(kinds, ["a", "b", "c"]);
        assert!(read(b"").is_empty() && read(b"\r\n\n\n").is_empty());
    }

    #[test]
    fn versions_names_and_lines_may_be_written_in_other_ways() {
        let file = b"WARC/0.17 \nCONTENT-LENGTH:3\n\none\n\n\
            WARC/1.1\r\nX: a\r\n b\r\ncontent-length :\r\n  3\r\n\r\ntwo\r\n\r\n\r\n\r\n\r\n\
            WARC/1.0\r\nnonsense\r\nContent-Length: 5\r\n\r\nthree\r\n\
            WARC/1.0\r\nContent-Length: 4\r\n\r\nfour\
            WARC/1.0\r\nContent-Length: 4\r\n\r\nfive";
        assert_eq!(told_of(file), ["one", "two", "three", "four", "five"]);
        let raw: Vec<u8> = read(file).into_iter().flatten().flat_map(|record| record.raw().to_vec()).collect();
        assert_eq!(raw, file);
    }

    #[test]
    fn what_is_no_record_is_named_and_passed_over() {
        let file =
            [&b"junk\nmore\r\n"[..], &record("", b"one"), b"WARC/x\r\n\r\n", &record("", b"two"), b"end"].concat();
        let junk = |start: &str| {
            format!(
                "! a WARC record must start here, but there is {start:?}: get the file again if it \
                                   is damaged"
            )
        };
        assert_eq!(told_of(&file), [junk("junk"), "one".to_owned(), junk("WARC/x"), "two".to_owned(), junk("end")]);
    }

    #[test]
    fn garbage_without_a_line_end_hides_no_record() {
        let [one, two, three] = [&b"one"[..], b"two", b"three"].map(|block| record("", block));
        for garbage in ["x", "WARC/", "WARC/1.0", "junk\nmore", "WARC/1.0 is what it should be, WARC/1."] {
            let file = [&one, garbage.as_bytes(), &two, &three].concat();
            let told = told_of(&file);
            assert_eq!(
                (told.len(), &told[0], &told[2..]),
                (4, &"one".to_owned(), &["two", "three"].map(str::to_owned)[..])
            );
            assert!(told[1].starts_with("! a WARC record must start here, but there is \""), "{}", told[1]);
        }
        // A version at the end of a line is not the start of a record by itself.
        let file = [&one, &b"format: WARC/1.0\nother: WARC/1.0\n\n"[..], &two].concat();
        assert_eq!(told_of(&file).len(), 3);
    }

    #[test]
    fn a_record_that_does_not_say_its_length_is_passed_over() {
        let bad = |field: &str| format!("WARC/1.0\r\n{field}\r\n\r\nlost\r\n\r\n").into_bytes();
        let number =
            |value: &str| format!("! the WARC record has the Content-Length {value:?}: set it to a number of bytes");
        for (field, reason) in [
            ("X: 1", "! the WARC record has no Content-Length: write the file with a tool that sets it".to_owned()),
            ("Content-Length: +4", number("+4")),
            ("Content-Length:", number("")),
            ("Content-Length: 99999999999999999999", number("99999999999999999999")),
        ] {
            let file = [record("", b"one"), bad(field), record("", b"two")].concat();
            assert_eq!(told_of(&file), ["one".to_owned(), reason, "two".to_owned()]);
        }
    }

    #[test]
    fn a_wrong_length_costs_its_own_record_alone() {
        for length in [1, 6, 8, 10, 30, 60] {
            let wrong = format!("WARC/1.0\r\nContent-Length: {length}\r\n\r\nlost\n\nit is\r\n\r\n").into_bytes();
            let file = [record("", b"one"), wrong, record("", b"two"), record("", b"three")].concat();
            let told = told_of(&file);
            let reason = format!(
                "! the WARC record does not end after the {length} bytes of its Content-Length: \
                 get the file again if it is damaged"
            );
            assert_eq!(told, ["one", &reason, "two", "three"], "{length}");
        }
    }

    #[test]
    fn a_file_that_is_cut_off_says_so() {
        let cut_off = "! the WARC record is cut off: get the file again if it should be complete";
        let file = [record("", b"one"), record("", b"two")].concat();
        let second = record("", b"one").len();
        for end in second + "WARC/1.0\n".len() + 1..file.len() - "\r\n\r\n".len() {
            assert_eq!(told_of(&file[..end]), ["one", cut_off], "{end}");
        }
        // A length beyond the end of the file must not hide the next record.
        let long = b"WARC/1.0\r\nContent-Length: 5000\r\n\r\nlost\r\n\r\n";
        assert_eq!(told_of(&[&long[..], &file].concat()), [cut_off, "one", "two"]);
        assert_eq!(told_of(&[b"WARC/1.0\r\nContent-Le", &b"\r\n"[..], &file].concat()), [cut_off, "one", "two"]);
    }

    #[test]
    fn long_records_are_passed_over() {
        let long = record("", &b"0123456789\n".repeat(9_000));
        let file = [record("", b"one"), long, record("", b"two")].concat();
        let mut records = Records::new(&file[..], 100);
        let told = told(std::iter::from_fn(|| records.next()));
        let reason = "! the WARC record has 99035 bytes or more, and the limit is 100: set the crawler to cut off longer \
             records";
        assert_eq!(told, ["one", reason, "two"]);
        assert!(!records.window.has_held(file.len()));
    }

    #[test]
    fn long_headers_are_passed_over() {
        let fields = "X: 0123456789\r\n".repeat(9_000);
        let file = [record(&fields, b"lost"), record("", b"two")].concat();
        let told = told(all(&file[..], 100));
        assert!(told[0].starts_with("! the WARC record has ") && told[1] == "two", "{told:?}");
    }

    #[test]
    fn wrong_lengths_take_no_longer_than_right_ones() {
        let count = 20_000;
        let file = b"WARC/1.0\r\nContent-Length: 300000\r\n\r\n".repeat(count);
        let start = std::time::Instant::now();
        assert_eq!(read(&file).len(), count);
        assert!(start.elapsed().as_secs() < 5);
    }

    #[test]
    fn long_stretches_of_empty_lines_are_no_part_of_a_record() {
        let file = [record("", b"one"), b"\r\n".repeat(90_000), record("", b"two")].concat();
        let records = read(&file);
        assert!(records.iter().flatten().all(|record| record.raw().len() < 2 * MOST_EMPTY));
        assert_eq!(told(records), ["one", "two"]);
    }

    #[test]
    fn a_gap_in_the_input_costs_what_it_cuts() {
        let (one, two, three) = (record("", b"one"), record("", b"two"), record("", b"three"));
        let gap = "! cannot be read: a gap";
        for step in [1, 7, 1000] {
            let told = |stretches: &[&[u8]]| told(all(Failing { stretches: stretches.to_vec(), step }, LIMIT));
            assert_eq!(told(&[&one, &two]), ["one", gap, "two"]);
            assert_eq!(told(&[&one, &[&two[5..], &three].concat()]), ["one", gap, "three"]);
            assert_eq!(told(&[&one, &two[..20], &three]), ["one", gap, gap, "three"]);
            assert_eq!(
                told(&[&[&one[..], &two[..30]].concat(), &[&two[30..], &three].concat()]),
                ["one", gap, "three"]
            );
            assert_eq!(told(&[&one[..9], b"", b"", b""]), [gap]);
        }
    }

    fn some_record() -> impl Strategy<Value = Vec<u8>> {
        let block = prop_oneof![any::<Vec<u8>>(), "(WARC/1|[\r\n]|a){0,9}".prop_map(String::into_bytes)];
        ("(X-[A-Z]: [a-zé]{0,9}\n){0,3}", block).prop_map(|(fields, block)| record(&fields, &block))
    }

    proptest! {
        #[test]
        fn records_are_the_file(
            records in prop::collection::vec(some_record(), 0..6),
            step in 1..99_usize,
        ) {
            let file = records.concat();
            let found = all(Failing { stretches: vec![&file], step }, LIMIT);
            let found: Result<Vec<Record>, Reason> = found.into_iter().collect();
            let found: Vec<Vec<u8>> = found.expect("records").iter().map(|record| record.raw().to_vec()).collect();
            prop_assert_eq!(found, records);
        }

        #[test]
        fn good_records_are_found_between_garbage(
            records in prop::collection::vec((some_record(), "[^\r\nW][^W]{0,40}|", any::<bool>()), 1..6),
        ) {
            let lines = records.iter().flat_map(|(record, garbage, ends)| {
                [&record[..], garbage.as_bytes(), if *ends && !garbage.is_empty() { b"\n" } else { b"" }].concat()
            });
            let file: Vec<u8> = lines.collect();
            let found: Vec<Vec<u8>> = read(&file).iter().flatten().map(|record| record.raw().to_vec()).collect();
            let records: Vec<Vec<u8>> = records.into_iter().map(|(record, ..)| record).collect();
            prop_assert_eq!(found, records);
        }
    }
}
