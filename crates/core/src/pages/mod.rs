//! Cleaning of pages: adds the structure of a page and the selectors of its source to the cleaning of its text.
//!
//! Pages come with their tree. Apart from [`cleaner`](crate::cleaning::cleaner), cleaning uses the blocks of a page,
//! but not its tree.

pub mod elements;
pub mod structure;

use std::borrow::Cow;
use std::sync::Arc;

use crate::html::Tree;

/// A text to clean. If it is the visible text of a page, it can come with the page's tree.
#[derive(Clone, Debug)]
pub struct PageText<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// The tree of the page.
    pub tree: Option<Arc<Tree>>,
}

impl<'t> From<&'t str> for PageText<'t> {
    fn from(text: &'t str) -> PageText<'t> {
        PageText { text: text.into(), tree: None }
    }
}
