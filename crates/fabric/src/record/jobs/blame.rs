//! Outputs and trees that late messages are blamed on.
//!
//! Invariant: the blame of a message is its lateness, to the picosecond. It is shared among the outputs at which
//! samples show data of its flow while it was under way, in proportion to the number of samples.

use core::ops::Range;
use std::collections::BTreeMap;

use scenario::Plan;
use telemetry::PathPlace;
use units::{Span, Time};

use crate::observe::trees::JobWait;
use crate::state::world::OutputLane;

/// An output, or the root of a tree.
type Place = (OutputLane, Option<u32>);

/// Places with the blame so far.
#[derive(Debug, Default)]
pub(super) struct Blame {
    /// Numbers in the order of first use.
    numbers: BTreeMap<Place, u32>,
    spans: Vec<(Place, Span)>,
    /// Blame by iteration and number of the place.
    by_iteration: BTreeMap<(u32, u32), Span>,
}

impl Blame {
    /// Blames the lateness of a message of some flows in an iteration, which was under way in an interval, on the
    /// places where the flows waited.
    /// Returns the number of the place with most of it; `None` if no sample shows one of the flows.
    ///
    /// `waits` are in order of flow and time.
    pub(super) fn add(
        &mut self,
        waits: &[JobWait],
        (flows, from, to): (Range<u32>, Time, Time),
        (late, iteration): (Span, u32),
    ) -> Option<u32> {
        let mut counts: BTreeMap<Place, u64> = BTreeMap::new();
        for flow in flows {
            let first = waits.partition_point(|wait| (wait.flow, wait.at) < (flow, from));
            let seen = waits[first..].iter().take_while(|wait| wait.flow == flow && wait.at <= to);
            seen.for_each(|wait| *counts.entry((wait.output, wait.root)).or_default() += 1);
        }
        let all: u64 = counts.values().sum();
        // The first of several with most samples.
        let (most, _) = counts.iter().rev().max_by_key(|(_, count)| **count)?;
        let most = *most;
        let mut left = late;
        for (place, count) in &counts {
            let share = Span::from_ps((u128::from(late.ps()) * u128::from(*count) / u128::from(all)) as u64);
            left -= share;
            self.give(*place, iteration, share);
        }
        // Less than a picosecond for each place.
        self.give(most, iteration, left);
        Some(self.numbers[&most])
    }

    fn give(&mut self, place: Place, iteration: u32, span: Span) {
        let number = *self.numbers.entry(place).or_insert_with(|| {
            self.spans.push((place, Span::ZERO));
            self.spans.len() as u32 - 1
        });
        self.spans[number as usize].1 += span;
        *self.by_iteration.entry((iteration, number)).or_insert(Span::ZERO) += span;
    }

    /// Returns the place with most blame of each iteration that has any, the first used of several.
    pub(super) fn of_iterations(&self) -> BTreeMap<u32, (u32, Span)> {
        let mut most = BTreeMap::<u32, (u32, Span)>::new();
        for ((iteration, number), span) in &self.by_iteration {
            let found = most.entry(*iteration).or_insert((*number, *span));
            if *span > found.1 {
                *found = (*number, *span);
            }
        }
        most
    }

    /// Returns the places, the longest blame first, and the new number of each old one.
    pub(super) fn places(self, plan: &Plan) -> (Vec<PathPlace>, Vec<u32>) {
        let mut order: Vec<usize> = (0..self.spans.len()).collect();
        order.sort_by_key(|old| core::cmp::Reverse(self.spans[*old].1));
        let mut numbers = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(old, new)| numbers[*old] = new);
        let graph = plan.graph();
        let named = |old: &usize| {
            let (((node, port, lane), root), span) = self.spans[*old];
            PathPlace {
                node: graph.name(node).to_owned(),
                port: graph.port_number((node, port)),
                peer: graph.name(graph.ports(node)[port.index()].peer).to_owned(),
                lane: lane.0,
                root,
                span,
            }
        };
        (order.iter().map(named).collect(), numbers)
    }
}

#[cfg(test)]
mod tests {
    use packet::{Lane, NodeId, PortId};

    use super::*;

    /// Two samples at one output and one in a tree: two thirds and a third, and nothing of the rest is lost.
    #[test]
    fn blame_is_shared_by_samples() {
        let at = |ns: u64| Span::from_ns(ns).after_start();
        let output = |port| (NodeId(9), PortId(port), Lane(0));
        let wait = |flow, ns, port, root| JobWait { at: at(ns), flow, output: output(port), root };
        let waits = [
            wait(3, 5, 1, None),
            wait(4, 5, 1, None),
            wait(4, 10, 1, None),
            wait(4, 10, 2, Some(7)),
            wait(4, 99, 3, None),
            wait(5, 10, 4, None),
        ];
        let mut blame = Blame::default();
        assert_eq!(blame.add(&waits, (4..5, at(5), at(98)), (Span::from_ps(100), 0)), Some(0));
        assert_eq!(
            blame.add(&waits, (4..5, at(6), at(98)), (Span::from_ps(5), 1)),
            Some(0),
            "the first of equals"
        );
        assert_eq!(blame.add(&waits, (4..5, at(11), at(98)), (Span::from_ps(5), 1)), None, "no sample");
        assert_eq!(blame.add(&waits, (6..7, at(0), at(98)), (Span::from_ps(5), 1)), None, "another flow");
        assert_eq!(blame.add(&waits, (4..5, at(98), at(99)), (Span::from_ps(9), 1)), Some(2));
        let spans: Vec<_> =
            blame.spans.iter().map(|((output, root), span)| (output.1.0, *root, span.ps())).collect();
        assert_eq!(spans, [(1, None, 67 + 3), (2, Some(7), 33 + 2), (3, None, 9)]);
        let most = [(0, (0, Span::from_ps(67))), (1, (2, Span::from_ps(9)))];
        assert_eq!(blame.of_iterations(), BTreeMap::from(most));
    }
}
