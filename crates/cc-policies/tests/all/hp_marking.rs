//! The HP marker against a naive marker that keeps every packet and examines each of them.
//!
//! Invariant: for all settings and orders of events, counts agree with lists of packets, in every organisation.

use std::collections::{BTreeMap, VecDeque};

use cc_policies::hp::HpMarker;
use cc_policies::hp::spec::{
    FullTrigger, HpMarkingSpec, ImmediatePackets, MarkTiming, MarkedSet, PropagatingPackets, RootTrigger,
};
use cc_policies::{BufferOwner, BufferView, Marker, MarkerSetup, QueueView};
use packet::{Lane, MarkCode, PortId, VoqId};
use proptest::prelude::*;
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate};

const RADIX: u16 = 3;
const LANES: u8 = 2;
const BLOCK: u64 = 64;
const CAPACITY: u64 = 33 * 4 * BLOCK;
const LONGEST: u64 = 2090;

/// A packet, with its history.
#[derive(Clone, Copy, Debug)]
struct Packet {
    place: VoqId,
    length: u64,
    /// The packet was in a full buffer.
    propagates: bool,
    /// The packet had to wait for its wire.
    waited: bool,
    /// The packet was in the switch at an event, for a congested output.
    present: bool,
    /// The mark from which the packet was exempted as it crossed.
    exempted: Option<MarkCode>,
}

/// State of an output and lane.
type Vl = (u16, u8);

fn vl(place: VoqId) -> Vl {
    (place.output.0, place.lane.0)
}

/// Way of a packet through the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Organisation {
    /// From its input's buffer straight to the wire.
    OneStage,
    /// From its input's buffer to a queue at its output, which is no buffer that could be full.
    TwoStages,
    /// From its input to the queue of its output, which is the buffer that can be full, in the order of arrival.
    OutputQueued,
}

/// A switch that keeps lists of packets.
#[derive(Debug)]
struct Naive {
    settings: HpMarkingSpec,
    organisation: Organisation,
    /// Packets at the inputs, in the order of arrival.
    waiting: Vec<Packet>,
    /// Packets in queues at the outputs.
    crossed: BTreeMap<Vl, VecDeque<Packet>>,
    /// Packets still streaming out of a buffer: its port, lane, bytes.
    streaming: Vec<(u16, u8, u64)>,
    /// Roots, each with the number of departures until its end.
    roots: BTreeMap<Vl, usize>,
    stalled: Vec<Vl>,
    busy: [bool; RADIX as usize],
}

impl Naive {
    /// Returns the lengths of the packets in the buffer of this port and lane.
    fn contents(&self, at: Vl) -> Vec<u64> {
        let streaming = self.streaming.iter().filter(|packet| (packet.0, packet.1) == at);
        let waiting: Vec<u64> = match self.organisation {
            Organisation::OutputQueued => {
                self.crossed.get(&at).into_iter().flatten().map(|packet| packet.length).collect()
            }
            Organisation::OneStage | Organisation::TwoStages => {
                let here = |packet: &&Packet| (packet.place.input.0, packet.place.lane.0) == at;
                self.waiting.iter().filter(here).map(|packet| packet.length).collect()
            }
        };
        waiting.into_iter().chain(streaming.map(|packet| packet.2)).collect()
    }

    /// Returns the bytes that the buffer of this port and lane holds: whole blocks of credit at an input.
    fn held(&self, at: Vl) -> u64 {
        let unit = if self.organisation == Organisation::OutputQueued { 1 } else { BLOCK };
        self.contents(at).into_iter().map(|length| length.next_multiple_of(unit)).sum()
    }

    fn is_full(&self, at: Vl) -> bool {
        match self.settings.trigger {
            FullTrigger::Full => CAPACITY - self.held(at) < LONGEST,
            FullTrigger::Above(threshold) => self.held(at) > threshold.get(),
            FullTrigger::Packets(least) => self.contents(at).len() >= usize::from(least),
        }
    }

    /// Returns every packet in the switch for this output and lane.
    fn present(&self, at: Vl) -> usize {
        let crossed = self.crossed.get(&at).map_or(0, VecDeque::len);
        self.waiting.iter().filter(|packet| vl(packet.place) == at).count() + crossed
    }

    /// Returns whether a packet in a full buffer is marked for it, by the state of its output.
    fn marks_in_full_buffer(&self, is_congested: bool) -> bool {
        let of = self.settings.propagation;
        of == PropagatingPackets::All || is_congested && of == PropagatingPackets::ToCongested
    }

    /// Returns whether an output with a packet in a full buffer is congested.
    fn is_congested(&self, at: Vl) -> bool {
        let credit = !self.stalled.contains(&at);
        match self.settings.set {
            MarkedSet::Naive | MarkedSet::Selective(RootTrigger::Input) => true,
            MarkedSet::Selective(RootTrigger::InputAndOutput) => credit,
            MarkedSet::Selective(RootTrigger::InputAndQueued { present }) => {
                credit && self.present(at) >= usize::from(present)
            }
        }
    }

    /// Handles this full buffer: marks its packets for any of `outputs` as propagating, and makes their outputs roots.
    fn trigger(&mut self, input: u16, lane: u8, outputs: core::ops::Range<u16>) {
        if self.settings.timing == MarkTiming::WhileFull {
            return; // No packet is chosen before it leaves.
        }
        for output in outputs {
            let place = VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) };
            if !self.waiting.iter().any(|packet| packet.place == place) {
                continue;
            }
            let is_congested = self.is_congested(vl(place));
            if self.marks_in_full_buffer(is_congested) {
                let here = |packet: &&mut Packet| packet.place == place;
                self.waiting.iter_mut().filter(here).for_each(|packet| packet.propagates = true);
            }
            if is_congested && self.settings.set != MarkedSet::Naive {
                self.congested(vl(place));
            }
        }
    }

    /// Handles the full queue of this output: marks its packets as propagating, and makes the output a root.
    fn trigger_output(&mut self, at: Vl) {
        if self.settings.timing == MarkTiming::WhileFull {
            return;
        }
        let is_congested = self.is_congested(at);
        if self.marks_in_full_buffer(is_congested) {
            self.crossed.entry(at).or_default().iter_mut().for_each(|packet| packet.propagates = true);
        }
        if is_congested && self.settings.set != MarkedSet::Naive {
            self.congested(at);
        }
    }

    /// Chooses the packets elsewhere that are marked for an output that is congested at an event.
    fn congested(&mut self, at: Vl) {
        if self.settings.timing == MarkTiming::NextDepartures {
            self.roots.insert(at, self.present(at));
            return;
        }
        let here = |packet: &&mut Packet| vl(packet.place) == at;
        self.waiting.iter_mut().filter(here).for_each(|packet| packet.present = true);
        self.crossed.entry(at).or_default().iter_mut().for_each(|packet| packet.present = true);
    }

    /// Returns whether a full buffer holds a packet for a congested output.
    fn is_fed_by_full_buffer(&self, at: Vl) -> bool {
        let feeds = |packet: &&Packet| vl(packet.place) == at && self.is_full((packet.place.input.0, at.1));
        self.organisation != Organisation::OutputQueued
            && self.settings.set != MarkedSet::Naive
            && self.is_congested(at)
            && self.waiting.iter().any(|packet| feeds(&packet))
    }

    /// Returns whether the first packet in the queue of this output propagates.
    fn propagates_from_output(&self, at: Vl) -> bool {
        let first = self.crossed.get(&at).and_then(VecDeque::front);
        self.organisation == Organisation::OutputQueued
            && match self.settings.timing {
                MarkTiming::NextDepartures | MarkTiming::PresentAtEvent => {
                    first.is_some_and(|packet| packet.propagates)
                }
                MarkTiming::WhileFull => self.is_full(at) && self.marks_in_full_buffer(self.is_congested(at)),
            }
    }

    fn stall(&mut self, at: Vl) {
        self.stalled.push(at);
        if !matches!(self.settings.set, MarkedSet::Naive | MarkedSet::Selective(RootTrigger::Input)) {
            self.roots.remove(&at);
        }
    }

    /// Returns whether a packet is exempted by its history.
    fn is_exempted(&self, packet: &Packet) -> bool {
        self.settings.immediate == ImmediatePackets::Spared
            && !packet.waited
            && !self.stalled.contains(&vl(packet.place))
    }

    /// Moves the first packet for this output from its input to the output's queue.
    fn move_to_output(&mut self, first: usize) {
        let mut packet = self.waiting.remove(first);
        let at = vl(packet.place);
        packet.waited |= self.crossed.get(&at).is_some_and(|queue| !queue.is_empty());
        self.crossed.entry(at).or_default().push_back(packet);
        if self.is_full(at) {
            self.trigger_output(at);
        }
    }

    /// Moves the first packet of this queue from its buffer to its output.
    fn cross(&mut self, place: VoqId) -> Option<MarkCode> {
        let first = self.waiting.iter().position(|packet| packet.place == place).expect("one waits");
        if self.settings.timing == MarkTiming::WhileFull {
            self.waiting[first].propagates = self.is_full((place.input.0, place.lane.0))
                && self.marks_in_full_buffer(self.is_congested(vl(place)));
        }
        let mut packet = self.waiting.remove(first);
        self.streaming.push((place.input.0, place.lane.0, packet.length));
        let ahead = self.crossed.get(&vl(place)).map_or(0, VecDeque::len);
        packet.waited |= ahead > 0;
        let present = core::mem::take(&mut packet.present).then_some(HpMarker::GENERATION.code);
        let mut mark = if packet.propagates { Some(HpMarker::PROPAGATION.code) } else { present };
        if self.is_exempted(&packet) {
            packet.exempted = mark.take();
        }
        self.crossed.entry(vl(place)).or_default().push_back(packet);
        mark
    }

    /// Sends the first packet that has crossed to this output and lane.
    fn depart(&mut self, at: Vl) -> (VoqId, Option<MarkCode>) {
        let is_fed = self.is_fed_by_full_buffer(at);
        let propagates = self.propagates_from_output(at);
        let packet = self.crossed.get_mut(&at).and_then(VecDeque::pop_front).expect("one has crossed");
        let generates = match self.settings.timing {
            MarkTiming::NextDepartures => self.roots.contains_key(&at),
            MarkTiming::PresentAtEvent => packet.present,
            MarkTiming::WhileFull => is_fed,
        };
        let generation = generates.then_some(HpMarker::GENERATION.code);
        let propagation = propagates.then_some(HpMarker::PROPAGATION.code);
        // A packet that was exempted as it crossed, and has waited since, is not exempted.
        let mark = packet.exempted.or(propagation).or(generation).filter(|_| !self.is_exempted(&packet));
        if self.organisation == Organisation::OutputQueued {
            self.streaming.push((at.0, at.1, packet.length));
        }
        if let Some(left) = self.roots.get_mut(&at) {
            *left -= 1;
        }
        self.roots.retain(|_, left| *left > 0);
        self.stalled.retain(|stalled| *stalled != at);
        self.busy[usize::from(at.0)] = true;
        let same_wire = |packet: &&mut Packet| packet.place.output.0 == at.0;
        self.waiting.iter_mut().filter(same_wire).for_each(|packet| packet.waited = true);
        self.crossed.values_mut().flatten().filter(same_wire).for_each(|packet| packet.waited = true);
        (packet.place, mark)
    }
}

/// Events at a switch.
#[derive(Clone, Copy, Debug)]
enum Op {
    Arrive {
        length: u64,
    },
    /// A packet crosses from its input to its output, and in a switch of a single stage on to the wire.
    Cross,
    Depart,
    /// The tail of the first packet that streams out of this buffer has left it.
    Free,
    WireFree,
    Stall,
}

fn any_ops() -> impl Strategy<Value = Vec<(VoqId, Op)>> {
    let place = (0..RADIX, 0..RADIX, 0..LANES).prop_map(|(input, output, lane)| VoqId {
        input: PortId(input),
        output: PortId(output),
        lane: Lane(lane),
    });
    let op = prop_oneof![
        5 => (30..=LONGEST).prop_map(|length| Op::Arrive { length }),
        3 => Just(Op::Cross),
        3 => Just(Op::Depart),
        4 => Just(Op::Free),
        3 => Just(Op::WireFree),
        1 => Just(Op::Stall),
    ];
    prop::collection::vec((place, op), 0..400)
}

fn any_organisation() -> impl Strategy<Value = Organisation> {
    use Organisation::{OneStage, OutputQueued, TwoStages};
    prop::sample::select(vec![OneStage, TwoStages, OutputQueued])
}

fn any_settings() -> impl Strategy<Value = HpMarkingSpec> {
    use MarkTiming::{NextDepartures, PresentAtEvent, WhileFull};
    use PropagatingPackets::{All, Off, ToCongested};
    let trigger = prop_oneof![
        Just(FullTrigger::Full),
        (0..CAPACITY).prop_map(|held| FullTrigger::Above(Bytes::new(held))),
        (1..6u16).prop_map(FullTrigger::Packets),
    ];
    let timing = prop::sample::select(vec![NextDepartures, PresentAtEvent, WhileFull]);
    let set = prop_oneof![
        Just(MarkedSet::Naive),
        Just(MarkedSet::Selective(RootTrigger::Input)),
        Just(MarkedSet::Selective(RootTrigger::InputAndOutput)),
        (1..8u16).prop_map(|present| MarkedSet::Selective(RootTrigger::InputAndQueued { present })),
    ];
    let propagation = prop::sample::select(vec![All, ToCongested, Off]);
    let immediate = prop::sample::select(vec![ImmediatePackets::Marked, ImmediatePackets::Spared]);
    (trigger, set, propagation, timing, immediate).prop_map(
        |(trigger, set, propagation, timing, immediate)| HpMarkingSpec {
            trigger,
            set,
            propagation,
            timing,
            immediate,
        },
    )
}

/// The marker and the naive marker, side by side.
struct Pair {
    marker: HpMarker,
    naive: Naive,
    /// Marks that both gave: for propagation, for generation.
    marks: [usize; 2],
}

impl Pair {
    fn new(settings: HpMarkingSpec, organisation: Organisation) -> Self {
        let buffers_of = match organisation {
            Organisation::OneStage | Organisation::TwoStages => BufferOwner::Inputs,
            Organisation::OutputQueued => BufferOwner::Outputs,
        };
        let setup = MarkerSetup {
            name: "S".to_owned(),
            radix: RADIX.into(),
            lanes: LANES.into(),
            buffers_of,
            capacity: Bytes::new(CAPACITY),
            longest_packet: Bytes::new(LONGEST),
            numbers: (1..=RADIX).collect(),
            faces_adapter: vec![false; RADIX.into()],
            rates: vec![Rate::gbps(8); RADIX.into()],
            stream: Pcg64Mcg::new(1),
        };
        let naive = Naive {
            settings,
            organisation,
            waiting: Vec::new(),
            crossed: BTreeMap::new(),
            streaming: Vec::new(),
            roots: BTreeMap::new(),
            stalled: Vec::new(),
            busy: [false; RADIX as usize],
        };
        let marker = HpMarker::new(&settings, &setup);
        let heeded = [BufferOwner::Inputs, BufferOwner::Outputs].map(|of| marker.heeds_buffers(of));
        assert_eq!(heeded, [buffers_of == BufferOwner::Inputs, buffers_of == BufferOwner::Outputs]);
        Self { marker, naive, marks: [0; 2] }
    }

    fn tell_of_buffer(&mut self, (port, lane): Vl, held: u64) {
        let view = BufferView { held: Bytes::new(held), room: Bytes::new(CAPACITY - held) };
        self.marker.buffer_changed(PortId(port), Lane(lane), view);
    }

    fn tell_of_queue(&mut self, place: VoqId) {
        let lengths = |of: &dyn Fn(VoqId) -> bool| -> u64 {
            self.naive.waiting.iter().filter(|packet| of(packet.place)).map(|packet| packet.length).sum()
        };
        let view = QueueView {
            voq: Bytes::new(lengths(&|other| other == place)),
            sum: Bytes::new(lengths(&|other| vl(other) == vl(place))),
            inputs: 0, // This marker does not look.
            wire_busy: self.naive.busy[place.output.index()],
        };
        self.marker.queue_changed(place, view);
    }

    fn arrive(&mut self, place: VoqId, length: u64) {
        let waited = self.naive.busy[place.output.index()];
        let packet = Packet { place, length, propagates: false, waited, present: false, exempted: None };
        if self.naive.organisation == Organisation::OutputQueued {
            self.naive.waiting.push(packet); // In no buffer that could be full.
            self.tell_of_queue(place);
            return;
        }
        let buffer = (place.input.0, place.lane.0);
        let after = self.naive.held(buffer) + length.next_multiple_of(BLOCK);
        if after > CAPACITY {
            return; // No credit.
        }
        self.tell_of_buffer(buffer, after);
        let was_full = self.naive.is_full(buffer);
        // While the packet enters, it is in the buffer, and in no queue.
        self.naive.streaming.push((buffer.0, buffer.1, length));
        let is_full = self.naive.is_full(buffer);
        if is_full && !was_full {
            self.naive.trigger(buffer.0, buffer.1, 0..RADIX);
        }
        self.naive.streaming.pop();
        self.naive.waiting.push(packet);
        if is_full {
            self.naive.trigger(buffer.0, buffer.1, place.output.0..place.output.0 + 1);
        }
        self.tell_of_queue(place);
    }

    /// Moves the first packet for this output and lane to the output's queue, if it has room.
    fn move_to_output(&mut self, at: Vl) -> Result<(), TestCaseError> {
        let first = self.naive.waiting.iter().position(|packet| vl(packet.place) == at);
        let Some(first) = first else { return Ok(()) };
        let Packet { place, length, .. } = self.naive.waiting[first];
        let after = self.naive.held(at) + length;
        if after <= CAPACITY {
            self.naive.move_to_output(first);
            self.tell_of_queue(place);
            self.tell_of_buffer(at, after);
            prop_assert_eq!(self.marker.left_input(place), None);
        }
        Ok(())
    }

    fn cross(&mut self, place: VoqId) -> Result<(), TestCaseError> {
        let organisation = self.naive.organisation;
        if organisation == Organisation::OutputQueued {
            return self.move_to_output(vl(place));
        }
        let waits = self.naive.waiting.iter().any(|packet| packet.place == place);
        let is_free = !self.naive.busy[place.output.index()];
        if waits && (organisation == Organisation::TwoStages || is_free) {
            let expected = self.naive.cross(place);
            self.tell_of_queue(place);
            prop_assert_eq!(self.marker.left_input(place), expected, "{:?}", self.naive);
            self.marks[0] += usize::from(expected.is_some());
            if organisation == Organisation::OneStage {
                self.depart(vl(place))?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, (place, op): (VoqId, Op)) -> Result<(), TestCaseError> {
        let (lane, output) = (place.lane.0, place.output.index());
        match op {
            Op::Arrive { length } => self.arrive(place, length),
            Op::Cross => self.cross(place)?,
            Op::Depart => {
                let crossed = self.naive.crossed.get(&vl(place)).is_some_and(|queue| !queue.is_empty());
                if crossed && !self.naive.busy[output] {
                    self.depart(vl(place))?;
                }
            }
            Op::Free => {
                let port = match self.naive.organisation {
                    Organisation::OneStage | Organisation::TwoStages => place.input.0,
                    Organisation::OutputQueued => place.output.0,
                };
                let streams = |packet: &(u16, u8, u64)| (packet.0, packet.1) == (port, lane);
                if let Some(first) = self.naive.streaming.iter().position(streams) {
                    self.naive.streaming.remove(first);
                    self.tell_of_buffer((port, lane), self.naive.held((port, lane)));
                }
            }
            Op::WireFree => self.naive.busy[output] = false,
            Op::Stall => {
                if self.naive.present(vl(place)) > 0 && !self.naive.busy[output] {
                    self.naive.stall(vl(place));
                    self.marker.stalled(place.output, place.lane);
                }
            }
        }
        Ok(())
    }

    fn depart(&mut self, at: Vl) -> Result<(), TestCaseError> {
        let (place, expected) = self.naive.depart(at);
        prop_assert_eq!(self.marker.departing(place, Bytes::new(64)), expected, "{:?}", self.naive);
        self.marks[1] += usize::from(expected.is_some());
        Ok(())
    }
}

proptest! {
    #[test]
    fn counts_say_what_lists_would(settings in any_settings(), organisation in any_organisation(), ops in any_ops()) {
        let mut pair = Pair::new(settings, organisation);
        for op in ops {
            pair.apply(op)?;
        }
    }

    /// Events at a lane, and at the outputs and inputs that a packet does not use, do not change the marks of the
    /// others.
    #[test]
    fn roots_of_different_lanes_do_not_touch(settings in any_settings(), organisation in any_organisation(), ops in any_ops()) {
        // Lanes share only the wire, which affects the exemption of immediate packets alone.
        let settings = HpMarkingSpec { immediate: ImmediatePackets::Marked, ..settings };
        let marks = |lanes: core::ops::Range<u8>| -> Result<Vec<Option<MarkCode>>, TestCaseError> {
            let mut pair = Pair::new(settings, organisation);
            let mut marks = Vec::new();
            for &(place, op) in ops.iter().filter(|(place, _)| lanes.contains(&place.lane.0)) {
                let before = pair.marks;
                pair.naive.busy = [false; RADIX as usize];
                pair.apply((place, op))?;
                if place.lane.0 == 0 {
                    let given = pair.marks[0] + pair.marks[1] - before[0] - before[1];
                    marks.push((given > 0).then_some(if pair.marks[0] > before[0] {
                        HpMarker::PROPAGATION.code
                    } else {
                        HpMarker::GENERATION.code
                    }));
                }
            }
            Ok(marks)
        };
        prop_assert_eq!(marks(0..1)?, marks(0..LANES)?);
    }

    /// Two inputs that never name the same output behave as two switches.
    #[test]
    fn roots_of_different_outputs_do_not_touch(settings in any_settings(), organisation in any_organisation(), ops in any_ops()) {
        let marks = |also: bool| -> Result<[usize; 2], TestCaseError> {
            let mut pair = Pair::new(settings, organisation);
            let mut marks = [0; 2];
            for &(place, op) in &ops {
                let own = place.input.0 == 0 && place.output.0 == 0;
                let other = place.input.0 > 0 && place.output.0 > 0;
                if own || (also && other) {
                    let before = pair.marks;
                    pair.apply((place, op))?;
                    if own {
                        marks = [0, 1].map(|at| marks[at] + pair.marks[at] - before[at]);
                    }
                }
            }
            Ok(marks)
        };
        prop_assert_eq!(marks(false)?, marks(true)?);
    }

    /// A packet waits for every output that a full buffer makes congested, so a threshold of 1 changes nothing.
    #[test]
    fn one_packet_present_is_no_condition(settings in any_settings(), organisation in any_organisation(), ops in any_ops()) {
        let marks = |output: RootTrigger| -> Result<[usize; 2], TestCaseError> {
            let mut pair = Pair::new(HpMarkingSpec { set: MarkedSet::Selective(output), ..settings }, organisation);
            for &op in &ops {
                pair.apply(op)?;
            }
            Ok(pair.marks)
        };
        prop_assert_eq!(marks(RootTrigger::InputAndOutput)?, marks(RootTrigger::InputAndQueued { present: 1 })?);
    }

    /// A root ends by lack of credit, or by as many departures as packets were present, whichever comes first.
    /// Packets that come later are not marked for it.
    #[test]
    fn a_root_ends_by_credit_or_by_departures(present in 1..4usize, departures in 0..6usize, input_only: bool) {
        let trigger = if input_only { RootTrigger::Input } else { RootTrigger::InputAndOutput };
        let set = MarkedSet::Selective(trigger);
        let marked = |stall: bool| -> Result<usize, TestCaseError> {
            let settings = HpMarkingSpec { set, timing: MarkTiming::NextDepartures, ..HpMarkingSpec::PROPOSAL };
            let mut pair = Pair::new(settings, Organisation::OneStage);
            let place = |input| VoqId { input: PortId(input), output: PortId(2), lane: Lane(0) };
            // Input 1 holds enough for the output, which input 0 then makes a root by a single packet in a full buffer.
            (0..present - 1).for_each(|_| pair.arrive(place(1), 500));
            let elsewhere = VoqId { output: PortId(1), ..place(0) };
            (0..3).for_each(|_| pair.arrive(elsewhere, LONGEST));
            pair.arrive(place(0), LONGEST);
            (0..departures).for_each(|_| pair.arrive(place(1), 500));
            let before = pair.marks[1];
            for number in 0..departures.min(present - 1 + departures) {
                if stall && number == 1 {
                    pair.apply((place(1), Op::WireFree))?;
                    pair.apply((place(1), Op::Stall))?;
                }
                pair.apply((place(1), Op::WireFree))?;
                pair.apply((place(1), Op::Cross))?;
            }
            Ok(pair.marks[1] - before)
        };
        prop_assert_eq!(marked(false)?, departures.min(present));
        let by_credit = if input_only { departures.min(present) } else { departures.min(1) };
        prop_assert_eq!(marked(true)?, by_credit);
    }
}
