//! A file with settings: finds it, reads it, and names the line of each problem.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use dehusk_core::whole;
use dehusk_corpus::SETTINGS_FILE;

/// Maximum size of a file with settings, in bytes. A larger file must be something else, and is refused.
const MOST_BYTES_OF_SETTINGS: u64 = 1_000_000;

/// A table of the file, or the whole file.
#[derive(Debug, Default)]
pub struct Table {
    pub settings: Vec<Setting>,
    pub tables: Vec<(Key, Table)>,
}

/// The name of a setting or a table.
#[derive(Clone, Debug)]
pub struct Key {
    pub name: String,
    /// The line in the file, from 1.
    pub line: usize,
}

/// A flag that the file sets.
#[derive(Clone, Debug)]
pub struct Setting {
    pub key: Key,
    pub value: Value,
}

/// The value that the file gives a flag.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// For a flag that takes no value.
    Switch(bool),
    /// For a flag that takes values, as they would be written on the command line.
    Values(Vec<String>),
}

/// Why a file cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    pub path: PathBuf,
    /// The line of the problem. `None` if the whole file cannot be used.
    pub line: Option<usize>,
    pub message: String,
}

/// The number of a line, and the problem in it.
pub type Problem = (usize, String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let ConfigError { path, line, message } = self;
        match line {
            Some(line) => write!(f, "{}:{line}: {message}", path.display()),
            None => write!(f, "{}: {message}", path.display()),
        }
    }
}

/// The nearest file that is named [`SETTINGS_FILE`], in the folder `start` or above it.
pub fn find(start: &Path) -> Option<PathBuf> {
    folders(start).into_iter().map(|folder| folder.join(SETTINGS_FILE)).find(|path| path.is_file())
}

/// A folder, and all folders above it. They are relative to the current folder as far as possible, for short messages.
fn folders(start: &Path) -> Vec<PathBuf> {
    let is_plain = |component| matches!(component, Component::Normal(_) | Component::CurDir);
    let absolute = |path: &Path| std::path::absolute(path).map(without_parents).unwrap_or_default();
    let above = |path: &Path| path.ancestors().map(Path::to_owned).collect::<Vec<PathBuf>>();
    if !start.components().all(is_plain) {
        return above(&absolute(start));
    }
    let current = above(&absolute(Path::new(".")));
    above(start).into_iter().chain(current.into_iter().skip(1)).collect()
}

/// The path without `..`.
fn without_parents(path: PathBuf) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => drop(path.pop()),
            component => path.push(component),
        }
        path
    })
}

/// Reads a file with settings. `open` opens the file.
pub fn read(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> Result<Table, ConfigError> {
    let refuse = |line, message| ConfigError { path: path.to_owned(), line, message };
    let text = open(path).and_then(|file| whole::text(file, MOST_BYTES_OF_SETTINGS));
    let text = text.map_err(|error| refuse(None, format!("cannot be read: {error}")))?;
    parse(&text).map_err(|(line, message)| refuse(Some(line), message))
}

fn parse(text: &str) -> Result<Table, Problem> {
    let line_of = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count();
    let document = DeTable::parse(text).map_err(|error| {
        let line = line_of(error.span().map_or(0, |span| span.start));
        (line, format!("is not valid TOML: {}", error.message().replace('\n', "; ")))
    })?;
    table(document.get_ref(), &line_of)
}

fn table(entries: &DeTable, line_of: &impl Fn(usize) -> usize) -> Result<Table, Problem> {
    let mut table = Table::default();
    for (name, value) in entries {
        let key = Key { name: name.get_ref().to_string(), line: line_of(name.span().start) };
        match value.get_ref() {
            DeValue::Table(entries) => table.tables.push((key, self::table(entries, line_of)?)),
            _ => table.settings.push(Setting { value: value_of(value, line_of)?, key }),
        }
    }
    // Entries come sorted by name. Sorted by line, the first problem found is the first in the file.
    table.settings.sort_by_key(|setting| setting.key.line);
    table.tables.sort_by_key(|(key, _)| key.line);
    Ok(table)
}

fn value_of(value: &Spanned<DeValue>, line_of: &impl Fn(usize) -> usize) -> Result<Value, Problem> {
    match value.get_ref() {
        DeValue::Boolean(is_on) => Ok(Value::Switch(*is_on)),
        DeValue::Array(values) => {
            let single = |value| single(value).ok_or_else(|| refused(value, line_of));
            Ok(Value::Values(values.iter().map(single).collect::<Result<_, _>>()?))
        }
        _ => single(value).map(|value| Value::Values(vec![value])).ok_or_else(|| refused(value, line_of)),
    }
}

fn refused(value: &Spanned<DeValue>, line_of: &impl Fn(usize) -> usize) -> Problem {
    let message = "a value is a text in quotes, a decimal number, true or false, or a list of texts or numbers";
    (line_of(value.span().start), message.to_owned())
}

/// A text or a decimal number, written as on the command line. `None` for another value.
fn single(value: &Spanned<DeValue>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_their_lines() {
        let table = parse(
            "cutoff = 0.3\n\nmax-errors = 1_000\n[clean]\nmutable = ['a', \"b\"]\n\nno-shape = true\n[eval.stream]\n",
        );
        let table = table.expect("settings");
        let told = |table: &Table| -> Vec<(String, usize, Value)> {
            let settings = table.settings.iter().cloned();
            settings.map(|setting| (setting.key.name, setting.key.line, setting.value)).collect()
        };
        let values = |values: &[&str]| Value::Values(values.iter().map(|value| (*value).to_owned()).collect());
        assert_eq!(
            told(&table),
            [("cutoff".to_owned(), 1, values(&["0.3"])), ("max-errors".to_owned(), 3, values(&["1000"]))]
        );
        let [(clean, of_clean), (eval, of_eval)] = &table.tables[..] else { panic!("{table:?}") };
        assert_eq!(
            (clean.name.as_str(), clean.line, eval.name.as_str(), of_eval.tables.len()),
            ("clean", 4, "eval", 1)
        );
        assert_eq!(told(of_clean)[1], ("no-shape".to_owned(), 7, Value::Switch(true)));
        assert_eq!(told(of_clean)[0].2, values(&["a", "b"]));
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line() {
        let line = |text| parse(text).expect_err("it is refused").0;
        assert_eq!(line("quiet = true\ncutoff = \n"), 2);
        assert_eq!(line("a = 1\n\na = 2\n"), 3);
        assert_eq!(line("\nwhen = 2024-03-05\n"), 2);
        assert_eq!(line("mutable = [\n'a',\n['b']]\n"), 3);
        assert_eq!(line("n = 0x10"), 1);
    }

    #[test]
    fn folders_are_those_above() {
        let current = std::env::current_dir().expect("a folder");
        let paths = folders(Path::new("a/b"));
        assert_eq!(paths[..3], ["a/b", "a", ""].map(PathBuf::from));
        assert_eq!(paths.get(3).map(PathBuf::as_path), current.parent());
        assert_eq!(folders(&current.join("x/../y"))[..2], [current.join("y"), current.clone()]);
        assert_eq!(folders(Path::new("../y"))[1], current.parent().expect("a folder above"));
    }
}
