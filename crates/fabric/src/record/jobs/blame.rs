//! Outputs that late messages are blamed on.
//!
//! Invariant: the blame of a message is its lateness, to the picosecond. It is shared among the outputs at which
//! samples show data of its flow while it was under way, or of flows that kept it waiting at its host, in proportion to
//! the number of samples.

use std::collections::{BTreeMap, BTreeSet};

use scenario::Plan;
use telemetry::{CriticalPath, PathPlace, SharedLink};
use units::{Span, Time};

use crate::observe::trees::JobWait;
use crate::state::world::OutputLane;

/// Places with the blame so far.
#[derive(Debug, Default)]
pub(super) struct Blame {
    /// Numbers in the order of first use.
    numbers: BTreeMap<OutputLane, u32>,
    places: Vec<Blamed>,
    /// Blame by iteration and number of the place.
    by_iteration: BTreeMap<(u32, u32), Span>,
    /// Blame since it was last asked for, by number of the place.
    last: BTreeMap<u32, Span>,
}

/// An output with its blame.
#[derive(Debug)]
struct Blamed {
    output: OutputLane,
    /// Number of the root, if the output is the root of a tree that held a message.
    root: Option<u32>,
    span: Span,
    /// Other flows that share the link of a host.
    flows: BTreeSet<u32>,
}

impl Blame {
    /// Blames the lateness of a message of an iteration on the places where some flows waited, each in an interval.
    /// Returns false, and blames nothing, if no sample shows one of the flows, or nothing is late.
    ///
    /// `waits` are in order of flow and time.
    pub(super) fn add(
        &mut self,
        waits: &[JobWait],
        flows: impl Iterator<Item = (u32, Time, Time)>,
        (late, iteration): (Span, u32),
    ) -> bool {
        if late == Span::ZERO {
            return false;
        }
        let mut counts: BTreeMap<OutputLane, (u64, Option<u32>)> = BTreeMap::new();
        for (flow, from, to) in flows {
            let first = waits.partition_point(|wait| (wait.flow, wait.at) < (flow, from));
            let seen = waits[first..].iter().take_while(|wait| wait.flow == flow && wait.at <= to);
            for wait in seen {
                let (count, root) = counts.entry(wait.output).or_default();
                *count += 1;
                *root = root.or(wait.root);
            }
        }
        let all: u64 = counts.values().map(|(count, _)| count).sum();
        // The first of several with most samples.
        let Some((most, _)) = counts.iter().rev().max_by_key(|(_, (count, _))| *count) else { return false };
        let mut left = late;
        for (output, (count, root)) in &counts {
            let share = Span::from_ps((u128::from(late.ps()) * u128::from(*count) / u128::from(all)) as u64);
            left -= share;
            let number = self.give(*output, iteration, share);
            let known = &mut self.places[number as usize].root;
            *known = known.or(*root);
        }
        // Less than a picosecond for each place.
        self.give(*most, iteration, left);
        true
    }

    /// Blames the lateness of a message of an iteration on the link of its host, which other flows share.
    pub(super) fn share(
        &mut self,
        output: OutputLane,
        others: &BTreeSet<u32>,
        (late, iteration): (Span, u32),
    ) {
        if late > Span::ZERO {
            let number = self.give(output, iteration, late);
            self.places[number as usize].flows.extend(others);
        }
    }

    /// Returns the place with most blame since the last question, the first used of several; `None` without blame.
    pub(super) fn most_since(&mut self) -> Option<u32> {
        let last = core::mem::take(&mut self.last);
        last.into_iter().rev().max_by_key(|(_, span)| *span).map(|(number, _)| number)
    }

    fn give(&mut self, output: OutputLane, iteration: u32, span: Span) -> u32 {
        let number = *self.numbers.entry(output).or_insert_with(|| {
            self.places.push(Blamed { output, root: None, span: Span::ZERO, flows: BTreeSet::new() });
            self.places.len() as u32 - 1
        });
        self.places[number as usize].span += span;
        *self.by_iteration.entry((iteration, number)).or_insert(Span::ZERO) += span;
        *self.last.entry(number).or_insert(Span::ZERO) += span;
        number
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

    /// Gives a path its places, the longest blame first, and returns the new number of each old one.
    pub(super) fn places(self, plan: &Plan, path: &mut CriticalPath) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|old| core::cmp::Reverse(self.places[*old].span));
        let mut numbers = vec![0; order.len()];
        let graph = plan.graph();
        for (old, place) in order.into_iter().zip(0..) {
            numbers[old] = place;
            let Blamed { output: (node, port, lane), root, span, flows } = &self.places[old];
            path.places.push(PathPlace {
                node: graph.name(*node).to_owned(),
                port: graph.port_number((*node, *port)),
                peer: graph.name(graph.ports(*node)[port.index()].peer).to_owned(),
                lane: lane.0,
                root: *root,
                span: *span,
            });
            if !flows.is_empty() {
                path.shared.push(SharedLink { place, flows: flows.iter().copied().collect() });
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use packet::{Lane, NodeId, PortId};

    use super::*;

    fn at(ns: u64) -> Time {
        Span::from_ns(ns).after_start()
    }

    fn output(port: u16) -> OutputLane {
        (NodeId(9), PortId(port), Lane(0))
    }

    /// Returns the places with their ports, roots and blame.
    fn places(blame: &Blame) -> Vec<(u16, Option<u32>, u64)> {
        let all = blame.places.iter();
        all.map(|one| (one.output.1.0, one.root, one.span.ps())).collect()
    }

    /// Two samples at one output and one in a tree: two thirds and a third, and nothing of the rest is lost.
    #[test]
    fn blame_is_shared_by_samples() {
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
        let mut add = |flow: u32, [from, to]: [u64; 2], (late, iteration)| {
            let flows = [(flow, at(from), at(to))].into_iter();
            let is_blamed = blame.add(&waits, flows, (Span::from_ps(late), iteration));
            (is_blamed, blame.most_since())
        };
        assert_eq!(add(4, [5, 98], (100, 0)), (true, Some(0)));
        assert_eq!(add(4, [6, 98], (5, 1)), (true, Some(0)), "the first of equals");
        assert_eq!(add(4, [11, 98], (5, 1)), (false, None), "no sample");
        assert_eq!(add(6, [0, 98], (5, 1)), (false, None), "another flow");
        assert_eq!(add(4, [0, 98], (0, 1)), (false, None), "nothing is late");
        assert_eq!(add(4, [98, 99], (9, 1)), (true, Some(2)));
        let both = [(5, at(0), at(98)), (4, at(10), at(10))];
        assert_eq!(places(&blame), [(1, None, 67 + 3), (2, Some(7), 33 + 2), (3, None, 9)]);
        let most = [(0, (0, Span::from_ps(67))), (1, (2, Span::from_ps(9)))];
        assert_eq!(blame.of_iterations(), BTreeMap::from(most));
        assert!(blame.add(&waits, both.into_iter(), (Span::from_ps(3), 2)));
        assert_eq!(blame.last.len(), 3, "samples of all flows count");
    }

    /// An output is one place, whether messages waited there in a tree that it roots or before it had one.
    #[test]
    fn an_output_is_one_place() {
        let wait = |ns, root| JobWait { at: at(ns), flow: 4, output: output(1), root };
        let waits = [wait(5, None), wait(10, Some(7)), wait(15, None)];
        let mut blame = Blame::default();
        for ns in [5, 10, 15] {
            assert!(blame.add(&waits, [(4, at(ns), at(ns))].into_iter(), (Span::from_ps(ns), 0)));
        }
        assert_eq!(places(&blame), [(1, Some(7), 30)]);
    }

    #[test]
    fn a_shared_link_names_the_other_flows() {
        let mut blame = Blame::default();
        blame.share(output(1), &BTreeSet::from([3]), (Span::ZERO, 0));
        assert_eq!((blame.places.len(), blame.most_since()), (0, None));
        blame.share(output(1), &BTreeSet::from([3, 8]), (Span::from_ps(6), 0));
        blame.share(output(1), &BTreeSet::from([5]), (Span::from_ps(7), 0));
        assert_eq!(places(&blame), [(1, None, 13)]);
        assert_eq!(blame.places[0].flows, BTreeSet::from([3, 5, 8]));
        assert_eq!(blame.most_since(), Some(0));
    }
}
