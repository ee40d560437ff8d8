//! A whole document with marks on the text that would be removed, and below it a list of the patterns that remove this
//! text.

use dehusk_core::cleaning::Cleaner;
use dehusk_core::patterns::{Pattern, PatternFile};
use dehusk_run::explain::{Explanation, NO_PATTERN, documents_by_chance, in_words};

use crate::cli::terminal::{Screen, Style};

/// What is needed to show an explanation.
pub struct Shown<'a> {
    /// The pattern files of the document's source.
    pub files: &'a [&'a PatternFile],
    /// Their patterns.
    pub cleaner: &'a Cleaner,
    /// Whether regexes are shown instead of words.
    pub regex: bool,
    /// The screen on which the explanation is shown.
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
        let (screen, cleaner) = (self.screen, self.cleaner);
        let Explanation { removed, by_pattern, by_part, unmatched, probability, expected, .. } = explanation;
        let mut legend = format!("---\n{removed} of {bytes} bytes would be removed");
        if expected.lost > 0 {
            legend += &format!("; about {} of them may be content", expected.lost);
        }
        legend.push('\n');
        let id = |index: usize| screen.on_one_line(&cleaner.pattern(index).id);

        let names = by_pattern.iter().map(|&(index, _)| id(index).chars().count());
        let names = names.chain(by_part.iter().map(|(part, _)| part.name().len()));
        let width = names.chain((*unmatched > 0).then_some(NO_PATTERN.len())).max().unwrap_or(0);
        let bytes = by_pattern.iter().map(|(_, bytes)| bytes).chain(by_part.iter().map(|(_, bytes)| bytes));
        let figures = bytes.chain([unmatched]).max().unwrap_or(&0).to_string().len();
        let spreads: Vec<String> = by_pattern.iter().map(|&(index, _)| spread(cleaner.pattern(index))).collect();
        let widest = spreads.iter().map(String::len).max().unwrap_or(0);

        let name = |name: &str| screen.paint(Style::Id, &format!("{name:width$}"));

        for (&(index, bytes), spread) in by_pattern.iter().zip(&spreads) {
            let pattern = cleaner.pattern(index);
            let status = match cleaner.origin(index) {
                Some(_) => screen.paint(Style::of_status(pattern.status), pattern.status.name()),
                None => "evidence".to_owned(),
            };
            let (id, words) = (name(&id(index)), screen.on_one_line(&self.words(pattern)));
            legend += &format!("{id}  {bytes:>figures$} bytes  {spread:widest$}  {status}  {words}\n");
        }
        for (part, bytes) in by_part {
            let part = part.name();
            legend += &format!("{}  {bytes:>figures$} bytes  removed because of --{part} drop\n", name(part));
        }
        if *unmatched > 0 {
            legend += &format!(
                "{}  {unmatched:>figures$} bytes  {:.0} % likely boilerplate, by what it is and what stands around it\n",
                name(NO_PATTERN),
                100.0 * probability
            );
        }
        legend
    }

    /// The words of a pattern, or its regex.
    pub fn words(&self, pattern: &Pattern) -> String {
        if self.regex { pattern.regex.clone() } else { in_words(self.files, pattern) }
    }
}

/// The number of documents in which mining found a pattern, and the number to expect if it occurred by chance.
fn spread(pattern: &Pattern) -> String {
    let Pattern { documents, among, .. } = pattern;
    match among {
        0 => "not mined".to_owned(),
        _ => format!("in {documents} of {among} documents, {:.0} by chance", documents_by_chance(pattern)),
    }
}
