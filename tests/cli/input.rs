//! Input of all kinds, above all the strange ones.

use super::containers::gzip;
use super::*;

/// Patterns for the sources `tide` and `odd`: two lines of [`page`], accepted.
fn patterns(sandbox: &Sandbox) {
    patterns_of(sandbox, &["tide", "odd"]);
}

fn patterns_of(sandbox: &Sandbox, sources: &[&str]) {
    for source in sources {
        let entry =
            |id: &str, line: &str| format!("- id: {id}\n  status: accepted\n  regex: '{line}'\n  example: '{line}'\n");
        sandbox.write(
            &format!("patterns/{source}.yaml"),
            format!(
                "dehusk: 1\nsource: {source}\nmined: {{documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}}\npatterns:\n{}{}",
                entry("share", SHARE_LINE),
                entry("copyright", COPYRIGHT_LINE)
            ),
        );
    }
}

const STORY: &str = "The ferry sailed at dawn and came back before the moon stood over Hale.\n";

/// A document of the source `odd` beside three good ones of `tide`; how cleaning ended, and what it made of it.
fn clean_beside_good_ones(document: impl AsRef<[u8]>) -> (Ran, Option<Vec<u8>>) {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    sandbox.write_pages("tide", 0..3);
    sandbox.write("corpus/odd/x.txt", document);
    let ran = sandbox.run("clean corpus -p patterns -o out --quiet");
    let mut written = sandbox.tree("out");
    let odd = written.remove("odd/x.txt");
    assert_eq!(written.len(), 3, "the others are written: {ran:?}");
    (ran, odd)
}

#[test]
fn a_source_without_pattern_file_is_copied_byte_for_byte_with_a_warning() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let strange = "No  pattern\tfile.\r\n\r\n \u{a0} trailing \r\n\u{2028}caf\u{65}\u{301}";
    sandbox.write("corpus/new/a.txt", strange);
    sandbox.write("corpus/new/b.txt", STORY);
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    ran.says("warning: there is no pattern file for source 'new'; its documents are copied unchanged");
    assert_eq!(ran.stderr.matches("no pattern file").count(), 1, "{}", ran.stderr);
    assert_eq!(sandbox.tree("out"), sandbox.tree("corpus"));
}

#[test]
fn a_source_without_pattern_file_is_named_with_the_one_that_may_be_meant_and_its_documents_are_counted() {
    let sandbox = Sandbox::new();
    patterns_of(&sandbox, &["tide.example", "_shared"]);
    for path in ["www.tide.example/a.txt", "www.tide.example/b.txt", "ride.example/a.txt", "harbour/a.txt"] {
        sandbox.write(&format!("corpus/{path}"), STORY);
    }
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    ran.says(
        "no pattern file for source 'www.tide.example' (did you mean 'tide.example'?); only shared patterns apply",
    );
    ran.says("no pattern file for source 'ride.example' (did you mean 'tide.example'?); only shared patterns apply");
    ran.says("no pattern file for source 'harbour'; only shared patterns apply");
    assert!(ran.stdout.contains("4 documents whose source has no patterns"), "{ran:?}");
    let ran = sandbox.expect(0, "clean corpus -p patterns -o again --json --quiet");
    assert!(ran.stdout.contains("\"without_patterns\": 4"), "{ran:?}");
}

#[test]
fn a_missing_path_is_named_with_the_one_that_may_be_meant() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(1, "mine corpsu -o patterns").says("cannot find \"corpsu\": did you mean \"corpus\"?");
    let ran = sandbox.expect(1, "mine corpus entirely-different -o patterns");
    ran.says("cannot find \"entirely-different\"");
    assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
    sandbox.expect(1, "clean corpus -p pattern -o out").says("pattern");
    sandbox.expect(1, "check pattern").says("cannot read the pattern folder pattern");
    assert_eq!(sandbox.tree("").len(), 6, "nothing was written");
}

#[test]
fn a_folder_without_documents_is_named_with_what_is_in_it() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("corpus/tide")).expect("a folder");
    let ran = sandbox.expect(1, "mine corpus -o patterns");
    ran.says("no documents in \"corpus\"").says("found nothing");
    sandbox.write("corpus/tide/page.pdf", "x");
    sandbox.write("corpus/tide/.hidden.txt", "x");
    sandbox.expect(1, "run corpus -o out").says("found 1 .pdf, 1 hidden");
    fs::create_dir_all(sandbox.path("patterns")).expect("a folder");
    sandbox.write("other/tide/1.txt", STORY);
    sandbox.expect(1, "clean other -p patterns -o out").says("no pattern files (.yaml) in this folder");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn other_files_are_counted_not_read() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.write("corpus/tide/page.pdf", "x");
    sandbox.write("corpus/tide/LICENCE", "x");
    let ran = sandbox.expect(0, "mine corpus -o patterns");
    ran.says("warning: files that are not documents were ignored: 1 .pdf, 1 without extension");
}

#[test]
fn an_empty_document_comes_out_empty() {
    for document in ["", "\n", " \n\t\n"] {
        let (ran, written) = clean_beside_good_ones(document);
        assert_eq!((ran.status, written.as_deref()), (Some(0), Some(document.as_bytes())), "{ran:?}");
    }
}

#[test]
fn a_document_that_is_nothing_but_template_is_emptied_with_a_warning() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    sandbox.write("corpus/odd/x.txt", format!("{SHARE_LINE}\n"));
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    ran.says("corpus/odd/x.txt: all its text is removed as boilerplate");
    assert!(ran.stdout.contains("1 document with no text left"), "{}", ran.stdout);
    assert_eq!(sandbox.read("out/odd/x.txt").trim(), "");
}

#[test]
fn other_encodings_are_converted() {
    let (ran, written) = clean_beside_good_ones(b"Caf\xe9 an der Stra\xdfe, \x80 5,00 f\xfcr alle G\xe4ste.\n");
    assert_eq!(ran.status, Some(0));
    assert_eq!(written.as_deref(), Some("Café an der Straße, € 5,00 für alle Gäste.\n".as_bytes()));
    let utf16: Vec<u8> = "\u{feff}Zwölf Boote.\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(clean_beside_good_ones(utf16).1.as_deref(), Some("Zwölf Boote.\n".as_bytes()));
}

#[test]
fn no_bytes_at_all_make_it_fail() {
    for document in
        [&b"\xff\xfe\xff"[..], b"\xc3", b"a\xc3\x28b\xa0\xa1\xe2\x28\xa1", b"\xef\xbb\xbf", b"\x80\x80\x80\n"]
    {
        let (ran, written) = clean_beside_good_ones(document);
        assert!(matches!(ran.status, Some(0 | 3)), "{document:?}: {ran:?}");
        assert_eq!(written.is_some(), ran.status == Some(0), "written or named as skipped: {ran:?}");
    }
}

#[test]
fn a_nul_byte_stays_and_many_make_a_document_binary() {
    let document = format!("{STORY}A nul\0byte.\n{SHARE_LINE}\n{STORY}");
    let (ran, written) = clean_beside_good_ones(&document);
    assert_eq!(ran.status, Some(0));
    assert_eq!(written.as_deref(), Some(format!("{STORY}A nul\0byte.\n{STORY}").as_bytes()));
    let (ran, written) = clean_beside_good_ones([0; 100]);
    assert_eq!((ran.status, written), (Some(3), None));
    ran.says("skipped: corpus/odd/x.txt: looks binary");
}

#[test]
fn line_ends_stay_what_they_are() {
    let document = format!("{STORY}{SHARE_LINE}\n{STORY}").replace('\n', "\r\n");
    let (_, written) = clean_beside_good_ones(document);
    let expected = format!("{STORY}{STORY}").replace('\n', "\r\n");
    assert_eq!(String::from_utf8(written.expect("it is written")), Ok(expected));
}

#[test]
fn windows_line_ends_are_mined_like_others() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..8);
    sandbox.expect(0, "mine corpus -o unix --quiet");
    for number in 0..8 {
        let name = format!("corpus/tide/{number:05}.txt");
        sandbox.write(&name, sandbox.read(&name).replace('\n', "\r\n"));
    }
    sandbox.expect(0, "mine corpus -o windows --quiet");
    // Examples, and the bytes that were removed, have line ends in them.
    let without_examples = |folder: &str| {
        let file = sandbox.read(&format!("{folder}/tide.yaml"));
        file.lines()
            .filter(|line| !line.contains("example: ") && !line.starts_with("mined: "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(without_examples("unix"), without_examples("windows"));
}

#[test]
fn many_sources_of_one_document_share_lines() {
    const SHARED: &str = "Proudly powered by a very small press";
    let shared_of = |sources: usize| {
        let sandbox = Sandbox::new();
        for source in 0..sources {
            let story = format!("The ferry number {source}x{source} came late to harbour {source}y{source} on Monday.");
            sandbox.write(&format!("corpus/host{source}/a.txt"), format!("{story}\n{SHARED}\n"));
        }
        let ran = sandbox.expect(0, "run corpus -o out");
        (sandbox.path("out/patterns/_shared.yaml").exists().then(|| sandbox.read("out/patterns/_shared.yaml")), ran)
    };
    let (many, _) = shared_of(60);
    assert!(many.is_some_and(|patterns| patterns.contains("powered") && patterns.contains("sources: 60")));
    let (few, ran) = shared_of(59);
    assert!(few.is_none_or(|patterns| !patterns.contains("powered")));
    ran.says("there are no shared patterns either");
}

#[test]
fn a_source_of_one_document_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..1);
    let ran = sandbox.expect(0, "run corpus -o out");
    ran.says("source 'tide' is too small to mine: it needs 5 different documents and has 1; there are no shared patterns either");
    let index = sandbox.read("out/patterns/_index.yaml");
    assert!(index.contains("source: 'tide'") && index.contains("why: 'it has only 1 document'"), "{index}");
    assert!(!sandbox.path("out/patterns/tide.yaml").exists());
    assert_eq!(sandbox.tree("out/cleaned"), sandbox.tree("corpus"));
}

#[test]
fn a_thousand_identical_documents_are_one() {
    let sandbox = Sandbox::new();
    let page = page(1, 1);
    (0..1000).for_each(|number| sandbox.write(&format!("corpus/tide/{number:04}.txt"), &page));
    let ran = sandbox.expect(0, "run corpus -o out");
    ran.says("it needs 5 different documents and has 1");
    assert!(sandbox.read("out/patterns/_index.yaml").contains("documents: 1000, near_duplicates: 999"));
    assert_eq!(sandbox.tree("out/cleaned"), sandbox.tree("corpus"));
}

#[test]
fn names_of_documents_may_be_anything_that_is_utf_8() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let mut names = vec!["a b.txt", "ünï – 船🚢.txt", "-o.txt", "quote'\"s.txt", "deep/er/still.txt", "two.txt.txt"];
    names.extend(cfg!(unix).then_some("line\nbreak\t*?.txt"));
    names.iter().for_each(|name| sandbox.write(&format!("corpus/odd/{name}"), format!("{STORY}{SHARE_LINE}\n")));
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let written = sandbox.tree("out");
    assert_eq!(written.len(), names.len());
    assert!(names.iter().all(|name| written[&format!("odd/{name}")] == STORY.as_bytes()));
}

/// Whether a file that nobody may read can be read: so it is for root.
#[cfg(unix)]
fn reads_everything(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("the permissions");
    fs::read(path).is_ok()
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    sandbox.write_pages("tide", 0..6);
    std::os::unix::fs::symlink("nowhere.txt", sandbox.path("corpus/tide/link.txt")).expect("a link");
    fs::create_dir(sandbox.path("corpus/tide/folder.txt")).expect("a folder");
    sandbox.write("corpus/tide/locked.txt", STORY);
    let skipped = if reads_everything(&sandbox.path("corpus/tide/locked.txt")) {
        eprintln!("notice: this user may read everything; a locked file is not tried");
        1
    } else {
        2
    };
    for command in ["clean corpus -p patterns -o out --quiet", "mine corpus -o mined --quiet"] {
        let ran = sandbox.expect(3, command);
        ran.says("skipped: corpus/tide/link.txt: cannot be read: No such file");
        assert_eq!(ran.stderr.lines().count(), skipped, "{}", ran.stderr);
        assert!(skipped == 1 || ran.stderr.contains("locked.txt: cannot be read: Permission denied"));
    }
    assert_eq!(sandbox.tree("out").len(), 6 + 2 - skipped);
    assert!(sandbox.path("mined/tide.yaml").exists());
}

#[test]
fn lines_of_jsonl_cannot_lead_out_of_the_output() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let long = "x".repeat(201);
    let sources = [
        "a/b",
        "..",
        "../out",
        "/etc",
        "a\\\\b",
        ".",
        "c:",
        "_shared",
        "",
        "nul",
        "COM1.txt",
        "a\\u0000b",
        "a\\nb",
        "a\\u001b[2Jb",
        "a\\u0085b",
        "a.",
        "a ",
        " a",
        "a..",
        "..a",
        "a*",
        &long,
    ];
    let line = |source: &str| format!("{{\"id\":\"../../x\",\"source\":\"{source}\",\"text\":\"Some text.\"}}\n");
    let lines: String = sources.iter().map(|source| line(source)).chain([line("tide")]).collect();
    sandbox.write("in/lines.jsonl", lines);
    for command in ["clean in -p patterns -o out/deep --report report.jsonl --quiet", "mine in -o out/mined --quiet"] {
        let ran = sandbox.expect(3, command);
        assert_eq!(ran.skipped(), sources.len(), "{}", ran.stderr);
    }
    let report = sandbox.read("report.jsonl");
    for number in 1..=sources.len() {
        let line = format!("{{\"file\":\"in/lines.jsonl\",\"record\":{number},\"skipped\":");
        assert!(report.contains(&line), "{number}: {report}");
    }
    fs::remove_file(sandbox.path("report.jsonl")).expect("the report");
    assert_eq!(sandbox.read("out/deep/lines.jsonl"), line("tide"));
    let is_output = |name: &String| !name.starts_with("patterns/") && !name.starts_with("out/deep/.dehusk/report/");
    let names: Vec<String> = sandbox.tree("").into_keys().filter(is_output).collect();
    assert_eq!(names, ["in/lines.jsonl", "out/deep/lines.jsonl", "out/mined/_index.yaml", "out/mined/_mutable.yaml"]);
}

#[test]
fn hosts_and_what_a_regex_finds_cannot_lead_out_of_the_output() {
    let sandbox = Sandbox::new();
    let hosts = ["..", ".", "nul", "a|b", "_shared", "a\\u0000b", "x*", "-", &"y".repeat(201)];
    let line = |host: &str| format!("{{\"url\":\"https://{host}/../x\",\"text\":\"Some text.\"}}\n");
    sandbox.write("in/lines.jsonl", hosts.iter().map(|host| line(host)).collect::<String>());
    for rule in ["host", "domain", "//([^/]*)", ".*", "(?<source>)x"] {
        let ran = sandbox.run(&format!("run in -o out/{} --quiet --source-by {rule}", rule.len()));
        assert!(matches!(ran.status, Some(1 | 3)), "{rule}: {ran:?}");
        assert!(ran.skipped() >= hosts.len() - 1, "{rule}: {}", ran.stderr);
    }
    let mut names: Vec<String> = sandbox.tree("").into_keys().collect();
    names.retain(|name| !name.starts_with("in/") && !name.ends_with("/cleaned/lines.jsonl"));
    let is_about_folder = |name: &str| name.ends_with("/_index.yaml") || name.ends_with("/_mutable.yaml");
    assert!(names.iter().all(|name| is_about_folder(name)), "{names:?}");
    let indices = names.iter().filter(|name| name.ends_with("/_index.yaml")).map(|name| sandbox.read(name));
    assert!(
        indices
            .flat_map(|index| index.lines().skip(2).map(str::to_owned).collect::<Vec<_>>())
            .all(|line| line.contains("source: '-'"))
    );
}

#[test]
#[cfg(unix)]
fn names_that_other_systems_take_for_one_come_out_apart() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let names = ["X.txt", "x.txt", "caf\u{e9}.txt", "cafe\u{301}.txt", "nul.txt", "end. /x.txt", "c:\\x.txt", "...txt"];
    names.iter().for_each(|name| sandbox.write(&format!("corpus/odd/{name}"), format!("{STORY}{SHARE_LINE}\n")));
    if sandbox.tree("corpus").len() < names.len() {
        eprintln!("notice: this file system takes some of the names for one; not tried");
        return;
    }
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let written = sandbox.tree("out");
    // the last is hidden
    assert_eq!(written.len(), names.len() - 1, "{ran:?}");
    assert!(names[..7].iter().all(|name| written[&format!("odd/{name}")] == STORY.as_bytes()));
}

#[test]
fn the_longest_names_come_out_and_longer_ones_are_named() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let name = format!("{}.txt", "x".repeat(251));
    sandbox.write(&format!("corpus/odd/{name}"), STORY);
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    assert_eq!(sandbox.tree("out").into_keys().collect::<Vec<_>>(), [format!("odd/{name}")]);
    let ran = sandbox.expect(3, "clean corpus -p patterns -o spans --spans --quiet");
    ran.says(".txt.jsonl\", and this name is too long there").says("shorten");
}

#[test]
fn a_line_that_is_not_json_is_named_and_the_others_come_out() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    let line =
        |number: usize| format!("{{\"id\":{number},\"source\":\"tide\",\"text\":\"Line {number} of the file.\"}}\n");
    let (before, after): (String, String) = ((1..500).map(line).collect(), (501..1000).map(line).collect());
    sandbox.write("lines.jsonl", format!("{before}{{\"id\":500,\n{after}"));
    let ran = sandbox.expect(3, "run lines.jsonl -o out");
    ran.says("skipped: lines.jsonl:500: is not valid JSON");
    assert_eq!(ran.stderr.matches("skipped").count(), 1, "named once, though read twice: {}", ran.stderr);
    assert!(ran.stdout.contains("1 skipped"), "{}", ran.stdout);
    assert_eq!(sandbox.read("out/cleaned/lines.jsonl").lines().count(), 998);
}

#[test]
fn two_files_of_one_name_are_refused() {
    let sandbox = Sandbox::new();
    patterns(&sandbox);
    sandbox.write("corpus/odd/x.txt", STORY);
    sandbox.write("corpus/odd/x.html", STORY);
    sandbox.write("more/odd/y.txt", STORY);
    sandbox.expect(1, "clean corpus -p patterns -o out").says("would both be written to \"odd/x.txt\"");
    sandbox.expect(1, "clean more more -p patterns -o out").says("is given twice: name it once");
    sandbox.expect(1, "clean more more/odd -p patterns -o out").says("y.txt");
    sandbox.expect(0, "clean corpus more -p patterns -o out --html markup --quiet");
    assert_eq!(sandbox.tree("out").len(), 3);
}

#[test]
fn a_page_on_stdin_is_read_as_a_page() {
    let sandbox = Sandbox::new();
    let story: String = (0..8).map(|number| format!("<p>{}</p>\n", Story(number).paragraph())).collect();
    let page =
        format!("\n<!doctype html>\n<ul><li><a href=x>Home</a></ul>\n<article><h1>Rain</h1>\n{story}</article>\n");
    sandbox.write("stdin/page.html", &page);
    let text = |ran: Ran| {
        assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
        let line: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(line["source"], "stdin");
        line["text"].as_str().expect("a text").to_owned()
    };
    let expected = text(sandbox.expect(0, "extract stdin -o - --quiet"));
    assert!(expected.lines().count() >= 8, "{expected}");
    let wide: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in
        [page.clone().into_bytes(), [&b"\xef\xbb\xbf"[..], page.as_bytes()].concat(), [b"\xff\xfe", &wide[..]].concat()]
    {
        assert_eq!(text(expect_fed(&sandbox, 0, "extract - -o - --quiet", &bytes)), expected);
        assert_eq!(text(expect_fed(&sandbox, 0, "extract - -o - --quiet", gzip(&bytes))), expected);
    }
    for (format, name) in [("text", "stdin.txt"), ("html", "stdin.html"), ("markdown", "stdin.md")] {
        expect_fed(&sandbox, 0, &format!("extract - -o {format} --quiet --format {format}"), &page);
        sandbox.expect(0, &format!("extract stdin -o as-{format} --quiet --format {format}"));
        let file = sandbox.tree(&format!("as-{format}")).into_values().next().expect("a file");
        assert_eq!(sandbox.tree(format), Tree::from([(name.to_owned(), file)]));
    }
    // Mining stores it, and a stream learns from it.
    expect_fed(&sandbox, 0, "mine - -o patterns --quiet", &page);
    assert!(sandbox.read("patterns/_index.yaml").contains("source: 'stdin', documents: 1,"));
    expect_fed(&sandbox, 0, "stream - --state state -o - --quiet", &page);
    let explained = expect_fed(&sandbox, 0, "explain - -p patterns --quiet", &page);
    assert!(explained.stdout.contains("Rain"), "{}", explained.stdout);
    // A text is neither.
    let ran = expect_fed(&sandbox, 3, "extract - -o -", "Rain again.\n");
    ran.says("skipped: -:1: is not valid JSON");
}
