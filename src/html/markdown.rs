//! A page without some of its text, as Markdown.
//!
//! `htmd` knows how Markdown is written. It is given a plain page (`plain.rs`) and never the page itself: it takes
//! quadratic time for some pages, ends the program if elements are nested deeply, and loses cells of tables.

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};

use super::plain::plain;
use super::tree::Tree;
use super::without::PageCut;

/// The page without some of its visible text, as Markdown: headings, paragraphs, lists, quotes, links, pictures that have
/// a text, tables, code and emphasis. There is no line break at the end.
///
/// `text` and `tree` must be those of the page, as [`read`](super::read) returns them. The cuts are as in
/// [`page_without`](super::page_without). Of elements that lose all their text, nothing is written. `address` is the address of the page, if
/// it is known. Links are made absolute with it and with the `<base>` of the page.
///
/// ```
/// use dehusk::html::{PageCut, Tree, page_markdown, read};
///
/// let page = "<ul><li><a href=/>Home</a></ul><h1>Ferry <i>late</i></h1><p>Again, says <a href=/port>the port</a>.";
/// let (text, tree) = read::<Tree>(page);
/// let cut = PageCut { range: 0..5, replacement: "" };
/// let markdown = page_markdown(&text, &tree, &[cut], Some("https://news.example/1"));
/// assert_eq!(markdown, "# Ferry *late*\n\nAgain, says [the port](https://news.example/port).");
/// ```
pub fn page_markdown(text: &str, tree: &Tree, cuts: &[PageCut], address: Option<&str>) -> String {
    let plain = plain(text, tree, cuts, address);
    let list = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    // It reads from a string, which cannot fail.
    HtmlToMarkdown::builder().options(list).build().convert(&plain).unwrap_or_default()
}
