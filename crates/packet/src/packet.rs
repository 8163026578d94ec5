//! A packet under way.
//!
//! Invariant: a [`Packet`] is one cache line.

use state_codec::{StateError, StateReader, StateWriter, Value};
use units::{Bytes, Time};

use crate::course::Course;
use crate::framing::Framing;
use crate::header::{Bth, BthFlags, Lrh, Syndrome};
use crate::ids::{FlowId, Lane, Lid, PacketId, PortId, QpNumber, VoqId};
use crate::mark::MarkCode;
use crate::opcode::Opcode;

/// A packet under way.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))] // None lies across two cache lines.
pub struct Packet {
    /// Arrival of the last byte at the packet's present position.
    pub tail: Time,
    /// Departure of the first byte from the source's adapter.
    pub injected: Time,
    /// Local route header.
    pub lrh: Lrh,
    /// Base transport header.
    pub bth: Bth,
    /// Queue pair at the source. Real hardware keeps it in the destination's connection state.
    pub source_qp: QpNumber,
    /// Flow that the payload belongs to, or that the packet answers.
    pub flow: FlowId,
    /// Message sequence number of the AETH (`MSN`), where the opcode has one; 24 bits. Requests have their entropy value here.
    pub msn: u32,
    /// `DMALen` of the RETH, in bytes: the length that an RDMA READ request asks for, or the payload of an RDMA
    /// WRITE. A packet with immediate data has it here. Other packets have no RETH; of acknowledgements, the lower
    /// half is [`selective`](Self::selective).
    pub dma_length: u32,
    /// Next packet of the queue that this one waits in.
    pub(crate) next: PacketId,
    /// Payload in bytes, at most the MTU.
    pub payload: u16,
    /// Length from the first header to the last check sequence, in bytes: the length in a buffer, and on the wire
    /// without the preamble and gap of its [`Framing`].
    pub wire: u16,
    /// Port by which the packet entered the present switch; a switch has at most 254.
    input: u8,
    /// Port by which the packet will leave the present switch.
    output: u8,
    /// Lane of arrival in the lower four bits. The upper four are 0, or the first mark's code plus one.
    arrival: u8,
    /// Syndrome of the AETH, where the opcode has one.
    pub syndrome: Syndrome,
    /// The [`Course`] in the lower 15 bits; the upper bit is set if the present switch has counted a mark.
    steering: u16,
}

const _: () = assert!(size_of::<Packet>() == 64, "a packet is one cache line");

/// Bit of `steering` of a packet with a mark that the present switch has counted.
const MARKED_HERE: u16 = 1 << 15;
/// Bits of `arrival` that hold the lane.
const LANE: u8 = 0xF;

/// The successor in a queue is not saved: the queue is, packet by packet.
impl Value for Packet {
    fn put(&self, to: &mut StateWriter) {
        let Self {
            tail,
            injected,
            lrh,
            bth,
            source_qp,
            flow,
            msn,
            dma_length,
            next: _,
            payload,
            wire,
            input,
            output,
            arrival,
            syndrome,
            steering,
        } = self;
        (*tail, *injected, *lrh).put(to);
        (*bth, *source_qp, *flow).put(to);
        (*msn, *dma_length, *payload).put(to);
        (*wire, *input, *output).put(to);
        (*arrival, *syndrome, *steering).put(to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let (tail, injected, lrh) = Value::take(from)?;
        let (bth, source_qp, flow) = Value::take(from)?;
        let (msn, dma_length, payload) = Value::take(from)?;
        let (wire, input, output) = Value::take(from)?;
        let (arrival, syndrome, steering) = Value::take(from)?;
        if usize::from(arrival >> 4) > MarkCode::COUNT {
            return Err(from.malformed("no code of a mark"));
        }
        Ok(Self {
            tail,
            injected,
            lrh,
            bth,
            source_qp,
            flow,
            msn,
            dma_length,
            next: PacketId::NONE,
            payload,
            wire,
            input,
            output,
            arrival,
            syndrome,
            steering,
        })
    }
}

/// Returns the key of the packets from one end of a flow to the other, by the addresses and queue pairs of both:
/// [`Packet::flow_key`].
#[inline]
#[must_use]
pub fn flow_key((source, destination): (Lid, Lid), (from, to): (QpNumber, QpNumber)) -> u64 {
    let low = |lid: Lid| u64::from(lid.0 as u16);
    let upper = u64::from(source.0 >> 16 << 2 | destination.0 >> 16);
    (low(source) << 16 | low(destination)) << 32 ^ upper << 20 ^ u64::from(from.0) << 24 ^ u64::from(to.0)
}

impl Packet {
    /// Returns the key that a switch may hash to choose among equally good ports: the addresses and queue pairs of
    /// both ends, as RoCEv2 has them in its IP and UDP headers, and the entropy value. All packets from one end of a
    /// flow have the same key if its source gives them no values. An acknowledgement's key is that of its flow.
    #[must_use]
    pub fn flow_key(&self) -> u64 {
        let addresses = (self.lrh.source(), self.lrh.destination());
        let value = if matches!(self.bth.opcode, Opcode::Acknowledge) { 0 } else { self.entropy() };
        flow_key(addresses, (self.source_qp, self.bth.destination_qp)) ^ u64::from(value) << 8
    }

    /// Returns a packet with the given headers and `payload` bytes, not yet on any wire, in InfiniBand's framing.
    #[inline]
    #[must_use]
    pub fn new(lrh: Lrh, bth: Bth, source_qp: QpNumber, flow: FlowId, payload: u16) -> Self {
        Self {
            tail: Time::ZERO,
            injected: Time::ZERO,
            lrh,
            bth,
            source_qp,
            flow,
            msn: 0,
            dma_length: 0,
            next: PacketId::NONE,
            payload,
            wire: Framing::InfiniBand.bytes(bth.transport, bth.opcode, payload),
            input: 0,
            output: 0,
            arrival: lrh.lane.0,
            syndrome: Syndrome::Ack,
            steering: Course::Open.code(),
        }
    }

    /// Returns the packet's virtual output queue at the present switch.
    #[inline]
    #[must_use]
    pub const fn voq(&self) -> VoqId {
        VoqId { input: PortId(self.input as u16), output: PortId(self.output as u16), lane: self.lrh.lane }
    }

    /// Routes the packet at a switch that it has entered, by its lane so far.
    #[inline]
    pub const fn set_ports(&mut self, input: PortId, output: PortId) {
        (self.input, self.output) = (input.0 as u8, output.0 as u8);
        self.arrival = self.arrival & !LANE | self.lrh.lane.0;
    }

    /// Returns the lane of the link by which the packet entered the present switch: that of the buffer that it occupies.
    #[inline]
    #[must_use]
    pub const fn arrived_on(&self) -> Lane {
        Lane(self.arrival & LANE)
    }

    /// Returns the course of the packet, if it may take a route that is not minimal.
    #[inline]
    #[must_use]
    pub const fn course(&self) -> Course {
        Course::of_code(self.steering & !MARKED_HERE)
    }

    /// Sets the packet on a course.
    #[inline]
    pub const fn set_course(&mut self, course: Course) {
        self.steering = self.steering & MARKED_HERE | course.code();
    }

    /// Returns the distance from the first missing packet to the packet that an acknowledgement answers, where the
    /// responder takes packets in any order; 0 if there is none ahead. It lies in the lower half of `dma_length`, which
    /// acknowledgements do not need.
    ///
    /// DEVIATION: the field adds nothing to the length of an acknowledgement. No standard says where it stands.
    #[inline]
    #[must_use]
    pub const fn selective(&self) -> u16 {
        self.dma_length as u16
    }

    /// Sets the distance that [`selective`](Self::selective) returns.
    #[inline]
    pub const fn set_selective(&mut self, distance: u16) {
        self.dma_length = self.dma_length & !0xFFFF | distance as u32;
    }

    /// Returns the entropy value of the packet, or the value that an acknowledgement repeats; 0 if there is none. Requests
    /// have it in place of the MSN, which only answers need; READ responses in place of `DMALen`, and acknowledgements in
    /// its upper half.
    ///
    /// DEVIATION: the value adds nothing to the length of a packet. In RoCEv2 it is the UDP source port of data; no standard
    /// says where an acknowledgement repeats it, and InfiniBand has no such field.
    #[inline]
    #[must_use]
    pub const fn entropy(&self) -> u16 {
        match self.bth.opcode {
            Opcode::Acknowledge => (self.dma_length >> 16) as u16,
            Opcode::Cnp => 0,
            opcode if opcode.is_read_response() => self.dma_length as u16,
            _ => self.msn as u16,
        }
    }

    /// Sets the value that [`entropy`](Self::entropy) returns. A notification has none.
    #[inline]
    pub const fn set_entropy(&mut self, value: u16) {
        match self.bth.opcode {
            Opcode::Acknowledge => self.dma_length = (value as u32) << 16 | self.dma_length & 0xFFFF,
            Opcode::Cnp => {}
            opcode if opcode.is_read_response() => self.dma_length = value as u32,
            _ => self.msn = value as u32,
        }
    }

    /// Marks the packet: sets FECN, and keeps the first reason. A mark is never taken back.
    pub fn mark(&mut self, reason: MarkCode) {
        self.bth.flags.insert(BthFlags::FECN);
        if self.arrival & !LANE == 0 {
            self.arrival |= (reason.index() as u8 + 1) << 4;
        }
    }

    /// Returns the code of the first mark's reason. The wire does not carry it; it serves the record alone.
    #[inline]
    #[must_use]
    pub const fn marked(&self) -> Option<MarkCode> {
        match self.arrival >> 4 {
            0 => None,
            code => Some(MarkCode::new(code - 1)),
        }
    }

    /// Returns whether the present switch has already counted a mark of this packet.
    #[inline]
    #[must_use]
    pub const fn marked_here(&self) -> bool {
        self.steering & MARKED_HERE != 0
    }

    /// Records whether the present switch has counted a mark of this packet.
    #[inline]
    pub const fn set_marked_here(&mut self, marked: bool) {
        self.steering = self.steering & !MARKED_HERE | (marked as u16) << 15;
    }

    /// Returns whether `flag` is set in the BTH.
    #[must_use]
    pub const fn has(&self, flag: BthFlags) -> bool {
        self.bth.flags.contains(flag)
    }

    /// Returns the length on the wire without preamble and gap.
    #[must_use]
    pub fn wire_bytes(&self) -> Bytes {
        Bytes::new(u64::from(self.wire))
    }

    /// Returns the same packet in this framing.
    #[must_use]
    pub fn framed(self, framing: Framing) -> Self {
        Self { wire: framing.bytes(self.bth.transport, self.bth.opcode, self.payload), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Opcode, Psn, ServiceLevel, TransportService};

    /// Fields that share a byte or a word keep each other's values.
    #[test]
    fn packed_fields_do_not_touch_each_other() {
        let bth = Bth {
            destination_qp: QpNumber(3),
            psn: Psn::new(1),
            opcode: Opcode::SendOnly,
            transport: TransportService::Rc,
            flags: BthFlags::empty(),
        };
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(7), ServiceLevel(0));
        let fresh = Packet::new(lrh, bth, QpNumber(4), FlowId(5), 100);
        assert_eq!((fresh.arrived_on(), fresh.marked(), fresh.course()), (Lane(7), None, Course::Open));
        for code in MarkCode::all() {
            for course in [Course::Open, Course::Inward, Course::Outward(0), Course::Outward(Course::MOST)] {
                let mut packet = fresh;
                packet.mark(code);
                packet.set_marked_here(true);
                packet.set_course(course);
                packet.lrh.lane = Lane(15);
                packet.set_ports(PortId(253), PortId(0));
                packet.mark(MarkCode::new(0));
                assert_eq!((packet.marked(), packet.marked_here()), (Some(code), true), "the first is kept");
                assert_eq!((packet.arrived_on(), packet.course()), (Lane(15), course));
                packet.set_marked_here(false);
                assert_eq!((packet.marked_here(), packet.course()), (false, course));
            }
        }
    }
}
