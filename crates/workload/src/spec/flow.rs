//! One flow with a name of its own.

use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Time};

use super::check;
use super::shared::{Carriage, Label, Labelled};
use crate::environment::Environment;
use crate::error::{FlowError, InField, WorkloadError};
use crate::flow::{Flow, ListedMessage, MessageSchedule, Posting};
use packet::Operation;

/// One flow with a name of its own, between two hosts: scenario field `flows`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Name of the flow in tables and files.
    pub name: String,
    /// Group whose flows are counted together; none if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Host that the data comes from; for RDMA READ, the responder.
    pub from: String,
    /// Host that the data goes to; for RDMA READ, the requester.
    pub to: String,
    /// Time of the first message.
    pub start: Time,
    /// Time from which no further message is posted, later than the start; never if left out. Excludes
    /// [`LoadSpec::Messages`].
    #[serde(default)]
    pub stop: Option<Time>,
    /// Service level, 0 to 15.
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// Transport service. UC has no RDMA READ, and UD has SEND only (IBA volume 1, 9.8).
    #[serde(default)]
    pub transport: TransportService,
    /// Operation that each message performs.
    #[serde(default)]
    pub operation: Operation,
    /// Payload of each message, 1 byte to 2 GiB (IBA's longest message); over UD at most the MTU.
    pub message: Bytes,
    /// Number and spacing of the messages.
    pub load: LoadSpec,
}

/// Number and spacing of a flow's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum LoadSpec {
    /// As fast as the fabric takes them, with a constant number of messages outstanding.
    Saturate {
        /// Messages posted and not yet complete (acknowledged, read, or, over UC and UD, sent): at least 1.
        #[schemars(range(min = 1))]
        outstanding: u32,
    },
    /// At this mean rate of payload, evenly spaced: message k (from 0) is posted when k messages have
    /// taken their time at this rate, to the next picosecond.
    Paced(Rate),
    /// This number of messages, all posted at the start: 1 to 67,108,864.
    Messages(#[schemars(range(min = 1, max = crate::MAX_LISTED))] u32),
}

impl Labelled for FlowSpec {
    fn label(&self) -> Label<'_> {
        Label { name: Some(&self.name), group: self.group.as_deref() }
    }
}

impl FlowSpec {
    /// Returns true if the flow ends by itself: by its number of messages, or by a stop.
    #[must_use]
    pub const fn is_finite(&self) -> bool {
        matches!(self.load, LoadSpec::Messages(_)) || self.stop.is_some()
    }

    /// Checks the fields, looks the hosts up, and returns the flow.
    pub(crate) fn resolve(&self, environment: &Environment<'_>) -> Result<Flow, WorkloadError> {
        if self.name.is_empty() {
            return Err(WorkloadError::at("name", FlowError::EmptyName));
        }
        let source = environment.host(&self.from).in_field("from")?;
        let destination = environment.host(&self.to).in_field("to")?;
        if source == destination {
            return Err(WorkloadError::at("to", FlowError::ToItself { name: self.to.clone() }));
        }
        if let Some(stop) = self.stop {
            check::period(self.start, stop).in_field("stop")?;
        }
        let FlowSpec { service_level, transport, operation, .. } = *self;
        check::carriage(Carriage { service_level, transport, operation })?;
        check::message_size(self.message).in_field("message")?;
        Ok(Flow {
            name: self.name.as_str().into(),
            named: true,
            pattern: None,
            group: None,
            finite: self.is_finite(),
            source,
            destination,
            numbers: (source.0, destination.0),
            service_level: self.service_level,
            transport: self.transport,
            operation: self.operation,
            posting: Posting::Scheduled(self.schedule()?),
        })
    }

    fn schedule(&self) -> Result<MessageSchedule, WorkloadError> {
        let (message, start, stop) = (self.message, self.start, self.stop.unwrap_or(Time::NEVER));
        match self.load {
            LoadSpec::Saturate { outstanding: 0 } => {
                Err(WorkloadError::at("load.outstanding", FlowError::Outstanding))
            }
            LoadSpec::Saturate { outstanding } => {
                Ok(MessageSchedule::Saturate { outstanding, message, start, stop })
            }
            LoadSpec::Paced(rate) if rate == Rate::bps(0) => {
                Err(WorkloadError::at("load", FlowError::ZeroRate))
            }
            LoadSpec::Paced(rate) => Ok(MessageSchedule::Paced { message, rate, start, stop }),
            LoadSpec::Messages(_) if self.stop.is_some() => {
                Err(WorkloadError::at("stop", FlowError::StopWithMessages))
            }
            LoadSpec::Messages(0) => Err(WorkloadError::at("load", FlowError::NoMessages)),
            LoadSpec::Messages(count) => {
                let _room = check::listed(f64::from(count), 2).in_field("load")?;
                let message = ListedMessage { at: start, bytes: message };
                Ok(MessageSchedule::Listed(vec![message; count as usize].into()))
            }
        }
    }
}
