//! The figures as JSON, for scripts.

use serde_json::{Map, Value, json};

use dehusk_run::scoring::figures::{DocumentFigures, Figures, LostText, PatternFigures, Scores, SourceFigures};
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::words::Bag;

use super::TellingArgs;
use crate::cli::summary::Summary;

/// The figures as JSON.
pub fn of(figures: &Figures, telling: &TellingArgs, gold: &GoldTexts, summary: &Summary) -> Value {
    let (gold_words, lost_words) = figures.gold_and_lost_words();
    let per_source = figures.sources.iter().map(|source| (source.source.clone(), of_source(source)));
    let mut all = json!({
        "sources": figures.sources.len(),
        "documents": figures.documents().count(),
        "missing": figures.missing().len(),
        "gold_too_short": gold.too_short,
        "skipped": summary.skipped,
        "judged": figures.judged.key(),
        "gold_words": gold_words,
        "lost_words": lost_words,
        "scores": of_scores(&figures.scores()),
        "per_source": per_source.collect::<Map<String, Value>>(),
    });
    if telling.documents {
        let documents = figures.documents().map(|(source, document)| of_document(source, document));
        all["per_document"] = documents.collect();
    }
    let worst = figures.worst_documents();
    let worst = worst.iter().take(telling.worst);
    all["worst_documents"] = worst.map(|(source, document)| of_worst_document(source, document)).collect();
    all["worst_patterns"] = figures.worst_patterns().take(telling.worst).map(of_pattern).collect();
    all["seconds"] = json!(summary.seconds);
    all
}

fn of_scores(scores: &Scores) -> Value {
    scores.iter().map(|(rule, score)| (rule.key().to_owned(), json!(score))).collect::<Map<String, Value>>().into()
}

fn of_source(source: &SourceFigures) -> Value {
    let (gold_words, lost_words) = source.gold_and_lost_words();
    json!({
        "documents": source.documents.len(),
        "gold_words": gold_words,
        "lost_words": lost_words,
        "scores": of_scores(&source.scores()),
    })
}

fn of_document(source: &str, document: &DocumentFigures) -> Value {
    json!({
        "source": source,
        "document": document.name,
        "missing": document.is_missing,
        "gold_words": document.gold_words,
        "lost_words": document.lost_words.total(),
        "scores": of_scores(&document.scores),
    })
}

fn of_worst_document(source: &str, document: &DocumentFigures) -> Value {
    json!({
        "source": source,
        "document": document.name,
        "gold_words": document.gold_words,
        "lost_words": document.lost_words.total(),
        "lost_share": document.lost_share(),
        "lost": document.lost.iter().map(of_lost_text).collect::<Vec<Value>>(),
        "words": of_bag(&document.lost_words),
    })
}

fn of_lost_text(lost: &LostText) -> Value {
    json!({"text": lost.text, "words": lost.words, "patterns": lost.patterns})
}

fn of_pattern(pattern: &PatternFigures) -> Value {
    json!({
        "id": pattern.name.as_ref().map(|name| &name.id),
        "regex": pattern.name.as_ref().map(|name| &name.regex),
        "sources": pattern.sources,
        "documents": pattern.documents,
        "removed_words": pattern.removed,
        "lost_words": pattern.lost.total(),
        "words": of_bag(&pattern.lost),
    })
}

/// The words and their counts, the most frequent word first.
fn of_bag(bag: &Bag) -> Value {
    bag.ranked().into_iter().map(|(word, count)| (word.to_owned(), json!(count))).collect::<Map<String, Value>>().into()
}
