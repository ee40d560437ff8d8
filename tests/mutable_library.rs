//! The shipped mutable patterns (`patterns/*.yaml`) follow the rules of `patterns/README.md`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use dehusk_core::tokens::mutable_file::{MutableEntry, MutablePreset, SHIPPED, check_examples, parse, patterns_of};
use dehusk_core::tokens::{MutablePattern, MutableSet};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("patterns")
}

/// The presets that have patterns, with their folders.
const PRESETS: [(MutablePreset, &str); 2] = [(MutablePreset::Default, ""), (MutablePreset::Foschini, "presets")];

/// The files on disk, by name.
fn files() -> Vec<(String, String)> {
    PRESETS.iter().flat_map(|(_, of_preset)| files_in(&folder().join(of_preset))).collect()
}

/// The files of a folder, by name.
fn files_in(folder: &Path) -> Vec<(String, String)> {
    let paths = fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path());
    let mut files: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml"))
        .map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path))
        .map(|(name, path)| (name, fs::read_to_string(path).expect("a readable file")))
        .collect();
    files.sort();
    files
}

/// The names of patterns that break a rule, with the reason.
fn complaints(complain: impl Fn(&MutableEntry) -> Option<String>) -> Vec<String> {
    let entries: Vec<MutableEntry> = PRESETS.iter().flat_map(|(preset, _)| preset.entries()).collect();
    assert!(entries.len() > 80 + 16, "they are read");
    entries.iter().filter_map(|entry| Some(format!("{}: {}", entry.pattern.name, complain(entry)?))).collect()
}

#[test]
fn every_file_on_disk_is_embedded() {
    for (preset, of_preset) in PRESETS {
        let mut embedded: Vec<(String, String)> =
            preset.files().iter().map(|(name, yaml)| ((*name).to_owned(), (*yaml).to_owned())).collect();
        embedded.sort();
        assert_eq!(files_in(&folder().join(of_preset)), embedded);
    }
    let readme = fs::read_to_string(folder().join("README.md")).expect("a README");
    let order: Vec<String> =
        SHIPPED.iter().map(|(name, _)| format!("`{}`", name.strip_suffix(".yaml").unwrap_or(name))).collect();
    assert!(readme.contains(&order.join(", ")), "the README gives the order {order:?}");
}

#[test]
fn every_file_parses_by_itself() {
    for (name, yaml) in files() {
        let entries = parse(&yaml).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!entries.is_empty(), "{name}");
        MutableSet::new(patterns_of(&entries)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn names_are_kebab_case_and_unique() {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_kebab = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(is_part);
    assert_eq!(complaints(|entry| (!is_kebab(&entry.pattern.name)).then(|| "is not kebab-case".into())), [""; 0]);
    for (preset, _) in PRESETS {
        let mut seen = HashSet::new();
        let names = preset.patterns().into_iter().map(|pattern| pattern.name);
        assert_eq!(names.filter(|name| !seen.insert(name.clone())).collect::<Vec<_>>(), [""; 0]);
    }
}

#[test]
fn every_example_is_matched_by_its_own_pattern_and_every_near_miss_spared() {
    for (preset, _) in PRESETS {
        check_examples(&preset.entries()).expect("they compile together, examples match, near misses do not");
    }
}

#[test]
fn every_pattern_has_examples_and_near_misses() {
    let too_few = |entry: &MutableEntry| {
        let (examples, not) = (entry.examples.len(), entry.not.len());
        (examples < 3 || not < 2).then(|| format!("{examples} examples and {not} near misses"))
    };
    assert_eq!(complaints(too_few), [""; 0]);
    let repeated = |entry: &MutableEntry| {
        let mut seen = HashSet::new();
        entry.examples.iter().chain(&entry.not).find(|text| !seen.insert(*text)).cloned()
    };
    assert_eq!(complaints(repeated), [""; 0]);
}

/// The three engines agree on the examples. PCRE2 also stands for Python here, because both backtrack.
#[test]
fn pcre2_matches_the_same_examples() {
    let wrong = |entry: &MutableEntry| {
        let regex = format!(r"\A(?:{})\z", entry.pattern.regex);
        let regex = match pcre2::bytes::RegexBuilder::new().utf(true).ucp(true).build(&regex) {
            Ok(regex) => regex,
            Err(error) => return Some(error.to_string()),
        };
        let matches = |text: &&String| regex.is_match(text.as_bytes()).unwrap_or(false);
        let missed = entry.examples.iter().find(|text| !matches(text));
        missed.or_else(|| entry.not.iter().find(matches)).cloned()
    };
    assert_eq!(complaints(wrong), [""; 0]);
}

#[test]
fn regexes_keep_to_what_every_dialect_reads_alike() {
    assert_eq!(complaints(|entry| dialect_problem(&entry.pattern.regex)), [""; 0]);
}

#[test]
fn regexes_can_be_read_by_people() {
    const LONGEST: usize = 250;
    let too_long = |entry: &MutableEntry| {
        let length = entry.pattern.regex.chars().count();
        (length > LONGEST).then(|| format!("{length} characters"))
    };
    assert_eq!(complaints(too_long), [""; 0]);
}

#[test]
fn what_is_not_portable_is_found() {
    let foreign = [
        r"\p{Lu}",
        r"\d+",
        r"\bx",
        "(x)",
        "(?P<n>x)",
        "(?<n>x)",
        "(?=x)",
        "(?<!x)",
        "(?>x)",
        "(?i)x",
        "a++",
        "a?+",
        "a{2}+",
        r"(x)\1",
        "[[:alpha:]]",
        "[a&&b]",
        r"[\d]",
        r"a\s",
        r"[\s]",
        "a\nb",
        "a[\u{a0}]b",
        r"\z",
    ];
    for regex in foreign {
        assert!(dialect_problem(regex).is_some(), "{regex}");
    }
    for regex in
        ["(?:a|b)+", "(?i:x)", r"\+[0-9]", r"[^\s<]", r"[^\S\n\t ]", r"[(\[]", "a+?", "x{1,3}", "[+-]+", r"[\])}]"]
    {
        assert_eq!(dialect_problem(regex), None, "{regex}");
    }
}

/// Parts that Rust, Python and PCRE2 may read differently, or that the README forbids. Looks only at the text.
fn dialect_problem(regex: &str) -> Option<String> {
    if let Some(invisible) = regex.chars().find(|&c| c.is_whitespace() && c != ' ') {
        return Some(format!("the invisible character {invisible:?}"));
    }
    let mut rest = regex;
    let mut after_quantifier = false;
    while let Some(c) = rest.chars().next() {
        let tail = &rest[c.len_utf8()..];
        let mut is_quantifier = false;
        rest = match c {
            '\\' => match tail.chars().next() {
                Some(escaped) if escaped.is_ascii_punctuation() => &tail[1..],
                escaped => return Some(format!("the escape \\{}", escaped.unwrap_or(' '))),
            },
            '[' => match class_end(tail) {
                Ok(end) => &tail[end..],
                Err(problem) => return Some(problem),
            },
            '(' => match tail.strip_prefix("?:").or_else(|| tail.strip_prefix("?i:")) {
                Some(inside) => inside,
                None => return Some(format!("a group that is neither (?:...) nor (?i:...): ({tail}")),
            },
            '+' if after_quantifier => return Some(format!("a possessive quantifier before {tail:?}")),
            '*' | '+' | '?' => {
                is_quantifier = true;
                tail
            }
            '{' => {
                is_quantifier = true;
                match tail.split_once('}') {
                    Some((count, after)) if count.chars().all(|c| c.is_ascii_digit() || c == ',') => after,
                    _ => return Some("a brace that is no quantifier".to_owned()),
                }
            }
            '^' | '$' | '.' => return Some(format!("{c}, which depends on flags or line breaks")),
            c if c.is_control() => return Some(format!("the control character {c:?}")),
            _ => tail,
        };
        after_quantifier = is_quantifier;
    }
    None
}

/// The end of a class. The text starts after its `[`.
fn class_end(class: &str) -> Result<usize, String> {
    let is_negated = class.starts_with('^');
    let mut chars = class.char_indices().skip(usize::from(is_negated));
    while let Some((at, c)) = chars.next() {
        match c {
            ']' => return Ok(at + 1),
            '[' => return Err("a [ in a class that is not escaped".to_owned()),
            '\\' => match chars.next() {
                // All three have the same white space, except a few control characters.
                Some((_, 's' | 'S' | 'r' | 'n' | 't')) if is_negated => {}
                // A character as two hexadecimal digits.
                Some((at, 'x')) if class[at + 1..].starts_with("a0") => {}
                Some((_, escaped)) if escaped.is_ascii_punctuation() => {}
                _ => return Err(format!("an escape in the class [{class}")),
            },
            '&' | '~' | '|' | '-' if class[at + 1..].starts_with(c) => return Err(format!("{c}{c} in a class")),
            _ => {}
        }
    }
    Err("a class that does not end".to_owned())
}

#[test]
fn files_are_in_canonical_form() {
    for (name, yaml) in files() {
        let entries = parse(&yaml).expect("another test parses it");
        let without_remarks: String = yaml.split_inclusive('\n').filter(|line| !is_remark(line)).collect();
        let canonical = canonical(&entries);
        let lines = || without_remarks.lines().zip(canonical.lines());
        if let Some((line, expected)) = lines().find(|(line, expected)| line != expected) {
            panic!("{name} has\n{line}\nand not\n{expected}");
        }
        assert_eq!(without_remarks, canonical, "{name}");
    }
}

/// Removes comments and blank lines between patterns, which are for people.
fn is_remark(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("  # ") || line.starts_with("# ")
}

/// One key per line, in a fixed order, and all values in single quotes.
fn canonical(entries: &[MutableEntry]) -> String {
    let quoted = |text: &String| format!("'{}'", text.replace('\'', "''"));
    let list = |texts: &[String]| format!("[{}]", texts.iter().map(quoted).collect::<Vec<_>>().join(", "));
    let entry = |MutableEntry { pattern: MutablePattern { name, regex }, examples, not }: &MutableEntry| {
        let (regex, examples, not) = (quoted(regex), list(examples), list(not));
        format!("  - name: {name}\n    regex: {regex}\n    examples: {examples}\n    not: {not}\n")
    };
    format!("mutable:\n{}", entries.iter().map(entry).collect::<String>())
}
