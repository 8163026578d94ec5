//! Completion of a group's messages.
//!
//! Invariant: messages that were not delivered count with their age, as a lower bound. Statistics over delivered
//! messages alone do not exist here.

use crate::censoring::{CensoredSample, CensoredValue, SortedSample};
use crate::completion::Completion;
use telemetry::RunRecord;
use units::Span;

use super::measured::Missing;

/// Completion times in seconds, and slowdowns, of a group's messages.
#[derive(Clone, Debug)]
pub(super) struct GroupMessages {
    times: SortedSample,
    slowdowns: SortedSample,
}

impl GroupMessages {
    /// Gathers the messages of these flows.
    pub(super) fn of(record: &RunRecord, flows: &[usize]) -> Result<Self, Missing> {
        let all = record.completions.as_ref().ok_or(Missing::CompletionsNotKept)?;
        if has_excluded(record, flows) {
            return Err(Missing::MessagesNotDistinct);
        }
        let is_member = mask(record, flows);
        let (mut times, mut slowdowns) = (CensoredSample::default(), CensoredSample::default());
        for one in all.messages.iter().filter(|one| is_member[one.flow as usize]) {
            let completion = Completion::of(one, all.end);
            times.add(completion.seconds());
            slowdowns.add(completion.slowdown());
        }
        let (times, slowdowns) = (times.sorted(), slowdowns.sorted());
        if times.is_empty() { Err(Missing::NoMessage) } else { Ok(Self { times, slowdowns }) }
    }

    /// Returns a quantile of the completion times.
    pub(super) fn time(&self, share: f64) -> Result<CensoredValue, Missing> {
        self.times.quantile(share).ok_or(Missing::NoMessage)
    }

    pub(super) fn mean_time(&self) -> Result<CensoredValue, Missing> {
        self.times.mean().ok_or(Missing::NoMessage)
    }

    pub(super) fn slowdown(&self, share: f64) -> Result<CensoredValue, Missing> {
        self.slowdowns.quantile(share).ok_or(Missing::NoMessage)
    }
}

/// Returns true if messages of a flow cannot be told apart: over a service without retransmission, in a run with
/// losses.
pub(super) fn has_excluded(record: &RunRecord, flows: &[usize]) -> bool {
    let lossy = record.dropped_packets > 0 || record.transport.gaps > 0;
    lossy && flows.iter().any(|flow| !record.flows[*flow].transport.is_reliable())
}

/// Returns for each flow of the run whether it is among these.
pub(super) fn mask(record: &RunRecord, flows: &[usize]) -> Vec<bool> {
    let mut mask = vec![false; record.flows.len()];
    flows.iter().for_each(|flow| mask[*flow] = true);
    mask
}

pub(super) fn seconds(span: Span) -> f64 {
    span.ps() as f64 / 1e12
}
