//! The division of a run among threads: into parts that gain by it, or into a single part.
//!
//! Invariant: a division changes the time that a run takes, and nothing of its record.

use parallel::Threads;
use scenario::Plan;
use topology::{Partition, PartitionCost};
use units::Span;

/// The parts of a run.
#[derive(Clone, Debug)]
pub struct Division {
    /// The parts, for [`RunOptions::partition`](crate::RunOptions::partition); `None` for one part.
    pub partition: Option<Partition>,
    /// Cost of the parts, and the number of events that each is expected to handle in a common window; `None` if
    /// there is one part.
    pub cost: Option<(PartitionCost, f64)>,
    /// Reason for fewer parts than asked for. It was found for a division into one part more.
    pub fewer: Option<FewerParts>,
}

/// A reason for fewer parts than asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FewerParts {
    /// The fabric has fewer nodes.
    FewNodes,
    /// Something takes no time from part to part, however the fabric is divided.
    NoTime,
    /// With one part more, each would have so few events in a common window that the meetings of threads take longer.
    FewEvents {
        /// Events that each of these parts is expected to handle in a window.
        expected: f64,
        /// Length of the window.
        window: Span,
    },
}

/// Least events of a part in a common window that are worth a meeting after it. A meeting costs some 0.5 us, an event
/// some 0.1 us (`docs/lab/threads.md`).
const WORTH_A_MEETING: f64 = 8.0;

impl Division {
    /// Divides the run of a plan among threads.
    #[must_use]
    pub fn of(plan: &Plan, threads: Threads) -> Self {
        let most = threads.most();
        if most < 2 {
            return Self::of_one();
        }
        Self::between(plan, 1, most.min(usize::from(u16::MAX)))
    }

    /// Divides the run of a plan among ranks, each with its threads. There is a part for each thread, or fewer parts
    /// if more gain nothing, but at least a part for each rank. If that cannot be, all is one part. Ranks have memory
    /// of their own, so a rank that gains no time is still of use.
    #[must_use]
    pub fn among(plan: &Plan, ranks: usize, threads: Threads) -> Self {
        if ranks < 2 {
            return Self::of(plan, threads);
        }
        let most = (ranks * threads.most()).min(usize::from(u16::MAX));
        Self::between(plan, ranks, most)
    }

    /// Returns the division into most parts that gain, up to `most`, or into `least` parts whatever they gain. If
    /// neither can be, there is a single part.
    fn between(plan: &Plan, least: usize, most: usize) -> Self {
        let work = plan.expected_work();
        let fabric = plan.weighed_graph(&work);
        let mut fewer = None;
        // From most to fewest: the first division that gains has most parts, and `fewer` then is the reason against
        // one part more.
        for parts in (least.max(2)..=most).rev() {
            let partition = Partition::balanced(&fabric, parts);
            let cost = partition.cost(&fabric);
            let expected = cost.window.map_or(f64::INFINITY, |window| work.in_window(window) / parts as f64);
            let against = match cost.window {
                // First, since the cost is then of fewer parts than asked for.
                _ if partition.parts() < parts => FewerParts::FewNodes,
                Some(Span::ZERO) => FewerParts::NoTime,
                // `least` parts are kept even if they gain nothing, since every rank needs a part.
                Some(window) if expected < WORTH_A_MEETING && parts > least => {
                    FewerParts::FewEvents { expected, window }
                }
                _ => return Self { partition: Some(partition), cost: Some((cost, expected)), fewer },
            };
            fewer = Some(against);
        }
        Self { partition: None, cost: None, fewer }
    }

    /// Returns the division into one part.
    #[must_use]
    pub const fn of_one() -> Self {
        Self { partition: None, cost: None, fewer: None }
    }

    /// Returns the number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.partition.as_ref().map_or(1, Partition::parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::shipped;

    /// The reason for 15 parts, of up to 18, is the number of events of 16 parts, not of 18.
    #[test]
    fn the_reason_for_fewer_parts_is_that_of_one_part_more() {
        let plan = shipped("dcs648", &[]);
        let Division { partition, cost, fewer } = Division::between(&plan, 1, 18);
        let parts = partition.expect("several parts gain").parts();
        let (cost, expected) = cost.expect("several parts have a cost");
        let Some(FewerParts::FewEvents { expected: with_one_more, window }) = fewer else {
            panic!("{fewer:?}")
        };
        assert_eq!(Some(window), cost.window);
        let (here, there) = (expected * parts as f64, with_one_more * (parts + 1) as f64);
        assert!(
            (here - there).abs() < 1e-6,
            "{expected} events by {parts} parts, {with_one_more} by one more"
        );
    }
}
