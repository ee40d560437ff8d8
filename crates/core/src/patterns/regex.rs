//! Converts a run of tokens to a regex and back. Rust's `fancy-regex`, Python's `re` and PCRE2 (UTF and UCP) read the
//! regex the same way.
//!
//! | in the run | in the regex |
//! |---|---|
//! | literal | itself, escaped |
//! | mutable pattern | its regex in `(?:...)` |
//! | white space between tokens | `\s+`; nothing if the tokens stand directly beside each other |
//! | free stretch | `\S[^\n]{0,40}?`; beside it `[^\S\n]+` for white space, or else an edge as below |
//! | line break at the start, inside, at the end | `^\s*`, `\s*\n\s*`, `\s*$` (multi-line mode) |
//! | start without line break | `(?<!\S)`; `(?<=\S)` or `(?<=[^\w\s])` where no white space stood before |
//! | end without line break | `(?!\w)` after a word or mutable pattern; `(?!\S)` if white space separates all tokens |
//!
//! Beside a script without spaces, as in `来源ABC新闻`, `\w` would match the neighbour as part of the word. There the edges
//! of words are written out ([`Edges::Unspaced`]).
//!
//! If the tokenizer is a class, such as `[^\-\s]`, all other characters separate tokens. Then the inverse class is used
//! in place of `\s`:
//!
//! | in the run | in the regex |
//! |---|---|
//! | what separates two tokens | `[\-\s]+`; `(?![^\-\s])[\-\s]*(?<![^\-\s])` between two mutable patterns |
//! | free stretch | `[^\-\s][^\n]{0,40}?`; beside it `(?:(?!\n)[\-\s])+` |
//! | line break at the start, inside, at the end | `^[\-\s]*`, `[\-\s]*\n[\-\s]*`, `[\-\s]*?$` |
//! | start, end without line break | `(?<![^\-\s])`, `(?![^\-\s])` |
//!
//! If the class does not have all characters of words, a mutable pattern also has edges of words, written out.
//!
//! White space and separators at the edges of a match (`^\s*` matches some) are not part of the text that the pattern
//! matches.

use std::borrow::Cow;

use crate::tokens::characters::{ends_in_run, has_unspaced, is_run_character, is_word_character, unspaced_ranges};
use crate::tokens::{Lexer, MutableId, MutableSet, Piece, TokenClass, TokenRun, Tokenizer};

const LINE_START: &str = r"^\s*";
const LINE_INSIDE: &str = r"\s*\n\s*";
const LINE_END: &str = r"\s*$";
pub(super) const SPACE: &str = r"\s+";
pub(super) const SPACE_IN_LINE: &str = r"[^\S\n]+";
const FREE_START: &str = r"\S[^\n]{0,";
const FREE_END: &str = "}?";
pub(super) const AFTER_SPACE: &str = r"(?<!\S)";
pub(super) const AFTER_TEXT: &str = r"(?<=\S)";
pub(super) const AFTER_PUNCTUATION: &str = r"(?<=[^\w\s])";
const BEFORE_NO_WORD: &str = r"(?!\w)";
const BEFORE_SPACE: &str = r"(?!\S)";
/// Directly after text, but not after a word character of a script with spaces (in the brackets), because a word could
/// continue from there.
pub(super) const AFTER_NO_RUN: &str = concat!(r"(?<=\S)(?<![^\W", unspaced_ranges!(), "])");
const NOT_AFTER_RUN: &str = concat!(r"(?<![^\W", unspaced_ranges!(), "])");
const BEFORE_NO_RUN: &str = concat!(r"(?![^\W", unspaced_ranges!(), "])");

/// All edges that may be beside a free stretch. If one is a prefix of another, the longer one comes first.
pub(super) const EDGES: [&str; 6] =
    [BEFORE_NO_WORD, BEFORE_NO_RUN, BEFORE_SPACE, AFTER_NO_RUN, AFTER_TEXT, AFTER_PUNCTUATION];

/// The characters that may not be directly beside a word of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// Word characters, plain `\w`. For files with only scripts with spaces.
    #[default]
    Spaced,
    /// Word characters, except those of scripts without spaces.
    Unspaced,
}

impl Edges {
    /// The edges for the patterns of one file: `Unspaced` if one of its runs has a script without spaces.
    pub fn of_runs<'r>(runs: impl IntoIterator<Item = &'r TokenRun>) -> Edges {
        let is_unspaced = |piece: &Piece| matches!(piece, Piece::Literal { text, .. } if has_unspaced(text));
        match runs.into_iter().any(|run| run.pieces().iter().any(is_unspaced)) {
            true => Edges::Unspaced,
            false => Edges::Spaced,
        }
    }

    /// The edges in a regex that [`render`] wrote.
    pub fn written_in(regex: &str) -> Edges {
        // Nearly all regexes have neither edge. This check is faster than a search for the edges.
        if !regex.as_bytes().windows(4).any(|part| part == b"[^\\W") {
            return Edges::Spaced;
        }
        let is_before_free = |(at, _): (usize, &str)| regex[at + BEFORE_NO_RUN.len()..].starts_with(FREE_START);
        let ends_words = regex.ends_with(BEFORE_NO_RUN) || regex.match_indices(BEFORE_NO_RUN).any(is_before_free);
        match ends_words || regex.contains(AFTER_NO_RUN) {
            true => Edges::Unspaced,
            false => Edges::Spaced,
        }
    }

    /// Whether a word of the pattern would continue with this character.
    pub fn runs_on(self, c: char) -> bool {
        match self {
            Edges::Spaced => is_word_character(c),
            Edges::Unspaced => is_run_character(c),
        }
    }

    fn start(self) -> &'static str {
        match self {
            Edges::Spaced => AFTER_PUNCTUATION,
            Edges::Unspaced => AFTER_NO_RUN,
        }
    }

    fn end(self) -> &'static str {
        match self {
            Edges::Spaced => BEFORE_NO_WORD,
            Edges::Unspaced => BEFORE_NO_RUN,
        }
    }
}

/// The parts of regexes that depend on the tokenizer.
struct Joins<'t> {
    line_start: Cow<'static, str>,
    line_inside: Cow<'static, str>,
    line_end: Cow<'static, str>,
    space: Cow<'static, str>,
    space_in_line: Cow<'static, str>,
    free_start: Cow<'static, str>,
    after_space: Cow<'static, str>,
    class: Option<ClassJoins<'t>>,
    is_whitespace: bool,
}

/// The parts that are needed only if the tokenizer is a class.
struct ClassJoins<'t> {
    class: &'t TokenClass,
    /// At the end of a pattern: the last token must not continue.
    before_no_token: String,
    /// Between two mutable patterns, which may themselves end and start with separators.
    between_slots: String,
    /// Around a mutable pattern: no word may continue into it or out of it. Empty if every character of words is in the
    /// class.
    around_slot: [&'static str; 2],
}

impl<'t> Joins<'t> {
    fn of(tokenizer: &'t Tokenizer) -> Joins<'t> {
        let Some(class) = tokenizer.class() else {
            return Joins {
                line_start: LINE_START.into(),
                line_inside: LINE_INSIDE.into(),
                line_end: LINE_END.into(),
                space: SPACE.into(),
                space_in_line: SPACE_IN_LINE.into(),
                free_start: FREE_START.into(),
                after_space: AFTER_SPACE.into(),
                class: None,
                is_whitespace: matches!(tokenizer, Tokenizer::Whitespace),
            };
        };

        let (token, separator) = (class.token(), class.separator());
        Joins {
            line_start: format!("^{separator}*").into(),
            // Lazy, because a match of a mutable pattern in the next line may consist of separators.
            line_inside: format!(r"{separator}*?\n{separator}*").into(),
            line_end: format!("{separator}*?$").into(),
            space: format!("{separator}+").into(),
            space_in_line: format!(r"(?:(?!\n){separator})+").into(),
            free_start: format!(r"{token}[^\n]{{0,").into(),
            after_space: format!("(?<!{token})").into(),
            class: Some(ClassJoins {
                class,
                before_no_token: format!("(?!{token})"),
                between_slots: format!("(?!{token}){separator}*?(?<!{token})"),
                around_slot: if class.has_all_word_characters() { ["", ""] } else { [NOT_AFTER_RUN, BEFORE_NO_RUN] },
            }),
            is_whitespace: false,
        }
    }

    /// The regex between a piece and the one before it.
    fn between(&self, before: Option<&Piece>, piece: &Piece, space_before: bool, edges: Edges) -> &str {
        let Some(before) = before else { return self.start_edge(piece, space_before, edges) };
        match (before, piece, &self.class) {
            (Piece::Break, ..) => "",
            (Piece::Free { .. }, ..) | (_, Piece::Free { .. }, _) if space_before => &self.space_in_line,
            (Piece::Free { .. }, piece, _) => self.start_edge(piece, false, edges),
            (before, Piece::Free { .. }, _) => self.end_edge(before, edges),
            (Piece::Slot { .. }, Piece::Slot { .. }, Some(of_class)) => &of_class.between_slots,
            _ if space_before => &self.space,
            _ => "",
        }
    }

    fn start_edge(&self, piece: &Piece, space_before: bool, edges: Edges) -> &str {
        match (space_before, is_word_start(piece)) {
            (true, _) => &self.after_space,
            (false, true) => edges.start(),
            (false, false) => AFTER_TEXT,
        }
    }

    fn end_edge(&self, piece: &Piece, edges: Edges) -> &str {
        match (piece, &self.class) {
            (Piece::Break, _) => "",
            (_, Some(of_class)) => &of_class.before_no_token,
            _ if self.is_whitespace => BEFORE_SPACE,
            _ if is_word_edge(piece) => edges.end(),
            _ => "",
        }
    }

    fn push_token(&self, regex: &mut String, piece: &Piece, mutable: &MutableSet) {
        let [before, after] = self.class.as_ref().map_or(["", ""], |of_class| of_class.around_slot);
        match piece {
            Piece::Break => {}
            Piece::Slot { id, .. } => regex.extend([before, "(?:", &mutable.pattern(*id).regex, ")", after]),
            Piece::Free { more, .. } => regex.extend([&*self.free_start, &more.to_string(), FREE_END]),
            Piece::Literal { text, .. } => text.chars().for_each(|c| push_escaped(regex, c)),
        }
    }
}

/// Writes a run as a regex.
pub fn render(run: &TokenRun, lexer: &Lexer, edges: Edges) -> String {
    let joins = Joins::of(lexer.tokenizer());
    let pieces = run.pieces();
    let mut regex = if pieces.contains(&Piece::Break) { "(?m)".to_owned() } else { String::new() };
    for (index, piece) in pieces.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &pieces[before]);
        match piece {
            Piece::Break if index == 0 => regex.push_str(&joins.line_start),
            Piece::Break if index == pieces.len() - 1 => regex.push_str(&joins.line_end),
            Piece::Break => regex.push_str(&joins.line_inside),
            Piece::Slot { space_before, .. }
            | Piece::Literal { space_before, .. }
            | Piece::Free { space_before, .. } => {
                regex.push_str(joins.between(before, piece, *space_before, edges));
                // A match of a mutable pattern may consist of separators, so the separators before it are matched
                // lazily.
                if joins.class.is_some()
                    && before.is_some()
                    && matches!(piece, Piece::Slot { .. })
                    && regex.ends_with(['*', '+'])
                {
                    regex.push('?');
                }
                joins.push_token(&mut regex, piece, lexer.mutable());
            }
        }
    }
    regex.push_str(joins.end_edge(&pieces[pieces.len() - 1], edges));
    regex
}

/// Whether the token ends with a word, or may end with one. Then no word may follow it directly.
pub fn is_word_edge(piece: &Piece) -> bool {
    match piece {
        Piece::Break | Piece::Free { .. } => false,
        Piece::Slot { .. } => true,
        Piece::Literal { text, .. } => ends_in_run(text),
    }
}

/// Whether the token starts with a word, or may start with one. Then no word may precede it directly.
pub fn is_word_start(piece: &Piece) -> bool {
    match piece {
        Piece::Literal { text, .. } => text.starts_with(is_run_character),
        _ => is_word_edge(piece),
    }
}

/// Adds a character. It is escaped if it is special outside a class in any of the three engines. Control characters
/// become `\xHH`.
fn push_escaped(regex: &mut String, c: char) {
    match c {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => regex.extend(['\\', c]),
        '\0'..='\x1f' | '\x7f' => regex.push_str(&format!("\\x{:02x}", c as u32)),
        _ => regex.push(c),
    }
}

/// Parses a regex in the form that [`render`] writes. `None` for any other.
pub fn parse(regex: &str, lexer: &Lexer) -> Option<TokenRun> {
    let joins = Joins::of(lexer.tokenizer());
    let of_class = joins.class.as_ref();
    let spaces = [&*joins.space, &*joins.space_in_line].into_iter().chain(of_class.map(|of| &*of.between_slots));
    let spaces: Vec<&str> = spaces.collect();
    let edges: Vec<&str> = match of_class {
        Some(of) => {
            [&*of.before_no_token].into_iter().chain(of.around_slot.into_iter().filter(|s| !s.is_empty())).collect()
        }
        None => EDGES.to_vec(),
    };

    // Where a literal ends.
    let stops: Vec<&str> = match of_class {
        Some(of) => vec![of.class.separator(), of.class.token()],
        None => vec![r"\s", r"\S", SPACE_IN_LINE],
    };

    let mut pieces = Vec::new();
    let mut rest = regex.strip_prefix("(?m)").unwrap_or(regex);
    let mut space = true;
    if let Some(after) = rest.strip_prefix(&*joins.line_start) {
        pieces.push(Piece::Break);
        rest = after;
    } else if let Some(after) = rest.strip_prefix(&*joins.after_space) {
        rest = after;
    } else {
        rest = [AFTER_PUNCTUATION, AFTER_NO_RUN, AFTER_TEXT].iter().find_map(|edge| rest.strip_prefix(edge))?;
        space = false;
    }

    let lazy = |rest: &mut &str| *rest = rest.strip_prefix('?').filter(|_| of_class.is_some()).unwrap_or(rest);
    lazy(&mut rest);
    while !rest.is_empty() && rest != joins.line_end && !edges.contains(&rest) {
        if let Some(after) = rest.strip_prefix(&*joins.line_inside) {
            pieces.push(Piece::Break);
            (rest, space) = (after, true);
            lazy(&mut rest);
        } else if let Some(after) = strip_any(rest, &spaces) {
            (rest, space) = (after, true);
            lazy(&mut rest);
        } else if let Some((more, after)) = parse_free(rest, &joins.free_start) {
            pieces.push(Piece::Free { more, space_before: space });
            (rest, space) = (after, false);
        } else if let Some(after) = strip_any(rest, &edges) {
            rest = after;
        } else if let Some((id, after)) = parse_slot(rest, lexer.mutable()) {
            pieces.push(Piece::Slot { id, space_before: space });
            (rest, space) = (after, false);
        } else {
            let (literal, after) = parse_literal(rest, &stops)?;
            if of_class.is_some_and(|of| !literal.chars().all(|c| of.class.contains(c))) {
                return None;
            }
            for text in lexer.split_literal(&literal) {
                pieces.push(Piece::Literal { text: text.into(), space_before: space });
                space = false;
            }
            rest = after;
        }
    }

    if rest == joins.line_end {
        pieces.push(Piece::Break);
    }
    TokenRun::new(pieces).filter(|run| render(run, lexer, Edges::written_in(regex)) == regex)
}

/// The text after the first matching prefix.
pub(super) fn strip_any<'r>(rest: &'r str, prefixes: &[&str]) -> Option<&'r str> {
    prefixes.iter().find_map(|prefix| rest.strip_prefix(prefix))
}

fn parse_free<'r>(rest: &'r str, start: &str) -> Option<(u16, &'r str)> {
    let (more, after) = rest.strip_prefix(start)?.split_once(FREE_END)?;
    Some((more.parse().ok()?, after))
}

/// Reads a group with the regex of a mutable pattern. Returns the id of the pattern, and the text after the group.
pub(super) fn parse_slot<'r>(rest: &'r str, mutable: &MutableSet) -> Option<(MutableId, &'r str)> {
    let group = rest.strip_prefix("(?:")?;
    let after = |regex: &str| group.strip_prefix(regex)?.strip_prefix(')');
    let fits = mutable.patterns().iter().enumerate().filter_map(|(id, p)| Some((id, p.regex.len(), after(&p.regex)?)));
    // If two mutable patterns have the same regex, the lexer only ever finds the first.
    fits.max_by_key(|&(id, length, _)| (length, std::cmp::Reverse(id)))
        .map(|(id, _, after)| (MutableId(id as u16), after))
}

/// Reads escaped and plain characters up to the next part of another kind, which starts with `(` or one of `stops`.
fn parse_literal<'r>(rest: &'r str, stops: &[&str]) -> Option<(String, &'r str)> {
    let mut literal = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        if matches!(c, '\\' | '[') && strip_any(&rest[at..], stops).is_some() {
            return end_literal(literal, &rest[at..]);
        }
        match c {
            '\\' => match chars.next()?.1 {
                'x' => {
                    let code = u8::from_str_radix(rest.get(at + 2..at + 4)?, 16).ok()?;
                    literal.push(code.into());
                    chars.nth(1);
                }
                escaped if escaped.is_ascii_punctuation() => literal.push(escaped),
                _ => return None,
            },
            '(' => return end_literal(literal, &rest[at..]),
            '.' | '+' | '*' | '?' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => return None,
            _ => literal.push(c),
        }
    }
    end_literal(literal, "")
}

fn end_literal(literal: String, rest: &str) -> Option<(String, &str)> {
    (!literal.is_empty()).then_some((literal, rest))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::{MutablePattern, SymbolSequence};

    fn lexer() -> Lexer {
        let number = MutablePattern { name: "number".into(), regex: r"\d+".into() };
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![number]).unwrap()))
    }

    /// The run of all tokens of a text, with or without the line breaks at its ends.
    fn run(text: &str, with_ends: bool) -> TokenRun {
        let sequence = SymbolSequence::of_texts(&[text], &lexer()).unwrap();
        let skipped = usize::from(!with_ends);
        sequence.run(skipped..sequence.tokens() - skipped)
    }

    /// The regex of a run in a file with no other pattern.
    fn rendered(run: &TokenRun) -> String {
        render(run, &lexer(), Edges::of_runs([run]))
    }

    #[test]
    fn beside_scripts_without_spaces_edges_are_written_out() {
        let matches = |pattern: &str, text: &str| {
            let regex = rendered(&run(pattern, false));
            fancy_regex::Regex::new(&regex).unwrap().is_match(text).unwrap()
        };
        assert!(matches("共有 5", "共有 5人") && matches("来源ABC", "来源ABC新闻") && matches("อ่าน 3", "อ่าน 3ครั้ง"));
        assert!(!matches("来源ABC", "来源ABCD") && !matches("来源ABC", "来源ABC한") && !matches("来源 5", "来源 5x"));
        let inner = |text: &str, skipped: usize| {
            let sequence = SymbolSequence::of_texts(&[text], &lexer()).unwrap();
            rendered(&sequence.run(skipped..sequence.tokens() - 1))
        };
        let by = fancy_regex::Regex::new(&inner("记者ABC报", 3)).unwrap();
        assert!(by.is_match("新ABC报").unwrap() && !by.is_match("xABC报").unwrap() && !by.is_match(" ABC报").unwrap());
    }

    #[test]
    fn a_whole_line() {
        let regex = rendered(&run("Permanent link | 3 responses", true));
        assert_eq!(regex, r"(?m)^\s*Permanent\s+link\s+\|\s+(?:\d+)\s+responses\s*$");
    }

    #[test]
    fn several_lines() {
        assert_eq!(rendered(&run("Share\n Tweet", true)), r"(?m)^\s*Share\s*\n\s*Tweet\s*$");
    }

    #[test]
    fn part_of_a_line_cannot_cut_a_word() {
        assert_eq!(rendered(&run("Read more", false)), r"(?<!\S)Read\s+more(?!\w)");
        assert_eq!(rendered(&run("(Reuters) -", false)), r"(?<!\S)\(Reuters\)\s+-");
    }

    /// The pieces of several texts, with free stretches between them.
    fn slotted(texts: &[&str]) -> TokenRun {
        let mut pieces: Vec<Piece> = Vec::new();
        for text in texts {
            let space_before = text.starts_with(' ');
            match text.trim() {
                "{}" => pieces.push(Piece::Free { more: 40, space_before }),
                "\\n" => pieces.push(Piece::Break),
                _ => pieces.extend(run(text, false).0.iter().enumerate().map(|(index, piece)| match piece.clone() {
                    Piece::Literal { text, .. } if index == 0 => Piece::Literal { text, space_before },
                    piece => piece,
                })),
            }
        }
        TokenRun(pieces.into())
    }

    #[test]
    fn a_free_stretch_stays_in_its_line() {
        let by_line = slotted(&["\\n", " By", " {}", " | Staff writer", "\\n"]);
        let regex = r"(?m)^\s*By[^\S\n]+\S[^\n]{0,40}?[^\S\n]+\|\s+Staff\s+writer\s*$";
        assert_eq!(rendered(&by_line), regex);
        assert_eq!(parse(regex, &lexer()), Some(by_line));
    }

    #[test]
    fn beside_a_free_stretch_no_word_is_cut() {
        let glued = slotted(&[" Tel", "{}", "ext", " {}", "-", "\\n"]);
        let regex = r"(?m)(?<!\S)Tel(?!\w)\S[^\n]{0,40}?(?<=[^\w\s])ext[^\S\n]+\S[^\n]{0,40}?(?<=\S)-\s*$";
        assert_eq!(rendered(&glued), regex);
        assert_eq!(parse(regex, &lexer()), Some(glued));
    }

    #[test]
    fn a_free_stretch_needs_something_on_both_sides() {
        for texts in [&[" By", " {}"][..], &["{}", " By"], &["\\n", "{}", "\\n"], &["\\n", "By", " {}", " {}", "\\n"]] {
            let regex = rendered(&slotted(texts));
            assert_eq!(parse(&regex, &lexer()), None, "{regex}");
        }
    }

    #[test]
    fn reads_back_what_it_writes() {
        for text in [
            "来源ABC",
            "共 3",
            "อ่าน ABC",
            "Read more",
            "a.b (c) [d] {3} x\u{1}y",
            "5 of 7",
            "$^|\\ *?+",
            "one\ntwo 3\n\nfour",
            "日本 2 語",
        ] {
            for with_ends in [false, true] {
                let run = run(text, with_ends);
                assert_eq!(parse(&rendered(&run), &lexer()), Some(run), "{text:?}");
            }
        }
    }

    #[test]
    fn other_regexes_are_not_taken_for_runs() {
        for regex in [
            r"foo",
            r"(?<!\S)fo+(?!\w)",
            r"(?<!\S)a|b(?!\w)",
            r"(?m)^\s*By\s+.*\s*$",
            r"(?<!\S)(?:x)(?!\w)",
            "",
            r"(?<!\S)a\d",
        ] {
            assert_eq!(parse(regex, &lexer()), None, "{regex}");
        }
    }
}
