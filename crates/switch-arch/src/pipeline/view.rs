//! The state of a switch as instruments see it between two instants.
//!
//! Invariant: a view changes nothing, and costs nothing while no instrument looks: every answer is read off the queues
//! themselves.

use cc_policies::{Margin, Marker};
use link_layer::{PauseTally, Port};
use packet::{Lane, Packet, PacketPool, PortId, VoqId};
use telemetry::{LaneInput, LaneOutput, Marks};
use units::{Bytes, Rate, Time};

use super::{Pipeline, Stages};
use crate::buffering::OutputQueues;

/// A read-only view of a switch, for instruments.
pub trait SwitchView {
    /// Returns the number of ports.
    fn radix(&self) -> usize;

    /// Returns the number of data lanes of each port.
    fn lanes(&self) -> usize;

    /// Returns the link of a port, with its flow control.
    fn link(&self, port: PortId) -> &Port;

    /// Returns true if all queues and buffers are empty, no shared memory is in use, all wires are idle, and all credits
    /// of the far ends are here.
    fn at_rest(&self, now: Time) -> bool;

    /// Returns the records of a port and lane: its input buffer, and its departures.
    fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput);

    /// Returns the record of the queue behind the crossbar at an output and lane; `None` in a switch without such
    /// queues.
    fn output_queue(&self, output: PortId, lane: Lane) -> Option<&LaneInput>;

    /// Returns the packets marked on leaving by every port and lane, in order.
    fn all_marks(&self) -> &[Marks];

    /// Returns the distances of an output and lane's queue length from two thresholds: the one above which some packets
    /// are marked, and the one above which all are.
    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2];

    /// Returns the pauses of a port and lane; `None` under credits.
    fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally>;

    /// Returns the number of packets dropped because too many bytes waited for an output and lane.
    fn dropped_at_output(&self, output: PortId, lane: Lane) -> u64;

    /// Returns the number of packets dropped at this switch.
    fn dropped(&self) -> u64;

    /// Returns the data rate of the link at an output.
    fn link_rate(&self, output: PortId) -> Rate;

    /// Returns the bytes that wait for an output and lane, over all inputs.
    fn waiting(&self, output: PortId, lane: Lane) -> Bytes;

    /// Shows every packet that waits to `see`: in a buffer, or behind the crossbar at its output.
    fn visit_packets(&self, pool: &PacketPool, see: &mut dyn FnMut(&Packet));

    /// Returns the bytes that may still come in on a lane of an input, as this switch counts them: none while it asks
    /// for a pause.
    fn room(&self, input: PortId, lane: Lane) -> Bytes;

    /// Returns true if a packet waits for this output and lane that is longer than `room`, the room at the far end.
    /// Nothing leaves on this lane until there is more.
    fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool;

    /// Returns true if every packet in the buffer of an input and lane waits there: none is on its way out, and none has
    /// yet to become ready. Returns false for shared memory, in which others can make room.
    fn everything_queued(&self, input: PortId, lane: Lane, pool: &PacketPool) -> bool;

    /// Returns true if a packet that waits for `voq.output` is, or could be, the next to leave the buffer of the input
    /// and lane.
    fn is_head(&self, voq: VoqId) -> bool;

    /// Returns true if there is a queue behind the crossbar and it has room for the head of `voq`.
    fn can_cross(&self, voq: VoqId, pool: &PacketPool) -> bool;
}

impl dyn SwitchView + '_ {
    /// Returns the links of all ports, in order.
    pub fn links(&self) -> impl Iterator<Item = &Port> {
        (0..self.radix() as u16).map(|port| self.link(PortId(port)))
    }

    /// Returns the records of every port and lane, in order.
    pub fn all_observed(&self) -> impl Iterator<Item = (&LaneInput, &LaneOutput)> {
        let ports = (0..self.radix() as u16).map(PortId);
        let lanes = move |port| (0..self.lanes() as u8).map(move |lane| self.observed(port, Lane(lane)));
        ports.flat_map(lanes)
    }

    /// Returns the packets marked on leaving by an output and lane.
    #[must_use]
    pub fn marks(&self, output: PortId, lane: Lane) -> &Marks {
        &self.all_marks()[output.index() * self.lanes() + lane.index()]
    }

    /// Returns the outputs of the packets that are, or could be, the next to leave the buffer of an input and lane.
    pub fn head_outputs(&self, input: PortId, lane: Lane) -> impl Iterator<Item = PortId> {
        let outputs = (0..self.radix() as u16).map(PortId);
        outputs.filter(move |&output| self.is_head(VoqId { input, output, lane }))
    }
}

impl<B: Stages<WORDS>, const WORDS: usize> SwitchView for Pipeline<B, WORDS> {
    fn radix(&self) -> usize {
        self.ports.as_slice().len()
    }

    fn lanes(&self) -> usize {
        self.admission.inputs.lanes()
    }

    fn link(&self, port: PortId) -> &Port {
        &self.ports[port].link
    }

    fn at_rest(&self, now: Time) -> bool {
        let output_queues = self.storage.buffering.output_queues();
        self.ports.as_slice().iter().all(|port| port.link.at_rest(now))
            && self.admission.memory.is_released()
            && self.admission.egress.as_ref().is_none_or(|egress| egress.is_released())
            && output_queues.is_none_or(OutputQueues::is_empty)
    }

    fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        (&self.admission.inputs[(port, lane)], self.storage.contention.departures(port, lane))
    }

    fn output_queue(&self, output: PortId, lane: Lane) -> Option<&LaneInput> {
        self.storage.buffering.output_queues().map(|queues| queues.charged(output, lane))
    }

    fn all_marks(&self) -> &[Marks] {
        self.marking.marks.entries()
    }

    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.marking.marker.margins(output, lane)
    }

    fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally> {
        self.link(port).pauses(lane, now)
    }

    fn dropped_at_output(&self, output: PortId, lane: Lane) -> u64 {
        self.admission.egress.as_ref().map_or(0, |egress| egress.dropped[(output, lane)])
    }

    fn dropped(&self) -> u64 {
        let at_inputs: u64 = self.ports.as_slice().iter().map(|port| port.link.dropped()).sum();
        let at_outputs = self.admission.egress.iter().flat_map(|egress| egress.dropped.entries());
        at_inputs + at_outputs.sum::<u64>()
    }

    fn link_rate(&self, output: PortId) -> Rate {
        self.ports.rate(output)
    }

    fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        self.storage.contention.waiting(output, lane)
    }

    fn visit_packets(&self, pool: &PacketPool, see: &mut dyn FnMut(&Packet)) {
        self.storage.buffering.packets(pool).for_each(&mut *see);
        if let Some(queues) = self.storage.buffering.output_queues() {
            queues.packets(pool).for_each(see);
        }
    }

    fn room(&self, input: PortId, lane: Lane) -> Bytes {
        self.link(input).room(lane)
    }

    fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool {
        let link = self.link(output);
        // Under PFC a packet may start until the PAUSE of the far end takes effect, whatever room there is.
        let lacks_room = |length: Bytes| length > room && !link.may_start(lane, length);
        if let Some(queues) = self.storage.buffering.output_queues() {
            return queues.waiting(output).contains(lane)
                && lacks_room(pool[queues.head(output, lane)].wire_bytes());
        }
        let mut contenders = self.storage.contenders(output, lane);
        contenders.any(|input| lacks_room(self.storage.head_length(VoqId { input, output, lane }, pool)))
    }

    fn everything_queued(&self, input: PortId, lane: Lane, pool: &PacketPool) -> bool {
        let is_here = |packet: &&Packet| packet.voq().input == input && packet.lrh.lane == lane;
        let queued: Bytes =
            self.storage.buffering.packets(pool).filter(is_here).map(Packet::wire_bytes).sum();
        !self.admission.memory.is_shared() && queued == self.admission.inputs[(input, lane)].held()
    }

    fn is_head(&self, voq: VoqId) -> bool {
        if self.arbitration.bandwidth.is_limited() {
            self.storage.contenders(voq.output, voq.lane).contains(voq.input)
        } else {
            *self.storage.buffering.waiting(voq) > 0
        }
    }

    fn can_cross(&self, voq: VoqId, pool: &PacketPool) -> bool {
        self.storage
            .buffering
            .output_queues()
            .is_some_and(|queues| queues.has_room(voq.output, voq.lane, self.storage.head_length(voq, pool)))
    }
}
