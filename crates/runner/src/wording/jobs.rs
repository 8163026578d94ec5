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
        format!("{iterations}{}, {}", messages(job.messages), amount(job.payload)),
    ];
    parts.extend(job.steps.map(|steps| format!("longest chain {}", messages(steps))));
    parts.push(match job.ideal {
        Ok(ideal) => format!("{} with ideal messages", rounded(ideal)),
        Err(none) => format!("no ideal time, since {}", none.reason()),
    });
    parts.extend(job.lower_bound.map(|bound| format!("at least {} by any algorithm", rounded(bound))));
    let mut jobs = plan.workload().jobs.iter();
    if job.iterations > 1 && jobs.any(|own| own.name == job.name && own.collective.is_some()) {
        parts.push("no bound for any algorithm, since iterations may overlap".to_owned());
    }
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
        u64::try_from(payload).map_or_else(|_| format!("{payload} B"), |all| amount(Bytes::new(all)));
    let all = self::messages(messages);
    format!("the first {done} of {steps} steps, in all {all}, {payload}{}", bound.unwrap_or_default())
}

/// Says that a double tree waits for longer messages than NCCL's.
fn coarse(CoarseTree { message, chunks }: CoarseTree) -> String {
    let [message, slot] = [message, CoarseTree::SLOT].map(amount);
    format!("ranks pass on {message} at a time, and NCCL {slot} at most: `chunks: {chunks}` does so, too")
}

fn output(plan: &Plan, JobOutput { node, port, pairs, payload, time }: JobOutput) -> String {
    let graph = plan.graph();
    let (peer, _) = graph.far_end((node, port));
    let share = if pairs.fract() == 0.0 { format!("{pairs:.0}") } else { format!("{pairs:.1}") };
    let ending = if pairs == 1.0 { "" } else { "s" };
    format!(
        "busiest cable from {} to {}: {share} pair{ending} of ranks, {}, {} of payload",
        graph.name(node),
        graph.name(peer),
        amount(payload),
        rounded(time)
    )
}

/// Returns the largest loads of outputs by step: of all steps if there are few different ones, else the largest.
fn loads_of_steps(plan: &Plan, loads: &[StepLoad]) -> Option<String> {
    let steps = |load: &StepLoad| {
        let range = if load.first == load.last {
            format!("step {}", load.first)
        } else {
            format!("steps {} to {}", load.first, load.last)
        };
        let JobOutput { node, port, payload, time, .. } = load.output;
        let (peer, _) = plan.graph().far_end((node, port));
        let [node, peer] = [node, peer].map(|node| plan.graph().name(node));
        format!("{range}: {} from {node} to {peer}, {}", amount(payload), rounded(time))
    };
    if loads.len() <= MOST_STEPS {
        let all: Vec<String> = loads.iter().map(steps).collect();
        return (!all.is_empty()).then(|| format!("largest load in {}", all.join(", ")));
    }
    // The first of several.
    let largest = loads.iter().rev().max_by_key(|load| load.output.time)?;
    Some(format!("largest load of all steps in {}", steps(largest)))
}

fn messages(count: u64) -> String {
    format!("{} message{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Returns an amount, exactly, in the unit that needs the fewest digits; of two, in a binary one.
fn amount(bytes: Bytes) -> String {
    let (binary, bytes) = (bytes.to_string(), bytes.get());
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")];
    let Some((unit, name)) = units.iter().find(|(unit, _)| bytes >= *unit && bytes % (unit / 1000) == 0)
    else {
        return binary;
    };
    let decimals = format!("{:03}", bytes % unit / (unit / 1000));
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    let decimal = format!("{}{point}{decimals} {name}", grouped(bytes / unit));
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let is_short = binary.find(|digit: char| !digit.is_ascii_digit()).is_some_and(|whole| whole <= 4);
    if is_short && digits(&binary) <= digits(&decimal) { binary } else { decimal }
}

/// Returns a span in microseconds, with three decimals.
fn rounded(span: Span) -> String {
    let ns = (span.ps() + 500) / 1000;
    format!("{}.{:03} us", grouped(ns / 1000), ns % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Amounts are exact, whatever their unit.
    #[test]
    fn amounts_have_few_digits() {
        let cases = [
            (0, "0 B"),
            (1, "1 B"),
            (1023, "1023 B"),
            (5000, "5 KB"),
            (7_864_320, "7.5 MiB"),
            (1024, "1 KiB"),
            (1_234_567, "1,234.567 KB"),
            (64 << 20, "64 MiB"),
            (3_968_000_000, "3.968 GB"),
            (124_000_000, "124 MB"),
            (12_345_678_901, "12,345,678.901 KB"),
            (u64::MAX, "18,446,744,073,709,551.615 KB"),
        ];
        for (bytes, expected) in cases {
            let told = amount(Bytes::new(bytes));
            assert_eq!(told, expected);
            let (number, unit) = told.split_once(' ').unwrap();
            let number: f64 = number.replace(',', "").parse().unwrap();
            let unit = match unit {
                "B" => 1.0,
                "KB" => 1e3,
                "MB" => 1e6,
                "GB" => 1e9,
                "KiB" => 1024.0,
                "MiB" => f64::from(1 << 20),
                other => panic!("{other}"),
            };
            assert!((number * unit - bytes as f64).abs() <= bytes as f64 * 1e-15, "{told}");
        }
    }
}
