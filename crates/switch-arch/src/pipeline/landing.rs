//! Output queueing: a packet moves from its input's landing buffer to its output's queue as soon as it has room there.
//! From there it goes on the wire.
//!
//! Invariant: within an instant all packets that have room move before any wire chooses. So a packet that meets an idle
//! output passes at once. No arbiter decides: an output takes in the packets that wait for it in the order in which
//! they became ready. A long packet at their head holds back the short packets behind it.
//!
//! ```text
//! lands at input -> [room in the output's queue, its turn among the packets for that queue: moves]
//!                -> waits at output -> [wire free, credit: leaves]
//! moved, and tail in -> landing buffer released, credit back        tail left -> output's queue released
//! ```
//!
//! The move takes no time: all inputs write at once, each as fast as its packet comes in or faster. A packet that moves
//! while its tail still comes in occupies both memories until the tail is in: virtual cut-through.

use link_layer::NodeContext;
use packet::{PacketPool, PortId, VoqId};
use units::Time;

use super::admission::Charge;
use super::{Pipeline, Stages};
use crate::buffering::{Output, Taken, TwoStage};
use crate::setup::SwitchTimer;

impl<const WORDS: usize> Stages<WORDS> for Output {
    const CROSSES: bool = true;

    fn decide(pipeline: &mut Pipeline<Self, WORDS>, context: &mut impl NodeContext<SwitchTimer>) {
        let due = core::mem::take(&mut pipeline.agenda.due);
        for output in due {
            pipeline.fill(output, context);
        }
        for output in due {
            pipeline.start_transmission(output, context);
        }
    }

    fn on_tail_left(
        pipeline: &mut Pipeline<Self, WORDS>,
        Charge { voq, length, .. }: Charge,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        pipeline.leave_output_queue(voq, length, context.now());
    }

    fn on_crossbar_done(
        pipeline: &mut Pipeline<Self, WORDS>,
        charge: Charge,
        _fast: bool,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        // The move itself took no time, so this is the arrival of the tail of a packet that has already moved.
        pipeline.leave_buffer(charge, context);
    }
}

impl<const WORDS: usize> Pipeline<Output, WORDS> {
    /// Moves packets to the queues of `output`, as many as have room.
    fn fill(&mut self, output: PortId, context: &mut impl NodeContext<SwitchTimer>) {
        for lane in self.storage.lanes(output) {
            // At most a single input contends here: the input of the packet at the head.
            while let Some(input) = self.storage.contenders(output, lane).pop() {
                let voq = VoqId { input, output, lane };
                if !self.has_room(voq, context.packets()) {
                    break;
                }
                self.move_to_output(voq, context);
            }
        }
    }

    /// Returns true if the output's queue has room for the first packet that waits for it.
    fn has_room(&self, voq: VoqId, packets: &PacketPool) -> bool {
        let length = self.storage.head_length(voq, packets);
        self.storage.buffering.outputs().has_room(voq.output, voq.lane, length)
    }

    /// Moves the packet at the head. Its landing buffer is released when its tail is in.
    fn move_to_output(&mut self, voq: VoqId, context: &mut impl NodeContext<SwitchTimer>) {
        let now = context.now();
        let pool = context.packets();
        let Taken { packet: id, .. } = self.storage.take(voq, pool);
        let (arrived_on, tail) = (pool[id].arrived_on(), pool[id].tail);
        let charge = Charge { voq, arrived_on, length: pool[id].wire_bytes() };
        self.enter_output_queue(voq, id, pool, now);
        self.release_landing(charge, tail, context);
    }

    /// Releases the landing buffer of a packet that has moved, once its tail is in.
    fn release_landing(&mut self, charge: Charge, tail: Time, context: &mut impl NodeContext<SwitchTimer>) {
        let Charge { voq: VoqId { input, output, lane }, arrived_on, length } = charge;
        if tail > context.now() {
            let length = length.get() as u16;
            let landed = SwitchTimer::CrossbarDone { output, input, lane, arrived_on, fast: false, length };
            context.set_timer(tail, landed);
        } else {
            self.leave_buffer(charge, context);
        }
    }
}
