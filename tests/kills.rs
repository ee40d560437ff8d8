//! Kills the program at random moments, lets it go on, and compares what comes of it with an undisturbed run. Some rounds in
//! every run of the tests, and many on demand:
//!
//! ```text
//! DEHUSK_KILLS=50 cargo test --release --all-features --test kills -- --nocapture
//! ```

#![allow(clippy::print_stderr)] // how often it was killed is worth knowing

use std::env;
use std::io;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, ensure};

#[path = "../benches/support/mod.rs"]
mod support;

#[path = "kills/clean.rs"]
mod clean;
#[path = "kills/input.rs"]
mod input;
#[path = "kills/stream.rs"]
mod stream;

/// How often the program is killed in a round at most.
const KILLS: usize = 3;

/// How much is done.
struct Effort {
    /// How often all is done from the beginning.
    rounds: u64,
    /// How many documents there are.
    documents: usize,
}

impl Effort {
    /// Some rounds with few documents; with many, and as many rounds as `DEHUSK_KILLS` says, if it says so.
    fn asked_for(few: usize, many: usize) -> anyhow::Result<Effort> {
        match env::var("DEHUSK_KILLS") {
            Ok(rounds) => {
                let rounds = rounds.parse().context("DEHUSK_KILLS is a number of rounds")?;
                Ok(Effort { rounds, documents: many })
            }
            Err(_) => Ok(Effort { rounds: 2, documents: few }),
        }
    }
}

/// Kills a command after so much time; tells whether it was still at work.
fn kill_after(mut command: Command, moment: Duration) -> io::Result<bool> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    sleep(moment);
    child.kill()?;
    Ok(!child.wait()?.success())
}

/// Runs a command to its end, which has to be a good one; gives what it prints.
fn output_of(mut command: Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
