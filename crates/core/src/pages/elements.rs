//! Finds the text that selectors remove from a page.
//!
//! Takes the tree of a page. Returns ranges of its visible text, each with its pattern. Elements to drop are removed.
//! If elements hold the content, all text outside of them is removed, except the headline. The text inside is judged as
//! without selectors.

use std::ops::Range;

use crate::dom::selector::SelectorSet;
use crate::html::Tree;
use crate::patterns::{Elements, Role};

/// The selectors of some patterns.
#[derive(Clone, Debug, Default)]
pub struct Selectors {
    set: SelectorSet,
    selected: Vec<Selected>,
}

#[derive(Clone, Copy, Debug)]
struct Selected {
    pattern: usize,
    role: Role,
    is_certain: bool,
}

impl Selectors {
    /// Collects the elements of patterns. Each comes with the index of its pattern, and with whether a person confirmed
    /// the pattern.
    pub fn new(patterns: impl Iterator<Item = (usize, Elements, bool)>) -> Selectors {
        let mut selectors = Selectors::default();
        for (pattern, Elements { role, selector }, is_certain) in patterns {
            selectors.set.add(selectors.selected.len(), &selector);
            selectors.selected.push(Selected { pattern, role, is_certain });
        }
        selectors
    }

    /// Whether some of the selectors are for content.
    pub fn have_content(&self) -> bool {
        self.selected.iter().any(|selected| selected.role == Role::Content)
    }

    /// The text that the selectors would remove: ranges of the visible text, each with its pattern. `length` is the
    /// length of the text. A selector for content removes nothing from a page on which it selects no text.
    pub fn find(&self, tree: &Tree, length: usize, headline: Option<Range<usize>>) -> Vec<(Range<usize>, usize)> {
        let mut found = Vec::new();
        let mut content: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.selected.len()];
        let mut ends = vec![0; self.selected.len()];
        for (node, number) in self.set.select(tree) {
            let (text, Selected { pattern, role, .. }) = (tree.text(node), self.selected[number]);
            // An element inside an earlier one has no further text.
            if text.end <= ends[number] {
                continue;
            }
            ends[number] = text.end;
            match role {
                Role::Drop => found.push((text, pattern)),
                Role::Content => content[number].push(text),
            }
        }

        // If people confirmed several selectors for content, the elements of each are kept.
        let certain =
            || (0..content.len()).filter(|&number| self.selected[number].is_certain && !content[number].is_empty());
        let confirmed: Vec<Range<usize>> = certain().flat_map(|number| content[number].clone()).collect();
        let first = certain().next();
        for (number, ranges) in content.into_iter().enumerate() {
            let Selected { pattern, is_certain, .. } = self.selected[number];
            let stays = match is_certain {
                true if first == Some(number) => confirmed.clone(),
                true => continue,
                false => ranges,
            };
            if !stays.is_empty() {
                let outside = outside(stays.into_iter().chain(headline.clone()).collect(), length);
                found.extend(outside.into_iter().map(|range| (range, pattern)));
            }
        }
        found
    }
}

/// The ranges between these ranges, from 0 to a length.
fn outside(mut stays: Vec<Range<usize>>, length: usize) -> Vec<Range<usize>> {
    stays.sort_by_key(|range| range.start);
    let mut at = 0;
    let mut outside = Vec::new();
    for Range { start, end } in stays.into_iter().chain(std::iter::once(length..length)) {
        if at < start {
            outside.push(at..start);
        }
        at = at.max(end);
    }
    outside
}

#[cfg(test)]
mod tests {
    use crate::cleaning::{CleanOptions, Cleaner, Scratch};
    use crate::html::{Tree, read};
    use crate::patterns::{LexerCache, PatternFile};

    const STORY: &str = "The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.";

    /// A page with a headline, an article, a list inside it, and a poem that is not in an article.
    fn page() -> String {
        format!(
            "<title>Ferry late again</title><h1>Ferry late again</h1><div class='story body'><p>{STORY}</p>\
             <ul class=facts><li>0 dead<li>1 late</ul><p>{STORY} It was cold.</p></div>\
             <div class=poem><p>{STORY} So they say.</p></div>"
        )
    }

    /// The page cleaned with these patterns, as lines with bars between them.
    #[track_caller]
    fn cleaned(page: &str, patterns: &str, options: &CleanOptions) -> String {
        let mined = "mined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}";
        let yaml = format!("dehusk: 1\nsource: s\n{mined}\npatterns:\n{patterns}");
        let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
        let (text, tree) = read::<Tree>(page);
        let cleaning = Cleaner::new(&[&file], options).clean_page(&mut Scratch::default(), &text, &tree).unwrap();
        cleaning.strip(&text).replace(STORY, "STORY").trim().replace('\n', "|")
    }

    fn entry(status: &str, written: &str) -> String {
        let id = written.replace(['\'', ' '], "");
        format!("- {{id: '{id}', {written}, documents: 2, among: 9, occurrences: 2, status: {status}}}\n")
    }

    #[track_caller]
    fn leaves(patterns: &[(&str, &str)], expected: &str) {
        let patterns: String = patterns.iter().map(|(status, written)| entry(status, written)).collect();
        for only_accepted in [false, true] {
            let options = CleanOptions::default().only_accepted(only_accepted);
            assert_eq!(cleaned(&page(), &patterns, &options), expected, "{patterns} {only_accepted}");
        }
    }

    const ALL: &str = "Ferry late again|STORY|0 dead|1 late|STORY It was cold.|STORY So they say.";

    #[test]
    fn accepted_selectors_are_certain() {
        leaves(&[("proposed", "drop: .poem"), ("proposed", "content: .facts")], ALL);
        leaves(&[("accepted", "drop: .poem")], "Ferry late again|STORY|0 dead|1 late|STORY It was cold.");
        leaves(&[("accepted", "drop: 'ul, .story p'")], "Ferry late again|STORY So they say.");
        leaves(&[("accepted", "drop: h1")], &ALL["Ferry late again|".len()..]);
    }

    #[test]
    fn outside_of_the_content_only_the_headline_stays() {
        leaves(&[("accepted", "content: .story")], "Ferry late again|STORY|0 dead|1 late|STORY It was cold.");
        let both = [("accepted", "content: .facts"), ("accepted", "content: .poem")];
        leaves(&both, "Ferry late again|0 dead|1 late|STORY So they say.");
        leaves(&[("accepted", "content: .facts"), ("proposed", "content: .poem")], "Ferry late again|0 dead|1 late");
        leaves(
            &[("accepted", "content: .story"), ("accepted", "drop: .facts")],
            "Ferry late again|STORY|STORY It was cold.",
        );
    }

    #[test]
    fn a_page_without_such_an_element_is_cleaned_as_before() {
        leaves(&[("accepted", "content: .missing"), ("accepted", "drop: .missing")], ALL);
        let accepted = entry("accepted", "content: .story");
        let empty = page().replace("story body", "").replace("<h1>", "<div class=story></div><h1>");
        assert_eq!(cleaned(&empty, &accepted, &CleanOptions::default()), ALL);
    }

    #[test]
    fn what_a_rejected_selector_selects_stays() {
        let menu: String = (0..9).map(|number| format!("<li><a href=/{number}>Section {number}</a>")).collect();
        let page = format!("{}<ul class=menu>{menu}</ul>", page());
        let clean = |patterns: &str| cleaned(&page, patterns, &CleanOptions::default());
        assert!(!clean("").contains("Section 3"), "{}", clean(""));
        assert!(clean(&entry("rejected", "drop: .menu")).contains("Section 3|Section 4"));
        assert_eq!(clean(&entry("rejected", "content: .menu")), clean(""));
    }

    #[test]
    fn texts_to_keep_stay() {
        let keep = "- {id: a, drop: .poem, status: accepted}\nkeep:\n- {text: 'they say'}\n";
        let text = cleaned(&page(), keep, &CleanOptions::default());
        assert!(text.ends_with("STORY It was cold.|they say"), "{text}");
    }
}
