//! The progress of a stage: how much is done, how fast it is, and how long the rest will take.
//!
//! Takes the amount of work, and then what is done of it. A terminal shows a bar. Without a terminal, as in the log of a
//! job, lines are printed: after 10 s, 20 s, 40 s and so on, later every 10 minutes. A stage of less than 10 s prints none.

use std::fmt::Write;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::reporter::print_line;
use dehusk_core::shown::size;
use dehusk_core::threads::spawn;
use dehusk_run::Steps;

/// The time between 2 moves of a bar.
const BAR_MOVES: Duration = Duration::from_millis(200);
/// The time before the first line.
const FIRST_LINE: Duration = Duration::from_secs(10);
/// The longest time between 2 lines.
const LONGEST_SILENCE: Duration = Duration::from_secs(600);

/// A stage, which ends when this is dropped.
#[derive(Debug)]
pub struct Progress {
    stage: Arc<Stage>,
    /// Moves the bar, or prints lines if there is no terminal.
    _ticks: Option<Ticks>,
}

/// The state of a stage.
#[derive(Debug)]
struct Stage {
    doing: &'static str,
    steps: Steps,
    bar: ProgressBar,
    /// The steps that an earlier run did. They do not count for the speed.
    before: AtomicU64,
    start: Instant,
}

/// The figures at a moment.
struct Moment {
    done: u64,
    before: u64,
    elapsed: Duration,
}

/// A thread that does something again and again.
#[derive(Debug)]
struct Ticks {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// No stage.
    pub fn none() -> Progress {
        let bar = ProgressBar::hidden();
        let stage = Stage { doing: "", steps: Steps::Things(0), bar, before: AtomicU64::new(0), start: Instant::now() };
        Progress { stage: Arc::new(stage), _ticks: None }
    }

    /// Starts a stage. Nothing is shown if `quiet`.
    pub fn start(doing: &'static str, steps: Steps, quiet: bool) -> Progress {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(total(steps), target).with_message(doing);
        if let Ok(style) = ProgressStyle::with_template(template(steps)) {
            let rate = move |state: &ProgressState, text: &mut dyn Write| {
                let _ = text.write_str(&speed(steps, state.per_sec()));
            };
            bar.set_style(style.with_key("speed", rate));
        }
        let stage = Arc::new(Stage { doing, steps, bar, before: AtomicU64::new(0), start: Instant::now() });
        let told = stage.clone();
        let ticks = match (stage.bar.is_hidden(), quiet) {
            (false, _) => Some(Ticks::start(iter::repeat(BAR_MOVES), move || told.move_bar())),
            (true, false) => Some(Ticks::start(moments(), move || print_line(&told.line()))),
            (true, true) => None,
        };
        Progress { stage, _ticks: ticks }
    }

    /// Adds steps that are done.
    pub fn step(&self, steps: u64) {
        self.stage.bar.inc(steps);
    }

    /// Adds steps that an earlier run did.
    pub fn step_done_before(&self, steps: u64) {
        self.stage.before.fetch_add(steps, Ordering::Relaxed);
        self.stage.bar.inc(steps);
        self.stage.bar.reset_eta();
    }

    /// Prints something while the bar is hidden.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.stage.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.stage.bar.finish_and_clear();
    }
}

/// How much work there is. `None` if it is unknown.
fn total(steps: Steps) -> Option<u64> {
    match steps {
        Steps::Things(total) => Some(total),
        Steps::Bytes(total) => total,
    }
}

fn template(steps: Steps) -> &'static str {
    match steps {
        Steps::Things(_) => "{msg} {wide_bar} {human_pos}/{human_len}, {speed}, {elapsed}, {eta} left",
        Steps::Bytes(Some(_)) => {
            "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes}, {speed}, {elapsed}, {eta} left"
        }
        Steps::Bytes(None) => "{msg} {spinner} {decimal_bytes}, {speed}, {elapsed}",
    }
}

/// `34 % (3.1 of 9.0 GB), 41 MB/s, 2 min 20 s left`.
fn at(steps: Steps, Moment { done, before, elapsed }: Moment) -> String {
    let rate = done.saturating_sub(before) as f64 / elapsed.as_secs_f64();
    let mut parts = vec![match total(steps) {
        Some(total) => format!("{} % ({})", done * 100 / total.max(1), of(steps, done, total)),
        None => amount(steps, done),
    }];
    if rate > 0.0 {
        parts.push(speed(steps, rate));
        let left = |total: u64| total.saturating_sub(done) as f64 / rate;
        parts.extend(total(steps).map(|total| format!("{} left", duration(left(total)))));
    }
    parts.join(", ")
}

fn of(steps: Steps, done: u64, total: u64) -> String {
    if matches!(steps, Steps::Things(_)) {
        return format!("{done} of {total}");
    }
    // Both numbers are in the unit of the larger one.
    let (unit, bytes) = match total {
        0..1_000_000 => ("kB", 1e3),
        1_000_000..1_000_000_000 => ("MB", 1e6),
        _ => ("GB", 1e9),
    };
    format!("{:.1} of {:.1} {unit}", done as f64 / bytes, total as f64 / bytes)
}

fn amount(steps: Steps, amount: u64) -> String {
    if matches!(steps, Steps::Things(_)) { amount.to_string() } else { size(amount) }
}

fn speed(steps: Steps, rate: f64) -> String {
    match steps {
        Steps::Bytes(_) if rate >= 1e7 => format!("{:.0} MB/s", rate / 1e6),
        Steps::Bytes(_) => format!("{}/s", size(rate as u64)),
        Steps::Things(_) if rate >= 10.0 => format!("{rate:.0}/s"),
        Steps::Things(_) if rate >= 1.0 => format!("{rate:.1}/s"),
        Steps::Things(_) => format!("{:.1}/min", rate * 60.0),
    }
}

impl Stage {
    fn line(&self) -> String {
        let (done, before) = (self.bar.position(), self.before.load(Ordering::Relaxed));
        let moment = Moment { done, before, elapsed: self.start.elapsed() };
        format!("{}: {}", self.doing, at(self.steps, moment))
    }

    fn move_bar(&self) {
        if !self.bar.is_finished() {
            self.bar.tick();
        }
    }
}

impl Ticks {
    /// Starts a thread that calls `act` after each pause.
    fn start(mut pauses: impl Iterator<Item = Duration> + Send + 'static, act: impl Fn() + Send + 'static) -> Ticks {
        let (stop, stopped) = mpsc::channel();
        let work = move || {
            while let Some(pause) = pauses.next()
                && stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout)
            {
                act();
            }
        };
        // If no thread can be started, no progress is shown.
        Ticks { stop: Some(stop), thread: spawn("progress", work).ok() }
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        // Ends the pause of the thread.
        self.stop = None;
        self.thread.take().map(JoinHandle::join);
    }
}

/// The pauses between lines, which are printed after 10 s, 20 s, 40 s ...
fn moments() -> impl Iterator<Item = Duration> {
    let pauses = iter::successors(Some(FIRST_LINE), |pause| Some((*pause * 2).min(LONGEST_SILENCE)));
    iter::once(FIRST_LINE).chain(pauses)
}

/// `45 s`, `2 min 20 s`, `3 h 5 min`.
fn duration(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(steps: Steps, done: u64, before: u64, seconds: u64) -> String {
        super::at(steps, Moment { done, before, elapsed: Duration::from_secs(seconds) })
    }

    #[test]
    fn a_line_tells_how_far_how_fast_and_how_long() {
        let bytes = Steps::Bytes(Some(9_000_000_000));
        assert_eq!(at(bytes, 3_100_000_000, 0, 75), "34 % (3.1 of 9.0 GB), 41 MB/s, 2 min 23 s left");
        assert_eq!(at(bytes, 90_000_000, 0, 100), "1 % (0.1 of 9.0 GB), 900.0 kB/s, 2 h 45 min left");
        assert_eq!(at(Steps::from(3500), 1200, 0, 30), "34 % (1200 of 3500), 40/s, 58 s left");
        assert_eq!(at(Steps::from(3500), 0, 0, 30), "0 % (0 of 3500)");
        assert_eq!(at(Steps::from(4), 1, 0, 20), "25 % (1 of 4), 3.0/min, 1 min 0 s left");
        assert_eq!(at(Steps::Bytes(None), 3_100_000_000, 0, 75), "3.1 GB, 41 MB/s");
        assert_eq!(at(Steps::Things(0), 0, 0, 30), "0 % (0 of 0)");
    }

    #[test]
    fn what_was_done_before_is_no_speed() {
        assert_eq!(at(Steps::from(1000), 600, 500, 10), "60 % (600 of 1000), 10/s, 40 s left");
        assert_eq!(at(Steps::from(1000), 500, 500, 10), "50 % (500 of 1000)");
    }

    #[test]
    fn lines_come_ever_more_seldom_but_at_least_every_ten_minutes() {
        let mut seconds = 0;
        let times = moments().map(|pause| {
            seconds += pause.as_secs();
            seconds
        });
        assert_eq!(times.take(9).collect::<Vec<_>>(), [10, 20, 40, 80, 160, 320, 640, 1240, 1840]);
    }

    #[test]
    fn lines_end_with_their_stage() {
        let progress = Progress::start("cleaning", Steps::from(10), true);
        progress.step(3);
        progress.step_done_before(2);
        assert!(progress.stage.line().starts_with("cleaning: 50 % (5 of 10), "), "{}", progress.stage.line());
        let told = progress.stage.clone();
        let ticks = Ticks::start(iter::repeat(Duration::from_secs(3600)), move || print_line(&told.line()));
        let start = Instant::now();
        drop(ticks);
        assert!(start.elapsed() < Duration::from_secs(600));
        assert_eq!(Arc::strong_count(&progress.stage), 1);
    }
}
