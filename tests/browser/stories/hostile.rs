//! Documents, names and patterns that try to be more than text.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

/// As hard as file systems and [`dehusk_corpus::SourceId`] allow.
const NAME: &str = "it's %2F & #1; onerror=x \u{202e}elpmaxe";
/// As it is shown: nothing in it turns the direction of writing.
const SHOWN: &str = r"it's %2F & #1; onerror=x \u{202e}elpmaxe";

/// What every document repeats.
const REPEATED: &str = "<script>alert('once')</script> \"quoted\" </textarea></template></title> \
     <img src=x onerror=alert(2)> <a href=\"javascript:alert(3)\">here</a> \u{202e}desrever &amp;lt; {{7*7}} ${1}";

/// What only one has.
const ALONE: &str = "<svg onload=alert(4)> <!-- <b unclosed='\" <iframe srcdoc='<script>alert(5)</script>'> ]]> \u{0}";

const IDS: [&str; 6] = ["a/b", "q?x=1&y", "#hash", "it's \"quoted\"", "%2F..%2f", "<b onclick=alert(6)>"];

fn corpus() -> TempDir {
    let corpus = tempfile::tempdir().expect("a folder");
    let folder = corpus.path().join(NAME);
    fs::create_dir(&folder).expect("a source");
    let names =
        ["a \"b\" <script>alert(7)<", "%2F..%2Fetc", "?x=1#y & z", "'+alert(8)+'", "\u{202e}txt.exe", " sp ace"];
    for (number, name) in names.into_iter().chain(["seven", "eight"]).enumerate() {
        let words = ["ferry", "gull", "mast", "rope", "tide", "sand", "salt", "oar"][number];
        let prose = format!("The {words} came late and nobody on the {words} pier had seen the {words} before.");
        let text = format!("{REPEATED}\n\n{prose} {prose}\n{ALONE}\n\nSubscribe to our {{{{letter}}}} <b>now</b>\n");
        fs::write(folder.join(format!("{name}.txt")), text).expect("a document");
    }
    corpus
}

/// A document with a line of five million characters.
fn write_long_document(corpus: &Path) {
    let line = "<i>x</i>&\u{301}".repeat(500_000);
    fs::write(corpus.join(NAME).join("zz long.txt"), format!("{REPEATED}\n{line}\n")).expect("a document");
}

/// Patterns with all of these ids, beside those that were mined.
fn with_own_patterns(patterns: TempDir) -> TempDir {
    let entry = |id: &str| {
        let id = id.replace('\'', "''");
        format!(
            "  - id: '{id}'\n    status: proposed\n    regex: 'alert|<b>'\n    example: '<b>alert'\n    note: '{id}'\n"
        )
    };
    let entries: String = IDS.map(entry).concat();
    rewrite(&patterns, |yaml| {
        yaml.replacen("patterns: []\n", "patterns:\n", 1).replacen("patterns:\n", &format!("patterns:\n{entries}"), 1)
    });
    patterns
}

fn rewrite(patterns: &TempDir, rewritten: impl FnOnce(&str) -> String) {
    let path = patterns.path().join(format!("{NAME}.yaml"));
    let yaml = fs::read_to_string(&path).expect("the mined file");
    fs::write(&path, rewritten(&yaml)).expect("the file");
}

impl Browser {
    /// Nothing of a document or a name became an element, an attribute that acts, or a dialog.
    #[track_caller]
    fn expect_text_alone(&self) {
        let script = "const all = [...document.querySelectorAll('body *')];
            const known = `A ARTICLE B BDI BUTTON CITE CODE DD DEL DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE H1 H2 H3 HEADER
              INPUT INS KBD LABEL LEGEND LI MAIN MARK NAV OL OPTION P PROGRESS Q SECTION SELECT SMALL SPAN SUMMARY SVG TABLE TBODY TD
              TEXTAREA TH THEAD TR UL`.split(/\\s+/);
            const isInDrawing = (element) => element.closest('svg') !== null;
            const isOdd = (element) => !isInDrawing(element) && !known.includes(element.tagName.toUpperCase());
            const acts = (element) => [...element.attributes].some(({name, value}) =>
              name.startsWith('on') || name === 'srcdoc' || /^\\s*javascript:/i.test(value));
            return all.filter((element) => isOdd(element) || acts(element)).map((element) => element.outerHTML.slice(0, 200))";
        assert_eq!(self.run(script), serde_json::json!([]));
    }
}

#[test]
fn whatever_documents_say_is_text() {
    let corpus = corpus();
    let review = Review::of(with_own_patterns(mined(corpus.path())), corpus.path());
    in_review_of(
        || review,
        |browser, review| {
            browser.expect("#sources tbody a", SHOWN);
            browser.expect_text_alone();
            browser.click("#sources tbody a");
            browser.expect(".counts", "matches in");
            assert!(browser.texts("a.item .text").iter().any(|text| text.contains("<b>now</b>")));
            browser.expect_text_alone();
            for id in browser.listed() {
                browser.expect_at_hand(&id);
                browser.press("m");
                browser.expect("#matches-of h3", "All ");
                browser.expect_text_alone();
                browser.press("e");
                browser.expect("#trial", "matches");
                browser.expect_text_alone();
                browser.press("Escape");
                browser.press("a");
                browser.expect("#toast", &format!("accepted: “{}", review.called(NAME, &id)));
                browser.expect_text_alone();
            }
            assert!(IDS.iter().all(|id| review.pattern(NAME, id).status == dehusk_core::patterns::Status::Accepted));
            browser.press("n");
            browser.expect_focus("#note");
            browser.type_over("</textarea><script>alert(9)</script>");
            browser.press("Control+Enter");
            browser.expect("#pattern .note", "</textarea><script>alert(9)</script>");
            browser.expect_text_alone();
            browser.reload();
            browser.expect("#pattern .note", "</textarea><script>alert(9)</script>");
            browser.expect_text_alone();
        },
    );
}

#[test]
fn hostile_documents_are_read_and_kept() {
    let corpus = corpus();
    let review = Review::of(mined(corpus.path()), corpus.path());
    in_review_of(
        || review,
        |browser, review| {
            browser.open(&review.page(NAME, "documents"));
            browser.expect_count("#documents tbody tr", 8);
            browser.expect_text_alone();
            browser.click("#documents a");
            browser.expect("#document", "<svg onload=alert(4)>");
            browser.expect_text_alone();
            browser.select("#document", "<iframe srcdoc='<script>alert(5)</script>'>");
            browser.press("x");
            browser.expect("#toast", "<iframe srcdoc='<script>alert(5)</script>'");
            browser.expect_text_alone();
            browser.open(&review.page(NAME, "about"));
            browser.expect(".keeps", "<iframe srcdoc='<script>alert(5)</script>'");
            browser.expect_text_alone();
            browser.click("[data-do=unkeep]");
            browser.expect("#toast", "no longer kept");
        },
    );
}

#[test]
fn a_line_of_megabytes_is_shown_in_parts() {
    let corpus = corpus();
    let patterns = mined(corpus.path());
    write_long_document(corpus.path());
    in_review_of(
        || Review::of(patterns, corpus.path()),
        |browser, review| {
            browser.open(&review.page(NAME, ""));
            browser.expect("a.item", "<b>now</b>");
            browser.press("j");
            browser.expect_text_alone();
            browser.open(&review.page(NAME, "d/7"));
            browser.expect("#document", "more characters are not shown");
            browser.click("[data-do=more-text]");
            browser.expect_count("[data-do=more-text][data-limit='300000']", 1);
            browser.expect_text_alone();
            browser.expect_no_sideways_scroll();
        },
    );
}
