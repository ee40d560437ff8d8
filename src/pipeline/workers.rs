//! Divides independent pieces of work among threads.
//!
//! rayon's pool is not used for this. Its threads start further pieces while they wait for the inner loops of a piece.
//! Here at most as many pieces are in memory as there are threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of cores that this process may use.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
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
    std::thread::scope(|scope| {
        for _ in 1..threads.min(pieces) {
            scope.spawn(worker);
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
