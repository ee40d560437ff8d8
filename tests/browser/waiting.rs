//! Waiting for what a page or a program will do soon.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum time to wait. Work that takes seconds on a busy machine must not fail, and work that hangs must fail.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Tries until it succeeds. When the time is over, the last failure is reported.
#[track_caller]
pub fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(failure) if start.elapsed() > PATIENCE => panic!("{what}: {failure}"),
            Err(_) => sleep(Duration::from_millis(20)),
        }
    }
}
