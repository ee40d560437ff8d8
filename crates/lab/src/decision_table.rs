//! The quality of a decision model on sources that it has not seen, by corpus.

use std::fmt::Write;

use super::decision_lessons::{SourceLessons, Variant};
use dehusk_core::cleaning::decide::goes;
use dehusk_core::dom::page_parts::Favor;

/// Number of bins of probabilities.
const BINS_OF_PROBABILITY: usize = 10;

/// Sums of words.
#[derive(Clone, Copy, Debug, Default)]
struct Words {
    content: f64,
    lost: f64,
    boilerplate: f64,
    gone: f64,
}

/// Has a line for each corpus, and a last line for all made sources. Its figures are means over sources: the share of
/// content that is lost, the share of boilerplate that is removed, and precision, recall and F1 of the words that are
/// kept. A second table has the share of boilerplate among the words of each probability. Only lessons count for which
/// all documents of a source were mined. `judged` has the probabilities of each lesson, `corpora` the names of the
/// corpora.
pub fn table(sources: &[SourceLessons], judged: &[Vec<f32>], corpora: &[String]) -> String {
    let names: Vec<&str> = corpora.iter().map(String::as_str).chain(["(made sources)"]).collect();
    let mut judged = judged.iter();
    let mut of_corpora: Vec<Vec<Words>> = vec![Vec::new(); names.len()];
    let mut bins = vec![[(0.0, 0.0); BINS_OF_PROBABILITY]; names.len()];
    for source in sources {
        let row = if source.is_made { names.len() - 1 } else { source.corpus };
        let mut words = Words::default();
        for ((variant, lesson), judged) in source.lessons.iter().zip(&mut judged) {
            if *variant != Variant::All {
                continue;
            }
            for ((&(is_boilerplate, _), &p), count) in lesson.labels.iter().zip(judged).zip(lesson.words()) {
                let count = f64::from(count);
                let goes = if goes(p, Favor::default()) { count } else { 0.0 };
                let (all, gone) = match is_boilerplate {
                    true => (&mut words.boilerplate, &mut words.gone),
                    false => (&mut words.content, &mut words.lost),
                };
                *all += count;
                *gone += goes;
                let (all, of_class) =
                    &mut bins[row][((p * BINS_OF_PROBABILITY as f32) as usize).min(BINS_OF_PROBABILITY - 1)];
                *all += count;
                *of_class += if is_boilerplate { count } else { 0.0 };
            }
        }
        of_corpora[row].push(words);
    }

    let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max(6);
    let mut text = format!("{:width$}  sources   lost   gone      P      R     F1\n", "corpus");
    for (name, sources) in names.iter().zip(&of_corpora) {
        let mean = |of: &dyn Fn(&Words) -> Option<f64>| {
            let values: Vec<f64> = sources.iter().filter_map(of).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let share = |part: f64, all: f64| (all > 0.0).then(|| part / all);
        let precision = |words: &Words| {
            share(words.content - words.lost, words.content - words.lost + words.boilerplate - words.gone)
        };
        let recall = |words: &Words| share(words.content - words.lost, words.content);
        let f1 = |words: &Words| {
            let (p, r) = (precision(words)?, recall(words)?);
            share(2.0 * p * r, p + r)
        };
        let _ = writeln!(
            text,
            "{name:width$}  {:7}  {:.4}  {:.3}   {:.3}  {:.3}  {:.3}",
            sources.len(),
            mean(&|words| share(words.lost, words.content)),
            mean(&|words| share(words.gone, words.boilerplate)),
            mean(&precision),
            mean(&recall),
            mean(&f1),
        );
    }

    text += "\nshare of boilerplate by probability, of words\n";
    for (name, bins) in names.iter().zip(&bins) {
        let _ = write!(text, "{name:width$} ");
        for (all, of_class) in bins {
            let _ = if *all < 1000.0 { write!(text, "     -") } else { write!(text, "  {:.2}", of_class / all) };
        }
        text.push('\n');
    }
    text
}
