//! A source that no longer looks as it did when it was mined.

use super::*;

/// A source that was mined, and `later` documents of it under another template.
/// What a warning of drift says.
const CHANGED: &str = "mine it again";

fn redesigned(later: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    // Articles long enough for what stands amid them to be little.
    (0..20).for_each(|number| sandbox.write(&format!("corpus/tide/{number:05}.txt"), page(number, 6)));
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    for number in 0..later {
        let mut story = Story(1000 + number as u64);
        let paragraphs: Vec<String> = (0..5).map(|_| story.paragraph()).collect();
        let page = format!("All new: The Tide of Today\n\n{}\n\nTell a friend of this page\n", paragraphs.join("\n\n"));
        sandbox.write(&format!("later/tide/{number:02}.txt"), page);
    }
    sandbox
}

#[test]
fn a_redesign_is_told_and_the_remedy_helps() {
    let sandbox = redesigned(12);
    let ran = sandbox.expect(0, "clean later -p patterns -o out --json");
    ran.says("warning: source 'tide' has changed since it was mined: a document had ")
        .says(" of the mined patterns on average, and now has 0.0; ")
        .says(" of the text was removed, and now it is 0.0 %; mine it again");
    let drift = &serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")["sources"]["tide"]["drift"];
    let figure = |of: &str, key: &str| drift[of][key].as_f64().unwrap_or_else(|| panic!("{of}.{key} in {drift}"));
    assert!(figure("patterns", "when_mined") > 2.0 && figure("patterns", "now") == 0.0, "{drift}");
    assert!(figure("removed", "when_mined") > 0.1 && figure("removed", "now") == 0.0, "{drift}");
    assert_eq!(drift["patterns"]["has_fallen"], true);
    sandbox.expect(0, "mine later -o patterns --quiet");
    assert!(!sandbox.expect(0, "clean later -p patterns -o again").stderr.contains(CHANGED));
}

#[test]
fn what_is_as_mined_is_no_drift() {
    let sandbox = redesigned(0);
    assert!(!sandbox.expect(0, "run corpus -o run").stderr.contains(CHANGED));
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out --json");
    assert!(!ran.stderr.contains(CHANGED), "{}", ran.stderr);
    let drift = &serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")["sources"]["tide"]["drift"];
    assert_eq!(drift["patterns"]["now"], drift["patterns"]["when_mined"]);
}

#[test]
fn few_documents_tell_nothing() {
    let ran = redesigned(9).expect(0, "clean later -p patterns -o out --json");
    assert!(!ran.stderr.contains(CHANGED), "{}", ran.stderr);
    assert!(!ran.stdout.contains("drift"));
}

#[test]
fn a_review_is_no_drift() {
    let sandbox = redesigned(0);
    let patterns = sandbox.read("patterns/tide.yaml");
    let rejected = patterns.replace("status: proposed", "status: rejected");
    sandbox.write("patterns/tide.yaml", rejected.replace("patterns:\n", "loose: keep\npatterns:\n"));
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    assert!(!ran.stderr.contains(CHANGED), "{}", ran.stderr);
    assert!(ran.stdout.contains(" 0.0 % of bytes removed"), "{}", ran.stdout);
}

#[test]
fn other_options_remove_less_and_that_is_no_drift() {
    let sandbox = redesigned(0);
    for options in ["--only accepted", "--max-removed 0", "--method union"] {
        assert!(
            !sandbox.expect(0, &format!("clean corpus -p patterns -o out {options}")).stderr.contains("has changed")
        );
    }
}
