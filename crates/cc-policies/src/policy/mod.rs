//! The three decisions of a congestion control, each made where its facts are.
//!
//! Invariant: a policy decides and remembers. It never schedules, sends, logs or owns a packet, and learns the time
//! only as an argument. So each can be tested with a `for` loop.
//!
//! | trait | at | decides |
//! |---|---|---|
//! | [`Marker`] | a switch | whether a departing packet is marked, and for which reason |
//! | [`Echo`] | a destination | whether and how a mark is answered |
//! | [`Response`] | a source | the gap after each packet of a flow, and the flow's window |
//!
//! Every method that a policy may ignore has a default. [`Off`] implements each trait by the defaults alone.

mod echo;
mod margin;
mod marker;
mod reason;
mod response;

pub use echo::{Answer, Echo, EchoState};
pub use margin::Margin;
pub(crate) use margin::MarginLevel;
pub use marker::{BufferOwner, BufferView, Marker, MarkerSetup, QueueView};
pub use reason::MarkReason;
pub use response::{
    Acknowledgement, ControlState, FlowRate, LimitedBy, Notification, NotificationOutcome, Response,
    SentPacket, StateScope, TrafficKind,
};

/// The policy that does nothing: marks no packet, answers no mark, heeds no notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Off;
