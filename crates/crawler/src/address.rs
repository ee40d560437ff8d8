//! URLs as the crawler compares them.

use std::borrow::Cow;

use encoding_rs::Encoding;
use url::{ParseError, Position, Url};

/// An `http` or `https` URL in a normal form: without a fragment, without session ids, with as few escapes as possible.
///
/// Two pages with the same address are one page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    url: Url,
}

/// Why a URL is not visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be parsed.
    #[error("it is not a URL")]
    Malformed,
    /// Its scheme is neither `http` nor `https`.
    #[error("only http and https URLs are visited")]
    OtherScheme,
    /// It is longer than [`Address::LONGEST`].
    #[error("it is longer than {} bytes", Address::LONGEST)]
    TooLong,
    /// It has a user name or a password.
    #[error("it has a user name or a password")]
    Credentials,
}

/// Length of the longest text that is parsed, in bytes. A longer text becomes short enough by normalising only if
/// somebody made it for that.
const LONGEST_TEXT: usize = 64 * 1024;

/// Largest number of segments in a path.
const MOST_SEGMENTS: usize = 24;

/// Largest number of parameters in a query.
const MOST_PARAMETERS: usize = 32;

/// Number of times that the same segments follow one another in a path that counts as repeating itself.
const REPETITIONS: usize = 3;

/// Minimum length of a value of a parameter such as `sid` that counts as a session id, in bytes.
const SHORTEST_ID: usize = 16;

impl Address {
    /// Length of the longest URL that is visited, in bytes.
    pub const LONGEST: usize = 2048;

    /// Parses an absolute URL.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        Address::new(text, || Url::parse(text))
    }

    /// The address of a link in the page at this address.
    pub fn join(&self, link: &str) -> Result<Address, AddressError> {
        Address::new(link, || self.url.join(link))
    }

    /// Like [`join`](Address::join). Also returns the URL as the link has it: with the parts that an address leaves
    /// out, except the fragment.
    pub fn join_as_written(&self, link: &str) -> Result<(Address, String), AddressError> {
        let address = self.join(link)?;
        let url = self.url.join(link).map_err(|_| AddressError::Malformed)?;
        let written = format!("{}{}", address.origin(), &url[Position::BeforePath..Position::AfterQuery]);
        Ok((address, written))
    }

    /// Like [`join`](Address::join), for a page in this encoding. Browsers encode the query of a link in it.
    pub(crate) fn join_encoded(&self, link: &str, encoding: &'static Encoding) -> Result<Address, AddressError> {
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| encoding.encode(query).0;
        Address::new(link, || Url::options().base_url(Some(&self.url)).encoding_override(Some(encode)).parse(link))
    }

    fn new(text: &str, parse: impl FnOnce() -> Result<Url, ParseError>) -> Result<Address, AddressError> {
        if text.len() > LONGEST_TEXT {
            return Err(AddressError::TooLong);
        }
        let url = parse().map_err(|_| AddressError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::OtherScheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        let url = normalized(&url)?;
        if url.as_str().len() > Address::LONGEST {
            return Err(AddressError::TooLong);
        }
        Ok(Address { url })
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The URL, parsed.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whether the address looks like one of those that a site generates without end: its path repeats itself, or it
    /// has very many parts.
    pub fn is_trap(&self) -> bool {
        let segments: Vec<&str> = self.url.path_segments().into_iter().flatten().collect();
        let parameters = self.url.query().map_or(0, |query| query.split('&').count());
        segments.len() > MOST_SEGMENTS || parameters > MOST_PARAMETERS || is_repeating(&segments)
    }

    /// Scheme, host and port, such as `https://www.paper.example` or `http://paper.example:8080`. One robots.txt is for
    /// one origin.
    pub fn origin(&self) -> String {
        self.url[..Position::BeforePath].to_owned()
    }

    /// The host, without the port. An IPv6 address has no brackets.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
    }

    /// The registered domain of the host according to the public suffix list, such as `paper.co.uk` for
    /// `www.paper.co.uk`; the host itself if it is an IP address, or a public suffix.
    pub fn domain(&self) -> &str {
        match self.url.domain() {
            Some(host) => psl::domain_str(host).unwrap_or(host),
            None => self.host(),
        }
    }
}

/// The URL in its shortest spelling.
///
/// The result is parsed once more, because decoding may make a segment `..`, for example.
fn normalized(url: &Url) -> Result<Url, AddressError> {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_end_matches('.');
    if host.is_empty() {
        return Err(AddressError::Malformed);
    }
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = without_session(&unescaped(url.path()));
    let query = url.query().map(|query| without_ids(&unescaped(query))).filter(|query| !query.is_empty());
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let text = format!("{}://{host}{port}{path}{query}", url.scheme());
    Url::parse(&text).map_err(|_| AddressError::Malformed)
}

/// Decodes the escapes of unreserved characters, and writes all other escapes in upper case.
///
/// An escape directly after a `%` that begins no escape is not decoded, because both together could become a new
/// escape.
fn unescaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut parts = text.split('%');
    written.push_str(parts.next().unwrap_or_default());
    let mut in_escape = false; // whether the next part could complete an escape in what was written
    for part in parts {
        let escape = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if is_unreserved(byte) && !in_escape => written.push(char::from(byte)),
            Some(byte) => written.push_str(&format!("%{byte:02X}")),
            None => written.push('%'),
        }
        let rest = &part[escape.map_or(0, str::len)..];
        in_escape = escape.is_none() && rest.len() < 2 && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
        written.push_str(rest);
    }
    written
}

/// Whether a character needs no escape anywhere (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// A path without `;jsessionid=...` in its segments.
fn without_session(path: &str) -> String {
    let kept = path.split('/').map(|segment| {
        let mut parameters = segment.split(';');
        let name = parameters.next().unwrap_or_default().to_owned();
        let kept = parameters.filter(|parameter| !starts_with(parameter, "jsessionid="));
        kept.fold(name, |segment, parameter| segment + ";" + parameter)
    });
    kept.collect::<Vec<_>>().join("/")
}

/// A query without session ids, and without parameters that only say where a visitor came from.
fn without_ids(query: &str) -> String {
    query.split('&').filter(|parameter| !is_id(parameter)).collect::<Vec<_>>().join("&")
}

/// Whether a parameter of a query identifies the visitor, or the advertisement that brought the visitor.
fn is_id(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "jsessionid" | "phpsessid" | "cfid" | "cftoken" => true,
        "fbclid" | "gclid" | "mc_cid" | "mc_eid" | "igshid" => true,
        "sessionid" | "session_id" | "sid" => {
            value.len() >= SHORTEST_ID && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        _ => name.starts_with("aspsessionid") || name.starts_with("utm_"),
    }
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Whether some sequence of segments occurs three times, one directly after another. A sequence of numbers alone does
/// not count: it is a date or a time, as in `/2011/11/11/11/`.
fn is_repeating(segments: &[&str]) -> bool {
    let is_number = |segment: &&str| segment.bytes().all(|byte| byte.is_ascii_digit());
    (1..=segments.len() / REPETITIONS).any(|len| {
        // The number of segments in a row, each of which is equal to the segment `len` places later.
        let mut equal = 0;
        segments.iter().zip(&segments[len..]).enumerate().any(|(at, (segment, later))| {
            equal = if segment == later && !segment.is_empty() { equal + 1 } else { 0 };
            equal >= len * (REPETITIONS - 1) && !segments[at..at + len].iter().all(is_number)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[track_caller]
    fn is(text: &str, expected: &str) {
        assert_eq!(Address::parse(text).as_ref().map(Address::as_str), Ok(expected), "{text}");
    }

    #[track_caller]
    fn fails(text: &str, expected: AddressError) {
        assert_eq!(Address::parse(text), Err(expected), "{text}");
    }

    #[test]
    fn equal_spellings_are_one_address() {
        is(" HTTPS://Paper.Example.:443/a/./b/../c#top ", "https://paper.example/a/c");
        is("http://paper.example:80", "http://paper.example/");
        is("http://paper.example:8080?a", "http://paper.example:8080/?a");
        is("https://пример.example/ё?q=я", "https://xn--e1afmkfd.example/%D1%91?q=%D1%8F");
        is("https://paper.example/a?", "https://paper.example/a");
    }

    #[test]
    fn escapes_are_few_and_in_upper_case() {
        is(
            "https://paper.example/%7euser/%41%2d%2f%3a?%61=%5f%26%c3%a9",
            "https://paper.example/~user/A-%2F%3A?a=_%26%C3%A9",
        );
        is("https://paper.example/100%/%zz/%4", "https://paper.example/100%/%zz/%4");
        is("https://paper.example/a/%2e%2E/b", "https://paper.example/b");
        // No escape is decoded twice, and none is formed by decoding.
        is("https://paper.example/%2541", "https://paper.example/%2541");
        is("https://paper.example/%%34%31/%4%31/%g%31/%4g%31", "https://paper.example/%%341/%4%31/%g1/%4g1");
        is("https://paper.example/;jsessionid=%;%31", "https://paper.example/;1");
    }

    #[test]
    fn session_ids_go() {
        let id = "0123456789abcdef";
        is("https://paper.example/a;JSESSIONID=12.x/b;v=1;jsessionid=3", "https://paper.example/a/b;v=1");
        is("https://paper.example/?PHPSESSID=1&cfid=2&CFTOKEN=3&aspsessionidQQ=4", "https://paper.example/");
        is(&format!("https://paper.example/?b=2&sid={id}&a=1"), "https://paper.example/?b=2&a=1");
        is(&format!("https://paper.example/?sessionid={id}&session_id={id}"), "https://paper.example/");
        is(
            "https://paper.example/?sid=42&session_id=spring-term-of-2024",
            "https://paper.example/?sid=42&session_id=spring-term-of-2024",
        );
    }

    #[test]
    fn tracking_parameters_go() {
        let tracked = "utm_source=x&UTM_medium=y&fbclid=1&gclid=2&mc_cid=3&mc_eid=4&igshid=5";
        is(&format!("https://paper.example/a?{tracked}"), "https://paper.example/a");
        is(&format!("https://paper.example/a?z&{tracked}&b="), "https://paper.example/a?z&b=");
        is("https://paper.example/?xutm_source=1&utm=2", "https://paper.example/?xutm_source=1&utm=2");
    }

    #[test]
    fn other_urls_are_refused() {
        fails("/a", AddressError::Malformed);
        fails("https://", AddressError::Malformed);
        fails("https://./a", AddressError::Malformed);
        fails("mailto:a@paper.example", AddressError::OtherScheme);
        fails("ftp://paper.example/", AddressError::OtherScheme);
        fails("https://ann@paper.example/", AddressError::Credentials);
        fails("https://:word@paper.example/", AddressError::Credentials);
    }

    #[test]
    fn the_longest_address() {
        let fill = |len: usize| format!("https://paper.example/{}", "a".repeat(len - "https://paper.example/".len()));
        is(&fill(Address::LONGEST), &fill(Address::LONGEST));
        fails(&fill(Address::LONGEST + 1), AddressError::TooLong);
        is(&format!("https://paper.example/?utm_x={}", "a".repeat(60_000)), "https://paper.example/");
        fails(&format!("https://paper.example/?utm_x={}", "a".repeat(LONGEST_TEXT)), AddressError::TooLong);
    }

    #[test]
    fn traps() {
        let is_trap = |path: &str| address(&format!("https://paper.example/{path}")).is_trap();
        for trap in
            ["a/b/a/b/a/b", "x/x/x", "news/x/x/x/y", "a/b/c/a/b/c/a/b/c/", "page/2/page/2/page/2", "1/1/1/x/x/x"]
        {
            assert!(is_trap(trap), "{trap}");
        }
        for path in [
            "x/x",
            "a/b/a/b/a",
            "x/x/y/x/x",
            "2024/01/01/x",
            "a///b",
            "a/b/a/b/c/a/b",
            "2011/11/11/",
            "2011/11/11/11/x",
            "11/11/11/x",
            "11/11/11/11/11/11/",
        ] {
            assert!(!is_trap(path), "{path}");
        }
        let deep = |segments: usize| {
            let names: Vec<String> = (0..segments).map(|at| at.to_string()).collect();
            names.join("/")
        };
        assert!(!is_trap(&deep(MOST_SEGMENTS)) && is_trap(&deep(MOST_SEGMENTS + 1)));
        let wide = |parameters: usize| format!("?{}", vec!["a"; parameters].join("&"));
        assert!(!is_trap(&wide(MOST_PARAMETERS)) && is_trap(&wide(MOST_PARAMETERS + 1)));
    }

    #[test]
    fn links_are_resolved_like_in_a_browser() {
        let page = address("https://paper.example/news/a?b=1");
        let cases = [
            ("c", "https://paper.example/news/c"),
            ("/c", "https://paper.example/c"),
            ("\n ../c d ", "https://paper.example/c%20d"),
            ("?c", "https://paper.example/news/a?c"),
            ("#c", "https://paper.example/news/a?b=1"),
            ("//www.paper.example\\c", "https://www.paper.example/c"),
            ("HTTP:/c", "http://c/"),
            ("https:c", "https://paper.example/news/c"),
        ];
        for (link, expected) in cases {
            assert_eq!(page.join(link).as_ref().map(Address::as_str), Ok(expected), "{link}");
        }
        assert_eq!(page.join("javascript:void(0)"), Err(AddressError::OtherScheme));
    }

    #[test]
    fn a_link_is_also_known_as_it_is_written() {
        let page = address("https://paper.example/a");
        for (link, expected) in [
            ("?utm_source=x#top", "https://paper.example/a?utm_source=x"),
            ("/a;jsessionid=1?b", "https://paper.example/a;jsessionid=1?b"),
            ("https://PAPER.example.:443/a", "https://paper.example/a"),
        ] {
            let (joined, written) = page.join_as_written(link).unwrap();
            assert_eq!((joined, written.as_str()), (page.join(link).unwrap(), expected), "{link}");
        }
    }

    #[test]
    fn parts() {
        let cases = [
            ("https://www.paper.co.uk/a", "https://www.paper.co.uk", "www.paper.co.uk", "paper.co.uk"),
            ("http://paper.example:8080/", "http://paper.example:8080", "paper.example", "paper.example"),
            ("http://a.b.paper.example/", "http://a.b.paper.example", "a.b.paper.example", "paper.example"),
            ("http://co.uk/", "http://co.uk", "co.uk", "co.uk"),
            ("http://localhost/", "http://localhost", "localhost", "localhost"),
            ("http://127.0.0.1:81/", "http://127.0.0.1:81", "127.0.0.1", "127.0.0.1"),
            ("http://[::1]:81/", "http://[::1]:81", "::1", "::1"),
        ];
        for (url, origin, host, domain) in cases {
            let address = address(url);
            assert_eq!((address.origin().as_str(), address.host(), address.domain()), (origin, host, domain), "{url}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => "[a-z0-9%./;?&=_~#-]{0,6}",
            2 => prop::sample::select(vec![
                "%2e", "%2E/", "../", "//", ";jsessionid=", "utm_a", "sid=0123456789abcdef", "%25", "41", "&", "?", "@", ":8", "\\",
            ]).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn an_address_is_its_own_address(text in text()) {
            for text in [&format!("https://paper.example/{text}"), &format!("http://{text}"), &text] {
                if let Ok(address) = Address::parse(text) {
                    prop_assert_eq!(Address::parse(address.as_str()), Ok(address.clone()));
                    prop_assert_eq!(address.join(address.as_str()), Ok(address.clone()));
                    prop_assert!(address.as_str().starts_with(&address.origin()));
                    prop_assert!(address.host().ends_with(address.domain()));
                }
            }
        }

        #[test]
        fn a_link_is_an_address_of_its_own(text in text()) {
            if let Ok(linked) = address("https://paper.example/a/b?c").join(&text) {
                prop_assert_eq!(Address::parse(linked.as_str()), Ok(linked));
            }
        }
    }
}
