//! Sitemaps: XML sitemaps, indexes of sitemaps, news sitemaps, and plain lists of URLs (sitemaps.org).

use chrono::{DateTime, Utc};

/// What a sitemap lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sitemap {
    /// Other sitemaps.
    Index(Vec<Listed>),
    /// Pages.
    Pages(Vec<Listed>),
}

/// A URL in a sitemap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// As it is written. It is not checked.
    pub url: String,
    /// The later one of `lastmod` and `news:publication_date`.
    pub date: Option<DateTime<Utc>>,
}

/// Largest number of URLs that are read from one sitemap (sitemaps.org, protocol).
pub const MOST: usize = 50_000;

/// Reads a sitemap, unpacked. `None` if it is none. Of a sitemap that is broken, it has what comes before that.
pub fn parse(bytes: &[u8]) -> Option<Sitemap> {
    todo!("{bytes:?}")
}
