//! Patterns of a few fields: permutation, incast, Poisson.

use packet::NodeId;

use super::builder::{PatternBuilder, one_message};
use super::synthetic::HostMessages;
use crate::chance::derangement;
use crate::draw::{DestinationRule, PostingPeriod, SizeDistribution};
use crate::error::{HostError, InField, WorkloadError};
use crate::flow::{Flow, ListedMessage};
use crate::run::HostTraffic;
use crate::spec::{IncastSpec, PermutationSpec, PoissonSpec, TimedArrivals, check};

impl PatternBuilder<'_> {
    pub(super) fn permutation(&self, spec: &PermutationSpec) -> Result<Vec<Flow>, WorkloadError> {
        let message = ListedMessage { at: spec.at, bytes: spec.bytes };
        check::message_size(message.bytes).in_field("bytes")?;
        let mut random = self.stream("permutation", "all hosts");
        let to = derangement(self.environment.hosts().len(), &mut random);
        let flow = |(from, to)| self.flow(from, NodeId(to), one_message(message));
        Ok(self.environment.nodes().zip(to).map(flow).collect())
    }

    pub(super) fn incast(&self, spec: &IncastSpec) -> Result<Vec<Flow>, WorkloadError> {
        let IncastSpec { at, to, senders, bytes, .. } = spec;
        let (senders, message) = (*senders, ListedMessage { at: *at, bytes: *bytes });
        let to = self.environment.host(to).in_field("to")?;
        let hosts = self.environment.hosts().len();
        let others = hosts - 1;
        if senders == 0 || senders as usize > others {
            return Err(WorkloadError::at("senders", HostError::Senders { given: senders, others }));
        }
        check::message_size(message.bytes).in_field("bytes")?;
        let mut from: Vec<usize> = (1..=senders as usize).map(|k| (to.index() + k) % hosts).collect();
        from.sort_unstable();
        let flow = |from| self.flow(NodeId(from as u32), to, one_message(message));
        Ok(from.into_iter().map(flow).collect())
    }

    /// Returns the flows of uniform traffic with Poisson arrivals and messages of one size.
    pub(super) fn poisson(
        &self,
        spec: &PoissonSpec,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, WorkloadError> {
        let PoissonSpec { from, until, message, load, .. } = *spec;
        check::period(from, until).in_field("until")?;
        check::message_size(message).in_field("message")?;
        check::load(load).in_field("load")?;
        let messages = HostMessages {
            rule: DestinationRule::Uniform.into(),
            sizes: SizeDistribution::Fixed(message).into(),
            period: PostingPeriod { start: from, stop: until },
            most: None,
        };
        let arrivals = TimedArrivals::Poisson { load };
        self.check_timed(&messages, arrivals)?;
        let hosts = self.environment.nodes();
        let flows = hosts.flat_map(|source| {
            self.timed(source, self.timed_messages(&messages, arrivals, source), host_traffic)
        });
        Ok(flows.collect())
    }
}
