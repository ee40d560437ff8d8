//! What people do in the review, from its start to its end, and what must not happen to them.

use super::in_browser;
use super::review::{Review, mined};
use super::session::Browser;
use super::tools;
use super::waiting::eventually;

mod asking;
mod barriers;
mod deciding;
mod editors;
mod hostile;
mod keyboard;
mod mouse;
mod overview;
mod scale;

/// The source of the sample corpus that most stories are about.
const SOURCE: &str = "tideline-wire.example";

/// Tells a story about a new review of the sample corpus.
fn in_review(story: impl FnOnce(&Browser, &Review)) {
    in_review_of(Review::of_sample_corpus, story);
}

/// Tells a story about a review; it ends after its page, which would complain.
fn in_review_of(review: impl FnOnce() -> Review, story: impl FnOnce(&Browser, &Review)) {
    if tools::found().is_none() {
        return;
    }
    let review = review();
    in_browser(|browser| {
        browser.resize(1440, 900);
        browser.open(&review.url);
        story(browser, &review);
    });
}

impl Review {
    /// The name of a pattern in messages: the first words of its example.
    fn called(&self, source: &str, id: &str) -> String {
        let words = self.pattern(source, id).example.split_whitespace().collect::<Vec<_>>().join(" ");
        words.chars().take(20).collect()
    }
}

impl Browser {
    /// The console reported these so far, in this order, and nothing else.
    #[track_caller]
    fn expect_complaints(&self, parts: &[&str]) {
        let complaints = self.complaints();
        let fit =
            complaints.len() == parts.len() && complaints.iter().zip(parts).all(|(line, part)| line.contains(part));
        assert!(fit, "{complaints:#?}");
    }

    /// The id of the pattern that is chosen in the list.
    #[track_caller]
    fn chosen(&self) -> String {
        self.property("a.item[aria-current]", "dataset.id")
    }

    /// Waits until this pattern is selected in the list, and shown beside it.
    #[track_caller]
    fn expect_at_hand(&self, id: &str) {
        let script =
            "return ['a.item[aria-current]', '#pattern'].map((css) => document.querySelector(css)?.dataset.id)";
        eventually(&format!("{id} at hand"), || match self.run(script) {
            ids if ids == serde_json::json!([id, id]) => Ok(()),
            ids => Err(format!("it is {ids}")),
        });
    }

    /// The ids of the patterns that are listed, without those of folded groups.
    #[track_caller]
    fn listed(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('a.item:not(.loose)')]
            .filter((item) => !item.closest('details:not([open])')).map((item) => item.dataset.id)";
        serde_json::from_value(self.run(script)).expect("ids")
    }

    /// Waits until this number of patterns is listed, without those of folded groups.
    #[track_caller]
    fn expect_listed(&self, count: usize) {
        eventually(&format!("{count} patterns in the list"), || match self.listed().len() {
            found if found == count => Ok(()),
            found => Err(format!("{found} are there")),
        });
    }
}
