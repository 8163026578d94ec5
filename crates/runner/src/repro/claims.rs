//! What papers report, as data: the language of `fixtures/claims/PAPER.ron`.
//!
//! Invariant: the language is closed. A claim says which run it looks at, what is measured there, in
//! which unit, and what is expected; nothing of it is code.
//!
//! ```text
//! run (scenario + overrides)  ->  measure (numbers)  ->  unit  ->  expectation  ->  verdict
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

/// Papers with claims, by the name that `repro` takes.
pub(crate) const PAPERS: [(&str, &str); 1] =
    [("gran2011", include_str!("../../../../fixtures/claims/gran2011.ron"))];

/// The claims of one paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paper {
    /// Who, what, when, where.
    pub(crate) reference: String,
    /// Runs, by the name that claims call them by.
    pub(crate) runs: BTreeMap<String, Run>,
    /// What `--full` sets in addition, by scenario: the paper's own times.
    pub(crate) full: BTreeMap<String, Vec<String>>,
    /// Quantities that others are measured in, by name.
    pub(crate) references: BTreeMap<String, Quantity>,
    /// What the paper reports.
    pub(crate) claims: Vec<Claim>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// A scenario that ships.
    pub(crate) scenario: String,
    /// What is set in it, each as `PATH=VALUE`.
    #[serde(default)]
    pub(crate) set: Vec<String>,
}

/// A number to be read off a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quantity {
    /// The run, by name.
    pub(crate) run: String,
    /// What is read off it: a single number.
    pub(crate) measure: Measure,
}

/// One thing that the paper reports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    /// A short name, unique among the paper's claims.
    pub(crate) id: String,
    /// What is reported, in our words.
    pub(crate) statement: String,
    /// Where: section, figure, page.
    pub(crate) source: String,
    /// The run, by name.
    pub(crate) run: String,
    /// What is read off it.
    pub(crate) measure: Measure,
    /// The unit of the measured numbers and of the expectation.
    pub(crate) unit: Unit,
    /// What they should be.
    pub(crate) expect: Expectation,
    /// Whether we meet it.
    #[serde(default)]
    pub(crate) status: Status,
}

/// What is read off a run. Phases count from 1; all look at the phase's settled second half.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Measure {
    /// The goodput of each flow.
    Goodput { flows: Vec<String>, phase: usize },
    /// The goodput of all the flows together.
    Sum { flows: Vec<String>, phase: usize },
    /// The mean goodput of the flows.
    Mean { flows: Vec<String>, phase: usize },
    /// Jain's index of the flows' goodput.
    Jain { flows: Vec<String>, phase: usize },
    /// How far the flow that is farthest from the flows' mean goodput is from it, as a share of it.
    Spread { flows: Vec<String>, phase: usize },
    /// How much each flow's goodput varies from sample to sample: standard deviation over mean.
    Variation { flows: Vec<String>, phase: usize },
}

/// The unit of a measured number.
#[derive(Clone, Debug, Deserialize)]
pub(crate) enum Unit {
    /// Gigabits a second; the measure is a goodput.
    Gbps,
    /// A share of a reference, by its name; both measures are goodputs.
    Of(String),
    /// None: an index or a share.
    One,
}

/// What measured numbers should be: every one of them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Expectation {
    /// No farther from `value` than this share of it.
    Within { value: f64, tolerance: f64 },
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
    /// No less than the first, no more than the second.
    Between(f64, f64),
    /// Whatever they are: reported, not judged.
    Report,
}

/// Whether we meet a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum Status {
    /// We do.
    #[default]
    Expected,
    /// We do not, for this reason.
    Failing(String),
}

impl Measure {
    /// The flows that it looks at.
    pub(crate) fn flows(&self) -> &[String] {
        self.parts().0
    }

    /// The phase that it looks at, counted from 1.
    pub(crate) fn phase(&self) -> usize {
        self.parts().1
    }

    fn parts(&self) -> (&[String], usize) {
        match self {
            Self::Goodput { flows, phase }
            | Self::Sum { flows, phase }
            | Self::Mean { flows, phase }
            | Self::Jain { flows, phase }
            | Self::Spread { flows, phase }
            | Self::Variation { flows, phase } => (flows, *phase),
        }
    }

    /// Whether it yields a goodput, not a bare number.
    pub(crate) fn is_goodput(&self) -> bool {
        matches!(self, Self::Goodput { .. } | Self::Sum { .. } | Self::Mean { .. })
    }
}

impl Expectation {
    /// Whether one number is as expected.
    pub(crate) fn holds(self, measured: f64) -> bool {
        match self {
            Self::Within { value, tolerance } => (measured - value).abs() <= tolerance * value.abs(),
            Self::AtLeast(least) => measured >= least,
            Self::AtMost(most) => measured <= most,
            Self::Between(least, most) => (least..=most).contains(&measured),
            Self::Report => true,
        }
    }
}

impl Paper {
    /// The claims as written, checked as far as they can be without a run.
    ///
    /// # Panics
    /// If they are not right: they are part of the program.
    pub(crate) fn read(name: &str, text: &str) -> Self {
        let paper: Self = ron::from_str(text).unwrap_or_else(|fault| panic!("claims of {name}: {fault}"));
        if let Some(fault) = paper.fault() {
            panic!("claims of {name}: {fault}");
        }
        paper
    }

    fn fault(&self) -> Option<String> {
        let quantities =
            self.references.iter().map(|(name, quantity)| (name, &quantity.run, &quantity.measure));
        let claims = self.claims.iter().map(|claim| (&claim.id, &claim.run, &claim.measure));
        for (name, run, measure) in quantities.chain(claims) {
            if !self.runs.contains_key(run) {
                return Some(format!("{name} looks at `{run}`, which is not among the runs"));
            }
            if measure.flows().is_empty() || measure.phase() == 0 {
                return Some(format!("{name} needs a flow and a phase counted from 1"));
            }
        }
        if let Some((name, _)) = self.references.iter().find(|(_, quantity)| !quantity.measure.is_goodput()) {
            return Some(format!("{name} is not a goodput, and nothing can be measured in it"));
        }
        let mut ids: Vec<_> = self.claims.iter().map(|claim| &claim.id).collect();
        ids.sort();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(format!("two claims are called `{}`", twice[0]));
        }
        self.claims.iter().find_map(|claim| match &claim.unit {
            Unit::Of(name) if !self.references.contains_key(name) => {
                Some(format!("{} is measured in `{name}`, which is not among the references", claim.id))
            }
            unit if claim.measure.is_goodput() == matches!(unit, Unit::One) => {
                Some(format!("the unit of {} does not fit what it measures", claim.id))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_s_claims_can_be_read() {
        for (name, text) in PAPERS {
            assert!(!Paper::read(name, text).claims.is_empty());
        }
    }

    #[test]
    fn expectations_have_limits_on_the_right_side() {
        let within = Expectation::Within { value: 0.5, tolerance: 0.05 };
        assert!(within.holds(0.4751) && within.holds(0.5249) && !within.holds(0.474) && !within.holds(0.526));
        assert!(Expectation::AtLeast(1.0).holds(1.0) && !Expectation::AtLeast(1.0).holds(0.999));
        assert!(Expectation::AtMost(1.0).holds(1.0) && !Expectation::AtMost(1.0).holds(1.001));
        let between = Expectation::Between(0.7, 0.95);
        assert!(between.holds(0.7) && between.holds(0.95) && !between.holds(0.96) && !between.holds(0.69));
        assert!(Expectation::Report.holds(f64::NAN) && !within.holds(f64::NAN));
    }

    const SOUND: &str = r#"(
        reference: "Someone 2000",
        runs: {"off": (scenario: "one-flow", set: ["congestion_control=Off"])},
        full: {},
        references: {"C": (run: "off", measure: Goodput(flows: ["F1"], phase: 1))},
        claims: [(
            id: "alone", statement: "F1 gets C", source: "section 1", run: "off",
            measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: AtLeast(1.0),
        )],
    )"#;

    #[test]
    fn what_does_not_fit_together_is_found() {
        assert_eq!(Paper::read("sound", SOUND).claims[0].status, Status::Expected);
        for (from, to, fault) in [
            (r#"run: "off", measure: Goodput(flows: ["F1"], phase: 1))"#, "", "unterminated"),
            (r#"source: "section 1", run: "off""#, r#"source: "", run: "on""#, "not among the runs"),
            (r#"Of("C")"#, r#"Of("D")"#, "not among the references"),
            (r#"Of("C")"#, "One", "does not fit"),
            (r#"flows: ["F1"], phase: 1), unit"#, r#"flows: [], phase: 1), unit"#, "needs a flow"),
            (r#"phase: 1), unit"#, r#"phase: 0), unit"#, "needs a flow"),
        ] {
            let Ok(paper) = ron::from_str::<Paper>(&SOUND.replacen(from, to, 1)) else {
                assert_eq!(fault, "unterminated");
                continue;
            };
            assert!(paper.fault().is_some_and(|found| found.contains(fault)), "{fault}");
        }
    }
}
