//! The best of several settings, by how much, and how sure that is.
//!
//! Invariant: settings are compared on the seeds that all of them have. A setting with an unknown number ranks behind
//! every setting with known numbers only, and the verdict counts such numbers.
//!
//! | step | method |
//! |---|---|
//! | rank | by the number of seeds without a known number, then by the mean over seeds |
//! | difference | of the best to each other setting, paired by seed: common random numbers cancel what seeds share |
//! | test | paired t; the exact sign test if a number is censored or missing, which is then worse than a known number; none of a setting without any number |
//! | correction | Holm, for the comparisons of the best with each other (Hsu 1984: comparisons with the best need no others) |

mod printed;

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate::Estimate;
use super::reading::Reading;
use super::{holm, power, sign_test};
use measures::{Direction, Measure, Unit};

pub(crate) use printed::chance_in_words;

/// Largest number of further seeds that an answer proposes: a smaller difference hardly matters.
pub(crate) const MOST_MORE: usize = 100;
/// Chance below which a difference is called significant.
pub const LEVEL: f64 = 0.05;
/// Share of the other setting's number below which a difference is not worth further seeds.
const NEGLIGIBLE: f64 = 1e-3;

/// The question that a verdict answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictQuestion {
    /// The measure, as users write it.
    pub measure: String,
    /// Unit of its numbers.
    #[serde(skip)]
    pub unit: Unit,
    /// Direction that is better.
    #[serde(skip)]
    pub better: Direction,
    /// Place of the setting with which the best is compared; `None` for the next best.
    pub baseline: Option<usize>,
}

/// A setting, and its number for each seed.
#[derive(Clone, Debug)]
pub struct Setting<K> {
    /// Name, or the settings varied: `ccti_timer=30`.
    pub name: String,
    /// Varied values that are the smallest or largest tried.
    pub edges: Vec<EdgeOfTried>,
    /// The number of each seed.
    pub readings: BTreeMap<K, Reading>,
}

/// A varied value beyond which none was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EdgeOfTried {
    /// Path of the varied field.
    pub path: String,
    /// Its value.
    pub value: String,
    /// True for the largest value tried, false for the smallest.
    pub is_largest: bool,
}

/// Reason for which there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVerdict {
    /// There is no setting.
    #[error("there is no setting to compare")]
    NoSetting,
    /// No seed was run with every setting.
    #[error("no seed was run with every setting")]
    NoCommonSeed,
    /// No setting has a number.
    #[error("no run has a number that is known")]
    NothingKnown,
}

/// The best setting, and the others compared with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The question.
    pub question: VerdictQuestion,
    /// Number of seeds that every setting has.
    pub seeds: usize,
    /// Number of numbers of other seeds, which were not used.
    pub left_out: usize,
    /// The best setting.
    pub best: Ranked,
    /// The other settings, best first, each compared with the best.
    pub others: Vec<Comparison>,
    /// Place of the comparison that the verdict is about: with the baseline, or with the next best.
    pub against: Option<usize>,
}

/// A setting with its mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Place of the setting among those given.
    pub place: usize,
    /// Name of the setting.
    pub name: String,
    /// Mean over the seeds with its 95 % interval; `None` if a number is not known.
    pub estimate: Option<Estimate>,
    /// Numbers of seeds that are censored.
    pub censored: usize,
    /// Numbers of seeds that are missing.
    pub missing: usize,
    /// Varied values that are the smallest or largest tried.
    pub edges: Vec<EdgeOfTried>,
}

/// Test of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Student's t of paired differences.
    PairedT,
    /// The exact test of signs.
    Signs,
    /// No test: no run of the other setting has a number, which says nothing about how much worse it is.
    Impossible,
}

/// A setting compared with the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The other setting.
    pub other: Ranked,
    /// Amount by which the best is better, with its 95 % interval. It is a lower bound without an interval if a number
    /// of the other is censored, and `None` if it is not known.
    pub advantage: Option<Estimate>,
    /// Seeds in which the best is better, and in which the other is.
    pub wins: (usize, usize),
    /// The test.
    pub test: Test,
    /// Chance of so large a difference between equal settings; `None` for a single seed, or without a test.
    pub chance: Option<f64>,
    /// The same after Holm's correction.
    pub corrected_chance: Option<f64>,
    /// True if the corrected chance is below 5 %.
    pub significant: bool,
    /// Seeds, more than there are, with which the difference would be significant with a chance of 80 % if it stays as
    /// it is; by the sign test, with which it can be significant at all. `None` if it is significant, or no number of
    /// seeds is enough.
    pub more_seeds: Option<usize>,
}

impl VerdictQuestion {
    /// Asks for the best by a measure, in the measure's own better direction.
    #[must_use]
    pub fn of(measure: &Measure, baseline: Option<usize>) -> Self {
        let info = measure.quantity.info();
        Self { measure: measure.to_string(), unit: info.unit, better: info.better, baseline }
    }
}

impl Verdict {
    /// Compares settings.
    ///
    /// # Errors
    /// If there is nothing to compare.
    ///
    /// # Panics
    /// If the baseline is not among the settings.
    pub fn of<K: Ord>(question: VerdictQuestion, settings: &[Setting<K>]) -> Result<Self, NoVerdict> {
        assert!(question.baseline.is_none_or(|place| place < settings.len()), "the baseline is a setting");
        let rows = common(settings)?;
        let seeds = rows[0].len();
        let left_out = settings.iter().map(|setting| setting.readings.len() - seeds).sum();
        if rows.iter().flatten().all(|reading| reading.known().is_none()) {
            return Err(NoVerdict::NothingKnown);
        }
        let order = ranking(&rows, question.better);
        let ranked = |place: usize| Ranked::new(place, &settings[place], &rows[place]);
        let compare =
            |place: &usize| Comparison::new(ranked(*place), &rows[order[0]], &rows[*place], question.better);
        let mut others: Vec<_> = order[1..].iter().map(compare).collect();
        correct(&mut others);
        let of_baseline = |baseline| others.iter().position(|one| Some(one.other.place) == baseline);
        let against = of_baseline(question.baseline).or_else(|| (!others.is_empty()).then_some(0));
        Ok(Self { best: ranked(order[0]), question, seeds, left_out, others, against })
    }

    /// Returns the comparison that the verdict is about; `None` with a single setting.
    #[must_use]
    pub fn comparison(&self) -> Option<&Comparison> {
        self.against.map(|place| &self.others[place])
    }
}

/// Returns the readings of each setting, of the seeds that all settings have, in the order of the seeds.
fn common<K: Ord>(settings: &[Setting<K>]) -> Result<Vec<Vec<Reading>>, NoVerdict> {
    let first = settings.first().ok_or(NoVerdict::NoSetting)?;
    let has_all = |seed: &&K| settings.iter().all(|setting| setting.readings.contains_key(seed));
    let seeds: Vec<_> = first.readings.keys().filter(has_all).collect();
    if seeds.is_empty() {
        return Err(NoVerdict::NoCommonSeed);
    }
    let row = |setting: &Setting<K>| seeds.iter().map(|seed| setting.readings[*seed]).collect();
    Ok(settings.iter().map(row).collect())
}

/// Returns the places of the settings, best first. Equal settings keep the given order.
fn ranking(rows: &[Vec<Reading>], better: Direction) -> Vec<usize> {
    let key = |place: &usize| {
        let known: Vec<_> = rows[*place].iter().filter_map(|reading| reading.known()).collect();
        let unknown = rows[*place].len() - known.len();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let cost = match better {
            Direction::Smaller => mean,
            Direction::Larger => -mean,
        };
        let missing = rows[*place].iter().filter(|reading| matches!(reading, Reading::Missing)).count();
        // A setting without any known number has no mean, and its cost is the highest in the total order.
        (unknown, if known.is_empty() { f64::INFINITY } else { cost }, missing)
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
    });
    order
}

/// Corrects the chances of all comparisons together.
fn correct(comparisons: &mut [Comparison]) {
    let mut tested: Vec<_> = comparisons.iter_mut().filter(|one| one.chance.is_some()).collect();
    let chances: Vec<f64> = tested.iter().filter_map(|one| one.chance).collect();
    // The first step of Holm's procedure, the strictest.
    let level = LEVEL / tested.len().max(1) as f64;
    for (one, corrected) in tested.iter_mut().zip(holm::adjusted(&chances)) {
        one.corrected_chance = Some(corrected);
        let is_ahead = match one.test {
            Test::PairedT => one.advantage.is_some_and(|advantage| advantage.mean > 0.0),
            Test::Signs => one.wins.0 > one.wins.1,
            Test::Impossible => false,
        };
        one.significant = is_ahead && corrected < LEVEL;
        one.more_seeds = match one.test {
            _ if one.significant || one.is_negligible() => None,
            Test::PairedT => one.advantage.and_then(|advantage| {
                Some(power::seeds_needed(&advantage, level)?.saturating_sub(advantage.seeds).max(1))
            }),
            // Pairs without an order count for nothing, however many there are.
            Test::Signs if one.wins.0 > 0 && one.wins.1 == 0 => {
                sign_test::pairs_needed(level).checked_sub(one.wins.0).filter(|more| *more > 0)
            }
            Test::Signs | Test::Impossible => None,
        };
    }
}

impl Ranked {
    fn new<K>(place: usize, setting: &Setting<K>, row: &[Reading]) -> Self {
        let known: Option<Vec<f64>> = row.iter().map(|reading| reading.known()).collect();
        let count = |wanted: fn(&Reading) -> bool| row.iter().filter(|reading| wanted(reading)).count();
        Self {
            place,
            name: setting.name.clone(),
            estimate: known.map(|values| Estimate::of(&values)),
            censored: count(|reading| matches!(reading, Reading::AtLeast(_))),
            missing: count(|reading| matches!(reading, Reading::Missing)),
            edges: setting.edges.clone(),
        }
    }

    /// Returns the number of seeds without a known number.
    #[must_use]
    pub fn unknown(&self) -> usize {
        self.censored + self.missing
    }
}

impl Comparison {
    fn new(other: Ranked, best: &[Reading], row: &[Reading], better: Direction) -> Self {
        let pairs = || best.iter().zip(row);
        let advantages: Option<Vec<f64>> =
            pairs().map(|(mine, theirs)| mine.advantage_over(*theirs, better)).collect();
        let signs: Vec<_> = pairs().map(|(mine, theirs)| mine.sign_over(*theirs, better)).collect();
        let count = |wanted: i32| signs.iter().filter(|sign| **sign == wanted).count();
        let wins = (count(1), count(-1));
        let all_known = pairs().all(|(mine, theirs)| mine.known().and(theirs.known()).is_some());
        let has_none = row.iter().all(|reading| matches!(reading, Reading::Missing));
        let (test, advantage) = match advantages.map(|values| Estimate::of(&values)) {
            _ if has_none => (Test::Impossible, None),
            Some(advantage) if all_known => (Test::PairedT, Some(advantage)),
            // A mean of lower bounds is a lower bound, and has no interval.
            advantage => (Test::Signs, advantage.map(|bound| Estimate { ci95: None, ..bound })),
        };
        let chance = match test {
            Test::PairedT => advantage.and_then(|advantage| advantage.chance_if_zero()),
            Test::Signs => (best.len() > 1).then(|| sign_test::chance(wins.0, wins.1)),
            Test::Impossible => None,
        };
        Self {
            other,
            advantage,
            wins,
            test,
            chance,
            corrected_chance: None,
            significant: false,
            more_seeds: None,
        }
    }

    /// Returns true if both settings have the same number in every seed.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.test == Test::PairedT && self.advantage.is_some_and(|one| one.is_zero())
    }

    /// Returns true if no run of the other setting has a number, so that there is nothing to compare.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.test == Test::Impossible
    }

    /// Returns true if no seed tells which setting is better: a bound of the other is no worse than the best's number.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.test == Test::Signs && self.wins == (0, 0)
    }

    /// Returns true if the difference is known, and is too small to matter.
    fn is_negligible(&self) -> bool {
        let numbers = self.advantage.zip(self.other.estimate);
        self.test == Test::PairedT
            && numbers.is_some_and(|(by, other)| by.mean.abs() < NEGLIGIBLE * other.mean.abs())
    }

    /// Returns true if the best is better in every seed that tells, and these are too few for the sign test.
    #[must_use]
    pub fn is_undecidable(&self) -> bool {
        self.test == Test::Signs && self.more_seeds.is_some()
    }

    /// Returns true if every seed has the same difference, up to rounding: the seeds change nothing, or both settings
    /// alike.
    #[must_use]
    pub fn is_alike(&self) -> bool {
        self.advantage.is_some_and(|one| one.ci95.is_some() && one.spread().is_none())
    }
}

#[cfg(test)]
mod tests;
