//! Confidence in the numbers of a run: seeds, unfinished messages, steady states, self-checks.
//!
//! Invariant: each doubt comes with the option that ends it, if there is one.

use measures::spelling::instant;
use telemetry::RunEnding;

use super::facts::Facts;
use super::loss::Lost;
use crate::format::{counted, grouped};

/// Most phases that are named.
const MOST_NAMED: usize = 2;

/// Returns the confidence in words.
pub(super) fn sentence(facts: Facts<'_>, lost: &Lost) -> String {
    let parts = [
        seeds(facts),
        end(facts),
        messages(facts, lost),
        excluded(facts),
        steady(facts),
        Some(checks(facts)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn seeds(facts: Facts<'_>) -> Option<String> {
    let plan = facts.plan?;
    Some(if plan.draws_at_random() {
        "One seed of a scenario with random draws: other seeds give other numbers.".to_owned()
    } else {
        "The scenario draws nothing at random, so that every seed gives these numbers.".to_owned()
    })
}

fn end(facts: Facts<'_>) -> Option<String> {
    let at = instant(facts.record.simulated.seconds());
    match facts.record.ended {
        RunEnding::AtDuration | RunEnding::Done => None,
        RunEnding::NotDone => {
            Some(format!("The finite traffic was not delivered by {at}, the longest time of the run."))
        }
        RunEnding::GaveUp => Some(format!("The run ended at {at}, when all that was left had failed.")),
        RunEnding::Stuck => Some(format!("The run ended at {at}, when no rank of a job could go on.")),
        RunEnding::Interrupted => Some(format!("The run was interrupted at {at}.")),
    }
}

fn messages(facts: Facts<'_>, lost: &Lost) -> Option<String> {
    let Some(all) = facts.completions else {
        return Some("Completion times were not kept.".to_owned());
    };
    let left = all.posted_messages.saturating_sub(all.delivered_messages);
    if all.posted_messages == 0 {
        return None;
    }
    if left == 0 {
        return Some(format!(
            "{} delivered.",
            match all.posted_messages {
                1 => "The message was".to_owned(),
                posted => format!("All {} posted messages were", grouped(posted as u64)),
            }
        ));
    }
    let bounds = lost.has_bounds;
    let effect = if bounds {
        ": quantiles that they could change are bounds"
    } else {
        ", too few to change a quantile of messages of their name or size"
    };
    // Messages that a stuck job has not posted follow no drain.
    let is_over = facts.record.stands_still.is_some() || facts.record.ended == RunEnding::Stuck;
    let remedy = match (bounds, is_over, facts.record.audit.drained) {
        (true, false, false) => "; `--drain` waits for them",
        _ => "",
    };
    let verb = if left == 1 { "was" } else { "were" };
    Some(format!(
        "{} of {} posted messages {verb} not delivered{effect}{remedy}.",
        grouped(left as u64),
        grouped(all.posted_messages as u64)
    ))
}

/// Says which messages have no times because packets were lost.
fn excluded(facts: Facts<'_>) -> Option<String> {
    let all = facts.completions.filter(|all| all.excluded_flows > 0)?;
    Some(format!(
        "{} of {} are not counted: packets were lost, and their service does not send them again.",
        counted(all.excluded_messages, "message"),
        counted(all.excluded_flows, "flow")
    ))
}

fn steady(facts: Facts<'_>) -> Option<String> {
    let unsteady = facts.goodput.iter().filter(|one| one.steady(facts.record).reason.is_some());
    let names: Vec<_> = unsteady.map(|one| format!("\"{}\"", one.phase.name)).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "further phase")),
    };
    let shown = &names[..names.len().min(MOST_NAMED)];
    (!names.is_empty()).then(|| {
        if facts.record.phases.len() == 1 {
            "The total goodput is not steady over the run: a longer one may give another mean.".to_owned()
        } else {
            format!("The total goodput is not steady in {}{more}.", shown.join(", "))
        }
    })
}

fn checks(facts: Facts<'_>) -> String {
    format!("Every one of {} is accounted for.", counted(facts.record.audit.injected, "packet"))
}
