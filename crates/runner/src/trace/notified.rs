//! Marks and notifications, packet by packet.
//!
//! Invariant: a packet is marked by a switch if it leaves with FECN and came without. A notification answers the last
//! marked packet of its flow that arrived before it was sent. Where no packet is lost, notifications of a flow arrive
//! in the order of sending.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;

use fabric::{Passing, Sighting};
use packet::{BthFlags, FlowId, Lid, Opcode, Packet, QpNumber};
use scenario::Plan;
use traces::perfetto::{ArrowId, Arrows};

use super::tracks::{FlowTracks, Tracks};
use super::{EventKind, Limited, packet_facts};

/// A packet under way, by what tells it from others.
type Key = (Lid, QpNumber, QpNumber, u32, u8);

fn key(packet: &Packet) -> Key {
    (
        packet.lrh.source(),
        packet.source_qp,
        packet.bth.destination_qp,
        packet.bth.psn.get(),
        packet.bth.opcode as u8,
    )
}

/// Marks and notifications so far.
pub(super) struct Notified<'a> {
    plan: &'a Plan,
    tracks: &'a Tracks,
    /// Packets that came to a switch with a mark, and are there.
    came_marked: BTreeSet<Key>,
    /// Arrows from marks of packets of named flows that have not arrived.
    marked: BTreeMap<Key, ArrowId>,
    flows: BTreeMap<FlowId, Answers>,
}

/// Arrows of a flow.
#[derive(Debug, Default)]
struct Answers {
    /// From the mark of the packet that arrived last, if it is not answered.
    last: Option<ArrowId>,
    /// To notifications that have not arrived.
    sent: VecDeque<ArrowId>,
}

impl<'a> Notified<'a> {
    pub(super) fn new(plan: &'a Plan, tracks: &'a Tracks) -> Self {
        Self { plan, tracks, came_marked: BTreeSet::new(), marked: BTreeMap::new(), flows: BTreeMap::new() }
    }

    /// Looks at a packet that passes a port.
    pub(super) fn see<W: Write>(&mut self, sighting: &Sighting, to: &mut Limited<W>) {
        let Passing::Packet(packet) = &sighting.what else { return };
        if !self.plan.graph().is_host(sighting.node) {
            if packet.has(BthFlags::FECN) {
                self.see_marked(sighting, packet, to);
            }
            return;
        }
        let Some(tracks) = self.tracks.flow(packet.flow) else { return };
        let here = sighting.node.lid();
        let end = if sighting.outbound { packet.lrh.source() } else { packet.lrh.destination() };
        if packet.has(BthFlags::BECN) && end == here {
            self.see_notification(sighting, packet, tracks, to);
        }
        if packet.has(BthFlags::FECN) && !sighting.outbound && packet.lrh.destination() == here {
            let answers = self.flows.entry(packet.flow).or_default();
            answers.last = self.marked.remove(&key(packet)).or(answers.last);
        }
    }

    /// Looks at a packet with a mark at a switch.
    fn see_marked<W: Write>(&mut self, sighting: &Sighting, packet: &Packet, to: &mut Limited<W>) {
        if !sighting.outbound {
            self.came_marked.insert(key(packet));
            return;
        }
        let is_earlier = self.came_marked.remove(&key(packet));
        let output = self.tracks.output(sighting.node, sighting.port, packet.lrh.lane);
        let (false, Some(track)) = (is_earlier, output.and_then(|output| output.marks)) else { return };
        let arrow = self.tracks.flow(packet.flow).map(|_| to.writer.arrow());
        if let Some(arrow) = arrow {
            self.marked.insert(key(packet), arrow);
        }
        let flow = &self.plan.workload().flows[packet.flow.index()].name;
        let facts = packet_facts(flow, packet.bth.psn.get().into());
        let arrows = Arrows { through: arrow, to: None };
        to.add(EventKind::Mark, |writer| writer.instant(track, sighting.at, "mark", &facts, arrows));
    }

    /// Looks at a notification that its sender sends or its receiver gets.
    fn see_notification<W: Write>(
        &mut self,
        sighting: &Sighting,
        packet: &Packet,
        tracks: FlowTracks,
        to: &mut Limited<W>,
    ) {
        let answers = self.flows.entry(packet.flow).or_default();
        let (what, arrows) = if sighting.outbound {
            let is_lossless = !self.plan.link().is_lossy(packet.lrh.lane);
            let arrow = is_lossless.then(|| to.writer.arrow());
            answers.sent.extend(arrow);
            ("sent", Arrows { through: arrow, to: answers.last.take() })
        } else {
            ("received", Arrows { through: None, to: answers.sent.pop_front() })
        };
        let name = format!("{} {what}", word(packet));
        to.add(EventKind::Notification, |writer| {
            writer.instant(tracks.notifications, sighting.at, &name, &[], arrows)
        });
    }
}

const fn word(packet: &Packet) -> &'static str {
    match packet.bth.opcode {
        Opcode::Cnp => "CNP",
        _ => "BECN",
    }
}
