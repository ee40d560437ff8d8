//! What a person does to pattern files, and what mining and cleaning make of it.

use super::*;

const FILE: &str = "patterns/tide.yaml";

/// A mined source of twelve pages.
fn mined() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

/// Mined HTML pages of one source, of which selectors are proposed.
pub fn mined_pages() -> Sandbox {
    let sandbox = Sandbox::new();
    let pages = tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/selectors/in"));
    pages.iter().for_each(|(name, page)| sandbox.write(name, page));
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

/// The entry, a line each key, of the only pattern whose example contains this.
fn entry(sandbox: &Sandbox, part_of_example: &str) -> String {
    let file = sandbox.read(FILE);
    let patterns =
        file.split("\nevidence:").next().and_then(|file| file.split("\nmutable:").next()).unwrap_or_default();
    let is_it = |entry: &&str| {
        entry.lines().any(|line| line.trim_start().starts_with("example:") && line.contains(part_of_example))
    };
    let entries: Vec<&str> = patterns.split("\n  - ").skip(1).filter(is_it).collect();
    assert_eq!(entries.len(), 1, "entries with {part_of_example:?} in\n{patterns}");
    format!("  - {}\n", entries[0])
}

/// Changes the entry of the only pattern whose example contains this.
fn edit_entry(sandbox: &Sandbox, part_of_example: &str, from: &str, to: &str) {
    let before = entry(sandbox, part_of_example);
    assert!(before.contains(from), "no {from:?} in\n{before}");
    sandbox.edit(FILE, &before, &before.replacen(from, to, 1));
}

fn decide(sandbox: &Sandbox, part_of_example: &str, status: &str) {
    edit_entry(sandbox, part_of_example, "status: proposed", &format!("status: {status}"));
}

/// The lines of an entry that a person may have written. The text is made from the regex.
fn without_counts(entry: &str) -> Vec<&str> {
    let is_count =
        |line: &str| ["documents: ", "among: ", "occurrences: ", "removes: "].iter().any(|count| line.contains(count));
    entry.lines().filter(|line| !is_count(line)).collect()
}

#[test]
fn mining_again_keeps_all_that_a_person_did() {
    let sandbox = mined();
    decide(&sandbox, "The Daily Tide\\n", "rejected");
    decide(&sandbox, COPYRIGHT_LINE, "accepted");
    edit_entry(&sandbox, COPYRIGHT_LINE, "note: ''", "note: 'their footer, it''s dull'");
    let own = r"    regex: 'from\s+our\s+(?:harbour|river)\s+desk'";
    let desk = entry(&sandbox, "harbour desk");
    let (rows, removes) = (&desk[desk.find("    rows:").expect("rows")..], "    removes: ");
    let removes = desk.lines().find(|line| line.starts_with(removes)).expect("a share");
    edit_entry(&sandbox, "harbour desk", rows, &format!("{own}\n"));
    edit_entry(&sandbox, "harbour desk", &format!("{removes}\n"), "");
    edit_entry(&sandbox, "notice board", "note: ''", "note: 'look again'");
    let written = "  - id: 'by-hand'\n    status: accepted\n    documents: 0\n    occurrences: 0\n    \
                   example: 'zebra crossing'\n    note: 'ours'\n    regex: '\\bzebra(?=\\s)'\n";
    sandbox.edit(FILE, "patterns:\n", &format!("patterns:\n{written}"));
    let parts = ["The Daily Tide\\n", COPYRIGHT_LINE, "harbour desk", "notice board", "zebra"];
    let before = parts.map(|part| entry(&sandbox, part));

    sandbox.write_pages("tide", 12..20);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    for (part, before) in parts.iter().zip(&before) {
        let after = entry(&sandbox, part);
        assert_eq!(without_counts(before), without_counts(&after));
        assert_eq!(after.contains("documents: 20"), *part != "zebra", "counts are the fresh ones\n{after}");
    }
    sandbox.expect(0, "check patterns");
    let once = sandbox.tree("patterns");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert_eq!(sandbox.tree("patterns"), once, "mining a second time changes nothing");
}

#[test]
fn mining_again_measures_selectors_anew() {
    const FILE: &str = "patterns/ferry.example.yaml";
    let sandbox = mined_pages();
    let mined = sandbox.read(FILE);
    let footer = mined.split("  - ").find(|entry| entry.contains("drop: 'footer'")).expect("a selector").to_owned();
    let measured = footer.lines().find(|line| line.contains("removes: 0.")).expect("a share").to_owned();
    // One file is of an earlier version, in the other a person changed the number.
    for other in ["", "    removes: 0.999\n"] {
        let decided = footer.replace(&format!("{measured}\n"), other).replace("status: proposed", "status: accepted");
        sandbox.write(FILE, mined.replace(&footer, &decided));
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        let again = sandbox.read(FILE);
        let again = again.split("  - ").find(|entry| entry.contains("drop: 'footer'")).expect("the selector");
        assert_eq!(again, footer.replace("status: proposed", "status: accepted"));
    }
}

#[test]
fn what_a_person_decided_stays_when_it_is_mined_no_more() {
    let sandbox = mined();
    decide(&sandbox, "notice board", "rejected");
    let rejected = entry(&sandbox, "notice board");
    for number in 0..12 {
        sandbox.edit(&format!("corpus/tide/{number:05}.txt"), SHARE_LINE, "");
    }
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert_eq!(entry(&sandbox, "notice board"), rejected);
}

#[test]
fn mining_with_other_mutable_patterns_keeps_decisions() {
    let sandbox = mined();
    decide(&sandbox, "notice board", "rejected");
    edit_entry(&sandbox, COPYRIGHT_LINE, "note: ''", "note: 'ours'");
    sandbox.expect(0, "mine corpus -o patterns --quiet --mutable-preset none");
    assert!(entry(&sandbox, "notice board").contains("status: rejected"));
    assert!(sandbox.read(FILE).contains("note: 'ours'"));
    sandbox.expect(0, "check patterns");
}

#[test]
fn a_rejected_pattern_does_not_act_and_the_others_do() {
    let sandbox = mined();
    decide(&sandbox, "notice board", "rejected");
    for method in ["learned", "union"] {
        sandbox.expect(0, &format!("clean corpus -p patterns -o {method} --method {method} --quiet"));
        for (name, bytes) in sandbox.tree(method) {
            let text = String::from_utf8_lossy(&bytes);
            assert!(text.contains(SHARE_LINE), "{name} has lost what is to stay:\n{text}");
            assert!(!text.contains("Copyright"), "{name} has kept what is to go:\n{text}");
        }
    }
}

#[test]
fn what_is_to_be_kept_is_and_stays_so_when_mined_again() {
    let sandbox = mined();
    let keep = "keep:\n  - text: 'The Daily Tide'\n    note: 'our own name'\n";
    sandbox.edit(FILE, "patterns:\n", &format!("{keep}patterns:\n"));
    sandbox.edit(FILE, "dehusk: 1\n", "# Reviewed in May.\ndehusk: 1\n");
    sandbox.write_pages("tide", 12..20);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let file = sandbox.read(FILE);
    assert!(file.starts_with("# Reviewed in May.\ndehusk: 1\n") && file.contains(keep), "{file}");
    sandbox.expect(0, "check patterns");
    let by_hand = "patterns:\n  - {id: by-hand, status: accepted, regex: 'The Daily Tide', example: The Daily Tide}\n";
    sandbox.edit(FILE, "patterns:\n", by_hand);
    sandbox
        .expect(1, "check patterns")
        .says("pattern by-hand is accepted, but it matches 'The Daily Tide', which must be kept");
    let doubt = "source 'tide': pattern by-hand is accepted, but it matches 'The Daily Tide', which must be kept";
    sandbox.expect(0, "clean corpus -p patterns -o out").says(doubt);
    sandbox.expect(0, "mine corpus -o patterns").says(doubt);
    sandbox.edit(FILE, "example: 'The Daily Tide'", "example: 'The Tide'");
    let mismatch = "the regex of pattern by-hand does not match its example 'The Tide'; correct one of the two";
    sandbox.expect(0, "clean corpus -p patterns -o out").says(mismatch);
    for (name, bytes) in sandbox.tree("out") {
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("The Daily Tide\n") && !text.contains("Weather and tides"), "{name}:\n{text}");
    }
}

#[test]
fn a_folder_that_is_meant_is_named() {
    mined().expect(1, "check pattersn").says("(did you mean patterns?)");
}

#[test]
fn a_pattern_written_by_hand_acts() {
    let sandbox = mined();
    sandbox.write(
        FILE,
        "dehusk: 1\nsource: tide\nmined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}\npatterns:\n- id: mine\n  \
         status: accepted\n  regex: '(?<=board of )your\\b'\n  example: 'board of your'\n",
    );
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    for (name, bytes) in sandbox.tree("out") {
        let text = String::from_utf8_lossy(&bytes);
        let original = sandbox.read(&format!("corpus/{name}"));
        assert_eq!(text, original.replace("board of your village", "board of village"), "{name}");
    }
}

#[test]
fn the_active_mutable_patterns_are_recorded_in_order() {
    let sandbox = mined();
    let own =
        "mutable:\n  - name: so-far\n    regex: '[0-9]+ so far'\n    examples: ['3 so far']\n    not: ['so far']\n";
    sandbox.write("own.yaml", own);
    sandbox.expect(0, "mine corpus -o both --mutable own.yaml --quiet");
    sandbox.expect(0, "mine corpus -o own --mutable own.yaml --mutable-preset none --quiet");
    sandbox.expect(0, "mine corpus -o none --mutable-preset none --quiet");
    let recorded = |folder: &str| {
        let table = sandbox.tree(folder).remove("_mutable.yaml").unwrap_or_default();
        let table = String::from_utf8_lossy(&table).into_owned();
        table.lines().filter_map(|line| line.trim().strip_prefix("- name: ").map(str::to_owned)).collect::<Vec<_>>()
    };
    let shipped: Vec<String> = dehusk_core::tokens::mutable::shipped_patterns().into_iter().map(|p| p.name).collect();
    assert_eq!(recorded("patterns"), shipped);
    assert_eq!(recorded("both"), [&["so-far".to_owned()], &shipped[..]].concat());
    assert_eq!((recorded("own"), recorded("none")), (vec!["so-far".to_owned()], vec![]));
}

#[test]
fn a_pattern_file_that_does_not_parse_stops_everything_before_it_begins() {
    let sandbox = mined();
    sandbox.write("patterns/other.yaml", sandbox.read(FILE).replace("source: tide", "source: other"));
    sandbox.edit(FILE, "status: proposed", "status: perhaps");
    let (patterns, corpus) = (sandbox.tree("patterns"), sandbox.tree("corpus"));
    for command in
        ["mine corpus -o patterns", "clean corpus -p patterns -o out", "explain corpus/tide/00001.txt -p patterns"]
    {
        let ran = sandbox.expect(1, command);
        ran.says("tide.yaml:6").says("perhaps").says("nothing was done");
        assert_eq!(ran.stdout, "", "{command}");
        assert_eq!((sandbox.tree("patterns"), sandbox.tree("corpus")), (patterns.clone(), corpus.clone()));
        assert!(!sandbox.path("out").exists(), "{command} made the output folder");
    }
}

#[test]
fn a_table_of_mutable_patterns_that_is_missing_or_changed_is_told() {
    let sandbox = mined();
    let own =
        "mutable:\n  - name: so-far\n    regex: '[0-9]+ so far'\n    examples: ['3 so far']\n    not: ['so far']\n";
    sandbox.write("own.yaml", own);
    sandbox.expect(0, "mine corpus -o own --mutable own.yaml --quiet");
    for folder in ["patterns", "own"] {
        sandbox.expect(0, &format!("clean corpus -p {folder}/tide.yaml -o {folder}-out --quiet"));
        sandbox.expect(0, &format!("check {folder}"));
    }
    sandbox.edit("own/_mutable.yaml", "[0-9]+ so far", "[0-8]+ so far");
    let changed = sandbox.expect(1, "clean corpus -p own -o out");
    changed
        .says("own/_mutable.yaml: the mutable patterns")
        .says("are not as they were written; mine again, or restore the file");
    for folder in ["patterns", "own"] {
        fs::remove_file(sandbox.path(&format!("{folder}/_mutable.yaml"))).expect("a table");
    }
    let missing = sandbox.expect(1, "clean corpus -p own -o out");
    missing
        .says("its mutable patterns '")
        .says("are missing; copy _mutable.yaml from the folder in which it was written");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
}

#[test]
fn regexes_of_blocks_are_written_for_other_programs() {
    let sandbox = mined();
    sandbox.expect(0, "export -p patterns --to regex -o regexes.jsonl").says("no pattern is accepted");
    sandbox.expect(0, "export -p patterns --to regex -o regexes.jsonl --proposed --force");
    let line: serde_json::Value = serde_json::from_str(&sandbox.read("regexes.jsonl")).expect("a line");
    let regexes: Vec<&str> =
        line["regexes"].as_array().expect("a list").iter().filter_map(|regex| regex.as_str()).collect();
    let page = sandbox.read("corpus/tide/00001.txt");
    for line in [SHARE_LINE, COPYRIGHT_LINE, "The Daily Tide"] {
        let matches = |regex: &&str| {
            let regex = fancy_regex::Regex::new(regex).expect("a regex");
            regex.find(&page).expect("a search").is_some_and(|found| found.as_str().contains(line))
        };
        assert!(regexes.iter().any(matches), "{line}: {regexes:?}");
    }
}
