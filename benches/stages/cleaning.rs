//! Documents and patterns to cleaned documents.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use dehusk::cleaning::segments::Segments;
use dehusk::cleaning::shape::features;
use dehusk::cleaning::{Method, Scratch};

use crate::prepared::prepared;
use crate::sizes;

/// Lexes as well.
#[divan::bench(name = "match", args = sizes())]
fn matching(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let cleaner = prepared.cleaner();
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        let mut scratch = Scratch::default();
        for text in &prepared.texts {
            black_box(cleaner.read(&mut scratch, text).expect("no regex of a person"));
        }
    });
}

#[divan::bench(args = sizes())]
fn weigh(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (cleaner, _) = (prepared.cleaner(), prepared.readings());
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (_, reading) in prepared.read() {
            black_box(cleaner.weigh(reading, &reading.matches));
        }
    });
}

/// Segments and their features.
#[divan::bench(args = sizes())]
fn shape(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let cleaner = prepared.cleaner();
    let of_tokens: Vec<Vec<f32>> =
        prepared.read().map(|(_, reading)| cleaner.weigh(reading, &reading.matches).of_token).collect();
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for ((text, reading), of_token) in prepared.read().zip(&of_tokens) {
            let segments = Segments::of(text, &reading.tokens, &reading.layout, of_token);
            features(text, &reading.tokens, &reading.layout, &segments).for_each(|features| _ = black_box(features));
        }
    });
}

/// All from the matches to what goes: weigh, shape and smooth.
#[divan::bench(args = sizes())]
fn decide(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (cleaner, _) = (prepared.cleaner(), prepared.readings());
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (text, reading) in prepared.read() {
            black_box(cleaner.decide(text, reading, &reading.matches, Method::Smooth));
        }
    });
}

#[divan::bench(args = sizes())]
fn cut(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let cleanings = prepared.cleanings();
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (text, cleaning) in prepared.texts.iter().zip(cleanings) {
            black_box(cleaning.strip(text));
        }
    });
}
