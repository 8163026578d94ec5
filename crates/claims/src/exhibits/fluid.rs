//! DCQCN's fluid model of a flow, as a line beside the simulated line.
//!
//! Invariant: the model's input is the run's input (settings, link, starts of all flows, length of samples). No result
//! of the run enters it.

use cc_policies::Scheme;
use cc_policies::dcqcn::Fluid;
use scenario::Plan;
use serde::Deserialize;
use units::{Bytes, Span};

use crate::measurement::NotInRun;

/// A line of the fluid model, in which all flows of a run share an output.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FluidLine {
    /// Name of the line.
    name: String,
    /// Name of the flow.
    flow: String,
    /// Length of a packet on the wire; all of it except an MTU is overhead.
    packet: Bytes,
    /// Time from a mark to its effect: tau*.
    delay: Span,
}

impl FluidLine {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the queue in the model, in KB by sample.
    ///
    /// # Errors
    /// If the plan lacks DCQCN.
    pub(super) fn queue(&self, plan: &Plan) -> Result<Vec<Option<f64>>, NotInRun> {
        let Scheme::Dcqcn(settings) = plan.scheme() else { return Err(NotInRun::Dcqcn) };
        let starts: Vec<_> =
            plan.workload().flows.iter().map(|flow| flow.posting.start().since_start()).collect();
        let fluid = Fluid::new(settings, plan.cable(0).rate, self.packet, self.delay);
        let samples = fluid.trajectory(&starts, plan.duration(), plan.sample());
        Ok(samples.iter().skip(1).map(|sample| Some(sample.queue / 1e3)).collect())
    }

    /// Returns the flow's goodput in the model, in Gb/s by sample.
    ///
    /// # Errors
    /// If the plan lacks DCQCN or the flow.
    pub(super) fn goodput(&self, plan: &Plan) -> Result<Vec<Option<f64>>, NotInRun> {
        let Scheme::Dcqcn(settings) = plan.scheme() else { return Err(NotInRun::Dcqcn) };
        let flows = &plan.workload().flows;
        let missing = || NotInRun::Flow(self.flow.clone());
        let flow = flows.iter().position(|flow| *flow.name == *self.flow).ok_or_else(missing)?;
        let starts: Vec<_> = flows.iter().map(|flow| flow.posting.start().since_start()).collect();
        let link = plan.cable(0).rate;
        let fluid = Fluid::new(settings, link, self.packet, self.delay);
        let payload = f64::from(plan.link().mtu.bytes()) / self.packet.get() as f64;
        let samples = fluid.trajectory(&starts, plan.duration(), plan.sample());
        // A sample of the run covers the interval before it; the model has a further sample, at the start.
        let goodput = samples.iter().skip(1).map(|sample| {
            let rate = sample.rates[flow] * payload / 1e9;
            (rate > 0.0).then_some(rate)
        });
        Ok(goodput.collect())
    }
}
