//! Divides independent pieces of work among threads.
//!
//! rayon's pool is not used for this, because its threads start further pieces while they wait for the inner loops of a
//! piece. Here at most as many pieces are in memory as there are threads.

use std::cell::Cell;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::{io, panic};

use rayon::ThreadPoolBuilder;

use dehusk_core::shown::count;
use dehusk_core::threads::{none_left, spawn_scoped};

thread_local! {
    /// The number of threads in the pool that this thread has of its own. `None` if it has none.
    static OWN_POOL: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Maximum number of threads per core. More threads are never faster: each waits for a core, and takes its share of the
/// memory meanwhile.
pub const MOST_THREADS_A_CORE: usize = 8;

/// Why this number of threads is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadsError {
    /// 0 threads, which would do nothing.
    #[error("0 threads do nothing: give at least 1")]
    None,
    /// More than [`MOST_THREADS_A_CORE`] threads per core.
    #[error(
        "{asked} threads are too many: this process may use {}, and {MOST_THREADS_A_CORE} threads for each; give at \
         most {}",
        count(*.cores, "core"), MOST_THREADS_A_CORE * .cores
    )]
    TooMany {
        /// The number of threads.
        asked: usize,
        /// The number of cores that this process may use.
        cores: usize,
    },
}

/// The number of cores that this process may use.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Checks a number of threads that somebody asked for.
///
/// # Errors
/// If it is 0, or higher than [`MOST_THREADS_A_CORE`] for each core.
pub fn checked_threads(asked: usize) -> Result<usize, ThreadsError> {
    match (asked, all_cores()) {
        (0, _) => Err(ThreadsError::None),
        (_, cores) if asked > cores * MOST_THREADS_A_CORE => Err(ThreadsError::TooMany { asked, cores }),
        _ => Ok(asked),
    }
}

/// Does `work`, such as a run over a corpus, in a new pool of this number of threads. The calling thread belongs to the
/// pool; rayon's global pool is not used. So each call can use a different number of threads. It also works in
/// a process that was forked after rayon started its global pool, and so lacks its threads. Each thread that the run
/// starts with [`spawn`] gets a smaller pool of its own.
///
/// The calling thread must not belong to a pool yet, and should end soon: rayon never takes it out of the new pool.
///
/// # Errors
/// If no thread can be started.
pub fn in_own_pool<T>(threads: usize, work: impl FnOnce() -> T) -> io::Result<T> {
    let _pool = ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build().map_err(none_left)?;
    OWN_POOL.set(Some(threads));
    let result = work();
    OWN_POOL.set(None);
    Ok(result)
}

/// Starts one of `threads` threads that work at the same time. It ends before `scope`. If the calling thread has a pool
/// of its own, the new thread gets a part of that size as its own pool. If this pool cannot be started, `work` is not
/// done.
///
/// # Errors
/// If no thread can be started.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, io::Result<T>>> {
    let own = OWN_POOL.get().map(|own| (own / threads.max(1)).max(1));
    spawn_scoped(scope, move || match own {
        // There is no fallback to rayon's global pool: where this pool cannot start, the global one could fail too.
        Some(own) => in_own_pool(own, work),
        None => Ok(work()),
    })
}

/// Waits for a thread that [`spawn`] started, and returns its result. If the thread panicked, the calling thread panics
/// too.
///
/// # Errors
/// If the pool of the thread could not be started.
pub fn join<T>(thread: ScopedJoinHandle<io::Result<T>>) -> io::Result<T> {
    thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

/// Does `work` for each index below `pieces`, in no particular order. `scratch` makes the working space of each thread.
/// After the first error, no new piece is started.
///
/// # Errors
/// The first error of a piece, or the error of [`checked_threads`].
pub fn share_out<B, E: Send + From<ThreadsError>>(
    threads: usize,
    pieces: usize,
    scratch: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<E>> = Mutex::new(None);
    let lock = || failure.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = || {
        let mut scratch = scratch();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces || lock().is_some() {
                return;
            }
            if let Err(error) = work(&mut scratch, piece) {
                lock().get_or_insert(error);
            }
        }
    };
    let threads = checked_threads(threads)?.min(pieces);
    thread::scope(|scope| {
        // If fewer threads can be started, they do all the work.
        let _others: Vec<_> = (1..threads).map_while(|_| spawn(scope, threads, worker).ok()).collect();
        worker();
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// The same as [`share_out_and_collect`], for pieces of these sizes. Several threads start the largest pieces first, so
/// that at the end no thread waits long for the others.
///
/// # Errors
/// The same as for [`share_out`].
pub fn share_out_by_size<T: Send, E: Send + From<ThreadsError>>(
    threads: usize,
    sizes: &[u64],
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let order = order(threads, sizes);
    let results = share_out_and_collect(threads, sizes.len(), |place| work(order[place]))?;
    let mut results: Vec<(usize, T)> = order.into_iter().zip(results).collect();
    results.sort_unstable_by_key(|(piece, _)| *piece);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// The order in which pieces of these sizes are started.
fn order(threads: usize, sizes: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    if threads > 1 {
        order.sort_by_key(|&piece| Reverse(sizes[piece]));
    }
    order
}

/// The same as [`share_out`], but returns the result of each piece, in order.
///
/// # Errors
/// The same as for [`share_out`].
pub fn share_out_and_collect<T: Send, E: Send + From<ThreadsError>>(
    threads: usize,
    pieces: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let results: Vec<Mutex<Option<T>>> = (0..pieces).map(|_| Mutex::new(None)).collect();
    share_out(
        threads,
        pieces,
        || (),
        |(), piece| {
            let result = work(piece)?;
            *results[piece].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok::<(), E>(())
        },
    )?;
    Ok(results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_at_most_a_few_for_each_core() {
        let most = all_cores() * MOST_THREADS_A_CORE;
        assert_eq!([1, most].map(checked_threads), [Ok(1), Ok(most)]);
        assert_eq!(checked_threads(0), Err(ThreadsError::None));
        let too_many = ThreadsError::TooMany { asked: 1_000_000_000, cores: 2 };
        let message =
            "1000000000 threads are too many: this process may use 2 cores, and 8 threads for each; give at most 16";
        assert_eq!(too_many.to_string(), message);
        for threads in [0, most + 1, usize::MAX] {
            let none = share_out(threads, 3, || (), |(), _| panic!("a piece of work was done"));
            assert_eq!(none, checked_threads(threads).map(drop));
        }
    }

    #[test]
    fn large_pieces_are_started_first_and_results_are_in_order() {
        let sizes = [1, 9, 4, 9];
        assert_eq!((order(1, &sizes), order(2, &sizes)), (vec![0, 1, 2, 3], vec![1, 3, 2, 0]));
        for threads in [1, 2] {
            let results = share_out_by_size(threads, &sizes, |piece| Ok::<u64, ThreadsError>(sizes[piece]));
            assert_eq!(results, Ok(sizes.to_vec()));
        }
    }

    #[test]
    fn threads_of_a_thread_with_a_pool_have_pools_too() {
        let threads = || share_out_and_collect(2, 6, |_| Ok::<usize, ThreadsError>(rayon::current_num_threads()));
        let own = std::thread::spawn(move || in_own_pool(6, || (rayon::current_num_threads(), threads())));
        let (here, below) = own.join().expect("no panic").expect("a pool");
        assert_eq!(here, 6);
        // The first piece may be done by this thread, whose pool has 6 threads.
        assert!(below.expect("no error").into_iter().all(|threads| threads == 6 || threads == 3));
        let (plain, all) = (
            share_out_and_collect(2, 6, |_| Ok::<usize, ThreadsError>(rayon::current_num_threads())),
            rayon::current_num_threads(),
        );
        assert!(plain.expect("no error").into_iter().all(|threads| threads == all));
    }
}
