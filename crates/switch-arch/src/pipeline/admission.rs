//! Admission of arriving packets to the receive memory, and its release.
//!
//! Invariant: memory is charged when a packet is routed and released when the packet's tail has left its buffer. A
//! packet is dropped on arrival or not at all, and each drop is counted once. It is counted at its output and lane if
//! too many bytes waited there, else at the port and lane by which the packet came. A marker that heeds buffers learns
//! of every change.

use cc_policies::AnyMarker;
use cc_policies::policy::{BufferOwner, BufferView, Marker};
use link_layer::{NodeContext, ReceiveMemory, ReceiverId};
use packet::{Lane, VoqId};
use telemetry::LaneInput;
use units::Bytes;

use super::egress::Egress;
use crate::buffering::Contention;
use crate::ports::Ports;
use crate::setup::SwitchTimer;
use crate::tables::LaneTable;

/// The receive memory of a switch.
#[derive(Debug)]
#[repr(C)] // In the order of use.
pub(super) struct Admission {
    /// Record of each buffer's charge, by input and lane.
    pub(super) inputs: LaneTable<LaneInput>,
    pub(super) memory: ReceiveMemory,
    /// Limits of the queues at the outputs, in a switch that has some.
    pub(super) egress: Option<Box<Egress>>,
}

state_codec::state!(Admission { inputs: part, memory: part, egress: part });

/// The memory that a packet occupies: of its input's buffer, and of the queues at its output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charge {
    pub(crate) voq: VoqId,
    /// Lane of the input's buffer. `voq.lane` is the lane of the output.
    pub(crate) arrived_on: Lane,
    /// Length on the wire.
    pub(crate) length: Bytes,
}

/// Parts of the switch that a change of the memory reaches: ports, which return credits or pause, and the marker.
pub(super) struct AffectedParts<'a> {
    pub(super) ports: &'a mut Ports,
    pub(super) marker: &'a mut AnyMarker,
}

impl Admission {
    /// Creates the empty memory of a switch of this many ports and lanes.
    pub(super) fn new(
        memory: ReceiveMemory,
        egress: Option<Box<Egress>>,
        ports: usize,
        lanes: usize,
    ) -> Self {
        Self { inputs: LaneTable::new(ports, lanes, LaneInput::default()), memory, egress }
    }

    /// Charges the memory of an arriving packet. Returns false if the packet is dropped.
    #[inline(always)]
    pub(super) fn admit<const WORDS: usize>(
        &mut self,
        charge: Charge,
        contention: &Contention<WORDS>,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) -> bool {
        let Charge { voq: VoqId { input, output, lane }, arrived_on, length } = charge;
        if let Some(egress) = &mut self.egress
            && !egress.admits((output, lane), length, contention.waiting(output, lane))
        {
            return false;
        }
        // The pool at the outputs is charged only after this: a packet that finds no room at its input never reaches
        // them.
        if !self.charge(ReceiverId { port: input, lane: arrived_on }, length, affected, context) {
            return false;
        }
        if let Some(egress) = &mut self.egress {
            egress.charge((output, lane), length);
        }
        self.inputs[(input, arrived_on)].stored(length, context.now());
        true
    }

    /// Releases the memory of a packet that has left its buffer for good.
    #[inline(always)]
    pub(super) fn release(
        &mut self,
        charge: Charge,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        let Charge { voq: VoqId { input, output, lane }, arrived_on, length } = charge;
        self.inputs[(input, arrived_on)].freed(length, context.now());
        if let Some(egress) = &mut self.egress {
            egress.release((output, lane), length);
        }
        self.discharge(ReceiverId { port: input, lane: arrived_on }, length, affected, context);
    }

    #[inline]
    fn charge(
        &mut self,
        receiver: ReceiverId,
        length: Bytes,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) -> bool {
        if affected.marker.heeds_buffers(BufferOwner::Inputs) {
            return self.charge_heeded(receiver, length, affected, context);
        }
        self.memory.admit(affected.ports.as_mut_slice(), receiver, length, context)
    }

    /// Charges the memory of a packet, and tells the marker.
    #[inline(never)] // Few markers heed buffers.
    fn charge_heeded(
        &mut self,
        receiver: ReceiverId,
        length: Bytes,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) -> bool {
        let AffectedParts { ports, marker } = affected;
        let admitted = self.memory.admit(ports.as_mut_slice(), receiver, length, context);
        if admitted {
            self.notify(ports, marker, receiver);
        }
        admitted
    }

    #[inline(always)]
    fn discharge(
        &mut self,
        receiver: ReceiverId,
        length: Bytes,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        if affected.marker.heeds_buffers(BufferOwner::Inputs) {
            return self.discharge_heeded(receiver, length, affected, context);
        }
        self.memory.release(affected.ports.as_mut_slice(), receiver, length, context, |_, _| {});
    }

    /// Releases the memory of a packet, and tells the marker of all receivers that have other room then.
    #[inline(never)] // As above.
    fn discharge_heeded(
        &mut self,
        receiver: ReceiverId,
        length: Bytes,
        affected: AffectedParts<'_>,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        let AffectedParts { ports, marker } = affected;
        let slice = ports.as_mut_slice();
        self.memory.release(slice, receiver, length, context, |ReceiverId { port, lane }, occupancy| {
            marker.buffer_changed(port, lane, view(occupancy));
        });
        self.notify(ports, marker, receiver);
    }

    fn notify(&self, ports: &Ports, marker: &mut AnyMarker, ReceiverId { port, lane }: ReceiverId) {
        marker.buffer_changed(port, lane, view(self.memory.occupancy(&ports[port].link, lane)));
    }
}

fn view(link_layer::Occupancy { held, room }: link_layer::Occupancy) -> BufferView {
    BufferView { held, room }
}
