//! Completion times of a run that ends early, against the truth of a longer run.
//!
//! Invariant: a run of a shorter duration is the beginning of the same run with a longer duration.

use experiment::{Outcome, plan, simulate};
use fabric::RunOptions;
use measures::censoring::CensoredValue;
use results::{RunCost, RunIdentity, Summary};
use units::Time;

/// Messages of two sizes, posted up to 250 us, at times and to hosts that are drawn.
const POISSON: &str = "traffic=[Poisson(from: \"0 s\", until: \"250 us\", message: \"256 KiB\", load: 0.5), \
    Poisson(from: \"0 s\", until: \"250 us\", message: \"9 KiB\", load: 0.3)]";

/// Runs with their overrides and their early ends. There is contention at an output, Poisson traffic to drawn hosts,
/// and a slow host. The latter acknowledges messages long before they are delivered.
const RUNS: [(&str, &[&str], [&str; 3]); 3] = [
    ("roce-victim", &[], ["2.1 ms", "3 ms", "4 ms"]),
    ("bench-a32", &["completions=Kept", POISSON], ["100 us", "260 us", "300 us"]),
    (
        "two-flows-one-link",
        &["adapter.drain_limit=\"2 Gb/s\"", "flows.F2.start=\"50 us\""],
        ["100 us", "1 ms", "3 ms"],
    ),
];

fn run(scenario: &str, set: &[&str], duration: &str) -> Outcome {
    let duration = format!("duration=\"{duration}\"");
    let set: Vec<_> = set.iter().map(|&one| one.to_owned()).chain([duration]).collect();
    let plan = plan(scenario, &set, None).expect("the scenario is right");
    simulate(&plan, RunOptions::default(), &mut |_| {}).expect("the run ends well")
}

/// Returns the completion times of the messages that were posted by `cut`, as the longer run knows them.
fn truth(mut long: Outcome, cut: Time) -> Summary {
    let all = long.record.completions.as_mut().expect("they are kept");
    all.messages.retain(|one| one.posted <= cut);
    let context = RunIdentity { scenario: "", congestion_control: "", seed: 0, version: "" };
    Summary::new(context, &long.record, RunCost::default())
}

#[test]
fn numbers_stay_and_bounds_hold_when_the_run_goes_on() {
    let mut seen = [0; 3];
    for (scenario, set, cuts) in RUNS {
        let long = run(scenario, set, "6 ms");
        for cut in cuts {
            let short = run(scenario, set, cut);
            let end = short.record.completions.as_ref().expect("they are kept").end;
            let truth = truth(long.clone(), end).completions.expect("they are kept");
            let shown = short.summary.completions.expect("they are kept");
            assert_eq!(
                truth.delivered_messages, shown.posted_messages,
                "{scenario}: all are delivered in time"
            );
            assert_eq!(shown.by_size.len(), truth.by_size.len());
            for (shown, truth) in shown.by_size.iter().zip(&truth.by_size) {
                assert_eq!(shown.up_to_bytes, truth.up_to_bytes);
                let (shown, truth) = (shown.messages, truth.messages);
                assert_eq!(shown.posted_messages, truth.posted_messages);
                for (shown, truth) in [(shown.fct_us, truth.fct_us), (shown.slowdown, truth.slowdown)] {
                    for (shown, truth) in
                        [(shown.p50, truth.p50), (shown.p95, truth.p95), (shown.p99, truth.p99)]
                    {
                        let truth = truth.exact().expect("all are delivered");
                        seen[match shown {
                            CensoredValue::Exact(_) => 0,
                            CensoredValue::Between { .. } => 1,
                            CensoredValue::AtLeast { .. } => 2,
                        }] += 1;
                        let [low, high] = [shown.at_least(), shown.at_most().unwrap_or(f64::INFINITY)];
                        assert!(
                            low <= truth && truth <= high,
                            "{scenario}, {cut}: {shown:?}, in truth {truth}"
                        );
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 4), "numbers, bounds on both sides, lower bounds: {seen:?}");
}
