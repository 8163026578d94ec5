//! Dragonflies: groups whose switches are all beside each other, and which are all beside each other.
//!
//! Invariant: a way crosses at most one cable of its first group, one between groups, and one of its last.
//!
//! J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology", 2008, with
//! its a, p and h. Which of a group's a h global channels leads where is not fixed there; here channel
//! q + (g-1) s of group i leads to group i + q + 1 (modulo g), for each q < g - 1, and comes in there as
//! channel (g-2-q) + (g-1) s. Channel c belongs to switch c / h.
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

use super::{Wiring, nodes_fit, ports_fit, within};
use crate::builder::cable;
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::Graph;

/// A dragonfly with fully connected groups. Switches are named `g1.r1`, `g1.r2`, ...; hosts are numbered
/// switch by switch. A switch has its hosts at its first ports, then the others of its group, then its
/// global channels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dragonfly {
    /// How many switches a group has (a): 1 to 254.
    #[schemars(range(min = 1, max = 254))]
    pub routers: u16,
    /// How many hosts a switch has (p): 1 to 253.
    #[schemars(range(min = 1, max = 253))]
    pub hosts: u16,
    /// How many cables to other groups a switch has (h): 1 to 253.
    #[schemars(range(min = 1, max = 253))]
    pub global: u16,
    /// How many groups there are (g): 2 to a h + 1, so that g - 1 divides a h and every two groups have
    /// equally many cables between them. If left out a h + 1, and one cable.
    #[serde(default)]
    #[schemars(range(min = 2))]
    pub groups: Option<u16>,
    /// The name of the kind of cable between host and switch.
    pub host_cable: String,
    /// The name of the kind of cable within a group.
    pub local_cable: String,
    /// The name of the kind of cable between groups.
    pub global_cable: String,
}

impl Dragonfly {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let shape = self.checked()?;
        let named = |given: &str, field: &str| cable(cables, given, || field.to_owned());
        let host_cable = named(&self.host_cable, "host_cable")?;
        let local_cable = named(&self.local_cable, "local_cable")?;
        let global_cable = named(&self.global_cable, "global_cable")?;
        let Shape { routers, hosts: own, global, groups, .. } = shape;
        let switches = groups * routers;
        let hosts = own * switches;
        let names = (0..switches).map(|s| format!("g{}.r{}", s / routers + 1, s % routers + 1));
        let mut wiring = Wiring::new(hosts, names);
        for switch in 0..switches {
            let (group, router) = (switch / routers, switch % routers);
            for host in 0..own {
                wiring.link((switch * own + host, 0), (hosts + switch, host), host_cable);
            }
            for other in router + 1..routers {
                let peer = hosts + group * routers + other;
                wiring.link((hosts + switch, own + other), (peer, own + router), local_cable);
            }
            for channel in router * global..(router + 1) * global {
                let (there, back) = shape.far_end(group, channel);
                if group < there {
                    let plug = |group: usize, channel: usize| {
                        (hosts + group * routers + channel / global, own + routers + channel % global)
                    };
                    wiring.link(plug(group, channel), plug(there, back), global_cable);
                }
            }
        }
        Ok(wiring.finish())
    }

    fn checked(&self) -> Result<Shape, TopologyError> {
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
        Ok(self.shape())
    }

    /// The numbers of a dragonfly that has been checked.
    pub(crate) fn shape(&self) -> Shape {
        let (routers, global) = (usize::from(self.routers), usize::from(self.global));
        let groups = self.groups.map_or(routers * global + 1, usize::from);
        Shape { routers, hosts: self.hosts.into(), global, groups }
    }
}

/// The numbers of a dragonfly. Switches are counted group by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    routers: usize,
    hosts: usize,
    global: usize,
    groups: usize,
}

impl Shape {
    /// How many routing layers minimal routing takes: see [`layer`](Self::layer).
    pub(crate) const LAYERS: u32 = 2;

    /// The next switch from `at` to `to` by minimal routing: within its group directly; else by an own
    /// channel to the group of `to`, or to the switch that has one.
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

    /// The routing layer of a way between two switches: 0 to a group of higher number, 1 to one of lower.
    ///
    /// In layer 0 every way goes from a lower group to a higher one: a cable of a group that is the last of
    /// one way and the first of another leads on to a group of yet higher number. So there is no cycle;
    /// likewise in layer 1. A way within a group has no turn.
    ///
    /// DEVIATION: Kim and others change the lane behind the cable between groups instead. Here a packet keeps
    /// its lane.
    pub(crate) fn layer(&self, from: usize, to: usize) -> u32 {
        u32::from(from / self.routers > to / self.routers)
    }

    /// The switch of a host.
    pub(crate) fn switch_of(&self, host: usize) -> usize {
        host / self.hosts
    }

    /// The group to which a global channel leads, and the channel's number there.
    fn far_end(&self, group: usize, channel: usize) -> (usize, usize) {
        let others = self.groups - 1;
        let (first, copy) = (channel % others, channel / others);
        ((group + first + 1) % self.groups, others - 1 - first + others * copy)
    }
}
