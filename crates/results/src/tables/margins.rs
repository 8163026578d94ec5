//! Margins between loads and their limits: `margins.csv`, and the nearest of each kind on the terminal.
//!
//! Invariant: every limit of the run has a row, so the table explains why a threshold had no effect.

use telemetry::{LaneRecord, MarginCounts, MarginRecord, RunRecord};
use units::{Bytes, Time};

use crate::format::in_blocks;
use crate::rows::MarginRow;
use crate::table::TableRow;
use measures::rounded;

/// A kind of limit of a port and lane: its name, and its margin in a record.
type LimitKind = (&'static str, fn(&LaneRecord) -> Option<MarginRecord>);

const KINDS: [LimitKind; 6] = [
    ("marking", |lane| lane.marking),
    ("marking_all", |lane| lane.marking_all),
    ("trigger", |lane| lane.trigger),
    ("xoff", |lane| lane.pause.map(|pause| pause.threshold)),
    ("headroom", |lane| lane.pause?.headroom),
    ("buffer", |lane| Some(MarginRecord { load: lane.peak, limit: lane.buffer, counts: None })),
];

/// Returns `margins.csv`: one row for each port, lane and limit.
#[must_use]
pub fn margins(record: &RunRecord) -> String {
    let rows = record.lanes.iter().flat_map(|lane| {
        KINDS.iter().filter_map(move |(kind, of)| of(lane).map(|margin| row(lane, kind, margin)))
    });
    MarginRow::csv(rows)
}

fn row<'a>(lane: &'a LaneRecord, kind: &'static str, margin: MarginRecord) -> MarginRow<'a> {
    MarginRow {
        node: lane.node.as_str().into(),
        port: lane.port.into(),
        peer: lane.peer.as_str().into(),
        lane: lane.lane.into(),
        limit: kind.into(),
        limit_bytes: margin.limit.get(),
        highest_bytes: margin.load.get(),
        highest_share: rounded(share(margin), 6),
        crossings: margin.counts.map(|counts| counts.crossings),
        above_90_percent: margin.counts.map(|counts| counts.near_misses),
        crossed_by_s: margin.counts.and_then(|counts| counts.first.map(Time::seconds)),
    }
}

/// Returns the limit of each kind that a load came nearest to: a table for the terminal, in lines of at most `width`
/// characters where possible.
#[must_use]
pub fn printed(record: &RunRecord, width: usize) -> String {
    let header = ["limit", "came nearest at", "load (KB)", "limit (KB)", "load / limit", "passed", "near"];
    let mut rows = Vec::new();
    for (kind, of) in KINDS {
        let margins = record.lanes.iter().filter_map(|lane| of(lane).map(|margin| (lane, margin)));
        // Among equals, the first.
        let nearest = margins.reduce(|best, next| if share(next.1) > share(best.1) { next } else { best });
        let Some((lane, margin)) = nearest else { continue };
        let counted = |of: fn(MarginCounts) -> u32| {
            margin.counts.map_or_else(|| "-".to_owned(), |counts| of(counts).to_string())
        };
        rows.push(vec![
            kind.to_owned(),
            format!("{} port {} ({}), VL{}", lane.node, lane.port, lane.peer, lane.lane),
            kilobytes(margin.load),
            kilobytes(margin.limit),
            multiple(share(margin)),
            counted(|counts| counts.crossings),
            counted(|counts| counts.near_misses),
        ]);
    }
    let table = in_blocks(&header.map(str::to_owned), &rows, 2, 2, width);
    format!(
        "Nearest to each kind of limit; margins.csv has all ports and lanes\n{table}\n\
         passed: times that the load went over the limit; near: over 90 % of it only. xoff: where PAUSE is sent; marking: where packets are marked\n"
    )
}

fn kilobytes(amount: Bytes) -> String {
    format!("{:.1}", amount.get() as f64 / 1e3)
}

/// Returns a share in percent; from ten times the limit on, as a multiple.
fn multiple(share: f64) -> String {
    if share < 10.0 { format!("{:.1} %", share * 100.0) } else { format!("{share:.0} times") }
}

fn share(margin: MarginRecord) -> f64 {
    margin.load.get() as f64 / margin.limit.get().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::WIDTH;
    use crate::sample;

    #[test]
    fn shares_are_percentages_until_they_are_multiples() {
        assert_eq!([0.953, 1.0, 9.999, 2055.7].map(multiple), ["95.3 %", "100.0 %", "999.9 %", "2056 times"]);
    }

    #[test]
    fn the_tables_as_they_are_written_and_printed() {
        let record = sample::record();
        insta::assert_snapshot!("margins", margins(&record));
        insta::assert_snapshot!("printed_margins", printed(&record, WIDTH));
    }
}
