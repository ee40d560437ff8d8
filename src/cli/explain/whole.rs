//! A whole document with marks on what would be removed, and below it the patterns that remove it.

use dehusk::cleaning::Cleaner;
use dehusk::explain::{BY_SHAPE, Explanation};

use crate::cli::terminal::{Screen, Style};

/// The document, and the patterns that acted.
pub fn told(text: &str, explanation: &Explanation, cleaner: &Cleaner, screen: Screen) -> String {
    let mut marked = screen.marked(&explanation.parts);
    if !marked.ends_with('\n') {
        marked.push('\n');
    }
    marked + &legend(text.len(), explanation, cleaner, screen)
}

/// The patterns that acted, sorted by how much of the removed text they explain.
fn legend(bytes: usize, explanation: &Explanation, cleaner: &Cleaner, screen: Screen) -> String {
    let Explanation { removed, by_pattern, by_shape, .. } = explanation;
    let mut legend = format!("---\n{removed} of {bytes} bytes would be removed");
    let is_kept = by_pattern.is_empty() && *by_shape == 0;
    legend += if is_kept { "\n" } else { ", by these patterns:\n" };
    let id = |index: usize| screen.on_one_line(&cleaner.patterns()[index].id);
    let names = by_pattern.iter().map(|&(index, _)| id(index).chars().count());
    let width = names.chain((*by_shape > 0).then_some(BY_SHAPE.len())).max().unwrap_or(0);
    let figures = by_pattern.iter().map(|(_, bytes)| bytes).chain([by_shape]).max().unwrap_or(&0).to_string().len();
    let name = |name: &str| screen.paint(Style::Id, &format!("{name:width$}"));
    for &(index, bytes) in by_pattern {
        let pattern = &cleaner.patterns()[index];
        let share = 100.0 * pattern.share();
        let status = screen.paint(Style::of_status(pattern.status), pattern.status.name());
        let (id, regex) = (name(&id(index)), screen.on_one_line(&pattern.regex));
        legend += &format!("{id}  {bytes:>figures$} bytes  in {share:>5.1} % of documents  {status}  {regex}\n");
    }
    if *by_shape > 0 {
        legend += &format!(
            "{}  {by_shape:>figures$} bytes  removed for its shape, or for what is around it\n",
            name(BY_SHAPE)
        );
    }
    legend
}
