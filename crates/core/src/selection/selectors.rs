//! Proposes selectors: elements of a source's pages that are boilerplate, and elements that hold the content.
//!
//! Takes pages of the source and what cleaning removes from them. A selector selects elements by their tags: by the id,
//! a class, a role, or a name such as `nav`. It is proposed if a person can accept it without looking at pages:
//!
//! - *Boilerplate* (`drop`): nearly all text in its elements is removed anyway, on nearly all pages. Of several
//!   selectors for the same text, the one that selects the most text is proposed, and the others are left out.
//! - *Content* (`content`): nearly all kept text is in its elements, and most of the removed text is outside.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use crate::cleaning::Cleaning;
use crate::dom::block_model::JudgedPage;
use crate::dom::selector::{MAX_NAME, identifier};
use crate::html::{Attribute, NodeKind, Tree};
use crate::patterns::{Elements, Form, ID_DIGITS, LONG_ID_DIGITS, Pattern, PatternFile, Role, Status, thousandths};

/// A selector must be on at least this number of pages.
const MIN_PAGES_OF_SELECTOR: usize = 3;
/// A selector must be on at least this share of the pages. For content, only pages count that have no proposed selector
/// so far.
const MIN_SHARE_OF_SELECTOR: f64 = 0.1;
/// Of the words in elements to drop, at least this share must be removed, over all pages together. The same must be
/// true of at least this share of the single pages, with the headline outside of the elements.
const MIN_GOING: f64 = 0.95;
/// Of the kept words of a page, at least this share must be in the elements for content.
const MIN_KEPT: f64 = 0.95;
/// On at least this share of its pages, a selector for content must reach [`MIN_KEPT`].
const MIN_WHOLE: f64 = 0.98;
/// A further selector must add at least this share of the removed words.
const MIN_GAIN: f64 = 0.01;
/// Of the removed words, at least this share must be outside of the elements for content.
const MIN_OUTSIDE: f64 = 0.5;
/// Maximum number of selectors of each role. People read them.
const MAX_SELECTORS: usize = 12;
/// Maximum length of an example, in characters.
const MAX_EXAMPLE: usize = 80;
/// Names of elements that say what is in the elements.
const TELLING_NAMES: [&str; 7] = ["article", "aside", "figcaption", "footer", "header", "main", "nav"];

/// A proposed selector.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What its elements are.
    pub role: Role,
    /// The selector.
    pub css: String,
    /// Number of pages with such an element that has text.
    pub pages: usize,
    /// Number of such elements.
    pub elements: usize,
    /// Of the removed words of all pages, the share that is inside its elements to drop, or outside of its elements for
    /// content, 0..=1, in thousandths. A word counts in full even if it is in the share of another selector, so this
    /// share does not depend on the other proposals.
    pub removes: f64,
    /// The first words of such an element.
    pub example: String,
}

/// What cleaning did to a page.
#[derive(Clone, Debug)]
pub struct Sight {
    /// For each block, and for the end: the kept and the removed words in all blocks before it.
    before: Vec<Words>,
    /// The block that is the headline.
    headline: Option<usize>,
    /// The elements with text, in the order of the page.
    elements: Vec<Element>,
}

#[derive(Clone, Debug)]
struct Element {
    blocks: Range<usize>,
    /// All selectors for it.
    selectors: Vec<String>,
    example: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Words {
    stay: f64,
    go: f64,
}

impl Words {
    fn and(self, other: Words) -> Words {
        Words { stay: self.stay + other.stay, go: self.go + other.go }
    }

    fn less(self, other: Words) -> Words {
        Words { stay: self.stay - other.stay, go: self.go - other.go }
    }
}

impl Sight {
    /// What `cleaning` did to the page that has this text and this tree.
    pub fn of(text: &str, tree: &Tree, page: &JudgedPage, cleaning: &Cleaning) -> Sight {
        let mut before = vec![Words::default()];
        let mut next = 0;
        for block in &page.page.blocks {
            next += cleaning.spans[next..].iter().take_while(|span| span.range.end <= block.text.start).count();
            let spans = cleaning.spans[next..].iter().take_while(|span| span.range.start < block.text.end);
            let gone: usize =
                spans.map(|span| span.range.end.min(block.text.end) - span.range.start.max(block.text.start)).sum();
            let go = f64::from(block.words) * gone as f64 / block.text.len().max(1) as f64;
            let words = Words { stay: f64::from(block.words) - go, go };
            before.push(before[before.len() - 1].and(words));
        }
        let starts = |limit: usize| page.page.blocks.partition_point(|block| block.text.start < limit);
        let element = |node: usize| {
            let range = tree.text(node);
            let blocks = starts(range.start)..starts(range.end);
            let selectors = if blocks.is_empty() { Vec::new() } else { selectors_for(tree, node) };
            (!selectors.is_empty()).then(|| Element { blocks, selectors, example: start_of(&text[range]) })
        };
        let is_element = |&node: &usize| tree.kind(node) == NodeKind::Element;
        Sight {
            before,
            headline: page.headline(),
            elements: (1..tree.len()).filter(is_element).filter_map(element).collect(),
        }
    }
}

/// The selectors that select an element by its own tag.
fn selectors_for(tree: &Tree, node: usize) -> Vec<String> {
    let name = tree.name(node);
    if name.len() > MAX_NAME {
        return Vec::new();
    }
    let mut selectors = Vec::new();
    if TELLING_NAMES.contains(&name) {
        selectors.push(name.to_owned());
    }
    for (attribute, value) in tree.attributes(node).filter(|(_, value)| !value.trim_ascii().is_empty()) {
        match attribute {
            Attribute::Id => selectors.push(format!("{name}#{}", identifier(value))),
            Attribute::Class => {
                selectors.extend(value.split_ascii_whitespace().map(|class| format!("{name}.{}", identifier(class))));
            }
            Attribute::Role | Attribute::ItemProp => {
                selectors.push(format!("{name}[{}={}]", attribute.name(), quoted(value)));
            }
            _ => {}
        }
    }
    selectors
}

/// A value of an attribute as CSS.
fn quoted(value: &str) -> String {
    let escaped: String =
        value.chars().flat_map(|char| [matches!(char, '"' | '\\').then_some('\\'), Some(char)]).flatten().collect();
    format!("\"{escaped}\"")
}

/// The first words of a text. Nested elements have the same text again, so no more of it is read.
fn start_of(text: &str) -> String {
    let words = text.split_whitespace().flat_map(|word| std::iter::once(' ').chain(word.chars()));
    let mut start: String = words.skip(1).take(MAX_EXAMPLE).collect();
    start.truncate(start.trim_end().len());
    start
}

/// A selector, and the elements that it selects on the pages of a source.
#[derive(Debug, Default)]
struct Candidate {
    css: String,
    example: String,
    elements: usize,
    /// Its pages, each with the blocks in its elements.
    pages: Vec<(usize, Vec<Range<usize>>)>,
}

/// The selectors to propose for a source.
pub fn propose(pages: &[Sight]) -> Vec<Proposal> {
    let candidates = candidates(pages);
    let mut proposals = content(pages, &candidates);
    proposals.extend(boilerplate(pages, &candidates));
    proposals
}

fn candidates(pages: &[Sight]) -> Vec<Candidate> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for (page, sight) in pages.iter().enumerate() {
        for Element { blocks, selectors, example } in &sight.elements {
            for css in selectors {
                let number = *numbers.entry(css).or_insert_with(|| {
                    candidates.push(Candidate { css: css.clone(), example: example.clone(), ..Candidate::default() });
                    candidates.len() - 1
                });
                let candidate = &mut candidates[number];
                candidate.elements += 1;
                match candidate.pages.last_mut() {
                    // Blocks inside an earlier element were counted with that element.
                    Some((last, ranges)) if *last == page => {
                        if ranges.last().is_none_or(|last| last.end <= blocks.start) {
                            ranges.push(blocks.clone());
                        }
                    }
                    _ => candidate.pages.push((page, vec![blocks.clone()])),
                }
            }
        }
    }
    candidates.retain(|candidate| candidate.pages.len() >= MIN_PAGES_OF_SELECTOR);
    candidates
}

impl Candidate {
    /// The words in its elements, page by page, and whether the headline is in one.
    fn words<'a>(&'a self, pages: &'a [Sight]) -> impl Iterator<Item = (usize, Words, bool)> {
        self.pages.iter().map(|(page, ranges)| {
            let sight = &pages[*page];
            let words = ranges.iter().fold(Words::default(), |sum, range| sum.and(sight.within(range)));
            let has_headline =
                sight.headline.is_some_and(|headline| ranges.iter().any(|range| range.contains(&headline)));
            (*page, words, has_headline)
        })
    }

    /// Of two selectors for the same text, the higher one is proposed. A name alone is low, because it may select more
    /// on unknown pages. A short selector is high, because it is easy to read.
    fn rank(&self) -> impl Ord {
        let is_name = TELLING_NAMES.contains(&&*self.css);
        (!is_name, Reverse((self.css.len(), self.css.clone())))
    }

    /// The share of the removed words of all pages that it accounts for.
    fn removes(&self, role: Role, pages: &[Sight]) -> f64 {
        let on_page = |(page, words, _): (usize, Words, bool)| match role {
            Role::Content => pages[page].all().less(words).go,
            Role::Drop => words.go,
        };
        let removed = self.words(pages).map(on_page).sum();
        let all = pages.iter().map(|page| page.all().go).sum();
        thousandths(rounded(removed) as f64 / rounded(all).max(1) as f64)
    }

    fn proposal(&self, role: Role, pages: &[Sight]) -> Proposal {
        let (css, example) = (self.css.clone(), self.example.clone());
        let removes = self.removes(role, pages);
        Proposal { role, css, pages: self.pages.len(), elements: self.elements, removes, example }
    }
}

impl Sight {
    fn within(&self, blocks: &Range<usize>) -> Words {
        self.before[blocks.end].less(self.before[blocks.start])
    }

    fn blocks(&self) -> usize {
        self.before.len() - 1
    }

    fn all(&self) -> Words {
        self.within(&(0..self.blocks()))
    }

    /// The words that are kept, without the headline, which is always kept.
    fn body(&self) -> f64 {
        self.all().stay - self.headline.map_or(0.0, |headline| self.within(&(headline..headline + 1)).stay)
    }
}

/// The selectors to drop. Greedy: the selector for most of the removed words comes first.
fn boilerplate(pages: &[Sight], candidates: &[Candidate]) -> Vec<Proposal> {
    let is_proposed = |candidate: &&Candidate| {
        let (mut sum, mut going) = (Words::default(), 0);
        let has_share = |part: f64, all: f64| part >= MIN_GOING * all;
        for (_, words, has_headline) in candidate.words(pages) {
            sum = sum.and(words);
            going += usize::from(!has_headline && has_share(words.go, words.go + words.stay));
        }
        candidate.pages.len() as f64 >= MIN_SHARE_OF_SELECTOR * pages.len() as f64
            && has_share(sum.go, sum.go + sum.stay)
            && has_share(going as f64, candidate.pages.len() as f64)
    };

    let mut left: Vec<&Candidate> = candidates.iter().filter(is_proposed).collect();
    let mut uncovered: Vec<Uncovered> = pages.iter().map(Uncovered::of).collect();
    let least = MIN_GAIN * uncovered.iter().map(|page| page.within(&(0..page.words.len()))).sum::<f64>();
    let mut proposals = Vec::new();

    while proposals.len() < MAX_SELECTORS {
        let gain = |candidate: &Candidate| -> f64 {
            let on_page = |(page, ranges): &(usize, Vec<Range<usize>>)| -> f64 {
                ranges.iter().map(|range| uncovered[*page].within(range)).sum()
            };
            candidate.pages.iter().map(on_page).sum()
        };
        let order = |&(gain, at): &(f64, usize)| (rounded(gain), left[at].rank());
        let gains = left.iter().enumerate().map(|(at, candidate)| (gain(candidate), at));
        let Some((gain, best)) = gains.max_by_key(order) else { break };
        if gain < least || rounded(gain) == 0 {
            break;
        }
        let best = left.swap_remove(best);
        best.pages.iter().for_each(|(page, ranges)| uncovered[*page].cover(ranges));
        proposals.push(best.proposal(Role::Drop, pages));
    }
    proposals
}

/// Rounds a number of words, so that sums of the same numbers in different orders are equal.
fn rounded(words: f64) -> u64 {
    (16.0 * words).round() as u64
}

/// The removed words of a page that no proposed selector selects so far.
struct Uncovered {
    /// The number of these words in each block.
    words: Vec<f64>,
    /// The number of these words in all blocks before each one. With sums, nested elements take no extra time.
    before: Vec<f64>,
}

impl Uncovered {
    fn of(sight: &Sight) -> Uncovered {
        let words = (0..sight.blocks()).map(|block| sight.within(&(block..block + 1)).go).collect();
        let mut page = Uncovered { words, before: Vec::new() };
        page.sum();
        page
    }

    fn sum(&mut self) {
        let mut sum = 0.0;
        let after = self.words.iter().map(|words| {
            sum += words;
            sum
        });
        self.before = std::iter::once(0.0).chain(after).collect();
    }

    fn within(&self, blocks: &Range<usize>) -> f64 {
        self.before[blocks.end] - self.before[blocks.start]
    }

    fn cover(&mut self, ranges: &[Range<usize>]) {
        ranges.iter().for_each(|range| self.words[range.clone()].fill(0.0));
        self.sum();
    }
}

/// The selectors for content: for each kind of page, the one with the least boilerplate inside.
fn content(pages: &[Sight], candidates: &[Candidate]) -> Vec<Proposal> {
    let all: Vec<Words> = pages.iter().map(|sight| Words { stay: sight.body(), ..sight.all() }).collect();
    let mut is_open: Vec<bool> = all.iter().map(|words| words.stay > 0.0).collect();
    let mut proposals: Vec<Proposal> = Vec::new();
    while proposals.len() < MAX_SELECTORS {
        let open = is_open.iter().filter(|is_open| **is_open).count();
        let outside = |candidate: &Candidate| -> Option<f64> {
            let (mut on_open, mut with_text, mut whole, mut outside, mut going) = (0, 0_usize, 0_usize, 0.0, 0.0);
            for (page, words, _) in candidate.words(pages).filter(|(page, ..)| all[*page].stay > 0.0) {
                with_text += 1;
                on_open += usize::from(is_open[page]);
                whole += usize::from(words.stay >= MIN_KEPT * all[page].stay);
                outside += all[page].go - words.go;
                going += all[page].go;
            }
            let is_proposed = on_open >= MIN_PAGES_OF_SELECTOR
                && on_open as f64 >= MIN_SHARE_OF_SELECTOR * open as f64
                && whole as f64 >= MIN_WHOLE * with_text as f64
                && outside >= MIN_OUTSIDE * going;
            is_proposed.then_some(outside)
        };

        let order = |&(outside, at): &(f64, usize)| (rounded(outside), candidates[at].rank());
        let found = candidates.iter().enumerate().filter_map(|(at, candidate)| Some((outside(candidate)?, at)));
        let Some((_, best)) = found.max_by_key(order) else { break };
        candidates[best].pages.iter().for_each(|(page, _)| is_open[*page] = false);
        proposals.push(candidates[best].proposal(Role::Content, pages));
    }
    proposals
}

/// Adds the selectors that [`propose`] finds on these pages to the file of their source, as proposed patterns.
/// Selectors that the file already has get new counts.
pub fn add(file: &mut PatternFile, pages: &[Sight]) {
    for Proposal { role, css, pages: documents, elements, removes, example } in propose(pages) {
        let removes = Some(removes);
        // A selector that mining proposes always parses.
        let Ok(of_role) = Elements::parse(role, &css) else { continue };
        let (id, long_id) = (of_role.id(ID_DIGITS), of_role.id(LONG_ID_DIGITS));
        let is_it = |pattern: &&mut Pattern| [&id, &long_id].contains(&&pattern.id) && pattern.elements().is_some();
        if let Some(known) = file.patterns.iter_mut().find(is_it) {
            (known.documents, known.among, known.occurrences) = (documents, pages.len(), elements);
            known.removes = removes;
            continue;
        }
        let is_taken = file.all().any(|pattern| pattern.id == id);
        file.patterns.push(Pattern {
            id: if is_taken { long_id } else { id },
            status: Status::Proposed,
            regex: css,
            form: Form::Elements(of_role),
            documents,
            among: pages.len(),
            occurrences: elements,
            sources: None,
            removes,
            ends_after: None,
            example,
            note: String::new(),
        });
    }
    file.sort();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaning::Span;
    use crate::dom::block_model::BlockModel;
    use crate::dom::selector::{Selector, SelectorSet};
    use crate::html::read;
    use crate::patterns::LexerCache;

    /// What cleaning does to a page if it removes all text after a `-` in each line.
    fn sight(page: &str) -> Sight {
        let (text, tree) = read::<Tree>(page);
        let starts = text.match_indices('-').map(|(at, _)| at);
        let range = |start: usize| start..text[start..].find('\n').map_or(text.len(), |length| start + length);
        let span = |start: usize| Span { range: range(start), score: 1.0, because: Vec::new() };
        let cleaning = Cleaning { spans: starts.map(span).collect(), ..Cleaning::default() };
        Sight::of(&text, &tree, &BlockModel::shipped().judge(&text, &tree), &cleaning)
    }

    fn proposed(pages: &[String]) -> Vec<String> {
        let sights: Vec<Sight> = pages.iter().map(|page| sight(page)).collect();
        propose(&sights).into_iter().map(|Proposal { role, css, .. }| format!("{} {css}", role.key())).collect()
    }

    fn pages(page: impl Fn(usize) -> String) -> Vec<String> {
        (0..20).map(page).collect()
    }

    const TEN: &str = "one two three four five six seven eight nine ten";

    #[test]
    fn elements_that_go_and_elements_that_stay_are_proposed() {
        let page = |_| {
            format!(
                "<div class=page><nav id=top><ul class=menu><li>-{TEN}</ul></nav><div class='story wide'><p>{TEN} {TEN}\
                 <p class=share>-Share it</div><div class='wide side'><p>-{TEN}</div></div>"
            )
        };
        assert_eq!(proposed(&pages(page)), ["content div.story", "drop nav#top", "drop div.side", "drop p.share"]);
    }

    #[test]
    fn what_stays_on_some_pages_is_not_proposed() {
        let side = |page: usize| {
            if page.is_multiple_of(10) { format!("<p class=side>{TEN}") } else { format!("<p class=side>-{TEN}") }
        };
        assert_eq!(proposed(&pages(|page| format!("<p>{TEN}{}", side(page)))), [""; 0]);
        let twice = |page: usize| {
            format!("<p>{TEN}<div id=a{page}>-{TEN}</div>{}", if page < 2 { "<b class=b>-x" } else { "" })
        };
        assert_eq!(proposed(&pages(twice)), [""; 0], "on 1 and on 2 pages");
    }

    #[test]
    fn the_headline_is_in_nothing_to_drop_and_may_be_outside_of_the_content() {
        let head = "<title>Ferry late again</title><header class=head><h1>Ferry late again</h1><p>-Share -Print -Mail -Post it -Like</header>";
        let page = |_| format!("{head}<article><p>{TEN}. {TEN}.</article><footer>-{TEN}</footer>");
        assert_eq!(proposed(&pages(page)), ["content article", "drop footer"]);
    }

    #[test]
    fn kinds_of_pages_have_selectors_of_their_own() {
        let page = |page: usize| {
            let class = if page.is_multiple_of(2) { "story" } else { "review" };
            format!("<div class={class}><p>{TEN}</div><p>-{TEN}")
        };
        assert_eq!(proposed(&pages(page)), ["content div.story", "content div.review"]);
    }

    /// Of all removed words, the share that a selector accounts for, counted word by word.
    fn counted(pages: &[String], role: Role, css: &str) -> f64 {
        let (mut all, mut its_own) = (0, 0);
        for page in pages {
            let (text, tree) = read::<Tree>(page);
            let mut set = SelectorSet::default();
            set.add(0, &Selector::parse(css).unwrap());
            let elements: Vec<Range<usize>> = set.select(&tree).into_iter().map(|(node, _)| tree.text(node)).collect();
            for line in text.lines() {
                let Some((_, gone)) = line.split_once('-') else { continue };
                for word in gone.split_whitespace() {
                    let at = word.as_ptr() as usize - text.as_ptr() as usize;
                    let is_inside = elements.iter().any(|element| element.contains(&at));
                    all += 1;
                    its_own += usize::from(match role {
                        Role::Content => !elements.is_empty() && !is_inside,
                        Role::Drop => is_inside,
                    });
                }
            }
        }
        (1000.0 * its_own as f64 / all as f64).round() / 1000.0
    }

    #[test]
    fn the_share_of_the_removed_words_is_that_of_a_naive_count() {
        let words = |number: usize| ["word"].repeat(number + 1).join(" ");
        // Some pages have no story, some have a box inside a box of the same class. The menu is in an element of its
        // own, which is inside the page's head.
        let page = |page: usize| {
            let menu = format!("<div class=head><nav><p>-{}</nav><p>-Sign in</div>", words(page % 5));
            let inner = format!("<p>-{}<div class=box><p>-{}</div>", words(page % 3), words(page % 4));
            let share = if page.is_multiple_of(4) { "" } else { "<p class=share>-Share it now" };
            let story = format!("<div class=story><p>{TEN} {TEN}{share}</div>");
            let story = if page.is_multiple_of(7) { format!("<p>{TEN}") } else { story };
            format!("{menu}{story}<div class=box>{inner}</div><p>-All rights are ours")
        };
        let pages = pages(page);
        let sights: Vec<Sight> = pages.iter().map(|page| sight(page)).collect();
        let proposals = propose(&sights);
        let found: Vec<String> = proposals.iter().map(|Proposal { css, .. }| css.clone()).collect();
        assert_eq!(found, ["div.story", "div.head", "div.box", "p.share"]);
        for Proposal { role, css, removes, .. } in &proposals {
            assert_eq!(*removes, counted(&pages, *role, css), "{css}");
        }
        let sum: f64 = proposals.iter().map(|proposal| proposal.removes).sum();
        assert!(sum > 1.0, "words outside of the content are also in what is dropped: {sum}");
    }

    #[test]
    fn a_known_selector_gets_a_new_share() {
        let yaml =
            "dehusk: 1\nsource: s\nmined: {documents: 20, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n";
        let id = |css: &str| Elements::parse(Role::Drop, css).unwrap().id(ID_DIGITS);
        let known = [("p.share", "accepted", "removes: 0.9, "), ("div.gone", "rejected", "removes: 0.3, ")];
        let entry = |(css, status, removes): (&str, &str, &str)| {
            format!("  - {{id: '{}', status: {status}, {removes}drop: {css}}}\n", id(css))
        };
        let patterns: String = known.map(entry).concat();
        let mut file = PatternFile::parse(&format!("{yaml}{patterns}"), &LexerCache::default()).unwrap();
        let page = |_| format!("<div class=story><p>{TEN}<p class=share>-Share it now</div><nav><p>-{TEN}</nav>");
        let sights: Vec<Sight> = pages(page).iter().map(|page| sight(page)).collect();
        add(&mut file, &sights);
        let shares: Vec<(&str, Status, Option<f64>)> =
            file.patterns.iter().map(|pattern| (&*pattern.regex, pattern.status, pattern.removes)).collect();
        let expected = [
            ("div.gone", Status::Rejected, Some(0.3)),
            ("div.story", Status::Proposed, Some(0.769)),
            ("nav", Status::Proposed, Some(0.769)),
            ("p.share", Status::Accepted, Some(0.231)),
        ];
        assert_eq!(shares, expected, "one that is not found again keeps its old counts");
    }

    #[test]
    fn selectors_are_found_where_they_were_made() {
        let page = "<div id='a b' class='tw:x 2' role='it\"s' itemprop='c\\d'>-a b c</div><p>d e f</p><x-share-and-more-of-it class=a>-b";
        let (_, tree) = read::<Tree>(page);
        let made = selectors_for(&tree, 1);
        assert_eq!(made.len(), 5);
        for css in made {
            let selector = Selector::parse(&css).unwrap();
            let mut set = SelectorSet::default();
            set.add(0, &selector);
            assert_eq!(set.select(&tree), [(1, 0)], "{css}");
        }
        assert_eq!(proposed(&pages(|_| page.to_owned())).len(), 2);
    }
}
