//! The room that a port can ever have, and the agreement of both ends of a cable on the present room. The proof of a
//! deadlock needs both.
//!
//! Invariant: asking changes nothing.

use packet::Lane;
use units::Bytes;

use super::{Lanes, Port};
use crate::flow_control::credits::{BLOCK, ReceiverShare};
use crate::flow_control::lasting::LastingUse;

impl Port {
    /// Returns the most bytes that may still arrive on `lane`, which has its own memory, while `lasting` lasts. Returns
    /// 0 B if the pause that it requests never ends. The threshold is at most `limit`, or the lane's own if `None`.
    pub(super) fn most_room(&self, lane: Lane, lasting: LastingUse, limit: Option<u32>) -> Bytes {
        match &self.lanes {
            Lanes::Credits(lanes) => {
                let ReceiverShare { held, room } = lanes[lane].share();
                // Blocks held by packets that leave some day become room again.
                Bytes::new(u64::from(held + u32::from(room) - lasting.blocks) * BLOCK)
            }
            Lanes::Pause(pauses) => pauses.most_room(lane, lasting, limit),
        }
    }

    /// Returns true if a pause of `lane` is in effect at this end; never under credits.
    #[must_use]
    pub fn is_paused(&self, lane: Lane) -> bool {
        matches!(&self.lanes, Lanes::Pause(pauses) if !pauses.lanes[lane].may_start())
    }

    /// Returns true if this end knows the room of `far`, the other end of the cable. No credit is then on its way, and
    /// a pause is in effect exactly if the far end requests it.
    #[must_use]
    pub fn knows_room_of(&self, far: &Self) -> bool {
        match (&self.lanes, &far.lanes) {
            (Lanes::Credits(own), Lanes::Credits(far)) => {
                own.iter().zip(far.iter()).all(|(own, far)| own.far_room() == far.share().room)
            }
            (Lanes::Pause(own), Lanes::Pause(far)) => {
                let mut lanes = own.lanes.iter().zip(far.lanes.iter());
                lanes.all(|(own, far)| own.may_start() != far.requests_pause())
            }
            (Lanes::Credits(_), Lanes::Pause(_)) | (Lanes::Pause(_), Lanes::Credits(_)) => false,
        }
    }

    /// Returns true if some lane has room for `length`, by the receiver's own account.
    #[must_use]
    pub fn has_room(&self, length: Bytes) -> bool {
        let lanes = match &self.lanes {
            Lanes::Credits(lanes) => lanes.len(),
            Lanes::Pause(pauses) => pauses.lanes.len(),
        };
        (0..lanes as u8).any(|lane| self.room(Lane(lane)) >= length)
    }
}
