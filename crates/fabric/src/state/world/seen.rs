//! Observations of nodes at an instant: what instruments look at.
//!
//! Invariant: an instrument sees the same of a node that is [away](super::away) as of one of this process. Rank 0 asks for all of it
//! before it looks, and keeps it until it asks again.
//!
//! | of | what a rank tells at each look | bytes in rank 0 |
//! |---|---|---|
//! | flow | payload delivered; state of the response, where it is asked for | 8 |
//! | port and lane | bytes and packets sent, waits, occupancy, queue, marks | 48 |
//! | switch | queues whose packets are next to leave, outputs that may be blocked | 6 each, while packets wait |

use std::collections::BTreeMap;

use cc_policies::ControlState;
use packet::{FlowId, Lane, NodeId, Packet, PortId, VoqId};
use scenario::{Plan, WatchPlan};
use state_codec::{StateWriter, Value};
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Span, Time};

use super::question::{Question, taken};
use super::{Node, World};

/// A port and lane at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaneSeen {
    /// Bytes sent, from the start of the run.
    pub(crate) sent: Bytes,
    /// Packets sent, from the start of the run.
    pub(crate) packets: u64,
    /// Time without credit, from the start of the run.
    pub(crate) without_credit: Span,
    /// Packets marked on leaving, from the start of the run.
    pub(crate) marked: u64,
    /// Bytes in the buffer of the input.
    pub(crate) held: u32,
    /// Bytes that wait for the output; 0 at an adapter.
    pub(crate) queue: u32,
}

state_codec::value!(LaneSeen { sent, packets, without_credit, marked, held, queue });

/// An output and lane of a switch that may wait for room at another switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked {
    pub(crate) from: NodeId,
    pub(crate) output: PortId,
    pub(crate) lane: Lane,
    /// Length of the longest packet that is next to leave.
    pub(crate) head: Bytes,
    /// Room of the queue behind a crossbar, in switches that have one.
    pub(crate) queue: Option<Bytes>,
    /// Room at the far end; `None` if that is away.
    pub(crate) room: Option<Bytes>,
}

state_codec::value!(Blocked { from, output, lane, head, queue, room });

/// A virtual output queue that is next to leave, with the lane that a packet of it arrived on: input, output, lane, lane of arrival.
type Head = ((u16, u16), (u8, u8));

/// Observations of all nodes that are away.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// By flow.
    delivered: Vec<Bytes>,
    /// Payload that hosts have taken.
    pub(crate) taken: Bytes,
    /// Flow of each message that is posted and not complete.
    pub(crate) open: Vec<FlowId>,
    controls: BTreeMap<FlowId, ControlState>,
    /// By node that is away, then by port and lane.
    lanes: Vec<LaneSeen>,
    /// By node that is away, then by port and lane: thresholds of marking that were crossed.
    crossed: Vec<[bool; 2]>,
    /// By node, place of its first lane in `lanes`.
    first_lane: Vec<u32>,
    /// By switch, in order.
    heads: BTreeMap<NodeId, Vec<Head>>,
    /// Outputs of switches that may wait for room.
    pub(crate) blocked: Vec<Blocked>,
    /// Room of inputs whose far ends are switches of other ranks.
    rooms: BTreeMap<(NodeId, PortId, Lane), Bytes>,
}

impl Seen {
    /// Returns the payload of a flow that its destination's host has taken.
    pub(crate) fn delivered(&self, flow: FlowId) -> Bytes {
        self.delivered[flow.index()]
    }

    /// Returns the state of the response that controls a flow that is observed.
    pub(crate) fn control(&self, flow: FlowId) -> ControlState {
        self.controls[&flow]
    }

    fn lane(&self, world: &World<'_>, (node, port, lane): (NodeId, PortId, Lane)) -> usize {
        self.first_lane[node.index()] as usize + port.index() * world.lanes + lane.index()
    }

    /// Returns the thresholds of marking that a queue has crossed: the one above which some packets are marked, and the one above which
    /// all are.
    pub(crate) fn crossed(&self, world: &World<'_>, at: (NodeId, PortId, Lane)) -> [bool; 2] {
        self.crossed[self.lane(world, at)]
    }

    fn is_fed(&self, node: NodeId, voq: VoqId, arrived_on: Lane) -> bool {
        let head = ((voq.input.0, voq.output.0), (voq.lane.0, arrived_on.0));
        self.heads.get(&node).is_some_and(|heads| heads.binary_search(&head).is_ok())
    }
}

impl LaneSeen {
    /// Returns the counts of a lane, without its queue and marks.
    pub(crate) fn of((input, output): (&LaneInput, &LaneOutput), now: Time) -> Self {
        Self {
            sent: output.bytes,
            packets: output.packets,
            without_credit: output.without_credit(now),
            marked: 0,
            held: input.held().get() as u32,
            queue: 0,
        }
    }
}

impl World<'_> {
    /// Returns a port and lane at the present instant.
    pub(crate) fn lane_seen(&self, node: NodeId, port: PortId, lane: Lane) -> LaneSeen {
        let now = self.now();
        match (&self.away, self.node(node)) {
            (Some(away), Node::Away) => away.seen.lanes[away.seen.lane(self, (node, port, lane))],
            (_, Node::Switch(switch)) => {
                let view = switch.view();
                let queue = view.waiting(port, lane).get() as u32;
                let marked = view.marks(port, lane).total();
                LaneSeen { marked, queue, ..LaneSeen::of(view.observed(port, lane), now) }
            }
            _ => LaneSeen::of(self.adapter(node).observed(lane), now),
        }
    }

    /// Returns the bytes that wait in a switch for an output and lane.
    pub(crate) fn waiting(&self, node: NodeId, port: PortId, lane: Lane) -> Bytes {
        match (&self.away, self.node(node)) {
            (Some(_), Node::Away) => Bytes::new(self.lane_seen(node, port, lane).queue.into()),
            _ => self.switch(node).view().waiting(port, lane),
        }
    }

    /// Returns true if a packet that waits in a virtual output queue of a switch is, or could be, the next to leave its buffer, and a packet
    /// there arrived on this lane.
    pub(crate) fn is_fed(&self, node: NodeId, voq: VoqId, arrived_on: Lane) -> bool {
        match (&self.away, self.node(node)) {
            (Some(away), Node::Away) => away.seen.is_fed(node, voq, arrived_on),
            _ => {
                let view = self.switch(node).view();
                view.is_head(voq) && view.arrived_on(voq, arrived_on, self.pool(node))
            }
        }
    }

    /// Returns the room of a switch's input and lane, as its receiver counts it.
    pub(crate) fn room(&self, node: NodeId, input: PortId, lane: Lane) -> Bytes {
        match (&self.away, self.node(node)) {
            (Some(away), Node::Away) => away.seen.rooms[&(node, input, lane)],
            _ => self.switch(node).view().link(input).room(lane),
        }
    }

    /// Returns the packets that wait at these switches, and at these lanes of hosts, as far as they are away.
    pub(crate) fn packets_away(&self, mut at: Vec<(NodeId, Lane)>) -> BTreeMap<(NodeId, Lane), Vec<Packet>> {
        at.retain(|(node, _)| self.is_away(*node));
        let Some(away) = self.away.as_ref().filter(|_| !at.is_empty()) else { return BTreeMap::new() };
        let question = Question::Packets { at };
        let answers = away.ask(self.now(), &question);
        let Question::Packets { at } = question else { unreachable!("the question above") };
        let mut readers = answers.readers();
        let packets = |(node, lane): (NodeId, Lane)| {
            let rank = away.rank(self.places[node.index()].part);
            ((node, lane), taken(&mut readers[rank]))
        };
        at.into_iter().map(packets).collect()
    }

    /// Answers with the packets that wait at these places, as far as they are of this process.
    pub(crate) fn put_packets(&self, at: &[(NodeId, Lane)], to: &mut StateWriter) {
        for place in at.iter().filter(|(node, _)| !self.is_away(*node)) {
            let mut packets = Vec::new();
            self.visit_waiting(*place, &mut |packet| packets.push(*packet));
            packets.put(to);
        }
    }

    /// Shows the packets that wait in a switch, or at a lane of an adapter, of this process.
    ///
    /// # Panics
    /// If the node is away.
    pub(crate) fn visit_waiting(&self, (node, lane): (NodeId, Lane), see: &mut dyn FnMut(&Packet)) {
        let pool = self.pool(node);
        match self.node(node) {
            Node::Away => unreachable!("the packets of {node:?} are away"),
            Node::Switch(switch) => switch.view().visit_packets(pool, see),
            Node::Adapter(adapter) => adapter.visit_waiting(lane, (pool, self.now()), see),
        }
    }

    /// Shows the outputs and lanes of this process's switches that may wait for room at another switch: a packet that is next to leave is
    /// longer than the room in the buffer that it goes to, as far as that is known here, and under PFC a pause is in effect.
    pub(crate) fn visit_blocked(&self, mut see: impl FnMut(Blocked)) {
        for (from, switch) in self.switches() {
            let view = switch.view();
            for output in (0..view.radix() as u16).map(PortId) {
                let (to, input) = self.peer(from, output);
                let next = match self.node(to) {
                    Node::Switch(next) => Some(next.view().link(input)),
                    Node::Away if !self.is_host(to) => None,
                    Node::Adapter(_) | Node::Away => continue,
                };
                let link = view.link(output);
                for lane in (0..view.lanes() as u8).map(Lane) {
                    let room = next.map(|far| far.room(lane));
                    let may_wait = link.is_lossless() || link.is_paused(lane);
                    let head = view.longest_head(output, lane, self.pool(from));
                    let head = head.filter(|head| may_wait && room.is_none_or(|room| *head > room));
                    if let Some(head) = head {
                        let queue = view.room_behind_crossbar(output, lane, self.pool(from));
                        see(Blocked { from, output, lane, head, queue, room });
                    }
                }
            }
        }
    }

    /// Asks other ranks for all that instruments look at, at the present instant. With `open`, also for the flows with a message that is
    /// not complete.
    pub(crate) fn look_away(&mut self, open: bool) {
        let seen = self.away.as_ref().map(|away| {
            let answers = away.ask(self.now(), &Question::Look { open });
            self.seen(&mut answers.readers(), open, away.plan())
        });
        if let (Some(away), Some(seen)) = (&mut self.away, seen) {
            away.seen = seen;
        }
    }

    /// Reads what [`put_seen`](Self::put_seen) writes on each rank, section by section.
    fn seen(&self, from: &mut [state_codec::StateReader<'_>], open: bool, plan: &Plan) -> Seen {
        let mut seen = Seen { delivered: vec![Bytes::ZERO; self.flows.len()], ..Seen::default() };
        for (delivered, ends) in seen.delivered.iter_mut().zip(&self.flows) {
            if let Some(rank) = self.rank_away(ends.sink.0) {
                *delivered = taken(&mut from[rank]);
            }
        }
        seen.taken = from[1..].iter_mut().map(taken::<Bytes>).sum();
        if open {
            seen.open = from[1..].iter_mut().flat_map(taken::<Vec<FlowId>>).collect();
        }
        for flow in controlled(plan) {
            if let Some(rank) = self.rank_away(self.flows[flow.index()].source.0) {
                seen.controls.insert(flow, taken(&mut from[rank]));
            }
        }
        for node in self.numbers() {
            seen.first_lane.push(seen.lanes.len() as u32);
            let Some(rank) = self.rank_away(node) else { continue };
            for _ in 0..self.radix(node) * self.lanes {
                let (lane, crossed) = taken(&mut from[rank]);
                seen.lanes.push(lane);
                seen.crossed.push(crossed);
            }
            if !self.is_host(node) {
                let heads: Vec<Head> = taken(&mut from[rank]);
                seen.heads.extend((!heads.is_empty()).then_some((node, heads)));
            }
        }
        for from in &mut from[1..] {
            seen.blocked.extend(taken::<Vec<Blocked>>(from));
            seen.rooms.extend(taken::<Vec<((NodeId, PortId, Lane), Bytes)>>(from));
        }
        seen
    }

    /// Answers with all that instruments look at in the nodes of this process.
    pub(crate) fn put_seen(&self, open: bool, plan: &Plan, to: &mut StateWriter) {
        for flow in (0..self.flows.len() as u32).map(FlowId) {
            if !self.is_away(self.flows[flow.index()].sink.0) {
                self.delivered(flow).put(to);
            }
        }
        self.adapters().map(ca_transport::Adapter::taken_by_host).sum::<Bytes>().put(to);
        if open {
            let open: Vec<FlowId> = self.adapters().flat_map(ca_transport::Adapter::open_flows).collect();
            open.put(to);
        }
        for flow in controlled(plan) {
            if !self.is_away(self.flows[flow.index()].source.0) {
                self.control(flow).0.put(to);
            }
        }
        self.numbers().filter(|node| !self.is_away(*node)).for_each(|node| self.put_node(node, to));
        let mut blocked = Vec::new();
        self.visit_blocked(|one| blocked.push(one));
        blocked.put(to);
        self.boundary_rooms().put(to);
    }

    fn put_node(&self, node: NodeId, to: &mut StateWriter) {
        for port in (0..self.radix(node) as u16).map(PortId) {
            for lane in (0..self.lanes as u8).map(Lane) {
                let margins = match self.node(node) {
                    Node::Switch(switch) => switch.view().margins(port, lane),
                    Node::Adapter(_) | Node::Away => [None; 2],
                };
                let crossed = margins.map(|margin| margin.is_some_and(|margin| margin.crossings > 0));
                (self.lane_seen(node, port, lane), crossed).put(to);
            }
        }
        if let Node::Switch(switch) = self.node(node) {
            heads(switch.view(), self.pool(node)).put(to);
        }
    }

    /// Returns the room of the inputs whose far ends are switches of other ranks.
    fn boundary_rooms(&self) -> Vec<((NodeId, PortId, Lane), Bytes)> {
        let mut rooms = Vec::new();
        for (node, switch) in self.switches() {
            for input in (0..self.radix(node) as u16).map(PortId) {
                let (from, _) = self.peer(node, input);
                if !self.is_host(from) && self.is_away(from) {
                    let lanes = (0..self.lanes as u8).map(Lane);
                    let link = switch.view().link(input);
                    rooms.extend(lanes.map(|lane| ((node, input, lane), link.room(lane))));
                }
            }
        }
        rooms
    }
}

/// Returns the heads of a switch's queues, in order.
fn heads(view: &dyn switch_arch::SwitchView, pool: &packet::PacketPool) -> Vec<Head> {
    let mut heads = Vec::new();
    let ports = || (0..view.radix() as u16).map(PortId);
    let lanes = || (0..view.lanes() as u8).map(Lane);
    for input in ports() {
        for output in ports() {
            for lane in lanes() {
                let voq = VoqId { input, output, lane };
                if view.is_head(voq) {
                    let arrived = lanes().filter(|arrived_on| view.arrived_on(voq, *arrived_on, pool));
                    heads.extend(arrived.map(|arrived_on| ((input.0, output.0), (lane.0, arrived_on.0))));
                }
            }
        }
    }
    heads
}

/// Returns the flows whose responses a plan asks to observe.
fn controlled(plan: &Plan) -> Vec<FlowId> {
    let sources = &plan.series().sources;
    if sources.takes_all() {
        return (0..plan.workload().flows.len() as u32).map(FlowId).collect();
    }
    let watched = plan.watch().iter().filter_map(|quantity| match quantity {
        WatchPlan::Control { flow } => Some(*flow),
        WatchPlan::Queue { .. } => None,
    });
    let mut flows: Vec<FlowId> = watched.chain(sources.named.iter().copied()).collect();
    flows.sort_unstable();
    flows.dedup();
    flows
}
