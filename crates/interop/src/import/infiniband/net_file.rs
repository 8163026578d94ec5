//! What `ibnetdiscover` prints, plain or grouped by chassis (`-g`), and net files of ibsim.
//!
//! Invariant: every line is a node, a port, an attribute of the next node, a heading of a chassis or a comment. Any
//! other line is a fault with its place.
//!
//! ```text
//! switchguid=0x2c90300000100(2c90300000100)
//! Switch  36 "S-0002c90300000100"    # "sw-a" base port 0 lid 1 lmc 0
//! [1]     "H-0002c90300000200"[1](2c90300000201)     # "node-1" lid 2 4xQDR
//! [5][ext 7]  "S-0002c90300000300"[5][ext 7]         # "sw-b" lid 3 4xQDR        (-g: the chassis' own number)
//!
//! Ca      1 "H-0002c90300000200"     # "node-1"
//! [1](2c90300000201)  "S-0002c90300000100"[1]        # lid 2 lmc 0 "sw-a" lid 1 4xQDR
//! ```

use link_layer::spec::{Speed, Width};

use super::fabric::{IbFabric, IbNode, IbNodeKind, IbPeer, IbPort, lid_of_port, width_and_speed};
use crate::import::source::{Part, SourceText, decimal, hex};
use scenario::Diagnostic;

/// Largest number of an external port (IBA 14.2.5.3).
const MOST_PORTS: u16 = 254;

/// Reads the file.
///
/// # Errors
/// If a line has another form.
pub(super) fn read(source: SourceText<'_>) -> Result<IbFabric, Diagnostic> {
    let mut fabric = IbFabric::default();
    let mut guid = None;
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        if line.text.starts_with('[') {
            let Some(node) = fabric.nodes.last_mut() else {
                return Err(source.wrong(
                    &line.range(),
                    "a port stands before the first node",
                    "begin with a line such as `Switch 36 \"S-0002c90300000100\"`",
                ));
            };
            let port = port(source, line, node.kind)?;
            node.links.push(port);
        } else if let Some(kind) = kind(line) {
            fabric.nodes.push(node(source, line, kind, guid.take())?);
        } else if let Some((key, value)) = line.split('=') {
            guid = attribute(source, key, value)?.or(guid);
        } else if !is_heading(line.text) {
            return Err(source.wrong(
                &line.range(),
                "this is neither a node, nor a port, nor an attribute",
                "write `Switch`, `Ca` or `Rt` with ports and \"id\", or `[port] \"peer\"[port]`",
            ));
        }
    }
    Ok(fabric)
}

/// Returns the type of the node that a line introduces.
fn kind(line: Part<'_>) -> Option<IbNodeKind> {
    match line.words().next()?.text {
        "Switch" | "SWITCH" => Some(IbNodeKind::Switch),
        "Hca" | "HCA" | "Ca" | "CA" => Some(IbNodeKind::Adapter),
        "Rt" | "RT" | "Router" => Some(IbNodeKind::Router),
        _ => None,
    }
}

/// Returns true for the headings of `ibnetdiscover -g`.
fn is_heading(line: &str) -> bool {
    const HEADINGS: [&str; 4] = ["Chassis ", "Non-Chassis Nodes", "Spine Nodes", "Line Nodes"];
    HEADINGS.iter().any(|heading| line.starts_with(heading))
}

/// Reads an attribute of the next node. Returns its GUID if it is that.
fn attribute(source: SourceText<'_>, key: Part<'_>, value: Part<'_>) -> Result<Option<u64>, Diagnostic> {
    const OTHERS: [&str; 4] = ["vendid", "devid", "sysimgguid", "chassisguid"];
    const GUIDS: [&str; 5] = ["switchguid", "caguid", "hcaguid", "rtguid", "routerguid"];
    let name = key.trimmed().text;
    if OTHERS.contains(&name) {
        return Ok(None);
    }
    if !GUIDS.contains(&name) {
        let message = format!("`{name}` is not an attribute of a node");
        return Err(source.wrong(
            &key.trimmed().range(),
            message,
            "write `switchguid=`, `caguid=`, `vendid=`, `devid=` or `sysimgguid=`",
        ));
    }
    let end = value.text.find(|letter: char| letter == '(' || letter.is_whitespace());
    let number = value.at(end.unwrap_or(value.text.len())).0;
    let wrong = || {
        let help = "write hexadecimal digits, such as `0x2c90300000100`";
        source.wrong(&number.range(), format!("`{}` is not a GUID", number.text), help)
    };
    hex(number.text).map(Some).ok_or_else(wrong)
}

/// Reads the line that introduces a node.
fn node(
    source: SourceText<'_>,
    line: Part<'_>,
    kind: IbNodeKind,
    guid: Option<u64>,
) -> Result<IbNode, Diagnostic> {
    let form = "write the type, the number of ports and the name: `Switch 36 \"S-0002c90300000100\"`";
    let ports = line.words().nth(1).unwrap_or(line);
    let wrong = || source.wrong(&ports.range(), format!("`{}` is not a number of ports", ports.text), form);
    let number: u16 = decimal(ports.text).filter(|ports| *ports <= MOST_PORTS).ok_or_else(wrong)?;
    let rest = line.at(ports.range().end - line.start).1.trimmed();
    let (id, rest) = quoted(rest).ok_or_else(|| {
        source.wrong(&line.range(), "the node has no name in quotes after its number of ports", form)
    })?;
    let comment = rest.split('#').map(|(_, comment)| comment);
    let (name, tail) = comment.and_then(named).map_or((None, None), |(name, tail)| (Some(name), Some(tail)));
    let guid = guid.or_else(|| id.text.split_once('-').and_then(|(_, digits)| hex(digits)));
    let tail = tail.unwrap_or(Part { text: "", start: line.start });
    // Behind the name of an adapter nothing is its own.
    let own = |word| if kind == IbNodeKind::Switch { number_after(source, tail, word) } else { Ok(None) };
    Ok(IbNode {
        kind,
        id: id.text.to_owned(),
        guid,
        name: name.map(|name| name.text.to_owned()).filter(|name| !name.is_empty()),
        ports: number,
        lid: own("lid")?.and_then(lid_of_port),
        lmc: own("lmc")?.unwrap_or(0) as u8,
        links: Vec::new(),
        at: line.range(),
    })
}

fn port(source: SourceText<'_>, line: Part<'_>, kind: IbNodeKind) -> Result<IbPort, Diagnostic> {
    let wrong = || {
        let help = "write `[1] \"PEER\"[5]`, with the GUID of an adapter's port as `[1](2c90300000201)`";
        source.wrong(&line.range(), "this is not a port with the far end of its cable", help)
    };
    let (number, guid, rest) = bracketed(line).ok_or_else(wrong)?;
    let (peer, rest) = quoted(rest.trimmed()).ok_or_else(wrong)?;
    let (peer_port, _, rest) = bracketed(rest).ok_or_else(wrong)?;
    for (port, least) in [(number, 1), (peer_port, 0)] {
        let known = decimal::<u16>(port.text).is_some_and(|port| (least..=MOST_PORTS).contains(&port));
        if !known {
            let message = format!("`{}` is not the number of a port", port.text);
            return Err(source.wrong(&port.range(), message, "write a number from 1 to 254"));
        }
    }
    let comment = rest.split('#').map_or(Part { text: "", start: rest.start }, |(_, comment)| comment);
    let own = comment.trimmed().behind("lid").map(|_| comment.split('"').map_or(comment, |(own, _)| own));
    let own = own.filter(|_| kind != IbNodeKind::Switch);
    let of_own = |word| own.map_or(Ok(None), |own| number_after(source, own, word));
    let peer = IbPeer { id: peer.text.to_owned(), port: decimal(peer_port.text).unwrap_or(0) };
    Ok(IbPort {
        number: decimal(number.text).unwrap_or(0),
        guid,
        lid: of_own("lid")?.and_then(lid_of_port),
        lmc: of_own("lmc")?.unwrap_or(0) as u8,
        peer: Some(peer),
        speed: speed(source, named(comment).map_or(comment, |(_, tail)| tail))?,
        at: line.range(),
    })
}

/// Reads `[number]`, with what may follow directly: a number of the chassis, `[ext 7]`, and a GUID, `(2c9)`.
fn bracketed(part: Part<'_>) -> Option<(Part<'_>, Option<u64>, Part<'_>)> {
    let (number, mut rest) = part.behind("[")?.split(']')?;
    if let Some(external) = rest.behind("[ext ") {
        rest = external.split(']')?.1;
    }
    let Some(opened) = rest.behind("(") else { return Some((number.trimmed(), None, rest)) };
    let (guid, rest) = opened.split(')')?;
    Some((number.trimmed(), Some(hex(guid.text)?), rest))
}

/// Splits a part that begins with a quote behind the next quote.
fn quoted(part: Part<'_>) -> Option<(Part<'_>, Part<'_>)> {
    part.behind("\"")?.split('"')
}

/// Returns the name in quotes within a comment, and what follows. The name may hold quotes itself.
fn named(comment: Part<'_>) -> Option<(Part<'_>, Part<'_>)> {
    let (_, inside) = comment.split('"')?;
    let end = inside.text.rfind('"')?;
    Some((inside.at(end).0, inside.at(end + 1).1))
}

/// Returns the number behind a word; `None` if the word is not there.
fn number_after(source: SourceText<'_>, part: Part<'_>, word: &str) -> Result<Option<u16>, Diagnostic> {
    let mut words = part.words();
    if words.find(|found| found.text == word).is_none() {
        return Ok(None);
    }
    let number = words.next().unwrap_or(part);
    let wrong = || {
        let message = format!("`{}` is not a number behind `{word}`", number.text);
        source.wrong(&number.range(), message, "write a whole number")
    };
    decimal(number.text).map(Some).ok_or_else(wrong)
}

/// Returns the width and speed that a comment names; `None` if it names none.
fn speed(source: SourceText<'_>, tail: Part<'_>) -> Result<Option<(Width, Speed)>, Diagnostic> {
    let is_speed = |word: &Part<'_>| {
        let digits = word.text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        digits.len() < word.text.len() && digits.starts_with('x')
    };
    let Some(word) = tail.words().find(is_speed) else { return Ok(None) };
    let wrong = || {
        let help =
            "write 1, 2, 4, 8 or 12, `x`, and SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR: `4xEDR`";
        source.wrong(&word.range(), format!("`{}` is not a width and a speed", word.text), help)
    };
    width_and_speed(word.text).map(Some).ok_or_else(wrong)
}
