//! The choice between minimal routes and detours, and the lanes of both.
//!
//! Invariant: the first switch of a packet decides about it, and with [`RoutingSpec::Par`] the second switch once more.
//! Every other switch follows. The state is a random stream of the switch's own, so the choices depend on nothing but the
//! order of the switch's events, which is total.

use std::sync::Arc;

use event_kernel::Stream;
use packet::{Course, Lane, Lid, Packet, PortId};
use telemetry::DetourTally;
use topology::{DetourWeights, Detours, ForwardingTable, LoadSeen, RoutingSpec};
use units::Bytes;

/// The parts that the detours of a switch are built from.
#[derive(Clone, Debug)]
pub struct DetourSetup {
    /// The rule of the fabric.
    pub rule: Arc<Detours>,
    /// The routing, one of those with detours.
    pub routing: RoutingSpec,
    /// Number of the switch, from 0.
    pub switch: usize,
    /// Rank of the cable at each port.
    pub ranks: Box<[u8]>,
    /// Random stream of the switch's own.
    pub stream: Stream,
}

/// The routes of a switch whose packets need not go minimally.
#[derive(Debug)]
pub(crate) struct Detouring {
    rule: Arc<Detours>,
    /// Weights and bias by which loads are compared; `None` if every packet takes a detour.
    comparison: Option<Comparison>,
    switch: usize,
    ranks: Box<[u8]>,
    stream: Stream,
    tally: DetourTally,
}

state_codec::state!(Detouring { rule: plan, comparison: plan, switch: plan, ranks: plan, stream, tally });

/// The comparison of a minimal route with a detour.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    bias: Bytes,
    weights: DetourWeights,
    load: LoadSeen,
}

/// The load of an output: bytes on a lane that wait here, and that occupy the far end as far as credits tell.
pub(crate) trait OutputLoads {
    /// Returns the bytes that wait for an output and lane.
    fn waiting(&self, output: PortId, lane: Lane) -> Bytes;
    /// Returns the bytes sent by an output and lane for which no credit has returned.
    fn far_use(&self, output: PortId, lane: Lane) -> Bytes;
}

impl Detouring {
    /// Creates the routes of a switch.
    ///
    /// # Panics
    /// If the routing has no detours.
    pub(crate) fn new(setup: DetourSetup) -> Self {
        let comparison = match setup.routing {
            RoutingSpec::Valiant(_) => None,
            RoutingSpec::Ugal(spec) | RoutingSpec::Par(spec) => {
                Some(Comparison { bias: spec.bias, weights: spec.weigh, load: spec.load })
            }
            other => panic!("`{}` has no detours", other.word()),
        };
        let DetourSetup { rule, switch, ranks, stream, .. } = setup;
        Self { rule, comparison, switch, ranks, stream, tally: DetourTally::default() }
    }

    /// Routes a packet that has come by `input` on its lane so far: decides on its course if that is open, and sets its
    /// ports and its next lane. Returns false if no port leads to its end.
    #[inline(never)] // Few fabrics have detours.
    pub(crate) fn route(
        &mut self,
        packet: &mut Packet,
        input: PortId,
        forwarding: &ForwardingTable,
        loads: &impl OutputLoads,
    ) -> bool {
        if packet.course() == Course::Open {
            let course = self.decide(packet, input, forwarding, loads);
            self.tally.detours += u64::from(matches!(course, Course::Outward(_)));
            packet.set_course(course);
        }
        let Some(output) = self.follow(packet, forwarding) else { return false };
        packet.set_ports(input, output);
        packet.lrh.lane = self.lane((input, output), packet.lrh.lane);
        true
    }

    /// Returns the counts of the packets that this switch has decided about.
    pub(crate) const fn tally(&self) -> DetourTally {
        self.tally
    }

    /// Lets a packet turn to its destination if it has reached its intermediate switch, and returns its output.
    pub(crate) fn follow(&self, packet: &mut Packet, forwarding: &ForwardingTable) -> Option<PortId> {
        self.rule.follow(self.switch, packet, forwarding)
    }

    /// Returns the lane behind an output for a packet that came on a lane.
    pub(crate) fn lane(&self, (input, output): (PortId, PortId), lane: Lane) -> Lane {
        Detours::lane((self.ranks[input.index()], self.ranks[output.index()]), lane)
    }

    /// Returns true if this switch would decide about a packet that comes by `input`.
    pub(crate) fn decides(&self, packet: &Packet, input: PortId) -> bool {
        self.rule.decides(self.switch, self.ranks[input.index()], packet)
    }

    /// Decides about a packet that has come by `input`. The course stays open if another switch is to decide again.
    fn decide(
        &mut self,
        packet: &Packet,
        input: PortId,
        forwarding: &ForwardingTable,
        loads: &impl OutputLoads,
    ) -> Course {
        let came_by = self.ranks[input.index()];
        let is_first = came_by == 0;
        if !self.rule.may_decide(came_by, packet) {
            return Course::Inward;
        }
        let to = self.rule.switch_of(packet.lrh.destination());
        self.tally.packets += u64::from(is_first && !self.rule.stays(self.switch, to));
        let minimal = if is_first { Course::Open } else { Course::Inward };
        let Some(via) = self.rule.draw(self.switch, to, &mut self.stream) else { return minimal };
        let detour = Course::Outward(via);
        let Some(comparison) = self.comparison else { return detour };
        let (Some(near), Some(far)) =
            (output(forwarding, packet.lrh.destination()), output(forwarding, self.rule.address(via)))
        else {
            return minimal;
        };
        let (weight, other) = match comparison.weights {
            DetourWeights::Hops => (self.rule.hops(self.switch, to), self.rule.hops_by(self.switch, via, to)),
            DetourWeights::Fixed(other) => (1, u32::from(other)),
        };
        let lanes = packet.lrh.lane.0..packet.lrh.lane.0 + self.rule.lanes();
        let load = |output| -> u64 {
            let of_lane = |lane| {
                let far = match comparison.load {
                    LoadSeen::Waiting => Bytes::ZERO,
                    LoadSeen::WaitingAndFar => loads.far_use(output, lane),
                };
                (loads.waiting(output, lane) + far).get()
            };
            lanes.clone().map(Lane).map(of_lane).sum()
        };
        let takes_detour =
            u64::from(weight) * load(near) > u64::from(other) * load(far) + comparison.bias.get();
        if takes_detour { detour } else { minimal }
    }
}

/// Returns the port to an address. The tables of these fabrics have a single port for each.
fn output(forwarding: &ForwardingTable, to: Lid) -> Option<PortId> {
    forwarding.output(to, || 0)
}
