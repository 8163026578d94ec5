//! The decision of a switch: [`Marker`], and the views of a switch's queues and buffers that it decides by.
//!
//! Invariant: a marker serves all outputs of a single switch. A mark is never taken back.

use packet::{Lane, MarkCode, PortId, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate};

use super::{Margin, Off};

/// Properties of a switch that its marker is built from.
#[derive(Clone, Debug)]
pub struct MarkerSetup {
    /// Name of the switch, by which settings single out its ports.
    pub name: String,
    /// Number of ports, each an input and an output.
    pub radix: usize,
    /// Number of data lanes of each port.
    pub lanes: usize,
    /// Ports to which the switch's buffers belong.
    pub buffers_of: BufferOwner,
    /// Default buffer of a port and lane. Thresholds are shares of it. A port with a different buffer keeps the
    /// switch's thresholds, in bytes.
    pub capacity: Bytes,
    /// Longest packet of the link's MTU.
    pub longest_packet: Bytes,
    /// By output port: its number, by which settings single it out.
    pub numbers: Vec<u16>,
    /// By output port: whether a channel adapter is at the other end of the cable.
    pub faces_adapter: Vec<bool>,
    /// By output port: data rate of the link.
    pub rates: Vec<Rate>,
    /// The switch's random stream for marking, shared with nothing else.
    pub stream: Pcg64Mcg,
}

/// Ports to which the buffers of a switch belong. A marker learns of these buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferOwner {
    /// Inputs: the buffer of an input and lane, which its link's credits describe.
    Inputs,
    /// Outputs: the queue of an output and lane, in an output-queued switch.
    Outputs,
}

/// Queue lengths after a change. A packet counts until it starts to leave the switch: in a queue at its output it still
/// waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Bytes waiting in the virtual output queue that changed.
    pub voq: Bytes,
    /// Bytes waiting for the same output and lane, over all inputs.
    pub sum: Bytes,
    /// Number of inputs with packets waiting for that output and lane.
    pub inputs: u32,
    /// Whether the tail of a packet on the output's wire has yet to leave, so that a packet that joins must wait.
    pub wire_busy: bool,
}

/// Occupancy of the buffer of a port and lane. A packet counts until its tail has left the buffer. An input's buffer
/// counts whole blocks under credits, and bytes under PFC; an output's queue counts bytes. So every packet changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferView {
    /// Occupied.
    pub held: Bytes,
    /// Free.
    pub room: Bytes,
}

/// The decision of a switch: which packets are marked.
///
/// Laws, which a contract test checks for every rule at random:
///
/// - Equal histories decide alike. A draw comes from [`MarkerSetup::stream`] alone.
/// - A packet that finds the switch empty and leaves at once is not marked.
/// - A queue or buffer that has drained leaves nothing behind: counts of packets to mark do not outlive it.
/// - A rule that marks at all marks a packet of an input that fills its buffer.
pub trait Marker {
    /// Handles a packet that has joined or left the queue `voq`. The queue's state is now `view`.
    #[inline]
    fn queue_changed(&mut self, _voq: VoqId, _view: QueueView) {}

    /// Returns whether [`buffer_changed`](Marker::buffer_changed) has any effect for buffers of these ports. If not,
    /// the switch need not call it.
    #[inline]
    fn heeds_buffers(&self, _of: BufferOwner) -> bool {
        false
    }

    /// Handles a packet that has entered the buffer of this port and lane, or has left it with its tail. A packet that
    /// enters an input's buffer is reported here before it joins a queue. A packet that enters an output's queue is
    /// reported before [`left_input`](Marker::left_input).
    #[inline]
    fn buffer_changed(&mut self, _port: PortId, _lane: Lane, _view: BufferView) {}

    /// Handles a stall: a packet waits for this output and lane, the wire is free, and there is no credit for the
    /// packet, or a pause.
    #[inline]
    fn stalled(&mut self, _output: PortId, _lane: Lane) {}

    /// Decides on a packet that starts to leave its input's buffer, to its output's wire or to a queue there. The
    /// packet has been taken off the queue `voq`. Returns the reason to mark the packet for events in that buffer.
    #[inline]
    fn left_input(&mut self, _voq: VoqId) -> Option<MarkCode> {
        None
    }

    /// Decides on a packet of `length` bytes on the wire that starts to leave the switch. Returns the reason to mark
    /// the packet for events at its output.
    ///
    /// Called for every packet, after [`left_input`](Marker::left_input). Without queues at outputs both calls come in
    /// the same instant. Otherwise this call comes when the packet's turn on the wire has come. The first reason given
    /// is the packet's.
    #[inline]
    fn departing(&mut self, _voq: VoqId, _length: Bytes) -> Option<MarkCode> {
        None
    }

    /// Returns the margins of the load of an output and lane below two thresholds. Above the first some packets are
    /// marked, above the second all packets. Returns `None` for a threshold that the rule does not have.
    fn margins(&self, _output: PortId, _lane: Lane) -> [Option<Margin>; 2] {
        [None; 2]
    }

    /// Prefetches the state that the next decision on this output and lane needs.
    #[inline]
    fn prefetch(&self, _output: PortId, _lane: Lane) {}
}

impl Marker for Off {}
