//! The place of each block of a page: in a group of elements that are alike, under a heading, on a branch of the tree.
//!
//! Takes the blocks of a page. Returns numbers for the page as a whole, and a row of numbers for each block. Lists of
//! other articles, comments and menus are groups of elements that are alike, and most of them are under a heading of
//! their own, or on another branch of the tree than the best stretch of prose. None of this needs to know a language.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::block_features::{MAX_LEVELS, MAX_WAY, Sums, ln_1p};
use super::blocks::{Block, Blocks, ratio};
use super::naming::HINTS;
use crate::html::{Attribute, NodeKind, Tree};

/// Minimum number of elements that are alike. Each of them is then a card.
const LEAST_ALIKE: usize = 3;
/// A bold block of at most this many words is a heading.
const HEADING_WORDS: f32 = 12.0;

/// The names of the features of the page as a whole.
pub const OF_WHOLE: &[&str] = &[
    "page-articles",
    "page-fields",
    "page-tables",
    "page-times",
    "page-pictures",
    "page-has-main",
    "page-unspaced",
    "page-block-words",
    "page-headings",
    "page-first-headings",
    "page-commas",
    "page-best-share",
    "page-best-density",
    "page-prose-words",
    "page-cards-share",
    "page-cards-words",
    "page-cards-alike",
    "page-cards-link-share",
    "page-cards-prose-density",
    "page-cards-pictures",
    "page-cards-blocks",
];

/// The names of the features of a block.
pub const PLACES: &[&str] = &[
    // The group of cards that the block is in.
    "card-alike",
    "card-words",
    "card-spread",
    "card-share",
    "card-link-share",
    "card-prose-density",
    "card-linked",
    "card-pictures",
    "card-place",
    "card-blocks",
    "card-has-best",
    "card-headings",
    "card-numbers",
    "card-level",
    "card-after-best",
    "card-in-largest",
    "card-to-largest",
    // The elements that are like the block's own.
    "alike",
    "alike-words",
    "alike-link-share",
    "alike-linked",
    // The section: from the heading above the block to the next heading.
    "section-words",
    "section-link-share",
    "section-prose-density",
    "section-blocks",
    "section-words-before",
    "section-level",
    "section-heading-words",
    "section-heading-link-share",
    "section-place",
    "section-after-best",
    "from-first-heading",
    "headings-before",
    // The branch of the tree that leads from the best stretch to the block.
    "branch-words",
    "branch-link-share",
    "branch-prose",
    "branch-prose-density",
    "branch-blocks",
    "branch-side",
    "branch-from-best",
    "branch-named-comment",
    "branch-named-post",
    "branch-named-navigation",
    "branch-named-related",
    "branch-named-social",
    "branch-named-advert",
    "branch-named-meta",
    "branch-named-caption",
    "branch-named-side",
    "branch-named-tags",
    "branch-named-legal",
    "branch-named-content",
    "branch-named-product",
    "branch-named-title",
    "branch-up",
    "branch-down",
    "branch-is-list",
    // The outermost `<article>`.
    "article-place",
    "article-words",
    // The page before and after the block.
    "pictures-near",
    "share-after",
    "link-share-after",
    "prose-density-after",
    "link-share-before",
    "prose-density-before",
];

/// Sums over the blocks of a page.
struct Totals<'p> {
    page: &'p Blocks,
    words: Sums,
    links: Sums,
    prose: Sums,
    numbers: Sums,
    headings: Sums,
    pictures: Sums,
}

/// Elements that have the same parent, name, classes and id.
struct Group {
    alike: f32,
    /// Words per element.
    words: f32,
    /// The standard deviation of the words, as a share of their mean.
    spread: f32,
    /// The group's share of the words of the page.
    share: f32,
    link_share: f32,
    prose_density: f32,
    /// The share of elements with links.
    linked: f32,
    /// Pictures per element, of each at most 3.
    pictures: f32,
    /// Blocks per element.
    blocks: f32,
    has_best: bool,
    /// The share of elements with a heading.
    headings: f32,
    numbers: f32,
    /// 1 if the group is after the best stretch, -1 if it is before, else 0.
    after_best: f32,
}

/// The groups of all containers of a page.
struct Groups {
    groups: Vec<Group>,
    /// For each container, its group and its place in the group.
    of: Vec<(usize, usize)>,
}

impl Totals<'_> {
    fn link_share(&self, range: &Range<usize>) -> f32 {
        ratio(self.links.over(range), self.words.over(range), 1.0)
    }

    fn prose_density(&self, range: &Range<usize>) -> f32 {
        self.prose.over(range) / self.words.over(range).max(1.0)
    }
}

impl Groups {
    fn of(totals: &Totals, best: &Range<usize>) -> Groups {
        let containers = &totals.page.containers;
        let mut indices: FxHashMap<(usize, u64), usize> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = vec![vec![0]];
        let mut of = vec![(0, 0)];
        for (index, container) in containers.iter().enumerate().skip(1) {
            let next = members.len();
            let group = *indices.entry((container.parent, container.path)).or_insert(next);
            if group == next {
                members.push(Vec::new());
            }
            of.push((group, members[group].len()));
            members[group].push(index);
        }

        let group = |members: &Vec<usize>| {
            let count = members.len() as f32;
            let ranges = || members.iter().map(|&member| &containers[member].blocks);
            let sum = |value: &dyn Fn(&Range<usize>) -> f32| ranges().map(value).sum::<f32>();
            let all = sum(&|range| totals.words.over(range));
            let mean = all / count;
            let variance = sum(&|range| (totals.words.over(range) - mean).powi(2)) / count;
            let (first, last) = (&containers[members[0]].blocks, &containers[members[members.len() - 1]].blocks);
            Group {
                alike: count,
                words: mean,
                spread: variance.sqrt() / mean.max(1.0),
                share: all / totals.words.all().max(1.0),
                link_share: ratio(sum(&|range| totals.links.over(range)), all, 1.0),
                prose_density: sum(&|range| totals.prose.over(range)) / all.max(1.0),
                linked: sum(&|range| one_if(totals.links.over(range) > 0.0)) / count,
                pictures: sum(&|range| totals.pictures.over(range).min(3.0)) / count,
                blocks: sum(&|range| range.len() as f32) / count,
                has_best: ranges().any(|range| range.start <= best.start && best.end <= range.end),
                headings: sum(&|range| totals.headings.over(range).min(1.0)) / count,
                numbers: sum(&|range| totals.numbers.over(range)) / all.max(1.0),
                after_best: one_if(first.start >= best.end) - one_if(last.end <= best.start),
            }
        };
        Groups { groups: members.iter().map(group).collect(), of }
    }

    fn group(&self, container: usize) -> &Group {
        &self.groups[self.of[container].0]
    }

    /// The group of cards with the most words.
    fn largest(&self) -> Option<usize> {
        let are_cards =
            |&group: &usize| self.groups[group].alike >= LEAST_ALIKE as f32 && self.groups[group].blocks >= 2.0;
        let share = |group: usize| self.groups[group].share;
        (1..self.groups.len()).rev().filter(are_cards).max_by(|&a, &b| share(a).total_cmp(&share(b)))
    }
}

/// Facts about a page, from which the features of its blocks are computed.
pub struct Places<'p> {
    tree: &'p Tree,
    best: Range<usize>,
    totals: Totals<'p>,
    groups: Groups,
    largest: Option<usize>,
    /// The features that all blocks share, one for each name in [`OF_WHOLE`].
    pub of_whole: Vec<f32>,
    heading_levels: Vec<Option<f32>>,
    sections: Sections,
    /// The middles of the headings of the first level, in words from the start.
    first_headings: Vec<f32>,
    /// The innermost container with most of the best stretch.
    top: usize,
    articles: Vec<Option<(usize, usize)>>,
    number_of_articles: f32,
}

impl<'p> Places<'p> {
    /// Collects the facts about a page that has blocks. `best` is the best stretch of prose.
    pub fn of(page: &'p Blocks, tree: &'p Tree, best: &Range<usize>) -> Places<'p> {
        let blocks = &page.blocks;
        let heading_levels: Vec<Option<f32>> =
            (0..blocks.len()).map(|block| heading_level(page, tree, block)).collect();
        let seen = Seen::of(tree, blocks.len());
        let totals = Totals {
            page,
            words: Sums::of(blocks.iter().map(|block| block.words)),
            links: Sums::of(blocks.iter().map(|block| block.link_words)),
            prose: Sums::of(blocks.iter().map(Block::prose)),
            numbers: Sums::of(blocks.iter().map(|block| block.numbers)),
            headings: Sums::of(
                heading_levels.iter().map(|level| one_if(level.is_some_and(|level| level < LEVEL_OF_BOLD))),
            ),
            pictures: Sums::of(seen.pictures.iter().copied()),
        };

        let groups = Groups::of(&totals, best);
        let is_first = |&block: &usize| heading_levels[block] == Some(1.0);
        Places {
            tree,
            best: best.clone(),
            largest: groups.largest(),
            of_whole: whole_features(&totals, best, &heading_levels, &seen, &groups),
            sections: sections(&heading_levels),
            first_headings: (0..blocks.len()).filter(is_first).map(|block| middle(&totals, block)).collect(),
            top: innermost_with_best(&totals, best),
            articles: outermost_articles(page, tree),
            number_of_articles: seen.articles.max(1.0),
            totals,
            groups,
            heading_levels,
        }
    }

    /// Adds the features of a block to a row, one for each name in [`PLACES`]. `around` has the containers around the
    /// block, the innermost first.
    pub fn put(&self, block: usize, around: &[usize], row: &mut Vec<f32>) {
        self.put_card(around, row);
        self.put_section(block, row);
        self.put_branch(block, around, row);
        let Places { totals, .. } = self;
        let Blocks { blocks, containers, .. } = totals.page;
        let article = self.articles[blocks[block].container];
        let words = |(_, article): (usize, usize)| ln_1p(totals.words.over(&containers[article].blocks));
        row.push(article.map_or(0.0, |(number, _)| 1.0 + number as f32 / self.number_of_articles));
        row.push(article.map_or(0.0, words));

        let (before, after) = (0..block, block..blocks.len());
        row.extend([
            ln_1p(totals.pictures.over(&(block.saturating_sub(2)..(block + 3).min(blocks.len())))),
            totals.words.over(&after) / totals.words.all().max(1.0),
            totals.link_share(&after),
            totals.prose_density(&after),
            totals.link_share(&before),
            totals.prose_density(&before),
        ]);
    }

    /// Adds the features of the innermost card around a block, and of the elements that are like the block's own.
    fn put_card(&self, around: &[usize], row: &mut Vec<f32>) {
        let Places { groups, largest, .. } = self;
        let containers = &self.totals.page.containers;
        let is_card = |&(_, &container): &(usize, &usize)| {
            let is_alike = groups.group(container).alike >= LEAST_ALIKE as f32;
            container > 0 && containers[container].blocks.len() > 1 && is_alike
        };
        let card = around.iter().enumerate().find(is_card);
        match card {
            None => row.extend([0.0; 15]),
            Some((level, &card)) => {
                let group = groups.group(card);
                row.extend([
                    ln_1p(group.alike),
                    ln_1p(group.words),
                    group.spread,
                    group.share,
                    group.link_share,
                    group.prose_density,
                    group.linked,
                    group.pictures,
                    groups.of[card].1 as f32 / group.alike,
                    ln_1p(group.blocks),
                    one_if(group.has_best),
                    group.headings,
                    group.numbers,
                    level.min(MAX_WAY) as f32,
                    group.after_best,
                ]);
            }
        }

        let in_largest = |largest: usize| around.iter().any(|&container| groups.of[container].0 == largest);
        row.push(one_if(largest.is_some_and(in_largest)));
        let share = card.map_or(0.0, |(_, &card)| groups.group(card).share);
        row.push(largest.map_or(0.0, |largest| share / groups.groups[largest].share.max(1e-6)));
        let alike = groups.group(around[0]);
        row.extend([ln_1p(alike.alike), ln_1p(alike.words), alike.link_share, alike.linked]);
    }

    /// Adds the features of the section of a block.
    fn put_section(&self, block: usize, row: &mut Vec<f32>) {
        let Places { totals, sections, .. } = self;
        let Section { blocks: section, number } = sections.of(block);
        let heading = &totals.page.blocks[section.start];
        let level = self.heading_levels[section.start];
        row.extend([
            ln_1p(totals.words.over(&section)),
            totals.link_share(&section),
            totals.prose_density(&section),
            ln_1p(section.len() as f32),
            ln_1p(totals.words.over(&(section.start..block))),
            level.unwrap_or(LEVEL_OF_BOLD + 1.0),
            level.map_or(-1.0, |_| ln_1p(heading.words)),
            level.map_or(-1.0, |_| heading.link_share()),
            number as f32 / sections.starts.len() as f32,
            one_if(section.start >= self.best.end),
            signed_ln(nearest(&self.first_headings, middle(totals, block))),
            ln_1p(totals.headings.over(&(0..block))),
        ]);
    }

    /// Adds the features of the branch to a block. The branch starts directly below the innermost container that has
    /// both the block and the best stretch.
    fn put_branch(&self, block: usize, around: &[usize], row: &mut Vec<f32>) {
        let Places { totals, best, .. } = self;
        let containers = &totals.page.containers;
        let (mut common, mut up) = (self.top, 0);
        while !containers[common].blocks.contains(&block) && up < MAX_LEVELS {
            common = containers[common].parent;
            up += 1;
        }
        let below = around.iter().take_while(|&&container| containers[container].depth > containers[common].depth);
        let (down, branch) = below.enumerate().last().map_or((0, common), |(down, &branch)| (down, branch));

        let blocks = &containers[branch].blocks;
        let side = one_if(blocks.start >= best.end) - one_if(blocks.end <= best.start);
        let between = if side > 0.0 { best.end..blocks.start } else { blocks.end..best.start };
        row.extend([
            ln_1p(totals.words.over(blocks)),
            totals.link_share(blocks),
            totals.prose.over(blocks) / totals.prose.all().max(1.0),
            totals.prose_density(blocks),
            ln_1p(blocks.len() as f32),
            side,
            if side == 0.0 { 0.0 } else { ln_1p(totals.words.over(&between)) },
        ]);

        let hints = if branch == common { 0 } else { containers[branch].hints };
        row.extend((0..HINTS).map(|hint| f32::from(hints >> hint & 1)));
        let is_list = branch != common && matches!(self.tree.name(containers[branch].node), "ul" | "ol");
        row.extend([up.min(MAX_WAY) as f32, down.min(MAX_WAY) as f32, one_if(is_list)]);
    }
}

/// The contents of a page besides text.
struct Seen {
    /// For each block, the number of pictures between it and the one before.
    pictures: Vec<f32>,
    /// The number of all pictures, also of those after the last block.
    all_pictures: f32,
    fields: f32,
    tables: f32,
    times: f32,
    articles: f32,
    has_main: bool,
}

impl Seen {
    fn of(tree: &Tree, count: usize) -> Seen {
        let mut seen = Seen {
            pictures: vec![0.0; count],
            all_pictures: 0.0,
            fields: 0.0,
            tables: 0.0,
            times: 0.0,
            articles: 0.0,
            has_main: false,
        };
        let (mut last, mut next, mut since) = (None, 0, 0.0);
        for node in 0..tree.len() {
            match (tree.kind(node), tree.name(node)) {
                (NodeKind::Text(block), _) => {
                    if last != Some(block) && next < count {
                        seen.pictures[next] = std::mem::take(&mut since);
                        next += 1;
                    }
                    last = Some(block);
                }
                (_, "img" | "picture" | "video" | "iframe") => {
                    since += 1.0;
                    seen.all_pictures += 1.0;
                }
                (_, "form" | "input" | "select") => seen.fields += 1.0,
                (_, "table") => seen.tables += 1.0,
                (_, "time") => seen.times += 1.0,
                (_, "article") => seen.articles += 1.0,
                (_, name) => {
                    seen.has_main |= name == "main" || tree.attribute(node, Attribute::Role) == Some("main");
                }
            }
        }
        seen
    }
}

/// The features that all blocks of a page share.
fn whole_features(
    totals: &Totals,
    best: &Range<usize>,
    heading_levels: &[Option<f32>],
    seen: &Seen,
    groups: &Groups,
) -> Vec<f32> {
    let Blocks { blocks, .. } = totals.page;
    let (count, all_words) = (blocks.len().max(1) as f32, totals.words.all().max(1.0));
    let sum = |value: fn(&Block) -> f32| blocks.iter().map(value).sum::<f32>();
    let first_headings = heading_levels.iter().filter(|level| **level == Some(1.0)).count() as f32;
    let mut features = vec![
        ln_1p(seen.articles),
        ln_1p(seen.fields),
        ln_1p(seen.tables),
        ln_1p(seen.times),
        ln_1p(seen.all_pictures),
        one_if(seen.has_main),
        sum(|block| block.unspaced_words) / all_words,
        ln_1p(all_words / count),
        totals.headings.all() / count,
        ln_1p(first_headings),
        sum(|block| block.commas) / all_words,
        totals.prose.over(best) / totals.prose.all().max(1.0),
        totals.prose_density(best),
        ln_1p(totals.prose.all()),
    ];

    match groups.largest().map(|largest| &groups.groups[largest]) {
        None => features.extend([0.0; 7]),
        Some(group) => features.extend([
            group.share,
            ln_1p(group.words),
            ln_1p(group.alike),
            group.link_share,
            group.prose_density,
            group.pictures,
            ln_1p(group.blocks),
        ]),
    }
    features
}

/// The level of a bold line that serves as a heading.
const LEVEL_OF_BOLD: f32 = 7.0;

/// The level of a block that is a heading, from 1 on. `None` for other blocks.
fn heading_level(page: &Blocks, tree: &Tree, block: usize) -> Option<f32> {
    let Block { container, is_bold, words, .. } = page.blocks[block];
    match tree.name(page.containers[container].node) {
        "h1" => Some(1.0),
        "h2" => Some(2.0),
        "h3" => Some(3.0),
        "h4" => Some(4.0),
        "h5" => Some(5.0),
        "h6" => Some(6.0),
        _ => (is_bold && words > 0.0 && words <= HEADING_WORDS).then_some(LEVEL_OF_BOLD),
    }
}

/// The stretches of a page from each heading to the next.
struct Sections {
    /// The first block of each section, then the number of all blocks.
    starts: Vec<usize>,
    /// For each block its section.
    of: Vec<usize>,
}

struct Section {
    blocks: Range<usize>,
    number: usize,
}

impl Sections {
    fn of(&self, block: usize) -> Section {
        let number = self.of[block];
        Section { blocks: self.starts[number]..self.starts[number + 1], number }
    }
}

/// Divides a page into sections. Headings that follow each other directly start only one section.
fn sections(heading_levels: &[Option<f32>]) -> Sections {
    let (mut starts, mut of) = (vec![0], Vec::with_capacity(heading_levels.len()));
    for block in 0..heading_levels.len() {
        if block > 0 && heading_levels[block].is_some() && heading_levels[block - 1].is_none() {
            starts.push(block);
        }
        of.push(starts.len() - 1);
    }
    starts.push(heading_levels.len());
    Sections { starts, of }
}

/// The innermost container with most of the prose of the best stretch.
fn innermost_with_best(totals: &Totals, best: &Range<usize>) -> usize {
    let all = totals.prose.over(best);
    let has_most = |&container: &usize| {
        let blocks = &totals.page.containers[container].blocks;
        let start = blocks.start.clamp(best.start, best.end);
        let common = start..blocks.end.clamp(start, best.end);
        all > 0.0 && totals.prose.over(&common) >= 0.8 * all
    };
    (0..totals.page.containers.len()).rev().find(has_most).unwrap_or(0)
}

/// For each container, the outermost `<article>` that it is or is in: the number and the container of the article.
fn outermost_articles(page: &Blocks, tree: &Tree) -> Vec<Option<(usize, usize)>> {
    let mut articles: Vec<Option<(usize, usize)>> = Vec::with_capacity(page.containers.len());
    let mut number = 0;
    for (index, container) in page.containers.iter().enumerate() {
        let around = if index > 0 { articles[container.parent] } else { None };
        let is_article = tree.name(container.node) == "article";
        articles.push(around.or_else(|| is_article.then_some((number, index))));
        number += usize::from(is_article);
    }
    articles
}

/// The words before the middle of a block.
fn middle(totals: &Totals, block: usize) -> f32 {
    totals.words.over(&(0..block)) + totals.page.blocks[block].words / 2.0
}

/// The distance from the nearest of these places, negative if `at` is before it. The places must be in order. 0 if
/// there are none.
fn nearest(places: &[f32], at: f32) -> f32 {
    let next = places.partition_point(|&place| place < at);
    let beside = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|index| places.get(index));
    beside.map(|place| at - place).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

fn signed_ln(value: f32) -> f32 {
    ln_1p(value.abs()) * value.signum()
}

fn one_if(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::super::block_features::{BlockFeatures, FEATURES, OF_PAGE};
    use super::*;
    use crate::html::read;

    /// The value of a feature for the first block whose text starts with `start`.
    fn value(page: &str, start: &str, name: &str) -> f32 {
        let (text, tree) = read::<Tree>(page);
        let blocks = Blocks::of(&text, &tree);
        let features = BlockFeatures::of(&blocks, &tree);
        let block =
            blocks.blocks.iter().position(|block| text[block.text.clone()].starts_with(start)).expect("a block");
        assert_eq!((features.of_page.len(), features.rows().len()), (OF_PAGE.len(), blocks.blocks.len()));
        assert!(FEATURES.contains(&name));
        features.get(block, name)
    }

    /// A page with a story and, beside it, teasers of other stories.
    fn page() -> String {
        let story = "<p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>";
        let teaser = |town: &str| {
            format!(
                "<div class=card><img src={town}.jpg><h3><a href=/{town}>{town} votes</a></h3><span>May 3</span></div>"
            )
        };
        let teasers: String = ["Ulm", "Bonn", "Kiel", "Jena"].map(teaser).concat();
        format!(
            "<main><article><h1>Ferry late</h1>{}</article></main><div class=sidebar><h2>More news</h2>{teasers}</div>",
            story.repeat(5)
        )
    }

    #[test]
    fn cards_are_alike() {
        let page = page();
        let is = |start: &str, name: &str, expected: f32| {
            let value = value(&page, start, name);
            assert!((value - expected).abs() < 1e-5, "{start}, {name}: {value}");
        };
        is("Bonn", "card-alike", 4.0_f32.ln_1p());
        is("Bonn", "card-place", 0.25);
        is("Bonn", "card-words", 4.0_f32.ln_1p());
        is("Bonn", "card-pictures", 1.0);
        is("Bonn", "card-headings", 1.0);
        is("Bonn", "card-link-share", 0.5);
        is("Bonn", "card-after-best", 1.0);
        is("Bonn", "card-in-largest", 1.0);
        is("The ferry", "card-alike", 0.0);
        is("The ferry", "alike", 5.0_f32.ln_1p());
        is("The ferry", "page-cards-alike", 4.0_f32.ln_1p());
    }

    #[test]
    fn a_section_ends_at_the_next_heading() {
        let page = "<h1>One</h1><p>a b c</p><p>d</p><h2>Two</h2><h3>Three</h3><p><a href=/x>e f</a></p>";
        let words = |start: &str, name: &str| value(page, start, name).exp_m1().round();
        assert_eq!(words("d", "section-words"), 5.0);
        assert_eq!(words("d", "section-words-before"), 4.0);
        assert_eq!(words("e f", "section-words"), 4.0, "headings one after the other start one section");
        assert_eq!(value(page, "e f", "section-level"), 2.0);
        assert_eq!(value(page, "e f", "section-link-share"), 0.5);
        assert_eq!(value(page, "d", "from-first-heading"), 4.0_f32.ln_1p());
        assert_eq!(value("<p>a</p><h2>b</h2>", "a", "section-level"), LEVEL_OF_BOLD + 1.0);
    }

    #[test]
    fn a_branch_leads_away_from_the_best_stretch() {
        let page = page();
        assert_eq!(value(&page, "Bonn", "branch-side"), 1.0);
        assert_eq!(value(&page, "Bonn", "branch-named-side"), 1.0);
        assert_eq!(value(&page, "Bonn", "branch-prose"), 0.0);
        assert_eq!(value(&page, "The ferry", "branch-side"), 0.0);
        assert_eq!(value(&page, "The ferry", "branch-named-side"), 0.0);
        assert!(value(&page, "Bonn", "branch-down") > value(&page, "More", "branch-down"));
    }

    #[test]
    fn the_outermost_article_counts() {
        let page = "<article><p>a b</p><article><p>c</p></article></article><article><p>d</p></article><p>e</p>";
        assert_eq!(value(page, "c", "article-place"), value(page, "a b", "article-place"));
        assert!(value(page, "d", "article-place") > value(page, "c", "article-place"));
        assert_eq!(value(page, "e", "article-place"), 0.0);
        assert_eq!(value(page, "d", "article-words"), 1.0_f32.ln_1p());
    }

    #[test]
    fn the_nearest_place_is_before_or_after() {
        assert_eq!([1.0, 4.0, 5.0, 20.0].map(|at| nearest(&[2.0, 9.0], at)), [-1.0, 2.0, 3.0, 11.0]);
        assert_eq!(nearest(&[], 3.0), 0.0);
    }
}
