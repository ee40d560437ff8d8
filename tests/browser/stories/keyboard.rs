//! A source is reviewed with keys alone.

use dehusk_core::patterns::Status;

use super::*;

impl Browser {
    /// Presses a key, and waits until this pattern is selected.
    #[track_caller]
    fn press_for(&self, key: &str, id: &str) {
        self.press(key);
        self.expect_at_hand(id);
        self.expect_focus_in_sight();
    }

    /// The focus is on something, in sight, and marked.
    #[track_caller]
    fn expect_focus_in_sight(&self) {
        let script = "const at = document.activeElement, place = at.getBoundingClientRect();
            const marked = at.matches('[type=radio]') ? at.parentElement : at;
            const isMarked = getComputedStyle(marked).outlineStyle !== 'none' || at.matches('input, textarea');
            const isInSight = place.bottom > 0 && place.top < innerHeight && place.width > 0;
            return at !== document.body && isMarked && isInSight ? null : at.outerHTML.slice(0, 200)";
        eventually("the focus in sight", || match self.run(script) {
            serde_json::Value::Null => Ok(()),
            at => Err(format!("it is on {at}")),
        });
    }
}

#[test]
fn patterns_are_decided_on_with_keys() {
    in_review_of(
        || Review::with_patterns_by_hand(SOURCE),
        |browser, review| {
            browser.tab_to(&format!("#sources a[href*='{SOURCE}']"));
            browser.expect_focus_in_sight();
            browser.press("Enter");
            browser.expect(".counts", "matches in");
            let ids = browser.listed();
            let status = |id: &str| review.pattern(SOURCE, id).status;

            browser.press_for("j", &ids[1]);
            browser.press_for("j", &ids[2]);
            browser.press_for("k", &ids[1]);
            browser.press_for("Down", &ids[2]);
            browser.press_for("Up", &ids[1]);
            browser.press("a");
            let called = review.called(SOURCE, &ids[1]);
            browser.expect("#toast", &format!("accepted: “{called}"));
            browser.expect_at_hand(&ids[2]);
            browser.expect_focus_in_sight();
            browser.press_for("k", &ids[1]);
            browser.press("p");
            browser.expect("#toast", &format!("proposed: “{called}"));
            browser.press_for("j", &ids[2]);
            browser.press("u");
            browser.expect("#toast", &format!("undone: proposed: “{called}"));
            assert_eq!(status(&ids[1]), Status::Accepted);
            browser.expect_at_hand(&ids[1]);
            browser.expect_focus_in_sight();

            // The keys do not wait for the page: each key acts on the result of the one before.
            ["j", "r", "r"].iter().for_each(|key| browser.press(key));
            browser.expect_at_hand(&ids[4]);
            browser.resize(1280, 400);
            browser.run("document.querySelector('#list').scrollTop = 1e6");
            assert_eq!(browser.run("return scrollY"), 0, "the page stands still");
            assert_ne!(browser.run("return document.querySelector('#list').scrollTop"), 0, "the list moves in it");
            browser.run("document.querySelector('#list').scrollTop = 0");
            assert_eq!([&ids[2], &ids[3]].map(|id| status(id)), [Status::Rejected; 2]);
            assert_eq!(status(&ids[4]), Status::Proposed);
            browser.expect_count("a.item .status.rejected", 2);
            browser.expect(&format!("a.item[data-id='{}'] .number", ids[2]), "0 %");
            assert_eq!(browser.listed(), ids, "what removes nothing now stays in its place");
        },
    );
}

#[test]
fn the_next_undecided_pattern_is_at_hand() {
    in_review_of(
        || Review::with_patterns_by_hand(SOURCE),
        |browser, review| {
            browser.open(&review.page(SOURCE, ""));
            browser.expect(".counts", "matches in");
            browser.press("j");
            browser.press("2");
            browser.expect_count("#statuses [value=proposed]:checked", 1);
            let ids = browser.listed();
            browser.expect_at_hand(&ids[1]);
            for (key, next) in [("a", &ids[2]), ("r", &ids[3]), ("a", &ids[4])] {
                browser.press_for(key, next);
            }
            browser.expect_count(&format!("a.item[data-id='{}']", ids[1]), 0);
            for (key, status, count) in [("3", "accepted", 2), ("4", "rejected", 1), ("1", "", ids.len())] {
                browser.press(key);
                browser.expect_count(&format!("#statuses [value='{status}']:checked"), 1);
                browser.expect_listed(count);
            }
            browser.press("3");
            browser.expect_count("a.item", 2);
            browser.reload();
            browser.expect_count("a.item", 2);
            browser.expect_count("#statuses [value=accepted]:checked", 1);
        },
    );
}

#[test]
fn keys_are_letters_where_one_types() {
    in_review(|browser, review| {
        browser.open(&review.page(SOURCE, ""));
        browser.expect(".counts", "matches in");
        let before = review.file(SOURCE);

        browser.press("/");
        browser.expect_focus("#search");
        browser.type_in("jarpenuxom[]?1");
        browser.expect(".list", "No pattern has this status and matches this search");
        browser.type_over("privacy");
        browser.expect_count("a.item", 1);
        browser.press("Escape");
        browser.expect_focus("a.item[aria-current]");
        browser.press("/");
        browser.type_over("");
        browser.expect_listed(review.patterns(SOURCE).patterns.len());
        browser.press("Enter");
        browser.expect_focus("a.item[aria-current]");

        let id = browser.chosen();
        browser.press("e");
        browser.expect_focus("#regex");
        browser.type_in("ar/");
        assert!(browser.property("#regex", "value").contains("ar/"));
        browser.press("Escape");
        browser.expect_focus("[data-do=edit][aria-expanded=false]");
        browser.expect_focus_in_sight();
        browser.press("n");
        browser.expect_focus("#note");
        browser.type_in("?j");
        assert_eq!(browser.count("#help[open]"), 0);
        assert_eq!(review.file(SOURCE), before, "nothing is decided");
        browser.press("Control+Enter");
        browser.expect("#pattern .note", "?j");
        browser.expect_focus_in_sight();
        assert_eq!(review.pattern(SOURCE, &id).note, "?j");

        let called = review.called(SOURCE, &id);
        browser.press("e");
        browser.expect_focus("#regex");
        browser.type_over("Tideline");
        browser.press("Control+Enter");
        browser.expect("#toast", &format!("edited: “{called}"));
        browser.expect_focus("[data-do=edit]");
        assert_eq!(review.pattern(SOURCE, &id).regex, "Tideline");
    });
}

#[test]
fn help_opens_and_closes() {
    in_review(|browser, review| {
        browser.open(&review.page(SOURCE, ""));
        browser.expect(".counts", "matches in");
        let before = (browser.chosen(), review.file(SOURCE));
        browser.press("?");
        browser.expect_count("#help[open]", 1);
        ["j", "a", "2"].iter().for_each(|key| browser.press(key));
        browser.press("Escape");
        browser.expect_count("#help[open]", 0);
        assert_eq!((browser.chosen(), review.file(SOURCE)), before);
        browser.press("j");
        browser.expect_count(&format!("a.item[aria-current]:not([data-id='{}'])", before.0), 1);
    });
}

#[test]
fn documents_are_read_with_keys() {
    in_review(|browser, review| {
        browser.open(&review.page(SOURCE, ""));
        browser.expect(".counts", "matches in");
        let id = browser.chosen();
        browser.press("m");
        browser.expect("#matches-of h3", "All ");
        browser.press("m");
        browser.expect_count("#matches-of", 0);
        browser.press("o");
        browser.expect_count(&format!("#pattern[data-id='{id}']"), 1);
        browser.expect_count("#document", 1);
        let title = browser.text("#title");
        browser.press("]");
        browser.expect_count("#before", 1);
        assert_ne!(browser.text("#title"), title);
        browser.press("[");
        browser.expect("#title", &title);

        browser.press("j");
        browser.expect_focus("#document .current a");
        let first = browser.text("#document .current");
        browser.press("j");
        browser.expect_focus_in_sight();
        browser.press("k");
        browser.expect("#document .current", &first);
        browser.press("a");
        browser.expect("#toast", "accepted: ");
        browser.expect("#document .current", &first);
        browser.expect_focus_in_sight();
        browser.press("x");
        browser.expect("#toast", "never removed from now on, in ");
        browser.expect("ins.kept", &first);
        assert!(review.patterns(SOURCE).keep[0].text().starts_with(&first));
        browser.press("u");
        browser.expect("#toast", "undone: never removed");
        browser.expect_count("ins.kept", 0);
    });
}
