//! The forwarding tables of a cluster as a scenario's tables, checked along every path.
//!
//! Invariant: a pair of hosts without a path, and a cycle in which packets could wait, are named. If any host does not
//! reach a host, all paths to it are replaced, so that no mixture of tables makes a new loop.

use std::collections::{BTreeMap, BTreeSet};

use packet::{Lane, NodeId};
use topology::{ChannelDependencies, Routes, RoutingSpec, Topology, VirtualChannel};

use super::cluster::{Cluster, ClusterEnd, ClusterIndex, ClusterNode};
use super::forwarding::{ForwardingTables, SwitchTable};
use super::lanes::LaneTables;
use super::port_sets::Entries;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Tables of a scenario, and the faults that were found in the cluster's tables.
pub(super) struct CheckedTables {
    /// Tables by the name of the switch.
    pub(super) tables: BTreeMap<String, String>,
    /// Number of ordered pairs of hosts without a path.
    pub(super) unreached: usize,
    /// An example, and the reason.
    pub(super) example: Option<String>,
    /// Number of entries that no path between hosts uses, and that lead nowhere.
    pub(super) idle: usize,
}

/// Checks the entries of a cluster's tables. The graph has the cluster's nodes in the same order.
pub(super) fn checked(mut entries: Entries, cluster: &Cluster, topology: &Topology) -> CheckedTables {
    let graph = topology.graph();
    let shortest = topology.routes(&RoutingSpec::MinHop, 1).expect("it fits any graph");
    let leaves = leaves(topology);
    let (mut unreached, mut example, mut idle) = (0, None, 0);
    for host in 0..cluster.hosts.len() {
        let ends = ends(topology, &entries, host);
        let to = NodeId(host as u32);
        let lost = leaves.iter().filter(|(at, _)| **at != to && !reaches(topology, &ends, **at));
        // All hosts of a leaf lose the path together, so paths are followed once for each leaf.
        let lost = lost.flat_map(|(at, hosts)| hosts.iter().map(move |from| (*from, *at)));
        let lost: Vec<(NodeId, NodeId)> = lost.filter(|(from, _)| *from != to).collect();
        if let Some((from, at)) = lost.iter().min() {
            unreached += lost.len();
            let reason = || reason(topology, (&entries, &ends), *at, host);
            example.get_or_insert_with(|| {
                let (from, to) = (graph.name(*from), graph.name(to));
                match cluster.hosts[host].lid {
                    Some(_) => format!("from `{from}` to `{to}`: {}", reason()),
                    None => format!("from `{from}` to `{to}`: `{to}` has no LID in the file of the cluster"),
                }
            });
            for switch in 0..cluster.switches.len() {
                let at = NodeId((cluster.hosts.len() + switch) as u32);
                entries.set(switch, host, shortest.output(at, to).map(|port| port.0 as u8));
            }
            continue;
        }
        for (switch, _) in ends.iter().enumerate().filter(|(_, end)| **end != End::Host) {
            idle += usize::from(!entries.ports(switch, host).is_empty());
            entries.set(switch, host, None);
        }
    }
    let written = |(i, switch): (usize, &ClusterNode)| (switch.name.clone(), entries.table(i, &switch.ports));
    let tables = cluster.switches.iter().enumerate().map(written).collect();
    CheckedTables { tables, unreached, example, idle }
}

/// Returns the entries of linear tables, of all switches for all hosts.
pub(super) fn linear_entries(
    source: SourceText<'_>,
    tables: &ForwardingTables,
    cluster: &Cluster,
) -> Result<Entries, Diagnostic> {
    check_lids(source, cluster)?;
    let by_lid = hosts_by_lid(cluster);
    let by_guid: BTreeMap<u64, &SwitchTable> =
        tables.switches.iter().map(|table| (table.guid, table)).collect();
    let known: BTreeSet<u64> = cluster.switches.iter().filter_map(|switch| switch.guid).collect();
    if let Some(table) = tables.switches.iter().find(|table| !known.contains(&table.guid)) {
        let message = format!("the cluster has no switch 0x{:016x}", table.guid);
        return Err(source.wrong(&table.at, message, "import both files as they were at the same time"));
    }
    let hosts = cluster.hosts.len();
    let mut entries = Entries::new(cluster.switches.len(), hosts);
    for (i, switch) in cluster.switches.iter().enumerate() {
        let table = switch.guid.and_then(|guid| by_guid.get(&guid)).ok_or_else(|| {
            let message = format!("there is no table of `{}`", switch.name);
            source.whole(message, "import both files as they were at the same time")
        })?;
        let mut numbers = [None; 256];
        for (port, number) in (0..).zip(&switch.ports) {
            let at_port = cluster.host_at(ClusterEnd { node: ClusterIndex::Switch(i), port: *number });
            numbers[usize::from(*number)] = Some((port, at_port));
        }
        for (lid, port) in &table.entries {
            let Some(host) = by_lid.get(usize::from(*lid)).copied().flatten() else { continue };
            let port = numbers[usize::from(*port)];
            // A port that ends at another host leads nowhere.
            let port = port.filter(|(_, at_port)| at_port.is_none_or(|at_port| at_port == host));
            entries.set(i, host, port.map(|(port, _): (u8, _)| port));
        }
    }
    Ok(entries)
}

/// Refuses tables, which name hosts by their LIDs, beside a cluster without any.
pub(super) fn check_lids(source: SourceText<'_>, cluster: &Cluster) -> Result<(), Diagnostic> {
    if cluster.hosts.iter().any(|host| host.lid.is_some()) {
        return Ok(());
    }
    let message = "the file of the cluster has no LID of any host, by which tables name hosts";
    Err(source.whole(message, "import what `ibnetdiscover` prints once the subnet manager has run"))
}

/// Returns the hosts by LID.
pub(super) fn hosts_by_lid(cluster: &Cluster) -> Vec<Option<usize>> {
    let last = cluster.hosts.iter().filter_map(|host| host.lid).max().unwrap_or(0);
    let mut by_lid = vec![None; usize::from(last) + 1];
    for (i, lid) in cluster.hosts.iter().enumerate().filter_map(|(i, host)| Some((i, host.lid?))) {
        by_lid[usize::from(lid)] = Some(i);
    }
    by_lid
}

/// The end of a switch's paths to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Unknown,
    /// The switch is part of the path that is being followed.
    Open,
    /// Every path ends at the host.
    Host,
    /// A path ends elsewhere, or never.
    Nowhere,
}

/// Follows the tables from every switch to a host, by every port.
fn ends(topology: &Topology, entries: &Entries, host: usize) -> Vec<End> {
    let graph = topology.graph();
    let mut ends = vec![End::Unknown; graph.switches()];
    // Switches of the path, each with the number of its ports that have been followed.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..ends.len() {
        if ends[start] == End::Unknown {
            ends[start] = End::Open;
            path.push((start, 0));
        }
        while let Some((at, followed)) = path.last_mut() {
            let (at, ports) = (*at, entries.ports(*at, host));
            let node = NodeId((graph.hosts() + at) as u32);
            let Some(port) = ports.get(*followed) else {
                // All ports lead to the host, or there are none.
                ends[at] = if ports.is_empty() { End::Nowhere } else { End::Host };
                path.pop();
                continue;
            };
            let peer = graph.ports(node)[usize::from(*port)].peer;
            let end = match peer.index().checked_sub(graph.hosts()) {
                None if peer.index() == host => End::Host,
                None => End::Nowhere,
                Some(next) => ends[next],
            };
            match end {
                End::Host => *followed += 1,
                End::Unknown => {
                    let next = peer.index() - graph.hosts();
                    ends[next] = End::Open;
                    path.push((next, 0));
                }
                // A switch that is met again on the same path closes a loop.
                End::Open | End::Nowhere => {
                    ends[at] = End::Nowhere;
                    path.pop();
                }
            }
        }
    }
    ends
}

/// Returns the hosts at each leaf: paths from all of them go by its table.
fn leaves(topology: &Topology) -> BTreeMap<NodeId, Vec<NodeId>> {
    let graph = topology.graph();
    let mut leaves: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    graph.host_ids().for_each(|host| leaves.entry(graph.ports(host)[0].peer).or_default().push(host));
    leaves
}

fn reaches(topology: &Topology, ends: &[End], at: NodeId) -> bool {
    at.index().checked_sub(topology.graph().hosts()).is_some_and(|switch| ends[switch] == End::Host)
}

/// Says why a path from a switch does not reach a host.
fn reason(topology: &Topology, (entries, ends): (&Entries, &[End]), from: NodeId, host: usize) -> String {
    let graph = topology.graph();
    let mut path: Vec<NodeId> = Vec::new();
    let mut at = from;
    loop {
        if graph.is_host(at) {
            return format!("it ends at host `{}`", graph.name(at));
        }
        if let Some(first) = path.iter().position(|earlier| *earlier == at) {
            let names: Vec<_> = path[first..].iter().chain([&at]).map(|node| graph.name(*node)).collect();
            return format!("packets would go round for ever, {}", names.join(" -> "));
        }
        path.push(at);
        let ports = entries.ports(at.index() - graph.hosts(), host);
        let mut peers = ports.iter().map(|port| graph.ports(at)[usize::from(*port)].peer);
        let leads_astray = |peer: &NodeId| match peer.index().checked_sub(graph.hosts()) {
            Some(switch) => ends[switch] != End::Host,
            None => peer.index() != host,
        };
        let Some(next) = peers.find(leads_astray) else {
            return format!(
                "the entry of `{}` leads to no port with a cable, or to another host",
                graph.name(at)
            );
        };
        at = next;
    }
}

/// Returns a cycle in which packets between any two hosts could wait for each other. They take these routes, on a
/// single lane, or by tables of lanes.
pub(super) fn cycle(topology: &Topology, routes: &Routes, lanes: Option<&LaneTables>) -> Option<String> {
    let graph = topology.graph();
    let Some(lanes) = lanes.filter(|lanes| lanes.change()) else {
        return cycle_on_one_lane(topology, routes);
    };
    let mut dependencies = ChannelDependencies::with_lane_changes(graph, routes, lanes.data_lanes);
    for (to, level) in graph.host_ids().flat_map(|to| lanes.different_levels().map(move |level| (to, level)))
    {
        let from = graph.host_ids().filter(|from| *from != to);
        dependencies.add_changing(to, from, |switch, input, output| {
            Lane(lanes.lane(switch.index() - graph.hosts(), (input, output), level))
        });
    }
    dependencies.cycle().map(|cycle| spelled(topology, &cycle))
}

/// Returns a cycle of outputs in which packets could wait for each other, if lanes never change.
pub(crate) fn cycle_on_one_lane(topology: &Topology, routes: &Routes) -> Option<String> {
    let graph = topology.graph();
    let mut dependencies = ChannelDependencies::new(graph, routes, 1);
    let leaves = graph.host_ids().map(|host| graph.ports(host)[0].peer).filter(|peer| !graph.is_host(*peer));
    let leaves: BTreeSet<_> = leaves.collect();
    graph.host_ids().for_each(|to| dependencies.add(to, Lane(0), leaves.iter().copied()));
    dependencies.cycle().map(|cycle| spelled(topology, &cycle))
}

/// Names the outputs of a cycle, in order, the first again at the end.
fn spelled(topology: &Topology, cycle: &[VirtualChannel]) -> String {
    let graph = topology.graph();
    let lanes = cycle.iter().any(|channel| channel.lane != cycle[0].lane);
    let one = |channel: &VirtualChannel| {
        let output = format!(
            "`{}` port {}",
            graph.name(channel.switch),
            graph.port_number((channel.switch, channel.port))
        );
        if lanes { format!("{output} {}", channel.lane) } else { output }
    };
    cycle.iter().chain(cycle.first()).map(one).collect::<Vec<_>>().join(" -> ")
}
