//! What a person sees while it runs: progress and warnings on stderr, results on stdout.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::harmless;

/// Prints without tearing the progress bar, and counts what was skipped.
#[derive(Debug)]
pub struct Reporter {
    quiet: bool,
    bar: Mutex<ProgressBar>,
    skipped: Mutex<BTreeSet<String>>,
}

impl Reporter {
    /// Nothing but errors and skipped documents if `quiet`.
    pub fn new(quiet: bool) -> Reporter {
        Reporter { quiet, bar: Mutex::new(ProgressBar::hidden()), skipped: Mutex::default() }
    }

    /// Starts a bar of so many steps; on a terminal only.
    pub fn start(&self, doing: &'static str, steps: usize) {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(doing);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {elapsed}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = bar;
    }

    /// So many steps of the bar are done.
    pub fn step(&self, steps: usize) {
        self.bar().inc(steps as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar().finish_and_clear();
    }

    /// Something the user should know.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            self.print(&format!("warning: {message}"));
        }
    }

    /// Something the user may like to know.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            self.print(message);
        }
    }

    /// Why it failed.
    pub fn error(&self, message: &str) {
        self.print(&format!("error: {message}"));
    }

    /// Names a document that is left out, once.
    pub fn skip(&self, what: &str) {
        if self.skipped.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned()) {
            self.print(&format!("skipped: {what}"));
        }
    }

    /// How many documents were left out.
    pub fn skipped(&self) -> usize {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What was left out, as it was named.
    #[cfg(feature = "review")]
    pub fn skips(&self) -> Vec<String> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The exit status of a run that went through.
    pub fn exit(&self) -> super::Exit {
        if self.skipped() > 0 { super::Exit::Skipped } else { super::Exit::Done }
    }

    fn print(&self, line: &str) {
        self.bar().suspend(|| print_line(line));
    }

    fn bar(&self) -> ProgressBar {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Prints a message on stderr: what would drive the terminal, as in a file's name, is escaped. Whether anybody reads it
/// is not our business.
pub fn print_line(line: &str) {
    let line = harmless(line);
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints a result.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}
