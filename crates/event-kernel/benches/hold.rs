//! The hold model, which takes an event and schedules another with a constant number pending; and a burst.
//!
//! The delays occur in a network of a thousand owners with links of 1 us: 30 % of 1 to 10 ns (a credit, a routed
//! header) and 40 % of 100 to 600 ns (a packet on the wire) for the same owner, 30 % of 1 to 2 us (a long link) for
//! another, and 1 in 1000 of 150 us (a congestion-control timer, `CCTI_Timer`). The queue is compared with
//! a `BinaryHeap` of the same entries, in the order of time.
//!
//! Run by `cargo bench -p event-kernel`; docs/lab/speed.md has figures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use event_kernel::{EventOrder, EventQueue, stream};
use rand::Rng;
use units::{Span, Time};

/// An event: its owner, and a word.
type Payload = (u32, u64);

const OWNERS: u32 = 1000;
/// Minimum delay between owners.
const LOOKAHEAD: Span = Span::from_us(1);

/// A source of delays and owners at nearly no cost, so that only the queue is measured.
struct DelayTable {
    delays: Vec<Span>,
    drawn: u32,
}

impl DelayTable {
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

    /// Returns the next event that an owner schedules. Long links lead to other owners.
    fn draw(&mut self, owner: u32) -> (Span, EventOrder, Payload) {
        self.drawn = self.drawn.wrapping_add(1);
        let delay = self.delays[self.drawn as usize % (1 << 12)];
        let is_own = delay < LOOKAHEAD || delay >= Span::from_us(150);
        let owner = if is_own { owner } else { self.drawn.wrapping_mul(0x9e37_79b9) % OWNERS };
        (delay, EventOrder::new(0, 0, 0, self.drawn), (owner, self.drawn.into()))
    }
}

/// Takes and schedules `count` events, and the remaining events of the last window.
fn hold_windows(queue: &mut EventQueue<Payload>, table: &mut DelayTable, count: u64) {
    let mut taken = 0;
    while taken < count && queue.open(Time::NEVER) {
        while let Some(owner) = queue.next_owner() {
            while let Some((now, event)) = queue.pop() {
                black_box(event);
                let (delay, order, next) = table.draw(owner);
                queue.push(now + delay, order, next);
                taken += 1;
            }
        }
    }
}

fn windows(pending: u32) -> (EventQueue<Payload>, DelayTable) {
    let mut table = DelayTable::new();
    let mut queue = EventQueue::new(OWNERS as usize, LOOKAHEAD);
    for n in 0..pending {
        let (delay, order, event) = table.draw(n % OWNERS);
        queue.push(Time::ZERO + delay, order, event);
    }
    hold_windows(&mut queue, &mut table, 10 * u64::from(pending));
    (queue, table)
}

type Heap = BinaryHeap<Reverse<(Time, EventOrder, Payload)>>;

fn heap(pending: u32) -> (Heap, DelayTable) {
    let mut table = DelayTable::new();
    let mut heap = Heap::new();
    for n in 0..pending {
        let (delay, order, event) = table.draw(n % OWNERS);
        heap.push(Reverse((Time::ZERO + delay, order, event)));
    }
    hold_heap(&mut heap, &mut table, 10 * u64::from(pending));
    (heap, table)
}

fn hold_heap(heap: &mut Heap, table: &mut DelayTable, count: u64) {
    for _ in 0..count {
        let Reverse((now, _, event)) = heap.pop().expect("the number pending is constant");
        black_box(event);
        let (delay, order, next) = table.draw(event.0);
        heap.push(Reverse((now + delay, order, next)));
    }
}

/// Number of holds of a measurement.
const HOLDS: u64 = 100_000;

fn hold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hold");
    group.throughput(Throughput::Elements(HOLDS));
    for pending in [1_000, 20_000, 500_000] {
        group.bench_function(BenchmarkId::new("windows", pending), |bench| {
            let (mut queue, mut table) = windows(pending);
            bench.iter(|| hold_windows(&mut queue, &mut table, HOLDS));
        });
        group.bench_function(BenchmarkId::new("heap", pending), |bench| {
            let (mut heap, mut table) = heap(pending);
            bench.iter(|| hold_heap(&mut heap, &mut table, HOLDS));
        });
    }
    group.finish();
}

/// Measures a synchronised start: 100,000 events at the same instant, each of which schedules another shortly after.
/// The time covers the whole burst.
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
                (0..EVENTS).for_each(|n| queue.push(at, EventOrder::new(0, 0, 0, n), (n % owners, 0)));
                while queue.open(Time::NEVER) {
                    while let Some(owner) = queue.next_owner() {
                        let mut n = 0;
                        while let Some((now, event)) = queue.pop() {
                            if black_box(event).1 == 0 {
                                n += 1;
                                queue.push(now + Span::from_ps(5), EventOrder::new(1, 0, 0, n), (owner, 1));
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
