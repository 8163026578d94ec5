//! A run in three sentences: the question, the result, the congestion; in a fourth, a fabric that stands still.
//!
//! Invariant: each number is from `summary.json`, or a count of rows.

use results::manifest::{Manifest, PlanIdentity, RunEnd};
use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::PortRow;

use super::facts::RunSummary;
use crate::words;

/// Longest overrides that a sentence names, in bytes.
const LONGEST_OVERRIDES: usize = 160;

/// Returns the sentences at the head of the page.
pub(super) fn leads(
    files: RunFiles<'_>,
    (summary, facts): (&RunSummary, &RunFacts),
    plan: &PlanIdentity,
    manifest: &Manifest,
) -> Result<Vec<String>, ReadError> {
    let question = question(files, facts, plan)?;
    // Before the numbers: they describe a fabric that does not do its work.
    let standstill = summary.stands_still_since_s.map(standstill);
    let rest = [result(summary, facts, manifest), congestion(summary)];
    Ok([question].into_iter().chain(standstill).chain(rest).collect())
}

/// Says since when the fabric stands still.
fn standstill(since_s: f64) -> String {
    format!(
        "The fabric stands still since {}, to the end of the run: nothing more was delivered while blocked outputs waited for each \
         other. It may be a deadlock.",
        words::time(since_s)
    )
}

fn question(files: RunFiles<'_>, facts: &RunFacts, plan: &PlanIdentity) -> Result<String, ReadError> {
    let flows = files.flows()?;
    let ports: Vec<PortRow<'_>> = files.rows()?;
    let nodes: std::collections::BTreeSet<&str> =
        ports.iter().flat_map(|port| [&*port.node, &*port.peer]).collect();
    let overrides = plan.overrides.join(", ");
    let with = match overrides.len() {
        0 => String::new(),
        1..=LONGEST_OVERRIDES => format!(", with {overrides}"),
        _ => format!(", with {}, which stand below", words::count(plan.overrides.len(), "override")),
    };
    Ok(format!(
        "Asked: the result of {} under {}, with {} for {} in a fabric of {} (seed {}{with}).",
        plan.scenario,
        facts.scheme(),
        words::count(flows.len(), "flow"),
        words::time(facts.end_s()),
        words::count(nodes.len(), "node"),
        plan.seed,
    ))
}

fn result(summary: &RunSummary, facts: &RunFacts, manifest: &Manifest) -> String {
    let goodput = summary.phases.last().map_or_else(
        || "There is no phase".to_owned(),
        |phase| {
            let jain = phase.second_half_jain.map_or_else(String::new, |jain| {
                format!(", with a Jain's index of {} among the named ones", words::short(jain))
            });
            let when = if facts.phases.len() > 1 {
                format!("the second half of the last phase ({})", phase.name)
            } else {
                "the second half of the run".to_owned()
            };
            format!(
                "In {when} all flows together got {}{jain}",
                words::rate(phase.second_half_total_goodput_bps)
            )
        },
    );
    let messages = summary.completions.as_ref().map_or_else(String::new, |messages| {
        format!(
            "; {} of {} posted messages were delivered",
            words::thousands(messages.delivered_messages),
            words::thousands(messages.posted_messages)
        )
    });
    let lost = match summary.dropped_packets {
        0 => "no packet was lost".to_owned(),
        lost => format!("{} lost", words::count(lost, "packet")),
    };
    let ended = match manifest.ended {
        RunEnd::Complete => String::new(),
        _ => format!(" ({})", end(manifest)),
    };
    format!("Came out: {}{messages}; {lost}{ended}.", lowered(&goodput))
}

fn congestion(summary: &RunSummary) -> String {
    let facts = &summary.congestion;
    let Some(worst) = facts.worst_roots.first() else {
        return format!(
            "Congestion: none of {} showed a congestion tree.",
            words::count(facts.samples, "sample")
        );
    };
    let cost = if worst.victims > 0 && worst.lost_bytes > 0.0 {
        format!("and cost {} about {}", words::count(worst.victims, "victim"), words::bytes(worst.lost_bytes))
    } else {
        "and cost no other flow anything".to_owned()
    };
    let all = if facts.roots > 1 {
        format!(
            "{} and {}, which lost {} in all; the worst",
            words::count(facts.roots, "root"),
            words::count(facts.victims, "victim"),
            words::bytes(facts.lost_bytes)
        )
    } else {
        "one root, which".to_owned()
    };
    format!(
        "Congestion: {all}, {} port {} to {}, stood from {} to {} ({}), had {}, {cost}.",
        worst.node,
        worst.port,
        worst.peer,
        words::time(worst.from_s),
        words::time(worst.to_s),
        worst.cause_in_words,
        words::count(worst.contributors, "contributor"),
    )
    .replace("one root, which, ", "one root, ")
}

/// Returns the end of a run in words.
pub(super) fn end(manifest: &Manifest) -> String {
    match &manifest.ended {
        RunEnd::Complete => "after its whole duration".to_owned(),
        RunEnd::Done { done_s } => {
            format!("when all finite traffic was delivered, at {}", words::time(*done_s))
        }
        RunEnd::NotDone { simulated_s } => {
            format!("not done at its longest time, {}", words::time(*simulated_s))
        }
        RunEnd::GaveUp { simulated_s } => {
            format!("at {}, when all that was left had failed", words::time(*simulated_s))
        }
        RunEnd::Interrupted { simulated_s } => format!("interrupted at {}", words::time(*simulated_s)),
        RunEnd::Deadlock { message } | RunEnd::Violation { message } => message.clone(),
        RunEnd::Writing => "while its files were being written".to_owned(),
    }
}

/// Returns a sentence without its first capital.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
