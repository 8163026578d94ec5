//! Congestion trees, searched for at every sample.
//!
//! Invariant: the search changes nothing and costs the event loop nothing. It compares counters that nodes keep anyway
//! with those of the previous sample, and walks queues only in switches that a tree has reached.
//!
//! ```text
//! root    a fully used output and lane, or one towards an adapter without room, with a queue above the threshold
//! branch  an output and lane that was held back for lack of credit, and that feeds a buffer in which packets
//!         wait for the root or for another branch of the same tree
//! ```
//!
//! All constants are our own choice; `docs/models/congestion-trees.md` gives the reasons.

use std::collections::BTreeMap;

use link_layer::LinkPlan;
use packet::{Lane, NodeId, Packet, PortId, VoqId};
use telemetry::{Congestion, LaneOutput, RootRecord, TreeSample, VictimRecord};
use units::{Bytes, Span, Time};

use crate::state::world::World;

/// An output is held back if it was without credit for at least 1 / `HELD_BACK_PART` of the sampling interval.
const HELD_BACK_PART: u64 = 10;
/// An output is fully used if its wire was busy for at least this percentage of the sampling interval.
const FULL_PERCENT: u64 = 90;
/// A queue is above the threshold if it holds more than 1 / `QUEUE_PART` of an input's buffer.
pub(crate) const QUEUE_PART: u64 = 4;
/// The most links of a path; routes that form a loop are refused before a run.
const LONGEST_PATH: usize = 256;

/// An output and lane of a node.
type OutputLane = (NodeId, PortId, Lane);

/// Finds congestion trees, and keeps their state from sample to sample.
#[derive(Debug, Default)]
pub(crate) struct TreeFinder {
    /// By switch, the queue length above which an output counts as congested.
    thresholds: Vec<Bytes>,
    lanes: usize,
    /// Bytes on the wire around each packet.
    around: Bytes,
    last: Time,
    /// By port of every node, then by lane.
    outputs: Vec<OutputActivity>,
    roots: BTreeMap<OutputLane, RootTotals>,
    /// The roots, in the order in which they first appeared.
    order: Vec<OutputLane>,
    samples: Vec<TreeSample>,
}

/// Activity of an output and lane since the previous sample.
#[derive(Clone, Copy, Debug, Default)]
struct OutputActivity {
    /// Time without credit and bytes sent, from the start to the previous sample.
    without_credit: Span,
    bytes: Bytes,
    /// Time without credit since the previous sample.
    waited: Span,
    /// Bytes on the wire since the previous sample.
    sent: Bytes,
    held_back: bool,
}

/// A root, with its totals over the run.
#[derive(Debug, Default)]
struct RootTotals {
    number: u32,
    since: Time,
    record: RootRecord,
    contributors: BTreeMap<u32, u32>,
    victims: BTreeMap<u32, VictimRecord>,
}

/// A congestion tree at one sample.
struct CongestionTree {
    root: OutputLane,
    /// Outputs that are held back, each with its distance from the root in links. Parents precede children.
    branches: Vec<(OutputLane, u32)>,
    /// Flows that leave by the root.
    contributors: Vec<u32>,
    /// Flows that do not leave by the root, each with its wait since the previous sample.
    victims: Vec<(u32, Span)>,
}

impl TreeFinder {
    /// Creates a finder for switches with these thresholds, and for these links.
    pub(crate) fn new(thresholds: Vec<Bytes>, link: &LinkPlan) -> Self {
        let (lanes, around) = (usize::from(link.data_lanes), link.framing.around());
        Self { thresholds, lanes, around, ..Self::default() }
    }

    /// Searches for trees. Called once all events of a sample's instant are handled.
    pub(crate) fn look(&mut self, world: &World) {
        let now = world.now();
        let interval = now.since(self.last);
        self.measure(world, interval);
        let before = core::mem::replace(&mut self.last, now);
        for root in self.candidates(world, interval) {
            let branches = self.branches(world, root);
            if branches.is_empty() {
                continue; // Congestion within one switch holds no other flow back.
            }
            let mut tree = CongestionTree { root, branches, contributors: Vec::new(), victims: Vec::new() };
            self.find_flows(world, &mut tree);
            self.record(world, &tree, before);
        }
    }

    /// Measures the activity of each output since the previous sample.
    fn measure(&mut self, world: &World, interval: Span) {
        let now = world.now();
        let adapters = world.adapters.iter().flat_map(ca_transport::Adapter::all_observed);
        let switches = world.switches.iter().flat_map(|switch| switch.view().all_observed());
        self.outputs.resize(world.interconnect.peers.len() * self.lanes, OutputActivity::default());
        for (output, (_, seen)) in self.outputs.iter_mut().zip(adapters.chain(switches)) {
            output.settle(seen, self.around, now, interval);
        }
    }

    /// Returns the outputs that are congested by themselves, in order of node, port and lane.
    fn candidates(&self, world: &World, interval: Span) -> Vec<OutputLane> {
        let mut found = Vec::new();
        for (place, switch) in world.switches.iter().enumerate() {
            let node = world.switch_number(place);
            for port in (0..switch.view().radix() as u16).map(PortId) {
                for lane in (0..self.lanes as u8).map(Lane) {
                    let over = switch.view().waiting(port, lane) > self.thresholds[place];
                    if over && self.is_root(world, (node, port, lane), interval) {
                        found.push((node, port, lane));
                    }
                }
            }
        }
        found
    }

    /// Returns true if an output is itself the cause of its queue: its wire, or the adapter behind it, is the bottleneck.
    fn is_root(&self, world: &World, (node, port, lane): OutputLane, interval: Span) -> bool {
        let faces_adapter = world.interconnect.peer(node, port).0.index() < world.adapters.len();
        if self.output((node, port, lane), world).held_back {
            return faces_adapter;
        }
        let lanes = (0..self.lanes as u8).map(Lane);
        let sent: Bytes = lanes.map(|lane| self.output((node, port, lane), world).sent).sum();
        let rate = world.switch(node).view().link_rate(port);
        rate.time_for(sent).ps() * 100 >= interval.ps() * FULL_PERCENT
    }

    /// Returns the outputs that `root` holds back.
    fn branches(&self, world: &World, root: OutputLane) -> Vec<(OutputLane, u32)> {
        let mut branches: Vec<(OutputLane, u32)> = Vec::new();
        let mut parents = vec![(root, 0)];
        let mut next = 0;
        while let Some(&((node, output, lane), depth)) = parents.get(next) {
            next += 1;
            if node.index() < world.adapters.len() {
                continue;
            }
            let here = world.switch(node).view();
            for input in (0..here.radix() as u16).map(PortId) {
                let voq = VoqId { input, output, lane };
                let (from, port) = world.interconnect.peer(node, input);
                for arrived_on in (0..here.lanes() as u8).map(Lane) {
                    let child = (from, port, arrived_on);
                    if self.output(child, world).held_back
                        && !parents.iter().any(|(known, _)| *known == child)
                        && here.is_head(voq)
                        && here.arrived_on(voq, arrived_on, &world.interconnect.pool)
                    {
                        branches.push((child, depth + 1));
                        parents.push((child, depth + 1));
                    }
                }
            }
        }
        branches
    }

    /// Finds the flows whose packets wait in the tree: for its root or branches, or in buffers that its branches feed.
    fn find_flows(&self, world: &World, tree: &mut CongestionTree) {
        let mut inside: Vec<NodeId> = tree.branches.iter().map(|((node, ..), _)| *node).collect();
        inside.push(tree.root.0);
        inside.sort_unstable();
        inside.dedup();
        let mut victims = BTreeMap::new();
        let mut contributors = Vec::new();
        for node in inside.into_iter().filter(|node| node.index() >= world.adapters.len()) {
            world.switch(node).view().visit_packets(&world.interconnect.pool, &mut |packet| {
                let VoqId { input, output, lane } = packet.voq();
                let (from, port) = world.interconnect.peer(node, input);
                let channels = [(node, output, lane), (from, port, packet.arrived_on)];
                if tree.is_in(channels[0]) && crosses(world, packet, node, tree.root) {
                    contributors.extend((packet.payload > 0).then_some(packet.flow.0));
                } else if channels.iter().any(|channel| tree.is_branch(*channel)) {
                    let branches = channels.iter().filter(|channel| tree.is_branch(**channel));
                    let waited = branches.map(|branch| self.output(*branch, world).waited).max();
                    let most = victims.entry(packet.flow.0).or_insert(Span::ZERO);
                    *most = waited.unwrap_or(Span::ZERO).max(*most);
                }
            });
        }
        contributors.sort_unstable();
        contributors.dedup();
        victims.retain(|flow, _| contributors.binary_search(flow).is_err());
        tree.contributors = contributors;
        tree.victims = victims.into_iter().collect();
        // The longest wait first; equal waits in the order of the scenario.
        tree.victims.sort_by_key(|(flow, waited)| (core::cmp::Reverse(*waited), *flow));
    }

    fn record(&mut self, world: &World, tree: &CongestionTree, before: Time) {
        let at = world.now();
        let (node, port, lane) = tree.root;
        let held_back = tree.branches.iter().map(|(branch, _)| self.output(*branch, world).waited).sum();
        let number = self.roots.len() as u32;
        let running = self.roots.entry(tree.root).or_insert_with(|| {
            self.order.push(tree.root);
            let (peer, _) = world.interconnect.peer(node, port);
            RootTotals::new(number, at, (world.name(node).to_owned(), world.name(peer).to_owned()), tree)
        });
        if running.record.last != before {
            running.since = at;
        }
        running.add(tree, at, held_back);
        self.samples.push(TreeSample {
            at,
            since: running.since,
            root: running.number,
            queue: world.switch(node).view().waiting(port, lane),
            branches: tree.branches.len() as u32,
            depth: tree.depth(),
            ports: tree.ports(),
            contributors: tree.contributors.len() as u32,
            victims: tree.victims.len() as u32,
            some_contributors: tree.contributors.iter().copied().take(TreeSample::NAMED).collect(),
            some_victims: tree.victims.iter().map(|(flow, _)| *flow).take(TreeSample::NAMED).collect(),
        });
    }

    /// Returns the trees found, as plain data.
    pub(crate) fn congestion(&self) -> Congestion {
        let roots = self.order.iter().map(|root| self.roots[root].finished());
        Congestion { roots: roots.collect(), samples: self.samples.clone() }
    }

    fn output(&self, (node, port, lane): OutputLane, world: &World) -> &OutputActivity {
        let port = world.interconnect.first_port[node.index()] as usize + port.index();
        &self.outputs[port * self.lanes + lane.index()]
    }
}

/// Returns true if a packet that waits at a switch will leave by the root.
fn crosses(world: &World, packet: &Packet, node: NodeId, root: OutputLane) -> bool {
    let VoqId { output, lane, .. } = packet.voq();
    let (mut node, mut channel) = (node, Some((output, lane)));
    for _ in 0..LONGEST_PATH {
        let Some((output, lane)) = channel else { return false };
        if (node, output, lane) == root {
            return true;
        }
        let (next, input) = world.interconnect.peer(node, output);
        node = next;
        if node.index() < world.adapters.len() {
            return false;
        }
        let switch = world.switch(node);
        channel = switch
            .output_of(packet)
            .map(|output| (output, switch.lane_of(input, output, packet).unwrap_or(lane)));
    }
    false
}

impl OutputActivity {
    fn settle(&mut self, seen: &LaneOutput, around: Bytes, now: Time, interval: Span) {
        let without_credit = seen.without_credit(now);
        self.waited = without_credit - self.without_credit;
        let on_the_wire = seen.bytes + Bytes::new(around.get() * seen.packets);
        self.sent = on_the_wire - self.bytes;
        (self.without_credit, self.bytes) = (without_credit, on_the_wire);
        self.held_back = self.waited.ps() * HELD_BACK_PART >= interval.ps().max(1);
    }
}

impl CongestionTree {
    fn is_branch(&self, channel: OutputLane) -> bool {
        self.branches.iter().any(|(branch, _)| *branch == channel)
    }

    fn is_in(&self, channel: OutputLane) -> bool {
        channel == self.root || self.is_branch(channel)
    }

    fn depth(&self) -> u32 {
        self.branches.iter().map(|(_, depth)| *depth).max().unwrap_or(0)
    }

    /// Returns the number of ports in the tree, each counted once for all of its lanes.
    fn ports(&self) -> u32 {
        let mut ports: Vec<_> = self.branches.iter().map(|((node, port, _), _)| (*node, *port)).collect();
        ports.push((self.root.0, self.root.1));
        ports.sort_unstable();
        ports.dedup();
        ports.len() as u32
    }
}

impl RootTotals {
    fn new(number: u32, at: Time, (node, peer): (String, String), tree: &CongestionTree) -> Self {
        let (_, port, lane) = tree.root;
        let record =
            RootRecord { node, port: port.0 + 1, peer, lane: lane.0, first: at, ..RootRecord::default() };
        Self { number, since: at, record, ..Self::default() }
    }

    fn add(&mut self, tree: &CongestionTree, at: Time, held_back: Span) {
        let record = &mut self.record;
        record.last = at;
        record.samples += 1;
        record.branches = record.branches.max(tree.branches.len() as u32);
        record.depth = record.depth.max(tree.depth());
        record.ports = record.ports.max(tree.ports());
        record.held_back += held_back;
        for flow in &tree.contributors {
            *self.contributors.entry(*flow).or_insert(0) += 1;
        }
        for (flow, waited) in &tree.victims {
            let victim =
                self.victims.entry(*flow).or_insert(VictimRecord { flow: *flow, ..VictimRecord::default() });
            victim.samples += 1;
            victim.waited += *waited;
        }
    }

    fn finished(&self) -> RootRecord {
        let contributors = self.contributors.iter().map(|(flow, samples)| (*flow, *samples)).collect();
        let mut victims: Vec<_> = self.victims.values().copied().collect();
        victims.sort_by_key(|victim| (core::cmp::Reverse(victim.waited), victim.flow));
        RootRecord { contributors, victims, ..self.record.clone() }
    }
}
