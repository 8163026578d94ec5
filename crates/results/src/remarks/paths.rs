//! Packets on several paths: how far they came out of order, and how many took detours.
//!
//! Invariant: nothing is said of a run in which packets kept their order, or could take no detour.

use measures::Unit;
use measures::flows::FlowTotals;
use telemetry::RunRecord;

use super::{Remark, RemarkKind};
use crate::format::grouped;

/// Returns the remarks.
pub(super) fn remarks(record: &RunRecord) -> impl Iterator<Item = Remark> {
    let out_of_order = out_of_order(record).map(|text| (RemarkKind::OutOfOrder, text));
    let detours = detours(record).map(|text| (RemarkKind::Detours, text));
    out_of_order.into_iter().chain(detours).map(|(about, text)| Remark { about, text })
}

/// Says how many packets came out of order, how far, and the state that this takes. Packets behind losses have that
/// distance too: there, only acceptance out of order is worth a remark.
fn out_of_order(record: &RunRecord) -> Option<String> {
    let totals = FlowTotals::of(&record.flows);
    let all = totals.repeats;
    let share = totals.out_of_order().filter(|share| *share > 0.0)?;
    if record.dropped_packets > 0 && all.farthest == 0 {
        return None;
    }
    let accepted = (all.farthest > 0).then(|| {
        format!(
            " Accepted were packets up to {} ahead of a missing one: a flow takes a bitmap of as many bits, or {} to \
             restore the order.",
            grouped(all.farthest),
            Unit::Bytes.spelled(all.held_bytes as f64)
        )
    });
    let refused = (all.refused > 0).then(|| {
        format!(
            " {} were refused; requesters sent {} again, those behind them among them.",
            grouped(all.refused),
            grouped(record.transport.retransmitted)
        )
    });
    Some(format!(
        "{} of {} data packets that arrived ({}, second copies apart) were out of order: a packet before them was missing.{}{}",
        grouped(all.out_of_order),
        grouped(totals.arrived()),
        percent(share),
        accepted.unwrap_or_default(),
        refused.unwrap_or_default()
    ))
}

/// Says how many packets took detours.
fn detours(record: &RunRecord) -> Option<String> {
    let tally = record.detours.filter(|tally| tally.packets > 0)?;
    let share = percent(tally.detours as f64 / tally.packets as f64);
    let (detours, packets) = (grouped(tally.detours), grouped(tally.packets));
    Some(format!("{detours} of {packets} data packets that could take a detour ({share}) took one."))
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small > 0.0 && small < 0.1 => "less than 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}
