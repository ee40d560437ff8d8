//! From symbols to templates.

use divan::Bencher;
use divan::counter::BytesCount;

use dehusk_core::mining::cover::cover;
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::mining::cutoff::{Histogram, choose_cutoff};
use dehusk_core::mining::filters::filtered_repeats;
use dehusk_core::mining::mine;
use dehusk_core::mining::near_duplicates::{Groups, group_near_duplicates};
use dehusk_core::mining::places::Places;
use dehusk_core::mining::repeats::Interval;
use dehusk_core::mining::snapshots::are_snapshots;
use dehusk_core::mining::suffix_array::SuffixArray;

use crate::prepared::prepared;
use crate::sizes;

/// Includes the lengths of common prefixes.
#[divan::bench(args = sizes())]
fn suffix_array(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let symbols = prepared.sequence().symbols();
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| SuffixArray::build(symbols));
}

/// The documents of suffixes, and the symbols before them.
#[divan::bench(args = sizes())]
fn places(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (sequence, array) = (prepared.sequence(), prepared.array());
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| Places::of(sequence, array));
}

#[divan::bench(args = sizes())]
fn near_duplicates(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (sequence, array, places) = (prepared.sequence(), prepared.array(), prepared.places());
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| {
        let copies = Groups::of_identical(sequence, None);
        (are_snapshots(sequence, array, places, &copies), group_near_duplicates(sequence, array, places, &copies))
    });
}

#[divan::bench(args = sizes())]
fn repeats(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let (sequence, array) = (prepared.sequence(), prepared.array());
    let (places, groups) = (prepared.places(), prepared.groups());
    bencher
        .counter(BytesCount::new(prepared.bytes()))
        .bench(|| filtered_repeats(sequence, array, places, groups, &prepared.options));
}

#[divan::bench(args = sizes())]
fn cutoff(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let repeats = prepared.repeats();
    bencher
        .counter(BytesCount::new(prepared.bytes()))
        .bench(|| choose_cutoff(&Histogram::of(repeats.iter().map(|repeat| prepared.share(repeat)))));
}

#[divan::bench(name = "cover", args = sizes())]
fn covering(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let is_kept = |repeat: &&Interval| prepared.share(repeat) >= prepared.options.min_share;
    let kept: Vec<Interval> = prepared.repeats().iter().filter(is_kept).copied().collect();
    let shares: Vec<f64> = kept.iter().map(|repeat| prepared.share(repeat)).collect();
    let (sequence, array) = (prepared.sequence(), prepared.array());
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| cover(sequence, array, &kept, &shares));
}

/// All stages above and the sightings, without templates with slots.
#[divan::bench(args = sizes())]
fn all_without_slots(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    let options = prepared.options.clone().slots(false);
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| mine(prepared.sequence(), &options));
}

/// The additional time is for templates with slots.
#[divan::bench(args = sizes())]
fn all(bencher: Bencher, megabytes: u64) {
    let prepared = prepared(megabytes);
    bencher.counter(BytesCount::new(prepared.bytes())).bench(|| mine(prepared.sequence(), &prepared.options));
}

/// Ten sources that have this amount of text together.
#[divan::bench(name = "cross_source", args = sizes())]
fn comparing(bencher: Bencher, megabytes: u64) {
    let sources = prepared(megabytes).sources();
    bencher.counter(BytesCount::new(megabytes * 1_000_000)).bench(|| cross_source(sources));
}
