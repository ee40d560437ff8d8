//! Feeds: RSS, Atom and JSON Feed.
//!
//! Feeds are often not proper XML. So elements are found by their names: they may be closed wrongly, and the document
//! may end anywhere. The crate feed-rs refuses such feeds as a whole, and some names of authors make it panic.

use std::time::Duration;

use chrono::{DateTime, Utc};
use html5gum::{Token, Tokenizer};
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use crate::address::Address;
use crate::{date, xml};

/// A feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// The entries, in the order of the feed.
    pub entries: Vec<Entry>,
    /// The interval at which the feed asks to be read: `ttl`, or `sy:updatePeriod` divided by `sy:updateFrequency`.
    pub interval: Option<Duration>,
}

/// An entry of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The address of its page.
    pub page: Address,
    /// The later of its dates of publication and update.
    pub date: Option<DateTime<Utc>>,
    /// Its title, as plain text.
    pub title: Option<String>,
    /// Its content as HTML: the content in the feed, or else the summary or description.
    pub html: Option<String>,
    /// Whether `html` is the content in the feed (`content:encoded`, Atom `content`, `content_html`), and not a
    /// summary.
    pub is_content: bool,
}

/// Largest number of entries that are read from one feed, including those without a page.
pub const MOST_ENTRIES: usize = 10_000;

/// Longest interval that is believed.
const LONGEST_INTERVAL_BELIEVED: Duration = Duration::from_secs(366 * DAY);

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// Reads a feed that was found at this address. `None` if it is not a feed. Entries without a page that can be visited
/// are left out. Of a broken feed, the entries before the broken place are read.
pub fn parse(bytes: &[u8], address: &Address) -> Option<Feed> {
    let text = xml::decoded(bytes);
    let text = text.trim();
    if text.starts_with('{') { of_json(text, address) } else { of_xml(text, address) }
}

fn of_json(text: &str, address: &Address) -> Option<Feed> {
    let feed: Value = serde_json::from_str(text).ok()?;
    feed.get("version")?.as_str().filter(|version| version.contains("jsonfeed.org/version/"))?;
    let entries = feed.get("items")?.as_array()?.iter().take(MOST_ENTRIES);
    let entries = entries.filter_map(|item| json_item(item).entry(address));
    Some(Feed { entries: entries.collect(), interval: None })
}

fn json_item(item: &Value) -> Item {
    let text = |key: &str| Some(item.get(key)?.as_str()?.trim().to_owned());
    Item {
        link: text("url"),
        id: text("id"),
        date: ["date_published", "date_modified"].into_iter().filter_map(|key| date::parse(&text(key)?)).max(),
        title: text("title"),
        content: not_empty(text("content_html")).or_else(|| text("content_text").as_deref().map(html_of_text)),
        summary: text("summary").as_deref().map(html_of_text),
    }
}

/// The facts about an entry that are read from a feed.
#[derive(Default)]
struct Item {
    link: Option<String>,
    /// May be a URL.
    id: Option<String>,
    date: Option<DateTime<Utc>>,
    /// Plain text.
    title: Option<String>,
    /// HTML.
    content: Option<String>,
    /// HTML.
    summary: Option<String>,
}

impl Item {
    /// The entry in a feed with this base. `None` if it has no page that can be visited.
    fn entry(self, base: &Address) -> Option<Entry> {
        let link = not_empty(self.link).and_then(|link| base.join(&link).ok());
        let page = link.or_else(|| Address::parse(&self.id?).ok())?;
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        let content = not_empty(self.content);
        let is_content = content.is_some();
        let html = content.or_else(|| not_empty(self.summary));
        Some(Entry { page, date: self.date, title: not_empty(title), html, is_content })
    }
}

fn not_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Rss,
    Atom,
}

/// An element that is read as a whole.
struct Element {
    field: Field,
    /// The name in its tags.
    name: String,
    markup: Markup,
    /// The position in the document after its start tag.
    start: usize,
    /// Whether there are other elements in it.
    is_parent: bool,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    Id,
    Date,
    Title,
    Content,
    Summary,
    Ttl,
    Period,
    Frequency,
    /// An element that contains the same elements, but about something else.
    Skipped,
}

/// The kind of text in an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Plain,
    Html,
    /// Neither, such as a picture.
    Other,
}

fn of_xml(document: &str, address: &Address) -> Option<Feed> {
    let mut reader = xml::reader(document);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut format = None;
    let mut bases = (address.clone(), address.clone()); // of the feed, and of the entry
    let mut entries = Vec::new();
    let mut schedule = Schedule::default();
    let mut item: Option<(String, Item)> = None; // with the name of its tags
    let mut element: Option<Element> = None;
    let mut read = 0;

    loop {
        let before = position(&reader);
        match reader.read_event() {
            Ok(Event::Start(tag)) => match (format, tag.local_name().as_ref()) {
                (None, name) => {
                    format = Some(match name {
                        "rss" | "RDF" => Format::Rss,
                        "feed" => Format::Atom,
                        _ => return None,
                    });
                    bases.0 = base(&tag, address);
                }
                (Some(Format::Rss), "item") | (Some(Format::Atom), "entry") => {
                    // The item before may have no end tag.
                    entries.extend(item.take().and_then(|(_, item)| item.entry(&bases.1)));
                    element = None;
                    read += 1;
                    if read > MOST_ENTRIES {
                        break;
                    }
                    bases.1 = base(&tag, &bases.0);
                    let id = xml::attribute(&tag, "rdf:about");
                    item = Some((tag.name().as_ref().to_owned(), Item { id, ..Item::default() }));
                }
                (Some(format), _) => match &mut element {
                    Some(element) => element.is_parent = true,
                    None => {
                        element = opened(&tag, format, item.as_ref().map(|(name, _)| name.as_str()), position(&reader))
                    }
                },
            },
            Ok(Event::End(tag)) => {
                let name = tag.name();
                if let Some(element) = element.take_if(|element| element.name == name.as_ref()) {
                    match &mut item {
                        Some((_, item)) => item.set(element, document, before),
                        None => schedule.set(element.field, element.text.trim()),
                    }
                }
                if let Some((_, item)) = item.take_if(|(item, _)| item == name.as_ref()) {
                    entries.extend(item.entry(&bases.1));
                    element = None;
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(event) => {
                if let Some(element) = &mut element {
                    xml::push_text(&event, &mut element.text);
                }
            }
        }
    }

    format?;
    Some(Feed { entries, interval: schedule.interval() })
}

/// The reader's position in the document.
fn position(reader: &quick_xml::Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// The base URL of the links in an element.
fn base(tag: &BytesStart, outer: &Address) -> Address {
    let declared = xml::attribute(tag, "xml:base").and_then(|base| outer.join(&base).ok());
    declared.unwrap_or_else(|| outer.clone())
}

/// Begins to read an element. `None` if it is not needed. `item` is the name of the item that contains the element.
fn opened(tag: &BytesStart, format: Format, item: Option<&str>, start: usize) -> Option<Element> {
    let local = tag.local_name();
    let field = match item {
        None => match local.as_ref() {
            "ttl" => Field::Ttl,
            "updatePeriod" => Field::Period,
            "updateFrequency" => Field::Frequency,
            _ => return None,
        },
        Some(item) => {
            let is_own = prefix(tag.name().as_ref()) == prefix(item);
            match local.as_ref() {
                "link" if is_own => Field::Link,
                "guid" | "id" if is_own => Field::Id,
                "pubDate" | "date" | "published" | "updated" | "issued" | "modified" => Field::Date,
                "title" if is_own => Field::Title,
                "encoded" => Field::Content,
                "content" if is_own => Field::Content,
                "description" | "summary" if is_own => Field::Summary,
                "source" => Field::Skipped,
                _ => return None,
            }
        }
    };
    let mut element = Element {
        field,
        name: tag.name().as_ref().to_owned(),
        markup: markup(tag, format),
        start,
        is_parent: false,
        text: String::new(),
    };
    if field == Field::Link {
        // A link of another type, such as PDF, is not used later: its markup is `Markup::Other`.
        let is_page = xml::attribute(tag, "rel").is_none_or(|rel| rel.trim().eq_ignore_ascii_case("alternate"));
        element.field = if is_page { Field::Link } else { Field::Skipped };
        element.text.extend(xml::attribute(tag, "href"));
    }
    Some(element)
}

fn prefix(name: &str) -> &str {
    name.split_once(':').map_or("", |(prefix, _)| prefix)
}

fn markup(tag: &BytesStart, format: Format) -> Markup {
    let declared = xml::attribute(tag, "type").filter(|_| format == Format::Atom);
    let default = if format == Format::Atom { "text" } else { "html" };
    match declared.as_deref().unwrap_or(default).trim().to_ascii_lowercase().as_str() {
        "text" | "text/plain" => Markup::Plain,
        "html" | "text/html" | "xhtml" | "application/xhtml+xml" => Markup::Html,
        _ => Markup::Other,
    }
}

impl Item {
    /// Sets the field of an element, if the element is not empty and the field has no value yet. Of dates, the latest
    /// is kept. `end` is the position in the document where the element ends.
    fn set(&mut self, element: Element, document: &str, end: usize) {
        let text = element.text.trim();
        if let Field::Date = element.field {
            self.date = self.date.max(date::parse(text));
            return;
        }
        let inside = document.get(element.start..end).unwrap_or_default();
        let html = match element.markup {
            Markup::Other => return,
            _ if element.is_parent => inside.trim().to_owned(),
            Markup::Plain => html_of_text(text),
            Markup::Html => text.to_owned(),
        };
        let (field, value) = match element.field {
            Field::Link => (&mut self.link, text.to_owned()),
            Field::Id => (&mut self.id, text.to_owned()),
            Field::Title => (&mut self.title, text_of_html(&html)),
            Field::Content => (&mut self.content, html),
            Field::Summary => (&mut self.summary, html),
            _ => return,
        };
        if !value.trim().is_empty() && field.is_none() {
            *field = Some(value);
        }
    }
}

/// How often a feed asks to be read.
#[derive(Default)]
struct Schedule {
    ttl: Option<Duration>,
    period: Option<Duration>,
    frequency: Option<u32>,
}

impl Schedule {
    fn set(&mut self, field: Field, value: &str) {
        match field {
            Field::Ttl => {
                self.ttl = value.parse::<u32>().ok().map(|minutes| Duration::from_secs(60 * u64::from(minutes)))
            }
            Field::Period => {
                let days = match value.to_ascii_lowercase().as_str() {
                    "hourly" => return self.period = Some(Duration::from_secs(HOUR)),
                    "daily" => 1,
                    "weekly" => 7,
                    "monthly" => 30,
                    "yearly" => 365,
                    _ => return,
                };
                self.period = Some(Duration::from_secs(days * DAY));
            }
            Field::Frequency => self.frequency = value.parse().ok().filter(|&frequency| frequency > 0),
            _ => {}
        }
    }

    fn interval(&self) -> Option<Duration> {
        let updated = || Some(self.period? / self.frequency.unwrap_or(1));
        let is_believed = |interval: &Duration| !interval.is_zero() && *interval <= LONGEST_INTERVAL_BELIEVED;
        self.ttl.filter(is_believed).or_else(updated).filter(is_believed)
    }
}

/// Plain text as HTML, with its line breaks.
fn html_of_text(text: &str) -> String {
    let text = text.trim().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace("\r\n", "\n").replace('\n', "<br>\n")
}

/// The text in HTML.
fn text_of_html(html: &str) -> String {
    let mut text = Vec::new();
    for token in Tokenizer::new(html) {
        match token {
            Ok(Token::String(part)) => text.extend_from_slice(&part),
            Ok(Token::StartTag(tag)) if **tag.name == *b"br" => text.push(b' '),
            _ => {}
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address() -> Address {
        Address::parse("https://paper.example/news/feed?a").unwrap()
    }

    fn feed(text: &str) -> Feed {
        parse(text.as_bytes(), &address()).unwrap_or_else(|| panic!("no feed: {text}"))
    }

    fn pages(text: &str) -> Vec<String> {
        feed(text).entries.into_iter().map(|entry| entry.page.as_str().to_owned()).collect()
    }

    fn entry(page: &str, date: &str, title: &str, html: &str, is_content: bool) -> Entry {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Entry {
            page: Address::parse(page).unwrap(),
            date: date::parse(date),
            title: text(title),
            html: text(html),
            is_content,
        }
    }

    const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel><title>Paper</title><link>https://paper.example/</link><description>All</description>
          <atom:link rel="self" href="https://paper.example/feed"/><pubDate>Thu, 02 May 2030 10:00:00 GMT</pubDate><ttl>90</ttl>
          <item><title>Tom &amp;amp; <![CDATA[<b>Jerry</b>]]>
            again</title><link>https://paper.example/a?b&amp;c</link>
            <description><![CDATA[<p>Short</p>]]></description><content:encoded><![CDATA[<p>Long &amp; wide</p>]]></content:encoded>
            <pubDate>Thu, 02 May 2024 10:00:00 +0200</pubDate><dc:date>2024-05-01</dc:date>
            <guid isPermaLink="false">7</guid><media:title>Picture</media:title><media:content url="x.png"/>
            <author>（ann@paper.example）</author><itunes:duration>99999999999999999999999</itunes:duration></item>
          <item><link/><guid>https://paper.example/b</guid><description>&lt;p&gt;Short&lt;/p&gt;</description>
            <source url="https://other.example/"><title>Other</title><link>https://other.example/</link></source></item>
          <item><link> /c
            </link></item>
          <item><title>No page</title></item>
          <item><link>mailto:ann@paper.example</link><guid>x</guid></item>
        </channel></rss>"#;

    #[test]
    fn rss_2() {
        let expected = [
            entry(
                "https://paper.example/a?b&c",
                "2024-05-02T08:00:00Z",
                "Tom & Jerry again",
                "<p>Long &amp; wide</p>",
                true,
            ),
            entry("https://paper.example/b", "", "", "<p>Short</p>", false),
            entry("https://paper.example/c", "", "", "", false),
        ];
        assert_eq!(feed(RSS), Feed { entries: expected.to_vec(), interval: Some(Duration::from_secs(90 * 60)) });
    }

    #[test]
    fn rss_of_other_versions() {
        for version in ["version='0.91'", "version='0.93'", "version='2'", ""] {
            let xml = format!("<rss {version}><channel><item><title>A</title><link>a</link></item></channel></rss>");
            assert_eq!(feed(&xml).entries, [entry("https://paper.example/news/a", "", "A", "", false)], "{version}");
        }
    }

    #[test]
    fn rss_1() {
        let xml = r#"<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/" xmlns:sy="y"><channel rdf:about="z"><link>https://paper.example/</link>
            <sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
            <items><rdf:Seq><rdf:li resource="q"/></rdf:Seq></items></channel>
            <item rdf:about="https://paper.example/a"><title>A</title><dc:date>2024-05-02T10:00:00Z</dc:date></item></rdf:RDF>"#;
        let entries = vec![entry("https://paper.example/a", "2024-05-02T10:00:00Z", "A", "", false)];
        assert_eq!(feed(xml), Feed { entries, interval: Some(Duration::from_secs(15 * 60)) });
    }

    const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/"><title>Paper</title><link href="https://paper.example/"/>
          <updated>2030-01-01T00:00:00Z</updated>
          <entry><title type="html">&lt;i&gt;A&lt;/i&gt; &amp;amp; B</title><link rel="self" href="https://paper.example/self"/><link href="a.pdf" type="application/pdf"/>
            <link rel="alternate" type="text/html" href="a"/><link href="https://paper.example/second"/>
            <id>tag:paper.example,2024:a</id><published>2024-05-01T00:00:00Z</published><updated>2024-05-03T00:00:00Z</updated>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A &amp; B<br/></p></div></content><summary>Short</summary></entry>
          <entry xml:base="https://b.paper.example/x/"><title>1 &lt; 2</title><link href="b"/><summary>1 &lt; 2
and more</summary></entry>
          <entry><id>https://paper.example/c</id><content type="html">&lt;p&gt;C</content>
            <source><id>https://other.example/</id><link href="https://other.example/"/><updated>2030-01-01</updated></source></entry>
          <entry><link href="d"></link><content type="image/png">AAAA</content></entry></feed>"#;

    #[test]
    fn atom() {
        let xhtml = "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>A &amp; B<br/></p></div>";
        let expected = [
            entry("https://paper.example/base/a", "2024-05-03", "A & B", xhtml, true),
            entry("https://b.paper.example/x/b", "", "1 < 2", "1 &lt; 2<br>\nand more", false),
            entry("https://paper.example/c", "", "", "<p>C", true),
            entry("https://paper.example/base/d", "", "", "", false),
        ];
        assert_eq!(feed(ATOM), Feed { entries: expected.to_vec(), interval: None });
    }

    #[test]
    fn atom_with_a_prefix() {
        let xml = "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:title>A</a:title><a:link href='a'/><title>B</title></a:entry></a:feed>";
        assert_eq!(feed(xml).entries, [entry("https://paper.example/news/a", "", "A", "", false)]);
    }

    const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "Paper", "items": [
        {"id": "1", "url": "a", "title": "A < B", "content_html": "<p>A", "content_text": "A", "summary": "S",
         "date_published": "2024-05-01T10:00:00Z", "date_modified": "2024-05-02T10:00:00+02:00"},
        {"id": "https://paper.example/b", "external_url": "https://other.example/", "content_text": "1 < 2\n& 3"},
        {"id": 3, "url": "/c", "summary": "a<b", "content_html": ""},
        {"id": "4"}, 5, null]}"#;

    #[test]
    fn json_feed() {
        let expected = [
            entry("https://paper.example/news/a", "2024-05-02T08:00:00Z", "A < B", "<p>A", true),
            entry("https://paper.example/b", "", "", "1 &lt; 2<br>\n&amp; 3", true),
            entry("https://paper.example/c", "", "", "a&lt;b", false),
        ];
        assert_eq!(feed(JSON), Feed { entries: expected.to_vec(), interval: None });
        assert_eq!(pages(&format!("\u{FEFF} {JSON}")).len(), 3);
    }

    #[test]
    fn wrong_encodings() {
        let xml = |encoding: &str| {
            format!(
                "<?xml version='1.0' encoding='{encoding}'?>{}",
                RSS.split_once("?>").unwrap().1.replace("Short", "é")
            )
        };
        assert_eq!(feed(&xml("ISO-8859-1")).entries[1].html.as_deref(), Some("<p>é</p>"));
        assert_eq!(feed(&xml("UTF-16")).entries[1].html.as_deref(), Some("<p>é</p>"));
        let latin = encoding_rs::WINDOWS_1252.encode(&xml("ISO-8859-1").replace(['（', '）'], "")).0.into_owned();
        assert_eq!(parse(&latin, &address()).unwrap().entries[1].html.as_deref(), Some("<p>é</p>"));
    }

    #[test]
    fn broken_feeds_have_what_can_be_read() {
        let xml = |inside: &str| {
            format!("PHP warning: <rss><channel><item><link>a</link>{inside}</item><item><link>b</link></item>")
        };
        for inside in [
            "<title>A & B</title>",
            "<description><p>A<br>B</p></description>",
            "<title>A",
            "</b>",
            "<title>A</item><item><link>b</link>",
        ] {
            let pages = pages(&xml(inside));
            assert_eq!(
                (pages.first(), pages.last()),
                (Some(&"https://paper.example/news/a".into()), Some(&"https://paper.example/news/b".into())),
                "{inside}"
            );
        }
        assert_eq!(feed(&xml("<title>A & B &nbsp;</title>")).entries[0].title.as_deref(), Some("A & B"));
        assert_eq!(
            feed(&xml("<description><p>A<br>B</p></description>")).entries[0].html.as_deref(),
            Some("<p>A<br>B</p>")
        );
        assert_eq!(
            pages("<rss><item><link>a</link><item><link>b</link></item><item><link>c"),
            ["https://paper.example/news/a", "https://paper.example/news/b"]
        );
    }

    #[test]
    fn intervals() {
        let interval = |inside: &str| {
            feed(&format!("<rss><channel>{inside}</channel></rss>")).interval.map(|interval| interval.as_secs())
        };
        let sy = |period: &str, frequency: &str| {
            interval(&format!(
                "<sy:updatePeriod> {period} </sy:updatePeriod><sy:updateFrequency>{frequency}</sy:updateFrequency>"
            ))
        };
        assert_eq!(interval("<ttl> 60\n</ttl><sy:updatePeriod>daily</sy:updatePeriod>"), Some(3600));
        assert_eq!(interval("<ttl>0</ttl><sy:updatePeriod>daily</sy:updatePeriod>"), Some(DAY));
        assert_eq!(interval("<ttl>527040</ttl>"), Some(366 * DAY));
        for none in [
            "",
            "<ttl/>",
            "<ttl>0</ttl>",
            "<ttl>-1</ttl>",
            "<ttl>527041</ttl>",
            "<ttl>99999999999</ttl>",
            "<ttl>soon</ttl>",
        ] {
            assert_eq!(interval(none), None, "{none}");
        }
        assert_eq!(sy("Hourly", "2"), Some(1800));
        assert_eq!(sy("weekly", "0"), Some(7 * DAY));
        assert_eq!(sy("monthly", ""), Some(30 * DAY));
        assert_eq!(sy("yearly", "1"), Some(365 * DAY));
        assert_eq!(sy("sometimes", "1"), None);
    }

    #[test]
    fn other_documents_are_none() {
        for other in [
            "",
            "<!DOCTYPE html><html><item><link>a</link></item></html>",
            "<urlset/>",
            "{}",
            "{\"items\": []}",
            "[1]",
            "text",
            "{",
        ] {
            assert_eq!(parse(other.as_bytes(), &address()), None, "{other}");
        }
        assert_eq!(feed("<rss/>").entries, []);
    }

    #[test]
    fn hostile_feeds_are_read_in_time() {
        let start = std::time::Instant::now();
        let many = 100_000;
        for inside in [
            "<a xml:base='abcdefgh/'>".repeat(many),
            "<item xml:base='abcdefgh/'>".repeat(many),
            "<a xmlns:a='b'>".repeat(many),
            "<description>".repeat(many),
            "<description>a</description>".repeat(many),
            "<item><link>?</link></item>".repeat(many),
            format!("<item><title>{}</title></item>", "&lt;".repeat(many)),
            format!("<item><description>{}</description></item>", "<p>&amp;".repeat(many)),
            format!("<item {}>", (0..many).map(|at| format!("a{at}='b' ")).collect::<String>()),
            format!("<item><link href='{}'/></item>", "x".repeat(10 * many)),
            format!("<item><link href='{}'/></item>", "&amp;".repeat(many)),
            "</item>".repeat(many),
        ] {
            assert!(
                feed(&format!("<rss xml:base='/{}/'><item><link>a</link></item><item>{inside}", "x".repeat(1900)))
                    .entries
                    .len()
                    <= MOST_ENTRIES
            );
        }
        assert_eq!(parse(format!("{{\"a\":{}", "[".repeat(many)).as_bytes(), &address()), None);
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn any_damage_can_be_read(
            which in prop::sample::select(vec![RSS, ATOM, JSON]),
            damages in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, "[<>&/\"a-z{}é]{0,4}|\\PC{0,3}"), 1..5),
        ) {
            let mut bytes = which.as_bytes().to_vec();
            for (at, len, text) in damages {
                let at = at.index(bytes.len() + 1);
                let end = (at + len).min(bytes.len());
                bytes.splice(at..end, text.bytes());
            }
            if let Some(feed) = parse(&bytes, &address()) {
                prop_assert!(feed.entries.len() <= 8);
            }
        }
    }
}
