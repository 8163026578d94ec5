//! Congestion of a run: the worst roots with cause and cost, and the hottest outputs, as `summary.json` has them.
//!
//! Invariant: the worst tree costs its victims the most payload. Among equals, it has the longest time without credit,
//! added up over its branches. Lists in the summary are bounded; the files have all.

pub(crate) mod cause;

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{LaneRecord, OutputLoad, RootRecord, RunRecord};
use units::{Bytes, Span};

use measures::rounded;

/// Largest number of roots, and of outputs, in the lists.
const LISTED: usize = 16;

/// Congestion of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CongestionSummary {
    /// Number of samples.
    pub samples: u32,
    /// Number of roots of congestion trees.
    pub roots: usize,
    /// Number of flows that were a victim of any tree.
    pub victims: usize,
    /// Payload that victims lost, over all trees.
    pub lost_bytes: u64,
    /// The worst roots, at most 16: those that cost their victims most first.
    pub worst_roots: Vec<RootSummary>,
    /// The hottest outputs of switches, at most 16: those with the longest mean queue first. An output that was
    /// congested, never a root and never stalled blocks no other.
    pub hottest_outputs: Vec<OutputSummary>,
}

/// A root of a congestion tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RootSummary {
    /// Switch, output, peer and lane.
    #[serde(flatten)]
    pub place: OutputPlace,
    /// The first sample that showed the root.
    pub from_s: f64,
    /// The last sample that showed it.
    pub to_s: f64,
    /// Number of samples that showed it.
    pub samples: u32,
    /// Its cause in a word, as in `roots.csv`; `None` if the rule names none.
    pub cause: Option<&'static str>,
    /// The same in words.
    pub cause_in_words: String,
    /// Number of hosts that send the contributors' data.
    pub senders: u32,
    /// Number of contributors.
    pub contributors: usize,
    /// Number of victims.
    pub victims: usize,
    /// Payload that victims lost.
    pub lost_bytes: u64,
    /// The same over the time of its samples.
    pub lost_bps: f64,
}

/// An output of a switch with packets that had to wait.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutputSummary {
    /// Switch, output, peer and lane.
    #[serde(flatten)]
    pub place: OutputPlace,
    /// Mean of its queue over the samples.
    pub sampled_queue_mean_bytes: f64,
    /// Longest queue at a sample.
    pub sampled_queue_peak_bytes: u64,
    /// Share of the link's capacity that left by this lane, 0 to 1.
    pub utilisation: f64,
    /// Number of flows that delivered payload through it; `null` if packets of some had other outputs to choose from.
    pub flows: Option<u32>,
    /// Packets marked there.
    pub marked_packets: u64,
    /// Number of samples at which it was congested by itself.
    pub congested_samples: u32,
    /// Number of samples at which it was the root of a tree.
    pub root_samples: u32,
    /// Number of samples at which it had been stalled for a tenth of the interval.
    pub stalled_samples: u32,
}

/// An output and lane.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutputPlace {
    /// The switch.
    pub node: String,
    /// Its output, counted from 1.
    pub port: u16,
    /// The node at the output's other end.
    pub peer: String,
    /// The lane.
    pub lane: u8,
}

impl CongestionSummary {
    /// Returns the congestion of a run.
    pub(crate) fn of(record: &RunRecord) -> Self {
        let roots = &record.congestion.roots;
        let mut victims: Vec<_> = roots.iter().flat_map(|root| &root.victims).map(|one| one.flow).collect();
        victims.sort_unstable();
        victims.dedup();
        Self {
            samples: record.congestion.sampled,
            roots: roots.len(),
            victims: victims.len(),
            lost_bytes: roots.iter().map(|root| root.lost.get()).sum(),
            worst_roots: worst(record)
                .into_iter()
                .take(LISTED)
                .map(|root| RootSummary::new(record, root))
                .collect(),
            hottest_outputs: hottest(record)
                .into_iter()
                .take(LISTED)
                .map(|(lane, load)| OutputSummary::new(record, lane, &load))
                .collect(),
        }
    }
}

impl RootSummary {
    fn new(record: &RunRecord, root: &RootRecord) -> Self {
        Self {
            place: OutputPlace {
                node: root.node.clone(),
                port: root.port,
                peer: root.peer.clone(),
                lane: root.lane,
            },
            from_s: root.first.seconds(),
            to_s: root.last.seconds(),
            samples: root.samples,
            cause: root.cause.map(cause::word),
            cause_in_words: cause::words(root),
            senders: root.senders,
            contributors: root.contributors.len(),
            victims: root.victims.len(),
            lost_bytes: root.lost.get(),
            lost_bps: lost_bps(record, root).round(),
        }
    }
}

impl OutputSummary {
    fn new(record: &RunRecord, lane: &LaneRecord, load: &OutputLoad) -> Self {
        Self {
            place: OutputPlace {
                node: lane.node.clone(),
                port: lane.port,
                peer: lane.peer.clone(),
                lane: lane.lane,
            },
            sampled_queue_mean_bytes: rounded(load.queue_mean, 3),
            sampled_queue_peak_bytes: load.queue_peak.get(),
            utilisation: rounded(utilisation(record, lane), 6),
            flows: load.flows,
            marked_packets: lane.marks.total(),
            congested_samples: load.congested,
            root_samples: load.rooted,
            stalled_samples: load.stalled,
        }
    }
}

/// Returns the roots of trees, the worst first.
pub(crate) fn worst(record: &RunRecord) -> Vec<&RootRecord> {
    let mut roots: Vec<_> = record.congestion.roots.iter().collect();
    roots.sort_by_key(|root| Reverse((root.lost, root.stalled)));
    roots
}

/// Returns the outputs of switches with packets that waited at a sample, beyond packets on their way through. The
/// longest mean queue comes first.
pub(crate) fn hottest(record: &RunRecord) -> Vec<(&LaneRecord, OutputLoad)> {
    let loads = record.lanes.iter().filter_map(|lane| lane.load.map(|load| (lane, load)));
    let mut hot: Vec<_> = loads.filter(|(_, load)| load.congested + load.stalled > 0).collect();
    hot.sort_by(|(_, a), (_, b)| b.queue_mean.total_cmp(&a.queue_mean)); // Of equals, the first stays first.
    hot
}

/// Returns the payload of all contributors that went through a root; `None` if that of some is not known.
pub(crate) fn through(root: &RootRecord) -> Option<u64> {
    root.contributors.iter().map(|one| one.through.map(Bytes::get)).sum()
}

/// Returns the payload that victims lost to a tree, over the time of its samples, in bit/s.
pub(crate) fn lost_bps(record: &RunRecord, root: &RootRecord) -> f64 {
    let span: Span = record.series.interval * u64::from(root.samples);
    if span == Span::ZERO { 0.0 } else { root.lost.bps_over(span) }
}

/// Returns the departures of a lane as a share of the bytes that its link could carry; 0 for a run without time.
pub(crate) fn utilisation(record: &RunRecord, lane: &LaneRecord) -> f64 {
    let possible = lane.rate.get() as f64 * record.simulated.seconds();
    // A packet that had just begun to leave counts in full, and the link has not carried all of it.
    if possible > 0.0 { (lane.sent.get() as f64 * 8.0 / possible).min(1.0) } else { 0.0 }
}
