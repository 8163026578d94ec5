//! Every transport service with each of its operations. Alone on a wire, theory gives the goodput; in congestion
//! under every scheme, no packet may be lost.

use crate::common::{law, run, settled_bps, shipped};
use fabric::{RunOptions, simulate};
use packet::{Opcode, TransportService};
use telemetry::RunRecord;
use units::{Bytes, Rate, Span};
use workload::Operation;

const MTU: u16 = 2048;
/// Time of flight over the law's cable of 2 m.
const FLIGHT: Span = Span::from_ns(10);

/// Every service with every operation that it has, as a scenario writes them.
fn all() -> impl Iterator<Item = (TransportService, Operation)> {
    let operations = [Operation::Send, Operation::RdmaWrite, Operation::RdmaRead];
    let pairs =
        TransportService::ALL.into_iter().flat_map(move |transport| operations.map(|op| (transport, op)));
    pairs.filter(|(transport, operation)| operation.is_carried_by(*transport))
}

fn wire() -> Rate {
    Rate::gbps(32)
}

/// Time on the wire of a packet without payload.
fn bare(transport: TransportService, opcode: Opcode) -> Span {
    wire().time_for(Bytes::new(u64::from(opcode.wire_bytes(0) + transport.extension(opcode))))
}

/// Time on the wire of a message of full packets.
fn message_time(transport: TransportService, operation: Operation, packets: u64) -> Span {
    let [only, first, middle, last] = match operation {
        Operation::Send => [Opcode::SendOnly, Opcode::SendFirst, Opcode::SendMiddle, Opcode::SendLast],
        Operation::RdmaWrite => {
            [Opcode::WriteOnly, Opcode::WriteFirst, Opcode::WriteMiddle, Opcode::WriteLast]
        }
        Operation::RdmaRead => [
            Opcode::ReadResponseOnly,
            Opcode::ReadResponseFirst,
            Opcode::ReadResponseMiddle,
            Opcode::ReadResponseLast,
        ],
    };
    let time = |opcode: Opcode| {
        wire().time_for(Bytes::new(u64::from(opcode.wire_bytes(MTU) + transport.extension(opcode))))
    };
    if packets == 1 { time(only) } else { time(first) + time(middle) * (packets - 2) + time(last) }
}

/// Goodput of a lone flow between two hosts back to back, in bit/s.
fn alone(transport: TransportService, operation: Operation, packets: u64, sets: &[&str]) -> f64 {
    let flow = format!(
        "flows=[(name: \"F\", from: \"A\", to: \"B\", start: \"0 s\", transport: {transport:?}, \
         operation: {operation:?}, message: \"{} B\", load: Saturate(outstanding: 8))]",
        packets * u64::from(MTU)
    );
    let sets = [&[flow.as_str(), "duration=\"4 ms\"", "adapter.max_reads=4"], sets].concat();
    let record = run(&law("back-to-back", &sets));
    assert_eq!((record.flows[0].transport, record.flows[0].operation), (transport, operation));
    settled_bps(&record, 0, 0)
}

fn bits(packets: u64) -> f64 {
    (packets * u64::from(MTU) * 8) as f64
}

/// A streaming flow gets the wire less its own headers. In 2 ms, two packets more or less are 0.07 %.
#[test]
fn a_lone_flow_of_any_transport_gets_the_wire() {
    for (transport, operation) in all().filter(|(transport, _)| *transport != TransportService::Rd) {
        let packets = if transport == TransportService::Ud { 1 } else { 64 };
        let due = bits(packets) / message_time(transport, operation, packets).seconds();
        let got = alone(transport, operation, packets, &[]);
        assert!((got / due - 1.0).abs() < 1e-3, "{transport:?} {operation:?}: {got} where {due} is due");
    }
}

/// A context has a single message under way. Each costs its own time and a round trip: of its last byte and an
/// acknowledgement, or of a request and its response.
#[test]
fn a_context_waits_a_round_trip_for_each_message() {
    for (operation, packets) in all()
        .filter(|(transport, _)| *transport == TransportService::Rd)
        .flat_map(|(_, op)| [(op, 1), (op, 16)])
    {
        let reply = match operation {
            Operation::RdmaRead => bare(TransportService::Rd, Opcode::ReadRequest),
            _ => bare(TransportService::Rd, Opcode::Acknowledge),
        };
        let period = message_time(TransportService::Rd, operation, packets) + reply + FLIGHT * 2;
        let due = bits(packets) / period.seconds();
        let got = alone(TransportService::Rd, operation, packets, &[]);
        assert!((got / due - 1.0).abs() < 2e-3, "{operation:?} of {packets}: {got} where {due} is due");
    }
}

/// A connection with at most one READ under way also needs a round trip for each.
#[test]
fn one_read_at_a_time_waits_a_round_trip() {
    let operation = Operation::RdmaRead;
    let period = message_time(TransportService::Rc, operation, 4)
        + bare(TransportService::Rc, Opcode::ReadRequest)
        + FLIGHT * 2;
    let due = bits(4) / period.seconds();
    let got = alone(TransportService::Rc, operation, 4, &["adapter.max_reads=1"]);
    assert!((got / due - 1.0).abs() < 2e-3, "{got} where {due} is due");
}

const IBA: &str = "congestion_control=Iba(\
    marking: (threshold: 15, packet_size: 8, marking_rate: 0, victim_mask: None, compare: Sum, hysteresis: \"0 B\"), \
    echo: ECHO, \
    response: (port_control: CONTROL, cct: Linear(entries: 128, shift: 0, step: 1), ccti_limit: 127, \
        ccti_increase: 1, ccti_min: 0, ccti_timer: 10, trigger_threshold: 0, timer_start: FirstBecn))";
const HP: &str = "congestion_control=Hp(\
    marking: (trigger: Full, set: Selective(InputAndOutput)), \
    response: (rate: Lipd(max_ipd: 255), window: Fixed(8), rpi_after_decrease: Reloaded))";

/// Two remote flows and a local flow to a root, and a victim, for 3 ms; then to rest. Two of them share both ends.
fn congested(transport: TransportService, operation: Operation, scheme: &str) -> RunRecord {
    let message = if transport == TransportService::Ud { "2 KiB" } else { "16 KiB" };
    let flow = |(name, from, to): (&str, &str, &str)| {
        format!(
            "(name: \"{name}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", transport: {transport:?}, \
             operation: {operation:?}, message: \"{message}\", load: Saturate(outstanding: 4))"
        )
    };
    let flows = [
        ("a", "r1", "root"),
        ("b", "r1", "root"),
        ("c", "r2", "root"),
        ("d", "l1", "root"),
        ("v", "v", "vd"),
    ];
    let flows = format!("flows=[{}]", flows.map(flow).join(", "));
    let plan = law("two-switches", &[&flows, "duration=\"3 ms\"", "adapter.max_reads=4", scheme]);
    let options = RunOptions { drain: true, ..RunOptions::default() };
    simulate(&plan, options, &mut |_| {}).unwrap_or_else(|broken| panic!("{broken}"))
}

/// With every transport and every response, all packets sent arrive, every started message completes, and every
/// credit returns. Marks are answered in the way that the service allows.
#[test]
fn every_transport_under_every_scheme_loses_nothing() {
    let iba = |echo: &str, control: &str| IBA.replace("ECHO", echo).replace("CONTROL", control);
    let schemes = [
        ("congestion_control=Off".to_owned(), None),
        (iba("Cnp", "QueuePair"), Some(false)),
        (iba("Acknowledgement", "ServiceLevel"), Some(true)),
        (HP.to_owned(), Some(true)),
    ];
    for (transport, operation) in all() {
        for (scheme, on_acknowledgements) in &schemes {
            let case = format!("{transport:?} {operation:?} {}", scheme.get(..25).unwrap_or(scheme));
            let record = congested(transport, operation, scheme);
            assert!(record.audit.drained, "{case}");
            assert_eq!((record.audit.under_way, record.dropped_packets), (0, 0), "{case}");
            assert_eq!(record.audit.injected, record.audit.delivered, "{case}");
            let message = if transport == TransportService::Ud { 2048 } else { 16_384 };
            for flow in &record.flows {
                assert!(flow.messages > 10, "{case}: {} gets {} messages through", flow.name, flow.messages);
                assert_eq!(flow.delivered, Bytes::new(flow.messages * message), "{case}: {}", flow.name);
            }
            let tally = &record.transport;
            assert_eq!((tally.retransmitted, tally.naks, tally.timeouts, tally.gaps), (0, 0, 0, 0), "{case}");
            let data_is_acknowledged = transport.is_reliable() && operation != Operation::RdmaRead;
            assert_eq!(tally.acknowledgements > 0, data_is_acknowledged, "{case}");
            let by_cnp = on_acknowledgements.map(|on_them| !(on_them && data_is_acknowledged));
            assert_eq!(tally.cnps > 0, by_cnp == Some(true), "{case}: {} CNPs", tally.cnps);
            assert_eq!(tally.becns > 0, on_acknowledgements.is_some(), "{case}");
        }
    }
}

/// The HP proposal may keep a state for source, destination and service level. Two flows that share it get together
/// as much as a third flow alone. Connections have a state each, and get twice as much.
#[test]
fn flows_that_share_a_state_share_its_rate() {
    let rate_alone = HP.replace("window: Fixed(8), ", "");
    for (transport, operation) in all().filter(|(transport, _)| *transport != TransportService::Rd) {
        let record = congested(transport, operation, &rate_alone);
        let got = |flow: usize| record.flows[flow].delivered.get() as f64;
        let share = (got(0) + got(1)) / got(2);
        let shared = transport != TransportService::Rc || operation == Operation::RdmaRead;
        if shared {
            assert!((share - 1.0).abs() < 0.15, "{transport:?} {operation:?}: {share}");
        } else {
            assert!(share > 1.85, "{transport:?} {operation:?}: {share}");
        }
    }
}

/// Without credits, a sender of an unreliable flow rests once its last packet has left. A sender of a reliable flow
/// rests while repeated packets are on the wire. A drain waits for these packets.
#[test]
fn a_drain_waits_for_packets_on_long_wires() {
    const PAUSE: &str = "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"500 ns\")";
    const BUFFERS: [&str; 2] = ["adapter.receive_buffer=\"128 KiB\"", "switch.buffer=\"128 KiB\""];
    let lossy =
        ["link.flow_control=Lossy", "cables.host.propagation=Delay(\"30 us\")", "flows.F1.transport=Uc"];
    let repeated = [
        PAUSE,
        "cables.host.propagation=Delay(\"5 us\")",
        "flows.F1.transport=Rc",
        "adapter.ack_timeout=1",
        "adapter.ack_every=1",
    ];
    for sets in [&lossy[..], &repeated[..]] {
        let sets = [sets, &BUFFERS, &["duration=\"1 ms\"", "sample=\"100 us\""]].concat();
        let plan = shipped("one-flow", &sets);
        let options = RunOptions { drain: true, ..RunOptions::default() };
        let record =
            simulate(&plan, options, &mut |_| {}).unwrap_or_else(|fault| panic!("{sets:?}: {fault}"));
        assert!(record.audit.drained, "{sets:?}");
        assert_eq!(record.audit.under_way, 0, "{sets:?}");
        assert!(record.audit.injected > 100, "{:?}", record.audit);
    }
}
