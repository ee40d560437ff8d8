//! Examines answers: finds the links of a page, the entries of a feed, the target of a redirect.

use std::borrow::Cow;
use std::io::Read;
use std::time::Duration;

use chrono::{DateTime, Utc};
use flate2::read::MultiGzDecoder;

use crate::address::{Address, AddressError};
use crate::feed;
use crate::fetch::{FetchError, Response};
use crate::frontier::Kind;
use crate::links::{Links, links, may_refresh};
use crate::record::{PayloadDigest, digest};
use crate::robots::Rules;
use crate::sitemap::{self, Sitemap};

/// What was found in an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A page, with its links.
    Page(Links),
    /// A feed.
    Feed {
        /// The pages of its entries, with their dates.
        pages: Vec<(Address, Option<DateTime<Utc>>)>,
        /// The interval at which the feed asks to be read.
        interval: Option<Duration>,
    },
    /// A sitemap.
    Sitemap {
        /// Whether it lists sitemaps instead of pages.
        is_index: bool,
        /// The listed addresses, with their dates.
        listed: Vec<(Address, Option<DateTime<Utc>>)>,
    },
    /// The first bytes of a robots.txt.
    Robots(Vec<u8>),
    /// A redirect: the address of its target, and the URL of the target as it is written.
    Redirect(Result<(Address, String), AddressError>),
    /// The content has not changed since it was last read.
    NotModified,
    /// The server asks the crawler to wait, or fails. It may say how long to wait, in seconds.
    Busy(Option<u64>),
    /// The server has no content for this URL.
    Nothing,
    /// The answer is not what was expected, for this reason.
    Unexpected(&'static str),
}

/// An answer, examined.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What was found in the answer.
    pub found: Found,
    /// The digest of its body.
    pub digest: PayloadDigest,
    /// The media type of the body according to its content, if it is not a page.
    pub identified: Option<&'static str>,
}

/// Examines the answer to a request for a URL that is expected to be of this `kind`. `follows_links` says whether the
/// links of pages are needed. `limit` is the maximum size of the unpacked body, in bytes.
///
/// # Errors
/// If the unpacked body is larger.
pub fn examine(
    address: &Address,
    kind: &Kind,
    response: &Response,
    follows_links: bool,
    limit: u64,
) -> Result<Examined, FetchError> {
    let digest = digest(&response.body);
    let of = |found| Ok(Examined { found, digest, identified: None });
    match response.head.status() {
        200 => {}
        304 => return of(Found::NotModified),
        301 | 302 | 303 | 307 | 308 => {
            let Some(location) = response.head.value("Location") else {
                return of(Found::Unexpected("a redirection to nowhere"));
            };
            // Of an address that is much too long, only the beginning is parsed.
            let target = location.get(..location.len().min(8 * Address::LONGEST)).unwrap_or(&location);
            return of(Found::Redirect(address.join_as_written(target)));
        }
        429 | 500..=599 => return of(Found::Busy(retry_after(response))),
        _ => return of(Found::Nothing),
    }

    let body = unpacked(response, matches!(kind, Kind::Robots(_)), limit)?;
    let examined = |found, identified| Ok(Examined { found, digest, identified: Some(identified) });

    match kind {
        Kind::Robots(_) => {
            // One byte more than the rules may have shows whether the last line is whole.
            examined(Found::Robots(body[..body.len().min(Rules::LONGEST + 1)].to_vec()), "text/x-robots")
        }
        Kind::Sitemap(_) => match sitemap::parse(&ungzipped(body, limit)?) {
            None => of(Found::Unexpected("it is no sitemap")),
            Some(sitemap) => {
                let is_index = matches!(sitemap, Sitemap::Index(_));
                let (Sitemap::Index(listed) | Sitemap::Pages(listed)) = sitemap;
                let listed = listed.iter().filter_map(|listed| Some((address.join(&listed.url).ok()?, listed.date)));
                examined(Found::Sitemap { is_index, listed: listed.collect() }, "application/x-sitemap+xml")
            }
        },
        Kind::Feed => match a_feed(&body, address) {
            Some((found, identified)) => examined(found, identified),
            None => of(Found::Unexpected("it is no feed")),
        },
        Kind::Page => {
            let media_type = response.head.media_type();
            let is_html = matches!(media_type.as_str(), "" | "text/html" | "application/xhtml+xml");
            let may_be_feed = !is_html && (media_type.ends_with("xml") || media_type.ends_with("json"));
            if let Some((found, identified)) = may_be_feed.then(|| a_feed(&body, address)).flatten() {
                return examined(found, identified);
            }
            let is_nofollow = response.head.values("X-Robots-Tag").any(|value| forbids_following(&value));
            if !is_html || is_nofollow || !(follows_links || may_refresh(&body)) {
                return of(Found::Page(Links::default()));
            }
            let links = links(&body, response.head.charset().as_deref(), address);
            of(Found::Page(match follows_links {
                true => links,
                false => Links { refresh: links.refresh, ..Links::default() },
            }))
        }
    }
}

fn a_feed(body: &[u8], address: &Address) -> Option<(Found, &'static str)> {
    let feed = feed::parse(body, address)?;
    let begin = body.iter().position(|byte| matches!(byte, b'<' | b'{')).map_or(body, |at| &body[at..]);
    let head = String::from_utf8_lossy(&begin[..begin.len().min(2048)]);
    let identified = match () {
        () if head.starts_with('{') => "application/feed+json",
        () if head.contains("<feed") => "application/atom+xml",
        () => "application/rss+xml",
    };
    let pages = feed.entries.into_iter().map(|entry| (entry.page, entry.date)).collect();
    Some((Found::Feed { pages, interval: feed.interval }, identified))
}

/// Whether a value of `X-Robots-Tag` has `nofollow` or `none`, for all crawlers or for this one.
fn forbids_following(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let rules = match value.split_once(':') {
        Some((agent, rules)) if agent.trim() == "dehusk" => rules,
        Some((agent, _)) if !agent.contains(',') && agent.trim() != "unavailable_after" => "",
        _ => &value,
    };
    rules.split(',').any(|rule| matches!(rule.trim(), "nofollow" | "none"))
}

/// The body without its content codings. A body that cannot be unpacked is not changed. If `is_part`, the beginning of
/// a too long body is enough.
fn unpacked(response: &Response, is_part: bool, limit: u64) -> Result<Cow<'_, [u8]>, FetchError> {
    let mut body = Cow::Borrowed(&response.body[..]);
    let codings = response.head.values("Content-Encoding").collect::<Vec<_>>().join(",");
    let codings: Vec<&str> = codings.split(',').map(str::trim).filter(|coding| !coding.is_empty()).collect();
    for coding in codings.iter().rev().take(4) {
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            body = match ungzipped(body, limit) {
                Err(FetchError::LongBody(_)) if is_part => first_of(&response.body, limit).into(),
                body => body?,
            };
        }
    }
    Ok(body)
}

fn first_of(packed: &[u8], limit: u64) -> Vec<u8> {
    let mut first = Vec::new();
    // Whatever ends the reading, the bytes before are used.
    let _ = MultiGzDecoder::new(packed).take(limit).read_to_end(&mut first);
    first
}

/// The unpacked content of a gzip file; the bytes themselves if they are not one.
fn ungzipped(bytes: Cow<'_, [u8]>, limit: u64) -> Result<Cow<'_, [u8]>, FetchError> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes);
    }
    let unpacked = first_of(&bytes, limit + 1);
    if unpacked.len() as u64 > limit {
        return Err(FetchError::LongBody(limit));
    }
    Ok(unpacked.into())
}

/// The value of `Retry-After` in seconds. The field contains a number of seconds, or a date.
fn retry_after(response: &Response) -> Option<u64> {
    let value = response.head.value("Retry-After")?;
    let date = || DateTime::parse_from_rfc2822(&value).ok();
    let seconds = || date().map(|date| (date.to_utc() - response.at).num_seconds().max(0).cast_unsigned());
    value.parse().ok().or_else(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Head;
    use crate::record::tests::response;

    fn found(kind: Kind, fields: &str, body: &[u8]) -> Found {
        let address = Address::parse("http://paper.example/a/b").unwrap();
        examine(&address, &kind, &response(fields, body), true, 1000).unwrap().found
    }

    fn with_status(line: &str, fields: &str) -> Found {
        let address = Address::parse("http://paper.example/a/b").unwrap();
        let mut response = response("", b"");
        response.head = Head::parse(format!("HTTP/1.1 {line}\r\n{fields}\r\n").as_bytes()).unwrap();
        examine(&address, &Kind::Page, &response, true, 1000).unwrap().found
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        crate::archive::Packing::Gzip.pack(bytes).unwrap()
    }

    fn address(url: &str) -> Address {
        Address::parse(url).unwrap()
    }

    #[test]
    fn links_of_pages() {
        const PAGE: &[u8] = b"<a href=c>";
        let to = |urls: &[&str]| Links { pages: urls.iter().map(|url| address(url)).collect(), ..Links::default() };
        assert_eq!(
            found(Kind::Page, "Content-Type: text/html\r\n", PAGE),
            Found::Page(to(&["http://paper.example/a/c"]))
        );
        assert_eq!(
            found(Kind::Page, "Content-Encoding: gzip\r\n", &gzip(PAGE)),
            Found::Page(to(&["http://paper.example/a/c"]))
        );
        assert_eq!(found(Kind::Page, "Content-Type: text/plain\r\n", PAGE), Found::Page(to(&[])));
        let paper = address("http://paper.example/a/b");
        let moved = response("", b"<a href=d><meta http-equiv=REFRESH content='0; url=c'>");
        let refresh = Some(address("http://paper.example/a/c"));
        let expected = Found::Page(Links { refresh, ..Links::default() });
        assert_eq!(examine(&paper, &Kind::Page, &moved, false, 1000).unwrap().found, expected, "also without links");
        for (value, forbids) in [
            ("noindex", false),
            ("noindex, NoFollow", true),
            ("none", true),
            ("other: nofollow", false),
            ("dehusk: nofollow", true),
        ] {
            let links = found(Kind::Page, &format!("X-Robots-Tag: {value}\r\n"), PAGE);
            assert_eq!(links == Found::Page(to(&[])), forbids, "{value}");
        }
    }

    #[test]
    fn what_says_that_it_is_packed_may_not_be() {
        assert_eq!(found(Kind::Page, "Content-Encoding: gzip\r\n", b"<p>"), Found::Page(Links::default()));
        assert_eq!(found(Kind::Page, "Content-Encoding: gzip\r\n", b"\x1f\x8b\x08"), Found::Page(Links::default()));
    }

    #[test]
    fn what_unpacks_to_more_than_the_limit_is_refused() {
        let address = address("http://paper.example/");
        let bomb = response("Content-Encoding: gzip\r\n", &gzip(&[b'a'; 2000]));
        assert!(matches!(examine(&address, &Kind::Page, &bomb, true, 1999), Err(FetchError::LongBody(1999))));
        assert!(examine(&address, &Kind::Page, &bomb, true, 2000).is_ok());
        // Of a robots.txt, the first bytes count.
        let robots = Kind::Robots("o".to_owned());
        assert_eq!(examine(&address, &robots, &bomb, true, 9).unwrap().found, Found::Robots(vec![b'a'; 9]));
    }

    #[test]
    fn feeds_and_sitemaps() {
        const RSS: &[u8] =
            b"<rss version='2.0'><channel><ttl>5</ttl><item><link>http://paper.example/1</link></item></channel></rss>";
        let feed = Found::Feed {
            pages: vec![(address("http://paper.example/1"), None)],
            interval: Some(Duration::from_secs(300)),
        };
        assert_eq!(found(Kind::Feed, "", RSS), feed);
        assert_eq!(found(Kind::Page, "Content-Type: application/rss+xml\r\n", RSS), feed);
        assert!(matches!(found(Kind::Feed, "", b"<html>"), Found::Unexpected(_)));
        let sitemap = gzip(b"<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>");
        let listed = vec![(address("http://paper.example/s.xml"), None)];
        assert_eq!(
            found(Kind::Sitemap("paper.example".to_owned()), "", &sitemap),
            Found::Sitemap { is_index: true, listed }
        );
    }

    #[test]
    fn other_answers() {
        let target = |url: &str| Found::Redirect(Ok((address(url), url.to_owned())));
        assert_eq!(with_status("301 Moved", "Location: c\r\n"), target("http://paper.example/a/c"));
        assert_eq!(
            with_status("302 Found", "Location: file:///etc\r\n"),
            Found::Redirect(Err(AddressError::OtherScheme))
        );
        assert!(matches!(with_status("302 Found", ""), Found::Unexpected(_)));
        let long = format!("Location: /{}\r\n", "a".repeat(60_000));
        assert_eq!(with_status("302 Found", &long), Found::Redirect(Err(AddressError::TooLong)));
        assert_eq!(with_status("304 Not Modified", ""), Found::NotModified);
        assert_eq!(with_status("404 Not Found", ""), Found::Nothing);
        assert_eq!(with_status("503 Busy", "Retry-After: 7\r\n"), Found::Busy(Some(7)));
        assert_eq!(with_status("429 Slowly", "Retry-After: Mon, 23 Nov 2026 19:00:30 GMT\r\n"), Found::Busy(Some(29)));
        assert_eq!(with_status("429 Slowly", "Retry-After: Mon, 23 Nov 2020 19:00:30 GMT\r\n"), Found::Busy(Some(0)));
        assert_eq!(with_status("503 Busy", "Retry-After: soon\r\n"), Found::Busy(None));
    }
}
