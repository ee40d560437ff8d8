//! Neither threads nor the order of sources and documents show in what mining gives, and the page stored twice counts once.

use std::collections::BTreeMap;

use dehusk_core::mining::cross_source::{Templates, cross_source, shared_facts};
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::patterns::{SHARED, Template};

use crate::samples::{SOURCES, Source, lexer, mine, written};

/// What `threads` threads write down of one source.
fn yaml_by(threads: usize, texts: &[String]) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mined = mine_texts(texts, &lexer(), &MineOptions::default().min_documents(3)).unwrap();
        let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
        written("all", mined.facts(), templates).to_yaml()
    })
}

/// Documents enough for many shards: every paragraph of every source.
fn paragraphs() -> Vec<String> {
    let texts = SOURCES.iter().flat_map(|source| &source.texts);
    texts.flat_map(|text| text.split("\n\n")).map(str::to_owned).collect()
}

#[test]
fn the_number_of_threads_does_not_show() {
    let paragraphs = paragraphs();
    for texts in SOURCES.iter().map(|source| &source.texts).chain([&paragraphs]) {
        let alone = yaml_by(1, texts);
        assert!(alone.contains("  - id: "), "there are templates");
        assert!(alone == yaml_by(2, texts), "two threads write something else than one");
    }
}

const TOWNS: [&str; 4] = ["Ash", "Elm", "Fir", "Oak"];

/// Sources that share a line of boilerplate and a phrase, and have a line of their own each.
fn invented_sources() -> Vec<(String, Vec<String>)> {
    let document = |(source, town): (usize, &str), day: usize| {
        let words =
            |from: usize| (from..from + 30).map(|word| format!("{town}{day}w{word}")).collect::<Vec<_>>().join(" ");
        let story = format!("{}, as much as they had of {}.", words(0), words(30));
        format!("{story}\n\nMore from {town}\n\n{}\n\nAll rights reserved. {}\n", words(60), 10 * source + day)
    };
    let source = |town: (usize, &str)| (town.1.to_lowercase(), (0..6).map(|day| document(town, day)).collect());
    TOWNS.into_iter().enumerate().map(source).collect()
}

/// Sources of a run, each with what was mined from it.
struct Run {
    names: Vec<String>,
    mined: Vec<Mined>,
}

/// What a run writes down.
#[derive(Debug, PartialEq)]
struct Written {
    /// By source: its pattern file and how many candidates were language.
    own: BTreeMap<String, (String, usize)>,
    shared: String,
}

impl Run {
    fn of(sources: Vec<(String, Vec<String>)>) -> Run {
        let (names, texts): (Vec<String>, Vec<Vec<String>>) = sources.into_iter().unzip();
        Run { names, mined: texts.iter().map(|texts| mine(texts)).collect() }
    }

    fn written(&self) -> Written {
        let Templates { own, shared, language } = cross_source(&self.mined);
        let of_source = |((name, mined), (own, language)): ((&String, &Mined), (Vec<Template>, usize))| {
            (name.clone(), (written(name, mined.facts(), own).to_yaml(), language))
        };
        let own = self.names.iter().zip(&self.mined).zip(own.into_iter().zip(language)).map(of_source).collect();
        Written { own, shared: written(SHARED, shared_facts(&self.mined), shared).to_yaml() }
    }

    /// What is written in other orders than the first: turned round and from behind.
    fn written_in_other_orders(&mut self) -> Vec<Written> {
        let mut written = Vec::new();
        for _ in 0..self.names.len() {
            for _ in 0..2 {
                self.names.reverse();
                self.mined.reverse();
                written.push(self.written());
            }
            self.names.rotate_left(1);
            self.mined.rotate_left(1);
        }
        written
    }
}

#[test]
fn the_order_of_the_sources_does_not_show() {
    let samples = SOURCES.iter().map(|Source { name, texts, .. }| (name.clone(), texts.clone())).collect();
    for sources in [samples, invented_sources()] {
        let mut run = Run::of(sources);
        let first = run.written();
        for other in run.written_in_other_orders() {
            assert_eq!(first, other);
        }
    }
}

#[test]
fn what_sources_share_is_told_from_language() {
    let Templates { own, shared, language } = cross_source(&Run::of(invented_sources()).mined);
    let quotes = |templates: &[Template], text: &str| templates.iter().any(|template| template.example.contains(text));
    assert!(quotes(&shared, "All rights reserved"));
    assert!(!quotes(&shared, "as much as they had of") && !quotes(&shared, "More from"));
    for ((own, language), town) in own.iter().zip(language).zip(TOWNS) {
        assert!(quotes(own, &format!("More from {town}")));
        assert!(!quotes(own, "as much as they had of") && !quotes(own, "All rights reserved") && language > 0);
    }
}

#[test]
fn the_order_of_the_documents_does_not_show() {
    for Source { name, texts, .. } in SOURCES.iter() {
        let of = |texts: &[String]| {
            let mined = mine(texts);
            let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
            written(name, mined.facts(), templates).to_yaml()
        };
        let first = of(texts);
        let mut others = texts.clone();
        for step in [1, 3, 7] {
            others.rotate_left(step);
            others.swap(0, step);
            others.reverse();
            assert!(of(&others) == first, "{name}");
        }
    }
}

/// The positions of two documents with the same gold text.
fn stored_twice(gold: &[String]) -> Option<(usize, usize)> {
    let pairs = (0..gold.len()).flat_map(|a| (a + 1..gold.len()).map(move |b| (a, b)));
    pairs.into_iter().find(|&(a, b)| gold[a] == gold[b])
}

#[test]
fn the_page_stored_twice_counts_once() {
    for Source { name, texts, gold } in SOURCES.iter() {
        let both = mine(texts);
        assert_eq!(both.near_duplicates, 1, "{name}");
        let (_, second) = stored_twice(gold).unwrap_or_else(|| panic!("{name} has a page twice"));
        let mut others = texts.clone();
        others.remove(second);
        let once = mine(&others);
        assert_eq!((once.near_duplicates, once.counted()), (0, both.counted()), "{name}");
        assert!(both.candidates.iter().all(|candidate| candidate.documents <= both.counted()), "{name}");
    }
}
