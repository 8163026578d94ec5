//! Verdicts about numbers made by hand.

use super::*;

fn setting(name: &str, readings: &[Reading]) -> Setting<u64> {
    Setting {
        name: name.to_owned(),
        edges: Vec::new(),
        readings: (1..).zip(readings.iter().copied()).collect(),
    }
}

fn known(name: &str, numbers: &[f64]) -> Setting<u64> {
    setting(name, &numbers.iter().map(|number| Reading::Known(*number)).collect::<Vec<_>>())
}

fn ask(measure: &str, baseline: Option<usize>) -> VerdictQuestion {
    VerdictQuestion::of(&measure.parse().expect(measure), baseline)
}

/// Returns numbers that vary from seed to seed alike in each setting, with a little of their own.
fn seeds(base: f64, own: [f64; 6]) -> Vec<f64> {
    let shared = [0.0, 0.004, -0.002, 0.007, 0.001, -0.005];
    shared.iter().zip(own).map(|(shared, own)| base + shared + own).collect()
}

#[test]
fn the_best_is_told_with_its_difference_and_its_certainty() {
    let settings = [
        known("default", &seeds(0.030, [1e-4, -1e-4, 2e-4, 0.0, -2e-4, 1e-4])),
        known("timer=30", &seeds(0.025, [0.0, 1e-4, -1e-4, 1e-4, 0.0, -2e-4])),
        known("timer=20", &seeds(0.025_1, [3e-4, -2e-4, 1e-4, -3e-4, 4e-4, -2e-4])),
    ];
    let mut settings = settings;
    settings[1].edges =
        vec![EdgeOfTried { path: "timer".to_owned(), value: "30".to_owned(), is_largest: true }];
    let verdict = Verdict::of(ask("p99(victims)", Some(0)), &settings).unwrap();
    assert_eq!(verdict.best.name, "timer=30");
    let comparison = verdict.comparison().unwrap();
    assert!(comparison.significant && comparison.more_seeds.is_none());
    // Seeds differ by more than the settings do, so only pairs show the difference.
    let estimates =
        [verdict.best.estimate, comparison.other.estimate].map(|one| one.and_then(|one| one.ci95));
    assert!(estimates.iter().all(|half| half.is_some_and(|half| half > 0.004)), "{estimates:?}");
    assert!(comparison.advantage.is_some_and(|one| one.low() > 0.004_5 && one.high() < 0.005_5));
    insta::assert_snapshot!(verdict.to_string());
    let next = Verdict::of(ask("p99(victims)", None), &settings).unwrap();
    insta::assert_snapshot!(next.to_string());
}

#[test]
fn a_setting_whose_runs_do_not_end_never_wins() {
    use Reading::{AtLeast, Known, Missing};
    // At least 1 ms is less than any other number, and may be anything.
    let hung =
        setting("hung", &[Known(0.001), AtLeast(0.001), AtLeast(0.001), Missing, Known(0.001), Known(0.001)]);
    let slow = known("slow", &seeds(0.030, [0.0; 6]));
    let late = setting("late", &[0.04, 0.041, 0.039, 0.05, 0.04, 0.04].map(AtLeast));
    let verdict = Verdict::of(ask("p99(victims)", None), &[hung, slow, late]).unwrap();
    assert_eq!(verdict.best.name, "slow");
    let order: Vec<_> = verdict.others.iter().map(|one| one.other.name.as_str()).collect();
    assert_eq!(order, ["hung", "late"]);
    // Of the pairs with the hung setting, three are lost, the fourth is won, and two have no order.
    assert_eq!(verdict.others[0].wins, (1, 3));
    assert!(!verdict.others[0].significant && verdict.others[0].advantage.is_none());
    // The other is later in all six, by at least the difference of the bounds: 2/64 before the correction for two.
    let late = &verdict.others[1];
    assert_eq!(
        (late.wins, late.test, late.chance.map(|p| (p * 64.0).round())),
        ((6, 0), Test::Signs, Some(2.0))
    );
    assert!(late.advantage.is_some_and(|one| one.ci95.is_none() && one.mean > 0.01));
    assert!(!late.significant);
    insta::assert_snapshot!(verdict.to_string());
}

/// Three seeds, all won by at least 90 us, cannot be significant by the sign test. Seven can, with two comparisons.
#[test]
fn too_few_seeds_for_the_sign_test_are_told() {
    use Reading::AtLeast;
    let settings = |seeds: usize| {
        [
            known("a", &vec![1e-6; seeds]),
            setting("b", &vec![AtLeast(91e-6); seeds]),
            setting("c", &vec![AtLeast(188e-6); seeds]),
        ]
    };
    let verdict = Verdict::of(ask("p99(all)", None), &settings(3)).unwrap();
    assert_eq!(verdict.others.iter().map(|one| one.more_seeds).collect::<Vec<_>>(), [Some(4), Some(4)]);
    assert!(verdict.others.iter().all(Comparison::is_undecidable));
    insta::assert_snapshot!(format!("{}\n{}", verdict.finding(), verdict.certainty()));
    let enough = Verdict::of(ask("p99(all)", None), &settings(7)).unwrap();
    assert!(enough.others.iter().all(|one| one.significant && one.more_seeds.is_none()));
    let six = Verdict::of(ask("p99(all)", None), &settings(6)).unwrap();
    assert!(six.others.iter().all(|one| !one.significant));
}

#[test]
fn larger_is_better_where_the_measure_says_so() {
    let settings = [known("a", &[1e9, 1.1e9, 0.9e9]), known("b", &[1.2e9, 1.3e9, 1.1e9])];
    let verdict = Verdict::of(ask("goodput(all)", Some(0)), &settings).unwrap();
    assert_eq!(verdict.best.name, "b");
    // Every seed gives the same difference, up to the last bits.
    insta::assert_snapshot!(verdict.to_string());
    let same = Verdict::of(ask("goodput(all)", None), &[settings[0].clone(), settings[0].clone()]).unwrap();
    assert_eq!(same.best.place, 0);
    insta::assert_snapshot!(same.to_string());
}

/// A setting far behind that few seeds do not tell from the best is no tie; one that is near may be.
#[test]
fn few_seeds_do_not_make_a_far_setting_a_tie() {
    let settings = [
        known("turns", &[2.98e12, 3.0e12]),
        known("least", &[2.96e12, 2.99e12]),
        known("hash", &[1.61e12, 2.01e12]),
    ];
    let verdict = Verdict::of(ask("goodput(all)", None), &settings).unwrap();
    assert!(verdict.others.iter().all(|one| !one.significant), "{verdict}");
    let said = verdict.certainty();
    assert!(
        said.contains("2 seeds are too few to tell hash (1.81 Tb/s ± 2.54 Tb/s) from the best."),
        "{said}"
    );
    assert!(!said.contains("hash does not differ"), "{said}");
    let near = Verdict::of(ask("goodput(all)", Some(2)), &settings).unwrap().certainty();
    assert!(near.contains("least does not differ significantly from the best."), "{near}");
}

#[test]
fn one_seed_settles_nothing() {
    let settings = [known("a", &[1.0]), known("b", &[2.0])];
    let verdict = Verdict::of(ask("p99(all)", None), &settings).unwrap();
    assert!(verdict.others.iter().all(|one| !one.significant));
    insta::assert_snapshot!(verdict.to_string());
}

#[test]
fn only_seeds_that_all_settings_have_are_compared() {
    let settings = [known("a", &[1.0, 2.0, 100.0]), known("b", &[2.0, 4.0])];
    let verdict = Verdict::of(ask("p99(all)", None), &settings).unwrap();
    assert_eq!((verdict.best.name.as_str(), verdict.seeds, verdict.left_out), ("a", 2, 1));
    assert!(verdict.to_string().contains("1 run left out"), "{verdict}");
    assert_eq!(Verdict::of::<u64>(ask("p99(all)", None), &[]), Err(NoVerdict::NoSetting));
    assert_eq!(
        Verdict::of(ask("p99(all)", None), &[known("a", &[1.0]), known("b", &[])]),
        Err(NoVerdict::NoCommonSeed)
    );
    let missing = setting("a", &[Reading::Missing]);
    assert_eq!(Verdict::of(ask("p99(all)", None), &[missing]), Err(NoVerdict::NothingKnown));
}

/// Of ten settings that do not differ, any is called better than a baseline in at most 5 % of verdicts. Without the
/// correction, that happens in many more.
#[test]
fn equal_settings_are_seldom_called_different() {
    use rand::Rng;
    let verdict = |sample: u64| {
        let one = |place: u64| {
            let mut random = event_kernel::stream(sample, "equal settings", &place.to_string());
            let numbers: Vec<f64> = (0..8).map(|_| (random.next_u64() >> 40) as f64).collect();
            known(&place.to_string(), &numbers)
        };
        Verdict::of(ask("p99(all)", None), &(0..10).map(one).collect::<Vec<_>>()).unwrap()
    };
    // The first setting is as good as any other, whatever it is: its comparisons are of settings that were not chosen.
    let of_first = |verdict: &Verdict| verdict.others.iter().find(|one| one.other.place == 0).cloned();
    let verdicts: Vec<_> = (0..1000).map(verdict).collect();
    let count = |wrong: &dyn Fn(&Comparison) -> bool| {
        verdicts.iter().filter(|one| of_first(one).is_some_and(|one| wrong(&one))).count()
    };
    let corrected = count(&|one| one.significant);
    let plain = count(&|one| one.chance.is_some_and(|chance| chance < LEVEL));
    println!("equal settings called different: {corrected} of 1000 with Holm's correction, {plain} without");
    assert!(corrected <= 50 && plain > 50, "{corrected} {plain}");
}

/// A chance is never rounded to a number on the other side of a bound.
#[test]
fn chances_below_a_hundredth_are_told_as_such() {
    let words = [0.5, 0.05, 0.0101, 0.0099, 0.0072, 0.0068, 0.00011, 0.00009].map(chance_in_words);
    let expected =
        ["p = 0.50", "p = 0.05", "p = 0.01", "p < 0.01", "p < 0.01", "p < 0.01", "p < 0.01", "p < 0.0001"];
    assert_eq!(words, expected.map(str::to_owned));
}

/// A bound below the other's number says nothing about the order, in either direction and for any number of seeds.
#[test]
fn no_setting_is_called_best_where_bounds_leave_the_order_open() {
    use Reading::{AtLeast, Known};
    for (measure, known, bound) in
        [("p99(all)", 265e-6, 133e-6), ("goodput(all)", 1e9, 2e9), ("goodput(all)", 2e9, 1e9)]
    {
        for seeds in [1, 3] {
            let settings =
                [setting("A", &vec![AtLeast(bound); seeds]), setting("B", &vec![Known(known); seeds])];
            let verdict = Verdict::of(ask(measure, None), &settings).unwrap();
            assert!(verdict.comparison().unwrap().is_open());
            for text in [verdict.to_string(), verdict.finding(), verdict.without_chance()] {
                assert!(text.starts_with("No setting is known to be the best by "), "{text}");
                assert!(!text.contains("At least") && !text.contains("next best"), "{text}");
            }
        }
    }
    // A bound beyond the other's number is worse for certain.
    let settings = [setting("A", &[AtLeast(600e-6)]), setting("B", &[Known(265e-6)])];
    let verdict = Verdict::of(ask("p99(all)", None), &settings).unwrap();
    assert!(verdict.finding().contains("at least 335 us less than A"), "{}", verdict.finding());
}

/// Nothing is called best, and no value an edge, where all settings have the same numbers.
#[test]
fn no_setting_is_best_where_all_are_alike() {
    let numbers = [15e9, 16e9, 14e9];
    let settings = ["A", "B", "C"].map(|name| known(name, &numbers));
    let verdict = Verdict::of(ask("goodput(all)", None), &settings).unwrap();
    let sentence = "All 3 settings have the same goodput(all): 15.0 Gb/s ± 2.48 Gb/s over 3 seeds.";
    assert_eq!((verdict.to_string(), verdict.finding()), (sentence.to_owned(), sentence.to_owned()));
    assert_eq!(verdict.certainty(), "");
    let settings = ["A", "B"].map(|name| known(name, &numbers)).into_iter().chain([known("C", &[1.0; 3])]);
    let verdict = Verdict::of(ask("goodput(all)", None), &settings.collect::<Vec<_>>()).unwrap();
    assert!(verdict.finding().contains("it does not differ from B"), "{}", verdict.finding());
}

/// A single run without a number is not worse by some number.
#[test]
fn a_run_without_a_number_is_told() {
    let settings = [known("A", &[15e9]), setting("B", &[Reading::Missing])];
    let said = Verdict::of(ask("goodput(all)", None), &settings).unwrap().finding();
    assert!(said.ends_with("A, 15.0 Gb/s over 1 seed: no run of B has a number."), "{said}");
}

/// A setting without any number is worse in no number of seeds, whatever their number and its place, and its lack of
/// numbers is no test that others have to pay for.
#[test]
fn a_setting_without_numbers_is_compared_with_nothing() {
    use Reading::{AtLeast, Known, Missing};
    let none = |seeds: usize| setting("none", &vec![Missing; seeds]);
    for seeds in [1, 3, 7] {
        let best = setting("A", &(0..seeds).map(|seed| Known(1.0 + seed as f64 / 10.0)).collect::<Vec<_>>());
        let settings = [best.clone(), none(seeds)];
        for baseline in [None, Some(0), Some(1)] {
            let verdict = Verdict::of(ask("p99(all)", baseline), &settings).unwrap();
            let only = verdict.comparison().unwrap();
            assert!(only.is_impossible() && !only.significant && only.more_seeds.is_none());
            for text in
                [verdict.to_string(), verdict.finding(), verdict.certainty(), verdict.without_chance()]
            {
                assert!(!text.contains("etter in") && !text.contains("seeds are needed"), "{text}");
                assert!(!text.contains("significant") && !text.contains("one seed shows"), "{text}");
            }
            let found = verdict.finding();
            assert!(found.to_lowercase().ends_with("no run of none has a number."), "{found}");
        }
        // Others are told, in the first place, and with the chance that they have without it.
        let late = setting("late", &vec![AtLeast(9.0); seeds]);
        let with = Verdict::of(ask("p99(all)", None), &[none(seeds), best.clone(), late.clone()]).unwrap();
        let without = Verdict::of(ask("p99(all)", None), &[best, late]).unwrap();
        assert_eq!(with.comparison().map(|one| one.other.name.as_str()), Some("late"));
        let chance = |verdict: &Verdict| verdict.comparison().and_then(|one| one.corrected_chance);
        assert_eq!(chance(&with), chance(&without));
        assert_eq!(with.finding().replace("Best of 3", "Best of 2"), without.finding());
    }
}

/// No number of seeds is asked for to show a difference of less than a thousandth.
#[test]
fn a_negligible_difference_asks_for_no_seeds() {
    let with = |by: f64| {
        let settings = [known("A", &[1.0, 1.1, 0.9]), known("B", &[1.0 + by, 1.1 + 2.0 * by, 0.9 - by])];
        Verdict::of(ask("p99(all)", None), &settings).unwrap().comparison().unwrap().more_seeds
    };
    assert_eq!(with(1e-6), None);
    assert!(with(1e-2).is_some());
}

/// Equal numbers of several seeds have a deviation of rounding, which is not told.
#[test]
fn rounding_is_no_spread() {
    let numbers = [15.793_650_793_650_793e9; 3];
    let mut other = numbers;
    other[0] += 1e-6;
    let settings = [known("A", &other), known("B", &[7e9; 3])];
    let text = Verdict::of(ask("goodput(all)", None), &settings).unwrap().finding();
    assert!(!text.contains('±'), "{text}");
}
