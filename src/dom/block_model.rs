//! Tells the content of a page from the rest, block by block.
//!
//! A first logistic model judges each block by the [features](super::block_features) that the page alone gives. A second one
//! judges it again, with the same features and what the first model says about the other blocks
//! ([context](super::block_context)). Both are learned from pages with their main text; the first model's opinions that the
//! second one learns from are always about sites that the first one has not seen.
//!
//! The blocks that stay are chosen for the page as a whole: those with which the expected F-measure is the greatest, with
//! more weight on what is lost than on what is left in ([`CARE`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;

use super::block_context::{CONTEXT, block_context};
use super::block_features::{FEATURES, block_features};
use super::blocks::Blocks;
use crate::html::Tree;
use crate::models::file::{ModelFileError, ModelFormat, PART, parts};
use crate::models::logistic::{Examples, FitOptions, LogisticModel, fit};

/// How many times worse lost content is than boilerplate that is left in: the square root of the weight of recall.
pub const CARE: f32 = 1.5;
/// Number of parts into which sites are divided, to learn the second model from opinions about sites that are not known.
const FOLDS: usize = 5;
/// Maximum weight of a block, in words: a long paragraph says no more than a shorter one.
const MAX_WEIGHT: f32 = 60.0;
/// The weights of a page are shares of its main text. A shorter one counts as this long, in words.
const LEAST_MAIN_TEXT: f32 = 30.0;
const FIT: FitOptions = FitOptions { ridge: 20.0, clip: Some(5.0) };

const FIRST: ModelFormat = ModelFormat { model: "blocks", version: 1, features: FEATURES };
const SECOND: ModelFormat = ModelFormat { model: "blocks-in-context", version: 1, features: &BOTH };
/// The names of the second model's features.
const BOTH: [&str; CONTEXT.len() + FEATURES.len()] = {
    let mut both = [""; CONTEXT.len() + FEATURES.len()];
    let mut at = 0;
    while at < both.len() {
        both[at] = if at < CONTEXT.len() { CONTEXT[at] } else { FEATURES[at - CONTEXT.len()] };
        at += 1;
    }
    both
};
/// The first line of a file.
pub const FIRST_LINE: &str = "# A block model of dehusk: it says which blocks of a page are its content.";

/// A model of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockModel {
    first: LogisticModel,
    second: LogisticModel,
}

/// The blocks of a page, each with the probability that it is content.
#[derive(Clone, Debug)]
pub struct JudgedPage {
    /// The blocks.
    pub page: Blocks,
    /// For each block, 0..=1.
    pub probabilities: Vec<f32>,
}

/// A page to learn from.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its site. Pages of a site are alike.
    pub site: String,
    page: Blocks,
    features: Vec<f32>,
    /// For each block, whether it is content, and how much it counts. What does not count has weight 0.
    labels: Vec<(bool, f32)>,
}

impl Lesson {
    /// A page and what is content in it. `shares` gets the blocks, and a function from a block and the name of a feature
    /// to its value. It returns for each block the share of its words that are in the main text, or `None` if the author of
    /// the main text may have decided either way.
    pub fn of(
        site: &str,
        text: &str,
        tree: &Tree,
        shares: impl FnOnce(&Blocks, &dyn Fn(usize, &str) -> f32) -> Vec<Option<f32>>,
    ) -> Lesson {
        let page = Blocks::of(text, tree);
        let features = block_features(&page, tree);
        let value = |block: usize, name: &str| {
            let index = FEATURES.iter().position(|feature| *feature == name);
            index.map_or(0.0, |index| features[block * FEATURES.len() + index])
        };
        let shares = shares(&page, &value);
        let content = |share: &Option<f32>| share.is_some_and(|share| share >= 0.5);
        let main_text: f32 =
            page.blocks.iter().zip(&shares).filter(|(_, share)| content(share)).map(|(block, _)| block.words).sum();
        let label = |(block, share): (&super::blocks::Block, &Option<f32>)| {
            let weight = block.words.clamp(1.0, MAX_WEIGHT) / main_text.max(LEAST_MAIN_TEXT);
            (content(share), if share.is_some() { weight } else { 0.0 })
        };
        let labels = page.blocks.iter().zip(&shares).map(label).collect();
        Lesson { site: site.to_owned(), page, features, labels }
    }

    /// Whether each block is content.
    pub fn content(&self) -> impl Iterator<Item = bool> {
        self.labels.iter().map(|label| label.0)
    }
}

impl BlockModel {
    /// The model that comes with dehusk.
    pub fn shipped() -> Arc<BlockModel> {
        static SHIPPED: LazyLock<Arc<BlockModel>> = LazyLock::new(|| {
            let model = BlockModel::parse(include_str!("block_model.yaml"), "block_model.yaml");
            Arc::new(model.unwrap_or_else(|error| panic!("the shipped block model: {error}")))
        });
        Arc::clone(&SHIPPED)
    }

    /// Fits a model to pages. Each site counts the same, and each of its pages.
    #[doc(hidden)]
    pub fn fit(lessons: &[Lesson]) -> BlockModel {
        let mut sites: BTreeMap<&str, usize> = BTreeMap::new();
        lessons.iter().for_each(|lesson| *sites.entry(&lesson.site).or_default() += 1);
        let folds: BTreeMap<&str, usize> = sites.keys().enumerate().map(|(at, &site)| (site, at % FOLDS)).collect();
        let fold = |lesson: &Lesson| folds[lesson.site.as_str()];
        let of_site = |lesson: &Lesson| 1.0 / sites[lesson.site.as_str()] as f32;
        let fit_to = |names: &'static [&'static str], rows: &[&[f32]], is_in: &dyn Fn(&Lesson) -> bool| {
            let mut examples = Examples::new(names);
            let used = || lessons.iter().zip(rows).filter(|(lesson, _)| is_in(lesson));
            let weights = used().flat_map(|(lesson, _)| lesson.labels.iter().map(|label| label.1 * of_site(lesson)));
            let (sum, count) =
                weights.filter(|&weight| weight > 0.0).fold((0.0, 0.0), |(sum, n), weight| (sum + weight, n + 1.0));
            for (lesson, rows) in used() {
                for (row, &(is_content, weight)) in rows.chunks_exact(names.len()).zip(&lesson.labels) {
                    if weight > 0.0 {
                        // The penalty stands for a number of examples, so their mean weight is 1.
                        let weight = weight * of_site(lesson) * count / sum;
                        examples.push(row, f32::from(u8::from(is_content)), weight);
                    }
                }
            }
            fit(&examples, &FIT)
        };
        let features: Vec<&[f32]> = lessons.iter().map(|lesson| lesson.features.as_slice()).collect();
        let left_out: Vec<LogisticModel> =
            (0..FOLDS).map(|out| fit_to(FEATURES, &features, &|lesson| fold(lesson) != out)).collect();
        let in_context = |lesson: &Lesson| {
            let first = probabilities(&left_out[fold(lesson)], &lesson.features);
            in_context(&lesson.page, &first, &lesson.features)
        };
        let contexts: Vec<Vec<f32>> = lessons.par_iter().map(in_context).collect();
        let contexts: Vec<&[f32]> = contexts.iter().map(Vec::as_slice).collect();
        BlockModel { first: fit_to(FEATURES, &features, &|_| true), second: fit_to(&BOTH, &contexts, &|_| true) }
    }

    /// Judges the blocks of a page.
    #[doc(hidden)]
    pub fn judge(&self, text: &str, tree: &Tree) -> JudgedPage {
        let page = Blocks::of(text, tree);
        let features = block_features(&page, tree);
        let first = probabilities(&self.first, &features);
        let probabilities = probabilities(&self.second, &in_context(&page, &first, &features));
        JudgedPage { page, probabilities }
    }

    /// The model as a readable file. `about` says in one line what it was learned from.
    pub fn to_yaml(&self, about: &str) -> String {
        format!("{FIRST_LINE}\n# {about}\n{}{PART}{}", FIRST.to_yaml(&self.first), SECOND.to_yaml(&self.second))
    }

    /// Parses a file that [`to_yaml`](BlockModel::to_yaml) wrote. `file` is its name in messages.
    ///
    /// # Errors
    /// If it is no such file, or one of another version.
    pub fn parse(yaml: &str, file: &str) -> Result<BlockModel, ModelFileError> {
        let [first, second] = &parts(yaml)[..] else {
            let message = "this is no block model; write one with `dehusk train --pages --gold`".to_owned();
            return Err(ModelFileError { file: file.to_owned(), line: 0, message });
        };
        Ok(BlockModel { first: FIRST.parse(first, file)?, second: SECOND.parse(second, file)? })
    }
}

impl JudgedPage {
    /// Whether each block stays. The content of a page with words has words: if no block with words would stay, the one
    /// that is most likely content does.
    pub fn content(&self) -> Vec<bool> {
        let blocks = &self.page.blocks;
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]).then(a.cmp(&b)));
        let words = |block: usize| blocks[block].words.max(0.5);
        let content: f32 = order.iter().map(|&block| words(block) * self.probabilities[block]).sum();
        let weight = CARE * CARE;
        let (mut found, mut kept, mut best, mut least) = (0.0, 0.0, 0.0, 0);
        for (rank, &block) in order.iter().enumerate() {
            found += words(block) * self.probabilities[block];
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
            let likeliest = with_words().max_by(|&a, &b| self.probabilities[a].total_cmp(&self.probabilities[b]));
            likeliest.into_iter().for_each(|block| stays[block] = true);
        }
        stays
    }

    /// The parts of the visible text that go, in order, each with the probability that it is no content.
    pub fn boilerplate(&self) -> Vec<(Range<usize>, f32)> {
        let of = |((block, stays), p): ((&super::blocks::Block, bool), &f32)| {
            (!stays).then(|| (block.text.clone(), 1.0 - p))
        };
        self.page.blocks.iter().zip(self.content()).zip(&self.probabilities).filter_map(of).collect()
    }
}

fn probabilities(model: &LogisticModel, features: &[f32]) -> Vec<f32> {
    let p = |row: &[f32]| model.probability(row) as f32;
    features.chunks_exact(model.features().len()).map(p).collect()
}

/// The features of the second model.
fn in_context(page: &Blocks, first: &[f32], features: &[f32]) -> Vec<f32> {
    let context = block_context(page, first);
    let rows = context.chunks_exact(CONTEXT.len()).zip(features.chunks_exact(FEATURES.len()));
    rows.flat_map(|(context, features)| context.iter().chain(features).copied()).collect()
}
