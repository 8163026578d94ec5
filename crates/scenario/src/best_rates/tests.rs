//! Tests of best rates, against rates by hand.

use super::*;
use crate::{Scenario, ScenarioText};

fn plan(scenario: &str, sets: &[&str]) -> Plan {
    let mut source = ScenarioText::find(scenario).unwrap();
    for set in sets {
        source.set(set).unwrap();
    }
    Scenario::read(&source).unwrap().check(&source).unwrap()
}

/// A flow between groups of a dragonfly may take detours, and has no rate alone; one within a group does not.
#[test]
fn flows_that_may_take_detours_have_no_rate_alone() {
    let flow = |name: &str, to: &str| {
        format!(
            "(name: \"{name}\", from: \"h1\", to: \"{to}\", start: \"0 s\", message: \"64 KiB\", \
             load: Saturate(outstanding: 4))"
        )
    };
    let flows = format!("flows=[{}, {}]", flow("near", "h3"), flow("far", "h9"));
    let rates = |routing: &str, lanes: &str| {
        let dragonfly = "topology=Dragonfly(routers: 4, hosts: 2, global: 2, host_cable: \"host\", \
                         local_cable: \"trunk\", global_cable: \"trunk\")";
        plan("paths-parking-lot", &[dragonfly, routing, lanes, &flows]).rates_alone()
    };
    let minimal = rates("routing=Native", "link.data_lanes=2");
    assert!(minimal.iter().all(Option::is_some), "{minimal:?}");
    for (routing, lanes) in [("Valiant", 4), ("Ugal", 4), ("Par", 5)] {
        let own = rates(&format!("routing={routing}"), &format!("link.data_lanes={lanes}"));
        assert_eq!(own, [minimal[0], None], "{routing}");
    }
}

/// Flows of listed and drawn messages have no rate alone; the others have that of the best rates.
#[test]
fn rates_alone_are_those_of_the_best_rates() {
    for (scenario, known) in [("victim", 3), ("gran2011-scenario1", 5), ("roce400-leaf-spine", 1)] {
        let plan = plan(scenario, &[]);
        let (best, rates) = (plan.best_rates(plan.workload().flows.len()), plan.rates_alone());
        assert_eq!(rates, (0..rates.len()).map(|flow| best.alone(flow)).collect::<Vec<_>>());
        assert!(rates.iter().flatten().count() >= known, "{scenario}: {rates:?}");
    }
}

/// Rates of `victim`'s links by hand: 16 Gb/s for 2,048 bytes of payload in packets of about 2,074.
#[test]
fn fair_rates_share_the_narrowest_link_and_leave_the_rest_alone() {
    let best = plan("victim", &[]).best_rates(3);
    let alone = best.alone(0).unwrap();
    assert!((15.7e9..16e9).contains(&alone), "{alone}");
    let fair = best.fair(&[0, 1, 2]).unwrap();
    assert!((fair[1] - alone / 2.0).abs() < 1e3 && (fair[2] - alone / 2.0).abs() < 1e3, "{fair:?}");
    // The trunk of `victim` and `far` is twice as fast as a host's link, or the victim has what is left of it.
    assert!(fair[0] > alone * 0.99, "{fair:?}");
    assert_eq!(best.fair(&[0]).unwrap(), [alone]);
}

#[test]
fn paced_flows_ask_for_their_rate_and_listed_ones_for_an_unknown_one() {
    let flow = |load: &str| {
        format!(
            "flows=[(name: \"F\", from: \"H1\", to: \"H2\", start: \"0 s\", message: \"4 KiB\", load: {load})]"
        )
    };
    let best = |load: &str| plan("one-flow", &[&flow(load)]).best_rates(1);
    assert_eq!(best("Paced(\"1 Gb/s\")").alone(0), Some(1e9));
    assert_eq!(best("Messages(3)").alone(0), None);
    assert_eq!(best("Messages(3)").fair(&[0]), None);
    let (one, many) = (best("Saturate(outstanding: 1)"), best("Saturate(outstanding: 64)"));
    assert!(one.alone(0).unwrap() < 0.9 * many.alone(0).unwrap(), "a message at a time leaves gaps");
}

#[test]
fn a_slow_host_limits_its_flows() {
    let best = plan("victim", &["adapters={\"H4\": (drain_limit: \"1 Gb/s\")}"]).best_rates(3);
    assert_eq!(best.alone(0), Some(1e9));
    let (part, load) = best.busiest(0, &[(0, 0.99e9)], 1.0).unwrap();
    assert!(matches!(part, PathPart::Drain(_)) && load == 0.99, "{part:?} {load}");
}

/// Four paths from h5 to h1, each of them by another spine. One of the spines has a slow cable.
#[test]
fn a_cable_that_packets_can_avoid_bounds_no_fair_rate() {
    let best = |slow: &str, sets: &[&str]| {
        let cables = format!(
            "cables={{\"host\": (rate: \"100 Gb/s\", propagation: Cable(\"3 m\")), \
             \"trunk\": (rate: \"100 Gb/s\", propagation: Cable(\"20 m\")), \
             \"slow\": (rate: \"{slow}\", propagation: Cable(\"20 m\"))}}"
        );
        let tree = [
            "topology=FatTree(down: [4, 2], up: [4], host_cable: \"host\", trunk_cable: \"trunk\")",
            "changed_cables={\"spine1:leaf1\": Kind(\"slow\")}",
            "traffic=[]",
            "flows=[(name: \"a\", from: \"h5\", to: \"h1\", start: \"0 s\", message: \"64 KiB\", \
             load: Saturate(outstanding: 8))]",
            &cables,
        ];
        plan("paths-incast", &[&tree[..], sets].concat()).best_rates(1)
    };
    let slow = "5 Gb/s";
    let even = best(slow, &["switch.selection=RoundRobin"]);
    let fair = even.fair(&[0]).expect("a quarter of the packets takes the slow cable")[0];
    assert!((19e9..20e9).contains(&fair), "{fair}");
    assert_eq!(even.loads(0, &[(0, fair)]).len(), 10);
    for by_load in [
        "switch.selection=LeastLoaded",
        "switch.selection=Flowlet",
        "adapter.entropy=Reps",
        "adapter.entropy=Bitmap",
    ] {
        let some = best(slow, &[by_load]);
        assert_eq!(some.fair(&[0]), None, "{by_load}");
        assert!(some.alone(0).expect("it asks for all") > 90e9, "{by_load}");
        // Two links alone are on every path.
        let loads = some.loads(0, &[(0, 50e9)]);
        assert_eq!(loads.len(), 2, "{by_load}: {loads:?}");
        assert_eq!(some.busiest(0, &[(0, 50e9)], 0.95), None, "{by_load}");
        assert!(some.busiest(0, &[(0, 97e9)], 0.95).is_some(), "{by_load}: its own link is full");
        // Behind equal cables the links of its hosts are the limit, however packets are spread.
        let equal = best("100 Gb/s", &[by_load]);
        assert_eq!(equal.fair(&[0]), equal.alone(0).map(|alone| vec![alone]), "{by_load}");
    }
}
