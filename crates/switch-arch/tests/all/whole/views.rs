//! A switch as instruments see it, at a standstill where each packet is known.

use link_layer::spec::WireTime;
use packet::{Lane, PortId, VoqId};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use telemetry::LaneInput;
use units::{Bytes, Rate, Span, Time};

use super::bench::{Bench, LANES, Order, Setup};

/// Lengths of a packet of the MTU and of an empty packet.
const FULL: Bytes = Bytes::new(282);
const SHORT: Bytes = Bytes::new(26);
const NEVER: Span = Span::from_us(1_000_000);

const ONE: Lane = Lane(0);
const OTHER: Lane = Lane(1);

fn at(us: u64) -> Time {
    Span::from_us(us).after_start()
}

const fn voq(input: u16, output: u16, lane: Lane) -> VoqId {
    VoqId { input: PortId(input), output: PortId(output), lane }
}

/// Returns a switch before the hosts send. The host at port 3 has room for four packets of each lane and consumes none.
///
/// | from | to | lane | packets | waiting in the end |
/// |---|---|---|---|---|
/// | 0 | 3 | 0 | 7 full | 3 |
/// | 0 | 2 | 0 | 1 short | none; with input FIFO 1, behind the others |
/// | 1 | 3 | 1 | 5 full | 1 |
/// | 2 | 3 | 0 | 1 short, later | 1 |
fn bench(buffering: BufferingSpec) -> Bench {
    let mut bench = Bench::new(&Setup {
        buffering,
        arbiter: ArbiterSpec::RoundRobin,
        rates: vec![8, 8, 8, 4],
        speedup_thousandths: 1000,
        output_queue: FULL * 2,
        digestion: vec![Span::ZERO, Span::ZERO, Span::ZERO, NEVER],
        host_buffer: Bytes::new(4 * 320),
        wire_time: WireTime::Free,
    });
    let order = |at, from, to, lane: Lane, payload| Order { at, from, to, lane: lane.0, payload };
    (0..7).for_each(|_| bench.order(order(at(1), 0, 3, ONE, 256)));
    bench.order(order(at(1), 0, 2, ONE, 0));
    (0..5).for_each(|_| bench.order(order(at(1), 1, 3, OTHER, 256)));
    bench.order(order(at(100), 2, 3, ONE, 0));
    bench
}

#[test]
fn a_view_shows_each_packet_that_waits() {
    for buffering in BufferingSpec::ALL {
        let mut bench = bench(buffering);
        bench.run_until(at(200));
        let behind = buffering == BufferingSpec::InputFifo;
        let (view, pool) = (bench.switch.view(), bench.pool());
        let mut lengths = Vec::new();
        view.visit_packets(pool, &mut |packet| lengths.push(packet.wire_bytes()));
        lengths.sort_unstable();
        let short = if behind { vec![SHORT; 2] } else { vec![SHORT] };
        assert_eq!(lengths, [short, vec![FULL; 4]].concat(), "{buffering:?}");
        let waiting = |output, lane| view.waiting(PortId(output), lane);
        assert_eq!(waiting(3, ONE), FULL * 3 + SHORT, "{buffering:?}");
        assert_eq!((waiting(3, OTHER), waiting(0, ONE)), (FULL, Bytes::ZERO), "{buffering:?}");
        assert_eq!(waiting(2, ONE), if behind { SHORT } else { Bytes::ZERO }, "{buffering:?}");
        let mut awaited = Vec::new();
        view.visit_buffers(pool, &mut |packet, output| awaited.push((packet.voq().output.0, output.0)));
        awaited.sort_unstable();
        // Two packets of the first lane and a packet of the second have left their buffers for queues at the output.
        let here = if buffering.has_output_queues() { 2 } else { 5 };
        let blocked = if behind { vec![(2, 3)] } else { vec![] };
        assert_eq!(awaited, [blocked, vec![(3, 3); here]].concat(), "{buffering:?}");
        let charged: Bytes = view.all_observed().map(|(input, _)| input.held()).sum();
        let queued = [ONE, OTHER].map(|lane| view.output_queue(PortId(3), lane).map(LaneInput::held));
        let expected = if buffering.has_output_queues() { [Some(FULL * 2), Some(FULL)] } else { [None; 2] };
        assert_eq!(queued, expected, "{buffering:?}");
        let queued: Bytes = queued.into_iter().flatten().sum();
        assert_eq!(charged + queued, lengths.into_iter().sum(), "{buffering:?}");
        assert!(!view.at_rest(bench.now()));
    }
}

#[test]
fn a_view_shows_what_could_leave_next() {
    for buffering in BufferingSpec::ALL {
        let mut bench = bench(buffering);
        bench.run_until(at(200));
        let (view, pool) = (bench.switch.view(), bench.pool());
        let heads = [(3, ONE), (3, OTHER), (2, ONE)]
            .map(|(output, lane)| view.longest_head(PortId(output), lane, pool));
        assert_eq!(heads, [Some(FULL), Some(FULL), None], "{buffering:?}");
        let room = [(3, ONE), (3, OTHER), (2, ONE)]
            .map(|(output, lane)| view.room_behind_crossbar(PortId(output), lane, pool));
        let rooms = [Some(Bytes::ZERO), Some(FULL), Some(FULL * 2)];
        assert_eq!(room, if buffering.has_output_queues() { rooms } else { [None; 3] }, "{buffering:?}");
        // Where memory belongs to outputs, all inputs share the queue of an output and lane, in the order of arrival.
        let of_output = matches!(buffering, BufferingSpec::Central | BufferingSpec::Output);
        let second = (!of_output).then_some(SHORT);
        let at_input = (!buffering.has_output_queues()).then_some(FULL);
        let contenders = [voq(0, 3, ONE), voq(2, 3, ONE), voq(1, 3, OTHER), voq(0, 2, ONE), voq(1, 3, ONE)];
        let lengths = contenders.map(|voq| view.contender(voq, pool));
        assert_eq!(lengths, [Some(FULL), second, at_input, None, None], "{buffering:?}");
        let heads = contenders.map(|voq| view.is_head(voq));
        // No packet of the same input stands before these.
        assert_eq!(heads, [true, true, at_input.is_some(), false, false], "{buffering:?}");
        assert!(view.arrived_on(voq(0, 3, ONE), ONE, pool) && !view.arrived_on(voq(0, 3, ONE), OTHER, pool));
    }
}

/// An input is read while a packet of it is on its way out, by outputs that read at inputs.
#[test]
fn a_view_shows_which_inputs_are_read() {
    for buffering in BufferingSpec::ALL {
        let mut bench = bench(buffering);
        let reads = |bench: &Bench| [0, 1, 2, 3].map(|input| bench.switch.view().is_read(PortId(input)));
        assert_eq!(reads(&bench), [false; 4]);
        // The header is in 58 ns after the order.
        bench.run_until(at(1) + Span::from_ns(60));
        let limited = buffering.reads_at_inputs();
        let [first, second, ..] = reads(&bench);
        assert_eq!(first || second, limited, "{buffering:?}");
        assert!(!(first && second), "both have packets for the same output");
        assert_eq!(bench.switch.view().limits_reads(), limited, "{buffering:?}");
        bench.run_until(at(200));
        assert_eq!(reads(&bench), [false; 4], "{buffering:?}: an output without credit reads nothing");
    }
}

#[test]
fn a_view_shows_the_ports() {
    let bench = bench(BufferingSpec::InputVoq);
    let view = bench.switch.view();
    assert_eq!((view.radix(), view.lanes()), (4, usize::from(LANES)));
    assert_eq!((view.links().count(), view.all_observed().count(), view.all_marks().len()), (4, 8, 8));
    let rates: Vec<_> = (0..4).map(|port| view.link_rate(PortId(port))).collect();
    assert_eq!(rates, [8, 8, 8, 4].map(Rate::gbps));
    assert!(view.links().zip(rates).all(|(link, rate)| link.wire().rate() == rate));
    assert!(view.pauses(PortId(0), ONE, at(0)).is_none() && !view.shares_memory());
    assert_eq!((view.dropped(), view.dropped_at_output(PortId(0), ONE)), (0, 0));
    assert_eq!(view.margins(PortId(0), ONE), [None; 2]);
    assert!(view.at_rest(at(0)));
}
