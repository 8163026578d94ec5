//! Promises of every organisation in a whole switch, with links of different rates, slow hosts, and any traffic.

use link_layer::spec::WireTime;
use proptest::prelude::*;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Bytes, Span, Time};

use super::bench::{Bench, LANES, MTU, Order, Setup};

const PORTS: u16 = 4;

fn setup() -> impl Strategy<Value = Setup> {
    let rate = prop::sample::select(vec![8, 16, 32]);
    let digestion = (0..2000u64).prop_map(Span::from_ns);
    (
        prop::sample::select(BufferingSpec::ALL.to_vec()),
        prop::sample::select(ArbiterSpec::EXAMPLES.to_vec()),
        prop::collection::vec(rate, usize::from(PORTS)),
        prop::sample::select(vec![1000, 1500, 2000, 4000]),
        MTU.longest_packet().get()..2000,
        prop::collection::vec(digestion, usize::from(PORTS)),
        prop::sample::select(vec![1, 4]),
        prop::sample::select(vec![WireTime::Counted, WireTime::Free]),
    )
        .prop_map(|(buffering, arbiter, rates, speedup, queue, digestion, host_packets, wire_time)| {
            Setup {
                buffering,
                arbiter,
                rates,
                speedup_thousandths: speedup,
                output_queue: Bytes::new(queue),
                digestion,
                host_buffer: Bytes::new(320 * host_packets),
                wire_time,
            }
        })
}

fn order() -> impl Strategy<Value = Order> {
    (0..20_000u64, 0..PORTS, 0..PORTS, 0..LANES, 0..=MTU.bytes()).prop_map(|(at, from, to, lane, payload)| {
        Order { at: Span::from_ns(at).after_start(), from, to, lane, payload }
    })
}

proptest! {
    /// Every packet arrives, in order, and in the end the switch and all hosts are at rest.
    #[test]
    fn nothing_is_lost_and_all_comes_to_rest(setup in setup(), orders in prop::collection::vec(order(), 1..300)) {
        let mut bench = Bench::new(&setup);
        orders.into_iter().for_each(|order| bench.order(order));
        for _ in 0..400 {
            bench.run_until(bench.now() + Span::from_us(5));
            if bench.at_rest() {
                return Ok(());
            }
        }
        prop_assert!(false, "{} packets are still there at {}", bench.backlog(), bench.now());
    }
}

/// Number of idle ports between the first port and the others.
const IDLE: u16 = 66;

/// Returns the number of a port in the switch with idle ports.
fn apart(port: u16) -> u16 {
    if port == 0 { 0 } else { port + IDLE }
}

/// Returns the same links with idle links between them.
fn with_idle_ports(mut setup: Setup) -> Setup {
    let (rate, digestion) = (setup.rates[0], setup.digestion[0]);
    setup.rates.splice(1..1, [rate; IDLE as usize]);
    setup.digestion.splice(1..1, [digestion; IDLE as usize]);
    setup
}

/// Returns the packets delivered by flow, and the arrival of the last.
fn outcome(setup: &Setup, orders: &[Order], place: fn(u16) -> u16) -> (Vec<u32>, Time) {
    let mut bench = Bench::new(setup);
    for order in orders {
        bench.order(Order { from: place(order.from), to: place(order.to), ..*order });
    }
    bench.run_until(Span::from_us(200).after_start());
    let flows = (0..PORTS).flat_map(|from| (0..PORTS).map(move |to| (from, to)));
    let flows = flows.flat_map(|(from, to)| (0..LANES).map(move |lane| (place(from), place(to), lane)));
    (flows.map(|flow| bench.delivered.get(&flow).copied().unwrap_or(0)).collect(), bench.last)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A switch of many ports, with sets of several words, behaves as a switch of few.
    #[test]
    fn idle_ports_make_no_difference(setup in setup(), orders in prop::collection::vec(order(), 1..150)) {
        let few = outcome(&setup, &orders, |port| port);
        prop_assert!(few.0.iter().sum::<u32>() > 0, "packets are delivered");
        prop_assert_eq!(outcome(&with_idle_ports(setup), &orders, apart), few);
    }
}
