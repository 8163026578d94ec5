//! Expectations: ranges and comparisons that measured numbers are held against.
//!
//! Invariant: an expectation judges the mean over the seeds. Whether the seeds are enough for a verdict is a separate
//! question: [`Expectation::is_sure`].

use experiment::Estimate;
use serde::Deserialize;

use super::unit::Unit;

/// Range or comparison that every measured number has to meet, as a mean over the seeds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Expectation {
    /// At most `tolerance * value` away from `value`.
    Within {
        /// Centre of the range.
        value: f64,
        /// Half the width of the range, as a share of `value`.
        tolerance: f64,
    },
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// At least the first and at most the second.
    Between(f64, f64),
    /// More than a reference, by its name: the 95 % interval of the difference, paired by seed, lies above 0.
    MoreThan(String),
    /// Less than a reference: the 95 % interval of the difference lies below 0.
    LessThan(String),
    /// Any number: reported without a verdict.
    Report,
}

impl Expectation {
    /// Returns the name of the reference that the numbers are compared with.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::MoreThan(name) | Self::LessThan(name) => Some(name),
            Self::Within { .. } | Self::AtLeast(_) | Self::AtMost(_) | Self::Between(..) | Self::Report => {
                None
            }
        }
    }

    /// Returns true if a mean is as expected. `difference` is the mean's difference from the reference, for
    /// comparisons.
    #[must_use]
    pub fn holds(&self, measured: f64, difference: Option<&Estimate>) -> bool {
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

    /// Returns true if the seeds are enough to say that a number is as expected. The 95 % interval is then no wider
    /// than the expected range, or lies wholly inside a range with a single end. A single seed, which has no interval,
    /// is enough.
    #[must_use]
    pub fn is_sure(&self, measured: &Estimate) -> bool {
        let half = measured.ci95.unwrap_or_default();
        match self {
            Self::Within { value, tolerance } => half <= tolerance * value.abs(),
            Self::Between(least, most) => half <= (most - least) / 2.0,
            Self::AtLeast(least) => measured.low() >= *least,
            Self::AtMost(most) => measured.high() <= *most,
            // `holds` has judged the interval already.
            Self::MoreThan(_) | Self::LessThan(_) | Self::Report => true,
        }
    }

    /// Returns true if a comparison is on the expected side, sure or not.
    #[must_use]
    pub fn leans(&self, difference: Option<&Estimate>) -> bool {
        match self {
            Self::MoreThan(_) => difference.is_some_and(|difference| difference.mean > 0.0),
            Self::LessThan(_) => difference.is_some_and(|difference| difference.mean < 0.0),
            Self::Within { .. } | Self::AtLeast(_) | Self::AtMost(_) | Self::Between(..) | Self::Report => {
                false
            }
        }
    }

    /// Returns the expectation in words, as printed.
    #[must_use]
    pub fn words(&self, unit: &Unit) -> String {
        let unit = unit.word();
        let number = |value| with_unit(&shortest(value), &unit);
        match self {
            Self::Within { value, tolerance } => {
                format!("{} ± {} %", number(*value), (tolerance * 1000.0).round() / 10.0)
            }
            Self::AtLeast(least) => format!("at least {}", number(*least)),
            Self::AtMost(most) => format!("at most {}", number(*most)),
            Self::Between(least, most) => format!("{} to {}", shortest(*least), number(*most)),
            Self::MoreThan(name) => format!("more than {name}"),
            Self::LessThan(name) => format!("less than {name}"),
            Self::Report => String::new(),
        }
    }
}

/// Returns a number with at most three decimals, without zeros at the end.
fn shortest(value: f64) -> String {
    format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a number in words, with its unit.
pub(crate) fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn an_interval_wider_than_the_expected_range_is_not_enough() {
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
}
