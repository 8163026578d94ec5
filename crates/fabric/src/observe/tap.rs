//! Packets and PAUSE frames that pass chosen ports, and waits of chosen outputs.
//!
//! Invariant: looking changes nothing, and a run that is not tapped pays nothing for it. A part looks at the events
//! of a window when the window opens, before any node handles them. Sightings come in the order of time, node, port
//! and direction, for any number of parts.
//!
//! A packet is found on its arrival at the far end of a wire; from there follows the time at which it started.
//! Nothing that starts later arrives before it by more than the slowest wire takes, the *lag*. Sightings are
//! therefore held back until all events up to the lag behind them are handled.
//!
//! ```text
//! starts at its sender --- flight ---> first bit at the receiver ------> the receiver acts: found here
//! |<----------------------------------- at most the lag ---------------------------------->|
//! ```

use link_layer::{Signal, Wire};
use packet::{Lane, NodeId, Packet, PortId};
use scenario::Plan;
use telemetry::{Passing, Sighting, Wait};
use units::{Bytes, Rate, Span, Time};

use crate::state::event::{Event, EventKind};
use crate::state::part::Part;
use crate::state::world::World;

/// Ports of a run at which packets are seen, and their observer.
pub struct Tap<'a> {
    /// Ports, each once.
    pub ports: &'a [(NodeId, PortId)],
    /// Called with each packet and PAUSE frame that passes any of the ports, in order of time, node, port and
    /// direction.
    pub observer: &'a mut dyn FnMut(&Sighting),
    /// Ports for which waits are seen, and their observer; only in runs in one part.
    pub waits: Option<WaitTap<'a>>,
}

/// Ports of a run at which waits for credit, or for the end of a pause, are seen.
pub struct WaitTap<'a> {
    /// Ports, each once.
    pub ports: &'a [(NodeId, PortId)],
    /// Called with each wait that is over, and at the end of the run with the waits that are not.
    pub observer: &'a mut dyn FnMut(&Wait),
}

/// A direction of a cable with a tapped end.
#[derive(Clone, Copy, Debug)]
struct TappedWire {
    from: (NodeId, PortId),
    to: (NodeId, PortId),
    /// True if the port that sends is tapped.
    at_sender: bool,
    /// True if the port that receives is tapped.
    at_receiver: bool,
    wire: Wire,
    flight: Span,
    signal_times: (Span, Span),
}

/// The tapped wires to the ports of a part, and the sightings on them.
#[derive(Debug)]
pub(crate) struct PartTap {
    wires: Vec<TappedWire>,
    /// Position in `wires`, by the port of the part at the far end; [`NOT_TAPPED`] for others.
    wire_of: Vec<u32>,
    /// Position in `wire_of` of each node's first port, by its number within the part.
    first_port: Vec<u32>,
    seen: Vec<Sighting>,
}

const NOT_TAPPED: u32 = u32::MAX;

impl PartTap {
    /// Creates the tap of each part.
    pub(crate) fn of_parts(plan: &Plan, world: &World, ports: &[(NodeId, PortId)]) -> Vec<Self> {
        let mut chosen = vec![false; world.graph.far_ends().len()];
        ports.iter().for_each(|at| chosen[world.graph.position(*at)] = true);
        world.parts.iter().map(|part| Self::of_part(plan, world, part, &chosen)).collect()
    }

    fn of_part(plan: &Plan, world: &World, part: &Part, chosen: &[bool]) -> Self {
        let mut tap =
            Self { wires: Vec::new(), wire_of: Vec::new(), first_port: Vec::new(), seen: Vec::new() };
        for node in &part.numbers {
            tap.first_port.push(tap.wire_of.len() as u32);
            for (port, end) in (0..).map(PortId).zip(world.graph.ports(*node)) {
                let (from, flight) = ((end.peer, end.peer_port), plan.cable(end.cable).flight);
                let [at_sender, at_receiver] =
                    [from, (*node, port)].map(|at| chosen[world.graph.position(at)]);
                if !at_sender && !at_receiver {
                    tap.wire_of.push(NOT_TAPPED);
                    continue;
                }
                // The wire's constants are copied, since the sender may be in another part, and on another thread.
                let sender = world.port(from.0, from.1);
                tap.wire_of.push(tap.wires.len() as u32);
                tap.wires.push(TappedWire {
                    from,
                    to: (*node, port),
                    at_sender,
                    at_receiver,
                    wire: *sender.wire(),
                    flight,
                    signal_times: sender.signal_times(),
                });
            }
        }
        tap
    }

    /// Looks at the arrivals of a window that has just been opened.
    pub(crate) fn look(&mut self, part: &Part) {
        for (at, event) in part.interconnect.queue.open_events() {
            self.look_at(at, event, part, true);
        }
    }

    /// Looks at packets and signals that have started and not arrived at the end of a run. They have passed their
    /// senders alone.
    fn look_at_pending(&mut self, part: &Part) {
        for (at, _, event) in part.interconnect.queue.scheduled() {
            self.look_at(at, event, part, false);
        }
    }

    /// Looks at an event, which `arrives` if its time has come.
    fn look_at(&mut self, at: Time, event: &Event, part: &Part, arrives: bool) {
        match event.kind() {
            EventKind::Arrive(port, id) => {
                if let Some(wire) = self.wire_to(event.node(), port) {
                    let packet = part.interconnect.pool[id];
                    self.note(wire, wire.started(&packet), Passing::Packet(packet), arrives);
                }
            }
            EventKind::Signal(port, Signal::Pause { lane, quanta }) => {
                if let Some(wire) = self.wire_to(event.node(), port) {
                    self.note(wire, wire.signal_started(at), Passing::Pause { lane, quanta }, arrives);
                }
            }
            EventKind::Signal(_, Signal::Credit { .. }) | EventKind::Adapter(_) | EventKind::Switch(_) => {}
        }
    }

    /// Returns the tapped wire to a port, given by its node's number within the part.
    fn wire_to(&self, node: NodeId, port: PortId) -> Option<TappedWire> {
        let number = self.wire_of[self.first_port[node.index()] as usize + port.index()];
        self.wires.get(number as usize).copied()
    }

    /// Notes a packet or signal that started on a wire.
    fn note(&mut self, wire: TappedWire, starts: Time, what: Passing, arrives: bool) {
        if wire.at_sender {
            let (node, port) = wire.from;
            self.seen.push(Sighting { at: starts, node, port, outbound: true, from: wire.from, what });
        }
        if wire.at_receiver && arrives {
            let ((node, port), at) = (wire.to, starts + wire.flight);
            self.seen.push(Sighting { at, node, port, outbound: false, from: wire.from, what });
        }
    }

    /// Returns the number of sightings that are not handed over yet.
    pub(crate) fn seen(&self) -> usize {
        self.seen.len()
    }
}

impl TappedWire {
    /// Returns the time at which a packet that is on its way started.
    fn started(&self, packet: &Packet) -> Time {
        let taken = self.wire.time_for(packet.wire_bytes()) + self.wire.latency();
        Time::from_ps(packet.tail.ps() - taken.ps())
    }

    /// Returns the time at which a signal started that takes effect at `at`.
    fn signal_started(&self, at: Time) -> Time {
        let (wire_time, delay) = self.signal_times;
        Time::from_ps(at.ps() - wire_time.ps() - delay.ps())
    }

    /// Returns the longest time from the start of a packet or a signal until it is found.
    fn lag(&self, longest: Bytes) -> Span {
        let (wire_time, delay) = self.signal_times;
        (self.wire.time_for(longest) + self.wire.latency()).max(wire_time + delay)
    }
}

/// The sightings of all parts that the observer has not got yet.
pub(crate) struct TapReader<'a> {
    observer: &'a mut dyn FnMut(&Sighting),
    held: Vec<Sighting>,
    lag: Span,
    /// Interval at which a run in parts stops to hand over sightings.
    every: Span,
    /// Next such time.
    pub(crate) due: Time,
}

/// Sightings of a run in parts between two stops, about: a bound for memory.
const HELD: u64 = 1 << 18;
/// Sightings of a part after which a run in one part hands them over.
pub(crate) const AT_A_TIME: usize = 1 << 12;
/// Shortest and longest interval between two stops.
const INTERVALS: (Span, Span) = (Span::from_us(1), Span::from_us(1000));

impl<'a> TapReader<'a> {
    /// Creates the reader of these taps, which are in the order of parts.
    pub(crate) fn new(plan: &Plan, taps: &[PartTap], observer: &'a mut dyn FnMut(&Sighting)) -> Self {
        let wires = || taps.iter().flat_map(|tap| &tap.wires);
        let longest = plan.link().longest_packet();
        let rates = wires().map(|wire| wire.wire.rate().get()).fold(0, u64::saturating_add);
        let full = Rate::bps(rates.max(Rate::gbps(1).get())).time_for(Bytes::new(longest.get() * HELD));
        let every = full.clamp(INTERVALS.0, INTERVALS.1);
        let lag = wires().map(|wire| wire.lag(longest)).max().unwrap_or(Span::ZERO);
        Self { observer, held: Vec::new(), lag, every, due: Time::ZERO + every }
    }

    /// Hands over the sightings of all parts that nothing can precede any more. `handled` is the end of the last
    /// window.
    pub(crate) fn take(&mut self, taps: Vec<&mut PartTap>, handled: Time) {
        self.gather(taps);
        // A packet that arrives from `handled` on may have started up to a lag earlier.
        let before = Time::from_ps(handled.ps().saturating_sub(self.lag.ps()));
        let count = self.held.partition_point(|sighting| sighting.at < before);
        self.held.drain(..count).for_each(|sighting| (self.observer)(&sighting));
    }

    /// Moves to the next stop after `now`.
    pub(crate) fn advance(&mut self, now: Time) {
        self.due = now + self.every;
    }

    /// Hands over all sightings, including packets and signals that have not arrived.
    pub(crate) fn finish(&mut self, taps: Vec<&mut PartTap>, world: &World) {
        let looked = taps.into_iter().zip(&world.parts).map(|(tap, part)| {
            tap.look_at_pending(part);
            tap
        });
        self.gather(looked.collect());
        self.held.drain(..).for_each(|sighting| (self.observer)(&sighting));
    }

    fn gather(&mut self, taps: Vec<&mut PartTap>) {
        taps.into_iter().for_each(|tap| self.held.append(&mut tap.seen));
        self.held.sort_unstable_by_key(Sighting::order);
    }
}

/// The waits of some outputs and lanes, looked at after each window.
pub(crate) struct WaitReader<'a> {
    observer: &'a mut dyn FnMut(&Wait),
    outputs: Vec<WaitingOutput>,
}

/// An output and lane, and its waits when it was looked at last.
struct WaitingOutput {
    at: (NodeId, PortId, Lane),
    since: Option<Time>,
    past: Span,
}

impl<'a> WaitReader<'a> {
    /// Creates the reader of a run at time zero.
    pub(crate) fn new(plan: &Plan, WaitTap { ports, observer }: WaitTap<'a>) -> Self {
        let output = |at| WaitingOutput { at, since: None, past: Span::ZERO };
        let chosen = plan.lanes().filter(|(node, port, _)| ports.contains(&(*node, *port)));
        Self { observer, outputs: chosen.map(output).collect() }
    }

    /// Looks at all outputs, once all events up to and including the instant `now` are handled.
    pub(crate) fn look(&mut self, world: &World, now: Time) {
        for output in &mut self.outputs {
            let (node, port, lane) = output.at;
            let (since, past) = world.lane_counts(node, port, lane).1.waits();
            let waited = past - output.past;
            if waited > Span::ZERO {
                // All waits that are over lie before the present wait, and after the beginning of the window.
                let over = since.unwrap_or(now);
                let from = output.since.unwrap_or_else(|| Time::from_ps(over.ps() - waited.ps()));
                (self.observer)(&Wait { node, port, lane, from, until: from + waited });
            }
            (output.since, output.past) = (since, past);
        }
    }

    /// Looks for the last time. Waits that are not over end at `end`.
    pub(crate) fn finish(&mut self, world: &World, end: Time) {
        self.look(world, end);
        for WaitingOutput { at: (node, port, lane), since, .. } in &self.outputs {
            if let Some(from) = since.filter(|since| *since < end) {
                (self.observer)(&Wait { node: *node, port: *port, lane: *lane, from, until: end });
            }
        }
    }
}
