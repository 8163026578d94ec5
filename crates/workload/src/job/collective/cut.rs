//! The first steps of an all-to-all.
//!
//! Invariant: the steps that are done have the messages that they have in the whole.

use super::algorithm::Algorithm;
use super::{Collective, CollectiveError};

impl Collective {
    /// Returns the first steps of an all-to-all by a message for each pair of ranks. All 11,664 (11,664 - 1) pairs of a
    /// large fabric would be as many queue pairs.
    ///
    /// # Errors
    /// There are 0 or fewer than `steps`, or this is no such all-to-all.
    pub fn first_steps(mut self, steps: u32) -> Result<Self, CollectiveError> {
        let Algorithm::Exchange(exchange) = &mut self.algorithm else { return Err(CollectiveError::NoSteps) };
        let all = self.ranks - 1;
        match steps {
            0 => Err(CollectiveError::Zero { field: "steps" }),
            _ if steps > all => Err(CollectiveError::TooManySteps { given: steps, all }),
            _ => {
                exchange.steps = steps;
                Ok(self)
            }
        }
    }

    /// Returns the steps that are done, and all steps, if they differ.
    #[must_use]
    pub const fn cut(&self) -> Option<(u32, u32)> {
        match &self.algorithm {
            Algorithm::Exchange(exchange) if exchange.steps < self.ranks - 1 => {
                Some((exchange.steps, self.ranks - 1))
            }
            _ => None,
        }
    }

    /// Returns the collective with all of its steps.
    #[must_use]
    pub fn whole(mut self) -> Self {
        if let Algorithm::Exchange(exchange) = &mut self.algorithm {
            exchange.steps = self.ranks - 1;
        }
        self
    }
}
