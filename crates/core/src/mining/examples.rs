//! Finds an occurrence of each candidate as it is written in its document.
//!
//! A run of tokens does not have the original white space and the texts that mutable patterns matched. An example shows
//! both.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::Candidate;
use super::repeats::Interval;
use super::suffix_array::SuffixArray;
use crate::tokens::{DocumentIndex, Lexer, SymbolSequence, Token, TokenKind};

/// The position of one occurrence of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The document.
    pub document: DocumentIndex,
    /// The range of its tokens in the document. Line breaks and the document's ends count as tokens.
    pub tokens: Range<usize>,
}

impl Example {
    pub(super) fn of(sequence: &SymbolSequence, array: &SuffixArray, repeat: &Interval) -> Example {
        let start = array.position(repeat.first);
        Example::at(sequence, start..start + repeat.len)
    }

    /// The example at these positions, which must be in one document.
    pub(super) fn at(sequence: &SymbolSequence, positions: Range<usize>) -> Example {
        let document = sequence.document_at(positions.start);
        let first = sequence.document(document).start;
        Example { document, tokens: positions.start - first..positions.end - first }
    }
}

/// Copies the examples from the texts into the candidates. Each document is read once.
pub fn quote_examples<T: AsRef<str> + Sync>(
    candidates: &mut [Candidate],
    examples: &[Example],
    texts: &[T],
    lexer: &Lexer,
) {
    let mut of_document: BTreeMap<DocumentIndex, Vec<usize>> = BTreeMap::new();
    for (index, example) in examples.iter().enumerate() {
        of_document.entry(example.document).or_default().push(index);
    }
    let of_document: Vec<(DocumentIndex, Vec<usize>)> = of_document.into_iter().collect();
    let quote_chunk = |documents: &[(DocumentIndex, Vec<usize>)]| {
        let mut lexer = lexer.clone();
        let mut quotes = Vec::new();
        for (document, indices) in documents {
            let text = texts[document.0 as usize].as_ref();
            let tokens = lexer.tokens(text);
            quotes
                .extend(indices.iter().map(|&index| (index, quote(text, &tokens, &examples[index].tokens).to_owned())));
        }
        quotes
    };
    // A cloned lexer is slow at first, so each is used for many documents.
    let share = of_document.len() / rayon::current_num_threads() + 1;
    let quotes: Vec<Vec<(usize, String)>> = of_document.par_chunks(share).map(quote_chunk).collect();
    quotes.into_iter().flatten().for_each(|(index, quote)| candidates[index].example = quote);
}

/// The text of a range of tokens, without the line breaks at its ends.
fn quote<'t>(text: &'t str, tokens: &[Token], range: &Range<usize>) -> &'t str {
    let is_text = |token: &&Token| token.kind != TokenKind::Break;
    let tells = tokens[range.clone()].iter().find(is_text).zip(tokens[range.clone()].iter().rfind(is_text));
    let Some((first, last)) = tells else { return "" };
    &text[first.range().start..last.range().end]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::mining::{MineOptions, mine_texts};
    use crate::tokens::{Lexer, MutableSet, Tokenizer};

    #[test]
    fn an_example_is_exactly_the_run() {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        let page = |number: usize| {
            let word = char::from(b'a' + number as u8).to_string().repeat(5);
            format!("{word}(Read  more of {number} stories here){word}\nAll rights\n\nreserved {word}\n")
        };
        let texts: Vec<String> = (0..6).map(page).collect();
        let mined = mine_texts(&texts, &lexer, &MineOptions { slots: false, ..MineOptions::default() }).unwrap();
        let mut examples: Vec<&str> = mined.candidates.iter().map(|candidate| candidate.example.as_str()).collect();
        examples.sort_unstable();
        assert_eq!(examples, ["(Read  more of 5 stories here)", "All rights"]);
    }
}
