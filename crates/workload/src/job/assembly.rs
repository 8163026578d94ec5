//! Programs from parts: collectives of groups of ranks, computations and listed programs, after each other or together.
//!
//! Invariant: parts have tags of their own, so that a message of one is never taken for a message of another, however
//! far ranks have run ahead.

use std::sync::Arc;

use units::Span;

use super::builder::GraphBuilder;
use super::collective::Collective;
use super::graph::{Graph, Operation, OperationId, Programs, Work};
pub use super::groups::Groups;
use super::ring::RingRank;

/// A program of all ranks, or a part of it.
#[derive(Clone, Debug)]
pub enum Part {
    /// A collective of each group of ranks.
    Collective {
        /// The collective, of the ranks of a group.
        collective: Collective,
        /// The groups.
        groups: Groups,
    },
    /// A computation of each rank on its processor 0.
    Compute(Span),
    /// Programs by rank, without wildcards.
    Listed(Programs),
    /// Parts in order: a rank begins a part when all its own operations of the part before have ended.
    Sequence(Vec<Self>),
    /// Parts that begin together, and end with the last.
    Parallel(Vec<Self>),
    /// Microbatches through the stages of pipelines.
    Pipeline(Box<Pipeline>),
}

/// Microbatches that pass the stages of pipelines forwards and then backwards, each stage in the order of one
/// forward, one backward (1F1B).
///
/// Stage s of S begins with S - s - 1 forward passes, goes on with a forward and a backward pass in turn, and ends
/// with the backward passes that are left. Source: Narayanan et al., "Efficient large-scale language model training
/// on GPU clusters using Megatron-LM", SC 2021.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Pipelines; a rank's place in its group is its stage.
    pub groups: Groups,
    /// Number of microbatches.
    pub microbatches: u32,
    /// Activations of a microbatch from a stage to the next, and gradients back.
    pub bytes: u64,
    /// Forward pass of a microbatch at a stage.
    pub forward: Part,
    /// Its backward pass.
    pub backward: Part,
}

impl Pipeline {
    /// Returns the passes of a stage in order: true and the microbatch of a forward pass, false of a backward pass.
    fn passes(&self, stage: u32) -> impl Iterator<Item = (bool, u32)> {
        let all = self.microbatches;
        let first = (self.groups.size - stage - 1).min(all);
        let in_turn = (0..all - first).flat_map(move |done| [(true, first + done), (false, done)]);
        let begin = (0..first).map(|microbatch| (true, microbatch));
        begin.chain(in_turn).chain((all - first..all).map(|microbatch| (false, microbatch)))
    }

    /// Returns the number of tags: one for activations, one for gradients, and all tags of the passes.
    fn tags(&self) -> u64 {
        2 + u64::from(self.microbatches) * (self.forward.tags() + self.backward.tags())
    }
}

impl Part {
    /// Returns the number of operations of all ranks, without joins.
    #[must_use]
    pub fn operations(&self, ranks: u32) -> u64 {
        match self {
            Self::Collective { collective, groups } => {
                let of_group: u64 =
                    (0..groups.size).map(|place| u64::from(collective.operations(place))).sum();
                of_group * u64::from(groups.ranks / groups.size)
            }
            Self::Compute(_) => u64::from(ranks),
            Self::Listed(programs) => programs.operations() as u64,
            Self::Sequence(parts) | Self::Parallel(parts) => {
                parts.iter().map(|part| part.operations(ranks)).sum()
            }
            Self::Pipeline(pipeline) => {
                let Pipeline { groups, microbatches, forward, backward, .. } = &**pipeline;
                let borders = u64::from(groups.ranks / groups.size * (groups.size - 1));
                (forward.operations(ranks) + backward.operations(ranks) + 4 * borders)
                    * u64::from(*microbatches)
            }
        }
    }

    /// Returns the number of tags.
    #[must_use]
    pub fn tags(&self) -> u64 {
        match self {
            Self::Collective { collective, .. } => u64::from(collective.tags()),
            Self::Compute(_) => 0,
            Self::Listed(programs) => tags_of(programs).len() as u64,
            Self::Sequence(parts) | Self::Parallel(parts) => parts.iter().map(Self::tags).sum(),
            Self::Pipeline(pipeline) => pipeline.tags(),
        }
    }

    /// Returns true if the programs of the ranks are formulas, which take no memory for an operation: those of a ring
    /// alone.
    #[must_use]
    pub const fn is_formula(&self) -> bool {
        matches!(self, Self::Collective { collective, .. } if collective.ring_steps().is_some())
    }

    /// Returns the programs of the ranks.
    #[must_use]
    pub fn programs(&self, ranks: u32) -> Programs {
        if let Self::Collective { collective, groups } = self
            && self.is_formula()
        {
            let collective = Arc::new(collective.clone());
            let of_rank = |rank| RingRank::new(&collective, *groups, rank);
            return Programs {
                ranks: (0..ranks)
                    .map(|rank| of_rank(rank).map_or_else(Graph::default, Graph::from))
                    .collect(),
            };
        }
        let tags = listed_tags(self);
        let of_rank = |rank| {
            let mut assembly = Assembly { builder: GraphBuilder::default(), rank, tag: 0, tags: tags.iter() };
            assembly.add(self, None);
            assembly.builder.build().expect("parts wait for earlier operations only, or were built before")
        };
        Programs { ranks: (0..ranks).map(of_rank).collect() }
    }
}

/// Returns the tags of each listed program, in the order of parts.
fn listed_tags(part: &Part) -> Vec<Vec<u32>> {
    match part {
        Part::Listed(programs) => vec![tags_of(programs)],
        Part::Sequence(parts) | Part::Parallel(parts) => parts.iter().flat_map(listed_tags).collect(),
        // Scenarios have no listed programs inside pipelines.
        Part::Collective { .. } | Part::Compute(_) | Part::Pipeline(_) => Vec::new(),
    }
}

/// Returns the different tags of messages, ascending.
pub(super) fn tags_of(programs: &Programs) -> Vec<u32> {
    let (mut tags, mut rings) = (Vec::new(), None::<&RingRank>);
    for graph in &programs.ranks {
        match (graph.ring(), rings) {
            (Some(ring), Some(before)) if ring.is_beside(before) => {}
            (Some(ring), _) => {
                tags.extend(ring.tags());
                rings = Some(ring);
            }
            (None, _) => tags.extend(graph.send_channels().iter().map(|channel| channel.tag)),
        }
    }
    tags.sort_unstable();
    tags.dedup();
    tags
}

impl Collective {
    /// Returns the operations of a rank as a list.
    #[must_use]
    pub fn graph(&self, rank: u32) -> Graph {
        let mut builder = GraphBuilder::default();
        for id in 0..self.operations(rank) {
            builder.add(self.operation(rank, id));
            self.before(rank, id).into_iter().for_each(|before| builder.requires(id, before));
        }
        builder.build().expect("an operation waits for lower numbers only")
    }

    /// Returns the operations of all ranks as lists.
    #[must_use]
    pub fn programs(&self) -> Programs {
        Programs { ranks: (0..self.ranks()).map(|rank| self.graph(rank)).collect() }
    }
}

/// The program of a rank while its parts are put together.
struct Assembly<'a> {
    builder: GraphBuilder,
    rank: u32,
    /// First tag of the next part.
    tag: u32,
    /// Tags of the listed programs to come.
    tags: core::slice::Iter<'a, Vec<u32>>,
}

impl Assembly<'_> {
    /// Adds a part that waits for `entry`. Returns the operation that ends after all of the part.
    fn add(&mut self, part: &Part, entry: Option<OperationId>) -> Option<OperationId> {
        match part {
            Part::Collective { collective, groups } => {
                let first_tag = self.tag;
                self.tag += collective.tags();
                match groups.place(self.rank) {
                    Some(place) => self.collective(collective, *groups, (place, first_tag), entry),
                    None => entry,
                }
            }
            Part::Compute(span) => Some(self.after(Work::Compute { span: *span }, entry)),
            Part::Listed(programs) => {
                let tags = self.tags.next().expect("a listed program has a list of tags");
                let graph = &programs.ranks[self.rank as usize];
                let exit = self.listed(graph, tags, entry);
                self.tag += tags.len() as u32;
                exit
            }
            Part::Sequence(parts) => parts.iter().fold(entry, |before, part| self.add(part, before)),
            Part::Parallel(parts) => {
                let ends: Vec<_> = parts.iter().map(|part| self.add(part, entry)).collect();
                let mut ends: Vec<OperationId> = ends.into_iter().flatten().collect();
                ends.dedup();
                self.join(&ends, entry)
            }
            Part::Pipeline(pipeline) => {
                let first_tag = self.tag;
                let exit = match pipeline.groups.place(self.rank) {
                    Some(stage) => self.pipeline(pipeline, stage, entry),
                    None => entry,
                };
                self.tag = first_tag + pipeline.tags() as u32;
                exit
            }
        }
    }

    fn pipeline(
        &mut self,
        pipeline: &Pipeline,
        stage: u32,
        entry: Option<OperationId>,
    ) -> Option<OperationId> {
        let Pipeline { groups, bytes, forward, backward, .. } = pipeline;
        let (first_tag, bytes, last) = (self.tag, *bytes, groups.size - 1);
        let of_pass = (forward.tags() + backward.tags()) as u32;
        let member = |stage| groups.member(self.rank, stage);
        let [before, after] =
            [(stage > 0).then(|| member(stage - 1)), (stage < last).then(|| member(stage + 1))];
        let (mut previous, mut ends) = (entry, Vec::new());
        for (is_forward, microbatch) in pipeline.passes(stage) {
            let (from, to) = if is_forward { (before, after) } else { (after, before) };
            let tag = first_tag + u32::from(!is_forward);
            let received = from.map(|from| {
                let work = Work::Receive { from: Some(from), bytes, tag: Some(tag) };
                self.after(work, entry)
            });
            let ready: Vec<OperationId> = previous.into_iter().chain(received).collect();
            let start = self.join(&ready, None);
            // The passes of a microbatch have the same tags at each stage, whenever it comes to them.
            self.tag = first_tag + 2 + microbatch * of_pass;
            if !is_forward {
                self.tag += forward.tags() as u32;
            }
            previous = self.add(if is_forward { forward } else { backward }, start);
            ends.extend(to.map(|to| self.after(Work::Send { to, bytes, tag }, previous)));
        }
        ends.extend(previous);
        self.join(&ends, entry)
    }

    /// Adds an operation that waits for another.
    fn after(&mut self, work: Work, before: Option<OperationId>) -> OperationId {
        let id = self.builder.add(work.on_cpu(0));
        before.into_iter().for_each(|before| self.builder.requires(id, before));
        id
    }

    fn collective(
        &mut self,
        collective: &Collective,
        groups: Groups,
        (place, first_tag): (u32, u32),
        entry: Option<OperationId>,
    ) -> Option<OperationId> {
        let first = self.builder.operations() as OperationId;
        let mut ends = Vec::new();
        for id in 0..collective.operations(place) {
            let member = |place| groups.member(self.rank, place);
            let mut operation = collective.operation(place, id);
            operation.work = match operation.work {
                Work::Send { to, bytes, tag } => Work::Send { to: member(to), bytes, tag: first_tag + tag },
                Work::Receive { from, bytes, tag } => {
                    let tag = tag.map(|tag| first_tag + tag);
                    Work::Receive { from: from.map(member), bytes, tag }
                }
                join @ Work::Compute { .. } => join,
            };
            self.builder.add(operation);
            let before = collective.before(place, id);
            let waits = before.iter().map(|before| first + before);
            let waits = waits.chain(entry.filter(|_| before.is_empty()));
            waits.for_each(|before| self.builder.requires(first + id, before));
            let mut is_end = true;
            collective.for_each_after(place, id, |_| is_end = false);
            if is_end {
                ends.push(first + id);
            }
        }
        self.join(&ends, entry)
    }

    /// Copies a listed program, with the place of each tag in `tags` after the first tag of the part.
    fn listed(&mut self, graph: &Graph, tags: &[u32], entry: Option<OperationId>) -> Option<OperationId> {
        let first = self.builder.operations() as OperationId;
        let own_tag = |tag: u32| self.tag + tags.binary_search(&tag).expect("a tag of the program") as u32;
        let ids = 0..graph.operations() as OperationId;
        for id in ids.clone() {
            let Operation { work, cpu, nic } = graph.operation(id);
            let work = match work {
                Work::Send { to, bytes, tag } => Work::Send { to, bytes, tag: own_tag(tag) },
                Work::Receive { from, bytes, tag } => Work::Receive { from, bytes, tag: tag.map(own_tag) },
                compute @ Work::Compute { .. } => compute,
            };
            self.builder.add(Operation { work, cpu, nic });
        }
        let mut ends = Vec::new();
        for id in ids {
            // An operation that another one starts with may end last.
            if graph.after_end(id).len() == 0 {
                ends.push(first + id);
            }
            graph.after_end(id).for_each(|after| self.builder.requires(first + after, first + id));
            graph.after_start(id).for_each(|after| self.builder.starts_after(first + after, first + id));
            if let (0, Some(before)) = (graph.predecessors(id), entry) {
                self.builder.requires(first + id, before);
            }
        }
        self.join(&ends, entry)
    }

    /// Returns an operation that ends with the last of these; `entry` if there are none.
    fn join(&mut self, ends: &[OperationId], entry: Option<OperationId>) -> Option<OperationId> {
        match ends {
            [] => entry,
            [only] => Some(*only),
            _ => {
                let join = self.builder.add(Work::Compute { span: Span::ZERO }.on_cpu(0));
                ends.iter().for_each(|end| self.builder.requires(join, *end));
                Some(join)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::collective::{AllReduce, Barrier, CollectiveKind};
    use crate::job::ideal::{IdealMessage, replay};
    use crate::job::matching;

    fn collective(kind: CollectiveKind, ranks: u32, bytes: u64) -> Collective {
        Collective::new(kind, ranks, bytes, 1).unwrap()
    }

    fn doubling(size: u32, stride: u32, ranks: u32) -> Part {
        let kind = CollectiveKind::AllReduce(AllReduce::RecursiveDoubling);
        Part::Collective { collective: collective(kind, size, 100), groups: Groups { ranks, size, stride } }
    }

    fn time(part: &Part, ranks: u32) -> Span {
        let programs = part.programs(ranks);
        matching::check(&programs, None).unwrap();
        let line = |_, _, bytes| {
            let ns = Span::from_ns(100 + bytes);
            IdealMessage { delivered: ns, completed: ns, ..IdealMessage::default() }
        };
        replay(&programs, line).unwrap().completion()
    }

    /// Members are a stride apart, and groups do not meet.
    #[test]
    fn groups_have_their_strides() {
        let peers = |part: &Part, rank: usize| -> Vec<u32> {
            part.programs(16).ranks[rank].send_channels().iter().map(|channel| channel.peer).collect()
        };
        assert_eq!(peers(&doubling(4, 1, 16), 5), [4, 7]);
        assert_eq!(peers(&doubling(4, 4, 16), 5), [1, 13]);
        assert_eq!(peers(&doubling(4, 2, 16), 5), [7, 1]);
        assert!(peers(&doubling(4, 2, 8), 9).is_empty(), "a rank outside all groups");
        assert_eq!(doubling(4, 2, 16).operations(16), 16 * 4);
    }

    /// A sequence takes the sum of its parts, and parts together the longest, if all ranks proceed alike.
    #[test]
    fn sequences_add_and_parallels_overlap() {
        let compute = |ns| Part::Compute(Span::from_ns(ns));
        assert_eq!(time(&doubling(4, 1, 4), 4), Span::from_ns(400));
        let sequence = Part::Sequence(vec![compute(1000), doubling(4, 1, 8), compute(7), doubling(2, 4, 8)]);
        assert_eq!(time(&sequence, 8), Span::from_ns(1000 + 400 + 7 + 200));
        for (ns, all) in [(1000, 1000), (10, 400)] {
            let hidden = Part::Parallel(vec![compute(ns), doubling(4, 1, 4)]);
            assert_eq!(time(&hidden, 4), Span::from_ns(all));
            assert_eq!(time(&Part::Sequence(vec![hidden, compute(1)]), 4), Span::from_ns(all + 1));
        }
        // Two computations of a rank take turns on its processor.
        assert_eq!(time(&Part::Parallel(vec![compute(5), compute(6)]), 2), Span::from_ns(11));
    }

    /// Equal parts have tags of their own: the second of two parallel all-reduces is not taken for the first.
    #[test]
    fn parts_have_tags_of_their_own() {
        let both = Part::Parallel(vec![doubling(4, 1, 4); 2]);
        let used = |part: &Part| tags_of(&part.programs(4)).len();
        assert_eq!(used(&both), 2 * used(&doubling(4, 1, 4)));
    }

    /// Without time for messages a pipeline takes (M + S - 1)(f + b), as Megatron-LM's authors derive, whatever the
    /// stages do inside; an all-reduce in each pass takes its own time in each.
    #[test]
    fn pipelines_take_their_passes_and_their_bubble() {
        let compute = |ns| Part::Compute(Span::from_ns(ns));
        let passes = |forward, backward, microbatches, ranks: u32, stride| {
            let groups = Groups { ranks, size: ranks / stride, stride };
            Part::Pipeline(Box::new(Pipeline { groups, microbatches, bytes: 0, forward, backward }))
        };
        let free = |part: &Part, ranks| {
            let programs = part.programs(ranks);
            matching::check(&programs, None).unwrap();
            let message = |_, _, bytes| {
                let time = Span::from_ns(if bytes > 0 { 100 + bytes } else { 0 });
                IdealMessage { delivered: time, completed: time, ..IdealMessage::default() }
            };
            replay(&programs, message).unwrap().completion()
        };
        for (stages, microbatches) in [(2, 1), (4, 1), (4, 2), (4, 4), (4, 9), (3, 16)] {
            let part = passes(compute(10), compute(20), microbatches, stages, 1);
            let expected = Span::from_ns(30 * u64::from(microbatches + stages - 1));
            assert_eq!(free(&part, stages), expected, "{stages} stages, {microbatches} microbatches");
        }
        let tensor = |ns| Part::Sequence(vec![compute(ns), doubling(2, 1, 8)]);
        let part = passes(tensor(1000), tensor(2000), 5, 8, 2);
        assert_eq!(free(&part, 8), Span::from_ns((3000 + 2 * 200) * (5 + 4 - 1)));
        // Activations, gradients, and the messages of both passes of each microbatch.
        assert_eq!(tags_of(&part.programs(8)).len(), 2 + 2 * 5);
    }

    /// A listed program keeps its edges, and waits for the part before.
    #[test]
    fn listed_programs_join_in() {
        let listed = doubling(4, 1, 4).programs(4);
        let part = Part::Listed(listed.clone());
        assert_eq!(time(&part, 4), Span::from_ns(400));
        let twice = Part::Sequence(vec![part.clone(), Part::Compute(Span::from_ns(3)), part]);
        assert_eq!(time(&twice, 4), Span::from_ns(803));
        let barrier = collective(CollectiveKind::Barrier(Barrier::Dissemination), 4, 0);
        let groups = Groups { ranks: 4, size: 4, stride: 1 };
        let behind =
            Part::Sequence(vec![Part::Listed(listed), Part::Collective { collective: barrier, groups }]);
        assert_eq!(time(&behind, 4), Span::from_ns(600));
    }
}
