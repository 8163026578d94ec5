//! The ports of a switch: their links, and the order in which lanes share an output's wire.
//!
//! Invariant: an output carries a single packet at a time. A port is two cache lines, and every packet needs the first
//! only.

use core::ops::Index;

use link_layer::{LaneSet, NodeContext, Passage, Port, VlArbiter};
use packet::{Lane, PacketId, PortId};
use prefetch::prefetch;
use units::{Bytes, Rate, Time};

use crate::setup::SwitchTimer;

/// All ports of a switch.
#[derive(Debug)]
pub(crate) struct Ports {
    ports: Box<[SwitchPort]>,
    /// Arbiters of each output's lanes; empty if every port has a single lane.
    lane_arbiters: Box<[VlArbiter]>,
    /// True if all links have the same rate.
    one_rate: bool,
}

state_codec::state!(Ports { ports: part, lane_arbiters: part, one_rate: plan });

#[derive(Debug)]
#[repr(C, align(128))] // Processors that read cache lines in pairs read both at once.
pub(crate) struct SwitchPort {
    /// Departure of the tail of the last packet that started here.
    tail_leaves: Time,
    pub(crate) link: Port,
}

state_codec::state!(SwitchPort { tail_leaves, link: part });

const _: () = assert!(size_of::<SwitchPort>() == 128, "a port is two cache lines");

impl Ports {
    /// Creates idle ports. `lane_arbiters` is the arbiter of each output's lanes.
    pub(crate) fn new(links: Vec<Port>, lane_arbiters: Vec<VlArbiter>, lanes: usize) -> Self {
        let lanes_matter = lanes > 1 || !lane_arbiters.iter().all(VlArbiter::is_plain);
        let mut rates = links.iter().map(|link| link.wire().rate());
        let first = rates.next();
        Self {
            one_rate: rates.all(|rate| Some(rate) == first),
            ports: links.into_iter().map(|link| SwitchPort { tail_leaves: Time::ZERO, link }).collect(),
            lane_arbiters: if lanes_matter { lane_arbiters.into() } else { Box::default() },
        }
    }

    /// Returns all ports, in order.
    pub(crate) const fn as_slice(&self) -> &[SwitchPort] {
        &self.ports
    }

    /// Returns all ports, in order.
    pub(crate) const fn as_mut_slice(&mut self) -> &mut [SwitchPort] {
        &mut self.ports
    }

    /// Returns the port's link for changes.
    #[inline]
    pub(crate) fn link_mut(&mut self, port: PortId) -> &mut Port {
        &mut self.ports[port.index()].link
    }

    pub(crate) const fn have_one_rate(&self) -> bool {
        self.one_rate
    }

    /// Returns the data rate of an output's wire.
    #[inline]
    pub(crate) fn rate(&self, output: PortId) -> Rate {
        self[output].link.wire().rate()
    }

    /// Returns true if the wire of `output` is faster than the wire of `input`.
    #[inline]
    pub(crate) fn is_faster(&self, output: PortId, input: PortId) -> bool {
        !self.have_one_rate() && self.rate(output) > self.rate(input)
    }

    /// Returns the lane that goes next on the wire of `output`, of the lanes with a packet ready.
    #[inline(always)]
    pub(crate) fn pick_lane(&mut self, output: PortId, mut ready: LaneSet) -> Option<Lane> {
        match self.lane_arbiters.get_mut(output.index()) {
            Some(arbiter) => arbiter.pick(ready),
            None => ready.next(),
        }
    }

    /// Starts a packet on the wire of `output`. Returns the departure of its tail.
    #[inline(always)]
    pub(crate) fn start(
        &mut self,
        output: PortId,
        id: PacketId,
        context: &mut impl NodeContext<SwitchTimer>,
    ) -> Time {
        let now = context.now();
        let packet = &context.packets()[id];
        let (lane, length) = (packet.lrh.lane, packet.wire_bytes());
        let passage = self.ports[output.index()].start(lane, length, now);
        if let Some(arbiter) = self.lane_arbiters.get_mut(output.index()) {
            arbiter.sent(lane, length);
        }
        passage.deliver(output, id, context);
        passage.left
    }
}

impl Index<PortId> for Ports {
    type Output = SwitchPort;
    #[inline]
    fn index(&self, port: PortId) -> &SwitchPort {
        &self.ports[port.index()]
    }
}

impl SwitchPort {
    /// Returns true if the tail of a packet on the wire has yet to leave. Decisions fall after all tails of this
    /// instant have left.
    #[inline]
    pub(crate) fn is_sending(&self, now: Time) -> bool {
        self.tail_leaves > now
    }

    /// Returns the bytes of the packet on the wire that have yet to leave.
    #[inline]
    pub(crate) fn on_wire(&self, now: Time) -> Bytes {
        if self.is_sending(now) {
            self.link.wire().rate().amount_in(self.tail_leaves.since(now))
        } else {
            Bytes::ZERO
        }
    }

    /// Prefetches the first cache line.
    #[inline]
    pub(crate) fn prefetch_first(&self) {
        prefetch(self);
    }

    /// Prefetches the second cache line.
    #[inline]
    pub(crate) fn prefetch_rest(&self) {
        self.link.prefetch_rest();
    }

    #[inline(always)]
    fn start(&mut self, lane: Lane, length: Bytes, now: Time) -> Passage {
        let passage = self.link.start(lane, length, now);
        self.tail_leaves = passage.left;
        passage
    }
}

impl AsRef<Port> for SwitchPort {
    #[inline]
    fn as_ref(&self) -> &Port {
        &self.link
    }
}

impl AsMut<Port> for SwitchPort {
    #[inline]
    fn as_mut(&mut self) -> &mut Port {
        &mut self.link
    }
}
