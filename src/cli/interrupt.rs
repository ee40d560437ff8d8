//! Signals: Ctrl-C, and the signal for a file that becomes larger than allowed.
//!
//! Ctrl-C stops the run, but never leaves half a file. If nothing is being written, the process ends at once. Otherwise
//! the current file is finished first, or deleted if it is long.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard};

use dehusk_corpus::abandon_unfinished;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the user was told that the run was stopped.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Where the command writes its results.
static RESULTS: OnceLock<Results> = OnceLock::new();

/// Whether the run has begun to write results.
static WRITES: AtomicBool = AtomicBool::new(false);

/// A lock. All code that writes a file holds it for reading. The code that ends the process holds it for writing.
static WRITING: RwLock<()> = RwLock::new(());

/// Where a command writes its results. This determines what is left when the command is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Files.
    Files,
    /// Files, and `--resume` continues the command.
    Resumed,
    /// The same, and also what was mined before the first file was written.
    Mined,
    /// A state, from which the same command continues.
    State,
    /// Lines on stdout.
    Stdout,
}

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped; {}", State)]
pub struct Interrupted;

/// What was written, and what the user can do next.
struct State;

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let results = RESULTS.get().copied().unwrap_or(Results::Files);
        f.write_str(match (results, WRITES.load(Ordering::SeqCst)) {
            (Results::Stdout, _) => "the output is not complete; start again",
            (Results::State, _) => "what was learned so far is stored; start again to do the rest",
            (Results::Mined, false) => {
                "what was mined so far is stored; give the same command with --resume to continue"
            }
            (_, false) => "nothing was written; start again",
            (Results::Resumed | Results::Mined, true) => {
                "all files written so far are complete; continue with --resume"
            }
            (Results::Files, true) => "all files written so far are complete; start again to do the rest",
        })
    }
}

/// From now on, Ctrl-C waits for files that are being written. A second Ctrl-C does not wait.
pub fn listen(results: Results) -> anyhow::Result<()> {
    let _ = RESULTS.set(results);
    ctrlc::set_handler(|| {
        let is_second = STOPPED.swap(true, Ordering::SeqCst);
        let idle = WRITING.try_write();
        if is_second || idle.is_ok() {
            if is_first_to_tell() {
                super::reporter::print_line(&format!("error: {Interrupted}"));
            }
            abandon_unfinished();
            std::process::exit(super::Exit::Interrupted as i32);
        }
    })
    .map_err(|error| match error {
        ctrlc::Error::System(error) => dehusk_core::threads::none_left(error).into(),
        error => anyhow::Error::from(error),
    })
}

/// Returns true only at the first call. The caller then tells the user that the run was stopped. The command and the
/// signal handler may notice it at the same time.
pub fn is_first_to_tell() -> bool {
    !TOLD.swap(true, Ordering::SeqCst)
}

/// From now on, writing beyond the allowed file size (`ulimit -f`) is an error with a message, and does not end the process.
pub fn survive_large_files() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// Fails if the user asked to stop.
pub fn check() -> Result<(), Interrupted> {
    if STOPPED.load(Ordering::SeqCst) { Err(Interrupted) } else { Ok(()) }
}

/// The same permission as [`writing`], for a run that writes several results. Notes that the run has begun to write.
pub fn writing_one_of_many() -> Result<RwLockReadGuard<'static, ()>, Interrupted> {
    let permission = writing()?;
    WRITES.store(true, Ordering::SeqCst);
    Ok(permission)
}

/// Permission to write files, as long as the permission is held. Fails if the user asked to stop.
pub fn writing() -> Result<RwLockReadGuard<'static, ()>, Interrupted> {
    let permission = WRITING.read().unwrap_or_else(PoisonError::into_inner);
    check().map(|()| permission)
}
