//! The same input gives the same bytes; and what `run` says about it.

use std::sync::LazyLock;

use super::*;

/// A run over the sample corpus, and what it printed.
static RUN: LazyLock<(Sandbox, Ran)> = LazyLock::new(|| {
    let sandbox = Sandbox::new();
    let ran = sandbox.expect(0, &format!("run {} -o out --json", news()));
    (sandbox, ran)
});

#[test]
fn neither_threads_nor_the_order_of_arguments_show() {
    let (run, _) = &*RUN;
    let root = PathBuf::from(news().trim_matches('\''));
    let sources =
        ["tideline-wire", "shiomi-shinpo", "bergland-bote", "orchard-courier", "marsa-press", "harbor-ledger"];
    let sources: Vec<String> = sources.map(|name| format!("'{}/{name}.example'", root.display())).to_vec();
    let files: Vec<String> = tree(&root).keys().rev().map(|name| format!("'{}'", root.join(name).display())).collect();
    let sandbox = Sandbox::new();
    for (name, arguments) in [
        ("one", format!("{} --threads 1", news())),
        ("two", format!("{} --threads 2", sources.join(" "))),
        ("four", format!("{} --threads 4", files.join(" "))),
    ] {
        sandbox.expect(0, &format!("run {arguments} -o {name} --quiet"));
        for part in ["patterns", "cleaned"] {
            let (expected, actual) = (run.tree(&format!("out/{part}")), sandbox.tree(&format!("{name}/{part}")));
            assert!(expected.len() > 4 && expected.keys().eq(actual.keys()), "{part} of {name}");
            let differing: Vec<&String> = expected.keys().filter(|file| expected[*file] != actual[*file]).collect();
            assert!(differing.is_empty(), "{name}: {differing:?}");
        }
    }
}

#[test]
fn the_json_summary_adds_up() {
    let (run, ran) = &*RUN;
    assert_eq!(ran.stderr, "");
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON and nothing else");
    assert_eq!((summary["documents"].as_u64(), summary["skipped"].as_u64()), (Some(130), Some(0)));
    assert_eq!(summary["cleaned"]["documents"], 130);
    let sources = summary["sources"].as_object().expect("an entry per source");
    assert_eq!(sources.len(), 6);
    let cleaned: u64 = sources.values().filter_map(|source| source["cleaned"]["bytes_out"].as_u64()).sum();
    let written = run.tree("out/cleaned");
    assert_eq!(cleaned, written.values().map(|bytes| bytes.len() as u64).sum::<u64>());
    assert_eq!(summary["cleaned"]["bytes_out"], cleaned);
    for (name, source) in sources {
        let ids = run.read(&format!("out/patterns/{name}.yaml")).matches("\n    status: ").count() as u64;
        assert_eq!(source["mined"]["patterns"], ids, "{name}");
    }
    assert!(summary["seconds"].as_array().is_some_and(|stages| stages.len() >= 4));
}

#[test]
fn pages_come_out_as_text_under_their_names() {
    let written = RUN.0.tree("out/cleaned");
    let read = tree(Path::new(news().trim_matches('\'')));
    let expected: Vec<String> =
        read.keys().map(|name| name.strip_suffix(".html").map_or(name.clone(), |stem| format!("{stem}.txt"))).collect();
    assert!(read.keys().any(|name| name.ends_with(".html")));
    assert_eq!(written.keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    for (name, bytes) in written.iter().filter(|(name, _)| name.starts_with("orchard")) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("</") && !text.trim().is_empty(), "{name}:\n{text}");
    }
}

#[test]
fn the_cleaned_text_is_made_of_words_of_the_original() {
    let read = tree(Path::new(news().trim_matches('\'')));
    for (name, bytes) in RUN.0.tree("out/cleaned").iter().filter(|(name, _)| !name.starts_with("orchard")) {
        let (original, cleaned) = (String::from_utf8_lossy(&read[name]), String::from_utf8_lossy(bytes));
        let mut words = original.split_whitespace();
        assert!(cleaned.split_whitespace().all(|word| words.any(|other| other.contains(word))), "{name}:\n{cleaned}");
        assert!(cleaned.len() < original.len(), "{name}");
    }
}
