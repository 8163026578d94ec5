//! What the queue promises, against a plain sorted list.

use std::collections::BTreeSet;

use event_kernel::{EventQueue, Order};
use proptest::collection::vec;
use proptest::prelude::*;
use units::{Span, Time};

/// One thing that a caller may do.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Push an event this long after the present, at this node.
    Push(Span, u32),
    /// Push a probe this long after the present.
    Probe(Span),
    Pop,
    /// Ask for an event at exactly the time of the next one, and then for one a moment earlier.
    PopAt,
    PopArrivalAt,
    /// Ask for an event before this long after the present.
    PopBefore(Span),
}

/// Delays that meet every place an event can wait in, borders included.
fn delay() -> impl Strategy<Value = Span> {
    const RING: u64 = 4096 << 11;
    prop_oneof![
        3 => Just(0),
        3 => 0u64..5,
        3 => 0u64..5_000,
        3 => 0u64..2_000_000,
        2 => RING - 4_096..RING + 4_096,
        1 => 0u64..200_000_000,
        1 => Just(1_000_000_000_000),
    ]
    .prop_map(Span::from_ps)
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (delay(), 0u32..20).prop_map(|(delay, node)| Act::Push(delay, node)),
        1 => delay().prop_map(Act::Probe),
        4 => Just(Act::Pop),
        2 => Just(Act::PopAt),
        2 => Just(Act::PopArrivalAt),
        2 => delay().prop_map(Act::PopBefore),
    ]
}

/// The oracle: a sorted set of (time, order), whose place in `sequence` is the event.
#[derive(Default)]
struct List {
    events: BTreeSet<(Time, Order, u32)>,
    now: Time,
}

impl List {
    fn pop_if(&mut self, wanted: impl Fn(Time, Order) -> bool) -> Option<(Time, u32)> {
        let (time, order, event) = *self.events.first()?;
        wanted(time, order).then(|| {
            self.events.pop_first();
            self.now = time;
            (time, event)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_queue_is_a_sorted_list(acts in vec(act(), 1..400)) {
        let mut queue = EventQueue::new();
        let mut list = List::default();
        for (event, act) in acts.into_iter().enumerate() {
            let event = event as u32;
            let (now, next) = (queue.now(), queue.next_time().unwrap_or(Time::ZERO));
            match act {
                Act::Push(delay, node) => {
                    let (at, order) = (now + delay, Order::new(node, 0, 0, 0, event));
                    queue.push(at, order, event);
                    list.events.insert((at, order, event));
                }
                Act::Probe(delay) => {
                    queue.push(now + delay, Order::probe(event), event);
                    list.events.insert((now + delay, Order::probe(event), event));
                }
                Act::Pop => prop_assert_eq!(queue.pop(), list.pop_if(|_, _| true)),
                Act::PopAt => {
                    let at = list.pop_if(|time, _| time == next).map(|(_, event)| event);
                    prop_assert_eq!(queue.pop_at(next), at);
                    let earlier = Time::from_ps(next.ps().saturating_sub(1));
                    let at = list.pop_if(|time, _| time == earlier).map(|(_, event)| event);
                    prop_assert_eq!(queue.pop_at(earlier), at);
                }
                Act::PopArrivalAt => {
                    let at = list.pop_if(|time, order| time == next && !order.is_probe());
                    prop_assert_eq!(queue.pop_arrival_at(next), at.map(|(_, event)| event));
                }
                Act::PopBefore(delay) => {
                    let end = now + delay;
                    prop_assert_eq!(queue.pop_before(end), list.pop_if(|time, _| time < end));
                }
            }
            prop_assert_eq!(queue.now(), list.now);
            prop_assert_eq!(queue.len(), list.events.len());
            prop_assert_eq!(queue.is_empty(), list.events.is_empty());
            prop_assert_eq!(queue.next_time(), list.events.first().map(|(time, ..)| *time));
        }
        while let Some(popped) = queue.pop() {
            prop_assert_eq!(Some(popped), list.pop_if(|_, _| true));
        }
        prop_assert!(list.events.is_empty());
    }

    #[test]
    fn the_order_of_insertion_does_not_matter(
        events in vec((0u64..3, 0u32..50), 1..100).prop_shuffle(),
        swap in any::<prop::sample::Index>(),
    ) {
        let drained = |events: &[(u64, u32)]| {
            let mut queue = EventQueue::new();
            for (time, node) in events {
                queue.push(Time::from_ps(*time), Order::new(*node, 0, 0, 0, 0), (*time, *node));
            }
            std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>()
        };
        let mut otherwise = events.clone();
        otherwise.rotate_left(swap.index(events.len()));
        otherwise.reverse();
        prop_assert_eq!(drained(&events), drained(&otherwise));
    }
}

#[test]
#[should_panic(expected = "an event at 9 ps, pushed at 10 ps")]
fn the_past_is_closed() {
    let mut queue = EventQueue::new();
    queue.push(Time::from_ps(10), Order::new(0, 0, 0, 0, 0), ());
    queue.pop();
    queue.push(Time::from_ps(9), Order::new(0, 0, 0, 0, 0), ());
}

#[test]
#[should_panic(expected = "an event at 18446744073709551615 ps")]
fn never_is_no_time_for_an_event() {
    EventQueue::new().push(Time::NEVER, Order::probe(0), ());
}

#[test]
fn the_last_instant_before_never_is_reached() {
    let last = Time::from_ps(u64::MAX - 1);
    let mut queue = EventQueue::new();
    queue.push(last, Order::new(0, 0, 0, 0, 0), 'z');
    assert_eq!(queue.next_time(), Some(last));
    assert_eq!(queue.pop_before(last), None);
    assert_eq!(queue.pop_at(last), Some('z'));
    assert_eq!(queue.now(), last);
}
