//! The run as a whole: its name, its duration, its samples.

use settings::FieldPath;
use units::Span;
use workload::Workload;

use crate::format::{Completions, Scenario};
use crate::plan::{self, RunPlan};
use crate::text::Faults;

/// Largest number of samples of a run: each has a row in memory and in a file.
const MOST_SAMPLES: u64 = 1_000_000;

/// Checks the settings of the run.
pub(super) fn check(scenario: &Scenario, faults: &mut Faults<'_>) {
    if scenario.duration == Span::ZERO {
        faults.add(
            &"duration".into(),
            "a run of no duration has nothing to simulate",
            "write at least \"1 ps\"",
        );
    }
    let too_long = scenario.sample > scenario.duration && scenario.duration > Span::ZERO;
    if scenario.sample == Span::ZERO || too_long {
        let message = format!("{} cannot be the interval of samples", scenario.sample);
        let help = format!("write more than 0, and at most the duration, {}", scenario.duration);
        faults.add(&"sample".into(), message, help);
    } else {
        check_samples(scenario, faults);
    }
    if scenario.name.as_deref() == Some("") {
        faults.add(&"name".into(), "the scenario's name is empty", "write a name, or leave `name` out");
    }
}

/// Plans the times of a run.
pub(super) fn plan(scenario: &Scenario, workload: &Workload) -> RunPlan {
    RunPlan {
        seed: scenario.seed,
        duration: scenario.duration,
        until_done: scenario.until_done,
        sample: scenario.sample,
        keeps_completions: scenario.completions == Completions::Kept,
        phases: plan::phases(workload, scenario.duration.after_start()),
    }
}

/// Checks the number of samples, which are kept to the end of the run. Where only an override made the run long, the
/// override is at fault.
fn check_samples(scenario: &Scenario, faults: &mut Faults<'_>) {
    let Scenario { duration, sample, .. } = scenario;
    let count = duration.ps() / sample.ps();
    if count <= MOST_SAMPLES {
        return;
    }
    let (here, other) = (FieldPath::from("sample"), FieldPath::from("duration"));
    let longer = faults.overridden(&other) && !faults.overridden(&here);
    let message = format!(
        "a `sample` of {sample} over a `duration` of {duration} makes {count} samples, more than {MOST_SAMPLES}"
    );
    let least = Span::from_ps(duration.ps().div_ceil(MOST_SAMPLES));
    let most = *sample * MOST_SAMPLES;
    let help = format!("write a `sample` of at least \"{least}\", or a `duration` of at most \"{most}\"");
    faults.add(if longer { &other } else { &here }, message, help);
}
