//! The statements of a page about itself: title, author, date and the like.
//!
//! Takes the declarations that were collected while the page was read ([`Declared`]), its visible text and its tree. Of
//! several statements about the same thing, the first counts, in this order: JSON-LD, Open Graph, other `<meta>`, the
//! visible page.

mod date;
mod declared;
mod linked_data;

use std::borrow::Cow;

use serde::Serialize;

use self::date::iso_date;
pub use self::declared::Declared;
use self::declared::Names;
pub(super) use self::declared::{is_linked_data, open_graph};
use self::linked_data::Stated;
use super::plain::{base, resolved};
use super::tree::{Attribute, Tree};
use super::{read_despite_scripts, visible_text};

/// Maximum length of a value, in bytes. Longer ones are ignored: nobody writes such a title, and it would take memory.
const MOST_BYTES_OF_VALUE: usize = 10_000;
/// Maximum length of the name of an author, in bytes. A longer value is a text about the author.
const MOST_OF_NAME: usize = 200;

/// The statements of a page about itself. A field without a statement is `None`. White space in texts is collapsed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The headline, or the title of the page.
    pub title: Option<String>,
    /// The names of the authors, with `; ` between them.
    pub author: Option<String>,
    /// When it was published: `YYYY-MM-DD`, or this with a time, as in ISO 8601.
    pub date: Option<String>,
    /// A language tag such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The address of the page: the one that was given, or else the canonical one.
    pub url: Option<String>,
    /// A summary.
    pub description: Option<String>,
    /// The address of a picture.
    pub image: Option<String>,
}

/// The metadata of a page: what it says about itself. `address` is its address, if it is known.
///
/// ```
/// let page = "<html lang=en><meta property=article:published_time content='2024-03-14T08:30:00Z'>\
///             <title>Ferry late - The Tide</title><h1>Ferry late</h1><p>Again.";
/// let metadata = dehusk::page_metadata(page, None);
/// assert_eq!(metadata.title.as_deref(), Some("Ferry late"));
/// assert_eq!(metadata.date.as_deref(), Some("2024-03-14T08:30:00Z"));
/// assert_eq!(metadata.author, None);
/// ```
pub fn page_metadata(html: &str, address: Option<&str>) -> Metadata {
    let (text, (tree, declared)) = read_despite_scripts::<(Tree, Declared)>(html);
    declared.metadata(&text, &tree, address)
}

impl Declared {
    /// The metadata of the page with this visible text and this tree. `address` is its address, if it is known.
    pub fn metadata(&self, text: &str, tree: &Tree, address: Option<&str>) -> Metadata {
        let page = Shown::of(self, text, tree);
        let stated = Stated::of(self.scripts(), &|headline| page.is_title(headline));
        let own_base = base(tree, None);
        let own_address = |value: &str| web_address(&resolved(own_base.as_ref(), value.trim()));
        let canonical = || self.canonical().and_then(own_address);

        let url = address.map(str::to_owned).or_else(canonical);
        let url = url.or_else(|| self.values(&Names::ADDRESS).find_map(own_address));
        let url = url.or_else(|| stated.addresses.iter().find_map(|value| own_address(value)));
        let base = base(tree, url.as_deref());
        let image = |value: &str| web_address(&resolved(base.as_ref(), value.trim()));

        let first = |stated: &[String], names: &Names, of: &dyn Fn(&str) -> Option<String>| {
            let stated = stated.iter().filter_map(|value| decoded(value)).find_map(|value| of(&value));
            stated.or_else(|| self.values(names).find_map(of))
        };
        Metadata {
            title: first(&stated.titles, &Names::TITLE, &collapsed).or(page.title),
            author: self.author(&stated).or(page.author),
            date: first(&stated.dates, &Names::DATE, &iso_date).or_else(|| self.time().and_then(iso_date)),
            language: first(&stated.languages, &Names::LANGUAGE, &language)
                .or_else(|| self.language().and_then(language)),
            site_name: first(&stated.site_names, &Names::SITE_NAME, &collapsed).or_else(|| {
                stated.publishers.iter().filter_map(|name| decoded(name)).find_map(|name| collapsed(&name))
            }),
            description: first(&stated.descriptions, &Names::DESCRIPTION, &collapsed),
            image: stated
                .images
                .iter()
                .find_map(|value| image(value))
                .or_else(|| self.values(&Names::IMAGE).find_map(image)),
            url,
        }
    }

    fn author(&self, stated: &Stated) -> Option<String> {
        let names = stated.authors.iter().filter_map(|name| decoded(name)).filter_map(|name| person(&name));
        joined(names).or_else(|| Names::AUTHOR.each().find_map(|name| joined(self.all_of(name).filter_map(person))))
    }
}

/// The title and the author that a visitor sees.
struct Shown {
    /// `<title>`, or the first heading if the title is missing or contains it.
    title: Option<String>,
    author: Option<String>,
    /// All texts that may be the title.
    titles: Vec<String>,
}

impl Shown {
    fn of(declared: &Declared, text: &str, tree: &Tree) -> Shown {
        let text_of = |node: usize| collapsed(&text[tree.text(node)]);
        let nodes = || 1..tree.len();
        let heading = nodes().find(|&node| tree.name(node) == "h1").and_then(text_of);
        let title = collapsed(declared.title());
        let titles = title.iter().chain(&heading).cloned();
        let titles = titles.chain(declared.values(&Names::TITLE).filter_map(collapsed)).collect();

        let has = |node: usize, attribute, wanted: &str| {
            let value = tree.attribute(node, attribute);
            value.is_some_and(|value| value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted)))
        };
        let named = |attribute| nodes().find(|&node| has(node, attribute, "author"));
        let author = named(Attribute::Rel).or_else(|| named(Attribute::ItemProp));
        let author = author.and_then(|node| {
            let name = (node..tree.end(node)).find(|&inner| has(inner, Attribute::ItemProp, "name"));
            person(&text[tree.text(name.unwrap_or(node))])
        });

        let title = match (title, heading) {
            (Some(title), Some(heading)) if title.contains(&heading) => Some(heading),
            (title, heading) => title.or(heading),
        };
        Shown { title, author, titles }
    }

    fn is_title(&self, headline: &str) -> bool {
        let headline = decoded(headline).and_then(|headline| collapsed(&headline));
        headline.is_some_and(|headline| self.titles.iter().any(|title| title.contains(&headline)))
    }
}

/// A text of JSON-LD, without the HTML escapes that many programs put into it.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    match value.len() > MOST_BYTES_OF_VALUE {
        true => None,
        false if value.contains(['&', '<']) => Some(visible_text(value).into()),
        false => Some(value.into()),
    }
}

/// A text without needless white space. `None` if nothing is left, or too much.
fn collapsed(value: &str) -> Option<String> {
    if value.len() > MOST_BYTES_OF_VALUE {
        return None;
    }
    let words: Vec<&str> = value.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The name of a person. Some pages give an address instead.
fn person(value: &str) -> Option<String> {
    let is_name = |name: &String| name.len() <= MOST_OF_NAME && name.contains(char::is_alphabetic);
    collapsed(value).filter(|name| is_name(name) && !is_of_web(name))
}

fn joined(names: impl Iterator<Item = String>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    (!all.is_empty()).then(|| all.join("; "))
}

/// A language tag. `en_US` is also understood.
fn language(value: &str) -> Option<String> {
    let tag = value.trim().replace('_', "-");
    let mut parts = tag.split('-');
    let is_language =
        parts.next().is_some_and(|first| matches!(first.len(), 2 | 3) && is_all(first, u8::is_ascii_alphabetic));
    let are_more = parts.all(|part| matches!(part.len(), 1..=8) && is_all(part, u8::is_ascii_alphanumeric));
    (is_language && are_more && tag.len() <= 35).then_some(tag)
}

fn is_all(text: &str, kind: fn(&u8) -> bool) -> bool {
    text.bytes().all(|byte| kind(&byte))
}

/// An absolute address on the web.
fn web_address(value: &str) -> Option<String> {
    let is_address = value.len() <= MOST_BYTES_OF_VALUE
        && is_of_web(value)
        && !value.contains(|c: char| c.is_whitespace() || c.is_control());
    is_address.then(|| value.to_owned())
}

fn is_of_web(value: &str) -> bool {
    let starts = |scheme: &str| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    starts("http://") || starts("https://")
}

#[cfg(test)]
mod tests;
