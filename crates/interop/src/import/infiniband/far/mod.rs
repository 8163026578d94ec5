//! Port groups and forwarding tables of switches with adaptive routing: `ibdiagnet2.far`, as `ibdiagnet --routing`
//! writes it.
//!
//! Invariant: every line of a table is an entry with its place, and any other text than the described one is a fault.
//! This is what the file says: nothing has been compared with the cables.
//!
//! The vendor describes the file nowhere. The form is taken from two public readers of it: the grammar `ibfar.pest` and
//! the script that splits the file, both of `CrackedPoly/Rapimt`. No file of a real cluster was at hand.
//!
//! ```text
//! File version: 2
//! Switch 0x0002c90300000100 ...                        text up to the groups is not described
//! Groups Definition:
//! Group   Sub Group   WHBF   Ports
//! --------------------------------
//! 1       0           0      17,20,                    no ports: an empty group
//! LFT Definition:
//! PLFT_NUM: 0, top: 0x0006
//! LID     Static Port   Lid State   Group
//! ---------------------------------------
//! 0x0003  17            Free        1                  state Static, HBF or Free
//! ```

mod lines;

use core::ops::Range;
use std::collections::BTreeMap;

use crate::import::source::SourceText;
use scenario::Diagnostic;

/// The tables of the switches that a file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdaptiveTables {
    /// Version of the file's form.
    pub version: u32,
    /// The tables, in the order of the file.
    pub switches: Vec<AdaptiveTable>,
}

/// The groups and the forwarding table of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptiveTable {
    /// GUID of the switch.
    pub guid: u64,
    /// Bytes of the file that introduce the switch.
    pub at: Range<usize>,
    /// Text between the switch's GUID and its groups, which no public description explains; empty if there is none.
    pub undescribed: Range<usize>,
    /// Groups of ports by number.
    pub groups: BTreeMap<u16, PortGroup>,
    /// Entries, in the order of the file.
    pub entries: Vec<AdaptiveEntry>,
}

/// A group of ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortGroup {
    /// Subgroups by number: the first has priority.
    pub parts: BTreeMap<u8, Subgroup>,
}

/// Ports of a group with the same priority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgroup {
    /// Numbers of the ports, in the order of the file.
    pub ports: Vec<u8>,
    /// Column `WHBF`, a weight of hashing; 0 without weights.
    pub weight: u16,
    /// Bytes of the row.
    pub at: Range<usize>,
}

/// The entry of a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveEntry {
    /// Destination.
    pub lid: u16,
    /// Port of packets that keep a single path: 0 for the switch itself, 255 for none.
    pub port: u8,
    /// The way in which the switch chooses.
    pub state: LidState,
    /// Number of the group.
    pub group: u16,
    /// First byte of the entry's line.
    pub start: usize,
}

/// The way in which a switch chooses the port for a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LidState {
    /// The static port.
    Static,
    /// A hash of the packet's flow over the group (hash-based forwarding).
    Hash,
    /// Any port of the group, by load, for each packet anew.
    Adaptive,
}

impl AdaptiveTables {
    /// Reads the file.
    ///
    /// # Errors
    /// If a line has another form, an entry names a group that the switch has not, or something stands twice.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        lines::tables(source)
    }
}

impl PortGroup {
    /// Returns the numbers of all ports, with the row of each.
    pub(super) fn ports(&self) -> impl Iterator<Item = (u8, &Range<usize>)> {
        self.parts.values().flat_map(|part| part.ports.iter().map(|port| (*port, &part.at)))
    }
}

impl AdaptiveEntry {
    /// Returns the bytes of the entry's line.
    pub(super) fn at(self, source: SourceText<'_>) -> Range<usize> {
        let rest = &source.text[self.start..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.start..self.start + rest[..end].trim_end().len()
    }
}
