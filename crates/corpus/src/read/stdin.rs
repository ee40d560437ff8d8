//! Standard input, which can be read only once but may be needed several times.
//!
//! It is read directly, once. If it is needed more often, it is copied to a temporary file first. Its start can be looked
//! at before.

use std::io::{self, Cursor, ErrorKind, Read};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Reason;
use crate::read::compression::Input;
use crate::read::open_file::OpenFile;

/// Number of bytes that are read at a time to look at the start.
const PIECE: usize = 64 * 1024;

/// Standard input.
#[derive(Debug, Default)]
pub(crate) struct Stdin {
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Nothing was returned yet. The bytes were read to look at them.
    Waiting(Vec<u8>),
    /// The temporary file with the whole input.
    Kept(Arc<OpenFile>),
    /// It was opened and not stored.
    Taken,
}

impl Default for State {
    fn default() -> State {
        State::Waiting(Vec::new())
    }
}

impl Stdin {
    /// Reads the start, until `is_enough` of it, or the end, or an error. Nothing is lost: who opens the input reads these
    /// bytes too.
    pub(crate) fn look(&self, mut is_enough: impl FnMut(&[u8]) -> bool) {
        let State::Waiting(start) = &mut *self.state() else { return };
        let mut piece = vec![0; PIECE];
        while !is_enough(start) {
            match io::stdin().read(&mut piece) {
                Ok(0) => return,
                Ok(read) => start.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Who reads on is told of the error.
                Err(_) => return,
            }
        }
    }

    /// Stores the whole input in a temporary file, unless this was done before. After that, it can be opened any number
    /// of times.
    pub(crate) fn keep(&self) -> io::Result<()> {
        let mut state = self.state();
        if let State::Waiting(start) = &mut *state {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut whole(start), &mut file)?;
            *state = State::Kept(Arc::new(OpenFile::of(file)?));
        }
        Ok(())
    }

    /// Opens the stored input if there is one. Otherwise opens standard input itself, which fails the second time.
    pub(crate) fn open(&self) -> Result<Input, Reason> {
        let mut state = self.state();
        match &mut *state {
            State::Kept(file) => Ok(Box::new(file.whole())),
            State::Taken => Err(Reason::ReadAlready),
            State::Waiting(start) => {
                let input = whole(start);
                *state = State::Taken;
                Ok(Box::new(input))
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All of standard input, of which `start` was read before.
fn whole(start: &mut Vec<u8>) -> impl Read + Send + use<> {
    Cursor::new(mem::take(start)).chain(io::stdin())
}
