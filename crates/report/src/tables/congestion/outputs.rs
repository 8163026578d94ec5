//! The hottest outputs on the terminal: congested ones that hold nobody back beside the roots of trees.
//!
//! Invariant: an output is listed only if packets waited for it at a sample, more than are on their way through.

use telemetry::{LaneRecord, OutputLoad, RunRecord};

use crate::congestion::{hottest, utilisation};
use crate::format::{aligned, grouped, plain_table};

/// Number of outputs that are printed; `ports.csv` has all.
const PRINTED: usize = 5;
/// Columns that are aligned to the left.
const LEFT: usize = 1;

/// Returns the hottest outputs as a table; nothing if no packets had to wait.
pub(super) fn printed(record: &RunRecord) -> String {
    let hot = hottest(record);
    if hot.is_empty() {
        return String::new();
    }
    let mut table = plain_table();
    let header =
        ["output", "queue mean (KB)", "peak (KB)", "wire busy", "flows", "marks", "state at samples"];
    table.set_header(header);
    for (lane, load) in hot.iter().take(PRINTED) {
        table.add_row([
            format!("{} port {} to {}, VL{}", lane.node, lane.port, lane.peer, lane.lane),
            format!("{:.1}", load.queue_mean / 1e3),
            format!("{:.1}", load.queue_peak.get() as f64 / 1e3),
            format!("{:.0} %", utilisation(record, lane) * 100.0),
            grouped(load.flows.into()),
            grouped(lane.marks.total()),
            state(record, lane, load),
        ]);
    }
    let what = match hot.len() {
        n if n <= PRINTED => "Hottest outputs, by the mean of their queues".to_owned(),
        n => format!("The {PRINTED} hottest of {n} outputs with queues; all stand in ports.csv"),
    };
    format!("{what}\n{}\n", aligned(table, LEFT))
}

/// Returns the state of an output in words.
fn state(record: &RunRecord, lane: &LaneRecord, load: &OutputLoad) -> String {
    let samples = record.congestion.sampled;
    let waits = if lane.pause.is_some() { "is paused" } else { "lacks credit" };
    match load {
        OutputLoad { rooted: 1.., .. } => format!("root of a tree at {} of {samples}", load.rooted),
        OutputLoad { congested: 1.., .. } => {
            format!("congested at {} of {samples}, but holds nobody back", load.congested)
        }
        _ => format!("{waits} at {} of {samples}", load.held_back),
    }
}
