//! Ctrl-C: finish or drop the file in hand, never leave half of one.

use std::sync::atomic::{AtomicBool, Ordering};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped; every file written so far is whole, start again to do the rest")]
pub struct Interrupted;

/// From now on Ctrl-C is noted instead of ending the process. A second one ends it.
pub fn listen() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(super::Exit::Interrupted as i32);
        }
    })?;
    Ok(())
}

/// An error if the user asked to stop.
pub fn check() -> Result<(), Interrupted> {
    if STOPPED.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
}
