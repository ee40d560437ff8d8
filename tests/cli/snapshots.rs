//! Sources that are snapshots of one page.

use serde_json::Value;

use super::*;

const MENU: &str = "Home | World | Harbour | Weather\nSubscribe to the paper for the price of a cup of tea\n";
const FOOTER: &str = "All rights reserved by the publishers of the Hourly Gazette and by nobody else on this coast\n";

/// A story of two lines, which no other story has.
fn story(number: usize) -> String {
    let words =
        |from: usize, to: usize| (from..to).map(|word| format!("s{number}w{word}")).collect::<Vec<_>>().join(" ");
    format!("{}\n{}.\n", words(0, 6), words(6, 30))
}

/// The front page of each hour: 12 stories, of which two leave each hour.
fn front_pages() -> Sandbox {
    let sandbox = Sandbox::new();
    for hour in 0..20 {
        let stories: String = (2 * hour..2 * hour + 12).rev().map(story).collect();
        let page = format!("{MENU}Updated {hour:02}:05\n{stories}{FOOTER}");
        sandbox.write(&format!("corpus/gazette/{hour:02}.txt"), page);
    }
    sandbox
}

fn mined(sandbox: &Sandbox, options: &str) -> Value {
    let ran = sandbox.expect(0, &format!("run corpus -o out --force --json --near-duplicates {options}"));
    let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    summary["sources"]["gazette"]["mined"].clone()
}

#[test]
fn all_snapshots_count_and_keep_their_stories() {
    let sandbox = front_pages();
    let auto = mined(&sandbox, "auto");
    assert_eq!((&auto["near_duplicates"], &auto["snapshots"]), (&Value::from(0), &Value::from(true)), "{auto}");
    for hour in 0..20 {
        let cleaned = sandbox.read(&format!("out/cleaned/gazette/{hour:02}.txt"));
        for number in 2 * hour..2 * hour + 12 {
            assert!(cleaned.contains(&story(number)), "hour {hour}: {cleaned}");
        }
        for template in MENU.lines().chain(FOOTER.lines()) {
            assert!(!cleaned.contains(template), "hour {hour}: {cleaned}");
        }
    }
    let tree = sandbox.tree("out/cleaned");
    assert_eq!(mined(&sandbox, "count"), auto);
    assert_eq!(sandbox.tree("out/cleaned"), tree);
    let grouped = mined(&sandbox, "group");
    assert_eq!(grouped["snapshots"], Value::from(false));
    assert!(grouped["near_duplicates"].as_u64() > Some(0), "{grouped}");
}

#[test]
fn identical_snapshots_count_once_and_who_asks_is_told() {
    let sandbox = front_pages();
    let page = sandbox.read("corpus/gazette/07.txt");
    sandbox.write("corpus/gazette/20.txt", page);
    let ran = sandbox.expect(0, "mine corpus -o patterns --verbose");
    ran.says("from 21 documents that are snapshots of one page, 1 of them copies\n");
    sandbox.expect(0, "mine corpus -o patterns --verbose --near-duplicates group").says(" of them near-duplicates\n");
}
