//! Congestion control as pure state machines: marking, echo and source response.
//!
//! Invariant: nothing here knows the event kernel, a queue or a packet's path. A policy sees only the facts that its
//! methods receive.
//!
//! Floors, lowest first; a module imports only from floors below its own:
//!
//! | module | contents |
//! |---|---|
//! | [`policy`] | the three traits, and the facts that their methods receive |
//! | [`iba`] | InfiniBand's own congestion control (IBA volume 1, Annex A10) |
//! | [`hp`] | the HP proposal, as Santos, Turner and Janakiraman evaluated it |
//! | [`dcqcn`] | DCQCN, RoCEv2's (Zhu and others 2015, 2016) |
//! | [`own`] | policies of a user's program, by name |
//! | [`control`] | the closed set of policies for each trait, with their settings |
//! | [`scheme`] | named schemes, which are presets of a [`Control`] |
//!
//! The models are described in `docs/models/`, a page each.

pub mod control;
pub mod dcqcn;
pub mod hp;
pub mod iba;
pub mod own;
pub mod policy;
pub mod scheme;

pub use control::{
    AnyEcho, AnyMarker, AnyResponse, AnyState, Control, MarkingSpec, RareMarker, ResponseSpec,
};
pub use policy::{
    Acknowledgement, Answer, BufferOwner, BufferView, ControlState, Echo, EchoState, FlowRate, LimitedBy,
    Margin, MarkReason, Marker, MarkerSetup, Notification, NotificationOutcome, QueueView, Response,
    SentPacket, StateScope, TrafficKind,
};
pub use scheme::{Guideline, Network, Scheme};
