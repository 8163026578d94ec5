//! The limit of memory beyond which a run is refused.
//!
//! Invariant: only the memory that the operating system offers, or that the user names, refuses a run. On a system that
//! does not tell its memory, no run is refused.

use clap::Args;
use experiment::resources;
use results::format::counted;
use scenario::{MemoryEstimate, Plan};
use units::{Bytes, Span};

use crate::arguments;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct MemoryOptions {
    /// Memory that a run may be expected to need; a run that needs more is refused [default: the memory that is free].
    #[arg(long, value_name = "SIZE", value_parser = arguments::memory)]
    memory_limit: Option<Bytes>,
}

/// A run that is expected to need more memory than there is.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "`{name}` needs about {estimate}{together}: more than the limit, {} MB{}",
    .limit.get() / 1_000_000,
    if *.free { ", which is free" } else { "" }
)]
pub(crate) struct MemoryExceeded {
    name: String,
    estimate: Box<MemoryEstimate>,
    /// The memory of all runs in words, if there are several.
    together: String,
    limit: Bytes,
    /// True if the operating system states the limit.
    free: bool,
    /// Longest time of the run, if it may end before.
    at_most: Option<Span>,
}

impl MemoryExceeded {
    /// Returns the settings that make the largest part smaller.
    pub(crate) fn help(&self) -> String {
        let (_, _, remedy) = self.estimate.largest();
        let at_most = self.at_most.map_or_else(String::new, |longest| {
            format!("; memory is counted for {longest}, the longest time of the run (`--at-most`)")
        });
        format!("{remedy}{at_most}; `--memory-limit SIZE` replaces the limit")
    }
}

/// Runs at a time that are expected to need more memory together than there is.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{} at a time: about {} MB of memory, more than the limit, {} MB\nhelp: run fewer at a time (`--threads`), or shorter \
     ones with fewer messages; for `sweep`, `--budget-memory SIZE` makes rows of the runs that need more, and `--memory-limit SIZE` \
     replaces the limit",
    counted(*threads, "run"),
    .needed.div_ceil(1_000_000),
    .limit / 1_000_000
)]
pub(crate) struct RunsExceeded {
    threads: usize,
    needed: u64,
    limit: u64,
}

/// Refuses runs, with `threads` of them at a time, if the largest need more memory together than a limit. The default
/// limit is the operating system's. `each` has the bytes of each run.
pub(crate) fn check_at_a_time(
    each: impl Iterator<Item = u64>,
    threads: usize,
    limit: Option<Bytes>,
) -> Result<(), RunsExceeded> {
    let Some(limit) = limit.map(Bytes::get).or_else(resources::available_memory) else { return Ok(()) };
    let mut each: Vec<_> = each.collect();
    let threads = threads.min(each.len());
    let needed = largest(&mut each, threads);
    if needed > limit { Err(RunsExceeded { threads, needed, limit }) } else { Ok(()) }
}

/// Returns the sum of the largest numbers, `threads` of them.
pub(crate) fn largest(each: &mut [u64], threads: usize) -> u64 {
    each.sort_unstable_by(|a, b| b.cmp(a));
    each.iter().take(threads).fold(0, |sum, bytes| sum.saturating_add(*bytes))
}

impl MemoryOptions {
    /// Refuses plans that are expected to need more memory together than the limit. The error names the plan that
    /// needs most.
    pub(crate) fn check(self, plans: &[&Plan]) -> Result<(), MemoryExceeded> {
        self.check_estimates(plans.iter().map(|plan| (*plan, plan.memory())).collect())
    }

    /// Refuses a plan that `ranks` ranks run together, if rank 0 is expected to need more memory than the limit.
    pub(crate) fn check_first_rank(self, plan: &Plan, ranks: usize) -> Result<(), MemoryExceeded> {
        self.check_estimates(vec![(plan, plan.memory().of_first_rank(ranks))])
    }

    fn check_estimates(self, estimates: Vec<(&Plan, MemoryEstimate)>) -> Result<(), MemoryExceeded> {
        let free = || resources::available_memory().map(Bytes::new);
        let Some(limit) = self.memory_limit.or_else(free) else { return Ok(()) };
        let runs = estimates.len();
        let total: Bytes = estimates.iter().map(|(_, estimate)| estimate.total()).sum();
        let largest = estimates.into_iter().max_by_key(|(_, estimate)| estimate.total());
        let Some((plan, estimate)) = largest.filter(|_| total > limit) else { return Ok(()) };
        let megabytes = total.get().div_ceil(1_000_000);
        let together = match runs {
            1 => String::new(),
            runs => format!(", all {runs} runs {megabytes} MB"),
        };
        let (name, free) = (plan.name().to_owned(), self.memory_limit.is_none());
        let at_most = plan.until_done().then(|| plan.duration());
        Err(MemoryExceeded { name, estimate: Box::new(estimate), together, limit, free, at_most })
    }
}
