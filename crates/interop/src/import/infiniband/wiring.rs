//! Cables of a subnet: which port leads to which.
//!
//! Invariant: a port has at most one cable, and its two ends agree on both ports. Ends that name two widths or speeds
//! are counted: the slower holds, since no link is faster than its slower end.

use core::ops::Range;
use std::collections::BTreeMap;

use link_layer::spec::{Speed, Width};

use super::fabric::{IbFabric, IbPort, speed_word};
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// A port: index of its node in the file, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CableEnd {
    pub(super) node: usize,
    pub(super) port: u16,
}

/// Width and speed, where the file has them.
type MaybeSpeed = Option<(Width, Speed)>;

/// The far end of the cable at each port with a cable.
pub(super) struct Wiring {
    far: BTreeMap<CableEnd, (CableEnd, MaybeSpeed)>,
    /// Cables of two speeds, in words, with the bytes of the later end.
    pub(super) unlike: Vec<(String, Range<usize>)>,
}

impl Wiring {
    /// Joins the ports of all nodes.
    pub(super) fn new(source: SourceText<'_>, fabric: &IbFabric) -> Result<Self, Diagnostic> {
        let index = index(source, fabric)?;
        let mut wiring = Self { far: BTreeMap::new(), unlike: Vec::new() };
        let mut seen = std::collections::BTreeSet::new();
        for (node, own) in fabric.nodes.iter().enumerate() {
            for port in &own.links {
                let near = CableEnd { node, port: port.number };
                if !seen.insert(near) {
                    let message = format!("port {} of `{}` is listed a second time", port.number, own.id);
                    return Err(source.wrong(&port.at, message, "list each port of a node once"));
                }
                if port.number > own.ports {
                    let message =
                        format!("`{}` has {} ports, and this is port {}", own.id, own.ports, port.number);
                    return Err(source.wrong(&port.at, message, "write one of its ports"));
                }
                let Some(peer) = &port.peer else { continue };
                let unknown = || {
                    let help = "add the record of this node, or take the port out";
                    source.wrong(&port.at, format!("there is no node `{}`", peer.id), help)
                };
                let far =
                    CableEnd { node: *index.get(peer.id.as_str()).ok_or_else(unknown)?, port: peer.port };
                wiring.join(source, fabric, (near, far), port)?;
            }
        }
        Ok(wiring)
    }

    /// Joins two ports. The first describes the cable.
    fn join(
        &mut self,
        source: SourceText<'_>,
        fabric: &IbFabric,
        (near, far): (CableEnd, CableEnd),
        port: &IbPort,
    ) -> Result<(), Diagnostic> {
        let name = |end: CableEnd| format!("port {} of `{}`", end.port, fabric.nodes[end.node].id);
        if near == far || far.port == 0 || far.port > fabric.nodes[far.node].ports {
            let message = format!("no cable can lead to {}", name(far));
            return Err(source.wrong(&port.at, message, "write another port of one of the nodes"));
        }
        for (end, other) in [(near, far), (far, near)] {
            if let Some((known, _)) = self.far.get(&end).filter(|(known, _)| *known != other) {
                let message = format!(
                    "the cable leads from {} to {}, and by another line from there to {}",
                    name(other),
                    name(end),
                    name(*known)
                );
                return Err(source.wrong(&port.at, message, "both ends of a cable name each other"));
            }
        }
        let known = self.far.get(&near).and_then(|(_, speed)| *speed);
        let mut speed = known.or(port.speed);
        if let (Some(one), Some(other)) = (known, port.speed)
            && one != other
        {
            let words =
                format!("{}: {}, and {} at its far end", name(near), speed_word(other), speed_word(one));
            self.unlike.push((words, port.at.clone()));
            let rate = |(width, speed): (Width, Speed)| speed.data_rate(width);
            speed = Some(if rate(other) < rate(one) { other } else { one });
        }
        self.far.insert(near, (far, speed));
        self.far.insert(far, (near, speed));
        Ok(())
    }

    /// Returns the cables of a node by its ports, in order: near end and far end.
    pub(super) fn of(&self, node: usize) -> impl Iterator<Item = (CableEnd, CableEnd)> {
        let ports = CableEnd { node, port: 0 }..=CableEnd { node, port: u16::MAX };
        self.far.range(ports).map(|(near, (far, _))| (*near, *far))
    }

    /// Returns every cable once.
    pub(super) fn cables(&self) -> impl Iterator<Item = (CableEnd, CableEnd, MaybeSpeed)> {
        let ends = self.far.iter().map(|(near, (far, speed))| (*near, *far, *speed));
        ends.filter(|(near, far, _)| near < far)
    }
}

/// Returns the nodes by their names in the file.
fn index<'a>(source: SourceText<'_>, fabric: &'a IbFabric) -> Result<BTreeMap<&'a str, usize>, Diagnostic> {
    let mut index = BTreeMap::new();
    for (i, node) in fabric.nodes.iter().enumerate() {
        if index.insert(node.id.as_str(), i).is_some() {
            let message = format!("a second node is called `{}`", node.id);
            return Err(source.wrong(&node.at, message, "give each node a name of its own"));
        }
    }
    Ok(index)
}
