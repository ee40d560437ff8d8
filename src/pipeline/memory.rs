//! How much memory there may be for documents: it decides how many are mined or cleaned at once, and which are refused.

use std::sync::{Condvar, Mutex, PoisonError};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::cleaning::TextCounts;
use crate::shown::size;

/// What a source may take while it is mined, for each byte of it that is read, before it is known how many tokens it has:
/// language has one for every five bytes or more.
pub const BYTES_PER_BYTE: u64 = 12;
/// The same for HTML that is read as text, of which half is taken for text at most.
pub const BYTES_PER_BYTE_OF_HTML: u64 = 5;

/// For each token, beside the text: where it stands, how it sorts, and which line it is of.
const BYTES_PER_TOKEN: u64 = 40;
/// For each run that recurs: it, the pattern that it may become, and its matches.
const BYTES_PER_RUN: f64 = 320.0;

/// What a source may take once its tokens are known, beside its text: so many, of so many different ones. Of tokens by
/// chance one in the logarithm of the different ones starts a run that recurs, and in language no more do. Measured on what
/// takes most (`benches/memory`).
pub fn need_of_tokens(tokens: usize, different: usize) -> u64 {
    let runs = tokens as f64 / (different.max(3) as f64).ln();
    BYTES_PER_TOKEN * tokens as u64 + (BYTES_PER_RUN * runs) as u64
}

/// For each pattern that is tried out: it, the automaton that finds it, and what is counted of it.
const BYTES_PER_PATTERN: u64 = 2000;
/// For each of its matches.
const BYTES_PER_MATCH: u64 = 48;
/// For each token of the documents that it is looked for in, and the text of that.
const BYTES_PER_READ_TOKEN: u64 = 50;

/// What trying out so many patterns takes, in documents with so many matches and tokens.
pub fn need_to_try_out(patterns: usize, matches: u64, tokens: u64) -> u64 {
    BYTES_PER_PATTERN * patterns as u64 + BYTES_PER_MATCH * matches + BYTES_PER_READ_TOKEN * tokens
}

/// What a document takes at most while something is done with it, in bytes: so much for each byte of its text, for each token,
/// and for each line. Measured on what takes most (`benches/memory`).
#[derive(Clone, Copy, Debug)]
pub struct DocumentNeed {
    of_byte: u64,
    of_token: u64,
    of_line: u64,
}

impl DocumentNeed {
    /// To be cleaned.
    pub const TO_CLEAN: DocumentNeed = DocumentNeed { of_byte: 5, of_token: 48, of_line: 40 };
    /// To be learned from, and cleaned: each line may be a segment that is known.
    pub const TO_STREAM: DocumentNeed = DocumentNeed { of_byte: 10, of_token: 60, of_line: 200 };

    /// What a text takes at most; an error if that is more than there is. What it is made of is counted only if it may be too
    /// much.
    pub fn within(&self, limit: u64, text: &str, count: impl FnOnce() -> TextCounts) -> Result<u64, String> {
        let bytes = text.len() as u64;
        // Of a line that has something in it, two bytes at least.
        let at_most = bytes * (self.of_byte + self.of_token.max((self.of_token + self.of_line) / 2));
        if at_most <= limit {
            return Ok(at_most);
        }
        let TextCounts { tokens, lines } = count();
        let need = bytes * self.of_byte + tokens as u64 * self.of_token + lines as u64 * self.of_line;
        if need <= limit {
            return Ok(need);
        }
        let (need, limit) = (size(need), size(limit));
        Err(format!(
            "may need {need} of memory, more than the {limit} there is for it: split it, or allow more (--memory)"
        ))
    }
}

/// Memory that is shared out.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    left: Mutex<u64>,
    returned: Condvar,
}

/// A part of it, returned when dropped.
#[derive(Debug)]
pub struct Share<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Budget {
    /// So many bytes.
    pub fn new(limit: u64) -> Budget {
        Budget { limit, left: Mutex::new(limit), returned: Condvar::new() }
    }

    /// The most that can be taken.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Waits until so many bytes are there, or all if there are never as many.
    pub fn take(&self, bytes: u64) -> Share<'_> {
        let bytes = bytes.min(self.limit);
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = self.returned.wait_while(left, |left| *left < bytes).unwrap_or_else(PoisonError::into_inner);
        *left -= bytes;
        Share { budget: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.left.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.budget.returned.notify_all();
    }
}

/// Three quarters of what is free: of the machine's memory, or of what this group of processes may take.
pub fn most_of_what_is_free() -> u64 {
    let memory = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
    let of_group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(of_group) / 4 * 3
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let (budget, taken, most) = (Budget::new(10), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for bytes in [3, 4, 5, 6, 10, 99, 1, 2] {
                let (budget, taken, most) = (&budget, &taken, &most);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let share = budget.take(bytes);
                        let now = taken.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        taken.fetch_sub(share.bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
    }

    #[test]
    fn text_of_few_different_tokens_needs_more() {
        // Language has five bytes a token, and thousands of different ones.
        let [language, letters] = [30_000, 26].map(|different| need_of_tokens(1_000_000, different));
        assert!(language < 5_000_000 * BYTES_PER_BYTE * 3 / 2 && letters > 3 * language / 2, "{language} {letters}");
    }

    #[test]
    fn a_document_is_refused_only_for_what_it_is_made_of() {
        let (need, text) = (DocumentNeed::TO_CLEAN, "a word of it\n".repeat(100));
        let counts = TextCounts { tokens: 400, lines: 100 };
        let exact = text.len() as u64 * need.of_byte + 400 * need.of_token + 100 * need.of_line;
        assert_eq!(need.within(exact, &text, || counts), Ok(exact));
        assert!(need.within(exact - 1, &text, || counts).unwrap_err().contains("split it"));
        assert!(need.within(u64::MAX, &text, || panic!("there is enough whatever it is made of")).is_ok());
    }

    #[test]
    fn something_is_free() {
        assert!(most_of_what_is_free() > 0);
    }
}
