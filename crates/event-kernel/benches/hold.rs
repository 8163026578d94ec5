//! The hold model: pop one event, push one, with a constant number pending; and a burst.
//!
//! The delays are those of a network: 30 % of 1 to 10 ns (a credit, a routed header), 40 % of 100
//! to 600 ns (a packet on the wire), 30 % of 1 to 2 us (a long link), and 1 in 1000 of 150 us (a
//! congestion-control timer, `CCTI_Timer`). The queue is measured against `BinaryHeap` with the same
//! entries.
//!
//! Nanoseconds a hold on two shared cores of an AMD EPYC 9005, Rust 1.95:
//!
//! | queue | 1 k pending | 20 k | 500 k |
//! |---|---|---|---|
//! | ring | 22 | 30 | 83 |
//! | ring, late events inserted in place instead of heaped | 21 | 28 | 64 to 81 |
//! | `BinaryHeap` | 56 | 90 | 570 |
//!
//! A burst of 1 k, 10 k and 100 k nodes takes 40, 52 and 76 ns an event. With late events inserted in
//! place, 10 k nodes take some 40 times as long, and 100 k did not finish in minutes.
//!
//! `cargo bench -p event-kernel`

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use event_kernel::{EventQueue, Order, stream};
use rand::Rng;
use units::{Span, Time};

type Payload = [u64; 3];

const NODES: u32 = 1000;

/// Yields delays and orders at next to no cost, so that the queue is what is measured.
struct Plan {
    delays: Vec<Span>,
    drawn: u32,
}

impl Plan {
    fn new() -> Self {
        let mut stream = stream(1, "delays", "hold");
        let mut below = |n: u64| stream.next_u64() % n;
        let mut delay = || match below(1000) {
            0 => Span::from_us(150),
            1..300 => Span::from_ps(1_000 + below(9_000)),
            300..700 => Span::from_ps(100_000 + below(500_000)),
            _ => Span::from_ps(1_000_000 + below(1_000_000)),
        };
        Self { delays: (0..1 << 12).map(|_| delay()).collect(), drawn: 0 }
    }

    fn draw(&mut self) -> (Span, Order, Payload) {
        self.drawn = self.drawn.wrapping_add(1);
        let delay = self.delays[self.drawn as usize % (1 << 12)];
        let node = self.drawn.wrapping_mul(0x9e37_79b9) % NODES;
        (delay, Order::new(node, 0, 0, 0, self.drawn), [u64::from(self.drawn); 3])
    }
}

fn ring(pending: usize) -> (EventQueue<Payload>, Plan) {
    let mut plan = Plan::new();
    let mut queue = EventQueue::new();
    for _ in 0..pending {
        let (delay, order, event) = plan.draw();
        queue.push(Time::ZERO + delay, order, event);
    }
    for _ in 0..10 * pending {
        hold_ring(&mut queue, &mut plan);
    }
    (queue, plan)
}

fn hold_ring(queue: &mut EventQueue<Payload>, plan: &mut Plan) -> Payload {
    let (now, event) = queue.pop().expect("the number pending is constant");
    let (delay, order, next) = plan.draw();
    queue.push(now + delay, order, next);
    event
}

type Heap = BinaryHeap<Reverse<(Time, Order, Payload)>>;

fn heap(pending: usize) -> (Heap, Plan) {
    let mut plan = Plan::new();
    let mut heap = Heap::new();
    for _ in 0..pending {
        let (delay, order, event) = plan.draw();
        heap.push(Reverse((Time::ZERO + delay, order, event)));
    }
    for _ in 0..10 * pending {
        hold_heap(&mut heap, &mut plan);
    }
    (heap, plan)
}

fn hold_heap(heap: &mut Heap, plan: &mut Plan) -> Payload {
    let Reverse((now, _, event)) = heap.pop().expect("the number pending is constant");
    let (delay, order, next) = plan.draw();
    heap.push(Reverse((now + delay, order, next)));
    event
}

fn hold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hold");
    for pending in [1_000, 20_000, 500_000] {
        group.bench_function(BenchmarkId::new("ring", pending), |bench| {
            let (mut queue, mut plan) = ring(pending);
            bench.iter(|| black_box(hold_ring(&mut queue, &mut plan)));
        });
        group.bench_function(BenchmarkId::new("heap", pending), |bench| {
            let (mut heap, mut plan) = heap(pending);
            bench.iter(|| black_box(hold_heap(&mut heap, &mut plan)));
        });
    }
    group.finish();
}

/// A synchronised start: as many events at one instant as there are nodes, each of which sets another
/// for less than a bucket later. The time is for the whole burst.
fn burst(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("burst");
    for nodes in [1_000, 10_000, 100_000] {
        group.throughput(Throughput::Elements(2 * u64::from(nodes)));
        group.bench_function(BenchmarkId::new("ring", nodes), |bench| {
            let mut queue = EventQueue::new();
            let mut at = Time::ZERO;
            bench.iter(|| {
                at += Span::from_us(10);
                (0..nodes).for_each(|node| queue.push(at, Order::new(node, 0, 0, 0, 0), [0; 3]));
                for node in 0..nodes {
                    let event: Option<(Time, Payload)> = queue.pop();
                    black_box(event);
                    queue.push(at + Span::from_ps(5), Order::new(node, 1, 0, 0, 0), [1; 3]);
                }
                while let Some(event) = queue.pop() {
                    black_box(event);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, hold, burst);
criterion_main!(benches);
