//! Rendezvous: messages whose payload waits until the receiver has a receive for it.
//!
//! Invariant: parts of a kind with one tag leave and arrive in the order of their sends, so that kind and tag say which
//! message a part belongs to.
//!
//! | part | direction | posted | bytes |
//! |---|---|---|---|
//! | whole | to the receiver | when an eager send starts | the message's |
//! | request to send | to the receiver | when a send by rendezvous starts | [`REQUEST_BYTES`] |
//! | clear to send | to the sender | when a receive is matched with the request | [`CLEAR_BYTES`] |
//! | payload | to the receiver | when the clear has arrived | the message's |
//!
//! The send is complete when its payload is, the receive when the payload has arrived. Matching sees requests and whole
//! messages alike, in the order of their posting.

use units::Time;

/// Payload of a request to send: the header of Open MPI's `ob1` for it (`pml_ob1_hdr.h`), of tag, source, number,
/// length and the sender's request.
pub const REQUEST_BYTES: u64 = 32;

/// Payload of a clear to send: the header of `ob1` for it, of both sides' requests and the part that is cleared.
pub const CLEAR_BYTES: u64 = 40;

/// A message on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WirePart {
    /// A message whose payload is sent at once.
    Whole,
    /// A request to send.
    Request,
    /// A clear to send.
    Clear,
    /// The payload of a message that has asked.
    Payload,
}

impl WirePart {
    /// Kinds of parts, which share the numbers of immediate data.
    pub const KINDS: u64 = 4;

    /// Returns the immediate data of a part, from the place of its tag among `tags`.
    pub(super) const fn immediate(self, tag: u32, tags: u32) -> u32 {
        self as u32 * tags + tag
    }

    /// Returns the part and the place of its tag.
    pub(super) const fn of(immediate: u32, tags: u32) -> (Self, u32) {
        let kind = match immediate / tags {
            0 => Self::Whole,
            1 => Self::Request,
            2 => Self::Clear,
            _ => Self::Payload,
        };
        (kind, immediate % tags)
    }
}

/// Times of a message by rendezvous at one of its ends; [`Time::NEVER`] before, and of other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// Of a send: arrival of the clear, when the payload is posted. Of a receive: its match, when the clear is posted.
    pub at: Time,
    /// Departure of the last packet of what has arrived: of a send the clear, of a receive the payload.
    pub departed: Time,
}

state_codec::value!(Handshake { at, departed });

impl Handshake {
    pub(super) const NONE: Self = Self { at: Time::NEVER, departed: Time::NEVER };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts and tags come back from immediate data; whole messages have the places of their tags alone.
    #[test]
    fn immediate_data_names_part_and_tag() {
        let parts = [WirePart::Whole, WirePart::Request, WirePart::Clear, WirePart::Payload];
        for tags in [1, 2, 1000] {
            let all: Vec<u32> =
                parts.iter().flat_map(|part| (0..tags).map(|tag| part.immediate(tag, tags))).collect();
            assert_eq!(all, (0..4 * tags).collect::<Vec<_>>());
            let back: Vec<_> = all.iter().map(|word| WirePart::of(*word, tags)).collect();
            let expected = parts.iter().flat_map(|part| (0..tags).map(|tag| (*part, tag)));
            assert_eq!(back, expected.collect::<Vec<_>>());
        }
    }
}
