//! Documents with marks on the removed text.

use std::ops::Range;

use maud::{Markup, html};

use crate::view::marks::{Mark, MarkKind, document, trimmed};
use crate::view::{percent, size};
use dehusk_core::cleaning::{Cleaner, Cleaning, Origin};
use dehusk_core::selection::effects::DocumentEffect;
use dehusk_core::shown::shown;

/// Maximum number of characters shown of a document.
const CHARACTERS_OF_DOCUMENT: usize = 6000;

/// A document to show.
#[derive(Clone, Debug)]
pub struct ShownDocument {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// How much of it is removed.
    pub effect: DocumentEffect,
    /// The removed parts, each with the pattern responsible, or `None` if no pattern matches the part.
    pub parts: Vec<(Range<usize>, Option<Origin>)>,
}

/// The link and the label of a mark.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The pattern's id.
    pub id: String,
    /// A link to the pattern, if it is shown.
    pub link: Option<String>,
}

/// The removed parts of a text, each with the pattern that explains it, or `None`.
pub fn removed_parts(text: &str, cleaner: &Cleaner, cleaning: &Cleaning) -> Vec<(Range<usize>, Option<Origin>)> {
    let mut parts = Vec::new();
    for span in &cleaning.spans {
        let mut at = span.range.start;
        for (bytes, pattern) in &span.because {
            parts.push((trimmed(text, at..bytes.start), None));
            parts.push((bytes.clone(), cleaner.origin(*pattern)));
            at = bytes.end;
        }
        parts.push((trimmed(text, at..span.range.end), None));
    }
    parts.retain(|(bytes, _)| !bytes.is_empty());
    parts
}

impl ShownDocument {
    /// Draws it. `target` gives the link and label of each pattern.
    pub fn draw(&self, target: impl Fn(Origin) -> Target) -> Markup {
        let without = || Target { id: "no pattern".to_owned(), link: None };
        let targets: Vec<Target> =
            self.parts.iter().map(|(_, pattern)| pattern.map_or_else(without, &target)).collect();
        let parts = self.parts.iter().zip(&targets);
        let marks: Vec<Mark> = parts.map(|((bytes, pattern), target)| mark(bytes, *pattern, target)).collect();
        let DocumentEffect { bytes, removed } = self.effect;
        html! {
            h4 { bdi { (shown(&self.name)) } }
            p.quiet { (size(removed)) " of " (size(bytes)) " are removed: " (percent(self.effect.share())) }
            (document(&self.text, &marks, CHARACTERS_OF_DOCUMENT))
        }
    }
}

fn mark<'t>(bytes: &Range<usize>, pattern: Option<Origin>, target: &'t Target) -> Mark<'t> {
    let kind = if pattern.is_some() { MarkKind::Removed } else { MarkKind::RemovedUnmatched };
    Mark { range: bytes.clone(), kind, link: target.link.as_deref(), label: &target.id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::text_of;
    use dehusk_core::cleaning::{CleanOptions, Scratch};
    use dehusk_core::patterns::{LexerCache, PatternFile};

    const YAML: &str = "dehusk: 1\nsource: s\nmined: {documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}\n\
                        patterns:\n  - {id: b, status: accepted, regex: Home}\n  - {id: c, status: accepted, regex: News}\n";
    const TEXT: &str = "Home News\n<b>The ferry was late again on Monday, and nobody knew why or until when.";

    #[test]
    fn what_goes_is_marked_with_the_pattern_that_says_so() {
        let file = PatternFile::parse(YAML, &LexerCache::default()).unwrap();
        let cleaner = Cleaner::new(&[&file], &CleanOptions::default().decision(None));
        let cleaning = cleaner.clean(&mut Scratch::default(), TEXT).unwrap();
        let parts = removed_parts(TEXT, &cleaner, &cleaning);
        let origin = |index| Some(Origin { file: 0, index });
        assert_eq!(parts, [(0..4, origin(0)), (5..9, origin(1))]);
        let effect = DocumentEffect { bytes: TEXT.len(), removed: 10 };
        let shown = ShownDocument { name: "<i>".into(), text: TEXT.into(), effect, parts };
        let target = |Origin { index, .. }| Target { id: format!("id{index}"), link: Some(format!("#{index}")) };
        let html = shown.draw(target).into_string();
        assert!(html.contains("<del class=\"removed\" title=\"id1\"><a href=\"#1\">News</a></del>"), "{html}");
        assert!(text_of(&html).contains("10\u{a0}B of 83\u{a0}B are removed: 12.0\u{a0}%"), "{}", text_of(&html));
        assert!(!html.contains("<i>") && !html.contains("<b>"), "{html}");
    }
}
