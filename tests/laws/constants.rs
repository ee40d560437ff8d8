//! Names of constants: a reader who meets one name in two files expects one value.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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

/// The numbers that have a name at the top of a file, outside of tests: name, value, file.
fn numbers(root: &Path) -> Vec<(String, String, String)> {
    let constant = Regex::new(
        r"(?m)^(?:pub(?:\([a-z]+\))? )?const ([A-Z][A-Z0-9_]*): (?:[ui]\d+|[ui]size|f32|f64|Duration) =\s*([^;]+);",
    )
    .expect("a regex");
    let test = Regex::new(r"(?m)^#\[cfg\((?:all\()?test").expect("a regex");
    let mut found = Vec::new();
    for path in sources(root) {
        let name = path.display().to_string();
        if !name.contains("/src/") || name.contains("/tests") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        let code = &text[..test.find(&text).map_or(text.len(), |found| found.start())];
        found
            .extend(constant.captures_iter(code).map(|found| (found[1].to_owned(), found[2].to_owned(), name.clone())));
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
