//! A source is reviewed with the mouse.

use dehusk_core::patterns::Status;

use super::*;

#[test]
fn a_source_is_reviewed_with_the_mouse() {
    in_review_of(
        || Review::with_patterns_by_hand(SOURCE),
        |browser, review| {
            browser.click(&format!("#sources a[href*='{SOURCE}']"));
            browser.expect(".counts", "matches in");
            let ids = browser.listed();

            decide(browser, &ids[0], "accepted");
            decide(browser, &ids[1], "rejected");
            decide(browser, &ids[2], "rejected");
            decide(browser, &ids[2], "proposed");
            edit_and_note(browser, &ids[3]);
            let many = decide_on_many(browser, review);
            let kept = keep_a_text(browser);

            browser.open(&review.page(SOURCE, ""));
            browser.reload();
            browser.expect("#progress", &format!("{} of ", many + 2));
            let file = review.patterns(SOURCE);
            let status = |id: &str| review.pattern(SOURCE, id).status;
            assert_eq!([&ids[0], &ids[1]].map(|id| status(id)), [Status::Accepted, Status::Rejected]);
            let edited = review.pattern(SOURCE, &ids[3]);
            assert_eq!((edited.regex.as_str(), edited.note.as_str()), ("(?m)^Share: Facebook", "it's cut"));
            assert_eq!(file.keep[0].text(), kept);
            assert_eq!(browser.texts("#statuses b")[0], file.patterns.len().to_string());
            browser.click(&format!("a.item[data-id='{}']", ids[3]));
            browser.expect("#pattern .note", "it's cut");
            browser.open(&review.page(SOURCE, "about"));
            browser.expect(".keeps", &kept);
            browser.click("[data-do=unkeep]");
            browser.expect("#toast", "no longer kept");
            browser.expect_count(".keeps", 0);
            assert!(review.patterns(SOURCE).keep.is_empty());
        },
    );
}

fn decide(browser: &Browser, id: &str, status: &str) {
    browser.click(&format!("a.item[data-id='{id}']"));
    browser.expect_at_hand(id);
    browser.click(&format!("#pattern [data-do=status][data-status={status}]"));
    browser.expect("#toast", &format!("{status}: “"));
    browser.expect_count(&format!("a.item[data-id='{id}'] .status.{status}"), 1);
}

/// The effect is told while one types.
fn edit_and_note(browser: &Browser, id: &str) {
    browser.click(&format!("a.item[data-id='{id}']"));
    browser.expect_at_hand(id);
    browser.click("[data-do=edit]");
    browser.expect("#trial", "matches");
    browser.type_over("(?m)^Share: Face(");
    browser.expect("#trial .warning", "Parsing error");
    browser.press("Backspace");
    browser.type_in("book");
    browser.expect("#trial", "No longer matched");
    browser.click("[data-do=save-regex]");
    browser.expect("#toast", "edited: “");
    browser.expect("#pattern .counts", "by hand");
    browser.click("[data-do=note]");
    browser.type_in("it's cut");
    browser.click("[data-do=save-note]");
    browser.expect("#pattern .note", "it's cut");
}

/// Decides on many patterns at once, undoes it, and does it again. Returns their number.
fn decide_on_many(browser: &Browser, review: &Review) -> usize {
    let button = ".menu [data-group=listed][data-status=accepted]";
    let accepted = || {
        let patterns = review.patterns(SOURCE).patterns;
        patterns.iter().filter(|pattern| pattern.status == Status::Accepted).count()
    };
    let accept = || {
        browser.click("summary[aria-label='Accept many']");
        browser.click(button);
        browser.expect("#ask .preview", "change");
        let count = browser.count("#ask .names li");
        browser.click("#ask [data-do=all]");
        browser.expect("#toast", &format!("accepted: {count} patterns"));
        count
    };
    let count = accept();
    assert_eq!(accepted(), count + 1);
    browser.click("[data-do=undo]");
    browser.expect("#toast", &format!("undone: accepted: {count} patterns"));
    assert_eq!(accepted(), 1);
    browser.expect("#progress", "2 of ");
    accept()
}

/// Follows a removed text to its pattern, and keeps a text. Returns the text.
fn keep_a_text(browser: &Browser) -> String {
    browser.click(".tabs a[href$=documents]");
    browser.click("#documents a");
    let expect_pattern = || {
        let link = browser.property("#document .current a", "href");
        browser.expect("#pattern .id", link.rsplit_once("?id=").expect("an id").1);
    };
    browser.click("#detail [data-do=remove]");
    browser.expect("#toast", "select a text in a document first");
    browser.click("#detail [data-do=too-much]");
    expect_pattern();
    browser.reload();
    browser.click("#document del.removed a");
    expect_pattern();
    let text = "News from the edge of the water";
    assert_eq!(browser.count("ins.kept"), 0);
    browser.select("#document", text);
    browser.click("#selection [data-do=keep]");
    browser.expect("#toast", &format!("never removed from now on, in 27 documents here: “{text}”"));
    browser.expect("ins.kept", text);
    browser.reload();
    browser.expect("ins.kept", text);
    text.to_owned()
}
