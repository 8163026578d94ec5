//! Packets that were sent again although nothing was lost: a part of the cause, and the question after it.
//!
//! Invariant: a run without repeats that arrived twice has neither.

use ca_transport::{DeliverySpec, NakSpec};
use scenario::Plan;
use telemetry::RepeatTally;

use super::command::{Advice, Command};
use super::facts::Facts;
use super::{paths, time_outs, words};
use crate::format::grouped;

/// Share of the packets that arrived from which on repeats without need are told.
const MANY: f64 = 0.01;

/// Returns the sentence on repeats without need, if they took a share of the fabric that is worth a word.
pub(super) fn sentence(facts: Facts<'_>) -> Option<String> {
    let flows = &facts.record.flows;
    let RepeatTally { spurious, refused, .. } = facts.record.repeats();
    let accepted = flows.iter().map(|flow| flow.packets).sum::<u64>();
    let all = accepted + refused + spurious;
    if spurious == 0 || (spurious as f64) < MANY * all as f64 {
        return None;
    }
    let worst = flows.iter().rev().max_by_key(|flow| flow.repeats().spurious)?;
    let RepeatTally { spurious: most, out_of_order, .. } = worst.repeats();
    // Where every flow has one path, packets are out of order behind those that were lost.
    let were_overtaken = out_of_order > 0 && facts.plan.is_none_or(Plan::packets_may_overtake);
    let short = || time_outs::too_short(facts);
    let reason = match time_outs::alone_repeat(facts).then(short).flatten() {
        Some(short) => format!("late, not lost: {short} were too short for the queues"),
        None if were_overtaken => "overtaken by others, not lost".to_owned(),
        None => "late, not lost".to_owned(),
    };
    Some(format!(
        "{} of {} data packets that arrived ({}) were second copies, {} of {}: the first copies were {reason}, and the \
         second ones took the place of payload.",
        grouped(spurious),
        grouped(all),
        words::percent(spurious as f64 / all as f64),
        grouped(most),
        worst.name,
    ))
}

/// Returns the question whether requesters that repeat by their time-outs alone would do better, if a missing packet
/// counts as lost before; or delivery in any order, if responders refuse packets that have overtaken others; or longer
/// time-outs, if only these have repeated packets.
pub(super) fn question(facts: Facts<'_>) -> Option<Advice> {
    sentence(facts)?;
    let plan = facts.plan?;
    if time_outs::alone_repeat(facts) {
        return time_outs::longer(facts);
    }
    let DeliverySpec::AnyOrder(delivery) = plan.scenario().adapter.delivery else {
        let is_asked =
            plan.packets_may_overtake() && paths::makes_a_plan(plan, paths::any_order(plan).into_iter());
        return is_asked.then(|| {
            let words = "Delivery in any order, with repeats of missing packets alone";
            let value = "AnyOrder;adapter.recovery=SelectiveRepeat".to_owned();
            Advice::new(words, Command::Comparison("adapter.delivery", value))
        });
    };
    (delivery.nak != NakSpec::Never).then(|| {
        let value = format!("AnyOrder(window: {})", delivery.window);
        Advice::new(
            "Repeats by time-out alone, without evidence from later packets",
            Command::Comparison("adapter.delivery", value),
        )
    })
}

#[cfg(test)]
mod tests {
    use scenario::{Scenario, ScenarioText};
    use telemetry::RunRecord;

    use super::*;
    use crate::sample;

    fn told(record: &RunRecord, plan: Option<&Plan>) -> (Option<String>, Option<Advice>) {
        let facts =
            Facts { record, plan, goodput: &[], completions: None, closed_loops: &[], slow_hosts: &[] };
        (sentence(facts), question(facts))
    }

    fn with_spurious(spurious: u64, out_of_order: u64) -> RunRecord {
        let mut record = sample::record();
        record.flows.truncate(1);
        let flow = &mut record.flows[0];
        flow.packets = 900;
        let tally = RepeatTally { spurious, out_of_order, ..RepeatTally::default() };
        flow.repeats = Some(Box::new(tally));
        record
    }

    #[test]
    fn repeats_without_need_are_told_from_a_hundredth_on() {
        assert_eq!(told(&with_spurious(0, 50), None).0, None);
        assert_eq!(told(&with_spurious(9, 50), None).0, None);
        let said = |out_of_order| told(&with_spurious(100, out_of_order), None).0.expect("a sentence");
        let expected = "100 of 1,000 data packets that arrived (10 %) were second copies, 100 of F1: the first copies were \
                        overtaken by others, not lost, and the second ones took the place of payload.";
        assert_eq!(said(50), expected);
        assert!(said(0).contains("were late, not lost"), "{}", said(0));
    }

    /// Without a negative acknowledgement, time-outs have repeated packets, whatever has overtaken others.
    #[test]
    fn time_outs_are_the_cause_where_nothing_else_is() {
        let mut text = ScenarioText::find("paths-incast").expect("it ships");
        for set in ["routing=Adaptive", "adapter.recovery=SelectiveRepeat(low: \"50 us\", high: \"100 us\")"]
        {
            text.set(set).expect("a field");
        }
        let plan = Scenario::read(&text).and_then(|read| read.check(&text)).expect("it can run");
        let mut record = with_spurious(100, 50);
        (record.transport.timeouts, record.transport.naks) = (20, 0);
        record.flows[0].latency_max = units::Span::from_us(90);
        let (said, advice) = told(&record, Some(&plan));
        let said = said.expect("a sentence");
        assert!(said.contains("late, not lost: 20 time-outs of 50 us to 100 us ("), "{said}");
        let value = "SelectiveRepeat(low: \"180 us\", high: \"180 us\")".to_owned();
        let command = advice.map(|advice| advice.command);
        assert_eq!(command, Some(Command::Comparison("adapter.recovery", value)));
        record.transport.naks = 1;
        assert!(told(&record, Some(&plan)).0.expect("a sentence").contains("overtaken by others"));
    }

    /// On single paths nothing overtakes: packets are out of order behind lost ones.
    #[test]
    fn overtaking_is_told_where_it_can_be() {
        let reason = |routing: &str| {
            let mut text = ScenarioText::find("paths-incast").expect("it ships");
            text.set(&format!("routing={routing}")).expect("a field");
            let plan = Scenario::read(&text).and_then(|read| read.check(&text)).expect("it can run");
            told(&with_spurious(100, 50), Some(&plan)).0.expect("a sentence")
        };
        assert!(reason("Adaptive").contains("were overtaken by others"), "{}", reason("Adaptive"));
        assert!(reason("Native").contains("were late"), "{}", reason("Native"));
    }

    /// The question is asked of those that take a gap for a loss, and keeps their window.
    #[test]
    fn evidence_of_loss_is_doubted_where_there_is_some() {
        let plan = |delivery: &str| {
            let mut text = ScenarioText::find("paths-incast").expect("it ships");
            text.set(&format!("adapter.delivery={delivery}")).expect("a field");
            Scenario::read(&text).and_then(|read| read.check(&text)).expect("it can run")
        };
        let record = with_spurious(100, 50);
        assert_eq!(told(&record, Some(&plan("AnyOrder"))).1, None);
        let eager = plan("AnyOrder(window: 64, nak: After(1))");
        let value = Command::Comparison("adapter.delivery", "AnyOrder(window: 64)".to_owned());
        assert_eq!(told(&record, Some(&eager)).1.map(|advice| advice.command), Some(value));
        assert_eq!(told(&with_spurious(1, 50), Some(&eager)).1, None);
        // In order, packets that have overtaken others are refused: only where they can.
        let in_order = |routing: &str| {
            let mut text = ScenarioText::find("paths-incast").expect("it ships");
            for set in ["adapter.delivery=InOrder", "adapter.recovery=GoBackN", &format!("routing={routing}")]
            {
                text.set(set).expect("a field");
            }
            Scenario::read(&text).and_then(|read| read.check(&text)).expect("it can run")
        };
        let value = "AnyOrder;adapter.recovery=SelectiveRepeat".to_owned();
        let command = told(&record, Some(&in_order("Adaptive"))).1.map(|advice| advice.command);
        assert_eq!(command, Some(Command::Comparison("adapter.delivery", value)));
        assert_eq!(told(&record, Some(&in_order("Native"))).1, None);
    }
}
