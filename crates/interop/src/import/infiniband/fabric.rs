//! The content of a file that describes an InfiniBand subnet: nodes with their ports and cables.
//!
//! Invariant: this is what the file says, in its order. Nothing has been compared with anything else.

use core::ops::Range;
use std::collections::BTreeMap;

use link_layer::spec::{Speed, Width};
use packet::Mtu;
use units::Length;

/// The nodes of a subnet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IbFabric {
    /// The nodes, in the order of the file.
    pub nodes: Vec<IbNode>,
    /// Lengths of cables by a port at one of their ends, its node by `id`, where the file has them.
    pub lengths: BTreeMap<(String, u16), Length>,
    /// Numbers of ports with cables by their MTU, where the file has it.
    pub mtus: BTreeMap<Mtu, usize>,
}

/// A switch, a channel adapter or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbNode {
    /// Type of the node.
    pub kind: IbNodeKind,
    /// Name by which the file's cables refer to the node.
    pub id: String,
    /// GUID of the node; of its port in files that name only that.
    pub guid: Option<u64>,
    /// `NodeDescription`; `None` if the file has none.
    pub name: Option<String>,
    /// Number of external ports, with cables and without.
    pub ports: u16,
    /// Base LID of a switch, which is its port 0's.
    pub lid: Option<u16>,
    /// LMC of a switch.
    pub lmc: u8,
    /// External ports that the file mentions.
    pub links: Vec<IbPort>,
    /// Bytes of the file at which the node is introduced.
    pub at: Range<usize>,
}

/// Type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IbNodeKind {
    /// Switch.
    Switch,
    /// Channel adapter of a host.
    Adapter,
    /// Router to another subnet.
    Router,
}

/// An external port of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbPort {
    /// Number of the port, from 1.
    pub number: u16,
    /// GUID of the port; `None` for ports of switches.
    pub guid: Option<u64>,
    /// Base LID of the port; `None` for ports of switches, and where the file has none.
    pub lid: Option<u16>,
    /// LMC of the port: it has 2^LMC LIDs.
    pub lmc: u8,
    /// The far end of the cable; `None` for a port that is down.
    pub peer: Option<IbPeer>,
    /// Width and speed of the link; `None` where the file does not say.
    pub speed: Option<(Width, Speed)>,
    /// Bytes of the file that describe the port.
    pub at: Range<usize>,
}

/// The far end of a cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbPeer {
    /// Name of the node in the file: its `id`.
    pub id: String,
    /// Number of the port.
    pub port: u16,
}

/// Largest LID of a port: those above are of multicast groups (IBA 4.1.3).
const LAST_LID: u16 = 0xBFFF;

/// Returns the LID of a port; `None` for 0 and for 65,535, by which tools name a port without a LID, and for other
/// numbers that no port can have.
pub(super) fn lid_of_port(number: u16) -> Option<u16> {
    Some(number).filter(|lid| (1..=LAST_LID).contains(lid))
}

/// Returns the width and speed that a word such as `4xEDR` names; `None` for another word.
#[must_use]
pub fn width_and_speed(word: &str) -> Option<(Width, Speed)> {
    let (lanes, name) = word.split_once(['x', 'X'])?;
    Some((width(lanes)?, speed(name)?))
}

/// Returns the word for a width and a speed: `4xEDR`.
#[must_use]
pub fn speed_word((width, speed): (Width, Speed)) -> String {
    format!("{}x{}", width.lanes(), speed.name())
}

/// Returns the width of this number of lanes, a word of the file.
pub(super) fn width(lanes: &str) -> Option<Width> {
    Width::ALL.into_iter().find(|width| width.lanes().to_string() == lanes)
}

pub(super) fn speed(name: &str) -> Option<Speed> {
    Speed::ALL.into_iter().find(|speed| speed.name().eq_ignore_ascii_case(name))
}
