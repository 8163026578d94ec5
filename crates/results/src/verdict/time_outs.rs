//! Time-outs of requesters: repeats that nothing else explains, and time that they took.
//!
//! Invariant: a repeat counts as a time-out's only if no requester had other evidence of a loss: no negative
//! acknowledgement was sent, and no response of a READ came ahead of another.

use ca_transport::{AdapterSpec, RecoverySpec};
use packet::{NodeId, Operation};
use scenario::Plan;
use units::Span;

use super::command::{Advice, Command};
use super::facts::Facts;
use super::{paths, words};
use crate::format::{counted, grouped};

/// Share of the run from which a time-out is told.
const LONG: f64 = 0.1;
/// Multiple of the longest latency of a packet that the advised time-outs have: its acknowledgement returns, too.
const SPARE: u64 = 2;
/// Packets under way that are few, if a scenario does not say otherwise.
const FEW: u32 = 3;
/// Largest `ack_timeout`.
const MOST_CODE: u8 = 31;

/// Time-outs of the adapters of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeOuts {
    shortest: Span,
    longest: Span,
    /// The setting that gives them.
    setting: &'static str,
}

impl TimeOuts {
    /// Returns the time-outs; `None` if no adapter has any.
    fn of(plan: &Plan) -> Option<Self> {
        let hosts = (0..plan.graph().hosts() as u32).map(NodeId);
        let mut setting = "`ack_timeout`";
        let mut all = Vec::new();
        for host in hosts {
            let adapter = plan.nodes().adapter(host);
            let rule = adapter.repeat_rule();
            if rule.any_order.is_none() {
                all.extend(adapter.timeout());
                continue;
            }
            if rule.low != adapter.timeout() || rule.high != adapter.timeout() {
                setting = "`low` and `high` of `SelectiveRepeat`";
            }
            all.extend(rule.low.into_iter().chain(rule.high));
        }
        Some(Self { shortest: *all.iter().min()?, longest: *all.iter().max()?, setting })
    }

    fn in_words(self) -> String {
        let [shortest, longest] = [self.shortest, self.longest].map(|one| words::time(one.seconds()));
        if shortest == longest {
            format!("{shortest} ({})", self.setting)
        } else {
            format!("{shortest} to {longest} ({})", self.setting)
        }
    }
}

/// Returns true if only time-outs can have repeated packets.
pub(super) fn alone_repeat(facts: Facts<'_>) -> bool {
    let tally = &facts.record.transport;
    let reads = || facts.record.flows.iter().any(|flow| flow.operation == Operation::RdmaRead);
    tally.timeouts > 0 && tally.naks == 0 && !reads()
}

/// Returns the words on time-outs that repeated packets which were only late: `3 time-outs of 50 us (...) were too
/// short`.
pub(super) fn too_short(facts: Facts<'_>) -> Option<String> {
    let all = TimeOuts::of(facts.plan?)?;
    Some(format!("{} of {}", counted(facts.record.transport.timeouts, "time-out"), all.in_words()))
}

/// Returns the sentence on time-outs that took a part of the run, unless queue pairs failed, which says more.
pub(super) fn sentence(facts: Facts<'_>) -> Option<String> {
    let count = facts.record.transport.timeouts;
    if count == 0 || !facts.record.failed.is_empty() {
        return None;
    }
    let (all, simulated) = (TimeOuts::of(facts.plan?)?, facts.record.simulated.seconds());
    (all.longest.seconds() >= LONG * simulated).then(|| {
        format!(
            "{} passed, of {}, in a run of {}: meanwhile a queue pair without an acknowledgement sends nothing new.",
            if count == 1 { "1 time-out".to_owned() } else { format!("{} time-outs", grouped(count)) },
            all.in_words(),
            words::time(simulated)
        )
    })
}

/// Returns the question about longer time-outs, if the longest latency of a packet and its way back exceed them.
pub(super) fn longer(facts: Facts<'_>) -> Option<Advice> {
    let plan = facts.plan?;
    let latency = facts.record.flows.iter().map(|flow| flow.latency_max).max()?;
    let needed = Span::from_us((SPARE * latency.ps()).div_ceil(1_000_000));
    if TimeOuts::of(plan)?.shortest >= needed {
        return None;
    }
    let adapter = &plan.scenario().adapter;
    let (field, value) = match adapter.recovery {
        RecoverySpec::SelectiveRepeat(_) => ("adapter.recovery", selective(adapter, needed)?),
        RecoverySpec::GoBackN => {
            let code = (1..=MOST_CODE).find(|code| Span::from_ps(4_096_000 << code) >= needed)?;
            ("adapter.ack_timeout", code.to_string())
        }
    };
    let reason = format!(
        "Time-outs of twice the longest latency of a packet, {}, or more",
        words::time(latency.seconds())
    );
    paths::makes_a_plan(plan, core::iter::once(format!("{field}={value}")))
        .then(|| Advice::new(reason, Command::Comparison(field, value)))
}

/// Returns selective repeats with time-outs of at least `needed`, as a scenario writes them.
fn selective(adapter: &AdapterSpec, needed: Span) -> Option<String> {
    let RecoverySpec::SelectiveRepeat(spec) = adapter.recovery else { return None };
    let rule = adapter.repeat_rule();
    let times = [("low", rule.low?), ("high", rule.high?)];
    let times = times.map(|(name, own)| format!("{name}: \"{}\"", own.max(needed)));
    let cap = spec.cap.map(|cap| format!("cap: {cap}"));
    let few = (spec.few != FEW).then(|| format!("few: {}", spec.few));
    let growth = rule.doubling.then(|| "time_outs: Doubling".to_owned());
    let fields: Vec<_> = cap.into_iter().chain(times).chain(few).chain(growth).collect();
    Some(format!("SelectiveRepeat({})", fields.join(", ")))
}

#[cfg(test)]
mod tests {
    use scenario::{Scenario, ScenarioText};
    use telemetry::RunRecord;

    use super::*;
    use crate::sample;

    fn plan(sets: &[&str]) -> Plan {
        let mut text = ScenarioText::find("paths-incast").expect("it ships");
        for set in sets {
            text.set(set).expect("a field");
        }
        Scenario::read(&text).and_then(|read| read.check(&text)).expect("it can run")
    }

    fn facts<'a>(record: &'a RunRecord, plan: &'a Plan) -> Facts<'a> {
        let plan = Some(plan);
        Facts { record, plan, goodput: &[], completions: None, closed_loops: &[], slow_hosts: &[] }
    }

    fn with_time_outs(timeouts: u64, naks: u64) -> RunRecord {
        let mut record = sample::record();
        record.failed.clear();
        record.flows.truncate(1);
        record.flows[0].latency_max = Span::from_us(364);
        (record.transport.timeouts, record.transport.naks) = (timeouts, naks);
        record
    }

    /// Short time-outs repeat by themselves, and are answered with longer ones; negative acknowledgements repeat as
    /// well.
    #[test]
    fn short_time_outs_are_named_and_lengthened() {
        let short = plan(&["adapter.recovery=SelectiveRepeat(low: \"50 us\", high: \"100 us\", few: 5)"]);
        let record = with_time_outs(167, 0);
        assert!(alone_repeat(facts(&record, &short)));
        assert!(!alone_repeat(facts(&with_time_outs(167, 1), &short)));
        assert!(!alone_repeat(facts(&with_time_outs(0, 0), &short)));
        let said = too_short(facts(&record, &short)).expect("there are time-outs");
        assert_eq!(said, "167 time-outs of 50 us to 100 us (`low` and `high` of `SelectiveRepeat`)");
        let value = "SelectiveRepeat(low: \"728 us\", high: \"728 us\", few: 5)".to_owned();
        let command = longer(facts(&record, &short)).map(|advice| advice.command);
        assert_eq!(command, Some(Command::Comparison("adapter.recovery", value)));
        let usual = plan(&[]);
        assert_eq!(longer(facts(&record, &usual)), None, "ack_timeout is long enough");
        let in_order =
            plan(&["adapter.delivery=InOrder", "adapter.recovery=GoBackN", "adapter.ack_timeout=6"]);
        let command = longer(facts(&record, &in_order)).map(|advice| advice.command);
        // 4.096 us by 2 to the power of 8 are 1.05 ms, and half of that is less than 728 us.
        assert_eq!(command, Some(Command::Comparison("adapter.ack_timeout", "8".to_owned())));
    }

    /// Time-outs that took a part of the run are told, whatever repeated the packets.
    #[test]
    fn long_time_outs_are_told() {
        let usual = plan(&["adapter.ack_timeout=14"]);
        let mut record = with_time_outs(5, 3);
        record.simulated = Span::from_us(67_500);
        let said = sentence(facts(&record, &usual)).expect("they took most of it");
        let expected = "5 time-outs passed, of 67.1 ms (`ack_timeout`), in a run of 67.5 ms: meanwhile a queue pair without \
                        an acknowledgement sends nothing new.";
        assert_eq!(said, expected);
        record.simulated = Span::from_us(6_750_000);
        assert_eq!(sentence(facts(&record, &usual)), None);
        assert_eq!(sentence(facts(&with_time_outs(0, 3), &usual)), None);
    }
}
