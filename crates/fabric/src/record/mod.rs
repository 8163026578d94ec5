//! The record of a finished run.
//!
//! Invariant: the record depends only on the plan, the world and its instruments.
//!
//! | module | contents |
//! |---|---|
//! | here | the record, and its rows for flows and lanes |
//! | `pauses` | the log of pauses, if the scenario asks for it |
//! | `finite` | traffic that ends by itself |
//! | `jobs` | jobs and their ranks |
//! | `traffic` | patterns, and hosts that consume payload at a limited rate |
//! | `completions` | times of messages from posting to delivery |

mod completions;
mod finite;
mod jobs;
mod pauses;
mod standstill;
mod traffic;

use std::sync::Arc;

use ca_transport::Adapter;
use cc_policies::hp::spec::FullTrigger;
use cc_policies::{BufferOwner, MarkingSpec};
use event_kernel::Digest;
use link_layer::PauseCrossings;
use packet::{Lane, NodeId};
use scenario::Plan;
use telemetry::{
    Audit, DetourTally, FailedFlow, FlowRecord, GroupRecord, LaneRecord, MarginCounts, MarginRecord, Marks,
    OutputLoad, PauseRecord, Phase, QueueRecord, RepeatTally, RunEnding, RunRecord, TransportTally,
};
use units::{Bytes, Time};

use crate::observe::Instruments;
use crate::observe::last_look::{self, LaneEnd, OnTheWire, SinkEnd};
use crate::observe::margins::ThresholdCrossings;
use crate::observe::port_series::PortProbe;
use crate::observe::source_series::SourceProbe;
use crate::observe::timeline::TimelineProbe;
use crate::run::Run;
use crate::state::part::Part;
use crate::state::world::observed::{RankQuestion, Rows};
use crate::state::world::{FlowEnds, OutputLane, World};

/// Gathers the observations of all nodes and instruments. Drops each part of the world before the record holds a second
/// copy of it.
pub(crate) fn collect(plan: &Plan, mut run: Run<'_>, digest: Digest) -> RunRecord {
    run.look_at_others();
    let events = run.events();
    let Run { mut world, instruments, audit, ended, end, .. } = run;
    let Instruments { goodput, mut trees, crossings, watch, ports, sources, timeline } = instruments;
    let now = world.now();
    let (mut congestion, loads) = (trees.congestion(&world), trees.loads(&world));
    let job_waits = trees.take_job_waits();
    drop(trees);
    let stands_still = standstill::of(&world, &goodput.series, end);
    let failed = world.unfinished().failed.into_iter();
    let failed = failed.map(|(at, flow)| FailedFlow { at, flow: flow.index() as u32 }).collect();
    // Memory is tight from here on: the record copies the counts of every lane and flow, while the world still has
    // its own.
    world.forget_others();
    let finite = finite::of(plan, &world, end);
    let ranks = if plan.workload().jobs.is_empty() { Vec::new() } else { world.job_ranks() };
    // Adapters need no transport state any more, only their counts.
    world.adapters_mut().for_each(Adapter::retire);
    world.parts.iter_mut().for_each(Part::note_waiting);
    let mut rows = world.rows(&RankQuestion::Lanes);
    let lanes = lanes(plan, &world, (&crossings, &loads), &mut rows);
    let reasons = plan.control().marking.reasons();
    let mut marks = Marks::default();
    lanes.iter().for_each(|lane| marks.add(&lane.marks));
    let fullest =
        lanes.iter().map(|lane| lane.peak.get() as f64 / lane.buffer.get() as f64).fold(0.0, f64::max);
    let pause_events = pauses::events(plan, &world, &mut rows);
    let flow_control_packets = last_look::signals_sent(&world) + rows.of_others::<u64>().sum::<u64>();
    let detours = rows.of_others::<DetourTally>().fold(last_look::detours(&world), DetourTally::plus);
    drop(rows);
    world.parts.iter_mut().for_each(Part::keep_adapters);
    let (flows, transport) = flows(plan, &world);
    let lossy = audit.dropped > 0 || transport.gaps > 0;
    let completions = completions::of(plan, &world, lossy);
    let patterns = traffic::patterns(plan);
    let observed = jobs::Observed {
        ranks,
        waits: job_waits,
        completions: completions.as_ref(),
        lossy: audit.dropped > 0,
        stuck: ended == RunEnding::Stuck,
        now,
    };
    let jobs = jobs::of(plan, observed);
    if let Some(all) = &completions {
        congestion.limit_losses(all, traffic::is_open(plan, &patterns));
    }
    RunRecord {
        simulated: now.since_start(),
        ended,
        finite,
        jobs,
        failed,
        stands_still,
        events,
        packet_hops: world.packet_hops(),
        delivered_packets: audit.delivered,
        dropped_packets: audit.dropped,
        flow_control_packets,
        digest: digest.get(),
        mark_reasons: reasons.iter().map(|reason| (reason.code, reason.name)).collect(),
        marks,
        transport,
        detours: plan.routes().detours().map(|_| detours),
        flows,
        patterns,
        slow_hosts: traffic::slow_hosts(plan),
        short_window: plan.shortest_window(),
        idle_settings: plan.idle_settings(),
        groups: plan.workload().groups.iter().map(|group| GroupRecord { name: group.name.clone() }).collect(),
        phases: phases(plan, ended, end),
        snapshots: goodput.snapshots,
        series: goodput.series,
        watched: watch.seen,
        port_series: ports.map(PortProbe::series),
        source_series: sources.map(SourceProbe::series),
        pause_events,
        timeline: timeline.map(TimelineProbe::timeline),
        congestion,
        completions,
        audit: Audit { fullest_buffer: fullest, ..audit },
        lanes,
    }
}

/// Returns the phases of a run that ended at `end`.
fn phases(plan: &Plan, ended: RunEnding, end: Time) -> Vec<Phase> {
    let part = |phase: Phase| match ended {
        RunEnding::Done => phase.until(end),
        RunEnding::AtDuration
        | RunEnding::NotDone
        | RunEnding::GaveUp
        | RunEnding::Stuck
        | RunEnding::Interrupted => phase.before(end),
    };
    plan.phases().iter().cloned().filter_map(part).collect()
}

/// Returns the records of all flows, and the counts over all queue pairs.
fn flows(plan: &Plan, world: &World<'_>) -> (Vec<FlowRecord>, TransportTally) {
    let mut rows = world.rows(&RankQuestion::Flows);
    let names: Vec<_> = plan.graph().host_names().map(|name| Arc::new(name.to_owned())).collect();
    let name = |host: NodeId| Arc::clone(&names[host.index()]);
    let record = |(flow, ends): (&workload::Flow, &FlowEnds)| {
        // The requester counts complete messages; the sender of data receives BECNs.
        let (here, sent) = rows.next(ends.source.0, || last_look::source_end(world, ends.source));
        let there = rows.next(ends.sink.0, || last_look::sink_end(world, ends.sink));
        let SinkEnd { seen: there, taken, marks, repeats } = there;
        let repeats = repeats.plus(sent);
        FlowRecord {
            name: flow.name.clone(),
            source: name(flow.source),
            destination: name(flow.destination),
            hosts: flow.numbers,
            named: flow.named,
            group: flow.group,
            pattern: flow.pattern.into(),
            transport: flow.transport,
            operation: flow.operation,
            start: flow.posting.start(),
            stop: Some(flow.posting.stop()).filter(|stop| *stop != Time::NEVER).into(),
            total: flow.posting.total().into(),
            last_delivery: taken.last().into(),
            delivered: taken.delivered,
            packets: taken.packets,
            messages: here.0 + there.0,
            becns: here.1 + there.1,
            latency_sum: taken.latency_sum,
            latency_max: taken.latency_max,
            marks: marks.map(Box::new),
            repeats: (repeats != RepeatTally::default()).then(|| Box::new(repeats)),
        }
    };
    let flows = plan.workload().flows.iter().zip(&world.flows).map(record).collect();
    let others = rows.of_others::<TransportTally>();
    (flows, others.fold(last_look::transport(world), |sum, of_rank| sum.plus(&of_rank)))
}

fn lanes(
    plan: &Plan,
    world: &World<'_>,
    (crossings, loads): (&ThresholdCrossings, &[OutputLoad]),
    rows: &mut Rows<'_>,
) -> Vec<LaneRecord> {
    let (graph, now) = (plan.graph(), world.now());
    let mut loads = loads.iter().copied();
    let record = |(node, port, lane): OutputLane| {
        let end = graph.ports(node)[port.index()];
        let buffer = plan.nodes().port(node, port).capacity[lane.index()];
        let end_of_lane = rows.next(node, || LaneEnd::of(world, (node, port, lane)));
        let LaneEnd { input, output, margins, .. } = &end_of_lane;
        let [marking, marking_all] = crossings.of(world, (node, port, lane), *margins);
        let output_queue = end_of_lane.output_queue.as_ref();
        let output_queue =
            output_queue.map(|queue| QueueRecord { peak: queue.peak(), mean: queue.mean(now) });
        LaneRecord {
            node: graph.name(node).to_owned(),
            port: graph.port_number((node, port)),
            peer: graph.name(end.peer).to_owned(),
            lane: lane.0,
            rate: plan.cable(end.cable).rate,
            sent: output.bytes,
            packets: output.packets,
            received: Bytes::ZERO, // Below: the far end's record may be yet to come.
            received_packets: 0,
            buffer,
            peak: input.peak(),
            mean: input.mean(now),
            output_queue,
            load: (!graph.is_host(node)).then(|| loads.next()).flatten(),
            marking,
            marking_all,
            trigger: trigger(plan, node, (buffer, input.peak()), output_queue),
            stalled: output.stalled_time(now),
            pause: pause(&end_of_lane),
            marks: end_of_lane.marks,
            chosen: end_of_lane.chosen,
        }
    };
    let mut records: Vec<_> = plan.lanes().map(record).collect();
    let place = |port, lane: Lane| graph.position(port) * world.lanes + lane.index();
    for (own, (node, port, lane)) in plan.lanes().enumerate() {
        let far = &records[place(graph.far_end((node, port)), lane)];
        let (bytes, packets) = (far.sent, far.packets);
        (records[own].received, records[own].received_packets) = (bytes, packets);
    }
    // These have left the far end, and have not arrived.
    let others = rows.of_others::<Vec<OnTheWire>>().flatten();
    for ((node, port, lane), bytes) in last_look::on_the_wires(world).chain(others) {
        let record = &mut records[place((node, port), lane)];
        record.received -= bytes;
        record.received_packets -= 1;
    }
    records
}

/// Returns the margin of a switch's buffer below the trigger of marking by the HP proposal. The buffer is an input's,
/// given with its peak, or the queue at an output that takes its place.
fn trigger(
    plan: &Plan,
    node: NodeId,
    input: (Bytes, Bytes),
    output_queue: Option<QueueRecord>,
) -> Option<MarginRecord> {
    if plan.graph().is_host(node) {
        return None;
    }
    let MarkingSpec::Hp(marking) = &plan.control().marking else { return None };
    let settings = plan.nodes().switch(node);
    let (buffer, peak) = match settings.buffering.buffers_of() {
        BufferOwner::Inputs => input,
        BufferOwner::Outputs => (settings.output_buffer, output_queue?.peak),
    };
    let limit = match marking.trigger {
        FullTrigger::Full => buffer.saturating_sub(plan.link().longest_packet()),
        FullTrigger::Above(threshold) => threshold,
        FullTrigger::Packets(_) => return None, // The peak is known in bytes alone.
    };
    Some(MarginRecord { load: peak, limit, counts: None })
}

/// Returns the pauses and drops of a port and lane; `None` under credits.
fn pause(lane: &LaneEnd) -> Option<PauseRecord> {
    let pauses = lane.pauses?;
    let counts = pauses.crossings.map(|PauseCrossings { crossings, near_misses, first }| MarginCounts {
        crossings,
        near_misses,
        first,
    });
    Some(PauseRecord {
        sent: pauses.sent,
        heard: pauses.received,
        paused: pauses.paused,
        dropped_at_input: pauses.dropped,
        dropped_at_output: lane.dropped_at_output,
        threshold: MarginRecord { load: pauses.nearest, limit: pauses.limit, counts },
        headroom: (pauses.headroom > Bytes::ZERO).then_some(MarginRecord {
            load: pauses.most_headroom,
            limit: pauses.headroom,
            counts: None,
        }),
    })
}
