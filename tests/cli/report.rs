//! `dehusk review --report`: the page that it writes, and what it refuses to write.

use super::*;

/// The page without its style sheet, whose comments hold HTML.
fn without_style(html: &str) -> String {
    let (start, end) = (html.find("<style>").expect("a style sheet") + 7, html.find("</style>").expect("its end"));
    format!("{}{}", &html[..start], &html[end..])
}

/// What a page says between tags.
fn text_of(html: &str) -> String {
    let tags = regex::Regex::new("<[^>]*>").expect("a regex");
    tags.replace_all(&without_style(html), "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace('\u{a0}', " ")
        .replace("&amp;", "&")
}

/// What comes in quotes after this.
fn values<'h>(html: &'h str, before: &str) -> Vec<&'h str> {
    html.split(before).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// No script, nothing from elsewhere, every link leads somewhere, headings in order.
fn check_page(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">") && html.ends_with("</html>"));
    assert!(html.contains("content=\"default-src 'none'; style-src 'sha256-"), "it has a policy");
    let html = &without_style(html);
    let tags: String = regex::Regex::new("<[^>]*>").expect("a regex").find_iter(html).map(|tag| tag.as_str()).collect();
    for forbidden in ["<script", "<img", "<iframe", "<link", "<form", " style=", " on", "javascript:", " src="] {
        assert!(!tags.contains(forbidden), "{forbidden}");
    }
    let ids = values(html, " id=\"");
    let links = values(html, " href=\"");
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "no id stands twice");
    for link in links {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads elsewhere"));
        assert!(unique.contains(id), "{link} leads nowhere");
    }
    let heading = regex::Regex::new("<h([1-6])").expect("a regex");
    let levels: Vec<u32> = heading.captures_iter(html).map(|found| found[1].parse().expect("a digit")).collect();
    assert_eq!(levels.first(), Some(&1));
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    assert!(html.contains("<main id=\"main\">") && html.contains("class=\"skip\" href=\"#main\""));
}

/// A mined source of six pages.
fn mined() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

fn report(sandbox: &Sandbox, arguments: &str) -> String {
    let ran = sandbox.expect(0, &format!("review corpus -p patterns {arguments} --report - --quiet"));
    check_page(&ran.stdout);
    without_style(&ran.stdout)
}

#[test]
fn the_sample_corpus_makes_a_page() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let ran = sandbox.expect(0, &format!("review {} -p patterns --report new/report.html", news()));
    ran.says("wrote new/report.html: ");
    assert_eq!(ran.stdout, "");
    let html = sandbox.read("new/report.html");
    check_page(&html);
    assert!(html.len() < 1_200_000, "{} bytes for six sources", html.len());
    let text = text_of(&html);
    for part in [
        "6 sources, 130 documents",
        "Shared patterns",
        "Over time, by the dates in their names.",
        "when mined: 27 of 27",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("mined from 10 different documents: with fewer than 20"), "marsa-press is small");
    assert!(
        html.contains("<del class=\"removed\" title=\"") && html.contains("><a href=\"#s1-p"),
        "marks lead to cards"
    );
    // Evidence has no status, and is not shown.
    let patterns: usize = sandbox
        .tree("patterns")
        .values()
        .map(|yaml| String::from_utf8_lossy(yaml).matches("    status: ").count())
        .sum();
    let shown = without_style(&html).matches("<article class=\"pattern\"").count();
    assert!(shown == patterns && patterns > 20, "every pattern is shown: {shown} of {patterns}");
    sandbox.expect(0, &format!("review {} -p patterns --report again.html --threads 1 --quiet", news()));
    assert_eq!(sandbox.read("again.html"), html, "the same input gives the same bytes");
}

#[test]
fn a_folder_has_an_index_and_a_page_for_each_source() {
    let sandbox = mined();
    sandbox.write_pages("ebb & flow", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.expect(0, "review corpus -p patterns --report new/report/").says("wrote new/report/: ");
    let pages = ["index.html", "sources/tide.html", "sources/ebb & flow.html"]
        .map(|page| sandbox.read(&format!("new/report/{page}")));
    for page in &pages {
        assert!(!without_style(page).contains("<details class=\"source\"") && page.starts_with("<!DOCTYPE html>"));
    }
    let [index, tide, _] = &pages;
    assert!(index.contains("href=\"sources/tide.html\"") && index.contains("href=\"sources/ebb%20%26%20flow.html\""));
    assert!(!without_style(index).contains("<article"), "patterns are on the pages of the sources");
    assert!(tide.contains("href=\"../index.html\"") && without_style(tide).contains("<article class=\"pattern\""));
    // All links lead somewhere.
    for (page, folder) in pages.iter().zip(["", "sources/", "sources/"]) {
        for link in values(&without_style(page), " href=\"") {
            let file = link.split('#').next().unwrap_or_default().replace("%20", " ").replace("%26", "&");
            assert!(file.is_empty() || sandbox.path(&format!("new/report/{folder}{file}")).exists(), "{link}");
        }
    }
    sandbox.expect(0, "review corpus -p patterns --report new/report/ --quiet");
    sandbox.write("new/report/sources/tide.html", "ours");
    sandbox.expect(1, "review corpus -p patterns --report new/report/ --quiet");
    sandbox.expect(0, "review corpus -p patterns --report new/report/ --quiet --force");
    assert!(sandbox.read("new/report/sources/tide.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn nothing_of_a_document_is_markup() {
    let sandbox = mined();
    const HOSTILE: &str = "\"><script>alert('&amp;')</script><img src=x onerror=alert(1)> read all about it today";
    for number in 0..6 {
        let page = format!("{HOSTILE}\n\n{}", page(number, 3));
        sandbox.write(&format!("corpus/tide & 'ebb'/{number}\"<i>.txt"), page);
    }
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox.edit("patterns/tide & 'ebb'.yaml", "note: ''", "note: '<u>\"&'");
    let html = report(&sandbox, "");
    for hostile in ["<script", "<img", "<i>.txt", "<u>"] {
        assert!(!html.contains(hostile), "{hostile}");
    }
    let text = text_of(&html);
    for part in ["tide & 'ebb'", "\"<i>.txt", "Note: <u>\"&", "<script>alert('&amp;')</script>"] {
        assert!(text.replace("&quot;", "\"").contains(part), "{part}");
    }
}

#[test]
fn what_people_decided_shows() {
    let sandbox = mined();
    let file = "patterns/tide.yaml";
    sandbox.edit(file, "status: proposed", "status: rejected");
    sandbox.edit(file, "status: proposed", "status: accepted");
    sandbox.edit(file, "patterns:\n", "keep:\n  - text: 'The Daily Tide'\n    note: 'our name'\npatterns:\n");
    let text = text_of(&report(&sandbox, ""));
    for part in ["Rejected patternsThey remove nothing.", "Texts to keepThe Daily Tideour name", "accepted"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let only = text_of(&report(&sandbox, "--only accepted --recurrence-alone"));
    assert!(
        only.contains("Cleaned with the learned method, by recurrence alone, with accepted patterns only"),
        "{only}"
    );
}

#[test]
fn what_is_not_shown_in_full_is_counted() {
    let sandbox = mined();
    let patterns = sandbox.read("patterns/tide.yaml").matches("    status: ").count();
    assert!(patterns > 2, "{patterns}");
    let html = report(&sandbox, "--report-patterns 1 --report-documents 0");
    assert_eq!(html.matches("<article class=\"pattern\"").count(), 1);
    assert!(text_of(&html).contains(&format!("In short: the next {} patterns, which together remove ", patterns - 1)));
    assert!(!html.contains("class=\"document\""));
    let html = report(&sandbox, "--report-documents 9");
    assert_eq!(html.matches("class=\"document\"").count(), 6, "no document twice");
}

#[test]
fn a_file_without_histogram_says_how_to_get_one() {
    let sandbox = mined();
    let before = sandbox.read("patterns/tide.yaml");
    assert!(text_of(&report(&sandbox, "")).contains("repeats are in"));
    let cut = before.find("\nhistogram:").map_or(before.as_str(), |at| &before[..=at]);
    sandbox.write("patterns/tide.yaml", cut);
    assert!(text_of(&report(&sandbox, "")).contains("has no histogram of repeats; mine the source again"));
}

#[test]
fn sources_and_files_that_do_not_meet_are_named() {
    let sandbox = mined();
    sandbox.write_pages("ebb", 0..2);
    sandbox.write("patterns/gone.yaml", sandbox.read("patterns/tide.yaml").replace("source: tide", "source: gone"));
    let text = text_of(&report(&sandbox, ""));
    assert!(
        text.contains("ebb 2 documents, 0.0 % removed, 1 warningthere is no pattern file for this source"),
        "{text}"
    );
    assert!(text.contains("gone 0 documents, – removed, 1 warningthe corpus has no document of this source"), "{text}");
}

#[test]
fn documents_that_are_left_out_are_named() {
    let sandbox = mined();
    sandbox.write("corpus/tide/zero.txt", [0, 1, 2, 3]);
    sandbox.write("corpus/tide/slow.txt", format!("{}b c", "a".repeat(40)));
    let hand = "patterns:\n  - {id: by-hand, status: accepted, regex: '(a|aa)+(?=x)c', example: ac}\n";
    sandbox.edit("patterns/tide.yaml", "patterns:\n", hand);
    let ran = sandbox.expect(3, "review corpus -p patterns --report - --quiet");
    ran.says("zero.txt: looks binary").says("tide/slow.txt: pattern by-hand: ");
    check_page(&ran.stdout);
    let text = text_of(&ran.stdout);
    assert!(
        text.contains("2 of 8 documents could not be read or cleaned") && text.contains("Skipped documents"),
        "{text}"
    );
    assert!(text.contains("zero.txt: looks binary"), "{text}");
}

#[test]
fn a_report_never_takes_the_place_of_input() {
    let sandbox = mined();
    sandbox.write("patterns/notes.txt", "ours");
    let before = sandbox.tree("");
    for (output, says) in [
        ("corpus", "it is a folder; name a file in it"),
        ("corpus/report.html", "is inside the input \"corpus\": choose another one"),
        ("corpus/tide/00001.txt", "is inside the input"),
        ("patterns/tide.yaml", "is the same as the input \"patterns/tide.yaml\": choose another one"),
    ] {
        sandbox.expect(1, &format!("review corpus -p patterns --report {output}")).says(says);
    }
    assert_eq!(sandbox.tree(""), before);
    sandbox.expect(0, "review corpus -p patterns --report report.html --quiet");
    sandbox.expect(0, "review corpus -p patterns --report report.html --quiet");
}

#[test]
fn what_cannot_be_reported_on_is_an_error() {
    let sandbox = mined();
    fs::create_dir(sandbox.path("empty")).expect("a folder");
    for (arguments, says) in [
        ("empty -p patterns", "no documents in \"empty\""),
        ("corpus -p empty", "no pattern files (.yaml) in this folder"),
        ("corpsu -p patterns", "cannot find \"corpsu\": did you mean \"corpus\"?"),
        ("corpus -p patern", "cannot read the pattern folder patern"),
    ] {
        sandbox.expect(1, &format!("review {arguments} --report report.html")).says(says);
        assert!(!sandbox.path("report.html").exists(), "{arguments}");
    }
}

#[test]
fn the_order_it_once_had_is_refused_with_a_hint() {
    let sandbox = Sandbox::new();
    for arguments in ["review patterns corpus --report report.html", "review patterns corpus"] {
        let ran = sandbox.expect(2, arguments);
        ran.says("--patterns <PATTERNS>").says("tip: the corpus comes first, then the patterns: CORPUS... -p PATTERNS");
    }
}
