//! The HTML of the review. Text from documents, pattern files or names is escaped by `maud`.

pub mod about;
pub mod document;
pub mod loose;
pub mod overview;
pub mod pattern;
pub mod preview;
pub mod source;

use std::borrow::Cow;
use std::ops::Range;

use maud::{DOCTYPE, Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::review::Version;
use dehusk_core::patterns::SHARED;
use dehusk_core::shown::shown;
use document::View;

/// All characters that are percent-encoded in an address.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The addresses of a review. All start with its key.
#[derive(Clone, Debug)]
pub struct Links {
    /// `/KEY/`.
    pub base: String,
}

impl Links {
    /// The overview.
    pub fn home(&self) -> String {
        self.base.clone()
    }

    /// A style sheet or script.
    pub fn asset(&self, name: &str) -> String {
        format!("{}{name}", self.base)
    }

    /// The page with the patterns of a source.
    pub fn source(&self, source: &str) -> String {
        format!("{}s/{}/", self.base, encoded(source))
    }

    /// Another page about a source.
    pub fn about(&self, source: &str, page: &str) -> String {
        format!("{}{page}", self.source(source))
    }

    /// The page with the patterns of a source, with one of them selected.
    pub fn pattern(&self, source: &str, id: &str) -> String {
        format!("{}?id={}", self.source(source), encoded(id))
    }

    /// The page with the patterns of a source, with the text without a pattern selected.
    pub fn loose(&self, source: &str) -> String {
        self.pattern(source, "")
    }

    /// A page about one pattern.
    pub fn of_pattern(&self, source: &str, id: &str, page: &str) -> String {
        format!("{}p/{}/{page}", self.source(source), encoded(id))
    }

    /// The page of a document.
    pub fn document(&self, source: &str, number: usize) -> String {
        format!("{}d/{number}", self.source(source))
    }

    /// The page of a document, with this view of it.
    pub fn document_as(&self, source: &str, number: usize, view: View) -> String {
        let query = if view == View::Page { "?view=page" } else { "" };
        format!("{}{query}", self.document(source, number))
    }

    /// A document that is a page, with marks. The version of the patterns is in the address, so that a browser loads
    /// the page again when they change.
    pub fn drawn(&self, source: &str, number: usize, (own, shared): Version) -> String {
        format!("{}/page?version={own}-{shared}", self.document(source, number))
    }

    /// The page of a document, at the text that a pattern removes, or at a match of the pattern that is kept.
    pub fn match_in(&self, source: &str, number: usize, id: &str, stays: Option<&Range<usize>>) -> String {
        let at = stays.map(|bytes| format!("?at={}-{}", bytes.start, bytes.end)).unwrap_or_default();
        format!("{}{at}#{}", self.document(source, number), encoded(id))
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// The name of a source for people.
pub fn name(source: &str) -> Cow<'_, str> {
    if source == SHARED { Cow::Borrowed("(shared)") } else { shown(source) }
}

/// The header of a source's page.
pub struct SourceHeader<'p> {
    /// The addresses of the review.
    pub links: &'p Links,
    /// The source.
    pub source: &'p str,
    /// The current page: `patterns`, `documents`, `about`.
    pub page: &'p str,
    /// Why the current version of the file cannot be read, as a message.
    pub problem: Option<&'p str>,
    /// Number of decided patterns, and number of all patterns.
    pub decided: [usize; 2],
}

/// A whole page. `place` is the source it belongs to, `version` the state that it shows.
pub fn page(links: &Links, title: &str, version: &str, place: Option<&SourceHeader>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – dehusk review" }
                link rel="icon" type="image/svg+xml" href=(links.asset("icon.svg"));
                link rel="stylesheet" href=(links.asset("style.css"));
                script src=(links.asset("review.js")) defer {}
            }
            body data-base=(links.base) data-version=(version) data-source=[place.map(|place| place.source)] {
                a.skip href="#main" { "Skip to the content" }
                header.page {
                    h1.of-source[place.is_some()] {
                        a.home href=(links.home()) { "dehusk review" }
                        @if let Some(place) = place { span.slash { " / " } span.name title=(name(place.source)) { (name(place.source)) } }
                    }
                    @if let Some(place) = place { (tabs(place)) }
                    div.tools {
                        @if let Some(place) = place {
                            (progress(place.decided))
                            nav.beside #beside aria-label="Other sources" {}
                        }
                        button.undo type="button" data-do="undo" { span.word { "Undo" } kbd { "u" } }
                        button.help type="button" data-do="help" { "Keys" kbd { "?" } }
                    }
                }
                main.wide #main {
                    @if let Some(place) = place {
                        p.warning #problem role="alert" hidden[place.problem.is_none()] { (place.problem.unwrap_or_default()) }
                        p.finished #finished role="status" hidden {}
                    }
                    (body)
                }
                p.toast #toast role="status" hidden {}
                (help())
                dialog #ask aria-labelledby="ask-title" {}
            }
        }
    }
}

fn tabs(place: &SourceHeader) -> Markup {
    let SourceHeader { links, source, page, .. } = place;
    let tabs = [("patterns", "Patterns", ""), ("documents", "Documents", "documents"), ("about", "About", "about")];
    html! {
        nav.tabs aria-label="Pages of this source" {
            @for (name, title, path) in tabs {
                a href=(links.about(source, path)) aria-current=[(name == *page).then_some("page")] { (title) }
            }
        }
    }
}

/// The number of decided patterns.
pub fn progress([decided, all]: [usize; 2]) -> Markup {
    html! {
        span.progress #progress { progress max=(all.max(1)) value=(decided) aria-label="patterns decided" {} " " (decided) " of " (all) " decided" }
    }
}

const KEYS: [(&str, &str); 20] = [
    ("j", "next pattern, or next removed text in a document"),
    ("k", "previous pattern, or previous removed text in a document"),
    ("a", "accept: all its matches are removed; go to the next pattern"),
    ("r", "reject: it removes nothing, and is not proposed again; go to the next pattern"),
    ("p", "set back to proposed"),
    ("e", "edit the regex, and see what it would do"),
    ("n", "write a note"),
    ("Ctrl ⏎", "save an edit or a note"),
    ("u", "undo the last decision"),
    ("x", "never remove the selected text, or the selected removed text"),
    ("d", "always remove the selected text"),
    ("o", "open a document in which the pattern matches"),
    ("m", "show all matches of the pattern; press again to hide them"),
    ("[ ]", "previous document, next document"),
    ("P N", "previous source, next source; when all is decided, the next undecided source"),
    ("/", "search"),
    ("1 … 4", "list all, proposed, accepted, rejected"),
    ("1 … 7", "in the table of sources: sort by this column, again: the other way round"),
    ("Esc", "leave a field, an edit or this help"),
    ("?", "this help"),
];

fn help() -> Markup {
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title tabindex="-1" autofocus { "Keys" }
            dl.keys {
                @for (key, what) in KEYS { div { dt { kbd { (key) } } dd { (what) } } }
            }
            p.quiet { "Decisions are written to the pattern files at once. You can edit these files at the same time: no edit is lost." }
            button type="button" data-do="close-help" { "Close" kbd { "Esc" } }
        }
    }
}
