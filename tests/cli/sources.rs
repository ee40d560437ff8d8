//! Which files are read, and which source each document is of.

use super::*;

const LINES: &str = concat!(
    r#"{"site":"Own","link":"https://www.news.tide.co.uk/a/1","text":"One."}"#,
    "\n",
    r#"{"link":"https://sport.tide.co.uk/b/2","text":"Two."}"#,
    "\n",
    r#"{"text":"Three."}"#,
    "\n",
);

/// The sources of all lines by a rule, as pattern files are named, and what was skipped.
fn mined_by(sandbox: &Sandbox, rule: &str) -> (Vec<String>, Vec<String>) {
    let ran = sandbox.run(&format!("mine in -o by/{rule} --quiet --source-key site --url-key link --source-by {rule}"));
    let names = sandbox.tree(&format!("by/{rule}")).into_keys().map(|name| name.replace(".yaml", ""));
    let of_index = sandbox.tree(&format!("by/{rule}")).remove("_index.yaml").unwrap_or_default();
    let of_index = String::from_utf8_lossy(&of_index).into_owned();
    let of_index =
        of_index.lines().filter_map(|line| Some(line.strip_prefix("  - {source: '")?.split_once('\'')?.0.to_owned()));
    (
        names.chain(of_index).filter(|name| !name.starts_with('_')).collect(),
        ran.stderr.lines().map(str::to_owned).collect(),
    )
}

#[test]
fn lines_are_of_the_source_that_the_rule_says() {
    let sandbox = Sandbox::new();
    sandbox.write("in/crawl/lines.jsonl", LINES);
    let by = |rule: &str| mined_by(&sandbox, rule);
    assert_eq!(by("auto"), (vec!["Own".into(), "crawl".into(), "sport.tide.co.uk".into()], vec![]));
    assert_eq!(by("folder"), (vec!["crawl".into()], vec![]));
    let (sources, skipped) = by("key");
    assert_eq!((sources, skipped.len()), (vec!["Own".into()], 2));
    assert!(skipped[0].starts_with(r#"skipped: in/crawl/lines.jsonl:2: has no "site" to name its source"#));
    let (sources, skipped) = by("host");
    assert_eq!((sources, skipped.len()), (vec!["news.tide.co.uk".into(), "sport.tide.co.uk".into()], 1));
    assert!(skipped[0].starts_with(r#"skipped: in/crawl/lines.jsonl:3: has no "link" whose host"#));
    assert_eq!(by("domain").0, ["tide.co.uk"]);
    let (sources, skipped) = by("k/([ab])/");
    assert_eq!((sources, skipped.len()), (vec!["a".into(), "b".into()], 1));
    assert_eq!(
        skipped[0],
        r#"skipped: in/crawl/lines.jsonl:3: the regex "k/([ab])/" for sources finds nothing in "crawl/lines.jsonl": change the regex so that it matches"#
    );
}

#[test]
fn files_of_one_domain_are_one_source_and_stay_where_they_are() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("www.tide.com", 0..4);
    sandbox.write_pages("Sport.tide.com", 4..8);
    sandbox.expect(0, "run corpus -o out --source-by domain --quiet");
    assert_eq!(sandbox.tree("out/patterns").into_keys().collect::<Vec<_>>(), ["_mutable.yaml", "tide.com.yaml"]);
    assert!(sandbox.read("out/patterns/tide.com.yaml").contains("documents: 8"));
    let names = |folder: &str| sandbox.tree(folder).into_keys().collect::<Vec<_>>();
    assert_eq!(names("out/cleaned"), names("corpus"));
    assert!(!sandbox.read("out/cleaned/Sport.tide.com/00005.txt").contains(SHARE_LINE));
    let ran = sandbox.expect(0, "clean corpus -p out/patterns -o apart");
    ran.says("no pattern file for source 'www.tide.com'");
}

#[test]
fn a_regex_names_the_source_of_files_by_their_path() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("2024/tide", 0..6);
    sandbox.write_pages("2025/tide", 6..9);
    sandbox.write("corpus/2025/x.txt", page(10, 1));
    let ran = sandbox.expect(3, "mine corpus -o patterns --quiet --source-by '^[0-9]+/(?<source>[^/]+)/'");
    ran.says(r#"skipped: corpus/2025/x.txt: the regex "^[0-9]+/(?<source>[^/]+)/" for sources finds nothing in "2025/x.txt""#);
    assert!(sandbox.read("patterns/tide.yaml").contains("documents: 9"));
}

#[test]
fn a_bad_rule_is_wrong_usage() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..2);
    sandbox.expect(2, "mine corpus -o patterns --source-by '(a'").says("unclosed group");
}

#[test]
fn a_list_names_the_files_to_read() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..8);
    sandbox.write_pages("other", 0..2);
    let list = "\u{feff}corpus/tide/00001.txt\r\n\r\n  \ncorpus/tide/00002.txt\ncorpus/other\n";
    sandbox.write("list.txt", list);
    sandbox.expect(0, "mine --files-from list.txt corpus/tide/00005.txt -o patterns --quiet");
    let index = sandbox.read("patterns/_index.yaml");
    assert!(index.contains("'other', documents: 2,") && index.contains("'tide', documents: 3,"), "{index}");
    let mut command = assert_cmd::Command::from_std(sandbox.command("clean --files-from - -p patterns -o out --quiet"));
    let output = command.write_stdin(list).output().expect("the program starts");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let names: Vec<String> = sandbox.tree("out").into_keys().collect();
    assert_eq!(names, ["other/00000.txt", "other/00001.txt", "tide/00001.txt", "tide/00002.txt"]);
    sandbox.expect(1, "clean --files-from list.txt -p patterns -o corpus/tide").says("is a parent folder of the input");
    sandbox.expect(1, "clean --files-from list.txt -p patterns -o corpus/other/x").says("is inside the input");
}

#[test]
fn what_is_wrong_with_a_list_is_told_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..2);
    sandbox.write("list.txt", "corpus/tide/00001.txt\n\ncorpsu\n");
    let ran = sandbox.expect(1, "mine --files-from list.txt -o patterns");
    ran.says(r#"error: list.txt:3: cannot find "corpsu": did you mean "corpus"?"#);
    sandbox.write("list.txt", "corpus\ncorpus/tide/*.md");
    sandbox.expect(1, "mine --files-from list.txt -o patterns").says(r#"list.txt:2: no file matches the glob "#);
    sandbox.write("list.txt", "\r\n\n");
    sandbox
        .expect(1, "mine --files-from list.txt -o patterns")
        .says("list.txt lists no paths: write a path on each line");
    sandbox.expect(1, "mine --files-from nowhere -o patterns").says("cannot read the list nowhere: No such file");
    let ran = sandbox.expect(2, "mine --files-from - - -o patterns");
    ran.says("error: stdin cannot be both the documents (-) and their list (--files-from -)");
    sandbox.expect(2, "mine -o patterns").says("<CORPUS>...");
    assert!(!sandbox.path("patterns").exists());
}

#[test]
fn every_command_with_a_corpus_takes_lists_and_rules() {
    let sandbox = Sandbox::new();
    (0..8).for_each(|number| sandbox.write(&format!("corpus/www.tide.com/{number:05}.txt"), page(number, 7)));
    sandbox.write("list.txt", "corpus");
    let list = "--files-from list.txt --source-by domain";
    sandbox.expect(0, &format!("mine {list} -o patterns --quiet"));
    assert!(sandbox.path("patterns/tide.com.yaml").exists());
    sandbox.expect(0, &format!("run {list} -o out --quiet"));
    sandbox.expect(0, &format!("review {list} -p patterns --report report.html --quiet"));
    (0..8).for_each(|number| sandbox.write(&format!("gold/tide.com/{number:05}.txt"), page(number, 7)));
    sandbox.expect(0, &format!("eval {list} --gold gold --quiet"));
    sandbox.expect(0, "explain corpus/www.tide.com/00001.txt -p patterns --source-by domain --quiet");
}

#[test]
fn a_quoted_glob_keeps_folders_in_names() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..8);
    sandbox.write("corpus/one/x.jsonl", "{\"text\":\"One.\"}\n");
    sandbox.write("corpus/two/x.jsonl", "{\"text\":\"Two.\"}\n");
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let ran = sandbox.expect(1, "clean corpus/one/x.jsonl corpus/two/x.jsonl -p patterns -o out");
    ran.says("would both be written to \"x.jsonl\": give the parent folder of both, or quote the glob");
    sandbox.expect(0, "clean corpus/*/x.jsonl corpus/t[hi]de/*[24].txt -p patterns -o out --quiet");
    let names: Vec<String> = sandbox.tree("out").into_keys().collect();
    assert_eq!(names, ["one/x.jsonl", "tide/00002.txt", "tide/00004.txt", "two/x.jsonl"]);
    let ran = sandbox.expect(1, "clean corpus/*.txt -p patterns -o other");
    ran.says("no file matches the glob \"corpus/*.txt\": `*` stays within a folder");
    // a second run must not read what the first wrote, nor write over it
    sandbox.expect(1, "clean corpus/**/*.txt -p patterns -o corpus/out").says("is inside the input \"corpus\"");
    sandbox.expect(1, "clean corpus/*/*.txt -p patterns -o corpus").says("is a parent folder of the input");
    sandbox.expect(0, "clean corpus/tide/*.txt -p patterns -o corpus/out --quiet");
}

#[test]
#[cfg(unix)]
fn links_out_of_the_corpus_are_followed_if_that_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write("elsewhere/x.txt", page(7, 3));
    std::os::unix::fs::symlink("../elsewhere", sandbox.path("corpus/linked")).expect("a link");
    std::os::unix::fs::symlink("../../elsewhere/x.txt", sandbox.path("corpus/tide/x.txt")).expect("a link");
    let ran = sandbox.expect(3, "run corpus -o out --quiet");
    ran.says("skipped: corpus/linked: is a link to")
        .says("skipped: corpus/tide/x.txt: is a link to")
        .says("follow links");
    assert_eq!(sandbox.tree("out/cleaned").len(), 6);
    sandbox.expect(0, "run corpus -o out --quiet --follow-links");
    let names: Vec<String> = sandbox.tree("out/cleaned").into_keys().collect();
    assert_eq!(names.len(), 8, "{names:?}");
    assert!(names.contains(&"linked/x.txt".to_owned()) && names.contains(&"tide/x.txt".to_owned()));
    let ran = sandbox.expect(1, "clean corpus -p out/patterns -o elsewhere/out --follow-links");
    ran.says("is inside the input");
    sandbox.expect(1, "clean corpus -p out/patterns -o . --follow-links").says("is a parent folder of the input");
}

#[test]
fn broken_compressed_files_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write("corpus/tide/x.html.gz", [0x1f, 0x8b, 8, 0, 0]);
    sandbox.write("corpus/crawl.warc.gz", [0x1f, 0x8b, 8, 0, 0]);
    let ran = sandbox.expect(3, "mine corpus -o patterns --quiet");
    ran.says("skipped: corpus/crawl.warc.gz: cannot be read after record 0")
        .says("skipped: corpus/tide/x.html.gz: its compressed data are damaged");
}

#[test]
#[cfg(not(any(windows, target_os = "macos")))]
fn names_that_mislead_are_told() {
    let sandbox = Sandbox::new();
    let line = |source: &str, number| serde_json::json!({"source": source, "text": page(number, 3)}).to_string() + "\n";
    let turned = "a\u{202e}moc.b";
    let lines = |source| (0..8).map(|number| line(source, number)).collect::<String>();
    sandbox.write("lines.jsonl", ["tide", "Tide", turned].map(lines).concat());
    let ran = sandbox.expect(0, "run lines.jsonl -o out");
    ran.says(
        "the sources 'Tide' and 'tide' differ only in upper and lower case, or in how accents are written; are \
              they one source?",
    );
    assert!(ran.stdout.contains("a\\u{202e}moc.b  "), "{}", ran.stdout);
    sandbox.expect(0, "review lines.jsonl -p out/patterns --report report.html");
    for shown in [ran.stdout, ran.stderr, sandbox.read("report.html")] {
        let at = shown.find('\u{202e}');
        assert_eq!(at.map(|at| shown[..at].chars().rev().take(80).collect::<String>()), None, "backwards");
    }
}
