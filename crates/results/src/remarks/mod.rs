//! Remarks: facts of a run that its tables hide, or that make a number mean less than it seems to.
//!
//! Invariant: a remark holds for the run as recorded, names its subject, and has a remedy where there is one. All
//! remarks stand in `summary.json`, so that terminal, pages and playground show the same.
//!
//! | remark | said if |
//! |---|---|
//! | short window | credits of a shared memory run ahead by less than a cable needs |
//! | without effect | a setting of paths cannot have an effect |
//! | slow host | packets waited 1 % of the run for a host that takes payload at a limited rate |
//! | closed loop | its slowest hundredth of messages takes 10 % of all time, or its hosts stand still |
//! | lockstep | all hosts of a closed loop send in stages |
//! | traffic ended | all traffic was delivered in the first nine tenths of the run |
//! | idle | a phase in which nothing was delivered, or a pattern that posted nothing |
//! | out of order | packets arrived while a packet before them was missing |
//! | detours | packets could take routes that are not minimal |
//! | late notifications | half of the notifications were for flows with nothing left to send |

mod closed_loops;
mod idle_settings;
mod paths;
mod short_window;
mod slow_hosts;

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{RunEnding, RunRecord};

use crate::format::grouped;
use crate::goodput::{self, PhaseGoodput};
use measures::PhasePart;
use measures::spelling::instant;

pub use closed_loops::{ClosedLoopSummary, LockstepSummary, in_lockstep};
pub use idle_settings::idle_setting;
pub use short_window::short_window;
pub use slow_hosts::SlowHostSummary;

/// Share of the run within which all traffic is done if it is said to have ended early.
const EARLY: f64 = 0.9;
/// Most phases and patterns that a remark names.
const MOST_NAMED: usize = 5;

/// A fact that tables hide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// Subject of the remark.
    pub about: RemarkKind,
    /// The remark, in one or more sentences.
    pub text: String,
}

/// Subject of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// The credits of a shared memory run ahead by less than a cable needs.
    ShortWindow,
    /// A setting of paths cannot have an effect.
    WithoutEffect,
    /// A host holds up its link.
    SlowHost,
    /// Quantiles hide the slow messages of a closed loop.
    ClosedLoop,
    /// The hosts of a closed loop proceed in stages.
    Lockstep,
    /// All traffic ended before the run.
    TrafficEnded,
    /// Nothing was delivered in a phase, or posted by a pattern.
    Idle,
    /// Packets arrived out of order.
    OutOfOrder,
    /// Packets took detours.
    Detours,
    /// Notifications reached flows with nothing left to send.
    LateNotifications,
}

/// Returns the closed loops of a run that posted messages, in the order of the scenario.
#[must_use]
pub fn closed_loops(record: &RunRecord) -> Vec<ClosedLoopSummary> {
    closed_loops::of(record)
}

/// Returns the hosts with a limited rate that packets waited for, the longest wait first.
#[must_use]
pub fn slow_hosts(record: &RunRecord) -> Vec<SlowHostSummary> {
    slow_hosts::of(record)
}

/// Facts about a run that remarks are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemarkFacts<'a> {
    pub(crate) record: &'a RunRecord,
    pub(crate) goodput: &'a [PhaseGoodput<'a>],
    pub(crate) closed_loops: &'a [ClosedLoopSummary],
    pub(crate) slow_hosts: &'a [SlowHostSummary],
}

/// Returns all remarks about a run, in the order of the table above.
pub(crate) fn of(facts: RemarkFacts<'_>) -> Vec<Remark> {
    let RemarkFacts { record, .. } = facts;
    let hosts = slow_hosts::remarks(facts.slow_hosts, record.simulated.seconds());
    let hidden = facts.closed_loops.iter().filter_map(ClosedLoopSummary::hidden);
    let lockstep = record.patterns.iter().filter_map(closed_loops::lockstep);
    let others = [ended(record), idle(facts)].into_iter().flatten();
    let others = others.chain(paths::remarks(record)).chain(late_notifications(record));
    let window = record.short_window.as_ref().map(short_window::remark).into_iter();
    let idle = record.idle_settings.iter().map(idle_settings::remark);
    window.chain(idle).chain(hosts).chain(hidden).chain(lockstep).chain(others).collect()
}

/// Says that all traffic was delivered long before the end.
fn ended(record: &RunRecord) -> Option<Remark> {
    let text = format!(
        "All traffic was delivered at {} of {}: rates over the run and over later phases count the idle time too. \
         `--until-done` ends the run there.",
        instant(early_end(record)?),
        instant(record.simulated.seconds())
    );
    Some(Remark { about: RemarkKind::TrafficEnded, text })
}

/// Returns the time of the last delivery in s, if all traffic was finite and done long before the end.
fn early_end(record: &RunRecord) -> Option<f64> {
    let is_whole = record.ended == RunEnding::AtDuration && !record.audit.drained;
    let done = record.finite.and_then(|finite| finite.done).filter(|_| is_whole)?.seconds();
    let last = record.flows.iter().filter_map(|flow| flow.last_delivery.get()).max()?;
    (last.seconds() <= done && done < EARLY * record.simulated.seconds()).then_some(done)
}

/// Names phases without deliveries before the end of traffic, and patterns without messages.
fn idle(RemarkFacts { record, goodput, .. }: RemarkFacts<'_>) -> Option<Remark> {
    let stands_still = record.stands_still.map(units::Time::seconds);
    let end = early_end(record).or(stands_still).unwrap_or(f64::INFINITY);
    let is_idle = |one: &&PhaseGoodput<'_>| {
        goodput::total(&one.flows, PhasePart::Whole) == 0.0 && one.phase.from.seconds() < end
    };
    let phases = goodput.iter().filter(is_idle).map(|one| one.phase);
    let phases: Vec<_> = phases.map(|phase| phase.name.as_str()).collect();
    let patterns = (0_u32..).zip(&record.patterns).filter(|(number, _)| posts_nothing(record, *number));
    let patterns: Vec<_> = patterns.map(|(_, pattern)| pattern.label.as_str()).collect();
    let mut sentences = Vec::new();
    if !phases.is_empty() {
        sentences.push(format!("Nothing was delivered in {}.", listed(("phase", "phases"), &phases)));
    }
    if !patterns.is_empty() {
        sentences.push(format!(
            "Nothing was posted by {}: `backwater check` shows when they begin, and to whom they send.",
            listed(("pattern", "patterns"), &patterns)
        ));
    }
    let text = sentences.join(" ");
    (!text.is_empty()).then_some(Remark { about: RemarkKind::Idle, text })
}

fn posts_nothing(record: &RunRecord, pattern: u32) -> bool {
    let is_member = |flow: usize| record.flows[flow].pattern.get() == Some(pattern);
    let delivered = record.flows.iter().enumerate().any(|(place, flow)| is_member(place) && flow.packets > 0);
    // Without completion times, a pattern that posted and delivered nothing cannot be told from one that posted
    // nothing.
    let Some(all) = &record.completions else { return false };
    !delivered && all.excluded_flows == 0 && !all.messages.iter().any(|one| is_member(one.flow as usize))
}

/// Returns the noun with at most [`MOST_NAMED`] names: `phase a`, or `phases a, b and 2 more`.
fn listed((one, several): (&str, &str), names: &[&str]) -> String {
    let named: Vec<_> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} {}{more}", if names.len() == 1 { one } else { several }, named.join(", "))
}

/// Says that most notifications had no effect.
fn late_notifications(record: &RunRecord) -> Option<Remark> {
    let (late, all) = (record.transport.late_becns, record.transport.becns);
    (late > 0 && 2 * late >= all).then(|| Remark {
        about: RemarkKind::LateNotifications,
        text: format!(
            "{} of {} notifications reached flows with nothing left to send, which congestion control cannot slow down: longer \
             messages, or more of them, show what its settings do.",
            grouped(late),
            grouped(all)
        ),
    })
}

/// Returns remarks as lines of text.
#[must_use]
pub fn printed(remarks: &[Remark]) -> String {
    remarks.iter().map(|remark| format!("Note: {}\n", remark.text)).collect()
}

#[cfg(test)]
mod tests;
