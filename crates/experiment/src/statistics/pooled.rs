//! Quantiles over the messages of all seeds of a setting together.
//!
//! Invariant: the interval comes from drawing runs again, never single messages. A quantile that unfinished messages
//! could change has no interval.

use std::fmt::{self, Display, Formatter};

use measures::censoring::CensoredValue;
use results::format::counted;
use serde::{Deserialize, Serialize};
use telemetry::RunRecord;

use super::bootstrap;
use super::histogram::CompletionHistogram;
use measures::{ALL, Measure, Quantity, Unit};

/// Largest number of named flows with histograms of their own.
const MOST_FLOWS: usize = 16;
/// Level of the interval.
const LEVEL: f64 = 0.95;

/// Completion times of a group's messages in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupCompletions {
    /// Name of the group or flow.
    pub group: String,
    /// The times.
    pub times: CompletionHistogram,
}

/// A quantile over the messages of several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// The measure, as users write it.
    pub measure: String,
    /// Its value over all messages, in seconds.
    pub value: CensoredValue,
    /// The 95 % bootstrap interval, in seconds; `None` for a single run, or if unfinished messages could change it.
    pub interval: Option<(f64, f64)>,
    /// Number of messages.
    pub messages: u64,
    /// Number of runs.
    pub runs: usize,
}

/// Returns the completion times of all flows, of each group of the scenario, and of its first 16 named flows. Empty if
/// the run did not keep them, or messages cannot be told apart after a loss.
#[must_use]
pub fn completions_of(record: &RunRecord) -> Vec<GroupCompletions> {
    let Some(all) = record.completions.as_ref().filter(|all| all.excluded_flows == 0) else {
        return Vec::new();
    };
    let flows = record.named().min(MOST_FLOWS);
    let of_groups = record.groups.iter().map(|group| group.name.clone());
    let of_flows = record.flows[..flows].iter().map(|flow| flow.name.to_string());
    let names = [ALL.to_owned()].into_iter().chain(of_groups).chain(of_flows);
    let empty = |group| GroupCompletions { group, times: CompletionHistogram::default() };
    let mut groups: Vec<_> = names.map(empty).collect();
    for one in &all.messages {
        let seconds = |span: units::Span| span.ps() as f64 / 1e12;
        let time = match one.time() {
            Some(time) => CensoredValue::Exact(seconds(time)),
            None => CensoredValue::AtLeast { at_least: seconds(one.age(all.end)) },
        };
        let flow = one.flow as usize;
        let group = record.flows[flow].group.map(|group| 1 + group as usize);
        let alone = (flow < flows).then_some(1 + record.groups.len() + flow);
        for place in [Some(0), group, alone].into_iter().flatten() {
            groups[place].times.add(time);
        }
    }
    groups.retain(|group| !group.times.is_empty());
    groups
}

impl Pooled {
    /// Returns a quantile over the messages of all these runs. `None` if the measure is not a quantile of completion
    /// times, or a run has no such messages.
    #[must_use]
    pub fn of(measure: &Measure, runs: &[&[GroupCompletions]]) -> Option<Self> {
        let share = match measure.quantity {
            Quantity::P50 => 0.5,
            Quantity::P95 => 0.95,
            Quantity::P99 => 0.99,
            Quantity::P999 => 0.999,
            _ => return None,
        };
        let of_run = |groups: &&[GroupCompletions]| groups.iter().position(|one| one.group == measure.group);
        let places = runs.iter().map(of_run).collect::<Option<Vec<_>>>()?;
        let times: Vec<_> = runs.iter().zip(places).map(|(groups, place)| &groups[place].times).collect();
        let together = |places: &mut dyn Iterator<Item = usize>| {
            let mut sum = CompletionHistogram::default();
            places.for_each(|place| sum.merge(times[place]));
            sum
        };
        let all = together(&mut (0..times.len()));
        let name = measure.to_string();
        let interval = bootstrap::interval(&name, times.len(), LEVEL, |drawn| {
            together(&mut drawn.iter().copied()).quantile(share)?.exact()
        });
        let value = all.quantile(share)?;
        Some(Self { measure: name, value, interval, messages: all.len(), runs: times.len() })
    }
}

impl Display for Pooled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { measure, value, interval, messages, runs } = self;
        let spelled = |seconds| Unit::Seconds.spelled(seconds);
        let bound = if value.exact().is_none() { "≥ " } else { "" };
        write!(
            f,
            "Over all {} of {} together, {measure} is {bound}{}",
            counted(*messages, "message"),
            counted(*runs, "run"),
            spelled(value.at_least())
        )?;
        match interval {
            Some((low, high)) => {
                write!(f, " (95 % bootstrap interval {} to {}).", spelled(*low), spelled(*high))
            }
            None => f.write_str("."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(group: &str, times_ms: &[f64], unfinished_ms: &[f64]) -> Vec<GroupCompletions> {
        let mut times = CompletionHistogram::default();
        times_ms.iter().for_each(|ms| times.add(CensoredValue::Exact(ms * 1e-3)));
        unfinished_ms.iter().for_each(|ms| times.add(CensoredValue::AtLeast { at_least: ms * 1e-3 }));
        vec![GroupCompletions { group: group.to_owned(), times }]
    }

    fn pooled(measure: &str, runs: &[Vec<GroupCompletions>]) -> Option<Pooled> {
        Pooled::of(&measure.parse().unwrap(), &runs.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// Nine messages of 1 ms and a message of 10 ms: the quantile of all is no run's own quantile.
    #[test]
    fn a_quantile_is_that_of_all_messages_together() {
        let runs = [run("job", &[1.0; 9], &[]), run("job", &[10.0], &[])];
        let near = |measure: &str, ms: f64| {
            let value = pooled(measure, &runs).unwrap().value.exact().unwrap();
            assert!(value >= ms * 1e-3 && value <= 1.01e-3 * ms, "{measure}: {value}");
        };
        near("p50(job)", 1.0);
        near("p99(job)", 10.0);
        // Two draws of the same run may or may not have the other's extreme.
        let interval = pooled("p99(job)", &runs).unwrap().interval.unwrap();
        assert!(interval.0 < 1.02e-3 && interval.1 > 9.9e-3, "{interval:?}");
        let said = pooled("p50(job)", &runs[..1]).unwrap().to_string();
        assert_eq!(said, "Over all 9 messages of 1 run together, p50(job) is 1.00 ms.");
    }

    #[test]
    fn messages_that_are_not_delivered_leave_a_bound_without_an_interval() {
        let runs = [run("job", &[1.0; 9], &[]), run("job", &[1.0], &[30.0])];
        let p99 = pooled("p99(job)", &runs).unwrap();
        assert_eq!((p99.value.exact(), p99.interval), (None, None));
        assert!(p99.value.at_least() > 0.029 && p99.value.at_least() <= 0.030);
        assert!(pooled("p50(job)", &runs).unwrap().value.exact().is_some());
        assert_eq!(pooled("p50(other)", &runs), None);
        assert_eq!(pooled("last(job)", &runs), None);
    }
}
