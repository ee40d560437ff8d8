//! Input that was made to hang, crash or fill the memory.
//!
//! Every run is killed after [`PATIENCE`]. Work that takes seconds on a busy machine must not fail, and work that hangs
//! must fail.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

const PATIENCE: Duration = Duration::from_secs(300);

const STORY: &str = "The ferry sailed at dawn and came back before the moon stood over Hale.";

/// Runs the program with a time limit. Its output goes to files, because a full pipe would block it.
fn run(sandbox: &Sandbox, arguments: &str) -> Ran {
    let log = |name: &str| fs::File::create(sandbox.path(name)).expect("a file");
    let mut command = sandbox.command(arguments);
    let child = command.stdin(Stdio::null()).stdout(log("stdout")).stderr(log("stderr")).spawn();
    let mut child = child.expect("the program starts");
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None if start.elapsed() < PATIENCE => sleep(Duration::from_millis(5)),
            None => {
                let _ = child.kill();
                panic!("dehusk {arguments} hangs");
            }
        }
    };
    Ran { status: status.code(), stdout: sandbox.read("stdout"), stderr: sandbox.read("stderr") }
}

/// Runs the program, which must end with this status within the time limit.
#[track_caller]
fn expect(sandbox: &Sandbox, status: i32, arguments: &str) -> Ran {
    let ran = run(sandbox, arguments);
    let start: String = ran.stderr.chars().take(2000).collect();
    assert_eq!(ran.status, Some(status), "dehusk {arguments}\n{start}");
    assert!(ran.stderr.len() < 20_000, "a message of {} bytes: {start}", ran.stderr.len());
    ran
}

/// A pattern file for the source `odd`, of these entries.
fn pattern_file(entries: &str) -> String {
    format!(
        "dehusk: 1\nsource: odd\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n{entries}"
    )
}

fn entry(id: &str, regex: &str) -> String {
    format!("  - {{id: {id}, status: accepted, regex: '{regex}', example: x}}\n")
}

/// A source with an accepted pattern for a line, so that documents are read and cut.
fn with_share_line() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("patterns/odd.yaml", pattern_file(&entry("share", SHARE_LINE)));
    sandbox
}

/// The cleaned page.
#[track_caller]
fn cleaned(html: &str) -> String {
    let sandbox = with_share_line();
    sandbox.write("corpus/odd/x.html", html);
    expect(&sandbox, 0, "clean corpus -p patterns -o out --quiet");
    sandbox.read("out/odd/x.txt")
}

/// This number of pieces before and after a page's text.
fn around(piece: &str, end: &str) -> String {
    const DEEP: usize = 1_000_000;
    format!("<p>{STORY}</p>{}{end}<p>{SHARE_LINE}</p><p>{STORY}</p>", piece.repeat(DEEP / piece.matches('<').count()))
}

#[test]
fn elements_a_million_deep() {
    for piece in ["<div>", "<b>", "<table>", "<a>", "<div><b><table><a>", "<table><tr><td>", "<ul><li><form>"] {
        assert_eq!(cleaned(&around(piece, "")).trim(), format!("{STORY}\n{STORY}"), "{piece}");
    }
}

#[test]
fn choices_and_pictures_a_million_deep() {
    assert_eq!(cleaned(&around("<select>", "</select>")).trim(), format!("{STORY}\n{STORY}"));
    assert_eq!(cleaned(&around("<option>", "")).trim(), format!("{STORY}\n{STORY}"));
    // A paragraph closes all open pictures.
    assert_eq!(cleaned(&around("<svg>", "")).trim(), format!("{STORY}\n{STORY}"));
    assert_eq!(cleaned(&around("<select><option><svg>", "")).trim(), format!("{STORY}\n{STORY}"));
}

#[test]
fn one_tag_of_many_megabytes() {
    const SIZE: usize = 20 << 20;
    let x = "x".repeat(SIZE);
    let attributes = "a=b ".repeat(1_000_000);
    let styles = "display:;".repeat(SIZE / 9);
    for tag in [
        format!("<p title=\"{x}\">"),
        format!("<p style='{x}'>"),
        format!("<p style='{styles}'>"),
        format!("<{x}>"),
        format!("<p {x}>"),
        format!("<p {attributes}>"),
        format!("<!--{x}-->"),
        format!("<!DOCTYPE {x}>"),
    ] {
        let html = format!("<p>{STORY}</p>{tag}<p>{SHARE_LINE}</p><p>{STORY}</p>");
        assert_eq!(cleaned(&html).trim(), format!("{STORY}\n{STORY}"), "{}", &tag[..20]);
    }
}

#[test]
fn what_is_never_closed() {
    let rest = "<p>lost</p>\n".repeat(1_000_000);
    for open in ["<!--", "<script>", "<style>", "<p title='", "<title>", "<svg><![CDATA["] {
        let html = format!("<p>{STORY}</p><p>{SHARE_LINE}</p>{open}{rest}");
        assert_eq!(cleaned(&html).trim(), STORY, "{open}");
    }
}

#[test]
fn a_million_references() {
    for (reference, character) in [("&amp;", "&"), ("&#38;", "&"), ("&notin;", "∉"), ("&", "&")] {
        let html = format!("<p>{STORY}</p><p>{SHARE_LINE}</p><p>See {}</p>", reference.repeat(1_000_000));
        let text = cleaned(&html);
        assert_eq!(text.matches(character).count(), 1_000_000, "{reference}");
        assert!(text.starts_with(STORY) && !text.contains(SHARE_LINE), "{reference}");
    }
}

#[test]
fn json_a_hundred_thousand_deep() {
    const DEEP: usize = 100_000;
    let (lists, objects) = (["[".repeat(DEEP), "]".repeat(DEEP)], ["{\"a\":".repeat(DEEP), "}".repeat(DEEP)]);
    let line = |text: &str, meta: &str| format!("{{\"source\":\"odd\",\"text\":\"{text}\\n\",\"meta\":{meta}}}\n");
    let metas = [lists.concat(), objects.join("1")];
    let lines = |text: &str| metas.each_ref().map(|meta| line(text, meta)).concat();
    let text = format!("{STORY}\\n{SHARE_LINE}");
    let sandbox = with_share_line();
    sandbox.write("corpus/x.jsonl", lines(&text) + &line(&text, &lists[0]) + &line(&text, "1"));
    expect(&sandbox, 3, "clean corpus/x.jsonl -p patterns -o out").says("skipped: corpus/x.jsonl:3: is not valid JSON");
    assert!(sandbox.read("out/x.jsonl") == lines(STORY) + &line(STORY, "1"), "the deep fields are as they were");
}

#[test]
fn a_key_of_ten_megabytes() {
    let sandbox = with_share_line();
    let key = "k".repeat(10 << 20);
    let line = |text: &str| format!("{{\"{key}\":1,\"source\":\"odd\",\"text\":\"{text}\"}}\n");
    sandbox.write("corpus/x.jsonl", line(&format!("{STORY}\\n{SHARE_LINE}\\n")));
    expect(&sandbox, 0, "clean corpus/x.jsonl -p patterns -o out --quiet");
    assert_eq!(sandbox.read("out/x.jsonl"), line(&format!("{STORY}\\n")));
    sandbox.write("corpus/x.jsonl", format!("{{\"{key}\":1,\"text\":\"\"}}\n{{\"{key}\n"));
    expect(&sandbox, 3, "clean corpus/x.jsonl -p patterns -o out2 --quiet");
}

/// The result of a run with one more pattern: its exit status, and the output for two documents. The pattern only
/// concerns one of them.
fn with_pattern(regex: &str, document: &str) -> (Ran, [Option<Vec<u8>>; 2]) {
    let sandbox = Sandbox::new();
    sandbox.write("patterns/odd.yaml", pattern_file(&(entry("share", SHARE_LINE) + &entry("bomb", regex))));
    sandbox.write("corpus/odd/plain.txt", format!("{STORY}\n{SHARE_LINE}\n"));
    sandbox.write("corpus/odd/trigger.txt", format!("{STORY}\n{SHARE_LINE}\n{STORY} {document}"));
    let ran = run(&sandbox, "clean corpus -p patterns -o out --recurrence-alone");
    let mut written = sandbox.tree("out");
    let written = ["odd/plain.txt", "odd/trigger.txt"].map(|name| written.remove(name));
    (ran, written)
}

/// Either the document is cleaned completely, or it is left out and named with the pattern. The other one is cleaned.
#[track_caller]
fn ends_with(status: i32, regex: &str, document: &str) {
    let (ran, [plain, trigger]) = with_pattern(regex, document);
    assert_eq!(ran.status, Some(status), "{regex}: {}", ran.stderr);
    assert_eq!(plain, Some(format!("{STORY}\n").into_bytes()), "{regex}");
    match status {
        0 => {
            let trigger = String::from_utf8(trigger.expect("it is written")).expect("UTF-8");
            assert!(trigger.starts_with(&format!("{STORY}\n{STORY}")), "{regex}: half cleaned");
        }
        _ => {
            assert_eq!(trigger, None, "{regex}: half cleaned");
            ran.says("skipped: corpus/odd/trigger.txt: pattern bomb: ").says("make the regex simpler");
        }
    }
}

#[test]
fn regexes_that_backtrack_for_ever_give_up() {
    let many = "a".repeat(5000);
    ends_with(3, r"(a|a|aa)+\1z", &many);
    ends_with(3, r"((a*)*)*\1b", &many);
    ends_with(3, r"(?:a|aa)+(?!a)(?<!a)", &many);
}

#[test]
fn regexes_that_only_seem_to_backtrack_do_not() {
    let many = "x".repeat(5000);
    ends_with(0, "(?=(a|aa)+$)b", &format!("{}b", "a".repeat(5000)));
    ends_with(0, "(x+x+)+y", &many);
    ends_with(0, "(a+)+$", &format!("{}!", "a".repeat(5000)));
    ends_with(0, r"(?:\b|^)*", &many);
    ends_with(0, "(?=x)", &many);
    ends_with(0, r"(?:(?=x)|)*", &many);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "a minute unless optimized; src/cleaning/reading/regexes.rs tests the limit")]
fn a_regex_that_matches_to_the_end_from_everywhere_gives_up() {
    ends_with(3, "(x+x+)+y", &format!("{}y", "x".repeat(50_000)));
}

#[test]
fn regexes_that_are_too_large_or_loop_for_ever_are_refused() {
    let nested = format!("{}x{}", "(".repeat(10_000), ")".repeat(10_000));
    let classes = "[".repeat(10_000);
    let alternatives = "(?:a|".repeat(10_000) + &")".repeat(10_000);
    let large = [r"\w{1000}{1000}", r"(?:\w{1000}){1000}", &nested, &classes, &alternatives, r"(?<=\w{1000}{1000})x"];
    for regex in large.into_iter().chain([r"(?:a(\1|))+", r"(?<=\K(?:[ab])*)"]) {
        let sandbox = Sandbox::new();
        sandbox.write("patterns/odd.yaml", pattern_file(&entry("bomb", regex)));
        sandbox.write("corpus/odd/x.txt", STORY);
        let shown = &regex[..regex.len().min(30)];
        let ran = run(&sandbox, "clean corpus -p patterns -o out");
        assert_eq!(ran.status, Some(1), "{shown}: {}", &ran.stderr[..ran.stderr.len().min(1000)]);
        ran.says("patterns/odd.yaml:5: pattern bomb: its regex does not compile");
        assert!(ran.stderr.len() < 100_000, "{shown}: a message of {} bytes", ran.stderr.len());
    }
}

#[test]
fn yaml_that_is_a_bomb_is_refused() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let laughs = (1..40).fold("    - &a0 [ha, ha]\n".to_owned(), |yaml, level| {
        let of = vec![format!("*a{}", level - 1); 9].join(", ");
        yaml + &format!("    - &a{level} [{of}]\n")
    });
    let merged = (1..40).fold(entry("a0", "x").replacen('{', "&a0 {", 1), |yaml, level| {
        let of = vec![format!("*a{}", level - 1); 9].join(", ");
        yaml + &format!("  - &a{level} {{<<: [{of}], id: a{level}, regex: x}}\n")
    });
    let indented: String = (0..2000).map(|depth| format!("{}- \n", " ".repeat(depth))).collect();
    for (name, yaml) in [
        ("flow", format!("patterns: {}\n", deep("[", "]"))),
        ("flow maps", format!("patterns: {}\n", deep("{a: ", "}"))),
        ("dashes", format!("patterns:\n  {}\n", "- ".repeat(100_000))),
        ("indented", format!("patterns:\n{indented}\n")),
        ("unknown key", format!("x: {}\n", deep("[", "]"))),
        ("laughs", format!("x:\n{laughs}")),
        ("laughs in place", pattern_file(&laughs)),
        ("merged laughs", pattern_file(&merged)),
        ("one string", format!("source: {}\n", "x".repeat(50 << 20))),
        ("one comment", format!("#{}\n", "x".repeat(50 << 20))),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("patterns/odd.yaml", yaml);
        let ran = run(&sandbox, "check patterns");
        assert_eq!(ran.status, Some(1), "{name}: {}", &ran.stderr[..ran.stderr.len().min(1000)]);
        assert!(ran.stdout.starts_with("patterns/odd.yaml"), "{name}: {}", &ran.stdout[..ran.stdout.len().min(1000)]);
        assert!(ran.stdout.len() < 10_000, "{name}: a message of {} bytes", ran.stdout.len());
        sandbox.write("mutable.yaml", sandbox.read("patterns/odd.yaml"));
        sandbox.write_pages("odd", 0..6);
        let ran = run(&sandbox, "mine corpus -o mined --mutable mutable.yaml");
        assert_eq!(ran.status, Some(1), "{name}: {}", &ran.stderr[..ran.stderr.len().min(1000)]);
        assert!(ran.stderr.len() < 10_000, "{name}: a message of {} bytes", ran.stderr.len());
    }
}

#[test]
fn mutable_patterns_that_backtrack_match_nothing() {
    let sandbox = Sandbox::new();
    let document = |number: usize| format!("{}\n{}!\n{SHARE_LINE}\n", page(number, 1), "a".repeat(3000));
    (0..6).for_each(|number| sandbox.write(&format!("corpus/odd/{number}.txt"), document(number)));
    for regex in ["(?:a+)+", "(?:a|aa)+b", "(?=(?:a|aa)+z)a+", "(?=(?:a*)*c)a+", "(?:x+x+)+y"] {
        sandbox
            .write("mutable.yaml", format!("mutable:\n  - {{name: bomb, regex: '{regex}', examples: [], not: []}}\n"));
        expect(&sandbox, 0, "run corpus -o out --mutable mutable.yaml --quiet");
    }
    for regex in [r"\w{1000}{1000}", "(?:", &"(?:".repeat(10_000)] {
        sandbox
            .write("mutable.yaml", format!("mutable:\n  - {{name: bomb, regex: '{regex}', examples: [], not: []}}\n"));
        let ran = run(&sandbox, "mine corpus -o refused --mutable mutable.yaml");
        assert_eq!(ran.status, Some(1), "{}", &ran.stderr[..ran.stderr.len().min(1000)]);
        ran.says("mutable pattern 'bomb'");
    }
}

#[test]
fn tokenizers_are_fast_or_refused() {
    let sandbox = Sandbox::new();
    let document = |number: usize| format!("{}\n{}!\n{SHARE_LINE}\n", page(number, 1), "a".repeat(100_000));
    (0..6).for_each(|number| sandbox.write(&format!("corpus/odd/{number}.txt"), document(number)));
    for regex in ["[a-z]+", r"\w+", r"[^\-\s]+"] {
        expect(&sandbox, 0, &format!("run corpus -o out --tokenizer '{regex}' --quiet"));
    }
    for regex in [r"\w{1000}{1000}", "(?=a)a", "(a*)*", "(a+)+", "(x+x+)+y|[a-z]+", "(a|aa)+b|[a-z]"] {
        expect(&sandbox, 2, &format!("mine corpus -o out --tokenizer '{regex}'"));
    }
}

/// The number of words or lines of a hostile document.
const MANY: usize = 100_000;

/// A word of letters for each number.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

#[test]
fn three_hundred_thousand_spans() {
    const SPANS: usize = 3 * MANY;
    let sandbox = with_share_line();
    sandbox.write("corpus/odd/x.txt", format!("{STORY}\n{SHARE_LINE}\n").repeat(SPANS));
    expect(&sandbox, 0, "clean corpus -p patterns -o out --spans --quiet");
    let spans: serde_json::Value = serde_json::from_str(&sandbox.read("out/odd/x.txt.jsonl")).expect("JSON");
    assert_eq!(spans["attributes"]["dehusk"].as_array().map(Vec::len), Some(SPANS));
}

#[test]
fn a_first_line_of_a_hundred_thousand_words() {
    let sandbox = with_share_line();
    let words: Vec<String> = (0..MANY).map(word).collect();
    let items: String = (0..MANY).map(|item| format!("item {}\n", word(item))).collect();
    sandbox.write("corpus/odd/x.txt", format!("{}\n{items}{SHARE_LINE}\n{STORY}\n{STORY}\n", words.join(" ")));
    expect(&sandbox, 0, "clean corpus -p patterns -o out --quiet");
    assert!(sandbox.read("out/odd/x.txt").contains(STORY));
}

/// A menu whose lines are one template, with another line marked on each page. So each stretch of it recurs at each
/// place.
#[test]
fn menus_that_mark_the_line_of_the_page() {
    const LINES: usize = 120;
    const PAGES: usize = 120;
    let page = |page: usize| {
        let line = |line: usize| match line == page * LINES / PAGES {
            true => format!("> Item number {line} of the long menu (you are here)\n"),
            false => format!("Item number {line} of the long menu\n"),
        };
        (0..LINES).map(line).collect::<String>() + &Story(page as u64).paragraph()
    };
    let sandbox = Sandbox::new();
    (0..PAGES).for_each(|number| sandbox.write(&format!("corpus/odd/{number:03}.txt"), page(number)));
    expect(&sandbox, 0, "mine corpus -o patterns --quiet");
    let file = sandbox.read("patterns/odd.yaml");
    assert!(file.contains("long menu"), "{file}");
}

/// Any number of equal lines is a repeat that many documents have. A pattern for each number would match at each line.
#[test]
fn documents_of_the_same_line_that_grow() {
    const PAGES: usize = 200;
    let sandbox = Sandbox::new();
    (1..=PAGES).for_each(|page| sandbox.write(&format!("corpus/odd/{page:03}.txt"), "ab ab\n".repeat(16 * page)));
    expect(&sandbox, 0, "mine corpus -o patterns --all-patterns --quiet");
    let file = sandbox.read("patterns/odd.yaml");
    let patterns = file.matches("occurrences:").count();
    assert!((1..=9).contains(&patterns) && file.len() < 30_000, "{patterns} patterns in {} bytes", file.len());
}

/// Each stretch between two of the differing words recurs in nearly all pages.
#[test]
fn pages_alike_but_for_a_word_each() {
    const WORDS: usize = 300;
    let page = |page: usize| {
        let words =
            (0..WORDS).map(|at| if at == page { format!("other {}", word(page)) } else { word(at % 70 * 97 + at) });
        words.collect::<Vec<_>>().join(" ")
    };
    let sandbox = Sandbox::new();
    (0..WORDS).for_each(|number| sandbox.write(&format!("corpus/odd/{number:03}.txt"), page(number)));
    expect(&sandbox, 0, "mine corpus -o patterns --quiet");
    assert!(sandbox.read("patterns/odd.yaml").contains("evidence:"));
}

// Streams: the pages of a source teach what recurs, so each shape comes several times, each time with another story.

/// Number of segments of a page that recur.
const RECURRING: usize = 5000;

fn item(number: usize) -> String {
    format!("Menu {}", word(number))
}

fn items(form: impl Fn(String) -> String) -> Vec<String> {
    (0..RECURRING).map(|number| form(item(number))).collect()
}

/// Lines that are always new, with a tenth of the length of the other text. So no page is a copy.
fn story(number: usize, beside: &str) -> String {
    let mut story = Story(number as u64);
    let mut lines = story.paragraph();
    while lines.len() < beside.len() / 10 {
        lines += &format!("\n{}", story.paragraph());
    }
    lines
}

/// A line of JSONL of the source `odd`.
fn json_line(key: &str, text: &str) -> String {
    serde_json::json!({"source": "odd", key: text}).to_string() + "\n"
}

/// Pages of a source that are cleaned as a stream, and the result for the last one. The state is `state`.
#[track_caller]
fn streamed(key: &str, pages: impl Iterator<Item = String>, options: &str) -> (String, Sandbox) {
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", pages.map(|page| json_line(key, &page)).collect::<String>());
    expect(&sandbox, 0, &format!("stream in.jsonl --state state -o out.jsonl --quiet {options}"));
    let written = sandbox.read("out.jsonl");
    let last: serde_json::Value = serde_json::from_str(written.lines().last().expect("a line")).expect("JSON");
    let cleaned = ["text", "html"].iter().find_map(|key| last[key].as_str());
    (cleaned.expect("it is there").to_owned(), sandbox)
}

fn size(sandbox: &Sandbox, name: &str) -> u64 {
    fs::metadata(sandbox.path(name)).expect("a file").len()
}

const PAGES: usize = 6;

#[test]
fn texts_with_thousands_of_segments_that_recur() {
    let new = |number: usize, item: usize| format!("New {} {}", word(number), word(item));
    for (name, recurring) in [
        ("lines", items(|item| item).join("\n")),
        ("one line", items(|item| item).join(" | ")),
        ("sentences", items(|item| format!("{item} and there.")).join(" ")),
        ("the same", "Menu of all\n".repeat(RECURRING)),
    ] {
        let page = |number| format!("{}\n{recurring}\n", story(number, &recurring));
        let (last, _sandbox) = streamed("text", (0..PAGES).map(page), "");
        assert!(!last.contains("Menu") && last.starts_with(&story(PAGES - 1, "")), "{name}");
    }
    let mixed = |number| {
        let lines = (0..RECURRING).map(|at| format!("{}\n{}\n", item(at), new(number, at)));
        story(number, "") + "\n" + &lines.collect::<String>()
    };
    let (last, _sandbox) = streamed("text", (0..PAGES).map(mixed), "");
    assert!(last.starts_with(&story(PAGES - 1, "")));
}

#[test]
fn pages_with_thousands_of_segments_that_recur() {
    for (name, recurring) in [
        ("side by side", format!("<div>{}</div>", items(|item| format!("<a>{item}</a>")).join(" "))),
        ("blocks", items(|item| format!("<p>{item}</p>")).concat()),
        ("the same", "<p>Menu of all</p>".repeat(RECURRING)),
        ("bold", "<b>".repeat(RECURRING) + &items(|item| format!("<p>{item}</p>")).concat()),
    ] {
        let page = |number| format!("<p>{}</p>{recurring}", story(number, &recurring).replace('\n', "</p><p>"));
        for options in ["", "--html page"] {
            // What recurs in few pages is only evidence: a thousand paragraphs can be content by their structure.
            let (last, _sandbox) = streamed("html", (0..PAGES).map(page), options);
            assert!(last.contains(&story(PAGES - 1, "")), "{name} {options}");
            let (last, _sandbox) = streamed("html", (0..PAGES).map(page), &format!("--no-structure {options}"));
            assert!(!last.contains("Menu") && last.contains(&story(PAGES - 1, "")), "{name} {options}");
        }
    }
}

/// Each item is one element deeper than the one before.
#[test]
fn lists_in_lists_take_no_more_state_than_side_by_side() {
    let deep = items(|item| format!("<ul><li>{item} here</li>")).concat();
    let page = |number| format!("<p>{}</p>{deep}", story(number, &deep).replace('\n', "</p><p>"));
    let (last, sandbox) = streamed("html", (0..PAGES).map(page), "");
    assert!(last.matches("Menu").count() <= 1, "{last}"); // the first one stands beside the story
    assert!(size(&sandbox, "state") < 20 << 20, "{} bytes", size(&sandbox, "state"));
    let shown = expect(&sandbox, 0, "state show state odd --limit 9").stdout;
    assert!(shown.len() < 10_000 && shown.contains("…/ul/"), "{} bytes", shown.len());
}

#[test]
fn a_line_of_a_megabyte_that_recurs() {
    let line = (0..150_000).map(word).collect::<Vec<_>>().join(" ");
    let page = |number| format!("{}\n{line}\n", story(number, &line));
    let (last, sandbox) = streamed("text", (0..PAGES).map(page), "");
    assert!(!last.contains(&line));
    let shown = expect(&sandbox, 0, "state show state odd").stdout;
    assert!(shown.len() < 1000 && shown.ends_with("…\n"), "{} bytes", shown.len());
    expect(&sandbox, 0, "state export state -o segments.jsonl");
    assert!(sandbox.read("segments.jsonl").contains(&line));
    expect(&sandbox, 0, "mine --from-state state -o patterns --quiet");
}

#[test]
fn tables_that_hold_next_to_nothing() {
    let lines = items(|item| item).join("\n");
    let page = |number| format!("{}\n{lines}\n", story(number, &lines));
    for most in [1, 10] {
        let (last, sandbox) = streamed("text", (0..PAGES).map(page), &format!("--max-segments {most}"));
        assert!(last == page(PAGES - 1), "what is not remembered does not recur");
        let shown = expect(&sandbox, 0, "state show state odd --all --json").stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert!(shown["segments"].as_array().is_some_and(|segments| segments.len() <= most), "{shown}");
    }
}

#[test]
fn twenty_thousand_sources() {
    const SOURCES: usize = 20_000;
    let line = |at: usize| {
        let text = format!("Share this page\n{}\n", Story(at as u64).paragraph());
        serde_json::json!({"source": word(at % SOURCES), "text": text}).to_string() + "\n"
    };
    let sandbox = Sandbox::new();
    sandbox.write("in.jsonl", (0..2 * SOURCES).map(line).collect::<String>());
    expect(&sandbox, 0, "stream in.jsonl --state state -o out.jsonl --quiet");
    assert_eq!(sandbox.read("out.jsonl").lines().count(), 2 * SOURCES);
    assert_eq!(expect(&sandbox, 0, "state export state -o -").stdout.lines().count(), 3 * SOURCES);
}
