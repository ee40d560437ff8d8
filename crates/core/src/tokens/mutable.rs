//! Mutable patterns: named regexes for the parts that vary inside a template.
//!
//! "Posted on March 3 | 3 responses" and "Posted on May 12 | 41 responses" are one template, because a date and a
//! number each become one symbol (Foschini, section 3.3). A [`MutableSet`] is an ordered list of named regexes. At a
//! position, the first one that matches wins. A match starts only where no word continues from the left, and ends only
//! where no word continues to the right.
//!
//! Patterns without look-around run together on one lazily built automaton. The others run on fancy-regex.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, HalfMatch, Input, MatchKind, PatternID, PatternSet};
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind, Look};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::characters::{UNSPACED_CLASS, is_run_character};
use super::short::Short;
use super::symbols::{Symbol, VocabularyId};
use super::written_set::WrittenSet;

/// The index of a mutable pattern in its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MutableId(pub(crate) u16);

/// One named regex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutablePattern {
    /// Lower case, digits and hyphens; unique in its set.
    pub name: String,
    /// In the dialect that Rust's `regex`, Python's `re` and PCRE2 share, without capturing groups.
    pub regex: String,
}

/// An ordered, compiled list of mutable patterns.
#[derive(Debug)]
pub struct MutableSet {
    patterns: Vec<MutablePattern>,
    /// For each pattern, whether no match of it has a letter or digit.
    marks_only: Vec<bool>,
    automaton: DFA,
    /// The patterns on the automaton, in order.
    on_automaton: Vec<MutableId>,
    looking_around: Vec<(MutableId, fancy_regex::Regex)>,
    /// For the rare positions where the automaton cannot decide. `all_matches` finds all patterns that match, with any
    /// end. `exact` has each pattern by itself, with a check of the word end. Both are built when first needed.
    all_matches: OnceLock<Option<DFA>>,
    exact: Vec<OnceLock<Option<fancy_regex::Regex>>>,
    /// Scratch spaces that no matcher uses now. They are kept because the automaton is built in them step by step,
    /// which takes time.
    idle: Mutex<Vec<Scratch>>,
    /// A hash of the patterns, which names them in pattern files.
    hash: OnceLock<String>,
}

/// The reason why a mutable pattern file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MutableError {
    /// A file is not YAML, or not of the form described in `patterns/README.md`.
    #[error("not a mutable pattern file: {0}")]
    Yaml(String),
    /// One pattern is not valid.
    #[error("mutable pattern '{0}': {1}")]
    Pattern(String, String),
    /// The automaton for all patterns together would be too large.
    #[error("the mutable patterns do not fit one automaton: {0}")]
    Automaton(String),
}

/// The patterns of [`MutablePreset::Default`](super::mutable_file::MutablePreset), in the order in which they are tried.
pub fn shipped_patterns() -> Vec<MutablePattern> {
    WrittenSet::patterns(SHIPPED_SET).unwrap_or_else(|| panic!("a test reads the shipped patterns"))
}

impl MutableSet {
    /// Compiles patterns. They are tried in this order. Fails if a pattern is not valid, has a capturing group or
    /// matches the empty string, or if the automaton is too large.
    pub fn new(patterns: Vec<MutablePattern>) -> Result<MutableSet, MutableError> {
        let mut names = HashSet::new();
        if let Some(pattern) = patterns.get(usize::from(u16::MAX) + 1) {
            return Err(refuse(pattern, "it is one of more than 65,536 patterns; remove some"));
        }
        patterns.iter().try_for_each(|pattern| check_name(pattern, &mut names))?;
        let CompiledSet { marks_only, automaton, on_automaton, looking_around } =
            match WrittenSet::read(SHIPPED_SET, &patterns) {
                Some(written) => CompiledSet::of_written(written)?,
                None => CompiledSet::of(&patterns)?,
            };
        let exact = patterns.iter().map(|_| OnceLock::new()).collect();
        let (all_matches, idle, hash) = (OnceLock::new(), Mutex::default(), OnceLock::new());
        Ok(MutableSet { patterns, marks_only, automaton, on_automaton, looking_around, all_matches, exact, idle, hash })
    }

    /// The set of the patterns inside the binary.
    pub fn shipped() -> MutableSet {
        MutableSet::new(shipped_patterns())
            .unwrap_or_else(|error| panic!("a test compiles the shipped patterns: {error}"))
    }

    /// A set without patterns.
    pub fn none() -> MutableSet {
        MutableSet::new(Vec::new()).unwrap_or_else(|error| panic!("a test compiles no patterns: {error}"))
    }

    /// The patterns, in order.
    pub fn patterns(&self) -> &[MutablePattern] {
        &self.patterns
    }

    /// The hash of the patterns, which `hash` computes the first time.
    pub(crate) fn hash_by(&self, hash: impl FnOnce(&[MutablePattern]) -> String) -> &str {
        self.hash.get_or_init(|| hash(&self.patterns))
    }

    /// The pattern with this id.
    #[doc(hidden)]
    pub fn pattern(&self, id: MutableId) -> &MutablePattern {
        &self.patterns[id.0 as usize]
    }

    /// Whether no match of the pattern with this id has a letter or digit, as in a row of dashes. Such a match is not a
    /// word. A pattern with look-around is not examined.
    #[doc(hidden)]
    #[inline]
    pub fn has_marks_only(&self, id: MutableId) -> bool {
        self.marks_only[id.0 as usize]
    }

    /// The id of the pattern with this name.
    #[doc(hidden)]
    pub fn find(&self, name: &str) -> Option<MutableId> {
        self.patterns.iter().position(|pattern| pattern.name == name).map(|index| MutableId(index as u16))
    }

    /// The first pattern on the automaton that matches at `start`.
    fn match_on_automaton(&self, scratch: &mut Scratch, text: &str, start: usize) -> Option<(MutableId, usize)> {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        // As it is configured here, the lazy automaton never gives up. If it did, the exact way would answer.
        let Ok(found) = self.automaton.try_search_fwd(&mut scratch.cache, &input) else {
            return self.match_exactly(scratch, text, start);
        };
        let mut found = found?;
        if found.offset() == text.len() {
            // At the end of the text, the last byte may be part of the match or come after it. A search with one more
            // byte, which no pattern matches, decides this.
            let longer = [&text.as_bytes()[start..], b"\xff"].concat();
            let input = Input::new(&longer).anchored(Anchored::Yes);
            let again = self.automaton.try_search_fwd(&mut scratch.cache, &input).ok().flatten();
            match again.filter(|again| again.pattern() == found.pattern()) {
                Some(again) => found = HalfMatch::new(again.pattern(), start + again.offset()),
                None => return self.match_exactly(scratch, text, start),
            }
        }
        let id = self.on_automaton[found.pattern()];
        // The match includes the next byte, which shows that the word ends there.
        let end = found.offset() - 1;
        match text.get(end..)?.chars().next() {
            Some(next) if is_run_character(next) => self.match_exactly(scratch, text, start),
            _ => Some((id, end)),
        }
    }

    /// The first pattern on the automaton that matches at `start`, found in the slow but exact way.
    fn match_exactly(&self, scratch: &mut Scratch, text: &str, start: usize) -> Option<(MutableId, usize)> {
        let all = self.all_matches.get_or_init(|| {
            let nfa = self.automaton.get_nfa().clone();
            dfa(nfa, MatchKind::All).ok()
        });
        let may_match = all.as_ref().and_then(|all| scratch.patterns_at(all, text, start));
        let candidates = self
            .on_automaton
            .iter()
            .enumerate()
            .filter(|(index, _)| may_match.is_none_or(|found| found.contains(PatternID::must(*index))));
        candidates.map(|(_, &id)| id).find_map(|id| {
            let regex = self.exact[usize::from(id.0)].get_or_init(|| exact(self.pattern(id)).ok());
            Some((id, matched_end(regex.as_ref()?, text, start)?))
        })
    }
}

/// Finds mutable patterns in texts. Contains a set and the scratch space of one thread.
#[derive(Debug)]
pub struct MutableMatcher {
    set: Arc<MutableSet>,
    /// Taken from the set when first needed.
    scratch: Option<Scratch>,
}

#[derive(Debug)]
struct Scratch {
    cache: Cache,
    /// For searches of all matches. `None` before the first such search.
    all: Option<(Cache, PatternSet)>,
    /// A cache of words seen recently, with what is known of each.
    words: Box<[Word]>,
    /// For states after words: what is known of each. Most words lead to the same few states.
    after: FxHashMap<LazyStateID, AfterWord>,
    /// The vocabulary of the last symbol that was looked up, if any.
    vocabulary: Option<VocabularyId>,
    /// The number of times that the vocabulary changed.
    vocabularies: u16,
    /// The number of times the automaton's cache had been cleared when `words` was created. Clearing makes its states
    /// invalid.
    clear_count: usize,
}

/// A word and what is known of it. An empty text marks an unused entry. The size is half of a cache line, because a
/// lookup mostly waits for memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Word {
    text: Short,
    /// The automaton's state after the word.
    state: LazyStateID,
    /// The [`follower`]s with which nothing matches at the word, as far as this is known.
    hopeless: u8,
    /// The value of [`Scratch::vocabularies`] when the symbols were looked up.
    vocabulary: u16,
    /// The symbols of the word in that vocabulary, without and with white space before it.
    symbols: [u32; 2],
}

/// What is known of a state after a word. The bits are [`follower`]s.
#[derive(Clone, Copy, Debug, Default)]
struct AfterWord {
    /// The followers with which nothing matches.
    hopeless: u8,
    /// The followers that stand for a space and any letter, and that were tested with all letters.
    tested: u8,
}

/// A symbol that was not looked up yet.
const NOT_LOOKED_UP: u32 = u32::MAX;

impl Default for Word {
    fn default() -> Word {
        let (text, state) = (Short::default(), LazyStateID::default());
        Word { text, state, hopeless: 0, vocabulary: 0, symbols: [NOT_LOOKED_UP; 2] }
    }
}

/// Number of entries in the cache of words. Most tokens of a text are among a few thousand words. Each word may be in
/// one of 2 entries side by side.
const CACHED_WORDS: usize = 1 << 14;

/// The bit for the text at a position, if this is one of the texts that follow most words. Otherwise 0.
#[inline]
fn follower(text: &[u8], at: usize) -> u8 {
    let byte = |at: usize| usize::from(text.get(at).copied().unwrap_or(0));
    FOLLOWERS[usize::from(ROWS[byte(at)])][usize::from(COLUMNS[byte(at + 1)])]
}

/// The bits of followers. The row is for the byte at the position ([`ROWS`]). The column is for the byte after it: any
/// other byte, a lower-case letter, an upper-case letter, a space, a line break. This is a table, because the processor
/// could not predict branches.
static FOLLOWERS: [[u8; 5]; 6] = [
    [0; 5],
    [0, BEFORE_LOWER, BEFORE_UPPER, 0, 0],
    [BEFORE_BREAK; 5],
    [0, 0, 0, 1 << 3, 1 << 4],
    // A full stop alone tells little, because names of hosts and files have it.
    [0, 0, 0, 1 << 5, 1 << 6],
    [BEFORE_CLOSING; 5],
];

/// The row of each byte: a space, a line break, a comma, a full stop, a closing bracket. Row 0 is for any other byte.
static ROWS: [u8; 256] = {
    let mut rows = [0; 256];
    let mut row = 1;
    while row < 6 {
        rows[b" \n,.)"[row - 1] as usize] = row as u8;
        row += 1;
    }
    rows
};

/// The column of each byte.
static COLUMNS: [u8; 256] = {
    let mut columns = [0; 256];
    let mut letter = 0;
    while letter < 26 {
        columns[b'a' as usize + letter] = 1;
        columns[b'A' as usize + letter] = 2;
        letter += 1;
    }
    columns[b' ' as usize] = 3;
    columns[b'\n' as usize] = 4;
    columns
};

/// A space and any lower-case letter.
const BEFORE_LOWER: u8 = 1;
/// A space and any upper-case letter.
const BEFORE_UPPER: u8 = 1 << 1;
const BEFORE_BREAK: u8 = 1 << 2;
const BEFORE_CLOSING: u8 = 1 << 7;

impl MutableMatcher {
    /// A matcher for one thread.
    pub fn new(set: Arc<MutableSet>) -> MutableMatcher {
        MutableMatcher { set, scratch: None }
    }

    /// The patterns that are searched for.
    pub fn set(&self) -> &Arc<MutableSet> {
        &self.set
    }

    /// The pattern that matches at byte `start`, and the end of its match. No word may continue from the left at
    /// `start`.
    #[inline(never)]
    pub fn match_at(&mut self, text: &str, start: usize) -> Option<(MutableId, usize)> {
        let set = &*self.set;
        let scratch = self.scratch.get_or_insert_with(|| Scratch::idle(set));
        let regular = set.match_on_automaton(scratch, text, start);
        let around = set.looking_around.iter().find_map(|(id, regex)| {
            let earlier = regular.is_none_or(|(first, _)| *id < first);
            if earlier { matched_end(regex, text, start).map(|end| (*id, end)) } else { None }
        });
        around.or(regular)
    }

    /// The cache entry of a short word. If the word was not seen lately, it replaces an older word. `None` if the
    /// automaton gives up.
    #[inline]
    pub(super) fn remembered(&mut self, word: Short) -> Option<RememberedWord> {
        let set = &*self.set;
        let scratch = self.scratch.get_or_insert_with(|| Scratch::idle(set));
        scratch.remembered(&set.automaton, word)
    }

    /// Like [`match_at`](MutableMatcher::match_at), at the start of a word that ends at `word_end`. It is faster,
    /// because it is nearly always known that nothing matches there.
    #[inline]
    pub(super) fn match_at_word(
        &mut self,
        text: &str,
        start: usize,
        word_end: usize,
        word: Option<RememberedWord>,
    ) -> Option<(MutableId, usize)> {
        let is_hopeless = match (&mut self.scratch, word) {
            (Some(scratch), Some(word)) => scratch.is_hopeless(&self.set.automaton, text.as_bytes(), word_end, word),
            _ => false,
        };
        if is_hopeless && self.set.looking_around.is_empty() { None } else { self.match_at(text, start) }
    }

    /// The symbol of a remembered word in a vocabulary. `find` looks the word up there if its symbol is not remembered
    /// yet.
    #[inline]
    pub(super) fn symbol(
        &mut self,
        word: RememberedWord,
        space_before: bool,
        vocabulary: VocabularyId,
        find: impl FnOnce() -> Symbol,
    ) -> Symbol {
        let Some(scratch) = &mut self.scratch else { return find() };
        if scratch.vocabulary != Some(vocabulary) {
            scratch.use_vocabulary(vocabulary);
        }
        let word = &mut scratch.words[word.0];
        if word.vocabulary != scratch.vocabularies {
            (word.vocabulary, word.symbols) = (scratch.vocabularies, [NOT_LOOKED_UP; 2]);
        }
        let symbol = &mut word.symbols[usize::from(space_before)];
        if *symbol == NOT_LOOKED_UP {
            *symbol = find().0;
        }
        Symbol(*symbol)
    }
}

/// A word that a matcher remembers. It is valid until the next word is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct RememberedWord(usize);

impl Clone for MutableMatcher {
    fn clone(&self) -> MutableMatcher {
        MutableMatcher::new(Arc::clone(&self.set))
    }
}

impl Drop for MutableMatcher {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.set.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        }
    }
}

impl Scratch {
    fn of(automaton: &DFA) -> Scratch {
        let cache = automaton.create_cache();
        let mut scratch = Scratch {
            cache,
            all: None,
            words: Box::new([]),
            after: FxHashMap::default(),
            vocabulary: None,
            vocabularies: 0,
            clear_count: 0,
        };
        scratch.forget_words();
        scratch
    }

    /// A scratch space of the set that no matcher uses now, or a new one.
    #[cold]
    fn idle(set: &MutableSet) -> Scratch {
        let idle = set.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Scratch::of(&set.automaton))
    }

    /// The patterns that match at `start`, with any end. `None` if the automaton gives up.
    fn patterns_at(&mut self, all: &DFA, text: &str, start: usize) -> Option<&PatternSet> {
        let (cache, found) = self.all.get_or_insert_with(|| (all.create_cache(), PatternSet::new(all.pattern_len())));
        found.clear();
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        all.try_which_overlapping_matches(cache, &input, found).ok()?;
        Some(found)
    }

    #[cold]
    fn forget_words(&mut self) {
        self.words = vec![Word::default(); CACHED_WORDS].into();
        self.after.clear();
        self.clear_count = self.cache.clear_count();
    }

    /// From now on, symbols are of this vocabulary.
    #[cold]
    fn use_vocabulary(&mut self, vocabulary: VocabularyId) {
        self.vocabulary = Some(vocabulary);
        self.vocabularies = self.vocabularies.wrapping_add(1);
        if self.vocabularies == 0 {
            // The numbers begin again, so entries with old numbers must be reset.
            self.words.iter_mut().for_each(|word| (word.vocabulary, word.symbols) = (0, [NOT_LOOKED_UP; 2]));
        }
    }

    #[inline]
    fn remembered(&mut self, automaton: &DFA, word: Short) -> Option<RememberedWord> {
        if self.clear_count != self.cache.clear_count() {
            self.forget_words();
        }
        // Of the 2 entries, the word that was seen last is in the first.
        let first = 2 * (word.hash() as usize % (CACHED_WORDS / 2));
        if self.words[first].text == word { Some(RememberedWord(first)) } else { self.earlier(automaton, word, first) }
    }

    /// Like `remembered`, for a word that is not in the first of its 2 entries.
    #[inline(never)]
    fn earlier(&mut self, automaton: &DFA, word: Short, first: usize) -> Option<RememberedWord> {
        self.words.swap(first, first + 1);
        if self.words[first].text != word {
            let fresh = self.look_up(automaton, word);
            // States from before a clear of the cache are invalid.
            self.words[first] = fresh.filter(|_| self.clear_count == self.cache.clear_count())?;
        }
        Some(RememberedWord(first))
    }

    /// A new cache entry for a word that was not seen lately.
    fn look_up(&mut self, automaton: &DFA, word: Short) -> Option<Word> {
        let bytes = word.bytes();
        let input = Input::new(&bytes[..word.len()]).anchored(Anchored::Yes);
        let start = automaton.start_state_forward(&mut self.cache, &input).ok()?;
        let state = self.state_after(automaton, start, &bytes[..word.len()])?;
        let hopeless = self.after.get(&state).map_or(0, |after| after.hopeless);
        Some(Word { text: word, state, hopeless, ..Word::default() })
    }

    /// The automaton's state after some bytes. If a state on the way is tagged, it is returned instead. `None` if the
    /// automaton gives up.
    fn state_after(&mut self, automaton: &DFA, state: LazyStateID, bytes: &[u8]) -> Option<LazyStateID> {
        bytes.iter().try_fold(state, |state, &byte| match state.is_tagged() {
            true => Some(state),
            false => automaton.next_state(&mut self.cache, state, byte).ok(),
        })
    }

    /// Whether the automaton certainly matches nothing at the start of a word that ends at `word_end`.
    #[inline]
    fn is_hopeless(&mut self, automaton: &DFA, text: &[u8], word_end: usize, word: RememberedWord) -> bool {
        let follower = follower(text, word_end);
        self.words[word.0].hopeless & follower != 0 || self.walk(automaton, text, word_end, word, follower)
    }

    /// Like `is_hopeless`, by a run of the automaton. Remembers that nothing matches if this is so for all texts that
    /// this [`follower`] stands for.
    #[inline(never)]
    fn walk(&mut self, automaton: &DFA, text: &[u8], word_end: usize, word: RememberedWord, follower: u8) -> bool {
        let (mut state, mut at) = (self.words[word.0].state, word_end);
        while !state.is_tagged() {
            let next = text.get(at).and_then(|&byte| automaton.next_state(&mut self.cache, state, byte).ok());
            let Some(next) = next else { return false };
            state = next;
            at += 1;
        }
        // States from before a clear of the cache are invalid.
        if !state.is_dead() || follower == 0 || self.clear_count != self.cache.clear_count() {
            return state.is_dead();
        }
        let after = self.words[word.0].state;
        let is_so_for_all = match (follower, at - word_end) {
            (_, 0 | 1) => true,
            (BEFORE_LOWER | BEFORE_UPPER, _) => self.is_dead_before_all(automaton, after, follower),
            (BEFORE_BREAK | BEFORE_CLOSING, _) => false,
            (_, read) => read <= 2,
        };
        if is_so_for_all && self.clear_count == self.cache.clear_count() {
            self.after.entry(after).or_default().hopeless |= follower;
            self.words[word.0].hopeless |= follower;
        }
        true
    }

    /// Whether the automaton is dead after a state, a space, and any letter of a case. Tested once for each state.
    fn is_dead_before_all(&mut self, automaton: &DFA, after: LazyStateID, follower: u8) -> bool {
        let known = self.after.entry(after).or_default();
        if known.tested & follower != 0 {
            return known.hopeless & follower != 0;
        }
        known.tested |= follower;
        let Ok(spaced) = automaton.next_state(&mut self.cache, after, b' ') else { return false };
        let first = if follower == BEFORE_LOWER { b'a' } else { b'A' };
        (first..first + 26).all(|letter| {
            let is_dead = automaton.next_state(&mut self.cache, spaced, letter).is_ok_and(|state| state.is_dead());
            is_dead && self.clear_count == self.cache.clear_count()
        })
    }
}

pub(super) fn refuse(pattern: &MutablePattern, why: impl ToString) -> MutableError {
    MutableError::Pattern(pattern.name.clone(), why.to_string())
}

fn check_name<'a>(pattern: &'a MutablePattern, names: &mut HashSet<&'a str>) -> Result<(), MutableError> {
    let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if pattern.name.is_empty() || !pattern.name.chars().all(is_kebab) {
        return Err(refuse(pattern, "a name is made of lower-case letters, digits and hyphens"));
    }
    if !names.insert(&pattern.name) {
        return Err(refuse(pattern, "another pattern has this name; rename one"));
    }
    Ok(())
}

/// How a pattern is run.
enum Compiled {
    /// On the automaton. In `bounded`, the end of the text or a byte that may end a word follows the pattern.
    Regular {
        bounded: Hir,
        has_marks_only: bool,
    },
    LookingAround(fancy_regex::Regex),
}

/// Compiles a pattern for the automaton if possible, else for fancy-regex.
fn compiled(pattern: &MutablePattern) -> Result<Compiled, MutableError> {
    let hir = regex_syntax::parse(&pattern.regex).ok();
    let (compiled, has_capture, matches_empty) = match hir.filter(|hir| hir.properties().look_set().is_empty()) {
        Some(hir) => {
            let (captures, shortest) = (hir.properties().explicit_captures_len(), hir.properties().minimum_len());
            let has_marks_only = !can_have_word(&hir);
            (Compiled::Regular { bounded: bounded(hir), has_marks_only }, captures > 0, shortest == Some(0))
        }
        None => {
            let regex = exact(pattern).map_err(|error| refuse(pattern, error))?;
            let (captures, on_nothing) = (regex.captures_len(), matched_end(&regex, "", 0));
            (Compiled::LookingAround(regex), captures > 1, on_nothing.is_some())
        }
    };
    if has_capture {
        return Err(refuse(pattern, "it has a capturing group; write (?:...) instead"));
    }
    if matches_empty {
        return Err(refuse(pattern, "it matches the empty string"));
    }
    Ok(compiled)
}

/// Whether a match of the expression can have a letter or digit in it.
fn can_have_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => str::from_utf8(&literal.0).is_ok_and(|text| text.contains(char::is_alphanumeric)),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).any(char::is_alphanumeric))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).any(|byte| char::from(byte).is_alphanumeric()))
        }
        HirKind::Repetition(repetition) => can_have_word(&repetition.sub),
        HirKind::Capture(capture) => can_have_word(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(can_have_word),
    }
}

/// The patterns of a set, compiled. See [`MutableSet`].
struct CompiledSet {
    marks_only: Vec<bool>,
    automaton: DFA,
    on_automaton: Vec<MutableId>,
    looking_around: Vec<(MutableId, fancy_regex::Regex)>,
}

/// The shipped patterns, compiled.
const SHIPPED_SET: &[u8] = include_bytes!("shipped.set");

impl CompiledSet {
    fn of(patterns: &[MutablePattern]) -> Result<CompiledSet, MutableError> {
        let (mut on_automaton, mut regular) = (Vec::new(), Vec::new());
        let (mut looking_around, mut marks_only) = (Vec::new(), Vec::new());
        for (id, compiled) in (0..).map(MutableId).zip(all_compiled(patterns)) {
            let compiled = compiled?;
            marks_only.push(matches!(compiled, Compiled::Regular { has_marks_only: true, .. }));
            match compiled {
                Compiled::Regular { bounded, .. } => {
                    on_automaton.push(id);
                    regular.push(bounded);
                }
                Compiled::LookingAround(regex) => looking_around.push((id, regex)),
            }
        }
        let too_large = |pattern: &Hir| automaton(std::slice::from_ref(pattern)).is_err();
        let automaton = automaton(&regular).map_err(|error| {
            // If one pattern is too large by itself, the error names it.
            let alone = on_automaton.iter().zip(&regular).find(|(_, pattern)| too_large(pattern));
            alone.map_or(error, |(id, _)| {
                let pattern = &patterns[usize::from(id.0)];
                refuse(pattern, "it is too large; lower the numbers of its repetitions")
            })
        })?;
        Ok(CompiledSet { marks_only, automaton, on_automaton, looking_around })
    }

    fn of_written(WrittenSet { marks_only, nfa }: WrittenSet) -> Result<CompiledSet, MutableError> {
        let on_automaton = (0..).map(MutableId).take(marks_only.len()).collect();
        let automaton = dfa(nfa, MatchKind::LeftmostFirst)?;
        Ok(CompiledSet { marks_only, automaton, on_automaton, looking_around: Vec::new() })
    }
}

/// Compiles half of the patterns on a second thread. A rayon thread cannot be used: while it waits, rayon could run
/// another task on it that waits for this set.
fn all_compiled(patterns: &[MutablePattern]) -> Vec<Result<Compiled, MutableError>> {
    let (first, second) = patterns.split_at(patterns.len() / 2);
    let compiled = |patterns: &[MutablePattern]| patterns.iter().map(compiled).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| compiled(second));
        let mut all = compiled(first);
        all.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        all
    })
}

/// The pattern with the end that [`Compiled::Regular`] needs.
fn bounded(hir: Hir) -> Hir {
    let word = [(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];
    let mut no_word = ClassBytes::new(word.map(|(first, last)| ClassBytesRange::new(first, last)));
    no_word.negate();
    let (text_end, word_end) = (Hir::look(Look::End), Hir::class(Class::Bytes(no_word)));
    Hir::concat(vec![hir, Hir::alternation(vec![text_end, word_end])])
}

/// Maximum size of the automaton in bytes. The shipped patterns need a small part of it.
const LARGEST_AUTOMATON: usize = 64 << 20;

fn automaton(patterns: &[Hir]) -> Result<DFA, MutableError> {
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .utf8(false)
                .which_captures(thompson::WhichCaptures::None)
                .nfa_size_limit(Some(LARGEST_AUTOMATON)),
        )
        .build_many_from_hir(patterns)
        .map_err(|error| MutableError::Automaton(error.to_string()))?;
    dfa(nfa, MatchKind::LeftmostFirst)
}

fn dfa(nfa: thompson::NFA, kind: MatchKind) -> Result<DFA, MutableError> {
    DFA::builder()
        .configure(DFA::config().match_kind(kind).cache_capacity(8 << 20).skip_cache_capacity_check(true))
        .build_from_nfa(nfa)
        .map_err(|error| MutableError::Automaton(error.to_string()))
}

/// The pattern, anchored at the start of the search. No word may continue at its end.
pub(super) fn exact(pattern: &MutablePattern) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::Regex::new(&format!(r"\G(?:{})(?![\w--{UNSPACED_CLASS}])", pattern.regex)).map_err(Box::new)
}

/// The end of the anchored regex's match. Catastrophic backtracking counts as no match.
pub(super) fn matched_end(regex: &fancy_regex::Regex, text: &str, start: usize) -> Option<usize> {
    let found = regex.find_from_pos(text, start).ok()??;
    (found.start() == start).then_some(found.end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::mutable_file::{MutablePreset, patterns_of};

    fn pattern(name: &str, regex: &str) -> MutablePattern {
        MutablePattern { name: name.into(), regex: regex.into() }
    }

    fn matcher(patterns: &[(&str, &str)]) -> MutableMatcher {
        let patterns = patterns.iter().map(|(name, regex)| pattern(name, regex)).collect();
        MutableMatcher::new(Arc::new(MutableSet::new(patterns).unwrap()))
    }

    fn matched(matcher: &mut MutableMatcher, text: &str) -> Option<(u16, usize)> {
        matcher.match_at(text, 0).map(|(id, end)| (id.0, end))
    }

    #[test]
    fn the_first_pattern_in_order_wins_not_the_longest() {
        let mut numbers = matcher(&[("number", "[0-9]+"), ("year", "[0-9]{4} AD")]);
        assert_eq!(matched(&mut numbers, "1066 AD"), Some((0, 4)));
    }

    #[test]
    fn a_match_that_ends_inside_a_word_gives_way() {
        let mut mixed = matcher(&[("hours", "[0-9]+ hours?"), ("number", "[0-9]+")]);
        assert_eq!(matched(&mut mixed, "3 hours"), Some((0, 7)));
        assert_eq!(matched(&mut mixed, "3 hourly"), Some((1, 1)));
        assert_eq!(matched(&mut mixed, "3 hoursüber"), Some((1, 1)), "also before a letter that is not ASCII");
        assert_eq!(matched(&mut mixed, "3 hours手"), Some((0, 7)), "but not before an unspaced script");
        assert_eq!(matched(&mut mixed, "3x"), None);
    }

    proptest! {
        #[test]
        fn the_automaton_and_what_it_remembers_agree_with_each_pattern_by_itself(
            words in prop::collection::vec(prop::sample::select(&["1", "12", "3 hours", "hour", "é", "手", " ", ".", "s"]), 1..8),
        ) {
            let patterns = [
                ("hours", "[0-9]+ hours?"),
                ("decimal", r"[0-9]+\.[0-9]"),
                ("ahead", "[0-9]+(?= h)"),
                ("optional", r"[0-9]+(?:\.\s)?"),
                ("number", "[0-9]+"),
                // At the end of the text, the last byte may be part of their match or come after it.
                ("dots", r"\.[ .]*"),
                ("letter", r"s\.?"),
                ("lazy", r"é\.??"),
                ("line", r"手\s*"),
            ];
            let mut matcher = matcher(&patterns);
            let text = words.concat();
            let alone = patterns.map(|(name, regex)| exact(&pattern(name, regex)).unwrap());
            for _ in 0..2 {
                for (start, _) in text.char_indices() {
                    let naive = alone.iter().enumerate().find_map(|(id, regex)| Some((id as u16, matched_end(regex, &text, start)?)));
                    prop_assert_eq!(matcher.match_at(&text, start).map(|(id, end)| (id.0, end)), naive);
                    let ends = text[start..].char_indices().map(|(at, c)| start + at + c.len_utf8()).collect::<Vec<_>>();
                    for end in ends {
                        let word = Short::of(text.as_bytes(), start, end).and_then(|word| matcher.remembered(word));
                        let found = matcher.match_at_word(&text, start, end, word);
                        prop_assert_eq!(found.map(|(id, end)| (id.0, end)), naive, "{} to {}", start, end);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_follows_a_word_is_remembered_for_all_that_it_stands_for(
            texts in prop::collection::vec(
                prop::collection::vec(prop::sample::select(&["a", "b", "ab", " ", ", ", ". ", ",\n", ".\n", "\n", ")", "B", "c"]), 1..8),
                1..6,
            ),
        ) {
            let regexes = ["ab, b", "a, c", r"a\. b", r"b\.\nb", "a bc?", "b Bb", r"b\)c", "a\nb", "ab Bc"];
            let patterns: Vec<(&str, &str)> = ["p", "q", "r", "s", "t", "u", "v", "w", "x"].into_iter().zip(regexes).collect();
            let (mut used, mut fresh) = (matcher(&patterns), matcher(&patterns));
            for text in texts {
                let text = text.concat();
                for (start, first) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
                    let end = start + text[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(text.len() - start);
                    let word = Short::of(text.as_bytes(), start, end).and_then(|word| used.remembered(word));
                    let found = used.match_at_word(&text, start, end, word);
                    prop_assert_eq!(found, fresh.match_at(&text, start), "{} in {:?}", first, text);
                }
            }
        }
    }

    #[test]
    fn look_around_keeps_its_place_in_the_order() {
        let mut mixed = matcher(&[("before-pm", "[0-9]+(?= pm)"), ("number", "[0-9]+"), ("late", "[0-9]+(?= am)")]);
        assert_eq!(matched(&mut mixed, "4 pm"), Some((0, 1)));
        assert_eq!(matched(&mut mixed, "4 am"), Some((1, 1)));
    }

    #[test]
    fn a_set_without_patterns_matches_nothing() {
        assert!(MutableSet::none().patterns().is_empty());
    }

    #[test]
    fn the_written_set_is_that_of_the_shipped_patterns() {
        let patterns = patterns_of(&MutablePreset::Default.entries());
        let CompiledSet { marks_only, automaton, looking_around, .. } = CompiledSet::of(&patterns).unwrap();
        assert!(looking_around.is_empty(), "look-around cannot be written");
        let set = WrittenSet { marks_only, nfa: automaton.get_nfa().clone() };
        let written = set.written(&patterns).expect("states that can be written");
        if std::env::var_os("DEHUSK_WRITE").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tokens/shipped.set");
            std::fs::write(file, &written).unwrap();
            return;
        }
        assert!(written == SHIPPED_SET, "it is old: run DEHUSK_WRITE=1 cargo test --lib the_written_set");
        assert_eq!(shipped_patterns(), patterns);
        let read = WrittenSet::read(SHIPPED_SET, &patterns).expect("a set");
        assert_eq!(read.written(&patterns), Some(written));
        assert_eq!(format!("{:?}", read.nfa), format!("{:?}", set.nfa));
        assert!(WrittenSet::read(SHIPPED_SET, &patterns[1..]).is_none(), "other patterns");
        for other in [MutablePattern { name: "x".into(), ..patterns[0].clone() }, pattern(&patterns[0].name, "x")] {
            let others = [&[other], &patterns[1..]].concat();
            assert!(WrittenSet::read(SHIPPED_SET, &others).is_none(), "another pattern");
        }
        assert!(WrittenSet::read(&SHIPPED_SET[..SHIPPED_SET.len() - 1], &patterns).is_none(), "cut short");
    }

    #[test]
    fn only_patterns_without_letters_and_digits_match_no_words() {
        let of = |regex: &str| MutableSet::new(vec![pattern("x", regex)]).unwrap().has_marks_only(MutableId(0));
        assert!(of(r"-{3,}|_(?: _)+|(?i:\+)") && of("[─-╿]+"));
        assert!(!of("-a?-+") && !of("[!-@]") && !of("[^a]+") && !of("-(?=a)") && !of("(?:-{2}|é)+"));
        let marks: Vec<String> = (0..)
            .map(MutableId)
            .zip(shipped_patterns())
            .filter(|(id, _)| MutableSet::shipped().has_marks_only(*id))
            .map(|(_, pattern)| pattern.name)
            .collect();
        assert_eq!(marks, ["row-of-marks"]);
    }

    #[test]
    fn refuses_what_cannot_work() {
        let refused = |name: &str, regex: &str| MutableSet::new(vec![pattern(name, regex)]).unwrap_err().to_string();
        assert!(refused("x", "(").contains("'x'"));
        assert!(refused("x", "(a)").contains("capturing group"));
        assert!(refused("x", "a*").contains("empty string"));
        assert!(refused("x", r"\w{1000}{1000}").contains("'x': it is too large"));
        assert!(refused("No", "a").contains("lower-case"));
        let twice = MutableSet::new(vec![pattern("x", "a"), pattern("x", "b")]).unwrap_err();
        assert!(twice.to_string().contains("another pattern has this name"));
    }
}
