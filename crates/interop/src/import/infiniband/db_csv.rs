//! `ibdiagnet2.db_csv`: a single file with the nodes, ports, cables, counters and lane arbitration of a subnet.
//!
//! Invariant: columns are found by their names, so versions with other columns are read alike. Every section is read,
//! or listed in the account.
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
//! | `PORTS` | `NodeGuid`, `PortGuid`, `PortNum`, `LID`, `LMC`, codes of width, speed and MTU | ports; port 0 of a switch has its LID |
//! | `LINKS` | `NodeGuid1`, `PortNum1`, `NodeGuid2`, `PortNum2` | cables |
//! | `CABLE_INFO` | `NodeGuid`, `PortNum`, `LengthDesc` | lengths |
//! | `VL_ARBITRATION_TABLE` | `NodeGUID`, `PortNum`, `Priority`, `VL`, `Weight` | lane arbitration |
//! | `PM_INFO` | `NodeGUID`, `PortNumber`, counters | `counters.csv` |
//! | `CC_HCA_GENERAL_SETTINGS` | `en_react` | whether congestion control is on |
//!
//! Sources: names of sections and the codes of speeds in the public headers of ibdiagnet (`ibdiag_types.h`, `Fabric.h`
//! of ibdm); columns as public readers of such files have them.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use link_layer::spec::{Speed, Width};
use packet::Mtu;
use units::Length;

use super::arbitration::{ArbitrationDump, PortWeights};
use super::fabric::{IbFabric, IbNode, IbNodeKind, IbPeer, IbPort};
use super::sections::{Database, Row, Section, number_of};
use crate::import::source::Part;
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

impl<'a> Database<'a> {
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
        let mut mtus = BTreeMap::new();
        let mut down: BTreeSet<(usize, u16)> = BTreeSet::new();
        let ports = self.each("PORTS", &["NodeGuid", "PortNum"], |row| {
            let place = row.node_of(&known, "NodeGuid")?;
            if let Some(port) = row.port(&mut fabric.nodes[place])? {
                down.extend(row.is_down().then_some((place, port.number)));
                mtus.extend(row.mtu()?.map(|mtu| ((place, port.number), mtu)));
                fabric.nodes[place].links.push(port);
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
            if let Some((_, (_, column))) = [one, other].iter().zip(ends).find(|(end, _)| down.contains(*end))
            {
                let help =
                    "take the row out if the link is down; a row of another port is that of another run";
                return Err(row.wrong(column, "is a port that section `PORTS` has down", help));
            }
            fabric.join(one, other, row.line);
            fabric.join(other, one, row.line);
            Ok(())
        })?;
        if !links {
            return Err(missing("LINKS", "cables"));
        }
        // A port that is down has an MTU too, which no packet meets.
        for (place, node) in fabric.nodes.iter().enumerate() {
            let cabled = node.links.iter().filter(|port| port.peer.is_some());
            for mtu in cabled.filter_map(|port| mtus.get(&(place, port.number))) {
                *fabric.mtus.entry(*mtu).or_default() += 1;
            }
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

    /// Returns the lane arbitration of ports with a LID, and their limits of high priority; `None` without such a
    /// section.
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
            let value = |place: &usize| {
                let text = row.cells[*place].text;
                if !is_counter(text) {
                    *counters.unknown.entry(*place).or_default() += 1;
                    return "";
                }
                text
            };
            let values = counters.places.iter().map(value).collect();
            counters.rows.insert((row.guid("NodeGUID")?, row.port_number("PortNumber")?), values);
            Ok(())
        })?;
        let section = self.sections().find(|section| section.name == "PM_INFO");
        let header = section.map(Section::columns).unwrap_or_default();
        counters.names = counters.places.iter().map(|place| header[*place].text).collect();
        Ok(counters)
    }

    /// Returns the number of adapters that react to congestion by the vendor's control, and of all with such settings,
    /// with the place of the first that does.
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
    /// Numbers of cells without a counter, by the place of their column.
    unknown: BTreeMap<usize, usize>,
}

impl<'a> Counters<'a> {
    /// Returns the names of columns with cells that have no counter, and the number of such cells.
    pub(super) fn unknown(&self) -> (Vec<&'a str>, usize) {
        let columns = self.places.iter().zip(&self.names);
        let own = columns.filter(|(place, _)| self.unknown.contains_key(place)).map(|(_, name)| *name);
        (own.collect(), self.unknown.values().sum())
    }
}

/// Returns true for a number. All ones are -1, by which tools name a counter that a port does not have.
fn is_counter(text: &str) -> bool {
    number_of(text).is_some_and(|number| number != u64::MAX)
}

impl Row<'_, '_> {
    /// Returns the MTU of the port, by its code (IBA 14.2.5.6).
    fn mtu(&self) -> Result<Option<Mtu>, Diagnostic> {
        let Some(code) = self.number("NMTU")?.filter(|code| *code > 0) else { return Ok(None) };
        let mtu = usize::try_from(code - 1).ok().and_then(|place| Mtu::ALL.get(place).copied());
        mtu.map(Some).ok_or_else(|| self.wrong("NMTU", "is no code of an MTU", "write 1 to 5"))
    }

    /// Returns true for a port that has no link (`PortState`, IBA 14.2.5.6).
    fn is_down(&self) -> bool {
        self.get("PortState")
            .is_some_and(|state| state.text == "1" || state.text.eq_ignore_ascii_case("down"))
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
