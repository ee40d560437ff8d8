//! Compares the tree with the one that html5ever makes of the same page, as browsers do.
//!
//! Three things are compared: the letters in order, the ends of blocks between them, and the elements around each
//! letter. For both, [`Tag`] and [`Look`] say which elements hide text and which are blocks.
//!
//! This reader differs on purpose in these ways, which the tests leave out:
//!
//! - A browser moves content between the cells of a table out of the table. Here it is left in its place. So [`Sink`]
//!   also leaves it there.
//! - A browser continues formatting in the next block if its end tag is missing, and ends other inline elements with
//!   it. So on random pages, only the blocks around the letters are compared.
//! - Tags in the wrong place show text here rather than hide it. So random pages have no elements that could hide text
//!   for longer than they should (`LEFT_OUT`), and no SVG and MathML, whose elements end with those around them.
//! - Pages without `<!DOCTYPE html>` are read like others. So all random pages have it.
//! - Names of more than 24 bytes are cut. No page here has one.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::{fs, iter};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute as Given, ExpandedName, QualName, ns, parse_document};

use proptest::prelude::*;

use super::look::Look;
use super::tags::Tag;
use super::tests::MARKUP;
use super::{Tree, read};

/// A visible letter and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Letter {
    letter: char,
    /// Whether a block ends between it and the letter before.
    starts_block: bool,
    /// The elements around it.
    path: Rc<str>,
}

/// The letters of a page. White space is left out, and so are U+0000 and the character that parsers write for it.
#[derive(Default)]
struct Letters {
    letters: Vec<Letter>,
    is_block_over: bool,
}

impl Letters {
    fn add(&mut self, text: &str, path: &Rc<str>) {
        for letter in text.chars().filter(|&char| !char.is_whitespace() && !char.is_control() && char != '\u{fffd}') {
            let starts_block = std::mem::take(&mut self.is_block_over) && !self.letters.is_empty();
            self.letters.push(Letter { letter, starts_block, path: Rc::clone(path) });
        }
    }
}

/// The letters as this reader shows them.
fn ours(html: &str) -> Vec<Letter> {
    let (text, tree) = read::<Tree>(html);
    let mut letters = Letters::default();
    let mut last = None;
    for run in tree.runs() {
        letters.is_block_over |= last.replace(tree.kind(run)).is_some_and(|last| last != tree.kind(run));
        let mut names: Vec<&str> = tree.ancestors(run).map(|node| tree.name(node)).collect();
        names.reverse();
        letters.add(&text[tree.text(run)], &names.join("/").into());
    }
    letters.letters
}

/// The letters of html5ever's tree.
fn theirs(html: &str) -> Vec<Letter> {
    let document = parse_document(Sink::default(), Default::default()).one(html);
    let mut letters = Letters::default();
    document.show("", &mut letters);
    letters.letters
}

/// A node: the document, an element, a text, or anything else that shows nothing.
#[derive(Default)]
struct Node {
    /// `None` if it is not an element.
    name: Option<QualName>,
    attributes: RefCell<Vec<Given>>,
    text: RefCell<String>,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Handle>>,
    /// The content of a template.
    content: Option<Handle>,
    /// Whether its end was read.
    is_closed: Cell<bool>,
}

type Handle = Rc<Node>;

impl Node {
    fn attribute(&self, name: &str) -> Option<String> {
        let attributes = self.attributes.borrow();
        let found = attributes.iter().find(|attribute| &*attribute.name.local == name)?;
        Some(found.value.to_string())
    }

    fn tag(&self) -> Tag {
        self.name.as_ref().map_or(Tag::Other, |name| Tag::of(name.local.as_bytes()))
    }

    fn is_html(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.ns == ns!(html))
    }

    /// Adds the letters that the element shows.
    fn show(&self, around: &str, letters: &mut Letters) {
        let tag = self.tag();
        let look = match self.attribute("hidden") {
            Some(_) => Look::Gone,
            None => self.attribute("style").map_or(Look::Shown, |style| Look::of_style(style.as_bytes())),
        };
        let is_shadow_root = self.attribute("shadowrootmode").is_some();
        let is_annotation = matches!(tag, Tag::Annotation | Tag::AnnotationXml);
        let is_unseen = match self.is_html() {
            true => tag.is_unseen() && !is_shadow_root,
            false => self.name.as_ref().is_some_and(|name| name.ns == ns!(svg)) || is_annotation,
        };
        let parts = self.is_html() && (tag.is_block() || tag.is_cell() || tag == Tag::Br);
        letters.is_block_over |= parts && look != Look::Gone;
        if look != Look::Shown || is_unseen {
            return;
        }

        let path: Rc<str> = match &self.name {
            Some(name) if !matches!(tag, Tag::Html | Tag::Body) => format!("{around}/{}", &*name.local).into(),
            Some(_) => "body".into(),
            None => around.into(),
        };

        letters.add(&self.text.borrow(), &path);
        if tag == Tag::Input && self.is_html() {
            let kinds = ["submit", "button", "reset"];
            let kind = self.attribute("type").unwrap_or_default();
            let label =
                self.attribute("value").filter(|_| kinds.iter().any(|button| kind.eq_ignore_ascii_case(button)));
            letters.add(&label.unwrap_or_default(), &path);
        }

        let content = self.content.iter().filter(|_| is_shadow_root).cloned();
        let children: Vec<Handle> = self.children.borrow().iter().cloned().chain(content).collect();
        children.iter().for_each(|child| child.show(&path, letters));
        letters.is_block_over |= parts;
    }

    fn is_text(&self) -> bool {
        self.name.is_none() && !self.text.borrow().is_empty()
    }
}

/// Builds the tree as html5ever says, except that nothing is moved out of tables.
#[derive(Default)]
struct Sink {
    document: Handle,
}

impl Sink {
    fn insert(&self, parent: &Handle, at: usize, child: NodeOrText<Handle>) {
        let mut children = parent.children.borrow_mut();
        let child = match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => {
                if let Some(before) = at.checked_sub(1).map(|at| &children[at]).filter(|before| before.is_text()) {
                    before.text.borrow_mut().push_str(&text);
                    return;
                }
                Rc::new(Node { text: RefCell::new(text.to_string()), ..Node::default() })
            }
        };
        *child.parent.borrow_mut() = Rc::downgrade(parent);
        children.insert(at, child);
    }

    fn place_of(&self, node: &Handle) -> Option<(Handle, usize)> {
        let parent = node.parent.borrow().upgrade()?;
        let at = parent.children.borrow().iter().position(|child| Rc::ptr_eq(child, node))?;
        Some((parent, at))
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Handle;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Handle {
        self.document
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.as_ref().expect("an element").expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Given>, flags: ElementFlags) -> Handle {
        let content = flags.template.then(Handle::default);
        Rc::new(Node { name: Some(name), attributes: RefCell::new(attributes), content, ..Node::default() })
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle::default()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle::default()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let end = parent.children.borrow().len();
        self.insert(parent, end, child);
    }

    fn append_based_on_parent_node(&self, table: &Handle, _: &Handle, child: NodeOrText<Handle>) {
        let mut innermost = Rc::clone(table);
        loop {
            let last = innermost.children.borrow().iter().rev().find(|child| child.name.is_some()).cloned();
            match last.filter(|last| last.tag().is_table_frame() && last.tag() != Tag::Table && !last.is_closed.get()) {
                Some(part) => innermost = part,
                None => break,
            }
        }
        self.append(&innermost, child);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &Handle) {
        node.is_closed.set(true);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.content.clone().expect("a template")
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        Rc::ptr_eq(x, y)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let Some((parent, at)) = self.place_of(sibling) {
            self.insert(&parent, at, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Given>) {
        let is_missing = |attribute: &Given| target.attribute(&attribute.name.local).is_none();
        let missing: Vec<Given> = attributes.into_iter().filter(is_missing).collect();
        target.attributes.borrow_mut().extend(missing);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some((parent, at)) = self.place_of(target) {
            parent.children.borrow_mut().remove(at);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let children = std::mem::take(&mut *node.children.borrow_mut());
        for child in children {
            self.append(new_parent, NodeOrText::AppendNode(child));
        }
    }
}

/// Markup that is read differently on purpose if tags are in the wrong places: hidden text may be shown here, a line
/// may end, and an end tag may end more.
const LEFT_OUT: [&str; 9] =
    ["<b hidden>", "<tr hidden>", "object>", "<select>", "<option>", "form>", "<svg>", "<math>", "</x"];

/// The letters, with paths that have only the blocks.
fn in_blocks(mut letters: Vec<Letter>) -> Vec<Letter> {
    let is_block = |name: &&str| matches!(Tag::of(name.as_bytes()), tag if tag.is_block() || tag.is_cell());
    for letter in &mut letters {
        let names: Vec<&str> = letter.path.split('/').filter(is_block).collect();
        letter.path = names.join("/").into();
    }
    letters
}

#[test]
fn pages_of_the_corpora_are_as_in_browsers() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/news");
    let entries = |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = entries(&corpora).filter(|path| path.is_dir()).flat_map(|source| entries(&source).collect::<Vec<_>>());
    let pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "html")).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for path in pages {
        let page = fs::read_to_string(&path).expect("a page");
        assert_eq!(ours(&page), theirs(&page), "{}", path.display());
    }
}

proptest! {
    #[test]
    fn any_markup_is_as_in_browsers(pieces in prop::collection::vec(prop::sample::select(MARKUP), 0..40)) {
        let compared = pieces.iter().filter(|piece| !LEFT_OUT.iter().any(|left_out| piece.contains(left_out)));
        // Without this, browsers are in a mode for old pages, in which a table does not end a paragraph.
        let page: String = iter::once(&"<!DOCTYPE html>").chain(compared).copied().collect();
        prop_assert_eq!(in_blocks(ours(&page)), in_blocks(theirs(&page)), "{}", page);
    }
}
