//! Every view is usable without sight, without a mouse, and on small screens.

use super::*;

/// Wide, and as narrow as a small phone.
const WIDTHS: [u32; 2] = [1440, 320];

impl Browser {
    /// Nothing makes the page wider than the window.
    #[track_caller]
    pub(super) fn expect_no_sideways_scroll(&self) {
        let script = "const wide = document.scrollingElement;
            if (wide.scrollWidth <= innerWidth) return null;
            const out = [...document.querySelectorAll('body *')]
              .filter((element) => element.getBoundingClientRect().right > innerWidth + 1);
            return `${wide.scrollWidth} of ${innerWidth}: ` + out.map((element) => element.outerHTML.slice(0, 120)).join('\\n')";
        assert_eq!(self.run(script), serde_json::Value::Null);
    }

    /// At every width; each colour scheme as well.
    #[track_caller]
    fn expect_open_to_all(&self) {
        for width in WIDTHS {
            self.resize(width, 900);
            self.expect_no_barriers();
        }
        for width in [320, 800, 1920] {
            self.resize(width, 900);
            self.expect_no_sideways_scroll();
        }
        self.resize(1440, 900);
    }
}

#[test]
fn lists_and_patterns_are_open_to_all() {
    in_review(|browser, review| {
        browser.expect_count("#sources tbody tr", 7);
        browser.expect_open_to_all();
        browser.open(&review.page(SOURCE, ""));
        browser.expect(".counts", "matches in");
        browser.press("a");
        browser.expect("#toast", "accepted");
        browser.expect_open_to_all();
        browser.press("j");
        browser.press("m");
        browser.expect_count("#matches-of h3", 1);
        browser.expect_open_to_all();
    });
}

#[test]
fn forms_and_menus_are_open_to_all() {
    in_review(|browser, review| {
        browser.open(&review.page(SOURCE, ""));
        browser.expect(".counts", "matches in");
        browser.press("e");
        browser.expect_focus("#regex");
        browser.type_over("the|(");
        browser.expect("#trial .warning", "Parsing error");
        browser.expect_open_to_all();
        browser.press("Backspace");
        browser.press("Backspace");
        browser.expect("#trial", "New matches");
        browser.expect_open_to_all();
        browser.press("Escape");
        browser.press("n");
        browser.expect_open_to_all();
        browser.press("Escape");
        for menu in ["Accept many", "Reject many"] {
            browser.click(&format!("summary[aria-label='{menu}']"));
            browser.expect_count("#pattern .split details[open]", 1);
            browser.expect_open_to_all();
            browser.press("Escape");
        }
        browser.click("summary[aria-label='Reject many']");
        browser.click(".menu [data-group=listed][data-status=rejected]");
        browser.expect("#ask", "documents change");
        browser.expect_open_to_all();
        browser.press("Escape");
        browser.press("?");
        browser.expect_count("#help[open]", 1);
        browser.expect_open_to_all();
    });
}

#[test]
fn documents_are_open_to_all() {
    in_review(|browser, review| {
        browser.open(&review.page(SOURCE, "documents"));
        browser.expect_open_to_all();
        browser.open(&review.page(SOURCE, "d/1"));
        browser.press("j");
        browser.expect_count("#pattern", 1);
        browser.select("#document", "News from the edge");
        browser.press("x");
        browser.expect_count("ins.kept", 1);
        browser.expect_open_to_all();
        browser.open(&review.page(SOURCE, "about"));
        browser.expect_count(".keeps li", 1);
        browser.expect_open_to_all();
    });
}
