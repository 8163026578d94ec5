//! From a run to a verdict.
//!
//! Invariant: a verdict depends on nothing but the claim and the record of the runs it names.

use serde::Serialize;

use super::claims::{Claim, Expectation, Measure, Paper, Quantity, Status, Unit};
use super::measure::measured;
use super::statistics::Estimate;
use super::tuning::Tuning;
use crate::engine::Outcome;

const GOODPUT: &str = "goodput";
/// The word for what depends on the length of samples.
pub(super) const VARIATION: &str = "variation";

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It is reported, not judged.
    Info,
    /// It is as expected, but the seeds differ by so much that they do not say it.
    Unsure,
    /// It does not hold, and is marked so, with the reason.
    Known,
    /// It holds, although it is marked as failing.
    Fixed,
}

/// A claim, measured and judged.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judgement {
    pub(crate) paper: String,
    pub(crate) id: String,
    pub(crate) statement: String,
    pub(crate) source: String,
    pub(crate) scenario: String,
    pub(crate) set: Vec<String>,
    pub(crate) tune: Vec<Tuning>,
    /// What is measured, in words.
    pub(crate) measure: &'static str,
    /// In `unit`, as many as the measure yields; each the mean over the seeds.
    pub(crate) measured: Vec<f64>,
    /// Half the width of each one's 95 % interval; none for one seed.
    pub(crate) ci95: Vec<Option<f64>>,
    /// With how many seeds.
    pub(crate) seeds: usize,
    pub(crate) unit: String,
    /// How much more it is than the reference that it is compared with, in `unit`, by pairs of one seed.
    pub(crate) difference: Option<Estimate>,
    /// The expectation in words.
    pub(crate) expected: String,
    pub(crate) verdict: Verdict,
    /// Why it is known to fail.
    pub(crate) reason: Option<String>,
}

/// A claim that looks for what its run does not have: a mistake in the claims file.
#[derive(Debug, thiserror::Error)]
#[error("claims of {paper}: {claim} looks for {what}, which its run does not have")]
pub(crate) struct Missing {
    paper: String,
    claim: String,
    what: String,
}

impl Missing {
    pub(super) fn of(paper: &str, claim: &str, what: String) -> Self {
        Self { paper: paper.to_owned(), claim: claim.to_owned(), what }
    }
}

/// Judges a paper's claims; `run` finds the outcomes of a run by its name, one a seed.
pub(crate) fn judge<'a>(
    name: &str,
    paper: &Paper,
    run: impl Fn(&str) -> Vec<&'a Outcome>,
) -> Result<Vec<Judgement>, Missing> {
    let missing = |claim: &str| {
        let claim = claim.to_owned();
        move |what| Missing::of(name, &claim, what)
    };
    // By seed.
    let reference = |name: &str| -> Result<Vec<f64>, Missing> {
        let Quantity { run: of, measure } = &paper.references[name];
        let one = |outcome| Ok(measured(measure, outcome).map_err(missing(name))?[0]);
        run(of).into_iter().map(one).collect()
    };
    let one = |claim: &Claim| {
        let outcomes = run(&claim.run);
        let scale = match &claim.unit {
            Unit::Of(name) => reference(name)?,
            unit => vec![unit.scale(); outcomes.len()],
        };
        let mut by_seed = Vec::new();
        for (outcome, scale) in outcomes.iter().zip(&scale) {
            let numbers = measured(&claim.measure, outcome).map_err(missing(&claim.id))?;
            by_seed.push(numbers.into_iter().map(|number| number / scale).collect::<Vec<_>>());
        }
        let number = |place: usize| by_seed.iter().map(|numbers| numbers[place]).collect::<Vec<_>>();
        let estimates: Vec<_> = (0..by_seed[0].len()).map(|place| Estimate::of(&number(place))).collect();
        let difference = match claim.expect.reference() {
            Some(name) => {
                let others =
                    reference(name)?.iter().zip(&scale).map(|(one, scale)| one / scale).collect::<Vec<_>>();
                Some(Estimate::of_differences(&number(0), &others))
            }
            None => None,
        };
        let run = &paper.runs[&claim.run];
        Ok(Judgement {
            paper: name.to_owned(),
            id: claim.id.clone(),
            statement: claim.statement.clone(),
            source: claim.source.clone(),
            scenario: run.scenario.clone(),
            set: run.set.clone(),
            tune: run.tune.clone(),
            verdict: verdict(claim, &estimates, difference.as_ref()),
            measure: claim.measure.word(),
            measured: estimates.iter().map(|one| one.mean).collect(),
            ci95: estimates.iter().map(|one| one.ci95).collect(),
            seeds: outcomes.len(),
            unit: claim.unit.word(),
            difference,
            expected: claim.expect.words(&claim.unit),
            reason: match &claim.status {
                Status::Expected => None,
                Status::Failing(reason) => Some(reason.clone()),
            },
        })
    };
    paper.claims.iter().map(one).collect()
}

/// A measured number in its unit; `reference` finds the number of one by its name.
pub(super) fn in_unit(number: f64, unit: &Unit, reference: impl Fn(&str) -> f64) -> f64 {
    match unit {
        Unit::Of(name) => number / reference(name),
        unit => number / unit.scale(),
    }
}

fn verdict(claim: &Claim, measured: &[Estimate], difference: Option<&Estimate>) -> Verdict {
    let holds = measured.iter().all(|one| claim.expect.holds(one.mean, difference));
    let sure = measured.iter().all(|one| claim.expect.is_sure(one));
    match (&claim.expect, holds, &claim.status) {
        (Expectation::Report, ..) => Verdict::Info,
        (_, true, _) if !sure => Verdict::Unsure,
        (_, true, Status::Expected) => Verdict::Pass,
        (_, true, Status::Failing(_)) => Verdict::Fixed,
        (_, false, Status::Expected) => Verdict::Fail,
        (_, false, Status::Failing(_)) => Verdict::Known,
    }
}

impl Measure {
    /// What is measured, as the table and the JSON call it.
    fn word(&self) -> &'static str {
        match self {
            Self::Goodput { .. } => GOODPUT,
            Self::Sum { .. } => "sum",
            Self::Mean { .. } => "mean",
            Self::Jain { .. } => "Jain's index",
            Self::Spread { .. } => "largest deviation",
            Self::Variation { .. } => VARIATION,
            Self::TimeToReach { .. } | Self::BackAfter { .. } => "time",
            Self::Total { .. } => "total",
            Self::Lowest { .. } => "lowest total",
            Self::Held { .. } => "held by each",
            Self::Pauses => "pauses",
            Self::Marked => "marked",
            Self::Lost => "lost",
            Self::Queue { .. } => "queue",
            Self::QueueSwing { .. } => "swing",
        }
    }
}

impl Unit {
    pub(super) fn word(&self) -> String {
        match self {
            Self::Gbps => "Gb/s".to_owned(),
            Self::Of(name) => name.clone(),
            Self::Links { .. } => "of each link".to_owned(),
            Self::Ms => "ms".to_owned(),
            Self::Packets => "packets".to_owned(),
            Self::Kb => "KB".to_owned(),
            Self::One => String::new(),
        }
    }

    /// What it is worth in the plain unit of its dimension; a reference's worth is measured.
    fn scale(&self) -> f64 {
        match self {
            Self::Gbps => 1e9,
            Self::Links { count, gbps } => f64::from(*count) * gbps * 1e9,
            Self::Ms => 1e-3,
            Self::Kb => 1e3,
            Self::Of(_) | Self::Packets | Self::One => 1.0,
        }
    }
}

impl Expectation {
    fn words(&self, unit: &Unit) -> String {
        let unit = unit.word();
        let number = |value| with_unit(short(&decimal(value)), &unit);
        match self {
            Self::Within { value, tolerance } => {
                format!("{} ± {} %", number(*value), (tolerance * 1000.0).round() / 10.0)
            }
            Self::AtLeast(least) => format!("at least {}", number(*least)),
            Self::AtMost(most) => format!("at most {}", number(*most)),
            Self::Between(least, most) => format!("{} to {}", short(&decimal(*least)), number(*most)),
            Self::MoreThan(name) => format!("more than {name}"),
            Self::LessThan(name) => format!("less than {name}"),
            Self::Report => String::new(),
        }
    }
}

impl Judgement {
    /// What was measured, as text: one number, or the range of several; with the (widest) interval, and the
    /// difference from what it is compared with.
    pub(crate) fn measured_words(&self) -> String {
        let lowest = self.measured.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.measured.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (lowest, highest) = (decimal(lowest), decimal(highest));
        let range = if lowest == highest { lowest } else { format!("{lowest} to {highest}") };
        let widest = self.ci95.iter().flatten().copied().reduce(f64::max);
        let range = range + &widest.map_or_else(String::new, |half| format!(" ± {}", decimal(half)));
        // Goodput is what is measured if nothing else is said.
        let word = if self.measure == GOODPUT { String::new() } else { format!("{} ", self.measure) };
        let difference = self.difference.as_ref().map_or_else(String::new, |one| {
            let sign = if one.mean < 0.0 { "" } else { "+" };
            format!("\n({sign}{})", one.words())
        });
        with_unit(&format!("{word}{range}"), &self.unit) + &difference
    }
}

impl Estimate {
    /// The mean and its interval.
    pub(super) fn words(&self) -> String {
        let half = self.ci95.map_or_else(String::new, |half| format!(" ± {}", decimal(half)));
        decimal(self.mean) + &half
    }
}

fn decimal(value: f64) -> String {
    format!("{value:.3}")
}

/// A decimal number without the noughts at its end.
fn short(decimal: &str) -> &str {
    decimal.trim_end_matches('0').trim_end_matches('.')
}

fn with_unit(text: &str, unit: &str) -> String {
    if unit.is_empty() { text.to_owned() } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::super::measure::tests::outcome;
    use super::*;

    fn judged(claim: &str) -> Judgement {
        let text = format!(
            r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}},
            references: {{"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))}},
            claims: [(id: "it", statement: "", source: "", run: "run", {claim})])"#
        );
        let outcome = outcome();
        judge("paper", &Paper::read("paper", &text), |_| vec![&outcome]).unwrap().remove(0)
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
    fn marks_and_reports_have_verdicts_of_their_own() {
        let sum = r#"measure: Jain(flows: ["F1", "F3"], phase: 1), unit: One, "#;
        let with = |rest: &str| judged(&format!("{sum} {rest}")).verdict;
        assert_eq!(with("expect: Report"), Verdict::Info);
        assert_eq!(with(r#"expect: AtLeast(0.99), status: Failing("why")"#), Verdict::Known);
        assert_eq!(with(r#"expect: AtLeast(0.80), status: Failing("why")"#), Verdict::Fixed);
        assert_eq!(with("expect: AtMost(0.80)"), Verdict::Fail);
    }

    /// Of two seeds the second delivers twice as much: 4 and 8 Gb/s, which is 6 ± 25.4.
    #[test]
    fn what_the_seeds_do_not_say_is_no_pass() {
        let with = |rest: &str| {
            let text = format!(
                r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}}, references: {{}},
                claims: [(id: "it", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Gbps, {rest})])"#
            );
            let (first, mut second) = (outcome(), outcome());
            for flow in &mut second.summary.phases[0].flows {
                flow.settled_goodput_bps *= 2.0;
            }
            judge("paper", &Paper::read("paper", &text), |_| vec![&first, &second]).unwrap()[0].verdict
        };
        assert_eq!(with("expect: Within(value: 6.0, tolerance: 0.15)"), Verdict::Unsure);
        assert_eq!(with(r#"expect: AtLeast(5.0), status: Failing("why")"#), Verdict::Unsure);
        assert_eq!(with("expect: Within(value: 6.0, tolerance: 4.3)"), Verdict::Pass);
        assert_eq!(with("expect: Within(value: 8.0, tolerance: 0.15)"), Verdict::Fail);
    }

    /// Of two seeds the second delivers twice as much: 4 and 8 Gb/s, against 8 and 16.
    #[test]
    fn seeds_are_compared_one_by_one() {
        let text = r#"(reference: "", runs: {"run": (scenario: "hand-made")}, full: {},
            references: {"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))},
            claims: [
                (id: "less", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Gbps, expect: LessThan("C")),
                (id: "share", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: AtMost(0.5)),
                (id: "share-less", statement: "", source: "", run: "run",
                    measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: LessThan("C")),
            ])"#;
        let (first, mut second) = (outcome(), outcome());
        for flow in &mut second.summary.phases[0].flows {
            flow.settled_goodput_bps *= 2.0;
        }
        let paper = Paper::read("paper", text);
        let judged = judge("paper", &paper, |_| vec![&first, &second]).unwrap();
        // 4 and 8 less 8 and 16: -4 and -8, whose interval is -6 ± 12.706 * 2.
        assert_eq!(judged[0].measured_words(), "6.000 ± 25.412 Gb/s\n(-6.000 ± 25.412)");
        assert_eq!((judged[0].verdict, judged[0].seeds), (Verdict::Fail, 2));
        // Half of C with each seed: no interval to speak of.
        assert_eq!(judged[1].measured_words(), "0.500 ± 0.000 C");
        assert_eq!(judged[1].verdict, Verdict::Pass);
        assert_eq!(judged[2].measured_words(), "0.500 ± 0.000 C\n(-0.500 ± 0.000)");
        assert_eq!((judged[2].verdict, judged[2].expected.as_str()), (Verdict::Pass, "less than C"));
    }
}
