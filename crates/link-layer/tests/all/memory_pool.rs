//! Promises of memory that receivers share under PFC, each with a share of its own. No byte is over the memory, nothing
//! is dropped with enough headroom, and thresholds are as an obvious recomputation has them.

use std::collections::VecDeque;

use link_layer::flow_control::pause::LoadChange;
use link_layer::{Alpha, LaneMemory, MemoryPool, PauseLane, PauseRule, Share, Signal, earliest_pause};
use packet::Lane;
use proptest::prelude::*;
use units::{Bytes, Span, Time};

const LANE: Lane = Lane(0);
/// Steps from a receiver to its sender, and back.
const DELAY: usize = 3;
/// Length of the longest packet.
const LONGEST: u32 = 1500;
/// Bytes that can arrive at a receiver after it is over its threshold. They are a packet a step for a round trip, and
/// the packet that exceeded the threshold.
const HEADROOM: u32 = LONGEST * (2 * DELAY as u32 + 1);
const RULE: PauseRule = PauseRule {
    quanta: 1000,
    quantum: Span::from_ns(1000),
    refresh: Span::from_ns(100_000),
    effect_delay: Span::from_ns(1),
    resume_offset: 300,
};

/// A sender, its receiver, and the packets and signals between them.
struct Link {
    sender: PauseLane,
    receiver: PauseLane,
    /// By step of arrival: a packet, and signals of the receiver.
    packets: VecDeque<Option<u32>>,
    signals: VecDeque<Vec<Signal>>,
    held: VecDeque<u32>,
}

/// Guaranteed bytes of a receiver, and the factor of its dynamic threshold in steps of 1/65,536.
type SlowShare = (u64, Option<u64>);

fn share((guaranteed, steps): SlowShare) -> Share {
    let alpha = steps.map(|steps| Alpha::new(steps as f64 / 65_536.0));
    Share { guaranteed: Bytes::new(guaranteed), alpha }
}

/// Links with receivers that share a pool.
struct Model {
    shares: Vec<SlowShare>,
    shared: u64,
    pool: MemoryPool,
    links: Vec<Link>,
    step: u64,
}

impl Model {
    fn new(shared: u64, shares: Vec<SlowShare>) -> Self {
        let link = |_| Link {
            sender: PauseLane::new(LaneMemory { limit: 0, headroom: 0, pauses: true }),
            receiver: PauseLane::new(LaneMemory { limit: 0, headroom: HEADROOM, pauses: true }),
            packets: VecDeque::from(vec![None; DELAY]),
            signals: VecDeque::from(vec![Vec::new(); DELAY]),
            held: VecDeque::new(),
        };
        let links = (0..shares.len()).map(link).collect();
        let of: Vec<_> = shares.iter().copied().map(share).collect();
        Self { pool: MemoryPool::new(shared, &of), shares, shared, links, step: 0 }
    }

    /// Returns the threshold of a receiver, from the loads of all.
    fn slow_limit(&self, who: usize) -> u64 {
        let load = |who: usize| u64::from(self.links[who].receiver.load());
        let used = |who: usize| load(who).saturating_sub(self.shares[who].0);
        let free = self.shared - (0..self.links.len()).map(used).sum::<u64>();
        let (guaranteed, steps) = self.shares[who];
        let all = used(who) + free;
        guaranteed + steps.map_or(all, |steps| all.min(steps * free / 65_536))
    }

    /// Sends a packet of this length by each link where the sender may start, after all that is due has arrived.
    fn step(&mut self, lengths: &[Option<u32>]) -> Result<(), TestCaseError> {
        let now = Span::from_ns(self.step).after_start();
        self.step += 1;
        for (who, length) in lengths.iter().enumerate() {
            self.arrive(who, now)?;
            let link = &mut self.links[who];
            for signal in link.signals.pop_front().expect("one a step") {
                let Signal::Pause { quanta, .. } = signal else { unreachable!("under PFC") };
                link.sender.on_pause(quanta, &RULE, now);
            }
            link.signals.push_back(Vec::new());
            let may_start = link.sender.may_start();
            link.packets.push_back(length.filter(|_| may_start));
            self.update(who, now);
        }
        Ok(())
    }

    fn arrive(&mut self, who: usize, now: Time) -> Result<(), TestCaseError> {
        let link = &mut self.links[who];
        let Some(length) = link.packets.pop_front().expect("one a step") else { return Ok(()) };
        let limit = self.pool.limit(who, link.receiver.load());
        let change = link.receiver.admit(length, Some(limit));
        prop_assert!(change.is_some(), "a packet of {} is dropped with a limit of {}", length, limit);
        link.held.push_back(length);
        self.pool.on_load_change(who, change.expect("it is admitted"));
        self.update(who, now);
        Ok(())
    }

    fn release(&mut self, who: usize) {
        let Some(length) = self.links[who].held.pop_front() else { return };
        let change: LoadChange = self.links[who].receiver.release(length);
        self.pool.on_load_change(who, change);
        let now = Span::from_ns(self.step).after_start();
        for who in 0..self.links.len() {
            if self.links[who].receiver.requests_pause() {
                self.update(who, now);
            }
        }
    }

    fn update(&mut self, who: usize, now: Time) {
        let link = &mut self.links[who];
        let limit = self.pool.limit(who, link.receiver.load());
        let signal = link.receiver.update_pause(LANE, &RULE, Some(limit), now);
        link.signals.back_mut().expect("one a step").extend(signal);
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let memory = self.shared + self.shares.iter().map(|(guaranteed, _)| guaranteed).sum::<u64>();
        let loads = self.links.iter().map(|link| u64::from(link.receiver.load())).sum::<u64>();
        prop_assert!(loads <= memory, "{} of {} bytes are held", loads, memory);
        for (who, link) in self.links.iter().enumerate() {
            let load = link.receiver.load();
            prop_assert_eq!(u64::from(self.pool.limit(who, load)), self.slow_limit(who));
            // A packet is admitted by the threshold before it.
            prop_assert!(u64::from(load) <= self.pool.most(who) + u64::from(LONGEST));
        }
        Ok(())
    }
}

fn slow_share() -> impl Strategy<Value = SlowShare> {
    let steps = prop::option::of(prop_oneof![Just(512), Just(65_536), Just(128 << 16), 512..4u64 << 16]);
    (prop_oneof![Just(0), 0..6_000u64], steps)
}

proptest! {
    /// Whatever is sent and released in any order, nothing is dropped and the loads fit the memory. Each threshold
    /// follows from all loads. In the end all is free and all senders may start.
    #[test]
    fn a_pool_with_headroom_loses_nothing(
        shared in 1_500..40_000u64,
        shares in prop::collection::vec(slow_share(), 2..8),
        steps in prop::collection::vec(
            (prop::collection::vec(prop::option::of(64..=LONGEST), 8), any::<prop::sample::Index>(), 0..3u8),
            1..400,
        ),
    ) {
        let receivers = shares.len();
        let mut model = Model::new(shared, shares);
        for (lengths, who, releases) in steps {
            model.step(&lengths[..receivers])?;
            (0..releases).for_each(|_| model.release(who.index(receivers)));
            model.check()?;
        }
        for _ in 0..=2 * DELAY {
            model.step(&vec![None; receivers])?;
        }
        for who in 0..receivers {
            while !model.links[who].held.is_empty() {
                model.release(who);
                model.check()?;
            }
        }
        for _ in 0..=DELAY {
            model.step(&vec![None; receivers])?;
        }
        prop_assert!(model.pool.is_released());
        prop_assert!(model.links.iter().all(|link| link.receiver.at_rest() && link.sender.at_rest()));
    }

    /// The earliest PAUSE is the least load at which the pool's own threshold is reached.
    #[test]
    fn the_earliest_pause_is_the_pool_s(
        shared in 0..3_000u64,
        own in slow_share(),
        others in prop::collection::vec(0..4_000u64, 0..4),
    ) {
        let shares: Vec<_> = core::iter::once(own).chain(others.iter().map(|own| (*own, None))).map(share).collect();
        let guaranteed: Vec<_> = others.iter().map(|own| Bytes::new(*own)).collect();
        let found = earliest_pause(Bytes::new(shared), shares[0], &guaranteed).get();
        prop_assert!(found > 0, "an empty receiver requests no pause");
        let mut pool = MemoryPool::new(shared, &shares);
        for load in 1..u32::MAX {
            let used = |share: &Share| u64::from(load).saturating_sub(share.guaranteed.get());
            if shares.iter().map(used).sum::<u64>() > shared {
                break; // So much does not fit the memory.
            }
            for who in 0..shares.len() {
                pool.on_load_change(who, LoadChange { before: load - 1, after: load });
            }
            let pauses = load >= pool.limit(0, load);
            prop_assert_eq!(pauses, u64::from(load) >= found, "{} where {} is said to be the first", load, found);
        }
    }
}

/// Without a guarantee, and with nothing to share, the first byte requests a pause.
#[test]
fn the_first_byte_beyond_everything_requests_a_pause() {
    for guaranteed in [0, 700] {
        for alpha in [None, Some(Alpha::new(1.0))] {
            let share = Share { guaranteed: Bytes::new(guaranteed), alpha };
            let found = earliest_pause(Bytes::ZERO, share, &[]);
            assert_eq!(found.get(), guaranteed.max(1), "{alpha:?}");
        }
    }
}
