//! WARC files that grow. Whenever the crawler is stopped, their whole records are found again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use crate::record::about_file;

/// How records are packed. Each record is packed alone, so it can be read without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// gzip: `.warc.gz`
    Gzip,
    /// Zstandard: `.warc.zst`
    Zstandard,
}

impl Packing {
    /// Packs a record.
    pub fn pack(self, record: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::with_capacity(record.len() / 3), Compression::default());
                encoder.write_all(record)?;
                encoder.finish()
            }
            Packing::Zstandard => zstd::encode_all(record, 0),
        }
    }

    /// Unpacks the next record of `packed`. `None` at the end, and if the record is cut off.
    fn unpack(self, packed: &mut BufReader<impl Read>) -> io::Result<Option<Vec<u8>>> {
        let mut record = Vec::new();
        let read = match self {
            Packing::Gzip => GzDecoder::new(packed).read_to_end(&mut record),
            Packing::Zstandard => {
                zstd::Decoder::with_buffer(packed).and_then(|decoder| decoder.single_frame().read_to_end(&mut record))
            }
        };
        match read {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(record)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::InvalidInput
                        | io::ErrorKind::InvalidData
                        | io::ErrorKind::Other // so zstd says that something is not Zstandard
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Packing::Gzip => "warc.gz",
            Packing::Zstandard => "warc.zst",
        }
    }
}

/// A position in an archive: a byte of the file with this number. Numbers start at 1; 0 means that there is no file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// The number of the file.
    pub number: u32,
    /// The byte in the file.
    pub byte: u64,
}

/// The WARC files of a folder.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    packing: Packing,
    /// A file that has at least this many bytes gets no more records; the next file is begun.
    size: u64,
    user_agent: String,
    position: Position,
    file: Option<File>,
}

impl Archive {
    /// Opens the archive in a folder, which was written up to `position`. Calls `found` with each whole record after
    /// that, and with its position. Deletes everything after the last whole record.
    ///
    /// # Errors
    /// If a file cannot be read or written, or ends before the position.
    pub fn open(
        folder: &Path,
        packing: Packing,
        size: u64,
        user_agent: &str,
        position: Position,
        mut found: impl FnMut(&[u8], Position) -> io::Result<()>,
    ) -> io::Result<Archive> {
        let (folder, user_agent) = (folder.to_owned(), user_agent.to_owned());
        let mut archive = Archive { folder, packing, size, user_agent, position, file: None };
        if archive.position.number > 0 {
            archive.recover(&mut found)?;
        }
        // A file may have begun after the position was noted.
        while archive.path(archive.position.number + 1).exists() {
            archive.position = Position { number: archive.position.number + 1, byte: 0 };
            archive.recover(&mut found)?;
        }
        Ok(archive)
    }

    fn recover(&mut self, found: &mut impl FnMut(&[u8], Position) -> io::Result<()>) -> io::Result<()> {
        let path = self.path(self.position.number);
        let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
        let length = file.metadata()?.len();
        if length < self.position.byte {
            let message = format!("it has {length} bytes, and the crawler wrote {}", self.position.byte);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let mut end = file.seek(SeekFrom::Start(self.position.byte))?;
        let mut packed = BufReader::new(&mut file);
        while let Some(record) = self.packing.unpack(&mut packed)? {
            found(&record, Position { byte: end, ..self.position })?;
            end = packed.stream_position()?;
        }
        if end == 0 {
            // The file was just begun. Without a record, it is not a WARC file.
            std::fs::remove_file(&path)?;
            let number = self.position.number - 1;
            let byte = if number == 0 { 0 } else { self.path(number).metadata()?.len() };
            self.position = Position { number, byte };
            return Ok(());
        }
        if end < length {
            file.set_len(end)?;
        }
        file.seek(SeekFrom::Start(end))?;
        self.position.byte = end;
        self.file = Some(file);
        Ok(())
    }

    /// The path of the file with this number.
    pub fn path(&self, number: u32) -> PathBuf {
        self.folder.join(name(number, self.packing))
    }

    /// The record at this position. `None` if there is none.
    pub fn read(&self, position: Position) -> io::Result<Option<Vec<u8>>> {
        let mut file = File::open(self.path(position.number))?;
        file.seek(SeekFrom::Start(position.byte))?;
        self.packing.unpack(&mut BufReader::new(file))
    }

    /// Adds packed records at the end. Returns where they begin.
    pub fn append(&mut self, packed: &[u8]) -> io::Result<Position> {
        if self.position.byte >= self.size {
            self.sync()?;
            self.file = None;
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let number = self.position.number + 1;
                let about = self.packing.pack(&about_file(&name(number, self.packing), &self.user_agent))?;
                let mut file = OpenOptions::new().write(true).create_new(true).open(self.path(number))?;
                file.write_all(&about)?;
                self.position = Position { number, byte: about.len() as u64 };
                self.file.insert(file)
            }
        };
        file.write_all(packed)?;
        let begin = self.position;
        self.position.byte += packed.len() as u64;
        Ok(begin)
    }

    /// Waits until everything is on the disk. Returns the position of the end.
    pub fn sync(&self) -> io::Result<Position> {
        self.file.iter().try_for_each(File::sync_data)?;
        Ok(self.position)
    }

    /// The number of files.
    pub fn files(&self) -> u32 {
        self.position.number
    }
}

fn name(number: u32, packing: Packing) -> String {
    format!("crawl-{number:05}.{}", packing.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 400;

    fn open(folder: &Path, packing: Packing, position: Position) -> (Archive, Vec<String>) {
        let mut found = Vec::new();
        let archive = Archive::open(folder, packing, SIZE, "test", position, |record, _| {
            found.push(String::from_utf8(record.to_vec()).unwrap());
            Ok(())
        });
        (archive.unwrap(), found)
    }

    #[test]
    fn whatever_is_cut_off_the_whole_records_are_found_again() {
        for packing in [Packing::Gzip, Packing::Zstandard] {
            let folder = tempfile::tempdir().unwrap();
            let (mut archive, found) = open(folder.path(), packing, Position::default());
            assert!(found.is_empty());
            let records: Vec<String> = (0..9).map(|number| format!("record {number} {}", "x".repeat(number))).collect();
            let mut positions = Vec::new();
            for record in &records {
                let begin = archive.append(&packing.pack(record.as_bytes()).unwrap()).unwrap();
                assert_eq!(archive.read(begin).unwrap().as_deref(), Some(record.as_bytes()));
                positions.push(archive.sync().unwrap());
            }
            let last = archive.files();
            assert!(last > 1, "it is rolled");
            let whole = std::fs::read(archive.path(last)).unwrap();
            for cut in 0..=whole.len() {
                std::fs::write(archive.path(last), &whole[..cut]).unwrap();
                let until = |position: &Position| position.number < last || position.byte <= cut as u64;
                let expected: Vec<&String> = records
                    .iter()
                    .zip(&positions)
                    .filter(|(_, position)| until(position))
                    .map(|(record, _)| record)
                    .collect();
                let (mut again, found) = open(folder.path(), packing, positions[0]);
                let found: Vec<&String> = found.iter().filter(|record| record.starts_with("record")).collect();
                assert_eq!(found, expected[1..], "{packing:?} {cut}");
                // A record that is added then is read as well.
                again.append(&packing.pack(b"record new").unwrap()).unwrap();
                let (_, found) = open(folder.path(), packing, positions[0]);
                assert_eq!(found.last().map(String::as_str), Some("record new"), "{packing:?} {cut}");
                for number in last + 1..=again.files() {
                    std::fs::remove_file(again.path(number)).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (mut archive, _) = open(folder.path(), Packing::Gzip, Position::default());
        archive.append(b"abc").unwrap();
        let position = Position { byte: 9999, ..archive.sync().unwrap() };
        let error = Archive::open(folder.path(), Packing::Gzip, SIZE, "test", position, |_, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains("9999"), "{error}");
    }
}
