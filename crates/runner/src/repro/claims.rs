//! What papers report, as data: the language of `fixtures/claims/PAPER.ron`.
//!
//! Invariant: the language is closed. A claim says which run it looks at, what is measured there, in
//! which unit, and what is expected; nothing of it is code.
//!
//! ```text
//! run (scenario + overrides), for each seed  ->  measure (numbers)  ->  unit  ->  mean and interval
//!                                                                   ->  expectation  ->  verdict
//! ```

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;

use super::figures::Figure;
use super::grid::Grid;
use super::statistics::Estimate;
use super::sweeps::Sweep;
use super::tables::Table;
use super::tuning::Tuning;

/// Papers with claims, by the name that `repro` takes.
pub(crate) const PAPERS: [(&str, &str); 6] = [
    ("hp2001", include_str!("../../../../fixtures/claims/hp2001.ron")),
    ("santos2003", include_str!("../../../../fixtures/claims/santos2003.ron")),
    ("gran2011", include_str!("../../../../fixtures/claims/gran2011.ron")),
    ("pfister2005", include_str!("../../../../fixtures/claims/pfister2005.ron")),
    ("zhu2015", include_str!("../../../../fixtures/claims/zhu2015.ron")),
    ("zhu2016", include_str!("../../../../fixtures/claims/zhu2016.ron")),
];

/// The claims of one paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paper {
    /// Who, what, when, where.
    pub(crate) reference: String,
    /// With how many seeds each run is made: 1, 2, and so on.
    #[serde(default)]
    pub(crate) seeds: Seeds,
    /// Runs, by the name that claims call them by.
    pub(crate) runs: BTreeMap<String, Run>,
    /// What `--full` sets in addition, by scenario: the paper's own times.
    pub(crate) full: BTreeMap<String, Vec<String>>,
    /// Quantities that others are measured in, by name.
    pub(crate) references: BTreeMap<String, Quantity>,
    /// What the paper reports.
    pub(crate) claims: Vec<Claim>,
    /// Tables of many runs: organisation by marking by response.
    #[serde(default)]
    pub(crate) tables: Vec<Table>,
    /// Figures of one setting over its range.
    #[serde(default)]
    pub(crate) sweeps: Vec<Sweep>,
    /// Cases that are run with `--full` only.
    #[serde(default)]
    pub(crate) grid: Option<Grid>,
    /// Figures of some of the runs, each with the first seed.
    #[serde(default)]
    pub(crate) figures: Vec<Figure>,
}

/// With how many seeds a run is made.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seeds {
    /// Usually.
    pub(crate) quick: u64,
    /// With `--full`.
    pub(crate) full: u64,
}

impl Default for Seeds {
    fn default() -> Self {
        Self { quick: 1, full: 1 }
    }
}

impl Seeds {
    /// Which: from 1 on.
    pub(crate) fn all(self, full: bool) -> RangeInclusive<u64> {
        1..=if full { self.full } else { self.quick }
    }
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
    /// Settings of its congestion control that are other than those.
    #[serde(default)]
    pub(crate) tune: Vec<Tuning>,
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

/// What is read off a run. Phases count from 1; all but `TimeToReach`, `Lowest`,
/// `BackAfter`, `Held` and what counts packets look at a phase's settled second half. Flows go by their names; `local*` means all whose names begin so.
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
    /// From the phase's start to the end of the first sample in which the flows together have this share of
    /// what the phase gave them: from their goodput in the settled half of the phase before to that in the
    /// last tenth of this one.
    TimeToReach { flows: Vec<String>, phase: usize, share: f64 },
    /// The goodput of all flows together, named or not.
    Total { phase: usize },
    /// The goodput of all flows together in the sample of the phase in which it is lowest, among the whole
    /// phase's samples.
    Lowest { phase: usize },
    /// From the phase's start to the end of the first sample in which all flows together have this share of what
    /// they had in the settled half of the first phase.
    BackAfter { phase: usize, share: f64 },
    /// What the input buffers of these switches hold on average over the whole run, for each of the flows, in
    /// packets of this length.
    Held { switches: Vec<String>, flows: Vec<String>, packet_bytes: u32 },
    /// What waits on average at a place that the scenario watches: `SWITCH:PORT`.
    Queue { place: String, phase: usize },
    /// How far what waits there swings: from the value that 5 % of the samples are below to the one that 5 % are above.
    QueueSwing { place: String, phase: usize },
    /// PAUSE frames sent over the whole run, those that ask again included.
    Pauses,
    /// Packets marked over the whole run.
    Marked,
    /// Packets lost over the whole run.
    Lost,
}

/// What a measure yields numbers of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// Goodput, in bit/s.
    Goodput,
    /// Time, in s.
    Time,
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Nothing: an index or a share.
    None,
}

/// The unit of a measured number.
#[derive(Clone, Debug, Deserialize)]
pub(crate) enum Unit {
    /// Gigabits a second; the measure is a goodput.
    Gbps,
    /// A share of a reference, by its name; both measures are goodputs.
    Of(String),
    /// A share of the data rate of so many hosts' links; the measure is a goodput.
    Links { count: u32, gbps: f64 },
    /// Milliseconds; the measure is a time.
    Ms,
    /// Packets.
    Packets,
    /// Kilobytes, of 1,000 bytes.
    Kb,
    /// None: an index or a share.
    One,
}

/// What measured numbers should be: every one of them, as the mean over the seeds. Whether the seeds are enough to say so
/// is another question: [`Expectation::is_sure`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
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
    /// More than a reference, by its name, seed by seed: the 95 % interval of the difference is above 0.
    MoreThan(String),
    /// Less than a reference: the 95 % interval of the difference is below 0.
    LessThan(String),
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
        match self {
            Self::Goodput { flows, .. }
            | Self::Sum { flows, .. }
            | Self::Mean { flows, .. }
            | Self::Jain { flows, .. }
            | Self::Spread { flows, .. }
            | Self::Variation { flows, .. }
            | Self::TimeToReach { flows, .. }
            | Self::Held { flows, .. } => flows,
            Self::Total { .. }
            | Self::Lowest { .. }
            | Self::BackAfter { .. }
            | Self::Queue { .. }
            | Self::QueueSwing { .. }
            | Self::Pauses
            | Self::Marked
            | Self::Lost => &[],
        }
    }

    /// The phase that it looks at, counted from 1; none if at the whole run.
    pub(crate) fn phase(&self) -> Option<usize> {
        match self {
            Self::Goodput { phase, .. }
            | Self::Sum { phase, .. }
            | Self::Mean { phase, .. }
            | Self::Jain { phase, .. }
            | Self::Spread { phase, .. }
            | Self::Variation { phase, .. }
            | Self::TimeToReach { phase, .. }
            | Self::Total { phase }
            | Self::Lowest { phase }
            | Self::BackAfter { phase, .. }
            | Self::Queue { phase, .. }
            | Self::QueueSwing { phase, .. } => Some(*phase),
            Self::Held { .. } | Self::Pauses | Self::Marked | Self::Lost => None,
        }
    }

    /// What it yields numbers of.
    pub(crate) fn dimension(&self) -> Dimension {
        match self {
            Self::Goodput { .. }
            | Self::Sum { .. }
            | Self::Mean { .. }
            | Self::Total { .. }
            | Self::Lowest { .. } => Dimension::Goodput,
            Self::Jain { .. } | Self::Spread { .. } | Self::Variation { .. } => Dimension::None,
            Self::TimeToReach { .. } | Self::BackAfter { .. } => Dimension::Time,
            Self::Held { .. } | Self::Pauses | Self::Marked | Self::Lost => Dimension::Packets,
            Self::Queue { .. } | Self::QueueSwing { .. } => Dimension::Bytes,
        }
    }
}

impl Unit {
    /// What it is a unit of.
    pub(crate) fn dimension(&self) -> Dimension {
        match self {
            Self::Gbps | Self::Of(_) | Self::Links { .. } => Dimension::Goodput,
            Self::Ms => Dimension::Time,
            Self::Packets => Dimension::Packets,
            Self::Kb => Dimension::Bytes,
            Self::One => Dimension::None,
        }
    }
}

impl Expectation {
    /// The reference that it compares with, by name.
    pub(crate) fn reference(&self) -> Option<&str> {
        match self {
            Self::MoreThan(name) | Self::LessThan(name) => Some(name),
            _ => None,
        }
    }

    /// Whether one number is as expected, with its difference from the reference where it is compared.
    pub(crate) fn holds(&self, measured: f64, difference: Option<&Estimate>) -> bool {
        match self {
            Self::Within { value, tolerance } => (measured - value).abs() <= tolerance * value.abs(),
            Self::AtLeast(least) => measured >= *least,
            Self::AtMost(most) => measured <= *most,
            Self::Between(least, most) => (*least..=*most).contains(&measured),
            Self::MoreThan(_) => difference.is_some_and(|difference| difference.low() > 0.0),
            Self::LessThan(_) => difference.is_some_and(|difference| difference.high() < 0.0),
            Self::Report => true,
        }
    }

    /// Whether the seeds say enough of a number that is as expected: its 95 % interval is no wider than what is allowed,
    /// or, where that has one end only, wholly on its side. One seed has no interval, and is taken at its word.
    pub(crate) fn is_sure(&self, measured: &Estimate) -> bool {
        let half = measured.ci95.unwrap_or_default();
        match self {
            Self::Within { value, tolerance } => half <= tolerance * value.abs(),
            Self::Between(least, most) => half <= (most - least) / 2.0,
            Self::AtLeast(least) => measured.low() >= *least,
            Self::AtMost(most) => measured.high() <= *most,
            // Their own verdict is about an interval.
            Self::MoreThan(_) | Self::LessThan(_) | Self::Report => true,
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
        let holds = |expectation: &Expectation, measured| expectation.holds(measured, None);
        let within = Expectation::Within { value: 0.5, tolerance: 0.05 };
        assert!(holds(&within, 0.4751) && holds(&within, 0.5249));
        assert!(!holds(&within, 0.474) && !holds(&within, 0.526));
        assert!(holds(&Expectation::AtLeast(1.0), 1.0) && !holds(&Expectation::AtLeast(1.0), 0.999));
        assert!(holds(&Expectation::AtMost(1.0), 1.0) && !holds(&Expectation::AtMost(1.0), 1.001));
        let between = Expectation::Between(0.7, 0.95);
        assert!(holds(&between, 0.7) && holds(&between, 0.95));
        assert!(!holds(&between, 0.96) && !holds(&between, 0.69));
        assert!(holds(&Expectation::Report, f64::NAN) && !holds(&within, f64::NAN));
    }

    #[test]
    fn an_interval_wider_than_what_is_allowed_says_nothing() {
        let estimate = |mean, half: f64| Estimate { mean, ci95: (half > 0.0).then_some(half), seeds: 2 };
        let within = Expectation::Within { value: -100.0, tolerance: 0.15 };
        assert!(within.is_sure(&estimate(-110.0, 15.0)) && !within.is_sure(&estimate(-100.0, 15.1)));
        let between = Expectation::Between(10.0, 20.0);
        assert!(between.is_sure(&estimate(19.0, 5.0)) && !between.is_sure(&estimate(15.0, 5.1)));
        let (least, most) = (Expectation::AtLeast(10.0), Expectation::AtMost(10.0));
        assert!(least.is_sure(&estimate(12.0, 2.0)) && !least.is_sure(&estimate(12.0, 2.1)));
        assert!(most.is_sure(&estimate(8.0, 2.0)) && !most.is_sure(&estimate(8.0, 2.1)));
        assert!(most.is_sure(&estimate(10.0, 0.0)) && Expectation::Report.is_sure(&estimate(0.0, 1e9)));
    }

    #[test]
    fn a_comparison_holds_if_the_whole_interval_is_on_its_side() {
        let difference = |values: &[f64]| Estimate::of(values);
        let (more, less) = (Expectation::MoreThan("it".into()), Expectation::LessThan("it".into()));
        let (above, below) = (difference(&[0.9, 1.0, 1.1]), difference(&[-0.9, -1.0, -1.1]));
        let unsure = difference(&[-1.0, 1.0, 1.5]);
        assert!(more.holds(0.0, Some(&above)) && less.holds(0.0, Some(&below)));
        assert!(!more.holds(0.0, Some(&below)) && !less.holds(0.0, Some(&above)));
        assert!(!more.holds(0.0, Some(&unsure)) && !less.holds(0.0, Some(&unsure)));
        assert!(!more.holds(9.0, None) && !less.holds(-9.0, None));
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
            ("AtLeast(1.0)", r#"MoreThan("D")"#, "not among the references"),
            (r#"Of("C"), expect: AtLeast(1.0)"#, r#"Ms, expect: AtLeast(1.0)"#, "does not fit"),
            (
                r#"Goodput(flows: ["F1"], phase: 1), unit"#,
                r#"TimeToReach(flows: ["F1"], phase: 1, share: 0.9), unit"#,
                "before its own",
            ),
        ] {
            let Ok(paper) = ron::from_str::<Paper>(&SOUND.replacen(from, to, 1)) else {
                assert_eq!(fault, "unterminated");
                continue;
            };
            assert!(paper.fault().is_some_and(|found| found.contains(fault)), "{fault}");
        }
    }
}
