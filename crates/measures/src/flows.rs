//! Numbers over any set of flows of a whole run.
//!
//! Invariant: a set without a delivered packet has no latency, rather than 0.

use std::borrow::Borrow;

use telemetry::{FlowRecord, Marks, RepeatTally, RunRecord};
use units::{Bytes, Span, Time};

/// Sums and extremes over flows.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowTotals {
    /// Payload that destinations' hosts took.
    pub delivered: Bytes,
    /// Data packets that arrived marked, by the reason of the first switch that marked them.
    pub marks: Marks,
    /// BECNs that reached the sources.
    pub becns: u64,
    /// Packets out of order and again.
    pub repeats: RepeatTally,
    /// Number of delivered packets.
    packets: u64,
    /// Number of data packets of RC and RD that arrived for the first time, accepted or not.
    arrived: u64,
    /// Sum of the packets' latencies. A million flows add up to more than a [`Span`] holds.
    latency_ps: u128,
    latency_max: Span,
}

impl FlowTotals {
    /// Adds up flows.
    pub fn of(flows: impl IntoIterator<Item = impl Borrow<FlowRecord>>) -> Self {
        let mut totals = Self::default();
        for flow in flows {
            let flow = flow.borrow();
            totals.delivered += flow.delivered;
            totals.marks.add(&flow.marks());
            totals.becns += flow.becns;
            let repeats = flow.repeats();
            totals.repeats = totals.repeats.plus(repeats);
            totals.packets += flow.packets;
            if flow.transport.is_reliable() {
                totals.arrived += flow.packets + repeats.waiting + repeats.refused;
            }
            totals.latency_ps += u128::from(flow.latency_sum.ps());
            totals.latency_max = totals.latency_max.max(flow.latency_max);
        }
        totals
    }

    /// Returns the mean latency of a delivered packet, in s.
    #[must_use]
    pub fn mean_latency_s(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.latency_ps as f64 / 1e12 / self.packets as f64)
    }

    /// Returns the number of data packets of RC and RD, whose receivers wait for packets, that arrived for the first
    /// time, accepted or not.
    #[must_use]
    pub const fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Returns the share of these packets that arrived while a packet before them was missing; `None` without any.
    #[must_use]
    pub fn out_of_order(&self) -> Option<f64> {
        (self.arrived() > 0).then(|| self.repeats.out_of_order as f64 / self.arrived() as f64)
    }

    /// Returns the longest latency of a delivered packet, in s.
    #[must_use]
    pub fn longest_latency_s(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.latency_max.seconds())
    }
}

/// Returns the goodput of flows together over the simulated time, in bit/s. A drain is left out, with all that it delivers:
/// nothing is posted meanwhile, so its length says nothing of the traffic.
pub fn goodput_bps(record: &RunRecord, flows: impl IntoIterator<Item = usize>) -> f64 {
    let end = record.drained_from();
    let delivered = |flow: usize| match end {
        Some(end) => record.delivered_by(flow, end),
        None => record.flows[flow].delivered,
    };
    let span = end.map_or(record.simulated, Time::since_start);
    flows.into_iter().map(delivered).sum::<Bytes>().bps_over(span)
}

/// Returns the time that flows waited as victims in congestion trees, added up over roots, by groups of flows.
/// `group_of` names a flow's group, from 0 on, if it has any.
#[must_use]
pub fn waited(record: &RunRecord, groups: usize, group_of: impl Fn(usize) -> Option<usize>) -> Vec<Span> {
    let mut waited = vec![Span::ZERO; groups];
    for victim in record.congestion.roots.iter().flat_map(|root| &root.victims) {
        if let Some(group) = group_of(victim.flow as usize) {
            waited[group] += victim.waited;
        }
    }
    waited
}

#[cfg(test)]
mod tests {
    use packet::TransportService;
    use telemetry::{RootRecord, VictimRecord};

    use super::*;

    #[test]
    fn waits_add_up_over_roots_by_group() {
        let victim = |(flow, us): (u32, u64)| VictimRecord {
            flow,
            samples: 1,
            waited: Span::from_us(us),
            lost: Bytes::ZERO,
        };
        let root = |victims: [(u32, u64); 2]| RootRecord {
            victims: victims.map(victim).to_vec(),
            ..RootRecord::default()
        };
        let mut record = RunRecord::default();
        record.congestion.roots = vec![root([(0, 1), (1, 10)]), root([(0, 100), (2, 1000)])];
        let by_parity = waited(&record, 2, |flow| (flow != 2).then_some(flow % 2));
        assert_eq!(by_parity, [101, 10].map(Span::from_us));
    }

    #[test]
    fn the_mean_latency_weighs_packets_and_not_flows() {
        let flow = |packets, sum, max| FlowRecord {
            packets,
            latency_sum: Span::from_us(sum),
            latency_max: Span::from_us(max),
            ..FlowRecord::default()
        };
        let totals = FlowTotals::of(&[flow(1, 10, 10), flow(3, 6, 3), FlowRecord::default()]);
        assert_eq!(totals.mean_latency_s(), Some(4e-6));
        assert_eq!(totals.longest_latency_s(), Some(10e-6));
        let none = FlowTotals::of(&[FlowRecord::default()]);
        assert_eq!((none.mean_latency_s(), none.longest_latency_s()), (None, None));
    }

    /// Packets that wait for a slow host have arrived, and receivers of UD wait for none.
    #[test]
    fn the_share_out_of_order_is_of_packets_that_could_be() {
        let flow = |transport, packets, tally| FlowRecord {
            transport,
            packets,
            repeats: Some(Box::new(tally)),
            ..FlowRecord::default()
        };
        let slow = RepeatTally { out_of_order: 3, waiting: 2, refused: 1, ..RepeatTally::default() };
        let datagrams = flow(TransportService::Ud, 100, RepeatTally::default());
        for packets in [0, 1, 7] {
            let totals = FlowTotals::of([&flow(TransportService::Rc, packets, slow), &datagrams]);
            assert_eq!(totals.out_of_order(), Some(3.0 / (packets + 3) as f64));
        }
        assert_eq!(FlowTotals::of([&datagrams]).out_of_order(), None);
    }
}
