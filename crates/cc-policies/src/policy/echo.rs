//! The decision of a destination: [`Echo`].
//!
//! Invariant: a notification is never answered by a notification.

use packet::{Packet, ServiceLevel};
use units::Time;

use super::Off;

/// Answer to a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A congestion notification packet (CNP), at once.
    Cnp,
    /// A CNP at this time.
    CnpAt(Time),
    /// A mark on an acknowledgement, sent at once.
    Acknowledgement,
}

/// State of an [`Echo`] for a queue pair of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EchoState {
    /// Arrival of the queue pair's first packet; [`Time::NEVER`] before it.
    pub first_arrival: Time,
    /// Earliest time of the next notification.
    pub quiet_until: Time,
}

state_codec::value!(EchoState { first_arrival, quiet_until });

impl Default for EchoState {
    fn default() -> Self {
        Self { first_arrival: Time::NEVER, quiet_until: Time::ZERO }
    }
}

/// The decision of a destination: which marks are answered, and by which packet.
pub trait Echo {
    /// Handles the arrival of a packet, marked or not. Returns the notification that it calls for; `state` belongs to
    /// the packet's queue pair.
    #[inline]
    fn answer(&self, _packet: &Packet, _state: &mut EchoState, _now: Time) -> Option<Answer> {
        None
    }

    /// Returns whether a CNP carries the PSN of the marked packet, as the HP proposal's does ("CN: if PSN >= APSN"),
    /// and IBA's does not.
    fn names_packets(&self) -> bool {
        false
    }

    /// Returns the service level of CNPs; `None` for the level of their flow.
    fn service_level(&self) -> Option<ServiceLevel> {
        None
    }
}

impl Echo for Off {}
