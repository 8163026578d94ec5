//! Flows from several hosts to a receiver: at once, or in sessions that come and go.

use packet::NodeId;
use units::{Bytes, Span, Time};

use super::check;
use super::flow::{FlowSpec, LoadSpec};
use super::incast::{Senders, SendersSpec};
use super::shared::pattern_spec;
use crate::environment::Environment;
use crate::error::{InField, PatternError, WorkloadError};
use crate::limits::MAX_SESSIONS;

pattern_spec! {
    /// One flow from each of several hosts to one. If the pattern has a name, so have the flows: `NAME1`, `NAME2`, ... in
    /// the order of the hosts.
    pub struct ConvergeSpec {
        /// Hosts that send; the receiver is none of them.
        pub from: SendersSpec,
        /// Host that receives.
        pub to: String,
        /// Earliest start of the flows.
        pub start: Time,
        /// Longest delay of a flow's start. Each flow draws its own, uniformly from 0 to this.
        #[serde(default)]
        pub jitter: Span,
        /// Time from which no further message is posted, later than any start; never if left out.
        #[serde(default)]
        pub stop: Option<Time>,
        /// As in [`FlowSpec::message`].
        pub message: Bytes,
        /// As in [`FlowSpec::load`].
        pub load: LoadSpec,
    }
}

pattern_spec! {
    /// Flows that are on and off in turn, for exponentially distributed times. Each time on is a flow with a
    /// queue pair of its own: it starts without any state of congestion control, and posts nothing after its end.
    pub struct SessionsSpec {
        /// Hosts that send, as in [`ConvergeSpec::from`].
        pub from: SendersSpec,
        /// Host that receives.
        pub to: String,
        /// Time from which sessions begin. A host is then on with the probability `on / (on + off)`, as at any later
        /// time.
        pub start: Time,
        /// Time at which all sessions end, later than the start.
        pub stop: Time,
        /// Mean time on, above 0.
        pub on: Span,
        /// Mean time off, above 0.
        pub off: Span,
        /// As in [`FlowSpec::message`].
        pub message: Bytes,
        /// Number and spacing of the messages of a session, as of a flow; `Messages` is refused.
        pub load: LoadSpec,
    }
}

impl ConvergeSpec {
    /// Checks the fields that all flows share, and returns the hosts that can send, and the receiver.
    pub(crate) fn resolve(&self, environment: &Environment<'_>) -> Result<(Senders, NodeId), WorkloadError> {
        let parties = parties(&self.from, &self.to, environment)?;
        let latest = self.start + self.jitter;
        match self.stop {
            Some(stop) if stop > self.start && stop <= latest => {
                Err(WorkloadError::at("jitter", PatternError::JitterBeyondStop { latest, stop }))
            }
            _ => Ok(parties),
        }
    }

    /// The flow of a host, which starts `late` after the earliest start.
    pub(crate) fn flow(&self, name: String, from: &str, late: Span) -> FlowSpec {
        FlowSpec {
            name,
            group: None,
            from: from.to_owned(),
            to: self.to.clone(),
            start: self.start + late,
            stop: self.stop,
            service_level: self.service_level,
            transport: self.transport,
            operation: self.operation,
            message: self.message,
            load: self.load,
        }
    }
}

impl SessionsSpec {
    /// Checks all fields, and returns the hosts that can send, and the receiver. A fault in the flows is reported
    /// even if the run has no session.
    pub(crate) fn resolve(&self, environment: &Environment<'_>) -> Result<(Senders, NodeId), WorkloadError> {
        let (senders, receiver) = parties(&self.from, &self.to, environment)?;
        check::period(self.start, self.stop).in_field("stop")?;
        check::mean_time(self.on).in_field("on")?;
        check::mean_time(self.off).in_field("off")?;
        if matches!(self.load, LoadSpec::Messages(_)) {
            return Err(WorkloadError::at("load", PatternError::SessionOfMessages));
        }
        let cycle = self.on.ps() as f64 + self.off.ps() as f64;
        let expected = (self.stop - self.start).ps() as f64 / cycle * senders.mean(&[receiver]);
        if expected > MAX_SESSIONS as f64 {
            return Err(WorkloadError::whole(PatternError::TooManySessions { expected: expected as u64 }));
        }
        let other =
            environment.after(receiver).next().map_or(self.to.as_str(), |host| environment.name(host));
        // A flow of the whole time stands for all sessions: the run may have no session to check.
        let whole = self.flow("all".to_owned(), other, (self.start, self.stop));
        whole.resolve(environment)?;
        Ok((senders, receiver))
    }

    /// A session of a host, from its start to its stop.
    pub(crate) fn flow(&self, name: String, from: &str, (start, stop): (Time, Time)) -> FlowSpec {
        FlowSpec {
            name,
            group: None,
            from: from.to_owned(),
            to: self.to.clone(),
            start,
            stop: Some(stop),
            service_level: self.service_level,
            transport: self.transport,
            operation: self.operation,
            message: self.message,
            load: self.load,
        }
    }
}

/// Looks up the hosts that can send, and the receiver.
fn parties(
    from: &SendersSpec,
    to: &str,
    environment: &Environment<'_>,
) -> Result<(Senders, NodeId), WorkloadError> {
    let receiver = environment.host(to).in_field("to")?;
    Ok((from.resolve("from", &[receiver], environment)?, receiver))
}
