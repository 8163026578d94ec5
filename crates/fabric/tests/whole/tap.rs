//! Packets at chosen ports, against the counters of these ports and against runs in several parts.

use std::collections::BTreeMap;

use fabric::{
    Division, Passing, RunOptions, Sighting, Tap, Threads, Wait, WaitTap, simulate, simulate_tapped,
};
use packet::{BthFlags, NodeId, Opcode, Packet, PortId};
use scenario::Plan;
use telemetry::RunRecord;

use crate::common::{run, shipped};

/// Runs a plan and returns its record with all sightings at the ports.
fn tapped(plan: &Plan, ports: &[(NodeId, PortId)], options: RunOptions<'_>) -> (RunRecord, Vec<Sighting>) {
    let mut seen = Vec::new();
    let tap = Tap { ports, observer: &mut |sighting| seen.push(*sighting), waits: None };
    let record = simulate_tapped(plan, options, tap, &mut |_| {}).expect("the run ends well");
    (record, seen)
}

fn all_ports(plan: &Plan) -> Vec<(NodeId, PortId)> {
    plan.graph().select_ports("*").expect("a fabric has ports")
}

fn packet(sighting: &Sighting) -> Option<&Packet> {
    match &sighting.what {
        Passing::Packet(packet) => Some(packet),
        Passing::Pause { .. } => None,
    }
}

/// Under credits, with CNPs; under PFC; with DCQCN. All flows start early.
const SCENARIOS: [(&str, &[&str]); 3] = [
    ("victim", &["duration=1 ms", "flows[1].start=100 us", "flows[2].start=200 us"]),
    ("roce-victim", PAUSED),
    ("conext2016-join", &["duration=1 ms", "flows[2].start=100 us"]),
];
const PAUSED: &[&str] =
    &["duration=1 ms", "flows[1].start=100 us", "flows[2].start=100 us", "flows[3].start=200 us"];

#[test]
fn a_tap_sees_each_packet_that_a_port_counts_and_changes_nothing() {
    for (name, sets) in SCENARIOS {
        let plan = shipped(name, sets);
        let (record, seen) = tapped(&plan, &all_ports(&plan), RunOptions::default());
        assert_eq!(record.digest, run(&plan).digest, "{name}");
        let mut sent: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for sighting in seen.iter().filter(|sighting| sighting.outbound) {
            if let Some(packet) = packet(sighting) {
                let lane =
                    (plan.graph().name(sighting.node).to_owned(), sighting.port.0 + 1, packet.lrh.lane.0);
                let count = sent.entry(lane).or_default();
                *count = (count.0 + 1, count.1 + u64::from(packet.wire));
            }
        }
        for lane in &record.lanes {
            let count = sent.remove(&(lane.node.clone(), lane.port, lane.lane)).unwrap_or_default();
            assert_eq!(count, (lane.packets, lane.sent.get()), "{name}: {}:{}", lane.node, lane.port);
        }
        assert!(sent.is_empty(), "{name}: {sent:?}");
        let outbound = seen.iter().filter(|sighting| sighting.outbound && packet(sighting).is_some()).count();
        assert_eq!(outbound as u64, record.packet_hops, "{name}");
    }
}

#[test]
fn a_tap_sees_notifications_marks_and_pauses() {
    for (name, sets) in SCENARIOS {
        let plan = shipped(name, sets);
        let (record, seen) = tapped(&plan, &all_ports(&plan), RunOptions::default());
        let at_source = |sighting: &&Sighting| {
            let from_source =
                packet(sighting).is_some_and(|packet| packet.lrh.source() == sighting.node.lid());
            sighting.outbound && plan.graph().is_host(sighting.node) && from_source
        };
        let cnps = seen
            .iter()
            .filter(at_source)
            .filter_map(packet)
            .filter(|packet| packet.bth.opcode == Opcode::Cnp);
        // A few CNPs may wait to be sent at the end.
        let (sent, made) = (cnps.count() as u64, record.transport.cnps);
        assert!(sent <= made && made - sent <= 2, "{name}: {sent} of {made}");
        let marked = seen.iter().filter_map(packet).any(|packet| packet.has(BthFlags::FECN));
        assert_eq!(marked, record.marks.total() > 0, "{name}");
        let pauses = seen.iter().filter(|sighting| {
            sighting.outbound && matches!(sighting.what, Passing::Pause { quanta, .. } if quanta > 0)
        });
        let counted: u64 = record.lanes.iter().filter_map(|lane| lane.pause).map(|pause| pause.sent).sum();
        assert_eq!(pauses.count() as u64, counted, "{name}");
    }
}

/// Both ends of a cable see the same packets in the same order, the far end later by the time of flight.
#[test]
fn both_ends_of_a_cable_see_the_same() {
    let plan = shipped("roce-victim", PAUSED);
    let (_, seen) = tapped(&plan, &all_ports(&plan), RunOptions::default());
    assert!(seen.is_sorted_by_key(|sighting| sighting.at));
    let of = |node: NodeId, port: PortId, outbound: bool| {
        let there =
            seen.iter().filter(move |seen| (seen.node, seen.port, seen.outbound) == (node, port, outbound));
        there.map(|seen| {
            (seen.at, seen.from, format!("{:?}", packet(seen).map(|packet| (packet.flow, packet.bth))))
        })
    };
    for (node, port) in all_ports(&plan) {
        let end = plan.graph().ports(node)[port.index()];
        let flight = plan.cable(end.cable).flight;
        let (sent, received) = (of(node, port, true), of(end.peer, end.peer_port, false));
        let sent: Vec<_> = sent.map(|(at, from, what)| (at + flight, from, what)).collect();
        let received: Vec<_> = received.collect();
        assert_eq!(sent[..received.len()], received, "what is received was sent");
        assert!(sent.len() - received.len() <= 8, "{} of {} arrived", received.len(), sent.len());
    }
}

/// Returns the contents of a sighting, apart from properties that a packet has only within a node.
fn facts(sighting: &Sighting) -> String {
    let Sighting { at, node, port, outbound, from, what } = *sighting;
    let what = match what {
        Passing::Packet(Packet { lrh, bth, source_qp, flow, payload, wire, .. }) => {
            format!("{lrh:?} {bth:?} {source_qp:?} {flow:?} {payload} {wire}")
        }
        pause @ Passing::Pause { .. } => format!("{pause:?}"),
    };
    format!("{} {node:?}:{port:?} {outbound} {from:?} {what}\n", at.ps())
}

/// A tap at a single port sees the same there as a tap at all ports. It sees the same in several parts, on threads or
/// in turn.
#[test]
fn parts_and_threads_do_not_change_what_is_seen() {
    let plan = shipped("roce-victim", PAUSED);
    let text = |seen: &[Sighting]| seen.iter().map(facts).collect::<String>();
    let ports = plan.graph().select_ports("*:2").expect("a switch has two ports");
    let (_, all) = tapped(&plan, &all_ports(&plan), RunOptions::default());
    let there: Vec<_> = all.into_iter().filter(|seen| ports.contains(&(seen.node, seen.port))).collect();
    let (_, whole) = tapped(&plan, &ports, RunOptions::default());
    assert!(whole.len() > 1000, "{}", whole.len());
    assert_eq!(text(&whole), text(&there));
    let division = Division::of(&plan, Threads::AtMost(2.try_into().expect("2 is not 0")));
    for in_turn in [false, true] {
        let options = RunOptions { partition: division.partition.as_ref(), in_turn, ..RunOptions::default() };
        assert_eq!(text(&tapped(&plan, &ports, options).1), text(&whole), "in turn: {in_turn}");
    }
    let scrambled = RunOptions { scramble: Some(3), ..RunOptions::default() };
    assert_eq!(text(&tapped(&plan, &ports, scrambled).1), text(&whole));
}

#[test]
fn the_drain_is_seen_too() {
    let plan = shipped("one-flow", &["duration=1 ms"]);
    let options = RunOptions { drain: true, ..RunOptions::default() };
    let (record, seen) = tapped(&plan, &all_ports(&plan), options);
    let received = seen.iter().filter(|sighting| !sighting.outbound && plan.graph().is_host(sighting.node));
    assert_eq!(received.count() as u64, record.delivered_packets);
    assert_eq!(record.digest, simulate(&plan, options, &mut |_| {}).expect("the run ends well").digest);
}

/// Waits of an output add up to the run's count, and do not overlap. Long cables make long windows, with many waits
/// in each.
#[test]
fn waits_add_up_to_the_time_stalled() {
    const LONG: &[&str] = &[
        "duration=2 ms",
        "flows[1].start=100 us",
        "flows[2].start=200 us",
        "cables.host.propagation=Cable(\"1000 m\")",
        "cables.trunk.propagation=Cable(\"1000 m\")",
    ];
    // Without congestion control there are more waits; DCQCN's switches have room for all that is sent.
    for (name, sets) in SCENARIOS[..2].iter().chain([&("victim", LONG)]) {
        let plan = shipped(name, &[*sets, &["congestion_control=Off"]].concat());
        let (ports, mut waits) = (all_ports(&plan), Vec::<Wait>::new());
        let observer = &mut |wait: &Wait| waits.push(*wait);
        let tap = Tap { ports: &[], observer: &mut |_| {}, waits: Some(WaitTap { ports: &ports, observer }) };
        let record =
            simulate_tapped(&plan, RunOptions::default(), tap, &mut |_| {}).expect("the run ends well");
        for lane in &record.lanes {
            let here = |wait: &&Wait| {
                let at = (plan.graph().name(wait.node), wait.port.0 + 1, wait.lane.0);
                at == (lane.node.as_str(), lane.port, lane.lane)
            };
            let here: Vec<_> = waits.iter().filter(here).collect();
            let sum = here.iter().map(|wait| wait.until - wait.from).sum::<units::Span>();
            assert_eq!(sum, lane.stalled, "{name}: {}:{}", lane.node, lane.port);
            assert!(here.is_sorted_by(|one, next| one.until <= next.from), "{name}: {here:?}");
            assert!(
                here.last().is_none_or(|last| last.until <= record.simulated.after_start()),
                "{name}: {here:?}"
            );
        }
        let total: units::Span = record.lanes.iter().map(|lane| lane.stalled).sum();
        assert!(total > units::Span::from_us(10), "{name}: {total}");
    }
}
