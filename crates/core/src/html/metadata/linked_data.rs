//! The statements of JSON-LD about a page, in the terms of schema.org.
//!
//! JSON that is broken or nested too deeply is ignored. Statements about other things than the page are ignored: of
//! several articles, only the one whose headline is the title of the page counts.

use std::collections::HashMap;

use serde_json::{Map, Value};

type Node = Map<String, Value>;

/// The types of articles that do not end in `Article`.
const ARTICLES: [&str; 6] =
    ["APIReference", "BlogPosting", "DiscussionForumPosting", "LiveBlogPosting", "Report", "SocialMediaPosting"];
/// Maximum number of values for one field. Others are ignored.
const MOST_VALUES: usize = 20;

/// Maximum number of articles whose headlines are compared.
const MOST_ARTICLES: usize = 100;

/// The statements about the page. The values of each field are in order of precedence.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub(super) titles: Vec<String>,
    /// All values count, not only the first.
    pub(super) authors: Vec<String>,
    pub(super) dates: Vec<String>,
    pub(super) languages: Vec<String>,
    pub(super) site_names: Vec<String>,
    pub(super) publishers: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) descriptions: Vec<String>,
    pub(super) images: Vec<String>,
}

impl Stated {
    /// The statements of these scripts. `is_title` says whether a headline is the title of the page.
    pub(super) fn of(scripts: &[String], is_title: &dyn Fn(&str) -> bool) -> Stated {
        let parsed: Vec<Value> = scripts.iter().filter_map(|script| parsed(script)).collect();
        let data = Data::of(&parsed);
        let article = data.article(is_title);
        let of_type = |kind: &dyn Fn(&str) -> bool| data.nodes.iter().copied().find(|node| types(node).any(kind));
        let page = of_type(&|name| name.ends_with("Page"));
        let site = of_type(&|name| name == "WebSite");
        let works: Vec<&Node> = article.into_iter().chain(page).collect();
        let all = |keys: &[&str], inner: &[&str]| -> Vec<String> {
            works.iter().flat_map(|work| data.values(work, keys, inner)).collect()
        };
        let of_site =
            |key: &str| site.map_or_else(Vec::new, |site| data.values(site, &[key], &["name", "alternateName"]));
        let first_of = |keys: &[&str]| {
            let mut named = works.iter().flat_map(|work| keys.iter().map(|key| data.values(work, &[key], &["name"])));
            named.find(|names| !names.is_empty()).unwrap_or_default()
        };
        Stated {
            titles: all(&["headline", "name"], &[]),
            authors: first_of(&["author", "creator"]),
            dates: all(&["datePublished", "dateCreated"], &[]),
            languages: [all(&["inLanguage"], &["alternateName", "name"]), of_site("inLanguage")].concat(),
            site_names: of_site("name"),
            publishers: first_of(&["publisher", "sourceOrganization"]),
            addresses: all(&["url", "mainEntityOfPage"], &["@id", "url"]),
            descriptions: all(&["description"], &[]),
            images: all(&["image", "primaryImageOfPage", "thumbnailUrl"], &["url", "contentUrl", "@id"]),
        }
    }
}

/// All nodes, and an index of those with an `@id`, to which others refer.
struct Data<'v> {
    nodes: Vec<&'v Node>,
    by_id: HashMap<&'v str, &'v Node>,
}

impl<'v> Data<'v> {
    fn of(values: &'v [Value]) -> Data<'v> {
        let mut nodes = Vec::new();
        let mut all: Vec<&Value> = values.iter().collect();
        let mut next = 0;
        while let Some(value) = all.get(next) {
            next += 1;
            match value {
                Value::Array(values) => all.extend(values),
                Value::Object(node) => {
                    nodes.push(node);
                    let parts = ["@graph", "isPartOf", "mainEntity", "mainEntityOfPage"];
                    all.extend(parts.iter().filter_map(|key| node.get(*key)));
                }
                _ => {}
            }
        }
        let mut by_id = HashMap::new();
        // A node with nothing but its id refers to another one.
        for node in nodes.iter().filter(|node| node.len() > 1) {
            if let Some(id) = node.get("@id").and_then(Value::as_str) {
                by_id.entry(id).or_insert(*node);
            }
        }
        Data { nodes, by_id }
    }

    /// The article that the page is about.
    fn article(&self, is_title: &dyn Fn(&str) -> bool) -> Option<&'v Node> {
        let is_article = |node: &&Node| types(node).any(|name| name.ends_with("Article") || ARTICLES.contains(&name));
        let articles: Vec<&Node> = self.nodes.iter().copied().filter(is_article).collect();
        let is_titled = |node: &&Node| self.values(node, &["headline", "name"], &[]).iter().any(|name| is_title(name));
        match articles.as_slice() {
            [only] => Some(only),
            several => several.iter().copied().take(MOST_ARTICLES).find(is_titled),
        }
    }

    /// The values of these keys of a node. If a value is itself a node, the value of its first key in `inner` is taken
    /// instead.
    fn values(&self, node: &'v Node, keys: &[&str], inner: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for value in keys.iter().filter_map(|key| node.get(*key)) {
            let mut rest = vec![value];
            while let Some(value) = rest.pop()
                && found.len() < MOST_VALUES
            {
                match value {
                    Value::String(text) => found.push(text.clone()),
                    Value::Array(values) => rest.extend(values.iter().take(MOST_VALUES).rev()),
                    Value::Object(node) => rest.extend(self.inner(node, inner)),
                    _ => {}
                }
            }
        }
        found
    }

    /// The value of the first of these keys in a node, or in the node that it refers to. Only texts and lists of texts
    /// count, so nodes that refer to each other cause no endless loop.
    fn inner(&self, node: &'v Node, keys: &[&str]) -> Option<&'v Value> {
        let of = |node: &'v Node| {
            let mut values = ["@value"].iter().chain(keys).filter_map(|key| node.get(*key));
            values.find(|value| {
                value.is_string() || value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
            })
        };
        let meant = node.get("@id").and_then(Value::as_str).and_then(|id| self.by_id.get(id).copied());
        match meant.filter(|_| node.len() <= 2) {
            Some(meant) => of(meant).or_else(|| of(node)),
            None => of(node),
        }
    }
}

/// The types of a node, without the address of the vocabulary.
fn types(node: &Node) -> impl Iterator<Item = &str> {
    let kind = node.get("@type");
    let one = kind.and_then(Value::as_str);
    let several = kind.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several).filter_map(|name| name.rsplit(['/', '#', ':']).next())
}

/// Parses a script. Line ends inside strings are invalid but frequent, so they become spaces.
fn parsed(script: &str) -> Option<Value> {
    let script = script.trim();
    let script = script.strip_prefix("<!--").unwrap_or(script);
    let script = script.strip_suffix("-->").unwrap_or(script);
    serde_json::from_str(&script.replace(|c: char| c < ' ', " ")).ok()
}
