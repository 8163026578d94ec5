//! Graphs from operations and edges, in any order.
//!
//! Invariant: a graph without a cycle is built, and no other. Building takes linear time and no recursion. Until it
//! ends, an edge takes 8 bytes.

use super::channel::{Channel, ChannelTable};
use super::graph::{Graph, Operation, OperationId, Work};
use super::listed::{Edges, Kind, Listed, Packed};

/// A program that is being built.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    packed: Vec<Packed>,
    sends: ChannelTable,
    receives: ChannelTable,
    /// Edges (earlier, later).
    after_end: Vec<(OperationId, OperationId)>,
    after_start: Vec<(OperationId, OperationId)>,
    /// Whether an edge leads to an operation with a smaller number, or from an operation to itself.
    backwards: bool,
}

/// Operations that wait for each other in a circle: each waits for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} in a circle: each waits for the next", super::counted(operations.len() as u64, "operation"))]
pub struct Cycle {
    /// The operations.
    pub operations: Vec<OperationId>,
}

impl GraphBuilder {
    /// Adds an operation, and returns its number.
    ///
    /// # Panics
    /// If a peer or a tag is 2^32 - 1, or the number of operations is; readers refuse them.
    pub fn add(&mut self, operation: Operation) -> OperationId {
        let id = u32::try_from(self.packed.len()).ok().filter(|id| *id < u32::MAX);
        let id = id.expect("a rank has fewer than 2^32 - 1 operations");
        let some = |number: u32| {
            assert!(number != Channel::ANY, "{operation:?}: 2^32 - 1 stands for any");
            number
        };
        let any = |number: Option<u32>| number.map_or(Channel::ANY, some);
        self.packed.push(match operation.work {
            Work::Send { to, bytes, tag } => {
                let channel = self.sends.place(Channel { peer: some(to), tag: some(tag) });
                Packed::new(Kind::Send, bytes, channel, operation)
            }
            Work::Receive { from, bytes, tag } => {
                let channel = self.receives.place(Channel { peer: any(from), tag: any(tag) });
                Packed::new(Kind::Receive, bytes, channel, operation)
            }
            Work::Compute { span } => Packed::new(Kind::Compute, span.ps(), 0, operation),
        });
        id
    }

    /// Returns the number of operations so far.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.packed.len()
    }

    /// Lets an operation wait for the end of another.
    pub fn requires(&mut self, later: OperationId, earlier: OperationId) {
        self.backwards |= later <= earlier;
        self.after_end.push((earlier, later));
    }

    /// Lets an operation wait for the start of another.
    pub fn starts_after(&mut self, later: OperationId, earlier: OperationId) {
        self.backwards |= later <= earlier;
        self.after_start.push((earlier, later));
    }

    /// Builds the graph.
    ///
    /// # Errors
    /// If operations wait for each other in a circle.
    ///
    /// # Panics
    /// If an edge names an operation that was never added.
    pub fn build(self) -> Result<Graph, Cycle> {
        let Self { mut packed, sends, receives, after_end, after_start, backwards } = self;
        let count = packed.len();
        let mut many: Vec<OperationId> = Vec::new();
        for (earlier, later) in after_end.iter().chain(&after_start) {
            assert!((*earlier as usize) < count, "edge from operation {earlier} of {count}");
            if packed[*later as usize].count_predecessor() {
                many.push(*later);
            }
        }
        let sends = sends.finish();
        let receives = receives.finish();
        packed.shrink_to_fit();
        let packed = packed.into_boxed_slice();
        let ends = Edges::sorted(&after_end, count);
        drop(after_end);
        let starts = Edges::sorted(&after_start, count);
        drop(after_start);
        let many = counted(many);
        let graph = Listed { packed, sends, receives, after_end: ends, after_start: starts, many };
        // Edges that all lead to larger numbers, as most files have them, close no circle.
        match backwards.then(|| circle(&graph)).flatten() {
            Some(cycle) => Err(cycle),
            None => Ok(graph.into()),
        }
    }
}

/// Returns the numbers of predecessors of operations that appear here once for each predecessor from the last that
/// [`Packed`] counts.
fn counted(mut many: Vec<OperationId>) -> Box<[(OperationId, u32)]> {
    many.sort_unstable();
    let runs = many.chunk_by(|left, right| left == right);
    runs.map(|run| (run[0], Packed::MANY - 1 + run.len() as u32)).collect()
}

/// Returns operations that wait for each other in a circle, if there are any.
fn circle(graph: &Listed) -> Option<Cycle> {
    let ids = 0..graph.operations() as u32;
    let successors = |id| graph.after_end(id).iter().chain(graph.after_start(id)).copied();
    let mut waiting: Vec<u32> = ids.clone().map(|id| graph.predecessors(id)).collect();
    let mut ready: Vec<OperationId> = graph.roots().collect();
    while let Some(id) = ready.pop() {
        for next in successors(id) {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    let stuck = |id: &OperationId| waiting[*id as usize] > 0;
    let start = ids.clone().find(stuck)?;
    // Each stuck operation has a stuck predecessor, so a walk back returns to an operation that it has passed.
    let mut before = vec![u32::MAX; graph.operations()];
    for id in ids.filter(stuck) {
        successors(id).for_each(|next| before[next as usize] = id);
    }
    let mut passed = vec![false; graph.operations()];
    let mut at = start;
    while !core::mem::replace(&mut passed[at as usize], true) {
        at = before[at as usize];
    }
    let round = core::iter::successors(Some(at), |id| Some(before[*id as usize]).filter(|next| *next != at));
    Some(Cycle { operations: round.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Span;

    fn compute(ns: u64) -> Operation {
        Work::Compute { span: Span::from_ns(ns) }.on_cpu(0)
    }

    #[test]
    fn operations_return_as_they_were_added() {
        let all = [
            Operation { work: Work::Send { to: 7, bytes: u64::MAX, tag: u32::MAX - 1 }, cpu: 255, nic: 3 },
            Operation { work: Work::Receive { from: None, bytes: 0, tag: Some(0) }, cpu: 1, nic: 255 },
            Operation { work: Work::Receive { from: Some(7), bytes: 9, tag: None }, cpu: 0, nic: 0 },
            compute(u64::MAX / 1000),
        ];
        let mut builder = GraphBuilder::default();
        all.iter().for_each(|operation| _ = builder.add(*operation));
        let graph = builder.build().unwrap();
        let back: Vec<_> = (0..4).map(|id| graph.operation(id)).collect();
        assert_eq!(back, all);
        assert_eq!(graph.channel(3), None);
    }

    #[test]
    fn more_predecessors_than_the_packed_count_are_counted() {
        for joined in [16_381_u32, 16_382, 16_383, 16_384, 40_000] {
            let mut builder = GraphBuilder::default();
            let join = builder.add(compute(0));
            for _ in 0..joined {
                let before = builder.add(compute(1));
                builder.requires(join, before);
            }
            let graph = builder.build().unwrap();
            assert_eq!(graph.predecessors(join), joined);
            assert_eq!(graph.roots().count(), joined as usize);
        }
    }

    #[test]
    fn circles_are_named_from_end_and_start() {
        let mut builder = GraphBuilder::default();
        let [free, a, b, c, behind] = core::array::from_fn(|_| builder.add(compute(1)));
        builder.requires(a, free);
        builder.requires(behind, a);
        builder.requires(b, a);
        builder.starts_after(c, b);
        builder.requires(a, c);
        let mut found = builder.build().unwrap_err().operations;
        found.sort_unstable();
        assert_eq!(found, [a, b, c]);
        let mut builder = GraphBuilder::default();
        let alone = builder.add(compute(1));
        builder.starts_after(alone, alone);
        assert_eq!(builder.build().unwrap_err().operations, [alone]);
    }

    #[test]
    fn a_chain_backwards_of_a_million_is_built_without_a_stack() {
        let mut builder = GraphBuilder::default();
        (0..1_000_000).for_each(|_| _ = builder.add(compute(0)));
        (1..1_000_000).for_each(|id| builder.requires(id - 1, id));
        let graph = builder.build().unwrap();
        assert_eq!(graph.roots().collect::<Vec<_>>(), [999_999]);
        builder = GraphBuilder::default();
        (0..1_000_000).for_each(|_| _ = builder.add(compute(0)));
        (0..1_000_000).for_each(|id| builder.requires(id, (id + 1) % 1_000_000));
        assert_eq!(builder.build().unwrap_err().operations.len(), 1_000_000);
    }

    #[test]
    fn memory_is_at_most_32_bytes_an_operation() {
        let (mut chain, mut peers) = (GraphBuilder::default(), GraphBuilder::default());
        for id in 0..100_000 {
            chain.add(Work::Send { to: 1, bytes: 4096, tag: id % 16 }.on_cpu(0));
            peers.add(Work::Send { to: id, bytes: 4096, tag: 0 }.on_cpu(0));
            if id > 0 {
                chain.requires(id, id - 1);
                peers.requires(id, id - 1);
            }
        }
        assert!(chain.build().unwrap().memory() <= 24 * 100_000 + 256);
        assert!(peers.build().unwrap().memory() <= 32 * 100_000);
    }

    proptest! {
        /// Successors and counts are as in a plain list of edges.
        #[test]
        fn edges_are_those_of_a_list(edges in prop::collection::vec((0_u32..30, 0_u32..30, any::<bool>()), 0..120)) {
            let edges: Vec<_> = edges.into_iter().filter(|(later, earlier, _)| later > earlier).collect();
            let mut builder = GraphBuilder::default();
            (0..30).for_each(|_| _ = builder.add(compute(0)));
            for (later, earlier, at_end) in &edges {
                if *at_end { builder.requires(*later, *earlier) } else { builder.starts_after(*later, *earlier) }
            }
            let graph = builder.build().unwrap();
            for id in 0..30 {
                let after = |wanted: bool| -> Vec<u32> {
                    edges.iter().filter(|e| e.1 == id && e.2 == wanted).map(|e| e.0).collect()
                };
                prop_assert_eq!(graph.after_end(id).collect::<Vec<_>>(), after(true));
                prop_assert_eq!(graph.after_start(id).collect::<Vec<_>>(), after(false));
                prop_assert_eq!(graph.predecessors(id) as usize, edges.iter().filter(|e| e.0 == id).count());
            }
        }
    }
}
