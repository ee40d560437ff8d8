//! Options for cleaning: how matches become spans, and which models decide.

use std::sync::Arc;

use crate::cleaning::decide::decision_model::DecisionModel;
use crate::dom::block_model::BlockModel;
use crate::dom::page_parts::PageChoices;
use crate::patterns::Loose;

/// How matches become spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The decision model.
    Learned,
    /// The union of all matches of patterns whose share reaches the cutoff (Foschini, section 3.4). Two matches with
    /// fewer than `merge_gap` characters between them become one.
    Union {
        /// The minimum gap between two matches that stay separate, in characters.
        merge_gap: usize,
        /// Whether text is kept that a pattern of several sources matches, unless a person accepted the pattern (the
        /// second-level filter of section 3.3).
        second_filter: bool,
    },
}

/// Options for cleaning.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CleanOptions {
    /// How matches become spans.
    pub method: Method,
    /// Whether to use only accepted patterns.
    pub only_accepted: bool,
    /// The decision model. `None`: recurrence alone decides, so text is removed only if chance does not explain it.
    pub decision: Option<Arc<DecisionModel>>,
    /// The model of the blocks of pages. It is used only for documents that come with the tree of their page. `None`:
    /// the structure of pages is not used.
    pub structure: Option<Arc<BlockModel>>,
    /// The user's choices for pages. Except for `favor`, they have an effect only if the structure of a page is used.
    pub page: PageChoices,
}

setters!(CleanOptions {
    method: Method,
    only_accepted: bool,
    decision: Option<Arc<DecisionModel>>,
    structure: Option<Arc<BlockModel>>,
    page: PageChoices,
});

impl CleanOptions {
    /// Whether it is decided about text that no accepted pattern matches, if the files say `loose` about it.
    pub(super) fn decides_loose(&self, loose: Loose) -> bool {
        !self.only_accepted || loose == Loose::Remove
    }

    /// Whether the structure of pages is used, if the files say `loose` about text without a pattern.
    #[doc(hidden)]
    pub fn uses_structure(&self, loose: Loose) -> bool {
        self.method == Method::Learned && self.decides_loose(loose) && self.structure.is_some()
    }
}

impl Default for CleanOptions {
    fn default() -> CleanOptions {
        CleanOptions {
            method: Method::Learned,
            only_accepted: false,
            decision: Some(DecisionModel::shipped()),
            structure: Some(BlockModel::shipped()),
            page: PageChoices::default(),
        }
    }
}
