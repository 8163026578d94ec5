//! Random draws that every kind of traffic is made of.
//!
//! Invariant: the same stream gives the same draws on every machine.
//!
//! | module | contents |
//! |---|---|
//! | `exponential` | exponentially and uniformly distributed numbers |
//! | `on_periods` | exponentially distributed times on and off |
//! | `permutation` | permutations without a fixed point |

mod exponential;
mod on_periods;
mod permutation;

pub(crate) use exponential::{exponential, unit};
pub(crate) use on_periods::OnPeriods;
pub(crate) use permutation::assignment;
