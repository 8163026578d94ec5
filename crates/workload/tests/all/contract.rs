//! Promises of every pattern and rule. The lists of examples hold each variant, so a new variant is tested here.

use std::collections::{BTreeMap, BTreeSet};

use packet::NodeId;
use units::{Bytes, Rate, Time};
use workload::spec::{
    ArrivalSpec, DestinationSpec, HostsSpec, IncastSpec, RepeatSpec, SendersSpec, SizeSpec, SyntheticSpec,
};
use workload::{
    Environment, FlowSpec, HostTraffic, LONGEST_MESSAGE, LoadSpec, Operation, PatternSpec, Posting,
    TransportService, Workload,
};

use crate::posted::posted;

const HOSTS: [&str; 4] = ["h1", "h2", "h3", "h4"];

/// Switches that the hosts are attached to.
const SWITCHES: [NodeId; 4] = [NodeId(4), NodeId(4), NodeId(5), NodeId(5)];

/// Every pattern, and every combination of the rules of synthetic traffic and of incasts.
fn patterns() -> Vec<PatternSpec> {
    let mut all = PatternSpec::examples();
    for destinations in DestinationSpec::EXAMPLES {
        for arrivals in ArrivalSpec::EXAMPLES {
            let (start, stop) = (Time::ZERO, Some(Time::from_ps(50_000_000)));
            let messages = matches!(arrivals, ArrivalSpec::AtOnce).then_some(3);
            all.extend(SizeSpec::examples().into_iter().map(|size| {
                let service_level = Default::default();
                PatternSpec::Synthetic(SyntheticSpec {
                    name: None,
                    group: None,
                    transport: Default::default(),
                    operation: Default::default(),
                    senders: HostsSpec::all(),
                    receivers: HostsSpec::all(),
                    destinations,
                    arrivals,
                    size,
                    start,
                    stop,
                    messages,
                    service_level,
                })
            }));
        }
    }
    for senders in SendersSpec::examples() {
        for repeat in RepeatSpec::EXAMPLES {
            all.extend(["h3", "h*"].map(|to| {
                PatternSpec::Incast(IncastSpec {
                    name: None,
                    group: None,
                    transport: Default::default(),
                    operation: Operation::RdmaRead,
                    service_level: Default::default(),
                    at: Time::from_ps(1_000_000),
                    repeat,
                    to: HostsSpec::One(to.to_owned()),
                    senders: senders.clone(),
                    bytes: Bytes::kib(4),
                })
            }));
        }
    }
    all
}

fn built(flows: &[FlowSpec], pattern: &PatternSpec, seed: u64) -> Workload {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = BTreeMap::from([
        file("sizes.txt", "0 0\n1000 20\n10000 60\n100000 100\n"),
        file("flow.txt", "2\n0 1 3 100 5000 0.00001\n2 0 0 100 700 0.00002\n"),
    ]);
    let environment = Environment::new(&HOSTS, &|_| Rate::gbps(54), seed)
        .ending(Time::from_ps(100_000_000))
        .attached_to(&SWITCHES)
        .with_files(&files);
    Workload::build(flows, std::slice::from_ref(pattern), &environment).expect("examples are right")
}

#[test]
fn flows_lead_between_two_hosts_under_a_name_of_their_own() {
    for pattern in patterns() {
        let workload = built(&[], &pattern, 1);
        assert!(!workload.flows.is_empty(), "{pattern:?}");
        let names: BTreeSet<&str> = workload.flows.iter().map(|flow| &*flow.name).collect();
        assert_eq!(names.len(), workload.flows.len(), "{pattern:?}");
        for flow in &workload.flows {
            assert_ne!(flow.source, flow.destination, "{pattern:?}");
            assert!(flow.operation.is_carried_by(flow.transport), "{pattern:?}");
        }
    }
}

#[test]
fn messages_are_in_order_and_within_the_sizes_of_iba() {
    for pattern in patterns() {
        // `posted` compares the messages with the forecast of each flow.
        for flow in posted(&built(&[], &pattern, 1)) {
            assert!(flow.posts.is_sorted_by_key(|post| post.at), "{pattern:?}");
            let sized = |bytes| Bytes::ZERO < bytes && bytes <= LONGEST_MESSAGE;
            assert!(flow.posts.iter().all(|post| sized(post.bytes)), "{pattern:?}");
            assert!(flow.posts.iter().all(|post| post.at < flow.posting.stop()), "{pattern:?}");
        }
    }
}

#[test]
fn the_same_seed_draws_the_same_traffic() {
    for pattern in patterns() {
        assert_eq!(built(&[], &pattern, 7), built(&[], &pattern, 7), "{pattern:?}");
    }
}

#[test]
fn each_host_traffic_posts_to_the_flows_that_refer_to_it() {
    for pattern in patterns() {
        let Workload { flows, host_traffic, .. } = built(&[], &pattern, 1);
        let mut counts = vec![0; host_traffic.len()];
        for flow in &flows {
            if let Posting::Drawn { host_traffic, .. } = flow.posting {
                counts[host_traffic as usize] += 1;
            }
        }
        assert_eq!(counts, host_traffic.iter().map(HostTraffic::flows).collect::<Vec<_>>(), "{pattern:?}");
    }
}

#[test]
fn named_flows_post_by_every_load_and_operation() {
    for load in LoadSpec::EXAMPLES {
        for operation in Operation::ALL {
            let spec = FlowSpec {
                name: "F1".to_owned(),
                group: None,
                from: "h1".to_owned(),
                to: "h2".to_owned(),
                start: Time::ZERO,
                stop: None,
                service_level: Default::default(),
                transport: TransportService::Rc,
                operation,
                message: Bytes::kib(4),
                load,
            };
            let flow = built(&[spec], &PatternSpec::examples()[0], 1).flows.remove(0);
            let ends = if operation == Operation::RdmaRead { (1, 0) } else { (0, 1) };
            assert_eq!((flow.requester().0, flow.responder().0), ends, "{load:?}");
            assert_eq!(flow.posting.start(), Time::ZERO);
        }
    }
}
