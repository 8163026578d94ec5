//! Work that is shared out among the processors.
//!
//! Invariant: the pieces share nothing, and results come in the order of the pieces, however many are worked on at a time.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How often it is said how far the work is where that stays to be read.
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// Works on all pieces, as many at a time as there are processors, and says how many are done and how long the rest
/// will take: after each on a terminal, once a minute elsewhere. `weight` is how long a piece takes, in any unit.
pub(super) fn all<T: Sync, R: Send>(
    what: &str,
    pieces: &[T],
    weight: impl Fn(&T) -> u64 + Sync,
    work: impl Fn(&T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let began = Instant::now();
    let workers = thread::available_parallelism().map_or(1, usize::from).min(pieces.len());
    let total: u64 = pieces.iter().map(&weight).sum();
    let waiting = Mutex::new(pieces.iter().enumerate());
    // Results, each with its place, and the weight of what is done.
    let done = Mutex::new((Vec::with_capacity(pieces.len()), 0));
    let reported = Mutex::new(began);
    let worker = || -> Result<(), Failure> {
        loop {
            // The lock is held for the choice only.
            let next = waiting.lock().expect("no worker panics").next();
            let Some((place, piece)) = next else { return Ok(()) };
            let result = work(piece)?;
            let mut done = done.lock().expect("no worker panics");
            done.0.push((place, result));
            done.1 += weight(piece);
            let left = began.elapsed().as_secs_f64() * (total - done.1) as f64 / done.1.max(1) as f64;
            let far = format!("{} of {} {what} done, {left:.0} s left", done.0.len(), pieces.len());
            let mut reported = reported.lock().expect("no worker panics");
            if io::stderr().is_terminal() {
                eprint!("\r{far}    {}", if done.0.len() == pieces.len() { "\n" } else { "" });
            } else if reported.elapsed() >= REPORT_EVERY {
                *reported = Instant::now();
                eprintln!("{far}");
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    let (mut results, _) = done.into_inner().expect("no worker panics");
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let pieces: Vec<u64> = (0..100).collect();
        let squares = all("squares", &pieces, |piece| *piece, |piece| Ok(piece * piece)).unwrap();
        assert_eq!(squares, pieces.iter().map(|piece| piece * piece).collect::<Vec<_>>());
        assert_eq!(all("nothing", &[], |_: &u64| 1, |_| Ok(1)).unwrap(), [] as [i32; 0]);
    }

    #[test]
    fn a_failure_is_handed_on() {
        let failed = all("one", &[1], |_| 1, |_| -> Result<(), _> { Err(Failure::ClaimsFailed(1)) });
        assert!(matches!(failed, Err(Failure::ClaimsFailed(1))));
    }
}
