//! From a plan to a world at rest.
//!
//! Invariant: what is built depends on the plan alone. Random streams are named after their owners, so
//! one more node changes nobody else's chances.

use ca_transport::{Adapter, AdapterConfigs, AdapterSetup, FlowEnd, MessageOrigin};
use cc_policies::policy::MarkerSetup;
use cc_policies::{AnyMarker, AnyResponse};
use link_layer::flow_control::credits::{BLOCK, REFRESH_SYMBOLS, UpdateRule};
use link_layer::flow_control::headroom::quanta;
use link_layer::spec::{CreditSpec, Discipline, PauseSpec};
use link_layer::{
    CableSpec, FlowControlSetup, LaneMemory, PauseRule, Port, PortConfigs, PortSetup, VlArbiter, Wire,
};
use packet::{FlowId, Lane, NodeId, PortId, QpNumber};
use scenario::Plan;
use switch_arch::arbiter::AnyArbiter;
use switch_arch::buffering::AnyBuffering;
use switch_arch::spec::Forwarding;
use switch_arch::{Switch, SwitchSetup};
use topology::End;
use units::{Bytes, Span};
use workload::{MessageGenerator, Posting};

use crate::observe::Instruments;
use crate::observe::goodput::GoodputProbe;
use crate::observe::margins::ThresholdCrossings;
use crate::observe::trees::{QUEUE_PART, TreeFinder};
use crate::observe::watch::Watch;
use crate::state::interconnect::Interconnect;
use crate::state::world::{FlowEnds, World};

/// What many nodes have in common, met so far.
#[derive(Default)]
struct Kinds {
    ports: PortConfigs,
    adapters: AdapterConfigs,
}

/// Builds a plan's world, at rest at time zero, and its instruments.
pub(crate) fn world(plan: &Plan) -> (World, Instruments) {
    let graph = plan.graph();
    let nodes = || (0..graph.nodes() as u32).map(NodeId);
    let mut kinds = Kinds::default();
    let hosts = nodes().filter(|node| graph.is_host(*node));
    let mut adapters: Vec<_> = hosts.map(|node| adapter(plan, node, &mut kinds)).collect();
    let switches = nodes().filter(|node| !graph.is_host(*node));
    let switches: Vec<_> = switches.map(|node| switch(plan, node, &mut kinds)).collect();
    if plan.keeps_completions() {
        adapters.iter_mut().for_each(Adapter::keep_messages);
    }
    let flows = connect(plan, &mut adapters);
    let peers = |node| graph.ports(node).iter().map(|end| (end.peer, end.peer_port)).collect();
    let ports = adapters.iter().map(Adapter::port).chain(switches.iter().flat_map(Switch::links));
    let lookahead = ports.map(Port::lookahead).min().unwrap_or(Span::ZERO);
    let interconnect = Interconnect::new(&nodes().map(peers).collect::<Vec<_>>(), lookahead);
    let names = nodes().map(|node| graph.name(node).to_owned()).collect();
    let world = World { names, adapters, switches, flows, interconnect };
    let instruments = instruments(plan, &world);
    (world, instruments)
}

fn instruments(plan: &Plan, world: &World) -> Instruments {
    let named = plan.workload().flows.iter().filter(|flow| flow.named).count();
    let congested = |index| plan.switch_of(world.switch_number(index)).buffer.get() / QUEUE_PART;
    let thresholds = (0..world.switches.len()).map(congested).map(Bytes::new).collect();
    Instruments {
        goodput: GoodputProbe::new(named, plan.phases(), plan.sample(), plan.duration().after_start()),
        trees: TreeFinder::new(thresholds, plan.link()),
        crossings: ThresholdCrossings::default(),
        watch: Watch::new(plan, world),
    }
}

/// Opens the two queue pairs of every flow. The one that posts its messages is at the host that the data comes from;
/// of RDMA READs, at the other.
fn connect(plan: &Plan, adapters: &mut [Adapter]) -> Vec<FlowEnds> {
    let open = |(number, flow): (usize, &workload::Flow)| {
        let (from, to) = (flow.requester(), flow.responder());
        let (asks, answers) = (adapters[from.index()].next_qp(), adapters[to.index()].next_qp());
        let end = |own: NodeId, peer: NodeId, peer_qp| FlowEnd {
            flow: FlowId(number as u32),
            peer: peer.lid(),
            peer_qp,
            service_level: plan.service_level(flow.service_level, own, peer),
            transport: flow.transport,
            operation: flow.operation,
        };
        let origin = match &flow.posting {
            Posting::Drawn { .. } => MessageOrigin::HostTraffic,
            Posting::Scheduled(schedule) => MessageOrigin::Generator(MessageGenerator::new(schedule)),
        };
        adapters[from.index()].open(end(from, to, answers), origin);
        adapters[to.index()].open(end(to, from, asks), MessageOrigin::Peer);
        let (requester, responder) = ((from, asks), (to, answers));
        if flow.source == from {
            FlowEnds { source: requester, sink: responder }
        } else {
            FlowEnds { source: responder, sink: requester }
        }
    };
    let ends: Vec<FlowEnds> = plan.workload().flows.iter().enumerate().map(open).collect();
    add_host_traffic(plan, &ends, adapters);
    ends
}

/// Gives adapters the traffic that several of their queue pairs share.
fn add_host_traffic(plan: &Plan, ends: &[FlowEnds], adapters: &mut [Adapter]) {
    let all = &plan.workload().host_traffic;
    let mut posts_to: Vec<Vec<(NodeId, QpNumber)>> = vec![Vec::new(); all.len()];
    for (flow, ends) in plan.workload().flows.iter().zip(ends) {
        if let Posting::Drawn { host_traffic, .. } = flow.posting {
            posts_to[host_traffic as usize].push(ends.source);
        }
    }
    for (traffic, ends) in all.iter().zip(posts_to) {
        let queue_pairs = ends.iter().map(|(_, number)| *number).collect();
        if let Some((node, _)) = ends.first() {
            adapters[node.index()].add_host_traffic(traffic.clone(), queue_pairs);
        }
    }
}

fn adapter(plan: &Plan, node: NodeId, kinds: &mut Kinds) -> Adapter {
    let (link, control) = (plan.link(), plan.control());
    let port = port(plan, node, PortId(0), kinds);
    let rate = port.wire().rate();
    let mut adapter = Adapter::new(AdapterSetup {
        lid: node.lid(),
        port,
        lanes: VlArbiter::new(&link.vl_arbitration),
        data_lanes: usize::from(link.data_lanes),
        sl_to_vl: link.lanes_by_service_level(),
        mtu: link.mtu,
        framing: link.framing,
        spec: plan.adapter_of(node),
        echo: control.echo,
        response: AnyResponse::new(&control.response, rate),
    });
    adapter.intern(&mut kinds.adapters);
    adapter
}

fn switch(plan: &Plan, node: NodeId, kinds: &mut Kinds) -> Switch {
    let (graph, link, spec) = (plan.graph(), plan.link(), plan.switch_of(node));
    let (radix, lanes) = (graph.ports(node).len(), usize::from(link.data_lanes));
    let marker = MarkerSetup {
        name: graph.name(node).to_owned(),
        radix,
        lanes,
        capacity: spec.buffer,
        longest_packet: link.longest_packet(),
        faces_adapter: graph.ports(node).iter().map(|end| graph.is_host(end.peer)).collect(),
        stream: event_kernel::stream(plan.seed(), "marking", graph.name(node)),
    };
    Switch::new(SwitchSetup {
        ports: (0..radix as u16).map(|number| port(plan, node, PortId(number), kinds)).collect(),
        lanes: vec![VlArbiter::new(&link.vl_arbitration); radix],
        data_lanes: lanes,
        longest_packet: link.longest_packet(),
        forwarding: plan.routes().table(node).clone(),
        memory: plan.memory_sharing_of(node),
        egress_limit: spec.egress_limit,
        buffering: AnyBuffering::new(spec.buffering, radix, lanes),
        arbiter: AnyArbiter::new(spec.arbiter, radix, lanes),
        marker: AnyMarker::new(&plan.control().marking, &marker),
        output_queue: spec.output_queue(),
        speedup_thousandths: (spec.speedup * 1000.0).round() as u64,
    })
}

/// A node's end of a cable.
fn port(plan: &Plan, node: NodeId, number: PortId, kinds: &mut Kinds) -> Port {
    let mut port = match &plan.link().flow_control {
        Discipline::Credits(credits) => with_credits(plan, node, number, credits),
        Discipline::Pause(pause) => pausing(plan, node, number, Some(pause)),
        Discipline::Lossy => pausing(plan, node, number, None),
    };
    port.intern(&mut kinds.ports);
    port
}

/// A node's end of a cable under IBA's credits.
fn with_credits(plan: &Plan, node: NodeId, number: PortId, credits: &CreditSpec) -> Port {
    let End { peer, peer_port, cable } = plan.graph().ports(node)[number.index()];
    let cable = plan.cable(cable);
    let flow_control = FlowControlSetup::Credits {
        room: room(plan, node, number),
        far_room: room(plan, peer, peer_port),
        rule: UpdateRule {
            blocks: credits.update_blocks,
            interval: credits.update_interval,
            refresh: cable.symbol_time() * REFRESH_SYMBOLS,
        },
        wire_time: credits.wire_time,
    };
    Port::new(PortSetup { id: number, wire: wire(plan, cable, peer), flow_control })
}

/// A node's end of a cable under PFC, or without flow control.
fn pausing(plan: &Plan, node: NodeId, number: PortId, pause: Option<&PauseSpec>) -> Port {
    let End { peer, cable, .. } = plan.graph().ports(node)[number.index()];
    let cable = plan.cable(cable);
    let rate = cable.data_rate();
    let rule = PauseRule {
        enabled: pause.is_some(),
        quanta: pause.map_or(0, |pause| pause.quanta),
        quantum: quanta(1, rate),
        refresh: pause.map_or(Span::ZERO, |pause| pause.refresh(rate)),
        effect_delay: cable.time_of_flight() + pause.map_or(Span::ZERO, |pause| pause.reaction),
        resume_offset: pause.map_or(0, |pause| pause.resume_offset.get() as u32),
    };
    let flow_control = FlowControlSetup::Pause { rule, memory: plan.pause_memory_of(node, number) };
    Port::new(PortSetup { id: number, wire: wire(plan, cable, peer), flow_control })
}

/// The direction of a cable that leads to `receiver`.
///
/// DEVIATION: a switch's latency counts as the wire's, so its buffer is charged once a packet is routed, not when
/// its first byte comes in. Credits are not touched by that, and a hop costs one event less.
pub(crate) fn wire(plan: &Plan, cable: &CableSpec, receiver: NodeId) -> Wire {
    let (rate, flight) = (cable.data_rate(), cable.time_of_flight());
    let framing = plan.link().framing;
    if plan.graph().is_host(receiver) {
        return Wire::framed(framing, rate, flight, false);
    }
    let spec = plan.switch_of(receiver);
    Wire::framed(framing, rate, flight + spec.latency, spec.forwarding == Forwarding::CutThrough)
}

/// What may come in on each lane of a port at rest.
fn room(plan: &Plan, node: NodeId, port: PortId) -> Vec<Bytes> {
    let guaranteed =
        (!plan.graph().is_host(node)).then(|| plan.switch_of(node).sharing.guaranteed()).flatten();
    let buffers = buffers(plan, node, port);
    guaranteed.map_or(buffers, |size| vec![size; usize::from(plan.link().data_lanes)])
}

/// The most that each lane of a port can come to hold.
pub(crate) fn most_held(plan: &Plan, node: NodeId, port: PortId) -> Vec<Bytes> {
    if !matches!(plan.link().flow_control, Discipline::Credits(_)) {
        let most = |memory: &LaneMemory| u64::from(memory.limit) + u64::from(memory.headroom);
        return plan.pause_memory_of(node, port).iter().map(most).map(Bytes::new).collect();
    }
    let shared = if plan.graph().is_host(node) { None } else { plan.shared_memory_of(node) };
    shared.map_or_else(
        || buffers(plan, node, port),
        |shared| vec![Bytes::new(u64::from(shared.most()) * BLOCK); usize::from(plan.link().data_lanes)],
    )
}

/// The receive buffer of each lane of a port.
fn buffers(plan: &Plan, node: NodeId, port: PortId) -> Vec<Bytes> {
    let lanes = (0..plan.link().data_lanes).map(Lane);
    if plan.graph().is_host(node) {
        lanes.map(|_| plan.adapter_of(node).receive_buffer).collect()
    } else {
        lanes.map(|lane| plan.switch_of(node).buffer_of(port, lane)).collect()
    }
}
