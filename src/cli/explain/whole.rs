//! A whole document with marks on what would be removed, and below it the patterns that remove it.

use dehusk::cleaning::Cleaner;
use dehusk::explain::{BY_SHAPE, Explanation, in_words};
use dehusk::patterns::{Pattern, PatternFile};

use crate::cli::terminal::{Screen, Style};

/// What is needed to show an explanation.
pub struct Shown<'a> {
    /// The pattern files of the document's source.
    pub files: &'a [&'a PatternFile],
    /// Their patterns.
    pub cleaner: &'a Cleaner,
    /// Whether regexes are shown instead of words.
    pub regex: bool,
    /// Where it is shown.
    pub screen: Screen,
}

impl Shown<'_> {
    /// The document, and the patterns that acted.
    pub fn told(&self, text: &str, explanation: &Explanation) -> String {
        let mut marked = self.screen.marked(&explanation.parts);
        if !marked.ends_with('\n') {
            marked.push('\n');
        }
        marked + &self.legend(text.len(), explanation)
    }

    /// The patterns that acted, sorted by how much of the removed text they explain.
    fn legend(&self, bytes: usize, explanation: &Explanation) -> String {
        let (screen, patterns) = (self.screen, self.cleaner.patterns());
        let Explanation { removed, by_pattern, by_part, by_shape, .. } = explanation;
        let mut legend = format!("---\n{removed} of {bytes} bytes would be removed");
        let is_kept = by_pattern.is_empty() && by_part.is_empty() && *by_shape == 0;
        legend += if is_kept { "\n" } else { ", by these patterns:\n" };
        let id = |index: usize| screen.on_one_line(&patterns[index].id);
        let names = by_pattern.iter().map(|&(index, _)| id(index).chars().count());
        let names = names.chain(by_part.iter().map(|(part, _)| part.name().len()));
        let width = names.chain((*by_shape > 0).then_some(BY_SHAPE.len())).max().unwrap_or(0);
        let bytes = by_pattern.iter().map(|(_, bytes)| bytes).chain(by_part.iter().map(|(_, bytes)| bytes));
        let figures = bytes.chain([by_shape]).max().unwrap_or(&0).to_string().len();
        let name = |name: &str| screen.paint(Style::Id, &format!("{name:width$}"));
        for &(index, bytes) in by_pattern {
            let pattern = &patterns[index];
            let share = 100.0 * pattern.share();
            let status = match self.cleaner.origins()[index] {
                Some(_) => screen.paint(Style::of_status(pattern.status), pattern.status.name()),
                None => "evidence".to_owned(),
            };
            let (id, words) = (name(&id(index)), screen.on_one_line(&self.words(pattern)));
            legend += &format!("{id}  {bytes:>figures$} bytes  in {share:>5.1} % of documents  {status}  {words}\n");
        }
        for (part, bytes) in by_part {
            let part = part.name();
            legend += &format!("{}  {bytes:>figures$} bytes  removed because of --{part} drop\n", name(part));
        }
        if *by_shape > 0 {
            legend += &format!(
                "{}  {by_shape:>figures$} bytes  removed for its shape, its part of the page, or what is around it\n",
                name(BY_SHAPE)
            );
        }
        legend
    }

    /// The words of a pattern, or its regex.
    pub fn words(&self, pattern: &Pattern) -> String {
        if self.regex { pattern.regex.clone() } else { in_words(self.files, pattern) }
    }
}
