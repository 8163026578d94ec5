//! One switch, and switches in a row.
//!
//! Invariant: hosts are numbered switch by switch, and occupy a switch's first ports.
//!
//! ```text
//! Crossbar(hosts: 3)           Chain(hosts: [2, 1, 2])
//!
//! h1 -+                        h1 -+                 +- h4
//! h2 -+- s1                    h2 -+- s1 -- s2 -- s3 +
//! h3 -+                                     |        +- h5
//!                                           h3
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;

use super::checks::{cable_index, nodes_fit, ports_fit, within};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};

/// One switch, `s1`, with host `hN` at port N.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crossbar {
    /// Number of hosts, 1 to 254.
    #[schemars(range(min = 1, max = 254))]
    pub hosts: u16,
    /// Name of the kind of cable between host and switch.
    pub host_cable: String,
}

/// Switches `s1`, `s2`, ... in a row, each with hosts of its own. Two switches are a dumbbell.
///
/// A switch has its hosts at its first ports, then the cables to the previous switch, then those to the next
/// switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Number of hosts of each switch, switch by switch: 0 to 253.
    #[schemars(inner(range(min = 0, max = 253)))]
    pub hosts: Vec<u16>,
    /// Number of cables between neighbouring switches, at least 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 254))]
    pub parallel: u16,
    /// Name of the kind of cable between host and switch.
    pub host_cable: String,
    /// Name of the kind of cable between switches.
    pub trunk_cable: String,
}

/// One cable between neighbours, unless the scenario gives a number.
fn one() -> u16 {
    1
}

impl Crossbar {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let hosts = within("hosts", self.hosts, 1, 254)?;
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let mut draft = GraphDraft::with_numbered_hosts(hosts, core::iter::once("s1".to_owned()));
        (0..hosts).for_each(|host| draft.link(ranked(host, 0), ranked(hosts, host), host_cable));
        Ok(draft.finish())
    }
}

impl Chain {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let (switches, parallel) = (self.hosts.len(), within("parallel", self.parallel, 1, 254)?);
        let hosts: u64 = self.hosts.iter().map(|n| u64::from(*n)).sum();
        if switches == 0 {
            return Err(TopologyError::new("hosts", Kind::NoSwitches));
        }
        nodes_fit("hosts", hosts + switches as u64)?;
        for (i, own) in self.hosts.iter().enumerate() {
            let sides = usize::from(i > 0) + usize::from(i + 1 < switches);
            let ports = u64::from(*own) + (sides * parallel) as u64;
            ports_fit(FieldPath::from("hosts").index(i), ports)?;
        }
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let trunk_cable = cable_index(cables, &self.trunk_cable, "trunk_cable")?;
        let hosts = usize::try_from(hosts).expect("no more than LIDs");
        let mut draft = GraphDraft::with_numbered_hosts(hosts, (1..=switches).map(|i| format!("s{i}")));
        let mut host = 0;
        for (i, own) in self.hosts.iter().enumerate() {
            for _ in 0..*own {
                draft.link(ranked(host, 0), ranked(hosts + i, host), host_cable);
                host += 1;
            }
            if i + 1 < switches {
                for k in 0..parallel {
                    // Ports to other switches rank behind the ports to hosts: first to the previous switch, then to
                    // the next.
                    let (to_next, to_previous) = (hosts + parallel + k, hosts + k);
                    draft.link(ranked(hosts + i, to_next), ranked(hosts + i + 1, to_previous), trunk_cable);
                }
            }
        }
        Ok(draft.finish())
    }
}
