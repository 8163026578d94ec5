//! Matrices of triggers that are a closed loop: every host of a group sends to one host after the other, each time when
//! the message before is complete (`gen_serial_alltoall.py`).
//!
//! Invariant: a matrix is taken for such a loop only if all of its connections are part of it: the same as given.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use topology::{CustomFabric, LinkEnds, TopologySpec};
use units::Span;

use super::Fabric;
use super::matrix::{HtsimConnection, HtsimMatrix, TriggerKind};

/// Hosts that send to each other, in the order in which each goes on from itself.
pub(super) struct Group {
    hosts: Vec<u64>,
}

/// Returns the groups of a closed loop; `None` if a matrix is anything else.
pub(super) fn groups(matrix: &HtsimMatrix) -> Option<Vec<Group>> {
    let first = matrix.connections.first()?;
    let alike = |own: &HtsimConnection| {
        let alone = !own.is_message && own.others.is_empty();
        own.size == first.size && own.prio == first.prio.filter(|prio| *prio == 0) && alone
    };
    if matrix.triggers.is_empty() || !matrix.connections.iter().all(alike) {
        return None;
    }
    let mut chains: BTreeMap<u64, Vec<&HtsimConnection>> = BTreeMap::new();
    for own in &matrix.connections {
        chains.entry(own.from).or_default().push(own);
    }
    let once = matrix.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::Oneshot);
    let oneshots: BTreeSet<u64> = once.map(|trigger| trigger.id).collect();
    let fires = |own: &HtsimConnection| own.sent.or(own.received);
    let fired: Vec<u64> = matrix.connections.iter().filter_map(fires).collect();
    let both = matrix.connections.iter().any(|own| own.sent.is_some() && own.received.is_some());
    if both || oneshots.len() != matrix.triggers.len() || fired.len() != oneshots.len() {
        return None;
    }
    // Each trigger is fired by one connection, and starts the next of the same host.
    let chained = |chain: &Vec<&HtsimConnection>| {
        chain[0].start == first.start
            && chain[0].start.is_some()
            && chain.last().is_some_and(|last| fires(last).is_none())
            && chain.windows(2).all(|pair| {
                fires(pair[0]).is_some_and(|id| pair[1].trigger == Some(id) && oneshots.contains(&id))
            })
    };
    if !chains.values().all(chained) || fired.iter().collect::<BTreeSet<_>>().len() != fired.len() {
        return None;
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut done = BTreeSet::new();
    // In the order of the file: the group's first host is that of its first connection.
    for own in &matrix.connections {
        if done.contains(&own.from) {
            continue;
        }
        let cycle: Vec<u64> =
            [own.from].into_iter().chain(chains[&own.from].iter().map(|one| one.to)).collect();
        if !is_cycle(&cycle, &chains) || cycle.iter().any(|host| !done.insert(*host)) {
            return None;
        }
        groups.push(Group { hosts: cycle });
    }
    Some(groups)
}

/// Returns true if each of these hosts sends to all others, in this order from itself on.
fn is_cycle(hosts: &[u64], chains: &BTreeMap<u64, Vec<&HtsimConnection>>) -> bool {
    hosts.iter().enumerate().all(|(place, host)| {
        let rest = hosts[place + 1..].iter().chain(&hosts[..place]);
        chains.get(host).is_some_and(|chain| chain.iter().map(|own| &own.to).eq(rest))
    })
}

/// Returns a fat tree that has its hosts in the order of the groups: the tree, or the same node by node.
pub(super) fn topology(tree: &Fabric, groups: &[Group], nodes: u64) -> Fabric {
    let Fabric::Tree(spec) = tree else { return tree.clone() };
    let in_order = |group: &Group| {
        let falls = group.hosts.windows(2).filter(|pair| pair[0] > pair[1]).count();
        falls == 0 || (falls == 1 && group.hosts.last() < group.hosts.first())
    };
    if groups.iter().all(in_order) {
        return tree.clone();
    }
    let kinds = [spec.host_cable.as_str(), spec.trunk_cable.as_str()];
    // A tree that cannot be built is refused when the scenario is checked, with its own message.
    let Ok(built) = TopologySpec::FatTree(spec.clone()).build(&kinds) else { return tree.clone() };
    let graph = built.graph();
    let mut order: Vec<u64> = groups.iter().flat_map(|group| group.hosts.iter().copied()).collect();
    let named: BTreeSet<u64> = order.iter().copied().collect();
    order.extend((0..nodes).filter(|host| !named.contains(host)));
    let name = |node| graph.name(node).to_owned();
    let mut links = Vec::new();
    for node in graph.host_ids().chain(graph.switch_ids()) {
        for end in graph.ports(node).iter().filter(|end| end.peer.0 > node.0) {
            let cable = kinds[end.cable].to_owned();
            links.push(LinkEnds {
                from: name(node),
                to: name(end.peer),
                cable,
                from_port: None,
                to_port: None,
            });
        }
    }
    let hosts = order.iter().map(|host| format!("h{}", host + 1)).collect();
    let switches = graph.switch_ids().map(name).collect();
    Fabric::Custom(CustomFabric { hosts, switches, links })
}

/// Writes a pattern for each group.
pub(super) fn traffic(groups: &[Group], matrix: &HtsimMatrix, start: Span) -> String {
    let size = matrix.connections.first().map_or(0, |own| own.size);
    let mut text = String::new();
    for group in groups {
        let names: Vec<_> = group.hosts.iter().map(|host| format!("\"h{}\"", host + 1)).collect();
        let names = names.join(", ");
        write!(
            text,
            "\n        Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 1), size: Fixed(\"{size} B\"), messages: {}, \
             start: \"{start}\", senders: [{names}], receivers: [{names}]),",
            group.hosts.len() - 1
        )
        .expect("a string takes it");
    }
    text + "\n    "
}
