//! Observations of nodes at the end of a run, for its record.
//!
//! Invariant: rank 0 reads what other ranks tell row by row, in the order of nodes, ports and lanes or of flows, and keeps the record
//! alone.
//!
//! | question | rows of a rank's nodes, in this order |
//! |---|---|
//! | [`Lanes`](crate::state::world::question::Question::Lanes) | ports and lanes, packets on wires, logs of pauses, flow-control packets |
//! | [`Flows`](crate::state::world::question::Question::Flows) | ends of flows, counts over all queue pairs |
//! | [`Messages`](crate::state::world::question::Question::Messages) | logs of messages, by adapter |

use std::borrow::Cow;

use ca_transport::{Adapter, MessageLog, SinkTally};
use cc_policies::Margin;
use link_layer::{PauseChange, PauseTally, Port};
use packet::{Lane, NodeId, PortId, QpNumber};
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use telemetry::{LaneInput, LaneOutput, Marks, TransportTally};
use units::{Bytes, Time};

use crate::state::event::EventKind;
use crate::state::world::away::Answers;
use crate::state::world::question::{Question, taken};
use crate::state::world::{FlowEnds, Node, World};

/// A port and lane at the end.
pub(crate) struct LaneEnd {
    pub(crate) input: LaneInput,
    pub(crate) output: LaneOutput,
    /// Margins of a switch's queue, for rules that have them.
    pub(crate) margins: [Option<Margin>; 2],
    /// The queue at an output in which packets wait a second time, in switches that have one.
    pub(crate) output_queue: Option<LaneInput>,
    /// Pauses; `None` under credits.
    pub(crate) pauses: Option<PauseTally>,
    pub(crate) dropped_at_output: u64,
    /// Packets marked on leaving. Adapters do not mark.
    pub(crate) marks: Marks,
}

state_codec::value!(LaneEnd { input, output, margins, output_queue, pauses, dropped_at_output, marks });

/// A packet on the wire to a port and lane, and its bytes.
pub(crate) type OnTheWire = ((NodeId, PortId, Lane), Bytes);

/// The end of a flow that data comes in for.
pub(crate) struct SinkEnd {
    /// Completed messages, and BECNs received.
    pub(crate) seen: (u64, u64),
    pub(crate) taken: SinkTally,
    pub(crate) marks: Option<Marks>,
}

state_codec::value!(SinkEnd { seen, taken, marks });

impl LaneEnd {
    /// Returns a port and lane; of another rank, its next row.
    pub(crate) fn of(
        world: &World<'_>,
        from: &mut [StateReader<'_>],
        (node, port, lane): (NodeId, PortId, Lane),
    ) -> Self {
        let now = world.now();
        match world.node(node) {
            Node::Away => taken(&mut from[world.rank_away(node).expect("the node is away")]),
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
                }
            }
        }
    }
}

/// Answers with all that the record tells of ports and lanes.
pub(crate) fn put_lanes(world: &World<'_>, plan: &Plan, to: &mut StateWriter) {
    let own = || world.numbers().filter(|node| !world.is_away(*node));
    for node in own() {
        for port in (0..world.radix(node) as u16).map(PortId) {
            for lane in (0..world.lanes as u8).map(Lane) {
                LaneEnd::of(world, &mut [], (node, port, lane)).put(to);
            }
        }
    }
    on_the_wires(world).collect::<Vec<OnTheWire>>().put(to);
    for (node, port, lane) in plan.lanes().filter(|(node, ..)| !world.is_away(*node)) {
        pause_changes(world, plan, &mut [], (node, port, lane)).put(to);
    }
    world.ports().map(Port::signals_sent).sum::<u64>().put(to);
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

/// Returns the logged pauses of an output and lane, and the number of later ones; of another rank, its next row. `None` if none are
/// logged.
pub(crate) fn pause_changes(
    world: &World<'_>,
    plan: &Plan,
    from: &mut [StateReader<'_>],
    (node, port, lane): (NodeId, PortId, Lane),
) -> Option<(Vec<PauseChange>, u64)> {
    if let Some(rank) = world.rank_away(node) {
        return taken(&mut from[rank]);
    }
    if !plan.series().pauses.logs(node, port) {
        return None;
    }
    let (changes, lost) = world.port(node, port).pause_log()?.changes(lane);
    Some((changes.to_vec(), lost))
}

/// Returns the completed messages and the BECNs at the source of a flow; of another rank, its next row.
pub(crate) fn source_end(
    world: &World<'_>,
    from: &mut [StateReader<'_>],
    (node, queue_pair): (NodeId, QpNumber),
) -> (u64, u64) {
    match world.rank_away(node) {
        Some(rank) => taken(&mut from[rank]),
        None => world.adapter(node).seen(queue_pair),
    }
}

/// Returns the sink of a flow; of another rank, its next row.
pub(crate) fn sink_end(
    world: &World<'_>,
    from: &mut [StateReader<'_>],
    (node, queue_pair): (NodeId, QpNumber),
) -> SinkEnd {
    if let Some(rank) = world.rank_away(node) {
        return taken(&mut from[rank]);
    }
    let adapter = world.adapter(node);
    SinkEnd {
        seen: adapter.seen(queue_pair),
        taken: adapter.sink(queue_pair),
        marks: adapter.marks(queue_pair),
    }
}

/// Returns the counts over all queue pairs of this process.
pub(crate) fn transport(world: &World<'_>) -> TransportTally {
    world.adapters().fold(TransportTally::default(), |sum, adapter| sum.plus(adapter.tally()))
}

/// Answers with all that the record tells of flows.
pub(crate) fn put_flows(world: &World<'_>, to: &mut StateWriter) {
    for FlowEnds { source, sink } in &world.flows {
        if !world.is_away(source.0) {
            source_end(world, &mut [], *source).put(to);
        }
        if !world.is_away(sink.0) {
            sink_end(world, &mut [], *sink).put(to);
        }
    }
    transport(world).put(to);
}

/// Answers with the logs of messages.
pub(crate) fn put_messages(world: &World<'_>, to: &mut StateWriter) {
    world.adapters().for_each(|adapter| adapter.message_log().cloned().unwrap_or_default().put(to));
}

/// Returns the logs of messages of all adapters, by number; `None` if they are not kept.
pub(crate) fn messages<'w>(world: &'w World<'_>) -> Option<Vec<Cow<'w, MessageLog>>> {
    let answers = world.away.as_ref().map(|away| away.ask(world.now(), &Question::Messages));
    let mut from = answers.as_ref().map(Answers::readers).unwrap_or_default();
    let log = |host: NodeId| match world.rank_away(host) {
        Some(rank) => Some(Cow::Owned(taken(&mut from[rank]))),
        None => world.adapter(host).message_log().map(Cow::Borrowed),
    };
    world.numbers().take(world.hosts).map(log).collect()
}

/// Returns the time of the last delivery of finite traffic to this process; `None` before the first.
pub(crate) fn last_delivery(world: &World<'_>, plan: &Plan) -> Option<Time> {
    let flows = plan.workload().flows.iter().zip(&world.flows).filter(|(flow, _)| flow.finite);
    let sinks = flows.map(|(_, ends)| ends.sink).filter(|(node, _)| !world.is_away(*node));
    sinks.filter_map(|(node, queue_pair)| Adapter::sink(world.adapter(node), queue_pair).last()).max()
}
