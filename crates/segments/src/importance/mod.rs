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
pub mod model;
pub mod record;

use dehusk_core::dom::facts::Facts;

use crate::segmentation::vision::{VisionBlock, vision_blocks};
use features::PageTotals;
use model::{Importance, ImportanceModel};

/// The blocks of a page with these facts, and the importance of each block. `html` is the number of bytes of the page.
pub fn judged_blocks(model: &ImportanceModel, facts: &Facts, html: usize) -> Vec<(VisionBlock, Importance)> {
    let totals = PageTotals::of(facts, html);
    let judged = |block: VisionBlock| {
        let importance = model.importance(&totals.features(&block));
        (block, importance)
    };
    vision_blocks(facts, model.permitted).into_iter().map(judged).collect()
}
