//! The state of a switch as instruments see it between two instants.
//!
//! Invariant: a view changes nothing, and costs nothing while no instrument looks: every answer is read off the queues
//! themselves.

use cc_policies::{Margin, Marker};
use link_layer::{LastingUse, PauseTally, Port, ReceiverId};
use packet::{Lane, Packet, PacketPool, PortId, VoqId};
use telemetry::{DetourTally, LaneInput, LaneOutput, Marks};
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

    /// Returns true if queues, buffers and shared memory are empty, all wires are idle, and all credits of the far ends
    /// are here.
    fn at_rest(&self, now: Time) -> bool;

    /// Returns the records of a port and lane: its input buffer, and its departures.
    fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput);

    /// Returns the record of the queue at an output and lane in which packets wait a second time; `None` in a switch
    /// without such queues.
    fn output_queue(&self, output: PortId, lane: Lane) -> Option<&LaneInput>;

    /// Returns the packets marked on leaving by every port and lane, in order.
    fn all_marks(&self) -> &[Marks];

    /// Returns the distances of an output and lane's queue length from two thresholds. Above the first some packets are
    /// marked, above the second all are.
    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2];

    /// Returns the pauses of a port and lane; `None` under credits.
    fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally>;

    /// Returns the number of packets dropped because too many bytes waited for an output and lane.
    fn dropped_at_output(&self, output: PortId, lane: Lane) -> u64;

    /// Returns the number of packets dropped at this switch.
    fn dropped(&self) -> u64;

    /// Returns the data rate of the link at an output.
    fn link_rate(&self, output: PortId) -> Rate;

    /// Returns the number of packets for which the selector chose an output and lane; `None` in a switch without a
    /// selector.
    fn chosen(&self, output: PortId, lane: Lane) -> Option<u64>;

    /// Returns the counts of packets that may take detours; zeros in a switch without any.
    fn detours(&self) -> DetourTally;

    /// Returns the bytes that wait for an output and lane, over all inputs.
    fn waiting(&self, output: PortId, lane: Lane) -> Bytes;

    /// Shows every packet that waits to `see`: in a buffer, or in a queue at its output.
    fn visit_packets(&self, pool: &PacketPool, see: &mut dyn FnMut(&Packet));

    /// Returns true if the room of a receiver depends on the load of others.
    fn shares_memory(&self) -> bool;

    /// Returns the most bytes that may still come in by a port and lane while the uses of memory in `lasting` last. See
    /// [`ReceiveMemory::most_room`](link_layer::ReceiveMemory::most_room).
    fn most_room(&self, input: PortId, lane: Lane, lasting: &[LastingUse]) -> Bytes;

    /// Shows every packet that waits in a buffer to `see`, with the output that the head of its queue waits for.
    /// Packets that are on their way out, or have yet to become ready, do not wait.
    fn visit_buffers(&self, pool: &PacketPool, see: &mut dyn FnMut(&Packet, PortId));

    /// Returns the length of the longest packet at the head of a queue for an output and lane; `None` if no packet
    /// waits.
    fn longest_head(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Option<Bytes>;

    /// Returns the length of the packet with which `voq.input` contends for the output and lane; `None` if it does not.
    fn contender(&self, voq: VoqId, pool: &PacketPool) -> Option<Bytes>;

    /// Returns true if an input may be unable to contend for a while: its buffer is read, or reserved for an output.
    fn is_read(&self, input: PortId) -> bool;

    /// Returns true if a packet that is read from an input can keep other packets of this input from being read.
    fn limits_reads(&self) -> bool;

    /// Returns the room beside the packets that wait behind the crossbar at an output and lane. The room of a packet on
    /// the wire counts, since it comes free. `None` in a switch without such queues.
    fn room_behind_crossbar(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Option<Bytes>;

    /// Returns true if a packet that waits for `voq.output` on `voq.lane` is, or could be, the next packet to leave the
    /// buffer of the input.
    fn is_head(&self, voq: VoqId) -> bool;

    /// Returns true if a packet of the virtual output queue may occupy the input's buffer of this lane, on which it
    /// arrived.
    fn arrived_on(&self, voq: VoqId, lane: Lane, pool: &PacketPool) -> bool;
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

    fn chosen(&self, output: PortId, lane: Lane) -> Option<u64> {
        self.selection.as_ref().map(|selection| selection.chosen[(output, lane)])
    }

    fn detours(&self) -> DetourTally {
        self.detours.as_ref().map_or_else(DetourTally::default, |detours| detours.tally())
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

    fn shares_memory(&self) -> bool {
        self.admission.memory.is_shared()
    }

    fn most_room(&self, port: PortId, lane: Lane, lasting: &[LastingUse]) -> Bytes {
        self.admission.memory.most_room(self.ports.as_slice(), ReceiverId { port, lane }, lasting)
    }

    fn visit_buffers(&self, pool: &PacketPool, see: &mut dyn FnMut(&Packet, PortId)) {
        let buffering = &self.storage.buffering;
        buffering.packets(pool).for_each(|packet| see(packet, buffering.awaited(packet.voq(), pool)));
    }

    fn longest_head(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Option<Bytes> {
        match self.storage.buffering.output_queues() {
            Some(queues) => queues.head_length(output, lane, pool),
            None => {
                let length = |input| self.storage.head_length(VoqId { input, output, lane }, pool);
                self.storage.contenders(output, lane).map(length).max()
            }
        }
    }

    fn contender(&self, voq: VoqId, pool: &PacketPool) -> Option<Bytes> {
        let contends = self.storage.contenders(voq.output, voq.lane).contains(voq.input);
        contends.then(|| self.storage.head_length(voq, pool))
    }

    fn is_read(&self, input: PortId) -> bool {
        self.arbitration.bandwidth.is_in_use(input)
    }

    fn limits_reads(&self) -> bool {
        self.arbitration.bandwidth.is_limited()
    }

    fn room_behind_crossbar(&self, output: PortId, lane: Lane, pool: &PacketPool) -> Option<Bytes> {
        let queues = self.storage.buffering.output_queues()?;
        Some(queues.room_beside_waiting(output, lane, pool))
    }

    fn is_head(&self, voq: VoqId) -> bool {
        self.storage.buffering.is_next(voq, &self.storage.contention)
    }

    fn arrived_on(&self, voq: VoqId, lane: Lane, pool: &PacketPool) -> bool {
        if self.sl_to_vl.is_none() && self.detours.is_none() {
            return voq.lane == lane;
        }
        let mut packets = self.storage.buffering.packets(pool);
        packets.any(|packet| packet.voq() == voq && packet.arrived_on() == lane)
    }
}
