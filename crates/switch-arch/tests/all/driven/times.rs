//! Times: a packet leaves as soon as its tail cannot be overrun and others let it, and idle links refresh their
//! credits.

use link_layer::Signal;
use packet::{Lane, PortId};
use switch_arch::SwitchSetup;
use switch_arch::spec::BufferingSpec;
use units::{Rate, Span, Time};

use super::probe::{PACKET, Probe, RATE, REFRESH, at, credits, parts};

const AMPLE: [u64; 2] = [2_000; 2];

/// Flow-control packets pass each link at least once in the interval of the standard, on each lane, though nothing
/// happens (IBA 7.9.3).
#[test]
fn an_idle_link_refreshes_its_credits() {
    for buffering in BufferingSpec::ALL {
        let mut probe = Probe::new(parts(buffering, &[RATE; 3], &credits(&AMPLE, &AMPLE)));
        probe.run_until((REFRESH * 3).after_start());
        for port in (0..3).map(PortId) {
            for lane in (0..2).map(Lane) {
                let here = |(from, signal): &&(PortId, Signal)| {
                    *from == port && matches!(signal, Signal::Credit { lane: of, .. } if *of == lane)
                };
                let updates = probe.world.signals.iter().filter(here).count();
                assert_eq!(updates, 3, "{buffering:?}: port {port:?}, {lane}");
            }
        }
    }
}

/// Returns the time at which a packet starts on a wire of this rate. Its tail comes in this many nanoseconds after its
/// header.
fn start(buffering: BufferingSpec, rates: [Rate; 2], header: u64, tail: u64) -> u64 {
    let mut probe = Probe::new(parts(buffering, &rates, &credits(&AMPLE, &AMPLE)));
    probe.send_as(at(header), 0, 1, 0, |packet| packet.tail = at(header + tail));
    probe.run_until(at(10_000));
    let [departure] = probe.world.departures[..] else { panic!("{buffering:?}: the packet leaves once") };
    departure.at.since(at(0)).ps() / 1_000
}

/// A packet starts when its header is in, or as late as its tail demands. At a faster output the tail must be in when
/// its turn on the wire has come. Neither the rate of the output nor the organisation delays a packet that is in.
#[test]
fn a_packet_overtakes_its_tail_by_nothing_and_waits_no_longer() {
    let fast = Rate::gbps(16);
    let wire_time = fast.time_for(PACKET);
    assert_eq!(wire_time, Span::from_ns(141));
    for buffering in BufferingSpec::ALL {
        for (tail, expected) in [(0, 1_000), (100, 1_000), (141, 1_000), (142, 1_001), (274, 1_133)] {
            assert_eq!(
                start(buffering, [RATE, fast], 1_000, tail),
                expected,
                "{buffering:?}, tail {tail} ns later"
            );
        }
        for rates in [[RATE, RATE], [fast, RATE], [fast, fast]] {
            assert_eq!(start(buffering, rates, 1_000, 133), 1_000, "{buffering:?}, {rates:?}");
        }
    }
}

/// Returns the outputs and times of all packets of a switch. Its input 0 feeds two slow outputs, the second half a
/// packet behind the first. It also has `blocked` packets for a fast output without credit.
fn departures(buffering: BufferingSpec, blocked: bool) -> Vec<(PortId, Time)> {
    let (fast, slow) = (Rate::gbps(16), RATE);
    let parts = parts(buffering, &[fast, fast, slow, slow], &credits(&[2_000], &[0]));
    let mut probe = Probe::new(SwitchSetup { output_buffer: PACKET, ..parts });
    [2, 3].into_iter().for_each(|output| probe.grant(at(1), output, 0, 2_000));
    (0..20).for_each(|_| probe.send(at(100), 0, 2, 0));
    (0..20).for_each(|_| probe.send(at(241), 0, 3, 0));
    if blocked {
        if buffering.has_output_queues() {
            probe.send(at(50), 1, 1, 0); // It fills the queue at the output.
        }
        probe.send(at(101), 0, 1, 0);
    }
    probe.run_until(at(100_000));
    probe.world.departures.iter().map(|departure| (departure.output, departure.at)).collect()
}

/// A packet that cannot leave, for want of credit or of room at its output, reserves no read bandwidth of its input.
/// The others of this input leave as they would without it.
#[test]
fn a_packet_that_cannot_leave_takes_no_bandwidth() {
    for buffering in [BufferingSpec::InputVoq, BufferingSpec::CombinedInputOutput] {
        let alone = departures(buffering, false);
        assert_eq!(alone.len(), 40, "{buffering:?}");
        assert_eq!(departures(buffering, true), alone, "{buffering:?}");
    }
}
