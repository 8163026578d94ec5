//! Runs of the cases, each in a process of its own.
//!
//! Invariant: readings of a case have the same digest.

use std::env;
use std::process::{Command, Stdio};

use backwater::wording;
use experiment::resources;
use fabric::{Division, RunOptions, Threads};

use super::cases::{self, BenchCase};
use super::record::BenchReading;
use crate::failure::Failure;

/// Runs a case once in this process.
pub(super) fn read(case: &str, more: &[String], threads: Threads) -> Result<BenchReading, Failure> {
    let case = cases::find(case).expect("the command line knows the cases");
    let sets: Vec<_> = case.sets.iter().map(|set| (*set).to_owned()).chain(more.iter().cloned()).collect();
    let plan = experiment::plan(case.scenario, &sets, None)?;
    let division = Division::of(&plan, threads);
    let options = RunOptions { partition: division.partition.as_ref(), ..RunOptions::default() };
    let summary = experiment::simulate(&plan, options, &mut |_| {})?.summary;
    let cpu_s = resources::processor_time().map_or(summary.wall_s, |time| time.as_secs_f64());
    Ok(BenchReading {
        case: case.name.to_owned(),
        digest: summary.digest,
        events: summary.events,
        delivered_packets: summary.delivered_packets,
        packet_hops: summary.packet_hops,
        cpu_s,
        packet_hops_per_cpu_s: (summary.packet_hops as f64 / cpu_s).round(),
        peak_rss_bytes: resources::peak_memory(),
        wall_s: Some(summary.wall_s),
        threads: division.parts(),
        on_threads: None,
        fewer_threads: wording::fewer_threads(&division, threads),
    })
}

/// Returns the fastest of several runs on a single thread, with the fastest on these threads in turn, each in a process
/// of its own.
pub(super) fn fastest(case: BenchCase, runs: u32, threads: Threads) -> Result<BenchReading, Failure> {
    let case = case.name;
    let (mut one, mut several) = (Vec::new(), Vec::<BenchReading>::new());
    for _ in 0..runs {
        one.push(read_apart(case, Threads::One)?);
        // A fabric that is not worth dividing would run on a single thread each time, which is measured already.
        if threads.most() > 1 && several.last().is_none_or(|last| last.threads > 1) {
            several.push(read_apart(case, threads)?);
        }
    }
    let expected = one[0].digest.clone();
    if let Some(other) = one.iter().chain(&several).find(|reading| reading.digest != expected) {
        let fault = format!(
            "its digest is {expected} in one run, and {} in another (threads: {})",
            other.digest, other.threads
        );
        return Err(Failure::BenchCase { case, fault, status: None });
    }
    let of_wall = |reading: &BenchReading| reading.wall_s.unwrap_or(f64::INFINITY);
    // The fastest by the clock and by CPU time may be two runs.
    let wall_s = one.iter().filter_map(|reading| reading.wall_s).min_by(f64::total_cmp);
    let fastest =
        one.into_iter().min_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s)).expect("there is at least one run");
    let fewer_threads = match several.first_mut() {
        Some(reading) => reading.fewer_threads.take(),
        None => wording::fewer_cores(threads),
    };
    let several = several.into_iter().filter(|reading| reading.threads > 1);
    let several = several.min_by(|a, b| of_wall(a).total_cmp(&of_wall(b)));
    let on_threads = several.map(|reading| Box::new(BenchReading { fewer_threads: None, ..reading }));
    Ok(BenchReading { wall_s, on_threads, fewer_threads, ..fastest })
}

fn read_apart(case: &'static str, threads: Threads) -> Result<BenchReading, Failure> {
    let failure = |fault: String| Failure::BenchCase { case, fault, status: None };
    let program = env::current_exe().map_err(|cause| failure(cause.to_string()))?;
    let output = Command::new(program)
        .args(["bench", "--case", case, "--threads", &threads.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|cause| failure(cause.to_string()))?;
    if !output.status.success() {
        let status = output.status;
        return Err(Failure::BenchCase { case, fault: status.to_string(), status: status.code() });
    }
    serde_json::from_slice(&output.stdout).map_err(|cause| failure(cause.to_string()))
}
