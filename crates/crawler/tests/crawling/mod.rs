//! Crawls of the test server.

#![allow(dead_code, clippy::unwrap_used)] // no test uses all of it, and all are tests

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use dehusk_crawler::archive::Packing;
use dehusk_crawler::crawl::{Crawl, CrawlError, LeftOut, Observer, Options, Seed, Start, Summary, Wanted};
use dehusk_crawler::fetch::Limits;
use dehusk_crawler::frontier::Kind;
use dehusk_crawler::record::{Recorded, answer_in};
use dehusk_crawler::resolve::Resolver;
use flate2::bufread::GzDecoder;

use crate::server::{Page, Server, Sites};

/// Options for crawls of this server, which take no longer than a test may.
pub fn options(server: &Server) -> Options {
    Options { root: server.certificate(), ..options_for(server.names()) }
}

/// The same for a server in another process.
pub fn options_for(names: impl IntoIterator<Item = (String, IpAddr)>) -> Options {
    Options {
        contact: "mailto:crawler@tests.example".to_owned(),
        delay: Duration::from_millis(20),
        threads: 8,
        per_domain: 1000,
        depth: 0,
        leaves_domain: false,
        sitemaps: false,
        feeds: false,
        since: None,
        max_pages: None,
        max_bytes: None,
        limits: Limits { time: Duration::from_secs(2), body: 4 << 20 },
        retry: Duration::from_millis(100),
        watch: None,
        wanted: Wanted::default(),
        resolver: Resolver { given: names.into_iter().collect(), allows_private: false },
        packing: Packing::Gzip,
        file_size: 1 << 30,
        root: None,
    }
}

/// Remembers what it is told.
#[derive(Default)]
pub struct Told {
    /// URLs without a page, and why.
    pub failed: Mutex<Vec<(String, String)>>,
    /// URLs that are not asked for, and why.
    pub left_out: Mutex<Vec<(String, LeftOut)>>,
}

impl Observer for Told {
    fn failed(&self, url: &str, why: &str) {
        self.failed.lock().expect("no panic").push((url.to_owned(), why.to_owned()));
    }

    fn left_out(&self, url: &str, why: LeftOut) {
        self.left_out.lock().expect("no panic").push((url.to_owned(), why));
    }
}

/// Pages to begin with.
pub fn pages(urls: &[String]) -> Vec<Seed> {
    urls.iter().map(|url| Seed { url: url.clone(), kind: Kind::Page }).collect()
}

/// Runs a crawl.
pub fn crawl(folder: &Path, options: Options, start: Start, seeds: Vec<Seed>) -> Result<(Summary, Told), CrawlError> {
    let told = Told::default();
    let summary = Crawl::open(folder, options, start)?.run(seeds.into_iter(), &told, None)?;
    Ok((summary, told))
}

/// Runs a new crawl.
pub fn crawled(folder: &Path, options: Options, seeds: Vec<Seed>) -> (Summary, Told) {
    crawl(folder, options, Start::New, seeds).expect("a crawl")
}

/// An answer: URL, status, body.
pub type Stored = (String, u16, Vec<u8>);

/// The answers in the WARC files of a folder. Fails if one of them cannot be read to its end.
pub fn answers(folder: &Path) -> Vec<Stored> {
    let (answers, cut_off) = answers_so_far(folder);
    assert!(cut_off.is_empty(), "these are cut off: {cut_off:?}");
    answers
}

/// The answers in the WARC files of a folder, and which files end with a part of a record.
pub fn answers_so_far(folder: &Path) -> (Vec<Stored>, Vec<PathBuf>) {
    let (recorded, cut_off) = recorded_so_far(folder);
    let answer = |Recorded { address, response, .. }: Recorded| {
        (address.as_str().to_owned(), response.head.status(), response.body)
    };
    (recorded.into_iter().map(answer).collect(), cut_off)
}

/// The same with all that is known of the records.
pub fn recorded_so_far(folder: &Path) -> (Vec<Recorded>, Vec<PathBuf>) {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".warc."));
    files.sort();
    let (mut answers, mut cut_off) = (Vec::new(), Vec::new());
    for file in files {
        let packed = std::fs::read(&file).expect("a file");
        let is_gzip = file.extension().is_some_and(|extension| extension == "gz");
        let mut rest = &packed[..];
        while !rest.is_empty() {
            let Ok((record, after)) = (if is_gzip { gunzip(rest) } else { unzstd(rest) }) else {
                cut_off.push(file);
                break;
            };
            assert!(after.len() < rest.len());
            rest = after;
            let end = record.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") + 4;
            let header = std::str::from_utf8(&record[..end]).expect("a header");
            let length = header.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
            assert_eq!(record.len(), end + length.parse::<usize>().expect("a number") + 4, "{header}");
            assert!(record.ends_with(b"\r\n\r\n"), "{header}");
            answers.extend(answer_in(&record));
        }
    }
    (answers, cut_off)
}

/// The first record, and what is behind it.
fn gunzip(packed: &[u8]) -> io::Result<(Vec<u8>, &[u8])> {
    let (mut decoder, mut record) = (GzDecoder::new(packed), Vec::new());
    decoder.read_to_end(&mut record)?;
    Ok((record, decoder.into_inner()))
}

fn unzstd(packed: &[u8]) -> io::Result<(Vec<u8>, &[u8])> {
    let (mut decoder, mut record) = (zstd::Decoder::with_buffer(packed)?.single_frame(), Vec::new());
    decoder.read_to_end(&mut record)?;
    Ok((record, decoder.finish()))
}

/// The URLs of the pages among them, each once.
pub fn stored(folder: &Path) -> BTreeSet<String> {
    let is_page = |(url, status, _): &Stored| *status == 200 && !url.ends_with("/robots.txt");
    answers(folder).into_iter().filter(is_page).map(|(url, ..)| url).collect()
}

/// A sitemap of these URLs, or an index of these sitemaps.
pub fn sitemap(is_index: bool, urls: impl IntoIterator<Item = String>) -> Page {
    let (root, entry) = if is_index { ("sitemapindex", "sitemap") } else { ("urlset", "url") };
    let urls: String = urls.into_iter().map(|url| format!("<{entry}><loc>{url}</loc></{entry}>")).collect();
    Page::new("application/xml", format!("<{root}>{urls}</{root}>"))
}

/// Adds a host with an index of sitemaps. Each of them has this number of pages; the first one has five.
pub fn with_many_sitemaps(sites: &mut Sites, host: &'static str, sitemaps: usize, pages: usize) {
    sites.robots(host, &format!("Sitemap: http://{host}:{{port}}/index.xml\n"));
    sites.rule(host, move |path, base| match path {
        "/index.xml" => Some(sitemap(true, (0..sitemaps).map(|number| base.url(host, &format!("/s/{number}"))))),
        _ if path.starts_with("/p/") => Some(Page::html(format!("<p>{path}"))),
        _ => {
            let number = path.strip_prefix("/s/")?.parse::<usize>().ok()?;
            let pages = number * pages..number * pages + if number == 0 { 5 } else { pages };
            Some(sitemap(false, pages.map(|page| base.url(host, &format!("/p/{page}")))))
        }
    });
}
