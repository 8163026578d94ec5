//! The field that states the size of a port's receive buffer.
//!
//! Invariant: an override of the field changes that buffer.

use packet::{Lane, NodeId, PortId};
use settings::FieldPath;
use units::Bytes;

use crate::check::entries::settings_of;
use crate::plan::Plan;

/// A field that states the size of a receive buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferSetting {
    /// Size of the buffer itself.
    Buffer(FieldPath),
    /// Size of the memory that the ports of a switch share, as it is now.
    Memory(FieldPath, Bytes),
}

impl Plan {
    /// Returns the field that states the receive buffer of a port and lane.
    #[must_use]
    pub fn buffer_setting(&self, (node, port, lane): (NodeId, PortId, Lane)) -> BufferSetting {
        let (scenario, name) = (&self.scenario, self.graph.name(node));
        if self.graph.is_host(node) {
            let other = ("adapter", &scenario.adapter);
            let (path, _) = settings_of(("adapters", &scenario.adapters), other, name);
            return BufferSetting::Buffer(path.name("receive_buffer"));
        }
        let other = ("switch", &scenario.switch);
        let (path, switch) = settings_of(("switches", &scenario.switches), other, name);
        if let Some(memory) = switch.memory {
            return BufferSetting::Memory(path.name("memory"), memory);
        }
        let own = switch.override_of(self.graph.port_number((node, port)), lane);
        BufferSetting::Buffer(
            own.map_or_else(|| path.name("buffer"), |place| path.name("buffers").index(place).name("size")),
        )
    }
}
