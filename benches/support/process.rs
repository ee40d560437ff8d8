//! Processes, and what they take.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a process took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub time: Duration,
    /// The most memory it had at a time, where the system says so.
    pub peak_bytes: Option<u64>,
}

/// Runs a program to its end. The peak is that of the largest process waited for so far, so a process that measures
/// should run one program only.
pub fn run(command: &mut Command) -> io::Result<Usage> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let time = start.elapsed();
    match status.success() {
        true => Ok(Usage { time, peak_bytes: peak_of_children() }),
        false => Err(io::Error::other(format!("{command:?}: {status}"))),
    }
}

#[cfg(unix)]
fn peak_of_children() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    getrusage(UsageWho::RUSAGE_CHILDREN).ok().map(|usage| usage.max_rss() as u64 * unit)
}

#[cfg(not(unix))]
fn peak_of_children() -> Option<u64> {
    None
}
