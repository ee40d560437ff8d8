//! Turns the segments that a stream has learned into templates that people can review.
//!
//! Takes the segments of sources with their texts. Gives templates as mining does: those of each source, and the shared
//! ones. A segment becomes a run of tokens, so its template matches in any place of a document. If it was a whole line,
//! it only matches whole lines. If a segment ends articles, so does its template.

use std::collections::BTreeMap;

use super::ends::EndPlaces;
use super::segments::{Described, SegmentKey, Standing};
use super::table::Entry;
use crate::mining::MineOptions;
use crate::mining::cross_source::MIN_SOURCES;
use crate::patterns::Template;
use crate::tokens::{Lexer, Piece, Token, TokenKind, TokenRun};

/// Minimum number of pages over which a segment was seen. With fewer, it may be the news of a day.
pub const MIN_PAGES_OF_TEMPLATE: u32 = 20;

/// The long-lived segments of a source as templates, sorted by run. They must be in enough documents, with a large
/// enough share of at least [`MIN_PAGES_OF_TEMPLATE`] pages, and have enough words unless they are whole lines.
///
/// `among` is the number of pages over which a segment was seen. If several segments differ only in their paths, the
/// one with the most documents counts. Their template ends articles only if each of them does.
pub fn long_lived(
    segments: impl IntoIterator<Item = (SegmentKey, Entry, Described)>,
    ends: &EndPlaces,
    lexer: &Lexer,
    options: &MineOptions,
) -> Vec<Template> {
    let mut lexer = lexer.clone();
    let mut templates: BTreeMap<TokenRun, Template> = BTreeMap::new();
    let lasting = segments.into_iter().filter(|(_, entry, _)| lasts(entry, options));
    for (key, template) in lasting.filter_map(|(key, entry, said)| Some((key, template(&entry, &said, &mut lexer)?))) {
        // A date or a number alone does not end articles.
        let ends_after = ends.words(key).filter(|_| has_word(&template));
        let template = Template { ends_after, ..template };
        if says_something(&template.run, options) {
            match templates.get_mut(&template.run) {
                Some(known) => *known = joined(known, template),
                None => drop(templates.insert(template.run.clone(), template)),
            }
        }
    }
    templates.into_values().collect()
}

/// Removes the shared templates from the sources' templates and returns them with the sums of their counts, sorted by
/// run. A template is shared if it has a word and at least [`MIN_SOURCES`] sources have it.
pub fn take_shared(sources: &mut [Vec<Template>]) -> Vec<Template> {
    let mut shared: BTreeMap<TokenRun, Template> = BTreeMap::new();
    for template in sources.iter().flatten().filter(|template| has_word(template)) {
        match shared.get_mut(&template.run) {
            Some(known) => add(known, template),
            None => drop(shared.insert(template.run.clone(), Template { ends_after: None, ..template.clone() })),
        }
    }
    shared.retain(|_, template| template.sources >= MIN_SOURCES);
    for source in sources {
        source.retain(|template| !shared.contains_key(&template.run));
    }
    shared.into_values().collect()
}

fn lasts(entry: &Entry, options: &MineOptions) -> bool {
    let share = f64::from(entry.documents) / f64::from(entry.pages());
    entry.pages() >= MIN_PAGES_OF_TEMPLATE
        && entry.documents as usize >= options.min_documents
        && share >= options.min_share
}

fn says_something(run: &TokenRun, options: &MineOptions) -> bool {
    run.has_whole_line() || run.half_words() >= 2 * options.min_words
}

fn has_word(template: &Template) -> bool {
    template.run.pieces().iter().any(Piece::is_word)
}

fn template(entry: &Entry, described: &Described, lexer: &mut Lexer) -> Option<Template> {
    let documents = entry.documents as usize;
    Some(Template {
        run: run(described, lexer)?,
        documents,
        among: entry.pages() as usize,
        // A page counts once.
        occurrences: documents,
        sources: 1,
        example: match described.standing {
            // Its regex needs text before it to match.
            Standing::Joined => format!("…{}", described.text),
            Standing::Line | Standing::Apart => described.text.clone(),
        },
        ends_after: None,
    })
}

/// The run of a segment. The text is tokenized by itself, and the ends of the run are then made the same as in the
/// document.
fn run(Described { text, standing, .. }: &Described, lexer: &mut Lexer) -> Option<TokenRun> {
    let tokens = lexer.tokens(text);
    let mut pieces: Vec<Piece> = tokens.iter().map(|token| piece(token, text)).collect();
    if *standing != Standing::Line {
        pieces.pop_if(|last| *last == Piece::Break);
        pieces.drain(..pieces.iter().take_while(|piece| **piece == Piece::Break).count());
    }
    if *standing == Standing::Joined
        && let Some(Piece::Literal { space_before, .. } | Piece::Slot { space_before, .. }) = pieces.first_mut()
    {
        *space_before = false;
    }
    TokenRun::new(pieces)
}

fn piece(token: &Token, text: &str) -> Piece {
    let space_before = token.space_before;
    match token.kind {
        TokenKind::Break => Piece::Break,
        TokenKind::Mutable(id) | TokenKind::Marks(id) => Piece::Slot { id, space_before },
        TokenKind::Word | TokenKind::Character => Piece::Literal { text: text[token.range()].into(), space_before },
    }
}

fn joined(one: &Template, other: Template) -> Template {
    let occurrences = one.occurrences + other.occurrences;
    let rank = |template: &Template| (template.documents, std::cmp::Reverse(template.among));
    let ends_after = one.ends_after.zip(other.ends_after).map(|(one, other)| one.max(other));
    let more = if rank(&other) > rank(one) { other } else { one.clone() };
    Template { occurrences, ends_after, ..more }
}

fn add(known: &mut Template, template: &Template) {
    known.documents += template.documents;
    known.among += template.among;
    known.occurrences += template.occurrences;
    known.sources += 1;
    if template.example < known.example {
        known.example.clone_from(&template.example);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cleaning::decide::article_end::LastPlace;
    use crate::patterns::PatternFile;
    use crate::patterns::regex::{Edges, render};
    use crate::streaming::evidence::Placed;
    use crate::streaming::table::Count;
    use crate::tokens::{MutablePattern, MutableSet, Tokenizer};

    fn lexer() -> Lexer {
        let number = MutablePattern { name: "number".to_owned(), regex: "[0-9]+".to_owned() };
        Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(vec![number]).unwrap()))
    }

    /// A segment in this many documents over this many pages.
    fn segment(text: &str, standing: Standing, documents: u32, pages: u32) -> (SegmentKey, Entry, Described) {
        let described = Described { path: String::new(), text: text.to_owned(), standing };
        (SegmentKey(7), Entry::stored(documents, 1, pages, true), described)
    }

    fn found(segments: &[(SegmentKey, Entry, Described)]) -> Vec<Template> {
        long_lived(segments.to_vec(), &EndPlaces::default(), &lexer(), &MineOptions::default())
    }

    fn written(templates: &[Template]) -> Vec<String> {
        templates.iter().map(|template| template.run.written(lexer().mutable())).collect()
    }

    #[test]
    fn segments_are_runs_that_stand_as_they_stood() {
        let segments = [Standing::Line, Standing::Apart, Standing::Joined].map(|standing| {
            let templates = found(&[segment("Read 3 more", standing, 20, 20)]);
            (written(&templates).concat(), templates[0].example.clone())
        });
        let expected = [
            ("⏎Read {number} more⏎", "Read 3 more"),
            ("Read {number} more", "Read 3 more"),
            ("…Read {number} more", "…Read 3 more"),
        ];
        assert_eq!(segments, expected.map(|(run, example)| (run.to_owned(), example.to_owned())));
    }

    #[test]
    fn examples_match() {
        for (text, standing) in [("Home", Standing::Line), ("(a b)", Standing::Apart), ("a b", Standing::Joined)] {
            let templates = found(&[segment(text, standing, 20, 20)]);
            let regex = render(&templates[0].run, &lexer(), Edges::Spaced);
            let file = PatternFile::of_templates("s", PatternFile::empty("s", &lexer()).mined, templates, &lexer());
            assert_eq!(file.check_examples(""), [], "{regex}");
        }
    }

    #[test]
    fn what_is_short_lived_rare_or_short_is_left_out() {
        let apart = Standing::Apart;
        let segments = [
            segment("two words", apart, 19, 19),
            segment("rare words", apart, 5, 101),
            segment("word", apart, 20, 20),
            segment("one 12", apart, 20, 20),
        ];
        assert_eq!(written(&found(&segments)), Vec::<String>::new());
        let segments = [
            segment("two words", apart, 19, 20),
            segment("rare words", apart, 5, 100),
            segment("word", Standing::Line, 20, 20),
        ];
        assert_eq!(written(&found(&segments)), ["⏎word⏎", "rare words", "two words"]);
    }

    #[test]
    fn of_equal_segments_the_one_with_most_documents_counts() {
        let line = Standing::Line;
        let templates = found(&[segment("Home", line, 30, 40), segment("Home", line, 50, 90)]);
        let counts = templates.iter().map(|found| (found.documents, found.among, found.occurrences));
        assert_eq!(counts.collect::<Vec<_>>(), [(50, 90, 80)]);
    }

    /// A segment that ends articles of these lengths in words. Half of the articles have comments after it.
    fn ends_before(key: SegmentKey, words: impl Iterator<Item = u32>) -> EndPlaces {
        let mut ends = EndPlaces::default();
        for words in words {
            let after = if words % 20 == 0 { 0.0 } else { 30.0 };
            let place = LastPlace {
                pattern: 0,
                start: 0,
                before: f64::from(words),
                after,
                longest_after: after,
                goes_on: after > 0.0,
            };
            ends.arrive(&[Placed { key, index: 0, count: Count { documents: 9, pages: 9 }, place }]);
        }
        ends
    }

    #[test]
    fn articles_end_before_what_they_end_before_wherever_it_stands() {
        let ends = ends_before(SegmentKey(7), (10..30).map(|number| 10 * number));
        let ends_after = |segments: &[(SegmentKey, Entry, Described)]| {
            let templates = long_lived(segments.to_vec(), &ends, &lexer(), &MineOptions::default());
            templates.iter().map(|template| template.ends_after).collect::<Vec<_>>()
        };
        let line = |text: &str, key: u64, documents| {
            let (_, entry, described) = segment(text, Standing::Line, documents, 50);
            (SegmentKey(key), entry, described)
        };
        assert_eq!(ends_after(&[line("Comments", 7, 20), line("Home", 8, 20)]), [Some(50), None]);
        assert_eq!(ends_after(&[line("Comments", 7, 20), line("Comments", 8, 30)]), [None], "one is no end");
        assert_eq!(ends_after(&[line("12", 7, 20)]), [None], "it says nothing");
        let mut sources =
            [1, 2, 3].map(|_| long_lived([line("Comments", 7, 20)], &ends, &lexer(), &MineOptions::default()));
        assert_eq!(take_shared(&mut sources)[0].ends_after, None, "what follows is another matter in each source");
    }

    #[test]
    fn what_three_sources_have_is_shared() {
        let line = |text: &str, documents| segment(text, Standing::Line, documents, 50);
        let own = |segments: &[(SegmentKey, Entry, Described)]| found(segments);
        let mut sources = [
            own(&[line("Share", 20), line("3", 20), line("Home", 20)]),
            own(&[line("Share", 30), line("3", 20), line("Home", 20)]),
            own(&[line("Share", 40), line("3", 20)]),
        ];
        let shared = take_shared(&mut sources);
        assert_eq!(written(&shared), ["⏎Share⏎"]);
        assert_eq!((shared[0].sources, shared[0].documents, shared[0].among), (3, 90, 150));
        assert_eq!(sources.map(|own| written(&own).len()), [2, 2, 1]);
    }
}
