//! Texts that mix scripts with and without spaces, from left to right and from right to left.

use std::collections::BTreeSet;
use std::ops::Range;

use dehusk_core::cleaning::reading::matcher::TokenAutomaton;
use dehusk_core::cleaning::spans::cutting::cuts;
use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::cut::strip;
use dehusk_core::patterns::regex::{Edges, render};
use dehusk_core::patterns::{LexerCache, PatternFile};
use dehusk_core::tokens::characters::{is_mark, is_run_character};
use dehusk_core::tokens::{DocumentIndex, Lexer, Piece, SymbolSequence, Token, TokenKind, TokenRun};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::engines::{Job, by_fancy_regex, by_pcre2, by_python};
use crate::random::{config, lexer, without_mutable};
use crate::reading::by_automaton;

/// Without marks: engines do not agree on whether these are word characters.
const PLAIN: &[&str] = &[
    "手",
    "報道",
    "の",
    "カー",
    "ﾆｭ",
    "ไทย",
    "한국",
    "AB",
    "a",
    "é",
    "й",
    "12",
    "３",
    "٣",
    "عربي",
    "שלום",
    "。",
    "、",
    "（",
    ",",
    "-",
    " ",
    " ",
    "\u{3000}",
    "\n",
    "\u{200f}",
    "\u{2066}",
    "〆",
    "㐀",
    "𠀀",
];

/// Each a character or a word as its reader sees it, with all its marks.
const MARKED: &[&str] = &[
    "e\u{301}",
    "か\u{3099}",
    "น้ำ",
    "ที่",
    "हिन्दी",
    "שָׁלוֹם",
    "عَرَبِيّ",
    "می\u{200c}شود",
    "❤\u{fe0f}",
    "👨\u{200d}👩\u{200d}👧",
    "🇯🇵",
    "葛\u{e0100}",
    "5\u{fe0f}\u{20e3}",
];

fn plain_text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PLAIN), 1..20).prop_map(|pieces| pieces.concat())
}

fn marked_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![2 => select(PLAIN), 1 => select(MARKED)];
    prop::collection::vec(piece, 1..20).prop_map(|pieces| pieces.concat())
}

fn numbers() -> Lexer {
    lexer("words", &[("number", "[0-9０-９]+")])
}

fn tokens(text: &str, mut lexer: Lexer) -> Vec<Token> {
    let mut tokens = lexer.tokens(text);
    tokens.retain(|token| token.kind != TokenKind::Break);
    tokens
}

/// A run of a text's tokens, and the bytes it was cut from.
fn cut_out(text: &str, start: Index, length: usize, lexer: &Lexer) -> Option<(TokenRun, (usize, usize))> {
    let sequence = SymbolSequence::of_texts(&[text], lexer).unwrap();
    let all = lexer.clone().tokens(text);
    let document = sequence.document(DocumentIndex(0));
    let start = start.index(document.len());
    let positions = start..document.end.min(start + length);
    let run = sequence.run(positions.clone());
    let mut kept = all[positions].iter().filter(|token| token.kind != TokenKind::Break);
    let first = kept.next()?;
    let last = kept.next_back().unwrap_or(first);
    Some((run, (first.range().start, last.range().end)))
}

/// Whether the run starts with a word right behind a mark that stands on no word: there its regex sees a word run on.
fn starts_behind_mark(run: &TokenRun, text: &str, start: usize) -> bool {
    run.pieces()[0] != Piece::Break && text[..start].ends_with(is_mark)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tokens_part_neither_words_nor_characters(text in marked_text()) {
        for lexer in [without_mutable("words"), numbers()] {
            let tokens = tokens(&text, lexer);
            let covered: usize = tokens.iter().map(|token| token.range().len()).sum();
            prop_assert_eq!(covered, text.chars().filter(|c| !c.is_whitespace()).map(char::len_utf8).sum::<usize>());
            for pair in tokens.windows(2).filter(|pair| pair[0].end == pair[1].start) {
                let (left, right) = (&text[pair[0].range()], &text[pair[1].range()]);
                prop_assert!(!right.starts_with(is_mark), "{left:?} | {right:?}");
                let parts_word = left.ends_with(is_run_character) && !left.ends_with(is_mark) && right.starts_with(is_run_character);
                prop_assert!(!parts_word, "{left:?} | {right:?}");
            }
        }
    }

    #[test]
    fn a_run_is_found_where_it_was_cut_out(text in marked_text(), start: Index, length in 1usize..6) {
        for lexer in [without_mutable("words"), numbers()] {
            let Some((run, span)) = cut_out(&text, start, length, &lexer) else { continue };
            if starts_behind_mark(&run, &text, span.0) {
                continue;
            }
            let automaton = TokenAutomaton::new([(0, &run, Edges::Unspaced)], lexer.tokenizer());
            let by_tokens = &by_automaton(&automaton, 1, &text, &mut lexer.clone())[0];
            let regex = render(&run, &lexer, Edges::Unspaced);
            let by_regex = &by_fancy_regex(&regex, std::slice::from_ref(&text))[0];
            prop_assert!(by_tokens.contains(&span), "{regex} is not found at {span:?} of {text:?}");
            prop_assert!(by_tokens.is_subset(by_regex), "{regex} on {text:?}");
        }
    }

    #[test]
    fn pcre2_finds_the_same_in_mixed_scripts(texts in prop::collection::vec(plain_text(), 1..4), start: Index, length in 1usize..6) {
        for regex in regexes(&texts[0], start, length) {
            prop_assert_eq!(by_pcre2(&regex, &texts), by_fancy_regex(&regex, &texts), "{}", regex);
        }
    }

    #[test]
    fn what_a_cut_leaves_is_read_as_before(text in marked_text(), bounds in prop::collection::btree_set(0usize..40, 0..6)) {
        let tokens = tokens(&text, without_mutable("words"));
        let spans = token_ranges(&tokens, &bounds);
        let cut: Vec<Range<usize>> = spans.iter().map(|span| tokens[span.start].range().start..tokens[span.end - 1].range().end).collect();
        let stripped = strip(&text, &cuts(&text, &cut));
        let is_kept = |index: &usize| !spans.iter().any(|span| span.contains(index));
        let kept: Vec<&str> = (0..tokens.len()).filter(is_kept).map(|index| &text[tokens[index].range()]).collect();
        let read = self::tokens(&stripped, without_mutable("words"));
        let read: Vec<&str> = read.iter().map(|token| &stripped[token.range()]).collect();
        prop_assert_eq!(read, kept, "{:?} of {:?}", stripped, text);
        prop_assert!(spaces(&stripped) <= spaces(&text) + kept_apart(&tokens, &spans, &text), "{stripped:?} of {text:?}");
    }
}

fn spaces(text: &str) -> usize {
    text.chars().filter(|c| c.is_whitespace()).count()
}

/// Between how many kept tokens a space is needed where they were apart: words of scripts with spaces.
fn kept_apart(tokens: &[Token], spans: &[Range<usize>], text: &str) -> usize {
    let needs_space = |span: &&Range<usize>| {
        let is_word = |index: Option<usize>| {
            index
                .and_then(|index| tokens.get(index))
                .is_some_and(|token| text[token.range()].contains(is_run_character))
        };
        is_word(span.start.checked_sub(1)) && is_word(Some(span.end))
    };
    spans.iter().filter(needs_space).count()
}

/// Ranges of tokens between the bounds, taken in pairs.
fn token_ranges(tokens: &[Token], bounds: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let bounds: Vec<usize> = bounds.iter().map(|&bound| bound.min(tokens.len())).collect();
    bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).filter(|range| !range.is_empty()).collect()
}

/// A run of the text with either kind of edges.
fn regexes(text: &str, start: Index, length: usize) -> Vec<String> {
    let lexer = numbers();
    let run = cut_out(text, start, length, &lexer).map(|(run, _)| run);
    let rendered = |run: &TokenRun| [Edges::Spaced, Edges::Unspaced].map(|edges| render(run, &lexer, edges)).to_vec();
    run.as_ref().map(rendered).unwrap_or_default()
}

#[test]
fn python_finds_the_same_in_mixed_scripts() {
    let cases = (prop::collection::vec(plain_text(), 1..4), any::<Index>(), 1usize..6);
    let mut runner = TestRunner::deterministic();
    let cases: Vec<(Vec<String>, Vec<String>)> = (0..400)
        .map(|_| cases.new_tree(&mut runner).unwrap().current())
        .map(|(texts, start, length)| (regexes(&texts[0], start, length), texts))
        .collect();
    let jobs: Vec<Job> = cases.iter().map(|(regexes, texts)| Job { regexes, texts }).collect();
    for (Job { regexes, texts }, found) in jobs.iter().zip(by_python(&jobs).iter().flatten()) {
        for (regex, found) in regexes.iter().zip(found) {
            assert_eq!(found, &by_fancy_regex(regex, texts), "{regex} on {texts:?}");
        }
    }
}

#[test]
fn an_edge_may_adjoin_a_script_without_spaces_and_no_other() {
    let lexer = numbers();
    let text = "来源ABC 5人 ไทย3ครั้ง".to_owned();
    let sequence = SymbolSequence::of_texts(&[&text], &lexer).unwrap();
    let run = sequence.run(3..5);
    assert_eq!(run.pieces()[1], Piece::Slot { id: lexer.mutable().find("number").unwrap(), space_before: true });
    let regex = render(&run, &lexer, Edges::of_runs([&sequence.run(1..3)]));
    let texts =
        ["来源ABC 5人", "來源ABC 5回", "ไทยABC 5ครั้ง", "xABC 5人", "来源ABC 5명", "来源ABC 5x"].map(str::to_owned);
    let found: Vec<bool> = by_fancy_regex(&regex, &texts).iter().map(|spans| !spans.is_empty()).collect();
    assert_eq!(found, [true, true, true, false, false, false], "{regex}");
    assert_eq!(by_pcre2(&regex, &texts), by_fancy_regex(&regex, &texts));
}

/// The document without what a pattern matches that stands in so many documents of 25.
fn cleaned(regex: &str, documents: usize, text: &str) -> String {
    let yaml = format!(
        "dehusk: 1\nsource: s\nmined: {{documents: 25, tokens: 9, cutoff: 0.5, tokenizer: words}}\n\
         patterns:\n  - {{id: a, regex: '{regex}', documents: {documents}, occurrences: {documents}}}\n"
    );
    let file = PatternFile::parse(&yaml, &LexerCache::default()).unwrap();
    let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
    cleaner.clean(&mut Scratch::default(), text).unwrap().strip(text)
}

#[test]
fn a_sentence_ends_without_a_space_where_none_is_written() {
    let told = "三毛猫は朝の便で小島に渡った。昼過ぎに浜で大きな魚をもらった。夕方の便で駅の前に帰ってきた。";
    let text = format!("今日の話。\n{told}\n終わり。\n");
    assert_eq!(cleaned(told, 2, &text), text, "a story in two documents stays");
    let menu = "猫・島・昼過ぎ・魚・夕方・地域・社会・政治・経済・教育";
    assert_eq!(cleaned(menu, 25, &format!("今日の話。\n終わり。\n{menu}\n")), "今日の話。\n終わり。\n");
}
