//! State that queue pairs share or have of their own: end-to-end contexts, controlled flows, and a window that a
//! notification closes.

use cc_policies::AnyEcho;
use cc_policies::hp::spec::{HpResponseSpec, RpiAfterDecrease, WindowControl};
use packet::{Opcode, QpNumber, ServiceLevel, TransportService};
use units::{Bytes, Rate, Span, Time};
use workload::Operation;

use super::rig::{Fate, Pair, Record, Setup, saturating, services};

const SL: ServiceLevel = ServiceLevel(0);

fn at_us(us: u64) -> Time {
    Span::from_us(us).after_start()
}

/// IBA 9.7.8: the queue pairs of a context take turns message by message, and queue pairs of connections packet by
/// packet.
#[test]
fn only_datagrams_of_one_context_wait_for_each_other() {
    for (transport, packets_in_turn) in [(TransportService::Rd, 4), (TransportService::Rc, 1)] {
        let mut pair = Pair::new(&Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE), |_, _| Fate::Arrives);
        for _ in 0..2 {
            pair.open((transport, Operation::Send), 0, SL, &saturating(Bytes::kib(8), at_us(100)));
        }
        let record = pair.run(at_us(1000));
        let data = record.iter().filter(|seen| !seen.arrives && seen.packet.payload > 0);
        let queue_pairs = data.map(|seen| seen.packet.source_qp);
        // The first queue pair starts before the other has posted a message.
        let queue_pairs: Vec<_> = queue_pairs.skip_while(|first| *first == QpNumber(0)).take(40).collect();
        assert_eq!(queue_pairs.len(), 40);
        for (number, turn) in queue_pairs.chunks(packets_in_turn).enumerate() {
            let expected = QpNumber((number as u32 + 1) % 2);
            assert!(turn.iter().all(|one| *one == expected), "{transport:?}: {queue_pairs:?}");
        }
    }
}

/// A queue pair has a response at each end that sends requests or data, and at no other.
#[test]
fn only_an_end_that_sends_is_controlled() {
    for service in services() {
        let mut pair = Pair::new(&Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE), |_, _| Fate::Arrives);
        let numbers = pair.open(service, 0, SL, &saturating(Bytes::new(64), at_us(10)));
        let [data, other] =
            [0, 1].map(|node| pair.adapters[node].control_state(numbers[node], Time::ZERO).is_some());
        assert!(data, "{service:?}: data leave");
        assert_eq!(other, service.1 == Operation::RdmaRead, "{service:?}: only a READ is requested there");
    }
}

/// A notification closes the window when it arrives. The wire back is so slow that the acknowledgement behind the CNP
/// takes longer than a packet: none leaves meanwhile.
#[test]
fn a_notification_closes_the_window_at_once() {
    let response = HpResponseSpec {
        window: Some(WindowControl::Tables {
            window_increase: vec![1, 2, 3, 4, 5, 6, 7, 8],
            window_decrease: vec![1; 8],
            new_window_rpi: vec![1000; 8],
        }),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    };
    let setup = Setup { rates: [Rate::gbps(8), Rate::bps(80_000_000)], ..Setup::new(AnyEcho::Cnp, response) };
    let mut data = 0;
    let mut pair = Pair::new(&setup, |_, packet| {
        data += u64::from(packet.payload > 0);
        if packet.payload > 0 && data == 1 { Fate::Marked } else { Fate::Arrives }
    });
    pair.open((TransportService::Rc, Operation::Send), 0, SL, &saturating(Bytes::kib(2), at_us(100)));
    let record = pair.run(at_us(200));
    let replies: Vec<&Record> = record.iter().filter(|seen| seen.node == 0 && seen.arrives).collect();
    assert_eq!(
        [replies[0], replies[1]].map(|seen| seen.packet.bth.opcode),
        [Opcode::Cnp, Opcode::Acknowledge]
    );
    let (from, to) = (replies[0].at, replies[1].at);
    assert!(to.since(from) > Span::from_ns(2_100), "time for another packet");
    let left = |from: Time, to: Time| {
        record
            .iter()
            .filter(|seen| !seen.arrives && seen.node == 0 && from <= seen.at && seen.at < to)
            .count()
    };
    assert!((2..8).contains(&left(Time::ZERO, from)), "the window was open");
    assert_eq!(left(from, to), 0);
}
