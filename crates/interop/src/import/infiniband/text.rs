//! The scenario of a cluster, and tables of its nodes and ports.
//!
//! Invariant: the scenario has every node and cable of the cluster, and the tables name each as the cluster does.

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use link_layer::spec::{Speed, Width};
use names::{csv, shown};
use topology::{CustomFabric, LinkEnds, Topology, TopologyError, TopologySpec};
use units::{Bytes, Length};

use super::adaptive::Cables;
use super::arbitration::{ArbitrationDump, ArbitrationTables};
use super::cluster::{Cluster, ClusterCable, ClusterEnd, ClusterIndex, ClusterNode};
use super::db_csv::Counters;
use super::entries::{Account, buffer};
use super::fabric::{IbFabric, speed_word};
use super::lanes::LaneTables;
use super::sections::Database;
use super::tables::RoutingText;
use super::{ClusterFiles, ClusterOptions};
use crate::import::account::ImportedScenario;
use crate::import::settings;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Writes the scenario of a cluster and its account.
pub(super) fn scenario(
    (source, read): (SourceText<'_>, &IbFabric),
    cluster: &Cluster,
    (files, options): (ClusterFiles<'_>, &ClusterOptions),
    database: Option<&Database<'_>>,
) -> Result<ImportedScenario, Diagnostic> {
    connected(source, cluster)?;
    let mut account = Account::new(source);
    let fabric = custom(cluster);
    let topology =
        built(&fabric, cluster).map_err(|said| source.whole(said.to_string(), "write another subnet"))?;
    account.nodes(cluster);
    account.links(cluster, options);
    account.unlike_siblings(cluster);
    account.mtu(cluster);
    let lengths = account.lengths(cluster, options);
    let lanes = account.lanes(files.sl2vl, cluster)?;
    let dump = match (files.vlarb, database) {
        (Some(source), _) => Some((source, ArbitrationDump::read(source)?)),
        // Its tables need those of lanes, which the same file lacks.
        (None, Some(own)) if lanes.is_some() => own.arbitration(read)?.map(|dump| (source, dump)),
        (None, _) => None,
    };
    let arbitrated = dump.is_some();
    let arbitration = account.arbitration(dump, (cluster, lanes.as_ref()))?;
    let routing = match (files.lfts, files.far) {
        (Some(_), Some(far)) => {
            let message = "tables of adaptive routing stand in the place of linear forwarding tables";
            return Err(far.whole(
                message,
                "give `--far` or `--lfts`: with adaptive routing on, switches use the former",
            ));
        }
        (Some(tables), None) => account.tables(tables, (cluster, &topology), lanes.as_ref())?,
        (None, Some(tables)) => {
            let cables = Cables { source, fabric: read };
            account.adaptive_tables(tables, (cluster, &topology, cables), lanes.as_ref())?
        }
        (None, None) => account.routing(&topology, lanes.as_ref()),
    };
    account.assumptions(cluster, files);
    let scenario =
        text(source.name, cluster, (&fabric, lengths), (&routing, (lanes.as_ref(), arbitration.as_ref())));
    let mut files = vec![("nodes.csv".to_owned(), nodes(cluster)), ("ports.csv".to_owned(), ports(cluster))];
    if let Some(database) = database {
        let read = database.counters()?;
        let counters = counters(cluster, &read);
        account.database(database, arbitrated, counters.as_ref().map(|_| &read))?;
        files.extend(counters.map(|text| ("counters.csv".to_owned(), text)));
    }
    let Account { entries, warnings, .. } = account;
    Ok(ImportedScenario { scenario, files, account: entries, warnings })
}

fn built(fabric: &CustomFabric, cluster: &Cluster) -> Result<Topology, TopologyError> {
    let kinds: BTreeSet<_> = cluster.cables.iter().map(ClusterCable::kind).collect();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    TopologySpec::Custom(fabric.clone()).build(&kinds)
}

/// Checks that cables join all nodes.
fn connected(source: SourceText<'_>, cluster: &Cluster) -> Result<(), Diagnostic> {
    let mut next: BTreeMap<ClusterIndex, Vec<ClusterIndex>> = BTreeMap::new();
    for ClusterCable { ends: [one, other], .. } in &cluster.cables {
        next.entry(one.node).or_default().push(other.node);
        next.entry(other.node).or_default().push(one.node);
    }
    let start = ClusterIndex::Host(0);
    let mut seen = BTreeSet::from([start]);
    let mut queue = vec![start];
    while let Some(at) = queue.pop() {
        queue.extend(next.get(&at).into_iter().flatten().filter(|next| seen.insert(**next)));
    }
    let apart = (0..cluster.hosts.len()).find(|host| !seen.contains(&ClusterIndex::Host(*host)));
    apart.map_or(Ok(()), |apart| {
        let (one, other) = (&cluster.hosts[0].name, &cluster.hosts[apart].name);
        let message = format!("no cables lead from `{one}` to `{other}`");
        Err(source.whole(message, "write one subnet, whose cables join all hosts"))
    })
}

/// Returns the cluster as a topology. Kinds of cables are named by width and speed.
fn custom(cluster: &Cluster) -> CustomFabric {
    let names = |nodes: &[ClusterNode]| nodes.iter().map(|node| node.name.clone()).collect();
    let link = |cable: &ClusterCable| {
        let [from, to] = cable.ends;
        // The port of an adapter is nearly always its first, which needs no number.
        let port = |end: ClusterEnd| {
            Some(end.port).filter(|port| *port > 1 || matches!(end.node, ClusterIndex::Switch(_)))
        };
        LinkEnds {
            from: cluster.node(from.node).name.clone(),
            to: cluster.node(to.node).name.clone(),
            cable: cable.kind(),
            from_port: port(from),
            to_port: port(to),
        }
    };
    CustomFabric {
        hosts: names(&cluster.hosts),
        switches: names(&cluster.switches),
        links: cluster.cables.iter().map(link).collect(),
    }
}

fn text(
    file: &str,
    cluster: &Cluster,
    (fabric, lengths): (&CustomFabric, (Length, Length)),
    (routing, (lanes, arbitration)): (&RoutingText, (Option<&LaneTables>, Option<&ArbitrationTables>)),
) -> String {
    let names = |names: &[String]| {
        names.iter().fold(String::new(), |text, name| text + &format!("            {name:?},\n"))
    };
    let buffer = buffer(cluster);
    format!(
        "// Imported from {comment}: a cluster as its subnet manager sees it. nodes.csv has the GUIDs and LIDs of its nodes,\n\
         // ports.csv the ports that are down. Lengths, lanes, buffers, congestion control and traffic are a draft.\n\
         (\n    about: {about:?},\n    duration: \"1 ms\",\n    sample: \"10 us\",\n    topology: Custom(\n        hosts: [\n{hosts}        ],\n        \
         switches: [\n{switches}        ],\n        links: [\n{links}        ],\n    ),\n{assumed}    routing: {routing},\n{cycles}    \
         cables: {{\n{cables}    }},\n    link: (\n        mtu: \"{mtu}\",\n        data_lanes: {data_lanes},\n{levels}{weights}        flow_control: \
         Credits(update_blocks: 32, update_interval: \"4.096 us\", wire_time: Counted),\n    ),\n    switch: (\n        \
         buffering: InputVoq,\n        arbiter: RoundRobin,\n        buffer: \"{buffer}\",\n        latency: \"100 ns\",\n        \
         forwarding: CutThrough,\n        speedup: 2.0,\n{selection}    ),\n{own}{adapters}    adapter: (\n        receive_buffer: \"{buffer}\",\n        \
         ack_every: 16,\n        max_outstanding: 1024,\n        ack_timeout: 14,\n        retry_count: 7,\n{transport}    ),\n    \
         congestion_control: Off,\n    traffic: [\n        Permutation(at: \"0 s\", bytes: \"256 KiB\"),\n        \
         Incast(at: \"100 us\", to: {first:?}, senders: {senders}, bytes: \"128 KiB\"),\n    ],\n)\n",
        comment = shown::comment(file),
        about = format!("Cluster of {} hosts, imported from {}.", cluster.hosts.len(), shown::line(file)),
        hosts = names(&fabric.hosts),
        switches = names(&fabric.switches),
        links = links(fabric),
        cables = cables(cluster, lengths),
        assumed = settings::assumed(&routing.text),
        routing = routing.text,
        selection = routing.selection.of_switch,
        transport = routing.selection.of_adapter,
        cycles = if routing.cyclic { "    dependency_cycles: Allowed,\n" } else { "" },
        mtu = Bytes::from(cluster.mtu()),
        data_lanes = lanes.map_or(1, |lanes| lanes.data_lanes),
        levels = lanes.map_or(String::new(), |lanes| format!("        sl_to_vl: {},\n", lanes.link_text())),
        weights = arbitration
            .map_or(String::new(), |own| format!("        vl_arbitration: {},\n", own.link_text())),
        own = own_lanes(cluster, lanes, arbitration),
        adapters = own_arbitration(cluster, arbitration),
        first = cluster.hosts[0].name,
        senders = (cluster.hosts.len() - 1).min(8),
    )
}

/// Writes the lanes of each switch, if packets change theirs, and the arbitration of ports that differ.
fn own_lanes(
    cluster: &Cluster,
    lanes: Option<&LaneTables>,
    arbitration: Option<&ArbitrationTables>,
) -> String {
    let field =
        |name: &str, entries: String| Some(format!("{name}: [{entries}]")).filter(|_| !entries.is_empty());
    let of_switch = |(i, switch): (usize, &ClusterNode)| {
        let levels = lanes.and_then(|lanes| field("sl_to_vl", lanes.switch_text(i, &switch.ports)));
        let weights = arbitration.and_then(|own| field("vl_arbitration", own.switch_text(i, &switch.ports)));
        let fields: Vec<String> = levels.into_iter().chain(weights).collect();
        let own = format!("        {:?}: ({}),\n", switch.name, fields.join(", "));
        Some(own).filter(|_| !fields.is_empty())
    };
    entries("switches", cluster.switches.iter().enumerate().filter_map(of_switch).collect())
}

/// Writes the arbitration of adapters that differ.
fn own_arbitration(cluster: &Cluster, arbitration: Option<&ArbitrationTables>) -> String {
    let of_host = |(i, host): (usize, &ClusterNode)| {
        let tables = arbitration?.host_text(i)?;
        Some(format!("        {:?}: (vl_arbitration: {tables}),\n", host.name))
    };
    entries("adapters", cluster.hosts.iter().enumerate().filter_map(of_host).collect())
}

/// Writes a map of settings by name; nothing if it has no entries.
fn entries(field: &str, entries: String) -> String {
    if entries.is_empty() { entries } else { format!("    {field}: {{\n{entries}    }},\n") }
}

fn links(fabric: &CustomFabric) -> String {
    let mut text = String::new();
    for LinkEnds { from, to, cable, from_port, to_port } in &fabric.links {
        let port =
            |field: &str, port: &Option<u16>| port.map_or(String::new(), |port| format!(" {field}: {port},"));
        let (from_port, to_port) = (port("from_port", from_port), port("to_port", to_port));
        writeln!(text, "            (from: {from:?},{from_port} to: {to:?},{to_port} cable: {cable:?}),")
            .expect("a string takes it");
    }
    text
}

fn cables(cluster: &Cluster, (host, trunk): (Length, Length)) -> String {
    let kinds: BTreeMap<String, ((Width, Speed), Length)> = cluster
        .cables
        .iter()
        .map(|cable| {
            let usual = if cable.is_trunk() { trunk } else { host };
            (cable.kind(), (cable.speed, cable.length.unwrap_or(usual)))
        })
        .collect();
    kinds.iter().fold(String::new(), |text, (kind, ((width, speed), length))| {
        text + &format!(
            "        {kind:?}: (width: X{}, speed: {}, propagation: Cable(\"{length}\")),\n",
            width.lanes(),
            speed.name()
        )
    })
}

/// Writes a table of the nodes. Empty cells are not known.
fn nodes(cluster: &Cluster) -> String {
    let mut text = "name,kind,guid,port_guid,lid\n".to_owned();
    let guid = |guid: Option<u64>| guid.map_or(String::new(), |guid| format!("0x{guid:016x}"));
    let all = [("host", &cluster.hosts), ("switch", &cluster.switches)];
    for (kind, node) in all.into_iter().flat_map(|(kind, nodes)| nodes.iter().map(move |node| (kind, node))) {
        let lid = node.lid.map_or(String::new(), |lid| lid.to_string());
        let name = csv::quoted(&node.name);
        writeln!(text, "{name},{kind},{},{},{lid}", guid(node.guid), guid(node.port_guid))
            .expect("a string takes it");
    }
    text
}

/// Writes a table of the ports of switches and their far ends.
fn ports(cluster: &Cluster) -> String {
    let mut far = BTreeMap::new();
    for ClusterCable { ends: [one, other], speed, .. } in &cluster.cables {
        far.insert(*one, (*other, *speed));
        far.insert(*other, (*one, *speed));
    }
    let mut text = "switch,port,state,peer,peer_port,speed\n".to_owned();
    for (i, switch) in cluster.switches.iter().enumerate() {
        let name = csv::quoted(&switch.name);
        for port in &switch.ports {
            let (peer, speed) = far[&ClusterEnd { node: ClusterIndex::Switch(i), port: *port }];
            let (peer_name, speed) = (csv::quoted(&cluster.node(peer.node).name), speed_word(speed));
            let row = format!("{name},{port},up,{peer_name},{},{speed}\n", peer.port);
            text += &row;
        }
        for port in &switch.down {
            text += &format!("{name},{port},down,,,\n");
        }
    }
    text
}

/// Writes a table of the counters of ports with cables; `None` if there are none.
fn counters(cluster: &Cluster, counters: &Counters<'_>) -> Option<String> {
    let names: Vec<_> = counters.names.iter().map(|name| csv::quoted(name)).collect();
    let mut text = format!("node,port,{}\n", names.join(","));
    let mut rows = 0;
    for node in cluster.hosts.iter().chain(&cluster.switches) {
        for port in &node.ports {
            let Some(values) = node.guid.and_then(|guid| counters.rows.get(&(guid, *port))) else { continue };
            let values: Vec<_> = values.iter().map(|value| csv::quoted(value)).collect();
            writeln!(text, "{},{port},{}", csv::quoted(&node.name), values.join(","))
                .expect("a string takes it");
            rows += 1;
        }
    }
    (rows > 0).then_some(text)
}
