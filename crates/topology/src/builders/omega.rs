//! Omega networks: stages of k x k switches with a perfect shuffle before each.
//!
//! Invariant: there is one way from each host to each other, and data cross a cable between stages in one
//! direction only: from the first stage to the last.
//!
//! D. H. Lawrie, "Access and alignment of data in an array processor", 1975. With n stages there are k^n
//! hosts; a host's number, written with n digits to the base k, is its position. A shuffle takes the first
//! digit of a position to its end; a switch changes the last digit:
//!
//! ```text
//! hosts      stage1.x        stage2.x             host h sends at position h; for each stage:
//! h1 -tap1 ~ shuffle -[  ]~ shuffle -[  ]- tap1 - h1     shuffle the position; its last digit is the
//! h2 -tap2 ~         -[  ]~         -[  ]- tap2 - h2     input, the rest the switch; the output is the
//! h3 -tap3 ~         -[  ]~         -[  ]- tap3 - h3     destination's next digit, first digit first
//! h4 -tap4 ~         -[  ]~         -[  ]- tap4 - h4
//! ```
//!
//! DEVIATION: in an Omega network a host sends by one cable and receives by another; here it has an adapter
//! with one port. So a switch with three ports, the *tap*, stands between: it passes on what comes from the
//! host to the first stage, and what comes from the last stage to the host. Nothing contends in it. It adds
//! two hops of latency, and one buffer before the first stage and one behind the last.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Wiring, nodes_fit, product, within};
use crate::builder::cable;
use crate::error::TopologyError;
use crate::graph::Graph;

/// An Omega network of k x k switches with n stages and k^n hosts; see [`omega`](self).
///
/// Switches are named `stage1.1`, `stage1.2`, ..., taps `tap1`, ... after their hosts. A switch has its inputs
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
    /// The name of the kind of all cables.
    pub cable: String,
}

impl Omega {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let k = within("arity", self.arity, 2, 127)?;
        let stages = within("stages", self.stages, 2, 15)?;
        let each = product(vec![self.arity; stages - 1]);
        nodes_fit("stages", each.saturating_mul((2 * k + stages) as u64))?;
        let cable = cable(cables, &self.cable, || "cable".to_owned())?;
        let shape = self.shape();
        let names = (1..=stages).flat_map(|s| (1..=shape.each).map(move |i| format!("stage{s}.{i}")));
        let taps = (1..=shape.hosts()).map(|i| format!("tap{i}"));
        let mut wiring = Wiring::new(shape.hosts(), names.chain(taps));
        let node = |switch: usize| shape.hosts() + switch;
        for position in 0..shape.hosts() {
            let tap = node(shape.tap(position));
            wiring.link((position, 0), (tap, 0), cable);
            let (first, input) = shape.shuffled(position);
            wiring.link((tap, 1), (node(first), input), cable);
            let (own, output) = (position / k, k + position % k);
            for stage in 1..stages {
                let (next, input) = shape.shuffled(position);
                let from = node(shape.switch(stage - 1, own));
                wiring.link((from, output), (node(shape.switch(stage, next)), input), cable);
            }
            wiring.link((node(shape.switch(stages - 1, own)), output), (tap, 2), cable);
        }
        Ok(wiring.finish())
    }

    /// The numbers of a network that has been checked.
    pub(crate) fn shape(&self) -> Shape {
        let (k, stages) = (usize::from(self.arity), usize::from(self.stages));
        Shape { k, stages, each: k.pow(u32::from(self.stages) - 1) }
    }
}

/// The numbers of an Omega network. Switches are counted stage by stage, then taps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    k: usize,
    stages: usize,
    /// Switches of a stage.
    each: usize,
}

impl Shape {
    /// The switch to which destination tags lead from `at` towards the tap `to`; nothing if they never
    /// lead there by way of `at`.
    pub(crate) fn next(&self, at: usize, to: usize) -> Option<usize> {
        let destination = to.checked_sub(self.stages * self.each)?;
        let Some(stage) = Some(at / self.each).filter(|stage| *stage < self.stages) else {
            return Some(self.shuffled(at - self.stages * self.each).0);
        };
        let own = at % self.each;
        // What the stages before have put in place: the last digits of the switch, the first of the host.
        let placed = self.k.pow(stage as u32);
        if own % placed != destination / (self.hosts() / placed) {
            return None;
        }
        let tag = destination / (self.each / placed) % self.k;
        let position = own * self.k + tag;
        Some(if stage + 1 == self.stages {
            self.tap(position)
        } else {
            self.switch(stage + 1, self.shuffled(position).0)
        })
    }

    fn hosts(&self) -> usize {
        self.k * self.each
    }

    fn switch(&self, stage: usize, own: usize) -> usize {
        stage * self.each + own
    }

    fn tap(&self, host: usize) -> usize {
        self.stages * self.each + host
    }

    /// The switch of its stage, and the input, to which the shuffle takes a position.
    fn shuffled(&self, position: usize) -> (usize, usize) {
        (position % self.each, position / self.each)
    }
}
