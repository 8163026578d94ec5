//! The measure of the loss that a run's verdict names first.
//!
//! Invariant: a comparison of the run with another is about this measure, unless users name theirs. So the advice to
//! compare leads to an answer about the loss that it is given for.

use std::num::NonZeroU32;

use measures::{Measure, Quantity};
use telemetry::RunRecord;

use super::jobs;
use super::loss::Lost;
use super::owners::Owners;

/// Returns the measure: the completion of the job that took longest against its ideal. Without jobs it is goodput of
/// messages that were not delivered, else goodput in the phase that cost most, else the wait of the worst victims, else
/// the slowest messages; `None` if none of these was lost. Of victims in a closed loop it is the loop's goodput in
/// the last phase, or the time of its last delivery if all of it was delivered: such a loop waits the less, the less
/// it sends.
///
/// Flows of a pattern without a name have no measure of their own.
pub(super) fn measure(record: &RunRecord, owners: &Owners, lost: &Lost) -> Option<Measure> {
    if let Some(job) = jobs::slowest(record) {
        return Some(Measure { group: job.name.clone(), quantity: Quantity::JobCompletion, phase: None });
    }
    let of = |owner: usize, quantity, phase| {
        let name = owners.at(owner).name();
        let is_group = record.groups.iter().any(|group| *group.name == *name);
        let is_flow = || record.flows[..record.named()].iter().any(|flow| *flow.name == *name);
        (is_group || is_flow()).then(|| Measure { group: name.to_owned(), quantity, phase })
    };
    if let Some(left) = lost.undelivered.first() {
        return of(left.owner, Quantity::Goodput, None);
    }
    if let Some(loss) = lost.goodput.first() {
        let phase = u32::try_from(lost.phase + 1).ok().and_then(NonZeroU32::new);
        return of(loss.owner, Quantity::Goodput, phase);
    }
    if let Some(loss) = lost.waited.first() {
        return match throughput(record, owners, loss.owner) {
            Some((quantity, phase)) => of(loss.owner, quantity, phase),
            None => of(loss.owner, Quantity::Waited, None),
        };
    }
    of(lost.slowest()?.owner, Quantity::SlowdownP99, None)
}

/// Returns the measure of how much an owner's flows moved, if they are those of a closed loop.
fn throughput(record: &RunRecord, owners: &Owners, owner: usize) -> Option<(Quantity, Option<NonZeroU32>)> {
    let is_closed = |flow: usize| {
        let pattern = record.flows[flow].pattern.get();
        pattern.is_some_and(|pattern| record.patterns[pattern as usize].closed.is_some())
    };
    let mut own = (0..record.flows.len()).filter(|flow| owners.of(*flow) == owner).peekable();
    if own.peek().is_none() || !own.all(is_closed) {
        return None;
    }
    if record.finite.is_some_and(|finite| finite.done.is_some()) {
        return Some((Quantity::Last, None));
    }
    let phases = u32::try_from(record.phases.len()).ok().and_then(NonZeroU32::new);
    phases.map(|last| (Quantity::Goodput, Some(last)))
}
