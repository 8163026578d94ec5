//! The verdict of a run, made of its record and its plan.
//!
//! Invariant: each number is one of the run's tables, or a sum, a share or a quotient of such numbers. Without a plan
//! the sentences name fewer facts, and none that only a plan has.

use super::command::AskedScenario;
use super::facts::Facts;
use super::loss::{self, Lost};
use super::owners::Owners;
use super::{Verdict, advice, cause, confidence};

/// Returns the verdict of a run. `asked` is the scenario in the command that it advises.
pub(crate) fn verdict(facts: Facts<'_>, asked: &AskedScenario) -> Verdict {
    let owners = Owners::new(facts.record, facts.plan);
    let lost = Lost::of(facts, &owners);
    Verdict {
        loss: loss::sentence(facts, &owners, &lost),
        cause: cause::sentence(facts, &owners, &lost),
        confidence: confidence::sentence(facts),
        advice: advice::sentence(facts, &lost, asked),
    }
}

#[cfg(test)]
mod tests {
    use telemetry::{RootRecord, RunEnding, RunRecord, VictimRecord};
    use units::{Bytes, Span, Time};

    use super::*;
    use crate::completions::CompletionSummary;
    use crate::{goodput, sample};

    fn of(record: &RunRecord) -> Verdict {
        let goodput = goodput::by_phase(record);
        let completions = CompletionSummary::of(record);
        let facts = Facts { record, plan: None, goodput: &goodput, completions: completions.as_ref() };
        verdict(facts, &AskedScenario::default())
    }

    /// Records by what happened in them, each with a part of the sentence that has to tell it, and the label of that
    /// sentence.
    #[test]
    fn each_event_of_a_run_is_told() {
        type Change = fn(&mut RunRecord);
        let cases: [(Change, &str, &str); 9] = [
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
            (|record| record.ended = RunEnding::Interrupted, "How sure", "The run was interrupted at 20 ms."),
            (|record| record.ended = RunEnding::NotDone, "How sure", "was not delivered by 20 ms"),
            (|record| record.congestion.roots[0].samples = 1, "Why", "seen once, at 15 ms:"),
        ];
        for (change, label, part) in cases {
            let mut record = sample::record();
            change(&mut record);
            let verdict = of(&record);
            let text = verdict.parts().into_iter().find(|(other, _)| *other == label).expect("a part").1;
            assert!(text.contains(part), "`{part}` is not in {text}");
        }
    }

    #[test]
    fn the_worst_three_victims_are_named_and_the_others_counted() {
        let mut record = sample::record();
        record.failed.clear();
        record.completions = None;
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

    #[test]
    fn a_fabric_that_keeps_still_gets_no_remedy_that_needs_motion() {
        let record = RunRecord { stands_still: Some(Time::from_ps(1)), ..sample::record() };
        assert!(!of(&record).confidence.contains("--drain"));
    }
}
