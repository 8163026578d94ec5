//! The worker pool: pieces of work shared out among the processors.
//!
//! Invariant: the pieces share nothing, and results come in the order of the pieces, whatever the number of workers.

use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Interval between two lines of progress if standard error is not a terminal.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Works through all pieces, as many at a time as there are processors.
///
/// Prints the number of finished `pieces` (`noun` in the plural) and the estimated remaining time to standard error. A
/// terminal gets a line after each piece, any other file a line a minute. Without a noun, nothing is printed. `weight`
/// estimates the time for a piece, in any unit.
///
/// # Errors
/// The first error of `work`, after the other workers have finished.
pub fn work_through<T: Sync, R: Send, E: Send>(
    noun: Option<&str>,
    pieces: &[T],
    weight: impl Fn(&T) -> u64 + Sync,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    work_through_by(processors(), noun, pieces, weight, work)
}

/// Works through all pieces as [`work_through`] does, but `workers` of them at a time.
///
/// # Errors
/// The first error of `work`, after the other workers have finished.
pub fn work_through_by<T: Sync, R: Send, E: Send>(
    workers: usize,
    noun: Option<&str>,
    pieces: &[T],
    weight: impl Fn(&T) -> u64 + Sync,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let workers = workers.min(pieces.len());
    let waiting = Mutex::new(pieces.iter().enumerate());
    let finished = Mutex::new(Finished::new(noun, pieces.iter().map(&weight).sum(), pieces.len()));
    let worker = || -> Result<(), E> {
        loop {
            // The lock is held for the choice only.
            let next = waiting.lock().expect("no worker panics").next();
            let Some((place, piece)) = next else { return Ok(()) };
            let result = work(piece)?;
            finished.lock().expect("no worker panics").add(place, result, weight(piece));
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    Ok(finished.into_inner().expect("no worker panics").in_order())
}

/// Returns the results of work that cannot fail, in the order of the pieces. As many pieces are worked on at a time as
/// there are processors.
pub fn results<T: Sync, R: Send>(pieces: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    results_by(processors(), pieces, work)
}

/// Returns the results of work that cannot fail, in the order of the pieces; `workers` of them are worked on at a time.
pub fn results_by<T: Sync, R: Send>(workers: usize, pieces: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Ok(results) =
        work_through_by::<_, _, Infallible>(workers, None, pieces, |_| 1, |piece| Ok(work(piece)));
    results
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Results so far, and the progress report.
struct Finished<'a, R> {
    noun: Option<&'a str>,
    /// Results with the place of their piece, in the order in which they came.
    results: Vec<(usize, R)>,
    pieces: usize,
    weight: u64,
    total_weight: u64,
    began: Instant,
    reported: Instant,
}

impl<'a, R> Finished<'a, R> {
    fn new(noun: Option<&'a str>, total_weight: u64, pieces: usize) -> Self {
        let (results, began) = (Vec::with_capacity(pieces), Instant::now());
        Self { noun, results, pieces, weight: 0, total_weight, began, reported: began }
    }

    fn add(&mut self, place: usize, result: R, weight: u64) {
        self.results.push((place, result));
        self.weight += weight;
        let Some(noun) = self.noun else { return };
        let elapsed = self.began.elapsed().as_secs_f64();
        let remaining = elapsed * (self.total_weight - self.weight) as f64 / self.weight.max(1) as f64;
        let (done, pieces) = (self.results.len(), self.pieces);
        let line = format!("{done} of {pieces} {noun} done, {remaining:.0} s left");
        if io::stderr().is_terminal() {
            let end = if done == pieces { "\n" } else { "" };
            // Progress that cannot be written is no reason to stop.
            let _ = write!(io::stderr(), "\r{line}    {end}");
        } else if self.reported.elapsed() >= REPORT_INTERVAL {
            self.reported = Instant::now();
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    fn in_order(mut self) -> Vec<R> {
        self.results.sort_by_key(|(place, _)| *place);
        self.results.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let pieces: Vec<u64> = (0..100).collect();
        let squares = work_through(
            Some("squares"),
            &pieces,
            |piece| *piece,
            |piece| Ok::<_, Infallible>(piece * piece),
        );
        assert_eq!(squares.unwrap(), pieces.iter().map(|piece| piece * piece).collect::<Vec<_>>());
        let nothing = work_through(Some("nothing"), &[], |_: &u64| 1, |_| Ok::<_, Infallible>(1));
        assert_eq!(nothing.unwrap(), [] as [i32; 0]);
        assert_eq!(results_by(3, &pieces, |piece| piece + 1), (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_is_returned() {
        assert_eq!(work_through(None, &[1], |_| 1, |_| Err::<(), _>("failed")), Err("failed"));
    }
}
