//! The selector of each switch, where the scenario leaves it out.
//!
//! Invariant: the plan, and the scenario that is written beside its results, state it for every switch of an adaptive
//! fabric.

use switch_arch::spec::{LeastLoadedSpec, SelectionSpec};
use topology::RoutingSpec;

use crate::format::Scenario;

/// Writes the usual selector of adaptive routing into the settings of switches that state none.
pub(crate) fn resolve(scenario: &mut Scenario) {
    if !matches!(scenario.routing, RoutingSpec::Adaptive { .. }) {
        return;
    }
    let Scenario { switch, switches, .. } = scenario;
    for spec in [switch].into_iter().chain(switches.values_mut()) {
        spec.selection.get_or_insert(SelectionSpec::LeastLoaded(LeastLoadedSpec::DEFAULT));
    }
}
