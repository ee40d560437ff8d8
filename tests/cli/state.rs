//! What streams have learned: looked at, exported, joined, and mined as patterns.

use super::*;

/// Documents of a source, one a line of JSON, in order.
fn lines(source: &str, texts: impl Iterator<Item = String>) -> String {
    let line = |(number, text): (usize, String)| {
        serde_json::json!({"id": format!("{source}-{number}"), "source": source, "text": text}).to_string() + "\n"
    };
    texts.enumerate().map(line).collect()
}

/// A sandbox with `state`, which has learned this number of pages of a source.
fn learned(pages: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tide.jsonl", lines("tide", (0..pages).map(|number| page(number, 10))));
    sandbox.expect(0, "stream tide.jsonl --state state --output clean.jsonl");
    sandbox
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn sources_inputs_and_outputs_are_shown() {
    let sandbox = learned(30);
    let ran = sandbox.expect(0, "state show state");
    assert_eq!(ran.stderr, "");
    let source = ran.stdout.lines().nth(1).expect("a source").split_whitespace().collect::<Vec<_>>();
    // The masthead, the menu, and three lines among the stories. Each page has twelve such lines.
    assert_eq!(source[..6], ["tide", "30", "0", "365", "5", "-"], "{}", ran.stdout);
    assert!(ran.stdout.contains("1.000  21-30"), "{}", ran.stdout);
    assert!(ran.stdout.contains("tide.jsonl: 30 records\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("clean.jsonl: "), "{}", ran.stdout);
    let shown = json(&sandbox.expect(0, "state show state --json").stdout);
    assert_eq!(shown["sources"][0]["templates"], 5);
    assert_eq!(shown["sources"][0]["lifetime"], serde_json::Value::Null);
    assert_eq!(shown["inputs"][0]["records"], 30);
    assert_eq!(shown["outputs"][0]["bytes"], sandbox.read("clean.jsonl").len());
}

#[test]
fn segments_of_a_source_are_shown_most_documents_first() {
    let sandbox = learned(30);
    let ran = sandbox.expect(0, "state show state tide");
    assert_eq!(ran.stdout.lines().count(), 6, "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!("30      1    30        {SHARE_LINE}\n")), "{}", ran.stdout);
    let ran = sandbox.expect(0, "state show state tide --all --limit 6");
    assert!(ran.stdout.lines().last().is_some_and(|line| line.starts_with("        1  ")), "{}", ran.stdout);
    ran.says("359 segments not shown; --limit sets how many are shown");
    let shown = json(&sandbox.expect(0, "state show state tide --json --limit 2").stdout);
    assert_eq!((shown["segments"].as_array().map(Vec::len), &shown["left_out"]), (Some(2), &3.into()));
}

#[test]
fn what_misleads_is_escaped() {
    let sandbox = Sandbox::new();
    let texts = (0..10).map(|number| format!("Read \u{202e}more\u{202c} of it here.\n\n{}", page(number, 10)));
    sandbox.write("ti\u{202e}de.jsonl", lines("ti\u{202e}de", texts));
    sandbox.expect(0, "stream 'ti\u{202e}de.jsonl' --state state --output clean.jsonl --quiet");
    for command in ["state show state", "state show state 'ti\u{202e}de'"] {
        let shown = sandbox.expect(0, command).stdout;
        assert!(!shown.contains('\u{202e}') && shown.contains("\\u{202e}"), "{command}: {shown}");
    }
}

#[test]
fn all_segments_are_exported() {
    let sandbox = learned(10);
    sandbox.expect(0, "state export state -o segments.jsonl");
    let all = sandbox.read("segments.jsonl");
    assert_eq!(all.lines().count(), 125);
    let masthead = all.lines().map(json).find(|line| line["text"] == "The Daily Tide").expect("the masthead");
    assert_eq!(masthead["key"].as_str().map(str::len), Some(16));
    assert_eq!([&masthead["documents"], &masthead["first"], &masthead["last"]], [10, 1, 10]);
    assert_eq!((&masthead["source"], &masthead["path"]), (&"tide".into(), &"".into()));
    assert_eq!(json(all.lines().last().expect("a line"))["text"], serde_json::Value::Null);
    assert_eq!(sandbox.expect(0, "state export state tide -o -").stdout, all);
    sandbox.expect(1, "state export state -o state").says("error: ");
    sandbox.expect(0, "state show state");
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let sandbox = learned(6);
    sandbox.expect(1, "state show state tidy").says("state: there is no source 'tidy' in it; did you mean 'tide'?");
    sandbox.expect(1, "state export state gazette -o -").says("there is no source 'gazette' in it; it has ");
    sandbox.expect(1, "state show stale").says("stale: there is no such file (did you mean state?)");
    sandbox.expect(1, "state show tide.jsonl").says("tide.jsonl: is not a state of a stream");
    sandbox.expect(1, "mine --from-state tide.jsonl -o patterns").says("is not a state of a stream");
    let usage = ["mine --from-state state tide.jsonl", "mine --from-state state --tokenizer words", "mine", "state"];
    for arguments in usage {
        sandbox.expect(2, &format!("{arguments} -o patterns"));
    }
    assert!(sandbox.tree("patterns").is_empty());
}

#[test]
fn a_state_in_use_is_told() {
    let sandbox = learned(6);
    let state = dehusk_run::state::State::open(&sandbox.path("state")).expect("a state");
    sandbox.expect(1, "state show state").says("state: is in use by another run");
    drop(state);
    sandbox.expect(0, "state show state");
}

#[test]
fn states_are_merged_into_an_old_one_or_a_new_one() {
    let sandbox = learned(10);
    sandbox.write("more.jsonl", lines("tide", (10..25).map(|number| page(number, 10))));
    sandbox.write("wire.jsonl", lines("wire", (25..30).map(|number| page(number, 10))));
    sandbox.write("new.jsonl", lines("wire", (30..35).map(|number| page(number, 10))));
    sandbox.expect(0, "stream more.jsonl wire.jsonl --state other --output other.jsonl");
    let ran = sandbox.expect(0, "state merge both state other");
    ran.says("state: 0 sources merged, 1 source added\nother: 1 source merged, 1 source added\n");
    let documents = |state: &str| {
        let shown = json(&sandbox.expect(0, &format!("state show {state} --json")).stdout);
        let sources = shown["sources"].as_array().expect("sources");
        sources.iter().map(|source| source["documents"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(documents("both"), [Some(25), Some(5)]);
    assert_eq!(documents("state"), [Some(10)], "it stays as it is");
    let refused = sandbox.expect(1, "stream new.jsonl --state both --output other.jsonl");
    refused.says("other.jsonl: it has text that no stream with this state has written");
    sandbox.expect(0, "state merge state other");
    assert_eq!(documents("state"), [Some(25), Some(5)]);
    sandbox.expect(0, "state merge state other").says("have both read 'file ");
}

#[test]
fn what_cannot_be_merged_leaves_all_as_it_was() {
    let sandbox = learned(6);
    sandbox.expect(0, "stream tide.jsonl --state plain --tokenizer whitespace --learn-only");
    sandbox.expect(1, "state merge new state plain").says("plain: was learned with another tokenizer");
    sandbox.expect(1, "state merge state plain").says("plain: was learned with another tokenizer");
    sandbox.expect(1, "state merge state ./state").says("is named twice");
    sandbox.expect(1, "state merge new state nothing").says("nothing: there is no such file");
    assert!(!sandbox.path("new").exists());
    assert_eq!(json(&sandbox.expect(0, "state show state --json").stdout)["sources"][0]["documents"], 6);
}

#[test]
fn patterns_mined_from_a_state_remove_its_template() {
    let sandbox = learned(30);
    let ran = sandbox.expect(0, "mine --from-state state -o patterns");
    assert_eq!(ran.stderr, "");
    assert_eq!(sandbox.expect(0, "check patterns").stdout, "");
    let file = sandbox.read("patterns/tide.yaml");
    assert_eq!(file.matches("- id: ").count(), 5, "{file}");
    assert!(file.contains("mined: {documents: 30, near_duplicates: 0, tokens: 0, "), "{file}");
    sandbox.write("new/tide/31.txt", page(31, 10));
    sandbox.expect(0, "clean new -p patterns -o cleaned");
    let cleaned = sandbox.read("cleaned/tide/31.txt");
    let story = page(31, 10);
    let is_template = |line: &&str| ["Share", "Read", "Copyright"].iter().any(|start| line.starts_with(start));
    let kept: Vec<&str> = story.lines().filter(|line| line.ends_with('.') && !is_template(line)).collect();
    assert_eq!(cleaned.split_whitespace().collect::<Vec<_>>(), kept.join(" ").split_whitespace().collect::<Vec<_>>());
}

#[test]
fn decisions_outlive_mining_from_a_state() {
    let sandbox = learned(30);
    sandbox.expect(0, "mine --from-state state -o patterns");
    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: rejected");
    let rejected = sandbox.read("patterns/tide.yaml");
    sandbox.expect(0, "mine --from-state state -o patterns");
    assert_eq!(sandbox.read("patterns/tide.yaml"), rejected);
}

#[test]
fn what_three_sources_have_is_shared() {
    let sandbox = Sandbox::new();
    for (source, from) in [("tide", 0), ("wire", 30), ("post", 60)] {
        let pages =
            (from..from + 30).map(|number| page(number, 10).replace("The Daily Tide\n", &format!("The {source}\n")));
        sandbox.write(&format!("{source}.jsonl"), lines(source, pages));
    }
    sandbox.expect(0, "stream tide.jsonl wire.jsonl post.jsonl --state state --learn-only");
    sandbox.expect(0, "mine --from-state state -o patterns");
    let shared = sandbox.read("patterns/_shared.yaml");
    assert!(shared.contains(SHARE_LINE) && shared.contains("sources: 3"), "{shared}");
    let own = sandbox.read("patterns/wire.yaml");
    assert!(own.contains("'The wire'") && !own.contains(SHARE_LINE), "{own}");
    assert_eq!(sandbox.expect(0, "check patterns").stdout, "");
}

#[test]
fn links_of_pages_are_lines_of_their_own_or_words_within_one() {
    let sandbox = Sandbox::new();
    let html = |number: usize| {
        let story = page(number, 2).replace('\n', "</p><p>");
        format!("<ul><li><a>Home</a></li></ul><div><a>Tides</a> <a>Ask our harbour</a></div><p>{story}</p>")
    };
    let line = |number: usize| {
        serde_json::json!({"id": number.to_string(), "source": "tide", "html": html(number)}).to_string() + "\n"
    };
    sandbox.write("tide.jsonl", (0..30).map(line).collect::<String>());
    sandbox.expect(0, "stream tide.jsonl --state state --learn-only");
    sandbox.expect(0, "mine --from-state state -o patterns");
    let file = sandbox.read("patterns/tide.yaml");
    let has = |regex: &str| file.contains(&format!("regex: '{regex}'\n"));
    assert!(has(r"(?m)^\s*Home\s*$") && has(r"(?<!\S)Ask\s+our\s+harbour(?!\w)"), "{file}");
    assert!(!file.contains("example: 'Tides'"), "a word is no pattern: {file}");
}

#[test]
fn a_source_that_changed_is_told_wherever_it_is_looked_at() {
    let sandbox = Sandbox::new();
    let redesigned = |number: usize| match number {
        0..150 => page(number, 10),
        _ => page(number, 10).lines().map(|line| line.replace('a', "o") + "\n").collect(),
    };
    sandbox.write("tide.jsonl", lines("tide", (0..200).map(redesigned)));
    let warning = "warning: source 'tide' has changed its template before page 175: 5 of its 5 segments are gone, and \
                   5 \
                   segments are new; mine its patterns again";
    let said = |arguments: &str| sandbox.expect(0, arguments).stderr.contains(warning);
    assert!(said("stream tide.jsonl --state state --output clean.jsonl"));
    assert!(said("state show state"));
    assert!(said("mine --from-state state -o patterns"));
    assert_eq!(json(&sandbox.expect(0, "state show state --json").stdout)["sources"][0]["change"]["gone"], 5);
}
