//! Parses the value of `Content-Type`.

use encoding_rs::{Encoding, REPLACEMENT};

/// Types of files that crawlers read and people do not: sitemaps and robots.txt here, feeds in [`FEEDS`]. Servers also
/// send such files as `text/html` or `text/plain`, so only a crawler that looked at the content gives these types.
const FOR_CRAWLERS: [&str; 2] = ["application/x-sitemap+xml", "text/x-robots"];
const FEEDS: [&str; 4] =
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"];

/// The type without parameters.
pub(super) fn essence(content_type: &str) -> &str {
    let end = content_type.find(|c: char| c == ';' || c == ',' || c.is_whitespace());
    &content_type[..end.unwrap_or(content_type.len())]
}

/// Whether it is a type of HTML pages, ignoring case.
pub(super) fn is_html(essence: &str) -> bool {
    essence.eq_ignore_ascii_case("text/html") || essence.eq_ignore_ascii_case("application/xhtml+xml")
}

/// Whether it is the type of plain text, ignoring case.
pub(super) fn is_plain_text(essence: &str) -> bool {
    essence.eq_ignore_ascii_case("text/plain")
}

/// Whether it is a type of files for crawlers, which are not documents, ignoring case.
pub(super) fn is_for_crawlers(essence: &str) -> bool {
    is_feed(essence) || FOR_CRAWLERS.iter().any(|kind| essence.eq_ignore_ascii_case(kind))
}

/// Whether it is the type of a feed, ignoring case.
pub(super) fn is_feed(essence: &str) -> bool {
    FEEDS.iter().any(|kind| essence.eq_ignore_ascii_case(kind))
}

/// The value of a parameter, without quotes.
pub(super) fn parameter<'t>(content_type: &'t str, name: &str) -> Option<&'t str> {
    let mut parameters = content_type.split([';', ',']).filter_map(|part| part.split_once('='));
    let (_, value) = parameters.find(|(found, _)| found.trim().eq_ignore_ascii_case(name))?;
    Some(value.trim().trim_matches(['"', '\'']))
}

/// The encoding that the `charset` of the type names. `None` if that encoding is unknown or cannot be decoded.
pub(super) fn encoding(content_type: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(parameter(content_type, "charset")?.as_bytes());
    encoding.filter(|&encoding| encoding != REPLACEMENT)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_8, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    #[test]
    fn types_without_their_parameters() {
        for content_type in ["text/html", "text/html; charset=utf-8", "text/html,text/html", "text/html charset=x"] {
            assert_eq!(essence(content_type), "text/html");
        }
        assert!(is_html("Text/HTML") && is_html("application/xhtml+xml") && !is_html("text/plain"));
        assert!(is_plain_text("TEXT/plain") && !is_plain_text("text/css"));
    }

    #[test]
    fn encodings_by_any_of_their_names() {
        let cases = [
            ("text/html; charset=utf-8", Some(UTF_8)),
            ("text/html;CHARSET=\"Latin1\"", Some(WINDOWS_1252)),
            ("text/html; a=b ; charset = 'cp1251' ; c=d", Some(WINDOWS_1251)),
            ("text/html; charset=iso-2022-kr", None),
            ("text/html; charset=", None),
            ("text/html; charset", None),
            ("text/html", None),
        ];
        for (content_type, expected) in cases {
            assert_eq!(encoding(content_type), expected, "{content_type}");
        }
    }
}
