//! Incasts, once or again and again.
//!
//! Invariant: a pair of hosts has a single flow, whichever incasts draw it. Times, receivers and senders are three
//! streams of the pattern; if a rule changes, the other two draw the same.

use std::collections::BTreeMap;

use event_kernel::Stream;
use packet::NodeId;
use rand::RngExt;
use units::Time;

use super::builder::PatternBuilder;
use crate::chance::exponential;
use crate::environment::Environment;
use crate::error::WorkloadError;
use crate::flow::{Flow, ListedMessage, MessageSchedule, Posting};
use crate::spec::{IncastSpacing, IncastSpec, Incasts, Senders, check};

impl PatternBuilder<'_> {
    pub(super) fn incast(&self, spec: &IncastSpec) -> Result<Vec<Flow>, WorkloadError> {
        let incasts = spec.resolve(self.environment)?;
        let expected = incasts.expected(spec.at) * incasts.senders.mean(&incasts.receivers);
        // A list that grows has up to twice its length, beside its former place.
        let _room = check::listed(expected, 4).map_err(WorkloadError::whole)?;
        // Each draw has a stream of its own, so that a different rule for senders leaves times and receivers as they
        // were.
        let mut receivers = self.stream("receivers", "all hosts");
        let mut senders = self.sender_draw(&incasts.senders);
        let mut messages: BTreeMap<(NodeId, NodeId), Vec<ListedMessage>> = BTreeMap::new();
        for at in incasts.times(spec.at, self.stream("times", "all hosts")) {
            let to = match incasts.receivers.as_slice() {
                [one] => *one,
                several => several[receivers.random_range(0..several.len() as u32) as usize],
            };
            for from in senders.draw(to) {
                messages.entry((from, to)).or_default().push(ListedMessage { at, bytes: spec.bytes });
            }
        }
        let flow = |((from, to), messages): ((NodeId, NodeId), Vec<ListedMessage>)| {
            (from, to, Posting::Scheduled(MessageSchedule::Listed(messages.into())))
        };
        Ok(self.flows(messages.into_iter().map(flow).collect()))
    }

    /// Returns the choice among these senders.
    pub(super) fn sender_draw<'a>(&'a self, senders: &'a Senders) -> SenderDraw<'a> {
        let shuffled = self.environment.nodes().collect();
        let random = self.stream("senders", "all hosts");
        SenderDraw { environment: self.environment, senders, shuffled, random }
    }
}

impl Incasts {
    /// Expected number of incasts.
    fn expected(&self, start: Time) -> f64 {
        let length = self.stop.ps().saturating_sub(start.ps()) as f64;
        match self.spacing {
            IncastSpacing::Once => 1.0,
            IncastSpacing::Every(interval) => (length / interval.ps() as f64).ceil(),
            IncastSpacing::Poisson(interval) => length / interval,
        }
    }

    /// Returns the times of all incasts, in order. Each interval is rounded to picoseconds by itself.
    fn times(&self, start: Time, mut random: Stream) -> Vec<Time> {
        let stop = self.stop.ps();
        let first = start.ps();
        match self.spacing {
            IncastSpacing::Once => vec![start],
            IncastSpacing::Every(interval) => {
                let times = core::iter::successors(Some(first), |at| at.checked_add(interval.ps()));
                times.take_while(|at| *at < stop).map(Time::from_ps).collect()
            }
            IncastSpacing::Poisson(mean) => {
                // The cast saturates: a time past the end of the clock ends the pattern.
                let mut gap = move || (exponential(&mut random) * mean).round() as u64;
                let mut at = first;
                let times = core::iter::from_fn(|| {
                    at = at.saturating_add(gap());
                    (at < stop).then_some(Time::from_ps(at))
                });
                times.collect()
            }
        }
    }
}

/// The choice of the senders of each incast, or of a pattern with a single receiver.
pub(super) struct SenderDraw<'a> {
    environment: &'a Environment<'a>,
    senders: &'a Senders,
    /// All hosts, in the order that the draws so far have left.
    shuffled: Vec<NodeId>,
    random: Stream,
}

impl SenderDraw<'_> {
    /// Returns the hosts that send to `to`.
    pub(super) fn draw(&mut self, to: NodeId) -> Vec<NodeId> {
        let environment = self.environment;
        let hosts = environment.hosts().len();
        match self.senders {
            Senders::Next(count) => environment.after(to).take(*count as usize).collect(),
            Senders::OtherRacks(count) => environment.in_other_racks(to).take(*count as usize).collect(),
            Senders::Named(senders) => senders.iter().copied().filter(|sender| *sender != to).collect(),
            Senders::Drawn(count) => {
                // The beginning of a shuffle. It has a host more than needed, to take the place of the receiver if
                // the receiver is drawn.
                let count = *count as usize;
                for place in 0..(count + 1).min(hosts) {
                    let other = self.random.random_range(place as u32..hosts as u32);
                    self.shuffled.swap(place, other as usize);
                }
                let drawn = self.shuffled.iter().copied().filter(|sender| *sender != to);
                drawn.take(count).collect()
            }
        }
    }
}
