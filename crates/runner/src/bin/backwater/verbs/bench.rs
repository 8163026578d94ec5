//! `bench`: speed and memory of the simulator.
//!
//! Invariant: every run has a process of its own, because the system counts peak memory over the whole life of a
//! process. Processor time includes reading and checking the scenario.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use backwater::wording;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use experiment::{VERSION, resources};
use fabric::{Division, RunOptions, Threads};
use report::format::{aligned, grouped, plain_table};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::terminal::{print, print_exactly};
use crate::threads;

/// A case: its name, its shipped scenario, and its overrides.
type BenchCase = (&'static str, &'static str, &'static [&'static str]);

/// The cases: the same traffic for every buffer organisation, fabrics of growing size, the set-up of the largest, a
/// million flows, and four of the fabrics as RoCEv2 with DCQCN and an acknowledgement for each packet.
const CASES: [BenchCase; 16] = [
    ("a32", "bench-a32", &[]),
    ("a32-fifo", "bench-a32", &["switch.buffering=InputFifo"]),
    ("a32-output", "bench-a32", &["switch.buffering=Output"]),
    ("a32-central", "bench-a32", &["switch.buffering=Central", "switch.sharing=Static"]),
    ("a32-combined", "bench-a32", &["switch.buffering=CombinedInputOutput"]),
    ("b128", "bench-b128", &[]),
    ("c648", "bench-b128", &["topology.radix=36", "traffic[0].bytes=\"4 MiB\"", "duration=\"2 ms\""]),
    ("d1024", "bench-b128", &[D1024, "traffic[0].bytes=\"2 MiB\"", "duration=\"1 ms\""]),
    ("e3456", "bench-b128", &[E3456, "traffic[0].bytes=\"1 MiB\"", "duration=\"500 us\""]),
    ("f11664", "bench-b128", &[F11664, "traffic[0].bytes=\"512 KiB\"", "duration=\"200 us\""]),
    ("f11664-setup", "bench-b128", &[F11664, "duration=\"1 us\"", "sample=\"1 us\""]),
    ("g1024-all", "bench-b128", &[D1024, ALL_TO_ALL, "duration=\"100 us\""]),
    ("roce-a32", "bench-a32-roce", &[]),
    ("roce-b128", "bench-b128-roce", &[]),
    (
        "roce-c648",
        "bench-b128-roce",
        &["topology.radix=36", "traffic[0].bytes=\"4 MiB\"", "duration=\"10 ms\""],
    ),
    ("roce-d1024", "bench-b128-roce", &[D1024, "traffic[0].bytes=\"2 MiB\"", "duration=\"8 ms\""]),
];

/// Traffic from each of 1,024 hosts to each other, on 1,047,552 connections, all messages posted at the start.
const ALL_TO_ALL: &str =
    "traffic=[Synthetic(destinations: AllToAll, arrivals: AtOnce, size: Fixed(\"4 KiB\"), messages: 1023)]";

/// Fat tree of three tiers of switches with 16 ports.
const D1024: &str =
    "topology=FatTree(down: [8, 8, 16], up: [8, 8], host_cable: \"wire\", trunk_cable: \"wire\")";
/// The same with 24 ports.
const E3456: &str =
    "topology=FatTree(down: [12, 12, 24], up: [12, 12], host_cable: \"wire\", trunk_cable: \"wire\")";
/// The same with 36 ports.
const F11664: &str =
    "topology=FatTree(down: [18, 18, 36], up: [18, 18], host_cable: \"wire\", trunk_cable: \"wire\")";

/// Name and version of the JSON format; the version rises when a field changes its meaning or disappears.
const SCHEMA: &str = "backwater-bench-1";

/// Output of `--json`: all that a later comparison needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BenchRecord {
    schema: String,
    /// Version of the simulator.
    version: String,
    /// Name of the processor; `None` where the system does not tell.
    processor: Option<String>,
    /// Number of runs of each case.
    runs: u32,
    /// Fastest run of each case, by CPU time.
    cases: Vec<BenchReading>,
}

/// Cost of one run of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BenchReading {
    case: String,
    digest: String,
    events: u64,
    delivered_packets: u64,
    packet_hops: u64,
    /// Processor time of the process, in seconds; elapsed time of the run where the system does not tell.
    cpu_s: f64,
    packet_hops_per_cpu_s: f64,
    peak_rss_bytes: Option<u64>,
    /// Elapsed time of the run, its set-up and record included, in seconds: the least of all runs. `None` in records of earlier
    /// versions.
    #[serde(default)]
    wall_s: Option<f64>,
    /// Number of threads.
    #[serde(default = "one_thread")]
    threads: usize,
    /// The same case on several threads, if that is measured.
    #[serde(default)]
    on_threads: Option<Box<BenchReading>>,
    /// Reason for fewer threads than asked for. It is printed below the table, and is no part of records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fewer_threads: Option<String>,
}

/// The number of threads of records of earlier versions.
const fn one_thread() -> usize {
    1
}

#[derive(Args, Debug)]
pub(crate) struct BenchOptions {
    /// Cases to run [default: all].
    #[arg(value_name = "CASE", value_parser = PossibleValuesParser::new(CASES.map(possible_case)))]
    cases: Vec<String>,
    /// Print JSON instead of a table, for a later `--against`: version, processor, and the cases.
    #[arg(long)]
    json: bool,
    /// File that `--json` printed before: print how many times as fast each case is now.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    against: Option<PathBuf>,
    /// Number of runs of each case; the fastest is reported.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Run one case once in this process, and print its cost. `bench` starts itself with this option for each run.
    #[arg(long, hide = true, value_parser = PossibleValuesParser::new(CASES.map(|(case, ..)| case)))]
    case: Option<String>,
    /// Threads of a second measurement of each case, at most as many as the machine has cores: a number, or `auto` for as many
    /// as gain; 1 for none. With `--case`: threads of the run [default: auto; with `--case` 1].
    #[arg(long, value_name = "N|auto", value_parser = threads::parsed)]
    threads: Option<Threads>,
    /// With `--case`: a further override of a field.
    #[arg(long, hide = true, requires = "case", value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// Returns the name of a case. A scenario as it ships also stands for its case.
fn possible_case((case, scenario, sets): BenchCase) -> PossibleValue {
    let value = PossibleValue::new(case);
    if sets.is_empty() { value.alias(scenario) } else { value }
}

/// Runs every case as often as asked for, and prints the fastest run of each.
pub(crate) fn run(options: &BenchOptions) -> Result<(), Failure> {
    if let Some(case) = &options.case {
        print_exactly(
            &(serde_json::to_string(&read(case, &options.set, options.threads.unwrap_or_default())?)
                .expect("a reading is plain data")
                + "\n"),
        );
        return Ok(());
    }
    let before = options.against.as_deref().map(earlier).transpose()?;
    let is_case = |name: &String, (case, scenario, sets): &BenchCase| {
        name == case || sets.is_empty() && name == scenario
    };
    let asked =
        |case: &&BenchCase| options.cases.is_empty() || options.cases.iter().any(|name| is_case(name, case));
    let cases = CASES.iter().filter(asked);
    let cases = cases
        .map(|(case, ..)| fastest(case, options.runs, options.threads.unwrap_or(Threads::Auto)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut record = BenchRecord {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        processor: resources::processor(),
        runs: options.runs,
        cases,
    };
    if options.json || options.threads.is_none() {
        record.cases.iter_mut().for_each(|one| one.fewer_threads = None);
    }
    if options.json {
        print_exactly(&(serde_json::to_string_pretty(&record).expect("readings are plain data") + "\n"));
    } else {
        print(&printed(&record, before.as_ref()));
    }
    Ok(())
}

/// Reads the output of an earlier `--json`.
fn earlier(path: &Path) -> Result<BenchRecord, Failure> {
    let wrong = |fault: String| Failure::BenchRecord { path: path.display().to_string(), fault };
    let text = fs::read_to_string(path).map_err(|cause| wrong(cause.to_string()))?;
    let record: BenchRecord = serde_json::from_str(&text).map_err(|cause| wrong(cause.to_string()))?;
    if record.schema == SCHEMA {
        Ok(record)
    } else {
        Err(wrong(format!("its schema is {}, not {SCHEMA}", record.schema)))
    }
}

/// Runs a case once in this process.
fn read(case: &str, more: &[String], threads: Threads) -> Result<BenchReading, Failure> {
    let (case, scenario, sets) =
        CASES.into_iter().find(|(name, ..)| *name == case).expect("the command line knows the cases");
    let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).chain(more.iter().cloned()).collect();
    let plan = experiment::plan(scenario, &sets, None)?;
    let division = Division::of(&plan, threads);
    let options = RunOptions { partition: division.partition.as_ref(), ..RunOptions::default() };
    let summary = experiment::simulate(&plan, options, &mut |_| {})?.summary;
    let cpu_s = resources::processor_time().map_or(summary.wall_s, |time| time.as_secs_f64());
    Ok(BenchReading {
        case: case.to_owned(),
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

/// Returns the fastest of several runs on one thread, with the fastest on these threads in turn, each in a process of its own.
fn fastest(case: &'static str, runs: u32, threads: Threads) -> Result<BenchReading, Failure> {
    let (mut one, mut several) = (Vec::new(), Vec::<BenchReading>::new());
    for _ in 0..runs {
        one.push(read_apart(case, Threads::One)?);
        if threads.most() > 1 {
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

fn printed(record: &BenchRecord, before: Option<&BenchRecord>) -> String {
    let mut table = plain_table();
    let mut header = vec![
        "case",
        "digest",
        "packet-hops",
        "CPU time (s)",
        "packet-hops per CPU-second",
        "peak memory (MB)",
    ];
    let on_threads = record.cases.iter().any(|one| one.on_threads.is_some());
    if on_threads {
        header.extend(["elapsed (s)", "threads", "elapsed on them (s)", "speed-up"]);
    }
    header.extend(before.map(|_| "times as fast"));
    table.set_header(header);
    for one in &record.cases {
        let mut row = vec![
            one.case.clone(),
            one.digest.clone(),
            grouped(one.packet_hops),
            format!("{:.2}", one.cpu_s),
            grouped(one.packet_hops_per_cpu_s as u64),
            one.peak_rss_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
        ];
        if on_threads {
            row.extend(sped_up(one));
        }
        row.extend(before.map(|before| compared(one, before)));
        table.add_row(row);
    }
    let runs = record.runs;
    let processor = record.processor.as_deref().unwrap_or("a processor that the system does not name");
    format!(
        "{}\n\nThe fastest of {runs} runs each, in a process of its own, on one core of {processor}{}.\n{}{}",
        aligned(table, 2),
        if on_threads { "; elapsed times also on several" } else { "" },
        fewer_threads(&record.cases),
        before.map_or_else(String::new, |before| format!(
            "Compared with version {} on {}.\n",
            before.version,
            before.processor.as_deref().unwrap_or("a processor that the system did not name")
        ))
    )
}

/// Returns a line for each reason for fewer threads than asked for, with the cases that it holds for.
fn fewer_threads(cases: &[BenchReading]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (case, reason) in cases.iter().filter_map(|one| Some((&one.case, one.fewer_threads.as_ref()?))) {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, cases)) => cases.push(case),
            None => reasons.push((reason, vec![case])),
        }
    }
    let line = |(reason, cases): &(&str, Vec<&str>)| format!("Threads of {}: {reason}.\n", cases.join(", "));
    reasons.iter().map(line).collect()
}

/// Returns the elapsed time of a case on one thread, the number of threads, the elapsed time on them, and their ratio.
fn sped_up(one: &BenchReading) -> [String; 4] {
    let seconds = |wall: Option<f64>| wall.map_or_else(|| "-".to_owned(), |wall| format!("{wall:.3}"));
    let several = one.on_threads.as_deref();
    let ratio = several.and_then(|several| Some(one.wall_s? / several.wall_s?));
    [
        seconds(one.wall_s),
        several.map_or(1, |several| several.threads).to_string(),
        seconds(several.and_then(|several| several.wall_s)),
        ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
    ]
}

/// Returns how many times as fast a case is as before, with a note if the digest differs: then the work differs, too.
fn compared(now: &BenchReading, before: &BenchRecord) -> String {
    let Some(then) = before.cases.iter().find(|then| then.case == now.case) else {
        return "-".to_owned();
    };
    let ratio = now.packet_hops_per_cpu_s / then.packet_hops_per_cpu_s;
    format!("{ratio:.2}{}", if now.digest == then.digest { "" } else { " (another digest)" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_survives_the_pipe_between_processes() {
        let case = BenchReading {
            case: "a32".to_owned(),
            digest: "0123456789abcdef".to_owned(),
            events: 30_000_000,
            delivered_packets: 1_000_000,
            packet_hops: 3_710_720,
            cpu_s: 0.871_234,
            packet_hops_per_cpu_s: 4_259_155.0,
            peak_rss_bytes: None,
            wall_s: Some(0.9),
            threads: 1,
            on_threads: None,
            fewer_threads: None,
        };
        let on_threads = BenchReading { wall_s: Some(0.5), threads: 2, ..case.clone() };
        let case = BenchReading { on_threads: Some(Box::new(on_threads)), ..case };
        let record = BenchRecord {
            schema: SCHEMA.to_owned(),
            version: "0.1.0".to_owned(),
            processor: Some("a processor".to_owned()),
            runs: 3,
            cases: vec![case],
        };
        let back: BenchRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        insta::assert_snapshot!(printed(&back, None));
        let mut before = back.clone();
        before.cases[0].packet_hops_per_cpu_s /= 2.0;
        before.cases[0].digest.clear();
        insta::assert_snapshot!(printed(&back, Some(&before)));
    }

    #[test]
    fn fewer_threads_than_asked_for_are_told_with_their_cases() {
        let reading = |case: &str, reason: &str| BenchReading {
            case: case.to_owned(),
            digest: String::new(),
            events: 0,
            delivered_packets: 0,
            packet_hops: 0,
            cpu_s: 1.0,
            packet_hops_per_cpu_s: 0.0,
            peak_rss_bytes: None,
            wall_s: None,
            threads: 1,
            on_threads: None,
            fewer_threads: Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        };
        let (cores, nodes) =
            ("2 of those asked for: the machine has 2 cores", "1 of those asked for: few nodes");
        let cases = [reading("a", cores), reading("b", nodes), reading("c", ""), reading("d", cores)];
        assert_eq!(fewer_threads(&cases), format!("Threads of a, d: {cores}.\nThreads of b: {nodes}.\n"));
    }

    #[test]
    fn every_case_has_a_plan() {
        for (case, scenario, sets) in CASES {
            let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
            assert!(experiment::plan(scenario, &sets, None).is_ok(), "{case}");
        }
    }
}
