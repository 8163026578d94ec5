//! Dragonflies: fully connected groups of fully connected switches.
//!
//! Invariant: a path crosses at most a cable of its first group, a cable between groups, and a cable of its last
//! group.
//!
//! J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology", 2008, with its a,
//! p and h. The paper leaves open to which group each of a group's a h global channels leads. Here channel q + (g-1)
//! s of group i leads to group i + q + 1 (modulo g), for each q < g - 1, and is channel (g-2-q) + (g-1) s of that
//! group. Channel c belongs to switch c / h.
//!
//! ```text
//! Dragonfly(routers: 2, hosts: 1, global: 1)      group 1: g1.r1 -- g1.r2
//!                                                            |        |
//! g = a h + 1 = 3 groups                          group 2: g2.r2    g3.r1  :group 3
//!                                                            |        |
//!                                                          g2.r1 -- g3.r2
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checks::{cable_index, nodes_fit, ports_fit, within};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, GraphDraft, ranked};

/// A dragonfly with fully connected groups. Switches are named `g1.r1`, `g1.r2`, ...; hosts are numbered
/// switch by switch. A switch has its hosts at its first ports, then the others of its group, then its
/// global channels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dragonfly {
    /// Number of switches of a group (a): 1 to 254.
    #[schemars(range(min = 1, max = 254))]
    pub routers: u16,
    /// Number of hosts of a switch (p): 1 to 253.
    #[schemars(range(min = 1, max = 253))]
    pub hosts: u16,
    /// Number of cables from a switch to other groups (h): 1 to 253.
    #[schemars(range(min = 1, max = 253))]
    pub global: u16,
    /// Number of groups (g): 2 to a h + 1. g - 1 must divide a h, so that every two groups have equally many
    /// cables between them. If left out, a h + 1 groups with one cable between any two.
    #[serde(default)]
    #[schemars(range(min = 2))]
    pub groups: Option<u16>,
    /// Name of the kind of cable between host and switch.
    pub host_cable: String,
    /// Name of the kind of cable within a group.
    pub local_cable: String,
    /// Name of the kind of cable between groups.
    pub global_cable: String,
}

impl Dragonfly {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<(Graph, DragonflyShape), TopologyError> {
        let shape = self.checked()?;
        let host_cable = cable_index(cables, &self.host_cable, "host_cable")?;
        let local_cable = cable_index(cables, &self.local_cable, "local_cable")?;
        let global_cable = cable_index(cables, &self.global_cable, "global_cable")?;
        let DragonflyShape { routers, hosts: own, global, groups } = shape;
        let switches = groups * routers;
        let hosts = own * switches;
        let names = (0..switches).map(|s| format!("g{}.r{}", s / routers + 1, s % routers + 1));
        let mut draft = GraphDraft::with_numbered_hosts(hosts, names);
        for switch in 0..switches {
            let (group, router) = (switch / routers, switch % routers);
            for host in 0..own {
                draft.link(ranked(switch * own + host, 0), ranked(hosts + switch, host), host_cable);
            }
            for other in router + 1..routers {
                let peer = ranked(hosts + group * routers + other, own + router);
                draft.link(ranked(hosts + switch, own + other), peer, local_cable);
            }
            for channel in router * global..(router + 1) * global {
                let (there, back) = shape.far_end(group, channel);
                if group < there {
                    let port = |group: usize, channel: usize| {
                        let switch = hosts + group * routers + channel / global;
                        ranked(switch, own + routers + channel % global)
                    };
                    draft.link(port(group, channel), port(there, back), global_cable);
                }
            }
        }
        Ok((draft.finish(), shape))
    }

    fn checked(&self) -> Result<DragonflyShape, TopologyError> {
        let routers = within("routers", self.routers, 1, 254)?;
        let hosts = within("hosts", self.hosts, 1, 253)?;
        let global = within("global", self.global, 1, 253)?;
        ports_fit("global", (routers - 1 + hosts + global) as u64)?;
        let channels = routers * global;
        let most = u16::try_from(channels + 1).unwrap_or(u16::MAX);
        let groups = self.groups.map_or(Ok(channels + 1), |groups| within("groups", groups, 2, most))?;
        if !channels.is_multiple_of(groups - 1) {
            return Err(TopologyError::new("groups", Kind::UnevenGroups { groups, channels }));
        }
        let path = if self.groups.is_some() { "groups" } else { "routers" };
        nodes_fit(path, (groups * routers * (hosts + 1)) as u64)?;
        Ok(DragonflyShape { routers, hosts, global, groups })
    }
}

/// The structure of a dragonfly with parameters that have been checked. Switches are counted group by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DragonflyShape {
    /// Switches of a group.
    routers: usize,
    /// Hosts of a switch.
    hosts: usize,
    /// Global channels of a switch.
    global: usize,
    groups: usize,
}

impl DragonflyShape {
    /// Number of routing layers that minimal routing takes: see [`layer`](Self::layer).
    pub(crate) const LAYERS: u32 = 2;

    /// Returns the next switch from `at` to `to` by minimal routing. Within a group this is `to` itself. Otherwise it
    /// is the far end of an own channel to the group of `to`, or the switch of the own group that has such a channel.
    pub(crate) fn next(&self, at: usize, to: usize) -> Option<usize> {
        let (group, router) = (at / self.routers, at % self.routers);
        let (target, last) = (to / self.routers, to % self.routers);
        if at == to {
            return None;
        }
        if group == target {
            return Some(to);
        }
        let first = (target + self.groups - group - 1) % self.groups;
        let channels = || (first..self.routers * self.global).step_by(self.groups - 1);
        let own = || channels().filter(|channel| channel / self.global == router);
        // Parallel channels take turns by the destination's switch.
        if let Some(turn) = last.checked_rem(own().count()) {
            let (_, back) = self.far_end(group, own().nth(turn)?);
            return Some(target * self.routers + back / self.global);
        }
        let channel = channels().nth(last % channels().count())?;
        Some(group * self.routers + channel / self.global)
    }

    /// Returns the routing layer of a path between two switches: 0 to a group of higher number, 1 to a group of lower
    /// number.
    ///
    /// In layer 0 every path leads from a lower group to a higher group. A cable within a group may be the last of a
    /// path and the first of another. The other path then leads on to a group of yet higher number. So there is no
    /// cycle; likewise in layer 1. A path within a group makes no turn.
    ///
    /// DEVIATION: Kim and others change the lane behind the cable between groups instead, as
    /// [`lane_changes`](crate::routing::lane_changes) do.
    pub(crate) fn layer(&self, from: usize, to: usize) -> u32 {
        u32::from(from / self.routers > to / self.routers)
    }

    /// Returns true if a cable between two switches connects two groups.
    pub(crate) fn is_global(&self, from: usize, to: usize) -> bool {
        from / self.routers != to / self.routers
    }

    /// Returns the group of a switch.
    pub(crate) const fn group_of(&self, switch: usize) -> usize {
        switch / self.routers
    }

    /// Number of groups.
    pub(crate) const fn groups(&self) -> usize {
        self.groups
    }

    /// Number of switches of a group.
    pub(crate) const fn routers(&self) -> usize {
        self.routers
    }

    /// Number of hosts of a switch.
    pub(crate) const fn hosts(&self) -> usize {
        self.hosts
    }

    /// Returns the switch of a host.
    pub(crate) fn switch_of(&self, host: usize) -> usize {
        host / self.hosts
    }

    /// Returns the group to which a global channel leads, and the channel's number in that group.
    fn far_end(&self, group: usize, channel: usize) -> (usize, usize) {
        let others = self.groups - 1;
        let (first, copy) = (channel % others, channel / others);
        ((group + first + 1) % self.groups, others - 1 - first + others * copy)
    }
}
