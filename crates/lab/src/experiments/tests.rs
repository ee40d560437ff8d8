//! Tests of the experiments: their results for the sample corpus, and that chance depends on the seed alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use clap::Parser;
use serde_json::Value;
use tempfile::TempDir;

use dehusk_core::tokens::mutable_file::SHIPPED;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{Inventory, OutputRoot, ReadOptions};
use dehusk_run::{CorpusMineOptions, Silent, mine_corpus};

use super::{ExperimentArgs, outcome};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    args: ExperimentArgs,
    #[arg(long, global = true)]
    threads: Option<usize>,
}

fn run(Arguments { args, threads }: &Arguments, observer: &Silent) -> anyhow::Result<String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(2)).build()?;
    pool.install(|| outcome(&args.experiment, observer))
}

/// The patterns of the sample corpus, mined once for all tests.
static PATTERNS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inventory = Inventory::scan(&[corpora().join("news")], &ReadOptions::default()).expect("a corpus");
    let output = OutputRoot::create(folder.path().join("patterns"), &inventory.reads()).expect("a folder");
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    mine_corpus(&inventory, &output, &lexer, &CorpusMineOptions::default(), &Silent).expect("it is mined");
    folder
});

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora")
}

/// Invented HTML pages of 4 sites, with their articles and labels: 2 kinds of stories, told in other words each time.
static PAGES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut labels = "file\tlabel\n".to_owned();
    for site in ["tide", "harbour", "meadow", "orchard"] {
        for number in 0..8 {
            let (label, common) = if number % 2 == 0 { ("sea", "boat crew wave") } else { ("land", "field barn hay") };
            let sentence =
                |at: usize| format!("The {common} of {site}{number}a{at} saw {site}{number}b{at} and waited. ");
            let paragraphs: Vec<String> = (0..5).map(|at| (3 * at..3 * at + 3).map(sentence).collect()).collect();
            let menu: String = (0..12).map(|item| format!("<li><a href=/{item}>{site} {item} boat barn</a>")).collect();
            let page = format!(
                "<title>{site}</title><ul>{menu}</ul><div class={site}><p>{}</div><div>Read {site} every day. \
                 Terms of {site} apply.</div>",
                paragraphs.join("<p>")
            );
            write(folder.path(), &format!("in/{site}/{number}.html"), &page);
            write(folder.path(), &format!("gold/{site}/{number}.txt"), &paragraphs.join("\n"));
            labels += &format!("{site}/{number}\t{label}\n");
        }
    }
    write(folder.path(), "labels.tsv", &labels);
    folder
});

fn write(folder: &Path, relative: &str, text: &str) {
    let path = folder.join(relative);
    fs::create_dir_all(path.parent().expect("a folder to be in")).expect("the folder");
    fs::write(path, text).expect("the file");
}

/// The output of an experiment, or the reason why it fails.
fn try_said(experiment: &str, corpus: &Path, gold: &Path, options: &str) -> anyhow::Result<String> {
    let paths = [corpus, Path::new("--gold"), gold].map(Path::as_os_str);
    let words = ["experiments", experiment].into_iter().chain(options.split_whitespace()).map(str::as_ref);
    run(&Arguments::try_parse_from(words.chain(paths))?, &Silent)
}

fn on_news(experiment: &str, options: &str) -> String {
    let (corpus, gold) = (corpora().join("news"), corpora().join("news-gold"));
    try_said(experiment, &corpus, &gold, options).unwrap_or_else(|error| panic!("{experiment} {options}: {error:#}"))
}

/// Runs an experiment on the sample corpus, with its patterns.
fn with_patterns(experiment: &str, options: &str) -> String {
    let patterns = PATTERNS.path().join("patterns");
    on_news(experiment, &format!("{options} -p {}", patterns.display()))
}

/// Runs an experiment on the invented HTML pages.
fn on_pages(experiment: &str, options: &str) -> Value {
    let (corpus, gold) = (PAGES.path().join("in"), PAGES.path().join("gold"));
    let said = try_said(experiment, &corpus, &gold, &format!("{options} --json"));
    let said = said.unwrap_or_else(|error| panic!("{experiment} {options}: {error:#}"));
    serde_json::from_str(&said).expect("JSON and nothing else")
}

fn json(experiment: &str, options: &str) -> Value {
    serde_json::from_str(&with_patterns(experiment, &format!("{options} --json"))).expect("JSON and nothing else")
}

#[track_caller]
fn figure(outcome: &Value, treatment: &str, name: &str) -> f64 {
    outcome["results"][treatment][name].as_f64().unwrap_or_else(|| panic!("no {name} of {treatment} in {outcome}"))
}

#[test]
fn cleaning_shows_which_pages_are_duplicates() {
    let outcome = json("duplicates", "");
    assert_eq!((&outcome["selection"]["pages"], &outcome["selection"]["sources"]), (&113.into(), &5.into()));
    assert_eq!((&outcome["same"], &outcome["retold"]), (&452.into(), &4.into()), "each page under four others");
    assert!(figure(&outcome, "uncleaned", "found") < 0.4);
    assert!(figure(&outcome, "smooth", "found") > 0.9 && figure(&outcome, "smooth", "told_apart") > 0.98);
    assert!(figure(&outcome, "union", "found") > figure(&outcome, "uncleaned", "found"));
    assert_eq!((figure(&outcome, "gold", "found"), figure(&outcome, "gold", "told_apart")), (1.0, 1.0));
}

#[test]
fn cleaning_shows_which_pages_are_mirrors() {
    let outcome = json("mirrors", "--pairs 60");
    assert_eq!((&outcome["mirrors"], &outcome["others"]), (&60.into(), &60.into()));
    assert!(figure(&outcome, "uncleaned", "auc") < 0.95 && figure(&outcome, "smooth", "auc") > 0.98);
    let median = |treatment: &str| outcome["results"][treatment]["mirrors"]["median"].as_f64().expect("a median");
    assert!(median("uncleaned") > 0.4 && median("smooth") < 0.2 && median("gold") == 0.0);
}

#[test]
fn cleaning_lets_articles_form_clusters() {
    let outcome = json("clusters", "--rounds 2 --articles 20");
    assert_eq!((&outcome["documents"], &outcome["clusters"]), (&160.into(), &20.into()));
    assert!(figure(&outcome, "smooth", "mean") > figure(&outcome, "uncleaned", "mean"), "{outcome}");
    assert!(figure(&outcome, "gold", "mean") > 0.9, "{outcome}");
}

#[test]
fn html_pages_are_also_cleaned_alone_and_by_structure() {
    let outcome = on_pages("duplicates", "");
    let rows: Vec<&String> = outcome["results"].as_object().expect("results").keys().collect();
    assert_eq!(rows, ["uncleaned", "tree", "extract", "cuts", "clusters", "smooth", "text", "union", "gold"]);
    assert_eq!((&outcome["selection"]["pages"], &outcome["same"]), (&32.into(), &96.into()));
    assert!(figure(&outcome, "smooth", "found") >= figure(&outcome, "uncleaned", "found"), "{outcome}");
    assert_eq!(figure(&outcome, "gold", "found"), 1.0);
}

#[test]
fn pages_are_assigned_to_their_articles() {
    let mean = |outcome: &Value, treatment: &str, name: &str| {
        outcome["results"][treatment][name]["mean"].as_f64().unwrap_or_else(|| panic!("no {name} in {outcome}"))
    };
    let outcome = json("assign", "");
    assert_eq!((&outcome["paired"], &outcome["sources"]), (&452.into(), &5.into()));
    // Each source has an article that is stored twice.
    assert!((0.95..0.97).contains(&mean(&outcome, "gold", "to_article")), "{outcome}");
    assert_eq!(mean(&outcome, "smooth", "to_site"), 0.0);
    let outcome = on_pages("assign", "");
    assert_eq!(mean(&outcome, "gold", "to_article"), 1.0);
}

#[test]
fn pages_are_classified_by_what_other_sites_teach() {
    let labels = |name: &str| format!("--labels {}", PAGES.path().join(name).display());
    let outcome = on_pages("classify", &format!("--folds 4 {}", labels("labels.tsv")));
    assert_eq!((&outcome["documents"], &outcome["sources"], &outcome["left_out"]), (&32.into(), &4.into(), &0.into()));
    assert_eq!(outcome["labels"], serde_json::json!([["land", 16], ["sea", 16]]));
    assert_eq!(outcome["results"]["gold"]["accuracy"]["mean"], 1.0);
    assert_eq!(outcome["results"]["gold"]["of_labels"], 1.0);
    write(PAGES.path(), "few.tsv", "file\tlabel\ntide/0\tsea\n");
    let corpus = |options: &str| try_said("classify", &PAGES.path().join("in"), &PAGES.path().join("gold"), options);
    let refused = |options: &str| format!("{:#}", corpus(options).expect_err("it is refused"));
    assert!(
        refused(&labels("few.tsv")).contains("it takes documents of two sources"),
        "{}",
        refused(&labels("few.tsv"))
    );
    assert!(refused(&labels("none.tsv")).contains("none.tsv"));
    assert!(refused("").contains("--labels"));
}

#[test]
fn templates_are_detected_as_pages_come() {
    let outcome = on_pages("templates", "--from-page 4");
    assert_eq!((&outcome["pages"], &outcome["sources"]), (&20.into(), &4.into()));
    let tuned = outcome["tuned"].as_array().expect("methods");
    assert_eq!(tuned.len(), 11);
    for outcome in tuned {
        let of = |name: &str| outcome[name].as_f64().expect("a figure");
        assert!(of("recall") > 0.15 && of("precision") > 0.9 && of("stored") > 0.0, "{outcome}");
    }
    let subtrees = &outcome["at_storage"][3][1][1];
    assert_eq!(subtrees["recall"], 1.0, "64 times the table is room for all pages: {outcome}");
    assert_eq!(outcome, on_pages("templates", "--from-page 4 --threads 1"));
    let (corpus, gold) = (PAGES.path().join("in"), PAGES.path().join("gold"));
    let refused = try_said("templates", &corpus, &gold, "--from-page 9").expect_err("there is no such page");
    assert!(refused.to_string().contains("no page to score"), "{refused}");
}

#[test]
fn figures_depend_on_the_seed_and_on_nothing_else() {
    let sizes = [("mirrors", "--pairs 20"), ("clusters", "--rounds 1 --articles 12"), ("assign", "--pairs 40")];
    for (experiment, size) in sizes {
        let table = |more: &str| with_patterns(experiment, &format!("{size} {more}"));
        let one = table("--seed 7 --threads 1");
        assert_eq!(one, table("--seed 7 --threads 3"), "{experiment}");
        assert_ne!(one, table("--seed 8"), "{experiment}");
    }
}

#[test]
fn pattern_files_serve_as_well_as_mining() {
    let mined = on_news("duplicates", "--pairs 40");
    assert_eq!(mined, with_patterns("duplicates", "--pairs 40"));
    assert_ne!(mined, with_patterns("duplicates", "--pairs 40 --only-accepted"));
}

#[test]
fn pages_that_cannot_be_used_are_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |relative: String, text: &str| write(folder.path(), &relative, text);
    let story = |number: usize| (0..60).map(|word| format!(" story{number}word{word}")).collect::<String>();
    for number in 0..6 {
        write(format!("in/tide/{number}.txt"), &format!("The Daily Tide\n\n{}\n", story(number)));
        write(format!("gold/tide/{number}.txt"), &story(number));
    }
    write("in/tide/no-gold.txt".to_owned(), "a page");
    write("in/tide/other.txt".to_owned(), &story(91));
    write("gold/tide/other.txt".to_owned(), &story(92));
    write("swapped/tide/0.txt".to_owned(), &story(1));
    let try_said = |experiment, gold| try_said(experiment, &folder.path().join("in"), &folder.path().join(gold), "");
    let said = try_said("duplicates", "gold").expect("it goes through");
    assert!(
        said.contains("6 pages of 1 source; left out: 1 without gold text, 1 whose gold text is short or not"),
        "{said}"
    );
    assert!(said.contains("0 pairs of the same article under two templates, 15 of two"), "{said}");
    let refused = |experiment, gold| format!("{:#}", try_said(experiment, gold).expect_err("it is refused"));
    let refused_for = |experiment, gold, reason| {
        let refused = refused(experiment, gold);
        assert!(refused.contains(reason), "{refused}");
    };
    refused_for("mirrors", "gold", "pages of two sources");
    refused_for("clusters", "gold", "nothing to cluster");
    refused_for("duplicates", "elsewhere", "gold text: cannot find ");
    refused_for("duplicates", "swapped", "swapped: no gold text is found in its document");
    let usage = Arguments::try_parse_from(["experiments", "duplicates", "in"]).err().expect("it is refused");
    assert!(usage.to_string().contains("--gold"), "{usage}");
}

#[test]
fn more_documents_teach_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plot = folder.path().join("growth.svg");
    let options = format!("--documents 6,12 --order name --folds 3 --json --plot {}", plot.display());
    let outcome: Value = serde_json::from_str(&on_news("growth", &options)).expect("JSON and nothing else");
    let figure = |row: usize, method: &str, name: &str| outcome["rows"][row][method][name].as_f64().expect("a figure");
    let mined: Vec<f64> = (0..3).filter_map(|row| outcome["rows"][row]["mined"].as_f64()).collect();
    assert_eq!(mined, [0.0, 6.0, 12.0], "{outcome}");
    for method in ["smooth", "union"] {
        assert!(figure(0, method, "f1") < figure(1, method, "f1"), "{outcome}");
        // The union hardly learns from more documents.
        assert!(figure(1, method, "f1") < figure(2, method, "f1") + 0.01, "{outcome}");
    }
    let svg = fs::read_to_string(plot).expect("a plot");
    assert!(svg.contains("recall of union") && svg.contains(">documents<"), "{svg}");
    let usage =
        Arguments::try_parse_from(["experiments", "growth", "in", "--gold", "gold", "--days", "7", "--order", "name"]);
    assert!(usage.err().expect("days have an order").to_string().contains("--order"));
}

#[test]
fn each_option_is_varied() {
    let outcome = on_pages("settings", "");
    let rows = outcome["rows"].as_array().expect("rows");
    let sets = SHIPPED.len() + 2;
    for (option, count) in [("--min-documents", 4), ("--min-words", 5), ("--cutoff", 9), ("--mutable", sets)] {
        let of_option: Vec<&Value> = rows.iter().filter(|row| row["option"] == option).collect();
        assert_eq!(of_option.len(), count, "{option}");
    }
    let all = rows.iter().find(|row| row["option"] == "--min-documents" && row["value"] == "8").expect("the row");
    assert_ne!(all["smooth"], Value::Null);
    let fall = |row: &Value| outcome["default"]["union"]["f1"].as_f64().unwrap() - row["union"]["f1"].as_f64().unwrap();
    let near = rows.iter().filter(|row| row["option"] == "--cutoff" && row["is_near"] == true).map(fall);
    let told = outcome["falls"].as_array().expect("falls").iter().find(|fall| fall["option"] == "--cutoff");
    assert_eq!(told.expect("the option")["union"], near.fold(0.0, f64::max));
}

#[test]
fn recognised_snapshots_keep_their_teasers() {
    let words = ["experiments", "snapshots", "--snapshots", "12", "--leave", "2-3", "--pages", "2", "--json"];
    let said = run(&Arguments::try_parse_from(words).expect("it is understood"), &Silent).expect("it goes through");
    let rows: Value = serde_json::from_str(&said).expect("JSON and nothing else");
    let row = &rows[0];
    assert_eq!((&row["auto"]["recognised"], &row["auto"]["counted"]), (&2.into(), &24.into()), "{row}");
    assert_eq!(row["auto"]["content"], 12 * 40 * 2, "two lines of 20 teasers");
    assert!(row["auto"]["lost"].as_u64() < row["grouped"]["lost"].as_u64(), "{row}");
    assert!(Arguments::try_parse_from(["experiments", "snapshots", "--leave", "3-2"]).is_err());
}
