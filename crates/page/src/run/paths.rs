//! Paths of flows' data through the fabric.
//!
//! Invariant: `paths.csv` has the paths of the first flows of `flows.csv`, in the same order. A flow has a set of outputs, with all
//! alternatives of a hop.

use results::reader::{ReadError, RunFiles};
use results::rows::PathRow;
use results::table::TableRow;
use serde::Serialize;

use crate::numbers::{Form, InJson, Numbers, TakenOut};
use crate::words;

/// Paths of the first flows of `flows.csv`.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(super) struct PathData<F: Form = InJson> {
    /// Number of outputs of each flow.
    lengths: F::Places,
    /// Outputs of all flows in turn.
    outputs: F::Places,
    /// Number of further flows, which have no path in the file.
    left_out_flows: usize,
}

impl PathData {
    pub(super) fn take_out(self, numbers: &mut Numbers) -> PathData<TakenOut> {
        let [lengths, outputs] = [self.lengths, self.outputs]
            .map(|places| numbers.add(places.into_iter().map(|place| place as f64)));
        PathData { lengths, outputs, left_out_flows: self.left_out_flows }
    }
}

/// Reads the paths; `None` without the file. `output` returns the place of an output by its node and port.
pub(super) fn read(
    files: RunFiles<'_>,
    output: impl Fn(&str, u32) -> Result<u32, ReadError>,
) -> Result<Option<PathData>, ReadError> {
    if !files.has(PathRow::FILE) {
        return Ok(None);
    }
    let (flows, rows) = (files.flows()?, files.rows::<PathRow<'_>>()?);
    let (mut lengths, mut outputs): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for part in rows.chunk_by(|one, other| one.flow == other.flow) {
        let name = &part[0].flow;
        if flows.get(lengths.len()).is_none_or(|flow| flow.flow != *name) {
            let fault = format!("`{name}` is not flow {} of `flows.csv`", lengths.len() + 1);
            return Err(ReadError::Malformed { file: PathRow::FILE.to_owned(), fault });
        }
        lengths.push(part.len());
        for row in part {
            outputs.push(output(&row.node, row.port)? as usize);
        }
    }
    let left_out_flows = flows.len() - lengths.len();
    Ok(Some(PathData { lengths, outputs, left_out_flows }))
}

/// Returns the sentence on flows without a path, if there are any.
pub(super) fn about(paths: Option<&PathData>) -> Option<String> {
    match paths {
        None => Some("The folder has no `paths.csv`, so that no path of a flow is drawn.".to_owned()),
        Some(PathData { left_out_flows: 0, .. }) => None,
        Some(PathData { lengths, left_out_flows, .. }) => Some(format!(
            "`paths.csv` has the paths of the first {}, and not of {} more.",
            words::count(lengths.len(), "flow"),
            words::thousands(*left_out_flows as u64)
        )),
    }
}
