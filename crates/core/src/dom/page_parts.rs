//! The parts of a page about which people disagree: headline, byline, comments.
//!
//! People who mark main texts disagree whether these blocks belong to the content, so the user can choose. Takes the
//! blocks of a page with their features, and which of them are content. Returns which blocks are such a part, and
//! whether the user's choice keeps or removes them.

use std::ops::Range;

use super::blocks::{Block, Blocks};
use super::naming::COMMENTS;
use crate::tokens::characters::is_letter_or_number;

/// A block of at most this many words may be the author or the date.
const BYLINE_WORDS: f32 = 12.0;

/// A part of a page about which people disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PagePart {
    /// The headline, and the first-level headings directly before or after it that repeat it.
    Headline,
    /// The short blocks between the headline and the first long block, such as author and date.
    Byline,
    /// The comments of readers: all text in elements with such a name in class, id, `itemprop` or `itemtype`, except
    /// elements that contain the headline.
    Comments,
}

impl PagePart {
    /// Its name, also on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PagePart::Headline => "headline",
            PagePart::Byline => "byline",
            PagePart::Comments => "comments",
        }
    }
}

/// How much lost content weighs, compared with boilerplate that is left in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Favor {
    /// Both weigh the same.
    #[default]
    Balance,
    /// Boilerplate that is left in weighs more.
    Precision,
    /// Lost content weighs more.
    Recall,
}

impl Favor {
    /// How many times as much recall weighs as precision.
    pub(crate) fn care(self) -> f32 {
        match self {
            Favor::Balance => 1.0,
            Favor::Precision => 0.5,
            Favor::Recall => 2.0,
        }
    }
}

/// The user's choice for a part of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartChoice {
    /// The program decides.
    #[default]
    Auto,
    /// It is kept.
    Keep,
    /// It is removed.
    Drop,
}

/// The user's choices for a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageChoices {
    /// What weighs more: lost content, or boilerplate that is left in.
    pub favor: Favor,
    /// What happens to the headline.
    pub headline: PartChoice,
    /// What happens to the byline.
    pub byline: PartChoice,
    /// What happens to comments.
    pub comments: PartChoice,
}

setters!(PageChoices { favor: Favor, headline: PartChoice, byline: PartChoice, comments: PartChoice });

impl PageChoices {
    fn of(self, part: PagePart) -> PartChoice {
        match part {
            PagePart::Headline => self.headline,
            PagePart::Byline => self.byline,
            PagePart::Comments => self.comments,
        }
    }
}

/// The result of the user's choice for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// It is kept, with all its text.
    Stays,
    /// It is removed, because it is this part of the page.
    Goes(PagePart),
}

/// The blocks of a page about which people disagree.
#[derive(Clone, Debug, Default)]
pub struct PageParts {
    comments: Comments,
    headline: Option<usize>,
    /// Whether the block that was found as the headline is a paragraph of prose, not a heading.
    is_paragraph: bool,
    /// The headings that repeat the headline.
    repeats: Vec<usize>,
    byline: Vec<usize>,
}

impl PageParts {
    /// The parts of a page. `feature` gives a feature of a block, `is_content` whether the block is content.
    pub fn of(
        text: &str,
        page: &Blocks,
        feature: &dyn Fn(usize, &str) -> f32,
        is_content: &dyn Fn(usize) -> bool,
    ) -> PageParts {
        let blocks = &page.blocks;
        let has = |block: usize, name: &str| feature(block, name) > 0.0;
        let headline = headline(page, feature);
        let comments = Comments::of(page, headline);
        let Some(headline) = headline else { return PageParts { comments, ..PageParts::default() } };
        let is_first_heading = |block: &usize| has(*block, "is-heading-1");
        let says = |block: usize| &text[blocks[block].text.clone()];
        let beside = [headline.checked_sub(1), Some(headline + 1).filter(|&next| next < blocks.len())];
        let repeats = beside.into_iter().flatten().filter(is_first_heading);
        let words: Vec<f32> = blocks.iter().map(|block| block.words).collect();
        let is_heading = is_first_heading(&headline) || has(headline, "is-heading");
        PageParts {
            comments,
            headline: Some(headline),
            is_paragraph: !is_heading && blocks[headline].prose() > 0.0,
            repeats: repeats.filter(|&block| has_same_words(says(block), says(headline))).collect(),
            byline: byline(headline, &words, is_content).filter(|block| !is_first_heading(block)).collect(),
        }
    }

    /// The headline: see [`headline`].
    pub fn headline(&self) -> Option<usize> {
        self.headline
    }

    /// The part that a block is, if it is one.
    pub fn part(&self, block: usize) -> Option<PagePart> {
        if self.headline == Some(block) || self.repeats.contains(&block) {
            return Some(PagePart::Headline);
        }
        if self.byline.binary_search(&block).is_ok() {
            return Some(PagePart::Byline);
        }
        self.comments.have(block).then_some(PagePart::Comments)
    }

    /// The result of the user's choice for a block. `None` if the choice decides nothing about it.
    pub fn chosen(&self, block: usize, choices: PageChoices) -> Option<Chosen> {
        let part = self.part(block)?;
        let stays = match part {
            PagePart::Headline => !self.repeats.contains(&block),
            PagePart::Byline => true,
            PagePart::Comments => self.comments.are_text(block),
        };
        let goes = part != PagePart::Headline || !self.is_paragraph;
        match choices.of(part) {
            PartChoice::Auto => None,
            PartChoice::Keep => stays.then_some(Chosen::Stays),
            PartChoice::Drop => goes.then_some(Chosen::Goes(part)),
        }
    }
}

/// The blocks with comments.
#[derive(Clone, Debug, Default)]
struct Comments {
    /// For each block of the page, whether it has comments. Empty if no block has any.
    have: Vec<bool>,
    /// For each block of the page, whether most of it is buttons and other links. Empty like `have`.
    are_links: Vec<bool>,
}

impl Comments {
    fn of(page: &Blocks, headline: Option<usize>) -> Comments {
        let holds_headline = |blocks: &Range<usize>| headline.is_some_and(|headline| blocks.contains(&headline));
        // The first container is the page itself.
        let sections = page.containers.iter().skip(1).filter(|container| container.hints & COMMENTS != 0);
        let sections = sections.map(|container| &container.blocks).filter(|blocks| !holds_headline(blocks));
        let mut comments = Comments::default();
        let mut end = 0;
        for blocks in sections {
            if comments.have.is_empty() {
                let is_link = |block: &Block| block.link_share() > 0.5;
                comments.are_links = page.blocks.iter().map(is_link).collect();
                comments.have = vec![false; page.blocks.len()];
            }
            // Of nested containers the outermost comes first, so the blocks of inner ones are filled already.
            comments.have[blocks.start.max(end).min(blocks.end)..blocks.end].fill(true);
            end = end.max(blocks.end);
        }
        comments
    }

    fn have(&self, block: usize) -> bool {
        self.have.get(block).is_some_and(|&has| has)
    }

    fn are_text(&self, block: usize) -> bool {
        !self.are_links.get(block).is_some_and(|&is_link| is_link)
    }
}

/// The headline of a page: the block that is most like the page's title, up to the end of the best stretch of prose.
pub fn headline(page: &Blocks, feature: &dyn Fn(usize, &str) -> f32) -> Option<usize> {
    (0..page.blocks.len()).find(|&block| feature(block, "title") > 0.0)
}

/// The short blocks between the headline and the first long block after it. Empty unless this long block is content.
fn byline(headline: usize, words: &[f32], is_content: &dyn Fn(usize) -> bool) -> Range<usize> {
    let start = headline + 1;
    let first_long = (start..words.len()).find(|&block| words[block] > BYLINE_WORDS);
    start..first_long.filter(|&block| is_content(block)).unwrap_or(start)
}

/// Whether 2 texts have the same words, apart from case and punctuation.
fn has_same_words(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c| !is_letter_or_number(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    words(one) == words(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::blocks::Block;

    #[test]
    fn short_blocks_between_headline_and_content_are_a_byline() {
        let words = [5.0, 8.0, 3.0, 4.0, 30.0, 2.0, 40.0];
        let byline = |headline: usize, shares: [f32; 7]| byline(headline, &words, &|block| shares[block] >= 0.5);
        assert_eq!(byline(1, [0.0, 1.0, 0.0, 1.0, 0.9, 0.0, 1.0]), 2..4);
        assert_eq!(byline(1, [0.0, 1.0, 0.0, 1.0, 0.1, 0.0, 1.0]), 2..2, "what follows is no content");
        assert_eq!(byline(6, [1.0; 7]), 7..7);
    }

    /// For each line, the part as which it is removed, if the user drops headline and byline. A line is the name of an
    /// element and its text. `*` marks the line that is most like the title.
    fn dropped(lines: &[(&str, &str)]) -> Vec<Option<PagePart>> {
        let mut text = String::new();
        let mut blocks = Vec::new();
        for (_, line) in lines {
            let start = text.len();
            text.push_str(line);
            let words = line.split_whitespace().count() as f32;
            let sentence_words = if line.ends_with('.') { words } else { 0.0 };
            blocks.push(Block { text: start..text.len(), words, sentence_words, ..Block::default() });
            text.push('\n');
        }
        let feature = |block: usize, name: &str| {
            let is = |element: &str| lines[block].0.trim_start_matches('*') == element;
            f32::from(u8::from(match name {
                "title" => lines[block].0.starts_with('*'),
                "is-heading-1" => is("h1"),
                _ => is("h2"),
            }))
        };
        let page = Blocks { blocks, containers: Vec::new(), title_words: 3.0 };
        let head = PageParts::of(&text, &page, &feature, &|_| true);
        let choices = PageChoices::default().headline(PartChoice::Drop).byline(PartChoice::Drop);
        let of = |block: usize| match head.chosen(block, choices)? {
            Chosen::Goes(part) => Some(part),
            Chosen::Stays => panic!("nothing is kept"),
        };
        (0..lines.len()).map(of).collect()
    }

    const STORY: &str = "The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.";

    #[test]
    fn a_headline_goes_with_what_repeats_it() {
        use PagePart::{Byline, Headline};
        let lines = [("h1", "FERRY late, again!"), ("*h1", "Ferry late again"), ("p", "By A. Kern"), ("p", STORY)];
        assert_eq!(dropped(&lines), [Some(Headline), Some(Headline), Some(Byline), None]);
        let longer = [("*h1", "Ferry late again"), ("h1", "Ferry late again, the third time"), ("p", STORY)];
        assert_eq!(dropped(&longer), [Some(Headline), None, None], "a longer heading is no repeat and no byline");
        let apart = [("h1", "Ferry late again"), ("p", "News"), ("*h2", "Ferry late again"), ("p", STORY)];
        assert_eq!(dropped(&apart), [None, None, Some(Headline), None]);
        let in_paragraph = [("*h1", "Ferry late again"), ("p", "Ferry late again"), ("p", STORY)];
        assert_eq!(dropped(&in_paragraph), [Some(Headline), Some(Byline), None]);
    }

    #[test]
    fn a_paragraph_that_says_the_title_is_not_dropped() {
        assert_eq!(dropped(&[("p", "Home"), ("*p", STORY), ("p", STORY)]), [None; 3]);
        assert_eq!(dropped(&[("*h2", STORY), ("p", STORY)]), [Some(PagePart::Headline), None]);
    }

    #[test]
    fn a_page_without_headline_has_no_byline() {
        assert_eq!(dropped(&[("h1", "Ferries"), ("p", "By A. Kern"), ("p", STORY)]), [None; 3]);
        assert_eq!(dropped(&[]), []);
    }
}
