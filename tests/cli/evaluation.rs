//! `dehusk eval`: the figures, and what it says when there is nothing to score.

use std::sync::LazyLock;

use serde_json::Value;

use super::*;

fn news_gold() -> String {
    format!("'{}/corpora/news-gold'", env!("CARGO_MANIFEST_DIR"))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The sample corpus, scored once.
static NEWS: LazyLock<Value> = LazyLock::new(|| {
    json(&Sandbox::new().expect(0, &format!("eval {} --gold {} --json --documents", news(), news_gold())))
});

/// A source of twelve pages, and gold text that lacks nothing but the template.
fn village() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("village", 0..12);
    for number in 0..12 {
        let lines: Vec<String> = page(number, 3).lines().skip(2).map(str::to_owned).collect();
        let is_story =
            |line: &&String| !line.starts_with("Share") && !line.starts_with("Read") && !line.starts_with("Copyright");
        let story: Vec<&str> = lines.iter().filter(is_story).map(String::as_str).collect();
        sandbox.write(&format!("gold/village/{number:05}.txt"), story.join("\n"));
    }
    sandbox
}

#[test]
fn dehusk_beats_its_opponents_on_the_sample_corpus() {
    let scores = &NEWS["scores"];
    let f1 = |rule: &str| number(&scores[rule]["f1"]);
    assert_eq!(
        (NEWS["documents"].as_u64(), NEWS["sources"].as_u64(), NEWS["missing"].as_u64()),
        (Some(119), Some(6), Some(0))
    );
    for opponent in ["left_alone", "lines_in_2_documents", "lines_in_20_percent", "union"] {
        assert!(f1("dehusk") > f1(opponent) + 0.05, "{opponent}: {scores}");
    }
    assert_eq!(number(&scores["left_alone"]["removed"]), 0.0);
}

#[test]
fn the_figures_add_up() {
    let documents = NEWS["per_document"].as_array().expect("documents");
    assert_eq!(documents.len(), 119);
    for what in ["gold_words", "lost_words"] {
        let sum: f64 = documents.iter().map(|document| number(&document[what])).sum();
        assert_eq!(sum, number(&NEWS[what]), "{what}");
    }
    let sources = NEWS["per_source"].as_object().expect("sources");
    for figure in ["precision", "recall", "f1", "removed"] {
        for (name, source) in sources {
            let own: Vec<f64> = documents
                .iter()
                .filter(|document| document["source"] == **name)
                .map(|document| number(&document["scores"]["dehusk"][figure]))
                .collect();
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            assert!((mean - number(&source["scores"]["dehusk"][figure])).abs() < 1e-12, "{figure} of {name}");
        }
        let sum: f64 = sources.values().map(|source| number(&source["scores"]["dehusk"][figure])).sum();
        assert!((sum / sources.len() as f64 - number(&NEWS["scores"]["dehusk"][figure])).abs() < 1e-12, "{figure}");
    }
}

/// Recall falls by exactly what the losses list.
#[test]
fn lost_words_are_what_recall_lacks() {
    for document in NEWS["per_document"].as_array().expect("documents") {
        let recall = |rule: &str| number(&document["scores"][rule]["recall"]);
        let lost = number(&document["lost_words"]) / number(&document["gold_words"]);
        assert!((recall("left_alone") - recall("dehusk") - lost).abs() < 1e-12, "{document}");
    }
    for worst in NEWS["worst_documents"].as_array().expect("documents") {
        let sum = |parts: Vec<&Value>| parts.into_iter().map(number).sum::<f64>();
        let stretches = worst["lost"].as_array().expect("texts").iter().map(|lost| &lost["words"]);
        let words = worst["words"].as_object().expect("words").values();
        assert_eq!(sum(stretches.collect()), number(&worst["lost_words"]), "{worst}");
        assert_eq!(sum(words.collect()), number(&worst["lost_words"]), "{worst}");
    }
    assert!(NEWS["worst_patterns"].as_array().is_some_and(|worst| (1..=10).contains(&worst.len())));
}

#[test]
fn patterns_in_files_score_as_those_mined_on_the_way() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let scored = json(&sandbox.expect(0, &format!("eval {} --gold {} -p patterns --json", news(), news_gold())));
    assert_eq!(scored["scores"], NEWS["scores"]);
    assert_eq!(scored["worst_patterns"], NEWS["worst_patterns"]);
}

#[test]
fn the_tables_say_what_was_asked_for() {
    let sandbox = village();
    let short = sandbox.expect(0, "eval corpus --gold gold").stdout;
    assert!(short.contains("dehusk                                  1.000   1.000  1.000"), "{short}");
    assert!(short.contains("12 documents of 1 source: 0 of ") && !short.contains("lost most"), "{short}");
    let long = sandbox.expect(0, "eval corpus --gold gold --per-source --documents --method union").stdout;
    assert!(long.contains("\nvillage ") && long.contains("\nvillage/00011.txt "), "{long}");
}

#[test]
fn half_is_mined_and_the_other_half_scored() {
    let sandbox = village();
    let ran = sandbox.expect(0, "eval corpus --gold gold --half --json --documents");
    let scored = json(&ran);
    let names: Vec<&str> =
        scored["per_document"].as_array().into_iter().flatten().filter_map(|one| one["document"].as_str()).collect();
    assert_eq!(names, ["00001.txt", "00003.txt", "00005.txt", "00007.txt", "00009.txt", "00011.txt"]);
    assert!(number(&scored["scores"]["half_mined"]["recall"]) > 0.99, "{}", ran.stdout);
    assert!(
        sandbox
            .expect(0, "eval corpus --gold gold --half")
            .stdout
            .contains("half of the documents mined instead of all: recall +0.0000")
    );
}

#[test]
fn with_half_the_losses_are_those_of_half() {
    let sandbox = village();
    // The line stands in six documents, and in none of those that are mined.
    for number in [1, 3, 5, 7, 9, 11] {
        for folder in ["corpus", "gold"] {
            let path = format!("{folder}/village/{number:05}.txt");
            let text = sandbox.read(&path) + "\nThe bell of the old harbour church rang for the whole of that night\n";
            sandbox.write(&path, text);
        }
    }
    let lost = |arguments: &str| {
        let scored = json(&sandbox.expect(0, &format!("eval corpus --gold gold --json {arguments}")));
        (scored["judged"].as_str().map(str::to_owned), number(&scored["lost_words"]), scored["scores"].clone())
    };
    let (all, lost_by_all, _) = lost("--method union --cutoff 0.1");
    let (half, lost_by_half, scores) = lost("--half --method union --cutoff 0.1");
    assert_eq!((all.as_deref(), half.as_deref()), (Some("dehusk"), Some("half_mined")));
    assert!(lost_by_all > 0.0 && lost_by_half == 0.0, "{lost_by_all} {lost_by_half}");
    assert!(number(&scores["dehusk"]["recall"]) < number(&scores["half_mined"]["recall"]), "{scores}");
}

#[test]
fn the_union_asked_for_is_the_union_compared_with() {
    let scored = json(&village().expect(0, "eval corpus --gold gold --json --method union --merge-gap 2"));
    assert_eq!(scored["scores"]["dehusk"], scored["scores"]["union"]);
}

#[test]
fn a_lost_headline_is_shown_with_its_pattern() {
    let sandbox = village();
    let with_template: String = page(3, 3).replace("Home | News | Sport | Weather and tides\n", "");
    sandbox.write("gold/village/00003.txt", with_template);
    let ran = sandbox.expect(0, "eval corpus --gold gold --worst 1");
    let worst = ran.stdout.split_once("lost most of their gold words").map_or("", |(_, worst)| worst);
    assert!(
        worst.contains("village/00003.txt\n") && worst.contains("\"Copyright The Daily Tide\" {"),
        "{}",
        ran.stdout
    );
    assert!(worst.contains("patterns that lost most") && worst.contains("lost: "), "{}", ran.stdout);
    assert_eq!(sandbox.expect(0, "eval corpus --gold gold --worst 0").stdout.matches("lost most").count(), 0);
}

#[test]
fn gold_text_without_a_document_scores_as_empty_and_is_named() {
    let sandbox = village();
    let gold = sandbox.read("gold/village/00001.txt");
    sandbox.write("gold/village/gone.txt", &gold);
    sandbox.write("gold/elsewhere/gone.txt", &gold);
    sandbox.write("gold/village/short.txt", "too few words");
    let ran = sandbox.expect(0, "eval corpus --gold gold --json");
    ran.says("2 gold documents are not in the corpus").says("elsewhere/gone.txt, village/gone.txt");
    let scored = json(&ran);
    let counts = ["documents", "missing", "gold_too_short"].map(|key| scored[key].as_u64());
    assert_eq!(counts, [Some(14), Some(2), Some(1)]);
    assert_eq!(number(&scored["per_source"]["elsewhere"]["scores"]["left_alone"]["f1"]), 0.0);
}

#[test]
fn pages_and_lines_find_their_gold() {
    let sandbox = village();
    for number in 0..12 {
        let lines = page(number, 3).lines().map(|line| format!("<p>{line}</p>")).collect::<String>();
        sandbox.write(&format!("pages/village/{number:05}.html"), lines);
    }
    let line = |number| serde_json::json!({"id": format!("{number:05}"), "source": "village", "text": page(number, 3)});
    sandbox.write("lines.jsonl", (0..12).map(|number| format!("{}\n", line(number))).collect::<String>());
    for corpus in ["pages", "lines.jsonl"] {
        let scored = json(&sandbox.expect(0, &format!("eval {corpus} --gold gold --no-structure --json")));
        assert_eq!((scored["missing"].as_u64(), scored["documents"].as_u64()), (Some(0), Some(12)), "{corpus}");
        assert!(number(&scored["scores"]["dehusk"]["f1"]) > 0.99, "{corpus}");
    }
}

#[test]
fn what_cannot_be_scored_is_refused_with_a_remedy() {
    let sandbox = village();
    sandbox.write("empty/village/1.txt", "few words");
    sandbox.write("other/town/1.txt", sandbox.read("gold/village/00001.txt"));
    sandbox.write("renamed/village/one.txt", sandbox.read("gold/village/00001.txt"));
    sandbox.expect(1, "eval corpus --gold godl").says("gold text: cannot find \"godl\": did you mean \"gold\"?");
    sandbox.expect(1, "eval corpus --gold empty").says("no document in empty has 20 words or more");
    sandbox
        .expect(1, "eval corpus --gold other")
        .says("the corpus has 'village', and other has 'town'")
        .says("name the folders");
    sandbox.expect(1, "eval corpus --gold renamed").says("renamed/SOURCE/NAME.txt").says("name the files");
    sandbox.expect(1, "eval corpus --gold renamed --half").says("every second document");
    sandbox.expect(2, "eval corpus").says("--gold");
    sandbox.expect(2, "eval --gold gold").says("<CORPUS>");
    sandbox.expect(2, "eval corpus --gold gold -p patterns --min-documents 3").says("cannot be used with");
    sandbox.expect(2, "eval corpus --gold gold -p patterns --half").says("cannot be used with");
}

#[test]
fn threads_do_not_show() {
    let figures = |arguments: &str| {
        let mut scored =
            json(&Sandbox::new().expect(0, &format!("eval {arguments} --gold {} --json --documents", news_gold())));
        scored["seconds"] = Value::Null;
        scored
    };
    let one = figures(&format!("{} --threads 1", news()));
    assert_eq!(one, figures(&format!("{} --threads 4", news())));
    assert_eq!(one["scores"], NEWS["scores"]);
}
