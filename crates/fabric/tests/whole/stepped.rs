//! Runs in steps, against the same runs at a stretch.

use fabric::{RunError, RunOptions, SteppedRun};
use proptest::prelude::*;
use scenario::Plan;
use telemetry::{LaneMoment, RunRecord};
use units::{Span, Time};

use crate::common::shipped;
use crate::drawn::{cases, drawn};
use crate::parts::{assert_same, told};

const MOMENTS: usize = 4;

/// Runs a plan by steps of these lengths, in turn. Looks after each step with `look`.
fn in_steps(plan: &Plan, steps: &[Span], mut look: impl FnMut(&SteppedRun)) -> Result<RunRecord, RunError> {
    let mut run = SteppedRun::new(plan.clone(), MOMENTS);
    for step in steps.iter().cycle() {
        let to = run.now() + *step;
        let is_over = run.advance(to)?;
        look(&run);
        if is_over {
            break;
        }
        assert_eq!(run.now(), to, "an advance reaches its instant");
    }
    assert!(run.advance(Time::NEVER)?, "a run that is over stays over");
    run.finish().map(|(_, record)| record)
}

proptest! {
    #![proptest_config(cases(24))]

    /// Steps of any lengths give the record of the run at a stretch: digest, every count and series, completions and
    /// moments. A run that fails does so for the same reason.
    #[test]
    fn steps_change_nothing(drawn in drawn(), steps in prop::collection::vec(1_u64..30_000_000, 1..5)) {
        let plan = drawn.plan();
        let steps: Vec<_> = steps.into_iter().map(Span::from_ps).collect();
        let stepped = match in_steps(&plan, &steps, |run| { let _ = run.look(); }) {
            Ok(record) => format!("{record:#?}"),
            Err(failed) => format!("{failed:#?}"),
        };
        let whole = told(&plan, RunOptions { moments: MOMENTS, ..RunOptions::default() });
        assert_same(&whole, &stepped, &(&drawn, &steps));
    }
}

/// Looks at the samples' instants differ by the samples of all ports, and the last look has the sums of the record.
/// Without congestion control ports stall, with it packets are marked.
#[test]
fn looks_see_what_samples_see() {
    let ports = r#"series=(ports: ["*"])"#;
    let (stalled, _) = seen(&shipped("victim", &["congestion_control=Off", "duration=22 ms", ports]));
    assert!(stalled > Span::ZERO);
    let control = "congestion_control=Dcqcn(preset: Recommended)";
    let (_, marked) = seen(&shipped("roce-victim", &[control, "sample=20 us", ports]));
    assert!(marked > 0);
}

/// Compares looks and samples of a run. Returns the stalls of all outputs, and the marks.
fn seen(plan: &Plan) -> (Span, u64) {
    let mut looks = vec![vec![LaneMoment::default(); plan.lanes().count()]];
    let mut marked = 0;
    let record = in_steps(plan, &[plan.sample()], |run| {
        let look = run.look();
        looks.push(look.lanes);
        marked = look.marked;
    });
    let record = record.expect("the run ends well");
    let series = record.port_series.as_ref().expect("all ports are asked for");
    let rows: Vec<_> = series.samples.chunks_exact(series.lanes.len()).collect();
    assert_eq!(rows.len() + 1, looks.len());
    for (pair, row) in looks.windows(2).zip(rows) {
        for ((before, at), sample) in pair[0].iter().zip(&pair[1]).zip(row) {
            let seen = (at.sent - before.sent, at.stalled - before.stalled, at.queue);
            assert_eq!(seen, (sample.sent, sample.stalled, sample.queue));
        }
    }
    let last = looks.last().expect("there are looks");
    for (lane, at) in record.lanes.iter().zip(last) {
        assert_eq!((lane.sent, lane.stalled), (at.sent, at.stalled), "{} {}", lane.node, lane.port);
    }
    assert_eq!(marked, series.samples.iter().map(|sample| u64::from(sample.marked)).sum::<u64>());
    (last.iter().map(|lane| lane.stalled).sum(), marked)
}

/// A deadlock ends a run in steps as it ends a run at a stretch.
#[test]
fn a_deadlock_is_found_in_steps() {
    let plan = shipped("ring", &["routing=MinHop", "dependency_cycles=Allowed"]);
    let whole = told_error(&plan);
    for step in [Span::from_us(7), Span::from_us(100), Span::from_us(100_000)] {
        let failed = in_steps(&plan, &[step], |_| {}).expect_err("it has a deadlock");
        assert!(matches!(failed, RunError::Deadlock(_)), "{failed}");
        assert_eq!(failed.to_string(), whole, "steps of {step}");
    }
}

fn told_error(plan: &Plan) -> String {
    let failed = fabric::simulate(plan, RunOptions::default(), &mut |_| {});
    failed.expect_err("it has a deadlock").to_string()
}
