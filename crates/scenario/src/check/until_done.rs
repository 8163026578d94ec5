//! Runs that end when their finite traffic is delivered: there is finite traffic, and the run can see its end.

use settings::FieldPath;
use units::Time;
use workload::Workload;
use workload::spec::{FlowSpec, LoadSpec, PatternSpec};

use crate::format::Scenario;
use crate::text::Faults;

/// Most flows and patterns that a message names.
const MOST_NAMED: usize = 4;

/// Checks the traffic of a run that is to end when its finite traffic is delivered.
pub(super) fn check(scenario: &Scenario, workload: &Workload, faults: &mut Faults<'_>) {
    if !scenario.until_done {
        return;
    }
    check_stops(scenario, faults);
    if workload.jobs.is_empty() && !workload.flows.iter().any(|flow| flow.finite) {
        let message =
            format!("no traffic ends by itself, so there is nothing to wait for: {}", endless(scenario));
        let help = "give the traffic that the run is to wait for a number of messages (`load: Messages(8)`, `messages: 8`), \
                    a `stop` or an `until`; or leave `until_done` out";
        faults.add(&"until_done".into(), message, help);
    }
}

/// Checks that no flow or pattern is declared to post until after the end of the run.
fn check_stops(scenario: &Scenario, faults: &mut Faults<'_>) {
    let end = scenario.duration.after_start();
    let flows = scenario.flows.iter().enumerate().map(|(i, flow)| {
        let path = FieldPath::from("flows").index(i);
        (path, "stop", format!("flow `{}`", flow.name), flow.stop.unwrap_or(Time::NEVER), false)
    });
    let patterns = scenario.traffic.iter().enumerate().map(|(i, pattern)| {
        let path = FieldPath::from("traffic").index(i);
        // The number of its messages may end it before.
        let counted = matches!(pattern, PatternSpec::Synthetic(spec) if spec.messages.is_some());
        (path, pattern.stop_field(), whose(i, pattern), pattern.stop(), counted)
    });
    for (path, field, whose, stop, counted) in flows.chain(patterns) {
        if stop != Time::NEVER && stop > end && !counted {
            let path = field.split('.').fold(path, |path, name| path.name(name));
            let message = format!(
                "{whose} posts until {stop}, and the run ends at {end} at the latest: it cannot be done by then"
            );
            let help = format!(
                "write at most \"{end}\", or let the run last for more than {stop}: `--at-most TIME`, or with \
                 `until_done: true` a longer `duration`"
            );
            faults.add(&path, message, help);
        }
    }
}

/// Names the traffic that does not end, and the fields that would end it.
fn endless(scenario: &Scenario) -> String {
    let flows = scenario.flows.iter().map(of_flow);
    let patterns = scenario.traffic.iter().enumerate().map(|(i, pattern)| of_pattern(i, pattern));
    let all: Vec<_> = flows.chain(patterns).collect();
    match all.len().checked_sub(MOST_NAMED) {
        _ if all.is_empty() => "the scenario has no traffic".to_owned(),
        None | Some(0) => all.join(", "),
        Some(more) => format!("{}, and {more} more", all[..MOST_NAMED].join(", ")),
    }
}

fn of_flow(flow: &FlowSpec) -> String {
    let name = &flow.name;
    match flow.load {
        LoadSpec::Saturate { .. } => format!("flow `{name}` saturates without a `stop`"),
        LoadSpec::Paced(_) => format!("flow `{name}` is paced without a `stop`"),
        LoadSpec::Messages(_) => format!("flow `{name}` posts no message"),
    }
}

fn of_pattern(i: usize, pattern: &PatternSpec) -> String {
    let whose = whose(i, pattern);
    match pattern {
        _ if pattern.is_finite() => format!("{whose} draws no message"),
        PatternSpec::Incast(_) => format!("{whose} repeats without an `until`"),
        PatternSpec::Synthetic(_) => format!("{whose} has neither `messages` nor a `stop`"),
        _ => format!("{whose} has no `stop`"),
    }
}

fn whose(i: usize, pattern: &PatternSpec) -> String {
    pattern.name().map_or_else(|| format!("`traffic[{i}]`"), |name| format!("pattern `{name}`"))
}
