//! robots.txt (RFC 9309).

use std::time::Duration;

/// The rules of a robots.txt for one crawler.
pub struct Rules {}

impl Rules {
    /// Bytes of a robots.txt that are read; what comes after them is ignored (RFC 9309, section 2.5).
    pub const LONGEST: usize = 500 * 1024;

    /// Reads a robots.txt. `agent` is the product token of the crawler, such as `dehusk`. Whatever it contains, something can be read.
    pub fn parse(agent: &str, bytes: &[u8]) -> Rules {
        todo!("{agent} {bytes:?}")
    }

    /// All URLs are allowed.
    pub fn allow_all() -> Rules {
        todo!()
    }

    /// Whether this URL may be visited. `path` is its path with its query, such as `/news?page=2`.
    pub fn allows(&self, path: &str) -> bool {
        todo!("{path}")
    }

    /// Its `Crawl-delay`.
    pub fn delay(&self) -> Option<Duration> {
        todo!()
    }

    /// The sitemaps that it names.
    pub fn sitemaps(&self) -> &[String] {
        todo!()
    }
}
