//! Kills the program at random moments, lets it continue, and compares the result with an undisturbed run. Every run of
//! the tests does some rounds; this command does many:
//!
//! ```text
//! DEHUSK_KILLS=50 cargo test --release --all-features --test kills -- --nocapture
//! ```

#![allow(clippy::print_stderr)] // The number of kills is printed.

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

/// Maximum number of kills in a round.
const KILLS: usize = 3;

/// The amount of work.
struct Effort {
    /// Number of rounds.
    rounds: u64,
    /// Number of documents.
    documents: usize,
}

impl Effort {
    /// 2 rounds with `few` documents. If `DEHUSK_KILLS` is set, that number of rounds with `many` documents.
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

/// Kills a command after this time. Returns whether it was still running.
fn kill_after(mut command: Command, moment: Duration) -> io::Result<bool> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    sleep(moment);
    child.kill()?;
    Ok(!child.wait()?.success())
}

/// Runs a command to its end, which must be a success. Returns what it prints.
fn output_of(mut command: Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
