//! Values of a parameter: ranges of numbers, and choices.
//!
//! Invariant: every coordinate of the unit cube is a value, and the ends of a range are reached.

use serde::Deserialize;

/// Significant digits of numbers.
const DIGITS: i32 = 3;
/// Significant digits of a multiple, beyond the digits of its factor and of the number below it.
pub(super) const FINE_DIGITS: i32 = 4;

/// Values of a parameter. Ends belong to the range.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Values {
    /// Whole numbers, each as likely.
    Integer {
        /// Smallest number.
        from: i64,
        /// Largest number.
        to: i64,
    },
    /// Whole numbers above 0, each factor as likely.
    LogInteger {
        /// Smallest number, at least 1.
        from: i64,
        /// Largest number.
        to: i64,
    },
    /// Numbers, each as likely, to three significant digits of the range.
    Linear {
        /// Smallest number.
        from: f64,
        /// Largest number.
        to: f64,
    },
    /// Numbers above 0, each factor as likely, to three significant digits.
    Log {
        /// Smallest number, above 0.
        from: f64,
        /// Largest number.
        to: f64,
    },
    /// Values as they are written, without an order.
    Choice(Vec<String>),
}

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Number, in the parameter's unit.
    Number(f64),
    /// Index among the choices.
    Choice(usize),
}

impl Values {
    /// Returns the value at a coordinate of 0 up to, and without, 1.
    #[must_use]
    pub fn at(&self, coordinate: f64) -> Value {
        let whole = |number: f64, from: i64, to: i64| (number.floor() as i64).clamp(from, to) as f64;
        match self {
            Self::Integer { from, to } => {
                Value::Number(whole(*from as f64 + coordinate * (to - from + 1) as f64, *from, *to))
            }
            Self::LogInteger { from, to } => {
                // Half a step beyond each end, so that the ends are as likely as their neighbours.
                let (low, high) = ((*from as f64 - 0.5).ln(), (*to as f64 + 0.5).ln());
                Value::Number(whole((low + coordinate * (high - low)).exp() + 0.5, *from, *to))
            }
            Self::Linear { from, to } => {
                let step = 10_f64.powi((to - from).log10().floor() as i32 - DIGITS + 1);
                let number = ((from + coordinate * (to - from)) / step).round() * step;
                Value::Number(rounded(number, 12).clamp(*from, *to))
            }
            Self::Log { from, to } => {
                let number = (from.ln() + coordinate * (to.ln() - from.ln())).exp();
                Value::Number(rounded(number, DIGITS).clamp(*from, *to))
            }
            Self::Choice(choices) => {
                Value::Choice(((coordinate * choices.len() as f64) as usize).min(choices.len() - 1))
            }
        }
    }

    /// Returns the number of choices; `None` for numbers.
    #[must_use]
    pub fn choices(&self) -> Option<usize> {
        match self {
            Self::Choice(choices) => Some(choices.len()),
            _ => None,
        }
    }

    /// Returns the number of different values; `None` if there are more than a table holds.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Integer { from, to } | Self::LogInteger { from, to } => usize::try_from(to - from + 1).ok(),
            Self::Linear { .. } | Self::Log { .. } => None,
            Self::Choice(choices) => Some(choices.len()),
        }
    }

    /// Returns message and help of a wrong range.
    pub(super) fn fault(&self) -> Option<(String, String)> {
        let order = |low: f64, high: f64, least: Option<(f64, &str)>| {
            let finite = low.is_finite() && high.is_finite();
            if !finite || low >= high {
                let help =
                    "write a `from` below `to`; a parameter with one value belongs to `base`".to_owned();
                return Some((format!("the range from {low} to {high} has no two values"), help));
            }
            let (_, words) = least.filter(|(least, _)| low < *least)?;
            let help = format!("write a `from` {words}, or values without factors");
            Some((format!("a range by factors does not begin at {low}"), help))
        };
        match self {
            Self::Integer { from, to } => order(*from as f64, *to as f64, None),
            Self::LogInteger { from, to } => order(*from as f64, *to as f64, Some((1.0, "of at least 1"))),
            Self::Linear { from, to } => order(*from, *to, None),
            Self::Log { from, to } => order(*from, *to, Some((f64::MIN_POSITIVE, "above 0"))),
            Self::Choice(choices) if choices.len() < 2 => {
                let help =
                    "write two choices or more; a parameter with one value belongs to `base`".to_owned();
                Some((format!("a choice among {} values is none", choices.len()), help))
            }
            Self::Choice(choices) => {
                let twice =
                    choices.iter().enumerate().find(|(place, one)| choices[..*place].contains(one))?;
                Some((format!("`{}` is given twice", twice.1), "write each choice once".to_owned()))
            }
        }
    }
}

/// Rounds a number to this many significant digits.
pub(super) fn rounded(number: f64, digits: i32) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let text = format!("{number:.*e}", (digits - 1) as usize);
    text.parse().expect("a number that was printed can be read")
}
