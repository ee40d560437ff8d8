//! Blocks of pages and their importance: `blocks`, `train --blocks` and `blocks`.

use std::collections::{BTreeSet, HashSet};

use dehusk_core::html::visible_text;
use serde_json::Value;

use super::*;

const SOURCE: &str = "orchard-courier.example";

fn repository(path: &str) -> PathBuf {
    Path::new(REPOSITORY).join("corpora").join(path)
}

/// The pages of the sample corpus that have known levels, and these.
fn sample() -> Sandbox {
    let sandbox = Sandbox::new();
    let levels = fs::read_to_string(repository("levels.jsonl")).expect("levels");
    for line in lines(&levels) {
        let name = format!("{SOURCE}/{}", line["id"].as_str().expect("a name"));
        sandbox.write(&format!("corpus/{name}"), fs::read(repository("news").join(name)).expect("a page"));
    }
    sandbox.write("levels.jsonl", levels);
    sandbox
}

fn lines(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn the_blocks_of_a_page_hold_its_text_once_and_the_article_is_important() {
    let sandbox = sample();
    let all = lines(&sandbox.expect(0, "blocks corpus -o - --quiet").stdout);
    let ids: BTreeSet<&str> = all.iter().map(|line| line["id"].as_str().expect("a name")).collect();
    assert_eq!(ids.len(), 12);
    for id in ids {
        let html = fs::read_to_string(sandbox.path(&format!("corpus/{SOURCE}/{id}"))).expect("a page");
        let text = visible_text(&html);
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let mut article = 0;
        for line in all.iter().filter(|line| line["id"] == id) {
            let of_block: Vec<(usize, usize)> = serde_json::from_value(line["text"].clone()).expect("ranges");
            if line["level"] == 4 {
                article += of_block.iter().map(|(start, end)| end - start).sum::<usize>();
            }
            ranges.extend(of_block);
            assert!(
                line["probability"].as_f64().is_some_and(|probability| (0.0..=1.0).contains(&probability)),
                "{line}"
            );
        }
        ranges.sort_unstable();
        assert!(ranges.is_sorted_by(|a, b| a.1 <= b.0), "{id} {ranges:?}");
        let ink = |ranges: &[(usize, usize)]| -> usize {
            ranges.iter().map(|&(start, end)| text[start..end].split_whitespace().map(str::len).sum::<usize>()).sum()
        };
        assert_eq!(ink(&ranges), text.split_whitespace().map(str::len).sum::<usize>(), "{id}");
        assert!(article > 400, "{id}: {article} bytes");
    }
    // The important ones are those of all with a level as high.
    let important = lines(&sandbox.expect(0, "blocks corpus -o - --quiet --min-level 3").stdout);
    let expected: Vec<&Value> = all.iter().filter(|line| line["level"].as_u64() >= Some(3)).collect();
    assert!(!expected.is_empty() && important.iter().eq(expected));
    for threads in [1, 3] {
        let again = sandbox.expect(0, &format!("blocks corpus -o - --quiet --threads {threads}")).stdout;
        assert_eq!(lines(&again), all);
    }
}

#[test]
fn links_weigh_as_much_as_their_blocks() {
    let sandbox = sample();
    let blocks = lines(&sandbox.expect(0, "blocks corpus -o - --quiet").stdout);
    let links = lines(&sandbox.expect(0, "blocks corpus -o - --quiet --links").stdout);
    let is_of = |line: &Value, id: &Value| line["id"] == *id;
    for id in links.iter().map(|link| &link["id"]).collect::<HashSet<&Value>>() {
        let of_page: Vec<&Value> = links.iter().filter(|link| is_of(link, id)).collect();
        let weight =
            |links: &[&&Value]| links.iter().map(|link| link["weight"].as_f64().expect("a weight")).sum::<f64>();
        assert!((weight(&of_page.iter().collect::<Vec<_>>()) - 1.0).abs() < 1e-3, "{id}");
        // The weights of two blocks have the ratio of their importance, up to rounding.
        let of_blocks = blocks.iter().filter(|block| is_of(block, id)).filter_map(|block| {
            let links: Vec<&&Value> = of_page.iter().filter(|link| link["block"] == block["block"]).collect();
            assert!(links.iter().all(|link| link["level"] == block["level"]), "{block}");
            (!links.is_empty()).then(|| weight(&links) / block["importance"].as_f64().expect("a number"))
        });
        let ratios: Vec<f64> = of_blocks.collect();
        assert!(ratios.iter().all(|ratio| (ratio / ratios[0] - 1.0).abs() < 0.02), "{id} {ratios:?}");
    }
    // Links in important blocks have the weights that they have among all links.
    let important = lines(&sandbox.expect(0, "blocks corpus -o - --quiet --links --min-level 4").stdout);
    let expected: Vec<&Value> = links.iter().filter(|link| link["level"] == 4).collect();
    assert!(!expected.is_empty() && expected.len() < links.len() && important.iter().eq(expected));
    sandbox.expect(2, "blocks corpus --links --draw drawn.html").says("cannot be used with '--draw");
}

#[test]
fn importance_is_learned_measured_and_used() {
    let sandbox = sample();
    sandbox.expect(0, "lab train corpus --blocks levels.jsonl -o model.yaml --about sample");
    let model = sandbox.read("model.yaml");
    assert!(model.starts_with("# A block importance model of dehusk"), "{model}");
    assert!(model.contains("pages: sample") && model.contains("learner: logistic"), "{model}");
    let figures = |options: &str| -> Value {
        let ran = sandbox.expect(0, &format!("lab blocks corpus --gold levels.jsonl --json {options}"));
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let f1 = |figures: &Value, way: &str| figures["ways"][way]["micro_f1"].as_f64().expect("a figure");
    let learned = figures("--importance-model model.yaml");
    assert_eq!(learned["pages"], 12);
    assert!(f1(&learned, "logistic") > 0.9, "{learned}");
    assert!(f1(&learned, "logistic") > f1(&figures(""), "logistic"));
    // Who says the same level of each block is right about the blocks of this level alone.
    let always = learned["ways"].as_object().expect("ways").iter().find(|(way, _)| way.starts_with("always "));
    let (way, of) = always.expect("a way without a model");
    let recall =
        |level: u8| of["levels"].get(level.to_string()).map_or(0.0, |of| of["recall"].as_f64().expect("recall"));
    assert_eq!((1..=4).map(recall).sum::<f64>(), 1.0, "{way} {of}");
    assert!(f1(&learned, way) < f1(&learned, "logistic") && f1(&learned, way) >= 0.25, "{way} {of}");
    let compared = figures("--folds 3 --by blocks");
    for way in [
        "logistic",
        "linear-svm",
        "gaussian-svm",
        "rbf-network",
        "rbf-network-by-descent",
        "logistic, spatial only",
        "logistic, balance 0.5",
        "logistic and names, balance 0",
        "logistic and names, balance 1",
    ] {
        assert!(f1(&compared, way) > 0.5, "{way}: {compared}");
    }
    let ways = |figures: &Value| figures["ways"].as_object().expect("ways").keys().cloned().collect::<Vec<String>>();
    let one = figures("--folds 3 --by blocks --learner rbf-network");
    assert_eq!(ways(&one)[..2], ["rbf-network", "rbf-network, range"]);
    assert!(ways(&one).len() == 3 && one["ways"]["rbf-network"] == compared["ways"]["rbf-network"], "{one}");
    let levels = |options: &str| -> Vec<Value> {
        let ran = sandbox.expect(0, &format!("blocks corpus -o - --quiet {options}"));
        lines(&ran.stdout).into_iter().map(|line| line["level"].clone()).collect()
    };
    assert!(levels("--importance-model model.yaml").contains(&Value::from(2)));
    for learner in ["linear-svm", "gaussian-svm", "rbf-network", "rbf-network-by-descent"] {
        sandbox.expect(0, &format!("lab train corpus --blocks levels.jsonl -o {learner}.yaml --learner {learner}"));
        assert!(levels(&format!("--importance-model {learner}.yaml")).contains(&Value::from(2)), "{learner}");
        let written = sandbox.read(&format!("{learner}.yaml"));
        assert_eq!(written.contains("\ncost: "), learner.ends_with("svm"), "{learner}");
    }
    sandbox.expect(
        0,
        "lab train corpus --blocks levels.jsonl -o content.yaml --leave-out spatial,font-size --coherence 10",
    );
    let content = sandbox.read("content.yaml");
    assert!(content.contains("permitted: 10") && !content.contains("center-x") && !content.contains(" font-size"));
}

/// The known levels, each replaced.
fn other_levels(sandbox: &Sandbox, level: &mut dyn FnMut(u64) -> u64) -> Vec<Value> {
    let mut all = lines(&sandbox.read("levels.jsonl"));
    all.iter_mut().for_each(|line| line["level"] = level(line["level"].as_u64().expect("a level")).into());
    all
}

fn as_jsonl<'v>(lines: impl IntoIterator<Item = &'v Value>) -> String {
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// A model knows the levels that it has learned, and assessors may give others.
#[test]
fn figures_stand_under_the_heads_of_their_levels() {
    let sandbox = sample();
    let mut all = other_levels(&sandbox, &mut |level| if level < 3 { 2 } else { 4 });
    sandbox.write("two.jsonl", as_jsonl(&all));
    sandbox.expect(0, "lab train corpus --blocks two.jsonl -o model.yaml");
    let other = |line: &Value| -> Value {
        let mut other = line.clone();
        other["assessor"] = "another".into();
        other
    };
    all.extend(all.iter().map(other).collect::<Vec<Value>>());
    sandbox.write("both.jsonl", as_jsonl(&all));
    let ran = sandbox.expect(0, "lab blocks corpus --gold both.jsonl --importance-model model.yaml");
    let row = |name: &str| -> Vec<String> {
        let line = ran.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{}", ran.stdout));
        line.replace(" / ", "/").split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let heads = ["way", "P/R of 1", "P/R of 2", "P/R of 3", "P/R of 4", "micro F1", "accuracy"];
    assert_eq!(row("way"), heads);
    let [model, assessors] = ["logistic", "assessors"].map(row);
    assert_eq!([&model[1], &model[3]], ["-", "-"], "{}", ran.stdout);
    assert_eq!([&assessors[2], &assessors[4]], ["1.000/1.000", "1.000/1.000"], "{}", ran.stdout);
    assert_eq!([model.len(), assessors.len()], [heads.len(); 2]);
}

#[test]
fn levels_2_and_3_also_count_as_one() {
    let sandbox = sample();
    let run = |options: &str| sandbox.expect(0, &format!("lab blocks corpus --gold levels.jsonl {options}")).stdout;
    let text = run("");
    assert!(text.lines().any(|line| line.contains("micro F1  3 levels  accuracy")), "{text}");
    let figures: Value = serde_json::from_str(&run("--json")).expect("JSON");
    let model = &figures["ways"]["logistic"];
    let names: Vec<&String> = model["merged"]["levels"].as_object().expect("levels").keys().collect();
    assert_eq!(names, ["1", "2 or 3", "4"]);
    // The shipped model says 1, 3 or 4. So it is never right about level 2, unless 3 counts as right too.
    assert_eq!(model["levels"]["2"]["recall"], 0.0);
    let micro_f1 = [&model["micro_f1"], &model["merged"]["micro_f1"]].map(|figure| figure.as_f64().expect("a figure"));
    assert!(micro_f1[0] <= micro_f1[1], "{model}");

    // Without level 2, there is nothing to count as one.
    let others = other_levels(&sandbox, &mut |level| if level == 2 { 1 } else { level });
    sandbox.write("levels.jsonl", as_jsonl(&others));
    assert!(!run("").contains("3 levels"));
    let figures: Value = serde_json::from_str(&run("--json")).expect("JSON");
    assert_eq!(figures["ways"]["logistic"]["merged"], Value::Null);
}

#[test]
fn agreement_of_assessors_is_told() {
    let sandbox = sample();
    let run = |options: &str| sandbox.expect(0, &format!("lab blocks corpus --gold levels.jsonl {options}")).stdout;
    assert!(!run("").contains("assessors"));
    // Two say what the file says. Another one takes level 3 for 2, and 4 for 1.
    let mut all = Vec::new();
    for assessor in ["ada", "bo", "cy"] {
        let levels = other_levels(&sandbox, &mut |level| {
            if assessor == "cy" { [1, 2, 2, 1][level as usize - 1] } else { level }
        });
        all.extend(levels.into_iter().map(|mut line| {
            line["assessor"] = assessor.into();
            line
        }));
    }
    sandbox.write("levels.jsonl", as_jsonl(&all));
    let figures: Value = serde_json::from_str(&run("--json")).expect("JSON");
    let f1 = |way: &str| figures["ways"][way]["micro_f1"].as_f64().expect("a figure");
    assert_eq!([f1("assessor ada"), f1("assessor bo")], [1.0, 1.0]);
    let [odd, all] = ["assessor cy", "assessors, with most of them"].map(f1);
    assert!(odd < 1.0 && (all - (2.0 + odd) / 3.0).abs() < 1e-9, "{odd} {all}");
    assert_eq!(figures["ways"]["assessor cy"]["levels"]["4"]["recall"], 0.0);
    // With 2 of 3 votes all agree by 3/5. By 4/5, the blocks are those that "cy" is right about.
    let agreement = &figures["agreement"];
    assert_eq!([&agreement["levels"]["3/5"], &agreement["merged"]["3/5"]], [1.0, 1.0]);
    let share = |levels: &str| agreement[levels]["4/5"].as_f64().expect("a share");
    assert!((share("levels") - odd).abs() < 1e-9 && share("merged") > odd && share("merged") < 1.0, "{agreement}");
    let text = run("");
    for part in ["assessor cy", "all levels", "2 and 3 as one", "of the assessors gave the same level"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn details_measure_fewer_features_and_fewer_blocks() {
    let sandbox = sample();
    let run = |options: &str| {
        let blocks = "lab blocks corpus --gold levels.jsonl --folds 3 --by blocks --details --learner logistic";
        sandbox.expect(0, &format!("{blocks} {options}")).stdout
    };
    let figures: Value = serde_json::from_str(&run("--json")).expect("JSON");
    let by_number = figures["by_number_of_features"].as_array().expect("figures");
    let numbers: Vec<u64> = by_number.iter().map(|of| of["features"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, [5, 10, 15, 20, 30, 42]);
    assert!(by_number.iter().all(|of| of["learner"] == "logistic"), "{figures}");
    assert_eq!(by_number[5]["micro_f1"], figures["ways"]["logistic"]["micro_f1"]);
    assert_ne!(by_number[0]["micro_f1"], by_number[5]["micro_f1"]);
    assert!(figures["ways"]["logistic, 0.4 of the blocks"].is_object());
    assert_eq!(figures["features"].as_object().map(serde_json::Map::len), Some(42));
    let text = run("--leave-out spatial");
    assert!(text.contains("best features"), "{text}");
}

/// With two examples at a time, linear machines took too many steps for these levels.
#[test]
fn linear_machines_converge_whatever_the_levels() {
    let sandbox = sample();
    // Many small blocks, with levels that no feature explains.
    let mut story = Story(2);
    let all = other_levels(&sandbox, &mut |_| if story.next().is_multiple_of(2) { 1 } else { 4 });
    sandbox.write("drawn.jsonl", as_jsonl(&all));
    for learner in ["logistic", "linear-svm"] {
        let train = "lab train corpus --blocks drawn.jsonl -o model.yaml --force --coherence 10 --learner";
        let stderr = sandbox.expect(0, &format!("{train} {learner}")).stderr;
        assert!(!stderr.contains("warning: training took too many steps"), "{learner}: {stderr}");
    }
    let figures = "lab blocks corpus --gold drawn.jsonl --folds 2 --learner linear-svm --coherence 10 --json";
    let figures: Value = serde_json::from_str(&sandbox.expect(0, figures).stdout).expect("JSON");
    assert_eq!(figures["unconverged_folds"], serde_json::json!({}));
}

#[test]
fn what_cannot_be_used_is_named_with_a_remedy() {
    let sandbox = sample();
    sandbox.write("wrong.jsonl", "{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[1, 2]], \"level\": 5}\n");
    sandbox
        .expect(1, "lab blocks corpus --gold wrong.jsonl --folds 2")
        .says("wrong.jsonl\", line 1: the level is 5, and levels are 1 to 4; a line is such as");
    sandbox.write("other.jsonl", "{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[1, 2]], \"level\": 4}\n");
    let ran = sandbox.expect(1, "lab blocks corpus --gold other.jsonl --folds 2");
    ran.says("no page has blocks with a level in other.jsonl: it has \"i\" of source \"s\"");
    sandbox
        .expect(1, "lab train corpus --blocks other.jsonl -o m.yaml")
        .says("a page is found by its 'source' and 'id'");
    sandbox.expect(2, "lab train corpus -o m.yaml --learner gaussian-svm").says("--blocks");
    sandbox.expect(2, "lab train corpus -o m.yaml --blocks levels.jsonl --leave-out weight").says("weight");
    sandbox
        .expect(1, "lab train corpus -o m.yaml --blocks levels.jsonl --leave-out spatial,content")
        .says("all features are left out");
    sandbox.expect(2, "lab train corpus -o m.yaml --blocks levels.jsonl --coherence 11").says("2 to 10");
    sandbox.write("shape.yaml", "shape: 1\n");
    sandbox.expect(2, "blocks corpus -o b.jsonl --importance-model shape.yaml").says("this is no importance model");
    sandbox.expect(1, "blocks corpsu -o b.jsonl").says("did you mean \"corpus\"?");
    sandbox.expect(1, "blocks corpus -o b.jsonl --html markup").says("leave --html markup out");
    sandbox.expect(2, "blocks corpus -o b.jsonl --min-level 0").says("--min-level");
    sandbox.write("b.jsonl", "mine\n");
    sandbox.expect(1, "blocks corpus -o b.jsonl").says("--force");
    assert_eq!(sandbox.read("b.jsonl"), "mine\n");
    assert!(!sandbox.path("m.yaml").exists());
    sandbox.write("text/a/1.txt", "A text is no page.");
    sandbox.expect(3, "blocks text -o -").says("it is no HTML page, so it has no blocks");
}

#[test]
fn blocks_are_segments_and_can_be_drawn() {
    let sandbox = sample();
    let page = format!("corpus/{SOURCE}/2024-01-06-wassail.html");
    let segments = lines(&sandbox.expect(0, &format!("segment {page} -o - --quiet --method blocks")).stdout);
    let blocks = lines(&sandbox.expect(0, &format!("blocks {page} -o - --quiet")).stdout);
    assert!(segments.len() > 5 && segments.len() <= blocks.len(), "{} {}", segments.len(), blocks.len());
    sandbox.expect(0, &format!("blocks {page} --draw drawn.html"));
    let drawn = sandbox.read("drawn.html");
    for part in ["dehusk-level-4", "level 4, main content (", "block 0: "] {
        assert!(drawn.contains(part), "{part}");
    }
}
