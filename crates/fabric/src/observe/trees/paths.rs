//! Paths of packets, output by output.
//!
//! Invariant: a path follows the forwarding tables. Every packet of a flow takes the same, unless selectors choose ports
//! for them, or hash values in which they differ: then all outputs that they may leave by are on it. It ends before a
//! switch that has yet to decide between the minimal route and a detour, since any output may follow.

use std::collections::{BTreeMap, BTreeSet};

use packet::{FlowId, NodeId, Packet, PortId};
use scenario::Plan;

use crate::state::world::{OutputLane, World};

/// The most links of a path; routes that form a loop are refused before a run.
const LONGEST_PATH: usize = 256;

/// The flows that do not have a single path by the tables, their key and the selectors alone.
#[derive(Debug)]
pub(super) struct ManyPaths {
    /// By host, true if packets of its flows differ in their entropy value.
    spraying: Vec<bool>,
    /// By flow, true if its packets may take detours; empty without detours.
    detouring: Vec<bool>,
    /// By flow, the length of its longest data packet, since selectors may leave short ones to the hash of their flow;
    /// empty without selectors.
    longest: Vec<u16>,
}

impl ManyPaths {
    pub(super) fn new(plan: &Plan) -> Self {
        let adapters = plan.nodes().adapters.iter();
        let flows = plan.workload().flows.iter().filter(|_| plan.routes().detours().is_some());
        let has_selectors = plan.nodes().switches.iter().any(|switch| switch.settings.selection.is_some());
        let longest = |flow| u16::try_from(plan.longest_data_packet(flow).get()).unwrap_or(u16::MAX);
        let selected = plan.workload().flows.iter().filter(|_| has_selectors);
        Self {
            spraying: adapters.map(|adapter| !adapter.settings.entropy.is_usual()).collect(),
            detouring: flows.map(|flow| plan.may_detour(flow)).collect(),
            longest: selected.map(longest).collect(),
        }
    }

    /// Returns true if packets of some flow may take several paths.
    fn has_any(&self) -> bool {
        self.detours() || self.sprays_any() || self.selects_any()
    }

    /// Returns true if some switch has a selector.
    pub(super) fn selects_any(&self) -> bool {
        !self.longest.is_empty()
    }

    /// Returns true if packets of some flows may take detours.
    pub(super) fn detours(&self) -> bool {
        !self.detouring.is_empty()
    }

    /// Returns true if packets of some host's flows differ in their entropy value.
    pub(super) fn sprays_any(&self) -> bool {
        self.spraying.contains(&true)
    }

    fn sprays(&self, world: &World, flow: FlowId) -> bool {
        self.spraying[world.flows[flow.index()].source.0.index()]
    }

    /// Returns true if packets of a flow may take detours: only packets under way show their paths.
    pub(super) fn may_detour(&self, flow: FlowId) -> bool {
        self.detouring.get(flow.index()).is_some_and(|may| *may)
    }
}

/// The outputs by which a packet may leave.
pub(super) struct Outputs<'w, 'p> {
    world: &'w World<'p>,
    packet: Packet,
    /// True if the packet stands for all packets of a flow, which differ in the values that switches hash.
    is_sprayed: bool,
    next: Option<OutputLane>,
    /// Outputs beside `next` that the packet may leave by, and all that were met, once a switch chooses.
    others: Vec<OutputLane>,
    met: BTreeSet<OutputLane>,
    links: usize,
    /// True once the packet has come to a switch that has yet to decide about its route.
    is_open: bool,
    /// An output that counts as cut.
    without: Option<OutputLane>,
}

/// Returns the outputs and lanes by which a packet may leave, from the output `first` where it waits to the last switch.
pub(super) fn outputs<'w, 'p>(world: &'w World<'p>, packet: Packet, first: OutputLane) -> Outputs<'w, 'p> {
    Outputs {
        world,
        packet,
        is_sprayed: false,
        next: Some(first),
        others: Vec::new(),
        met: BTreeSet::new(),
        links: 0,
        is_open: false,
        without: None,
    }
}

impl Iterator for Outputs<'_, '_> {
    type Item = OutputLane;

    fn next(&mut self) -> Option<OutputLane> {
        let at = self.next.take().or_else(|| self.others.pop())?;
        self.links += 1;
        let (node, output, lane) = at;
        let (node, input) = self.world.peer(node, output);
        if let Some(choices) = self.world.choices(node, input, (&self.packet, self.is_sprayed)) {
            for (output, next) in choices {
                let output = (node, output, next.unwrap_or(lane));
                if self.without != Some(output) && self.met.insert(output) {
                    self.others.push(output);
                }
            }
        } else if self.links < LONGEST_PATH || !self.met.is_empty() {
            self.packet.lrh.lane = lane;
            let onward = self.world.pass(node, input, &mut self.packet);
            self.is_open = onward.is_none() && !self.world.is_host(node);
            let onward = onward.map(|output| (node, output, self.packet.lrh.lane));
            let onward = onward.filter(|output| self.without != Some(*output));
            // Paths that were apart meet again.
            self.next = onward.filter(|output| self.met.is_empty() || self.met.insert(*output));
        }
        Some(at)
    }
}

/// Returns the outputs and lanes by which the data of a flow may leave, from the adapter of its source on. Of a flow
/// that may take detours this is the first alone.
pub(super) fn of_flow<'w, 'p>(world: &'w World<'p>, many: &ManyPaths, flow: FlowId) -> Outputs<'w, 'p> {
    let (source, _) = world.flows[flow.index()].source;
    let mut probe = world.probe(flow);
    probe.wire = many.longest.get(flow.index()).copied().unwrap_or(probe.wire);
    let first = (source, PortId(0), probe.lrh.lane);
    Outputs { is_sprayed: many.sprays(world, flow), ..outputs(world, probe, first) }
}

/// Returns true if all data of a flow that may leave by `root` do so: no other path leads to its destination.
pub(super) fn is_only_way(world: &World, many: &ManyPaths, flow: FlowId, root: OutputLane) -> bool {
    if !many.has_any() {
        return true;
    }
    // Even the last link has a lane for each kind of route.
    if many.may_detour(flow) {
        return false;
    }
    let mut others = Outputs { without: Some(root), ..of_flow(world, many, flow) };
    !others.any(|(node, port, _)| world.is_host(world.peer(node, port).0))
}

/// Returns true if a packet that waits for the output `first` may leave by `root`. A packet about whose route a
/// switch has yet to decide is sure to leave by the last link alone.
pub(super) fn crosses(world: &World, packet: &Packet, first: OutputLane, root: OutputLane) -> bool {
    let mut onward = outputs(world, *packet, first);
    let ends_by_root = || world.peer(root.0, root.1).0 == packet.lrh.destination().node();
    onward.any(|output| output == root) || onward.is_open && ends_by_root()
}

/// Returns the output for which a packet waits at a switch.
pub(super) fn awaited(node: NodeId, packet: &Packet) -> OutputLane {
    let voq = packet.voq();
    (node, voq.output, voq.lane)
}

/// Numbers of flows by output.
pub(super) struct FlowCounts<'w, 'p> {
    world: &'w World<'p>,
    many: &'w ManyPaths,
    /// Flows that have no other output to choose from.
    sure: BTreeMap<OutputLane, u32>,
    /// Outputs among which packets of some flow had a choice.
    unsure: BTreeSet<OutputLane>,
    /// Hosts that are the destination of flows with detours, which may also have taken any link between switches.
    by_detours: BTreeSet<NodeId>,
}

impl<'w, 'p> FlowCounts<'w, 'p> {
    pub(super) fn new(world: &'w World<'p>, many: &'w ManyPaths) -> Self {
        let (sure, unsure) = (BTreeMap::new(), BTreeSet::new());
        Self { world, many, sure, unsure, by_detours: BTreeSet::new() }
    }

    /// Adds a flow that has delivered payload.
    pub(super) fn add(&mut self, flow: FlowId) {
        if self.many.may_detour(flow) {
            self.by_detours.insert(self.world.flows[flow.index()].sink.0);
            return;
        }
        let mut path = of_flow(self.world, self.many, flow);
        let outputs: Vec<_> = path.by_ref().collect();
        let mut choices: BTreeMap<NodeId, u32> = BTreeMap::new();
        outputs.iter().for_each(|output| *choices.entry(output.0).or_default() += 1);
        let has_choice = choices.values().any(|number| *number > 1);
        let ends = |output: &OutputLane| self.world.is_host(self.world.peer(output.0, output.1).0);
        let last = outputs.iter().filter(|output| ends(output)).count();
        for output in outputs {
            // Behind a choice, a packet passes a single output for sure: the last, if there is one.
            if !has_choice || last == 1 && ends(&output) {
                *self.sure.entry(output).or_default() += 1;
            } else {
                self.unsure.insert(output);
            }
        }
    }

    /// Returns the number of flows that delivered payload through an output; `None` if it is not known.
    pub(super) fn of(&self, output: OutputLane) -> Option<u32> {
        let (peer, _) = self.world.peer(output.0, output.1);
        let by_detours = match self.world.is_host(peer) {
            true => self.by_detours.contains(&peer),
            false => !self.by_detours.is_empty(),
        };
        let is_known = !by_detours && !self.unsure.contains(&output);
        if is_known {
            return Some(self.sure.get(&output).copied().unwrap_or(0));
        }
        (self.world.lane_seen(output).packets == 0).then_some(0)
    }
}
