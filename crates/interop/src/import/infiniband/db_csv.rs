//! `ibdiagnet2.db_csv`: a single file with the nodes, ports, cables, counters and lane arbitration of a subnet.
//!
//! Invariant: columns are found by their names, so versions with other columns are read alike. Every section is read, or
//! listed in the account.
//!
//! ```text
//! START_NODES
//! NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,...
//! "sw-a",36,2,1,1,0x0002c90300000100,0x0002c90300000100,0x0002c90300000100,...
//! END_NODES
//! ```
//!
//! | section | columns | for |
//! |---|---|---|
//! | `NODES` | `NodeDesc`, `NumPorts`, `NodeType` (1 adapter, 2 switch, 3 router), `NodeGUID` | nodes |
//! | `PORTS` | `NodeGuid`, `PortGuid`, `PortNum`, `LID`, `LMC`, `LinkWidthActv`, `LinkSpeedActv`, `NMTU`, `VLHighLimit` | ports; port 0 of a switch has its LID |
//! | `LINKS` | `NodeGuid1`, `PortNum1`, `NodeGuid2`, `PortNum2` | cables |
//! | `CABLE_INFO` | `NodeGuid`, `PortNum`, `LengthDesc` | lengths |
//! | `VL_ARBITRATION_TABLE` | `NodeGUID`, `PortNum`, `Priority`, `VL`, `Weight` | lane arbitration |
//! | `PM_INFO` | `NodeGUID`, `PortNumber`, counters | `counters.csv` |
//! | `CC_HCA_GENERAL_SETTINGS` | `en_react` | whether congestion control is on |
//!
//! Sources: names of sections and the codes of speeds in the public headers of ibdiagnet (`ibdiag_types.h`, `Fabric.h` of
//! ibdm); columns as public readers of such files have them.

use core::ops::Range;
use std::collections::BTreeMap;

use link_layer::spec::{Speed, Width};
use packet::Mtu;
use units::Length;

use super::arbitration::{ArbitrationDump, PortWeights};
use super::fabric::{IbFabric, IbNode, IbNodeKind, IbPeer, IbPort};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// LID of a port without one (IBA 4.1.3): the permissive LID.
const NO_LID: u16 = u16::MAX;
/// Codes of `LinkWidthActv` (IBA 14.2.5.6).
const WIDTHS: [(u64, Width); 5] =
    [(1, Width::X1), (2, Width::X4), (4, Width::X8), (8, Width::X12), (16, Width::X2)];
/// Codes of `LinkSpeedActv`: a byte each for IBA's speeds, its extended speeds, the vendor's, and IBA's second extended
/// speeds.
const SPEEDS: [(u64, Speed); 9] = [
    (1, Speed::Sdr),
    (2, Speed::Ddr),
    (4, Speed::Qdr),
    (1 << 8, Speed::Fdr),
    (2 << 8, Speed::Edr),
    (4 << 8, Speed::Hdr),
    (8 << 8, Speed::Ndr),
    (1 << 16, Speed::Fdr10),
    (1 << 24, Speed::Xdr),
];

/// The sections of a file.
pub(super) struct Database<'a> {
    source: SourceText<'a>,
    sections: Vec<Section<'a>>,
}

/// A section: a table with names of columns.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    at: Range<usize>,
    /// The line with the names of columns, then the rows.
    lines: Vec<Part<'a>>,
}

/// A row of a section.
pub(super) struct Row<'s, 'a> {
    source: SourceText<'a>,
    columns: &'s BTreeMap<String, usize>,
    cells: Vec<Part<'a>>,
    line: Part<'a>,
}

/// Returns true for the first line of such a file.
pub(super) fn is_start(line: &str) -> bool {
    line.starts_with("START_")
}

impl<'a> Database<'a> {
    /// Reads the sections of a file.
    pub(super) fn read(source: SourceText<'a>) -> Result<Self, Diagnostic> {
        let mut sections: Vec<Section<'a>> = Vec::new();
        let mut open = false;
        for line in source.lines() {
            let wrong = |message: String, help: &str| Err(source.wrong(&line.range(), message, help));
            if let Some(name) = line.text.strip_prefix("START_") {
                if open {
                    let last = sections.last().map_or("", |section| section.name);
                    return wrong(
                        format!("section `{last}` has no end before this line"),
                        "copy the whole file: each section ends with `END_` and its name",
                    );
                }
                if sections.iter().any(|known| known.name == name) {
                    return wrong(
                        format!("section `{name}` is there a second time"),
                        "give the file of a single run of ibdiagnet",
                    );
                }
                sections.push(Section { name, at: line.range(), lines: Vec::new() });
                open = true;
            } else if let Some(name) = line.text.strip_prefix("END_") {
                if !open || sections.last().is_none_or(|section| section.name != name) {
                    return wrong(
                        format!("this is not the end of the section before, but of `{name}`"),
                        "copy the whole file: each section ends with `END_` and its name",
                    );
                }
                open = false;
            } else if let Some(section) = sections.last_mut().filter(|_| open) {
                section.lines.push(line);
            } else if !line.text.starts_with(['#', '-']) {
                return wrong(
                    "this line stands between sections".to_owned(),
                    "take it out, or write `#` before it",
                );
            }
        }
        if let Some(section) = sections.last().filter(|_| open) {
            let message = format!("section `{}` has no end", section.name);
            return Err(source.wrong(&section.at, message, "copy the whole file"));
        }
        Ok(Self { source, sections })
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter()
    }

    /// Calls a function for each row of a section, which has these columns. Returns false if there is no such section.
    fn each(
        &self,
        name: &str,
        needed: &[&str],
        mut row: impl FnMut(&Row<'_, 'a>) -> Result<(), Diagnostic>,
    ) -> Result<bool, Diagnostic> {
        let Some(section) = self.sections.iter().find(|section| section.name == name) else {
            return Ok(false);
        };
        let Some((header, rows)) = section.lines.split_first() else { return Ok(true) };
        let names = cells(*header).into_iter().enumerate();
        let columns: BTreeMap<String, usize> =
            names.map(|(place, name)| (name.text.to_ascii_lowercase(), place)).collect();
        if let Some(missing) = needed.iter().find(|name| !columns.contains_key(&name.to_ascii_lowercase())) {
            let message = format!("section `{name}` has no column `{missing}`");
            return Err(self.source.wrong(
                &header.range(),
                message,
                "copy the file as ibdiagnet has written it",
            ));
        }
        for line in rows {
            let own = Row { source: self.source, columns: &columns, cells: cells(*line), line: *line };
            if own.cells.len() < columns.len() {
                let message = format!("this row has {} of {} cells", own.cells.len(), columns.len());
                return Err(self.source.wrong(&line.range(), message, "copy the whole row"));
            }
            row(&own)?;
        }
        Ok(true)
    }

    /// Returns the nodes, ports and cables.
    pub(super) fn fabric(&self) -> Result<IbFabric, Diagnostic> {
        let mut fabric = IbFabric::default();
        let mut known = BTreeMap::new();
        let missing = |name: &str, what: &str| {
            let message = format!("the file has no section `{name}`, with the {what} of the subnet");
            self.source
                .whole(message, "give `ibdiagnet2.db_csv` of a run without `--skip` and `--enable_output`")
        };
        let nodes = self.each("NODES", &["NodeDesc", "NumPorts", "NodeType", "NodeGUID"], |row| {
            let guid = row.guid("NodeGUID")?;
            if known.insert(guid, fabric.nodes.len()).is_some() {
                return Err(row.wrong("NodeGUID", "is that of a node before", "give each node one row"));
            }
            fabric.nodes.push(row.node(guid)?);
            Ok(())
        })?;
        if !nodes {
            return Err(missing("NODES", "nodes"));
        }
        let ports = self.each("PORTS", &["NodeGuid", "PortNum"], |row| {
            let node = &mut fabric.nodes[row.node_of(&known, "NodeGuid")?];
            if let Some(port) = row.port(node)? {
                let mtu = row.mtu()?.filter(|_| port.speed.is_some());
                node.links.push(port);
                mtu.into_iter().for_each(|mtu| *fabric.mtus.entry(mtu).or_default() += 1);
            }
            Ok(())
        })?;
        if !ports {
            return Err(missing("PORTS", "ports"));
        }
        let links = self.each("LINKS", &["NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"], |row| {
            let ends = [("NodeGuid1", "PortNum1"), ("NodeGuid2", "PortNum2")];
            let end =
                |(guid, port)| Ok::<_, Diagnostic>((row.node_of(&known, guid)?, row.port_number(port)?));
            let (one, other) = (end(ends[0])?, end(ends[1])?);
            fabric.join(one, other, row.line);
            fabric.join(other, one, row.line);
            Ok(())
        })?;
        if !links {
            return Err(missing("LINKS", "cables"));
        }
        self.each("CABLE_INFO", &["NodeGuid", "PortNum"], |row| {
            let at = (row.node_of(&known, "NodeGuid")?, row.port_number("PortNum")?);
            let length = row.get("LengthDesc").and_then(|text| text.text.parse::<Length>().ok());
            let length = length.filter(|length| *length > Length::from_mm(0));
            fabric.lengths.extend(length.map(|length| ((fabric.nodes[at.0].id.clone(), at.1), length)));
            Ok(())
        })?;
        Ok(fabric)
    }

    /// Returns the lane arbitration of ports with a LID, and their limits of high priority; `None` without such a section.
    pub(super) fn arbitration(&self, fabric: &IbFabric) -> Result<Option<ArbitrationDump>, Diagnostic> {
        let nodes: BTreeMap<u64, usize> =
            fabric.nodes.iter().enumerate().filter_map(|(i, node)| Some((node.guid?, i))).collect();
        let lid = |node: usize, port: u16| {
            let node = &fabric.nodes[node];
            let own = node.links.iter().find(|own| own.number == port).and_then(|own| own.lid);
            if node.kind == IbNodeKind::Switch { node.lid } else { own }
        };
        let mut ports: BTreeMap<(u16, u16), PortWeights> = BTreeMap::new();
        let columns = ["NodeGUID", "PortNum", "Priority", "VL", "Weight"];
        let found = self.each("VL_ARBITRATION_TABLE", &columns, |row| {
            let port = row.port_number("PortNum")?;
            let Some(lid) = lid(row.node_of(&nodes, "NodeGUID")?, port) else { return Ok(()) };
            let empty = || PortWeights { lid, port, high: Vec::new(), low: Vec::new(), at: row.line.range() };
            let own = ports.entry((lid, port)).or_insert_with(empty);
            let entry = (row.small("VL", 15)?, row.small("Weight", 255)?);
            let priority = row.get("Priority").unwrap_or(row.line);
            match priority.text.to_ascii_lowercase().as_str() {
                "high" => own.high.push(entry),
                "low" => own.low.push(entry),
                _ => return Err(row.wrong("Priority", "is not a priority", "write `High` or `Low`")),
            }
            Ok(())
        })?;
        let mut limits = BTreeMap::new();
        self.each("PORTS", &["NodeGuid", "PortNum"], |row| {
            let port = row.port_number("PortNum")?;
            if let (Some(lid), Some(limit)) =
                (lid(row.node_of(&nodes, "NodeGuid")?, port), row.get("VLHighLimit"))
            {
                limits.insert((lid, port), (row.small("VLHighLimit", 255)?, limit.range()));
            }
            Ok(())
        })?;
        Ok(found.then(|| ArbitrationDump { ports: ports.into_values().collect(), limits }))
    }

    /// Returns the counters of ports: their names, and by the GUID of the node and the number of the port their values.
    pub(super) fn counters(&self) -> Result<Counters<'a>, Diagnostic> {
        const PLACE: [&str; 4] = ["nodeguid", "portguid", "portnumber", "portnum"];
        let mut counters = Counters::default();
        self.each("PM_INFO", &["NodeGUID", "PortNumber"], |row| {
            if counters.names.is_empty() {
                let mut names: Vec<_> =
                    row.columns.iter().filter(|(name, _)| !PLACE.contains(&name.as_str())).collect();
                names.sort_unstable_by_key(|(_, place)| **place);
                counters.places = names.iter().map(|(_, place)| **place).collect();
            }
            let values = counters.places.iter().map(|place| row.cells[*place].text).collect();
            counters.rows.insert((row.guid("NodeGUID")?, row.port_number("PortNumber")?), values);
            Ok(())
        })?;
        let header = self.sections.iter().find(|section| section.name == "PM_INFO");
        let header =
            header.and_then(|section| section.lines.first()).map(|line| cells(*line)).unwrap_or_default();
        counters.names = counters.places.iter().map(|place| header[*place].text).collect();
        Ok(counters)
    }

    /// Returns the number of adapters that react to congestion by the vendor's control, and of all with such settings, with
    /// the place of the first that does.
    pub(super) fn reacting(&self) -> Result<(usize, usize, Option<Range<usize>>), Diagnostic> {
        let (mut reacting, mut all, mut first) = (0, 0, None);
        self.each("CC_HCA_GENERAL_SETTINGS", &["en_react"], |row| {
            all += 1;
            if row.number("en_react")? == Some(1) {
                reacting += 1;
                first.get_or_insert_with(|| row.line.range());
            }
            Ok(())
        })?;
        Ok((reacting, all, first))
    }
}

/// Counters of ports.
#[derive(Default)]
pub(super) struct Counters<'a> {
    places: Vec<usize>,
    pub(super) names: Vec<&'a str>,
    pub(super) rows: BTreeMap<(u64, u16), Vec<&'a str>>,
}

impl Section<'_> {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }
}

impl<'a> Row<'_, 'a> {
    /// Returns a cell; `None` for an empty cell, one that is not available, and a column that the section lacks.
    fn get(&self, column: &str) -> Option<Part<'a>> {
        let cell = self.cells[*self.columns.get(&column.to_ascii_lowercase())?];
        Some(cell).filter(|cell| !cell.text.is_empty() && !cell.text.eq_ignore_ascii_case("n/a"))
    }

    fn wrong(&self, column: &str, what: &str, help: &str) -> Diagnostic {
        let cell = self.get(column).unwrap_or(self.line);
        self.source.wrong(&cell.range(), format!("`{}` of column `{column}` {what}", cell.text), help)
    }

    fn number(&self, column: &str) -> Result<Option<u64>, Diagnostic> {
        let Some(cell) = self.get(column) else { return Ok(None) };
        let number = if cell.text.starts_with("0x") { hex(cell.text) } else { decimal(cell.text) };
        let wrong =
            || self.wrong(column, "is not a number", "write digits, `0x` and hexadecimal digits, or `N/A`");
        number.map(Some).ok_or_else(wrong)
    }

    /// Returns a number that must be there, and be at most `most`.
    fn small(&self, column: &str, most: u8) -> Result<u8, Diagnostic> {
        let number = self.number(column)?.filter(|number| *number <= most.into());
        let help = format!("write a number from 0 to {most}");
        number.map(|number| number as u8).ok_or_else(|| self.wrong(column, "is not such a number", &help))
    }

    fn port_number(&self, column: &str) -> Result<u16, Diagnostic> {
        self.small(column, 254).map(u16::from)
    }

    /// Returns the MTU of the port, by its code (IBA 14.2.5.6).
    fn mtu(&self) -> Result<Option<Mtu>, Diagnostic> {
        let Some(code) = self.number("NMTU")?.filter(|code| *code > 0) else { return Ok(None) };
        let mtu = usize::try_from(code - 1).ok().and_then(|place| Mtu::ALL.get(place).copied());
        mtu.map(Some).ok_or_else(|| self.wrong("NMTU", "is no code of an MTU", "write 1 to 5"))
    }

    fn guid(&self, column: &str) -> Result<u64, Diagnostic> {
        let cell = self.get(column).filter(|cell| cell.text.starts_with("0x") || cell.text.starts_with("0X"));
        let wrong = || self.wrong(column, "is not a GUID", "write `0x0002c90300000100`");
        cell.and_then(|cell| hex(cell.text)).ok_or_else(wrong)
    }

    /// Returns the index of the node with the GUID in this column.
    fn node_of(&self, known: &BTreeMap<u64, usize>, column: &str) -> Result<usize, Diagnostic> {
        let guid = self.guid(column)?;
        let wrong = || self.wrong(column, "is no node of section `NODES`", "copy the whole file");
        known.get(&guid).copied().ok_or_else(wrong)
    }

    fn node(&self, guid: u64) -> Result<IbNode, Diagnostic> {
        let kind = match self.number("NodeType")? {
            Some(1) => IbNodeKind::Adapter,
            Some(2) => IbNodeKind::Switch,
            Some(3) => IbNodeKind::Router,
            _ => return Err(self.wrong("NodeType", "is no type of node", "write 1, 2 or 3")),
        };
        Ok(IbNode {
            kind,
            id: format!("{guid:016x}"),
            guid: Some(guid),
            name: self.get("NodeDesc").map(|name| name.text.to_owned()),
            ports: self.port_number("NumPorts")?,
            lid: None,
            lmc: 0,
            links: Vec::new(),
            at: self.line.range(),
        })
    }

    /// Reads a port of a node. Port 0 of a switch gives the switch its LID, and is no port of a cable.
    fn port(&self, node: &mut IbNode) -> Result<Option<IbPort>, Diagnostic> {
        let number = self.port_number("PortNum")?;
        let lid = self.number("LID")?.and_then(|lid| u16::try_from(lid).ok());
        let lid = lid.filter(|lid| !matches!(*lid, 0 | NO_LID));
        let lmc = self.number("LMC")?.unwrap_or(0).min(7) as u8;
        if number == 0 {
            (node.lid, node.lmc) = (lid, lmc);
            return Ok(None);
        }
        let code = |column: &str| self.number(column).map(|code| code.filter(|code| *code > 0));
        let (width, speed) = (code("LinkWidthActv")?, code("LinkSpeedActv")?);
        let known = |column: &str, found: bool| {
            let wrong = || {
                self.wrong(column, "is no code that is known here", "write it as ibdiagnet does, or `N/A`")
            };
            if found { Ok(()) } else { Err(wrong()) }
        };
        let found_width = width.and_then(|code| WIDTHS.into_iter().find(|(known, _)| *known == code));
        known("LinkWidthActv", width.is_none() || found_width.is_some())?;
        let found_speed = speed.and_then(|code| SPEEDS.into_iter().find(|(known, _)| *known == code));
        known("LinkSpeedActv", speed.is_none() || found_speed.is_some())?;
        let of_adapter = node.kind != IbNodeKind::Switch;
        let guid =
            if of_adapter && self.get("PortGuid").is_some() { Some(self.guid("PortGuid")?) } else { None };
        Ok(Some(IbPort {
            number,
            guid,
            lid: lid.filter(|_| of_adapter),
            lmc: if of_adapter { lmc } else { 0 },
            peer: None,
            speed: found_width.zip(found_speed).map(|((_, width), (_, speed))| (width, speed)),
            at: self.line.range(),
        }))
    }
}

impl IbFabric {
    /// Sets the far end of a port's cable.
    fn join(&mut self, near: (usize, u16), far: (usize, u16), line: Part<'_>) {
        let peer = Some(IbPeer { id: self.nodes[far.0].id.clone(), port: far.1 });
        let links = &mut self.nodes[near.0].links;
        match links.iter_mut().find(|port| port.number == near.1 && port.peer.is_none()) {
            Some(port) => port.peer = peer,
            // A second cable of a port is found when all cables are joined.
            None => links.push(IbPort {
                number: near.1,
                guid: None,
                lid: None,
                lmc: 0,
                peer,
                speed: None,
                at: line.range(),
            }),
        }
    }
}

/// Splits a line at its commas outside of quotes.
fn cells(line: Part<'_>) -> Vec<Part<'_>> {
    let mut quoted = false;
    let is_border = |letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    };
    let place = |text: &str| line.start + (text.as_ptr() as usize - line.text.as_ptr() as usize);
    let bare = |text| {
        let cell = Part { text, start: place(text) }.trimmed();
        let inside = cell.behind("\"").and_then(|rest| Some(rest.at(rest.text.strip_suffix('"')?.len()).0));
        inside.unwrap_or(cell)
    };
    line.text.split(is_border).map(bare).collect()
}
