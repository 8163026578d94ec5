//! The least loaded port.
//!
//! Invariant: no port that is compared has a lower grade than the chosen port. A grade is the level of the port's load,
//! then whether the far end holds the packet back.

use core::ops::Range;

use event_kernel::Stream;
use packet::PortId;
use units::Bytes;

use super::selector::{Choice, Loads, Selector, SelectorSetup, drawn};
use crate::spec::{ChoicesSpec, LeastLoadedSpec, TieSpec};

/// The least loaded port of a group.
#[derive(Clone, Debug)]
pub struct LeastLoaded {
    spec: LeastLoadedSpec,
    /// 2^32 by the length of a packet of the MTU, rounded up.
    per_byte: u64,
    stream: Stream,
    /// Place of the port that is the next of equally loaded ones, by group.
    turns: Box<[u8]>,
}

state_codec::state!(LeastLoaded { spec: plan, per_byte: plan, stream, turns });

impl LeastLoaded {
    /// Creates a selector.
    #[must_use]
    pub fn new(spec: LeastLoadedSpec, setup: SelectorSetup) -> Self {
        Self {
            spec,
            per_byte: (1 << 32) / setup.longest_packet.get().max(1) + 1,
            stream: setup.stream,
            turns: vec![0; setup.groups].into(),
        }
    }

    /// Returns the grade of a port: lower is better.
    #[inline]
    fn grade(&self, port: PortId, loads: &impl Loads) -> u32 {
        2 * self.level(loads.backlog(port)) + u32::from(loads.is_held(port))
    }

    /// Returns the level of a load: its length in packets of the MTU, rounded up, below the number of levels.
    #[inline]
    fn level(&self, backlog: Bytes) -> u32 {
        // A memory of 1 GiB times 2^24 fits. The product errs by less than a packet in 2^22.
        let packets = (backlog.get() * self.per_byte).div_ceil(1 << 32);
        packets.min(u64::from(self.spec.levels) - 1) as u32
    }

    /// Returns the place of the better of two ports that are drawn, of those that are up.
    fn of_two(&mut self, choice: Choice<'_>, candidates: &Range<usize>, loads: &impl Loads) -> usize {
        let one = drawn(&mut self.stream, candidates);
        // The other is any but the first.
        let rest = drawn(&mut self.stream, &(candidates.start + 1..candidates.end.max(candidates.start + 2)));
        let other = if rest == one || rest >= candidates.end { candidates.start } else { rest };
        let grade = |place: usize| {
            let port = choice.group.port(place);
            (!loads.is_up(port), self.grade(port, loads))
        };
        let best = if grade(other) < grade(one) { other } else { one };
        if loads.is_up(choice.group.port(best)) {
            return best;
        }
        choice.up_from(best, candidates.clone(), loads).next().unwrap_or(best)
    }

    /// Returns the place of the best port from `first` on, and round.
    #[inline]
    fn best_from(
        &self,
        first: usize,
        choice: Choice<'_>,
        candidates: Range<usize>,
        loads: &impl Loads,
    ) -> usize {
        let mut best = (u32::MAX, first);
        for place in choice.up_from(first, candidates, loads) {
            let grade = self.grade(choice.group.port(place), loads);
            if grade < best.0 {
                best = (grade, place);
                if grade == 0 {
                    break;
                }
            }
        }
        best.1
    }

    /// Returns the place of a port, drawn among the best ports.
    fn drawn_best(&mut self, choice: Choice<'_>, candidates: Range<usize>, loads: &impl Loads) -> usize {
        let (mut best, mut equal) = (u32::MAX, 0);
        for place in choice.up_from(candidates.start, candidates.clone(), loads) {
            let grade = self.grade(choice.group.port(place), loads);
            if grade < best {
                (best, equal) = (grade, 0);
            }
            equal += usize::from(grade == best);
        }
        let nth = drawn(&mut self.stream, &(0..equal.max(1)));
        let is_best = |place: &usize| self.grade(choice.group.port(*place), loads) == best;
        let mut places = choice.up_from(candidates.start, candidates.clone(), loads).filter(is_best);
        places.nth(nth).unwrap_or(candidates.start)
    }
}

impl Selector for LeastLoaded {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        let candidates = choice.candidates(loads);
        let place = match (self.spec.choices, self.spec.tie) {
            (ChoicesSpec::Two, _) => self.of_two(choice, &candidates, loads),
            (ChoicesSpec::All, TieSpec::Random) => self.drawn_best(choice, candidates, loads),
            (ChoicesSpec::All, TieSpec::RoundRobin) => {
                let turn = usize::from(self.turns[choice.group.number()]);
                let first = if candidates.contains(&turn) { turn } else { candidates.start };
                let place = self.best_from(first, choice, candidates, loads);
                self.turns[choice.group.number()] = (place + 1) as u8;
                place
            }
        };
        choice.group.port(place)
    }
}
