//! Goodput and fairness in each phase, side by side.
//!
//! Invariant: phases are matched by name, and a run without the phase has a dash.

use super::by_name::ByName;
use super::compared_phase::ComparedPhase;
use super::groups;
use super::large_groups::member_names;
use super::row::{ComparedRun, ComparisonRow, RowKind};
use crate::distinct::distinct;
use crate::summary::PhaseSummary;
use measures::Quantity;
use measures::censoring::CensoredValue;

/// Returns the goodput of flows, groups, other flows and all flows over the second half of each phase.
pub(super) fn goodput_rows(runs: &[ComparedRun<'_>], phases: &[ComparedPhase<'_>]) -> Vec<ComparisonRow> {
    let (mut rows, members) = (Vec::new(), member_names(runs));
    for phase in phases {
        let flows = flow_rows(phase).into_iter();
        rows.extend(flows.map(|row| ComparisonRow { is_member: members.contains(row.what.as_str()), ..row }));
        rows.extend(groups::goodput_rows(runs, phase));
        if runs.iter().any(|run| run.summary.others.flows > 0) {
            rows.push(phase.goodput("flows without name or group", |run, phase| {
                (runs[run].summary.others.flows > 0).then_some(phase.others.second_half_total_goodput_bps)
            }));
        }
        rows.push(phase.goodput("total", |_, phase| Some(phase.second_half_total_goodput_bps)));
    }
    rows
}

/// Returns the goodput of each named flow that was active or delivered something in the phase.
fn flow_rows(phase: &ComparedPhase<'_>) -> Vec<ComparisonRow> {
    let flows = || phase.of_runs.iter().map(|phase| phase.map_or(&[][..], |phase| &phase.flows));
    let by_name: Vec<_> =
        flows().map(|flows| ByName::of(flows.iter().map(|flow| (flow.flow.as_str(), flow)))).collect();
    let row = |name| {
        phase.goodput(name, |run, _| {
            let flow = by_name[run].get(name)?;
            (flow.active || flow.second_half_goodput_bps > 0.0).then_some(flow.second_half_goodput_bps)
        })
    };
    let rows = distinct(flows().flatten().map(|flow| flow.flow.as_str())).into_iter().map(row);
    rows.filter(ComparisonRow::has_value).collect()
}

/// Returns Jain's index of each phase in which several flows were active.
pub(super) fn fairness_rows(phases: &[ComparedPhase<'_>]) -> Vec<ComparisonRow> {
    let cell = |phase: &Option<&PhaseSummary>| {
        let phase = (*phase)?;
        let several = phase.flows.iter().filter(|flow| flow.active).count() > 1;
        phase.second_half_jain.filter(|_| several).map(CensoredValue::Exact)
    };
    let row = |phase: &ComparedPhase<'_>| ComparisonRow {
        cells: phase.of_runs.iter().map(cell).collect(),
        ..ComparisonRow::empty(
            Quantity::Fairness.name(),
            String::new(),
            phase.name.to_owned(),
            RowKind::of(Quantity::Fairness),
        )
    };
    phases.iter().map(row).filter(ComparisonRow::has_value).collect()
}
