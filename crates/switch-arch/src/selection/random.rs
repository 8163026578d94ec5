//! At random.
//!
//! Invariant: every port that is up is equally likely, whatever was chosen before.

use event_kernel::Stream;
use packet::PortId;

use super::selector::{Choice, Loads, Selector, drawn};

/// A port drawn for each packet.
#[derive(Clone, Debug)]
pub struct Random {
    stream: Stream,
}

state_codec::state!(Random { stream });

impl Random {
    /// Creates a selector that draws from this stream.
    #[must_use]
    pub const fn new(stream: Stream) -> Self {
        Self { stream }
    }
}

impl Selector for Random {
    fn choose(&mut self, choice: Choice<'_>, loads: &impl Loads) -> PortId {
        let candidates = choice.candidates(loads);
        loop {
            let port = choice.group.port(drawn(&mut self.stream, &candidates));
            // Ports are seldom down, so a second draw costs less than a count before each.
            if loads.is_up(port) || !candidates.clone().any(|place| loads.is_up(choice.group.port(place))) {
                return port;
            }
        }
    }
}
