//! The parts that all patterns share: names of flows, random streams, flows with messages that are drawn.
//!
//! Invariant: a pattern draws from streams of its own, named by its place in the scenario. Where hosts act alone, the
//! host is part of the name, so the traffic of a host does not depend on others.
//!
//! | pattern | streams |
//! |---|---|
//! | permutation | `traffic[i] permutation`, common to all hosts |
//! | Poisson | `traffic[i] arrivals` and `traffic[i] destinations`, of each host |
//! | incast | `traffic[i] times`, `receivers` and `senders`, common to all hosts |
//! | list of flows | none |
//! | synthetic | `traffic[i] arrivals`, `destinations` and `sizes`, of each host; `traffic[i] permutation` |
//! | converge | `traffic[i] jitter`, of each host; `traffic[i] senders` |
//! | sessions | `traffic[i] sessions`, of each host; `traffic[i] senders` |
//! | hot spot | `traffic[i] arrivals`, `destinations` and `hot spot`, of each host |

use event_kernel::Stream;
use packet::{FlowName, NodeId};
use units::Time;

use crate::draw::{DrawnMessage, FlowForecast, TimedMessages, forecast};
use crate::environment::Environment;
use crate::flow::{Flow, ListedMessage, MessageSchedule, Posting};
use crate::run::HostTraffic;
use crate::spec::{BitPermutation, Carriage, Carried, DestinationSpec, PatternSpec};
use crate::volume::{FiniteAmount, PostedVolume};
use packet::Operation;

pub(super) struct PatternBuilder<'a> {
    /// Index of the pattern in the scenario.
    i: usize,
    /// Beginning of the names of flows that the scenario does not name.
    pub(super) prefix: String,
    /// True if the pattern ends by itself.
    pub(super) finite: bool,
    /// Declared time from which no further message is posted; [`Time::NEVER`] if none is declared.
    pub(super) stop: Time,
    /// Service level, transport and operation of the flows.
    pub(super) carriage: Carriage,
    pub(super) environment: &'a Environment<'a>,
}

impl<'a> PatternBuilder<'a> {
    /// Creates the builder of `patterns[i]`.
    pub(super) fn new(patterns: &[PatternSpec], i: usize, environment: &'a Environment<'a>) -> Self {
        Self {
            i,
            prefix: prefix(patterns, i),
            finite: patterns[i].is_finite(),
            stop: patterns[i].stop(),
            carriage: patterns[i].carriage(),
            environment,
        }
    }

    /// Creates flows that the scenario does not name: source, destination and origin of the messages of each.
    pub(super) fn flows(&self, all: Vec<(NodeId, NodeId, Posting)>) -> Vec<Flow> {
        let name = |(source, destination, _): &(NodeId, NodeId, Posting)| {
            [&self.prefix, ":", self.environment.name(*source), "->", self.environment.name(*destination)]
        };
        let names = FlowName::together(all.iter().map(name));
        all.into_iter().zip(names).map(|(flow, name)| self.flow(name, flow)).collect()
    }

    /// Creates a flow of this name that the scenario does not name.
    pub(super) fn flow(
        &self,
        name: FlowName,
        (source, destination, posting): (NodeId, NodeId, Posting),
    ) -> Flow {
        let Carriage { service_level, transport, operation } = self.carriage;
        Flow {
            name,
            named: false,
            pattern: None,
            group: None,
            finite: self.finite,
            source,
            destination,
            numbers: (source.0, destination.0),
            service_level,
            transport,
            operation,
            posting,
        }
    }

    /// Creates flows between a host, which posts their messages, and others. For RDMA READs, the data comes from the
    /// others.
    pub(super) fn flows_posted_by(
        &self,
        host: NodeId,
        others: impl Iterator<Item = (NodeId, Posting)>,
    ) -> Vec<Flow> {
        let reads = self.carriage.operation == Operation::RdmaRead;
        let ends = |other| if reads { (other, host) } else { (host, other) };
        let flow = |(other, posting)| {
            let (source, destination) = ends(other);
            (source, destination, posting)
        };
        self.flows(others.map(flow).collect())
    }

    /// Returns the flows of a host that draws its messages during the run. The messages are drawn once before the run
    /// as well, to find out the flows and their payload. `most` is the number of messages after which there are no
    /// more.
    pub(super) fn timed(
        &self,
        source: NodeId,
        (messages, most): (TimedMessages, Option<u32>),
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let (mut volume, mut drawn, mut last) = (PostedVolume::default(), 0, Time::ZERO);
        let until_end = |message: &DrawnMessage| {
            (drawn, last) = (drawn + 1, message.at);
            if message.at < self.environment.end() {
                volume.add(message.bytes);
            }
        };
        let forecasts = forecast(messages.clone().inspect(until_end), self.environment.hosts().len());
        // Messages that would be posted after the end of the run are due, but not drawn.
        let finite = match most.map(u64::from) {
            Some(most) if most == drawn => FiniteAmount::counted(drawn, last),
            Some(most) if self.stop == Time::NEVER => FiniteAmount::counted(most, Time::NEVER),
            _ if self.is_cut() => FiniteAmount::beyond_the_run(),
            _ => FiniteAmount::counted(drawn, last),
        };
        if forecasts.is_empty() && finite.messages == Some(0) {
            return Vec::new();
        }
        let number = host_traffic.len() as u32;
        let to = forecasts.iter().map(|flow| flow.to.0).collect();
        let finite = self.finite.then_some(finite);
        host_traffic.push(HostTraffic::timed(to, messages, volume).ending(finite));
        self.drawn(source, forecasts, number)
    }

    /// Returns true if the run ends before the declared stop.
    pub(super) fn is_cut(&self) -> bool {
        self.stop != Time::NEVER && self.stop > self.environment.end()
    }

    /// Returns the flows of a host that post the messages of a forecast, drawn by this host traffic.
    pub(super) fn drawn(&self, source: NodeId, forecasts: Vec<FlowForecast>, host_traffic: u32) -> Vec<Flow> {
        let flow = |FlowForecast { to, first, total }| {
            let posting =
                Posting::Drawn { host_traffic, start: first, stop: Time::NEVER, total: total.into() };
            (to, posting)
        };
        self.flows_posted_by(source, forecasts.into_iter().map(flow))
    }

    /// Returns the random stream of this pattern for a purpose and an owner.
    pub(super) fn stream(&self, purpose: &str, owner: &str) -> Stream {
        event_kernel::stream(self.environment.seed(), &format!("traffic[{}] {purpose}", self.i), owner)
    }
}

/// Lists a single message.
pub(super) fn one_message(message: ListedMessage) -> Posting {
    Posting::Scheduled(MessageSchedule::Listed([message].into()))
}

/// Returns the beginning of the names of the flows of `patterns[i]`, where the scenario does not name them. This is
/// the pattern's name, or the kind of a pattern without a name. From the second pattern of a kind on, its number
/// among them follows the kind.
fn prefix(patterns: &[PatternSpec], i: usize) -> String {
    if let Some(name) = patterns[i].name() {
        return name.to_owned();
    }
    let kind = kind(&patterns[i]);
    match patterns[..i].iter().filter(|earlier| self::kind(earlier) == kind).count() {
        0 => kind.to_owned(),
        earlier => format!("{kind}{}", earlier + 1),
    }
}

fn kind(pattern: &PatternSpec) -> &'static str {
    match pattern {
        PatternSpec::Permutation(_) => "permutation",
        PatternSpec::Poisson(_) => "poisson",
        PatternSpec::Incast(_) => "incast",
        PatternSpec::HotSpot(_) => "hot-spot",
        PatternSpec::Synthetic(spec) => rule(spec.destinations),
        PatternSpec::FlowList(_) => "flow-list",
        PatternSpec::Converge(_) => "converge",
        PatternSpec::Sessions(_) => "sessions",
    }
}

const fn rule(destinations: DestinationSpec) -> &'static str {
    match destinations {
        DestinationSpec::Uniform => "uniform",
        DestinationSpec::OtherRacks => "other-racks",
        DestinationSpec::Permutation => "permutation",
        DestinationSpec::Shift(_) => "shift",
        DestinationSpec::Bits(BitPermutation::Complement) => "complement",
        DestinationSpec::Bits(BitPermutation::Reverse) => "reverse",
        DestinationSpec::Bits(BitPermutation::Rotation) => "rotation",
        DestinationSpec::Bits(BitPermutation::Shuffle) => "shuffle",
        DestinationSpec::Bits(BitPermutation::Transpose) => "transpose",
        DestinationSpec::AllToAll => "all-to-all",
    }
}
