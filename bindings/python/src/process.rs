//! Threads that are alive in this process.
//!
//! A process that was forked has none of the threads of its parent. So nothing here outlives a fork: pools are kept by the
//! id of their process, and rayon's own pool is used only in the process that imported dehusk.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dehusk::pipeline::workers::{all_cores, in_own_pool};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Fault, Result, chain};

static IMPORTED_BY: OnceLock<u32> = OnceLock::new();
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pools of a process, by number of threads.
struct Pools {
    process: u32,
    by_threads: HashMap<usize, Arc<ThreadPool>>,
}

/// Notes that this process imports dehusk.
pub fn note_import() {
    IMPORTED_BY.get_or_init(std::process::id);
}

fn is_forked() -> bool {
    *IMPORTED_BY.get_or_init(std::process::id) != std::process::id()
}

/// Does the work of a whole run, on a thread that was started for it. `threads` is what the user asked for.
pub fn with_threads<T>(threads: Option<usize>, work: impl FnOnce() -> T) -> Result<T> {
    if threads.is_none() && !is_forked() {
        return Ok(work());
    }
    in_own_pool(threads.unwrap_or_else(all_cores), work).map_err(|error| Fault::Internal(chain(&error)))
}

/// Does work that may be parallel in a pool of this process: in that of this thread, if it has one.
pub fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    match rayon::current_thread_index() {
        Some(_) => Ok(work()),
        None => Ok(pool(all_cores())?.install(work)),
    }
}

/// A pool for short work, kept for the next time.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if pools.as_ref().is_none_or(|pools| pools.process != process) {
        // The pools of the parent are not dropped: that would wait for threads that are not there.
        mem::forget(pools.replace(Pools { process, by_threads: HashMap::new() }));
    }
    let Some(Pools { by_threads, .. }) = pools.as_mut() else {
        return Err(Fault::Internal("there is no pool of threads".to_owned()));
    };
    if let Some(pool) = by_threads.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let name = |index| format!("dehusk-{index}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let pool = Arc::new(pool.map_err(|error| Fault::Internal(chain(&error)))?);
    by_threads.insert(threads, Arc::clone(&pool));
    Ok(pool)
}
