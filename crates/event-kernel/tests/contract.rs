//! Contract of the event queue: each owner sees its events as a sorted list of all events would show them.

use std::collections::BTreeSet;

use event_kernel::{EventOrder, EventQueue, Lookahead, WindowLengths, finalise};
use proptest::prelude::*;
use units::{Span, Time};

/// The number of an event determines the events that follow from it.
type Number = u64;

/// An event, with its owner.
type Event = (u32, Number);

/// Returns an order by 36 bits of a number. By the 20 bits of a sequence alone, two events of the same owner and instant
/// would have the same order in a run of the test out of hundreds, and no place before each other.
fn order(kind: u8, number: Number) -> EventOrder {
    EventOrder::new(kind, (number >> 52) as u16, (number >> 48) as u8 & 15, (number >> 28) as u32)
}

/// The behaviour of owners: up to two events follow from each event, for its owner or for another.
#[derive(Clone, Copy, Debug)]
struct World {
    owners: u32,
    /// Number of owners that are leaves.
    leaves: u32,
    lookahead: u64,
    /// Lookahead to owners that are no leaves.
    to_others: u64,
    /// Length of a bucket, in ps.
    bucket: u64,
    end: u64,
}

impl World {
    fn new((owners, leaves): (u32, u32), (lookahead, to_others): (u64, u64)) -> Self {
        let any = Span::from_ps(lookahead);
        let bucket = WindowLengths::of(Lookahead { any, to_others: any }).bucket.ps();
        Self { owners, leaves, lookahead, to_others, bucket, end: 20_000 + 100_000 * lookahead }
    }

    fn queue(self) -> EventQueue<Event> {
        let [any, to_others] = [self.lookahead, self.to_others].map(Span::from_ps);
        EventQueue::with_leaves(self.owners as usize, self.leaves, Lookahead { any, to_others })
    }

    /// Returns the events that follow from an event of `owner` at `now`.
    fn follow(self, now: u64, (owner, event): Event) -> impl Iterator<Item = (Time, EventOrder, Event)> {
        let count = [1, 1, 1, 2, 1][(finalise(event) % 5) as usize];
        (1..=count).map(move |child| {
            let number = finalise(event.wrapping_mul(31).wrapping_add(child));
            let to = if number.is_multiple_of(3) { owner } else { (number >> 8) as u32 % self.owners };
            let delay = self.delay(number >> 32);
            let least = match to {
                _ if to == owner => 0,
                _ if to < self.leaves && owner >= self.leaves => self.lookahead,
                _ => self.to_others,
            };
            let order = order((number % 7) as u8, number);
            (Time::from_ps(now + least + delay), order, (to, number))
        })
    }

    /// Returns delays that lead to every place where an event can wait, borders included.
    fn delay(self, number: u64) -> u64 {
        let width = self.lookahead.max(1);
        // The ring has 1024 buckets, and coarse buckets have 256 times their time.
        let ring = 1024 * self.bucket;
        let later = 256 * ring;
        let within = |span: u64| number / 8 % span.max(1);
        match number % 8 {
            0 => 0,
            1 => within(5),
            2 | 3 => within(width),
            4 => within(4 * width),
            5 => ring - width.min(ring) + within(4 * width),
            6 if number.is_multiple_of(3) => later - width + within(4 * width),
            6 => width,
            _ if number.is_multiple_of(3) => within(3 * later),
            _ => within(3 * ring),
        }
    }

    fn seeds(self, seed: u64) -> impl Iterator<Item = (Time, EventOrder, Event)> {
        (0..8).map(move |n| {
            let number = finalise(seed ^ n << 50);
            let order = order(1, number);
            (Time::from_ps(number % 1000), order, (number as u32 % self.owners, number))
        })
    }

    /// Returns the events that each owner sees, in order, if a sorted list holds all events. The lookahead is not
    /// zero: otherwise owners could schedule events for each other within an instant, in unspecified order.
    fn in_one_list(self, seed: u64, limit: usize) -> Vec<Vec<(Time, Number)>> {
        let mut list: BTreeSet<_> = self.seeds(seed).collect();
        let mut seen = vec![Vec::new(); self.owners as usize];
        while let Some((at, _, event)) = list.pop_first()
            && at.ps() < self.end
        {
            let (owner, number) = event;
            let all = &mut seen[owner as usize];
            all.push((at, number));
            if all.len() < limit {
                list.extend(self.follow(at.ps(), event));
            }
        }
        seen
    }

    /// Returns the same by an event queue that has its windows cut at these times, with batches in this order. Pairs
    /// of bits of `ways`, in turn, tell how a window is opened.
    fn in_windows(
        self,
        seed: u64,
        limit: usize,
        cuts: &[u64],
        (backwards, mut ways): (bool, u64),
    ) -> (Vec<Vec<(Time, Number)>>, usize) {
        let mut queue = self.queue();
        self.seeds(seed).for_each(|(at, order, event)| queue.push(at, order, event));
        let mut seen = vec![Vec::new(); self.owners as usize];
        for end in cuts.iter().copied().filter(|cut| *cut < self.end).chain([self.end]) {
            while opened(&mut queue, Time::from_ps(end), Opening::ALL[ways as usize % 4]) {
                let is_in_order = Opening::ALL[ways as usize % 4] == Opening::InOrder;
                ways = ways.rotate_right(2);
                assert_eq!(queue.is_in_order(), is_in_order, "no bucket is crowded");
                loop {
                    if backwards && !is_in_order {
                        queue.batches().reverse();
                    }
                    let leaves_are_last = queue.leaves_are_last();
                    let mut past_others = false;
                    while let Some(owner) = queue.next_owner() {
                        past_others |= owner < self.leaves;
                        assert!(
                            !(leaves_are_last && past_others && owner >= self.leaves),
                            "{owner} after a leaf"
                        );
                        self.turn(&mut queue, limit, &mut seen[owner as usize]);
                    }
                    if !queue.open_leaves() {
                        break;
                    }
                }
            }
        }
        (seen, queue.len())
    }
}

impl World {
    /// Handles the current owner's events in the open window. The owner has `seen` others before.
    fn turn(self, queue: &mut EventQueue<Event>, limit: usize, seen: &mut Vec<(Time, Number)>) {
        while let Some((at, first)) = queue.pop() {
            let mut next = Some(first);
            while let Some(event) = next {
                seen.push((at, event.1));
                if seen.len() < limit {
                    let follow = self.follow(at.ps(), event);
                    follow.for_each(|(at, order, event)| queue.push(at, order, event));
                }
                next = queue.pop_at(at);
            }
        }
    }
}

/// A way to open a window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A window that leaves share.
    Shared,
    /// A window of known events, which are foreseen.
    Known,
    InOrder,
}

impl Opening {
    /// The ways, by two bits.
    const ALL: [Self; 4] = [Self::Shared, Self::Known, Self::InOrder, Self::InOrder];
}

/// Opens the next window, which has the events that it was foreseen to have if they are looked at.
fn opened(queue: &mut EventQueue<Event>, end: Time, opening: Opening) -> bool {
    let foreseen: Option<BTreeSet<_>> =
        (opening == Opening::Known).then(|| queue.next_window(end).map(|(_, event)| *event).collect());
    let is_open = match opening {
        Opening::Shared => queue.open(end),
        Opening::Known => queue.open_known(end),
        Opening::InOrder => queue.open_in_order(end),
    };
    if let Some(foreseen) = foreseen {
        let window: BTreeSet<_> =
            if is_open { queue.window_events(0).copied().collect() } else { BTreeSet::new() };
        assert_eq!(foreseen, window);
    }
    is_open
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn owners_see_what_one_sorted_list_shows_them(
        seed in any::<u64>(),
        owners in prop_oneof![1u32..4, 20u32..200],
        leaves in prop_oneof![Just(0), 1u32..100],
        lookahead in prop_oneof![1u64..4, 100u64..5_000, Just(1_000_000)],
        longer in prop_oneof![Just(1), 2u64..6, Just(40)],
        mut cuts in prop::collection::vec(0u64..3_000_000, 0..6),
        backwards in any::<bool>(),
        ways in prop_oneof![Just(0), Just(u64::MAX / 3), Just(u64::MAX), any::<u64>()],
    ) {
        cuts.sort_unstable();
        let world = World::new((owners, leaves.min(owners)), (lookahead, lookahead * longer));
        let (seen, left) = world.in_windows(seed, 200, &cuts, (backwards, ways));
        let expected = world.in_one_list(seed, 200);
        prop_assert_eq!(&seen, &expected);
        let (again, still_left) = world.in_windows(seed, 200, &[], (!backwards, !ways));
        prop_assert_eq!(again, expected);
        prop_assert_eq!(left, still_left);
    }
}

/// Many events of the same instant are not sorted individually, and come out in order as others do.
#[test]
fn a_crowd_is_served_by_owner() {
    let mut queue = EventQueue::new(1000, Span::from_ps(2000));
    let at = |owner: u32| Time::from_ps(if owner == 0 { 10 } else { 500 });
    (0..1000).rev().for_each(|owner| queue.push(at(owner), ORDER, (owner, ())));
    queue.push(Time::from_ps(1_000_000), ORDER, (7, ()));
    let mut owners = Vec::new();
    let mut ways = Vec::new();
    while queue.open_in_order(Time::NEVER) {
        ways.push(queue.is_in_order());
        while let Some(owner) = queue.next_owner() {
            while let Some((now, _)) = queue.pop() {
                owners.push((owner, now));
            }
        }
    }
    assert_eq!(owners.pop(), Some((7, Time::from_ps(1_000_000))));
    owners.sort_unstable();
    assert!(owners.into_iter().eq((0..1000).map(|owner| (owner, at(owner)))));
    assert_eq!(ways, [true, false, true], "owner 0 alone, the crowd, and the last event");
}

/// Makes a queue of a leaf, 0, and two others. The current owner is 1, at 10 ps, in a window that the leaf shares.
fn beside_a_leaf() -> EventQueue<(u32, char)> {
    let [any, to_others] = [100, 1000].map(Span::from_ps);
    let mut queue = EventQueue::with_leaves(3, 1, Lookahead { any, to_others });
    queue.push(Time::from_ps(10), ORDER, (1, 'a'));
    assert!(queue.open(Time::from_ps(5000)));
    assert_eq!(queue.next_owner(), Some(1));
    assert_eq!(queue.pop(), Some((Time::from_ps(10), (1, 'a'))));
    queue
}

#[test]
fn a_leaf_has_its_turn_after_others_with_what_they_scheduled_for_it() {
    let mut queue = beside_a_leaf();
    queue.push(Time::from_ps(110), ORDER, (0, 'b'));
    assert_eq!((queue.len(), queue.next_owner()), (1, None));
    assert!(queue.open_leaves());
    assert_eq!((queue.next_owner(), queue.pop()), (Some(0), Some((Time::from_ps(110), (0, 'b')))));
    assert_eq!((queue.next_owner(), queue.open_leaves()), (None, false));
}

#[test]
#[should_panic(expected = "an event for another at 900 ps, pushed at 10 ps")]
fn a_shared_window_is_for_leaves_alone() {
    beside_a_leaf().push(Time::from_ps(900), ORDER, (2, 'b'));
}

#[test]
#[should_panic(expected = "an event for another at 900 ps, pushed at 110 ps")]
fn a_leaf_cannot_affect_others_within_a_shared_window() {
    let mut queue = beside_a_leaf();
    queue.push(Time::from_ps(110), ORDER, (0, 'b'));
    assert_eq!((queue.next_owner(), queue.open_leaves(), queue.next_owner()), (None, true, Some(0)));
    assert_eq!(queue.pop(), Some((Time::from_ps(110), (0, 'b'))));
    queue.push(Time::from_ps(900), ORDER, (1, 'c'));
}

const ORDER: EventOrder = EventOrder::new(0, 0, 0, 0);

/// Makes a queue with 0 as its current owner, at 10 ps.
fn at_work(lookahead: Span) -> EventQueue<(u32, char)> {
    let mut queue = EventQueue::new(2, lookahead);
    queue.push(Time::from_ps(10), ORDER, (0, 'a'));
    assert!(queue.open(Time::from_ps(1000)));
    assert_eq!(queue.next_owner(), Some(0));
    assert_eq!(queue.pop(), Some((Time::from_ps(10), (0, 'a'))));
    queue
}

#[test]
#[should_panic(expected = "an event at 9 ps, pushed at 10 ps")]
fn an_event_cannot_be_scheduled_in_the_past() {
    at_work(Span::from_ps(100)).push(Time::from_ps(9), ORDER, (0, 'b'));
}

#[test]
#[should_panic(expected = "an event for another at 90 ps, pushed at 10 ps")]
fn owners_cannot_affect_each_other_within_a_window() {
    at_work(Span::from_ps(100)).push(Time::from_ps(90), ORDER, (1, 'b'));
}

#[test]
fn without_lookahead_an_instant_opens_again_for_another() {
    let mut queue = at_work(Span::ZERO);
    let now = Time::from_ps(10);
    queue.push(now, ORDER, (1, 'b'));
    queue.push(now, ORDER, (0, 'c'));
    assert_eq!(queue.pop_at(now), Some((0, 'c')));
    assert_eq!((queue.pop(), queue.next_owner()), (None, None));
    assert!(queue.open(Time::from_ps(11)));
    assert_eq!((queue.next_owner(), queue.pop()), (Some(1), Some((now, (1, 'b')))));
}

#[test]
#[should_panic(expected = "an event at no time at all")]
fn an_event_cannot_be_scheduled_for_never() {
    EventQueue::new(1, Span::from_ps(100)).push(Time::NEVER, ORDER, (0, ()));
}

#[test]
fn the_last_instant_before_never_is_reached() {
    let last = Time::from_ps(u64::MAX - 1);
    let mut queue = EventQueue::new(1, Span::from_ps(100));
    queue.push(last, ORDER, (0, 'z'));
    assert!(!queue.open(last));
    assert!(queue.open(Time::NEVER));
    assert_eq!((queue.next_owner(), queue.pop()), (Some(0), Some((last, (0, 'z')))));
    assert!(queue.is_empty());
}
