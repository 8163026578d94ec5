//! What is looked at, and when.
//!
//! Invariant: an instrument looks when everything of its instant has happened, and changes nothing.

use packet::{NodeId, QpNumber};
use telemetry::{Phase, Series, Snapshot};
use units::{Bytes, Span, Time};

use ca_transport::Adapter;

/// The two ends of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) source: (NodeId, QpNumber),
    pub(crate) sink: (NodeId, QpNumber),
}

/// The instruments of a run.
#[derive(Debug)]
pub(crate) struct Probes {
    flows: Vec<Ends>,
    named: usize,
    /// When a snapshot is due, latest first.
    due: Vec<Time>,
    pub(crate) snapshots: Vec<Snapshot>,
    sample: Time,
    end: Time,
    last: Vec<Bytes>,
    pub(crate) series: Series,
}

impl Probes {
    /// Snapshots at each phase's start, middle and end; a sample of the first `named` flows every `interval`.
    pub(crate) fn new(flows: Vec<Ends>, named: usize, phases: &[Phase], interval: Span, end: Time) -> Self {
        let mut due: Vec<_> =
            phases.iter().flat_map(|phase| [phase.from, phase.middle(), phase.to]).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        due.dedup();
        Self {
            snapshots: Vec::with_capacity(due.len()),
            due,
            flows,
            named,
            sample: Time::ZERO + interval,
            end,
            last: vec![Bytes::ZERO; named + 1],
            series: Series { interval, rows: Vec::new() },
        }
    }

    pub(crate) fn flows(&self) -> &[Ends] {
        &self.flows
    }

    /// When to look next.
    pub(crate) fn deadline(&self) -> Time {
        let sample = if self.sample <= self.end { self.sample } else { Time::NEVER };
        self.due.last().map_or(sample, |due| sample.min(*due))
    }

    /// Looks; whether a sample was due.
    pub(crate) fn look(&mut self, now: Time, adapters: &[Adapter]) -> bool {
        let is_sample = self.sample == now;
        if is_sample {
            self.sample = now + self.series.interval;
            let delivered = self.columns(adapters);
            let gained = delivered.iter().zip(&self.last).map(|(now, before)| *now - *before);
            self.series.rows.push(gained.collect());
            self.last = delivered;
        }
        if self.due.last() == Some(&now) {
            self.due.pop();
            let delivered = (0..self.flows.len()).map(|flow| self.delivered(flow, adapters)).collect();
            self.snapshots.push(Snapshot { at: now, delivered });
        }
        is_sample
    }

    /// What has been delivered by each named flow, and by all others together where there are any.
    fn columns(&self, adapters: &[Adapter]) -> Vec<Bytes> {
        let mut columns: Vec<_> = (0..self.named).map(|flow| self.delivered(flow, adapters)).collect();
        if self.named < self.flows.len() {
            let all: Bytes = adapters.iter().map(Adapter::taken_by_host).sum();
            columns.push(all - columns.iter().copied().sum());
        }
        columns
    }

    fn delivered(&self, flow: usize, adapters: &[Adapter]) -> Bytes {
        let (node, queue_pair) = self.flows[flow].sink;
        adapters[node.index()].sink(queue_pair).delivered
    }
}
