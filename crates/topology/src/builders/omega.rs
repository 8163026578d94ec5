//! Omega networks: stages of k x k switches with a perfect shuffle before each.
//!
//! Invariant: any two hosts have a single path between them. Data cross a cable between stages in a single direction,
//! from the first stage to the last.
//!
//! D. H. Lawrie, "Access and alignment of data in an array processor", 1975. With n stages there are k^n hosts; a
//! host's number, written with n digits to the base k, is its position. A shuffle moves the first digit of a position
//! to the end; a switch changes the last digit:
//!
//! ```text
//! hosts      stage1.x        stage2.x             host h sends at position h; for each stage:
//! h1 -tap1 ~ shuffle -[  ]~ shuffle -[  ]- tap1 - h1     shuffle the position; its last digit is the
//! h2 -tap2 ~         -[  ]~         -[  ]- tap2 - h2     input, the rest the switch; the output is the
//! h3 -tap3 ~         -[  ]~         -[  ]- tap3 - h3     destination's next digit, first digit first
//! h4 -tap4 ~         -[  ]~         -[  ]- tap4 - h4
//! ```
//!
//! DEVIATION: in an Omega network a host sends by a cable of the first stage and receives by a cable of the last.
//! Here a host has an adapter with a single port. A switch with three ports, the *tap*, therefore connects the host
//! to both. It forwards packets of the host to the first stage, and packets of the last stage to the host. Nothing
//! contends in the tap. It adds two hops of latency, a buffer before the first stage and a buffer behind the last.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checks::{cable_index, nodes_fit, product, within};
use crate::error::TopologyError;
use crate::graph::{Graph, GraphDraft, ranked};

/// An Omega network of k x k switches with n stages and k^n hosts; see [`omega`](self).
///
/// Switches are named `stage1.1`, `stage1.2`, ..., taps `tap1`, ... like their hosts. A switch has its inputs
/// at ports 1 to k and its outputs at k + 1 to 2k; a tap has its host at port 1, the first stage at port 2
/// and the last stage at port 3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Omega {
    /// k: 2 to 127.
    #[schemars(range(min = 2, max = 127))]
    pub arity: u16,
    /// n: 2 to 15.
    #[schemars(range(min = 2, max = 15))]
    pub stages: u16,
    /// Name of the kind of all cables.
    pub cable: String,
}

impl Omega {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<(Graph, OmegaShape), TopologyError> {
        let shape = self.checked()?;
        let cable = cable_index(cables, &self.cable, "cable")?;
        let OmegaShape { k, stages, per_stage } = shape;
        let names = (1..=stages).flat_map(|s| (1..=per_stage).map(move |i| format!("stage{s}.{i}")));
        let taps = (1..=shape.hosts()).map(|i| format!("tap{i}"));
        let mut draft = GraphDraft::with_numbered_hosts(shape.hosts(), names.chain(taps));
        let node = |switch: usize| shape.hosts() + switch;
        for position in 0..shape.hosts() {
            let tap = node(shape.tap(position));
            draft.link(ranked(position, 0), ranked(tap, 0), cable);
            let (first, input) = shape.shuffled(position);
            draft.link(ranked(tap, 1), ranked(node(first), input), cable);
            let (own, output) = (position / k, k + position % k);
            for stage in 1..stages {
                let (next, input) = shape.shuffled(position);
                let (from, to) = (shape.switch(stage - 1, own), shape.switch(stage, next));
                draft.link(ranked(node(from), output), ranked(node(to), input), cable);
            }
            draft.link(ranked(node(shape.switch(stages - 1, own)), output), ranked(tap, 2), cable);
        }
        Ok((draft.finish(), shape))
    }

    fn checked(&self) -> Result<OmegaShape, TopologyError> {
        let k = within("arity", self.arity, 2, 127)?;
        let stages = within("stages", self.stages, 2, 15)?;
        let per_stage = product(vec![self.arity; stages - 1]);
        nodes_fit("stages", per_stage.saturating_mul((2 * k + stages) as u64))?;
        let per_stage = usize::try_from(per_stage).expect("fewer than nodes");
        Ok(OmegaShape { k, stages, per_stage })
    }
}

/// The structure of an Omega network with parameters that have been checked. Switches are counted stage by stage,
/// then taps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OmegaShape {
    /// Inputs of a switch, and outputs.
    k: usize,
    stages: usize,
    /// Switches of a stage.
    per_stage: usize,
}

impl OmegaShape {
    /// Returns the next switch from `at` towards the tap `to` by destination tags; `None` if no path to that
    /// tap leads through `at`.
    pub(crate) fn next(&self, at: usize, to: usize) -> Option<usize> {
        let destination = to.checked_sub(self.stages * self.per_stage)?;
        let Some(stage) = Some(at / self.per_stage).filter(|stage| *stage < self.stages) else {
            return Some(self.shuffled(at - self.stages * self.per_stage).0);
        };
        let own = at % self.per_stage;
        // Earlier stages have set these digits: the last of the switch are the first of the destination.
        let placed = self.k.pow(stage as u32);
        if own % placed != destination / (self.hosts() / placed) {
            return None;
        }
        let tag = destination / (self.per_stage / placed) % self.k;
        let position = own * self.k + tag;
        Some(if stage + 1 == self.stages {
            self.tap(position)
        } else {
            self.switch(stage + 1, self.shuffled(position).0)
        })
    }

    fn hosts(&self) -> usize {
        self.k * self.per_stage
    }

    fn switch(&self, stage: usize, own: usize) -> usize {
        stage * self.per_stage + own
    }

    fn tap(&self, host: usize) -> usize {
        self.stages * self.per_stage + host
    }

    /// Returns the switch, counted within its stage, and the input to which the shuffle leads a position.
    fn shuffled(&self, position: usize) -> (usize, usize) {
        (position % self.per_stage, position / self.per_stage)
    }
}
