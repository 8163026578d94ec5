//! Scales and ticks of axes.
//!
//! Invariant: every tick lies on its axis, and ticks are round numbers: 1, 2 or 5 times a power of ten.

use measures::rounded;
use results::format::grouped;

/// An axis of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity, with its unit in brackets.
    pub label: String,
    /// Scale.
    pub scale: AxisScale,
    /// Value at the left or lower end.
    pub from: f64,
    /// Value at the right or upper end.
    pub to: f64,
    /// Names at values, instead of numbers; empty on an axis of numbers.
    pub names: Vec<(f64, String)>,
}

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic; both ends are above 0.
    Log,
}

impl Axis {
    /// Returns a linear axis.
    #[must_use]
    pub fn linear(label: impl Into<String>, from: f64, to: f64) -> Self {
        // An axis without length would divide by zero in `place`.
        let to = if to > from { to } else { from + 1.0 };
        Self { label: label.into(), scale: AxisScale::Linear, from, to, names: Vec::new() }
    }

    /// Returns a linear axis from 0 to a little more than the highest of these values.
    #[must_use]
    pub fn from_zero(label: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let highest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self::linear(label, 0.0, if highest > 0.0 { highest * 1.06 } else { 1.0 })
    }

    /// Returns an axis from 0 that holds these values, except for lone peaks. If the highest fiftieth of the values
    /// would squeeze all others into the lower third, the axis ends a little above the others. The second number is
    /// then the highest value, else `None`.
    #[must_use]
    pub fn below_peaks(label: impl Into<String>, values: &[f64]) -> (Self, Option<f64>) {
        let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (Some(highest), Some(rest)) =
            (values.last().copied(), measures::censoring::quantile(&values, 0.98))
        else {
            return (Self::from_zero(label, [].into_iter()), None);
        };
        if rest > 0.0 && highest > 3.0 * rest {
            return (Self::from_zero(label, [1.2 * rest].into_iter()), Some(highest));
        }
        (Self::from_zero(label, [highest].into_iter()), None)
    }

    /// Returns a logarithmic axis that holds all of these values that are above 0.
    #[must_use]
    pub fn log(label: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            (low, high) = (f64::min(low, value), f64::max(high, value));
        }
        let (from, to) = if high > 0.0 { (low / 1.12, high * 1.12) } else { (1.0, 10.0) };
        Self { label: label.into(), scale: AxisScale::Log, from, to, names: Vec::new() }
    }

    /// Returns an axis of names, each in the middle of a unit: the first from 0 to 1.
    #[must_use]
    pub fn of_names(label: impl Into<String>, names: impl Iterator<Item = String>) -> Self {
        let names: Vec<_> = names.enumerate().map(|(place, name)| (place as f64 + 0.5, name)).collect();
        Self { names: names.clone(), ..Self::linear(label, 0.0, names.len() as f64) }
    }

    /// Returns the axis of simulated time up to an end in s, and the number of its units in a second.
    #[must_use]
    pub fn time(seconds: f64) -> (Self, f64) {
        let (unit, per_second) = unit_of_time(seconds);
        (Self::linear(format!("simulated time ({unit})"), 0.0, seconds * per_second), per_second)
    }

    /// Returns the place of a value: 0 at the beginning of the axis, 1 at its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            AxisScale::Linear => (value - self.from) / (self.to - self.from),
            AxisScale::Log => (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// Returns at most about `most` ticks with their labels, in rising order.
    pub(super) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let most = most.max(1);
        if !self.names.is_empty() {
            let step = self.names.len().div_ceil(most);
            return self.names.iter().step_by(step).cloned().collect();
        }
        let values = match self.scale {
            AxisScale::Linear => linear_ticks(self.from, self.to, most),
            AxisScale::Log => log_ticks(self.from, self.to, most),
        };
        // Numbers of an axis are written alike: with thousands apart, if a number of five digits is among them.
        let is_long = values.iter().any(|value| value.abs() >= 1e4);
        let label = |value: f64| match value.abs() {
            1e3..1e4 if is_long && value.fract() == 0.0 => thousands(value),
            _ => number(value),
        };
        values.into_iter().map(|value| (value, label(value))).collect()
    }
}

/// Returns the multiples of 1, 2 or 5 times a power of ten that lie on the axis.
fn linear_ticks(from: f64, to: f64, most: usize) -> Vec<f64> {
    let least = (to - from) / most as f64;
    let power = 10f64.powf(least.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999);
    let step = step.unwrap_or(10.0 * power);
    // A tick at an end of the axis stays, whatever the rounding of the division.
    let (first, last) = ((from / step - 1e-9).ceil() as i64, (to / step + 1e-9).floor() as i64);
    (first..=last).map(|place| place as f64 * step).collect()
}

/// Returns powers of ten on the axis, all, or every second, third and so on; of few decades also 2 and 5 times them.
fn log_ticks(from: f64, to: f64, most: usize) -> Vec<f64> {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let on_axis = |value: &f64| *value >= from * 0.999 && *value <= to * 1.001;
    let with = |factors: &[f64]| -> Vec<f64> {
        let decade = |power: i32| factors.iter().map(move |factor| factor * 10f64.powi(power));
        (first..=last).flat_map(decade).filter(on_axis).collect()
    };
    for factors in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
        let ticks = with(factors);
        if ticks.len() <= most {
            return ticks;
        }
    }
    let ticks = with(&[1.0]);
    let step = ticks.len().div_ceil(most);
    ticks.into_iter().step_by(step).collect()
}

/// Returns the largest unit of time in which the run lasts at least 1, and the number of units in a second.
pub(crate) fn unit_of_time(seconds: f64) -> (&'static str, f64) {
    if seconds >= 1.0 {
        ("s", 1.0)
    } else if seconds >= 1e-3 {
        ("ms", 1e3)
    } else {
        ("us", 1e6)
    }
}

/// Returns a number without digits that only rounding made, and with its thousands apart.
pub(crate) fn number(value: f64) -> String {
    // Adding zero turns -0 into 0.
    let value = rounded(value, 9) + 0.0;
    if value.abs() >= 1e15 {
        return format!("{value:e}");
    }
    let whole = value.trunc();
    let text = rounded(value, 6).to_string();
    match text.split_once('.') {
        _ if whole.abs() < 10_000.0 => text,
        Some((_, decimals)) => format!("{}.{decimals}", thousands(whole)),
        None => thousands(whole),
    }
}

fn thousands(whole: f64) -> String {
    let sign = if whole < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(whole.abs() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn the_axis_of_time_has_a_unit_that_fits() {
        assert_eq!([2.0, 0.5, 0.000_2].map(|seconds| unit_of_time(seconds).0), ["s", "ms", "us"]);
        assert_eq!(Axis::time(0.02).0.label, "simulated time (ms)");
    }

    #[test]
    fn ticks_are_round_and_on_the_axis() {
        assert_eq!(labels(&Axis::linear("", 0.0, 17.0), 5), ["0", "5", "10", "15"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 0.3), 3), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 25_000.0), 3), ["0", "10,000", "20,000"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 11_000.0), 3), ["0", "5,000", "10,000"]);
        assert_eq!(labels(&Axis::linear("", 0.0, 6000.0), 3), ["0", "2000", "4000", "6000"]);
        let timer = Axis::log("", [1.024, 1310.0].into_iter());
        assert_eq!(labels(&timer, 12), ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000"]);
        assert_eq!(labels(&timer, 5), ["1", "10", "100", "1000"]);
        for axis in [timer, Axis::linear("", 2.0, 9.0), Axis::log("", [1e-7, 1e9].into_iter())] {
            let ticks = axis.ticks(6);
            assert!(!ticks.is_empty() && ticks.len() <= 8, "{ticks:?}");
            assert!(
                ticks.iter().all(|(value, _)| (-1e-3..=1.001).contains(&axis.place(*value))),
                "{ticks:?}"
            );
        }
    }

    #[test]
    fn an_axis_ends_below_lone_peaks() {
        let values = |peaks: usize| {
            (0..100).map(move |place| if place < peaks { 900.0 } else { 10.0 }).collect::<Vec<f64>>()
        };
        let (axis, peak) = Axis::below_peaks("", &values(2));
        assert!(peak == Some(900.0) && axis.to < 15.0, "{axis:?}");
        let (axis, peak) = Axis::below_peaks("", &values(10));
        assert!(peak.is_none() && axis.to > 900.0, "a tenth of the values is no lone peak: {axis:?}");
        // Of values that are mostly 0, the peaks are all there is to see.
        assert_eq!(Axis::below_peaks("", &[vec![0.0; 99], vec![900.0]].concat()).1, None);
        assert_eq!(Axis::below_peaks("", &[]).1, None);
    }

    #[test]
    fn names_are_thinned_evenly() {
        let axis = Axis::of_names("host", (1..=9).map(|host| format!("h{host}")));
        assert_eq!(labels(&axis, 3), ["h1", "h4", "h7"]);
        assert_eq!(axis.to, 9.0);
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.1 + 0.2, 1e6, 12_345.5, -20_000.0, 1e-6, 0.0];
        assert_eq!(shown.map(number), ["0.3", "1,000,000", "12,345.5", "-20,000", "0.000001", "0"]);
    }
}
