//! Laws of an output-queued switch with finite queues: landing buffers at the inputs, a queue at each output.

use link_layer::spec::WireTime;
use packet::{Lane, PortId};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Bytes, Rate, Span, Time};

use super::bench::{Bench, FLIGHT, Order, Setup};

/// Length of a packet of the MTU on the wire, and its time there.
const PACKET: Bytes = Bytes::new(282);
const SLOT: Span = Rate::gbps(8).time_for(PACKET);
/// Time until a host's packet is routed: the header on the wire, and the flight.
const HEADER: Span = Span::from_ns(8);
/// Time that a host takes for a packet if it is to accept only as many as its buffer holds.
const NEVER: Span = Span::from_us(1_000_000);

/// Four links of 8 Gb/s to hosts that take in four packets; `digestion` is the time that each host takes for a packet.
fn setup(buffering: BufferingSpec, output_queue: Bytes, digestion: [Span; 4]) -> Setup {
    Setup {
        buffering,
        arbiter: ArbiterSpec::RoundRobin,
        rates: vec![8; 4],
        speedup_thousandths: 1000,
        output_queue,
        digestion: digestion.to_vec(),
        host_buffer: Bytes::new(4 * 320),
        wire_time: WireTime::Free,
    }
}

fn full(at: Time, from: u16, to: u16) -> Order {
    Order { at, from, to, lane: 0, payload: 256 }
}

/// Returns true if the landing buffer of `input` holds a packet after all events up to `at`.
fn holds(bench: &mut Bench, input: u16, at: Time) -> bool {
    bench.run_until(at);
    bench.switch.view().observed(PortId(input), Lane(0)).0.held() > Bytes::ZERO
}

/// A packet that has room at its output leaves its landing buffer when its tail is in. A packet that comes after it
/// leaves when the room is there. The wire is never idle meanwhile.
#[test]
fn a_landing_buffer_is_free_when_the_tail_is_in_and_has_room() {
    let mut bench = Bench::new(&setup(BufferingSpec::Output, PACKET, [Span::ZERO; 4]));
    let at = Span::from_us(1).after_start();
    (0..3).for_each(|from| bench.order(full(at, from, 3)));
    let routed = at + HEADER + FLIGHT;
    let tail = at + SLOT + FLIGHT;
    for (input, freed) in [(0, tail), (1, routed + SLOT), (2, routed + SLOT * 2)] {
        assert!(holds(&mut bench, input, Time::from_ps(freed.ps() - 1)), "{input} is freed too early");
        assert!(!holds(&mut bench, input, freed), "{input} is freed too late");
    }
    bench.run_until(at + SLOT * 10);
    assert_eq!(bench.last, routed + SLOT * 3 + FLIGHT, "the wire was never idle");
}

/// Packets to the output of a host that takes no more fill that output's queue. Then they fill the landing buffer of
/// their input, which has room for 204 packets. Until it is full, packets of the same input to another output pass
/// them; from then on its link gets no credit. The link of another input does in any case. With input FIFO the first of
/// them blocks.
#[test]
fn a_full_output_queue_backs_up_only_the_inputs_that_feed_it() {
    for (buffering, stuck, passes) in [
        (BufferingSpec::Output, 150_u32, 50),
        (BufferingSpec::Output, 250, 0),
        (BufferingSpec::InputFifo, 150, 0),
    ] {
        let digestion = [Span::ZERO, Span::ZERO, Span::ZERO, NEVER];
        let mut bench = Bench::new(&setup(buffering, PACKET * 4, digestion));
        let at = Span::from_us(1).after_start();
        (0..stuck).for_each(|_| bench.order(full(at, 0, 3)));
        (0..50).for_each(|_| bench.order(full(at, 0, 2)));
        (0..50).for_each(|_| bench.order(full(at, 1, 2)));
        bench.run_until(at + SLOT * 1000);
        let delivered = |from, to| bench.delivered.get(&(from, to, 0)).copied().unwrap_or(0);
        assert_eq!(delivered(0, 3), 4, "{buffering:?}: the host accepts as much as it holds");
        assert_eq!((delivered(0, 2), delivered(1, 2)), (passes, 50), "{buffering:?} with {stuck}");
        if buffering == BufferingSpec::Output {
            let queue = bench.switch.view().output_queue(PortId(3), Lane(0)).expect("there is one");
            assert_eq!(queue.held(), PACKET * 4, "the queue is full");
            let landing = bench.switch.view().observed(PortId(0), Lane(0)).0.held();
            let behind = u64::from(stuck) - 4 - 4;
            assert_eq!(landing, PACKET * behind.min(204), "the rest waits at its input, or at its host");
        }
    }
}

/// The room rule starves no packet by its length. Short packets from two inputs overload an output, so that by chance
/// its queue is never empty enough for a long packet. The long packet still leaves after the packets that were ready
/// before it.
#[test]
fn short_packets_do_not_starve_a_long_one() {
    let mut bench = Bench::new(&setup(BufferingSpec::Output, PACKET, [Span::ZERO; 4]));
    let start = Span::from_us(1).after_start();
    let short = |from| Order { at: start, from, to: 2, lane: 0, payload: 0 };
    (0..600).for_each(|_| [0, 1].into_iter().for_each(|from| bench.order(short(from))));
    // The hosts send back to back: by then each has sent this many, and half of them have left.
    let (length, sent) = (Bytes::new(26), 200);
    let each = Rate::gbps(8).time_for(length);
    bench.order(full(start + each * sent, 3, 2));
    bench.run_until(start + each * (2 * sent) + SLOT * 2 + FLIGHT * 2);
    assert_eq!(bench.delivered.get(&(3, 2, 0)), Some(&1), "the long packet waits for packets behind it");
    let shorts = |bench: &Bench| bench.delivered[&(0, 2, 0)] + bench.delivered[&(1, 2, 0)];
    assert!(shorts(&bench) < 450, "{} short packets came first", shorts(&bench));
    bench.run_until(start + each * 1300 + SLOT * 2 + FLIGHT * 2);
    assert_eq!(shorts(&bench), 1200);
}
