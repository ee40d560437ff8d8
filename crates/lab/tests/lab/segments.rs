//! Segments of pages: `segment`, `train --segments` and `segments`.

use std::collections::BTreeMap;
use std::ops::Range;

use dehusk_core::html::visible_text;
use serde_json::Value;

use super::*;

const SOURCE: &str = "orchard-courier.example";

fn repository(path: &str) -> PathBuf {
    Path::new(REPOSITORY).join("corpora").join(path)
}

/// The first marked pages of the sample corpus, and their marked segments.
fn marked(pages: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines = fs::read_to_string(repository("segments.jsonl")).expect("marked segments");
    let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("a name").to_owned();
    let mut ids: Vec<String> = lines.lines().map(id).collect();
    ids.dedup();
    ids.truncate(pages);
    assert_eq!(ids.len(), pages);
    let of_pages = lines.split_inclusive('\n').filter(|line| ids.contains(&id(line)));
    sandbox.write("gold.jsonl", of_pages.collect::<String>());
    for id in ids {
        let name = format!("{SOURCE}/{id}");
        sandbox.write(&format!("corpus/{name}"), fs::read(repository("news").join(name)).expect("a page"));
    }
    sandbox
}

/// The lines of JSON that a run printed.
fn lines(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The lines of each page, by its name.
fn of_pages(printed: &str) -> BTreeMap<String, Vec<Value>> {
    let mut pages: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines(printed) {
        pages.entry(line["id"].as_str().expect("a name").to_owned()).or_default().push(line);
    }
    pages
}

/// The ranges that a line names.
fn ranges(line: &Value, key: &str) -> Vec<Range<usize>> {
    let number = |value: &Value| value.as_u64().expect("a position") as usize;
    line[key].as_array().expect("ranges").iter().map(|range| number(&range[0])..number(&range[1])).collect()
}

/// All that is no white space.
fn ink(text: &str, ranges: &[Range<usize>]) -> String {
    ranges.iter().flat_map(|range| text[range.clone()].split_whitespace()).collect()
}

#[test]
fn segments_are_the_same_in_the_page_and_in_its_text_whatever_the_method() {
    let sandbox = marked(5);
    let mut printed = Vec::new();
    for method in ["gcuts", "cclus", "sections", "elements"] {
        let command = format!("segment corpus --method {method}");
        let ran = sandbox.expect(0, &format!("{command} -o {method}.jsonl --threads 1"));
        let written = sandbox.read(&format!("{method}.jsonl"));
        let row = format!("\n{SOURCE}          5 {:>9}\n5 documents of 1 source\n", written.lines().count());
        assert!(
            ran.stdout.contains(&row) && ran.stdout.ends_with(&format!("wrote {method}.jsonl\n")),
            "{}",
            ran.stdout
        );
        assert_eq!(sandbox.expect(0, &format!("{command} -o - --threads 2 --quiet")).stdout, written, "{method}");
        let pages = of_pages(&written);
        assert_eq!(pages.len(), 5);
        for (id, segments) in &pages {
            let page = sandbox.read(&format!("corpus/{SOURCE}/{id}"));
            check_page(&page, segments);
        }
        printed.push(written);
    }
    // Without a method, pages are divided by sections.
    let default = sandbox.expect(0, "segment corpus -o - --quiet").stdout;
    assert_eq!(default, sandbox.read("sections.jsonl"));
    // No method does as another one.
    printed.sort();
    printed.dedup();
    assert_eq!(printed.len(), 4);
}

fn check_page(page: &str, segments: &[Value]) {
    let text = visible_text(page);
    assert!(segments.len() > 1, "{segments:?}");
    let mut all = Vec::new();
    for (number, line) in segments.iter().enumerate() {
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["source", "id", "segment", "bytes", "nodes", "text", "words", "score"]);
        assert_eq!((&line["source"], line["segment"].as_u64()), (&Value::from(SOURCE), Some(number as u64)));
        assert!((0.0..=1.0).contains(&line["score"].as_f64().expect("a score")), "{line}");
        let in_text = ranges(line, "text");
        let shown: String = ranges(line, "bytes").into_iter().map(|range| visible_text(&page[range]) + " ").collect();
        assert_eq!(ink(&shown, std::slice::from_ref(&(0..shown.len()))), ink(&text, &in_text), "{line}");
        let has_words = in_text.iter().any(|range| text[range.clone()].contains(char::is_alphanumeric));
        assert_eq!(line["words"].as_u64() > Some(0), has_words, "{line}");
        let nodes = line["nodes"].as_array().expect("paths");
        assert!(nodes.iter().all(|path| path.as_str().is_some_and(|path| path.starts_with("body"))), "{line}");
        all.extend(in_text);
    }
    // Each word of the text is in one segment.
    all.sort_unstable_by_key(|range| range.start);
    assert!(all.is_sorted_by(|a, b| a.end <= b.start), "{all:?}");
    assert_eq!(ink(&text, &all), ink(&text, std::slice::from_ref(&(0..text.len()))));
}

#[test]
fn what_is_apart_at_a_great_price_is_one_segment() {
    let sandbox = marked(3);
    for method in ["gcuts", "cclus"] {
        let of = |lambda: &str| {
            let ran = sandbox.expect(0, &format!("segment corpus -o - --quiet --method {method} --lambda {lambda}"));
            of_pages(&ran.stdout).values().map(Vec::len).collect::<Vec<usize>>()
        };
        assert_eq!(of("1000"), [1; 3], "{method}");
        assert!(of("0.2").iter().all(|&segments| segments > 1), "{method}");
    }
}

#[test]
fn what_is_no_page_is_named_and_left_out() {
    let sandbox = marked(2);
    sandbox.write(&format!("corpus/{SOURCE}/a.txt"), page(1, 3));
    sandbox.write(&format!("corpus/{SOURCE}/empty.html"), "<title>Nothing</title><div></div>");
    let ran = sandbox.expect(3, "segment corpus -o out.jsonl --json");
    ran.says(&format!("skipped: corpus/{SOURCE}/a.txt: it is no HTML page, so it has no segments\n"));
    assert_eq!(of_pages(&sandbox.read("out.jsonl")).len(), 2);
    let summary: Value = serde_json::from_str(&ran.stdout).expect("the summary");
    assert_eq!((&summary["documents"], &summary["skipped"]), (&Value::from(3), &Value::from(1)));
    assert_eq!(summary["wrote"], serde_json::json!(["out.jsonl"]));
    let ran = sandbox.expect(3, "segment corpus -o -");
    assert_eq!(ran.stdout, sandbox.read("out.jsonl"));
    ran.says("3 documents");
}

#[test]
fn pages_in_lines_and_in_other_encodings_have_segments() {
    let sandbox = marked(1);
    let html = "<meta charset=windows-1252><nav><a href=/>Menü</a></nav><p>Grüße von der Fähre.</p>";
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(html);
    sandbox.write("latin/tide/1.html", latin);
    sandbox.write("lines.jsonl", format!("{}\n", serde_json::json!({"source": "tide", "id": "1.html", "html": html})));
    let segments = |corpus: &str| sandbox.expect(0, &format!("segment {corpus} -o - --quiet --method elements")).stdout;
    let (of_file, of_line) = (segments("latin"), segments("lines.jsonl"));
    assert_eq!(of_file, of_line);
    let of_file = lines(&of_file);
    // Positions are those of the page in UTF-8.
    let texts: Vec<String> = of_file.iter().map(|line| visible_text(&html[ranges(line, "bytes").remove(0)])).collect();
    assert_eq!(texts, ["Menü", "Grüße von der Fähre."]);
}

#[test]
fn boxes_change_what_lies_together() {
    let sandbox = Sandbox::new();
    // Without boxes, paragraphs lie below each other and are as wide as the page. Here is a list far below the text.
    let texts =
        ["The ferry came in late on Tuesday.", "It had taken nine hours.", "Boats", "Gulls", "Tides", "Weather"];
    let html = texts.map(|text| format!("<p>{text}</p>")).concat();
    sandbox.write("corpus/tide/1.html", &html);
    let rects =
        ["300,0,700,400", "300,400,700,400", "0,3000,100,20", "0,3020,100,20", "0,3040,100,20", "0,3060,100,20"];
    let boxes = texts.iter().zip(rects).map(|(text, rect)| {
        let run = html.find(text).expect("a text");
        format!("[{},{rect}],[{run},{rect}]", run - "<p>".len())
    });
    let boxes = boxes.collect::<Vec<String>>().join(",");
    let line = format!(r#"{{"source":"tide","id":"1.html","width":1100,"height":4100,"boxes":[{boxes}]}}"#);
    sandbox.write("boxes.jsonl", format!("{line}\n"));
    let segments = |options: &str| {
        sandbox.expect(0, &format!("segment corpus -o - --quiet --method cclus --lambda 4 {options}")).stdout
    };
    assert!(lines(&segments("--boxes boxes.jsonl")).len() < lines(&segments("")).len());
    sandbox.write("wrong.jsonl", line.replace("\"height\":4100,", ""));
    sandbox.expect(2, "segment corpus -o - --boxes wrong.jsonl").says("wrong.jsonl\", line 1: missing field `height`");
    sandbox.write("changed/tide/1.html", format!("!{html}"));
    sandbox.expect(3, "segment changed -o - --boxes boxes.jsonl").says("1.html: its boxes cannot be used");
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_written() {
    let sandbox = marked(1);
    fs::create_dir(sandbox.path("empty")).expect("a folder");
    sandbox.write("shape.yaml", "shape: 1\nintercept: 0.5\nweights: {}\n");
    sandbox.write("boxes.jsonl", "{\"width\": 1}\n");
    let before = sandbox.tree("");
    let refused = |status, arguments: &str, why: &str| {
        let ran = sandbox.expect(status, &format!("segment {arguments}"));
        ran.says(why);
        assert_eq!(ran.stdout, "");
        assert_eq!(sandbox.tree(""), before, "{arguments}");
    };
    refused(1, "corpsu -o x.jsonl", "cannot find \"corpsu\": did you mean \"corpus\"?");
    refused(1, "empty -o x.jsonl", "empty");
    refused(1, "corpus -o corpus/x.jsonl", "is inside the input \"corpus\"");
    refused(1, "corpus -o empty", "it is a folder");
    refused(1, "corpus -o x.jsonl --html markup", "leave --html markup out");
    refused(2, "corpus", "--output <FILE>");
    refused(2, "corpus -o x.jsonl --lambda x", "it is a number from 0 to 1000");
    refused(2, "corpus -o x.jsonl --lambda NaN", "it is a number from 0 to 1000");
    refused(2, "corpus -o x.jsonl --lambda=-1", "it is a number from 0 to 1000");
    refused(1, "corpus -o x.jsonl --lambda 2", "add --method gcuts or --method cclus");
    refused(2, "corpus -o x.jsonl --method y", "[possible values: sections, gcuts, cclus, blocks, elements]");
    refused(2, "corpus -o x.jsonl --segment-model shape.yaml", "shape.yaml:1: this is no segment model");
    refused(2, "corpus -o x.jsonl --segment-model none.yaml", "none.yaml");
    refused(2, "corpus -o x.jsonl --page-model shape.yaml", "this is no page-level model");
    refused(2, "corpus -o x.jsonl --boxes boxes.jsonl", "boxes.jsonl\", line 1: ");
    refused(2, "corpus -o x.jsonl --boxes none.jsonl", "none.jsonl");
}

#[test]
fn files_of_others_stay_unless_that_is_asked_for() {
    let sandbox = marked(4);
    sandbox.write("mine.jsonl", "{\"diary\": \"of a ferry\"}\n");
    let ran = sandbox.expect(1, "segment corpus -o mine.jsonl --method elements");
    ran.says("mine.jsonl").says("--force");
    assert_eq!(sandbox.read("mine.jsonl"), "{\"diary\": \"of a ferry\"}\n");
    sandbox.expect(0, "segment corpus -o mine.jsonl --method elements --force");
    assert_eq!(of_pages(&sandbox.read("mine.jsonl")).len(), 4);
    // What it wrote itself, it may replace, but not by a model.
    sandbox.expect(0, "segment corpus -o mine.jsonl --method sections");
    let before = sandbox.tree("");
    sandbox.expect(1, "lab train --segments gold.jsonl corpus -o mine.jsonl").says("mine.jsonl").says("--force");
    sandbox.expect(1, "lab train --segments gold.jsonl corpus -o gold.jsonl --force").says("gold.jsonl");
    assert_eq!(sandbox.tree(""), before);
}

#[test]
fn a_model_is_learned_from_marked_segments_and_used() {
    let sandbox = marked(4);
    sandbox.expect(
        0,
        "lab train --segments gold.jsonl corpus -o model.yaml --quiet --threads 1 --about 'pages of a village'",
    );
    let model = sandbox.read("model.yaml");
    let about = model.lines().nth(1).expect("what it was learned from");
    assert!(about.starts_with("# Learned from 4 pages with "), "{about}");
    assert!(about.ends_with(" marked segments: pages of a village"), "{about}");
    sandbox.expect(
        0,
        "lab train --segments gold.jsonl corpus -o model.yaml --quiet --threads 2 --about 'pages of a village'",
    );
    assert_eq!(sandbox.read("model.yaml"), model);
    let segmented =
        |model: &str| sandbox.expect(0, &format!("segment corpus -o - --quiet --method gcuts{model}")).stdout;
    assert_ne!(segmented(" --segment-model model.yaml"), segmented(""));
    let rand = |model: &str| {
        let ran = sandbox.expect(0, &format!("lab segments corpus --gold gold.jsonl --json{model}"));
        let figures: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        figures["ways"]["gcuts"]["adjusted_rand"].as_f64().expect("a figure")
    };
    assert!(rand(" --segment-model model.yaml") > 0.8);
    sandbox.edit("model.yaml", "version: 1", "version: 9");
    sandbox
        .expect(2, "segment corpus -o - --segment-model model.yaml")
        .says("of version 9")
        .says("train the model again");
}

#[test]
fn marked_segments_that_cannot_be_used_are_named_with_a_remedy() {
    let sandbox = marked(3);
    let train =
        |status, gold: &str| sandbox.expect(status, &format!("lab train --segments {gold} corpus -o model.yaml"));
    let eval = |status, gold: &str| sandbox.expect(status, &format!("lab segments corpus --gold {gold}"));
    train(1, "gold.jsonl").says("is learned from 4 pages or more with marked segments, and there are 3");
    sandbox.write("wrong.jsonl", sandbox.read("gold.jsonl") + "{\"id\": 1}\n");
    let line = format!("wrong.jsonl\", line {}: ", sandbox.read("wrong.jsonl").lines().count());
    for ran in [train(1, "wrong.jsonl"), eval(1, "wrong.jsonl")] {
        ran.says(&line).says("a line is such as {\"source\": ");
    }
    sandbox.write("backwards.jsonl", "{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[9, 3]]}\n");
    eval(1, "backwards.jsonl").says("line 1: the bytes 9 to 3 are no range");
    for ran in [train(1, "none.jsonl"), eval(1, "none.jsonl")] {
        ran.says("none.jsonl");
    }
    sandbox.write("other.jsonl", sandbox.read("gold.jsonl").replace(SOURCE, "other.example"));
    train(1, "other.jsonl").says("and there are 0; a page is found by its 'source' and 'id'");
    let ran = eval(1, "other.jsonl");
    ran.says("no page has marked segments in other.jsonl").says("of source \"other.example\"");
    sandbox.write("nothing.jsonl", "");
    eval(1, "nothing.jsonl").says("no page has marked segments in nothing.jsonl");
    sandbox.expect(1, "lab segments corpus --gold gold.jsonl --html markup").says("leave --html markup out");
    let ran = sandbox.expect(1, "lab train --segments gold.jsonl corpus -o model.yaml --html markup");
    ran.says("--segments reads pages as trees: leave --html markup out");
    sandbox.expect(2, "lab train --segments gold.jsonl --pages corpus -o model.yaml").says("cannot be used with");
    sandbox.expect(2, "lab train corpus -o model.yaml --level 1").says("--segments");
    sandbox.expect(2, "lab segments corpus").says("--gold");
    sandbox.expect(2, "lab segments corpus --gold gold.jsonl --split 1 --lambda 1").says("cannot be used with");
    sandbox.expect(2, "lab segments corpus --gold gold.jsonl --lambda 1,x").says("it is a number from 0 to 1000");
    assert!(!sandbox.path("model.yaml").exists());
}

#[test]
fn segments_are_judged_by_marked_ones() {
    let sandbox = marked(4);
    let figures = |options: &str| -> Value {
        let ran = sandbox.expect(0, &format!("lab segments corpus --gold gold.jsonl --json {options}"));
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let all = figures("--threads 1");
    assert_eq!((&all["pages"], &all["skipped"]), (&Value::from(4), &Value::from(0)));
    assert_eq!(figures("--threads 2")["ways"], all["ways"]);
    let number = |of: &Value, way: &str, figure: &str| {
        of["ways"][way][figure].as_f64().unwrap_or_else(|| panic!("{way} {figure}: {of}"))
    };
    assert_eq!(number(&all, "the whole page", "segments"), 1.0);
    assert_eq!(number(&all, "the whole page", "adjusted_rand"), 0.0);
    let rand = |way: &str| number(&all, way, "adjusted_rand");
    assert!(rand("gcuts") > rand("block elements") && rand("gcuts") > rand("gcuts, not learned"), "{all}");
    for way in all["ways"].as_object().expect("ways").keys() {
        assert!((0.0..=1.0).contains(&number(&all, way, "mutual_information")), "{way}");
        assert!(number(&all, way, "below_0.3") + number(&all, way, "above_0.6") <= 1.0, "{way}");
    }
    // One page is learned from, one chooses lambda, and two are measured, more or less.
    let split = figures("--split 7");
    assert!((1..=3).contains(&split["pages"].as_u64().expect("a number")), "{split}");
    assert_ne!(split["ways"]["gcuts"], all["ways"]["gcuts"]);
    let priced = figures("--lambda 0.1,1000");
    assert_eq!(number(&priced, "gcuts, lambda 1000", "segments"), 1.0);
    assert!(number(&priced, "gcuts, lambda 0.1", "segments") > 1.0);
    assert_eq!(priced["ways"]["sections"], all["ways"]["sections"]);

    let table = sandbox.expect(0, "lab segments corpus --gold gold.jsonl").stdout;
    assert!(table.starts_with("4 pages with marked segments\n\nway "), "{table}");
    let row = |way: &str| table.lines().find(|line| line.starts_with(&format!("{way}  "))).expect("a row");
    assert!(row("gcuts").contains(&format!("{:.3}", rand("gcuts"))[1..]), "{table}");
    assert!(row("the whole page").contains(" .000"), "{table}");

    // A part of a marked segment counts, unless only the outer level is wanted.
    let gold = sandbox.read("gold.jsonl");
    let article = gold.lines().find(|line| line.contains("article")).expect("an article");
    let mut part: Value = serde_json::from_str(article).expect("JSON");
    part["bytes"][0][1] = (part["bytes"][0][0].as_u64().expect("a position") + 500).into();
    part["level"] = 2.into();
    sandbox.write("gold.jsonl", format!("{gold}{part}\n"));
    assert_ne!(figures("")["ways"], all["ways"]);
    assert_eq!(figures("--level 1")["ways"], all["ways"]);
}
