//! The scenario of a cluster, and tables of its nodes and ports.
//!
//! Invariant: the account names everything that the scenario has and the files do not say.

use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

use link_layer::spec::{Speed, Width};
use topology::{CustomFabric, LinkEnds, RoutingSpec, Topology, TopologyError, TopologySpec};
use units::{Length, Rate};

use super::arbitration::{ArbitrationDump, ArbitrationTables};
use super::cluster::{Cluster, ClusterCable, ClusterEnd, ClusterIndex, ClusterNode, Named};
use super::fabric::speed_word;
use super::forwarding::ForwardingTables;
use super::lanes::{LaneDump, LaneTables};
use super::routes::{self, CheckedTables};
use super::{ClusterFiles, ClusterOptions};
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
    (files, options): (ClusterFiles<'_>, &ClusterOptions),
) -> Result<ImportedScenario, Diagnostic> {
    connected(source, cluster)?;
    let mut account = Account { source, entries: Vec::new(), warnings: Vec::new() };
    let fabric = custom(cluster);
    let topology =
        built(&fabric, cluster).map_err(|said| source.whole(said.to_string(), "write another subnet"))?;
    account.nodes(cluster);
    account.links(cluster, options);
    let lengths = account.lengths(options);
    let lanes = account.lanes(files.sl2vl, cluster)?;
    let arbitration = account.arbitration(files.vlarb, (cluster, lanes.as_ref()))?;
    let routing = match files.lfts {
        Some(tables) => account.tables(tables, (cluster, &topology), lanes.as_ref())?,
        None => account.routing(&topology, lanes.as_ref()),
    };
    account.assumptions(cluster, files);
    let scenario =
        text(source.name, cluster, (&fabric, lengths), (&routing, (lanes.as_ref(), arbitration.as_ref())));
    let files = vec![("nodes.csv".to_owned(), nodes(cluster)), ("ports.csv".to_owned(), ports(cluster))];
    let Account { entries, warnings, .. } = account;
    Ok(ImportedScenario { scenario, files, account: entries, warnings })
}

/// Builds the graph of a cluster.
fn built(fabric: &CustomFabric, cluster: &Cluster) -> Result<Topology, TopologyError> {
    let kinds: BTreeSet<_> = cluster.cables.iter().map(kind).collect();
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
    warnings: Vec<String>,
}

/// The routing of a scenario as text.
struct RoutingText {
    text: String,
    /// True if packets could wait for each other in a cycle.
    cyclic: bool,
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
    fn routing(&mut self, topology: &Topology, lanes: Option<&LaneTables>) -> RoutingText {
        let routes = topology.routes(&RoutingSpec::MinHop, 1).expect("it fits any graph");
        let (text, what) = if routes::cycle(topology, &routes, lanes).is_some() {
            let what = "`UpDown()`: on the paths of `MinHop` packets could wait in a cycle; `--lfts` gives the cluster's own tables";
            ("UpDown()", what)
        } else {
            ("MinHop", "`MinHop`, OpenSM's default with other ties; `--lfts` gives the cluster's own tables")
        };
        self.note("routing", "", KeyFate::Approximated, what);
        RoutingText { text: text.to_owned(), cyclic: false }
    }

    /// Returns the routing by the cluster's tables.
    fn tables(
        &mut self,
        source: SourceText<'_>,
        (cluster, topology): (&Cluster, &Topology),
        lanes: Option<&LaneTables>,
    ) -> Result<RoutingText, Diagnostic> {
        let tables = ForwardingTables::read(source)?;
        let CheckedTables { tables, unreached, example, idle } =
            routes::checked(source, &tables, (cluster, topology))?;
        let first = self.entries.len();
        let given = format!("{} tables", tables.len());
        self.note(
            "forwarding tables",
            given,
            KeyFate::Used,
            "`routing: Tables`, along which every pair of hosts was followed",
        );
        if let Some(example) = example {
            let pairs = cluster.hosts.len() * (cluster.hosts.len() - 1);
            let what = format!("{example}. Paths to such hosts are those of `MinHop`");
            self.note("unreachable pairs", format!("{unreached} of {pairs}"), KeyFate::Changed, what);
        }
        if idle > 0 {
            let what = "entries that no path between hosts uses lead nowhere: left out";
            self.note("idle entries", idle.to_string(), KeyFate::Approximated, what);
        }
        let entries = tables.iter().map(|(name, table)| format!("        {name:?}: {table:?},\n"));
        let text = format!("Tables({{\n{}    }})", entries.collect::<String>());
        let spec = RoutingSpec::Tables(tables);
        let routes =
            topology.routes(&spec, 1).map_err(|said| source.whole(said.to_string(), "check the tables"))?;
        let cycle = routes::cycle(topology, &routes, lanes);
        let cyclic = cycle.is_some();
        if let Some(cycle) = cycle {
            let what = format!(
                "packets could wait for each other for ever: {cycle}. `dependency_cycles: Allowed`, so that a run shows whether they do"
            );
            self.warnings.push(format!("{}: credit loop: {cycle}", source.name));
            self.note("credit loops", "found", KeyFate::Used, what);
        } else {
            self.note(
                "credit loops",
                "none",
                KeyFate::Used,
                "packets between any two hosts cannot wait in a cycle",
            );
        }
        self.entries[first..].iter_mut().for_each(|entry| entry.file = Some(source.name.to_owned()));
        Ok(RoutingText { text, cyclic })
    }

    /// Returns the lanes by the cluster's tables, if it has any.
    fn lanes(
        &mut self,
        source: Option<SourceText<'_>>,
        cluster: &Cluster,
    ) -> Result<Option<LaneTables>, Diagnostic> {
        let Some(source) = source else { return Ok(None) };
        let lanes = LaneTables::of(source, &LaneDump::read(source)?, cluster)?;
        let first = self.entries.len();
        let what = if lanes.change() {
            "`link.sl_to_vl` for adapters, `sl_to_vl` of each switch by input and output: packets may change lanes on their way"
        } else {
            "`link.sl_to_vl`: all ports have one table"
        };
        self.note("service levels", format!("{} lanes", lanes.data_lanes), KeyFate::Used, what);
        if !lanes.other_hosts.is_empty() {
            let hosts = &lanes.other_hosts;
            let what = format!(
                "{}: these adapters have another table, and here that of most",
                some(hosts.iter().cloned(), hosts.len())
            );
            self.note("adapters that differ", hosts.len().to_string(), KeyFate::Changed, what);
        }
        if !lanes.discarded.is_empty() {
            let levels = lanes.discarded.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
            let what = "some tables discard packets of these service levels (VL15); here they have lane 0";
            self.note("discarded levels", levels, KeyFate::Changed, what);
        }
        self.entries[first..].iter_mut().for_each(|entry| entry.file = Some(source.name.to_owned()));
        Ok(Some(lanes))
    }

    /// Returns the arbitration of lanes by the cluster's tables, if it has any.
    fn arbitration(
        &mut self,
        source: Option<SourceText<'_>>,
        (cluster, lanes): (&Cluster, Option<&LaneTables>),
    ) -> Result<Option<ArbitrationTables>, Diagnostic> {
        let Some(source) = source else { return Ok(None) };
        let lanes = lanes.ok_or_else(|| {
            let message = "tables of lanes need the lanes of service levels";
            source.whole(message, "give `opensm-sl2vl.dump` by `--sl2vl` as well")
        })?;
        let dump = ArbitrationDump::read(source)?;
        let tables = ArbitrationTables::of(source, &dump, (cluster, lanes.data_lanes))?;
        let first = self.entries.len();
        let (given, differ) = (format!("{} ports", dump.ports.len()), tables.that_differ());
        let what = match differ {
            0 => "`link.vl_arbitration`: all ports have one pair of tables".to_owned(),
            _ => format!(
                "`link.vl_arbitration` for most adapters, `vl_arbitration` of adapters and switches at the {differ} ports that differ"
            ),
        };
        self.note("lane arbitration", given, KeyFate::Used, what);
        if tables.unused > 0 {
            let what = "weights of lanes that no service level leads to";
            self.note("unused weights", tables.unused.to_string(), KeyFate::NotUsed, what);
        }
        if tables.without_limit > 0 {
            let what = "ports without `VLHighLimit` (`smpquery portinfo`): 0, OpenSM's own value, with which low priority has a turn after each packet of high priority";
            self.note(
                "limit of high priority",
                tables.without_limit.to_string(),
                KeyFate::Approximated,
                what,
            );
        }
        self.entries[first..].iter_mut().for_each(|entry| entry.file = Some(source.name.to_owned()));
        Ok(Some(tables))
    }

    fn assumptions(&mut self, cluster: &Cluster, files: ClusterFiles<'_>) {
        let lane = if files.sl2vl.is_some() { "" } else { " one data lane," };
        let what = format!(
            "a draft, since the file has none: MTU 4 KiB,{lane} {} a port and lane, 100 ns a switch, no congestion \
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
    (routing, (lanes, arbitration)): (&RoutingText, (Option<&LaneTables>, Option<&ArbitrationTables>)),
) -> String {
    let names = |names: &[String]| {
        names.iter().fold(String::new(), |text, name| text + &format!("            {name:?},\n"))
    };
    let buffer = buffer(cluster);
    format!(
        "// Imported from {file}: a cluster as its subnet manager sees it. nodes.csv has the GUIDs and LIDs of its nodes,\n\
         // ports.csv the numbers of its ports. Lengths, lanes, buffers, congestion control and traffic are a draft.\n\
         (\n    about: {about:?},\n    duration: \"1 ms\",\n    sample: \"10 us\",\n    topology: Custom(\n        hosts: [\n{hosts}        ],\n        \
         switches: [\n{switches}        ],\n        links: [\n{links}        ],\n    ),\n    routing: {routing},\n{cycles}    \
         cables: {{\n{cables}    }},\n    link: (\n        mtu: \"4 KiB\",\n        data_lanes: {data_lanes},\n{levels}{weights}        flow_control: \
         Credits(update_blocks: 32, update_interval: \"4.096 us\", wire_time: Counted),\n    ),\n    switch: (\n        \
         buffering: InputVoq,\n        arbiter: RoundRobin,\n        buffer: \"{buffer}\",\n        latency: \"100 ns\",\n        \
         forwarding: CutThrough,\n        speedup: 2.0,\n    ),\n{own}{adapters}    adapter: (\n        receive_buffer: \"{buffer}\",\n        \
         ack_every: 16,\n        max_outstanding: 1024,\n        ack_timeout: 14,\n        retry_count: 7,\n    ),\n    \
         congestion_control: Off,\n    traffic: [\n        Permutation(at: \"0 s\", bytes: \"256 KiB\"),\n        \
         Incast(at: \"100 us\", to: {first:?}, senders: {senders}, bytes: \"128 KiB\"),\n    ],\n)\n",
        about = format!("Cluster of {} hosts, imported from {file}.", cluster.hosts.len()),
        hosts = names(&fabric.hosts),
        switches = names(&fabric.switches),
        links = links(fabric),
        cables = cables(cluster, lengths),
        routing = routing.text,
        cycles = if routing.cyclic { "    dependency_cycles: Allowed,\n" } else { "" },
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
        let levels = lanes.and_then(|lanes| field("sl_to_vl", lanes.switch_text(i)));
        let weights = arbitration.and_then(|own| field("vl_arbitration", own.switch_text(i)));
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
        .map(|cable| (kind(cable), (cable.speed, if is_trunk(cable) { trunk } else { host })))
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
