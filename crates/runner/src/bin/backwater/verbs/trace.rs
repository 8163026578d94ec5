//! `trace`: ports, flows and jobs over time, for Perfetto.
//!
//! Invariant: an existing file is replaced with `--force` only, by a whole file. Nothing is written if an option or the
//! scenario is wrong.

use std::io::BufWriter;
use std::path::PathBuf;

use backwater::trace::{EventCounts, TraceError, TraceReport, trace};
use backwater::{Plan, RunOptions};
use clap::Args;
use results::format::{aligned, counted, grouped, plain_table};
use scenario::{Diagnostic, LocatedFault};
use units::Span;

use crate::arguments;
use crate::ending;
use crate::failure::Failure;
use crate::folder_name;
use crate::interrupt;
use crate::memory::MemoryOptions;
use crate::new_file;
use crate::overrides::ChangeOptions;
use crate::progress::ProgressReport;
use crate::terminal::print;
use crate::until_done::EndOptions;

#[derive(Args, Debug)]
pub(crate) struct TraceOptions {
    /// File, or name of a shipped scenario (see `list`).
    scenario: String,
    /// Ports to show, with queues, rates, waits, pauses and marks of their outputs: `leaf1:3`, `leaf1:h3` (the port whose cable leads to
    /// `h3`), `leaf*:h*`, `h1` (all its ports). May be given several times. Instead of the scenario's whole `series`.
    #[arg(long, value_name = "PORTS")]
    ports: Vec<String>,
    /// Flows to show, by name or source host or a pattern of either, with goodput, the state of their response, messages and notifications.
    /// May be given several times. Instead of the scenario's whole `series`.
    #[arg(long, value_name = "FLOWS")]
    flows: Vec<String>,
    /// File to write [default: NAME.perfetto-trace, with the scenario's name].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
    /// Most events of each kind in the file. The run goes on and counts those that are left out.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    most: u64,
    /// Interval of counters [default: the scenario's `sample`].
    #[arg(long, value_name = "TIME", value_parser = arguments::interval)]
    sample: Option<Span>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    end: EndOptions,
    /// Print no progress and no table, only errors.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    memory: MemoryOptions,
}

impl TraceOptions {
    /// Returns the plan. A fault of an option names the option, and not the override that stands for it.
    fn plan(&self) -> Result<Plan, Failure> {
        let own = self.own_overrides();
        let set: Vec<_> = self.change.set().iter().chain(&own).cloned().collect();
        let is_own = |fault: &LocatedFault| {
            fault.file.strip_prefix("--set ").is_some_and(|set| own.iter().any(|own| own == set))
        };
        let told = |fault: &LocatedFault| match fault {
            fault if !is_own(fault) => fault.clone(),
            LocatedFault { path, message, help, .. } => LocatedFault {
                file: option_of(path).to_owned(),
                place: None,
                path: String::new(),
                message: message.clone(),
                help: help.clone(),
            },
        };
        self.end.plan(&self.scenario, &set, self.change.seed).map_err(|failure| match failure {
            Failure::Scenario(fault) => Diagnostic::new(fault.faults().iter().map(told).collect()).into(),
            other => other,
        })
    }

    /// Returns the overrides that stand for options.
    fn own_overrides(&self) -> Vec<String> {
        let mut overrides = Vec::new();
        if !self.ports.is_empty() || !self.flows.is_empty() {
            let (ports, flows, kept) =
                (&self.ports, &self.flows, self.most.saturating_mul(2).min(10_000_000));
            overrides.push(format!(
                "series=(ports: {ports:?}, sources: {flows:?}, pauses: {ports:?}, pauses_kept: {kept})"
            ));
        }
        overrides.extend(self.sample.map(|sample| format!("sample={sample}")));
        overrides
    }
}

/// Returns the option that gives the field at a path.
fn option_of(path: &str) -> &'static str {
    match path {
        path if path.starts_with("series.sources") => "--flows",
        path if path.starts_with("series.pauses_kept") => "--most",
        path if path.starts_with("series") => "--ports",
        _ => "--sample",
    }
}

/// Runs the scenario, writes the file, prints the counts.
pub(crate) fn run(options: &TraceOptions) -> Result<(), Failure> {
    let plan = options.plan()?;
    let series = plan.series();
    if series.ports.named.is_empty() && series.sources.named.is_empty() && plan.workload().jobs.is_empty() {
        return Err(Failure::NothingToTrace);
    }
    options.memory.check(&[&plan])?;
    let path = options.out.clone().unwrap_or_else(|| folder_name::of_file(plan.name(), "perfetto-trace"));
    let mut file = new_file::open(&path, options.force)?;
    let mut progress = ProgressReport::new(plan.duration(), plan.until_done(), !options.quiet);
    let run = RunOptions { interrupt: Some(interrupt::watched()), ..RunOptions::default() };
    let traced = trace(&plan, run, options.most, BufWriter::new(&mut file), &mut |now| progress.update(now));
    if matches!(traced, Ok(_) | Err(TraceError::Run(_))) {
        new_file::finish(&path, file)?;
    }
    let report = traced.map_err(|error| match error {
        TraceError::Run(error) => error.into(),
        TraceError::Nothing => Failure::NothingToTrace,
        TraceError::Unwritable(cause) => new_file::failure(&path, cause),
    })?;
    if !options.quiet {
        print(&printed(&path.display().to_string(), &plan, &report));
    }
    ending::checked(&plan, &report.record, false)
}

/// Returns the counts as a table.
fn printed(path: &str, plan: &Plan, report: &TraceReport) -> String {
    let mut table = plain_table();
    table.set_header(["kind", "written", "left out"]);
    for (kind, EventCounts { written, left_out }) in &report.kinds {
        table.add_row([kind.words().to_owned(), grouped(*written), grouped(*left_out)]);
    }
    let left_out = report.kinds.values().any(|counts| counts.left_out > 0);
    let (ports, flows) = (plan.series().ports.named.len(), plan.series().sources.named.len());
    let jobs = match plan.workload().jobs.len() {
        0 => String::new(),
        jobs => format!(", {}", counted(jobs, "job")),
    };
    format!(
        "{path}: {}, {}{jobs}. Open it at https://ui.perfetto.dev\n\n{}\n{}\ndigest {:016x}, that of the same run by `sim`\n",
        counted(ports, "port"),
        counted(flows, "flow"),
        aligned(table, 1),
        if left_out { "\nThe limit leaves later events out: `--most N` changes it.\n" } else { "" },
        report.record.digest
    )
}
