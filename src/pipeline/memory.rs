//! The memory for documents: how many documents are mined or cleaned at the same time, and which are refused.

use std::sync::{Condvar, Mutex, PoisonError};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::cleaning::TextCounts;
use crate::shown::size;

/// Memory to mine a source, for each of its bytes, before the number of its tokens is known. Language has five or more
/// bytes per token.
pub const BYTES_PER_BYTE: u64 = 12;
/// The same for HTML that is read as text. At most half of the HTML becomes text.
pub const BYTES_PER_BYTE_OF_HTML: u64 = 5;

/// Memory for each token, in addition to the text: its position, its place in the sort order, its line.
const BYTES_PER_TOKEN: u64 = 40;
/// Memory for each run that recurs: the run, the pattern that it may become, its matches.
const BYTES_PER_RUN: f64 = 320.0;

/// Memory to mine a source when its tokens are known, in addition to its text. `different` is the number of different
/// tokens. In random text, one token in ln(`different`) starts a run that recurs; in language it is no more. Measured
/// on the worst cases (`benches/memory`).
pub fn need_of_tokens(tokens: usize, different: usize) -> u64 {
    let runs = tokens as f64 / (different.max(3) as f64).ln();
    BYTES_PER_TOKEN * tokens as u64 + (BYTES_PER_RUN * runs) as u64
}

/// Memory for each tested pattern: the pattern, its automaton, its counts.
const BYTES_PER_PATTERN: u64 = 2000;
/// Memory for each of its matches.
const BYTES_PER_MATCH: u64 = 48;
/// Memory for each token of the documents on which patterns are tested, with its text.
const BYTES_PER_READ_TOKEN: u64 = 50;

/// Memory to test this number of patterns, on documents with this number of matches and tokens.
pub fn need_to_try_out(patterns: usize, matches: u64, tokens: u64) -> u64 {
    BYTES_PER_PATTERN * patterns as u64 + BYTES_PER_MATCH * matches + BYTES_PER_READ_TOKEN * tokens
}

/// Maximum memory to process a document: bytes for each byte of its text, for each token, and for each line. Measured
/// on the worst cases (`benches/memory`).
#[derive(Clone, Copy, Debug)]
pub struct DocumentNeed {
    of_byte: u64,
    of_token: u64,
    of_line: u64,
}

impl DocumentNeed {
    /// To clean a document.
    pub const TO_CLEAN: DocumentNeed = DocumentNeed { of_byte: 5, of_token: 48, of_line: 40 };
    /// To learn from a document and clean it. Each line may be a known segment.
    pub const TO_STREAM: DocumentNeed = DocumentNeed { of_byte: 10, of_token: 60, of_line: 200 };

    /// The maximum memory for a text, and `besides` for something else. An error if that is more than the limit. Tokens
    /// and lines are only counted if the text may need too much.
    pub fn within(
        &self,
        limit: u64,
        text: &str,
        besides: u64,
        count: impl FnOnce() -> TextCounts,
    ) -> Result<u64, String> {
        let bytes = text.len() as u64;
        // A line that is not empty has at least two bytes.
        let of_text = bytes * (self.of_byte + self.of_token.max((self.of_token + self.of_line) / 2));
        let at_most = of_text + besides;
        if at_most <= limit {
            return Ok(at_most);
        }
        let TextCounts { tokens, lines } = count();
        let need = bytes * self.of_byte + tokens as u64 * self.of_token + lines as u64 * self.of_line;
        let need = need + besides;
        if need <= limit {
            return Ok(need);
        }
        let (need, limit) = (size(need), size(limit));
        Err(format!("may need {need} of memory, more than the available {limit}: split it, or allow more (--memory)"))
    }
}

/// Memory that is divided among threads.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    left: Mutex<u64>,
    returned: Condvar,
}

/// A part of the memory. It is returned when dropped.
#[derive(Debug)]
pub struct Share<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Budget {
    /// A budget of this number of bytes.
    pub fn new(limit: u64) -> Budget {
        Budget { limit, left: Mutex::new(limit), returned: Condvar::new() }
    }

    /// The total number of bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes this number of bytes, or all if that is more. Waits until they are free.
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

/// 3/4 of the free memory of the machine, or of the control group of this process if that is less.
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
        assert_eq!(need.within(exact, &text, 0, || counts), Ok(exact));
        assert!(need.within(exact, &text, 1, || counts).unwrap_err().contains("split it"));
        assert!(need.within(u64::MAX, &text, 0, || panic!("there is enough whatever it is made of")).is_ok());
    }

    #[test]
    fn something_is_free() {
        assert!(most_of_what_is_free() > 0);
    }
}
