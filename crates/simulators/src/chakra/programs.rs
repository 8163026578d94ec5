//! Programs of ranks: nodes become operations, and collectives their messages.
//!
//! Invariant: an operation stands behind the operations of the nodes that its node names. Messages of two groups, and
//! messages of nodes, never share a tag, so that each matches its own kind in order.
//!
//! A rank's collectives of a group follow each other, as NCCL runs those of a communicator, also where the trace
//! names no dependency between them.

use units::Span;
use workload::job::collective::Collective;
use workload::job::{Graph, GraphBuilder, Operation, OperationId, Work};

use super::Rank;
use super::calls::Calls;
use super::roles::{Role, Unit};

/// The program of a rank.
pub(super) struct Program {
    pub(super) graph: Graph,
    /// Place of the node of each operation.
    pub(super) nodes: Vec<u32>,
}

/// Tags of collectives: messages of a group have the same remainder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    /// First tag above the tags of nodes.
    pub(super) first: u32,
    pub(super) groups: u32,
}

/// A program that is being built.
struct Building<'a> {
    builder: GraphBuilder,
    nodes: Vec<u32>,
    rank: &'a Rank<'a>,
    /// Last operation of each node so far.
    ends: Vec<OperationId>,
    /// Last operation of the last collective of each group, so far.
    last: Vec<Option<OperationId>>,
}

impl Tags {
    /// Returns the tag of a message with tag `tag` of a collective.
    fn of(self, group: u32, tag: u32) -> Option<u32> {
        let beyond = tag.checked_mul(self.groups)?.checked_add(group)?.checked_add(self.first)?;
        Some(beyond).filter(|tag| *tag < u32::MAX)
    }
}

/// Builds the program of a rank. `collectives` has the collectives of each group, `None` for a single rank.
/// Returns `None` if operations or tags exceed their numbers.
pub(super) fn build(
    rank: &Rank<'_>,
    calls: &Calls,
    collectives: &[Vec<Option<Collective>>],
    tags: Tags,
) -> Option<Program> {
    let mut building = Building {
        builder: GraphBuilder::default(),
        nodes: Vec::new(),
        rank,
        ends: vec![OperationId::MAX; rank.trace.nodes.len()],
        last: vec![None; calls.groups.len()],
    };
    for place in &rank.order.issued {
        if building.nodes.len() > MOST {
            return None;
        }
        let node = &rank.trace.nodes[*place as usize];
        let span = Span::from_us(node.duration);
        let compute = |unit: Unit| Work::Compute { span }.on_cpu(unit as u8);
        let end = match rank.roles[*place as usize] {
            Role::Compute(unit) => building.single(*place, compute(unit)),
            Role::Lacks(_) => building.single(*place, compute(Unit::Network)),
            Role::Nothing => building.single(*place, JOIN),
            Role::Send { to, bytes, tag } => building.single(*place, Work::Send { to, bytes, tag }.on_cpu(0)),
            Role::Receive { from, bytes, tag } => {
                let (from, tag) = (Some(from), Some(tag));
                building.single(*place, Work::Receive { from, bytes, tag }.on_cpu(0))
            }
            Role::Call { .. } => {
                let (group, position, number) = calls.of_nodes[rank.number as usize][place];
                match &collectives[group as usize][number as usize] {
                    None => building.single(*place, JOIN),
                    Some(collective) => {
                        let members = &calls.groups[group as usize].group.members;
                        let tag = |tag| tags.of(group, tag);
                        building.collective(*place, group, &collective.graph(position), members, tag)?
                    }
                }
            }
        };
        building.ends[*place as usize] = end;
    }
    let Building { builder, nodes, .. } = building;
    let graph = builder.build().expect("operations wait for lower numbers only");
    Some(Program { graph, nodes })
}

/// Most operations of a rank before a node, far below the last number.
const MOST: usize = 1 << 31;
/// A computation of no time, which joins others.
const JOIN: Operation = Work::Compute { span: Span::ZERO }.on_cpu(0);

impl Building<'_> {
    fn add(&mut self, place: u32, operation: Operation) -> OperationId {
        self.nodes.push(place);
        self.builder.add(operation)
    }

    /// Adds the only operation of a node.
    fn single(&mut self, place: u32, operation: Operation) -> OperationId {
        let id = self.add(place, operation);
        for before in &self.rank.order.before[place as usize] {
            self.builder.requires(id, self.ends[*before as usize]);
        }
        id
    }

    /// Adds a collective, between a beginning that waits for the node's dependencies and an end that waits for all of
    /// its messages.
    fn collective(
        &mut self,
        place: u32,
        group: u32,
        graph: &Graph,
        members: &[u32],
        tag: impl Fn(u32) -> Option<u32>,
    ) -> Option<OperationId> {
        let former = self.last[group as usize];
        let waits = former.is_some() || !self.rank.order.before[place as usize].is_empty();
        let beginning = waits.then(|| self.single(place, JOIN));
        if let (Some(beginning), Some(former)) = (beginning, former) {
            self.builder.requires(beginning, former);
        }
        let count = graph.operations() as u32;
        let first = self.nodes.len() as u32;
        for id in 0..count {
            let own = graph.operation(id);
            let work = match own.work {
                Work::Send { to, bytes, tag: label } => {
                    Work::Send { to: members[to as usize], bytes, tag: tag(label)? }
                }
                Work::Receive { from, bytes, tag: label } => Work::Receive {
                    from: from.map(|from| members[from as usize]),
                    bytes,
                    tag: Some(tag(label.expect("a collective names its tags"))?),
                },
                compute @ Work::Compute { .. } => compute,
            };
            self.add(place, Operation { work, ..own });
        }
        let end = self.add(place, JOIN);
        for id in 0..count {
            if let Some(beginning) = beginning.filter(|_| graph.predecessors(id) == 0) {
                self.builder.requires(first + id, beginning);
            }
            let after = graph.after_end(id);
            let is_end = after.len() == 0;
            after.for_each(|next| self.builder.requires(first + next, first + id));
            if is_end {
                self.builder.requires(end, first + id);
            }
        }
        self.last[group as usize] = Some(end);
        Some(end)
    }
}
