//! The use that patterns make of a fabric, against a fabric whose paths are counted by hand.
//!
//! It is that of `two_leaves`. Ports 1 to 3 of a leaf lead to its hosts, 4 and 5 to the spines. D-mod-k sends data for h1,
//! h3 and h5 over spine1 (port 4), and for h2, h4 and h6 over spine2 (port 5).

use scenario::{PatternLoad, PatternUse, Plan};

use crate::two_leaves;

fn plan(traffic: &str) -> Plan {
    two_leaves::plan(traffic, &["duration=\"1 ms\"", "adapter.max_reads=4"])
}

fn used(traffic: &str) -> (Plan, PatternUse) {
    let plan = plan(traffic);
    let used = plan.pattern_uses().remove(0);
    (plan, used)
}

/// `node:port` of an output.
fn output(plan: &Plan, node: packet::NodeId, port: packet::PortId) -> String {
    format!("{}:{}", plan.graph().name(node), port.0 + 1)
}

/// Flows that leave, cables used and shared of all, and the output with most flows.
fn reach((plan, used): &(Plan, PatternUse)) -> (usize, [usize; 3], Option<(String, usize)>) {
    let cables = used.cables;
    let most = cables.most.map(|(node, port, flows)| (output(plan, node, port), flows));
    (used.leaving, [cables.used, cables.shared, cables.all], most)
}

fn most(at: &str, flows: usize) -> Option<(String, usize)> {
    Some((at.to_owned(), flows))
}

fn busiest((plan, used): &(Plan, PatternUse)) -> (String, PatternLoad) {
    let busiest = used.busiest.expect("it posts");
    (output(plan, busiest.node, busiest.port), busiest.load)
}

#[test]
fn an_incast_within_a_rack_uses_no_cable_between_switches() {
    let found = used(r#"Incast(at: "0 s", to: "h1", senders: 2, bytes: "10 KB")"#);
    assert_eq!(reach(&found), (0, [0, 0, 4], None));
    let switches: Vec<_> = found.1.switches.iter().map(|switch| found.0.graph().name(*switch)).collect();
    assert_eq!(switches, ["leaf1"]);
    // 20 kB at 1.25 kB a microsecond.
    assert_eq!(busiest(&found), ("leaf1:1".to_owned(), PatternLoad::Time(units::Span::from_us(16))));
    let (incasts, volume) = (found.1.incasts.expect("it is one"), found.1.volume);
    assert_eq!((incasts.count, incasts.least, incasts.most), (1, 2, 2));
    assert_eq!((found.1.flows, volume.messages, volume.payload.get()), (2, 2, 20_000));
}

#[test]
fn an_incast_from_another_rack_meets_at_its_spine() {
    let found = used(r#"Incast(at: "0 s", to: "h1", senders: OtherRacks(3), bytes: "10 KB")"#);
    // leaf2 to spine1, and spine1 to leaf1.
    assert_eq!(reach(&found), (3, [2, 2, 4], most("leaf2:4", 3)));
    assert_eq!(found.1.sources.iter().map(|host| host.0).collect::<Vec<_>>(), [3, 4, 5]);
    let mixed = used(r#"Incast(at: "0 s", to: "h2", senders: 4, bytes: "10 KB")"#);
    // From h3, and over spine2 from h4, h5 and h6.
    assert_eq!(reach(&mixed), (3, [2, 2, 4], most("leaf2:5", 3)));
    assert_eq!(busiest(&mixed), ("leaf1:2".to_owned(), PatternLoad::Time(units::Span::from_us(32))));
}

/// Shift(3): h1 to h4 and so on. Over spine1 data for h1, h3 and h5, over spine2 that for h2, h4 and h6: up leaf1 port 4
/// for h5 alone, port 5 for h4 and h6, up leaf2 port 4 for h1 and h3, port 5 for h2.
#[test]
fn a_shift_to_the_other_rack_shares_two_cables_each_way() {
    let synthetic = |arrivals| {
        format!(
            r#"Synthetic(destinations: Shift(3), arrivals: {arrivals}, size: Fixed("1 KB"), stop: "500 us")"#
        )
    };
    let found = used(&synthetic("Fixed(load: 0.4)"));
    assert_eq!(reach(&found), (6, [4, 4, 4], most("leaf1:5", 2)));
    let (at, PatternLoad::Share(share)) = busiest(&found) else { panic!("{:?}", found.1) };
    // Two flows of 0.4 each; messages are evenly spaced, so the number of each flow is exact to one of 250.
    assert!(at == "leaf1:5" && (share - 0.8).abs() < 2.0 / 250.0, "{at} {share}");
    let closed = used(&synthetic("Closed(outstanding: 3)"));
    assert_eq!((closed.1.volume.messages, busiest(&closed).1), (18, PatternLoad::ByCompletions));
}

/// Loads decide how many packets go over each spine: no load there is foretold.
#[test]
fn links_that_packets_choose_by_load_have_no_expected_load() {
    let traffic = r#"Synthetic(destinations: Shift(3), arrivals: Fixed(load: 0.4), size: Fixed("1 KB"), stop: "500 us",
                     transport: Ud, operation: Send)"#;
    let found = |selector: &str| {
        let selection = format!("switch.selection={selector}");
        let plan = two_leaves::plan(traffic, &["duration=\"1 ms\"", "routing=Ecmp", &selection]);
        let used = plan.pattern_uses().remove(0);
        (busiest(&(plan, used.clone())).0, used.busiest.expect("it posts").some_by_load)
    };
    let (even, is_unknown) = found("RoundRobin");
    assert!(even.starts_with("leaf") && !is_unknown, "{even}");
    // Each host sends 0.4 of its link's rate, and all of this leaves by its only port.
    let (by_load, is_unknown) = found("LeastLoaded");
    assert!(by_load.starts_with('h') && is_unknown, "{by_load}");
}

/// With RDMA READ the data goes the other way: from h4 to h1, over spine1.
#[test]
fn the_data_of_reads_counts_not_their_requests() {
    let found = used(
        r#"Synthetic(operation: RdmaRead, senders: "h1", receivers: "h4", destinations: Uniform,
            arrivals: Poisson(load: 0.5), size: Fixed("1 KB"))"#,
    );
    assert_eq!(reach(&found), (1, [2, 0, 4], most("leaf2:4", 1)));
}

/// An incast brings 3 kB, 2.4 us of a link. At 2 % of six links there is one in 20 us.
#[test]
fn random_incasts_count_and_load_the_links_of_their_receivers() {
    let found =
        used(r#"Incast(at: "0 s", repeat: Poisson(load: 0.02), to: "*", senders: Drawn(3), bytes: "1 KB")"#);
    let incasts = found.1.incasts.expect("it makes some");
    // 1 ms / 20 us = 50, with a standard deviation of 7.1.
    assert!((15..=85).contains(&incasts.count) && (incasts.least, incasts.most) == (3, 3), "{incasts:?}");
    assert_eq!(found.1.volume.messages, 3 * incasts.count as u64);
    let (_, PatternLoad::Share(share)) = busiest(&found) else { panic!("{:?}", found.1) };
    assert!((0.01..0.08).contains(&share), "{share}");
}

#[test]
fn a_pattern_that_posts_nothing_within_the_run_has_no_load() {
    let found = used(r#"Poisson(from: "999 us", until: "999.000001 us", message: "1 KB", load: 0.001)"#);
    assert_eq!((found.1.flows, found.1.busiest), (0, None));
}
