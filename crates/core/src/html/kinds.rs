//! The kinds that a page declares itself to be, such as an article or a product.
//!
//! Reads the type for sites that link to the page (`og:type` of Open Graph), and the types of schema.org for search
//! engines (JSON-LD). The types are the same few words in any language.

use std::sync::LazyLock;

use regex::Regex;

use super::metadata::{is_linked_data, open_graph};
use super::pending::PendingTag;
use super::tags::Tag;

/// Maximum size of a script, in bytes. Longer ones are ignored.
const MOST_OF_SCRIPT: usize = 256 << 10;

/// The kinds that a page declares: a bit for each of [`Kinds::NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

/// The words in types of Open Graph, with their kinds. The first word that is contained in a type counts.
const OF_GRAPH: [(&str, u16); 6] = [
    ("article", Kinds::GRAPH_ARTICLE),
    ("post", Kinds::GRAPH_ARTICLE),
    ("product", Kinds::GRAPH_PRODUCT),
    ("website", Kinds::GRAPH_SITE),
    ("blog", Kinds::GRAPH_SITE),
    ("", Kinds::GRAPH_OTHER),
];

/// The words in types of schema.org, with their kinds. All words that are contained in a type count.
const OF_SCHEMA: [(&str, u16); 28] = [
    ("Article", Kinds::ARTICLE),
    ("BlogPosting", Kinds::ARTICLE),
    ("Report", Kinds::ARTICLE),
    ("Product", Kinds::PRODUCT),
    ("Offer", Kinds::PRODUCT),
    ("ItemList", Kinds::LIST),
    ("CollectionPage", Kinds::LIST),
    ("SearchResultsPage", Kinds::LIST),
    ("CategoryPage", Kinds::LIST),
    ("DiscussionForumPosting", Kinds::FORUM),
    ("QAPage", Kinds::FORUM),
    ("Question", Kinds::FORUM),
    ("Comment", Kinds::FORUM),
    ("Organization", Kinds::SERVICE),
    ("LocalBusiness", Kinds::SERVICE),
    ("Service", Kinds::SERVICE),
    ("WebSite", Kinds::SITE),
    ("TechArticle", Kinds::REFERENCE),
    ("APIReference", Kinds::REFERENCE),
    ("SoftwareSourceCode", Kinds::REFERENCE),
    ("Recipe", Kinds::RECIPE),
    ("HowTo", Kinds::RECIPE),
    ("Event", Kinds::EVENT),
    ("JobPosting", Kinds::EVENT),
    ("Course", Kinds::EVENT),
    ("Person", Kinds::PERSON),
    ("ProfilePage", Kinds::PERSON),
    ("VideoObject", Kinds::VIDEO),
];

impl Kinds {
    /// The names of the kinds.
    pub const NAMES: [&str; 15] = [
        "says-og-article",
        "says-og-product",
        "says-og-site",
        "says-og-other",
        "says-article",
        "says-product",
        "says-list",
        "says-forum",
        "says-service",
        "says-site",
        "says-reference",
        "says-recipe",
        "says-event",
        "says-person",
        "says-video",
    ];
    const GRAPH_ARTICLE: u16 = 1;
    const GRAPH_PRODUCT: u16 = 1 << 1;
    const GRAPH_SITE: u16 = 1 << 2;
    const GRAPH_OTHER: u16 = 1 << 3;
    const ARTICLE: u16 = 1 << 4;
    const PRODUCT: u16 = 1 << 5;
    const LIST: u16 = 1 << 6;
    const FORUM: u16 = 1 << 7;
    const SERVICE: u16 = 1 << 8;
    const SITE: u16 = 1 << 9;
    const REFERENCE: u16 = 1 << 10;
    const RECIPE: u16 = 1 << 11;
    const EVENT: u16 = 1 << 12;
    const PERSON: u16 = 1 << 13;
    const VIDEO: u16 = 1 << 14;
    /// The kinds that Open Graph gives.
    const GRAPH: u16 = Kinds::GRAPH_ARTICLE | Kinds::GRAPH_PRODUCT | Kinds::GRAPH_SITE | Kinds::GRAPH_OTHER;

    /// For each of the [`NAMES`](Kinds::NAMES), whether the page is of this kind.
    pub fn each(self) -> impl Iterator<Item = bool> {
        (0..Kinds::NAMES.len()).map(move |kind| self.0 >> kind & 1 == 1)
    }

    /// Adds a type of Open Graph. Only the first one of a page counts.
    fn add_graph_type(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        let kind = OF_GRAPH.iter().find(|(word, _)| name.contains(word)).filter(|_| self.0 & Kinds::GRAPH == 0);
        kind.into_iter().for_each(|(_, kind)| self.0 |= kind);
    }

    /// Adds the types in a script with JSON-LD.
    fn add_linked_data(&mut self, script: &str) {
        // The value is a text or a list of texts.
        static TYPES: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r#""@type"\s*:\s*(?:"([^"]*)"|\[([^\]]*)\])"#).ok());
        for types in TYPES.iter().flat_map(|types| types.captures_iter(script)) {
            let names = types.get(1).or(types.get(2)).map_or("", |names| names.as_str());
            OF_SCHEMA.iter().filter(|(word, _)| names.contains(word)).for_each(|(_, kind)| self.0 |= kind);
        }
    }
}

/// The kinds of a page while it is read.
#[derive(Debug, Default)]
pub(super) struct KindsReader {
    kinds: Kinds,
    /// The script that is open, if it is one with JSON-LD.
    script: Option<String>,
}

impl KindsReader {
    /// Processes a start tag.
    pub(super) fn open(&mut self, tag: &PendingTag, name: Tag) {
        self.end_script();
        match name {
            Tag::Meta => open_graph(tag, "og:type").into_iter().for_each(|name| self.kinds.add_graph_type(&name)),
            Tag::Script if is_linked_data(tag) => self.script = Some(String::new()),
            _ => {}
        }
    }

    /// Adds text of a script.
    pub(super) fn script(&mut self, text: &[u8]) {
        self.script = self.script.take().filter(|script| script.len() + text.len() <= MOST_OF_SCRIPT);
        self.script.iter_mut().for_each(|script| script.push_str(&String::from_utf8_lossy(text)));
    }

    /// The kinds of the page.
    pub(super) fn finish(mut self) -> Kinds {
        self.end_script();
        self.kinds
    }

    fn end_script(&mut self) {
        self.script.take().into_iter().for_each(|script| self.kinds.add_linked_data(&script));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tree, read};
    use super::Kinds;

    #[track_caller]
    fn says(html: &str, expected: &[&str]) {
        let kinds = read::<Tree>(html).1.kinds();
        let names = Kinds::NAMES.into_iter().zip(kinds.each()).filter(|(_, is)| *is);
        assert_eq!(names.map(|(name, _)| name).collect::<Vec<_>>(), expected, "{html}");
    }

    #[test]
    fn a_page_gives_one_type_to_other_sites() {
        says("<meta property=og:type content=article><p>a", &["says-og-article"]);
        says("<meta name=OG:Type content=' WebSite '><meta property=og:type content=article>", &["says-og-site"]);
        says("<meta property=og:type content=music.song>", &["says-og-other"]);
        says("<meta property=og:type content=''><meta property=og:title content=article>", &[]);
    }

    #[test]
    fn a_page_gives_many_types_to_search_engines() {
        let page = |json: &str| format!("<p>a<script type='application/ld+json; charset=utf-8'>{json}</script><p>b");
        says(&page(r#"{"@type": "NewsArticle"}"#), &["says-article"]);
        says(
            &page(r#"{"@graph":[{"@type":["WebPage" ,"FAQPage"]},{"@type" : ["Product","Thing"]}]}"#),
            &["says-product"],
        );
        says(
            &page(r#"{"@type":"TechArticle","about":{"@type":"ItemList"}}"#),
            &["says-article", "says-list", "says-reference"],
        );
        // A broken script counts up to the place where it breaks.
        says(&page(r#"{"@type":"Recipe","@type":"Event"#), &["says-recipe"]);
        says(&page(r#"{"name":"Product","@type":1}"#), &[]);
        says(r#"<script>{"@type":"Product"}</script>"#, &[]);
        says(&page(&format!(r#"{{"@type":"Product","x":"{}"}}"#, "a".repeat(super::MOST_OF_SCRIPT))), &[]);
    }

    #[test]
    fn a_script_that_never_ends_is_read() {
        says(r#"<script type=application/ld+json>{"@type":"Product"}"#, &["says-product"]);
    }
}
