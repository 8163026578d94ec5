//! Payload delivered by each flow: a series over time, and a snapshot at each phase's start, middle and end.
//!
//! Invariant: the series has a column for each named flow and each group, one for all others together, and one for the
//! total.

use ca_transport::Adapter;
use packet::FlowId;
use scenario::Plan;
use telemetry::{Phase, Series, SeriesColumn, Snapshot};
use units::{Bytes, Time};

use crate::state::world::World;

/// Samples the payload that flows have delivered.
#[derive(Debug)]
pub(crate) struct GoodputProbe {
    /// Number of named flows, which come first.
    named: usize,
    /// Groups, each with its flows.
    groups: Vec<Vec<u32>>,
    /// Named flows without a group.
    alone: Vec<u32>,
    /// Times of the snapshots to come, latest first.
    due: Vec<Time>,
    pub(crate) snapshots: Vec<Snapshot>,
    sample: Time,
    end: Time,
    last: Vec<Bytes>,
    pub(crate) series: Series,
}

impl GoodputProbe {
    /// Creates the probe of a plan: snapshots at each phase's start, middle and end, and its samples.
    pub(crate) fn new(plan: &Plan) -> Self {
        let of_phase = |phase: &Phase| [phase.from, phase.settled, phase.to];
        let mut due: Vec<_> = plan.phases().iter().flat_map(of_phase).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        due.dedup();
        let workload = plan.workload();
        let named = workload.flows.iter().filter(|flow| flow.named).count();
        let (mut groups, mut alone) = (vec![Vec::new(); workload.groups.len()], Vec::new());
        let mut others = false;
        for (number, flow) in (0..).zip(&workload.flows) {
            match flow.group {
                Some(group) => groups[group as usize].push(number),
                None if flow.named => alone.push(number),
                None => others = true,
            }
        }
        let columns = columns(named, groups.len(), others);
        Self {
            snapshots: Vec::with_capacity(due.len()),
            due,
            named,
            groups,
            alone,
            sample: Time::ZERO + plan.sample(),
            end: plan.duration().after_start(),
            last: vec![Bytes::ZERO; columns.len()],
            series: Series { interval: plan.sample(), columns, rows: Vec::new() },
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
            let delivered = self.values(world);
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

    /// Returns the payload delivered so far, by column.
    fn values(&self, world: &World) -> Vec<Bytes> {
        let sum =
            |flows: &Vec<u32>| -> Bytes { flows.iter().map(|flow| world.delivered(FlowId(*flow))).sum() };
        let named = (0..self.named).map(|flow| world.delivered(FlowId(flow as u32)));
        let groups: Vec<Bytes> = self.groups.iter().map(sum).collect();
        let total: Bytes = world.adapters.iter().map(Adapter::taken_by_host).sum();
        let others = total - groups.iter().copied().sum() - sum(&self.alone);
        let others = self.series.place(SeriesColumn::Others).map(|_| others);
        named.chain(groups.iter().copied()).chain(others).chain([total]).collect()
    }
}

/// Returns the columns of a series with this many named flows and groups, and `others` or not.
fn columns(named: usize, groups: usize, others: bool) -> Vec<SeriesColumn> {
    let flows = (0..named as u32).map(SeriesColumn::Flow);
    let groups = (0..groups as u32).map(SeriesColumn::Group);
    flows.chain(groups).chain(others.then_some(SeriesColumn::Others)).chain([SeriesColumn::Total]).collect()
}

fn snapshot(world: &World) -> Snapshot {
    let delivered = (0..world.flows.len()).map(|flow| world.delivered(FlowId(flow as u32))).collect();
    Snapshot { at: world.now(), delivered }
}
