//! Adjusts the edges of cuts, so that no marks are left alone or lost.
//!
//! Earlier steps label tokens, but do not know which marks belong together in print. Takes the labels of a document's
//! tokens and changes the labels of marks, never those of words:
//!
//! - Marks are kept if the word that they are attached to is kept: the full stop after a sentence, the dash before the
//!   entry of a list.
//! - Brackets and quotation marks are kept or removed in pairs: if only one of the two is removed so far, the other one
//!   is removed as well if all text between them is; otherwise both are kept.
//! - A line without a word is removed with the text beside it. A row of a table without a word is also removed if the
//!   document begins or ends with it.

use std::ops::Range;

use crate::cleaning::reading::layout::Layout;
use crate::cleaning::reading::matcher::Tokens;

/// Adjusts the labels. True means removed.
pub fn adjust(text: &str, tokens: &Tokens, layout: &Layout, goes: &mut [bool]) {
    if goes.iter().all(|&goes| goes) || goes.iter().all(|&goes| !goes) {
        return;
    }
    let page = Page { text, tokens, layout };
    for line in layout.lines.iter() {
        if is_cut(goes, &line) {
            page.keep_marks_of_words(&line, goes);
            page.pair_brackets(&line, goes);
        }
    }
    page.remove_bare_lines(goes);
}

/// Whether only a part of the line is removed.
fn is_cut(goes: &[bool], line: &Range<usize>) -> bool {
    goes[line.clone()].iter().any(|&token| token != goes[line.start])
}

struct Page<'d> {
    text: &'d str,
    tokens: &'d Tokens,
    layout: &'d Layout,
}

impl Page<'_> {
    fn is_word(&self, token: usize) -> bool {
        self.layout.says_something(token)
    }

    fn mark(&self, token: usize) -> &str {
        &self.text[self.tokens.tokens[token].range()]
    }

    /// Keeps the marks before the first word of a line if this word is kept, and the marks after the last word if that
    /// word is kept. Also keeps closing marks directly after kept text.
    fn keep_marks_of_words(&self, line: &Range<usize>, goes: &mut [bool]) {
        let Some(first) = line.clone().find(|&token| self.is_word(token)) else { return };
        let last = line.clone().rfind(|&token| self.is_word(token)).unwrap_or(first);
        if !goes[first] {
            goes[line.start..first].fill(false);
        }
        if !goes[last] {
            goes[last..line.end].fill(false);
        }
        for token in first + 1..last {
            let follows = !self.tokens.tokens[token].space_before && !self.is_word(token) && !goes[token - 1];
            if follows && goes[token] && ENDS.contains(self.mark(token)) {
                goes[token] = false;
            }
        }
    }

    /// Gives both brackets of a pair the same label. The time is linear, however many brackets there are.
    fn pair_brackets(&self, line: &Range<usize>, goes: &mut [bool]) {
        let mut open: Vec<OpenBracket> = Vec::new();
        let mut open_of_kind = [0; KINDS];
        // Number of tokens so far that are kept, without brackets.
        let mut staying = 0;
        for token in line.clone() {
            let mark = if self.is_word(token) { None } else { self.mark(token).chars().next() };
            let kind = |marks: &str| mark.and_then(|mark| marks.chars().position(|other| other == mark));
            if let Some(kind) = kind(OPENING) {
                open.push(OpenBracket { token, kind, staying });
                open_of_kind[kind] += 1;
            } else if let Some(kind) = kind(CLOSING) {
                // Brackets that were opened later and are still open have no partner.
                while open_of_kind[kind] > 0 {
                    let Some(last) = open.pop() else { break };
                    open_of_kind[last.kind] -= 1;
                    if last.kind == kind {
                        if goes[last.token] != goes[token] {
                            let all_between_goes = last.staying == staying;
                            goes[last.token] = all_between_goes;
                            goes[token] = all_between_goes;
                        }
                        break;
                    }
                }
            } else if !goes[token] {
                staying += 1;
            }
        }
    }

    /// Removes lines without a word: those beside removed text, and rows of a table at the start or the end of the
    /// document.
    fn remove_bare_lines(&self, goes: &mut [bool]) {
        let lines = &self.layout.lines;
        let is_bare = |line: &usize| !lines.tokens(*line).any(|token| self.is_word(token));
        let mut line = 0;
        while line < lines.len() {
            let count = (line..lines.len()).take_while(is_bare).count();
            if count > 0 {
                let (start, end) = (lines.tokens(line).start, lines.tokens(line + count - 1).end);
                let sides = [start.checked_sub(1), Some(end)].map(|beside| Some(*goes.get(beside?)?));
                let is_beside = sides.contains(&Some(true)) || goes[start..end].contains(&true);
                let is_end_of_table = sides.contains(&None) && (start..end).any(|token| self.mark(token) == "|");
                if is_beside || is_end_of_table {
                    goes[start..end].fill(true);
                }
            }
            line += count.max(1);
        }
    }
}

/// A bracket or quotation mark whose partner was not found yet.
struct OpenBracket {
    token: usize,
    kind: usize,
    /// Number of tokens before it that are kept.
    staying: usize,
}

/// Marks that belong to the word before them.
const ENDS: &str = ".,;:!?…)]}”’»。，、；：！？」』）】";
/// The opening marks of pairs, and the closing ones in the same order.
const OPENING: &str = "([{“«「『（【";
const CLOSING: &str = ")]}”»」』）】";
const KINDS: usize = 9;

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    /// Calls `look` for a text with its tokens and labels. The text between `<` and `>` is labelled as removed.
    fn look<T>(marked: &str, look: impl FnOnce(&str, &Tokens, &Layout, &mut [bool]) -> T) -> T {
        let (mut text, mut goes_at, mut goes) = (String::new(), Vec::new(), false);
        for c in marked.chars() {
            match c {
                '<' => goes = true,
                '>' => goes = false,
                c => {
                    text.push(c);
                    goes_at.resize(text.len(), goes);
                }
            }
        }
        let mut lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let tokens = Tokens::of(&text, &mut lexer);
        let layout = Layout::of(&text, &tokens);
        let mut goes: Vec<bool> = tokens.tokens.iter().map(|token| goes_at[token.range().start]).collect();
        look(&text, &tokens, &layout, &mut goes)
    }

    /// The tokens that are kept.
    fn left(marked: &str) -> String {
        look(marked, |text, tokens, layout, goes| {
            adjust(text, tokens, layout, goes);
            let mut left = String::new();
            for (index, token) in tokens.tokens.iter().enumerate().filter(|(index, _)| !goes[*index]) {
                let before = if tokens.line_starts[index] { "\n" } else { " " };
                let is_apart = !left.is_empty() && (token.space_before || tokens.line_starts[index]);
                left.push_str(if is_apart { before } else { "" });
                left.push_str(&text[token.range()]);
            }
            left
        })
    }

    #[test]
    fn the_full_stop_of_a_sentence_stays_with_it() {
        assert_eq!(left("The ferry came<. Read more>"), "The ferry came.");
        assert_eq!(left("He said \"Go<.\" Read more>"), "He said \"Go.");
        assert_eq!(left("<Read more>. The ferry came."), ". The ferry came.");
        assert_eq!(left("The ferry<, a boat,> came"), "The ferry, came");
    }

    #[test]
    fn the_dash_of_a_list_stays_with_its_entry() {
        assert_eq!(left("<- >Salt\n<- >Flour\n<Read more>"), "- Salt\n- Flour");
        assert_eq!(left("<- Salt\n->Flour"), "-Flour");
    }

    #[test]
    fn what_closes_a_line_stays_with_its_last_word() {
        assert_eq!(left("<Home> The ferry came < »>"), "The ferry came »");
    }

    #[test]
    fn brackets_stay_or_go_in_pairs() {
        assert_eq!(left("<Read (>more<) here>"), "(more)", "between them stays a word");
        assert_eq!(left("The ferry <(Read more>) came"), "The ferry came", "all between them goes");
        assert_eq!(left("The ferry (<Read more) now> came"), "The ferry came");
        assert_eq!(left("<A 「>雨<」 B>"), "「雨」");
        assert_eq!(left("A (<b (>c<) d>) e"), "A ( (c)) e", "pairs inside pairs");
        assert_eq!(left("A <(b> c"), "A c", "no partner");
    }

    #[test]
    fn a_line_without_a_word_goes_with_the_text_beside_it() {
        assert_eq!(left("<Home\n>***\nThe ferry came.\n"), "The ferry came.");
        assert_eq!(left("The ferry came.\n***\nIt left.\n<Home>\n"), "The ferry came.\n***\nIt left.");
        assert_eq!(left("The ferry came.\n---\n--\n<Home>\n"), "The ferry came.");
    }

    #[test]
    fn where_nothing_or_all_goes_nothing_changes() {
        assert_eq!(left("Home (\n***\n"), "Home (\n***");
        assert_eq!(left("<Home (\n***\n>"), "");
    }

    #[test]
    fn very_many_brackets_take_linear_time() {
        let many = 100_000;
        let start = Instant::now();
        let brackets = ["(".repeat(many), "]".repeat(many), ")".repeat(many)].concat();
        left(&format!("<a {brackets}> b {brackets}"));
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn words_are_never_changed(
            parts in prop::collection::vec(
                (prop::sample::select(&["a", "b c", ".", ", ", " (", ") ", "「", "」", "\"", "\n", "\n- ", " | ", "\n***\n", "12", "雨"][..]), any::<bool>()),
                0..40,
            ),
        ) {
            let marked: String = parts.iter().map(|(part, goes)| if *goes { format!("<{part}>") } else { (*part).to_owned() }).collect();
            look(&marked, |text, tokens, layout, goes| {
                let before = goes.to_vec();
                adjust(text, tokens, layout, goes);
                for token in 0..goes.len() {
                    let is_word = text[tokens.tokens[token].range()].chars().any(char::is_alphanumeric);
                    prop_assert!(!is_word || goes[token] == before[token], "{token} in {marked:?}");
                }
                let some = |goes: &[bool]| goes.iter().any(|&goes| goes);
                prop_assert!(some(&before) || !some(goes), "nothing was cut of {marked:?}");
                Ok(())
            })?;
        }
    }
}
