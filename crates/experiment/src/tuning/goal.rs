//! Goals of a tuning as users write them: objectives and constraints over measures.
//!
//! Invariant: a goal names a measure that every run of the scenario lists, or it is refused before the first run.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use scenario::{Plan, help_with_name};

use super::answer::Side;
use crate::measuring;
use crate::store::UnitResult;
use measures::{Direction, Measure, MeasureError, Measured, NumberError};

/// An objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    /// The measure.
    pub measure: Measure,
    /// Direction that is wanted.
    pub direction: Direction,
}

/// A constraint: `last(incast) < 3 ms`, `goodput(all) >= 2 Tb/s`. It has to hold in every run of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The measure.
    pub measure: Measure,
    /// Comparison.
    pub comparison: Comparison,
    /// Bound, in the plain unit of the measure.
    pub bound: f64,
}

/// Comparison of a measure with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`.
    Below,
    /// `<=`.
    AtMost,
    /// `>`.
    Above,
    /// `>=`.
    AtLeast,
}

/// Error of a text that is not a goal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GoalError {
    /// The measure is wrong.
    #[error("{0}")]
    Measure(#[from] MeasureError),
    /// The comparison is missing.
    #[error("column {column} of `{text}`: the comparison is missing")]
    Comparison {
        /// The text as given.
        text: String,
        /// First character behind the measure, counted from 1.
        column: usize,
    },
    /// The bound is wrong.
    #[error("column {column} of `{text}`: {fault}")]
    Bound {
        /// The text as given.
        text: String,
        /// First character of the bound, counted from 1.
        column: usize,
        /// The fault.
        fault: NumberError,
    },
    /// The measure is not among those that are stored with each run.
    #[error("`{measure}` is not stored with a run")]
    NotListed {
        /// The measure.
        measure: String,
        /// Proposal.
        help: String,
    },
}

impl GoalError {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Measure(error) => error.help.clone(),
            Self::Comparison { .. } => {
                "write `<`, `<=`, `>` or `>=` and a bound, such as `last(incast) < 3 ms`".to_owned()
            }
            Self::Bound { fault, .. } => fault.help(),
            Self::NotListed { help, .. } => help.clone(),
        }
    }
}

impl Comparison {
    /// The signs, the longer first.
    const SIGNS: [(&str, Self); 4] =
        [("<=", Self::AtMost), (">=", Self::AtLeast), ("<", Self::Below), (">", Self::Above)];

    fn sign(self) -> &'static str {
        Self::SIGNS.iter().find(|(_, one)| *one == self).expect("every comparison has a sign").0
    }

    /// Returns true if a larger number breaks the comparison.
    const fn is_upper(self) -> bool {
        matches!(self, Self::Below | Self::AtMost)
    }

    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
        }
    }
}

impl FromStr for Constraint {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Self, GoalError> {
        let (measure, rest) = Measure::read_first(text)?;
        let behind = rest.trim_start();
        let column = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
        let found = Comparison::SIGNS.iter().find_map(|(sign, one)| Some((behind.strip_prefix(sign)?, *one)));
        let Some((number, comparison)) = found else {
            return Err(GoalError::Comparison { text: text.to_owned(), column: column(behind) });
        };
        let number = number.trim_start();
        let unit = measure.quantity.info().unit;
        let bound = unit.read(number).map_err(|fault| GoalError::Bound {
            text: text.to_owned(),
            column: column(number),
            fault,
        })?;
        Ok(Self { measure, comparison, bound })
    }
}

impl Display for Constraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bound = self.measure.quantity.info().unit.spelled(self.bound);
        write!(f, "{} {} {bound}", self.measure, self.comparison.sign())
    }
}

impl Display for Objective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let verb = if self.direction == Direction::Smaller { "minimise" } else { "maximise" };
        write!(f, "{verb} {}", self.measure)
    }
}

/// Checks that every run of a plan lists a measure.
///
/// # Errors
/// If it does not.
pub(super) fn check_measure(measure: &Measure, plan: &Plan) -> Result<(), GoalError> {
    measuring::check(measure, plan)?;
    let listed = measuring::list(plan);
    if listed.contains(measure) {
        return Ok(());
    }
    let (name, names) = (measure.to_string(), listed.iter().map(ToString::to_string).collect::<Vec<_>>());
    let help = help_with_name(&name, names.iter().map(String::as_str), "measures of a run");
    Err(GoalError::NotListed { measure: name, help })
}

/// The side of a number that is known only between bounds on which it counts.
fn counted(measured: &Measured, upper: bool) -> Option<f64> {
    match (measured.censored, upper) {
        (false, _) | (true, false) => measured.value,
        (true, true) => measured.at_most,
    }
}

impl Objective {
    /// Returns the number of a run, turned so that smaller is better. If unfinished messages could change it, the
    /// result is the worse bound, or infinity without a bound.
    #[must_use]
    pub fn cost(&self, result: &UnitResult) -> f64 {
        let smaller = self.direction == Direction::Smaller;
        let number = result.measured(&self.measure).and_then(|measured| counted(measured, smaller));
        let sign = if smaller { 1.0 } else { -1.0 };
        number.map_or(f64::INFINITY, |number| sign * number)
    }

    /// Returns the number of a run for a comparison in which it is the worse side. If it is known only between bounds,
    /// the result is the better bound, so that the gain over it is not overstated. `None` if the run lacks it.
    #[must_use]
    pub fn lenient_cost(&self, result: &UnitResult) -> Option<f64> {
        let smaller = self.direction == Direction::Smaller;
        let number = counted(result.measured(&self.measure)?, !smaller)?;
        Some(if smaller { number } else { -number })
    }

    /// Returns true if a run's number is known only between bounds.
    #[must_use]
    pub fn is_bound(&self, result: &UnitResult) -> bool {
        result.measured(&self.measure).is_some_and(|measured| measured.censored)
    }

    /// Returns the side of the bound that a [lenient cost](Self::lenient_cost) is.
    #[must_use]
    pub const fn lenient_side(&self) -> Side {
        match self.direction {
            Direction::Smaller => Side::AtLeast,
            Direction::Larger => Side::AtMost,
        }
    }

    /// Returns the number that a cost stands for.
    #[must_use]
    pub fn number(&self, cost: f64) -> f64 {
        if self.direction == Direction::Smaller { cost } else { -cost }
    }
}

impl Constraint {
    /// Returns true if the constraint holds in a run for certain.
    #[must_use]
    pub fn holds(&self, result: &UnitResult) -> bool {
        self.violation(result) == 0.0
    }

    /// Returns the violation in a run: 0 if the constraint holds for certain, else the distance from the bound in
    /// bounds. A constraint that could hold, but is not known to, adds 1. Without a number, the violation is infinite.
    #[must_use]
    pub fn violation(&self, result: &UnitResult) -> f64 {
        let Some(measured) = result.measured(&self.measure) else { return f64::INFINITY };
        let upper = self.comparison.is_upper();
        let distance = |value: f64| {
            let scale = if self.bound == 0.0 { 1.0 } else { self.bound.abs() };
            // A bound that does not belong to its range is broken at the bound itself.
            ((value - self.bound).abs() / scale).max(f64::MIN_POSITIVE)
        };
        match (counted(measured, upper), measured.value) {
            (Some(value), _) if self.comparison.holds(value, self.bound) => 0.0,
            (Some(value), _) => distance(value),
            (None, Some(least)) if self.comparison.holds(least, self.bound) => 1.0,
            (None, Some(least)) => 1.0 + distance(least),
            (None, None) => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{UnitCost, UnitEnd};
    use measures::Unit;

    fn result(measure: &str, value: Option<f64>, censored: bool, at_most: Option<f64>) -> UnitResult {
        let measure: Measure = measure.parse().unwrap();
        let unit = measure.quantity.info().unit;
        let missing = None;
        UnitResult {
            name: "a".to_owned(),
            unit: crate::Unit {
                scenario: "one-flow".to_owned(),
                overrides: Vec::new(),
                seeds: crate::UnitSeeds::of_run(1),
                drain: false,
            },
            seed: 1,
            plan_digest: String::new(),
            version: String::new(),
            commit: None,
            ended: UnitEnd::Complete,
            fault: None,
            digest: None,
            lost_packets: None,
            measures: vec![Measured { measure, unit, value, censored, at_most, missing }],
            cost: UnitCost { wall_s: 0.0, events: 0 },
        }
    }

    #[test]
    fn a_constraint_reads_back_as_printed() {
        for text in [
            "last(incast) < 3.00 ms",
            "goodput(all) >= 2.00 Tb/s",
            "fairness(all) > 0.900",
            "marks(all) <= 5 packets",
        ] {
            let text = text.trim_end_matches(" packets");
            let constraint: Constraint = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert!(constraint.to_string().starts_with(text), "{constraint}");
        }
        assert_eq!("last(a)<3ms".parse::<Constraint>().unwrap().bound, 0.003);
        assert_eq!(Unit::Seconds.spelled(0.003), "3.00 ms");
    }

    #[test]
    fn faults_have_a_column() {
        let refused = |text: &str| {
            let error = text.parse::<Constraint>().expect_err(text);
            assert!(!error.help().is_empty());
            error.to_string()
        };
        assert_eq!(refused("last(incast)"), "column 13 of `last(incast)`: the comparison is missing");
        assert!(
            refused("last(incast) < 3 Gb/s").starts_with("column 16 of"),
            "{}",
            refused("last(incast) < 3 Gb/s")
        );
        assert!(refused("lst(incast) < 3 ms").starts_with("column 1 of"));
    }

    #[test]
    fn a_lower_bound_never_keeps_an_upper_constraint() {
        let constraint: Constraint = "last(a) < 3 ms".parse().unwrap();
        let of =
            |value, censored, at_most| constraint.violation(&result("last(a)", value, censored, at_most));
        assert_eq!(of(Some(0.002), false, None), 0.0);
        assert_eq!(of(Some(0.006), false, None), 1.0);
        assert!(of(Some(0.003), false, None) > 0.0, "the bound itself is not below it");
        assert_eq!(of(Some(0.002), true, None), 1.0);
        assert_eq!(of(Some(0.002), true, Some(0.0025)), 0.0);
        assert_eq!(of(None, false, None), f64::INFINITY);
    }

    #[test]
    fn a_bound_counts_against_the_tuned_and_for_the_baseline() {
        let objective = Objective { measure: "p99(a)".parse().unwrap(), direction: Direction::Smaller };
        let censored = result("p99(a)", Some(2.0), true, Some(3.0));
        assert_eq!((objective.cost(&censored), objective.lenient_cost(&censored)), (3.0, Some(2.0)));
        let unbounded = result("p99(a)", Some(2.0), true, None);
        assert_eq!(
            (objective.cost(&unbounded), objective.lenient_cost(&unbounded)),
            (f64::INFINITY, Some(2.0))
        );
        let objective = Objective { measure: "goodput(a)".parse().unwrap(), direction: Direction::Larger };
        let rate = result("goodput(a)", Some(5.0), false, None);
        assert_eq!((objective.cost(&rate), objective.number(objective.cost(&rate))), (-5.0, 5.0));
    }
}
