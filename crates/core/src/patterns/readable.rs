//! A pattern in readable form: words, and named parts for text that varies.
//!
//! Takes a [`Pattern`]. Returns [`Chip`]s, in the order of the text that they describe. A mined pattern is converted
//! from its run of tokens. A regex that a person wrote or edited is converted as far as its meaning is clear: verbatim
//! regexes of mutable patterns, escaped and plain characters, white space, free stretches, line edges. The rest is
//! shown as regex. Nothing is left out except `(?m)` and the edges that keep words whole, which mined patterns also
//! have.

use super::regex::{
    AFTER_NO_RUN, AFTER_PUNCTUATION, AFTER_SPACE, AFTER_TEXT, EDGES, SPACE, SPACE_IN_LINE, parse_slot, strip_any,
};
use super::{Form, Pattern, Role, Row};
use crate::tokens::{MutableSet, Piece, TokenRun};

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chip {
    /// Words and characters as written. A space in it stands for any white space.
    Text(String),
    /// Any match of the mutable pattern with this name.
    Mutable(String),
    /// Any characters of one line.
    Free {
        /// Minimum number of characters.
        least: usize,
        /// Maximum number of characters, if there is one.
        most: Option<usize>,
    },
    /// White space.
    Space,
    /// Other text stands directly before, without white space.
    Adjoins,
    /// The start of a line.
    LineStart,
    /// The end of a line and the start of the next.
    LineBreak,
    /// The end of a line.
    LineEnd,
    /// A part of a regex that has no simpler form.
    Regex(String),
    /// Elements of a page, and their selector.
    Elements(Role, String),
}

/// The parts of a pattern. `mutable` are the mutable patterns of its file.
pub fn chips(pattern: &Pattern, mutable: &MutableSet) -> Vec<Chip> {
    match &pattern.form {
        Form::Run(run) => of_run(run, mutable),
        Form::Regex(_) => of_regex(&pattern.regex, mutable),
        Form::Block(block) => block.rows.iter().flat_map(|row| of_run(&row.run, mutable)).collect(),
        Form::Elements(elements) => vec![Chip::Elements(elements.role, pattern.regex.clone())],
    }
}

/// The parts of a row, without the edges of its line.
pub fn row_chips(row: &Row, mutable: &MutableSet) -> Vec<Chip> {
    let mut chips = of_run(&row.run, mutable);
    chips.retain(|chip| !matches!(chip, Chip::LineStart | Chip::LineEnd));
    chips
}

fn of_run(run: &TokenRun, mutable: &MutableSet) -> Vec<Chip> {
    let mut chips = Chips::default();
    let last = run.pieces().len() - 1;
    for (index, piece) in run.pieces().iter().enumerate() {
        match piece {
            Piece::Break if index == 0 => chips.push(Chip::LineStart),
            Piece::Break if index == last => chips.push(Chip::LineEnd),
            Piece::Break => chips.push(Chip::LineBreak),
            Piece::Slot { space_before, .. }
            | Piece::Literal { space_before, .. }
            | Piece::Free { space_before, .. } => {
                chips.join(*space_before);
                chips.push(of_token(piece, mutable));
            }
        }
    }
    chips.0
}

fn of_token(piece: &Piece, mutable: &MutableSet) -> Chip {
    match piece {
        Piece::Break => Chip::LineBreak,
        Piece::Slot { id, .. } => Chip::Mutable(mutable.pattern(*id).name.clone()),
        Piece::Literal { text, .. } => Chip::Text(text.to_string()),
        Piece::Free { more, .. } => Chip::Free { least: 1, most: Some(usize::from(*more) + 1) },
    }
}

fn of_regex(regex: &str, mutable: &MutableSet) -> Vec<Chip> {
    let mut chips = Chips::default();
    let (flags, mut rest) = split_flags(regex);
    let others: String = flags.chars().filter(|&flag| flag != 'm').collect();
    if !others.is_empty() {
        chips.push(Chip::Regex(format!("(?{others})")));
    }
    if others.contains(['x', '-']) {
        chips.push(Chip::Regex(rest.to_owned())); // white space and `#` mean something else there
        return chips.0;
    }
    let in_lines = flags.contains('m');
    while let Some((atom, after)) = parse_atom(rest, in_lines, mutable) {
        chips.add(atom);
        rest = after;
    }
    chips.0
}

/// Splits off the flags at the start, as in `(?mi)`.
fn split_flags(regex: &str) -> (&str, &str) {
    let flags = regex.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    let is_flag = |c: char| c.is_ascii_alphabetic() || c == '-';
    flags.filter(|(flags, _)| flags.chars().all(is_flag)).unwrap_or(("", regex))
}

/// The meaning of the next characters of a regex.
enum Atom {
    Chip(Chip),
    /// The edge of a word, without white space. `adjoins`: whether other text is directly before.
    Edge {
        adjoins: bool,
    },
}

/// The next part of a regex, and the rest. `None` at its end.
fn parse_atom<'r>(rest: &'r str, in_lines: bool, mutable: &MutableSet) -> Option<(Atom, &'r str)> {
    if rest.is_empty() {
        return None;
    }
    if let Some((adjoins, after)) = parse_edge(rest) {
        return Some((Atom::Edge { adjoins }, after));
    }
    let plain = parse_line_edge(rest, in_lines).or_else(|| parse_free(rest)).or_else(|| parse_space(rest));
    let (chip, after) = plain.or_else(|| parse_mutable(rest, mutable)).unwrap_or_else(|| parse_character(rest));
    Some((Atom::Chip(chip), after))
}

/// Edges in regexes that people write.
const WRITTEN_EDGES: [&str; 2] = [r"\b", r"(?<!\w)"];

fn parse_edge(rest: &str) -> Option<(bool, &str)> {
    if let Some(after) = strip_any(rest, &[AFTER_NO_RUN, AFTER_PUNCTUATION, AFTER_TEXT]) {
        return Some((true, after));
    }
    let after = strip_any(rest, &EDGES).or_else(|| strip_any(rest, &WRITTEN_EDGES));
    after.or_else(|| rest.strip_prefix(AFTER_SPACE)).map(|after| (false, after))
}

fn parse_line_edge(rest: &str, in_lines: bool) -> Option<(Chip, &str)> {
    if let Some(after) = strip_any(rest, &[r"\s*\n\s*", r"\n"]) {
        return Some((Chip::LineBreak, after)).filter(|_| quantifier(after).is_empty());
    }
    let start = || strip_any(rest, &[r"^\s*", "^"]).map(|after| (Chip::LineStart, after));
    let end = || strip_any(rest, &[r"\s*$", "$"]).map(|after| (Chip::LineEnd, after));
    // Without `m`, `^` and `$` match only at the ends of the text.
    if in_lines { start().or_else(end) } else { None }
}

/// Expressions for any characters of a line, and how many characters each matches before the part that the quantifier
/// repeats.
const ANYTHING: [(&str, usize); 3] = [(r"\S[^\n]", 1), (r"[^\n]", 0), (".", 0)];

fn parse_free(rest: &str) -> Option<(Chip, &str)> {
    let starts = |(anything, before): &(&str, usize)| Some((rest.strip_prefix(anything)?, *before));
    let (after, before) = ANYTHING.iter().find_map(starts)?;
    let counted = quantifier(after);
    let (least, most) = bounds(counted)?;
    Some((Chip::Free { least: least + before, most: most.map(|most| most + before) }, &after[counted.len()..]))
}

fn parse_space(rest: &str) -> Option<(Chip, &str)> {
    let after = strip_any(rest, &[SPACE, SPACE_IN_LINE])?;
    Some((Chip::Space, after))
}

fn parse_mutable<'r>(rest: &'r str, mutable: &MutableSet) -> Option<(Chip, &'r str)> {
    let (id, after) = parse_slot(rest, mutable)?;
    Some((Chip::Mutable(mutable.pattern(id).name.clone()), after))
}

/// Parses a plain character, or a class, group or other part of a regex with its quantifier.
fn parse_character(rest: &str) -> (Chip, &str) {
    let length = atom_length(rest);
    let (atom, after) = rest.split_at(length);
    let counted = quantifier(after);
    match literal(atom).filter(|_| counted.is_empty()) {
        Some(character) => (Chip::Text(character.into()), after),
        None => (Chip::Regex(rest[..length + counted.len()].to_owned()), &after[counted.len()..]),
    }
}

/// The character that an atom stands for, if it stands for exactly one.
fn literal(atom: &str) -> Option<char> {
    let mut chars = atom.chars();
    match (chars.next()?, chars.next()) {
        ('.' | '|' | '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | '{', None) => None,
        ('\\', Some('x')) => u8::from_str_radix(atom.get(2..4)?, 16).ok().map(char::from),
        ('\\', Some(escaped)) => escaped.is_ascii_punctuation().then_some(escaped),
        (plain, None) => Some(plain),
        _ => None,
    }
}

/// Length in bytes of the first atom: an escape, a class, a group, a character.
fn atom_length(rest: &str) -> usize {
    match rest.as_bytes()[0] {
        b'\\' => escape_length(rest),
        b'[' => class_length(rest),
        b'(' => group_length(rest),
        _ => rest.chars().next().map_or(0, char::len_utf8),
    }
}

/// The length of an escape such as `\x1f`, `\x{1F4A9}`, `\p{L}`, `\k<name>` or `\d`.
fn escape_length(rest: &str) -> usize {
    let name = rest.chars().nth(1).unwrap_or_default();
    let plain = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
    let close = match rest.as_bytes().get(2) {
        Some(b'{') => '}',
        Some(b'<') if matches!(name, 'k' | 'g') => '>',
        _ if name == 'x' => return rest.len().min(4),
        _ => return plain,
    };
    let takes_braces = name == 'k' || matches!(name, 'x' | 'u' | 'U' | 'p' | 'P' | 'g');
    let closed = rest.find(close).filter(|_| takes_braces);
    closed.map_or(plain, |at| at + 1)
}

/// The length up to the bracket that closes a class. Classes may be nested, and `]` may come first.
fn class_length(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let is_first = |before: &str| before.ends_with('[') || before.ends_with("[^");
        match rest.as_bytes()[at] {
            b'\\' => at += escape_length(&rest[at..]) - 1,
            b'[' => depth += 1,
            b']' if !is_first(&rest[..at]) => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length up to the parenthesis that closes a group.
fn group_length(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest.as_bytes()[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += if rest[at..].starts_with('(') { 1 } else { atom_length(&rest[at..]) };
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The quantifier at the start, such as `*`, `+?` or `{2,5}`. Empty if there is none.
fn quantifier(rest: &str) -> &str {
    let count = match rest.as_bytes().first() {
        Some(b'*' | b'+' | b'?') => 1,
        Some(b'{') => rest.find('}').filter(|&close| bounds(&rest[..=close]).is_some()).map_or(0, |close| close + 1),
        _ => 0,
    };
    let manner = usize::from(count > 0 && rest[count..].starts_with(['?', '+']));
    &rest[..count + manner]
}

/// The minimum and maximum of a quantifier. `None` if it is not one.
fn bounds(quantifier: &str) -> Option<(usize, Option<usize>)> {
    match quantifier.as_bytes().first()? {
        b'*' => Some((0, None)),
        b'+' => Some((1, None)),
        b'?' => Some((0, Some(1))),
        _ => braced_bounds(quantifier.strip_prefix('{')?.split_once('}')?.0),
    }
}

/// The bounds in `2`, `2,` or `2,5`.
fn braced_bounds(inside: &str) -> Option<(usize, Option<usize>)> {
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    let most = if most.is_empty() { None } else { Some(most.parse().ok()?) };
    Some((least.parse().ok()?, most))
}

/// A list of chips that is being built.
#[derive(Default)]
struct Chips(Vec<Chip>);

impl Chips {
    fn add(&mut self, atom: Atom) {
        match atom {
            Atom::Chip(chip) => self.push(chip),
            Atom::Edge { adjoins } if adjoins && self.0.is_empty() => self.push(Chip::Adjoins),
            Atom::Edge { .. } => {}
        }
    }

    /// Adds the chip that separates the next token from the chips so far.
    fn join(&mut self, space_before: bool) {
        match (self.0.last(), space_before) {
            (None, false) => self.push(Chip::Adjoins),
            (None | Some(Chip::LineStart | Chip::LineBreak), _) | (_, false) => {}
            (Some(_), true) => self.push(Chip::Space),
        }
    }

    /// Adds a chip. Joins text with text, and regex with regex.
    fn push(&mut self, chip: Chip) {
        match (self.0.as_mut_slice(), chip) {
            ([.., Chip::Text(before)], Chip::Text(text)) => before.push_str(&text),
            ([.., Chip::Text(before), Chip::Space], Chip::Text(text)) => {
                before.extend([" ", &text]);
                self.0.pop();
            }
            ([.., Chip::Regex(before)], Chip::Regex(regex)) => before.push_str(&regex),
            (_, chip) => self.0.push(chip),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::patterns::regex::{Edges, render};
    use crate::tokens::{Lexer, MutablePattern, SymbolSequence, Tokenizer};

    fn mutable() -> Arc<MutableSet> {
        let pattern = |name: &str, regex: &str| MutablePattern { name: name.into(), regex: regex.into() };
        let patterns = vec![pattern("date", "[0-9]{4}-[0-9]{2}"), pattern("number", "[0-9]+(?:[.,][0-9]+)*")];
        Arc::new(MutableSet::new(patterns).unwrap())
    }

    fn lexer() -> Lexer {
        Lexer::new(Tokenizer::Words, mutable())
    }

    /// The run of all tokens of a text, with or without the line breaks at its ends.
    fn run(text: &str, with_ends: bool) -> TokenRun {
        let sequence = SymbolSequence::of_texts(&[text], &lexer()).unwrap();
        let skipped = usize::from(!with_ends);
        sequence.run(skipped..sequence.tokens() - skipped)
    }

    /// Chips in short form: `<name>` for all except text.
    fn written(chips: &[Chip]) -> String {
        let write = |chip: &Chip| match chip {
            Chip::Text(text) => text.clone(),
            Chip::Mutable(name) => format!("<{name}>"),
            Chip::Free { least, most } => {
                format!("<{least}..{}>", most.map(|most| most.to_string()).unwrap_or_default())
            }
            Chip::Space => "_".into(),
            Chip::Adjoins => "<adjoins>".into(),
            Chip::LineStart => "<start>".into(),
            Chip::LineBreak => "<break>".into(),
            Chip::LineEnd => "<end>".into(),
            Chip::Regex(regex) => format!("<regex {regex}>"),
            Chip::Elements(role, css) => format!("<{} {css}>", role.key()),
        };
        chips.iter().map(write).collect()
    }

    fn of(regex: &str) -> String {
        fancy_regex::Regex::new(regex).unwrap();
        written(&of_regex(regex, &mutable()))
    }

    #[test]
    fn a_run_is_words_and_named_parts() {
        let chips = |text, with_ends| written(&of_run(&run(text, with_ends), &mutable()));
        assert_eq!(chips("Permanent link | 3 responses", true), "<start>Permanent link |_<number>_responses<end>");
        assert_eq!(chips("Share\nTweet (5)", true), "<start>Share<break>Tweet (<number>)<end>");
        assert_eq!(chips("Read more", false), "Read more");
    }

    #[test]
    fn a_mined_regex_reads_as_its_run() {
        let free = Piece::Free { more: 40, space_before: true };
        let glued = Piece::Free { more: 9, space_before: false };
        let word = |text: &str, space_before| Piece::Literal { text: text.into(), space_before };
        let with_free =
            vec![Piece::Break, word("By", true), free, word("|", true), glued, word("x", true), Piece::Break];
        let mut runs = vec![TokenRun::new(with_free).unwrap(), TokenRun::new(vec![word("ABC", false)]).unwrap()];
        for text in ["Share\n Tweet 2024-05", "a.b (c) [d] {3} x\u{1}y", "$^|\\ *?+", "来源ABC 共有 5", "記者 5 12 報"]
        {
            runs.extend([run(text, true), run(text, false)]);
        }
        for run in runs {
            let regex = render(&run, &lexer(), Edges::of_runs([&run]));
            assert_eq!(of_regex(&regex, &mutable()), of_run(&run, &mutable()), "{regex}");
        }
    }

    #[test]
    fn what_people_write() {
        assert_eq!(of(r"(?m)^By [A-Z][a-z]+ \| [^\n]*$"), "<start>By <regex [A-Z][a-z]+> | <0..><end>");
        assert_eq!(of(r"(?mi)^Share.{2,30}?now\.$"), "<regex (?i)><start>Share<2..30>now.<end>");
        assert_eq!(of(r"\bcolou?r(?!\w)"), "colo<regex u?>r");
        assert_eq!(of(r"^Read (more|on)+\x41\d{2}"), "<regex ^>Read <regex (more|on)+>A<regex \\d{2}>");
        assert_eq!(of(r"a|b\s*c"), "a<regex |>b<regex \\s*>c");
    }

    #[test]
    fn a_mutable_regex_is_known_verbatim_only() {
        let number = "[0-9]+(?:[.,][0-9]+)*";
        assert_eq!(of(&format!("Page (?:{number})? of")), "Page <number><regex ?> of");
        assert_eq!(of(&format!("Page {number}")), "Page <regex [0-9]+(?:[.,][0-9]+)*>");
        assert_eq!(of("Page (?:[0-9]+)"), "Page <regex (?:[0-9]+)>");
    }

    #[test]
    fn what_belongs_together_stays_so() {
        assert_eq!(of(r"[\])(]x"), r"<regex [\])(]>x");
        assert_eq!(of(r"[]a]x"), "<regex []a]>x");
        assert_eq!(of(r"([(]|\)|(?:b))x"), r"<regex ([(]|\)|(?:b))>x");
        assert_eq!(of(r"(?<a>b)\k<a>\p{Lu}é{2}x"), r"<regex (?<a>b)\k<a>\p{Lu}é{2}>x");
        assert_eq!(of("(?x) a b # c"), "<regex (?x) a b # c>");
    }

    #[test]
    fn nothing_is_lost_or_cut_in_two() {
        for regex in ["(", "[", r"\", r"\x", r"\x{", "é{", "(?", r"[\", "a{b}", r"\u{e9", "]", "手{1"] {
            assert!(!of_regex(regex, &mutable()).is_empty(), "{regex}");
        }
    }
}
