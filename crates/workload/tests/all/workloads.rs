//! Workloads: the flows that specs make, and the statistics of patterns.

use packet::{NodeId, ServiceLevel};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};
use workload::spec::{
    ConvergeSpec, HostsSpec, IncastSpec, PermutationSpec, PoissonSpec, RepeatSpec, SendersSpec, SessionsSpec,
};
use workload::{
    Environment, Flow, FlowSpec, ListedMessage, LoadSpec, MessageSchedule, Operation, PatternSpec, Posting,
    TrafficChange, TransportService, Workload,
};

use crate::posted::{Posted, posted};

const RATE: Rate = Rate::gbps(54);
const MESSAGE: Bytes = Bytes::kib(2);

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn named(name: &str, start: u64, stop: Option<u64>, load: LoadSpec) -> FlowSpec {
    FlowSpec {
        name: name.to_owned(),
        group: None,
        from: "h1".to_owned(),
        to: "h2".to_owned(),
        start: us(start),
        stop: stop.map(us),
        service_level: ServiceLevel(3),
        transport: Default::default(),
        operation: Operation::Send,
        message: MESSAGE,
        load,
    }
}

fn of_patterns(patterns: &[PatternSpec], hosts: usize, seed: u64) -> Vec<Posted> {
    let names: Vec<String> = (1..=hosts).map(|i| format!("h{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    posted(
        &Workload::build(&[], patterns, &Environment::new(&names, &|_| RATE, seed)).expect("good patterns"),
    )
}

fn poisson(until: Time, load: f64) -> PatternSpec {
    PatternSpec::Poisson(PoissonSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        from: us(0),
        until,
        message: MESSAGE,
        load,
    })
}

fn permutation(at: Time) -> PatternSpec {
    PatternSpec::Permutation(PermutationSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        at,
        bytes: MESSAGE,
    })
}

fn incast() -> PatternSpec {
    let (at, to, repeat) = (us(1), HostsSpec::One("h4".to_owned()), RepeatSpec::Once);
    PatternSpec::Incast(IncastSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        at,
        repeat,
        to,
        senders: SendersSpec::Next(3),
        bytes: MESSAGE,
    })
}

fn posts(flow: &Posted) -> &[ListedMessage] {
    &flow.posts
}

#[test]
fn named_flows_are_as_written() {
    let specs = [
        named("F1", 5, None, LoadSpec::Saturate { outstanding: 2 }),
        named("F2", 5, Some(9), LoadSpec::Paced(Rate::gbps(8))),
        named("F3", 7, None, LoadSpec::Messages(2)),
    ];
    let built =
        Workload::build(&specs, &[], &Environment::new(&["h1", "h2"], &|_| RATE, 1)).expect("good flows");
    let post = ListedMessage { at: us(7), bytes: MESSAGE };
    let postings: Vec<&Posting> = built.flows.iter().map(|flow| &flow.posting).collect();
    let (message, start) = (MESSAGE, us(5));
    let scheduled = Posting::Scheduled;
    assert_eq!(
        postings,
        [
            &scheduled(MessageSchedule::Saturate { outstanding: 2, message, start, stop: Time::NEVER }),
            &scheduled(MessageSchedule::Paced { message, rate: Rate::gbps(8), start, stop: us(9) }),
            &scheduled(MessageSchedule::Listed([post, post].into())),
        ]
    );
    let Flow { name, named, source, destination, service_level, operation, .. } = &built.flows[0];
    assert_eq!((&**name, *named, *source, *destination), ("F1", true, NodeId(0), NodeId(1)));
    assert_eq!((*service_level, *operation), (ServiceLevel(3), Operation::Send));
}

#[test]
fn changes_of_one_instant_are_one() {
    let saturate = LoadSpec::Saturate { outstanding: 1 };
    let specs = [
        named("F1", 0, Some(10), saturate),
        named("F2", 10, Some(20), LoadSpec::Paced(RATE)),
        named("F3", 10, Some(20), saturate),
        named("F4", 30, None, LoadSpec::Messages(7)),
    ];
    let patterns = [poisson(us(50), 0.5)];
    let built = Workload::build(&specs, &patterns, &Environment::new(&["h1", "h2"], &|_| RATE, 1))
        .expect("good flows");
    let expected = [(0, "F1 starts"), (10, "F1 stops; F2, F3 start"), (20, "F2, F3 stop"), (30, "F4 starts")];
    assert_eq!(
        built.changes(),
        expected.map(|(at, what)| TrafficChange { at: us(at), what: what.to_owned() })
    );
}

/// The number of messages of n hosts at rate r in time t is Poisson distributed with mean m = n r t, so
/// its standard deviation is sqrt(m): five deviations are exceeded once in 1.7 million.
#[test]
fn the_offered_load_is_as_requested() {
    let (hosts, ms) = (8, 20);
    for (seed, load) in [(1, 0.1), (2, 0.5), (3, 1.0)] {
        let flows = of_patterns(&[poisson(us(ms * 1000), load)], hosts, seed);
        let found = flows.iter().map(|flow| posts(flow).len()).sum::<usize>() as f64;
        let per_host = load * RATE.get() as f64 / (8.0 * MESSAGE.get() as f64) * ms as f64 / 1000.0;
        let mean = hosts as f64 * per_host;
        assert!((found - mean).abs() < 5.0 * mean.sqrt(), "load {load}: {found} messages for {mean}");
    }
}

/// Given N messages in all, the counts of the 56 pairs are multinomial. Chi-squared with 55 degrees of freedom (each
/// source's own count is free too) exceeds 114 once in 200,000.
#[test]
fn destinations_are_uniform() {
    let flows = of_patterns(&[poisson(us(20_000), 0.8)], 8, 5);
    assert_eq!(flows.len(), 8 * 7);
    let counts: Vec<f64> = flows.iter().map(|flow| posts(flow).len() as f64).collect();
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let chi_squared: f64 = counts.iter().map(|n| (n - mean).powi(2) / mean).sum();
    assert!(chi_squared < 114.0, "{chi_squared}");
}

/// The traffic of a host depends on its name, not on the number or the speed of other hosts.
#[test]
fn hosts_are_independent() {
    let arrivals = |hosts: &[&str], slow: u32| {
        let rate = |host: NodeId| if host.0 == slow { Rate::gbps(1) } else { RATE };
        let workload =
            Workload::build(&[], &[poisson(us(100), 0.7)], &Environment::new(hosts, &rate, 9)).expect("good");
        let flows = posted(&workload);
        let from_a = flows.iter().filter(|flow| hosts[flow.source.index()] == "a");
        let mut times: Vec<Time> = from_a.flat_map(|flow| posts(flow).iter().map(|post| post.at)).collect();
        times.sort_unstable();
        times
    };
    let alone = arrivals(&["a", "b"], u32::MAX);
    assert!(!alone.is_empty());
    assert_eq!(alone, arrivals(&["b", "c", "a"], 1));
}

proptest! {
    #[test]
    fn a_permutation_has_one_sender_and_one_receiver_each(hosts in 2..40usize, seed: u64) {
        let flows = of_patterns(&[permutation(us(3))], hosts, seed);
        let sources: Vec<usize> = flows.iter().map(|flow| flow.source.index()).collect();
        let mut destinations: Vec<usize> = flows.iter().map(|flow| flow.destination.index()).collect();
        prop_assert!(sources.iter().zip(&destinations).all(|(from, to)| from != to));
        destinations.sort_unstable();
        prop_assert_eq!(&sources, &(0..hosts).collect::<Vec<_>>());
        prop_assert_eq!(&destinations, &sources);
        let post = ListedMessage { at: us(3), bytes: MESSAGE };
        prop_assert!(flows.iter().all(|flow| posts(flow) == [post]));
    }

    #[test]
    fn poisson_flows_are_in_order(hosts in 2..9usize, seed: u64, load in 0.05..1.0) {
        let flows = of_patterns(&[poisson(us(20), load)], hosts, seed);
        prop_assert!(flows.is_sorted_by_key(|flow| (flow.source, flow.destination)));
        for flow in &flows {
            prop_assert!(flow.source != flow.destination);
            prop_assert!(posts(flow).is_sorted_by_key(|post| post.at));
            prop_assert!(!posts(flow).is_empty());
            prop_assert!(posts(flow).iter().all(|post| post.at < us(20) && post.bytes == MESSAGE));
        }
        prop_assert_eq!(flows, of_patterns(&[poisson(us(20), load)], hosts, seed));
    }
}

#[test]
fn an_incast_comes_from_the_hosts_that_follow_the_receiver() {
    let incast = incast();
    let flows = of_patterns(&[incast.clone(), incast], 5, 1);
    let names: Vec<&str> = flows.iter().map(|flow| &*flow.name).collect();
    let first = ["incast:h1->h4", "incast:h2->h4", "incast:h5->h4"];
    let second = ["incast2:h1->h4", "incast2:h2->h4", "incast2:h5->h4"];
    assert_eq!(names, [first, second].concat());
    assert!(flows.iter().all(|flow| !flow.named && flow.operation == Operation::RdmaWrite));
}

/// A failure after an update of a random number crate means that every stored result with patterns has changed
/// too.
#[test]
fn golden_traffic() {
    let flows = of_patterns(&[permutation(us(2)), poisson(us(2), 0.6)], 4, 1);
    let lines = flows.iter().map(|flow| {
        let times: Vec<String> = posts(flow).iter().map(|post| post.at.to_string()).collect();
        format!("{} at {}", flow.name, times.join(", "))
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    permutation:h1->h3 at 2 us
    permutation:h2->h1 at 2 us
    permutation:h3->h4 at 2 us
    permutation:h4->h2 at 2 us
    poisson:h1->h2 at 1618.345 ns
    poisson:h1->h3 at 1867.637 ns
    poisson:h1->h4 at 55.644 ns, 905.541 ns, 1540.618 ns
    poisson:h2->h1 at 793.816 ns, 1745.574 ns
    poisson:h2->h3 at 641.511 ns, 1915.721 ns
    poisson:h2->h4 at 762.362 ns
    poisson:h3->h1 at 1570.909 ns
    poisson:h3->h2 at 141.907 ns, 1486.8 ns, 1561.361 ns
    poisson:h4->h1 at 562.697 ns, 1173.09 ns, 1671.115 ns
    poisson:h4->h3 at 1048.856 ns, 1071.678 ns, 1483.742 ns
    ");
}

const SATURATE: LoadSpec = LoadSpec::Saturate { outstanding: 2 };

fn converge(name: &str, from: &str, start: u64, jitter: u64, stop: Option<u64>) -> PatternSpec {
    PatternSpec::Converge(ConvergeSpec {
        name: Some(name.to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One(from.to_owned())),
        to: "C1".to_owned(),
        start: us(start),
        jitter: Span::from_us(jitter),
        stop: stop.map(us),
        service_level: ServiceLevel(3),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: MESSAGE,
        load: SATURATE,
    })
}

fn sessions(stop: u64, on: u64, off: u64) -> PatternSpec {
    PatternSpec::Sessions(SessionsSpec {
        name: Some("web".to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One("L*".to_owned())),
        to: "C1".to_owned(),
        start: us(0),
        stop: us(stop),
        on: Span::from_us(on),
        off: Span::from_us(off),
        service_level: ServiceLevel(3),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: MESSAGE,
        load: SATURATE,
    })
}

fn built(flows: &[FlowSpec], patterns: &[PatternSpec], hosts: &[&str], seed: u64) -> Workload {
    Workload::build(flows, patterns, &Environment::new(hosts, &|_| RATE, seed)).expect("good traffic")
}

#[test]
fn flows_that_converge_are_named_by_host_and_come_before_those_without_a_name() {
    let hosts = ["R1", "C1", "L1", "L2"];
    let victim =
        FlowSpec { from: "R1".to_owned(), to: "L1".to_owned(), ..named("victim", 0, None, SATURATE) };
    let patterns =
        [poisson(us(50), 0.1), converge("local", "L*", 5, 0, Some(9)), converge("far", "R1", 5, 0, None)];
    let workload = built(&[victim], &patterns, &hosts, 1);
    let found: Vec<_> = workload.flows.iter().filter(|flow| flow.named).map(|flow| &*flow.name).collect();
    assert_eq!(found, ["victim", "local1", "local2", "far1"]);
    assert!(workload.flows[4..].iter().all(|flow| !flow.named) && workload.flows.len() > 4);
    let Flow { source, destination, posting, service_level, .. } = &workload.flows[2];
    assert_eq!((*source, *destination, *service_level), (NodeId(3), NodeId(1), ServiceLevel(3)));
    let expected = MessageSchedule::Saturate { outstanding: 2, message: MESSAGE, start: us(5), stop: us(9) };
    assert_eq!(*posting, Posting::Scheduled(expected));
}

#[test]
fn flows_that_converge_change_together() {
    let patterns = [converge("local", "L*", 5, 3, Some(9)), converge("far", "R*", 5, 0, None)];
    let expected = [(0, "F1 starts"), (5, "local, far start"), (9, "local stops")];
    let flow = FlowSpec { from: "R1".to_owned(), to: "L1".to_owned(), ..named("F1", 0, None, SATURATE) };
    let changes = built(&[flow], &patterns, &["R1", "R2", "C1", "L1", "L2"], 1).changes();
    assert_eq!(changes, expected.map(|(at, what)| TrafficChange { at: us(at), what: what.to_owned() }));
}

#[test]
fn a_jitter_is_drawn_by_seed_and_host() {
    let starts = |hosts: &[&str], seed| -> Vec<(String, Time)> {
        let flows = built(&[], &[converge("local", "L*", 5, 100, None)], hosts, seed).flows;
        flows.iter().map(|flow| (hosts[flow.source.index()].to_owned(), flow.posting.start())).collect()
    };
    let few = starts(&["C1", "L1", "L2"], 1);
    assert!(few.iter().all(|(_, start)| (us(5)..=us(105)).contains(start)));
    assert_ne!(few[0].1, few[1].1);
    assert_ne!(few, starts(&["C1", "L1", "L2"], 2), "seeds make a difference");
    assert_eq!(few, starts(&["C1", "L1", "L2", "L3"], 1)[..2], "one more host makes none");
}

/// Returns the times on of each host of a pattern of sessions.
fn on_times(workload: &Workload, sources: usize) -> Vec<Vec<(Time, Time)>> {
    let mut on = vec![Vec::new(); sources];
    for flow in &workload.flows {
        on[flow.source.index()].push((flow.posting.start(), flow.posting.stop()));
    }
    on
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Sessions of a host follow each other, end by the stop, and fill on / (on + off) of the time. The share of a
    /// host that alternates for a time T, much longer than a cycle, has a variance of about 2 (on off)^2 / (on +
    /// off)^3 / T. The mean of n hosts has an n-th of it. The bound is six deviations, and a little for the ends.
    #[test]
    fn sessions_are_on_for_their_share(on in 10..200u64, off in 10..200u64, seed: u64) {
        let (hosts, total) = (["L1", "L2", "L3", "L4", "C1"], 200_000);
        let workload = built(&[], &[sessions(total, on, off)], &hosts, seed);
        let mut active = 0;
        for source in on_times(&workload, 4) {
            prop_assert!(source.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            prop_assert!(source.iter().all(|(start, stop)| start < stop && *stop <= us(total)));
            active += source.iter().map(|(start, stop)| (*stop - *start).ps()).sum::<u64>();
        }
        let share = active as f64 / (4 * us(total).ps()) as f64;
        let (on, off, total) = (on as f64, off as f64, total as f64);
        let deviation = (2.0 * (on * off).powi(2) / (on + off).powi(3) / total / 4.0).sqrt();
        prop_assert!((share - on / (on + off)).abs() < 6.0 * deviation + 1e-3, "{share}");
    }
}

/// At any instant, including the first, a host is on with probability on / (on + off): here 1/4 of 2,000
/// hosts, with a standard deviation of 19.4.
#[test]
fn sessions_are_stationary_from_the_start() {
    let hosts: Vec<String> = (1..=2000).map(|i| format!("L{i}")).chain(["C1".to_owned()]).collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let workload = built(&[], &[sessions(1000, 100, 300)], &hosts, 1);
    for at in [0, 50, 500, 999] {
        let on = |flow: &&Flow| flow.posting.start() <= us(at) && us(at) < flow.posting.stop();
        let count = workload.flows.iter().filter(on).count();
        assert!((403..=597).contains(&count), "{count} sources are on at {at} us");
    }
}
