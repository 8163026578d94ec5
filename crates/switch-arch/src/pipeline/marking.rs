//! Congestion marking in a switch: the marker's decisions, and the count of marks.
//!
//! Invariant: a packet is marked at most once at a switch, for the first reason that the marker gives.

use cc_policies::AnyMarker;
use cc_policies::policy::Marker;
use packet::{MarkCode, Packet, VoqId};
use telemetry::Marks;

use crate::tables::LaneTable;

/// The marker and the marks that it gave.
#[derive(Debug)]
#[repr(C)] // In the order of use.
pub(super) struct Marking {
    pub(super) marker: AnyMarker,
    /// By output and lane.
    pub(super) marks: LaneTable<Marks>,
}

state_codec::state!(Marking { marker: part, marks: part });

impl Marking {
    /// Creates the marking of a switch of this many ports and lanes that has marked no packet.
    pub(super) fn new(marker: AnyMarker, ports: usize, lanes: usize) -> Self {
        Self { marker, marks: LaneTable::new(ports, lanes, Marks::default()) }
    }

    /// Marks a packet that leaves as `voq` says, if there is a reason to.
    #[inline(always)]
    pub(super) fn apply(&mut self, packet: &mut Packet, voq: VoqId, reason: Option<MarkCode>) {
        if let Some(reason) = reason {
            packet.mark(reason);
            self.marks[(voq.output, voq.lane)].count(reason);
        }
    }

    /// Marks a packet that goes straight from its buffer to the wire: both questions are asked at once.
    #[inline(always)]
    pub(super) fn mark_departing(&mut self, packet: &mut Packet, voq: VoqId) {
        let at_input = self.marker.left_input(voq);
        let at_output = self.marker.departing(voq, packet.wire_bytes());
        self.apply(packet, voq, at_input.or(at_output));
    }

    /// Marks a packet that starts to cross to a queue at its output.
    #[inline]
    pub(super) fn mark_crossing(&mut self, packet: &mut Packet, voq: VoqId) {
        let reason = self.marker.left_input(voq);
        // Set in both cases, since the packet may still carry the value of an earlier switch.
        packet.set_marked_here(reason.is_some());
        self.apply(packet, voq, reason);
    }

    /// Marks a packet that starts on the wire from a queue at its output, unless it was marked when it crossed.
    #[inline]
    pub(super) fn mark_after_crossing(&mut self, packet: &mut Packet, voq: VoqId) {
        let reason = self.marker.departing(voq, packet.wire_bytes());
        self.apply(packet, voq, reason.filter(|_| !packet.marked_here()));
    }
}
