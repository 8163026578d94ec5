//! The pipeline that all buffer organisations share: from a packet's arrival to its tail's departure.
//!
//! Invariant: a buffer is charged when a packet is routed and freed when its tail has left; an output
//! carries one packet at a time; nothing starts without credit. Decisions fall once an instant, after
//! everything that arrives in it has arrived.

use cc_policies::AnyMarker;
use cc_policies::policy::{Marker, QueueView};
use link_layer::{LaneSet, NodeContext, Port, ReceiveMemory, ReceiverId, Signal, VlArbiter};
use packet::{Lane, MarkCode, Packet, PacketId, PacketPool, PortId, VoqId};
use telemetry::{LaneInput, LaneOutput, Marks};
use topology::ForwardingTable;
use units::{Bytes, Rate, Time};

use crate::arbiter::{AnyArbiter, Arbiter, Grant, Request};
use crate::board::Board;
use crate::buffering::{AnyBuffering, Taken};
use crate::ledger::Ledger;
use crate::loss::Egress;
use crate::memory::Memory;
use crate::port::SwitchPort;
use crate::port_set::PortSet;
use crate::readers::Readers;
use crate::setup::{SwitchSetup, SwitchWake};
use crate::staging::Staging;

/// A switch whose sets of ports have so many words.
#[derive(Debug)]
#[repr(C)] // What every event touches goes first: a large fabric has more switches than a cache has room for.
pub(crate) struct Pipeline<const WORDS: usize> {
    /// Outputs to look at when this instant's arrivals are all in.
    pub(crate) pending: PortSet<WORDS>,
    /// Outputs for which something waited for credit when they last asked.
    lacking_credit: PortSet<WORDS>,
    /// Outputs whose contenders can all be read no faster at present.
    pub(crate) awaiting_reader: PortSet<WORDS>,
    pub(crate) ports: Box<[SwitchPort]>,
    /// What is observed of buffers, by input and lane.
    pub(crate) inputs: Box<[LaneInput]>,
    pub(crate) memory: Memory,
    /// Limit of the queues at the outputs, in a lossy switch that has one.
    pub(crate) egress: Option<Box<Egress>>,
    pub(crate) ledger: Ledger<WORDS>,
    /// Queues at the outputs, in a switch that has them.
    pub(crate) staging: Option<Box<Staging<WORDS>>>,
    /// Of each port's lanes; none where every port has one lane, whose turn it always is.
    lane_arbiters: Box<[VlArbiter]>,
    pub(crate) longest_packet: Bytes,
    /// Whether all links have one rate.
    alike: bool,
    /// Whether packets are read out of buffers at their inputs.
    reads_at_inputs: bool,
    pub(crate) marker: AnyMarker,
    pub(crate) buffering: AnyBuffering,
    pub(crate) readers: Readers<WORDS>,
    arbiter: AnyArbiter,
    pub(crate) forwarding: ForwardingTable,
    /// Packets marked, by output and lane.
    marks: Box<[Marks]>,
    /// What several outputs ask for in one instant, and what they are granted.
    pub(crate) requests: Vec<Request<WORDS>>,
    pub(crate) grants: Vec<Grant>,
}

impl<const WORDS: usize> Pipeline<WORDS> {
    /// A switch at rest.
    ///
    /// # Panics
    /// If it has more ports than a [`PortSet`] holds.
    pub(crate) fn new(setup: SwitchSetup) -> Self {
        let (ports, lanes) = (setup.ports.len(), setup.data_lanes);
        assert!(ports <= PortSet::<WORDS>::CAPACITY, "{ports} ports in sets of {WORDS} words");
        let limit = |port: &Port| {
            (u128::from(port.wire().rate().get()) * u128::from(setup.speedup_thousandths) / 1000) as u64
        };
        let fastest = setup.ports.iter().map(|port| port.wire().rate().get()).max().unwrap_or(0);
        let alike = setup.ports.iter().all(|port| port.wire().rate().get() == fastest);
        let limits: Vec<u64> = setup.ports.iter().map(limit).collect();
        let lanes_matter = lanes > 1 || !setup.lanes.iter().all(VlArbiter::is_plain);
        Self {
            staging: setup.output_queue.map(|size| Box::new(Staging::new(size, lanes, &limits))),
            readers: Readers::new(setup.buffering.reads_at_inputs(), limits, fastest),
            ports: setup.ports.into_iter().map(SwitchPort::new).collect(),
            lane_arbiters: if lanes_matter { setup.lanes.into() } else { Box::default() },
            inputs: vec![LaneInput::default(); ports * lanes].into(),
            marks: vec![Marks::default(); ports * lanes].into(),
            forwarding: setup.forwarding,
            longest_packet: setup.longest_packet,
            alike,
            egress: setup.egress_limit.map(|limit| Box::new(Egress::new(limit, ports * lanes))),
            memory: Memory::new(ReceiveMemory::new(setup.memory, lanes, setup.longest_packet)),
            reads_at_inputs: setup.buffering.reads_at_inputs(),
            buffering: setup.buffering,
            arbiter: setup.arbiter,
            ledger: Ledger::new(ports, lanes),
            marker: setup.marker,
            pending: PortSet::EMPTY,
            lacking_credit: PortSet::EMPTY,
            awaiting_reader: PortSet::EMPTY,
            requests: Vec::with_capacity(ports),
            grants: Vec::with_capacity(ports),
        }
    }

    /// Starts the clocks of all ports. Call once, at the start.
    pub(crate) fn bring_up(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        for port in &mut self.ports {
            port.link.bring_up(outlet);
        }
    }

    /// A packet has come in by `input`, and has been routed.
    pub(crate) fn arrive(&mut self, input: PortId, id: PacketId, outlet: &mut impl NodeContext<SwitchWake>) {
        let now = outlet.now();
        let packet = &mut outlet.packets()[id];
        packet.input = input.0 as u8;
        let (lane, length, tail) = (packet.lrh.lane, packet.wire_bytes(), packet.tail);
        let output = route(&self.forwarding, packet);
        if !self.admit(VoqId { input, output, lane }, length, outlet) {
            outlet.packets().remove(id);
            return;
        }
        self.input(input, lane).stored(length, now);
        if !self.alike && self.rate(output) > self.rate(input) {
            // The tail must not be overrun: start so late that it has come in when it is due.
            let wire_time = self.ports[output.index()].link.wire().time_for(length);
            let ready = Time::from_ps(tail.ps().saturating_sub(wire_time.ps()));
            if ready > now {
                outlet.set_timer(ready, SwitchWake::Ready(id, input));
                return;
            }
        }
        self.queue(id, output, outlet);
    }

    /// The far end of `output` says something.
    pub(crate) fn heard(
        &mut self,
        output: PortId,
        signal: Signal,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) {
        self.ports[output.index()].link.on_signal(signal, outlet);
        self.ask_again(output);
    }

    /// What kept an output from sending may be over. Only one that asked in vain has reason to ask again.
    fn ask_again(&mut self, output: PortId) {
        let in_vain = self.lacking_credit.contains(output) || self.awaiting_reader.contains(output);
        if in_vain || self.staging.is_some() {
            self.pending.insert(output);
        }
    }

    /// What the switch wanted to be woken for has come.
    pub(crate) fn woken(&mut self, wake: SwitchWake, outlet: &mut impl NodeContext<SwitchWake>) {
        match wake {
            SwitchWake::Ready(id, _) => {
                let output = route(&self.forwarding, &outlet.packets()[id]);
                self.queue(id, output, outlet);
            }
            SwitchWake::TailLeft { output, input, lane, length } => {
                self.tail_left(VoqId { input, output, lane }, Bytes::new(u64::from(length)), outlet);
            }
            SwitchWake::Crossed { output, input, lane, fast, length } => {
                self.crossed(VoqId { input, output, lane }, fast, Bytes::new(u64::from(length)), outlet);
            }
            SwitchWake::Credit(port, lane) => {
                if self.ports[port.index()].link.on_timer(lane, outlet) {
                    self.ask_again(port);
                }
            }
        }
    }

    /// Everything of this instant has arrived: lets go what can go. Where a packet that leaves exposes one that
    /// stood behind it, that one may still go in the same instant.
    pub(crate) fn decide(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        if self.staging.is_some() {
            return self.decide_in_two_stages(outlet);
        }
        while !self.pending.is_empty() {
            self.decide_once(outlet);
        }
    }

    fn decide_once(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        let (mut first, mut rivals) = (None, false);
        for output in core::mem::take(&mut self.pending) {
            let Some(request) = self.ask(output, outlet) else { continue };
            let Some(first) = first else {
                first = Some(request);
                continue;
            };
            if !rivals {
                self.requests.clear();
                self.requests.push(first);
                rivals = true;
            }
            self.requests.push(request);
        }
        let Some(first) = first else { return };
        if rivals {
            self.launch_matching(outlet);
        } else if let Some(grant) = self.grant_alone(first) {
            self.launch(grant, outlet);
        } else {
            self.requests.clear();
            self.requests.push(first);
            self.launch_matching(outlet);
        }
    }

    /// Lets go what the arbiter grants.
    #[inline(never)] // Most instants have one request at most.
    fn launch_matching(&mut self, outlet: &mut impl NodeContext<SwitchWake>) {
        self.match_requests(outlet.packets());
        for index in 0..self.grants.len() {
            self.launch(self.grants[index], outlet);
        }
    }

    /// What a request without rivals is granted, where taking turns decides that. It asks for inputs that can be
    /// read, so it never asks in vain.
    #[inline]
    fn grant_alone(&mut self, Request { output, lane, contenders }: Request<WORDS>) -> Option<Grant> {
        let AnyArbiter::RoundRobin(arbiter) = &mut self.arbiter else { return None };
        if !self.reads_at_inputs {
            return None;
        }
        let input = arbiter.turn(output, lane, contenders)?;
        self.readers.start(input, output, self.ports[output.index()].link.wire().rate());
        Some(Grant { input, output, lane })
    }

    /// Lets the arbiter grant what it will of the requests.
    pub(crate) fn match_requests(&mut self, packets: &PacketPool) {
        self.grants.clear();
        if self.requests.is_empty() {
            return;
        }
        let mut board = Board {
            requests: &self.requests,
            ports: &self.ports,
            buffering: &self.buffering,
            ledger: &self.ledger,
            packets,
            readers: &mut self.readers,
            grants: &mut self.grants,
        };
        if self.reads_at_inputs {
            self.arbiter.matching(&mut board);
        } else {
            board.grant_all();
        }
        if self.grants.len() < self.requests.len() {
            self.wait_for_readers();
        }
    }

    /// Outputs that asked in vain wait for an input that can be read.
    fn wait_for_readers(&mut self) {
        self.requests.iter().for_each(|request| self.awaiting_reader.insert(request.output));
        self.grants.iter().for_each(|grant| self.awaiting_reader.remove(grant.output));
    }

    pub(crate) fn observed(&self, port: PortId, lane: Lane) -> (&LaneInput, &LaneOutput) {
        (&self.inputs[self.memory.at(port, lane)], self.ledger.left(port, lane))
    }

    pub(crate) fn marks(&self, output: PortId, lane: Lane) -> &Marks {
        &self.marks[self.memory.at(output, lane)]
    }

    pub(crate) fn all_marks(&self) -> &[Marks] {
        &self.marks
    }

    pub(crate) fn at_rest(&self, now: Time) -> bool {
        self.ports.iter().all(|port| port.link.at_rest(now))
            && self.memory.is_released()
            && self.staging.as_ref().is_none_or(|staging| staging.is_empty())
    }

    #[inline]
    fn input(&mut self, input: PortId, lane: Lane) -> &mut LaneInput {
        &mut self.inputs[self.memory.at(input, lane)]
    }

    pub(crate) fn count_mark(&mut self, output: PortId, lane: Lane, reason: MarkCode) {
        self.marks[self.memory.at(output, lane)].count(reason);
    }

    pub(crate) fn rate(&self, output: PortId) -> Rate {
        self.ports[output.index()].link.wire().rate()
    }

    /// A packet is ready to leave by `output`.
    fn queue(&mut self, id: PacketId, output: PortId, outlet: &mut impl NodeContext<SwitchWake>) {
        let now = outlet.now();
        let wire_busy = self.ports[output.index()].is_sending(now);
        let pool = outlet.packets();
        let packet = &mut pool[id];
        packet.output = output.0 as u8;
        let place = VoqId { input: PortId(u16::from(packet.input)), output, lane: packet.lrh.lane };
        let view = QueueView { wire_busy, ..self.ledger.add(place, packet.wire) };
        self.marker.queue_changed(place, view);
        self.buffering.store(place, id, &mut self.ledger, pool);
        // While the wire is taken there is nothing to decide about, unless packets cross to a queue first.
        if !wire_busy || self.staging.is_some() {
            self.pending.insert(output);
        }
    }

    fn tail_left(&mut self, place: VoqId, length: Bytes, outlet: &mut impl NodeContext<SwitchWake>) {
        self.pending.insert(place.output);
        if let Some(staging) = &mut self.staging {
            staging.left(place.output, place.lane, length, outlet.now());
            return; // Its input's buffer was freed when it had crossed.
        }
        self.readers.done(place.input, self.rate(place.output));
        self.free_buffer(place, length, outlet);
        self.pending.insert_all(&core::mem::take(&mut self.awaiting_reader));
    }

    /// A packet has left its input's buffer for good.
    #[inline]
    pub(crate) fn free_buffer(
        &mut self,
        place: VoqId,
        length: Bytes,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) {
        self.input(place.input, place.lane).freed(length, outlet.now());
        let receiver = ReceiverId { port: place.input, lane: place.lane };
        self.memory.release(&mut self.ports, &mut self.marker, receiver, length, outlet);
    }

    /// What `output` could send now; or notes what it lacks.
    #[inline(always)]
    fn ask(&mut self, output: PortId, outlet: &mut impl NodeContext<SwitchWake>) -> Option<Request<WORDS>> {
        if self.ports[output.index()].is_sending(outlet.now()) {
            return None;
        }
        self.lacking_credit.remove(output);
        let (mut ready, mut found, mut waits) = (LaneSet::default(), None, false);
        for lane in self.ledger.lanes(output) {
            let contenders = self.readable(output, lane);
            let port = &self.ports[output.index()];
            if contenders.is_empty() {
                waits |= self.await_reader(output, lane, outlet);
            } else if all_fit(
                (&self.buffering, &self.ledger),
                self.longest_packet,
                (output, lane),
                contenders,
                outlet.packets(),
                |length| port.link.may_start(lane, length),
            ) {
                ready.insert(lane);
                found = Some(Request { output, lane, contenders });
            } else {
                self.lacking_credit.insert(output);
                self.marker.starved(output, lane);
                self.ledger.starved(output, lane, outlet.now());
            }
        }
        // What it claimed is of no use to it now: another's packet that came since is longer than its credit.
        if found.is_none() && !waits && self.readers.release(output) {
            self.pending.insert_all(&core::mem::take(&mut self.awaiting_reader));
        }
        let last = found?;
        let lane = self.pick_lane(output, ready)?;
        let is_last = lane == last.lane;
        Some(if is_last { last } else { Request { output, lane, contenders: self.readable(output, lane) } })
    }

    /// Of the lanes that have a packet ready for an output, the one that goes next.
    #[inline(always)]
    pub(crate) fn pick_lane(&mut self, output: PortId, mut ready: LaneSet) -> Option<Lane> {
        match self.lane_arbiters.get_mut(output.index()) {
            Some(arbiter) => arbiter.pick(ready),
            None => ready.next(),
        }
    }

    /// None of the contenders can be read fast enough at present. If there is credit, what this output needs of
    /// one of them is kept for it: else slower outputs could keep that one busy for ever. Returns whether there is.
    fn await_reader(
        &mut self,
        output: PortId,
        lane: Lane,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) -> bool {
        let contenders = self.ledger.contenders(output, lane);
        let link = &self.ports[output.index()].link;
        let admits = |length: Bytes| link.may_start(lane, length);
        let (longest, pool) = (self.longest_packet, outlet.packets());
        let fits =
            all_fit((&self.buffering, &self.ledger), longest, (output, lane), contenders, pool, admits);
        if fits {
            self.readers.claim(output, self.rate(output), contenders);
        }
        self.awaiting_reader.insert(output);
        fits
    }

    /// Contenders for an output and lane whose buffers can be read at its rate now.
    #[inline(always)]
    pub(crate) fn readable(&self, output: PortId, lane: Lane) -> PortSet<WORDS> {
        self.readers.available(self.ledger.contenders(output, lane), output, || self.rate(output))
    }

    /// Starts the packet that won, straight from its buffer to the wire: the marker is asked twice at once.
    fn launch(&mut self, grant: Grant, outlet: &mut impl NodeContext<SwitchWake>) {
        let Grant { input, output, lane } = grant;
        let place = VoqId { input, output, lane };
        let Taken { packet: id, exposed } = self.buffering.take(place, &mut self.ledger, outlet.packets());
        if let Some(output) = exposed {
            self.pending.insert(output);
        }
        let now = outlet.now();
        let packet = &mut outlet.packets()[id];
        let view = self.ledger.remove(place, packet.wire, now);
        self.marker.queue_changed(place, view);
        let at_input = self.marker.left_input(place);
        let at_output = self.marker.departing(place, packet.wire_bytes());
        self.start(place, id, at_input.or(at_output), outlet);
    }

    /// Starts a packet on its output's wire.
    #[inline(always)]
    pub(crate) fn start(
        &mut self,
        place: VoqId,
        id: PacketId,
        reason: Option<MarkCode>,
        outlet: &mut impl NodeContext<SwitchWake>,
    ) {
        let VoqId { input, output, lane } = place;
        let now = outlet.now();
        let packet = &mut outlet.packets()[id];
        let length = packet.wire_bytes();
        if let Some(reason) = reason {
            packet.mark(reason);
            self.count_mark(output, lane, reason);
        }
        let tail_left = SwitchWake::TailLeft { output, input, lane, length: packet.wire };
        let passage = self.ports[output.index()].start(lane, length, now);
        if let Some(arbiter) = self.lane_arbiters.get_mut(output.index()) {
            arbiter.sent(lane, length);
        }
        passage.deliver(output, id, outlet);
        outlet.set_timer(passage.left, tail_left);
    }
}

/// The output that the table has for a packet.
fn route(forwarding: &ForwardingTable, packet: &Packet) -> PortId {
    let output = forwarding.output(packet.lrh.destination, || packet.flow_key());
    output.expect("a run begins only if the tables lead to every host that is sent to")
}

/// Whether there is room ahead for every contender's packet. Where it falls short of one, all wait: else short
/// packets would for ever eat the room that a long one waits for.
pub(crate) fn all_fit<const WORDS: usize>(
    (buffering, ledger): (&AnyBuffering, &Ledger<WORDS>),
    longest: Bytes,
    (output, lane): (PortId, Lane),
    contenders: PortSet<WORDS>,
    pool: &PacketPool,
    admits: impl Fn(Bytes) -> bool,
) -> bool {
    admits(longest) || {
        let mut contenders = contenders;
        contenders
            .all(|input| admits(pool[buffering.head(VoqId { input, output, lane }, ledger)].wire_bytes()))
    }
}
