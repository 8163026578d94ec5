//! The mean of a series in its steady state, from batches of a run or from several runs.
//!
//! Invariant: a series without a steady state has no interval.

use measures::steady_state::{Unsteady, means, steady_state, warm_up};

use super::estimate::Estimate;

/// Number of batches. Between 10 and 30, the interval is hardly wider than with more. Batches are then long enough to
/// be nearly independent (Schmeiser 1982, "Batch size effects in the analysis of simulation output").
pub const BATCHES: usize = 20;

/// Mean of a series in its steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchMeans {
    /// Number of samples cut at the beginning.
    pub warm_up: usize,
    /// Mean over 20 batches of the rest, with its 95 % interval; `seeds` is the number of batches.
    pub estimate: Estimate,
}

impl BatchMeans {
    /// Estimates the mean of a series after its warm-up.
    ///
    /// # Errors
    /// If the series has no steady state.
    pub fn of(series: &[f64]) -> Result<Self, Unsteady> {
        let steady = steady_state(series)?;
        let rest = &series[steady.warm_up..];
        // Samples that fill no batch go at the beginning, where a rest of the warm-up would be.
        let rest = &rest[rest.len() % BATCHES..];
        let batches = means(rest, rest.len() / BATCHES);
        Ok(Self { warm_up: series.len() - rest.len(), estimate: Estimate::of(&batches) })
    }
}

/// Mean of a series over replications: runs that differ in their seed alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replications {
    /// Number of samples cut at the beginning of each.
    pub warm_up: usize,
    /// Mean over the replications, with its 95 % interval.
    pub estimate: Estimate,
}

impl Replications {
    /// Estimates the mean after a warm-up that all replications share. It is the warm-up of their mean, sample by
    /// sample (Welch 1983, "The statistical analysis of simulation results"; Hoad, Robinson and Davies 2010). A cut of
    /// its own for each replication would be biased, since it falls where that replication happens to be quiet.
    ///
    /// # Errors
    /// If the mean of the replications warms up for more than half of its length, or is too short.
    ///
    /// # Panics
    /// If there is no replication, or they differ in length.
    pub fn of(replications: &[Vec<f64>]) -> Result<Self, Unsteady> {
        let samples = replications.first().expect("a mean needs a replication").len();
        assert!(replications.iter().all(|one| one.len() == samples), "replications are of one length");
        let count = replications.len() as f64;
        let together =
            (0..samples).map(|place| replications.iter().map(|one| one[place]).sum::<f64>() / count);
        let cut = warm_up(&together.collect::<Vec<_>>())?;
        let left = (samples - cut) as f64;
        let of_each: Vec<_> = replications.iter().map(|one| one[cut..].iter().sum::<f64>() / left).collect();
        Ok(Self { warm_up: cut, estimate: Estimate::of(&of_each) })
    }
}
