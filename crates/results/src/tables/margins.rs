//! Margins between loads and their limits: `margins.csv`, and the nearest of each kind on the terminal.
//!
//! Invariant: every limit of the run has a row, so the table explains why a threshold had no effect.

use telemetry::{LaneRecord, MarginCounts, MarginRecord, RunRecord};
use units::{Bytes, Time};

use crate::format::in_blocks;
use crate::table::{Column, Table};
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

/// Meaning of the kinds.
const LIMITS: &str = "`marking`: the packets waiting for this output against IBA's marking threshold, compared as the \
    scenario's `compare` says, or against DCQCN's Kmin; `marking_all`: the same against Kmax; `trigger`: the \
    occupancy of this buffer, with `buffering: Output` of this output's queue, against the trigger of the HP \
    proposal (of `Full`: its size less a packet of the MTU); `xoff`: under PFC, what was held under the \
    threshold against the threshold (of shared memory, as it was then); `headroom`: what was held in the \
    headroom against it; `buffer`: what the buffer held against its size";

/// A row of `margins.csv`.
#[derive(Debug)]
pub struct MarginRow<'a> {
    lane: &'a LaneRecord,
    kind: &'static str,
    margin: MarginRecord,
}

/// Returns `margins.csv`: one row for each port, lane and limit.
#[must_use]
pub fn margins(record: &RunRecord) -> String {
    let rows = record.lanes.iter().flat_map(|lane| {
        let row = move |(kind, of): &LimitKind| of(lane).map(|margin| MarginRow { lane, kind, margin });
        KINDS.iter().filter_map(row)
    });
    table().csv(rows)
}

/// Returns the definition of `margins.csv`.
#[must_use]
pub fn table<'a>() -> Table<MarginRow<'a>> {
    let columns: [Column<MarginRow<'a>>; 11] = [
        Column::text("node", "the port's node, as in `ports.csv`", |row| &row.lane.node),
        Column::count("port", "the port's number", |row| row.lane.port.into()),
        Column::text("peer", "the node at the other end of the link", |row| &row.lane.peer),
        Column::count("lane", "the virtual lane", |row| row.lane.lane.into()),
        Column::text("limit", LIMITS, |row| row.kind),
        Column::count(
            "limit_bytes",
            "the limit; where it varies (with the number of inputs with waiting packets, or with the free memory), the \
             value that a load came nearest to",
            |row| row.margin.limit.get(),
        ),
        Column::count("highest_bytes", "the load that came nearest to it", |row| row.margin.load.get()),
        Column::number("highest_share", "`highest_bytes` over `limit_bytes`", |row| {
            rounded(share(row.margin), 6)
        }),
        Column::optional_count(
            "crossings",
            "number of times that a load passed the limit, for `marking`, `marking_all` and `xoff` only; for `xoff` the \
             number of PAUSE requests, without repetitions",
            |row| row.margin.counts.map(|counts| counts.crossings.into()),
        ),
        Column::optional_count(
            "above_90_percent",
            "number of times that a load passed 90 % of the limit and fell below that again without passing the limit, \
             for the same three",
            |row| row.margin.counts.map(|counts| counts.near_misses.into()),
        ),
        Column::optional_number(
            "crossed_by_s",
            "the first sample by which the limit had been passed, for the same three; for `xoff` the time of the first \
             crossing",
            |row| row.margin.counts?.first.map(Time::seconds),
        ),
    ];
    let contents = "one row per port, lane and limit: the nearest approach of loads to it";
    Table { file: "margins.csv", contents, columns: columns.into() }
}

/// Returns the limit of each kind that a load came nearest to: a table for the terminal, in lines of at most `width`
/// characters where possible.
#[must_use]
pub fn printed(record: &RunRecord, width: usize) -> String {
    let header =
        ["limit", "came nearest at", "load (KB)", "limit (KB)", "load / limit", "passed", "over 90 % only"];
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
    format!("Nearest to each kind of limit; all stand in margins.csv\n{table}\n")
}

fn kilobytes(amount: Bytes) -> String {
    format!("{:.1}", amount.get() as f64 / 1e3)
}

/// Returns a share in percent; from ten times the limit on, as a multiple.
fn multiple(share: f64) -> String {
    if share < 10.0 { format!("{:.1} %", share * 100.0) } else { format!("x {share:.0}") }
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
        assert_eq!([0.953, 1.0, 9.999, 2055.7].map(multiple), ["95.3 %", "100.0 %", "999.9 %", "x 2056"]);
    }

    #[test]
    fn the_tables_as_they_are_written_and_printed() {
        let record = sample::record();
        insta::assert_snapshot!("margins", margins(&record));
        insta::assert_snapshot!("printed_margins", printed(&record, WIDTH));
    }
}
