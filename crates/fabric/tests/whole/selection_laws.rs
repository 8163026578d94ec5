//! Laws of paths that are chosen packet by packet, in whole runs. Each states an alternative that breaks it.
//!
//! All traffic is of single packets (UD), which may overtake each other, and nothing controls congestion.

use packet::NodeId;
use rand::seq::SliceRandom;
use scenario::Plan;
use telemetry::RunRecord;

use crate::common::{run, settled_bps, shipped};

const HASH: &str = "Hash";
const ROUND_ROBIN: &str = "RoundRobin";
const LEAST_LOADED: &str = "LeastLoaded";
const RANDOM: &str = "Random";

/// Returns a plan with flows of single packets, by the numbers of their hosts. Hosts send without pause, or at a rate.
fn plan(topology: &str, flows: &[(usize, usize)], load: &str, selector: &str, sets: &[&str]) -> Plan {
    let flow = |(number, (from, to)): (usize, &(usize, usize))| {
        format!(
            "(name: \"F{number}\", from: \"h{from}\", to: \"h{to}\", transport: Ud, operation: Send, start: \"0 s\", \
             message: \"4 KiB\", load: {load})"
        )
    };
    let flows = flows.iter().enumerate().map(flow).collect::<Vec<_>>().join(", ");
    let usual = [
        format!("topology={topology}"),
        "routing=Adaptive".to_owned(),
        format!("switch.selection={selector}"),
        "congestion_control=Off".to_owned(),
        "traffic=[]".to_owned(),
        format!("flows=[{flows}]"),
        "duration=\"600 us\"".to_owned(),
        "sample=\"50 us\"".to_owned(),
    ];
    let all: Vec<&str> = usual.iter().map(String::as_str).chain(sets.iter().copied()).collect();
    shipped("bench-a32", &all)
}

fn clos(radix: usize) -> String {
    format!("Clos(radix: {radix}, host_cable: \"wire\", trunk_cable: \"wire\")")
}

const SATURATE: &str = "Saturate(outstanding: 4)";

/// Returns the goodput of each flow in the second half of the run, in shares of a host's payload rate.
fn rates(plan: &Plan, record: &RunRecord) -> Vec<f64> {
    let line = plan.nodes().port(NodeId(0), packet::PortId(0)).wire.rate().get() as f64;
    // A packet of 4 KiB of payload over UD has 34 B of headers and checks.
    let payload = line * 4096.0 / 4130.0;
    (0..plan.workload().flows.len()).map(|flow| settled_bps(record, flow, 0) / payload).collect()
}

/// The reverse parking lot (measured on InfiniBand by Rocher-Gonzalez and others, `CCGrid` 2022): at the leaf of a hot
/// host, L local flows come by ports of their own and R remote flows by s spine ports, of which adaptive routing uses
/// all. Turns of inputs give remote flows s/(L+s) together. A hash gives a single remote flow 1/(L+1). The host's link
/// is full either way: adaptive routing does not help an incast's last hop.
#[test]
fn adaptive_routing_favours_remote_flows_at_a_hot_host() {
    for (spines, local, remote) in [(4, 3, 1), (4, 3, 4), (4, 1, 2), (2, 1, 1), (6, 5, 3)] {
        let here = (1..=local).map(|host| host + 1);
        // A host of each of the next leaves.
        let there = (1..=remote).map(|leaf| leaf * spines + 1);
        let flows: Vec<_> = here.chain(there).map(|from| (from, 1)).collect();
        let shares = |selector: &str| {
            let plan = plan(&clos(2 * spines), &flows, SATURATE, selector, &[]);
            let rates = rates(&plan, &run(&plan));
            let all: f64 = rates.iter().sum();
            assert!((0.98..1.001).contains(&all), "{selector}, {spines} spines: the hot host has {all}");
            rates[local..].iter().sum::<f64>() / all
        };
        let law = spines as f64 / (local + spines) as f64;
        for selector in [LEAST_LOADED, ROUND_ROBIN] {
            let share = shares(selector);
            let place = format!("{selector}, s = {spines}, L = {local}, R = {remote}");
            assert!((share / law - 1.0).abs() < 0.03, "{place}: remote flows have {share}, law {law}");
        }
        if remote == 1 {
            let (share, fair) = (shares(HASH), 1.0 / (local + 1) as f64);
            assert!((share / fair - 1.0).abs() < 0.03, "hashed: the remote flow has {share}, law {fair}");
        }
    }
}

/// One of n parallel cables has a rate of r < 1. Equal weights carry n r; by load, n - 1 + r.
#[test]
fn a_slow_cable_slows_all_under_equal_weights_only() {
    let chain = "Chain(hosts: [4, 4], parallel: 4, host_cable: \"wire\", trunk_cable: \"wire\")";
    let wire = |speed: &str| format!("(width: X4, speed: {speed}, propagation: Delay(\"100 ns\"))");
    // QDR carries 32 Gb/s of data, EDR 97.
    let cables = format!("cables={{\"wire\": {}, \"slow\": {}}}", wire("EDR"), wire("QDR"));
    let slow = ["changed_cables={\"s1:5\": Kind(\"slow\")}", &cables];
    let flows: Vec<_> = (1..=4).map(|host| (host, host + 4)).collect();
    let carried = |selector: &str, groups: &str| {
        let routing = format!("routing=Adaptive(groups: {groups})");
        let sets = [slow[1], slow[0], &routing];
        let plan = plan(chain, &flows, SATURATE, selector, &sets);
        let switch = plan.graph().find("s1").expect("a switch");
        let of = |port| plan.nodes().port(switch, packet::PortId(port)).wire.rate().get() as f64;
        (rates(&plan, &run(&plan)).iter().sum::<f64>(), of(4) / of(5))
    };
    for groups in ["Shortest", "Parallel"] {
        let (all, r) = carried(ROUND_ROBIN, groups);
        assert!(r < 0.5 && (all / (4.0 * r) - 1.0).abs() < 0.02, "equal weights: {all}, law {}", 4.0 * r);
        let (all, r) = carried(LEAST_LOADED, groups);
        assert!((all / (3.0 + r) - 1.0).abs() < 0.02, "by load: {all}, law {}", 3.0 + r);
    }
}

/// Hosts of each leaf send to hosts of the next leaves, each to another.
fn shift(hosts: usize, by: usize) -> Vec<(usize, usize)> {
    (0..hosts).map(|host| (host + 1, (host + by) % hosts + 1)).collect()
}

/// Permutation at 0.9 of full load over a full fat tree: choices packet by packet carry all of it. A hash does not, since
/// some uplinks have two flows or more.
#[test]
fn spraying_carries_a_permutation_and_a_hash_does_not() {
    for by in [4, 13] {
        let carried = |selector: &str| {
            let plan = plan(&clos(8), &shift(32, by), "Paced(\"87 Gb/s\")", selector, &[]);
            let offered = 87e9 / plan.nodes().port(NodeId(0), packet::PortId(0)).wire.rate().get() as f64;
            rates(&plan, &run(&plan)).iter().sum::<f64>() / 32.0 / (offered * 4130.0 / 4096.0)
        };
        for selector in
            [RANDOM, ROUND_ROBIN, "RoundRobin(per: Destination)", LEAST_LOADED, "LeastLoaded(choices: Two)"]
        {
            let share = carried(selector);
            assert!((share - 1.0).abs() < 0.01, "{selector}, shift {by}: {share} of the load is carried");
        }
        let share = carried(HASH);
        assert!(share < 0.85, "a hash carries {share}");
    }
}

/// At full load least loaded is short of 1, since two leaves choose the same spine for one leaf without knowing of each
/// other; there is no closed form. In turn by input comes to 1, a hash to about 0.6.
#[test]
fn least_loaded_is_short_of_full_load() {
    let mean = |selector: &str| {
        let plan = plan(&clos(8), &shift(32, 13), SATURATE, selector, &[]);
        rates(&plan, &run(&plan)).iter().sum::<f64>() / 32.0
    };
    let (least, turns, hash) = (mean(LEAST_LOADED), mean(ROUND_ROBIN), mean(HASH));
    assert!((0.92..=1.001).contains(&least), "least loaded {least}");
    assert!((0.95..=1.001).contains(&turns), "in turn {turns}");
    assert!(hash < 0.75, "hashed {hash}");
}

/// Random permutations of hosts, each flow hashed onto a spine: max-min fair rates have a mean of 0.630 and a least of
/// 0.339 with 8 leaves of 4 hosts and 4 spines, by a Monte Carlo calculation that knows no switch. One spine for each
/// host of a leaf would give 1 and 1.
#[test]
fn hashed_permutations_have_the_rates_of_chance() {
    let trials = 60;
    let (mut means, mut least) = (0.0, 0.0);
    for seed in 1..=trials {
        let mut hosts: Vec<usize> = (1..=32).collect();
        let mut draws = event_kernel::stream(seed, "permutation", "test");
        while (1..=32).any(|host| hosts[host - 1] == host) {
            hosts.shuffle(&mut draws);
        }
        let flows: Vec<_> = (1..=32).zip(hosts).collect();
        let plan = plan(&clos(8), &flows, SATURATE, HASH, &[&format!("seed={seed}")]);
        let best = plan.best_rates(32);
        let line = best.alone(0).expect("endless flows ask for all");
        let rates = best.fair(&(0..32).collect::<Vec<_>>()).expect("rates of endless flows");
        means += rates.iter().sum::<f64>() / 32.0 / line;
        least += rates.iter().copied().fold(f64::INFINITY, f64::min) / line;
    }
    let (mean, least) = (means / trials as f64, least / trials as f64);
    // Standard errors: 0.05 and 0.06 a trial.
    assert!((mean - 0.630).abs() < 0.03, "mean rate {mean}");
    assert!((least - 0.339).abs() < 0.03, "least rate {least}");
}
