//! Asks Python.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a Python program writes that reads this request from its standard input. `None` if there is no Python here, which is a
/// failure where `CI` is set. `what` is not tested then.
pub fn by_python(what: &str, program: &str, request: &Value) -> Option<Vec<u8>> {
    let command = Command::new("python3").args(["-c", program]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = match command {
        Ok(python) => python,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "python3 cannot be started: {error}");
            notice(&format!("NOT TESTED: {what}, because python3 cannot be started ({error})"));
            return None;
        }
    };
    python.stdin.take().unwrap().write_all(request.to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "python3 failed; what it says is above");
    Some(output.stdout)
}

#[expect(clippy::print_stderr, reason = "who reads the test's output must see what was left out")]
fn notice(message: &str) {
    eprintln!("\n{message}\n");
}
