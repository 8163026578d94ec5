//! The scenario of a cluster, and tables of its nodes and ports.
//!
//! Invariant: the account names everything that the scenario has and the files do not say.

use core::fmt::Write;
use std::collections::BTreeMap;

use link_layer::spec::{Speed, Width};
use packet::Lane;
use topology::{ChannelDependencies, CustomFabric, LinkEnds, RoutingSpec, TopologySpec};
use units::{Length, Rate};

use super::ClusterOptions;
use super::cluster::{Cluster, ClusterCable, ClusterEnd, ClusterIndex, ClusterNode, Named};
use super::fabric::{speed_name, speed_word};
use crate::diagnostics::Diagnostic;
use crate::import::account::{ImportedScenario, KeyAccount, KeyFate};
use crate::import::source::SourceText;

/// Length of cables if none is given: a row of racks.
const USUAL_LENGTH: &str = "10 m";
/// Largest number of nodes that an entry of the account names.
const MOST_NAMED: usize = 8;

/// Writes the scenario of a cluster and its account.
pub(super) fn scenario(
    source: SourceText<'_>,
    cluster: &Cluster,
    options: &ClusterOptions,
) -> Result<ImportedScenario, Diagnostic> {
    connected(source, cluster)?;
    let mut account = Account { source, entries: Vec::new() };
    let fabric = custom(cluster);
    account.nodes(cluster);
    account.links(cluster, options);
    let lengths = account.lengths(options);
    let routing = account.routing(&fabric, cluster);
    account.assumptions(cluster);
    let scenario = text(source.name, cluster, (&fabric, lengths), &routing);
    let files = vec![("nodes.csv".to_owned(), nodes(cluster)), ("ports.csv".to_owned(), ports(cluster))];
    Ok(ImportedScenario { scenario, files, account: account.entries })
}

/// Checks that cables join all nodes.
fn connected(source: SourceText<'_>, cluster: &Cluster) -> Result<(), Diagnostic> {
    let mut next: BTreeMap<ClusterIndex, Vec<ClusterIndex>> = BTreeMap::new();
    for ClusterCable { ends: [one, other], .. } in &cluster.cables {
        next.entry(one.node).or_default().push(other.node);
        next.entry(other.node).or_default().push(one.node);
    }
    let start = ClusterIndex::Host(0);
    let mut seen = std::collections::BTreeSet::from([start]);
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
pub(super) fn custom(cluster: &Cluster) -> CustomFabric {
    let names = |nodes: &[ClusterNode]| nodes.iter().map(|node| node.name.clone()).collect();
    let link = |cable: &ClusterCable| {
        let [from, to] = cable.ends;
        let port = |end: ClusterEnd| Some(end.port).filter(|_| matches!(end.node, ClusterIndex::Switch(_)));
        LinkEnds {
            from: cluster.node(from.node).name.clone(),
            to: cluster.node(to.node).name.clone(),
            cable: kind(cable),
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

/// Returns true if a cable joins two switches.
fn is_trunk(cable: &ClusterCable) -> bool {
    cable.ends.iter().all(|end| matches!(end.node, ClusterIndex::Switch(_)))
}

/// Returns the name of a cable's kind.
fn kind(cable: &ClusterCable) -> String {
    let word = speed_word(cable.speed);
    if is_trunk(cable) { format!("{word} trunk") } else { word }
}

/// The account of an import.
struct Account<'a> {
    source: SourceText<'a>,
    entries: Vec<KeyAccount>,
}

impl Account<'_> {
    fn note(&mut self, key: &str, given: impl Into<String>, fate: KeyFate, what: impl Into<String>) {
        self.entries.push(KeyAccount::new(key, given, fate, what));
    }

    /// Enters nodes or ports, with the place of the first; nothing if there are none.
    fn named(&mut self, key: &str, named: &[Named], fate: KeyFate, what: &str) {
        let Some((_, at)) = named.first() else { return };
        let names = some(named.iter().map(|(name, _)| format!("`{name}`")), named.len());
        let mut entry = KeyAccount::new(key, named.len().to_string(), fate, format!("{names}: {what}"));
        entry.place = Some(self.source.excerpt(at));
        self.entries.push(entry);
    }

    fn nodes(&mut self, cluster: &Cluster) {
        let (hosts, switches) = (cluster.hosts.len(), cluster.switches.len());
        let with = |has: fn(&ClusterNode) -> bool| {
            cluster.hosts.iter().chain(&cluster.switches).filter(|node| has(node)).count()
        };
        let (guids, lids) = (with(|node| node.guid.is_some()), with(|node| node.lid.is_some()));
        let what = format!(
            "`topology`, in the order of switches and ports; `nodes.csv` has {guids} GUIDs and {lids} LIDs"
        );
        self.note("nodes", format!("{hosts} hosts, {switches} switches"), KeyFate::Used, what);
        let left = &cluster.left_out;
        if left.renamed > 0 {
            let what = "names of several nodes, with their GUIDs behind them: `nodes.csv`";
            self.note("names", left.renamed.to_string(), KeyFate::Approximated, what);
        }
        let each = "each port with a cable is a host of its own";
        self.named("several ports", &left.several_ports, KeyFate::Approximated, each);
        let base = "hosts have one LID here: paths to the others are left out";
        self.named("LMC", &left.several_lids, KeyFate::Changed, base);
        self.named(
            "routers",
            &left.routers,
            KeyFate::Changed,
            "left out with their cables, as are other subnets",
        );
        let reduce = "left out: nobody sends to them here, since switches do not reduce collectives";
        self.named("aggregation nodes", &left.aggregators, KeyFate::NotUsed, reduce);
        self.named("adapters without cables", &left.unconnected, KeyFate::NotUsed, "left out");
    }

    fn links(&mut self, cluster: &Cluster, options: &ClusterOptions) {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for cable in &cluster.cables {
            *kinds.entry(kind(cable)).or_default() += 1;
        }
        let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{count} of `{kind}`")).collect();
        let what = format!("`cables`: {}", kinds.join(", "));
        self.note("links", cluster.cables.len().to_string(), KeyFate::Used, what);
        let without = cluster.left_out.without_speed;
        if without > 0 && options.speed.is_some() {
            self.note(
                "speed",
                without.to_string(),
                KeyFate::Used,
                "links without one have that of `--speed`",
            );
        } else if without > 0 {
            let what = "links without one are 4xSDR, as in ibsim; `--speed` gives another";
            self.note("speed", without.to_string(), KeyFate::Approximated, what);
        }
        let shifted =
            cluster.switches.iter().filter(|switch| (1..).zip(&switch.ports).any(|(n, port)| n != *port));
        let shifted: Vec<_> = shifted.map(|switch| format!("`{}`", switch.name)).collect();
        if !shifted.is_empty() {
            let names = some(shifted.iter().cloned(), shifted.len());
            let what = format!(
                "numbered without gaps at {names}: `ports.csv` has the number of each port here and there"
            );
            self.note("port numbers", shifted.len().to_string(), KeyFate::Approximated, what);
        }
        let down = cluster.switches.iter().filter(|switch| !switch.down.is_empty());
        let down: Vec<_> = down.map(|switch| format!("`{}`:{}", switch.name, ranges(&switch.down))).collect();
        if !down.is_empty() {
            let count: usize = cluster.switches.iter().map(|switch| switch.down.len()).sum();
            let what = format!(
                "{}: down, or without a cable; all of them in `ports.csv`",
                some(down.iter().cloned(), down.len())
            );
            self.note("ports down", count.to_string(), KeyFate::NotUsed, what);
        }
    }

    /// Returns the lengths of the cables of hosts and of those between switches.
    fn lengths(&mut self, options: &ClusterOptions) -> (Length, Length) {
        let usual: Length = USUAL_LENGTH.parse().expect("a length");
        let host = options.length.unwrap_or(usual);
        let trunk = options.trunk_length.or(options.length).unwrap_or(usual);
        let given = format!("{host}, {trunk}");
        if options.length.is_some() {
            self.note("lengths", given, KeyFate::Used, "of cables of hosts, and between switches, as given");
        } else {
            let what = "of cables of hosts, and between switches: assumed, since the file has none; `--length` and \
                        `--trunk-length` give others, `changed_cables` those of single ones";
            self.note("lengths", given, KeyFate::Approximated, what);
        }
        (host, trunk)
    }

    /// Returns the routing without tables: fewest links, unless packets could wait in a cycle on such paths.
    fn routing(&mut self, fabric: &CustomFabric, cluster: &Cluster) -> String {
        let kinds: std::collections::BTreeSet<_> = cluster.cables.iter().map(kind).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        let topology = TopologySpec::Custom(fabric.clone()).build(&kinds);
        let cyclic = topology.ok().is_some_and(|topology| {
            let routes = topology.routes(&RoutingSpec::MinHop, 1).expect("it fits any graph");
            let graph = topology.graph();
            let mut dependencies = ChannelDependencies::new(graph, &routes, 1);
            let leaves: std::collections::BTreeSet<_> = graph
                .host_ids()
                .map(|host| graph.ports(host)[0].peer)
                .filter(|peer| !graph.is_host(*peer))
                .collect();
            graph.host_ids().for_each(|to| dependencies.add(to, Lane(0), leaves.iter().copied()));
            dependencies.cycle().is_some()
        });
        if cyclic {
            let what = "`UpDown()`: on the paths of `MinHop` packets could wait in a cycle; `--lfts` gives the cluster's own tables";
            self.note("routing", "", KeyFate::Approximated, what);
            return "UpDown()".to_owned();
        }
        let what = "`MinHop`, OpenSM's default with other ties; `--lfts` gives the cluster's own tables";
        self.note("routing", "", KeyFate::Approximated, what);
        "MinHop".to_owned()
    }

    fn assumptions(&mut self, cluster: &Cluster) {
        let what = format!(
            "a draft, since the file has none: MTU 4 KiB, one data lane, {} a port and lane, 100 ns a switch, no congestion \
             control",
            buffer(cluster)
        );
        self.note("link, switch, adapter", "", KeyFate::Approximated, what);
        let what = "a draft, since the file has none: a permutation of all hosts, and an incast to the first";
        self.note("traffic", "", KeyFate::Approximated, what);
    }
}

/// Joins the first of several texts, and says how many more there are.
fn some(texts: impl Iterator<Item = String>, count: usize) -> String {
    let mut shown: Vec<_> = texts.take(MOST_NAMED).collect();
    if count > MOST_NAMED {
        shown.push(format!("{} more", count - MOST_NAMED));
    }
    shown.join(", ")
}

/// Writes numbers as ranges: `4-35,37`.
fn ranges(numbers: &[u16]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u16]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

/// Returns the buffer of a port and lane, by the fastest link.
fn buffer(cluster: &Cluster) -> &'static str {
    let fast = |cable: &ClusterCable| cable.speed.1.data_rate(cable.speed.0) >= Rate::gbps(200);
    if cluster.cables.iter().any(fast) { "64 KiB" } else { "32 KiB" }
}

/// Writes the scenario.
fn text(
    file: &str,
    cluster: &Cluster,
    (fabric, lengths): (&CustomFabric, (Length, Length)),
    routing: &str,
) -> String {
    let names = |names: &[String]| {
        names.iter().fold(String::new(), |text, name| text + &format!("            {name:?},\n"))
    };
    let buffer = buffer(cluster);
    format!(
        "// Imported from {file}: a cluster as its subnet manager sees it. nodes.csv has the GUIDs and LIDs of its nodes,\n\
         // ports.csv the numbers of its ports. Lengths, lanes, buffers, congestion control and traffic are a draft.\n\
         (\n    about: {about:?},\n    duration: \"1 ms\",\n    sample: \"10 us\",\n    topology: Custom(\n        hosts: [\n{hosts}        ],\n        \
         switches: [\n{switches}        ],\n        links: [\n{links}        ],\n    ),\n    routing: {routing},\n    \
         cables: {{\n{cables}    }},\n    link: (\n        mtu: \"4 KiB\",\n        data_lanes: 1,\n        flow_control: \
         Credits(update_blocks: 32, update_interval: \"4.096 us\", wire_time: Counted),\n    ),\n    switch: (\n        \
         buffering: InputVoq,\n        arbiter: RoundRobin,\n        buffer: \"{buffer}\",\n        latency: \"100 ns\",\n        \
         forwarding: CutThrough,\n        speedup: 2.0,\n    ),\n    adapter: (\n        receive_buffer: \"{buffer}\",\n        \
         ack_every: 16,\n        max_outstanding: 1024,\n        ack_timeout: 14,\n        retry_count: 7,\n    ),\n    \
         congestion_control: Off,\n    traffic: [\n        Permutation(at: \"0 s\", bytes: \"256 KiB\"),\n        \
         Incast(at: \"100 us\", to: {first:?}, senders: {senders}, bytes: \"128 KiB\"),\n    ],\n)\n",
        about = format!("Cluster of {} hosts, imported from {file}.", cluster.hosts.len()),
        hosts = names(&fabric.hosts),
        switches = names(&fabric.switches),
        links = links(fabric),
        cables = cables(cluster, lengths),
        first = cluster.hosts[0].name,
        senders = (cluster.hosts.len() - 1).min(8),
    )
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
        .map(|cable| (kind(cable), (cable.speed, if is_trunk(cable) { trunk } else { host })))
        .collect();
    kinds.iter().fold(String::new(), |text, (kind, ((width, speed), length))| {
        text + &format!(
            "        {kind:?}: (width: X{}, speed: {}, propagation: Cable(\"{length}\")),\n",
            width.lanes(),
            speed_name(*speed)
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
        let name = cell(&node.name);
        writeln!(text, "{name},{kind},{},{},{lid}", guid(node.guid), guid(node.port_guid))
            .expect("a string takes it");
    }
    text
}

/// Writes a table of the ports of switches: their numbers here and there, and their far ends.
fn ports(cluster: &Cluster) -> String {
    let mut far = BTreeMap::new();
    for ClusterCable { ends: [one, other], speed } in &cluster.cables {
        far.insert(*one, (*other, *speed));
        far.insert(*other, (*one, *speed));
    }
    let mut text = "switch,port,cluster_port,state,peer,peer_port,speed\n".to_owned();
    for (i, switch) in cluster.switches.iter().enumerate() {
        let name = cell(&switch.name);
        for (number, port) in (1..).zip(&switch.ports) {
            let number: u16 = number;
            let (peer, speed) = far[&ClusterEnd { node: ClusterIndex::Switch(i), port: *port }];
            let (peer_name, speed) = (cell(&cluster.node(peer.node).name), speed_word(speed));
            let row = format!("{name},{number},{port},up,{peer_name},{},{speed}\n", peer.port);
            text += &row;
        }
        for port in &switch.down {
            text += &format!("{name},,{port},down,,,\n");
        }
    }
    text
}

/// Writes a cell of a table.
fn cell(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
