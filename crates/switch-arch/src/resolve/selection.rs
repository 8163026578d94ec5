//! The selector of a switch, in its plan.
//!
//! Invariant: a plan names a selector only if it is not the hash of a flow.

use packet::{Packet, ServiceLevel, TransportService};
use units::Bytes;

use crate::spec::{SelectedPacketsSpec, SelectionSpec, SwitchSpec};

/// The selector of a switch, in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectionPlan {
    /// The selector; not `Hash`.
    pub selector: SelectionSpec,
    /// The packets that it is for.
    pub packets: SelectedPackets,
}

/// Packets that a selector is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedPackets {
    /// A bit for each service level.
    levels: u16,
    /// A bit for each transport service.
    services: u8,
    /// Length on the wire of the shortest.
    shortest: u16,
}

impl SelectedPackets {
    /// Makes the set of packets that settings describe.
    #[must_use]
    pub fn new(spec: &SelectedPacketsSpec) -> Self {
        Self {
            levels: spec.levels.iter().fold(0, |all, level| all | 1 << level),
            services: spec.services.iter().fold(0, |all, service| all | 1 << *service as u8),
            shortest: u16::try_from(spec.small.get()).unwrap_or(u16::MAX),
        }
    }

    /// Returns the length on the wire of the shortest packet of the set.
    #[must_use]
    pub const fn shortest(&self) -> Bytes {
        Bytes::new(self.shortest as u64)
    }

    /// Returns true if the selector chooses the port of a packet.
    #[inline]
    #[must_use]
    pub const fn contains(&self, packet: &Packet) -> bool {
        packet.wire >= self.shortest && self.is_for(packet.lrh.service_level(), packet.bth.transport)
    }

    /// Returns true if the selector chooses the ports of some packets of this service level and transport service, of
    /// which the longest has this length.
    #[must_use]
    pub fn may_contain(&self, level: ServiceLevel, service: TransportService, longest: Bytes) -> bool {
        longest >= self.shortest() && self.is_for(level, service)
    }

    /// Returns true if the selector chooses the port of a packet of this service level and transport service, if it is
    /// long enough.
    #[inline]
    #[must_use]
    pub const fn is_for(&self, level: ServiceLevel, service: TransportService) -> bool {
        self.levels >> level.0 & 1 != 0 && self.services >> service as u8 & 1 != 0
    }
}

impl SwitchSpec {
    /// Returns the selector, unless it is the hash of a flow.
    pub(super) fn plan_selection(&self) -> Option<SelectionPlan> {
        let selector = self.selection.filter(|selector| *selector != SelectionSpec::Hash)?;
        let packets = self.selected_packets.clone().unwrap_or_default();
        Some(SelectionPlan { selector, packets: SelectedPackets::new(&packets) })
    }
}
