//! Lane arbitration tables by port: the output of `smpquery vlarb LID PORT`, port after port. Among it are the limits
//! of high priority of `smpquery portinfo LID PORT`.
//!
//! Invariant: every port with a cable has tables, and not all tables are empty. Entries of lanes that no service
//! level leads to are counted.
//!
//! ```text
//! # VLArbitration tables: Lid 3 port 1 LowCap 8 HighCap 8
//! # Low priority VL Arbitration Table:
//! VL    : |0x0 |0x1 |0x2 |0x3 |0x4 |0x5 |0x6 |0x7 |
//! WEIGHT: |0x0 |0x4 |0x4 |0x4 |0x4 |0x4 |0x4 |0x4 |
//! # High priority VL Arbitration Table:
//! VL    : |0x0 |0x1 |0x2 |0x3 |0x4 |0x5 |0x6 |0x7 |
//! WEIGHT: |0x4 |0x0 |0x0 |0x0 |0x0 |0x0 |0x0 |0x0 |
//! # Port info: Lid 3 port 1
//! VLHighLimit:.....................4
//! ```

use core::fmt::Write;
use core::ops::Range;
use std::collections::BTreeMap;

use super::cluster::{Cluster, ClusterNode};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// Most entries of a table (IBA 14.2.5.9).
const MOST_ENTRIES: usize = 64;
/// The tables of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArbitrationDump {
    /// Tables of ports, in the order of the file.
    pub ports: Vec<PortWeights>,
    /// `VLHighLimit` by LID and number of the port, with the bytes of its line.
    pub limits: BTreeMap<(u16, u16), (u8, Range<usize>)>,
}

/// The tables of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortWeights {
    /// LID of the switch, or of the adapter's port.
    pub lid: u16,
    /// Number of the port; 0 for that by which an adapter was asked.
    pub port: u16,
    /// Lanes and weights of high priority, in units of 64 bytes.
    pub high: Vec<(u8, u8)>,
    /// Lanes and weights of low priority.
    pub low: Vec<(u8, u8)>,
    /// Bytes of the file that introduce the port.
    pub at: Range<usize>,
}

/// The part of the file to which a line belongs.
#[derive(Clone, Copy)]
enum Section {
    /// No table: the file's first lines, a port before its tables, or a switch's own port without any.
    Outside,
    High,
    Low,
    Info(u16, u16),
}

impl ArbitrationDump {
    /// Reads the file.
    ///
    /// # Errors
    /// If a line has another form, or a port has two tables, or a header without tables.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut dump = Self::default();
        let mut section = Section::Outside;
        let mut lanes: Option<(Part<'_>, Vec<u8>)> = None;
        // Warnings of the tools go to the same terminal, and often into the same file.
        for line in source.lines().filter(|line| !line.text.starts_with("ibwarn:")) {
            if let Some(weights) = line.behind("WEIGHT:") {
                let Some((_, lanes)) = lanes.take() else {
                    return Err(source.wrong(
                        &line.range(),
                        "weights without lanes",
                        "write `VL    : |0x0 |` above",
                    ));
                };
                dump.add(source, section, (line, lanes), cells(source, weights, u8::MAX)?)?;
            } else if let Some((line, _)) = &lanes {
                return Err(source.wrong(
                    &line.range(),
                    "lanes without weights",
                    "write `WEIGHT: |0x4 |` below",
                ));
            } else if let Some(row) = line.behind("VL ").filter(|row| row.text.contains('|')) {
                lanes = Some((line, cells(source, row, 15)?));
            } else if line.text.starts_with('#') {
                section = dump.head(source, line)?.unwrap_or(section);
            } else {
                dump.field(source, section, line)?;
            }
        }
        if let Some((line, _)) = lanes {
            return Err(source.wrong(&line.range(), "lanes without weights", "write `WEIGHT: |0x4 |` below"));
        }
        if dump.ports.is_empty() {
            let help = "write what `smpquery vlarb LID PORT` prints for each port";
            return Err(source.whole("the file has no lane arbitration tables", help));
        }
        // A switch's own port may have none.
        let empty = dump.ports.iter().find(|own| own.port > 0 && own.high.is_empty() && own.low.is_empty());
        empty.map_or(Ok(()), |own| Err(own.lacks(source, "has a header and no tables")))?;
        Ok(dump)
    }

    /// Reads a line that begins with `#`; `None` for a comment.
    fn head(&mut self, source: SourceText<'_>, line: Part<'_>) -> Result<Option<Section>, Diagnostic> {
        if let Some(rest) = line.behind("# VLArbitration tables:") {
            let (lid, port) = lid_and_port(source, rest)?;
            if self.ports.iter().any(|known| (known.lid, known.port) == (lid, port)) {
                let message = format!("port {port} of LID {lid} has tables already");
                return Err(source.wrong(&line.range(), message, "give each port its tables once"));
            }
            self.ports.push(PortWeights { lid, port, high: Vec::new(), low: Vec::new(), at: line.range() });
            return Ok(Some(Section::Outside));
        }
        if let Some(rest) = line.behind("# Port info:") {
            let (lid, port) = lid_and_port(source, rest)?;
            return Ok(Some(Section::Info(lid, port)));
        }
        Ok(match line.text {
            text if text.starts_with("# No VLArbitration tables") => Some(Section::Outside),
            "# Low priority VL Arbitration Table:" => Some(Section::Low),
            "# High priority VL Arbitration Table:" => Some(Section::High),
            _ => None,
        })
    }

    /// Adds a block of a table.
    fn add(
        &mut self,
        source: SourceText<'_>,
        section: Section,
        (line, lanes): (Part<'_>, Vec<u8>),
        weights: Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let wrong = |message: String, help| Err(source.wrong(&line.range(), message, help));
        if lanes.len() != weights.len() {
            let message = format!("{} weights stand below {} lanes", weights.len(), lanes.len());
            return wrong(message, "write a weight for each lane");
        }
        let table = match (section, self.ports.last_mut()) {
            (Section::High, Some(port)) => &mut port.high,
            (Section::Low, Some(port)) => &mut port.low,
            _ => {
                return wrong(
                    "weights of no table".to_owned(),
                    "write `# Low priority VL Arbitration Table:` above",
                );
            }
        };
        table.extend(lanes.into_iter().zip(weights));
        if table.len() > MOST_ENTRIES {
            let message = format!("the table has {} entries", table.len());
            return wrong(message, "write at most 64, as IBA has them");
        }
        Ok(())
    }

    /// Reads a field of `smpquery portinfo`. Only `VLHighLimit` matters.
    fn field(&mut self, source: SourceText<'_>, section: Section, line: Part<'_>) -> Result<(), Diagnostic> {
        let Section::Info(lid, port) = section else {
            let help = "write what `smpquery vlarb LID PORT` and `smpquery portinfo LID PORT` print";
            return Err(source.wrong(&line.range(), "this is no part of lane arbitration tables", help));
        };
        let Some((_, value)) = line.split(':').filter(|(name, _)| name.text == "VLHighLimit") else {
            return Ok(());
        };
        let number = value.text.trim_start_matches('.');
        let limit = decimal(number).filter(|_| !number.is_empty()).ok_or_else(|| {
            source.wrong(&value.range(), format!("`{number}` is not a limit"), "write a number from 0 to 255")
        })?;
        if self.limits.insert((lid, port), (limit, line.range())).is_some() {
            let message = format!("port {port} of LID {lid} has a limit already");
            return Err(source.wrong(&line.range(), message, "give each port its limit once"));
        }
        Ok(())
    }
}

impl PortWeights {
    /// Refuses a port without entries in its tables: a failed query leaves none.
    fn lacks(&self, source: SourceText<'_>, what: &str) -> Diagnostic {
        let Self { lid, port, .. } = self;
        let help =
            format!("ask again, `smpquery vlarb {lid} {port}`, or write the tables that the port obeys");
        source.wrong(&self.at, format!("port {port} of LID {lid} {what}"), &help)
    }
}

/// Reads `Lid 3 port 1`.
fn lid_and_port(source: SourceText<'_>, rest: Part<'_>) -> Result<(u16, u16), Diagnostic> {
    let words: Vec<Part<'_>> = rest.words().take(4).collect();
    let numbers = match words[..] {
        [lid_word, lid, port_word, port] if (lid_word.text, port_word.text) == ("Lid", "port") => {
            decimal(lid.text).zip(decimal(port.text).filter(|port| *port <= 254))
        }
        _ => None,
    };
    numbers.ok_or_else(|| {
        let help = "ask by LID, `smpquery vlarb 3 1`, which prints `Lid 3 port 1`";
        source.wrong(&rest.trimmed().range(), "the port is not named by LID and number", help)
    })
}

/// Reads the cells of a row, `: |0x0 |0x1 |`, each up to `most`.
fn cells(source: SourceText<'_>, row: Part<'_>, most: u8) -> Result<Vec<u8>, Diagnostic> {
    let inside = row.split('|').map_or(row, |(_, inside)| inside);
    let mut numbers = Vec::new();
    let mut rest = inside;
    while let Some((cell, behind)) = rest.split('|') {
        let cell = cell.trimmed();
        let number = cell.text.strip_prefix("0x").filter(|digits| !digits.is_empty()).and_then(hex);
        let number = number.and_then(|number| u8::try_from(number).ok()).filter(|number| *number <= most);
        numbers.push(number.ok_or_else(|| {
            let help = format!("write a number from 0x0 to {most:#x}, and `|` behind it");
            source.wrong(&cell.range(), format!("`{}` is not such a number", cell.text), &help)
        })?);
        rest = behind;
    }
    if !rest.text.trim().is_empty() || numbers.is_empty() {
        return Err(source.wrong(&row.range(), "this is not a row of a table", "write `|0x0 |0x1 |`"));
    }
    Ok(numbers)
}

/// Tables of a port of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Weights {
    high: Vec<(u8, u8)>,
    low: Vec<(u8, u8)>,
    limit: u8,
}

/// The arbitration of a scenario's lanes by port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArbitrationTables {
    /// The tables of most adapters.
    link: Weights,
    /// Adapters with others, by index.
    hosts: BTreeMap<usize, Weights>,
    /// Tables of the ports of each switch.
    switches: Vec<Vec<Weights>>,
    /// Number of entries with weight for lanes that no service level leads to.
    pub(super) unused: usize,
    /// Number of ports without a limit of high priority.
    pub(super) without_limit: usize,
    /// Number of adapters without a LID, which have the tables of most.
    pub(super) without_lid: usize,
    /// Number of ports with several weights, some of them below a packet.
    pub(super) light: usize,
}

impl ArbitrationTables {
    /// Finds the tables of the ports of a cluster with this number of lanes. `packet` is the length of the longest
    /// packet in units of weights.
    pub(super) fn of(
        source: SourceText<'_>,
        dump: &ArbitrationDump,
        (cluster, data_lanes, packet): (&Cluster, u8, u64),
    ) -> Result<Self, Diagnostic> {
        known_lids(source, dump, cluster)?;
        let by_port: BTreeMap<(u16, u16), &PortWeights> =
            dump.ports.iter().map(|own| ((own.lid, own.port), own)).collect();
        let (mut unused, mut without_limit) = (0, 0);
        let mut weights = |node: &ClusterNode, port: u16, own: bool| {
            // Port 0 of an adapter stands for the port that was asked.
            let mut places =
                [port, 0].into_iter().take(1 + usize::from(own)).filter_map(|port| Some((node.lid?, port)));
            let found = places.clone().find_map(|place| by_port.get(&place)).ok_or_else(|| {
                let message = format!("there are no tables of port {port} of `{}`", node.name);
                source
                    .whole(message, "write what `smpquery vlarb LID PORT` prints for each port with a cable")
            })?;
            let mut kept = |table: &[(u8, u8)]| -> Vec<(u8, u8)> {
                // An entry without weight never sends, so its loss changes nothing.
                unused += table.iter().filter(|(lane, weight)| *lane >= data_lanes && *weight > 0).count();
                table.iter().copied().filter(|(lane, _)| *lane < data_lanes).collect()
            };
            let (high, low) = (kept(&found.high), kept(&found.low));
            if high.is_empty() && low.is_empty() {
                return Err(found.lacks(source, "has no entry for a lane that a service level leads to"));
            }
            let limit = places.find_map(|place| dump.limits.get(&place)).map(|(limit, _)| *limit);
            without_limit += usize::from(limit.is_none());
            Ok::<_, Diagnostic>(Weights { high, low, limit: limit.unwrap_or(0) })
        };
        // A port without a LID cannot be asked.
        let asked =
            cluster.hosts.iter().map(|host| host.lid.map(|_| weights(host, host.ports[0], true)).transpose());
        let asked: Vec<Option<Weights>> = asked.collect::<Result<_, _>>()?;
        let of_switch = |switch: &ClusterNode| -> Result<Vec<Weights>, Diagnostic> {
            switch.ports.iter().map(|port| weights(switch, *port, false)).collect()
        };
        let switches = cluster.switches.iter().map(of_switch).collect::<Result<Vec<_>, _>>()?;
        let known: Vec<Weights> = asked.iter().flatten().cloned().collect();
        let light = known.iter().chain(switches.iter().flatten()).filter(|own| own.has_light(packet)).count();
        let without_lid = asked.len() - known.len();
        let link = most_common(&known);
        let hosts = asked.into_iter().map(|own| own.unwrap_or_else(|| link.clone()));
        let others = hosts.enumerate().filter(|(_, own)| *own != link);
        let hosts = others.collect();
        Ok(Self { link, hosts, switches, unused, without_limit, without_lid, light })
    }

    /// Writes `vl_arbitration` of `link`.
    pub(super) fn link_text(&self) -> String {
        self.link.text()
    }

    /// Number of ports with tables that differ from most adapters' tables.
    pub(super) fn that_differ(&self) -> usize {
        let of_switches = self.switches.iter().flatten().filter(|own| **own != self.link);
        self.hosts.len() + of_switches.count()
    }

    /// Writes the tables of an adapter, if they differ from most adapters' tables.
    pub(super) fn host_text(&self, host: usize) -> Option<String> {
        self.hosts.get(&host).map(Weights::text)
    }

    /// Writes the tables of a switch: the most common tables, then the tables of ports that differ, by the
    /// ports' numbers. The text is empty if all equal `link`'s tables.
    pub(super) fn switch_text(&self, switch: usize, numbers: &[u16]) -> String {
        let ports = &self.switches[switch];
        let usual = most_common(ports);
        let mut text = String::new();
        let mut entry = |port: String, own: &Weights| {
            write!(text, "({port}tables: {}), ", own.text()).expect("a string takes it");
        };
        if usual != self.link {
            entry(String::new(), &usual);
        }
        for (number, own) in numbers.iter().zip(ports).filter(|(_, own)| **own != usual) {
            entry(format!("port: {number}, "), own);
        }
        text.trim_end_matches(", ").to_owned()
    }
}

impl Weights {
    /// Returns true if a table has several weights, and some of them are below a packet's: such weigh as one packet.
    fn has_light(&self, packet: u64) -> bool {
        [&self.high, &self.low].into_iter().any(|table| {
            let mut weights = table.iter().map(|(_, weight)| *weight).filter(|weight| *weight > 0);
            let differ = weights.clone().any(|weight| Some(weight) != weights.clone().next());
            differ && weights.any(|weight| u64::from(weight) < packet)
        })
    }

    fn text(&self) -> String {
        let table = |entries: &[(u8, u8)]| {
            let entries = entries.iter().map(|(lane, weight)| format!("(lane: {lane}, weight: {weight})"));
            entries.collect::<Vec<_>>().join(", ")
        };
        let (high, low) = (table(&self.high), table(&self.low));
        format!("(high: [{high}], low: [{low}], limit_of_high_priority: {})", self.limit)
    }
}

/// Checks that every LID, of tables and of limits, belongs to the cluster.
fn known_lids(source: SourceText<'_>, dump: &ArbitrationDump, cluster: &Cluster) -> Result<(), Diagnostic> {
    let nodes = cluster.hosts.iter().chain(&cluster.switches);
    let lids: std::collections::BTreeSet<u16> = nodes.filter_map(|node| node.lid).collect();
    let of_tables = dump.ports.iter().map(|own| (own.lid, &own.at));
    let of_limits = dump.limits.iter().map(|((lid, _), (_, at))| (*lid, at));
    of_tables.chain(of_limits).find(|(lid, _)| !lids.contains(lid)).map_or(Ok(()), |(lid, at)| {
        let message = format!("the cluster has no node with LID {lid}");
        Err(source.wrong(at, message, "import both files as they were at the same time"))
    })
}

/// Returns the most common tables, the least of several; empty tables of none.
fn most_common(all: &[Weights]) -> Weights {
    let mut counts: BTreeMap<&Weights, usize> = BTreeMap::new();
    all.iter().for_each(|own| *counts.entry(own).or_default() += 1);
    let most = counts.values().copied().max();
    counts
        .into_iter()
        .find(|(_, count)| Some(*count) == most)
        .map_or_else(Weights::default, |(own, _)| own.clone())
}
