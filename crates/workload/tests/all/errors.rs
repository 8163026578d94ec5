//! Every fault in traffic, with the field that it names.

use packet::ServiceLevel;
use settings::SettingError;
use units::{Bytes, Rate, Span, Time};
use workload::error::{FlowError, HostError, NameError, NameOwner, PatternError};
use workload::spec::{
    ConvergeSpec, HostsSpec, IncastSpec, PermutationSpec, PoissonSpec, RepeatSpec, SendersSpec, SessionsSpec,
};
use workload::{
    Environment, FlowSpec, LoadSpec, MAX_DRAWN, MAX_LISTED, Operation, PatternSpec, TransportService,
    Workload, WorkloadErrorKind as Kind,
};

const HOSTS: [&str; 4] = ["h1", "h2", "h3", "h4"];

fn ms(n: u64) -> Time {
    Time::from_ps(n * 1_000_000_000)
}

fn flow() -> FlowSpec {
    FlowSpec {
        name: "F1".to_owned(),
        group: None,
        from: "h1".to_owned(),
        to: "h2".to_owned(),
        start: ms(1),
        stop: None,
        service_level: ServiceLevel(0),
        transport: Default::default(),
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    }
}

fn build(flows: &[FlowSpec], patterns: &[PatternSpec], hosts: &[&str]) -> Result<Workload, (String, Kind)> {
    let environment = Environment::new(hosts, &|_| Rate::gbps(54), 1);
    Workload::build(flows, patterns, &environment).map_err(|error| {
        assert_eq!(error.to_string(), error.kind().to_string());
        (error.path().to_string(), error.kind().clone())
    })
}

#[track_caller]
fn flow_fails(change: impl Fn(&mut FlowSpec), path: &str, kind: impl Into<Kind>) {
    let mut wrong = FlowSpec { name: "F2".to_owned(), ..flow() };
    change(&mut wrong);
    assert_eq!(build(&[flow(), wrong], &[], &HOSTS), Err((path.to_owned(), kind.into())));
}

#[track_caller]
fn pattern_fails(wrong: PatternSpec, path: &str, kind: impl Into<Kind>) {
    let right = permutation(Bytes::kib(1));
    assert_eq!(build(&[], &[right, wrong], &HOSTS), Err((path.to_owned(), kind.into())));
}

fn poisson(from: Time, until: Time, message: Bytes, load: f64) -> PatternSpec {
    PatternSpec::Poisson(PoissonSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        from,
        until,
        message,
        load,
    })
}

fn permutation(bytes: Bytes) -> PatternSpec {
    PatternSpec::Permutation(PermutationSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        at: ms(0),
        bytes,
    })
}

fn incast(to: &str, senders: u32, bytes: Bytes) -> PatternSpec {
    PatternSpec::Incast(incast_of(to, SendersSpec::Next(senders), bytes))
}

fn incast_of(to: &str, senders: SendersSpec, bytes: Bytes) -> IncastSpec {
    IncastSpec {
        name: None,
        group: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        at: ms(0),
        repeat: RepeatSpec::Once,
        to: HostsSpec::One(to.to_owned()),
        senders,
        bytes,
    }
}

fn converge() -> ConvergeSpec {
    ConvergeSpec {
        name: Some("local".to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One("h*".to_owned())),
        to: "c".to_owned(),
        start: ms(1),
        jitter: Span::ZERO,
        stop: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    }
}

fn sessions() -> SessionsSpec {
    SessionsSpec {
        name: Some("web".to_owned()),
        group: None,
        from: SendersSpec::Hosts(HostsSpec::One("h*".to_owned())),
        to: "c".to_owned(),
        start: ms(1),
        stop: ms(9),
        on: Span::from_us(100),
        off: Span::from_us(300),
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    }
}

const WITH_C: [&str; 3] = ["h1", "h2", "c"];

#[track_caller]
fn converge_fails(change: impl Fn(&mut ConvergeSpec), path: &str, kind: impl Into<Kind>) {
    let mut wrong = converge();
    change(&mut wrong);
    assert_eq!(build(&[], &[PatternSpec::Converge(wrong)], &WITH_C), Err((path.to_owned(), kind.into())));
}

#[track_caller]
fn sessions_fail(change: impl Fn(&mut SessionsSpec), path: &str, kind: impl Into<Kind>) {
    let mut wrong = sessions();
    change(&mut wrong);
    assert_eq!(build(&[], &[PatternSpec::Sessions(wrong)], &WITH_C), Err((path.to_owned(), kind.into())));
}

#[test]
fn several_hosts_send_to_one_other() {
    assert!(build(&[], &[PatternSpec::Converge(converge())], &WITH_C).is_ok());
    assert!(build(&[], &[PatternSpec::Sessions(sessions())], &WITH_C).is_ok());
    let none = |given: &str| HostError::NoneMatches { given: given.to_owned() };
    converge_fails(
        |c| c.from = SendersSpec::Hosts(HostsSpec::One("L*".to_owned())),
        "traffic[0].from",
        none("L*"),
    );
    converge_fails(
        |c| c.from = SendersSpec::Hosts(HostsSpec::One("h".to_owned())),
        "traffic[0].from",
        none("h"),
    );
    sessions_fail(
        |s| s.from = SendersSpec::Hosts(HostsSpec::One("h3".to_owned())),
        "traffic[0].from",
        none("h3"),
    );
    let itself = || HostError::ReceiverAmongSenders { name: "c".to_owned() };
    converge_fails(
        |c| c.from = SendersSpec::Hosts(HostsSpec::Several(vec!["h1".to_owned(), "c".to_owned()])),
        "traffic[0].from",
        itself(),
    );
    sessions_fail(
        |s| s.from = SendersSpec::Hosts(HostsSpec::One("c".to_owned())),
        "traffic[0].from",
        itself(),
    );
    let unknown = || HostError::Unknown { given: "d".to_owned() };
    converge_fails(|c| c.to = "d".to_owned(), "traffic[0].to", unknown());
}

fn called(name: &str) -> PatternSpec {
    PatternSpec::Converge(ConvergeSpec { name: Some(name.to_owned()), ..converge() })
}

fn in_group(pattern: ConvergeSpec, group: &str) -> PatternSpec {
    PatternSpec::Converge(ConvergeSpec { group: Some(group.to_owned()), ..pattern })
}

#[track_caller]
fn names_fail(flow_name: &str, patterns: &[PatternSpec], path: &str, kind: impl Into<Kind>) {
    let other = FlowSpec { name: flow_name.to_owned(), ..flow() };
    assert_eq!(build(&[other], patterns, &WITH_C), Err((path.to_owned(), kind.into())));
}

#[test]
fn flows_and_patterns_share_no_name() {
    let taken = |name: &str, by| NameError::Taken { name: name.to_owned(), by };
    let (by_flow, by_pattern) = (|name| taken(name, NameOwner::Flow), |name| taken(name, NameOwner::Pattern));
    names_fail("F1", &[called("a"), called("a")], "traffic[1].name", by_pattern("a"));
    names_fail("a", &[called("b"), called("a")], "traffic[1].name", by_flow("a"));
    let same = |name: &str| FlowError::DuplicateName { name: name.to_owned() };
    names_fail("a2", &[called("a")], "flows[0].name", same("a2"));
    // `a` and `a1` make flows `a1`, `a2` and `a11`, `a12`.
    names_fail("F1", &[called("a"), called("a1")], "traffic[1].name", by_flow("a1"));
    let empty = NameError::Empty { whose: NameOwner::Pattern };
    names_fail("F1", &[called("")], "traffic[0].name", empty);
}

#[test]
fn a_group_has_the_name_of_no_flow_and_of_no_pattern_elsewhere() {
    let by_flow = |name: &str| NameError::Taken { name: name.to_owned(), by: NameOwner::Flow };
    names_fail("F1", &[in_group(converge(), "F1")], "traffic[0].group", by_flow("F1"));
    names_fail("F1", &[in_group(converge(), "local1")], "traffic[0].group", by_flow("local1"));
    names_fail(
        "F1",
        &[in_group(converge(), "")],
        "traffic[0].group",
        NameError::Empty { whose: NameOwner::Group },
    );
    let second = ConvergeSpec { name: Some("far".to_owned()), ..converge() };
    let elsewhere = NameError::PatternElsewhere { name: "local".to_owned(), group: "all".to_owned() };
    let patterns = [in_group(converge(), "all"), in_group(second.clone(), "local")];
    names_fail("F1", &patterns, "traffic[1].group", elsewhere);
    let own = FlowSpec { group: Some("local2".to_owned()), ..flow() };
    let found = build(&[own], &[PatternSpec::Converge(converge())], &WITH_C);
    assert_eq!(found, Err(("flows[0].group".to_owned(), by_flow("local2").into())));
    // The group of a pattern with a name has that name, and others may join it.
    assert!(build(&[], &[PatternSpec::Converge(converge()), in_group(second, "local")], &WITH_C).is_ok());
}

#[test]
fn a_fault_in_each_flow_is_a_fault_in_the_pattern() {
    converge_fails(
        |c| c.message = Bytes::ZERO,
        "traffic[0].message",
        FlowError::MessageSize { given: Bytes::ZERO },
    );
    sessions_fail(
        |s| s.message = Bytes::ZERO,
        "traffic[0].message",
        FlowError::MessageSize { given: Bytes::ZERO },
    );
    converge_fails(|c| c.load = LoadSpec::Messages(0), "traffic[0].load", FlowError::NoMessages);
    let level = || FlowError::ServiceLevel { given: 16 };
    sessions_fail(|s| s.service_level = ServiceLevel(16), "traffic[0].service_level", level());
    let before = || FlowError::StopBeforeStart { start: ms(1), stop: ms(1) };
    converge_fails(|c| c.stop = Some(ms(1)), "traffic[0].stop", before());
    sessions_fail(|s| s.stop = ms(1), "traffic[0].stop", before());
}

#[test]
fn every_flow_starts_before_it_stops() {
    let late = |c: &mut ConvergeSpec| (c.jitter, c.stop) = (Span::from_us(1000), Some(ms(2)));
    converge_fails(late, "traffic[0].jitter", PatternError::JitterBeyondStop { latest: ms(2), stop: ms(2) });
}

#[test]
fn sessions_last_for_a_time_and_are_not_too_many() {
    let none = || PatternError::NoMean { given: Span::ZERO };
    sessions_fail(|s| s.on = Span::ZERO, "traffic[0].on", none());
    sessions_fail(|s| s.off = Span::ZERO, "traffic[0].off", none());
    sessions_fail(|s| s.load = LoadSpec::Messages(1), "traffic[0].load", PatternError::SessionOfMessages);
    let short = |s: &mut SessionsSpec| (s.on, s.off) = (Span::from_ns(100), Span::from_ns(100));
    sessions_fail(short, "traffic[0]", PatternError::TooManySessions { expected: 80_000 });
}

#[test]
fn names_are_given_and_given_once() {
    flow_fails(|f| f.name.clear(), "flows[1].name", FlowError::EmptyName);
    let same = |name: &str| FlowError::DuplicateName { name: name.to_owned() };
    flow_fails(|f| f.name = "F1".to_owned(), "flows[1].name", same("F1"));
    let taken = FlowSpec { name: "incast:h1->h4".to_owned(), ..flow() };
    let found = build(&[flow(), taken], &[incast("h4", 1, Bytes::kib(1))], &HOSTS);
    assert_eq!(found, Err(("flows[1].name".to_owned(), same("incast:h1->h4").into())));
}

#[test]
fn flows_are_between_two_hosts_that_exist() {
    let unknown = || HostError::Unknown { given: "h9".to_owned() };
    flow_fails(|f| f.from = "h9".to_owned(), "flows[1].from", unknown());
    flow_fails(|f| f.to = "h9".to_owned(), "flows[1].to", unknown());
    flow_fails(|f| f.to = "h1".to_owned(), "flows[1].to", FlowError::ToItself { name: "h1".to_owned() });
    let none = HostError::NoneMatches { given: "h9".to_owned() };
    pattern_fails(incast("h9", 1, Bytes::kib(1)), "traffic[1].to", none);
}

#[test]
fn messages_have_a_length_that_iba_allows() {
    for given in [Bytes::ZERO, Bytes::new((1 << 31) + 1)] {
        let kind = || FlowError::MessageSize { given };
        flow_fails(|f| f.message = given, "flows[1].message", kind());
        pattern_fails(permutation(given), "traffic[1].bytes", kind());
        pattern_fails(poisson(ms(0), ms(1), given, 0.5), "traffic[1].message", kind());
        pattern_fails(incast("h1", 1, given), "traffic[1].bytes", kind());
    }
    assert!(build(&[FlowSpec { message: Bytes::new(1 << 31), ..flow() }], &[], &HOSTS).is_ok());
}

#[test]
fn a_service_level_has_four_bits() {
    let kind = FlowError::ServiceLevel { given: 16 };
    flow_fails(|f| f.service_level = ServiceLevel(16), "flows[1].service_level", kind);
}

#[test]
fn a_load_sends_something() {
    let outstanding = LoadSpec::Saturate { outstanding: 0 };
    flow_fails(|f| f.load = outstanding, "flows[1].load.outstanding", FlowError::Outstanding);
    flow_fails(|f| f.load = LoadSpec::Paced(Rate::bps(0)), "flows[1].load", FlowError::ZeroRate);
    flow_fails(|f| f.load = LoadSpec::Messages(0), "flows[1].load", FlowError::NoMessages);
    for given in [0.0, -0.1, 1.01, f64::INFINITY] {
        pattern_fails(
            poisson(ms(0), ms(1), Bytes::kib(1), given),
            "traffic[1].load",
            PatternError::LoadRange { given },
        );
    }
    let nan = build(&[], &[poisson(ms(0), ms(1), Bytes::kib(1), f64::NAN)], &HOSTS);
    assert!(
        matches!(nan, Err((path, Kind::Pattern(PatternError::LoadRange { .. }))) if path == "traffic[0].load")
    );
}

#[test]
fn an_end_comes_after_its_beginning() {
    let before = |start, stop| FlowError::StopBeforeStart { start: ms(start), stop: ms(stop) };
    flow_fails(|f| f.stop = Some(ms(1)), "flows[1].stop", before(1, 1));
    pattern_fails(poisson(ms(3), ms(2), Bytes::kib(1), 0.5), "traffic[1].until", before(3, 2));
    let counted = |f: &mut FlowSpec| (f.stop, f.load) = (Some(ms(2)), LoadSpec::Messages(3));
    flow_fails(counted, "flows[1].stop", FlowError::StopWithMessages);
}

#[test]
fn patterns_have_the_hosts_they_need() {
    for given in [0, 4] {
        let kind = HostError::Senders { given, others: 3 };
        pattern_fails(incast("h1", given, Bytes::kib(1)), "traffic[1].senders", kind);
    }
    let patterns = [permutation(Bytes::kib(1))];
    let alone = build(&[], &patterns, &["h1"]);
    assert_eq!(alone, Err(("traffic[0]".to_owned(), HostError::TooFew { hosts: 1 }.into())));
}

/// 4 hosts at 54 Gb/s post 27 million one-byte messages a millisecond.
#[test]
fn messages_drawn_or_listed_before_the_run_have_a_limit() {
    let kind = FlowError::TooManyMessages { expected: 1_350_000_000, most: MAX_DRAWN };
    pattern_fails(poisson(ms(0), ms(50), Bytes::new(1), 1.0), "traffic[1]", kind);
    let kind = FlowError::TooManyMessages { expected: u64::from(u32::MAX), most: MAX_LISTED };
    flow_fails(|f| f.load = LoadSpec::Messages(u32::MAX), "flows[1].load", kind);
}

#[test]
fn faults_come_with_help() {
    let fault = |flows: &[FlowSpec], patterns: &[PatternSpec]| {
        let environment = Environment::new(&HOSTS, &|_| Rate::gbps(54), 1);
        let error = Workload::build(flows, patterns, &environment).expect_err("it is wrong");
        let settings::Fault { message, help, .. } = error.fault();
        format!("{message}: {}", help.expect("help"))
    };
    assert_eq!(
        fault(&[FlowSpec { message: Bytes::ZERO, ..flow() }], &[]),
        "a message of 0 B cannot be sent: write 1 B to 2 GiB"
    );
    assert_eq!(
        fault(&[], &[poisson(ms(0), ms(1), Bytes::kib(1), 80.0)]),
        "a load of 80 is not a share of a link's data rate: write a number above 0 and at most 1"
    );
    assert_eq!(
        fault(&[], &[poisson(ms(3), ms(2), Bytes::kib(1), 0.5)]),
        "2 ms is not later than the start, 3 ms, so nothing would be sent: write a time later than 3 ms"
    );
}

/// IBA 9.8: UC has no RDMA READ, UD has SEND only.
#[test]
fn a_transport_carries_what_it_has() {
    for transport in TransportService::ALL {
        for operation in Operation::ALL {
            let carried = match transport {
                TransportService::Rc | TransportService::Rd => true,
                TransportService::Uc => operation != Operation::RdmaRead,
                TransportService::Ud => operation == Operation::Send,
            };
            if carried {
                assert!(build(&[FlowSpec { transport, operation, ..flow() }], &[], &HOSTS).is_ok());
            } else {
                let kind = FlowError::NotCarried { transport, operation };
                let change = |f: &mut FlowSpec| (f.transport, f.operation) = (transport, operation);
                flow_fails(change, "flows[1].operation", kind);
            }
        }
    }
}
