//! The flows of a tree: contributors and victims.
//!
//! Invariant: a flow with a path through the root is never a victim, wherever its packets wait. Of a flow that may take
//! detours only packets under way tell: once data of it are seen on their way to the root, it is a contributor, and
//! never a victim again.

use std::collections::BTreeMap;

use packet::{FlowId, NodeId, Packet};
use units::{Bytes, Span};

use super::activity::Activity;
use super::found::{Members, Victim};
use super::paths::ManyPaths;
use super::shares::{Users, max_min};
use super::totals::RootTotals;
use super::waiting::WaitingPackets;
use super::{CongestionTree, paths};
use crate::state::world::{OutputLane, World};

/// A flow with packets that wait for branches, or in buffers that they feed, and will not leave by the root.
#[derive(Clone, Debug, Default)]
struct Waiting {
    waited: Span,
    /// True if data wait, and not only acknowledgements or notifications.
    data: bool,
    /// Of a flow that may take detours: outputs that its data wait for, and those on their way from there.
    outputs: Vec<OutputLane>,
}

/// Knowledge about flows beside the packets that wait.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) many: &'a ManyPaths,
    /// The root, if it had a tree before.
    pub(super) root: Option<&'a RootTotals>,
}

/// Search for the flows of a tree.
struct Search<'a> {
    world: &'a World<'a>,
    activity: &'a Activity,
    tree: &'a CongestionTree,
    /// The tree's branches, in ascending order: each packet asks for two outputs, and a tree may have a branch for
    /// each host.
    branches: Vec<OutputLane>,
    packets: &'a WaitingPackets,
    known: Known<'a>,
    found: Members,
    waiting: BTreeMap<u32, Waiting>,
}

impl Members {
    /// Finds the flows with packets that wait in the tree: for its root or branches, or in buffers that its branches
    /// feed.
    pub(super) fn find(
        world: &World,
        activity: &Activity,
        tree: &CongestionTree,
        (packets, known): (&WaitingPackets, Known<'_>),
    ) -> Self {
        let (found, waiting) =
            (Self { by_packets: known.many.detours(), ..Self::default() }, BTreeMap::new());
        let mut branches: Vec<_> = tree.branches.iter().map(|(branch, _)| *branch).collect();
        branches.sort_unstable();
        let mut search = Search { world, activity, tree, branches, packets, known, found, waiting };
        search.visit_switches();
        search.visit_adapters();
        search.found.contributors.sort_unstable();
        search.found.contributors.dedup();
        search.find_victims();
        search.found
    }
}

impl Search<'_> {
    fn visit_switches(&mut self) {
        let (world, packets) = (self.world, self.packets);
        for place in self.tree.places(world).into_iter().filter(|(node, _)| !world.is_host(*node)) {
            packets.at(place).iter().for_each(|packet| self.visit_at_switch(place.0, packet));
        }
    }

    fn visit_at_switch(&mut self, node: NodeId, packet: &Packet) {
        let (from, port) = self.world.peer(node, packet.voq().input);
        let awaited = paths::awaited(node, packet);
        if awaited == self.tree.root && packet.payload > 0 {
            self.found.feeders.insert(packet.voq().input);
        }
        self.visit(packet, awaited, Some((from, port, packet.arrived_on())));
    }

    /// Visits the packets that wait in adapters with a branch as output.
    fn visit_adapters(&mut self) {
        let (tree, packets) = (self.tree, self.packets);
        for &(branch, _) in tree.branches.iter().filter(|((node, ..), _)| self.world.is_host(*node)) {
            let (node, _, lane) = branch;
            packets.at((node, lane)).iter().for_each(|packet| self.visit(packet, branch, None));
        }
    }

    /// Visits a packet that waits for the output `awaited`. In a switch, it came by the output `came_by` of the
    /// previous node.
    fn visit(&mut self, packet: &Packet, awaited: OutputLane, came_by: Option<OutputLane>) {
        let is_in = awaited == self.tree.root || self.is_branch(awaited);
        if is_in && paths::crosses(self.world, packet, awaited, self.tree.root) {
            self.found.contributors.extend((packet.payload > 0).then_some(packet.flow.0));
            return;
        }
        // A packet that waits for an output outside the tree is still held up if a branch feeds its buffer.
        let channels = [Some(awaited), came_by].into_iter().flatten();
        let branches = channels.filter(|channel| self.is_branch(*channel));
        let Some(waited) = branches.map(|branch| self.activity.of(self.world, branch).waited).max() else {
            return;
        };
        let waiting = self.waiting.entry(packet.flow.0).or_default();
        waiting.waited = waiting.waited.max(waited);
        waiting.data |= packet.payload > 0;
        if packet.payload > 0 && self.known.many.may_detour(packet.flow) {
            waiting.outputs.extend(came_by);
            waiting.outputs.extend(paths::outputs(self.world, *packet, awaited));
        }
    }

    fn is_branch(&self, channel: OutputLane) -> bool {
        self.branches.binary_search(&channel).is_ok()
    }

    /// Returns the outputs that data of a flow may leave by, if none of them is the root. Of a flow with detours these
    /// are `seen`, unless data of it have been seen on their way to the root, or end behind it.
    fn path_elsewhere(&self, flow: FlowId, mut seen: Vec<OutputLane>) -> Option<Vec<OutputLane>> {
        let Known { many, root } = self.known;
        if many.may_detour(flow) {
            seen.sort_unstable();
            seen.dedup();
            let crosses = root.is_some_and(|root| root.knows(flow.0)) || self.ends_by_root(flow);
            return (!crosses).then_some(seen);
        }
        let path: Vec<_> = paths::of_flow(self.world, many, flow).collect();
        (!path.contains(&self.tree.root)).then_some(path)
    }

    /// Returns true if the root leads to the destination of a flow.
    fn ends_by_root(&self, flow: FlowId) -> bool {
        let (node, port, _) = self.tree.root;
        self.world.peer(node, port).0 == self.world.flows[flow.index()].sink.0
    }

    /// Finds the victims among the flows that wait, and divides among them the idle time of the branches on their
    /// paths.
    fn find_victims(&mut self) {
        let places: BTreeMap<OutputLane, usize> =
            self.tree.branches.iter().enumerate().map(|(place, (branch, _))| (*branch, place)).collect();
        let mut by_path: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (flow, waiting) in core::mem::take(&mut self.waiting) {
            // Packets of a contributor that wait elsewhere, such as acknowledgements, are no reason to call the flow
            // a victim.
            if self.found.contributors.binary_search(&flow).is_ok() {
                continue;
            }
            let Some(path) = self.path_elsewhere(FlowId(flow), waiting.outputs) else { continue };
            // A flow that waits with acknowledgements alone loses time, but no payload of its own.
            if waiting.data {
                let branches = path.iter().filter_map(|output| places.get(output).copied()).collect();
                by_path.entry(branches).or_default().push(self.found.victims.len());
            }
            self.found.victims.push(Victim { flow, waited: waiting.waited, lost: Bytes::ZERO });
        }
        let idle = |(branch, _): &(OutputLane, u32)| self.activity.idle(self.world, *branch).get();
        let room = self.tree.branches.iter().map(idle).collect();
        let users: Vec<_> = by_path
            .iter()
            .map(|(outputs, victims)| Users { outputs: outputs.clone(), number: victims.len() as u64 })
            .collect();
        for (share, victims) in max_min(room, &users).into_iter().zip(by_path.values()) {
            victims.iter().for_each(|victim| self.found.victims[*victim].lost = Bytes::new(share));
        }
    }
}
