//! Forwarding tables in the form of `dump_lfts.sh`, as `opensm -R file -U FILE` takes them.
//!
//! Invariant: the entry for a host is the plan's own. A plan has no entries for switches. The written entries lead to
//! them without a loop. The way to a switch with hosts is the way to its first host. Else it has the fewest links, by
//! the port of the lowest number.
//!
//! ```text
//! Unicast lids [0-7] of switch Lid 6 guid 0x0200000000000600 ('S1'):
//! 0x0001 001 # Channel Adapter portguid 0x0200000000000101: 'H1'
//! 0x0006 000 # Switch portguid 0x0200000000000600: 'S1'
//! ```
//!
//! OpenSM finds the LID of a `portguid` that it knows, so that the tables stay right if it gives other LIDs.

use core::fmt::Write;
use std::collections::VecDeque;

use packet::{NodeId, PortId};

use super::account::ValueAccount;
use super::addresses::Addresses;
use super::error::ExportError;
use super::ibsim::{names, only_infiniband};
use scenario::Plan;

/// The forwarding tables of a plan, to be written switch by switch. The tables of thousands of hosts fill gigabytes.
#[derive(Clone, Debug)]
pub struct TablesExport<'a> {
    plan: &'a Plan,
    addresses: &'a Addresses,
    names: Vec<String>,
    /// Nodes in the order of their LIDs.
    order: Vec<NodeId>,
    /// First ports towards each switch, by target and switch.
    to_switches: Vec<Vec<Option<PortId>>>,
    /// Values that the tables hold differently or not at all.
    pub account: Vec<ValueAccount>,
}

/// Prepares the tables.
///
/// # Errors
/// If the plan is not InfiniBand's, or has several ports for a host.
pub fn export<'a>(plan: &'a Plan, addresses: &'a Addresses) -> Result<TablesExport<'a>, ExportError> {
    only_infiniband("lfts", plan)?;
    let (graph, routes) = (plan.graph(), plan.routes());
    for switch in graph.switch_ids() {
        if let Some(host) = graph.host_ids().find(|host| routes.ports(switch, *host).nth(1).is_some()) {
            let (switch, host) = (graph.name(switch).to_owned(), graph.name(host).to_owned());
            return Err(ExportError::SeveralPorts { switch, host });
        }
    }
    let mut account: Vec<ValueAccount> = addresses.account().into_iter().collect();
    let names = names(plan, &mut account);
    account.extend(beside(plan));
    let to_switches = graph.switch_ids().map(|target| towards(plan, target)).collect();
    Ok(TablesExport { plan, addresses, names, order: addresses.by_lid(), to_switches, account })
}

/// Enters the parts of routes that a table of ports does not hold.
fn beside(plan: &Plan) -> Vec<ValueAccount> {
    let layers = plan.routes().layers();
    let detours = plan.routes().detours().map(|_| {
        let routing = plan.scenario().routing.word();
        let why = "a table has ports of minimal routes alone";
        ValueAccount::left_out("routing", format!("detours and lanes of `{routing}`"), why)
    });
    let levels = (layers > 1 && detours.is_none()).then(|| {
        let why = "a table has ports alone: a path's service level is the subnet manager's answer (OpenSM: torus-2QoS, dfsssp)";
        ValueAccount::left_out("routing", format!("service levels by path, for {layers} layers"), why)
    });
    let lanes = plan.nodes().change_lanes().then(|| {
        let why = "a table has ports alone: lanes by input and output are tables of their own (SL-to-VL)";
        ValueAccount::left_out("sl_to_vl", "changes of lane under way", why)
    });
    levels.into_iter().chain(lanes).chain(detours).collect()
}

/// Returns the first port towards a switch, by switch.
fn towards(plan: &Plan, target: NodeId) -> Vec<Option<PortId>> {
    let (graph, routes) = (plan.graph(), plan.routes());
    let place = |node: NodeId| node.index() - graph.hosts();
    let host = graph.ports(target).iter().map(|end| end.peer).find(|peer| graph.is_host(*peer));
    let mut first: Vec<Option<PortId>> = vec![None; graph.switches()];
    let mut distance = vec![u32::MAX; graph.switches()];
    distance[place(target)] = 0;
    let mut queue = VecDeque::from([target]);
    while let Some(at) = queue.pop_front() {
        for end in graph.ports(at).iter().filter(|end| !graph.is_host(end.peer)) {
            let there = place(end.peer);
            if distance[there] == u32::MAX {
                distance[there] = distance[place(at)] + 1;
                queue.push_back(end.peer);
            }
            // Every neighbour at this distance is asked again, so that the lowest port wins whatever the order of
            // cables.
            if distance[there] == distance[place(at)] + 1 {
                first[there] = Some(first[there].map_or(end.peer_port, |port| port.min(end.peer_port)));
            }
        }
    }
    for switch in graph.switch_ids().filter(|switch| *switch != target) {
        // A switch with hosts is the last on the way to its first host, so the plan's own routes lead there.
        let as_host = host.and_then(|host| routes.output(switch, host));
        first[place(switch)] = as_host.or(first[place(switch)]);
    }
    first
}

impl TablesExport<'_> {
    /// Returns the tables of the switches, each as text.
    pub fn tables(&self) -> impl Iterator<Item = String> {
        self.plan.graph().switch_ids().map(|switch| self.table(switch))
    }

    fn table(&self, switch: NodeId) -> String {
        let graph = self.plan.graph();
        let address = self.addresses.node(switch);
        let last = self.order.last().map_or(0, |node| self.addresses.node(*node).lid);
        let mut text = format!(
            "Unicast lids [0-{last}] of switch Lid {} guid 0x{:016x} ('{}'):\n",
            address.lid,
            address.guid,
            self.names[switch.index()]
        );
        let mut count = 0;
        for node in &self.order {
            let Some(port) = self.output(switch, *node) else { continue };
            let kind = if graph.is_host(*node) { "Channel Adapter" } else { "Switch" };
            let to = self.addresses.node(*node);
            let name = &self.names[node.index()];
            writeln!(text, "0x{:04x} {port:03} # {kind} portguid 0x{:016x}: '{name}'", to.lid, to.port_guid)
                .expect("a string takes it");
            count += 1;
        }
        writeln!(text, "{count} lids dumped").expect("a string takes it");
        text
    }

    /// Returns the number of the port towards a node: 0 for the switch itself.
    fn output(&self, switch: NodeId, to: NodeId) -> Option<u16> {
        if switch == to {
            return Some(0);
        }
        let graph = self.plan.graph();
        let port = if graph.is_host(to) {
            self.plan.routes().output(switch, to)
        } else {
            self.to_switches[to.index() - graph.hosts()][switch.index() - graph.hosts()]
        };
        port.map(|port| self.addresses.port(switch, port))
    }
}
