//! Hierarchical all-reduce: rings inside groups, and between the ranks of equal place in all groups.
//!
//! Reduce-scatter inside a group of g ranks, all-reduce of n/g bytes between the p/g ranks of equal place, all-gather
//! inside the group. ASTRA-sim calls this a two-dimensional all-reduce.
//!
//! Invariant: the vector has p blocks; place l of a group owns the p/g blocks from l p/g on between the phases.

use smallvec::smallvec;

use super::phase::{At, Circle, Content, Effect, Phase, Phases, Schedule, Side, Transfer};

const SCATTER_INSIDE: u8 = 0;
const SCATTER_BETWEEN: u8 = 1;
const GATHER_BETWEEN: u8 = 2;
const GATHER_INSIDE: u8 = 3;

/// Hierarchical all-reduce.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hierarchical {
    pub(super) ranks: u32,
    /// Ranks of a group, which divides the ranks.
    pub(super) group: u32,
}

impl Schedule for Hierarchical {
    fn blocks(&self) -> u32 {
        self.ranks
    }

    fn labels(&self) -> u32 {
        2 * (self.group + self.ranks / self.group)
    }

    fn phases(&self, _: u32, _: u32) -> Phases {
        let (inside, between) = (self.group - 1, self.ranks / self.group - 1);
        smallvec![
            Phase::exchanges(SCATTER_INSIDE, inside),
            Phase::exchanges(SCATTER_BETWEEN, between),
            Phase::exchanges(GATHER_BETWEEN, between),
            Phase::exchanges(GATHER_INSIDE, inside)
        ]
    }

    fn transfer(&self, at: At, side: Side) -> Transfer {
        let (group, groups) = (self.group, self.ranks / self.group);
        let (local, node) = (at.rank % group, at.rank / group);
        let inside = at.part == SCATTER_INSIDE || at.part == GATHER_INSIDE;
        let (circle, place) = if inside { (Circle(group), local) } else { (Circle(groups), node) };
        let (peer, sender) = match side {
            Side::Send => (circle.after(place, 1), place),
            Side::Receive => (circle.before(place, 1), circle.before(place, 1)),
        };
        let reduces = at.part == SCATTER_INSIDE || at.part == SCATTER_BETWEEN;
        let piece = circle.before(sender, if reduces { at.step + 1 } else { at.step });
        let content = if inside {
            Content::Blocks { first: piece * groups, count: groups }
        } else {
            Content::block(local * groups + piece)
        };
        let (inside_labels, between_labels) = (group - 1, groups - 1);
        let before = match at.part {
            SCATTER_INSIDE => 0,
            SCATTER_BETWEEN => inside_labels,
            GATHER_BETWEEN => inside_labels + between_labels,
            _ => inside_labels + 2 * between_labels,
        };
        let peer = if inside { node * group + peer } else { peer * group + local };
        let effect = if reduces { Effect::Combine } else { Effect::Replace };
        Transfer { peer, label: before + at.step, content, effect }
    }
}
