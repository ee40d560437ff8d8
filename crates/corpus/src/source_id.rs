//! The name of a source, which is checked to be safe as a file name.
//!
//! Takes the name of a source from a folder, a JSONL line or a URL. A file with a valid name can be created on Linux,
//! macOS and Windows, and lies in the intended folder.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use crate::skipped::excerpt;

/// Maximum length of a name. File systems allow 255 bytes, and there must be space for an extension.
const MAX_BYTES: usize = 200;

/// The name of a source, safe as a file name.
///
/// ```
/// use dehusk_corpus::SourceId;
///
/// assert_eq!(SourceId::parse("example.com")?.as_str(), "example.com");
/// assert!(SourceId::parse("../example.com").is_err());
/// # Ok::<(), dehusk_corpus::SourceIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(Arc<str>);

/// Why a name is not valid for a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceIdError {
    /// It is empty.
    #[error("a source name is empty: give the source a name")]
    Empty,
    /// It is too long for a file name.
    #[error("the source name {0:?} is too long: shorten it to {MAX_BYTES} bytes")]
    TooLong(String),
    /// It has a character that some file system refuses or takes for a separator.
    #[error("the source name {name:?} contains {character:?}: remove this character")]
    Character {
        /// The name.
        name: String,
        /// The first such character.
        character: char,
    },
    /// It starts or ends with white space, or ends with a dot. Windows drops these.
    #[error("the source name {0:?} begins or ends with a space, or ends with a dot: remove the space or the dot")]
    Ends(String),
    /// It starts with a dot, so the file would be hidden.
    #[error("the source name {0:?} begins with a dot, which would hide its files: remove the dot")]
    Hidden(String),
    /// It starts with an underscore.
    #[error(
        "the source name {0:?} begins with an underscore, which is reserved (as in _shared): remove the \
             underscore"
    )]
    Reserved(String),
    /// It means a device on Windows.
    #[error("the source name {0:?} is the name of a device on Windows: rename it")]
    Device(String),
}

impl SourceId {
    /// Checks that `name` is safe as a file name. The error says what is wrong.
    pub fn parse(name: &str) -> Result<SourceId, SourceIdError> {
        check_characters(name)?;
        check_ends(name)?;
        if is_device(name) {
            return Err(SourceIdError::Device(name.to_owned()));
        }
        Ok(SourceId(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_characters(name: &str) -> Result<(), SourceIdError> {
    if name.is_empty() {
        return Err(SourceIdError::Empty);
    }
    if name.len() > MAX_BYTES {
        return Err(SourceIdError::TooLong(excerpt(name)));
    }
    match name.chars().find(|&c| is_unsafe(c)) {
        Some(character) => Err(SourceIdError::Character { name: name.to_owned(), character }),
        None => Ok(()),
    }
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
}

fn check_ends(name: &str) -> Result<(), SourceIdError> {
    if name.trim() != name {
        Err(SourceIdError::Ends(name.to_owned()))
    } else if name.starts_with('.') {
        Err(SourceIdError::Hidden(name.to_owned()))
    } else if name.ends_with('.') {
        Err(SourceIdError::Ends(name.to_owned()))
    } else if name.starts_with('_') {
        Err(SourceIdError::Reserved(name.to_owned()))
    } else {
        Ok(())
    }
}

/// Whether Windows takes the name for a device. `nul`, `NUL` and `nul.txt` are the same device there.
/// <https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file>
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_ascii_lowercase();
    let port = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") || port.is_some_and(is_port_number)
}

fn is_port_number(rest: &str) -> bool {
    let mut characters = rest.chars();
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³');
    characters.next().is_some_and(is_digit) && characters.next().is_none()
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for SourceId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SourceId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_are_accepted() {
        for name in ["example.com", "Die Zeit 2007", "газета.рф", "朝日新聞", "a", "console", "com", "a_b", "com10"]
        {
            assert_eq!(SourceId::parse(name).expect(name).as_str(), name);
        }
    }

    #[test]
    fn unsafe_names_are_refused() {
        let too_long = "x".repeat(MAX_BYTES + 1);
        let names = [
            "",
            ".",
            "..",
            "...",
            "../x",
            "a/b",
            "/etc",
            r"a\b",
            "c:",
            "a*",
            "a?",
            "a\"",
            "<a",
            "a>",
            "a|b",
            "a\0",
            "a\nb",
            " a",
            "a ",
            "a.",
            ".git",
            "_shared",
            "con",
            "NUL",
            "nul.com",
            "Com1",
            "lpt9.example",
            "com²",
            "\u{a0}a",
            &too_long,
        ];
        for name in names {
            assert!(SourceId::parse(name).is_err(), "{name:?} was accepted");
        }
    }

    #[test]
    fn errors_quote_the_name_and_say_the_remedy() {
        let message = |name: &str| SourceId::parse(name).expect_err(name).to_string();
        assert_eq!(message("../x"), r#"the source name "../x" contains '/': remove this character"#);
        assert_eq!(message("nul"), r#"the source name "nul" is the name of a device on Windows: rename it"#);
        assert!(message("_x").contains("reserved"));
    }

    #[test]
    fn the_longest_name_is_accepted() {
        assert!(SourceId::parse(&"x".repeat(MAX_BYTES)).is_ok());
    }
}
