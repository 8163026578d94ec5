//! Statistics of adapters against the packets that passed the cable.

use ca_transport::AdapterSpec;
use cc_policies::hp::spec::HpResponseSpec;
use cc_policies::iba::spec::IbaResponseSpec;
use cc_policies::{AnyEcho, ResponseSpec};
use event_kernel::Digest;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use units::{Bytes, Span, Time};
use workload::Operation;

use super::rig::{Fate, PLAIN, Pair, Record, Setup, listed, saturating};

const SL: ServiceLevel = ServiceLevel(0);
const RC_SEND: (TransportService, Operation) = (TransportService::Rc, Operation::Send);

fn at_us(us: u64) -> Time {
    Span::from_us(us).after_start()
}

fn plain() -> Setup {
    Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE)
}

fn lengths(record: &[Record], node: usize) -> impl Iterator<Item = Bytes> {
    record.iter().filter(move |seen| seen.node == node && !seen.arrives).map(|seen| seen.packet.wire_bytes())
}

/// Returns the digest of an adapter after one arrival.
fn digest(at: Time, flow: u32, psn: u32, flags: BthFlags) -> Digest {
    let mut pair = Pair::new(&plain(), |_, _| Fate::Arrives);
    pair.open((TransportService::Ud, Operation::Send), 0, SL, &listed([]));
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), SL);
    let (opcode, transport) = (Opcode::SendOnly, TransportService::Ud);
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(psn), opcode, transport, flags };
    pair.arrive(1, at, Packet::new(lrh, bth, QpNumber(0), FlowId(flow), 64));
    pair.adapters[1].digest()
}

#[test]
fn the_digest_tells_arrivals_apart() {
    let none = BthFlags::empty();
    let digests = [
        digest(at_us(1), 1, 1, none),
        digest(at_us(2), 1, 1, none),
        digest(at_us(1), 2, 1, none),
        digest(at_us(1), 1, 2, none),
        digest(at_us(1), 1, 1, BthFlags::FECN),
    ];
    assert_eq!(digests[0], digest(at_us(1), 1, 1, none));
    for (one, first) in digests.iter().enumerate() {
        assert!(digests[one + 1..].iter().all(|other| other != first), "arrival {one} looks like another");
    }
}

/// IBA A10.4.3.8: the threshold is reached once while the index rises from 0 to 5, however the BECN comes.
#[test]
fn an_index_that_reaches_its_threshold_is_counted() {
    for (echo, on_packets) in [(AnyEcho::Cnp, Opcode::Cnp), (AnyEcho::Acknowledgement, Opcode::Acknowledge)] {
        let response = IbaResponseSpec { trigger_threshold: 3, ccti_timer: u16::MAX, ..Default::default() };
        let setup = Setup { response: ResponseSpec::Iba(response), ..Setup::new(echo, HpResponseSpec::NONE) };
        let mut data = 0;
        let mut pair = Pair::new(&setup, |_, packet| {
            data += u64::from(packet.payload > 0);
            if packet.payload > 0 && data <= 5 { Fate::Marked } else { Fate::Arrives }
        });
        let [source, _] = pair.open(RC_SEND, 0, SL, &saturating(Bytes::kib(2), at_us(100)));
        let record = pair.run(at_us(200));
        let with_becn = record.iter().filter(|seen| seen.arrives && seen.packet.has(BthFlags::BECN));
        assert!(with_becn.clone().all(|seen| seen.packet.bth.opcode == on_packets));
        assert_eq!(with_becn.count(), 5);
        let control = pair.adapters[0].control_state(source, at_us(200)).expect("the source sends");
        assert_eq!(control.ccti, Some(5), "{echo:?}");
        assert_eq!(pair.adapters[0].tally().trigger_events, 1, "{echo:?}");
    }
}

/// IBA 9.7.6.1.3: a requester that loses all its packets goes back as often as its retry count says, a time-out
/// apart, and gives up once.
#[test]
fn a_dead_end_costs_every_retry_and_one_queue_pair() {
    let setup = Setup { adapter: AdapterSpec { ack_timeout: 1, retry_count: 3, ..PLAIN }, ..plain() };
    let mut pair = Pair::new(&setup, |_, _| Fate::Lost);
    pair.open(RC_SEND, 0, SL, &listed([(Time::ZERO, Bytes::new(500))]));
    let record = pair.run(at_us(1000));
    let starts: Vec<_> = record.iter().map(|seen| seen.at).collect();
    let timeout = Span::from_ns(8_192);
    assert_eq!(starts, [0, 1, 2, 3].map(|retry| (timeout * retry).after_start()));
    let tally = pair.adapters[0].tally();
    assert_eq!((tally.timeouts, tally.retransmitted, tally.failed_queue_pairs), (3, 3, 1));
    assert_eq!(pair.adapters[0].turnover(), (4, 0));
}

/// A message is open from its posting to its acknowledgement. The two hosts have a flow each; the packets of the
/// second flow get lost.
#[test]
fn flows_are_open_while_messages_are_under_way() {
    let mut pair =
        Pair::new(&plain(), |_, packet| if packet.flow == FlowId(1) { Fate::Lost } else { Fate::Arrives });
    for source in [0, 1] {
        pair.open(RC_SEND, source, SL, &listed([Time::ZERO, at_us(1)].map(|at| (at, Bytes::new(500)))));
    }
    let open = |pair: &Pair<'_>, node: usize| -> Vec<u32> {
        pair.adapters[node].open_flows().map(|flow| flow.0).collect()
    };
    assert!(open(&pair, 0).is_empty(), "nothing is posted yet");
    pair.run(Time::from_ps(1));
    assert_eq!([0, 1].map(|node| open(&pair, node)), [[0], [1]]);
    pair.run_on(at_us(50));
    assert_eq!([0, 1].map(|node| open(&pair, node)), [vec![], vec![1, 1]]);
}

/// The shortest packet that a time-out could make the adapter send is among those that it sent and that got lost. A
/// retired adapter has none, and keeps its statistics.
#[test]
fn the_shortest_packet_is_one_that_was_sent() {
    for operation in [Operation::Send, Operation::RdmaWrite] {
        for bytes in [1, 2_048, 2_049, 4_096, 8_192, 8_191] {
            let mut pair = Pair::new(&plain(), |_, _| Fate::Lost);
            let service = (TransportService::Rc, operation);
            pair.open(service, 0, SL, &listed([(Time::ZERO, Bytes::new(bytes))]));
            assert_eq!(pair.adapters[0].shortest_packet(), None, "nothing is posted yet");
            let shortest = lengths(pair.run(at_us(50)), 0).min();
            assert_eq!(pair.adapters[0].shortest_packet(), shortest, "{operation:?} of {bytes} B");
            assert_eq!(pair.adapters[1].shortest_packet(), None);
            let adapter = &mut pair.adapters[0];
            let before = (adapter.turnover(), *adapter.tally());
            adapter.retire();
            assert_eq!(adapter.shortest_packet(), None, "a retired adapter keeps no message");
            assert_eq!((adapter.turnover(), *adapter.tally()), before);
        }
    }
    let mut pair = Pair::new(&plain(), |_, _| Fate::Lost);
    pair.open((TransportService::Rc, Operation::RdmaRead), 0, SL, &listed([]));
    assert!(pair.adapters.iter().all(|adapter| adapter.shortest_packet() == Some(Bytes::ZERO)));
}

/// Lanes count what passed the cable: the packets that left, and the bytes of those that arrived while the host had yet
/// to consume them.
#[test]
fn lanes_count_the_packets_that_passed() {
    let mut pair = Pair::new(&plain(), |_, _| Fate::Arrives);
    pair.open(RC_SEND, 0, SL, &saturating(Bytes::kib(4), at_us(50)));
    pair.open(RC_SEND, 0, ServiceLevel(1), &saturating(Bytes::kib(1), at_us(50)));
    let record = pair.run(at_us(1000)).to_vec();
    for (node, adapter) in pair.adapters.iter().enumerate() {
        let seen = |lane: usize, arrives| {
            let of_lane = move |seen: &&Record| seen.packet.lrh.lane == Lane(lane as u8);
            let here = record.iter().filter(move |seen| seen.node == node && seen.arrives == arrives);
            here.filter(of_lane).map(|seen| seen.packet.wire_bytes())
        };
        assert_eq!(adapter.all_observed().count(), 2);
        for (lane, (input, output)) in adapter.all_observed().enumerate() {
            assert_eq!(output.packets, seen(lane, false).count() as u64, "node {node}, lane {lane}");
            assert_eq!(output.bytes, seen(lane, false).sum::<Bytes>());
            // Hosts without limit consume on arrival: the buffer never holds more than one packet.
            assert_eq!(input.peak(), seen(lane, true).max().unwrap_or_default());
        }
    }
}

/// A silenced adapter posts nothing more, and still sends what is posted.
#[test]
fn a_silenced_adapter_sends_what_is_posted() {
    let mut pair = Pair::new(&plain(), |_, _| Fate::Arrives);
    pair.open(RC_SEND, 0, SL, &saturating(Bytes::kib(2), Time::NEVER));
    pair.open(RC_SEND, 0, SL, &listed([5, 15, 25].map(|us| (at_us(us), Bytes::kib(2)))));
    pair.adapters.iter_mut().for_each(ca_transport::Adapter::log_messages);
    pair.run(at_us(20));
    assert!(!pair.adapters[0].is_silent());
    pair.adapters[0].silence();
    assert!(pair.adapters[0].is_silent());
    pair.run_on(at_us(2000));
    let [posted, acknowledged, consumed] = [0, 0, 1].map(|node| pair.adapters[node].message_log());
    let posted = &posted.expect("a log").posted;
    assert!(posted.iter().all(|(_, at, _)| *at <= at_us(20)));
    assert_eq!(posted.iter().filter(|(queue_pair, ..)| *queue_pair == QpNumber(1)).count(), 2);
    assert_eq!(acknowledged.expect("a log").acknowledged.len(), posted.len());
    assert_eq!(consumed.expect("a log").consumed.len(), posted.len());
    assert!(pair.adapters.iter().all(|adapter| adapter.at_rest(at_us(2000))));
}
