//! Reads whole files that people write or name: settings, lists, models, pattern files.
//!
//! A name may be that of an endless device, or of a huge file of another kind. So no more is read than such a file may
//! have.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Maximum size of such a file, in bytes. Pattern files of large sources, and models, have a few million.
pub const MOST_BYTES_OF_FILE: u64 = 1 << 28;

/// All bytes of `input`.
///
/// # Errors
/// If it cannot be read, or has more than `most` bytes.
pub fn bytes(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than the {most} bytes that such a file may have: is it the right one?");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// All text of `input`.
///
/// # Errors
/// If it cannot be read, has more than `most` bytes, or is not UTF-8.
pub fn text(input: impl Read, most: u64) -> io::Result<String> {
    let not_utf_8 = |_| io::Error::new(ErrorKind::InvalidData, "it is not valid UTF-8: save it as UTF-8");
    String::from_utf8(bytes(input, most)?).map_err(not_utf_8)
}

/// All text of the file, pipe or device that a person named.
///
/// # Errors
/// As for [`text`], with at most [`MOST_BYTES_OF_FILE`] bytes.
pub fn text_at(path: &Path) -> io::Result<String> {
    text(open_named(path)?, MOST_BYTES_OF_FILE)
}

/// Opens the file, pipe or device that a person named. Pipes and terminals are waited for, because somebody writes to
/// them. Other devices, such as the log of the kernel, are not, because the wait could be endless.
///
/// # Errors
/// If it cannot be opened.
pub fn open_named(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::io::IsTerminal;
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        // A pipe that is not waited for looks empty until somebody opens it to write.
        if !std::fs::metadata(path)?.file_type().is_fifo() {
            let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
            if !file.is_terminal() {
                return Ok(file);
            }
        }
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_there_may_be() {
        assert_eq!(text(&b"abc"[..], 3).expect("text"), "abc");
        let error = bytes(io::repeat(b'a'), 3).expect_err("too much").to_string();
        assert_eq!(error, "it has more than the 3 bytes that such a file may have: is it the right one?");
        assert!(text(&b"\xff"[..], 3).is_err());
    }
}
