//! Sitemaps: XML sitemaps, indexes of sitemaps, news sitemaps, and plain lists of URLs (sitemaps.org).

use chrono::{DateTime, Utc};
use quick_xml::events::Event;

use crate::{date, xml};

/// The URLs that a sitemap lists.
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
    /// The URL as it is written. It is not checked.
    pub url: String,
    /// The later of `lastmod` and `news:publication_date`.
    pub date: Option<DateTime<Utc>>,
}

/// Largest number of URLs that are read from one sitemap (sitemaps.org, protocol).
pub const MOST_ADDRESSES: usize = 50_000;

/// Reads an unpacked sitemap. `None` if the document is not a sitemap. Of a broken sitemap, the URLs before the broken
/// place are read.
pub fn parse(bytes: &[u8]) -> Option<Sitemap> {
    let text = xml::decoded(bytes);
    of_lines(&text).map(Sitemap::Pages).or_else(|| of_xml(&text))
}

/// Reads a list with a URL in every line. `None` if a line is not a URL.
fn of_lines(text: &str) -> Option<Vec<Listed>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let urls = lines.map(|line| is_url(line).then(|| Listed { url: line.to_owned(), date: None }));
    let urls: Vec<Listed> = urls.take(MOST_ADDRESSES).collect::<Option<_>>()?;
    Some(urls).filter(|urls| !urls.is_empty())
}

fn is_url(line: &str) -> bool {
    let starts = |scheme: &str| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    (starts("http://") || starts("https://")) && !line.contains(char::is_whitespace)
}

/// The elements of a `<url>` or a `<sitemap>` that are read.
#[derive(Clone, Copy)]
enum Field {
    Url,
    Date,
}

/// Depth of `<url>` and `<sitemap>`. Elements of these names at another depth, as in an extension, do not count.
const ENTRY: usize = 2;

fn of_xml(text: &str) -> Option<Sitemap> {
    let mut reader = xml::reader(text);
    let mut depth = 0;
    let mut is_index = None;
    let mut listed = Vec::new();
    let mut entry: Option<Entry> = None;
    let mut field = None;
    let mut value = String::new();

    while listed.len() < MOST_ADDRESSES {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                depth += 1;
                field = None;
                match (depth, tag.local_name().as_ref()) {
                    (1, "urlset") => is_index = Some(false),
                    (1, "sitemapindex") => is_index = Some(true),
                    (1, _) => return None,
                    (ENTRY, "url") if is_index == Some(false) => entry = Some(Entry::default()),
                    (ENTRY, "sitemap") if is_index == Some(true) => entry = Some(Entry::default()),
                    (depth, "loc") if depth == ENTRY + 1 => field = Some(Field::Url),
                    (depth, "lastmod") if depth == ENTRY + 1 => field = Some(Field::Date),
                    (_, "publication_date") => field = Some(Field::Date),
                    _ => {}
                }
                value.clear();
            }
            Ok(Event::End(_)) => {
                if let (Some(field), Some(entry)) = (field.take(), &mut entry) {
                    entry.set(field, value.trim());
                }
                if depth == ENTRY {
                    listed.extend(entry.take().and_then(Entry::listed));
                }
                if depth == 1 {
                    break;
                }
                depth -= 1;
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(event) if field.is_some() => xml::push_text(&event, &mut value),
            Ok(_) => {}
        }
    }

    if listed.len() < MOST_ADDRESSES {
        listed.extend(entry.take().and_then(Entry::listed)); // the document ends inside it
    }
    is_index.map(|is_index| if is_index { Sitemap::Index(listed) } else { Sitemap::Pages(listed) })
}

/// A `<url>` or a `<sitemap>`, as far as it is read.
#[derive(Default)]
struct Entry {
    url: Option<String>,
    date: Option<DateTime<Utc>>,
}

impl Entry {
    fn set(&mut self, field: Field, value: &str) {
        match field {
            Field::Url if self.url.is_none() && !value.is_empty() => self.url = Some(value.to_owned()),
            Field::Url => {}
            Field::Date => self.date = self.date.max(date::parse(value)),
        }
    }

    fn listed(self) -> Option<Listed> {
        Some(Listed { url: self.url?, date: self.date })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn listed(url: &str, date: &str) -> Listed {
        Listed { url: url.to_owned(), date: date::parse(date) }
    }

    fn pages(xml: &str) -> Vec<Listed> {
        match parse(xml.as_bytes()) {
            Some(Sitemap::Pages(pages)) => pages,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sitemap() {
        let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
            <!-- made by hand --><?xml-stylesheet href="a.xsl"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
              <url>
                <loc> https://paper.example/a?b=1&amp;c=2
                </loc><lastmod>2024-05-02</lastmod><priority>1</priority>
                <image:image><image:loc>https://paper.example/a.png</image:loc><lastmod>2030</lastmod></image:image>
              </url>
              <url><loc><![CDATA[https://paper.example/b?c&d]]></loc><lastmod>soon</lastmod></url>
              <url><image:image><image:loc>https://paper.example/c.png</image:loc></image:image></url>
              <url><loc/></url><url/>
            </urlset>"#;
        let expected =
            [listed("https://paper.example/a?b=1&c=2", "2024-05-02"), listed("https://paper.example/b?c&d", "")];
        assert_eq!(pages(xml), expected);
    }

    #[test]
    fn an_index() {
        let xml = "<sm:sitemapindex xmlns:sm='x'><sm:sitemap><sm:loc>https://paper.example/1.xml.gz</sm:loc>\
            <sm:lastmod>2024-05-02T10:00:00Z</sm:lastmod></sm:sitemap></sm:sitemapindex>";
        let expected = vec![listed("https://paper.example/1.xml.gz", "2024-05-02T10:00:00Z")];
        assert_eq!(parse(xml.as_bytes()), Some(Sitemap::Index(expected)));
    }

    #[test]
    fn news_have_the_later_date() {
        let xml = |lastmod: &str| {
            format!(
                "<urlset><url><loc>a</loc><lastmod>{lastmod}</lastmod><news:news><news:publication><news:name>Paper</news:name>\
                </news:publication><news:publication_date>2024-05-02</news:publication_date></news:news></url></urlset>"
            )
        };
        assert_eq!(pages(&xml("2024-05-01")), [listed("a", "2024-05-02")]);
        assert_eq!(pages(&xml("2024-05-03")), [listed("a", "2024-05-03")]);
    }

    #[test]
    fn lists_of_lines() {
        let text = "\u{FEFF}https://paper.example/a\r\n\r\n  HTTP://paper.example/b ";
        assert_eq!(pages(text), [listed("https://paper.example/a", ""), listed("HTTP://paper.example/b", "")]);
        for other in ["", "\n", "https://paper.example/a\nb", "https://paper.example/ is moved", "ftp://paper.example/"]
        {
            assert_eq!(parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn other_documents_are_none() {
        for other in [
            "<rss version='2.0'><channel><item><link>https://paper.example/</link></item></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>",
            "<!DOCTYPE html><html><body><urlset><url><loc>a</loc></url></urlset></body></html>",
            "{}",
            "<",
            "<!-- nothing -->",
        ] {
            assert_eq!(parse(other.as_bytes()), None, "{other}");
        }
        assert_eq!(pages("<urlset/><a>"), []);
        assert_eq!(pages("PHP warning: <urlset/>"), []);
    }

    #[test]
    fn what_comes_before_an_error_is_kept() {
        let start = "<urlset><url><loc>a</loc></url><url><loc>b</loc>";
        for end in ["", "<", "</url><url><loc>c", "</urlset>", "</x>", "<lastmod", "<!-- ", "<![CDATA[", "</url><url>&"]
        {
            assert_eq!(pages(&format!("{start}{end}")), [listed("a", ""), listed("b", "")], "{end}");
        }
    }

    #[test]
    fn not_more_than_most() {
        let xml = format!("<urlset>{}", "<url><loc>a</loc></url>".repeat(MOST_ADDRESSES + 1));
        assert_eq!(pages(&xml).len(), MOST_ADDRESSES);
        assert_eq!(pages(&"http://a\n".repeat(MOST_ADDRESSES + 1)).len(), MOST_ADDRESSES);
    }

    #[test]
    fn hostile_documents_are_read_in_time() {
        let start = std::time::Instant::now();
        let many = 200_000;
        for inside in [
            "<url>".repeat(many),
            "<a xmlns:a='b'>".repeat(many),
            format!("<url><loc>{}</loc></url>", "x".repeat(10 * many)),
            format!("<url><loc>{}</loc></url>", "&amp;".repeat(many)),
            format!("<url><loc>{}</loc></url>", "&".repeat(many)),
            format!("<url><loc>{}</loc></url>", "<b>x</b>".repeat(many)),
            format!("<url {}>", (0..many).map(|at| format!("a{at}='b' ")).collect::<String>()),
            "</url>".repeat(many),
            "<!--".repeat(many),
        ] {
            assert!(parse(format!("<urlset>{inside}").as_bytes()).is_some());
        }
        let entities: String = (0..many).map(|at| format!("<!ENTITY a{at} '&a{};&a{at};'>", at + 1)).collect();
        let bomb = format!("<!DOCTYPE urlset [{entities}]><urlset><url><loc>&a1;</loc></url></urlset>");
        assert_eq!(pages(&bomb), [listed("&a1;", "")]);
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn any_document_can_be_read(parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "<urlset>", "<sitemapindex>", "<url>", "</url>", "<loc>", "</loc>", "<sitemap>", "<a:lastmod>", "2024", "<![CDATA[", "]]>",
                "&amp;", "&", "<!--", "-->", "<?", "<!DOCTYPE", ">", "<", "http://a\n", "\u{FEFF}", "</",
            ]).prop_map(str::to_owned),
            any::<String>(),
        ], 0..20)) {
            parse(parts.concat().as_bytes());
            parse(format!("<urlset><url>{}", parts.concat()).as_bytes());
        }
    }
}
