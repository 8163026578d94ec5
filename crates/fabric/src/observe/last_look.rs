//! Observations of nodes at the end of a run, for its record.
//!
//! Invariant: all observations are about nodes of this process. Where several processes share a run, each answers in
//! the order in which the record reads: by node, port and lane, or by flow.
//!
//! | [`RankQuestion`] | rows of a process's nodes, in this order |
//! |---|---|
//! | `Lanes` | ports and lanes, packets on wires, logs of pauses, flow-control packets |
//! | `Flows` | ends of flows, counts over all queue pairs |
//! | `Messages` | logs of messages, by adapter |
//!
//! [`RankQuestion`]: crate::state::world::observed::RankQuestion

use std::borrow::Cow;

use ca_transport::{Adapter, MessageLog, SinkTally};
use cc_policies::Margin;
use link_layer::{PauseChange, PauseTally, Port};
use packet::{NodeId, QpNumber};
use scenario::Plan;
use state_codec::{StateWriter, Value};
use telemetry::{DetourTally, LaneInput, LaneOutput, Marks, RepeatTally, TransportTally};
use units::{Bytes, Time};

use crate::state::event::EventKind;
use crate::state::world::observed::RankQuestion;
use crate::state::world::{FlowEnds, Node, OutputLane, World};

/// A port and lane at the end.
pub(crate) struct LaneEnd {
    pub(crate) input: LaneInput,
    pub(crate) output: LaneOutput,
    /// Margins of a switch's queue, for rules that have them.
    pub(crate) margins: [Option<Margin>; 2],
    /// The queue at an output in which packets wait a second time, in switches with such a queue.
    pub(crate) output_queue: Option<LaneInput>,
    /// Pauses; `None` under credits.
    pub(crate) pauses: Option<PauseTally>,
    pub(crate) dropped_at_output: u64,
    /// Packets marked on leaving. Adapters do not mark.
    pub(crate) marks: Marks,
    /// Packets for which the selector of a switch chose the output and lane.
    pub(crate) chosen: Option<u64>,
}

state_codec::value!(LaneEnd {
    input,
    output,
    margins,
    output_queue,
    pauses,
    dropped_at_output,
    marks,
    chosen
});

/// A packet on the wire to a port and lane, and its bytes.
pub(crate) type OnTheWire = (OutputLane, Bytes);

/// The end of a flow that data comes in for.
pub(crate) struct SinkEnd {
    /// Completed messages, and BECNs received.
    pub(crate) seen: (u64, u64),
    pub(crate) taken: SinkTally,
    pub(crate) marks: Option<Marks>,
    /// Packets out of order and again.
    pub(crate) repeats: RepeatTally,
}

state_codec::value!(SinkEnd { seen, taken, marks, repeats });

impl LaneEnd {
    /// Returns a port and lane.
    pub(crate) fn of(world: &World<'_>, (node, port, lane): OutputLane) -> Self {
        let now = world.now();
        match world.node(node) {
            Node::Adapter(adapter) => {
                let (input, output) = adapter.observed(lane);
                Self {
                    input: *input,
                    output: *output,
                    margins: [None; 2],
                    output_queue: None,
                    pauses: adapter.port().pauses(lane, now),
                    dropped_at_output: 0,
                    marks: Marks::default(),
                    chosen: None,
                }
            }
            Node::Switch(switch) => {
                let view = switch.view();
                let (input, output) = view.observed(port, lane);
                Self {
                    input: *input,
                    output: *output,
                    margins: view.margins(port, lane),
                    output_queue: view.output_queue(port, lane).copied(),
                    pauses: view.pauses(port, lane, now),
                    dropped_at_output: view.dropped_at_output(port, lane),
                    marks: *view.marks(port, lane),
                    chosen: view.chosen(port, lane),
                }
            }
        }
    }
}

/// Answers with the record's contents about ports and lanes.
pub(crate) fn put_lanes(world: &World<'_>, plan: &Plan, to: &mut StateWriter) {
    let lanes = world.numbers().filter(|node| world.is_here(*node)).flat_map(|node| world.lanes_of(node));
    lanes.for_each(|at| LaneEnd::of(world, at).put(to));
    on_the_wires(world).collect::<Vec<OnTheWire>>().put(to);
    let logged = plan.lanes().filter(|(node, ..)| world.is_here(*node));
    logged.for_each(|at| pause_changes(world, plan, at).put(to));
    signals_sent(world).put(to);
    detours(world).put(to);
}

/// Returns the packets on the wires to ports of this process.
pub(crate) fn on_the_wires(world: &World<'_>) -> impl Iterator<Item = OnTheWire> {
    world.pending().filter_map(|event| match event.kind {
        EventKind::Arrive(port, packet) => {
            let packet = &event.pool[packet];
            Some(((event.node, port, packet.lrh.lane), packet.wire_bytes()))
        }
        EventKind::Signal(..) | EventKind::Adapter(_) | EventKind::Switch(_) => None,
    })
}

/// Returns the number of flow-control packets sent.
pub(crate) fn signals_sent(world: &World<'_>) -> u64 {
    world.ports().map(Port::signals_sent).sum()
}

/// Returns the counts of packets that may take detours, of the switches of this process.
pub(crate) fn detours(world: &World<'_>) -> DetourTally {
    let here = world.numbers().skip(world.hosts).filter(|node| world.is_here(*node));
    let tallies = here.filter_map(|node| match world.node(node) {
        Node::Switch(switch) => Some(switch.view().detours()),
        Node::Adapter(_) => None,
    });
    tallies.fold(DetourTally::default(), DetourTally::plus)
}

/// Returns the logged pauses of an output and lane, and the number of later pauses. `None` if none are logged.
pub(crate) fn pause_changes(
    world: &World<'_>,
    plan: &Plan,
    (node, port, lane): OutputLane,
) -> Option<(Vec<PauseChange>, u64)> {
    if !plan.series().pauses.logs(node, port) {
        return None;
    }
    let (changes, lost) = world.port(node, port).pause_log()?.changes(lane);
    Some((changes.to_vec(), lost))
}

/// Returns the completed messages and the BECNs at the source of a flow, and its packets out of order and again.
pub(crate) fn source_end(
    world: &World<'_>,
    (node, queue_pair): (NodeId, QpNumber),
) -> ((u64, u64), RepeatTally) {
    let adapter = world.adapter(node);
    (adapter.seen(queue_pair), adapter.repeats(queue_pair))
}

pub(crate) fn sink_end(world: &World<'_>, (node, queue_pair): (NodeId, QpNumber)) -> SinkEnd {
    let adapter = world.adapter(node);
    SinkEnd {
        seen: adapter.seen(queue_pair),
        taken: adapter.sink(queue_pair),
        marks: adapter.marks(queue_pair),
        repeats: adapter.repeats(queue_pair),
    }
}

/// Returns the counts over all queue pairs of this process.
pub(crate) fn transport(world: &World<'_>) -> TransportTally {
    world.adapters().fold(TransportTally::default(), |sum, adapter| sum.plus(adapter.tally()))
}

/// Answers with the record's contents about flows.
pub(crate) fn put_flows(world: &World<'_>, to: &mut StateWriter) {
    for FlowEnds { source, sink } in &world.flows {
        if world.is_here(source.0) {
            source_end(world, *source).put(to);
        }
        if world.is_here(sink.0) {
            sink_end(world, *sink).put(to);
        }
    }
    transport(world).put(to);
}

/// Answers with the logs of messages.
pub(crate) fn put_messages(world: &World<'_>, to: &mut StateWriter) {
    world.adapters().for_each(|adapter| adapter.message_log().map(Cow::Borrowed).put(to));
}

/// Returns the logs of messages of all adapters, of other processes too, by number; `None` if they are not kept.
pub(crate) fn messages<'w>(world: &'w World<'_>) -> Option<Vec<Cow<'w, MessageLog>>> {
    let mut rows = world.rows(&RankQuestion::Messages);
    let own = |host| world.adapter(host).message_log().map(Cow::Borrowed);
    world.numbers().take(world.hosts).map(|host| rows.next(host, || own(host))).collect()
}

/// Returns the time of the last delivery of finite traffic to this process; `None` before the first.
pub(crate) fn last_delivery(world: &World<'_>, plan: &Plan) -> Option<Time> {
    let flows = plan.workload().flows.iter().zip(&world.flows).filter(|(flow, _)| flow.finite);
    let sinks = flows.map(|(_, ends)| ends.sink).filter(|(node, _)| world.is_here(*node));
    sinks.filter_map(|(node, queue_pair)| Adapter::sink(world.adapter(node), queue_pair).last()).max()
}
