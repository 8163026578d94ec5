//! Random draws of a plan: where there are none, another seed repeats the run.
//!
//! Invariant: a plan without draws has the same results with every seed. A plan with draws may have them, too.

use cc_policies::iba::spec::TimerStart;
use cc_policies::{MarkingSpec, ResponseSpec};
use topology::RoutingSpec;
use workload::{JobSpec, PatternSpec};

use crate::plan::Plan;

impl Plan {
    /// Returns true if traffic, jobs, paths, marks or timers of the plan are drawn at random.
    #[must_use]
    pub fn draws_at_random(&self) -> bool {
        let by_traffic = self.scenario.traffic.iter().any(PatternSpec::draws_at_random);
        // The packets that a selector is not for go by a hash, which depends on the seed.
        let routing = &self.scenario.routing;
        let by_paths = *routing == RoutingSpec::Random || routing.has_groups() || routing.detours().is_some();
        let by_jobs = self.scenario.jobs.iter().any(JobSpec::draws_at_random);
        by_traffic || by_jobs || by_paths || self.marks_at_random() || self.times_at_random()
    }

    fn marks_at_random(&self) -> bool {
        match &self.control.marking {
            MarkingSpec::Off | MarkingSpec::Hp(_) => false,
            MarkingSpec::Iba(marking) => {
                marking.marking_rate > 0 || marking.ports.iter().any(|port| port.marking_rate > 0)
            }
            // A rule of a user's program has a stream, too.
            MarkingSpec::Red(_) | MarkingSpec::Own(_) => true,
        }
    }

    fn times_at_random(&self) -> bool {
        match &self.control.response {
            ResponseSpec::Iba(response) => response.timer_start == TimerStart::FreeRunningOwnPhase,
            ResponseSpec::Own(_) => true,
            ResponseSpec::Off
            | ResponseSpec::Hp(_)
            | ResponseSpec::Dcqcn(_)
            | ResponseSpec::DcqcnTimed(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Scenario, ScenarioText};

    #[test]
    fn jobs_draw_places_starts_and_computations() {
        let draws = |sets: &[&str]| {
            let mut text = ScenarioText::find("ring-all-reduce").expect("it ships");
            let quiet = ["jobs.exchange.compute_noise=None"];
            quiet.iter().chain(sets).for_each(|set| text.set(set).expect("a field"));
            Scenario::read(&text).expect("a scenario").check(&text).expect("a plan").draws_at_random()
        };
        assert!(!draws(&[]) && !draws(&["jobs.ring.place=Striped(stride: 4)"]));
        assert!(draws(&["jobs.ring.place=Random"]) && draws(&["jobs.ring.place=RandomBlock(per_host: 1)"]));
        assert!(draws(&["jobs.ring.start_skew=1 us"]));
        assert!(draws(&["jobs.ring.compute_noise=Exponential(\"1 us\")"]));
    }
}
