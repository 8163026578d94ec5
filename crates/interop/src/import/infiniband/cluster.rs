//! Hosts, switches and cables of a cluster, from the nodes of a file.
//!
//! Invariant: both ends of a cable name each other, or only a single end is in the file. Hosts are in the order of
//! their switches and ports, switches in the order of their names; each port of an adapter is a host.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use link_layer::spec::{Speed, Width};
use packet::Mtu;
use units::Length;

use super::fabric::{IbFabric, IbNode, IbNodeKind, speed_word};
use super::names::{distinct, host_part, natural, plain};
use super::wiring::{CableEnd, Wiring};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Width and speed that ibsim gives to a link for which its net file has none (ibsim 0.10).
const ASSUMED: (Width, Speed) = (Width::X4, Speed::Sdr);

/// Part of the name of adapters within switches, which reduce collectives.
const AGGREGATOR: &str = "Aggregation Node";

/// A cluster as it can be simulated, and what of the file it lacks.
pub(super) struct Cluster {
    pub(super) hosts: Vec<ClusterNode>,
    pub(super) switches: Vec<ClusterNode>,
    /// The cables, by the host or the switch that comes first, and its port.
    pub(super) cables: Vec<ClusterCable>,
    /// The hosts at ports of switches.
    at_ports: BTreeMap<ClusterEnd, usize>,
    pub(super) left_out: LeftOut,
    /// Numbers of ports by their MTU, where the file has it.
    pub(super) mtus: BTreeMap<Mtu, usize>,
}

/// A host, which is a port of an adapter, or a switch.
pub(super) struct ClusterNode {
    pub(super) name: String,
    /// GUID of the node; in files that name ports only, the GUID of a host's port.
    pub(super) guid: Option<u64>,
    /// GUID of a host's port.
    pub(super) port_guid: Option<u64>,
    pub(super) lid: Option<u16>,
    /// Numbers of the ports with cables, in order.
    pub(super) ports: Vec<u16>,
    /// Numbers of the ports without.
    pub(super) down: Vec<u16>,
}

/// A cable between two nodes of the scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterCable {
    pub(super) ends: [ClusterEnd; 2],
    pub(super) speed: (Width, Speed),
    /// Its length, if the file has it.
    pub(super) length: Option<Length>,
}

impl ClusterCable {
    /// Returns true if the cable joins two switches.
    pub(super) fn is_trunk(&self) -> bool {
        self.ends.iter().all(|end| matches!(end.node, ClusterIndex::Switch(_)))
    }

    /// Returns the name of the cable's kind: its width and speed, its place, and its length if the file has it.
    pub(super) fn kind(&self) -> String {
        let word = speed_word(self.speed);
        let word = if self.is_trunk() { format!("{word} trunk") } else { word };
        self.length.map_or(word.clone(), |length| format!("{word} {length}"))
    }
}

/// An end of a cable: a node, and the number of its port in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClusterEnd {
    pub(super) node: ClusterIndex,
    pub(super) port: u16,
}

/// Index of a node in its list. Hosts come before switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClusterIndex {
    Host(usize),
    Switch(usize),
}

/// A node or port of the file that the scenario lacks or has differently, and its place.
pub(super) type Named = (String, Range<usize>);

/// Parts of the file that the scenario lacks, or has differently.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) routers: Vec<Named>,
    pub(super) aggregators: Vec<Named>,
    /// Adapters with cables at several ports.
    pub(super) several_ports: Vec<Named>,
    /// Hosts with an LMC over 0.
    pub(super) several_lids: Vec<Named>,
    /// Adapters without a cable.
    pub(super) unconnected: Vec<Named>,
    /// Number of links without a width and a speed.
    pub(super) without_speed: usize,
    /// Cables of two lengths, in words.
    pub(super) two_lengths: Vec<String>,
    /// Number of names that were made to differ.
    pub(super) renamed: usize,
    /// Cables of two widths or speeds, by their later ends.
    pub(super) two_speeds: Vec<Named>,
    /// Nodes with the LID of an earlier node.
    pub(super) same_lid: Vec<Named>,
    /// Nodes with the GUID of an earlier node.
    pub(super) same_guid: Vec<Named>,
    /// Number of adapters named by their host alone.
    pub(super) by_host: usize,
}

impl Cluster {
    /// Checks the nodes of a file against each other, and puts them in order. `speed` is the speed of links that name
    /// none.
    pub(super) fn new(
        source: SourceText<'_>,
        fabric: &IbFabric,
        speed: Option<(Width, Speed)>,
    ) -> Result<Self, Diagnostic> {
        let wiring = Wiring::new(source, fabric)?;
        let mut left_out = LeftOut::default();
        let kept: Vec<_> = fabric.nodes.iter().map(|node| left_out.keeps(node)).collect();
        let order = Order::new(fabric, &wiring, &kept);
        let mut named = order.names(fabric, &mut left_out);
        left_out.renamed = distinct(&mut named);
        let mut names = named.into_iter().map(|(name, _)| name);
        let host = |(end, name): (&CableEnd, String)| host_node(fabric, *end, name);
        let mut hosts: Vec<_> = order.hosts.iter().zip(names.by_ref()).map(host).collect();
        let switch = |(node, name): (&usize, String)| switch_node(fabric, (*node, name), (&wiring, &kept));
        let mut switches: Vec<_> = order.switches.iter().zip(names).map(switch).collect();
        let cables = order.cables((fabric, &wiring), &kept, speed.unwrap_or(ASSUMED), &mut left_out);
        left_out.find_lids(fabric, &order);
        left_out.two_speeds.clone_from(&wiring.unlike);
        let places = order.hosts.iter().map(|end| end.node).chain(order.switches.iter().copied());
        let places = places.map(|node| fabric.nodes[node].at.clone());
        left_out.make_addresses_differ((&mut hosts, &mut switches), places);
        if hosts.len() < 2 {
            let message = format!("the file has {} of the hosts that a network needs", hosts.len());
            return Err(source.whole(message, "write the file of a subnet with at least two"));
        }
        let at_port = |cable: &ClusterCable| match cable.ends {
            [ClusterEnd { node: ClusterIndex::Host(host), .. }, end] => Some((end, host)),
            [ClusterEnd { node: ClusterIndex::Switch(_), .. }, _] => None,
        };
        let at_ports = cables.iter().filter_map(at_port).collect();
        Ok(Self { hosts, switches, cables, at_ports, left_out, mtus: fabric.mtus.clone() })
    }

    /// Returns the host at a port of a switch.
    pub(super) fn host_at(&self, end: ClusterEnd) -> Option<usize> {
        self.at_ports.get(&end).copied()
    }

    /// Returns the MTU of links: the least of the ports, and 4 KiB if the file has none.
    pub(super) fn mtu(&self) -> Mtu {
        self.mtus.keys().next().copied().unwrap_or(Mtu::K4)
    }

    /// Describes the cables with another width or speed than most at their switch, among its cables to hosts or those
    /// to switches: often a cable that has trained badly.
    pub(super) fn unlike_siblings(&self) -> Vec<String> {
        let mut siblings: BTreeMap<(ClusterIndex, bool), Vec<(usize, ClusterEnd)>> = BTreeMap::new();
        for (i, cable) in self.cables.iter().enumerate() {
            for end in cable.ends.iter().filter(|end| matches!(end.node, ClusterIndex::Switch(_))) {
                siblings.entry((end.node, cable.is_trunk())).or_default().push((i, *end));
            }
        }
        let mut unlike = BTreeMap::new();
        for ((switch, is_trunk), cables) in siblings {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            let word = |i: usize| speed_word(self.cables[i].speed);
            cables.iter().for_each(|(i, _)| *counts.entry(word(*i)).or_default() += 1);
            let Some((most, _)) = counts.into_iter().find(|(_, count)| 2 * count > cables.len()) else {
                continue;
            };
            for (i, end) in cables.iter().filter(|(i, _)| word(*i) != most) {
                let far = self.cables[*i].ends.iter().find(|far| *far != end).expect("a cable has two ends");
                let (name, to) = (&self.node(switch).name, &self.node(far.node).name);
                let others = if is_trunk { "switches" } else { "hosts" };
                let text = format!(
                    "`{name}` port {} to `{to}` is {}, most of its cables to {others} {most}",
                    end.port,
                    word(*i)
                );
                unlike.entry(*i).or_insert(text);
            }
        }
        unlike.into_values().collect()
    }

    pub(super) fn node(&self, index: ClusterIndex) -> &ClusterNode {
        match index {
            ClusterIndex::Host(host) => &self.hosts[host],
            ClusterIndex::Switch(switch) => &self.switches[switch],
        }
    }
}

impl LeftOut {
    /// Returns true if the node can be simulated, and notes others.
    fn keeps(&mut self, node: &IbNode) -> bool {
        let named = || (shown_name(node), node.at.clone());
        match node.kind {
            IbNodeKind::Router => self.routers.push(named()),
            IbNodeKind::Adapter if node.name.as_ref().is_some_and(|name| name.contains(AGGREGATOR)) => {
                self.aggregators.push(named());
            }
            IbNodeKind::Adapter | IbNodeKind::Switch => return true,
        }
        false
    }

    /// Takes LIDs and GUIDs that an earlier node has from later nodes: exports need them to differ, and only ports of
    /// an adapter may share a node's GUID.
    fn make_addresses_differ(
        &mut self,
        (hosts, switches): (&mut [ClusterNode], &mut [ClusterNode]),
        places: impl Iterator<Item = Range<usize>>,
    ) {
        let mut lids = BTreeSet::new();
        let (mut nodes, mut ports) = (BTreeMap::<u64, Vec<Option<u16>>>::new(), BTreeSet::new());
        let of_hosts = hosts.iter_mut().map(|host| (true, host));
        let all = of_hosts.chain(switches.iter_mut().map(|switch| (false, switch)));
        for ((is_host, node), at) in all.zip(places) {
            if node.lid.is_some_and(|lid| !lids.insert(lid)) {
                node.lid = None;
                self.same_lid.push((node.name.clone(), at.clone()));
            }
            let Some(guid) = node.guid else { continue };
            let number = Some(node.ports.first().copied().unwrap_or(1)).filter(|_| is_host);
            let of_port = node.port_guid.unwrap_or_else(|| guid.wrapping_add(u64::from(number.unwrap_or(0))));
            let known = nodes.entry(guid).or_default();
            let is_other_port =
                number.is_some() && known.iter().all(|other| other.is_some() && *other != number);
            if (known.is_empty() || is_other_port) && ports.insert(of_port) {
                known.push(number);
            } else {
                (node.guid, node.port_guid) = (None, None);
                self.same_guid.push((node.name.clone(), at));
            }
        }
    }

    /// Notes the hosts with several LIDs.
    fn find_lids(&mut self, fabric: &IbFabric, order: &Order) {
        for end in &order.hosts {
            let node = &fabric.nodes[end.node];
            let port = node.links.iter().find(|port| port.number == end.port && port.lmc > 0);
            self.several_lids.extend(port.map(|port| (shown_name(node), port.at.clone())));
        }
    }
}

/// The order of hosts and switches, as indices of the file's nodes.
struct Order {
    /// Ports of adapters with cables.
    hosts: Vec<CableEnd>,
    switches: Vec<usize>,
    index: BTreeMap<CableEnd, ClusterIndex>,
}

impl Order {
    fn new(fabric: &IbFabric, wiring: &Wiring, kept: &[bool]) -> Self {
        let of_kind = |kind| {
            let all = fabric.nodes.iter().enumerate();
            all.filter(move |(i, node)| kept[*i] && node.kind == kind).map(|(i, _)| i)
        };
        let mut switches: Vec<_> = of_kind(IbNodeKind::Switch).collect();
        let key = |i: &usize| (plain(&shown_name(&fabric.nodes[*i])), fabric.nodes[*i].guid);
        switches.sort_by_cached_key(|i| NaturalKey(key(i)));
        let is_host = |end: &CableEnd| kept[end.node] && fabric.nodes[end.node].kind == IbNodeKind::Adapter;
        let at_switches = switches.iter().flat_map(|switch| wiring.of(*switch)).map(|(_, far)| far);
        let mut hosts: Vec<_> = at_switches.filter(is_host).collect();
        let known: BTreeSet<_> = hosts.iter().copied().collect();
        let others = of_kind(IbNodeKind::Adapter).flat_map(|node| wiring.of(node));
        let others = others.filter(|(near, far)| is_host(far) && !known.contains(near));
        hosts.extend(others.map(|(near, _)| near));
        let mut index: BTreeMap<CableEnd, ClusterIndex> = BTreeMap::new();
        index.extend(hosts.iter().enumerate().map(|(i, end)| (*end, ClusterIndex::Host(i))));
        for (i, switch) in switches.iter().enumerate() {
            index.extend(wiring.of(*switch).map(|(near, _)| (near, ClusterIndex::Switch(i))));
        }
        Self { hosts, switches, index }
    }

    /// Returns the names of hosts, then of switches, each with what tells it from others of that name.
    fn names(&self, fabric: &IbFabric, left_out: &mut LeftOut) -> Vec<(String, String)> {
        let mut ports: BTreeMap<usize, usize> = BTreeMap::new();
        self.hosts.iter().for_each(|end| *ports.entry(end.node).or_default() += 1);
        for (i, node) in fabric.nodes.iter().enumerate() {
            let named = (shown_name(node), node.at.clone());
            match ports.get(&i) {
                Some(2..) => left_out.several_ports.push(named),
                None if node.kind == IbNodeKind::Adapter
                    && !node.links.iter().any(|port| port.peer.is_some()) =>
                {
                    left_out.unconnected.push(named);
                }
                Some(_) | None => {}
            }
        }
        let by_host = self.by_host(fabric, ports.keys().copied());
        left_out.by_host = by_host.len();
        let name = |node: usize, port: Option<u16>| {
            let IbNode { guid, .. } = fabric.nodes[node];
            let name = by_host.get(&node).cloned().unwrap_or_else(|| plain(&shown_name(&fabric.nodes[node])));
            let name = port.map_or(name.clone(), |port| format!("{name}/{port}"));
            (name, guid.map_or(String::new(), |guid| format!("{guid:016x}")))
        };
        let hosts =
            self.hosts.iter().map(|end| name(end.node, Some(end.port).filter(|_| ports[&end.node] > 1)));
        hosts.chain(self.switches.iter().map(|switch| name(*switch, None))).collect()
    }

    /// Returns the names of hosts for adapters that are named after them, where no other node has such a name.
    fn by_host(&self, fabric: &IbFabric, adapters: impl Iterator<Item = usize>) -> BTreeMap<usize, String> {
        let full = |node: usize| plain(&shown_name(&fabric.nodes[node]));
        let mut hosts = BTreeMap::new();
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for name in self.switches.iter().map(|switch| full(*switch)) {
            *taken.entry(name).or_default() += 1;
        }
        for node in adapters {
            let name = full(node);
            let host = host_part(&name).map(str::to_owned);
            *taken.entry(host.clone().unwrap_or(name)).or_default() += 1;
            hosts.extend(host.map(|host| (node, host)));
        }
        hosts.retain(|_, host| taken[host] == 1);
        hosts
    }

    /// Returns the cables between nodes of the scenario.
    fn cables(
        &self,
        (fabric, wiring): (&IbFabric, &Wiring),
        kept: &[bool],
        assumed: (Width, Speed),
        left_out: &mut LeftOut,
    ) -> Vec<ClusterCable> {
        let mut cables = Vec::new();
        for (near, far, speed) in wiring.cables() {
            if !kept[near.node] || !kept[far.node] {
                continue;
            }
            left_out.without_speed += usize::from(speed.is_none());
            let end = |end: CableEnd| ClusterEnd { node: self.index[&end], port: end.port };
            let mut ends = [end(near), end(far)];
            ends.sort_unstable();
            let length = |end: CableEnd| fabric.lengths.get(&(fabric.nodes[end.node].id.clone(), end.port));
            let lengths = [length(near), length(far)];
            if let [Some(one), Some(other)] = lengths
                && one != other
            {
                left_out
                    .two_lengths
                    .push(format!("{one} and {other} at `{}`", shown_name(&fabric.nodes[near.node])));
            }
            // With the longer no headroom or credit is taken for enough that is not.
            let length = lengths.into_iter().flatten().max().copied();
            cables.push(ClusterCable { ends, speed: speed.unwrap_or(assumed), length });
        }
        cables.sort_unstable_by_key(|cable| cable.ends);
        cables
    }
}

/// Returns the host at the port of an adapter.
fn host_node(fabric: &IbFabric, end: CableEnd, name: String) -> ClusterNode {
    let node = &fabric.nodes[end.node];
    let port = node.links.iter().find(|port| port.number == end.port);
    ClusterNode {
        name,
        guid: node.guid,
        port_guid: port.and_then(|port| port.guid),
        lid: port.and_then(|port| port.lid),
        ports: vec![end.port],
        down: Vec::new(),
    }
}

fn switch_node(
    fabric: &IbFabric,
    (node, name): (usize, String),
    (wiring, kept): (&Wiring, &[bool]),
) -> ClusterNode {
    let IbNode { guid, lid, ports: all, .. } = fabric.nodes[node];
    let joined = wiring.of(node).filter(|(_, far)| kept[far.node]);
    let ports: Vec<_> = joined.map(|(near, _)| near.port).collect();
    let cabled: BTreeSet<_> = wiring.of(node).map(|(near, _)| near.port).collect();
    let down = (1..=all).filter(|port| !cabled.contains(port)).collect();
    ClusterNode { name, guid, port_guid: None, lid, ports, down }
}

/// A name and a GUID, in the order of switches.
#[derive(PartialEq, Eq)]
struct NaturalKey((String, Option<u64>));

impl Ord for NaturalKey {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        natural(&self.0.0, &other.0.0).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for NaturalKey {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the name of a node: its description, or else its name in the file.
fn shown_name(node: &IbNode) -> String {
    node.name.clone().unwrap_or_else(|| node.id.clone())
}
