//! The texts of a source as files, before and after cleaning.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::support::corpus::{Corpus, Written};

/// A corpus on disk.
pub struct Texts {
    /// The folder with the folder of the source.
    pub corpus: PathBuf,
    pub written: Written,
}

impl Texts {
    pub fn write(corpus: &Corpus, folder: PathBuf) -> io::Result<Texts> {
        Ok(Texts { written: corpus.write(&folder)?, corpus: folder })
    }

    pub fn megabytes(&self) -> f64 {
        self.written.bytes as f64 / 1e6
    }

    /// The texts of a corpus: of this one, or of its output.
    pub fn read(&self, corpus: &Path, source: &str) -> io::Result<Vec<String>> {
        let names = fs::read_dir(self.corpus.join(source))?.map(|entry| Ok(entry?.file_name()));
        let mut names: Vec<OsString> = names.collect::<io::Result<_>>()?;
        names.sort_unstable();
        names.iter().map(|name| fs::read_to_string(corpus.join(source).join(name))).collect()
    }
}

/// The share of the texts that was removed, without white space, because programs that remove lines remove more of
/// that.
pub fn removed_share(before: &[String], after: &[String]) -> f64 {
    let visible = |texts: &[String]| texts.iter().flat_map(|text| text.split_whitespace()).map(str::len).sum::<usize>();
    1.0 - visible(after) as f64 / visible(before) as f64
}
