//! The models that judge a page on its own, without patterns and without other pages.
//!
//! Takes the visible text of a page and its tree. Gives the parts of the text that are removed, each with a score.

use std::ops::Range;
use std::sync::Arc;

use super::block_model::BlockModel;
use super::facts::Facts;
use super::page_level::PageModel;
use super::page_parts::PageChoices;
use crate::html::{Boxes, Tree};

/// A model that judges the parts of a page.
#[derive(Clone, Debug)]
pub enum PageJudge {
    /// Removes all parts that are boilerplate.
    Template(Arc<PageModel>),
    /// Removes all blocks that are not content. The user chooses what happens to headline, byline and comments.
    Content(Arc<BlockModel>, PageChoices),
}

impl PageJudge {
    /// The parts of the visible text that are removed, in order, each with the probability that it is boilerplate.
    /// `url` is the address of the page, and `boxes` has the places where its nodes are drawn, if known.
    pub fn boilerplate(
        &self,
        text: &str,
        tree: &Tree,
        url: Option<&str>,
        boxes: Option<&Boxes>,
    ) -> Vec<(Range<usize>, f32)> {
        match self {
            PageJudge::Template(model) => model.templates(&Facts::of(tree, text, url, boxes)),
            PageJudge::Content(model, choices) => model.judge(text, tree).boilerplate(text, *choices),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::read;

    fn kept(page: &str) -> String {
        let (text, tree) = read::<Tree>(page);
        let parts =
            PageJudge::Content(BlockModel::shipped(), PageChoices::default()).boilerplate(&text, &tree, None, None);
        assert!(parts.is_sorted_by(|(one, _), (other, _)| one.end <= other.start));
        let mut kept = text.clone();
        parts.into_iter().rev().for_each(|(part, _)| kept.replace_range(part, ""));
        kept
    }

    #[test]
    fn the_content_of_a_page_stays() {
        let link = |number: usize| format!("<li><a href=/{number}>Section {number}</a></li>");
        let menu: String = (0..12).map(link).collect();
        let story = "<p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>";
        let page =
            format!("<nav><ul>{menu}</ul></nav><article>{}</article><footer>Terms of use</footer>", story.repeat(5));
        let kept = kept(&page);
        assert_eq!(kept.matches("nobody on the quay knew").count(), 5, "{kept}");
        assert!(!kept.contains("Section 3"), "{kept}");
    }

    #[test]
    fn no_page_with_words_loses_all_of_them() {
        for page in [
            "<a href=/>Home</a>",
            "<nav><ul><li><a href=/>Home</a><li><a href=/a>About us</a></ul></nav>",
            "<p>\u{2022}</p><footer><a href=/>Terms</a></footer>",
            "<footer>\u{a9} 2024 Tideline. All rights reserved.</footer>",
        ] {
            assert!(kept(page).contains(char::is_alphabetic), "{page}");
        }
        assert_eq!(kept("<p>\u{2022}</p>").trim(), "\u{2022}");
        assert_eq!(kept(""), "");
    }
}
