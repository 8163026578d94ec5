//! Destinations and sizes of a host's messages, drawn message by message.
//!
//! Invariant: destinations, times and sizes of a host are three streams of its own. If a rule changes, the other two
//! draw the same.

use std::sync::Arc;

use event_kernel::Stream;
use units::Bytes;

use super::arrivals::ArrivalTimes;
use super::destinations::Targets;
use super::message::DrawnMessage;
use super::sizes::SizeDistribution;

/// Endless iterator over the destinations and sizes of a host's messages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessageSequence {
    pub(crate) targets: Targets,
    pub(crate) sizes: Arc<SizeDistribution>,
    /// Number of messages so far.
    pub(crate) k: u64,
    pub(crate) destinations: Stream,
    pub(crate) lengths: Stream,
}

state_codec::state!(MessageSequence { targets: plan, sizes: plan, k, destinations, lengths });

impl Iterator for MessageSequence {
    type Item = (u32, Bytes);

    fn next(&mut self) -> Option<(u32, Bytes)> {
        let to = self.targets.destination(self.k, &mut self.destinations);
        self.k += 1;
        Some((to, self.sizes.draw(&mut self.lengths)))
    }
}

/// The messages of a host that does not wait for completions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimedSequence {
    pub(crate) sequence: MessageSequence,
    pub(crate) times: ArrivalTimes,
}

state_codec::state!(TimedSequence { sequence: part, times: part });

impl Iterator for TimedSequence {
    type Item = DrawnMessage;

    fn next(&mut self) -> Option<DrawnMessage> {
        let at = self.times.next()?;
        let (to, bytes) = self.sequence.next()?;
        Some(DrawnMessage { at, to, bytes })
    }
}
