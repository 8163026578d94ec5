//! Least times of messages whose packets may take several paths.
//!
//! Invariant: a bound. No choice of paths delivers a message earlier on the empty fabric. It is the exact time if the
//! source's own link is the narrowest, and all paths of the last packet are alike.
//!
//! ```text
//! the last packet     has to wait for all others on the first wire, then takes the fastest way
//! each group of wires has to carry the whole message, however its packets are dealt out, and its last bit then
//!                     takes the least latency
//! the host            has to take the whole payload, from the earliest arrival of a packet on
//! ```

use link_layer::Wire;
use units::{Bytes, Rate, Span, Time};

/// Ways from one host to another.
#[derive(Clone, Debug)]
pub(crate) struct SpreadPath {
    /// Groups of wires in the order of the way. Every packet takes one wire of each.
    pub(crate) stages: Vec<Stage>,
    pub(crate) drain: Option<Rate>,
}

/// Wires: every packet of a flow takes one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    /// Least time from the previous stage on until a packet can start here.
    pub(crate) before: Span,
    pub(crate) wires: Vec<Wire>,
}

/// Packets that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    pub(crate) packets: u64,
    /// Length of each, and its payload.
    pub(crate) length: Bytes,
    pub(crate) payload: Bytes,
    /// Earliest start of the last of them on the first wire.
    pub(crate) last_start: Time,
}

impl Stage {
    fn least(&self, time: impl Fn(&Wire) -> Span) -> Span {
        self.wires.iter().map(time).min().unwrap_or(Span::ZERO)
    }

    fn latency(&self) -> Span {
        self.least(Wire::latency)
    }

    /// Returns the least time from a packet's start until it may start at the next stage.
    fn lead(&self, length: Bytes) -> Span {
        self.least(|wire| wire.arrives(Time::ZERO, wire.time_for(length)).since_start())
    }

    /// Returns the least time in which the wires together carry these packets.
    fn together(&self, batches: &[Batch]) -> Span {
        let alone = |wire: &Wire| -> u64 {
            batches.iter().map(|batch| wire.time_for(batch.length).ps() * batch.packets).sum()
        };
        let per_ps: f64 = self.wires.iter().map(|wire| 1.0 / alone(wire).max(1) as f64).sum();
        match self.wires.as_slice() {
            [wire] => Span::from_ps(alone(wire)),
            // Rounded down by more than the error of the sum.
            _ => Span::from_ps((1.0 / per_ps * (1.0 - 1e-12)) as u64),
        }
    }
}

impl SpreadPath {
    /// Returns the least time from a packet's start on the first wire to its arrival.
    pub(crate) fn transit(&self, length: Bytes) -> Span {
        let (mut head, mut most) = (Span::ZERO, Span::ZERO);
        for (place, stage) in self.stages.iter().enumerate() {
            head += stage.before;
            // The tail leaves this stage, and has all latencies from here on before it.
            let onward: Span = self.stages[place..].iter().map(Stage::latency).sum();
            most = most.max(head + stage.least(|wire| wire.time_for(length)) + onward);
            head += stage.lead(length);
        }
        most
    }

    /// Returns the earliest times at which the last packet has arrived, and the host has taken all. `batches` are the
    /// packets of a message that starts at `from`.
    pub(crate) fn ends(&self, batches: &[Batch], from: Time) -> (Time, Time) {
        let (mut arrived, mut taken) = (from, from);
        let taking = |payload: Bytes| self.drain.map_or(Span::ZERO, |limit| limit.time_for(payload));
        for batch in batches {
            let at = batch.last_start + self.transit(batch.length);
            (arrived, taken) = (arrived.max(at), taken.max(at + taking(batch.payload)));
        }
        let mut reached = from;
        for (place, stage) in self.stages.iter().enumerate() {
            reached += stage.before;
            let onward: Span = self.stages[place..].iter().map(Stage::latency).sum();
            arrived = arrived.max(reached + stage.together(batches) + onward);
            reached += batches.iter().map(|batch| stage.lead(batch.length)).min().unwrap_or(Span::ZERO);
        }
        let payload: u64 = batches.iter().map(|batch| batch.packets * batch.payload.get()).sum();
        (arrived, taken.max(arrived).max(reached + taking(Bytes::new(payload))))
    }
}
