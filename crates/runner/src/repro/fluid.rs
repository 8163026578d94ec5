//! What DCQCN's fluid model says of a flow, as a line beside the simulated one.
//!
//! Invariant: the model is given what the run was given (settings, link, starts of all flows, length of samples) and
//! nothing that came of it.

use cc_policies::Scheme;
use cc_policies::dcqcn::Fluid;
use report::panels::Curve;
use scenario::Plan;
use serde::Deserialize;
use units::{Bytes, Span};

/// A line of the fluid model: all flows of a run share one output.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FluidLine {
    /// What it is called.
    name: String,
    /// The flow, by name.
    flow: String,
    /// The length of a packet on the wire, of which all but the MTU's payload is overhead.
    packet: Bytes,
    /// From a mark to its effect: tau*.
    delay: Span,
}

impl FluidLine {
    /// The flow's goodput by the model.
    ///
    /// # Errors
    /// What the plan does not have.
    pub(super) fn curve(&self, plan: &Plan) -> Result<Curve, String> {
        let Scheme::Dcqcn(settings) = plan.scheme() else { return Err("DCQCN".to_owned()) };
        let flows = &plan.workload().flows;
        let missing = || format!("flow {}", self.flow);
        let flow = flows.iter().position(|flow| flow.name == self.flow).ok_or_else(missing)?;
        let starts: Vec<_> = flows.iter().map(|flow| flow.posting.start().since_start()).collect();
        let link = plan.cable(0).data_rate();
        let fluid = Fluid::new(settings, link, self.packet, self.delay);
        let payload = f64::from(plan.link().mtu.bytes()) / self.packet.get() as f64;
        let samples = fluid.trajectory(&starts, plan.duration(), plan.sample());
        // A sample of the run is about the interval before it; the model has one at the start too.
        let goodput = samples.iter().skip(1).map(|sample| {
            let rate = sample.rates[flow] * payload / 1e9;
            (rate > 0.0).then_some(rate)
        });
        Ok(Curve { name: self.name.clone(), goodput: goodput.collect() })
    }
}
