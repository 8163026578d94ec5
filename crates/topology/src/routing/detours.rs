//! Routes that need not be minimal: first to an intermediate switch, then to the destination.
//!
//! Invariant: at every hop between switches the lane rises, or it stays and the rank of the cable rises. So no packets
//! wait for each other in a cycle, whatever the switches choose.
//!
//! L. G. Valiant, "A scheme for fast parallel communication", 1982, sends every packet by an intermediate node that is
//! drawn at random. A. Singh, "Load-balanced routing in interconnection networks", 2005 (UGAL), chooses packet by packet
//! between the minimal route and such a detour. N. Jiang, J. Kim, W. J. Dally, "Indirect adaptive routing on large scale
//! interconnection networks", 2009 (PAR), decides again one hop later.
//!
//! | fabric | rank of a cable | longest sequence of hops | lanes |
//! |---|---|---|--:|
//! | dragonfly, by a switch | 1 in a group, 2 between groups | 1 2, 1; 1 2, 1 | 4 |
//! | dragonfly, by a group | the same | 1 2; 1 2, 1 | 3 |
//! | HyperX, by a switch | its dimension, from 1 | 1 2 ..., 1 2 ... | 2 |
//!
//! A comma is a hop at which the lane rises, a semicolon a rise at the intermediate switch. With a second decision the
//! first hop of the minimal route comes in addition, which takes one lane more.
//!
//! DEVIATION: the simulator `BookSim2` has three lanes for UGAL in a dragonfly, of which the second carries both the hop
//! to the intermediate switch and the next hop. Its channels have a cycle, which a test shows.

use packet::{Course, Lane, Lid, NodeId, Packet, PortId};
use rand::{Rng, RngExt};

use super::detour_spec::Through;
use super::table::ForwardingTable;
use crate::builders::dragonfly::DragonflyShape;
use crate::builders::grid::GridShape;
use crate::graph::Graph;
use crate::structure::{Structure, Topology};

/// The rule of non-minimal routes in a fabric. Switches are counted from 0 here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detours {
    pub(crate) shape: DetourShape,
    through: Through,
    /// True if the second switch may decide again.
    pub(crate) twice: bool,
}

/// A fabric that has non-minimal routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DetourShape {
    Dragonfly(DragonflyShape),
    HyperX(GridShape),
}

/// The reason that a fabric has no detours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDetours {
    /// It is neither a dragonfly nor a HyperX.
    Topology,
    /// It has no groups, and detours are to lead through one.
    NoGroups,
    /// It has no third group, and detours are to lead through one beside the groups of both ends.
    NoThirdGroup,
    /// It has more switches than a packet can name.
    TooLarge,
}

impl Topology {
    /// Returns the rule of non-minimal routes; `twice` if the second switch of a route decides again.
    ///
    /// # Errors
    /// If the fabric has no such routes.
    pub fn detours(&self, through: Through, twice: bool) -> Result<Detours, NoDetours> {
        let shape = match self.structure() {
            Structure::Dragonfly(shape) => DetourShape::Dragonfly(*shape),
            Structure::Grid(shape) if shape.is_hyper_x() => DetourShape::HyperX(shape.clone()),
            Structure::Irregular | Structure::FatTree(_) | Structure::Omega(_) | Structure::Grid(_) => {
                return Err(NoDetours::Topology);
            }
        };
        if self.graph().switches() > usize::from(Course::MOST) + 1 {
            return Err(NoDetours::TooLarge);
        }
        match (&shape, through) {
            (DetourShape::HyperX(_), Through::Group) => Err(NoDetours::NoGroups),
            (DetourShape::HyperX(grid), _) => {
                // The second switch of a minimal route is its last in one dimension.
                let twice = twice && grid.dimensions() > 1;
                Ok(Detours { shape, through, twice })
            }
            (DetourShape::Dragonfly(shape), Through::Group) if shape.groups() < 3 => {
                Err(NoDetours::NoThirdGroup)
            }
            (DetourShape::Dragonfly(_), _) => Ok(Detours { shape, through, twice }),
        }
    }
}

impl Detours {
    /// Returns the place that detours lead through.
    #[must_use]
    pub const fn through(&self) -> Through {
        self.through
    }

    /// Returns the number of lanes that a service level takes: see the table of this module.
    #[must_use]
    pub const fn lanes(&self) -> u8 {
        let once = match (&self.shape, self.through) {
            (DetourShape::Dragonfly(_), Through::Switch) => 4,
            (DetourShape::Dragonfly(_), Through::Group) => 3,
            (DetourShape::HyperX(_), _) => 2,
        };
        once + self.twice as u8
    }

    /// Draws an intermediate switch for a packet at switch `at` to switch `to`; `None` if its route is to be minimal.
    ///
    /// In a dragonfly packets within a group go minimally, and so do packets whose drawn switch is in their own group,
    /// since that detour avoids no cable between groups (as in J. Kim, W. J. Dally, S. Scott, D. Abts, 2008).
    #[inline]
    pub fn draw(&self, at: usize, to: usize, random: &mut impl Rng) -> Option<u16> {
        if self.stays(at, to) {
            return None;
        }
        let via = match (&self.shape, self.through) {
            (DetourShape::Dragonfly(shape), Through::Group) => {
                let (own, other) = (shape.group_of(at), shape.group_of(to));
                // There is a third group.
                let mut group = random.random_range(0..shape.groups() - 2);
                group += usize::from(group >= own.min(other));
                group += usize::from(group >= own.max(other));
                group * shape.routers() + random.random_range(0..shape.routers())
            }
            (_, _) => random.random_range(0..self.switches()),
        };
        (!self.stays(at, via)).then_some(via as u16)
    }

    /// Returns all that [`draw`](Self::draw) may return, all equally likely.
    pub fn draws(&self, at: usize, to: usize) -> Vec<Option<usize>> {
        let is_drawn = |via: &usize| match (&self.shape, self.through) {
            (DetourShape::Dragonfly(shape), Through::Group) => {
                shape.group_of(*via) != shape.group_of(at) && shape.group_of(*via) != shape.group_of(to)
            }
            (_, _) => true,
        };
        let vias = (0..self.switches()).filter(is_drawn);
        let mut drawn: Vec<_> = vias.map(|via| Some(via).filter(|via| !self.stays(at, *via))).collect();
        if self.stays(at, to) || drawn.is_empty() {
            drawn = vec![None];
        }
        drawn
    }

    /// Returns true if a route between two switches leaves neither its switch nor, in a dragonfly, its group. It is then
    /// minimal.
    #[must_use]
    pub fn stays(&self, at: usize, to: usize) -> bool {
        match &self.shape {
            DetourShape::Dragonfly(shape) => shape.group_of(at) == shape.group_of(to),
            DetourShape::HyperX(_) => at == to,
        }
    }

    /// Returns true if a switch decides again about a packet that came from its first switch by a cable of this rank: in
    /// a dragonfly only within the first group.
    #[inline]
    #[must_use]
    pub const fn decides_again(&self, rank: u8) -> bool {
        match self.shape {
            DetourShape::Dragonfly(_) => self.twice && rank == 1,
            DetourShape::HyperX(_) => self.twice && rank > 0,
        }
    }

    /// Returns true if a switch may send a packet on a detour that comes by a cable of this rank, 0 for a cable of a host.
    /// Acknowledgements and notifications keep the minimal route.
    #[inline]
    #[must_use]
    pub fn may_decide(&self, rank: u8, packet: &Packet) -> bool {
        packet.bth.opcode.is_data() && (rank == 0 || self.decides_again(rank))
    }

    /// Returns true if switch `at` decides about a packet that comes by a cable of this rank, 0 for a cable of a host.
    #[must_use]
    pub fn decides(&self, at: usize, rank: u8, packet: &Packet) -> bool {
        packet.course() == Course::Open
            && self.may_decide(rank, packet)
            && !self.stays(at, self.switch_of(packet.lrh.destination()))
    }

    /// Returns true if a packet at switch `at` has reached its intermediate switch, or the group of that switch.
    #[inline]
    #[must_use]
    pub const fn is_reached(&self, at: usize, via: u16) -> bool {
        match (&self.shape, self.through) {
            (DetourShape::Dragonfly(shape), Through::Group) => {
                shape.group_of(at) == shape.group_of(via as usize)
            }
            (_, _) => at == via as usize,
        }
    }

    /// Returns the address by which tables lead to a switch: that of its first host.
    #[inline]
    #[must_use]
    pub fn address(&self, switch: u16) -> Lid {
        NodeId((usize::from(switch) * self.hosts()) as u32).lid()
    }

    /// Returns the switch of an address.
    #[inline]
    #[must_use]
    pub fn switch_of(&self, to: Lid) -> usize {
        to.node().index() / self.hosts()
    }

    /// Returns the number of cables between two switches by the minimal route.
    #[inline]
    #[must_use]
    pub fn hops(&self, from: usize, to: usize) -> u32 {
        match &self.shape {
            DetourShape::Dragonfly(shape) => {
                core::iter::successors(Some(from), |at| shape.next(*at, to)).skip(1).count() as u32
            }
            DetourShape::HyperX(shape) => shape.differing(from, to),
        }
    }

    /// Returns the number of cables by which a detour leads from a switch to another.
    #[inline]
    #[must_use]
    pub fn hops_by(&self, from: usize, via: u16, to: usize) -> u32 {
        let via = usize::from(via);
        match (&self.shape, self.through) {
            (DetourShape::Dragonfly(shape), Through::Group) => {
                let mut way = core::iter::successors(Some(from), |at| shape.next(*at, via)).enumerate();
                let lands = way.find(|(_, at)| shape.group_of(*at) == shape.group_of(via));
                let (hops, at) = lands.expect("the route enters the group of its end");
                hops as u32 + self.hops(at, to)
            }
            (_, _) => self.hops(from, via) + self.hops(via, to),
        }
    }

    /// Returns the rank of the cable between two switches that are neighbours.
    #[must_use]
    pub fn rank(&self, from: usize, to: usize) -> u8 {
        match &self.shape {
            DetourShape::Dragonfly(shape) => 1 + u8::from(shape.is_global(from, to)),
            DetourShape::HyperX(shape) => shape.first_differing(from, to).map_or(0, |d| d as u8 + 1),
        }
    }

    /// Returns the ranks of a switch's ports, 0 of a port to a host.
    #[must_use]
    pub fn ranks(&self, graph: &Graph, switch: NodeId) -> Box<[u8]> {
        let place = |node: NodeId| node.index().checked_sub(graph.hosts());
        let own = place(switch).expect("a switch");
        let rank = |peer| place(peer).map_or(0, |peer| self.rank(own, peer));
        graph.ports(switch).iter().map(|end| rank(end.peer)).collect()
    }

    /// Returns true if the lane rises between two cables of these ranks. A cable of a host, of rank 0, is the first or
    /// the last of a route.
    #[inline]
    #[must_use]
    pub const fn raises(input: u8, output: u8) -> bool {
        output != 0 && output <= input
    }

    /// Returns the lane behind the output of a switch for a packet that came on `lane`, by the ranks of both cables.
    #[inline]
    #[must_use]
    pub const fn lane((input, output): (u8, u8), lane: Lane) -> Lane {
        Lane(lane.0 + Self::raises(input, output) as u8)
    }

    /// Returns the output of a packet at a switch, which turns it to its destination if it has reached its intermediate
    /// switch. `forwarding` is the switch's table, which has a single port for each address in these fabrics.
    #[must_use]
    pub fn follow(&self, switch: usize, packet: &mut Packet, forwarding: &ForwardingTable) -> Option<PortId> {
        let mut to = packet.lrh.destination();
        if let Course::Outward(via) = packet.course() {
            if self.is_reached(switch, via) {
                packet.set_course(Course::Inward);
            } else {
                to = self.address(via);
            }
        }
        forwarding.output(to, || 0)
    }

    fn switches(&self) -> usize {
        match &self.shape {
            DetourShape::Dragonfly(shape) => shape.groups() * shape.routers(),
            DetourShape::HyperX(shape) => shape.switches(),
        }
    }

    fn hosts(&self) -> usize {
        match &self.shape {
            DetourShape::Dragonfly(shape) => shape.hosts(),
            DetourShape::HyperX(shape) => shape.hosts(),
        }
    }
}
