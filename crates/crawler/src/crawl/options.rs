//! The options, the start and the reports of a crawl.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use regex::RegexSet;
use serde::Serialize;

use crate::archive::Packing;
use crate::fetch::Limits;
use crate::frontier::{FrontierError, Kind};
use crate::resolve::Resolver;

/// The name by which robots.txt calls this crawler.
pub const AGENT: &str = "dehusk";

/// The options of a crawl.
#[derive(Clone, Debug)]
pub struct Options {
    /// The contact of the crawl's owner: a URL or an e-mail address. Every request contains it.
    pub contact: String,
    /// The least time between an answer of a domain and the next request to it. The same holds for an IP address,
    /// except that it does not wait for slow answers.
    pub delay: Duration,
    /// Number of requests at the same time.
    pub threads: usize,
    /// Maximum number of pages of one registered domain that are queued or requested. Its feeds and sitemaps are
    /// counted separately, up to the same number.
    pub per_domain: u64,
    /// Maximum number of links that are followed in a row from a given URL.
    pub depth: u8,
    /// Whether links to other registered domains are followed.
    pub leaves_domain: bool,
    /// Whether the sitemaps that robots.txt names, or else `/sitemap.xml`, are read.
    pub sitemaps: bool,
    /// Whether the feeds that pages name are read.
    pub feeds: bool,
    /// A URL is not visited if its date in a feed or sitemap is earlier.
    pub since: Option<DateTime<Utc>>,
    /// The run ends after this number of pages.
    pub max_pages: Option<u64>,
    /// The run ends after this number of bytes, as they are received.
    pub max_bytes: Option<u64>,
    /// Limits of a request.
    pub limits: Limits,
    /// The time after which a failed request is tried again. Before the last try, it is four times as long.
    pub retry: Duration,
    /// Feeds are read again and again, but not before this time has passed.
    pub watch: Option<Duration>,
    /// Which pages are wanted.
    pub wanted: Wanted,
    /// Finds the IP addresses of hosts.
    pub resolver: Resolver,
    /// How files are packed.
    pub packing: Packing,
    /// Size of a file after which another begins, in bytes.
    pub file_size: u64,
    /// The only root certificate that is trusted, in DER. Without it, those that browsers trust are trusted.
    pub root: Option<Vec<u8>>,
}

impl Options {
    /// The name of the crawler in requests.
    pub(super) fn user_agent(&self) -> String {
        format!("{AGENT}/{} (+{})", env!("CARGO_PKG_VERSION"), self.contact)
    }
}

/// Selects which of the found pages are visited, by their URLs. A URL that a person gives, and its redirections, are
/// always visited; so are feeds, sitemaps and robots.txt.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// One of these must match. Without any, all are wanted.
    pub only: RegexSet,
    /// None of these may match.
    pub skip: RegexSet,
}

impl Wanted {
    pub(super) fn has(&self, url: &str) -> bool {
        (self.only.is_empty() || self.only.is_match(url)) && !self.skip.is_match(url)
    }
}

/// A URL at which a crawl begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// A URL.
    pub url: String,
    /// The content that is expected there.
    pub kind: Kind,
}

/// How a run begins, in a folder that may have an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new run. Pages of earlier runs are sent again only if they have changed.
    New,
    /// A run that was stopped is continued.
    Resume,
    /// A new run. The queue of a run that was stopped is forgotten.
    Restart,
}

/// Is informed of what happens in a crawl.
pub trait Observer: Sync {
    /// Whether the run continues. Called about five times a second, or more often.
    fn go_on(&self) -> bool {
        true
    }

    /// Called when a URL was fetched.
    fn fetched(&self, _url: &str, _summary: &Summary) {}

    /// Called when a URL has no page.
    fn failed(&self, _url: &str, _why: &str) {}

    /// Called when a URL is left out, so that it is not requested.
    fn left_out(&self, _url: &str, _why: LeftOut) {}
}

/// Why a URL is not requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// robots.txt forbids it.
    #[error("robots.txt forbids it")]
    Forbidden,
    /// Its robots.txt could not be read.
    #[error("the robots.txt of its host could not be read")]
    WithoutRobots,
    /// Its domain has too many URLs.
    #[error("its domain has too many URLs")]
    OverLimit,
    /// See [`Address::is_trap`](crate::address::Address::is_trap).
    #[error("its path repeats itself or is very deep, like those that pages make without an end")]
    Trap,
    /// See [`Wanted`].
    #[error("--only or --skip leaves it out")]
    Unwanted,
    /// A sitemap of another site lists it.
    #[error("a sitemap of another site lists it")]
    OtherSite,
}

/// The numbers of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Pages, including those that are unchanged.
    pub pages: u64,
    /// Pages that have the same bytes as in an earlier run.
    pub unchanged: u64,
    /// Pages that are also at another address. Their body is stored only once.
    pub copies: u64,
    /// Feeds that were read.
    pub feeds: u64,
    /// Sitemaps that were read.
    pub sitemaps: u64,
    /// robots.txt files that were requested.
    pub robots: u64,
    /// Redirections.
    pub redirects: u64,
    /// Requests.
    pub requests: u64,
    /// Bytes of all bodies, as they were received.
    pub bytes: u64,
    /// URLs that robots.txt forbids.
    pub forbidden: u64,
    /// URLs of hosts whose robots.txt could not be read.
    pub without_robots: u64,
    /// URLs that are left out because there are too many of their domain.
    pub over_limit: u64,
    /// URLs that are left out because they look like those that a site generates without end.
    pub trapped: u64,
    /// URLs in sitemaps that are left out because they belong to another site than the sitemap.
    pub of_other_sites: u64,
    /// URLs that nobody wants; see [`Wanted`].
    pub unwanted: u64,
    /// Number of URLs that have no page, by reason.
    pub failed: BTreeMap<String, u64>,
    /// URLs that are left in the queue.
    pub left: u64,
    /// WARC files in the folder.
    pub files: u32,
}

impl Summary {
    /// The number of URLs that are left out for this reason.
    pub(super) fn left_out(&mut self, why: LeftOut) -> &mut u64 {
        match why {
            LeftOut::Forbidden => &mut self.forbidden,
            LeftOut::WithoutRobots => &mut self.without_robots,
            LeftOut::OverLimit => &mut self.over_limit,
            LeftOut::Trap => &mut self.trapped,
            LeftOut::OtherSite => &mut self.of_other_sites,
            LeftOut::Unwanted => &mut self.unwanted,
        }
    }
}

/// Why a crawl cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The folder has a run that was stopped.
    #[error("the last crawl in {} was stopped, and {left} URLs are left: --resume goes on, --restart begins anew", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// Number of URLs.
        left: u64,
    },
    /// The folder has no run that was stopped.
    #[error("there is no crawl in {} that was stopped: leave --resume out", .0.display())]
    NothingToResume(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The state cannot be read or written.
    #[error("{}: {error}", path.display())]
    Frontier {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: FrontierError,
    },
}
