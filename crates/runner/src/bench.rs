//! `bench`: how fast the simulator is, and how much memory it takes.
//!
//! Invariant: every run has a process of its own, because the system counts the peak of memory for the
//! whole life of a process; processor time counts all of it, reading and checking the scenario too.

use std::env;
use std::process::{Command, Stdio};

use report::printed::{aligned, grouped, plain_table};
use serde::{Deserialize, Serialize};

use crate::cli::BenchOptions;
use crate::engine;
use crate::failure::Failure;
use crate::resources;

/// A case: its name, the shipped scenario that it runs, and what is set in it.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// The cases: one traffic for every buffer organisation, and a larger fabric.
const CASES: [Case; 6] = [
    ("a32", "bench-a32", &[]),
    ("a32-fifo", "bench-a32", &["switch.buffering=InputFifo"]),
    ("a32-output", "bench-a32", &["switch.buffering=Output"]),
    ("a32-central", "bench-a32", &["switch.buffering=Central"]),
    ("a32-combined", "bench-a32", &["switch.buffering=CombinedInputOutput"]),
    ("b128", "bench-b128", &[]),
];

/// What a run of a case cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reading {
    case: String,
    digest: String,
    events: u64,
    delivered_packets: u64,
    packet_hops: u64,
    /// Processor time of the whole process, in seconds; wall time of the run where the system does not tell.
    cpu_s: f64,
    packet_hops_per_cpu_s: f64,
    peak_rss_bytes: Option<u64>,
}

/// Runs every case as often as asked, and prints the fastest run of each.
pub(crate) fn run(options: &BenchOptions) -> Result<(), Failure> {
    if let Some(case) = &options.case {
        crate::print(&(serde_json::to_string(&read(case)?).expect("a reading is plain data") + "\n"));
        return Ok(());
    }
    let best =
        CASES.map(|(case, ..)| fastest(case, options.runs)).into_iter().collect::<Result<Vec<_>, _>>()?;
    if options.json {
        crate::print(&(serde_json::to_string_pretty(&best).expect("readings are plain data") + "\n"));
    } else {
        crate::print(&printed(&best, options.runs));
    }
    Ok(())
}

/// One run in this process.
fn read(case: &str) -> Result<Reading, Failure> {
    let (case, scenario, sets) = CASES
        .into_iter()
        .find(|(name, ..)| *name == case)
        .ok_or_else(|| Failure::UnknownCase(case.to_owned()))?;
    let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
    let plan = engine::plan(scenario, &sets, None)?;
    let summary = engine::run(&plan, false, &mut |_| {})?.summary;
    let cpu_s = resources::processor_time().map_or(summary.wall_s, |time| time.as_secs_f64());
    Ok(Reading {
        case: case.to_owned(),
        digest: summary.digest,
        events: summary.events,
        delivered_packets: summary.delivered_packets,
        packet_hops: summary.packet_hops,
        cpu_s,
        packet_hops_per_cpu_s: (summary.packet_hops as f64 / cpu_s).round(),
        peak_rss_bytes: resources::peak_memory(),
    })
}

/// The fastest of several runs, each in a process of its own.
fn fastest(case: &'static str, runs: u32) -> Result<Reading, Failure> {
    let readings = (0..runs).map(|_| read_apart(case)).collect::<Result<Vec<_>, _>>()?;
    let fastest = readings.into_iter().min_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s));
    Ok(fastest.expect("there is at least one run"))
}

fn read_apart(case: &'static str) -> Result<Reading, Failure> {
    let fault = |what: String| Failure::Case { case, what, status: None };
    let program = env::current_exe().map_err(|cause| fault(cause.to_string()))?;
    let output = Command::new(program)
        .args(["bench", "--case", case])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|cause| fault(cause.to_string()))?;
    if !output.status.success() {
        let status = output.status;
        return Err(Failure::Case { case, what: status.to_string(), status: status.code() });
    }
    serde_json::from_slice(&output.stdout).map_err(|cause| fault(cause.to_string()))
}

fn printed(readings: &[Reading], runs: u32) -> String {
    let mut table = plain_table();
    table.set_header([
        "case",
        "digest",
        "packet-hops",
        "CPU time (s)",
        "packet-hops per CPU-second",
        "peak memory (MB)",
    ]);
    for one in readings {
        table.add_row([
            one.case.clone(),
            one.digest.clone(),
            grouped(one.packet_hops),
            format!("{:.2}", one.cpu_s),
            grouped(one.packet_hops_per_cpu_s as u64),
            one.peak_rss_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
        ]);
    }
    format!(
        "{}\n\nThe fastest of {runs} runs each, in a process of its own, on one core.\n",
        aligned(table, 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_survives_the_way_between_processes() {
        let reading = Reading {
            case: "a32".to_owned(),
            digest: "0123456789abcdef".to_owned(),
            events: 30_000_000,
            delivered_packets: 1_000_000,
            packet_hops: 3_710_720,
            cpu_s: 0.871_234,
            packet_hops_per_cpu_s: 4_259_155.0,
            peak_rss_bytes: None,
        };
        let back: Reading = serde_json::from_str(&serde_json::to_string(&reading).unwrap()).unwrap();
        insta::assert_snapshot!(printed(&[back], 3));
    }

    #[test]
    fn every_case_has_a_plan() {
        for (case, scenario, sets) in CASES {
            let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
            assert!(engine::plan(scenario, &sets, None).is_ok(), "{case}");
        }
    }

    #[test]
    fn an_unknown_case_is_refused() {
        assert!(matches!(read("c648"), Err(Failure::UnknownCase(name)) if name == "c648"));
    }
}
