//! The tokens and separators of `--tokenizer REGEX`.
//!
//! A token regex is one class of characters, repeated, such as `[^\-\s]+` or `\w+`. Its longest matches are tokens. All
//! other characters separate them, as white space does, and belong to no token. So `log-in` and `log in` are the same two
//! tokens, which a pattern joins by the inverse class: `log[\-\s]+in` (Foschini, section 3.4). A regex of another form has
//! no inverse that people could read, and is refused.

use std::sync::Arc;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::characters::CharacterSet;

/// A class of characters, parsed from a regex that repeats it. It has no white space.
#[derive(Clone, Debug)]
pub struct TokenClass {
    written: String,
    token: String,
    separator: String,
    characters: Arc<CharacterSet>,
    has_all_word_characters: bool,
}

/// Why a `--tokenizer` is not valid.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// It is neither a known name nor a regex that compiles.
    #[error("the tokenizer is neither 'words' nor 'whitespace' nor a regex that compiles: {0}")]
    Regex(#[from] regex::Error),
    /// The regex is more than one repeated class.
    #[error(
        "the tokenizer '{0}' is not one class of characters, repeated; then all other characters can separate tokens. \
        Write it like '[^\\-\\s]+', '[A-Za-z0-9]+' or '\\w+'"
    )]
    NoClass(String),
    /// The class has white space in it.
    #[error("the tokenizer '{0}' has white space in its class, which separates tokens; leave it out")]
    WhiteSpace(String),
}

impl TokenClass {
    /// Parses a regex such as `[^\-\s]+`. A class that is negated need not name white space.
    pub(super) fn parse(written: &str) -> Result<TokenClass, TokenizerError> {
        regex::Regex::new(written)?;
        let no_class = || TokenizerError::NoClass(written.to_owned());
        let (is_negated, body) = written.strip_suffix('+').and_then(body).ok_or_else(no_class)?;
        // A negated class has to name white space, so that the class of tokens does not have it.
        let body = if is_negated && !body.contains(r"\s") { body + r"\s" } else { body };
        let (this, other) = (shortest(&format!("[{body}]")), shortest(&format!("[^{body}]")));
        let (token, separator) = if is_negated { (other, this) } else { (this, other) };
        let characters = class(&token).ok_or_else(no_class)?;
        let has = |part: &str| class(part).map(|part| common(&characters, &part));
        if has(r"\s").is_none_or(|space| !space.ranges().is_empty()) {
            return Err(TokenizerError::WhiteSpace(written.to_owned()));
        }
        if characters.ranges().is_empty() {
            return Err(no_class());
        }
        Ok(TokenClass {
            written: written.to_owned(),
            has_all_word_characters: has(r"\w") == class(r"\w"),
            characters: Arc::new(CharacterSet::of(&token)),
            token,
            separator,
        })
    }

    /// The regex that was parsed.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The class of the characters of tokens, as Rust's `regex`, Python's `re` and PCRE2 read it.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The class of the other characters.
    pub fn separator(&self) -> &str {
        &self.separator
    }

    /// Whether the character is in the class.
    pub fn contains(&self, c: char) -> bool {
        self.characters.contains(c)
    }

    /// Whether all characters of `\w` are in the class.
    pub fn has_all_word_characters(&self) -> bool {
        self.has_all_word_characters
    }

    /// The end of the characters in the class from a position on.
    pub(super) fn end(&self, text: &str, start: usize) -> usize {
        text[start..].find(|c| !self.contains(c)).map_or(text.len(), |length| start + length)
    }
}

/// Whether a class is negated, and the text in its brackets, written so that it can be put in other brackets. `None` if
/// it is not a class, or if other regex engines may read it differently.
fn body(class: &str) -> Option<(bool, String)> {
    match class {
        r"\w" | r"\d" => return Some((false, class.to_owned())),
        r"\W" | r"\D" | r"\S" => return Some((true, class.to_lowercase())),
        _ => {}
    }
    let inside = class.strip_prefix('[')?.strip_suffix(']')?;
    let (is_negated, inside) = inside.strip_prefix('^').map_or((false, inside), |inside| (true, inside));

    let mut body = String::new();
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        let (is_first, is_last) = (body.is_empty(), chars.peek().is_none());
        match c {
            '\\' => {
                let escaped = chars.next()?;
                if !escaped.is_ascii_punctuation() && !"wdsWDStnr".contains(escaped) {
                    return None;
                }
                body.extend(['\\', escaped]);
            }
            '[' | ']' => return None,
            '&' | '~' | '|' | '-' if chars.peek() == Some(&c) => return None,
            '^' if is_first => body.push_str(r"\^"),
            '-' if is_first || is_last => body.push_str(r"\-"),
            c => body.push(c),
        }
    }
    (!body.is_empty()).then_some((is_negated, body))
}

/// A class in its shortest form.
fn shortest(class: &str) -> String {
    match class {
        r"[\w]" | r"[\d]" | r"[\s]" => class[1..3].to_owned(),
        r"[^\w]" | r"[^\d]" | r"[^\s]" => class[2..4].to_uppercase(),
        _ => class.to_owned(),
    }
}

/// The characters of a class. `None` if the regex is not a class.
fn class(written: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(written).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        // A class of one character.
        HirKind::Literal(literal) => {
            let c = str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
        }
        _ => None,
    }
}

fn common(a: &ClassUnicode, b: &ClassUnicode) -> ClassUnicode {
    let mut common = a.clone();
    common.intersect(b);
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_an_inverse_that_people_can_read() {
        let parsed = |regex: &str| {
            let class = TokenClass::parse(regex).unwrap();
            (class.token().to_owned(), class.separator().to_owned(), class.has_all_word_characters())
        };
        let expect = |token: &str, separator: &str, all: bool| (token.to_owned(), separator.to_owned(), all);
        assert_eq!(parsed(r"[^\-\s]+"), expect(r"[^\-\s]", r"[\-\s]", true));
        assert_eq!(parsed(r"[^-|]+"), expect(r"[^\-|\s]", r"[\-|\s]", true));
        assert_eq!(parsed(r"\w+"), expect(r"\w", r"\W", true));
        assert_eq!(parsed(r"[\w'-]+"), expect(r"[\w'\-]", r"[^\w'\-]", true));
        assert_eq!(parsed(r"\S+"), expect(r"\S", r"\s", true));
        assert_eq!(parsed("[A-Za-z]+"), expect("[A-Za-z]", "[^A-Za-z]", false));
        assert_eq!(parsed("[^^]+"), expect(r"[^\^\s]", r"[\^\s]", true));
        assert_eq!(parsed("[a]+"), expect("[a]", "[^a]", false));
    }

    #[test]
    fn the_two_classes_divide_all_characters() {
        for regex in [
            r"[^\-\s]+",
            "[^-|]+",
            r"\w+",
            r"[\w'-]+",
            r"\S+",
            r"\W+",
            r"\D+",
            "[A-Za-z]+",
            "[^^]+",
            r"[\S]+",
            "[é手]+",
        ] {
            let parsed = TokenClass::parse(regex).unwrap();
            let mut others = class(parsed.separator()).unwrap();
            others.negate();
            assert_eq!(class(parsed.token()), Some(others), "{regex}");
            assert!("\n \t\u{a0}\u{2028}".chars().all(|c| !parsed.contains(c)), "{regex}");
        }
    }

    #[test]
    fn what_has_no_such_inverse_is_refused() {
        for regex in [
            "a+",
            "[a]",
            "[a]*",
            "[A-Z]?[a-z]+",
            r"[^\-\s]+|x",
            r"\p{L}+",
            "[[:alpha:]]+",
            "[a&&b]+",
            "[a]+[b]+",
            r"[\x41]+",
            r"[^\s\S]+",
        ] {
            assert!(matches!(TokenClass::parse(regex), Err(TokenizerError::NoClass(_))), "{regex}");
        }
        assert!(matches!(TokenClass::parse("[a ]+"), Err(TokenizerError::WhiteSpace(_))));
        assert!(matches!(TokenClass::parse("[a+"), Err(TokenizerError::Regex(_))));
    }
}
