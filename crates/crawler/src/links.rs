//! The links of a page.

use std::collections::HashSet;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252, X_USER_DEFINED};

use html5gum::{DefaultEmitter, StartTag, State, Token, Tokenizer};

use crate::address::Address;

/// The links of a page, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Other pages, each once, in the order of the page. Links with `rel=nofollow` are left out.
    pub pages: Vec<Address>,
    /// Feeds: `<link rel=alternate>` with the type of a feed.
    pub feeds: Vec<Address>,
    /// The address to which the page sends its visitors after a time: `<meta http-equiv=refresh>`.
    pub refresh: Option<Address>,
    /// Whether the page forbids to follow its links: `<meta name=robots content=nofollow>`. Then no links are returned.
    pub is_nofollow: bool,
}

/// Number of bytes at the start of a page that are searched for the declaration of its encoding.
const HEAD: usize = 1024;

/// Maximum length of all addresses together, in bytes. Without this limit, short links in a page with a long base would
/// fill the memory.
const MOST_BYTES_OF_LINKS: usize = 64 * 1024 * 1024;

/// Names of `<meta>` elements that this crawler obeys.
const ROBOTS: [&str; 2] = ["robots", "dehusk"];

/// Types of feeds. Plain JSON may be anything.
const FEED_TYPES: [&str; 3] = ["application/rss+xml", "application/atom+xml", "application/feed+json"];

/// Finds the links of a page at this address, relative to the base that the page declares. `charset` is that of its
/// `Content-Type`.
pub fn links(html: &[u8], charset: Option<&str>, address: &Address) -> Links {
    let named = charset.and_then(|charset| Encoding::for_label_no_replacement(charset.trim().as_bytes()));
    let encoding = named.or_else(|| declared_encoding(html)).unwrap_or(UTF_8);
    let (text, encoding, _) = encoding.decode(html); // a byte order mark counts more
    let mut base = None;
    let mut pages = Vec::new();
    let mut feeds = Vec::new();
    let mut refresh = None;
    for tag in Tags::new(&text) {
        match tag.name() {
            b"a" | b"area" if !tag.has_word("rel", "nofollow") => pages.extend(tag.value("href")),
            b"link" if tag.is_feed() && !tag.has_word("rel", "nofollow") => feeds.extend(tag.value("href")),
            b"base" => base = base.or_else(|| tag.value("href")),
            b"meta" if tag.forbids_links() => return Links { is_nofollow: true, ..Links::default() },
            b"meta" => refresh = refresh.or_else(|| tag.refresh()),
            _ => {}
        }
    }

    let base = base.and_then(|base| address.join(&base).ok());
    let base = base.as_ref().unwrap_or(address);
    let mut pages = resolved(&pages, base, encoding);
    pages.retain(|page| page != address);
    let refresh = refresh.and_then(|link| base.join_encoded(&link, encoding).ok()).filter(|target| target != address);
    Links { pages, feeds: resolved(&feeds, base, encoding), refresh, is_nofollow: false }
}

/// Whether a page may send its visitors elsewhere. Only such pages must be parsed to find the target.
pub fn may_refresh(html: &[u8]) -> bool {
    html.windows(7).any(|word| word.eq_ignore_ascii_case(b"refresh"))
}

/// The URL in the content of a refresh, such as `0; url='/news'`, as browsers read it. `None` if the refresh only
/// reloads the page, or is not valid.
fn url_of_refresh(content: &str) -> Option<&str> {
    let time = content.trim_ascii_start();
    let rest = time.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    let url = rest.trim_ascii_start();
    let url = url.strip_prefix([';', ',']).unwrap_or(url).trim_ascii_start();
    if rest.len() == time.len() || url.is_empty() || rest.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return None;
    }
    let named = url.get(..3).filter(|name| name.eq_ignore_ascii_case("url"));
    let named = named.and_then(|_| url[3..].trim_ascii_start().strip_prefix('='));
    let url = named.unwrap_or(url).trim_ascii_start();
    match url.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
        Some(quote) => url[1..].split(quote).next(),
        None => Some(url),
    }
}

/// The addresses of these links, each once, in their order.
fn resolved(links: &[String], base: &Address, encoding: &'static Encoding) -> Vec<Address> {
    let mut addresses = Vec::new();
    let mut seen = HashSet::new();
    let mut bytes = 0;
    for link in links {
        let Ok(address) = base.join_encoded(link, encoding) else { continue };
        // Equal hashes of different addresses are so rare that none will be lost.
        if seen.insert(twox_hash::XxHash3_128::oneshot(address.as_str().as_bytes())) {
            bytes += address.as_str().len();
            if bytes > MOST_BYTES_OF_LINKS {
                break;
            }
            addresses.push(address);
        }
    }
    addresses
}

/// The encoding that a page declares in a `<meta>` at its start.
fn declared_encoding(html: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&html[..html.len().min(HEAD)]);
    let mut tags = Tags::new(&head);
    let label = tags.find_map(|tag| if tag.name() == b"meta" { tag.charset() } else { None })?;
    let encoding = Encoding::for_label_no_replacement(label.trim().as_bytes())?;
    // In UTF-16, this declaration could not be read. So a declared UTF-16 counts as UTF-8.
    Some(if encoding == X_USER_DEFINED { WINDOWS_1252 } else { encoding.output_encoding() })
}

/// The start tags of a page, outside of `<template>` elements.
struct Tags<'a> {
    tokenizer: Tokenizer<html5gum::StringReader<'a>>,
    /// Number of open `<template>` elements.
    templates: usize,
}

impl<'a> Tags<'a> {
    fn new(text: &'a str) -> Tags<'a> {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        Tags { tokenizer: Tokenizer::new_with_emitter(text, emitter), templates: 0 }
    }
}

impl Iterator for Tags<'_> {
    type Item = Tag;

    fn next(&mut self) -> Option<Tag> {
        loop {
            match self.tokenizer.next()?.ok()? {
                Token::StartTag(tag) if **tag.name == *b"template" => self.templates += 1,
                Token::EndTag(tag) if **tag.name == *b"template" => self.templates = self.templates.saturating_sub(1),
                Token::StartTag(tag) => {
                    // No script is run here, so the content of `<noscript>` is shown.
                    if **tag.name == *b"noscript" {
                        self.tokenizer.set_state(State::Data);
                    }
                    if self.templates == 0 {
                        return Some(Tag(tag));
                    }
                }
                _ => {}
            }
        }
    }
}

struct Tag(StartTag<()>);

impl Tag {
    fn name(&self) -> &[u8] {
        &self.0.name
    }

    /// The value of an attribute.
    fn value(&self, attribute: &str) -> Option<String> {
        let value = self.0.attributes.get(attribute.as_bytes())?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    /// Whether an attribute has this word, ignoring upper and lower case.
    fn has_word(&self, attribute: &str, word: &str) -> bool {
        self.value(attribute)
            .is_some_and(|value| value.split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(word)))
    }

    /// Whether it is a `<link>` to a feed.
    fn is_feed(&self) -> bool {
        let media_type = self.value("type").unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        self.has_word("rel", "alternate") && FEED_TYPES.iter().any(|feed| feed.eq_ignore_ascii_case(media_type))
    }

    /// Whether it is a `<meta>` that forbids to follow links.
    fn forbids_links(&self) -> bool {
        let name = self.value("name").unwrap_or_default();
        let content = self.value("content").unwrap_or_default();
        let mut words = content.split([',', ' ', '\t', '\n']);
        ROBOTS.iter().any(|robots| robots.eq_ignore_ascii_case(name.trim()))
            && words.any(|word| ["nofollow", "none"].iter().any(|forbids| forbids.eq_ignore_ascii_case(word.trim())))
    }

    /// The URL to which a `<meta>` sends visitors.
    fn refresh(&self) -> Option<String> {
        self.value("http-equiv").filter(|name| name.trim().eq_ignore_ascii_case("refresh"))?;
        url_of_refresh(&self.value("content")?).map(str::to_owned)
    }

    /// The charset that a `<meta>` declares.
    fn charset(&self) -> Option<String> {
        self.value("charset").or_else(|| {
            self.value("http-equiv").filter(|name| name.trim().eq_ignore_ascii_case("content-type"))?;
            let content = self.value("content")?.to_ascii_lowercase();
            let label = content.split_once("charset")?.1.trim_start().strip_prefix('=')?.trim_start();
            label.trim_start_matches(['"', '\'']).split(['"', '\'', ';', ' ']).next().map(str::to_owned)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address() -> Address {
        Address::parse("https://paper.example/news/a?b").unwrap()
    }

    fn strings(addresses: Vec<Address>) -> Vec<String> {
        addresses.into_iter().map(|address| address.as_str().to_owned()).collect()
    }

    fn pages(html: &str) -> Vec<String> {
        strings(links(html.as_bytes(), None, &address()).pages)
    }

    #[test]
    fn links_in_the_order_of_the_page() {
        let html =
            "<A HREF=c>C</a><area href=' /d '><a href='c#x'>again</a><a href=''>itself</a><a href='#b'>itself</a>
            <a>none</a><a name=x href='?q=1&amp;r=2&copy=3'>R</a><img src=i.png><link href=l>";
        let expected =
            ["https://paper.example/news/c", "https://paper.example/d", "https://paper.example/news/a?q=1&r=2&copy=3"];
        assert_eq!(pages(html), expected);
        assert_eq!(pages("<a href=c href=d>"), ["https://paper.example/news/c"]);
    }

    #[test]
    fn links_to_other_things_are_none() {
        for href in [
            "javascript:void(0)",
            "mailto:ann@paper.example",
            "tel:1",
            "data:,x",
            "https://",
            "https://ann@paper.example/",
        ] {
            assert_eq!(pages(&format!("<a href='{href}'>x</a>")), [""; 0], "{href}");
        }
    }

    #[test]
    fn what_is_not_shown_does_not_count() {
        for start_and_end in [
            ("<script>", "</script>"),
            ("<style>", "</style>"),
            ("<template>", "</template>"),
            ("<template><template></template>", "</template>"),
            ("<!--", "-->"),
            ("<title>", "</title>"),
            ("<textarea>", "</textarea>"),
            ("<iframe>", "</iframe>"),
            ("<p title='", "'>"),
        ] {
            let (start, end) = start_and_end;
            assert_eq!(
                pages(&format!("{start}<a href=x>{end}<a href=y>")),
                ["https://paper.example/news/y"],
                "{start}"
            );
        }
        assert_eq!(pages("<noscript><a href=x></noscript></template><a href=y>").len(), 2);
    }

    #[test]
    fn bases() {
        let html =
            "<a href=c><base target=_top><base href='https://www.paper.example/x/'><base href=/no/><a href='?d'>";
        assert_eq!(pages(html), ["https://www.paper.example/x/c", "https://www.paper.example/x/?d"]);
        assert_eq!(pages("<base href=/x/><a href=c>"), ["https://paper.example/x/c"]);
        assert_eq!(pages("<base href='data:,x'><a href=c>"), ["https://paper.example/news/c"]);
        // The page itself is the one that was fetched, whatever its base.
        assert_eq!(pages("<base href=/x/><a href='/news/a?b'><a href='#c'>"), ["https://paper.example/x/"]);
    }

    #[test]
    fn nofollow() {
        assert_eq!(
            pages("<a rel='external NoFollow' href=c><area rel=nofollow href=d><a rel=nofollows href=e>"),
            ["https://paper.example/news/e"]
        );
        for meta in [
            "name=robots content=nofollow",
            "content='noindex, NOFOLLOW' name=ROBOTS",
            "name=dehusk content='none'",
            "name=robots content='a,none ,b'",
        ] {
            let html = format!("<a href=c><link rel=alternate type=application/rss+xml href=f><meta {meta}><a href=d>");
            assert_eq!(
                links(html.as_bytes(), None, &address()),
                Links { is_nofollow: true, ..Links::default() },
                "{meta}"
            );
        }
        for meta in [
            "name=robots content=noindex",
            "name=other content=nofollow",
            "content=nofollow",
            "name=robots",
            "name=robots content='nofollows'",
        ] {
            assert_eq!(pages(&format!("<meta {meta}><a href=c>")).len(), 1, "{meta}");
        }
        assert_eq!(pages("<!-- <meta name=robots content=nofollow> --><a href=c>").len(), 1);
    }

    #[test]
    fn refreshes() {
        let refresh = |content: &str| {
            let html =
                format!("<meta http-equiv=Refresh content=\"{content}\"><meta http-equiv=refresh content='0;url=/no'>");
            links(html.as_bytes(), None, &address()).refresh.map(|target| target.as_str().to_owned())
        };
        for content in ["0;url=/c", "5; URL = '/c'", " 0.5 , /c", "0 url='/c' x", "0;/c", "1;&#10;url=/c", "0; '/c"] {
            assert_eq!(refresh(content).as_deref(), Some("https://paper.example/c"), "{content}");
        }
        // The second refresh counts if the first one has no URL.
        for content in ["5", "", "soon;url=/c", "url=/c", "5url=/c", "-1;url=/c"] {
            assert_eq!(refresh(content).as_deref(), Some("https://paper.example/no"), "{content}");
        }
        for content in ["300;url=a?b", "0;url=javascript:void(0)", "0;url=a?b#c"] {
            assert_eq!(refresh(content), None, "{content}");
        }
        let html = "<base href=/x/><noscript><meta http-equiv=refresh content=0;url=c></noscript>";
        let found = links(html.as_bytes(), None, &address()).refresh.unwrap();
        assert_eq!(found.as_str(), "https://paper.example/x/c");
        let html = format!("{html}<meta name=robots content=nofollow>");
        assert_eq!(links(html.as_bytes(), None, &address()).refresh, None);
        assert!(may_refresh(html.as_bytes()) && !may_refresh(b"<meta charset=utf-8>"));
    }

    #[test]
    fn feeds() {
        let html = "<link rel=alternate type=application/rss+xml href=/rss><link rel='Alternate home' type=' Application/Atom+XML; charset=utf-8' href=/atom>
            <link rel=alternate type=application/feed+json href=/json><link rel=alternate type=application/rss+xml href=/rss#again>
            <link rel=alternate type=application/json href=/1><link rel=stylesheet type=application/rss+xml href=/2><link rel=alternate href=/3>
            <link rel=alternate type=application/rss+xml><link rel='alternate nofollow' type=application/rss+xml href=/4>";
        let found = links(html.as_bytes(), None, &address());
        assert_eq!(
            strings(found.feeds),
            ["https://paper.example/rss", "https://paper.example/atom", "https://paper.example/json"]
        );
        assert_eq!(found.pages, []);
    }

    #[test]
    fn queries_have_the_encoding_of_the_page() {
        let (latin, utf8) = ("https://paper.example/%C3%A9?q=%E9", "https://paper.example/%C3%A9?q=%C3%A9");
        let link = "<a href='/é?q=é'>";
        let read = |html: &[u8], charset: Option<&str>| strings(links(html, charset, &address()).pages).concat();
        let in_latin = |html: &str| encoding_rs::WINDOWS_1252.encode(html).0.into_owned();
        assert_eq!(read(link.as_bytes(), None), utf8);
        assert_eq!(read(&in_latin(link), Some(" ISO-8859-1")), latin);
        assert_eq!(read(link.as_bytes(), Some("unknown")), utf8);
        for meta in ["<meta charset=latin1>", "<meta http-equiv=Content-Type content='text/html; charset=\"Latin1\"'>"]
        {
            assert_eq!(read(&in_latin(&format!("{meta}{link}")), None), latin, "{meta}");
            assert_eq!(read(format!("{meta}{link}").as_bytes(), Some("utf-8")), utf8, "{meta}");
            assert_eq!(read(format!("\u{FEFF}{meta}{link}").as_bytes(), None), utf8, "{meta}");
            assert_eq!(read(format!("<!-- {meta} -->{link}").as_bytes(), None), utf8, "{meta}");
            assert_eq!(read(format!("{}{meta}{link}", " ".repeat(HEAD)).as_bytes(), None), utf8, "{meta}");
        }
        assert_eq!(read(format!("<meta charset=utf-16>{link}").as_bytes(), None), utf8);
        let utf16: Vec<u8> = format!("\u{FEFF}{link}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&utf16, None), utf8);
    }

    #[test]
    fn hostile_pages_are_read_in_time() {
        let start = std::time::Instant::now();
        let many = 50_000;
        let distinct: String = (0..many).map(|at| format!("<a href=p{at}>")).collect();
        assert_eq!(pages(&distinct).len(), many);
        let long = format!("<base href='/{}/'>{distinct}", "x".repeat(1900));
        assert!(pages(&long).len() < many);
        for html in [
            "<a href=p>".repeat(many),
            "<template>".repeat(many),
            format!("<a {}>", (0..many).map(|at| format!("a{at}=b ")).collect::<String>()),
            format!("<a {}>", "a=b ".repeat(many)),
            format!("<a href='{}'>", "x".repeat(10 * many)),
            format!("<a href=p rel='{}'>", "x ".repeat(many)),
            format!("<a href='{}'>", "&amp".repeat(many)),
            "<!--".repeat(many),
            "<a ".repeat(many),
            "<script>".repeat(many),
        ] {
            assert!(pages(&html).len() <= 1);
        }
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn any_page_can_be_read(parts in prop::collection::vec(prop_oneof![
            3 => prop::sample::select(vec![
                "<a href=", "'", "\"", ">", "<base href=", "/x", "?é", "<template>", "</template>", "<noscript>", "<script>", "</script>", "<!--", "-->",
                "<meta charset=big5>", "<link rel=alternate type=application/rss+xml href=", "&#x41;", "&amp", " ", "https://other.example/",
            ]).prop_map(|part| part.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..5),
        ], 0..20), charset in prop::sample::select(vec![None, Some("utf-16le"), Some("gbk"), Some("iso-2022-jp"), Some("x-user-defined")])) {
            let found = links(&parts.concat(), charset, &address());
            let distinct: HashSet<&Address> = found.pages.iter().collect();
            prop_assert_eq!(distinct.len(), found.pages.len());
            prop_assert!(!found.pages.contains(&address()));
        }
    }
}
