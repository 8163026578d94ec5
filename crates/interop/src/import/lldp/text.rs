//! The scenario of a fabric, its account, and a table of its ports.
//!
//! Invariant: the account names everything that the scenario has and the files do not say.

use std::collections::{BTreeMap, BTreeSet};

use names::{csv, shown};
use topology::{CustomFabric, LinkEnds, MAX_PORT_NUMBER, RoutingSpec, TopologySpec};

use super::LldpOptions;
use super::fabric::{Fabric, Link};
use super::rows::NeighbourRows;
use super::wiring::End;
use crate::import::account::{ImportedScenario, KeyAccount, KeyFate};
use crate::import::infiniband::names::natural;
use crate::import::infiniband::routes;
use crate::import::source::{SourceText, decimal};
use scenario::{Diagnostic, draft};

/// Largest number of nodes that an entry of the account names.
const MOST_NAMED: usize = 8;

/// Writes the scenario and its account.
pub(super) fn scenario(
    files: &[SourceText<'_>],
    fabric: &Fabric,
    (rows, options): (&[NeighbourRows], &LldpOptions),
) -> Result<ImportedScenario, Diagnostic> {
    let numbers = numbers(fabric);
    let custom = custom(fabric, &numbers.of);
    let kinds: BTreeMap<String, &Link> = fabric.links.iter().map(|link| (link.kind(), link)).collect();
    let names: Vec<&str> = kinds.keys().map(String::as_str).collect();
    let topology = TopologySpec::Custom(custom.clone()).build(&names);
    let topology = topology.map_err(|said| files[0].whole(said.to_string(), "write another fabric"))?;
    let paths = topology.routes(&RoutingSpec::Ecmp, 1);
    let paths = paths.map_err(|said| files[0].whole(said.to_string(), "write another fabric"))?;
    let cyclic = routes::cycle_on_one_lane(&topology, &paths).is_some();
    let cables = kinds.iter().map(|(kind, link)| {
        format!("        {kind:?}: (rate: \"{}\", propagation: Cable(\"{}\")),\n", link.rate, link.length)
    });
    let host = fabric.links.iter().filter(|link| !link.is_trunk).map(|link| link.rate).max();
    let draft = draft::CustomRoce {
        origin: shown::comment(&origin(files)).into_owned(),
        topology: topology_text(&custom),
        cables: format!("\n{}    ", cables.collect::<String>()),
        cyclic,
        rate: host.unwrap_or(fabric.links[0].rate),
        hosts: fabric.hosts.len() as u32,
        to: fabric.hosts[0].1.clone(),
    };
    let mut account =
        Account { file: (files.len() > 1).then(|| files[0].name.to_owned()), entries: Vec::new() };
    account.of(fabric, &kinds, (rows, options), cyclic);
    account.numbers(numbers.named);
    let files = vec![("ports.csv".to_owned(), ports(fabric, &numbers.of))];
    Ok(ImportedScenario { scenario: draft.scenario(), files, account: account.entries, warnings: Vec::new() })
}

fn origin(files: &[SourceText<'_>]) -> String {
    match files {
        [only] => format!("{}, by its neighbours", only.name),
        [first, rest @ ..] => format!("{} and {} other files, by neighbours", first.name, rest.len()),
        [] => String::new(),
    }
}

/// Numbers of the ports of switches.
struct Numbers {
    of: BTreeMap<End, u16>,
    /// True if they are the numbers of the ports' names.
    named: bool,
}

/// Returns the numbers of the ports of switches: those at the end of their names, if all switches have such, else from
/// 1 in the order of names. A fabric with numbers of both kinds would not tell which kind a number is.
fn numbers(fabric: &Fabric) -> Numbers {
    let mut ports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let of_switch = |link: &Link, end: usize| end == 1 || link.is_trunk;
    for link in &fabric.links {
        for (_, (node, port)) in link.ends.iter().enumerate().filter(|(end, _)| of_switch(link, *end)) {
            ports.entry(node).or_default().push(port);
        }
    }
    let named = ports.values().all(|own| are_numbered(own));
    let mut of = BTreeMap::new();
    for (node, mut own) in ports {
        own.sort_by(|a, b| natural(a, b).then_with(|| a.cmp(b)));
        let number = |(place, port): (u16, &str)| {
            let number = numbered(port).filter(|_| named).map_or(place, |(_, number)| number);
            ((node.to_owned(), port.to_owned()), number)
        };
        of.extend((1..).zip(own).map(number));
    }
    Numbers { of, named }
}

/// Returns true for names of ports that differ by the numbers at their ends alone: `swp1`, `swp48`.
fn are_numbered(ports: &[&str]) -> bool {
    let all: Option<Vec<(&str, u16)>> = ports.iter().map(|port| numbered(port)).collect();
    all.is_some_and(|all| {
        let numbers: BTreeSet<u16> = all.iter().map(|(_, number)| *number).collect();
        numbers.len() == all.len() && all.iter().all(|(name, _)| *name == all[0].0)
    })
}

/// Splits the name of a port before the number at its end, which a link can have.
fn numbered(port: &str) -> Option<(&str, u16)> {
    let name = port.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = decimal(&port[name.len()..]).filter(|number| *number <= MAX_PORT_NUMBER)?;
    Some((name, number))
}

fn switch_names(fabric: &Fabric) -> BTreeMap<&str, &str> {
    fabric.switches.iter().map(|(node, name)| (node.as_str(), name.as_str())).collect()
}

fn host_names(fabric: &Fabric) -> BTreeMap<&End, &str> {
    fabric.hosts.iter().map(|(end, name)| (end, name.as_str())).collect()
}

fn custom(fabric: &Fabric, numbers: &BTreeMap<End, u16>) -> CustomFabric {
    let (names, hosts) = (switch_names(fabric), host_names(fabric));
    let end = |end: &End| match names.get(end.0.as_str()) {
        Some(name) => ((*name).to_owned(), numbers.get(end).copied()),
        None => (hosts[end].to_owned(), None),
    };
    let link = |link: &Link| {
        let [(from, from_port), (to, to_port)] = [&link.ends[0], &link.ends[1]].map(end);
        LinkEnds { from, to, cable: link.kind(), from_port, to_port }
    };
    CustomFabric {
        hosts: fabric.hosts.iter().map(|(_, name)| name.clone()).collect(),
        switches: fabric.switches.iter().map(|(_, name)| name.clone()).collect(),
        links: fabric.links.iter().map(link).collect(),
    }
}

fn topology_text(custom: &CustomFabric) -> String {
    let names =
        |names: &[String]| names.iter().map(|name| format!("            {name:?},\n")).collect::<String>();
    let link = |LinkEnds { from, to, cable, from_port, to_port }: &LinkEnds| {
        let port =
            |field: &str, port: &Option<u16>| port.map_or(String::new(), |port| format!(" {field}: {port},"));
        format!(
            "            (from: {from:?},{} to: {to:?},{} cable: {cable:?}),\n",
            port("from_port", from_port),
            port("to_port", to_port)
        )
    };
    format!(
        "Custom(\n        hosts: [\n{}        ],\n        switches: [\n{}        ],\n        links: [\n{}        ],\n    )",
        names(&custom.hosts),
        names(&custom.switches),
        custom.links.iter().map(link).collect::<String>()
    )
}

/// Writes a table of the ports of switches: their numbers here, their names, and their far ends.
fn ports(fabric: &Fabric, numbers: &BTreeMap<End, u16>) -> String {
    let (names, hosts) = (switch_names(fabric), host_names(fabric));
    let mut rows: Vec<(String, u16, String)> = Vec::new();
    for link in &fabric.links {
        for (near, far) in [(&link.ends[0], &link.ends[1]), (&link.ends[1], &link.ends[0])] {
            let (Some(name), Some(number)) = (names.get(near.0.as_str()), numbers.get(near)) else {
                continue;
            };
            let peer = names.get(far.0.as_str()).copied().unwrap_or_else(|| hosts[far]);
            let row = format!(
                "{},{number},{},up,{},{},{}\n",
                csv::quoted(name),
                csv::quoted(&near.1),
                csv::quoted(peer),
                csv::quoted(&far.1),
                csv::quoted(&link.rate.to_string())
            );
            rows.push(((*name).to_owned(), *number, row));
        }
    }
    rows.sort_by(|a, b| natural(&a.0, &b.0).then_with(|| (&a.0, a.1).cmp(&(&b.0, b.1))));
    let rows: String = rows.into_iter().map(|(_, _, row)| row).collect();
    format!("switch,port,cluster_port,state,peer,peer_port,speed\n{rows}")
}

struct Account {
    /// The first of several files.
    file: Option<String>,
    entries: Vec<KeyAccount>,
}

impl Account {
    fn note(&mut self, key: &str, given: impl Into<String>, fate: KeyFate, what: impl Into<String>) {
        let mut entry = KeyAccount::new(key, given, fate, what);
        entry.file.clone_from(&self.file);
        self.entries.push(entry);
    }

    fn count(&mut self, key: &str, count: usize, fate: KeyFate, what: &str) {
        if count > 0 {
            self.note(key, count.to_string(), fate, what);
        }
    }

    /// Enters nodes, cables, and what was assumed or passed over.
    fn of(
        &mut self,
        fabric: &Fabric,
        kinds: &BTreeMap<String, &Link>,
        (rows, options): (&[NeighbourRows], &LldpOptions),
        cyclic: bool,
    ) {
        let found = &fabric.found;
        let given = format!("{} hosts, {} switches", fabric.hosts.len(), fabric.switches.len());
        self.note(
            "nodes",
            given,
            KeyFate::Used,
            "`topology`, in the order of switches and ports; not tried on a real file",
        );
        if let Some((hosts, switches)) = &found.by_degree {
            let names = some(switches);
            let what = format!(
                "{hosts} nodes with one cable are hosts, and those with several switches: {names}; `--hosts PATTERN` says otherwise"
            );
            self.note("kinds of nodes", "", KeyFate::Approximated, what);
        }
        if !found.several_ports.is_empty() {
            let what = format!("{}: each port with a cable is a host of its own", some(&found.several_ports));
            self.note("several ports", found.several_ports.len().to_string(), KeyFate::Approximated, what);
        }
        self.count("names", found.renamed, KeyFate::Approximated, "names of several nodes, made to differ");
        if !found.merged.is_empty() {
            let pairs: Vec<String> =
                found.merged.iter().map(|(other, name)| format!("{other} = {name}")).collect();
            let what = format!("{}: one node, by its name without domain and capitals", some(&pairs));
            self.note("forms of names", pairs.len().to_string(), KeyFate::Approximated, what);
        }
        self.count(
            "nameless neighbours",
            found.nameless,
            KeyFate::Approximated,
            "hosts that give no name are called by their port",
        );
        self.count(
            "adapters' agents",
            found.agents,
            KeyFate::NotUsed,
            "a second neighbour without a name at a port: the adapter of the host that has one",
        );
        let counts = kinds.keys().map(|kind| {
            let count = fabric.links.iter().filter(|link| link.kind() == *kind).count();
            format!("{count} of `{kind}`")
        });
        let what = format!(
            "`cables`: {}; `ports.csv` has the names of ports",
            counts.collect::<Vec<_>>().join(", ")
        );
        self.note("cables", fabric.links.len().to_string(), KeyFate::Used, what);
        self.count(
            "cables seen once",
            found.seen_once,
            KeyFate::Approximated,
            "one end alone lists them, though both ends have tables: taken as cables",
        );
        self.assumed(
            found.without_rate,
            ("rates", options.rate.is_some()),
            "`--rate`, `--trunk-rate`, or `speed` in `--config`",
        );
        self.assumed(
            found.without_length,
            ("lengths", options.length.is_some()),
            "`--length`, `--trunk-length`, or CABLE_LENGTH in `--config`",
        );
        self.count(
            "two lengths",
            found.two_lengths,
            KeyFate::Approximated,
            "ends state different lengths: the longer",
        );
        if !found.strange_configs.is_empty() {
            self.note(
                "configurations",
                found.strange_configs.len().to_string(),
                KeyFate::NotUsed,
                format!("{}: no cable leads there", some(&found.strange_configs)),
            );
        }
        let sum = |of: fn(&NeighbourRows) -> usize| rows.iter().map(of).sum::<usize>();
        self.count(
            "management ports",
            sum(|rows| rows.management),
            KeyFate::NotUsed,
            "they carry no traffic of the fabric",
        );
        self.count(
            "other cables",
            sum(|rows| rows.other_kinds),
            KeyFate::NotUsed,
            "cables of power or consoles",
        );
        let absent: Vec<String> = rows.iter().flat_map(|rows| rows.not_connected.clone()).collect();
        if !absent.is_empty() {
            let what = format!("{}: left out by their status", some(&absent));
            self.note("cables not connected", absent.len().to_string(), KeyFate::NotUsed, what);
        }
        let unused: Vec<String> = rows.iter().flat_map(|rows| rows.unused.clone()).collect();
        if !unused.is_empty() {
            self.note(
                "other columns",
                unused.len().to_string(),
                KeyFate::NotUsed,
                format!("{}: they say nothing of cables", some(&unused)),
            );
        }
        let what = if cyclic {
            "`UpDown()`: on the shortest paths packets could wait in a cycle"
        } else {
            "`Ecmp`, by another hash than the switches'"
        };
        self.note("routing", "", KeyFate::Approximated, what);
        let what = "a draft: MTU 4 KiB, one lane with PFC, shared memory, DCQCN, traffic; `import sonic` and `import mlx5 --into` give a fabric's own";
        self.note("link, switch, adapter", "", KeyFate::Approximated, what);
    }

    fn numbers(&mut self, named: bool) {
        let (fate, what) = if named {
            (KeyFate::Used, "`from_port`, `to_port`: those at the end of the ports' names, everywhere")
        } else {
            let what =
                "from 1 in the order of names, as not all end in numbers of their own: `ports.csv` has both";
            (KeyFate::Approximated, what)
        };
        self.note("port numbers", "", fate, what);
    }

    fn assumed(&mut self, count: usize, (key, is_given): (&str, bool), options: &str) {
        let (fate, what) = if is_given {
            (KeyFate::Used, "as given for cables without one".to_owned())
        } else {
            (KeyFate::Approximated, format!("assumed for cables without one: {options} give others"))
        };
        self.count(key, count, fate, &what);
    }
}

/// Joins the first of several names, and says how many more there are.
fn some(names: &[String]) -> String {
    let mut shown: Vec<_> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_NAMED {
        shown.push(format!("{} more", names.len() - MOST_NAMED));
    }
    shown.join(", ")
}
