//! Load, stalls and queues of all outputs while a run goes on.
//!
//! Invariant: outputs are in the order of the graph that the page draws, the lanes of a port together, as in the report: loads and queues are
//! sums over lanes, and a stall is that of the lane that stalled longest.

use fabric::Look;
use page::numbers::{FloatRange, Numbers, ShortRange};
use scenario::Plan;
use serde::Serialize;
use telemetry::{LaneMoment, TreeMoment};
use units::{Rate, Time};

/// All outputs between two reports of progress.
#[derive(Debug, Serialize)]
pub struct LiveFabricData {
    /// Start of the interval, in s.
    pub from_s: f64,
    /// End of the interval, in s.
    pub to_s: f64,
    /// Share of the link's capacity that was sent; 0 in an empty interval.
    pub load: ShortRange,
    /// Share of the interval for which packets waited with the wire free; 0 in an empty interval.
    pub stalled: ShortRange,
    /// Bytes that wait in a switch for the output at the end; 0 at hosts.
    pub queues: FloatRange,
    /// Congestion trees at the last moment before the end.
    pub trees: Vec<LiveTree>,
}

/// A congestion tree: outputs and hosts by their places in the graph.
#[derive(Debug, Serialize)]
pub struct LiveTree {
    /// Its root.
    pub root: usize,
    /// Outputs that are stalled because of it.
    pub branches: Vec<usize>,
    /// Source hosts of its contributors.
    pub contributors: Vec<u32>,
    /// Source hosts of its victims.
    pub victims: Vec<u32>,
}

/// The outputs of a fabric, with their counts up to the last report.
#[derive(Debug)]
pub(crate) struct LiveFabric {
    /// Output and rate of each lane, in the order of [`Plan::lanes`].
    lanes: Vec<(usize, Rate)>,
    /// Node of each lane.
    nodes: Vec<u32>,
    outputs: usize,
    from: Time,
    before: Vec<LaneMoment>,
}

impl LiveFabric {
    /// Returns the outputs of a plan at time zero.
    pub(crate) fn new(plan: &Plan) -> Self {
        let (mut lanes, mut nodes) = (Vec::new(), Vec::new());
        for (node, port, _) in plan.lanes() {
            let cable = plan.graph().ports(node)[port.index()].cable;
            lanes.push((plan.graph().position((node, port)), plan.cable(cable).rate));
            nodes.push(node.0);
        }
        let outputs = lanes.last().map_or(0, |(output, _)| output + 1);
        let before = vec![LaneMoment::default(); lanes.len()];
        Self { lanes, nodes, outputs, from: Time::ZERO, before }
    }

    /// Returns the bytes that wait for each output.
    pub(crate) fn queues(&self, look: &Look) -> Vec<f64> {
        let mut queues = vec![0.0; self.outputs];
        for ((output, _), lane) in self.lanes.iter().zip(&look.lanes) {
            queues[*output] += f64::from(lane.queue.unwrap_or(0));
        }
        queues
    }

    /// Returns load and stalls since the last report, and begins the next interval.
    pub(crate) fn since_last(
        &mut self,
        (now, trees): (Time, &[(u32, &TreeMoment)]),
        look: Look,
        numbers: &mut Numbers,
    ) -> LiveFabricData {
        let interval_s = now.since(self.from).seconds();
        let (mut load, mut stalled) = (vec![0.0; self.outputs], vec![0.0_f64; self.outputs]);
        if interval_s > 0.0 {
            for ((output, rate), (lane, before)) in self.lanes.iter().zip(look.lanes.iter().zip(&self.before))
            {
                let sent = (lane.sent - before.sent).get() as f64;
                load[*output] += sent * 8.0 / (rate.get() as f64 * interval_s);
                stalled[*output] =
                    stalled[*output].max((lane.stalled - before.stalled).seconds() / interval_s);
            }
        }
        let data = LiveFabricData {
            from_s: self.from.seconds(),
            to_s: now.seconds(),
            load: numbers.add_shares(load),
            stalled: numbers.add_shares(stalled),
            queues: numbers.add(self.queues(&look)),
            trees: trees.iter().map(|(root, tree)| self.tree(*root, tree)).collect(),
        };
        (self.from, self.before) = (now, look.lanes);
        data
    }

    /// Returns a tree with the lanes of an output together.
    fn tree(&self, root: u32, tree: &TreeMoment) -> LiveTree {
        let output = |lane: u32| self.lanes[lane as usize].0;
        let hosts = |lanes: &[u32]| lanes.iter().map(|lane| self.nodes[*lane as usize]).collect();
        LiveTree {
            root: output(root),
            branches: tree.branches.iter().map(|(lane, _)| output(*lane)).collect(),
            contributors: hosts(&tree.contributors),
            victims: hosts(&tree.victims),
        }
    }
}
