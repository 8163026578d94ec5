//! Closed loops of patterns, and loops in lockstep.
//!
//! Invariant: a loop is in lockstep only if every host's messages have the same size and the same order of destinations
//! by distance. Hosts that begin together then remain together for as long as nothing delays one of them. Flows that
//! meet are known only where each keeps to one path.

use core::cell::LazyCell;
use std::collections::BTreeMap;

use telemetry::{ClosedLoopRecord, LockstepRecord};
use workload::spec::{ArrivalSpec, DestinationSpec, SizeSpec, SyntheticSpec};
use workload::{Flow, PatternSpec};

use crate::plan::Plan;

impl Plan {
    /// Returns the closed loop of each pattern, in the order of the scenario; `None` for other patterns.
    #[must_use]
    pub fn closed_loops(&self) -> Vec<Option<ClosedLoopRecord>> {
        let flows = LazyCell::new(|| self.flows_by_pattern());
        let of_pattern = |(pattern, spec): (usize, &PatternSpec)| {
            let PatternSpec::Synthetic(spec) = spec else { return None };
            let ArrivalSpec::Closed { outstanding } = spec.arrivals else { return None };
            let is_known = has_equal_turns(spec) && !self.packets_may_overtake();
            let lockstep = is_known.then(|| self.lockstep(&flows[pattern])).flatten();
            Some(ClosedLoopRecord { outstanding, lockstep })
        };
        self.scenario().traffic.iter().enumerate().map(of_pattern).collect()
    }

    /// Returns the stages of a pattern with these flows and keys, which sends to all receivers in turn; `None` if other
    /// hosts receive than send.
    fn lockstep(&self, flows: &[(&Flow, u64)]) -> Option<LockstepRecord> {
        let mut hosts: Vec<_> = flows.iter().map(|(flow, _)| flow.source).collect();
        hosts.dedup(); // Flows of a pattern are in the order of their sources.
        let place = |host| hosts.binary_search(&host).ok();
        let mut stages: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for &(flow, key) in flows {
            let (from, to) = (place(flow.source)?, place(flow.destination)?);
            stages.entry((to + hosts.len() - from) % hosts.len()).or_default().push((flow, key));
        }
        let graph = self.graph();
        let mut counts = vec![0_u32; graph.far_ends().len()];
        let mut most_flows = 0;
        for stage in stages.values() {
            counts.fill(0);
            for (flow, key) in stage {
                for output in self.path_of_data(flow, *key) {
                    let count = &mut counts[graph.position(output)];
                    *count += 1;
                    most_flows = most_flows.max(*count);
                }
            }
        }
        Some(LockstepRecord { stages: stages.len() as u32, most_flows })
    }
}

fn has_equal_turns(spec: &SyntheticSpec) -> bool {
    let equal = match &spec.size {
        SizeSpec::Fixed(_) => true,
        SizeSpec::Uniform { least, most } => least == most,
        SizeSpec::Cdf(_) => false,
    };
    equal && spec.destinations == DestinationSpec::AllToAll
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, ScenarioText};

    fn loops(sets: &[&str]) -> Vec<Option<ClosedLoopRecord>> {
        let mut source = ScenarioText::find("bench-a32").expect("it ships");
        sets.iter().for_each(|set| source.set(set).expect("a field"));
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        plan.expect("nothing is wrong").closed_loops()
    }

    fn all_to_all(size: &str, more: &str) -> String {
        format!(
            "traffic=[Synthetic(destinations: AllToAll, size: {size}, arrivals: Closed(outstanding: 1), start: \"0 s\"{more})]"
        )
    }

    /// Under D-mod-k each host of a leaf sends by a spine of its own in every stage.
    #[test]
    fn an_all_to_all_is_a_shift_in_lockstep() {
        let fixed = all_to_all("Fixed(\"64 KiB\")", "");
        let lockstep = |most_flows| {
            vec![Some(ClosedLoopRecord {
                outstanding: 1,
                lockstep: Some(LockstepRecord { stages: 31, most_flows }),
            })]
        };
        assert_eq!(loops(&[&fixed]), lockstep(1));
        let [Some(ClosedLoopRecord { lockstep: Some(hashed), .. })] = loops(&[&fixed, "routing=Ecmp"])[..]
        else {
            panic!("a loop is in lockstep whatever its routes")
        };
        assert!(hashed.stages == 31 && hashed.most_flows > 1, "{hashed:?}");
        let sprayed = [
            "routing=Ecmp",
            "switch.selection=RoundRobin",
            "adapter.delivery=AnyOrder",
            "adapter.recovery=SelectiveRepeat",
        ];
        let known =
            |sets: &[&str]| loops(&[&[fixed.as_str()], sets].concat())[0].expect("a loop").lockstep.is_some();
        assert!(!known(&sprayed), "flows are on several paths");
        assert!(known(&[sprayed[0], sprayed[2], sprayed[3]]), "each flow keeps the path of its hash");
    }

    #[test]
    fn other_loops_are_not_in_lockstep() {
        let only = |traffic: &str| {
            let [Some(ClosedLoopRecord { lockstep, .. })] = loops(&[traffic])[..] else {
                panic!("a closed loop")
            };
            lockstep
        };
        assert_eq!(only(&all_to_all("Uniform(least: \"1 KiB\", most: \"64 KiB\")", "")), None);
        assert_eq!(only(&all_to_all("Fixed(\"64 KiB\")", ", senders: [\"h1\", \"h2\"]")), None);
        let uniform = all_to_all("Fixed(\"64 KiB\")", "").replace("AllToAll", "Uniform");
        assert_eq!(only(&uniform), None);
        assert!(loops(&[]).iter().all(Option::is_none), "incasts and Poisson arrivals are no closed loops");
    }
}
