//! How much memory mining may take: it decides how many sources are mined at once.

use std::sync::{Condvar, Mutex, PoisonError};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

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
    fn something_is_free() {
        assert!(most_of_what_is_free() > 0);
    }
}
