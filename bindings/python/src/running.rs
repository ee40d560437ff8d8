//! Runs long work without the interpreter's lock, and listens to the interpreter meanwhile.
//!
//! Long work has a thread of its own. The calling thread waits, and now and then takes the lock, to notice Ctrl-C and
//! to tell the user's function about progress. Ctrl-C and an exception of that function stop the work. If the work is
//! at a step that cannot be stopped, the caller does not wait for its end, and the result is dropped. Short work is
//! done by the calling thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dehusk::{Observer, Often, Steps, Stop, WarningKind};
use pyo3::prelude::*;

use crate::errors::{Fault, Result};

/// How often the caller listens.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the caller waits for work that was stopped.
const PATIENCE_OF_CALLER: Duration = Duration::from_millis(200);
/// Maximum number of left-out documents that are kept. A run of millions of documents can leave out millions.
const SKIPS: usize = 1000;

/// The messages and the progress of a run, for its caller.
#[derive(Debug, Default)]
pub struct Run {
    stopped: AtomicBool,
    stage: Mutex<Stage>,
    told: Mutex<Told>,
}

/// The stage of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stage {
    name: &'static str,
    done: u64,
    total: Option<u64>,
}

/// The messages for the user after a run.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Warnings, as the program prints them: the first ones of each kind.
    pub warnings: Vec<String>,
    /// The number of warnings of each kind.
    pub often: Often,
    /// Documents that were left out: the place, and the reason.
    pub skipped: Vec<(String, String)>,
    /// Number of documents that were left out.
    pub skips: usize,
}

impl Told {
    /// The same messages, each changed by `rename`, so that they name places that the caller knows, not temporary
    /// files.
    pub fn renamed(self, rename: impl Fn(&str) -> String) -> Told {
        let warnings = self.warnings.iter().map(|message| rename(message)).collect();
        let skipped = self.skipped.iter().map(|(place, reason)| (rename(place), rename(reason))).collect();
        Told { warnings, skipped, ..self }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct Stopped;

impl Run {
    /// The messages for the user so far.
    pub fn told(&self) -> Told {
        lock(&self.told).clone()
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Observer for Run {
    fn start(&self, name: &'static str, steps: Steps) {
        let total = match steps {
            Steps::Things(things) => Some(things),
            Steps::Bytes(bytes) => bytes,
        };
        *lock(&self.stage) = Stage { name, done: 0, total };
    }

    fn step(&self, steps: u64) {
        lock(&self.stage).done += steps;
    }

    fn step_done_before(&self, steps: u64) {
        lock(&self.stage).done += steps;
    }

    fn warn(&self, kind: WarningKind, message: &str) {
        let mut told = lock(&self.told);
        if told.often.add(kind) {
            told.warnings.push(message.to_owned());
        }
    }

    fn error(&self, message: &str) {
        self.warn(WarningKind::Rare, message);
    }

    fn skip(&self, place: &str, reason: &str) {
        let mut told = lock(&self.told);
        let skip = (place.to_owned(), reason.to_owned());
        // The same document may come several times.
        if told.skipped.contains(&skip) {
            return;
        }
        told.skips += 1;
        if told.skipped.len() < SKIPS {
            told.skipped.push(skip);
        }
    }

    fn go_on(&self) -> std::result::Result<(), Stop> {
        if self.stopped.load(Ordering::Relaxed) { Err(Box::new(Stopped)) } else { Ok(()) }
    }
}

/// Does short work on this thread. Ctrl-C is noticed when the work asks whether to go on.
///
/// # Errors
/// If the work fails, or Ctrl-C is pressed.
pub fn listening<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T> + Send,
) -> Result<T> {
    let heard: Mutex<(Instant, Option<PyErr>)> = Mutex::new((Instant::now(), None));
    let go_on = || {
        let (last, error) = &mut *lock(&heard);
        if error.is_none() && last.elapsed() >= PAUSE {
            *error = Python::attach(|py| py.check_signals()).err();
            *last = Instant::now();
        }
        error.is_none()
    };
    let result = py.detach(|| work(&go_on));
    let (_, error) = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(result, |error| Err(Fault::Raised(error)))
}

/// Does `work` on a thread of its own. `progress` is called with what is done, the total (or `None`), and the stage.
///
/// # Errors
/// If the work fails, Ctrl-C is pressed, or `progress` raises.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Run) -> Result<T> + Send + 'static,
) -> Result<T> {
    let run = Arc::new(Run::default());
    let (send, receive) = mpsc::sync_channel(1);
    let working = Arc::clone(&run);
    let guarded = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&working)));
        // If nobody waits any more, the result is dropped.
        let _ = send.send(result.unwrap_or_else(|_| Err(Fault::Internal("a thread panicked".to_owned()))));
    };
    let spawned = thread::Builder::new().name("dehusk".to_owned()).spawn(guarded);
    spawned.map_err(|error| Fault::io(&error))?;
    let receive = Mutex::new(receive);
    let wait = |time: Duration| py.detach(|| lock(&receive).recv_timeout(time));
    let mut told = Stage::default();
    loop {
        let received = wait(PAUSE);
        let is_over = match &received {
            Err(RecvTimeoutError::Timeout) => false,
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => true,
            Ok(Ok(_)) => {
                if let Some(progress) = progress {
                    tell(&run, progress, &mut told)?;
                }
                true
            }
        };
        if is_over {
            return received.unwrap_or_else(|_| Err(Fault::Internal("a thread ended".to_owned())));
        }
        let heard = py.check_signals().map_err(Fault::from);
        let heard = heard.and_then(|()| progress.map_or(Ok(()), |progress| tell(&run, progress, &mut told)));
        if let Err(fault) = heard {
            run.stop();
            let _ = wait(PATIENCE_OF_CALLER);
            return Err(fault);
        }
    }
}

fn tell(run: &Run, progress: &Bound<'_, PyAny>, told: &mut Stage) -> Result<()> {
    let stage = *lock(&run.stage);
    if stage.name.is_empty() || stage == *told {
        return Ok(());
    }
    *told = stage;
    progress.call1((stage.done, stage.total, stage.name))?;
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
