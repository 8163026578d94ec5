//! The order in which a rank posts its sends and receives, as far as its program fixes it.
//!
//! Invariant: an order that is found holds in every run. Of two operations that become free together the one with the
//! lower number starts first (see [`progress`](super::progress)).
//!
//! | the first is posted before the second if | example |
//! |---|---|
//! | a path leads from it to the second | `second requires first` |
//! | it waits for nothing that the second does not wait for too, and has a lower number | both require the same |

use super::graph::{Graph, OperationId};

/// Most operations that a search for a path looks at.
const MOST_SEARCHED: usize = 32;
/// Most searches in a program: others count as failed, which leaves an order open.
const MOST_SEARCHES: u32 = 4096;

/// The order of a rank's program.
pub(super) struct PostingOrder<'a> {
    graph: &'a Graph,
    searches_left: u32,
    /// Once it is asked for.
    before: Option<Before>,
}

/// Predecessors of all operations, of each in order: number, and true if the end counts.
struct Before {
    /// Place of each operation's first predecessor, and the end.
    places: Vec<u32>,
    all: Vec<(OperationId, bool)>,
}

impl<'a> PostingOrder<'a> {
    pub(super) const fn of(graph: &'a Graph) -> Self {
        Self { graph, searches_left: MOST_SEARCHES, before: None }
    }

    /// Returns true if these operations are posted in this order in every run.
    pub(super) fn has(&mut self, operations: &[OperationId]) -> bool {
        operations.windows(2).all(|pair| self.is_before(pair[0], pair[1]))
    }

    fn is_before(&mut self, first: OperationId, second: OperationId) -> bool {
        let is_root = self.graph.predecessors(first) == 0;
        if first < second && (is_root || self.waits_for_less(first, second)) {
            return true;
        }
        self.searches_left = self.searches_left.saturating_sub(1);
        self.searches_left > 0 && is_led_to(self.graph, first, second)
    }

    /// Returns true if an operation waits for nothing that another does not wait for.
    fn waits_for_less(&mut self, first: OperationId, second: OperationId) -> bool {
        let Before { places, all } = self.before.get_or_insert_with(|| Before::of(self.graph));
        let of = |id: OperationId| &all[places[id as usize] as usize..places[id as usize + 1] as usize];
        of(first).iter().all(|one| of(second).binary_search(one).is_ok())
    }
}

impl Before {
    fn of(graph: &Graph) -> Self {
        let ids = 0..graph.operations() as u32;
        let edges = |id| {
            let ended = graph.after_end(id).map(|next| (next, true));
            ended.chain(graph.after_start(id).map(|next| (next, false)))
        };
        let mut places = vec![0_u32; graph.operations() + 1];
        for (next, _) in ids.clone().flat_map(edges) {
            places[next as usize] += 1;
        }
        let mut end = 0;
        for place in &mut places {
            end += *place;
            *place = end;
        }
        let mut all = vec![(0, false); end as usize];
        // From the last edge on, so that each list is in order of its predecessors.
        for id in ids.clone().rev() {
            let mut of_one: Vec<(OperationId, bool)> = edges(id).collect();
            of_one.sort_unstable_by_key(|(next, ended)| (*next, core::cmp::Reverse(*ended)));
            for (next, ended) in of_one {
                places[next as usize] -= 1;
                all[places[next as usize] as usize] = (id, ended);
            }
        }
        Self { places, all }
    }
}

/// Returns true if a path leads from an operation to another within the first operations of a search.
pub(super) fn is_led_to(graph: &Graph, from: OperationId, to: OperationId) -> bool {
    let mut found = vec![from];
    let mut at = 0;
    while let Some(id) = found.get(at).copied() {
        at += 1;
        for next in graph.after_end(id).chain(graph.after_start(id)) {
            if next == to {
                return true;
            }
            if found.len() < MOST_SEARCHED && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::{GraphBuilder, Work};
    use super::*;

    /// Of the pairs of five sends, in any order, only those hold that every run has.
    #[test]
    fn an_order_that_is_found_is_sure() {
        let mut builder = GraphBuilder::default();
        let compute = Work::Compute { span: units::Span::from_ps(5) };
        let [early, late] = [0, 1].map(|_| builder.add(compute.on_cpu(0)));
        let mut send = |after: &[(OperationId, bool)]| {
            let own = builder.add(Work::Send { to: 1, bytes: 8, tag: 0 }.on_cpu(0));
            for (before, ended) in after {
                if *ended {
                    builder.requires(own, *before);
                } else {
                    builder.starts_after(own, *before);
                }
            }
            own
        };
        let waits = send(&[(early, true), (late, true)]);
        let root = send(&[]);
        let like = send(&[(late, true), (early, true)]);
        let less = send(&[(early, true)]);
        let started = send(&[(late, false), (early, true)]);
        let behind = send(&[(root, true)]);
        let all = [waits, root, like, less, started, behind];
        let graph = builder.build().unwrap();
        let sure =
            [(waits, like), (root, like), (root, less), (root, started), (root, behind), (less, started)];
        for (first, second) in all.into_iter().flat_map(|first| all.map(|second| (first, second))) {
            let found = PostingOrder::of(&graph).has(&[first, second]);
            assert_eq!(found, sure.contains(&(first, second)), "{first} before {second}");
        }
        assert!(PostingOrder::of(&graph).has(&[root]) && PostingOrder::of(&graph).has(&[]));
    }
}
