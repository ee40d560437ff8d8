//! What holds for all source files: a name of a constant has one value, and libraries know no flags.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// The source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => files.push(path),
            false => {}
        }
    }
    files
}

/// Where the tests of a file begin.
static TESTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^#\[cfg\((?:all\()?test").expect("a regex"));

/// The text of a source file before its tests. `None` if it has only tests.
fn code(path: &Path) -> Option<String> {
    let name = path.display().to_string();
    if !name.contains("/src/") || name.contains("/tests") {
        return None;
    }
    let mut text = fs::read_to_string(path).expect("a source file");
    text.truncate(TESTS.find(&text).map_or(text.len(), |found| found.start()));
    Some(text)
}

/// The numbers that have a name at the top of a file, outside of tests: name, value, file.
fn numbers(root: &Path) -> Vec<(String, String, String)> {
    let constant = Regex::new(
        r"(?m)^(?:pub(?:\([a-z]+\))? )?const ([A-Z][A-Z0-9_]*): (?:[ui]\d+|[ui]size|f32|f64|Duration) =\s*([^;]+);",
    )
    .expect("a regex");
    let mut found = Vec::new();
    for path in sources(root) {
        let Some(code) = code(&path) else { continue };
        let all = constant.captures_iter(&code);
        found.extend(all.map(|found| (found[1].to_owned(), found[2].to_owned(), path.display().to_string())));
    }
    found
}

#[test]
fn a_name_of_a_constant_has_one_value() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut values: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for folder in ["src", "crates", "bindings"] {
        for (name, value, file) in numbers(&root.join(folder)) {
            values.entry(name).or_default().push((value, file));
        }
    }
    assert!(values.len() > 300, "only {} constants were found", values.len());
    values.retain(|_, found| found.iter().any(|(value, _)| *value != found[0].0));
    assert!(values.is_empty(), "constants of one name and several values: {values:#?}");
}

/// Python users read the messages of libraries, too: `setting::Setting` names what helps.
#[test]
fn libraries_know_no_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let string = Regex::new(r#""(?:[^"\\]|\\(?s:.))*""#).expect("a regex");
    let flag = Regex::new(r#"["\s(`]--[a-z]|`dehusk(?:-lab)? [a-z]"#).expect("a regex");
    for folder in ["core", "corpus", "run", "segments"] {
        for path in sources(&root.join("crates").join(folder).join("src")) {
            let Some(code) = code(&path) else { continue };
            // Without comments, options of other programs, and quotation marks that begin no string.
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code = lines.collect::<Vec<&str>>().join("\n");
            let others = ["zstd -d --long=31", "without --long", "cargo install --path . --features parquet"];
            let code = others.iter().fold(code, |code, other| code.replace(other, ""));
            let code = code.replace(r#"'"'"#, "").replace(r#"'\"'"#, "");
            let strings = string.find_iter(&code).map(|found| found.as_str());
            let found: Vec<&str> = strings.filter(|string| flag.is_match(string)).collect();
            assert!(found.is_empty(), "{}: {found:#?}", path.display());
        }
    }
}

/// What each module of core may import of the others. Helpers may be imported by all.
const MAY_IMPORT: [(&str, &[&str]); 11] = [
    ("cleaning", &["dom", "html", "models", "pages", "patterns", "tokens"]),
    ("dom", &["html", "models", "tokens"]),
    ("fields", &["cleaning", "patterns", "tokens"]),
    ("html", &[]),
    ("mining", &["patterns", "tokens"]),
    ("models", &[]),
    ("pages", &["cleaning", "dom", "html", "patterns"]),
    ("patterns", &["dom", "tokens"]),
    ("selection", &["cleaning", "dom", "html", "mining", "pages", "patterns", "tokens"]),
    ("streaming", &["cleaning", "html", "mining", "patterns", "tokens"]),
    ("tokens", &[]),
];

#[test]
fn modules_of_core_import_no_others_than_they_may() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/src");
    for entry in fs::read_dir(&core).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_listed = MAY_IMPORT.iter().any(|(module, _)| path.ends_with(module));
        assert!(is_listed || path.is_file(), "{}: say in MAY_IMPORT what it may import", path.display());
    }
    let import = Regex::new(r"crate::([a-z]+)\b").expect("a regex");
    for (module, allowed) in MAY_IMPORT {
        for path in sources(&core.join(module)) {
            let Some(code) = code(&path) else { continue };
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let imports = lines.flat_map(|line| import.captures_iter(line).map(|found| found[1].to_owned()));
            for imported in imports.filter(|imported| imported != module) {
                let is_helper = !MAY_IMPORT.iter().any(|(name, _)| *name == imported);
                assert!(is_helper || allowed.contains(&imported.as_str()), "{}: imports {imported}", path.display());
            }
        }
    }
}
