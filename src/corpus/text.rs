//! The bytes of a file, and a document's text within them.
//!
//! A large file is mapped, a small one read. A [`Text`] borrows from either, as long as the bytes
//! are the text already, and shares them with the other documents of the file.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::Mmap;

/// Below this, mapping a file costs more than reading it.
const MIN_MAPPED_BYTES: u64 = 64 * 1024;

/// Linux allows a process 65,530 maps by default, and the allocator and threads need some as well.
const MAX_MAPS: usize = 16 * 1024;

static MAPS: AtomicUsize = AtomicUsize::new(0);

/// The text of a document; read it as a `&str`. Cloning one that borrows from a file is cheap.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Owned(String),
    Part { file: Arc<FileBytes>, range: Range<usize> },
}

impl Text {
    /// The text `part`, which is not copied if it lies within `file`.
    pub(super) fn part_of(file: &Arc<FileBytes>, part: &str) -> Text {
        let start = (part.as_ptr() as usize).wrapping_sub(file.as_ptr() as usize);
        if start <= file.len() && part.len() <= file.len() - start {
            let range = start..start + part.len();
            Text(Repr::Part { file: Arc::clone(file), range })
        } else {
            Text(Repr::Owned(part.to_owned()))
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Repr::Owned(text) => text,
            Repr::Part { file, range } => {
                // SAFETY: only `part_of` makes a part, of a `&str` that lay at this very place in
                // these bytes, which do not change (see `map`). Checking again would cost a pass
                // over the document at every look.
                #[allow(unsafe_code)]
                unsafe {
                    str::from_utf8_unchecked(&file[range.clone()])
                }
            }
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Repr::Owned(text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Repr::Owned(text.to_owned()))
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self)
    }
}

/// All bytes of a file.
pub(super) enum FileBytes {
    Read(Vec<u8>),
    Mapped(Map),
}

impl FileBytes {
    /// Reads or maps the file at `path`.
    pub(super) fn open(path: &Path) -> io::Result<FileBytes> {
        FileBytes::of(&mut File::open(path)?)
    }

    /// Reads or maps a file, all of it.
    pub(super) fn of(file: &mut File) -> io::Result<FileBytes> {
        let size = file.metadata()?.len();
        if size >= MIN_MAPPED_BYTES
            && let Some(map) = Map::of(file)
        {
            return Ok(FileBytes::Mapped(map));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(FileBytes::Read(bytes))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Read(bytes) => bytes,
            FileBytes::Mapped(map) => &map.0,
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A mapped file, counted.
pub(super) struct Map(Mmap);

impl Map {
    /// `None` if there are too many maps already, or this file cannot be mapped: it can still be read.
    fn of(file: &File) -> Option<Map> {
        if MAPS.fetch_add(1, Ordering::Relaxed) >= MAX_MAPS {
            MAPS.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        // SAFETY: sound as long as nobody shortens or rewrites the file in place meanwhile, which
        // no program can rule out for its input. It is asked of users; appending to the file, or
        // putting another in its place, does no harm.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(file) };
        if map.is_err() {
            MAPS.fetch_sub(1, Ordering::Relaxed);
        }
        map.ok().map(Map)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        MAPS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(bytes: &[u8]) -> Arc<FileBytes> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), bytes).expect("written");
        Arc::new(FileBytes::open(file.path()).expect("opened"))
    }

    #[test]
    fn large_files_are_mapped_and_small_ones_read() {
        let small = file_of(&[b'x'; 64 * 1024 - 1]);
        assert!(matches!(*small, FileBytes::Read(_)));
        let large = file_of(&[b'x'; 64 * 1024]);
        assert!(matches!(*large, FileBytes::Mapped(_)));
        assert_eq!(large.len(), 64 * 1024);
    }

    #[test]
    fn an_empty_file_is_an_empty_text() {
        let empty = file_of(b"");
        assert_eq!(&*Text::part_of(&empty, ""), "");
    }

    #[test]
    fn a_text_within_the_file_is_borrowed_and_outlives_the_handle() {
        let file = file_of("größe".as_bytes());
        let whole = str::from_utf8(&file).expect("UTF-8");
        let text = Text::part_of(&file, &whole[2..]);
        assert!(matches!(text.0, Repr::Part { .. }));
        drop(file);
        assert_eq!(&*text, "öße");
    }

    #[test]
    fn a_text_from_elsewhere_is_copied() {
        let file = file_of(b"some bytes");
        let text = Text::part_of(&file, "elsewhere");
        assert!(matches!(text.0, Repr::Owned(_)));
        assert_eq!(&*text, "elsewhere");
    }
}
