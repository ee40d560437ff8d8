//! A page without some of its text.
//!
//! Takes a page, the map of its visible text, and cuts in this text. Returns the page with these cuts. Only text is
//! removed. No markup is changed, not even that of elements that are empty now. Where two pieces of text become
//! neighbours, [`Syntax`] makes sure that they stay text.

use std::ops::Range;

use super::map::{SourceMap, SourcePart};
use super::syntax::Syntax;
use crate::cut::Cut;

/// A stretch of the page to take out with all its markup.
pub(super) struct TakenOut {
    /// Bytes of the page.
    pub(super) source: Range<usize>,
    /// The markup that is put in its place.
    pub(super) separator: &'static str,
}

/// The page without some of its visible text.
///
/// `map` must be the map of this page, as [`read`](super::read) returns it. The cuts must be sorted, disjoint, and on
/// character boundaries of the visible text.
///
/// All other bytes are unchanged: tags, comments, scripts, hidden elements, and white space that is not visible. So a
/// page without cuts is unchanged. The visible text of the new page is the old text with the cuts made. It may have
/// more white space: if a cut removes white space between elements that separate words, the elements still separate
/// them. Other exceptions are
///
/// - a character reference that stands for several characters (`&nGt;`): it is kept unless all of them are cut;
/// - the raw text of `<xmp>` and CDATA sections: a space is added if the text would otherwise end them;
/// - a picture whose `alt` text is text: it is removed with all of that text. If it ended an `<svg>` or `<math>` whose
///   end tag is missing, `<img>` is put in its place, so that the rest of the page is not hidden;
/// - a replacement on a page that shows no text: it is left out, because it has no place.
///
/// A replacement is inserted where the removed text started. White space in it is written as spaces, because only
/// markup makes lines. Its characters are always text, also those that could be markup. If neighbours together would
/// become markup, a character is written as a reference: `1 < 2b` without ` 2` is `1 &lt;b`. The label of an `<input>`
/// button is removed from the value of its attribute. If the value has no quotes and loses its start, it gets `&#32;`,
/// a space that is not shown. Otherwise the value could be empty, and the next attribute would be taken for it.
///
/// ```
/// use dehusk::Cut;
/// use dehusk::{SourceMap, page_without, read};
///
/// let page = "<p>Ferry late<!-- again --> <b class=share>Share &amp; print</b></p>";
/// let (text, map) = read::<SourceMap>(page);
/// assert_eq!(text, "Ferry late Share & print");
///
/// let cut = Cut { range: 10..24, replacement: "" };
/// let without = page_without(page, &map, &[cut]);
/// assert_eq!(without, "<p>Ferry late<!-- again --><b class=share></b></p>");
/// ```
pub fn page_without(html: &str, map: &SourceMap, cuts: &[Cut]) -> String {
    page_without_markup(html, map, cuts, &[])
}

/// The same as [`page_without`], but also without some stretches of markup. These must be in order and disjoint.
pub(super) fn page_without_markup(html: &str, map: &SourceMap, cuts: &[Cut], taken_out: &[TakenOut]) -> String {
    let mut writer = Writer::new(html, map, taken_out);
    cuts.iter().for_each(|cut| writer.cut(cut));
    writer.finish()
}

/// The new page while it is built.
struct Writer<'a> {
    html: &'a str,
    map: &'a SourceMap,
    /// The stretches that are still to be taken out.
    taken_out: &'a [TakenOut],
    page: String,
    /// The position in the source up to which everything is written or left out.
    at: usize,
    /// The position in the source after the last byte that was copied.
    written: usize,
    /// The position in the new page at which the last write started.
    start: usize,
    /// The syntax at the end of the new page, if the next write did not follow there in the source.
    seam: Option<Syntax>,
}

impl<'a> Writer<'a> {
    fn new(html: &'a str, map: &'a SourceMap, taken_out: &'a [TakenOut]) -> Self {
        Writer {
            html,
            map,
            taken_out,
            page: String::with_capacity(html.len()),
            at: 0,
            written: 0,
            start: 0,
            seam: None,
        }
    }

    fn finish(mut self) -> String {
        self.take_out_to(self.html.len());
        self.copy_to(self.html.len());
        self.page
    }

    fn cut(&mut self, cut: &Cut) {
        let mut replacement = Some(cut.replacement);
        for part in self.map.parts(&cut.range) {
            self.leave_out(&part);
            self.replace(&part, replacement.take().unwrap_or_default());
        }
        // Text without an entry in the map is white space that stands for elements. These still separate words, so a
        // replacement of only white space is not needed.
        let text = replacement.filter(|text| !text.trim().is_empty());
        if let Some((text, place)) = text.zip(self.map.place_of(cut.range.start)) {
            self.leave_out(&place);
            self.write(text, place.syntax);
        }
    }

    /// Takes out the stretches that start up to this position of the source.
    fn take_out_to(&mut self, end: usize) {
        while let Some((next, rest)) = self.taken_out.split_first().filter(|(next, _)| next.source.start <= end) {
            self.copy_to(next.source.start);
            self.at = self.at.max(next.source.end);
            self.seam = Some(Syntax::Markup);
            if !next.separator.is_empty() {
                self.push(next.separator);
                self.seam = Some(Syntax::Markup);
            }
            self.taken_out = rest;
        }
    }

    fn leave_out(&mut self, part: &SourcePart) {
        self.take_out_to(part.source.start);
        self.copy_to(part.source.start);
        self.at = self.at.max(part.source.end);
        self.seam = Some(part.syntax);
        if part.syntax == Syntax::EndOfForeign && !part.source.is_empty() {
            // Without any tag here, the rest of the page would be inside the `<svg>` and hidden.
            self.push("<img>");
        }
    }

    /// Writes the replacement for a removed part. At the start of a value without quotes it is at least a space, unless
    /// the tag is taken out.
    fn replace(&mut self, part: &SourcePart, text: &str) {
        let needs_text = part.syntax == Syntax::Unquoted && self.at == part.source.end && self.starts_value(part);
        let text = if needs_text && text.is_empty() { " " } else { text };
        self.write(text, part.syntax);
    }

    /// Whether the part is at the start of a value without quotes. The rest of the value must not be empty or start
    /// with a quote.
    fn starts_value(&self, part: &SourcePart) -> bool {
        let before = &self.html[..part.source.start];
        !part.follows_text && before.ends_with(|c: char| c == '=' || c.is_ascii_whitespace())
    }

    fn write(&mut self, text: &str, syntax: Syntax) {
        for char in text.chars() {
            let mut buffer = [0; 4];
            let written = syntax.written(char).unwrap_or(char.encode_utf8(&mut buffer));
            self.seam = Some(syntax);
            self.push(written);
            self.seam = Some(syntax);
        }
    }

    fn copy_to(&mut self, end: usize) {
        if self.at < end {
            self.push(&self.html[self.at..end]);
            self.at = end;
            self.written = end;
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(syntax) = self.seam.take() {
            let reference = |back| self.map.reference_len(self.written.checked_sub(back)?);
            syntax.mend(&mut self.page, self.start, text, reference);
        }
        self.start = self.page.len();
        self.page.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use html5gum::{Emitter, ForwardingEmitter, State, Tokenizer};
    use proptest::prelude::*;

    use super::super::Reading;
    use super::super::extractor::Extractor;
    use super::super::tests::{MARKUP, MESS, parts};
    use super::super::{AltText, read, read_with_alt_text, visible_text};
    use super::*;

    /// The page without the first occurrence of `cut` in its text.
    fn without(html: &str, cut: &str, replacement: &str) -> String {
        let (text, map) = read::<SourceMap>(html);
        let at = text.find(cut).expect("the cut is on the page");
        let range = at..at + cut.len();
        check(html, &[Cut { range: range.clone(), replacement }]);
        page_without(html, &map, &[Cut { range, replacement }])
    }

    #[track_caller]
    fn cuts(html: &str, cut: &str, expected: &str) {
        assert_eq!(without(html, cut, ""), expected, "{html}");
    }

    #[track_caller]
    fn replaces(html: &str, cut: &str, replacement: &str, expected: &str) {
        assert_eq!(without(html, cut, replacement), expected, "{html}");
    }

    /// Checks what must be true of every page without some text.
    fn check(html: &str, cuts: &[Cut]) {
        let (text, map) = read::<SourceMap>(html);
        let page = page_without(html, &map, cuts);
        let case = format!("{html:?} without {cuts:?} is {page:?}");
        assert_eq!(page_without(html, &map, &[]), html);
        assert_eq!(tags(&page), tags(html), "{case}");
        assert!(is_made_of(&page, html, cuts), "{case}");
        check_words(&Words::of(&visible_text(&page)), &Wanted::new(html, &text, &map, cuts), &case);
        let all = Cut { range: 0..text.len(), replacement: "" };
        let left = visible_text(&page_without(html, &map, &[all]));
        assert_eq!(left.trim(), "", "{html:?}");
    }

    /// The characters of a text that are not white space, and which of them have white space before them.
    #[derive(Default)]
    struct Words {
        ink: String,
        parted: Vec<bool>,
    }

    impl Words {
        fn of(text: &str) -> Words {
            let mut words = Words::default();
            let mut parted = false;
            for char in text.chars() {
                if char.is_whitespace() {
                    parted = true;
                } else {
                    words.ink.push(char);
                    words.parted.push(std::mem::take(&mut parted));
                }
            }
            words
        }
    }

    /// The words of a text with cuts, and where white space may be added.
    struct Wanted {
        words: Words,
        partable: Vec<usize>,
    }

    impl Wanted {
        fn new(html: &str, text: &str, map: &SourceMap, cuts: &[Cut]) -> Wanted {
            let (mut wanted, mut partable, mut at) = (String::new(), Vec::new(), 0);
            for cut in cuts {
                wanted.push_str(&text[at..cut.range.start]);
                let start = Words::of(&wanted).parted.len();
                wanted.push_str(cut.replacement);
                at = cut.range.end;
                let end = Words::of(&wanted).parted.len();
                if html.contains("<xmp") || html.contains("CDATA") {
                    partable.extend(start.saturating_sub("</xmp".len())..=end);
                } else if parts_words(html, text, map, &cut.range) {
                    partable.extend(start..=end);
                }
            }
            wanted.push_str(&text[at..]);
            Wanted { words: Words::of(&wanted), partable }
        }
    }

    /// Whether the range has white space with markup beside or inside it.
    fn parts_words(html: &str, text: &str, map: &SourceMap, range: &Range<usize>) -> bool {
        let mut spaces = text[range.clone()].char_indices().filter(|(_, char)| char.is_whitespace());
        spaces.any(|(at, space)| {
            let (start, end) = (range.start + at, range.start + at + space.len_utf8());
            let before = text[..start].chars().next_back().map_or(0, char::len_utf8);
            let after = text[end..].chars().next().map_or(0, char::len_utf8);
            html[map.source_range(start - before..end + after)].contains(['<', '>'])
        })
    }

    fn check_words(shown: &Words, wanted: &Wanted, case: &str) {
        assert_eq!(shown.ink, wanted.words.ink, "{case}");
        for (at, (&is, &ought)) in shown.parted.iter().zip(&wanted.words.parted).enumerate().skip(1) {
            assert!(is == ought || is && wanted.partable.contains(&at), "{case}: at {at}");
        }
    }

    /// Whether `page` is `html` with some bytes removed and only the inserts that the cuts allow.
    fn is_made_of(page: &str, html: &str, cuts: &[Cut]) -> bool {
        let mended = ["&lt;", "&gt;", "&amp;", "amp;", "&quot;", "&#39;", "&#32;", ";", " "];
        let replaced = cuts.iter().flat_map(|cut| cut.replacement.split_inclusive(|_| true));
        let put_in: Vec<&str> = mended.into_iter().chain(replaced).collect();
        // For each position in `page`, the smallest position in `html` with which it can be reached.
        let mut least = vec![usize::MAX; page.len() + 1];
        least[0] = 0;
        for (at, char) in page.char_indices() {
            let used = least[at];
            let mut reach = |end: usize, used: usize| least[end] = least[end].min(used);
            if let Some(skipped) = html.get(used..).and_then(|rest| rest.find(char)) {
                reach(at + char.len_utf8(), used + skipped + char.len_utf8());
            }
            for piece in put_in.iter().filter(|piece| page[at..].starts_with(**piece)) {
                reach(at + piece.len(), used);
            }
        }
        least[page.len()] <= html.len()
    }

    /// The tags and comments of a page, without the values of attributes.
    fn tags(html: &str) -> Vec<String> {
        let page = html.trim_start_matches('\u{feff}');
        let mut extractor = Extractor::<()>::new(html, html.len() - page.len(), Reading::default());
        let mut tags = Tags { inner: &mut extractor, tag: String::new(), tags: Vec::new() };
        let Ok(()) = Tokenizer::new_with_emitter(page, &mut tags).finish();
        tags.tags
    }

    struct Tags<'a, 'b> {
        inner: &'b mut Extractor<'a, ()>,
        tag: String,
        tags: Vec<String>,
    }

    impl Tags<'_, '_> {
        fn add(&mut self, piece: &[u8]) {
            self.tag.push_str(&String::from_utf8_lossy(piece));
        }
    }

    impl ForwardingEmitter for &mut Tags<'_, '_> {
        type Token = Infallible;

        fn inner(&mut self) -> &mut impl Emitter<Token = Infallible> {
            &mut self.inner
        }

        fn init_start_tag(&mut self) {
            self.tag = "<".to_owned();
            self.inner.init_start_tag();
        }

        fn init_end_tag(&mut self) {
            self.tag = "</".to_owned();
            self.inner.init_end_tag();
        }

        fn init_comment(&mut self) {
            self.tag = "<!--".to_owned();
        }

        fn push_tag_name(&mut self, piece: &[u8]) {
            self.add(piece);
            self.inner.push_tag_name(piece);
        }

        fn push_attribute_name(&mut self, piece: &[u8]) {
            self.add(b" ");
            self.add(piece);
            self.inner.push_attribute_name(piece);
        }

        fn push_comment(&mut self, piece: &[u8]) {
            self.add(piece);
        }

        fn emit_current_comment(&mut self) {
            self.tags.push(std::mem::take(&mut self.tag));
        }

        fn emit_current_tag(&mut self) -> Option<State> {
            self.tags.push(std::mem::take(&mut self.tag));
            self.inner.emit_current_tag()
        }
    }

    #[test]
    fn text_goes_and_markup_stays() {
        cuts("<p>a</p><p class=x>b<!-- b --></p>", "\nb", "<p>a</p><p class=x><!-- b --></p>");
        cuts("a <b>b <i>c</i></b> d", "b c ", "a <b><i></i></b>d");
        cuts("<script>a</script><p hidden>a</p>a", "a", "<script>a</script><p hidden>a</p>");
        cuts("\u{feff}a b", "a ", "\u{feff}b");
    }

    #[test]
    fn collapsed_white_space_goes_as_a_whole() {
        cuts("a\r\n\t (b)  c", " (b)", "a  c");
        cuts("a <b> \n (b)</b>c", " (b)", "a<b></b>c");
        cuts("<pre>a  b\r\n  c</pre>", "b\n ", "<pre>a   c</pre>");
    }

    #[test]
    fn references_go_as_a_whole() {
        cuts("a&amp;b", "&", "ab");
        cuts("a&nbsp;&eacute;b", "é", "a&nbsp;b");
        let (text, map) = read::<SourceMap>("a&nGt;b");
        let half = Cut { range: 1..4, replacement: "" };
        assert_eq!(text, "a≫⃒b");
        assert_eq!(page_without("a&nGt;b", &map, &[half]), "a&nGt;b");
    }

    #[test]
    fn what_comes_together_stays_text() {
        cuts("1 < 2b>", " 2", "1 &lt;b>");
        cuts("a & xlt;", " x", "a &amp;lt;");
        cuts("a &#6-0", "-", "a &#6;0");
        cuts("<textarea></text area></textarea>", " ", "<textarea>&lt;/textarea></textarea>");
        cuts("<xmp></x-mp></xmp>", "-", "<xmp>< /xmp></xmp>");
        cuts("<math><mi><![CDATA[]-]>]]>", "-", "<math><mi><![CDATA[] ]>]]>");
    }

    #[test]
    fn labels_of_buttons_are_values() {
        cuts("<input type=submit value='a &amp; b'>", "a & b", "<input type=submit value=''>");
        cuts("<input type=submit value=\"a &amp; b\">", "a &", "<input type=submit value=\" b\">");
        cuts("<input value=Go type=submit>", "Go", "<input value=&#32; type=submit>");
        cuts("<input value= a\"b' type=submit>", "a", "<input value= &#32;\"b' type=submit>");
        cuts("a<input value==&amp;b type=submit>", "&", "a<input value==b type=submit>");
        cuts("a<input value=b type=submit>c", "a b", "<input value=&#32; type=submit>c");
        cuts("<input type=submit value='&copy.a'>", ".", "<input type=submit value='&copy;a'>");
    }

    #[test]
    fn a_picture_that_ends_a_drawing_leaves_its_tag() {
        let html = "<svg><g><img alt=Logo src=a><svg></svg><img alt=Logo><p>b";
        let (text, map) = read_with_alt_text::<SourceMap>(html, AltText::Shown);
        assert_eq!(text, "Logo Logo\nb");
        let page = page_without(html, &map, &[Cut { range: 0..10, replacement: "" }]);
        assert_eq!(page, "<svg><g><img><svg></svg><p>b");
        assert_eq!(visible_text(&page), "b");
    }

    #[test]
    fn replacements_are_text() {
        replaces("a<b>b</b>c", "b", " ", "a<b> </b>c");
        replaces("<p>a</p><p>b c</p>", "b c", "\n", "<p>a</p><p> </p>");
        replaces("<p>a</p>", "a", "<b> & 'c'", "<p>&lt;b&gt; &amp; 'c'</p>");
        replaces("<textarea>a</textarea>", "a", "</textarea>", "<textarea>&lt;/textarea&gt;</textarea>");
        replaces("<xmp>a</xmp>", "a", "&</xmp>", "<xmp>&< /xmp></xmp>");
        replaces("<plaintext>a", "a", "<&", "<plaintext><&");
        replaces("<input type=submit value='a'>", "a", "'>\"", "<input type=submit value='&#39;&gt;&quot;'>");
        replaces("<input type=submit value=a>", "a", "b c", "<input type=submit value=b&#32;c>");
        replaces("1 < 2", " 2", "b", "1 &lt;b");
    }

    #[test]
    fn a_replacement_stands_where_the_first_of_the_text_was() {
        replaces("<p>a</p><p>b</p>", "\nb", "c", "<p>a</p><p>c</p>");
        replaces("<p>a</p><p>b</p>", "\n", "c", "<p>ac</p><p>b</p>");
        replaces("<p>a</p><p>b</p>", "", "c", "<p>ca</p><p>b</p>");
        replaces("<p>a</p><p>b</p>", "\n", " ", "<p>a</p><p>b</p>");
        let (_, nothing) = read::<SourceMap>("<p></p>");
        let put = Cut { range: 0..0, replacement: "a" };
        assert_eq!(page_without("<p></p>", &nothing, &[put]), "<p></p>");
    }

    #[test]
    fn any_part_of_a_mess_can_go() {
        for range in parts(&visible_text(MESS)) {
            check(MESS, &[Cut { range, replacement: "" }]);
        }
    }

    const TRAPS: &[&str] = &[
        "<xmp>",
        "</xmp>",
        "<plaintext>",
        "<input type=submit value=a\"b'c>",
        "<input type=submit value=Go&copy=&lt&#32;x class=y>",
        "<input type=button value=\"a &copy 1; &amp\r\nb\">",
        "</text",
        "</xm",
        "</",
        "\r\n",
        "!--",
        "b>",
        "/",
        ";",
        "=",
        "#",
        "lt",
        "60",
        "x3c",
        "&copy",
        "&not",
        "&#",
        "&#6",
        "in;",
        ">",
        "\u{3000}",
        "記",
    ];

    const REPLACEMENTS: &[&str] = &["", "", "", " ", "\n", "x", "lt;", ";", "/b>", "]", "<b>", "</xmp>", "& \"c'"];

    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![prop::sample::select(MARKUP), prop::sample::select(TRAPS)];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    type Place = (usize, usize, &'static str);

    fn some_cuts() -> impl Strategy<Value = Vec<Place>> {
        prop::collection::vec((0..8_usize, 1..6_usize, prop::sample::select(REPLACEMENTS)), 1..8)
    }

    /// Checks cuts that are given by their distance from the cut before and their length, in characters.
    fn check_some(html: &str, cuts: &[Place]) {
        let text = visible_text(html);
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let places: Vec<usize> = ends.collect();
        let (mut at, mut placed) = (0, Vec::new());
        for &(skipped, len, replacement) in cuts {
            let (start, end) = (at + skipped, at + skipped + len);
            if let (Some(&start), Some(&end)) = (places.get(start), places.get(end)) {
                placed.push(Cut { range: start..end, replacement });
            }
            at = end;
        }
        check(html, &placed);
    }

    proptest! {
        #[test]
        fn any_part_of_any_markup_can_go(html in markup(), cuts in some_cuts()) {
            check_some(&html, &cuts);
        }

        #[test]
        fn any_part_of_any_text_can_go(html in "[<>/&;#!\\-\\]\\[ab6 \"'=\n\r]{0,40}", cuts in some_cuts()) {
            check_some(&html, &cuts);
        }
    }
}
