//! From a world to its record.
//!
//! Invariant: the record is a function of what happened; looking twice gives the same.

use ca_transport::Adapter;
use event_kernel::Digest;
use link_layer::Port;
use link_layer::pause::Crossings;
use packet::{Lane, MarkReason, NodeId, PortId};
use scenario::Plan;
use switch_arch::Switch;
use telemetry::{
    Audit, FlowRecord, LaneInput, LaneOutput, LaneRecord, MarginCounts, MarginRecord, Marks, PauseRecord,
    QueueRecord, RunRecord, TransportTally,
};
use units::{Bytes, Time};

use crate::build::most_held;
use crate::completions;
use crate::margins;
use crate::world::World;

/// Gathers what every node and instrument observed. What is not needed for it is let go of before there are two copies
/// of every flow.
pub(crate) fn collect(plan: &Plan, mut world: World) -> RunRecord {
    let now = world.fabric.now;
    let lanes = lanes(plan, &world, now);
    let mut marks = Marks::default();
    lanes.iter().for_each(|lane| marks.add(&lane.marks));
    let fullest =
        lanes.iter().map(|lane| lane.peak.get() as f64 / lane.buffer.get() as f64).fold(0.0, f64::max);
    let flow_control_packets = ports(&world).map(Port::updates).sum();
    world.switches.clear();
    world.adapters.iter_mut().for_each(Adapter::retire);
    let flows = flows(plan, &world);
    let completions = completions::of(plan, &world);
    RunRecord {
        simulated: now.since_start(),
        events: world.events,
        packet_hops: world.fabric.packet_hops,
        delivered_packets: world.audit.delivered,
        dropped_packets: world.audit.dropped,
        flow_control_packets,
        digest: world.digest.get(),
        marks,
        transport: transport(&world),
        flows,
        phases: plan.phases().to_vec(),
        snapshots: world.probes.snapshots,
        series: world.probes.series,
        watched: world.watch.seen,
        congestion: world.trees.congestion(),
        completions,
        audit: Audit { fullest_buffer: fullest, ..world.audit },
        lanes,
    }
}

fn ports(world: &World) -> impl Iterator<Item = &Port> {
    let adapters = world.adapters.iter().map(Adapter::port);
    adapters.chain(world.switches.iter().flat_map(Switch::links))
}

fn transport(world: &World) -> TransportTally {
    world.adapters.iter().fold(TransportTally::default(), |sum, adapter| sum.plus(adapter.tally()))
}

fn flows(plan: &Plan, world: &World) -> Vec<FlowRecord> {
    let name = |node: NodeId| plan.graph().name(node).to_owned();
    let record = |(flow, ends): (&workload::Flow, &crate::probe::Ends)| {
        let (source, sink) = (&world.adapters[ends.source.0.index()], &world.adapters[ends.sink.0.index()]);
        // Messages are complete where they are posted; BECNs reach whoever sends.
        let (here, there, taken) =
            (source.seen(ends.source.1), sink.seen(ends.sink.1), sink.sink(ends.sink.1));
        FlowRecord {
            name: flow.name.clone(),
            source: name(flow.source),
            destination: name(flow.destination),
            named: flow.named,
            transport: flow.transport.word(),
            operation: flow.operation.word(),
            start: flow.posting.start(),
            stop: Some(flow.posting.stop()).filter(|stop| *stop != Time::NEVER),
            total: flow.posting.total(),
            last_delivery: taken.last,
            delivered: taken.delivered,
            packets: taken.packets,
            messages: here.0 + there.0,
            becns: here.1 + there.1,
            latency_sum: taken.latency_sum,
            latency_max: taken.latency_max,
            marks: taken.marks,
        }
    };
    plan.workload().flows.iter().zip(world.probes.flows()).map(record).collect()
}

fn lanes(plan: &Plan, world: &World, now: Time) -> Vec<LaneRecord> {
    let graph = plan.graph();
    let mut records = Vec::new();
    for node in (0..graph.nodes() as u32).map(NodeId) {
        for (number, end) in graph.ports(node).iter().enumerate() {
            let port = PortId(number as u16);
            for (lane, buffer) in (0..).map(Lane).zip(most_held(plan, node, port)) {
                let (input, output) = observed(world, node, port, lane);
                let [marking, marking_all] = margins::marking(world, node, port, lane);
                records.push(LaneRecord {
                    node: graph.name(node).to_owned(),
                    port: port.0 + 1,
                    peer: graph.name(end.peer).to_owned(),
                    lane: lane.0,
                    sent: output.bytes,
                    packets: output.packets,
                    buffer,
                    peak: input.peak(),
                    mean: input.mean(now),
                    output_queue: staged(world, node, port, lane)
                        .map(|queue| QueueRecord { peak: queue.peak(), mean: queue.mean(now) }),
                    marking,
                    marking_all,
                    trigger: margins::trigger(plan, node, buffer, input.peak()),
                    without_credit: output.without_credit(now),
                    pause: pause(world, node, port, lane),
                    marks: marks_at(world, node, port, lane),
                });
            }
        }
    }
    records
}

/// What pauses and drops came to at a port and lane; none under credits.
fn pause(world: &World, node: NodeId, port: PortId, lane: Lane) -> Option<PauseRecord> {
    let now = world.fabric.now;
    let (pauses, dropped_at_output) = match node.index().checked_sub(world.adapters.len()) {
        None => (world.adapters[node.index()].port().pauses()?.tally(lane, now), 0),
        Some(switch) => {
            let switch = &world.switches[switch];
            (switch.pauses(port, lane, now)?, switch.dropped_for(port, lane))
        }
    };
    let counts = pauses.crossings.map(|Crossings { crossings, near_misses, first }| MarginCounts {
        crossings,
        near_misses,
        first,
    });
    Some(PauseRecord {
        sent: pauses.sent,
        heard: pauses.heard,
        paused: pauses.paused,
        dropped_at_input: pauses.dropped,
        dropped_at_output,
        threshold: MarginRecord { load: pauses.nearest, limit: pauses.limit, counts },
        headroom: (pauses.headroom > Bytes::ZERO).then_some(MarginRecord {
            load: pauses.most_headroom,
            limit: pauses.headroom,
            counts: None,
        }),
    })
}

fn observed(world: &World, node: NodeId, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
    match node.index().checked_sub(world.adapters.len()) {
        None => world.adapters[node.index()].observed(lane),
        Some(switch) => world.switches[switch].observed(port, lane),
    }
}

/// Packets marked on leaving by a port and lane: switches mark, adapters do not.
fn marks_at(world: &World, node: NodeId, port: PortId, lane: Lane) -> Marks {
    let switch = node.index().checked_sub(world.adapters.len());
    switch.map_or_else(Marks::default, |switch| *world.switches[switch].marks(port, lane))
}

/// What was held by the queue behind the crossbar at an output, where there is one.
fn staged(world: &World, node: NodeId, port: PortId, lane: Lane) -> Option<&LaneInput> {
    let switch = node.index().checked_sub(world.adapters.len())?;
    world.switches[switch].staged(port, lane)
}

/// What every adapter received and when, then what every lane carried, marked and waited. What queues
/// at the outputs held shows in what left them, and when.
pub(crate) fn digest(world: &World) -> Digest {
    let now = world.fabric.now;
    let none = Marks::default();
    let adapters = world.adapters.iter().flat_map(Adapter::all_observed);
    let adapters = adapters.map(|(input, output)| (input, output, &none));
    let switches = world.switches.iter().flat_map(|switch| switch.all_observed().zip(switch.all_marks()));
    let switches = switches.map(|((input, output), marks)| (input, output, marks));
    let lanes = adapters.chain(switches).map(|(input, output, marks)| {
        let mut digest = Digest::new();
        for word in [output.bytes.get(), output.packets, input.peak().get(), output.without_credit(now).ps()]
        {
            digest.absorb(word);
        }
        for reason in MarkReason::ALL {
            let marks = marks.of(reason);
            match reason {
                MarkReason::Root | MarkReason::VictimMask => digest.absorb(marks),
                // Where nothing is marked for them, digests are those of before there were these reasons.
                MarkReason::Propagation | MarkReason::Generation | MarkReason::Red if marks == 0 => {}
                MarkReason::Propagation | MarkReason::Generation | MarkReason::Red => {
                    digest.absorb(reason as u64);
                    digest.absorb(marks);
                }
            }
        }
        digest
    });
    Digest::combine(world.adapters.iter().map(Adapter::digest).chain(lanes))
}
