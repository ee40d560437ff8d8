//! A person finds the sources that need a decision.

use super::*;

impl Browser {
    /// Waits until these sources are in the table, in this order, and nothing else.
    #[track_caller]
    fn expect_sources(&self, names: &[&str]) {
        eventually(&format!("the sources {names:?}"), || match self.texts("#sources tbody th") {
            shown if shown.iter().map(|name| name.split('.').next().unwrap_or_default()).eq(names.iter().copied()) => {
                Ok(())
            }
            shown => Err(format!("they are {shown:?}")),
        });
    }
}

/// In the order of their names, and in the order of what is removed.
const BY_NAME: [&str; 7] =
    ["(shared)", "bergland-bote", "harbor-ledger", "marsa-press", "orchard-courier", "shiomi-shinpo", "tideline-wire"];

/// A review of the sample corpus, in which two sources have a warning.
fn with_warnings() -> Review {
    let review = Review::of_sample_corpus();
    for source in ["marsa-press.example", "shiomi-shinpo.example"] {
        let unusual = "unusual: 'about 40 % of its content would be lost'\npatterns:\n";
        review.edit(source, "patterns:\n", unusual);
    }
    review
}

#[test]
fn sources_are_sorted_and_filtered_and_the_address_says_how() {
    in_review_of(with_warnings, |browser, review| {
        // Sources with a warning come first.
        let rest = BY_NAME.into_iter().filter(|name| !["marsa-press", "shiomi-shinpo"].contains(name));
        browser.expect_sources(&["marsa-press", "shiomi-shinpo"].into_iter().chain(rest).collect::<Vec<_>>());
        browser.press("1");
        browser.expect_sources(&BY_NAME);
        browser.expect_count("#sources [aria-sort=ascending] #by-source", 1);
        browser.expect("#sources tbody", "58.9");
        browser.click("#by-mined");
        let by_mined = ["marsa-press", "shiomi-shinpo", "harbor-ledger", "bergland-bote"];
        let order = || browser.texts("#sources tbody th");
        eventually("the order", || {
            if order()[0].starts_with(by_mined[0]) { Ok(()) } else { Err(format!("{:?}", order())) }
        });
        browser.expect_count("#sources [aria-sort=descending] #by-mined", 1);
        browser.expect_focus("#by-mined");
        assert!(order().iter().zip(by_mined).all(|(shown, name)| shown.starts_with(name)), "{:?}", order());
        browser.expect_no_barriers();
        browser.press("6");
        browser.expect_count("#sources [aria-sort=ascending] #by-mined", 1);
        browser.press("3");
        browser.expect_count("#sources [aria-sort=descending] #by-patterns", 1);
        browser.press("1");
        browser.expect_sources(&BY_NAME);

        browser.press("/");
        browser.type_in("er");
        browser.expect_sources(&["bergland-bote", "harbor-ledger", "orchard-courier"]);
        browser.expect_focus("#search");
        browser.press("Escape");
        browser.press("1");
        browser.expect_sources(&["orchard-courier", "harbor-ledger", "bergland-bote"]);
        browser.reload();
        browser.expect_sources(&["orchard-courier", "harbor-ledger", "bergland-bote"]);
        assert_eq!(browser.property("#search", "value"), "er");

        // The other pages go through the sources in the same order, and back to it.
        browser.click("#sources tbody a[href*=orchard]");
        browser.expect_count("#source-next[title^=harbor]", 1);
        assert_eq!(browser.count("#source-before"), 0);
        browser.press("N");
        browser.expect("h1", "harbor-ledger");
        browser.expect_count("#source-before[title^=orchard]", 1);
        browser.click("a.home");
        browser.expect_sources(&["orchard-courier", "harbor-ledger", "bergland-bote"]);

        browser.open(&format!("{}?only=warning", review.url));
        browser.expect_sources(&["marsa-press", "shiomi-shinpo"]);
        browser.click("#only-doubted");
        browser.expect_count("#only-doubted[aria-current]", 1);
        browser.expect_no_barriers();
    });
}

#[test]
fn what_is_decided_leaves_the_undecided() {
    in_review(|browser, review| {
        browser.press("1");
        browser.expect_sources(&BY_NAME);
        browser.click("#only-undecided");
        browser.expect_sources(&BY_NAME);
        let file = review.file("_shared");
        std::fs::write(review.path("_shared"), file.replace("status: proposed", "status: accepted")).expect("the file");
        browser.expect_sources(&BY_NAME[1..]);
        browser.open(&review.page("_shared", ""));
        browser.expect("#finished", "All 2 patterns of this source are decided. Next undecided source: bergland-bote");
    });
}

#[test]
fn a_doubtful_cutoff_is_told_about_the_source_alone() {
    in_review(|browser, review| {
        let file = review.file(SOURCE);
        let histogram = file.lines().find(|line| line.starts_with("histogram:")).expect("a histogram");
        review.edit(SOURCE, histogram, "histogram: {5: 900, 95: 1}");
        browser.open(&review.page(SOURCE, "about"));
        browser.expect("#main", "removed now");
        browser.expect("#main", "do not form 2 groups");
        browser.expect_no_barriers();
        browser.open(&review.url);
        browser.expect("#sources tbody", "58.9");
        assert!(!browser.text("#main").contains("do not form 2 groups"));
    });
}

#[test]
fn the_header_is_one_row_on_a_phone() {
    in_review(|browser, review| {
        browser.resize(390, 844);
        for page in ["", "documents", "about", "d/1"] {
            browser.open(&review.page(SOURCE, page));
            browser.expect_count("#source-next, #source-before", 1 + usize::from(SOURCE != "tideline-wire.example"));
            let script = "const rows = [...document.querySelectorAll('header.page :is(h1, nav a, button)')]
                .filter((element) => element.checkVisibility())
                .map((element) => element.getBoundingClientRect());
                const middle = (row) => (row.top + row.bottom) / 2;
                return [Math.max(...rows.map(middle)) - Math.min(...rows.map(middle)), rows.length]";
            let rows = browser.run(script);
            assert!(rows[0].as_f64().is_some_and(|apart| apart < 8.0), "{page}: {rows}");
            assert!(rows[1].as_u64().is_some_and(|count| count >= 6), "{page}: {rows}");
            assert!(
                browser
                    .run("return document.querySelector('h1 .name').clientWidth")
                    .as_u64()
                    .is_some_and(|width| width > 40)
            );
            browser.expect_no_sideways_scroll();
        }
    });
}
