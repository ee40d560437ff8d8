//! Standard input, which comes once and may be needed more often.
//!
//! Gives it as it comes, once; or, where somebody is going to read it twice, puts it into a temporary file first.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Reason;
use super::compression::Input;
use super::open_file::OpenFile;

/// Standard input.
#[derive(Debug, Default)]
pub(super) struct Stdin {
    is_taken: AtomicBool,
    /// All of it, once it was put by.
    kept: Mutex<Option<Arc<OpenFile>>>,
}

impl Stdin {
    /// Puts it by, unless it is already, so that it can be opened as often as one likes.
    pub(super) fn keep(&self) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut io::stdin().lock(), &mut file)?;
            *kept = Some(Arc::new(OpenFile::of(file)?));
        }
        Ok(())
    }

    /// Opens it: as it was put by, or else as it comes, which can be done once.
    pub(super) fn open(&self) -> Result<Input, Reason> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(file) => Ok(Box::new(file.whole())),
            None if self.is_taken.swap(true, Ordering::SeqCst) => Err(Reason::ReadAlready),
            None => Ok(Box::new(io::stdin())),
        }
    }
}
