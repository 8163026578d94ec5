//! The way of a packet through a switch, which all buffer organisations share.
//!
//! Invariant: an output carries a single packet at a time, and no packet starts without credit. Decisions fall once an
//! instant, after all events of the instant are handled.
//!
//! ```text
//! arrive -> route -> admit -> [faster output: wait for the tail] -> store        (mod, admission, storage)
//! decide -> arbitrate -> take -> mark -> start on the wire                       (single_stage)
//! decide -> arbitrate -> take -> cross -> output's queue -> mark -> start        (crossing, output_stage)
//! decide -> take -> output's queue -> mark -> start                              (landing, output_stage)
//! tail left -> release the buffer -> credit back                                 (mod, admission)
//! ```
//!
//! | module | part of the pipeline |
//! |---|---|
//! | `admission` | input buffers: charge, release, drops |
//! | `egress` | limits of the queues at the outputs: drops |
//! | `storage` | packets that wait, and the contenders that they make |
//! | `agenda` | outputs that are due, and outputs that wait |
//! | `marking` | the marker, and the count of marks |
//! | `single_stage` | from the buffer straight to the wire |
//! | `crossing` | from the buffer over the crossbar to a queue at the output |
//! | `landing` | from the landing buffer to the output's queue, with no arbiter |
//! | `output_stage` | into a queue at the output, and from there to the wire |
//! | `prefetching` | prefetching for coming events |
//! | `view` | the state that instruments see |

mod admission;
mod agenda;
mod crossing;
mod egress;
mod landing;
mod marking;
mod output_stage;
mod prefetching;
mod single_stage;
mod storage;
mod view;

use std::sync::Arc;

use cc_policies::policy::{Marker, QueueView};
use link_layer::{NodeContext, Port, ReceiveMemory, Signal};
use packet::{Lane, Packet, PacketId, PacketPool, PortId, VoqId};
use topology::ForwardingTable;
use units::{Bytes, Time};

use self::admission::{Admission, AffectedParts, Charge};
use self::agenda::Agenda;
use self::egress::Egress;
use self::marking::Marking;
use self::storage::Storage;
pub use self::view::SwitchView;
use crate::arbitration::{AnyArbiter, Arbitration, ReadBandwidth, Request};
use crate::buffering::{Buffering, Contention};
use crate::detouring::{Detouring, OutputLoads};
use crate::ports::Ports;
use crate::selection::{Selection, SwitchLoads};
use crate::setup::{SwitchSetup, SwitchTimer};
use crate::tables::{PortSet, SlToVl};

/// The pipeline of a switch with organisation `B` and sets of ports of `WORDS` words.
#[derive(Debug)]
#[repr(C)] // In the order of use: a large fabric has more switches than a cache has room for.
pub(crate) struct Pipeline<B, const WORDS: usize> {
    agenda: Agenda<WORDS>,
    ports: Ports,
    admission: Admission,
    storage: Storage<B, WORDS>,
    marking: Marking,
    arbitration: Arbitration<WORDS>,
    forwarding: ForwardingTable,
    sl_to_vl: Option<Arc<SlToVl>>,
    selection: Option<Box<Selection>>,
    detours: Option<Box<Detouring>>,
}

state_codec::state!([B: state_codec::State, const WORDS: usize] Pipeline<B, WORDS> {
    agenda,
    ports: part,
    admission: part,
    storage: part,
    marking: part,
    arbitration: part,
    forwarding: plan,
    sl_to_vl: plan,
    selection: part,
    detours: part,
});

/// The part of the pipeline that depends on the number of stages: from the buffer at the input to the wire.
pub(crate) trait Stages<const WORDS: usize>: Buffering + Sized {
    /// True if a packet can leave its buffer although its output's wire is busy or lacks credit.
    const CROSSES: bool;

    /// Arbitrates, and starts every packet that can leave, once all events of this instant are handled.
    fn decide(pipeline: &mut Pipeline<Self, WORDS>, context: &mut impl NodeContext<SwitchTimer>);

    /// Handles the departure of a packet's tail from its output.
    fn on_tail_left(
        pipeline: &mut Pipeline<Self, WORDS>,
        charge: Charge,
        context: &mut impl NodeContext<SwitchTimer>,
    );

    /// Handles the end of a packet's crossing to a queue at its output, at the crossbar's speed if `fast`, else at its
    /// output's. In a switch without such queues no packet crosses.
    fn on_crossbar_done(
        _pipeline: &mut Pipeline<Self, WORDS>,
        _charge: Charge,
        _fast: bool,
        _outlet: &mut impl NodeContext<SwitchTimer>,
    ) {
    }
}

/// Returns the bandwidth of each port's buffers: the speed-up times the rate of its link, in bit/s.
pub(crate) fn bandwidth_limits(setup: &SwitchSetup) -> Vec<u64> {
    let limit = |port: &Port| {
        (u128::from(port.wire().rate().get()) * u128::from(setup.speedup_thousandths) / 1000) as u64
    };
    setup.ports.iter().map(limit).collect()
}

impl<B: Stages<WORDS>, const WORDS: usize> Pipeline<B, WORDS> {
    /// Creates the pipeline of a switch at rest. Its packets wait in `buffering`.
    ///
    /// # Panics
    /// If the switch has more ports than a [`PortSet`] holds.
    pub(crate) fn new(setup: SwitchSetup, buffering: B) -> Self {
        let (ports, lanes) = (setup.ports.len(), setup.data_lanes);
        assert!(ports <= PortSet::<WORDS>::CAPACITY, "{ports} ports in sets of {WORDS} words");
        let (reads_at_inputs, limits) = (setup.buffering.reads_at_inputs(), bandwidth_limits(&setup));
        let fastest = setup.ports.iter().map(|port| port.wire().rate().get()).max().unwrap_or(0);
        let links = Ports::new(setup.ports, setup.lanes, lanes);
        // Packets that cross to a queue are read at the crossbar's speed too.
        let only_rate = (!B::CROSSES && links.have_one_rate()).then_some(fastest);
        let bandwidth = ReadBandwidth::new(reads_at_inputs, &limits, fastest, only_rate);
        let (shape, longest) = ((ports, lanes, setup.forwarding.groups()), setup.longest_packet);
        let selection = setup.selection.filter(|_| shape.2 > 0);
        let selection = selection.map(|selection| Box::new(Selection::new(selection, shape, longest)));
        let memory = ReceiveMemory::new(setup.memory, lanes, setup.longest_packet);
        Self {
            agenda: Agenda::IDLE,
            ports: links,
            admission: Admission::new(
                memory,
                Egress::new(setup.egress_limit, setup.egress_pool, ports, lanes),
                ports,
                lanes,
            ),
            storage: Storage::new(buffering, ports, lanes, setup.longest_packet),
            marking: Marking::new(setup.marker, ports, lanes),
            arbitration: Arbitration::new(AnyArbiter::new(setup.arbiter, ports, lanes), bandwidth, ports),
            forwarding: setup.forwarding,
            sl_to_vl: setup.sl_to_vl,
            selection,
            detours: setup.detours.map(|detours| Box::new(Detouring::new(detours))),
        }
    }

    /// Starts the timers of all ports. Call once, at the start.
    pub(crate) fn bring_up(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        for port in self.ports.as_mut_slice() {
            port.link.bring_up(context);
        }
    }

    /// Handles the arrival of a packet by `input`.
    pub(crate) fn arrive(
        &mut self,
        input: PortId,
        id: PacketId,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        let now = context.now();
        let packet = &mut context.packets()[id];
        let (length, tail) = (packet.wire_bytes(), packet.tail);
        let output = self.choose_output(input, packet, now);
        let mut output =
            output.expect("a run begins only if the tables lead to every host that receives packets");
        packet.set_ports(input, output);
        if let Some(tables) = &self.sl_to_vl {
            packet.lrh.lane = tables.lane((input, output), packet.lrh.service_level());
        } else if let Some(detours) = &mut self.detours {
            let loads = PortLoads { contention: &self.storage.contention, ports: &self.ports };
            let is_led = detours.route(packet, input, &self.forwarding, &loads);
            debug_assert!(is_led, "tables lead to every switch with hosts");
            output = packet.voq().output;
        }
        let (voq, arrived_on) = (packet.voq(), packet.arrived_on());
        let charge = Charge { voq, arrived_on, length };
        let affected = AffectedParts { ports: &mut self.ports, marker: &mut self.marking.marker };
        if !self.admission.admit(charge, &self.storage.contention, affected, context) {
            context.packets().remove(id);
            return;
        }
        if self.ports.is_faster(output, input) {
            // The output must not overtake the tail: the packet is ready once its tail will be in when it is due.
            let wire_time = self.ports[output].link.wire().time_for(length);
            let ready = Time::from_ps(tail.ps().saturating_sub(wire_time.ps()));
            if ready > context.now() {
                context.set_timer(ready, SwitchTimer::Ready(id, input));
                return;
            }
        }
        self.store(voq, id, context);
    }

    /// Handles a flow-control signal from the far end of `output`.
    pub(crate) fn on_signal(
        &mut self,
        output: PortId,
        signal: Signal,
        context: &mut impl NodeContext<SwitchTimer>,
    ) {
        self.ports.link_mut(output).on_signal(signal, context);
        self.retry(output);
    }

    /// Handles a timer that this switch set.
    pub(crate) fn on_timer(&mut self, timer: SwitchTimer, context: &mut impl NodeContext<SwitchTimer>) {
        match timer {
            SwitchTimer::Ready(id, _) => {
                let voq = context.packets()[id].voq();
                self.store(voq, id, context);
            }
            SwitchTimer::TailLeft { output, input, lane, arrived_on, length } => {
                // Its wire is free again.
                self.agenda.due.insert(output);
                let (voq, length) = (VoqId { input, output, lane }, Bytes::new(length.into()));
                B::on_tail_left(self, Charge { voq, arrived_on, length }, context);
            }
            SwitchTimer::CrossbarDone { output, input, lane, arrived_on, fast, length } => {
                let (voq, length) = (VoqId { input, output, lane }, Bytes::new(length.into()));
                B::on_crossbar_done(self, Charge { voq, arrived_on, length }, fast, context);
            }
            SwitchTimer::FlowControl(port, lane) => {
                if self.ports.link_mut(port).on_timer(lane, context) {
                    self.retry(port);
                }
            }
        }
    }

    /// Arbitrates, and starts every packet that can leave, once all events of this instant are handled.
    #[inline]
    pub(crate) fn decide(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        B::decide(self, context);
    }

    /// Chooses the port by which a packet leaves that has come by `input`.
    #[inline]
    fn choose_output(&mut self, input: PortId, packet: &Packet, now: Time) -> Option<PortId> {
        let only = self.forwarding.only(packet.lrh.destination());
        only.or_else(|| self.choose_among(input, packet, now))
    }

    /// The same where several ports lead to the destination, or none.
    #[inline(never)] // Most tables have a single port for each destination.
    fn choose_among(&mut self, input: PortId, packet: &Packet, now: Time) -> Option<PortId> {
        let Self { forwarding, selection, ports, storage, sl_to_vl, .. } = self;
        forwarding.output_by(packet.lrh.destination(), |group| match selection {
            None => group.fixed(packet.flow_key()),
            Some(selection) => {
                let (sl_to_vl, contention) = (sl_to_vl.as_deref(), &storage.contention);
                let loads = SwitchLoads { ports, contention, sl_to_vl, input, packet, now };
                selection.output(group, packet, &loads)
            }
        })
    }

    /// Returns the ports by which a packet may leave, or might if it came here: all of a group if the selector chooses.
    pub(crate) fn outputs_of(
        &self,
        packet: &Packet,
        is_sprayed: bool,
    ) -> impl Iterator<Item = PortId> + Clone + '_ {
        let key = (!is_sprayed).then(|| packet.flow_key());
        self.forwarding.outputs_of(packet.lrh.destination(), key, self.selects(packet))
    }

    /// Returns true if the selector chooses the port of a packet, where several lead to its destination.
    pub(crate) fn selects(&self, packet: &Packet) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.selects(packet))
    }

    /// Returns the port by which a packet leaves, or would leave if it came here, if the hash of its flow chooses.
    #[inline]
    pub(crate) fn output_of(&self, packet: &Packet) -> Option<PortId> {
        self.forwarding.output(packet.lrh.destination(), || packet.flow_key())
    }

    /// Returns the lane of the next link for a packet that leaves by `output`, or would if it came here by `input`, by the
    /// tables of service levels to lanes.
    pub(crate) fn lane_of(&self, input: PortId, output: PortId, packet: &Packet) -> Option<Lane> {
        self.sl_to_vl.as_ref().map(|tables| tables.lane((input, output), packet.lrh.service_level()))
    }

    /// Lets a copy of a packet pass that comes by `input`: sets its course and its lane behind this switch. Returns its
    /// output; `None` if this switch has yet to decide about the packet's route.
    pub(crate) fn pass(&self, input: PortId, packet: &mut Packet) -> Option<PortId> {
        let Some(detours) = &self.detours else {
            let output = self.output_of(packet)?;
            packet.lrh.lane = self.lane_of(input, output, packet).unwrap_or(packet.lrh.lane);
            return Some(output);
        };
        if detours.decides(packet, input) {
            return None;
        }
        let output = detours.follow(packet, &self.forwarding)?;
        packet.lrh.lane = detours.lane((input, output), packet.lrh.lane);
        Some(output)
    }

    /// Makes `output` due if the obstacle to its sending may have gone: only an output that waits has a reason to ask
    /// again.
    fn retry(&mut self, output: PortId) {
        // Where packets cross, `agenda` does not record which outputs lack credit, so every signal has to ask.
        if B::CROSSES || self.agenda.waits(output) {
            self.agenda.due.insert(output);
        }
    }

    /// Stores a packet that is ready to leave.
    fn store(&mut self, voq: VoqId, id: PacketId, context: &mut impl NodeContext<SwitchTimer>) {
        let wire_busy = self.ports[voq.output].is_sending(context.now());
        let view = QueueView { wire_busy, ..self.storage.store(voq, id, context.packets()) };
        self.marking.marker.queue_changed(voq, view);
        // While the wire is busy there is nothing to decide, unless packets cross to a queue first.
        if B::CROSSES || !wire_busy {
            self.agenda.due.insert(voq.output);
        }
    }

    /// Releases the buffer of a packet that has left it for good, and lets outputs read its input.
    #[inline(always)]
    fn leave_buffer(&mut self, charge: Charge, context: &mut impl NodeContext<SwitchTimer>) {
        let affected = AffectedParts { ports: &mut self.ports, marker: &mut self.marking.marker };
        self.admission.release(charge, affected, context);
        self.agenda.retry_reads();
    }

    /// Starts a packet on its output's wire.
    #[inline(always)]
    fn start_on_wire(&mut self, voq: VoqId, id: PacketId, context: &mut impl NodeContext<SwitchTimer>) {
        let VoqId { input, output, lane } = voq;
        let packet = &context.packets()[id];
        let (length, arrived_on) = (packet.wire, packet.arrived_on());
        let tail_leaves = self.ports.start(output, id, context);
        context.set_timer(tail_leaves, SwitchTimer::TailLeft { output, input, lane, arrived_on, length });
    }

    /// Returns the request of an output and lane for its contenders that can be read now at the output's rate.
    #[inline(always)]
    fn request(&self, output: PortId, lane: Lane) -> Request<WORDS> {
        let contenders = self.storage.contenders(output, lane);
        let rate = || self.ports.rate(output);
        let contenders = self.arbitration.bandwidth.available(contenders, output, rate);
        Request { output, lane, contenders }
    }

    /// Lets the arbiter decide about the requests.
    #[inline(always)]
    fn arbitrate(&mut self, packets: &PacketPool) {
        let Self { arbitration, agenda, ports, storage, .. } = self;
        if !arbitration.run(ports, &storage.buffering, packets) {
            agenda.await_reads(&arbitration.requests, &arbitration.grants);
        }
    }

    /// Cancels the reservation of `output`, which can use no input now. Other outputs may then read that input.
    #[inline]
    fn cancel_reservation(&mut self, output: PortId) {
        if self.arbitration.bandwidth.cancel_reservation(output) {
            self.agenda.retry_reads();
        }
    }

    /// Lets `output` wait for a contender, while none can be read fast enough. Bandwidth is reserved for it: else
    /// slower outputs could keep the input busy for ever.
    fn await_read(&mut self, output: PortId, contenders: PortSet<WORDS>) {
        self.arbitration.bandwidth.reserve(output, self.ports.rate(output), contenders);
        self.agenda.awaiting_read.insert(output);
    }
}

/// The loads of outputs, as detours compare them.
struct PortLoads<'a, const WORDS: usize> {
    contention: &'a Contention<WORDS>,
    ports: &'a Ports,
}

impl<const WORDS: usize> OutputLoads for PortLoads<'_, WORDS> {
    fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        self.contention.waiting(output, lane)
    }

    fn far_use(&self, output: PortId, lane: Lane) -> Bytes {
        self.ports[output].link.far_use(lane)
    }
}
