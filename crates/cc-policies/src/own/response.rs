//! A response of one's own, behind an indirect call.
//!
//! Invariant: the wrapper decides nothing. It unpacks the state, calls the response, and packs the state again.

use core::fmt::Debug;
use std::sync::Arc;

use packet::{ServiceLevel, TransportService};
use rand_pcg::Pcg64Mcg;
use serde::de::DeserializeOwned;
use settings::Fault;
use units::{Rate, Span, Time};

use super::packed::{Packed, PackedState};
use crate::policy::{
    Acknowledgement, ControlState, FlowRate, Notification, NotificationOutcome, Response, SentPacket,
    StateScope, TrafficKind,
};

/// Properties of an adapter that its response is built from.
#[derive(Clone, Debug)]
pub struct ResponseSetup {
    /// Data rate of the adapter's link.
    pub line: Rate,
    /// The adapter's random stream for its response, shared with nothing else.
    pub stream: Pcg64Mcg,
}

/// A response of a user's program. The laws of [`Response`] hold for it too.
///
/// An adapter has a response of its own; its flows have a state each, of at most 24 bytes, which
/// [`packed!`](crate::packed) makes of a struct.
pub trait OwnResponse: Response<State: Packed> + Debug + Send + Sync + 'static {
    /// Settings, as the scenario has them: a struct with `#[derive(Deserialize)]` and
    /// `#[serde(deny_unknown_fields)]`.
    type Settings: DeserializeOwned;

    /// Checks the settings, when the scenario is checked.
    ///
    /// # Errors
    /// The first fault, with the path of the setting.
    fn check(_settings: &Self::Settings) -> Result<(), Fault> {
        Ok(())
    }

    /// Returns the response of an adapter. The settings have passed [`check`](Self::check).
    fn new(settings: Self::Settings, adapter: ResponseSetup) -> Self;
}

/// A response of any type, shared by all flows of an adapter.
#[derive(Clone, Debug)]
pub struct SharedResponse(Arc<dyn AnyOwnResponse>);

impl SharedResponse {
    /// Shares a response.
    pub(super) fn new<R: OwnResponse>(response: R) -> Self {
        Self(Arc::new(Packing(response)))
    }
}

/// Two responses are equal if they are the same.
impl PartialEq for SharedResponse {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

trait AnyOwnResponse: Response<State = PackedState> + Debug + Send + Sync {}

impl<R: OwnResponse> AnyOwnResponse for Packing<R> {}

/// A response with its state packed.
#[derive(Debug)]
struct Packing<R>(R);

impl<R: OwnResponse> Packing<R> {
    /// Calls the response with the state unpacked.
    #[inline]
    fn with<T>(&self, packed: &mut PackedState, call: impl FnOnce(&R, &mut R::State) -> T) -> T {
        let mut state = packed.get();
        let answer = call(&self.0, &mut state);
        *packed = PackedState::of(state);
        answer
    }
}

impl<R: OwnResponse> Response for Packing<R> {
    type State = PackedState;

    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        self.0.scope(transport, sends)
    }

    fn at_rest(&self, service_level: ServiceLevel) -> PackedState {
        PackedState::of(self.0.at_rest(service_level))
    }

    fn on_sent(&self, state: &mut PackedState, sent: SentPacket, now: Time) {
        self.with(state, |response, state| response.on_sent(state, sent, now));
    }

    fn on_acknowledged(
        &self,
        state: &mut PackedState,
        ack: Acknowledgement,
        now: Time,
    ) -> NotificationOutcome {
        self.with(state, |response, state| response.on_acknowledged(state, ack, now))
    }

    fn on_notification(
        &self,
        state: &mut PackedState,
        notified: Notification,
        now: Time,
    ) -> NotificationOutcome {
        self.with(state, |response, state| response.on_notification(state, notified, now))
    }

    fn gap(&self, state: &mut PackedState, packet_time: Span, now: Time) -> Span {
        self.with(state, |response, state| response.gap(state, packet_time, now))
    }

    fn window(&self, state: &PackedState) -> u32 {
        self.0.window(&state.get())
    }

    fn flow_rate(&self, state: &PackedState, now: Time) -> Option<FlowRate> {
        self.0.flow_rate(&state.get(), now)
    }

    fn control_state(&self, state: &PackedState, now: Time) -> ControlState {
        self.0.control_state(&state.get(), now)
    }
}

impl Response for SharedResponse {
    type State = PackedState;

    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        self.0.scope(transport, sends)
    }

    fn at_rest(&self, service_level: ServiceLevel) -> PackedState {
        self.0.at_rest(service_level)
    }

    // Calls stand out of line, so that the code of built-in responses around them stays small.
    #[cold]
    fn on_sent(&self, state: &mut PackedState, sent: SentPacket, now: Time) {
        self.0.on_sent(state, sent, now);
    }

    #[cold]
    fn on_acknowledged(
        &self,
        state: &mut PackedState,
        ack: Acknowledgement,
        now: Time,
    ) -> NotificationOutcome {
        self.0.on_acknowledged(state, ack, now)
    }

    #[cold]
    fn on_notification(
        &self,
        state: &mut PackedState,
        notified: Notification,
        now: Time,
    ) -> NotificationOutcome {
        self.0.on_notification(state, notified, now)
    }

    #[cold]
    fn gap(&self, state: &mut PackedState, packet_time: Span, now: Time) -> Span {
        self.0.gap(state, packet_time, now)
    }

    #[cold]
    fn window(&self, state: &PackedState) -> u32 {
        self.0.window(state)
    }

    #[cold]
    fn flow_rate(&self, state: &PackedState, now: Time) -> Option<FlowRate> {
        self.0.flow_rate(state, now)
    }

    #[cold]
    fn control_state(&self, state: &PackedState, now: Time) -> ControlState {
        self.0.control_state(state, now)
    }
}
