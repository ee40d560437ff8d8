//! Draws a page with marks on removed and kept text, to view in a browser.

use super::passages::{Passage, Verdict, passages};
use super::{Explanation, NO_PATTERN};
use dehusk_core::cleaning::{CleanError, Cleaner};
use dehusk_core::html::{PageMark, PageMarks, escaped};
use dehusk_core::patterns::Pattern;
use dehusk_core::shown::count;
use dehusk_corpus::Page;

/// Maximum number of patterns in the legend.
const PATTERNS: usize = 10;
/// Maximum number of characters of a pattern's words in the legend.
const CHARACTERS: usize = 60;

const GOES: &str = "dehusk-goes";
const STAYS: &str = "dehusk-stays";

/// `all: unset` keeps the styles that the page has for `span` elements away from the marks.
const STYLE: &str = "
.dehusk-goes, .dehusk-stays { all: unset !important }
.dehusk-goes { background: #ffd7d5 !important; color: #82071e !important; text-decoration: line-through !important }
.dehusk-stays { text-decoration: underline dotted 1px #57606a !important }
";

/// The style of the legend.
pub const LEGEND_STYLE: &str = "\
.dehusk-legend { all: initial !important; position: fixed !important; top: 8px !important; right: 8px !important;
  z-index: 2147483647 !important; max-width: 40em !important; max-height: 80vh !important; overflow: auto !important;
  padding: 8px !important; border: 1px solid #57606a !important; background: #fff !important; color: #1f2328 !important;
  font: 12px/1.5 monospace !important; white-space: pre-wrap !important }
.dehusk-legend summary { all: revert !important; cursor: pointer !important }
";

/// The page to draw on.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'t> {
    /// The page.
    pub page: &'t Page,
    /// Its visible text.
    pub text: &'t str,
    /// Its address, if it is known.
    pub address: Option<&'t str>,
}

/// The page with all marks, and the explanation of its text. `words` gives the words that the legend shows for a
/// pattern. When `go_on` returns false, the search for regexes that people wrote is stopped.
///
/// # Errors
/// If the search for a regex was stopped or given up.
pub fn drawn<'t>(
    canvas: &Canvas<'t>,
    cleaner: &Cleaner,
    words: impl Fn(&Pattern) -> String,
    go_on: &dyn Fn() -> bool,
) -> Result<(String, Explanation<'t>), CleanError> {
    let &Canvas { page, text, address } = canvas;
    let (explanation, passages) = passages(text, page.tree(), cleaner, go_on)?;
    let marks = passages.iter().map(mark).collect();
    let legend = legend(cleaner, words, text.len(), &explanation);
    Ok((
        page.marked(&PageMarks { marks, address, style: &format!("{STYLE}{LEGEND_STYLE}"), legend: &legend }),
        explanation,
    ))
}

fn mark(Passage { range, verdict }: &Passage) -> PageMark {
    let (class, title) = match verdict {
        Verdict::Goes { because, boilerplate } => (GOES, format!("{} {}", because.join(" "), hundredths(*boilerplate))),
        Verdict::Stays { content } => (STAYS, format!("content {}", hundredths(*content))),
    };
    PageMark { range: range.clone(), class, title }
}

/// A probability such as `.93`.
pub fn hundredths(probability: f32) -> String {
    let written = format!("{probability:.2}");
    written.strip_prefix('0').unwrap_or(&written).to_owned()
}

/// A box that says how much is removed, by which patterns, and what the marks mean.
fn legend(cleaner: &Cleaner, words: impl Fn(&Pattern) -> String, bytes: usize, explanation: &Explanation) -> String {
    let Explanation { removed, by_pattern, unmatched, .. } = explanation;
    let mut legend = format!(
        "<details class=\"dehusk-legend\" open><summary>dehusk: {removed} of {bytes} bytes of text would be removed\
         </summary>"
    );
    let rows = by_pattern.iter().take(PATTERNS).map(|&(index, bytes)| {
        let pattern = cleaner.pattern(index);
        (bytes, pattern.id.as_str(), start_of(&words(pattern)))
    });
    let without =
        (*unmatched > 0).then(|| (*unmatched, NO_PATTERN, "judged by what it is and what stands around it".to_owned()));
    for (bytes, id, words) in rows.chain(without) {
        legend += &format!("{}  {}  {}\n", count(bytes, "byte"), escaped(id), escaped(&words));
    }
    let others = by_pattern.get(PATTERNS..).unwrap_or_default();
    if !others.is_empty() {
        let bytes: usize = others.iter().map(|(_, bytes)| bytes).sum();
        legend += &format!("{}  {}\n", count(bytes, "byte"), count(others.len(), "other pattern"));
    }
    legend
        + &format!(
            "\n<span class=\"{GOES}\">removed</span>: point at it to see the ids of its patterns, and the probability \
             that it is boilerplate\n<span class=\"{STAYS}\">kept</span>: point at it to see the probability that it is \
             content</details>"
        )
}

/// The start of a pattern's words, on one line.
fn start_of(words: &str) -> String {
    let line = words.replace(char::is_control, " ");
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_why() {
        let title = |verdict| mark(&Passage { range: 0..1, verdict }).title;
        let because = vec!["a\"b".to_owned(), "c".to_owned()];
        assert_eq!(title(Verdict::Goes { because, boilerplate: 0.978 }), "a\"b c .98");
        assert_eq!(title(Verdict::Stays { content: 1.0 }), "content 1.00");
    }

    #[test]
    fn words_of_patterns_are_cut_and_on_one_line() {
        assert_eq!(start_of("a\nb"), "a b");
        assert_eq!(start_of(&"ä".repeat(CHARACTERS + 1)), "ä".repeat(CHARACTERS) + "…");
    }
}
