//! Page-level template detection, judged by gold text.
//!
//! A run of text is content if at least half of its words are found in the gold text. All other runs are boilerplate.
//! Runs without words are not judged. The true sections are the largest nodes in which all runs are content, or all
//! runs are boilerplate.

pub mod figures;

use std::ops::Range;

use rayon::prelude::*;

use super::agreement::adjusted_rand_index;
use super::article::Article;
use dehusk_core::dom::facts::Facts;
use dehusk_core::dom::isotonic::{Smoothed, smooth};
use dehusk_core::dom::page_level::{Judged, PageModel, TEMPLATE, sectioned};
use dehusk_core::dom::site_level::{SiteLevel, THETA};
use dehusk_core::html::{NodeKind, Tree};
use dehusk_corpus::{Document, Inventory, SourceListing};
use dehusk_run::Observer;
use dehusk_run::reading::read_documents;
use dehusk_run::scoring::gold_texts::{Gold, GoldTexts};
use dehusk_run::scoring::words::words;
use figures::{Detected, Found, PENALTIES, PageFigures, Penalty, Way};

/// Runs are merged up to a difference of scores. These differences are tried.
pub const DELTAS: [f32; 12] = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8];

/// The penalty of a section at a node as large as the page.
const PENALTY_OF_SECTION: f64 = 0.01;

/// All that is needed to judge the pages of a corpus.
pub struct Measuring<'a> {
    /// The pages, read with their trees.
    pub inventory: &'a Inventory,
    /// The gold texts.
    pub gold: &'a GoldTexts,
    /// The model that is measured.
    pub model: &'a PageModel,
    /// All penalties of sections are multiplied by one of these factors.
    pub factors: &'a [f64],
    /// Whether all of [`PENALTIES`] are measured.
    pub penalties: bool,
    /// Is told about progress.
    pub observer: &'a dyn Observer,
}

impl Measuring<'_> {
    /// The figures of each page that has gold text, in the order of the sources.
    ///
    /// # Errors
    /// If the observer stops it.
    pub fn measure_all(&self, listings: &[SourceListing]) -> dehusk_run::Result<Vec<PageFigures>> {
        self.observer.start("measuring", listings.len().into());
        let mut all = Vec::new();
        for listing in listings {
            let documents = read_documents(self.inventory, &listing.documents, self.observer)?;
            let hash = |document: &Option<Document>| {
                let document = document.as_ref()?;
                Some(document.tree.as_deref()?.subtree_hashes(&document.text))
            };
            // Empty for what is no page.
            let hashes: Vec<Vec<u64>> =
                documents.par_iter().map(|document| hash(document).unwrap_or_default()).collect();
            let mut site = SiteLevel::default();
            hashes.iter().filter(|of_page| !of_page.is_empty()).for_each(|of_page| site.add(of_page));
            let pairs = self.gold.with_numbered(listing.id.as_str(), &documents);
            let measure = |&(gold, (index, document)): &(&Gold, (usize, &Document))| {
                self.measure(&site, &hashes[index], gold, document)
            };
            all.extend(pairs.par_iter().filter_map(measure).collect::<Vec<PageFigures>>());
            self.observer.step(1);
        }
        self.observer.finish();
        Ok(all)
    }

    /// The figures of a page. `None` if the document is not a page.
    fn measure(&self, site: &SiteLevel, hashes: &[u64], gold: &Gold, document: &Document) -> Option<PageFigures> {
        let tree = document.tree.as_deref()?;
        let facts = Facts::of(tree, &document.text, document.url.as_deref(), document.boxes.as_deref());
        let page = MarkedPage::of(&facts, &document.text, &gold.text);
        let judged = Judged::of(&facts);
        let scores = self.model.scores(&facts, &judged);
        let of_runs =
            |values: &[f32]| -> Vec<f32> { page.runs.iter().map(|run| values[judged.index_of(run.node)]).collect() };
        let basic = of_runs(&scores);
        let recurring = recurring(site, tree, hashes);
        let roots: Vec<Option<usize>> = page.runs.iter().map(|run| recurring[run.node]).collect();
        let recurs: Vec<f32> = roots.iter().map(|root| f32::from(u8::from(root.is_some()))).collect();
        // What recurs nowhere is one section.
        let sections: Vec<usize> = roots.into_iter().map(Option::unwrap_or_default).collect();
        let mut ways = vec![(Way::SiteLevel, page.judge(&recurs, &sections))];
        ways.push((Way::Basic, page.judge(&basic, &merged(&basic, 0.0))));
        ways.extend(DELTAS.map(|delta| (Way::Merged(delta), page.judge(&basic, &merged(&basic, delta)))));
        ways.extend(self.factors.iter().map(|&factor| {
            let smooth = sectioned(&facts, &judged, &scores, factor);
            let sections: Vec<usize> = page.runs.iter().map(|run| smooth.sections[judged.index_of(run.node)]).collect();
            (Way::Smooth(factor), page.judge(&of_runs(&smooth.values), &sections))
        }));
        let others = if self.penalties { &PENALTIES[..] } else { &[] };
        for (number, (_, of)) in others.iter().enumerate() {
            ways.extend(self.factors.iter().map(|&factor| {
                let smoothed = smoothed(&facts, &judged, &scores, of, factor);
                let sections = sections_of(&judged, &smoothed.is_section_root, &facts);
                let sections: Vec<usize> = page.runs.iter().map(|run| sections[judged.index_of(run.node)]).collect();
                (Way::Other(number, factor), page.judge(&of_runs(&smoothed.y), &sections))
            }));
        }
        let (source, name) = (document.source.as_str().to_owned(), document.id.clone());
        Some(PageFigures { source, name, ways })
    }
}

/// For each node, the outermost recurring subtree that it is in. `hashes` has the hash of the subtree of each node.
fn recurring(site: &SiteLevel, tree: &Tree, hashes: &[u64]) -> Vec<Option<usize>> {
    let mut outermost: Vec<Option<usize>> = Vec::with_capacity(tree.len());
    for (node, &hash) in hashes.iter().enumerate() {
        let around = tree.parent(node).and_then(|parent| outermost[parent]);
        outermost.push(around.or_else(|| site.is_template(hash, THETA).then_some(node)));
    }
    outermost
}

/// The index of the judged node around each judged node. The page is around itself.
fn parents(judged: &Judged, facts: &Facts) -> Vec<u32> {
    let around = |node| facts.tree().parent(node).map_or(0, |parent| judged.index_of(parent) as u32);
    judged.nodes().map(around).collect()
}

/// Smooths scores with the mean of some penalties.
fn smoothed(facts: &Facts, judged: &Judged, scores: &[f32], of: &[Penalty], factor: f64) -> Smoothed {
    let area = |node: usize| facts.area(node).max(1.0);
    let penalty = |node: usize| {
        let of_kind = |kind: &Penalty| match kind {
            Penalty::Area => area(0) / area(node),
            Penalty::Nodes => facts.nodes(0) as f64 / facts.nodes(node) as f64,
            Penalty::Parent => facts.tree().parent(node).map_or(1.0, area) / area(node),
        };
        let mean = of.iter().map(of_kind).sum::<f64>() / of.len() as f64;
        (factor * PENALTY_OF_SECTION * mean) as f32
    };
    let penalties: Vec<f32> = judged.nodes().map(penalty).collect();
    let mut weights = vec![0; scores.len()];
    (0..facts.tree().len()).for_each(|node| weights[judged.index_of(node)] += 1);
    smooth(&parents(judged, facts), scores, &weights, &penalties)
}

/// The index of the node at which the section of each judged node starts.
fn sections_of(judged: &Judged, starts: &[bool], facts: &Facts) -> Vec<usize> {
    let mut sections: Vec<usize> = Vec::with_capacity(starts.len());
    for (index, parent) in parents(judged, facts).into_iter().enumerate() {
        sections.push(if starts[index] { index } else { sections[parent as usize] });
    }
    sections
}

/// The group of each run. Neighbours are in one group while their scores differ by at most `delta`.
fn merged(scores: &[f32], delta: f32) -> Vec<usize> {
    let mut group = 0;
    let group_of = |at: usize| {
        group += usize::from(at > 0 && (scores[at] - scores[at - 1]).abs() > delta);
        group
    };
    (0..scores.len()).map(group_of).collect()
}

/// A run of text with words.
struct Run {
    node: usize,
    words: usize,
    anchor_words: usize,
    is_template: bool,
}

/// A page whose runs are marked by gold text.
struct MarkedPage {
    runs: Vec<Run>,
    /// The true section of each run.
    sections: Vec<usize>,
    /// For each link with words, its runs.
    links: Vec<Range<usize>>,
}

impl MarkedPage {
    fn of(facts: &Facts, text: &str, gold: &str) -> MarkedPage {
        let tree = facts.tree();
        let article = Article::locate(text, gold);
        let (mut runs, mut links): (Vec<Run>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        let mut stretch = 0;
        for node in 0..tree.len() {
            if facts.is_link(node) {
                links.push((runs.len(), tree.end(node)));
            }
            let NodeKind::Text(_) = tree.kind(node) else { continue };
            let range = tree.text(node);
            let (mut all, mut found) = (0, 0);
            for word in words(&text[range.clone()]) {
                let start = range.start + word.range.start;
                while article.stretches.get(stretch).is_some_and(|stretch| stretch.end <= start) {
                    stretch += 1;
                }
                all += 1;
                found += usize::from(article.stretches.get(stretch).is_some_and(|stretch| stretch.start <= start));
            }
            if all > 0 {
                let is_linked = links.last().is_some_and(|&(_, end)| node < end);
                let anchor_words = if is_linked { all } else { 0 };
                runs.push(Run { node, words: all, anchor_words, is_template: 2 * found < all });
            }
        }
        let sections = sections(tree, &runs);
        let links = links.into_iter().map(|(first, end)| first..runs.partition_point(|run| run.node < end));
        let links = links.filter(|runs| !runs.is_empty()).collect();
        MarkedPage { sections, links, runs }
    }

    /// Judges a way that gives each run this score and this section.
    fn judge(&self, scores: &[f32], sections: &[usize]) -> Found {
        let is_called: Vec<bool> = scores.iter().map(|&score| score >= TEMPLATE).collect();
        let mut found = Found { sections: adjusted_rand_index(sections, &self.sections), ..Found::default() };
        for (run, &is_called) in self.runs.iter().zip(&is_called) {
            found.words.add(is_called, run.is_template, run.words);
            found.anchor_words.add(is_called, run.is_template, run.anchor_words);
        }
        for link in &self.links {
            let words = |is: &dyn Fn(usize) -> bool| -> usize {
                link.clone().filter(|&run| is(run)).map(|run| self.runs[run].words).sum()
            };
            let all = words(&|_| true);
            let is_template = 2 * words(&|run| self.runs[run].is_template) > all;
            found.links.add(2 * words(&|run| is_called[run]) > all, is_template, 1);
        }
        found
    }
}

/// The section of each run: the largest node around it whose runs are all template or all not.
fn sections(tree: &Tree, runs: &[Run]) -> Vec<usize> {
    // For each number n, how many of the first n runs are boilerplate.
    let mut template = vec![0];
    for run in runs {
        template.push(template.last().copied().unwrap_or(0) + usize::from(run.is_template));
    }
    let before = |node: usize| runs.partition_point(|run| run.node < node);
    let is_one = |node: usize| {
        let (first, end) = (before(node), before(tree.end(node)));
        let count = template[end] - template[first];
        count == 0 || count == end - first
    };
    // For each node, the outermost node around it that is one section, found from the page downwards.
    let mut root: Vec<Option<usize>> = Vec::with_capacity(tree.len());
    for node in 0..tree.len() {
        let around = tree.parent(node).and_then(|parent| root[parent]);
        root.push(around.or_else(|| is_one(node).then_some(node)));
    }
    runs.iter().map(|run| root[run.node].unwrap_or(run.node)).collect()
}

/// The one of [`DELTAS`] with which merged runs give the sections that agree best with the true ones, on average over
/// pages.
pub fn best_delta(pages: &[PageFigures]) -> Option<f32> {
    let mean = |&delta: &f32| Detected::of(pages, Way::Merged(delta)).sections;
    DELTAS.into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)).then(b.total_cmp(a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::read;

    const PAGE: &str = "<nav><ul><li><a href=/a>Home and harbour</a><li><a href=/b>Tides of the week</a></ul></nav><main><h1>A late \
                        ferry</h1><p>The ferry came in late on Tuesday, and nobody on the quay knew why it had taken so long.</p>\
                        <p>It was on time on Wednesday.</p></main><footer><p>Terms of use and privacy</p></footer>";

    /// The scores, smoothed with some penalties, and the sections.
    fn by(of: &[Penalty], factor: f64) -> (Vec<f32>, Vec<usize>) {
        let (text, tree) = read::<Tree>(PAGE);
        let facts = Facts::of(&tree, &text, None, None);
        let judged = Judged::of(&facts);
        let scores: Vec<f32> = judged.nodes().map(|node| (node % 7) as f32 / 7.0).collect();
        let smoothed = smoothed(&facts, &judged, &scores, of, factor);
        if of == [Penalty::Area] {
            let expected = sectioned(&facts, &judged, &scores, factor);
            let sections = sections_of(&judged, &smoothed.is_section_root, &facts);
            assert_eq!((&smoothed.y, sections), (&expected.values, expected.sections), "as the model itself does it");
        }
        let sections = sections_of(&judged, &smoothed.is_section_root, &facts);
        (smoothed.y, sections)
    }

    #[test]
    fn what_recurs_is_in_the_outermost_subtree_that_does() {
        let other = PAGE.replace("late on Tuesday", "early").replace("Terms", "Conditions");
        let pages = [PAGE, &other].map(read::<Tree>);
        let mut site = SiteLevel::default();
        let hashes = pages.each_ref().map(|(text, tree)| tree.subtree_hashes(text));
        hashes.iter().for_each(|of_page| site.add(of_page));
        let (text, tree) = &pages[0];
        let outermost = recurring(&site, tree, &hashes[0]);
        let of_run = |start: &str| {
            let is_it = |node: &usize| {
                matches!(tree.kind(*node), NodeKind::Text(_)) && text[tree.text(*node)].starts_with(start)
            };
            let node = (0..tree.len()).find(is_it).expect("a run");
            outermost[node].map(|root| text[tree.text(root)].lines().next().unwrap_or_default().to_owned())
        };
        assert_eq!(of_run("Tides"), Some("Home and harbour".to_owned()), "the whole menu");
        assert_eq!(of_run("It was on time"), Some("It was on time on Wednesday.".to_owned()));
        assert_eq!((of_run("The ferry"), of_run("Terms")), (None, None));
    }

    #[test]
    fn penalties_are_different_and_large_ones_leave_one_section() {
        let mut all: Vec<Vec<f32>> = Vec::new();
        for of in PENALTIES.iter().map(|(_, of)| *of).chain([&[Penalty::Area][..]]) {
            for factor in [0.0, 1.0, 10.0] {
                by(of, factor);
            }
            assert!(by(of, 1e6).1.iter().all(|&section| section == 0), "{of:?}");
            all.extend((0..40).map(|step| by(of, f64::from(step) / 2.0).0));
        }
        let of_steps: Vec<&[Vec<f32>]> = all.chunks(40).collect();
        assert!((1..of_steps.len()).all(|at| !of_steps[..at].contains(&of_steps[at])), "no penalty is another one");
    }
}
