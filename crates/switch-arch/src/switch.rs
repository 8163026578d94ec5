//! A switch, compiled for as many ports as it has.
//!
//! Invariant: how many ports sets of them can hold changes how fast a switch is, and nothing else.

use cc_policies::Margin;
use link_layer::{NodeContext, PauseTally, Port, Signal};
use packet::{Lane, Packet, PacketId, PacketPool, PortId, VoqId};
use telemetry::{LaneInput, LaneOutput, Marks};
use units::{Bytes, Rate, Time};

use crate::pipeline::Pipeline;
use crate::port::SwitchPort;
use crate::port_set::PortSet;
use crate::setup::{SwitchSetup, SwitchWake};

/// A switch.
#[derive(Debug)]
pub struct Switch {
    width: Width,
}

/// Its pipeline, by how many words it takes to hold a set of its ports.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all switches are narrow, and are found with one look less"
)]
enum Width {
    /// Up to 64 ports, as nearly all switches have.
    Narrow(Pipeline<1>),
    Wide(Box<Pipeline<4>>),
}

macro_rules! dispatch {
    ($switch:expr, $pipeline:ident => $call:expr) => {
        match $switch {
            Width::Narrow($pipeline) => $call,
            Width::Wide($pipeline) => $call,
        }
    };
}

/// The same in the loop of all nodes, which carries no code of wide switches.
macro_rules! dispatch_hot {
    ($switch:expr, $pipeline:ident => $call:expr) => {
        match $switch {
            Width::Narrow($pipeline) => $call,
            Width::Wide($pipeline) => apart(move || $call),
        }
    };
}

#[inline(never)]
fn apart<R>(call: impl FnOnce() -> R) -> R {
    call()
}

impl Switch {
    /// A switch at rest.
    ///
    /// # Panics
    /// If it has more ports than a [`PortSet`] holds.
    #[must_use]
    pub fn new(setup: SwitchSetup) -> Self {
        let ports = setup.ports.len();
        assert!(ports < PortSet::<4>::CAPACITY, "a switch has at most 254 external ports");
        let width = if ports <= PortSet::<1>::CAPACITY {
            Width::Narrow(Pipeline::new(setup))
        } else {
            Width::Wide(Box::new(Pipeline::new(setup)))
        };
        Self { width }
    }

    /// Starts the clocks of all ports. Call once, at the start.
    pub fn bring_up(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        dispatch!(&mut self.width, pipeline => pipeline.bring_up(outlet));
    }

    /// A packet has come in by `input`, and has been routed.
    pub fn arrive(&mut self, input: PortId, id: PacketId, outlet: &mut impl NodeContext<SwitchWake>) {
        dispatch_hot!(&mut self.width, pipeline => pipeline.arrive(input, id, outlet));
    }

    /// The far end of `output` says something.
    pub fn heard(&mut self, output: PortId, signal: Signal, outlet: &mut impl NodeContext<SwitchWake>) {
        dispatch_hot!(&mut self.width, pipeline => pipeline.heard(output, signal, outlet));
    }

    /// What the switch wanted to be woken for has come.
    pub fn woken(&mut self, wake: SwitchWake, outlet: &mut impl NodeContext<SwitchWake>) {
        dispatch_hot!(&mut self.width, pipeline => pipeline.woken(wake, outlet));
    }

    /// Everything of this instant has arrived: lets go what can go.
    pub fn decide(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        dispatch_hot!(&mut self.width, pipeline => pipeline.decide(outlet));
    }

    /// Ports of this switch, with their flow control.
    pub fn links(&self) -> impl ExactSizeIterator<Item = &Port> {
        let ports: &[SwitchPort] = dispatch!(&self.width, pipeline => &pipeline.ports);
        ports.iter().map(|port| &port.link)
    }

    /// What was observed at a port and lane: what came in there, what left there.
    #[must_use]
    pub fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        dispatch!(&self.width, pipeline => pipeline.observed(port, lane))
    }

    /// Packets marked on leaving by an output and lane.
    #[must_use]
    pub fn marks(&self, output: PortId, lane: Lane) -> &Marks {
        dispatch!(&self.width, pipeline => pipeline.marks(output, lane))
    }

    /// What was observed at every port and lane, in order.
    pub fn all_observed(&self) -> impl Iterator<Item = (&LaneInput, &LaneOutput)> {
        let ports = (0..self.radix() as u16).map(PortId);
        let lanes = move |port| (0..self.lanes() as u8).map(move |lane| self.observed(port, Lane(lane)));
        ports.flat_map(lanes)
    }

    /// Packets marked on leaving by every port and lane, in order.
    #[must_use]
    pub fn all_marks(&self) -> &[Marks] {
        dispatch!(&self.width, pipeline => pipeline.all_marks())
    }

    /// Whether all queues and buffers are empty, no memory is counted as used, all wires are idle, and all credits
    /// of the far ends are here.
    #[must_use]
    pub fn at_rest(&self, now: Time) -> bool {
        dispatch!(&self.width, pipeline => pipeline.at_rest(now))
    }

    /// Shows every packet that waits here to `see`: in a buffer, or behind the crossbar at its output. Its fields
    /// `input` and `output` say from where to where.
    pub fn look(&self, pool: &PacketPool, see: impl FnMut(&Packet)) {
        dispatch!(&self.width, pipeline => pipeline.look(pool, see));
    }

    /// What waits here for an output and lane, of all inputs.
    #[must_use]
    pub fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        dispatch!(&self.width, pipeline => pipeline.waiting(output, lane))
    }

    /// How near what waits for an output and lane came to the threshold above which packets are
    /// marked, and to the one above which all are.
    #[must_use]
    pub fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        dispatch!(&self.width, pipeline => pipeline.margins(output, lane))
    }

    /// By which port this packet leaves, or would leave if it came here.
    #[must_use]
    pub fn output_of(&self, packet: &Packet) -> Option<PortId> {
        dispatch!(&self.width, pipeline => pipeline.output_of(packet))
    }

    /// Whether something waits for this output that is longer than `room`, the room at the far end: then nothing
    /// leaves by it on this lane until there is more.
    #[must_use]
    pub fn is_blocked(&self, output: PortId, lane: Lane, room: Bytes, pool: &PacketPool) -> bool {
        dispatch!(&self.width, pipeline => pipeline.is_blocked(output, lane, room, pool))
    }

    /// Whether whatever occupies the buffer of an input and lane waits there: nothing is on its way out, or has yet
    /// to become ready. Of memory that is shared it is denied: others can make room for what waits there.
    #[must_use]
    pub fn all_waits(&self, input: PortId, lane: Lane, pool: &PacketPool) -> bool {
        dispatch!(&self.width, pipeline => pipeline.all_waits(input, lane, pool))
    }

    /// What may still come in on a lane of this input, as this switch counts it: nothing while it asks for a pause.
    #[must_use]
    pub fn room(&self, input: PortId, lane: Lane) -> Bytes {
        dispatch!(&self.width, pipeline => pipeline.room(input, lane))
    }

    /// Number of data lanes.
    #[must_use]
    pub fn lanes(&self) -> usize {
        dispatch!(&self.width, pipeline => pipeline.lanes())
    }

    /// Number of ports.
    #[must_use]
    pub fn radix(&self) -> usize {
        dispatch!(&self.width, pipeline => pipeline.radix())
    }

    /// Outputs for which the packets wait that are first to leave the buffer of an input and lane.
    pub fn firsts(&self, input: PortId, lane: Lane) -> impl Iterator<Item = PortId> {
        let outputs = (0..self.radix() as u16).map(PortId);
        outputs.filter(move |&output| self.is_first(VoqId { input, output, lane }))
    }

    /// Whether what is first to leave the buffer of an input and lane, or could be, waits for this output.
    #[must_use]
    pub fn is_first(&self, place: VoqId) -> bool {
        dispatch!(&self.width, pipeline => pipeline.is_first(place))
    }

    /// The data rate of the link at an output.
    #[must_use]
    pub fn link_rate(&self, output: PortId) -> Rate {
        dispatch!(&self.width, pipeline => pipeline.link_rate(output))
    }

    /// Whether the queue behind the crossbar, where there is one, has room for what is first at `place`.
    #[must_use]
    pub fn can_cross(&self, place: VoqId, pool: &PacketPool) -> bool {
        dispatch!(&self.width, pipeline => pipeline.can_cross(place, pool))
    }

    /// What the pauses of a port and lane came to; none under credits.
    #[must_use]
    pub fn pauses(&self, port: PortId, lane: Lane, now: Time) -> Option<PauseTally> {
        dispatch!(&self.width, pipeline => pipeline.pauses(port, lane, now))
    }

    /// Packets that were dropped because too much waited for an output and lane.
    #[must_use]
    pub fn dropped_for(&self, output: PortId, lane: Lane) -> u64 {
        dispatch!(&self.width, pipeline => pipeline.dropped_for(output, lane))
    }

    /// Packets that were dropped here.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        dispatch!(&self.width, pipeline => pipeline.dropped())
    }

    /// Reads what the arrival of a packet by this input will need. What it returns is of no meaning, but must not be
    /// optimised away.
    #[inline]
    #[must_use]
    pub fn fetch_for_arrival(&self, place: VoqId) -> u64 {
        dispatch!(&self.width, pipeline => pipeline.fetch_for_arrival(place))
    }

    /// Reads what the departure of a tail will need, and whoever is likely to be next, alike.
    #[inline]
    #[must_use]
    pub fn fetch_for_departure(&self, place: VoqId, pool: &PacketPool) -> u64 {
        dispatch!(&self.width, pipeline => pipeline.fetch_for_departure(place, pool))
    }

    /// Reads what every event at an output and lane will need, alike.
    #[inline]
    #[must_use]
    pub fn fetch_output(&self, output: PortId, lane: Lane) -> u64 {
        dispatch!(&self.width, pipeline => pipeline.fetch_output(output, lane))
    }

    /// What was observed of the queue behind the crossbar at an output and lane, where there is one.
    #[must_use]
    pub fn staged(&self, output: PortId, lane: Lane) -> Option<&LaneInput> {
        dispatch!(&self.width, pipeline => pipeline.staged(output, lane))
    }
}
