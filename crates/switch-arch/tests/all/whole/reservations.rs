//! Reservations of read bandwidth: an output that waits for an input holds a reservation only while the output can
//! send.

use link_layer::spec::WireTime;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Bytes, Span, Time};

use super::bench::{Bench, Order, Setup};

fn at(ns: u64) -> Time {
    Span::from_ns(ns).after_start()
}

/// The host at port 2 is so slow that it has room for a short packet only. Output 2 waits for input 0, which has a
/// short packet and is being read for output 3. Then a long packet arrives by input 1 that finds no credit. Whenever it
/// arrives, input 0 continues to serve output 3: an output that cannot send holds no reservation.
#[test]
fn an_output_without_credit_holds_no_reservation() {
    for buffering in [BufferingSpec::InputVoq, BufferingSpec::CombinedInputOutput, BufferingSpec::Output] {
        for step in 0..40 {
            let mut bench = Bench::new(&Setup {
                buffering,
                arbiter: ArbiterSpec::RoundRobin,
                rates: vec![16, 16, 16, 8],
                speedup_thousandths: 1000,
                output_queue: Bytes::new(700),
                digestion: [1, 1, 1_000_000, 1].map(Span::from_ns).to_vec(),
                host_buffer: Bytes::new(448),
                wire_time: WireTime::Free,
            });
            let mut order =
                |ns, from, to, payload| bench.order(Order { at: at(ns), from, to, lane: 0, payload });
            order(0, 1, 2, 256);
            (0..500).for_each(|number| order(number, 0, 3, 256));
            order(21, 0, 2, 0);
            order(2700 + 18 * step, 1, 2, 256);
            bench.run_until(at(200_000));
            let served = bench.delivered.get(&(0, 3, 0)).copied().unwrap_or_default();
            assert_eq!(served, 500, "{buffering:?}, with the long packet {step} steps late");
        }
    }
}
