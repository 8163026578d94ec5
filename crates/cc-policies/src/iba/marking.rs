//! Marking at a switch by InfiniBand's threshold.
//!
//! Invariant: a packet is marked only if it is eligible. Its port and lane (IBA: Port VL) must be in the congestion
//! state when it starts to leave.
//!
//! ```text
//! congestion state = over threshold AND (has credits OR its bit in Victim_Mask)
//! eligible         = congestion state AND length >= 64 * Packet_Size
//! marked           = eligible AND as many eligible packets have passed as Marking_Rate asked for
//! ```

use core::mem;

use packet::{Lane, MarkCode, PortId, VoqId};
use prefetch::prefetch;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use units::Bytes;

use super::spec::{ComparedLoad, IbaMarkingSpec, PortMarking, VictimMask};
use crate::policy::{Margin, MarginLevel, MarkReason, Marker, MarkerSetup, QueueView};

/// Unit of `Packet_Size`, in bytes: a credit (`OpenSM`, `ib_types.h`), which is 64 bytes (Omni-Path fabric manager).
const PACKET_SIZE_UNIT: u32 = 64;

/// Number of parts of the buffer that weights of `Threshold` count.
const THRESHOLD_PARTS: u64 = 16;

/// The marker of a switch.
#[derive(Clone, Debug)]
pub struct IbaMarker {
    lanes: usize,
    /// Number of queues over their threshold, and of outputs and lanes that have stalled: while both are 0, no
    /// departure is looked up in `port_vls`.
    queues_over: u32,
    stalled: u32,
    /// By output and lane: the state that every packet needs.
    port_vls: Box<[PortVl]>,
    rare: Box<QueueTracking>,
}

state_codec::state!(IbaMarker { lanes: plan, queues_over, stalled, port_vls: part, rare: part });

/// State that only long queues need.
#[derive(Clone, Debug)]
struct QueueTracking {
    hysteresis: Bytes,
    compare: ComparedLoad,
    stream: Pcg64Mcg,
    /// Limits by output and lane.
    limits: Vec<VlLimit>,
    /// Position of each queue relative to its threshold, by output, lane and `queues`.
    levels: Vec<MarginLevel>,
    /// Number of compared queues of an output and lane: the number of inputs, or 1 for their sum.
    queues: usize,
}

state_codec::state!(QueueTracking {
    hysteresis: plan,
    compare: plan,
    stream,
    limits: part,
    levels: part,
    queues: plan
});

/// State of an output and lane that every packet needs: four to a cache line.
#[derive(Clone, Copy, Debug)]
struct PortVl {
    /// Load up to which there is nothing to count while no queue is up. No queue comes near its threshold, and the
    /// compared load has been nearer before.
    quiet: u32,
    /// `Packet_Size` in bytes.
    smallest: u32,
    /// Number of queues over the threshold.
    queues_over: u16,
    /// Number of queues at any position but below.
    queues_up: u16,
    /// Whether a packet has waited for credit, with the wire free, since the last departure.
    stalled: bool,
    /// The port's bit in `Victim_Mask`.
    victim_mask: bool,
}

state_codec::state!(PortVl { quiet, smallest: plan, queues_over, queues_up, stalled, victim_mask: plan });

const _: () = assert!(size_of::<PortVl>() == 16, "four to a cache line");

/// The limit of an output and lane.
#[derive(Clone, Copy, Debug)]
struct VlLimit {
    /// Threshold in bytes; `None` for `Threshold` 0.
    threshold: Option<Bytes>,
    marking_rate: u32,
    /// Eligible packets that pass before the next mark.
    to_pass: u32,
    margin: Margin,
}

state_codec::state!(VlLimit { threshold: plan, marking_rate: plan, to_pass, margin });

impl IbaMarkingSpec {
    /// Returns the threshold in bytes: `capacity * (16 - Threshold) / 16`, rounded down, for a buffer of `capacity`.
    /// Returns `None` for `Threshold` 0, which marks nothing.
    ///
    /// IBA requires that weights 1 to 15 stand for uniformly decreasing thresholds, and leaves the values to the
    /// switch. These are the even steps that lie strictly between a full and an empty buffer.
    #[must_use]
    pub const fn threshold_in(&self, capacity: Bytes) -> Option<Bytes> {
        threshold_in(self.threshold, capacity)
    }
}

const fn threshold_in(weight: u8, capacity: Bytes) -> Option<Bytes> {
    if weight == 0 {
        None
    } else {
        Some(Bytes::new(capacity.get() * (THRESHOLD_PARTS - weight as u64) / THRESHOLD_PARTS))
    }
}

impl IbaMarker {
    /// The output was over its threshold and had credits: a root of congestion (IBA A10).
    pub const ROOT: MarkReason = MarkReason::new(0, "root");
    /// The output was over its threshold without credits, and its bit in `Victim_Mask` is set.
    pub const VICTIM_MASK: MarkReason = MarkReason::new(1, "victim_mask");
    /// Every reason of this rule.
    pub const REASONS: &[MarkReason] = &[Self::ROOT, Self::VICTIM_MASK];

    /// Returns the marker of the switch described. A port that the settings single out has its own settings.
    ///
    /// # Panics
    /// If `faces_adapter` or `numbers` does not have an entry for each output.
    #[must_use]
    pub fn new(settings: &IbaMarkingSpec, switch: &MarkerSetup) -> Self {
        assert_eq!(switch.faces_adapter.len(), switch.radix, "one entry for each output");
        assert_eq!(switch.numbers.len(), switch.radix, "a number for each output");
        let outputs = switch.numbers.iter().zip(&switch.faces_adapter);
        let (port_vls, limits): (Vec<_>, Vec<_>) = outputs
            .map(|(port, faces_adapter)| port_vl(settings, switch, *port, *faces_adapter))
            .flat_map(|vl| core::iter::repeat_n(vl, switch.lanes))
            .unzip();
        let queues = if settings.compare == ComparedLoad::EachVoq { switch.radix } else { 1 };
        Self {
            lanes: switch.lanes,
            queues_over: 0,
            stalled: 0,
            rare: Box::new(QueueTracking {
                hysteresis: settings.hysteresis,
                compare: settings.compare,
                stream: switch.stream.clone(),
                levels: vec![MarginLevel::Below; port_vls.len() * queues],
                queues,
                limits,
            }),
            port_vls: port_vls.into(),
        }
    }

    fn port_vl(&self, output: PortId, lane: Lane) -> usize {
        debug_assert!(lane.index() < self.lanes, "{lane} of {} lanes", self.lanes);
        output.index() * self.lanes + lane.index()
    }

    /// Updates the position of a queue, and the margin of its output and lane.
    #[inline(never)]
    fn compare_queue(&mut self, at: usize, voq: VoqId, view: QueueView) {
        let rare = &mut *self.rare;
        let Some(threshold) = rare.limits[at].threshold else { return };
        let (load, enter, leave) = rare.levels(threshold, view);
        let input = if rare.compare == ComparedLoad::EachVoq { voq.input.index() } else { 0 };
        let queue = at * rare.queues + input;
        let was = rare.levels[queue];
        let was_over = was == MarginLevel::Over;
        let is_over = load > if was_over { leave } else { enter };
        let (vl, margin) = (&mut self.port_vls[at], &mut rare.limits[at].margin);
        let level = margin.step(was, load.get(), enter.get(), is_over);
        rare.levels[queue] = level;
        vl.queues_over = vl.queues_over + u16::from(is_over) - u16::from(was_over);
        self.queues_over = self.queues_over + u32::from(is_over) - u32::from(was_over);
        vl.queues_up =
            vl.queues_up + u16::from(level != MarginLevel::Below) - u16::from(was != MarginLevel::Below);
        // The limit does not depend on the number of inputs here: no queue is longer than the sum, and the mean is no
        // larger.
        if rare.compare != ComparedLoad::SumAgainstShare {
            vl.quiet = margin.load.min(threshold.get() / 10 * 9).try_into().unwrap_or(u32::MAX);
        }
    }
}

impl QueueTracking {
    /// Returns the compared load, the level above which it enters the congestion state, and the level down to which
    /// it leaves that state. All three are whole bytes and the comparisons strict, so rounding a division down
    /// decides nothing wrongly.
    fn levels(&self, threshold: Bytes, view: QueueView) -> (Bytes, Bytes, Bytes) {
        let leave = threshold.saturating_sub(self.hysteresis);
        let inputs = u64::from(view.inputs);
        match self.compare {
            ComparedLoad::EachVoq => (view.voq, threshold, leave),
            ComparedLoad::Sum => (view.sum, threshold, leave),
            // The mean against the threshold, both times the number of inputs.
            ComparedLoad::SumOverInputs => (view.sum, threshold * inputs, leave * inputs),
            ComparedLoad::SumAgainstShare => {
                let share = Bytes::new(threshold.get() / inputs.max(1));
                (view.sum, share, share.saturating_sub(self.hysteresis))
            }
        }
    }
}

/// Returns the state and limit of the output with this number.
fn port_vl(
    settings: &IbaMarkingSpec,
    switch: &MarkerSetup,
    port: u16,
    faces_adapter: bool,
) -> (PortVl, VlLimit) {
    let common = PortMarking {
        switch: switch.name.clone(),
        port,
        threshold: settings.threshold,
        packet_size: settings.packet_size,
        marking_rate: settings.marking_rate,
        victim_mask: match settings.victim_mask {
            VictimMask::None => false,
            VictimMask::AdapterPorts => faces_adapter,
            VictimMask::All => true,
        },
    };
    let own = settings.ports.iter().rev().find(|own| own.switch == switch.name && own.port == port);
    let port = own.unwrap_or(&common);
    let threshold = threshold_in(port.threshold, switch.capacity);
    let vl = PortVl {
        quiet: if threshold.is_some() { 0 } else { u32::MAX },
        smallest: PACKET_SIZE_UNIT * u32::from(port.packet_size),
        queues_over: 0,
        queues_up: 0,
        stalled: false,
        victim_mask: port.victim_mask,
    };
    let marking_rate = u32::from(port.marking_rate);
    (vl, VlLimit { threshold, marking_rate, to_pass: 0, margin: Margin::default() })
}

impl Marker for IbaMarker {
    #[inline]
    fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
        let at = self.port_vl(voq.output, voq.lane);
        let vl = &self.port_vls[at];
        if vl.queues_up > 0 || view.sum.get() > u64::from(vl.quiet) {
            self.compare_queue(at, voq, view);
        }
    }

    fn stalled(&mut self, output: PortId, lane: Lane) {
        let at = self.port_vl(output, lane);
        let had_stalled = mem::replace(&mut self.port_vls[at].stalled, true);
        self.stalled += u32::from(!had_stalled);
    }

    #[inline]
    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkCode> {
        if self.queues_over == 0 && self.stalled == 0 {
            return None;
        }
        let at = self.port_vl(voq.output, voq.lane);
        let vl = &mut self.port_vls[at];
        let stalled = mem::take(&mut vl.stalled);
        self.stalled -= u32::from(stalled);
        if vl.queues_over == 0 || length.get() < u64::from(vl.smallest) || (stalled && !vl.victim_mask) {
            return None;
        }
        self.mark_eligible(at, stalled)
    }

    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        let limit = &self.rare.limits[self.port_vl(output, lane)];
        let margin = limit.threshold.map(|threshold| match limit.margin {
            Margin { load: 0, .. } => Margin { limit: threshold.get(), ..limit.margin },
            margin => margin,
        });
        [margin, None]
    }

    #[inline]
    fn prefetch(&self, output: PortId, lane: Lane) {
        prefetch(&self.port_vls[self.port_vl(output, lane)]);
    }
}

impl IbaMarker {
    /// Decides whether an eligible packet is marked, and for which reason.
    #[inline(never)]
    fn mark_eligible(&mut self, at: usize, stalled: bool) -> Option<MarkCode> {
        let limit = &mut self.rare.limits[at];
        if limit.to_pass > 0 {
            limit.to_pass -= 1;
            return None;
        }
        // A fixed count can fall into step with inputs that take turns, and mark the same input each time.
        if limit.marking_rate > 0 {
            limit.to_pass = self.rare.stream.random_range(0..=2 * limit.marking_rate);
        }
        Some(if stalled { Self::VICTIM_MASK.code } else { Self::ROOT.code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::BufferOwner;
    use proptest::prelude::*;
    use units::Rate;

    const CAPACITY: Bytes = Bytes::kib(16);
    const PACKET: Bytes = Bytes::new(2074);

    fn settings(threshold: u8, compare: ComparedLoad) -> IbaMarkingSpec {
        IbaMarkingSpec {
            threshold,
            packet_size: 0,
            marking_rate: 0,
            victim_mask: VictimMask::None,
            compare,
            hysteresis: Bytes::ZERO,
            ports: Vec::new(),
        }
    }

    /// Four ports of two lanes; port 0 faces an adapter.
    fn marker(settings: &IbaMarkingSpec) -> IbaMarker {
        let faces_adapter = vec![true, false, false, false];
        let stream = Pcg64Mcg::new(7);
        IbaMarker::new(
            settings,
            &MarkerSetup {
                name: "S".to_owned(),
                radix: 4,
                lanes: 2,
                buffers_of: BufferOwner::Inputs,
                capacity: CAPACITY,
                longest_packet: Bytes::new(2090),
                numbers: vec![1, 2, 3, 4],
                faces_adapter,
                rates: vec![Rate::gbps(8); 4],
                stream,
            },
        )
    }

    fn from_input(input: u16) -> VoqId {
        VoqId { input: PortId(input), output: PortId(0), lane: Lane(1) }
    }

    fn view(voq: u64, sum: u64, inputs: u32) -> QueueView {
        QueueView { voq: Bytes::new(voq), sum: Bytes::new(sum), inputs, wire_busy: false }
    }

    fn leaves(marker: &mut IbaMarker) -> Option<MarkCode> {
        marker.departing(from_input(0), PACKET)
    }

    /// Compares a queue of `voq` bytes, in a sum of `sum` over `inputs` inputs, with a threshold of 8 KiB (weight 8).
    fn is_over(compare: ComparedLoad, voq: u64, sum: u64, inputs: u32) -> bool {
        let mut marker = marker(&settings(8, compare));
        marker.queue_changed(from_input(2), view(voq, sum, inputs));
        leaves(&mut marker).is_some()
    }

    #[test]
    fn a_port_that_is_singled_out_has_its_own_settings() {
        let own = |switch: &str, threshold| PortMarking {
            switch: switch.to_owned(),
            port: 1,
            threshold,
            packet_size: 0,
            marking_rate: 0,
            victim_mask: true,
        };
        let marks = |ports| {
            let mut marker = marker(&IbaMarkingSpec { ports, ..settings(0, ComparedLoad::Sum) });
            marker.queue_changed(from_input(1), view(CAPACITY.get(), CAPACITY.get(), 1));
            marker.stalled(PortId(0), Lane(1));
            marker.departing(from_input(1), PACKET)
        };
        assert_eq!(marks(vec![]), None, "threshold 0 marks nothing");
        assert_eq!(marks(vec![own("other", 15)]), None);
        assert_eq!(marks(vec![own("S", 15)]), Some(IbaMarker::VICTIM_MASK.code));
        assert_eq!(marks(vec![own("S", 15), own("S", 0)]), None, "the last that names a port stands");
    }

    #[test]
    fn fifteen_even_steps_between_full_and_empty() {
        let at = |weight| settings(weight, ComparedLoad::Sum).threshold_in(CAPACITY).map(Bytes::get);
        assert_eq!((at(0), at(1), at(8), at(15)), (None, Some(15 * 1024), Some(8 * 1024), Some(1024)));
        let steps: Vec<_> = (1..15).map(|w| at(w).unwrap() - at(w + 1).unwrap()).collect();
        assert_eq!(steps, [1024; 14]);
    }

    #[test]
    fn four_ways_to_compare() {
        assert!(is_over(ComparedLoad::EachVoq, 8193, 8193, 1));
        assert!(!is_over(ComparedLoad::EachVoq, 8192, 20_000, 3));
        assert!(is_over(ComparedLoad::Sum, 1, 8193, 3));
        assert!(!is_over(ComparedLoad::Sum, 8192, 8192, 1));
        assert!(is_over(ComparedLoad::SumOverInputs, 1, 3 * 8192 + 1, 3));
        assert!(!is_over(ComparedLoad::SumOverInputs, 20_000, 3 * 8192, 3));
        assert!(is_over(ComparedLoad::SumAgainstShare, 1, 2731, 3)); // 8192 / 3 = 2730.67
        assert!(!is_over(ComparedLoad::SumAgainstShare, 1, 2730, 3));
    }

    #[test]
    fn a_victim_marks_only_behind_its_mask() {
        let marks = |victim_mask, output: u16| {
            let mut marker = marker(&IbaMarkingSpec { victim_mask, ..settings(15, ComparedLoad::Sum) });
            let voq = VoqId { output: PortId(output), ..from_input(1) };
            marker.queue_changed(voq, view(9000, 9000, 1));
            marker.stalled(voq.output, voq.lane);
            // The second packet follows without having waited.
            [(); 2].map(|()| marker.departing(voq, PACKET))
        };
        let (root, victim) = (Some(IbaMarker::ROOT.code), Some(IbaMarker::VICTIM_MASK.code));
        assert_eq!(marks(VictimMask::None, 0), [None, root]);
        assert_eq!(marks(VictimMask::AdapterPorts, 0), [victim, root]);
        assert_eq!(marks(VictimMask::AdapterPorts, 3), [None, root]);
        assert_eq!(marks(VictimMask::All, 3), [victim, root]);
    }

    #[test]
    fn each_queue_has_a_hysteresis_of_its_own() {
        let hysteresis = Bytes::new(2048);
        let mut marker = marker(&IbaMarkingSpec { hysteresis, ..settings(8, ComparedLoad::EachVoq) });
        let mut after = |input, voq| {
            marker.queue_changed(from_input(input), view(voq, voq, 1));
            leaves(&mut marker).is_some()
        };
        assert!(!after(1, 8192));
        assert!(after(1, 8193));
        assert!(after(2, 9000));
        assert!(after(1, 6145), "8192 - 2048 is not yet reached");
        assert!(after(1, 6144), "the other queue is still over");
        assert!(!after(2, 6144));
        assert!(!after(2, 8192), "it has to pass the threshold again");
    }

    #[test]
    fn the_hysteresis_of_a_mean_is_one_for_each_input() {
        let hysteresis = Bytes::new(2048);
        for (compare, enter, leave) in [
            (ComparedLoad::SumOverInputs, 3 * 8192, 3 * 6144),
            (ComparedLoad::SumAgainstShare, 2730, 2730 - 2048),
        ] {
            let mut marker = marker(&IbaMarkingSpec { hysteresis, ..settings(8, compare) });
            let mut after = |sum| {
                marker.queue_changed(from_input(1), view(1, sum, 3));
                leaves(&mut marker).is_some()
            };
            let marks = [enter, enter + 1, leave + 1, leave, enter].map(&mut after);
            assert_eq!(marks, [false, true, true, false, false], "{compare:?}");
        }
    }

    #[test]
    fn one_lane_of_one_output_is_not_another() {
        let mut marker = marker(&settings(15, ComparedLoad::EachVoq));
        marker.queue_changed(from_input(3), view(9000, 9000, 1));
        let mut marks = |output, lane| {
            let voq = VoqId { input: PortId(3), output: PortId(output), lane: Lane(lane) };
            marker.departing(voq, PACKET).is_some()
        };
        let all: Vec<_> = (0..4).flat_map(|output| [(output, 0), (output, 1)]).collect();
        let marked: Vec<_> = all.into_iter().filter(|&(output, lane)| marks(output, lane)).collect();
        assert_eq!(marked, [(0, 1)]);
    }

    #[test]
    fn an_empty_queue_is_never_over() {
        for compare in [
            ComparedLoad::EachVoq,
            ComparedLoad::Sum,
            ComparedLoad::SumOverInputs,
            ComparedLoad::SumAgainstShare,
        ] {
            let mut marker = marker(&IbaMarkingSpec { hysteresis: Bytes::kib(64), ..settings(15, compare) });
            marker.queue_changed(from_input(1), view(9000, 9000, 1));
            marker.queue_changed(from_input(1), view(1, 1, 1));
            assert!(leaves(&mut marker).is_some(), "{compare:?}: far below, not far enough");
            marker.queue_changed(from_input(1), view(0, 0, 0));
            assert!(leaves(&mut marker).is_none(), "{compare:?}");
        }
    }

    #[test]
    fn the_first_is_marked_and_the_rest_by_the_mean() {
        const MARKS: u32 = 10_000;
        for rate in [1u16, 10, 2048] {
            let mut marker =
                marker(&IbaMarkingSpec { marking_rate: rate, ..settings(15, ComparedLoad::Sum) });
            marker.queue_changed(from_input(1), view(9000, 9000, 1));
            assert!(leaves(&mut marker).is_some());
            let mut passed = 0u64;
            for _ in 0..MARKS {
                while leaves(&mut marker).is_none() {
                    passed += 1;
                }
            }
            // Hoeffding: the mean of n draws from 0..=2R misses R by more than
            // 2R * sqrt(ln(2/delta) / 2n) with probability below delta, here 1e-9.
            let bound = 2.0 * f64::from(rate) * (2e9f64.ln() / (2.0 * f64::from(MARKS))).sqrt();
            let mean = passed as f64 / f64::from(MARKS);
            assert!((mean - f64::from(rate)).abs() < bound, "{mean} for {rate}");
        }
    }

    proptest! {
        /// Without hysteresis, a mark is the comparison itself, computed here without any division.
        #[test]
        fn below_threshold_never_above_it_always(
            weight in 0..=15u8, voq in 0..40_000u64, others in 0..40_000u64, inputs in 1..4u32,
        ) {
            let (sum, n) = (voq + others, u64::from(inputs));
            let sixteenths = CAPACITY.get() * u64::from(16 - weight);
            for (compare, over) in [
                (ComparedLoad::EachVoq, 16 * voq > sixteenths),
                (ComparedLoad::Sum, 16 * sum > sixteenths),
                (ComparedLoad::SumOverInputs, 16 * sum > sixteenths * n),
                (ComparedLoad::SumAgainstShare, 16 * sum * n > sixteenths),
            ] {
                let mut marker = marker(&settings(weight, compare));
                marker.queue_changed(from_input(3), view(voq, sum, inputs));
                prop_assert_eq!(leaves(&mut marker).is_some(), weight > 0 && over, "{:?}", compare);
            }
        }

        #[test]
        fn small_packets_are_never_marked(packet_size: u8, off in 0..128u64) {
            let length = (64 * u64::from(packet_size) + off).saturating_sub(64);
            let mut marker = marker(&IbaMarkingSpec { packet_size, ..settings(15, ComparedLoad::Sum) });
            marker.queue_changed(from_input(1), view(9000, 9000, 1));
            let marked = marker.departing(from_input(1), Bytes::new(length)).is_some();
            prop_assert_eq!(marked, length >= 64 * u64::from(packet_size));
        }

        /// A packet that is not eligible does not count towards `Marking_Rate`.
        #[test]
        fn what_is_not_eligible_does_not_count(lengths in prop::collection::vec(prop::bool::ANY, 0..200)) {
            let rates = IbaMarkingSpec { packet_size: 8, marking_rate: 5, ..settings(15, ComparedLoad::Sum) };
            let (mut mixed, mut large) = (marker(&rates), marker(&rates));
            mixed.queue_changed(from_input(1), view(9000, 9000, 1));
            large.queue_changed(from_input(1), view(9000, 9000, 1));
            for is_large in lengths {
                if is_large {
                    prop_assert_eq!(leaves(&mut mixed), leaves(&mut large));
                } else {
                    prop_assert_eq!(mixed.departing(from_input(1), Bytes::new(511)), None);
                }
            }
        }
    }
}
