//! Synthetic traffic: rules for destinations, arrivals and sizes.
//!
//! Invariant: messages that would be posted after the end of the run are not drawn.

use std::sync::Arc;

use packet::NodeId;
use units::{PackedOption, Time};

use super::builder::PatternBuilder;
use crate::draw::{
    ArrivalTimes, DestinationRule, DrawnMessage, MessageSequence, PostingPeriod, SizeDistribution, Targets,
    TimedMessages, TimedSequence, forecast,
};
use crate::error::{InField, WorkloadError};
use crate::flow::{Flow, Posting};
use crate::limits::MAX_DRAWN;
use crate::run::HostTraffic;
use crate::spec::check::{self, Room};
use crate::spec::{Parties, PostingRule, SyntheticSpec, TimedArrivals};
use crate::volume::FiniteAmount;

/// The rules that the messages of every host follow, checked.
pub(super) struct HostMessages {
    pub(super) senders: Vec<NodeId>,
    pub(super) rule: DestinationRule,
    pub(super) sizes: Arc<SizeDistribution>,
    pub(super) period: PostingPeriod,
    /// Most messages of a host; `None` if there is no limit.
    pub(super) most: Option<u32>,
}

impl PatternBuilder<'_> {
    pub(super) fn synthetic(
        &self,
        spec: &SyntheticSpec,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, WorkloadError> {
        let posting = spec.resolve()?;
        let messages = self.host_messages(spec)?;
        let _room = self.check_amount(&messages, posting)?;
        let mut flows = Vec::new();
        for (host, targets) in messages.targets() {
            let source = (host, targets);
            flows.extend(match posting {
                PostingRule::Timed(arrivals) => {
                    let drawn = self.timed_messages(&messages, arrivals, source);
                    self.timed(host, (drawn, messages.most), host_traffic)
                }
                PostingRule::Closed { outstanding } => {
                    self.closed_loop(&messages, outstanding, source, host_traffic)
                }
                PostingRule::AtOnce { messages: count } => {
                    self.at_once(&messages, count, source, host_traffic)
                }
            });
        }
        Ok(flows)
    }

    fn host_messages(&self, spec: &SyntheticSpec) -> Result<HostMessages, WorkloadError> {
        let permutation = self.stream("permutation", "all hosts");
        let parties = Parties::resolve(&spec.senders, &spec.receivers, self.environment)?;
        let rule = DestinationRule::new(spec.destinations, &parties, self.environment, permutation);
        let rule = rule.in_field("destinations")?;
        let sizes = SizeDistribution::new(&spec.size, self.environment)?;
        let end = self.environment.end();
        let stop = spec.stop.unwrap_or(end).min(end).max(spec.start);
        let period = PostingPeriod { start: spec.start, stop };
        Ok(HostMessages { senders: parties.senders, rule, sizes: sizes.into(), period, most: spec.messages })
    }

    /// Checks that the messages that are drawn before the run are not too many.
    fn check_amount(
        &self,
        messages: &HostMessages,
        posting: PostingRule,
    ) -> Result<Option<Room>, WorkloadError> {
        match posting {
            PostingRule::Timed(arrivals) => self.check_timed(messages, arrivals).map(|()| None),
            PostingRule::Closed { outstanding } => {
                let capacity = |host| self.capacity(messages, outstanding, host);
                let each = |host| messages.limit().min(capacity(host) / messages.sizes.mean());
                let at_start = |host| each(host).min(f64::from(outstanding));
                messages.check_sum(each, MAX_DRAWN)?;
                messages.room(at_start).map(Some)
            }
            PostingRule::AtOnce { messages: count } => messages.room(|_| f64::from(count)).map(Some),
        }
    }

    /// Checks that messages by time alone are not too many, nor the times on of their hosts.
    pub(super) fn check_timed(
        &self,
        messages: &HostMessages,
        arrivals: TimedArrivals,
    ) -> Result<(), WorkloadError> {
        let length = messages.period.length();
        let each = |host| {
            let count = messages.limit().min(length / self.interval(messages, arrivals, host));
            match arrivals {
                TimedArrivals::Fixed { .. } | TimedArrivals::Poisson { .. } => count,
                TimedArrivals::OnOff { on, off, .. } => {
                    // Short times on may have no message at all, but each of them takes a draw.
                    count.max(length / (on.ps() as f64 + off.ps() as f64))
                }
            }
        };
        messages.check_sum(each, MAX_DRAWN)
    }

    /// Mean interval between two messages of a host, in ps.
    fn interval(&self, messages: &HostMessages, arrivals: TimedArrivals, host: NodeId) -> f64 {
        self.environment.mean_interval(host, messages.sizes.mean(), arrivals.load())
    }

    /// Payload in bytes that a closed loop cannot exhaust before its stop. This is the payload that the link carries
    /// until then, and the longest messages that may be outstanding.
    fn capacity(&self, messages: &HostMessages, outstanding: u32, host: NodeId) -> f64 {
        let carried = self.environment.carried(host, messages.period.length());
        carried + f64::from(outstanding) * messages.sizes.longest().get() as f64
    }

    fn sequence(&self, messages: &HostMessages, (host, targets): (NodeId, Targets)) -> MessageSequence {
        let name = self.environment.name(host);
        MessageSequence {
            targets,
            sizes: Arc::clone(&messages.sizes),
            k: 0,
            destinations: self.stream("destinations", name),
            lengths: self.stream("sizes", name),
        }
    }

    /// Messages of a host that does not wait for completions.
    pub(super) fn timed_messages(
        &self,
        messages: &HostMessages,
        arrivals: TimedArrivals,
        (host, targets): (NodeId, Targets),
    ) -> TimedMessages {
        let interval = self.interval(messages, arrivals, host);
        let most = messages.most.map_or(usize::MAX, |most| most as usize);
        let random = self.stream("arrivals", self.environment.name(host));
        let times = ArrivalTimes::new(arrivals, messages.period, interval, most, random);
        TimedMessages::Sequence(TimedSequence { sequence: self.sequence(messages, (host, targets)), times })
    }

    fn at_once(
        &self,
        messages: &HostMessages,
        count: u32,
        (source, targets): (NodeId, Targets),
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let at = messages.period.start;
        let sequence = self.sequence(messages, (source, targets)).take(count as usize);
        let drawn = sequence.clone().map(|(to, bytes)| DrawnMessage { at, to, bytes });
        let forecasts = forecast(drawn, self.environment.hosts().len());
        let number = host_traffic.len() as u32;
        let to = forecasts.iter().map(|flow| flow.to.0).collect();
        let finite = FiniteAmount::counted(u64::from(count), at);
        host_traffic.push(HostTraffic::at_once(to, sequence, at).ending(Some(finite)));
        self.drawn(source, forecasts, number)
    }

    /// Returns the flows of a closed loop: to all hosts that it can come to send to in its time.
    fn closed_loop(
        &self,
        messages: &HostMessages,
        outstanding: u32,
        (source, targets): (NodeId, Targets),
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let PostingPeriod { start, stop } = messages.period;
        let capacity = self.capacity(messages, outstanding, source).ceil() as u64;
        let most = messages.most.map_or(u64::MAX, u64::from);
        let sequence = self.sequence(messages, (source, targets));
        let mut receives = vec![false; self.environment.hosts().len()];
        let (mut count, mut total) = (0, 0);
        // The loop cannot post more than its capacity in its time, so the destinations of later messages need no flow.
        for (to, bytes) in sequence.clone() {
            if count == most || total > capacity {
                break;
            }
            receives[to as usize] = true;
            count += 1;
            total += bytes.get();
        }
        let to: Arc<[u32]> =
            (0..).zip(&receives).filter(|(_, receives)| **receives).map(|(to, _)| to).collect();
        let posting = Posting::Drawn {
            host_traffic: host_traffic.len() as u32,
            start,
            stop,
            total: PackedOption::NONE,
        };
        let flows = self.flows_posted_by(source, to.iter().map(|to| (NodeId(*to), posting.clone())));
        let finite = match messages.most.map(u64::from) {
            Some(most) if self.stop == Time::NEVER => FiniteAmount::counted(most, start),
            Some(_) => FiniteAmount::counted_until(start, self.stop),
            None if self.is_cut() => FiniteAmount::beyond_the_run(),
            None => FiniteAmount::until(stop),
        };
        let traffic = HostTraffic::closed(to, sequence, count, outstanding, messages.period);
        host_traffic.push(traffic.ending(self.finite.then_some(finite)));
        flows
    }
}

impl HostMessages {
    /// Returns the hosts that send, with their destinations.
    pub(super) fn targets(&self) -> impl Iterator<Item = (NodeId, Targets)> + '_ {
        self.senders.iter().filter_map(|host| Some((*host, self.rule.targets(host.0)?)))
    }

    /// Checks the sum of an amount over all hosts that may send.
    fn check_sum(&self, each: impl Fn(NodeId) -> f64, most: u64) -> Result<(), WorkloadError> {
        let expected = self.senders.iter().map(|host| each(*host)).sum::<f64>();
        check::amount(expected, most).map_err(WorkloadError::whole)
    }

    /// Returns the room for a list of the messages of all hosts.
    fn room(&self, each: impl Fn(NodeId) -> f64) -> Result<Room, WorkloadError> {
        let expected = self.senders.iter().map(|host| each(*host)).sum::<f64>();
        check::listed(expected, 4).map_err(WorkloadError::whole)
    }

    /// Most messages of a host, as a number that may be infinite.
    fn limit(&self) -> f64 {
        self.most.map_or(f64::INFINITY, f64::from)
    }
}
