//! After a review, there are more documents, and the whole corpus is mined again.

use std::collections::BTreeMap;
use std::sync::Arc;

use dehusk_core::patterns::{Pattern, PatternFile, Status};

use super::*;

#[test]
fn the_order_of_documents_does_not_show() {
    let sandbox = Sandbox::new();
    let line =
        |number: usize| serde_json::json!({"source": "tide", "id": number, "text": page(number, 7)}).to_string() + "\n";
    // More documents than patterns are tested on.
    let numbers: Vec<usize> = (0..520).collect();
    let write = |name: &str, numbers: &[usize]| {
        sandbox.write(name, numbers.iter().map(|&number| line(number)).collect::<String>());
        sandbox.expect(0, &format!("mine {name} -o of-{name}/ --quiet"));
        sandbox.tree(&format!("of-{name}"))
    };
    let first = write("a.jsonl", &numbers);
    let shuffled: Vec<usize> = numbers.iter().map(|number| number * 211 % 520).collect();
    let reversed: Vec<usize> = numbers.into_iter().rev().collect();
    assert_eq!(write("b.jsonl", &shuffled), first);
    assert_eq!(write("c.jsonl", &reversed), first);
}

/// The part of the documents of each source that exists from the start, in tenths.
const AT_FIRST: [usize; 3] = [3, 5, 7];

/// The parsed file of each source.
fn files(sandbox: &Sandbox) -> BTreeMap<String, PatternFile> {
    let library = dehusk::Library::load(&sandbox.path("patterns")).expect("pattern files");
    let has_file = |file: &Arc<PatternFile>| sandbox.path(&format!("patterns/{}.yaml", file.source)).exists();
    library.files().filter(has_file).map(|file| (format!("{}.yaml", file.source), PatternFile::clone(&file))).collect()
}

/// The sample corpus: of each source, the documents in the first tenths (this number of them), or those after them.
fn write_documents(sandbox: &Sandbox, tenths: usize, at_first: bool) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/news");
    let mut sources: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (name, bytes) in tree(&corpus) {
        let source = name.split('/').next().unwrap_or_default().to_owned();
        sources.entry(source).or_default().push((name, bytes));
    }
    for documents in sources.values() {
        let (first, later) = documents.split_at(documents.len() * tenths / 10);
        let chosen = if at_first { first } else { later };
        chosen.iter().for_each(|(name, bytes)| sandbox.write(&format!("corpus/{name}"), bytes));
    }
}

/// Decides on two of three patterns, and keeps a text of the third.
fn review_all(sandbox: &Sandbox) -> BTreeMap<String, PatternFile> {
    let mut files = files(sandbox);
    for (name, file) in &mut files {
        for (index, pattern) in file.patterns.iter_mut().enumerate() {
            pattern.status = [Status::Accepted, Status::Rejected, Status::Proposed][index % 3];
        }
        let kept = &file.patterns.iter().find(|pattern| pattern.status == Status::Proposed);
        file.keep.extend(kept.and_then(|pattern| dehusk_core::patterns::Keep::new(&pattern.example, "ours").ok()));
        sandbox.write(&format!("patterns/{name}"), file.to_yaml());
    }
    files
}

/// Whether each of the two patterns matches the whole example of the other.
fn is_variation(one: &Pattern, other: &Pattern) -> bool {
    let matches_all = |pattern: &Pattern, text: &str| {
        // A selector matches no text.
        let Some(regex) = pattern.compiled().expect("it compiles") else { return false };
        regex.find(text).expect("it is matched").is_some_and(|found| found.as_str().trim() == text.trim())
    };
    matches_all(one, &other.example) && matches_all(other, &one.example)
}

#[test]
fn what_was_decided_is_not_proposed_again() {
    for tenths in AT_FIRST {
        let sandbox = Sandbox::new();
        write_documents(&sandbox, tenths, true);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        let reviewed = review_all(&sandbox);
        write_documents(&sandbox, tenths, false);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        let now = files(&sandbox);
        for (name, before) in &reviewed {
            let kept = |file: &PatternFile| file.keep.iter().map(|keep| keep.text().to_owned()).collect::<Vec<_>>();
            assert_eq!(kept(&now[name]), kept(before), "{name}");
            let (decided, rest): (Vec<_>, Vec<_>) =
                before.patterns.iter().partition(|pattern| pattern.status != Status::Proposed);
            for old in &decided {
                let new = now[name].patterns.iter().find(|new| new.id == old.id).expect("it is there still");
                assert_eq!(new.status, old.status, "{name}");
                // A block gets new rows.
                assert!(new.regex == old.regex || old.block().is_some(), "{name}");
            }
            let is_new = |pattern: &&Pattern| !decided.iter().chain(&rest).any(|old| old.id == pattern.id);
            for new in now[name].patterns.iter().filter(is_new) {
                assert_eq!(new.status, Status::Proposed, "{name}");
                let rejected = decided.iter().filter(|old| old.status == Status::Rejected);
                let again: Vec<_> = rejected.filter(|old| is_variation(old, new)).map(|old| &old.regex).collect();
                assert!(again.is_empty(), "{name}: {} was rejected as {again:?}", new.regex);
            }
        }
    }
}

/// Where a pattern or a text to keep matches. Matches overlap, and do not include white space at their edges.
fn places(regex: &fancy_regex::Regex, text: &str) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(found) = regex.find_from_pos(text, at).expect("it is matched") {
        let start = found.end() - found.as_str().trim_start().len();
        places.push(start..start + found.as_str().trim().len());
        at = found.start() + text[found.start()..].chars().next().map_or(1, char::len_utf8);
        if at > text.len() {
            break;
        }
    }
    // White space before a place gives it several starts.
    places.dedup();
    places
}

#[test]
fn cleaning_honours_what_was_decided() {
    let sandbox = Sandbox::new();
    write_documents(&sandbox, 5, true);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    review_all(&sandbox);
    write_documents(&sandbox, 5, false);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let (files, out) = (files(&sandbox), sandbox.tree("out"));
    // Only some of them, because regexes are slow in a test build.
    let texts = sandbox.tree("corpus").into_iter().filter(|(name, _)| name.ends_with(".txt")).step_by(5);
    for (name, bytes) in texts {
        let file = &files[&format!("{}.yaml", name.split('/').next().unwrap_or_default())];
        let [before, after] = [&bytes, &out[&name]].map(|bytes| String::from_utf8_lossy(bytes));
        for keep in &file.keep {
            assert_eq!(
                places(keep.regex(), &after).len(),
                places(keep.regex(), &before).len(),
                "{name}: {}",
                keep.text()
            );
        }
        let of = |status| file.patterns.iter().filter(move |pattern| pattern.status == status);
        let found = |pattern: &Pattern, text| {
            let regex = pattern.compiled().expect("it compiles");
            regex.map_or_else(Vec::new, |regex| places(&regex, text))
        };
        let kept: Vec<_> = file.keep.iter().flat_map(|keep| places(keep.regex(), &after)).collect();
        let is_apart = |place: &std::ops::Range<usize>, others: &[std::ops::Range<usize>]| {
            others.iter().all(|other| other.end <= place.start || place.end <= other.start)
        };
        for accepted in of(Status::Accepted) {
            let left = found(accepted, &after).into_iter().find(|place| is_apart(place, &kept));
            assert_eq!(left, None, "{name}: {}\n{after}", accepted.regex);
        }
        let shared = files["_shared.yaml"].patterns.iter().filter(|pattern| pattern.status != Status::Rejected);
        let acting = of(Status::Accepted).chain(of(Status::Proposed)).chain(shared);
        let acted_on: Vec<_> = acting.flat_map(|pattern| found(pattern, &before)).collect();
        for rejected in of(Status::Rejected) {
            let alone = found(rejected, &before).into_iter().filter(|place| is_apart(place, &acted_on)).count();
            assert!(found(rejected, &after).len() >= alone, "{name}: {}\n{after}", rejected.regex);
        }
    }
}

/// Stories under a menu with these entries, one line each.
fn write_under_menu(sandbox: &Sandbox, menu: &[&str]) {
    for number in 0..12_u64 {
        let story: Vec<String> = (0..4).map(|part| Story(10 * number + part).paragraph()).collect();
        let text = format!("{}\n\n{}\n", menu.join("\n"), story.join("\n\n"));
        sandbox.write(&format!("corpus/tide/{number:02}.txt"), text);
    }
}

#[test]
fn a_menu_with_other_entries_keeps_its_id_and_its_decision() {
    let sandbox = Sandbox::new();
    write_under_menu(&sandbox, &["The Daily Tide", "Home", "News", "Sport", "Our letters to the editor"]);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let first = files(&sandbox).remove("tide.yaml").expect("a file").patterns.remove(0);
    for status in ["accepted", "rejected"] {
        sandbox.edit("patterns/tide.yaml", "status: proposed", &format!("status: {status}"));
        write_under_menu(&sandbox, &["The Daily Tide", "Home", "Tides", "News", "Our letters to the editor", "Help"]);
        sandbox.expect(0, "mine corpus -o patterns --quiet");
        let patterns = files(&sandbox).remove("tide.yaml").expect("a file").patterns;
        let menu: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.regex.contains("Daily")).collect();
        assert_eq!(
            menu.iter().map(|menu| (menu.id.as_str(), menu.status.name())).collect::<Vec<_>>(),
            [(first.id.as_str(), status)]
        );
        // Rejected text is not removed, so it is not mined again, and the block is as it was.
        assert_eq!(menu[0].regex.contains("Tides"), status == "accepted", "{}", menu[0].regex);

        write_under_menu(&sandbox, &["The Daily Tide", "Home", "News", "Sport", "Our letters to the editor"]);
        sandbox.edit("patterns/tide.yaml", &format!("status: {status}"), "status: proposed");
        sandbox.expect(0, "mine corpus -o patterns --quiet");
    }
}

#[test]
fn a_decision_outlives_a_redesign() {
    let sandbox = Sandbox::new();
    write_under_menu(&sandbox, &["The Daily Tide", "Home", "News", "Sport", "Our letters to the editor"]);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: accepted");
    let before = files(&sandbox).remove("tide.yaml").expect("a file").patterns.remove(0);
    write_under_menu(&sandbox, &["Tide and Harbour", "Start here", "All stories", "Write to us about the sea"]);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let patterns = files(&sandbox).remove("tide.yaml").expect("a file").patterns;
    let kept = patterns.iter().find(|pattern| pattern.id == before.id).expect("the accepted one");
    assert_eq!((kept.status, &kept.regex), (Status::Accepted, &before.regex));
    assert!(patterns.iter().any(|pattern| pattern.status == Status::Proposed && pattern.regex.contains("Harbour")));
}
