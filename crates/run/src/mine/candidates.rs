//! Files of candidates: mined sources, with all that is needed to compare them with other sources, and a sample of
//! their documents.
//!
//! To mine a corpus with several processes, on any machines, mine each part of it into such a file. Then combine all
//! files into pattern files. These are the same as if one process had mined the whole corpus.
//!
//! The first line is JSON: it names the format, and says how texts were read. Then each source has a line of JSON with
//! its name and two lengths, followed by two parts of these lengths: the result of mining, and the texts of the sample.
//! Each part is JSON compressed by Zstandard. So the texts can stay on disk until the patterns of their source are
//! tested. The last line is JSON too. It has the number of sources, and a hash of all bytes before it, which shows that
//! the file is whole.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{PipelineError, Result};
use crate::library::Library;
use crate::mine::combine::{Combiner, MinedCorpus, MinedSource, Samples};
use crate::mine::mining::{Miner, list, refuse_names_alike};
use crate::mine::options::CorpusMineOptions;
use crate::mine::packed::{self, packed};
use crate::observer::Observer;
use crate::record::hashed::Hashed;
use crate::record::written_files::Prune;
use crate::room::Room;
use dehusk_core::cleaning::CleanOptions;
use dehusk_core::mining::Mined;
use dehusk_core::pages::PageText;
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_core::regular;
use dehusk_core::selection::sampling;
use dehusk_core::tokens::Lexer;
use dehusk_corpus::{HtmlView, Inventory, OutputFile, OutputKind, OutputRoot, Reads, SourceId, SourceListing};

/// The version of the format.
const VERSION: u32 = 1;
/// Maximum length of the first line, in bytes. A file with a longer first line is not a file of candidates.
const MAX_HEADER: u64 = 16 << 20;

/// Maximum length of the last line, in bytes.
const MAX_TRAILER: u64 = 256;

/// Identifies the format.
pub const CANDIDATES: OutputKind = OutputKind::Text("{\"dehusk\":\"candidates\"");

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    dehusk: String,
    version: u32,
    /// A pattern file without patterns. It says how texts were read.
    lexer: String,
    /// Whether pages were read with their markup.
    markup: bool,
    /// Whether pages were read with the `alt` texts of their pictures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    alt_text: bool,
    /// How sources were mined.
    options: String,
    /// Whether sources could be mined in part, for lack of memory.
    sampled: bool,
}

impl Header {
    /// Whether texts were read and mined in the same way.
    fn is_alike(&self, other: &Header) -> bool {
        let of = |header: &Header| (header.markup, header.alt_text);
        (&self.lexer, &self.options, of(self)) == (&other.lexer, &other.options, of(other))
    }

    /// How texts were read.
    fn lexer(&self) -> io::Result<Lexer> {
        let read = PatternFile::parse(&self.lexer, &LexerCache::default());
        read.map(|file| file.lexer).map_err(|_| damaged("it does not say how texts were read"))
    }
}

/// The last line.
#[derive(Serialize, Deserialize)]
struct Trailer {
    /// The number of sources.
    end: usize,
    /// XXH3 of all bytes before this line, in hexadecimal digits.
    hash: String,
}

/// The line before the two parts of a source.
#[derive(Serialize, Deserialize)]
struct SourceHeader {
    source: String,
    /// The number of texts.
    sample: usize,
    /// Lengths in bytes, compressed.
    mined_bytes: u64,
    sample_bytes: u64,
    /// Lengths in bytes, decompressed. Decompression stops there.
    mined_length: u64,
    sample_length: u64,
}

/// Mines all sources of an inventory, and writes a file with the data to compare them with other sources.
///
/// # Errors
/// If there is no document, a source needs more memory than is available, or the file cannot be written.
pub fn mine_candidates(
    inventory: &Inventory,
    output: &OutputFile,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<Vec<MinedSource>> {
    let listings = list(inventory, observer)?;
    refuse_names_alike(listings.iter().map(|source| &source.id), observer)?;
    let (sources, samples) = Miner { inventory, options, lexer, journal: None, observer }.mine(&listings)?;
    let _permission = observer.writing()?;
    let writing = |error| PipelineError::Output(output.cannot_write(error));
    let mut file = output.begin()?;
    write_sources(&mut file, inventory, &sources, &samples, lexer, options).map_err(|error| match error {
        PipelineError::Io(error) => writing(error),
        error => error,
    })?;
    file.publish()?;
    Ok(sources)
}

/// Mines each source of an inventory alone. Returns the data to compare it with other sources: for each source, in
/// order of their names, the content of a file that [`combine`] reads.
///
/// # Errors
/// If there is no document, or a source needs more memory than is available.
pub fn candidates_by_source(
    inventory: &Inventory,
    lexer: &Lexer,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<Vec<(SourceId, Vec<u8>)>> {
    let candidates = |listing: SourceListing| -> Result<(SourceId, Vec<u8>)> {
        let miner = Miner { inventory, options, lexer, journal: None, observer };
        let (sources, samples) = miner.mine(std::slice::from_ref(&listing))?;
        let mut bytes = Vec::new();
        write_sources(&mut bytes, inventory, &sources, &samples, lexer, options)?;
        Ok((listing.id, bytes))
    };
    list(inventory, observer)?.into_iter().map(candidates).collect()
}

fn write_sources(
    file: &mut impl Write,
    inventory: &Inventory,
    sources: &[MinedSource],
    samples: &dyn Samples,
    lexer: &Lexer,
    options: &CorpusMineOptions,
) -> Result<()> {
    let header = Header {
        dehusk: "candidates".to_owned(),
        version: VERSION,
        lexer: PatternFile::empty("candidates", lexer).to_yaml(),
        markup: inventory.options().html == HtmlView::Markup,
        alt_text: inventory.options().alt_text,
        options: format!("{:?}", options.mining),
        sampled: options.sample,
    };
    let file = &mut Hashed::new(file);
    write_line(file, &header)?;
    for (index, source) in sources.iter().enumerate() {
        let texts = samples.texts(index, samples.len(index))?;
        let ((mined, mined_length), (sample, sample_length)) = (packed(&*source.mined())?, packed(&texts)?);
        let (mined_bytes, sample_bytes) = (mined.len() as u64, sample.len() as u64);
        let (source, sample_texts) = (source.id.to_string(), texts.len());
        let header =
            SourceHeader { source, sample: sample_texts, mined_bytes, sample_bytes, mined_length, sample_length };
        write_line(file, &header)?;
        file.write_all(&mined)?;
        file.write_all(&sample)?;
    }
    // The last line is found by the line break before it.
    file.write_all(b"\n")?;
    let trailer = Trailer { end: sources.len(), hash: format!("{:016x}", file.hash()) };
    Ok(write_line(file, &trailer)?)
}

/// Makes pattern files from mined sources. Decisions in existing pattern files are kept.
///
/// # Errors
/// If a file was not made by [`candidates_by_source`] or `dehusk mine --candidates`, two files have the same source or
/// were read in different ways, or nothing can be written.
pub fn combine(
    files: &[PathBuf],
    output: &OutputRoot,
    options: &CorpusMineOptions,
    observer: &dyn Observer,
) -> Result<MinedCorpus> {
    output.also_reads(&Reads::nothing().corpus(files))?;
    // The decisions are read before anything is written: if they cannot be read, they must not be overwritten.
    let reviewed = Library::load_if_any(output.path())?;

    let mut first: Option<(&PathBuf, Header, Lexer)> = None;
    let mut is_sampled = false;
    let mut sources: BTreeMap<SourceId, (&Path, MinedSource, StoredSample)> = BTreeMap::new();
    let room = MinedSource::room();
    for path in files {
        observer.go_on()?;
        let (header, count, mut file) = open(path).map_err(|error| named(path, error))?;
        is_sampled |= header.sampled;
        let (_, _, lexer) = match first.take() {
            Some((other, known, _)) if !known.is_alike(&header) => {
                let message =
                    format!("{other:?} and {path:?} were mined in different ways: mine them with the same options");
                return Err(PipelineError::Refused(message));
            }
            Some(known) => first.insert(known),
            None => {
                let lexer = header.lexer().map_err(|error| named(path, error))?;
                first.insert((path, header, lexer))
            }
        };
        for (source, sample) in read(count, &mut file, lexer, &room).map_err(|error| named(path, error))? {
            let id = source.id.clone();
            if let Some((other, ..)) = sources.insert(id.clone(), (path, source, sample)) {
                let message = format!("source '{id}' is in {other:?} and in {path:?}: give only one of them");
                return Err(PipelineError::Refused(message));
            }
        }
    }

    let Some((_, header, lexer)) = &first else { return Err(PipelineError::NoDocument) };
    refuse_names_alike(sources.keys(), observer)?;

    let html = if header.markup { HtmlView::Markup } else { HtmlView::Text };
    let options = &options.clone().sample(options.sample || is_sampled);
    let (mut mined, mut samples) = (Vec::new(), StoredSamples(Vec::new()));
    for (path, source, sample) in sources.into_values() {
        mined.push(source);
        samples.0.push((path.to_owned(), sample));
    }

    let prune = Prune::new(options.prune, true);
    Combiner { samples: &samples, html, lexer, options, cleaning: CleanOptions::default(), observer }
        .write(mined, &reviewed, output, prune)
}

/// A sample in a file: its number of texts, and the place of the packed texts.
struct StoredSample {
    texts: usize,
    start: u64,
    bytes: u64,
    /// Its length when it is decompressed, in bytes.
    length: u64,
}

/// For each source, the file with its sample and the place of the sample in the file.
struct StoredSamples(Vec<(PathBuf, StoredSample)>);

impl Samples for StoredSamples {
    fn len(&self, source: usize) -> usize {
        self.0[source].1.texts
    }

    fn texts(&self, source: usize, count: usize) -> Result<Vec<String>> {
        let (path, sample) = &self.0[source];
        let read = || -> io::Result<Vec<String>> {
            let mut file = regular::open(path)?;
            file.seek(SeekFrom::Start(sample.start))?;
            unpacked(&mut file, sample.bytes, sample.length)
        };
        let texts = read().map_err(|error| named(path, error))?;
        Ok(sampling::evenly_spread(&texts, count).cloned().collect())
    }

    /// Always `None`, because only texts are stored.
    fn page(&self, _source: usize, _count: usize, _index: usize) -> Option<PageText<'static>> {
        None
    }
}

/// The first line of a whole file, the number of its sources, and the rest.
fn open(path: &Path) -> io::Result<(Header, usize, BufReader<File>)> {
    let mut file = BufReader::new(regular::open(path)?);
    let foreign = || damaged("it is no file of candidates");
    let header: Header = read_line(&mut file)?.ok_or_else(foreign)?;
    if header.dehusk != "candidates" {
        return Err(foreign());
    }
    if header.version != VERSION {
        let message =
            format!("it has version {}: mine it again with this dehusk, which reads {VERSION}", header.version);
        return Err(refused(&message));
    }
    Ok((header, verified(path)?, file))
}

/// The sources of a file after its first line.
fn read(
    count: usize,
    file: &mut BufReader<File>,
    lexer: &Lexer,
    room: &Room,
) -> io::Result<Vec<(MinedSource, StoredSample)>> {
    let mut sources = Vec::new();
    for _ in 0..count {
        let header: SourceHeader = read_line(file)?.ok_or_else(|| damaged("it is cut off"))?;
        let id = SourceId::parse(&header.source).map_err(io::Error::other)?;
        let mined: Mined = unpacked(file, header.mined_bytes, header.mined_length)?;
        if mined.has_unknown_slots(lexer) {
            return Err(damaged("it has patterns of slots that it does not define"));
        }
        let (start, bytes) = (file.stream_position()?, header.sample_bytes);
        let sample = StoredSample { texts: header.sample, start, bytes, length: header.sample_length };
        if io::copy(&mut file.by_ref().take(bytes), &mut io::sink())? < bytes {
            return Err(damaged("it is cut off"));
        }
        sources.push((MinedSource::new(id, mined, room), sample));
    }
    Ok(sources)
}

/// Checks that a file is whole: its last line must have the hash of all bytes before it. Returns the number of sources.
fn verified(path: &Path) -> io::Result<usize> {
    let mut file = regular::open(path)?;
    let length = file.metadata()?.len();
    let tail_start = length.saturating_sub(MAX_TRAILER);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(tail_start))?;
    file.read_to_end(&mut tail)?;

    let line = tail.strip_suffix(b"\n").map(|tail| tail.rsplit(|&byte| byte == b'\n').next().unwrap_or_default());
    let trailer = line.and_then(|line| Some((line, serde_json::from_slice::<Trailer>(line).ok()?)));
    let Some((line, Trailer { end, hash })) = trailer else { return Err(damaged("it is cut off")) };

    let before = length - line.len() as u64 - 1;
    file.seek(SeekFrom::Start(0))?;
    let mut hashed = Hashed::new(io::sink());
    io::copy(&mut BufReader::new(file).take(before), &mut hashed)?;
    if format!("{:016x}", hashed.hash()) != hash {
        return Err(damaged("it is damaged"));
    }
    Ok(end)
}

fn write_line(file: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

/// The next line; `None` at the end of the file.
fn read_line<T: DeserializeOwned>(file: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    file.take(MAX_HEADER).read_until(b'\n', &mut line)?;
    match line.is_empty() {
        true => Ok(None),
        false => serde_json::from_slice(&line).map(Some).map_err(|_| damaged("dehusk did not write one of its lines")),
    }
}

fn unpacked<T: DeserializeOwned>(file: &mut impl Read, bytes: u64, length: u64) -> io::Result<T> {
    let value = packed::unpacked(file, bytes, length)?;
    value.map_err(|error| damaged(&format!("what was mined cannot be read ({error})")))
}

fn damaged(what: &str) -> io::Error {
    refused(&format!("{what}: copy it again, or mine it again"))
}

fn refused(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}

fn named(path: &Path, error: io::Error) -> PipelineError {
    PipelineError::in_context(format!("cannot use {path:?}"), error)
}
