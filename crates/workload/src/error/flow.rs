//! Faults in a flow, and in the same fields of patterns.

use packet::TransportService;
use units::{Bytes, Time};

use crate::limits::LONGEST_MESSAGE;
use packet::Operation;

/// A fault in a flow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// The name is empty.
    #[error("a flow has no name")]
    EmptyName,
    /// Two flows have the same name.
    #[error("a second flow is called `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// The flow leads from a host to itself.
    #[error("the flow leads from `{name}` back to `{name}`")]
    ToItself {
        /// The host.
        name: String,
    },
    /// A message has no payload, or more than IBA allows.
    #[error("a message of {given} cannot be sent")]
    MessageSize {
        /// Payload as given.
        given: Bytes,
    },
    /// IBA has no such service level.
    #[error("there is no service level {given}")]
    ServiceLevel {
        /// Service level as given.
        given: u8,
    },
    /// The transport service does not have the operation.
    #[error("{} does not carry {}", transport.word(), operation.word())]
    NotCarried {
        /// The service.
        transport: TransportService,
        /// The operation.
        operation: Operation,
    },
    /// The flow keeps no message outstanding.
    #[error("with 0 messages outstanding the flow sends nothing")]
    Outstanding,
    /// The flow has no messages.
    #[error("a flow of 0 messages sends nothing")]
    NoMessages,
    /// There is no memory for a list of this number of messages.
    #[error(
        "this makes about {expected} messages, and a list of them needs {} MB: more than the limit, the memory that this process can \
         still take",
        .bytes.div_ceil(1_000_000)
    )]
    NoRoom {
        /// Expected number of messages.
        expected: u64,
        /// Memory to make the list.
        bytes: u64,
    },
    /// The flow has more messages than are listed or drawn before a run.
    #[error("this makes about {expected} messages, and at most {most} are allowed")]
    TooManyMessages {
        /// Expected number of messages.
        expected: u64,
        /// Most that are allowed.
        most: u64,
    },
    /// The flow's rate is 0.
    #[error("at a rate of 0 the flow sends nothing")]
    ZeroRate,
    /// The end is not later than the beginning.
    #[error("{stop} is not later than the start, {start}, so nothing would be sent")]
    StopBeforeStart {
        /// The beginning.
        start: Time,
        /// The end as given.
        stop: Time,
    },
    /// A flow that posts all its messages at its start has a stop.
    #[error("a flow of a counted number of messages posts them all at its start")]
    StopWithMessages,
}

impl FlowError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::EmptyName => "give it one".to_owned(),
            Self::DuplicateName { .. } => "give it another name".to_owned(),
            Self::ToItself { .. } => "name two different hosts".to_owned(),
            Self::MessageSize { .. } => format!("write 1 B to {LONGEST_MESSAGE}"),
            Self::ServiceLevel { .. } => "write 0 to 15".to_owned(),
            Self::NotCarried { transport: TransportService::Ud, .. } => {
                "write the operation `Send`, or another transport".to_owned()
            }
            Self::NotCarried { .. } => {
                "write the operation `Send` or `RdmaWrite`, or the transport `Rc` or `Rd`".to_owned()
            }
            Self::Outstanding => "keep at least 1 posted".to_owned(),
            Self::NoMessages => "give it at least 1".to_owned(),
            Self::TooManyMessages { .. } | Self::NoRoom { .. } => {
                "make messages longer, or reduce the time, the load or their number".to_owned()
            }
            Self::ZeroRate => "give a rate above 0".to_owned(),
            Self::StopBeforeStart { start, .. } => format!("write a time later than {start}"),
            Self::StopWithMessages => "leave `stop` out".to_owned(),
        }
    }
}
