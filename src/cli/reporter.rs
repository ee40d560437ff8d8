//! What a command prints: progress, warnings and errors on stderr, results on stdout.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use dehusk_core::setting::Setting;
use dehusk_run::{Observer, Often, Permission, Steps, Stop, WarningKind};

use super::interrupt;
use super::progress::Progress;
use super::skips::{Skips, TooManySkipped};
use super::terminal::harmless;

/// Prints messages beside the progress bar, and counts what was skipped.
#[derive(Debug)]
pub struct Reporter {
    quiet: bool,
    verbose: bool,
    progress: Mutex<Arc<Progress>>,
    often: Mutex<Often>,
    /// The time that each stage took.
    times: Mutex<Vec<(&'static str, f64)>>,
    skips: Mutex<Skips>,
    /// Maximum number of documents that may be skipped.
    max_errors: AtomicUsize,
    /// Whether a run that was stopped can be continued later.
    can_go_on: AtomicBool,
}

impl Reporter {
    /// A reporter. If `quiet`, it prints only errors and skipped documents.
    pub fn new(quiet: bool) -> Reporter {
        Reporter {
            quiet,
            verbose: false,
            progress: Mutex::new(Arc::new(Progress::none())),
            often: Mutex::default(),
            times: Mutex::default(),
            skips: Mutex::default(),
            max_errors: AtomicUsize::new(usize::MAX),
            can_go_on: AtomicBool::new(false),
        }
    }

    /// If `verbose`, makes the reporter also print what is done, and why.
    pub fn verbose(self, verbose: bool) -> Reporter {
        Reporter { verbose, ..self }
    }

    /// From now on, [`Reporter::check`] is an error if more documents than this are skipped. Its message depends on
    /// whether the run can be continued later (`can_go_on`).
    pub fn set_max_errors(&self, allowed: usize, can_go_on: bool) {
        self.max_errors.store(allowed, Ordering::Relaxed);
        self.can_go_on.store(can_go_on, Ordering::Relaxed);
    }

    /// Starts a stage. It shows a bar on a terminal. Elsewhere it prints a line now and then.
    pub fn start(&self, doing: &'static str, steps: impl Into<Steps>) {
        *lock(&self.progress) = Arc::new(Progress::start(doing, steps.into(), self.quiet));
    }

    /// Adds steps that are done.
    pub fn step(&self, steps: usize) {
        self.progress().step(steps as u64);
    }

    /// Adds steps that an earlier run did.
    pub fn step_done_before(&self, steps: usize) {
        self.progress().step_done_before(steps as u64);
    }

    /// Ends the stage.
    pub fn finish(&self) {
        let over = std::mem::replace(&mut *lock(&self.progress), Arc::new(Progress::none()));
        over.finish();
    }

    /// Prints a warning: something the user should know.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            self.print(&format!("warning: {message}"));
        }
    }

    /// Prints a warning of a kind that can be very frequent. Only the first of each kind are printed.
    pub fn warn_often(&self, kind: WarningKind, message: &str) {
        if lock(&self.often).add(kind) {
            self.warn(message);
        }
    }

    /// Prints how many warnings were not printed. To be called once, at the end.
    pub fn warn_of_others(&self) {
        let others = lock(&self.often).others();
        others.iter().for_each(|line| self.warn(line));
    }

    /// Prints something that the user may want to know.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            self.print(message);
        }
    }

    /// Prints what is done, or why, if the reporter is verbose.
    pub fn explain(&self, message: impl FnOnce() -> String) {
        if self.verbose {
            self.print(&message());
        }
    }

    /// Prints an error.
    pub fn error(&self, message: &str) {
        self.print(&format!("error: {message}"));
    }

    /// Prints the name of a document that is skipped, and the reason. Of documents with the same reason, only the first
    /// are printed.
    pub fn skip(&self, place: &str, reason: &str) {
        if lock(&self.skips).add(place, reason) {
            self.print(&format!("skipped: {place}: {reason}"));
        }
    }

    /// Prints how many skipped documents were not named. `lists_all` is the flag or command that lists all. To be
    /// called once, at the end.
    pub fn count_other_skips(&self, lists_all: &str) {
        let others = lock(&self.skips).others();
        others.iter().for_each(|line| self.print(&format!("skipped: {line}; {lists_all} lists all")));
    }

    /// Counts documents of an input that an earlier run skipped without keeping their names.
    pub fn skip_unnamed(&self, input: &str, count: usize) {
        lock(&self.skips).add_unnamed(count);
        self.print(&format!("skipped: {input}: {count} more, which the earlier run named"));
    }

    /// Fails if more documents were skipped than allowed.
    pub fn check(&self) -> Result<(), TooManySkipped> {
        let (skipped, allowed) = (self.skipped(), self.max_errors.load(Ordering::Relaxed));
        let is_kept = self.can_go_on.load(Ordering::Relaxed);
        if skipped > allowed { Err(TooManySkipped { skipped, allowed, is_kept }) } else { Ok(()) }
    }

    /// The times of the stages that ended since the last call.
    pub fn times(&self) -> Vec<(&'static str, f64)> {
        std::mem::take(&mut lock(&self.times))
    }

    /// The number of skipped documents.
    pub fn skipped(&self) -> usize {
        lock(&self.skips).count()
    }

    /// The messages about skipped documents, sorted: the first 1000.
    #[cfg(feature = "review")]
    pub fn skips(&self) -> Vec<String> {
        lock(&self.skips).named().cloned().collect()
    }

    /// The exit status of a run without an error.
    pub fn exit(&self) -> super::Exit {
        if self.skipped() > 0 { super::Exit::Skipped } else { super::Exit::Done }
    }

    fn print(&self, line: &str) {
        // Libraries name settings, and users of the program know flags.
        let line = Setting::rename_in(line, flag);
        self.progress().suspend(|| print_line(&line));
    }

    fn progress(&self) -> Arc<Progress> {
        lock(&self.progress).clone()
    }
}

impl Observer for Reporter {
    fn start(&self, stage: &'static str, steps: Steps) {
        Reporter::start(self, stage, steps);
    }

    fn step(&self, steps: u64) {
        Reporter::step(self, steps as usize);
    }

    fn step_done_before(&self, steps: u64) {
        Reporter::step_done_before(self, steps as usize);
    }

    fn finish(&self) {
        Reporter::finish(self);
    }

    fn took(&self, stage: &'static str, time: Duration) {
        self.explain(|| format!("{stage}: {:.2} s", time.as_secs_f64()));
        lock(&self.times).push((stage, time.as_secs_f64()));
    }

    fn warn(&self, kind: WarningKind, message: &str) {
        self.warn_often(kind, message);
    }

    fn error(&self, message: &str) {
        Reporter::error(self, message);
    }

    fn skip(&self, place: &str, reason: &str) {
        Reporter::skip(self, place, reason);
    }

    fn skip_alike(&self, place: &str, reason: &str) {
        lock(&self.skips).add_unprinted(place, reason);
    }

    fn note(&self, message: &str) {
        Reporter::note(self, message);
    }

    fn skip_unnamed(&self, input: &str, count: usize) {
        Reporter::skip_unnamed(self, input, count);
    }

    fn go_on(&self) -> Result<(), Stop> {
        interrupt::check()?;
        Ok(self.check()?)
    }

    fn writing(&self) -> Result<Permission, Stop> {
        Ok(Box::new(interrupt::writing_one_of_many()?))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a message on stderr. Characters that would control the terminal, for example in a file name, are escaped. If the message cannot be printed, nothing else happens.
pub fn print_line(line: &str) {
    let line = harmless(line);
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The flag of a setting.
fn flag(setting: Setting) -> String {
    format!("--{}", setting.name().replace('_', "-"))
}

/// Prints a result.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_that_a_message_names_is_a_flag() {
        let mut command = super::super::help::command();
        command.build();
        let commands: Vec<&clap::Command> = command.get_subcommands().chain([&command]).collect();
        for &setting in Setting::ALL {
            let is_flag = |command: &&clap::Command| {
                command
                    .get_arguments()
                    .any(|argument| argument.get_long().map(|long| format!("--{long}")) == Some(flag(setting)))
            };
            assert!(commands.iter().any(is_flag), "{setting}");
        }
    }

    #[test]
    fn a_run_stops_when_more_is_skipped_than_allowed() {
        let reporter = Reporter::new(true);
        ["a", "b", "b"].iter().for_each(|place| reporter.skip(place, "is empty"));
        assert!(reporter.check().is_ok());
        reporter.set_max_errors(2, true);
        assert!(reporter.check().is_ok());
        reporter.skip_unnamed("c.jsonl", 1);
        let message = reporter.check().expect_err("too many").to_string();
        assert!(message.starts_with("stopped: 3 documents were skipped, and --max-errors allows 2;"), "{message}");
        assert!(message.contains("continue with --resume"), "{message}");
        reporter.set_max_errors(0, false);
        assert!(!reporter.check().expect_err("too many").to_string().contains("--resume"));
    }

    #[test]
    fn what_may_come_often_is_counted_whatever_is_printed() {
        let reporter = Reporter::new(true);
        (0..25).for_each(|_| reporter.warn_often(WarningKind::Malformed, "a.txt: some bytes are not valid UTF-8"));
        let others = lock(&reporter.often).others();
        assert_eq!(others, ["and 22 more warnings that bytes of a document were replaced"]);
    }

    #[test]
    fn steps_go_to_the_stage_that_runs() {
        let reporter = Reporter::new(true);
        reporter.start("cleaning", 10);
        reporter.step(2);
        reporter.step_done_before(3);
        assert!(format!("{:?}", reporter.progress()).contains("before: 3"));
        reporter.finish();
        reporter.step(1);
        assert!(format!("{:?}", reporter.progress()).contains("before: 0"));
    }
}
