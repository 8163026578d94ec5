//! Two switches with named groups of hosts: a dumbbell with numbers of hosts as parameters.
//!
//! Invariant: a host is called by its group and its number within the group, whatever the size of the group.
//! The only host of the group `C` is `C1`, and keeps that name when the group grows.
//!
//! ```text
//! left.hosts  --host_cable--  left.name  --trunk_cable--  right.name  --host_cable--  right.hosts
//! ```

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;

use super::checks::cable_index;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};
use crate::limits::MAX_SWITCH_PORTS;

/// Two switches with one link between them, and groups of hosts at each.
///
/// The hosts of a group are named after the group, with a number from 1: `R1`, `R2`, ... of `"R": 5`, and `C1`
/// of `"C": 1`. Hosts of the left switch come first, groups in the order of their names. A switch has its hosts
/// at ports 1 and up in this order, and the other switch at its last port.
///
/// ```
/// let two: topology::TwoSwitches = ron::from_str(
///     r#"(left: (name: "A", hosts: {"R": 2}), right: (name: "B", hosts: {"C": 1, "L": 2}),
///         host_cable: "copper", trunk_cable: "copper")"#,
/// )?;
/// let topology = topology::TopologySpec::TwoSwitches(two).build(&["copper"])?;
/// assert_eq!(topology.graph().names().collect::<Vec<_>>(), ["R1", "R2", "C1", "L1", "L2", "A", "B"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoSwitches {
    /// The left switch.
    pub left: SwitchWithHosts,
    /// The right switch.
    pub right: SwitchWithHosts,
    /// Name of the kind of cable between host and switch.
    pub host_cable: String,
    /// Name of the kind of cable between the switches.
    pub trunk_cable: String,
}

/// A switch and its groups of hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchWithHosts {
    /// Name of the switch.
    pub name: String,
    /// Number of hosts of each group, 1 to 253; at most 253 in all groups together.
    #[schemars(extend("additionalProperties" = {"type": "integer", "minimum": 1, "maximum": 253}))]
    pub hosts: BTreeMap<String, u16>,
}

impl TwoSwitches {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let (mut named, at_right) = (self.left.hosts("left")?, self.right.hosts("right")?);
        let at_left = named.len();
        named.extend(at_right);
        let hosts = named.len();
        named.push(("left.name".into(), self.left.name.clone()));
        named.push(("right.name".into(), self.right.name.clone()));
        check_names(&named)?;
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let trunk_cable = cable_index(cables, &self.trunk_cable, "trunk_cable")?;
        let mut draft = GraphDraft::new(hosts, named.into_iter().map(|(_, name)| name).collect());
        let (left, right) = (hosts, hosts + 1);
        for host in 0..hosts {
            let switch = if host < at_left { left } else { right };
            draft.link(ranked(host, 0), ranked(switch, host), host_cable);
        }
        draft.link(ranked(left, hosts), ranked(right, hosts), trunk_cable);
        Ok(draft.finish())
    }
}

impl SwitchWithHosts {
    /// Returns the names of the hosts of this side, each with the path of its group.
    fn hosts(&self, side: &str) -> Result<Vec<(FieldPath, String)>, TopologyError> {
        let path = |group: &str| FieldPath::from(side).name("hosts").name(group);
        let total: usize = self.hosts.values().copied().map(usize::from).sum();
        let largest = self.hosts.iter().max_by_key(|(_, count)| **count);
        // The trunk takes a port.
        if let Some((group, _)) = largest.filter(|_| total >= MAX_SWITCH_PORTS) {
            return Err(TopologyError::new(path(group), Kind::TooManyPorts));
        }
        let mut hosts = Vec::new();
        for (group, &count) in &self.hosts {
            let path = path(group);
            let fault = |kind| Err(TopologyError::new(path.clone(), kind));
            if group.is_empty() {
                return fault(Kind::EmptyName);
            }
            if count == 0 {
                return fault(Kind::EmptyGroup { group: group.clone() });
            }
            hosts.extend((1..=count).map(|number| (path.clone(), format!("{group}{number}"))));
        }
        Ok(hosts)
    }
}

/// Fails unless names are unique: a group's name and a number can spell a host of another group, or a switch.
fn check_names(named: &[(FieldPath, String)]) -> Result<(), TopologyError> {
    let mut known = BTreeSet::new();
    for (path, name) in named {
        let fault = |kind| Err(TopologyError::new(path.clone(), kind));
        if name.is_empty() {
            return fault(Kind::EmptyName);
        }
        if !known.insert(name) {
            return fault(Kind::DuplicateName { name: name.clone() });
        }
    }
    Ok(())
}
