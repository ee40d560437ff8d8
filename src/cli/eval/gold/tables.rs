//! The figures as text, for people.

use std::fmt::Write as _;

use dehusk_run::scoring::figures::{Figures, PatternFigures, Scores};
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::rules::Rule;
use dehusk_run::scoring::score::{MIN_GOLD_WORDS, Score};

use super::TellingArgs;
use crate::cli::summary::{Summary, count};
use crate::cli::table::{Table, decimal, percent};

/// Maximum number of characters of a lost text or a regex that are shown.
const CHARACTERS_OF_ROW: usize = 88;
/// Maximum number of lost texts of a document that are shown.
const LOST_TEXTS: usize = 3;
/// Maximum number of lost words of a pattern that are shown.
const LOST_WORDS: usize = 12;

/// The figures as text.
pub fn of(figures: &Figures, telling: &TellingArgs, gold: &GoldTexts, summary: &Summary) -> String {
    let mut text = String::new();
    write_rules(&mut text, &figures.scores());
    write_totals(&mut text, figures, gold, summary);
    if telling.per_source {
        write_sources(&mut text, figures);
    }
    if telling.documents {
        write_documents(&mut text, figures);
    }
    write_worst_documents(&mut text, figures, telling.worst);
    write_worst_patterns(&mut text, figures, telling.worst);
    text
}

fn write_rules(text: &mut String, scores: &Scores) {
    let mut table = Table::default().words("").figures(HEADS);
    scores.iter().for_each(|(rule, score)| table.row([rule.label().to_owned()].into_iter().chain(cells(score))));
    let _ = write!(text, "{table}");
    if let (Some(all), Some(half)) = (scores.get(&Rule::Dehusk), scores.get(&Rule::HalfMined)) {
        let (recall, f1) = (half.recall - all.recall, half.f1 - all.f1);
        let _ = writeln!(text, "half of the documents mined instead of all: recall {recall:+.4}, F1 {f1:+.4}");
    }
}

fn write_totals(text: &mut String, figures: &Figures, gold: &GoldTexts, summary: &Summary) {
    let (gold_words, lost) = figures.gold_and_lost_words();
    let documents = count(figures.documents().count(), "document");
    let _ = write!(text, "{documents} of {}", count(figures.sources.len(), "source"));
    let _ = write!(text, ": {lost} of {} lost by {}", count(gold_words, "gold word"), figures.judged.label());
    let missing = figures.missing().len();
    if missing > 0 {
        let _ = write!(text, "; {missing} not in the corpus");
    }
    if gold.too_short > 0 {
        let _ = write!(text, "; {} with fewer than {MIN_GOLD_WORDS} gold words left out", gold.too_short);
    }
    if summary.skipped > 0 {
        let _ = write!(text, "; {} skipped", summary.skipped);
    }
    let _ = writeln!(text, "\n{}", summary.stages());
}

fn write_sources(text: &mut String, figures: &Figures) {
    let scores = figures.scores();
    let others: Vec<Rule> = scores.keys().copied().filter(|rule| *rule != figures.judged).collect();
    let mut table = Table::default().words("source").figures(["documents"]).figures(HEADS).figures(["lost words"]);
    table = table.group("F1 of".to_owned(), others.iter().map(|rule| rule.short_label()));
    for source in &figures.sources {
        let (scores, lost) = (source.scores(), source.gold_and_lost_words().1);
        let named = [source.source.clone(), source.documents.len().to_string()].into_iter();
        let others = others.iter().map(|rule| decimal(scores[rule].f1, 3));
        table.row(named.chain(cells(&scores[&figures.judged])).chain([lost.to_string()]).chain(others));
    }
    let _ = write!(text, "\n{table}");
}

fn write_documents(text: &mut String, figures: &Figures) {
    let mut table = Table::default().words("document").figures(HEADS).figures(["lost words", "gold words"]).words("");
    for (source, document) in figures.documents() {
        let note = if document.is_missing { "not in the corpus" } else { "" };
        let counts = [document.lost_words.total(), document.gold_words].map(|words| words.to_string());
        let named = [format!("{source}/{}", document.name)].into_iter();
        let scored = cells(&document.scores[&figures.judged]);
        table.row(named.chain(scored).chain(counts).chain([note.to_owned()]));
    }
    let _ = write!(text, "\n{table}");
}

fn write_worst_documents(text: &mut String, figures: &Figures, worst: usize) {
    let documents = figures.worst_documents();
    if worst == 0 || documents.is_empty() {
        return;
    }
    let _ = writeln!(text, "\ndocuments that lost most of their gold words");
    for (source, document) in documents.into_iter().take(worst) {
        let (share, lost) = (100.0 * document.lost_share(), document.lost_words.total());
        let _ = writeln!(text, "{share:>5.1} %  {lost} of {}  {source}/{}", document.gold_words, document.name);
        for lost in document.lost.iter().take(LOST_TEXTS) {
            let patterns =
                if lost.patterns.is_empty() { String::new() } else { format!(" {{{}}}", lost.patterns.join(" ")) };
            let _ = writeln!(text, "         {}: \"{}\"{patterns}", lost.words, shortened(&lost.text));
        }
        let others = document.lost.len().saturating_sub(LOST_TEXTS);
        if others > 0 {
            let _ = writeln!(text, "         and {others} more");
        }
    }
}

fn write_worst_patterns(text: &mut String, figures: &Figures, worst: usize) {
    let mut patterns = figures.worst_patterns().take(worst).peekable();
    if patterns.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\npatterns that lost most gold words\n  lost  of words removed  documents  pattern");
    for pattern in patterns {
        let (lost, removed) = (pattern.lost.total(), pattern.removed);
        let name = pattern.name.as_ref().map_or("(no pattern)", |name| &name.id);
        let _ = writeln!(text, "{lost:>6}  {removed:>16}  {:>9}  {name}  {}", pattern.documents, sources(pattern));
        if let Some(name) = &pattern.name {
            let _ = writeln!(text, "        {}", shortened(&name.regex));
        }
        let _ = writeln!(text, "        lost: {}", lost_words(pattern));
    }
}

fn sources(pattern: &PatternFigures) -> String {
    match &pattern.sources[..] {
        [source] => source.clone(),
        sources => count(sources.len(), "source"),
    }
}

fn lost_words(pattern: &PatternFigures) -> String {
    let ranked = pattern.lost.ranked();
    let shown = ranked.iter().take(LOST_WORDS).map(|(word, count)| match count {
        1 => (*word).to_owned(),
        count => format!("{word} ({count})"),
    });
    let others = if ranked.len() > LOST_WORDS { " ..." } else { "" };
    shown.collect::<Vec<String>>().join(", ") + others
}

const HEADS: [&str; 4] = ["precision", "recall", "F1", "words removed"];

fn cells(score: &Score) -> impl Iterator<Item = String> {
    let [precision, recall, f1] = [score.precision, score.recall, score.f1].map(|figure| decimal(figure, 3));
    [precision, recall, f1, percent(score.removed, 1)].into_iter()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS_OF_ROW) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
