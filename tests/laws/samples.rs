//! The sample corpora and what mining makes of them.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use dehusk_core::mining::cross_source::{Templates, cross_source, shared_facts};
use dehusk_core::mining::{MineOptions, Mined, mine_texts};
use dehusk_core::patterns::file::MinedFrom;
use dehusk_core::patterns::{LexerCache, PatternFile, SHARED, Template};
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{Inventory, ReadOptions};

/// One source of `corpora/news`.
pub struct Source {
    pub name: String,
    /// Sorted by name.
    pub texts: Vec<String>,
    /// The article of each.
    pub gold: Vec<String>,
}

/// A source with what was mined from it.
pub struct Sample {
    pub source: &'static Source,
    /// Its pattern file, written down and read back.
    pub patterns: PatternFile,
    /// What the pattern file was written from.
    pub templates: Vec<Template>,
}

/// All sources, and the pattern file of what they share.
pub struct Samples {
    pub sources: Vec<Sample>,
    pub shared: PatternFile,
}

pub static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let inventory = Inventory::scan(&[corpora.join("news")], &ReadOptions::default()).unwrap();
    let sources = inventory.sources().expect("sources").listings.into_iter().map(|listing| {
        let mut source = Source { name: listing.id.to_string(), texts: Vec::new(), gold: Vec::new() };
        for document in &listing.documents {
            let document = inventory.read(document).unwrap();
            let gold = corpora.join("news-gold").join(&source.name).join(&document.id).with_extension("txt");
            source.texts.push(document.text.to_string());
            source.gold.push(std::fs::read_to_string(gold).unwrap());
        }
        source
    });
    sources.collect()
});

/// Mined once for all tests.
pub static SAMPLES: LazyLock<Samples> = LazyLock::new(|| {
    let mined: Vec<Mined> = SOURCES.iter().map(|source| mine(&source.texts)).collect();
    let Templates { own, shared, .. } = cross_source(&mined);
    let cache = LexerCache::default();
    let sources = SOURCES.iter().zip(&mined).zip(own).map(|((source, mined), templates)| Sample {
        source,
        patterns: written_and_read(&source.name, mined.facts(), &templates, &cache),
        templates,
    });
    Samples { sources: sources.collect(), shared: written_and_read(SHARED, shared_facts(&mined), &shared, &cache) }
});

fn written_and_read(source: &str, mined: MinedFrom, templates: &[Template], cache: &LexerCache) -> PatternFile {
    PatternFile::parse(&written(source, mined, templates.to_vec()).to_yaml(), cache).unwrap()
}

pub fn written(source: &str, mined: MinedFrom, templates: Vec<Template>) -> PatternFile {
    PatternFile::of_templates(source, mined, templates, &lexer())
}

/// The lexer that mining uses by default.
pub fn lexer() -> Lexer {
    static LEXER: LazyLock<Lexer> = LazyLock::new(|| Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped())));
    LEXER.clone()
}

/// Mines one source as a user would.
pub fn mine(texts: &[String]) -> Mined {
    mine_texts(texts, &lexer(), &MineOptions::default()).unwrap()
}
