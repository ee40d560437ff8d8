//! How much memory mining may take: it decides how many sources are mined at once.

use std::sync::{Condvar, Mutex, PoisonError};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// What a source may take while it is mined, for each byte of it that is read: its text, and 32 bytes a token. Measured
/// on markup, which has a token for every 3.7 bytes; other text has fewer.
pub const BYTES_PER_BYTE: u64 = 12;
/// The same for HTML that is read as text, of which half is taken for text at most.
pub const BYTES_PER_BYTE_OF_HTML: u64 = 5;

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
    fn something_is_free() {
        assert!(most_of_what_is_free() > 0);
    }
}
