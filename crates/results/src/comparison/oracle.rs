//! Rows of a comparison against rows that are searched for by name, row by row.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;
use telemetry::{RootRecord, RunRecord, VictimRecord};
use units::Span;

use super::*;
use crate::sample;
use crate::summary::PhaseSummary;

/// A run drawn at random: distinct names of flows, victims' waits (flow, us) by root, and phases (name, active flows).
type Drawn = (Vec<u8>, Vec<Vec<(usize, u64)>>, Vec<(u8, Vec<bool>)>);

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        subsequence((0..12u8).collect::<Vec<_>>(), 4..12).prop_shuffle(),
        vec(vec((0..20usize, 1..50u64), 0..6), 0..4),
        vec((0..4u8, vec(any::<bool>(), 4..20)), 0..4),
    )
}

fn record((names, roots, _): &Drawn) -> RunRecord {
    let mut record = sample::record();
    let flow = record.flows[0].clone();
    record.flows = names
        .iter()
        .map(|name| telemetry::FlowRecord { name: format!("F{name}").into(), group: None, ..flow.clone() })
        .collect();
    let victim = |(flow, us): &(usize, u64)| VictimRecord {
        flow: (flow % names.len()) as u32,
        samples: 1,
        waited: Span::from_us(*us),
        lost: units::Bytes::ZERO,
    };
    let root = record.congestion.roots[0].clone();
    record.congestion.roots = roots
        .iter()
        .map(|victims| RootRecord { victims: victims.iter().map(victim).collect(), ..root.clone() })
        .collect();
    record
}

fn summary((names, _, phases): &Drawn) -> Summary {
    let mut summary = Summary::new(sample::CONTEXT, &sample::record(), sample::cost());
    let (phase, flow) = (summary.phases[0].clone(), summary.phases[0].flows[0].clone());
    summary.phases = phases
        .iter()
        .map(|(name, active)| PhaseSummary {
            name: format!("P{name}"),
            flows: names
                .iter()
                .zip(active)
                .map(|(flow_name, active)| crate::summary::FlowSummary {
                    flow: format!("F{flow_name}"),
                    active: *active,
                    second_half_goodput_bps: 1e9 * f64::from(*flow_name),
                    ..flow.clone()
                })
                .collect(),
            ..phase.clone()
        })
        .collect();
    summary
}

/// Returns the time that the first flow of this name waited, found by a search.
fn waited(record: &RunRecord, name: &str) -> Option<Span> {
    let flow = record.flows.iter().position(|flow| *flow.name == *name)?;
    let victims = record.congestion.roots.iter().flat_map(|root| &root.victims);
    Some(victims.filter(|victim| victim.flow as usize == flow).map(|victim| victim.waited).sum())
}

/// Returns the goodput of the first flow of this name in the first phase of this name, found by searches.
fn goodput(summary: &Summary, phase: &str, flow: &str) -> Option<f64> {
    let phase = summary.phases.iter().find(|one| one.name == phase)?;
    let flow = phase.flows.iter().find(|one| one.flow == flow)?;
    (flow.active || flow.second_half_goodput_bps > 0.0).then_some(flow.second_half_goodput_bps)
}

fn exact(row: &ComparisonRow) -> Vec<Option<f64>> {
    row.cells.iter().map(|cell| cell.and_then(CensoredValue::exact)).collect()
}

proptest! {
    #[test]
    fn rows_are_those_of_a_search_by_name(runs in vec(drawn(), 2..4)) {
        let records: Vec<_> = runs.iter().map(record).collect();
        let summaries: Vec<_> = runs.iter().map(summary).collect();
        let compared: Vec<_> = records
            .iter()
            .zip(&summaries)
            .map(|(record, summary)| ComparedRun { label: "A", asked: "first", summary, record, ends: &[] })
            .collect();
        let rows = Comparison::of(&compared, None).rows;
        let flow_names: Vec<String> = (0..12).map(|name| format!("F{name}")).collect();
        // Goodput: a row for each pair of names with a value in any run, and no other.
        for phase in (0..4).map(|name| format!("P{name}")) {
            for flow in &flow_names {
                let expected: Vec<_> = summaries.iter().map(|one| goodput(one, &phase, flow)).collect();
                let found = rows
                    .iter()
                    .filter(|row| (row.topic, &row.phase, &row.what) == ("goodput", &phase, flow))
                    .map(exact);
                let wanted = expected.iter().any(Option::is_some).then_some(expected);
                prop_assert_eq!(found.collect::<Vec<_>>(), wanted.into_iter().collect::<Vec<_>>());
            }
        }
        // Victims: the longest waits first, and the sum of all rows is the sum of all waits.
        let victims: Vec<_> = rows.iter().filter(|row| row.topic == "victims").collect();
        let named = victims.iter().filter(|row| flow_names.contains(&row.what));
        for row in named {
            let expected: Vec<_> = records.iter().map(|one| waited(one, &row.what).map(Span::seconds)).collect();
            prop_assert_eq!(exact(row), expected);
        }
        for (run, record) in records.iter().enumerate() {
            let is_victim = |name: &String| {
                records.iter().any(|one| waited(one, name).is_some_and(|span| span > Span::ZERO))
            };
            let all = flow_names.iter().filter(|name| is_victim(name));
            let expected: f64 = all.filter_map(|name| waited(record, name)).map(Span::seconds).sum();
            let found: f64 = victims.iter().filter_map(|row| exact(row)[run]).sum();
            prop_assert!((found - expected).abs() < 1e-12, "{} instead of {}", found, expected);
        }
        let longest: Vec<_> = victims.iter().take(5).map(|row| exact(row)).map(|cells| {
            cells.into_iter().flatten().fold(0.0, f64::max)
        }).collect();
        prop_assert!(longest.is_sorted_by(|one, next| one >= next), "{:?}", longest);
    }
}
