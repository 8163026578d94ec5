//! The division of each switch's memory, where the scenario leaves it out.
//!
//! Invariant: the plan, and the scenario that is written beside its results, state it for every switch.

use crate::format::Scenario;

/// Writes the usual division of memory into the settings of switches that state none.
pub(crate) fn resolve(scenario: &mut Scenario) {
    let Scenario { switch, switches, link, cables, .. } = scenario;
    // A fault in a cable is reported by the check of cables.
    let cables: Vec<_> = cables.values().filter_map(|cable| cable.resolve().ok()).collect();
    for spec in [switch].into_iter().chain(switches.values_mut()) {
        let usual = spec.usual_sharing(link, &cables);
        spec.sharing.get_or_insert(usual);
    }
}
