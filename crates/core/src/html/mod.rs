//! Extracts the text that a person sees on an HTML page.
//!
//! Takes the page as a string; any string is valid HTML. Returns the visible text, with one line per block element. On
//! request, it also returns a map from the text back to the source, and the tree of what is visible. To make the string
//! from bytes, [`declared_encoding`] finds the encoding that a page declares.
//!
//! html5gum's tokenizer reads the page once, tag by tag. The text depends only on the open elements, and a stack is
//! enough for these. A [`Tree`] is built on request, in the same pass. The stack follows the HTML standard closely: a
//! hidden element ends where it would end in a browser, also if its end tag is missing or in the wrong place. Where
//! this would cost much time, text is shown rather than hidden. Time is linear in the length of the page, for any page.

mod boxes;
mod builder;
mod emptied;
mod extractor;
mod kinds;
pub mod laws;
mod layout;
mod lines;
mod look;
mod map;
#[cfg(feature = "markdown")]
mod markdown;
mod marked;
mod metadata;
#[cfg(test)]
mod oracle;
mod pending;
mod pictures;
mod plain;
mod prescan;
mod pruned;
mod stack;
mod style;
mod syntax;
mod tags;
mod tree;
mod without;

use html5gum::Tokenizer;

use extractor::Extractor;
use map::Trace;
use tree::Planter;

pub use boxes::{Boxes, Rect};
pub use kinds::Kinds;
pub use layout::estimated_boxes;
pub use map::SourceMap;
#[cfg(feature = "markdown")]
pub use markdown::page_markdown;
pub use marked::{MARKED_PAGE_POLICY, PageMark, PageMarks, page_marked};
pub use metadata::{Declared, Metadata, page_metadata};
pub use plain::{escaped, link_resolver};
pub use prescan::declared_encoding;
pub use pruned::page_pruned;
pub use style::{Style, WEIGHT_OF_BOLD};
pub use tree::{Attribute, NodeKind, Tree};
pub use without::page_without;

/// If a page has this many times more text in `<noscript>` and in elements that are `hidden` or have the style
/// `visibility: hidden` than elsewhere, it is read as if no script ran. Scripts write or show nearly all text of such a
/// page.
const MOSTLY_UNSEEN: usize = 10;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The visible text of an HTML page.
///
/// Each block element is on its own lines. The short cells of a table row are on one line, with tabs between them.
/// White space is collapsed as in browsers, except in `<pre>` and similar elements. Only `<pre>` can give empty lines.
/// There is no line break at the end.
///
/// Text that is not part of the page is left out: scripts, styles, comments, templates, the title. So is text that is
/// only for browsers without some feature: `<noscript>`, and the content of frames, videos, objects and canvases. SVG
/// is left out, and text that is hidden by the `hidden` attribute or an inline style. The labels of `<input>` buttons
/// are text. Placeholders, values and `alt` texts are not. All options of a `<select>` count as visible.
pub fn visible_text(html: &str) -> String {
    read::<()>(html).0
}

/// Whether the `alt` texts of pictures (`<img alt>`) are text of a page.
///
/// Such a text is shown as the picture is: within its line, with white space around it. An empty text is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AltText {
    /// The texts are left out: a visitor who sees the pictures does not see these texts.
    #[default]
    LeftOut,
    /// The texts are part of the page's text.
    Shown,
}

/// How a page is read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// Whether it is read as if no script ran.
    without_scripts: bool,
    alt_text: AltText,
}

/// Something that can be read from a page in addition to its visible text: a [`SourceMap`], a [`Tree`], the
/// declarations of the page about itself ([`Declared`]), a pair of these, or nothing (`()`).
pub trait PageAspect: sealed::PageAspect {}

impl<R: sealed::PageAspect> PageAspect for R {}

/// The visible text of an HTML page, as in [`visible_text`], and the requested [`PageAspect`], in one pass.
///
/// A page must be shorter than 4 GiB.
///
/// ```
/// use dehusk::{SourceMap, Tree, read};
///
/// let (text, (map, tree)) = read::<(SourceMap, Tree)>("<ul><li>Home<li>Sport</ul>");
/// assert_eq!((text.as_str(), map.source_range(0..4), tree.runs().count()), ("Home\nSport", 8..12, 2));
/// ```
pub fn read<R: PageAspect>(html: &str) -> (String, R) {
    read_page(html, Reading::default())
}

fn read_page<R: PageAspect>(html: &str, reading: Reading) -> (String, R) {
    let (_, text, aspect) = read_as(html, reading);
    (text, aspect)
}

/// Reads a page like [`read`], unless nearly all its text is in `<noscript>` or in elements that are `hidden` or have
/// the style `visibility: hidden`. Scripts write or show such a page, so it is read as if no script ran: these elements
/// are shown.
pub fn read_despite_scripts<R: PageAspect>(html: &str) -> (String, R) {
    read_with_alt_text(html, AltText::LeftOut)
}

/// Reads a page like [`read_despite_scripts`]. `alt_text` says whether the `alt` texts of pictures are text.
pub fn read_with_alt_text<R: PageAspect>(html: &str, alt_text: AltText) -> (String, R) {
    let (unseen, text, aspect) = read_as(html, Reading { without_scripts: false, alt_text });
    if unseen > MOSTLY_UNSEEN * text.len() {
        let (_, without_scripts, its_aspect) = read_as(html, Reading { without_scripts: true, alt_text });
        if without_scripts.len() > MOSTLY_UNSEEN * text.len() {
            return (without_scripts, its_aspect);
        }
    }
    (text, aspect)
}

/// Reads a page. Also returns, first, the number of bytes that are not shown, but that a script may show.
fn read_as<R: PageAspect>(html: &str, reading: Reading) -> (usize, String, R) {
    let page = html.strip_prefix(BYTE_ORDER_MARK).unwrap_or(html);
    let mut extractor: Extractor<R::Trace> = Extractor::new(html, html.len() - page.len(), reading);
    let Ok(()) = Tokenizer::new_with_emitter(page, &mut extractor).finish();
    let unseen = extractor.unseen();
    let (text, trace) = extractor.finish();
    (unseen, text, R::of(trace, html.len(), reading.alt_text))
}

mod sealed {
    use super::{AltText, Declared, Planter, SourceMap, Trace, Tree};

    /// The trace that is recorded while a page is read, and the result that is made of it.
    pub trait PageAspect {
        type Trace: Trace;

        /// `len` is the number of bytes of the page. `alt_text` says how it was read.
        fn of(trace: Self::Trace, len: usize, alt_text: AltText) -> Self;
    }

    impl PageAspect for () {
        type Trace = ();

        fn of((): (), _: usize, _: AltText) {}
    }

    impl PageAspect for SourceMap {
        type Trace = SourceMap;

        fn of(trace: SourceMap, _: usize, _: AltText) -> SourceMap {
            trace
        }
    }

    impl PageAspect for Declared {
        type Trace = Declared;

        fn of(trace: Declared, _: usize, _: AltText) -> Declared {
            trace.finish()
        }
    }

    impl PageAspect for Tree {
        type Trace = Planter;

        fn of(trace: Planter, len: usize, alt_text: AltText) -> Tree {
            trace.finish(len, alt_text)
        }
    }

    impl<A: PageAspect, B: PageAspect> PageAspect for (A, B) {
        type Trace = (A::Trace, B::Trace);

        fn of((a, b): (A::Trace, B::Trace), len: usize, alt_text: AltText) -> (A, B) {
            (A::of(a, len, alt_text), B::of(b, len, alt_text))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::laws::check;
    use super::*;

    #[track_caller]
    fn shows(html: &str, expected: &str) {
        assert_eq!(visible_text(html), expected, "{html}");
        check(html);
    }

    #[test]
    fn what_a_click_or_a_style_sheet_shows_is_text() {
        let shown = "<details><summary>a</summary>b</details><dialog>c</dialog><p aria-hidden=true>d<p class=hidden>e";
        assert_eq!(visible_text(shown), "a\nb\nc\nd\ne");
        let hidden = "<p hidden>a<p style='display: none'>b<template>c</template><noscript>d</noscript><p>e";
        assert_eq!(visible_text(hidden), "e");
    }

    #[test]
    fn labels_lead_back_piece_by_piece() {
        for value in ["'Go &lt; \0on\r\nnow &amp then'", "a&b&nosuch;c&notit=&#x;d\r\r\n", "'&amp=&lt=\0\0 \r \n&'"] {
            check(&format!("<input type=submit value={value}>"));
        }
    }

    #[test]
    fn blocks_are_lines() {
        shows("<p>a</p><p>b</p>", "a\nb");
        shows("<div>a<div>b</div>c</div>d", "a\nb\nc\nd");
        shows("<h1>a</h1>b<ul><li>c<li>d</ul>e", "a\nb\nc\nd\ne");
        shows("<dl><dt>a<dd>b</dl><blockquote>c</blockquote>", "a\nb\nc");
        shows("a<br>b<br/><br>c<hr>d</br>e", "a\nb\nc\nd\ne");
        shows("<select><option>a<option>b</select>", "a\nb");
    }

    #[test]
    fn inline_elements_are_not() {
        shows("a<b>b</b><i>c</i> <a href=x>d</a><wbr>e", "abc de");
        shows("<x-y>a</x-y>b", "ab");
    }

    #[test]
    fn widgets_part_words() {
        shows("a<img src=x>b<button>c</button><button>d</button>e", "a b c d e");
    }

    #[test]
    fn white_space_collapses_except_in_pre() {
        shows(" \n a \t\r\n b\x0c<b> c </b> d\n", "a b c d");
        shows("a&nbsp; b&#32;&#10;c", "a\u{a0} b c");
        shows("x<pre>\n\n  a\n    b\n\nc \n</pre>y", "x\n  a\n    b\n\nc\ny");
        shows("<pre>a\r\nb<br>c</pre>", "a\nb\nc");
        shows("<textarea>\na  b</textarea>c", "a  b c");
        shows("<listing>a  b</listing><xmp><b>  x</xmp>", "a  b\n<b>  x");
        shows("<p>&nbsp;</p>a<p>&nbsp; &nbsp;</p>b", "a\nb");
    }

    #[test]
    fn cells_of_a_row_share_a_line_if_they_can() {
        let row = "<tr><td>a</td> <th>b</th> <td></td> <td>c</td></tr>";
        shows(&format!("<table>{row}{row}</table>d"), "a\tb\tc\na\tb\tc\nd");
        shows("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc");
        shows("<table><td><p>a</p><td><p>b</p></table>", "a\nb");
        shows("<table><td>a<td>b<br>c<td>d</table>", "a\nb\nc\nd");
        shows("a<tr><td>b</td>c", "abc");
    }

    #[test]
    fn what_is_not_on_the_page_is_left_out() {
        shows("<head><title>a</title></head>b", "b");
        shows("a<!-- b -- > c --><?d e?><!DOCTYPE f>g<![CDATA[h]]>i", "agi");
        shows("<style>a</style>b<script>'<p>c</p>'</script>d", "bd");
        shows("<noscript>a<p>b</noscript>c", "c");
        shows("<template>a<div>b</template>c", "c");
        shows("<template shadowrootmode=open>a</template>b", "ab");
        shows("<iframe><p>a</iframe><object>b</object>c", "c");
        shows("<audio>a</audio><video><p>b</p></video><canvas>c</canvas>d", "d");
        shows("<svg><title>a</title><text>b</text></svg>c", "c");
        shows("<ruby>a<rp>(<rt>b<rp>)</ruby>c", "abc");
        shows("<datalist><option>a</datalist>b", "b");
    }

    #[test]
    fn a_page_that_scripts_write_is_read_without_them() {
        let shows = |html: &str, expected: &str| {
            let (text, (map, tree)) = read_despite_scripts::<(SourceMap, Tree)>(html);
            assert_eq!(text, expected, "{html}");
            assert_eq!(tree.text(0), 0..text.len(), "{html}");
            assert!(map.source_ranges(0..text.len()).all(|range| html.is_char_boundary(range.end)), "{html}");
        };
        let post = "<noscript><p>The ferry to the island is late <b>again</b>.</noscript>";
        shows(&format!("<title>x</title>{post}"), "The ferry to the island is late again.");
        shows(&format!("a{post}<div>b"), "a\nThe ferry to the island is late again.\nb");
        shows(&format!("a b c d{post}"), "a b c d");
        shows("<noscript><img src=x></noscript>", "");
        shows("a<noscript><style>p { margin: 0; padding: 0 }</style></noscript>", "a");
        shows("<div>a</div><div hidden id=s0>The ferry is late again.</div>", "a\nThe ferry is late again.");
        shows("<div>a</div><div style='display: none'>The ferry is late again.</div>", "a");
        let blank = "<div style='visibility: hidden'>The ferry<p style='display: none'>b</p><p hidden>is late.</div>";
        shows(&format!("<title>x</title>{blank}"), "The ferry\nis late.");
        shows(&format!("a b{blank}"), "a b");
    }

    #[test]
    fn math_is_on_the_page() {
        shows("<math><mi>a</mi><mo>+</mo><semantics><mn>1</mn><annotation>x</annotation></math>b", "a+1b");
        shows("<math><ms><![CDATA[a<b]c]]></ms></math>", "a<b]c");
    }

    #[test]
    fn hidden_elements_are_left_out() {
        shows("<div hidden>a<div>b</div>c</div>d", "d");
        shows("a<span HIDDEN=''>b</span>c", "ac");
        shows("a<div style='color:red; DISPLAY : NONE !important'>b</div>c", "ac");
        shows("a<div style=visibility:hidden>b</div>c", "a\nc");
        shows("a<div style='display:block'>b</div>c", "a\nb\nc");
        shows("<p aria-hidden=true>a</p>", "a");
        shows("<html hidden><body style=display:none>a", "a");
    }

    #[test]
    fn buttons_have_labels() {
        shows("a<input type=SUBMIT value='b  &amp; c'>d", "a b & c d");
        shows("<input value=a><input type=text value=b placeholder=c>d", "d");
        shows("<input type=button hidden value=a>b", "b");
        shows("<input type=hidden value=a><img alt=b>c", "c");
        shows("<math><input type=submit value=a><mi><input type=submit value=b>", "b");
    }

    #[test]
    fn alt_texts_are_text_if_they_are_wanted() {
        let shows = |html: &str, expected: &str| {
            assert_eq!(read_with_alt_text::<()>(html, AltText::Shown).0, expected, "{html}");
            assert_eq!(visible_text(html), visible_text(&html.replace("alt", "data-x")), "{html}");
            check(html);
        };
        shows("a<img alt=' b  &amp;\n c '>d", "a b & c d");
        shows("<p>a</p><img ALT=b><p>c<img alt=d></p>", "a\nb\nc d");
        shows("a<img alt><img alt=''><img alt=' '><img src=x>b", "a b");
        shows("<img alt alt=b><img alt=c alt=d>", "c");
        shows("<img hidden alt=a><p style=display:none><img alt=b></p><img alt=c>", "c");
        shows("<noscript><img alt=a></noscript><template><img alt=b></template>c", "c");
        shows("<a href=x><picture><source><image alt=a></picture></a><area alt=b><p alt=c>d", "a\nd");
        shows("<pre>a  e<img alt=' b  c '>d</pre>", "a  e b c d");
        shows("<table><tr><td><img alt=a><td><img alt=b></table>", "a\tb");
        shows("<math><image alt=a>b</image></math>", "b");
    }

    #[test]
    fn references_are_decoded() {
        shows("&lt;p&gt; &eacute; &#233;&#xE9; &#146;", "<p> é éé ’");
        shows("AT&T &copy 2000 &notit; &amp &unknown; &", "AT&T © 2000 ¬it; & &unknown; &");
        shows("&#59;&#x30&Tab;&nGt;&acE;", ";0 ≫⃒∾̳");
    }

    #[test]
    fn text_that_looks_like_markup_is_text() {
        shows("1 < 2 <3 <é </ x>a", "1 < 2 <3 <é a");
        shows("<textarea></textare </textarea>a", "</textare a");
        shows("a<", "a<");
        shows("a</", "a</");
        shows("a</>b", "ab");
    }

    #[test]
    fn hidden_elements_end_where_they_end() {
        shows("<ul><li hidden>a<li>b</ul>", "b");
        shows("<p style='display:none'>a<p>b", "b");
        shows("<p hidden>a<div>b</div>", "b");
        shows("<select><option hidden>a<option>b</select>", "b");
        shows("<table><tr><td hidden>a<td>b<tr hidden><td>c<tr><td>d</table>", "b\nd");
        shows("<table><tbody hidden><tr><td>a<tbody><tr><td>b</table>c", "b\nc");
        shows("<dl><dt hidden>a<dd>b</dl>", "b");
        shows("<div><span hidden>a</div>b", "b");
        shows("<b><span hidden>a</b>b", "b");
        shows("<table hidden><tr><td>a</table>b", "b");
        shows("<div><object>a</div>b", "b");
    }

    #[test]
    fn hidden_elements_do_not_end_elsewhere() {
        shows("<div hidden>a</p></span></b></td>b</div>c", "c");
        shows("<div hidden><table><td></div>a</table></div>b", "b");
        shows("<div hidden><ul><li>a</div>b", "b");
        shows("<div hidden><p>a<p>b</div>c", "c");
        shows("<span hidden>a<span>b</span>c</span>d", "d");
    }

    #[test]
    fn misplaced_tags_show_rather_than_hide() {
        shows("<b hidden>a<p>b</b>c</p>d", "c\nd");
        shows("<a hidden>a<div>b<a>c", "c");
        shows("<span hidden>a<div>b</span>c", "c");
        shows("<div><tr><td hidden>a</div>b", "a\nb");
        shows("<table hidden>a<tr><td>b</table>c", "a\nc");
        shows("<li hidden><form><li>a</form><li>b", "b");
        shows("<div><form>a</div><form hidden>b", "a\nb");
        shows("<table><td hidden>a</tr>b<td>c</table>", "b\nc");
        shows("<ruby><p hidden>a<rt>b</ruby>", "b");
        shows("<b>a<p>b<span hidden>c</b>d", "a\nbd");
        shows("<table hidden><tr><td>a<table><td>b</table></td></tr><table><td>c", "c");
    }

    #[test]
    fn svg_ends_where_html_starts() {
        shows("<svg>a<g>b<p>c", "c");
        shows("<svg><style>a</style><path/></svg>b", "b");
        shows("<svg/>a", "a");
        shows("<svg><foreignObject><p>a</p></foreignObject><g>b</svg>c", "c");
        shows("<div hidden><svg><td></svg></div>a", "a");
        shows("<svg><desc>a</svg>b", "b");
        shows("<svg>a</p>b", "b");
        shows("<svg><mi>a<li>b", "b");
    }

    #[test]
    fn what_never_ends_lasts_to_the_end() {
        for open in ["<script>", "<style>", "<title>", "<!--", "<noscript>", "<a b='"] {
            shows(&format!("a{open}b<p>c</p>"), "a");
        }
        shows("a<textarea>b<p>", "a b<p>");
        shows("a<plaintext>b<p></plaintext>", "a\nb<p></plaintext>");
    }

    #[test]
    fn odd_characters_are_no_trouble() {
        shows("\u{feff}<p>a\0b\u{feff}c", "ab\u{feff}c");
        shows("<xmp>a\0b</xmp>", "a\u{fffd}b");
        shows("", "");
        shows("\u{a0}", "");
    }

    #[test]
    fn ranges_lead_back_to_the_source() {
        let html = "<p>One &amp; <b>two</b></p>\n<p>three</p>";
        let (text, map) = read::<SourceMap>(html);
        assert_eq!(text, "One & two\nthree");
        assert_eq!(&html[map.source_range(0..9)], "One &amp; <b>two");
        assert_eq!(&html[map.source_range(6..12)], "two</b></p>\n<p>th");
        assert_eq!(map.source_range(9..10), 19..19);
        let sources = map.source_ranges(0..12).map(|range| &html[range]);
        assert_eq!(sources.collect::<Vec<_>>(), ["One ", "&amp;", " ", "two", "th"]);
    }

    #[track_caller]
    fn leads_to(html: &str, text: &str, expected: &[&str]) {
        let (all, map) = read::<SourceMap>(html);
        let at = all.find(text).expect("the text is on the page");
        let sources = map.source_ranges(at..at + text.len()).map(|range| &html[range]);
        assert_eq!(sources.collect::<Vec<_>>(), expected, "{html}");
    }

    #[test]
    fn a_space_leads_to_all_white_space_it_stands_for() {
        leads_to("a\n  <b> b", " ", &["\n  ", " "]);
        leads_to("a &#32;<!-- -->\r\nb", " ", &[" ", "&#32;", "\r\n"]);
        leads_to("a<img> b", " ", &[]);
        leads_to("<pre>a\r\nb</pre>", "\n", &["\r\n"]);
    }

    #[test]
    fn parts_of_labels_lead_back() {
        let page = "<input type=submit value='b &amp; c'>";
        leads_to(page, "b & c", &["b ", "&amp;", " c"]);
        leads_to(page, "c", &["c"]);
    }

    /// Ranges of a text, with many starts and ends.
    pub(super) fn parts(text: &str) -> Vec<std::ops::Range<usize>> {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let from = |at: usize| places[at..].iter().step_by(7).map(move |&end| (at, end));
        (0..places.len()).flat_map(from).map(|(at, end)| places[at]..end).collect()
    }

    pub(super) const MESS: &str = "<!DOCTYPE html><html><head><title>T &amp; t</title><script>if (a<b) x='</p>'\
        <!-- <script> </script> --></script><style>p > a {}</style></head>\r\n<body onload=a>\
        <div hidden><p>x<table><tr><td>y</div>z</table></div><p class='a' id=b>Héllo &eacute;&#x93\
        w\u{f6}rld<br/><b><i>a</b></i> < b <table><tr><td>1<td>2\t<b>3</table>\r\r\n<pre>\n a\r\n\
        b</pre><select><option>o<option hidden>p</select><input type=submit value=Go&lt;>\
        <svg><g><![CDATA[c]]></g><p>after</p><textarea>\r\n</text \0</textarea>&notin;&nosuch;\
        <math><mi>m<![CDATA[]]n]]]></mi></math><!-- open <p>";

    #[test]
    fn every_part_of_a_mess_is_a_page() {
        let starts = MESS.char_indices().map(|(at, _)| at);
        for at in starts {
            check(&MESS[..at]);
            check(&MESS[at..]);
        }
        check(MESS);
    }

    proptest! {
        #[test]
        fn every_mix_of_markup_is_a_page(
            pieces in prop::collection::vec(prop::sample::select(MARKUP), 0..40)
        ) {
            check(&pieces.concat());
        }
    }

    pub(super) const MARKUP: &[&str] = &[
        "<p>",
        "</p>",
        "<div hidden>",
        "<div>",
        "</div>",
        "<b>",
        "<b hidden>",
        "</b>",
        "<a>",
        "</a>",
        "<table>",
        "<tr>",
        "<tr hidden>",
        "<td>",
        "<td hidden>",
        "</td>",
        "</table>",
        "<ul>",
        "<li>",
        "</ul>",
        "<pre>",
        "</pre>",
        "<textarea>",
        "</textarea>",
        "<svg>",
        "<g>",
        "<desc>",
        "</svg>",
        "<math>",
        "<mi>",
        "<![CDATA[",
        "]",
        "]]>",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<form>",
        "</form>",
        "<button>",
        "<select>",
        "<option>",
        "<br>",
        "<img>",
        "<img alt='x  &amp; y' src=z>",
        "<img alt=x>",
        "<input type=reset value='&lt; x'>",
        "<object>",
        "</object>",
        "<x>",
        "</x>",
        "\r",
        "\n",
        " ",
        "\0",
        "&",
        "&amp;",
        "&nbsp;",
        "&#59;",
        "<",
        "</",
        "</x",
        "é",
        "word",
        "x  y",
    ];

    /// Checks that time is not quadratic. Smaller differences are not noticed.
    #[test]
    fn hostile_pages_take_linear_time() {
        let many = |piece: &str| piece.repeat(100_000);
        let pages = [
            many("<div>"),
            many("<div hidden>") + &many("</span>"),
            many("<div>") + &many("</p>"),
            many("<b>x"),
            many("<a hidden><div></a>"),
            many("<table><tr><td>x"),
            many("<svg>") + &many("</g>"),
            many("<pre> \n"),
            many("</x"),
            many("&"),
            many("<x a=b "),
            format!("<a style='{}'>", many("display:;")),
            format!("<table>{}", many("<td>x<td>y<br>z")),
            format!("<!--{}", many("--!")),
            many("<div>x"),
            many("<div>") + &many("x</div>"),
            many("<div>") + &many("x<p>y</p></div>"),
        ];
        for page in &pages {
            read::<SourceMap>(page);
            read::<Tree>(page);
        }
    }

    #[test]
    fn the_deepest_elements_still_show() {
        let deep = "<div>".repeat(70_000);
        assert_eq!(visible_text(&format!("{deep}<p hidden>a<p>b")), "b");
    }
}
