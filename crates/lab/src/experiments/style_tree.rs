//! Site style trees (L. Yi, B. Liu, X. Li, "Eliminating noisy information in web pages for data mining", KDD 2003).
//!
//! The element trees of a site's pages are merged. An element of the merged tree has *styles*: the sequences of
//! children that pages have there, each with the number of these pages. An element is important if pages differ in it:
//! in the styles below it or, if no element is inside it, in its content. Both differences are measured by entropy.
//! Elements that are not important are noise.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use dehusk_core::html::{Attribute, NodeKind, Tree};
use dehusk_core::random::mix;
use dehusk_run::scoring::words::word_hashes;

/// How much styles below an element count, for each level: the attenuating factor of the paper.
const GAMMA: f64 = 0.9;
/// Bytes of a stored element: a hash of its tag and attributes, and its number of pages.
const ELEMENT_BYTES: u64 = 12;
/// Bytes of a stored style: its number of pages.
const STYLE_BYTES: u64 = 4;
/// Bytes of a stored feature, and of its count on 1 page (page and count).
const FEATURE_BYTES: u64 = 8;
const COUNT_BYTES: u64 = 4;

/// The merged tree of the pages of a site.
#[derive(Debug)]
pub struct StyleTree {
    /// Element 0 is the page.
    elements: Vec<Element>,
    pages: u32,
    bytes: u64,
}

/// An element of the merged tree.
#[derive(Debug, Default)]
struct Element {
    /// Number of pages that have it.
    pages: u32,
    styles: Vec<Style>,
    /// For each feature of its direct content, how often each page has it. Only pages count in which the element has no
    /// children.
    features: HashMap<u64, BTreeMap<u32, u32>>,
}

/// A sequence of children, and the number of pages that have it.
#[derive(Debug)]
struct Style {
    children: Vec<(u64, usize)>,
    pages: u32,
}

impl Default for StyleTree {
    fn default() -> StyleTree {
        StyleTree { elements: vec![Element::default()], pages: 0, bytes: ELEMENT_BYTES }
    }
}

impl StyleTree {
    /// Merges a page into the tree. Returns the element of the merged tree for each node of the page.
    pub fn merge(&mut self, text: &str, tree: &Tree) -> Vec<usize> {
        let page = self.pages;
        self.pages += 1;
        let mut merged = vec![0; tree.len()];
        // A page may be deeper than the stack, so there is no recursion. Parents come before their children.
        for node in 0..tree.len() {
            let element = merged[node];
            self.elements[element].pages += 1;
            let children: Vec<usize> = tree.children(node).collect();
            if children.is_empty() {
                self.add_features(element, page, &features(text, tree, node));
                continue;
            }
            let names: Vec<u64> = children.iter().map(|&child| presentation(tree, child)).collect();
            let style = self.style(element, &names);
            for (&child, (_, of_child)) in children.iter().zip(&self.elements[element].styles[style].children) {
                merged[child] = *of_child;
            }
        }
        merged
    }

    /// The index of the style with these children. It is created if it does not exist.
    fn style(&mut self, element: usize, names: &[u64]) -> usize {
        let is_same = |style: &Style| style.children.iter().map(|(name, _)| name).eq(names);
        let known = self.elements[element].styles.iter().position(is_same);
        let index = known.unwrap_or_else(|| {
            let first = self.elements.len();
            self.elements.extend(names.iter().map(|_| Element::default()));
            self.bytes += STYLE_BYTES + ELEMENT_BYTES * names.len() as u64;
            let children = names.iter().copied().zip(first..).collect();
            self.elements[element].styles.push(Style { children, pages: 0 });
            self.elements[element].styles.len() - 1
        });
        self.elements[element].styles[index].pages += 1;
        index
    }

    fn add_features(&mut self, element: usize, page: u32, features: &[u64]) {
        for &feature in features {
            let counts = self.elements[element].features.entry(feature).or_insert_with(|| {
                self.bytes += FEATURE_BYTES;
                BTreeMap::new()
            });
            let count = counts.entry(page).or_insert_with(|| {
                self.bytes += COUNT_BYTES;
                0
            });
            *count += 1;
        }
    }

    /// Bytes to store the tree.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The composite importance of each element, 0..=1.
    pub fn importance(&self) -> Vec<f64> {
        let mut importance = vec![1.0; self.elements.len()];
        // Elements are created after the elements around them.
        for (index, element) in self.elements.iter().enumerate().rev() {
            importance[index] = element.importance(&importance);
        }
        importance
    }

    /// The greatest importance in each element, itself included: an element is noise if this is below the threshold.
    pub fn greatest(&self, importance: &[f64]) -> Vec<f64> {
        let mut greatest = importance.to_vec();
        for (index, element) in self.elements.iter().enumerate().rev() {
            let inside = element.styles.iter().flat_map(|style| &style.children).map(|(_, child)| greatest[*child]);
            greatest[index] = inside.fold(greatest[index], f64::max);
        }
        greatest
    }
}

impl Element {
    /// The composite importance, from that of the elements inside.
    fn importance(&self, of: &[f64]) -> f64 {
        let pages = f64::from(self.pages);
        if self.pages <= 1 {
            return 1.0;
        }
        let own_styles = self.styles.iter().map(|style| f64::from(style.pages) / pages);
        if self.styles.is_empty() {
            let entropies = self.features.values().map(|counts| {
                let all: u32 = counts.values().sum();
                entropy(counts.values().map(|&count| f64::from(count) / f64::from(all)), pages)
            });
            // Without any feature there is nothing that could differ.
            return if self.features.is_empty() {
                0.0
            } else {
                1.0 - entropies.sum::<f64>() / self.features.len() as f64
            };
        }
        // Pages where it has no children have a style too: the empty one.
        let with_children: u32 = self.styles.iter().map(|style| style.pages).sum();
        let without = f64::from(self.pages - with_children.min(self.pages)) / pages;
        let weight = GAMMA.powi(self.styles.len() as i32);
        let node = entropy(own_styles.clone().chain([without]), pages);
        let inside = self.styles.iter().zip(own_styles).map(|(style, share)| {
            share * style.children.iter().map(|(_, child)| of[*child]).sum::<f64>() / style.children.len() as f64
        });
        (1.0 - weight) * node + weight * inside.sum::<f64>()
    }
}

/// The parts of a page's text that are noise, in order: the texts of nodes in which no element reaches the threshold.
pub fn noise(tree: &Tree, merged: &[usize], greatest: &[f64], threshold: f64) -> Vec<Range<usize>> {
    let (mut found, mut node) = (Vec::new(), 0);
    while node < tree.len() {
        if greatest[merged[node]] < threshold {
            found.push(tree.text(node));
            node = tree.end(node);
        } else {
            node += 1;
        }
    }
    found.retain(|range| !range.is_empty());
    found
}

/// The entropy of some shares, to the base `base`. 0 for a base of 1.
pub fn entropy(shares: impl Iterator<Item = f64>, base: f64) -> f64 {
    if base <= 1.0 {
        return 0.0;
    }
    let sum: f64 = shares.filter(|&share| share > 0.0).map(|share| -share * share.ln()).sum();
    (sum / base.ln()).clamp(0.0, 1.0)
}

/// A hash of the looks of a node: its tag and the attributes that say how it is shown.
fn presentation(tree: &Tree, node: usize) -> u64 {
    let shown = [Attribute::Class, Attribute::Width].map(|attribute| tree.attribute(node, attribute).unwrap_or(""));
    [tree.name(node)].iter().chain(&shown).fold(1, |hash, part| bytes_hash(part, mix(hash)))
}

/// The content of a node without nodes inside: words, with the link around them, or a picture.
fn features(text: &str, tree: &Tree, node: usize) -> Vec<u64> {
    match tree.kind(node) {
        NodeKind::Text(_) => {
            let mut features = word_hashes(&text[tree.text(node)]);
            let link = tree.ancestors(node).find_map(|around| tree.attribute(around, Attribute::Href));
            features.extend(link.map(|link| bytes_hash(link, 2)));
            features
        }
        NodeKind::Element => {
            tree.attribute(node, Attribute::Src).map(|source| bytes_hash(source, 3)).into_iter().collect()
        }
    }
}

fn bytes_hash(text: &str, seed: u64) -> u64 {
    text.bytes().fold(seed, |hash, byte| mix(hash ^ u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use dehusk_core::html::read;

    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn entropy_is_1_if_all_differ_and_0_if_all_are_alike() {
        assert!(near(entropy([0.25; 4].into_iter(), 4.0), 1.0));
        assert!(near(entropy([1.0].into_iter(), 4.0), 0.0));
        // -(1/2 log2 1/2 + 2 * 1/4 log2 1/4) / log2 4 = (0.5 + 1) / 2
        assert!(near(entropy([0.5, 0.25, 0.25].into_iter(), 4.0), 0.75));
        assert!(near(entropy([0.5, 0.5].into_iter(), 1.0), 0.0));
    }

    /// 4 pages. All have a menu with the same words. Below it, half have a box, and half a list. The words of the boxes are
    /// the same on both pages; the list has other words on each page.
    fn site() -> (StyleTree, Vec<Vec<usize>>, Vec<Tree>, Vec<String>) {
        let pages = [
            "<ul>Home</ul><div><p>one one</p></div>",
            "<ul>Home</ul><div><p>one one</p></div>",
            "<ul>Home</ul><div><b>sea</b></div>",
            "<ul>Home</ul><div><b>hill</b></div>",
        ];
        let mut site = StyleTree::default();
        let (mut merged, mut trees, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for page in pages {
            let (text, tree) = read::<Tree>(page);
            merged.push(site.merge(&text, &tree));
            trees.push(tree);
            texts.push(text);
        }
        (site, merged, trees, texts)
    }

    #[test]
    fn importance_is_what_the_formulas_give_by_hand() {
        let (site, merged, trees, _) = site();
        let importance = site.importance();
        let of = |page: usize, name: &str| {
            let tree = &trees[page];
            let node = (0..tree.len()).find(|&node| tree.name(node) == name).expect("an element");
            (importance[merged[page][node]], importance[merged[page][node + 1]])
        };
        // "Home" is on each of 4 pages: H = log4 4 = 1, so the text is 1 - 1 = 0. The list has 1 style: node importance
        // 0, and .9 of the importance inside.
        assert!(near(of(0, "ul").0, 0.0) && near(of(0, "ul").1, 0.0));
        // The text of <p> is the same on its 2 pages: H = log2 2 = 1.
        assert!(near(of(0, "p").1, 0.0));
        // Each word of <b> is on 1 of its 2 pages: H = 0, so the text is 1. <b> has 1 style: .1 * 0 + .9 * 1.
        assert!(near(of(2, "b").1, 1.0) && near(of(2, "b").0, 0.9));
        // <div> has 2 styles on 2 of 4 pages each: node importance 2 * 1/2 * log4 2 = 1/2, and gamma^2 = .81.
        assert!(near(of(0, "div").0, 0.19 * 0.5 + 0.81 * (0.5 * 0.0 + 0.5 * 0.9)));
        // The page has 1 style with 2 elements.
        assert!(near(importance[0], 0.9 * (0.0 + of(0, "div").0) / 2.0));
    }

    #[test]
    fn noise_has_nothing_important_in_it() {
        let (site, merged, trees, texts) = site();
        let greatest = site.greatest(&site.importance());
        let noise_of = |page: usize, threshold| -> Vec<&str> {
            let found = noise(&trees[page], &merged[page], &greatest, threshold);
            found.into_iter().map(|range| texts[page][range].trim()).collect()
        };
        assert_eq!(noise_of(0, 0.2), ["Home", "one one"]);
        assert_eq!(noise_of(2, 0.2), ["Home"]);
        assert_eq!(noise_of(2, 0.0), [""; 0]);
    }

    #[test]
    fn what_one_page_has_is_important() {
        let mut site = StyleTree::default();
        let (text, tree) = read::<Tree>("<p>one</p>");
        site.merge(&text, &tree);
        assert!(site.importance().iter().all(|&importance| near(importance, 1.0)));
    }

    #[test]
    fn same_pages_cost_only_counts() {
        let mut site = StyleTree::default();
        let (text, tree) = read::<Tree>("<p>one two</p><img src=x>");
        site.merge(&text, &tree);
        // The page, <p> and <img>, its text; 2 styles; 3 features on 1 page each.
        let first = site.bytes();
        assert_eq!(first, 4 * ELEMENT_BYTES + 2 * STYLE_BYTES + 3 * (FEATURE_BYTES + COUNT_BYTES));
        site.merge(&text, &tree);
        assert_eq!(site.bytes(), first + 3 * COUNT_BYTES);
    }
}
