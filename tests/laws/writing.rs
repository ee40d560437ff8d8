//! What is written down is read back: runs as regexes, pattern files as YAML.

use std::collections::HashSet;

use dehusk_core::patterns::file::MinedFrom;
use dehusk_core::patterns::regex::{Edges, parse, render};
use dehusk_core::patterns::{Form, ID_DIGITS, Keep, LexerCache, Loose, Pattern, PatternFile, Status, form, id_of};
use dehusk_core::tokens::{Lexer, SymbolSequence, TokenRun};
use proptest::prelude::*;
use proptest::sample::select;

use crate::random::{LEXERS, Scissors, config, cut_runs, lexer, odd_text, scissors, slotted_runs, text, varying_text};
use crate::samples;

/// A text of few pieces or of odd characters.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![text(), odd_text()]
}

/// Runs with free stretches and without.
fn any_runs(texts: &[String], scissors: &[Scissors], lexer: &Lexer) -> Vec<TokenRun> {
    let mut runs = cut_runs(texts, scissors, lexer);
    runs.extend(slotted_runs(texts, scissors, lexer));
    runs
}

fn any_lexer() -> impl Strategy<Value = &'static Lexer> {
    select(LEXERS.iter().collect::<Vec<&Lexer>>())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn runs_are_read_back(texts in prop::collection::vec(any_text(), 1..3), scissors in scissors(1..8), lexer in any_lexer()) {
        for run in any_runs(&texts, &scissors, lexer) {
            for edges in [Edges::Spaced, Edges::Unspaced] {
                let regex = render(&run, lexer, edges);
                prop_assert!(fancy_regex::Regex::new(&regex).is_ok(), "{}", regex);
                prop_assert_eq!(parse(&regex, lexer), Some(run.clone()), "{}", regex);
            }
        }
    }

    #[test]
    fn runs_with_shipped_mutable_patterns_are_read_back(
        text in varying_text(),
        scissors in scissors(1..8),
    ) {
        let lexer = samples::lexer();
        for run in cut_runs(&[text], &scissors, &lexer) {
            let regex = render(&run, &lexer, Edges::of_runs([&run]));
            prop_assert_eq!(parse(&regex, &lexer), Some(run), "{}", regex);
        }
    }

    #[test]
    fn different_runs_are_written_differently(texts in prop::collection::vec(any_text(), 1..3), scissors in scissors(2..8), lexer in any_lexer()) {
        let runs = any_runs(&texts, &scissors, lexer);
        let mutable = lexer.mutable();
        for (a, b) in runs.iter().flat_map(|a| runs.iter().map(move |b| (a, b))) {
            prop_assert_eq!(a == b, a.written(mutable) == b.written(mutable));
            prop_assert_eq!(a == b, render(a, lexer, Edges::Unspaced) == render(b, lexer, Edges::Unspaced));
            prop_assert_eq!(a == b, id_of(a, mutable, 16) == id_of(b, mutable, 16));
        }
    }

    #[test]
    fn files_are_read_back(file in file()) {
        let yaml = file.to_yaml();
        let read = PatternFile::parse(&yaml, &LexerCache::default());
        prop_assert!(read.is_ok(), "{:?} in\n{}", read.unwrap_err(), yaml);
        let read = read.unwrap();
        prop_assert_eq!(read.to_yaml(), yaml);
        prop_assert_eq!((&read.source, &read.mined), (&file.source, &file.mined));
        prop_assert_eq!(read.lexer.tokenizer().name(), file.lexer.tokenizer().name());
        let counts = |file: &PatternFile| (file.patterns.len(), file.evidence.len());
        prop_assert_eq!(counts(&read), counts(&file));
        for (read, written) in read.all().zip(file.all()) {
            prop_assert_eq!(facts(read), facts(written));
            prop_assert_eq!(format!("{:?}", read.form), format!("{:?}", written.form));
        }
    }
}

/// All of a pattern but its form, which follows from id and regex.
type Facts<'p> = (&'p str, Status, &'p str, [usize; 3], [Option<usize>; 2], &'p str, &'p str);

fn facts(pattern: &Pattern) -> Facts<'_> {
    let Pattern { id, status, regex, documents, among, occurrences, sources, ends_after, example, note, .. } = pattern;
    (id, *status, regex, [*documents, *among, *occurrences], [*sources, *ends_after], example, note)
}

/// A pattern of a random file.
#[derive(Clone, Debug)]
struct Entry {
    origin: Origin,
    status: Status,
    example: String,
    note: String,
    counts: [u16; 4],
}

#[derive(Clone, Debug)]
enum Origin {
    Mined(Scissors),
    /// A person's, for this very text.
    Own {
        id: String,
        text: String,
    },
}

fn entry() -> impl Strategy<Value = Entry> {
    let origin = prop_oneof![
        3 => scissors(1..2).prop_map(|mut one| Origin::Mined(one.remove(0))),
        1 => (odd_text(), odd_text()).prop_map(|(id, text)| Origin::Own { id, text }),
    ];
    let status = select(&[Status::Proposed, Status::Accepted, Status::Rejected][..]);
    let entry = |(origin, status, example, note, counts)| Entry { origin, status, example, note, counts };
    (origin, status, any_text(), any_text(), any::<[u16; 4]>()).prop_map(entry)
}

/// A canonical pattern file with anything that may stand in one.
fn file() -> impl Strategy<Value = PatternFile> {
    let shares = (0.0..=1.0, prop::option::of(0.0..=1.0));
    let facts =
        (any::<u32>(), any::<u16>(), any::<u32>(), shares, prop::collection::btree_map(0u8..100, any::<u64>(), 0..4));
    let mined = facts.prop_map(|(documents, twice, tokens, (cutoff, removed), histogram)| MinedFrom {
        documents: documents as usize,
        near_duplicates: twice.into(),
        snapshots: twice % 2 == 1,
        tokens: tokens as usize,
        cutoff,
        removed,
        histogram,
    });
    let heading = select(&["", "# one\n#two\n"][..]);
    let keep = prop::collection::btree_map(any_text(), any_text(), 0..3)
        .prop_map(|texts| texts.iter().filter_map(|(text, note)| Keep::new(text, note).ok()).collect::<Vec<Keep>>());
    let source = (heading, any_text(), keep);
    let texts = prop::collection::vec(any_text(), 1..3);
    let entries = prop::collection::vec(entry(), 0..6);
    (source, mined, texts, any_lexer(), entries).prop_map(|((heading, source, keep), mined, texts, lexer, entries)| {
        let heading = heading.to_owned();
        let mut ids = HashSet::new();
        let mut patterns: Vec<Pattern> = entries.into_iter().filter_map(|entry| entry.pattern(&texts, lexer)).collect();
        patterns.retain(|pattern| ids.insert(pattern.id.clone()));
        let unusual = mined.removed.map(|_| heading.trim().to_owned());
        // Evidence has no example, and nobody touched it.
        let is_evidence = |pattern: &mut Pattern| {
            pattern.sources.is_some() && !pattern.is_touched() && matches!(pattern.form, Form::Run(_))
        };
        let evidence = patterns.extract_if(.., is_evidence);
        let evidence = evidence.map(|pattern| Pattern { example: String::new(), removes: None, ..pattern }).collect();
        let mut file = PatternFile {
            heading,
            source,
            mined,
            unusual,
            loose: Loose::default(),
            keep,
            patterns,
            evidence,
            lexer: lexer.clone(),
        };
        file.sort();
        file.keep.dedup_by(|a, b| a.text() == b.text());
        file
    })
}

impl Entry {
    fn pattern(self, texts: &[String], lexer: &Lexer) -> Option<Pattern> {
        let Entry { origin, status, example, note, counts } = self;
        let [documents, among, occurrences, sources] = counts.map(usize::from);
        let (id, regex) = match origin {
            Origin::Own { id, text } => (id, fancy_regex::escape(&text).into_owned()),
            Origin::Mined(scissors) => {
                let run = cut_runs(texts, &[scissors], lexer).pop()?;
                (id_of(&run, lexer.mutable(), ID_DIGITS), render(&run, lexer, Edges::of_runs([&run])))
            }
        };
        let form = form(&id, &regex, lexer).unwrap();
        Some(Pattern {
            id,
            status,
            regex,
            form,
            documents,
            among,
            occurrences,
            sources: (sources % 2 == 0).then_some(sources),
            removes: None,
            ends_after: (sources % 3 == 0).then_some(documents),
            example,
            note,
        })
    }
}

/// The run of a text's tokens, the line breaks at its ends included.
fn whole_run(text: &str, lexer: &Lexer) -> TokenRun {
    let sequence = SymbolSequence::of_texts(&[text], lexer).unwrap();
    sequence.run(0..sequence.tokens())
}

#[test]
fn ids_are_the_same_for_ever() {
    let numbers = lexer("words", &[("number", "[0-9]+")]);
    let id = |text: &str| id_of(&whole_run(text, &numbers), numbers.mutable(), 16);
    assert_eq!([id("Read more"), id("12 responses"), id("a {b} …\n⏎")], PINNED);
}

/// Pattern files out there have them.
const PINNED: [&str; 3] = ["015fcc75793f726a", "dd279c7545dee833", "9b675c233d6b2c5b"];

#[test]
fn a_better_regex_for_a_mutable_pattern_leaves_the_ids_alone() {
    let (plain, better) =
        (lexer("words", &[("number", "[0-9]+")]), lexer("words", &[("number", "[0-9]+(?:,[0-9]+)*")]));
    let id = |lexer: &Lexer| id_of(&whole_run("12 responses", lexer), lexer.mutable(), ID_DIGITS);
    assert_eq!(id(&plain), id(&better));
    let renamed = lexer("words", &[("count", "[0-9]+")]);
    assert_ne!(id(&plain), id(&renamed));
}

#[test]
fn a_mutable_pattern_is_not_taken_for_another_of_the_same_regex() {
    let lexer = lexer("words", &[("number", "[0-9]+"), ("count", "[0-9]+")]);
    let run = whole_run("12 responses", &lexer);
    assert_eq!(parse(&render(&run, &lexer, Edges::Spaced), &lexer), Some(run));
}

#[test]
fn the_sample_files_are_canonical() {
    for file in samples::SAMPLES.sources.iter().map(|sample| &sample.patterns) {
        let yaml = file.to_yaml();
        assert_eq!(PatternFile::parse(&yaml, &LexerCache::default()).unwrap().to_yaml(), yaml);
    }
}
