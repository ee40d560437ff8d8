//! Runs processes and measures them.

use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The argument before a command that is to be run and measured.
const MEASURE: &str = "--measure";

/// Prints a line.
pub fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// The cost of a process.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// From its start to its end.
    pub time: Duration,
    /// The CPU time, and the peak memory in bytes, if the system reports them.
    pub of_system: Option<(Duration, u64)>,
}

impl Usage {
    /// Measures a command. This program starts itself again to run the command, and must call [`measure_if_asked`].
    pub fn of(command: &Command) -> io::Result<Usage> {
        Usage::of_ending_with(command, &[0])
    }

    /// The same, for a command that may end with these statuses.
    pub fn of_ending_with(command: &Command, statuses: &[i32]) -> io::Result<Usage> {
        let mut measuring = Command::new(env::current_exe()?);
        let statuses = statuses.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
        measuring.arg(MEASURE).arg(statuses).arg(command.get_program()).args(command.get_args());
        let output = measuring.output()?;
        let usage = Usage::parse(&String::from_utf8_lossy(&output.stdout)).filter(|_| output.status.success());
        usage.ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr)))
    }

    /// The line for [`Usage::parse`].
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{}", self.time.as_micros())?;
        match self.of_system {
            Some((cpu, peak)) => writeln!(out, " {} {peak}", cpu.as_micros()),
            None => writeln!(out),
        }
    }

    /// Reads the line of [`Usage::write`].
    fn parse(line: &str) -> Option<Usage> {
        let numbers: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        let (time, of_system) = match numbers.ok()?[..] {
            [time] => (time, None),
            [time, cpu, peak] => (time, Some((Duration::from_micros(cpu), peak))),
            _ => return None,
        };
        Some(Usage { time: Duration::from_micros(time), of_system })
    }
}

/// If this process was started by [`Usage::of`], runs and measures the command. Returns whether it was.
pub fn measure_if_asked() -> io::Result<bool> {
    let mut words = env::args_os().skip(1);
    if words.next().is_none_or(|word| word != MEASURE) {
        return Ok(false);
    }
    let statuses = words.next().unwrap_or_default().to_string_lossy().into_owned();
    let program = words.next().ok_or_else(|| io::Error::other("nothing to measure"))?;
    run(Command::new(program).args(words), &statuses)?.write(&mut io::stdout())?;
    Ok(true)
}

/// Runs a program to its end. The system only reports the sum for all children and the peak of the largest one, so a
/// measuring process runs only one program.
fn run(command: &mut Command, statuses: &str) -> io::Result<Usage> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    let time = start.elapsed();
    match status.code().is_some_and(|code| statuses.split(',').any(|allowed| allowed == code.to_string())) {
        true => Ok(Usage { time, of_system: of_children() }),
        false => Err(io::Error::other(format!("{command:?}: {status}"))),
    }
}

#[cfg(unix)]
fn of_children() -> Option<(Duration, u64)> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    Some((Duration::from_micros(micros as u64), usage.max_rss() as u64 * unit))
}

#[cfg(not(unix))]
fn of_children() -> Option<(Duration, u64)> {
    None
}
