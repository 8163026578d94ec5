//! Incasts: several hosts send to a receiver at the same time, once or again and again.
//!
//! Invariant: an incast has a receiver and at least another host that sends, whichever receiver and senders are
//! drawn.

use packet::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span, Time};

use super::check;
use super::hosts::HostsSpec;
use super::shared::pattern_spec;
use crate::environment::Environment;
use crate::error::{HostError, InField, PatternError, WorkloadError};

pattern_spec! {
    /// Several hosts send one message each to one host, all at the same time.
    pub struct IncastSpec {
        /// Time of the incast. With `repeat`, time of the first, or from which random ones come.
        pub at: Time,
        /// Further incasts; none if left out.
        #[serde(default)]
        pub repeat: RepeatSpec,
        /// Host that receives. If several are named, each incast draws one of them, all equally likely.
        pub to: HostsSpec,
        /// Hosts that send; the receiver is none of them.
        pub senders: SendersSpec,
        /// Payload of each message.
        pub bytes: Bytes,
    }
}

/// Senders of a pattern with one receiver: their number, a rule, or their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "these are no senders: write a number, such as 8, `OtherRacks(8)`, `Drawn(8)`, or names of hosts, \
                 such as [\"h1*\", \"h20\"]"
)]
pub enum SendersSpec {
    /// The hosts that follow the receiver in the order of the topology, going on from the first after the last: 1 to
    /// all others.
    Next(u32),
    /// Hosts by another rule.
    By(SenderRule),
    /// `"h1*"`: all hosts of these names, except the receiver.
    Hosts(HostsSpec),
}

impl SendersSpec {
    /// Returns true if the senders are drawn at random.
    pub(super) const fn are_drawn(&self) -> bool {
        matches!(self, Self::By(SenderRule::Drawn(_)))
    }
}

/// Rule by which the senders of a pattern with one receiver are chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum SenderRule {
    /// All hosts of these names, except the receiver.
    Named(HostsSpec),
    /// This many other hosts, drawn anew for each incast, and once for another pattern; all are equally likely.
    Drawn(#[schemars(range(min = 1))] u32),
    /// This many hosts that are attached to another switch than the receiver: those that follow it in order, going on
    /// from the first after the last.
    OtherRacks(#[schemars(range(min = 1))] u32),
}

/// Repetition of an incast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum RepeatSpec {
    /// There is one incast.
    #[default]
    Once,
    /// One incast at regular intervals.
    Every {
        /// Time from one incast to the next, above 0.
        interval: Span,
        /// Time from which there is no further incast, later than the first; the end of the run if left out.
        #[serde(default)]
        until: Option<Time>,
    },
    /// Incasts at exponentially distributed intervals, of which either the mean or the load is given.
    Poisson {
        /// Mean interval, above 0; left out if `load` is given.
        #[serde(default)]
        interval: Option<Span>,
        /// Mean rate of payload, as a share of the data rate of the links of all hosts that `to` names: above 0, at
        /// most 1; left out if `interval` is given.
        #[serde(default)]
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        load: Option<f64>,
        /// Time from which there is no further incast, later than `at`; the end of the run if left out.
        #[serde(default)]
        until: Option<Time>,
    },
}

/// An incast that has been checked.
pub(crate) struct Incasts {
    pub(crate) receivers: Vec<NodeId>,
    pub(crate) senders: Senders,
    /// Time from which there is no further incast.
    pub(crate) stop: Time,
    pub(crate) spacing: IncastSpacing,
}

/// The hosts that can send.
pub(crate) enum Senders {
    Next(u32),
    Named(Vec<NodeId>),
    Drawn(u32),
    OtherRacks(u32),
}

/// Times of incasts.
pub(crate) enum IncastSpacing {
    Once,
    Every(Span),
    /// Mean interval, in ps.
    Poisson(f64),
}

impl IncastSpec {
    /// Checks all fields, and looks the hosts up.
    pub(crate) fn resolve(&self, environment: &Environment<'_>) -> Result<Incasts, WorkloadError> {
        let receivers = self.to.resolve("to", environment)?;
        let senders = self.senders.resolve("senders", &receivers, environment)?;
        check::message_size(self.bytes).in_field("bytes")?;
        let until = self.repeat.until();
        if let Some(until) = until {
            check::period(self.at, until).in_field("repeat.until")?;
        }
        let spacing = self.spacing(&receivers, &senders, environment)?;
        Ok(Incasts { receivers, senders, stop: until.unwrap_or(Time::NEVER).min(environment.end()), spacing })
    }

    fn spacing(
        &self,
        receivers: &[NodeId],
        senders: &Senders,
        environment: &Environment<'_>,
    ) -> Result<IncastSpacing, WorkloadError> {
        let field = "repeat.interval";
        match self.repeat {
            RepeatSpec::Once => Ok(IncastSpacing::Once),
            RepeatSpec::Every { interval, .. } => {
                check::interval(interval).in_field(field)?;
                Ok(IncastSpacing::Every(interval))
            }
            RepeatSpec::Poisson { interval: Some(interval), load: None, .. } => {
                check::interval(interval).in_field(field)?;
                Ok(IncastSpacing::Poisson(interval.ps() as f64))
            }
            RepeatSpec::Poisson { interval: None, load: Some(load), .. } => {
                check::load(load).in_field("repeat.load")?;
                let bytes = self.bytes.get() as f64 * senders.mean(receivers);
                Ok(IncastSpacing::Poisson(environment.mean_interval_of(receivers, bytes, load)))
            }
            RepeatSpec::Poisson { interval, .. } => {
                let both = interval.is_some();
                Err(WorkloadError::at("repeat", PatternError::IntervalOrLoad { both }))
            }
        }
    }
}

impl SendersSpec {
    /// Looks the hosts up that can send to any of these receivers; `field` is the field that holds them.
    pub(crate) fn resolve(
        &self,
        field: &str,
        receivers: &[NodeId],
        environment: &Environment<'_>,
    ) -> Result<Senders, WorkloadError> {
        let others = environment.hosts().len() - 1;
        let (count, others, senders) = match self {
            Self::Next(count) => (*count, others, Senders::Next(*count)),
            Self::By(SenderRule::Drawn(count)) => (*count, others, Senders::Drawn(*count)),
            Self::By(SenderRule::OtherRacks(count)) => {
                // The receiver is drawn later, so the number of senders has to suit the receiver with the fewest.
                let elsewhere =
                    receivers.iter().map(|receiver| environment.in_other_racks(*receiver).count());
                (*count, elsewhere.min().unwrap_or_default(), Senders::OtherRacks(*count))
            }
            Self::By(SenderRule::Named(hosts)) | Self::Hosts(hosts) => {
                return named((field, hosts), receivers, environment);
            }
        };
        if others == 0 {
            return Err(WorkloadError::at(field, HostError::OneRack));
        }
        if count == 0 || count as usize > others {
            return Err(WorkloadError::at(field, HostError::Senders { given: count, others }));
        }
        Ok(senders)
    }
}

fn named(
    (field, hosts): (&str, &HostsSpec),
    receivers: &[NodeId],
    environment: &Environment<'_>,
) -> Result<Senders, WorkloadError> {
    let senders = hosts.resolve(field, environment)?;
    if let [receiver] = receivers {
        let name = environment.name(*receiver);
        if hosts.names_exactly(name) || senders == [*receiver] {
            let error = HostError::ReceiverAmongSenders { name: name.to_owned() };
            return Err(WorkloadError::at(field, error));
        }
    } else if let [alone] = senders.as_slice()
        && receivers.contains(alone)
    {
        let name = environment.name(*alone).to_owned();
        return Err(WorkloadError::at(field, HostError::ReceiverAmongSenders { name }));
    }
    Ok(Senders::Named(senders))
}

impl Senders {
    /// Mean number of senders of an incast.
    pub(crate) fn mean(&self, receivers: &[NodeId]) -> f64 {
        match self {
            Self::Next(count) | Self::Drawn(count) | Self::OtherRacks(count) => f64::from(*count),
            Self::Named(senders) => {
                let among = receivers.iter().filter(|receiver| senders.contains(receiver)).count();
                senders.len() as f64 - among as f64 / receivers.len() as f64
            }
        }
    }
}

impl RepeatSpec {
    /// Declared time from which there is no further incast.
    pub(crate) const fn until(self) -> Option<Time> {
        match self {
            Self::Once => None,
            Self::Every { until, .. } | Self::Poisson { until, .. } => until,
        }
    }
}
