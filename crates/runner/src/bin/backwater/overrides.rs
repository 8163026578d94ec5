//! `--set` and `--seed`: changes of the scenario that a verb reads.
//!
//! Invariant: each verb that takes them means the same by them. Verbs of several runs have options of the same names,
//! which mean all runs.

use clap::Args;

#[derive(Args, Clone, Debug)]
pub(crate) struct SetOptions {
    /// Override of a field: `--set congestion_control=Off`, `--set 'duration=1 s'`.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ChangeOptions {
    #[command(flatten)]
    overrides: SetOptions,
    /// Seed of the random streams, instead of the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
}

impl ChangeOptions {
    /// Returns the overrides, in the order in which they apply.
    pub(crate) fn set(&self) -> &[String] {
        &self.overrides.set
    }
}
