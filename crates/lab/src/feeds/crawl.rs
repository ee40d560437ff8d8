//! Reads the feeds, the redirects, and the captures of each page from WARC files.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault};

use dehusk_crawler::address::Address;
use dehusk_crawler::feed::{self, Entry};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use dehusk_corpus::{Answer, Content, Inventory};
use dehusk_run::{Observer, PipelineError, Result, Steps, WarningKind};

/// The statuses of redirects to the same page.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
/// Maximum number of redirects that are followed, as in browsers.
const MOST_REDIRECTS_OF_PAGE: usize = 20;
/// Number of bytes that are searched for the root of a feed. Comments and style sheets may come before the root.
const BYTES_SCANNED_FOR_FEED: usize = 1024;

/// The feeds of a crawl, and the captures of its pages.
#[derive(Debug, Default)]
pub struct Crawl {
    /// The entries of each feed. If a feed was captured several times, each entry is there once for each of its texts.
    pub feeds: BTreeMap<Address, Vec<Entry>>,
    /// Hashes of the feed, page and text of each entry.
    known: FxHashSet<u64>,
    captures: FxHashMap<Address, Vec<Capture>>,
    redirects: FxHashMap<Address, Redirect>,
}

/// A page as it was at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Capture {
    /// The date, as the crawler wrote it.
    date: String,
    /// The name of its document.
    name: String,
}

#[derive(Debug)]
struct Redirect {
    date: String,
    to: Address,
}

impl Crawl {
    /// Reads all WARC files of an inventory once. Other files hold no feeds.
    ///
    /// # Errors
    /// If the observer stops it. Files that cannot be read are named when the documents are listed, and not here.
    pub fn read(inventory: &Inventory, observer: &dyn Observer) -> Result<Crawl> {
        let mut crawl = Crawl::default();
        let limit = inventory.options().max_document;
        let files: Vec<_> = inventory.files().iter().filter(|file| file.holds_many()).collect();
        observer.start("finding feeds", Steps::Things(files.len() as u64));
        for file in files {
            if let Ok(Content::Records(mut records)) = inventory.open(file) {
                while let Some(batch) = records.next_batch() {
                    observer.go_on().map_err(PipelineError::Stopped)?;
                    let Ok(batch) = batch else { continue };
                    for (name, answer) in (0..batch.len()).filter_map(|index| batch.answer(index)) {
                        crawl.note(name, &answer, limit, observer);
                    }
                }
            }
            observer.step(1);
        }
        observer.finish();
        Ok(crawl)
    }

    /// The names of the documents that are captures of the page at this address, the latest last. Redirects are followed if there is no
    /// capture.
    pub fn captures(&self, page: &Address) -> impl Iterator<Item = &str> {
        let mut at = page;
        for _ in 0..MOST_REDIRECTS_OF_PAGE {
            match self.redirects.get(at) {
                Some(redirect) if !self.captures.contains_key(at) => at = &redirect.to,
                _ => break,
            }
        }
        let captures = self.captures.get(at).map_or(&[][..], Vec::as_slice);
        captures.iter().map(|capture| capture.name.as_str())
    }

    /// Notes the answer of a server. `name` is the name of a document in the record.
    fn note(&mut self, name: String, answer: &Answer, limit: u64, observer: &dyn Observer) {
        let Ok(address) = Address::parse(answer.url) else { return };
        let date = answer.date.clone().into_owned();
        match answer.status {
            status if REDIRECTS.contains(&status) => {
                let to = answer.location.as_deref().and_then(|location| address.join(location).ok());
                let is_old = |known: &Redirect| known.date > date;
                if let Some(to) = to.filter(|_| !self.redirects.get(&address).is_some_and(is_old)) {
                    self.redirects.insert(address, Redirect { date, to });
                }
            }
            200..300 if may_be_feed(answer) => match answer.body(limit) {
                Ok(body) if answer.is_feed || starts_like_a_feed(&body) => self.note_feed(address, &body, observer),
                _ => {}
            },
            200..300 => {
                let captures = self.captures.entry(address).or_default();
                // Captures with the same date are in the order of the files.
                let place = captures.partition_point(|capture| capture.date <= date);
                captures.insert(place, Capture { date, name });
            }
            _ => {}
        }
    }

    fn note_feed(&mut self, address: Address, body: &[u8], observer: &dyn Observer) {
        let Some(feed) = feed::parse(body, &address) else {
            observer.warn(WarningKind::Malformed, &format!("{}: this feed cannot be read", address.as_str()));
            return;
        };
        let is_new = |entry: &Entry| {
            let of = (&address, &entry.page, &entry.html);
            self.known.insert(BuildHasherDefault::<FxHasher>::default().hash_one(of))
        };
        let new: Vec<Entry> = feed.entries.into_iter().filter(is_new).collect();
        self.feeds.entry(address).or_default().extend(new);
    }
}

/// Whether the type of an answer is that of a feed, or one that servers also send with feeds.
fn may_be_feed(answer: &Answer) -> bool {
    let kind = answer.content_type.as_str();
    let is_xml = kind.ends_with("/xml") || kind.ends_with("+xml") && kind != "application/xhtml+xml";
    answer.is_feed || is_xml || kind.ends_with("/json") || kind.ends_with("+json")
}

/// Whether the start of a body has the root of RSS or Atom, or the version of a JSON feed.
fn starts_like_a_feed(body: &[u8]) -> bool {
    // The signs are ASCII. In UTF-16, each of their bytes has a zero byte beside it.
    let head: Vec<u8> = body.iter().take(BYTES_SCANNED_FOR_FEED).copied().filter(|&byte| byte != 0).collect();
    let has = |sign: &str| head.windows(sign.len()).any(|place| place == sign.as_bytes());
    ["<rss", "<feed", "<atom:feed", "<rdf:RDF", "jsonfeed.org/version"].into_iter().any(has)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use dehusk_corpus::ReadOptions;
    use dehusk_run::Silent;

    const RSS: &str = "<?xml version='1.0'?><rss version='2.0'><channel><title>T</title><link>https://a.example/</link>\
        <description>d</description><item><link>https://a.example/1</link><title>One</title>\
        <description>TEXT</description></item></channel></rss>";

    fn record(id: &str, url: &str, date: u32, fields: &str, answer: &str) -> String {
        let header = "WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n";
        format!(
            "{header}WARC-Record-ID: <{id}>\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-{date:02}T00:00:00Z\r\n{fields}\
             Content-Length: {}\r\n\r\n{answer}\r\n\r\n",
            answer.len()
        )
    }

    fn page(id: &str, url: &str, date: u32) -> String {
        record(id, url, date, "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Rain.")
    }

    fn moved(url: &str, status: u16, to: &str, date: u32) -> String {
        record("moved", url, date, "", &format!("HTTP/1.1 {status} x\r\nLocation: {to}\r\n\r\n"))
    }

    fn feed(kind: &str, identified: &str, text: &str) -> String {
        let body = RSS.replace("TEXT", text);
        record(
            "f",
            "https://a.example/f",
            1,
            identified,
            &format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}"),
        )
    }

    fn crawl(records: &[String]) -> Crawl {
        let mut file = tempfile::Builder::new().suffix(".warc").tempfile().expect("a file");
        file.write_all(records.concat().as_bytes()).expect("written");
        let inventory = Inventory::scan(&[file.path().to_owned()], &ReadOptions::default()).expect("a file");
        Crawl::read(&inventory, &Silent).expect("read")
    }

    fn captures(records: &[String], url: &str) -> Vec<String> {
        let address = Address::parse(url).expect("an address");
        crawl(records).captures(&address).map(str::to_owned).collect()
    }

    #[test]
    fn feeds_are_found_by_what_the_crawler_says_or_how_they_start() {
        let identified = "WARC-Identified-Payload-Type: application/rss+xml\r\n";
        let cases = [
            ("text/html", identified, 1),
            ("text/xml", "", 1),
            ("application/rss+xml; charset=utf-8", "", 1),
            ("text/html", "", 0),
            ("application/xhtml+xml", "", 0),
        ];
        for (kind, identified, feeds) in cases {
            assert_eq!(crawl(&[feed(kind, identified, "Rain.")]).feeds.len(), feeds, "{kind} {identified}");
        }
    }

    #[test]
    fn an_entry_counts_once_unless_its_text_changes() {
        let feed = |text: &str| feed("text/xml", "", text);
        let entries = |feeds: &[String]| crawl(feeds).feeds.values().map(Vec::len).collect::<Vec<usize>>();
        assert_eq!(entries(&[feed("Rain."), feed("Rain.")]), [1]);
        assert_eq!(entries(&[feed("Rain."), feed("Rain all week.")]), [2]);
    }

    #[test]
    fn the_latest_capture_is_the_last() {
        let url = "https://a.example/1";
        assert_eq!(captures(&[page("c", url, 3), page("a", url, 1), page("b", url, 2)], url), ["a", "b", "c"]);
        assert_eq!(captures(&[page("a", url, 1), page("b", url, 1)], url), ["a", "b"]);
        assert_eq!(captures(&[page("a", url, 1)], "https://a.example/2"), [""; 0]);
    }

    #[test]
    fn redirects_are_followed_to_the_page() {
        let (from, to) = ("https://a.example/?p=1", "https://a.example/1");
        for status in REDIRECTS {
            assert_eq!(captures(&[moved(from, status, "/1", 1), page("a", to, 1)], from), ["a"], "{status}");
        }
        assert_eq!(captures(&[moved(from, 304, "/1", 1), page("a", to, 1)], from), [""; 0]);
        let old = [moved(from, 301, "/1", 2), moved(from, 301, "/2", 1), page("a", to, 1)];
        assert_eq!(captures(&old, from), ["a"], "the later redirect holds");
        // If a page was captured, its redirects are not followed.
        assert_eq!(captures(&[page("b", from, 1), moved(from, 301, "/1", 2), page("a", to, 1)], from), ["b"]);
        // A circle of redirects is not followed forever.
        assert_eq!(captures(&[moved(from, 301, "/1", 1), moved(to, 301, "/?p=1", 1)], from), [""; 0]);
    }
}
