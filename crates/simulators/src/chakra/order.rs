//! The order in which a rank's nodes become free, by their data dependencies.
//!
//! Invariant: a node comes after all nodes that its `data_deps` name; among free nodes the smallest id comes first, as
//! Chakra's feeder issues them. No recursion follows a chain.
//!
//! `ctrl_deps` of `PyTorch`'s traces are the hierarchy of calls, not an order: nodes name themselves, and nodes that
//! are not in the file. Simulators that replay such traces look at `data_deps` alone, as this does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::schema::Trace;

/// Dependencies of a trace, by places of nodes in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Nodes in the order of becoming free.
    pub(super) issued: Vec<u32>,
    /// Nodes that each node waits for, each once.
    pub(super) before: Vec<Vec<u32>>,
    /// Number of nodes that wait for each node.
    pub(super) after: Vec<u32>,
    /// Number of `data_deps`.
    pub(super) edges: u64,
    /// Number of `data_deps` on nodes that are not in the file, and the first node that has them with their id.
    pub(super) dangling: (u64, Option<(u32, u64)>),
    /// Numbers of `ctrl_deps`: all, on nodes that are not in the file, on the node itself.
    pub(super) ctrl: [u64; 3],
}

/// Places of nodes that wait for each other: each waits for the next, and the last for the first.
pub(super) type Circle = Vec<u32>;

impl Order {
    pub(super) fn of(trace: &Trace<'_>) -> Result<Self, Circle> {
        let mut ids: Vec<(u64, u32)> = trace.nodes.iter().map(|node| node.id).zip(0..).collect();
        ids.sort_unstable();
        let place =
            |id: u64| ids.binary_search_by_key(&id, |(known, _)| *known).ok().map(|place| ids[place].1);
        let mut order = Self { after: vec![0; ids.len()], ..Self::default() };
        for (node, at) in trace.nodes.iter().zip(0_u32..) {
            order.edges += node.data_deps.len() as u64;
            let mut before = Vec::with_capacity(node.data_deps.len());
            for id in &node.data_deps {
                match place(*id) {
                    Some(found) => before.push(found),
                    None => {
                        order.dangling.0 += 1;
                        order.dangling.1.get_or_insert((at, *id));
                    }
                }
            }
            before.sort_unstable();
            before.dedup();
            before.iter().for_each(|found| order.after[*found as usize] += 1);
            order.before.push(before);
            order.ctrl[0] += node.ctrl_deps.len() as u64;
            order.ctrl[1] += node.ctrl_deps.iter().filter(|id| place(**id).is_none()).count() as u64;
            order.ctrl[2] += node.ctrl_deps.iter().filter(|id| **id == node.id).count() as u64;
        }
        order.issue(trace)
    }

    fn issue(mut self, trace: &Trace<'_>) -> Result<Self, Circle> {
        let mut next: Vec<Vec<u32>> =
            self.after.iter().map(|after| Vec::with_capacity(*after as usize)).collect();
        let mut waiting: Vec<usize> = self.before.iter().map(Vec::len).collect();
        for (before, at) in self.before.iter().zip(0..) {
            before.iter().for_each(|found| next[*found as usize].push(at));
        }
        let id = |at: u32| Reverse((trace.nodes[at as usize].id, at));
        let free = (0..).zip(&waiting).filter(|(_, waiting)| **waiting == 0).map(|(at, _)| id(at));
        let mut free: BinaryHeap<Reverse<(u64, u32)>> = free.collect();
        while let Some(Reverse((_, at))) = free.pop() {
            self.issued.push(at);
            for later in &next[at as usize] {
                waiting[*later as usize] -= 1;
                if waiting[*later as usize] == 0 {
                    free.push(id(*later));
                }
            }
        }
        match waiting.iter().position(|waiting| *waiting > 0) {
            Some(stuck) => Err(self.circle(&waiting, stuck as u32)),
            None => Ok(self),
        }
    }

    /// Returns a circle. Each node that never becomes free waits for such a node, so a walk comes back to its path.
    fn circle(&self, waiting: &[usize], stuck: u32) -> Circle {
        let before = |at: u32| {
            let stuck = self.before[at as usize].iter().copied().find(|found| waiting[*found as usize] > 0);
            stuck.expect("a node that is not free waits for another")
        };
        let mut passed = vec![false; waiting.len()];
        let mut at = stuck;
        while !core::mem::replace(&mut passed[at as usize], true) {
            at = before(at);
        }
        core::iter::successors(Some(at), |found| Some(before(*found)).filter(|next| *next != at)).collect()
    }
}
