//! A page without some of its text, as Markdown.
//!
//! The crate `htmd` writes the Markdown. It gets a plain page (`plain.rs`) and never the original page: on some
//! original pages, it would take quadratic time, end the program at deep nesting, or lose cells of tables.

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};

use super::plain::plain;
use super::tree::Tree;
use crate::cut::Cut;

/// The page without some of its visible text, as Markdown: headings, paragraphs, lists, quotes, links, pictures that
/// have a text, tables, code and emphasis. There is no line break at the end.
///
/// `text` and `tree` must be those of the page, as [`read`](super::read) returns them. The cuts are as in
/// [`page_without`](super::page_without). Elements that lose all their text and pictures that are boilerplate are left
/// out, as in [`page_pruned`](super::page_pruned). `address` is the address of the page, if it is known. Links are made
/// absolute with it and with the `<base>` of the page.
///
/// ```
/// use dehusk::Cut;
/// use dehusk::{Tree, page_markdown, read};
///
/// let page = "<ul><li><a href=/>Home</a></ul><h1>Ferry <i>late</i></h1><p>Again, says <a href=/port>the port</a>.";
/// let (text, tree) = read::<Tree>(page);
/// let cut = Cut { range: 0..5, replacement: "" };
/// let markdown = page_markdown(&text, &tree, &[cut], Some("https://news.example/1"));
/// assert_eq!(markdown, "# Ferry *late*\n\nAgain, says [the port](https://news.example/port).");
/// ```
pub fn page_markdown(text: &str, tree: &Tree, cuts: &[Cut], address: Option<&str>) -> String {
    let plain = plain(text, tree, cuts, address);
    let list = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    // `htmd` reads from a string, which cannot fail.
    HtmlToMarkdown::builder().options(list).build().convert(&plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{AltText, read, read_with_alt_text};
    use super::*;

    /// The page as Markdown without its lines and cells that start with `-`.
    fn markdown_at(html: &str, address: Option<&str>) -> String {
        let (text, tree) = read::<Tree>(html);
        let starts = text.match_indices('-').map(|(at, _)| at);
        let cut = |start: usize| {
            let end = text[start..].find(['\n', '\t']).map_or(text.len(), |len| start + len);
            Cut { range: start..end, replacement: "" }
        };
        page_markdown(&text, &tree, &starts.map(cut).collect::<Vec<_>>(), address)
    }

    #[track_caller]
    fn says(html: &str, expected: &str) {
        assert_eq!(markdown_at(html, None), expected, "{html}");
    }

    #[test]
    fn blocks_are_paragraphs() {
        says("<title>x</title><h1>a</h1><div><p>b<p>c<div>d</div>e</div>", "# a\n\nb\n\nc\n\nd\n\ne");
        says("<h2>a<br>b</h2>c<br>d", "## a b\n\nc  \nd");
        says("a<blockquote><p>b<p>c</blockquote>d", "a\n\n> b\n> \n> c\n\nd");
        says("<div>a<div>-b</div>c</div>", "a\n\nc");
    }

    #[test]
    fn lists_nest() {
        says("<ul><li>a<li>b<ol><li>c<li>d</ol><li><p>e<p>f</ul>g", "- a\n- b\n  1. c\n  2. d\n- e\n\n  f\n\ng");
        says("<ul>a<li>b</ul><li>c", "- a\n- b\n\nc");
        says("<ul><li>-a<li>b</ul><ol><li>-c</ol>", "- b");
        says("<ul><li><img><li>a<ul><li></ul></ul><blockquote></blockquote>", "- a");
    }

    #[test]
    fn marks_stay_inside_paragraphs() {
        says("<b>a<p>b <i>c</i></p></b>", "**a**\n\n**b *c***");
        says("<a href=x><h2>a</h2><p>b</p></a>", "## [a](x)\n\n[b](x)");
        says("<b>a</b><strong>b</strong> <code>c*d</code>", "**ab** `c*d`");
        says("<a href=javascript:x>a</a> <a>b</a>", "a b");
    }

    #[test]
    fn pictures_need_a_text() {
        says("<img src=a.png alt='a b'><img src=b.png><img src=data:x alt=c>", "![a b](a.png)");
        says("<img src=a.png alt='a]b'>", "![a\\]b](a.png)");
        says("<p>a</p><p><img src=a.png alt=b>c <img src=d.png alt=e></p>", "a\n\n![b](a.png) c ![e](d.png)");
        says("<img src=a.png alt=b><p>-c</p><p>d</p><img src=e.png alt=f>", "d\n\n![f](e.png)");
    }

    #[test]
    fn pictures_with_alt_texts_go_and_stay_as_a_whole() {
        let markdown = |html: &str, cut: &str, replacement: &str| {
            let (text, tree) = read_with_alt_text::<Tree>(html, AltText::Shown);
            let cut = text.find(cut).map(|start| Cut { range: start..start + cut.len(), replacement });
            page_markdown(&text, &tree, cut.as_slice(), None)
        };
        let page = "<p>a <img src=b.png alt='c d'> <i>e</i><img alt=f></p>";
        assert_eq!(markdown(page, "-", ""), "a ![c d](b.png) *e* f");
        assert_eq!(markdown(page, "c d", ""), "a *e* f");
        assert_eq!(markdown(page, "d e", ""), "a ![c d](b.png) f");
        assert_eq!(markdown(page, "c d", "x"), "a x *e* f");
        assert_eq!(markdown("<pre>a <img src=b alt=c></pre>", "-", ""), "```\na c\n```");
    }

    #[test]
    fn code_keeps_its_white_space() {
        says("<pre>a\n  <b>b</b>\n</pre>", "```\na\n  b\n```");
        says("<pre><code class='x language-rust'>fn x() {}</code></pre>", "```rust\nfn x() {}\n```");
    }

    #[test]
    fn tables_have_all_their_cells() {
        let table = "<table><tr><th>a<td>b<tr><th>c<td>d<p>e</table>";
        says(table, "| a | b   |\n| - | --- |\n| c | d e |");
        says("<table><tr><td>a<td>b<tr><td>-c<td>d</table>", "| a | b |\n| - | - |\n|   | d |");
        says("<table><tr><td>a<td>b</table>", "a\n\nb");
        says(
            "<table><td>a<td><table><tr><td>b<td>c<tr><td>d<td>e</table></table>",
            "a\n\n| b | c |\n| - | - |\n| d | e |",
        );
    }

    #[test]
    fn links_are_absolute_if_the_page_has_an_address() {
        let at = |html, address| markdown_at(html, address);
        let links = "<a href='b c'>a</a> <a href=#d>e</a>";
        assert_eq!(
            at(links, Some("http://x.example/y/z")),
            "[a](<http://x.example/y/b c>) [e](http://x.example/y/z#d)"
        );
        assert_eq!(at(links, Some("no address")), "[a](<b c>) [e](#d)");
        let based = format!("<base href=/w/>{links}");
        assert_eq!(
            at(&based, Some("http://x.example/y/z")),
            "[a](<http://x.example/w/b c>) [e](http://x.example/w/#d)"
        );
        assert_eq!(at("<base href=http://v.example><a href=u>a</a>", None), "[a](http://v.example/u)");
    }

    #[test]
    fn text_that_looks_like_markdown_is_text() {
        says("<p># a *b* [c](d) &lt;e>", "\\# a \\*b\\* \\[c\\](d) \\<e>");
        says("<p>1. a", "1\\. a");
    }

    #[test]
    fn a_replacement_stands_where_text_was() {
        let (text, tree) = read::<Tree>("<p>a</p><ul><li>b<li>c</ul>");
        let cut = Cut { range: 2..5, replacement: "[...]" };
        assert_eq!(page_markdown(&text, &tree, &[cut], None), "a\n\n- \\[...\\]");
    }

    /// Checks that time is not quadratic, and that no page ends the program.
    #[test]
    fn hostile_pages_take_linear_time() {
        let many = |piece: &str| piece.repeat(20_000);
        let pages = [
            many("<div>") + "x",
            many("<ul><li>") + "x",
            many("<blockquote>x"),
            many("<b>x</b>"),
            many("<b><i>x"),
            many("<font size=1>") + &many("<p>x"),
            format!("<table><tr>{}{}", many("<td>x"), many("<tr><td>y")),
            format!("<table><tr><td>{}{}", many("x"), many("<tr><td>y<td>z")),
            many("<table><tr><td>x<td>y<tr><td>"),
            format!("<ol>{}</ol>", many("<li>x")),
            format!("<pre>{}</pre>", many("<b>x</b>\n")),
            many("<a href=x>y</a> "),
        ];
        for page in &pages {
            let (text, tree) = read::<Tree>(page);
            let markdown = page_markdown(&text, &tree, &[], None);
            assert!(markdown.len() < 100 * page.len(), "{}", &page[..20]);
        }
    }
}
