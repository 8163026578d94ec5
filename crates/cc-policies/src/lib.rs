//! Marking, echo and source response as pure state machines.
//!
//! Invariant: nothing here knows the event kernel, a queue or a packet's way. A policy is told facts and
//! asked questions; what it was not told, it cannot use.
//!
//! | module | holds |
//! |---|---|
//! | [`policy`] | the three traits, and what their methods are told |
//! | [`spec`] | what a scenario writes down |
//! | [`check`] | what of that is refused, and why |
//! | [`iba`] | InfiniBand's own congestion control (IBA volume 1, Annex A10) |
//! | [`guideline`] | its parameters as Pfister and others (2005) propose them |
//! | [`hp`] | the HP proposal, and what Santos, Turner and Janakiraman made of it |
//! | [`dcqcn`] | DCQCN, RoCEv2's (Zhu and others 2015, 2016) |
//! | [`margin`] | how near a load came to its limit |
//! | [`any`] | the closed sets: one enum for each trait, built from a [`spec::Scheme`] |
//!
//! The models are described in `docs/models/`, one page each.

pub mod any;
pub mod check;
pub mod dcqcn;
pub mod guideline;
pub mod hp;
pub mod iba;
pub mod margin;
pub mod policy;
pub mod spec;

pub use any::{AnyEcho, AnyMarker, AnyResponse, AnyState};
pub use check::PolicyError;
pub use guideline::{Guideline, Network};
pub use policy::{
    Acknowledged, Answer, BufferView, Echo, EchoState, FlowRate, LimitedBy, Marker, MarkerSetup, Notified,
    QueueView, Reaction, Response, Sends, Sent, StateScope,
};
pub use spec::Scheme;
