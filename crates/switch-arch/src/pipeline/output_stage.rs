//! The second stage of a switch with queues at its outputs: into a queue, and from there to the wire.
//!
//! Invariant: a packet that has entered its output's queue waits for the wire and for credit of the next hop, and for
//! nothing else. The queue is released when the packet's tail has left.

use cc_policies::policy::{BufferOwner, Marker};
use link_layer::{LaneSet, NodeContext};
use packet::{Lane, PacketId, PacketPool, PortId, VoqId};
use units::{Bytes, Time};

use super::{Pipeline, Stages};
use crate::buffering::TwoStage;
use crate::setup::SwitchTimer;

impl<B: Stages<WORDS> + TwoStage, const WORDS: usize> Pipeline<B, WORDS> {
    /// Lets a packet that has left its queue at the input enter the queue of its output.
    pub(super) fn enter_output_queue(&mut self, voq: VoqId, id: PacketId, pool: &mut PacketPool, now: Time) {
        self.storage.buffering.outputs_mut().push(voq.output, id, pool, now);
        self.report_output_queue(voq);
        self.marking.mark_crossing(&mut pool[id], voq);
    }

    /// Releases the room of a packet, once its tail has left its output's queue.
    pub(super) fn leave_output_queue(&mut self, voq: VoqId, length: Bytes, now: Time) {
        self.storage.buffering.outputs_mut().release(voq.output, voq.lane, length, now);
        self.report_output_queue(voq);
    }

    /// Reports a change of an output's queue to a marker for which the queue is a buffer.
    fn report_output_queue(&mut self, VoqId { output, lane, .. }: VoqId) {
        let marker = &mut self.marking.marker;
        if marker.heeds_buffers(BufferOwner::Outputs) {
            marker.buffer_changed(output, lane, self.storage.buffering.outputs().occupancy(output, lane));
        }
    }

    /// Starts the next packet on the wire of `output`, or records the resource that it lacks.
    pub(super) fn start_transmission(&mut self, output: PortId, context: &mut impl NodeContext<SwitchTimer>) {
        let now = context.now();
        if self.ports[output].is_sending(now) {
            return;
        }
        let mut ready = LaneSet::default();
        for lane in self.storage.buffering.outputs().waiting(output) {
            let head = self.storage.buffering.outputs().head(output, lane);
            if self.ports[output].link.may_start(lane, context.packets()[head].wire_bytes()) {
                ready.insert(lane);
            } else {
                self.starve(output, lane, now);
            }
        }
        let Some(lane) = self.ports.pick_lane(output, ready) else { return };
        let pool = context.packets();
        let id = self.storage.buffering.outputs_mut().pop(output, lane, pool);
        let voq = pool[id].voq();
        let view = self.storage.depart(voq, pool[id].wire, now);
        self.marking.marker.queue_changed(voq, view);
        self.marking.mark_after_crossing(&mut pool[id], voq);
        self.start_on_wire(voq, id, context);
    }

    /// Records that an output and lane lacks credit.
    fn starve(&mut self, output: PortId, lane: Lane, now: Time) {
        self.marking.marker.stalled(output, lane);
        self.storage.contention.stalled(output, lane, now);
    }
}
