//! Computes the effects of patterns in the background: first for the source on screen, then for the others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dehusk_core::patterns::{Pattern, PatternFile, Status};
use dehusk_core::selection::effects::{Effects, PatternEffect, Question};

use super::{Session, Version};

/// The effects that are known so far, and the source to look at first.
#[derive(Debug, Default)]
pub struct Survey {
    state: Mutex<State>,
    changed: Condvar,
    closed: AtomicBool,
}

/// For each pattern id, the bytes that it accounted for when it was first tried ([`worth`]). Not changed by later
/// decisions, so that a list sorted by it keeps its order.
pub type FirstRemoved = HashMap<String, usize>;

/// The bytes that a pattern accounts for, out of all removed bytes. A proposed selector removes nothing itself, so its
/// share at mining is applied to the bytes that are removed here.
pub fn worth(pattern: &Pattern, effect: &PatternEffect, all_removed: usize) -> usize {
    match pattern.removes.filter(|_| pattern.status == Status::Proposed) {
        Some(share) if effect.matches > 0 => (share * all_removed as f64).round() as usize,
        _ => effect.removed,
    }
}

/// The known effects of the patterns of a source.
#[derive(Clone, Debug)]
pub struct SurveyResult {
    /// The effects of its patterns.
    pub effects: Arc<Effects>,
    /// The revisions of the patterns for which they were computed.
    pub version: Version,
    /// The source's file for which they were computed.
    file: Arc<PatternFile>,
}

impl SurveyResult {
    /// Whether a file has the same patterns in the same order. Their decisions may be different.
    pub fn is_of(&self, file: &PatternFile) -> bool {
        let ids = file.patterns.iter().map(|pattern| &pattern.id);
        self.file.patterns.iter().map(|pattern| &pattern.id).eq(ids)
    }

    /// The effect of the source's own pattern at this index. `None` if a decision on the pattern was made since,
    /// because the known effect is then out of date.
    pub fn effect(&self, index: usize, pattern: &Pattern) -> Option<&PatternEffect> {
        let acts = |pattern: &Pattern| (pattern.status, pattern.regex.clone(), pattern.ends_after);
        let before = self.file.patterns.get(index).filter(|before| acts(before) == acts(pattern))?;
        let own = self.effects.patterns.first().filter(|_| before.id == pattern.id)?;
        own.get(index)
    }
}

#[derive(Debug, Default)]
struct State {
    known: HashMap<String, SurveyResult>,
    first: HashMap<String, Arc<FirstRemoved>>,
    focus: Option<String>,
    /// Number of results so far.
    count: u64,
}

impl Survey {
    /// The known effects of the patterns of a source.
    pub fn get(&self, source: &str) -> Option<SurveyResult> {
        self.state().known.get(source).cloned()
    }

    /// The bytes that each pattern of a source accounted for when it was first tried.
    pub fn first_removed(&self, source: &str) -> Arc<FirstRemoved> {
        self.state().first.get(source).cloned().unwrap_or_default()
    }

    /// Number of results so far.
    pub fn count(&self) -> u64 {
        self.state().count
    }

    /// Puts this source first, because it is on screen.
    pub fn focus(&self, source: &str) {
        self.state().focus = Some(source.to_owned());
        self.wake();
    }

    /// Puts this source first, and waits a short time until its effects are known.
    pub fn wait_for(&self, source: &str) {
        const PATIENCE_OF_OVERVIEW: Duration = Duration::from_millis(500);
        self.focus(source);
        let is_unknown = |state: &mut State| !state.known.contains_key(source) && !self.is_closed();
        drop(self.changed.wait_timeout_while(self.state(), PATIENCE_OF_OVERVIEW, is_unknown));
    }

    /// Wakes waiting threads after a change.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// Stops the survey.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Whether the survey was stopped.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        const AT_MOST: Duration = Duration::from_millis(500);
        drop(self.changed.wait_timeout(self.state(), AT_MOST));
    }
}

impl Session {
    /// Keeps the effects of all sources up to date, until the survey is closed.
    pub fn survey(&self) {
        // In a thread pool of its own, so that requests do not wait for background work.
        let threads = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
        while !self.survey.is_closed() {
            match (self.next_to_survey(), &threads) {
                (Some(source), Ok(threads)) => threads.install(|| self.survey_source(&source)),
                (Some(source), Err(_)) => self.survey_source(&source),
                (None, _) => self.survey.wait(),
            }
        }
    }

    /// A version of the data that a page shows about a source, or about all sources. It changes if the patterns or
    /// their known effects change.
    pub(super) fn seen(&self, source: Option<&str>) -> String {
        let Some(source) = source else {
            let revisions = self.files.revisions();
            return format!("{revisions:?}{}{}", self.survey.count(), self.documents.counts().is_some());
        };
        let known = self.survey.get(source).map(|known| known.version);
        format!("{:?}{known:?}", self.version(source))
    }

    fn next_to_survey(&self) -> Option<String> {
        let focus = self.survey.state().focus.clone();
        let all = self.files.sources();
        let is_stale = |source: &String| {
            let known = self.survey.get(source).map(|known| known.version);
            known != Some(self.version(source))
        };
        focus.into_iter().filter(|source| all.contains(source)).chain(all.clone()).find(is_stale)
    }

    fn survey_source(&self, source: &str) {
        let version = self.version(source);
        let texts = self.documents.texts(source);
        let open = self.files_for(source);
        let Some(own) = open.first() else { return };
        let files: Vec<&PatternFile> = open.iter().map(Arc::as_ref).collect();
        let question = Question { files: &files, options: &self.options, watched: None };
        let go_on = || !self.survey.is_closed() && self.version(source) == version;
        let effects = texts.effects(&question, go_on);
        if go_on() {
            let removed = effects.total().removed;
            let mut state = self.survey.state();
            let first = Arc::make_mut(state.first.entry(source.to_owned()).or_default());
            for (pattern, effect) in own.patterns.iter().zip(effects.patterns.iter().flatten()) {
                first.entry(pattern.id.clone()).or_insert_with(|| worth(pattern, effect, removed));
            }
            let known = SurveyResult { effects: Arc::new(effects), version, file: Arc::clone(own) };
            state.known.insert(source.to_owned(), known);
            state.count += 1;
            drop(state);
            self.survey.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::file;
    use super::*;

    #[test]
    fn an_effect_is_that_of_the_present_decision() {
        let mut now = file();
        let effect = |removed| PatternEffect { removed, ..PatternEffect::default() };
        let effects = Effects { patterns: vec![vec![effect(1), effect(2)]], ..Effects::default() };
        let known = SurveyResult { effects: Arc::new(effects), version: (1, 0), file: Arc::new(now.clone()) };
        now.patterns[0].status = Status::Accepted;
        now.patterns[1].note = "a note changes nothing".to_owned();
        let removed = |index: usize| known.effect(index, &now.patterns[index]).map(|effect| effect.removed);
        assert!(known.is_of(&now));
        assert_eq!([removed(0), removed(1)], [None, Some(2)]);
        now.patterns[1].ends_after = Some(40);
        assert_eq!(known.effect(1, &now.patterns[1]), None);
    }

    #[test]
    fn a_proposed_selector_is_worth_its_share_of_what_is_removed() {
        let mut pattern = file().patterns.remove(0);
        let seen = PatternEffect { matches: 3, removed: 7, ..PatternEffect::default() };
        assert_eq!(worth(&pattern, &seen, 200), 7, "a pattern without a share");
        pattern.removes = Some(0.125);
        assert_eq!(worth(&pattern, &seen, 200), 25);
        assert_eq!(worth(&pattern, &PatternEffect::default(), 200), 0, "it matches nothing here");
        for status in [Status::Accepted, Status::Rejected] {
            pattern.status = status;
            assert_eq!(worth(&pattern, &seen, 200), 7, "{status:?}: what it removes here is known");
        }
    }
}
