//! The cases of `bench`: shipped scenarios with overrides, and every shipped scenario by its own name.
//!
//! Invariant: no two names are the same, so `--case` has a single meaning.
//!
//! | cases | question |
//! |---|---|
//! | `flow2` to `light32` | small fabrics, as in lessons, papers and sweeps: few events in a window of the event list |
//! | `gran7-samples` | a sample every microsecond |
//! | `a32` and its organisations | the same traffic for every buffer organisation |
//! | `b128` to `f11664` | fabrics of growing size, and the set-up of the largest |
//! | `c648-hashed`, `c648-adaptive` | the same packets over hashed and over least loaded ports |
//! | `g1024-all` | a million flows |
//! | `ring648`, `ring11664` | the beginning of an all-reduce by a ring, a packet each message |
//! | `roce-` | RoCEv2 with DCQCN; from `roce-a32` on with an acknowledgement for each packet |

use clap::builder::PossibleValue;
use scenario::shipped;

/// A shipped scenario with overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BenchCase {
    pub(super) name: &'static str,
    pub(super) scenario: &'static str,
    pub(super) sets: &'static [&'static str],
}

/// The cases, smallest fabric first, InfiniBand before RoCEv2.
const CASES: &[BenchCase] = &[
    case("flow2", "one-flow", &["duration=\"200 ms\"", "sample=\"1 ms\""]),
    case("gran7", "gran2011-scenario1", &[]),
    case("gran7-samples", "gran2011-scenario1", &GRAN7_SAMPLES),
    case("light32", "bench-a32", &LIGHT32),
    case("a32", "bench-a32", &[]),
    case("a32-fifo", "bench-a32", &["switch.buffering=InputFifo"]),
    case("a32-output", "bench-a32", &["switch.buffering=Output"]),
    case("a32-central", "bench-a32", &["switch.buffering=Central", "switch.sharing=Static"]),
    case("a32-combined", "bench-a32", &["switch.buffering=CombinedInputOutput"]),
    case("b128", "bench-b128", &[]),
    case("c648", "bench-b128", &["topology.radix=36", "traffic[0].bytes=\"4 MiB\"", "duration=\"2 ms\""]),
    case("c648-hashed", "bench-b128", &[SINGLE_PACKETS, "switch.selection=Hash", RADIX36, ADAPTIVE, SHORT]),
    case("c648-adaptive", "bench-b128", &[SINGLE_PACKETS, RADIX36, ADAPTIVE, SHORT]),
    case("d1024", "bench-b128", &[D1024, "traffic[0].bytes=\"2 MiB\"", "duration=\"1 ms\""]),
    case("e3456", "bench-b128", &[E3456, "traffic[0].bytes=\"1 MiB\"", "duration=\"500 us\""]),
    case("f11664", "bench-b128", &[F11664, "traffic[0].bytes=\"512 KiB\"", "duration=\"200 us\""]),
    case("f11664-setup", "bench-b128", &[F11664, "duration=\"1 us\"", "sample=\"1 us\""]),
    case("g1024-all", "bench-b128", &[D1024, ALL_TO_ALL, "duration=\"100 us\""]),
    case(
        "ring648",
        "bench-b128",
        &[
            RADIX36,
            NONE,
            "duration=\"1 ms\"",
            "jobs=[Job(name: \"A\", program: AllReduce(bytes: \"2592 KiB\"))]",
        ],
    ),
    case(
        "ring11664",
        "bench-b128",
        &[
            F11664,
            NONE,
            "duration=\"100 us\"",
            "jobs=[Job(name: \"A\", program: AllReduce(bytes: \"46656 KiB\"))]",
        ],
    ),
    case("roce-flow2", "one-flow", &ROCE_FLOW2),
    case("roce-gran7", "gran2011-scenario1-roce", &[]),
    case("roce-light32", "bench-a32-roce", &LIGHT32),
    case("roce-a32", "bench-a32-roce", &[]),
    case("roce-b128", "bench-b128-roce", &[]),
    case("roce-c648", "bench-b128-roce", &ROCE_C648),
    case("roce-d1024", "bench-b128-roce", &[D1024, "traffic[0].bytes=\"2 MiB\"", "duration=\"8 ms\""]),
];

/// A tenth of the time, and a sample every microsecond instead of every millisecond.
const GRAN7_SAMPLES: [&str; 6] = [
    "flows.F2.start=\"10 ms\"",
    "flows.F3.start=\"20 ms\"",
    "flows.F4.start=\"30 ms\"",
    "flows.F5.start=\"40 ms\"",
    "duration=\"50 ms\"",
    "sample=\"1 us\"",
];

/// Little traffic over short cables: a window is short and has few of the fabric's events.
const LIGHT32: [&str; 3] = [
    "traffic=[Poisson(from: \"0 s\", until: \"20 ms\", message: \"64 KiB\", load: 0.1)]",
    "cables.wire.propagation=Cable(\"2 m\")",
    "duration=\"20 ms\"",
];

/// The two hosts of `one-flow` over Ethernet with PFC and DCQCN.
const ROCE_FLOW2: [&str; 5] = [
    "link=(framing: RoCEv2, mtu: \"1 KiB\", data_lanes: 1, flow_control: Pause(resume_offset: \"2 KiB\", reaction: \"700 ns\"))",
    "cables.host=(rate: \"40 Gb/s\", propagation: Cable(\"2 m\"))",
    "congestion_control=Dcqcn()",
    "duration=\"200 ms\"",
    "sample=\"1 ms\"",
];

const ROCE_C648: [&str; 3] = ["topology.radix=36", "traffic[0].bytes=\"4 MiB\"", "duration=\"10 ms\""];

/// Packets that may overtake each other, at 0.8 of each host's link.
const SINGLE_PACKETS: &str = "traffic=[Synthetic(transport: Ud, operation: Send, destinations: Permutation, \
                              arrivals: Fixed(load: 0.8), size: Fixed(\"4 KiB\"), stop: \"500 us\")]";
const RADIX36: &str = "topology.radix=36";
const ADAPTIVE: &str = "routing=Adaptive";
const SHORT: &str = "duration=\"500 us\"";

/// Traffic from each of 1,024 hosts to each other, on 1,047,552 connections, all messages posted at the start.
const ALL_TO_ALL: &str =
    "traffic=[Synthetic(destinations: AllToAll, arrivals: AtOnce, size: Fixed(\"4 KiB\"), messages: 1023)]";

const NONE: &str = "traffic=[]";

/// Fat tree of three tiers of switches with 16 ports.
const D1024: &str =
    "topology=FatTree(down: [8, 8, 16], up: [8, 8], host_cable: \"wire\", trunk_cable: \"wire\")";
/// The same with 24 ports.
const E3456: &str =
    "topology=FatTree(down: [12, 12, 24], up: [12, 12], host_cable: \"wire\", trunk_cable: \"wire\")";
/// The same with 36 ports.
const F11664: &str =
    "topology=FatTree(down: [18, 18, 36], up: [18, 18], host_cable: \"wire\", trunk_cable: \"wire\")";

/// Stands for all shipped scenarios on the command line.
pub(super) const SHIPPED: &str = "shipped";

/// Scenario that is not run as it ships, since it would take longer than all others together.
const SHORTENED: BenchCase = case("dcs648", "dcs648", &DCS648);

/// A twentieth of the time, with the hot spots at a twentieth of their times.
const DCS648: [&str; 7] = [
    "traffic[4].at=\"1.25 ms\"",
    "traffic[5].at=\"5 ms\"",
    "traffic[6].at=\"8.75 ms\"",
    "traffic[7].at=\"12.5 ms\"",
    "traffic[8].at=\"16.25 ms\"",
    "traffic[9].at=\"20 ms\"",
    "duration=\"25 ms\"",
];

/// Tells which scenario is shortened, and how.
pub(super) const SHORTENED_NOTE: &str =
    "dcs648 is shortened to 25 of its 500 ms, its hot spots to a twentieth of their times";

const fn case(name: &'static str, scenario: &'static str, sets: &'static [&'static str]) -> BenchCase {
    BenchCase { name, scenario, sets }
}

/// Returns the cases that have a name of their own.
pub(super) fn cases() -> impl Iterator<Item = BenchCase> {
    CASES.iter().copied()
}

/// Returns a case for each shipped scenario, with the scenario's name.
pub(super) fn shipped_cases() -> impl Iterator<Item = BenchCase> {
    let as_it_ships = |name| if name == SHORTENED.name { SHORTENED } else { case(name, name, &[]) };
    shipped().iter().map(move |scenario| as_it_ships(scenario.name))
}

/// Returns the case of either kind with this name.
pub(super) fn find(name: &str) -> Option<BenchCase> {
    cases().chain(shipped_cases()).find(|case| case.name == name)
}

/// Returns the cases that these names ask for, and true if all shipped scenarios are asked for. No names ask for
/// everything.
pub(super) fn asked(names: &[String]) -> (Vec<BenchCase>, bool) {
    if names.is_empty() {
        return (cases().collect(), true);
    }
    let named = cases().chain(shipped_cases()).filter(|case| names.iter().any(|name| name == case.name));
    (named.collect(), names.iter().any(|name| name == SHIPPED))
}

/// Returns the names that stand for a case on the command line. Those of shipped scenarios, which `backwater list` has,
/// are not listed in its help.
pub(super) fn names() -> impl Iterator<Item = PossibleValue> {
    let own = cases().map(|case| PossibleValue::new(case.name));
    own.chain(shipped_cases().map(|case| PossibleValue::new(case.name).hide(true)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_case_has_a_plan_and_a_name_of_its_own() {
        let mut names = BTreeSet::from([SHIPPED]);
        for case in cases().chain(shipped_cases()) {
            assert!(experiment::plan(case.scenario, &sets(case), None).is_ok(), "{}", case.name);
            assert!(names.insert(case.name), "{} twice", case.name);
            assert_eq!(find(case.name), Some(case));
        }
    }

    #[test]
    fn names_choose_cases_scenarios_or_all_scenarios() {
        let chosen = |names: &[&str]| {
            let (cases, all) = asked(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            (cases.iter().map(|case| case.name).collect::<Vec<_>>(), all)
        };
        assert_eq!(chosen(&[]), (cases().map(|case| case.name).collect(), true));
        assert_eq!(chosen(&["victim", "gran7", "one-flow"]), (vec!["gran7", "one-flow", "victim"], false));
        assert_eq!(chosen(&["shipped", "a32"]), (vec!["a32"], true));
    }

    #[test]
    fn small_fabrics_of_both_kinds_are_there() {
        for (name, hosts, kind) in [
            ("flow2", 2, "Credits("),
            ("gran7", 7, "Credits("),
            ("light32", 32, "Credits("),
            ("roce-flow2", 2, "RoCEv2"),
            ("roce-gran7", 7, "RoCEv2"),
            ("roce-light32", 32, "RoCEv2"),
        ] {
            let case = find(name).unwrap();
            let plan = experiment::plan(case.scenario, &sets(case), None).unwrap();
            assert_eq!(plan.graph().hosts(), hosts, "{name}");
            assert!(plan.resolved().contains(kind), "{name}");
        }
    }

    fn sets(case: BenchCase) -> Vec<String> {
        case.sets.iter().map(|set| (*set).to_owned()).collect()
    }
}
