//! A page with marks on its visible text, for people to look at in a browser.
//!
//! Takes a page with map and tree, and marks: ranges of its visible text. Returns the page with a `<span>` around each
//! marked text. All changes are insertions, so the page looks the same otherwise. At its start, the new page gets a
//! policy that keeps it from running scripts or moving to another page.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use super::BYTE_ORDER_MARK;
use super::map::{SourceMap, SourcePart};
use super::plain::escaped;
use super::syntax::Syntax;
use super::tree::Tree;
use crate::stretches::{common, touching};

/// The policy of a page with marks. It may load styles, fonts and media from the web, but nothing that acts, and no
/// files of this machine. Scripts are forbidden in every form, also as attributes and in links. Frames and objects are
/// forbidden because a page inside them has its own policy.
pub const MARKED_PAGE_POLICY: &str = "default-src 'none'; script-src 'none'; style-src http: https: data: 'unsafe-inline'; \
                                      img-src http: https: data:; font-src http: https: data:; \
                                      media-src http: https: data:; form-action 'none'";

/// A policy does not stop `<meta http-equiv=refresh>`, and the page's own policy may forbid our style. So all these
/// attributes are renamed.
const HTTP_EQUIV: &str = "http-equiv";

/// Elements in which a browser ignores a `<span>`, or in which a `<span>` would end an element.
const WITHOUT_SPANS: [&str; 6] = ["math", "optgroup", "option", "select", "svg", "textarea"];

/// Marks to draw on a page, with the address, style and legend that they need.
#[derive(Clone, Debug)]
pub struct PageMarks<'a> {
    /// The marks, in the order of the text and disjoint.
    pub marks: Vec<PageMark>,
    /// The address of the page, if it is known.
    pub address: Option<&'a str>,
    /// A style sheet for the marks and the legend.
    pub style: &'a str,
    /// The markup of a box that explains the marks.
    pub legend: &'a str,
}

/// A mark on a page.
#[derive(Clone, Debug)]
pub struct PageMark {
    /// The bytes of the visible text.
    pub range: Range<usize>,
    /// Its class, for the style sheet.
    pub class: &'static str,
    /// The text that is shown while the pointer is on the mark.
    pub title: String,
}

/// The page with these marks. `map` and `tree` must be those of this page.
///
/// Text in which a `<span>` is not possible has no mark: labels of `<input>`, the options of `<select>`, `<textarea>`,
/// raw text, formulas. The visible text of the new page is that of the legend and then that of the old page, with
/// `data-http-equiv` for `http-equiv`.
pub fn page_marked(html: &str, map: &SourceMap, tree: &Tree, marks: &PageMarks) -> String {
    let mut insertions = vec![(start_of_content(html), start(tree, marks).into())];
    insertions.extend(defused(html));
    insertions.extend(spans(html, map, tree, marks));
    insertions.sort_by_key(|&(at, _)| at);
    let mut page = String::with_capacity(html.len() + insertions.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut copied = html.len() - html.trim_start_matches(BYTE_ORDER_MARK).len();
    // The byte order mark fixes the encoding. In another one, guessed by the browser or declared by the page, the start
    // could mean something else.
    page.push(BYTE_ORDER_MARK);
    for (at, text) in insertions {
        page.push_str(&html[copied..at]);
        page.push_str(&text);
        copied = at;
    }
    page + &html[copied..]
}

/// A text to insert, and its position in the page.
type Insertion = (usize, Cow<'static, str>);

fn start(tree: &Tree, marks: &PageMarks) -> String {
    let address = marks.address.filter(|_| tree.base().is_none());
    let href = address.map(|address| format!(" href=\"{}\"", escaped(address))).unwrap_or_default();
    // Links open another window, so that the page with its marks stays open. In a frame that cannot open windows, links
    // do nothing.
    format!(
        "<meta name=\"generator\" content=\"dehusk explain\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{MARKED_PAGE_POLICY}\">\
         <base target=\"_blank\"{href}><style>{}</style>\n{}\n",
        marks.style, marks.legend
    )
}

/// The position after the doctype and the comments before the doctype. A `<meta>` that is inserted there starts the
/// head, so scripts can only come after it. If in doubt, the position is an earlier one.
fn start_of_content(html: &str) -> usize {
    let mut rest = html.trim_start_matches(BYTE_ORDER_MARK);
    loop {
        let markup = rest.trim_ascii_start();
        let end = match markup.strip_prefix("<!--") {
            Some(comment) => comment_len(comment).map(|len| "<!--".len() + len),
            None if markup.starts_with("<!") || markup.starts_with("<?") => markup.find('>').map(|at| at + 1),
            None => None,
        };
        match end {
            Some(end) => rest = &markup[end..],
            None => return html.len() - rest.len(),
        }
    }
}

/// The length of a comment with its end, without its start. `None` if it ends in an unusual way.
fn comment_len(comment: &str) -> Option<usize> {
    let end = comment.find("-->")?;
    let is_usual = !comment.starts_with(['>']) && !comment.starts_with("->") && !comment[..end].contains("--!>");
    is_usual.then_some(end + "-->".len())
}

/// Renames all attributes `http-equiv`. The same word in text is changed as well, because a browser may read as markup
/// what we read as text.
fn defused(html: &str) -> impl Iterator<Item = Insertion> {
    let parts = html.as_bytes().windows(HTTP_EQUIV.len()).enumerate();
    let places = parts.filter(|(_, part)| part.eq_ignore_ascii_case(HTTP_EQUIV.as_bytes()));
    places.map(|(at, _)| (at, "data-".into()))
}

fn spans(html: &str, map: &SourceMap, tree: &Tree, marks: &PageMarks) -> Vec<Insertion> {
    let mut is_without = vec![false; tree.len()];
    for node in 1..tree.len() {
        let is_inside = tree.parent(node).is_some_and(|parent| is_without[parent]);
        is_without[node] = is_inside || WITHOUT_SPANS.contains(&tree.name(node));
    }
    let runs: Vec<Range<usize>> = tree.runs().filter(|&run| !is_without[run]).map(|run| tree.text(run)).collect();
    let mut spans = Vec::new();
    for mark in &marks.marks {
        for run in touching(&runs, &mark.range, |run| run) {
            for source in stretches(map.parts(&common(run, &mark.range))) {
                let source = inked(html, source);
                if !source.is_empty() {
                    let open = format!("<span class=\"{}\" title=\"{}\">", mark.class, escaped(&mark.title));
                    spans.push((source.start, open.into()));
                    spans.push((source.end, "</span>".into()));
                }
            }
        }
    }
    spans
}

/// Parts of the page in which markup is possible. Parts without a gap between them are joined.
fn stretches(parts: impl Iterator<Item = SourcePart>) -> impl Iterator<Item = Range<usize>> {
    let mut parts = parts.filter(|part| part.syntax == Syntax::Markup).map(|part| part.source).peekable();
    iter::from_fn(move || {
        let mut all = parts.next()?;
        while let Some(next) = parts.next_if(|next| next.start == all.end) {
            all.end = next.end;
        }
        Some(all)
    })
}

/// A stretch of the page without the white space at its edges, and without a `</` at its end: this is text only at the
/// end of the page, and with more behind it, it would be markup.
fn inked(html: &str, source: Range<usize>) -> Range<usize> {
    let text = html[source.clone()].trim_ascii_end();
    let text = text.strip_suffix("</").unwrap_or(text).trim_ascii_end();
    let end = source.start + text.len();
    end - text.trim_ascii_start().len()..end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{MARKUP, MESS};
    use super::super::{AltText, read, read_with_alt_text, visible_text};
    use super::*;

    const LEGEND: &str = "<div>legend</div>";

    fn marked(html: &str, address: Option<&str>, marks: impl Fn(&str) -> Vec<Range<usize>>) -> String {
        let (text, (map, tree)) = read::<(SourceMap, Tree)>(html);
        let mark = |range| PageMark { range, class: "m", title: "a \"b\" <c> & d".to_owned() };
        let marks = marks(&text).into_iter().map(mark).collect();
        page_marked(html, &map, &tree, &PageMarks { marks, address, style: "", legend: LEGEND })
    }

    fn all(text: &str) -> Vec<Range<usize>> {
        iter::once(0..text.len()).collect()
    }

    /// Every other word, and the white space after it.
    fn words(text: &str) -> Vec<Range<usize>> {
        let mut at = 0;
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            at += word.len();
            at - word.len()..at
        });
        words.step_by(2).collect()
    }

    /// The marked page after its legend, with `[` and `]` as marks.
    fn body(html: &str, marks: impl Fn(&str) -> Vec<Range<usize>>) -> String {
        let page = marked(html, None, marks);
        let (_, body) = page.split_once(&format!("{LEGEND}\n")).expect("a legend");
        body.replace("<span class=\"m\" title=\"a &quot;b&quot; &lt;c&gt; &amp; d\">", "[").replace("</span>", "]")
    }

    #[test]
    fn a_marked_alt_text_is_a_mark_around_its_picture() {
        let html = "<p>a <img src=b alt='c d'>e";
        let (text, (map, tree)) = read_with_alt_text::<(SourceMap, Tree)>(html, AltText::Shown);
        assert_eq!(text, "a c d e");
        let marks = vec![PageMark { range: 2..5, class: "m", title: String::new() }];
        let page = page_marked(html, &map, &tree, &PageMarks { marks, address: None, style: "", legend: LEGEND });
        assert!(page.ends_with("<p>a <span class=\"m\" title=\"\"><img src=b alt='c d'></span>e"), "{page}");
    }

    #[track_caller]
    fn check(html: &str) {
        let text = visible_text(html);
        for marks in [words, all] {
            let page = marked(html, Some("https://quay.example/a?b&c"), marks);
            assert_eq!(visible_text(&page.replacen(LEGEND, "", 1)), text, "{html:?} {page:?}");
            // White space that a `<pre>` keeps is shown after the legend, but not at the start of a text.
            let (shown, expected) = (visible_text(&page), format!("legend{text}"));
            assert!(shown.split_whitespace().collect::<String>() == expected.split_whitespace().collect::<String>());
        }
    }

    #[test]
    fn marked_text_is_in_spans() {
        assert_eq!(body("<p>a <b>b &amp; c</b> d\n</p>", all), "<p>[a] <b>[b &amp; c]</b> [d]\n</p>");
        assert_eq!(body("<p>a b c", |_| iter::once(2..3).collect()), "<p>a [b] c");
        assert_eq!(body("<table> <tr> <td>a</td> </table>", all), "<table> <tr> <td>[a]</td> </table>");
    }

    #[test]
    fn where_no_span_can_stand_there_is_none() {
        for page in [
            "<select><option>a</select>",
            "<input type=submit value=a>",
            "<textarea>a</textarea>",
            "<xmp>a</xmp>",
            "<title>a</title>",
            "<math><mi>a</mi></math>",
        ] {
            assert_eq!(body(page, all), page);
        }
        assert_eq!(body("a</", all), "[a]</");
    }

    #[test]
    fn nothing_on_the_page_acts() {
        let html = "<meta HTTP-EQUIV=refresh content=0><svg><xmp><meta http-equiv=refresh></xmp></svg><p>http-equiv";
        let page = marked(html, None, |_| Vec::new());
        assert_eq!(page.to_ascii_lowercase().matches(HTTP_EQUIV).count(), 4, "{page}");
        assert_eq!(page.to_ascii_lowercase().matches("data-http-equiv").count(), 3, "{page}");
        assert!(page.starts_with("\u{feff}<meta name=") && page.contains(MARKED_PAGE_POLICY), "{page}");
    }

    #[test]
    fn the_policy_comes_after_the_doctype_and_before_all_else() {
        let start = |html: &str| html[start_of_content(html)..].to_owned();
        assert_eq!(start("\u{feff} <?xml a?><!-- a --> <!DOCTYPE html><html>a"), "<html>a");
        for html in ["<script>", " a", "<!--><script>-->", "<!---><script>-->", "<!-- --!><script>-->", "<!-- a"] {
            assert_eq!(start(html), html);
        }
    }

    #[test]
    fn links_start_from_the_address() {
        let page = |html: &str| marked(html, Some("https://quay.example/?a=\"&b"), |_| Vec::new());
        assert!(page("<p>a").contains("<base target=\"_blank\" href=\"https://quay.example/?a=&quot;&amp;b\">"));
        assert!(!page("<base href=/c/><p>a").contains("quay"));
    }

    #[test]
    fn every_part_of_a_mess_can_be_marked() {
        for (at, _) in MESS.char_indices() {
            check(&MESS[..at]);
            check(&MESS[at..]);
        }
    }

    proptest! {
        #[test]
        fn a_marked_page_shows_the_same_text(pieces in prop::collection::vec(prop::sample::select(MARKUP), 0..40)) {
            check(&pieces.concat());
        }

        #[test]
        fn marked_text_stays_text(html in "[<>/&;#!\\-ab6 \"'=\n\r]{0,40}") {
            check(&html);
        }
    }
}
