//! The host behind an adapter against a queue on paper: packets are consumed in turn, each at the host's rate.

use ca_transport::SinkTally;
use ca_transport::host_drain::HostDrain;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketPool, Psn, QpNumber, ServiceLevel,
    TransportService,
};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

fn packet(payload: u16, injected: Time) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let (opcode, transport) = (Opcode::SendOnly, TransportService::Rc);
    let bth =
        Bth { destination_qp: QpNumber(0), psn: Psn::new(7), opcode, transport, flags: BthFlags::empty() };
    let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), payload);
    packet.injected = injected;
    packet
}

#[test]
fn a_host_without_limit_takes_packets_on_arrival() {
    assert!(HostDrain::new(None).is_unlimited());
    assert!(!HostDrain::new(Some(Rate::gbps(1))).is_unlimited());
}

proptest! {
    /// A packet is consumed when the host has had its time for it, from its arrival or from the end of the previous
    /// packet.
    #[test]
    fn a_host_is_a_queue_with_one_server(
        gaps in prop::collection::vec((0..3_000u64, 1..2_048u16), 1..30),
    ) {
        let rate = Rate::gbps(8); // A byte a nanosecond.
        let (mut drain, mut pool) = (HostDrain::new(Some(rate)), PacketPool::default());
        let (mut now, mut free) = (0, 0);
        let arrivals: Vec<_> = gaps.iter().map(|(gap, payload)| { now += gap; (now, *payload) }).collect();
        let ends: Vec<u64> = arrivals
            .iter()
            .map(|(at, payload)| { free = free.max(*at) + u64::from(*payload); free })
            .collect();
        let (mut due, mut consumed, mut came) = (None, 0, 0);
        while consumed < arrivals.len() {
            let arrives = arrivals.get(came).map(|(at, _)| *at);
            // If a packet ends and another comes at the same instant, the end is first.
            if due.is_some_and(|due: u64| arrives.is_none_or(|at| due <= at)) {
                let at = due.expect("just asked");
                prop_assert_eq!(at, ends[consumed]);
                let (id, next) = drain.consumed(&pool, Span::from_ns(at).after_start());
                prop_assert_eq!(pool[id].payload, arrivals[consumed].1, "in order of arrival");
                due = next.map(|next| next.since(Time::ZERO).ps() / 1_000);
                consumed += 1;
            } else {
                let (at, payload) = arrivals[came];
                let now = Span::from_ns(at).after_start();
                let id = pool.insert(packet(payload, now));
                let end = drain.accept(id, &mut pool, now);
                prop_assert_eq!(end.is_some(), came == consumed, "only an idle host begins");
                due = end.map(|end| end.since(Time::ZERO).ps() / 1_000).or(due);
                came += 1;
            }
            prop_assert_eq!(drain.waiting(), (came - consumed) as u64);
        }
    }

    #[test]
    fn a_sink_counts_what_was_consumed(
        seen in prop::collection::vec((0..5_000u64, 0..9_000u64, 0..2_048u16), 1..30),
    ) {
        let mut tally = SinkTally::default();
        let mut now = 0;
        for (gap, latency, payload) in &seen {
            now += gap + latency;
            let injected = Span::from_ns(now - latency).after_start();
            tally.consume(&packet(*payload, injected), Span::from_ns(now).after_start());
        }
        let latencies = || seen.iter().map(|one| Span::from_ns(one.1));
        prop_assert_eq!(tally.packets, seen.len() as u64);
        prop_assert_eq!(tally.delivered, Bytes::new(seen.iter().map(|one| u64::from(one.2)).sum()));
        prop_assert_eq!(tally.latency_sum, latencies().fold(Span::ZERO, |sum, one| sum + one));
        prop_assert_eq!(Some(tally.latency_max), latencies().max());
        prop_assert_eq!(tally.last(), Some(Span::from_ns(now).after_start()));
    }
}
