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
/// the slowest messages; `None` if none of these was lost.
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
        return of(loss.owner, Quantity::Waited, None);
    }
    of(lost.slowest()?.owner, Quantity::SlowdownP99, None)
}
