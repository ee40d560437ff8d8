//! What a regex would do, before it is saved.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cleaning::Origin;
use crate::effects::{DocumentEffect, Effects, PatternEffect, Question, Sighting};
use crate::patterns::{PatternFile, form};

use super::Session;
use super::decision::Entry;
use super::documents::Texts;

/// A person waits so long: a regex that takes longer is shown on the documents that were done in time.
const PATIENCE: Duration = Duration::from_secs(4);

/// What changes if a pattern had another regex.
#[derive(Debug)]
pub struct Trial {
    /// What the pattern does now, and would do.
    pub pattern: [PatternEffect; 2],
    /// What is removed now, and would be, of the documents that were looked at.
    pub total: [DocumentEffect; 2],
    /// Matches that there are not yet.
    pub gained: Vec<Sighting>,
    /// Matches that there would no longer be.
    pub lost: Vec<Sighting>,
    /// How many documents were looked at.
    pub looked_at: usize,
    /// Of how many.
    pub of: usize,
    /// Why some were not: the engine gave up.
    pub failure: Option<String>,
}

impl Session {
    /// From now on as long as a person waits for what a regex matches; no longer than the review itself lasts.
    pub(super) fn patience(&self) -> impl Fn() -> bool + Sync {
        let start = Instant::now();
        move || start.elapsed() < PATIENCE && !self.survey.is_closed()
    }

    /// The matches of a pattern of a source's own file, as many as are found in time.
    pub fn matches(&self, source: &str, index: usize, texts: &Texts) -> Vec<Sighting> {
        let files = self.files_for(source);
        let Some(own) = files.first() else { return Vec::new() };
        let mut alone = PatternFile::clone(own);
        alone.patterns = own.patterns.get(index).into_iter().cloned().collect();
        let watched = Some(Origin { file: 0, index: 0 });
        let question = Question { files: &[&alone], options: &self.options, watched };
        let go_on = self.patience();
        texts.effects(&question, go_on).watched
    }

    /// Tries an entry in place of the one that a pattern has; what is wrong with its regex is the error.
    pub fn try_out(&self, source: &str, id: &str, entry: &Entry) -> Result<Trial, String> {
        let files = self.files_for(source);
        let own = files.first().ok_or_else(|| format!("there is no source '{source}'"))?;
        let index = own.patterns.iter().position(|pattern| pattern.id == id);
        let index = index.ok_or_else(|| format!("there is no pattern {id} any more"))?;
        let mut edited = PatternFile::clone(own);
        let pattern = &mut edited.patterns[index];
        pattern.form = form(id, &entry.regex, &own.lexer).map_err(|error| error.to_string())?;
        (pattern.regex, pattern.ends_after) = (entry.regex.clone(), entry.ends_after);
        let texts = self.documents.texts(source);
        let effects = |own: &PatternFile| {
            let files: Vec<&PatternFile> = [own].into_iter().chain(files.iter().skip(1).map(Arc::as_ref)).collect();
            let watched = Some(Origin { file: 0, index });
            let question = Question { files: &files, options: &self.options, watched };
            texts.effects(&question, self.patience())
        };
        let [now, then] = [own.as_ref(), &edited].map(effects);
        Ok(compare(&now, &then, Origin { file: 0, index }))
    }
}

/// What is different, on the documents that both were looked at in.
fn compare(now: &Effects, then: &Effects, pattern: Origin) -> Trial {
    let mut total = [DocumentEffect::default(); 2];
    let both = now.documents.iter().zip(&then.documents).filter_map(|(now, then)| Some([(*now)?, (*then)?]));
    let mut looked_at = 0;
    for pair in both {
        looked_at += 1;
        for (sum, document) in total.iter_mut().zip(pair) {
            *sum = sum.and(document);
        }
    }
    let was_seen = |effects: &Effects, found: &&Sighting| effects.documents[found.text].is_some();
    let without = |some: &Effects, others: &Effects| -> Vec<Sighting> {
        let known: std::collections::HashSet<(usize, usize, usize)> =
            others.watched.iter().map(|found| (found.text, found.bytes.start, found.bytes.end)).collect();
        let is_new = |found: &&Sighting| !known.contains(&(found.text, found.bytes.start, found.bytes.end));
        some.watched.iter().filter(is_new).filter(|found| was_seen(others, found)).cloned().collect()
    };
    Trial {
        pattern: [now, then].map(|effects| effects.pattern(pattern).clone()),
        total,
        gained: without(then, now),
        lost: without(now, then),
        looked_at,
        of: now.documents.len(),
        failure: then.failure.clone(),
    }
}
