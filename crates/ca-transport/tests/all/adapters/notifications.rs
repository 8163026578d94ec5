//! Marks and their answers: none is lost, none is doubled, and each names its cause.

use ca_transport::AdapterSpec;
use cc_policies::AnyEcho;
use cc_policies::dcqcn::spec::{CnpEcho, CnpWindow};
use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease, RpiUnit, WindowControl};
use packet::header::Syndrome;
use packet::{BthFlags, Opcode, Packet, Psn, ServiceLevel, TransportService};
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};
use workload::Operation;

use super::rig::{Fate, PLAIN, Pair, Record, Setup, one_by_one, saturating, services};

/// Interval of DCQCN's notifications, which takes five packets or more.
const INTERVAL: Span = Span::from_us(11);

const SL: ServiceLevel = ServiceLevel(0);

fn at_us(us: u64) -> Time {
    Span::from_us(us).after_start()
}

fn echoes() -> [AnyEcho; 4] {
    let dcqcn = CnpEcho { interval: INTERVAL, window: CnpWindow::FromCnp, service_level: None };
    [AnyEcho::Cnp, AnyEcho::Acknowledgement, AnyEcho::Hp, AnyEcho::Dcqcn(dcqcn)]
}

fn window(packets: u16) -> HpResponseSpec {
    HpResponseSpec { window: Some(WindowControl::Fixed(packets)), ..HpResponseSpec::NONE }
}

/// Returns true if marks of these data come back on acknowledgements: "If marked packet has no ACK ... send a special
/// CN packet" (HP proposal), and likewise for BECN (Gran and Reinemo 2011, 3.2.2).
fn on_acknowledgements(echo: AnyEcho, (transport, operation): (TransportService, Operation)) -> bool {
    let acknowledged = transport.is_reliable() && operation != Operation::RdmaRead;
    matches!(echo, AnyEcho::Acknowledgement | AnyEcho::Hp) && acknowledged
}

/// Returns the notifications that the echo demands for the marked packets that reached node 1: their opcode and PSN.
fn demanded(echo: AnyEcho, service: (TransportService, Operation), record: &[Record]) -> Vec<(Opcode, Psn)> {
    let mut quiet_until = Time::ZERO;
    let mut due = Vec::new();
    for seen in record.iter().filter(|seen| seen.arrives && seen.packet.has(BthFlags::FECN)) {
        if matches!(echo, AnyEcho::Dcqcn(_)) {
            if seen.at < quiet_until {
                continue;
            }
            quiet_until = seen.at + INTERVAL;
        }
        let psn = if echo == AnyEcho::Hp { seen.packet.bth.psn } else { Psn::new(0) };
        due.push(if on_acknowledgements(echo, service) {
            (Opcode::Acknowledge, seen.packet.bth.psn)
        } else {
            (Opcode::Cnp, psn)
        });
    }
    due
}

/// Returns the notifications that left node 1, in order.
fn sent(record: &[Record]) -> Vec<(Opcode, Psn)> {
    let from = record.iter().filter(|seen| seen.node == 1 && !seen.arrives).map(|seen| &seen.packet);
    from.filter(|packet| packet.has(BthFlags::BECN))
        .map(|packet| (packet.bth.opcode, packet.bth.psn))
        .collect()
}

/// Marks the data packets that leave node 0 as `marks` says, over and over.
fn marking(marks: &[bool]) -> impl FnMut(usize, &Packet) -> Fate {
    let mut next = marks.iter().copied().cycle();
    move |node, packet| {
        let marked = node == 0 && packet.payload > 0 && next.next() == Some(true);
        if marked { Fate::Marked } else { Fate::Arrives }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The wire back is busy with data and up to eight times slower, so that several packets arrive while an
    /// acknowledgement waits. Under every echo the notifications are those that the marks demand, in their order, each
    /// with the number of its cause; and the source hears each once.
    #[test]
    fn notifications_balance_the_marks(
        echo in prop::sample::select(echoes().to_vec()), service in prop::sample::select(services()),
        marks in prop::collection::vec(any::<bool>(), 1..40), packets in 1..6u64, ack_every in 1..6u32,
        outstanding in 1..20u16, slower in 1..=8u64,
    ) {
        let setup = Setup {
            rates: [Rate::gbps(8), Rate::bps(8_000_000_000 / slower)],
            adapter: AdapterSpec { ack_every, ..PLAIN },
            ..Setup::new(echo, window(outstanding))
        };
        let packets = if service.0 == TransportService::Ud { 1 } else { packets };
        let mut pair = Pair::new(&setup, marking(&marks));
        pair.open(service, 0, SL, &saturating(Bytes::kib(2 * packets), at_us(150)));
        pair.open((TransportService::Uc, Operation::Send), 1, SL, &saturating(Bytes::kib(2), at_us(150)));
        let record = pair.run(at_us(20_000)).to_vec();
        prop_assert_eq!(sent(&record), demanded(echo, service, &record));
        // The first queue pair of node 0.
        prop_assert_eq!(pair.adapters[0].seen(packet::QpNumber(0)).1 as usize, sent(&record).len());
        prop_assert!(pair.adapters.iter().all(|adapter| adapter.at_rest(at_us(20_000))));
    }

    /// Where packets are lost, too, each mark is answered once. The first packet after a gap is answered by a negative
    /// acknowledgement, which carries BECN if that packet is marked.
    #[test]
    fn a_negative_acknowledgement_reports_the_mark_of_its_packet(
        echo in prop::sample::select(&[AnyEcho::Acknowledgement, AnyEcho::Hp][..]), lost in 1..10u64,
        marks in prop::collection::vec(any::<bool>(), 1..40), slower in 1..=8u64,
    ) {
        let setup =
            Setup { rates: [Rate::gbps(8), Rate::bps(8_000_000_000 / slower)], ..Setup::new(echo, window(8)) };
        let (mut mark, mut count) = (marking(&marks), 0);
        let mut pair = Pair::new(&setup, |node, packet| {
            count += u64::from(node == 0 && packet.payload > 0);
            let loses = node == 0 && packet.payload > 0 && count == lost;
            if loses { Fate::Lost } else { mark(node, packet) }
        });
        pair.open((TransportService::Rc, Operation::Send), 0, SL, &saturating(Bytes::kib(8), at_us(100)));
        pair.open((TransportService::Uc, Operation::Send), 1, SL, &saturating(Bytes::kib(2), at_us(100)));
        let record = pair.run(at_us(20_000));
        let marked = record.iter().filter(|seen| seen.arrives && seen.packet.has(BthFlags::FECN)).count();
        prop_assert_eq!(sent(record).len(), marked);
        let from_source = |seen: &&Record| seen.node == 1 && seen.arrives && seen.packet.payload > 0;
        let after = record.iter().filter(from_source).nth(lost as usize - 1);
        let after = after.expect("a packet follows the lost one").packet;
        let nak = |seen: &&Record| {
            let reply = seen.packet.bth.opcode == Opcode::Acknowledge;
            seen.node == 0 && seen.arrives && reply && seen.packet.syndrome == Syndrome::SequenceError
        };
        let naks: Vec<_> = record.iter().filter(nak).map(|seen| seen.packet).collect();
        prop_assert_eq!(naks.len(), 1);
        prop_assert_eq!(naks[0].bth.psn.plus(1), after.bth.psn, "it names the lost packet");
        prop_assert_eq!(naks[0].has(BthFlags::BECN), after.has(BthFlags::FECN));
    }

    /// "PSN >= APSN" (HP proposal): of the marks of a flight only the first counts, however long acknowledgements
    /// wait. A second decrease would leave gaps of 255 packet times.
    #[test]
    fn the_marks_of_one_flight_count_once(first in 20..40usize, outstanding in 2..12u16, slower in 1..=8u64) {
        let response = HpResponseSpec {
            rate: Some(RateControl::Tables {
                rate_increase: (0..=255).collect(),
                rate_decrease: [[1].as_slice(), &[255; 255]].concat(),
                new_rate_rpi: vec![1; 256],
            }),
            ..window(outstanding)
        };
        let setup = Setup {
            rates: [Rate::gbps(8), Rate::bps(8_000_000_000 / slower)],
            ..Setup::new(AnyEcho::Hp, response)
        };
        // Marked are the packets from `first` on that start before the first notification leaves node 1: one flight.
        let (mut count, mut notified) = (0, false);
        let mut pair = Pair::new(&setup, |node, packet| {
            notified |= node == 1 && packet.has(BthFlags::BECN);
            count += usize::from(node == 0 && packet.payload > 0);
            let marked = node == 0 && packet.payload > 0 && count >= first && !notified;
            if marked { Fate::Marked } else { Fate::Arrives }
        });
        pair.open((TransportService::Rc, Operation::Send), 0, SL, &saturating(Bytes::kib(2), at_us(1500)));
        pair.open((TransportService::Uc, Operation::Send), 1, SL, &saturating(Bytes::kib(2), at_us(1500)));
        let record = pair.run(at_us(20_000));
        prop_assert!(!sent(record).is_empty());
        let data = record.iter().filter(|seen| seen.node == 0 && !seen.arrives && seen.packet.payload > 0);
        let starts: Vec<_> = data.map(|seen| seen.at).collect();
        let longest = starts.windows(2).map(|pair| pair[1].since(pair[0])).max();
        prop_assert!(longest < Some(Span::from_us(200)), "a gap of {longest:?}");
    }
}

/// A completed READ is an unmarked acknowledgement of its request (IBA has none of its own). After a decrease, ten
/// READs of two packets each raise the rate of requests again, in either unit of RPI. A second mark, of a later
/// flight, has the same effect.
#[test]
fn a_complete_read_counts_as_one_unmarked_acknowledgement() {
    const READS: u32 = 10;
    for rpi_unit in [RpiUnit::Packet, RpiUnit::Acknowledgement] {
        let response = HpResponseSpec {
            rate: Some(RateControl::Tables {
                rate_increase: vec![0; 256],
                rate_decrease: vec![255; 256],
                new_rate_rpi: vec![READS; 256],
            }),
            rpi_after_decrease: RpiAfterDecrease::Reloaded,
            rpi_unit,
            ..HpResponseSpec::NONE
        };
        let mut requests = 0;
        let mut pair = Pair::new(&Setup::new(AnyEcho::Hp, response), |_, packet| {
            requests += usize::from(packet.bth.opcode == Opcode::ReadRequest);
            let marked = packet.bth.opcode == Opcode::ReadRequest && [20, 60].contains(&requests);
            if marked { Fate::Marked } else { Fate::Arrives }
        });
        pair.open((TransportService::Rc, Operation::RdmaRead), 0, SL, &one_by_one(Bytes::kib(4)));
        let record = pair.run(at_us(1000));
        let is_request = |seen: &&Record| !seen.arrives && seen.packet.bth.opcode == Opcode::ReadRequest;
        let asked: Vec<_> = record.iter().filter(is_request).map(|seen| seen.at).collect();
        // At IPD 255 a request of 42 ns is followed by a gap of 10.7 us. A READ takes 4.3 us.
        let spaced = asked.windows(2).filter(|pair| pair[1].since(pair[0]) > Span::from_us(10)).count();
        // The first request after the decrease has not waited for a gap, and does not count. The gap after the tenth
        // that counts is fixed when it leaves.
        assert_eq!(spaced, 2 * (READS as usize + 1), "{rpi_unit:?}: gaps of requests");
    }
}
