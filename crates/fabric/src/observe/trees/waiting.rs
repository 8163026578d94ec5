//! Packets that wait in the places that trees have reached, at a sample.
//!
//! Invariant: packets of a place that are alike to the search are kept once. A place may have hundreds of packets of
//! a flow, and belong to several trees.

use std::collections::{BTreeMap, BTreeSet};

use packet::{Lane, NodeId, Packet, VoqId};

use super::CongestionTree;
use super::paths::ManyPaths;
use crate::state::world::World;

/// A switch with [`EVERY_LANE`](super::EVERY_LANE), or a lane of an adapter.
pub(super) type TreePlace = (NodeId, Lane);

#[derive(Debug)]
pub(super) struct WaitingPackets {
    by_place: BTreeMap<TreePlace, Vec<Packet>>,
}

impl WaitingPackets {
    /// Gathers the packets that wait in the places of these trees.
    pub(super) fn of(world: &World, trees: &[CongestionTree], many: &ManyPaths) -> Self {
        // A shorter key where packets of a flow are alike: most of the search is in these comparisons.
        match (many.sprays_any(), many.selects_any()) {
            (false, false) => Self::alike(world, trees, kind),
            (sprays, selects) => {
                Self::alike(world, trees, |packet| (kind(packet), choice(packet, sprays, selects)))
            }
        }
    }

    fn alike<K: Ord>(world: &World, trees: &[CongestionTree], kind: impl Fn(&Packet) -> K) -> Self {
        let places: BTreeSet<TreePlace> = trees.iter().flat_map(|tree| tree.places(world)).collect();
        let mut by_place = world.packets_at(&places, |packets, packet| {
            // Neighbours in a queue are mostly alike: dropping them here keeps the memory of long queues small.
            if packets.last().is_none_or(|last| kind(last) != kind(packet)) {
                packets.push(*packet);
            }
        });
        for packets in by_place.values_mut() {
            packets.sort_unstable_by_key(&kind);
            packets.dedup_by(|next, first| kind(next) == kind(first));
        }
        Self { by_place }
    }

    /// Returns the packets of a place that any of the trees has reached, a single packet of each kind.
    pub(super) fn at(&self, place: TreePlace) -> &[Packet] {
        &self.by_place[&place]
    }
}

/// Returns the properties of a packet that decide about its part in a tree: flow, data or not, route and buffer.
fn kind(packet: &Packet) -> impl Ord + use<> {
    let (lrh, VoqId { input, output, lane }) = (packet.lrh, packet.voq());
    let route =
        (lrh.source(), lrh.destination(), lrh.service_level(), packet.source_qp, packet.bth.destination_qp);
    let route = (route, packet.course().code());
    (packet.flow, packet.payload > 0, route, (input, output, lane, packet.arrived_on()))
}

/// Returns the properties that may lead packets of a flow to other ports. If some host `sprays`, they may differ in
/// their entropy value, and so in the ports that a hash chooses. If some switch `selects`, it may spare short ones.
fn choice(packet: &Packet, sprays: bool, selects: bool) -> impl Ord + use<> {
    (if sprays { packet.entropy() } else { 0 }, if selects { packet.wire } else { 0 })
}

#[cfg(test)]
mod tests {
    use packet::{
        Bth, BthFlags, FlowId, Lid, Lrh, Opcode, PortId, Psn, QpNumber, ServiceLevel, TransportService,
    };

    use super::*;

    fn packet(psn: u32, payload: u16, ports: (u16, u16)) -> Packet {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(3),
            psn: Psn::new(psn),
            opcode: Opcode::SendMiddle,
            transport: TransportService::Rc,
            flags: BthFlags::empty(),
        };
        let mut packet = Packet::new(lrh, bth, QpNumber(4), FlowId(5), payload);
        packet.set_ports(PortId(ports.0), PortId(ports.1));
        packet
    }

    /// A search asks for the flow, for data, and for the outputs behind and before a packet. Packets differ exactly
    /// if any of these may differ.
    #[test]
    fn packets_of_a_kind_are_of_one_flow_and_queue() {
        let first = packet(1, 2048, (1, 2));
        assert!(kind(&first) == kind(&packet(2, 100, (1, 2))), "number and length have no part in a tree");
        for other in [packet(1, 0, (1, 2)), packet(1, 2048, (3, 2)), packet(1, 2048, (1, 3))] {
            assert!(kind(&first) != kind(&other), "{other:?}");
        }
        let mut elsewhere = first;
        elsewhere.lrh = Lrh::new(Lid(1), Lid(9), Lane(0), ServiceLevel(0));
        let mut by_other_lane = first;
        by_other_lane.lrh.lane = Lane(1);
        by_other_lane.set_ports(PortId(1), PortId(2));
        by_other_lane.lrh.lane = Lane(0);
        let mut other_value = first;
        other_value.set_entropy(7);
        assert!(choice(&first, true, false) != choice(&other_value, true, false), "{other_value:?}");
        let mut short = first;
        short.wire = 120;
        assert!(
            choice(&first, false, true) != choice(&short, false, true),
            "a selector may spare it: {short:?}"
        );
        let mut other_flow = first;
        other_flow.flow = FlowId(6);
        for other in [elsewhere, by_other_lane, other_flow] {
            assert!(kind(&first) != kind(&other), "{other:?}");
        }
    }
}
