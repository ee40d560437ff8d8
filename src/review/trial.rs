//! Tries a regex before it is saved.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cleaning::Origin;
use crate::patterns::{PatternFile, form};
use crate::selection::effects::{DocumentEffect, Effects, PatternEffect, Question, SampleMatch};

use super::Session;
use super::decision::Entry;
use super::documents::Texts;

/// Maximum time that a person waits. After that, results are shown for the documents done so far.
const PATIENCE: Duration = Duration::from_secs(4);

/// What would change if a pattern had another regex.
#[derive(Debug)]
pub struct Trial {
    /// The effect of the pattern now, and with the new regex.
    pub pattern: [PatternEffect; 2],
    /// What is removed now, and with the new regex, from the documents looked at.
    pub total: [DocumentEffect; 2],
    /// New matches.
    pub gained: Vec<SampleMatch>,
    /// Matches that are lost.
    pub lost: Vec<SampleMatch>,
    /// Number of documents looked at.
    pub sampled: usize,
    /// Number of all documents.
    pub of: usize,
    /// Why the engine gave up on some documents, if it did.
    pub failure: Option<String>,
}

impl Session {
    /// A function that returns true for [`PATIENCE`] from now, unless the review ends before.
    pub(super) fn patience(&self) -> impl Fn() -> bool + Sync {
        let start = Instant::now();
        move || start.elapsed() < PATIENCE && !self.survey.is_closed()
    }

    /// The matches of a pattern in a source's own file, as many as are found in time.
    pub fn matches(&self, source: &str, index: usize, texts: &Texts) -> Vec<SampleMatch> {
        let files = self.files_for(source);
        let Some(own) = files.first() else { return Vec::new() };
        let mut alone = PatternFile::clone(own);
        alone.patterns = own.patterns.get(index).into_iter().cloned().collect();
        let watched = Some(Origin { file: 0, index: 0 });
        let question = Question { files: &[&alone], options: &self.options, watched };
        let go_on = self.patience();
        texts.effects(&question, go_on).watched
    }

    /// Tries an entry for a pattern. The error says what is wrong with its regex.
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

/// The differences, on the documents that were looked at with both.
fn compare(now: &Effects, then: &Effects, pattern: Origin) -> Trial {
    let mut total = [DocumentEffect::default(); 2];
    let both = now.documents.iter().zip(&then.documents).filter_map(|(now, then)| Some([(*now)?, (*then)?]));
    let mut sampled = 0;
    for pair in both {
        sampled += 1;
        for (sum, document) in total.iter_mut().zip(pair) {
            *sum = sum.and(document);
        }
    }
    let was_seen = |effects: &Effects, found: &&SampleMatch| effects.documents[found.text].is_some();
    let without = |some: &Effects, others: &Effects| -> Vec<SampleMatch> {
        let known: std::collections::HashSet<(usize, usize, usize)> =
            others.watched.iter().map(|found| (found.text, found.bytes.start, found.bytes.end)).collect();
        let is_new = |found: &&SampleMatch| !known.contains(&(found.text, found.bytes.start, found.bytes.end));
        some.watched.iter().filter(is_new).filter(|found| was_seen(others, found)).cloned().collect()
    };
    Trial {
        pattern: [now, then].map(|effects| effects.pattern(pattern).clone()),
        total,
        gained: without(then, now),
        lost: without(now, then),
        sampled,
        of: now.documents.len(),
        failure: then.failure.clone(),
    }
}
