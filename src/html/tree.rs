//! A page as a tree of elements and runs of text.
//!
//! Receives elements and text while a page is read. Gives the tree of what is visible: elements in preorder, and between
//! them the runs of text. Hidden elements, scripts and styles are no nodes. Pictures, fields and frames are nodes without
//! content.

use std::ops::Range;

use super::map::{Origin, Trace};
use super::pending::Kept;
use super::stack::Name;
use super::tags::Tag;

/// The elements and the runs of text of a page, in the order of the page.
///
/// Node 0 is the page itself. It stands for `<html>` and `<body>`. The nodes inside node `i` are those from `i + 1` to
/// [`end(i)`](Tree::end). The text of a node and its bytes lie within those of its parent. The texts of the runs, one
/// after the other with the white space between them, are the visible text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Stored>,
    /// The values of attributes, one after the other.
    values: String,
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
    /// The name of the element itself, if HTML does not define it.
    Element,
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
    tag: Tag,
    /// The block of a run of text. `NO_BLOCK` for elements.
    block: u32,
    bytes: Range<u32>,
    text: Range<u32>,
    attributes: Range<u32>,
}

const NO_BLOCK: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    attribute: Attribute,
    value: Range<u32>,
}

impl Tree {
    /// Number of nodes. At least 1, except for [`Tree::default`].
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node, not even the page.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is.
    pub fn kind(&self, node: usize) -> NodeKind {
        match self.nodes[node].block {
            NO_BLOCK => NodeKind::Element,
            block => NodeKind::Text(block),
        }
    }

    /// The parent of a node. `None` for the page.
    pub fn parent(&self, node: usize) -> Option<usize> {
        (node > 0).then(|| self.nodes[node].parent as usize)
    }

    /// The nodes around a node, from its parent to the page.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// The node after the last one inside a node.
    pub fn end(&self, node: usize) -> usize {
        self.nodes[node].end as usize
    }

    /// The name of an element in lower case. Empty for a run of text. The page is `body`. Of a long name that HTML does not
    /// define, only the first 24 bytes.
    pub fn name(&self, node: usize) -> &str {
        match self.nodes[node].tag {
            Tag::Other => self.attribute(node, Attribute::Element).unwrap_or_default(),
            known => known.name(),
        }
    }

    /// Whether an element starts and ends a line, or is a cell of a table.
    pub fn is_block(&self, node: usize) -> bool {
        let tag = self.nodes[node].tag;
        node == 0 || tag.is_block() || tag.is_cell()
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
    /// implied. The bytes between the markup around a run of text.
    pub fn bytes(&self, node: usize) -> Range<usize> {
        let bytes = &self.nodes[node].bytes;
        bytes.start as usize..bytes.end as usize
    }

    /// The bytes of the visible text from the first to the last run in a node. Empty if it has none.
    pub fn text(&self, node: usize) -> Range<usize> {
        let text = &self.nodes[node].text;
        text.start as usize..text.end as usize
    }

    /// The title of the page: its `<title>`, then a space and its `og:title`, as far as it has them.
    pub fn title(&self) -> &str {
        &self.title
    }

    fn stored(&self, node: usize) -> &[Stored] {
        let range = &self.nodes[node].attributes;
        &self.attributes[range.start as usize..range.end as usize]
    }

    fn value(&self, stored: &Stored) -> &str {
        &self.values[stored.value.start as usize..stored.value.end as usize]
    }
}

/// An element that opens, or that has no content.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    pub(super) name: Name,
    /// The position of its start tag. An implied element is where the tag is that implies it.
    pub(super) start: usize,
    pub(super) visibility: Visibility,
    /// The attributes in the start tag, if there is one.
    pub(super) kept: Option<&'a Kept>,
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
    /// For each open element its node. `None` if it is hidden.
    open: Vec<Option<u32>>,
    /// The open elements that are nodes.
    parents: Vec<u32>,
    /// The runs that have text.
    runs: Vec<u32>,
    block: u32,
    is_parted: bool,
    is_block_over: bool,
    /// The end of the last markup.
    markup_end: usize,
}

impl Default for Planter {
    fn default() -> Planter {
        let page =
            Node { parent: 0, end: 0, tag: Tag::Body, block: NO_BLOCK, bytes: 0..0, text: 0..0, attributes: 0..0 };
        Planter {
            tree: Tree { nodes: vec![page], ..Tree::default() },
            og_title: String::new(),
            open: Vec::new(),
            parents: vec![0],
            runs: Vec::new(),
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
        let nodes = self.tree.nodes.len() as u32;
        for &node in &self.parents {
            self.tree.nodes[node as usize].end = nodes;
            self.tree.nodes[node as usize].bytes.end = len as u32;
        }
        self.end_run(len);
        self.drop_empty_runs();
        self.find_texts();
        let title = self.tree.title.trim();
        self.tree.title = match (title, self.og_title.trim()) {
            (title, "") => title.to_owned(),
            ("", og) => og.to_owned(),
            (title, og) => format!("{title} {og}"),
        };
        self.tree
    }

    /// Drops the runs whose text was taken back.
    fn drop_empty_runs(&mut self) {
        let nodes = &mut self.tree.nodes;
        let is_empty = |node: &Node| node.block != NO_BLOCK && node.text.is_empty();
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
        self.runs.iter_mut().for_each(|run| *run = new[*run as usize]);
    }

    /// The texts of the elements, from those of their runs.
    fn find_texts(&mut self) {
        let nodes = &mut self.tree.nodes;
        let (mut before, mut next_run) = (0, 0);
        for at in 0..nodes.len() {
            if nodes[at].block != NO_BLOCK {
                before = nodes[at].text.end;
                next_run += 1;
                continue;
            }
            let first = self.runs.get(next_run).filter(|&&run| run < nodes[at].end);
            nodes[at].text = match first {
                Some(&first) => {
                    let after = self.runs[next_run..].partition_point(|&run| run < nodes[at].end);
                    let last = self.runs[next_run + after - 1];
                    nodes[first as usize].text.start..nodes[last as usize].text.end
                }
                None => {
                    let place = before.max(nodes[nodes[at].parent as usize].text.start);
                    place..place
                }
            };
        }
    }

    fn add_node(&mut self, element: &Opening) -> u32 {
        let attributes = self.tree.attributes.len() as u32;
        for (attribute, value) in element.kept.iter().flat_map(|kept| kept.attributes()) {
            let start = self.tree.values.len() as u32;
            self.tree.values.push_str(&String::from_utf8_lossy(value));
            self.tree.attributes.push(Stored { attribute, value: start..self.tree.values.len() as u32 });
        }
        self.add(Node {
            parent: self.parents.last().copied().unwrap_or_default(),
            end: 0,
            tag: element.name.tag,
            block: NO_BLOCK,
            bytes: element.start as u32..0,
            text: 0..0,
            attributes: attributes..self.tree.attributes.len() as u32,
        })
    }

    fn add(&mut self, node: Node) -> u32 {
        self.tree.nodes.push(node);
        self.tree.nodes.len() as u32 - 1
    }

    /// Ends the bytes of the last run, if markup follows it.
    fn end_run(&mut self, end: usize) {
        if let Some(run) = self.tree.nodes.last_mut().filter(|node| node.block != NO_BLOCK && node.bytes.end == 0) {
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
            let next = self.tree.nodes.len() as u32;
            let run = self.add(Node {
                parent: self.parents.last().copied().unwrap_or_default(),
                end: next + 1,
                tag: Tag::Other,
                block: self.block,
                bytes: self.markup_end as u32..0,
                text: text.start as u32..text.end as u32,
                attributes: 0..0,
            });
            self.runs.push(run);
        } else if let Some(&run) = self.runs.last() {
            self.tree.nodes[run as usize].text.end = text.end as u32;
        }
    }

    fn add_space(&mut self, _: Range<usize>, _: Origin, _: usize) {}

    fn truncate(&mut self, text: usize) {
        while let Some(&run) = self.runs.last() {
            let range = &mut self.tree.nodes[run as usize].text;
            if (range.start as usize) < text {
                range.end = range.end.min(text as u32);
                return;
            }
            range.end = range.start;
            self.runs.pop();
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

    fn open(&mut self, element: Opening) {
        self.is_parted = true;
        let node = (element.visibility != Visibility::Hidden).then(|| self.add_node(&element));
        self.open.push(node);
        self.parents.extend(node);
    }

    fn close(&mut self, end: usize) {
        self.end_run(end);
        self.is_parted = true;
        if let Some(node) = self.open.pop().flatten() {
            self.parents.pop();
            self.end_node(node, end);
        }
    }

    fn leaf(&mut self, element: Opening, end: usize) {
        if element.name.tag == Tag::Meta && self.og_title.is_empty() {
            self.og_title = element.kept.and_then(og_title).unwrap_or_default();
        }
        if element.visibility != Visibility::Hidden && element.name.tag.is_drawn() {
            let node = self.add_node(&element);
            self.end_node(node, end);
        }
    }

    fn title(&mut self, text: &[u8]) {
        self.tree.title.push_str(&String::from_utf8_lossy(text));
    }
}

/// The title that a `<meta>` gives to other sites, if it does.
fn og_title(meta: &Kept) -> Option<String> {
    let value = |attribute| meta.attributes().find(|&(kept, _)| kept == attribute).map(|(_, value)| value);
    let is_title = |name: &[u8]| name.eq_ignore_ascii_case(b"og:title");
    let is_title = [Attribute::Property, Attribute::Name].into_iter().filter_map(value).any(is_title);
    let content = value(Attribute::Content).filter(|_| is_title)?;
    Some(String::from_utf8_lossy(content).into_owned())
}
