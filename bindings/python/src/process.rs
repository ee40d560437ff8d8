//! Threads that exist in this process, even if it was forked.
//!
//! A process that was forked has none of the threads of its parent. So nothing here outlives a fork: the pool is kept
//! with the id of its process, and rayon's own pool is used only in the process that imported dehusk.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::{mem, panic};

use dehusk::in_own_pool;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Fault, Result, chain};

static IMPORTED_BY: OnceLock<u32> = OnceLock::new();
/// The pool of a process, with the id of this process.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Notes that this process imports dehusk.
pub fn note_import() {
    IMPORTED_BY.get_or_init(std::process::id);
}

fn is_forked() -> bool {
    *IMPORTED_BY.get_or_init(std::process::id) != std::process::id()
}

/// The number of cores that this process may use.
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// The number of cores that this process may use. It is asked only once, because asking takes longer than cleaning a
/// short text.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(all_cores)
}

/// Does the work of a whole run. The calling thread must have been started for this run. `threads` is the number that
/// the user asked for.
pub fn with_threads<T>(threads: Option<usize>, work: impl FnOnce() -> T) -> Result<T> {
    if threads.is_none() && !is_forked() {
        return Ok(work());
    }
    in_own_pool(threads.unwrap_or_else(all_cores), work).map_err(|error| Fault::Internal(chain(&error)))
}

/// Does `work` for each number below `pieces`, on this number of threads, and gives the results in order.
///
/// A thread ends one piece before it begins the next. Threads of a rayon pool would begin further pieces while they
/// wait in one.
pub fn share_out<T: Send>(threads: usize, pieces: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return done;
            }
            done.push((piece, work(piece)));
        }
    };
    let mut done = thread::scope(|scope| {
        // If fewer threads can be started, they do all the work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, worker).ok();
        let others: Vec<_> = (1..threads.min(pieces)).map_while(start).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked)));
        }
        done
    });
    done.sort_unstable_by_key(|(piece, _)| *piece);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Does parallel work in the pool that this thread belongs to, or else in the pool of this process.
pub fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    match rayon::current_thread_index() {
        Some(_) => Ok(work()),
        None => Ok(pool()?.install(work)),
    }
}

/// The pool of this process for short work, with a thread for each core.
fn pool() -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = &*known
        && *of == process
    {
        return Ok(Arc::clone(pool));
    }
    let name = |index| format!("dehusk-{index}");
    let pool = ThreadPoolBuilder::new().num_threads(cores()).thread_name(name).build();
    let pool = Arc::new(pool.map_err(|error| Fault::Internal(chain(&error)))?);
    // The pool of the parent process is forgotten, not dropped: dropping it would wait for threads that this process
    // does not have.
    mem::forget(known.replace((process, Arc::clone(&pool))));
    Ok(pool)
}
