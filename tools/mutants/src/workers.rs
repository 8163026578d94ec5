//! Work on many items by a few threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Does `work` on each item, by `jobs` threads. Returns the results in the order of the items, or one of the errors.
pub(crate) fn each<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        while let at = next.fetch_add(1, Relaxed)
            && let Some(item) = items.get(at)
        {
            done.push((at, work(at, item)?));
        }
        Ok(done)
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(take)).collect();
        let results =
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a worker panicked".to_owned())?);
        results.collect::<Result<Vec<_>, String>>().map(|all| all.into_iter().flatten().collect())
    })?;
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
