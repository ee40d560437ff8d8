//! Works on documents in parallel, in their order, as many at a time as there is memory for.
//!
//! A document keeps its memory until its result was taken. So no thread that holds a document may wait for the memory
//! of another one: a wave ends before the first document for which there is no memory. Only while no document is held
//! does the run wait for memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

use rayon::prelude::*;

use crate::observer::Observer;
use dehusk_corpus::memory::Patience;
use dehusk_corpus::{Reason, Skipped};

/// A wave after the first may always have this many documents. It may also have twice as many as the wave before it.
const LEAST_AT_A_TIME: usize = 16;

/// Calls `read` for the documents with index 0 to `count`, exclusive; `work` with the result of `read`; and `take` with
/// the results of each wave, in order, and the index of the first document in it. The results of `read` and of `work`
/// must hold the memory of the document. `scratch` makes the working space of each thread.
///
/// # Errors
/// If `take` fails.
pub fn in_waves<S, D, T: Send, E>(
    count: usize,
    scratch: impl Fn() -> S + Sync + Send,
    read: impl Fn(usize, Patience) -> Result<D, Skipped> + Sync + Send,
    work: impl Fn(&mut S, usize, Result<D, Skipped>) -> T + Sync + Send,
    mut take: impl FnMut(usize, Vec<T>) -> Result<(), E>,
) -> Result<(), E> {
    let (mut next, mut most) = (0, count);
    while next < count {
        let end = count.min(next.saturating_add(most));
        let stop = AtomicUsize::new(end);
        let try_one = |scratch: &mut S, index| {
            if index >= stop.load(Ordering::Relaxed) {
                return None;
            }
            match read(index, Patience::GivesUp) {
                Err(Skipped { reason: Reason::NoMemoryNow, .. }) => {
                    stop.fetch_min(index, Ordering::Relaxed);
                    None
                }
                read => Some(work(scratch, index, read)),
            }
        };
        let tried: Vec<Option<T>> = (next..end).into_par_iter().map_init(&scratch, try_one).collect();
        let mut wave: Vec<T> = tried.into_iter().map_while(|result| result).collect();
        if wave.is_empty() {
            wave.push(work(&mut scratch(), next, read(next, Patience::Waits)));
        }
        // Also after a wave that was not cut short: the memory may have been in use elsewhere before, and be free now.
        most = (2 * wave.len()).max(LEAST_AT_A_TIME);
        let first = next;
        next += wave.len();
        take(first, wave)?;
    }
    Ok(())
}

/// Passes a value from the thread that reads to the thread that takes it. Fails if no thread takes it any more, or the
/// run must stop. The thread that takes values reports that error.
pub fn pass_on<T>(send: &SyncSender<T>, observer: &dyn Observer, value: T) -> Result<(), ()> {
    if observer.go_on().is_err() { Err(()) } else { send.send(value).map_err(drop) }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use dehusk_corpus::Budget;
    use dehusk_corpus::memory::Share;

    proptest! {
        #[test]
        fn all_come_in_order_whatever_they_need(needs in prop::collection::vec(0..150u64, 0..200), others in 1..4usize) {
            let budget = Budget::new(100);
            let read = |index: usize, patience| -> Result<Share, Skipped> {
                budget.ask(needs[index], patience).map_err(|reason| Skipped::file(std::path::Path::new("x"), reason))
            };
            // Several at a time: each holds a wave while others want memory.
            let all = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..others {
                    scope.spawn(|| {
                        let mut seen = Vec::new();
                        let taken: Result<(), ()> = in_waves(needs.len(), || (), read, |(), index, read| (index, read.unwrap()), |first, wave| {
                            assert_eq!(wave[0].0, first);
                            seen.extend(wave.iter().map(|(index, _)| *index));
                            Ok(())
                        });
                        taken.unwrap();
                        all.lock().unwrap().push(seen);
                    });
                }
            });
            for seen in all.into_inner().unwrap() {
                prop_assert_eq!(seen, (0..needs.len()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn waves_grow_again_after_others_had_all_memory() {
        let budget = Budget::new(1000);
        let of_others = Mutex::new(Some(budget.take(1000)));
        let read = |_: usize, patience| {
            // The others keep all memory until this thread waits for it.
            if patience == Patience::Waits {
                of_others.lock().unwrap().take();
            }
            budget.ask(1, patience).map_err(|reason| Skipped::file(std::path::Path::new("x"), reason))
        };
        let mut waves = Vec::new();
        let taken: Result<(), ()> = in_waves(
            500,
            || (),
            read,
            |(), _, read| read.unwrap(),
            |_, wave| {
                waves.push(wave.len());
                Ok(())
            },
        );
        taken.unwrap();
        assert_eq!(waves, [1, 16, 32, 64, 128, 256, 3]);
    }

    #[test]
    fn an_error_ends_it() {
        let mut taken = 0;
        let read = |_, _| Ok(());
        let result = in_waves(
            9,
            || (),
            read,
            |(), index, _| index,
            |_, _| {
                taken += 1;
                Err("full")
            },
        );
        assert_eq!((result, taken), (Err("full"), 1));
    }
}
