//! Compares the imports of each module with the table in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that import nothing but each other, and that all modules may import.
const HELPERS: [&str; 9] = ["cut", "setters", "random", "regular", "shown", "stretches", "guarded", "threads", "whole"];
/// The root of the library, and of the program.
const ROOTS: [&str; 2] = ["lib", "main"];

/// The rows of the table: for each module the modules that it may import. `None` means all.
fn table() -> BTreeMap<String, Option<BTreeSet<String>>> {
    let page = include_str!("../ARCHITECTURE.md");
    let table = page.split("| folder | imports |").nth(1).expect("the table");
    let named = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<String>>();
    let mut rows = BTreeMap::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').collect();
        let allowed = if cells[2].contains("all of them") { None } else { Some(named(cells[2])) };
        named(cells[1]).into_iter().for_each(|module| drop(rows.insert(module, allowed.clone())));
    }
    rows
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The modules in paths that start with `crate::`, without comments and tests.
fn imported(code: &str) -> BTreeSet<String> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.flat_map(|line| line.split("crate::").skip(1).map(name).collect::<Vec<_>>()).collect()
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let (table, source) = (table(), Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for path in rust_files(&source) {
        let relative = path.strip_prefix(&source).expect("a path below");
        let first = relative.components().next().expect("a component");
        let module = Path::new(first.as_os_str()).with_extension("").display().to_string();
        if ROOTS.contains(&module.as_str()) || HELPERS.contains(&module.as_str()) {
            continue;
        }
        let allowed = table.get(&module).unwrap_or_else(|| panic!("{module} has no row in ARCHITECTURE.md"));
        seen.insert(module.clone());
        let Some(allowed) = allowed else { continue };
        for import in imported(&fs::read_to_string(&path).expect("a file")) {
            let is_allowed = import == module || HELPERS.contains(&import.as_str()) || allowed.contains(&import);
            // Other names are items inside the module, or macros.
            let is_module = source.join(&import).is_dir() || source.join(format!("{import}.rs")).is_file();
            assert!(is_allowed || !is_module, "{} imports {import}, which its row does not name", relative.display());
        }
    }
    assert_eq!(seen.len(), table.len(), "a row is of no module");
}
