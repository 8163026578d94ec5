//! One switch, and switches in a row.
//!
//! Invariant: hosts are numbered switch by switch, and stand at a switch's first ports.
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

use super::{Wiring, nodes_fit, one, ports_fit, within};
use crate::builder::cable;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::Graph;

/// One switch, `s1`, with host `hN` at port N.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crossbar {
    /// How many hosts: 1 to 254.
    #[schemars(range(min = 1, max = 254))]
    pub hosts: u16,
    /// The name of the kind of cable between host and switch.
    pub host_cable: String,
}

/// Switches `s1`, `s2`, ... in a row, each with hosts of its own. Two switches are a dumbbell.
///
/// A switch has its hosts at its first ports, then the cables to the switch before it, then those to the
/// switch after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// How many hosts each switch has, switch by switch: 0 to 253.
    #[schemars(inner(range(min = 0, max = 253)))]
    pub hosts: Vec<u16>,
    /// How many cables lead from one switch to the next: at least 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 254))]
    pub parallel: u16,
    /// The name of the kind of cable between host and switch.
    pub host_cable: String,
    /// The name of the kind of cable between switches.
    pub trunk_cable: String,
}

impl Crossbar {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let hosts = within("hosts", self.hosts, 1, 254)?;
        let host_cable = cable(cables, &self.host_cable, || "host_cable".to_owned())?;
        let mut wiring = Wiring::new(hosts, core::iter::once("s1".to_owned()));
        (0..hosts).for_each(|host| wiring.link((host, 0), (hosts, host), host_cable));
        Ok(wiring.finish())
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
            ports_fit(&format!("hosts[{i}]"), u64::from(*own) + (sides * parallel) as u64)?;
        }
        let host_cable = cable(cables, &self.host_cable, || "host_cable".to_owned())?;
        let trunk_cable = cable(cables, &self.trunk_cable, || "trunk_cable".to_owned())?;
        let hosts = usize::try_from(hosts).expect("no more than LIDs");
        let mut wiring = Wiring::new(hosts, (1..=switches).map(|i| format!("s{i}")));
        let mut host = 0;
        for (i, own) in self.hosts.iter().enumerate() {
            for _ in 0..*own {
                wiring.link((host, 0), (hosts + i, host), host_cable);
                host += 1;
            }
            if i + 1 < switches {
                for k in 0..parallel {
                    // Ranks after those of all hosts: first the cables from before, then those onwards.
                    let (onwards, from_before) = (hosts + parallel + k, hosts + k);
                    wiring.link((hosts + i, onwards), (hosts + i + 1, from_before), trunk_cable);
                }
            }
        }
        Ok(wiring.finish())
    }
}
