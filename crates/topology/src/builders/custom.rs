//! Any fabric, node by node and link by link.
//!
//! Invariant: the first fault in the order of the file is reported. A list that is too long comes before the
//! faults of its entries, and a host without a link after them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;

use super::checks::cable_index;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};
use crate::limits::{MAX_NODES, MAX_PORT_NUMBER, MAX_SWITCH_PORTS};

/// A fabric described node by node and link by link.
///
/// ```
/// let two: topology::CustomFabric = ron::from_str(
///     r#"(hosts: ["h1", "h2"], switches: ["s"], links: [
///         (from: "h1", to: "s", cable: "copper"),
///         (from: "h2", to: "s", cable: "copper"),
///     ])"#,
/// )?;
/// let topology = topology::TopologySpec::Custom(two).build(&["copper"])?;
/// let graph = topology.graph();
/// assert_eq!(graph.ports(graph.find("s").unwrap()).len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomFabric {
    /// Names of the hosts. Each has one channel adapter with one port.
    pub hosts: Vec<String>,
    /// Names of the switches.
    pub switches: Vec<String>,
    /// The links. The ports of a node have the numbers that links give them; else they are counted from 1, in the order
    /// of the links.
    pub links: Vec<LinkEnds>,
}

/// One full-duplex link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEnds {
    /// The node at one end, a host or a switch.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// Name of the kind of cable.
    pub cable: String,
    /// Number of the port at `from`, as the cluster counts: by it ports are put in order, and named in this file, in
    /// tables and in messages. If left out, ports are counted from 1 in the order of the links. All links of a switch
    /// give such numbers, or none; gaps are ports without a cable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub from_port: Option<u16>,
    /// Number of the port at `to`, as `from_port`; if left out, ports stand in the order of the links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub to_port: Option<u16>,
}

impl CustomFabric {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let nodes = self.hosts.len() + self.switches.len();
        if nodes > MAX_NODES {
            let longer = if self.hosts.len() > self.switches.len() { "hosts" } else { "switches" };
            return Err(TopologyError::new(longer, Kind::TooManyNodes { nodes }));
        }
        let known = self.nodes_by_name()?;
        let names = self.hosts.iter().chain(&self.switches).cloned().collect();
        let mut draft = GraphDraft::new(self.hosts.len(), names);
        let mut free = FreePorts::new(self);
        let mut numbers = GivenNumbers { hosts: self.hosts.len(), given: BTreeMap::new() };
        for (i, link) in self.links.iter().enumerate() {
            let path = |field: &str| FieldPath::from("links").index(i).name(field);
            let end = |field: &str, given: &String| {
                let unknown = || TopologyError::new(path(field), Kind::UnknownNode { given: given.clone() });
                known.get(given.as_str()).copied().ok_or_else(unknown)
            };
            let (from, to) = (end("from", &link.from)?, end("to", &link.to)?);
            if from == to {
                return Err(TopologyError::new(path("to"), Kind::SelfLink { name: link.to.clone() }));
            }
            for (field, end) in [("from", from), ("to", to)] {
                free.take(end, i).map_err(|kind| TopologyError::new(path(field), kind))?;
            }
            let mut rank = |field: &str, end, given| {
                numbers.rank(end, i, given).map_err(|kind| TopologyError::new(path(field), kind))
            };
            let ranks = [rank("from_port", from, link.from_port)?, rank("to_port", to, link.to_port)?];
            let cable = cable_index(cables, &link.cable, path("cable"))?;
            let ends = [ranked(from, ranks[0]), ranked(to, ranks[1])];
            for (end, number) in ends.into_iter().zip([link.from_port, link.to_port]) {
                number.into_iter().for_each(|number| draft.number(end, number));
            }
            draft.link(ends[0], ends[1], cable);
        }
        if let Some(h) = free.first_link.iter().position(Option::is_none) {
            let kind = Kind::HostWithoutLink { name: self.hosts[h].clone() };
            return Err(TopologyError::new(FieldPath::from("hosts").index(h), kind));
        }
        Ok(draft.finish())
    }

    /// Returns the index of each node, by its name.
    fn nodes_by_name(&self) -> Result<BTreeMap<&str, usize>, TopologyError> {
        let mut known = BTreeMap::new();
        for (list, names) in [("hosts", &self.hosts), ("switches", &self.switches)] {
            for (i, name) in names.iter().enumerate() {
                let fault = |kind| Err(TopologyError::new(FieldPath::from(list).index(i), kind));
                if name.is_empty() {
                    return fault(Kind::EmptyName);
                }
                let next = known.len();
                if known.insert(name.as_str(), next).is_some() {
                    return fault(Kind::DuplicateName { name: name.clone() });
                }
            }
        }
        Ok(known)
    }
}

/// The ports that links may still use: a single port at a host, [`MAX_SWITCH_PORTS`] at a switch.
struct FreePorts<'a> {
    hosts: &'a [String],
    /// Index of each host's link.
    first_link: Vec<Option<usize>>,
    /// Number of links at each switch.
    at_switch: Vec<usize>,
}

impl<'a> FreePorts<'a> {
    fn new(fabric: &'a CustomFabric) -> Self {
        Self {
            hosts: &fabric.hosts,
            first_link: vec![None; fabric.hosts.len()],
            at_switch: vec![0; fabric.switches.len()],
        }
    }

    /// Takes a port of a node for link `i`.
    fn take(&mut self, node: usize, i: usize) -> Result<(), Kind> {
        let Some(switch) = node.checked_sub(self.hosts.len()) else {
            return match self.first_link[node].replace(i) {
                Some(first) => Err(Kind::HostWithSeveralLinks { name: self.hosts[node].clone(), first }),
                None => Ok(()),
            };
        };
        self.at_switch[switch] += 1;
        if self.at_switch[switch] > MAX_SWITCH_PORTS { Err(Kind::TooManyPorts) } else { Ok(()) }
    }
}

/// The numbers that links give to the ports of switches.
struct GivenNumbers {
    hosts: usize,
    /// The numbers of each switch; `None` if its first link gave none.
    given: BTreeMap<usize, Option<BTreeSet<u16>>>,
}

impl GivenNumbers {
    /// Returns the rank of the port of a node at link `i` among the ports of that node.
    fn rank(&mut self, node: usize, i: usize, number: Option<u16>) -> Result<usize, Kind> {
        if let Some(given) = number.filter(|number| *number > MAX_PORT_NUMBER) {
            return Err(Kind::OutOfRange { given, least: 0, most: MAX_PORT_NUMBER });
        }
        if node < self.hosts {
            return Ok(i);
        }
        let known = self.given.entry(node).or_insert_with(|| number.map(|_| BTreeSet::new()));
        match (known, number) {
            (None, None) => Ok(i),
            (Some(numbers), Some(given)) => {
                if numbers.insert(given) {
                    Ok(given.into())
                } else {
                    Err(Kind::PortTwice { given })
                }
            }
            (None, Some(_)) | (Some(_), None) => Err(Kind::PortsPartlyNumbered),
        }
    }
}
