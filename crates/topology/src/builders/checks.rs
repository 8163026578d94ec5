//! Checks that several families share.

use settings::FieldPath;

use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::limits::{MAX_NODES, MAX_SWITCH_PORTS};

/// Returns the index of the kind of cable that the field at `path` names.
pub(super) fn cable_index(
    cables: &[&str],
    given: &str,
    path: impl Into<FieldPath>,
) -> Result<usize, TopologyError> {
    cables
        .iter()
        .position(|name| *name == given)
        .ok_or_else(|| TopologyError::new(path, Kind::UnknownCable { given: given.to_owned() }))
}

/// Fails unless `given` lies in this range.
pub(super) fn within(
    path: impl Into<FieldPath>,
    given: u16,
    least: u16,
    most: u16,
) -> Result<usize, TopologyError> {
    if (least..=most).contains(&given) {
        Ok(given.into())
    } else {
        Err(TopologyError::new(path, Kind::OutOfRange { given, least, most }))
    }
}

/// Fails if a switch has more ports than IBA can number.
pub(super) fn ports_fit(path: impl Into<FieldPath>, ports: u64) -> Result<(), TopologyError> {
    if ports > MAX_SWITCH_PORTS as u64 {
        return Err(TopologyError::new(path, Kind::TooManyPorts));
    }
    Ok(())
}

/// Fails if there are more nodes than addresses.
pub(super) fn nodes_fit(path: impl Into<FieldPath>, nodes: u64) -> Result<(), TopologyError> {
    if nodes > MAX_NODES as u64 {
        let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
        return Err(TopologyError::new(path, Kind::TooManyNodes { nodes }));
    }
    Ok(())
}

/// Returns the product, or a number beyond every limit.
pub(super) fn product(factors: impl IntoIterator<Item = u16>) -> u64 {
    factors.into_iter().fold(1, |product: u64, factor| product.saturating_mul(factor.into()))
}
