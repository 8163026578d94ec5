//! Payload delivered by each flow: a series over time, and a snapshot at each phase's start, middle and end.
//!
//! Invariant: the series has a column for each named flow, and one for all others together.

use ca_transport::Adapter;
use telemetry::{Phase, Series, Snapshot};
use units::{Bytes, Span, Time};

use crate::state::world::World;

/// Samples the payload that flows have delivered.
#[derive(Debug)]
pub(crate) struct GoodputProbe {
    /// Number of named flows, which come first.
    named: usize,
    /// Times of the snapshots to come, latest first.
    due: Vec<Time>,
    pub(crate) snapshots: Vec<Snapshot>,
    sample: Time,
    end: Time,
    last: Vec<Bytes>,
    pub(crate) series: Series,
}

impl GoodputProbe {
    /// Creates a probe: snapshots at each phase's start, middle and end; a sample of the first `named` flows every `interval`.
    pub(crate) fn new(named: usize, phases: &[Phase], interval: Span, end: Time) -> Self {
        let mut due: Vec<_> = phases.iter().flat_map(|phase| [phase.from, phase.settled, phase.to]).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        due.dedup();
        Self {
            snapshots: Vec::with_capacity(due.len()),
            due,
            named,
            sample: Time::ZERO + interval,
            end,
            last: vec![Bytes::ZERO; named + 1],
            series: Series { interval, rows: Vec::new() },
        }
    }

    /// Returns the time of the next look.
    pub(crate) fn deadline(&self) -> Time {
        let sample = if self.sample <= self.end { self.sample } else { Time::NEVER };
        self.due.last().map_or(sample, |due| sample.min(*due))
    }

    /// Looks at a deadline. Returns true if a sample was due.
    pub(crate) fn look(&mut self, now: Time, world: &World) -> bool {
        let is_sample = self.sample == now;
        if is_sample {
            self.sample = now + self.series.interval;
            let delivered = self.columns(world);
            let gained = delivered.iter().zip(&self.last).map(|(now, before)| *now - *before);
            self.series.rows.push(gained.collect());
            self.last = delivered;
        }
        if self.due.last() == Some(&now) {
            self.due.pop();
            self.snapshots.push(snapshot(world));
        }
        is_sample
    }

    /// Ends the snapshots with one at the present instant, where a run is interrupted.
    pub(crate) fn interrupt(&mut self, world: &World) {
        self.due.clear();
        if self.snapshots.last().is_none_or(|last| last.at < world.now()) {
            self.snapshots.push(snapshot(world));
        }
    }

    /// Returns the payload delivered by each named flow, and that of all others together if there are any.
    fn columns(&self, world: &World) -> Vec<Bytes> {
        let mut columns: Vec<_> = (0..self.named).map(|flow| delivered(flow, world)).collect();
        if self.named < world.flows.len() {
            let all: Bytes = world.adapters.iter().map(Adapter::taken_by_host).sum();
            columns.push(all - columns.iter().copied().sum());
        }
        columns
    }
}

fn snapshot(world: &World) -> Snapshot {
    let delivered = (0..world.flows.len()).map(|flow| delivered(flow, world)).collect();
    Snapshot { at: world.now(), delivered }
}

fn delivered(flow: usize, world: &World) -> Bytes {
    let (node, queue_pair) = world.flows[flow].sink;
    world.adapters[node.index()].sink(queue_pair).delivered
}
