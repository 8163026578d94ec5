//! Promises of memory that several receivers share, and the laws of its sharing rules.

use std::collections::VecDeque;

use link_layer::memory::CreditGrant;
use link_layer::{Alpha, Credits, ReceiverShare, Share, SharedMemory, Signal};
use packet::Lane;
use proptest::prelude::*;
use units::{Bytes, Time};

/// Length of the longest packet of these tests, in blocks.
const LONGEST: u16 = 33;

/// Senders to receivers that share a memory, and the packets between them.
struct Model {
    size: u32,
    /// By receiver, the blocks guaranteed, and the factor of its dynamic threshold in the steps of `Alpha`.
    shares: Vec<(u16, Option<f64>)>,
    memory: SharedMemory,
    senders: Vec<Credits>,
    receivers: Vec<Credits>,
    flying: Vec<VecDeque<u16>>,
    held: Vec<VecDeque<u16>>,
}

impl Model {
    /// A model where receivers have the same share: a dynamic threshold, or complete sharing if there is no factor.
    fn new(receivers: usize, guaranteed: u16, shared: u32, factor: Option<f64>) -> Self {
        Self::with_shares(shared, vec![(guaranteed, factor); receivers])
    }

    fn with_shares(shared: u32, mut shares: Vec<(u16, Option<f64>)>) -> Self {
        let size = shared + shares.iter().map(|(guaranteed, _)| u32::from(*guaranteed)).sum::<u32>();
        for (_, factor) in &mut shares {
            *factor = factor.map(|factor| (factor * 65_536.0).round() / 65_536.0);
        }
        let of = |(guaranteed, factor): &(u16, Option<f64>)| Share {
            guaranteed: Bytes::new(u64::from(*guaranteed) * 64),
            alpha: factor.map(Alpha::new),
        };
        let of: Vec<_> = shares.iter().map(of).collect();
        Self {
            size,
            memory: SharedMemory::new(size, &of),
            senders: shares.iter().map(|(guaranteed, _)| Credits::new(0, *guaranteed)).collect(),
            receivers: shares.iter().map(|(guaranteed, _)| Credits::new(*guaranteed, 0)).collect(),
            flying: vec![VecDeque::new(); shares.len()],
            held: vec![VecDeque::new(); shares.len()],
            shares,
        }
    }

    fn send(&mut self, who: usize, blocks: u16) -> bool {
        let admitted = self.senders[who].may_start(blocks);
        if admitted {
            self.senders[who].start(blocks);
            self.flying[who].push_back(blocks);
        }
        admitted
    }

    fn deliver(&mut self, who: usize) -> bool {
        let Some(blocks) = self.flying[who].pop_front() else { return true };
        let fits = self.receivers[who].admit(blocks);
        self.held[who].push_back(blocks);
        let allowed = self.memory.on_admission(who, self.receivers[who].share());
        self.allow(who, allowed);
        fits
    }

    /// Grants blocks, and checks the threshold: the use is then at most alpha times the free blocks.
    fn allow(&mut self, who: usize, blocks: u16) {
        self.receivers[who].grant(blocks);
        let used: u32 = (0..self.receivers.len()).map(|who| self.used(who)).sum();
        let own: u32 = self.shares.iter().map(|(guaranteed, _)| u32::from(*guaranteed)).sum();
        let free = self.size - own - used;
        if blocks > 0 {
            let most = self.shares[who].1.map_or(f64::INFINITY, |factor| factor * f64::from(free));
            assert!(f64::from(self.used(who)) <= most, "{} of {most}", self.used(who));
        }
    }

    fn free(&mut self, who: usize) {
        self.free_after(who, 0);
    }

    /// Releases the first packet behind `kept` others, if any.
    fn free_after(&mut self, who: usize, kept: usize) {
        let Some(blocks) = self.held[who].remove(kept) else { return };
        self.receivers[who].release(blocks);
        let own = self.memory.on_release(who, self.receivers[who].share(), blocks);
        self.receivers[who].grant(own);
        while let Some(CreditGrant { receiver, blocks }) =
            self.memory.next_grant(|receiver| self.receivers[receiver].share())
        {
            assert!(blocks > 0, "an allowance of nothing could be given for ever");
            self.allow(receiver, blocks);
        }
    }

    fn tell(&mut self, who: usize, lost: bool) {
        let Signal::Credit { fccl, .. } = self.receivers[who].update(Lane(0), Time::ZERO) else {
            unreachable!("an update is of credits")
        };
        if !lost {
            self.senders[who].on_fccl(fccl);
        }
    }

    /// Sends packets as long as there is credit, delivers them, and returns credits.
    fn flood(&mut self, who: usize) {
        self.tell(who, false);
        while self.send(who, LONGEST) {
            assert!(self.deliver(who));
            self.tell(who, false);
        }
    }

    /// Returns a receiver's use of the shared part: the blocks that it holds or has promised beyond its guarantee.
    fn used(&self, who: usize) -> u32 {
        let share = self.receivers[who].share();
        (share.held + u32::from(share.room)).saturating_sub(u32::from(self.shares[who].0))
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let mut committed = 0;
        for (who, receiver) in self.receivers.iter().enumerate() {
            let (share, guaranteed) = (receiver.share(), self.shares[who].0);
            prop_assert!(share.room <= guaranteed, "{} hoards {}", who, share.room);
            committed += (share.held + u32::from(share.room)).max(u32::from(guaranteed));
            // Blocks in flight and blocks that the sender may still send have been promised.
            let flying: u16 = self.flying[who].iter().sum();
            prop_assert!(flying <= share.room);
            prop_assert!(
                !self.senders[who].may_start(share.room - flying + 1),
                "{} was promised too much",
                who
            );
            // No receiver that wants memory is refused free blocks.
            prop_assert!(share.room == guaranteed || self.memory.available(who, share) == 0);
        }
        prop_assert!(committed <= self.size, "{} of {} blocks are committed", committed, self.size);
        Ok(())
    }
}

fn factor() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop_oneof![Just(Alpha::LEAST), Just(1.0), Just(Alpha::MOST), 0.01..16.0f64])
}

/// Returns shares of a few receivers or of more than a word of a set has, each with its own guarantee and factor.
fn shares() -> impl Strategy<Value = Vec<(u16, Option<f64>)>> {
    let share = || (LONGEST..200, factor());
    prop_oneof![
        prop::collection::vec(share(), 1..6),
        (60..70usize, share()).prop_map(|(receivers, share)| vec![share; receivers]),
        prop::collection::vec(share(), 60..70),
    ]
}

proptest! {
    /// Whatever is sent, delivered, released, announced or lost in any order, memory is never over-committed and no
    /// packet arrives without room. No receiver is refused the blocks that are free for it, and all credits return.
    #[test]
    fn shared_memory_keeps_its_promises(
        shares in shares(),
        shared in 0..2000u32,
        ops in prop::collection::vec((0..6u8, any::<prop::sample::Index>(), 1..=LONGEST), 0..1500),
    ) {
        let receivers = shares.len();
        let mut model = Model::with_shares(shared, shares);
        for (op, who, blocks) in ops {
            let who = who.index(receivers);
            match op {
                0 | 1 => { model.send(who, blocks); }
                2 => prop_assert!(model.deliver(who)),
                3 => model.free(who),
                4 => model.tell(who, false),
                _ => model.tell(who, true),
            }
            model.check()?;
        }
        for who in 0..receivers {
            while !model.flying[who].is_empty() { prop_assert!(model.deliver(who)); }
        }
        for who in 0..receivers {
            while !model.held[who].is_empty() { model.free(who); }
            model.check()?;
        }
        for who in 0..receivers {
            model.tell(who, false);
            prop_assert!(model.senders[who].at_rest() && model.receivers[who].at_rest());
        }
        prop_assert!(model.memory.is_released());
    }

    /// Whatever happens to other packets, no receiver ever has more room than the forecast. The forecast is made from
    /// packets that stay for ever, and from the room of receivers that nothing reaches any more.
    #[test]
    fn room_is_never_more_than_foretold(
        receivers in 1..6usize,
        guaranteed in LONGEST..100,
        shared in 0..400u32,
        factor in factor(),
        before in prop::collection::vec((0..4u8, any::<prop::sample::Index>(), 1..=LONGEST), 0..300),
        kept in prop::collection::vec(0..9usize, 6),
        closed in prop::collection::vec(any::<bool>(), 6),
        after in prop::collection::vec((0..4u8, any::<prop::sample::Index>(), 1..=LONGEST), 0..300),
    ) {
        let mut model = Model::new(receivers, guaranteed, shared, factor);
        for (op, who, blocks) in before {
            let who = who.index(receivers);
            match op {
                0 => { model.send(who, blocks); }
                1 | 2 => prop_assert!(model.deliver(who)),
                _ => model.tell(who, false),
            }
        }
        for who in (0..receivers).filter(|who| closed[*who]) {
            while !model.flying[who].is_empty() { prop_assert!(model.deliver(who)); }
        }
        let lasting: Vec<u32> =
            (0..receivers).map(|who| model.held[who].iter().take(kept[who]).map(|held| u32::from(*held)).sum()).collect();
        let room = |model: &Model, who: usize| model.receivers[who].share().room;
        let used = |who: usize| lasting[who] + if closed[who] { u32::from(room(&model, who)) } else { 0 };
        let foretold: Vec<u16> = (0..receivers).map(|who| {
            let others = (0..receivers).filter(|other| *other != who).map(|other| model.memory.used(other, used(other))).sum();
            model.memory.most_room(who, room(&model, who), lasting[who], others)
        }).collect();
        for (op, who, blocks) in after {
            let who = who.index(receivers);
            match op {
                0 if !closed[who] => { model.send(who, blocks); }
                1 => prop_assert!(model.deliver(who)),
                2 => model.free_after(who, kept[who].min(model.held[who].len())),
                _ => model.tell(who, false),
            }
            for who in 0..receivers {
                prop_assert!(room(&model, who) <= foretold[who], "{} of {:?}", room(&model, who), foretold);
            }
        }
    }

    /// Every receiver gets room for a whole packet in turn, however many others want memory, and whoever releases
    /// packets.
    #[test]
    fn whoever_wants_memory_gets_some_in_turn(
        shared in 100..1000u32,
        factor in factor(),
        frees in prop::collection::vec(0..4usize, 200),
    ) {
        let mut model = Model::new(4, LONGEST, shared, factor);
        let mut got = [0; 4];
        (0..4).for_each(|who| model.flood(who));
        for who in frees {
            model.free(who);
            for (who, got) in got.iter_mut().enumerate() {
                model.tell(who, false);
                while model.send(who, LONGEST) {
                    *got += 1;
                    prop_assert!(model.deliver(who));
                    model.tell(who, false);
                }
            }
            // A receiver that holds no packet has at least its guarantee.
            prop_assert!((0..4).all(|who| !model.held[who].is_empty()));
        }
        prop_assert!(got.iter().all(|got| *got > 0), "{:?}", got);
    }
}

/// Dynamic thresholds of receivers with different factors: each of n hogs has `alpha_i` / (1 + sum of all alpha) of the
/// shared blocks. It follows from `use_i = alpha_i free` and `free = shared - sum of all use`.
#[test]
fn hogs_with_different_factors_share_in_their_proportion() {
    let (shared, rounds, factors) = (4000, 4000, [0.125, 0.25, 0.5, 1.0]);
    let shares = factors.map(|factor| (66, Some(factor)));
    let mut model = Model::with_shares(shared, shares.to_vec());
    let mut sums = [0; 4];
    (0..4).for_each(|who| model.flood(who));
    for round in 0..2 * rounds {
        model.free(round % 4);
        (0..4).for_each(|who| model.flood(who));
        if round >= rounds {
            sums.iter_mut().enumerate().for_each(|(who, sum)| *sum += model.used(who));
        }
    }
    for (sum, factor) in sums.into_iter().zip(factors) {
        let expected = f64::from(shared) * factor / (1.0 + factors.iter().sum::<f64>());
        let off = f64::from(sum) / rounds as f64 - expected;
        assert!(off.abs() < f64::from(LONGEST), "alpha {factor}: {off} off {expected}");
    }
}

/// Complete sharing: a single hot receiver can use every shared block.
#[test]
fn under_complete_sharing_one_can_use_all() {
    for shared in [0, 33, 100, 1000, 5000] {
        let mut model = Model::new(8, 66, shared, None);
        model.flood(0);
        assert_eq!(model.used(0), shared);
        assert_eq!(model.memory.most(0), 66 + shared);
        assert!(model.receivers[0].share().held + 33 > 66 + shared - 33);
        // The others still have their guarantee.
        (1..8).for_each(|who| assert!(model.send(who, 33) && model.send(who, 33)));
    }
}

/// Dynamic thresholds: a single hog gets alpha (1 + alpha) of the shared blocks, to the block.
#[test]
fn under_dynamic_thresholds_one_gets_its_part() {
    for factor in [1.0 / 128.0, 0.25, 1.0, 2.0, 16.0, 128.0] {
        let mut model = Model::new(8, 66, 4000, Some(factor));
        model.flood(0);
        let expected = 4000.0 * factor / (1.0 + factor);
        let used = model.used(0);
        assert!((f64::from(used) - expected).abs() <= 1.0, "{used} where {expected} is due, alpha {factor}");
        assert!(model.receivers[0].share().held <= model.memory.most(0));
    }
}

/// Dynamic thresholds: n hogs with packets that leave in turn have alpha (1 + n alpha) of the shared blocks each. This
/// is true on average and to a packet (Choudhury and Hahne 1998). The law is of a fluid. Here each packet that leaves
/// moves the threshold by alpha packets, so the law says little for an alpha far beyond 2 and several hogs.
#[test]
fn under_dynamic_thresholds_hogs_share_as_the_law_says() {
    let (shared, rounds) = (4000, 4000);
    for factor in [1.0 / 128.0, 0.25, 0.5, 1.0, 2.0] {
        for hogs in 2..=8_usize {
            let mut model = Model::new(8, 66, shared, Some(factor));
            let mut sums = vec![0; hogs];
            (0..hogs).for_each(|who| model.flood(who));
            for round in 0..2 * rounds {
                model.free(round % hogs);
                (0..hogs).for_each(|who| model.flood(who));
                if round >= rounds {
                    sums.iter_mut().enumerate().for_each(|(who, sum)| *sum += model.used(who));
                }
            }
            let expected = f64::from(shared) * factor / (1.0 + hogs as f64 * factor);
            for sum in sums {
                let off = f64::from(sum) / rounds as f64 - expected;
                assert!(off.abs() < f64::from(LONGEST), "{hogs} hogs, alpha {factor}: {off} off {expected}");
            }
        }
    }
}

/// Receivers with a guarantee of a packet each, in memory where 30 blocks are shared: the share of each, kept by hand.
struct ByHand {
    memory: SharedMemory,
    shares: [ReceiverShare; 3],
}

impl ByHand {
    fn new() -> Self {
        let share = Share { guaranteed: Bytes::new(u64::from(LONGEST) * 64), alpha: None };
        let shares = [ReceiverShare { held: 0, room: LONGEST }; 3];
        Self { memory: SharedMemory::new(3 * u32::from(LONGEST) + 30, &[share; 3]), shares }
    }

    fn admit(&mut self, who: usize, blocks: u16) -> u16 {
        let share = &mut self.shares[who];
        (share.held, share.room) = (share.held + u32::from(blocks), share.room - blocks);
        let granted = self.memory.on_admission(who, *share);
        share.room += granted;
        granted
    }

    /// Releases blocks. Returns the guaranteed blocks that come back, and the grants to others, in order.
    fn release(&mut self, who: usize, blocks: u16) -> (u16, Vec<(usize, u16)>) {
        self.shares[who].held -= u32::from(blocks);
        let own = self.memory.on_release(who, self.shares[who], blocks);
        self.shares[who].room += own;
        let mut grants = Vec::new();
        while let Some(CreditGrant { receiver, blocks }) = self.memory.next_grant(|who| self.shares[who]) {
            self.shares[receiver].room += blocks;
            grants.push((receiver, blocks));
        }
        (own, grants)
    }
}

/// Blocks that come free in pieces go to the same receiver until it has room for a whole packet, then to the next.
#[test]
fn a_turn_lasts_until_there_is_room_for_a_whole_packet() {
    let mut memory = ByHand::new();
    assert!(memory.memory.is_released());
    assert_eq!([0, 1, 2].map(|who| memory.admit(who, LONGEST)), [30, 0, 0], "30 blocks are shared");
    assert!(!memory.memory.is_released());
    assert_eq!(memory.release(0, 10), (0, vec![(0, 3), (1, 7)]), "the first lacks 3 blocks of a packet");
    assert_eq!(memory.release(0, 20), (0, vec![(1, 20)]), "the turn of the second goes on");
    assert_eq!(memory.release(0, 3), (0, vec![(1, 3)]));
    assert_eq!(memory.release(1, LONGEST), (3, vec![(2, 30)]), "the guarantee of the second is whole again");
    assert_eq!(memory.release(2, LONGEST), (3, vec![]));
    assert!(memory.memory.is_released());
    assert_eq!(memory.shares, [ReceiverShare { held: 0, room: LONGEST }; 3], "all are at rest");
}

/// The turn passes on from the receiver that was granted memory, and comes back to the first after the last.
#[test]
fn turns_go_round() {
    for receivers in [3, 64, 65, 130] {
        let mut model = Model::new(receivers, LONGEST, 4 * u32::from(LONGEST), None);
        (0..receivers).for_each(|who| model.flood(who));
        (0..receivers).for_each(|who| assert!(!model.held[who].is_empty()));
        // The receiver that holds most releases a packet at a time. Each other receiver gets room for a packet in its
        // turn, as does the receiver itself.
        let mut got = vec![0; receivers];
        for round in 0..3 * receivers {
            let most = (0..receivers).max_by_key(|who| model.held[*who].len()).expect("there are receivers");
            model.free(most);
            for (who, got) in got.iter_mut().enumerate() {
                model.tell(who, false);
                while model.send(who, LONGEST) {
                    *got += 1;
                    assert!(model.deliver(who));
                    model.tell(who, false);
                }
            }
            let (least, most) = (got.iter().min(), got.iter().max());
            assert!(most <= least.map(|least| least + 1).as_ref(), "{receivers} receivers, {round}: {got:?}");
        }
    }
}
