//! Traffic patterns in whole runs: the paths that a check announces, and hosts that read.

use std::collections::BTreeMap;

use crate::common::law;
use fabric::{RunOptions, simulate};
use packet::PortId;
use scenario::Plan;
use telemetry::RunRecord;

const CLOS: &str = "topology=Clos(radix: 8, host_cable: \"wire\", trunk_cable: \"wire\")";

fn drained(plan: &Plan) -> RunRecord {
    let options = RunOptions { drain: true, ..RunOptions::default() };
    let record = simulate(plan, options, &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(record.audit.drained);
    record
}

/// Each flow is a single packet of UD, which nothing acknowledges. So the packets that an output sent are the flows
/// that cross it, by the hash of their queue pairs. Two patterns, so that the numbers of queue pairs of the second do
/// not begin at 0.
#[test]
fn the_check_announces_the_cables_that_flows_cross() {
    let permutation = "Permutation(transport: Ud, operation: Send, at: \"0 s\", bytes: \"1 KiB\")";
    let list = |patterns: &str| format!("traffic=[{patterns}]");
    let both = law("two-switches", &[CLOS, "flows=[]", "routing=Ecmp", &list(&[permutation; 2].join(", "))]);
    let first = law("two-switches", &[CLOS, "flows=[]", "routing=Ecmp", &list(permutation)]);
    let [with, without] = [&both, &first].map(|plan| crossings(plan, &drained(plan)));
    let second: BTreeMap<_, _> = with
        .iter()
        .map(|(output, count)| (*output, count - without.get(output).copied().unwrap_or_default()))
        .filter(|(_, count)| *count > 0)
        .collect();
    for (found, used) in [(&without, &both.pattern_uses()[0]), (&second, &both.pattern_uses()[1])] {
        let cables = used.cables;
        let most = *found.values().max().expect("some leave");
        let (node, port, flows) = cables.most.expect("some leave");
        assert_eq!((flows as u64, found[&(node.index(), port)]), (most, most));
        let graph = both.graph();
        let cable = |(node, port): &(usize, PortId)| {
            let far = graph.ports(packet::NodeId(*node as u32))[port.index()];
            (*node, *port).min((far.peer.index(), far.peer_port))
        };
        let mut cables_found: BTreeMap<_, u64> = BTreeMap::new();
        for (output, count) in found {
            let most = cables_found.entry(cable(output)).or_default();
            *most = (*most).max(*count);
        }
        let shared = cables_found.values().filter(|count| **count > 1).count();
        assert_eq!((cables.used, cables.shared), (cables_found.len(), shared));
        assert!(most > 1 && cables.used < cables.all, "the hash is not even: {cables:?}");
    }
}

/// Packets that each output of a switch has sent to another switch.
fn crossings(plan: &Plan, record: &RunRecord) -> BTreeMap<(usize, PortId), u64> {
    let graph = plan.graph();
    let mut found = BTreeMap::new();
    for lane in record.lanes.iter().filter(|lane| lane.packets > 0) {
        let (node, port) = (graph.find(&lane.node).expect("it is there"), PortId(lane.port - 1));
        let peer = graph.ports(node)[port.index()].peer;
        if !graph.is_host(node) && !graph.is_host(peer) {
            *found.entry((node.index(), port)).or_default() += lane.packets;
        }
    }
    found
}

/// h1 and h2 read from h5 to h8, by messages that they draw, over every arrival rule.
#[test]
fn hosts_that_draw_messages_read_them() {
    for arrivals in ["Poisson(load: 0.3)", "Closed(outstanding: 2)", "AtOnce"] {
        let traffic = format!(
            "traffic=[Synthetic(operation: RdmaRead, senders: \"h1..h2\", receivers: \"h5..h8\", \
             destinations: Uniform, arrivals: {arrivals}, size: Fixed(\"4 KiB\"), messages: 40)]"
        );
        let record = drained(&law("two-switches", &[CLOS, "flows=[]", "adapter.max_reads=4", &traffic]));
        let delivered: u64 = record.flows.iter().map(|flow| flow.delivered.get()).sum();
        assert_eq!(delivered, 2 * 40 * 4096, "{arrivals}");
        for flow in &record.flows {
            let from: u32 = flow.source[1..].parse().expect("a number");
            assert!((5..=8).contains(&from), "{arrivals}: {}", flow.name);
            assert!(["h1", "h2"].contains(&flow.destination.as_str()), "{arrivals}: {}", flow.name);
        }
    }
}
