//! Outputs and congestion trees at a few moments: `timeline.csv`, `timeline_trees.csv`.
//!
//! Invariant: both files exist if the run recorded moments. An output without a row at a moment sent nothing, and
//! nothing waited for it. The first output has a row at every moment, so that no moment is lost.

use telemetry::{LaneMoment, LaneRecord, RunRecord, TreeMoment};
use units::{Span, Time};

use super::loads::LinkLoads;
use crate::rows::{OutputMomentRow, TreeMomentRow};
use crate::table::TableRow;
use measures::rounded;

/// Returns `timeline.csv`: one row for each moment, output and lane that was not idle; `None` without moments.
#[must_use]
pub fn outputs(record: &RunRecord) -> Option<String> {
    let moments = &record.timeline.as_ref()?.moments;
    // The sample with the worst tree lies between two others, and divides their interval.
    let starts = core::iter::once(Time::ZERO).chain(moments.iter().map(|moment| moment.at));
    let mut loads = LinkLoads::new(record.lanes.len());
    let rows = starts.zip(moments).flat_map(|(start, moment)| {
        let interval = moment.at.since(start);
        let sent: Vec<_> = record.lanes.iter().zip(moment.lanes.iter().map(|at| at.sent)).collect();
        let lanes = record.lanes.iter().zip(&moment.lanes).zip(loads.next(interval, &sent));
        let shown =
            (0..).zip(lanes).filter(|(place, ((_, at), load))| *place == 0 || *load > 0.0 || !is_idle(at));
        shown.map(move |(_, ((lane, at), load))| output_row(moment.at, interval, (lane, load), at))
    });
    Some(OutputMomentRow::csv(rows))
}

fn output_row<'a>(
    time: Time,
    interval: Span,
    (lane, load): (&'a LaneRecord, f64),
    at: &LaneMoment,
) -> OutputMomentRow<'a> {
    OutputMomentRow {
        time_s: time.seconds(),
        node: lane.node.as_str().into(),
        port: lane.port.into(),
        peer: lane.peer.as_str().into(),
        lane: lane.lane.into(),
        utilisation: rounded(load, 4),
        stalled_share: rounded(at.stalled.seconds() / interval.seconds(), 4),
        queue_bytes: at.queue.map(u64::from),
    }
}

fn is_idle(lane: &LaneMoment) -> bool {
    *lane == LaneMoment { queue: lane.queue.map(|_| 0), ..LaneMoment::default() }
}

/// Returns `timeline_trees.csv`: the parts of the congestion trees at each moment; `None` without moments.
#[must_use]
pub fn trees(record: &RunRecord) -> Option<String> {
    let moments = &record.timeline.as_ref()?.moments;
    let rows = moments.iter().flat_map(|moment| {
        moment.trees.iter().flat_map(|tree| tree_rows(record, moment.at, tree)).collect::<Vec<_>>()
    });
    Some(TreeMomentRow::csv(rows))
}

fn tree_rows<'a>(record: &'a RunRecord, time: Time, tree: &TreeMoment) -> Vec<TreeMomentRow<'a>> {
    let root = &record.congestion.roots[tree.root as usize];
    let lane = |place: &u32| &record.lanes[*place as usize];
    let row = |role: &'static str| TreeMomentRow {
        time_s: time.seconds(),
        root_node: root.node.as_str().into(),
        root_port: root.port.into(),
        root_peer: root.peer.as_str().into(),
        root_lane: root.lane.into(),
        role: role.into(),
        ..TreeMomentRow::default()
    };
    let branches = tree.branches.iter().map(|(place, depth)| {
        let LaneRecord { node, port, peer, lane, .. } = lane(place);
        TreeMomentRow {
            node: Some(node.as_str().into()),
            port: Some((*port).into()),
            peer: Some(peer.as_str().into()),
            lane: Some((*lane).into()),
            depth: Some(*depth),
            ..row("branch")
        }
    });
    let hosts = [("contributor", &tree.contributors), ("victim", &tree.victims)];
    let hosts = hosts.into_iter().flat_map(|(role, places)| places.iter().map(move |place| (role, place)));
    let hosts = hosts
        .map(|(role, place)| TreeMomentRow { host: Some(lane(place).node.as_str().into()), ..row(role) });
    branches.chain(hosts).collect()
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
