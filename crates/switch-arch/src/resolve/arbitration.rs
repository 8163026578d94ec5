//! Resolution of the lane arbitration tables of single ports.
//!
//! Invariant: every lane on which packets leave a port has a turn there.

use std::collections::BTreeSet;

use link_layer::resolve::LinkPlan;
use link_layer::spec::{LinkSpec, VlArbitrationSpec};
use packet::{Lane, PortId, ServiceLevel};
use settings::FieldPath;

use super::{SwitchEnv, SwitchError};
use crate::spec::SwitchSpec;
use crate::tables::SlToVl;

impl SwitchSpec {
    /// Checks what does not depend on the ports of a switch: the lanes that the tables name, and their lengths.
    pub(super) fn arbitration_errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let entries = self.vl_arbitration.iter().enumerate();
        let errors = entries.flat_map(|(i, own)| {
            let errors = own.tables.errors(link.data_lanes, []);
            errors.into_iter().map(move |error| SwitchError::Arbitration { field: field_of(i), error })
        });
        errors.collect()
    }

    /// Returns the tables by port; `None` if all ports have the link's.
    ///
    /// # Errors
    /// If a lane on which packets leave a port has no turn there.
    pub(super) fn arbitration(
        &self,
        SwitchEnv { link, numbers, .. }: SwitchEnv<'_>,
        lanes: Option<&SlToVl>,
    ) -> Result<Option<Vec<VlArbitrationSpec>>, SwitchError> {
        if self.vl_arbitration.is_empty() {
            return Ok(None);
        }
        let ports = numbers.len() as u16;
        let of_port = |(port, number): (PortId, &u16)| {
            let own = self.arbitration_of(*number);
            let tables = own.map_or(&link.vl_arbitration, |i| &self.vl_arbitration[i].tables);
            let unserved = leaving(port, ports, link, lanes).into_iter().find(|lane| !tables.serves(*lane));
            match unserved {
                Some(lane) => {
                    let field = own.map_or_else(|| "vl_arbitration".into(), field_of);
                    Err(SwitchError::PortUnserved { field, port: *number, lane })
                }
                None => Ok(tables.clone()),
            }
        };
        (0..).map(PortId).zip(numbers).map(of_port).collect::<Result<_, _>>().map(Some)
    }
}

/// Returns the path of the tables of an entry.
fn field_of(entry: usize) -> FieldPath {
    FieldPath::from("vl_arbitration").index(entry).name("tables")
}

/// Returns the lanes on which packets of any service level leave a port.
fn leaving(output: PortId, ports: u16, link: &LinkPlan, lanes: Option<&SlToVl>) -> BTreeSet<Lane> {
    let Some(tables) = lanes else { return link.lanes.into_iter().collect() };
    let inputs = (0..ports).map(PortId).filter(|input| *input != output);
    let levels = || (0..ServiceLevel::COUNT).map(ServiceLevel);
    inputs.flat_map(|input| levels().map(move |level| tables.lane((input, output), level))).collect()
}
