//! Options for cleaning: how matches become spans, and which kinds of evidence count.

use std::sync::Arc;

use super::shape::ShapeModel;
use crate::dom::block_model::BlockModel;
use crate::dom::page_parts::PageChoices;

/// How matches become spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// A two-state chain over the whole document, with the evidence of every match.
    Smooth,
    /// The union of all matches of patterns whose share reaches the cutoff (Foschini, section 3.4). Two matches with
    /// fewer than this many characters between them become one.
    Union {
        /// In characters.
        merge_gap: usize,
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
    /// The shape model, for boilerplate that varies. `None`: only matches count.
    pub shape: Option<Arc<ShapeModel>>,
    /// The model of the blocks of pages. It counts only for documents that come with the trees of their pages. `None`: the
    /// structure of pages does not count.
    pub structure: Option<Arc<BlockModel>>,
    /// What the user wants of pages, where their structure counts.
    pub page: PageChoices,
    /// The kinds of evidence that count.
    pub evidence_kinds: EvidenceKinds,
}

setters!(CleanOptions {
    method: Method,
    only_accepted: bool,
    shape: Option<Arc<ShapeModel>>,
    structure: Option<Arc<BlockModel>>,
    page: PageChoices,
    evidence_kinds: EvidenceKinds,
});

/// A kind of evidence, or of doubt, in [`Method::Smooth`]. Each can be switched off to measure its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EvidenceKind {
    /// Long matches are stronger.
    Length,
    /// Whole lines are strong, however small their share.
    Lines,
    /// Short runs are weaker, because language repeats pairs of words.
    Pairs,
    /// Passages in only 2 documents may be stories that are retold.
    Passages,
    /// Runs in many documents, once in each, are proven. So are their edges.
    Proof,
    /// Patterns of many documents outweigh the shape.
    Documents,
    /// A document's own headline is kept.
    Headline,
    /// Shape counts less in a document where little is matched.
    Prior,
    /// The longest paragraph that no match covers is kept.
    Article,
    /// Everything after the end of the article is removed.
    End,
    /// Values of a document are kept, such as a price in a fixed frame.
    Values,
    /// Shape and matches count only as far as mining found them reliable in the source.
    Trust,
    /// The structure of a page decides which of its blocks stay.
    Structure,
}

impl EvidenceKind {
    /// All of them, each with the name it has on the command line.
    #[doc(hidden)]
    pub const NAMED: [(&'static str, EvidenceKind); 13] = [
        ("length", EvidenceKind::Length),
        ("lines", EvidenceKind::Lines),
        ("pairs", EvidenceKind::Pairs),
        ("passages", EvidenceKind::Passages),
        ("proof", EvidenceKind::Proof),
        ("documents", EvidenceKind::Documents),
        ("headline", EvidenceKind::Headline),
        ("prior", EvidenceKind::Prior),
        ("article", EvidenceKind::Article),
        ("end", EvidenceKind::End),
        ("values", EvidenceKind::Values),
        ("trust", EvidenceKind::Trust),
        ("structure", EvidenceKind::Structure),
    ];
}

/// A set of [`EvidenceKind`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvidenceKinds(u16);

impl EvidenceKinds {
    /// All kinds of evidence.
    pub const ALL: EvidenceKinds = EvidenceKinds(u16::MAX);

    /// The set without one kind of evidence.
    pub fn without(self, kind: EvidenceKind) -> EvidenceKinds {
        EvidenceKinds(self.0 & !(1 << kind as u16))
    }

    /// Whether it is in the set.
    pub fn has(self, kind: EvidenceKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }
}

impl CleanOptions {
    /// Whether the structure of a page counts.
    pub(crate) fn uses_structure(&self) -> bool {
        let is_smooth = self.method == Method::Smooth && !self.only_accepted;
        is_smooth && self.structure.is_some() && self.evidence_kinds.has(EvidenceKind::Structure)
    }
}

impl Default for CleanOptions {
    fn default() -> CleanOptions {
        CleanOptions {
            method: Method::Smooth,
            only_accepted: false,
            shape: Some(ShapeModel::shipped()),
            structure: Some(BlockModel::shipped()),
            page: PageChoices::default(),
            evidence_kinds: EvidenceKinds::ALL,
        }
    }
}
