//! From a run to a verdict.
//!
//! Invariant: a verdict depends on nothing but the claim and the record of the runs it names.

use report::goodput::jain;
use report::summary::PhaseSummary;
use serde::Serialize;

use super::claims::{Claim, Expectation, Measure, Paper, Status, Unit};
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
    /// What is measured, in words.
    pub(crate) measure: &'static str,
    /// In `unit`, as many as the measure yields.
    pub(crate) measured: Vec<f64>,
    pub(crate) unit: String,
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

/// Judges a paper's claims; `run` finds the outcome of a run by its name.
pub(crate) fn judge<'a>(
    name: &str,
    paper: &Paper,
    run: impl Fn(&str) -> &'a Outcome,
) -> Result<Vec<Judgement>, Missing> {
    let measure = |of: &str, run_name: &str, measure: &Measure| {
        measured(measure, run(run_name)).map_err(|what| Missing {
            paper: name.to_owned(),
            claim: of.to_owned(),
            what,
        })
    };
    let reference = |name: &str| {
        let quantity = &paper.references[name];
        Ok(measure(name, &quantity.run, &quantity.measure)?[0])
    };
    let one = |claim: &Claim| {
        let mut measured = measure(&claim.id, &claim.run, &claim.measure)?;
        let scale = match &claim.unit {
            Unit::Gbps => 1e9,
            Unit::Of(name) => reference(name)?,
            Unit::One => 1.0,
        };
        measured.iter_mut().for_each(|number| *number /= scale);
        let run = &paper.runs[&claim.run];
        Ok(Judgement {
            paper: name.to_owned(),
            id: claim.id.clone(),
            statement: claim.statement.clone(),
            source: claim.source.clone(),
            scenario: run.scenario.clone(),
            set: run.set.clone(),
            verdict: verdict(claim, &measured),
            measure: claim.measure.word(),
            measured,
            unit: claim.unit.word(),
            expected: claim.expect.words(&claim.unit),
            reason: match &claim.status {
                Status::Expected => None,
                Status::Failing(reason) => Some(reason.clone()),
            },
        })
    };
    paper.claims.iter().map(one).collect()
}

fn verdict(claim: &Claim, measured: &[f64]) -> Verdict {
    let holds = measured.iter().all(|number| claim.expect.holds(*number));
    match (claim.expect, &claim.status, holds) {
        (Expectation::Report, ..) => Verdict::Info,
        (_, Status::Expected, true) => Verdict::Pass,
        (_, Status::Expected, false) => Verdict::Fail,
        (_, Status::Failing(_), true) => Verdict::Fixed,
        (_, Status::Failing(_), false) => Verdict::Known,
    }
}

/// The numbers that a measure yields: goodput in bit/s, all else without unit.
fn measured(measure: &Measure, outcome: &Outcome) -> Result<Vec<f64>, String> {
    let phase = measure.phase();
    let phase = outcome.summary.phases.get(phase - 1).ok_or_else(|| format!("phase {phase}"))?;
    let places = measure.flows().iter().map(|flow| {
        phase.flows.iter().position(|one| one.flow == *flow).ok_or_else(|| format!("flow {flow}"))
    });
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let goodput: Vec<f64> = places.iter().map(|place| phase.flows[*place].settled_goodput_bps).collect();
    let sum: f64 = goodput.iter().sum();
    let mean = sum / goodput.len() as f64;
    Ok(match measure {
        Measure::Goodput { .. } => goodput,
        Measure::Sum { .. } => vec![sum],
        Measure::Mean { .. } => vec![mean],
        Measure::Jain { .. } => vec![jain(goodput)],
        Measure::Spread { .. } => {
            vec![goodput.iter().map(|one| (one - mean).abs() / mean).fold(0.0, f64::max)]
        }
        Measure::Variation { .. } => {
            places.iter().map(|place| variation(&samples(outcome, phase, *place))).collect()
        }
    })
}

/// A flow's samples within the settled half of a phase.
fn samples(outcome: &Outcome, phase: &PhaseSummary, flow: usize) -> Vec<f64> {
    let series = &outcome.record.series;
    let middle = f64::midpoint(phase.from_s, phase.to_s);
    let rows = (1..).zip(&series.rows).map(|(number, row)| ((series.interval * number).seconds(), row));
    // A sample is about the interval that ends with it.
    let settled =
        rows.filter(|(end, _)| *end > middle + 0.5 * series.interval.seconds() && *end <= phase.to_s);
    settled.map(|(_, row)| row[flow].get() as f64).collect()
}

/// Standard deviation over mean; 0 where there is nothing to vary.
fn variation(samples: &[f64]) -> f64 {
    let count = samples.len().max(1) as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let variance = samples.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count;
    if mean == 0.0 { 0.0 } else { variance.sqrt() / mean }
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
        }
    }
}

impl Unit {
    fn word(&self) -> String {
        match self {
            Self::Gbps => "Gb/s".to_owned(),
            Self::Of(name) => name.clone(),
            Self::One => String::new(),
        }
    }
}

impl Expectation {
    fn words(self, unit: &Unit) -> String {
        let unit = unit.word();
        let number = |value| with_unit(short(&decimal(value)), &unit);
        match self {
            Self::Within { value, tolerance } => {
                format!("{} ± {} %", number(value), (tolerance * 1000.0).round() / 10.0)
            }
            Self::AtLeast(least) => format!("at least {}", number(least)),
            Self::AtMost(most) => format!("at most {}", number(most)),
            Self::Between(least, most) => format!("{} to {}", short(&decimal(least)), number(most)),
            Self::Report => String::new(),
        }
    }
}

impl Judgement {
    /// What was measured, as text: one number, or the range of several.
    pub(crate) fn measured_words(&self) -> String {
        let lowest = self.measured.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.measured.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (lowest, highest) = (decimal(lowest), decimal(highest));
        let range = if lowest == highest { lowest } else { format!("{lowest} to {highest}") };
        // Goodput is what is measured if nothing else is said.
        let word = if self.measure == GOODPUT { String::new() } else { format!("{} ", self.measure) };
        with_unit(&format!("{word}{range}"), &self.unit)
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
    use report::{Context, Cost, Summary};
    use telemetry::{FlowRecord, Phase, RunRecord, Series, Snapshot};
    use units::{Bytes, Span, Time};

    use super::*;

    /// One phase of 4 ms with three flows; in its second half they deliver 1, 1 and 2 MB.
    fn outcome() -> Outcome {
        let at = |ms: u64| Span::from_us(1000 * ms).after_start();
        let bytes = |kb: [u64; 3]| kb.iter().map(|kb| Bytes::new(kb * 1000)).collect::<Vec<_>>();
        let flow = |name: &str| FlowRecord { name: name.to_owned(), named: true, ..FlowRecord::default() };
        let record = RunRecord {
            flows: vec![flow("F1"), flow("F2"), flow("F3")],
            phases: vec![Phase { name: "F1 starts".to_owned(), from: Time::ZERO, to: at(4) }],
            snapshots: [(0, [0, 0, 0]), (2, [900, 0, 0]), (4, [1900, 1000, 2000])]
                .map(|(ms, kb)| Snapshot { at: at(ms), delivered: bytes(kb) })
                .to_vec(),
            series: Series {
                interval: Span::from_us(1000),
                rows: [[900, 0, 0], [0, 0, 0], [500, 250, 1000], [500, 750, 1000]].map(bytes).to_vec(),
            },
            ..RunRecord::default()
        };
        let context = Context { scenario: "hand-made", congestion_control: "Off", seed: 1, version: "0.0.0" };
        Outcome { summary: Summary::new(context, &record, Cost::default()), record }
    }

    fn of(make: impl Fn(Vec<String>, usize) -> Measure, flows: &[&str]) -> Vec<f64> {
        measured(&make(flows.iter().map(|&flow| flow.to_owned()).collect(), 1), &outcome()).unwrap()
    }

    #[test]
    fn measures_look_at_the_settled_half() {
        let all = ["F1", "F2", "F3"];
        assert_eq!(of(|flows, phase| Measure::Goodput { flows, phase }, &all), [4e9, 4e9, 8e9]);
        assert_eq!(of(|flows, phase| Measure::Sum { flows, phase }, &["F1", "F3"]), [12e9]);
        assert_eq!(of(|flows, phase| Measure::Mean { flows, phase }, &["F1", "F3"]), [6e9]);
        assert_eq!(of(|flows, phase| Measure::Jain { flows, phase }, &all), [16.0 * 16.0 / (3.0 * 96.0)]);
        let two = ["F1", "F3"];
        assert!((of(|flows, phase| Measure::Spread { flows, phase }, &two)[0] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(of(|flows, phase| Measure::Variation { flows, phase }, &all), [0.0, 0.5, 0.0]);
    }

    #[test]
    fn a_missing_flow_or_phase_is_named() {
        let measure = |flow: &str, phase| Measure::Sum { flows: vec![flow.to_owned()], phase };
        assert_eq!(measured(&measure("F9", 1), &outcome()), Err("flow F9".to_owned()));
        assert_eq!(measured(&measure("F1", 2), &outcome()), Err("phase 2".to_owned()));
    }

    fn judged(claim: &str) -> Judgement {
        let text = format!(
            r#"(reference: "", runs: {{"run": (scenario: "hand-made")}}, full: {{}},
            references: {{"C": (run: "run", measure: Goodput(flows: ["F3"], phase: 1))}},
            claims: [(id: "it", statement: "", source: "", run: "run", {claim})])"#
        );
        let outcome = outcome();
        judge("paper", &Paper::read("paper", &text), |_| &outcome).unwrap().remove(0)
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
}
