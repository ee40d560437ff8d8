//! gzip and Zstandard: detection, decompression and compression.
//!
//! Takes any reader or writer. The compression is detected from the first bytes. A stream may consist of several
//! members (gzip) or frames (Zstandard), one after the other. In crawls, each record has its own member or frame.
//!
//! A Zstandard file says how large a window decompression needs, up to 2 GiB (`zstd --long=31`). This memory is
//! reserved before reading, but only used as far as there is data.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use zstd::stream::{read, write};

/// Number of bytes that are read from the input at a time.
const BUFFER_BYTES: usize = 256 * 1024;

/// If the first member is at least this long, unpacked, the file does not count as compressed record by record.
const LONGEST_RECORD: u64 = 16 << 20;

/// The largest window of Zstandard, as a power of 2.
const LONGEST_WINDOW: u32 = if cfg!(target_pointer_width = "64") { 31 } else { 30 };

/// A reader that any thread can use.
pub(crate) type Input = Box<dyn Read + Send>;

/// A compression format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// gzip, RFC 1952.
    Gzip,
    /// Zstandard, RFC 8878.
    Zstd,
}

impl Compression {
    /// The compression of data that starts with these bytes. File names do not count.
    pub(crate) fn of(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, 8, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// Whether each record of the file is compressed by itself. This is assumed if the first member is short and not
    /// the only one.
    pub(crate) fn is_by_record(file: File) -> io::Result<bool> {
        let mut input = buffered(Box::new(file));
        let first_ends = |first: &mut dyn Read| {
            io::copy(&mut first.take(LONGEST_RECORD), &mut io::sink()).map(|bytes| bytes < LONGEST_RECORD)
        };
        let ends = match Compression::of(input.fill_buf()?) {
            Compression::None => false,
            Compression::Gzip => first_ends(&mut GzDecoder::new(&mut input))?,
            Compression::Zstd => first_ends(&mut Frames::new(&mut input)?.single())?,
        };
        Ok(ends && !input.fill_buf()?.is_empty())
    }
}

/// Detects the compression of `input`. Returns the compression and a reader of the unpacked data.
pub(crate) fn decompressed(input: Input) -> io::Result<(Compression, Input)> {
    let mut input = buffered(input);
    let compression = Compression::of(input.fill_buf()?);
    let behind: Input = match compression {
        Compression::None => Box::new(input),
        Compression::Gzip => Box::new(Members { open: Some(GzDecoder::new(input)) }),
        Compression::Zstd => Box::new(Frames::new(input)?),
    };
    Ok((compression, behind))
}

/// A reader that counts the bytes read from it.
pub(crate) struct Counted {
    input: Input,
    taken: Arc<AtomicU64>,
}

impl Counted {
    /// Adds the number of bytes read from `input` to `taken`.
    pub(crate) fn new(input: Input, taken: Arc<AtomicU64>) -> Counted {
        Counted { input, taken }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.taken.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

fn buffered(input: Input) -> BufReader<Input> {
    BufReader::with_capacity(BUFFER_BYTES, input)
}

/// Reads all members of a gzip stream. Zeros after the last member are ignored, because tapes and some programs fill up
/// files with zeros. Other data there are an error. flate2's reader of several members is not used, because it ends
/// without an error at any such data.
struct Members<R> {
    /// `None` at the end of the stream.
    open: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.open {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.open = self.open.take().map_or(Ok(None), |member| next_member(member.into_inner()))?;
        }
        Ok(0)
    }
}

fn next_member<R: BufRead>(mut rest: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let start = rest.fill_buf()?;
        match start.iter().position(|&byte| byte != 0) {
            _ if start.is_empty() => return Ok(None),
            Some(0) if start[0] == 0x1f => return Ok(Some(GzDecoder::new(rest))),
            Some(_) => return Err(io::Error::new(ErrorKind::InvalidData, "the data after the gzip data are not gzip")),
            None => {
                let zeros = start.len();
                rest.consume(zeros);
            }
        }
    }
}

/// All frames of a Zstandard stream.
struct Frames<R: BufRead>(read::Decoder<'static, R>);

impl<R: BufRead> Frames<R> {
    fn new(input: R) -> io::Result<Frames<R>> {
        let mut decoder = read::Decoder::with_buffer(input)?;
        decoder.window_log_max(LONGEST_WINDOW)?;
        Ok(Frames(decoder))
    }

    /// Only the first frame.
    fn single(self) -> Frames<R> {
        Frames(self.0.single_frame())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.to_string().contains("memory") {
            true => io::Error::new(
                ErrorKind::OutOfMemory,
                "its Zstandard window needs more memory than is available: decompress it (zstd -d --long=31), or \
                 compress it again without --long",
            ),
            false => error,
        })
    }
}

/// Compresses the bytes that are written to it. [`finish`](Encoder::finish) must be called at the end.
///
/// The output does not depend on the sizes of the writes. The output of a compressor may depend on them, so compressors
/// get blocks of a fixed size.
pub struct Encoder<W: Write> {
    sink: Sink<W>,
    block: Vec<u8>,
}

enum Sink<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Zstd(Box<write::Encoder<'static, W>>),
}

impl<W: Write> Encoder<W> {
    /// Writes to `writer` in this compression, at its default level. Fails if Zstandard cannot be set up.
    pub fn new(writer: W, compression: Compression) -> io::Result<Encoder<W>> {
        let sink = match compression {
            Compression::None => Sink::Plain(writer),
            Compression::Gzip => Sink::Gzip(Box::new(GzEncoder::new(writer, flate2::Compression::default()))),
            Compression::Zstd => {
                let mut encoder = write::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                // Readers need the checksum to notice a damaged file.
                encoder.include_checksum(true)?;
                Sink::Zstd(Box::new(encoder))
            }
        };
        Ok(Encoder { sink, block: Vec::new() })
    }

    /// Writes the rest and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.sink.write_all(&self.block)?;
        match self.sink {
            Sink::Plain(writer) => Ok(writer),
            Sink::Gzip(encoder) => encoder.finish(),
            Sink::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BUFFER_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BUFFER_BYTES {
            self.sink.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(taken)
    }

    /// Passes on all bytes if the output is not compressed. Bytes to compress wait until their block is full.
    fn flush(&mut self) -> io::Result<()> {
        if let Sink::Plain(writer) = &mut self.sink {
            writer.write_all(&self.block)?;
            self.block.clear();
            writer.flush()?;
        }
        Ok(())
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(writer) => writer.write(bytes),
            Sink::Gzip(encoder) => encoder.write(bytes),
            Sink::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(writer) => writer.flush(),
            Sink::Gzip(encoder) => encoder.flush(),
            Sink::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

    fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
        encoder.write_all(bytes).expect("written");
        encoder.finish().expect("finished")
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let (_, mut behind) = decompressed(Box::new(io::Cursor::new(bytes)))?;
        let mut read = Vec::new();
        behind.read_to_end(&mut read).map(|_| read)
    }

    fn noise(bytes: u32) -> Vec<u8> {
        (0..bytes).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for compression in ALL {
            for bytes in [&b""[..], b"x", &noise(1_000_000)] {
                let written = compressed(bytes, compression);
                assert_eq!(Compression::of(&written), compression);
                assert!(read(written).expect("read") == bytes, "{compression:?}");
            }
        }
    }

    #[test]
    fn members_follow_each_other() {
        for compression in ALL {
            let two = [compressed(b"one, ", compression), compressed(b"two", compression)].concat();
            assert_eq!(read(two).expect("read"), b"one, two");
        }
        let padded = [compressed(b"one", Compression::Gzip), vec![0; 1000]].concat();
        assert_eq!(read(padded).expect("read"), b"one");
    }

    #[test]
    fn what_is_cut_short_or_followed_by_something_else_is_an_error() {
        for compression in [Compression::Gzip, Compression::Zstd] {
            let whole = compressed(&noise(100_000), compression);
            for end in [10, whole.len() / 2, whole.len() - 1] {
                assert!(read(whole[..end].to_vec()).is_err(), "{compression:?} {end}");
            }
            assert!(read([whole, b"garbage".to_vec()].concat()).is_err(), "{compression:?}");
        }
    }

    #[test]
    fn the_same_bytes_come_out_however_they_come_in() {
        let bytes = [noise(300_000), b"more ".repeat(100_000)].concat();
        for compression in ALL {
            let mut encoder = Encoder::new(Vec::new(), compression).expect("an encoder");
            for piece in bytes.chunks(777) {
                encoder.write_all(piece).expect("written");
            }
            assert!(encoder.finish().expect("finished") == compressed(&bytes, compression), "{compression:?}");
        }
    }

    #[test]
    fn files_compressed_record_by_record_are_told_from_others() {
        let is_by_record = |bytes: &[u8]| {
            let file = tempfile::NamedTempFile::new().expect("a temporary file");
            std::fs::write(file.path(), bytes).expect("written");
            Compression::is_by_record(file.into_file()).expect("read")
        };
        for compression in [Compression::Gzip, Compression::Zstd] {
            let [short, long] = [compressed(b"record", compression), compressed(&noise(20_000_000), compression)];
            assert!(is_by_record(&[&short[..], &short].concat()));
            assert!(!is_by_record(&short) && !is_by_record(&[&long[..], &short].concat()));
        }
        assert!(!is_by_record(b"not compressed"));
    }
}
