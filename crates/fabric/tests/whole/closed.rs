//! Closed loops over several queue pairs of a host, in whole runs.

use std::collections::BTreeMap;

use crate::common::{law, run};
use telemetry::RunRecord;
use units::Bytes;

const MESSAGE: Bytes = Bytes::kib(64);

/// Runs six hosts on a switch with this traffic.
fn with(traffic: &str) -> RunRecord {
    let traffic = format!("traffic=[{traffic}]");
    run(&law("incast", &["duration=\"10 ms\"", "congestion_control=Off", "flows=[]", &traffic]))
}

fn closed(destinations: &str, outstanding: u32, messages: &str) -> RunRecord {
    with(&format!(
        "Synthetic(destinations: {destinations}, arrivals: Closed(outstanding: {outstanding}), \
         size: Fixed(\"64 KiB\"), messages: {messages})"
    ))
}

/// A closed loop with a single destination equals a saturating flow.
#[test]
fn a_loop_of_one_flow_is_that_flow() {
    let seen = |record: &RunRecord| -> Vec<_> {
        let of = |flow: &telemetry::FlowRecord| {
            (flow.source.clone(), flow.destination.clone(), flow.delivered, flow.messages, flow.latency_sum)
        };
        record.flows.iter().map(of).collect()
    };
    for outstanding in [1, 3] {
        let hosts = ["s1", "s2", "s3", "s4", "s5", "sink"];
        let flow = |i: usize| {
            format!(
                "(name: \"F{i}\", from: \"{}\", to: \"{}\", start: \"0 s\", message: \"64 KiB\", \
                 load: Saturate(outstanding: {outstanding}))",
                hosts[i],
                hosts[(i + 1) % 6]
            )
        };
        let flows = format!("flows=[{}]", (0..6).map(flow).collect::<Vec<_>>().join(","));
        let named = run(&law("incast", &["duration=\"10 ms\"", "congestion_control=Off", &flows]));
        let looped = closed("Shift(1)", outstanding, "None");
        assert!(named.flows.iter().all(|flow| flow.messages > 50));
        assert_eq!(seen(&looped), seen(&named));
    }
}

/// A host never exceeds its limit of messages under way to all destinations together, and never runs dry.
#[test]
fn a_limit_is_of_the_host() {
    for outstanding in [1, 4] {
        let record = closed("Uniform", outstanding, "None");
        let mut hosts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for flow in &record.flows {
            let host = hosts.entry(&flow.source).or_default();
            host.0 += flow.delivered.get();
            host.1 += flow.messages;
        }
        assert_eq!(hosts.len(), 6);
        for (host, (delivered, complete)) in hosts {
            let most = (complete + u64::from(outstanding)) * MESSAGE.get();
            assert!(delivered <= most, "{host}: {delivered} B of {complete} messages");
            // A tenth of the link's capacity, 8 Gb/s for 10 ms, with other hosts sending to the same destination.
            assert!(delivered > 1_000_000, "{host}: {delivered} B");
        }
    }
}

/// Two loops of the same host do not disturb each other, and each ends after its messages.
#[test]
fn an_exchange_of_all_to_all_ends() {
    let all = "Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 1), size: Fixed(\"64 KiB\"), \
               messages: 5)";
    let record = with(&format!("{all}, {all}"));
    assert_eq!(record.flows.len(), 60);
    for flow in &record.flows {
        assert_eq!((flow.delivered, flow.messages), (MESSAGE, 1), "{}", flow.name);
    }
}
