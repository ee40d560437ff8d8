//! Tells the content of a page from the rest, block by block.
//!
//! A [network](crate::models::network) judges each block by the [features](super::block_features) of the page alone. If
//! the source of the page has patterns, a second network judges the block again, by the same features, the opinion of
//! the first network, and the evidence of the patterns about the text ([`TextEvidence`]). Both networks learn from
//! pages whose main text is known. The second one learns only from opinions of the first one about sites that were not
//! in its training. Such opinions also show how reliable the networks are: the log-odds of both are stretched until
//! they are right for unseen sites.
//!
//! The blocks to keep are chosen for the page as a whole: the choice with the greatest expected F-measure
//! ([`content`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use rayon::prelude::*;

use super::block_features::{BlockFeatures, FEATURES, OF_BLOCK, OF_PAGE};
use super::blocks::{Block, Blocks};
use super::page_parts::{Chosen, Favor, PageChoices, PageParts, headline};
use crate::html::Tree;
use crate::models::course::{PARTS, Taught, learned};
use crate::models::file::{ModelFileError, ModelFormat, PART, parts};
use crate::models::names::joined;
use crate::models::network::{Network, log_odds};

/// Maximum weight of a block, in words: a long paragraph says no more than a shorter one.
const MAX_WEIGHT: f32 = 60.0;
/// Minimum length of a main text, in words: shorter ones count as this long. The weights of blocks are shares of the
/// main text.
const LEAST_MAIN_TEXT: f32 = 30.0;
/// The penalty of both networks: see [`learned`].
const PENALTY_OF_BLOCKS: f32 = 0.005;

const ALONE: ModelFormat = ModelFormat { model: "blocks", version: 3, features: FEATURES };
const IN_SOURCE: ModelFormat = ModelFormat { model: "blocks-in-source", version: 2, features: &ALL };
/// The names of the features that only the second network has.
const BESIDE: [&str; 4] = ["alone", "text-goes", "text-score", "has-patterns"];
/// The names of the second network's features. Those that all blocks of a page share come first.
const ALL: [&str; BESIDE.len() + FEATURES.len()] = joined(&[OF_PAGE, &BESIDE, OF_BLOCK]);
/// The first line of a model file.
pub const FIRST_LINE: &str = "# A block model of dehusk: it says which blocks of a page are its content.";

/// A model of blocks.
#[derive(Clone, Debug)]
pub struct BlockModel {
    /// Empty until the shipped model is needed for the first time: texts without structure need no model, and reading
    /// the model takes longer than cleaning a text.
    networks: OnceLock<Networks>,
}

#[derive(Clone, Debug, PartialEq)]
struct Networks {
    alone: Network,
    in_source: Network,
}

/// The evidence of the patterns of a source about a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextEvidence {
    /// The share of the block's text that the patterns would remove.
    pub goes: f32,
    /// The sum of the scores of the removed ranges, each weighted by its share of the block's text.
    pub score: f32,
}

impl TextEvidence {
    /// The evidence for each block. `removed` has the ranges of the text that the patterns would remove, in order, each
    /// with its score.
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
    /// For each block, the probability that it is content, 0..=1.
    pub probabilities: Vec<f32>,
    features: BlockFeatures,
}

/// A page to learn from.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its site. Pages of a site are alike.
    pub site: String,
    features: BlockFeatures,
    /// The evidence of the patterns of its source for each block, if there are any.
    text: Option<Vec<TextEvidence>>,
    /// For each block, whether it is content, and its weight. Nothing is learned from a block of weight 0.
    labels: Vec<(bool, f32)>,
}

impl Lesson {
    /// Makes a lesson of a page. `removed` has the ranges of the text that the patterns of its source would remove, in
    /// order, each with its score; `None` if there are no patterns. `shares` gets the blocks, and a function from a
    /// block and the name of a feature to its value. It returns for each block the share of its words that are in the
    /// main text, or `None` if the author of the main text may have decided either way.
    pub fn of(
        site: &str,
        text: &str,
        tree: &Tree,
        removed: Option<&[(Range<usize>, f32)]>,
        shares: impl FnOnce(&Blocks, &dyn Fn(usize, &str) -> f32) -> Vec<Option<f32>>,
    ) -> Lesson {
        let page = Blocks::of(text, tree);
        let features = BlockFeatures::of(&page, tree);
        let shares = shares(&page, &|block, name| features.get(block, name));
        let content = |share: &Option<f32>| share.is_some_and(|share| share >= 0.5);
        let main_text: f32 =
            page.blocks.iter().zip(&shares).filter(|(_, share)| content(share)).map(|(block, _)| block.words).sum();
        let label = |(block, share): (&Block, &Option<f32>)| {
            let weight = block.words.clamp(1.0, MAX_WEIGHT) / main_text.max(LEAST_MAIN_TEXT);
            (content(share), if share.is_some() { weight } else { 0.0 })
        };
        let labels = page.blocks.iter().zip(&shares).map(label).collect();
        let text = removed.map(|removed| TextEvidence::of_blocks(&page, removed));
        Lesson { site: site.to_owned(), features, text, labels }
    }

    /// For each block, whether it is content.
    pub fn content(&self) -> impl Iterator<Item = bool> {
        self.labels.iter().map(|label| label.0)
    }

    /// A row of all features for each block. Between the features of the page and of the block, `put` adds those that
    /// only one network has.
    fn rows(&self, put: impl Fn(&mut Vec<f32>, usize)) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.labels.len() * ALL.len());
        for (block, of_block) in self.features.rows().enumerate() {
            rows.extend(&self.features.of_page);
            put(&mut rows, block);
            rows.extend(of_block);
        }
        rows
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

    /// Fits a model to pages. Each page of a large site counts less than one of a small site. For the second network,
    /// all pages with patterns together weigh as much as all pages without.
    #[doc(hidden)]
    pub fn fit(lessons: &[Lesson]) -> BlockModel {
        let course = Course::of(lessons);
        let rows: Vec<Vec<f32>> = lessons.par_iter().map(|lesson| lesson.rows(|_, _| {})).collect();
        let (alone, opinions) = course.learned(FEATURES, &rows, |_| 1.0);
        drop(rows);
        let with_opinions = |(lesson, opinions): (&Lesson, &Vec<f32>)| {
            let text = |block: usize| lesson.text.as_ref().map(|text| text[block]);
            lesson.rows(|row, block| put_beside(row, opinions[block], text(block)))
        };
        let rows: Vec<Vec<f32>> = lessons.par_iter().zip(&opinions).map(with_opinions).collect();
        let of_group = course.weights_of_groups();
        let (in_source, _) = course.learned(&ALL, &rows, |lesson| of_group[usize::from(lesson.text.is_some())]);
        BlockModel { networks: Networks { alone, in_source }.into() }
    }

    /// Judges the blocks of a page, by the page alone.
    #[doc(hidden)]
    pub fn judge(&self, text: &str, tree: &Tree) -> JudgedPage {
        let page = Blocks::of(text, tree);
        let features = BlockFeatures::of(&page, tree);
        let probabilities = features.rows().map(self.networks().alone.judge(&features.of_page)).collect();
        JudgedPage { page, probabilities, features }
    }

    /// Judges the blocks of a page whose source has patterns. Returns for each block the probability that it is
    /// content. `text` has the evidence of the patterns for each block.
    #[doc(hidden)]
    pub fn judge_in_source(&self, page: &JudgedPage, text: &[TextEvidence]) -> Vec<f32> {
        // Rows are not stored: a page can have a million blocks.
        let network = &self.networks().in_source;
        let mut row = Vec::with_capacity(network.inputs.len());
        let judge = network.judge(&page.features.of_page);
        let judged = |(block, of_block): (usize, &[f32])| {
            row.clear();
            put_beside(&mut row, page.probabilities[block], Some(text[block]));
            row.extend(of_block);
            judge(&row)
        };
        page.features.rows().enumerate().map(judged).collect()
    }

    /// The model as a readable file. `about` says in one line what the model was learned from.
    pub fn to_yaml(&self, about: &str) -> String {
        let Networks { alone, in_source } = self.networks();
        let parts = [(ALONE, alone), (IN_SOURCE, in_source)];
        let parts = parts.map(|(format, network)| format.network_to_yaml(network));
        format!("{FIRST_LINE}\n# {about}\n{}", parts.join(PART))
    }

    /// Parses a file that [`to_yaml`](BlockModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is not such a file, or a file of another version.
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
        let [alone, in_source] = &parts(yaml)[..] else {
            let message = "this is no block model; train one from pages with gold text".to_owned();
            return Err(ModelFileError { file: file.to_owned(), line: 0, message });
        };
        Ok(Networks { alone: ALONE.parse_network(alone, file)?, in_source: IN_SOURCE.parse_network(in_source, file)? })
    }
}

impl JudgedPage {
    /// For each block, whether it is kept.
    pub fn content(&self, text: &str, favor: Favor) -> Vec<bool> {
        content(text, &self.page.blocks, &self.probabilities, favor.care())
    }

    /// The block that is the headline of the page.
    pub fn headline(&self) -> Option<usize> {
        headline(&self.page, &|block, name| self.features.get(block, name))
    }

    /// The parts of the page about which people disagree. `stays` says which blocks are content.
    pub fn parts(&self, text: &str, stays: &[bool]) -> PageParts {
        PageParts::of(text, &self.page, &|block, name| self.features.get(block, name), &|block| stays[block])
    }

    /// The parts of the visible text that are removed, in order, each with the probability that it is boilerplate.
    pub fn boilerplate(&self, text: &str, choices: PageChoices) -> Vec<(Range<usize>, f32)> {
        let mut stays = self.content(text, choices.favor);
        let parts = self.parts(text, &stays);
        // Authors of main texts disagree about headlines, so the model has learned nothing about headlines.
        parts.headline().into_iter().for_each(|headline| stays[headline] = true);
        let score = |block: usize| match parts.chosen(block, choices) {
            Some(Chosen::Stays) => None,
            Some(Chosen::Goes(_)) => Some(1.0),
            None => (!stays[block]).then(|| 1.0 - self.probabilities[block]),
        };
        let blocks = self.page.blocks.iter().enumerate();
        blocks.filter_map(|(index, block)| Some((block.text.clone(), score(index)?))).collect()
    }
}

/// For each block, whether it is kept. The blocks with the highest probability of content are kept, as many as give the
/// greatest expected F-measure (N. Ye, K. M. A. Chai, W. S. Lee, H. L. Chieu, ICML 2012). Recall weighs `care` times as
/// much as precision, as in the measure F<sub>β</sub>. A page with words keeps some: if no block with words would be
/// kept, the most probable one of them is. `text` is the visible text of the page.
pub fn content(text: &str, blocks: &[Block], probabilities: &[f32], care: f32) -> Vec<bool> {
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
    join_rows(text, blocks, &mut stays);
    stays
}

/// Lets each row of a table stay whole or go whole: blocks with tabs between them. Its words decide: a row stays if one
/// of its cells with letters stays. Numbers alone look like counters, but are what a table is for.
fn join_rows(text: &str, blocks: &[Block], stays: &mut [bool]) {
    let is_row =
        |a: &Block, b: &Block| text.get(a.text.end..b.text.start).is_some_and(|between| between.contains('\t'));
    let mut first = 0;
    for row in blocks.chunk_by(is_row) {
        let of_row = first..first + row.len();
        first = of_row.end;
        let has_letter = |block: &usize| text[blocks[*block].text.clone()].contains(char::is_alphabetic);
        if row.len() > 1 && of_row.clone().any(|block| has_letter(&block)) {
            let whole = of_row.clone().filter(has_letter).any(|block| stays[block]);
            stays[of_row].fill(whole);
        }
    }
}

/// Lessons and their sites.
struct Course<'l> {
    lessons: &'l [Lesson],
    /// For each site, its part (see [`PARTS`]) and the number of its pages.
    sites: BTreeMap<&'l str, (usize, usize)>,
}

impl<'l> Course<'l> {
    fn of(lessons: &'l [Lesson]) -> Course<'l> {
        let mut sites: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        lessons.iter().for_each(|lesson| sites.entry(&lesson.site).or_default().1 += 1);
        sites.values_mut().enumerate().for_each(|(at, (part, _))| *part = at % PARTS);
        Course { lessons, sites }
    }

    /// The weight of a page. The pages of a site share its weight, which grows only with the logarithm of their number,
    /// because further pages of a site teach less and less.
    fn of_page(&self, lesson: &Lesson) -> f32 {
        let pages = self.sites[lesson.site.as_str()].1 as f32;
        (1.0 + pages.log2()) / pages
    }

    /// The weight of each lesson without patterns, and of each lesson with patterns. With these weights, both groups
    /// count the same in total.
    fn weights_of_groups(&self) -> [f32; 2] {
        let weight = |has_patterns: bool| {
            let of_group = self.lessons.iter().filter(|lesson| lesson.text.is_some() == has_patterns);
            of_group.map(|lesson| self.of_page(lesson)).sum::<f32>()
        };
        [false, true].map(|has_patterns| 1.0 / weight(has_patterns).max(1.0))
    }

    /// Fits a network to the rows of features of all lessons. Also returns, for each lesson, the opinions of a network
    /// that has not seen its site. `weight` returns the weight of a lesson's group.
    fn learned(
        &self,
        names: &'static [&'static str],
        rows: &[Vec<f32>],
        weight: impl Fn(&Lesson) -> f32,
    ) -> (Network, Vec<Vec<f32>>) {
        let labels = |lesson: &Lesson| {
            let of_page = weight(lesson) * self.of_page(lesson);
            lesson.labels.iter().map(|&(is_content, weight)| (is_content, weight * of_page)).collect()
        };
        let labels: Vec<Vec<(bool, f32)>> = self.lessons.iter().map(labels).collect();
        let part = |lesson: &Lesson| self.sites[lesson.site.as_str()].0;
        let taught = self.lessons.iter().zip(rows).zip(&labels);
        let taught: Vec<Taught> =
            taught.map(|((lesson, rows), labels)| Taught { part: part(lesson), rows, labels }).collect();
        let learned = learned(names, &taught, PENALTY_OF_BLOCKS);
        let opinions = taught.par_iter().map(|taught| learned.opinions(names.len(), taught)).collect();
        (learned.network, opinions)
    }
}

/// Adds the features of a block that only the second network has: see [`BESIDE`]. `text` is `None` without patterns.
fn put_beside(row: &mut Vec<f32>, alone: f32, text: Option<TextEvidence>) {
    let TextEvidence { goes, score } = text.unwrap_or_default();
    row.extend([log_odds(alone), goes, score, f32::from(u8::from(text.is_some()))]);
}
