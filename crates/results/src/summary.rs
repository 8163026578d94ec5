//! `summary.json`: the results of a run, as a JSON object.
//!
//! Invariant: every field's name states its unit. Rates are whole numbers of bit/s, times are in s, sizes in bytes.
//! Only `wall_s`, `packet_hops_per_s` and `peak_rss_bytes` depend on the machine.

mod detours;
mod jobs;
mod transport;

use std::collections::BTreeMap;

use scenario::{FlowPaths, Plan};
use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{Audit, FiniteRecord, PauseRecord, RunEnding, RunRecord};
use units::{Span, Time};

use crate::completions::CompletionSummary;
use crate::congestion::CongestionSummary;
use crate::goodput::{self, FlowGoodput, PhaseGoodput, rounded_jain};
use crate::groups::{self, GroupInPhase, GroupSummary};
use crate::remarks::{self, ClosedLoopSummary, Remark, RemarkFacts, SlowHostSummary};
use crate::verdict::command::{Advice, AskedScenario};
use crate::verdict::facts::Facts;
use crate::verdict::standings::Standings;
use crate::verdict::{self, Verdict};
use crate::{RunCost, RunIdentity};
use detours::DetourSummary;
pub use jobs::{CriticalPathSummary, JobSummary, LateIterationSummary, PathPlaceSummary};
use measures::PhasePart;
use measures::rounded;
use measures::steady_state::SteadyInPhase;
use transport::TransportSummary;

/// Name and version of this format. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-summary/3";

/// Results of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Name and version of the format.
    pub schema: &'static str,
    /// Name of the scenario.
    pub scenario: String,
    /// Scheme of congestion control, as the scenario names it: `Off`, `Iba`, `Hp`, `Dcqcn`, `Mixed`.
    pub congestion_control: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// Version of the simulator.
    pub version: String,
    /// The answer of the run in four texts: loss, cause, confidence, and a command to try.
    pub verdict: Verdict,
    /// The advice of the verdict, for any name of the scenario.
    #[serde(skip)]
    advice: Advice,
    /// Digest of all events of the run, in 16 hexadecimal digits. A drain after its end is not included.
    pub digest: String,
    /// Simulated time that passed, a drain included.
    pub simulated_s: f64,
    /// Reason for which the run ended.
    pub ended: SummaryEnd,
    /// Time at which the last message of finite traffic was delivered, with and without `--until-done`; `None` if
    /// there is none, or some was not delivered or was to be posted later.
    pub done_s: Option<f64>,
    /// Finite traffic, which ends by itself: its messages, a drain included; `None` if there is none.
    pub finite: Option<FiniteSummary>,
    /// Jobs, in the order of the scenario; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobSummary>,
    /// Flows whose queue pair gave up after its last retry: the first hundred, by time.
    pub failed: Vec<FailureSummary>,
    /// Time since which no payload was delivered, if outputs waited for each other at the end: packets may be in a
    /// deadlock that is not proved; `None` if the fabric moved.
    pub stands_still_since_s: Option<f64>,
    /// Elapsed real time, from the checked plan to the end of the run.
    pub wall_s: f64,
    /// Number of events handled.
    pub events: u64,
    /// Packets times links crossed: data, acknowledgements and notifications, not flow-control packets.
    pub packet_hops: u64,
    /// Packet-hops per second of real time.
    pub packet_hops_per_s: f64,
    /// Peak memory of the process so far; `None` if the system does not report it, and in runs of a sweep, which
    /// share a process.
    pub peak_rss_bytes: Option<u64>,
    /// Packets that reached their destination's adapter.
    pub delivered_packets: u64,
    /// Packets lost: 0 wherever the fabric is lossless.
    pub dropped_packets: u64,
    /// Flow-control packets sent: updates of credits, or PAUSE and RESUME.
    pub flow_control_packets: u64,
    /// Pauses and drops; `None` under credits.
    pub pauses: Option<PauseSummary>,
    /// Events in `pauses.csv`; `None` if the scenario asks for none.
    pub pause_log: Option<PauseLogSummary>,
    /// Packets marked by switches, by the reasons of the run's rule. IBA: `root` (over its threshold with credits),
    /// `victim_mask` (over its threshold without credits, and named in `Victim_Mask`). HP proposal: `propagation`
    /// (the packet waited in a full buffer), `generation` (its output was taken for a root). RED: `red`.
    pub marks: BTreeMap<&'static str, u64>,
    /// Counts over all queue pairs.
    pub transport: TransportSummary,
    /// Packets that took detours; `None` if all routes are minimal or fixed.
    pub detours: Option<DetourSummary>,
    /// Self-checks of the run.
    pub audit: AuditSummary,
    /// Groups of flows.
    pub groups: Vec<GroupSummary>,
    /// Flows with neither a name nor a group.
    pub others: OthersSummary,
    /// Completion times of messages; `None` with `completions: NotKept`.
    pub completions: Option<CompletionSummary>,
    /// Patterns with a closed loop at each host that posted messages; empty with `completions: NotKept`.
    pub closed_loops: Vec<ClosedLoopSummary>,
    /// Hosts with a limited rate that packets waited for, the longest wait first.
    pub slow_hosts: Vec<SlowHostSummary>,
    /// Facts that tables hide, or that make a number mean less than it seems to, as sentences.
    pub remarks: Vec<Remark>,
    /// Flows, patterns and groups against their best, in the quantities of the verdict.
    pub standings: Standings,
    /// Congestion trees and hot outputs.
    pub congestion: CongestionSummary,
    /// Goodput and fairness, phase by phase.
    pub phases: Vec<PhaseSummary>,
    /// Goodput of each flow without others, where it is known, for `flows.csv`; empty without the plan.
    #[serde(skip)]
    pub alone_bps: Vec<Option<f64>>,
    /// Flows with a path in `paths.csv`; `None` without the plan.
    pub paths: Option<PathSummary>,
    /// Outputs of the paths, for `paths.csv`; `None` without the plan.
    #[serde(skip)]
    pub path_outputs: Option<FlowPaths>,
}

/// The flows of `paths.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathSummary {
    /// Number of flows with a path: the first of `flows.csv`.
    pub flows: usize,
    /// Number of further flows: their paths would make the file too long, or the first of them may take detours.
    pub left_out_flows: usize,
}

/// Reason for which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SummaryEnd {
    /// The run lasted for its duration.
    Complete,
    /// All finite traffic was delivered, and the run was to end then.
    Done,
    /// The run was to end when all finite traffic was delivered, and reached its longest time before.
    NotDone,
    /// The run was to end when all finite traffic was delivered, and all that was left of it belonged to queue pairs
    /// that had given up.
    GaveUp,
    /// No rank of a job that is not done could go on.
    Stuck,
    /// The user ended the run.
    Interrupted,
}

/// Traffic that ends by itself: by a number of messages, a stop, or a list.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct FiniteSummary {
    /// Number of messages; `None` if it depends on the run.
    pub messages: Option<u64>,
    /// Messages posted.
    pub posted_messages: u64,
    /// Messages delivered.
    pub delivered_messages: u64,
}

/// A flow whose queue pair gave up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailureSummary {
    /// Name of the flow.
    pub flow: String,
    /// Time at which its queue pair gave up.
    pub at_s: f64,
}

/// Most failures that a summary names.
const MOST_FAILURES: usize = 100;

/// Pauses and drops over all ports and lanes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PauseSummary {
    /// PAUSE frames sent, including those that renew a pause.
    pub pauses: u64,
    /// Time for which outputs were paused, added up over all outputs.
    pub paused_s: f64,
    /// Packets dropped at inputs, without room or headroom for them.
    pub dropped_at_input_packets: u64,
    /// Packets dropped because too much waited for their output.
    pub dropped_at_output_packets: u64,
    /// Node and port with the most drops.
    pub worst_drops: Option<String>,
}

/// Logged beginnings and ends of pauses.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PauseLogSummary {
    /// Events that are in `pauses.csv`.
    pub events: usize,
    /// Events that are not, because too many happened at their port and lane.
    pub lost_events: u64,
}

/// Self-checks of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditSummary {
    /// Packets that adapters made: the sum of the next three.
    pub injected_packets: u64,
    /// Packets delivered.
    pub delivered_packets: u64,
    /// Packets lost.
    pub dropped_packets: u64,
    /// Packets still in the fabric at the end.
    pub under_way_packets: u64,
    /// Highest occupancy of any buffer, as a share of its size, 0 to 1.
    pub fullest_buffer_share: f64,
    /// True if the sources were stopped at the end and the fabric came to rest with every credit returned (`--drain`).
    pub drained: bool,
    /// Time that the drain took.
    pub drain_s: f64,
}

/// Flows with neither a name nor a group, over the whole run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OthersSummary {
    /// Number of these flows.
    pub flows: usize,
    /// Number of these flows whose amount of data is known beforehand.
    pub finite_flows: usize,
    /// Number of finite flows that delivered all their data.
    pub completed_flows: usize,
}

/// A phase: the time between two declared changes of traffic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PhaseSummary {
    /// The change that begins the phase: `F3 starts`.
    pub name: String,
    /// Start of the phase.
    pub from_s: f64,
    /// End of the phase.
    pub to_s: f64,
    /// Goodput of all flows together, over the whole phase.
    pub total_goodput_bps: f64,
    /// Goodput of all flows together, over the second half of the phase.
    pub second_half_total_goodput_bps: f64,
    /// Jain's index of the named flows that were active, victims included, over the whole phase; `None` if none was,
    /// or none got anything.
    pub jain: Option<f64>,
    /// Jain's index of the named flows that were active, over the second half of the phase.
    pub second_half_jain: Option<f64>,
    /// Goodput of all flows together after its warm-up, if it is stationary. The other goodputs are counts,
    /// stationary or not.
    pub steady_state: SteadyInPhase,
    /// Every flow that the scenario names.
    pub flows: Vec<FlowSummary>,
    /// Groups of flows.
    pub groups: Vec<GroupInPhase>,
    /// All flows with neither a name nor a group together.
    pub others: OthersInPhase,
}

/// One named flow in one phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlowSummary {
    /// Name of the flow.
    pub flow: String,
    /// Name of its group; `None` without one.
    pub group: Option<String>,
    /// Host that the data comes from.
    pub src: String,
    /// Host that the data goes to.
    pub dst: String,
    /// Transport service: `RC`, `RD`, `UC`, `UD`.
    pub transport: &'static str,
    /// Operation that each message performs: `SEND`, `RDMA WRITE`, `RDMA READ`.
    pub operation: &'static str,
    /// Whether the flow had data to send.
    pub active: bool,
    /// Goodput over the whole phase.
    pub goodput_bps: f64,
    /// Goodput over the second half of the phase.
    pub second_half_goodput_bps: f64,
}

/// The flows with neither a name nor a group, in one phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OthersInPhase {
    /// Number of flows that had data to send.
    pub active_flows: usize,
    /// Goodput of these flows together, over the whole phase.
    pub total_goodput_bps: f64,
    /// Goodput of these flows together, over the second half of the phase.
    pub second_half_total_goodput_bps: f64,
    /// Jain's index of the flows that were active, over the whole phase; `None` if none was, or none got anything.
    pub jain: Option<f64>,
    /// Jain's index of the flows that were active, over the second half of the phase.
    pub second_half_jain: Option<f64>,
}

impl Summary {
    /// Returns the summary of a run of a plan.
    #[must_use]
    pub fn of_plan(plan: &Plan, version: &str, record: &RunRecord, cost: RunCost) -> Self {
        let context = RunIdentity {
            scenario: plan.name(),
            congestion_control: plan.congestion_control(),
            seed: plan.seed(),
            version,
        };
        Self::with((context, Some(plan)), record, cost)
    }

    /// Returns the summary of a run without its plan. Its verdict names fewer facts.
    #[must_use]
    pub fn new(context: RunIdentity<'_>, record: &RunRecord, cost: RunCost) -> Self {
        Self::with((context, None), record, cost)
    }

    /// Names the scenario in the command that the verdict advises as a command line does.
    pub fn advise(&mut self, asked: &AskedScenario) {
        self.verdict.advice = self.advice.sentence(asked);
    }

    fn with((context, plan): (RunIdentity<'_>, Option<&Plan>), record: &RunRecord, cost: RunCost) -> Self {
        let wall = cost.wall.as_secs_f64();
        let goodput = goodput::by_phase(record);
        let completions = CompletionSummary::of(record);
        let (closed_loops, slow_hosts) = (remarks::closed_loops(record), remarks::slow_hosts(record));
        let facts = Facts {
            record,
            plan,
            goodput: &goodput,
            completions: completions.as_ref(),
            closed_loops: &closed_loops,
            slow_hosts: &slow_hosts,
        };
        let hidden =
            RemarkFacts { record, goodput: &goodput, closed_loops: &closed_loops, slow_hosts: &slow_hosts };
        let (verdict, advice, standings) = verdict::run::verdict(facts);
        let path_outputs = plan.map(Plan::flow_paths);
        Self {
            remarks: remarks::of(hidden),
            standings,
            verdict,
            advice,
            schema: SCHEMA,
            scenario: context.scenario.to_owned(),
            congestion_control: context.congestion_control.to_owned(),
            seed: context.seed,
            version: context.version.to_owned(),
            digest: format!("{:016x}", record.digest),
            simulated_s: record.simulated.seconds(),
            ended: record.ended.into(),
            done_s: record.finite.and_then(|finite| finite.done).map(Time::seconds),
            finite: record.finite.map(FiniteSummary::from),
            jobs: record.jobs.iter().map(JobSummary::from).collect(),
            failed: failures(record),
            stands_still_since_s: record.stands_still.map(Time::seconds),
            wall_s: rounded(wall, 6),
            events: record.events,
            packet_hops: record.packet_hops,
            packet_hops_per_s: if wall > 0.0 { (record.packet_hops as f64 / wall).round() } else { 0.0 },
            peak_rss_bytes: cost.peak_rss,
            delivered_packets: record.delivered_packets,
            dropped_packets: record.dropped_packets,
            flow_control_packets: record.flow_control_packets,
            pauses: pauses(record),
            pause_log: record
                .pause_events
                .as_ref()
                .map(|log| PauseLogSummary { events: log.events.len(), lost_events: log.lost }),
            marks: by_reason(record),
            transport: record.into(),
            detours: record.detours.map(Into::into),
            audit: (&record.audit).into(),
            groups: groups::over_run(record),
            others: OthersSummary {
                flows: record.others().count(),
                finite_flows: record.others().filter(|flow| record.flows[*flow].total.is_some()).count(),
                completed_flows: record.others().filter(|flow| record.flows[*flow].complete()).count(),
            },
            phases: phases(record, &goodput),
            alone_bps: plan.map(Plan::rates_alone).unwrap_or_default(),
            paths: path_outputs
                .as_ref()
                .map(|paths| PathSummary { flows: paths.flows, left_out_flows: paths.left_out_flows }),
            path_outputs,
            completions,
            closed_loops,
            slow_hosts,
            congestion: CongestionSummary::of(record),
        }
    }

    /// Returns the summary as indented JSON that ends with a newline.
    #[must_use]
    pub fn json(&self) -> String {
        names::json::escaped(serde_json::to_string_pretty(self).expect("a summary is plain data") + "\n")
    }
}

/// Returns the flows of a run with a queue pair that gave up, at most a hundred.
#[must_use]
pub fn failures(record: &RunRecord) -> Vec<FailureSummary> {
    let first = record.failed.iter().take(MOST_FAILURES);
    let named = first.map(|failed| FailureSummary {
        flow: record.flows[failed.flow as usize].name.to_string(),
        at_s: failed.at.seconds(),
    });
    named.collect()
}

fn phases(record: &RunRecord, phases: &[PhaseGoodput<'_>]) -> Vec<PhaseSummary> {
    let groups = groups::by_phase(record, phases);
    phases.iter().zip(groups).map(|(phase, groups)| PhaseSummary::new(record, phase, groups)).collect()
}

impl PhaseSummary {
    fn new(record: &RunRecord, goodput: &PhaseGoodput<'_>, groups: Vec<GroupInPhase>) -> Self {
        let flow = |(flow, share): (&telemetry::FlowRecord, &FlowGoodput)| FlowSummary {
            flow: flow.name.to_string(),
            group: flow.group.map(|group| record.groups[group as usize].name.clone()),
            src: flow.source.to_string(),
            dst: flow.destination.to_string(),
            transport: flow.transport.word(),
            operation: flow.operation.word(),
            active: share.active,
            goodput_bps: share.over(PhasePart::Whole).round(),
            second_half_goodput_bps: share.over(PhasePart::SecondHalf).round(),
        };
        let total = |stretch| goodput::total(&goodput.flows, stretch).round();
        let (named, others) = (goodput.of(0..record.named()), goodput.of(record.others()));
        Self {
            name: goodput.phase.name.clone(),
            from_s: goodput.phase.from.seconds(),
            to_s: goodput.phase.to.seconds(),
            total_goodput_bps: total(PhasePart::Whole),
            second_half_total_goodput_bps: total(PhasePart::SecondHalf),
            jain: rounded_jain(&named, PhasePart::Whole),
            second_half_jain: rounded_jain(&named, PhasePart::SecondHalf),
            steady_state: goodput.steady(record),
            flows: record.flows.iter().zip(&named).map(flow).collect(),
            groups,
            others: OthersInPhase {
                active_flows: others.iter().filter(|flow| flow.active).count(),
                total_goodput_bps: goodput::total(&others, PhasePart::Whole).round(),
                second_half_total_goodput_bps: goodput::total(&others, PhasePart::SecondHalf).round(),
                jain: rounded_jain(&others, PhasePart::Whole),
                second_half_jain: rounded_jain(&others, PhasePart::SecondHalf),
            },
        }
    }
}

impl From<RunEnding> for SummaryEnd {
    fn from(ended: RunEnding) -> Self {
        match ended {
            RunEnding::AtDuration => Self::Complete,
            RunEnding::Done => Self::Done,
            RunEnding::NotDone => Self::NotDone,
            RunEnding::GaveUp => Self::GaveUp,
            RunEnding::Stuck => Self::Stuck,
            RunEnding::Interrupted => Self::Interrupted,
        }
    }
}

impl From<FiniteRecord> for FiniteSummary {
    fn from(finite: FiniteRecord) -> Self {
        let FiniteRecord { messages, posted, delivered, done: _ } = finite;
        Self { messages, posted_messages: posted, delivered_messages: delivered }
    }
}

impl From<&Audit> for AuditSummary {
    fn from(audit: &Audit) -> Self {
        Self {
            injected_packets: audit.injected,
            delivered_packets: audit.delivered,
            dropped_packets: audit.dropped,
            under_way_packets: audit.under_way,
            fullest_buffer_share: rounded(audit.fullest_buffer, 6),
            drained: audit.drained,
            drain_s: audit.drain.seconds(),
        }
    }
}

/// Returns the pauses and drops of all ports and lanes; `None` if no lane counts any.
fn pauses(record: &RunRecord) -> Option<PauseSummary> {
    let lanes = || record.lanes.iter().filter_map(|lane| lane.pause.as_ref().map(|pause| (lane, pause)));
    lanes().next()?;
    let dropped = |pause: &PauseRecord| pause.dropped_at_input + pause.dropped_at_output;
    let worst = lanes().rev().max_by_key(|(_, pause)| dropped(pause)).filter(|(_, pause)| dropped(pause) > 0);
    Some(PauseSummary {
        pauses: lanes().map(|(_, pause)| pause.sent).sum(),
        paused_s: lanes().map(|(_, pause)| pause.paused).sum::<Span>().seconds(),
        dropped_at_input_packets: lanes().map(|(_, pause)| pause.dropped_at_input).sum(),
        dropped_at_output_packets: lanes().map(|(_, pause)| pause.dropped_at_output).sum(),
        worst_drops: worst.map(|(lane, pause)| {
            format!("{} at {} port {} ({}), VL{}", dropped(pause), lane.node, lane.port, lane.peer, lane.lane)
        }),
    })
}

fn by_reason(record: &RunRecord) -> BTreeMap<&'static str, u64> {
    record.mark_reasons.iter().map(|(code, name)| (*name, record.marks.of(*code))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample;

    fn summary() -> Summary {
        Summary::new(sample::CONTEXT, &sample::record(), sample::cost())
    }

    #[test]
    fn the_summary_as_it_is_written() {
        insta::assert_snapshot!(summary().json());
    }

    #[test]
    fn every_promised_field_is_there() {
        let json: Value = serde_json::from_str(&summary().json()).unwrap();
        let top = [
            "schema",
            "scenario",
            "congestion_control",
            "seed",
            "version",
            "digest",
            "simulated_s",
            "ended",
            "done_s",
            "finite",
            "wall_s",
            "events",
            "packet_hops",
            "packet_hops_per_s",
            "peak_rss_bytes",
            "delivered_packets",
            "dropped_packets",
            "marks",
            "phases",
        ];
        let phase = ["name", "from_s", "to_s", "total_goodput_bps", "jain", "flows"];
        let flow = ["flow", "src", "dst", "goodput_bps", "second_half_goodput_bps"];
        for (object, fields) in
            [(&json, &top[..]), (&json["phases"][0], &phase[..]), (&json["phases"][0]["flows"][0], &flow[..])]
        {
            for field in fields {
                assert!(object.get(field).is_some(), "no `{field}` in {object}");
            }
        }
    }
}
