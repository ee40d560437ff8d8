//! From templates to pattern files, and back.

use divan::Bencher;
use divan::counter::BytesCount;

use dehusk_core::cleaning::{CleanOptions, Cleaner};
use dehusk_core::patterns::{LexerCache, PatternFile};

use crate::prepared::prepared;
use crate::sizes;

/// To regexes and YAML. Speeds here are in bytes of the pattern file.
#[divan::bench(args = sizes())]
fn render(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (mined, templates) = prepared.templates();
    let yaml = prepared.patterns().to_yaml();
    bencher.counter(BytesCount::of_str(&yaml)).with_inputs(|| templates.clone()).bench_values(|templates| {
        PatternFile::of_templates("stages", mined.facts(), templates, &prepared.lexer).to_yaml()
    });
}

/// From YAML to compiled patterns.
#[divan::bench(args = sizes())]
fn load(bencher: Bencher, megabytes: u64) {
    let yaml = prepared(megabytes).patterns().to_yaml();
    bencher.counter(BytesCount::of_str(&yaml)).bench(|| {
        let file = PatternFile::parse(&yaml, &LexerCache::default()).expect("what was just written");
        Cleaner::new(&[&file], &CleanOptions::default())
    });
}
