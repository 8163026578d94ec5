//! Settings that non-minimal routes need: enough lanes, which no other rule changes.
//!
//! Invariant: all that is missing is reported at once, with the overrides that set it.

use link_layer::LinkPlan;
use topology::Routes;
use workload::Flow;

use crate::format::{LayerLanes, Scenario};
use crate::text::Faults;

/// Checks the settings beside a routing with detours.
pub(super) fn check(
    scenario: &Scenario,
    link: Option<&LinkPlan>,
    routes: &Routes,
    flows: &[Flow],
    faults: &mut Faults<'_>,
) {
    let Some(detours) = routes.detours() else { return };
    let (needed, routing) = (detours.lanes(), scenario.routing.word());
    let mut missing = Vec::new();
    let mut why = Vec::new();
    if scenario.layer_lanes == LayerLanes::Changed {
        missing.push(("layer_lanes", "Kept".to_owned()));
        why.push("packets change lanes by rules of its own".to_owned());
    }
    if let Some((level, first)) = link.and_then(|link| lanes_lacking(link, needed, flows)) {
        missing.push(("link.data_lanes", ((u32::from(level) + 1) * u32::from(needed)).to_string()));
        let has = link.map_or(0, |link| link.data_lanes);
        why.push(format!(
            "it takes {needed} lanes for each service level, and packets of level {level} start on VL{first} of {has}"
        ));
    }
    if missing.is_empty() {
        return;
    }
    let sets: Vec<_> = missing.iter().map(|(path, value)| format!("--set {path}={value}")).collect();
    let message = format!("`{routing}` needs other settings: {}", why.join("; "));
    let help = format!("add `{}`, or write the same in the file", sets.join(" "));
    faults.add(&"routing".into(), message, help);
}

/// Returns the highest service level of a flow that has too few lanes, and its first lane.
fn lanes_lacking(link: &LinkPlan, needed: u8, flows: &[Flow]) -> Option<(u8, u8)> {
    let first = |level: u8| link.lanes.get(usize::from(level) * usize::from(needed)).map(|lane| lane.0);
    let levels = flows.iter().map(|flow| flow.service_level.0);
    let lacking = levels.filter_map(|level| Some((level, first(level)?)));
    lacking.filter(|(_, first)| first + needed > link.data_lanes).max()
}
