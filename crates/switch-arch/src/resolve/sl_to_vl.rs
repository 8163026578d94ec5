//! Resolution of the tables of service levels to lanes.
//!
//! Invariant: every table leads to data lanes that are configured and have a turn.

use link_layer::resolve::LaneNotConfigured;
use link_layer::spec::LinkSpec;
use packet::{Lane, PortId, ServiceLevel};
use settings::FieldPath;

use super::SwitchError;
use crate::spec::SwitchSpec;
use crate::tables::SlToVl;

/// The lane of subnet management packets; a data packet that a table leads there is discarded (IBA 7.6.6).
const MANAGEMENT_LANE: u8 = 15;

impl SwitchSpec {
    /// Checks that each table of service levels leads to lanes that are configured and served. Reports the first fault
    /// of each.
    pub(super) fn table_errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let tables = (0..).zip(&self.sl_to_vl);
        let tables = tables.map(|(i, own)| (FieldPath::from("sl_to_vl").index(i).name("lanes"), &own.lanes));
        let mut errors = Vec::new();
        for (field, lanes) in tables {
            if lanes.len() != usize::from(ServiceLevel::COUNT) {
                errors.push(SwitchError::TableLength { field, lanes: lanes.len() });
                continue;
            }
            let mut lanes = (0..).zip(lanes);
            let of_link = self.vl_arbitration.is_empty();
            let wrong =
                lanes.find_map(|(level, &lane)| table_error(field.index(level), lane, (link, of_link)));
            errors.extend(wrong);
        }
        errors
    }

    /// Returns the tables of service levels to lanes, given the tables of the pairs that no entry names. The settings
    /// have no [`errors`](Self::errors). Entries for ports that the switch lacks are for others with the same settings.
    pub(super) fn tables(&self, mut tables: SlToVl, numbers: &[u16]) -> SlToVl {
        let exists = |port: &Option<u16>| port.is_none_or(|port| numbers.contains(&port));
        for own in self.sl_to_vl.iter().filter(|own| exists(&own.input) && exists(&own.output)) {
            let numbered = |number| numbers.iter().position(|own| *own == number);
            let port = |number: Option<u16>| number.and_then(numbered).map(|port| PortId(port as u16));
            let lanes = core::array::from_fn(|level| Lane(own.lanes[level]));
            tables.set(port(own.input), port(own.output), lanes);
        }
        tables
    }
}

/// Checks a lane of a table of service levels. Without `of_link` ports have arbitration tables of their own, which are
/// checked port by port.
fn table_error(field: FieldPath, lane: u8, (link, of_link): (&LinkSpec, bool)) -> Option<SwitchError> {
    if lane == MANAGEMENT_LANE {
        Some(SwitchError::DiscardingTable(field))
    } else if let Err(lane) = LaneNotConfigured::check(lane, link.data_lanes) {
        Some(SwitchError::Lane { field, lane })
    } else {
        (of_link && !link.vl_arbitration.serves(Lane(lane)))
            .then_some(SwitchError::LaneUnserved { field, lane })
    }
}
