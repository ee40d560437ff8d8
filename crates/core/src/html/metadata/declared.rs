//! Collects the declarations of a page about itself, while the page is read. The memory for them is bounded for any
//! page.

use std::ops::Range;

use super::super::map::{Origin, Trace};
use super::super::pending::PendingTag;
use super::super::tree::{Attribute, Opening, Visibility};
use super::MOST_BYTES_OF_VALUE;

/// The most bytes of JSON-LD that are kept of a page. A script that does not fit is left out.
const MOST_OF_SCRIPTS: usize = 256 << 10;
/// The most authors that are kept.
const MOST_AUTHORS: usize = 20;

/// The declarations of a page about itself, as they are written there.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The known names of `<meta>`, each with a value.
    metas: Vec<(&'static str, String)>,
    /// The scripts with JSON-LD.
    scripts: Vec<String>,
    bytes_of_scripts: usize,
    title: String,
    language: Option<String>,
    canonical: Option<String>,
    /// The first `<time datetime>` before the first heading, and the first one after it.
    times: [Option<String>; 2],
    has_heading: bool,
    is_title_over: bool,
    /// The script that is open, if it is one with JSON-LD.
    script: Option<String>,
}

/// Names of `<meta>` with the same meaning: those of Open Graph, then others, both in order of precedence.
pub(super) struct Names {
    graph: &'static [&'static str],
    other: &'static [&'static str],
}

impl Names {
    pub(super) const TITLE: Names = Names {
        graph: &["og:title"],
        other: &[
            "headline",
            "parsely-title",
            "citation_title",
            "dc.title",
            "dcterms.title",
            "sailthru.title",
            "twitter:title",
        ],
    };
    pub(super) const AUTHOR: Names = Names {
        graph: &["article:author", "og:article:author", "book:author"],
        other: &[
            "author",
            "parsely-author",
            "citation_author",
            "dc.creator",
            "dcterms.creator",
            "sailthru.author",
            "byl",
        ],
    };
    pub(super) const DATE: Names = Names {
        graph: &["article:published_time", "og:article:published_time", "og:published_time"],
        other: &[
            "datepublished",
            "parsely-pub-date",
            "citation_publication_date",
            "citation_online_date",
            "citation_date",
            "dc.date.issued",
            "dcterms.issued",
            "dc.date.created",
            "dcterms.created",
            "dc.date",
            "dcterms.date",
            "sailthru.date",
            "pubdate",
            "publishdate",
            "publish-date",
            "publish_date",
            "publication_date",
            "date",
        ],
    };
    pub(super) const LANGUAGE: Names = Names {
        graph: &["og:locale"],
        other: &["inlanguage", "language", "dc.language", "dcterms.language", "citation_language"],
    };
    pub(super) const SITE_NAME: Names = Names {
        graph: &["og:site_name"],
        other: &["application-name", "citation_journal_title", "dc.publisher", "dcterms.publisher"],
    };
    pub(super) const ADDRESS: Names = Names { graph: &["og:url"], other: &["parsely-link", "twitter:url"] };
    pub(super) const DESCRIPTION: Names = Names {
        graph: &["og:description"],
        other: &["description", "dc.description", "dcterms.description", "sailthru.description", "twitter:description"],
    };
    pub(super) const IMAGE: Names = Names {
        graph: &["og:image", "og:image:secure_url", "og:image:url"],
        other: &["image", "parsely-image-url", "twitter:image", "twitter:image:src", "thumbnail"],
    };
    const ALL: [Names; 8] = [
        Names::TITLE,
        Names::AUTHOR,
        Names::DATE,
        Names::LANGUAGE,
        Names::SITE_NAME,
        Names::ADDRESS,
        Names::DESCRIPTION,
        Names::IMAGE,
    ];

    /// The names, in order of precedence.
    pub(super) fn each(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.graph.iter().chain(self.other).copied()
    }

    /// The known name that is the same in another case, if there is one.
    fn known(name: &str) -> Option<&'static str> {
        Names::ALL.iter().flat_map(Names::each).find(|known| known.eq_ignore_ascii_case(name))
    }
}

impl Declared {
    /// Ends the collection, at the end of the page.
    pub(in crate::html) fn finish(mut self) -> Declared {
        self.end_script();
        self
    }

    /// The values of `<meta>` with one of these names, in the order of precedence of the names.
    pub(super) fn values(&self, names: &Names) -> impl Iterator<Item = &str> {
        names.each().flat_map(|name| self.all_of(name))
    }

    /// The values of `<meta>` with this name.
    pub(super) fn all_of(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.metas.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn scripts(&self) -> &[String] {
        &self.scripts
    }

    /// The text of `<title>`.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// The language of the page: `<html lang>`.
    pub(super) fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// The address of `<link rel=canonical>`.
    pub(super) fn canonical(&self) -> Option<&str> {
        self.canonical.as_deref()
    }

    /// The first `<time datetime>` after the first heading. If there is none, the first of the page.
    pub(super) fn time(&self) -> Option<&str> {
        let [first, after_heading] = &self.times;
        after_heading.as_ref().or(first.as_ref()).map(String::as_str)
    }

    fn add_meta(&mut self, tag: &PendingTag) {
        let Some(content) = value(tag, Attribute::Content) else { return };
        for attribute in [Attribute::Property, Attribute::Name, Attribute::ItemProp] {
            let name = value(tag, attribute).and_then(|name| Names::known(name.trim()));
            if let Some(name) = name.filter(|name| self.has_room(name)) {
                return self.metas.push((name, content));
            }
        }
    }

    /// Whether a further value is kept. Several authors may be named. Of all other names, only the first value counts.
    fn has_room(&self, name: &'static str) -> bool {
        let most = if Names::AUTHOR.each().any(|known| known == name) { MOST_AUTHORS } else { 1 };
        self.all_of(name).count() < most
    }

    fn add_time(&mut self, tag: &PendingTag) {
        let time = &mut self.times[usize::from(self.has_heading)];
        if time.is_none() {
            *time = tag.fact().and_then(short);
        }
    }

    fn end_script(&mut self) {
        if let Some(script) = self.script.take() {
            self.bytes_of_scripts += script.len();
            self.scripts.push(script);
        }
    }
}

/// The value of an attribute, if it is not too long.
fn value(tag: &PendingTag, attribute: Attribute) -> Option<String> {
    tag.attributes().find(|&(kept, _)| kept == attribute).and_then(|(_, value)| short(value))
}

/// The content of a `<meta>` of Open Graph, if the `<meta>` has this name and the content is not empty. Some pages
/// write `name` instead of `property`.
pub fn open_graph(meta: &PendingTag, name: &str) -> Option<String> {
    let mut names = [Attribute::Property, Attribute::Name].into_iter().filter_map(|attribute| value(meta, attribute));
    let has_name = names.any(|known| known.trim().eq_ignore_ascii_case(name));
    value(meta, Attribute::Content).filter(|content| has_name && !content.trim().is_empty())
}

fn short(value: &[u8]) -> Option<String> {
    (value.len() <= MOST_BYTES_OF_VALUE).then(|| String::from_utf8_lossy(value).into_owned())
}

fn has_word(tag: &PendingTag, attribute: Attribute, wanted: &str) -> bool {
    value(tag, attribute)
        .is_some_and(|value| value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted)))
}

/// Whether a script is JSON-LD.
pub fn is_linked_data(script: &PendingTag) -> bool {
    const KIND: &str = "application/ld+json";
    let kind = value(script, Attribute::Type);
    kind.is_some_and(|kind| kind.trim_start().get(..KIND.len()).is_some_and(|start| start.eq_ignore_ascii_case(KIND)))
}

impl Trace for Declared {
    const WANTED: bool = false;
    const ATTRIBUTES: bool = true;

    fn add(&mut self, _: Range<usize>, _: Origin) {}

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, _: usize) {}

    fn open(&mut self, Opening { tag, visibility, .. }: Opening) {
        self.end_script();
        let Some(tag) = tag else { return };
        match tag.spelling() {
            b"meta" => self.add_meta(tag),
            b"link" if self.canonical.is_none() && has_word(tag, Attribute::Rel, "canonical") => {
                self.canonical = value(tag, Attribute::Href);
            }
            b"script" if is_linked_data(tag) => self.script = Some(String::new()),
            b"title" => self.is_title_over |= !self.title.is_empty(),
            b"h1" => self.has_heading |= visibility == Visibility::Shown,
            b"time" => self.add_time(tag),
            _ => {}
        }
    }

    fn close(&mut self, _: usize) {
        self.end_script();
    }

    fn title(&mut self, text: &[u8]) {
        if !self.is_title_over && self.title.len() + text.len() <= MOST_BYTES_OF_VALUE {
            self.title.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn language(&mut self, language: &[u8]) {
        if self.language.is_none() {
            self.language = short(language);
        }
    }

    fn script(&mut self, text: &[u8]) {
        let kept = self.bytes_of_scripts;
        self.script = self.script.take().filter(|script| kept + script.len() + text.len() <= MOST_OF_SCRIPTS);
        if let Some(script) = &mut self.script {
            script.push_str(&String::from_utf8_lossy(text));
        }
    }
}
