//! `dehusk extract` of one page, which is printed as it is.

use encoding_rs::SHIFT_JIS;

use super::containers::gzip;
use super::streams::expect_fed;
use super::*;

/// A page with a menu, a story and a foot.
fn page() -> String {
    let story: String = (0..8).map(|number| format!("<p>{}</p>\n", Story(number).paragraph())).collect();
    format!(
        "<!doctype html>\n<title>Rain</title><nav><ul><li><a href=/>Home</a><li><a href=/a>About us</a></ul></nav>\n\
         <article><h1>Rain again</h1>\n{story}</article>\n<footer><a href=/terms>Terms of use</a></footer>\n"
    )
}

/// The only file in a folder.
fn only_file(sandbox: &Sandbox, folder: &str) -> Vec<u8> {
    sandbox.tree(folder).into_values().next().expect("a file")
}

#[test]
fn a_page_is_printed_as_it_is_written_to_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("rain/page.html", page());
    sandbox.write("rain/page.html.gz", gzip(page().as_bytes()));
    for format in ["text", "markdown", "html"] {
        sandbox.expect(0, &format!("extract rain/page.html -o {format} --format {format} --quiet"));
        let mut expected = String::from_utf8(only_file(&sandbox, format)).expect("UTF-8");
        assert!(expected.contains("Rain again") && !expected.contains("Terms of use"), "{expected}");
        if format != "html" {
            expected.push('\n');
        }
        for path in ["rain/page.html", "rain/page.html.gz"] {
            let ran = sandbox.expect(0, &format!("extract {path} --format {format}"));
            assert_eq!((ran.stdout, ran.stderr), (expected.clone(), String::new()), "{path}");
        }
        for bytes in [page().into_bytes(), gzip(page().as_bytes())] {
            let ran = expect_fed(&sandbox, 0, &format!("extract - --format {format}"), bytes);
            assert_eq!((ran.stdout, ran.stderr), (expected.clone(), String::new()), "stdin");
        }
    }
    let text = sandbox.expect(0, "extract rain/page.html").stdout;
    assert_eq!(text, sandbox.read("text/rain/page.txt") + "\n");
}

#[test]
fn a_printed_page_stays_in_its_encoding() {
    let sandbox = Sandbox::new();
    let foot = "<footer><a href=/>\u{5229}\u{7528}\u{898f}\u{7d04}</a></footer>";
    let story = "<p>\u{96e8}\u{304c}\u{964d}\u{3063}\u{3066}\u{3044}\u{307e}\u{3059}\u{3002}</p>".repeat(20);
    for page in [format!("<meta charset=shift_jis><main>{story}</main>{foot}"), "<meta charset=shift_jis>".to_owned()] {
        let (bytes, _, _) = SHIFT_JIS.encode(&page);
        sandbox.write("rain/page.html", &bytes);
        sandbox.expect(0, "extract rain/page.html -o out --format html --quiet");
        let output = sandbox.command("extract rain/page.html --format html").output().expect("it runs");
        assert_eq!(output.stdout, only_file(&sandbox, "out"), "{page}");
    }
}

#[test]
fn what_is_no_single_page_needs_an_output() {
    let sandbox = Sandbox::new();
    sandbox.write("rain/page.html", page());
    sandbox.write("rain/more.html", page());
    sandbox.write("list.txt", "rain/page.html\n");
    sandbox.write("lines.jsonl", "{\"source\": \"rain\", \"html\": \"<p>Rain</p>\"}\n");
    for (corpus, what) in [
        ("rain", "is a folder"),
        ("rain/page.html rain/more.html", "there are 2 paths"),
        ("lines.jsonl", "is a file of many documents"),
        ("nowhere.warc.gz", "is a file of many documents"),
        ("rain/*.html", "is a glob"),
        ("--files-from list.txt", "there is a list of paths"),
    ] {
        let ran = sandbox.expect(2, &format!("extract {corpus}"));
        ran.says(what).says("name a folder with -o OUT, or write lines of JSON to stdout with -o -");
        assert_eq!(ran.stdout, "", "{corpus}");
    }
    for input in ["{\"source\": \"rain\", \"html\": \"<p>Rain</p>\"}\n", "Rain again.\n", ""] {
        let ran = expect_fed(&sandbox, 1, "extract -", input);
        ran.says("- is no page").says("name a folder with -o OUT, or write lines of JSON to stdout with -o -");
        assert_eq!(ran.stdout, "");
    }
    sandbox.expect(1, "extract nowhere.html").says("nowhere.html");
    sandbox.expect(1, "extract rain/page.html --resume").says("--resume needs a folder");
    sandbox.expect(1, "extract rain/page.html --prune").says("--prune needs a folder");
    // A text is skipped, as in a folder.
    sandbox.write("rain/note.txt", "Rain again.\n");
    let ran = sandbox.expect(3, "extract rain/note.txt");
    assert_eq!(ran.says("it is no HTML page, which `extract` needs").stdout, "");
    // So is what is too large.
    sandbox.expect(3, "extract rain/page.html --max-document 10").says("more than the 10 that a document may have");
    expect_fed(&sandbox, 3, "extract - --max-document 10", page()).says("more");
}

#[test]
fn a_printed_page_can_have_spans_a_report_and_a_summary() {
    let sandbox = Sandbox::new();
    sandbox.write("rain/page.html", page());
    let ran = sandbox.expect(0, "extract rain/page.html --spans --report report.jsonl --json");
    assert!(ran.stdout.starts_with("{\"id\":\"page.html\",\"attributes\":"), "{}", ran.stdout);
    ran.says("\"documents\": 1");
    assert_eq!(sandbox.read("report.jsonl").lines().count(), 1);
}
