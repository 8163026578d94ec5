//! Responses and marking rules of one's own: all that a user's program needs to implement them and to register them.
//!
//! Invariant: these are the traits of the built-in policies. A policy decides and remembers; it never schedules or
//! sends.
//!
//! ```text
//! impl Response, impl OwnResponse --OwnPolicies::response::<T>(NAME)--> Simulation::own --> Mixed(response: Own(name: NAME, ..))
//! ```
//!
//! `docs/guide/own-response.md` has a whole program: an additive increase with a multiplicative decrease, its
//! trajectory, and its comparison with IBA's response.
//!
//! # Examples
//!
//! A marking rule that marks each packet that leaves a longer queue than `threshold`:
//!
//! ```
//! use backwater::own::{
//!     MarkCode, Marker, MarkerSetup, OwnMarker, OwnPolicies, QueueView, VoqId, reasons, state_codec,
//! };
//! use backwater::Simulation;
//! use backwater::units::Bytes;
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Settings { threshold: Bytes }
//!
//! #[derive(Clone, Debug)]
//! struct Above { threshold: Bytes, lanes: usize, waiting: Vec<Bytes> }
//! state_codec::state!(Above { threshold: plan, lanes: plan, waiting: part });
//!
//! impl Above {
//!     fn queue(&mut self, at: VoqId) -> &mut Bytes {
//!         &mut self.waiting[at.output.index() * self.lanes + at.lane.index()]
//!     }
//! }
//!
//! impl Marker for Above {
//!     fn queue_changed(&mut self, at: VoqId, now: QueueView) {
//!         *self.queue(at) = now.sum;
//!     }
//!
//!     fn departing(&mut self, at: VoqId, _: Bytes) -> Option<MarkCode> {
//!         let threshold = self.threshold;
//!         (*self.queue(at) > threshold).then_some(reasons::ROOT)
//!     }
//! }
//!
//! impl OwnMarker for Above {
//!     type Settings = Settings;
//!
//!     fn new(settings: Settings, switch: &MarkerSetup) -> Self {
//!         let (threshold, lanes) = (settings.threshold, switch.lanes);
//!         Self { threshold, lanes, waiting: vec![Bytes::ZERO; switch.radix * lanes] }
//!     }
//! }
//!
//! let marking = r#"Own(name: "above", settings: {"threshold": "8 KiB"})"#;
//! let run = Simulation::find("victim")?
//!     .set("duration=25 ms")?
//!     .set(&format!("congestion_control=Mixed(marking: {marking}, echo: Cnp, response: Iba())"))?
//!     .own(OwnPolicies::new().marker::<Above>("above"))
//!     .run()?;
//! assert!(run.record.marks.total() > 0);
//! # Ok::<(), backwater::SimulationError>(())
//! ```

pub use cc_policies::own::{
    OwnMarker, OwnPolicies, OwnPolicy, OwnResponse, Packed, ResponseSetup, reasons, state_codec,
};
pub use cc_policies::packed;
pub use cc_policies::policy::{
    Acknowledgement, BufferOwner, BufferView, ControlState, FlowRate, LimitedBy, Margin, Marker, MarkerSetup,
    Notification, NotificationOutcome, QueueView, Response, SentPacket, StateScope, TrafficKind,
};
pub use event_kernel::stream;
pub use packet::{Lane, MarkCode, PortId, ServiceLevel, TransportService, VoqId};
pub use settings::Fault;
