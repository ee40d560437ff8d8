//! What examples say on stderr.

use std::io::{self, Write};

use dehusk_run::{Observer, WarningKind};

/// Names on stderr what is left out.
pub struct Stderr;

impl Observer for Stderr {
    fn warn(&self, _kind: WarningKind, message: &str) {
        let _ = writeln!(io::stderr(), "warning: {message}");
    }

    fn skip(&self, place: &str, reason: &str) {
        let _ = writeln!(io::stderr(), "skipped: {place}: {reason}");
    }
}
