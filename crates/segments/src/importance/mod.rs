//! How important the blocks of a page are (R. Song, H. Liu, J.-R. Wen, W.-Y. Ma, "Learning block importance models for web
//! pages", WWW 2004).
//!
//! | level | what it is |
//! |---|---|
//! | 1 | noise: advertisements, copyright, decoration |
//! | 2 | useful, but not about the topic of the page: navigation |
//! | 3 | about the topic, not prominent: related topics |
//! | 4 | most prominent: headlines, the main text |

pub mod features;
pub mod links;
pub mod model;
pub mod record;

use dehusk_core::dom::facts::Facts;

use crate::segmentation::vision::{VisionBlock, vision_blocks};
use features::PageTotals;
use model::{Importance, ImportanceModel};

/// The expected level of a block: the mean of the levels of the model, weighted with their probabilities.
pub fn expected_level(model: &ImportanceModel, importance: &Importance) -> f64 {
    model.levels.iter().zip(&importance.probabilities).map(|(&level, probability)| f64::from(level) * probability).sum()
}

/// The blocks of a page with these facts, and the importance of each block. `html` is the number of bytes of the page.
pub fn judged_blocks(model: &ImportanceModel, facts: &Facts, html: usize) -> Vec<(VisionBlock, Importance)> {
    let totals = PageTotals::of(facts, html);
    let judged = |block: VisionBlock| {
        let of = if model.uses_names() { PageTotals::features } else { PageTotals::published_features };
        let importance = model.importance(&of(&totals, &block));
        (block, importance)
    };
    vision_blocks(facts, model.permitted).into_iter().map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::{Tree, estimated_boxes, read};
    use features::{FEATURES, IMPORTANCE_WIDTH};
    use model::{Example, Learner, Scaling};

    /// A model that has learned that blocks with one of the features are noise, and all others are content.
    fn model(noise: &str) -> ImportanceModel {
        let uses: [bool; IMPORTANCE_WIDTH] = std::array::from_fn(|at| FEATURES[at].name == noise);
        let example = |number: usize| {
            let is_noise = number.is_multiple_of(2);
            let features = uses.map(|is_used| f64::from(u8::from(is_used && is_noise)));
            Example { features, level: if is_noise { 1 } else { 4 }, fold: number % 3, weight: 1.0 }
        };
        let examples: Vec<Example> = (0..30).map(example).collect();
        ImportanceModel::fit(&examples, Learner::Logistic, Scaling::Range, &uses, 9).0
    }

    #[test]
    fn the_expected_level_is_between_the_levels() {
        let importance = |probabilities| Importance { level: 1, probability: 0.5, probabilities };
        let expected = |probabilities| expected_level(&model("links"), &importance(probabilities));
        assert_eq!([vec![0.5, 0.5], vec![1.0, 0.0], vec![0.25, 0.75]].map(expected), [2.5, 1.0, 3.25]);
    }

    #[test]
    fn blocks_are_judged_by_the_features_that_the_model_uses() {
        let page =
            "<div class=menu><p>Home and harbour</p></div><hr><div><p>The ferry <a href=b>came</a> in late.</p></div>";
        let (text, tree) = read::<Tree>(page);
        let boxes = estimated_boxes(&tree, &text);
        let facts = Facts::of(&tree, &text, None, Some(&boxes));
        let levels = |noise: &str| -> Vec<u8> {
            judged_blocks(&model(noise), &facts, page.len()).iter().map(|(_, importance)| importance.level).collect()
        };
        assert_eq!(levels("named-navigation"), [1, 4]);
        assert_eq!(levels("links"), [4, 1]);
    }
}
