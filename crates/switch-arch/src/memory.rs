//! The receive memory of a switch, and the marker that observes it.
//!
//! Invariant: a marker that heeds buffers learns of every change of a receiver's memory.

use cc_policies::AnyMarker;
use cc_policies::policy::{BufferView, Marker};
use link_layer::{NodeContext, Occupancy, ReceiveMemory, ReceiverId};
use packet::{Lane, PortId};
use units::Bytes;

use crate::port::SwitchPort;
use crate::setup::SwitchWake;

/// The receive memory of a switch.
#[derive(Debug)]
pub(crate) struct Memory(ReceiveMemory);

impl Memory {
    pub(crate) const fn new(memory: ReceiveMemory) -> Self {
        Self(memory)
    }

    /// Admits a packet that has arrived at a port and lane. Returns false if the packet is dropped, which credits exclude.
    #[inline(never)] // The loop of all nodes takes 1.5 % fewer instructions without its body.
    pub(crate) fn admit(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        receiver: ReceiverId,
        length: Bytes,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) -> bool {
        let admitted = self.0.admit(ports, receiver, length, outlet);
        if admitted && marker.heeds_buffers() {
            self.notify(ports, marker, receiver);
        }
        admitted
    }

    /// Releases a packet that arrived at a port and lane, and has left.
    #[inline(never)] // As above.
    pub(crate) fn release(
        &mut self,
        ports: &mut [SwitchPort],
        marker: &mut AnyMarker,
        receiver: ReceiverId,
        length: Bytes,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) {
        self.0.release(ports, receiver, length, outlet, |ReceiverId { port, lane }, occupancy| {
            marker.buffer_changed(port, lane, view(occupancy));
        });
        if marker.heeds_buffers() {
            self.notify(ports, marker, receiver);
        }
    }

    /// Returns the number of a port and lane in a table of them.
    #[inline]
    pub(crate) const fn at(&self, port: PortId, lane: Lane) -> usize {
        self.0.number(port, lane)
    }

    /// Returns the number of data lanes.
    pub(crate) const fn lanes(&self) -> usize {
        self.0.lanes()
    }

    /// Returns true if the room of a port and lane depends on the load of others.
    pub(crate) const fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    /// Returns true if no port and lane uses shared memory.
    pub(crate) const fn is_released(&self) -> bool {
        self.0.is_released()
    }

    #[inline(never)] // Few markers heed buffers.
    fn notify(&self, ports: &[SwitchPort], marker: &mut AnyMarker, ReceiverId { port, lane }: ReceiverId) {
        let occupancy = self.0.occupancy(&ports[port.index()].link, lane);
        marker.buffer_changed(port, lane, view(occupancy));
    }
}

fn view(Occupancy { held, room }: Occupancy) -> BufferView {
    BufferView { held, room }
}
