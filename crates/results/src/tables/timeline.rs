//! Outputs and congestion trees at a few moments: `timeline.csv`, `timeline_trees.csv`.
//!
//! Invariant: both files exist if the run recorded moments. An output without a row at a moment sent nothing, and
//! nothing waited for it. The first output has a row at every moment, so that no moment is lost.

use telemetry::{LaneMoment, LaneRecord, RootRecord, RunRecord, TreeMoment};
use units::{Span, Time};

use crate::table::{Column, Table};
use measures::rounded;

/// A row of `timeline.csv`.
#[derive(Debug)]
pub struct OutputMomentRow<'a> {
    time: Time,
    interval: Span,
    lane: &'a LaneRecord,
    moment: &'a LaneMoment,
}

/// Returns `timeline.csv`: one row for each moment, output and lane that was not idle; `None` without moments.
#[must_use]
pub fn outputs(record: &RunRecord) -> Option<String> {
    let moments = &record.timeline.as_ref()?.moments;
    let interval = moments.first().map_or(Span::ZERO, |first| first.at.since(Time::ZERO));
    let rows = moments.iter().flat_map(|moment| {
        let lanes = (0..).zip(record.lanes.iter().zip(&moment.lanes));
        let shown = lanes.filter(|(place, (_, at))| *place == 0 || !is_idle(at));
        shown.map(move |(_, (lane, at))| OutputMomentRow { time: moment.at, interval, lane, moment: at })
    });
    Some(output_table().csv(rows))
}

fn is_idle(lane: &LaneMoment) -> bool {
    *lane == LaneMoment { queue: lane.queue.map(|_| 0), ..LaneMoment::default() }
}

/// Returns the definition of `timeline.csv`.
#[must_use]
pub fn output_table<'a>() -> Table<OutputMomentRow<'a>> {
    let columns: [Column<OutputMomentRow<'a>>; 8] = [
        Column::number("time_s", "the moment, which ends an interval", |row| row.time.seconds()),
        Column::text("node", "the port's node", |row| &row.lane.node),
        Column::count("port", "the port's number, from 1", |row| row.lane.port.into()),
        Column::text("peer", "the node at the other end of the link", |row| &row.lane.peer),
        Column::count("lane", "the virtual lane", |row| row.lane.lane.into()),
        Column::number(
            "utilisation",
            "bytes sent over the bytes that the link carries in the interval; a packet counts in full when it begins to leave",
            |row| {
                let possible = row.lane.rate.get() as f64 * row.interval.seconds();
                rounded(row.moment.sent.get() as f64 * 8.0 / possible, 4)
            },
        ),
        Column::number(
            "stalled_share",
            "share of the interval for which packets waited here with the wire free, for credit or the end of a pause",
            |row| rounded(row.moment.stalled.seconds() / row.interval.seconds(), 4),
        ),
        Column::optional_count(
            "queue_bytes",
            "packets that wait in the switch for this output, at the moment; empty at an adapter",
            |row| row.moment.queue.map(u64::from),
        ),
    ];
    let contents =
        "one row per moment, and output and lane that was not idle: load and stalls, at up to 64 moments";
    Table { file: "timeline.csv", contents, columns: columns.into() }
}

/// A row of `timeline_trees.csv`.
#[derive(Debug)]
pub struct TreeMomentRow<'a> {
    time: Time,
    root: &'a RootRecord,
    role: &'static str,
    output: Option<(&'a LaneRecord, u32)>,
    host: Option<&'a str>,
}

/// Returns `timeline_trees.csv`: the parts of the congestion trees at each moment; `None` without moments.
#[must_use]
pub fn trees(record: &RunRecord) -> Option<String> {
    let moments = &record.timeline.as_ref()?.moments;
    let rows = moments.iter().flat_map(|moment| {
        moment.trees.iter().flat_map(|tree| tree_rows(record, moment.at, tree)).collect::<Vec<_>>()
    });
    Some(tree_table().csv(rows))
}

fn tree_rows<'a>(record: &'a RunRecord, time: Time, tree: &TreeMoment) -> Vec<TreeMomentRow<'a>> {
    let root = &record.congestion.roots[tree.root as usize];
    let lane = |place: &u32| &record.lanes[*place as usize];
    let branches = tree.branches.iter().map(|(place, depth)| TreeMomentRow {
        time,
        root,
        role: "branch",
        output: Some((lane(place), *depth)),
        host: None,
    });
    let hosts = [("contributor", &tree.contributors), ("victim", &tree.victims)];
    let hosts = hosts.into_iter().flat_map(|(role, places)| places.iter().map(move |place| (role, place)));
    let hosts = hosts.map(|(role, place)| TreeMomentRow {
        time,
        root,
        role,
        output: None,
        host: Some(&lane(place).node),
    });
    branches.chain(hosts).collect()
}

/// Returns the definition of `timeline_trees.csv`.
#[must_use]
pub fn tree_table<'a>() -> Table<TreeMomentRow<'a>> {
    let columns: [Column<TreeMomentRow<'a>>; 12] = [
        Column::number("time_s", "the moment", |row| row.time.seconds()),
        Column::text("root_node", "the root's switch", |row| &row.root.node),
        Column::count("root_port", "its output, counted from 1", |row| row.root.port.into()),
        Column::text("root_peer", "the node at the output's other end", |row| &row.root.peer),
        Column::count("root_lane", "the root's lane", |row| row.root.lane.into()),
        Column::text(
            "role",
            "`branch`: an output that was without credit because of the root; `contributor`: a source host of data that \
             leave by the root; `victim`: a source host of data that waited and leave elsewhere",
            |row| row.role,
        ),
        Column::optional_text(
            "node",
            "the branch's node; this and the next four are empty for a host",
            |row| row.output.map(|(lane, _)| lane.node.as_str()),
        ),
        Column::optional_count("port", "its output, counted from 1", |row| {
            row.output.map(|(lane, _)| lane.port.into())
        }),
        Column::optional_text("peer", "the node at the output's other end", |row| {
            row.output.map(|(lane, _)| lane.peer.as_str())
        }),
        Column::optional_count("lane", "the lane", |row| row.output.map(|(lane, _)| lane.lane.into())),
        Column::optional_count("depth", "distance of the output from the root, in links", |row| {
            row.output.map(|(_, depth)| depth.into())
        }),
        Column::optional_text("host", "the source host; empty for a branch", |row| row.host),
    ];
    let contents = "one row per moment of `timeline.csv` and part of a congestion tree: branches, and the hosts of \
                    contributors and victims; of each moment the 16 trees with most branches";
    Table { file: "timeline_trees.csv", contents, columns: columns.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written_and_none_without_moments() {
        let record = sample::record();
        insta::assert_snapshot!("timeline", outputs(&record).expect("there are moments"));
        insta::assert_snapshot!("timeline_trees", trees(&record).expect("there are moments"));
        let without = RunRecord { timeline: None, ..record };
        assert!(outputs(&without).is_none() && trees(&without).is_none());
    }
}
