//! Verdicts: the claims of a paper, measured and judged.
//!
//! Invariant: a verdict depends on the claim and on the records of the runs that the claim names, and on nothing else.
//!
//! | verdict | expectation | status of the claim |
//! |---|---|---|
//! | PASS | met | expected |
//! | FAIL | not met, or a number outside the range in which it was measured before | expected, or any |
//! | KNOWN | not met | failing |
//! | FIXED | met | failing |
//! | UNSURE | met, but the seeds differ too much to say so | any |
//! | UNSURE | not met, but the mean is on the expected side, and the seeds are the usual ones | undecided |
//! | INFO | none: the number is reported | any |

use experiment::{Estimate, Outcome, RelativeSetting};
use results::OutputFile;
use serde::Serialize;

use crate::exhibits::{ClaimNumber, numbers};
use crate::language::expectation::with_unit;
use crate::language::{Claim, ClaimRole, ClaimStatus, Expectation, Measure};
use crate::measurement::{NotInRun, measured};
use crate::paper::Paper;

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The claim is met.
    Pass,
    /// The claim is not met.
    Fail,
    /// The number is reported without a verdict.
    Info,
    /// The numbers are as expected, but the seeds differ too much to say so.
    Unsure,
    /// The claim is not met, and is marked as failing, with the reason.
    Known,
    /// The claim is met, although it is marked as failing.
    Fixed,
}

impl Verdict {
    /// Returns the word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Info => "INFO",
            Self::Unsure => "UNSURE",
            Self::Known => "KNOWN",
            Self::Fixed => "FIXED",
        }
    }
}

/// A claim, measured and judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// Name of the paper.
    pub paper: String,
    /// Short name of the claim.
    pub id: String,
    /// The reported result, in our words.
    pub statement: String,
    /// Section, figure or page of the paper.
    pub source: String,
    /// Scenario of the run.
    pub scenario: String,
    /// Overrides of the run.
    pub set: Vec<String>,
    /// Tuned settings of the run.
    pub tune: Vec<RelativeSetting>,
    /// Word for the measure.
    pub measure: &'static str,
    /// Measured numbers in `unit`, each the mean over the seeds.
    pub measured: Vec<f64>,
    /// Half the width of each number's 95 % interval; `None` for a single seed.
    pub ci95: Vec<Option<f64>>,
    /// Number of seeds.
    pub seeds: usize,
    /// Unit of the numbers.
    pub unit: String,
    /// Difference from the reference that the claim compares with, in `unit`, paired by seed.
    pub difference: Option<Estimate>,
    /// Expectation in words.
    pub expected: String,
    /// Verdict.
    pub verdict: Verdict,
    /// Reason of a claim that is marked as failing, or of a number's verdict FAIL.
    pub reason: Option<String>,
    /// Kind of statement.
    pub role: ClaimRole,
    /// True if the number is reported without an expectation.
    pub is_report: bool,
}

/// A claim, asked of a run under which it must fail.
#[derive(Clone, Debug, Serialize)]
pub struct Bite {
    /// The claim, measured and judged under the alternative.
    pub judgement: Judgement,
    /// Name of the alternative.
    pub alternative: String,
    /// True if the claim fails there, as it must.
    pub bites: bool,
}

/// A claim or figure looks for something that its run does not have: a mistake in the claims file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("claims of {paper}: {name} looks for {missing}, which its run does not have")]
pub struct ClaimError {
    /// Name of the paper.
    pub paper: String,
    /// Name of the claim, reference or figure.
    pub name: String,
    /// Subject that the run lacks.
    pub missing: NotInRun,
}

/// Judges a paper's claims. `outcomes` returns a run's outcomes by its name, in the order of seeds. With `ranges`,
/// numbers must lie in the ranges in which they were measured before, which holds for runs of the usual length and seeds.
///
/// # Errors
/// If a claim looks for something that its run does not have.
pub(crate) fn judge<'a>(
    paper: &Paper,
    ranges: bool,
    outcomes: impl Fn(&str) -> Vec<&'a Outcome>,
) -> Result<Vec<Judgement>, ClaimError> {
    let judge = ClaimJudge { paper, ranges, full: !ranges, outcomes };
    paper.claims.iter().map(|claim| judge.judgement(claim)).collect()
}

/// Asks every claim of each run under which it must fail, which has the seeds of `--full` or the usual ones. `outcomes` as
/// in [`judge`].
///
/// # Errors
/// If a claim looks for something that the run does not have.
pub(crate) fn bites<'a>(
    paper: &Paper,
    full: bool,
    outcomes: impl Fn(&str) -> Vec<&'a Outcome>,
) -> Result<Vec<Bite>, ClaimError> {
    // Ranges were measured on the claim's own run. On another run, leaving them would count as a failure of the claim.
    let judge = ClaimJudge { paper, ranges: false, full, outcomes };
    let asked = paper.claims.iter().flat_map(|claim| claim.fails_under.iter().map(move |name| (claim, name)));
    let bite = |(claim, name): (&Claim, &String)| {
        let judgement = judge.judgement(&Claim { run: name.clone(), ..claim.clone() })?;
        let bites = judgement.verdict == Verdict::Fail;
        Ok(Bite { judgement, alternative: name.clone(), bites })
    };
    asked.map(bite).collect()
}

struct ClaimJudge<'p, F> {
    paper: &'p Paper,
    ranges: bool,
    full: bool,
    outcomes: F,
}

impl<'a, F: Fn(&str) -> Vec<&'a Outcome>> ClaimJudge<'_, F> {
    fn judgement(&self, claim: &Claim) -> Result<Judgement, ClaimError> {
        let scales = self.scales(claim)?;
        let numbers = self.numbers(claim, &scales)?;
        let by_seed = |place: usize| numbers.iter().map(|numbers| numbers[place]).collect::<Vec<_>>();
        let estimates: Vec<_> = (0..numbers[0].len()).map(|place| Estimate::of(&by_seed(place))).collect();
        let difference = match claim.expect.reference() {
            Some(name) => {
                let others = self.reference(name)?;
                let others: Vec<_> =
                    others.iter().zip(&scales).map(|(number, scale)| number / scale).collect();
                // Paired by seed: both runs have the same traffic, so noise that they share cancels.
                Some(Estimate::of_differences(&by_seed(0), &others))
            }
            None => None,
        };
        let run = self.paper.run(&claim.run, false);
        let drift = if self.ranges { drift(claim, &estimates) } else { None };
        Ok(Judgement {
            paper: self.paper.name.clone(),
            id: claim.id.clone(),
            statement: claim.statement.clone(),
            source: claim.source.clone(),
            scenario: run.scenario.clone(),
            set: run.set.clone(),
            tune: run.tune.clone(),
            verdict: match drift {
                Some(_) => Verdict::Fail,
                None => verdict(claim, self.full, &estimates, difference.as_ref()),
            },
            measure: claim.measure.word(),
            measured: estimates.iter().map(|one| one.mean).collect(),
            ci95: estimates.iter().map(|one| one.ci95).collect(),
            seeds: numbers.len(),
            unit: claim.unit.word(),
            difference,
            expected: claim.expect.words(&claim.unit),
            reason: drift.or(match &claim.status {
                ClaimStatus::Expected => None,
                ClaimStatus::Undecided(_) if self.full => None,
                ClaimStatus::Failing(reason) | ClaimStatus::Undecided(reason) => Some(reason.clone()),
            }),
            role: claim.role,
            is_report: claim.expect == Expectation::Report,
        })
    }

    /// Returns the claim's unit in the plain unit of its dimension, for each seed.
    fn scales(&self, claim: &Claim) -> Result<Vec<f64>, ClaimError> {
        let seeds = (self.outcomes)(&claim.run).len();
        let scale = |seed| claim.unit.scale(|name| Ok(self.reference(name)?[seed]));
        (0..seeds).map(scale).collect()
    }

    /// Returns the claim's numbers in its unit, for each seed.
    fn numbers(&self, claim: &Claim, scales: &[f64]) -> Result<Vec<Vec<f64>>, ClaimError> {
        let outcomes = (self.outcomes)(&claim.run);
        let of_seed = |(outcome, scale): (&Outcome, &f64)| {
            let numbers = self.measured(&claim.id, &claim.measure, outcome)?;
            Ok(numbers.into_iter().map(|number| number / scale).collect())
        };
        outcomes.into_iter().zip(scales).map(of_seed).collect()
    }

    /// Returns the number of a reference, for each seed.
    fn reference(&self, name: &str) -> Result<Vec<f64>, ClaimError> {
        let reference = self.paper.references.get(name);
        let of_seed = |outcome| Ok(self.measured(name, &reference.measure, outcome)?[0]);
        (self.outcomes)(&reference.run).into_iter().map(of_seed).collect()
    }

    fn measured(&self, name: &str, measure: &Measure, outcome: &Outcome) -> Result<Vec<f64>, ClaimError> {
        measured(measure, outcome).map_err(|missing| ClaimError {
            paper: self.paper.name.clone(),
            name: name.to_owned(),
            missing,
        })
    }
}

/// Returns the reason for which a claim fails although it is not judged: a mean has left the range in which it was
/// measured.
fn drift(claim: &Claim, measured: &[Estimate]) -> Option<String> {
    let (low, high) = claim.measured?;
    let outside = measured.iter().find(|one| !(low..=high).contains(&one.mean))?;
    Some(format!("{} has left the range in which it was measured, {low} to {high}", outside.mean))
}

fn verdict(claim: &Claim, full: bool, measured: &[Estimate], difference: Option<&Estimate>) -> Verdict {
    let holds = measured.iter().all(|one| claim.expect.holds(one.mean, difference));
    let sure = measured.iter().all(|one| claim.expect.is_sure(one));
    match (&claim.expect, holds, &claim.status) {
        (Expectation::Report, ..) => Verdict::Info,
        // Before the next arms: too few seeds must neither pass a claim nor call a known failure fixed.
        (_, true, _) if !sure => Verdict::Unsure,
        (_, true, ClaimStatus::Undecided(_)) if full => Verdict::Pass,
        (_, false, ClaimStatus::Undecided(_)) if !full && claim.expect.leans(difference) => Verdict::Unsure,
        (_, true, ClaimStatus::Expected) => Verdict::Pass,
        (_, true, ClaimStatus::Failing(_) | ClaimStatus::Undecided(_)) => Verdict::Fixed,
        (_, false, ClaimStatus::Expected | ClaimStatus::Undecided(_)) => Verdict::Fail,
        (_, false, ClaimStatus::Failing(_)) => Verdict::Known,
    }
}

/// Returns the numbers of claims, and of those that were asked of further runs, as a file.
#[must_use]
pub fn numbers_file(judgements: &[Judgement], bites: &[Bite]) -> OutputFile {
    let own = judgements.iter().flat_map(|one| one.numbers(None));
    let others = bites.iter().flat_map(|bite| bite.judgement.numbers(Some(&bite.alternative)));
    numbers::file(&own.chain(others).collect::<Vec<_>>())
}

impl Judgement {
    /// Returns the numbers of the claim, `under` a further run or its own.
    fn numbers<'a>(&'a self, under: Option<&'a str>) -> impl Iterator<Item = ClaimNumber<'a>> {
        let number = move |(place, (measured, ci95)): (usize, (&f64, &Option<f64>))| ClaimNumber {
            claim: &self.id,
            under,
            number: place + 1,
            measured: *measured,
            ci95: *ci95,
            unit: &self.unit,
            seeds: self.seeds,
            difference: self.difference.as_ref().map(|difference| (difference.mean, difference.ci95)),
            verdict: self.verdict.word(),
        };
        self.measured.iter().zip(&self.ci95).enumerate().map(number)
    }

    /// Returns the measured numbers as text: a single number or the range of several, with the widest interval, and the
    /// difference from the reference.
    #[must_use]
    pub fn measured_words(&self) -> String {
        let lowest = self.measured.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.measured.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (lowest, highest) = (format!("{lowest:.3}"), format!("{highest:.3}"));
        let range = if lowest == highest { lowest } else { format!("{lowest} to {highest}") };
        let widest = self.ci95.iter().flatten().copied().reduce(f64::max);
        let range = range + &widest.map_or_else(String::new, |half| format!(" ± {half:.3}"));
        // Goodput is the usual measure, and goes without saying.
        let word = if self.measure == "goodput" { String::new() } else { format!("{} ", self.measure) };
        let difference = self.difference.as_ref().map_or_else(String::new, |difference| {
            let sign = if difference.mean < 0.0 { "" } else { "+" };
            format!("\n({sign}{difference})")
        });
        with_unit(&format!("{word}{range}"), &self.unit) + &difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::tests::outcome;

    fn judged(claim: &str) -> Judgement {
        let text = format!(
            r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}},
            references: {{"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))}},
            claims: [(id: "it", statement: "", source: "", run: "run", role: Check, {claim})])"#
        );
        let outcome = outcome();
        judge(&Paper::read("paper", &text), true, |_| vec![&outcome]).unwrap().remove(0)
    }

    #[test]
    fn every_number_is_judged_in_its_unit() {
        let both = r#"measure: Goodput(flows: ["F1", "F2"], phase: 1), unit: Of("C"), "#;
        let good = judged(&format!("{both} expect: Within(value: 0.5, tolerance: 0.05)"));
        assert_eq!((good.verdict, good.measured_words().as_str()), (Verdict::Pass, "0.500 C"));
        assert_eq!(good.expected, "0.5 C ± 5 %");
        let bad = judged(
            r#"measure: Goodput(flows: ["F1", "F3"], phase: 1), unit: Gbps, expect: Between(3.5, 4.5)"#,
        );
        assert_eq!((bad.verdict, bad.measured_words().as_str()), (Verdict::Fail, "4.000 to 8.000 Gb/s"));
        assert_eq!(bad.expected, "3.5 to 4.5 Gb/s");
        let time =
            r#"measure: TimeToReach(flows: ["F1"], phase: 2, share: 0.9), unit: Ms, expect: AtMost(4.0)"#;
        assert_eq!(judged(time).measured_words(), "time 4.000 ms");
    }

    #[test]
    fn known_failures_and_reports_have_their_own_verdicts() {
        let sum = r#"measure: Jain(flows: ["F1", "F3"], phase: 1), unit: One, "#;
        let with = |rest: &str| judged(&format!("{sum} {rest}")).verdict;
        let failing = |least: f64, low: f64| {
            with(&format!(
                r#"expect: AtLeast({least}), status: Failing("why"), measured: Some(({low}, 0.95))"#
            ))
        };
        assert_eq!(with("expect: Report, measured: Some((0.85, 0.95))"), Verdict::Info);
        assert_eq!(with("expect: Report, measured: Some((0.91, 0.95))"), Verdict::Fail);
        assert_eq!((failing(0.99, 0.85), failing(0.99, 0.91)), (Verdict::Known, Verdict::Fail));
        assert_eq!(failing(0.80, 0.85), Verdict::Fixed);
        assert_eq!(with("expect: AtMost(0.80)"), Verdict::Fail);
    }

    /// The second of two seeds delivers twice as much: 4 and 8 Gb/s, that is 6 ± 25.4.
    #[test]
    fn a_claim_with_too_few_seeds_does_not_pass() {
        let with = |rest: &str| {
            let text = format!(
                r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}}, references: {{}},
                claims: [(id: "it", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Gbps, role: Check, {rest})])"#
            );
            let (first, mut second) = (outcome(), outcome());
            for flow in &mut second.summary.phases[0].flows {
                flow.second_half_goodput_bps *= 2.0;
            }
            judge(&Paper::read("paper", &text), true, |_| vec![&first, &second]).unwrap()[0].verdict
        };
        assert_eq!(with("expect: Within(value: 6.0, tolerance: 0.15)"), Verdict::Unsure);
        assert_eq!(
            with(r#"expect: AtLeast(5.0), status: Failing("why"), measured: Some((0.0, 9.0))"#),
            Verdict::Unsure
        );
        assert_eq!(with("expect: Within(value: 6.0, tolerance: 4.3)"), Verdict::Pass);
        assert_eq!(with("expect: Within(value: 8.0, tolerance: 0.15)"), Verdict::Fail);
    }

    /// The first of two seeds delivers 4 Gb/s against 8, the second 8 against 16. Two seeds are too few for the difference;
    /// the claim that it is on the other side is wrong with any.
    #[test]
    fn a_claim_that_needs_more_seeds_is_unsure_with_the_usual_ones_alone() {
        let (first, mut second) = (outcome(), outcome());
        for flow in &mut second.summary.phases[0].flows {
            flow.second_half_goodput_bps *= 2.0;
        }
        let with = |expect: &str, full: bool, unit: &str| {
            let text = format!(
                r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}},
                references: {{"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))}},
                claims: [(id: "it", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: {unit}, expect: {expect}("C"), role: Check,
                    status: Undecided("why"), measured: Some((0.0, 9.0)))])"#
            );
            let paper = Paper::read("paper", &text);
            let one = judge(&paper, !full, |_| vec![&first, &second]).unwrap().remove(0);
            (one.verdict, one.reason.is_some())
        };
        assert_eq!(with("LessThan", false, "Gbps"), (Verdict::Unsure, true));
        assert_eq!(with("LessThan", true, "Gbps"), (Verdict::Fail, false));
        assert_eq!(with("MoreThan", false, "Gbps"), (Verdict::Fail, true));
        // In shares of C the difference is the same with both seeds.
        assert_eq!(with("LessThan", true, "Of(\"C\")"), (Verdict::Pass, false));
        assert_eq!(with("LessThan", false, "Of(\"C\")"), (Verdict::Fixed, true));
    }

    /// The second of two seeds delivers twice as much: 4 and 8 Gb/s, against 8 and 16.
    #[test]
    fn seeds_are_compared_one_by_one() {
        let text = r#"(reference: "", runs: {"run": (scenario: "hand-made")}, full: {},
            references: {"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))},
            claims: [
                (id: "less", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Gbps, expect: LessThan("C"), role: Check),
                (id: "share", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: AtMost(0.5), role: Check),
                (id: "share-less", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: LessThan("C"), role: Check),
            ])"#;
        let (first, mut second) = (outcome(), outcome());
        for flow in &mut second.summary.phases[0].flows {
            flow.second_half_goodput_bps *= 2.0;
        }
        let paper = Paper::read("paper", text);
        let judged = judge(&paper, true, |_| vec![&first, &second]).unwrap();
        // The differences are -4 and -8: -6 ± 12.706 * 2.
        assert_eq!(judged[0].measured_words(), "6.000 ± 25.412 Gb/s\n(-6.000 ± 25.412)");
        assert_eq!((judged[0].verdict, judged[0].seeds), (Verdict::Fail, 2));
        // Half of C with each seed: an interval of zero.
        assert_eq!(judged[1].measured_words(), "0.500 ± 0.000 C");
        assert_eq!(judged[1].verdict, Verdict::Pass);
        assert_eq!(judged[2].measured_words(), "0.500 ± 0.000 C\n(-0.500 ± 0.000)");
        assert_eq!((judged[2].verdict, judged[2].expected.as_str()), (Verdict::Pass, "less than C"));
    }
}
