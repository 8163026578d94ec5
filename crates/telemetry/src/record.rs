//! The whole record of a run.

use packet::MarkCode;
use units::{Bytes, Span, Time};

use crate::congestion::Congestion;
use crate::lane::Marks;

/// Everything that a run found out.
#[derive(Clone, Debug, Default)]
pub struct RunRecord {
    /// Simulated time that passed.
    pub simulated: Span,
    /// Events handled.
    pub events: u64,
    /// Packets times links crossed: data, acknowledgements and notifications, not flow-control packets.
    pub packet_hops: u64,
    /// Packets that reached their destination's adapter.
    pub delivered_packets: u64,
    /// Packets lost.
    pub dropped_packets: u64,
    /// Flow-control packets sent: updates of credits, or PAUSE and RESUME.
    pub flow_control_packets: u64,
    /// The run's digest.
    pub digest: u64,
    /// Reasons for which the run's marking rule marks packets, in the order of their columns: code and name.
    pub mark_reasons: Vec<(MarkCode, &'static str)>,
    /// Packets marked by switches, by reason.
    pub marks: Marks,
    /// What the queue pairs did.
    pub transport: TransportTally,
    /// Every flow, in the order of the plan: those that the scenario names come first.
    pub flows: Vec<FlowRecord>,
    /// Every port and lane that can carry data, adapters first, by node, port, lane.
    pub lanes: Vec<LaneRecord>,
    /// Phases of the run, in order.
    pub phases: Vec<Phase>,
    /// What every flow had delivered by each phase's start, middle and end, in order of time.
    pub snapshots: Vec<Snapshot>,
    /// Payload delivered over time.
    pub series: Series,
    /// What the scenario asks to watch, over time.
    pub watched: Watched,
    /// Congestion trees over time.
    pub congestion: Congestion,
    /// Messages that were delivered, if that was kept.
    pub completions: Option<Completions>,
    /// What was checked.
    pub audit: Audit,
}

/// Messages that were delivered, and how long that took.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// One by one, in order of time, then flow.
    pub messages: Vec<Completion>,
    /// Messages posted in all, delivered or not, of those flows whose messages could be told apart.
    pub posted: u64,
    /// Flows whose messages cannot be told apart: those of a service that does not send again what was lost, in a run
    /// that lost something.
    pub untold: usize,
}

/// A message that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its flow, by its place in the record.
    pub flow: u32,
    /// Its place among the flow's messages, from 1.
    pub number: u32,
    /// Number of the host that its data came from, and of the one that took it.
    pub hosts: (u32, u32),
    /// Its payload.
    pub size: Bytes,
    /// When it was posted.
    pub posted: Time,
    /// When the last of its payload was taken by the destination's host.
    pub completed: Time,
    /// How long it would have taken with nothing else under way.
    pub ideal: Span,
}

impl Completion {
    /// How long it took.
    #[must_use]
    pub fn time(&self) -> Span {
        self.completed.since(self.posted)
    }

    /// How many times as long as with nothing else under way: its slowdown.
    #[must_use]
    pub fn slowdown(&self) -> f64 {
        self.time().ps() as f64 / self.ideal.ps() as f64
    }
}

impl RunRecord {
    /// How many flows the scenario names: the first that many of `flows`.
    #[must_use]
    pub fn named(&self) -> usize {
        self.flows.iter().take_while(|flow| flow.named).count()
    }

    /// What a flow had delivered by an instant at which there is a snapshot.
    ///
    /// # Panics
    /// If no snapshot was taken then: every phase has one at its start, its middle and its end.
    #[must_use]
    pub fn delivered_by(&self, flow: usize, at: Time) -> Bytes {
        let place = self.snapshots.binary_search_by_key(&at, |snapshot| snapshot.at);
        let place = place.unwrap_or_else(|_| panic!("no snapshot was taken at {at}"));
        self.snapshots[place].delivered[flow]
    }

    /// What a flow delivered between two instants at which there are snapshots.
    ///
    /// # Panics
    /// If a snapshot is missing, or `from` is the later one.
    #[must_use]
    pub fn delivered_between(&self, flow: usize, from: Time, to: Time) -> Bytes {
        self.delivered_by(flow, to) - self.delivered_by(flow, from)
    }

    /// Whether a flow has something to send within a phase: it has started before the phase ends, has
    /// not been stopped by the time it begins, and has not delivered all it had to send by then.
    #[must_use]
    pub fn active(&self, flow: usize, phase: &Phase) -> bool {
        let record = &self.flows[flow];
        record.start < phase.to
            && record.stop.is_none_or(|stop| stop > phase.from)
            && record.total.is_none_or(|total| self.delivered_by(flow, phase.from) < total)
    }
}

impl FlowRecord {
    /// Whether it has delivered all that it had to send; never where that is not known beforehand.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.total.is_some_and(|total| self.delivered >= total)
    }

    /// When its last byte was delivered, if it is complete.
    #[must_use]
    pub fn completed(&self) -> Option<Time> {
        self.last_delivery.filter(|_| self.complete())
    }
}

/// Counts over all queue pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransportTally {
    /// Acknowledgements sent.
    pub acknowledgements: u64,
    /// Congestion notification packets sent.
    pub cnps: u64,
    /// BECNs that reached a source.
    pub becns: u64,
    /// How often a CCTI reached its `Trigger_Threshold`.
    pub trigger_events: u64,
    /// Negative acknowledgements sent.
    pub naks: u64,
    /// Times that a requester waited in vain and went back.
    pub timeouts: u64,
    /// Data packets sent again.
    pub retransmitted: u64,
    /// Queue pairs, and end-to-end contexts, that gave up after their last retry.
    pub failed_queue_pairs: u64,
    /// Times that packets were found missing where nobody sends them again (UC).
    pub gaps: u64,
}

impl TransportTally {
    /// The counts of both, added up.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            acknowledgements: self.acknowledgements + other.acknowledgements,
            cnps: self.cnps + other.cnps,
            becns: self.becns + other.becns,
            trigger_events: self.trigger_events + other.trigger_events,
            naks: self.naks + other.naks,
            timeouts: self.timeouts + other.timeouts,
            retransmitted: self.retransmitted + other.retransmitted,
            failed_queue_pairs: self.failed_queue_pairs + other.failed_queue_pairs,
            gaps: self.gaps + other.gaps,
        }
    }
}

/// What a flow did.
#[derive(Clone, Debug, Default)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Host that the data comes from.
    pub source: String,
    /// Host that the data goes to.
    pub destination: String,
    /// Whether the scenario names it; all others come of a traffic pattern.
    pub named: bool,
    /// The transport service that carries it: `RC`.
    pub transport: &'static str,
    /// What its messages do: `RDMA WRITE`.
    pub operation: &'static str,
    /// When it posts its first message.
    pub start: Time,
    /// When it posts no further message, if the scenario says so.
    pub stop: Option<Time>,
    /// All the payload that it has to send, where that is known beforehand.
    pub total: Option<Bytes>,
    /// When its destination's host last took payload of it, if it ever did.
    pub last_delivery: Option<Time>,
    /// Payload that its destination's host took.
    pub delivered: Bytes,
    /// Data packets that reached the destination's adapter in order.
    pub packets: u64,
    /// Messages complete: acknowledged, read, or, over UC and UD, sent.
    pub messages: u64,
    /// BECNs that it received.
    pub becns: u64,
    /// From the time the first byte of a packet left to the time its payload was taken, over all packets.
    pub latency_sum: Span,
    /// The longest such latency.
    pub latency_max: Span,
    /// Its packets that arrived marked, by the reason of the first switch that marked them.
    pub marks: Marks,
}

/// What a port and lane did.
#[derive(Clone, Debug)]
pub struct LaneRecord {
    /// Node, by name.
    pub node: String,
    /// Port, counted from 1.
    pub port: u16,
    /// Node at the other end, by name.
    pub peer: String,
    /// Lane.
    pub lane: u8,
    /// Bytes sent on the wire, headers included, flow-control packets not.
    pub sent: Bytes,
    /// Packets sent.
    pub packets: u64,
    /// Buffer behind this port for what comes in on this lane.
    pub buffer: Bytes,
    /// The most that it held.
    pub peak: Bytes,
    /// The mean that it held, in bytes.
    pub mean: f64,
    /// The queue behind the crossbar for what leaves here, at a switch that has one.
    pub output_queue: Option<QueueRecord>,
    /// What waited for this output against the threshold above which packets are marked, where there is one.
    pub marking: Option<MarginRecord>,
    /// The same against the threshold above which all are marked (Kmax), where there is one.
    pub marking_all: Option<MarginRecord>,
    /// What the buffer held against what triggers marking by the HP proposal, where that is in force.
    pub trigger: Option<MarginRecord>,
    /// How long packets waited for credit to leave here, with the wire free.
    pub without_credit: Span,
    /// Under PFC, or without flow control: pauses and drops.
    pub pause: Option<PauseRecord>,
    /// Packets marked on leaving here.
    pub marks: Marks,
}

/// What PFC did at a port and lane, or what was dropped there without any flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRecord {
    /// PAUSE frames sent, those that ask again included; RESUME is not counted.
    pub sent: u64,
    /// PAUSE frames that took effect on what leaves here.
    pub heard: u64,
    /// How long what leaves here was paused.
    pub paused: Span,
    /// Packets that came in here and found neither room nor headroom.
    pub dropped_at_input: u64,
    /// Packets that were to leave here and found too much waiting.
    pub dropped_at_output: u64,
    /// What was held under the threshold against the threshold.
    pub threshold: MarginRecord,
    /// What was held in the headroom against the headroom; none without PFC.
    pub headroom: Option<MarginRecord>,
}

/// How near a load came to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginRecord {
    /// The load that came nearest.
    pub load: Bytes,
    /// The limit that it came nearest to.
    pub limit: Bytes,
    /// How it came to be over it, where that was counted.
    pub counts: Option<MarginCounts>,
}

/// How often a load was over its limit, or nearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginCounts {
    /// How often it passed the limit.
    pub crossings: u32,
    /// How often it passed 90 % of it, and fell below that again without having passed it.
    pub near_misses: u32,
    /// The first sample at which it had passed the limit; of PFC's thresholds, when it did.
    pub first: Option<Time>,
}

/// What a queue held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueRecord {
    /// The most that it held, with what was still on its way in or out.
    pub peak: Bytes,
    /// The mean that it held, in bytes.
    pub mean: f64,
}

/// A stretch of the run between two declared changes of traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What begins with it: `F3 starts`.
    pub name: String,
    /// Its start.
    pub from: Time,
    /// Its end.
    pub to: Time,
}

impl Phase {
    /// Where its settled second half begins.
    #[must_use]
    pub fn middle(&self) -> Time {
        self.from + self.to.since(self.from) / 2
    }
}

/// What every flow had delivered by one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The instant.
    pub at: Time,
    /// Payload taken by destinations since the start, by flow.
    pub delivered: Vec<Bytes>,
}

/// What was delivered, sample by sample.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Time from sample to sample.
    pub interval: Span,
    /// One row a sample, the first at one interval after the start: payload delivered within the
    /// interval that ends there, by named flow, and in one more column by all other flows together
    /// where there are any.
    pub rows: Vec<Vec<Bytes>>,
}

/// What the scenario asks to watch, at each sample of the [`Series`].
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// What each column is, with its unit.
    pub columns: Vec<String>,
    /// One row a sample.
    pub rows: Vec<Vec<f64>>,
}

/// What a run proves about itself.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Packets injected.
    pub injected: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost.
    pub dropped: u64,
    /// Packets still under way at the end.
    pub under_way: u64,
    /// The most bytes that any buffer held, as a share of its size, 0 to 1.
    pub fullest_buffer: f64,
    /// Whether the run was drained to rest at its end.
    pub drained: bool,
    /// How long the drain took.
    pub drain: Span,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Simulated time so far.
    pub now: Time,
    /// Packet-hops so far.
    pub packet_hops: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Span::from_us(1000 * n).after_start()
    }

    /// Two phases of 10 ms; one endless flow, and one that sends 500 bytes in the second phase.
    fn record() -> RunRecord {
        let endless = FlowRecord { named: true, delivered: Bytes::new(4000), ..FlowRecord::default() };
        let short = FlowRecord {
            start: ms(10),
            total: Some(Bytes::new(500)),
            delivered: Bytes::new(500),
            last_delivery: Some(ms(12)),
            ..FlowRecord::default()
        };
        let by = |at, first, second| Snapshot { at, delivered: vec![Bytes::new(first), Bytes::new(second)] };
        let phase = |from, to| Phase { name: String::new(), from, to };
        RunRecord {
            flows: vec![endless, short],
            phases: vec![phase(ms(0), ms(10)), phase(ms(10), ms(20)), phase(ms(20), ms(30))],
            snapshots: vec![
                by(ms(0), 0, 0),
                by(ms(10), 1500, 0),
                by(ms(20), 4000, 500),
                by(ms(30), 4000, 500),
            ],
            ..RunRecord::default()
        }
    }

    #[test]
    fn deliveries_are_differences_of_snapshots() {
        assert_eq!(record().delivered_between(0, ms(10), ms(20)), Bytes::new(2500));
        assert_eq!(record().named(), 1);
    }

    #[test]
    fn a_flow_is_active_from_its_start_until_it_stops_or_has_delivered_everything() {
        let mut record = record();
        let active = |record: &RunRecord, flow| {
            record.phases.iter().map(|phase| record.active(flow, phase)).collect::<Vec<_>>()
        };
        assert_eq!(active(&record, 0), [true, true, true]);
        assert_eq!(active(&record, 1), [false, true, false]);
        record.flows[0].stop = Some(ms(10));
        assert_eq!(active(&record, 0), [true, false, false]);
    }

    #[test]
    fn a_flow_completes_with_its_last_byte() {
        let mut record = record();
        assert_eq!(record.flows[1].completed(), Some(ms(12)));
        assert_eq!(record.flows[0].completed(), None);
        record.flows[1].delivered = Bytes::new(499);
        assert_eq!(record.flows[1].completed(), None);
    }

    #[test]
    fn the_settled_half_begins_in_the_middle() {
        assert_eq!(Phase { name: String::new(), from: ms(10), to: ms(20) }.middle(), ms(15));
    }
}
