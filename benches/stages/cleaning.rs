//! From documents and patterns to cleaned documents.

use std::io::Write;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use dehusk::cleaning::segments::Segments;
use dehusk::cleaning::shape::features;
use dehusk::cleaning::smooth;
use dehusk::cleaning::{Method, Scratch};
use dehusk::corpus::{OutputRoot, Reads};

use crate::prepared::prepared;
use crate::sizes;

/// Includes lexing.
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
    let of_tokens = prepared.evidence();
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for ((text, reading), of_token) in prepared.read().zip(&of_tokens) {
            let segments = Segments::of(text, &reading.tokens, &reading.layout, of_token);
            features(text, &reading.tokens, &reading.layout, &segments).for_each(|features| _ = black_box(features));
        }
    });
}

/// With a price at line breaks and one inside lines, as for evidence without shape.
#[divan::bench(args = sizes())]
fn smooth(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let of_tokens = prepared.evidence();
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for ((_, reading), of_token) in prepared.read().zip(&of_tokens) {
            let costs = reading.tokens.line_starts.iter().map(|&starts| if starts { 1.5 } else { 8.0 });
            black_box(smooth::smooth(of_token, reading.layout.masses(), costs));
        }
    });
}

/// All steps from the matches to the removed text: weigh, shape and smooth.
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

/// One file per document, in the folder for temporary files.
#[divan::bench(args = sizes())]
fn write(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let folder = tempfile::tempdir().expect("a folder to write to");
    let output = OutputRoot::create(folder.path(), &Reads::nothing()).expect("a folder to write to");
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (number, text) in prepared.texts.iter().enumerate() {
            let write = |writer: &mut (dyn Write + Send)| writer.write_all(text.as_bytes());
            output.write_atomic(format!("{number}.txt"), write).expect("a file that can be written");
        }
    });
}
