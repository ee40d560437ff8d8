//! Measures how much cleaning keeps of texts that do not look like news: mail, code, laws, songs and others, in
//! `corpora/kinds`.
//!
//! Much content recurs in all of them, so recurring text is not always template there (see `corpora/README.md`).
//! `cargo test --test kinds -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that cannot read its corpus has failed, and it tells figures

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dehusk::evaluation::words::Bag;

const KINDS: [&str; 10] =
    ["api-docs", "forum", "laws", "logs", "lyrics", "mailing-list", "minutes", "poems", "recipes", "shop"];

/// Maximum share of the words of content that may be lost, and minimum share of the words of boilerplate that must be removed.
/// The shipped model has learned from these texts among others, so this shows that it does what it learned.
const MOST_LOST: f64 = 0.02;
const LEAST_REMOVED: f64 = 0.55;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

/// The share of the content that was lost and of the boilerplate that was removed, over all documents of each kind. The
/// kinds are mined together.
fn cleaned(kinds: &[&str], options: &[&str]) -> Vec<(f64, f64)> {
    let out = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(["run", "--quiet", "--out"])
        .arg(out.path())
        .args(options)
        .args(kinds.iter().map(|kind| corpora().join("kinds").join(kind)))
        .status();
    assert!(status.unwrap().success(), "{kinds:?}");
    kinds.iter().map(|kind| shares(kind, &out.path().join("cleaned").join(kind))).collect()
}

fn shares(kind: &str, cleaned: &Path) -> (f64, f64) {
    let mut documents = 0;
    let (mut content, mut lost, mut boilerplate, mut left) = (0, 0, 0, 0);
    for entry in fs::read_dir(corpora().join("kinds").join(kind)).unwrap() {
        let page = entry.unwrap().path();
        let name = page.file_name().unwrap();
        let bag = |path: &Path| {
            Bag::of(&fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        };
        let (words, kept) = (bag(&page), bag(&cleaned.join(name)));
        let gold = bag(&corpora().join("kinds-gold").join(kind).join(name));
        assert_eq!(gold.without(&words), Bag::default(), "{kind}: the gold of {name:?} is in the page");
        documents += 1;
        content += gold.total();
        lost += gold.without(&kept).total();
        boilerplate += words.without(&gold).total();
        left += kept.without(&gold).total();
    }
    assert!((25..=40).contains(&documents), "{kind}: {documents} documents");
    (lost as f64 / content as f64, 1.0 - left as f64 / boilerplate as f64)
}

fn keep_content_and_lose_boilerplate(how: &str, shares: Vec<(f64, f64)>) {
    for (kind, (lost, removed)) in KINDS.iter().zip(&shares) {
        println!("{kind:14} {how:9} lost {lost:.4}  removed {removed:.3}");
    }
    for (kind, (lost, removed)) in KINDS.iter().zip(shares) {
        assert!(lost <= MOST_LOST && removed >= LEAST_REMOVED, "{kind} {how}: lost {lost:.4}, removed {removed:.3}");
    }
}

#[test]
fn each_kind_keeps_its_content_when_all_are_mined_together() {
    keep_content_and_lose_boilerplate("together", cleaned(&KINDS, &[]));
}

#[test]
fn each_kind_keeps_its_content_when_it_is_mined_alone() {
    keep_content_and_lose_boilerplate("alone", KINDS.iter().map(|kind| cleaned(&[kind], &[])[0]).collect());
}
