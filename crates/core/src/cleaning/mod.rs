//! Cleans documents with patterns.
//!
//! A [`Cleaner`] has everything that is needed for the documents of one source: its own patterns and the shared ones,
//! compiled once. [`Cleaner::clean`] processes one document: it finds matches, weighs them, divides the document, judges its
//! segments, and returns the spans to remove. [`cutting`] makes cuts of them. Cleaning does not import mining. It knows only the pattern
//! files.

pub mod options;
pub mod matcher;
mod gaps;
mod slotted;
pub mod regexes;
pub mod search;
pub mod partition;
pub mod layout;
pub mod chance;
pub mod evidence;
pub mod segments;
pub mod features;
pub mod article_end;
pub mod decision_model;
pub mod decision;
mod structure;
mod edges;
mod elements;
pub mod cutting;
pub mod drift;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::cut::{Cut, strip};
use crate::dom::block_model::JudgedPage;
use crate::dom::page_parts::{PageChoices, PagePart};
use crate::html::Tree;
use crate::patterns::keep::cuts_word;
use crate::patterns::regex::Edges;
use crate::patterns::{Elements, ForeignRegex, Form, Pattern, PatternFile, Role, SHARED, Status};
use crate::stretches::{stretches_of_true, touching};
use crate::tokens::free_positions::FreePositions;
use crate::tokens::{Lexer, Symbol};
use article_end::{LastPlace, article_end, last_places};
use chance::{beyond_chance, once};
use elements::Selectors;
use evidence::{Alone, Evidence, Match, PatternIndex, Weight, weigh};
use features::Divided;
use layout::Layout;
use matcher::{TokenAutomaton, Tokens};
pub use options::{CleanOptions, Method};
use regexes::{GaveUp, MatchError, Regexes};
use segments::Segments;
use structure::Structure;

/// A stretch of text to remove, and the patterns behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The bytes: whole tokens, without white space at the edges.
    pub range: Range<usize>,
    /// Mean probability that its tokens are boilerplate, 0..=1.
    pub score: f32,
    /// The patterns that explain parts of it: bytes, and index as in [`Cleaner::patterns`]. Larger indices stand for
    /// the recurring stretches given to [`Cleaner::cleaning_with`].
    pub because: Vec<(Range<usize>, usize)>,
}

/// What to remove from one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaning {
    /// The spans, sorted and disjoint.
    pub spans: Vec<Span>,
    /// Number of bytes that go, by whether a pattern explains them.
    pub grounds: Grounds,
    /// How much of it is content, as far as the model knows.
    pub expected: Expected,
    /// The bytes of blocks that go because the user chose so ([`CleanOptions::page`]), in order. What a person decided about
    /// patterns and texts stays in force.
    pub dropped: Vec<(Range<usize>, PagePart)>,
    /// Whether the user chose something for pages ([`CleanOptions::page`]), but the document was not decided by the blocks of a
    /// page.
    pub ignores_choices: bool,
}

/// Bytes of the removed tokens, by whether a pattern explains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Grounds {
    /// A pattern matches them, or the article ends before them.
    pub matched: u64,
    /// No pattern matches them.
    pub unmatched: u64,
}

impl Grounds {
    /// Adds the bytes of another one.
    pub fn add(&mut self, other: &Grounds) {
        self.matched += other.matched;
        self.unmatched += other.unmatched;
    }
}

/// What is expected of a document, by the probabilities of its tokens, in bytes. White space does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Expected {
    /// The content in it.
    pub content: u64,
    /// The part of the content that is removed.
    pub lost: u64,
}

impl Expected {
    /// Adds another document.
    pub fn add(&mut self, other: &Expected) {
        self.content += other.content;
        self.lost += other.lost;
    }

    /// The share of the content that is lost, 0..=1.
    pub fn loss(&self) -> f64 {
        self.lost as f64 / self.content.max(1) as f64
    }
}

impl Cleaning {
    /// The cuts that remove the spans from the text they were found in, sorted and disjoint. [`page_pruned`](crate::html::page_pruned)
    /// and [`page_markdown`](crate::html::page_markdown) write a page with them.
    pub fn cuts(&self, text: &str) -> Vec<Cut<'static>> {
        cutting::cuts(text, &self.ranges())
    }

    /// The cuts that replace the spans by a text.
    pub fn replacing<'r>(&self, text: &str, replacement: &'r str) -> Vec<Cut<'r>> {
        cutting::replacing(text, &self.ranges(), replacement)
    }

    /// The cleaned text.
    pub fn strip(&self, text: &str) -> String {
        strip(text, &self.cuts(text))
    }

    fn ranges(&self) -> Vec<Range<usize>> {
        self.spans.iter().map(|span| span.range.clone()).collect()
    }
}

/// The search for a pattern that a person wrote was not finished. So it is not known what to remove.
#[derive(Debug, thiserror::Error)]
#[error("pattern {id}: {source}; make the regex simpler, or reject the pattern")]
pub struct CleanError {
    /// The pattern's id.
    pub id: String,
    /// Why.
    pub source: MatchError,
}

/// Cleans the documents of one source. Clones share the compiled patterns.
#[derive(Clone, Debug)]
pub struct Cleaner {
    patterns: Arc<[Pattern]>,
    rejected: Arc<[Pattern]>,
    origins: Arc<[Option<Origin>]>,
    weights: Arc<[Weight]>,
    reaches_cutoff: Arc<[bool]>,
    /// Patterns mined with the same lexer share an automaton. The tokens of the first lexer get the labels.
    readers: Arc<[Reader]>,
    /// Patterns that run on the regex engine, by index. Rejected patterns come after the applied ones. They are matched
    /// because their text must be kept.
    regexes: Arc<Regexes>,
    keeps: Arc<Regexes>,
    /// The selectors of the applied patterns, and those of rejected patterns.
    selectors: Arc<[Selectors; 2]>,
    /// Whether recurrence alone decides: the source is unlike all that the model has learned from, or its documents are snapshots
    /// of one page.
    recurrence_decides: bool,
    /// Whether a file is of the source itself.
    is_of_source: bool,
    options: CleanOptions,
}

/// The origin of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Index of the file in the files of the [`Cleaner`].
    pub file: usize,
    /// Index of the pattern in the file.
    pub index: usize,
}

#[derive(Debug)]
struct Reader {
    lexer: Lexer,
    automaton: TokenAutomaton,
}

/// A tokenized text with its matches.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its tokens.
    pub tokens: Tokens,
    /// Sums over its tokens.
    pub layout: Layout,
    /// All matches of all applied patterns, including overlapping ones.
    pub matches: Vec<Match>,
    /// All matches of rejected patterns. Indices are as in [`Cleaner::rejected`].
    pub rejected: Vec<Match>,
    /// Whether each token is covered by a rejected match.
    pub is_rejected: Vec<bool>,
    /// What selectors would remove from the page that has this text. Such a match is no evidence for anything else.
    pub selected: Vec<Match>,
    /// The tokens of texts to keep.
    pub kept: Vec<Range<usize>>,
    /// The blocks of the page that has this text ([`Cleaner::read_page`], [`Cleaner::judged`]).
    pub page: Option<JudgedPage>,
}

impl Reading {
    /// What the applied patterns match: in the text, then in the page.
    pub fn found(&self) -> impl Iterator<Item = &Match> {
        self.matches.iter().chain(&self.selected)
    }
}

/// A text to clean. If it is the visible text of a page, it can come with the page's tree.
#[derive(Clone, Debug)]
pub struct PageText<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// The tree of the page.
    pub tree: Option<Arc<Tree>>,
}

impl<'t> From<&'t str> for PageText<'t> {
    fn from(text: &'t str) -> PageText<'t> {
        PageText { text: text.into(), tree: None }
    }
}

/// A stretch of a text that recurs, as the caller knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurring {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The facts about it, as for a pattern.
    pub weight: Weight,
}

/// The matches that count, and the weights of their patterns.
#[derive(Clone, Copy)]
struct Weighed<'a> {
    matches: &'a [Match],
    weights: &'a [Weight],
    /// Whether the patterns are of the document's source.
    is_of_source: bool,
}

/// The result for the tokens of a text.
#[derive(Debug)]
pub struct Decision {
    /// Whether each token is removed.
    pub goes: Vec<bool>,
    /// The probability that it is boilerplate, 0..=1.
    pub probabilities: Vec<f32>,
    /// The pattern of the token's evidence, if a match covers the token. Otherwise the pattern that ends the article
    /// before it, if any.
    pub patterns: Vec<Option<PatternIndex>>,
    /// Whether each token is in a match that chance does not explain.
    pub is_beyond_chance: Vec<bool>,
    /// The bytes of blocks that go because the user chose so, in order.
    pub dropped: Vec<(Range<usize>, PagePart)>,
}

/// Scratch space of one thread, for any number of [`Cleaner`]s.
#[derive(Debug, Default)]
pub struct Scratch {
    lexers: Vec<Lexer>,
}

impl Scratch {
    /// This thread's copy of a lexer.
    pub(crate) fn lexer(&mut self, lexer: &Lexer) -> &mut Lexer {
        let known = self.lexers.iter().position(|known| same_lexer(known, lexer));
        let index = known.unwrap_or_else(|| {
            self.lexers.push(lexer.clone());
            self.lexers.len() - 1
        });
        &mut self.lexers[index]
    }
}

impl Cleaner {
    /// Compiles the patterns of these files. The source's own file comes first. A pattern that a file rejects is also
    /// left out of later files.
    pub fn new(files: &[&PatternFile], options: &CleanOptions) -> Cleaner {
        let Review { applied, rejected } = Review::of(files, options.only_accepted);
        let reviewed = || applied.iter().chain(&rejected);
        let mut readers: Vec<Reader> = Vec::new();
        for Reviewed { file, .. } in reviewed() {
            if readers.iter().any(|reader| same_lexer(&reader.lexer, &file.lexer)) {
                continue;
            }
            let runs = reviewed().enumerate().filter_map(|(index, other)| match &other.pattern.form {
                Form::Run(run) if same_lexer(&other.file.lexer, &file.lexer) => {
                    Some((index, run, Edges::written_in(&other.pattern.regex)))
                }
                _ => None,
            });
            let automaton = TokenAutomaton::new(runs, file.lexer.tokenizer());
            readers.push(Reader { lexer: file.lexer.clone(), automaton });
        }
        if let (true, Some(file)) = (readers.is_empty(), files.first()) {
            let automaton = TokenAutomaton::new([], file.lexer.tokenizer());
            readers.push(Reader { lexer: file.lexer.clone(), automaton });
        }
        let regex = |(index, Reviewed { pattern, .. }): (usize, &Reviewed)| match &pattern.form {
            Form::Regex(regex) => Some((index, regex.clone())),
            Form::Run(_) | Form::Elements(_) => None,
        };
        let of_pattern = |(index, Reviewed { pattern, .. }): (usize, &Reviewed)| match &pattern.form {
            Form::Elements(elements) => Some((index, elements.clone(), is_certain(pattern))),
            Form::Run(_) | Form::Regex(_) => None,
        };
        let selectors = Selectors::new(applied.iter().enumerate().filter_map(of_pattern));
        // Who rejects a selector for content does not say that the rest of the page is content.
        let is_kept = |(_, elements, _): &(usize, Elements, bool)| elements.role == Role::Drop;
        let kept = Selectors::new(rejected.iter().enumerate().filter_map(of_pattern).filter(is_kept));
        let keeps = files.iter().flat_map(|file| &file.keep).map(|keep| ForeignRegex::from(Arc::clone(keep.regex())));
        Cleaner {
            regexes: Arc::new(Regexes::new(reviewed().enumerate().filter_map(regex).collect())),
            keeps: Arc::new(Regexes::new(keeps.enumerate().collect())),
            selectors: Arc::new([selectors, kept]),
            origins: reviewed().map(|reviewed| reviewed.origin).collect(),
            weights: applied.iter().map(|reviewed| weight(reviewed.pattern)).collect(),
            reaches_cutoff: applied.iter().map(|reviewed| reaches_cutoff(reviewed.pattern, reviewed.file)).collect(),
            patterns: applied.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            rejected: rejected.iter().map(|reviewed| reviewed.pattern.clone()).collect(),
            readers: readers.into(),
            recurrence_decides: files.iter().any(|file| file.unusual.is_some() || file.mined.snapshots),
            is_of_source: files.iter().any(|file| file.source != SHARED && file.mined.documents > 0),
            options: options.clone(),
        }
    }

    /// The applied patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The rejected patterns.
    #[doc(hidden)]
    pub fn rejected(&self) -> &[Pattern] {
        &self.rejected
    }

    /// The origin of each pattern: first the applied ones, then the rejected ones. `None` for evidence that is no pattern
    /// for people.
    #[doc(hidden)]
    pub fn origins(&self) -> &[Option<Origin>] {
        &self.origins
    }

    /// Finds what to remove from a text. The time is linear in the text for mined patterns. Fails if the search for a
    /// regex that a person wrote gives up.
    pub fn clean(&self, scratch: &mut Scratch, text: &str) -> Result<Cleaning, CleanError> {
        Ok(self.cleaning(text, &self.read(scratch, text)?))
    }

    /// Finds what to remove from the visible text of a page. Its structure counts as well ([`CleanOptions::structure`]).
    /// `tree` is the tree of the page that has this text, as [`read`](crate::html::read) returns both.
    ///
    /// # Errors
    /// As [`Cleaner::clean`].
    pub fn clean_page(&self, scratch: &mut Scratch, text: &str, tree: &Tree) -> Result<Cleaning, CleanError> {
        Ok(self.cleaning(text, &self.read_page(scratch, text, Some(tree), &|| true)?))
    }

    /// The same as [`Cleaner::clean_page`], or without `tree` as [`Cleaner::clean`], but it can be stopped. `go_on` is called while
    /// regexes that people wrote are searched: nothing else takes long.
    ///
    /// # Errors
    /// As [`Cleaner::clean`], and if `go_on` returns false.
    pub fn clean_while(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tree: Option<&Tree>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Cleaning, CleanError> {
        Ok(self.cleaning(text, &self.read_page(scratch, text, tree, go_on)?))
    }

    /// Removes parts of a text that others chose, such as [`PageJudge::boilerplate`](crate::dom::page_judge::PageJudge::boilerplate):
    /// ranges of bytes in order, each with its score. A token belongs to the part of its first byte. What a person rejected or
    /// keeps stays.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use dehusk::{BlockModel, CleanOptions, Cleaner, Lexer, MutableSet, PageChoices, PageJudge, Scratch, Tokenizer, Tree};
    /// use dehusk::{MinedFrom, PatternFile, read};
    ///
    /// let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    /// let no_patterns = PatternFile::of_templates("page", MinedFrom::default(), Vec::new(), &lexer);
    /// let cleaner = Cleaner::new(&[&no_patterns], &CleanOptions::default());
    ///
    /// let page = "<nav><a href=/>Home</a></nav><article><p>Ships are late on the quay.</p></article>";
    /// let (text, tree) = read::<Tree>(page);
    /// let judge = PageJudge::Content(BlockModel::shipped(), PageChoices::default());
    /// let parts = judge.boilerplate(&text, &tree, None, None);
    /// let cleaning = cleaner.clean_by(&mut Scratch::default(), &text, &parts)?;
    /// assert_eq!(cleaning.strip(&text), "Ships are late on the quay.");
    /// # Ok::<(), dehusk::CleanError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cleaner::clean`].
    pub fn clean_by(
        &self,
        scratch: &mut Scratch,
        text: &str,
        parts: &[(Range<usize>, f32)],
    ) -> Result<Cleaning, CleanError> {
        Ok(self.cleaning_by(&self.read(scratch, text)?, parts))
    }

    /// Finds what to remove from a text that was read.
    #[doc(hidden)]
    pub fn cleaning(&self, text: &str, reading: &Reading) -> Cleaning {
        self.cleaned(text, reading, self.weighed(&reading.matches))
    }

    /// Like [`Cleaner::cleaning`], with further stretches of the text that recur. Like unreviewed patterns, they are
    /// only evidence. If there are none, and no pattern of the source, its pages are judged alone.
    #[doc(hidden)]
    pub fn cleaning_with(&self, text: &str, reading: &Reading, recurring: &[Recurring]) -> Cleaning {
        let (matches, weights) = self.with(reading, recurring);
        let is_of_source = self.is_of_source || !recurring.is_empty();
        self.cleaned(text, reading, Weighed { matches: &matches, weights: &weights, is_of_source })
    }

    /// What to remove from a text that was read, if others judge it: these parts of it, each with its score, in order. A
    /// token belongs to the part of its first byte. What a person rejected or keeps stays.
    #[doc(hidden)]
    pub fn cleaning_by(&self, reading: &Reading, parts: &[(Range<usize>, f32)]) -> Cleaning {
        let tokens = &reading.tokens.tokens;
        let evidence = self.weigh(reading, &reading.matches);
        let Evidence { pattern: patterns, is_beyond_chance, .. } = evidence;
        let (goes, probabilities) = (vec![false; tokens.len()], vec![0.0; tokens.len()]);
        let mut decision = Decision { goes, probabilities, patterns, is_beyond_chance, dropped: Vec::new() };
        let mut next = 0;
        for (index, token) in tokens.iter().enumerate() {
            let start = token.range().start;
            while parts.get(next).is_some_and(|(range, _)| range.end <= start) {
                next += 1;
            }
            if let Some((_, score)) = parts.get(next).filter(|(range, _)| range.start <= start) {
                (decision.goes[index], decision.probabilities[index]) = (!reading.is_rejected[index], *score);
            }
        }
        reading.kept.iter().for_each(|tokens| decision.goes[tokens.clone()].fill(false));
        let grounds = grounds(&reading.tokens, &decision);
        Cleaning { spans: spans(&reading.tokens, &decision), grounds, ..Cleaning::default() }
    }

    fn cleaned(&self, text: &str, reading: &Reading, found: Weighed) -> Cleaning {
        let mut decision = self.decided(text, reading, found, self.options.method);
        self.name_patterns(found.matches, &mut decision.patterns);
        let (grounds, expected) = (grounds(&reading.tokens, &decision), expected(&reading.tokens, &decision));
        let spans = spans(&reading.tokens, &decision);
        // What is favoured counts for any text.
        let of_pages = PageChoices { favor: Default::default(), ..self.options.page };
        let ignores_choices = of_pages != PageChoices::default() && !self.goes_by_blocks(reading);
        Cleaning { spans, grounds, expected, dropped: decision.dropped, ignores_choices }
    }

    /// Whether a pattern is only evidence.
    fn is_evidence(&self, pattern: usize) -> bool {
        self.origins.get(pattern).is_some_and(Option::is_none)
    }

    /// Where evidence explains a token that a pattern for people matches as well, names the pattern.
    fn name_patterns(&self, matches: &[Match], patterns: &mut [Option<PatternIndex>]) {
        if !patterns.iter().flatten().any(|named| self.is_evidence(named.get())) {
            return;
        }
        let for_people = matches.iter().filter(|found| !self.is_evidence(found.pattern)).collect();
        longest_first(for_people, patterns.len(), |token, pattern| {
            if patterns[token].is_some_and(|named| self.is_evidence(named.get())) {
                patterns[token] = Some(pattern);
            }
        });
    }

    /// Matches and recurring stretches together, with their weights.
    fn with<'a>(&'a self, reading: &'a Reading, recurring: &[Recurring]) -> (Cow<'a, [Match]>, Cow<'a, [Weight]>) {
        let mut matches = Cow::Borrowed(&*reading.matches);
        let mut weights = Cow::Borrowed(&*self.weights);
        if !recurring.is_empty() && !self.options.only_accepted {
            for Recurring { tokens, weight } in recurring {
                matches.to_mut().push(Match { tokens: tokens.clone(), pattern: weights.len() });
                weights.to_mut().push(*weight);
            }
        }
        (matches, weights)
    }

    /// The first half of cleaning: tokenizes a text and finds its matches. Fails if the search for a regex that a
    /// person wrote gives up.
    #[doc(hidden)]
    pub fn read(&self, scratch: &mut Scratch, text: &str) -> Result<Reading, CleanError> {
        self.read_while(scratch, text, &|| true)
    }

    /// Like [`Cleaner::read`], but can be stopped: when `go_on` returns false, the error is [`MatchError::Stopped`].
    /// `go_on` is called while regexes that people wrote are searched. Nothing else can take long.
    #[doc(hidden)]
    pub fn read_while(
        &self,
        scratch: &mut Scratch,
        text: &str,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Reading, CleanError> {
        let Some(reader) = self.readers.first() else { return Ok(Reading::default()) };
        let (tokens, symbols) = reader.automaton.read(text, scratch.lexer(&reader.lexer));
        let layout = Layout::of(text, &tokens);
        let (mut matches, rejected) = self.matches(scratch, text, &tokens, &symbols, go_on)?;
        let mut is_rejected = vec![false; tokens.tokens.len()];
        rejected.iter().for_each(|found| is_rejected[found.tokens.clone()].fill(true));
        if !rejected.is_empty() {
            // People do not see evidence, so it must not remove what they rejected.
            let stretches: Vec<Range<usize>> = stretches_of_true(&is_rejected).collect();
            let meets = |found: &Match| !touching(&stretches, &found.tokens, |stretch| stretch).is_empty();
            matches.retain(|found| !(self.is_evidence(found.pattern) && meets(found)));
        }
        let kept = self.kept(text, &tokens, go_on)?;
        Ok(Reading { tokens, layout, matches, rejected, is_rejected, selected: Vec::new(), kept, page: None })
    }

    /// Like [`read_while`](Cleaner::read_while), for the visible text of a page. With its tree, the structure of the page
    /// counts as well, if the options say so, and so do selectors.
    #[doc(hidden)]
    pub fn read_page(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tree: Option<&Tree>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Reading, CleanError> {
        Ok(self.judged(self.read_while(scratch, text, go_on)?, text, tree))
    }

    /// A text that was read, with the blocks of its page, and with what selectors select there. Without its tree it stays as
    /// it is.
    #[doc(hidden)]
    pub fn judged(&self, mut reading: Reading, text: &str, tree: Option<&Tree>) -> Reading {
        let Some(tree) = tree else { return reading };
        let [applied, rejected] = &*self.selectors;
        let needs_blocks = self.options.uses_structure() || applied.have_content();
        reading.page = self.options.structure.as_ref().filter(|_| needs_blocks).map(|model| model.judge(text, tree));
        let page = reading.page.as_ref();
        let headline = page.and_then(|page| Some(page.page.blocks[page.headline()?].text.clone()));
        let tokens = &reading.tokens;
        let found = |selectors: &Selectors, headline| -> Vec<Match> {
            let found = selectors.find(tree, text.len(), headline).into_iter();
            let found = found.map(|(bytes, pattern)| Match { tokens: tokens.within(&bytes), pattern });
            found.filter(|found| !found.tokens.is_empty()).collect()
        };
        reading.selected = found(applied, headline);
        let rejected = found(rejected, None);
        rejected.iter().for_each(|found| reading.is_rejected[found.tokens.clone()].fill(true));
        reading.rejected.extend(rejected);
        reading
    }

    /// The second half of cleaning: decides by a method, with only these matches.
    #[doc(hidden)]
    pub fn decide(&self, text: &str, reading: &Reading, matches: &[Match], method: Method) -> Decision {
        self.decided(text, reading, self.weighed(matches), method)
    }

    /// The decision about each token of a text that was read, on which [`Cleaner::cleaning`] is based.
    #[doc(hidden)]
    pub fn decision(&self, text: &str, reading: &Reading) -> Decision {
        self.decide(text, reading, &reading.matches, self.options.method)
    }

    /// The matches of patterns, with their weights.
    fn weighed<'a>(&'a self, matches: &'a [Match]) -> Weighed<'a> {
        Weighed { matches, weights: &self.weights, is_of_source: self.is_of_source }
    }

    fn decided(&self, text: &str, reading: &Reading, found: Weighed, method: Method) -> Decision {
        let mut decision = match method {
            Method::Learned => self.adjusted(text, reading, found),
            Method::Union { merge_gap } => self.united(text, reading, found, merge_gap),
        };
        reading.kept.iter().for_each(|tokens| decision.goes[tokens.clone()].fill(false));
        decision
    }

    /// The evidence of each token, from only these matches.
    #[doc(hidden)]
    pub fn weigh(&self, reading: &Reading, matches: &[Match]) -> Evidence {
        weigh(&reading.layout, matches, &self.weights)
    }

    /// The last place of each pattern in a text.
    #[doc(hidden)]
    pub fn last_places(&self, text: &str, reading: &Reading) -> Vec<LastPlace> {
        self.last_places_with(text, reading, &[])
    }

    /// Like [`Cleaner::last_places`], also for stretches that recur. Their indices follow those of the patterns.
    #[doc(hidden)]
    pub fn last_places_with(&self, text: &str, reading: &Reading, recurring: &[Recurring]) -> Vec<LastPlace> {
        let (matches, weights) = self.with(reading, recurring);
        let evidence = weigh(&reading.layout, &matches, &weights);
        let segments = Segments::of(text, &reading.tokens, &reading.layout, &evidence);
        last_places(reading, &matches, &evidence, &segments)
    }

    /// The strength of a match by itself, without the other matches.
    pub(crate) fn alone(&self, reading: &Reading, found: &Match) -> Alone {
        Alone::of(&reading.layout, found, &self.weights)
    }

    /// Whether the pattern's share reaches the cutoff of its file, so that the union method uses it.
    #[doc(hidden)]
    pub fn reaches_cutoff(&self, pattern: usize) -> bool {
        self.reaches_cutoff[pattern]
    }

    /// Calls `look` with a text that was read, divided into segments.
    #[doc(hidden)]
    pub fn divided<T>(&self, text: &str, reading: &Reading, look: impl FnOnce(Divided) -> T) -> T {
        let evidence = self.weigh(reading, &reading.matches);
        divided(text, reading, &reading.matches, &self.weights, &evidence, look)
    }

    /// All matches of the applied patterns, and of the rejected ones, as ranges of tokens.
    fn matches(
        &self,
        scratch: &mut Scratch,
        text: &str,
        tokens: &Tokens,
        symbols: &[Symbol],
        go_on: &dyn Fn() -> bool,
    ) -> Result<(Vec<Match>, Vec<Match>), CleanError> {
        let mut matches = Vec::new();
        if let Some((first, others)) = self.readers.split_first() {
            first.automaton.find(text, tokens, symbols, |tokens, pattern| matches.push(Match { tokens, pattern }));
            for Reader { lexer, automaton } in others {
                let (own, symbols) = automaton.read(text, scratch.lexer(lexer));
                automaton.find(text, &own, &symbols, |found, pattern| {
                    let bytes = own.tokens[found.start].range().start..own.tokens[found.end - 1].range().end;
                    matches.push(Match { tokens: tokens.within(&bytes), pattern });
                });
            }
        }
        let found = self.regexes.find(text, go_on, |bytes, pattern| {
            matches.push(Match { tokens: tokens.within(&bytes), pattern });
        });
        found.map_err(|GaveUp { pattern, source }| {
            let id = self.pattern(pattern).id.clone();
            CleanError { id, source }
        })?;
        let applied = self.patterns.len();
        let rejected = matches.extract_if(.., |found| found.pattern >= applied || found.tokens.is_empty());
        let rejected = rejected.filter(|found| found.pattern >= applied && !found.tokens.is_empty());
        let rejected = rejected.map(|Match { tokens, pattern }| Match { tokens, pattern: pattern - applied }).collect();
        Ok((matches, rejected))
    }

    /// The pattern at an index: first the applied ones, then the rejected ones.
    fn pattern(&self, index: usize) -> &Pattern {
        self.patterns.get(index).unwrap_or_else(|| &self.rejected[index - self.patterns.len()])
    }

    /// The tokens of texts to keep. A token that lies in such a text only in part is kept as well.
    fn kept(&self, text: &str, tokens: &Tokens, go_on: &dyn Fn() -> bool) -> Result<Vec<Range<usize>>, CleanError> {
        let mut kept = Vec::new();
        let found = self.keeps.find(text, go_on, |bytes, _| {
            if !cuts_word(text, &bytes) {
                kept.push(tokens.touching(&bytes));
            }
        });
        found.map_err(|GaveUp { source, .. }| CleanError { id: "keep".to_owned(), source })?;
        Ok(kept)
    }

    /// The decision about segments, then the structure of the page, then what a person confirmed, then the edges of the cuts. The edges undo no decision of a person: a
    /// mark that a rejected pattern holds back stays, and a confirmed match of marks alone goes.
    fn adjusted(&self, text: &str, reading: &Reading, found: Weighed) -> Decision {
        let Reading { tokens, layout, is_rejected, .. } = reading;
        let mut decision = self.judged_by_segments(text, reading, found);
        if let (Some(page), Some(model)) = (&reading.page, &self.options.structure)
            && self.goes_by_blocks(reading)
        {
            let structure = Structure { model, choices: self.options.page, is_of_source: found.is_of_source };
            structure::decide(structure, text, page, reading, &mut decision);
        }
        let found_in_page = || found.matches.iter().chain(&reading.selected);
        let certain = || found_in_page().filter(|of| found.weights[of.pattern].is_certain);
        longest_first(certain().collect(), decision.goes.len(), |token, pattern| {
            decision.goes[token] = true;
            decision.probabilities[token] = 1.0;
            decision.patterns[token] = Some(pattern);
        });
        let held_back: Vec<usize> = match reading.rejected.is_empty() {
            true => Vec::new(),
            false => (0..is_rejected.len()).filter(|&token| is_rejected[token] && !decision.goes[token]).collect(),
        };
        edges::adjust(text, tokens, layout, &mut decision.goes);
        held_back.into_iter().for_each(|token| decision.goes[token] = false);
        let of_marks = certain().filter(|found| layout.telling_words(&found.tokens) == 0.0);
        of_marks.for_each(|found| decision.goes[found.tokens.clone()].fill(true));
        decision
    }

    /// Segments go if the model takes them for boilerplate. Where nothing recurs, nothing goes. A token stays that a person
    /// rejected a pattern for, unless another pattern matches it.
    fn judged_by_segments(&self, text: &str, reading: &Reading, Weighed { matches, weights, .. }: Weighed) -> Decision {
        let evidence = weigh(&reading.layout, matches, weights);
        let count = reading.tokens.tokens.len();
        let (mut goes, mut probabilities) = (vec![false; count], vec![0.0; count]);
        let mut end = None;
        if !self.options.only_accepted && !matches.is_empty() {
            divided(text, reading, matches, weights, &evidence, |document| {
                let model = self.options.decision.as_deref().filter(|_| !self.recurrence_decides);
                let of_segments = match model {
                    Some(model) => model.judge(document),
                    None => decision::by_recurrence(&document),
                };
                let chosen = decision::chosen(&document, &of_segments, self.options.page.favor);
                for ((segment, p), chosen) in document.segments.tokens.iter().zip(of_segments).zip(chosen) {
                    probabilities[segment.clone()].fill(p);
                    goes[segment].fill(chosen);
                }
                end = document.end;
            });
        }
        for (token, &is_rejected) in reading.is_rejected.iter().enumerate() {
            goes[token] &= !is_rejected || evidence.of_token[token] > 0.0;
        }
        let Evidence { pattern: mut patterns, is_beyond_chance, .. } = evidence;
        if let Some(LastPlace { pattern, start, .. }) = end {
            patterns[start..].iter_mut().for_each(|of_token| *of_token = of_token.or(Some(PatternIndex::new(pattern))));
        }
        Decision { goes, probabilities, patterns, is_beyond_chance, dropped: Vec::new() }
    }

    /// Whether the blocks of the page decide.
    fn goes_by_blocks(&self, reading: &Reading) -> bool {
        reading.page.is_some() && self.options.uses_structure()
    }

    fn united(
        &self,
        text: &str,
        reading: &Reading,
        Weighed { matches, weights, .. }: Weighed,
        merge_gap: usize,
    ) -> Decision {
        // A recurring stretch without a pattern has no cutoff here. It was selected by the caller.
        let is_united = |found: &&Match| self.reaches_cutoff.get(found.pattern).is_none_or(|&reaches| reaches);
        let united: Vec<Match> = matches.iter().filter(is_united).cloned().collect();
        let evidence = weigh(&reading.layout, &united, weights);
        let mut goes = vec![false; reading.tokens.tokens.len()];
        let mut free = FreePositions::new(goes.len());
        united.iter().for_each(|found| free.take(found.tokens.clone(), |token| goes[token] = true));
        close_gaps(text, &reading.tokens, &mut goes, merge_gap);
        let Evidence { of_token, pattern, is_beyond_chance, .. } = evidence;
        Decision { goes, probabilities: of_token, patterns: pattern, is_beyond_chance, dropped: Vec::new() }
    }
}

/// Calls `look` with a text that was read, divided into segments.
fn divided<T>(
    text: &str,
    reading: &Reading,
    matches: &[Match],
    weights: &[Weight],
    evidence: &Evidence,
    look: impl FnOnce(Divided) -> T,
) -> T {
    let Reading { tokens, layout, .. } = reading;
    let segments = Segments::of(text, tokens, layout, evidence);
    let end = article_end(reading, matches, weights, evidence, &segments);
    look(Divided { text, tokens, layout, matches, weights, evidence, segments: &segments, end })
}

/// Calls `explain` once for each token that a match covers. If matches overlap, the longest one says why the text goes.
fn longest_first(mut matches: Vec<&Match>, tokens: usize, mut explain: impl FnMut(usize, PatternIndex)) {
    matches.sort_unstable_by_key(|found| (Reverse(found.tokens.len()), found.tokens.start, found.pattern));
    let mut free = FreePositions::new(tokens);
    for found in matches {
        free.take(found.tokens.clone(), |token| explain(token, PatternIndex::new(found.pattern)));
    }
}

/// The patterns of some files by status. A pattern that a file rejects is also left out of later files.
pub(crate) struct Review<'f> {
    pub(crate) applied: Vec<Reviewed<'f>>,
    rejected: Vec<Reviewed<'f>>,
}

pub(crate) struct Reviewed<'f> {
    pub(crate) pattern: &'f Pattern,
    pub(crate) file: &'f PatternFile,
    /// `None` for evidence.
    origin: Option<Origin>,
}

impl<'f> Review<'f> {
    pub(crate) fn of(files: &[&'f PatternFile], only_accepted: bool) -> Review<'f> {
        let mut ids: HashSet<&str> = HashSet::new();
        let mut review = Review { applied: Vec::new(), rejected: Vec::new() };
        for (number, &file) in files.iter().enumerate() {
            let (rejected, others): (Vec<Reviewed>, Vec<Reviewed>) = (file.patterns.iter().enumerate())
                .map(|(index, pattern)| Reviewed { pattern, file, origin: Some(Origin { file: number, index }) })
                .chain(file.evidence.iter().map(|pattern| Reviewed { pattern, file, origin: None }))
                .partition(|reviewed| reviewed.pattern.status == Status::Rejected);
            ids.extend(rejected.iter().map(|reviewed| reviewed.pattern.id.as_str()));
            review.rejected.extend(rejected);
            let is_applied = |Reviewed { pattern, .. }: &Reviewed| {
                let is_asked_for = pattern.status == Status::Accepted || !only_accepted;
                is_asked_for && !ids.contains(pattern.id.as_str())
            };
            review.applied.extend(others.into_iter().filter(is_applied));
        }
        review
    }
}

pub(crate) fn same_lexer(a: &Lexer, b: &Lexer) -> bool {
    Arc::ptr_eq(a.mutable(), b.mutable()) && a.tokenizer().name() == b.tokenizer().name()
}

/// Number of removed bytes, by whether a pattern explains them.
fn grounds(Tokens { tokens, .. }: &Tokens, Decision { goes, patterns, .. }: &Decision) -> Grounds {
    let mut by_kind = [0; 2];
    for (token, (&goes, pattern)) in tokens.iter().zip(goes.iter().zip(patterns)) {
        by_kind[usize::from(pattern.is_some())] += if goes { token.range().len() as u64 } else { 0 };
    }
    let [unmatched, matched] = by_kind;
    Grounds { matched, unmatched }
}

/// What is expected of the tokens.
fn expected(Tokens { tokens, .. }: &Tokens, Decision { goes, probabilities, .. }: &Decision) -> Expected {
    let (mut content, mut lost) = (0.0, 0.0);
    for (token, (&goes, &p)) in tokens.iter().zip(goes.iter().zip(probabilities)) {
        let expected = token.range().len() as f64 * f64::from(1.0 - p);
        content += expected;
        lost += if goes { expected } else { 0.0 };
    }
    Expected { content: content.round() as u64, lost: lost.round() as u64 }
}

fn weight(pattern: &Pattern) -> Weight {
    Weight {
        share: pattern.share(),
        documents: pattern.documents,
        occurrences: pattern.occurrences,
        is_certain: is_certain(pattern),
        holds_lines: match &pattern.form {
            Form::Run(run) => run.has_whole_line(),
            Form::Regex(_) | Form::Elements(_) => true,
        },
        has_free: matches!(&pattern.form, Form::Run(run) if run.has_free()),
        ends_after: pattern.ends_after,
        beyond: beyond_chance(pattern.documents, pattern.occurrences, pattern.among),
        once: once(pattern.documents, pattern.occurrences, pattern.among),
    }
}

/// Whether a person confirmed the pattern: by accepting it, or by writing it without counts.
fn is_certain(pattern: &Pattern) -> bool {
    pattern.status == Status::Accepted || (!pattern.is_as_mined() && pattern.documents == 0)
}

fn reaches_cutoff(pattern: &Pattern, file: &PatternFile) -> bool {
    is_certain(pattern) || pattern.share() >= file.mined.cutoff
}

/// Labels the tokens between two labelled stretches if there are fewer than `merge_gap` characters between them.
fn close_gaps(text: &str, tokens: &Tokens, labels: &mut [bool], merge_gap: usize) {
    let mut last_labelled: Option<usize> = None;
    for token in 0..labels.len() {
        if !labels[token] {
            continue;
        }
        if let Some(last) = last_labelled.filter(|last| last + 1 < token) {
            let between = &text[tokens.tokens[last].range().end..tokens.tokens[token].range().start];
            if between.chars().count() < merge_gap {
                labels[last + 1..token].fill(true);
            }
        }
        last_labelled = Some(token);
    }
}

/// The labelled stretches as spans, each with the patterns that explain it.
fn spans(tokens: &Tokens, decision: &Decision) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for stretch in decision.goes.chunk_by(|a, b| a == b) {
        let end = start + stretch.len();
        if stretch[0] {
            spans.push(Span {
                range: tokens.bytes_of(&(start..end)),
                score: decision.probabilities[start..end].iter().sum::<f32>() / stretch.len() as f32,
                because: because(&tokens.tokens, start..end, &decision.patterns),
            });
        }
        start = end;
    }
    spans
}

fn because(
    tokens: &[crate::tokens::Token],
    span: Range<usize>,
    patterns: &[Option<PatternIndex>],
) -> Vec<(Range<usize>, usize)> {
    let mut because: Vec<(Range<usize>, usize)> = Vec::new();
    let mut before = None;
    for index in span {
        let pattern = patterns[index];
        if let Some(pattern) = pattern {
            match because.last_mut().filter(|_| before == Some(pattern)) {
                Some((range, _)) => range.end = tokens[index].range().end,
                None => because.push((tokens[index].range(), pattern.get())),
            }
        }
        before = pattern;
    }
    because
}

#[cfg(test)]
mod tests {
    use super::decision_model::DecisionModel;
    use super::*;
    use crate::patterns::LexerCache;

    fn cleaned(patterns: &str, text: &str) -> String {
        cleaned_with(&by_recurrence(), patterns, text)
    }

    fn cleaned_with(options: &CleanOptions, patterns: &str, text: &str) -> String {
        let yaml = format!(
            "dehusk: 1\nsource: s\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n{patterns}"
        );
        let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], options);
        cleaner.clean(&mut Scratch::default(), text).unwrap().strip(text)
    }

    /// Options with a model for which all text is boilerplate, or content.
    fn all_alike(log_odds: f32) -> CleanOptions {
        CleanOptions { decision: Some(Arc::new(DecisionModel::always(log_odds))), ..CleanOptions::default() }
    }

    fn by_recurrence() -> CleanOptions {
        CleanOptions { decision: None, ..CleanOptions::default() }
    }

    #[test]
    fn what_a_person_wrote_acts_and_cuts_no_word() {
        let foo = "  - {id: mine, regex: foo}\n";
        assert_eq!(cleaned(foo, "a foo, foobar and foo."), "a , foobar and .");
    }

    #[test]
    fn what_is_to_be_kept_stays_whatever_says_that_it_goes() {
        let keep =
            "keep:\n  - {text: 'By the sea'}\npatterns:\n  - {id: mine, status: accepted, regex: 'By [^\\n]*'}\n";
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\n";
        let file = PatternFile::parse(&format!("{yaml}{keep}"), &LexerCache::default()).unwrap();
        let text = format!("By the  sea, by Ann\n{STORY}\nBy the seaside\n");
        for method in [Method::Learned, Method::Union { merge_gap: 0 }] {
            let cleaner = Cleaner::new(&[&file], &CleanOptions { method, ..by_recurrence() });
            let cleaned = cleaner.clean(&mut Scratch::default(), &text).unwrap().strip(&text);
            assert_eq!(cleaned, format!("By the  sea\n{STORY}\n"));
        }
    }

    #[test]
    fn what_a_person_rejected_does_not() {
        assert_eq!(cleaned("  - {id: mine, status: rejected, regex: foo}\n", "a foo"), "a foo");
    }

    const STORY: &str = "The ferry was late again on Monday, and nobody on the quay knew why or until when.";

    #[test]
    fn an_accepted_headline_goes() {
        let text = format!("Mayor opens the new bridge\n{STORY}\n");
        let pattern = |status| {
            format!("  - {{id: mine, status: {status}, regex: Mayor opens the new bridge, documents: 2, among: 9}}\n")
        };
        assert_eq!(cleaned(&pattern("proposed"), &text), text);
        assert_eq!(cleaned(&pattern("accepted"), &text), format!("{STORY}\n"));
    }

    #[test]
    fn what_a_person_accepted_goes_whatever_the_model_says() {
        let text = format!("{STORY}\nNobody came.\n");
        let accepted = format!("  - {{id: mine, status: accepted, regex: '{}', documents: 2, among: 9}}\n", STORY);
        assert_eq!(cleaned_with(&all_alike(-60.0), &accepted, &text), "Nobody came.\n");
    }

    #[test]
    fn accepting_removes_what_matches_and_nothing_beside_it() {
        let text = format!("{STORY}\nShare this with us, or with them\nTags\nSend us your letters, please\n");
        let patterns = |status| {
            format!(
                "  - {{id: a, status: {status}, regex: Share this with us, documents: 1, among: 9}}\n  - {{id: b, status: {status}, regex: Send us your letters, documents: 1, among: 9}}\n"
            )
        };
        assert_eq!(cleaned(&patterns("proposed"), &text), text);
        assert_eq!(cleaned(&patterns("accepted"), &text), format!("{STORY}\n, or with them\nTags\n, please\n"));
    }

    #[test]
    fn of_accepted_matches_in_each_other_the_longest_says_why() {
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
            - {id: a, status: accepted, regex: News}\n  - {id: b, status: accepted, regex: Home News Sport}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
        let cleaning = cleaner.clean(&mut Scratch::default(), "Home News Sport\nA boat.\n").unwrap();
        let because =
            cleaning.spans[0].because.iter().map(|(bytes, pattern)| (bytes.clone(), &*cleaner.patterns()[*pattern].id));
        assert_eq!(because.collect::<Vec<_>>(), [(0..15, "b")]);
    }

    #[test]
    fn marks_alone_go_if_a_person_says_so() {
        let text = format!("• Salt, water\n• Flour\n{STORY}\n");
        assert_eq!(cleaned("  - {id: mine, regex: •}\n", &text), format!("Salt, water\nFlour\n{STORY}\n"));
        assert_eq!(cleaned("  - {id: mine, status: accepted, regex: ', '}\n", "Salt, water"), "Salt water");
    }

    #[test]
    fn a_mark_that_a_person_rejected_stays_beside_what_goes() {
        let rejected = "  - {id: other, status: rejected, regex: '---'}\n";
        let text = format!("{STORY}\n---\nHome News Sport\n");
        let accepted = "  - {id: mine, status: accepted, regex: Home News Sport}\n";
        assert_eq!(cleaned(accepted, &text), format!("{STORY}\n"));
        assert_eq!(cleaned(&format!("{accepted}{rejected}"), &text), format!("{STORY}\n---\n"));
    }

    #[test]
    fn who_goes_by_what_was_accepted_alone_asks_no_model() {
        let patterns = "  - {id: mine, status: accepted, regex: Home News Sport}\n";
        let text = format!("Home News Sport\nTags\n{STORY}\n");
        assert_eq!(cleaned_with(&all_alike(60.0), patterns, &text), "");
        let strict = CleanOptions { only_accepted: true, ..all_alike(60.0) };
        assert_eq!(cleaned_with(&strict, patterns, &text), format!("Tags\n{STORY}\n"));
    }

    #[test]
    fn a_rejected_regex_holds_the_model_back() {
        let patterns =
            "  - {id: mine, regex: Home News Sport}\n  - {id: other, status: rejected, regex: Tags of our town}\n";
        let text = format!("Home News Sport\n{STORY}\nTags of our town\n");
        assert_eq!(cleaned_with(&all_alike(60.0), patterns, &text), "Tags of our town\n");
    }

    #[test]
    fn in_a_source_unlike_all_others_recurrence_alone_decides() {
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 30, tokens: 9, cutoff: 0.5, tokenizer: words}\nunusual: 'it is verse'\npatterns:\n  \
            - {id: mine, regex: Home News Sport Tides, documents: 30, occurrences: 30}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let text = format!("Home News Sport Tides\n{STORY}\n");
        let cleaning = Cleaner::new(&[&file], &all_alike(60.0)).clean(&mut Scratch::default(), &text).unwrap();
        assert_eq!(cleaning.strip(&text), format!("{STORY}\n"));
        assert_eq!(cleaning.expected.lost, 0);
    }

    #[test]
    fn what_may_be_lost_is_told() {
        let text = format!("Home {STORY}\n");
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
            - {id: home, status: proposed, regex: Home, documents: 9, occurrences: 9}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let loss = |log_odds: f32| {
            let cleaning = Cleaner::new(&[&file], &all_alike(log_odds)).clean(&mut Scratch::default(), &text).unwrap();
            (cleaning.spans.len(), cleaning.expected.loss(), cleaning.expected.content)
        };
        assert_eq!(loss(-1.0).0, 0);
        assert_eq!(loss(-1.0).1, 0.0);
        // Each letter is content by one quarter, and all go.
        let (spans, lost, content) = loss(3f32.ln());
        assert_eq!((spans, lost), (1, 1.0));
        let ink = text.chars().filter(|c| !c.is_whitespace()).count() as u64;
        assert!(content.abs_diff(ink / 4) <= 1, "{content} of {ink}");
    }

    #[test]
    fn what_is_known_to_recur_is_evidence_like_a_match() {
        let text = format!("Home News Sport\n{STORY}\nSend us your letters by post\n");
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
            - {id: mine, status: accepted, regex: Home News Sport}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let weight =
            Weight { share: 0.9, documents: 20, occurrences: 20, holds_lines: true, beyond: 20.0, ..Weight::default() };
        let left = |options: &CleanOptions| {
            let cleaner = Cleaner::new(&[&file], options);
            let reading = cleaner.read(&mut Scratch::default(), &text).unwrap();
            let end = reading.tokens.tokens.len();
            let recurring = [Recurring { tokens: end - 6..end, weight }];
            cleaner.cleaning_with(&text, &reading, &recurring).strip(&text)
        };
        let options = by_recurrence();
        assert_eq!(left(&options), format!("{STORY}\n"));
        assert_eq!(
            left(&CleanOptions { method: Method::Union { merge_gap: 0 }, ..options.clone() }),
            format!("{STORY}\n")
        );
        let strict = CleanOptions { only_accepted: true, ..options };
        assert_eq!(left(&strict), format!("{STORY}\nSend us your letters by post\n"));
    }
}
