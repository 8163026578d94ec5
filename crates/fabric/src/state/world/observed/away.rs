//! The parts of other processes, as rank 0 knows them.
//!
//! Invariant: rank 0 asks all other ranks the same question, and waits for all answers before the next. A question
//! takes two exchanges: the question, and the answers.

use event_kernel::{Lookahead, WindowLengths};
use packet::{FlowId, Lane, NodeId, Packet, PortId};
use parallel::{Ranks, parts_of, rank_of};
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use topology::Detours;
use units::{Rate, Time};

use super::question::RankQuestion;
use super::rows::taken;
use super::seen::Seen;
use crate::state::interconnect::NodeViolation;
use crate::state::part_id::PartId;
use crate::state::world::FlowEnds;

/// Counts of a rank after an advance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) events: u64,
    /// Packets that crossed a link, each counted once a link.
    pub(crate) packet_hops: u64,
    /// Earliest violation.
    pub(crate) broken: Option<NodeViolation>,
    /// Time before which the rank has nothing to do; `None` if it has nothing to do at all.
    pub(crate) next: Option<Time>,
}

state_codec::value!(Counts { events, packet_hops, broken, next });

/// The parts of other ranks.
#[derive(Debug)]
pub(super) struct Away<'a> {
    ranks: &'a dyn Ranks,
    /// Number of parts of all ranks.
    parts: usize,
    plan: &'a Plan,
    /// Lengths of the windows of their parts' event lists.
    pub(super) lists: Vec<WindowLengths>,
    /// By rank, without rank 0: after the last advance.
    pub(super) counts: Vec<Counts>,
    /// At the last look.
    pub(super) seen: Seen,
}

impl<'a> Away<'a> {
    /// Creates the knowledge of rank 0 about other ranks. `inner` has the lookahead within each part, of all parts.
    pub(super) fn new(ranks: &'a dyn Ranks, inner: &[Lookahead], plan: &'a Plan) -> Self {
        let own = parts_of(0, ranks.count(), inner.len());
        let lists = inner[own.end..].iter().map(|lookahead| WindowLengths::of(*lookahead)).collect();
        let (parts, seen) = (inner.len(), Seen::default());
        Self { ranks, parts, plan, lists, counts: Vec::new(), seen }
    }

    /// Asks all other ranks, at the present instant. Returns their answers, by rank.
    pub(super) fn ask(&self, now: Time, question: &RankQuestion) -> Vec<Vec<u8>> {
        let mut to = StateWriter::new();
        (true, now).put(&mut to);
        question.put(&mut to);
        let mut messages = vec![to.into_bytes(); self.ranks.count()];
        self.ranks.exchange(&mut messages);
        // The exchange is symmetric: for the answers, rank 0 sends empty messages.
        messages.iter_mut().for_each(Vec::clear);
        self.ranks.exchange(&mut messages);
        messages
    }

    /// Returns the answers to a question that each rank answers with a single value, by rank.
    pub(super) fn all<T: Value>(&self, now: Time, question: &RankQuestion) -> Vec<T> {
        let answers = self.ask(now, question);
        answers[1..].iter().map(|answer| taken(&mut StateReader::new(answer))).collect()
    }

    /// Returns the rank that has a part.
    pub(super) fn rank(&self, part: PartId) -> usize {
        rank_of(part.index(), self.ranks.count(), self.parts)
    }

    /// Returns the data rate of the cable at a port.
    pub(super) fn rate(&self, node: NodeId, port: PortId) -> Rate {
        self.plan.nodes().port(node, port).wire.rate()
    }

    /// Lets a copy of a packet [pass](crate::state::world::World::pass) a switch to which it comes by `input`.
    pub(super) fn pass(&self, node: NodeId, input: PortId, packet: &mut Packet) -> Option<PortId> {
        let (graph, routes) = (self.plan.graph(), self.plan.routes());
        if let Some(detours) = routes.detours() {
            let (switch, ranks) = (node.index() - graph.hosts(), detours.ranks(graph, node));
            if detours.decides(switch, ranks[input.index()], packet) {
                return None;
            }
            let output = detours.follow(switch, packet, routes.table(node))?;
            packet.lrh.lane = Detours::lane((ranks[input.index()], ranks[output.index()]), packet.lrh.lane);
            return Some(output);
        }
        let output = routes.table(node).output(packet.lrh.destination(), || packet.flow_key())?;
        if let Some(lanes) = &self.plan.nodes().switch(node).sl_to_vl {
            packet.lrh.lane = lanes.lane((input, output), packet.lrh.service_level());
        }
        Some(output)
    }

    /// Returns the outputs and lanes that a switch [chooses](crate::state::world::World::choices) from.
    pub(super) fn choices(
        &self,
        node: NodeId,
        input: PortId,
        (packet, is_sprayed): (&Packet, bool),
    ) -> Option<Vec<(PortId, Option<Lane>)>> {
        let settings = self.plan.nodes().switch(node);
        let is_selected = settings.selection.is_some_and(|selection| selection.packets.contains(packet));
        if !is_selected && !is_sprayed {
            return None;
        }
        let (table, to) = (self.plan.routes().table(node), packet.lrh.destination());
        let lanes = settings.sl_to_vl.as_ref();
        let lane = |output| lanes.map(|lanes| lanes.lane((input, output), packet.lrh.service_level()));
        let outputs = table.outputs_of(to, (!is_sprayed).then(|| packet.flow_key()), is_selected);
        Some(outputs.map(|output| (output, lane(output))).collect())
    }

    /// Returns a packet without payload that goes the way of a flow's data.
    pub(super) fn probe(&self, flow: FlowId, ends: &FlowEnds) -> Packet {
        let (node, queue_pair) = ends.source;
        FlowEnds::end(self.plan, flow, node, ends.sink)
            .probe((node.lid(), queue_pair), &self.plan.link().lanes)
    }

    /// Returns the plan, which every rank has read.
    pub(super) fn plan(&self) -> &'a Plan {
        self.plan
    }
}
