//! Process groups: the ranks that take part in a collective.
//!
//! Invariant: a group has the ranks that the user's file says, else the rank's own metadata; only the group without a
//! name, or with the name `0`, has all ranks unless these say otherwise. Groups of the same name with other ranks are
//! other groups.
//!
//! `PyTorch`'s traces have a node of metadata with a list in JSON, inside of a list as Python prints it:
//! `['[{"pg_name": "0", "ranks": [0, 1]}]']`; an empty list of ranks stands for all.

use std::collections::BTreeMap;

use interop::import::SourceText;
use scenario::Diagnostic;
use serde::Deserialize;
use workload::job::counted;

use super::schema::{NodeKind, Trace};

/// Ranks by the name of a group.
pub(super) type Named = BTreeMap<String, Vec<u32>>;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    /// Its name in traces; empty if they have none.
    pub(super) name: String,
    /// Its ranks, in their order within the group.
    pub(super) members: Vec<u32>,
}

/// A group that a collective cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GroupError {
    #[error("nothing says which ranks process group `{name}` has")]
    Unknown { name: String },
    #[error("process group `{name}` has rank {rank}, and there are traces of {}", counted(u64::from(*ranks), "rank"))]
    NoRank { name: String, rank: u32, ranks: u32 },
    #[error("process group `{name}` does not have rank {rank}, which calls it")]
    NotMember { name: String, rank: u32 },
    #[error("process group `{name}` has rank {rank} twice")]
    Twice { name: String, rank: u32 },
}

/// An entry of `PyTorch`'s list.
#[derive(Deserialize)]
struct Entry {
    pg_name: String,
    ranks: Vec<u32>,
}

impl GroupError {
    /// Returns the correction.
    pub(super) const fn help(&self) -> &'static str {
        match self {
            Self::Unknown { .. } | Self::NotMember { .. } => {
                "give a file such as {\"1\": [0, 4]} by `--groups FILE`"
            }
            Self::NoRank { .. } => "put the traces of all ranks into the folder",
            Self::Twice { .. } => "write each rank of the group once",
        }
    }
}

/// Reads the user's file: `{"1": [0, 4]}`, as ASTRA-sim's `--comm-group-configuration` takes it.
pub(super) fn given(source: SourceText<'_>) -> Result<Named, Diagnostic> {
    serde_json::from_str(source.text).map_err(|error| {
        let start = source
            .text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        let at = (start + error.column().saturating_sub(1)).min(source.text.len());
        // The place is a whole character.
        let at = (0..=at).rev().find(|at| source.text.is_char_boundary(*at)).unwrap_or(0);
        source.wrong(&(at..at), format!("this is no list of groups: {error}"), "write {\"1\": [0, 4]}")
    })
}

/// Returns the groups that a trace's metadata has, or the place of a node with a list that is none.
pub(super) fn of_trace(trace: &Trace<'_>) -> Result<Named, usize> {
    let mut named = Named::new();
    let metadata = trace.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Metadata);
    for (place, node) in metadata.filter(|(_, node)| node.inputs.contains("pg_name")) {
        let (start, end) = (node.inputs.find("[{"), node.inputs.rfind("}]"));
        let list = start.zip(end).and_then(|(start, end)| node.inputs.get(start..end + 2));
        let entries: Vec<Entry> = list.and_then(|list| serde_json::from_str(list).ok()).ok_or(place)?;
        named.extend(entries.into_iter().map(|entry| (entry.pg_name, entry.ranks)));
    }
    Ok(named)
}

/// Returns the group of a name for a rank of `ranks`, by the user's file and the rank's own metadata.
pub(super) fn find(
    name: &str,
    [given, own]: [&Named; 2],
    rank: u32,
    ranks: u32,
) -> Result<Group, GroupError> {
    let all = || (0..ranks).collect();
    let members: Vec<u32> = match given.get(name).or_else(|| own.get(name)) {
        Some(members) if members.is_empty() => all(),
        Some(members) => members.clone(),
        None if matches!(name, "" | "0") => all(),
        None => return Err(GroupError::Unknown { name: name.to_owned() }),
    };
    let name = name.to_owned();
    if let Some(beyond) = members.iter().find(|member| **member >= ranks) {
        return Err(GroupError::NoRank { name, rank: *beyond, ranks });
    }
    let mut sorted = members.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(GroupError::Twice { name, rank: pair[0] });
    }
    if sorted.binary_search(&rank).is_err() {
        return Err(GroupError::NotMember { name, rank });
    }
    Ok(Group { name, members })
}
