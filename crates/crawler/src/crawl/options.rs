//! What a crawl is given, and what it says.

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

/// What a crawl does.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its owner can be reached: a URL or an e-mail address. Every request tells it.
    pub contact: String,
    /// The least time between an answer of a domain and the next request to it. The same holds for an IP address, which does not wait
    /// for slow answers.
    pub delay: Duration,
    /// Number of requests at the same time.
    pub threads: usize,
    /// Number of pages of one registered domain that are queued or asked for, at most. Its feeds and sitemaps count apart, up to the
    /// same number.
    pub per_domain: u64,
    /// How many links are followed from what is given.
    pub depth: u8,
    /// Whether links to other registered domains are followed.
    pub leaves_domain: bool,
    /// Whether sitemaps are read that robots.txt names, or else `/sitemap.xml`.
    pub sitemaps: bool,
    /// Whether the feeds that pages name are read.
    pub feeds: bool,
    /// What feeds and sitemaps date earlier is not visited.
    pub since: Option<DateTime<Utc>>,
    /// The run ends after this number of pages.
    pub max_pages: Option<u64>,
    /// The run ends after this number of bytes, as they are received.
    pub max_bytes: Option<u64>,
    /// Limits of a request.
    pub limits: Limits,
    /// The time after which something is tried again; four times as long for the last time.
    pub retry: Duration,
    /// Feeds are read again and again, but not before this time has passed.
    pub watch: Option<Duration>,
    /// Which pages are wanted.
    pub wanted: Wanted,
    /// Finds hosts.
    pub resolver: Resolver,
    /// How files are packed.
    pub packing: Packing,
    /// Size of a file after which another begins, in bytes.
    pub file_size: u64,
    /// The only certificate to trust, in DER. Without it, those that browsers trust.
    pub root: Option<Vec<u8>>,
}

impl Options {
    /// How it names itself in requests.
    pub(super) fn user_agent(&self) -> String {
        format!("{AGENT}/{} (+{})", env!("CARGO_PKG_VERSION"), self.contact)
    }
}

/// Which of the pages that are found are wanted, by their URLs. What a person gives is always wanted, with what it is redirected to; so
/// are feeds, sitemaps and robots.txt.
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

/// Where a crawl begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// A URL.
    pub url: String,
    /// What it is expected to be.
    pub kind: Kind,
}

/// How a run begins, in a folder that may have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new run. What is known of earlier ones is asked for only if it has changed.
    New,
    /// A run that was stopped goes on.
    Resume,
    /// A new run. What is left of one that was stopped is forgotten.
    Restart,
}

/// Is told what happens.
pub trait Observer: Sync {
    /// Whether the run goes on. It is asked five times a second.
    fn go_on(&self) -> bool {
        true
    }

    /// Something was fetched.
    fn fetched(&self, _url: &str, _summary: &Summary) {}

    /// A URL has no page.
    fn failed(&self, _url: &str, _why: &str) {}

    /// A URL is not asked for.
    fn left_out(&self, _url: &str, _why: LeftOut) {}
}

/// Why a URL is not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// By robots.txt.
    #[error("robots.txt forbids it")]
    Forbidden,
    /// There is no robots.txt to ask.
    #[error("the robots.txt of its host could not be read")]
    WithoutRobots,
    /// There are too many of its domain.
    #[error("its domain has too many URLs")]
    OverLimit,
    /// See [`Address::is_trap`](crate::address::Address::is_trap).
    #[error("its path repeats itself or is very deep, like those that pages make without an end")]
    Trap,
    /// See [`Wanted`].
    #[error("--only or --skip leaves it out")]
    Unwanted,
    /// A sitemap lists it, and is for another site.
    #[error("a sitemap of another site lists it")]
    OtherSite,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Pages, with those that are unchanged.
    pub pages: u64,
    /// Pages of which an earlier run has the same bytes.
    pub unchanged: u64,
    /// Pages that are at another address as well. Their body is stored once.
    pub copies: u64,
    /// Feeds that were read.
    pub feeds: u64,
    /// Sitemaps that were read.
    pub sitemaps: u64,
    /// Files of rules that were asked for.
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
    /// URLs that are left out because they look like those that a site makes without an end.
    pub trapped: u64,
    /// URLs in sitemaps that are left out because they are not of the site of the sitemap.
    pub of_other_sites: u64,
    /// URLs that nobody wants; see [`Wanted`].
    pub unwanted: u64,
    /// URLs that have no page, by the reason.
    pub failed: BTreeMap<String, u64>,
    /// URLs that are left in the queue.
    pub left: u64,
    /// WARC files in the folder.
    pub files: u32,
}

impl Summary {
    /// How many URLs are left out for this reason.
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
    /// The folder has none.
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
