//! What patterns do, found out in the background: for the source that is looked at first, then for the others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::effects::{Effects, Question};
use crate::patterns::PatternFile;

use super::{Session, Version};

/// What is known, and which source to look at first.
#[derive(Debug, Default)]
pub struct Survey {
    state: Mutex<State>,
    changed: Condvar,
    closed: AtomicBool,
}

/// Bytes that went because of a pattern, by its id, when it was looked at for the first time. What is decided later
/// changes nothing of it, so that a list can keep its order.
pub type FirstRemoved = HashMap<String, usize>;

/// What was found out about a source.
#[derive(Clone, Debug)]
pub struct Known {
    /// What its patterns do.
    pub effects: Arc<Effects>,
    /// With which state of them that was found out.
    pub version: Version,
    /// Their ids, in order.
    ids: Arc<Vec<String>>,
}

impl Known {
    /// Whether a file has the same patterns in the same order, though they may have been decided on since.
    pub fn is_of(&self, file: &PatternFile) -> bool {
        self.ids.iter().eq(file.patterns.iter().map(|pattern| &pattern.id))
    }
}

#[derive(Debug, Default)]
struct State {
    known: HashMap<String, Known>,
    first: HashMap<String, Arc<FirstRemoved>>,
    focus: Option<String>,
    /// How often something was found out.
    count: u64,
}

impl Survey {
    /// What is known of a source.
    pub fn get(&self, source: &str) -> Option<Known> {
        self.state().known.get(source).cloned()
    }

    /// What the patterns of a source removed when they were looked at for the first time.
    pub fn first_removed(&self, source: &str) -> Arc<FirstRemoved> {
        self.state().first.get(source).cloned().unwrap_or_default()
    }

    /// How often something was found out.
    pub fn count(&self) -> u64 {
        self.state().count
    }

    /// This source is looked at: it comes first.
    pub fn focus(&self, source: &str) {
        self.state().focus = Some(source.to_owned());
        self.wake();
    }

    /// This source is looked at, and something of it should be known: waits for that, but not for long.
    pub fn wait_for(&self, source: &str) {
        const PATIENCE: Duration = Duration::from_millis(500);
        self.focus(source);
        let is_unknown = |state: &mut State| !state.known.contains_key(source) && !self.is_closed();
        drop(self.changed.wait_timeout_while(self.state(), PATIENCE, is_unknown));
    }

    /// Something changed.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// Ends the survey.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Whether the review is over.
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
    /// Keeps what is known of all sources up to date, until the survey is closed.
    pub fn survey(&self) {
        // With threads of its own, so that no request waits for what is done in the background.
        let threads = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
        while !self.survey.is_closed() {
            match (self.next_to_survey(), &threads) {
                (Some(source), Ok(threads)) => threads.install(|| self.survey_source(&source)),
                (Some(source), Err(_)) => self.survey_source(&source),
                (None, _) => self.survey.wait(),
            }
        }
    }

    /// The state of a source, or of all, that a page shows: another if the patterns or what is known of them changed.
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
        let files = self.files_for(source);
        let files: Vec<&PatternFile> = files.iter().map(Arc::as_ref).collect();
        let question = Question { files: &files, options: &self.options, watched: None };
        let go_on = || !self.survey.is_closed() && self.version(source) == version;
        let effects = texts.effects(&question, go_on);
        if go_on() {
            let mut state = self.survey.state();
            let first = Arc::make_mut(state.first.entry(source.to_owned()).or_default());
            let own = files.first().map_or(&[][..], |own| &own.patterns);
            for (pattern, effect) in own.iter().zip(effects.patterns.iter().flatten()) {
                first.entry(pattern.id.clone()).or_insert(effect.removed);
            }
            let ids = Arc::new(own.iter().map(|pattern| pattern.id.clone()).collect());
            state.known.insert(source.to_owned(), Known { effects: Arc::new(effects), version, ids });
            state.count += 1;
            drop(state);
            self.survey.wake();
        }
    }
}
