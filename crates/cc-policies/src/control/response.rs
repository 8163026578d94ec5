//! The closed set of responses, and of their states.
//!
//! Invariant: a response meets only states that it made. No `match` of this file has a wildcard for responses.

use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Fault, SettingError};
use units::{Span, Time};

use crate::dcqcn::spec::DcqcnResponseSpec;
use crate::dcqcn::timed::spec::TimedResponseSpec;
use crate::dcqcn::timed::{TimedResponse, TimedState};
use crate::dcqcn::{DcqcnResponse, DcqcnState};
use crate::hp::spec::HpResponseSpec;
use crate::hp::{HpResponse, HpState};
use crate::iba::spec::IbaResponseSpec;
use crate::iba::{IbaResponse, IbaState};
use crate::own::{OwnPolicies, OwnSpec, PackedState, ResponseSetup, SharedResponse};
use crate::policy::{
    Acknowledgement, ControlState, FlowRate, Notification, NotificationOutcome, Off, Response, SentPacket,
    StateScope, TrafficKind,
};

/// A response with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum ResponseSpec {
    /// No flow is slowed down.
    Off,
    /// InfiniBand's congestion control table.
    Iba(IbaResponseSpec),
    /// The HP proposal's rate and window.
    Hp(HpResponseSpec),
    /// DCQCN's reaction point.
    Dcqcn(DcqcnResponseSpec),
    /// DCQCN's reaction point as HPCC's simulator has it: alpha, cuts and increases by timers of their own.
    DcqcnTimed(TimedResponseSpec),
    /// A response of a user's program.
    Own(OwnSpec),
}

impl ResponseSpec {
    /// Checks the settings of a built-in response. [`Control::check_own`](super::Control::check_own) checks the others.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), Fault> {
        match self {
            Self::Off | Self::Own(_) => Ok(()),
            Self::Iba(response) => response.check().map_err(|error| error.fault()),
            Self::Hp(response) => response.check().map_err(|error| error.fault()),
            Self::Dcqcn(response) => response.check().map_err(|error| error.fault()),
            Self::DcqcnTimed(response) => response.check().map_err(|error| error.fault()),
        }
    }
}

/// Any response, with the settings that all flows of an adapter share.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyResponse {
    /// Ignores notifications.
    Off,
    /// InfiniBand's.
    Iba(IbaResponse),
    /// The HP proposal's.
    Hp(HpResponse),
    /// DCQCN's.
    Dcqcn(DcqcnResponse),
    /// DCQCN's by timers.
    DcqcnTimed(TimedResponse),
    /// A user's program's.
    Own(SharedResponse),
}

/// State of a controlled flow under any response. Only the response that made it can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyState {
    /// None.
    Off,
    /// Index into the congestion control table, and its timer.
    Iba(IbaState),
    /// Rate, window and their history.
    Hp(HpState),
    /// Current rate, target rate, alpha and counters.
    Dcqcn(DcqcnState),
    /// Current rate, target rate, alpha and expiries of timers.
    DcqcnTimed(TimedState),
    /// State of a user's program's response.
    Own(PackedState),
}

state_codec::state!(enum AnyState {
    0 = Off, 1 = Iba(state), 2 = Hp(state), 3 = Dcqcn(state), 4 = DcqcnTimed(state), 5 = Own(state)
});

const _: () = assert!(size_of::<AnyState>() <= 32, "the state of a flow is half a cache line");

impl AnyResponse {
    /// Returns the response of an adapter, in a program with these policies of its own.
    ///
    /// # Panics
    /// If the settings have not passed [`Control::check`](super::Control::check) and
    /// [`check_own`](super::Control::check_own).
    #[must_use]
    pub fn new(response: &ResponseSpec, own: &OwnPolicies, adapter: ResponseSetup) -> Self {
        match response {
            ResponseSpec::Off => Self::Off,
            ResponseSpec::Iba(response) => {
                Self::Iba(IbaResponse::new(response).with_timer_ages(adapter.stream))
            }
            ResponseSpec::Hp(response) => Self::Hp(HpResponse::new(response)),
            ResponseSpec::Dcqcn(response) => Self::Dcqcn(DcqcnResponse::new(response, adapter.line)),
            ResponseSpec::DcqcnTimed(response) => {
                Self::DcqcnTimed(TimedResponse::new(response, adapter.line))
            }
            ResponseSpec::Own(response) => Self::Own(own.make_response(response, adapter)),
        }
    }
}

/// Calls a method of the response that is there.
macro_rules! dispatch {
    ($any:expr, $response:ident => $call:expr) => {
        match $any {
            Self::Off => {
                let $response = Off;
                $call
            }
            Self::Iba($response) => $call,
            Self::Hp($response) => $call,
            Self::Dcqcn($response) => $call,
            Self::DcqcnTimed($response) => $call,
            Self::Own($response) => $call,
        }
    };
    // With the state that the response made.
    ($any:expr, $state:expr, ($response:ident, $own:ident) => $call:expr) => {
        match ($any, $state) {
            (Self::Off, _) => {
                let ($response, $own) = (Off, &mut ());
                $call
            }
            (Self::Iba($response), AnyState::Iba($own)) => $call,
            (Self::Hp($response), AnyState::Hp($own)) => $call,
            (Self::Dcqcn($response), AnyState::Dcqcn($own)) => $call,
            (Self::DcqcnTimed($response), AnyState::DcqcnTimed($own)) => $call,
            (Self::Own($response), AnyState::Own($own)) => $call,
            (Self::Iba(_) | Self::Hp(_) | Self::Dcqcn(_) | Self::DcqcnTimed(_) | Self::Own(_), other) => {
                unreachable!("the state of another response: {other:?}")
            }
        }
    };
}

/// Where a response ignores an event, its flow's state is not looked at: it may be far away in memory.
impl Response for AnyResponse {
    type State = AnyState;

    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        dispatch!(self, response => response.scope(transport, sends))
    }

    fn at_rest(&self, service_level: ServiceLevel) -> AnyState {
        match self {
            Self::Off => AnyState::Off,
            Self::Iba(response) => AnyState::Iba(response.at_rest(service_level)),
            Self::Hp(response) => AnyState::Hp(response.at_rest(service_level)),
            Self::Dcqcn(response) => AnyState::Dcqcn(response.at_rest(service_level)),
            Self::DcqcnTimed(response) => AnyState::DcqcnTimed(response.at_rest(service_level)),
            Self::Own(response) => AnyState::Own(response.at_rest(service_level)),
        }
    }

    #[inline]
    fn on_sent(&self, state: &mut AnyState, sent: SentPacket, now: Time) {
        match self {
            Self::Off | Self::Iba(_) | Self::DcqcnTimed(_) => {}
            Self::Hp(_) | Self::Dcqcn(_) | Self::Own(_) => {
                dispatch!(self, state, (response, own) => response.on_sent(own, sent, now));
            }
        }
    }

    fn on_acknowledged(&self, state: &mut AnyState, ack: Acknowledgement, now: Time) -> NotificationOutcome {
        match self {
            Self::Iba(_) | Self::Dcqcn(_) | Self::DcqcnTimed(_) if !ack.marked => {
                NotificationOutcome::default()
            }
            Self::Off | Self::Iba(_) | Self::Hp(_) | Self::Dcqcn(_) | Self::DcqcnTimed(_) | Self::Own(_) => {
                dispatch!(self, state, (response, own) => response.on_acknowledged(own, ack, now))
            }
        }
    }

    fn on_notification(
        &self,
        state: &mut AnyState,
        notified: Notification,
        now: Time,
    ) -> NotificationOutcome {
        dispatch!(self, state, (response, own) => response.on_notification(own, notified, now))
    }

    fn gap(&self, state: &mut AnyState, packet_time: Span, now: Time) -> Span {
        dispatch!(self, state, (response, own) => response.gap(own, packet_time, now))
    }

    fn window(&self, state: &AnyState) -> u32 {
        match self {
            Self::Off | Self::Iba(_) | Self::Dcqcn(_) | Self::DcqcnTimed(_) => u32::MAX,
            Self::Hp(_) | Self::Own(_) => dispatch!(self, state, (response, own) => response.window(own)),
        }
    }

    fn flow_rate(&self, state: &AnyState, now: Time) -> Option<FlowRate> {
        dispatch!(self, state, (response, own) => response.flow_rate(own, now))
    }

    fn control_state(&self, state: &AnyState, now: Time) -> ControlState {
        dispatch!(self, state, (response, own) => response.control_state(own, now))
    }
}
