//! From documents and patterns to cleaned documents.

use std::io::Write;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use dehusk_core::cleaning::decide::features::SegmentFeatures;
use dehusk_core::cleaning::{Method, Scratch};
use dehusk_corpus::{OutputRoot, Reads};

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
fn features(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (cleaner, _) = (prepared.cleaner(), prepared.readings());
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (text, reading) in prepared.read() {
            cleaner.weigh_segments(text, reading, |document| {
                SegmentFeatures::of(document).rows(|row| _ = black_box(row.len()))
            });
        }
    });
}

/// All steps from the matches to the removed text.
#[divan::bench(args = sizes())]
fn decide(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (cleaner, _) = (prepared.cleaner(), prepared.readings());
    bencher.counter(BytesCount::new(prepared.bytes())).bench_local(|| {
        for (text, reading) in prepared.read() {
            black_box(cleaner.decide_by(text, reading, &reading.matches, Method::Learned));
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
