//! A page as a tree of elements and runs of text.
//!
//! Receives elements and text while a page is read. Gives the tree of what is visible: elements in preorder, and between
//! them the runs of text. Hidden elements, scripts and styles are no nodes. Pictures, frames and input fields are nodes
//! without content.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use twox_hash::XxHash3_64;

use super::map::{Origin, Trace};
use super::pending::PendingTag;
use super::stack::Name;
use super::tags::Tag;

/// Maximum number of names in a written path. Paths of pages have about 20; a page may be 65,536 elements deep.
const MAX_NAMES: usize = 100;

/// The elements and the runs of text of a page, in the order of the page.
///
/// Node 0 is the page itself. It stands for `<html>` and `<body>`. The nodes inside node `i` are those from `i + 1` to
/// [`end(i)`](Tree::end). The text of a node and its bytes lie within those of its parent. The texts of the runs, one
/// after the other with the white space between them, are the visible text.
///
/// Tags in the wrong place can end a hidden element while other elements inside it stay open. If these then show text,
/// all of them are nodes, but without attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The nodes that are runs of text.
    runs: Vec<u32>,
    attributes: Vec<Stored>,
    /// The values of attributes, one after the other.
    values: String,
    /// The spelling of names that HTML does not define, by their numbers.
    spellings: BTreeMap<u32, String>,
    title: String,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An element.
    Element,
    /// A run of text without markup in it, and the number of its block. Numbers grow from the start of the text to its
    /// end. Two runs are of different blocks if a line or a table cell ends between them.
    Text(u32),
}

/// The attributes that a [`Tree`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Attribute {
    /// `class`
    Class,
    /// `id`
    Id,
    /// `role`
    Role,
    /// `itemprop`
    ItemProp,
    /// `itemtype`
    ItemType,
    /// `property`
    Property,
    /// `name`
    Name,
    /// `content`
    Content,
    /// `rel`
    Rel,
    /// `href`
    Href,
    /// `src`
    Src,
    /// `alt`
    Alt,
    /// `action`
    Action,
    /// `type`
    Type,
    /// `value`
    Value,
    /// `width`
    Width,
    /// `height`
    Height,
}

impl Attribute {
    /// The attribute of this name, in lower case.
    pub(super) fn of(name: &[u8]) -> Option<Attribute> {
        Some(match name {
            b"class" => Attribute::Class,
            b"id" => Attribute::Id,
            b"role" => Attribute::Role,
            b"itemprop" => Attribute::ItemProp,
            b"itemtype" => Attribute::ItemType,
            b"property" => Attribute::Property,
            b"name" => Attribute::Name,
            b"content" => Attribute::Content,
            b"rel" => Attribute::Rel,
            b"href" => Attribute::Href,
            b"src" => Attribute::Src,
            b"alt" => Attribute::Alt,
            b"action" => Attribute::Action,
            b"type" => Attribute::Type,
            b"value" => Attribute::Value,
            b"width" => Attribute::Width,
            b"height" => Attribute::Height,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    parent: u32,
    /// The node after the last one inside it.
    end: u32,
    content: Content,
    bytes: Range<u32>,
    text: Range<u32>,
    attributes: Range<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Element(Name),
    Text { block: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    attribute: Attribute,
    value: Range<u32>,
}

impl Tree {
    /// Number of nodes. There is at least the page.
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The runs of text, in order.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = usize> {
        self.runs.iter().map(|&run| run as usize)
    }

    /// What a node is.
    pub fn kind(&self, node: usize) -> NodeKind {
        match self.nodes[node].content {
            Content::Element(_) => NodeKind::Element,
            Content::Text { block } => NodeKind::Text(block),
        }
    }

    /// The parent of a node. `None` for the page.
    pub fn parent(&self, node: usize) -> Option<usize> {
        (node > 0).then(|| self.nodes[node].parent as usize)
    }

    /// The nodes around a node, from its parent to the page.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// The node after the last one inside a node.
    pub fn end(&self, node: usize) -> usize {
        self.nodes[node].end as usize
    }

    /// The name of an element in lower case. Empty for a run of text. The page is `body`. Of a long name that HTML does not
    /// define, only the first 24 bytes.
    pub fn name(&self, node: usize) -> &str {
        match self.nodes[node].content {
            Content::Text { .. } => "",
            Content::Element(name) if name.tag == Tag::Other => &self.spellings[&name.number()],
            Content::Element(name) => name.tag.name(),
        }
    }

    /// Whether an element starts and ends a line, or is a cell of a table.
    pub fn is_block(&self, node: usize) -> bool {
        match self.nodes[node].content {
            Content::Element(Name { tag, .. }) => tag.is_block() || tag.is_cell(),
            Content::Text { .. } => false,
        }
    }

    /// The value of an attribute.
    pub fn attribute(&self, node: usize, attribute: Attribute) -> Option<&str> {
        let stored = self.stored(node).iter().find(|stored| stored.attribute == attribute)?;
        Some(self.value(stored))
    }

    /// The attributes of a node, in the order of the page.
    pub fn attributes(&self, node: usize) -> impl Iterator<Item = (Attribute, &str)> {
        self.stored(node).iter().map(|stored| (stored.attribute, self.value(stored)))
    }

    /// The bytes of the page from the start of a node's start tag to the end of its end tag, or to where its end is
    /// implied. The bytes between the markup around a run of text; the label of an `<input>` has none, because it stands in
    /// the markup.
    pub fn bytes(&self, node: usize) -> Range<usize> {
        let bytes = &self.nodes[node].bytes;
        bytes.start as usize..bytes.end as usize
    }

    /// The bytes of the visible text from the first to the last run in a node. Empty if it has none.
    pub fn text(&self, node: usize) -> Range<usize> {
        let text = &self.nodes[node].text;
        text.start as usize..text.end as usize
    }

    /// The run of text at a position of the visible text, or the last one before it.
    pub fn run_at(&self, text: usize) -> Option<usize> {
        let after = self.runs.partition_point(|&run| self.nodes[run as usize].text.start as usize <= text);
        Some(self.runs[after.checked_sub(1)?] as usize)
    }

    /// The names of the elements around a node, such as `div/ul/li/a`, from the outermost to the innermost. The page is
    /// left out, because it is around everything. A name that HTML does not define is `*`. Of more than 100 names, only
    /// the last 100 are returned, after `…`.
    pub fn path(&self, node: usize) -> String {
        let mut around = self.ancestors(node).take_while(|&node| node > 0).filter_map(|node| self.element(node));
        let mut names: Vec<&str> = around.by_ref().take(MAX_NAMES).map(|name| name.tag.name()).collect();
        names.extend(around.next().map(|_| "…"));
        names.reverse();
        names.join("/")
    }

    /// For each node a hash of the names of the elements around it, and of its own name if it is an element. The page is
    /// left out, so its hash is 0. The hashes are the same in every version and on every system.
    pub fn path_hashes(&self) -> Vec<u64> {
        let mut hashes = vec![0];
        for node in &self.nodes[1..] {
            let before = hashes[node.parent as usize];
            hashes.push(match node.content {
                Content::Element(name) => path_hash(before, name),
                Content::Text { .. } => before,
            });
        }
        hashes
    }

    /// For each node a hash of what is in it: names, the attributes `href`, `src`, `alt`, `action` and `value`, and the
    /// text, with each stretch of white space as 1 space. `text` is the visible text of the page. Nodes with the same
    /// content have the same hash in every version and on every system.
    pub fn subtree_hashes(&self, text: &str) -> Vec<u64> {
        let mut hashes = vec![0_u64; self.len()];
        let mut bytes = Vec::new();
        for node in (0..self.len()).rev() {
            bytes.clear();
            match self.kind(node) {
                NodeKind::Text(_) => write_text(&mut bytes, &text[self.text(node)]),
                NodeKind::Element => {
                    self.write_tag(&mut bytes, node);
                    self.children(node).for_each(|child| bytes.extend(hashes[child].to_le_bytes()));
                }
            }
            hashes[node] = XxHash3_64::oneshot(&bytes);
        }
        hashes
    }

    /// The children of a node, in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let first = Some(node + 1).filter(|&first| first < self.end(node));
        iter::successors(first, move |&child| Some(self.end(child)).filter(|&next| next < self.end(node)))
    }

    /// The title of the page: its `<title>`, then a space and its `og:title`, as far as it has them.
    pub fn title(&self) -> &str {
        &self.title
    }

    fn element(&self, node: usize) -> Option<Name> {
        match self.nodes[node].content {
            Content::Element(name) => Some(name),
            Content::Text { .. } => None,
        }
    }

    /// Writes the name of an element, a zero, and the attributes that are its content: the number of each, the length of
    /// its value, and the value. The last number is 0.
    fn write_tag(&self, bytes: &mut Vec<u8>, node: usize) {
        let content = [Attribute::Href, Attribute::Src, Attribute::Alt, Attribute::Action, Attribute::Value];
        bytes.extend(self.name(node).as_bytes());
        bytes.push(0);
        for (number, attribute) in (1..).zip(content) {
            if let Some(value) = self.attribute(node, attribute) {
                bytes.push(number);
                bytes.extend((value.len() as u32).to_le_bytes());
                bytes.extend(value.as_bytes());
            }
        }
        bytes.push(0);
    }

    fn stored(&self, node: usize) -> &[Stored] {
        let range = &self.nodes[node].attributes;
        &self.attributes[range.start as usize..range.end as usize]
    }

    fn value(&self, stored: &Stored) -> &str {
        &self.values[stored.value.start as usize..stored.value.end as usize]
    }
}

/// The hash of a path: XXH3 of the hash of the path without its last step, and of the number of the step's name, both
/// little-endian.
fn path_hash(before: u64, name: Name) -> u64 {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&before.to_le_bytes());
    bytes[8..].copy_from_slice(&name.number().to_le_bytes());
    XxHash3_64::oneshot(&bytes)
}

/// Writes a zero, which no name starts with, and the words of a text with a space between each two.
fn write_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(0);
    for (number, word) in text.split_ascii_whitespace().enumerate() {
        bytes.extend((number > 0).then_some(b' '));
        bytes.extend(word.as_bytes());
    }
}

/// An element that opens.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    pub(super) name: Name,
    /// The position of its start tag. An implied element is where the tag is that implies it.
    pub(super) start: usize,
    pub(super) visibility: Visibility,
    /// The start tag, if there is one.
    pub(super) tag: Option<&'a PendingTag>,
}

/// How much of an element is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// The element and its content.
    Shown,
    /// The element, but not its content: a frame, a video.
    Replaced,
    /// Neither.
    Hidden,
}

/// The tree while it is built.
#[derive(Debug)]
pub struct Planter {
    tree: Tree,
    og_title: String,
    is_title_over: bool,
    /// The open elements, the innermost last.
    open: Vec<Open>,
    /// Number of the outermost open elements that are nodes. Those inside them are hidden.
    planted: usize,
    /// The block of the last run.
    block: u32,
    /// Whether there was markup after the last text.
    is_parted: bool,
    /// Whether a line or cell ended after the last text.
    is_block_over: bool,
    /// The end of the last markup.
    markup_end: usize,
}

/// An open element.
#[derive(Debug)]
struct Open {
    name: Name,
    start: usize,
    /// Its node, if it is one.
    node: u32,
}

impl Default for Planter {
    fn default() -> Planter {
        let page = Node {
            parent: 0,
            end: 0,
            content: Content::Element(Name::of(Tag::Body)),
            bytes: 0..0,
            text: 0..0,
            attributes: 0..0,
        };
        Planter {
            tree: Tree {
                nodes: vec![page],
                runs: Vec::new(),
                attributes: Vec::new(),
                values: String::new(),
                spellings: BTreeMap::new(),
                title: String::new(),
            },
            og_title: String::new(),
            is_title_over: false,
            open: Vec::new(),
            planted: 0,
            block: 0,
            is_parted: true,
            is_block_over: false,
            markup_end: 0,
        }
    }
}

impl Planter {
    /// The tree of a page that has this number of bytes.
    pub(super) fn finish(mut self, len: usize) -> Tree {
        self.end_run(len);
        while !self.open.is_empty() {
            self.close(len);
        }
        self.end_node(0, len);
        self.drop_empty_runs();
        self.find_texts();
        let titles = [self.tree.title.trim(), self.og_title.trim()];
        self.tree.title = titles.join(" ").trim().to_owned();
        self.tree
    }

    /// Drops the runs whose text was taken back.
    fn drop_empty_runs(&mut self) {
        let Tree { nodes, runs, .. } = &mut self.tree;
        let is_empty = |node: &Node| matches!(node.content, Content::Text { .. }) && node.text.is_empty();
        if !nodes.iter().any(is_empty) {
            return;
        }
        let mut kept = 0;
        let mut new: Vec<u32> = Vec::with_capacity(nodes.len() + 1);
        for node in nodes.iter() {
            new.push(kept);
            kept += u32::from(!is_empty(node));
        }
        new.push(kept);
        nodes.retain(|node| !is_empty(node));
        for node in nodes {
            node.parent = new[node.parent as usize];
            node.end = new[node.end as usize];
        }
        runs.iter_mut().for_each(|run| *run = new[*run as usize]);
    }

    /// The texts of the elements, from those of their runs.
    fn find_texts(&mut self) {
        let Tree { nodes, runs, .. } = &mut self.tree;
        // The end of the text before the node, and the number of runs before it.
        let (mut before, mut passed) = (0, 0);
        for at in 0..nodes.len() {
            if let Content::Text { .. } = nodes[at].content {
                before = nodes[at].text.end;
                passed += 1;
                continue;
            }
            let inside = runs[passed..].partition_point(|&run| run < nodes[at].end);
            nodes[at].text = match runs[passed..passed + inside] {
                [first, .., last] => nodes[first as usize].text.start..nodes[last as usize].text.end,
                [only] => nodes[only as usize].text.clone(),
                [] => {
                    let place = before.max(nodes[nodes[at].parent as usize].text.start);
                    place..place
                }
            };
        }
    }

    /// Makes nodes of all open elements. Those that are none yet are hidden, but something inside them is visible.
    fn plant(&mut self) {
        while let Some(&Open { name, start, .. }) = self.open.get(self.planted) {
            let node = self.add_node(Content::Element(name), start, 0..0);
            self.open[self.planted].node = node;
            self.planted += 1;
        }
    }

    /// Adds a node to the innermost open one.
    fn add_node(&mut self, content: Content, start: usize, text: Range<usize>) -> u32 {
        let node = self.tree.nodes.len() as u32;
        let attributes = self.tree.attributes.len() as u32;
        self.tree.nodes.push(Node {
            parent: self.open[..self.planted].last().map_or(0, |parent| parent.node),
            end: node + 1,
            content,
            bytes: start as u32..0,
            text: text.start as u32..text.end as u32,
            attributes: attributes..attributes,
        });
        node
    }

    /// Adds the attributes of the last node.
    fn add_attributes(&mut self, tag: &PendingTag) {
        let Tree { nodes, attributes, values, .. } = &mut self.tree;
        for (attribute, value) in tag.attributes() {
            let start = values.len() as u32;
            values.push_str(&String::from_utf8_lossy(value));
            attributes.push(Stored { attribute, value: start..values.len() as u32 });
        }
        if let Some(node) = nodes.last_mut() {
            node.attributes.end = attributes.len() as u32;
        }
    }

    /// Ends the bytes of the last run, if markup follows it.
    fn end_run(&mut self, end: usize) {
        let is_open = |node: &&mut Node| matches!(node.content, Content::Text { .. }) && node.bytes.end == 0;
        if let Some(run) = self.tree.nodes.last_mut().filter(is_open) {
            run.bytes.end = end as u32;
        }
    }

    fn end_node(&mut self, node: u32, end: usize) {
        let next = self.tree.nodes.len() as u32;
        let node = &mut self.tree.nodes[node as usize];
        node.end = next;
        node.bytes.end = end as u32;
    }
}

impl Trace for Planter {
    const WANTED: bool = false;
    const ATTRIBUTES: bool = true;

    fn add(&mut self, text: Range<usize>, _: Origin) {
        if self.is_parted {
            self.block += u32::from(self.is_block_over);
            (self.is_parted, self.is_block_over) = (false, false);
            self.plant();
            let run = self.add_node(Content::Text { block: self.block }, self.markup_end, text);
            self.tree.runs.push(run);
        } else if let Some(&run) = self.tree.runs.last() {
            self.tree.nodes[run as usize].text.end = text.end as u32;
        }
    }

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, text: usize) {
        while let Some(&run) = self.tree.runs.last() {
            let range = &mut self.tree.nodes[run as usize].text;
            if (range.start as usize) < text {
                range.end = range.end.min(text as u32);
                return;
            }
            range.end = range.start;
            self.tree.runs.pop();
            self.is_parted = true;
        }
    }

    fn markup(&mut self, bytes: Range<usize>) {
        self.end_run(bytes.start);
        self.markup_end = bytes.end;
        self.is_parted = true;
    }

    fn part_blocks(&mut self) {
        self.is_parted = true;
        self.is_block_over = true;
    }

    fn open(&mut self, Opening { name, start, visibility, tag }: Opening) {
        self.is_parted = true;
        self.open.push(Open { name, start, node: 0 });
        if visibility != Visibility::Hidden {
            self.plant();
            tag.into_iter().for_each(|tag| self.add_attributes(tag));
        }
        let Some(tag) = tag else { return };
        if name.tag == Tag::Other {
            let spelling = || String::from_utf8_lossy(tag.spelling()).into_owned();
            self.tree.spellings.entry(name.number()).or_insert_with(spelling);
        }
        if name.tag == Tag::Meta && self.og_title.is_empty() {
            self.og_title = og_title(tag).unwrap_or_default();
        }
    }

    fn close(&mut self, end: usize) {
        self.end_run(end);
        self.is_parted = true;
        let Some(element) = self.open.pop() else {
            return;
        };
        self.is_title_over |= element.name.tag == Tag::Title && !self.tree.title.is_empty();
        if self.open.len() < self.planted {
            self.planted -= 1;
            self.end_node(element.node, end);
        }
    }

    fn title(&mut self, text: &[u8]) {
        if !self.is_title_over {
            self.tree.title.push_str(&String::from_utf8_lossy(text));
        }
    }
}

/// The title that a `<meta>` gives to other sites, if it does.
fn og_title(meta: &PendingTag) -> Option<String> {
    let value = |attribute| meta.attributes().find(|&(kept, _)| kept == attribute).map(|(_, value)| value);
    let is_title = |name: &[u8]| name.eq_ignore_ascii_case(b"og:title");
    let is_title = [Attribute::Property, Attribute::Name].into_iter().filter_map(value).any(is_title);
    let content = value(Attribute::Content).filter(|_| is_title)?;
    Some(String::from_utf8_lossy(content).into_owned())
}
