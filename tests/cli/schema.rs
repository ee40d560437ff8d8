//! The JSON Schema of pattern files: editors take by it what dehusk takes, and nothing else.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use super::*;

/// A small file with every key.
const FILE: &str = r"dehusk: 1
source: tide
mined: {documents: 27, near_duplicates: 1, tokens: 14948, cutoff: 0.51, removed: 0.625, tokenizer: words}
unusual: 'about 40 % of its content would be lost'
loose: keep
keep:
  - text: 'By the light of the harbor'
    note: ''
patterns:
  - id: 'b10c'
    status: proposed
    documents: 3
    occurrences: 4
    removes: 0.5
    example: 'Home'
    note: ''
    rows:
      - {documents: 3, text: '⏎Home⏎'}
      - {documents: 2, sure: false, between: [3, 40], after: [2, 30], text: '⏎News {number}⏎'}
  - id: '5b90fe4e'
    status: proposed
    text: '⏎Most read⏎'
    documents: 3
    among: 9
    occurrences: 4
    sources: 2
    ends_after: 10
    example: 'Most read'
    note: ''
    regex: '(?m)^\s*Most\s+read\s*$'
  - id: 'aside'
    status: proposed
    documents: 3
    occurrences: 4
    removes: 0.125
    example: 'More'
    note: ''
    drop: 'aside.related'
  - id: 'story'
    status: accepted
    documents: 0
    occurrences: 0
    example: 'The ferry'
    note: ''
    content: 'div.story > p'
evidence:
  - {documents: 3, among: 9, occurrences: 4, sources: 2, ends_after: 7, unspaced: true, text: 'About the author'}
mutable:
  - name: number
    regex: '[0-9]+'
histogram: {0: 12, 99: 3}
";

/// The schema as the program prints it.
struct Schema {
    written: Value,
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn printed() -> Schema {
        let ran = Sandbox::new().expect(0, "schema");
        let written: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", written.clone()).expect("a schema");
        let index = compiler.compile("schema.json", &mut schemas).expect("a valid schema");
        Schema { written, schemas, index }
    }

    /// What is wrong with a pattern file, if anything.
    fn complaint(&self, yaml: &str) -> Option<String> {
        let file: Value = serde_saphyr::from_str(yaml).expect("YAML");
        self.schemas.validate(&file, self.index).err().map(|error| error.to_string())
    }

    #[track_caller]
    fn takes(&self, yaml: &str) {
        assert_eq!(self.complaint(yaml), None, "{yaml}");
    }

    /// The keys that it knows at a place in itself, sorted.
    fn keys(&self, pointer: &str) -> Vec<&str> {
        let properties = self.written.pointer(pointer).and_then(|schema| schema["properties"].as_object());
        let mut keys: Vec<&str> = properties.expect("properties").keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }
}

#[test]
fn it_takes_what_is_mined() {
    let (schema, sandbox) = (Schema::printed(), Sandbox::new());
    sandbox.expect(0, &format!("mine {} -o patterns --quiet", news()));
    let mut files = sandbox.tree("patterns");
    assert!(files.remove("_mutable.yaml").is_some());
    assert_eq!(files.len(), 7, "{:?}", files.keys());
    files.values().for_each(|file| schema.takes(&String::from_utf8_lossy(file)));
}

#[test]
fn it_takes_the_examples_of_the_documentation() {
    let schema = Schema::printed();
    let page = include_str!("../../docs/patterns.md");
    let [file, keep, entry] = examples(page)[..] else { panic!("another number of examples") };
    let [selector] = examples(include_str!("../../docs/pages.md"))[..] else { panic!("another number of examples") };
    schema.takes(file);
    let mined = "{documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}";
    assert!(page.contains(mined), "the page has another line for files of one's own");
    let start = format!("dehusk: 1\nsource: tide\nmined: {mined}\n");
    schema.takes(&format!("{start}patterns:\n{entry}{selector}"));
    schema.takes(&format!("{start}{keep}"));
}

/// The blocks of YAML in a page.
fn examples(page: &str) -> Vec<&str> {
    page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn it_refuses_what_dehusk_refuses() {
    let (schema, sandbox) = (Schema::printed(), Sandbox::new());
    schema.takes(FILE);
    sandbox.write("tide.yaml", FILE);
    sandbox.expect(0, "check tide.yaml");
    for (from, to) in [
        ("dehusk: 1", "dehusk: 2"),
        ("source: tide\n", ""),
        ("source: tide", "sauce: tide"),
        ("tokens: 14948, ", ""),
        ("tokens: 14948", "tokens: many"),
        ("documents: 27", "documents: -1"),
        ("tokenizer: words", "tokenizer: words, language: en"),
        ("text: 'By the light of the harbor'", "text: ' '"),
        ("  - text: 'By the light of the harbor'\n    note", "  - note"),
        ("status: proposed", "status: maybe"),
        ("text: '⏎Most read⏎'", "text: [read]"),
        ("    regex: '(?m)^\\s*Most\\s+read\\s*$'\n", ""),
        ("regex: '(?m)^\\s*Most", "regexp: '(?m)^\\s*Most"),
        ("  - {documents: 3, among: 9, occurrences: 4", "  - {documents: 3, among: 9, count: 4"),
        ("occurrences: 4, sources: 2, ends_after: 7, unspaced: true, text: 'About the author'", "occurrences: 4"),
        ("unspaced: true", "unspaced: sometimes"),
        ("loose: keep", "loose: maybe"),
        ("between: [3, 40]", "between: [3]"),
        ("between: [3, 40]", "between: [3, many]"),
        ("sure: false", "sure: perhaps"),
        ("      - {documents: 3, text: '⏎Home⏎'}", "      - {documents: 3}"),
        ("    rows:\n", "    regex: 'Home'\n    rows:\n"),
        ("mutable:\n  - name: number\n    regex: '[0-9]+'\n", "mutable: {number: '[0-9]+'}\n"),
        ("    drop: 'aside.related'\n", ""),
        ("    drop: 'aside.related'\n", "    drop: 'aside.related'\n    content: 'p'\n"),
        ("content: 'div.story > p'", "contents: 'div.story > p'"),
        ("evidence:", "evidences:"),
        ("ends_after: 10", "ends_after: soon"),
        ("ends_after: 10", "removes: 5"),
        ("removes: 0.125", "removes: 12.5"),
        ("removes: 0.125", "removes: much"),
        ("unusual: 'about 40 % of its content would be lost'", "unusual: [1]"),
        ("  - name: number\n    regex", "  - regex"),
        ("histogram: {0: 12", "histogram: {x: 12"),
    ] {
        let broken = FILE.replacen(from, to, 1);
        assert_ne!(broken, FILE, "{from}");
        sandbox.write("tide.yaml", &broken);
        sandbox.expect(1, "check tide.yaml");
        assert!(schema.complaint(&broken).is_some(), "{to}");
    }
}

#[test]
fn it_knows_the_keys_that_dehusk_knows() {
    let (schema, sandbox) = (Schema::printed(), Sandbox::new());
    for (pointer, from, to) in [
        ("", "source: tide", "sauce: tide"),
        ("/definitions/mined", "near_duplicates: 1", "duplicates: 1"),
        ("/definitions/keep", "- text: ", "- words: "),
        ("/definitions/pattern", "among: 9", "of: 9"),
        ("/definitions/row", "sure: false", "certain: false"),
        ("/definitions/evidence", "unspaced: true", "spaced: true"),
        ("/definitions/mutable", "- name: ", "- called: "),
    ] {
        sandbox.write("tide.yaml", FILE.replacen(from, to, 1));
        let ran = sandbox.expect(1, "check tide.yaml");
        let expected = ran.stdout.split("expected one of ").nth(1).unwrap_or_else(|| panic!("{}", ran.stdout));
        let mut keys: Vec<&str> = expected.trim().split(", ").collect();
        keys.sort_unstable();
        assert_eq!(schema.keys(pointer), keys, "{pointer}");
    }
}

#[test]
fn the_line_that_names_it_stays_first() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    let first = "# yaml-language-server: $schema=../dehusk.schema.json\n";
    sandbox.edit("patterns/tide.yaml", "dehusk: 1", &format!("{first}dehusk: 1"));
    sandbox.edit("patterns/tide.yaml", "status: proposed", "status: 'accepted' # theirs");
    sandbox.expect(0, "check --fix patterns");
    assert!(sandbox.read("patterns/tide.yaml").starts_with(first));
    sandbox.write_pages("tide", 12..15);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert!(sandbox.read("patterns/tide.yaml").starts_with(first));
}
