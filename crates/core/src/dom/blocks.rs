//! A page as blocks of text in containers.
//!
//! Takes the tree of a page and its visible text. Returns its blocks: the stretches of text between 2 ends of lines or
//! table cells, each with counts of its words; and its containers: the block elements that have text, each with the
//! range of its blocks.

use std::ops::Range;

use rustc_hash::FxHashSet;
use twox_hash::XxHash3_64;

use super::naming::{Hints, hints_of};
use crate::html::{Attribute, NodeKind, Tree};
use crate::tokens::characters::{is_letter_or_number, is_unspaced};

/// The characters with which the last sentence of a block can end.
const SENTENCE_ENDS: [char; 19] =
    ['.', '!', '?', '…', '。', '！', '？', '।', '۔', '؟', '։', '።', '។', '။', '།', '"', '”', '」', '』'];
/// Minimum number of letters of a sentence without a mark at its end: as many as in 12 words.
const LEAST_UNMARKED: u32 = 24;

/// A block of text.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its bytes in the visible text.
    pub text: Range<usize>,
    /// Index of the innermost container.
    pub container: usize,
    /// Number of words. A character of a script without spaces is half a word.
    pub words: f32,
    /// Number of words in links.
    pub link_words: f32,
    /// Number of words in complete sentences.
    pub sentence_words: f32,
    /// Number of sentences that end in it.
    pub sentences: f32,
    /// Number of words with a capital letter at the start.
    pub capitals: f32,
    /// Number of words that are numbers.
    pub numbers: f32,
    /// Number of characters that separate items, such as bars and arrows.
    pub separators: f32,
    /// Number of commas.
    pub commas: f32,
    /// Number of digits.
    pub digits: f32,
    /// Number of words in a script without spaces.
    pub unspaced_words: f32,
    /// Whether it ends as a sentence does.
    pub ends_sentence: bool,
    /// Whether it ends with a colon.
    pub ends_with_colon: bool,
    /// Whether it starts with a small letter.
    pub starts_small: bool,
    /// Number of different words of the page's title among the first 64 words of the block.
    pub title_words: f32,
    /// Number of different words among the first 64 words of the block. 0 if the page has no title.
    pub distinct_words: f32,
    /// Whether all of it is bold.
    pub is_bold: bool,
    /// A hash of its text in lower case, with each digit replaced by 0.
    pub content: u64,
}

impl Block {
    /// The share of its words that are in links.
    pub fn link_share(&self) -> f32 {
        ratio(self.link_words, self.words, 1.0)
    }

    /// The share of its words that are in complete sentences.
    pub fn in_sentences(&self) -> f32 {
        ratio(self.sentence_words, self.words, 0.0)
    }

    /// Number of words in complete sentences. 0 if they are fewer than 6, or if half of all words are in links.
    pub fn prose(&self) -> f32 {
        let is_prose = self.sentence_words >= 6.0 && self.link_share() < 0.5;
        if is_prose { self.sentence_words } else { 0.0 }
    }
}

/// A block element that has text, or the page.
#[derive(Clone, Debug)]
pub struct Container {
    /// The node.
    pub node: usize,
    /// Index of the container around it. The page is its own parent.
    pub parent: usize,
    /// Number of containers around it.
    pub depth: usize,
    /// The blocks in it.
    pub blocks: Range<usize>,
    /// The hints that its names give.
    pub hints: Hints,
    /// A hash of the names, classes and ids from the page down to it. Each digit in classes and ids is replaced by 0.
    pub path: u64,
}

/// The blocks and containers of a page.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// In the order of the page.
    pub blocks: Vec<Block>,
    /// In the order of their start tags. The first is the page.
    pub containers: Vec<Container>,
    /// Number of different words in the page's title.
    pub title_words: f32,
}

impl Blocks {
    /// The blocks of a page.
    pub fn of(text: &str, tree: &Tree) -> Blocks {
        let mut blocks = structure(tree);
        let title: FxHashSet<u64> = title_words(tree.title());
        blocks.title_words = title.len() as f32;
        let mut counter = Counter { title, ..Counter::default() };
        blocks.blocks.iter_mut().for_each(|block| counter.count(&text[block.text.clone()], block));
        for (block, link) in links(tree, &blocks.blocks) {
            let block = &mut blocks.blocks[block];
            block.link_words += words(&text[link]);
        }
        blocks
    }

    /// The containers around a block, from the innermost to the page.
    pub fn around(&self, block: usize) -> impl Iterator<Item = usize> {
        let mut next = Some(self.blocks[block].container);
        std::iter::from_fn(move || {
            let at = next?;
            next = (at > 0).then(|| self.containers[at].parent);
            Some(at)
        })
    }
}

/// An open element.
struct Open {
    end: usize,
    container: usize,
    is_bold: bool,
}

fn structure(tree: &Tree) -> Blocks {
    let mut blocks: Vec<Block> = Vec::new();
    let mut containers: Vec<Container> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut last_block = None;
    for node in 0..tree.len() {
        while open.last().is_some_and(|open| open.end <= node) {
            open.pop();
        }

        let (around, is_bold) = open.last().map_or((0, false), |open| (open.container, open.is_bold));
        match tree.kind(node) {
            NodeKind::Text(block) => {
                let run = tree.text(node);
                match blocks.last_mut().filter(|_| last_block == Some(block)) {
                    Some(last) => {
                        last.text.end = run.end;
                        last.is_bold &= is_bold;
                    }
                    None => blocks.push(Block { text: run, container: around, is_bold, ..Block::default() }),
                }
                last_block = Some(block);
            }
            NodeKind::Element => {
                let mut container = around;
                if tree.is_block(node) && !tree.text(node).is_empty() || node == 0 {
                    container = containers.len();
                    let outer = containers.get(around);
                    let (depth, path) = outer.map_or((0, 0), |outer| (outer.depth + 1, outer.path));
                    containers.push(Container {
                        node,
                        parent: around,
                        depth,
                        blocks: blocks.len()..blocks.len(),
                        hints: hints_of(tree, node),
                        path: XxHash3_64::oneshot_with_seed(path, step(tree, node).as_bytes()),
                    });
                }
                let is_bold = is_bold || matches!(tree.name(node), "b" | "strong");
                open.push(Open { end: tree.end(node), container, is_bold });
            }
        }
    }

    for container in &mut containers {
        let end = tree.text(container.node).end;
        container.blocks.end = blocks.partition_point(|block| block.text.start < end);
    }
    Blocks { blocks, containers, title_words: 0.0 }
}

/// The runs of text in links: the index of the block, and the bytes of the text.
fn links(tree: &Tree, blocks: &[Block]) -> Vec<(usize, Range<usize>)> {
    let mut links = Vec::new();
    let mut end = 0;
    for node in 0..tree.len() {
        if node >= end && tree.name(node) == "a" && tree.attribute(node, Attribute::Href).is_some() {
            end = tree.end(node);
        }
        if node < end && tree.kind(node) != NodeKind::Element {
            let run = tree.text(node);
            let block = blocks.partition_point(|block| block.text.start <= run.start).saturating_sub(1);
            links.push((block, run));
        }
    }
    links
}

/// The name of an element, with its classes in alphabetical order and its id. Their digits become 0.
fn step(tree: &Tree, node: usize) -> String {
    let mut step = tree.name(node).to_owned();
    let plain = |name: &str| -> String { name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect() };
    if let Some(classes) = tree.attribute(node, Attribute::Class).map(plain) {
        let mut classes: Vec<&str> = classes.split_ascii_whitespace().collect();
        classes.sort_unstable();
        classes.dedup();
        classes.into_iter().for_each(|class| step.extend([".", class]));
    }
    if let Some(id) = tree.attribute(node, Attribute::Id).map(str::trim).filter(|id| !id.is_empty()) {
        step.extend(["#", &plain(id)]);
    }
    step
}

fn title_words(title: &str) -> FxHashSet<u64> {
    let mut counter = Counter::default();
    counter.fold(title);
    let folded = &counter.folded;
    counter.ends.iter().map(|word| XxHash3_64::oneshot(&folded.as_bytes()[word.clone()])).collect()
}

/// Number of words.
fn words(text: &str) -> f32 {
    let mut half = 0_u32;
    let mut in_word = false;
    for c in text.chars() {
        let is_word = is_letter_or_number(c);
        if is_word && is_unspaced(c) {
            half += 1;
            in_word = false;
            continue;
        }
        half += 2 * u32::from(is_word && !in_word);
        in_word = is_word;
    }
    half as f32 / 2.0
}

/// Counts words. Its buffers are reused from block to block.
#[derive(Default)]
struct Counter {
    title: FxHashSet<u64>,
    /// The text in lower case, with each digit replaced by 0.
    folded: String,
    /// The bytes of each word of the folded text.
    ends: Vec<Range<usize>>,
    /// The hashes of the first words.
    words: Vec<u64>,
}

impl Counter {
    fn fold(&mut self, text: &str) {
        self.folded.clear();
        self.ends.clear();
        let mut start = None;
        for c in text.chars() {
            let at = self.folded.len();
            let is_word = is_letter_or_number(c);
            let is_alone = is_word && !c.is_ascii() && is_unspaced(c);
            if let Some(start) = start.take_if(|_| !is_word || is_alone) {
                self.ends.push(start..at);
            }
            if c.is_ascii_digit() {
                self.folded.push('0');
            } else if c.is_ascii() {
                self.folded.push(c.to_ascii_lowercase());
            } else {
                self.folded.extend(c.to_lowercase());
            }
            if is_alone {
                self.ends.push(at..self.folded.len());
            } else if is_word && start.is_none() {
                start = Some(at);
            }
        }
        if let Some(start) = start {
            self.ends.push(start..self.folded.len());
        }
    }

    fn count(&mut self, text: &str, block: &mut Block) {
        self.fold(text);
        block.content = XxHash3_64::oneshot(self.folded.as_bytes());
        if !self.title.is_empty() {
            let hash = |word: &Range<usize>| XxHash3_64::oneshot(&self.folded.as_bytes()[word.clone()]);
            self.words.clear();
            self.words.extend(self.ends.iter().take(64).map(hash));
            self.words.sort_unstable();
            self.words.dedup();
            block.title_words = self.words.iter().filter(|word| self.title.contains(word)).count() as f32;
            block.distinct_words = self.words.len() as f32;
        }

        let (mut half, mut unspaced, mut digits) = (0_u32, 0_u32, 0_u32);
        let (mut in_word, mut may_end) = (false, false);
        // In Thai and Lao, a sentence ends with a space instead of a mark. Long sentences have spaces inside, too.
        let mut unmarked = 0_u32;
        for c in text.chars() {
            let is_word = is_letter_or_number(c);
            digits += u32::from(c.is_ascii_digit());
            if unmarked >= LEAST_UNMARKED && c.is_whitespace() {
                (may_end, unmarked) = (true, 0);
            }
            if may_end && (c.is_whitespace() || !c.is_ascii() && is_unspaced(c)) {
                block.sentences += 1.0;
                block.sentence_words = half as f32 / 2.0;
            }
            if is_word {
                may_end = false;
                if is_unspaced(c) {
                    half += 1;
                    unspaced += 1;
                    unmarked += u32::from(is_thai_or_lao(c));
                    in_word = false;
                } else {
                    if !in_word {
                        half += 2;
                        block.capitals += f32::from(u8::from(c.is_uppercase()));
                        block.numbers += f32::from(u8::from(c.is_numeric()));
                    }
                    in_word = true;
                }
                continue;
            }
            in_word = false;
            match c {
                '.' | '!' | '?' | '…' => may_end = half > 0,
                '。' | '！' | '？' | '।' | '۔' | '؟' | '։' | '።' | '។' | '။' | '།' => {
                    block.sentences += 1.0;
                    block.sentence_words = half as f32 / 2.0;
                }
                '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' if may_end => {}
                ',' | '，' | '、' | '،' => {
                    block.commas += 1.0;
                    may_end = false;
                }
                '|' | '·' | '•' | '»' | '›' | '«' | '‹' | '→' | '▶' | '■' | '▪' | '►' | '/' | '\\' =>
                {
                    block.separators += 1.0;
                    may_end = false;
                }
                _ => may_end = false,
            }
        }

        if may_end || unmarked >= LEAST_UNMARKED {
            block.sentences += 1.0;
            block.sentence_words = half as f32 / 2.0;
        }

        block.words = half as f32 / 2.0;
        block.unspaced_words = unspaced as f32 / 2.0;
        block.digits = digits as f32;
        let text = text.trim();
        block.starts_small = text.starts_with(char::is_lowercase);
        block.ends_with_colon = text.ends_with([':', '：']);
        block.ends_sentence = text.ends_with(SENTENCE_ENDS) || unmarked >= LEAST_UNMARKED;
    }
}

fn is_thai_or_lao(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}')
}

/// The ratio `part / whole`, or `empty` if the whole is 0.
pub fn ratio(part: f32, whole: f32, empty: f32) -> f32 {
    if whole > 0.0 { part / whole } else { empty }
}
