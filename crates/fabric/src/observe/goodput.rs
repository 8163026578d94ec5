//! Payload delivered by each flow: a series over time, and a snapshot at each phase's start, middle and end.
//!
//! Invariant: the series has a column for each named flow, for each group, for all other flows together, and for the
//! total. Groups and others have the quartiles of their flows too, from a bounded number of flows.

use packet::FlowId;
use scenario::Plan;
use telemetry::{FlowSpread, Phase, Series, SeriesColumn, Snapshot};
use units::{Bytes, Time};

use crate::state::world::World;

/// A flow of a group or of the others, as the quartiles need it.
#[derive(Clone, Copy, Debug)]
struct SpreadFlow {
    flow: FlowId,
    start: Time,
    /// All its data; the largest number if the amount is not known beforehand.
    total: Bytes,
    /// Payload delivered up to the last sample.
    last: Bytes,
}

state_codec::state!(SpreadFlow { flow: plan, start: plan, total: plan, last });

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
    /// Flows over which quartiles are taken: of each group, then the others.
    spreads: Vec<Vec<SpreadFlow>>,
    /// Flows with a message that is not complete, by number; empty unless there are spreads.
    open: Vec<bool>,
    pub(crate) series: Series,
}

state_codec::state!(GoodputProbe {
    named: plan,
    groups: plan,
    alone: plan,
    due,
    snapshots,
    sample,
    end: plan,
    last,
    spreads: part,
    open: part,
    series: part,
});

impl GoodputProbe {
    /// Creates the probe of a plan: snapshots at each phase's start, middle and end, and its samples.
    pub(crate) fn new(plan: &Plan) -> Self {
        let of_phase = |phase: &Phase| [phase.from, phase.second_half, phase.to];
        let mut due: Vec<_> = plan.phases().iter().flat_map(of_phase).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        due.dedup();
        let workload = plan.workload();
        let named = workload.flows.iter().filter(|flow| flow.named).count();
        let (mut groups, mut alone) = (vec![Vec::new(); workload.groups.len()], Vec::new());
        let mut others = Vec::new();
        for (number, flow) in (0..).zip(&workload.flows) {
            match flow.group {
                Some(group) => groups[group as usize].push(number),
                None if flow.named => alone.push(number),
                None => others.push(number),
            }
        }
        let columns = columns(named, groups.len(), !others.is_empty());
        let others = Some(&others).filter(|others| !others.is_empty());
        let spreads: Vec<Vec<SpreadFlow>> =
            groups.iter().chain(others).map(|flows| spread_flows(plan, flows)).collect();
        let several = !spreads.is_empty();
        Self {
            snapshots: Vec::with_capacity(due.len()),
            due,
            named,
            groups,
            alone,
            sample: Time::ZERO + plan.sample(),
            end: plan.duration().after_start(),
            last: vec![Bytes::ZERO; columns.len()],
            open: if several { vec![false; workload.flows.len()] } else { Vec::new() },
            spreads,
            series: Series { interval: plan.sample(), columns, ..Series::default() },
        }
    }

    /// Returns true if a look needs the flows with a message that is not complete.
    pub(crate) fn needs_open(&self) -> bool {
        !self.open.is_empty()
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
            self.look_at_open(world);
            let spread = |flows: &mut Vec<SpreadFlow>| spread(flows, &self.open, world);
            self.series.spreads.push(self.spreads.iter_mut().map(spread).collect());
        }
        if self.due.last() == Some(&now) {
            self.due.pop();
            self.snapshots.push(snapshot(world));
        }
        is_sample
    }

    /// Finds the flows with a message that is not complete.
    fn look_at_open(&mut self, world: &World) {
        if !self.open.is_empty() {
            self.open.fill(false);
            world.open_flows().for_each(|flow| self.open[flow.index()] = true);
        }
    }

    /// Ends series and snapshots at the present instant, where a run ends before its time, with a snapshot.
    pub(crate) fn end_here(&mut self, world: &World) {
        self.due.clear();
        self.end = world.now();
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
        let total = world.taken_by_hosts();
        // By subtraction, since the other flows may be far more than all named flows and groups.
        let others = total - groups.iter().copied().sum() - sum(&self.alone);
        let others = self.series.place(SeriesColumn::Others).map(|_| others);
        named.chain(groups.iter().copied()).chain(others).chain([total]).collect()
    }
}

/// Returns the flows over which quartiles are taken: all, or a number of evenly spaced flows if there are very many.
fn spread_flows(plan: &Plan, flows: &[u32]) -> Vec<SpreadFlow> {
    let step = flows.len().div_ceil(FlowSpread::MOST).max(1);
    let spread_flow = |number: &u32| {
        let posting = &plan.workload().flows[*number as usize].posting;
        SpreadFlow {
            flow: FlowId(*number),
            start: posting.start(),
            total: posting.total().unwrap_or(Bytes::new(u64::MAX)),
            last: Bytes::ZERO,
        }
    };
    flows.iter().step_by(step).map(spread_flow).collect()
}

/// Returns the quartiles of the payload that flows delivered since the last sample, and keeps the payload delivered
/// by now. Flows without data count neither then nor now.
fn spread(flows: &mut [SpreadFlow], open: &[bool], world: &World) -> FlowSpread {
    let mut payloads = Vec::with_capacity(flows.len());
    // Flows that have not begun, or that are complete, cost no look at their destination.
    let now = world.now();
    for one in flows.iter_mut().filter(|one| one.start < now && one.last < one.total) {
        let delivered = world.delivered(one.flow);
        let gained = delivered - core::mem::replace(&mut one.last, delivered);
        // A flow that had nothing to send would draw the quartiles to zero, and hide how the others share.
        if open[one.flow.index()] || gained > Bytes::ZERO {
            payloads.push(gained);
        }
    }
    FlowSpread::of(&mut payloads)
}

/// Returns the columns of a series with this many named flows and groups, and `others` or not.
fn columns(named: usize, groups: usize, others: bool) -> Vec<SeriesColumn> {
    let flows = (0..named as u32).map(SeriesColumn::Flow);
    let groups = (0..groups as u32).map(SeriesColumn::Group);
    flows.chain(groups).chain(others.then_some(SeriesColumn::Others)).chain([SeriesColumn::Total]).collect()
}

fn snapshot(world: &World) -> Snapshot {
    // Nothing is delivered at time zero, and an empty list says so in less memory.
    let flows = if world.now() == Time::ZERO { 0 } else { world.flows.len() };
    let delivered = (0..flows).map(|flow| world.delivered(FlowId(flow as u32))).collect();
    Snapshot { at: world.now(), delivered }
}
