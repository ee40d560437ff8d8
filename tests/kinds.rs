//! Measures how much cleaning keeps of texts that do not look like news: mail, code, laws, songs and others, in
//! `corpora/kinds`.
//!
//! Much content recurs in all of them, so recurring text is not always template there (see `corpora/README.md`).
//! `cargo test --test kinds -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that cannot read its corpus has failed, and it tells figures

#[path = "kinds/twins.rs"]
mod twins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dehusk::evaluation::words::Bag;
use twins::{TWINS, Twin, is_rust};

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

/// The cleaned texts of a source of these documents.
fn cleaned_twins(twins: &[Twin]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("in/source");
    fs::create_dir_all(&source).unwrap();
    let name = |number: usize| format!("{number:04}.txt");
    for (number, twin) in twins.iter().enumerate() {
        fs::write(source.join(name(number)), &twin.text).unwrap();
    }
    let out = folder.path().join("out");
    let status = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(["run", "--quiet", "--out"])
        .args([&out, &folder.path().join("in")])
        .status();
    assert!(status.unwrap().success());
    let cleaned = (0..twins.len()).map(|number| fs::read_to_string(out.join("cleaned/source").join(name(number))));
    cleaned.collect::<Result<_, _>>().unwrap()
}

/// The shares of the content that was lost and of the boilerplate that was removed. If there is none, all was removed.
fn shares_of_twins(twins: &[Twin]) -> (f64, f64) {
    let (mut content, mut lost, mut boilerplate, mut left) = (0, 0, 0, 0);
    for (twin, cleaned) in twins.iter().zip(cleaned_twins(twins)) {
        let [text, gold, kept] = [&twin.text, &twin.gold, &cleaned].map(|text| Bag::of(text));
        content += gold.total();
        lost += gold.without(&kept).total();
        boilerplate += text.without(&gold).total();
        left += kept.without(&gold).total();
    }
    let removed = if boilerplate == 0 { 1.0 } else { 1.0 - left as f64 / boilerplate as f64 };
    (lost as f64 / content as f64, removed)
}

/// For each kind of twins, the minimum share of the boilerplate that is removed from 100 documents. The model has learned from no
/// text like them.
const REMOVED_OF_TWINS: [(&str, f64); 7] = [
    ("books", 0.9),
    ("transcripts", 1.0),
    ("leaflets", 1.0),
    ("code", 0.7),
    ("printed-pages", 0.3),
    ("chats", 0.0),
    ("messages", 0.95),
];
/// Maximum share of the content of twins that may be lost.
const MOST_LOST_OF_TWINS: f64 = 0.07;

#[test]
fn twins_keep_their_content_in_any_number() {
    for ((kind, twins), (_, least_removed)) in TWINS.into_iter().zip(REMOVED_OF_TWINS) {
        let has_short_documents = ["leaflets", "chats", "messages"].contains(&kind);
        let numbers: &[usize] = if has_short_documents { &[10, 100, 1000] } else { &[10, 100] };
        for &documents in numbers {
            let (lost, removed) = shares_of_twins(&twins(documents));
            println!("{kind:14} {documents:4} lost {lost:.4}  removed {removed:.3}");
            let least_removed = if documents < 100 { 0.0 } else { least_removed };
            assert!(
                lost <= MOST_LOST_OF_TWINS && removed >= least_removed,
                "{kind}, {documents} documents: lost {lost:.4}, removed {removed:.3}"
            );
        }
    }
}

/// Reads a list of Python programs and parses each.
const PYTHON: &str = "import ast, json, sys\nfor program in json.load(sys.stdin): ast.parse(program)";

#[test]
fn code_without_its_licence_head_is_still_code() {
    let programs = cleaned_twins(&twins::code(100)).into_iter().enumerate();
    let (rust, python): (Vec<_>, Vec<_>) = programs.partition(|(number, _)| is_rust(*number));
    for (number, program) in &rust {
        assert!(syn::parse_file(program).is_ok(), "{number}: {program}");
    }
    let python: Vec<&String> = python.iter().map(|(_, program)| program).collect();
    let mut child = match Command::new("python3").args(["-c", PYTHON]).stdin(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "python3 cannot be started: {error}");
            return println!("NOT TESTED: Python code, because python3 cannot be started ({error})");
        }
    };
    serde_json::to_writer(child.stdin.take().unwrap(), &python).unwrap();
    assert!(child.wait().unwrap().success(), "python3 says above what it cannot parse");
}
