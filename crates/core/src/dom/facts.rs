//! Facts about the nodes of a page: how much text, links, pictures and fields each of them holds.
//!
//! A fact of a node is a sum over the nodes inside it. Nodes are in preorder, so two prefix sums give it for any node.
//! Everything is computed in a few passes over nodes and text, in linear time and without recursion.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use crate::html::{Attribute, Boxes, NodeKind, Rect, Tree, estimated_boxes};

/// The area of a character of text, in square pixels, if no boxes are known.
const CHARACTER_AREA: f64 = 160.0;
/// Maximum length of a side of a picture, in pixels. A page can declare any size, so longer sides count as this long.
const LONGEST_SIDE: f64 = 10_000.0;
/// Maximum number of words of a title that count: one bit each.
const TITLE_WORDS: usize = 64;

/// A number of things inside a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Count {
    /// Words.
    Words,
    /// Words that start with a capital.
    Capitals,
    /// Words in sentences that end in their line.
    SentenceWords,
    /// Ends of sentences.
    Sentences,
    /// Characters that are digits.
    Digits,
    /// Runs of text.
    Runs,
    /// Links with visible content.
    Links,
    /// Links to the site of the page.
    IntraLinks,
    /// Words in links.
    LinkWords,
    /// Characters in links.
    LinkChars,
    /// `<img>`.
    Images,
    /// `<input>` and `<select>`.
    Inputs,
    /// `<form>`.
    Forms,
    /// `<option>`.
    Options,
    /// Characters in `<option>`.
    OptionChars,
    /// `<table>`, `<tr>` and `<td>`.
    TableParts,
    /// `<p>`.
    Paragraphs,
    /// `<li>` and `<td>`.
    Items,
}

const COUNTS: usize = Count::Items as usize + 1;

/// The summed area of things inside a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Area {
    /// Links.
    Links,
    /// `<img>`.
    Images,
    /// `<input>` and `<select>`.
    Inputs,
    /// `<form>`.
    Forms,
}

const AREAS: usize = Area::Forms as usize + 1;

/// The facts about all nodes of a page.
#[derive(Clone, Debug)]
pub struct Facts<'p> {
    tree: &'p Tree,
    boxes: Option<&'p Boxes>,
    /// For each node, the sums over all nodes before it.
    counts: Vec<[u32; COUNTS]>,
    /// For each node, the sums over all nodes before it.
    areas: Vec<[u64; AREAS]>,
    area: Vec<f64>,
    depth: Vec<u32>,
    /// For each run of text, how many characters there are before its start and before its end.
    chars: Vec<Range<u32>>,
    /// The words of the title that each node holds, one bit each.
    title: Vec<u64>,
    title_words: u32,
}

impl<'p> Facts<'p> {
    /// The facts about a page with this tree and visible text. `address` is the address of the page. Without it, the
    /// site to which most links lead counts as the page's site. Without boxes, areas are estimated from characters and
    /// from the sizes that pictures declare.
    pub fn of(tree: &'p Tree, text: &str, address: Option<&str>, boxes: Option<&'p Boxes>) -> Facts<'p> {
        let runs: Vec<usize> = (0..tree.len()).filter(|&node| is_run(tree, node)).collect();
        let chars = characters(tree, text, &runs);
        let length = |run: usize| chars[run].end - chars[run].start;
        let area = all_areas(tree, boxes, &runs, length);
        let links = Links::of(tree, address);

        let mut own = vec![[0u32; COUNTS]; tree.len()];
        let mut own_areas = vec![[0u64; AREAS]; tree.len()];
        let mut depth = vec![0; tree.len()];
        let (mut link_end, mut option_end, mut run) = (0, 0, 0);
        for node in 0..tree.len() {
            depth[node] = tree.parent(node).map_or(0, |parent| depth[parent] + 1);
            let (counts, areas) = (&mut own[node], &mut own_areas[node]);
            let mut count = |fact: Count, number: u32| counts[fact as usize] += number;
            let mut cover = |fact: Area| areas[fact as usize] += area[node].round() as u64;
            if is_run(tree, node) {
                count(Count::Runs, 1);
                if node < link_end {
                    count(Count::LinkChars, length(run));
                }
                if node < option_end {
                    count(Count::OptionChars, length(run));
                }
                run += 1;
                continue;
            }
            match tree.name(node) {
                "a" => {
                    if let Some(is_intra) = links.of[node] {
                        link_end = link_end.max(tree.end(node));
                        count(Count::Links, 1);
                        count(Count::IntraLinks, u32::from(is_intra));
                        cover(Area::Links);
                    }
                }
                "img" => {
                    count(Count::Images, 1);
                    cover(Area::Images);
                }
                "input" | "select" => {
                    count(Count::Inputs, 1);
                    cover(Area::Inputs);
                }
                "form" => {
                    count(Count::Forms, 1);
                    cover(Area::Forms);
                }
                "option" => {
                    option_end = option_end.max(tree.end(node));
                    count(Count::Options, 1);
                }
                "table" | "tr" => count(Count::TableParts, 1),
                "td" => {
                    count(Count::TableParts, 1);
                    count(Count::Items, 1);
                }
                "li" => count(Count::Items, 1),
                "p" => count(Count::Paragraphs, 1),
                _ => {}
            }
        }

        let title = Title::of(tree.title());
        let mut held = vec![0; tree.len()];
        count_words(tree, text, &runs, &links, &title, &mut own, &mut held);
        for node in (1..tree.len()).rev() {
            if let Some(parent) = tree.parent(node) {
                held[parent] |= held[node];
            }
        }

        let (counts, areas) = (prefix_sums(own), prefix_sums(own_areas));
        Facts { tree, boxes, counts, areas, area, depth, chars, title: held, title_words: title.bits.len() as u32 }
    }

    /// Calls `of` with the facts about a page. If its boxes are not given, they are estimated.
    pub fn with_boxes<T>(
        tree: &Tree,
        text: &str,
        address: Option<&str>,
        boxes: Option<&Boxes>,
        of: impl FnOnce(&Facts) -> T,
    ) -> T {
        let estimated: Boxes;
        let boxes = match boxes {
            Some(boxes) => boxes,
            None => {
                estimated = estimated_boxes(tree, text);
                &estimated
            }
        };
        of(&Facts::of(tree, text, address, Some(boxes)))
    }

    /// The tree of the page.
    pub fn tree(&self) -> &'p Tree {
        self.tree
    }

    /// The number of things inside a node.
    pub fn count(&self, node: usize, fact: Count) -> u32 {
        self.counts[self.tree.end(node)][fact as usize] - self.counts[node][fact as usize]
    }

    /// Whether a node is itself a link that [`Count::Links`] counts.
    pub fn is_link(&self, node: usize) -> bool {
        self.counts[node + 1][Count::Links as usize] > self.counts[node][Count::Links as usize]
    }

    /// The area of things inside a node, in square pixels.
    pub fn area_of(&self, node: usize, fact: Area) -> f64 {
        (self.areas[self.tree.end(node)][fact as usize] - self.areas[node][fact as usize]) as f64
    }

    /// The area of a node, in square pixels. No node is larger than its parent.
    pub fn area(&self, node: usize) -> f64 {
        self.area[node]
    }

    /// The number of characters in the visible text of a node. A stretch of white space counts as one.
    pub fn chars(&self, node: usize) -> u32 {
        let [first, end] = [node, self.tree.end(node)].map(|node| self.counts[node][Count::Runs as usize] as usize);
        if first == end { 0 } else { self.chars[end - 1].end - self.chars[first].start }
    }

    /// The number of bytes of the page from the start of a node to its end.
    pub fn html(&self, node: usize) -> usize {
        self.tree.bytes(node).len()
    }

    /// The number of nodes in a node, itself included.
    pub fn nodes(&self, node: usize) -> usize {
        self.tree.end(node) - node
    }

    /// The number of nodes around a node.
    pub fn depth(&self, node: usize) -> u32 {
        self.depth[node]
    }

    /// The share of the words of the title that the node holds. 0 without a title.
    pub fn title(&self, node: usize) -> f64 {
        f64::from(self.title[node].count_ones()) / f64::from(self.title_words.max(1))
    }

    /// The boxes of the page.
    pub fn boxes(&self) -> Option<&'p Boxes> {
        self.boxes
    }

    /// The place where a node is drawn, if it is known.
    pub fn rect(&self, node: usize) -> Option<Rect> {
        self.boxes?.of.get(node).copied().flatten()
    }
}

fn is_run(tree: &Tree, node: usize) -> bool {
    matches!(tree.kind(node), NodeKind::Text(_))
}

/// The running sums. The sums at index `n` are over the first `n` nodes.
fn prefix_sums<T: Copy + Default + std::ops::AddAssign, const N: usize>(own: Vec<[T; N]>) -> Vec<[T; N]> {
    let mut sums = Vec::with_capacity(own.len() + 1);
    let mut sum = [T::default(); N];
    sums.push(sum);
    for of_node in own {
        sum.iter_mut().zip(of_node).for_each(|(sum, own)| *sum += own);
        sums.push(sum);
    }
    sums
}

/// For each run, the numbers of characters before its start and its end. A stretch of white space counts as one.
fn characters(tree: &Tree, text: &str, runs: &[usize]) -> Vec<Range<u32>> {
    let (mut at, mut before, mut is_space) = (0, 0u32, true);
    let mut up_to = |end: usize| {
        for c in text[at..end].chars() {
            before += u32::from(!(c.is_whitespace() && is_space));
            is_space = c.is_whitespace();
        }
        at = end;
        before
    };
    let range = |&run: &usize| {
        let Range { start, end } = tree.text(run);
        let start = up_to(start);
        start..up_to(end)
    };
    runs.iter().map(range).collect()
}

/// The area of each node. With boxes, it is the area of its box, or of its largest child if that is larger. Otherwise
/// it is the sum of the estimated areas of its text and pictures.
fn all_areas(tree: &Tree, boxes: Option<&Boxes>, runs: &[usize], length: impl Fn(usize) -> u32) -> Vec<f64> {
    let mut area = vec![0.0f64; tree.len()];
    match boxes {
        Some(boxes) => {
            (area.iter_mut().zip(&boxes.of)).for_each(|(area, rect)| *area = rect.map_or(0.0, |of| of.area()))
        }
        None => {
            for (run, &node) in runs.iter().enumerate() {
                area[node] = CHARACTER_AREA * f64::from(length(run));
            }
            for node in (0..tree.len()).filter(|&node| tree.name(node) == "img") {
                let side = |attribute| tree.attribute(node, attribute).and_then(pixels).unwrap_or(0.0);
                area[node] = side(Attribute::Width) * side(Attribute::Height);
            }
        }
    }
    for node in (1..tree.len()).rev() {
        if let Some(parent) = tree.parent(node) {
            area[parent] = if boxes.is_some() { area[parent].max(area[node]) } else { area[parent] + area[node] };
        }
    }
    area
}

/// A length in pixels, such as `200` or `200px`.
fn pixels(value: &str) -> Option<f64> {
    let value = value.trim();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let is_pixels = unit.is_empty() || unit.eq_ignore_ascii_case("px");
    number.parse::<f64>().ok().filter(|_| is_pixels).map(|number| number.min(LONGEST_SIDE))
}

/// The links of a page.
struct Links {
    /// For each node that is a link with visible content, whether it leads to the site of the page.
    of: Vec<Option<bool>>,
}

impl Links {
    fn of(tree: &Tree, address: Option<&str>) -> Links {
        let mut content_after = vec![usize::MAX; tree.len() + 1];
        for node in (0..tree.len()).rev() {
            let is_content = is_run(tree, node) || tree.name(node) == "img";
            content_after[node] = if is_content { node } else { content_after[node + 1] };
        }
        let href = |node: usize| -> Option<&str> {
            let is_link = tree.name(node) == "a" && content_after[node] < tree.end(node);
            is_link.then(|| tree.attribute(node, Attribute::Href))?.map(str::trim).filter(|href| !is_action(href))
        };
        // The domain of each link. A link without a host is `Some(None)`: it leads within the site.
        let leads_to: Vec<Option<Option<String>>> =
            (0..tree.len()).map(|node| href(node).map(registered_domain)).collect();
        let site = address.map_or_else(|| most_frequent(&leads_to), registered_domain);
        let is_intra = |to: Option<Option<String>>| to.map(|domain| domain.is_none() || domain == site);
        Links { of: leads_to.into_iter().map(is_intra).collect() }
    }
}

/// Whether a link acts instead of leading to a page.
fn is_action(href: &str) -> bool {
    let starts = |scheme: &str| href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    ["mailto:", "javascript:", "tel:"].into_iter().any(starts)
}

/// The registered domain of an address, such as `example.com`. `None` if the address names no host.
fn registered_domain(address: &str) -> Option<String> {
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    let scheme = ["http://", "https://", "//"].into_iter().find(|scheme| lower.starts_with(scheme))?;
    let host = address[scheme.len()..].split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?.split(':').next()?.trim_end_matches('.').to_lowercase();
    Some(psl::domain_str(&host).map(str::to_owned).unwrap_or(host))
}

/// The domain that most links lead to. If several are equally frequent, the first one in the alphabet.
fn most_frequent(leads_to: &[Option<Option<String>>]) -> Option<String> {
    let mut counts: FxHashMap<&String, usize> = FxHashMap::default();
    leads_to.iter().flatten().flatten().for_each(|domain| *counts.entry(domain).or_default() += 1);
    counts.into_iter().max_by(|(a, n), (b, m)| n.cmp(m).then(b.cmp(a))).map(|(domain, _)| domain.clone())
}

/// The words of a title: those with two letters or more. Each has a bit.
struct Title {
    bits: FxHashMap<u64, u64>,
}

impl Title {
    fn of(title: &str) -> Title {
        let mut bits = FxHashMap::default();
        let is_word = |range: &Range<usize>| title[range.clone()].chars().filter(|c| c.is_alphabetic()).count() > 1;
        for word in word_ranges(title).filter(is_word) {
            if bits.len() < TITLE_WORDS {
                let bit = 1 << bits.len();
                bits.entry(folded_hash(&title[word])).or_insert(bit);
            }
        }
        Title { bits }
    }
}

/// The hash of a word in lower case.
fn folded_hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.chars().flat_map(char::to_lowercase).for_each(|c| hasher.write_u32(c.into()));
    hasher.finish()
}

/// The words of a text: runs of letters, numbers and `_`.
pub(super) fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        at = text[start..].find(|c| !is_word(c)).map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

/// Counts the words, digits and sentences of each run of text, and notes the words of the title in it. A word belongs
/// to the run of its first byte.
fn count_words(
    tree: &Tree,
    text: &str,
    runs: &[usize],
    links: &Links,
    title: &Title,
    own: &mut [[u32; COUNTS]],
    held: &mut [u64],
) {
    let mut link_end = 0;
    let mut next_link = 0;
    let mut lines = Lines::of(text);
    let mut words = word_ranges(text).peekable();
    for &node in runs {
        while next_link <= node {
            if links.of[next_link].is_some() {
                link_end = link_end.max(tree.end(next_link));
            }
            next_link += 1;
        }
        let range = tree.text(node);
        let counts = &mut own[node];
        let mut count = |fact: Count, number: usize| counts[fact as usize] += number as u32;
        count(Count::Digits, text[range.clone()].chars().filter(|c| c.is_numeric()).count());
        while let Some(word) = words.next_if(|word| word.start < range.end) {
            count(Count::Words, 1);
            count(Count::LinkWords, usize::from(node < link_end));
            count(Count::Capitals, usize::from(text[word.start..].starts_with(char::is_uppercase)));
            count(Count::SentenceWords, usize::from(word.start < lines.last_end(word.start)));
            held[node] |= title.bits.get(&folded_hash(&text[word])).copied().unwrap_or(0);
        }
        count(Count::Sentences, lines.ends_before(range.end));
    }
}

/// The lines of a text, with the sentences that end in them. The positions in calls must ascend.
struct Lines<'t> {
    text: &'t str,
    /// The end of the current line.
    end: usize,
    /// The end of the last sentence that ends in the current line or before it. 0 if there is none.
    last_end: usize,
    /// The ends of all sentences, in order.
    ends: Vec<usize>,
    told: usize,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { text, end: 0, last_end: 0, ends: sentence_ends(text), told: 0 }
    }

    /// The end of the last sentence that ends before the end of the line at this position.
    fn last_end(&mut self, position: usize) -> usize {
        if position >= self.end {
            self.end = self.text[position..].find('\n').map_or(self.text.len(), |length| position + length);
            let before = self.ends.partition_point(|&end| end <= self.end);
            self.last_end = self.ends[..before].last().copied().unwrap_or(0);
        }
        self.last_end
    }

    /// The number of sentences that end up to this position, without those of earlier calls.
    fn ends_before(&mut self, position: usize) -> usize {
        let first = self.told;
        while self.ends.get(self.told).is_some_and(|&end| end <= position) {
            self.told += 1;
        }
        self.told - first
    }
}

/// The ends of sentences: after a full stop or the like and the quotation marks that follow it, if white space comes
/// next. In some scripts no white space is needed.
fn sentence_ends(text: &str) -> Vec<usize> {
    const STOPS: &str = ".!?…।॥؟۔።";
    const STOPS_WITHOUT_SPACE: &str = "。！？｡．။";
    const CLOSING: &str = "\"”“’‘'»«›‹)]」』";
    let mut ends = Vec::new();
    for (at, c) in text.char_indices() {
        if STOPS_WITHOUT_SPACE.contains(c) {
            ends.push(at + c.len_utf8());
        } else if STOPS.contains(c) {
            let rest = text[at + c.len_utf8()..].trim_start_matches(|c| CLOSING.contains(c));
            if rest.is_empty() || rest.starts_with(char::is_whitespace) {
                ends.push(text.len() - rest.len());
            }
        }
    }
    ends
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::html::{Style, read};

    /// A page with boxes that are known by hand.
    pub(in crate::dom) const PAGE: &str = "<html><head><title>Big bridge opens - Site</title></head><body>\
        <div id=nav><a href=/a>Home</a> <a href=http://o.example/>Other</a></div>\
        <div id=main><h1>Big bridge opens</h1><p>The bridge opens <a href=/b>today</a>.</p>\
        <img src=x width=200 height=100></div>\
        <div id=foot><form><input type=text></form></div></body></html>";
    pub(in crate::dom) const ADDRESS: &str = "http://s.example/";

    pub(in crate::dom) fn node_of(tree: &Tree, id: &str) -> usize {
        (0..tree.len()).find(|&node| tree.attribute(node, Attribute::Id) == Some(id)).expect("the page has it")
    }

    /// The boxes of [`PAGE`]: of its parts and its picture. The other nodes are not drawn.
    pub(in crate::dom) fn boxes_of(tree: &Tree) -> Boxes {
        let mut of = vec![None; tree.len()];
        let mut place = |node: usize, [left, top, width, height]: [f32; 4]| {
            of[node] = Some(Rect { left, top, width, height });
        };
        place(0, [0.0, 0.0, 1000.0, 1000.0]);
        place(node_of(tree, "nav"), [0.0, 0.0, 1000.0, 100.0]);
        place(node_of(tree, "main"), [0.0, 100.0, 800.0, 800.0]);
        place(node_of(tree, "foot"), [0.0, 900.0, 1000.0, 100.0]);
        let picture = (0..tree.len()).find(|&node| tree.name(node) == "img").expect("a picture");
        place(picture, [0.0, 500.0, 200.0, 100.0]);
        Boxes { width: 1000.0, height: 1000.0, of, styles: Style::by_names(tree) }
    }

    #[test]
    fn facts_of_a_page_by_hand() {
        let (text, tree) = read::<Tree>(PAGE);
        let boxes = boxes_of(&tree);
        let facts = Facts::of(&tree, &text, Some(ADDRESS), Some(&boxes));
        let [nav, main, foot] = ["nav", "main", "foot"].map(|id| node_of(&tree, id));
        assert_eq!([nav, main].map(|node| facts.chars(node)), [10, 40]);
        assert_eq!([nav, main].map(|node| facts.html(node)), [73, 121]);
        assert_eq!([0, nav, main].map(|node| facts.count(node, Count::Links)), [3, 2, 1]);
        assert_eq!([nav, main].map(|node| facts.count(node, Count::IntraLinks)), [1, 1]);
        assert_eq!([0, nav, main].map(|node| facts.count(node, Count::LinkChars)), [14, 9, 5]);
        assert_eq!([0, main].map(|node| facts.count(node, Count::Images)), [1, 1]);
        assert_eq!([main, foot].map(|node| facts.area_of(node, Area::Images)), [20_000.0, 0.0]);
        assert_eq!([main, foot].map(|node| facts.count(node, Count::Inputs)), [0, 1]);
        assert_eq!([main, foot].map(|node| facts.count(node, Count::Forms)), [0, 1]);
        assert_eq!([main, foot].map(|node| facts.count(node, Count::Paragraphs)), [1, 0]);
        assert_eq!([nav, main].map(|node| facts.count(node, Count::Words)), [2, 7]);
        assert_eq!([nav, main].map(|node| facts.count(node, Count::SentenceWords)), [0, 4]);
        assert_eq!([nav, main].map(|node| facts.count(node, Count::Sentences)), [0, 1]);
        assert_eq!([nav, main].map(|node| facts.title(node)), [0.0, 0.75]);
        assert_eq!([0, nav, main].map(|node| facts.area(node)), [1_000_000.0, 100_000.0, 640_000.0]);
    }

    #[test]
    fn without_boxes_areas_are_estimated() {
        let (text, tree) = read::<Tree>(PAGE);
        let facts = Facts::of(&tree, &text, Some(ADDRESS), None);
        let [nav, main, foot] = ["nav", "main", "foot"].map(|id| node_of(&tree, id));
        assert_eq!([nav, foot].map(|node| facts.area(node)), [160.0 * 9.0, 0.0]);
        assert_eq!(facts.area(main), 160.0 * 38.0 + 20_000.0);
        assert_eq!(facts.area(0), facts.area(nav) + facts.area(main));
        assert_eq!(facts.area_of(nav, Area::Links), facts.area(nav));
    }

    #[test]
    fn lengths_are_pixels() {
        let lengths = ["200", " 20PX ", "50%", "", "wide", "99999999999999999999"].map(pixels);
        assert_eq!(lengths, [Some(200.0), Some(20.0), None, None, None, Some(LONGEST_SIDE)]);
    }

    #[test]
    fn without_an_address_the_site_is_where_most_links_lead() {
        let intra = |page: &str| {
            let (text, tree) = read::<Tree>(page);
            let facts = Facts::of(&tree, &text, None, None);
            (facts.count(0, Count::IntraLinks), facts.count(0, Count::Links))
        };
        let one = "<a href=https://www.a.co.uk/1>x</a><a href='//news.a.co.uk'>x</a><a href=http://b.com>x</a>";
        assert_eq!(intra(one), (2, 3));
        assert_eq!(
            intra("<a href='#x'>x</a><a href=mailto:x>x</a><a href=JavaScript:x>x</a><a href=x></a><a>x</a>"),
            (1, 1)
        );
        assert_eq!(intra("<a href=x><img></a>"), (1, 1));
    }

    #[test]
    fn sentences_end_before_white_space() {
        assert_eq!(sentence_ends("A b. C 1.5 d! \u{201c}E?\u{201d} f"), [4, 13, 22]);
        assert_eq!(sentence_ends("\u{96e8}\u{3002}\u{96e8}"), [6]);
    }

    /// Compares the sums with counts over all nodes inside each node.
    #[test]
    fn sums_are_those_of_all_nodes_inside() {
        let page = format!("{PAGE}<ul><li>x<li><a href=/c>one two</a></ul><table><tr><td>a<td>2</table>");
        let (text, tree) = read::<Tree>(&page);
        let facts = Facts::of(&tree, &text, Some(ADDRESS), None);
        for node in 0..tree.len() {
            let inside = node..tree.end(node);
            let named = |names: &[&str]| inside.clone().filter(|&node| names.contains(&tree.name(node))).count() as u32;
            let words: usize = inside
                .clone()
                .filter(|&node| is_run(&tree, node))
                .map(|node| word_ranges(&text[tree.text(node)]).count())
                .sum();
            assert_eq!(facts.count(node, Count::Words), words as u32);
            assert_eq!(facts.count(node, Count::Items), named(&["li", "td"]));
            assert_eq!(facts.count(node, Count::TableParts), named(&["table", "tr", "td"]));
            assert_eq!(facts.count(node, Count::Links), named(&["a"]));
            assert_eq!(facts.nodes(node), inside.len());
            assert_eq!(facts.depth(node) as usize, tree.ancestors(node).count());
        }
    }

    #[test]
    fn deep_and_wide_pages_end() {
        let many = |piece: &str| piece.repeat(60_000);
        for page in [
            many("<div>x. "),
            many("<a href=x>y "),
            many("<p>).)"),
            format!("<title>{}</title>{}", many("a "), many("b ")),
        ] {
            let (text, tree) = read::<Tree>(&page);
            assert_eq!(
                Facts::of(&tree, &text, None, None).count(0, Count::Runs) as usize,
                tree.len() - 1 - (0..tree.len()).skip(1).filter(|&node| !is_run(&tree, node)).count()
            );
        }
    }
}
