//! A corpus of all kinds of files from ten sites. Some pages of a site are files of their own. The others are lines,
//! compressed or not.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use dehusk_corpus::{Compression, Encoder};

use super::support::corpus::{Corpus, Extent};
use super::support::site::{Form, Site};

/// Writes this number of documents in total.
pub fn write(folder: &Path, documents: usize) -> io::Result<()> {
    let (form, extent) = (Form::Text, Extent::Documents(documents));
    let corpus = Corpus { seed: 1, sources: 10, form, document_bytes: form.usual_bytes(), extent };
    for (number, site) in corpus.sites().enumerate() {
        let (folder, pages) = (folder.join(site.name()), corpus.pages(&site));
        fs::create_dir_all(&folder)?;
        match number % 5 {
            0 => write_lines(&folder.join("lines.jsonl"), Compression::None, &site, pages)?,
            1 => write_lines(&folder.join("lines.jsonl.gz"), Compression::Gzip, &site, pages)?,
            2 => write_lines(&folder.join("lines.jsonl.zst"), Compression::Zstd, &site, pages)?,
            _ => write_files(&folder, pages)?,
        }
    }
    Ok(())
}

fn write_files(folder: &Path, pages: impl Iterator<Item = String>) -> io::Result<()> {
    pages.enumerate().try_for_each(|(number, page)| fs::write(folder.join(format!("{number:06}.txt")), page))
}

fn write_lines(
    path: &Path,
    compression: Compression,
    site: &Site,
    pages: impl Iterator<Item = String>,
) -> io::Result<()> {
    let mut lines = Encoder::new(File::create(path)?, compression)?;
    for (number, page) in pages.enumerate() {
        let line = serde_json::json!({"id": number, "source": site.name(), "text": page});
        writeln!(lines, "{line}")?;
    }
    lines.finish().map(drop)
}
