//! Tells the content of a page from the rest, block by block.
//!
//! A first [network](crate::models::network) judges each block by the [features](super::block_features) that the page alone
//! gives. A second one judges it again, with the same features and what the first model says about the other blocks
//! ([context](super::block_context)). If the page is of a source with patterns, a third one judges it once more, with all
//! this and what the patterns say about its text ([`TextEvidence`]). All are learned from pages with their main text; what a
//! network learns from another one's opinions is always about sites that the other one has not seen.
//!
//! The blocks that stay are chosen for the page as a whole: those with which the expected F-measure is the greatest, with
//! more weight on what is lost than on what is left in ([`content`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use rayon::prelude::*;

use super::article_head::{ArticleHead, Chosen, HeadChoices, headline};
use super::block_context::{CONTEXT, block_context, log_odds};
use super::block_features::{FEATURES, block_features, feature};
use super::blocks::{Block, Blocks};
use crate::html::Tree;
use crate::models::examples::Examples;
use crate::models::file::{ModelFileError, ModelFormat, PART, parts};
use crate::models::network::{Network, fit};

/// How many times worse lost content is than boilerplate that is left in, on a page alone: the square root of the weight of
/// recall.
pub const CARE: f32 = 1.5;
/// The same for a page of a source with patterns. They say what recurs, so fewer blocks are in doubt.
pub const CARE_IN_SOURCE: f32 = 1.25;
/// Number of parts into which sites are divided, to learn the second model from opinions about sites that are not known.
const FOLDS: usize = 5;
/// Maximum weight of a block, in words: a long paragraph says no more than a shorter one.
const MAX_WEIGHT: f32 = 60.0;
/// The weights of a page are shares of its main text. A shorter one counts as this long, in words.
const LEAST_MAIN_TEXT: f32 = 30.0;
/// See [`fit`].
const PENALTY: f32 = 0.02;
/// The seed of the networks.
const SEED: u64 = 1;

const FIRST: ModelFormat = ModelFormat { model: "blocks", version: 2, features: FEATURES };
const SECOND: ModelFormat = ModelFormat { model: "blocks-in-context", version: 2, features: &BOTH };
const THIRD: ModelFormat = ModelFormat { model: "blocks-in-source", version: 1, features: &ALL };
/// The names of the third network's own features.
const BESIDE: [&str; 4] = ["in-context", "text-goes", "text-score", "has-patterns"];
/// The names of the second network's features.
const BOTH: [&str; CONTEXT.len() + FEATURES.len()] = joined(CONTEXT, FEATURES);
/// The names of the third network's features.
const ALL: [&str; BESIDE.len() + BOTH.len()] = joined(&BESIDE, &BOTH);
/// The first line of a file.
pub const FIRST_LINE: &str = "# A block model of dehusk: it says which blocks of a page are its content.";

/// A model of blocks.
#[derive(Clone, Debug)]
pub struct BlockModel {
    /// Empty until the shipped model is needed for the first time: texts without structure need none, and reading it takes
    /// longer than cleaning a text.
    networks: OnceLock<Networks>,
}

#[derive(Clone, Debug, PartialEq)]
struct Networks {
    first: Network,
    second: Network,
    third: Network,
}

/// What the patterns of a source say about a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextEvidence {
    /// The share of its text that they would remove.
    pub goes: f32,
    /// The sum of their scores of that text, as a share of the block.
    pub score: f32,
}

impl TextEvidence {
    /// The evidence for each block, from what would be removed of the text: ranges in order, each with its score.
    pub fn of_blocks(page: &Blocks, removed: &[(Range<usize>, f32)]) -> Vec<TextEvidence> {
        let mut next = 0;
        let of = |block: &Block| {
            next += removed[next..].iter().take_while(|(range, _)| range.end <= block.text.start).count();
            let mut evidence = TextEvidence::default();
            for (range, score) in removed[next..].iter().take_while(|(range, _)| range.start < block.text.end) {
                let common = range.end.min(block.text.end) - range.start.max(block.text.start);
                let share = common as f32 / block.text.len().max(1) as f32;
                evidence.goes += share;
                evidence.score += share * score;
            }
            evidence
        };
        page.blocks.iter().map(of).collect()
    }
}

/// The blocks of a page, each with the probability that it is content.
#[derive(Clone, Debug)]
pub struct JudgedPage {
    /// The blocks.
    pub page: Blocks,
    /// For each block, 0..=1.
    pub probabilities: Vec<f32>,
    /// The features of the first network, and what the second one has besides.
    features: Vec<f32>,
    context: Vec<f32>,
}

/// A page to learn from.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its site. Pages of a site are alike.
    pub site: String,
    page: Blocks,
    features: Vec<f32>,
    /// What the patterns of its source say, if there are any.
    text: Option<Vec<TextEvidence>>,
    /// For each block, whether it is content, and how much it counts. What does not count has weight 0.
    labels: Vec<(bool, f32)>,
}

impl Lesson {
    /// A page, what is content in it, and what the patterns of its source would remove, if there are any: ranges of the text
    /// in order, each with its score. `shares` gets the blocks, and a function from a block and the name of a feature
    /// to its value. It returns for each block the share of its words that are in the main text, or `None` if the author of
    /// the main text may have decided either way.
    pub fn of(
        site: &str,
        text: &str,
        tree: &Tree,
        removed: Option<&[(Range<usize>, f32)]>,
        shares: impl FnOnce(&Blocks, &dyn Fn(usize, &str) -> f32) -> Vec<Option<f32>>,
    ) -> Lesson {
        let page = Blocks::of(text, tree);
        let features = block_features(&page, tree);
        let shares = shares(&page, &|block, name| feature(&features, block, name));
        let content = |share: &Option<f32>| share.is_some_and(|share| share >= 0.5);
        let main_text: f32 =
            page.blocks.iter().zip(&shares).filter(|(_, share)| content(share)).map(|(block, _)| block.words).sum();
        let label = |(block, share): (&Block, &Option<f32>)| {
            let weight = block.words.clamp(1.0, MAX_WEIGHT) / main_text.max(LEAST_MAIN_TEXT);
            (content(share), if share.is_some() { weight } else { 0.0 })
        };
        let labels = page.blocks.iter().zip(&shares).map(label).collect();
        let text = removed.map(|removed| TextEvidence::of_blocks(&page, removed));
        Lesson { site: site.to_owned(), page, features, text, labels }
    }

    /// Whether each block is content.
    pub fn content(&self) -> impl Iterator<Item = bool> {
        self.labels.iter().map(|label| label.0)
    }
}

impl BlockModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<BlockModel> {
        static SHIPPED: LazyLock<Arc<BlockModel>> =
            LazyLock::new(|| Arc::new(BlockModel { networks: OnceLock::new() }));
        Arc::clone(&SHIPPED)
    }

    fn networks(&self) -> &Networks {
        self.networks.get_or_init(|| {
            let networks = Networks::parse(include_str!("block_model.yaml"), "block_model.yaml");
            networks.unwrap_or_else(|error| panic!("the shipped block model: {error}"))
        })
    }

    /// Fits a model to pages. Each site counts the same, and each of its pages. For the third network, sites with patterns
    /// count as much together as those without.
    #[doc(hidden)]
    pub fn fit(lessons: &[Lesson]) -> BlockModel {
        let course = Course::of(lessons);
        let alone: Vec<&[f32]> = lessons.iter().map(|lesson| lesson.features.as_slice()).collect();
        let first = course.left_out(FEATURES, &alone);
        let context = |lesson: &Lesson| {
            let first = probabilities(&first[course.fold(lesson)], &lesson.features);
            in_context(&lesson.page, &first, &lesson.features)
        };
        let contexts: Vec<Vec<f32>> = lessons.par_iter().map(context).collect();
        let in_context: Vec<&[f32]> = contexts.iter().map(Vec::as_slice).collect();
        let second = course.left_out(&BOTH, &in_context);
        let beside = |(lesson, features): (&Lesson, &Vec<f32>)| {
            let second = probabilities(&second[course.fold(lesson)], features);
            let mut rows = Vec::with_capacity(second.len() * ALL.len());
            for (block, (&p, features)) in second.iter().zip(features.chunks_exact(BOTH.len())).enumerate() {
                put_beside(&mut rows, p, lesson.text.as_ref().map(|text| text[block]));
                rows.extend(features);
            }
            rows
        };
        let besides: Vec<Vec<f32>> = lessons.par_iter().zip(&contexts).map(beside).collect();
        let beside_text: Vec<&[f32]> = besides.iter().map(Vec::as_slice).collect();
        let of_group = course.weights_of_groups();
        let (first, (second, third)) = rayon::join(
            || course.fit(FEATURES, &alone, |_| 1.0),
            || {
                rayon::join(
                    || course.fit(&BOTH, &in_context, |_| 1.0),
                    || course.fit(&ALL, &beside_text, |lesson| of_group[usize::from(lesson.text.is_some())]),
                )
            },
        );
        BlockModel { networks: Networks { first, second, third }.into() }
    }

    /// Judges the blocks of a page alone.
    #[doc(hidden)]
    pub fn judge(&self, text: &str, tree: &Tree) -> JudgedPage {
        let page = Blocks::of(text, tree);
        let features = block_features(&page, tree);
        let first = probabilities(&self.networks().first, &features);
        let context = block_context(&page, &first);
        let page = JudgedPage { page, probabilities: first, features, context };
        JudgedPage { probabilities: page.judged_by(&self.networks().second, |_, _| ()), ..page }
    }

    /// Judges the blocks of a page of a source with patterns: the probability of each that it is content. `text` says what
    /// the patterns would remove.
    #[doc(hidden)]
    pub fn judge_in_source(&self, page: &JudgedPage, text: &[TextEvidence]) -> Vec<f32> {
        page.judged_by(&self.networks().third, |block, row| {
            put_beside(row, page.probabilities[block], Some(text[block]))
        })
    }

    /// The model as a readable file. `about` says in one line what it was learned from.
    pub fn to_yaml(&self, about: &str) -> String {
        let Networks { first, second, third } = self.networks();
        let parts = [(FIRST, first), (SECOND, second), (THIRD, third)];
        let parts = parts.map(|(format, network)| format.network_to_yaml(network));
        format!("{FIRST_LINE}\n# {about}\n{}", parts.join(PART))
    }

    /// Parses a file that [`to_yaml`](BlockModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is no such file, or one of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<BlockModel, ModelFileError> {
        Ok(BlockModel { networks: Networks::parse(yaml, file)?.into() })
    }
}

impl PartialEq for BlockModel {
    fn eq(&self, other: &BlockModel) -> bool {
        std::ptr::eq(self, other) || self.networks() == other.networks()
    }
}

impl Networks {
    fn parse(yaml: &str, file: &str) -> Result<Networks, ModelFileError> {
        let [first, second, third] = &parts(yaml)[..] else {
            let message = "this is no block model; write one with `dehusk train --pages --gold`".to_owned();
            return Err(ModelFileError { file: file.to_owned(), line: 0, message });
        };
        Ok(Networks {
            first: FIRST.parse_network(first, file)?,
            second: SECOND.parse_network(second, file)?,
            third: THIRD.parse_network(third, file)?,
        })
    }
}

impl JudgedPage {
    /// What a network says about each block. `put` adds the features of a block that it has before those of the second
    /// network.
    fn judged_by(&self, network: &Network, put: impl Fn(usize, &mut Vec<f32>)) -> Vec<f32> {
        // Rows are not stored: a page can have a million blocks.
        let mut row = Vec::with_capacity(network.inputs.len());
        let rows = self.context.chunks_exact(CONTEXT.len()).zip(self.features.chunks_exact(FEATURES.len()));
        let judge = network.judge();
        let judged = |(block, (context, features)): (usize, (&[f32], &[f32]))| {
            row.clear();
            put(block, &mut row);
            row.extend(context);
            row.extend(features);
            judge(&row)
        };
        rows.enumerate().map(judged).collect()
    }

    /// Whether each block stays.
    pub fn content(&self) -> Vec<bool> {
        content(&self.page.blocks, &self.probabilities, CARE)
    }

    /// The block that is its headline.
    pub fn headline(&self) -> Option<usize> {
        headline(&self.page, &|block, name| feature(&self.features, block, name))
    }

    /// The head of its article. `stays` says which blocks are content.
    pub fn head(&self, text: &str, stays: &[bool]) -> ArticleHead {
        ArticleHead::of(text, &self.page, &|block, name| feature(&self.features, block, name), &|block| stays[block])
    }

    /// The parts of the visible text that go, in order, each with the probability that it should.
    pub fn boilerplate(&self, text: &str, choices: HeadChoices) -> Vec<(Range<usize>, f32)> {
        let stays = self.content();
        let head = self.head(text, &stays);
        let score = |block: usize| match head.chosen(block, choices) {
            Some(Chosen::Stays) => None,
            Some(Chosen::Goes(_)) => Some(1.0),
            None => (!stays[block]).then(|| 1.0 - self.probabilities[block]),
        };
        let blocks = self.page.blocks.iter().enumerate();
        blocks.filter_map(|(index, block)| Some((block.text.clone(), score(index)?))).collect()
    }
}

/// Whether each block stays, if each is content with this probability. Lost content is `care` times worse than boilerplate
/// that is left in. The content of a page with words has words: if no block with words would stay, the one that is most
/// likely content does.
pub fn content(blocks: &[Block], probabilities: &[f32], care: f32) -> Vec<bool> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
    let words = |block: usize| blocks[block].words.max(0.5);
    let content: f32 = order.iter().map(|&block| words(block) * probabilities[block]).sum();
    let weight = care * care;
    let (mut found, mut kept, mut best, mut least) = (0.0, 0.0, 0.0, 0);
    for (rank, &block) in order.iter().enumerate() {
        found += words(block) * probabilities[block];
        kept += words(block);
        let fit = (1.0 + weight) * found / (kept + weight * content);
        if fit > best {
            (best, least) = (fit, rank + 1);
        }
    }
    let mut stays = vec![false; blocks.len()];
    order[..least].iter().for_each(|&block| stays[block] = true);
    let with_words = || (0..blocks.len()).filter(|&block| blocks[block].words > 0.0);
    if with_words().all(|block| !stays[block]) {
        let likeliest = with_words().max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
        likeliest.into_iter().for_each(|block| stays[block] = true);
    }
    stays
}

/// Lessons, and the sites that they are of.
struct Course<'l> {
    lessons: &'l [Lesson],
    /// For each site its part, and the number of its pages.
    sites: BTreeMap<&'l str, (usize, usize)>,
}

impl<'l> Course<'l> {
    fn of(lessons: &'l [Lesson]) -> Course<'l> {
        let mut sites: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        lessons.iter().for_each(|lesson| sites.entry(&lesson.site).or_default().1 += 1);
        sites.values_mut().enumerate().for_each(|(at, (fold, _))| *fold = at % FOLDS);
        Course { lessons, sites }
    }

    /// The part of the sites that a lesson is in.
    fn fold(&self, lesson: &Lesson) -> usize {
        self.sites[lesson.site.as_str()].0
    }

    /// The weights with which lessons without patterns, and those with patterns, count the same together.
    fn weights_of_groups(&self) -> [f32; 2] {
        let sites = |has_patterns: bool| {
            let of_group = self.lessons.iter().filter(|lesson| lesson.text.is_some() == has_patterns);
            of_group.map(|lesson| 1.0 / self.sites[lesson.site.as_str()].1 as f32).sum::<f32>()
        };
        [false, true].map(|has_patterns| 1.0 / sites(has_patterns).max(1.0))
    }

    /// For each part of the sites, a network that is fitted to the other ones.
    fn left_out(&self, names: &'static [&'static str], rows: &[&[f32]]) -> Vec<Network> {
        let without = |out: usize| self.fit(names, rows, |lesson| f32::from(u8::from(self.fold(lesson) != out)));
        (0..FOLDS).into_par_iter().map(without).collect()
    }

    /// A network that is fitted to rows of features for each lesson. `weight` is that of a site.
    fn fit(&self, names: &'static [&'static str], rows: &[&[f32]], weight: impl Fn(&Lesson) -> f32) -> Network {
        let mut examples = Examples::new(names);
        for (lesson, rows) in self.lessons.iter().zip(rows) {
            let of_page = weight(lesson) / self.sites[lesson.site.as_str()].1 as f32;
            for (row, &(is_content, weight)) in rows.chunks_exact(names.len()).zip(&lesson.labels) {
                if weight * of_page > 0.0 {
                    examples.push(row, f32::from(u8::from(is_content)), weight * of_page);
                }
            }
        }
        fit(&examples, PENALTY, SEED)
    }
}

/// Two lists of names as one. `N` is the number of all names.
const fn joined<const N: usize>(first: &[&'static str], second: &[&'static str]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    names
}

fn probabilities(network: &Network, features: &[f32]) -> Vec<f32> {
    features.chunks_exact(network.inputs.len()).map(network.judge()).collect()
}

/// The features of the second model.
fn in_context(page: &Blocks, first: &[f32], features: &[f32]) -> Vec<f32> {
    let context = block_context(page, first);
    let rows = context.chunks_exact(CONTEXT.len()).zip(features.chunks_exact(FEATURES.len()));
    rows.flat_map(|(context, features)| context.iter().chain(features).copied()).collect()
}

/// Adds the features of a block that the third network has besides: see [`BESIDE`]. `text` is `None` without patterns.
fn put_beside(row: &mut Vec<f32>, in_context: f32, text: Option<TextEvidence>) {
    let TextEvidence { goes, score } = text.unwrap_or_default();
    row.extend([log_odds(in_context), goes, score, f32::from(u8::from(text.is_some()))]);
}
