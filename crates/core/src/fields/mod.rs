//! Fields: the values at the varying places of a template.
//!
//! Takes a source's pattern files, and then texts. Gives for each text the values at the varying places of the
//! patterns: mutable patterns (`{number}`) and free stretches (`By {…20} | Staff writer`) of mined patterns, and named
//! groups of regexes that people wrote. Each place is a column with a name ([`names`]). Places with the same name are
//! the same column, in whatever pattern they are.
//!
//! No part of a text is in two values of different matches. Where patterns overlap, the longest match comes first; of
//! the other matches, only values outside its values count. This module does not decide which text is removed: every
//! match counts, template or not.
//!
//! ```
//! use dehusk_core::cleaning::Scratch;
//! use dehusk_core::fields::Fields;
//! use dehusk_core::patterns::{LexerCache, PatternFile};
//!
//! let yaml = r"
//! dehusk: 1
//! source: daily-post.example
//! mined: {documents: 0, tokens: 0, cutoff: 0.5, tokenizer: words}
//! patterns:
//!   - id: 'responses'
//!     regex: '(?P<responses>[0-9]+) responses'
//! ";
//! let patterns = PatternFile::parse(yaml, &LexerCache::default()).expect("a pattern file");
//! let fields = Fields::new(&[&patterns], false);
//! let text = "Permanent link | 13 responses";
//! let values = fields.values(&mut Scratch::default(), text)?;
//! assert_eq!((values[0].column, &text[values[0].bytes.clone()]), ("responses", "13"));
//! # Ok::<(), dehusk_core::cleaning::CleanError>(())
//! ```

mod columns;
pub mod names;

pub use columns::{Column, Columns};

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use fancy_regex::{Expr, Regex};

use crate::cleaning::reading::matcher::{Found, TokenAutomaton, Tokens};
use crate::cleaning::reading::regexes::{MatchError, trim};
use crate::cleaning::{CleanError, Review, Reviewed, Scratch, same_lexer};
use crate::patterns::regex::Edges;
use crate::patterns::{ForeignRegex, Form, ID_DIGITS, PatternFile, id_of};
use crate::tokens::{Lexer, MutableSet, Piece, TokenRun};

/// Finds the fields in the documents of one source.
#[derive(Debug)]
pub struct Fields {
    mined: Vec<Mined>,
    readers: Vec<Reader>,
    written: Vec<Written>,
}

/// The value at one place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value<'f> {
    /// The name of its column.
    pub column: &'f str,
    /// Its bytes in the text. Never empty.
    pub bytes: Range<usize>,
}

/// A mined pattern with varying places.
#[derive(Debug)]
struct Mined {
    run: TokenRun,
    edges: Edges,
    /// The column of each varying place, in order.
    columns: Vec<String>,
}

/// An automaton for the mined patterns with the same lexer.
#[derive(Debug)]
struct Reader {
    lexer: Lexer,
    automaton: TokenAutomaton,
}

/// A regex that a person wrote, with named groups.
#[derive(Debug)]
struct Written {
    id: String,
    regex: Arc<Regex>,
    /// The number and the name of each named group.
    columns: Vec<(usize, String)>,
}

/// A match and its values.
#[derive(Debug)]
struct Match<'f> {
    bytes: Range<usize>,
    values: Vec<Value<'f>>,
}

impl Fields {
    /// Compiles the patterns of these files that have varying places. The source's own file comes first. Rejected
    /// patterns are left out, and with `only_accepted` also proposed ones.
    pub fn new(files: &[&PatternFile], only_accepted: bool) -> Fields {
        let (mut runs, mut written) = (Vec::new(), Vec::new());
        for Reviewed { pattern, file, .. } in Review::of(files, only_accepted).applied {
            let lexer = &file.lexer;
            match &pattern.form {
                Form::Run(run) => runs.push((pattern.id.clone(), run, Edges::written_in(&pattern.regex), lexer)),
                Form::Block(block) => {
                    let edges = Edges::of_runs(block.rows.iter().map(|row| &row.run));
                    // Each row has columns of its own.
                    let id = |run: &TokenRun| id_of(run, lexer.mutable(), ID_DIGITS);
                    runs.extend(block.rows.iter().map(|row| (id(&row.run), &row.run, edges, lexer)));
                }
                Form::Regex(regex) => written.extend(Written::of(&pattern.id, regex)),
                Form::Elements(_) => {}
            }
        }
        // A row of a block is often evidence, too.
        let mut seen = HashSet::new();
        runs.retain(|(_, run, ..)| seen.insert(*run));
        let places: Vec<_> = runs.iter().map(|(_, run, _, lexer)| names::places(run, lexer.mutable())).collect();
        let ambiguous = names::ambiguous(places.iter().flatten());
        let (mut mined, mut lexers) = (Vec::new(), Vec::new());
        for ((id, run, edges, lexer), places) in runs.into_iter().zip(places).filter(|(_, places)| !places.is_empty()) {
            let columns = names::names(&places, &id, &ambiguous);
            mined.push(Mined { run: run.clone(), edges, columns });
            lexers.push(lexer);
        }
        Fields { readers: readers(&mined, &lexers), mined, written }
    }

    /// The names of all possible columns, pattern by pattern. Some may occur more than once.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let written = self.written.iter().flat_map(|written| written.columns.iter().map(|(_, column)| column));
        self.mined.iter().flat_map(|mined| &mined.columns).chain(written).map(String::as_str)
    }

    /// The values in a text, in the order of the text. They do not overlap, except nested groups of one regex. Fails if
    /// the search for a regex that a person wrote was given up. Linear in the text for mined patterns, apart from
    /// sorting the results.
    pub fn values(&self, scratch: &mut Scratch, text: &str) -> Result<Vec<Value<'_>>, CleanError> {
        let mut matches = Vec::new();
        for Reader { lexer, automaton } in &self.readers {
            let (tokens, symbols) = automaton.read(text, scratch.lexer(lexer));
            automaton.find_filled(text, &tokens, &symbols, |found| {
                matches.push(self.mined[found.pattern].read(&found, &tokens, lexer.mutable()));
            });
        }
        for written in &self.written {
            written.find(text, &mut matches)?;
        }
        Ok(each_once(matches))
    }
}

/// One automaton for each lexer, with the patterns of that lexer.
fn readers(mined: &[Mined], lexers: &[&Lexer]) -> Vec<Reader> {
    let mut readers: Vec<Reader> = Vec::new();
    for &lexer in lexers {
        if readers.iter().any(|reader| same_lexer(&reader.lexer, lexer)) {
            continue;
        }
        let own = mined.iter().zip(lexers).enumerate().filter(|(_, (_, other))| same_lexer(other, lexer));
        let runs = own.map(|(index, (Mined { run, edges, .. }, _))| (index, run, *edges));
        readers.push(Reader { lexer: lexer.clone(), automaton: TokenAutomaton::new(runs, lexer.tokenizer()) });
    }
    readers
}

impl Mined {
    fn read(&self, found: &Found, Tokens { tokens, .. }: &Tokens, mutable: &MutableSet) -> Match<'_> {
        let bytes = |of: &Range<usize>| tokens[of.start].range().start..tokens[of.end - 1].range().end;
        let values = self.columns.iter().zip(places(&self.run, found, mutable));
        let values = values.map(|(column, place)| Value { column, bytes: bytes(&place) });
        Match { bytes: bytes(&found.tokens), values: values.collect() }
    }
}

/// The tokens at each varying place of a match.
fn places(run: &TokenRun, found: &Found, mutable: &MutableSet) -> Vec<Range<usize>> {
    let (mut at, mut fillers) = (found.tokens.start, found.fillers.iter());
    let mut places = Vec::new();
    for piece in run.pieces() {
        match piece {
            Piece::Break => {}
            Piece::Literal { .. } => at += 1,
            // A row of marks is not a value.
            Piece::Slot { id, .. } if mutable.has_marks_only(*id) => at += 1,
            Piece::Slot { .. } => {
                places.push(at..at + 1);
                at += 1;
            }
            Piece::Free { .. } => places.extend(fillers.next().cloned().inspect(|filler| at = filler.end)),
        }
    }
    places
}

impl Written {
    /// Compiles a regex that has named groups. `None` if no group has a name.
    fn of(id: &str, regex: &ForeignRegex) -> Option<Written> {
        // Most regexes have no names, and need not be compiled to find out.
        let has_names = !Expr::parse_tree(regex.as_str()).ok()?.named_groups.is_empty();
        let regex = Some(regex).filter(|_| has_names)?.compiled().ok()?;
        let names = regex.capture_names().enumerate();
        let columns: Vec<(usize, String)> = names.filter_map(|(group, name)| Some((group, name?.to_owned()))).collect();
        (!columns.is_empty()).then(|| Written { id: id.to_owned(), regex: Arc::clone(regex), columns })
    }

    /// Adds the non-overlapping matches, as every regex engine finds them.
    fn find<'f>(&'f self, text: &str, matches: &mut Vec<Match<'f>>) -> Result<(), CleanError> {
        for captures in self.regex.captures_iter(text) {
            let gave_up = |error| CleanError { id: self.id.clone(), source: MatchError::from(Box::new(error)) };
            let captures = captures.map_err(gave_up)?;
            let bytes = |group| captures.get(group).map(|found: fancy_regex::Match| trim(text, found.range()));
            let value = |(group, column): &'f (usize, String)| Some(Value { column, bytes: bytes(*group)? });
            let values = self.columns.iter().filter_map(value).filter(|value| !value.bytes.is_empty());
            matches.push(Match { bytes: bytes(0).unwrap_or_default(), values: values.collect() });
        }
        Ok(())
    }
}

/// Drops the values that overlap a value of an earlier match. Longer matches come first. Among equally long matches,
/// the one with the shortest values (the most fixed text) comes first, then the one found first. Returns the other
/// values in the order of the text.
fn each_once(mut matches: Vec<Match>) -> Vec<Value> {
    let varying = |found: &Match| found.values.iter().map(|value| value.bytes.len()).sum::<usize>();
    matches.sort_by_key(|found| (std::cmp::Reverse(found.bytes.len()), varying(found)));
    let (mut taken, mut given) = (Taken::default(), Vec::new());
    for mut found in matches {
        found.values.retain(|value| taken.spares(&value.bytes));
        found.values.iter().for_each(|value| taken.add(&value.bytes));
        given.extend(found.values);
    }
    given.sort_by_key(|value| (value.bytes.start, std::cmp::Reverse(value.bytes.end)));
    given
}

/// Non-overlapping stretches of a text: from start to end.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    fn spares(&self, bytes: &Range<usize>) -> bool {
        self.0.range(..bytes.end).next_back().is_none_or(|(_, &end)| end <= bytes.start)
    }

    /// Adds a stretch. Of nested groups, the outer one comes first and is enough.
    fn add(&mut self, bytes: &Range<usize>) {
        if self.spares(bytes) {
            self.0.insert(bytes.start, bytes.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::LexerCache;
    use crate::patterns::id_of;
    use crate::patterns::regex::parse;

    const NUMBER: &str = "[0-9]+";

    /// A pattern file with these regexes. A regex in mined form gets the id that mining would give it.
    fn file(source: &str, regexes: &[&str]) -> PatternFile {
        let mutable = format!("mutable:\n  - {{name: number, regex: '{NUMBER}'}}\n");
        let head =
            format!("dehusk: 1\nsource: {source}\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\n");
        let read = |yaml: &str| PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let lexer = read(&format!("{head}patterns: []\n{mutable}")).lexer;
        let pattern = |(number, regex): (usize, &&str)| {
            let id = parse(regex, &lexer).map(|run| id_of(&run, lexer.mutable(), 8));
            format!("  - id: '{}'\n    regex: '{regex}'\n", id.unwrap_or_else(|| format!("own-{number}")))
        };
        let patterns: String = regexes.iter().enumerate().map(pattern).collect();
        read(&format!("{head}patterns:\n{patterns}{mutable}"))
    }

    /// The values as `column=value`, in the order of the text.
    fn found(regexes: &[&str], text: &str) -> String {
        of_files(&[&file("s", regexes)], text)
    }

    fn of_files(files: &[&PatternFile], text: &str) -> String {
        let fields = Fields::new(files, false);
        let values = fields.values(&mut Scratch::default(), text).unwrap();
        let shown = values.iter().map(|Value { column, bytes }| format!("{column}={}", &text[bytes.clone()]));
        shown.collect::<Vec<_>>().join("; ")
    }

    const BY_LINE: &str = r"(?m)^\s*By[^\S\n]+\S[^\n]{0,20}?[^\S\n]+\|\s+(?:[0-9]+)\s+comments\s*$";
    const COMMENTS: &str = r"(?<!\S)(?:[0-9]+)\s+comments(?!\w)";
    const OPEN_BY_LINE: &str = r"(?m)^\s*By[^\S\n]+\S[^\n]{0,40}?\s*$";

    #[test]
    fn each_place_of_a_pattern_is_a_column() {
        assert_eq!(found(&[BY_LINE], "x\n By  Ann  Lee | 12  comments\n5 comments"), "by=Ann  Lee; comments=12");
        let two = r"(?<!\S)a[^\S\n]+\S[^\n]{0,9}?[^\S\n]+b\s+(?:[0-9]+)\s+c[^\S\n]+\S[^\n]{0,9}?[^\S\n]+d(?!\w)";
        assert_eq!(found(&[two], "a x y b 3 c z d"), "a=x y; b=3; c=z");
    }

    #[test]
    fn a_stretch_starts_and_ends_with_its_line() {
        let starts = r"(?m)^\s*\S[^\n]{0,12}?[^\S\n]+wrote\s+this(?!\w)";
        assert_eq!(found(&[starts], "x\nAnn  Lee wrote this"), "wrote-this=Ann  Lee");
        assert_eq!(found(&[OPEN_BY_LINE], "By Ann \nBy\nBy Bo\n"), "by=Ann; by=Bo");
    }

    #[test]
    fn no_text_is_given_twice() {
        let text = "By Ann Lee | 12 comments\n5 comments";
        let expected = "by=Ann Lee; comments=12; comments=5";
        assert_eq!(found(&[BY_LINE, COMMENTS], text), expected);
        assert_eq!(found(&[COMMENTS, BY_LINE], text), expected);
        let twice = [file("s", &[COMMENTS]), file("_shared", &[COMMENTS])];
        assert_eq!(of_files(&[&twice[0], &twice[1]], text), "comments=12; comments=5");
    }

    #[test]
    fn of_two_matches_of_the_same_text_that_with_more_words_counts() {
        let text = "By Ann Lee | 12 comments";
        assert_eq!(found(&[OPEN_BY_LINE, BY_LINE], text), "by=Ann Lee; comments=12");
    }

    #[test]
    fn rejected_patterns_have_no_columns() {
        let mut file = file("s", &[COMMENTS]);
        let columns = |file: &PatternFile, only_accepted| {
            Fields::new(&[file], only_accepted).values(&mut Scratch::default(), "5 comments").unwrap().len()
        };
        assert_eq!((columns(&file, false), columns(&file, true)), (1, 0));
        file.patterns[0].status = crate::patterns::Status::Accepted;
        assert_eq!((columns(&file, false), columns(&file, true)), (1, 1));
        file.patterns[0].status = crate::patterns::Status::Rejected;
        assert_eq!(columns(&file, false), 0);
    }

    #[test]
    fn named_groups_of_what_people_wrote_are_columns() {
        let written = r"(?m)^Price: (?P<price>(?P<currency>[^0-9\n]+)[0-9]*)(?P<none>x)?( per .*)?$";
        assert_eq!(found(&[written], "Price:  EUR 5 per box\nPrice: 3"), "price=EUR 5; currency=EUR");
        assert_eq!(found(&["[0-9]+ comments?", "(a)"], "5 comments a"), "", "groups without names");
        let open = "(?P<who>[a-z]+)( and)?";
        assert_eq!(found(&[open], "ann and bo"), "who=ann; who=bo", "one after the other");
    }

    #[test]
    fn a_regex_that_gives_up_is_an_error() {
        let file = file("s", &[r"(?P<x>(?:a|b|ab)*)\1c"]);
        let fields = Fields::new(&[&file], false);
        let error = fields.values(&mut Scratch::default(), &"ab".repeat(200)).unwrap_err();
        assert!(error.to_string().starts_with("pattern own-0: "), "{error}");
    }
}
