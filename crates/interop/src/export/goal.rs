//! Jobs of a scenario as GOAL (Hoefler, Siebert, Lumsdaine, ICPP 2009), and what GOAL does not say of them.

use std::sync::Arc;

use scenario::Plan;
use units::{Bytes, Time};
use workload::job::assembly::Part;
use workload::job::goal::{calc_unit, write_text};
use workload::job::{Graph, Job, Pace, Programs, Work, counted};

use super::account::{Exported, ValueAccount};
use super::error::ExportError;

/// Exports the program of a job as text: the named job, or the only one.
///
/// # Errors
/// If the scenario has no such job, or several and none is named.
///
/// # Panics
/// If memory cannot be written.
pub fn export(plan: &Plan, name: Option<&str>) -> Result<Exported, ExportError> {
    let job = chosen(&plan.workload().jobs, name)?;
    // The iterations of a job follow one another at each rank.
    let programs = &match job.runs {
        1 => Arc::clone(&job.programs),
        runs => {
            let once = Part::Listed(Programs::clone(&job.programs));
            let ranks = job.programs.ranks.len() as u32;
            Arc::new(Part::Sequence(vec![once; runs as usize]).programs(ranks))
        }
    };
    let unit = calc_unit(programs);
    let mut text = Vec::new();
    write_text(programs, unit, &mut text).expect("memory takes all bytes");
    let text = String::from_utf8(text).expect("GOAL is written in ASCII");
    let computes = |graph: &Graph| {
        (0..graph.operations() as u32).any(|id| matches!(graph.operation(id).work, Work::Compute { .. }))
    };
    let has_computations = programs.ranks.iter().any(computes);
    let why = "GOAL does not say the unit of `calc`: tell it to the reader (`import goal --calc-unit`)";
    let calc = has_computations.then(|| ValueAccount::assumed("calc", format!("in units of {unit}"), why));
    let field = |name: &str| format!("jobs.{}.{name}", job.name);
    let hosts = format!("{}, each on its host", counted(programs.ranks.len() as u64, "rank"));
    let hosts = ValueAccount::left_out(
        field("hosts"),
        hosts,
        "GOAL has ranks alone; their placement stands beside it",
    );
    let start = (job.start > Time::ZERO).then(|| {
        ValueAccount::left_out(field("start"), job.start.to_string(), "all ranks of GOAL begin at 0")
    });
    let settings =
        left_out(job).into_iter().map(|(name, value, why)| ValueAccount::left_out(field(name), value, why));
    Ok(Exported { text, account: calc.into_iter().chain([hosts]).chain(start).chain(settings).collect() })
}

/// Returns the settings of a job that GOAL does not carry: field, value and reason.
fn left_out(job: &Job) -> Vec<(&'static str, String, &'static str)> {
    let mut all = Vec::new();
    if job.starts.iter().any(|start| *start != job.start) {
        all.push(("start_skew", "drawn for each rank".to_owned(), "all ranks of GOAL begin at 0"));
    }
    if job.paces.iter().any(|pace| *pace != Pace::default()) {
        let why = "`calc` takes the same time in every run; lengths are those of the program";
        all.push(("compute_noise, stragglers", "drawn for each computation".to_owned(), why));
    }
    if let Some(least) = job.rendezvous {
        let why =
            "GOAL leaves it to the reader whether a send waits for its receive: LogGOPSim's `-S` says so";
        all.push(("rendezvous", Bytes::new(least).to_string(), why));
    }
    if job.queue_pairs > 1 {
        all.push(("queue_pairs", job.queue_pairs.to_string(), "GOAL has no queue pairs"));
    }
    if let Some(link) = job.local {
        let why = "GOAL has no links within a host";
        all.push(("local", format!("{}, {}", link.rate, link.latency), why));
    }
    all
}

fn chosen<'a>(jobs: &'a [Job], name: Option<&str>) -> Result<&'a Job, ExportError> {
    let names = || jobs.iter().map(|job| job.name.clone()).collect();
    match (name, jobs) {
        (_, []) => Err(ExportError::NoJobs),
        (None, [only]) => Ok(only),
        (None, _) => Err(ExportError::SeveralJobs { jobs: names() }),
        (Some(given), _) => jobs
            .iter()
            .find(|job| job.name == given)
            .ok_or_else(|| ExportError::UnknownJob { given: given.to_owned(), jobs: names() }),
    }
}
