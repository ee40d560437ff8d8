//! The experiments of `eval`: what they say about the sample corpus, and that chance is the seed's alone.

use std::sync::LazyLock;

use serde_json::Value;

use super::*;

/// Mined once for all tests.
static PATTERNS: LazyLock<Sandbox> = LazyLock::new(|| {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    sandbox
});

/// The sample corpus and its articles.
fn with_gold() -> String {
    format!("{} --gold '{}/corpora/news-gold'", news(), env!("CARGO_MANIFEST_DIR"))
}

/// And its patterns.
fn with_patterns() -> String {
    format!("{} -p '{}'", with_gold(), PATTERNS.path("patterns").display())
}

fn json(arguments: &str) -> Value {
    let ran = Sandbox::new().expect(0, &format!("eval {arguments} --json"));
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).expect("JSON and nothing else")
}

#[track_caller]
fn figure(outcome: &Value, treatment: &str, name: &str) -> f64 {
    outcome["results"][treatment][name].as_f64().unwrap_or_else(|| panic!("no {name} of {treatment} in {outcome}"))
}

#[test]
fn cleaning_shows_which_pages_are_duplicates() {
    let outcome = json(&format!("duplicates {}", with_patterns()));
    assert_eq!((&outcome["selection"]["pages"], &outcome["selection"]["sources"]), (&113.into(), &5.into()));
    assert_eq!((&outcome["same"], &outcome["retold"]), (&452.into(), &4.into()), "each page under four others");
    assert!(figure(&outcome, "uncleaned", "found") < 0.4);
    assert!(figure(&outcome, "smooth", "found") > 0.9 && figure(&outcome, "smooth", "told_apart") > 0.98);
    assert!(figure(&outcome, "union", "found") > figure(&outcome, "uncleaned", "found"));
    assert_eq!((figure(&outcome, "gold", "found"), figure(&outcome, "gold", "told_apart")), (1.0, 1.0));
}

#[test]
fn cleaning_shows_which_pages_are_mirrors() {
    let outcome = json(&format!("mirrors {} --pairs 60", with_patterns()));
    assert_eq!((&outcome["mirrors"], &outcome["others"]), (&60.into(), &60.into()));
    assert!(figure(&outcome, "uncleaned", "auc") < 0.95 && figure(&outcome, "smooth", "auc") > 0.98);
    let median = |treatment: &str| outcome["results"][treatment]["mirrors"]["median"].as_f64().expect("a median");
    assert!(median("uncleaned") > 0.4 && median("smooth") < 0.2 && median("gold") == 0.0);
}

#[test]
fn cleaning_lets_articles_form_clusters() {
    let outcome = json(&format!("clusters {} --rounds 2 --articles 20", with_patterns()));
    assert_eq!((&outcome["documents"], &outcome["clusters"]), (&160.into(), &20.into()));
    assert!(figure(&outcome, "smooth", "mean") > figure(&outcome, "uncleaned", "mean"), "{outcome}");
    assert!(figure(&outcome, "gold", "mean") > 0.9, "{outcome}");
}

#[test]
fn figures_depend_on_the_seed_and_on_nothing_else() {
    let table = |experiment: &str, more: &str| {
        Sandbox::new().expect(0, &format!("eval {experiment} {} {more}", with_patterns())).stdout
    };
    for (experiment, size) in [("mirrors", "--pairs 20"), ("clusters", "--rounds 1 --articles 12")] {
        let one = table(experiment, &format!("{size} --seed 7 --threads 1"));
        assert_eq!(one, table(experiment, &format!("{size} --seed 7 --threads 3")), "{experiment}");
        assert_ne!(one, table(experiment, &format!("{size} --seed 8")), "{experiment}");
    }
}

#[test]
fn pattern_files_serve_as_well_as_mining() {
    let eval = |corpus: String| Sandbox::new().expect(0, &format!("eval duplicates {corpus} --pairs 40"));
    let mined = eval(with_gold());
    assert_eq!(mined, eval(with_patterns()));
    assert_ne!(mined.stdout, eval(with_patterns() + " --only accepted").stdout);
}

#[test]
fn pages_that_cannot_be_used_are_counted() {
    let sandbox = Sandbox::new();
    for number in 0..6 {
        let story = Story(number as u64).paragraph() + "\n\n" + &Story(number as u64 + 50).paragraph();
        write(&sandbox.path(&format!("in/tide/{number}.txt")), format!("The Daily Tide\n\n{story}\n").as_bytes());
        write(&sandbox.path(&format!("gold/tide/{number}.txt")), story.as_bytes());
    }
    write(&sandbox.path("in/tide/no-gold.txt"), b"a page");
    write(&sandbox.path("in/tide/other.txt"), Story(91).paragraph().as_bytes());
    write(&sandbox.path("gold/tide/other.txt"), Story(92).paragraph().repeat(3).as_bytes());
    let ran = sandbox.expect(0, "eval duplicates in --gold gold");
    assert!(
        ran.stdout.contains("6 pages of 1 source; left out: 1 without gold text, 1 whose gold text is short or not"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("0 pairs of the same article under two templates, 15 of two"), "{}", ran.stdout);
    sandbox.expect(1, "eval mirrors in --gold gold").says("pages of two sources");
    sandbox.expect(1, "eval clusters in --gold gold").says("nothing to cluster");
    sandbox.expect(1, "eval duplicates in --gold elsewhere").says("gold text: cannot find \"elsewhere\"");
    sandbox.expect(2, "eval duplicates in").says("--gold");
    sandbox.expect(2, "eval duplicates in --gold gold -p patterns --min-documents 3").says("cannot be used with");
    write(&sandbox.path("swapped/tide/0.txt"), sandbox.read("gold/tide/1.txt").as_bytes());
    sandbox.expect(1, "eval duplicates in --gold swapped").says("swapped: no gold text is found in its document");
}
