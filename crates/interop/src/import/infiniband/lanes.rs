//! Tables of service levels to lanes by input and output: `opensm-sl2vl.dump`, or the output of `smpquery sl2vl LID
//! PORT`, port after port.
//!
//! Invariant: every pair of ports with cables has a row, and no pair has two. A row that discards a service level
//! (VL15) is named.
//!
//! ```text
//! Switch 0x0002c90300000100, base LID 2, "sw-a"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! 1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//! Channel Adapter 0x0002c90300000201, base LID 3, "node-1"
//! 0   0   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//!
//! # SL2VL table: Lid 2                                                                (smpquery)
//! #                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
//! ports: in  1, out  2: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6| 7|
//! ```

use core::fmt::Write;
use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use packet::PortId;

use super::cluster::Cluster;
use super::fabric::lid_of_port;
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// Lanes by service level.
pub(super) type LaneRow = [u8; 16];

/// The lane of management packets, by which a table discards data (IBA 7.6.6).
const DISCARDED: u8 = 15;

/// The tables of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneDump {
    /// Tables of nodes, in the order of the file.
    pub nodes: Vec<NodeLanes>,
}

/// The table of a switch or of the port of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLanes {
    /// The node.
    pub node: LaneNode,
    /// Input, output, and lanes by service level.
    pub rows: Vec<(u16, u16, [u8; 16])>,
    /// Bytes of the file that introduce the node.
    pub at: Range<usize>,
}

/// A node as a file of lanes names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneNode {
    /// GUID of a switch, or of an adapter's port: `opensm-sl2vl.dump`.
    Guid(u64),
    /// LID of a switch, or of an adapter's port: `smpquery`.
    Lid(u16),
}

impl LaneDump {
    /// Reads the file.
    ///
    /// # Errors
    /// If a line has another form.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut dump = Self::default();
        // The tables of a switch may come port by port, with those of other nodes between them.
        let mut places: BTreeMap<LaneNode, usize> = BTreeMap::new();
        let mut known = BTreeMap::new();
        let mut at = None;
        for line in source.lines() {
            if let Some(node) = head(source, line)? {
                let place = *places.entry(node.node).or_insert_with(|| {
                    dump.nodes.push(node);
                    dump.nodes.len() - 1
                });
                at = Some(place);
                continue;
            }
            if line.text.starts_with('#') {
                continue;
            }
            let (input, output, lanes) = row(source, line)?;
            let Some(at) = at else {
                let help = "begin with `Switch 0x0002c90300000100, base LID 2, \"sw-a\"`, or with `# SL2VL \
                    table: Lid 2`";
                return Err(source.wrong(&line.range(), "a row stands before the first node", help));
            };
            match known.insert((at, input, output), lanes) {
                None => dump.nodes[at].rows.push((input, output, lanes)),
                Some(own) if own == lanes => {}
                Some(_) => {
                    let message = format!("input {input} and output {output} have another row already");
                    return Err(source.wrong(&line.range(), message, "give each pair of ports one row"));
                }
            }
        }
        if dump.nodes.is_empty() {
            let help = "write what `smpquery sl2vl LID PORT` prints, or `opensm-sl2vl.dump`, as `opensm -D 0x43 \
                -Q` does";
            return Err(source.whole("the file has no tables of service levels", help));
        }
        Ok(dump)
    }
}

/// Reads the line that introduces a node; `None` for another line.
fn head(source: SourceText<'_>, line: Part<'_>) -> Result<Option<NodeLanes>, Diagnostic> {
    let node = |node| Ok(Some(NodeLanes { node, rows: Vec::new(), at: line.range() }));
    if let Some(rest) = line.behind("# SL2VL table:") {
        let words: Vec<Part<'_>> = rest.words().collect();
        let lid = match words[..] {
            [lid, number] if lid.text == "Lid" => decimal(number.text).and_then(lid_of_port),
            _ => None,
        };
        let lid = lid.ok_or_else(|| {
            let help = "ask by LID, `smpquery sl2vl 3 1`, which prints `Lid 3`";
            source.wrong(&rest.trimmed().range(), "the node is not named by its LID", help)
        })?;
        return node(LaneNode::Lid(lid));
    }
    let kinds = ["Switch ", "Channel Adapter ", "Router "];
    let Some(rest) = kinds.into_iter().find_map(|word| line.behind(word)) else { return Ok(None) };
    let word = rest.words().next().unwrap_or(line);
    let wrong = || {
        let help = "write `Switch 0x0002c90300000100, base LID 2, \"sw-a\"`";
        source.wrong(&word.range(), format!("`{}` is not a GUID", word.text), help)
    };
    let guid = hex(word.text.trim_end_matches(',')).ok_or_else(wrong)?;
    node(LaneNode::Guid(guid))
}

/// Reads a row: input, output and sixteen lanes.
fn row(source: SourceText<'_>, line: Part<'_>) -> Result<(u16, u16, LaneRow), Diagnostic> {
    let words: Vec<Part<'_>> = match line.behind("ports:") {
        Some(rest) => {
            let pieces = rest.pieces([' ', '\t', ',', ':', '|']);
            pieces.filter(|word| !["in", "out"].contains(&word.text)).collect()
        }
        None => line.words().filter(|word| word.text != ":").collect(),
    };
    if words.len() != 18 {
        let message = format!("this row has {} numbers", words.len());
        return Err(source.wrong(
            &line.range(),
            message,
            "write input, output, and the lanes of 16 service levels",
        ));
    }
    let number = |at: usize, most: u16, what: &str| {
        let word = words[at];
        let wrong = || {
            let message = format!("`{}` is not {what}", word.text);
            source.wrong(&word.range(), message, &format!("write a number from 0 to {most}"))
        };
        decimal(word.text).filter(|number| *number <= most).ok_or_else(wrong)
    };
    let mut lanes = [0; 16];
    for (level, lane) in lanes.iter_mut().enumerate() {
        *lane = number(level + 2, 15, "a lane")? as u8;
    }
    Ok((number(0, 254, "a port")?, number(1, 254, "a port")?, lanes))
}

/// The lanes of a scenario by service level, and at switches by input and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaneTables {
    /// Number of data lanes that any row leads to, from lane 0 on.
    pub(super) data_lanes: u8,
    /// The row of adapters, and of switches without entries of their own.
    pub(super) link: LaneRow,
    /// Rows of each switch by input and output, as indices of their ports with cables.
    switches: Vec<Vec<Vec<LaneRow>>>,
    /// Adapters with another row than most, by the names of their hosts.
    pub(super) other_hosts: Vec<String>,
    /// Service levels that some row discards.
    pub(super) discarded: BTreeSet<u8>,
    /// Number of adapters without a LID, by which they could be asked.
    pub(super) not_asked: usize,
}

impl LaneTables {
    /// Tables with the same row at all ports.
    fn uniform(link: LaneRow) -> Self {
        let mut tables = Self {
            data_lanes: 1,
            link,
            switches: Vec::new(),
            other_hosts: Vec::new(),
            discarded: BTreeSet::new(),
            not_asked: 0,
        };
        tables.settle();
        tables
    }

    /// Finds the tables of the nodes of a cluster in a file.
    pub(super) fn of(source: SourceText<'_>, dump: &LaneDump, cluster: &Cluster) -> Result<Self, Diagnostic> {
        known_lids(source, dump, cluster)?;
        let by_node: BTreeMap<LaneNode, &NodeLanes> =
            dump.nodes.iter().map(|node| (node.node, node)).collect();
        let asked = by_node.keys().any(|node| matches!(node, LaneNode::Lid(_)));
        let node = |guid: Option<u64>, lid: Option<u16>, name: &str| {
            let missing = || {
                let message = format!("there is no table of `{name}`");
                source.whole(message, "import both files as they were at the same time")
            };
            let nodes = [guid.map(LaneNode::Guid), lid.map(LaneNode::Lid)];
            nodes.into_iter().flatten().find_map(|node| by_node.get(&node).copied()).ok_or_else(missing)
        };
        let (mut rows, mut not_asked) = (Vec::new(), 0);
        for host in &cluster.hosts {
            if asked && host.lid.is_none() {
                not_asked += 1;
                continue;
            }
            // The file names adapters by the GUIDs of their ports. Formats that name ports only have such a GUID as the
            // node's.
            let guid = host.port_guid.or(host.guid);
            let node = node(guid, host.lid, &host.name)?;
            let row = node.rows.first().ok_or_else(|| {
                source.wrong(&node.at, "this adapter has no row", "write a row for input 0 and output 0")
            })?;
            rows.push((host.name.clone(), row.2));
        }
        let link = most_common(rows.iter().map(|(_, row)| *row));
        let others = rows.iter().filter(|(_, row)| *row != link).map(|(name, _)| name.clone());
        let mut tables = Self { other_hosts: others.collect(), not_asked, ..Self::uniform(link) };
        for switch in &cluster.switches {
            let node = node(switch.guid, switch.lid, &switch.name)?;
            let by_pair: BTreeMap<(u16, u16), LaneRow> =
                node.rows.iter().map(|(input, output, row)| ((*input, *output), *row)).collect();
            let row = |input: u16, output: u16| {
                let missing = || {
                    let message =
                        format!("`{}` has no row for input {input} and output {output}", switch.name);
                    let help = "write one for each pair of ports with cables: `smpquery sl2vl LID PORT` for each \
                        output";
                    source.wrong(&node.at, message, help)
                };
                // No packet leaves by the port by which it came.
                let unused = (input == output).then_some(link);
                by_pair.get(&(input, output)).copied().or(unused).ok_or_else(missing)
            };
            let rows_of = |input: &u16| switch.ports.iter().map(|output| row(*input, *output)).collect();
            let all: Result<Vec<Vec<LaneRow>>, Diagnostic> = switch.ports.iter().map(rows_of).collect();
            tables.switches.push(all?);
        }
        // Without changes of lane, the checks of cycles and the scenario stay simple.
        if tables.all().all(|row| *row == link) {
            tables.switches.clear();
        }
        tables.settle();
        Ok(tables)
    }

    /// Returns every row.
    fn all(&self) -> impl Iterator<Item = &LaneRow> {
        core::iter::once(&self.link).chain(self.switches.iter().flatten().flatten())
    }

    /// Counts the lanes, and puts lane 0 in the place of rows that discard.
    fn settle(&mut self) {
        let discards = |(level, lane): (u8, &u8)| (*lane == DISCARDED).then_some(level);
        let discarded: BTreeSet<u8> =
            self.all().flat_map(|row| (0..).zip(row).filter_map(discards)).collect();
        self.discarded.extend(discarded);
        let rows = core::iter::once(&mut self.link).chain(self.switches.iter_mut().flatten().flatten());
        // A scenario has no lane 15. The levels are kept in `discarded`, for the account.
        rows.flatten().filter(|lane| **lane == DISCARDED).for_each(|lane| *lane = 0);
        let used = self.all().flatten().max().map_or(1, |lane| lane + 1);
        // A port operates VL0 alone, VL0 and VL1, or VL0 to VL3, VL7 or VL14 (IBA 14.2.5.6, `OperationalVLs`).
        self.data_lanes = [1, 2, 4, 8].into_iter().find(|lanes| used <= *lanes).unwrap_or(15);
    }

    /// Returns true if packets may change their lanes on their way.
    pub(super) fn change(&self) -> bool {
        !self.switches.is_empty()
    }

    pub(super) fn lane(&self, switch: usize, (input, output): (PortId, PortId), level: u8) -> u8 {
        let row = self.switches.get(switch).map_or(&self.link, |rows| &rows[input.index()][output.index()]);
        row[usize::from(level)]
    }

    /// Returns service levels, no two with the same lanes everywhere.
    pub(super) fn different_levels(&self) -> impl Iterator<Item = u8> + use<> {
        let column = |level: u8| self.all().map(move |row| row[usize::from(level)]).collect::<Vec<u8>>();
        let mut known = BTreeSet::new();
        (0..16).filter(|level| known.insert(column(*level))).collect::<Vec<_>>().into_iter()
    }

    /// Writes `sl_to_vl` of `link`.
    pub(super) fn link_text(&self) -> String {
        let pairs = (0..).zip(self.link).map(|(level, lane): (u8, u8)| format!("{level}: {lane}"));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    }

    /// Writes `sl_to_vl` of a switch: the most common row, then the rows of outputs, then of pairs that differ.
    /// `numbers` are the numbers of its ports. The text is empty if all rows equal the adapters'.
    pub(super) fn switch_text(&self, switch: usize, numbers: &[u16]) -> String {
        let Some(rows) = self.switches.get(switch) else { return String::new() };
        let mut text = String::new();
        let mut entry = |ports: String, row: &LaneRow| {
            write!(text, "({ports}lanes: {row:?}), ").expect("a string takes it");
        };
        let usual = most_common(rows.iter().flatten().copied());
        if usual != self.link {
            entry(String::new(), &usual);
        }
        for (output, number) in numbers.iter().enumerate() {
            let column = most_common(rows.iter().map(|row| row[output]));
            if column != usual {
                entry(format!("output: {number}, "), &column);
            }
            for (input, row) in rows.iter().enumerate().filter(|(_, row)| row[output] != column) {
                entry(format!("input: {}, output: {number}, ", numbers[input]), &row[output]);
            }
        }
        text.trim_end_matches(", ").to_owned()
    }
}

/// Checks that every LID of the file belongs to the cluster.
fn known_lids(source: SourceText<'_>, dump: &LaneDump, cluster: &Cluster) -> Result<(), Diagnostic> {
    let nodes = cluster.hosts.iter().chain(&cluster.switches);
    let lids: BTreeSet<u16> = nodes.filter_map(|node| node.lid).collect();
    let of_no_node = dump.nodes.iter().find_map(|own| match own.node {
        LaneNode::Lid(lid) if !lids.contains(&lid) => Some((lid, &own.at)),
        LaneNode::Lid(_) | LaneNode::Guid(_) => None,
    });
    of_no_node.map_or(Ok(()), |(lid, at)| {
        let message = format!("the cluster has no node with LID {lid}");
        Err(source.wrong(at, message, "import both files as they were at the same time"))
    })
}

/// Returns the most common row, the least of several; a row of lane 0 of none.
fn most_common(rows: impl Iterator<Item = LaneRow>) -> LaneRow {
    let mut counts: BTreeMap<LaneRow, usize> = BTreeMap::new();
    rows.for_each(|row| *counts.entry(row).or_default() += 1);
    let most = counts.values().copied().max();
    counts.into_iter().find(|(_, count)| Some(*count) == most).map_or([0; 16], |(row, _)| row)
}
