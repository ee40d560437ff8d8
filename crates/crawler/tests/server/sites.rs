//! What the server serves.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use super::Behaviour;
use super::date;

/// When pages were changed that say nothing else.
const MODIFIED: i64 = 1_710_000_000;

/// A page, or another file.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its `Content-Type`.
    pub kind: String,
    /// Its content.
    pub body: Vec<u8>,
    /// When it was changed, in seconds since 1970.
    pub modified: i64,
}

impl Page {
    /// A page in HTML.
    pub fn html(body: impl Into<Vec<u8>>) -> Page {
        Page::new("text/html; charset=utf-8", body)
    }

    /// A file of another type.
    pub fn new(kind: &str, body: impl Into<Vec<u8>>) -> Page {
        Page { kind: kind.to_owned(), body: body.into(), modified: MODIFIED }
    }

    /// The page as it was changed at this time.
    pub fn modified(self, seconds: i64) -> Page {
        Page { modified: seconds, ..self }
    }

    /// The page after this number of changes. Its type stays what it is: a feed can still be read.
    pub(super) fn changed(mut self, times: u32) -> Page {
        if times == 0 {
            return self;
        }
        self.modified += i64::from(times) * 3600;
        if self.kind.starts_with("text/html") {
            let line = format!("<p>This page was changed. Number of changes: {times}.</p>\n");
            let end = self.body.windows(7).rposition(|window| window == b"</body>").unwrap_or(self.body.len());
            self.body.splice(end..end, line.into_bytes());
        } else if self.kind.contains("gzip") {
            for _ in 0..times {
                self.body.extend(super::behaviour::gzip(b"\n"));
            }
        } else if self.kind.contains("xml") {
            self.body.extend(format!("<!-- change {times} -->\n").into_bytes());
        } else if self.kind.starts_with("text/plain") {
            self.body.extend(format!("# change {times}\n").into_bytes());
        } else {
            self.body.extend(vec![b'\n'; times as usize]);
        }
        self
    }

    /// Its `ETag`.
    pub(super) fn tag(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.body, self.modified).hash(&mut hasher);
        format!("\"{:016x}\"", hasher.finish())
    }
}

/// How the pages of a host are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sent {
    /// With `Content-Length`.
    #[default]
    Plain,
    /// Packed, if the client takes gzip.
    Gzip,
    /// In chunks of uneven length.
    Chunked,
    /// Without a length: the connection is closed after each page.
    UntilClosed,
}

/// Where the server is, for pages that have full URLs.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The same for all hosts.
    pub port: u16,
}

impl Base {
    /// A full URL.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.port)
    }

    /// Puts the port in for `{port}` and the scheme for `{scheme}`.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{port}", &self.port.to_string()).replace("{scheme}", self.scheme)
    }
}

/// Makes a page from its path, which has its query. `None`: 404.
pub type Rule = dyn Fn(&str, Base) -> Option<Page> + Send + Sync;

#[derive(Clone, Default)]
pub(super) struct Site {
    address: Option<IpAddr>,
    pages: HashMap<String, Page>,
    rule: Option<Arc<Rule>>,
    pub(super) sent: Sent,
}

impl Site {
    pub(super) fn page(&self, path: &str, base: Base) -> Option<Page> {
        let bare = path.split('?').next().unwrap_or_default();
        if let Some(page) = self.pages.get(path).or_else(|| self.pages.get(bare)) {
            let mut page = page.clone();
            if let Ok(text) = std::str::from_utf8(&page.body)
                && (text.contains("{port}") || text.contains("{scheme}"))
            {
                page.body = base.fill(text).into_bytes();
            }
            return Some(page);
        }
        self.rule.as_ref().and_then(|rule| rule(path, base))
    }
}

/// The hosts of a server, their pages, and how they misbehave.
///
/// Every host has a loopback address of its own, if the test does not say otherwise.
#[derive(Clone, Default)]
pub struct Sites {
    pub(super) sites: BTreeMap<String, Site>,
    pub(super) behaviours: HashMap<(String, String), Behaviour>,
}

impl Sites {
    /// No hosts.
    pub fn new() -> Sites {
        Sites::default()
    }

    /// Some of the invented newspapers of `corpora/news`; see [`PAPERS`](super::PAPERS) for their names and what each one has.
    pub fn news(papers: &[&str]) -> Sites {
        let mut sites = Sites::new();
        for paper in papers {
            super::news::add(&mut sites, paper);
        }
        sites
    }

    /// This number of hosts, `site-0000.example` and so on, each with this number of tiny pages: `/`, `/p/1`, `/p/2` and so on. A
    /// home page links to all other pages; from 100 pages on, they form a tree in which each page links to 50.
    pub fn many(hosts: usize, pages: usize) -> Sites {
        Sites::tree(hosts, pages, if pages <= 100 { 100 } else { 50 })
    }

    /// Like [`Sites::many`], but each page links to this number of pages that no other page links to.
    pub fn tree(hosts: usize, pages: usize, links: usize) -> Sites {
        let mut sites = Sites::new();
        for number in 0..hosts {
            let host = format!("site-{number:04}.example");
            let name = host.clone();
            sites.rule(&host, move |path, _| tiny(&name, path, pages, links));
        }
        sites
    }

    /// Adds a host without pages, or leaves it as it is.
    pub fn host(&mut self, host: &str) -> &mut Sites {
        self.sites.entry(host.to_owned()).or_default();
        self
    }

    /// Adds a page in HTML. In its text, `{port}` and `{scheme}` become those of the server. A path without a query is also what its
    /// URLs with a query get.
    pub fn page(&mut self, host: &str, path: &str, html: &str) -> &mut Sites {
        self.file(host, path, Page::html(html))
    }

    /// Sets the robots.txt of a host.
    pub fn robots(&mut self, host: &str, text: &str) -> &mut Sites {
        self.file(host, "/robots.txt", Page::new("text/plain; charset=utf-8", text))
    }

    /// Adds a file of any type.
    pub fn file(&mut self, host: &str, path: &str, page: Page) -> &mut Sites {
        self.host(host).sites.entry(host.to_owned()).or_default().pages.insert(path.to_owned(), page);
        self
    }

    /// Makes the pages of a host that were not added one by one.
    pub fn rule(
        &mut self,
        host: &str,
        rule: impl Fn(&str, Base) -> Option<Page> + Send + Sync + 'static,
    ) -> &mut Sites {
        self.sites.entry(host.to_owned()).or_default().rule = Some(Arc::new(rule));
        self
    }

    /// How the pages of a host are sent.
    pub fn sent(&mut self, host: &str, sent: Sent) -> &mut Sites {
        self.sites.entry(host.to_owned()).or_default().sent = sent;
        self
    }

    /// How a page misbehaves. A path that ends in `*` is for all paths that begin so; `*` is for all of the host, with its
    /// robots.txt. An exact path goes before a prefix, and a long prefix before a short one.
    pub fn behave(&mut self, host: &str, path: &str, behaviour: Behaviour) -> &mut Sites {
        self.host(host).behaviours.insert((host.to_owned(), path.to_owned()), behaviour);
        self
    }

    /// Puts hosts on one address: that of the first, if it was given one.
    pub fn share(&mut self, hosts: &[&str]) -> &mut Sites {
        let first = hosts.first().and_then(|host| self.sites.get(*host)?.address);
        // Addresses of 127.99 are those that hosts share. The number of shared ones so far makes them differ.
        let shared = self.sites.values().filter(|site| site.address.is_some()).count() as u16;
        let [high, low] = shared.to_be_bytes();
        let address = first.unwrap_or(IpAddr::V4(Ipv4Addr::new(127, 99, high, low.saturating_add(1))));
        for host in hosts {
            self.at(host, address);
        }
        self
    }

    /// Puts a host on an address.
    ///
    /// # Panics
    ///
    /// If it is not a loopback address.
    pub fn at(&mut self, host: &str, address: IpAddr) -> &mut Sites {
        assert!(address.is_loopback(), "{address} is not a loopback address");
        self.sites.entry(host.to_owned()).or_default().address = Some(address);
        self
    }

    /// Adds all that another one has. Where both have a host, the other one's is taken.
    pub fn and(&mut self, other: Sites) -> &mut Sites {
        self.sites.extend(other.sites);
        self.behaviours.extend(other.behaviours);
        self
    }

    /// The hosts, in the order of their names.
    pub fn hosts(&self) -> Vec<String> {
        self.sites.keys().cloned().collect()
    }

    pub(super) fn addresses(&self) -> BTreeMap<String, IpAddr> {
        let own = |number: usize| {
            let [high, low] = (number as u16).to_be_bytes();
            IpAddr::V4(Ipv4Addr::new(127, 77, high, low))
        };
        let address = |(number, (host, site)): (usize, (&String, &Site))| {
            (host.clone(), site.address.unwrap_or_else(|| own(number + 1)))
        };
        self.sites.iter().enumerate().map(address).collect()
    }
}

const WORDS: [&str; 32] = [
    "harbour", "lantern", "meadow", "station", "copper", "winter", "bridge", "council", "orchard", "signal", "river",
    "market", "window", "engine", "summer", "letter", "garden", "captain", "village", "morning", "shelter", "timber",
    "weather", "ferry", "museum", "chapel", "quarry", "baker", "evening", "gravel", "teacher", "island",
];

/// A text of invented sentences, always the same for one seed.
pub(super) fn text(seed: impl Hash, words: usize) -> String {
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    let mut state = hasher.finish() | 1;
    let mut text = String::new();
    for number in 0..words {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = WORDS[(state >> 59) as usize];
        match number % 9 {
            0 => {
                text.push_str(&word[..1].to_uppercase());
                text.push_str(&word[1..]);
            }
            _ => text.push_str(word),
        }
        text.push_str(if number % 9 == 8 || number + 1 == words { ". " } else { " " });
    }
    text
}

/// The page of a host of [`Sites::tree`].
fn tiny(host: &str, path: &str, pages: usize, links: usize) -> Option<Page> {
    let path = path.split('?').next().unwrap_or_default();
    if path == "/robots.txt" {
        return Some(Page::new("text/plain", "User-agent: *\nDisallow: /private/\n"));
    }
    let number = match path {
        "/" => 0,
        _ => path.strip_prefix("/p/")?.parse::<usize>().ok()?,
    };
    // `/p/007` and `/p/0` are no second names.
    if number >= pages || (number > 0 && path != format!("/p/{number}")) || (number == 0 && path != "/") {
        return None;
    }
    let first = number.checked_mul(links)?.checked_add(1)?;
    let list: String = (first..first.saturating_add(links).min(pages))
        .map(|link| format!("<li><a href=\"/p/{link}\">Page {link}</a></li>\n"))
        .collect();
    let story = text((host, number), 60);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page {number} of {host}</title></head>\n\
         <body><header><p>{host}, all the news of the day</p></header>\n<article><h1>Page {number}</h1>\n<p>{story}</p></article>\n\
         <ul>\n{list}</ul>\n<footer><p>All rights reserved by {host}. <a href=\"/\">Home</a></p></footer></body></html>\n"
    );
    Some(Page::html(html).modified(date::at(2024, 3, 1, 8) + number as i64 * 60))
}
