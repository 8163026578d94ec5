//! Jobs before their run, in words.
//!
//! Invariant: a line a job.

use results::format::grouped;
use scenario::{CoarseTree, JobOutlook, JobOutput, Plan, StepLoad, WholeOutlook};
use units::{Bytes, Span};

use super::counted;

/// Most groups of steps that a line tells.
const MOST_STEPS: usize = 4;

/// Describes each job in a line: its size, its steps, its time with ideal messages, the bound for any algorithm, and
/// the cable that it keeps busy for longest.
pub(super) fn jobs(plan: &Plan) -> String {
    plan.job_outlooks().iter().map(|job| line(plan, job)).collect()
}

fn line(plan: &Plan, job: &JobOutlook) -> String {
    let ranks = counted(job.ranks as u64, "rank");
    let iterations = if job.iterations > 1 {
        format!("{} iterations, in all ", grouped(u64::from(job.iterations)))
    } else {
        String::new()
    };
    let mut parts = vec![
        format!("{ranks} on {}", counted(job.hosts as u64, "host")),
        format!("{iterations}{} messages, {}", grouped(job.messages), job.payload),
    ];
    parts.extend(job.steps.map(|steps| format!("longest chain {} messages", grouped(steps))));
    parts.push(match job.ideal {
        Ok(ideal) => format!("{} with ideal messages", rounded(ideal)),
        Err(none) => format!("no ideal time, since {}", none.reason()),
    });
    parts.extend(job.lower_bound.map(|bound| format!("at least {} by any algorithm", rounded(bound))));
    parts.extend(job.whole.map(whole));
    parts.extend(job.coarse.map(coarse));
    parts.extend(job.busiest.map(|busiest| output(plan, busiest)));
    parts.extend(loads_of_steps(plan, &job.steps_of_load));
    format!("job `{}`: {}\n", job.name, parts.join("; "))
}

fn whole(WholeOutlook { done, steps, messages, payload, lower_bound }: WholeOutlook) -> String {
    let [done, steps] = [done, steps].map(|number| grouped(u64::from(number)));
    let bound = lower_bound.map(|bound| format!(", at least {} by any algorithm", rounded(bound)));
    let payload =
        u64::try_from(payload).map_or_else(|_| format!("{payload} B"), |all| Bytes::new(all).to_string());
    format!(
        "the first {done} of {steps} steps, in all {} messages, {payload}{}",
        grouped(messages),
        bound.unwrap_or_default()
    )
}

/// Says that a double tree waits for longer messages than NCCL's.
fn coarse(CoarseTree { message, chunks }: CoarseTree) -> String {
    let slot = CoarseTree::SLOT;
    format!("ranks pass on {message} at a time, and NCCL {slot} at most: `chunks: {chunks}` does so, too")
}

fn output(plan: &Plan, JobOutput { node, port, pairs, payload, time }: JobOutput) -> String {
    let graph = plan.graph();
    let (peer, _) = graph.far_end((node, port));
    let share = if pairs.fract() == 0.0 { format!("{pairs:.0}") } else { format!("{pairs:.1}") };
    let ending = if pairs == 1.0 { "" } else { "s" };
    format!(
        "busiest cable from {} to {}: {share} pair{ending} of ranks, {payload}, {} of payload",
        graph.name(node),
        graph.name(peer),
        rounded(time)
    )
}

/// Returns the largest loads of outputs by step: of all steps if there are few different ones, else the largest.
fn loads_of_steps(plan: &Plan, loads: &[StepLoad]) -> Option<String> {
    let steps = |load: &StepLoad| {
        let range = if load.first == load.last {
            format!("{}", load.first)
        } else {
            format!("{} to {}", load.first, load.last)
        };
        let JobOutput { node, port, payload, time, .. } = load.output;
        let (peer, _) = plan.graph().far_end((node, port));
        let [node, peer] = [node, peer].map(|node| plan.graph().name(node));
        format!("{range}: {payload} from {node} to {peer}, {}", rounded(time))
    };
    if loads.len() <= MOST_STEPS {
        let all: Vec<String> = loads.iter().map(steps).collect();
        return (!all.is_empty()).then(|| format!("largest load in steps {}", all.join(", ")));
    }
    // The first of several.
    let largest = loads.iter().rev().max_by_key(|load| load.output.time)?;
    Some(format!("largest load in a step, steps {}", steps(largest)))
}

/// Returns a span in microseconds, with three decimals.
fn rounded(span: Span) -> String {
    let ns = (span.ps() + 500) / 1000;
    format!("{}.{:03} us", grouped(ns / 1000), ns % 1000)
}
