//! The plan of a port: a node's end of a cable.
//!
//! Invariant: the plan of a port depends only on its cable, on the memory of both ends and on the intake of both nodes.

use packet::{Lane, Mtu, PortId};
use units::{Bytes, Span};

use super::cable::CablePlan;
use super::link::LinkPlan;
use super::memory::ReceiverPlan;
use crate::flow_control::credits::{REFRESH_SYMBOLS, UpdateRule};
use crate::flow_control::headroom::{Headroom, PauseLoop, quanta};
use crate::flow_control::pause::{LaneMemory, PauseRule};
use crate::port::{FlowControlSetup, Port, PortSetup};
use crate::spec::{Discipline, PauseSpec};
use crate::wire::Wire;

/// The way in which a node takes packets from the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intake {
    /// Time from the arrival of the part that the node waits for until the packet is routed.
    pub latency: Span,
    /// True if the node waits for the header only, and not for the tail.
    pub cut_through: bool,
}

/// A node's end of a cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortPlan {
    /// The direction of the cable that leads away from the node.
    pub wire: Wire,
    /// By lane, the most bytes that the port can ever hold.
    pub capacity: Vec<Bytes>,
    flow_control: FlowControlSetup,
}

impl Intake {
    /// Intake of a channel adapter, which acts on whole packets at once.
    pub const ADAPTER: Self = Self { latency: Span::ZERO, cut_through: false };
}

impl LinkPlan {
    /// Plans the direction of a cable that leads to a node with this intake.
    ///
    /// DEVIATION: the latency of a switch counts as the wire's. So the buffer is charged once a packet is routed, not
    /// when its first byte arrives. Credits are not affected, and a hop costs an event less.
    #[must_use]
    pub const fn wire(&self, cable: &CablePlan, to: Intake) -> Wire {
        let latency = Span::from_ps(cable.flight.ps() + to.latency.ps());
        Wire::framed(self.framing, cable.rate, latency, to.cut_through)
    }

    /// Returns the headroom of each lane of a port: 0 B without PFC, else the given headroom. The default is the bytes
    /// that can still arrive by its cable after a PAUSE is due.
    ///
    /// A receiver acts on a packet once its header has arrived and it is routed, or, without cut-through, once its tail
    /// has arrived. A PAUSE is sent later by that time than in reality, where each byte is counted on arrival.
    #[must_use]
    pub fn headroom(&self, cable: &CablePlan, intake: Intake) -> Vec<Bytes> {
        let of_pause = match &self.flow_control {
            Discipline::Pause(PauseSpec { headroom: Some(given), .. }) => *given,
            _ => self.needed_headroom(cable, intake).map_or(Bytes::ZERO, |needed| needed.total()),
        };
        let lanes = (0..self.data_lanes).map(Lane);
        lanes.map(|lane| if self.pauses(lane) { of_pause } else { Bytes::ZERO }).collect()
    }

    /// Returns the bytes that can still arrive by a port's cable after a PAUSE is due, whatever headroom is given;
    /// `None` without PFC.
    #[must_use]
    pub fn needed_headroom(&self, cable: &CablePlan, intake: Intake) -> Option<Headroom> {
        let Discipline::Pause(pause) = &self.flow_control else { return None };
        let longest_frame = self.longest_on_wire();
        Some(Headroom::of(PauseLoop {
            rate: cable.rate,
            flight: cable.flight,
            longest_frame,
            // Other lanes may have begun to pause at the same time.
            priorities: self.data_lanes,
            reaction: known_reaction(pause, cable),
            lead: if intake.cut_through { self.framing.route_header() } else { longest_frame },
            latency: intake.latency,
        }))
    }

    /// Plans a node's end of a cable, with the memory of this end and of the far end.
    #[must_use]
    pub fn port(
        &self,
        cable: &CablePlan,
        far_intake: Intake,
        receiver: &ReceiverPlan,
        far_receiver: &ReceiverPlan,
    ) -> PortPlan {
        let flow_control = match &self.flow_control {
            Discipline::Credits(credits) => FlowControlSetup::Credits {
                room: receiver.limits.clone(),
                far_room: far_receiver.limits.clone(),
                rule: UpdateRule {
                    blocks: credits.update_blocks,
                    interval: credits.update_interval,
                    refresh: cable.symbol_time * REFRESH_SYMBOLS,
                },
                wire_time: credits.wire_time,
            },
            Discipline::Pause(pause) => FlowControlSetup::Pause {
                rule: pause.rule(cable, self.mtu),
                memory: self.lane_memory(receiver),
            },
            Discipline::Lossy => {
                let rule = PauseRule {
                    quanta: 0,
                    quantum: quanta(1, cable.rate),
                    refresh: Span::ZERO,
                    // No signal is ever sent, but the delay counts in the port's lookahead, which 0 would shorten.
                    effect_delay: cable.flight,
                    resume_offset: 0,
                };
                FlowControlSetup::Pause { rule, memory: self.lane_memory(receiver) }
            }
        };
        let capacity = receiver.capacity.clone();
        PortPlan { wire: self.wire(cable, far_intake), capacity, flow_control }
    }

    fn lane_memory(&self, receiver: &ReceiverPlan) -> Vec<LaneMemory> {
        let lanes = (0..).map(Lane).zip(receiver.limits.iter().zip(&receiver.headroom));
        let memory = |(lane, (limit, headroom)): (Lane, (&Bytes, &Bytes))| LaneMemory {
            limit: limit.get() as u32,
            headroom: headroom.get() as u32,
            pauses: self.pauses(lane),
        };
        lanes.map(memory).collect()
    }
}

/// Returns the reaction of a sender, which [`LinkSpec::resolve`] has found to be known.
///
/// [`LinkSpec::resolve`]: crate::spec::LinkSpec::resolve
fn known_reaction(pause: &PauseSpec, cable: &CablePlan) -> Span {
    pause.reaction(cable.rate).expect("the reaction is known at the rate of every cable")
}

impl PauseSpec {
    fn rule(&self, cable: &CablePlan, mtu: Mtu) -> PauseRule {
        PauseRule {
            quanta: self.quanta,
            quantum: quanta(1, cable.rate),
            refresh: self.refresh(cable.rate),
            effect_delay: cable.flight + known_reaction(self, cable),
            resume_offset: self.resume_offset(mtu).get() as u32,
        }
    }
}

impl PortPlan {
    /// Returns the threshold of PAUSE of each lane at the lightest load; none under credits.
    #[must_use]
    pub fn thresholds(&self) -> Vec<Bytes> {
        match &self.flow_control {
            FlowControlSetup::Credits { .. } => Vec::new(),
            FlowControlSetup::Pause { memory, .. } => {
                memory.iter().map(|lane| Bytes::new(u64::from(lane.limit))).collect()
            }
        }
    }

    /// Builds the port at rest.
    #[must_use]
    pub fn build(&self, id: PortId) -> Port {
        Port::new(PortSetup { id, wire: self.wire, flow_control: self.flow_control.clone() })
    }
}
