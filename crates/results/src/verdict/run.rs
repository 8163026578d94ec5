//! The verdict of a run, made of its record and its plan.
//!
//! Invariant: each number is one of the run's tables, or a sum, a share or a quotient of such numbers. Without a plan
//! the sentences name fewer facts, and none that only a plan has.

use units::Span;

use super::command::{Advice, AskedEnd, AskedScenario, DRAIN};
use super::facts::Facts;
use super::loss::{self, Lost};
use super::owners::Owners;
use super::standings::Standings;
use super::{Verdict, VerdictKind, advice, cause, confidence, headline, jobs};

/// Returns the verdict of a run, for the scenario in its folder, with its advice for any other name of the scenario, and
/// the standings that its loss is told of.
pub(crate) fn verdict(facts: Facts<'_>) -> (Verdict, Advice, Standings) {
    let owners = Owners::new(facts.record, facts.plan);
    let lost = Lost::of(facts, &owners);
    let measure = headline::measure(facts.record, &owners, &lost);
    let advice = advice::of(facts, &lost, measure.as_ref());
    // The plan tells of every other end than a drain.
    let is_drained = facts.record.audit.drained || facts.record.audit.drain > Span::ZERO;
    let options = is_drained.then(|| DRAIN.to_owned()).into_iter().collect();
    let asked = AskedScenario { end: AskedEnd { options, sets: Vec::new() }, ..AskedScenario::default() };
    let behind = |first: Option<String>, rest: String| match first {
        Some(first) => format!("{first} {rest}"),
        None => rest,
    };
    let verdict = Verdict {
        loss: behind(jobs::times(facts.record), loss::sentence(facts, &owners, &lost)),
        cause: behind(jobs::paths(facts.record, &owners), cause::sentence(facts, &owners, &lost)),
        confidence: confidence::sentence(facts, &lost),
        advice: advice.sentence(&asked),
        kind: VerdictKind::Run,
        measure: measure.map(|measure| measure.to_string()),
    };
    (verdict, advice, Standings::of(facts, &owners, &lost))
}

#[cfg(test)]
mod tests {
    use telemetry::{Completions, FlowRecord, MessageRecord, RootRecord, RunEnding, RunRecord, VictimRecord};
    use units::{Bytes, Time};

    use super::*;
    use crate::completions::CompletionSummary;
    use crate::verdict::standings::StandingQuantity;
    use crate::{goodput, remarks, sample};

    fn of(record: &RunRecord) -> Verdict {
        with_standings(record).0
    }

    fn with_standings(record: &RunRecord) -> (Verdict, Standings) {
        let goodput = goodput::by_phase(record);
        let completions = CompletionSummary::of(record);
        let (closed_loops, slow_hosts) = (remarks::closed_loops(record), remarks::slow_hosts(record));
        let facts = Facts {
            record,
            plan: None,
            goodput: &goodput,
            completions: completions.as_ref(),
            closed_loops: &closed_loops,
            slow_hosts: &slow_hosts,
        };
        let (verdict, _, standings) = verdict(facts);
        (verdict, standings)
    }

    /// Records by what happened in them, each with a part of the sentence that has to tell it, and the label of that
    /// sentence.
    #[test]
    fn each_event_of_a_run_is_told() {
        type Change = fn(&mut RunRecord);
        let cases: [(Change, &str, &str); 14] = [
            (|_| (), "Lost", "1 queue pair failed after the last retry: F1 at 12 ms."),
            (
                |record| record.stands_still = Some(Time::from_ps(700_000_000)),
                "Lost",
                "no payload was delivered after 700 us",
            ),
            (|record| record.stands_still = Some(Time::from_ps(1)), "Try", "`backwater check plan.ron`"),
            (
                |record| (record.audit.injected, record.delivered_packets) = (0, 0),
                "Lost",
                "Nothing was sent: no message was posted",
            ),
            (
                |record| record.congestion.roots.clear(),
                "Why",
                "No congestion tree: at none of 4 samples (one every 5 ms)",
            ),
            (|record| record.completions = None, "How sure", "Completion times were not kept."),
            (
                |record| record.completions = None,
                "Lost",
                "3 of 4 posted messages of the finite traffic were delivered; H3 takes 1 Gb/s at most.",
            ),
            (|record| record.ended = RunEnding::Interrupted, "How sure", "The run was interrupted at 20 ms."),
            (|record| record.ended = RunEnding::NotDone, "How sure", "was not delivered by 20 ms"),
            (|record| record.congestion.roots[0].samples = 1, "Why", "seen once, at 15 ms:"),
            (
                |record| (record.dropped_packets, record.transport.retransmitted) = (7132, 15_478),
                "Lost",
                "7,132 packets were dropped, and 15,478 were sent again.",
            ),
            (
                |record| (record.dropped_packets, record.transport.retransmitted) = (1, 0),
                "Lost",
                "1 packet was dropped, and none was sent again.",
            ),
            (
                |record| {
                    let all = record.completions.as_mut().expect("they are kept");
                    all.messages.iter_mut().for_each(|one| one.completed = None);
                },
                "Lost",
                "None of 2 messages of incast[1] (5 MB in all) was delivered; none of 2 messages of contributors",
            ),
            (
                |record| {
                    let all = record.completions.as_mut().expect("they are kept");
                    (all.excluded_flows, all.excluded_messages) = (1, 197);
                },
                "How sure",
                "197 messages of 1 flow are not counted: packets were lost",
            ),
        ];
        for (change, label, part) in cases {
            let mut record = sample::record();
            change(&mut record);
            let verdict = of(&record);
            let text = verdict.parts().into_iter().find(|(other, _)| *other == label).expect("a part").1;
            assert!(text.contains(part), "`{part}` is not in {text}");
        }
    }

    /// Returns a run with these messages of each flow: the slowdown, or its lower bound, and true if delivered.
    fn with_messages(flows: &[(&str, Vec<(u64, bool)>)]) -> RunRecord {
        let (mut all, end) = (Completions::default(), Span::from_us(100).after_start());
        for (flow, (_, messages)) in (0..).zip(flows) {
            all.messages.extend((1..).zip(messages).map(|(number, (tenths, is_delivered))| {
                let posted = Time::from_ps(end.ps() - tenths * 100_000);
                let (size, ideal) = (Bytes::new(1000), Span::from_us(1));
                let completed = is_delivered.then_some(end);
                MessageRecord { flow, number, size, posted, completed, ideal, acknowledged: None }
            }));
        }
        all.end = end;
        all.sort();
        let flow =
            |(name, _): &(&str, _)| FlowRecord { name: (*name).into(), named: true, ..FlowRecord::default() };
        RunRecord {
            simulated: Span::from_us(100),
            delivered_packets: 1,
            flows: flows.iter().map(flow).collect(),
            completions: Some(all),
            ..RunRecord::default()
        }
    }

    /// Messages with their slowdowns in tenths, and all that is said of their loss: no more than they show.
    #[test]
    fn slow_and_undelivered_messages_are_told_as_far_as_they_are_known() {
        let many = [vec![(10, true); 198], vec![(100, true), (440, true)]].concat();
        let cases = [
            (
                vec![("A", vec![(30, true), (30, true)]), ("B", many)],
                "The slowest of the 2 messages of A took 3 times as long as on the empty fabric; the median is 3 times. \
                 2 of 200 messages of B took longer than that: the slowest took 44 times.",
            ),
            // That of B may be slower than A's, or not.
            (
                vec![("A", vec![(15, true), (90, false), (15, true)]), ("B", vec![(80, true)])],
                "2 of 3 messages of A were delivered, and 1 (1 KB) was not. The slowest of the 3 messages of A took at least \
                 9 times as long as on the empty fabric; the median is 1.5 times.",
            ),
            (
                vec![("A", vec![(15, true), (12, false)])],
                "Nothing: the 1 delivered message of A took at most 1.5 times as long as on the empty fabric.",
            ),
            (
                vec![("A", vec![(15, true), (12, true)])],
                "Nothing: all messages of A took at most 1.5 times as long as on the empty fabric.",
            ),
            (vec![("A", vec![(12, false)])], "The message of A, of 1 KB, was not delivered."),
            (
                vec![("A", vec![(12, false), (11, false)])],
                "None of 2 messages of A (2 KB in all) was delivered.",
            ),
            (
                vec![("A", vec![])],
                "Nothing that the run measured: without samples and completion times, that says little.",
            ),
        ];
        for (flows, expected) in cases {
            assert_eq!(of(&with_messages(&flows)).loss, expected);
        }
    }

    #[test]
    fn the_worst_three_victims_are_named_and_the_others_counted() {
        let mut record = sample::record();
        record.failed.clear();
        (record.completions, record.finite) = (None, None);
        let root = RootRecord { ..record.congestion.roots[0].clone() };
        let victim = |flow: u32| VictimRecord {
            flow,
            samples: 1,
            waited: Span::from_us(u64::from(flow + 1)),
            lost: Bytes::new(1000 * u64::from(flow + 1)),
        };
        // Without groups, each flow of the sample stands for itself.
        record.groups.clear();
        record.flows.iter_mut().for_each(|flow| flow.group = None);
        record.congestion.roots = vec![RootRecord { victims: (0..4).map(victim).collect(), ..root }];
        let lost = of(&record).loss;
        let expected = "The flow of incast[1], the flow of incast[0] and F2, and 1 flow more, waited 10 us in all behind congestion that \
                        is not their own; the links could have carried 10 KB for them meanwhile.";
        assert_eq!(lost, expected);
    }

    /// Shares follow from the quantity that the sentence tells of, and from what the record has of no other.
    #[test]
    fn standings_have_the_quantities_of_the_loss() {
        let record = with_messages(&[("A", vec![(30, true), (40, true)]), ("B", vec![(10, true)])]);
        let (verdict, Standings { count, worst }) = with_standings(&record);
        let found: Vec<_> = worst.iter().map(|one| (&*one.name, one.quantity, one.share)).collect();
        let messages = StandingQuantity::MessageTime;
        assert_eq!((count, found), (2, vec![("A", messages, 0.333_333), ("B", messages, 1.0)]));
        assert!(worst[0].outcome.starts_with("messages took 3 times"), "{}", worst[0].outcome);
        assert!(verdict.loss.contains("the median is 3 times"), "{}", verdict.loss);
        let mut record = sample::record();
        record.completions = None;
        let all = with_standings(&record).1.worst;
        let lost: u64 = all.iter().map(|one| one.lost_bytes).sum();
        let victims = record.congestion.roots.iter().flat_map(|root| &root.victims);
        assert_eq!(lost, victims.map(|victim| victim.lost.get()).sum::<u64>());
        let endless = all.iter().find(|one| one.name == "F1").expect("it is a flow by itself");
        let (got, kept) = (endless.delivered_bytes as f64, endless.lost_bytes as f64);
        assert!((endless.share - got / (got + kept)).abs() < 1e-6, "{endless:?}");
        assert!(all.iter().any(|one| one.quantity == StandingQuantity::Time), "{all:?}");
    }

    #[test]
    fn a_fabric_that_keeps_still_gets_no_remedy_that_needs_motion() {
        let record = RunRecord { stands_still: Some(Time::from_ps(1)), ..sample::record() };
        assert!(!of(&record).confidence.contains("--drain"));
    }
}
