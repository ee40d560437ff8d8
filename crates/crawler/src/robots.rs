//! robots.txt (RFC 9309).
//!
//! Where the RFC leaves it open, lines are read as Google reads them. A rule counts if its meaning is evident:
//! `Dissallow`, a path without its first slash, a product token with a version.
//!
//! Two crates read such files as well. Both recognise a product token only if it is the whole value. Neither sees that
//! `%2A` in a rule means the `*` in a URL, as the RFC says. One of them refuses a file with a rule that gives too long
//! a regex.

use std::cmp::Reverse;
use std::time::Duration;

/// The rules of a robots.txt for one crawler.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Longer rules are first; among rules of the same length, those that allow are first.
    rules: Vec<Rule>,
    delay: Option<Duration>,
    sitemaps: Vec<String>,
}

/// Longest `Crawl-delay`. A longer one counts as this.
const LONGEST_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Rules {
    /// Maximum number of bytes of a robots.txt that are read; the rest is ignored (RFC 9309, section 2.5).
    pub const LONGEST: usize = 500 * 1024;

    /// Reads a robots.txt. `agent` is the product token of the crawler, such as `dehusk`. Reading never fails, whatever
    /// the file contains.
    pub fn parse(agent: &str, bytes: &[u8]) -> Rules {
        let agent = token(agent.as_bytes());
        let mut own = Group::default();
        let mut any = Group::default();
        let mut sitemaps = Vec::new();
        let mut in_agents = false;
        for (key, value) in first_lines(bytes).split(|&byte| is_line_break(byte)).filter_map(record) {
            match key {
                Key::UserAgent => {
                    for (group, is_named) in [(&mut own, is_agent(value, agent)), (&mut any, is_any(value))] {
                        group.is_open = is_named || in_agents && group.is_open;
                        group.is_named |= is_named;
                    }
                    in_agents = true;
                }
                Key::Allow | Key::Disallow => {
                    in_agents = false;
                    for group in [&mut own, &mut any].into_iter().filter(|group| group.is_open) {
                        group.rules.extend(Rule::parse(value, key == Key::Allow));
                    }
                }
                // A delay is not a rule, so another agent after it still belongs to the same group (RFC 9309, section
                // 2.2.4).
                Key::CrawlDelay => {
                    for group in [&mut own, &mut any].into_iter().filter(|group| group.is_open) {
                        group.delay = group.delay.max(delay(value));
                    }
                }
                Key::Sitemap => {
                    sitemaps.extend(Some(String::from_utf8_lossy(value).into_owned()).filter(|url| !url.is_empty()))
                }
            }
        }

        let Group { mut rules, delay, .. } = if own.is_named { own } else { any };
        rules.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        rules.dedup();
        Rules { rules, delay, sitemaps }
    }

    /// Rules that allow all URLs.
    pub fn allow_all() -> Rules {
        Rules::default()
    }

    /// Whether this URL may be visited. `path` is its path with its query, such as `/news?page=2`.
    pub fn allows(&self, path: &str) -> bool {
        let path = comparable(path.as_bytes());
        let rule = self.rules.iter().find(|rule| rule.matches(&path));
        path == "/robots.txt" || rule.is_none_or(|rule| rule.is_allowed)
    }

    /// Its `Crawl-delay`. Of several, the longest one; at most a day.
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }

    /// The URLs of the sitemaps that the file names, as it writes them.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// The content of all groups of one agent.
#[derive(Default)]
struct Group {
    /// Whether there is such a group.
    is_named: bool,
    /// Whether the current line belongs to such a group.
    is_open: bool,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

/// The key at the beginning of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// Every spelling of a key that is in use.
const KEYS: [(&str, Key); 13] = [
    ("user-agent", Key::UserAgent),
    ("user agent", Key::UserAgent),
    ("useragent", Key::UserAgent),
    ("allow", Key::Allow),
    ("disallow", Key::Disallow),
    ("dissallow", Key::Disallow),
    ("dissalow", Key::Disallow),
    ("disalow", Key::Disallow),
    ("diasllow", Key::Disallow),
    ("disallaw", Key::Disallow),
    ("crawl-delay", Key::CrawlDelay),
    ("sitemap", Key::Sitemap),
    ("site-map", Key::Sitemap),
];

/// The whole lines that are read, without a byte order mark.
fn first_lines(bytes: &[u8]) -> &[u8] {
    let end = match bytes.get(..=Rules::LONGEST) {
        Some(head) => head.iter().rposition(|&byte| is_line_break(byte)).unwrap_or(0),
        None => bytes.len(),
    };
    let lines = &bytes[..end];
    lines.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(lines)
}

fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The key and the value of a line. The colon may be missing, as in `Disallow /a`.
fn record(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.split(|&byte| byte == b'#').next()?.trim_ascii();
    let colon = line.iter().position(|&byte| byte == b':');
    let with_colon = colon.and_then(|at| Some((key(&line[..at])?, &line[at + 1..])));
    let (key, value) = with_colon.or_else(|| {
        let at = line.iter().position(u8::is_ascii_whitespace)?;
        Some((key(&line[..at])?, &line[at..]))
    })?;
    Some((key, value.trim_ascii()))
}

fn key(name: &[u8]) -> Option<Key> {
    let name = name.trim_ascii();
    let known = KEYS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
    known.map(|&(_, key)| key)
}

/// The product token at the start of a value, such as `dehusk` in `dehusk/1.0`.
fn token(value: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    &value[..value.iter().position(is_end).unwrap_or(value.len())]
}

fn is_agent(value: &[u8], agent: &[u8]) -> bool {
    !agent.is_empty() && token(value).eq_ignore_ascii_case(agent)
}

/// Whether a value means all crawlers.
fn is_any(value: &[u8]) -> bool {
    value.strip_prefix(b"*").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn delay(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = str::from_utf8(value).ok()?.parse().ok()?;
    let seconds = Some(seconds).filter(|seconds| seconds.is_finite())?.min(LONGEST_DELAY.as_secs_f64());
    Duration::try_from_secs_f64(seconds).ok()
}

/// An `Allow` or a `Disallow`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    is_allowed: bool,
    /// The start of the paths to which the rule applies, in the form of [`comparable`]. [`ANYTHING`] is its `*`.
    pattern: String,
    /// Whether the rule ends with `$`: the pattern must match the whole path.
    is_whole: bool,
}

/// The `*` of a pattern. [`comparable`] text never contains this character.
const ANYTHING: char = '\0';

impl Rule {
    /// Parses the value of a rule. `None` if the rule applies to no path.
    fn parse(value: &[u8], is_allowed: bool) -> Option<Rule> {
        let (value, is_whole) = value.strip_suffix(b"$").map_or((value, false), |value| (value, true));
        if value.is_empty() && !is_whole {
            return None;
        }
        let mut pattern = String::new();
        let mut in_query = false;
        for (at, literal) in value.split(|&byte| byte == b'*').enumerate() {
            if at > 0 && !pattern.ends_with(ANYTHING) {
                pattern.push(ANYTHING);
            }
            write_comparable(literal, &mut in_query, &mut pattern);
        }
        if !pattern.starts_with(['/', ANYTHING]) {
            pattern.insert(0, '/');
        }
        Some(Rule { is_allowed, pattern, is_whole })
    }

    /// The order of rules: the first rule that matches a path decides.
    fn order(&self) -> (Reverse<usize>, Reverse<bool>, &str, bool) {
        let length = self.pattern.len() + usize::from(self.is_whole);
        (Reverse(length), Reverse(self.is_allowed), &self.pattern, self.is_whole)
    }

    /// Whether the rule applies to this path. Each part of the pattern is matched at the first possible place, so that
    /// the time is linear.
    fn matches(&self, path: &str) -> bool {
        let mut parts = self.pattern.split(ANYTHING);
        let Some(mut rest) = parts.next().and_then(|start| path.strip_prefix(start)) else {
            return false;
        };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return !self.is_whole || rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if self.is_whole && parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some((_, after)) = rest.split_once(part) else {
                return false;
            };
            rest = after;
        }
        true
    }
}

/// A path with its query, in a form in which equal paths have equal bytes (RFC 9309, section 2.2.2).
fn comparable(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len() + 1);
    if !path.starts_with(b"/") {
        text.push('/');
    }
    write_comparable(path, &mut false, &mut text);
    text
}

/// Adds a part of a path in its comparable form. All visible ASCII characters are decoded, all other bytes are encoded.
///
/// An escape is kept only if it means something else than its character: an encoded slash separates no segments, for
/// example. In a query, as in `?url=https://paper.example`, a slash means the same as its escape.
fn write_comparable(mut bytes: &[u8], in_query: &mut bool, text: &mut String) {
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        let escaped = if *first == b'%' { escaped(rest) } else { None };
        if escaped.is_some() {
            bytes = &rest[2..];
        }
        *in_query |= *first == b'?';
        let separators: &[u8] = if *in_query { b"%&=+#" } else { b"%/?#" };
        match escaped {
            Some(byte) if byte.is_ascii_graphic() && !separators.contains(&byte) => text.push(char::from(byte)),
            Some(byte) => text.push_str(&format!("%{byte:02X}")),
            None if first.is_ascii_graphic() => text.push(char::from(*first)),
            None => text.push_str(&format!("%{first:02X}")),
        }
    }
}

/// The byte of an escape. `bytes` begin after its `%`.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn delays() {
        let delay = |text: &str| Rules::parse("dehusk", format!("User-agent: *\n{text}").as_bytes()).delay();
        assert_eq!(delay("Crawl-delay: 10"), Some(Duration::from_secs(10)));
        assert_eq!(delay("crawl-delay:0.5 # seconds"), Some(Duration::from_millis(500)));
        assert_eq!(delay("Crawl-delay: 0"), Some(Duration::ZERO));
        assert_eq!(delay("Crawl-delay: 2\nCrawl-delay: 3\nCrawl-delay: 1"), Some(Duration::from_secs(3)));
        for longest in ["86400", "86401", "1e300"] {
            assert_eq!(delay(&format!("Crawl-delay: {longest}")), Some(LONGEST_DELAY), "{longest}");
        }
        for none in ["", "-1", "nan", "inf", "-inf", "soon", "1 2", "\u{661}"] {
            assert_eq!(delay(&format!("Crawl-delay: {none}")), None, "{none}");
        }
    }

    #[test]
    fn delays_belong_to_their_group() {
        let text = b"Crawl-delay: 1\nUser-agent: *\nCrawl-delay: 2\nAllow: /\nUser-agent: dehusk\nCrawl-delay: 3\n\
            Disallow: /\nUser-agent: other\nCrawl-delay: 4";
        assert_eq!(Rules::parse("Dehusk", text).delay(), Some(Duration::from_secs(3)));
        assert_eq!(Rules::parse("unknown", text).delay(), Some(Duration::from_secs(2)));
        assert_eq!(Rules::allow_all().delay(), None);
    }

    #[test]
    fn sitemaps_are_for_everyone() {
        let text =
            b"sitemap: https://paper.example/a.xml\nUser-agent: other\nDisallow: /\n Sitemap :/b.xml # b\nSitemap:";
        assert_eq!(Rules::parse("dehusk", text).sitemaps(), ["https://paper.example/a.xml", "/b.xml"]);
    }

    #[test]
    fn the_rest_of_a_long_file_does_not_count() {
        let head = "User-agent: *\nDisallow: /a\n";
        let file = |fill: usize, last: &str| {
            let comment = format!("#{}\n", "x".repeat(fill - head.len() - 2));
            Rules::parse("dehusk", format!("{head}{comment}{last}").as_bytes())
        };
        // The last line ends where reading ends; is longer by a byte; begins there.
        let last = "Disallow: /b";
        assert!(!file(Rules::LONGEST - last.len(), &format!("{last}\n")).allows("/b"));
        assert!(!file(Rules::LONGEST - last.len(), last).allows("/b"));
        assert!(file(Rules::LONGEST - last.len() + 1, &format!("{last}\n")).allows("/b"));
        assert!(file(Rules::LONGEST, last).allows("/b"));
        assert!(!file(Rules::LONGEST, last).allows("/a"));
        assert!(Rules::parse("dehusk", "x".repeat(Rules::LONGEST + 1).as_bytes()).allows("/"));
    }

    #[test]
    fn hostile_files_are_read_in_time() {
        let fill = |line: &str| line.repeat(Rules::LONGEST / line.len() + 1);
        let path = format!("/{}", "a".repeat(2000));
        let start = std::time::Instant::now();
        for text in [
            fill("User-agent: *\nDisallow: /*a*a*a*a*a*a*a*a*b\n"),
            fill("User-agent: *\n"),
            fill("User-agent: *\nDisallow: *b$\n"),
            format!("User-agent: *\nDisallow: {}", fill("*a")),
            format!("User-agent: *\nDisallow: /{}", fill("%")),
            (0..500).map(|at| format!("User-agent: *\nDisallow: *{}b{at}\n", "a".repeat(900))).collect(),
            fill(":"),
            fill("# "),
            fill("\r"),
        ] {
            assert!(Rules::parse("dehusk", text.as_bytes()).allows(&path));
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }

    /// Whether a pattern matches a path, by a table of the prefixes of both that match.
    fn fits(pattern: &str, path: &str) -> bool {
        let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
        let mut fits = vec![true];
        fits.resize(path.len() + 1, false);
        for token in pattern.bytes() {
            let before = fits.clone();
            fits[0] = token == b'*' && before[0];
            for (at, byte) in path.bytes().enumerate() {
                fits[at + 1] = if token == b'*' { fits[at] || before[at + 1] } else { token == byte && before[at] };
            }
        }
        if is_whole { fits[path.len()] } else { fits.contains(&true) }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn patterns_match_like_a_table(pattern in "/[ab/*$]{0,8}", path in "/[ab/$]{0,10}") {
            let rule = Rule::parse(pattern.as_bytes(), false).unwrap();
            prop_assert_eq!(rule.matches(&comparable(path.as_bytes())), fits(&pattern, &path));
        }

        #[test]
        fn the_longest_rule_decides(
            rules in prop::collection::vec((any::<bool>(), "/[ab*$]{0,4}"), 0..8),
            path in "/[ab]{0,6}",
        ) {
            let line = |(is_allowed, pattern): &(bool, String)| format!("{}: {pattern}\n", if *is_allowed { "Allow" } else { "Disallow" });
            let text = format!("User-agent: *\n{}", rules.iter().map(line).collect::<String>());
            let length = |pattern: &str| pattern.split('*').filter(|part| !part.is_empty()).map(str::len).sum::<usize>()
                + Rule::parse(pattern.as_bytes(), true).unwrap().pattern.matches(ANYTHING).count();
            let decisive = rules.iter().filter(|(_, pattern)| fits(pattern, &path));
            let decisive = decisive.max_by_key(|(is_allowed, pattern)| (length(pattern), *is_allowed));
            let is_allowed = decisive.is_none_or(|(is_allowed, _)| *is_allowed);
            prop_assert_eq!(Rules::parse("dehusk", text.as_bytes()).allows(&path), is_allowed);
        }

        #[test]
        fn escapes_of_visible_characters_do_not_matter(path in "/[!-$&-~]{0,10}") {
            let is_separator = |byte: u8| b"%/?#&=+".contains(&byte);
            let write = |byte: u8| if is_separator(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
            let escaped: String = path.bytes().map(write).collect();
            prop_assert_eq!(comparable(escaped.as_bytes()), comparable(path.as_bytes()));
        }

        #[test]
        fn anything_can_be_read(
            bytes in prop::collection::vec(prop_oneof![
                Just(b"User-agent:*\n".to_vec()), Just(b"Disallow:".to_vec()), Just(b"Crawl-delay: ".to_vec()),
                prop::collection::vec(any::<u8>(), 0..5),
            ], 0..20),
            path in any::<String>(),
        ) {
            let rules = Rules::parse("dehusk", &bytes.concat());
            prop_assert_eq!(rules.allows(&path), rules.allows(&path.replace("%7E", "~")));
            prop_assert!(rules.allows("/robots.txt"));
            prop_assert!(rules.delay().is_none_or(|delay| delay <= LONGEST_DELAY));
        }
    }
}
