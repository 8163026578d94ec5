//! The whole record of a run.

use std::sync::Arc;

use packet::{FlowName, MarkCode, Operation, TransportService};
use units::{Bytes, PackedOption, Rate, Span, Time};

use crate::completions::Completions;
use crate::congestion::{Congestion, OutputLoad};
use crate::detours::DetourTally;
use crate::ending::{FailedFlow, FiniteRecord, RunEnding};
use crate::idle_setting::IdleSettingRecord;
use crate::jobs::{JobRecord, UnequalSizes};
use crate::lane::Marks;
use crate::margin::MarginRecord;
use crate::observed::{PauseEvents, PortSeries, SourceSeries};
use crate::phase::Phase;
use crate::repeats::RepeatTally;
use crate::series::Series;
use crate::timeline::Timeline;
use crate::traffic::{PatternRecord, ShortWindowRecord, SlowHostRecord};

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct RunRecord {
    /// Simulated time.
    pub simulated: Span,
    /// Reason for which the run ended.
    pub ended: RunEnding,
    /// Traffic that ends by itself; `None` if there is none.
    pub finite: Option<FiniteRecord>,
    /// Jobs, in the order of the plan.
    pub jobs: Vec<JobRecord>,
    /// Flows with a queue pair that has given up, by time.
    pub failed: Vec<FailedFlow>,
    /// Time since which no payload was delivered, if outputs wait for each other at the end of the run. Packets may
    /// then be in a deadlock that is not proved.
    pub stands_still: Option<Time>,
    /// Number of events handled.
    pub events: u64,
    /// Number of packets times links crossed: data, acknowledgements and notifications, without flow-control packets.
    pub packet_hops: u64,
    /// Number of packets that reached their destination's adapter.
    pub delivered_packets: u64,
    /// Number of packets lost.
    pub dropped_packets: u64,
    /// Number of flow-control packets sent: credit updates, or PAUSE and RESUME frames.
    pub flow_control_packets: u64,
    /// Digest of the run.
    pub digest: u64,
    /// Reasons for which the run's marking rule marks packets, in the order of their columns: code and name.
    pub mark_reasons: Vec<(MarkCode, &'static str)>,
    /// Number of packets marked by switches, by reason.
    pub marks: Marks,
    /// Counts over all queue pairs.
    pub transport: TransportTally,
    /// Packets that took detours; `None` if all routes are minimal or fixed.
    pub detours: Option<DetourTally>,
    /// Flows in the order of the plan: those that the scenario names come first.
    pub flows: Vec<FlowRecord>,
    /// Groups of flows, in the order of the plan.
    pub groups: Vec<GroupRecord>,
    /// Traffic patterns, in the order of the plan.
    pub patterns: Vec<PatternRecord>,
    /// Hosts that consume payload at a limited rate, in the order of the topology.
    pub slow_hosts: Vec<SlowHostRecord>,
    /// The port of a shared memory with the smallest part of the window that it needs, if any has less.
    pub short_window: Option<ShortWindowRecord>,
    /// Settings of paths that cannot have an effect.
    pub idle_settings: Vec<IdleSettingRecord>,
    /// Ports and lanes that can carry data, adapters first, by node, port and lane.
    pub lanes: Vec<LaneRecord>,
    /// Phases of the run, in order.
    pub phases: Vec<Phase>,
    /// Deliveries of every flow up to each phase's start, middle and end, in order of time.
    pub snapshots: Vec<Snapshot>,
    /// Payload delivered over time.
    pub series: Series,
    /// Values that the scenario asks to watch, over time.
    pub watched: Watched,
    /// Ports over time, if the scenario asks for some.
    pub port_series: Option<PortSeries>,
    /// Flows at their sources over time, if the scenario asks for some.
    pub source_series: Option<SourceSeries>,
    /// Pauses of outputs, if the scenario asks for some.
    pub pause_events: Option<PauseEvents>,
    /// Every output and the congestion trees at a few moments, if the run was to record them.
    pub timeline: Option<Timeline>,
    /// Congestion trees over time.
    pub congestion: Congestion,
    /// Completion of messages, if it was recorded.
    pub completions: Option<Completions>,
    /// Conservation of packets.
    pub audit: Audit,
}

impl RunRecord {
    /// Returns the number of flows that the scenario names, which are the first in `flows`.
    #[must_use]
    pub fn named(&self) -> usize {
        self.flows.iter().take_while(|flow| flow.named).count()
    }

    /// Returns the counts of packets out of order and again, of all flows.
    #[must_use]
    pub fn repeats(&self) -> RepeatTally {
        self.flows.iter().fold(RepeatTally::default(), |sum, flow| sum.plus(flow.repeats()))
    }

    /// Returns the first job with a receive that took a message of another size, and that receive.
    #[must_use]
    pub fn unequal(&self) -> Option<(&JobRecord, UnequalSizes)> {
        self.jobs.iter().find_map(|job| Some((job, job.unequal?)))
    }

    /// Returns the indices of the flows of each group, in the order of the groups.
    #[must_use]
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.groups.len()];
        for (place, flow) in self.flows.iter().enumerate() {
            if let Some(group) = flow.group {
                members[group as usize].push(place);
            }
        }
        members
    }

    /// Returns the indices of the flows that have neither a name nor a group.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        (self.named()..self.flows.len()).filter(|flow| self.flows[*flow].group.is_none())
    }

    /// Returns the payload that a flow had delivered by the instant of a snapshot.
    ///
    /// # Panics
    /// If there is no snapshot of that instant: every phase has a snapshot at its start, its middle and its end.
    #[must_use]
    pub fn delivered_by(&self, flow: usize, at: Time) -> Bytes {
        let place = self.snapshots.binary_search_by_key(&at, |snapshot| snapshot.at);
        let place = place.unwrap_or_else(|_| panic!("no snapshot was taken at {at}"));
        // A snapshot at the start of the run is empty.
        self.snapshots[place].delivered.get(flow).copied().unwrap_or_default()
    }

    /// Returns the payload that a flow delivered between the instants of two snapshots.
    ///
    /// # Panics
    /// If a snapshot is missing, or `from` is later than `to`.
    #[must_use]
    pub fn delivered_between(&self, flow: usize, from: Time, to: Time) -> Bytes {
        self.delivered_by(flow, to) - self.delivered_by(flow, from)
    }

    /// Returns the instant at which a drain began, with a snapshot; `None` of a run without a drain.
    #[must_use]
    pub fn drained_from(&self) -> Option<Time> {
        let end = (self.simulated - self.audit.drain).after_start();
        let is_drained = self.audit.drained && self.audit.drain > Span::ZERO;
        (is_drained && self.snapshots.last().is_some_and(|last| last.at == end)).then_some(end)
    }

    /// Returns true if a flow has data to send within a phase. It starts before the end of the phase, has not stopped
    /// by its beginning, and has not delivered all its data by then.
    #[must_use]
    pub fn active(&self, flow: usize, phase: &Phase) -> bool {
        let record = &self.flows[flow];
        record.start < phase.to
            && record.stop.get().is_none_or(|stop| stop > phase.from)
            && record.total.get().is_none_or(|total| self.delivered_by(flow, phase.from) < total)
    }
}

impl FlowRecord {
    /// Returns the number of packets that arrived marked, by the reason of the first switch that marked them.
    #[must_use]
    pub fn marks(&self) -> Marks {
        self.marks.as_deref().copied().unwrap_or_default()
    }

    /// Returns the counts of packets out of order and again.
    #[must_use]
    pub fn repeats(&self) -> RepeatTally {
        self.repeats.as_deref().copied().unwrap_or_default()
    }

    /// Returns the number of the host that posts the flow's messages, as in `hosts`.
    #[must_use]
    pub const fn poster(&self) -> u32 {
        let (source, destination) = self.hosts;
        if matches!(self.operation, Operation::RdmaRead) { destination } else { source }
    }

    /// Returns true if the flow has delivered all its data; always false if the amount is not known beforehand.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.total.get().is_some_and(|total| self.delivered >= total)
    }

    /// Returns the delivery time of its last byte, if the flow is complete.
    #[must_use]
    pub fn completed(&self) -> Option<Time> {
        self.last_delivery.get().filter(|_| self.complete())
    }
}

/// Counts over all queue pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransportTally {
    /// Number of acknowledgements sent.
    pub acknowledgements: u64,
    /// Number of congestion notification packets sent.
    pub cnps: u64,
    /// Number of BECNs that reached a source.
    pub becns: u64,
    /// Number of these BECNs for queue pairs that had no packet left to send.
    pub late_becns: u64,
    /// Number of times that a CCTI reached its `Trigger_Threshold`.
    pub trigger_events: u64,
    /// Number of negative acknowledgements sent.
    pub naks: u64,
    /// Number of timeouts after which a requester went back.
    pub timeouts: u64,
    /// Number of data packets retransmitted.
    pub retransmitted: u64,
    /// Number of queue pairs and end-to-end contexts that failed after their last retry.
    pub failed_queue_pairs: u64,
    /// Number of times that packets were missing in a service without retransmission (UC).
    pub gaps: u64,
}

state_codec::value!(TransportTally {
    acknowledgements,
    cnps,
    becns,
    late_becns,
    trigger_events,
    naks,
    timeouts,
    retransmitted,
    failed_queue_pairs,
    gaps,
});

impl TransportTally {
    /// Returns the sums of both counts.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            acknowledgements: self.acknowledgements + other.acknowledgements,
            cnps: self.cnps + other.cnps,
            becns: self.becns + other.becns,
            late_becns: self.late_becns + other.late_becns,
            trigger_events: self.trigger_events + other.trigger_events,
            naks: self.naks + other.naks,
            timeouts: self.timeouts + other.timeouts,
            retransmitted: self.retransmitted + other.retransmitted,
            failed_queue_pairs: self.failed_queue_pairs + other.failed_queue_pairs,
            gaps: self.gaps + other.gaps,
        }
    }
}

/// Results of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowRecord {
    /// Name of the flow.
    pub name: FlowName,
    /// Name of the host that sends the data, which its flows share.
    pub source: Arc<String>,
    /// Name of the host that receives the data.
    pub destination: Arc<String>,
    /// Numbers of both hosts, as in the list of flows that the flow comes from, or in the order of the topology, from
    /// 0.
    pub hosts: (u32, u32),
    /// True if the scenario names the flow; other flows belong to a traffic pattern.
    pub named: bool,
    /// Index of its group in the record, if it belongs to any.
    pub group: Option<u32>,
    /// Index of its pattern in the record; none for a flow of `flows`.
    pub pattern: PackedOption<u32>,
    /// Transport service.
    pub transport: TransportService,
    /// Operation of its messages.
    pub operation: Operation,
    /// Time of its first message.
    pub start: Time,
    /// Time from which it posts no further message, if the scenario sets that.
    pub stop: PackedOption<Time>,
    /// Payload that it has to send in total, if that is known beforehand.
    pub total: PackedOption<Bytes>,
    /// Time at which its destination's host last took payload.
    pub last_delivery: PackedOption<Time>,
    /// Payload that its destination's host has taken.
    pub delivered: Bytes,
    /// Number of data packets that reached the destination's adapter in order.
    pub packets: u64,
    /// Number of complete messages: acknowledged, read, or, over UC and UD, sent.
    pub messages: u64,
    /// Number of BECNs received.
    pub becns: u64,
    /// Sum of the latencies of all packets, from the departure of the first byte to the delivery of the payload.
    pub latency_sum: Span,
    /// The longest such latency.
    pub latency_max: Span,
    /// Number of packets that arrived marked, by the reason of the first switch that marked them; `None` if none did.
    /// Stored apart, since there may be a million flows, few of them marked.
    pub marks: Option<Box<Marks>>,
    /// Packets out of order and again, of both ends; `None` if there were none. Stored apart likewise.
    pub repeats: Option<Box<RepeatTally>>,
}

const _: () = assert!(size_of::<FlowRecord>() <= 152, "there may be a million flows");

/// A group of flows, such as the flows of a job. Each [`FlowRecord`] names its own group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRecord {
    /// Name of the group.
    pub name: String,
}

/// Results of a port and lane.
#[derive(Clone, Debug)]
pub struct LaneRecord {
    /// Name of the node.
    pub node: String,
    /// Number of the port, counted from 1.
    pub port: u16,
    /// Name of the node at the far end.
    pub peer: String,
    /// Number of the lane.
    pub lane: u8,
    /// Rate of the link.
    pub rate: Rate,
    /// Bytes sent on the wire, with headers, without flow-control packets.
    pub sent: Bytes,
    /// Number of packets sent.
    pub packets: u64,
    /// Bytes that have arrived, with headers, without flow-control packets. Packets that found no room are among them.
    pub received: Bytes,
    /// Number of packets that have arrived.
    pub received_packets: u64,
    /// Size of the input buffer of this port and lane.
    pub buffer: Bytes,
    /// Largest occupancy of the input buffer.
    pub peak: Bytes,
    /// Mean occupancy of the input buffer, in bytes.
    pub mean: f64,
    /// The queue at this output in which packets wait a second time, in a switch with such a queue.
    pub output_queue: Option<QueueRecord>,
    /// Load of this output at the samples, if it is a switch's.
    pub load: Option<OutputLoad>,
    /// Queue for this output, relative to the threshold above which packets are marked, if such a threshold is set.
    pub marking: Option<MarginRecord>,
    /// Queue for this output, relative to the threshold above which all packets are marked (Kmax), if such a
    /// threshold is set.
    pub marking_all: Option<MarginRecord>,
    /// Occupancy relative to the level that triggers marking by the HP proposal, if it is used. This is the occupancy
    /// of the input buffer, or in an output-queued switch of the output's queue.
    pub trigger: Option<MarginRecord>,
    /// Time for which this output was stalled: packets waited with the wire free, for credit or the end of a pause.
    pub stalled: Span,
    /// Pauses and drops, under PFC or without flow control.
    pub pause: Option<PauseRecord>,
    /// Number of packets marked at this output.
    pub marks: Marks,
    /// Number of packets for which the selector chose this output and lane; `None` without a selector.
    pub chosen: Option<u64>,
}

/// Pauses of a port and lane under PFC, and drops, which also occur without flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRecord {
    /// Number of PAUSE frames sent, with those that renew a pause, without RESUME frames.
    pub sent: u64,
    /// Number of PAUSE frames that took effect on this output.
    pub heard: u64,
    /// Time for which this output was paused.
    pub paused: Span,
    /// Number of packets that arrived at this input and found neither room nor headroom.
    pub dropped_at_input: u64,
    /// Number of packets for this output that found the queue full.
    pub dropped_at_output: u64,
    /// Occupancy up to the threshold, relative to the threshold.
    pub threshold: MarginRecord,
    /// Occupancy of the headroom, relative to its size; none without PFC.
    pub headroom: Option<MarginRecord>,
}

/// Occupancy of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueRecord {
    /// Largest occupancy, with packets that were still on their way in or out.
    pub peak: Bytes,
    /// Mean occupancy, in bytes.
    pub mean: f64,
}

/// Deliveries of every flow up to the same instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Time of the snapshot.
    pub at: Time,
    /// Payload delivered since the start of the run, by flow; empty at that start, when there is none.
    pub delivered: Vec<Bytes>,
}

state_codec::value!(Snapshot { at, delivered });

/// Values that the scenario asks to watch, at each sample of the [`Series`].
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The quantities.
    pub quantities: Vec<WatchedQuantity>,
    /// A row for each sample, with a value for each quantity.
    pub rows: Vec<Vec<f64>>,
}

state_codec::state!(Watched { quantities: plan, rows });

/// A watched quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedQuantity {
    /// Object that has the quantity: an output and lane, `A:3 VL0`, or the name of a flow.
    pub object: String,
    /// Name of the quantity, with its unit at the end: `queue_bytes`.
    pub quantity: &'static str,
}

/// Conservation of packets: the checks that every run makes of itself.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Number of packets injected.
    pub injected: u64,
    /// Number of packets delivered.
    pub delivered: u64,
    /// Number of packets lost.
    pub dropped: u64,
    /// Number of packets in flight at the end.
    pub under_way: u64,
    /// Largest occupancy of any buffer, as a share of its size, 0 to 1.
    pub fullest_buffer: f64,
    /// True if the run was drained at its end until the fabric was at rest.
    pub drained: bool,
    /// Duration of the drain.
    pub drain: Span,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Simulated time so far.
    pub now: Time,
    /// Number of packet-hops so far.
    pub packet_hops: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Span::from_us(1000 * n).after_start()
    }

    /// Makes a record of three phases of 10 ms, an endless flow, and a flow that sends 500 bytes in the second phase.
    fn record() -> RunRecord {
        let endless = FlowRecord { named: true, delivered: Bytes::new(4000), ..FlowRecord::default() };
        let short = FlowRecord {
            start: ms(10),
            total: Bytes::new(500).into(),
            delivered: Bytes::new(500),
            last_delivery: ms(12).into(),
            ..FlowRecord::default()
        };
        let by = |at, first, second| Snapshot { at, delivered: vec![Bytes::new(first), Bytes::new(second)] };
        let phase = |from, to| Phase::new(String::new(), from, to);
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
    fn a_flow_is_named_in_a_group_or_one_of_the_others() {
        let flow = |named, group| FlowRecord { named, group, ..FlowRecord::default() };
        let flows = vec![flow(true, None), flow(true, Some(1)), flow(false, None), flow(false, Some(1))];
        let groups = ["empty", "pair"].map(|name| GroupRecord { name: name.to_owned() }).to_vec();
        let record = RunRecord { flows, groups, ..RunRecord::default() };
        assert_eq!(record.members(), [vec![], vec![1, 3]]);
        assert_eq!(record.others().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_flow_is_active_from_its_start_until_it_stops_or_has_delivered_everything() {
        let mut record = record();
        let active = |record: &RunRecord, flow| {
            record.phases.iter().map(|phase| record.active(flow, phase)).collect::<Vec<_>>()
        };
        assert_eq!(active(&record, 0), [true, true, true]);
        assert_eq!(active(&record, 1), [false, true, false]);
        record.flows[0].stop = ms(10).into();
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
    fn the_second_half_begins_in_the_middle() {
        assert_eq!(Phase::new(String::new(), ms(10), ms(20)).second_half, ms(15));
    }

    #[test]
    fn an_interrupted_run_has_the_phases_that_had_begun() {
        let before = |end| {
            let part = Phase::new(String::new(), ms(10), ms(20)).before(ms(end))?;
            Some((part.from, part.second_half, part.to))
        };
        assert_eq!(before(10), None);
        assert_eq!(before(13), Some((ms(10), ms(10), ms(13))));
        assert_eq!(before(16), Some((ms(10), ms(15), ms(16))));
        assert_eq!(before(30), Some((ms(10), ms(15), ms(20))));
    }

    #[test]
    fn a_run_that_was_done_has_whole_phases_and_a_part_that_is_its_own_second_half() {
        let until = |end| {
            let part = Phase::new(String::new(), ms(10), ms(20)).until(ms(end))?;
            Some((part.from, part.second_half, part.to))
        };
        assert_eq!(until(10), None);
        assert_eq!(until(13), Some((ms(10), ms(10), ms(13))));
        assert_eq!(until(16), Some((ms(10), ms(10), ms(16))));
        assert_eq!(until(20), Some((ms(10), ms(15), ms(20))));
    }
}
