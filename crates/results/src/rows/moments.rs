//! Rows of `timeline.csv` and `timeline_trees.csv`.

use std::borrow::Cow;

use super::output_name;
use crate::table_row;

table_row! {
    "timeline.csv": "one row per moment, and output and lane that was not idle: load and stalls, at up to 64 moments and that of the worst tree";
    /// An output and lane in an interval.
    pub struct OutputMomentRow<'a> {
        /// The moment, which ends an interval.
        pub time_s: f64,
        /// The port's node.
        pub node: Cow<'a, str>,
        /// The port's number, from 1.
        pub port: u32,
        /// The node at the other end of the link.
        pub peer: Cow<'a, str>,
        /// The virtual lane.
        pub lane: u32,
        /// Bytes sent over the bytes that the link carries in the interval, at most 1: a packet counts when it begins
        /// to leave, and what the link cannot carry in the interval counts in the next.
        pub utilisation: f64,
        /// Share of the interval for which it was stalled: packets waited here with the wire free, for credit or the
        /// end of a pause.
        pub stalled_share: f64,
        /// Packets that wait in the switch for this output, at the moment; empty at an adapter.
        pub queue_bytes: Option<u64>,
    }
}

impl OutputMomentRow<'_> {
    /// Returns the name of the output.
    #[must_use]
    pub fn output(&self) -> String {
        output_name(&self.node, self.port, &self.peer, self.lane)
    }
}

table_row! {
    "timeline_trees.csv": "one row per moment of `timeline.csv` and part of a congestion tree: branches, and the hosts of contributors and victims; of each moment the 16 trees with most branches";
    /// A part of a congestion tree at a moment.
    pub struct TreeMomentRow<'a> {
        /// The moment.
        pub time_s: f64,
        /// The root's switch.
        pub root_node: Cow<'a, str>,
        /// Its output, counted from 1.
        pub root_port: u32,
        /// The node at the output's other end.
        pub root_peer: Cow<'a, str>,
        /// The root's lane.
        pub root_lane: u32,
        /// `branch`: an output that was stalled because of the root; `contributor`: a source host of data that leave
        /// by the root; `victim`: a source host of data that waited and leave elsewhere.
        pub role: Cow<'a, str>,
        /// The branch's node; this and the next four are empty for a host.
        pub node: Option<Cow<'a, str>>,
        /// Its output, counted from 1.
        pub port: Option<u32>,
        /// The node at the output's other end.
        pub peer: Option<Cow<'a, str>>,
        /// The lane.
        pub lane: Option<u32>,
        /// Distance of the output from the root, in links.
        pub depth: Option<u32>,
        /// The source host; empty for a branch.
        pub host: Option<Cow<'a, str>>,
    }
}
