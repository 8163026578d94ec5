//! Rows of the files of congestion trees.

use std::borrow::Cow;

use super::output_name;
use crate::table_row;

table_row! {
    "trees.csv": "one row per congestion tree and sample, in order of time";
    /// A congestion tree at a sample.
    pub struct TreeRow<'a> {
        /// The sample.
        pub time_s: f64,
        /// The root's switch.
        pub root_node: Cow<'a, str>,
        /// Its output, counted from 1.
        pub root_port: u32,
        /// The node at the output's other end.
        pub root_peer: Cow<'a, str>,
        /// The lane.
        pub lane: u32,
        /// The first of the consecutive samples up to this one that showed this root.
        pub since_s: f64,
        /// Packets waiting in the root's switch to leave by it.
        pub queue_bytes: u64,
        /// Outputs and lanes, of switches and adapters, that were stalled because of the root.
        pub branches: u32,
        /// The longest path from the root to the end of a branch, in links.
        pub depth: u32,
        /// Ports of the branches and of the root.
        pub saturated_ports: u32,
        /// Number of contributors.
        pub contributors: u32,
        /// Number of victims.
        pub victims: u32,
    }
}

impl TreeRow<'_> {
    /// Returns the name of the root.
    #[must_use]
    pub fn root(&self) -> String {
        output_name(&self.root_node, self.root_port, &self.root_peer, self.lane)
    }
}

table_row! {
    "roots.csv": "one row per root, with its cause and cost; roots in the order of their first appearance";
    /// A root over the whole run.
    pub struct RootRow<'a> {
        /// The root's switch.
        pub root_node: Cow<'a, str>,
        /// Its output, counted from 1.
        pub root_port: u32,
        /// The node at the output's other end.
        pub root_peer: Cow<'a, str>,
        /// The lane.
        pub lane: u32,
        /// The rate of the root's link.
        pub link_rate_bps: f64,
        /// The first sample that showed this root.
        pub from_s: f64,
        /// The last sample that showed this root.
        pub to_s: f64,
        /// Number of samples that showed it.
        pub samples: u32,
        /// The most branches at one sample.
        pub branches: u32,
        /// The longest path from the root to the end of a branch, in links.
        pub depth: u32,
        /// The most ports of branches and root at one sample.
        pub saturated_ports: u32,
        /// Time stalled, added up over the branches.
        pub branches_stalled_s: f64,
        /// The cause of the root: `slow_receiver`, `credit_round_trip`, `head_of_line`, `slower_link`, `more_senders`,
        /// `slower_link_of_several`; empty if the rule names none.
        pub cause: Option<Cow<'a, str>>,
        /// Number of hosts that send the contributors' data.
        pub senders: u32,
        /// Number of contributors.
        pub contributors: u64,
        /// Number of victims.
        pub victims: u64,
        /// The cost of the tree: payload that the idle branches on the victims' paths could have carried for them, as
        /// `victims.csv` has it.
        pub lost_bytes: u64,
        /// `lost_bytes` over the time of its samples.
        pub lost_bps: f64,
    }
}

table_row! {
    "contributors.csv": "one row per contributor and root, the largest contributor of each root first";
    /// A contributor to a root.
    pub struct ContributorRow<'a> {
        /// The contributor.
        pub flow: Cow<'a, str>,
        /// Source host of its data.
        pub src: Cow<'a, str>,
        /// Destination host of its data.
        pub dst: Cow<'a, str>,
        /// Its group, if it has one.
        pub group: Option<Cow<'a, str>>,
        /// The root's switch.
        pub root_node: Cow<'a, str>,
        /// Its output, counted from 1.
        pub root_port: u32,
        /// The node at the output's other end.
        pub root_peer: Cow<'a, str>,
        /// The lane.
        pub lane: u32,
        /// Number of samples at which its data waited in the tree.
        pub samples: u32,
        /// Payload that its host took in the sampling intervals that began with such a sample; empty if its packets had
        /// other paths to choose from.
        pub through_bytes: Option<u64>,
        /// `through_bytes` over the sum of the root's contributors, 0 to 1; empty if that of any is.
        pub share: Option<f64>,
    }
}

table_row! {
    "victims.csv": "one row per victim and root, with the waiting time; roots in the order of their first appearance";
    /// A victim of a root.
    pub struct VictimRow<'a> {
        /// The victim.
        pub flow: Cow<'a, str>,
        /// Source host of its data.
        pub src: Cow<'a, str>,
        /// Destination host of its data.
        pub dst: Cow<'a, str>,
        /// Its group, if it has one.
        pub group: Option<Cow<'a, str>>,
        /// The root's switch.
        pub root_node: Cow<'a, str>,
        /// Its output, counted from 1.
        pub root_port: u32,
        /// The node at the output's other end.
        pub root_peer: Cow<'a, str>,
        /// The lane.
        pub lane: u32,
        /// The first sample that showed this root.
        pub from_s: f64,
        /// The last sample that showed this root.
        pub to_s: f64,
        /// Number of samples at which packets of the flow waited in the tree.
        pub samples: u32,
        /// Time for which an output on their path was stalled, over the intervals that end at those samples.
        pub waited_s: f64,
        /// Payload that the idle branches on its path could have carried for it, shared fairly with other victims; at
        /// most what it had posted, unless messages follow each other.
        pub lost_bytes: u64,
    }
}

table_row! {
    "worst_tree.csv": "one row per output and flow of the congestion tree with most branches at one sample; no file without a tree";
    /// An output or a flow of the tree with most branches.
    pub struct WorstTreeRow<'a> {
        /// The sample, the same in all rows.
        pub time_s: f64,
        /// `root`: the output that is itself the obstacle; `branch`: an output that was stalled because of it;
        /// `contributor`: a flow that leaves by the root; `victim`: a flow that waited and leaves elsewhere.
        pub role: Cow<'a, str>,
        /// The output's node; this and the next four are empty for a flow.
        pub node: Option<Cow<'a, str>>,
        /// The output, counted from 1.
        pub port: Option<u32>,
        /// The node at the output's other end.
        pub peer: Option<Cow<'a, str>>,
        /// The lane.
        pub lane: Option<u32>,
        /// Distance of the output from the root, in links.
        pub depth: Option<u32>,
        /// The flow; this and the next two are empty for an output.
        pub flow: Option<Cow<'a, str>>,
        /// Source host of its data.
        pub src: Option<Cow<'a, str>>,
        /// Destination host of its data.
        pub dst: Option<Cow<'a, str>>,
    }
}

impl WorstTreeRow<'_> {
    /// Returns node and port of an output; `None` of a flow.
    #[must_use]
    pub fn output(&self) -> Option<(String, u32)> {
        Some((self.node.as_deref()?.to_owned(), self.port?))
    }
}
