//! `--memory` and `--sample`: nothing is begun that there is no memory for.

use super::containers::gzip;
use super::*;

/// Two sources of 12 documents each; one of them is much larger.
fn sources() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("village", 0..12);
    for number in 0..12u64 {
        let mut story = Story(number);
        let body: Vec<String> = (0..40).map(|_| story.paragraph()).collect();
        sandbox.write(&format!("corpus/city/{number:02}.txt"), format!("{SHARE_LINE}\n\n{}\n", body.join("\n\n")));
    }
    sandbox
}

#[test]
fn a_source_that_does_not_fit_is_refused_before_anything_is_mined() {
    let sandbox = sources();
    let refused = sandbox.expect(1, "mine corpus -o patterns --memory 300k");
    refused.says("source 'city' may need").says("the limit is 300.0 kB").says("--sample");
    assert!(!refused.stderr.contains("village"), "{refused:?}");
    assert!(!sandbox.path("patterns/village.yaml").exists());
    for bad in ["0", "much", "4X", "-1G"] {
        sandbox.expect(2, &format!("mine corpus -o patterns --memory={bad}")).says("500M, 4G");
    }
}

#[test]
fn a_sample_of_it_is_mined() {
    let sandbox = sources();
    sandbox.expect(0, "mine corpus -o all --quiet");
    let sampled = sandbox.expect(0, "mine corpus -o patterns --memory 840k --sample");
    sampled.says("source 'city' needs more memory than is available").says("of its 12 documents are mined");
    let city = sandbox.read("patterns/city.yaml");
    assert!(!city.contains("documents: 12,") && city.contains(r"Share"), "{city}");
    assert_eq!(sandbox.read("patterns/village.yaml"), sandbox.read("all/village.yaml"));
}

#[test]
fn how_much_memory_there_is_does_not_show() {
    let sandbox = sources();
    sandbox.expect(0, "mine corpus -o all --quiet");
    sandbox.expect(0, "mine corpus -o patterns --quiet --memory 1600k --threads 2");
    assert_eq!(sandbox.tree("patterns"), sandbox.tree("all"));
}

/// Rows of one letter have a token for every two bytes, and a run that recurs at each. Their size does not tell that.
#[test]
fn a_source_of_many_short_tokens_needs_more_than_others_of_its_size() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("village", 0..12);
    (0..12).for_each(|number| sandbox.write(&format!("corpus/rows/{number:02}.txt"), "a ".repeat(10_000 + number)));
    // 240 kB: 2.9 MB, if it were language.
    let refused = sandbox.expect(1, "mine corpus -o patterns --memory 4M");
    refused.says("there is not enough memory: source 'rows' may need").says("the limit is 4.0 MB").says("--sample");
    assert!(!sandbox.path("patterns/village.yaml").exists());
    let sampled = sandbox.expect(0, "mine corpus -o patterns --memory 4M --sample");
    sampled.says("source 'rows' needs more memory than is available").says("of its 12 documents are mined");
    sandbox.expect(0, "mine corpus -o all --memory 400M --quiet");
    assert_eq!(sandbox.read("patterns/village.yaml"), sandbox.read("all/village.yaml"));
    assert!(sandbox.read("all/rows.yaml").contains("documents: 12,"));
}

/// Two documents of a source, of which one is much larger, and a pattern file.
pub fn large_and_small() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/daily/large.txt", format!("{SHARE_LINE}\n{}", "a b c d e f g h i j\n".repeat(5000)));
    sandbox.write("corpus/daily/small.txt", format!("{SHARE_LINE}\nA boat.\n"));
    sandbox.write("daily.yaml", format!("{}\n  - {{id: x, status: accepted, regex: '{SHARE_LINE}'}}\n", head("daily")));
    sandbox
}

/// A folder with a page that is short and is long when it is unpacked, in each of these forms, and a small page beside it.
#[cfg(unix)]
pub fn bombs() -> Sandbox {
    let sandbox = Sandbox::new();
    let page = "<p>a".repeat(500_000);
    let twice = gzip(&gzip(page.as_bytes()));
    let small = gzip(&gzip(b"<p>A boat came in."));
    let response = |body: &[u8]| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n\r\n";
        let block = [head.as_bytes(), body].concat();
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://daily.org/x\r\nContent-Type: \
             application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [record.as_bytes(), &block, b"\r\n\r\n"].concat()
    };
    let line = |page: &str| format!("{{\"source\": \"daily.org\", \"html\": \"{page}\"}}\n");
    sandbox.write("files/daily.org/large.html", gzip(page.as_bytes()));
    sandbox.write("files/daily.org/small.html", "<p>A boat came in.");
    sandbox.write("warc/x.warc", [response(&twice), response(&small)].concat());
    sandbox.write("lines/x.jsonl.gz", gzip((line(&page) + &line("<p>A boat came in.")).as_bytes()));
    sandbox.write("daily.org.yaml", format!("{}\n  - {{id: x, status: accepted, regex: 'boat'}}\n", head("daily.org")));
    sandbox
}

/// Runs dehusk with an address space of this number of kilobytes.
#[cfg(unix)]
pub fn in_space(sandbox: &Sandbox, kilobytes: u32, arguments: &str) -> (Option<i32>, String) {
    let ended = std::process::Command::new("sh")
        .current_dir(sandbox.path(""))
        .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_dehusk")])
        .args(words(arguments))
        .output()
        .expect("a shell");
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

/// Their texts, 20 kB each, would not fit.
#[test]
#[cfg(unix)]
fn of_many_pattern_files_no_texts_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/daily/x.txt", "A boat.\n");
    let comment = format!("# {}\n", "x".repeat(100)).repeat(200);
    let mined = format!("{comment}{} []\n", head("daily"));
    assert!(mined.len() > 19_000, "{}", mined.len());
    for number in 0..2500 {
        let copy = mined.replacen("source: daily", &format!("source: daily-{number}"), 1);
        sandbox.write(&format!("patterns/daily-{number}.yaml"), copy);
    }
    let (code, stderr) =
        in_space(&sandbox, 350_000, "clean corpus -p patterns -o out --quiet --threads 2 --memory 10M");
    assert_eq!(code, Some(0), "{stderr}");
}

/// Lines of a letter, of which few fit into the memory at a time, in files and in one file.
#[test]
fn documents_wait_for_memory() {
    let sandbox = Sandbox::new();
    let text = |number: usize| format!("{SHARE_LINE}\n{}", "a b c\n".repeat(2000 + number));
    let lines: String =
        (0..40).map(|number| format!("{}\n", serde_json::json!({ "source": "daily", "text": text(number) }))).collect();
    sandbox.write("lines/x.jsonl", lines);
    (0..40).for_each(|number| sandbox.write(&format!("files/daily/{number:02}.txt"), text(number)));
    sandbox.write("daily.yaml", format!("{}\n  - {{id: x, status: accepted, regex: '{SHARE_LINE}'}}\n", head("daily")));
    for form in ["files", "lines"] {
        let run = |memory: &str| {
            sandbox.expect(0, &format!("clean {form} -p daily.yaml -o out-{form}-{memory} --memory {memory}"));
            let stdout = sandbox.expect(0, &format!("clean {form} -p daily.yaml -o - --memory {memory}")).stdout;
            let stream = format!("stream {form} -p daily.yaml --state {form}-{memory} -o {form}-{memory}.jsonl");
            sandbox.expect(0, &format!("{stream} --memory {memory}"));
            let mut tree = sandbox.tree(&format!("out-{form}-{memory}"));
            tree.retain(|name, _| !name.starts_with(".dehusk"));
            (tree, stdout, sandbox.read(&format!("{form}-{memory}.jsonl")))
        };
        assert!(run("2M") == run("2G"), "{form}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_process_are_seen() {
    let (code, stderr) = in_space(&large_and_small(), 500_000, "clean corpus -p daily.yaml -o out -v --threads 2");
    let memory = stderr.split("memory for documents: ").nth(1).and_then(|rest| rest.split(" MB").next());
    let memory: f64 = memory.and_then(|memory| memory.parse().ok()).unwrap_or_else(|| panic!("{stderr}"));
    assert!(code == Some(0) && memory < 400.0, "{code:?} {stderr}");
}

fn head(source: &str) -> String {
    format!(
        "dehusk: 1\nsource: {source}\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:"
    )
}

#[test]
fn a_document_that_is_too_large_for_a_stream_is_named() {
    let sandbox = large_and_small();
    let streamed = sandbox.expect(3, "stream corpus -p daily.yaml --state state -o out.jsonl --memory 4M");
    streamed.says("large.txt: may need").says("more than the available 4.0 MB");
    assert_eq!(sandbox.read("out.jsonl").lines().count(), 1);
    sandbox.expect(0, "stream corpus -p daily.yaml --state other -o all.jsonl --memory 20M");
    assert_eq!(sandbox.read("all.jsonl").lines().count(), 2);
}

/// Lines by chance, of which every pair recurs: many more patterns than in a text of that size.
#[test]
fn a_source_with_more_patterns_than_can_be_tried_out_is_refused() {
    let sandbox = Sandbox::new();
    let mut random = 1u64;
    let mut word = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{}\n", (random >> 33) % 30)
    };
    for number in 0..6 {
        sandbox.write(&format!("corpus/chance/{number:02}.txt"), (0..2000).map(|_| word()).collect::<String>());
    }
    // Enough to mine it.
    let refused = sandbox.expect(1, "mine corpus -o patterns --memory 4500k");
    refused.says("source 'chance' may need").says("the limit is 4.5 MB").says("--sample");
    sandbox.expect(0, "mine corpus -o patterns --memory 100M --quiet");
}
