//! Observations of the nodes of other processes, for instruments.
//!
//! Invariant: rank 0 asks for all of it before instruments look, and keeps it until it asks again.
//!
//! | of | answer of a rank at each look | bytes in rank 0 |
//! |---|---|---|
//! | flow | payload delivered; state of the response, where it is asked for | 8 |
//! | port and lane | bytes and packets sent, waits, occupancy, queue, marks | 48 |
//! | switch | queues with a packet that is next to leave, outputs that may be blocked | 6 each, while packets wait |

use std::collections::BTreeMap;

use ca_transport::Adapter;
use cc_policies::ControlState;
use packet::{FlowId, Lane, NodeId, Packet, PacketPool, PortId, VoqId};
use scenario::{Plan, WatchPlan};
use state_codec::{StateWriter, Value};
use switch_arch::SwitchView;
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Span, Time};

use super::question::RankQuestion;
use crate::state::world::{Node, OutputLane, World};

/// A port and lane at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaneSeen {
    /// Bytes sent, from the start of the run.
    pub(crate) sent: Bytes,
    /// Packets sent, from the start of the run.
    pub(crate) packets: u64,
    /// Time stalled, from the start of the run.
    pub(crate) stalled: Span,
    /// Packets marked on leaving, from the start of the run.
    pub(crate) marked: u64,
    /// Bytes in the buffer of the input.
    pub(crate) held: u32,
    /// Bytes that wait for the output; 0 at an adapter.
    pub(crate) queue: u32,
}

state_codec::value!(LaneSeen { sent, packets, stalled, marked, held, queue });

/// An output and lane of a switch that may wait for room at another switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked {
    pub(crate) from: NodeId,
    pub(crate) output: PortId,
    pub(crate) lane: Lane,
    /// Length of the longest packet that is next to leave.
    pub(crate) head: Bytes,
    /// Room of the queue behind a crossbar, in switches with such a queue.
    pub(crate) queue: Option<Bytes>,
    /// Room at the far end; `None` if another process has it.
    pub(crate) room: Option<Bytes>,
}

state_codec::value!(Blocked { from, output, lane, head, queue, room });

/// A virtual output queue that is next to leave, with the lane that a packet of it arrived on: input, output, lane,
/// lane of arrival.
type Head = ((u16, u16), (u8, u8));

/// Observations of the nodes of all other processes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// By flow.
    delivered: Vec<Bytes>,
    /// Payload that hosts have taken.
    pub(super) taken: Bytes,
    /// Flow of each message that is posted and not complete.
    pub(super) open: Vec<FlowId>,
    controls: BTreeMap<FlowId, ControlState>,
    /// By node of another process, then by port and lane.
    lanes: Vec<LaneSeen>,
    /// By node of another process, then by port and lane: thresholds of marking that were crossed.
    crossed: Vec<[bool; 2]>,
    /// By node, place of its first lane in `lanes`.
    first_lane: Vec<u32>,
    /// By switch, in order.
    heads: BTreeMap<NodeId, Vec<Head>>,
    /// Outputs of switches that may wait for room.
    pub(super) blocked: Vec<Blocked>,
    /// Room of inputs with a switch of another rank at the far end.
    rooms: BTreeMap<OutputLane, Bytes>,
}

impl Seen {
    pub(super) fn delivered(&self, flow: FlowId) -> Bytes {
        self.delivered[flow.index()]
    }

    /// Returns the state of the response that controls a flow that is observed.
    pub(super) fn control(&self, flow: FlowId) -> ControlState {
        self.controls[&flow]
    }

    fn place(&self, world: &World<'_>, (node, port, lane): OutputLane) -> usize {
        self.first_lane[node.index()] as usize + port.index() * world.lanes + lane.index()
    }

    pub(super) fn lane(&self, world: &World<'_>, at: OutputLane) -> LaneSeen {
        self.lanes[self.place(world, at)]
    }

    pub(super) fn crossed(&self, world: &World<'_>, at: OutputLane) -> [bool; 2] {
        self.crossed[self.place(world, at)]
    }

    pub(super) fn is_fed(&self, node: NodeId, voq: VoqId, arrived_on: Lane) -> bool {
        let head = ((voq.input.0, voq.output.0), (voq.lane.0, arrived_on.0));
        self.heads.get(&node).is_some_and(|heads| heads.binary_search(&head).is_ok())
    }

    pub(super) fn room(&self, input: OutputLane) -> Bytes {
        self.rooms[&input]
    }
}

impl LaneSeen {
    /// Returns the counts of a lane, without its queue and marks.
    pub(crate) fn of((input, output): (&LaneInput, &LaneOutput), now: Time) -> Self {
        Self {
            sent: output.bytes,
            packets: output.packets,
            stalled: output.stalled_time(now),
            marked: 0,
            held: input.held().get() as u32,
            queue: 0,
        }
    }
}

impl World<'_> {
    /// Answers with the packets that wait at these places, for the places of this process.
    pub(crate) fn put_packets(&self, at: &[(NodeId, Lane)], to: &mut StateWriter) {
        for place in at.iter().filter(|(node, _)| self.is_here(*node)) {
            let mut packets = Vec::new();
            self.visit_waiting(*place, &mut |packet| packets.push(*packet));
            packets.put(to);
        }
    }

    /// Shows the packets that wait in a switch, or at a lane of an adapter, of this process.
    pub(super) fn visit_waiting(&self, (node, lane): (NodeId, Lane), see: &mut dyn FnMut(&Packet)) {
        let pool = self.pool(node);
        match self.node(node) {
            Node::Switch(switch) => switch.view().visit_packets(pool, see),
            Node::Adapter(adapter) => adapter.visit_waiting(lane, (pool, self.now()), see),
        }
    }

    /// Shows the outputs and lanes of this process's switches that may wait for room at another switch. A packet that
    /// is next to leave is longer than the room in the far buffer, or that room is unknown here. Under PFC a pause is
    /// in effect too.
    pub(super) fn visit_own_blocked(&self, mut see: impl FnMut(Blocked)) {
        for (from, switch) in self.switches() {
            let view = switch.view();
            for output in (0..view.radix() as u16).map(PortId) {
                let (to, input) = self.peer(from, output);
                if self.is_host(to) {
                    continue; // Hosts accept all packets.
                }
                let next = self.own_node(to).map(|next| next.port(input));
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

    /// Asks other ranks for every observation that instruments need at the present instant. With `open`, also for the
    /// flows with a message that is not complete.
    pub(crate) fn look_at_others(&mut self, open: bool) {
        let seen = self.others.0.as_ref().map(|away| self.seen(open, away.plan()));
        if let (Some(away), Some(seen)) = (&mut self.others.0, seen) {
            away.seen = seen;
        }
    }

    /// Drops the observations of the last look.
    pub(crate) fn forget_others(&mut self) {
        if let Some(away) = &mut self.others.0 {
            away.seen = Seen::default();
        }
    }

    /// Reads the answers that [`put_seen`](Self::put_seen) writes on each rank, section by section.
    fn seen(&self, open: bool, plan: &Plan) -> Seen {
        let mut rows = self.rows(&RankQuestion::Look { open });
        let mut seen = Seen { delivered: vec![Bytes::ZERO; self.flows.len()], ..Seen::default() };
        for (delivered, ends) in seen.delivered.iter_mut().zip(&self.flows) {
            *delivered = rows.next(ends.sink.0, || Bytes::ZERO);
        }
        seen.taken = rows.of_others::<Bytes>().sum();
        if open {
            seen.open = rows.of_others::<Vec<FlowId>>().flatten().collect();
        }
        for flow in controlled(plan) {
            let state = rows.of_other(self.flows[flow.index()].source.0);
            seen.controls.extend(state.map(|state| (flow, state)));
        }
        for node in self.numbers() {
            seen.first_lane.push(seen.lanes.len() as u32);
            for (lane, crossed) in self.lanes_of(node).filter_map(|_| rows.of_other(node)) {
                seen.lanes.push(lane);
                seen.crossed.push(crossed);
            }
            if !self.is_host(node) {
                let heads: Vec<Head> = rows.next(node, Vec::new);
                seen.heads.extend((!heads.is_empty()).then_some((node, heads)));
            }
        }
        seen.blocked = rows.of_others::<Vec<Blocked>>().flatten().collect();
        seen.rooms = rows.of_others::<Vec<(OutputLane, Bytes)>>().flatten().collect();
        seen
    }

    /// Answers with every observation of this process's nodes that instruments need.
    pub(crate) fn put_seen(&self, open: bool, plan: &Plan, to: &mut StateWriter) {
        let flows = || (0..self.flows.len() as u32).map(FlowId);
        let own_sinks = flows().filter(|flow| self.is_here(self.flows[flow.index()].sink.0));
        own_sinks.for_each(|flow| self.delivered(flow).put(to));
        self.adapters().map(Adapter::taken_by_host).sum::<Bytes>().put(to);
        if open {
            self.adapters().flat_map(Adapter::open_flows).collect::<Vec<_>>().put(to);
        }
        for flow in controlled(plan) {
            if self.is_here(self.flows[flow.index()].source.0) {
                self.control(flow).0.put(to);
            }
        }
        for node in self.numbers().filter(|node| self.is_here(*node)) {
            self.lanes_of(node).for_each(|at| (self.lane_seen(at), self.crossed(at)).put(to));
            if let Node::Switch(switch) = self.node(node) {
                heads(switch.view(), self.pool(node)).put(to);
            }
        }
        let mut blocked = Vec::new();
        self.visit_own_blocked(|one| blocked.push(one));
        blocked.put(to);
        let inputs = self.switches().flat_map(|(node, _)| self.lanes_of(node));
        let from_others = inputs.filter(|(node, input, _)| {
            let (from, _) = self.peer(*node, *input);
            !self.is_host(from) && !self.is_here(from)
        });
        from_others.map(|input| (input, self.room(input))).collect::<Vec<_>>().put(to);
    }
}

/// Returns the heads of a switch's queues, in order.
fn heads(view: &dyn SwitchView, pool: &PacketPool) -> Vec<Head> {
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

/// Returns the flows with a response that a plan asks to observe.
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
