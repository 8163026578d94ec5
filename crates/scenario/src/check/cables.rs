//! Single cables that differ (`changed_cables`).
//!
//! Invariant: every entry changes a cable.

use settings::{FieldPath, SettingError};
use topology::{CableChangeErrorKind as Kind, Topology};

use super::selected;
use crate::format::Scenario;
use crate::text::Faults;
use settings::nearest;

/// Changes single cables of the fabric, unless an entry is wrong. `kinds` lists the kinds of cable.
pub(super) fn change(
    scenario: &Scenario,
    topology: Topology,
    kinds: &[&str],
    faults: &mut Faults<'_>,
) -> Option<Topology> {
    if scenario.changed_cables.is_empty() {
        return Some(topology);
    }
    let graph = topology.graph().clone();
    let errors = match topology.with_changed_cables(&scenario.changed_cables, kinds) {
        Ok(changed) => return Some(changed),
        Err(errors) => errors,
    };
    for error in errors {
        let path = FieldPath::from("changed_cables").join(&error.path());
        match &error.kind {
            Kind::Selection(unknown) => faults.add_name(&path, &error, selected::help(unknown, &graph)),
            Kind::UnknownKind { given } => faults.add(&path, &error, nearest::help(given, kinds, "cables")),
            Kind::OfHost { .. } | Kind::Twice { .. } | Kind::NothingLeft => {
                faults.add_name(&path, &error, error.help().unwrap_or_default());
            }
        }
    }
    None
}
