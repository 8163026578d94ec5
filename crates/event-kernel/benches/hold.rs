//! The hold model: take one event, plan one, with a constant number pending; and a burst.
//!
//! The delays are those of a network of a thousand owners with links of 1 us: 30 % of 1 to 10 ns (a credit, a routed
//! header) and 40 % of 100 to 600 ns (a packet on the wire) for the same owner, 30 % of 1 to 2 us (a long link) for
//! another, and 1 in 1000 of 150 us (a congestion-control timer, `CCTI_Timer`). The list is measured against
//! `BinaryHeap` with the same entries, in the order of time.
//!
//! `cargo bench -p event-kernel`; docs/performance.md has figures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use event_kernel::{EventQueue, Order, stream};
use rand::Rng;
use units::{Span, Time};

type Payload = [u64; 3];

const OWNERS: u32 = 1000;
/// What the longest delays have in common: what owners do to each other takes longer.
const LOOKAHEAD: Span = Span::from_us(1);

/// Yields delays and owners at next to no cost, so that the list is what is measured.
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
            _ => LOOKAHEAD + Span::from_ps(below(1_000_000)),
        };
        Self { delays: (0..1 << 12).map(|_| delay()).collect(), drawn: 0 }
    }

    /// What an owner plans next: long links lead to others.
    fn draw(&mut self, owner: u32) -> (Span, Order, Payload) {
        self.drawn = self.drawn.wrapping_add(1);
        let delay = self.delays[self.drawn as usize % (1 << 12)];
        let is_own = delay < LOOKAHEAD || delay >= Span::from_us(150);
        let owner = if is_own { owner } else { self.drawn.wrapping_mul(0x9e37_79b9) % OWNERS };
        (delay, Order::new(owner, 0, 0, 0, self.drawn), [u64::from(self.drawn); 3])
    }
}

/// Takes and plans as many events as this, and as many more as the window has.
fn hold_windows(queue: &mut EventQueue<Payload>, plan: &mut Plan, count: u64) {
    let mut taken = 0;
    while taken < count && queue.open(Time::NEVER) {
        while let Some(owner) = queue.next_owner() {
            while let Some((now, event)) = queue.pop() {
                black_box(event);
                let (delay, order, next) = plan.draw(owner);
                queue.push(now + delay, order, next);
                taken += 1;
            }
        }
    }
}

fn windows(pending: u32) -> (EventQueue<Payload>, Plan) {
    let mut plan = Plan::new();
    let mut queue = EventQueue::new(OWNERS as usize, LOOKAHEAD);
    for n in 0..pending {
        let (delay, order, event) = plan.draw(n % OWNERS);
        queue.push(Time::ZERO + delay, order, event);
    }
    hold_windows(&mut queue, &mut plan, 10 * u64::from(pending));
    (queue, plan)
}

type Heap = BinaryHeap<Reverse<(Time, Order, Payload)>>;

fn heap(pending: u32) -> (Heap, Plan) {
    let mut plan = Plan::new();
    let mut heap = Heap::new();
    for n in 0..pending {
        let (delay, order, event) = plan.draw(n % OWNERS);
        heap.push(Reverse((Time::ZERO + delay, order, event)));
    }
    hold_heap(&mut heap, &mut plan, 10 * u64::from(pending));
    (heap, plan)
}

fn hold_heap(heap: &mut Heap, plan: &mut Plan, count: u64) {
    for _ in 0..count {
        let Reverse((now, order, event)) = heap.pop().expect("the number pending is constant");
        black_box(event);
        let (delay, order, next) = plan.draw(order.owner());
        heap.push(Reverse((now + delay, order, next)));
    }
}

/// The time is for as many holds.
const HOLDS: u64 = 100_000;

fn hold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hold");
    group.throughput(Throughput::Elements(HOLDS));
    for pending in [1_000, 20_000, 500_000] {
        group.bench_function(BenchmarkId::new("windows", pending), |bench| {
            let (mut queue, mut plan) = windows(pending);
            bench.iter(|| hold_windows(&mut queue, &mut plan, HOLDS));
        });
        group.bench_function(BenchmarkId::new("heap", pending), |bench| {
            let (mut heap, mut plan) = heap(pending);
            bench.iter(|| hold_heap(&mut heap, &mut plan, HOLDS));
        });
    }
    group.finish();
}

/// A synchronised start: as many events at one instant as there are owners, each of which plans another for soon
/// after. The time is for the whole burst.
fn burst(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("burst");
    for owners in [1, 1_000, 100_000] {
        const EVENTS: u32 = 100_000;
        group.throughput(Throughput::Elements(2 * u64::from(EVENTS)));
        group.bench_function(BenchmarkId::new("owners", owners), |bench| {
            let mut queue = EventQueue::new(owners as usize, LOOKAHEAD);
            let mut at = Time::ZERO;
            bench.iter(|| {
                at += Span::from_us(10);
                (0..EVENTS).for_each(|n| queue.push(at, Order::new(n % owners, 0, 0, 0, n), [0; 3]));
                while queue.open(Time::NEVER) {
                    while let Some(owner) = queue.next_owner() {
                        let mut n = 0;
                        while let Some((now, event)) = queue.pop() {
                            if black_box(event) == [0; 3] {
                                n += 1;
                                queue.push(now + Span::from_ps(5), Order::new(owner, 1, 0, 0, n), [1; 3]);
                            }
                        }
                    }
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, hold, burst);
criterion_main!(benches);
