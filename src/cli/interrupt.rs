//! Signals: Ctrl-C, and the one of a file that grows beyond what is allowed.
//!
//! Ctrl-C stops at once, but never leaves half a file. Where nothing is being written the process ends on the spot.
//! Where something is, the file in hand is finished, or dropped if it is long, and then the run ends.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use dehusk::corpus::abandon_unfinished;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the command can go on where it was stopped.
static RESUMES: AtomicBool = AtomicBool::new(false);

/// Held for reading by all who write a file, for writing by whoever ends the process.
static WRITING: RwLock<()> = RwLock::new(());

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped; every file written so far is whole, {}", Remedy)]
pub struct Interrupted;

/// What to do then.
struct Remedy;

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match RESUMES.load(Ordering::SeqCst) {
            true => "go on with --resume",
            false => "start again to do the rest",
        })
    }
}

/// From now on Ctrl-C waits for the files being written. A second one does not. `resumes`: whether the command knows
/// `--resume`.
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

/// From now on writing more than a file may have (`ulimit -f`) is an error that can be told, and does not end the process.
pub fn survive_large_files() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// An error if the user asked to stop.
pub fn check() -> Result<(), Interrupted> {
    if STOPPED.load(Ordering::SeqCst) { Err(Interrupted) } else { Ok(()) }
}

/// Permission to write a file, for as long as it is held; an error if the user asked to stop.
pub fn writing() -> Result<RwLockReadGuard<'static, ()>, Interrupted> {
    let permission = WRITING.read().unwrap_or_else(PoisonError::into_inner);
    check().map(|()| permission)
}
