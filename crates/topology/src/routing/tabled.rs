//! Tables that the scenario gives whole: the forwarding tables of a cluster.
//!
//! Invariant: as in [`routing`](super). Nothing is filled in: a switch without a table is refused. A host that a
//! table leads nowhere is reached from there by no path.
//!
//! ```text
//! Tables({"leaf1": "1 2 20*6 -"})      host 1 by port 1, host 2 by port 2, hosts 3 to 8 by port 20, host 9 not at all
//! Tables({"leaf1": "1 20/21*7 #20/21"})      hosts 2 to 8 by any of two ports, host 9 by one of them, a hash of the flow
//! ```

use core::str::FromStr;
use std::collections::BTreeMap;

use packet::{NodeId, PortId};
use settings::FieldPath;

use super::draft::TablesDraft;
use super::error::{RoutingError, RoutingErrorKind as Kind};
use super::group::GroupState;
use super::group_walks;
use super::multipath::GroupsDraft;
use super::routes::Routes;
use super::written::TableWalks;
use crate::graph::Graph;

/// Entry of a host that no port leads to.
const NONE: &str = "-";

/// Output ports for all hosts, by switch, as text.
pub(super) type WrittenTables = BTreeMap<String, String>;

/// Mark between the ports of a group.
const BETWEEN_PORTS: &str = "/";
/// Mark of a group from which a hash of the flow chooses.
const HASHED: char = '#';

/// Ports for a number of hosts in a row: none, one or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRun {
    /// Numbers of the ports.
    pub ports: Vec<u16>,
    /// The rule by which packets get one of several ports: `Adaptive` or `Hash`.
    pub state: GroupState,
    /// Number of hosts.
    pub hosts: usize,
}

/// Tables under construction, with groups if there are any.
enum Draft<'a> {
    Linear(TablesDraft),
    Grouped(GroupsDraft<'a>),
}

impl Routes {
    /// Makes the tables of all switches from their texts. The hash of a flow depends on `seed` and on the switch's name.
    ///
    /// # Panics
    /// If the tables have more than 65,535 different groups of ports.
    pub(super) fn tabled(graph: &Graph, tables: &WrittenTables, seed: u64) -> Result<Self, RoutingError> {
        let has_groups = have_groups(tables);
        // Tables without groups share their memory.
        let mut draft = if has_groups {
            Draft::Grouped(GroupsDraft::new(graph))
        } else {
            Draft::Linear(TablesDraft::new(graph))
        };
        for (name, text) in tables {
            let fault = |kind| RoutingError::new(FieldPath::default().name(name), kind);
            let known = graph.find(name).filter(|at| !graph.is_host(*at));
            let switch = known.ok_or_else(|| fault(Kind::UnknownSwitch { given: name.clone() }))?;
            let runs = runs(text, graph.hosts()).map_err(fault)?;
            draft.set_table(graph, switch, &runs).map_err(fault)?;
        }
        if let Some(at) = graph.switch_ids().find(|at| !tables.contains_key(graph.name(*at))) {
            let kind = Kind::MissingTable { switch: graph.name(at).to_owned() };
            return Err(RoutingError::new(FieldPath::default(), kind));
        }
        let routes = match draft {
            Draft::Linear(draft) => draft.finish(),
            Draft::Grouped(draft) => draft.finish(seed),
        };
        let mut walks = TableWalks::new(graph);
        for to in graph.host_ids() {
            let walked = if has_groups {
                group_walks::check(graph, &routes, to)
            } else {
                walks.check(graph, &routes, to)
            };
            walked.map_err(|kind| RoutingError::new(FieldPath::default(), kind))?;
        }
        Ok(routes)
    }
}

impl Draft<'_> {
    fn set_table(&mut self, graph: &Graph, switch: NodeId, runs: &[TableRun]) -> Result<(), Kind> {
        // A table has an entry for each host, so ports are not searched by their numbers.
        let mut numbered = vec![None; usize::from(u8::MAX)];
        for (port, number) in (0..).map(PortId).zip(graph.port_numbers(switch)) {
            numbered[usize::from(number)] = Some(port);
        }
        let mut hosts = graph.host_ids();
        for TableRun { ports, state, hosts: count } in runs {
            let mut group = None;
            for to in hosts.by_ref().take(*count) {
                let port = |given: &u16| checked(graph, (switch, to), (*given, &numbered));
                match (&mut *self, &ports[..]) {
                    (_, []) => {}
                    (Self::Linear(draft), [given, ..]) => draft.set(switch, to, port(given)?),
                    (Self::Grouped(draft), _) => {
                        let ports: Vec<PortId> = ports.iter().map(port).collect::<Result<_, _>>()?;
                        let number = *group.get_or_insert_with(|| draft.number_of(&ports, *state));
                        draft.set_number(switch, to, number);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns true if an entry of some table is a group of ports.
pub(super) fn have_groups(tables: &WrittenTables) -> bool {
    tables.values().any(|text| text.contains(BETWEEN_PORTS))
}

/// Writes the table of a switch, for all hosts in order.
#[must_use]
pub fn written_table(runs: impl IntoIterator<Item = TableRun>) -> String {
    let entry = |TableRun { ports, state, hosts }: TableRun| {
        let numbers: Vec<String> = ports.iter().map(u16::to_string).collect();
        let group = numbers.join(BETWEEN_PORTS);
        let entry = match (&numbers[..], state) {
            ([], _) => NONE.to_owned(),
            ([_, _, ..], GroupState::Hash) => format!("{HASHED}{group}"),
            (_, _) => group,
        };
        if hosts == 1 { entry } else { format!("{entry}*{hosts}") }
    };
    runs.into_iter().map(entry).collect::<Vec<_>>().join(" ")
}

/// Reads the text of a table: ports for each host.
fn runs(text: &str, hosts: usize) -> Result<Vec<TableRun>, Kind> {
    let (mut runs, mut read) = (Vec::new(), 0usize);
    for word in text.split_whitespace() {
        let wrong = || Kind::WrongEntry { given: word.to_owned() };
        let (entry, times) = word.split_once('*').unwrap_or((word, "1"));
        let (ports, state) = group(entry).ok_or_else(wrong)?;
        let times: usize = number(times).filter(|times| *times > 0).ok_or_else(wrong)?;
        // Checked before the repetition, since a mistyped digit could ask for all memory.
        if times > hosts - read {
            return Err(Kind::WrongTable { given: read.saturating_add(times), hosts });
        }
        read += times;
        runs.push(TableRun { ports, state, hosts: times });
    }
    if read == hosts { Ok(runs) } else { Err(Kind::WrongTable { given: read, hosts }) }
}

/// Reads the ports of an entry, each once: `20`, `20/21`, `#20/21` or `-`.
fn group(entry: &str) -> Option<(Vec<u16>, GroupState)> {
    if entry == NONE {
        return Some((Vec::new(), GroupState::Adaptive));
    }
    let hashed = entry.strip_prefix(HASHED);
    let ports: Vec<u16> = hashed.unwrap_or(entry).split(BETWEEN_PORTS).map(number).collect::<Option<_>>()?;
    let differ = (1..ports.len()).all(|place| !ports[..place].contains(&ports[place]));
    let state = if hashed.is_some() { GroupState::Hash } else { GroupState::Adaptive };
    // A hash among a single port would look like a choice.
    (differ && (ports.len() > 1 || hashed.is_none())).then_some((ports, state))
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
        let run = |ports: &[u16], state, hosts| TableRun { ports: ports.to_vec(), state, hosts };
        let one = |port, hosts| run(&[port], GroupState::Adaptive, hosts);
        let several = [
            one(1, 1),
            one(2, 1),
            one(20, 3),
            run(&[], GroupState::Adaptive, 2),
            run(&[20, 21], GroupState::Adaptive, 2),
            run(&[21, 20, 4], GroupState::Hash, 1),
        ];
        let text = written_table(several.clone());
        assert_eq!(text, "1 2 20*3 -*2 20/21*2 #21/20/4");
        assert_eq!(runs(&text, 10), Ok(several.to_vec()));
        assert_eq!(runs(&text, 9), Err(Kind::WrongTable { given: 10, hosts: 9 }));
        assert_eq!(runs(&text, 11), Err(Kind::WrongTable { given: 10, hosts: 11 }));
        for given in [
            "x",
            "1*",
            "*2",
            "1*0",
            "+1",
            "70000",
            "1*99999999999999999999",
            "1/",
            "/1",
            "1/x",
            "1/1",
            "#1",
            "#",
            "##1/2",
            "#-",
            "-/1",
            "1/#2",
        ] {
            assert_eq!(runs(given, 8), Err(Kind::WrongEntry { given: given.to_owned() }), "{given}");
        }
    }
}
