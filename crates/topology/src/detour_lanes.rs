//! The lanes that all choices of non-minimal routes together take.
//!
//! Invariant: a state is the lane of a packet and the rank of the cable by which it came. Every route from every source
//! by every intermediate switch to every destination is walked, up to the symmetry of the fabric: dragonflies look the
//! same from each group, a `HyperX` from each switch.

use packet::{Lid, NodeId};

use crate::graph::{Graph, node};
use crate::routing::detours::{DetourShape, Detours};
use crate::routing::routes::Routes;

/// Most ranks and lanes of a state.
const WIDTH: u32 = 16;

/// A set of states of packets at a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct States(u128);

impl States {
    const FRESH: Self = Self(1);

    fn insert(&mut self, (rank, lane): (u8, u8)) {
        debug_assert!(u32::from(lane) < 128 / WIDTH && u32::from(rank) < WIDTH);
        self.0 |= 1 << (u32::from(lane) * WIDTH + u32::from(rank));
    }

    fn iter(self) -> impl Iterator<Item = (u8, u8)> {
        let bits = (0..128u32).filter(move |bit| self.0 >> bit & 1 == 1);
        bits.map(|bit| ((bit % WIDTH) as u8, (bit / WIDTH) as u8))
    }
}

/// A walk of one phase of the routes.
struct Phase<'a> {
    detours: &'a Detours,
    graph: &'a Graph,
    routes: &'a Routes,
    /// Largest lane so far.
    highest: u8,
}

impl Detours {
    /// Returns the number of lanes that packets of one service level take on all routes that switches can choose.
    ///
    /// # Panics
    /// If the tables lead by more hops than the fabric has dimensions or than a dragonfly's route has.
    #[must_use]
    pub fn lanes_of_all_choices(&self, graph: &Graph, routes: &Routes) -> u8 {
        let mut phase = Phase { detours: self, graph, routes, highest: 0 };
        let classes = self.classes();
        // The states of packets that may still be sent on a detour, by class of their switch.
        let mut deciding = vec![States::FRESH; classes];
        if self.twice {
            for from in 0..classes {
                for to in 0..graph.switches() {
                    // The first hop alone: the second switch is the last that decides.
                    phase.walk((from, (0, 0)), self.address(to as u16), |at, state, hops| {
                        if hops == 1 && self.decides_again(state.0) {
                            deciding[at % classes].insert(state);
                        }
                        false
                    });
                }
            }
        }
        let mut landed = deciding.clone();
        for (from, states) in deciding.into_iter().enumerate() {
            for state in states.iter() {
                let vias = (0..graph.switches()).filter(|via| !self.stays(from, *via));
                for via in vias.map(|via| via as u16) {
                    phase.walk((from, state), self.address(via), |at, state, _| {
                        let is_reached = self.is_reached(at, via);
                        if is_reached {
                            landed[at % classes].insert(state);
                        }
                        is_reached
                    });
                }
            }
        }
        for (from, states) in landed.into_iter().enumerate() {
            for state in states.iter() {
                for to in 0..graph.switches() as u16 {
                    phase.walk((from, state), self.address(to), |_, _, _| false);
                }
            }
        }
        phase.highest + 1
    }

    /// Number of switches that differ: a dragonfly has one group of them, a HyperX a single switch.
    fn classes(&self) -> usize {
        match &self.shape {
            DetourShape::Dragonfly(shape) => shape.routers(),
            DetourShape::HyperX(_) => 1,
        }
    }
}

impl Phase<'_> {
    /// Follows the tables from a switch and a state. `stops` is told each switch with the state there and the number of
    /// hops so far, and ends the walk if it returns true.
    fn walk(
        &mut self,
        (from, (mut rank, mut lane)): (usize, (u8, u8)),
        to: Lid,
        mut stops: impl FnMut(usize, (u8, u8), u32) -> bool,
    ) {
        let hosts = self.graph.hosts();
        let mut at = from;
        for hops in 0..=u32::from(u8::MAX) {
            if stops(at, (rank, lane), hops) {
                return;
            }
            let switch = node(hosts + at);
            let Some(port) = self.routes.output(switch, NodeId(to.0 - 1)) else { return };
            let (peer, _) = self.graph.far_end((switch, port));
            let Some(next) = peer.index().checked_sub(hosts) else { return };
            let output = self.detours.rank(at, next);
            lane += u8::from(Detours::raises(rank, output));
            self.highest = self.highest.max(lane);
            (at, rank) = (next, output);
        }
        panic!("a route of more than 255 hops to {to:?}");
    }
}
