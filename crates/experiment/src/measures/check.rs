//! Measures that a scenario can have, before any run.
//!
//! Invariant: a measure that passes names a group and a phase of the scenario. A run may still lack the number.

use scenario::{Plan, help_with_name};

use super::language::{ALL, Measure, MeasureError, MeasureFault};
use super::{CONTRIBUTORS, OTHERS, VICTIMS};

/// Returns the names that measures of a plan can have in their brackets: `all`, the scenario's groups and named flows, and
/// `others`, `victims` and `contributors`.
#[must_use]
pub fn names(plan: &Plan) -> Vec<&str> {
    let workload = plan.workload();
    let groups = workload.groups.iter().map(|group| group.name.as_str());
    let flows = workload.flows.iter().filter(|flow| flow.named).map(|flow| &*flow.name);
    let mut names: Vec<_> = [ALL].into_iter().chain(groups).chain(flows).collect();
    for name in [OTHERS, VICTIMS, CONTRIBUTORS] {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Measure {
    /// Checks that a plan has the measure's group and phase.
    ///
    /// # Errors
    /// If it has not. The column is that in the measure as it is printed.
    pub fn check(&self, plan: &Plan) -> Result<(), MeasureError> {
        let names = names(plan);
        let own = |name: &str| {
            let workload = plan.workload();
            workload.flows.iter().any(|flow| *flow.name == *name)
                || workload.groups.iter().any(|group| group.name == name)
        };
        if self.group == ALL && own(ALL) {
            let help = "give the group or flow another name".to_owned();
            return Err(self.fault(ALL, MeasureFault::AmbiguousAll, help));
        }
        if !names.contains(&self.group.as_str()) && !own(&self.group) {
            let help = help_with_name(&self.group, names, "groups and flows");
            return Err(self.fault(&self.group, MeasureFault::UnknownGroup(self.group.clone()), help));
        }
        let phases = plan.phases();
        match self.phase {
            Some(phase) if phase.get() as usize > phases.len() => {
                let list = (1..).zip(phases).map(|(number, phase)| format!("{number} ({})", phase.name));
                let list = list.take(12).collect::<Vec<_>>().join(", ");
                let help = format!("the phases are {list}");
                Err(self.fault(&phase.to_string(), MeasureFault::UnknownPhase(phase), help))
            }
            _ => Ok(()),
        }
    }
}
