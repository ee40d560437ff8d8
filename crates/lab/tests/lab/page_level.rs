//! Page-level models: `train --pages`, `tree` and `nodes`.

use serde_json::Value;

use super::*;

const MENU: [&str; 13] = [
    "Front Page",
    "Harbour News",
    "Village Sport",
    "Weather And Tides",
    "Letters To The Editor",
    "Boats For Sale",
    "Houses To Let",
    "Births And Deaths",
    "Police Reports",
    "School Board",
    "Church Notices",
    "Tide Tables",
    "About The Paper",
];

/// A page with a menu, a story, and links to other stories. Only the menu recurs.
fn html(number: usize) -> String {
    let mut story = Story(number as u64);
    let menu: String = MENU.map(|name| format!("<li><a href='/{name}'>{name}</a></li>")).concat();
    let body: String = (0..5).map(|_| format!("<p>{}</p>", story.paragraph())).collect();
    let mut teaser = || format!("{} {} {}", story.word(), story.word(), story.word()).to_uppercase();
    let teasers: String = (0..2).map(|at| format!("<li><a href='/{number}/{at}'>{}</a></li>", teaser())).collect();
    format!(
        "<title>Tide</title><ul>{menu}</ul><div>{body}</div><h3>More To Read</h3><ul>{teasers}</ul><p>{COPYRIGHT_LINE}</p>"
    )
}

/// The text of [`html`] that is no template.
fn gold(number: usize) -> String {
    let mut story = Story(number as u64);
    (0..5).map(|_| story.paragraph() + "\n").collect()
}

/// 3 sources of 12 pages each, and a model that was trained on 2 of them.
fn trained() -> Sandbox {
    let sandbox = Sandbox::new();
    for (at, source) in ["one", "two", "three"].into_iter().enumerate() {
        for number in 0..12 {
            let folder = if source == "three" { "new" } else { "corpus" };
            sandbox.write(&format!("{folder}/{source}/{number}.html"), html(100 * at + number));
            sandbox.write(&format!("gold/{source}/{number}.txt"), gold(100 * at + number));
        }
    }
    sandbox.expect(0, "lab train --pages corpus -o model.yaml --quiet");
    sandbox
}

#[test]
fn a_page_level_model_is_learned_without_marked_pages() {
    let sandbox = trained();
    let model = sandbox.read("model.yaml");
    assert!(model.contains("\n# Learned from 24 pages of 2 sources. Of "), "{model}");
    sandbox.expect(0, "lab train --pages corpus -o same.yaml --quiet --threads 1");
    assert_eq!(sandbox.read("same.yaml"), model);
    let models = ["hash", "text", "both"].map(|labels| {
        sandbox.expect(0, &format!("lab train --pages --labels {labels} corpus -o labels.yaml --quiet"));
        sandbox.read("labels.yaml")
    });
    assert_eq!(models[2], model);
    assert!(models[0] != model && models[1] != model && models[0] != models[1]);
}

#[test]
fn a_page_of_an_unknown_site_is_cleaned_by_its_tree() {
    let sandbox = trained();
    let ran = sandbox.expect(0, "lab tree new -o out --page-model model.yaml");
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    for number in 0..12 {
        assert!(sandbox.read(&format!("out/three/{number}.txt")).starts_with(&gold(200 + number)));
    }
    sandbox.expect(0, "lab tree new -o again --page-model model.yaml --quiet --threads 1");
    assert_eq!(sandbox.tree("again"), sandbox.tree("out"));
    let page = "lab tree new -o pages --html page --page-model model.yaml --quiet";
    sandbox.expect(0, page);
    let page = sandbox.read("pages/three/3.html");
    assert!(
        !page.contains("Letters To The Editor") && page.contains(gold(203).lines().next().expect("a line")),
        "{page}"
    );
}

#[test]
fn what_a_person_keeps_or_rejects_stays() {
    let sandbox = trained();
    sandbox.expect(0, "mine new -o patterns --quiet");
    let decided = "keep:\n  - text: 'Village Sport'\npatterns:\n  \
        - {id: mine, status: rejected, regex: 'Tide\\s+Tables', example: Tide Tables}\n";
    sandbox.edit("patterns/three.yaml", "patterns:\n", decided);
    sandbox.expect(0, "lab tree new -p patterns -o out --page-model model.yaml --quiet");
    assert!(sandbox.read("out/three/0.txt").starts_with(&format!("Village Sport\nTide Tables\n{}", gold(200))));
}

#[test]
fn what_has_no_tree_is_named_with_a_remedy() {
    let sandbox = trained();
    sandbox.write("new/three/plain.txt", gold(1));
    let ran = sandbox.expect(3, "lab tree new -o out --page-model model.yaml");
    ran.says("plain.txt: it is no HTML page, and other texts need patterns");
    assert_eq!(sandbox.tree("out").len(), 12);
    sandbox.expect(1, "lab tree new -o no --html markup").says("so --html must not be markup");
    sandbox.expect(1, "lab train --pages --html markup corpus -o no.yaml").says("leave --html markup out");
    sandbox.expect(1, "lab nodes new --gold gold --html markup").says("leave --html markup out");
    sandbox.write("text/one/1.txt", gold(1));
    sandbox
        .expect(1, "lab train --pages text -o no.yaml")
        .says("there is nothing to learn from")
        .says("give HTML pages");
    sandbox.expect(2, "lab train corpus -o no.yaml --labels hash").says("--pages");
    sandbox.expect(2, "lab train --pages corpus -o no.yaml --decision").says("cannot be used with");
    sandbox.write("shape.yaml", "shape: 1\nintercept: 0.5\nweights: {}\n");
    sandbox.expect(2, "lab tree new -o no --page-model shape.yaml").says("this is no page-level model");
    sandbox.expect(1, "lab train --pages corpus -o shape.yaml").says("shape.yaml");
}

#[test]
fn nodes_are_judged_by_gold_text() {
    let sandbox = trained();
    let ran = sandbox.expect(0, "lab nodes new --gold gold --page-model model.yaml --penalty 0,1,1e9 --json");
    let figures: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(figures["pages"], 12);
    let number = |way: &str, kind: &str, figure: &str| {
        let value = if figure.is_empty() { &figures["ways"][way][kind] } else { &figures["ways"][way][kind][figure] };
        value.as_f64().unwrap_or_else(|| panic!("{way} {kind} {figure}: {figures}"))
    };
    for kind in ["words", "anchor_words", "links"] {
        assert_eq!(number("smooth", kind, "precision"), 1.0, "{kind}");
        assert!(number("smooth", kind, "f") > 0.85, "{kind}");
        assert!(number("smooth", kind, "mean_f") > 0.85, "{kind}");
    }
    assert!(number("basic", "sections", "") < number("smooth", "sections", ""));
    assert_eq!(number("smooth, penalty x 1000000000", "sections", ""), 0.0);
    let ran = sandbox.expect(0, "lab nodes new --gold gold --page-model model.yaml --penalties");
    for way in ["smooth ", "smooth, nodes ", "smooth, parent ", "smooth, area and parent ", "smooth, all three "] {
        assert!(ran.stdout.contains(&format!("\n{way}")), "{}", ran.stdout);
    }
    let table = sandbox.expect(0, "lab nodes new --gold gold --page-model model.yaml --threads 1").stdout;
    assert!(table.starts_with("12 pages with gold text\n"), "{table}");
    assert!(table.contains("\nsmooth "), "{table}");
    // The shipped model knows such pages, too.
    sandbox.expect(0, "lab nodes new --gold gold");
    sandbox.write("text/three/0.txt", gold(200));
    sandbox.expect(1, "lab nodes text --gold gold").says("no document is an HTML page");
}

/// A page of 2 paragraphs that differ in nothing but where they are drawn, and its line in a file of boxes.
fn two_columns(source: &str, number: usize, [left, right]: [&str; 2]) -> (String, String) {
    let [first, second] = if number.is_multiple_of(2) { [left, right] } else { [right, left] };
    let page = format!("<title>Tide</title><div>{first}</div><div>{second}</div>");
    let boxes = [(left, 0), (right, 300)].map(|(text, from_left)| {
        let run = page.find(text).expect("a column");
        let element = run - "<div>".len();
        format!("[{element},{from_left},0,300,600],[{run},{from_left},0,300,600]")
    });
    let line = format!(
        r#"{{"source":"{source}","id":"{number}.html","width":600,"height":600,"boxes":[{}]}}"#,
        boxes.join(",")
    );
    (page, line + "\n")
}

#[test]
fn boxes_tell_where_the_template_is() {
    let sandbox = Sandbox::new();
    let mut lines = String::new();
    for (at, source) in ["one", "two", "three"].into_iter().enumerate() {
        let recurs = Story(900 + at as u64).paragraph();
        for number in 0..12 {
            let mut story = Story((100 * at + number) as u64);
            let (own, other) = (story.paragraph(), story.paragraph());
            let (folder, aside) = if source == "three" { ("new", other) } else { ("corpus", recurs.clone()) };
            let (page, line) = two_columns(source, number, [&aside, &own]);
            sandbox.write(&format!("{folder}/{source}/{number}.html"), page);
            sandbox.write(&format!("gold/{source}/{number}.txt"), own);
            lines.push_str(&line);
        }
    }
    sandbox.write("boxes.jsonl", &lines);
    sandbox.expect(0, "lab train --pages corpus -o model.yaml --boxes boxes.jsonl --quiet");
    sandbox.expect(0, "lab tree new -o out --page-model model.yaml --boxes boxes.jsonl --quiet");
    for number in 0..12 {
        let cleaned = sandbox.read(&format!("out/three/{number}.txt"));
        assert_eq!(cleaned.trim(), sandbox.read(&format!("gold/three/{number}.txt")).trim());
    }
    let clean = "lab tree new -o again --page-model model.yaml --boxes boxes.jsonl --quiet";
    sandbox.expect(0, clean);
    assert_eq!(sandbox.tree("again"), sandbox.tree("out"));
    let f = |options: &str| -> f64 {
        let ran = sandbox.expect(0, &format!("lab nodes new --gold gold --page-model model.yaml --json{options}"));
        let figures: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        figures["ways"]["smooth"]["words"]["f"].as_f64().expect("a figure")
    };
    assert_eq!(f(" --boxes boxes.jsonl"), 1.0);
    assert!(f("") < 0.9);

    sandbox.expect(2, "lab train corpus -o no.yaml --boxes boxes.jsonl").says("--pages");
    sandbox.write("wrong.jsonl", lines.replacen("\"width\"", "\"w\"", 1));
    let wrong = "lab tree new -o no --boxes wrong.jsonl";
    sandbox.expect(2, wrong).says("wrong.jsonl\", line 1: unknown field `w`");
    // The boxes of another page.
    let strange = "[[1,0,0,9,9],[2,0,0,9,9],[3,0,0,9,9],[4,0,0,9,9],[8,0,0,9,9],[";
    let other = lines.lines().last().expect("a line").replace("[[", strange);
    sandbox.write("other.jsonl", other);
    let ran = sandbox.expect(3, "lab tree new -o other --boxes other.jsonl");
    ran.says("11.html: its boxes cannot be used").says("take the boxes of the page again");
}
