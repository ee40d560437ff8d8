//! `dehusk-lab features`: what models see, for other programs.

use serde_json::Value;

use super::*;

const PAGE: &str = "<body><nav><a href=/a>Home</a> <a href=/b>Tides</a></nav><main><h1>A late ferry</h1>\
                    <p>The ferry came in late.</p><p>Nobody on the <a href=/c>quay</a> knew why.</p></main></body>";

/// The lines about the page. All have the same columns, in the same order.
fn rows(of: &str) -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/1.html", PAGE);
    let printed = sandbox.expect(0, &format!("lab features corpus --of {of} -o - -q")).stdout;
    let rows: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let keys = |row: &Value| row.as_object().expect("an object").keys().cloned().collect::<Vec<String>>();
    assert_eq!(keys(&rows[0])[..5], ["source", "id", "paths", "bytes", "text"]);
    assert!(rows.iter().all(|row| keys(row) == keys(&rows[0])), "{printed}");
    rows
}

/// The part of the page that a line is about.
fn html(row: &Value) -> String {
    let limit = |range: &Value, at: usize| range[at].as_u64().expect("a number") as usize;
    let ranges = row["bytes"].as_array().expect("ranges");
    ranges.iter().map(|range| &PAGE[limit(range, 0)..limit(range, 1)]).collect::<Vec<&str>>().join("|")
}

#[test]
fn each_feature_is_a_column() {
    for (of, columns) in [("nodes", 31), ("parts", 30), ("importance", 56), ("segments", 33)] {
        // Two features of the same name would be one column.
        assert_eq!(rows(of)[0].as_object().map(|row| row.len()), Some(5 + columns), "{of}");
    }
    let names = dehusk_core::dom::block_features::FEATURES;
    let blocks = rows("blocks");
    assert!(names.iter().all(|name| blocks[0][name].is_number()), "{}", blocks[0]);
}

#[test]
fn lines_say_what_the_features_are_of() {
    let nodes = rows("nodes");
    assert_eq!((&nodes[0]["paths"][0], &nodes[0]["depth"]), (&"body".into(), &0.0.into()));
    assert!(nodes[0]["margin-left"].is_null(), "no box says where the page is drawn");
    for block in rows("importance") {
        let count = |of: &str| Value::from(html(&block).matches(of).count() as f64);
        assert_eq!([&block["links"], &block["paragraphs"]], [&count("<a "), &count("<p>")], "{block}");
    }
    let blocks: Vec<String> = rows("blocks").iter().map(html).collect();
    assert_eq!(blocks[1..], ["A late ferry", "The ferry came in late.", "Nobody on the |quay| knew why."]);
    for pair in rows("segments") {
        assert_eq!(pair["paths"].as_array().map(Vec::len), Some(2), "{pair}");
    }
    let parts = rows("parts");
    let heading = parts.iter().find(|part| part["paths"][0] == "body/main/h1/text()").expect("a heading");
    assert_eq!((&heading["is-heading"], &heading["is-list"]), (&1.0.into(), &0.0.into()));
}

#[test]
fn a_file_of_others_stays() {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/1.html", PAGE);
    sandbox.write("mine.jsonl", "{}\n");
    let command = "lab features corpus --of nodes -o mine.jsonl -q";
    sandbox.expect(1, command).says("--force");
    sandbox.expect(0, &format!("{command} --force"));
    sandbox.expect(0, command);
}
