//! Corpora of invented sites, in memory or as folders.

use std::fs;
use std::io;
use std::path::Path;

use super::site::{Form, Site};

/// The size of the output.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Bytes(u64),
    Documents(usize),
}

/// What to invent.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    pub seed: u64,
    pub sources: usize,
    pub form: Form,
    pub document_bytes: usize,
    /// The size of all sources together.
    pub extent: Extent,
}

/// The result of writing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    pub documents: usize,
    pub bytes: u64,
}

impl Corpus {
    /// One source of this many bytes.
    pub fn of_bytes(form: Form, bytes: u64) -> Corpus {
        Corpus { seed: 1, sources: 1, form, document_bytes: form.usual_bytes(), extent: Extent::Bytes(bytes) }
    }

    pub fn sites(&self) -> impl Iterator<Item = Site> {
        let Corpus { seed, sources, form, document_bytes, .. } = *self;
        (0..sources).map(move |source| Site::new(seed, source, form, document_bytes))
    }

    /// The number of pages of one of the sites.
    pub fn pages<'s>(&self, site: &'s Site) -> impl Iterator<Item = String> + use<'s> {
        let (bytes, documents) = match self.extent {
            Extent::Bytes(bytes) => (bytes / self.sources as u64, usize::MAX),
            // The first sites take the remainder.
            Extent::Documents(documents) => (u64::MAX, (documents + self.sources - 1 - site.number()) / self.sources),
        };
        let fits = move |sum: &mut u64, page: String| {
            let is_needed = *sum < bytes;
            *sum += page.len() as u64;
            is_needed.then_some(page)
        };
        (0..documents).map(|number| site.page(number)).scan(0, fits)
    }

    /// Writes one folder per site, and one file per page.
    pub fn write(&self, folder: &Path) -> io::Result<Written> {
        let mut written = Written::default();
        for site in self.sites() {
            let source = folder.join(site.name());
            fs::create_dir_all(&source)?;
            for (number, page) in self.pages(&site).enumerate() {
                fs::write(source.join(format!("{number:07}.{}", self.form.extension())), &page)?;
                written.documents += 1;
                written.bytes += page.len() as u64;
            }
        }
        Ok(written)
    }
}
