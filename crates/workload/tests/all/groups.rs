//! Groups of flows, and the phases that patterns with a name begin.

use std::collections::BTreeMap;

use packet::ServiceLevel;
use units::{Bytes, Rate, Span, Time};
use workload::spec::{
    ArrivalSpec, ConvergeSpec, DestinationSpec, FlowListSpec, HostsSpec, IncastSpec, PoissonSpec, RepeatSpec,
    SendersSpec, SizeSpec, SyntheticSpec,
};
use workload::{Environment, FlowSpec, LoadSpec, Operation, PatternSpec, TransportService, Workload};

const HOSTS: [&str; 4] = ["h1", "h2", "h3", "h4"];

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn text(name: &str) -> Option<String> {
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn flow(name: &str, group: &str) -> FlowSpec {
    FlowSpec {
        name: name.to_owned(),
        group: text(group),
        from: "h1".to_owned(),
        to: "h2".to_owned(),
        start: us(0),
        stop: None,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Messages(1),
    }
}

fn incast(name: &str, group: &str, at: u64) -> PatternSpec {
    let (name, group, at) = (text(name), text(group), us(at));
    PatternSpec::Incast(IncastSpec {
        name,
        group,
        at,
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        repeat: RepeatSpec::Once,
        to: HostsSpec::One("h1".to_owned()),
        senders: SendersSpec::Next(2),
        bytes: Bytes::kib(1),
    })
}

fn poisson(name: &str, group: &str) -> PatternSpec {
    let (from, until, message, load) = (us(3), us(30), Bytes::kib(2), 0.5);
    PatternSpec::Poisson(PoissonSpec {
        name: text(name),
        group: text(group),
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

fn converge(name: &str, group: &str) -> PatternSpec {
    PatternSpec::Converge(ConvergeSpec {
        name: text(name),
        group: text(group),
        from: SendersSpec::Hosts(HostsSpec::One("h3*".to_owned())),
        to: "h1".to_owned(),
        start: us(3),
        jitter: Span::from_us(5),
        stop: Some(us(40)),
        service_level: ServiceLevel(0),
        transport: TransportService::Rc,
        operation: Operation::Send,
        message: Bytes::kib(4),
        load: LoadSpec::Saturate { outstanding: 2 },
    })
}

fn synthetic(name: &str) -> PatternSpec {
    PatternSpec::Synthetic(SyntheticSpec {
        name: text(name),
        group: None,
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        senders: HostsSpec::all(),
        receivers: HostsSpec::all(),
        destinations: DestinationSpec::Shift(1),
        arrivals: ArrivalSpec::Fixed { load: 0.5 },
        size: SizeSpec::Fixed(Bytes::kib(2)),
        start: us(5),
        stop: None,
        messages: None,
        service_level: ServiceLevel(0),
    })
}

fn list(name: &str) -> PatternSpec {
    let file = "flow.txt".to_owned();
    PatternSpec::FlowList(FlowListSpec {
        name: text(name),
        group: None,
        transport: TransportService::Rc,
        operation: Operation::RdmaWrite,
        file,
        origin: us(0),
        host_prefix: None,
    })
}

fn built(flows: &[FlowSpec], patterns: &[PatternSpec]) -> Workload {
    let lines = "2\n2 0 3 100 700 0.00002\n0 1 3 100 5000 0.00001\n";
    let files = BTreeMap::from([("flow.txt".to_owned(), lines.to_owned())]);
    let environment = Environment::new(&HOSTS, &|_| Rate::gbps(54), 1).ending(us(100)).with_files(&files);
    Workload::build(flows, patterns, &environment).expect("good traffic")
}

/// Returns the names of the flows of each group, then those without.
fn members(workload: &Workload) -> (Vec<(&str, Vec<&str>)>, Vec<&str>) {
    let of = |group| {
        let flows = workload.flows.iter().filter(move |flow| flow.group == group);
        flows.map(|flow| &*flow.name).collect::<Vec<_>>()
    };
    let groups = (0..).zip(&workload.groups).map(|(i, group)| (group.name.as_str(), of(Some(i))));
    (groups.collect(), of(None))
}

#[test]
fn groups_stand_in_the_order_of_their_first_member() {
    let flows = [flow("F1", ""), flow("F2", "victims")];
    let patterns =
        [incast("", "", 1), converge("near", "jobs"), incast("burst", "", 2), incast("", "victims", 3)];
    let workload = built(&flows, &patterns);
    let (groups, alone) = members(&workload);
    assert_eq!(
        groups,
        [
            ("victims", vec!["F2", "incast3:h2->h1", "incast3:h3->h1"]),
            ("jobs", vec!["near1"]),
            ("burst", vec!["burst:h2->h1", "burst:h3->h1"]),
        ]
    );
    assert_eq!(alone, ["F1", "incast:h2->h1", "incast:h3->h1"]);
    let of_patterns: Vec<Option<u32>> = workload.flows.iter().map(|flow| flow.pattern).collect();
    let expected = [None, None, Some(1), Some(0), Some(0), Some(2), Some(2), Some(3), Some(3)];
    assert_eq!(of_patterns, expected);
}

#[test]
fn flows_of_a_pattern_without_a_name_have_none_either() {
    let workload = built(&[], &[converge("", "jobs")]);
    assert_eq!(members(&workload).0, [("jobs", vec!["converge:h3->h1"])]);
    assert!(!workload.flows[0].named);
}

#[test]
fn a_name_begins_a_phase_at_the_declared_start_and_end_and_a_group_alone_begins_none() {
    let patterns = [
        incast("burst", "", 3),
        poisson("background", ""),
        converge("near", ""),
        synthetic("shift"),
        list("trace"),
        incast("", "jobs", 7),
        poisson("", "jobs"),
    ];
    let changes: Vec<(Time, String)> =
        built(&[], &patterns).changes().into_iter().map(|change| (change.at, change.what)).collect();
    let expected = [
        (3, "burst, background, near start"),
        (5, "shift starts"),
        (10, "trace starts"),
        (30, "background stops"),
        (40, "near stops"),
    ];
    assert_eq!(changes, expected.map(|(at, what)| (us(at), what.to_owned())));
}
