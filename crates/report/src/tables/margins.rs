//! Margins between loads and their limits: `margins.csv`, and the nearest of each kind on the terminal.
//!
//! Invariant: every limit of the run has a row, so the table explains why a threshold had no effect.

use telemetry::{LaneRecord, MarginCounts, MarginRecord, RunRecord};

use crate::format::{aligned, csv, plain_table, rounded};

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
    let header = [
        "node",
        "port",
        "peer",
        "lane",
        "limit",
        "limit_bytes",
        "highest_bytes",
        "highest_share",
        "crossings",
        "near_misses",
        "crossed_by_s",
    ];
    let row = |lane: &LaneRecord, kind: &str, margin: MarginRecord| {
        let [crossings, near_misses, first] = counts(margin.counts);
        vec![
            lane.node.clone(),
            lane.port.to_string(),
            lane.peer.clone(),
            lane.lane.to_string(),
            kind.to_owned(),
            margin.limit.get().to_string(),
            margin.load.get().to_string(),
            rounded(share(margin), 6).to_string(),
            crossings,
            near_misses,
            first,
        ]
    };
    let lanes = record.lanes.iter();
    let rows = lanes.flat_map(|lane| {
        KINDS.iter().filter_map(move |(kind, of)| of(lane).map(|margin| row(lane, kind, margin)))
    });
    csv(header.map(str::to_owned).to_vec(), rows)
}

/// Returns the limit of each kind that a load came nearest to, as a table for the terminal.
#[must_use]
pub fn printed(record: &RunRecord) -> String {
    let mut table = plain_table();
    table.set_header(["limit", "came nearest at", "highest", "limit (bytes)", "crossings", "near misses"]);
    for (kind, of) in KINDS {
        let margins = record.lanes.iter().filter_map(|lane| of(lane).map(|margin| (lane, margin)));
        // Among equals, the first.
        let nearest = margins.reduce(|best, next| if share(next.1) > share(best.1) { next } else { best });
        let Some((lane, margin)) = nearest else { continue };
        let [crossings, near_misses, _] = counts(margin.counts);
        let dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        table.add_row([
            kind.to_owned(),
            format!("{} port {} ({}), VL{}", lane.node, lane.port, lane.peer, lane.lane),
            format!("{:.1} %", share(margin) * 100.0),
            margin.limit.get().to_string(),
            dash(crossings),
            dash(near_misses),
        ]);
    }
    format!("Nearest to each kind of limit; all stand in margins.csv\n{}\n", aligned(table, 2))
}

fn share(margin: MarginRecord) -> f64 {
    margin.load.get() as f64 / margin.limit.get().max(1) as f64
}

/// Returns crossings, near misses, and the sample of the first crossing; empty texts if they are not counted.
fn counts(counts: Option<MarginCounts>) -> [String; 3] {
    counts.map_or_else(Default::default, |counts| {
        let first = counts.first.map_or_else(String::new, |first| first.seconds().to_string());
        [counts.crossings.to_string(), counts.near_misses.to_string(), first]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written_and_printed() {
        let record = sample::record();
        insta::assert_snapshot!("margins", margins(&record));
        insta::assert_snapshot!("printed_margins", printed(&record));
    }

    #[test]
    fn the_manual_describes_every_column() {
        sample::assert_described("margins.csv", &margins(&sample::record()));
    }
}
