//! Standard input, which can be read only once but may be needed several times.
//!
//! It is read directly, once. If it is needed more often, it is copied to a temporary file first.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Reason;
use crate::read::compression::Input;
use crate::read::open_file::OpenFile;

/// Standard input.
#[derive(Debug, Default)]
pub(crate) struct Stdin {
    is_taken: AtomicBool,
    /// The temporary file with the whole input, if it was stored.
    kept: Mutex<Option<Arc<OpenFile>>>,
}

impl Stdin {
    /// Stores the whole input in a temporary file, unless this was done before. After that, it can be opened any number
    /// of times.
    pub(crate) fn keep(&self) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut io::stdin().lock(), &mut file)?;
            *kept = Some(Arc::new(OpenFile::of(file)?));
        }
        Ok(())
    }

    /// Opens the stored input if there is one. Otherwise opens standard input itself, which fails the second time.
    pub(crate) fn open(&self) -> Result<Input, Reason> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(file) => Ok(Box::new(file.whole())),
            None if self.is_taken.swap(true, Ordering::SeqCst) => Err(Reason::ReadAlready),
            None => Ok(Box::new(io::stdin())),
        }
    }
}
