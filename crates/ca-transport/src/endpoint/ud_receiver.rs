//! The receiver of an unreliable datagram queue pair (IBA volume 1, 9.8.3, cited from memory).
//!
//! Invariant: each packet is a message, and is accepted on arrival whatever its number.

use packet::Packet;

use super::{Endpoint, EndpointRule, ReceiveVerdict};

/// The receiver of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct UdReceiver;

state_codec::value!(UdReceiver {});

impl Endpoint for UdReceiver {
    fn on_data(&mut self, _: &Packet, _: &EndpointRule) -> ReceiveVerdict {
        ReceiveVerdict::Accept
    }
}
