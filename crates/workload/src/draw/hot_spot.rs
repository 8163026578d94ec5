//! Uniform traffic of a host, with hot spots.
//!
//! Invariant: a window only redirects. It changes neither the load that a host offers nor the times of its messages.
//! A message that it leaves alone keeps the destination that it has without the window.

use std::sync::Arc;

use event_kernel::Stream;
use packet::NodeId;
use rand::RngExt;
use units::{Bytes, Time};

use super::destinations::Targets;
use super::message::DrawnMessage;
use crate::chance::exponential;
use crate::spec::{HotSpotWindow, SpacingSpec};

/// The messages of a host. Each message takes a draw from each stream, needed or not, so that a window changes
/// nothing outside of itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HotSpotMessages {
    pub(crate) source: NodeId,
    pub(crate) receivers: Targets,
    pub(crate) windows: Arc<[HotSpotWindow]>,
    pub(crate) message: Bytes,
    /// Mean interval between two messages, in ps.
    pub(crate) interval: f64,
    pub(crate) until: Time,
    pub(crate) clock: SpacingClock,
    pub(crate) gaps: Stream,
    pub(crate) others: Stream,
    pub(crate) redirects: Stream,
}

state_codec::state!(HotSpotMessages {
    source: plan,
    receivers: plan,
    windows: plan,
    message: plan,
    interval: plan,
    until: plan,
    clock,
    gaps,
    others,
    redirects,
});

/// Time of the previous message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SpacingClock {
    Poisson {
        at: Time,
    },
    /// The previous message came this many intervals after `from`; `None` before the first.
    Fixed {
        from: Time,
        intervals: Option<f64>,
    },
}

state_codec::value!(enum SpacingClock { 0 = Poisson { at }, 1 = Fixed { from, intervals } });

impl Iterator for HotSpotMessages {
    type Item = DrawnMessage;

    fn next(&mut self) -> Option<DrawnMessage> {
        let at = self.clock.next(self.interval, &mut self.gaps);
        if at >= self.until {
            return None;
        }
        let other = NodeId(self.receivers.destination(0, &mut self.others));
        let draw = uniform(&mut self.redirects);
        let to = redirected(&self.windows, self.source, at, draw).unwrap_or(other);
        Some(DrawnMessage { at, to: to.0, bytes: self.message })
    }
}

impl SpacingClock {
    /// Creates the clock of a host that begins its messages at `from`.
    pub(crate) const fn new(spacing: SpacingSpec, from: Time) -> Self {
        match spacing {
            SpacingSpec::Poisson => Self::Poisson { at: from },
            SpacingSpec::Fixed => Self::Fixed { from, intervals: None },
        }
    }

    fn next(&mut self, interval: f64, gaps: &mut Stream) -> Time {
        // The casts saturate: a time past the end of the clock ends the traffic.
        match self {
            // Each gap is rounded by itself.
            Self::Poisson { at } => {
                let gap = exponential(gaps) * interval;
                *at = Time::from_ps(at.ps().saturating_add(gap.round() as u64));
                *at
            }
            // Each time is rounded by itself, so that rounding errors do not add up.
            Self::Fixed { from, intervals } => {
                let count = intervals.map_or_else(|| uniform(gaps), |last| last + 1.0);
                *intervals = Some(count);
                Time::from_ps(from.ps().saturating_add((count * interval).round() as u64))
            }
        }
    }
}

/// Draws a number uniformly from 0 to 1.
fn uniform(random: &mut Stream) -> f64 {
    random.random_range(0..1u64 << 53) as f64 / (1u64 << 53) as f64
}

/// Returns the target that a window redirects a message to, if it does. `draw` is uniform from 0 to 1; its part below
/// the window's fraction is cut into equal pieces, a piece for each target.
fn redirected(windows: &[HotSpotWindow], source: NodeId, at: Time, draw: f64) -> Option<NodeId> {
    let in_time = |window: &&HotSpotWindow| window.from <= at && at < window.until;
    let HotSpotWindow { fraction, targets, contributes, .. } = windows.iter().find(in_time)?;
    if !contributes[source.index()] || draw >= *fraction {
        return None;
    }
    let own = usize::from(targets.contains(&source));
    let count = targets.len() - own;
    // A draw just below the fraction may round up to the number of targets.
    let piece = ((draw / fraction * count as f64) as usize).min(count - 1);
    targets.iter().copied().filter(|target| *target != source).nth(piece)
}
