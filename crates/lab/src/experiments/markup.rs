//! Replaces parts of the visible text of an HTML page with other text.

use std::ops::Range;
use std::sync::Arc;

use dehusk_core::html::{SourceMap, Tree, read_despite_scripts};

/// An HTML page.
#[derive(Clone, Debug)]
pub struct Markup {
    html: String,
    map: SourceMap,
    /// The tree of the page.
    pub tree: Arc<Tree>,
}

impl Markup {
    /// The visible text of a page, and its markup.
    pub fn read(html: String) -> (String, Markup) {
        let (text, (map, tree)) = read_despite_scripts::<(SourceMap, Tree)>(&html);
        (text, Markup { html, map, tree: Arc::new(tree) })
    }

    /// The page with other text in these places of its visible text, which are in order and disjoint. All markup is
    /// kept, even where a place gets no text. Each line after the first one starts a new `<p>`.
    pub fn filled(&self, places: impl IntoIterator<Item = (Range<usize>, String)>) -> String {
        let mut html = String::with_capacity(self.html.len());
        let mut at = 0;
        for (place, text) in places {
            let stretches = self.stretches(place);
            // Of several stretches, the longest gets the text: the others are mostly links and emphasis of a few words.
            let longest = stretches.iter().rev().max_by_key(|stretch| stretch.len()).cloned();
            for stretch in stretches {
                html.push_str(&self.html[at..stretch.start]);
                at = stretch.end;
                if longest.as_ref() == Some(&stretch) {
                    html.push_str(&paragraphs(&text));
                }
            }
        }
        html.push_str(&self.html[at..]);
        html
    }

    /// The stretches of the source with some visible text, without the markup between them.
    fn stretches(&self, place: Range<usize>) -> Vec<Range<usize>> {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for piece in self.map.source_ranges(place) {
            match stretches.last_mut() {
                Some(last) if last.end == piece.start => last.end = piece.end,
                _ => stretches.push(piece),
            }
        }
        stretches
    }
}

/// Lines as paragraphs. An open `<p>` ends where the next one starts, or where its parent ends.
fn paragraphs(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(escaped).collect::<Vec<String>>().join("<p>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fills<const N: usize>(html: &str, filled: [(&str, &str); N], expected: &str) {
        let (text, markup) = Markup::read(html.to_owned());
        let place = |place: &str| text.find(place).map(|at| at..at + place.len()).expect("it is on the page");
        assert_eq!(markup.filled(filled.map(|(old, new)| (place(old), new.to_owned()))), expected);
    }

    #[test]
    fn text_changes_and_markup_stays() {
        fills("<h1>Old</h1><p>By Ann<p>One.", [("Old", "New"), ("One.", "Two.")], "<h1>New</h1><p>By Ann<p>Two.");
        fills("<p>Old", [("Old", "a < b & \"c\"")], "<p>a &lt; b &amp; &quot;c&quot;");
        fills("<p>One</p><p>Two</p>", [("One", "New"), ("Two", "")], "<p>New</p><p></p>");
    }

    #[test]
    fn more_paragraphs_than_places() {
        let page = "<div><p class=body>One (Red)</p></div>";
        fills(page, [("One", "a\n\nb\nc")], "<div><p class=body>a<p>b<p>c (Red)</p></div>");
    }

    #[test]
    fn text_comes_where_most_of_the_old_one_stood() {
        let page = "<p><a href=/e>Elsa</a> is a small &amp; old <b>town</b>.";
        fills(page, [("Elsa is a small & old town", "New")], "<p><a href=/e></a>New<b></b>.");
    }
}
