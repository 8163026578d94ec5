//! Phases of a run.

use units::Time;

/// The part of a run between two declared changes of traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The change at its start: `F3 starts`.
    pub name: String,
    /// Start of the phase.
    pub from: Time,
    /// Start of its second half.
    pub second_half: Time,
    /// End of the phase.
    pub to: Time,
}

impl Phase {
    /// Returns the phase from `from` to `to`.
    #[must_use]
    pub fn new(name: String, from: Time, to: Time) -> Self {
        Self { name, from, second_half: from + to.since(from) / 2, to }
    }

    /// Returns the part of the phase before `end`, at which all traffic of the run was done; `None` if the
    /// phase had not begun. All of a part counts as its second half, so that it does not depend on the longest time
    /// of the run.
    #[must_use]
    pub fn until(self, end: Time) -> Option<Self> {
        let second_half = if self.to <= end { self.second_half } else { self.from };
        self.before(end).map(|part| Self { second_half, ..part })
    }

    /// Returns the part of the phase before `end`, the end of an interrupted run; `None` if the phase had not begun.
    /// If its second half had not begun either, all of that part counts as its second half.
    #[must_use]
    pub fn before(self, end: Time) -> Option<Self> {
        let second_half = if self.second_half < end { self.second_half } else { self.from };
        (self.from < end).then(|| Self { second_half, to: self.to.min(end), ..self })
    }
}
