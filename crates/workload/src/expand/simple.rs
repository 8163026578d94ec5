//! Patterns of a few fields: permutation and Poisson.

use packet::NodeId;

use super::builder::{PatternBuilder, one_message};
use super::synthetic::HostMessages;
use crate::draw::{DestinationRule, PostingPeriod, SizeDistribution};
use crate::error::{InField, WorkloadError};
use crate::flow::{Flow, ListedMessage};
use crate::run::HostTraffic;
use crate::spec::{DestinationSpec, Parties, PermutationSpec, PoissonSpec, TimedArrivals, check};

impl PatternBuilder<'_> {
    pub(super) fn permutation(&self, spec: &PermutationSpec) -> Result<Vec<Flow>, WorkloadError> {
        let message = ListedMessage { at: spec.at, bytes: spec.bytes };
        check::message_size(message.bytes).in_field("bytes")?;
        let parties = Parties::resolve(&spec.senders, &spec.receivers, self.environment)?;
        let mut random = self.stream("permutation", "all hosts");
        let rule = DestinationRule::permutation(&parties, self.environment, &mut random);
        let DestinationRule::Map(to) = rule.map_err(WorkloadError::whole)? else {
            unreachable!("a permutation maps each sender to a receiver")
        };
        let flow = |from: &NodeId| (*from, NodeId(to[from.index()]), one_message(message));
        Ok(self.flows(parties.senders.iter().map(flow).collect()))
    }

    /// Returns the flows of uniform traffic with Poisson arrivals and messages of the same size.
    pub(super) fn poisson(
        &self,
        spec: &PoissonSpec,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, WorkloadError> {
        let PoissonSpec { from, until, message, load, .. } = *spec;
        let parties = Parties::resolve(&spec.senders, &spec.receivers, self.environment)?;
        check::period(from, until).in_field("until")?;
        check::message_size(message).in_field("message")?;
        check::load(load).in_field("load")?;
        // A uniform rule draws nothing here: the stream is only what the rule's constructor asks for.
        let random = self.stream("permutation", "all hosts");
        let rule = DestinationRule::new(DestinationSpec::Uniform, &parties, self.environment, random);
        let messages = HostMessages {
            rule: rule.map_err(WorkloadError::whole)?,
            senders: parties.senders,
            sizes: SizeDistribution::Fixed(message).into(),
            period: PostingPeriod { start: from, stop: until },
            most: None,
        };
        let arrivals = TimedArrivals::Poisson { load };
        self.check_timed(&messages, arrivals)?;
        let mut flows = Vec::new();
        for (source, targets) in messages.targets() {
            let messages = self.timed_messages(&messages, arrivals, (source, targets));
            flows.extend(self.timed(source, (messages, None), host_traffic));
        }
        Ok(flows)
    }
}
