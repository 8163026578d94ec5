//! Laws of combined input and output queueing.

use link_layer::spec::WireTime;
use packet::{Lane, PortId};
use rand::RngExt;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Bytes, Rate, Span, Time};

use super::bench::{Bench, FLIGHT, Order, Setup};

/// Length of a packet of the MTU on the wire, and its time there.
const PACKET: Bytes = Bytes::new(282);
const SLOT: Span = Rate::gbps(8).time_for(PACKET);
const COMBINED: BufferingSpec = BufferingSpec::CombinedInputOutput;
/// Arbiters with maximal matchings.
const MAXIMAL: [ArbiterSpec; 3] =
    [ArbiterSpec::RoundRobin, ArbiterSpec::OldestFirst, ArbiterSpec::Islip { iterations: PORTS as u8 }];

fn setup(buffering: BufferingSpec, arbiter: ArbiterSpec, rates: &[u64], speedup_thousandths: u64) -> Setup {
    Setup {
        buffering,
        arbiter,
        rates: rates.to_vec(),
        speedup_thousandths,
        output_queue: Bytes::kib(64),
        digestion: vec![Span::ZERO; rates.len()],
        host_buffer: Bytes::kib(64),
        wire_time: WireTime::Counted,
    }
}

fn full(at: Time, from: u16, to: u16) -> Order {
    Order { at, from, to, lane: 0, payload: 256 }
}

/// A lone packet finds everything idle and passes at once: the crossing costs no time.
#[test]
fn a_lone_packet_is_as_fast_as_without_queues_at_the_outputs() {
    let latency = |buffering, rates: &[u64], speedup| {
        let mut bench = Bench::new(&setup(buffering, ArbiterSpec::RoundRobin, rates, speedup));
        let at = Span::from_us(1).after_start();
        bench.order(full(at, 0, 1));
        bench.run_until(at + Span::from_us(10));
        bench.last.since(at)
    };
    for rates in [[8, 8], [8, 32], [32, 8], [16, 24]] {
        for speedup in [1000, 1500, 2000, 7000] {
            let through = latency(BufferingSpec::InputVoq, &rates, speedup);
            assert_eq!(latency(COMBINED, &rates, speedup), through, "{rates:?}, {speedup}");
        }
    }
}

/// Returns true if the buffer of `input` holds a packet after all events up to `at`.
fn holds(bench: &mut Bench, input: u16, at: Time) -> bool {
    bench.run_until(at);
    bench.switch.view().observed(PortId(input), Lane(0)).0.held() > Bytes::new(0)
}

/// While its tail is still coming in, a packet crosses at the rate of its wire. A packet that has come in crosses
/// `speedup` times faster, and its buffer is free again earlier, although the output's wire is no faster.
#[test]
fn a_packet_crosses_no_faster_than_it_comes_in() {
    let mut setup = setup(COMBINED, ArbiterSpec::RoundRobin, &[8; 4], 2000);
    setup.output_queue = PACKET * 2;
    let mut bench = Bench::new(&setup);
    let at = Span::from_us(1).after_start();
    (0..3).for_each(|from| bench.order(full(at, from, 3)));
    let routed = at + Span::from_ns(8) + FLIGHT;
    // Two packets cross side by side, each at the rate of its wire: the speed-up and the room suffice for two.
    let crossed = routed + SLOT;
    for input in [1, 2] {
        assert!(holds(&mut bench, input, Time::from_ps(crossed.ps() - 1)), "{input} is freed too early");
    }
    assert_eq!([1, 2].map(|input| holds(&mut bench, input, crossed)), [false; 2]);
    // By then the first has left too and makes room for the third, which has the crossbar to itself.
    let last = crossed + SLOT / 2;
    assert!(holds(&mut bench, 0, Time::from_ps(last.ps() - 1)), "the third is freed too early");
    assert!(!holds(&mut bench, 0, last));
    bench.run_until(at + SLOT * 10);
    assert_eq!(bench.last, routed + SLOT * 3 + FLIGHT, "the wire was never idle");
}

/// Weight of an output among the `PORTS` destinations of a host: `(from, to)`.
type Pattern = fn(u16, u16) -> u32;
const PORTS: u16 = 6;
const PATTERNS: [(&str, Pattern); 3] = [
    ("uniform", |_, _| 1),
    ("diagonal", |from, to| [2, 1, 0, 0, 0, 0][usize::from((to + PORTS - from) % PORTS)]),
    ("log-diagonal", |from, to| 32 >> ((to + PORTS - from) % PORTS)),
];

/// Runs a bench for this many packet times at this load. Returns it with the number of packets offered.
fn loaded(setup: &Setup, pattern: Pattern, load: f64, slots: u64) -> (Bench, u32) {
    let mut bench = Bench::new(setup);
    let mut chance = event_kernel::stream(1, "bench", "arrivals");
    let mut offered = 0;
    for slot in 0..slots {
        let at = Time::ZERO + SLOT * slot;
        for from in 0..PORTS {
            if !chance.random_bool(load) {
                continue;
            }
            let total: u32 = (0..PORTS).map(|to| pattern(from, to)).sum();
            let mut drawn = chance.random_range(0..total);
            let to = (0..PORTS).find(|to| {
                let weight = pattern(from, *to);
                let here = drawn < weight;
                drawn = drawn.saturating_sub(weight);
                here
            });
            bench.order(full(at, from, to.expect("a draw is below the sum")));
            offered += 1;
        }
    }
    bench.run_until(Time::ZERO + SLOT * slots);
    (bench, offered)
}

/// Returns the fraction of the offered packets that was delivered.
fn throughput(setup: &Setup, pattern: Pattern, load: f64) -> f64 {
    let (bench, offered) = loaded(setup, pattern, load, 4000);
    f64::from(bench.delivered.values().sum::<u32>()) / f64::from(offered)
}

/// With a speed-up of 2 any maximal matching carries every load for which no input and no output is too slow. Source:
/// Dai and Prabhakar, *The throughput of data switches with and without speedup*, INFOCOM 2000. So combined queueing
/// carries as much as output queueing, for each pattern; the shortfall from 1 are flow-control packets and packets
/// under way. Without speed-up the diagonal pattern shows the loss.
#[test]
fn a_speed_up_of_two_carries_what_output_queues_carry() {
    let most = |buffering, arbiter, speedup, pattern| {
        throughput(&setup(buffering, arbiter, &[8; PORTS as usize], speedup), pattern, 0.96)
    };
    for (name, pattern) in PATTERNS {
        let output = most(BufferingSpec::Output, ArbiterSpec::RoundRobin, 1000, pattern);
        assert!(output > 0.98, "{name}: output queueing carries {output}");
        for arbiter in MAXIMAL {
            let combined = most(COMBINED, arbiter, 2000, pattern);
            assert!((combined - output).abs() < 1e-3, "{name}, {arbiter:?}: {combined}, not {output}");
            let slow = most(COMBINED, arbiter, 1000, pattern);
            assert!(name != "diagonal" || slow < output - 0.01, "{arbiter:?} with no speed-up: {slow}");
        }
    }
}

/// Without speed-up a packet crosses at the rate at which it leaves, and queues at the outputs are useless. Each packet
/// arrives at the same time as with virtual output queues alone. This is exact if flow-control packets take no time on
/// the wire, since they delay departures but not crossings.
#[test]
fn no_speed_up_is_as_good_as_no_queues_at_the_outputs() {
    for (name, pattern) in PATTERNS {
        for arbiter in MAXIMAL {
            let run = |buffering| {
                let mut setup = setup(buffering, arbiter, &[8; PORTS as usize], 1000);
                setup.wire_time = WireTime::Free;
                let (bench, _) = loaded(&setup, pattern, 1.0, 1000);
                (bench.delivered, bench.last)
            };
            assert_eq!(run(COMBINED), run(BufferingSpec::InputVoq), "{name}, {arbiter:?}");
        }
    }
}
