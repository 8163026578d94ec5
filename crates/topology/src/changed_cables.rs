//! Single cables that differ from the rule of their topology: cables of another kind, and cables that are missing.
//!
//! Invariant: a host keeps its cable, and at most a single entry changes a cable. A fabric without some cables equals
//! a fabric that was built without them: ports of a node are numbered from 0 without gaps.
//!
//! Entries select cables by a port at either end, as [`selection`](crate::selection) describes. Numbers of ports
//! refer to the complete fabric. An entry without `*` and `?` has precedence over an entry with them. Two entries of
//! the same sort that select the same cable are an error, and so is an entry that others leave no cable.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{FieldPath, SettingError, glob};
use thiserror::Error;

use crate::graph::Graph;
use crate::selection::SelectionError;
use crate::structure::{ChangedCables, PortOfNode, Topology};

/// The change of a cable: an entry of the scenario field `changed_cables`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CableChange {
    /// The cable is missing. Routes lead around it; the later ports of its nodes are numbered one lower, unless links give
    /// them their numbers.
    Removed,
    /// The cable is of this kind, an entry of `cables`.
    Kind(String),
}

/// An entry that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct CableChangeError {
    /// The entry as written.
    pub entry: String,
    /// The reason.
    pub kind: CableChangeErrorKind,
}

/// The reason that an entry cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CableChangeErrorKind {
    /// The entry selects no port.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// There is no such kind of cable.
    #[error("`{given}` is not a kind of cable")]
    UnknownKind {
        /// The name as written.
        given: String,
    },
    /// A host would lose its only cable.
    #[error("this removes the only cable of host `{host}`")]
    OfHost {
        /// The host.
        host: String,
    },
    /// Two entries select the same cable, both with wildcards or both without.
    #[error("`{other}` selects the cable from `{from}` to `{to}` too")]
    Twice {
        /// The other entry.
        other: String,
        /// A node of the cable.
        from: String,
        /// Its other node.
        to: String,
    },
    /// Each cable of a pattern has an entry of its own.
    #[error("every cable that this selects has an entry of its own")]
    NothingLeft,
}

impl SettingError for CableChangeError {
    /// Returns the path of the entry, relative to `changed_cables`.
    fn path(&self) -> FieldPath {
        FieldPath::default().name(&self.entry)
    }

    fn help(&self) -> Option<String> {
        use CableChangeErrorKind as Kind;
        Some(match &self.kind {
            Kind::Selection(_) => {
                "name a port as `leaf1:spine2`, by the nodes at both ends, or as `leaf1:3`, by its number"
                    .to_owned()
            }
            Kind::UnknownKind { .. } => "name one that `cables` describes".to_owned(),
            Kind::OfHost { host } => format!(
                "a host has exactly one cable: leave it, and let no flow begin or end at `{host}`; or give it another kind: `Kind(...)`"
            ),
            Kind::Twice { .. } => {
                "let one entry select each cable; one without `*` and `?` has precedence over one with them"
                    .to_owned()
            }
            Kind::NothingLeft => "leave this entry out".to_owned(),
        })
    }
}

/// The entry that changes a cable.
struct Claim<'a> {
    entry: &'a str,
    is_wild: bool,
}

impl Topology {
    /// Changes single cables. `kinds` lists the kinds of cable that exist.
    ///
    /// # Errors
    /// Every entry that cannot be applied.
    pub fn with_changed_cables(
        self,
        changes: &BTreeMap<String, CableChange>,
        kinds: &[&str],
    ) -> Result<Self, Vec<CableChangeError>> {
        if changes.is_empty() {
            return Ok(self);
        }
        let graph = self.graph();
        let (claims, mut errors) = claims(graph, changes);
        let mut changed = Vec::new();
        for (entry, change) in changes {
            let failed = |kind| CableChangeError { entry: entry.clone(), kind };
            let own = claims.iter().filter(|(_, claim)| claim.entry == entry);
            let cables: Vec<_> = own.map(|(from, _)| (*from, graph.far_end(*from))).collect();
            if cables.is_empty() && !errors.iter().any(|error| error.entry == *entry) {
                errors.push(failed(CableChangeErrorKind::NothingLeft));
            }
            match kind_of(change, graph, &cables, kinds) {
                Ok(kind) => {
                    // Asked now: some of these ports are gone in the changed graph.
                    let number = |(from, to): &(PortOfNode, PortOfNode)| {
                        (graph.port_number(*from), graph.port_number(*to))
                    };
                    let numbers = cables.iter().map(number).collect();
                    changed.push(ChangedCables { entry: entry.clone(), kind, cables, numbers });
                }
                Err(kind) => errors.push(failed(kind)),
            }
        }
        if errors.is_empty() { Ok(self.rewired(changed)) } else { Err(errors) }
    }
}

/// Returns the entry that changes each cable, by the end of the cable that comes first; and the faults of entries.
fn claims<'a>(
    graph: &Graph,
    changes: &'a BTreeMap<String, CableChange>,
) -> (BTreeMap<PortOfNode, Claim<'a>>, Vec<CableChangeError>) {
    let mut claims: BTreeMap<PortOfNode, Claim<'_>> = BTreeMap::new();
    let mut errors = Vec::new();
    for entry in changes.keys() {
        let failed = |kind| CableChangeError { entry: entry.clone(), kind };
        let ports = match graph.select_ports(entry) {
            Ok(ports) => ports,
            Err(error) => {
                errors.push(failed(error.into()));
                continue;
            }
        };
        let is_wild = glob::is_wild(entry);
        let cables: BTreeSet<_> = ports.into_iter().map(|port| port.min(graph.far_end(port))).collect();
        for cable in cables {
            match claims.get(&cable) {
                Some(known) if known.is_wild == is_wild => {
                    let name = |(node, _): PortOfNode| graph.name(node).to_owned();
                    let (from, to) = (name(cable), name(graph.far_end(cable)));
                    let other = known.entry.to_owned();
                    errors.push(failed(CableChangeErrorKind::Twice { other, from, to }));
                    break;
                }
                Some(known) if !known.is_wild => {}
                _ => {
                    claims.insert(cable, Claim { entry, is_wild });
                }
            }
        }
    }
    (claims, errors)
}

/// Returns the kind of cable that a change asks for; `None` if the cables are to be removed.
fn kind_of(
    change: &CableChange,
    graph: &Graph,
    cables: &[(PortOfNode, PortOfNode)],
    kinds: &[&str],
) -> Result<Option<usize>, CableChangeErrorKind> {
    match change {
        CableChange::Kind(given) => match kinds.iter().position(|kind| kind == given) {
            Some(kind) => Ok(Some(kind)),
            None => Err(CableChangeErrorKind::UnknownKind { given: given.clone() }),
        },
        CableChange::Removed => {
            // Hosts come before switches, so the end at the host comes first.
            match cables.iter().find(|((node, _), _)| graph.is_host(*node)) {
                Some(((host, _), _)) => {
                    Err(CableChangeErrorKind::OfHost { host: graph.name(*host).to_owned() })
                }
                None => Ok(None),
            }
        }
    }
}
