//! The tables beside an imported cluster: `nodes.csv` and `ports.csv`.
//!
//! Invariant: a table fits the plan node by node and cable by cable, or is refused.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use names::csv;
use packet::{Lid, NodeId, PortId};

use super::{Addresses, NodeAddress, assigned_guid, removed};
use crate::import::SourceText;
use crate::import::source::{Part, decimal, hex};
use scenario::Diagnostic;
use scenario::Plan;

/// Largest unicast LID (IBA 4.1.3).
const LAST_LID: u16 = Lid::MAX_UNICAST.0 as u16;
const OF_NODES: &str = "name,kind,guid,port_guid,lid";
const OF_PORTS: &str = "switch,port,state,peer,peer_port,speed";
pub(in crate::export) const REMEDY: &str = "import the cluster again, or leave the tables out: `--assigned`";

/// Row of a table.
pub(in crate::export) struct Row {
    pub(in crate::export) cells: Vec<String>,
    pub(in crate::export) at: Range<usize>,
}

/// What `nodes.csv` says of a node.
#[derive(Clone)]
struct Given {
    at: Range<usize>,
    guid: Option<u64>,
    port_guid: Option<u64>,
    lid: Option<u16>,
}

/// Numbers of a node's ports, as far as they are known.
#[derive(Clone, Default)]
struct Numbers {
    /// Number and far end, in the order of the complete fabric's ports: the node's name, and the number there.
    up: Vec<(u16, (String, u16), Range<usize>)>,
    last: u16,
}

/// Reads both tables.
pub(super) fn read(
    plan: &Plan,
    nodes: SourceText<'_>,
    ports: SourceText<'_>,
) -> Result<Addresses, Diagnostic> {
    let given = read_nodes(plan, nodes)?;
    let numbers = read_ports(plan, ports)?;
    let mut taken: BTreeSet<u16> = given.iter().filter_map(|given| given.lid).collect();
    let mut free = 1..=LAST_LID;
    let graph = plan.graph();
    let mut assigned = 0;
    let mut addresses = Vec::with_capacity(given.len());
    for (index, given) in given.iter().enumerate() {
        let node = NodeId(index as u32);
        let lid = given.lid.or_else(|| free.find(|lid| !taken.contains(lid)));
        let lid = lid.ok_or_else(|| nodes.whole("no LID is left for nodes without one", REMEDY))?;
        taken.insert(lid);
        let (own_ports, last_port) = if graph.is_host(node) {
            let number = host_port(plan, &numbers, node);
            (vec![number], number)
        } else {
            let Numbers { up, last } = &numbers[index];
            (up.iter().map(|(number, ..)| *number).collect(), *last)
        };
        let guid = given.guid.unwrap_or_else(|| assigned_guid(lid));
        let of_port = if graph.is_host(node) { guid + u64::from(last_port) } else { guid };
        let own_port = !graph.is_host(node) || given.port_guid.is_some();
        let complete = given.guid.is_some() && given.lid.is_some() && own_port;
        assigned += usize::from(!complete);
        let port_guid = given.port_guid.unwrap_or(of_port);
        addresses.push(NodeAddress { guid, port_guid, lid, ports: own_ports, last_port });
    }
    check_guids(plan, &addresses).map_err(|(node, message)| {
        let help =
            "give each node a GUID of its own; only ports of one adapter have the same, and other numbers";
        nodes.wrong(&given[node].at, message, help)
    })?;
    let all = addresses.len();
    Ok(Addresses { nodes: addresses, assigned: (assigned, all) })
}

/// Checks that only hosts have a GUID in common, as ports of the same adapter with different numbers. Ports must have
/// GUIDs of their own. An error has the index of the later node.
fn check_guids(plan: &Plan, addresses: &[NodeAddress]) -> Result<(), (usize, String)> {
    let graph = plan.graph();
    let name = |node: usize| graph.name(NodeId(node as u32));
    let (mut of_nodes, mut of_ports) = (BTreeMap::new(), BTreeMap::new());
    for (index, NodeAddress { guid, port_guid, last_port, .. }) in addresses.iter().enumerate() {
        let known: &mut Vec<(usize, Option<u16>)> = of_nodes.entry(guid).or_default();
        let port = Some(*last_port).filter(|_| graph.is_host(NodeId(index as u32)));
        let same = known.iter().find(|(_, other)| port.is_none() || other.is_none() || *other == port);
        if let Some((other, of_other)) = same {
            let (own, other) = (name(index), name(*other));
            let two_hosts = port.is_some() && of_other.is_some();
            let what = if two_hosts { "the GUID and the number of port" } else { "the GUID" };
            return Err((index, format!("`{own}` has {what} of `{other}`: 0x{guid:016x}")));
        }
        known.push((index, port));
        if let Some(other) = of_ports.insert(port_guid, index) {
            let (own, other) = (name(index), name(other));
            return Err((
                index,
                format!("the port of `{own}` has the GUID of that of `{other}`: 0x{port_guid:016x}"),
            ));
        }
    }
    Ok(())
}

/// Returns the number of a host's port: that at the far end of its cable's row.
fn host_port(plan: &Plan, numbers: &[Numbers], host: NodeId) -> u16 {
    let (switch, port) = plan.graph().far_end((host, PortId(0)));
    let row = numbers[switch.index()].up.get(port.index());
    row.map_or(1, |(_, (_, number), _)| *number)
}

/// Reads `nodes.csv`: the addresses of each node of the plan.
fn read_nodes(plan: &Plan, source: SourceText<'_>) -> Result<Vec<Given>, Diagnostic> {
    let graph = plan.graph();
    let mut given: Vec<Option<Given>> = vec![None; graph.nodes()];
    let mut lids: BTreeMap<u16, String> = BTreeMap::new();
    for Row { cells, at } in rows(source, OF_NODES)? {
        let wrong = |message: String, help: &str| Err(source.wrong(&at, message, help));
        let [name, kind, guid, port_guid, lid] = &cells[..] else { unreachable!("a row has all cells") };
        let Some(node) = graph.find(name) else {
            return wrong(format!("the scenario has no node `{name}`"), REMEDY);
        };
        if !["host", "switch"].contains(&kind.as_str()) {
            return wrong(format!("`{kind}` is no kind of node"), "write `host` or `switch`");
        }
        if kind != if graph.is_host(node) { "host" } else { "switch" } {
            return wrong(format!("`{name}` is no {kind} in the scenario"), REMEDY);
        }
        let number = |text: &str| if text.is_empty() { Ok(None) } else { hex(text).map(Some).ok_or(()) };
        let (Ok(guid), Ok(port_guid)) = (number(guid), number(port_guid)) else {
            return wrong("a GUID is no number".to_owned(), "write hexadecimal digits: `0x0002c90300000100`");
        };
        let lid = match lid.as_str() {
            "" => None,
            text => match decimal(text).filter(|lid| (1..=LAST_LID).contains(lid)) {
                Some(lid) => Some(lid),
                None => return wrong(format!("`{text}` is not a LID"), "write 1 to 49151"),
            },
        };
        if let Some(other) = lid.and_then(|lid| lids.insert(lid, name.clone())) {
            return wrong(format!("`{name}` has the LID of `{other}`"), "give each node a LID of its own");
        }
        if given[node.index()].replace(Given { at: at.clone(), guid, port_guid, lid }).is_some() {
            return wrong(format!("`{name}` has a second row"), "give each node one row");
        }
    }
    let missing = given.iter().position(Option::is_none);
    if let Some(missing) = missing {
        let name = graph.name(NodeId(missing as u32));
        return Err(source.whole(format!("node `{name}` of the scenario has no row"), REMEDY));
    }
    Ok(given.into_iter().flatten().collect())
}

/// Reads `ports.csv`: the numbers of the ports of each switch, compared with the plan's cables.
fn read_ports(plan: &Plan, source: SourceText<'_>) -> Result<Vec<Numbers>, Diagnostic> {
    let graph = plan.graph();
    let mut numbers = vec![Numbers::default(); graph.nodes()];
    for Row { cells, at } in rows(source, OF_PORTS)? {
        let [switch, number, state, peer, peer_port, _] = &cells[..] else {
            unreachable!("a row has all cells")
        };
        let node = graph.find(switch).filter(|node| !graph.is_host(*node));
        let Some(node) = node else {
            return Err(source.wrong(&at, format!("the scenario has no switch `{switch}`"), REMEDY));
        };
        let port = |text: &str| decimal(text).filter(|port| (1..=254).contains(port));
        let up = state == "up";
        let (number, far) = (port(number), if up { port(peer_port) } else { Some(0) });
        let (Some(number), Some(far)) = (number, far) else {
            let help = "write numbers of ports, 1 to 254, and the state, `up` or `down`";
            return Err(source.wrong(&at, "a number of this row is not that of a port", help));
        };
        let own = &mut numbers[node.index()];
        own.last = own.last.max(number);
        if up {
            own.up.push((number, (peer.clone(), far), at));
        }
    }
    drop_removed(plan, &mut numbers);
    for node in graph.switch_ids() {
        compare(plan, (source, &numbers), node)?;
    }
    Ok(numbers)
}

/// Drops the ports that lose their cables in the scenario.
fn drop_removed(plan: &Plan, numbers: &mut [Numbers]) {
    let gone = removed(plan);
    for (index, own) in numbers.iter_mut().enumerate() {
        let mut ports = (0..).map(PortId);
        own.up.retain(|_| ports.next().is_some_and(|port| !gone.contains(&(NodeId(index as u32), port))));
    }
}

/// Compares the ports of a switch with the plan's, end by end.
fn compare(
    plan: &Plan,
    (source, numbers): (SourceText<'_>, &[Numbers]),
    node: NodeId,
) -> Result<(), Diagnostic> {
    let graph = plan.graph();
    let (ends, up) = (graph.ports(node), &numbers[node.index()].up);
    let name = graph.name(node);
    for (end, (number, (peer, far), at)) in ends.iter().zip(up) {
        let there = graph.name(end.peer);
        let back = numbers[end.peer.index()].up.get(end.peer_port.index());
        let same = graph.is_host(end.peer) || back.is_some_and(|(own, ..)| own == far);
        if peer != there || !same {
            let message = format!(
                "port {number} of `{name}` leads to port {far} of `{peer}` here, and elsewhere in the scenario"
            );
            return Err(source.wrong(at, message, REMEDY));
        }
    }
    if ends.len() != up.len() {
        let message = format!("`{name}` has {} cables here, and {} in the scenario", up.len(), ends.len());
        return Err(source.whole(message, REMEDY));
    }
    Ok(())
}

/// Returns the rows below the header, each with as many cells.
pub(in crate::export) fn rows(source: SourceText<'_>, header: &str) -> Result<Vec<Row>, Diagnostic> {
    let mut lines = source.lines();
    if lines.next().is_none_or(|first| first.text != header) {
        let help = "name a table that an import has written";
        return Err(source.whole(format!("the first line is not `{header}`"), help));
    }
    let columns = header.split(',').count();
    let row = |line: Part<'_>| {
        let cells: Vec<String> = cells(line.text).iter().map(|cell| csv::text(cell).into_owned()).collect();
        if cells.len() == columns {
            return Ok(Row { cells, at: line.range() });
        }
        let message = format!("the row has {} cells", cells.len());
        Err(source.wrong(&line.range(), message, &format!("write {columns}: `{header}`")))
    };
    lines.map(row).collect()
}

/// Splits a line at its commas. A cell with commas stands in quotes, and has its own quotes twice (RFC 4180).
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = cells.last_mut().expect("there is a cell");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => last.push(letter),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_outside_quotes() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",,d"), ["a", "b, \"c\"", "", "d"]);
        assert_eq!(cells(""), [""]);
    }
}
