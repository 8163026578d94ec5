//! Times of messages against the empty fabric, by owner.
//!
//! Invariant: messages that wait for each other at their host are left out, since slow ones are few among them.

use measures::censoring::{CensoredSample, CensoredValue};
use measures::completion::Completion;
use scenario::Plan;
use workload::spec::ArrivalSpec;
use workload::{MessageSchedule, PatternSpec, Posting};

use super::facts::Facts;
use super::owners::Owners;
use super::words;
use crate::completions::CompletionSummary;
use crate::format::{counted, grouped};

/// Slowdown from which a message has lost time.
pub(super) const SLOW: f64 = 2.0;
/// Fewest messages of which a hundredth is at least one.
pub(super) const HUNDRED: usize = 100;

/// Slowdowns of the messages of an owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageLoss {
    pub(super) owner: usize,
    pub(super) posted: usize,
    pub(super) median: CensoredValue,
    /// Of the slowest hundredth, the fastest.
    pub(super) slow: CensoredValue,
    /// The slowest of all.
    pub(super) slowest: CensoredValue,
    /// Number of those that were delivered, and the slowest of them.
    pub(super) delivered: (usize, f64),
}

/// Messages of an owner that are slower than the told ones.
#[derive(Clone, Copy, Debug)]
struct Slower {
    owner: usize,
    count: usize,
    posted: usize,
    slowest: CensoredValue,
}

/// Returns the slowdowns of messages that do not wait for each other at their host, by owner, the slowest first.
pub(super) fn of(facts: Facts<'_>, owners: &Owners) -> Vec<MessageLoss> {
    let samples = samples(facts, owners, |flow| !replaces_others(facts, flow));
    let loss = |(owner, sample): (usize, CensoredSample)| {
        let sorted = sample.sorted();
        let at = |share| sorted.quantile(share);
        let (median, slow, slowest) = (at(0.5)?, at(0.99)?, at(1.0)?);
        let delivered = (sorted.known(), sorted.largest_known().unwrap_or(0.0));
        Some(MessageLoss { owner, posted: sorted.len(), median, slow, slowest, delivered })
    };
    let mut all: Vec<_> = samples.into_iter().enumerate().filter_map(loss).collect();
    all.sort_by(|a, b| b.slow.at_least().total_cmp(&a.slow.at_least()));
    all
}

/// Returns true if unfinished messages could change a quantile of messages of similar size.
pub(super) fn has_bounds(all: &CompletionSummary) -> bool {
    all.by_size.iter().any(|bin| bin.messages.has_bounds())
}

/// Returns true if an unfinished message could change a quantile of its flow, its pattern or its group.
pub(super) fn have_bounds(facts: Facts<'_>, owners: &Owners) -> bool {
    let Some(all) = &facts.record.completions else { return false };
    let mut unfinished = vec![false; owners.count()];
    all.messages
        .iter()
        .filter(|one| one.completed.is_none())
        .for_each(|one| unfinished[owners.of(one.flow as usize)] = true);
    if !unfinished.contains(&true) {
        return false;
    }
    samples(facts, owners, |flow| unfinished[owners.of(flow)]).into_iter().any(|sample| {
        let sorted = sample.sorted();
        let quantiles = [0.5, 0.95, 0.99].into_iter().filter_map(|share| sorted.quantile(share));
        quantiles.into_iter().any(|value| value.exact().is_none())
    })
}

fn samples(facts: Facts<'_>, owners: &Owners, of_flow: impl Fn(usize) -> bool) -> Vec<CensoredSample> {
    let mut samples = vec![CensoredSample::default(); owners.count()];
    let Some(all) = &facts.record.completions else { return samples };
    for one in all.messages.iter().filter(|one| of_flow(one.flow as usize)) {
        samples[owners.of(one.flow as usize)].add(Completion::of(one, all.end).slowdown());
    }
    samples
}

/// Says how long slow messages took, and which ones took longer still.
pub(super) fn sentence(facts: Facts<'_>, owners: &Owners, told: &MessageLoss) -> String {
    let MessageLoss { owner, posted, median, slow, .. } = *told;
    let of = match owners.at(owner).flows {
        Some(_) | None if posted == 1 => format!("The message of {}", owners.at(owner).name()),
        _ if posted < HUNDRED => {
            format!("The slowest of the {posted} messages of {}", owners.at(owner).name())
        }
        _ => format!("One in 100 messages of {}", owners.at(owner).name()),
    };
    let median = if posted > 1 { format!("; the median is {}", words::times(median)) } else { String::new() };
    let or_more = if posted >= HUNDRED && slow.exact().is_some() { " or more" } else { "" };
    let others = slower(facts, owners, told).map_or_else(String::new, |other| {
        let worst = if other.count == 1 { "it took" } else { "the slowest took" };
        format!(
            " {} of {} of {} took longer than that: {worst} {}.",
            grouped(other.count as u64),
            counted(other.posted, "message"),
            owners.at(other.owner).name(),
            words::times(other.slowest)
        )
    });
    format!("{of} took {}{or_more} as long as on the empty fabric{median}.{others}", words::times(slow))
}

/// Returns the messages of the other owner with the slowest of all that are slower than those that are told.
fn slower(facts: Facts<'_>, owners: &Owners, told: &MessageLoss) -> Option<Slower> {
    let all = facts.record.completions.as_ref()?;
    // What is told may be a bound: only messages that are slower for certain count.
    let least = told.slow.at_most()?;
    let mut others: Vec<Option<Slower>> = vec![None; owners.count()];
    let mut posted = vec![0; owners.count()];
    for one in &all.messages {
        let owner = owners.of(one.flow as usize);
        posted[owner] += 1;
        let slowdown = Completion::of(one, all.end).slowdown();
        if owner == told.owner || slowdown.at_least() <= least || replaces_others(facts, one.flow as usize) {
            continue;
        }
        let none = Slower { owner, count: 0, posted: 0, slowest: slowdown };
        let own = others[owner].get_or_insert(none);
        own.count += 1;
        if slowdown.at_least() > own.slowest.at_least() {
            own.slowest = slowdown;
        }
    }
    let worst = others.into_iter().flatten();
    let worst = worst.max_by(|a, b| a.slowest.at_least().total_cmp(&b.slowest.at_least()))?;
    Some(Slower { posted: posted[worst.owner], ..worst })
}

/// Returns true if the flow posts a message when another one completes, so that its messages wait for each other.
pub(super) fn replaces_others(facts: Facts<'_>, flow: usize) -> bool {
    let Some(plan) = facts.plan else { return false };
    match &plan.workload().flows[flow].posting {
        Posting::Scheduled(schedule) => matches!(schedule, MessageSchedule::Saturate { .. }),
        Posting::Drawn { .. } => closed_loop(plan, flow),
        Posting::Job { .. } => true,
    }
}

/// Returns true if the flow belongs to a closed loop of its host.
pub(super) fn closed_loop(plan: &Plan, flow: usize) -> bool {
    let pattern = plan.workload().flows[flow].pattern;
    let pattern = pattern.and_then(|pattern| plan.scenario().traffic.get(pattern as usize));
    matches!(pattern, Some(PatternSpec::Synthetic(spec)) if matches!(spec.arrivals, ArrivalSpec::Closed { .. }))
}
