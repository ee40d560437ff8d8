//! `dehusk extract` of one page, which is printed as it is.

use encoding_rs::SHIFT_JIS;

use super::containers::gzip;
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
fn a_page_in_a_hidden_folder_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write(".rain/page.html", page());
    sandbox.write("rain/page.html", page());
    let text = sandbox.expect(0, "extract rain/page.html").stdout;
    assert_eq!(sandbox.expect(0, "extract .rain/page.html").stdout, text);
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
fn a_page_that_hides_all_of_its_text_does_not_come_out_empty() {
    let sandbox = Sandbox::new();
    let body = page().replace("<nav>", "<div style='visibility:hidden'><nav>") + "</div>";
    sandbox.write("rain/shown.html", page());
    sandbox.write("rain/hidden.html", &body);
    sandbox.write("rain/waits.html", format!("<p>Please wait.</p>{body}"));
    let text = |page: &str| sandbox.expect(0, &format!("extract rain/{page}.html")).stdout;
    assert_eq!(text("hidden"), text("shown"));
    assert_eq!(text("waits"), text("shown"));
    let html = sandbox.expect(0, "extract rain/hidden.html --format html").stdout;
    assert!(html.contains(&Story(0).paragraph()) && !html.contains("<footer>"), "{html}");
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
        ran.says("- does not begin like a page")
            .says("name a folder with -o OUT, or write lines of JSON to stdout with -o -");
        assert_eq!(ran.stdout, "");
    }
    sandbox.expect(1, "extract nowhere.html").says("nowhere.html");
    sandbox.expect(1, "extract rain/page.html --resume").says("--resume needs a folder");
    sandbox.expect(1, "extract rain/page.html --prune").says("--prune needs a folder");
    // A text is skipped, as in a folder.
    sandbox.write("rain/note.txt", "Rain again.\n");
    let ran = sandbox.expect(3, "extract rain/note.txt");
    assert_eq!(ran.says("it is no HTML page, and other texts need patterns").stdout, "");
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

/// A page with metadata of all kinds.
fn told_page(number: usize) -> String {
    let head = format!(
        "<html lang=en><meta property=og:site_name content='The Tide'><link rel=canonical href=https://tide.example/{number}>\
         <script type=application/ld+json>{{\"@type\": \"NewsArticle\", \"headline\": \"Rain {number}\", \"author\": \
         {{\"name\": \"Ada Reyl\"}}, \"datePublished\": \"2024-03-1{number}\"}}</script>"
    );
    page().replace("<!doctype html>", &format!("<!doctype html>{head}"))
}

#[test]
fn json_has_what_a_page_says_about_itself() {
    let sandbox = Sandbox::new();
    sandbox.write("rain/page.html", told_page(1));
    let text = sandbox.expect(0, "extract rain/page.html").stdout;
    let expected = |number: usize, url: &str| {
        let text = serde_json::Value::from(text.trim_end());
        format!(
            "\"title\":\"Rain {number}\",\"author\":\"Ada Reyl\",\"date\":\"2024-03-1{number}\",\"language\":\"en\",\"site_name\":\
             \"The Tide\",\"url\":\"{url}\",\"description\":null,\"image\":null,\"text\":{text}}}\n"
        )
    };
    // One page has no name.
    let alone = format!("{{{}", expected(1, "https://tide.example/1"));
    assert_eq!(sandbox.expect(0, "extract rain/page.html --format json").stdout, alone);
    assert_eq!(expect_fed(&sandbox, 0, "extract - --format json", told_page(1)).stdout, alone);
    // Many have one, in a folder and in lines. A known address comes first.
    let lines: String = (2..4)
        .map(|number| {
            let html = serde_json::Value::from(told_page(number));
            format!(
                "{{\"id\": {number}, \"source\": \"s\", \"url\": \"https://s.example/{number}\", \"html\": {html}}}\n"
            )
        })
        .collect();
    sandbox.write("lines.jsonl", &lines);
    let named = format!("{{\"id\":\"page.html\",\"source\":\"rain\",{}", expected(1, "https://tide.example/1"));
    let of_lines: String = (2..4)
        .map(|number| {
            format!(
                "{{\"id\":\"{number}\",\"source\":\"s\",{}",
                expected(number, &format!("https://s.example/{number}"))
            )
        })
        .collect();
    sandbox.expect(0, "extract rain lines.jsonl -o out --format json --quiet");
    assert_eq!(sandbox.read("out/rain/page.html.jsonl"), named);
    assert_eq!(sandbox.read("out/lines.jsonl"), of_lines);
    // What is written can be read again: it is text.
    sandbox.expect(0, "mine out -o patterns --quiet");
    let printed = sandbox.expect(0, "extract rain lines.jsonl -o - --format json --quiet").stdout;
    assert_eq!(printed, of_lines.clone() + &named);
    let fed = expect_fed(&sandbox, 0, "extract - -o - --format json --quiet", &lines);
    assert_eq!(fed.stdout, of_lines);
    let fed = expect_fed(&sandbox, 0, "extract - -o stdin --format json --quiet", told_page(1));
    assert_eq!(fed.stderr, "");
    assert_eq!(sandbox.read("stdin/stdin.jsonl"), named.replace("page.html", "stdin").replace("\"rain\"", "\"stdin\""));
    // Nothing is done again.
    sandbox.expect(0, "extract rain lines.jsonl -o out --format json --resume --quiet");
    assert_eq!(sandbox.read("out/lines.jsonl"), of_lines);
    sandbox.expect(1, "extract rain -o no --format json --spans").says("leave out --format json");
    sandbox.expect(1, "extract rain -o no --format json --on-error copy").says("leave it out, or --format json");
    sandbox.expect(2, "clean rain -p patterns -o no --html json").says("invalid value 'json'");
    sandbox.expect(2, "extract rain -o no --format page").says("[possible values: text, markdown, html, json]");
}

#[test]
fn archives_and_tables_of_pages_become_lines_of_json() {
    let sandbox = Sandbox::new();
    let record = super::containers::response("https://tide.example/a", "", told_page(1).as_bytes());
    sandbox.write("crawl.warc", record);
    sandbox.expect(0, "extract crawl.warc -o out --format json --quiet");
    let line: serde_json::Value = serde_json::from_str(&sandbox.read("out/crawl.warc.jsonl")).expect("a line");
    assert_eq!((&line["title"], &line["url"]), (&"Rain 1".into(), &"https://tide.example/a".into()));
    assert_eq!(
        sandbox.expect(0, "extract crawl.warc -o - --format json --quiet").stdout,
        sandbox.read("out/crawl.warc.jsonl")
    );
}

#[test]
fn statements_of_a_hostile_page_do_no_harm() {
    let sandbox = Sandbox::new();
    let deep = "[".repeat(200_000);
    for (number, json) in
        [&deep, &format!("{deep}{}", "]".repeat(200_000)), "{\"@type\": \"Article\", \"headline\":", "\0"]
            .iter()
            .enumerate()
    {
        let script = format!("<script type=application/ld+json>{json}</script>");
        sandbox.write(&format!("rain/{number}.html"), page().replace("<nav>", &format!("{script}<nav>")));
        let ran = sandbox.expect(0, &format!("extract rain/{number}.html --format json"));
        assert!(ran.stdout.starts_with("{\"title\":\"Rain\",\"author\":null,"), "{}", ran.stdout);
    }
}
