//! The selector of a switch at work: the packets that it is for, the loads that it sees, and the count of its choices.
//!
//! Invariant: a packet that is not selected takes the port of its flow's hash, whatever the load.

use packet::{Lane, Packet, PortId};
use topology::{GroupState, PortGroup};
use units::{Bytes, Time};

use super::any::AnySelector;
use super::selector::{Choice, Loads, Selector, SelectorSetup};
use crate::buffering::Contention;
use crate::ports::Ports;
use crate::resolve::SelectedPackets;
use crate::setup::SelectionSetup;
use crate::tables::{LaneTable, SlToVl};

/// The selector of a switch.
#[derive(Debug)]
pub(crate) struct Selection {
    selector: AnySelector,
    packets: SelectedPackets,
    /// Packets for which each output and lane was chosen.
    pub(crate) chosen: LaneTable<u64>,
}

state_codec::state!(Selection { selector: part, packets: plan, chosen: part });

impl Selection {
    /// Creates the selector of a switch with this many ports, lanes and groups of ports.
    pub(crate) fn new(
        SelectionSetup { plan, hosts, stream }: SelectionSetup,
        (ports, lanes, groups): (usize, usize, usize),
        longest_packet: Bytes,
    ) -> Self {
        let setup = SelectorSetup { ports, groups, hosts, longest_packet, stream };
        let selector = AnySelector::new(plan.selector, setup);
        Self { selector, packets: plan.packets, chosen: LaneTable::new(ports, lanes, 0) }
    }

    /// Returns the output of a packet.
    pub(crate) fn output<const WORDS: usize>(
        &mut self,
        group: PortGroup<'_>,
        packet: &Packet,
        loads: &SwitchLoads<'_, WORDS>,
    ) -> PortId {
        if group.state() != GroupState::Adaptive || !self.packets.contains(packet) {
            return group.fixed(packet.flow_key());
        }
        let choice = Choice { group, input: loads.input, packet, now: loads.now };
        let output = self.selector.choose(choice, loads);
        self.chosen[(output, loads.lane(output))] += 1;
        output
    }

    /// Returns true if the selector chooses the port of a packet.
    pub(crate) const fn selects(&self, packet: &Packet) -> bool {
        self.packets.contains(packet)
    }
}

/// The loads of a switch's outputs, for a packet that has come by `input`.
pub(crate) struct SwitchLoads<'a, const WORDS: usize> {
    pub(crate) ports: &'a Ports,
    pub(crate) contention: &'a Contention<WORDS>,
    pub(crate) sl_to_vl: Option<&'a SlToVl>,
    pub(crate) input: PortId,
    pub(crate) packet: &'a Packet,
    pub(crate) now: Time,
}

impl<const WORDS: usize> SwitchLoads<'_, WORDS> {
    #[inline]
    fn lane(&self, output: PortId) -> Lane {
        let lrh = &self.packet.lrh;
        self.sl_to_vl.map_or(lrh.lane, |tables| tables.lane((self.input, output), lrh.service_level()))
    }
}

impl<const WORDS: usize> Loads for SwitchLoads<'_, WORDS> {
    #[inline]
    fn backlog(&self, output: PortId) -> Bytes {
        let waiting = self.contention.waiting(output, self.lane(output));
        waiting + self.ports[output].on_wire(self.now)
    }

    #[inline]
    fn is_held(&self, output: PortId) -> bool {
        !self.ports[output].link.may_start(self.lane(output), self.packet.wire_bytes())
    }

    /// Links do not fail in a run so far.
    #[inline]
    fn is_up(&self, _: PortId) -> bool {
        true
    }
}
