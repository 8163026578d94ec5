//! Flows from several hosts to a receiver: at once, or in sessions that come and go.
//!
//! Invariant: the draws of a host depend neither on other hosts nor on the number of hosts.

use packet::{FlowName, NodeId};
use rand::RngExt;
use units::Span;

use super::builder::PatternBuilder;
use crate::chance::OnPeriods;
use crate::error::WorkloadError;
use crate::flow::Flow;
use crate::spec::{ConvergeSpec, Senders, SessionsSpec};

impl PatternBuilder<'_> {
    pub(super) fn converge(&self, spec: &ConvergeSpec) -> Result<Vec<Flow>, WorkloadError> {
        let flow = |(number, source)| {
            let from = self.environment.name(source);
            let late = self.stream("jitter", from).random_range(0..=spec.jitter.ps());
            let name = match &spec.name {
                Some(name) => format!("{name}{number}"),
                None => format!("{}:{from}->{}", self.prefix, spec.to),
            };
            let flow = spec.flow(name, from, Span::from_ps(late)).resolve(self.environment)?;
            Ok(Flow { named: spec.name.is_some(), ..flow })
        };
        (1_u32..).zip(self.sources(spec.resolve(self.environment)?)).map(flow).collect()
    }

    pub(super) fn sessions(&self, spec: &SessionsSpec) -> Result<Vec<Flow>, WorkloadError> {
        let mut flows = Vec::new();
        for source in self.sources(spec.resolve(self.environment)?) {
            let from = self.environment.name(source);
            let stream = self.stream("sessions", from);
            let periods = OnPeriods::new((spec.on, spec.off), spec.start, spec.stop, stream);
            for (number, period) in (1..).zip(periods) {
                let name = format!("{}:{from}->{}#{number}", self.prefix, spec.to);
                let flow = spec.flow(name, from, period).resolve(self.environment)?;
                flows.push(Flow { named: false, ..flow });
            }
        }
        // Names made together share their memory.
        let names = FlowName::together(flows.iter().map(|flow| [&*flow.name]));
        flows.iter_mut().zip(names).for_each(|(flow, name)| flow.name = name);
        Ok(flows)
    }

    /// Returns the hosts that send to a receiver, in the order of the topology.
    fn sources(&self, (senders, receiver): (Senders, NodeId)) -> Vec<NodeId> {
        let mut sources = self.sender_draw(&senders).draw(receiver);
        // Draws come in random order, but flows are numbered in the order of the topology.
        sources.sort_unstable();
        sources
    }
}
