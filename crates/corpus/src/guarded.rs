//! Turns panics of other crates on damaged files into errors.
//!
//! Some readers of file formats have assertions that fail on a damaged file, which panics. The panic is caught here. If
//! a program has called [`silence`], nothing is printed about such a panic. The program prints the error instead.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `work`, or the value of its panic. After a panic, nothing that `work` changed may be used.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    let before = IS_GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(before);
    result
}

/// Stops the messages about panics that are caught here. Call it only at the start of a program, because it changes the
/// panic hook of the process.
pub fn silence() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !IS_GUARDED.get() {
            hook(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| 7).ok(), Some(7));
        assert!(guarded(|| panic!("asserted")).is_err());
        assert!(!IS_GUARDED.get());
    }
}
