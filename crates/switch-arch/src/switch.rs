//! The pipeline that all buffer organisations share: from a packet's arrival to its tail's departure.
//!
//! Invariant: a buffer is charged when a packet is routed and freed when its tail has left; an output
//! carries one packet at a time; nothing starts without credit. Decisions fall once an instant, after
//! everything that arrives in it has arrived.

use cc_policies::AnyMarker;
use cc_policies::policy::{BufferView, Marker, Place, QueueView};
use link_layer::{LaneSet, Outlet, Port, PortSet, Signal, VlArbiter};
use packet::{BthFlags, Lane, PacketId, PortId};
use smallvec::SmallVec;
use telemetry::{LaneInput, LaneOutput};
use units::{Bytes, Rate, Time};

use crate::arbiter::{AnyArbiter, Arbiter, Grant, Request};
use crate::board::Board;
use crate::buffering::{AnyBuffering, Buffering, Taken};
use crate::ledger::Ledger;
use crate::readers::Readers;
use crate::setup::{SwitchSetup, SwitchWake};

/// A switch.
#[derive(Debug)]
pub struct Switch {
    ports: Vec<SwitchPort>,
    /// Output by destination LID; `u16::MAX` for none.
    forwarding: Vec<u16>,
    longest_packet: Bytes,
    buffering: AnyBuffering,
    arbiter: AnyArbiter,
    ledger: Ledger,
    marker: AnyMarker,
    readers: Readers,
    /// Outputs to look at when this instant's arrivals are all in.
    pending: PortSet,
    /// Outputs whose contenders can all be read no faster at present.
    awaiting_reader: PortSet,
    requests: Vec<Request>,
    grants: Vec<Grant>,
}

/// A port of a switch, with what is observed there.
#[derive(Debug)]
pub(crate) struct SwitchPort {
    pub(crate) link: Port,
    lanes: VlArbiter,
    sending: bool,
    /// When the tail of the last packet that started here leaves.
    tail_leaves: Time,
    inputs: SmallVec<[LaneInput; 1]>,
    outputs: SmallVec<[LaneOutput; 1]>,
}

impl Switch {
    /// A switch at rest.
    ///
    /// # Panics
    /// If it has more ports than a [`PortSet`] holds.
    #[must_use]
    pub fn new(setup: SwitchSetup) -> Self {
        let (ports, lanes) = (setup.ports.len(), setup.data_lanes);
        assert!(ports < PortSet::CAPACITY, "a switch has at most 254 external ports");
        let limit = |port: &Port| {
            (u128::from(port.wire().rate().get()) * u128::from(setup.speedup_thousandths) / 1000) as u64
        };
        Self {
            readers: Readers::new(setup.buffering.reads_at_inputs(), setup.ports.iter().map(limit).collect()),
            ports: setup
                .ports
                .into_iter()
                .zip(setup.lanes)
                .map(|(link, arbiter)| SwitchPort {
                    link,
                    lanes: arbiter,
                    sending: false,
                    tail_leaves: Time::ZERO,
                    inputs: SmallVec::from_elem(LaneInput::default(), lanes),
                    outputs: SmallVec::from_elem(LaneOutput::default(), lanes),
                })
                .collect(),
            forwarding: setup.forwarding.iter().map(|port| port.map_or(u16::MAX, |port| port.0)).collect(),
            longest_packet: setup.longest_packet,
            buffering: setup.buffering,
            arbiter: setup.arbiter,
            ledger: Ledger::new(ports, lanes),
            marker: setup.marker,
            pending: PortSet::EMPTY,
            awaiting_reader: PortSet::EMPTY,
            requests: Vec::with_capacity(ports),
            grants: Vec::with_capacity(ports),
        }
    }

    /// Starts the clocks of all ports. Call once, at the start.
    pub fn bring_up(&mut self, outlet: &mut impl Outlet<SwitchWake>) {
        for port in &mut self.ports {
            port.link.bring_up(outlet, SwitchWake::Credit);
        }
    }

    /// A packet has come in by `input`, and has been routed.
    pub fn arrive(&mut self, input: PortId, id: PacketId, outlet: &mut impl Outlet<SwitchWake>) {
        let now = outlet.now();
        let packet = &mut outlet.packets()[id];
        packet.input = input.0;
        let (lane, length, tail) = (packet.lrh.lane, packet.wire_bytes(), packet.tail);
        let output = PortId(self.forwarding[packet.lrh.destination.index()]);
        let port = &mut self.ports[input.index()];
        port.inputs[lane.index()].stored(length, now);
        port.link.stored(lane, length, outlet);
        let (held, room) = port.link.occupancy(lane);
        self.marker.buffer_changed(input, lane, BufferView { held, room });
        let (from, to) = (port.link.wire().rate(), self.rate(output));
        if to > from {
            // The tail must not be overrun: start so late that it has come in when it is due.
            let ready = Time::from_ps(tail.ps().saturating_sub(to.time_for(length).ps()));
            if ready > now {
                outlet.wake(ready, SwitchWake::Ready(id, input));
                return;
            }
        }
        self.queue(id, output, outlet);
    }

    /// The far end of `port` says something.
    pub fn heard(&mut self, port: PortId, signal: Signal, outlet: &mut impl Outlet<SwitchWake>) {
        self.ports[port.index()].link.heard(signal, outlet);
        self.pending.insert(port);
    }

    /// What the switch wanted to be woken for has come.
    pub fn woken(&mut self, wake: SwitchWake, outlet: &mut impl Outlet<SwitchWake>) {
        match wake {
            SwitchWake::Ready(id, _) => {
                let destination = outlet.packets()[id].lrh.destination;
                self.queue(id, PortId(self.forwarding[destination.index()]), outlet);
            }
            SwitchWake::TailLeft { output, input, lane, length } => {
                self.tail_left(Place { input, output, lane }, Bytes::new(u64::from(length)), outlet);
            }
            SwitchWake::Credit(port, lane) => {
                self.ports[port.index()].link.alarm(lane, outlet, SwitchWake::Credit);
            }
        }
    }

    /// Everything of this instant has arrived: lets go what can go. Where a packet that leaves exposes one that
    /// stood behind it, that one may still go in the same instant.
    pub fn decide(&mut self, outlet: &mut impl Outlet<SwitchWake>) {
        while !self.pending.is_empty() {
            self.decide_once(outlet);
        }
    }

    fn decide_once(&mut self, outlet: &mut impl Outlet<SwitchWake>) {
        self.requests.clear();
        self.grants.clear();
        for output in core::mem::take(&mut self.pending) {
            self.ask(output, outlet);
        }
        if self.requests.is_empty() {
            return;
        }
        let mut board = Board {
            requests: &self.requests,
            ports: &self.ports,
            buffering: &self.buffering,
            packets: outlet.packets(),
            readers: &mut self.readers,
            grants: &mut self.grants,
        };
        if self.buffering.reads_at_inputs() {
            self.arbiter.matching(&mut board);
        } else {
            board.grant_all();
        }
        if self.grants.len() < self.requests.len() {
            self.wait_for_readers();
        }
        for index in 0..self.grants.len() {
            self.launch(self.grants[index], outlet);
        }
    }

    /// Outputs that asked in vain wait for an input that can be read.
    fn wait_for_readers(&mut self) {
        self.requests.iter().for_each(|request| self.awaiting_reader.insert(request.output));
        self.grants.iter().for_each(|grant| self.awaiting_reader.remove(grant.output));
    }

    /// Ports of this switch, with their flow control.
    pub fn links(&self) -> impl ExactSizeIterator<Item = &Port> {
        self.ports.iter().map(|port| &port.link)
    }

    /// What was observed at a port and lane: what came in there, what left there.
    #[must_use]
    pub fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        let port = &self.ports[port.index()];
        (&port.inputs[lane.index()], &port.outputs[lane.index()])
    }

    /// What was observed at every port and lane, in order.
    pub fn all_observed(&self) -> impl Iterator<Item = (&LaneInput, &LaneOutput)> {
        self.ports.iter().flat_map(|port| port.inputs.iter().zip(&port.outputs))
    }

    fn rate(&self, output: PortId) -> Rate {
        self.ports[output.index()].link.wire().rate()
    }

    /// A packet is ready to leave by `output`.
    fn queue(&mut self, id: PacketId, output: PortId, outlet: &mut impl Outlet<SwitchWake>) {
        let wire_busy = self.ports[output.index()].tail_leaves > outlet.now();
        let pool = outlet.packets();
        let packet = &mut pool[id];
        packet.output = output.0;
        let place = Place { input: PortId(packet.input), output, lane: packet.lrh.lane };
        let view = QueueView { wire_busy, ..self.ledger.add(place, packet.wire) };
        self.marker.queue_changed(place, view);
        self.buffering.store(place, id, pool);
        self.pending.insert(output);
    }

    fn tail_left(&mut self, place: Place, length: Bytes, outlet: &mut impl Outlet<SwitchWake>) {
        let rate = self.rate(place.output);
        self.readers.done(place.input, rate);
        self.ports[place.output.index()].sending = false;
        let input = &mut self.ports[place.input.index()];
        input.inputs[place.lane.index()].freed(length, outlet.now());
        input.link.freed(place.lane, length, outlet, SwitchWake::Credit);
        let (held, room) = input.link.occupancy(place.lane);
        self.marker.buffer_changed(place.input, place.lane, BufferView { held, room });
        self.pending.insert(place.output);
        self.pending.insert_all(&core::mem::take(&mut self.awaiting_reader));
    }

    /// Adds what `output` could send now to the requests, or notes what it lacks.
    fn ask(&mut self, output: PortId, outlet: &mut impl Outlet<SwitchWake>) {
        if self.ports[output.index()].sending {
            return;
        }
        let (mut ready, mut found) = (LaneSet::default(), None);
        for lane in self.buffering.lanes(output) {
            let contenders = self.readable(output, lane);
            let port = &mut self.ports[output.index()];
            if contenders.is_empty() {
                self.await_reader(output, lane, outlet);
            } else if has_credit(
                port,
                &self.buffering,
                self.longest_packet,
                (output, lane),
                contenders,
                outlet,
            ) {
                ready.insert(lane);
                found = Some(Request { output, lane, contenders });
            } else {
                self.marker.starved(output, lane);
                port.outputs[lane.index()].starved(outlet.now());
            }
        }
        let Some(last) = found else { return };
        let Some(lane) = self.ports[output.index()].lanes.pick(ready) else { return };
        let request = if lane == last.lane {
            last
        } else {
            Request { output, lane, contenders: self.readable(output, lane) }
        };
        self.requests.push(request);
    }

    /// None of the contenders can be read fast enough at present. If there is credit, what this output needs of
    /// one of them is kept for it: else slower outputs could keep that one busy for ever.
    fn await_reader(&mut self, output: PortId, lane: Lane, outlet: &mut impl Outlet<SwitchWake>) {
        let contenders = self.buffering.contenders(output, lane);
        let port = &self.ports[output.index()];
        if has_credit(port, &self.buffering, self.longest_packet, (output, lane), contenders, outlet) {
            self.readers.claim(output, self.rate(output), contenders);
        }
        self.awaiting_reader.insert(output);
    }

    /// Contenders for an output and lane whose buffers can be read at its rate now.
    fn readable(&self, output: PortId, lane: Lane) -> PortSet {
        self.readers.available(self.buffering.contenders(output, lane), output, self.rate(output))
    }

    /// Starts the packet that won.
    fn launch(&mut self, grant: Grant, outlet: &mut impl Outlet<SwitchWake>) {
        let Grant { input, output, lane } = grant;
        let place = Place { input, output, lane };
        let now = outlet.now();
        let pool = outlet.packets();
        let Taken { packet: id, exposed } = self.buffering.take(place, pool);
        if let Some(output) = exposed {
            self.pending.insert(output);
        }
        let packet = &mut pool[id];
        let length = packet.wire_bytes();
        let port = &mut self.ports[output.index()];
        let view = self.ledger.remove(place, packet.wire);
        self.marker.queue_changed(place, view);
        // From the buffer straight to the wire: both are asked at once, and the first that knows a reason gives it.
        let (at_input, at_output) = (self.marker.left_input(place), self.marker.departing(place, length));
        if let Some(reason) = at_input.or(at_output) {
            packet.bth.flags.insert(BthFlags::FECN);
            port.outputs[lane.index()].marks.count(reason);
        }
        let tail_left = SwitchWake::TailLeft { output, input, lane, length: packet.wire };
        let passage = port.link.start(lane, length, now);
        port.sending = true;
        port.tail_leaves = passage.left;
        port.lanes.sent(lane, length);
        port.outputs[lane.index()].sent(length, now);
        passage.deliver(output, id, outlet);
        outlet.wake(passage.left, tail_left);
    }
}

/// Whether the credit fits every contender's packet. Where it falls short of one, all wait: else short
/// packets would for ever eat the credit that a long one waits for.
fn has_credit(
    port: &SwitchPort,
    buffering: &AnyBuffering,
    longest: Bytes,
    (output, lane): (PortId, Lane),
    contenders: PortSet,
    outlet: &mut impl Outlet<SwitchWake>,
) -> bool {
    port.link.admits(lane, longest) || {
        let mut contenders = contenders;
        contenders.all(|input| {
            let head = buffering.head(Place { input, output, lane });
            port.link.admits(lane, outlet.packets()[head].wire_bytes())
        })
    }
}
