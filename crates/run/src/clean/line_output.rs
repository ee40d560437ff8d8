//! Lines of JSON on stdout, of one file after another.
//!
//! Passes on the output of each file. Ends the last line of a file if another file follows. Leaves out the byte order
//! mark at the start of a file, because it would be in the middle of the output.

use std::io::{self, Write};

/// A file in UTF-8 may begin with this mark.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes lines to stdout.
pub struct LineOutput<W: Write> {
    sink: W,
    is_at_start: bool,
    is_within_line: bool,
}

impl<W: Write> LineOutput<W> {
    /// Writes lines to `sink`.
    pub fn new(sink: W) -> LineOutput<W> {
        LineOutput { sink, is_at_start: true, is_within_line: false }
    }

    /// Begins the output of another file.
    pub fn next_file(&mut self) -> io::Result<()> {
        if self.is_within_line {
            self.write_all(b"\n")?;
        }
        self.is_at_start = true;
        Ok(())
    }
}

impl<W: Write> Write for LineOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let is_marked = self.is_at_start && bytes.starts_with(BYTE_ORDER_MARK);
        let mark = if is_marked { BYTE_ORDER_MARK.len() } else { 0 };
        let written = self.sink.write(&bytes[mark..]).map_err(named)?;
        self.is_at_start = false;
        if let Some(last) = bytes[mark..][..written].last() {
            self.is_within_line = *last != b'\n';
        }
        Ok(mark + written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush().map_err(named)
    }
}

/// The same error, with a message that names stdout.
pub fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write to stdout: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[&[u8]]) -> String {
        let mut bytes = Vec::new();
        let mut output = LineOutput::new(&mut bytes);
        for file in files {
            file.chunks(4).for_each(|piece| output.write_all(piece).expect("written"));
            output.next_file().expect("written");
        }
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn a_line_ends_where_another_file_follows() {
        assert_eq!(joined(&[b"{1}\n{2}", b"", b"{3}\n", b"{4}"]), "{1}\n{2}\n{3}\n{4}\n");
    }

    #[test]
    fn marks_at_the_start_of_a_file_go_and_others_stay() {
        assert_eq!(joined(&["\u{feff}{1}".as_bytes(), "\u{feff}{\u{feff}}\n".as_bytes()]), "{1}\n{\u{feff}}\n");
    }
}
