//! How documents are cleaned: from matches to spans, and which kinds of evidence count.

use std::sync::Arc;

use super::shape::ShapeModel;

/// How matches become spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The whole document decides: a two-state chain over the evidence of every match.
    Smooth,
    /// The union of all matches of patterns whose share reaches the cutoff (Foschini, section 3.4); two that are
    /// fewer than this many characters apart become one.
    Union {
        /// In characters.
        merge_gap: usize,
    },
}

/// How to clean.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanOptions {
    /// From matches to spans.
    pub method: Method,
    /// Whether patterns that nobody accepted yet stay out, and with them all that no person vouches for.
    pub only_accepted: bool,
    /// What tells boilerplate that varies by its shape; `None` to go by matches alone.
    pub shape: Option<Arc<ShapeModel>>,
    /// The kinds of evidence that count.
    pub ingredients: Ingredients,
}

/// A kind of evidence, or of doubt, of [`Method::Smooth`] that can be left out to see what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ingredient {
    /// Long matches tell more.
    Length,
    /// Whole lines tell more, however small their share.
    Lines,
    /// Short runs tell less: language repeats pairs.
    Pairs,
    /// Passages that only two documents have may be stories retold.
    Passages,
    /// What many documents say once each is proven, edges included.
    Proof,
    /// Patterns seen in many documents outweigh the shape.
    Documents,
    /// A document's own headline stays.
    Headline,
    /// Shape counts less where little is matched.
    Prior,
    /// The longest paragraph that no match covers stays.
    Article,
    /// Nothing that follows the end of the article is the article's.
    End,
    /// What tells a document from all others stays, such as a price or a maker in a fixed frame.
    Values,
    /// What mining found out of how far shape and matches can be relied on.
    Trust,
}

impl Ingredient {
    /// All of them, each with the name it has on the command line.
    pub const NAMED: [(&'static str, Ingredient); 12] = [
        ("length", Ingredient::Length),
        ("lines", Ingredient::Lines),
        ("pairs", Ingredient::Pairs),
        ("passages", Ingredient::Passages),
        ("proof", Ingredient::Proof),
        ("documents", Ingredient::Documents),
        ("headline", Ingredient::Headline),
        ("prior", Ingredient::Prior),
        ("article", Ingredient::Article),
        ("end", Ingredient::End),
        ("values", Ingredient::Values),
        ("trust", Ingredient::Trust),
    ];
}

/// A set of [`Ingredient`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ingredients(u16);

impl Ingredients {
    /// Every one.
    pub const ALL: Ingredients = Ingredients(u16::MAX);

    /// The set without one of them.
    pub fn without(self, ingredient: Ingredient) -> Ingredients {
        Ingredients(self.0 & !(1 << ingredient as u16))
    }

    /// Whether it is in the set.
    pub fn has(self, ingredient: Ingredient) -> bool {
        self.0 & (1 << ingredient as u16) != 0
    }
}

impl Default for CleanOptions {
    fn default() -> CleanOptions {
        CleanOptions {
            method: Method::Smooth,
            only_accepted: false,
            shape: Some(ShapeModel::shipped()),
            ingredients: Ingredients::ALL,
        }
    }
}
