//! The flows of a group.
//!
//! Invariant: a group is never empty, and its flows are in the order of the record. A name of the scenario goes
//! before `others`, `victims` and `contributors`.

use std::cell::OnceCell;

use telemetry::{RunRecord, SeriesColumn};

use super::measured::Missing;
use super::messages::{GroupMessages, mask};
use super::{CONTRIBUTORS, MeasuredRun, OTHERS, VICTIMS};
use crate::flows::FlowTotals;
use crate::language::ALL;
use crate::turnover::Turnover;

/// The flows of a group in a run.
#[derive(Debug)]
pub(super) struct Group<'a> {
    run: MeasuredRun<'a>,
    /// Indices of the flows, in order.
    pub(super) flows: Vec<usize>,
    /// Column of the flows in the series over time, if any.
    pub(super) column: Option<SeriesColumn>,
    /// True for all flows of the run.
    pub(super) is_all: bool,
    messages: OnceCell<Result<GroupMessages, Missing>>,
    totals: OnceCell<FlowTotals>,
    turnover: OnceCell<Result<Turnover, Missing>>,
}

impl<'a> Group<'a> {
    /// Finds the flows of a group by its name.
    pub(super) fn find(run: MeasuredRun<'a>, name: &str) -> Result<Self, Missing> {
        let record = run.record;
        let (flows, column) = if name == ALL { all(record)? } else { named(record, name)? };
        if flows.is_empty() {
            return Err(Missing::EmptyGroup);
        }
        Ok(Self::new(run, flows, column, name == ALL))
    }

    /// Returns all flows of a run.
    pub(super) fn whole(run: MeasuredRun<'a>) -> Self {
        let flows = (0..run.record.flows.len()).collect();
        Self::new(run, flows, Some(SeriesColumn::Total), true)
    }

    fn new(run: MeasuredRun<'a>, flows: Vec<usize>, column: Option<SeriesColumn>, is_all: bool) -> Self {
        let (messages, totals, turnover) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { run, flows, column, is_all, messages, totals, turnover }
    }

    /// Returns sums over the group's flows, made on the first call.
    pub(super) fn totals(&self) -> &FlowTotals {
        let flows = || self.flows.iter().map(|flow| &self.run.record.flows[*flow]);
        self.totals.get_or_init(|| FlowTotals::of(flows()))
    }

    /// Returns the completion of the group's messages, sorted on the first call.
    pub(super) fn messages(&self) -> Result<&GroupMessages, Missing> {
        let messages = self.messages.get_or_init(|| GroupMessages::of(self.run.record, &self.flows));
        messages.as_ref().map_err(Clone::clone)
    }

    /// Returns the rate of the group's messages and its hosts that stand still, made on the first call.
    pub(super) fn turnover(&self) -> Result<&Turnover, Missing> {
        let turnover = || {
            self.messages()?;
            let is_member = mask(self.run.record, &self.flows);
            Turnover::of(self.run.record, |flow| is_member[flow]).ok_or(Missing::NoMessage)
        };
        self.turnover.get_or_init(turnover).as_ref().map_err(Clone::clone)
    }
}

/// Flows, and their column in the series.
type Found = (Vec<usize>, Option<SeriesColumn>);

fn all(record: &RunRecord) -> Result<Found, Missing> {
    let taken = record.groups.iter().any(|group| group.name == ALL)
        || record.flows.iter().any(|flow| *flow.name == *ALL);
    if taken {
        return Err(Missing::AmbiguousAll);
    }
    Ok(((0..record.flows.len()).collect(), Some(SeriesColumn::Total)))
}

fn named(record: &RunRecord, name: &str) -> Result<Found, Missing> {
    if let Some(group) = record.groups.iter().position(|group| group.name == name) {
        let member = |flow: &usize| record.flows[*flow].group == Some(group as u32);
        let flows = (0..record.flows.len()).filter(member).collect();
        return Ok((flows, Some(SeriesColumn::Group(group as u32))));
    }
    if let Some(flow) = record.flows.iter().position(|flow| *flow.name == *name) {
        return Ok((vec![flow], record.flows[flow].named.then_some(SeriesColumn::Flow(flow as u32))));
    }
    match name {
        OTHERS => Ok((record.others().collect(), Some(SeriesColumn::Others))),
        VICTIMS => in_trees(record, |root| root.victims.iter().map(|victim| victim.flow).collect()),
        CONTRIBUTORS => in_trees(record, |root| root.contributors.iter().map(|one| one.flow).collect()),
        _ => Err(Missing::NoGroup),
    }
}

/// Returns flows that were members of any congestion tree. They are others in each run, so the series has no column for
/// them.
fn in_trees(record: &RunRecord, of: impl Fn(&telemetry::RootRecord) -> Vec<u32>) -> Result<Found, Missing> {
    if record.congestion.sampled == 0 {
        return Err(Missing::NoTreeSample);
    }
    let mut flows: Vec<_> = record.congestion.roots.iter().flat_map(of).map(|flow| flow as usize).collect();
    flows.sort_unstable();
    flows.dedup();
    if flows.is_empty() { Err(Missing::NotInTrees) } else { Ok((flows, None)) }
}
