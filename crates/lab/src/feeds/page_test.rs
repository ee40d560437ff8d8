//! Tests whether the text of an entry is all of the article on its page.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::{FxHashMap, FxHasher};

use super::Refusal;
use crate::article::Article;
use dehusk_corpus::Document;
use dehusk_run::scoring::opponents::masked;
use dehusk_run::scoring::words::word_ranges;

/// The share of words that counts as "nearly all".
const NEARLY_ALL: f64 = 0.9;

/// For each line, the pages of a source that have it. Lines that differ only in numbers count as equal.
#[derive(Debug, Default)]
pub struct SourceLines {
    pages: FxHashMap<u64, Vec<u32>>,
}

impl SourceLines {
    /// The lines of the pages of a source.
    pub fn of<'t>(pages: impl IntoIterator<Item = &'t str>) -> SourceLines {
        let mut lines = SourceLines::default();
        for (number, text) in (0..).zip(pages) {
            for line in text.lines() {
                let pages = lines.pages.entry(hash(line)).or_default();
                if pages.last() != Some(&number) {
                    pages.push(number);
                }
            }
        }
        lines
    }

    /// The numbers of the pages with this line, in order.
    fn pages(&self, line: &str) -> &[u32] {
        self.pages.get(&hash(line)).map_or(&[], Vec::as_slice)
    }
}

fn hash(line: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(masked(line))
}

/// Compares the text of an entry with its page. `lines` are the lines of all pages of the source. Returns `None` if it
/// is the full text.
///
/// Nearly all words of the text must be on the page. After the end of the text, the page may have menus and teasers of
/// other articles, but not more of the article. Words after the end may be of the article if they are not in links, and
/// their line is on no page of another article. They must be few compared with the text.
pub fn refused_by_page(text: &str, page: &Document, lines: &SourceLines) -> Option<Refusal> {
    let article = Article::locate(&page.text, text);
    if article.found < NEARLY_ALL {
        return Some(Refusal::OtherText);
    }
    let words = word_ranges(text).count();
    let more = words_after(page, &article, lines);
    (more as f64 > (1.0 - NEARLY_ALL) * (words + more) as f64).then_some(Refusal::Continues)
}

/// Number of words after this article in its page that may be of the article as well.
fn words_after(page: &Document, article: &Article, lines: &SourceLines) -> usize {
    let end = article.stretches.last().map_or(0, |last| last.end);
    // Pages with the longest line of the article are copies of this page, such as later captures, or the same article
    // with another template.
    let longest = article.stretches.iter().max_by_key(|stretch| stretch.len());
    let copies = longest.map_or(&[][..], |stretch| lines.pages(line_around(&page.text, stretch.start)));
    let is_of_others = |line: &str| lines.pages(line).iter().any(|number| copies.binary_search(number).is_err());
    let mut start = 0;
    let of_line = |line: &str| {
        let range = start..start + line.len();
        start = range.end;
        match () {
            () if range.end <= end => 0,
            // The line in which the text ends.
            () if range.start < end => words_outside_links(page, end, range.end),
            () if is_of_others(line) => 0,
            () => words_outside_links(page, range.start, range.end),
        }
    };
    page.text.split_inclusive('\n').map(of_line).sum()
}

/// The line around this place.
fn line_around(text: &str, place: usize) -> &str {
    let start = text[..place].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

fn words_outside_links(page: &Document, from: usize, to: usize) -> usize {
    let Some(tree) = page.tree.as_deref() else { return word_ranges(&page.text[from..to]).count() };
    let is_link = |run: usize| tree.ancestors(run).any(|node| tree.name(node) == "a");
    let runs = tree.runs().filter(|&run| !is_link(run)).map(|run| tree.text(run));
    let parts = runs.map(|text| text.start.max(from)..text.end.min(to)).filter(|part| part.start < part.end);
    parts.map(|part| word_ranges(&page.text[part]).count()).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use dehusk_core::html::{Tree, read};
    use dehusk_corpus::SourceId;

    const FIRST: &str =
        "The ferry came in late again on Friday, and the choir that was on board sang to those who waited.";
    const SECOND: &str =
        "Nobody asked for their money back, said the harbour master, who had waited for two hours himself.";
    const NOTICE: &str = "We and our partners store what you read on your device, and you agree to it by reading on.";

    fn page(body: &str) -> Document {
        let html =
            format!("<nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><h1>Late ferry</h1>{body}<p>{NOTICE}");
        let (text, tree) = read::<Tree>(&html);
        let mut page = Document::new("x".to_owned(), SourceId::parse("tide.example").expect("a name"), text);
        page.tree = Some(Arc::new(tree));
        page
    }

    /// The refusal of the text if the page has this body, and the source has another page.
    fn refused(text: &str, body: &str) -> Option<Refusal> {
        let (page, other) = (page(body), page("<p>Rain."));
        refused_by_page(text, &page, &SourceLines::of([page.text.as_str(), other.text.as_str()]))
    }

    #[test]
    fn the_full_text_ends_where_the_article_ends() {
        let text = format!("{FIRST}\n{SECOND}");
        assert_eq!(refused(&text, &format!("<p>{FIRST}<p>{SECOND}")), None);
        // The page adds words between the paragraphs, and a few after them.
        assert_eq!(refused(&text, &format!("<p>{FIRST}<p>Advertisement<p>{SECOND}<p>Tags: ferry")), None);
        // Links to other articles.
        let links: String = (0..9).map(|n| format!("<li><a href=/{n}>Another {n} of our stories</a>")).collect();
        assert_eq!(refused(&text, &format!("<p>{FIRST}<p>{SECOND}<ul>{links}</ul>")), None);
    }

    #[test]
    fn behind_a_teaser_the_article_goes_on() {
        assert_eq!(refused(FIRST, &format!("<p>{FIRST}<p>{SECOND}")), Some(Refusal::Continues));
        assert_eq!(refused(FIRST, &format!("<p>{FIRST} {SECOND}")), Some(Refusal::Continues));
        let cut = FIRST.split(' ').take(16).collect::<Vec<_>>().join(" ");
        assert_eq!(refused(&cut, &format!("<p>{FIRST}")), Some(Refusal::Continues));
    }

    #[test]
    fn what_copies_of_the_page_repeat_is_of_the_article() {
        let (page, other) = (page(&format!("<p>{FIRST}<p>{SECOND}")), page("<p>Rain."));
        let copy = format!("{FIRST}\n{SECOND}\nPrint");
        let texts = [page.text.as_str(), &copy, &page.text, &other.text];
        assert_eq!(refused_by_page(FIRST, &page, &SourceLines::of(texts)), Some(Refusal::Continues));
        assert_eq!(refused_by_page(&format!("{FIRST} {SECOND}"), &page, &SourceLines::of(texts)), None);
    }

    #[test]
    fn a_page_with_another_text_says_nothing() {
        assert_eq!(refused(FIRST, &format!("<p>{SECOND}")), Some(Refusal::OtherText));
        assert_eq!(
            refused(&format!("{FIRST}\n{SECOND}"), &format!("<p>{FIRST}<p>Subscribe to read on.")),
            Some(Refusal::OtherText)
        );
        // A word that is spelt differently does not matter.
        assert_eq!(refused(&FIRST.replace("Friday", "Fri."), &format!("<p>{FIRST}")), None);
    }

    #[test]
    fn a_page_without_a_tree_has_no_links() {
        let mut page =
            page(&format!("<p>{FIRST}<ul><li><a href=/>Read what else is new by the sea, and far away from it"));
        let lines = SourceLines::of([page.text.as_str(), NOTICE]);
        assert_eq!(refused_by_page(FIRST, &page, &lines), None);
        page.tree = None;
        assert_eq!(refused_by_page(FIRST, &page, &lines), Some(Refusal::Continues));
    }
}
