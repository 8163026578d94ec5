//! The notification point of the HP proposal.
//!
//! Invariant: a CN packet names the marked packet, so that the source can tell whether it was sent before the last
//! decrease.

use packet::Packet;
use units::Time;

use crate::iba::spec::IbaEcho;
use crate::policy::{Answer, Echo, EchoState};

/// The HP proposal's echo: copies a mark to the acknowledgement, or sends a "special CN packet" where nothing is
/// acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HpEcho;

impl Echo for HpEcho {
    #[inline]
    fn answer(&self, packet: &Packet, state: &mut EchoState, now: Time) -> Option<Answer> {
        IbaEcho::Acknowledgement.answer(packet, state, now)
    }

    fn names_packets(&self) -> bool {
        true
    }
}
