//! A program that runs beside the test, prints its address, and ends with the test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::spawn;

use super::waiting::PATIENCE;

/// A child process, killed when dropped.
pub struct Process {
    child: Child,
    /// The lines that it prints, on both streams.
    lines: Receiver<String>,
}

impl Process {
    /// Starts it.
    #[track_caller]
    pub fn start(command: &mut Command) -> Process {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let (sender, lines) = channel();
        child.stdout.take().into_iter().for_each(|stream| pass_on(stream, sender.clone()));
        child.stderr.take().into_iter().for_each(|stream| pass_on(stream, sender.clone()));
        Process { child, lines }
    }

    /// Waits for a line of its output from which this value can be read.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, read: impl Fn(&str) -> Option<T>) -> T {
        self.first(read).unwrap_or_else(|seen| panic!("it does not print {what}; it printed:\n{seen}"))
    }

    /// The value in the first line of its output that has one, or all that it printed.
    pub fn first<T>(&self, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        let mut seen = String::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            if let Some(value) = read(&line) {
                return Ok(value);
            }
            seen = seen + &line + "\n";
        }
        Err(seen)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a stream to its end, also when nobody needs its lines any more, because a full pipe would block the program.
fn pass_on(stream: impl Read + Send + 'static, sender: Sender<String>) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    spawn(move || lines.for_each(|line| drop(sender.send(line))));
}
