//! Room in memory for values of which there can be a hundred thousand. The first ones are kept as they are, and those for
//! which there is no room are packed.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What is left of the room. Several threads can take from it.
#[derive(Debug)]
pub(crate) struct Room(AtomicUsize);

impl Room {
    /// A room of this size, in any unit.
    pub fn new(size: usize) -> Room {
        Room(AtomicUsize::new(size))
    }

    /// Takes room. False if there is not so much left.
    pub fn take(&self, size: usize) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(size)).is_ok()
    }
}
