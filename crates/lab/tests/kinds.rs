//! Measures how much cleaning keeps of texts that do not look like news: mail, code, laws, songs and others, in
//! `corpora/kinds`.
//!
//! Much content recurs in all of them, so recurring text is not always template there (see `corpora/README.md`).
//! `cargo test -p dehusk-lab --test kinds -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that cannot read its corpus has failed, and it tells figures

#[path = "../../../tests/python/mod.rs"]
mod python;
#[path = "kinds/twins.rs"]
mod twins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dehusk_lab::removal::Removal;
use dehusk_run::scoring::words::Bag;
use python::by_python;
use twins::{Twin, is_rust};

const KINDS: [&str; 10] =
    ["api-docs", "forum", "laws", "logs", "lyrics", "mailing-list", "minutes", "poems", "recipes", "shop"];

/// Maximum share of the words of content that may be lost, and minimum share of the words of boilerplate that must be removed.
/// The shipped model has learned from these texts among others, so this shows that it does what it learned.
const MOST_LOST: f64 = 0.02;
const LEAST_REMOVED: f64 = 0.55;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora")
}

fn run(inputs: &[PathBuf], out: &Path, options: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk-lab"));
    command.args(["dehusk", "run", "--quiet", "--output"]).arg(out).args(options).args(inputs);
    assert!(command.status().unwrap().success(), "{inputs:?}");
}

/// What was removed from some documents, and the number of words of their content.
#[derive(Default)]
struct Tally {
    removals: Vec<Removal>,
    content: usize,
}

impl Tally {
    fn add(&mut self, words: &Bag, kept: &Bag, gold: &Bag) {
        assert_eq!(kept.without(words), Bag::default(), "nothing is added");
        self.removals.push(Removal::of(words, kept, gold));
        self.content += gold.total();
    }

    /// The shares of the content that was lost and of the boilerplate that was removed. If there is none, all was removed.
    fn shares(self) -> (f64, f64) {
        let all = Removal::sum(self.removals);
        ((all.removed - all.right) as f64 / self.content as f64, all.recall().unwrap_or(1.0))
    }
}

/// The shares of each kind, over all its documents. The kinds are mined together.
fn cleaned(kinds: &[&str], options: &[&str]) -> Vec<(f64, f64)> {
    let out = tempfile::tempdir().unwrap();
    let inputs: Vec<PathBuf> = kinds.iter().map(|kind| corpora().join("kinds").join(kind)).collect();
    run(&inputs, out.path(), options);
    kinds.iter().map(|kind| shares(kind, &out.path().join("cleaned").join(kind))).collect()
}

fn shares(kind: &str, cleaned: &Path) -> (f64, f64) {
    let mut documents = 0;
    let mut tally = Tally::default();
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
        tally.add(&words, &kept, &gold);
    }
    assert!((25..=40).contains(&documents), "{kind}: {documents} documents");
    tally.shares()
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
    let (input, out) = (folder.path().join("in"), folder.path().join("out"));
    let source = input.join("source");
    fs::create_dir_all(&source).unwrap();
    let name = |number: usize| format!("{number:04}.txt");
    for (number, twin) in twins.iter().enumerate() {
        fs::write(source.join(name(number)), &twin.text).unwrap();
    }
    run(&[input], &out, &[]);
    let cleaned = (0..twins.len()).map(|number| fs::read_to_string(out.join("cleaned/source").join(name(number))));
    cleaned.collect::<Result<_, _>>().unwrap()
}

/// Maximum share of the content of twins that may be lost. The model has learned from no text like them.
const MOST_LOST_OF_TWINS: f64 = 0.07;

#[test]
fn twins_keep_their_content_in_any_number() {
    for kind in twins::KINDS {
        for &documents in kind.numbers {
            let twins = (kind.twins)(documents);
            let mut tally = Tally::default();
            for (twin, cleaned) in twins.iter().zip(cleaned_twins(&twins)) {
                tally.add(&Bag::of(&twin.text), &Bag::of(&cleaned), &Bag::of(&twin.gold));
            }
            let (lost, removed) = tally.shares();
            let name = kind.name;
            println!("{name:14} {documents:4} lost {lost:.4}  removed {removed:.3}");
            let is_removed = documents < 100 || removed >= kind.least_removed;
            assert!(
                lost <= MOST_LOST_OF_TWINS && is_removed,
                "{name}, {documents} documents: lost {lost:.4}, removed {removed:.3}"
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
    let python: Vec<String> = python.into_iter().map(|(_, program)| program).collect();
    by_python("code in Python", PYTHON, &python.into());
}
