//! What cleaning the sample corpora keeps and leaves, word by word, against their gold text.
//!
//! `cargo test --test quality -- --nocapture` prints the figures. They are bags of case-folded words, averaged over the
//! documents of a source, then over the sources: precision is the share of the kept words that are gold, recall the
//! share of the gold words that are kept.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that cannot read its corpus has failed, and it tells figures

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dehusk::cleaning::{CleanOptions, Cleaner, Method};
use dehusk::corpus::{DocumentRef, Inventory, ReadOptions, SourceListing};
use dehusk::mining::cross_source::{cross_source, shared_facts};
use dehusk::mining::{MineOptions, Mined, mine_texts};
use dehusk::patterns::{PatternFile, SHARED};
use dehusk::tokens::characters::is_unspaced;
use dehusk::tokens::{Lexer, MutableSet, Tokenizer};

/// Precision, recall, F1.
type Score = [f64; 3];

struct Source {
    name: String,
    /// Name, text, gold.
    documents: Vec<(String, String, String)>,
}

fn sources() -> Vec<Source> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let inventory = Inventory::scan(&[corpora.join("news")], &ReadOptions::default()).unwrap();
    let document = |place: &DocumentRef| {
        let document = inventory.read(place).unwrap();
        let gold = corpora.join("news-gold").join(document.source.as_str()).join(&document.id).with_extension("txt");
        (document.id.clone(), document.text.to_string(), read(gold))
    };
    let source = |listing: SourceListing| Source {
        name: listing.id.to_string(),
        documents: listing.documents.iter().map(document).collect(),
    };
    inventory.sources().listings.into_iter().map(source).collect()
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Mines all sources; gives each source's pattern files.
fn mine(sources: &[Source]) -> Vec<[PatternFile; 2]> {
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    let mine_source = |source: &Source| {
        let texts: Vec<&str> = source.documents.iter().map(|(_, text, _)| text.as_str()).collect();
        mine_texts(&texts, &lexer, &MineOptions::default()).unwrap()
    };
    let mined: Vec<Mined> = sources.iter().map(mine_source).collect();
    let templates = cross_source(&mined);
    let shared = PatternFile::of_templates(SHARED, shared_facts(&mined), templates.shared, &lexer);
    let files = sources.iter().zip(&mined).zip(templates.own).map(|((source, mined), templates)| {
        [PatternFile::of_templates(&source.name, mined.facts(), templates, &lexer), shared.clone()]
    });
    files.collect()
}

fn score(cleaned: &str, gold: &str) -> Score {
    let (cleaned, gold) = (words(cleaned), words(gold));
    let sum = |bag: &HashMap<String, usize>| bag.values().sum::<usize>() as f64;
    let both: usize = cleaned.iter().map(|(word, count)| *count.min(gold.get(word).unwrap_or(&0))).sum();
    let precision = both as f64 / sum(&cleaned).max(1.0);
    let recall = both as f64 / sum(&gold);
    [precision, recall, 2.0 * precision * recall / (precision + recall).max(1e-9)]
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut bag = HashMap::new();
    let mut add = |word: &str| *bag.entry(word.to_lowercase()).or_default() += 1;
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        // In scripts without spaces each character counts, as it is a token.
        word.split_inclusive(is_unspaced).flat_map(last_apart).filter(|part| !part.is_empty()).for_each(&mut add);
    }
    bag
}

/// An unspaced character at the end by itself.
fn last_apart(part: &str) -> [&str; 2] {
    let (rest, last) = part.split_at(part.rfind(is_unspaced).unwrap_or(part.len()));
    [rest, last]
}

fn mean(scores: &[Score]) -> Score {
    std::array::from_fn(|part| scores.iter().map(|score| score[part]).sum::<f64>() / scores.len() as f64)
}

/// By source.
fn cleaned(method: Method) -> Vec<(String, Score)> {
    let sources = sources();
    let options = CleanOptions { method, ..CleanOptions::default() };
    let cleaned = sources.iter().zip(mine(&sources)).map(|(source, [own, shared])| {
        let cleaner = Cleaner::new(&[&own, &shared], &options);
        let mut scratch = cleaner.scratch();
        let scores = source.documents.iter().map(|(_, text, gold)| {
            let cleaning = cleaner.clean(&mut scratch, text).unwrap();
            score(&cleaning.strip(text), gold)
        });
        (source.name.clone(), mean(&scores.collect::<Vec<Score>>()))
    });
    cleaned.collect()
}

fn mean_of_sources(by_source: &[(String, Score)]) -> Score {
    mean(&by_source.iter().map(|(_, score)| *score).collect::<Vec<Score>>())
}

fn show(what: &str, [precision, recall, f1]: Score) {
    println!("{what:24} precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}");
}

#[test]
fn cleaning_beats_leaving_alone_and_keeps_the_articles() {
    let alone = sources()
        .into_iter()
        .map(|source| mean(&source.documents.iter().map(|(_, text, gold)| score(text, gold)).collect::<Vec<Score>>()));
    let alone = mean(&alone.collect::<Vec<Score>>());
    let by_source = cleaned(Method::Smooth);
    let smooth = mean_of_sources(&by_source);
    let union = mean_of_sources(&cleaned(Method::Union { merge_gap: 0 }));
    by_source.iter().for_each(|(name, score)| show(name, *score));
    show("left alone", alone);
    show("union at the cutoff", union);
    show("smooth (default)", smooth);
    assert!(alone[1] > 0.999, "the gold text is in the pages");
    for (name, [_, recall, f1]) in by_source {
        // A character of Japanese is a token, as a word is, and says less: pairs of them recur by chance.
        let [least_recall, least_f1] = if name == "shiomi-shinpo.example" { [0.80, 0.86] } else { [0.94, 0.95] };
        assert!(recall > least_recall && f1 > least_f1, "{name}: recall {recall:.3}, F1 {f1:.3}");
    }
    assert!(union[2] > alone[2] + 0.1, "union: {union:?}");
}
