//! Measures of a plan that has not run.
//!
//! Invariant: a measure that passes [`check`] names a group and a phase of the scenario. A run may still lack the
//! number.

use measures::run::{self, Posting};
use measures::{ALL, Measure, MeasureError, MeasureFault, Reach};
use scenario::{Plan, help_with_name};

/// Returns the measures that [`run::all`] lists, of a plan that has not run.
#[must_use]
pub fn list(plan: &Plan) -> Vec<Measure> {
    let mut all = run::list(groups(plan), flows(plan), plan.phases().len());
    all.extend(run::of_jobs(jobs(plan)));
    all
}

/// Returns the names that measures of a plan can have in their brackets: `all`, the scenario's groups and named flows,
/// and `others`, `victims` and `contributors`.
#[must_use]
pub fn names(plan: &Plan) -> Vec<&str> {
    run::with_common_names(groups(plan).chain(flows(plan)))
}

/// Checks that a plan has the group and the phase of a measure.
///
/// # Errors
/// If it has not. The column is that in the measure as it is printed.
pub fn check(measure: &Measure, plan: &Plan) -> Result<(), MeasureError> {
    if measure.quantity.info().reach == Reach::Job {
        let all: Vec<_> = jobs(plan).collect();
        if all.contains(&measure.group.as_str()) {
            return Ok(());
        }
        let help = help_with_name(&measure.group, all, "jobs");
        return Err(measure.fault(&measure.group, MeasureFault::UnknownJob(measure.group.clone()), help));
    }
    let names = names(plan);
    let own = |name: &str| {
        let workload = plan.workload();
        workload.flows.iter().any(|flow| *flow.name == *name)
            || workload.groups.iter().any(|group| group.name == name)
    };
    if measure.group == ALL && own(ALL) {
        let help = "give the group or flow another name".to_owned();
        return Err(measure.fault(ALL, MeasureFault::AmbiguousAll, help));
    }
    if !names.contains(&measure.group.as_str()) && !own(&measure.group) {
        let help = help_with_name(&measure.group, names, "groups and flows");
        return Err(measure.fault(&measure.group, MeasureFault::UnknownGroup(measure.group.clone()), help));
    }
    let phases = plan.phases();
    match measure.phase {
        Some(phase) if phase.get() as usize > phases.len() => {
            let list = (1..).zip(phases).map(|(number, phase)| format!("{number} ({})", phase.name));
            let list = list.take(12).collect::<Vec<_>>().join(", ");
            let help = format!("the phases are {list}");
            Err(measure.fault(&phase.to_string(), MeasureFault::UnknownPhase(phase), help))
        }
        _ => Ok(()),
    }
}

fn groups(plan: &Plan) -> impl Iterator<Item = &str> {
    plan.workload().groups.iter().map(|group| group.name.as_str())
}

fn jobs(plan: &Plan) -> impl Iterator<Item = &str> {
    plan.workload().jobs.iter().map(|job| job.name.as_str())
}

fn flows(plan: &Plan) -> impl Iterator<Item = &str> {
    plan.workload().flows.iter().filter(|flow| flow.named).map(|flow| &*flow.name)
}

/// Returns the end of each flow's posting.
pub(crate) fn posting(plan: &Plan) -> Vec<Posting> {
    let workload = plan.workload();
    let end = |flow: &workload::Flow| {
        let of_pattern = flow.pattern.map(|pattern| workload.patterns[pattern as usize].stop);
        let stop = flow.posting.stop();
        if flow.finite {
            Posting::Ends(of_pattern.map_or(stop, |other| other.min(stop)))
        } else {
            Posting::Endless
        }
    };
    workload.flows.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_jobs_are_listed_and_checked_by_the_names_of_jobs() {
        let plan = crate::plan("ring-all-reduce", &[], Some(1)).expect("the scenario is right");
        let listed: Vec<_> = list(&plan).iter().map(ToString::to_string).collect();
        assert!(listed.contains(&"job_completion(ring)".to_owned()), "{listed:?}");
        assert!(listed.contains(&"longest_iteration(exchange)".to_owned()), "{listed:?}");
        let checked = |measure: &str| check(&measure.parse().unwrap(), &plan);
        assert!(checked("path_late(exchange)").is_ok());
        let error = checked("job_completion(rings)").unwrap_err();
        assert_eq!(
            (error.column, error.to_string().ends_with("the scenario has no job `rings`")),
            (16, true),
            "{error}"
        );
    }

    /// A real run: the list before the run is the list after it, and goodput equals the summary's goodput.
    #[test]
    fn a_run_has_the_measures_that_its_plan_lists() {
        let plan =
            crate::plan("one-flow", &["duration=2 ms".to_owned()], Some(1)).expect("the scenario is right");
        let outcome = crate::simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).expect("it runs");
        let all = run::all(outcome.measured());
        let measures: Vec<_> = all.iter().map(|one| one.measure.clone()).collect();
        assert_eq!(measures, list(&plan));
        assert!(measures.iter().all(|measure| check(measure, &plan).is_ok()));
        let goodput = all.iter().find(|one| one.measure.to_string() == "goodput(all, 1)").unwrap();
        let expected = outcome.summary.phases[0].second_half_total_goodput_bps;
        assert!(goodput.value.is_some_and(|value| (value - expected).abs() <= 0.5), "{goodput:?}");
        let refused = |measure: &str| check(&measure.parse().unwrap(), &plan).unwrap_err();
        let error = refused("goodput(F11)");
        assert_eq!(error.column, 9, "{error}");
        let error = refused("goodput(all, 7)");
        assert_eq!(
            (error.column, error.to_string().ends_with("the scenario has no phase 7")),
            (14, true),
            "{error}"
        );
    }
}
