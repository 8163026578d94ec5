//! Flows: their queue pairs, and the generators of their messages.
//!
//! Invariant: flows open their queue pairs in the order of the workload, so that queue pairs have the same numbers in
//! every run of a plan.

use ca_transport::{Adapter, ExpectedQueuePairs, FlowEnd, MessageOrigin};
use packet::{FlowId, NodeId, QpNumber, TransportService};
use scenario::Plan;
use workload::{MessageGenerator, Posting};

use crate::state::world::FlowEnds;

/// Opens the two queue pairs of every flow. The requester posts the messages: the host that sends the data, or for RDMA
/// READs the host that receives it.
pub(super) fn connect(plan: &Plan, adapters: &mut [Adapter]) -> Vec<FlowEnds> {
    expect(plan, adapters);
    let open = |(number, flow): (usize, &workload::Flow)| {
        let (from, to) = (flow.requester(), flow.responder());
        let (asks, answers) = (adapters[from.index()].next_qp(), adapters[to.index()].next_qp());
        let end = |own: NodeId, peer: NodeId, peer_qp| FlowEnd {
            flow: FlowId(number as u32),
            peer: peer.lid(),
            peer_qp,
            service_level: plan.service_level(flow.service_level, own, peer),
            transport: flow.transport,
            operation: flow.operation,
            finite: flow.finite,
        };
        let origin = match &flow.posting {
            Posting::Drawn { .. } => MessageOrigin::HostTraffic,
            Posting::Scheduled(schedule) => MessageOrigin::Generator(MessageGenerator::new(schedule)),
        };
        adapters[from.index()].open(end(from, to, answers), origin);
        adapters[to.index()].open(end(to, from, asks), MessageOrigin::Peer);
        let (requester, responder) = ((from, asks), (to, answers));
        if flow.source == from {
            FlowEnds { source: requester, sink: responder }
        } else {
            FlowEnds { source: responder, sink: requester }
        }
    };
    let ends: Vec<FlowEnds> = plan.workload().flows.iter().enumerate().map(open).collect();
    add_host_traffic(plan, &ends, adapters);
    ends
}

/// Makes room for the queue pairs. Those of datagrams share endpoints and flows, so that they take only the room that they need.
fn expect(plan: &Plan, adapters: &mut [Adapter]) {
    let mut expected = vec![ExpectedQueuePairs::default(); adapters.len()];
    for flow in plan.workload().flows.iter().filter(|flow| flow.transport != TransportService::Rd) {
        expected[flow.requester().index()].count(flow.operation, true);
        expected[flow.responder().index()].count(flow.operation, false);
    }
    adapters.iter_mut().zip(expected).for_each(|(adapter, expected)| adapter.expect(expected));
}

/// Gives adapters the traffic that several of their queue pairs share.
fn add_host_traffic(plan: &Plan, ends: &[FlowEnds], adapters: &mut [Adapter]) {
    let all = &plan.workload().host_traffic;
    let mut posts_to: Vec<Vec<(NodeId, QpNumber)>> = vec![Vec::new(); all.len()];
    for (flow, ends) in plan.workload().flows.iter().zip(ends) {
        if let Posting::Drawn { host_traffic, .. } = flow.posting {
            let posts = if flow.requester() == flow.source { ends.source } else { ends.sink };
            posts_to[host_traffic as usize].push(posts);
        }
    }
    for (traffic, ends) in all.iter().zip(posts_to) {
        let queue_pairs = ends.iter().map(|(_, number)| *number).collect();
        if let Some((node, _)) = ends.first() {
            adapters[node.index()].add_host_traffic(traffic.clone(), queue_pairs);
        }
    }
}
