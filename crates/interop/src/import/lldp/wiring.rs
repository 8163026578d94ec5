//! Which port leads to which, from the rows of all files.
//!
//! Invariant: a port has at most one cable. A cable that both ends list has the same two ports in both rows.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use units::{Length, Rate};

use super::rows::{NeighbourRow, NeighbourRows};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// A port: its node's name, and its own.
pub(super) type End = (String, String);

/// A cable.
#[derive(Clone, Debug)]
pub(super) struct Cable {
    pub(super) ends: [End; 2],
    pub(super) rate: Option<Rate>,
    pub(super) length: Option<Length>,
    /// File, and bytes of the row.
    pub(super) at: (usize, Range<usize>),
    /// Number of rows that list the cable.
    pub(super) rows: usize,
}

/// The cables, and what is known of nodes.
#[derive(Default)]
pub(super) struct Wiring {
    pub(super) cables: Vec<Cable>,
    /// Nodes with tables of their own.
    pub(super) tables: BTreeSet<String>,
    /// Neighbours that have the capability of a bridge enabled.
    pub(super) bridges: BTreeSet<String>,
    /// Neighbours that give no name.
    pub(super) nameless: usize,
    /// Further neighbours at a port that give no name.
    pub(super) agents: usize,
}

/// A row with its file.
type Listed<'a> = (usize, &'a NeighbourRow);

impl Wiring {
    /// Joins the ports that rows name.
    pub(super) fn new(files: &[SourceText<'_>], rows: &[NeighbourRows]) -> Result<Self, Diagnostic> {
        let mut wiring = Self::default();
        let listed =
            || rows.iter().enumerate().flat_map(|(file, rows)| rows.rows.iter().map(move |row| (file, row)));
        wiring.tables = listed().filter(|(_, row)| row.own_table).map(|(_, row)| row.node.clone()).collect();
        let mut of_files: BTreeMap<&str, usize> = BTreeMap::new();
        for (file, row) in listed().filter(|(_, row)| row.own_table) {
            if *of_files.entry(&row.node).or_insert(file) != file {
                let message = format!("a second file has the table of `{}`", row.node);
                let help =
                    "call each file as its switch, or keep the prompts: `admin@leaf-1:~$ show lldp table`";
                return Err(files[file].wrong(&row.at, message, help));
            }
        }
        let named: BTreeSet<End> = listed()
            .filter(|(_, row)| !row.peer.is_empty())
            .map(|(_, row)| (row.node.clone(), row.port.clone()))
            .collect();
        let mut by_port: BTreeMap<End, Listed<'_>> = BTreeMap::new();
        for (file, row) in listed() {
            let end = (row.node.clone(), row.port.clone());
            // An adapter's own agent speaks beside that of its host, without a name.
            if row.peer.is_empty() && named.contains(&end) {
                wiring.agents += 1;
                continue;
            }
            wiring.nameless += usize::from(row.peer.is_empty());
            if let Some((_, before)) = by_port.insert(end, (file, row))
                && (before.peer != row.peer || before.peer_ports[0] != row.peer_ports[0])
            {
                let message = format!(
                    "port {} of `{}` has the neighbours `{}` and `{}`",
                    row.port, row.node, before.peer, row.peer
                );
                let help = "leave one of them: a cable has two ends";
                return Err(files[file].wrong(&row.at, message, help));
            }
        }
        wiring.join_all(files, &by_port)?;
        Ok(wiring)
    }

    fn join_all(
        &mut self,
        files: &[SourceText<'_>],
        by_port: &BTreeMap<End, Listed<'_>>,
    ) -> Result<(), Diagnostic> {
        let mut far: BTreeMap<End, (End, usize)> = BTreeMap::new();
        for (near, (file, row)) in by_port {
            let peer = peer_name(row).to_owned();
            if row.capability.as_ref().is_some_and(|codes| codes.contains('B')) {
                self.bridges.insert(peer.clone());
            }
            let port = peer_port(files, (*file, row), &peer, by_port)?;
            let other = (peer, port);
            if *near == other {
                return Err(files[*file].wrong(
                    &row.at,
                    "the cable leads to its own port",
                    "write its far end",
                ));
            }
            for (end, expected) in [(near, &other), (&other, near)] {
                if let Some((known, _)) = far.get(end).filter(|(known, _)| known != expected) {
                    let message = format!(
                        "port {} of `{}` has a cable to port {} of `{}`, and by another row to port {} of `{}`",
                        end.1, end.0, expected.1, expected.0, known.1, known.0
                    );
                    return Err(files[*file].wrong(&row.at, message, "write one far end for each port"));
                }
            }
            if let Some((_, known)) = far.get(near) {
                let known = *known;
                self.merge(files, known, (*file, row))?;
                continue;
            }
            let index = self.cables.len();
            far.insert(near.clone(), (other.clone(), index));
            far.insert(other.clone(), (near.clone(), index));
            let (rate, length, at) = (row.rate, row.length, (*file, row.at.clone()));
            self.cables.push(Cable { ends: [near.clone(), other], rate, length, at, rows: 1 });
        }
        Ok(())
    }

    /// Adds the row of a cable's other end.
    fn merge(
        &mut self,
        files: &[SourceText<'_>],
        index: usize,
        (file, row): Listed<'_>,
    ) -> Result<(), Diagnostic> {
        let cable = &mut self.cables[index];
        cable.rows += 1;
        let differ = |what: &str, one: String, other: String| {
            let message =
                format!("the cable has a {what} of {other} here, and of {one} in the row of its far end");
            files[file].wrong(&row.at, message, "write the same for both ends")
        };
        if let (Some(one), Some(other)) = (cable.rate, row.rate)
            && one != other
        {
            return Err(differ("rate", one.to_string(), other.to_string()));
        }
        if let (Some(one), Some(other)) = (cable.length, row.length)
            && one != other
        {
            return Err(differ("length", one.to_string(), other.to_string()));
        }
        cable.rate = cable.rate.or(row.rate);
        cable.length = cable.length.or(row.length);
        Ok(())
    }
}

/// Returns the name of a neighbour. A neighbour without a name is called by its port.
fn peer_name(row: &NeighbourRow) -> &str {
    if row.peer.is_empty() { &row.peer_ports[0] } else { &row.peer }
}

/// Returns the name that the neighbour itself has for its port.
fn peer_port(
    files: &[SourceText<'_>],
    (file, row): Listed<'_>,
    peer: &str,
    by_port: &BTreeMap<End, Listed<'_>>,
) -> Result<String, Diagnostic> {
    let own = |name: &&String| by_port.contains_key(&(peer.to_owned(), (*name).clone()));
    if let Some(name) = row.peer_ports.iter().find(own) {
        return Ok(name.clone());
    }
    let back: Vec<&NeighbourRow> = by_port
        .range((peer.to_owned(), String::new())..)
        .take_while(|((node, _), _)| node == peer)
        .map(|(_, (_, other))| *other)
        .filter(|other| peer_name(other) == row.node)
        .collect();
    let mut naming = back.iter().filter(|other| other.peer_ports.contains(&row.port));
    if let (Some(only), None) = (naming.next(), naming.next()) {
        return Ok(only.port.clone());
    }
    if back.is_empty() || row.exact {
        return Ok(row.peer_ports[0].clone());
    }
    let count =
        by_port.iter().filter(|((node, _), (_, other))| *node == row.node && peer_name(other) == peer);
    match (&back[..], count.count()) {
        ([only], 1) => Ok(only.port.clone()),
        (several, _) => {
            let message = format!(
                "`{}` and `{peer}` see each other at {} ports, and none of these is called {}",
                row.node,
                several.len(),
                row.peer_ports.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
            );
            let help = "write the name that the neighbour's own table has for its port, as LocalPort";
            Err(files[file].wrong(&row.at, message, help))
        }
    }
}
