//! Cables, and the settings that all links share.

use link_layer::resolve::{LaneNotConfigured, LinkEnv, LinkError};
use link_layer::{CablePlan, LinkPlan};
use settings::FieldPath;
use units::{Bytes, Rate};

use super::node;
use crate::format::Scenario;
use crate::text::Faults;

/// Resolves every kind of cable, in the order of their names.
pub(super) fn cables(scenario: &Scenario, faults: &mut Faults<'_>) -> Option<Vec<CablePlan>> {
    let mut cables = Vec::new();
    for (name, cable) in &scenario.cables {
        match cable.resolve() {
            Ok(cable) => cables.push(cable),
            Err(errors) => faults.add_errors(&FieldPath::from("cables").name(name), &errors),
        }
    }
    (cables.len() == scenario.cables.len()).then_some(cables)
}

/// Resolves the settings that all links share.
pub(super) fn resolve(
    scenario: &Scenario,
    cables: Option<&[CablePlan]>,
    faults: &mut Faults<'_>,
) -> Option<LinkPlan> {
    let rates: Vec<Rate> = cables.unwrap_or_default().iter().map(|cable| cable.rate).collect();
    let env = LinkEnv { smallest_buffer: smallest_buffer(scenario), rates };
    let path = FieldPath::from("link");
    match scenario.link.resolve(&env) {
        Ok(link) => return Some(link),
        Err(errors) => {
            for error in &errors {
                faults.add_error(&path, error, matches!(error, LinkError::NoServiceLevel(_)));
            }
        }
    }
    None
}

/// Checks that a lane is one of the data lanes.
pub(super) fn check_lane(path: &FieldPath, lane: u8, data_lanes: u8, faults: &mut Faults<'_>) {
    if let Err(error) = LaneNotConfigured::check(lane, data_lanes) {
        faults.add_errors(path, &[error]);
    }
}

/// Returns the smallest buffer that the scenario states, with its path.
fn smallest_buffer(scenario: &Scenario) -> (String, Bytes) {
    let smallest = node::buffers(scenario).into_iter().min_by_key(|(_, size)| *size);
    let (path, size) = smallest.expect("a scenario gives switches and adapters their buffers");
    (path.to_string(), size)
}
