//! Somebody else changes the pattern files while a review is open.

use std::fs;

use dehusk_core::patterns::Status;

use super::*;

/// Opens the review of the source; gives the ids that are listed.
fn opened(browser: &Browser, review: &Review) -> Vec<String> {
    browser.open(&review.page(SOURCE, ""));
    browser.expect(".counts", "matches in");
    browser.press("j");
    let ids = browser.listed();
    browser.expect_at_hand(&ids[1]);
    ids
}

/// An editor writes a note on a pattern.
fn note(review: &Review, id: &str, note: &str) {
    let mut file = review.patterns(SOURCE);
    file.patterns.iter_mut().find(|pattern| pattern.id == id).expect("the pattern").note = note.to_owned();
    fs::write(review.path(SOURCE), file.to_yaml()).expect("the pattern file");
}

#[test]
fn what_an_editor_writes_is_shown_and_stays() {
    in_review(|browser, review| {
        let ids = opened(browser, review);
        note(review, &ids[1], "from an editor");
        browser.expect("#pattern .note", "from an editor");
        review.edit(SOURCE, "dehusk: 1\n", "# Reviewed in May.\ndehusk: 1\n");
        let by_hand = "patterns:\n  - {id: by-hand, status: accepted, regex: 'Tidelines?', example: Tideline}\n";
        review.edit(SOURCE, "patterns:\n", by_hand);
        browser.expect_count("a.item[data-id=by-hand]", 1);

        browser.expect_at_hand(&ids[1]);
        browser.click(&format!("a.item[data-id='{}']", ids[2]));
        browser.press("a");
        browser.expect("#toast", &format!("accepted: “{}", review.called(SOURCE, &ids[2])));
        assert_eq!(review.pattern(SOURCE, &ids[2]).status, Status::Accepted);
        assert_eq!(review.pattern(SOURCE, &ids[1]).note, "from an editor");
        assert_eq!(review.pattern(SOURCE, "by-hand").regex, "Tidelines?");
        assert!(review.file(SOURCE).starts_with("# Reviewed in May.\n"), "{}", review.file(SOURCE));
    });
}

#[test]
fn a_decision_on_what_an_editor_changed_is_refused() {
    in_review(|browser, review| {
        let ids = opened(browser, review);
        browser.press("e");
        browser.expect_focus("#regex");
        browser.type_over("our own");
        note(review, &ids[1], "theirs");
        let theirs = review.file(SOURCE);
        browser.press("Control+Enter");
        browser.expect("#toast.bad", &format!("pattern {} was changed in its file meanwhile", ids[1]));
        browser.expect("#pattern .note", "theirs");
        assert_eq!(browser.property("#regex", "value"), "our own", "what was typed is not lost");
        assert_eq!(review.file(SOURCE), theirs);
        browser.press("Control+Enter");
        browser.expect("#toast", "edited");
        let pattern = review.pattern(SOURCE, &ids[1]);
        assert_eq!((pattern.regex.as_str(), pattern.note.as_str()), ("our own", "theirs"));
        // The console tells of every answer that is no success.
        browser.expect_complaints(&["status of 409"]);
    });
}

#[test]
fn what_an_editor_changed_since_is_not_undone() {
    in_review(|browser, review| {
        let ids = opened(browser, review);
        browser.press("a");
        browser.expect("#toast", &format!("accepted: “{}", review.called(SOURCE, &ids[1])));
        let last = ids[2].clone();
        browser.expect_at_hand(&last);
        browser.press("r");
        browser.expect("#toast", "rejected: ");
        note(review, &last, "I agree");
        let theirs = review.file(SOURCE);
        browser.press("u");
        browser.expect("#toast.bad", &format!("pattern {last} was changed in its file meanwhile"));
        assert_eq!(review.file(SOURCE), theirs);
        browser.press("u");
        browser.expect("#toast", &format!("undone: accepted: “{}", review.called(SOURCE, &ids[1])));
        assert_eq!(review.pattern(SOURCE, &last).note, "I agree");
        browser.expect_complaints(&["status of 409"]);
    });
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_until_it_is_mended() {
    in_review(|browser, review| {
        let ids = opened(browser, review);
        browser.press("r");
        browser.expect("#toast", "rejected");
        let good = review.file(SOURCE);
        review.edit(SOURCE, "patterns:\n", "patterns: ]\n");
        let broken = review.file(SOURCE);
        browser.expect("#problem", &format!("{SOURCE}.yaml:"));
        for key in ["a", "u"] {
            browser.press(key);
            browser.expect("#toast.bad", "correct the file");
            browser.run("document.querySelector('#toast').textContent = ''");
        }
        assert_eq!(review.file(SOURCE), broken);
        fs::write(review.path(SOURCE), &good).expect("the pattern file");
        browser.expect_count("#problem[hidden]", 1);
        browser.press("u");
        browser.expect("#toast", &format!("undone: rejected: “{}", review.called(SOURCE, &ids[1])));
        assert_eq!(review.pattern(SOURCE, &ids[1]).status, Status::Proposed);
        browser.expect_complaints(&["status of 409", "status of 409"]);
    });
}

#[test]
fn patterns_and_files_come_and_go() {
    in_review(|browser, review| {
        let ids = opened(browser, review);
        let mut file = review.patterns(SOURCE);
        file.patterns.retain(|pattern| pattern.id != ids[1]);
        fs::write(review.path(SOURCE), file.to_yaml()).expect("the pattern file");
        browser.expect("#detail", "no longer in its file");
        browser.expect_count(&format!("a.item[data-id='{}']", ids[1]), 0);
        browser.expect_count("body.lost", 0);
        browser.press("j");
        browser.expect_count("#pattern", 1);

        browser.open(&review.url);
        browser.expect("#sources", SOURCE);
        fs::write(review.path("aaa-broken"), "patterns: ]").expect("a file that is not one yet");
        let another = review.file(SOURCE).replace(&format!("source: {SOURCE}"), "source: another.example");
        fs::write(review.path("another.example"), another).expect("a new file");
        browser.expect_count("#sources a[href*='another.example']", 1);
        browser.expect_complaints(&["status of 404"]);
    });
}
