//! Rules that name the source of a document.
//!
//! Takes the known facts about a document from any kind of file: a name of its source, its URL, its path. Returns the
//! name of the source according to the rule of the run, or the reason why the rule finds none.

use std::borrow::Cow;

use regex::Regex;

use crate::find::file_kind::FileKind;
use crate::skipped::excerpt;
use crate::{Keys, Reason, SourceId};

/// The rule that names a document's source.
#[derive(Debug, Clone, Default)]
pub enum SourceBy {
    /// The source name in the document. Without one, the host of its URL. Without a URL, the folder of its file. If the
    /// file is directly in the given folder, or was given itself, its name without endings.
    #[default]
    Auto,
    /// The source name in the document, and nothing else.
    Key,
    /// The host of its URL, in lower case, without port and leading `www.`.
    Host,
    /// The registered domain of this host: `example.co.uk` for `news.example.co.uk`. Private suffixes of the public
    /// suffix list count as suffixes, so each site at `blogspot.com` and similar hosts is a source of its own. A host
    /// without a known suffix, such as an IP address, is used unchanged. So is a host that is itself a suffix.
    Domain,
    /// The first folder below the given one. For documents directly in the given folder, that folder.
    Folder,
    /// The match of the regex in the document's URL or, if it has no URL, in the output path of its file: the group
    /// named `source`, else the first group, else the whole match.
    Match(Regex),
    /// The same source for all documents.
    Name(SourceId),
}

/// The facts about a document that may name its source.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceHints<'a> {
    /// The source name in the document.
    pub(crate) source: Option<Cow<'a, str>>,
    /// Its URL.
    pub(crate) url: Option<Cow<'a, str>>,
    /// The folder of its file.
    pub(crate) folder: Option<&'a SourceId>,
    /// The output path of its file.
    pub(crate) path: &'a str,
    /// Whether the document is a whole file. Such a document has no URL, but its folder may be named after a host.
    pub(crate) is_file: bool,
}

impl SourceBy {
    /// Parses a rule: `auto`, `key`, `host`, `domain`, `folder`, or a regex. Fails if the regex is not valid.
    pub fn parse(rule: &str) -> Result<SourceBy, regex::Error> {
        Ok(match rule {
            "auto" => SourceBy::Auto,
            "key" => SourceBy::Key,
            "host" => SourceBy::Host,
            "domain" => SourceBy::Domain,
            "folder" => SourceBy::Folder,
            regex => SourceBy::Match(Regex::new(regex)?),
        })
    }

    /// The rule in words: the text that [`SourceBy::parse`] makes it from, or the name of the only source.
    pub fn rule(&self) -> &str {
        match self {
            SourceBy::Auto => "auto",
            SourceBy::Key => "key",
            SourceBy::Host => "host",
            SourceBy::Domain => "domain",
            SourceBy::Folder => "folder",
            SourceBy::Match(regex) => regex.as_str(),
            SourceBy::Name(source) => source.as_str(),
        }
    }

    /// The source name for a document if only its URL is known. It need not be a valid [`SourceId`].
    ///
    /// # Errors
    /// If the rule finds nothing in the URL, or needs a folder or a name in the document.
    pub fn name_of_url(&self, url: &str) -> Result<String, Reason> {
        let hints = SourceHints { url: Some(url.into()), path: url, ..SourceHints::default() };
        self.name(hints, &Keys::default()).map(Cow::into_owned)
    }

    /// Whether the rule uses the name in the document.
    pub(crate) fn asks_for_key(&self) -> bool {
        matches!(self, SourceBy::Auto | SourceBy::Key)
    }

    /// Whether the rule uses the document's URL.
    pub(crate) fn asks_for_url(&self) -> bool {
        !matches!(self, SourceBy::Key | SourceBy::Folder | SourceBy::Name(_))
    }

    /// The name of a document's source. It need not be a valid [`SourceId`]. The `keys` are needed for error messages.
    pub(crate) fn name<'a>(&self, known: SourceHints<'a>, keys: &Keys) -> Result<Cow<'a, str>, Reason> {
        let folder = || known.folder.map(|folder| Cow::Borrowed(folder.as_str()));
        match self {
            SourceBy::Auto => match (known.source, &known.url) {
                (Some(source), _) => Ok(source),
                (None, Some(url)) => host(url).map(Cow::Owned),
                (None, None) => Ok(folder().unwrap_or_else(|| Cow::Borrowed(stem(known.path)))),
            },
            SourceBy::Key => known.source.ok_or_else(|| Reason::NoSourceKey(keys.source.clone())),
            SourceBy::Host => host_of(&known, keys).map(Cow::Owned),
            SourceBy::Domain => host_of(&known, keys).map(|host| Cow::Owned(registered_domain(&host).to_owned())),
            SourceBy::Folder => folder().ok_or(Reason::NoFolder),
            SourceBy::Match(regex) => found(regex, known.url.as_deref().unwrap_or(known.path)).map(Cow::Owned),
            SourceBy::Name(source) => Ok(Cow::Owned(source.to_string())),
        }
    }
}

/// The name of a file without its folder and its extensions: `news` for `a/news.jsonl.gz`.
fn stem(path: &str) -> &str {
    FileKind::stem(path.rsplit('/').next().unwrap_or(path))
}

/// The host of the document's URL. For a document that is a whole file, the name of the folder is used as the host.
fn host_of(known: &SourceHints, keys: &Keys) -> Result<String, Reason> {
    match (&known.url, known.folder) {
        (Some(url), _) => host(url),
        (None, Some(folder)) if known.is_file => Ok(host_name(folder.as_str())),
        _ => Err(Reason::NoUrl(keys.url.clone())),
    }
}

/// The host of a URL, as the name of a source.
fn host(url: &str) -> Result<String, Reason> {
    let no_host = || Reason::NoHost(excerpt(url));
    let (_, rest) = url.split_once("://").ok_or_else(no_host)?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let host_and_port = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // An IPv6 address. Its colons are replaced, because Windows allows none in file names.
        Some((address, _)) => host_name(&address.replace(':', "-")),
        None => host_name(host_and_port.split(':').next().unwrap_or(host_and_port)),
    };
    if host.is_empty() { Err(no_host()) } else { Ok(host) }
}

/// The normal form of a host: lower case, without leading `www.` and without dots at the end.
fn host_name(host: &str) -> String {
    let host = host.to_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).trim_end_matches('.').to_owned()
}

fn registered_domain(host: &str) -> &str {
    // For an unknown host, the list takes the last label for a suffix. Such a suffix does not count.
    let is_known = psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known());
    psl::domain_str(host).filter(|_| is_known).unwrap_or(host)
}

fn found(regex: &Regex, text: &str) -> Result<String, Reason> {
    let named = regex.capture_names().position(|name| name == Some("source"));
    let group = named.unwrap_or(usize::from(regex.captures_len() > 1));
    let found = regex.captures(text).and_then(|captures| captures.get(group));
    let found = found.map(|found| found.as_str().to_owned());
    found.ok_or_else(|| Reason::NoMatch { regex: regex.as_str().to_owned(), text: excerpt(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(rule: &str, known: SourceHints) -> Result<String, String> {
        let by = SourceBy::parse(rule).expect("a rule");
        by.name(known, &Keys::default()).map(Cow::into_owned).map_err(|reason| reason.to_string())
    }

    fn by_url(rule: &str, url: &str) -> Result<String, String> {
        name(rule, SourceHints { url: Some(url.into()), path: "f/x.jsonl", ..SourceHints::default() })
    }

    fn folder(name: &str) -> SourceId {
        SourceId::parse(name).expect("a name")
    }

    #[test]
    fn rules_ask_for_different_things() {
        let folder = folder("f");
        let all = || SourceHints {
            source: Some("Key".into()),
            url: Some("https://www.a.b.co.uk:80/x".into()),
            folder: Some(&folder),
            path: "f/x.jsonl",
            is_file: false,
        };
        let expected = [("auto", "Key"), ("key", "Key"), ("host", "a.b.co.uk"), ("domain", "b.co.uk"), ("folder", "f")];
        for (rule, source) in expected {
            assert_eq!(name(rule, all()), Ok(source.to_owned()), "{rule}");
        }
        let without_key = || SourceHints { source: None, ..all() };
        assert_eq!(name("auto", without_key()), Ok("a.b.co.uk".to_owned()));
        let without_url = || SourceHints { url: None, ..without_key() };
        assert_eq!(name("auto", without_url()), Ok("f".to_owned()));
        for (path, source) in [("a/news.jsonl.gz", "news"), ("x.y.jsonl", "x.y"), ("stdin.jsonl", "stdin")] {
            let known = SourceHints { folder: None, path, ..without_url() };
            assert_eq!(name("auto", known), Ok(source.to_owned()));
        }
        let one = SourceBy::Name(SourceId::parse("one").expect("a name"));
        assert_eq!(one.name(all(), &Keys::default()), Ok("one".into()));
    }

    #[test]
    fn what_a_rule_does_not_find_is_named_with_a_remedy() {
        let nothing =
            |rule: &str| name(rule, SourceHints { path: "x.jsonl", ..SourceHints::default() }).expect_err(rule);
        assert!(nothing("key").starts_with(r#"has no "source" to name its source: is this the right key?"#));
        assert!(
            nothing("host").starts_with(r#"has no "url" whose host could name its source: is this the right key?"#)
        );
        assert_eq!(nothing("host"), nothing("domain"));
        assert!(nothing("folder").starts_with("is not in a subfolder of the given folder"));
        assert_eq!(
            nothing("^[a-z]+/"),
            r#"the regex "^[a-z]+/" for sources finds nothing in "x.jsonl": change the regex so that it matches"#
        );
    }

    #[test]
    fn a_folder_is_a_host_for_files_only() {
        let folder = folder("www.News.Example.com");
        let known = |is_file| SourceHints { folder: Some(&folder), is_file, ..SourceHints::default() };
        assert_eq!(name("auto", known(true)), Ok("www.News.Example.com".to_owned()));
        assert_eq!(name("host", known(true)), Ok("news.example.com".to_owned()));
        assert_eq!(name("domain", known(true)), Ok("example.com".to_owned()));
        assert!(name("host", known(false)).is_err());
    }

    #[test]
    fn hosts_are_written_in_one_way() {
        let cases = [
            ("https://WWW.Example.com:8080/a?b", "example.com"),
            ("http://user:pass@example.com.", "example.com"),
            ("https://news.example.com/a@b", "news.example.com"),
            ("https://МОСКВА.рф/", "москва.рф"),
            ("http://192.168.0.1:8000/x", "192.168.0.1"),
            ("http://[2001:DB8::1]:8000/x", "2001-db8--1"),
        ];
        for (url, host) in cases {
            assert_eq!(by_url("host", url), Ok(host.to_owned()), "{url}");
        }
        for url in
            ["example.com/a", "https:///a", "mailto:a@example.com", "", "https://www.", "https://../", "http://[]"]
        {
            assert!(by_url("host", url).is_err(), "{url}");
        }
    }

    #[test]
    fn domains_are_those_that_can_be_registered() {
        let cases = [
            ("a.b.example.com", "example.com"),
            ("news.bbc.co.uk", "bbc.co.uk"),
            ("co.uk", "co.uk"),
            ("city.kawasaki.jp", "city.kawasaki.jp"),
            ("www.alice.github.io", "alice.github.io"),
            ("github.io", "github.io"),
            ("de.alice.blogspot.com", "alice.blogspot.com"),
            ("новости.москва.рф", "москва.рф"),
            ("a.xn--80adxhks.xn--p1ai", "xn--80adxhks.xn--p1ai"),
            ("a.食狮.公司.cn", "食狮.公司.cn"),
            ("192.168.0.1", "192.168.0.1"),
            ("[2001:db8::1]", "2001-db8--1"),
            ("localhost", "localhost"),
            ("a.b.example", "a.b.example"),
        ];
        for (host, domain) in cases {
            assert_eq!(by_url("domain", &format!("https://{host}/x")), Ok(domain.to_owned()), "{host}");
        }
    }

    #[test]
    fn a_regex_takes_its_group_of_the_address_or_the_path() {
        let url = "https://blogs.example.com/users/anna/2024";
        let cases = [
            ("users/(?<source>[a-z]+)", "anna"),
            ("(users)/(?<source>[a-z]+)", "anna"),
            ("users/([a-z]+)/([0-9]+)", "anna"),
            ("[0-9]{4}", "2024"),
            ("(?i)BLOGS", "blogs"),
        ];
        for (regex, source) in cases {
            assert_eq!(by_url(regex, url), Ok(source.to_owned()), "{regex}");
        }
        assert_eq!(
            name("/([^/]+)/", SourceHints { path: "f/anna/x.html", ..SourceHints::default() }),
            Ok("anna".to_owned())
        );
        // The group exists but takes no part in the match.
        assert!(by_url("users|(?<source>nobody)", url).is_err());
        assert!(by_url("^f/", url).is_err(), "the path is not looked at if there is an address");
    }

    #[test]
    fn a_bad_regex_says_why() {
        let error = SourceBy::parse("(a").expect_err("a bad regex").to_string();
        assert!(error.contains("unclosed group"), "{error}");
    }
}
