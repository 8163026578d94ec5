//! Hot spots: the offered load, its destinations, and the traffic that they leave unchanged.

use packet::NodeId;
use settings::SettingError;
use units::{Bytes, Rate, Time};
use workload::spec::{ContributorSpec, HostsSpec, HotSpotSpec, HotSpotWindowSpec, SpacingSpec};
use workload::{Environment, Flow, PatternSpec, TrafficChange, Workload};

use crate::posted::{Posted, posted};

const RATE: Rate = Rate::gbps(8);
const HOSTS: usize = 32;

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn window(from: u64, until: u64, fraction: f64, to: &[&str]) -> HotSpotWindowSpec {
    HotSpotWindowSpec {
        from: us(from),
        until: us(until),
        fraction,
        to: to.iter().map(|&to| to.to_owned()).collect(),
    }
}

fn hot_spot(windows: Vec<HotSpotWindowSpec>) -> HotSpotSpec {
    HotSpotSpec {
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        name: None,
        group: None,
        service_level: Default::default(),
        transport: Default::default(),
        operation: Default::default(),
        from: us(0),
        until: us(8000),
        message: Bytes::kib(2),
        load: 0.8,
        arrivals: SpacingSpec::Poisson,
        contributors: ContributorSpec::All,
        windows,
    }
}

fn built(spec: &HotSpotSpec) -> Workload {
    let names: Vec<String> = (1..=HOSTS).map(|i| format!("h{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Workload::build(&[], &[PatternSpec::HotSpot(spec.clone())], &Environment::new(&names, &|_| RATE, 1))
        .expect("a good pattern")
}

/// Returns the times of all posts within a period, of the flows that `wanted` selects.
fn posts(flows: &[Posted], from: Time, until: Time, wanted: impl Fn(&Flow) -> bool) -> Vec<Time> {
    let wanted = flows.iter().filter(|flow| wanted(flow));
    let all = wanted.flat_map(|flow| &flow.posts).map(|post| post.at);
    let mut all: Vec<_> = all.filter(|at| (from..until).contains(at)).collect();
    all.sort_unstable();
    all
}

/// Returns the expected number of messages of 2 KiB in a time at a load.
fn expected(load: f64, us: f64) -> f64 {
    load * RATE.get() as f64 * us * 1e-6 / 8.0 / 2048.0
}

/// Asserts that a Poisson or binomial count is within five standard deviations of its mean. A right count fails once
/// in two million cases.
fn assert_near(count: usize, mean: f64) {
    assert!((count as f64 - mean).abs() < 5.0 * mean.sqrt() + 1.0, "{count} where {mean:.1} are expected");
}

#[test]
fn the_offered_load_is_as_requested_before_within_and_after() {
    for arrivals in [SpacingSpec::Poisson, SpacingSpec::Fixed] {
        let spec = HotSpotSpec { arrivals, ..hot_spot(vec![window(2000, 6000, 0.09, &["h32"])]) };
        let flows = posted(&built(&spec));
        for (from, until) in [(0, 2000), (2000, 6000), (6000, 8000)] {
            let length = (until - from) as f64;
            for host in 0..HOSTS as u32 {
                let count = posts(&flows, us(from), us(until), |flow| flow.source == NodeId(host)).len();
                match arrivals {
                    SpacingSpec::Poisson => assert_near(count, expected(0.8, length)),
                    SpacingSpec::Fixed => assert!((count as f64 - expected(0.8, length)).abs() <= 1.0),
                }
            }
        }
    }
}

#[test]
fn a_window_moves_its_share_to_its_target() {
    let flows = posted(&built(&hot_spot(vec![window(2000, 6000, 0.09, &["h32"])])));
    let to_hot =
        |from, until| posts(&flows, us(from), us(until), |flow| flow.destination == NodeId(31)).len();
    // Pfister and Norton: 31 sources move 9 %, and their other traffic is uniform over 31 hosts.
    assert_near(to_hot(2000, 6000), expected(0.8, 4000.0) * (31.0 * 0.09 + 0.91));
    assert_near(to_hot(0, 2000), expected(0.8, 2000.0));
    assert_near(to_hot(6000, 8000), expected(0.8, 2000.0));
    // The traffic of the target itself is unchanged.
    let own = posts(&flows, us(2000), us(6000), |flow| flow.source == NodeId(31)).len();
    assert_near(own, expected(0.8, 4000.0));
}

#[test]
fn a_window_changes_nothing_else() {
    let with = posted(&built(&hot_spot(vec![window(2000, 6000, 0.5, &["h32"])])));
    let without = posted(&built(&hot_spot(vec![])));
    for source in (0..HOSTS as u32).map(NodeId) {
        let all = |flows: &[Posted]| posts(flows, us(0), us(8000), |flow| flow.source == source);
        assert_eq!(all(&with), all(&without), "times of arrival of {source:?}");
        for target in (0..HOSTS as u32 - 1).map(NodeId) {
            let between = |flow: &Flow| flow.source == source && flow.destination == target;
            for (from, until) in [(0, 2000), (6000, 8000)] {
                let in_time = |flows: &[Posted]| posts(flows, us(from), us(until), between);
                assert_eq!(in_time(&with), in_time(&without));
            }
            let within = |flows: &[Posted]| posts(flows, us(2000), us(6000), between);
            let (some, all) = (within(&with), within(&without));
            assert!(some.iter().all(|at| all.contains(at)), "the remaining messages keep their destination");
        }
    }
}

#[test]
fn several_targets_share_and_windows_move() {
    let windows = vec![window(1000, 3000, 0.4, &["h1", "h2"]), window(3000, 5000, 1.0, &["h3"])];
    let spec = HotSpotSpec { contributors: ContributorSpec::First(3), ..hot_spot(windows) };
    let flows = posted(&built(&spec));
    let count = |source: u32, to: u32, from, until| {
        let between = |flow: &Flow| flow.source == NodeId(source) && flow.destination == NodeId(to);
        posts(&flows, us(from), us(until), between).len()
    };
    let each = expected(0.8, 2000.0);
    // The contributors are the first three hosts that are no targets: h3, h4 and h5; then h1, h2 and h4.
    for source in [2, 3, 4] {
        assert_near(count(source, 0, 1000, 3000), each * (0.2 + 0.6 / 31.0));
        assert_near(count(source, 1, 1000, 3000), each * (0.2 + 0.6 / 31.0));
    }
    assert_near(count(5, 0, 1000, 3000), each / 31.0);
    for source in [0, 1, 3] {
        assert_near(count(source, 2, 3000, 5000), each);
        assert_eq!(count(source, 5, 3000, 5000), 0);
    }
    let names: Vec<String> = (1..=HOSTS).map(|i| format!("h{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(spec.degree(&names), 3);
    let all = HotSpotSpec { contributors: ContributorSpec::All, ..spec };
    assert_eq!(all.degree(&names), 32);
}

/// Four hosts send to eight others, and redirect half of their load to a target that is none of these.
#[test]
fn some_hosts_send_to_some_others() {
    let hosts = |names: &str| HostsSpec::One(names.to_owned());
    let spec = HotSpotSpec {
        senders: hosts("h1..h4"),
        receivers: hosts("h3..h10"),
        ..hot_spot(vec![window(2000, 6000, 0.5, &["h32"])])
    };
    let flows = posted(&built(&spec));
    let count = |source: u32, to: u32, from, until| {
        let between = |flow: &Flow| flow.source == NodeId(source) && flow.destination == NodeId(to);
        posts(&flows, us(from), us(until), between).len()
    };
    for source in 0..HOSTS as u32 {
        for to in 0..HOSTS as u32 {
            let sends = source < 4 && source != to;
            // h3 and h4 have seven receivers besides themselves, h1 and h2 eight.
            let receivers = if source < 2 { 8.0 } else { 7.0 };
            let each = if sends && (2..10).contains(&to) { 1.0 / receivers } else { 0.0 };
            let hot = if sends && to == 31 { 0.5 } else { 0.0 };
            assert_near(count(source, to, 0, 2000), expected(0.8, 2000.0) * each);
            assert_near(count(source, to, 2000, 6000), expected(0.8, 4000.0) * (hot + each / 2.0));
        }
    }
    let names: Vec<String> = (1..=HOSTS).map(|i| format!("h{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(spec.degree(&names), 4);
    let first = HotSpotSpec { contributors: ContributorSpec::First(2), senders: hosts("h3*"), ..spec };
    assert_eq!(first.degree(&names), 2);
    // h3 and h30 are the first two senders; h32 is the target.
    let flows = posted(&built(&first));
    let to_hot = posts(&flows, us(0), us(8000), |flow| flow.destination == NodeId(31));
    assert_near(to_hot.len(), expected(0.8, 4000.0));
}

#[test]
fn hot_spots_are_declared_changes() {
    let windows = vec![window(1000, 3000, 0.4, &["h1", "h2"]), window(3000, 5000, 1.0, &["h3"])];
    let expected = [
        (1000, "hot spots at 2 hosts start"),
        (3000, "hot spots at 2 hosts stop; hot spot at h3 starts"),
        (5000, "hot spot at h3 stops"),
    ];
    let expected = expected.map(|(at, what)| TrafficChange { at: us(at), what: what.to_owned() });
    assert_eq!(built(&hot_spot(windows)).changes(), expected);
}

#[test]
fn faults_are_named() {
    let names = ["h1", "h2", "h3"];
    let fault = |spec: HotSpotSpec| {
        let error =
            Workload::build(&[], &[PatternSpec::HotSpot(spec)], &Environment::new(&names, &|_| RATE, 1))
                .unwrap_err();
        format!("{}: {error}: {}", error.path(), error.help().expect("advice"))
    };
    let good = || hot_spot(vec![window(1, 2, 0.1, &["h1"])]);
    let with = |window: HotSpotWindowSpec| fault(hot_spot(vec![window]));
    let all = [
        fault(HotSpotSpec { load: 1.5, ..good() }),
        fault(HotSpotSpec { until: us(0), ..good() }),
        fault(HotSpotSpec { contributors: ContributorSpec::First(3), ..good() }),
        fault(HotSpotSpec {
            contributors: ContributorSpec::Named(HostsSpec::One("g*".to_owned())),
            ..good()
        }),
        fault(HotSpotSpec {
            senders: HostsSpec::One("h2".to_owned()),
            contributors: ContributorSpec::Named(HostsSpec::One("h3".to_owned())),
            ..good()
        }),
        fault(HotSpotSpec { receivers: HostsSpec::One("h2".to_owned()), ..good() }),
        with(window(2, 2, 0.1, &["h1"])),
        with(window(1, 2, 0.0, &["h1"])),
        with(window(1, 2, 0.1, &[])),
        with(window(1, 2, 0.1, &["h1", "h1"])),
        with(window(1, 2, 0.1, &["h9"])),
        fault(hot_spot(vec![window(1, 3, 0.1, &["h1"]), window(2, 4, 0.1, &["h1"])])),
    ];
    insta::assert_snapshot!(all.join("\n"));
}
