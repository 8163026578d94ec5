//! `opensm-subnet.lst`, the cables of a subnet as OpenSM dumps them.
//!
//! Invariant: every line is a cable as seen from an end; any other line is a fault with its place.
//!
//! ```text
//! { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {node-1} LID:0002 PN:01 } { SW ... } PHY=4x LOG=ACT SPD=25
//! ```
//!
//! Numbers are hexadecimal. `SPD` is the speed of a lane in Gb/s, rounded: 2.5 for SDR, 14 for FDR, 25 for EDR.

use core::ops::Range;
use std::collections::BTreeMap;

use link_layer::spec::{Speed, Width};

use super::fabric::{IbFabric, IbNode, IbNodeKind, IbPeer, IbPort, lid_of_port, width};
use crate::import::source::{Part, SourceText, hex};
use scenario::Diagnostic;

const FORM: &str = "write two ends in braces, then `PHY=4x LOG=ACT SPD=25`, as OpenSM does";

/// Reads the file.
///
/// # Errors
/// If a line has another form.
pub(super) fn read(source: SourceText<'_>) -> Result<IbFabric, Diagnostic> {
    let mut fabric = IbFabric::default();
    let mut known = BTreeMap::new();
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        let (near, rest) = end(source, line)?;
        let (far, rest) = end(source, rest.trimmed())?;
        let speed = speed(source, rest)?;
        let id = format!("{:016x}", near.node_guid);
        let place = *known.entry(near.node_guid).or_insert_with(|| {
            fabric.nodes.push(IbNode {
                kind: near.kind,
                id,
                guid: Some(near.node_guid),
                name: Some(near.name.to_owned()).filter(|name| !name.is_empty()),
                ports: near.ports,
                lid: near.lid.filter(|_| near.kind == IbNodeKind::Switch),
                lmc: 0,
                links: Vec::new(),
                at: near.at.clone(),
            });
            fabric.nodes.len() - 1
        });
        let is_switch = near.kind == IbNodeKind::Switch;
        fabric.nodes[place].links.push(IbPort {
            number: near.port,
            guid: Some(near.port_guid).filter(|_| !is_switch),
            lid: near.lid.filter(|_| !is_switch),
            lmc: 0,
            peer: Some(IbPeer { id: format!("{:016x}", far.node_guid), port: far.port }),
            speed: Some(speed),
            at: line.range(),
        });
    }
    Ok(fabric)
}

struct CableEnd<'a> {
    kind: IbNodeKind,
    ports: u16,
    node_guid: u64,
    port_guid: u64,
    name: &'a str,
    lid: Option<u16>,
    port: u16,
    at: Range<usize>,
}

/// Reads an end in braces, and returns what stands behind it.
fn end<'a>(source: SourceText<'_>, part: Part<'a>) -> Result<(CableEnd<'a>, Part<'a>), Diagnostic> {
    let wrong = |part: Part<'_>| source.wrong(&part.range(), "this is not an end of a cable", FORM);
    let opened = part.behind("{").ok_or_else(|| wrong(part))?;
    let (head, named) = opened.split('{').ok_or_else(|| wrong(part))?;
    // A name may hold braces, but not this.
    let close = named.text.find("} LID:").ok_or_else(|| wrong(part))?;
    let (name, tail) = named.at(close);
    let (tail, rest) = tail.at(1).1.split('}').ok_or_else(|| wrong(part))?;
    let field = |part: Part<'_>, key: &str, most: u64| {
        let value = part.words().find_map(|word| word.behind(key));
        let missing = || source.wrong(&part.range(), format!("`{key}` is missing"), FORM);
        let value = value.ok_or_else(missing)?;
        let wrong = || source.wrong(&value.range(), format!("`{}` cannot be `{key}`", value.text), FORM);
        hex(value.text).filter(|number| *number <= most).ok_or_else(wrong)
    };
    let kind = head.words().next().unwrap_or(head);
    let kind = match kind.text.split('-').next().unwrap_or_default() {
        "CA" => IbNodeKind::Adapter,
        "SW" => IbNodeKind::Switch,
        "RT" | "Rt" => IbNodeKind::Router,
        _ => return Err(source.wrong(&kind.range(), format!("`{}` is not a type of node", kind.text), FORM)),
    };
    let end = CableEnd {
        kind,
        ports: field(head, "Ports:", 254)? as u16,
        node_guid: field(head, "NodeGUID:", u64::MAX)?,
        port_guid: field(head, "PortGUID:", u64::MAX)?,
        name: name.text,
        lid: lid_of_port(field(tail, "LID:", 0xFFFF)? as u16),
        port: field(tail, "PN:", 254)? as u16,
        at: part.at(part.text.len() - rest.text.len()).0.range(),
    };
    Ok((end, rest))
}

fn speed(source: SourceText<'_>, part: Part<'_>) -> Result<(Width, Speed), Diagnostic> {
    let value = |key: &str| part.words().find_map(|word| word.behind(key));
    let lanes = value("PHY=").and_then(|lanes| width(lanes.text.strip_suffix('x')?));
    let speed = value("SPD=").and_then(|speed| match speed.text {
        "2.5" => Some(Speed::Sdr),
        "5" => Some(Speed::Ddr),
        "10" => Some(Speed::Qdr),
        "FDR10" => Some(Speed::Fdr10),
        "14" => Some(Speed::Fdr),
        "25" => Some(Speed::Edr),
        "50" => Some(Speed::Hdr),
        "100" => Some(Speed::Ndr),
        "200" => Some(Speed::Xdr),
        _ => None,
    });
    let wrong = || {
        let help =
            "write `PHY=4x` (or 1x, 2x, 8x, 12x) and `SPD=25` (or 2.5, 5, 10, FDR10, 14, 50, 100, 200)";
        source.wrong(&part.trimmed().range(), "this is not the width and the speed of a link", help)
    };
    lanes.zip(speed).ok_or_else(wrong)
}
