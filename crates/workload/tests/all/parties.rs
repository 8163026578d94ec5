//! Hosts that send and receive: subsets by name, and incasts.

use std::collections::{BTreeMap, BTreeSet};

use packet::{NodeId, ServiceLevel};
use settings::SettingError;
use units::{Bytes, Rate, Span, Time};
use workload::error::{FlowError, HostError, PatternError, SyntheticError};
use workload::spec::{
    ArrivalSpec, BitPermutation, ConvergeSpec, DestinationSpec, HostsSpec, IncastSpec, LoadSpec,
    PermutationSpec, RepeatSpec, SenderRule, SendersSpec, SizeSpec, SyntheticSpec,
};
use workload::{
    Environment, Flow, MessageSchedule, Operation, PatternSpec, Posting, TransportService, Workload,
    WorkloadErrorKind as Kind,
};

/// Eight hosts, h1 to h4 attached to one switch, h5 to h8 to another.
const HOSTS: [&str; 8] = ["h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"];
const RATE: Rate = Rate::gbps(80);
const END: u64 = 10_000;

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn build(pattern: PatternSpec) -> Result<Workload, (String, Kind)> {
    let switches = [8, 8, 8, 8, 9, 9, 9, 9].map(NodeId);
    let environment = Environment::new(&HOSTS, &|_| RATE, 1).ending(us(END)).attached_to(&switches);
    Workload::build(&[], &[pattern], &environment)
        .map_err(|error| (error.path().to_string(), error.kind().clone()))
}

fn one(name: &str) -> HostsSpec {
    HostsSpec::One(name.to_owned())
}

fn several(names: &[&str]) -> HostsSpec {
    HostsSpec::Several(names.iter().map(|name| (*name).to_owned()).collect())
}

fn synthetic(destinations: DestinationSpec, senders: HostsSpec, receivers: HostsSpec) -> SyntheticSpec {
    SyntheticSpec {
        name: None,
        group: None,
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        service_level: ServiceLevel(2),
        senders,
        receivers,
        destinations,
        arrivals: ArrivalSpec::Closed { outstanding: 16 },
        size: SizeSpec::Fixed(Bytes::kib(4)),
        start: us(0),
        stop: None,
        messages: Some(100),
    }
}

fn incast(to: HostsSpec, senders: SendersSpec, repeat: RepeatSpec) -> IncastSpec {
    IncastSpec {
        name: None,
        group: None,
        transport: TransportService::Uc,
        operation: Operation::Send,
        service_level: ServiceLevel(3),
        at: us(5),
        repeat,
        to,
        senders,
        bytes: Bytes::new(1000),
    }
}

/// The pairs of hosts that a pattern connects, as `1>5` for data from h1 to h5.
fn pairs(pattern: PatternSpec) -> Vec<String> {
    let flows = build(pattern).expect("good traffic").flows;
    flows.iter().map(|flow| format!("{}>{}", flow.source.0 + 1, flow.destination.0 + 1)).collect()
}

fn of(destinations: DestinationSpec, senders: &str, receivers: &str) -> String {
    pairs(PatternSpec::Synthetic(synthetic(destinations, one(senders), one(receivers)))).join(" ")
}

#[test]
fn hosts_are_meant_by_name_pattern_range_and_list() {
    let senders = |hosts| {
        let flows = pairs(PatternSpec::Synthetic(synthetic(DestinationSpec::Shift(1), hosts, one("*"))));
        flows.iter().map(|pair| pair[..1].to_owned()).collect::<String>()
    };
    assert_eq!(senders(one("h3")), "3");
    assert_eq!(senders(one("h?")), "12345678");
    assert_eq!(senders(one("h3..h5")), "345");
    assert_eq!(senders(several(&["h7", "h2..h3", "h3", "*1"])), "1237");
}

#[test]
fn each_rule_keeps_to_senders_and_receivers() {
    use DestinationSpec::{AllToAll, Bits, OtherRacks, Shift, Uniform};
    assert_eq!(of(Uniform, "h1..h2", "h2..h4"), "1>2 1>3 1>4 2>3 2>4");
    assert_eq!(of(OtherRacks, "h4..h5", "h3..h6"), "4>5 4>6 5>3 5>4");
    assert_eq!(of(Shift(1), "h1..h3", "h6..h8"), "1>7 2>8 3>6");
    assert_eq!(of(Shift(1), "h2..h4", "h2..h4"), "2>3 3>4 4>2");
    assert_eq!(of(Bits(BitPermutation::Complement), "h1..h4", "h5..h8"), "1>8 2>7 3>6 4>5");
    assert_eq!(of(AllToAll, "h2..h3", "h1..h3"), "2>1 2>3 3>1 3>2");
    assert_eq!(of(AllToAll, "h8", "h1..h3"), "8>1 8>2 8>3");
}

#[test]
fn an_exchange_begins_with_the_receivers_that_follow_the_sender() {
    let one_each = |senders| SyntheticSpec {
        messages: Some(1),
        ..synthetic(DestinationSpec::AllToAll, senders, one("h2..h4"))
    };
    let first = |senders| pairs(PatternSpec::Synthetic(one_each(one(senders)))).join(" ");
    assert_eq!([first("h1"), first("h3"), first("h4"), first("h8")], ["1>2", "3>4", "4>2", "8>2"]);
}

#[test]
fn a_permutation_of_subsets_uses_no_receiver_twice() {
    let (at, bytes) = (us(1), Bytes::kib(1));
    let pattern = |senders, receivers| {
        PatternSpec::Permutation(PermutationSpec {
            name: None,
            group: None,
            transport: TransportService::Ud,
            operation: Operation::Send,
            service_level: ServiceLevel(4),
            senders,
            receivers,
            at,
            bytes,
        })
    };
    let flows = build(pattern(one("h1..h3"), one("h2..h5"))).expect("good").flows;
    assert_eq!(flows.iter().map(|flow| flow.source.0).collect::<Vec<_>>(), [0, 1, 2]);
    let to: BTreeSet<u32> = flows.iter().map(|flow| flow.destination.0).collect();
    assert!(to.len() == 3 && to.iter().all(|to| (1..=4).contains(to)));
    let Flow { transport, operation, service_level, .. } = flows[0];
    assert_eq!(
        (transport, operation, service_level),
        (TransportService::Ud, Operation::Send, ServiceLevel(4))
    );
    let few = SyntheticError::TooFewReceivers { senders: 3, receivers: 2 };
    assert_eq!(build(pattern(one("h1..h3"), one("h4..h5"))), Err(("traffic[0]".to_owned(), few.into())));
    let itself = SyntheticError::NobodySends { hosts: 1 };
    assert_eq!(build(pattern(one("h1"), one("h1"))), Err(("traffic[0]".to_owned(), itself.into())));
}

/// With RDMA READ the senders post as before, and the data comes back to them.
#[test]
fn hosts_that_draw_messages_read_from_those_that_they_draw() {
    let writes = synthetic(DestinationSpec::Uniform, one("h1..h2"), one("h5..h7"));
    let reads = SyntheticSpec { operation: Operation::RdmaRead, ..writes.clone() };
    let [written, read] = [writes, reads].map(|spec| build(PatternSpec::Synthetic(spec)).expect("good"));
    assert_eq!(written.host_traffic, read.host_traffic);
    let ends = |workload: &Workload| {
        workload.flows.iter().map(|flow| (flow.requester().0, flow.responder().0)).collect::<Vec<_>>()
    };
    assert_eq!(ends(&written), ends(&read));
    assert!(read.flows.iter().all(|flow| flow.destination == flow.requester() && flow.destination.0 < 2));
}

/// The incasts that a pattern makes: time in ps, receiver, and senders.
fn incasts(spec: IncastSpec) -> Vec<(u64, u32, Vec<u32>)> {
    let mut found: BTreeMap<(u64, u32), Vec<u32>> = BTreeMap::new();
    for flow in build(PatternSpec::Incast(spec)).expect("a good incast").flows {
        let Posting::Scheduled(MessageSchedule::Listed(messages)) = &flow.posting else { panic!("{flow:?}") };
        assert!(messages.iter().all(|message| message.bytes == Bytes::new(1000)));
        for message in messages.iter() {
            found.entry((message.at.ps(), flow.destination.0 + 1)).or_default().push(flow.source.0 + 1);
        }
    }
    found.into_iter().map(|((at, to), from)| (at, to, from)).collect()
}

#[test]
fn the_senders_of_an_incast_follow_their_rule() {
    let senders = |to, senders| incasts(incast(one(to), senders, RepeatSpec::Once)).remove(0).2;
    assert_eq!(senders("h7", SendersSpec::Next(3)), [1, 2, 8]);
    assert_eq!(senders("h2", SendersSpec::By(SenderRule::OtherRacks(3))), [5, 6, 7]);
    assert_eq!(senders("h6", SendersSpec::By(SenderRule::OtherRacks(2))), [1, 2]);
    let named = SendersSpec::By(SenderRule::Named(several(&["h6..h8", "h1"])));
    assert_eq!(senders("h2", named), [1, 6, 7, 8]);
    // A pattern of names leaves the receiver out.
    assert_eq!(senders("h2", SendersSpec::By(SenderRule::Named(one("*")))), [1, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn an_incast_at_intervals_ends_before_its_end_or_that_of_the_run() {
    let every = |until| {
        let repeat = RepeatSpec::Every { interval: Span::from_us(100), until };
        incasts(incast(one("h1"), SendersSpec::Next(2), repeat))
    };
    let times: Vec<u64> = every(Some(us(305))).into_iter().map(|(at, ..)| at / 1_000_000).collect();
    assert_eq!(times, [5, 105, 205]);
    // Until 10 ms: at 5, 105, ... 9,905 us.
    assert_eq!(every(None).len(), 100);
}

fn poisson(load: f64, to: &str, senders: SendersSpec) -> Vec<(u64, u32, Vec<u32>)> {
    incasts(incast(one(to), senders, RepeatSpec::Poisson { interval: None, load: Some(load), until: None }))
}

/// An incast of 5 senders brings 5,000 bytes, half a microsecond of a link. At 2 % of eight links there are 0.32 in a
/// microsecond: 3,198 in 9,995 us, with a standard deviation of 57. The bound is five deviations.
#[test]
fn random_incasts_offer_their_load_to_all_links_of_receivers() {
    let found = poisson(0.02, "*", SendersSpec::By(SenderRule::Drawn(5)));
    assert!((found.len() as f64 - 3198.4).abs() < 283.0, "{}", found.len());
    assert!(found.iter().all(|(at, ..)| *at >= us(5).ps() && *at < us(END).ps()));
    // To a single link, an eighth of them: 399.8, with a standard deviation of 20.
    let at_one = poisson(0.02, "h3", SendersSpec::By(SenderRule::Drawn(5)));
    assert!((at_one.len() as f64 - 399.8).abs() < 100.0, "{}", at_one.len());
    assert!(at_one.iter().all(|(_, to, _)| *to == 3));
}

/// Receivers are uniform: chi-squared with 7 degrees of freedom passes 35.3 once in 100,000. Given the receiver, so
/// are the pairs of senders. Of 21 pairs with 20 degrees of freedom 57.2 is passed as rarely, here summed over
/// receivers by the distance from the receiver.
#[test]
fn receivers_and_senders_are_drawn_uniformly_and_anew() {
    let found = poisson(0.02, "*", SendersSpec::By(SenderRule::Drawn(2)));
    let count = found.len() as f64;
    assert!(count > 7000.0, "{count}");
    let (mut receivers, mut pairs) = (BTreeMap::new(), BTreeMap::new());
    for (_, to, from) in &found {
        assert!(from.len() == 2 && !from.contains(to));
        *receivers.entry(*to).or_insert(0.0) += 1.0;
        let mut distances: Vec<u32> = from.iter().map(|from| (from + 8 - to) % 8).collect();
        distances.sort_unstable();
        *pairs.entry(distances).or_insert(0.0) += 1.0;
    }
    assert_eq!((receivers.len(), pairs.len()), (8, 21));
    let chi_squared = |counts: Vec<f64>| {
        let mean = count / counts.len() as f64;
        counts.iter().map(|n| (n - mean).powi(2) / mean).sum::<f64>()
    };
    let by_receiver = chi_squared(receivers.into_values().collect());
    let by_pair = chi_squared(pairs.into_values().collect());
    assert!(by_receiver < 35.3 && by_pair < 57.2, "{by_receiver} {by_pair}");
}

/// Another rule for the senders leaves times and receivers as they are.
#[test]
fn times_receivers_and_senders_of_incasts_are_three_streams() {
    let times = |senders| {
        let repeat = RepeatSpec::Poisson { interval: Some(Span::from_us(20)), load: None, until: None };
        incasts(incast(one("*"), senders, repeat)).into_iter().map(|(at, to, _)| (at, to)).collect::<Vec<_>>()
    };
    let drawn = times(SendersSpec::By(SenderRule::Drawn(3)));
    assert_eq!(drawn, times(SendersSpec::Next(5)));
    assert!(drawn.len() > 300);
}

#[track_caller]
fn fails(spec: IncastSpec, path: &str, kind: impl Into<Kind>) {
    assert_eq!(build(PatternSpec::Incast(spec)), Err((path.to_owned(), kind.into())));
}

#[test]
fn mistakes_of_incasts_are_named() {
    let good = || incast(one("h1"), SendersSpec::Next(2), RepeatSpec::Once);
    let from = |senders| IncastSpec { senders, ..good() };
    let by = |rule| from(SendersSpec::By(rule));
    let senders = |given, others| HostError::Senders { given, others };
    fails(from(SendersSpec::Next(8)), "traffic[0].senders", senders(8, 7));
    fails(by(SenderRule::Drawn(0)), "traffic[0].senders", senders(0, 7));
    fails(by(SenderRule::OtherRacks(5)), "traffic[0].senders", senders(5, 4));
    let among = HostError::ReceiverAmongSenders { name: "h1".to_owned() };
    fails(by(SenderRule::Named(several(&["h1", "h2"]))), "traffic[0].senders", among);
    fails(by(SenderRule::Named(several(&[]))), "traffic[0].senders", HostError::Nobody);
    let none = HostError::NoneMatches { given: "x*".to_owned() };
    fails(by(SenderRule::Named(several(&["h2", "x*"]))), "traffic[0].senders[1]", none);
    let reversed = HostError::RangeReversed { given: "h3..h2".to_owned() };
    fails(IncastSpec { to: one("h3..h2"), ..good() }, "traffic[0].to", reversed);
    let again = |repeat| IncastSpec { repeat, ..good() };
    let every = |interval, until| again(RepeatSpec::Every { interval, until });
    let no_interval = PatternError::NoInterval { given: Span::ZERO };
    fails(every(Span::ZERO, None), "traffic[0].repeat.interval", no_interval);
    let early = FlowError::StopBeforeStart { start: us(5), stop: us(5) };
    fails(every(Span::from_us(1), Some(us(5))), "traffic[0].repeat.until", early);
    let random = |interval, load| again(RepeatSpec::Poisson { interval, load, until: None });
    fails(random(None, None), "traffic[0].repeat", PatternError::IntervalOrLoad { both: false });
    let both = PatternError::IntervalOrLoad { both: true };
    fails(random(Some(Span::from_us(1)), Some(0.1)), "traffic[0].repeat", both);
    fails(random(None, Some(1.5)), "traffic[0].repeat.load", PatternError::LoadRange { given: 1.5 });
    let reads = IncastSpec { operation: Operation::RdmaRead, ..good() };
    let (transport, operation) = (TransportService::Uc, Operation::RdmaRead);
    fails(reads, "traffic[0].operation", FlowError::NotCarried { transport, operation });
    let level = FlowError::ServiceLevel { given: 16 };
    fails(IncastSpec { service_level: ServiceLevel(16), ..good() }, "traffic[0].service_level", level);
    let many = every(Span::from_ps(1), None);
    let expected = 2 * (us(END) - us(5)).ps();
    fails(many, "traffic[0]", FlowError::TooManyMessages { expected, most: workload::MAX_LISTED });
}

#[test]
fn hosts_of_one_switch_have_no_other_racks() {
    let environment = Environment::new(&HOSTS, &|_| RATE, 1).ending(us(END));
    let spec = synthetic(DestinationSpec::OtherRacks, HostsSpec::all(), HostsSpec::all());
    let error = Workload::build(&[], &[PatternSpec::Synthetic(spec)], &environment).expect_err("one switch");
    assert_eq!(
        (error.path().to_string().as_str(), error.kind()),
        ("traffic[0].destinations", &HostError::OneRack.into())
    );
}

fn converge(from: SendersSpec) -> ConvergeSpec {
    ConvergeSpec {
        name: Some("local".to_owned()),
        group: None,
        from,
        to: "h3".to_owned(),
        start: us(1),
        jitter: Span::ZERO,
        stop: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    }
}

/// The senders of flows to a host follow the rules of an incast. They stand in the order of the topology, and are
/// drawn once.
#[test]
fn flows_to_one_host_have_the_senders_of_an_incast() {
    let sources = |from: SendersSpec| -> Result<Vec<u32>, (String, Kind)> {
        let built = build(PatternSpec::Converge(converge(from)))?;
        Ok(built.flows.iter().map(|flow| flow.source.0 + 1).collect())
    };
    assert_eq!(sources(SendersSpec::Next(6)), Ok(vec![1, 4, 5, 6, 7, 8]));
    assert_eq!(sources(SendersSpec::By(SenderRule::OtherRacks(2))), Ok(vec![5, 6]));
    assert_eq!(sources(SendersSpec::By(SenderRule::Named(one("h*")))), Ok(vec![1, 2, 4, 5, 6, 7, 8]));
    assert_eq!(sources(SendersSpec::Hosts(several(&["h8", "h1"]))), Ok(vec![1, 8]));
    assert_eq!(sources(SendersSpec::Hosts(one("h*"))), Ok(vec![1, 2, 4, 5, 6, 7, 8]));
    let drawn = sources(SendersSpec::By(SenderRule::Drawn(3))).expect("there are enough");
    assert!(drawn.len() == 3 && !drawn.contains(&3) && drawn.is_sorted(), "{drawn:?}");
    let wrong = |from| sources(from).expect_err("it is wrong");
    let itself = Kind::Hosts(HostError::ReceiverAmongSenders { name: "h3".to_owned() });
    assert_eq!(wrong(SendersSpec::Hosts(several(&["h1", "h3"]))), ("traffic[0].from".to_owned(), itself));
    let many = Kind::Hosts(HostError::Senders { given: 5, others: 4 });
    assert_eq!(wrong(SendersSpec::By(SenderRule::OtherRacks(5))), ("traffic[0].from".to_owned(), many));
}
