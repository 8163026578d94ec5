//! Tables of service levels to lanes by input and output. They decide the lanes of packets under way, make a
//! dateline, and may lie within congestion trees.

use std::collections::BTreeMap;

use event_kernel::Stream;
use fabric::{RunError, RunOptions, simulate};
use packet::{NodeId, PortId};
use rand::RngExt;
use scenario::Plan;
use switch_arch::spec::{BufferingSpec, SlToVlSpec};
use telemetry::{RootRecord, RunRecord};
use units::Span;

use crate::common::{law, run, shipped};

const CREDITS: &str =
    "link.flow_control=Credits(update_blocks: 33, update_interval: \"4.096 us\", wire_time: Counted)";
const PAUSES: &str = "link.flow_control=Pause(resume_offset: \"2 KiB\", reaction: \"100 ns\", quanta: 2000)";
/// Number of switches of a ring.
const RING: u16 = 7;
/// Port of the second switch of `two-switches` by which it reaches the first: behind its seven hosts.
const TRUNK_OF_S2: u16 = 8;

/// The organisations that can change lanes.
fn organisations() -> impl Iterator<Item = BufferingSpec> {
    BufferingSpec::ALL.into_iter().filter(|buffering| *buffering != BufferingSpec::InputFifo)
}

fn tables(entries: &[SlToVlSpec]) -> String {
    ron::to_string(entries).expect("a spec is plain data")
}

fn entry(input: Option<u16>, output: Option<u16>, lanes: impl Fn(u8) -> u8) -> SlToVlSpec {
    SlToVlSpec { input, output, lanes: (0..16).map(lanes).collect() }
}

fn drained(plan: &Plan) -> Result<RunRecord, RunError> {
    simulate(plan, RunOptions { drain: true, ..RunOptions::default() }, &mut |_| {})
}

/// Returns the lane of each link of a path, by node and port, from the written tables: every entry is looked at.
fn lanes_of_path(
    plan: &Plan,
    (from, to): (NodeId, NodeId),
    lanes: u8,
    level: u8,
    entries: &[SlToVlSpec],
) -> Vec<(NodeId, PortId, u8)> {
    let graph = plan.graph();
    let path = plan.routes().path(graph, from, to).expect("the hosts are connected");
    let mut links = vec![(path[0].0, path[0].1, level % lanes)];
    for hops in path.windows(2) {
        let input = graph.ports(hops[0].0)[hops[0].1.index()].peer_port.0 + 1;
        let (switch, output) = hops[1];
        let mut lane = level % lanes;
        for own in entries {
            let names = own.input.is_none_or(|port| port == input)
                && own.output.is_none_or(|port| port == output.0 + 1);
            if names {
                lane = own.lanes[usize::from(level)];
            }
        }
        links.push((switch, output, lane));
    }
    links
}

/// A ring of five switches with two hosts each, random flows without acknowledgements, and random tables.
fn random_plan(chance: &mut Stream, sets: &[&str]) -> (Plan, Vec<SlToVlSpec>) {
    let port = |chance: &mut Stream| Some(chance.random_range(1..=4)).filter(|_| chance.random_bool(0.7));
    let entries: Vec<_> = (0..chance.random_range(1..=12))
        .map(|_| {
            let (input, output) = (port(chance), port(chance));
            SlToVlSpec { input, output, lanes: (0..16).map(|_| chance.random_range(0..3)).collect() }
        })
        .collect();
    let flow = |number: u16, chance: &mut Stream| {
        let from = number % 10 + 1;
        let to = (number + chance.random_range(1..10)) % 10 + 1;
        format!(
            "(name: \"F{number}\", from: \"h{from}\", to: \"h{to}\", start: \"0 s\", stop: \"200 us\", transport: Uc, \
             service_level: {}, message: \"2 KiB\", load: Saturate(outstanding: 4))",
            chance.random_range(0..16)
        )
    };
    let flows: Vec<_> = (0..20).map(|number| flow(number, chance)).collect();
    let own = [
        "topology=Torus(sizes: [5], hosts: 2, host_cable: \"wire\", trunk_cable: \"wire\")".to_owned(),
        "routing=UpDown()".to_owned(),
        "link.data_lanes=3".to_owned(),
        "duration=\"200 us\"".to_owned(),
        "sample=\"20 us\"".to_owned(),
        format!("flows=[{}]", flows.join(", ")),
        format!("switch.sl_to_vl={}", tables(&entries)),
    ];
    let own: Vec<_> = own.iter().map(String::as_str).chain(sets.iter().copied()).collect();
    (law("two-switches", &own), entries)
}

/// In every organisation, under credits and PFC, each lane of each output carries exactly the packets that the tables
/// send there. Everything drains without a loss.
#[test]
fn every_packet_leaves_by_the_lane_of_its_table() {
    let mut chance = event_kernel::stream(7, "tables", "test");
    for flow_control in [CREDITS, PAUSES] {
        for buffering in organisations() {
            for _ in 0..3 {
                let buffering = format!("switch.buffering={buffering:?}");
                let (plan, entries) = random_plan(&mut chance, &[flow_control, &buffering]);
                let record = drained(&plan).unwrap_or_else(|stop| panic!("{buffering}, {entries:?}: {stop}"));
                let (mut expected, mut changes) = (BTreeMap::new(), 0);
                for (flow, seen) in plan.workload().flows.iter().zip(&record.flows) {
                    assert!(seen.packets > 0, "{buffering}: {} stands still", seen.name);
                    let ends = (flow.source, flow.destination);
                    let path = lanes_of_path(&plan, ends, 3, flow.service_level.0, &entries);
                    changes += path.windows(2).filter(|links| links[0].2 != links[1].2).count();
                    for (node, port, lane) in path {
                        let key = (plan.graph().name(node).to_owned(), port.0 + 1, lane);
                        *expected.entry(key).or_insert(0) += seen.packets;
                    }
                }
                assert!(changes > 0, "{entries:?} change no lane");
                let lanes = record.lanes.iter().filter(|lane| lane.packets > 0);
                let found: BTreeMap<_, _> =
                    lanes.map(|lane| ((lane.node.clone(), lane.port, lane.lane), lane.packets)).collect();
                assert_eq!(found, expected, "{flow_control}, {buffering}, {entries:?}");
            }
        }
    }
}

/// Tables that repeat `link.sl_to_vl` change nothing.
#[test]
fn tables_without_a_change_of_lane_give_the_same_to_the_byte() {
    for buffering in organisations() {
        let buffering = format!("switch.buffering={buffering:?}");
        let digest = |entries: &[SlToVlSpec]| {
            let tables = format!("switch.sl_to_vl={}", tables(entries));
            let sets = ["duration=\"1 ms\"", "sample=\"100 us\"", "link.data_lanes=2", &buffering, &tables];
            run(&shipped("santos2003", &[&sets[..], &["congestion_control=Off"]].concat())).digest
        };
        let same = entry(Some(2), None, |level| level % 2);
        let other = entry(None, None, |level| 1 - level % 2);
        assert_eq!(digest(&[]), digest(std::slice::from_ref(&same)), "{buffering}");
        assert_ne!(digest(&[]), digest(&[same, other]), "{buffering}: tables have no effect");
    }
}

/// Settings of a ring of switches `s1` to `s7`, where host `hi` sends three switches onwards. Paths from `s7` to
/// `s1`, data and acknowledgements, cross the dateline, and have service level 1. At port 2 is the next switch, at
/// port 3 the previous switch.
fn ring(buffering: BufferingSpec, dateline: bool) -> Vec<String> {
    let flow = |from: u16| {
        let crosses = from + 3 > RING;
        format!(
            "(name: \"F{from}\", from: \"h{from}\", to: \"h{}\", start: \"0 s\", service_level: {}, message: \"64 KiB\", \
             load: Saturate(outstanding: 4))",
            (from + 2) % RING + 1,
            u8::from(crosses)
        )
    };
    let flows: Vec<_> = (1..=RING).map(flow).collect();
    let crossed = |input, output| entry(input, Some(output), |level| u8::from(level == 1));
    let switch = |(number, entries): (u16, Vec<SlToVlSpec>)| {
        format!(
            "\"s{number}\": (buffering: {buffering:?}, arbiter: RoundRobin, buffer: \"16 KiB\", latency: \"100 ns\", \
             forwarding: CutThrough, speedup: 2.0, sl_to_vl: {})",
            tables(&entries)
        )
    };
    // The lane of service level 1 is 1 on the dateline and behind it, as far as paths lead: two switches more.
    let switches = [
        (1, vec![crossed(Some(3), 2), crossed(None, 3)]),
        (2, vec![crossed(Some(3), 2)]),
        (6, vec![crossed(Some(2), 3)]),
        (7, vec![crossed(None, 2), crossed(Some(2), 3)]),
    ];
    let switches: Vec<_> = switches.into_iter().map(switch).collect();
    let switches = if dateline { switches.join(", ") } else { String::new() };
    vec![
        format!("topology=Torus(sizes: [{RING}], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")"),
        "routing=MinHop".to_owned(),
        "link.data_lanes=2".to_owned(),
        "link.sl_to_vl={1: 0}".to_owned(),
        "duration=\"2 ms\"".to_owned(),
        "sample=\"100 us\"".to_owned(),
        format!("flows=[{}]", flows.join(", ")),
        format!("switch.buffering={buffering:?}"),
        format!("switches={{{switches}}}"),
    ]
}

/// With a dateline the check passes, and the saturated ring moves until it drains. Without a dateline it stands
/// still.
#[test]
fn a_dateline_keeps_a_saturated_ring_moving() {
    for flow_control in [CREDITS, PAUSES] {
        for buffering in organisations() {
            let plan = |dateline, cycles| {
                let sets = ring(buffering, dateline);
                let sets: Vec<_> = sets.iter().map(String::as_str).chain([flow_control, cycles]).collect();
                law("two-switches", &sets)
            };
            let with = plan(true, "dependency_cycles=Refused");
            let record =
                drained(&with).unwrap_or_else(|stop| panic!("{flow_control}, {buffering:?}: {stop}"));
            for flow in &record.flows {
                let late =
                    flow.last_delivery.get().is_some_and(|last| last > Span::from_us(1_900).after_start());
                assert!(
                    late,
                    "{flow_control}, {buffering:?}: {} ends at {:?}",
                    flow.name, flow.last_delivery
                );
            }
            let without = plan(false, "dependency_cycles=Allowed");
            assert!(without.dependency_cycle().is_some_and(|cycle| cycle.ends_with("on VL0")));
            let stop = drained(&without).expect_err("nothing prevents the deadlock");
            assert!(matches!(stop, RunError::Deadlock(_)), "{flow_control}, {buffering:?}: {stop}");
        }
    }
}

/// With the changes of lane of its routing, a saturated torus that would keep four lanes, and a dragonfly, move on
/// two until they drain.
#[test]
fn two_lanes_that_change_keep_tori_and_dragonflies_moving() {
    let torus = "topology=Torus(sizes: [5, 5], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")";
    let dragonfly = "topology=Dragonfly(routers: 4, hosts: 1, global: 1, host_cable: \"wire\", local_cable: \"wire\", \
                     global_cable: \"wire\")";
    for (topology, hosts) in [(torus, 25), (dragonfly, 20)] {
        let flow = |number: u32| {
            let (from, to) = (number % hosts, (number * 7 + 11) % hosts);
            (from != to).then(|| {
                format!(
                    "(name: \"F{number}\", from: \"h{}\", to: \"h{}\", start: \"0 s\", message: \"64 KiB\", \
                     load: Saturate(outstanding: 4))",
                    from + 1,
                    to + 1
                )
            })
        };
        let flows = format!("flows=[{}]", (0..2 * hosts).filter_map(flow).collect::<Vec<_>>().join(", "));
        for buffering in organisations() {
            let buffering = format!("switch.buffering={buffering:?}");
            for flow_control in [CREDITS, PAUSES] {
                let sets =
                    ["link.data_lanes=2", "layer_lanes=Changed", "duration=\"1 ms\"", "sample=\"100 us\""];
                let plan =
                    law("two-switches", &[&[topology, &flows, &buffering, flow_control], &sets[..]].concat());
                let record = drained(&plan).unwrap_or_else(|stop| panic!("{topology}, {buffering}: {stop}"));
                assert!(record.lanes.iter().any(|lane| lane.lane == 1 && lane.packets > 0), "{topology}");
            }
        }
    }
}

/// Two switches that send all packets on lane 1 between them, and on lane 0 to hosts. Everything happens at the same
/// time as on a single lane, and the congestion trees are the same.
#[test]
fn a_congestion_tree_reaches_across_a_change_of_lane() {
    for buffering in organisations() {
        let buffering = format!("switch.buffering={buffering:?}");
        let record = |trunk: u8| {
            let entry = |output| entry(None, Some(output), |_| trunk);
            // The trunk is at port 7 of S1 and port 3 of S2.
            let own = |name: &str, output| {
                format!(
                    "\"{name}\": (buffering: {}, arbiter: RoundRobin, buffer: \"16 KiB\", latency: \"100 ns\", \
                     forwarding: CutThrough, speedup: 2.0, sl_to_vl: {})",
                    buffering.split('=').nth(1).expect("a path and a value"),
                    tables(&[entry(output)])
                )
            };
            let flow = |name: &str, to: &str| {
                format!(
                    "(name: \"{name}\", from: \"{name}\", to: \"{to}\", start: \"0 s\", message: \"64 KiB\", \
                     load: Saturate(outstanding: 4))"
                )
            };
            let flows = [flow("r1", "root"), flow("r2", "root"), flow("l1", "root"), flow("v", "vd")];
            run(&law(
                "two-switches",
                &[
                    "link.data_lanes=2",
                    "duration=\"5 ms\"",
                    &buffering,
                    &format!("flows=[{}]", flows.join(", ")),
                    &format!("switches={{{}, {}}}", own("S1", 7), own("S2", TRUNK_OF_S2)),
                ],
            ))
        };
        let [same, changed] = [0, 1].map(record);
        assert_eq!(same.packet_hops, changed.packet_hops, "{buffering}");
        assert!(!same.congestion.roots.is_empty(), "{buffering}: there is no tree");
        assert_eq!(same.congestion.roots.len(), changed.congestion.roots.len(), "{buffering}");
        for (one, other) in same.congestion.roots.iter().zip(&changed.congestion.roots) {
            let seen = |root: &RootRecord| {
                let victims: Vec<_> =
                    root.victims.iter().map(|victim| (victim.flow, victim.waited)).collect();
                let size = (root.branches, root.depth, root.ports);
                (root.node.clone(), root.port, size, root.contributors.clone(), victims)
            };
            assert_eq!(seen(one), seen(other), "{buffering}");
            assert!(one.depth > 1 && !one.victims.is_empty(), "{buffering}: the tree ends at the trunk");
        }
    }
}
