//! The congestion point: random early detection (RED) on the queue of an output and lane.
//!
//! Invariant: the probability depends on the queue at the instant of the decision, not on a mean. Each output has a
//! random stream of its own: traffic elsewhere in the switch does not change its draws.
//!
//! ```text
//! q <= Kmin          0
//! Kmin < q <= Kmax   Pmax (q - Kmin) / (Kmax - Kmin)
//! Kmax < q           1
//! ```

use std::collections::VecDeque;

use packet::{Lane, MarkCode, PortId, VoqId};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use units::Bytes;

use super::spec::{MarkedAt, RateThresholds, RedMarkingSpec};
use crate::policy::{Margin, MarginLevel, MarkReason, Marker, MarkerSetup, QueueView};

/// Unit of probabilities: 1 is this many parts.
const ONE: u64 = 1 << 32;

/// The marker of a switch by RED.
#[derive(Clone, Debug)]
pub struct RedMarker {
    radix: usize,
    lanes: usize,
    /// Different ramps of the outputs: a common ramp, or a ramp for each rate of a link.
    ramps: Vec<Ramp>,
    /// Queues by output and lane.
    queues: Vec<RedQueue>,
    /// Random streams by output.
    streams: Vec<Pcg64Mcg>,
    /// If packets are marked on arrival, by output, lane and input: the draws of the packets that wait.
    decided: Vec<ArrivalDraws>,
}

state_codec::state!(RedMarker {
    radix: plan,
    lanes: plan,
    ramps: plan,
    queues: part,
    streams: part,
    decided: part
});

/// Probability of a mark over the length of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ramp {
    kmin: u64,
    kmax: u64,
    /// In parts of [`ONE`].
    pmax: u64,
}

/// Queue of an output and lane.
#[derive(Clone, Copy, Debug, Default)]
struct RedQueue {
    bytes: u64,
    /// Length up to which there is nothing to count while the queue is below both thresholds. The queue does not come
    /// near Kmin, and has been longer before.
    quiet: u32,
    /// Position of the output's ramp.
    ramp: u8,
    /// Positions relative to Kmin and to Kmax.
    levels: [MarginLevel; 2],
    margins: [Margin; 2],
}

state_codec::state!(RedQueue { bytes, quiet, ramp: plan, levels, margins });

const _: () = assert!(size_of::<RedQueue>() == 64, "a queue has the size of a cache line");

/// Draws of the packets of a virtual output queue, in the order of departure: whether each will be marked.
#[derive(Clone, Debug, Default)]
struct ArrivalDraws {
    bytes: u64,
    packets: VecDeque<bool>,
}

state_codec::value!(ArrivalDraws { bytes, packets });

impl RedMarker {
    /// By chance, by the length of the output's queue.
    pub const RED: MarkReason = MarkReason::new(4, "red");
    /// Every reason of this rule.
    pub const REASONS: &[MarkReason] = &[Self::RED];

    /// Returns the marker of the switch described. The settings have passed [`RedMarkingSpec::check`].
    ///
    /// # Panics
    /// If the settings have thresholds by rate, and none for the rate of some output.
    #[must_use]
    pub fn new(settings: &RedMarkingSpec, switch: &MarkerSetup) -> Self {
        let mut stream = switch.stream.clone();
        let vls = switch.radix * switch.lanes;
        let decided = if settings.at == MarkedAt::Arrival { vls * switch.radix } else { 0 };
        let (mut ramps, mut queues) = (Vec::new(), Vec::with_capacity(vls));
        for rate in &switch.rates {
            let ramp =
                Ramp::new(settings.thresholds(*rate).expect("the check finds thresholds for each rate"));
            let known = ramps.iter().position(|known| *known == ramp).unwrap_or(ramps.len());
            if known == ramps.len() {
                ramps.push(ramp);
            }
            let queue = RedQueue { ramp: known as u8, ..RedQueue::default() };
            queues.extend((0..switch.lanes).map(|_| queue));
        }
        Self {
            radix: switch.radix,
            lanes: switch.lanes,
            ramps,
            queues,
            streams: (0..switch.radix).map(|_| Pcg64Mcg::new(stream.random())).collect(),
            decided: vec![ArrivalDraws::default(); decided],
        }
    }

    /// Draws whether a packet that joins its virtual output queue will be marked: at the length of the output's queue
    /// before.
    #[inline(never)] // Most switches mark at departure.
    fn note_arrival(&mut self, place: VoqId, view: QueueView, before: u64) {
        let vl = place.output.index() * self.lanes + place.lane.index();
        let own = vl * self.radix + place.input.index();
        let joined = view.voq.get() > core::mem::replace(&mut self.decided[own].bytes, view.voq.get());
        if joined {
            let marked = self.draw(place.output, vl, before);
            self.decided[own].packets.push_back(marked);
        }
    }

    /// Takes the draw of the packet that leaves a virtual output queue.
    #[inline(never)] // As above.
    fn decided_at_arrival(&mut self, own: usize) -> bool {
        self.decided[own].packets.pop_front().expect("what leaves has joined")
    }

    /// Draws whether a packet is marked at this length of the queue of an output and lane.
    #[inline(never)] // Few packets meet a queue over Kmin.
    fn draw(&mut self, output: PortId, vl: usize, queue: u64) -> bool {
        match self.ramps[usize::from(self.queues[vl].ramp)].probability(queue) {
            0 => false,
            ONE => true,
            probability => u64::from(self.streams[output.index()].random::<u32>()) < probability,
        }
    }
}

impl RedQueue {
    /// Returns true if the present length changes no position and no margin.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.levels == [MarginLevel::Below; 2] && self.bytes <= u64::from(self.quiet)
    }

    /// Compares the present length with both thresholds.
    #[inline(never)]
    fn compare(&mut self, Ramp { kmin, kmax, .. }: Ramp) {
        for (at, limit) in [kmin, kmax].into_iter().enumerate() {
            let over = self.bytes > limit;
            self.levels[at] = self.margins[at].step(self.levels[at], self.bytes, limit, over);
        }
        self.quiet = self.margins[0].load.min(kmin / 10 * 9).try_into().unwrap_or(u32::MAX);
    }
}

impl Ramp {
    fn new(thresholds: RateThresholds) -> Self {
        let RateThresholds { kmin, kmax, pmax, .. } = thresholds;
        Self { kmin: kmin.get(), kmax: kmax.get(), pmax: (pmax * ONE as f64).round() as u64 }
    }

    /// Returns the probability of a mark at this queue length, in parts of [`ONE`].
    const fn probability(&self, queue: u64) -> u64 {
        if queue <= self.kmin {
            0
        } else if queue <= self.kmax {
            (self.pmax as u128 * (queue - self.kmin) as u128 / (self.kmax - self.kmin) as u128) as u64
        } else {
            ONE
        }
    }
}

impl Marker for RedMarker {
    #[inline]
    fn queue_changed(&mut self, place: VoqId, view: QueueView) {
        let vl = place.output.index() * self.lanes + place.lane.index();
        let queue = &mut self.queues[vl];
        let before = core::mem::replace(&mut queue.bytes, view.sum.get());
        if !queue.is_quiet() {
            queue.compare(self.ramps[usize::from(queue.ramp)]);
        }
        if !self.decided.is_empty() {
            self.note_arrival(place, view, before);
        }
    }

    #[inline]
    fn departing(&mut self, place: VoqId, _: Bytes) -> Option<MarkCode> {
        let vl = place.output.index() * self.lanes + place.lane.index();
        let marked = if self.decided.is_empty() {
            // Where there is nothing to count the queue is below Kmin.
            let RedQueue { quiet, bytes, .. } = self.queues[vl];
            bytes > u64::from(quiet) && self.draw(place.output, vl, bytes)
        } else {
            self.decided_at_arrival(vl * self.radix + place.input.index())
        };
        marked.then_some(Self::RED.code)
    }

    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        let RedQueue { margins, ramp, .. } = self.queues[output.index() * self.lanes + lane.index()];
        let Ramp { kmin, kmax, .. } = self.ramps[usize::from(ramp)];
        [(margins[0], kmin), (margins[1], kmax)].map(|(margin, limit)| Some(Margin { limit, ..margin }))
    }
}

#[cfg(test)]
mod tests {
    use units::Rate;

    use super::*;
    use crate::policy::BufferOwner;

    const PACKET: u64 = 1_000;

    fn spec(kmin: u64, kmax: u64, pmax: f64, at: MarkedAt) -> RedMarkingSpec {
        RedMarkingSpec { kmin: Bytes::new(kmin), kmax: Bytes::new(kmax), pmax, by_rate: Vec::new(), at }
    }

    fn marker(kmin: u64, kmax: u64, pmax: f64, at: MarkedAt) -> RedMarker {
        marker_of(&spec(kmin, kmax, pmax, at), [Rate::gbps(40); 3])
    }

    fn marker_of(settings: &RedMarkingSpec, rates: [Rate; 3]) -> RedMarker {
        let setup = MarkerSetup {
            name: "S".to_owned(),
            radix: 3,
            lanes: 2,
            buffers_of: BufferOwner::Inputs,
            capacity: Bytes::kib(64),
            longest_packet: Bytes::new(1_082),
            numbers: vec![1, 2, 3],
            faces_adapter: vec![false; 3],
            rates: rates.to_vec(),
            stream: Pcg64Mcg::new(5),
        };
        RedMarker::new(settings, &setup)
    }

    fn place(input: u16) -> VoqId {
        VoqId { input: PortId(input), output: PortId(2), lane: Lane(1) }
    }

    fn view(voq: u64, sum: u64) -> QueueView {
        QueueView { voq: Bytes::new(voq), sum: Bytes::new(sum), inputs: 1, wire_busy: false }
    }

    /// Returns the share of packets that are marked as they leave a queue of `behind` bytes.
    fn share(marker: &mut RedMarker, behind: u64) -> f64 {
        marker.queue_changed(place(0), view(behind, behind));
        let marked = (0..100_000).filter(|_| marker.departing(place(0), Bytes::new(PACKET)).is_some());
        marked.count() as f64 / 1e5
    }

    #[test]
    fn the_probability_is_a_ramp_with_a_step() {
        let mut marker = marker(5_000, 205_000, 0.1, MarkedAt::Departure);
        assert_eq!([0, 5_000, 205_001].map(|queue| share(&mut marker, queue)), [0.0, 0.0, 1.0]);
        for (queue, expected) in [(55_000, 0.025), (105_000, 0.05), (205_000, 0.1)] {
            let measured = share(&mut marker, queue);
            // Four standard deviations of 100,000 draws.
            assert!((measured - expected).abs() < 4.0 * (expected / 1e5f64).sqrt(), "{queue}: {measured}");
        }
    }

    #[test]
    fn without_a_ramp_it_is_a_step() {
        let mut marker = marker(40_000, 40_000, 1.0, MarkedAt::Departure);
        assert_eq!([40_000, 40_001].map(|queue| share(&mut marker, queue)), [0.0, 1.0]);
    }

    /// Three packets of input 0 and, between them, a packet of input 1; Kmin and Kmax are a packet and a half.
    #[test]
    fn on_arrival_what_stands_before_a_packet_decides() {
        let mut marker = marker(1_500, 1_500, 1.0, MarkedAt::Arrival);
        for (input, voq, sum) in [(0, 1_000, 1_000), (0, 2_000, 2_000), (1, 1_000, 3_000), (0, 3_000, 4_000)]
        {
            marker.queue_changed(place(input), view(voq, sum));
        }
        let mut marks = Vec::new();
        for (input, voq, sum) in [(1, 0, 3_000), (0, 2_000, 2_000), (0, 1_000, 1_000), (0, 0, 0)] {
            marker.queue_changed(place(input), view(voq, sum));
            marks.push(marker.departing(place(input), Bytes::new(PACKET)).is_some());
        }
        assert_eq!(marks, [true, false, false, true]);
    }

    /// Each output decides as the whole switch would with the thresholds of that output's rate, draw for draw.
    #[test]
    fn thresholds_by_rate_are_those_of_the_output_s_link() {
        let [slow, fast] = [25, 100].map(Rate::gbps);
        let entry = |rate, kmin, kmax, pmax| RateThresholds {
            rate,
            kmin: Bytes::new(kmin),
            kmax: Bytes::new(kmax),
            pmax,
        };
        for at in [MarkedAt::Departure, MarkedAt::Arrival] {
            let by_rate = vec![entry(fast, 40_000, 160_000, 0.8), entry(slow, 10_000, 40_000, 0.2)];
            let settings = RedMarkingSpec { by_rate, ..spec(1, 1, 1.0, at) };
            let mut mixed = marker_of(&settings, [slow, fast, slow]);
            let mut alone = [
                (0, marker(10_000, 40_000, 0.2, at)),
                (1, marker(40_000, 160_000, 0.8, at)),
                (2, marker(10_000, 40_000, 0.2, at)),
            ];
            for round in 0..3_000 {
                for (output, alone) in &mut alone {
                    let place = VoqId { output: PortId(*output), ..place(0) };
                    let pass = |marker: &mut RedMarker| {
                        marker.queue_changed(place, view(round * 61, round * 61));
                        marker.queue_changed(place, view(round * 61 + PACKET, round * 61 + PACKET));
                        marker.queue_changed(place, view(round * 61, round * 61));
                        let mark = marker.departing(place, Bytes::new(PACKET));
                        (mark, marker.margins(place.output, place.lane))
                    };
                    assert_eq!(pass(&mut mixed), pass(alone), "output {output}, queue {}", round * 61);
                }
            }
        }
    }

    #[test]
    fn an_output_s_draws_are_its_own() {
        let mut alone = marker(1_000, 100_000, 0.5, MarkedAt::Departure);
        let mut busy = alone.clone();
        let other = VoqId { output: PortId(1), ..place(0) };
        let story = |marker: &mut RedMarker, others: bool| -> Vec<bool> {
            (0..200)
                .map(|_| {
                    if others {
                        marker.queue_changed(other, view(50_000, 50_000));
                        marker.departing(other, Bytes::new(PACKET));
                    }
                    marker.queue_changed(place(0), view(50_000, 50_000));
                    marker.departing(place(0), Bytes::new(PACKET)).is_some()
                })
                .collect()
        };
        assert_eq!(story(&mut alone, false), story(&mut busy, true));
    }
}
