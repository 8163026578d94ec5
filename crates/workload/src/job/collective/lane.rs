//! Operations of a lane: their numbers, and the operations that they wait for.
//!
//! A lane is a copy of the schedule that carries a part of every block. Its operations are numbered phase by phase, and
//! in a phase step by step, the send first.
//!
//! Invariant: each operation waits for operations of lower numbers only, so a lane has no cycle. Once an operation has
//! predecessors, all later operations of the lane have, so roots are a prefix.

use smallvec::SmallVec;

use super::phase::{Motion, Order, Phase, Phases, Side};

/// The operations of a rank in a lane.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    phases: Phases,
}

/// The operations that a phase waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gate {
    receive: Option<u32>,
    send: Option<u32>,
}

/// The meaning of an operation's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A side of a step.
    Message { part: u8, step: u32, side: Side },
    /// A computation of no length that waits for others.
    Join,
}

/// A phase, its first operation, and the gate before it.
#[derive(Clone, Copy, Debug)]
struct Placed {
    phase: Phase,
    first: u32,
    gate: Gate,
}

/// Operations that another one waits for.
pub(super) type Few = SmallVec<[u32; 4]>;

impl Lane {
    pub(super) fn new(phases: Phases) -> Self {
        Self { phases }
    }

    /// Returns the number of operations.
    pub(super) fn operations(&self) -> u32 {
        self.phases.iter().map(Phase::operations).sum()
    }

    /// Returns the number of messages that the rank sends.
    pub(super) fn sends(&self) -> u32 {
        let sending = self.phases.iter().filter(|phase| phase.motion != Motion::Receives);
        sending.map(|phase| phase.steps).sum()
    }

    /// Returns the meaning of an operation.
    pub(super) fn role(&self, id: u32) -> Role {
        let Placed { phase, first, .. } = self.find(id);
        match phase.join_or_step(id - first) {
            Err(_) => Role::Join,
            Ok((step, side)) => Role::Message { part: phase.part, step, side },
        }
    }

    /// Returns the operations that `id` waits for, in order.
    pub(super) fn before(&self, id: u32) -> Few {
        let Placed { phase, first, gate } = self.find(id);
        let at = |step, side| phase.operation(step, side).map(|operation| first + operation);
        match phase.join_or_step(id - first) {
            Err(steps) => {
                let both = steps.flat_map(|step| [at(step, Side::Send), at(step, Side::Receive)]);
                let awaited = |id: &u32| {
                    // Whoever only waits for data need not wait until its own messages are acknowledged.
                    phase.order != Order::FreeJoined || phase.side_of(id - first) == Side::Receive
                };
                both.flatten().filter(awaited).collect()
            }
            Ok((step, _)) => match phase.waits(step) {
                Waits::Gate => gate.both().collect(),
                Waits::Join(join) => Few::from_slice(&[first + join]),
                Waits::Step { before, send } => {
                    let send = if send { at(before, Side::Send) } else { None };
                    send.into_iter().chain(at(before, Side::Receive)).collect()
                }
            },
        }
    }

    /// Returns the number of operations that `id` waits for.
    pub(super) fn predecessors(&self, id: u32) -> u32 {
        let Placed { phase, first, .. } = self.find(id);
        match phase.join_or_step(id - first) {
            // A join may wait for thousands, which are counted and not listed.
            Err(steps) if phase.order == Order::FreeJoined => steps.end,
            Err(steps) => (steps.end - steps.start) * phase.sides(),
            Ok(_) => self.before(id).len() as u32,
        }
    }

    /// Calls `then` with each operation that waits for `id`, in order.
    pub(super) fn for_each_after(&self, id: u32, mut then: impl FnMut(u32)) {
        let mut behind = false;
        for Placed { phase, first, gate } in self.placed() {
            if behind {
                // The gate moves on once a phase receives, and nothing behind it waits for this operation.
                if !gate.both().any(|gate| gate == id) {
                    return;
                }
                let waiting = (0..phase.steps).take_while(|step| phase.waits(*step) == Waits::Gate);
                let sides = waiting.flat_map(|step| [Side::Send, Side::Receive].map(|side| (step, side)));
                sides.filter_map(|(step, side)| phase.operation(step, side)).for_each(|n| then(first + n));
            } else if id < first + phase.operations() {
                behind = true;
                phase.for_each_after(id - first, |operation| then(first + operation));
            }
        }
    }

    fn find(&self, id: u32) -> Placed {
        let found = self.placed().find(|placed| id < placed.first + placed.phase.operations());
        found.expect("the operation is in the lane")
    }

    fn placed(&self) -> impl Iterator<Item = Placed> {
        let mut first = 0;
        let mut gate = Gate::default();
        self.phases.iter().filter(|phase| phase.steps > 0).map(move |phase| {
            let placed = Placed { phase: *phase, first, gate };
            gate = phase.gate_behind(first, gate);
            first += phase.operations();
            placed
        })
    }
}

/// The operations of its own phase that a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// None, so that it waits for the gate.
    Gate,
    /// A join.
    Join(u32),
    /// The receive of a step, and perhaps its send.
    Step { before: u32, send: bool },
}

impl Gate {
    fn both(self) -> impl Iterator<Item = u32> {
        self.send.into_iter().chain(self.receive)
    }
}

impl Phase {
    /// Operations of a step.
    const fn sides(&self) -> u32 {
        if matches!(self.motion, Motion::Exchanges) { 2 } else { 1 }
    }

    fn operations(&self) -> u32 {
        let joins = match self.order {
            _ if self.steps == 0 => 0,
            Order::Chained | Order::Blocking | Order::Free => 0,
            Order::FreeJoined => 1,
            Order::Batches(width) => Self::batch(self.steps - 1, width),
        };
        self.steps * self.sides() + joins
    }

    /// Returns the step and side of an operation of the phase, or the steps that it joins.
    fn join_or_step(&self, operation: u32) -> Result<(u32, Side), core::ops::Range<u32>> {
        let messages = operation
            - match self.order {
                Order::FreeJoined if operation == self.steps * self.sides() => return Err(0..self.steps),
                Order::Batches(width) => {
                    let period = width * self.sides() + 1;
                    let shifted = operation + Self::lead(width) * self.sides();
                    let batch = shifted / period;
                    if shifted % period == period - 1 {
                        return Err(self.batch_steps(batch, width));
                    }
                    batch
                }
                _ => 0,
            };
        Ok((messages / self.sides(), self.side_of_message(messages)))
    }

    fn side_of(&self, operation: u32) -> Side {
        self.join_or_step(operation).map_or(Side::Receive, |(_, side)| side)
    }

    const fn side_of_message(&self, message: u32) -> Side {
        match self.motion {
            Motion::Sends => Side::Send,
            Motion::Exchanges if message.is_multiple_of(2) => Side::Send,
            Motion::Receives | Motion::Exchanges => Side::Receive,
        }
    }

    /// Returns the operation of a side of a step.
    fn operation(&self, step: u32, side: Side) -> Option<u32> {
        let place = match (self.motion, side) {
            (Motion::Sends, Side::Receive) | (Motion::Receives, Side::Send) => return None,
            (Motion::Exchanges, Side::Receive) => 1,
            _ => 0,
        };
        let joins = if let Order::Batches(width) = self.order { Self::batch(step, width) } else { 0 };
        Some(step * self.sides() + place + joins)
    }

    fn waits(&self, step: u32) -> Waits {
        match self.order {
            _ if step == 0 => Waits::Gate,
            Order::Free | Order::FreeJoined => Waits::Gate,
            Order::Chained if self.motion == Motion::Sends => Waits::Gate,
            Order::Chained => Waits::Step { before: step - 1, send: false },
            Order::Blocking => Waits::Step { before: step - 1, send: true },
            Order::Batches(width) => match Self::batch(step, width) {
                0 => Waits::Gate,
                batch => Waits::Join(self.join_of(batch - 1, width)),
            },
        }
    }

    /// Steps that the first batch lacks: MPICH counts the rank's copy to itself as the first step.
    const fn lead(width: u32) -> u32 {
        if width > 1 { 1 } else { 0 }
    }

    /// Returns the batch of a step.
    const fn batch(step: u32, width: u32) -> u32 {
        (step + Self::lead(width)) / width
    }

    fn batch_steps(&self, batch: u32, width: u32) -> core::ops::Range<u32> {
        let start = |batch: u32| (batch * width).saturating_sub(Self::lead(width)).min(self.steps);
        start(batch)..start(batch + 1)
    }

    /// Returns the join behind a batch; the last batch has none.
    const fn join_of(&self, batch: u32, width: u32) -> u32 {
        (batch + 1) * (width * self.sides() + 1) - 1 - Self::lead(width) * self.sides()
    }

    fn gate_behind(&self, first: u32, before: Gate) -> Gate {
        let last = |side| self.operation(self.steps - 1, side).map(|operation| first + operation);
        match self.order {
            Order::Chained if self.motion == Motion::Sends => before,
            Order::Chained => Gate { receive: last(Side::Receive), send: None },
            Order::Blocking => Gate { receive: last(Side::Receive), send: last(Side::Send) },
            Order::FreeJoined => Gate { receive: Some(first + self.steps * self.sides()), send: None },
            // Nothing follows these in any schedule.
            Order::Free | Order::Batches(_) => Gate::default(),
        }
    }

    /// Calls `then` with each operation of the phase that waits for another of the phase.
    fn for_each_after(&self, operation: u32, mut then: impl FnMut(u32)) {
        let step_after = match self.join_or_step(operation) {
            Err(steps) => match self.order {
                Order::Batches(width) => self.batch_steps(Self::batch(steps.start, width) + 1, width),
                _ => return,
            },
            Ok((step, side)) => match self.order {
                Order::FreeJoined if side == Side::Receive => return then(self.steps * self.sides()),
                Order::Free | Order::FreeJoined => return,
                Order::Batches(width) => {
                    let batch = Self::batch(step, width);
                    if batch < Self::batch(self.steps - 1, width) {
                        then(self.join_of(batch, width));
                    }
                    return;
                }
                Order::Chained if side == Side::Send => return,
                Order::Chained | Order::Blocking => step + 1..(step + 2).min(self.steps),
            },
        };
        for step in step_after {
            [Side::Send, Side::Receive]
                .into_iter()
                .filter_map(|side| self.operation(step, side))
                .for_each(&mut then);
        }
    }
}
