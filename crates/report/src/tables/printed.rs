//! Tables of a summary on the terminal: goodput of each flow in each phase, then counts over the whole run.
//!
//! Invariant: every number stands in the [`Summary`]; nothing is computed here.

use std::path::Path;

use crate::format::{aligned, grouped, plain_table};
use crate::goodput::PhasePart;
use crate::summary::{FlowSummary, PauseSummary, PhaseSummary, Summary};

/// Number of flows side by side; further flows continue in another block.
const FLOWS_A_BLOCK: usize = 8;

/// Papers often give Jain's index of the contributors to congestion alone.
const JAIN_NOTE: &str =
    "\nJain (all): the index of all named flows that were active in the phase, victims included.\n";

/// Returns all that a run prints, except the place of its files.
#[must_use]
pub fn tables(summary: &Summary) -> String {
    let whole = goodput(summary, PhasePart::Whole);
    let settled = goodput(summary, PhasePart::Settled);
    let note = if summary.named() > 0 { JAIN_NOTE } else { "" };
    format!(
        "{}\n\nGoodput over each phase, in Gb/s\n{whole}\n\n\
         Goodput over the second half of each phase, when it has settled, in Gb/s\n{settled}\n{note}\n{}\n",
        head(summary),
        counts(summary),
    )
}

/// States the place of the files.
#[must_use]
pub fn written(folder: &Path, names: &[&str]) -> String {
    format!("written to {}: {}\n", folder.display(), names.join(", "))
}

fn head(summary: &Summary) -> String {
    format!(
        "{}, congestion control {}, seed {}: {} s simulated in {}; {} packet-hops, {} a second",
        summary.scenario,
        summary.congestion_control,
        summary.seed,
        summary.simulated_s,
        on_the_wall(summary.wall_s),
        grouped(summary.packet_hops),
        grouped(summary.packet_hops_per_s as u64),
    )
}

/// Returns elapsed real time in a unit that suits its length.
fn on_the_wall(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Returns one row for each phase and one column for each flow, in blocks of flows; the last block has the totals.
fn goodput(summary: &Summary, stretch: PhasePart) -> String {
    let flows = summary.phases.first().map_or(&[][..], |phase| &phase.flows);
    let names: Vec<&str> = flows.iter().map(|flow| flow.flow.as_str()).collect();
    let starts: Vec<usize> = (0..names.len().max(1)).step_by(FLOWS_A_BLOCK).collect();
    let block = |&start: &usize| {
        let end = names.len().min(start + FLOWS_A_BLOCK);
        let last = end == names.len();
        let mut header = vec!["phase".to_owned(), "from (s)".to_owned(), "to (s)".to_owned()];
        header.extend(names[start..end].iter().map(|name| (*name).to_owned()));
        if last {
            header.extend(totals_header(summary));
        }
        let mut table = plain_table();
        table.set_header(header);
        for phase in &summary.phases {
            let mut row = vec![phase.name.clone(), phase.from_s.to_string(), phase.to_s.to_string()];
            row.extend(phase.flows[start..end].iter().map(|flow| cell(flow, stretch)));
            if last {
                row.extend(totals(summary, phase, stretch));
            }
            table.add_row(row);
        }
        aligned(table, 1)
    };
    starts.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn totals_header(summary: &Summary) -> Vec<String> {
    let others = ["others", "their Jain"].map(str::to_owned);
    let jain = if summary.named() > 0 { vec!["Jain (all)".to_owned()] } else { vec![] };
    if summary.others.flows == 0 {
        [vec!["total".to_owned()], jain].concat()
    } else {
        [jain, others.to_vec(), vec!["total".to_owned()]].concat()
    }
}

/// Returns the total and Jain's index of the named flows, and of all others if there are any.
fn totals(summary: &Summary, phase: &PhaseSummary, stretch: PhasePart) -> Vec<String> {
    let others = &phase.others;
    let (jain, total, others_total, others_jain) = match stretch {
        PhasePart::Whole => (phase.jain, phase.total_goodput_bps, others.total_goodput_bps, others.jain),
        PhasePart::Settled => (
            phase.settled_jain,
            phase.settled_total_goodput_bps,
            others.settled_total_goodput_bps,
            others.settled_jain,
        ),
    };
    let jain = if summary.named() > 0 { vec![format!("{jain:.3}")] } else { vec![] };
    if summary.others.flows == 0 {
        [vec![gbps(total)], jain].concat()
    } else {
        let others_jain = if others.active_flows == 0 { "-".to_owned() } else { format!("{others_jain:.3}") };
        [jain, vec![gbps(others_total), others_jain, gbps(total)]].concat()
    }
}

fn cell(flow: &FlowSummary, stretch: PhasePart) -> String {
    let goodput = match stretch {
        PhasePart::Whole => flow.goodput_bps,
        PhasePart::Settled => flow.settled_goodput_bps,
    };
    if flow.active || goodput > 0.0 { gbps(goodput) } else { "-".to_owned() }
}

fn counts(summary: &Summary) -> String {
    let mut table = plain_table();
    let marked: u64 = summary.marks.values().sum();
    let reasons: Vec<_> =
        summary.marks.iter().map(|(reason, count)| format!("{reason} {}", grouped(*count))).collect();
    let by_reason = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    table.add_row(vec!["marks".to_owned(), format!("{} packets{by_reason}", grouped(marked))]);
    let transport = &summary.transport;
    table.add_row(vec![
        "notifications".to_owned(),
        format!(
            "{} CNPs sent, {} BECNs received; trigger threshold reached {} times",
            grouped(transport.cnps),
            grouped(transport.becns),
            grouped(transport.trigger_events)
        ),
    ]);
    table.add_row(vec![
        "transport".to_owned(),
        format!(
            "{} ACKs, {} NAKs, {} timeouts, {} packets retransmitted, {} queue pairs failed",
            grouped(transport.acknowledgements),
            grouped(transport.naks),
            grouped(transport.timeouts),
            grouped(transport.retransmitted_packets),
            grouped(transport.failed_queue_pairs)
        ),
    ]);
    if let Some(pauses) = &summary.pauses {
        table.add_row(vec!["pauses".to_owned(), paused(pauses)]);
    }
    if summary.others.flows > 0 {
        table.add_row(vec![
            "others".to_owned(),
            format!(
                "{} flows that the scenario does not name, {} of them complete; each stands in flows.csv",
                grouped(summary.others.flows as u64),
                grouped(summary.others.completed_flows as u64)
            ),
        ]);
    }
    table.add_row(vec!["audit".to_owned(), audit(summary)]);
    table.add_row(vec!["digest".to_owned(), summary.digest.clone()]);
    aligned(table, 2)
}

fn paused(pauses: &PauseSummary) -> String {
    let worst = pauses.worst_drops.as_ref().map_or_else(String::new, |worst| format!("; most: {worst}"));
    format!(
        "{} PAUSE frames, outputs paused for {:.3} ms in all; {} packets dropped without room, {} at outputs{worst}",
        grouped(pauses.pauses),
        pauses.paused_s * 1e3,
        grouped(pauses.dropped_at_input_packets),
        grouped(pauses.dropped_at_output_packets),
    )
}

fn audit(summary: &Summary) -> String {
    let audit = &summary.audit;
    let drained = if audit.drained {
        format!("; drained to rest in {:.3} us", audit.drain_s * 1e6)
    } else {
        String::new()
    };
    format!(
        "{} packets injected = {} delivered + {} dropped + {} under way; fullest buffer {:.1} %{drained}",
        grouped(audit.injected_packets),
        grouped(audit.delivered_packets),
        grouped(audit.dropped_packets),
        grouped(audit.under_way_packets),
        audit.fullest_buffer_share * 100.0,
    )
}

impl Summary {
    fn named(&self) -> usize {
        self.phases.first().map_or(0, |phase| phase.flows.len())
    }
}

fn gbps(bps: f64) -> String {
    format!("{:.2}", bps / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Summary, sample};

    #[test]
    fn the_tables_with_named_and_other_flows() {
        let summary = Summary::new(sample::CONTEXT, &sample::record(), sample::cost());
        insta::assert_snapshot!(tables(&summary));
    }

    #[test]
    fn the_tables_with_named_flows_only() {
        let mut record = sample::record();
        record.flows.truncate(2);
        record.audit.drained = true;
        record.audit.drain = units::Span::from_us(12);
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(tables(&summary));
    }

    #[test]
    fn the_tables_with_no_named_flow() {
        let mut record = sample::record();
        record.flows.drain(..2);
        for snapshot in &mut record.snapshots {
            snapshot.delivered.drain(..2);
        }
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(tables(&summary));
    }

    #[test]
    fn many_flows_continue_in_another_block() {
        let mut record = sample::record();
        record.flows = (1..=10)
            .map(|n| telemetry::FlowRecord { name: format!("F{n}"), ..record.flows[0].clone() })
            .collect();
        for snapshot in &mut record.snapshots {
            snapshot.delivered.resize(10, units::Bytes::ZERO);
        }
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        insta::assert_snapshot!(goodput(&summary, PhasePart::Whole));
    }

    #[test]
    fn short_runs_are_printed_in_milliseconds() {
        assert_eq!([2.0, 0.1, 0.098_76, 0.000_2].map(on_the_wall), ["2.00 s", "0.10 s", "98.8 ms", "0.2 ms"]);
    }
}
