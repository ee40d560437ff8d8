//! Measures what cleaning keeps and removes of the sample corpora, word by word, compared with their gold text.
//!
//! `cargo test --test quality -- --nocapture` prints the figures. `dehusk eval corpora/news --gold corpora/news-gold`
//! prints more.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that cannot read its corpus has failed, and it tells figures

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dehusk_core::cleaning::{CleanOptions, Cleaner, Method, Scratch};
use dehusk_core::mining::cross_source::{cross_source, shared_facts};
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::patterns::{PatternFile, SHARED};
use dehusk_core::tokens::characters::is_unspaced;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{DocumentRef, Inventory, ReadOptions, SourceListing};
use dehusk_run::scoring::score::Score;
use dehusk_run::scoring::words::Bag;

/// The minimum recall and F1 of each source, directly below the present values. The shipped model has learned from them among
/// others.
const FLOORS: [(&str, f64, f64); 6] = [
    ("bergland-bote.example", 0.995, 0.981),
    ("harbor-ledger.example", 0.987, 0.963),
    ("marsa-press.example", 0.999, 0.969),
    ("orchard-courier.example", 0.955, 0.959),
    ("shiomi-shinpo.example", 0.999, 0.937),
    ("tideline-wire.example", 0.999, 0.961),
];

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
    inventory.sources().expect("sources").listings.into_iter().map(source).collect()
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Mines all sources. Returns the pattern files of each source.
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

fn score(text: &str, kept: &str, gold: &str) -> Score {
    let bag = |text: &str| Bag::of(&characters_apart(text));
    Score::of(&bag(text), &bag(kept), &bag(gold))
}

/// In scripts without spaces each character is a word, because it is a token.
fn characters_apart(text: &str) -> String {
    let apart = |c: char| if is_unspaced(c) { format!(" {c} ") } else { c.to_string() };
    text.chars().map(apart).collect()
}

/// The pages by source.
fn cleaned(method: Method) -> Vec<(String, Score)> {
    let sources = sources();
    let options = CleanOptions::default().method(method);
    let cleaned = sources.iter().zip(mine(&sources)).map(|(source, [own, shared])| {
        let cleaner = Cleaner::new(&[&own, &shared], &options);
        let mut scratch = Scratch::default();
        let score = Score::mean(source.documents.iter().map(|(_, text, gold)| {
            let cleaning = cleaner.clean(&mut scratch, text).unwrap();
            score(text, &cleaning.strip(text), gold)
        }));
        (source.name.clone(), score)
    });
    cleaned.collect()
}

fn mean_of_sources(by_source: &[(String, Score)]) -> Score {
    Score::mean(by_source.iter().map(|(_, score)| *score))
}

fn left_alone() -> Score {
    let of_source =
        |source: Source| Score::mean(source.documents.iter().map(|(_, text, gold)| score(text, text, gold)));
    Score::mean(sources().into_iter().map(of_source))
}

fn show(what: &str, Score { precision, recall, f1, .. }: Score) {
    println!("{what:24} precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}");
}

#[test]
fn cleaning_beats_leaving_alone_and_keeps_the_articles() {
    let alone = left_alone();
    let by_source = cleaned(Method::Learned);
    let learned = mean_of_sources(&by_source);
    let union = mean_of_sources(&cleaned(Method::Union { merge_gap: 0, second_filter: false }));
    by_source.iter().for_each(|(name, score)| show(name, *score));
    show("left alone", alone);
    show("union at the cutoff", union);
    show("learned (default)", learned);
    assert!(alone.recall > 0.999, "the gold text is in the pages");
    assert!(
        by_source.iter().map(|(name, _)| name.as_str()).eq(FLOORS.map(|(name, ..)| name)),
        "a floor for each source"
    );
    for ((name, Score { recall, f1, .. }), (_, least_recall, least_f1)) in by_source.iter().zip(FLOORS) {
        assert!(*recall >= least_recall && *f1 >= least_f1, "{name}: recall {recall:.3}, F1 {f1:.3}");
    }
    assert!(learned.recall >= 0.989 && learned.f1 >= 0.962 && learned.f1 > union.f1 + 0.1, "learned: {learned:?}");
    assert!(union.f1 > alone.f1 + 0.1, "union: {union:?}");
}
