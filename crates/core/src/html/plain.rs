//! A page reduced to the elements that Markdown has.
//!
//! Takes the tree of a page and cuts in its visible text. Returns the text that is kept as plain, well-formed HTML:
//! paragraphs, headings, lists, quotes, code, tables of short cells, links, pictures and emphasis. All else of the
//! markup is left out. Elements are closed where they must be, and nested at most [`MOST_NESTED`] deep, so that any
//! program can read the result in linear time.

use std::ops::Range;

use oxiri::{Iri, IriRef};

use super::emptied::{beside_alt_texts, emptied, kept, run_of_replacement};
use super::tree::{Attribute, NodeKind, Tree};
use crate::cut::Cut;

/// Maximum number of lists, entries and quotes around a paragraph. Deeper ones are left out, and their text is written
/// as paragraphs.
const MOST_NESTED: usize = 24;

/// Markdown pads the cells of a column to the same width. A table that would become this many times larger is written
/// as paragraphs.
const MOST_PADDED: usize = 64;

/// The page without the cuts, as plain HTML. `address` is the address of the page, from which relative links start.
pub(super) fn plain(text: &str, tree: &Tree, cuts: &[Cut], address: Option<&str>) -> String {
    let cuts = &*beside_alt_texts(tree, cuts);
    let mut page = Plain::new(text, tree, cuts, address);
    // Markdown has no cells that span rows, so `emptied` need not know which cells of the page do.
    let emptied = emptied("", text, tree, cuts);
    let (mut gone, mut node) = (emptied.iter().peekable(), 1);

    let mut open: Vec<Open> = Vec::new();
    while node < tree.len() {
        while let Some(last) = open.pop_if(|last| last.end <= node) {
            page.close(last.element);
        }
        if gone.next_if_eq(&&node).is_some() {
            page.part(node);
            node = tree.end(node);
            continue;
        }
        match tree.kind(node) {
            NodeKind::Text(_) => page.run(node),
            NodeKind::Element => open.push(Open { end: tree.end(node), element: page.open(node) }),
        }
        node += 1;
    }

    open.into_iter().rev().for_each(|last| page.close(last.element));
    page.end_flow();
    page.end_table();
    page.end_containers(0);
    page.html
}

/// An element of the page that is open, and the node after the last one inside it.
struct Open {
    end: usize,
    element: Element,
}

/// The meaning of an element of the page in Markdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    /// Nothing.
    Other,
    /// A block: the text before and after it is in other paragraphs.
    Block,
    Heading,
    Preformatted,
    /// A list, an entry or a quote, with the number of those around it.
    Container(usize),
    Table,
    Row,
    Cell,
    Link,
    Strong,
    Emphasis,
    Code,
}

/// A list, an entry or a quote that is open.
struct Container {
    name: &'static str,
    /// Whether it is an entry that the page does not have. It was added around something directly in a list.
    is_implied: bool,
}

/// The kind of the paragraph that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    None,
    /// The name of the element. Empty for the first paragraph of an entry.
    Text(&'static str),
    Preformatted,
    Cell(&'static str),
}

/// The marks of text inside a paragraph, from the outermost to the innermost.
#[derive(Clone, Default, PartialEq, Eq)]
struct Marks {
    /// The node of the link.
    link: Option<usize>,
    is_strong: bool,
    is_emphasis: bool,
    is_code: bool,
}

impl Marks {
    /// The marks in the order in which they are nested, each with the name of its element. An open link has its node,
    /// another open mark 0.
    fn outermost_first(&self) -> [(Option<usize>, &'static str); 4] {
        let mark = |is_open: bool| is_open.then_some(0);
        let inner = [(self.is_strong, "strong"), (self.is_emphasis, "em"), (self.is_code, "code")];
        let [strong, emphasis, code] = inner.map(|(is_open, name)| (mark(is_open), name));
        [(self.link, "a"), strong, emphasis, code]
    }
}

/// The plain page while it is written.
struct Plain<'a> {
    html: String,
    text: &'a str,
    tree: &'a Tree,
    cuts: &'a [Cut<'a>],
    base: Option<Iri<String>>,
    /// For each node, whether it is a table that can be written as a table.
    tables: Vec<bool>,
    /// The runs that show replacements.
    replacements: Vec<(usize, &'a str)>,
    /// The containers that are open, the innermost last.
    containers: Vec<Container>,
    /// Number of containers that are written, from the outermost on. The others have no content yet.
    written_containers: usize,
    flow: Flow,
    /// The end of the text that was written last. `None` if a paragraph has only pictures so far.
    at: Option<usize>,
    /// The heading that is open.
    heading: Option<&'static str>,
    /// The preformatted block that is open.
    preformatted: Option<usize>,
    /// Whether a table of the page is open that can be written as a table, whether its start is written, and whether it
    /// has a row.
    is_in_table: bool,
    is_table_begun: bool,
    has_row: bool,
    /// Whether a row is open.
    is_in_row: bool,
    /// The link that is open.
    link: Option<usize>,
    /// Number of open elements of each kind.
    strong: usize,
    emphasis: usize,
    code: usize,
    /// The marks that are open in the plain page.
    written: Marks,
}

impl<'a> Plain<'a> {
    fn new(text: &'a str, tree: &'a Tree, cuts: &'a [Cut<'a>], address: Option<&str>) -> Plain<'a> {
        let replacing = cuts.iter().filter(|cut| !cut.replacement.trim().is_empty());
        let shown = |cut: &Cut<'a>| run_of_replacement(tree, cut).map(|run| (run, cut.replacement));
        Plain {
            html: String::with_capacity(text.len()),
            text,
            tree,
            cuts,
            base: base(tree, address),
            tables: tables(tree),
            replacements: replacing.filter_map(shown).collect(),
            containers: Vec::new(),
            written_containers: 0,
            flow: Flow::None,
            at: None,
            heading: None,
            preformatted: None,
            is_in_table: false,
            is_table_begun: false,
            has_row: false,
            is_in_row: false,
            link: None,
            strong: 0,
            emphasis: 0,
            code: 0,
            written: Marks::default(),
        }
    }

    fn open(&mut self, node: usize) -> Element {
        self.part(node);
        let is_in_cell = matches!(self.flow, Flow::Cell(_));
        match self.tree.name(node) {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if is_in_cell || self.preformatted.is_some() => Element::Block,
            name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                const NAMES: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
                self.heading = NAMES.into_iter().find(|known| *known == name);
                Element::Heading
            }
            "pre" | "listing" | "xmp" | "plaintext" if !is_in_cell && self.preformatted.is_none() => {
                self.preformatted = Some(node);
                Element::Preformatted
            }
            "table" if self.tables[node] && self.preformatted.is_none() => {
                self.is_in_table = true;
                Element::Table
            }
            "tr" if self.is_in_table => {
                self.open_row();
                Element::Row
            }
            "td" | "th" if self.is_in_table => {
                self.end_cell();
                self.open_cell();
                Element::Cell
            }
            _ if self.is_in_table || self.preformatted.is_some() => self.open_inline(node),
            "ul" | "menu" | "dir" => self.open_container("ul"),
            "ol" => self.open_container("ol"),
            "blockquote" => self.open_container("blockquote"),
            "li" => self.open_entry(),
            _ => self.open_inline(node),
        }
    }

    fn open_inline(&mut self, node: usize) -> Element {
        match self.tree.name(node) {
            "a" if self.link.is_none() && self.address(node, Attribute::Href).is_some() => {
                self.link = Some(node);
                Element::Link
            }
            "b" | "strong" => {
                self.strong += 1;
                Element::Strong
            }
            "i" | "em" => {
                self.emphasis += 1;
                Element::Emphasis
            }
            "code" | "tt" | "kbd" | "samp" => {
                self.code += 1;
                Element::Code
            }
            "img" => {
                self.picture(node);
                Element::Other
            }
            _ if self.tree.is_block(node) => Element::Block,
            _ => Element::Other,
        }
    }

    fn close(&mut self, element: Element) {
        match element {
            Element::Other => {}
            Element::Block => self.end_flow(),
            Element::Heading => {
                self.end_flow();
                self.heading = None;
            }
            Element::Preformatted => {
                self.end_flow();
                self.preformatted = None;
            }
            Element::Container(around) => {
                self.end_flow();
                self.end_containers(around);
            }
            Element::Table => {
                self.end_flow();
                self.end_table();
                self.is_in_table = false;
            }
            Element::Row => self.close_row(),
            Element::Cell => self.end_cell(),
            Element::Link => self.link = None,
            Element::Strong => self.strong -= 1,
            Element::Emphasis => self.emphasis -= 1,
            Element::Code => self.code -= 1,
        }
    }

    /// Ends the paragraph if an element is a block.
    fn part(&mut self, node: usize) {
        if self.tree.is_block(node) {
            self.end_flow();
        }
    }

    fn open_container(&mut self, name: &'static str) -> Element {
        let around = self.containers.len();
        if around >= MOST_NESTED {
            return Element::Block;
        }
        self.imply_entry();
        self.containers.push(Container { name, is_implied: false });
        Element::Container(around)
    }

    fn open_entry(&mut self) -> Element {
        if self.containers.last().is_some_and(|last| last.is_implied) {
            self.end_containers(self.containers.len() - 1);
        }
        if !self.is_in_list() {
            return Element::Block;
        }
        self.containers.push(Container { name: "li", is_implied: false });
        Element::Container(self.containers.len() - 1)
    }

    /// Opens an entry if something stands directly in a list.
    fn imply_entry(&mut self) {
        if self.is_in_list() {
            self.containers.push(Container { name: "li", is_implied: true });
        }
    }

    /// Whether the innermost container is a list.
    fn is_in_list(&self) -> bool {
        self.containers.last().is_some_and(|last| last.name == "ul" || last.name == "ol")
    }

    /// Starts the open containers that are not written yet. Returns whether the next block is the first in its
    /// container.
    fn begin_block(&mut self) -> bool {
        self.end_table();
        self.imply_entry();
        let is_first = self.written_containers < self.containers.len();
        for container in &self.containers[self.written_containers..] {
            self.html.extend(["<", container.name, ">"]);
        }
        self.written_containers = self.containers.len();
        is_first
    }

    /// Ends the innermost containers, until this number of them is open.
    fn end_containers(&mut self, number: usize) {
        while self.containers.len() > number
            && let Some(last) = self.containers.pop()
        {
            if self.written_containers > self.containers.len() {
                self.tag("</", last.name);
                self.written_containers = self.containers.len();
            }
        }
    }

    fn open_row(&mut self) {
        if !self.is_table_begun {
            self.begin_block();
            self.html.push_str("<table>");
            (self.is_table_begun, self.has_row) = (true, false);
        }
        self.is_in_row = true;
        self.html.push_str(if self.has_row { "<tr>" } else { "<thead><tr>" });
    }

    fn open_cell(&mut self) {
        let name = if self.has_row { "td" } else { "th" };
        self.tag("<", name);
        self.flow = Flow::Cell(name);
    }

    fn close_row(&mut self) {
        self.end_cell();
        self.is_in_row = false;
        self.html.push_str(if self.has_row { "</tr>" } else { "</tr></thead><tbody>" });
        self.has_row = true;
    }

    fn end_cell(&mut self) {
        self.mark(&Marks::default());
        if let Flow::Cell(name) = std::mem::replace(&mut self.flow, Flow::None) {
            self.tag("</", name);
        }
    }

    fn end_table(&mut self) {
        if std::mem::take(&mut self.is_table_begun) {
            self.html.push_str("</tbody></table>");
        }
    }

    /// Ends the paragraph. In a cell, only a space separates paragraphs.
    fn end_flow(&mut self) {
        match self.flow {
            Flow::None | Flow::Cell(_) => return,
            Flow::Text(name) => {
                self.mark(&Marks::default());
                if !name.is_empty() {
                    self.tag("</", name);
                }
            }
            Flow::Preformatted => self.html.push_str("</code></pre>"),
        }
        self.flow = Flow::None;
    }

    /// Opens a paragraph if none is open.
    fn open_flow(&mut self) {
        if self.flow != Flow::None {
            return;
        }
        if self.is_in_row {
            return self.open_cell();
        }

        let is_first = self.begin_block();
        let is_entry = self.containers.last().is_some_and(|last| last.name == "li");
        self.flow = match (self.preformatted, self.heading) {
            (Some(node), _) => {
                let language = self.language(node).map(|name| format!(" class=\"language-{}\"", escaped(name)));
                self.html.push_str(&format!("<pre><code{}>", language.unwrap_or_default()));
                Flow::Preformatted
            }
            (None, Some(heading)) => Flow::Text(heading),
            (None, None) if is_entry && is_first => Flow::Text(""),
            (None, None) => Flow::Text("p"),
        };

        if let Flow::Text(name) = self.flow
            && !name.is_empty()
        {
            self.tag("<", name);
        }
    }

    /// Writes a run of text.
    fn run(&mut self, run: usize) {
        let range = self.tree.text(run);
        let replacements = self.replacements.partition_point(|&(at, _)| at <= run);
        let replacement: String = self.replacements.drain(..replacements).map(|(_, text)| text).collect();
        let parts: Vec<Range<usize>> = kept(&range, self.cuts).collect();
        let is_blank = parts.iter().all(|part| self.text[part.clone()].trim().is_empty()) && replacement.is_empty();
        if is_blank && self.flow == Flow::None {
            return;
        }

        let is_parted = self.flow != Flow::None;
        self.open_flow();
        if is_parted {
            self.gap(range.start);
        }

        let is_picture = self.tree.is_alt_text(run) && replacement.is_empty();
        let picture = self.tree.parent(run).filter(|_| is_picture).and_then(|node| self.picture_tag(node));
        let marks = match &picture {
            Some(_) => Marks { link: self.link, ..Marks::default() },
            None => Marks {
                link: self.link,
                is_strong: self.strong > 0,
                is_emphasis: self.emphasis > 0,
                is_code: self.code > 0,
            },
        };
        if self.flow != Flow::Preformatted && !is_blank {
            self.mark(&marks);
        }

        self.html.push_str(&escaped(&replacement));
        match picture {
            Some(tag) => self.html.push_str(&tag),
            None => parts.into_iter().for_each(|part| self.html.push_str(&escaped(&self.text[part]))),
        }
        self.at = Some(range.end);
    }

    /// Writes the white space between the text that was written last and the text at this position.
    fn gap(&mut self, start: usize) {
        let Some(at) = self.at else { return self.html.push(' ') };
        let between: String = kept(&(at.min(start)..start), self.cuts).map(|part| &self.text[part]).collect();
        let ends_line = between.contains('\n');
        match self.flow {
            Flow::Preformatted => {
                let blank = between.chars().filter(|char| char.is_whitespace());
                self.html.extend(blank);
            }
            Flow::Text(name) if ends_line && !name.starts_with('h') => {
                self.mark(&Marks::default());
                self.html.push_str("<br>");
            }
            _ if between.contains(char::is_whitespace) => self.html.push(' '),
            _ => {}
        }
    }

    /// Closes and opens elements so that the text that follows has these marks.
    fn mark(&mut self, marks: &Marks) {
        let was = std::mem::replace(&mut self.written, marks.clone());
        let (was, new) = (was.outermost_first(), marks.outermost_first());
        let same = was.iter().zip(&new).take_while(|(was, new)| was == new).count();
        let ended = was[same..].iter().rev().filter(|(node, _)| node.is_some());
        ended.for_each(|(_, name)| self.html.extend(["</", name, ">"]));
        for (node, name) in &new[same..] {
            let Some(node) = node else { continue };
            match self.address(*node, Attribute::Href).filter(|_| *name == "a") {
                Some(address) => self.html.push_str(&format!("<a href=\"{}\">", escaped(&address))),
                None => self.tag("<", name),
            }
        }
    }

    /// Writes a picture, if it has a text. Others are decoration.
    fn picture(&mut self, node: usize) {
        // If its `alt` text is text, the picture is written with the run of this text.
        let is_run = self.tree.end(node) > node + 1;
        if let Some(tag) = self.picture_tag(node).filter(|_| !is_run) {
            match self.flow {
                Flow::None => self.at = None,
                // A picture separates words.
                _ if !self.html.ends_with([' ', '>']) => self.html.push(' '),
                _ => {}
            }
            self.open_flow();
            let marks = Marks { link: self.link, ..Marks::default() };
            self.mark(&marks);
            self.html.push_str(&tag);
        }
    }

    /// The tag of a picture that has a text and an address.
    fn picture_tag(&self, node: usize) -> Option<String> {
        let text = self.tree.attribute(node, Attribute::Alt).map(str::trim).filter(|text| !text.is_empty())?;
        let address = self.address(node, Attribute::Src).filter(|_| self.preformatted.is_none())?;
        // A bracket would end the text in Markdown, and htmd does not escape it there.
        let text = text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        Some(format!("<img src=\"{}\" alt=\"{}\">", escaped(&address), escaped(&text)))
    }

    /// The address in an attribute, absolute if the page has an address. `None` if it is empty, or is a script or data.
    fn address(&self, node: usize, attribute: Attribute) -> Option<String> {
        let written: String =
            self.tree.attribute(node, attribute)?.trim().chars().filter(|c| !c.is_control()).collect();
        let scheme = written.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if written.is_empty() || scheme.is_some_and(|scheme| scheme == "javascript" || scheme == "data") {
            return None;
        }
        Some(resolved(self.base.as_ref(), &written))
    }

    /// The programming language of code, if a class names it.
    fn language(&self, node: usize) -> Option<&'a str> {
        let inside = Some(node + 1).filter(|&inside| inside < self.tree.end(node));
        let classes =
            [Some(node), inside].into_iter().flatten().filter_map(|node| self.tree.attribute(node, Attribute::Class));
        let mut names = classes.flat_map(str::split_ascii_whitespace);
        names.find_map(|name| name.strip_prefix("language-").or_else(|| name.strip_prefix("lang-")))
    }

    fn tag(&mut self, start: &str, name: &str) {
        self.html.extend([start, name, ">"]);
    }
}

/// The address from which the relative links of a page start.
pub(super) fn base(tree: &Tree, address: Option<&str>) -> Option<Iri<String>> {
    let address = address.and_then(|address| Iri::parse(address.to_owned()).ok());
    match tree.base() {
        Some(base) => Iri::parse(resolved(address.as_ref(), base.trim())).ok().or(address),
        None => address,
    }
}

/// A function that takes the address in a link of a page. It returns the absolute address if the page has an address
/// or a `<base>`, else the one that it takes.
pub fn link_resolver(tree: &Tree, address: Option<&str>) -> impl Fn(&str) -> String {
    let base = base(tree, address);
    move |link| {
        let written: String = link.trim().chars().filter(|c| !c.is_control()).collect();
        resolved(base.as_ref(), &written)
    }
}

/// A link as an absolute address, if there is a base, else as it is.
pub(super) fn resolved(base: Option<&Iri<String>>, link: &str) -> String {
    base.map_or_else(|| link.to_owned(), |base| base.resolve_unchecked(&IriRef::parse_unchecked(link)).into_inner())
}

/// For each node, whether it is a table that is possible in Markdown: without a table inside, with at least 2 rows and
/// 2 columns, and with cells of similar length.
fn tables(tree: &Tree) -> Vec<bool> {
    let mut holds_table = vec![false; tree.len()];
    let mut tables = vec![false; tree.len()];
    for node in (1..tree.len()).rev() {
        let is_table = tree.name(node) == "table";
        tables[node] = is_table && !holds_table[node] && is_even(tree, node);
        holds_table[tree.parent(node).unwrap_or(0)] |= is_table || holds_table[node];
    }
    tables
}

fn is_even(tree: &Tree, table: usize) -> bool {
    let (mut rows, mut columns, mut cells, mut longest) = (0, 0, 0, 0);
    for node in table + 1..tree.end(table) {
        match tree.name(node) {
            "tr" => (rows, cells) = (rows + 1, 0),
            "td" | "th" => {
                cells += 1;
                columns = columns.max(cells);
                longest = longest.max(tree.text(node).len());
            }
            _ => {}
        }
    }
    let padded = rows * columns * (longest + 3);
    columns > 1 && rows > 1 && padded <= MOST_PADDED * (tree.text(table).len() + MOST_PADDED)
}

/// A text, escaped for HTML, also for the values of attributes in double quotes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            // A page cannot show this character.
            '\0' => {}
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(char),
        }
    }
    escaped
}
