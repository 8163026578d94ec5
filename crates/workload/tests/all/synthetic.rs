//! Synthetic traffic: the offered load and its destinations.

use std::collections::{BTreeMap, BTreeSet};

use packet::NodeId;
use settings::SettingError;
use units::{Bytes, Rate, Span, Time};
use workload::error::{FileError, FlowError, PatternError, SyntheticError};
use workload::spec::{
    ArrivalSpec, BitPermutation, DestinationSpec, FlowListSpec, HostsSpec, SizeSpec, SyntheticSpec,
};
use workload::{Environment, ListedMessage, PatternSpec, Post, Workload, WorkloadErrorKind as Kind};

use crate::posted::{Posted, is_of, posted};

const RATE: Rate = Rate::gbps(54);
const CDF: &str = "0 0\n1000 20\n10000 60\n100000 100\n";

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn synthetic(destinations: DestinationSpec, arrivals: ArrivalSpec, size: SizeSpec) -> SyntheticSpec {
    SyntheticSpec {
        name: None,
        group: None,
        transport: Default::default(),
        operation: Default::default(),
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        destinations,
        arrivals,
        size,
        start: us(0),
        stop: None,
        messages: None,
        service_level: Default::default(),
    }
}

fn build(pattern: PatternSpec, hosts: usize, end: Time, seed: u64) -> Result<Workload, (String, Kind)> {
    let names: Vec<String> = (0..hosts).map(|i| format!("h{i}")).collect();
    let hosts: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = BTreeMap::from([
        text("sizes.txt", CDF),
        text("flow.txt", "3\n2 0 3 100 5000 2.00002\n0 2 0 100 700 2.00001\n0 2 3 100 200000 2\n"),
        text("bad.txt", "0 0\n1000 50\n"),
    ]);
    let environment = Environment::new(&hosts, &|_| RATE, seed).ending(end).with_files(&files);
    Workload::build(&[], &[pattern], &environment)
        .map_err(|error| (error.path().to_string(), error.kind().clone()))
}

fn built(spec: SyntheticSpec, hosts: usize, end: Time, seed: u64) -> Workload {
    build(PatternSpec::Synthetic(spec), hosts, end, seed).expect("good traffic")
}

#[track_caller]
fn fails(spec: SyntheticSpec, hosts: usize, path: &str, kind: impl Into<Kind>) {
    let found = build(PatternSpec::Synthetic(spec), hosts, us(1000), 1);
    assert_eq!(found, Err((path.to_owned(), kind.into())));
}

fn posts(flow: &Posted) -> &[ListedMessage] {
    &flow.posts
}

const FIXED: SizeSpec = SizeSpec::Fixed(Bytes::kib(4));

fn uniform_size() -> SizeSpec {
    SizeSpec::Uniform { least: Bytes::new(100), most: Bytes::new(20_000) }
}

/// Returns mean and variance of sizes, from their definitions: of whole numbers from a to b, ((b - a + 1)^2 - 1) / 12;
/// of a linear part of a distribution from a to b, a mean square of (a^2 + ab + b^2) / 3.
fn sizes() -> [(SizeSpec, f64, f64); 3] {
    let parts = [(0.2, 0.0, 1e3), (0.4, 1e3, 1e4), (0.4, 1e4, 1e5)];
    let mean: f64 = parts.iter().map(|(p, a, b)| p * (a + b) / 2.0).sum();
    let square: f64 = parts.iter().map(|(p, a, b)| p * (a * a + a * b + b * b) / 3.0).sum();
    [
        (FIXED, 4096.0, 0.0),
        (uniform_size(), 10_050.0, (19_901f64.powi(2) - 1.0) / 12.0),
        (SizeSpec::Cdf("sizes.txt".to_owned()), mean, square - mean * mean),
    ]
}

/// The payload posted, over the payload that the links carry, is the offered load, for each arrival and each size.
/// The sum of n sizes has the variance E[n] Var(s) + Var(n) E[s]^2. The variance of n is at most a quarter for each
/// host with evenly spaced messages (phases are drawn), and the mean for Poisson arrivals. For times on and off, it
/// is the variance of the time on, 2 (on off)^2 / (on + off)^3 T, over the square of the interval while on, and that
/// quarter. The bound is five deviations: a right pattern fails once in 1.7 million.
#[test]
fn the_offered_load_is_as_requested() {
    let (hosts, total) = (8, us(200_000));
    let t = total.ps() as f64 * 1e-12;
    let carried = RATE.get() as f64 / 8.0 * t;
    let (on, off) = (Span::from_us(30), Span::from_us(50));
    for (seed, load) in [(1, 0.05), (2, 0.3)] {
        for (size, mean, variance) in sizes() {
            for arrivals in [
                ArrivalSpec::Fixed { load },
                ArrivalSpec::Poisson { load },
                ArrivalSpec::OnOff { load, on, off },
            ] {
                let spec = synthetic(DestinationSpec::Uniform, arrivals, size.clone());
                let workload = built(spec, hosts, total, seed);
                let sum: u64 = posted(&workload).iter().flat_map(posts).map(|post| post.bytes.get()).sum();
                let n = load * carried / mean;
                let of_count = match arrivals {
                    ArrivalSpec::Poisson { .. } => n,
                    ArrivalSpec::OnOff { .. } => {
                        let (on, off) = (on.ps() as f64 * 1e-12, off.ps() as f64 * 1e-12);
                        let gap = t / n * on / (on + off);
                        2.0 * (on * off).powi(2) / (on + off).powi(3) * t / (gap * gap) + 0.25
                    }
                    _ => 0.25,
                };
                let deviation = (hosts as f64 * (n * variance + of_count * mean * mean)).sqrt();
                let expected = hosts as f64 * load * carried;
                let off_by = (sum as f64 - expected) / deviation;
                println!("{arrivals:?} {size:?}: {:.5}, {off_by:.2} deviations", sum as f64 / carried / 8.0);
                assert!(off_by.abs() < 5.0, "{arrivals:?}, {size:?}: {sum} B for {expected}");
                // The bound means something: it would notice a load that is off by a tenth.
                assert!(
                    deviation * 5.0 < 0.1 * expected,
                    "{arrivals:?}, {size:?}: {deviation} of {expected}"
                );
            }
        }
    }
}

/// While it is on, a source offers its load times (on + off) / on: never more than its link carries.
#[test]
fn a_source_that_is_on_is_evenly_spaced() {
    let (on, off) = (Span::from_us(100), Span::from_us(300));
    let spec = synthetic(DestinationSpec::Shift(1), ArrivalSpec::OnOff { load: 0.25, on, off }, FIXED);
    let workload = built(spec, 2, us(100_000), 3);
    // 4 KiB at 54 Gb/s take 606,814.8 ps.
    for flow in &posted(&workload) {
        let gaps: Vec<u64> = posts(flow).windows(2).map(|pair| (pair[1].at - pair[0].at).ps()).collect();
        assert!(gaps.iter().all(|gap| *gap >= 606_813), "{:?}", gaps.iter().min());
        let even = gaps.iter().filter(|gap| **gap <= 606_816).count() as f64 / gaps.len() as f64;
        assert!(even > 0.98, "{even} of the gaps are within a time on");
    }
}

#[test]
fn fixed_arrivals_do_not_drift() {
    let spec = synthetic(DestinationSpec::Shift(1), ArrivalSpec::Fixed { load: 0.1 }, FIXED);
    let workload = built(spec, 3, us(50_000), 3);
    for flow in &posted(&workload) {
        let first = posts(flow)[0].at.ps();
        for (k, post) in (0u64..).zip(posts(flow)) {
            // Message k comes k times 4,096 x 8 bits over 5.4 Gb/s later, to the nearest picosecond twice over.
            let exact = (k * 4096 * 8 * 10_000).div_ceil(54);
            assert!((post.at.ps() - first).abs_diff(exact) <= 2, "message {k}");
        }
    }
}

#[test]
fn destinations_are_those_of_the_rule() {
    let to = |destinations, hosts| -> Vec<(u32, u32)> {
        let once = SyntheticSpec { messages: Some(1), ..synthetic(destinations, ArrivalSpec::AtOnce, FIXED) };
        let flows = built(once, hosts, us(10), 1).flows;
        flows.iter().map(|flow| (flow.source.0, flow.destination.0)).collect()
    };
    assert_eq!(to(DestinationSpec::Shift(2), 5), [(0, 2), (1, 3), (2, 4), (3, 0), (4, 1)]);
    assert_eq!(to(DestinationSpec::Bits(BitPermutation::Complement), 4), [(0, 3), (1, 2), (2, 1), (3, 0)]);
    assert_eq!(to(DestinationSpec::Bits(BitPermutation::Reverse), 8), [(1, 4), (3, 6), (4, 1), (6, 3)]);
    assert_eq!(to(DestinationSpec::Bits(BitPermutation::Transpose), 4), [(1, 2), (2, 1)]);
    let mut receivers: Vec<u32> = to(DestinationSpec::Permutation, 9).iter().map(|pair| pair.1).collect();
    receivers.sort_unstable();
    assert_eq!(receivers, (0..9).collect::<Vec<_>>());
}

/// Chi-squared with 55 degrees of freedom (56 pairs, one total) exceeds 114 once in 200,000.
#[test]
fn uniform_destinations_are_uniform() {
    let spec = synthetic(DestinationSpec::Uniform, ArrivalSpec::Poisson { load: 0.5 }, FIXED);
    let flows = posted(&built(spec, 8, us(20_000), 5));
    let counts: Vec<f64> = flows.iter().map(|flow| posts(flow).len() as f64).collect();
    let mean = counts.iter().sum::<f64>() / 56.0;
    let chi_squared: f64 = counts.iter().map(|n| (n - mean).powi(2) / mean).sum();
    assert!(counts.len() == 56 && chi_squared < 114.0, "{chi_squared}");
}

#[test]
fn an_exchange_of_all_to_all_is_one_message_each() {
    let all = synthetic(DestinationSpec::AllToAll, ArrivalSpec::AtOnce, FIXED);
    let at_once = built(SyntheticSpec { messages: Some(5), ..all.clone() }, 6, us(10), 1);
    assert_eq!(at_once.flows.len(), 30);
    let pairs: BTreeSet<_> = at_once.flows.iter().map(|flow| (flow.source, flow.destination)).collect();
    assert_eq!(pairs.len(), 30);
    assert!(
        posted(&at_once)
            .iter()
            .all(|flow| posts(flow) == [ListedMessage { at: us(0), bytes: Bytes::kib(4) }])
    );
    // In stages: a message is posted, and the completion of each is followed by the message to the next host.
    let staged = SyntheticSpec { arrivals: ArrivalSpec::Closed { outstanding: 1 }, messages: Some(5), ..all };
    let mut staged = built(staged, 6, us(10), 1);
    let of_2: Vec<_> = posted(&staged).into_iter().filter(|flow| flow.source == NodeId(2)).collect();
    let first: Vec<u32> =
        of_2.iter().filter(|flow| !posts(flow).is_empty()).map(|flow| flow.destination.0).collect();
    let number = (0..).position(|number| is_of(&of_2[0], number)).expect("host traffic");
    let next = core::iter::from_fn(|| staged.host_traffic[number].on_completed(us(1)));
    let next: Vec<u32> = next.map(|post| of_2[post.flow as usize].destination.0).collect();
    assert_eq!((first, next), (vec![3], vec![4, 5, 0, 1]));
}

#[test]
fn a_closed_loop_posts_nothing_from_its_stop_on() {
    let closed = synthetic(DestinationSpec::Shift(1), ArrivalSpec::Closed { outstanding: 1 }, FIXED);
    let stopped = SyntheticSpec { start: us(2), stop: Some(us(5)), ..closed };
    let mut traffic = built(stopped, 3, us(10), 1).host_traffic.remove(0);
    assert_eq!((traffic.deadline(), traffic.on_deadline(us(1))), (Some((us(2), 0)), None));
    let next = Some(Post { flow: 0, bytes: Bytes::kib(4) });
    assert_eq!((traffic.on_deadline(us(2)), traffic.deadline()), (next, None));
    assert_eq!((traffic.on_completed(Time::from_ps(4_999_999)), traffic.on_completed(us(5))), (next, None));
}

/// A loop cannot run out of messages before its stop: it draws more payload than the link carries until then.
#[test]
fn a_closed_loop_has_enough_for_its_time() {
    for (size, ..) in sizes() {
        let spec = synthetic(DestinationSpec::Uniform, ArrivalSpec::Closed { outstanding: 3 }, size);
        let mut workload = built(spec, 4, us(1000), 1);
        let carried = RATE.get() / 8 / 1000;
        let flows = posted(&workload);
        for (number, traffic) in (0..).zip(&mut workload.host_traffic) {
            let of_loop = flows.iter().filter(|flow| is_of(flow, number));
            let first: Vec<ListedMessage> = of_loop.flat_map(posts).copied().collect();
            assert_eq!(first.len(), 3);
            let later = core::iter::from_fn(|| traffic.on_completed(us(1))).map(|post| post.bytes);
            let total: u64 = first.iter().map(|post| post.bytes).chain(later).map(Bytes::get).sum();
            assert!(total >= carried, "{total} of {carried}");
        }
    }
}

/// The traffic of a host does not depend on the number of other hosts, nor do its times depend on sizes.
#[test]
fn hosts_and_rules_are_independent() {
    let times = |size, hosts, seed| -> Vec<(Time, Bytes)> {
        let spec = synthetic(DestinationSpec::Uniform, ArrivalSpec::Poisson { load: 0.3 }, size);
        let flows = posted(&built(spec, hosts, us(300), seed));
        let of_h0 = flows.iter().filter(|flow| flow.source.0 == 0).flat_map(posts);
        let mut all: Vec<_> = of_h0.map(|post| (post.at, post.bytes)).collect();
        all.sort_unstable();
        all
    };
    let few = times(uniform_size(), 2, 1);
    assert!(few.len() > 10);
    assert_eq!(few, times(uniform_size(), 7, 1));
    assert_ne!(few, times(uniform_size(), 2, 2));
    // Sizes of the same mean, and of another kind.
    let fixed = times(SizeSpec::Fixed(Bytes::new(10_050)), 2, 1);
    let at = |all: &[(Time, Bytes)]| all.iter().map(|(at, _)| *at).collect::<Vec<_>>();
    assert_eq!(at(&few), at(&fixed));
}

#[test]
fn a_list_of_flows_is_as_written() {
    let list = |origin| FlowListSpec {
        name: None,
        group: None,
        transport: Default::default(),
        operation: Default::default(),
        file: "flow.txt".to_owned(),
        origin,
        host_prefix: None,
    };
    let second = Time::from_ps(2_000_000_000_000);
    let workload = build(PatternSpec::FlowList(list(second)), 3, us(1000), 1).expect("a good list");
    let flows = posted(&workload);
    let found: Vec<_> = flows
        .iter()
        .map(|flow| (&*flow.name, flow.service_level.0, posts(flow)[0].at, posts(flow)[0].bytes.get()))
        .collect();
    let expected = [
        ("flow-list:2:h0->h2", 0, us(10), 700),
        ("flow-list:3:h0->h2", 3, us(0), 200_000),
        ("flow-list:1:h2->h0", 3, us(20), 5000),
    ];
    assert_eq!(found, expected);
    let late = build(PatternSpec::FlowList(list(us(0))), 3, us(1000), 1).expect_err("2 s are too late");
    assert_eq!(late.0, "traffic[0].file");
    assert!(late.1.to_string().starts_with("flow.txt:4:18: no flow starts within the run"), "{}", late.1);
}

#[test]
fn faults_name_their_field() {
    let poisson = |load| ArrivalSpec::Poisson { load };
    let of = |destinations| synthetic(destinations, poisson(0.5), FIXED);
    let with = |arrivals| synthetic(DestinationSpec::Uniform, arrivals, FIXED);
    let sized = |size| synthetic(DestinationSpec::Uniform, poisson(0.5), size);
    for given in [0, 4] {
        fails(
            of(DestinationSpec::Shift(given)),
            4,
            "traffic[0].destinations",
            SyntheticError::ShiftRange { given, hosts: 4 },
        );
    }
    let bits = |bits| of(DestinationSpec::Bits(bits));
    fails(
        bits(BitPermutation::Reverse),
        6,
        "traffic[0].destinations",
        SyntheticError::HostsNotPowerOfTwo { hosts: 6 },
    );
    fails(
        bits(BitPermutation::Transpose),
        8,
        "traffic[0].destinations",
        SyntheticError::TransposeOfOddBits { hosts: 8 },
    );
    fails(
        bits(BitPermutation::Rotation),
        2,
        "traffic[0].destinations",
        SyntheticError::NobodySends { hosts: 2 },
    );
    fails(with(poisson(1.5)), 4, "traffic[0].arrivals.load", PatternError::LoadRange { given: 1.5 });
    fails(
        with(ArrivalSpec::Fixed { load: 0.0 }),
        4,
        "traffic[0].arrivals.load",
        PatternError::LoadRange { given: 0.0 },
    );
    let (on, off) = (Span::from_us(1), Span::from_us(3));
    let kind = SyntheticError::LoadWhileOn { given: 0.26, most: 0.25 };
    fails(with(ArrivalSpec::OnOff { load: 0.26, on, off }), 4, "traffic[0].arrivals.load", kind);
    let none = PatternError::NoMean { given: Span::ZERO };
    fails(with(ArrivalSpec::OnOff { load: 0.2, on, off: Span::ZERO }), 4, "traffic[0].arrivals.off", none);
    fails(
        with(ArrivalSpec::Closed { outstanding: 0 }),
        4,
        "traffic[0].arrivals.outstanding",
        FlowError::Outstanding,
    );
    fails(with(ArrivalSpec::AtOnce), 4, "traffic[0].arrivals", SyntheticError::AtOnceWithoutMessages);
    fails(
        SyntheticSpec { messages: Some(0), ..with(poisson(0.5)) },
        4,
        "traffic[0].messages",
        FlowError::NoMessages,
    );
    let (least, most) = (Bytes::new(9), Bytes::new(8));
    fails(
        sized(SizeSpec::Uniform { least, most }),
        4,
        "traffic[0].size.most",
        SyntheticError::SizesReversed { least, most },
    );
    fails(
        sized(SizeSpec::Fixed(Bytes::ZERO)),
        4,
        "traffic[0].size",
        FlowError::MessageSize { given: Bytes::ZERO },
    );
    let cdf = |name: &str| sized(SizeSpec::Cdf(name.to_owned()));
    for given in ["no.txt", "sizes.csv", "traces/sizes.csv"] {
        fails(cdf(given), 4, "traffic[0].size", FileError::Missing { given: given.to_owned() });
    }
    for given in ["../sizes.txt", "traces/../../sizes.txt", "/sizes.txt"] {
        fails(cdf(given), 4, "traffic[0].size", FileError::Name { given: given.to_owned() });
    }
    let found = build(PatternSpec::Synthetic(cdf("bad.txt")), 4, us(10), 1).expect_err("no whole");
    assert!(found.1.to_string().starts_with("bad.txt:2:6: the last cumulative share is 50"), "{}", found.1);
    let long = build(PatternSpec::Synthetic(with(poisson(0.5))), 4, Time::NEVER, 1).expect_err("endless");
    assert!(matches!(long.1, Kind::Flow(FlowError::TooManyMessages { .. })));
}
