//! The features of the blocks of a page, computed from the page alone.
//!
//! Takes the blocks of a page. Returns numbers for the page as a whole, and a row of numbers for each block: its text,
//! the elements around it, the prose of its containers, its place relative to the best stretch of prose, and its
//! neighbours.
//!
//! *Prose* is words in complete sentences, outside of lists of links. Prose is found without knowledge of the language.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::block_places::{OF_WHOLE, PLACES, Places};
use super::blocks::{Block, Blocks, ratio};
use super::naming::nearest_hints;
use crate::html::{Kinds, Tree};
use crate::models::names::joined;

/// Maximum number of levels that are looked at around a block. It keeps time linear on deep pages.
pub const MAX_LEVELS: usize = 20;
/// Maximum number of levels of a [`Way`], up or down. Longer ways count as this long, so that a page deeper than all
/// training pages is judged like them.
pub const MAX_WAY: usize = 10;
/// Maximum number of levels from the page to a block. Deeper blocks count as this deep.
const MAX_DEPTH: usize = 24;
/// Number of containers around a block, from the innermost, whose names count.
const MAX_HINT_LEVELS: usize = 11;
/// Elements whose name describes every block inside, at any depth.
const HOLDERS: [&[&str]; 10] = [
    &["ul", "ol"],
    &["table"],
    &["article"],
    &["main"],
    &["form"],
    &["nav"],
    &["footer"],
    &["header"],
    &["aside"],
    &["figure"],
];
/// Elements whose name describes the blocks directly inside.
const ELEMENTS: [&[&str]; 9] = [
    &["p"],
    &["h1"],
    &["h2", "h3", "h4", "h5", "h6"],
    &["li"],
    &["td", "th"],
    &["dd", "dt"],
    &["pre"],
    &["blockquote"],
    &["figcaption", "caption"],
];
/// Numbers of words over which nearby prose fades to 1/e.
const FADES: [f32; 3] = [15.0, 60.0, 250.0];

/// A table of `ln(1 + n / 2)` for n = 0, 1, 2 ... A page needs many logarithms of half words.
static LOGARITHMS: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..4096_u16).map(|half| (f32::from(half) / 2.0).ln_1p()).collect());

/// The logarithm `ln(1 + number)`.
pub fn ln_1p(number: f32) -> f32 {
    let half = (2.0 * number) as u32;
    let known = LOGARITHMS.get(half as usize).filter(|_| half as f32 == 2.0 * number);
    known.copied().unwrap_or_else(|| number.ln_1p())
}

/// Running sums, which give the sum over any consecutive blocks.
pub struct Sums(Vec<f32>);

impl Sums {
    /// The sums of these values.
    pub fn of(values: impl Iterator<Item = f32>) -> Sums {
        let mut sum = 0.0_f64;
        let mut sums = vec![0.0];
        sums.extend(values.map(|value| {
            sum += f64::from(value);
            sum as f32
        }));
        Sums(sums)
    }

    /// The sum over a range.
    pub fn over(&self, range: &std::ops::Range<usize>) -> f32 {
        (self.0[range.end] - self.0[range.start]).max(0.0)
    }

    /// The sum of all values.
    pub fn all(&self) -> f32 {
        self.0.last().copied().unwrap_or_default()
    }
}

/// The way through the tree from a container to a block.
pub struct Way {
    /// Levels up from the container to one that holds the block.
    pub up: usize,
    /// Levels down from there to the block.
    pub down: usize,
}

impl Blocks {
    /// The way from a container to a block.
    pub fn way(&self, from: usize, block: usize) -> Way {
        let holds = |container: usize| self.containers[container].blocks.contains(&block);
        let (mut at, mut up) = (from, 0);
        while !holds(at) && up < MAX_LEVELS {
            at = self.containers[at].parent;
            up += 1;
        }
        let depth = |container: usize| self.containers[container].depth;
        let down = if holds(at) { depth(self.blocks[block].container).saturating_sub(depth(at)) } else { MAX_LEVELS };
        Way { up: up.min(MAX_WAY), down: down.min(MAX_WAY) }
    }
}

/// The names of all features. The features that all blocks of a page share come first.
pub const FEATURES: &[&str] = &joined::<{ OF_PAGE.len() + OF_BLOCK.len() }>(&[OF_PAGE, OF_BLOCK]);
/// The names of the features that all blocks of a page share.
pub const OF_PAGE: &[&str] =
    &joined::<{ TOTALS.len() + OF_WHOLE.len() + Kinds::NAMES.len() }>(&[&TOTALS, OF_WHOLE, &Kinds::NAMES]);
/// The names of the features of a block alone.
pub const OF_BLOCK: &[&str] = &joined::<{ OWN.len() + PLACES.len() }>(&[OWN, PLACES]);

/// The names of the features that count the contents of the page.
const TOTALS: [&str; 4] = ["page-words", "page-prose", "page-blocks", "page-links"];
/// The names of the features of a block that this module computes.
const OWN: &[&str] = &[
    "words",
    "link-share",
    "in-sentences",
    "sentences",
    "capitals",
    "numbers",
    "separators",
    "commas",
    "characters-per-word",
    "bold",
    "again-on-page",
    "of-title",
    "title",
    "is-p",
    "is-heading-1",
    "is-heading",
    "is-item",
    "is-cell",
    "is-term",
    "is-pre",
    "is-quote",
    "is-caption",
    "in-list",
    "in-table",
    "in-article",
    "in-main",
    "in-form",
    "in-nav",
    "in-footer",
    "in-header",
    "in-aside",
    "in-figure",
    "named-comment",
    "named-post",
    "named-navigation",
    "named-related",
    "named-social",
    "named-advert",
    "named-meta",
    "named-caption",
    "named-side",
    "named-tags",
    "named-legal",
    "named-content",
    "named-product",
    "named-title",
    "container-0-words",
    "container-0-link-share",
    "container-0-prose",
    "container-0-prose-density",
    "container-0-blocks",
    "container-1-words",
    "container-1-link-share",
    "container-1-prose",
    "container-1-prose-density",
    "container-1-blocks",
    "container-2-words",
    "container-2-link-share",
    "container-2-prose",
    "container-2-prose-density",
    "container-2-blocks",
    "container-3-words",
    "container-3-link-share",
    "container-3-prose",
    "container-3-prose-density",
    "container-3-blocks",
    "in-top",
    "up-from-top",
    "down-from-top",
    "in-holder",
    "up-from-holder",
    "down-from-holder",
    "place-in-holder",
    "place",
    "words-before",
    "words-after",
    "in-best",
    "before-best",
    "after-best",
    "from-title",
    "has-title",
    "prose-before-15",
    "prose-after-15",
    "prose-around-15",
    "prose-before-60",
    "prose-after-60",
    "prose-around-60",
    "prose-before-250",
    "prose-after-250",
    "prose-around-250",
    "2-before-words",
    "2-before-link-share",
    "2-before-in-sentences",
    "2-before-alike",
    "1-before-words",
    "1-before-link-share",
    "1-before-in-sentences",
    "1-before-alike",
    "1-after-words",
    "1-after-link-share",
    "1-after-in-sentences",
    "1-after-alike",
    "2-after-words",
    "2-after-link-share",
    "2-after-in-sentences",
    "2-after-alike",
    "path-blocks",
    "path-words",
    "path-link-share",
    "path-prose",
    "depth",
    "ends-sentence",
    "ends-with-colon",
    "digits",
    "unspaced",
    "starts-small",
    "all-links",
];

/// The features of the blocks of a page.
#[derive(Clone, Debug, Default)]
pub struct BlockFeatures {
    /// The features that all blocks share, one for each name in [`OF_PAGE`]. Empty if there are no blocks.
    pub of_page: Vec<f32>,
    /// For each block, a row with one feature for each name in [`OF_BLOCK`].
    rows: Vec<f32>,
}

impl BlockFeatures {
    /// The features of all blocks.
    pub fn of(page: &Blocks, tree: &Tree) -> BlockFeatures {
        if page.blocks.is_empty() { BlockFeatures::default() } else { features(page, tree) }
    }

    /// For each block, a row of the features that are not of the page.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.rows.chunks_exact(OF_BLOCK.len())
    }

    /// The value of a feature of a block.
    pub fn get(&self, block: usize, name: &str) -> f32 {
        let of_block = OF_BLOCK.iter().position(|feature| *feature == name);
        let of_page = || OF_PAGE.iter().position(|feature| *feature == name).map(|index| self.of_page[index]);
        of_block.map(|index| self.rows[block * OF_BLOCK.len() + index]).or_else(of_page).unwrap_or(0.0)
    }
}

fn features(page: &Blocks, tree: &Tree) -> BlockFeatures {
    let Blocks { blocks, containers, .. } = page;
    let count = blocks.len();
    let mut rows = Vec::with_capacity(count * OF_BLOCK.len());
    let words = Sums::of(blocks.iter().map(|block| block.words));
    let link_words = Sums::of(blocks.iter().map(|block| block.link_words));
    let prose = Sums::of(blocks.iter().map(Block::prose));
    let all_words = words.all().max(1.0);
    let all_prose = prose.all().max(1.0);

    let link_share = |container: usize| {
        let range = &containers[container].blocks;
        ratio(link_words.over(range), words.over(range), 1.0)
    };

    // Prose counts for its own container and the 3 around it.
    let mut scores = vec![0.0_f32; containers.len()];
    for (index, block) in blocks.iter().enumerate() {
        for (level, container) in page.around(index).take(4).enumerate() {
            scores[container] += block.prose() * [1.0, 1.0, 0.5, 0.25][level];
        }
    }
    for (container, score) in scores.iter_mut().enumerate() {
        *score *= 1.0 - link_share(container);
    }

    let top = (0..containers.len()).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    let mut holder = 0;
    for (index, container) in containers.iter().enumerate() {
        let is_smaller = words.over(&container.blocks) <= words.over(&containers[holder].blocks);
        if prose.over(&container.blocks) >= 0.8 * all_prose && is_smaller {
            holder = index;
        }
    }

    let held = containers[holder].blocks.clone();

    // The best stretch has the most prose, minus a penalty for the words between.
    let (mut best, mut start, mut sum, mut most) = (0..1, 0, 0.0_f32, f32::MIN);
    for (index, block) in blocks.iter().enumerate() {
        if sum <= 0.0 {
            (sum, start) = (0.0, index);
        }
        sum += if block.prose() > 0.0 { block.prose() } else { -(0.6 * block.words).max(2.0) };
        if sum > most {
            (best, most) = (start..index + 1, sum);
        }
    }

    let name = |block: &Block| tree.name(containers[block.container].node);
    let title_score = |index: usize| {
        let block = &blocks[index];
        let heading = match name(block) {
            "h1" => 1.3,
            "h2" | "h3" => 1.15,
            _ => 1.0,
        };
        ratio(block.title_words, block.distinct_words, 0.0) * ratio(block.title_words, page.title_words, 0.0) * heading
    };
    let title = (0..count.min(best.end + 1)).rev().max_by(|&a, &b| title_score(a).total_cmp(&title_score(b)));
    let title = title.filter(|&index| title_score(index) > 0.1);

    let faded = FADES.map(|fade| nearby(blocks, fade, Block::prose));
    let mut same_content: FxHashMap<u64, u32> = FxHashMap::default();
    let mut same_path: FxHashMap<u64, (f32, f32, f32, f32)> = FxHashMap::default();
    for block in blocks {
        *same_content.entry(block.content).or_default() += 1;
        let of_path = same_path.entry(containers[block.container].path).or_default();
        of_path.0 += 1.0;
        of_path.1 += block.words;
        of_path.2 += block.link_words;
        of_path.3 += block.prose();
    }

    // For each container, a bit for its kind of holder, or 0.
    let holder_of = |name: &str| HOLDERS.iter().position(|names| names.contains(&name)).map_or(0, |at| 1 << at);
    let holders: Vec<u16> = containers.iter().map(|of| holder_of(tree.name(of.node))).collect();

    let middle = |index: usize| words.0[index] + blocks[index].words / 2.0;
    let places = Places::of(page, tree, &best);
    let mut of_page =
        vec![ln_1p(all_words), prose.all() / all_words, ln_1p(count as f32), link_words.all() / all_words];
    of_page.extend(&places.of_whole);
    of_page.extend(tree.kinds().each().map(|is| f32::from(u8::from(is))));

    let mut around = Vec::with_capacity(MAX_LEVELS);
    for (index, block) in blocks.iter().enumerate() {
        let mut put = |value: f32| rows.push(value);
        around.clear();
        around.extend(page.around(index).take(MAX_LEVELS));
        let per_word = |count: f32| count / block.words.max(1.0);
        put(ln_1p(block.words));
        put(block.link_share());
        put(block.in_sentences());
        put(ln_1p(block.sentences));
        put(per_word(block.capitals));
        put(per_word(block.numbers));
        put(per_word(block.separators));
        put(per_word(block.commas));
        put((block.text.len() as f32 / block.words.max(1.0)).min(30.0));
        put(f32::from(u8::from(block.is_bold)));
        put(f32::from(u8::from(same_content[&block.content] > 1)));
        put(ratio(block.title_words, block.distinct_words, 0.0));
        put(f32::from(u8::from(title == Some(index))));

        let element = ELEMENTS.iter().position(|names| names.contains(&name(block)));
        (0..ELEMENTS.len()).for_each(|at| put(f32::from(u8::from(element == Some(at)))));
        let held_by = around.iter().fold(0, |held_by, &container| held_by | holders[container]);
        (0..HOLDERS.len()).for_each(|at| put(f32::from(held_by >> at & 1)));

        let hinting = around.iter().take(MAX_HINT_LEVELS).map(|&container| containers[container].hints);
        nearest_hints(hinting).into_iter().for_each(&mut put);

        for level in 0..4 {
            let container = around[level.min(around.len() - 1)];
            let range = &containers[container].blocks;
            put(ln_1p(words.over(range)));
            put(link_share(container));
            put(prose.over(range) / all_prose);
            put(prose.over(range) / words.over(range).max(1.0));
            put(ln_1p(range.len() as f32));
        }
        for container in [top, holder] {
            let Way { up, down } = page.way(container, index);
            put(f32::from(u8::from(up == 0)));
            put(up as f32);
            put(down as f32);
        }

        put(match index {
            _ if index < held.start => -1.0,
            _ if index >= held.end => 2.0,
            _ => (index - held.start) as f32 / (held.len() as f32 - 1.0).max(1.0),
        });

        put(middle(index) / all_words);
        put(ln_1p(middle(index)));
        put(ln_1p((all_words - middle(index)).max(0.0)));
        put(f32::from(u8::from(best.contains(&index))));
        put(if index < best.start { ln_1p((words.0[best.start] - words.0[index + 1]).max(0.0)) } else { 0.0 });
        put(if index >= best.end { ln_1p((words.0[index] - words.0[best.end]).max(0.0)) } else { 0.0 });
        put(title.map_or(0.0, |title| {
            let distance = middle(index) - middle(title);
            ln_1p(distance.abs()) * distance.signum()
        }));
        put(f32::from(u8::from(title.is_some())));

        for faded in &faded {
            let (before, after) = (ln_1p(faded[index].0), ln_1p(faded[index].1));
            put(before);
            put(after);
            put(before.min(after));
        }
        for neighbour in [index.checked_sub(2), index.checked_sub(1), Some(index + 1), Some(index + 2)] {
            let neighbour = neighbour.and_then(|at| blocks.get(at));
            put(neighbour.map_or(-1.0, |block| ln_1p(block.words)));
            put(neighbour.map_or(-1.0, Block::link_share));
            put(neighbour.map_or(-1.0, Block::in_sentences));
            let path = |block: &Block| containers[block.container].path;
            let is_alike = neighbour.is_some_and(|other| path(other) == path(block));
            put(f32::from(u8::from(is_alike)));
        }

        let (of_path, path_words, path_links, path_prose) = same_path[&containers[block.container].path];
        put(ln_1p(of_path));
        put(ln_1p(path_words / of_path));
        put(ratio(path_links, path_words, 1.0));
        put(path_prose / all_prose);
        put(containers[block.container].depth.min(MAX_DEPTH) as f32);
        put(f32::from(u8::from(block.ends_sentence)));
        put(f32::from(u8::from(block.ends_with_colon)));
        put(block.digits / block.text.len().max(1) as f32);
        put(ratio(block.unspaced_words, block.words, 0.0));
        put(f32::from(u8::from(block.starts_small)));
        put(f32::from(u8::from(block.link_share() > 0.95)));
        places.put(index, &around, &mut rows);
    }
    BlockFeatures { of_page, rows }
}

/// For each block, the sums of a value over the blocks before it and after it, both with the block itself. Values fade
/// with the words between.
fn nearby(blocks: &[Block], fade: f32, value: impl Fn(&Block) -> f32) -> Vec<(f32, f32)> {
    let left: Vec<f32> = blocks.iter().map(|block| (-block.words / fade).exp()).collect();
    let mut sums = vec![(0.0, 0.0); blocks.len()];
    let (mut before, mut after) = (0.0, 0.0);
    for (index, block) in blocks.iter().enumerate() {
        before += value(block);
        sums[index].0 = before;
        before *= left[index];
    }
    for (index, block) in blocks.iter().enumerate().rev() {
        after += value(block);
        sums[index].1 = after;
        after *= left[index];
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::naming::HINT_NAMES;

    #[test]
    fn features_of_hints_are_in_the_order_of_the_hints() {
        for prefix in ["named-", "branch-named-"] {
            let named = FEATURES.iter().filter_map(|feature| feature.strip_prefix(prefix));
            assert!(named.eq(HINT_NAMES), "{prefix}");
        }
    }

    #[test]
    fn known_logarithms_are_those_that_are_computed() {
        for number in [0.0, 0.5, 1.0, 2.25, 0.1, 7.5, 2047.5, 2048.0, 1e6, 1e30, -0.5, f32::INFINITY] {
            assert_eq!(ln_1p(number), number.ln_1p(), "{number}");
        }
        assert!(ln_1p(f32::NAN).is_nan());
    }
}
