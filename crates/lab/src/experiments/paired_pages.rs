//! Makes the same article under the templates of several sites, from pages and their gold text.
//!
//! A *paired page* has the article of one page and the template of another, its host. The host's article is cut out,
//! stretch by stretch, and the other article's stretches are put into these places. The first stretch, usually the
//! headline, is put into the first place. The rest is spread over the other places in order. Places that get nothing
//! are closed. So the text that the host's site puts before, between and after the paragraphs of its own article is now
//! around the paragraphs of the other article.
//!
//! A page is a text, or an HTML page. In an HTML page, the text of the host is replaced, and its markup is kept.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use dehusk_core::html::Tree;
use dehusk_core::random::Random;
use dehusk_lab::article::Article;
use dehusk_run::scoring::words::words;

use super::markup::Markup;
use super::sketches::containment;

/// Minimum share of the gold text that must be found in a page.
pub const MIN_FOUND: f64 = 0.9;
/// Minimum number of words of an article, so that a headline alone does not count.
pub const MIN_WORDS_OF_ARTICLE: usize = 50;
/// Two articles are the same if at least this share of the shingles of the shorter one is in the other.
pub const SAME_ARTICLE: f64 = 0.3;

/// A page and its gold text.
#[derive(Clone, Debug)]
pub struct Page {
    /// The number of its source.
    pub source: usize,
    /// The text of the page.
    pub text: String,
    /// The text of its article.
    pub gold: String,
    /// Its markup, if it is an HTML page.
    markup: Option<Markup>,
    article: Article,
}

/// Pages by source, whose articles can be moved.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    pages: Vec<Page>,
    /// For each source with pages, the range of its pages.
    sources: Vec<Range<usize>>,
}

/// A page or a paired page.
#[derive(Clone, Debug)]
pub struct Document {
    /// The source of its template.
    pub source: usize,
    /// The number of the page in the collection that has its article.
    pub article: usize,
    /// Its text.
    pub text: String,
    /// The tree of the HTML page with this text.
    pub tree: Option<Arc<Tree>>,
}

/// Documents and pairs of documents.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The pages of the collection, then the paired pages.
    pub documents: Vec<Document>,
    /// Pairs with the same article under the templates of two sources.
    pub same: Vec<(usize, usize)>,
    /// Pairs with different articles under the template of one source.
    pub different: Vec<(usize, usize)>,
    /// Number of pairs of one source that were left out because a good part of one article is in the other.
    pub retold: usize,
}

impl Page {
    /// Locates the article in the page. `None` if it is too short or too little of it is found.
    pub fn new(source: usize, text: String, markup: Option<Markup>, gold: String) -> Option<Page> {
        if words(&gold).count() < MIN_WORDS_OF_ARTICLE {
            return None;
        }
        let article = Article::locate(&text, &gold);
        (article.found >= MIN_FOUND).then_some(Page { source, text, gold, markup, article })
    }

    /// This page's article in the template of `host`: its text, and its tree if the host is an HTML page.
    pub fn under(&self, host: &Page) -> (String, Option<Arc<Tree>>) {
        match &host.markup {
            None => (self.text_under(host), None),
            Some(markup) => {
                let (text, Markup { tree, .. }) = Markup::read(self.html_under(host, markup));
                (text, Some(tree))
            }
        }
    }

    fn html_under(&self, host: &Page, markup: &Markup) -> String {
        let places = &host.article.stretches;
        markup.filled(places.iter().enumerate().map(|(place, stretch)| {
            let mut text = String::new();
            self.write_pieces(pieces_of_place(place, places.len(), self.article.stretches.len()), &mut text);
            (stretch.clone(), text)
        }))
    }

    fn text_under(&self, host: &Page) -> String {
        let (pieces, places) = (&self.article.stretches, &host.article.stretches);
        let mut text = String::new();
        let mut end = 0;
        for (place, stretch) in places.iter().enumerate() {
            text.push_str(&host.text[end..stretch.start]);
            let pieces = pieces_of_place(place, places.len(), pieces.len());
            end = stretch.end;
            if pieces.is_empty() {
                end += close(&mut text, &host.text[end..]);
            } else {
                self.write_pieces(pieces, &mut text);
            }
        }
        text.push_str(&host.text[end..]);
        text
    }

    /// Writes some stretches of the article. Stretches of one line are kept on one line, and paragraphs are kept apart.
    fn write_pieces(&self, pieces: Range<usize>, text: &mut String) {
        let stretches = &self.article.stretches[pieces];
        for (number, stretch) in stretches.iter().enumerate() {
            if number > 0 {
                let between = &self.text[stretches[number - 1].end..stretch.start];
                text.push_str(["", "\n", "\n\n"].get(between.matches('\n').count()).unwrap_or(&"\n\n"));
                if !between.contains('\n') {
                    text.push(' ');
                }
            }
            text.push_str(&self.text[stretch.clone()]);
        }
    }
}

/// The pieces for a place: the first piece is put into the first place, and the other pieces are spread over the other
/// places.
fn pieces_of_place(place: usize, places: usize, pieces: usize) -> Range<usize> {
    if places == 1 {
        return 0..pieces;
    }
    if place == 0 {
        return 0..pieces.min(1);
    }
    let (others, rest) = (places - 1, pieces.saturating_sub(1));
    let piece = |place: usize| 1 + ((place - 1) * rest).div_ceil(others);
    piece(place)..piece(place + 1)
}

/// Leaves no empty line where the stretch was the whole line. Returns how many bytes of the rest to skip.
fn close(text: &mut String, rest: &str) -> usize {
    let kept = text.trim_end_matches([' ', '\t']).len();
    let is_line_start = kept == 0 || text[..kept].ends_with('\n');
    let Some(line_end) = rest.find('\n').filter(|&at| rest[..at].trim().is_empty() && is_line_start) else { return 0 };
    text.truncate(kept);
    let is_after_blank = text.is_empty() || text.ends_with("\n\n");
    let blank_after = rest[line_end + 1..].starts_with('\n');
    line_end + 1 + usize::from(is_after_blank && blank_after)
}

impl Collection {
    /// Collects pages, which must be in the order of their sources. If not all are HTML pages, all count as texts, so
    /// that all are compared in the same way.
    pub fn new(mut pages: Vec<Page>) -> Collection {
        if pages.iter().any(|page| page.markup.is_none()) {
            pages.iter_mut().for_each(|page| page.markup = None);
        }
        let mut sources: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        for (at, page) in pages.iter().enumerate() {
            sources.entry(page.source).or_insert(at..at).end = at + 1;
        }
        Collection { pages, sources: sources.into_values().collect() }
    }

    /// The pages.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Whether all are HTML pages.
    pub fn is_html(&self) -> bool {
        self.pages.iter().all(|page| page.markup.is_some())
    }

    /// Number of sources with pages.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Up to `limit` pairs of each kind: all, or a sample. A page can have a paired page for every other source, with a
    /// random page of that source as the host.
    pub fn pairs(&self, limit: usize, random: &mut Random) -> Pairs {
        let mut pairs =
            Pairs { documents: (0..self.pages.len()).map(|page| self.own(page)).collect(), ..Pairs::default() };
        let others = self.sources.len().saturating_sub(1);
        for number in random.sample(self.pages.len() * others, limit) {
            let (page, other) = (number / others, number % others);
            let own = self.sources.iter().position(|source| source.contains(&page));
            let other = if own.is_some_and(|own| other >= own) { other + 1 } else { other };
            pairs.same.push((page, pairs.documents.len()));
            pairs.documents.push(self.paired(page, other, random));
        }
        let of_source = |source: &Range<usize>| source.len() * (source.len() - 1) / 2;
        for mut number in random.sample(self.sources.iter().map(of_source).sum(), limit) {
            for source in &self.sources {
                if number < of_source(source) {
                    self.add_different(pair(number, source.start), &mut pairs);
                    break;
                }
                number -= of_source(source);
            }
        }
        pairs
    }

    /// This many articles, each under the templates of the same sources, one of which is its own. Fewer if there are no
    /// more. Sorted by article; no article is retold by another.
    pub fn sheaf(&self, articles: usize, sources: usize, random: &mut Random) -> Vec<Document> {
        let sources = random.sample(self.sources.len(), sources);
        let mut documents = Vec::new();
        for page in self.different_articles(articles, &sources, random) {
            for &source in &sources {
                let is_own = self.sources[source].contains(&page);
                documents.push(if is_own { self.own(page) } else { self.paired(page, source, random) });
            }
        }
        documents
    }

    /// Up to `count` pages of these sources, all with different articles.
    fn different_articles(&self, count: usize, sources: &[usize], random: &mut Random) -> Vec<usize> {
        let mut left: Vec<usize> = sources.iter().flat_map(|&source| self.sources[source].clone()).collect();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < count && !left.is_empty() {
            let page = left.swap_remove(random.below(left.len()));
            if !chosen.iter().any(|&other| self.is_retold(page, other)) {
                chosen.push(page);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    fn is_retold(&self, one: usize, other: usize) -> bool {
        containment(&self.pages[one].gold, &self.pages[other].gold) >= SAME_ARTICLE
    }

    fn own(&self, page: usize) -> Document {
        let Page { source, text, markup, .. } = &self.pages[page];
        let tree = markup.as_ref().map(|markup| Arc::clone(&markup.tree));
        Document { source: *source, article: page, text: text.clone(), tree }
    }

    fn paired(&self, page: usize, source: usize, random: &mut Random) -> Document {
        let hosts = &self.sources[source];
        let host = &self.pages[hosts.start + random.below(hosts.len())];
        let (text, tree) = self.pages[page].under(host);
        Document { source: host.source, article: page, text, tree }
    }

    fn add_different(&self, (one, other): (usize, usize), pairs: &mut Pairs) {
        if self.is_retold(one, other) {
            pairs.retold += 1;
        } else {
            pairs.different.push((one, other));
        }
    }
}

/// Pair number `number` among all pairs of pages from `start` on: (0, 1), (0, 2), (1, 2), (0, 3) ...
fn pair(number: usize, start: usize) -> (usize, usize) {
    let mut before = 0;
    let mut second = 1;
    while before + second <= number {
        before += second;
        second += 1;
    }
    (start + number - before, start + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filler(name: &str, count: usize) -> String {
        (0..count).map(|word| format!(" {name}{word}")).collect()
    }

    fn page(source: usize, text: &str, gold: &str) -> Page {
        Page::new(source, text.to_owned(), None, gold.to_owned()).expect("a page with its article")
    }

    fn html_page(source: usize, html: &str, gold: &str) -> Page {
        let (text, markup) = Markup::read(html.to_owned());
        Page::new(source, text, Some(markup), gold.to_owned()).expect("a page with its article")
    }

    fn host() -> Page {
        let [one, two, three] = ["p", "q", "r"].map(|name| filler(name, 20).trim().to_owned());
        let text = format!(
            "Menu\n\nOld headline\nBy Ann\n\nELSA (AP) -- {one}\n\nAdvertisement\n\n{two}\n\n{three} (Red)\n\nFooter\n"
        );
        page(1, &text, &format!("Old headline\n{one}\n{two}\n{three}"))
    }

    #[test]
    fn a_paired_page_has_the_template_of_its_host_and_the_other_article() {
        let [one, two, three] = ["a", "b", "c"].map(|name| filler(name, 20).trim().to_owned());
        let text = format!("Site\nNew\n{one}\n{two}\n\n{three}\nEnd");
        let paired = page(0, &text, &format!("New {one} {two} {three}")).text_under(&host());
        let expected =
            format!("Menu\n\nNew\nBy Ann\n\nELSA (AP) -- {one}\n\nAdvertisement\n\n{two}\n\n{three} (Red)\n\nFooter\n");
        assert_eq!(paired, expected);
    }

    #[test]
    fn places_take_several_pieces_or_are_closed() {
        let pieces = ["a", "b", "c", "d", "e"].map(|name| filler(name, 20).trim().to_owned());
        let long = format!("New\n{}", pieces.join("\n"));
        let paired = page(0, &long, &long).text_under(&host());
        let [a, b, c, d, e] = pieces;
        assert_eq!(
            paired,
            format!(
                "Menu\n\nNew\nBy Ann\n\nELSA (AP) -- {a}\n{b}\n\nAdvertisement\n\n{c}\n{d}\n\n{e} (Red)\n\nFooter\n"
            )
        );
        let short = filler("a", 60).trim().to_owned();
        assert_eq!(
            page(0, &short, &short).text_under(&host()),
            format!("Menu\n\n{short}\nBy Ann\n\nELSA (AP) -- \n\nAdvertisement\n\n (Red)\n\nFooter\n")
        );
    }

    #[test]
    fn an_html_page_has_the_markup_of_its_host() {
        let [one, two, three, four] = ["a", "b", "c", "d"].map(|name| filler(name, 20).trim().to_owned());
        let host = format!(
            "<nav>Menu</nav><h1>Old headline</h1><i>By Ann</i><div><p>ELSA (AP) -- {}<p class=ad>Advertisement<p>{}</div>\
             Footer",
            filler("p", 30).trim(),
            filler("q", 30).trim()
        );
        let host = html_page(1, &host, &format!("Old headline{}{}", filler("p", 30), filler("q", 30)));
        let guest = format!("<b>Site</b><h2>New & short</h2><p>{one}<p>{two}<p>{three}<p>{four}");
        let guest = html_page(0, &guest, &format!("New short {one} {two} {three} {four}"));
        let (text, tree) = guest.under(&host);
        let expected =
            format!("Menu\nNew & short\nBy Ann\nELSA (AP) -- {one}\n{two}\nAdvertisement\n{three}\n{four}\nFooter");
        assert_eq!(text, expected);
        assert!(tree.is_some());
    }

    #[test]
    fn pages_among_texts_are_texts() {
        let text = filler("a", 60);
        let html = html_page(0, &format!("<p>{text}"), &text);
        assert!(Collection::new(vec![html.clone()]).is_html());
        assert!(!Collection::new(vec![html, host()]).is_html());
    }

    #[test]
    fn every_piece_has_one_place() {
        for places in 1..9 {
            for pieces in 0..12 {
                let all: Vec<usize> = (0..places).flat_map(|place| pieces_of_place(place, places, pieces)).collect();
                assert_eq!(all, (0..pieces).collect::<Vec<_>>(), "{places} {pieces}");
            }
        }
    }

    #[test]
    fn pages_without_their_article_are_none() {
        let text = filler("a", 80);
        assert!(Page::new(0, text.clone(), None, filler("a", 60)).is_some());
        assert!(Page::new(0, text.clone(), None, filler("a", 40)).is_none(), "short");
        assert!(Page::new(0, text.clone(), None, filler("a", 60) + &filler("b", 10)).is_none(), "not in the page");
    }

    fn collection() -> Collection {
        let text = |source: usize, number: usize| filler(&format!("s{source}n{number}w"), 60);
        let pages = (0..3).flat_map(|source| (0..4).map(move |number| (source, text(source, number))));
        let top = |source| format!("Site {source}\n");
        Collection::new(pages.map(|(source, text)| page(source, &(top(source) + &text), &text)).collect())
    }

    #[test]
    fn pairs_are_all_there_are_or_a_sample() {
        let collection = collection();
        let all = collection.pairs(1000, &mut Random::new(1));
        assert_eq!((all.same.len(), all.different.len(), all.retold), (24, 18, 0));
        assert!(all.same.iter().all(|&(a, b)| all.documents[a].article == all.documents[b].article));
        assert!(all.same.iter().all(|&(a, b)| all.documents[a].source != all.documents[b].source));
        assert!(all.different.iter().all(|&(a, b)| a != b && all.documents[a].source == all.documents[b].source));
        let some = collection.pairs(5, &mut Random::new(1));
        assert_eq!((some.same.len(), some.different.len()), (5, 5));
    }

    #[test]
    fn the_same_article_stored_twice_is_no_pair_of_two() {
        let text = filler("a", 60);
        let pages = [page(0, &text, &text), page(0, &text, &text), host()];
        let pairs = Collection::new(pages.to_vec()).pairs(10, &mut Random::new(1));
        assert_eq!((pairs.different.len(), pairs.retold), (0, 1));
    }

    #[test]
    fn a_sheaf_has_each_article_under_each_source() {
        let documents = collection().sheaf(5, 2, &mut Random::new(4));
        assert_eq!(documents.len(), 10);
        assert!(documents.chunks(2).all(|same| same[0].article == same[1].article && same[0].source < same[1].source));
        assert_eq!(collection().sheaf(99, 99, &mut Random::new(4)).len(), 12 * 3);
    }

    #[test]
    fn numbers_of_pairs() {
        let all: Vec<(usize, usize)> = (0..6).map(|number| pair(number, 10)).collect();
        assert_eq!(all, [(10, 11), (10, 12), (11, 12), (10, 13), (11, 13), (12, 13)]);
    }
}
