//! Divides the visible text of a page into removed and kept passages.

use std::iter;
use std::ops::Range;

use super::{Explanation, reasons};
use dehusk_core::cleaning::{CleanError, Cleaner, Decision, Reading, Scratch};
use dehusk_core::html::Tree;
use dehusk_core::stretches::{common, touching};

/// A passage of the visible text of a page, within a line or table cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Its bytes.
    pub range: Range<usize>,
    /// What happens to it.
    pub verdict: Verdict,
}

/// What happens to a passage.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is removed.
    Goes {
        /// The ids of the patterns responsible, or [`NO_PATTERN`](super::NO_PATTERN).
        because: Vec<String>,
        /// The probability that it is boilerplate, 0..=1.
        boilerplate: f32,
    },
    /// It is kept.
    Stays {
        /// The probability that it is content, 0..=1.
        content: f32,
    },
}

/// The explanation of a page, and its passages in order: all removed text, and the kept text of the blocks into which
/// the structure of the page divides it. `tree` is the tree of the page.
///
/// # Errors
/// If the search for a regex that a person wrote was given up, or stopped because `go_on` returned false.
pub fn passages<'t>(
    text: &'t str,
    tree: &Tree,
    cleaner: &Cleaner,
    go_on: &dyn Fn() -> bool,
) -> Result<(Explanation<'t>, Vec<Passage>), CleanError> {
    let reading = cleaner.read_page(&mut Scratch::default(), text, Some(tree), go_on)?;
    let cleaning = cleaner.explain(text, &reading);
    let decision = cleaner.decide(text, &reading);
    let mut passages = Vec::new();
    for span in &cleaning.spans {
        for range in cells(text, span.range.clone()) {
            let because = reasons(span, &range, &cleaning, cleaner);
            let boilerplate = boilerplate(&reading, &decision, &range);
            passages.push(Passage { range, verdict: Verdict::Goes { because, boilerplate } });
        }
    }
    for block in reading.page.iter().flat_map(|page| &page.page.blocks) {
        let mut at = block.text.start;
        let gone = touching(&cleaning.spans, &block.text, |span| &span.range);
        let gone = gone.iter().map(|span| common(&span.range, &block.text));
        for gone in gone.chain(iter::once(block.text.end..block.text.end)) {
            let range = at..gone.start;
            at = gone.end;
            if !text[range.clone()].trim().is_empty() {
                let content = 1.0 - boilerplate(&reading, &decision, &range);
                passages.push(Passage { range, verdict: Verdict::Stays { content } });
            }
        }
    }
    passages.sort_by_key(|passage| passage.range.start);
    Ok((Explanation::of_cleaning(text, cleaner, &cleaning), passages))
}

/// The lines and table cells of a range.
fn cells(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    text[range].split_inclusive(['\n', '\t']).map(move |cell| {
        at += cell.len();
        at - cell.len()..at
    })
}

/// The mean probability that the bytes of a range are boilerplate.
fn boilerplate(reading: &Reading, decision: &Decision, range: &Range<usize>) -> f32 {
    let tokens = &reading.tokens.tokens;
    let before = |limit: usize| tokens.partition_point(|token| token.range().start < limit);
    let (mut sum, mut bytes) = (0.0, 0.0);
    let within = before(range.start)..before(range.end);
    for (token, probability) in tokens[within.clone()].iter().zip(&decision.probabilities[within]) {
        let len = token.range().len() as f32;
        sum += len * probability;
        bytes += len;
    }
    if bytes > 0.0 { sum / bytes } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::cleaning::CleanOptions;
    use dehusk_core::html::read;
    use dehusk_core::patterns::{LexerCache, PatternFile};

    #[test]
    fn passages_are_what_goes_and_what_stays_of_each_block() {
        let yaml = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\npatterns:\n  \
                    - {id: a, status: accepted, regex: 'Share\\s+this\\s+page'}\n";
        let file = PatternFile::parse(yaml, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default());
        let story = "<p>The ferry sailed at dawn, and nobody on the quay knew why, or when it would come back.</p>";
        let page = format!("<h1>The ferry</h1>{story}<p>Share this page</p>{story}");
        let (text, tree) = read::<Tree>(&page);
        let (explanation, passages) = passages(&text, &tree, &cleaner, &|| true).unwrap();
        assert_eq!(explanation, Explanation::of_page(&text, &tree, &cleaner).unwrap());
        assert!(passages.is_sorted_by(|a, b| a.range.end <= b.range.start), "{passages:?}");
        let shared = passages.iter().find(|passage| &text[passage.range.clone()] == "Share this page").unwrap();
        assert_eq!(shared.verdict, Verdict::Goes { because: vec!["a".to_owned()], boilerplate: 1.0 });
        let told: String = passages.iter().map(|passage| &text[passage.range.clone()]).collect();
        assert_eq!(told, text.replace('\n', ""));
    }
}
