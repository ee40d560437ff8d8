//! The stack of open elements, as far as visible text depends on it.
//!
//! An element that hides its content must end where a browser ends it, also if its end tag is missing. This needs the
//! whole stack of the HTML standard. But every question is answered without a search: open elements of the same name
//! are linked, each element stores the nearest scope and wall around it, and hidden and `pre` elements are counted. A
//! position is a height, and the outermost element has height 1. So 0 means "none", and the nearest of several elements
//! has the greatest height.

use super::tags::Tag;

/// An element name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    pub(super) tag: Tag,
    /// Distinguishes names that are [`Tag::Other`].
    hash: u32,
}

impl Name {
    /// The name with the spelling `bytes`, in lower case. `len` is the length of the whole name, of which `bytes` may
    /// be only the start.
    pub(super) fn new(bytes: &[u8], len: usize) -> Self {
        let tag = if bytes.len() == len { Tag::of(bytes) } else { Tag::Other };
        let hash = if tag == Tag::Other { hash(bytes, len) } else { 0 };
        Name { tag, hash }
    }

    /// The name of a known element.
    pub(super) fn of(tag: Tag) -> Self {
        Name { tag, hash: 0 }
    }

    /// The name of the SVG or MathML element with this spelling. It is an unknown name, unlike that of the HTML
    /// element.
    pub(super) fn foreign(self) -> Self {
        Name { tag: Tag::Other, hash: !self.number() }
    }

    /// A number for the spelling of the name, which is the same in every version and on every system.
    pub(super) fn number(self) -> u32 {
        const OF_KNOWN: [u32; Tag::COUNT] = {
            let mut numbers = [0; Tag::COUNT];
            let mut tag = 0;
            while tag < Tag::COUNT {
                numbers[tag] = hash(Tag::NAMES[tag].as_bytes(), Tag::NAMES[tag].len());
                tag += 1;
            }
            numbers
        };
        match self.tag {
            Tag::Other => self.hash,
            known => OF_KNOWN[known as usize],
        }
    }

    /// The slot of the name in the stack. Each known name has its own, and the others share some.
    fn slot(self) -> usize {
        match self.tag {
            Tag::Other => Tag::COUNT + self.hash as usize % SHARED_SLOTS,
            known => known as usize,
        }
    }
}

/// An element to open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) name: Name,
    /// Whether the content of the element is hidden.
    pub(super) hides: bool,
    /// Whether the element is SVG or MathML.
    pub(super) foreign: bool,
}

impl Element {
    /// An element without a tag in the source.
    pub(super) fn implied(tag: Tag) -> Self {
        Element { name: Name::of(tag), hides: false, foreign: false }
    }

    fn is_wall(self) -> bool {
        let tag = self.name.tag;
        tag.is_wall() || self.foreign && tag.is_integration_point()
    }

    /// Whether text directly in the element is hidden. A browser moves text between the cells of a table out of the
    /// table. So only the cells of a table hide text.
    fn hides_text(self) -> bool {
        self.hides && !self.name.tag.is_table_frame()
    }
}

/// The open elements, the innermost last.
#[derive(Debug)]
pub(super) struct Stack {
    open: Vec<Open>,
    /// For each slot, the height of the innermost open element with such a name.
    nearest: [u32; Tag::COUNT + SHARED_SLOTS],
    hidden: usize,
    spaced: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    element: Element,
    /// The height of the next outer element whose name has the same slot; 0 for none.
    same: u32,
    /// The height of the innermost scope around the element, or of the element itself; 0 for none.
    scope: u32,
    /// The height of the innermost wall around the element, or of the element itself; 0 for none.
    wall: u32,
    /// Whether the element has ended while elements inside it are still open.
    ended: bool,
}

/// Number of slots that all unknown names share.
const SHARED_SLOTS: usize = 64;

/// Maximum number of open elements that are parts of one row: the row, its section and its table.
const MOST_ROW_PARTS: usize = 3;

/// Maximum number of elements that are compared in a chain. A name that is not among these counts as not open. This
/// keeps time linear.
const MOST_COMPARED: usize = 64;

/// Maximum depth. Beyond it, an element replaces the innermost open one. So memory is bounded. This can only hide less
/// text, not more.
const MOST_OPEN: usize = 1 << 16;

impl Stack {
    /// A stack with no element open.
    pub(super) fn new() -> Self {
        Stack { open: Vec::with_capacity(64), nearest: [0; Tag::COUNT + SHARED_SLOTS], hidden: 0, spaced: 0 }
    }

    /// Number of open elements.
    pub(super) fn height(&self) -> u32 {
        self.open.len() as u32
    }

    /// Whether the innermost element must be popped before another one is pushed.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MOST_OPEN
    }

    /// Whether the content of the innermost element is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden > 0
    }

    /// Whether white space in the innermost element is kept.
    pub(super) fn keeps_space(&self) -> bool {
        self.spaced > 0
    }

    /// The innermost open element.
    pub(super) fn top(&self) -> Option<&Element> {
        self.open.last().map(|open| &open.element)
    }

    /// The tag of the innermost open element.
    pub(super) fn top_tag(&self) -> Option<Tag> {
        self.top().map(|element| element.name.tag)
    }

    /// The height of the innermost scope; 0 for none.
    pub(super) fn scope(&self) -> u32 {
        self.open.last().map_or(0, |open| open.scope)
    }

    /// The height of the innermost wall, except walls that have ended; 0 for none.
    pub(super) fn wall(&self) -> u32 {
        let mut wall = self.wall_at(self.height());
        for _ in 0..MOST_COMPARED {
            match self.get(wall) {
                Some(open) if open.ended => wall = self.wall_at(wall - 1),
                _ => break,
            }
        }
        wall
    }

    /// The height of the innermost element with one of these tags; 0 for none.
    pub(super) fn nearest(&self, tags: &[Tag]) -> u32 {
        let heights = tags.iter().map(|&tag| self.nearest[tag as usize]);
        heights.max().unwrap_or(0)
    }

    /// The height of the innermost element of this name; 0 for none.
    pub(super) fn find(&self, name: Name) -> u32 {
        let mut at = self.nearest[name.slot()];
        for _ in 0..MOST_COMPARED {
            match self.get(at) {
                Some(open) if open.element.name != name => at = open.same,
                _ => return at,
            }
        }
        0
    }

    /// Opens an element.
    pub(super) fn push(&mut self, mut element: Element) {
        element.hides |= element.name.tag.is_cell() && self.is_row_hidden();
        let height = self.height() + 1;
        let slot = &mut self.nearest[element.name.slot()];
        let tag = element.name.tag;
        let open = Open {
            element,
            same: std::mem::replace(slot, height),
            scope: if tag.is_scope() { height } else { self.scope() },
            wall: if element.is_wall() { height } else { self.wall() },
            ended: false,
        };
        self.open.push(open);
        self.hidden += usize::from(element.hides_text());
        self.spaced += usize::from(tag.keeps_space());
    }

    /// Closes the innermost element. Returns its tag if its end is visible.
    pub(super) fn pop(&mut self) -> Option<Tag> {
        let height = self.height();
        let Open { element, same, ended, .. } = self.open.pop()?;
        let nearest = &mut self.nearest[element.name.slot()];
        if *nearest == height {
            *nearest = same;
        }
        if ended {
            return None;
        }
        let seen = !self.is_hidden() && !element.hides;
        self.uncount(element);
        seen.then_some(element.name.tag)
    }

    /// Ends an element but leaves the elements inside it open.
    pub(super) fn end_early(&mut self, at: u32) {
        let Some(open) = self.get_mut(at).filter(|open| !open.ended) else {
            return;
        };
        open.ended = true;
        let Open { element, same, .. } = *open;
        self.unlink(element.name.slot(), at, same);
        self.uncount(element);
    }

    /// The tag of the open element at a height.
    pub(super) fn tag_at(&self, at: u32) -> Option<Tag> {
        self.get(at).map(|open| open.element.name.tag)
    }

    /// Whether the innermost element is part of a row that is hidden with all its cells.
    pub(super) fn is_row_hidden(&self) -> bool {
        let parts = self.open.iter().rev().take(MOST_ROW_PARTS);
        let mut parts = parts.take_while(|open| open.element.name.tag.is_table_frame());
        parts.any(|open| open.element.hides)
    }

    fn wall_at(&self, at: u32) -> u32 {
        self.get(at).map_or(0, |open| open.wall)
    }

    fn get(&self, at: u32) -> Option<&Open> {
        self.open.get((at as usize).checked_sub(1)?)
    }

    fn get_mut(&mut self, at: u32) -> Option<&mut Open> {
        self.open.get_mut((at as usize).checked_sub(1)?)
    }

    fn uncount(&mut self, element: Element) {
        self.hidden -= usize::from(element.hides_text());
        self.spaced -= usize::from(element.name.tag.keeps_space());
    }

    /// Removes the element at `at` from the chain of its slot. `same` is the next one in the chain. An element far down
    /// the chain is not removed. Then, at worst, an end tag closes more than it should.
    fn unlink(&mut self, slot: usize, at: u32, same: u32) {
        let mut newer = 0;
        let mut link = self.nearest[slot];
        for _ in 0..MOST_COMPARED {
            if link <= at {
                break;
            }
            newer = link;
            link = self.get(link).map_or(0, |open| open.same);
        }
        match self.get_mut(newer) {
            _ if link != at => {}
            Some(open) => open.same = same,
            None => self.nearest[slot] = same,
        }
    }
}

/// The FNV-1a hash of a name. The length of the whole name is hashed as well.
const fn hash(bytes: &[u8], len: usize) -> u32 {
    let mut hash = 0x811c_9dc5 ^ len as u32;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> Element {
        Element { name: Name::new(name.as_bytes(), name.len()), hides: name.starts_with("hidden-"), foreign: false }
    }

    fn stack(names: &str) -> Stack {
        let mut stack = Stack::new();
        names.split(' ').for_each(|name| stack.push(element(name)));
        stack
    }

    #[test]
    fn the_nearest_of_a_name_is_found() {
        let mut stack = stack("div x-a p x-b div");
        assert_eq!(stack.nearest(&[Tag::Div]), 5);
        assert_eq!(stack.nearest(&[Tag::P, Tag::Table]), 3);
        assert_eq!(stack.find(element("x-a").name), 2);
        assert_eq!(stack.find(element("x-c").name), 0);
        stack.pop();
        assert_eq!(stack.nearest(&[Tag::Div]), 1);
    }

    #[test]
    fn names_in_the_same_slot_are_told_apart() {
        let names: Vec<_> = (0..50).map(|i| format!("x-{i}")).collect();
        let stack = stack(&names.join(" "));
        for (i, name) in names.iter().enumerate() {
            assert_eq!(stack.find(element(name).name), i as u32 + 1);
        }
    }

    #[test]
    fn scopes_and_walls_come_and_go() {
        let mut stack = stack("div td li div");
        assert_eq!((stack.scope(), stack.wall()), (2, 3));
        stack.pop();
        stack.pop();
        assert_eq!((stack.scope(), stack.wall()), (2, 2));
    }

    #[test]
    fn elements_can_end_before_those_within() {
        let mut stack = stack("hidden-x b hidden-y b i");
        assert!(stack.is_hidden());
        stack.end_early(2);
        assert_eq!(stack.nearest(&[Tag::B]), 4);
        stack.end_early(1);
        stack.end_early(1);
        assert!(stack.is_hidden());
        stack.end_early(3);
        assert!(!stack.is_hidden());
        (0..5).for_each(|_| _ = stack.pop());
        assert_eq!(stack.nearest(&[Tag::B, Tag::I]), 0);
        assert_eq!((stack.height(), stack.hidden), (0, 0));
    }

    #[test]
    fn only_cells_hide_text_in_a_table() {
        let mut stack = stack("table");
        stack.push(Element { hides: true, ..element("tr") });
        assert!(!stack.is_hidden());
        stack.push(element("td"));
        assert!(stack.is_hidden());
        stack.pop();
        assert!(!stack.is_hidden());
    }

    #[test]
    fn foreign_names_are_not_html_names() {
        let td = element("td").name;
        assert_ne!(td.foreign(), td);
        assert_eq!(td.foreign(), element("td").name.foreign());
        assert_ne!(td.foreign(), element("tr").name.foreign());
    }

    #[test]
    fn names_have_the_same_number_forever() {
        assert_eq!(element("div").name.number(), 0x562a_bf91);
        assert_eq!(element("x-share").name.number(), 0x81e7_42fc);
        assert_eq!(Element::implied(Tag::Div).name.number(), element("div").name.number());
    }
}
