//! Processes that MPI has started together: `mpirun -n 4 backwater sim ...`.
//!
//! Invariant: rank 0 alone prints and writes, and answers for all. The others run parts of what it runs, and end with
//! it.

use std::env;

use clap::Parser;
use fabric::{RunOptions, follow};
use parallel::Ranks;

use crate::cli::{Cli, Verb};
use crate::failure::Failure;
use crate::interrupt;
#[cfg(feature = "mpi")]
use crate::message_passing::World;
use crate::verbs::sim;

/// Variables by which starters of MPI programs tell a process that it belongs to a group: Open MPI; `PMIx`, by which
/// `srun` and Open MPI start processes; PMI of MPICH and its relatives.
#[cfg(feature = "mpi")]
const STARTED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"];

/// Variables by which they tell the number of processes; `PMIx` has none, so Slurm's own stands for `srun --mpi=pmix`.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// The processes that were started together with this process.
pub(crate) struct Processes {
    #[cfg(feature = "mpi")]
    world: Option<World>,
}

impl Processes {
    /// Joins the other processes, if there are any. Without MPI in this build, there are none.
    pub(crate) fn joined() -> Self {
        Self {
            #[cfg(feature = "mpi")]
            world: STARTED.iter().any(|name| env::var_os(name).is_some()).then(World::joined),
        }
    }

    /// Returns the ranks; `None` if this process is alone.
    #[cfg(feature = "mpi")]
    pub(crate) fn ranks(&self) -> Option<&dyn Ranks> {
        let ranks: &dyn Ranks = self.world.as_ref()?.ranks();
        Some(ranks).filter(|ranks| ranks.count() > 1)
    }

    /// Returns the ranks: none, in a build without MPI.
    #[cfg(not(feature = "mpi"))]
    #[expect(clippy::unused_self, reason = "a build with MPI has a world")]
    pub(crate) fn ranks(&self) -> Option<&dyn Ranks> {
        None
    }
}

/// Checks that a verb may run in this process, which belongs to `ranks`, if any.
///
/// # Errors
/// If the verb runs in a single process, or if several were started and do not know each other.
pub(crate) fn checked(verb: &Verb, ranks: Option<&dyn Ranks>) -> Result<(), Failure> {
    let Some(name) = simulating(verb) else { return Ok(()) };
    match ranks {
        Some(_) if matches!(verb, Verb::Sim(_)) => Ok(()),
        Some(ranks) => Err(Failure::OneProcess { verb: name, count: ranks.count() }),
        None if cfg!(feature = "mpi") => Ok(()),
        None => started(|name| env::var(name).ok()).map_or(Ok(()), |count| Err(Failure::NoMpi(count))),
    }
}

/// Returns the number of processes that MPI has started, if these are several.
fn started(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let counts = SIZES.iter().filter_map(|name| variable(name)?.parse().ok());
    counts.max().filter(|count| *count > 1)
}

/// Returns the name of a verb that runs simulations.
fn simulating(verb: &Verb) -> Option<&'static str> {
    Some(match verb {
        Verb::Sim(_) => "sim",
        Verb::Capture(_) => "capture",
        Verb::Trace(_) => "trace",
        Verb::Compare(_) => "compare",
        Verb::Eval(_) => "eval",
        Verb::Sweep(_) => "sweep",
        Verb::Place(_) => "place",
        Verb::Rerun(_) => "rerun",
        Verb::Tune(_) => "tune",
        Verb::Repro(_) => "repro",
        Verb::Bench(_) => "bench",
        _ => return None,
    })
}

/// Runs parts of what rank 0 runs, until it has ended. Says nothing: rank 0 reads the same command line and the same
/// scenario.
pub(crate) fn follow_first(ranks: &dyn Ranks) {
    let verb = Cli::try_parse().map(|cli| cli.verb);
    let plan = match &verb {
        Ok(Verb::Sim(options)) => sim::plan(options).ok(),
        _ => None,
    };
    let interrupt = Some(interrupt::watched_silently());
    follow(plan.as_ref(), RunOptions { ranks: Some(ranks), interrupt, ..RunOptions::default() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_counted_by_what_their_starter_tells() {
        let told = |known: &'static [(&str, &str)]| {
            started(|name| {
                known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("OMPI_COMM_WORLD_SIZE", "1")]), None);
        assert_eq!(told(&[("OMPI_COMM_WORLD_SIZE", "4")]), Some(4));
        assert_eq!(told(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]), Some(2));
        assert_eq!(told(&[("PMI_SIZE", "many")]), None);
    }
}
