//! Flows whose packets take several paths, by every selector, every source of entropy values and every kind of detours:
//! the record says nothing about their paths that packets do not bear out.

use std::collections::{BTreeMap, BTreeSet};

use fabric::{Passing, RunOptions, Tap, simulate_tapped};
use scenario::Plan;
use switch_arch::spec::SelectionSpec;
use telemetry::{LaneRecord, RunRecord};
use units::Bytes;

use crate::common::{run, shipped};
use crate::drawn::written;

/// A tree of two leaves with a slow cable in it, below the traffic of all hosts to the other leaf.
const TREE: [&str; 5] = [
    "topology=FatTree(down: [4, 2], up: [4], host_cable: \"host\", trunk_cable: \"trunk\")",
    "cables={\"host\": (rate: \"100 Gb/s\", propagation: Cable(\"3 m\")), \
     \"trunk\": (rate: \"100 Gb/s\", propagation: Cable(\"20 m\")), \
     \"slow\": (rate: \"5 Gb/s\", propagation: Cable(\"20 m\"))}",
    "changed_cables={\"spine1:leaf1\": Kind(\"slow\")}",
    "traffic=[Synthetic(destinations: OtherRacks, arrivals: Poisson(load: 0.15), size: Fixed(\"16 KiB\")), \
     Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.1), size: Fixed(\"16 KiB\"))]",
    "switch.buffer=\"32 KiB\"",
];

/// Hosts send to others, and more of them to the first, over routes that need not be minimal.
const DETOURS: [&str; 4] = [
    "traffic=[Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.4), size: Fixed(\"16 KiB\")), \
     Synthetic(senders: [\"h5\", \"h9\", \"h17\", \"h18\"], receivers: [\"h1\"], destinations: Uniform, \
     arrivals: Poisson(load: 0.5), size: Fixed(\"16 KiB\"))]",
    "switch.buffer=\"32 KiB\"",
    "link.data_lanes=5",
    "seed=3",
];

const DRAGONFLY: &str = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                         local_cable: \"trunk\", global_cable: \"trunk\")";
const HYPER_X: &str =
    "topology=HyperX(sizes: [3, 3], hosts: 3, host_cable: \"host\", trunk_cable: \"trunk\")";

fn plan(own: &[&str]) -> Plan {
    let usual = ["duration=120 us", "sample=5 us"];
    let sets: Vec<_> = usual.into_iter().chain(own.iter().copied()).collect();
    shipped("paths-incast", &sets)
}

/// Returns the settings of every way to several paths, each with its name.
fn ways() -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    let selections =
        SelectionSpec::EXAMPLES.map(|selector| format!("switch.selection={}", written(selector)));
    let entropies =
        ["Random", "RoundRobin", "Bitmap", "Reps"].map(|value| format!("adapter.entropy={value}"));
    for set in selections.into_iter().chain(entropies) {
        let tree = TREE.into_iter().map(str::to_owned);
        all.push((set.clone(), tree.chain([set]).collect()));
    }
    for (topology, routing) in [
        (DRAGONFLY, "Valiant"),
        (DRAGONFLY, "Valiant(through: Group)"),
        (DRAGONFLY, "Ugal"),
        (DRAGONFLY, "Par"),
        (HYPER_X, "Valiant"),
        (HYPER_X, "Ugal"),
        (HYPER_X, "Par"),
    ] {
        let set = format!("routing={routing}");
        let sets = DETOURS.into_iter().chain([topology, &set]).map(str::to_owned).collect();
        all.push((format!("{topology} {set}"), sets));
    }
    all
}

/// Returns plans with every way to several paths, each with its name.
fn plans() -> impl Iterator<Item = (String, Plan)> {
    let plan = |sets: &[String]| plan(&sets.iter().map(String::as_str).collect::<Vec<_>>());
    ways().into_iter().map(move |(name, sets)| (name, plan(&sets)))
}

/// Returns the number of (flow, root) pairs that are contributors, that are victims, and that are both.
fn members(record: &RunRecord) -> (usize, usize, usize) {
    record.congestion.roots.iter().fold((0, 0, 0), |sum, root| {
        let contributors: BTreeSet<_> = root.contributors.iter().map(|one| one.flow).collect();
        let both = root.victims.iter().filter(|victim| contributors.contains(&victim.flow)).count();
        (sum.0 + contributors.len(), sum.1 + root.victims.len(), sum.2 + both)
    })
}

/// A flow that feeds a tree is no victim of it. Paths by the hash of the flow alone, or minimal routes alone, would
/// make it both.
#[test]
fn no_flow_is_contributor_and_victim_of_a_root() {
    let (mut contributors, mut victims) = (0, 0);
    for (name, plan) in plans() {
        let found = members(&run(&plan));
        assert_eq!(found.2, 0, "{name}: {found:?}");
        // By load, packets may go round the slow cable before a tree grows.
        let is_sure = name.contains("entropy") || name.contains("routing");
        assert!(found.0 > 0 || !is_sure, "{name}: a tree has contributors");
        (contributors, victims) = (contributors + found.0, victims + found.1);
    }
    assert!(victims > 100 && contributors > 100, "{contributors} contributors, {victims} victims");
}

/// The number of flows of an output is that of the flows with data there, or it is not given.
#[test]
fn an_output_counts_the_flows_that_packets_show_or_none() {
    for (name, plan) in plans() {
        let ports = plan.graph().select_ports("*").expect("a fabric has ports");
        let mut seen: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut see = |sighting: &fabric::Sighting| {
            if let Passing::Packet(packet) = &sighting.what
                && sighting.outbound
                && packet.payload > 0
            {
                let at =
                    (plan.graph().name(sighting.node).to_owned(), sighting.port.0 + 1, packet.lrh.lane.0);
                seen.entry(at).or_default().insert(packet.flow.index());
            }
        };
        let tap = Tap { ports: &ports, observer: &mut see, waits: None };
        let record = simulate_tapped(&plan, RunOptions::default(), tap, &mut |_| {}).expect("it runs");
        let (mut known, mut unknown) = (0, 0);
        for lane in &record.lanes {
            let Some(load) = lane.load else { continue };
            let flows = seen.remove(&(lane.node.clone(), lane.port, lane.lane)).unwrap_or_default();
            let delivered = flows.iter().filter(|flow| record.flows[**flow].delivered.get() > 0).count();
            match load.flows {
                Some(flows) => assert_eq!(flows as usize, delivered, "{name}: {} {}", lane.node, lane.port),
                None => unknown += 1,
            }
            known += usize::from(load.flows.is_some_and(|flows| flows > 0));
        }
        let is_hashed = name == "switch.selection=Hash";
        assert!(known > 0 || name.contains("routing="), "{name}: last links are known");
        assert_eq!(unknown == 0, is_hashed, "{name}: {unknown} outputs may have had other flows");
    }
}

/// Contributors cannot have delivered more through a root than it has sent. Of a flow with other paths the payload by
/// the root is not known.
#[test]
fn no_more_went_through_a_root_than_it_sent() {
    let (mut known, mut unknown) = (0, 0);
    for (name, plan) in plans() {
        let record = run(&plan);
        for root in &record.congestion.roots {
            let is_root =
                |lane: &&LaneRecord| (&lane.node, lane.port, lane.lane) == (&root.node, root.port, root.lane);
            let sent = record.lanes.iter().find(is_root).expect("it is an output").sent;
            let through: Bytes = root.contributors.iter().filter_map(|one| one.through).sum();
            assert!(through <= sent, "{name}: {through:?} of {sent:?} through {} {}", root.node, root.port);
            let some = root.contributors.iter().filter(|one| one.through.is_some()).count();
            let is_last = root.peer.starts_with('h') && !name.contains("routing=");
            let is_sure = name == "switch.selection=Hash" || is_last;
            assert!(!is_sure || some == root.contributors.len(), "{name}: {root:?}");
            (known, unknown) = (known + some, unknown + root.contributors.len() - some);
        }
    }
    assert!(known > 20 && unknown > 20, "{known} known, {unknown} not");
}

/// A selector for packets longer than all of a flow leaves it its one path, and the record says so.
#[test]
fn flows_of_short_packets_keep_their_path() {
    let short =
        "traffic=[Synthetic(destinations: OtherRacks, arrivals: Poisson(load: 0.3), size: Fixed(\"1 KiB\"))]";
    for (small, traffic) in [("5 KB", TREE[3]), ("2 KB", short)] {
        let of = |sets: &[&str]| run(&plan(&[&TREE[..], &[traffic], sets].concat()));
        let hash = of(&["switch.selection=Hash"]);
        let small = format!("switch.selected_packets=(small: \"{small}\")");
        let spared = of(&["switch.selection=RoundRobin", &small]);
        assert_eq!(spared.digest, hash.digest, "{small}");
        let seen = |record: &RunRecord| {
            let loads: Vec<_> = record.lanes.iter().map(|lane| lane.load).collect();
            format!("{:?} {loads:?}", record.congestion)
        };
        assert_eq!(seen(&spared), seen(&hash), "{small}");
        assert!(hash.lanes.iter().any(|lane| lane.load.is_some_and(|load| load.flows > Some(0))), "{small}");
    }
}

/// A message alone takes at least its ideal time, by whatever paths. Over equal paths as fast as the source's link it
/// takes this time, but for flow-control packets. The time of a single path would be too long where four slow cables share the message.
#[test]
fn no_message_alone_is_faster_than_ideal() {
    let flow = |operation: &str, bytes: u64| {
        format!(
            "flows=[(name: \"a\", from: \"h5\", to: \"h1\", operation: {operation}, start: \"0 s\", \
             message: \"{bytes} B\", load: Saturate(outstanding: 1))]"
        )
    };
    let cables = |rate: u32, other: u32| {
        format!(
            "cables={{\"host\": (rate: \"100 Gb/s\", propagation: Cable(\"3 m\")), \
             \"trunk\": (rate: \"{rate} Gb/s\", propagation: Cable(\"20 m\")), \
             \"slow\": (rate: \"{other} Gb/s\", propagation: Cable(\"20 m\"))}}"
        )
    };
    let alone =
        ["traffic=[]", "sample=50 us", "duration=400 us", "adapter.max_reads=2", "switch.buffer=\"128 KiB\""];
    let mut met = 0;
    for (name, rate, other) in [("equal", 100, 100), ("narrow", 25, 25), ("mixed", 40, 10), ("wide", 400, 50)]
    {
        let cables = cables(rate, other);
        for operation in ["RdmaWrite", "RdmaRead"] {
            for bytes in [1, 4097, 65_536, 300_001] {
                let flow = flow(operation, bytes);
                for (way, own) in ways() {
                    let sets: Vec<&str> = alone.iter().copied().chain([&*cables, &*flow]).collect();
                    let own: Vec<&str> = own.iter().map(String::as_str).chain(sets).collect();
                    let record = run(&plan(&own));
                    let case = format!("{name} {operation} {bytes} {way}");
                    let all = record.completions.expect("they are kept");
                    assert!(!all.delivered().is_empty(), "{case}");
                    for one in all.delivered() {
                        let slowdown = one.slowdown(one.time().expect("it is delivered"));
                        assert!(slowdown >= 1.0, "{case}: {slowdown}");
                        if let Some(acknowledged) = one.acknowledged {
                            assert!(acknowledged.at.since(one.posted) >= acknowledged.ideal, "{case}");
                        }
                        let is_exact = name == "equal" && !way.contains("routing=") && one.number == 1;
                        // Flow-control packets take their time on the wires, and count as free: 8e-5 by a single path.
                        assert!(!is_exact || slowdown < 1.001, "{case}: {slowdown}");
                        met += usize::from(is_exact);
                    }
                }
            }
        }
    }
    assert!(met > 50, "{met} times are exact");
}
