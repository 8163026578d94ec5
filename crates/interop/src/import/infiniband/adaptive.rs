//! Tables of adaptive routing as entries of a scenario, compared with the cables, and their account.
//!
//! Invariant: a port that the tables name and the cables lack, and a port that ends at another host, are refused with
//! both places. Nothing that the file says of a host is left out without an entry.

use core::ops::Range;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use topology::Topology;

use super::cluster::{Cluster, ClusterEnd, ClusterIndex};
use super::entries::Account;
use super::fabric::{IbFabric, IbNode};
use super::far::{AdaptiveEntry, AdaptiveTable, AdaptiveTables, LidState};
use super::forwarding::NO_PORT;
use super::lanes::LaneTables;
use super::port_sets::{Entries, PortSet};
use super::routes;
use super::tables::{HASHED, RoutingText, SELECTED};
use crate::import::account::KeyFate;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// The file of the cables, for the places of ports in it.
#[derive(Clone, Copy)]
pub(super) struct Cables<'a> {
    pub(super) source: SourceText<'a>,
    pub(super) fabric: &'a IbFabric,
}

impl Cables<'_> {
    fn node(&self, guid: u64) -> Option<&IbNode> {
        self.fabric.nodes.iter().find(|node| node.guid == Some(guid))
    }

    /// Returns the file and the line of a port, or of its switch if the file does not mention the port.
    fn place(&self, guid: u64, port: Option<u8>) -> String {
        let node = self.node(guid);
        let link =
            node.and_then(|node| node.links.iter().find(|link| Some(link.number) == port.map(u16::from)));
        let at = link.map(|link| &link.at).or(node.map(|node| &node.at));
        let line = at.map_or(1, |at| self.source.excerpt(at).line);
        format!("{}:{line}", self.source.name)
    }
}

/// Returns the entries of all switches for all hosts.
pub(super) fn entries(
    source: SourceText<'_>,
    tables: &AdaptiveTables,
    (cluster, cables): (&Cluster, Cables<'_>),
) -> Result<Entries, Diagnostic> {
    routes::check_lids(source, cluster)?;
    let by_lid = routes::hosts_by_lid(cluster);
    let index = cluster.switches.iter().enumerate();
    let index: BTreeMap<u64, usize> = index.filter_map(|(i, switch)| Some((switch.guid?, i))).collect();
    let mut entries = Entries::new(cluster.switches.len(), cluster.hosts.len());
    let mut with_tables = vec![false; cluster.switches.len()];
    for table in &tables.switches {
        let Some(switch) = index.get(&table.guid).copied() else {
            let message = format!("{} has no switch 0x{:016x}", cables.source.name, table.guid);
            return Err(source.wrong(&table.at, message, SAME_TIME));
        };
        with_tables[switch] = true;
        let compared = Compared { source, cluster, cables, table, switch };
        let mut groups = BTreeMap::new();
        for entry in &table.entries {
            let Some(host) = by_lid.get(usize::from(entry.lid)).copied().flatten() else { continue };
            compared.entry(entry, host, &mut groups, &mut entries)?;
        }
    }
    if let Some(lacking) = with_tables.iter().position(|has| !has) {
        let switch = &cluster.switches[lacking];
        let place = switch.guid.map_or(String::new(), |guid| format!(" ({})", cables.place(guid, None)));
        let message = format!("there are no tables of `{}`{place}", switch.name);
        return Err(source.whole(message, SAME_TIME));
    }
    Ok(entries)
}

const SAME_TIME: &str = "import both files as they were at the same time";

/// Ports of a group by the numbers of the cluster, with their places in the scenario and the hosts at them.
type CabledPorts = Vec<(u8, u8, Option<usize>)>;

/// Tables of a switch beside its cables.
struct Compared<'a> {
    source: SourceText<'a>,
    cluster: &'a Cluster,
    cables: Cables<'a>,
    table: &'a AdaptiveTable,
    switch: usize,
}

impl Compared<'_> {
    /// Sets the entry of a host.
    fn entry(
        &self,
        entry: &AdaptiveEntry,
        host: usize,
        groups: &mut BTreeMap<u16, CabledPorts>,
        entries: &mut Entries,
    ) -> Result<(), Diagnostic> {
        if entry.state == LidState::Static {
            // 255 leads nowhere: the account names that host as one without a path.
            if entry.port != NO_PORT {
                let at = entry.at(self.source);
                let port = self.cabled(entry.port, &at)?;
                self.leads_to(host, (entry, &at), &[port])?;
                entries.set(self.switch, host, Some(port.1));
            }
            return Ok(());
        }
        let ports = match groups.entry(entry.group) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let ports = self.table.groups[&entry.group].ports();
                place.insert(ports.map(|(port, at)| self.cabled(port, at)).collect::<Result<_, _>>()?)
            }
        };
        let at = entry.at(self.source);
        if ports.is_empty() {
            let rows = self.table.groups[&entry.group].parts.values();
            let row = rows.map(|part| self.source.excerpt(&part.at).line).next().unwrap_or(0);
            let message = format!("group {} has no ports in line {row}", entry.group);
            let help = "give the group ports, or the LID the state `Static`";
            return Err(self.source.wrong(&at, message, help));
        }
        self.leads_to(host, (entry, &at), ports)?;
        if let [(_, port, _)] = ports[..] {
            entries.set(self.switch, host, Some(port));
            return Ok(());
        }
        let mut ports: Vec<u8> = ports.iter().map(|(_, port, _)| *port).collect();
        ports.sort_unstable();
        let is_selected = entry.state == LidState::Adaptive;
        entries.set_several(self.switch, host, &PortSet { ports, is_selected });
        Ok(())
    }

    /// Returns a port with a cable to a node of the scenario.
    fn cabled(&self, number: u8, at: &Range<usize>) -> Result<(u8, u8, Option<usize>), Diagnostic> {
        let switch = &self.cluster.switches[self.switch];
        let place = switch.ports.iter().position(|own| *own == u16::from(number));
        let Some(place) = place else {
            let cable = self.cables.place(self.table.guid, Some(number));
            let message = format!(
                "port {number} of `{}` leads to a host or a switch here, and has no such cable in {cable}",
                switch.name
            );
            return Err(self.source.wrong(at, message, SAME_TIME));
        };
        let end = ClusterEnd { node: ClusterIndex::Switch(self.switch), port: u16::from(number) };
        Ok((number, place as u8, self.cluster.host_at(end)))
    }

    /// Refuses ports that end at another host than the entry's.
    fn leads_to(
        &self,
        host: usize,
        (entry, at): (&AdaptiveEntry, &Range<usize>),
        ports: &[(u8, u8, Option<usize>)],
    ) -> Result<(), Diagnostic> {
        let astray = ports.iter().find_map(|(number, _, at_port)| {
            let other = at_port.filter(|at_port| *at_port != host)?;
            Some((*number, &self.cluster.hosts[other].name))
        });
        let Some((number, other)) = astray else { return Ok(()) };
        let switch = &self.cluster.switches[self.switch].name;
        let cable = self.cables.place(self.table.guid, Some(number));
        let message = format!(
            "LID 0x{:04x} is `{}`, and port {number} of `{switch}` ends at `{other}` by {cable}",
            entry.lid, self.cluster.hosts[host].name
        );
        Err(self.source.wrong(at, message, SAME_TIME))
    }
}

impl Account<'_> {
    /// Returns the routing by the cluster's tables of adaptive routing, and the selection for it.
    pub(super) fn adaptive_tables(
        &mut self,
        source: SourceText<'_>,
        (cluster, topology, cables): (&Cluster, &Topology, Cables<'_>),
        lanes: Option<&LaneTables>,
    ) -> Result<RoutingText, Diagnostic> {
        let tables = AdaptiveTables::read(source)?;
        let entries = entries(source, &tables, (cluster, cables))?;
        let first = self.entries.len();
        let form = "the form that public readers of the file describe; not tried on a file of a real cluster";
        self.note("file version", tables.version.to_string(), KeyFate::Approximated, form);
        self.undescribed(source, &tables);
        self.subgroups(source, &tables, cluster);
        let [selected, hashed] = entries.several();
        let routing = self.checked_tables(source, entries, (cluster, topology), lanes)?;
        self.selection(selected, hashed);
        self.entries[first..].iter_mut().for_each(|entry| entry.file = Some(source.name.to_owned()));
        let selection = match [selected, hashed] {
            // Groups on no path between hosts are left out.
            _ if !routing.has_groups => routing.selection,
            [0, 0] => routing.selection,
            [0, _] => HASHED,
            _ => SELECTED,
        };
        Ok(RoutingText { selection, ..routing })
    }

    /// Enters text of the file that no description explains.
    fn undescribed(&mut self, source: SourceText<'_>, tables: &AdaptiveTables) {
        let texts = tables.switches.iter().filter(|table| !table.undescribed.is_empty());
        let places: Vec<&Range<usize>> = texts.map(|table| &table.undescribed).collect();
        let Some(first) = places.first() else { return };
        let what = "text behind the switches' GUIDs, which no public description explains: the tables are taken as in force";
        self.note("heads of switches", places.len().to_string(), KeyFate::Approximated, what);
        let entry = self.entries.last_mut().expect("it has just been entered");
        entry.place = Some(source.excerpt(first));
    }

    /// Enters the selection of the scenario, and the transport that it needs.
    fn selection(&mut self, selected: usize, hashed: usize) {
        if selected > 0 {
            let what = "`switch.selection: LeastLoaded`: the vendor's measure of load is not public, and the bytes that \
                        wait at the output and lane, then the far end's credits, stand for it";
            self.note("Free", format!("{selected} entries"), KeyFate::Approximated, what);
            let what = "no file has them: `adapter.delivery: AnyOrder` and `recovery: SelectiveRepeat`, since selected \
                        packets overtake each other; packets that may not be selected go by hash, where a switch \
                        takes the static port";
            self.note("order of packets", "", KeyFate::Approximated, what);
        }
        if hashed > 0 {
            let what = "ports by a hash of the flow: the same groups, with another hash";
            self.note("HBF", format!("{hashed} entries"), KeyFate::Approximated, what);
        }
    }

    /// Enters groups with ports of several priorities or weights, as far as hosts are reached by them.
    fn subgroups(&mut self, source: SourceText<'_>, tables: &AdaptiveTables, cluster: &Cluster) {
        let by_lid = routes::hosts_by_lid(cluster);
        let is_host = |lid: u16| by_lid.get(usize::from(lid)).copied().flatten().is_some();
        let mut several = Vec::new();
        let mut weighted = Vec::new();
        for table in &tables.switches {
            let used =
                table.entries.iter().filter(|entry| is_host(entry.lid) && entry.state != LidState::Static);
            let hashed: BTreeSet<u16> =
                used.clone().filter(|entry| entry.state == LidState::Hash).map(|entry| entry.group).collect();
            let used: BTreeSet<u16> = used.map(|entry| entry.group).collect();
            for (number, group) in table.groups.iter().filter(|(number, _)| used.contains(number)) {
                let mut parts = group.parts.values().filter(|part| !part.ports.is_empty());
                if let (Some(_), Some(second)) = (parts.next(), parts.next()) {
                    several.push(&second.at);
                }
                let weights = group.parts.values().find(|part| part.weight > 0);
                weighted.extend(weights.filter(|_| hashed.contains(number)).map(|part| &part.at));
            }
        }
        let rows = [
            (
                "subgroups",
                several,
                "the first ports of a group have priority over others: here all are alike",
            ),
            ("WHBF", weighted, "subgroups have weights for the hash: here all ports are alike"),
        ];
        for (key, rows, what) in rows {
            let Some(first) = rows.first() else { continue };
            self.note(key, format!("{} groups", rows.len()), KeyFate::Changed, what);
            let entry = self.entries.last_mut().expect("it has just been entered");
            entry.place = Some(source.excerpt(first));
        }
    }
}
