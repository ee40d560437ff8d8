//! Runs searches on the regex engine so that they can be stopped.
//!
//! A search may take minutes, and the engine has no way to cancel it. But the engine asks for the text at every step.
//! So the text can stop the search when the result is no longer needed: it unwinds the stack, as a panic does. This is
//! safe, because every search of the engine uses its own data.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fancy_regex::{Input, Regex};

use super::regexes::MatchError;

/// A text for the engine that can stop the search.
pub struct Watched<'t> {
    text: &'t str,
    go_on: &'t dyn Fn() -> bool,
    /// Number of times the engine asked for the text.
    asked: Cell<usize>,
}

/// The panic payload of a stopped search.
struct Stopped;

impl<'t> Watched<'t> {
    /// Wraps a text. `go_on` is called regularly during a search; if it returns false, the search stops.
    pub fn new(text: &'t str, go_on: &'t dyn Fn() -> bool) -> Watched<'t> {
        Watched { text, go_on, asked: Cell::new(0) }
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The first match from a position on.
    pub fn find(&self, regex: &Regex, from: usize) -> Result<Option<Range<usize>>, MatchError> {
        match catch_unwind(AssertUnwindSafe(|| regex.find_from_pos(self, from))) {
            Ok(found) => Ok(found.map_err(Box::new)?),
            Err(reason) if reason.is::<Stopped>() => Err(MatchError::Stopped),
            Err(reason) => resume_unwind(reason),
        }
    }

    fn look_up(&self) {
        /// Number of steps between calls of `go_on`. A step may read the text to its end, which takes milliseconds for
        /// a long text.
        const STEPS: usize = 64;
        let asked = self.asked.get() + 1;
        self.asked.set(asked);
        if asked.is_multiple_of(STEPS) && !(self.go_on)() {
            resume_unwind(Box::new(Stopped));
        }
    }
}

impl Input for Watched<'_> {
    type Match<'m>
        = Range<usize>
    where
        Self: 'm;

    fn len(&self) -> usize {
        self.text.len()
    }

    fn as_bytes(&self) -> &[u8] {
        self.look_up();
        self.text.as_bytes()
    }

    fn is_char_boundary(&self, at: usize) -> bool {
        self.text.is_char_boundary(at)
    }

    fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn prev_codepoint_ix(&self, at: usize) -> usize {
        self.look_up();
        Input::prev_codepoint_ix(self.text, at)
    }

    fn make_match(&self, start: usize, end: usize) -> Range<usize> {
        start..end
    }

    fn advance_position(&self, at: usize) -> usize {
        Input::advance_position(self.text, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stops the search after `most` calls of `go_on`. Returns its result and the number of calls.
    fn stopped_after(regex: &str, text: &str, most: usize) -> (Result<Option<Range<usize>>, MatchError>, usize) {
        let asked = Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() < most
        };
        let found = Watched::new(text, &go_on).find(&Regex::new(regex).unwrap(), 0);
        (found, asked.get())
    }

    #[test]
    fn a_search_ends_as_soon_as_nobody_waits_for_it() {
        let text = "a".repeat(20_000);
        for regex in ["a++b", "(a|aa)+(?!a)b", r"(?=(a*))\1b", "(?<=a)a*?b(?!a)", "(?:(?>a|x))+b"] {
            let (found, asked) = stopped_after(regex, &text, 3);
            assert!(matches!(found, Err(MatchError::Stopped)), "{regex}: {found:?}");
            assert_eq!(asked, 3, "{regex}");
        }
    }

    #[test]
    fn a_regex_that_was_stopped_finds_what_it_found_before() {
        let text = format!("{}b", "a".repeat(3_000));
        let regex = Regex::new("(?<!a)(?:a|aa)+?b(?!a)").unwrap();
        let stopped = Watched::new(&text, &|| false).find(&regex, 0);
        assert!(matches!(stopped, Err(MatchError::Stopped)));
        let found = regex.find(text.as_str()).unwrap().map(|found| found.range());
        assert_eq!(Watched::new(&text, &|| true).find(&regex, 0).unwrap(), found);
        assert_eq!(found, Some(0..3_001));
    }
}
