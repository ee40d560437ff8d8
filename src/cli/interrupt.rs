//! Signals: Ctrl-C, and the signal for a file that becomes larger than allowed.
//!
//! Ctrl-C stops the run, but never leaves half a file. If nothing is being written, the process ends at once. Otherwise
//! the current file is finished first, or deleted if it is long.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use dehusk::corpus::abandon_unfinished;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the command can continue a run that was stopped.
static RESUMES: AtomicBool = AtomicBool::new(false);

/// All code that writes a file holds it for reading. The code that ends the process holds it for writing.
static WRITING: RwLock<()> = RwLock::new(());

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped; all files written so far are complete; {}", Remedy)]
pub struct Interrupted;

/// What the user can do next.
struct Remedy;

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match RESUMES.load(Ordering::SeqCst) {
            true => "continue with --resume",
            false => "start again to do the rest",
        })
    }
}

/// From now on, Ctrl-C waits for files that are being written. A second Ctrl-C does not wait. `resumes` says whether the
/// command has `--resume`.
pub fn listen(resumes: bool) -> anyhow::Result<()> {
    RESUMES.store(resumes, Ordering::SeqCst);
    ctrlc::set_handler(|| {
        let is_second = STOPPED.swap(true, Ordering::SeqCst);
        let idle = WRITING.try_write();
        if is_second || idle.is_ok() {
            super::reporter::print_line(&format!("error: {Interrupted}"));
            abandon_unfinished();
            std::process::exit(super::Exit::Interrupted as i32);
        }
    })?;
    Ok(())
}

/// From now on, writing beyond the allowed file size (`ulimit -f`) is an error with a message, and does not end the process.
pub fn survive_large_files() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// An error if the user asked to stop.
pub fn check() -> Result<(), Interrupted> {
    if STOPPED.load(Ordering::SeqCst) { Err(Interrupted) } else { Ok(()) }
}

/// Permission to write a file while it is held. An error if the user asked to stop.
pub fn writing() -> Result<RwLockReadGuard<'static, ()>, Interrupted> {
    let permission = WRITING.read().unwrap_or_else(PoisonError::into_inner);
    check().map(|()| permission)
}
