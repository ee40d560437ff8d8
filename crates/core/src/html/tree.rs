//! A page as a tree of elements and runs of text.
//!
//! Receives elements and text while a page is read. Gives the tree of the visible page: elements in preorder, and
//! between them the runs of text. Hidden elements, scripts and styles are not nodes. Pictures, frames and input fields
//! are nodes without content.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use twox_hash::XxHash3_64;

use super::AltText;
use super::kinds::{Kinds, KindsReader};
use super::map::{Origin, Trace};
use super::metadata::open_graph;
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
/// Tags in the wrong place can end a hidden element while other elements inside it stay open. If text is then shown
/// inside these, all hidden elements around the text are nodes, but without attributes.
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
    base: Option<String>,
    kinds: Kinds,
    alt_text: AltText,
}

/// The kind of a node.
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
    pub(crate) fn of(name: &[u8]) -> Option<Attribute> {
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

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::Class => "class",
            Attribute::Id => "id",
            Attribute::Role => "role",
            Attribute::ItemProp => "itemprop",
            Attribute::ItemType => "itemtype",
            Attribute::Property => "property",
            Attribute::Name => "name",
            Attribute::Content => "content",
            Attribute::Rel => "rel",
            Attribute::Href => "href",
            Attribute::Src => "src",
            Attribute::Alt => "alt",
            Attribute::Action => "action",
            Attribute::Type => "type",
            Attribute::Value => "value",
            Attribute::Width => "width",
            Attribute::Height => "height",
        }
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

    /// An upper limit of the number of blocks of text.
    pub fn blocks(&self) -> usize {
        match self.runs.last().map(|&run| self.kind(run as usize)) {
            Some(NodeKind::Text(block)) => block as usize + 1,
            _ => 0,
        }
    }

    /// The kind of a node.
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

    /// The name of an element in lower case. Empty for a run of text. The page is `body`. Names that HTML does not
    /// define are cut after 24 bytes.
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

    /// Whether a browser draws an element as something other than text, such as a picture, a frame or a field.
    pub(super) fn is_drawn(&self, node: usize) -> bool {
        self.element(node).is_some_and(|name| name.tag.is_drawn())
    }

    /// Whether a run of text is the `alt` text of a picture.
    pub(super) fn is_alt_text(&self, run: usize) -> bool {
        let around = self.parent(run).filter(|_| self.kind(run) != NodeKind::Element);
        let name = around.and_then(|around| self.element(around));
        name.is_some_and(|name| matches!(name.tag, Tag::Img | Tag::Image))
    }

    /// Whether the page was read with the `alt` texts of pictures.
    pub(super) fn alt_text(&self) -> AltText {
        self.alt_text
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

    /// The bytes of a node in the page. An element reaches from its start tag to the end of its end tag, or to the
    /// place where its end is implied. A run of text has the bytes between the markup before and after it; the label of
    /// an `<input>` and the `alt` text of a picture have none, because they are inside markup.
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

    /// The first run of text that ends after a position of the visible text.
    pub(super) fn first_run_after(&self, text: usize) -> Option<usize> {
        let before = self.runs.partition_point(|&run| self.nodes[run as usize].text.end as usize <= text);
        self.runs.get(before).map(|&run| run as usize)
    }

    /// The bytes of the visible text from the end of the run before some nodes to the start of the run after them.
    pub(super) fn text_around(&self, nodes: &Range<usize>) -> Range<usize> {
        let runs_before = |node: usize| self.runs.partition_point(|&run| (run as usize) < node);
        let before = runs_before(nodes.start).checked_sub(1).map(|last| self.text(self.runs[last] as usize).end);
        let after = self.runs.get(runs_before(nodes.end)).map(|&next| self.text(next as usize).start);
        before.unwrap_or(0)..after.unwrap_or(self.text(0).end)
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

    /// For each node a hash of the names of the elements around it, and of its own name if it is an element. The page
    /// is left out, so its hash is 0. The hashes are the same in every version and on every system.
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

    /// For each node a hash of its content: names, the attributes `href`, `src`, `alt`, `action` and `value`, and the
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

    /// The kinds that the page declares itself to be.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// The address in the `<base>` of the page, from which relative links start, if it has one.
    pub(super) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    fn element(&self, node: usize) -> Option<Name> {
        match self.nodes[node].content {
            Content::Element(name) => Some(name),
            Content::Text { .. } => None,
        }
    }

    /// Writes the name of an element, a zero, and the attributes that are its content: the number of each, the length
    /// of its value, and the value. A zero ends the list.
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
    /// The position of its start tag. For an implied element, the position of the tag that implies it.
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
    kinds: KindsReader,
    is_title_over: bool,
    /// The open elements, the innermost last.
    open: Vec<Open>,
    /// Number of open elements that are nodes, from the outermost on. The open elements inside them are hidden.
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
                base: None,
                kinds: Kinds::default(),
                alt_text: AltText::default(),
            },
            og_title: String::new(),
            kinds: KindsReader::default(),
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
    /// The tree of a page that has this number of bytes, and was read with or without `alt` texts.
    pub(super) fn finish(mut self, len: usize, alt_text: AltText) -> Tree {
        self.end_run(len);
        while !self.open.is_empty() {
            self.close(len);
        }
        self.end_node(0, len);
        self.drop_empty_runs();
        self.find_texts();
        let titles = [self.tree.title.trim(), self.og_title.trim()];
        self.tree.title = titles.join(" ").trim().to_owned();
        self.tree.kinds = self.kinds.finish();
        self.tree.alt_text = alt_text;
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

    /// Computes the texts of the elements from those of their runs.
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

        self.kinds.open(tag, name.tag);
        if name.tag == Tag::Other {
            let spelling = || String::from_utf8_lossy(tag.spelling()).into_owned();
            self.tree.spellings.entry(name.number()).or_insert_with(spelling);
        }
        if name.tag == Tag::Meta && self.og_title.is_empty() {
            self.og_title = open_graph(tag, "og:title").unwrap_or_default();
        }
        if name.tag == Tag::Base && self.tree.base.is_none() {
            let href = tag.attributes().find(|&(attribute, _)| attribute == Attribute::Href);
            self.tree.base = href.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
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

    fn script(&mut self, text: &[u8]) {
        self.kinds.script(text);
    }

    fn title(&mut self, text: &[u8]) {
        if !self.is_title_over {
            self.tree.title.push_str(&String::from_utf8_lossy(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::laws::check;
    use super::super::read;
    use super::super::tests::{MARKUP, MESS};
    use super::*;

    /// The content of a node: elements as `name[attribute=value](content)`, runs as `'text'` and the number of their
    /// block, counted from 0.
    fn written(tree: &Tree, text: &str, node: usize) -> String {
        let child = |child: usize| match tree.kind(child) {
            NodeKind::Text(_) => format!("'{}'{}", &text[tree.text(child)], blocks_before(tree, child)),
            NodeKind::Element => {
                let attributes = tree.attributes(child).map(|(attribute, value)| format!("{attribute:?}={value}"));
                let attributes = enclosed('[', &attributes.collect::<Vec<_>>().join(" "), ']');
                format!("{}{attributes}{}", tree.name(child), enclosed('(', &written(tree, text, child), ')'))
            }
        };
        tree.children(node).map(child).collect::<Vec<_>>().join(" ")
    }

    fn enclosed(open: char, text: &str, close: char) -> String {
        if text.is_empty() { String::new() } else { format!("{open}{text}{close}") }
    }

    /// Number of blocks with text that end before a run.
    fn blocks_before(tree: &Tree, run: usize) -> usize {
        let runs: Vec<usize> = tree.runs().take_while(|&before| before <= run).collect();
        runs.windows(2).filter(|pair| tree.kind(pair[0]) != tree.kind(pair[1])).count()
    }

    /// Compares the content of a page.
    #[track_caller]
    fn grows(html: &str, expected: &str) {
        check(html);
        let (text, tree) = read::<Tree>(html);
        assert_eq!((tree.name(0), written(&tree, &text, 0).as_str()), ("body", expected), "{html}");
    }

    /// Compares the source of the nodes, in order.
    #[track_caller]
    fn spans(html: &str, expected: &[&str]) {
        check(html);
        let (_, tree) = read::<Tree>(html);
        let sources: Vec<&str> = (1..tree.len()).map(|node| &html[tree.bytes(node)]).collect();
        assert_eq!(sources, expected, "{html}");
    }

    #[test]
    fn elements_and_runs_are_nodes() {
        grows("", "");
        grows("a", "'a'0");
        grows("<p>a <b>b</b> c</p><p>d", "p('a'0 b('b'0) 'c'0) p('d'1)");
        grows("<div>a<ul><li><a>b</a> c<li>d</ul></div>", "div('a'0 ul(li(a('b'1) 'c'1) li('d'2)))");
        grows("<html><head><meta name=a><body class=b><p>c</body></html>d", "p('c'0 'd'0)");
    }

    #[test]
    fn comments_and_unseen_elements_part_runs() {
        grows("a<!-- -->b<?x?>c<wbr>d&amp;e", "'a'0 'b'0 'c'0 'd&e'0");
        grows("a<script>x</script>b<style>y</style>c<noscript><p>z</noscript>d", "'a'0 'b'0 'c'0 'd'0");
        grows("a<br>b<p></p>c", "'a'0 'b'1 p 'c'2");
    }

    #[test]
    fn cells_are_blocks() {
        grows("<table><td>a<td>b<i>c</table>d", "table(tbody(tr(td('a'0) td('b'1 i('c'1))))) 'd'2");
        grows("<table><td>a<td>b<br>c", "table(tbody(tr(td('a'0) td('b'1 'c'2))))");
        let (_, tree) = read::<Tree>("<table><tr><td><b>a");
        let blocks: Vec<&str> =
            (0..tree.len()).filter(|&node| tree.is_block(node)).map(|node| tree.name(node)).collect();
        assert_eq!(blocks, ["body", "table", "tbody", "tr", "td"]);
    }

    #[test]
    fn implied_elements_are_nodes() {
        let row = "tr(td('a'0) td('b'1))";
        grows("<table><tr><td>a<td>b</table>", &format!("table(tbody({row}))"));
        grows("<table><tbody><td>a</td><td>b</td></table>", &format!("table(tbody({row}))"));
        grows("<table><thead><tr><td>a<td>b</tr></table>", &format!("table(thead({row}))"));
        grows("<p>a<p>b<dl><dt>c<dd>d</dl>", "p('a'0) p('b'1) dl(dt('c'2) dd('d'3))");
    }

    #[test]
    fn hidden_elements_are_no_nodes() {
        grows("a<div hidden><p>b<img></div><p style='display:none'>c<p>d", "'a'0 p('d'1)");
        grows("<span style=visibility:hidden>a<img></span><img hidden><input type=hidden value=b>c", "'c'0");
        grows("<table hidden><tr><td>a</table><table><tr hidden><td>b<tr><td>c", "table(tbody(tr(td('c'0))))");
        grows("<template><p>a</template><datalist><option>b</datalist><ruby>c<rp>(</ruby>", "ruby('c'0)");
    }

    #[test]
    fn hidden_elements_are_nodes_if_they_show_text() {
        grows("<b hidden class=a>a<p>b</b>c</p>d", "b(p('c'0) 'd'1)");
        grows("<table hidden class=a>a<tr><td>b</table>c", "table('a'0) 'c'1");
        grows("<div><x-a hidden>a<ul><li>b</x-a>c<i id=d>e", "div(x-a(ul(li('c'0 i[Id=d]('e'0)))))");
    }

    #[test]
    fn replaced_elements_have_no_content() {
        grows("<img src=a alt=b width=1 height=2>", "img[Src=a Alt=b Width=1 Height=2]");
        grows("<iframe src=a><p>b</iframe>c", "iframe[Src=a] 'c'0");
        grows("<video src=a><source src=b><p>c</p></video>d", "video[Src=a] 'd'0");
        grows("<audio>a</audio><canvas>b</canvas><object>c</object><embed src=d>", "audio canvas object embed[Src=d]");
        grows("<svg><text>a</text><image href=b /></svg>c<svg/>d", "svg 'c'0 svg 'd'0");
        grows("<hr><frame src=a><input name=b value=c>", "hr frame[Src=a] input[Name=b Value=c]");
    }

    #[test]
    fn forms_have_their_fields() {
        grows("<select><option value=1>a<option>b</select>", "select(option[Value=1]('a'0) option('b'1))");
        grows("<textarea name=a>\nb\n c</textarea>", "textarea[Name=a]('b\n c'0)");
        grows(
            "<form action=/a>b<input type=submit value='c &amp; d'>e",
            "form[Action=/a]('b'0 input[Type=submit Value=c & d]('c & d'0) 'e'0)",
        );
        grows("<button type=submit value=a>b</button>", "button[Type=submit Value=a]('b'0)");
    }

    #[test]
    fn attributes_are_those_of_the_page() {
        grows("<a HREF='a&amp;b' title=c href=d rel onclick=e>f</a>", "a[Href=a&b Rel=]('f'0)");
        let all = "class=a id=b role=c itemprop=d itemtype=e property=f name=g content=h";
        let told = "[Class=a Id=b Role=c ItemProp=d ItemType=e Property=f Name=g Content=h]";
        grows(&format!("<p {all}>"), &format!("p{told}"));
        let (_, tree) = read::<Tree>("<p class='a b' id=>c");
        let value = |attribute| tree.attribute(1, attribute);
        assert_eq!([Attribute::Class, Attribute::Id, Attribute::Role].map(value), [Some("a b"), Some(""), None]);
        assert_eq!(tree.attributes(2).count(), 0);
    }

    #[test]
    fn unknown_names_are_as_written() {
        grows("<X-Share>a</x-share><x-share>b</x-share>", "x-share('a'0) x-share('b'0)");
        grows(&format!("<{}>a", "x".repeat(30)), &format!("{}('a'0)", "x".repeat(24)));
        grows("<math><mrow><a>b</a><mi>c", "math(mrow(a('b'0) mi('c'0)))");
    }

    #[test]
    fn broken_markup_is_a_tree() {
        grows("<b>a<p>b</b>c</p>d", "b('a'0 p('b'1 'c'1) 'd'2)");
        grows("<p><b>a</p><p>c", "p(b('a'0)) p('c'1)");
        grows("<ul><li>a</ul></div></li>b", "ul(li('a'0)) 'b'1");
        grows("<a>b<a>c", "a('b'0) a('c'0)");
        grows("<table>a<tr>b<td>c</table>", "table('a'0 tbody(tr('b'1 td('c'2))))");
        grows("<i>a<div>b</div>c", "i('a'0 div('b'1) 'c'2)");
        grows("</p>a</span></table>b</br>c", "'a'0 'b'0 'c'1");
        grows("a<b", "'a'0");
    }

    #[test]
    fn text_that_is_taken_back_leaves_no_run() {
        grows("<p>a</p><p>&nbsp;</p>b<p>&nbsp;</p>", "p('a'0) p 'b'1 p");
        grows("<pre>a </pre><textarea> </textarea><b>c", "pre('a'0) textarea b('c'1)");
    }

    #[test]
    fn kept_lines_are_one_run() {
        grows("<p>a<pre>\n  b\n\nc<b>d</b></pre>e", "p('a'0) pre('  b\n\nc'1 b('d'1)) 'e'2");
    }

    #[test]
    fn bytes_go_from_the_start_tag_to_the_end() {
        spans("x<p class=a>b</p >c", &["x", "<p class=a>b</p >", "b", "c"]);
        spans("<p>a<p>b", &["<p>a", "a", "<p>b", "b"]);
        spans("<ul><li>a<li>b</ul> ", &["<ul><li>a<li>b</ul>", "<li>a", "a", "<li>b", "b"]);
        spans("<i><b>a</i>c", &["<i><b>a</i>", "<b>a", "a", "c"]);
        spans("<p>a<!-- b -->c<br/> d </p>", &["<p>a<!-- b -->c<br/> d </p>", "a", "c", " d "]);
        spans("<img src='<'><IFRAME>a</IFRAME>", &["<img src='<'>", "<IFRAME>a</IFRAME>"]);
        spans("<p><script>'</p>'</script>a&amp;b", &["<p><script>'</p>'</script>a&amp;b", "a&amp;b"]);
        spans("<b>a<b c='", &["<b>a<b c='", "a<b c='"]);
    }

    #[test]
    fn implied_elements_start_where_they_are_implied() {
        let (row, cell) = ("<td>a</td>", "<td>a</td>");
        spans("<table><td>a</td></table>", &["<table><td>a</td></table>", row, row, cell, "a"]);
        let rows = "<tr><td>a<tr><td>b";
        let expected = [&format!("<table>{rows}"), rows, "<tr><td>a", "<td>a", "a", "<tr><td>b", "<td>b", "b"];
        spans(&format!("<table>{rows}"), &expected);
    }

    #[test]
    fn labels_stand_in_their_tags() {
        spans("a<input type=submit value=b>c", &["a", "<input type=submit value=b>", "", "c"]);
    }

    #[test]
    fn children_and_ancestors_are_those_around() {
        let (_, tree) = read::<Tree>("<div>a<ul><li>b<li>c</ul></div>d");
        let div: Vec<usize> = tree.children(1).collect();
        assert_eq!(div.iter().map(|&node| tree.name(node)).collect::<Vec<_>>(), ["", "ul"]);
        let deepest = tree.run_at(2).expect("a run");
        let around: Vec<&str> = tree.ancestors(deepest).map(|node| tree.name(node)).collect();
        assert_eq!(around, ["li", "ul", "div", "body"]);
        assert_eq!((tree.ancestors(0).count(), tree.children(deepest).count()), (0, 0));
    }

    #[test]
    fn texts_reach_from_the_first_run_to_the_last() {
        let (text, tree) = read::<Tree>("<div><p>a</p><img><p>b</p><i></i></div><p></p>c<b>");
        let of = |name: &str| -> Vec<&str> {
            let named = (0..tree.len()).filter(|&node| tree.name(node) == name);
            named.map(|node| &text[tree.text(node)]).collect()
        };
        assert_eq!(
            ["body", "div", "p", "img", "b"].map(of),
            [vec!["a\nb\nc"], vec!["a\nb"], vec!["a", "b", ""], vec![""], vec![""]]
        );
    }

    #[test]
    fn titles_are_those_of_the_page() {
        let title = |html: &str| read::<Tree>(html).1.title().to_owned();
        assert_eq!(title("<title> A &amp; b </title>"), "A & b");
        assert_eq!(title("<head><meta property=og:title content=c><title>a</title></head>b"), "a c");
        assert_eq!(title("<meta name=OG:TITLE content=' c '><meta property=og:title content=d>"), "c");
        assert_eq!(title("<meta property=og:title><meta name=title content=a><p>b"), "");
        assert_eq!(title("<meta property=og:title content=' '><meta property=' og:title ' content=a><p>b"), "a");
        assert_eq!(title("<title></title><title>a</title><title>b</title>"), "a");
        assert_eq!(title("<svg><title>a</title></svg><div><title>b</title></div>"), "");
        assert_eq!(title("<title>never ended"), "never ended");
    }

    /// The runs of a page, each with its path. A bar separates runs of different blocks.
    fn with_paths(html: &str) -> String {
        let (text, tree) = read::<Tree>(html);
        let mut shown = String::new();
        let mut before = None;
        for run in tree.runs() {
            shown += match before.replace(tree.kind(run)) {
                Some(before) if before != tree.kind(run) => " | ",
                Some(_) => " ",
                None => "",
            };
            shown += &format!("{}:{}", tree.path(run), &text[tree.text(run)]);
        }
        shown
    }

    #[track_caller]
    fn has(html: &str, expected: &str) {
        assert_eq!(with_paths(html), expected, "{html}");
    }

    #[test]
    fn runs_have_paths_and_blocks() {
        has("<div>a<ul><li><a>b</a> c<li>d</ul></div>", "div:a | div/ul/li/a:b div/ul/li:c | div/ul/li:d");
        has("a<!-- -->b<?x?>c</b>d<img>e<wbr>f&amp;g", ":a :b :c :d :e :f&g");
        has("<p>a<br>b<hr>c", "p:a | p:b | :c");
        has("a<script>x</script>b<div hidden>y</div>c", ":a :b :c");
        has("<body><p>a</body>b", "p:a p:b");
        let row = "table/tbody/tr/td:";
        has("<table><tr><td>a<td>b<i>c</table>d", &format!("{row}a | {row}b table/tbody/tr/td/i:c | :d"));
        has("<table><tbody><tr><td>a</td></tr></tbody></table>", &format!("{row}a"));
        has("<table><td>a<td>b<br>c", &format!("{row}a | {row}b | {row}c"));
        has("<form>a<input type=submit value='b &amp; c'>d", "form:a form/input:b & c form:d");
    }

    #[test]
    fn broken_markup_has_paths_too() {
        has("<div><p>a<p>b</div>c", "div/p:a | div/p:b | :c");
        has("<b>a<p>b</b>c</p>d", "b:a | b/p:b b/p:c | b:d");
        has("<p><b>a</p><p>c", "p/b:a | p:c");
        has("<ul><li>a</ul></div></li>b", "ul/li:a | :b");
        has("<a>b<a>c", "a:b a:c");
        has("<table>a<tr>b<td>c</table>", "table:a | table/tbody/tr:b | table/tbody/tr/td:c");
        has("<b hidden>a<p>b</b>c</p>d", "b/p:c | b:d");
    }

    /// The hashes of the paths of the runs.
    fn path_hashes_of_runs(html: &str) -> Vec<u64> {
        let (_, tree) = read::<Tree>(html);
        let hashes = tree.path_hashes();
        tree.runs().map(|run| hashes[run]).collect()
    }

    #[test]
    fn unknown_names_count_but_are_not_in_paths() {
        has("<x-share>a</x-share><x-like>b</x-like><math><mi>c</mi><mrow>d", "*:a *:b math/mi:c math/*:d");
        let paths = path_hashes_of_runs("<x-share>a</x-share><x-like>b</x-like><x-share>c");
        assert!(paths[0] != paths[1] && paths[0] == paths[2]);
    }

    #[test]
    fn equal_paths_have_equal_hashes() {
        let paths = path_hashes_of_runs("<ul><li><a>a</a> b<li><a>c</a></ul><ul><li>d</ul><ol><li>e</ol>");
        assert!(paths[0] == paths[2] && paths[1] == paths[3] && paths[3] != paths[4]);
    }

    #[test]
    fn paths_have_the_same_hash_forever() {
        let paths = ["a", "<div>a", "<div><ul><li>a", "<x-share>a"].map(|html| path_hashes_of_runs(html)[0]);
        assert_eq!(paths, [0, 0x1192_2bc7_82c4_a20b, 0x6987_19e0_5366_8e9b, 0xf57e_4549_0d0d_b799]);
    }

    #[test]
    fn places_have_runs() {
        let (text, tree) = read::<Tree>("<p>one <b>two</b> three");
        assert_eq!(text, "one two three");
        let path_at = |at: usize| tree.path(tree.run_at(at).expect("a run"));
        assert_eq!([0, 3, 4, 7, 12].map(path_at), ["p", "p", "p/b", "p/b", "p"]);
        assert_eq!(read::<Tree>("<p>").1.run_at(0), None);
    }

    #[test]
    fn of_a_deep_path_the_last_names_are_told() {
        let path = |depth| with_paths(&("<div>".repeat(depth) + "<p>a"));
        let named = |count| vec!["div"; count].join("/") + "/p:a";
        assert_eq!(path(MAX_NAMES - 1), named(MAX_NAMES - 1));
        assert_eq!(path(MAX_NAMES), format!("…/{}", named(MAX_NAMES - 1)));
        assert_eq!(path(60_000), path(MAX_NAMES));
    }

    #[test]
    fn subtrees_have_the_same_hash_forever() {
        let page = "<p>a  b</p><a href=/c title=d>e</a><img src=f alt=g><x-h><input type=submit value=i></x-h>";
        let (text, tree) = read::<Tree>(page);
        let children: Vec<u64> = tree.children(0).map(|child| tree.subtree_hashes(&text)[child]).collect();
        let expected = [0x57bb_61e4_3d38_48c9, 0x5c27_8e4e_5acf_a07b, 0x2f32_aab5_da27_e1e4, 0x152f_3f56_d4a1_5eda];
        assert_eq!(children, expected);
    }

    #[test]
    fn what_is_content_counts_in_hashes() {
        let hash = |html: &str| {
            let (text, tree) = read::<Tree>(html);
            tree.subtree_hashes(&text)[0]
        };
        let first = hash("<p class=a id=b>c <i>d</i></p>");
        assert_eq!(first, hash("<div hidden>x</div><P\nclass=z>\n c<!-- -->\n<i>d<script>y</script>"));
        assert_eq!(hash("<pre>a  b\n</pre>"), hash("<pre> a\tb</pre>"));
        assert_eq!(hash("<a href=b rel=c>d"), hash("<a rel=e href='b'>d</a>"));
        let others =
            ["<p>c <b>d</b>", "<p>c</p><i>d</i>", "<p><i>d</i> c", "<p>c <i>e</i>", "<p>cd", "<p>c<i>d</i><img>"];
        assert!(others.iter().all(|other| hash(other) != first));
        let values = ["href=b", "src=b", "alt=b", "action=b", "value=b", "href=bc", "href", "title=b"];
        let mut hashes = values.map(|value| hash(&format!("<p {value}>")));
        hashes.sort_unstable();
        assert!(hashes.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn trees_of_hostile_pages_grow_with_the_pages() {
        let many = |piece: &str| piece.repeat(100_000);
        for (page, nodes) in [
            (many("<div>"), 100_000),
            (many("<p>x"), 200_000),
            (many("<b>x"), 200_000),
            (many("<x-a><img>"), 200_000),
            (many("<div hidden>") + "x", 0),
            (many("<div>") + &many("x<p>y</p></div>"), 400_000),
            (format!("<p {}>", many("class=x ")), 1),
            (format!("<p class='{}'>", many("x ")), 1),
        ] {
            let (text, tree) = read::<Tree>(&page);
            assert_eq!(tree.len(), 1 + nodes, "{}", &page[..20]);
            assert_eq!([tree.path_hashes().len(), tree.subtree_hashes(&text).len()], [tree.len(); 2]);
            assert!(tree.values.len() <= page.len() && tree.attributes.len() <= 1, "{}", &page[..20]);
        }
    }

    /// The content that the hash of a subtree covers.
    fn serialised(tree: &Tree, text: &str, node: usize) -> String {
        if tree.kind(node) != NodeKind::Element {
            return format!("{:?}", text[tree.text(node)].split_ascii_whitespace().collect::<Vec<_>>());
        }
        let content = [Attribute::Href, Attribute::Src, Attribute::Alt, Attribute::Action, Attribute::Value];
        let values = content.map(|attribute| tree.attribute(node, attribute));
        let children: Vec<String> = tree.children(node).map(|child| serialised(tree, text, child)).collect();
        format!("{} {values:?} {children:?}", tree.name(node))
    }

    #[track_caller]
    fn hashes_tell_subtrees_apart(html: &str) {
        let (text, tree) = read::<Tree>(html);
        let hashes = tree.subtree_hashes(&text);
        let nodes: Vec<(u64, String)> =
            (0..tree.len()).map(|node| (hashes[node], serialised(&tree, &text, node))).collect();
        for (hash, node) in &nodes {
            assert!(nodes.iter().all(|(other, content)| (hash == other) == (node == content)), "{html:?}");
        }
    }

    #[test]
    fn hashes_tell_the_subtrees_of_a_mess_apart() {
        hashes_tell_subtrees_apart(MESS);
    }

    proptest! {
        #[test]
        fn hashes_tell_any_subtrees_apart(
            pieces in prop::collection::vec(prop::sample::select([MARKUP, VALUES].concat()), 0..40)
        ) {
            hashes_tell_subtrees_apart(&pieces.concat());
        }
    }

    const VALUES: &[&str] =
        &["<a href=x>", "<a href=>", "<a class=x>", "<img src=x>", "<img alt=x>", "<input value=x>", "<form action=x>"];
}
