//! Tables that the scenario gives whole: the forwarding tables of a cluster.
//!
//! Invariant: as in [`routing`](super). Nothing is filled in: a switch without a table is refused. A host that a
//! table leads nowhere is reached from there by no path.
//!
//! ```text
//! Tables({"leaf1": "1 2 20*6 -"})      host 1 by port 1, host 2 by port 2, hosts 3 to 8 by port 20, host 9 not at all
//! ```

use core::str::FromStr;
use std::collections::BTreeMap;

use packet::{NodeId, PortId};
use settings::FieldPath;

use super::draft::TablesDraft;
use super::error::{RoutingError, RoutingErrorKind as Kind};
use super::routes::Routes;
use super::written::TableWalks;
use crate::graph::Graph;

/// Entry of a host that no port leads to.
const NONE: &str = "-";

/// Output ports for all hosts, by switch, as text.
pub(super) type WrittenTables = BTreeMap<String, String>;

impl Routes {
    /// Makes the tables of all switches from their texts.
    pub(super) fn tabled(graph: &Graph, tables: &WrittenTables) -> Result<Self, RoutingError> {
        let mut draft = TablesDraft::new(graph);
        for (name, text) in tables {
            let fault = |kind| RoutingError::new(FieldPath::default().name(name), kind);
            let known = graph.find(name).filter(|at| !graph.is_host(*at));
            let switch = known.ok_or_else(|| fault(Kind::UnknownSwitch { given: name.clone() }))?;
            let ports = ports(text, graph.hosts()).map_err(fault)?;
            // A table has an entry for each host, so ports are not searched by their numbers.
            let mut numbered = vec![None; usize::from(u8::MAX)];
            for (port, number) in (0..).map(PortId).zip(graph.port_numbers(switch)) {
                numbered[usize::from(number)] = Some(port);
            }
            for (to, port) in graph.host_ids().zip(ports) {
                let Some(given) = port else { continue };
                let port = checked(graph, (switch, to), (given, &numbered)).map_err(fault)?;
                draft.set(switch, to, port);
            }
        }
        if let Some(at) = graph.switch_ids().find(|at| !tables.contains_key(graph.name(*at))) {
            let kind = Kind::MissingTable { switch: graph.name(at).to_owned() };
            return Err(RoutingError::new(FieldPath::default(), kind));
        }
        let routes = draft.finish();
        let mut walks = TableWalks::new(graph);
        for to in graph.host_ids() {
            walks.check(graph, &routes, to).map_err(|kind| RoutingError::new(FieldPath::default(), kind))?;
        }
        Ok(routes)
    }
}

/// Writes the table of a switch: the numbers of the ports for all hosts in order; `None` for a host that no port
/// leads to.
#[must_use]
pub fn written_table(ports: &[Option<u16>]) -> String {
    let entry = |same: &[Option<u16>]| {
        let port = same[0].map_or_else(|| NONE.to_owned(), |port| port.to_string());
        if same.len() == 1 { port } else { format!("{port}*{}", same.len()) }
    };
    ports.chunk_by(|a, b| a == b).map(entry).collect::<Vec<_>>().join(" ")
}

/// Reads the text of a table: a port for each host.
fn ports(text: &str, hosts: usize) -> Result<Vec<Option<u16>>, Kind> {
    let mut ports = Vec::with_capacity(hosts);
    for word in text.split_whitespace() {
        let wrong = || Kind::WrongEntry { given: word.to_owned() };
        let (port, times) = word.split_once('*').unwrap_or((word, "1"));
        let port = if port == NONE { None } else { Some(number(port).ok_or_else(wrong)?) };
        let times: usize = number(times).filter(|times| *times > 0).ok_or_else(wrong)?;
        // Checked before the repetition, since a mistyped digit could ask for all memory.
        if times > hosts - ports.len() {
            return Err(Kind::WrongTable { given: ports.len().saturating_add(times), hosts });
        }
        ports.extend(core::iter::repeat_n(port, times));
    }
    if ports.len() == hosts { Ok(ports) } else { Err(Kind::WrongTable { given: ports.len(), hosts }) }
}

/// Reads a number of digits alone.
fn number<N: FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns the port of an entry, if the switch has it, and it leads to no other host. The ports of the switch are
/// given by their numbers.
fn checked(
    graph: &Graph,
    (at, to): (NodeId, NodeId),
    (given, numbered): (u16, &[Option<PortId>]),
) -> Result<PortId, Kind> {
    let ends = graph.ports(at);
    let switch = || graph.name(at).to_owned();
    let no_port = || Kind::NoSuchPort { switch: switch(), given, ports: graph.listed_ports(at) };
    let port = numbered.get(usize::from(given)).copied().flatten().ok_or_else(no_port)?;
    let peer = ends[port.index()].peer;
    if graph.is_host(peer) && peer != to {
        let (leads_to, host) = (graph.name(peer).to_owned(), graph.name(to).to_owned());
        return Err(Kind::WrongHost { switch: switch(), given, leads_to, host });
    }
    Ok(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let ports = [Some(1), Some(2), Some(20), Some(20), Some(20), None, None, Some(1)];
        let text = written_table(&ports);
        assert_eq!(text, "1 2 20*3 -*2 1");
        assert_eq!(super::ports(&text, 8), Ok(ports.to_vec()));
        assert_eq!(super::ports(&text, 7), Err(Kind::WrongTable { given: 8, hosts: 7 }));
        assert_eq!(super::ports(&text, 9), Err(Kind::WrongTable { given: 8, hosts: 9 }));
        for given in ["x", "1*", "*2", "1*0", "+1", "70000", "1*99999999999999999999"] {
            assert_eq!(super::ports(given, 8), Err(Kind::WrongEntry { given: given.to_owned() }));
        }
    }
}
