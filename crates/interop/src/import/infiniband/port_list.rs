//! What `ibnetdiscover -p` prints: a line for each port.
//!
//! Invariant: every line is a port, with a cable or without; any other is a fault with its place.
//!
//! ```text
//! CA     9  1 0x0002c90300000201 4x HDR - SW     3  3 0x0002c90300000100 ( 'node-1' - 'sw-a' )
//! SW     3  4 0x0002c90300000100 4x SDR                                    'sw-a'
//! ```
//!
//! A line has the type, LID and number of the port, its GUID (a switch's own), width and speed, and the far end. Ports
//! of a single adapter cannot be told from ports of several: each is a node.

use core::ops::Range;
use std::collections::BTreeMap;

use super::fabric::{IbFabric, IbNode, IbNodeKind, IbPeer, IbPort, lid_of_port, speed, width};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

const FORM: &str =
    "write `CA 9 1 0x0002c90300000201 4x HDR - SW 3 3 0x0002c90300000100 ( 'node-1' - 'sw-a' )`";

/// Reads the file.
///
/// # Errors
/// If a line has another form.
pub(super) fn read(source: SourceText<'_>) -> Result<IbFabric, Diagnostic> {
    let mut fabric = IbFabric::default();
    let mut known = BTreeMap::new();
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        let row = row(source, line)?;
        let id = row.end.id();
        let place = *known.entry(id.clone()).or_insert_with(|| {
            fabric.nodes.push(IbNode {
                kind: row.end.kind,
                id,
                guid: Some(row.end.guid),
                name: row.name.clone(),
                ports: 0,
                lid: row.end.own_lid(IbNodeKind::Switch),
                lmc: 0,
                links: Vec::new(),
                at: line.range(),
            });
            fabric.nodes.len() - 1
        });
        let node = &mut fabric.nodes[place];
        node.ports = node.ports.max(row.end.port);
        node.links.push(row.port);
    }
    Ok(fabric)
}

/// A port as a line names it.
struct PortName {
    kind: IbNodeKind,
    lid: u16,
    port: u16,
    guid: u64,
}

impl PortName {
    fn id(&self) -> String {
        format!("{:016x}", self.guid)
    }

    /// Returns the LID for a port of a node of this kind, which switches have as a whole.
    fn own_lid(&self, kind: IbNodeKind) -> Option<u16> {
        let is_of_kind = (self.kind == IbNodeKind::Switch) == (kind == IbNodeKind::Switch);
        lid_of_port(self.lid).filter(|_| is_of_kind)
    }
}

struct Row {
    end: PortName,
    name: Option<String>,
    port: IbPort,
}

fn row(source: SourceText<'_>, line: Part<'_>) -> Result<Row, Diagnostic> {
    let mut words = line.words();
    let end = end(source, line, &mut words)?;
    let (lanes, rate) = (words.next(), words.next());
    let speed = match (lanes, rate) {
        (Some(lanes), Some(rate)) => {
            let width = lanes.text.strip_suffix('x').and_then(width);
            width.zip(speed(rate.text)).ok_or((lanes.start..rate.range().end, lanes.text, rate.text))
        }
        _ => Err((line.range(), "", "")),
    };
    let next = words.next();
    let is_up = next.is_some_and(|next| next.text == "-");
    // The speed of a port without a cable says nothing.
    let speed = match speed {
        Ok(speed) => Some(speed),
        Err(_) if !is_up => None,
        Err((at, lanes, rate)) => {
            let message = format!("`{lanes} {rate}` is not a width and a speed");
            return Err(source.wrong(&at, message, "write `4x EDR`, for example"));
        }
    };
    let (peer, names) = if is_up {
        let far = self::end(source, line, &mut words)?;
        (Some(IbPeer { id: far.id(), port: far.port }), words.next().map(|word| word.range().end))
    } else {
        (None, next.map(|next| next.start))
    };
    let rest = names.map_or("", |from| &line.text[from - line.start..]);
    let name = first_name(rest, is_up);
    let (number, guid) = (end.port, Some(end.guid).filter(|_| end.kind != IbNodeKind::Switch));
    let port =
        IbPort { number, guid, lid: end.own_lid(IbNodeKind::Adapter), lmc: 0, peer, speed, at: line.range() };
    Ok(Row { end, name, port })
}

/// Reads type, LID, number and GUID of a port.
fn end<'a>(
    source: SourceText<'_>,
    line: Part<'a>,
    words: &mut impl Iterator<Item = Part<'a>>,
) -> Result<PortName, Diagnostic> {
    let mut next = |what: &str| {
        let missing = || source.wrong(&line.range(), format!("the line ends before {what}"), FORM);
        words.next().ok_or_else(missing)
    };
    let (kind, lid, port, guid) = (
        next("the type of a node")?,
        next("the LID of a port")?,
        next("the number of a port")?,
        next("the GUID of a port")?,
    );
    let wrong = |part: Part<'_>, what: &str| {
        let at: Range<usize> = part.range();
        source.wrong(&at, format!("`{}` is not {what}", part.text), FORM)
    };
    Ok(PortName {
        kind: match kind.text {
            "CA" => IbNodeKind::Adapter,
            "SW" => IbNodeKind::Switch,
            "RT" => IbNodeKind::Router,
            _ => return Err(wrong(kind, "a type of node")),
        },
        lid: decimal(lid.text).ok_or_else(|| wrong(lid, "a LID"))?,
        port: decimal(port.text)
            .filter(|port| (1..=254).contains(port))
            .ok_or_else(|| wrong(port, "the number of a port"))?,
        guid: hex(guid.text).ok_or_else(|| wrong(guid, "a GUID"))?,
    })
}

/// Returns the first of the names in single quotes. With a cable both ends have one: `'node-1' - 'sw-a' )`.
fn first_name(rest: &str, is_up: bool) -> Option<String> {
    let inside = rest.trim().strip_prefix('\'')?;
    let name = if is_up { inside.split("' - '").next()? } else { inside.trim_end().strip_suffix('\'')? };
    Some(name.to_owned()).filter(|name| !name.is_empty())
}
