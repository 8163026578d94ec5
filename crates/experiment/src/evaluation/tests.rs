//! Tests of answers: the numbers of the runs, and what happens where there are none.

use super::*;

fn question(scenario: &str, measures: &str, seeds: &[u64]) -> EvaluationQuestion {
    EvaluationQuestion {
        scenario: scenario.to_owned(),
        set: vec!["duration=1 ms".to_owned()],
        seeds: seeds.to_vec(),
        measures: Measure::read_list(measures).expect("measures"),
    }
}

fn answer(question: &EvaluationQuestion, parameters: &[&str]) -> Answer {
    let parameters: Vec<_> = parameters.iter().map(|&one| one.to_owned()).collect();
    question.check(&parameters).expect("the question is right").answer()
}

fn number<'a>(answer: &'a Answer, measure: &str) -> &'a Number {
    let found = answer.measures.0.iter().find(|(one, _)| one.to_string() == measure);
    &found.unwrap_or_else(|| panic!("no {measure} in {answer:?}")).1
}

/// The goodput of the run itself, read off its record.
#[test]
fn an_answer_has_the_numbers_of_the_run() {
    let answer = answer(&question("one-flow", "goodput(all), fairness(all)", &[]), &["link.mtu=1 KiB"]);
    let overrides = ["duration=1 ms".to_owned(), "link.mtu=1 KiB".to_owned()];
    let plan = plan("one-flow", &overrides, None).expect("a plan");
    let outcome = simulate(&plan, RunOptions::default(), &mut |_| {}).expect("a run");
    let delivered: f64 = outcome.record.flows.iter().map(|flow| flow.delivered.get() as f64 * 8.0).sum();
    let goodput = number(&answer, "goodput(all)");
    assert!((goodput.value.expect("a number") / (delivered / 1e-3) - 1.0).abs() < 1e-9, "{goodput:?}");
    assert_eq!((goodput.unit.as_str(), goodput.censored, goodput.values.len()), ("bit/s", false, 1));
    assert_eq!(answer.runs[0].digest.as_ref(), Some(&outcome.summary.digest));
    assert_eq!(answer.overrides, overrides);
    assert_eq!((answer.status, answer.runs[0].seed), ("complete", plan.seed()));
}

#[test]
fn over_seeds_the_number_is_the_mean_of_the_runs() {
    let several = answer(&question("bench-a32", "goodput(all)", &[3, 1]), &["duration=1200 us"]);
    let number = number(&several, "goodput(all)");
    let alone = [3, 1].map(|seed| {
        let answer = answer(&question("bench-a32", "goodput(all)", &[seed]), &["duration=1200 us"]);
        answer.measures.0[0].1.value.expect("a number")
    });
    assert_eq!(number.values, alone.map(Some));
    assert_eq!(number.value, Some((alone[0] + alone[1]) / 2.0));
    assert_ne!(alone[0], alone[1]);
    assert_eq!(several.runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [3, 1]);
}

/// A group that no run has victims for, and messages that are not done, are no zeros.
#[test]
fn a_number_that_does_not_exist_has_a_reason() {
    let answer =
        answer(&question("one-flow", "p99(all), waited(victims)", &[1, 2]), &["completions=NotKept"]);
    let p99 = number(&answer, "p99(all)");
    assert_eq!((p99.value, &p99.values[..]), (None, &[None, None][..]));
    assert_eq!(p99.missing[1], "seed 2: completion times were not kept (`completions: NotKept`)");
    assert_eq!(number(&answer, "waited(victims)").missing.len(), 2);
}

#[test]
fn a_bound_of_one_run_makes_the_mean_a_bound() {
    let measure: Measure = "last(all)".parse().expect("a measure");
    let unit = measure.quantity.info().unit;
    let of = |value, censored, at_most| Measured {
        measure: measure.clone(),
        unit,
        value,
        censored,
        at_most,
        missing: None,
    };
    let run = |seed| EvaluatedRun {
        seed,
        plan_digest: String::new(),
        ended: UnitEnd::Complete,
        fault: None,
        digest: Some(String::new()),
    };
    let runs = [run(1), run(2)];
    let joined = |numbers: &[Measured]| Number::of(&measure, runs.iter().zip(numbers.iter().map(Some)));
    let bounded = joined(&[of(Some(1.0), false, None), of(Some(2.0), true, Some(4.0))]);
    assert_eq!((bounded.value, bounded.censored, bounded.at_most), (Some(1.5), true, Some(2.5)));
    let open = joined(&[of(Some(1.0), false, None), of(Some(2.0), true, None)]);
    assert_eq!((open.value, open.censored, open.at_most), (Some(1.5), true, None));
    let exact = joined(&[of(Some(1.0), false, None), of(Some(3.0), false, None)]);
    assert_eq!((exact.value, exact.censored, exact.at_most), (Some(2.0), false, None));
}

#[test]
fn a_failed_run_decides_the_status_and_has_no_number() {
    let run =
        |seed, ended| EvaluatedRun { seed, plan_digest: String::new(), ended, fault: None, digest: None };
    let not_done = run(1, UnitEnd::NotDone { simulated_s: 1.0 });
    let deadlock = run(2, UnitEnd::Deadlock { message: "S1".to_owned() });
    let complete = run(3, UnitEnd::Complete);
    assert_eq!(status(&[complete.clone(), not_done.clone(), deadlock.clone()]), "deadlock");
    assert_eq!(status(&[complete.clone(), not_done]), "not_done");
    assert_eq!(status(std::slice::from_ref(&complete)), "complete");
    let measure: Measure = "last(all)".parse().expect("a measure");
    let number = Number::of(&measure, [(&deadlock, None)].into_iter());
    assert_eq!(
        (number.value, &number.missing[..]),
        (None, &["seed 2: the run has no results: deadlock".to_owned()][..])
    );
}

#[test]
fn a_measure_that_the_scenario_does_not_have_is_refused() {
    let unknown = question("one-flow", "goodput(nobody)", &[]).check(&[]).expect_err("a fault");
    assert!(unknown.to_string().contains("nobody"), "{unknown}");
    let wrong = question("one-flow", "goodput(all)", &[]).check(&["link.mtuu=1 KiB".to_owned()]);
    assert!(wrong.expect_err("a fault").to_string().contains("mtuu"));
    let all = question("one-flow", "goodput(all)", &[]);
    let all = EvaluationQuestion { measures: Vec::new(), ..all }.check(&[]).expect("the question is right");
    assert!(all.answer().measures.0.len() > 20);
}
