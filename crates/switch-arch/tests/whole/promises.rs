//! What every organisation promises of a whole switch, with links of different rates, hosts that digest slowly,
//! and any traffic.

use link_layer::spec::WireTime;
use proptest::prelude::*;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Bytes, Span};

use crate::bench::{Bench, LANES, MTU, Order, Setup};

const PORTS: u16 = 4;
const ORGANISATIONS: [BufferingSpec; 5] = [
    BufferingSpec::InputFifo,
    BufferingSpec::InputVoq,
    BufferingSpec::Output,
    BufferingSpec::Central,
    BufferingSpec::CombinedInputOutput,
];
const ARBITERS: [ArbiterSpec; 3] =
    [ArbiterSpec::RoundRobin, ArbiterSpec::Islip { iterations: 2 }, ArbiterSpec::OldestFirst];

fn setup() -> impl Strategy<Value = Setup> {
    let rate = prop::sample::select(vec![8, 16, 32]);
    let digestion = (0..2000u64).prop_map(Span::from_ns);
    (
        prop::sample::select(ORGANISATIONS.to_vec()),
        prop::sample::select(ARBITERS.to_vec()),
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
    /// Everything arrives, in order, and in the end all is at rest.
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
