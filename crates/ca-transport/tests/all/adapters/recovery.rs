//! Two adapters back to back, and the effect of one notification on the flow between them: the limit that the
//! response learns for each packet, and sent packets that count as acknowledgements.

use cc_policies::AnyEcho;
use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease, WindowControl};
use packet::{ServiceLevel, TransportService};
use units::{Bytes, Span, Time};
use workload::{MessageSchedule, Operation};

use super::rig::{self, FLIGHT, Fate, Pair, Setup};

/// Approximate wire time of a packet of 2,048 bytes with headers at 8 Gb/s.
const PACKET: Span = Span::from_ns(2074);

/// Returns the times at which the data packets of a flow left until `end`; the packets `marked` get FECN on the wire.
fn departures(
    service: (TransportService, Operation),
    schedule: &MessageSchedule,
    response: &HpResponseSpec,
    marked: &[usize],
    end: Time,
) -> Vec<Time> {
    let mut sent = 0;
    let mut pair = Pair::new(&Setup::new(AnyEcho::Hp, response.clone()), |_, packet| {
        sent += usize::from(packet.payload > 0);
        if packet.payload > 0 && marked.contains(&(sent - 1)) { Fate::Marked } else { Fate::Arrives }
    });
    pair.open(service, 0, ServiceLevel(0), schedule);
    let record = pair.run(end);
    record.iter().filter(|seen| !seen.arrives && seen.packet.payload > 0).map(|seen| seen.at).collect()
}

fn saturating() -> MessageSchedule {
    rig::saturating(Bytes::kib(2), Time::NEVER)
}

fn rate_alone() -> HpResponseSpec {
    HpResponseSpec {
        rate: Some(RateControl::Lipd { max_ipd: 255 }),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    }
}

/// Returns the number of packets that left more than a packet time after their predecessor.
fn spaced(left: &[Time]) -> usize {
    left.windows(2).filter(|pair| pair[1].since(pair[0]) > PACKET * 3 / 2).count()
}

/// LIPD from IPD 0: 128 packets at half the rate, then full rate again. 127 of them are an IPD apart if each counts
/// when it is sent; one or two more if its acknowledgement has to arrive first.
#[test]
fn one_decrease_costs_as_many_packets_with_acknowledgements_as_without() {
    let end = Span::from_us(1000).after_start();
    let cost = |what| spaced(&departures(what, &saturating(), &rate_alone(), &[20], end));
    let reliable = cost((TransportService::Rc, Operation::Send));
    for what in [
        (TransportService::Uc, Operation::Send),
        (TransportService::Uc, Operation::RdmaWrite),
        (TransportService::Ud, Operation::Send),
        (TransportService::Rc, Operation::RdmaRead),
    ] {
        let silent = cost(what);
        assert!((126..=128).contains(&silent), "{what:?}: {silent} packets");
        assert!(
            reliable.abs_diff(silent) <= 2,
            "{what:?}: {silent} packets, {reliable} with acknowledgements"
        );
    }
}

/// Marks of different flights count each, with the numbers of acknowledged packets and with the eras of others.
#[test]
fn two_decreases_cost_twice_as_many_packets() {
    let end = Span::from_us(2500).after_start();
    for what in [
        (TransportService::Rc, Operation::Send),
        (TransportService::Uc, Operation::Send),
        (TransportService::Ud, Operation::Send),
        (TransportService::Rc, Operation::RdmaRead),
    ] {
        let cost = |marked: &[usize]| spaced(&departures(what, &saturating(), &rate_alone(), marked, end));
        let (one, two) = (cost(&[20]), cost(&[20, 400]));
        assert!(two.abs_diff(2 * one) <= 2, "{what:?}: {one} packets for one mark, {two} for two");
    }
}

/// A flow that paces itself below its rate does not raise the rate by sending: after 500 packets its rate is still
/// half, as a burst shows.
#[test]
fn a_flow_that_is_not_limited_is_not_raised() {
    let end = Span::from_us(8000).after_start();
    let mut posts: Vec<_> = (0..500u64)
        .map(|n| workload::ListedMessage { at: (PACKET * (4 * n)).after_start(), bytes: Bytes::kib(2) })
        .collect();
    let burst = (PACKET * 2100).after_start();
    posts.extend([workload::ListedMessage { at: burst, bytes: Bytes::kib(2) }; 20]);
    for transport in [TransportService::Rc, TransportService::Uc] {
        let schedule = MessageSchedule::Listed(posts.clone().into());
        let left = departures((transport, Operation::Send), &schedule, &rate_alone(), &[20], end);
        assert_eq!(left.len(), 520);
        assert_eq!(spaced(&left[500..]), 19, "{transport:?}: each of the burst waits for the one before");
    }
}

/// Only packets that a closed window held back raise the window: three packets wide after one mark, and four again
/// after three acknowledgements if the flow has filled it.
#[test]
fn only_a_full_window_is_raised() {
    let response = HpResponseSpec {
        rate: None,
        window: Some(WindowControl::Tables {
            window_increase: vec![2, 3, 4, 4],
            window_decrease: vec![1, 1, 1, 1],
            new_window_rpi: vec![1000, 1000, 1000, 1000],
        }),
        rpi_after_decrease: RpiAfterDecrease::Kept,
        ..HpResponseSpec::NONE
    };
    let end = Span::from_us(400).after_start();
    // RPI is 1 at rest and kept. When the mark comes back, the window of 1 holds back the packet behind the packet on
    // the wire, and the next. The acknowledgement of the first of these widens the window to 2, where it stays for
    // 1,000: the wire is never idle again.
    let left = departures((TransportService::Rc, Operation::Send), &saturating(), &response, &[20], end);
    let idle = left.windows(2).filter(|pair| pair[1].since(pair[0]) > PACKET + FLIGHT).count();
    assert_eq!(idle, 2, "packets that waited for a round trip");
    // A packet every four packet times never meets a closed window of 1: the window stays at 1, as a burst shows.
    let mut posts: Vec<_> = (0..40u64)
        .map(|n| workload::ListedMessage { at: (PACKET * (4 * n)).after_start(), bytes: Bytes::kib(2) })
        .collect();
    posts.extend([workload::ListedMessage { at: (PACKET * 170).after_start(), bytes: Bytes::kib(2) }; 3]);
    let left = departures(
        (TransportService::Rc, Operation::Send),
        &MessageSchedule::Listed(posts.into()),
        &response,
        &[20],
        (Span::from_us(800)).after_start(),
    );
    let first = left[41].since(left[40]);
    assert!(first > PACKET + FLIGHT, "the burst's second packet waits for a round trip, not {first}");
}
