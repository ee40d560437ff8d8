//! A page without some of its text, and without the elements that are empty then.
//!
//! Takes a page, its visible text with map and tree, and cuts in this text. Returns the page with these cuts. An
//! element that loses all its text is taken out with all its markup, so a browser shows no empty boxes. So are pictures
//! that are boilerplate. The bytes that are kept are not changed.
//!
//! On a page with broken markup, taking out a tag can change where other elements end. So the new page is read again.
//! If the new page does not show the kept text, all markup is kept instead.

use super::emptied::{beside_alt_texts, emptied, kept};
use super::map::SourceMap;
use super::tree::Tree;
use super::without::{TakenOut, page_without, page_without_markup};
use super::{AltText, Reading, read_page};
use crate::cut::{Cut, strip};

/// The page without some of its visible text, and without the elements that lose all of theirs.
///
/// `text`, `map` and `tree` must be those of this page, as [`read`](super::read) returns them. The cuts are as in
/// [`page_without`]. A page without cuts is unchanged.
///
/// - An element that had text and keeps none of it is taken out with everything in it: pictures, buttons, scripts,
///   empty boxes.
/// - An element that had no text is kept, unless it is inside one that is taken out, or is a picture that is
///   boilerplate.
/// - A picture (`<img>`, `<svg>`, and elements with nothing else inside) is boilerplate if the smallest element around
///   it that had text keeps none. It is also boilerplate in the head of the page, if cut text follows and no text
///   before that is kept; and in the foot, if cut text precedes and no text after that is kept. An SVG with `<defs>` or
///   `<symbol>` is kept, because others may use it.
/// - A cell of a table is kept if its row is kept. Rows are kept if one of the cells beside them spans several rows
///   (`rowspan`).
/// - If `alt` texts are text, a picture is removed with its `alt` text. If only a part of the `alt` text is cut, all of
///   it is kept.
/// - If an element separated two lines or two words, and nothing else does, `<br>` or a space is put in its place.
///
/// The visible text of the new page is the old text with the cuts made, except for the kind of its white space. Where
/// broken markup prevents this, the page is as [`page_without`] returns it.
///
/// ```
/// use dehusk::Cut;
/// use dehusk::{SourceMap, Tree, page_pruned, read};
///
/// let page = "<ul class=menu><li><img src=i.png>Home<li>Sport</ul><p>Ferry late <img src=f.png></p>";
/// let (text, (map, tree)) = read::<(SourceMap, Tree)>(page);
/// assert_eq!(text, "Home\nSport\nFerry late");
///
/// let cut = Cut { range: 0..11, replacement: "" };
/// assert_eq!(page_pruned(page, &text, &map, &tree, &[cut]), "<p>Ferry late <img src=f.png></p>");
/// ```
pub fn page_pruned(html: &str, text: &str, map: &SourceMap, tree: &Tree, cuts: &[Cut]) -> String {
    let cuts = &*beside_alt_texts(tree, cuts);
    let taken_out = taken_out(html, text, tree, cuts);
    let pruned = page_without_markup(html, map, cuts, &taken_out);
    if taken_out.is_empty() || shows(&pruned, html, text, tree.alt_text(), cuts) {
        pruned
    } else {
        page_without(html, map, cuts)
    }
}

/// The stretches of the page to take out.
fn taken_out(html: &str, text: &str, tree: &Tree, cuts: &[Cut]) -> Vec<TakenOut> {
    let emptied = emptied(html, text, tree, cuts);
    // For each node, the last of its children so far that is kept; 0 for none.
    let mut last_child = vec![0; tree.len()];
    let (mut taken_out, mut seen) = (Vec::with_capacity(emptied.len()), 1);
    for siblings in emptied.chunk_by(|&node, &next| tree.end(node) == next && tree.parent(node) == tree.parent(next)) {
        let (Some(&first), Some(&last)) = (siblings.first(), siblings.last()) else { continue };
        (seen..first).for_each(|node| last_child[tree.parent(node).unwrap_or(0)] = node);
        seen = tree.end(last);
        let around = tree.parent(first).unwrap_or(0);

        let before = Some(last_child[around]).filter(|&child| child > 0);
        let after = Some(seen).filter(|&next| next < tree.end(around));
        let gap = Gap { html, tree, around, before, siblings, after };
        let is_parted = kept(&tree.text_around(&(first..seen)), cuts).any(|part| text[part].contains(is_space));
        let separator = if is_parted { gap.separator() } else { "" };

        let source = |&node: &usize| TakenOut { source: tree.bytes(node), separator: "" };
        taken_out.extend(siblings.iter().map(source));
        taken_out.last_mut().into_iter().for_each(|last| last.separator = separator);
    }
    taken_out
}

fn is_space(char: char) -> bool {
    char.is_ascii_whitespace()
}

/// The gap that neighbouring elements leave when they are taken out.
struct Gap<'a> {
    html: &'a str,
    tree: &'a Tree,
    /// The element around them.
    around: usize,
    /// The kept node before them in this element, if there is one. `after` is the next node after them.
    before: Option<usize>,
    siblings: &'a [usize],
    after: Option<usize>,
}

impl Gap<'_> {
    /// The markup for the gap that keeps the words on both sides of it apart.
    fn separator(&self) -> &'static str {
        let Gap { tree, around, before, siblings, after, .. } = *self;
        let is_line_end = |neighbour: Option<usize>| tree.is_block(neighbour.unwrap_or(around));
        if is_line_end(before) || is_line_end(after) {
            return "";
        }
        match (before, after) {
            (Some(before), Some(after)) if siblings.iter().any(|&node| tree.is_block(node)) => {
                let (first, last) = (siblings[0], siblings[siblings.len() - 1]);
                let has_break = self.has_break(before, first) || self.has_break(last, after);
                if has_break { "" } else { "<br>" }
            }
            _ => " ",
        }
    }

    /// Whether there is a `<br>` between two nodes.
    fn has_break(&self, before: usize, after: usize) -> bool {
        let between = self.tree.bytes(before).end..self.tree.bytes(after).start;
        let between = self.html.as_bytes().get(between).unwrap_or_default();
        between.windows(3).any(|bytes| bytes.eq_ignore_ascii_case(b"<br"))
    }
}

/// Whether a page shows the text of `html` with the cuts made. Between words of the text there must be white space.
/// There may be more.
fn shows(page: &str, html: &str, text: &str, alt_text: AltText, cuts: &[Cut]) -> bool {
    let wanted = strip(text, cuts);
    let read = |page, without_scripts| read_page::<()>(page, Reading { without_scripts, alt_text }).0;
    let shows = |without_scripts| has_words(&read(page, without_scripts), &wanted);
    // A page that scripts write may have been read as if no script ran.
    shows(false) || read(html, false) != text && shows(true)
}

/// Whether a text has the characters of `wanted`, and has white space wherever `wanted` has some.
fn has_words(text: &str, wanted: &str) -> bool {
    let mut shown = inked(text);
    let is_next = |(char, is_parted): (char, bool)| {
        shown.next().is_some_and(|(shown, is_shown_parted)| shown == char && (is_shown_parted || !is_parted))
    };
    inked(wanted).all(is_next) && shown.next().is_none()
}

/// The characters of a text that are not white space, and whether there is white space before each. The first one
/// counts as if it had some.
fn inked(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut is_parted = true;
    text.chars().filter_map(move |char| match char.is_whitespace() {
        true => {
            is_parted = true;
            None
        }
        false => Some((char, std::mem::take(&mut is_parted))),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{MARKUP, MESS, parts};
    use super::super::{read, visible_text};
    use super::*;

    /// The page without all lines and cells that start with `-`.
    fn pruned(html: &str) -> String {
        let (text, (map, tree)) = read::<(SourceMap, Tree)>(html);
        let starts = text.match_indices('-').map(|(at, _)| at);
        let cut = |start: usize| {
            let end = text[start..].find(['\n', '\t']).map_or(text.len(), |len| start + len);
            Cut { range: start..end, replacement: "" }
        };
        page_pruned(html, &text, &map, &tree, &starts.map(cut).collect::<Vec<_>>())
    }

    #[track_caller]
    fn prunes(html: &str, expected: &str) {
        assert_eq!(pruned(html), expected, "{html}");
    }

    #[test]
    fn what_loses_its_text_goes_with_its_markup() {
        prunes("<p>a</p><div class=b><img><script>c</script><p>-d<p>-e</div>", "<p>a</p>");
        prunes("<ul><li><a href=b>-c</a><!-- d --></li><li>e</li></ul>", "<ul><li>e</li></ul>");
        prunes("<p>a <button><i class=icon></i>-b</button></p>", "<p>a </p>");
        prunes("<form>a<br><input type=submit value=-b></form>", "<form>a<br></form>");
    }

    #[test]
    fn what_had_no_text_stays_beside_what_stays() {
        prunes(
            "<div><img src=a><p>b</p><hr><div></div><p>-c</p></div>",
            "<div><img src=a><p>b</p><hr><div></div></div>",
        );
        prunes("<figure><img src=a><figcaption>-b</figcaption></figure><p>c", "<p>c");
        prunes(
            "<head><style>a</style><title>b</title></head><body><p>-c</p></body>",
            "<head><style>a</style><title>b</title></head><body></body>",
        );
    }

    #[test]
    fn pictures_go_with_the_text_around_them() {
        prunes("<p>a</p><div><img><a>-b</a></div><p>c", "<p>a</p><p>c");
        prunes("<table><tr><td><img>-a<td>b</table>", "<table><tr><td><td>b</table>");
        prunes("<p>a<table><tr><td><a href=b><img></a>-c<td>d</table>", "<p>a<table><tr><td><td>d</table>");
        prunes(
            "<figure><img><figcaption>a</figcaption>-b</figure>",
            "<figure><img><figcaption>a</figcaption></figure>",
        );
        prunes("<p>-a</p><img>", "");
    }

    #[test]
    fn pictures_go_in_the_head_and_the_foot_of_the_page() {
        prunes("<img><p>-a</p><svg><g/></svg><p>-b</p><h1>c</h1>", "<h1>c</h1>");
        prunes("<h1>a</h1><p>-b</p><img><p>-c</p><picture><source><img></picture>", "<h1>a</h1>");
        prunes("<img><p>-a</p><img><p>b</p><img><p>-c</p><img>", "<img><p>b</p><img>");
        prunes("<p>-a b</p><img><h1>c</h1>", "<img><h1>c</h1>");
    }

    #[test]
    fn pictures_between_texts_that_stay_stay() {
        let page = "<h1>a</h1>{}<figure><img></figure>{}<p>b</p>";
        let with = |before: &str, after: &str| page.replacen("{}", before, 1).replacen("{}", after, 1);
        prunes(&with("<p>-c</p>", "<p>-d</p>"), &with("", ""));
        prunes(&with("<p>-c</p>", ""), &with("", ""));
        prunes("<img><p>a</p><img>", "<img><p>a</p><img>");
        prunes("<img><p></p>", "<img><p></p>");
    }

    #[test]
    fn a_box_goes_with_its_pictures_unless_it_has_something_else() {
        prunes("<div><a href=b><img></a><i></i></div><p>-c</p><p>d", "<p>d");
        prunes("<div><button><svg></svg></button></div><p>-c</p><p>d", "<p>d");
        prunes("<div><img><video></video></div><p>-c</p><p>d", "<div><video></video></div><p>d");
        prunes("<table><tr><td><img><td></table><p>-c</p><p>d", "<p>d");
        let symbols = "<div><svg><symbol id=a></symbol></svg>";
        prunes(&format!("{symbols}<img></div><p>-c</p><p>d"), &format!("{symbols}</div><p>d"));
        for unseen in [
            "<svg style='display: none'><symbol id=a></symbol></svg>",
            "<p hidden>e</p>",
            "<style>p {}</style>",
            "<SCRIPT>f()</SCRIPT>",
            "<div style=display:none>e</div>",
            "<input type=checkbox hidden>",
            "<svg><path id=z /></svg>",
            "<meter></meter>",
        ] {
            prunes(&format!("<div>{unseen}<img></div><p>-c</p><p>d"), &format!("<div>{unseen}</div><p>d"));
        }
    }

    #[test]
    fn a_replacement_keeps_the_picture_beside_it() {
        let html = "<p>a</p><div><img>b</div><img>";
        let (text, (map, tree)) = read::<(SourceMap, Tree)>(html);
        let cut = [Cut { range: 2..3, replacement: "[...]" }];
        assert_eq!(page_pruned(html, &text, &map, &tree, &cut), "<p>a</p><div><img>[...]</div><img>");
    }

    /// The page, with `alt` texts, without the first occurrence of a text.
    fn pruned_of(html: &str, cut: &str, replacement: &str) -> String {
        let reading = Reading { alt_text: AltText::Shown, ..Reading::default() };
        let (text, (map, tree)) = read_page::<(SourceMap, Tree)>(html, reading);
        let start = text.find(cut).expect("the cut is in the text");
        let cut = Cut { range: start..start + cut.len(), replacement };
        page_pruned(html, &text, &map, &tree, &[cut])
    }

    #[test]
    fn pictures_go_with_their_alt_texts() {
        let prunes = |html, cut, expected| assert_eq!(pruned_of(html, cut, ""), expected, "{html}");
        let page = "<p>a</p><div><img src=b alt='c  d'>e</div><img alt=f>";
        prunes(page, "c d", "<p>a</p><div>e</div><img alt=f>");
        prunes(page, "c d e", "<p>a</p><img alt=f>");
        prunes(page, "f", "<p>a</p><div><img src=b alt='c  d'>e</div>");
        prunes("<p>a <img alt=b> c", "b ", "<p>a   c");
        prunes("<p>a</p><a href=x><img alt=b></a>", "b", "<p>a</p>");
        prunes("<p>a<p><img src=b><p>c<p><img alt=d>", "c\nd", "<p>a<p><img src=b>");
    }

    #[test]
    fn a_picture_stays_with_all_of_a_partly_removed_alt_text() {
        let page = "<p>a</p><div><img src=b alt='c  d'>e</div><p>f</p>";
        assert_eq!(pruned_of(page, "d e\nf", ""), "<p>a</p><div><img src=b alt='c  d'></div>");
        assert_eq!(pruned_of(page, "c", ""), page);
        assert_eq!(pruned_of(page, "a\nc", "x"), page.replace(">a<", ">x<"));
    }

    /// Without the list, the cell would be in the drawing, which the picture ends.
    #[test]
    fn a_hidden_alt_text_stays_hidden() {
        let page = "<table>a<svg><ul>b<td hidden><img alt=c>";
        assert_eq!(pruned_of(page, "b", ""), "<table>a<svg><ul><td hidden><img alt=c>");
    }

    #[test]
    fn a_replacement_stands_for_the_picture() {
        let page = "<p>a <img src=b alt='c'>d";
        assert_eq!(pruned_of(page, "c", "<x>"), "<p>a &lt;x&gt;d");
    }

    #[test]
    fn text_beside_what_stays_goes_without_its_element() {
        prunes("<div>-a<p>b</p></div>", "<div><p>b</p></div>");
        prunes("<html><body>-a</body></html>", "<html><body></body></html>");
    }

    #[test]
    fn columns_keep_their_places() {
        prunes("<table><tr><td>-a<td>b<tr><td>-c<td>-d</table>", "<table><tr><td><td>b</table>");
        prunes("<table><tr><th>-a<tr><td>-c</table><p>d", "<p>d");
        let row = "<tr><td rowspan=2>a<td>b<tr><td>";
        prunes(&format!("<table>{row}-c</table>"), &format!("<table>{row}</table>"));
    }

    #[test]
    fn what_it_parted_stays_parted() {
        prunes("<div>a<div>-b</div>c</div>", "<div>a<br>c</div>");
        prunes("<div>a<div>-b</div><div>-c</div>d</div>", "<div>a<br>d</div>");
        prunes("<div>a<br><div>-b</div>c</div>", "<div>a<br>c</div>");
        prunes("<p>a</p><div>-b</div>c", "<p>a</p>c");
        prunes("<div>a<div>-b</div></div>c", "<div>a</div>c");
        prunes("<div><i>a<div>-b</div></i>c</div>", "<div><i>a </i>c</div>");
    }

    #[test]
    fn a_replacement_stays_in_its_element() {
        let html = "<p>a</p><p>b</p><p>c</p>";
        let (text, (map, tree)) = read::<(SourceMap, Tree)>(html);
        let cut = |replacement| [Cut { range: 2..5, replacement }];
        assert_eq!(page_pruned(html, &text, &map, &tree, &cut("[...]")), "<p>a</p><p>[...]</p>");
        assert_eq!(page_pruned(html, &text, &map, &tree, &cut(" ")), "<p>a</p> ");
    }

    #[test]
    fn all_markup_stays_where_the_page_would_show_something_else() {
        prunes("<div><form>-a</div><form hidden>b", "<div><form></div><form hidden>b");
    }

    #[test]
    fn words_are_compared() {
        assert!(has_words(" a\nb c", "a b c ") && has_words("a b", "ab") && has_words("", " "));
        assert!(!has_words("ab", "a b") && !has_words("a", "a b") && !has_words("a b", "a"));
    }

    /// Checks what must be true of every page without some text.
    fn check(html: &str, cuts: &[Cut]) {
        let (text, (map, tree)) = read::<(SourceMap, Tree)>(html);
        let page = page_pruned(html, &text, &map, &tree, cuts);
        let shown = visible_text(&page);
        let without = visible_text(&page_without(html, &map, cuts));
        let ink = |text: &str| inked(text).map(|(char, _)| char).collect::<String>();
        assert_eq!(ink(&shown), ink(&without), "{html:?} without {cuts:?} is {page:?}");
        assert_eq!(page_pruned(html, &text, &map, &tree, &[]), html);
    }

    #[test]
    fn any_part_of_a_mess_can_go() {
        for range in parts(&visible_text(MESS)) {
            check(MESS, &[Cut { range, replacement: "" }]);
        }
    }

    /// Well-formed content, at most 4 elements deep. All of these elements may be nested.
    fn content() -> impl Strategy<Value = String> {
        let names = prop::sample::select(&["div", "b", "i", "span", "ul", "section", "blockquote", "x-a"][..]);
        let leaf = prop::sample::select(
            &[
                "word",
                "two words",
                "<p>word</p>",
                "<h2>two words</h2>",
                " ",
                "\n",
                "&amp;",
                "<br>",
                "<img>",
                "<hr>",
                "é",
            ][..],
        );
        leaf.prop_map(str::to_owned).prop_recursive(4, 40, 6, move |inner| {
            let inside = prop::collection::vec(inner, 0..6).prop_map(|parts| parts.concat());
            (names.clone(), inside).prop_map(|(name, inside)| format!("<{name}>{inside}</{name}>"))
        })
    }

    /// Cuts that remove the chosen words of the text.
    fn cuts_of<'c>(text: &str, chosen: &[bool]) -> Vec<Cut<'c>> {
        let words = text.split_inclusive(char::is_whitespace).zip(chosen.iter().cycle());
        let mut at = 0;
        let cut = |(word, &is_cut): (&str, &bool)| {
            at += word.len();
            is_cut.then_some(Cut { range: at - word.len()..at, replacement: "" })
        };
        words.filter_map(cut).collect()
    }

    proptest! {
        #[test]
        fn any_part_of_any_markup_can_go(
            pieces in prop::collection::vec(prop::sample::select(MARKUP), 0..40),
            chosen in prop::collection::vec(any::<bool>(), 1..8),
        ) {
            let html = pieces.concat();
            check(&html, &cuts_of(&visible_text(&html), &chosen));
        }

        #[test]
        fn well_formed_pages_show_what_stays_and_have_no_empty_elements(
            parts in prop::collection::vec(content(), 1..6),
            chosen in prop::collection::vec(any::<bool>(), 1..8),
        ) {
            let html = parts.concat();
            let (text, (map, tree)) = read::<(SourceMap, Tree)>(&html);
            let cuts = cuts_of(&text, &chosen);
            check(&html, &cuts);
            let taken_out = taken_out(&html, &text, &tree, &cuts);
            let page = page_without_markup(&html, &map, &cuts, &taken_out);
            prop_assert!(shows(&page, &html, &text, AltText::LeftOut, &cuts), "{html:?} without {cuts:?} is {page:?}");
        }
    }
}
