//! The same documents in every format: the same patterns, the same cleaned documents.

use super::containers::{conversion, gzip, response, unpacked, zstd};
use super::*;

/// A corpus: the source of each document, its name and its content.
type Corpus = Vec<(&'static str, String, String)>;

/// Each document's source and content, sorted.
type Contents = Vec<(String, String)>;

const SOURCES: [&str; 3] = ["bay.example", "hale.example", "tide.example"];

/// A hundred documents of each source, whose documents stand mixed.
fn texts() -> Corpus {
    (0..300).map(|number| (SOURCES[number % 3], format!("{number:05}"), page(number, 2))).collect()
}

/// The same as pages.
fn pages() -> Corpus {
    let html = |text: String| {
        let lines: String = text.lines().map(|line| format!("<p class=\"line\">{line}</p>\n")).collect();
        format!("<!doctype html>\n<html><head><title>The tide</title></head><body>\n{lines}</body></html>\n")
    };
    texts().into_iter().map(|(source, name, text)| (source, name, html(text))).collect()
}

fn json_lines(corpus: &Corpus, key: &str) -> String {
    let line = |(source, name, content): &(&str, String, String)| {
        let content = serde_json::Value::from(content.as_str());
        format!("{{\"id\": \"{name}\", \"source\": \"{source}\", \"{key}\": {content}}}\n")
    };
    corpus.iter().map(line).collect()
}

fn array(corpus: &Corpus, key: &str) -> Vec<u8> {
    format!("[\n{}\n]\n", json_lines(corpus, key).trim_end().replace('\n', ",\n")).into_bytes()
}

fn csv(corpus: &Corpus, key: &str, delimiter: char) -> Vec<u8> {
    let row = |values: [&str; 3]| {
        let cells = values.map(|value| format!("\"{}\"", value.replace('"', "\"\"")));
        cells.join(&delimiter.to_string()) + "\r\n"
    };
    let rows = corpus.iter().map(|(source, name, content)| row([name, source, content]));
    (row(["id", "source", key]) + &rows.collect::<String>()).into_bytes()
}

fn warc(corpus: &Corpus, record: impl Fn(&str, &str) -> Vec<u8>) -> Vec<u8> {
    corpus.iter().flat_map(|(source, name, content)| record(&format!("https://{source}/{name}"), content)).collect()
}

fn write_folder(sandbox: &Sandbox, corpus: &Corpus, extension: &str) {
    for (source, name, content) in corpus {
        sandbox.write(&format!("folder/{source}/{name}.{extension}"), content);
    }
}

#[cfg(feature = "parquet")]
fn table(corpus: &Corpus, key: &str) -> Vec<u8> {
    let row = |(source, name, content): &(&str, String, String)| {
        vec![Some((*source).to_owned()), Some(name.clone()), Some(content.clone())]
    };
    super::tables::table(&["source", "id", key], &corpus.iter().map(row).collect::<Vec<_>>())
}

/// The source and content of all documents that `clean` finds at a path, with these options; nothing goes of them.
fn read(sandbox: &Sandbox, path: &str, options: &str) -> Contents {
    let none =
        "dehusk: 1\nsource: none\nmined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}\npatterns: []\n";
    sandbox.write("none/none.yaml", none);
    let ran = sandbox.expect(0, &format!("clean {path} -p none -o - --quiet {options}"));
    contents(&ran.stdout)
}

fn contents(lines: &str) -> Contents {
    let content = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let content = line["text"].as_str().or(line["html"].as_str()).expect("a text");
        (line["source"].as_str().expect("a source").to_owned(), content.to_owned())
    };
    let mut all: Contents = lines.lines().map(content).collect();
    all.sort_unstable();
    all
}

/// Mines and cleans `name`; its patterns, and the content of its cleaned documents.
fn run(sandbox: &Sandbox, name: &str, options: &str) -> (Tree, Contents) {
    sandbox.expect(0, &format!("run {name} -o out/{name}/ --quiet {options}"));
    let patterns = sandbox.tree(&format!("out/{name}/patterns"));
    let cleaned = read(sandbox, &format!("out/{name}/cleaned"), options);
    let ran = sandbox.expect(0, &format!("clean {name} -p out/{name}/patterns -o - --quiet {options}"));
    assert!(contents(&ran.stdout) == cleaned, "{name}: stdout has what the folder has");
    (patterns, cleaned)
}

/// Runs a corpus in all formats.
#[track_caller]
fn assert_alike(sandbox: &Sandbox, files: &[(&str, Vec<u8>)], options: &str, expected: &Contents) {
    files.iter().for_each(|(name, bytes)| sandbox.write(name, bytes));
    let (patterns, cleaned) = run(sandbox, "folder", options);
    assert_eq!(patterns.len(), SOURCES.len() + 2, "a file for each source, a shared one, and a table");
    assert!(cleaned == *expected, "{:?}\n{:?}", cleaned.first(), expected.first());
    for (name, bytes) in files {
        let (of_this, cleaned_of_this) = run(sandbox, name, options);
        assert!(of_this == patterns, "the patterns of {name}");
        assert!(cleaned_of_this == cleaned, "the documents of {name}");
        let written = fs::read(sandbox.path(&format!("out/{name}/cleaned/{name}"))).expect("it is written");
        assert_eq!(packing(&written), packing(bytes), "{name} is compressed as before");
    }
}

/// What the first bytes say.
fn packing(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x1f, 0x8b, ..] => "gzip",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "zstd",
        _ => "none",
    }
}

/// What is left of the documents in the folder that was cleaned.
fn left_in_folder(sandbox: &Sandbox, corpus: &Corpus, options: &str, extension: &str) -> Contents {
    sandbox.expect(0, &format!("run folder -o first --quiet {options}"));
    let content = |(source, name, _): &(&str, String, String)| {
        ((*source).to_owned(), sandbox.read(&format!("first/cleaned/{source}/{name}.{extension}")))
    };
    let mut all: Contents = corpus.iter().map(content).collect();
    assert!(all.iter().all(|(_, content)| !content.contains(SHARE_LINE) && !content.contains(COPYRIGHT_LINE)));
    assert!(all.iter().all(|(_, content)| content.len() > 500), "the stories are there");
    all.sort_unstable();
    all
}

#[test]
fn texts_are_alike_in_every_format() {
    let (sandbox, corpus) = (Sandbox::new(), texts());
    write_folder(&sandbox, &corpus, "txt");
    let lines = json_lines(&corpus, "text").into_bytes();
    let wet = warc(&corpus, conversion);
    let by_record = warc(&corpus, |url, text| gzip(&conversion(url, text)));
    let mut files = vec![
        ("a.jsonl.gz", gzip(&lines)),
        ("b.jsonl.zst", zstd(&lines)),
        ("plain.jsonl.gz", lines.clone()),
        ("packed.ndjson", zstd(&lines)),
        ("c.jsonl", lines),
        ("d.wet.gz", by_record),
        ("e.warc.zst", zstd(&wet)),
        ("f.warc", wet),
        ("h.csv", csv(&corpus, "text", ',')),
        ("i.tsv.gz", gzip(&csv(&corpus, "text", '\t'))),
        ("j.json.zst", zstd(&array(&corpus, "text"))),
        ("k", array(&corpus, "text")),
    ];
    #[cfg(feature = "parquet")]
    files.push(("g.parquet", table(&corpus, "text")));
    files.sort_unstable();
    let expected = left_in_folder(&sandbox, &corpus, "", "txt");
    assert_alike(&sandbox, &files, "", &expected);
}

#[test]
fn pages_are_alike_in_every_format() {
    let (sandbox, corpus) = (Sandbox::new(), pages());
    write_folder(&sandbox, &corpus, "html");
    let mut files = vec![
        ("a.jsonl", json_lines(&corpus, "html").into_bytes()),
        ("b.warc.gz", warc(&corpus, |url, page| gzip(&response(url, "", page.as_bytes())))),
        ("c.warc", warc(&corpus, |url, page| response(url, "Content-Encoding: gzip\r\n", &gzip(page.as_bytes())))),
        ("e.csv", csv(&corpus, "html", ';')),
        ("f.json", array(&corpus, "html")),
    ];
    #[cfg(feature = "parquet")]
    files.push(("d.parquet", table(&corpus, "html")));
    files.sort_unstable();
    let expected = left_in_folder(&sandbox, &corpus, "", "txt");
    assert_alike(&sandbox, &files, "", &expected);
    fs::remove_dir_all(sandbox.path("out")).expect("removed");
    fs::remove_dir_all(sandbox.path("first")).expect("removed");
    let expected = left_in_folder(&sandbox, &corpus, "--html page", "html");
    assert!(
        expected.iter().all(|(_, page)| page.starts_with("<!doctype html>") && page.contains("<p class=\"line\">"))
    );
    assert_alike(&sandbox, &files, "--html page", &expected);
}

#[test]
fn the_commands_that_may_be_next_work_in_every_format() {
    let (sandbox, corpus) = (Sandbox::new(), texts());
    for (name, bytes) in [
        ("a.jsonl", json_lines(&corpus, "text").into_bytes()),
        ("b.json", array(&corpus, "text")),
        ("c.csv", csv(&corpus, "text", ',')),
        ("d.wet", warc(&corpus, conversion)),
    ] {
        sandbox.write(name, bytes);
        let ran = sandbox.expect(0, &format!("run {name} -o out/{name}/"));
        let explain = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("dehusk explain "));
        sandbox.expect(0, &format!("explain {}", explain.expect("a command")));
    }
}

#[test]
fn stdin_is_mined_and_cleaned_as_a_file_is() {
    let (sandbox, corpus) = (Sandbox::new(), texts());
    let lines = json_lines(&corpus, "text").into_bytes();
    sandbox.write("x.jsonl", &lines);
    let (patterns, _) = run(&sandbox, "x.jsonl", "");
    let cleaned = sandbox.read("out/x.jsonl/cleaned/x.jsonl");
    for (number, input) in [
        lines.clone(),
        gzip(&lines),
        zstd(&lines),
        warc(&corpus, conversion),
        array(&corpus, "text"),
        csv(&corpus, "text", ','),
        json_lines(&corpus, "body").into_bytes(),
        csv(&corpus, "body", ';'),
    ]
    .into_iter()
    .enumerate()
    {
        let command = sandbox.command(&format!("run - -o stdin{number} --quiet"));
        let output = assert_cmd::Command::from_std(command).write_stdin(input.clone()).output().expect("it starts");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
        assert!(sandbox.tree(&format!("stdin{number}/patterns")) == patterns, "input {number}");
        let command = sandbox.command(&format!("clean - -p stdin{number}/patterns -o - --quiet"));
        let output = assert_cmd::Command::from_std(command).write_stdin(input).output().expect("it starts");
        let stdout = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(contents(&stdout.replace("\"body\":", "\"text\":")) == contents(&cleaned), "input {number}");
        if number < 3 {
            assert!(sandbox.read(&format!("stdin{number}/cleaned/stdin.jsonl")) == cleaned && stdout == cleaned);
        }
    }
}

#[test]
fn what_dehusk_does_not_know_of_a_line_stays_byte_for_byte() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "patterns/tide.yaml",
        format!(
            "dehusk: 1\nsource: tide\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n\
         - id: share\n  status: accepted\n  regex: '{SHARE_LINE}'\n  example: '{SHARE_LINE}'\n"
        ),
    );
    let line = |text: &str| {
        format!(
            "{{ \"z\" : 1.0e5,\t\"a\": [1,  2 ], \"same\": 1, \"same\": 2, \"text\":\"{text}\" , \"caf\\u00e9\": \"\\u00e9\\/\", \
             \"huge\": 123456789012345678901234567890, \"half\": \"\\ud800\", \"source\":\"tide\", \"m\": {{}} }}\r\n"
        )
    };
    let [first, last] =
        ["The boat sailed at dawn and was seen by nobody.", "It came back when the moon stood over Hale."];
    let before = line(&format!("{first}\\n{SHARE_LINE}\\n{last}"));
    let after = line(&format!("{first}\\n{last}"));
    for (name, bytes) in [
        ("a.jsonl", before.clone().into_bytes()),
        ("b.jsonl.gz", gzip(before.as_bytes())),
        ("c.jsonl.zst", zstd(before.as_bytes())),
    ] {
        sandbox.write(name, bytes);
        sandbox.expect(0, &format!("clean {name} -p patterns -o out --quiet"));
        assert_eq!(String::from_utf8(unpacked(&sandbox.tree("out")[name])).expect("UTF-8"), after);
        assert_eq!(sandbox.expect(0, &format!("clean {name} -p patterns -o - --quiet")).stdout, after);
    }
}

#[test]
#[cfg(feature = "parquet")]
fn other_columns_of_a_table_stay() {
    use super::tables::{column, table};
    let sandbox = Sandbox::new();
    let rows: Vec<Vec<Option<String>>> = texts()
        .into_iter()
        .map(|(source, name, text)| {
            let language = (!name.ends_with('7')).then(|| format!("language of {name}"));
            vec![language, Some(text), Some(source.to_owned()), Some(name)]
        })
        .collect();
    let names = ["language", "text", "source", "name"];
    let before = table(&names, &rows);
    sandbox.write("x.parquet", &before);
    sandbox.expect(0, "run x.parquet -o out --quiet");
    let after = sandbox.tree("out/cleaned").remove("x.parquet").expect("it is written");
    for name in ["language", "source", "name"] {
        assert_eq!(column(&after, name), column(&before, name));
    }
    assert_eq!(column(&after, "text").len(), rows.len());
    assert!(column(&after, "text").iter().flatten().all(|text| !text.contains(SHARE_LINE)));
}
