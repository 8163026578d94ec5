//! Arbitration of a port's virtual lanes (IBA volume 1, 7.6.9).
//!
//! Invariant: a lane that is ready and has weight is served after a bounded number of bytes of other lanes. The
//! exceptions are a high-priority table without a limit (`LimitOfHighPriority` 255), and a strict lane that is ready.
//! Strict lanes precede both tables, in their order (strict priority of IEEE 802.1Q). VL15 precedes all other lanes.

use packet::Lane;
use units::Bytes;

use crate::spec::{VlArbitrationSpec, VlWeight};

/// A set of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet(u16);

state_codec::value!(LaneSet { 0 });

impl LaneSet {
    /// Adds a lane.
    pub fn insert(&mut self, lane: Lane) {
        self.0 |= 1 << lane.0;
    }

    /// Removes a lane.
    pub fn remove(&mut self, lane: Lane) {
        self.0 &= !(1 << lane.0);
    }

    /// Returns true if the lane is in the set.
    #[must_use]
    pub const fn contains(self, lane: Lane) -> bool {
        self.0 >> lane.0 & 1 == 1
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the first lane of the set after `last`, in cyclic order.
    #[must_use]
    pub fn next_after(self, last: Lane) -> Option<Lane> {
        let turned = self.0.rotate_right(u32::from(last.0) + 1);
        (turned != 0).then(|| Lane(((u32::from(last.0) + 1 + turned.trailing_zeros()) % 16) as u8))
    }
}

/// Removes and yields the lanes, lowest first.
impl Iterator for LaneSet {
    type Item = Lane;
    fn next(&mut self) -> Option<Lane> {
        let lane = (self.0 != 0).then(|| Lane(self.0.trailing_zeros() as u8))?;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// The arbiter of a port's lanes. Most ports have no tables, and stay small.
#[derive(Clone, Debug)]
pub struct VlArbiter {
    last: Lane,
    tables: Option<Box<Tables>>,
}

state_codec::state!(VlArbiter { last, tables: part });

/// Both tables, and the bytes that the high-priority table may still send.
#[derive(Clone, Debug)]
struct Tables {
    /// Lanes that precede both tables, in order of priority.
    strict: Vec<Lane>,
    high: Table,
    low: Table,
    /// Bytes of high priority that may pass while low priority waits; `None` for no limit.
    limit: Option<i64>,
    left_of_limit: i64,
    /// Priority of the lane picked last, and true if low priority waited.
    picked: Priority,
    low_waits: bool,
}

state_codec::state!(Tables {
    strict: plan,
    high: part,
    low: part,
    limit: plan,
    left_of_limit,
    picked,
    low_waits
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    Strict,
    High,
    Low,
}

state_codec::value!(enum Priority { 0 = Strict, 1 = High, 2 = Low });

/// A weighted table, and the entry in turn.
#[derive(Clone, Debug)]
struct Table {
    entries: Vec<VlWeight>,
    turn: usize,
    /// Bytes left in this turn; a turn may be overdrawn by less than a packet.
    left: i64,
}

state_codec::state!(Table { entries: plan, turn, left });

impl VlArbiter {
    /// An arbiter with these tables. Without any, lanes take turns packet by packet.
    #[must_use]
    pub fn new(spec: &VlArbitrationSpec) -> Self {
        let any = !(spec.high.is_empty() && spec.low.is_empty() && spec.strict.is_empty());
        Self { last: Lane::MANAGEMENT, tables: any.then(|| Box::new(Tables::new(spec))) }
    }

    /// Returns true if lanes take turns, without tables.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.tables.is_none()
    }

    /// Returns the next lane of those that have a packet ready; `None` if no table gives any of them weight.
    #[inline]
    pub fn pick(&mut self, ready: LaneSet) -> Option<Lane> {
        if ready.contains(Lane::MANAGEMENT) {
            return Some(Lane::MANAGEMENT);
        }
        match &mut self.tables {
            None => ready.next_after(self.last),
            Some(tables) => tables.pick(ready, self.last),
        }
    }

    /// Handles a packet of this length on the lane that was picked.
    pub fn sent(&mut self, lane: Lane, length: Bytes) {
        self.last = lane;
        if let Some(tables) = &mut self.tables
            && lane != Lane::MANAGEMENT
        {
            tables.sent(length.get() as i64);
        }
    }
}

impl Tables {
    fn new(spec: &VlArbitrationSpec) -> Self {
        // IBA: the limit counts 4,096 bytes; 0 lets a single packet pass, 255 sets no limit.
        let limit = match spec.limit_of_high_priority {
            255 => None,
            0 => Some(1),
            limit => Some(i64::from(limit) * 4096),
        };
        Self {
            strict: spec.strict.iter().copied().map(Lane).collect(),
            high: Table::new(&spec.high),
            low: Table::new(&spec.low),
            limit,
            left_of_limit: limit.unwrap_or(0),
            picked: Priority::Low,
            low_waits: false,
        }
    }

    #[inline(never)] // Few ports have tables.
    fn pick(&mut self, ready: LaneSet, last: Lane) -> Option<Lane> {
        if let Some(lane) = self.strict.iter().find(|lane| ready.contains(**lane)) {
            self.picked = Priority::Strict;
            return Some(*lane);
        }
        if self.high.entries.is_empty() && self.low.entries.is_empty() {
            return ready.next_after(last);
        }
        self.low_waits = self.low.serves(ready);
        let low_is_due = self.low_waits && self.limit.is_some() && self.left_of_limit <= 0;
        if !low_is_due && let Some(lane) = self.high.pick(ready) {
            self.picked = Priority::High;
            return Some(lane);
        }
        self.picked = Priority::Low;
        self.low.pick(ready)
    }

    /// Handles a packet of this length on the lane picked last.
    fn sent(&mut self, length: i64) {
        match self.picked {
            Priority::Strict => {}
            Priority::High => {
                self.high.left -= length;
                // The limit is for the sake of low priority, so it counts only while low priority waits.
                self.left_of_limit -= if self.low_waits { length } else { 0 };
            }
            Priority::Low => {
                self.low.left -= length;
                self.left_of_limit = self.limit.unwrap_or(0);
            }
        }
    }
}

impl Table {
    fn new(entries: &[VlWeight]) -> Self {
        let entries: Vec<_> = entries.iter().copied().filter(|entry| entry.weight > 0).collect();
        let left = entries.first().map_or(0, |entry| i64::from(entry.weight) * 64);
        Self { entries, turn: 0, left }
    }

    fn serves(&self, ready: LaneSet) -> bool {
        self.entries.iter().any(|entry| ready.contains(Lane(entry.lane)))
    }

    /// Returns the lane of the current turn while it has weight left, else the lane of the next turn that is ready.
    fn pick(&mut self, ready: LaneSet) -> Option<Lane> {
        let count = self.entries.len();
        // The last step comes back to the entry in turn: its weight is spent, but no other lane may be ready.
        for step in 0..=count {
            let turn = (self.turn + step) % count.max(1);
            let entry = self.entries.get(turn)?;
            let spent = step == 0 && self.left <= 0;
            if ready.contains(Lane(entry.lane)) && !spent {
                if step > 0 {
                    self.turn = turn;
                    self.left = i64::from(entry.weight) * 64;
                }
                return Some(Lane(entry.lane));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(entries: &[(u8, u8)]) -> Vec<VlWeight> {
        entries.iter().map(|&(lane, weight)| VlWeight { lane, weight }).collect()
    }

    fn set(lanes: &[u8]) -> LaneSet {
        let mut set = LaneSet::default();
        lanes.iter().for_each(|lane| set.insert(Lane(*lane)));
        set
    }

    /// Returns the bytes of each lane while all lanes of `ready` always have packets of 1,024 bytes.
    fn shares(arbiter: &mut VlArbiter, ready: &[u8], packets: usize) -> [u64; 16] {
        let mut sent = [0; 16];
        for _ in 0..packets {
            let lane = arbiter.pick(set(ready)).expect("a lane is ready");
            arbiter.sent(lane, Bytes::new(1024));
            sent[lane.index()] += 1024;
        }
        sent
    }

    #[test]
    fn without_tables_lanes_take_turns() {
        let mut arbiter = VlArbiter::new(&VlArbitrationSpec::default());
        let sent = shares(&mut arbiter, &[0, 3, 14], 300);
        assert_eq!((sent[0], sent[3], sent[14]), (102_400, 102_400, 102_400));
    }

    #[test]
    fn low_priority_shares_by_weight() {
        let spec = VlArbitrationSpec { low: weights(&[(0, 64), (1, 192)]), ..Default::default() };
        let sent = shares(&mut VlArbiter::new(&spec), &[0, 1], 1600);
        assert_eq!(sent[1], 3 * sent[0]);
    }

    proptest! {
        /// A turn lasts while the entry has weight left, in units of 64 bytes; its last packet may exceed it (IBA
        /// volume 1, 7.6.9). With packets of equal length the turn of weight w is the fewest packets that hold 64 w
        /// bytes.
        #[test]
        fn a_turn_is_its_weight_in_units_of_64_bytes(
            low: bool, weights in [1..=255u8, 1..=255u8, 1..=255u8], length in 24..4_200u64,
        ) {
            let table: Vec<_> = (0..).zip(weights).map(|(lane, weight)| VlWeight { lane, weight }).collect();
            let tables = VlArbitrationSpec { limit_of_high_priority: 255, ..Default::default() };
            let tables = if low {
                VlArbitrationSpec { low: table, ..tables }
            } else {
                VlArbitrationSpec { high: table, ..tables }
            };
            let mut arbiter = VlArbiter::new(&tables);
            for turn in 0..9 {
                let (lane, weight) = (Lane(turn % 3), u64::from(weights[usize::from(turn % 3)]));
                for _ in 0..(64 * weight).div_ceil(length) {
                    prop_assert_eq!(arbiter.pick(set(&[0, 1, 2])), Some(lane), "turn {}", turn);
                    arbiter.sent(lane, Bytes::new(length));
                }
            }
        }
    }

    #[test]
    fn high_priority_goes_first_up_to_its_limit() {
        let spec = |limit| VlArbitrationSpec {
            high: weights(&[(1, 255)]),
            low: weights(&[(0, 255)]),
            limit_of_high_priority: limit,
            ..Default::default()
        };
        let sent = shares(&mut VlArbiter::new(&spec(255)), &[0, 1], 100);
        assert_eq!(sent[0], 0, "no limit: low priority waits for ever");
        let sent = shares(&mut VlArbiter::new(&spec(2)), &[0, 1], 90);
        assert_eq!(sent[1], 8 * sent[0], "8,192 bytes of high priority for each packet of low");
        let sent = shares(&mut VlArbiter::new(&spec(0)), &[0, 1], 90);
        assert_eq!(sent[1], sent[0], "limit 0: one packet each");
    }

    #[test]
    fn a_lane_in_both_tables_starves_nobody() {
        let spec = VlArbitrationSpec {
            high: weights(&[(0, 64)]),
            low: weights(&[(0, 64), (1, 64)]),
            limit_of_high_priority: 1,
            ..Default::default()
        };
        let sent = shares(&mut VlArbiter::new(&spec), &[0, 1], 800);
        // Each round has 4,096 bytes of high priority and then a single packet of low priority. A turn of low priority
        // holds four packets.
        assert_eq!((sent[0], sent[1]), (720 * 1024, 80 * 1024));
    }

    #[test]
    fn management_goes_before_all() {
        let spec = VlArbitrationSpec { high: weights(&[(0, 255)]), ..Default::default() };
        assert_eq!(VlArbiter::new(&spec).pick(set(&[0, 15])), Some(Lane::MANAGEMENT));
    }

    #[test]
    fn strict_lanes_go_first_and_the_others_by_weight() {
        let spec = VlArbitrationSpec {
            strict: vec![6, 3],
            low: weights(&[(0, 64), (1, 192)]),
            ..Default::default()
        };
        let mut arbiter = VlArbiter::new(&spec);
        let sent = shares(&mut arbiter, &[0, 1, 3, 6], 100);
        assert_eq!(sent[6], 102_400, "the first of them before all");
        assert_eq!(shares(&mut arbiter, &[0, 1, 3], 100)[3], 102_400, "then the second");
        let sent = shares(&mut arbiter, &[0, 1], 1600);
        assert_eq!(sent[1], 3 * sent[0], "and what they leave goes by weight");
        let alone = VlArbitrationSpec { strict: vec![6], ..Default::default() };
        let sent = shares(&mut VlArbiter::new(&alone), &[0, 1], 100);
        assert_eq!(sent[0], sent[1], "without tables the others take turns");
    }

    #[test]
    fn a_lane_without_weight_is_not_served() {
        let spec = VlArbitrationSpec {
            high: weights(&[(0, 1), (2, 0)]),
            low: weights(&[(1, 0)]),
            ..Default::default()
        };
        let mut arbiter = VlArbiter::new(&spec);
        assert_eq!([1, 2].map(|lane| arbiter.pick(set(&[lane]))), [None; 2]);
        assert_eq!(shares(&mut arbiter, &[0, 1, 2], 10)[0], 10_240, "an entry of weight 0 is skipped");
    }

    /// The limit of high priority is for the sake of low priority: while none of it waits, it does not count.
    #[test]
    fn high_priority_has_no_limit_while_low_does_not_wait() {
        let spec =
            VlArbitrationSpec { high: weights(&[(1, 255)]), low: weights(&[(0, 255)]), ..Default::default() };
        let mut arbiter = VlArbiter::new(&spec);
        assert_eq!(shares(&mut arbiter, &[1], 40)[1], 40_960);
        // A single packet passes, as the limit of 0 says.
        assert_eq!([0, 1].map(|_| shares(&mut arbiter, &[0, 1], 1)[0]), [0, 1_024]);
    }

    /// VL15 has no weight in the tables (IBA 7.6.9): what it sends is not the turn's.
    #[test]
    fn management_takes_no_turn_of_others() {
        let spec = VlArbitrationSpec { low: weights(&[(0, 32), (1, 16)]), ..Default::default() };
        let mut arbiter = VlArbiter::new(&spec);
        let mut lanes = Vec::new();
        for _ in 0..6 {
            assert_eq!(shares(&mut arbiter, &[0, 1, 15], 3)[15], 3 * 1_024);
            lanes.extend(arbiter.pick(set(&[0, 1])));
            arbiter.sent(lanes[lanes.len() - 1], Bytes::new(1024));
        }
        assert_eq!(lanes, [0, 0, 1, 0, 0, 1].map(Lane));
    }
}
