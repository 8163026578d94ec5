//! Samples of the flows at their sources that the scenario asks for.
//!
//! Invariant: looking changes nothing. Where the scenario asks for the busiest flows, all are sampled, and the others'
//! samples go at the end of the run.

use packet::FlowId;
use scenario::{Plan, SourceSeriesPlan};
use telemetry::{SourceSample, SourceSeries, busiest};
use units::Bytes;

use crate::state::world::World;

/// Samples flows at their sources.
#[derive(Debug)]
pub(crate) struct SourceProbe {
    chosen: SourceSeriesPlan,
    flows: Vec<FlowId>,
    /// Payload delivered up to the last sample, by flow.
    last: Vec<Bytes>,
    samples: Vec<SourceSample>,
}

state_codec::state!(SourceProbe { chosen: plan, flows: plan, last: part, samples });

impl SourceProbe {
    /// Creates the probe that a plan asks for.
    pub(crate) fn new(plan: &Plan) -> Self {
        let chosen = plan.series().sources.clone();
        let all = (0..plan.workload().flows.len() as u32).map(FlowId);
        let flows = if chosen.takes_all() { all.collect() } else { chosen.named.clone() };
        Self { last: vec![Bytes::ZERO; flows.len()], chosen, flows, samples: Vec::new() }
    }

    /// Records all flows. Called once all events of a sample's instant are handled.
    pub(crate) fn look(&mut self, world: &World) {
        for (flow, last) in self.flows.iter().zip(&mut self.last) {
            let delivered = world.delivered(*flow);
            let gained = delivered - core::mem::replace(last, delivered);
            self.samples.push(sample(world, *flow, gained));
        }
    }

    /// Returns the samples of the flows that are asked for.
    pub(crate) fn series(self) -> SourceSeries {
        let Self { chosen, flows, last, samples } = self;
        let mut series = SourceSeries { flows: flows.iter().map(|flow| flow.0).collect(), samples };
        let named = flows.iter().map(|flow| chosen.named.binary_search(flow).is_ok());
        series.retain(&busiest(named.collect(), &[(chosen.busiest, &last)]));
        series
    }
}

fn sample(world: &World, flow: FlowId, delivered: Bytes) -> SourceSample {
    let (control, line) = world.control(flow);
    SourceSample {
        delivered,
        rate: control.allowed_rate(line),
        target: control.rate.map(|rate| rate.target),
        alpha: control.rate.map(|rate| rate.alpha),
        delay: control.delay,
        window: control.window,
        ccti: control.ccti,
    }
}
