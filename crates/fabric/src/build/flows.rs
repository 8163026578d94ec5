//! Flows: their queue pairs, and the generators of their messages.
//!
//! Invariant: flows open their queue pairs in the order of the workload. So queue pairs have the same numbers in
//! every run of a plan, also where a process holds only some of the adapters.

use ca_transport::{Adapter, ExpectedQueuePairs, FlowEnd, MessageOrigin};
use packet::{FlowId, NodeId, QpNumber, TransportService};
use scenario::Plan;
use workload::job::RanksOfHost;
use workload::{MessageGenerator, Posting};

use crate::state::world::FlowEnds;

/// The channel adapters that are being built: all of the fabric, or some.
pub(super) struct Hosts<'a> {
    /// Adapters of this process, by node number.
    pub(super) adapters: &'a mut [Adapter],
    /// Position in `adapters` of each host, `None` if it is not there.
    pub(super) positions: &'a [Option<u32>],
}

impl Hosts<'_> {
    fn get(&mut self, node: NodeId) -> Option<&mut Adapter> {
        let position = self.positions[node.index()]?;
        Some(&mut self.adapters[position as usize])
    }

    /// Opens a queue pair, if its adapter is there.
    fn open(&mut self, own: (NodeId, QpNumber), end: FlowEnd, origin: impl FnOnce() -> MessageOrigin) {
        if let Some(adapter) = self.get(own.0) {
            let number = adapter.open(end, origin());
            debug_assert_eq!(
                number, own.1,
                "queue pairs have the numbers that they have in the whole fabric"
            );
        }
    }
}

/// Opens the two queue pairs of every flow. The requester posts the messages: the host that sends the data, or for RDMA
/// READs the host that receives it.
pub(super) fn connect(plan: &Plan, mut hosts: Hosts<'_>) -> Vec<FlowEnds> {
    expect(plan, &mut hosts);
    let mut opened = vec![0; plan.nodes().adapters.len()];
    let open = |(number, flow): (u32, &workload::Flow)| {
        let (from, to) = (flow.requester(), flow.responder());
        let (asks, answers) = (QpNumber(opened[from.index()]), QpNumber(opened[to.index()]));
        let end = |own, peer| FlowEnds::end(plan, FlowId(number), own, peer);
        let origin = || match &flow.posting {
            Posting::Drawn { .. } => MessageOrigin::HostTraffic,
            Posting::Job { .. } => MessageOrigin::Job,
            Posting::Scheduled(schedule) => MessageOrigin::Generator(MessageGenerator::new(schedule)),
        };
        let (requester, responder) = ((from, asks), (to, answers));
        hosts.open(requester, end(from, responder), origin);
        hosts.open(responder, end(to, requester), || MessageOrigin::Peer);
        // Counted also for adapters of other processes: a peer's number must be known without its adapter.
        opened[from.index()] += 1;
        opened[to.index()] += 1;
        if flow.source == from {
            FlowEnds { source: requester, sink: responder }
        } else {
            FlowEnds { source: responder, sink: requester }
        }
    };
    let ends: Vec<FlowEnds> = (0..).zip(&plan.workload().flows).map(open).collect();
    add_host_traffic(plan, &ends, &mut hosts);
    add_jobs(plan, &ends, &mut hosts);
    ends
}

/// Makes room for the queue pairs. Queue pairs of datagrams share endpoints and flows, so they take only the room
/// that they need.
fn expect(plan: &Plan, hosts: &mut Hosts<'_>) {
    let mut expected = vec![ExpectedQueuePairs::default(); plan.nodes().adapters.len()];
    for flow in plan.workload().flows.iter().filter(|flow| flow.transport != TransportService::Rd) {
        expected[flow.requester().index()].count(flow.operation, true);
        expected[flow.responder().index()].count(flow.operation, false);
    }
    for (node, expected) in (0..).map(NodeId).zip(expected) {
        if let Some(adapter) = hosts.get(node) {
            adapter.expect(expected);
        }
    }
}

/// Gives adapters the traffic that several of their queue pairs share.
fn add_host_traffic(plan: &Plan, ends: &[FlowEnds], hosts: &mut Hosts<'_>) {
    let all = &plan.workload().host_traffic;
    let mut posts_to = vec![(NodeId(0), Vec::new()); all.len()];
    for (flow, ends) in plan.workload().flows.iter().zip(ends) {
        if let Posting::Drawn { host_traffic, .. } = flow.posting {
            let posts = if flow.requester() == flow.source { ends.source } else { ends.sink };
            let (node, queue_pairs) = &mut posts_to[host_traffic as usize];
            *node = posts.0;
            queue_pairs.push(posts.1);
        }
    }
    for (traffic, (node, queue_pairs)) in all.iter().zip(posts_to).filter(|(_, (_, all))| !all.is_empty()) {
        if let Some(adapter) = hosts.get(node) {
            adapter.add_host_traffic(traffic.clone(), queue_pairs.into_boxed_slice());
        }
    }
}

/// Gives adapters the ranks of jobs that run at them.
fn add_jobs(plan: &Plan, ends: &[FlowEnds], hosts: &mut Hosts<'_>) {
    for RanksOfHost { host, jobs, leaving, coming } in RanksOfHost::all(&plan.workload().jobs) {
        let queue_pairs = |flows: &[u32], end: fn(&FlowEnds) -> QpNumber| -> Vec<QpNumber> {
            flows.iter().map(|flow| end(&ends[*flow as usize])).collect()
        };
        let leaving = queue_pairs(&leaving, |ends| ends.source.1);
        let coming = queue_pairs(&coming, |ends| ends.sink.1);
        if let Some(adapter) = hosts.get(host) {
            adapter.add_jobs(jobs, leaving.into_boxed_slice(), &coming);
        }
    }
}
