//! Files of neighbours: tables that tools print, and lists of cables.
//!
//! Invariant: every line is a heading, a row, or one that a terminal or the tool has around its table. Any other is a
//! fault.
//!
//! ```text
//! LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr     `show lldp table` of SONiC
//! -----------  --------------  --------------  ------------  -----------------
//! Ethernet0    spine-1         etp1            BR            Ethernet0
//! --------------------------------------------------
//! Total entries displayed:  1
//!
//! leaf-1,Ethernet0,spine-1,Ethernet0,100G,30m             a list: a cable a row, with or without a line of headings
//! ```
//!
//! `netq show lldp` and `nv show interface lldp` print tables of the first form.

use core::ops::Range;
use std::collections::BTreeSet;

use units::{Length, Rate};

use super::columns::{self, Column};
use crate::import::source::{Part, SourceText, decimal};
use scenario::Diagnostic;

/// Columns of a list without headings.
const LIST: [Column; 6] =
    [Column::Node, Column::Port, Column::Peer, Column::PeerPort, Column::Rate, Column::Length];

/// Ports for management, which carry no traffic of the fabric.
const MANAGEMENT: [&str; 4] = ["eth", "mgmt", "management", "ma"];

/// The rows of a file, and what was passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeighbourRows {
    /// The rows, in the order of the file.
    pub rows: Vec<NeighbourRow>,
    /// Rows of management ports.
    pub management: usize,
    /// Rows of cables of other things than interfaces, power ports for example.
    pub other_kinds: usize,
    /// Nodes, ports and status of cables that are planned or will go.
    pub not_connected: Vec<String>,
    /// Headings of columns that say nothing of cables.
    pub unused: Vec<String>,
}

/// A neighbour of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourRow {
    /// Name of the node.
    pub node: String,
    /// Name of its port.
    pub port: String,
    /// Name of the neighbour; empty if it does not give one.
    pub peer: String,
    /// Names of the neighbour's port: its identifier, then its description.
    pub peer_ports: Vec<String>,
    /// Capabilities that the neighbour has enabled, `B` for a bridge; `None` where the table has no such column.
    pub capability: Option<String>,
    /// Rate of the link.
    pub rate: Option<Rate>,
    /// Length of the cable.
    pub length: Option<Length>,
    /// True if the row is from the node's own table, which switches have.
    pub own_table: bool,
    /// True if names of ports are those that the nodes have for them.
    pub exact: bool,
    /// Bytes of the file.
    pub at: Range<usize>,
}

/// Reads a file.
pub(super) fn read(source: SourceText<'_>) -> Result<NeighbourRows, Diagnostic> {
    let lines: Vec<Part<'_>> = source.lines().filter(|line| !line.text.starts_with('#')).collect();
    let Some(first) = lines.first() else {
        return Err(
            source.whole("the file is empty", "write what `show lldp table` prints, or a list of cables")
        );
    };
    if first.text.starts_with(['{', '[', '<']) {
        let help = "write what `show lldp table` or `netq show lldp` prints, or a row a cable: `leaf-1,Ethernet0,spine-1,Ethernet0,100G,30m`";
        return Err(source.wrong(
            &first.range(),
            "this is neither a table of neighbours nor a list of cables",
            help,
        ));
    }
    let read = if lines.iter().any(|line| is_rule(line.text)) {
        tables(source, &lines)
    } else {
        list(source, &lines)
    }?;
    if read.rows.is_empty() {
        return Err(source.whole("the file has no cable", "write the tables of switches that see neighbours"));
    }
    Ok(read)
}

/// Columns of a table: their characters in a line, and their meanings.
type Headings = (Vec<Range<usize>>, Vec<Option<Column>>);

/// Returns true for the line below the headings of a table: several runs of dashes.
fn is_rule(line: &str) -> bool {
    line.bytes().all(|byte| byte == b'-' || byte == b' ') && line.contains("- ")
}

/// Reads tables, one after the other.
fn tables(source: SourceText<'_>, lines: &[Part<'_>]) -> Result<NeighbourRows, Diagnostic> {
    let mut read = NeighbourRows::default();
    // The host of a prompt, or else the file's name.
    let mut node = stem(source.name).to_owned();
    let mut of_nodes = BTreeSet::new();
    let mut open: Option<Headings> = None;
    let (mut rows, mut edge) = (0, 0);
    for (i, line) in lines.iter().enumerate() {
        let below = lines.get(i + 1).filter(|below| is_rule(below.text));
        if let Some(rule) = below {
            let ranges = runs(rule.text);
            let headings: Vec<&str> = ranges.iter().map(|range| cell(line.text, range, &ranges)).collect();
            let columns: Vec<_> = headings.iter().map(|heading| columns::column(heading)).collect();
            needed(source, *line, &columns, false)?;
            note_unused(&mut read, &headings, &columns);
            if !columns.contains(&Some(Column::Node)) && !of_nodes.insert(node.clone()) {
                let help = "write a file a switch, or keep the prompts: `admin@leaf-1:~$ show lldp table`";
                return Err(source.wrong(&line.range(), format!("a second table is that of `{node}`"), help));
            }
            (open, rows, edge) = (Some((ranges, columns)), 0, column(source, *rule));
        } else if is_rule(line.text) {
            // It belongs to the headings above it.
        } else if let Some(host) = prompt(line.text) {
            node = host.to_owned();
            open = None;
        } else if is_around(line.text) {
            if line.text.starts_with("Total") {
                let told = line.text.rsplit(' ').next().and_then(decimal::<usize>);
                if told.is_some_and(|told| open.is_some() && told != rows) {
                    let message = format!("the table above has {rows} rows");
                    return Err(source.wrong(&line.range(), message, "write the table whole"));
                }
                open = None;
            }
        } else if let Some((ranges, columns)) = &open {
            // Lines are read without blanks before them, by the columns of the dashes.
            if column(source, *line) != edge {
                let help = "write the port of each row: a second neighbour has a row of its own";
                return Err(source.wrong(&line.range(), "the first column of this row is empty", help));
            }
            let cells: Vec<&str> = ranges.iter().map(|range| cell(line.text, range, ranges)).collect();
            row(source, *line, (&cells, columns), Some(&node), &mut read)?;
            rows += 1;
        } else {
            let help =
                "write what `show lldp table` prints, with its headings and the line of dashes below them";
            return Err(source.wrong(&line.range(), "this line stands outside a table of neighbours", help));
        }
    }
    Ok(read)
}

/// Returns the number of bytes before a part in its line.
fn column(source: SourceText<'_>, part: Part<'_>) -> usize {
    part.start - source.text[..part.start].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns true for the name of a switch's management port.
fn is_management(port: &str) -> bool {
    let port = port.to_ascii_lowercase();
    let behind = MANAGEMENT.iter().find_map(|name| port.strip_prefix(name));
    behind.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for lines that the tools print before and behind their tables.
fn is_around(line: &str) -> bool {
    const OTHERS: [&str; 3] = ["Capability codes:", "Total entries", "Matching lldp"];
    OTHERS.iter().any(|other| line.starts_with(other)) || line.bytes().all(|byte| byte == b'-')
}

/// Returns the host of a line with a prompt: `admin@leaf-1:~$ show lldp table`.
fn prompt(line: &str) -> Option<&str> {
    let (user, rest) = line.split_once('@')?;
    let (host, rest) = rest.split_once([':', ' '])?;
    // A description of a port may hold such marks, far from the beginning.
    let is_prompt = !user.contains(char::is_whitespace) && !host.contains(char::is_whitespace);
    (is_prompt && rest.contains(['$', '#', '>']) && !host.is_empty()).then_some(host)
}

/// Returns a file's name without its folder, its ending, and `.gz` behind that.
pub(super) fn stem(name: &str) -> &str {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let zipped = last.rsplit_once('.').filter(|(_, ending)| ending.eq_ignore_ascii_case("gz"));
    let last = zipped.map_or(last, |(plain, _)| plain);
    last.rsplit_once('.').map_or(last, |(stem, _)| stem)
}

/// Returns the runs of dashes of a line, in characters.
fn runs(rule: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in rule.bytes().enumerate().filter(|(_, byte)| *byte == b'-') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Returns the text of a line below a run of dashes, to the end of the line for the last.
fn cell<'a>(line: &'a str, range: &Range<usize>, all: &[Range<usize>]) -> &'a str {
    let byte = |character: usize| line.char_indices().nth(character).map_or(line.len(), |(at, _)| at);
    let is_last = all.last().is_some_and(|last| last == range);
    line[byte(range.start)..if is_last { line.len() } else { byte(range.end) }].trim()
}

/// Reads a list: a cable a line.
fn list(source: SourceText<'_>, lines: &[Part<'_>]) -> Result<NeighbourRows, Diagnostic> {
    let mut read = NeighbourRows::default();
    let mark = [',', ';', '\t'].into_iter().find(|mark| lines[0].text.contains(*mark));
    let first = cells(lines[0].text, mark);
    let headings = of_both_ends(first.iter().map(|cell| columns::column(cell)));
    let has_headings = headings.contains(&Some(Column::Peer)) && headings.contains(&Some(Column::Port));
    let columns = if has_headings {
        let texts: Vec<&str> = first.iter().map(String::as_str).collect();
        note_unused(&mut read, &texts, &headings);
        headings
    } else {
        LIST.into_iter().map(Some).collect()
    };
    if has_headings {
        needed(source, lines[0], &columns, true)?;
    }
    for line in &lines[usize::from(has_headings)..] {
        let own = cells(line.text, mark);
        if own.len() < 4 || own.len() > columns.len() {
            let help = "write node, port, node, port and perhaps rate and length: `leaf-1,Ethernet0,spine-1,Ethernet0,100G,30m`";
            let message = format!("this row has {} cells", own.len());
            return Err(source.wrong(&line.range(), message, help));
        }
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        row(source, *line, (&own, &columns), None, &mut read)?;
    }
    Ok(read)
}

/// Takes a second node and a second port for those of the other end: `node,port,node,port`.
fn of_both_ends(columns: impl Iterator<Item = Option<Column>>) -> Vec<Option<Column>> {
    let mut seen = BTreeSet::new();
    let other = |column: Option<Column>| match column {
        Some(Column::Node) if !seen.insert(Column::Node) => Some(Column::Peer),
        Some(Column::Port) if !seen.insert(Column::Port) => Some(Column::PeerPort),
        column => column,
    };
    columns.map(other).collect()
}

/// Splits a line at a mark outside quotes, or at white space.
fn cells(line: &str, mark: Option<char>) -> Vec<String> {
    let Some(mark) = mark else { return line.split_whitespace().map(str::to_owned).collect() };
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter == mark && !quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("there is one").push(letter),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Checks that a table has the columns of a cable.
fn needed(
    source: SourceText<'_>,
    line: Part<'_>,
    columns: &[Option<Column>],
    node: bool,
) -> Result<(), Diagnostic> {
    let all = [
        (Column::Node, "of the node"),
        (Column::Port, "of its port"),
        (Column::Peer, "of the neighbour"),
        (Column::PeerPort, "of the neighbour's port"),
    ];
    let missing = all[usize::from(!node)..].iter().find(|(column, _)| !columns.contains(&Some(*column)));
    missing.map_or(Ok(()), |(_, what)| {
        let help = "write headings such as `hostname,interface,peer_hostname,peer_interface,speed,length`";
        Err(source.wrong(&line.range(), format!("no heading is that {what}"), help))
    })
}

fn note_unused(read: &mut NeighbourRows, headings: &[&str], columns: &[Option<Column>]) {
    let unused = headings.iter().zip(columns).filter(|(_, column)| column.is_none());
    for (heading, _) in unused {
        if !read.unused.iter().any(|known| known == heading) {
            read.unused.push((*heading).to_owned());
        }
    }
}

/// Reads the cells of a row. `table` is the node of a table without a column of nodes.
fn row(
    source: SourceText<'_>,
    line: Part<'_>,
    (cells, columns): (&[&str], &[Option<Column>]),
    table: Option<&str>,
    read: &mut NeighbourRows,
) -> Result<(), Diagnostic> {
    let all = |wanted: Column| {
        cells.iter().zip(columns).filter(move |(_, column)| **column == Some(wanted)).map(|(cell, _)| *cell)
    };
    let own = |wanted: Column| all(wanted).next().filter(|cell| !cell.is_empty());
    let wrong = |cell: &str, message: &str, help: &str| {
        let start = line.text.find(cell).unwrap_or(0) + line.start;
        source.wrong(&(start..start + cell.len()), format!("`{cell}` {message}"), help)
    };
    if all(Column::Kind).any(|kind| !kind.is_empty() && !kind.ends_with("interface")) {
        read.other_kinds += 1;
        return Ok(());
    }
    let (node, port) = (own(Column::Node).or(table), own(Column::Port));
    let (Some(node), Some(port)) = (node, port) else {
        return Err(source.wrong(&line.range(), "the row names no port", "write the node and its port"));
    };
    let status = own(Column::Status).unwrap_or("");
    let Some(is_connected) = columns::is_connected(status) else {
        return Err(wrong(
            status,
            "is no status of a cable",
            "write `connected`, `planned` or `decommissioning`",
        ));
    };
    if !is_connected {
        read.not_connected.push(format!("{node} {port}: {status}"));
        return Ok(());
    }
    let has_nodes = columns.contains(&Some(Column::Node));
    let is_management = match (table.is_some(), has_nodes) {
        (true, false) => is_management(port),
        // Tables of many nodes have hosts, which name the ports of their fabric `eth` as well.
        (true, true) => [Some(port), own(Column::PeerPort)].contains(&Some("eth0")),
        (false, _) => false,
    };
    if is_management {
        read.management += 1;
        return Ok(());
    }
    let ports = [own(Column::PeerPort), own(Column::PeerDescription)];
    let peer_ports: Vec<String> = ports.into_iter().flatten().map(str::to_owned).collect();
    if peer_ports.is_empty() {
        return Err(source.wrong(
            &line.range(),
            "the row names no port of the neighbour",
            "write the port at the far end",
        ));
    }
    let rate = own(Column::Rate).filter(|cell| *cell != "N/A");
    let rate = rate.map(|cell| {
        let help = "write `100G`, `100 Gb/s`, or megabits as SONiC has them: `100000`";
        columns::rate(cell).ok_or_else(|| wrong(cell, "is not the rate of a link", help))
    });
    let unit = own(Column::LengthUnit).unwrap_or("");
    let length = own(Column::Length).map(|cell| {
        let help = "write metres: `30m`; or another unit: `100ft`, `50cm`";
        columns::length(cell, unit).ok_or_else(|| wrong(cell, "is not the length of a cable", help))
    });
    let in_table = table.is_some();
    read.rows.push(NeighbourRow {
        node: node.to_owned(),
        port: port.to_owned(),
        peer: own(Column::Peer).unwrap_or("").to_owned(),
        peer_ports,
        capability: columns
            .contains(&Some(Column::Capability))
            .then(|| own(Column::Capability).unwrap_or("").to_owned()),
        rate: rate.transpose()?,
        length: length.transpose()?,
        own_table: in_table && !has_nodes,
        exact: !in_table,
        at: line.range(),
    });
    Ok(())
}
