//! `summary.json`: what a run found, as one JSON object.
//!
//! Invariant: rates are in bit/s and rounded to whole ones, times in s, sizes in bytes, and every
//! field's name says so. Only `wall_s`, `packet_hops_per_s` and `peak_rss_bytes` depend on the machine.

use std::collections::BTreeMap;

use serde::Serialize;
use telemetry::{Audit, PauseRecord, RunRecord, TransportTally};
use units::Span;

use crate::completions::CompletionSummary;
use crate::goodput::{self, FlowGoodput, PhaseGoodput, Stretch};
use crate::{Context, Cost, rounded};

/// The name and version of this form; it changes when a field changes its meaning or disappears.
pub const SCHEMA: &str = "backwater-summary/1";

/// What a run found.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The scenario's name.
    pub scenario: String,
    /// Its scheme of congestion control, in the scenario's own word.
    pub congestion_control: String,
    /// The seed of its random streams.
    pub seed: u64,
    /// The version of the simulator.
    pub version: String,
    /// The run's digest, in hexadecimal.
    pub digest: String,
    /// Simulated time that passed.
    pub simulated_s: f64,
    /// Time on the clock on the wall.
    pub wall_s: f64,
    /// Events handled.
    pub events: u64,
    /// Packets times links crossed: data, acknowledgements and notifications.
    pub packet_hops: u64,
    /// The same for each second on the wall.
    pub packet_hops_per_s: f64,
    /// The most memory that the process held, where the system tells.
    pub peak_rss_bytes: Option<u64>,
    /// Packets that reached their destination's adapter.
    pub delivered_packets: u64,
    /// Packets lost.
    pub dropped_packets: u64,
    /// Flow-control packets sent.
    pub flow_control_packets: u64,
    /// Pauses and drops; none under credits.
    pub pauses: Option<PauseSummary>,
    /// Packets marked by switches, by reason.
    pub marks: BTreeMap<&'static str, u64>,
    /// What the queue pairs did.
    pub transport: TransportSummary,
    /// What was checked.
    pub audit: AuditSummary,
    /// How many flows there were that the scenario does not name, and how many had delivered all.
    pub others: OthersSummary,
    /// Completion times of messages, if they were kept.
    pub completions: Option<CompletionSummary>,
    /// Phase by phase.
    pub phases: Vec<PhaseSummary>,
}

/// What PFC did, and what was dropped, over all ports and lanes.
#[derive(Clone, Debug, Serialize)]
pub struct PauseSummary {
    /// PAUSE frames sent, those that ask again included.
    pub pauses: u64,
    /// How long outputs were paused, all together.
    pub paused_s: f64,
    /// Packets that found neither room nor headroom.
    pub dropped_at_input_packets: u64,
    /// Packets that found too much waiting for their output.
    pub dropped_at_output_packets: u64,
    /// Where most were dropped: the node and its port.
    pub worst_drops: Option<String>,
}

/// Counts over all queue pairs.
#[derive(Clone, Debug, Serialize)]
pub struct TransportSummary {
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
    pub retransmitted_packets: u64,
    /// Queue pairs, and end-to-end contexts, that gave up.
    pub failed_queue_pairs: u64,
    /// Times that packets were found missing where nobody sends them again.
    pub gaps: u64,
}

/// What a run proved about itself.
#[derive(Clone, Debug, Serialize)]
pub struct AuditSummary {
    /// Packets injected.
    pub injected_packets: u64,
    /// Packets delivered.
    pub delivered_packets: u64,
    /// Packets lost.
    pub dropped_packets: u64,
    /// Packets still under way at the end.
    pub under_way_packets: u64,
    /// The most that any buffer held, as a share of its size.
    pub fullest_buffer_share: f64,
    /// Whether the run was drained to rest at its end.
    pub drained: bool,
    /// How long the drain took.
    pub drain_s: f64,
}

/// Flows that the scenario does not name, over the whole run.
#[derive(Clone, Debug, Serialize)]
pub struct OthersSummary {
    /// How many.
    pub flows: usize,
    /// How many of them delivered all that they had to send.
    pub completed_flows: usize,
}

/// One phase.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseSummary {
    /// What begins with it.
    pub name: String,
    /// Its start.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Goodput of all flows together, over the whole phase.
    pub total_goodput_bps: f64,
    /// The same over its second half.
    pub settled_total_goodput_bps: f64,
    /// Jain's index of the named flows active in it, over the whole phase.
    pub jain: f64,
    /// The same over its second half.
    pub settled_jain: f64,
    /// Every flow that the scenario names.
    pub flows: Vec<FlowSummary>,
    /// All other flows together.
    pub others: OthersInPhase,
}

/// One named flow in one phase.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSummary {
    /// Its name.
    pub flow: String,
    /// The host that the data comes from.
    pub src: String,
    /// The host that the data goes to.
    pub dst: String,
    /// The transport service that carries it.
    pub transport: &'static str,
    /// What its messages do.
    pub operation: &'static str,
    /// Whether it had something to send.
    pub active: bool,
    /// Its goodput over the whole phase.
    pub goodput_bps: f64,
    /// The same over the second half.
    pub settled_goodput_bps: f64,
}

/// The flows that the scenario does not name, in one phase.
#[derive(Clone, Debug, Serialize)]
pub struct OthersInPhase {
    /// How many had something to send.
    pub active_flows: usize,
    /// Goodput of all together, over the whole phase.
    pub total_goodput_bps: f64,
    /// The same over its second half.
    pub settled_total_goodput_bps: f64,
    /// Jain's index of those that were active, over the whole phase.
    pub jain: f64,
    /// The same over its second half.
    pub settled_jain: f64,
}

impl Summary {
    /// The summary of a run.
    #[must_use]
    pub fn new(context: Context<'_>, record: &RunRecord, cost: Cost) -> Self {
        let wall = cost.wall.as_secs_f64();
        let others = &record.flows[record.named()..];
        Self {
            schema: SCHEMA,
            scenario: context.scenario.to_owned(),
            congestion_control: context.congestion_control.to_owned(),
            seed: context.seed,
            version: context.version.to_owned(),
            digest: format!("{:016x}", record.digest),
            simulated_s: record.simulated.seconds(),
            wall_s: rounded(wall, 6),
            events: record.events,
            packet_hops: record.packet_hops,
            packet_hops_per_s: if wall > 0.0 { (record.packet_hops as f64 / wall).round() } else { 0.0 },
            peak_rss_bytes: cost.peak_rss,
            delivered_packets: record.delivered_packets,
            dropped_packets: record.dropped_packets,
            flow_control_packets: record.flow_control_packets,
            pauses: pauses(record),
            marks: by_reason(record),
            transport: record.transport.into(),
            audit: (&record.audit).into(),
            others: OthersSummary {
                flows: others.len(),
                completed_flows: others.iter().filter(|flow| flow.complete()).count(),
            },
            completions: CompletionSummary::of(record),
            phases: goodput::by_phase(record).iter().map(|phase| PhaseSummary::new(record, phase)).collect(),
        }
    }

    /// The summary as indented JSON, with a newline at its end.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a summary is plain data") + "\n"
    }
}

impl PhaseSummary {
    fn new(record: &RunRecord, goodput: &PhaseGoodput<'_>) -> Self {
        let flow = |(flow, share): (&telemetry::FlowRecord, &FlowGoodput)| FlowSummary {
            flow: flow.name.clone(),
            src: flow.source.clone(),
            dst: flow.destination.clone(),
            transport: flow.transport,
            operation: flow.operation,
            active: share.active,
            goodput_bps: share.over(Stretch::Whole).round(),
            settled_goodput_bps: share.over(Stretch::Settled).round(),
        };
        let total = |stretch| {
            (goodput::total(&goodput.named, stretch) + goodput::total(&goodput.others, stretch)).round()
        };
        Self {
            name: goodput.phase.name.clone(),
            from_s: goodput.phase.from.seconds(),
            to_s: goodput.phase.to.seconds(),
            total_goodput_bps: total(Stretch::Whole),
            settled_total_goodput_bps: total(Stretch::Settled),
            jain: rounded_jain(&goodput.named, Stretch::Whole),
            settled_jain: rounded_jain(&goodput.named, Stretch::Settled),
            flows: record.flows.iter().zip(&goodput.named).map(flow).collect(),
            others: OthersInPhase {
                active_flows: goodput.others.iter().filter(|flow| flow.active).count(),
                total_goodput_bps: goodput::total(&goodput.others, Stretch::Whole).round(),
                settled_total_goodput_bps: goodput::total(&goodput.others, Stretch::Settled).round(),
                jain: rounded_jain(&goodput.others, Stretch::Whole),
                settled_jain: rounded_jain(&goodput.others, Stretch::Settled),
            },
        }
    }
}

impl From<TransportTally> for TransportSummary {
    fn from(tally: TransportTally) -> Self {
        Self {
            acknowledgements: tally.acknowledgements,
            cnps: tally.cnps,
            becns: tally.becns,
            trigger_events: tally.trigger_events,
            naks: tally.naks,
            timeouts: tally.timeouts,
            retransmitted_packets: tally.retransmitted,
            failed_queue_pairs: tally.failed_queue_pairs,
            gaps: tally.gaps,
        }
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

/// Pauses and drops of all ports and lanes; none where no lane has any to count.
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

fn rounded_jain(flows: &[FlowGoodput], stretch: Stretch) -> f64 {
    rounded(goodput::jain_of_active(flows, stretch), 6)
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
        let flow = ["flow", "src", "dst", "goodput_bps", "settled_goodput_bps"];
        for (object, fields) in
            [(&json, &top[..]), (&json["phases"][0], &phase[..]), (&json["phases"][0]["flows"][0], &flow[..])]
        {
            for field in fields {
                assert!(object.get(field).is_some(), "no `{field}` in {object}");
            }
        }
    }

    #[test]
    fn the_manual_describes_every_field() {
        let manual = include_str!("../../../docs/outputs.md");
        let mut missing = Vec::new();
        let json: Value = serde_json::from_str(&summary().json()).unwrap();
        let mut open = vec![&json];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) => {
                    for (name, value) in fields {
                        if !manual.contains(&format!("`{name}`")) {
                            missing.push(name);
                        }
                        open.push(value);
                    }
                }
                Value::Array(values) => open.extend(values),
                _ => {}
            }
        }
        assert!(missing.is_empty(), "docs/outputs.md does not describe {missing:?}");
    }
}
