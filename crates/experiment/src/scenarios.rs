//! Scenarios that were read, for runs that differ in their seeds.
//!
//! Invariant: a plan, its digest and its faults equal the results of [`Unit::plan`], which reads the scenario anew.

use std::sync::{Arc, Mutex, PoisonError};

use scenario::{Diagnostic, Plan, Scenario, ScenarioText, SeedsSpec};

use crate::simulation;
use crate::unit::{IdentifiedUnit, Unit, UnitSeeds};

/// Largest number of scenarios that are kept: more than threads that work through runs side by side.
const MOST: usize = 64;

/// Scenarios with overrides, each read once. Of a sweep most runs differ in their seeds alone; reading a scenario takes
/// longer than a short run.
#[derive(Debug, Default)]
pub struct Scenarios {
    read: Mutex<Vec<Arc<ReadScenario>>>,
}

/// A scenario as it was read, with overrides.
#[derive(Debug)]
struct ReadScenario {
    name: String,
    overrides: Vec<String>,
    source: ScenarioText,
    scenario: Scenario,
}

impl Scenarios {
    /// Returns the checked plan of a unit.
    ///
    /// # Errors
    /// If the scenario, an override or a seed is wrong.
    pub fn plan(&self, unit: &Unit) -> Result<Plan, Diagnostic> {
        let Ok(read) = self.read(unit) else { return unit.plan() };
        let scenario = with_seeds(read.scenario.clone(), unit.seeds);
        // A fault is told of the text with the seeds in it.
        scenario.check(&read.source).or_else(|_| unit.plan())
    }

    /// Checks a unit and gives it its name.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn identify(&self, unit: &Unit) -> Result<IdentifiedUnit, Diagnostic> {
        Ok(IdentifiedUnit::new(unit.clone(), &self.plan(unit)?))
    }

    fn read(&self, unit: &Unit) -> Result<Arc<ReadScenario>, Diagnostic> {
        let is_it = |one: &&Arc<ReadScenario>| one.name == unit.scenario && one.overrides == unit.overrides;
        let known = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = known().iter().rev().find(is_it) {
            return Ok(Arc::clone(read));
        }
        let (name, overrides) = (unit.scenario.clone(), unit.overrides.clone());
        let source = simulation::text(&name, &overrides, None)?;
        let scenario = Scenario::read(&source)?;
        let read = Arc::new(ReadScenario { name, overrides, source, scenario });
        let mut known = known();
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Arc::clone(&read));
        Ok(read)
    }
}

/// Sets the seeds that are given, as overrides of their fields would.
fn with_seeds(scenario: Scenario, given: UnitSeeds) -> Scenario {
    let seeds = SeedsSpec {
        traffic: given.traffic.or(scenario.seeds.traffic),
        ecmp: given.ecmp.or(scenario.seeds.ecmp),
        marking: given.marking.or(scenario.seeds.marking),
    };
    Scenario { seed: given.run.unwrap_or(scenario.seed), seeds, ..scenario }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_those_of_scenarios_that_are_read_anew() {
        let scenarios = Scenarios::default();
        let seeds = [
            UnitSeeds::default(),
            UnitSeeds::of_run(7),
            UnitSeeds { traffic: Some(3), ..UnitSeeds::default() },
            UnitSeeds { ecmp: Some(4), marking: Some(5), ..UnitSeeds::of_run(6) },
        ];
        // Small scenarios: two draw traffic, and `ring` draws paths.
        for scenario in ["one-flow", "victim", "zhu2015-unfairness", "ring"] {
            for overrides in
                [&["adapter.max_outstanding=512"][..], &["adapter.max_outstanding=512", "seeds.marking=9"]]
            {
                let overrides: Vec<_> = overrides.iter().map(|&one| one.to_owned()).collect();
                for seeds in seeds {
                    let unit = Unit {
                        scenario: scenario.to_owned(),
                        overrides: overrides.clone(),
                        seeds,
                        drain: false,
                    };
                    let (plan, anew) = (scenarios.plan(&unit).unwrap(), unit.plan().unwrap());
                    assert_eq!(plan.digest(), anew.digest(), "{unit}");
                    assert_eq!((plan.seed(), plan.marking_seed()), (anew.seed(), anew.marking_seed()));
                    assert_eq!((plan.name(), plan.resolved()), (anew.name(), anew.resolved()));
                }
            }
        }
    }

    #[test]
    fn faults_are_those_of_scenarios_that_are_read_anew() {
        let scenarios = Scenarios::default();
        let faults = ["durration=1 ms", "sample=1 s", "flows=[]; x", "switch.buffer=1 B"];
        for (scenario, overrides) in
            [("one-flo", "duration=1 ms")].into_iter().chain(faults.map(|one| ("one-flow", one)))
        {
            let (scenario, overrides) = (scenario.to_owned(), vec![overrides.to_owned()]);
            let unit = Unit { scenario, overrides, seeds: UnitSeeds::of_run(2), drain: false };
            for _ in 0..2 {
                assert_eq!(scenarios.plan(&unit).err(), unit.plan().err(), "{unit}");
                assert!(unit.plan().is_err(), "{unit}");
            }
        }
    }

    #[test]
    fn the_oldest_scenario_gives_way() {
        let scenarios = Scenarios::default();
        let unit = |ns: usize| Unit {
            scenario: "one-flow".to_owned(),
            overrides: vec![format!("duration={} us", 1000 + ns)],
            seeds: UnitSeeds::default(),
            drain: false,
        };
        for ns in 0..MOST + 2 {
            scenarios.plan(&unit(ns)).unwrap();
            scenarios.plan(&unit(ns)).unwrap();
        }
        let read = scenarios.read.into_inner().unwrap();
        assert_eq!((read.len(), &read[0].overrides), (MOST, &unit(2).overrides));
    }
}
