//! Comparisons over seeds against numbers that are worked out by hand, and against the runs' own measures.

use measures::censoring::CensoredValue;
use results::comparison::{ComparisonRow, RowKind};

use super::*;
use crate::simulation::{Outcome, plan, simulate};

fn row(cells: &[Option<CensoredValue>]) -> ComparisonRow {
    ComparisonRow {
        topic: "goodput",
        phase: String::new(),
        what: "total".to_owned(),
        measure: None,
        cells: cells.to_vec(),
        kind: RowKind::of(measures::Quantity::Goodput),
        is_member: false,
    }
}

/// Student's t of two degrees of freedom is 4.3027, and the deviation of each run is 2 Gb/s.
#[test]
fn a_row_has_means_with_intervals_and_paired_differences() {
    let gbps = |a: f64, b: f64| row(&[Some((a * 1e9).into()), Some((b * 1e9).into())]);
    let mut seeded = SeededRow::of(gbps(10.0, 11.0), 0);
    seeded.add(&gbps(12.0, 13.0), 1);
    seeded.add(&gbps(14.0, 15.0), 2);
    assert_eq!(seeded.line(3).cells, ["12.00 ± 4.97", "13.00 ± 4.97", "+1.00"]);
    let json = seeded.json(&["off", "on"], 3);
    assert_eq!(json["values"], json!({ "off": 12.0, "on": 13.0 }));
    assert_eq!(json["ci95"]["on"], json!(4.968_275));
    assert_eq!(json["differences"], json!({ "on": { "mean": 1.0, "ci95": 0.0 } }));
}

#[test]
fn bounds_and_gaps_leave_no_interval() {
    let bound = Some(CensoredValue::AtLeast { at_least: 6e9 });
    let mut seeded = SeededRow::of(row(&[Some(2e9.into()), bound]), 0);
    seeded.add(&row(&[Some(4e9.into()), Some(2e9.into())]), 1);
    let line = seeded.line(2);
    assert_eq!((&line.cells[1..], line.has_bounds), (&["≥ 4.00".to_owned(), "-".to_owned()][..], true));
    // A row that only the second seed has, and a third seed without it.
    let late = SeededRow::of(row(&[Some(2e9.into()), None]), 1);
    assert_eq!(late.line(3).cells, ["2.00 (1 of 3 seeds)", "-", "-"]);
    assert_eq!(late.json(&["off", "on"], 3)["values"], json!({ "off": { "at_least": 2.0 }, "on": null }));
}

/// Runs a shipped scenario for a short time without and with congestion control.
fn pair(scenario: &str, set: &[&str], seed: u64) -> [Outcome; 2] {
    [&["congestion_control=Off"][..], &[]].map(|own| {
        let set: Vec<_> = set.iter().chain(own).map(|one| (*one).to_owned()).collect();
        let plan = plan(scenario, &set, Some(seed)).unwrap_or_else(|fault| panic!("{fault}"));
        simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).unwrap_or_else(|fault| panic!("{fault}"))
    })
}

/// Returns a run under a label.
fn labelled<'a>(label: &'a str, run: &'a Outcome) -> ComparedRun<'a> {
    ComparedRun { label, asked: label, summary: &run.summary, record: &run.record, ends: &run.posting }
}

fn compared(seeds: &[[Outcome; 2]]) -> SeededComparison {
    let mut comparison = SeededComparison::new(None);
    for pair in seeds {
        let runs: Vec<_> =
            ["off", "on"].iter().zip(pair).map(|(label, outcome)| labelled(label, outcome)).collect();
        let _ = comparison.add(&runs);
    }
    comparison
}

/// Returns the answer to a comparison of `off` and `on`.
fn answer(comparison: &SeededComparison) -> results::verdict::Verdict {
    asked(comparison, None)
}

/// Returns the answer where these seeds were asked for.
fn asked(comparison: &SeededComparison, seeds: Option<&[u64]>) -> results::verdict::Verdict {
    let folders = ["out/c/off", "out/c/on"].map(str::to_owned);
    let words = "backwater compare off on";
    let said = comparison.verdict(CompareCommand {
        words,
        folders: &folders,
        until_done: false,
        drain: false,
        own_seeds: false,
        draws_at_random: false,
        seeds,
    });
    // A command stands at the end, behind its reason: it is printed on a line of its own.
    let command = said.advice.strip_suffix('`').and_then(|advice| advice.split_once(": `"));
    assert!(command.is_some_and(|(_, command)| command.starts_with("backwater ")), "{}", said.advice);
    said
}

/// A ring over random hosts, and over hosts in order: the answer is about the job, and tells its latest iteration.
#[test]
fn runs_with_jobs_are_compared_by_the_completion_of_the_slowest_job() {
    let runs = ["Random", "Block()"].map(|place| {
        let set = [format!("jobs[0].place={place}")];
        let plan = plan("ring-all-reduce", &set, Some(1)).unwrap_or_else(|fault| panic!("{fault}"));
        simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).unwrap_or_else(|fault| panic!("{fault}"))
    });
    let took = [&runs[0], &runs[1]].map(|run| run.summary.jobs[0].completion_s.expect("the job is complete"));
    let [random, block] = took.map(|seconds| measures::Unit::Seconds.spelled(seconds));
    let late = runs[0].summary.jobs[0].latest_iteration.clone().expect("an iteration is late");
    let answer = answer(&compared(&[runs]));
    let expected = format!("ring, completion of a job: {random} with off and {block} with on.");
    assert!(answer.loss.starts_with(&expected), "{}", answer.loss);
    assert_eq!(answer.measure.as_deref(), Some("job_completion(ring)"));
    let place = late.place.expect("samples see a place");
    let told = format!(
        "Iteration {} of ring is {} late",
        late.iteration,
        measures::Unit::Seconds.spelled(late.late_s)
    );
    assert!(answer.cause.contains(&told), "{told}: {}", answer.cause);
    let at = format!("at {} port {} to {}", place.node, place.port, place.peer);
    assert!(
        answer.cause.split(&told).nth(1).is_some_and(|rest| rest.contains(&at)),
        "{at}: {}",
        answer.cause
    );
}

/// The smallest victim in a fifth of its time. Its flows draw nothing at random.
#[test]
fn the_answer_names_the_victim_with_the_runs_own_numbers() {
    let set = ["duration=6 ms", "flows.far.start=1 ms", "flows.near.start=2 ms"];
    let runs = pair("victim", &set, 1);
    let goodput_of = |outcome: &Outcome, measure: &str| {
        let run = measures::run::MeasuredRun { record: &outcome.record, ends: &outcome.posting };
        measures::Unit::BitsPerSecond.spelled(one(run, &measure.parse().unwrap()).value.unwrap())
    };
    let goodput = |outcome: &Outcome, phase: &str| goodput_of(outcome, &format!("goodput(victim{phase})"));
    let waited = |outcome: &Outcome| {
        let run = measures::run::MeasuredRun { record: &outcome.record, ends: &outcome.posting };
        measures::Unit::Seconds.spelled(one(run, &"waited(victim)".parse().unwrap()).value.unwrap())
    };
    let [off, on] = &runs;
    let loss = format!(
        "victim got {} with off and {} with on, in the second half of phase `near starts`. It waited behind congestion of others for {} \
         with off and {} with on.",
        goodput(off, ", 3"),
        goodput(on, ", 3"),
        waited(off),
        waited(on)
    );
    let digest = &off.record.congestion.roots[0];
    let (root, port) = (digest.node.clone(), digest.port);
    let alone = answer(&compared(std::slice::from_ref(&runs)));
    assert!(alone.loss.starts_with(&loss), "{}", alone.loss);
    // Sources that are slowed get less than the victim gains, and the answer has the numbers of that.
    let far = [on, off].map(|run| goodput_of(run, "goodput(far, 3)"));
    let cost = format!("goodput of far in phase `near starts` is {} instead of {} with off", far[0], far[1]);
    assert!(alone.loss.contains(&cost) && alone.loss.contains(" on has a cost: "), "{}", alone.loss);
    assert!(alone.cause.starts_with("With off: "), "{}", alone.cause);
    for words in [&format!("{root} port {port} to "), "far", "near"] {
        assert!(alone.cause.contains(words), "no `{words}` in {}", alone.cause);
    }
    assert!(alone.confidence.contains("every seed gives this difference"), "{}", alone.confidence);
    assert_eq!(alone.advice, "The page of the best, on: `backwater report out/c/on`");
    // Another seed gives the same numbers, and the answer says so.
    let both = answer(&compared(&[runs, pair("victim", &set, 2)]));
    assert!(both.loss.starts_with(&loss), "{}", both.loss);
    assert!(
        both.confidence.contains("the same in every seed. Not delivered in seed 1: "),
        "{}",
        both.confidence
    );
    assert_eq!(both.advice, "The page of the best, on: `backwater report out/c/on`");
}

/// Runs of unequal times are not judged, and the advice is the same command, with its seeds.
#[test]
fn interrupted_runs_are_told_first() {
    let set = ["duration=6 ms", "flows.far.start=1 ms", "flows.near.start=2 ms"];
    let mut runs = pair("victim", &set, 1);
    runs[1].record.ended = RunEnding::Interrupted;
    let comparison = compared(&[runs]);
    for (seeds, option) in [
        (None, ""),
        (Some(&[7][..]), " --seed 7"),
        (Some(&[1, 2, 3]), " --seeds 1..=3"),
        (Some(&[1, 3]), " --seeds 1,3"),
    ] {
        let said = asked(&comparison, seeds);
        assert!(
            said.loss.starts_with("INTERRUPTED: on at 6 ms; the numbers are of unequal times. victim got "),
            "{}",
            said.loss
        );
        assert!(!said.to_string().contains("Best of"), "{said}");
        assert_eq!(said.advice, format!("The runs to their ends: `backwater compare off on{option}`"));
    }
    // Seeds after an interrupt are missing, and those before it count.
    let whole = compared(&[pair("victim", &set, 1)]);
    let said = asked(&whole, Some(&[1, 2, 3])).confidence;
    assert!(said.ends_with(" Interrupted after 1 of 3 seeds."), "{said}");
    assert!(!asked(&whole, Some(&[1])).confidence.contains("Interrupted"));
}

/// Messages that a run did not deliver are told beside the verdict on numbers that leave them out.
#[test]
fn undelivered_messages_are_told() {
    let traffic =
        "traffic=[Poisson(name: \"u\", from: \"0 s\", until: \"100 us\", message: \"64 KiB\", load: 0.5)]";
    let runs = pair("two-flows-one-link", &["flows=[]", traffic, "duration=100 us", "sample=10 us"], 1);
    let left: Vec<_> = runs
        .iter()
        .zip(["off", "on"])
        .map(|(run, label)| {
            let all = run.summary.completions.as_ref().unwrap();
            let left = all.posted_messages - all.delivered_messages;
            assert!(left > 0, "nothing is left");
            format!("{left} of {} messages of {label}", all.posted_messages)
        })
        .collect();
    let said = asked(&compared(&[runs]), None).confidence;
    assert!(said.ends_with(&format!("Not delivered: {}.", left.join(" and "))), "{said}");
}

/// A closed loop waits the less, the less it sends: a comparison is about what it moved, in whichever order, and so is
/// the loss that the run with waits names.
#[test]
fn a_closed_loop_is_judged_by_what_it_moved() {
    let run = |selection: &str| {
        let sets = ["duration=200 us", "adapter.delivery=InOrder", "adapter.recovery=GoBackN", selection];
        let sets: Vec<_> = sets.map(str::to_owned).to_vec();
        let plan = plan("paths-permutation", &sets, Some(1)).unwrap_or_else(|fault| panic!("{fault}"));
        simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).unwrap_or_else(|fault| panic!("{fault}"))
    };
    let (flowlets, turns) = (run("switch.selection=Flowlet"), run("switch.selection=RoundRobin"));
    let waited = |run: &Outcome| {
        let run = measures::run::MeasuredRun { record: &run.record, ends: &run.posting };
        one(run, &"waited(permutation)".parse().unwrap()).value.unwrap()
    };
    assert!(waited(&flowlets) > 2.0 * waited(&turns), "the run that moves more waits more");
    let named: Measure = flowlets.summary.verdict.measure.as_ref().unwrap().parse().unwrap();
    assert_eq!((named.quantity, named.group.as_str()), (measures::Quantity::Goodput, "permutation"));
    for runs in [[("flowlets", &flowlets), ("turns", &turns)], [("turns", &turns), ("flowlets", &flowlets)]] {
        let mut comparison = SeededComparison::new(None);
        let _ = comparison.add(&runs.map(|(label, run)| labelled(label, run)));
        let verdict = answer(&comparison);
        let measure: Measure = verdict.measure.as_ref().unwrap().parse().unwrap();
        assert_eq!(measure.quantity, measures::Quantity::Goodput, "{measure}");
        assert!(verdict.confidence.contains("(larger is better): flowlets, "), "{}", verdict.confidence);
    }
}

/// Runs that are equal are said to be.
#[test]
fn runs_that_are_the_same_packet_for_packet_are_named() {
    let twice =
        |seed| [(); 2].map(|()| pair("one-flow", &["duration=100 us"], seed).into_iter().next().unwrap());
    let verdict = answer(&compared(&[twice(1), twice(2)]));
    assert!(verdict.confidence.contains("Every seed gives the same run"), "{}", verdict.confidence);
    assert!(verdict.cause.starts_with("With off: "), "{}", verdict.cause);
    let same = "off and on are the same run, packet for packet: what differs between them had no effect.";
    assert!(verdict.cause.ends_with(same), "{}", verdict.cause);
    assert!(verdict.advice.starts_with("Whether anything was marked"), "{}", verdict.advice);
}

/// With marks at random, seeds differ; the table has the mean over them of each run's own number.
#[test]
fn seeds_that_differ_have_an_interval() {
    let seeds = [1, 2, 3].map(|seed| pair("santos2003-sessions", &["duration=10 ms", "sample=100 us"], seed));
    let comparison = compared(&seeds);
    let measure = comparison.story.as_ref().unwrap().measure.clone();
    let numbers: Vec<f64> = seeds
        .iter()
        .map(|[_, on]| {
            let run = measures::run::MeasuredRun { record: &on.record, ends: &on.posting };
            one(run, &measure).value.unwrap()
        })
        .collect();
    let estimate = crate::statistics::Estimate::of(&numbers);
    let unit = measure.quantity.info().unit;
    let mean = format!("{} ± {} with on", unit.spelled(estimate.mean), unit.spelled(estimate.ci95.unwrap()));
    let verdict = answer(&comparison);
    assert!(verdict.loss.contains(&mean), "{mean}: {}", verdict.loss);
    assert!(
        verdict.confidence.contains("paired t test") || verdict.confidence.contains("the same in every seed")
    );
    let printed = comparison.printed(110, Shown::Brief);
    assert!(printed.contains("seeds 1, 2, 3, ") && printed.contains("on - off"), "{printed}");
    // A row for each number, run and seed.
    let lines = |seed: &str| comparison.csv().lines().filter(|line| line.ends_with(seed)).count();
    assert!(lines(",1") > 20 && comparison.csv().matches("run,asked,").count() == 1);
    assert_eq!(lines(",1") + lines(",2") + lines(",3") + 1, comparison.csv().lines().count());
}

/// The loss that a run's own verdict names first is the loss that a comparison with the run is about, in either order.
#[test]
fn a_comparison_is_about_the_loss_that_a_run_names_itself() {
    let cases: [(&str, &[&str]); 4] = [
        ("victim", &["duration=6 ms", "flows.far.start=1 ms", "flows.near.start=2 ms"]),
        ("gran2011-scenario1", &["duration=410 ms"]),
        ("roce-victim", &["duration=4 ms"]),
        ("santos2003-sessions", &["duration=10 ms", "sample=100 us"]),
    ];
    for (scenario, set) in cases {
        let [off, on] = pair(scenario, set, 1);
        // A sweep that a run advises is judged by that loss, too.
        for verdict in [&off, &on].map(|run| &run.summary.verdict) {
            let Some((_, sweep)) = verdict.advice.split_once("`backwater sweep ") else { continue };
            let asks = |measure: &String| sweep.contains(&format!("imise {}", names::shell::word(measure)));
            assert!(verdict.measure.as_ref().is_none_or(asks), "{scenario}: {verdict}");
        }
        let named: Vec<Measure> = [&off, &on]
            .iter()
            .filter_map(|run| run.summary.verdict.measure.as_ref())
            .map(|measure| measure.parse().unwrap_or_else(|error| panic!("{measure}: {error}")))
            .collect();
        let rates: Vec<_> = named.iter().filter(|one| one.quantity == measures::Quantity::Goodput).collect();
        let wanted: Vec<_> = if rates.is_empty() { named.iter().collect() } else { rates };
        for runs in [[&off, &on], [&on, &off]] {
            let sides = runs.map(|outcome| labelled("run", outcome));
            let mut comparison = SeededComparison::new(None);
            let _ = comparison.add(&sides);
            let group = &comparison.story.as_ref().unwrap().measure.group;
            let is_named = wanted.is_empty() || wanted.iter().any(|one| one.group == *group);
            assert!(is_named, "{scenario}: {group}, not of {wanted:?}");
        }
    }
}

/// Of three runs, the answer is about the best and the first, with which the table has differences. A pair that the
/// seeds do not tell apart is named, and does not make the whole comparison undecided.
#[test]
fn the_best_of_three_runs_is_held_against_the_first() {
    let run = pair("one-flow", &["duration=100 us"], 1).into_iter().next().unwrap();
    let labels = ["hash", "turns", "least"];
    let side = |label| labelled(label, &run);
    let mut comparison = SeededComparison::new(Some(&["p99(all)".parse().unwrap()]));
    for _ in 0..3 {
        let _ = comparison.add(&labels.map(side));
    }
    let numbers = [[402e-6, 420e-6, 440e-6], [200e-6, 219e-6, 241e-6], [201e-6, 217.9e-6, 242e-6]];
    for ((seeded, numbers), label) in comparison.runs.iter_mut().zip(numbers).zip(labels) {
        seeded.readings = numbers.into_iter().map(Reading::Known).enumerate().collect();
        seeded.digests = (1..=3).map(|seed| format!("{label}{seed}")).collect();
    }
    let story = comparison.story.as_mut().unwrap();
    story.causes = labels.map(|label| (label.to_owned(), format!("cause of {label}."))).to_vec();
    let folders = labels.map(|label| format!("out/c/{label}"));
    let command = CompareCommand {
        words: "backwater compare hash turns least",
        folders: &folders,
        until_done: false,
        drain: true,
        own_seeds: false,
        draws_at_random: true,
        seeds: Some(&[1, 2, 3]),
    };
    let said = comparison.verdict(command);
    for words in
        ["less than the baseline hash: significant", " least does not differ significantly from the best."]
    {
        assert!(said.confidence.contains(words), "no `{words}` in {said}");
    }
    assert_eq!(said.cause, "In seed 1: with hash: cause of hash. With turns: cause of turns.");
    assert_eq!(said.advice, "The page of the best, turns: `backwater report out/c/turns`");
    // Few more seeds may tell the pair.
    let wider = [203e-6, 218.5e-6, 246e-6].map(Reading::Known);
    comparison.runs[2].readings = wider.into_iter().enumerate().collect();
    let advice = comparison.verdict(command).advice;
    assert!(
        advice.contains("would tell turns from least: `backwater compare hash turns least --seeds 1..="),
        "{advice}"
    );
    // Where the best does not differ from the first, both are named.
    let like_turns = [201e-6, 217.9e-6, 242e-6].map(Reading::Known);
    comparison.runs[0].readings = like_turns.into_iter().enumerate().collect();
    comparison.runs[2].readings = (0..3).map(|seed| (seed, Reading::Known(1.0 + seed as f64))).collect();
    let advice = comparison.verdict(command).advice;
    assert!(advice.ends_with("3 seeds do not tell turns from hash."), "{advice}");
}

/// A run that waits longer, and whose messages are sooner there, is told with the meaning of both.
#[test]
fn waits_and_times_that_disagree_are_explained() {
    let with = |waited: [f64; 2], p99: [f64; 2]| {
        let of = |quantity, cells: [f64; 2]| {
            let measure = Some(Measure { group: "others".to_owned(), quantity, phase: None });
            SeededRow::of(ComparisonRow { measure, ..row(&cells.map(|cell| Some(cell.into()))) }, 0)
        };
        let mut comparison = SeededComparison::new(None);
        let run = pair("one-flow", &["duration=100 us"], 1).into_iter().next().unwrap();
        let side = |label| labelled(label, &run);
        let _ = comparison.add(&["hash", "turns"].map(side));
        comparison.rows = vec![of(measures::Quantity::Waited, waited), of(measures::Quantity::P99, p99)];
        comparison.opposite("others")
    };
    let said = with([0.765, 0.950], [126e-6, 103e-6]).expect("they disagree");
    let numbers =
        "others go opposite ways, 765 ms and 126 us with hash but 950 ms and 103 us with turns: waits add up";
    assert!(said.contains(numbers), "{said}");
    assert_eq!(with([0.765, 0.950], [126e-6, 150e-6]), None);
    assert_eq!(with([0.765, 0.950], [126e-6, 125e-6]), None);
}
