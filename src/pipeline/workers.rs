//! Divides independent pieces of work among threads.
//!
//! rayon's pool is not used for this. Its threads start further pieces while they wait for the inner loops of a piece.
//! Here at most as many pieces are in memory as there are threads.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

thread_local! {
    /// The number of threads of the pool that belongs to this thread, if it has one.
    static OWN_POOL: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The number of cores that this process may use.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Does `work` with parallel loops on a pool that belongs to this thread, and not on rayon's pool for the whole process. So
/// the number of threads can differ from call to call, and a process that was forked after rayon had started its pool, whose
/// threads it does not have, can work too. Threads that [`spawning`] starts get a part of the pool's threads.
///
/// This thread must not belong to a pool, and should end soon: rayon never takes it out of its pool.
///
/// # Errors
/// If no thread can be started.
pub fn in_own_pool<T>(threads: usize, work: impl FnOnce() -> T) -> Result<T, ThreadPoolBuildError> {
    let _pool = ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build()?;
    OWN_POOL.set(Some(threads));
    let result = work();
    OWN_POOL.set(None);
    Ok(result)
}

/// `work` for a new thread, one of `threads` that work at the same time. If this thread has a pool of its own, the new one
/// gets a pool too.
pub fn spawning<T>(threads: usize, work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let own = OWN_POOL.get().map(|own| (own / threads.max(1)).max(1));
    move || match own {
        // Without a thread for its pool, there could be none for the process either.
        Some(own) => {
            in_own_pool(own, work).unwrap_or_else(|error| panic!("a pool of threads cannot be started: {error}"))
        }
        None => work(),
    }
}

/// Does `work` for each of `pieces`, in no particular order. `scratch` makes the working space of each thread. After the
/// first error, no new piece is started.
pub fn share_out<B, E: Send>(
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
    let threads = threads.min(pieces);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(spawning(threads, worker));
        }
        worker();
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// The same as [`share_out`], but returns the result of each piece, in order.
pub fn share_out_and_collect<T: Send, E: Send>(
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
            Ok(())
        },
    )?;
    Ok(results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_thread_with_a_pool_have_pools_too() {
        let threads = || share_out_and_collect(2, 6, |_| Ok::<usize, ()>(rayon::current_num_threads()));
        let own = std::thread::spawn(move || in_own_pool(6, || (rayon::current_num_threads(), threads())));
        let (here, below) = own.join().expect("no panic").expect("a pool");
        assert_eq!(here, 6);
        // The first piece may be done by this thread, whose pool has 6 threads.
        assert!(below.expect("no error").into_iter().all(|threads| threads == 6 || threads == 3));
        let (plain, all) = (
            share_out_and_collect(2, 6, |_| Ok::<usize, ()>(rayon::current_num_threads())),
            rayon::current_num_threads(),
        );
        assert!(plain.expect("no error").into_iter().all(|threads| threads == all));
    }
}
