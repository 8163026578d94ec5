//! The collectives that ranks call, matched over the ranks of each group.
//!
//! Invariant: the n-th calls of a group's ranks have the same type and size and are a collective. Nodes have other
//! ids in each trace; a communicator runs its collectives in the order in which its ranks call them.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use scenario::Diagnostic;

use super::algorithms::CollectiveType;
use super::groups::{self, Group, Named};
use super::roles::Role;
use super::schema::{Node, Trace};
use super::{Rank, fault};

/// The collectives of all groups.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) groups: Vec<GroupCalls>,
    /// By rank, then by place of a node: the group, the rank's position in it, and the number among its calls.
    pub(super) of_nodes: Vec<BTreeMap<u32, (u32, u32, u32)>>,
}

/// The collectives of a group.
#[derive(Debug)]
pub(super) struct GroupCalls {
    pub(super) group: Group,
    /// By position in the group.
    by_member: Vec<Vec<Call>>,
}

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) kind: CollectiveType,
    pub(super) bytes: u64,
    /// Place of the node in its trace.
    node: u32,
}

/// A node as messages name it: ``node 17 `ncclKernel`, byte 3423 of a.0.et``.
pub(super) struct NamedNode<'a>(pub(super) &'a Node<'a>, pub(super) &'a str);

impl Display for NamedNode<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(node, file) = self;
        // Names of PyTorch's nodes may be whole declarations.
        let short: String = node.name.chars().take(40).collect();
        let dots = if short.len() < node.name.len() { ".." } else { "" };
        write!(f, "node {} `{short}{dots}`, byte {} of {file}", node.id, node.at)
    }
}

impl Call {
    /// Returns the node in its trace.
    pub(super) fn node<'a>(&self, trace: &'a Trace<'a>) -> &'a Node<'a> {
        &trace.nodes[self.node as usize]
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} B", self.kind.name(), self.bytes)
    }
}

impl Calls {
    /// Collects the calls of all ranks, by the groups of the user's file and of the traces.
    pub(super) fn of(ranks: &[Rank<'_>], given: &Named) -> Result<Self, Diagnostic> {
        let mut calls = Self::default();
        let mut known: BTreeMap<Group, u32> = BTreeMap::new();
        for rank in ranks {
            let own = groups::of_trace(rank.trace).map_err(|place| {
                let node = NamedNode(&rank.trace.nodes[place], rank.file);
                let message = format!("{node} has a list of process groups that cannot be read");
                fault(
                    rank.file,
                    message,
                    "write [{\"pg_name\": \"1\", \"ranks\": [0, 4]}], or give `--groups FILE`",
                )
            })?;
            let mut found: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
            let mut of_nodes = BTreeMap::new();
            for place in &rank.order.issued {
                let Role::Call { kind, bytes } = rank.roles[*place as usize] else { continue };
                let node = &rank.trace.nodes[*place as usize];
                let name = node.attributes.pg_name.unwrap_or("");
                let (group, position) = match found.get(name).copied() {
                    Some(known) => known,
                    None => {
                        let group = groups::find(name, [given, &own], rank.number, ranks.len() as u32);
                        let group = group.map_err(|error| {
                            let message = format!("{}: {error}", NamedNode(node, rank.file));
                            fault(rank.file, message, error.help())
                        })?;
                        *found.entry(name).or_insert(calls.enter(group, rank.number, &mut known))
                    }
                };
                let list = &mut calls.groups[group as usize].by_member[position as usize];
                of_nodes.insert(*place, (group, position, list.len() as u32));
                list.push(Call { kind, bytes, node: *place });
            }
            calls.of_nodes.push(of_nodes);
        }
        calls.groups.iter().try_for_each(|group| group.check(ranks))?;
        Ok(calls)
    }

    /// Returns the number of a group, and the position of a rank in it.
    fn enter(&mut self, group: Group, rank: u32, known: &mut BTreeMap<Group, u32>) -> (u32, u32) {
        let position = group.members.iter().position(|member| *member == rank);
        let position = position.expect("the rank is a member") as u32;
        let next = self.groups.len() as u32;
        let number = *known.entry(group.clone()).or_insert(next);
        if number == next {
            let by_member = vec![Vec::new(); group.members.len()];
            self.groups.push(GroupCalls { group, by_member });
        }
        (number, position)
    }
}

impl GroupCalls {
    /// Returns the collectives, in order.
    pub(super) fn collectives(&self) -> &[Call] {
        &self.by_member[0]
    }

    /// Refuses calls that differ between ranks.
    fn check(&self, ranks: &[Rank<'_>]) -> Result<(), Diagnostic> {
        const HELP: &str = "take the traces of all ranks from one run, whole";
        let Group { name, members } = &self.group;
        let of = if name.is_empty() { "all ranks".to_owned() } else { format!("process group `{name}`") };
        let named = |member: usize, call: &Call| {
            let rank = &ranks[members[member] as usize];
            format!("{}", NamedNode(call.node(rank.trace), rank.file))
        };
        let (first, others) = self.by_member.split_first().expect("a group has members");
        for (own, member) in others.iter().zip(1..) {
            let (one, other) = (members[0], members[member]);
            let file = ranks[other as usize].file;
            if let Some(number) =
                first.iter().zip(own).position(|(a, b)| (a.kind, a.bytes) != (b.kind, b.bytes))
            {
                let (a, b) = (&first[number], &own[number]);
                let message = format!(
                    "collective {} of {of} differs: rank {one} calls {a} ({}), and rank {other} {b} ({})",
                    number + 1,
                    named(0, a),
                    named(member, b)
                );
                return Err(fault(file, message, HELP));
            }
            if first.len() != own.len() {
                let shared = first.len().min(own.len());
                let alone = match first.get(shared) {
                    Some(call) => named(0, call),
                    None => named(member, &own[shared]),
                };
                let message = format!(
                    "rank {one} calls {} collectives of {of}, and rank {other} calls {}: the first without a partner is {alone}",
                    first.len(),
                    own.len()
                );
                return Err(fault(file, message, HELP));
            }
        }
        Ok(())
    }
}
