//! Compares the public items of the library with a list: `docs/public-api.txt`. A change of the list changes a promise.
//!
//! ```text
//! DEHUSK_API=overwrite cargo test --all-features --test public_api
//! ```

use std::fs;
use std::path::Path;
use std::process::Command;

use regex::Regex;

const LIST: &str = "docs/public-api.txt";

/// The documentation of the library. What it shows is public.
fn documented(root: &Path) -> String {
    let target = Path::new(env!("CARGO_BIN_EXE_dehusk")).ancestors().nth(2).expect("the target folder");
    let folder = target.join("doc/dehusk");
    // Pages of earlier items would be listed.
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(env!("CARGO"));
    // Nothing may link to what is private.
    command.current_dir(root).env("CARGO_TARGET_DIR", target).env("RUSTDOCFLAGS", "-D warnings");
    command.args(["doc", "--lib", "--no-deps", "--quiet", "--no-default-features", "--features", "pipeline,stream"]);
    let output = command.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    items(&folder)
}

/// The items in a folder of documentation, each with its fields, variants and methods.
fn items(folder: &Path) -> String {
    let page = Regex::new(r"^(struct|enum|trait|fn|type|constant)\.(\w+)\.html$").expect("a regex");
    let member =
        Regex::new(r#"id="(?:method|tymethod|structfield|variant|associatedconstant)\.(\w+)""#).expect("a regex");
    let entries = fs::read_dir(folder).expect("documentation").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    let mut list = String::new();
    for name in &names {
        let Some(found) = page.captures(name) else { continue };
        list += &format!("{} {}\n", &found[1], &found[2]);
        let html = fs::read_to_string(folder.join(name)).expect("a page");
        // The implemented traits, derived or from the standard library, come after the type's own members.
        let traits = ["trait-implementations", "synthetic-implementations", "blanket-implementations"];
        let end = traits.iter().filter_map(|id| html.find(&format!("id=\"{id}\""))).min().unwrap_or(html.len());
        let mut members: Vec<&str> = Vec::new();
        for found in member.captures_iter(&html[..end]) {
            let name = found.get(1).expect("a name").as_str();
            if !members.contains(&name) {
                members.push(name);
            }
        }
        members.iter().for_each(|member| list += &format!("    {member}\n"));
    }
    list
}

#[test]
fn what_is_public_is_on_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = documented(root);
    if std::env::var("DEHUSK_API").is_ok_and(|value| value == "overwrite") {
        fs::write(root.join(LIST), &found).expect("the list");
        return;
    }
    let listed = fs::read_to_string(root.join(LIST)).expect("the list");
    let missing: Vec<&str> = found.lines().filter(|line| !listed.lines().any(|other| other == *line)).collect();
    assert_eq!(found, listed, "not on the list: {missing:?}. DEHUSK_API=overwrite writes the list anew");
}
