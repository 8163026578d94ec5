//! The hottest outputs on the terminal: congested outputs that block no other, beside the roots of trees.
//!
//! Invariant: an output is listed only if packets waited for it at a sample, beyond packets on their way through.

use telemetry::{LaneRecord, OutputLoad, RunRecord};

use crate::congestion::{hottest, utilisation};
use crate::format::{grouped, in_blocks};

/// Number of outputs that are printed; `ports.csv` has all.
const PRINTED: usize = 5;
/// Columns that are aligned to the left.
const LEFT: usize = 1;

/// Returns the hottest outputs as a table, in lines of at most `width` characters where possible; nothing if no packets
/// had to wait.
pub(super) fn printed(record: &RunRecord, width: usize) -> String {
    let hot = hottest(record);
    if hot.is_empty() {
        return String::new();
    }
    let header = ["output", "queue", "peak", "busy", "flows", "marks", "state at samples"];
    let row = |(lane, load): &(&LaneRecord, OutputLoad)| {
        vec![
            format!("{} port {} to {}, VL{}", lane.node, lane.port, lane.peer, lane.lane),
            format!("{:.1}", load.queue_mean / 1e3),
            format!("{:.1}", load.queue_peak.get() as f64 / 1e3),
            format!("{:.0} %", utilisation(record, lane) * 100.0),
            load.flows.map_or_else(|| "-".to_owned(), |flows| grouped(flows.into())),
            grouped(lane.marks.total()),
            state(record, load),
        ]
    };
    let rows: Vec<_> = hot.iter().take(PRINTED).map(row).collect();
    let what = match hot.len() {
        n if n <= PRINTED => "Hottest outputs, by the mean of their queues, in KB".to_owned(),
        n => format!("The {PRINTED} hottest of {n} outputs with queues, in KB; ports.csv has all"),
    };
    let note =
        "busy: share of time in which the wire carried packets; holds up none: no other output waits for it";
    format!("{what}\n{}\n{note}\n", in_blocks(&header.map(str::to_owned), &rows, 1, LEFT, width))
}

/// Returns the states of an output in words, each with its number of samples.
fn state(record: &RunRecord, load: &OutputLoad) -> String {
    let OutputLoad { rooted, congested, stalled, .. } = *load;
    let samples = record.congestion.sampled;
    let by_itself = match (rooted, congested) {
        (0, 0) => None,
        (0, _) => Some(format!("congested at {congested}")),
        _ => Some(format!("root at {rooted}")),
    };
    let waiting = (stalled > 0).then(|| format!("stalled at {stalled}"));
    let states: Vec<_> = by_itself.into_iter().chain(waiting).collect();
    match (states.is_empty(), rooted + stalled) {
        (true, _) => "-".to_owned(),
        (false, 0) => format!("{} of {samples}, holds up none", states.join(", ")),
        _ => format!("{} of {samples}", states.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// An output that is stalled is a branch, and may block others, however congested it is by itself.
    #[test]
    fn an_output_blocks_no_other_only_if_it_was_never_a_root_or_a_branch() {
        let record = sample::record();
        let state = |rooted, congested, stalled| {
            let load = hottest(&record)[0].1;
            state(&record, &OutputLoad { rooted, congested, stalled, ..load })
        };
        assert_eq!(state(0, 3, 0), "congested at 3 of 4, holds up none");
        assert_eq!(state(0, 1, 3), "congested at 1, stalled at 3 of 4");
        assert_eq!(state(2, 3, 1), "root at 2, stalled at 1 of 4");
        assert_eq!(
            [state(2, 2, 0), state(0, 0, 4), state(0, 0, 0)],
            ["root at 2 of 4", "stalled at 4 of 4", "-"]
        );
    }
}
