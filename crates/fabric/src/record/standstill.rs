//! A fabric that delivers nothing any more, with outputs that wait for each other, but without a proof of deadlock.
//!
//! Invariant: it depends only on the samples since the last delivery, so a run that was saved and resumed reports the
//! same.

use telemetry::Series;
use units::{Bytes, Span, Time};

use crate::observe::deadlock;
use crate::state::world::World;

/// Least number of samples without a delivery at the end of a run, unless they take [`LONG`]. A congestion tree that
/// holds up all traffic for some samples is nothing unusual.
const LEAST_SAMPLES: usize = 10;
/// A time that is long for any fabric, hundreds of its longest round trips: fewer samples are enough if they take it.
const LONG: Span = Span::from_us(1_000);

/// Returns the time of the last sample with a delivery, if some outputs wait for each other at the end of the run.
/// `None` if the fabric moves, or is empty.
///
/// A deadlock is proved only if no node can change it. A host with a pending time-out may send again into room that
/// is left. So a proof can be out of reach for as long as queue pairs retry.
pub(super) fn of(world: &World<'_>, series: &Series, end: Time) -> Option<Time> {
    // The last column is the total.
    let is_idle = |row: &&Vec<Bytes>| row.last().is_none_or(|total| *total == Bytes::ZERO);
    let idle = series.rows.iter().rev().take_while(is_idle).count();
    let is_long = idle >= LEAST_SAMPLES || (idle > 0 && series.interval * idle as u64 >= LONG);
    if !is_long || !deadlock::is_suspected(world) {
        return None;
    }
    let since = (series.interval * (series.rows.len() - idle) as u64).after_start();
    (since < end).then_some(since)
}
