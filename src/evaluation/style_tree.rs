//! Site style trees (Yi, Liu, Li, "Eliminating Noisy Information in Web Pages for Data Mining", KDD 2003), as far as
//! needed to measure their size.
//!
//! A tree represents the pages of a site. An element node stands for elements with the same name and attributes at the
//! same place. A style node stands for a sequence of child elements. Pages with the same sequence share the style node,
//! and are compared inside each of its elements. Another sequence is another style node with its own subtree.

use std::hash::{Hash, Hasher};

use html5gum::{DefaultEmitter, HtmlString, Spanned, StartTag, Token, Tokenizer};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// The attributes for the look of an element. Elements with different values are different.
const DISPLAYED: [&[u8]; 12] = [
    b"align",
    b"background",
    b"bgcolor",
    b"border",
    b"class",
    b"color",
    b"face",
    b"height",
    b"size",
    b"style",
    b"valign",
    b"width",
];
/// Elements without an end tag.
const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"frame", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"wbr",
];
/// Elements that end where a sibling of the same name begins.
const ENDED_BY_NEXT: [&[u8]; 8] = [b"dd", b"dt", b"li", b"option", b"p", b"td", b"th", b"tr"];
/// Elements whose content is not text of the page.
const SILENT: [&[u8]; 3] = [b"noscript", b"script", b"style"];

/// The tree of a site.
///
/// ```
/// use dehusk::evaluation::style_tree::StyleTree;
///
/// let mut tree = StyleTree::default();
/// tree.add("<p>menu</p><div>one</div>");
/// tree.add("<p>menu</p><div>two</div>");
/// let size = tree.size();
/// assert_eq!((size.elements, size.styles, size.texts), (3, 1, 3));
/// ```
#[derive(Debug, Default)]
pub struct StyleTree {
    /// Number of element nodes without the root.
    elements: usize,
    /// From the parent element and the names of its children to the number of the first child. The others have the next
    /// numbers.
    styles: FxHashMap<(usize, u64), usize>,
    /// The texts directly inside elements.
    texts: FxHashSet<(usize, u64)>,
}

/// The size of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Element nodes, the root included.
    pub elements: usize,
    /// Style nodes.
    pub styles: usize,
    /// Number of different texts of each element. They are used to decide whether it is noise.
    pub texts: usize,
}

impl StyleTree {
    /// Adds a page.
    pub fn add(&mut self, html: &str) {
        let page = parse(html);
        let mut places = vec![(0, 0)];
        while let Some((place, element)) = places.pop() {
            let Element { texts, children, .. } = &page[element];
            self.texts.extend(texts.iter().map(|&text| (place, text)));
            if !children.is_empty() {
                let first = self.style(place, &page, children);
                places.extend((first..).zip(children.iter().copied()));
            }
        }
    }

    /// The size of the tree.
    pub fn size(&self) -> Size {
        Size { elements: self.elements + 1, styles: self.styles.len(), texts: self.texts.len() }
    }

    /// The first element of the style node for these children of an element.
    fn style(&mut self, place: usize, page: &[Element], children: &[usize]) -> usize {
        let names: Vec<u64> = children.iter().map(|&child| page[child].name).collect();
        let next = self.elements + 1;
        let first = *self.styles.entry((place, hash_of(&names))).or_insert(next);
        if first == next {
            self.elements += children.len();
        }
        first
    }
}

impl Size {
    /// Minimum size in memory, with eight-byte hashes for names and texts: for an element its hash and its styles, for
    /// a style its elements and its number of pages, for a text its hash and its number of pages.
    pub fn bytes(&self) -> usize {
        self.elements * 16 + self.styles * 12 + self.texts * 12
    }
}

/// An element of a page.
#[derive(Debug, Default)]
struct Element {
    /// A hash of its name and its look.
    name: u64,
    texts: Vec<u64>,
    children: Vec<usize>,
}

/// The elements of a page. The first contains all others. Much simpler than the HTML standard: elements end at their
/// end tags, or with the element around them.
fn parse(html: &str) -> Vec<Element> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut page = vec![Element::default()];
    let mut open: Vec<(HtmlString, usize)> = vec![(HtmlString::default(), 0)];
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        match token {
            Token::StartTag(tag) => start(&mut page, &mut open, tag),
            Token::EndTag(tag) => {
                if let Some(at) = open.iter().rposition(|(name, _)| *name == tag.name).filter(|&at| at > 0) {
                    open.truncate(at);
                }
            }
            Token::String(Spanned { value, .. }) => add_text(&mut page, &open, &value),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page
}

fn start(page: &mut Vec<Element>, open: &mut Vec<(HtmlString, usize)>, tag: StartTag<()>) {
    let name = tag.name.as_slice();
    if ENDED_BY_NEXT.contains(&name) && open.len() > 1 && open.last().is_some_and(|(last, _)| *last == tag.name) {
        open.pop();
    }
    let looks = tag.attributes.iter().filter(|(attribute, _)| DISPLAYED.contains(&attribute.as_slice()));
    let looks: Vec<(&[u8], &[u8])> = looks.map(|(name, value)| (name.as_slice(), value.value.as_slice())).collect();
    let number = page.len();
    page.push(Element { name: hash_of(&(name, looks)), ..Element::default() });
    if let Some(&(_, around)) = open.last() {
        page[around].children.push(number);
    }
    if !VOID.contains(&name) {
        open.push((tag.name, number));
    }
}

fn add_text(page: &mut [Element], open: &[(HtmlString, usize)], text: &[u8]) {
    let text = text.trim_ascii();
    match open.last() {
        Some((name, element)) if !text.is_empty() && !SILENT.contains(&name.as_slice()) => {
            page[*element].texts.push(hash_of(text));
        }
        _ => {}
    }
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of elements, styles and texts for these pages.
    fn size(pages: &[&str]) -> (usize, usize, usize) {
        let mut tree = StyleTree::default();
        pages.iter().for_each(|page| tree.add(page));
        let Size { elements, styles, texts } = tree.size();
        (elements, styles, texts)
    }

    #[test]
    fn equal_pages_share_everything() {
        let page = "<body><ul><li>a<li>b</ul><p class=x>c<br>d</p></body>";
        // Elements: the root, body, ul, two li, p and br. Styles: the children of the root, body, ul and p.
        assert_eq!(size(&[page]), (7, 4, 4));
        assert_eq!(size(&[page, page]), size(&[page]));
    }

    #[test]
    fn pages_differ_from_where_they_do() {
        assert_eq!(size(&["<ul><li>a</ul><p>b</p>", "<ul><li>a</ul><p>c</p>"]), (4, 2, 3), "another text");
        assert_eq!(size(&["<ul><li>a</ul><p>b</p>", "<ul><li>a<li>b</ul><p>b</p>"]), (6, 3, 4), "another list");
        assert_eq!(size(&["<ul><li>a</ul>", "<ul class=x><li>a</ul>"]), (5, 4, 2), "another look");
        assert_eq!(size(&["<a href=1>a</a>", "<a href=2>a</a>"]), (2, 1, 1), "the same look");
    }

    #[test]
    fn scripts_and_broken_markup_are_taken() {
        assert_eq!(size(&["<script>if (a<b) '</p>'</script></div>text<i"]), (2, 1, 1));
        let deep = "<div>".repeat(100_000);
        assert_eq!(size(&[&deep]), (100_001, 100_000, 0));
    }

    #[test]
    fn bytes_are_counted_by_the_rule() {
        assert_eq!(Size { elements: 2, styles: 1, texts: 3 }.bytes(), 80);
    }
}
