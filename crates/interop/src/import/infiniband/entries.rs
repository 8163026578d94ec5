//! The account of a cluster's import: what each file gave, and what the scenario has instead.
//!
//! Invariant: the account names everything that the scenario has and the files do not say, and all of the files that it
//! has not.

use std::collections::BTreeMap;

use packet::Framing;
use units::{Bytes, Length, Rate};

use super::arbitration::{ArbitrationDump, ArbitrationTables};
use super::cluster::{Cluster, ClusterCable, ClusterNode, Named};
use super::lanes::{LaneDump, LaneTables};
use super::{ClusterFiles, ClusterOptions};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Length of cables if none is given: a row of racks.
const USUAL_LENGTH: &str = "10 m";
/// Unit of a lane's weight (IBA 7.6.9).
const WEIGHT_UNIT: u64 = 64;
/// Largest number of nodes that an entry of the account names.
const MOST_NAMED: usize = 8;

pub(super) struct Account<'a> {
    pub(super) source: SourceText<'a>,
    pub(super) entries: Vec<KeyAccount>,
    pub(super) warnings: Vec<String>,
}

impl<'a> Account<'a> {
    /// Creates an account without entries.
    pub(super) fn new(source: SourceText<'a>) -> Self {
        Self { source, entries: Vec::new(), warnings: Vec::new() }
    }

    pub(super) fn note(
        &mut self,
        key: &str,
        given: impl Into<String>,
        fate: KeyFate,
        what: impl Into<String>,
    ) {
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

    /// Enters the nodes, and what is not of them.
    pub(super) fn nodes(&mut self, cluster: &Cluster) {
        let (hosts, switches) = (cluster.hosts.len(), cluster.switches.len());
        let with = |has: fn(&ClusterNode) -> bool| {
            cluster.hosts.iter().chain(&cluster.switches).filter(|node| has(node)).count()
        };
        let (guids, lids) = (with(|node| node.guid.is_some()), with(|node| node.lid.is_some()));
        let what = format!(
            "`topology`, in the order of switches and ports; `nodes.csv` has {guids} GUIDs and {lids} LIDs"
        );
        self.note("nodes", format!("{hosts} hosts, {switches} switches"), KeyFate::Used, what);
        self.addresses(cluster, lids);
        let left = &cluster.left_out;
        if left.renamed > 0 {
            let what = "names of several nodes, with their GUIDs behind them: `nodes.csv`";
            self.note("names", left.renamed.to_string(), KeyFate::Approximated, what);
        }
        if left.by_host > 0 {
            let what = "hosts by their name alone, ` HCA-1` and its like left out, where no other node has that name";
            self.note("names of adapters", left.by_host.to_string(), KeyFate::Used, what);
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

    /// Enters nodes without addresses, or with those of others.
    fn addresses(&mut self, cluster: &Cluster, lids: usize) {
        let without = cluster.hosts.iter().filter(|host| host.lid.is_none());
        let without: Vec<_> = without.map(|host| format!("`{}`", host.name)).collect();
        // A file without any LID, such as a net file of ibsim, is no sign of ports that have none.
        if !without.is_empty() && lids > 0 {
            let names = some(without.iter().cloned(), without.len());
            let what = format!("{names}: `nodes.csv` leaves them empty, and exports assign some");
            self.note("hosts without a LID", without.len().to_string(), KeyFate::Approximated, what);
        }
        let first = "the first node keeps it, `nodes.csv` leaves it empty for these";
        self.named("LIDs of several nodes", &cluster.left_out.same_lid, KeyFate::Approximated, first);
        self.named("GUIDs of several nodes", &cluster.left_out.same_guid, KeyFate::Approximated, first);
    }

    /// Enters the cables and the ports.
    pub(super) fn links(&mut self, cluster: &Cluster, options: &ClusterOptions) {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for cable in &cluster.cables {
            *kinds.entry(cable.kind()).or_default() += 1;
        }
        let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{count} of `{kind}`")).collect();
        let what = format!("`cables`: {}", kinds.join(", "));
        self.note("links", cluster.cables.len().to_string(), KeyFate::Used, what);
        let slower = "the slower of both";
        self.named("cables of two speeds", &cluster.left_out.two_speeds, KeyFate::Approximated, slower);
        let what = "`from_port`, `to_port`: the cluster's, in the scenario and in all that is printed of it";
        self.note("port numbers", "", KeyFate::Used, what);
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

    /// Enters the cables that differ from others of their switch.
    pub(super) fn unlike_siblings(&mut self, cluster: &Cluster) {
        let unlike = cluster.unlike_siblings();
        if !unlike.is_empty() {
            let what = some(unlike.iter().cloned(), unlike.len());
            self.note("cables unlike their siblings", unlike.len().to_string(), KeyFate::Used, what);
        }
    }

    /// Enters the MTU of the file.
    pub(super) fn mtu(&mut self, cluster: &Cluster) {
        let Some(least) = cluster.mtus.keys().next() else { return };
        let given = cluster.mtus.iter().map(|(mtu, ports)| format!("{} at {ports} ports", Bytes::from(*mtu)));
        let fate = if cluster.mtus.len() == 1 { KeyFate::Used } else { KeyFate::Approximated };
        let given = given.collect::<Vec<_>>().join(", ");
        self.note(
            "NMTU",
            given,
            fate,
            format!("`link.mtu`: {}, the least of ports with cables", Bytes::from(*least)),
        );
    }

    /// Returns the lengths of the cables of hosts and of those between switches.
    pub(super) fn lengths(&mut self, cluster: &Cluster, options: &ClusterOptions) -> (Length, Length) {
        let known = cluster.cables.iter().filter(|cable| cable.length.is_some()).count();
        if known > 0 {
            let given = format!("{known} of {}", cluster.cables.len());
            self.note(
                "lengths in the file",
                given,
                KeyFate::Used,
                "`LengthDesc` of cables: kinds of their own",
            );
        }
        let two = &cluster.left_out.two_lengths;
        if !two.is_empty() {
            let what =
                format!("{}: ends state different lengths: the longer", some(two.iter().cloned(), two.len()));
            self.note("two lengths", two.len().to_string(), KeyFate::Approximated, what);
        }
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

    /// Returns the lanes by the cluster's tables, if it has any.
    pub(super) fn lanes(
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
        if lanes.not_asked > 0 {
            let what = "without a LID nobody can ask them: the row of most adapters";
            self.note("adapters not asked", lanes.not_asked.to_string(), KeyFate::Changed, what);
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
    pub(super) fn arbitration(
        &mut self,
        dump: Option<(SourceText<'_>, ArbitrationDump)>,
        (cluster, lanes): (&Cluster, Option<&LaneTables>),
    ) -> Result<Option<ArbitrationTables>, Diagnostic> {
        let Some((source, dump)) = dump else { return Ok(None) };
        let lanes = lanes.ok_or_else(|| {
            let message = "tables of lanes need the lanes of service levels";
            source.whole(message, "give `opensm-sl2vl.dump` by `--sl2vl` as well")
        })?;
        let packet = longest_packet(cluster).get().div_ceil(WEIGHT_UNIT);
        let tables = ArbitrationTables::of(source, &dump, (cluster, lanes.data_lanes, packet))?;
        let first = self.entries.len();
        let (given, differ) = (format!("{} ports", dump.ports.len()), tables.that_differ());
        let what = match differ {
            0 => "`link.vl_arbitration`: all ports have one pair of tables".to_owned(),
            _ => format!(
                "`link.vl_arbitration` for most adapters, `vl_arbitration` of adapters and switches at the {differ} ports that differ"
            ),
        };
        self.note("lane arbitration", given, KeyFate::Used, what);
        if tables.without_lid > 0 {
            let what = "without a LID nobody can ask them: the tables of most adapters";
            self.note("adapters not asked", tables.without_lid.to_string(), KeyFate::Changed, what);
        }
        if tables.unused > 0 {
            let what = "weights of lanes that no service level leads to";
            self.note("unused weights", tables.unused.to_string(), KeyFate::NotUsed, what);
        }
        if tables.light > 0 {
            let what = format!("weights below a packet of {packet} units of 64 bytes weigh as one packet");
            self.note("light weights", format!("{} ports", tables.light), KeyFate::Used, what);
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

    /// Enters what the scenario has and no file says.
    pub(super) fn assumptions(&mut self, cluster: &Cluster, files: ClusterFiles<'_>) {
        let mtu = if cluster.mtus.is_empty() { " MTU 4 KiB," } else { "" };
        let lane = if files.sl2vl.is_some() { "" } else { " one data lane," };
        let what = format!(
            "a draft, since the file has none:{mtu}{lane} {} a port and lane, 100 ns a switch, no congestion \
             control",
            buffer(cluster)
        );
        self.note("link, switch, adapter", "", KeyFate::Approximated, what);
        let what = "a draft, since the file has none: a permutation of all hosts, and an incast to the first";
        self.note("traffic", "", KeyFate::Approximated, what);
    }
}

/// Returns the length of the longest packet.
fn longest_packet(cluster: &Cluster) -> Bytes {
    Framing::InfiniBand.longest_packet(cluster.mtu())
}

/// Returns the buffer of a port and lane, by the fastest link.
pub(super) fn buffer(cluster: &Cluster) -> &'static str {
    let fast = |cable: &ClusterCable| cable.speed.1.data_rate(cable.speed.0) >= Rate::gbps(200);
    if cluster.cables.iter().any(fast) { "64 KiB" } else { "32 KiB" }
}

/// Joins the first of several texts, and says how many more there are.
pub(super) fn some(texts: impl Iterator<Item = String>, count: usize) -> String {
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
